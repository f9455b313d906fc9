/* Bonds at molecular scale: both stages of a step per molecule and per bond, with a plain SHAKE and RATTLE as their hand-written twin.
 *
 * Velocities of temperature 1 in units of the lightest mass, step 0.02 of a bond length over them: corrections of some per cent, as in steps of
 * 2 fs. Minima of interleaved rounds. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "protein.h"
#include "rattle/bonds.h"
#include "support/random.h"

static const double tolerance = 1e-10, step = 0.02;
enum { ROUNDS = 15 };

typedef struct molecules {
  long long atoms, bonds;
  int *pair;
  double *length, *mass, *x0, *free, *x, *v0, *v; /* free: x after a step without constraints */
} molecules;

/* --- the twin: sweeps over the bonds of one molecule after the other, until all lengths are right -------------------------------- */

static void shake(const molecules *s, long long first, long long bonds) {
  for (int wrong = 1; wrong;) {
    wrong = 0;
    for (long long k = first; k < first + bonds; k++) {
      const int i = 3 * s->pair[2 * k], j = 3 * s->pair[2 * k + 1];
      double r[3], u[3], uu = 0, ur = 0;
      for (int d = 0; d < 3; d++) {
        r[d] = s->x0[i + d] - s->x0[j + d], u[d] = s->x[i + d] - s->x[j + d];
        uu += u[d] * u[d], ur += u[d] * r[d];
      }
      const double dd = s->length[k] * s->length[k], off = uu - dd;
      if (fabs(off) <= 2 * tolerance * dd) continue;
      wrong = 1;
      const double wi = 1 / s->mass[i / 3], wj = 1 / s->mass[j / 3], lambda = off / (2 * ur * (wi + wj));
      for (int d = 0; d < 3; d++) {
        s->x[i + d] -= wi * lambda * r[d], s->x[j + d] += wj * lambda * r[d];
        s->v[i + d] -= wi * lambda * r[d] / step, s->v[j + d] += wj * lambda * r[d] / step;
      }
    }
  }
}

static void rattle(const molecules *s, long long first, long long bonds) {
  for (int wrong = 1; wrong;) {
    wrong = 0;
    for (long long k = first; k < first + bonds; k++) {
      const int i = 3 * s->pair[2 * k], j = 3 * s->pair[2 * k + 1];
      double r[3], rate = 0, rr = 0;
      for (int d = 0; d < 3; d++) {
        r[d] = s->x[i + d] - s->x[j + d];
        rate += r[d] * (s->v[i + d] - s->v[j + d]), rr += r[d] * r[d];
      }
      if (fabs(rate) <= tolerance) continue;
      wrong = 1;
      const double wi = 1 / s->mass[i / 3], wj = 1 / s->mass[j / 3], mu = rate / (rr * (wi + wj));
      for (int d = 0; d < 3; d++) s->v[i + d] -= wi * mu * r[d], s->v[j + d] += wj * mu * r[d];
    }
  }
}

/* --- molecules ------------------------------------------------------------------------------------------------------------------- */

static void *room(long long count, size_t size) {
  void *p = calloc((size_t)count, size);
  if (!p) abort();
  return p;
}

/* `copies` of a molecule of `atoms` at `place`, with bonds `pair` of the lengths that they have there. */
static void make(molecules *s, int copies, int atoms, int bonds, const int *pair, const double *place, const double *mass) {
  uint64_t seed = 1;
  *s = (molecules){.atoms = (long long)copies * atoms, .bonds = (long long)copies * bonds};
  s->pair = room(2 * s->bonds, sizeof *s->pair);
  s->length = room(s->bonds, sizeof(double)), s->mass = room(s->atoms, sizeof(double));
  double **all[] = {&s->x0, &s->free, &s->x, &s->v0, &s->v};
  for (int i = 0; i < 5; i++) *all[i] = room(3 * s->atoms, sizeof(double));
  for (int c = 0; c < copies; c++) {
    double origin[3];
    for (int d = 0; d < 3; d++) origin[d] = 20 * rattle__random_signed(&seed);
    for (int a = 0; a < atoms; a++) {
      s->mass[c * atoms + a] = mass[a];
      for (int d = 0; d < 3; d++) {
        s->x0[3 * (c * atoms + a) + d] = origin[d] + place[3 * a + d];
        s->v0[3 * (c * atoms + a) + d] = rattle__random_signed(&seed) / sqrt(mass[a]);
      }
    }
    for (int k = 0; k < bonds; k++) {
      double sum = 0;
      for (int d = 0; d < 3; d++) sum += pow(place[3 * pair[2 * k] + d] - place[3 * pair[2 * k + 1] + d], 2);
      for (int e = 0; e < 2; e++) s->pair[2 * (c * bonds + k) + e] = c * atoms + pair[2 * k + e];
      s->length[c * bonds + k] = sqrt(sum);
    }
  }
}

static void destroy(molecules *s) {
  void *all[] = {s->pair, s->length, s->mass, s->x0, s->free, s->x, s->v0, s->v};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
}

static void restart(molecules *s) {
  const size_t bytes = 3 * (size_t)s->atoms * sizeof(double);
  memcpy(s->x, s->free, bytes);
  memcpy(s->v, s->v0, bytes);
}

static rattle_bonds_topology topology_of(const molecules *s) {
  return (rattle_bonds_topology){.struct_size = sizeof(rattle_bonds_topology),
                                 .atoms = s->atoms,
                                 .bonds = s->bonds,
                                 .pairs = s->pair,
                                 .lengths = s->length,
                                 .masses = s->mass};
}

static void measure(const char *name, molecules *s, int copies) {
  const long long bonds = s->bonds / copies;
  const rattle_bonds_topology topology = topology_of(s);
  const rattle_bonds_options options = {.struct_size = sizeof options, .tolerance = tolerance};
  rattle_bonds *made;
  rattle_error error;
  bench_check(rattle_bonds_create(&made, &topology, &options, &error), &error);
  bench_check(rattle_bonds_velocities(made, s->x0, s->v0, NULL, &error), &error);
  for (long long i = 0; i < 3 * s->atoms; i++) s->free[i] = s->x0[i] + step * s->v0[i];
  double best[4] = {1e9, 1e9, 1e9, 1e9};
  for (int round = 0; round < ROUNDS; round++) {
    double t[5];
    restart(s);
    t[0] = bench_now();
    bench_check(rattle_bonds_positions(made, s->x0, s->x, s->v, step, NULL, &error), &error);
    t[1] = bench_now();
    bench_check(rattle_bonds_velocities(made, s->x, s->v, NULL, &error), &error);
    t[2] = bench_now();
    for (int i = 0; i < 2; i++) best[i] = fmin(best[i], t[i + 1] - t[i]);
    restart(s);
    t[2] = bench_now();
    for (int c = 0; c < copies; c++) shake(s, c * bonds, bonds);
    t[3] = bench_now();
    for (int c = 0; c < copies; c++) rattle(s, c * bonds, bonds);
    t[4] = bench_now();
    for (int i = 2; i < 4; i++) best[i] = fmin(best[i], t[i + 1] - t[i]);
  }
  const double per = 1.0 / copies, ours = (best[0] + best[1]) * per, theirs = (best[2] + best[3]) * per;
  const char *const stages[] = {"positions", "velocities"};
  for (int i = 0; i < 2; i++)
    printf("bonds\t%s, %s\t%lld\t%.1f\tns a molecule\t%.2f\n", name, stages[i], s->bonds, best[i] * per, best[i] / best[i + 2]);
  printf("bonds\t%s, both\t%lld\t%.1f\tns a bond\t%.2f\n", name, s->bonds, ours / (double)bonds, ours / theirs);
  rattle_bonds_destroy(&made);
}

/* Seconds of both stages; NaN if they fail. */
static double both_stages(rattle_bonds *made, molecules *s) {
  rattle_error error;
  restart(s);
  const double start = bench_now();
  rattle_status status = rattle_bonds_positions(made, s->x0, s->x, s->v, step, NULL, &error);
  if (!status) status = rattle_bonds_velocities(made, s->x, s->v, NULL, &error);
  return status ? (double)NAN : bench_now() - start;
}

/* Both stages by each solver that can do the molecules, in its best round, next to newton. Solvers take turns. */
static void compare(const char *name, molecules *s) {
  enum { MOST = 16 };
  rattle_error error;
  const rattle_bonds_topology topology = topology_of(s);
  rattle_bonds *made[MOST] = {NULL};
  double best[MOST];
  int count = 0;
  for (const rattle_bonds_solver *solver; count < MOST && (solver = rattle_bonds_solver_of(count)); count++) {
    const rattle_bonds_options options = {.struct_size = sizeof options, .tolerance = tolerance, .solver = solver->name};
    if (rattle_bonds_create(&made[count], &topology, &options, &error)) made[count] = NULL;
    best[count] = 1e9;
  }
  for (int round = 0; round < ROUNDS; round++)
    for (int i = 0; i < count; i++)
      if (made[i] && !isnan(best[i])) {
        const double seconds = both_stages(made[i], s);
        best[i] = isnan(seconds) ? seconds : fmin(best[i], seconds);
      }
  for (int i = 0; i < count; i++) {
    if (made[i])
      printf("bonds\t%s by %s\t%lld\t%.1f\tns a bond\t%.2f\n", name, rattle_bonds_solver_of(i)->name, s->bonds,
             best[i] / (double)s->bonds, best[i] / best[0]);
    rattle_bonds_destroy(&made[i]);
  }
}

/* --- floats, threads, sizes ------------------------------------------------------------------------------------------------------ */

static rattle_bonds *made_of(const molecules *s, double allowed, int threads) {
  const rattle_bonds_topology topology = topology_of(s);
  const rattle_bonds_options options = {.struct_size = sizeof options, .tolerance = allowed, .threads = threads};
  rattle_bonds *made;
  rattle_error error;
  bench_check(rattle_bonds_create(&made, &topology, &options, &error), &error);
  return made;
}

/* Both stages with arrays of floats, next to doubles, to a tolerance that floats reach here. */
static void with_floats(const char *name, molecules *s) {
  const long long n = 3 * s->atoms;
  double largest = 0;
  for (long long i = 0; i < n; i++) largest = fmax(largest, fabs(s->free[i]));
  const double allowed = fmax(1e-5, 2.5 * FLT_EPSILON * largest);
  float *x0 = room(n, sizeof *x0), *x = room(n, sizeof *x), *v = room(n, sizeof *v);
  rattle_bonds *made = made_of(s, allowed, 1);
  rattle_error error;
  double best[2] = {1e9, 1e9};
  for (long long i = 0; i < n; i++) x0[i] = (float)s->x0[i];
  for (int round = 0; round < ROUNDS; round++) {
    best[0] = fmin(best[0], both_stages(made, s));
    for (long long i = 0; i < n; i++) x[i] = (float)s->free[i], v[i] = (float)s->v0[i];
    const double start = bench_now();
    bench_check(rattle_bonds_positions_float(made, x0, x, v, step, NULL, NULL, &error), &error);
    bench_check(rattle_bonds_velocities_float(made, x, v, NULL, NULL, &error), &error);
    best[1] = fmin(best[1], bench_now() - start);
  }
  printf("bonds\t%s, floats to %.0e (next to doubles)\t%lld\t%.1f\tns a bond\t%.2f\n", name, allowed, s->bonds,
         best[1] / (double)s->bonds, best[1] / best[0]);
  rattle_bonds_destroy(&made);
  free(x0), free(x), free(v);
}

/* What a first guess of multipliers would bring that is off by a tenth or a hundredth: positions are linear in multipliers, so that the stage
 * begins there. Next to the stage of positions without. */
static void with_guess(const char *name, molecules *s) {
  const size_t bytes = 3 * (size_t)s->atoms * sizeof(double);
  double *solved = room(3 * s->atoms, sizeof *solved), best[3] = {1e9, 1e9, 1e9};
  rattle_bonds *made = made_of(s, tolerance, 1);
  rattle_error error;
  memcpy(solved, s->free, bytes);
  bench_check(rattle_bonds_positions(made, s->x0, solved, NULL, 0, NULL, &error), &error);
  for (int round = 0; round < ROUNDS; round++)
    for (int i = 0; i < 3; i++) {
      const double off = (double[]){1, 0.1, 0.01}[i];
      for (long long k = 0; k < 3 * s->atoms; k++) s->x[k] = solved[k] + off * (s->free[k] - solved[k]);
      const double start = bench_now();
      bench_check(rattle_bonds_positions(made, s->x0, s->x, NULL, 0, NULL, &error), &error);
      best[i] = fmin(best[i], bench_now() - start);
    }
  for (int i = 1; i < 3; i++)
    printf("bonds\t%s, positions from multipliers off by %s (next to none)\t%lld\t%.1f\tns a bond\t%.2f\n", name,
           i == 1 ? "1/10" : "1/100", s->bonds, best[i] / (double)s->bonds, best[i] / best[0]);
  rattle_bonds_destroy(&made);
  free(solved);
}

/* Two threads next to one. */
static void with_threads(const char *name, molecules *s) {
  rattle_bonds *made[2] = {made_of(s, tolerance, 1), made_of(s, tolerance, 2)};
  double best[2] = {1e9, 1e9};
  for (int round = 0; round < ROUNDS; round++)
    for (int i = 0; i < 2; i++) best[i] = fmin(best[i], both_stages(made[i], s));
  printf("bonds\t%s, two threads (next to one)\t%lld\t%.1f\tns a bond\t%.2f\n", name, s->bonds, best[1] / (double)s->bonds,
         best[1] / best[0]);
  for (int i = 0; i < 2; i++) rattle_bonds_destroy(&made[i]);
}

/* What both stages read and write, and nothing else: x0, x and v, then x and v. */
static double memory_alone(molecules *s) {
  const double start = bench_now();
  for (long long i = 0; i < 3 * s->atoms; i++) {
    s->x[i] += 1e-9 * s->x0[i];
    s->v[i] += 1e-9 * s->x[i];
  }
  for (long long i = 0; i < 3 * s->atoms; i++) s->v[i] += 1e-9 * s->x[i];
  return bench_now() - start;
}

/* 10^4 to 10^7 atoms of a molecule, next to the fewest; and the memory alone, next to both stages. */
static void sizes(const char *name, int atoms, int bonds, const int *pair, const double *place, const double *mass) {
  double fewest = 0;
  for (int all = 10000; all <= 10000000; all *= 10) {
    molecules s;
    rattle_error error;
    double best[2] = {1e9, 1e9};
    make(&s, all / atoms, atoms, bonds, pair, place, mass);
    rattle_bonds *made = made_of(&s, tolerance, 1);
    bench_check(rattle_bonds_velocities(made, s.x0, s.v0, NULL, &error), &error);
    for (long long i = 0; i < 3 * s.atoms; i++) s.free[i] = s.x0[i] + step * s.v0[i];
    for (int round = 0; round < (all < 1000000 ? ROUNDS : 3); round++) {
      best[0] = fmin(best[0], both_stages(made, &s));
      best[1] = fmin(best[1], memory_alone(&s));
    }
    for (int i = 0; i < 2; i++) best[i] /= all / atoms;
    if (fewest == 0) fewest = best[0];
    printf("bonds\t%s, both stages (next to 10^4 atoms)\t%d\t%.1f\tns a molecule\t%.2f\n", name, all, best[0], best[0] / fewest);
    printf("bonds\t%s, memory alone (next to both stages)\t%d\t%.1f\tns a molecule\t%.2f\n", name, all, best[1],
           best[1] / best[0]);
    rattle_bonds_destroy(&made);
    destroy(&s);
  }
}

static const char *only; /* NULL: all */

static void run(const char *name, int copies, int atoms, int bonds, const int *pair, const double *place, const double *mass) {
  molecules s;
  if (only && strcmp(name, only)) return;
  make(&s, copies, atoms, bonds, pair, place, mass);
  measure(name, &s, copies);
  compare(name, &s);
  with_floats(name, &s);
  with_guess(name, &s);
  with_threads(name, &s);
  destroy(&s);
}

/* Beads in a zigzag, or on a ring where `closed`. */
static void beads(const char *name, int copies, int count, int closed) {
  int *pair = room(2 * count, sizeof *pair);
  double *place = room(3 * count, sizeof *place), *mass = room(count, sizeof *mass);
  const double turn = 2 * acos(-1) / count;
  for (int k = 0; k < count; k++) {
    pair[2 * k] = k, pair[2 * k + 1] = (k + 1) % count;
    place[3 * k] = closed ? cos(turn * k) / (2 * sin(turn / 2)) : 0.8 * k;
    place[3 * k + 1] = closed ? sin(turn * k) / (2 * sin(turn / 2)) : 0.6 * (k % 2);
    mass[k] = 14;
  }
  run(name, copies, count, closed ? count : count - 1, pair, place, mass);
  free(pair), free(place), free(mass);
}

/* All bonds of a polypeptide, hydrogens included: many of one, whose lanes are full, and one by itself. */
static void proteins(const char *name, int copies, int residues) {
  if (only && strcmp(name, only)) return;
  protein p = protein_make(residues);
  run(name, copies, p.atoms, p.bonds, p.pair, p.place, p.mass);
  free(p.pair), free(p.mass), free(p.place);
}

/* bench_bonds [NAME]: NAME of a molecule, or "sizes", or all. */
int main(int count, char **argument) {
  only = count > 1 ? argument[1] : NULL;
  static const int star[] = {0, 1, 0, 2, 0, 3, 0, 4}, water[] = {0, 1, 0, 2, 1, 2};
  static const double of_water[] = {0, 0, 0, 1, 0, 0, -1.0 / 3, 0.9428090415820634, 0},
                      of_methane[] = {0, 0, 0, .577, .577, .577, .577, -.577, -.577, -.577, .577, -.577, -.577, -.577, .577};
  static const double oxygen[] = {15.999, 1.008, 1.008}, carbon[] = {12.011, 1.008, 1.008, 1.008, 1.008};
  run("water", 20000, 3, 3, water, of_water, oxygen);
  run("CH", 20000, 2, 1, star, of_methane, carbon);
  run("CH2", 20000, 3, 2, star, of_methane, carbon);
  run("CH3", 20000, 4, 3, star, of_methane, carbon);
  run("CH4", 20000, 5, 4, star, of_methane, carbon);
  beads("rings of 6", 10000, 6, 1);
  beads("chains", 64, 1000, 0);
  proteins("proteins", 16, 200);
  proteins("protein", 1, 1000);
  if (!only || !strcmp(only, "sizes")) sizes("water", 3, 3, water, of_water, oxygen);
  return 0;
}
