#ifndef RATTLE_BENCH_PROTEIN_H
#define RATTLE_BENCH_PROTEIN_H
/* A polypeptide with all its hydrogens: the twenty residues in an order that is drawn, places
 * relaxed until bonds and angles are those of organic molecules. No protein of this world: what
 * matters here is its graph, its masses and its angles.
 *
 * A residue is written atom by atom: its element, how many hydrogens it has, parentheses about what
 * branches off, and a letter at both ends of a bond that closes a ring. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "molecules.h"
#include "ground/support/random.h"

static const char *const protein_residues[] = {"N1C2C0(O0)",
                                               "N1C1(C3)C0(O0)",
                                               "N1C1(C1(C3)C3)C0(O0)",
                                               "N1C1(C2C1(C3)C3)C0(O0)",
                                               "N1C1(C1(C3)C2C3)C0(O0)",
                                               "N1C1(C2O1)C0(O0)",
                                               "N1C1(C1(C3)O1)C0(O0)",
                                               "N1C1(C2S1)C0(O0)",
                                               "N1C1(C2C2S0C3)C0(O0)",
                                               "N1C1(C2C0(O0)O0)C0(O0)",
                                               "N1C1(C2C0(O0)N2)C0(O0)",
                                               "N1C1(C2C2C0(O0)O0)C0(O0)",
                                               "N1C1(C2C2C0(O0)N2)C0(O0)",
                                               "N1C1(C2C2C2C2N3)C0(O0)",
                                               "N1C1(C2C2C2N1C0(N2)N2)C0(O0)",
                                               "N1C1(C2C0aC1C1C1C1C1a)C0(O0)",
                                               "N1C1(C2C0aC1C1C0(O1)C1C1a)C0(O0)",
                                               "N1C1(C2C0aN0C1N1C1a)C0(O0)",
                                               "N1C1(C2C0aC1N1C0bC1C1C1C1C0ab)C0(O0)",
                                               "N0aC1(C2C2C2a)C0(O0)"};

/* Hydrogens follow their heavy atom. */
static int protein_atom(shape *p, double mass, int parent, uint64_t *seed) {
  double to[3], size = 0;
  const int a = p->atoms++;
  for (int d = 0; d < 3; d++) to[d] = rattle__random_signed(seed), size += to[d] * to[d];
  for (int d = 0; d < 3; d++)
    p->place[3 * a + d] =
        parent < 0 ? 0 : p->place[3 * parent + d] + (d == 0 ? 0.6 : 0) + to[d] / sqrt(size);
  p->mass[a] = mass;
  if (parent >= 0) p->pair[2 * p->bonds] = parent, p->pair[2 * p->bonds++ + 1] = a;
  return a;
}

/* The residue, bonded to atom `last`; its own last atom on the main chain. */
static int protein_residue(shape *p, const char *text, int last, uint64_t *seed) {
  int branch[8], depth = 0, open[26] = {0}; /* of ring letters: the atom, from 1 on */
  for (; *text; text++) {
    if (*text == '(')
      branch[depth++] = last;
    else if (*text == ')')
      last = branch[--depth];
    else if (islower((unsigned char)*text) && !open[*text - 'a'])
      open[*text - 'a'] = last + 1;
    else if (islower((unsigned char)*text))
      p->pair[2 * p->bonds] = open[*text - 'a'] - 1, p->pair[2 * p->bonds++ + 1] = last;
    else {
      last = protein_atom(p,
                          *text == 'C'   ? 12.011
                          : *text == 'N' ? 14.007
                          : *text == 'O' ? 15.999
                                         : 32.06,
                          last, seed);
      for (int h = *++text - '0'; h > 0; h--) protein_atom(p, 1.008, last, seed);
    }
  }
  return last;
}

static void protein_pull(shape *p, int i, int j, double length, int apart) {
  double r[3], size = 0;
  for (int d = 0; d < 3; d++) r[d] = p->place[3 * i + d] - p->place[3 * j + d], size += r[d] * r[d];
  size = sqrt(size);
  if (apart && size > length) return;
  for (int d = 0; d < 3; d++) {
    const double by = 0.5 * (length / size - 1) * r[d];
    p->place[3 * i + d] += by, p->place[3 * j + d] -= by;
  }
}

/* Bonds of 1.0 with hydrogen, 1.4 otherwise, 1.8 with sulphur; atoms with a common neighbour no
 * nearer than angles of 106 degrees would have them. */
static void protein_relax(shape *p) {
  const int most = 8;
  int *of = calloc((size_t)(p->atoms * most), sizeof *of),
      *count = calloc((size_t)p->atoms, sizeof *count);
  for (int e = 0; e < 2 * p->bonds; e++)
    of[p->pair[e] * most + count[p->pair[e]]++] = p->pair[e ^ 1];
  for (int sweep = 0; sweep < 400; sweep++) {
    for (int a = 0; a < p->atoms; a++)
      for (int k = 0; k < count[a]; k++)
        for (int l = 0; l < k; l++) {
          const int i = of[a * most + k], j = of[a * most + l];
          protein_pull(p, i, j, 0.8 * ((p->mass[i] < 2 ? 1 : 1.4) + (p->mass[j] < 2 ? 1 : 1.4)), 1);
        }
    for (int k = 0; k < p->bonds; k++) {
      const double heavy = fmax(p->mass[p->pair[2 * k]], p->mass[p->pair[2 * k + 1]]);
      const int light = p->mass[p->pair[2 * k]] < 2 || p->mass[p->pair[2 * k + 1]] < 2;
      protein_pull(p, p->pair[2 * k], p->pair[2 * k + 1], light ? 1.0 : heavy > 20 ? 1.8 : 1.4, 0);
    }
  }
  free(of), free(count);
}

static shape protein_shape(int residues) {
  enum { MOST = 30 }; /* atoms and bonds of a residue */
  const size_t room = (size_t)residues * MOST;
  shape p = {.pair = calloc(2 * room, sizeof(int)),
             .mass = calloc(room, sizeof(double)),
             .place = calloc(3 * room, sizeof(double))};
  uint64_t seed = 20;
  if (!p.pair || !p.mass || !p.place) abort();
  for (int k = 0, last = -1; k < residues; k++) {
    const int which = (int)(10 * (1 + rattle__random_signed(&seed)));
    last = protein_residue(&p, protein_residues[which], last, &seed);
  }
  protein_relax(&p);
  return p;
}
#endif
