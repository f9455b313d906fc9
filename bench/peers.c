/* Both stages of a step by librattle and by a plain SHAKE on one input, and that input in a file,
 * for the engines that bench/bonds_peers compares with.
 *
 *     bench_peers CASE [FILE]      prints a row for each: its name, ns a bond, the largest relative
 *     error of a bond, the largest rate of one in nm/ps
 *
 * Units are nm, ps and u: bonds of about 0.1 nm, molecules of 300 K on a lattice, steps of 2 fs. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "molecules.h"
#include "protein.h"

static const double nm = 0.1, kT = 2.494, step = 0.002, gap = 0.4;
enum { ROUNDS = 15 };

/* --- input ------------------------------------------------------------------------------------ */

static int ends_in_hydrogen(const shape *one, int bond) {
  return one->mass[one->pair[2 * bond]] < 2 || one->mass[one->pair[2 * bond + 1]] < 2;
}

static shape only_hydrogens(shape one) {
  int kept = 0;
  for (int k = 0; k < one.bonds; k++)
    if (ends_in_hydrogen(&one, k))
      one.pair[2 * kept] = one.pair[2 * k], one.pair[2 * kept++ + 1] = one.pair[2 * k + 1];
  one.bonds = kept;
  return one;
}

static shape shape_of(const char *name, int *copies) {
  static const char *const carbons[] = {"CH", "CH2", "CH3", "CH4"};
  *copies = 20000;
  if (!strcmp(name, "water")) return water_shape();
  for (int k = 0; k < 4; k++)
    if (!strcmp(name, carbons[k])) return carbon_shape(k + 1);
  *copies = 5000;
  if (!strcmp(name, "rings")) return bead_shape(6, 1);
  *copies = 32;
  if (!strcmp(name, "chains")) return bead_shape(1000, 0);
  *copies = 16;
  if (!strcmp(name, "proteins")) return protein_shape(200);
  if (!strcmp(name, "hydrogens")) return only_hydrogens(protein_shape(200));
  *copies = 1;
  if (!strcmp(name, "protein")) return protein_shape(1000);
  if (!strcmp(name, "domain")) return protein_shape(36);
  fprintf(stderr,
          "bench_peers: no case \"%s\": water, CH, CH2, CH3, CH4, rings, chains, proteins, "
          "protein, domain or hydrogens\n",
          name);
  exit(2);
}

/* Molecules side by side in a box, in nm and nm/ps. */
static void lay_out(molecules *s, int copies, const shape *one, double box[3]) {
  double low[3] = {0}, high[3] = {0};
  const int edge = (int)ceil(cbrt(copies));
  for (int i = 0; i < 3 * one->atoms; i++) {
    low[i % 3] = fmin(low[i % 3], one->place[i]);
    high[i % 3] = fmax(high[i % 3], one->place[i]);
  }
  for (int d = 0; d < 3; d++) box[d] = edge * (nm * (high[d] - low[d]) + gap);
  for (int c = 0; c < copies; c++) {
    const int at[3] = {c % edge, c / edge % edge, c / edge / edge};
    for (int i = 0; i < 3 * one->atoms; i++) {
      double *x = s->x0 + (long long)3 * one->atoms * c;
      x[i] = nm * (one->place[i] - low[i % 3]) + gap / 2 + box[i % 3] / edge * at[i % 3];
    }
  }
  for (long long i = 0; i < 3 * s->atoms; i++) s->v0[i] *= sqrt(3 * kT);
  for (long long k = 0; k < s->bonds; k++) s->length[k] *= nm;
}

/* Counts of one molecule and of copies, edges of the box; pairs, lengths and masses of one
 * molecule; all places and velocities. */
static void write_file(const char *path, const molecules *s, int copies, const shape *one,
                       const double box[3]) {
  const int counts[3] = {one->atoms, one->bonds, copies};
  FILE *file = fopen(path, "wb");
  size_t written = 0, n = 3 * (size_t)s->atoms, bonds = (size_t)one->bonds,
         atoms = (size_t)one->atoms;
  if (file) {
    written = fwrite(counts, sizeof *counts, 3, file) + fwrite(box, sizeof *box, 3, file);
    written += fwrite(one->pair, sizeof *one->pair, 2 * bonds, file) +
               fwrite(s->length, sizeof *s->length, bonds, file);
    written += fwrite(one->mass, sizeof *one->mass, atoms, file);
    written += fwrite(s->x0, sizeof *s->x0, n, file) + fwrite(s->v0, sizeof *s->v0, n, file);
  }
  if (!file || fclose(file) || written != 6 + 3 * bonds + atoms + 2 * n) {
    fprintf(stderr, "bench_peers: cannot write %s\n", path);
    exit(1);
  }
}

/* --- times ------------------------------------------------------------------------------------ */

static void print_row(const char *name, const molecules *s, double ns) {
  double error = 0, rate = 0;
  for (long long k = 0; k < s->bonds; k++) {
    const int i = 3 * s->pair[2 * k], j = 3 * s->pair[2 * k + 1];
    double rr = 0, rv = 0;
    for (int d = 0; d < 3; d++) {
      const double r = s->x[i + d] - s->x[j + d];
      rr += r * r, rv += r * (s->v[i + d] - s->v[j + d]);
    }
    error = fmax(error, fabs(sqrt(rr) / s->length[k] - 1));
    rate = fmax(rate, fabs(rv) / sqrt(rr));
  }
  printf("%s\t%.6g\t%.1e\t%.1e\n", name, ns / (double)s->bonds, error, rate);
}

static void by_librattle(rattle_bonds *made, molecules *s) {
  rattle_error error;
  bench_check(rattle_bonds_positions(made, s->x0, s->x, s->v, step, NULL, &error), &error);
  bench_check(rattle_bonds_velocities(made, s->x, s->v, NULL, &error), &error);
}

static void by_sweeps(molecules *s, int copies) {
  const long long bonds = s->bonds / copies;
  for (int c = 0; c < copies; c++) shake(s, c * bonds, bonds, step);
  for (int c = 0; c < copies; c++) rattle(s, c * bonds, bonds);
}

int main(int count, char **argument) {
  int copies;
  molecules s;
  double box[3], best[2] = {1e18, 1e18};
  rattle_error error;
  if (count < 2) {
    fprintf(stderr, "usage: bench_peers CASE [FILE]\n");
    return 2;
  }
  shape one = shape_of(argument[1], &copies);
  make(&s, copies, &one);
  lay_out(&s, copies, &one, box);
  const rattle_bonds_topology topology = topology_of(&s);
  const rattle_bonds_options options = {.struct_size = sizeof options, .tolerance = tolerance};
  rattle_bonds *made;
  bench_check(rattle_bonds_create(&made, &topology, &options, &error), &error);
  bench_check(rattle_bonds_velocities(made, s.x0, s.v0, NULL, &error), &error);
  if (count > 2) write_file(argument[2], &s, copies, &one, box);
  for (long long i = 0; i < 3 * s.atoms; i++) s.free[i] = s.x0[i] + step * s.v0[i];
  for (int round = 0; round < 2 * ROUNDS; round++) {
    restart(&s);
    const double start = bench_now();
    if (round % 2)
      by_librattle(made, &s);
    else
      by_sweeps(&s, copies);
    best[round % 2] = fmin(best[round % 2], bench_now() - start);
    if (round == 2 * ROUNDS - 2) print_row("plain SHAKE", &s, best[0]);
  }
  print_row("librattle", &s, best[1]);
  rattle_bonds_destroy(&made);
  destroy(&s);
  free_shape(&one);
  return 0;
}
