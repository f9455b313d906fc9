/* rattle bonds bench: both stages by each solver, from velocities of one temperature at which a
 * step changes lengths by some per cent. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "commands/bonds.h"
#include "ground/support/random.h"

enum { ROUNDS = 5 };

typedef struct bench_state {
  const topology *t;
  const rattle_bonds_box *box;
  double h, *x0, *free, *v0, *x, *v; /* free: x after a step without bonds */
} bench_state;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static size_t numbers(const topology *t) {
  return 3 * ((size_t)t->atoms + 1);
}

/* Positions that have the lengths, velocities that keep them, and the positions after a step. */
static rattle_status prepare(bench_state *s, const cli_bonds *bonds, rattle_error *error) {
  const rattle_bonds_topology given = topology_of(s->t);
  const rattle_bonds_options how = {.struct_size = sizeof how,
                                    .tolerance = fmin(bonds->tolerance, 1e-10)};
  rattle_bonds *made = NULL;
  uint64_t seed = 1;
  double lightest = (double)INFINITY, shortest = (double)INFINITY;
  for (long long a = 1; a <= s->t->atoms; a++)
    if (s->t->mass[a] > 0) lightest = fmin(lightest, s->t->mass[a]);
  for (long long k = 0; k < s->t->bond.count; k++) shortest = fmin(shortest, s->t->bond.value[k]);
  s->h = 0.02 * shortest * sqrt(lightest);
  memcpy(s->x0, s->t->place, numbers(s->t) * sizeof *s->x0);
  for (size_t i = 3; i < numbers(s->t); i++)
    s->v0[i] = s->t->mass[i / 3] > 0 ? rattle__random_signed(&seed) / sqrt(s->t->mass[i / 3]) : 0;
  rattle_status status = rattle_bonds_create(&made, &given, &how, error);
  if (!status) status = rattle_bonds_positions(made, s->t->place, s->x0, NULL, 1, s->box, error);
  if (!status) status = rattle_bonds_velocities(made, s->x0, s->v0, s->box, error);
  for (size_t i = 0; i < numbers(s->t); i++) s->free[i] = s->x0[i] + s->h * s->v0[i];
  rattle_bonds_destroy(&made);
  return status;
}

/* The largest relative errors of lengths, and of their rates to the speeds of both atoms. */
static void errors_left(const bench_state *s, double *lengths, double *rates) {
  *lengths = *rates = 0;
  for (long long k = 0; k < s->t->bond.count; k++) {
    const int i = s->t->bond.atom[2 * k], j = s->t->bond.atom[2 * k + 1];
    const double *vi = s->v + 3 * i, *vj = s->v + 3 * j;
    double r[3], rr = 0, rate = 0, speed = 0;
    topology_difference(s->t, s->x, i, j, r);
    for (int d = 0; d < 3; d++) {
      rr += r[d] * r[d], rate += r[d] * (vi[d] - vj[d]);
      speed += vi[d] * vi[d] + vj[d] * vj[d];
    }
    *lengths = fmax(*lengths, fabs(sqrt(rr) / s->t->bond.value[k] - 1));
    if (speed > 0) *rates = fmax(*rates, fabs(rate) / sqrt(rr * speed));
  }
}

/* Seconds of the best round. */
static rattle_status measure(const bench_state *s, const cli_bonds *bonds, const char *solver,
                             double *best, rattle_error *error) {
  const rattle_bonds_topology given = topology_of(s->t);
  const rattle_bonds_options how = {
      .struct_size = sizeof how, .tolerance = bonds->tolerance, .solver = solver};
  rattle_bonds *made = NULL;
  rattle_status status = rattle_bonds_create(&made, &given, &how, error);
  *best = (double)INFINITY;
  for (int round = 0; round < ROUNDS && !status; round++) {
    memcpy(s->x, s->free, numbers(s->t) * sizeof *s->x);
    memcpy(s->v, s->v0, numbers(s->t) * sizeof *s->v);
    const double start = now();
    status = rattle_bonds_positions(made, s->x0, s->x, s->v, s->h, s->box, error);
    if (!status) status = rattle_bonds_velocities(made, s->x, s->v, s->box, error);
    *best = fmin(*best, now() - start);
  }
  rattle_bonds_destroy(&made);
  return status;
}

/* json NULL: as a line of text. refused: why there are no seconds, NULL if there are. */
static void print_row(json_writer *json, const bench_state *s, const char *solver, double seconds,
                      const char *refused) {
  double lengths = (double)NAN, rates = (double)NAN;
  const double per_bond = 1e9 * seconds / (double)(s->t->bond.count + s->t->angle.count);
  if (!refused) errors_left(s, &lengths, &rates);
  if (json) {
    json_open(json, NULL, '{');
    json_text(json, "solver", solver);
    json_real(json, "nanoseconds", refused ? (double)NAN : per_bond);
    json_real(json, "length_error", lengths);
    json_real(json, "rate_error", rates);
    json_text(json, "refused", refused);
    json_close(json, '}');
  } else if (refused) {
    cli_print(stdout, "  %-13s %s\n", solver, refused);
  } else {
    cli_print(stdout, "  %-13s %10.1f  %12.2g  %12.2g\n", solver, per_bond, lengths, rates);
  }
}

static rattle_status compare(const cli_bonds *bonds, bench_state *s, rattle_error *error) {
  json_writer json = {.out = stdout, .indent = 2};
  const rattle_status status = prepare(s, bonds, error);
  if (status) return status;
  if (bonds->json) {
    json_open(&json, NULL, '{');
    json_text(&json, "version", rattle_version());
    json_text(&json, "topology", bonds->path);
    json_real(&json, "tolerance", bonds->tolerance);
    json_open(&json, "solvers", '[');
  } else {
    cli_print(stdout, "%s: %lld bonds, tolerance %g\n  %-13s %10s  %12s  %12s\n", bonds->path,
              s->t->bond.count, bonds->tolerance, "solver", "ns a bond", "length error",
              "rate error");
  }
  const rattle_bonds_solver *solver = NULL;
  for (int i = -1; i < 0 || (solver = rattle_bonds_solver_of(i)); i++) {
    rattle_error refused = {0};
    double seconds = 0;
    const char *name = i < 0 ? "auto" : solver->name;
    const rattle_status ended = measure(s, bonds, name, &seconds, &refused);
    print_row(bonds->json ? &json : NULL, s, name, seconds, ended ? refused.message : NULL);
  }
  if (bonds->json) {
    json_close(&json, ']');
    cli_json_status(&json, RATTLE_OK, NULL);
    json_close(&json, '}');
  }
  return RATTLE_OK;
}

rattle_status cli_bonds_bench(const cli_bonds *bonds, rattle_error *error) {
  topology t;
  rattle_status status = cli_bonds_load(&t, bonds, error);
  if (!status && !t.place)
    status = text_fail(error, RATTLE_BAD_ARGUMENT,
                       "%s has no positions, and bench needs them: add them to the file; for "
                       "GROMACS name a gro file too",
                       bonds->path);
  if (!status) {
    const size_t n = numbers(&t);
    double *room = calloc(5 * n, sizeof *room);
    bench_state s = {.t = &t,
                     .box = t.boxed ? &t.box : NULL,
                     .x0 = room,
                     .free = room + n,
                     .v0 = room + 2 * n,
                     .x = room + 3 * n,
                     .v = room + 4 * n};
    status = room ? compare(bonds, &s, error)
                  : text_fail(error, RATTLE_NO_MEMORY, "no memory for %lld atoms", t.atoms);
    free(room);
  }
  topology_free(&t);
  return status;
}
