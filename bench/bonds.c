/* Bonds at molecular scale: both stages of a step per molecule and per bond, with a plain SHAKE and
 * RATTLE as their hand-written twin.
 *
 * Velocities of temperature 1 in units of the lightest mass, step 0.02 of a bond length over them:
 * corrections of some per cent, as in steps of 2 fs. Minima of interleaved rounds. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "molecules.h"
#include "protein.h"
#include "rattle/bonds.h"

static const double step = 0.02;
enum { ROUNDS = 15 };

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
    for (int c = 0; c < copies; c++) shake(s, c * bonds, bonds, step);
    t[3] = bench_now();
    for (int c = 0; c < copies; c++) rattle(s, c * bonds, bonds);
    t[4] = bench_now();
    for (int i = 2; i < 4; i++) best[i] = fmin(best[i], t[i + 1] - t[i]);
  }
  const double per = 1.0 / copies, ours = (best[0] + best[1]) * per,
               theirs = (best[2] + best[3]) * per;
  const char *const stages[] = {"positions", "velocities"};
  for (int i = 0; i < 2; i++)
    printf("bonds\t%s, %s\t%lld\t%.1f\tns a molecule\t%.2f\n", name, stages[i], s->bonds,
           best[i] * per, best[i] / best[i + 2]);
  printf("bonds\t%s, both\t%lld\t%.1f\tns a bond\t%.2f\n", name, s->bonds, ours / (double)bonds,
         ours / theirs);
  rattle_bonds_destroy(&made);
}

/* The time of both stages by that clock; NaN if they fail. */
static double both_stages_by(clockid_t clock, rattle_bonds *made, molecules *s) {
  rattle_error error;
  restart(s);
  const double start = bench_clock(clock);
  rattle_status status = rattle_bonds_positions(made, s->x0, s->x, s->v, step, NULL, &error);
  if (!status) status = rattle_bonds_velocities(made, s->x, s->v, NULL, &error);
  return status ? (double)NAN : bench_clock(clock) - start;
}

static double both_stages(rattle_bonds *made, molecules *s) {
  return both_stages_by(CLOCK_THREAD_CPUTIME_ID, made, s);
}

/* Both stages by each solver that can do the molecules, in its best round, next to newton. Solvers
 * take turns. */
static void compare(const char *name, molecules *s) {
  enum { MOST = 16 };
  rattle_error error;
  const rattle_bonds_topology topology = topology_of(s);
  rattle_bonds *made[MOST] = {NULL};
  double best[MOST];
  int count = 0;
  for (const rattle_bonds_solver *solver; count < MOST && (solver = rattle_bonds_solver_of(count));
       count++) {
    const rattle_bonds_options options = {
        .struct_size = sizeof options, .tolerance = tolerance, .solver = solver->name};
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
      printf("bonds\t%s by %s\t%lld\t%.1f\tns a bond\t%.2f\n", name,
             rattle_bonds_solver_of(i)->name, s->bonds, best[i] / (double)s->bonds,
             best[i] / best[0]);
    rattle_bonds_destroy(&made[i]);
  }
}

/* --- floats, threads, sizes ------------------------------------------------------------------- */

static rattle_bonds *made_of(const molecules *s, double allowed, int threads) {
  const rattle_bonds_topology topology = topology_of(s);
  const rattle_bonds_options options = {
      .struct_size = sizeof options, .tolerance = allowed, .threads = threads};
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
  printf("bonds\t%s, floats to %.0e (next to doubles)\t%lld\t%.1f\tns a bond\t%.2f\n", name,
         allowed, s->bonds, best[1] / (double)s->bonds, best[1] / best[0]);
  rattle_bonds_destroy(&made);
  free(x0), free(x), free(v);
}

/* The gain of a first guess of multipliers that is off by a tenth or a hundredth: positions are
 * linear in multipliers, so that the stage begins there. Next to the stage of positions without. */
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
      for (long long k = 0; k < 3 * s->atoms; k++)
        s->x[k] = solved[k] + off * (s->free[k] - solved[k]);
      const double start = bench_now();
      bench_check(rattle_bonds_positions(made, s->x0, s->x, NULL, 0, NULL, &error), &error);
      best[i] = fmin(best[i], bench_now() - start);
    }
  for (int i = 1; i < 3; i++)
    printf("bonds\t%s, positions from multipliers off by %s (next to none)\t%lld\t%.1f\tns a "
           "bond\t%.2f\n",
           name, i == 1 ? "1/10" : "1/100", s->bonds, best[i] / (double)s->bonds,
           best[i] / best[0]);
  rattle_bonds_destroy(&made);
  free(solved);
}

/* Two threads next to one, by the clock on the wall: a thread that waits takes no time of its
 * own. */
static void with_threads(const char *name, molecules *s) {
  rattle_bonds *made[2] = {made_of(s, tolerance, 1), made_of(s, tolerance, 2)};
  double best[2] = {1e9, 1e9};
  for (int round = 0; round < ROUNDS; round++)
    for (int i = 0; i < 2; i++)
      best[i] = fmin(best[i], both_stages_by(CLOCK_MONOTONIC, made[i], s));
  printf("bonds\t%s, two threads (next to one)\t%lld\t%.1f\tns a bond\t%.2f\n", name, s->bonds,
         best[1] / (double)s->bonds, best[1] / best[0]);
  for (int i = 0; i < 2; i++) rattle_bonds_destroy(&made[i]);
}

/* The memory that both stages read and write, and nothing else: x0, x and v, then x and v. */
static double memory_alone(molecules *s) {
  const double start = bench_now();
  for (long long i = 0; i < 3 * s->atoms; i++) {
    s->x[i] += 1e-9 * s->x0[i];
    s->v[i] += 1e-9 * s->x[i];
  }
  for (long long i = 0; i < 3 * s->atoms; i++) s->v[i] += 1e-9 * s->x[i];
  return bench_now() - start;
}

/* 10^4 to 10^7 atoms of a molecule, next to the fewest; and the memory alone, next to both
 * stages. */
static void sizes(const char *name, const shape *one) {
  const int atoms = one->atoms;
  double fewest = 0;
  for (int all = 10000; all <= 10000000; all *= 10) {
    molecules s;
    rattle_error error;
    double best[2] = {1e9, 1e9};
    make(&s, all / atoms, one);
    rattle_bonds *made = made_of(&s, tolerance, 1);
    bench_check(rattle_bonds_velocities(made, s.x0, s.v0, NULL, &error), &error);
    for (long long i = 0; i < 3 * s.atoms; i++) s.free[i] = s.x0[i] + step * s.v0[i];
    for (int round = 0; round < (all < 1000000 ? ROUNDS : 3); round++) {
      best[0] = fmin(best[0], both_stages(made, &s));
      best[1] = fmin(best[1], memory_alone(&s));
    }
    for (int i = 0; i < 2; i++) best[i] /= all / atoms;
    if (fewest == 0) fewest = best[0];
    printf("bonds\t%s, both stages (next to 10^4 atoms)\t%d\t%.1f\tns a molecule\t%.2f\n", name,
           all, best[0], best[0] / fewest);
    printf("bonds\t%s, memory alone (next to both stages)\t%d\t%.1f\tns a molecule\t%.2f\n", name,
           all, best[1], best[1] / best[0]);
    rattle_bonds_destroy(&made);
    destroy(&s);
  }
}

static const char *only; /* NULL: all */

static void run(const char *name, int copies, shape one) {
  molecules s;
  if (!only || !strcmp(name, only)) {
    make(&s, copies, &one);
    measure(name, &s, copies);
    compare(name, &s);
    with_floats(name, &s);
    with_guess(name, &s);
    with_threads(name, &s);
    destroy(&s);
  }
  free_shape(&one);
}

/* bench_bonds [NAME]: NAME of a molecule, or "sizes", or all. Proteins have all bonds of a
 * polypeptide, hydrogens included: many of one, whose lanes are full, and one by itself. */
int main(int count, char **argument) {
  static const char *const carbons[] = {"CH", "CH2", "CH3", "CH4"};
  only = count > 1 ? argument[1] : NULL;
  run("water", 20000, water_shape());
  for (int k = 0; k < 4; k++) run(carbons[k], 20000, carbon_shape(k + 1));
  run("rings of 6", 10000, bead_shape(6, 1));
  run("chains", 64, bead_shape(1000, 0));
  if (!only || !strcmp(only, "proteins")) run("proteins", 16, protein_shape(200));
  if (!only || !strcmp(only, "protein")) run("protein", 1, protein_shape(1000));
  if (!only || !strcmp(only, "peptides")) run("peptides", 500, protein_shape(5));
  shape water = water_shape();
  if (!only || !strcmp(only, "sizes")) sizes("water", &water);
  free_shape(&water);
  return 0;
}
