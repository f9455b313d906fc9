/* Molecules with bonds: common_molecules.h. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "ground/support/random.h"
#include "unit/common_molecules.h"

static uint64_t seed;

double drawn(void) {
  return 0.5 + 0.5 * rattle__random_signed(&seed);
}

void molecule_tree(molecule *m, const char *name, int bonds, const int *parent) {
  *m = (molecule){.name = name, .atoms = bonds + 1, .bonds = bonds};
  for (int k = 0; k < bonds; k++) m->pair[2 * k] = parent[k], m->pair[2 * k + 1] = k + 1;
}

void molecule_close(molecule *m, int i, int j) {
  m->pair[2 * m->bonds] = j, m->pair[2 * m->bonds + 1] = i;
  m->bonds++;
}

void molecule_make(molecule *m, int kind) {
  static const int star[] = {0, 0, 0, 0, 0, 0},
                   chain[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19};
  static const int ethane[] = {0, 0, 0, 0, 1, 1, 1};
  seed = 77 + (uint64_t)kind;
  switch (kind) {
  case 0:
    molecule_tree(m, "pair", 1, star);
    break;
  case 1:
    molecule_tree(m, "CH2", 2, star);
    break;
  case 2:
    molecule_tree(m, "CH3", 3, star);
    break;
  case 3:
    molecule_tree(m, "CH4", 4, star);
    break;
  case 4:
    molecule_tree(m, "five at one", 5, star);
    break;
  case 5:
    molecule_tree(m, "water", 2, star), molecule_close(m, 1, 2);
    break;
  case 6:
    molecule_tree(m, "ethane", 7, ethane);
    break;
  case 7:
    molecule_tree(m, "ring of six", 5, chain), molecule_close(m, 0, 5);
    break;
  case 8:
    molecule_tree(m, "four beads, five bonds", 3, chain), molecule_close(m, 0, 2),
        molecule_close(m, 1, 3);
    break;
  case 9:
    molecule_tree(m, "fused rings", 9, chain), molecule_close(m, 0, 9), molecule_close(m, 2, 7);
    break;
  case 11:
    molecule_tree(m, "ring of four", 3, chain), molecule_close(m, 0, 3);
    break;
  case 12:
    molecule_tree(m, "ring of five", 4, chain), molecule_close(m, 0, 4);
    break;
  case 13:
    molecule_tree(m, "ring of nine", 8, chain), molecule_close(m, 0, 8);
    break;
  case 14: /* 5 4 3 2 1 0 6 7 8 */
    molecule_tree(m, "path numbered from within", 8, (const int[]){0, 1, 2, 3, 4, 0, 6, 7});
    break;
  case 15: { /* large enough to be cut into pieces */
    int parent[149];
    for (int k = 0; k < 149; k++)
      parent[k] = k % 5 == 4 ? k - 4 : k % 5 < 2 ? k - k % 5 : k - k % 5 + 2;
    molecule_tree(m, "side chains and three rings", 149, parent);
    molecule_close(m, 12, 17), molecule_close(m, 42, 57), molecule_close(m, 90, 102);
    break;
  }
  default: {
    int parent[50];
    for (int k = 0; k < 50; k++)
      parent[k] = (int)(drawn() * (k < 6 ? k + 1 : 6)) + (k < 6 ? 0 : k - 5);
    molecule_tree(m, "a tree with two rings", 50, parent);
    molecule_close(m, 50, 20);
    molecule_close(m, 44, 3);
  }
  }
  for (int a = 0; a < m->atoms; a++) {
    m->mass[a] = a % 7 == 3 ? 200 : 1 + 29 * drawn();
    for (int d = 0; d < 3; d++)
      m->x[3 * a + d] = 0.9 * (drawn() - 0.5) + (d == 0   ? 0.6 * a
                                                 : d == 1 ? (a * a % 5) * 0.7
                                                          : 0.3 * (a % 3));
  }
}

long double *widened(const double *x, long long count) {
  long double *y = room(count, sizeof *y);
  for (long long i = 0; i < count; i++) y[i] = x[i];
  return y;
}

void scene_near(const scene *s, const double *x, const long double *y, double allowed,
                const char *what, const char *name) {
  for (long long i = 0; i < 3 * s->atoms; i++)
    if (!(fabsl(x[i] - y[i]) <= allowed))
      fail_msg("%s, %s of atom %lld: %.17g and %.17Lg", name, what, i / 3, x[i], y[i]);
}

void *room(long long count, size_t size) {
  void *p = calloc((size_t)count + 1, size);
  if (!p) abort();
  return p;
}

void scene_open(scene *s, const molecule *m, int copies, int alike, double h) {
  *s =
      (scene){.atoms = (long long)m->atoms * copies, .bonds = (long long)m->bonds * copies, .h = h};
  s->pair = room(2 * s->bonds, sizeof *s->pair);
  s->length = room(s->bonds, sizeof(double)), s->mass = room(s->atoms, sizeof(double));
  double **of[] = {&s->x0, &s->x, &s->v, &s->start};
  for (int i = 0; i < 4; i++) *of[i] = room(3 * s->atoms, sizeof(double));
  for (int c = 0; c < copies; c++) {
    const int first = c * m->atoms, place[] = {c % 32, c / 32 % 32, c / 1024}; /* on a lattice */
    for (int a = 0; a < m->atoms; a++) {
      s->mass[first + a] = m->mass[a] * (alike ? 1 : 1 + drawn());
      for (int d = 0; d < 3; d++) {
        s->x0[3 * (first + a) + d] =
            m->x[3 * a + d] + (alike ? 0 : 0.2 * (drawn() - 0.5)) + 5 * place[d];
        s->v[3 * (first + a) + d] = (drawn() - 0.5) / sqrt(s->mass[first + a]);
      }
    }
    for (int k = 0; k < m->bonds; k++) {
      int *pair = s->pair + 2 * ((long long)c * m->bonds + k);
      double sum = 0;
      for (int e = 0; e < 2; e++) pair[e] = first + m->pair[2 * k + e];
      for (int d = 0; d < 3; d++) sum += pow(s->x0[3 * pair[0] + d] - s->x0[3 * pair[1] + d], 2);
      s->length[(long long)c * m->bonds + k] = sqrt(sum);
    }
  }
}

void scene_move(scene *s) {
  for (long long i = 0; i < 3 * s->atoms; i++) s->x[i] = s->start[i] = s->x0[i] + s->h * s->v[i];
}

void scene_close(scene *s) {
  void *all[] = {s->pair, s->length, s->mass, s->x0, s->x, s->v, s->start};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
}

rattle_bonds_topology scene_topology(const scene *s) {
  return (rattle_bonds_topology){.struct_size = sizeof(rattle_bonds_topology),
                                 .atoms = s->atoms,
                                 .bonds = s->bonds,
                                 .pairs = s->pair,
                                 .lengths = s->length,
                                 .masses = s->mass};
}

rattle_bonds *scene_bonds(const scene *s, const rattle_bonds_options *options,
                          rattle_error *error) {
  const rattle_bonds_topology topology = scene_topology(s);
  rattle_bonds *bonds = NULL;
  return rattle_bonds_create(&bonds, &topology, options, error) ? NULL : bonds;
}

long double scene_sweep(const scene *s, int positions, const double *along, long double *y,
                        long double *lambda) {
  long double worst = 1;
  for (long long k = 0; k < s->bonds && lambda; k++) lambda[k] = 0;
  for (int sweep = 0; sweep < 400000 && worst > 2e-17L; sweep++) {
    worst = 0;
    for (long long k = 0; k < s->bonds; k++) {
      const int i = 3 * s->pair[2 * k], j = 3 * s->pair[2 * k + 1];
      long double u[3], r[3], uu = 0, ur = 0, rr = 0;
      for (int d = 0; d < 3; d++) {
        u[d] = y[i + d] - y[j + d], r[d] = (long double)along[i + d] - along[j + d];
        uu += u[d] * u[d], ur += u[d] * r[d], rr += r[d] * r[d];
      }
      const long double wi = 1 / (long double)s->mass[i / 3], wj = 1 / (long double)s->mass[j / 3],
                        dd = (long double)s->length[k] * s->length[k];
      const long double off = positions ? (uu - dd) / (2 * ur * (wi + wj)) : ur / (rr * (wi + wj));
      worst = fmaxl(worst, positions ? fabsl(uu / dd - 1) : fabsl(ur));
      if (lambda) lambda[k] += off;
      for (int d = 0; d < 3; d++) y[i + d] -= wi * off * r[d], y[j + d] += wj * off * r[d];
    }
  }
  return worst;
}
