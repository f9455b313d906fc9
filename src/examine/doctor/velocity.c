/* The part of a diagnosis on constraints on velocities, C = [g_q; A]: their rank, the degrees of
 * freedom, and those that come from functions of coordinates alone.
 *
 * Integrable   the form a = A_i dq - b_i dt is, with the constraints on coordinates, where da(u, v)
 *              = (a' u) v - (a' v) u = 0 for all u, v that they and a permit (G. Frobenius, J.
 *              reine angew. Math. 82 (1877) 230); all rows together are where that holds for all
 *              forms on what all of them permit. u and v are random directions, derivatives
 *              differences, at the start and at points near it */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "examine/doctor/report.h"
#include "ground/support/error.h"
#include "ground/support/random.h"
#include "problem/functions/velocity.h"
#include "runs/start/start.h"

enum { MOST = 60, POINTS = 3, DIRECTIONS = 6 };
static const double far = 1e-4, closed = 1e-6, spread = 0.05;

typedef struct leaves {
  rattle__reaction *at;
  int n, m, held;
  double *q, *moved, *basis, *u,
      *v;                 /* basis: orthonormal rows that directions avoid [(m + DIRECTIONS) n] */
  double *ahead, *behind; /* C at q + far u, and at q - far u [m n] */
  double size;            /* of the coordinates over the roots of H_pp's diagonal */
  uint64_t random;        /* numbers drawn */
} leaves;

static double dot(int n, const double *a, const double *b) {
  double sum = 0;
  for (int k = 0; k < n; k++) sum += a[k] * b[k];
  return sum;
}

/* Takes from x its parts along rows of the basis, and makes its length 1; false if nothing is
 * left. */
static int clean(const leaves *f, int rows, double *x) {
  const double before = sqrt(dot(f->n, x, x));
  for (int pass = 0; pass < 2; pass++)
    for (int i = 0; i < rows; i++) {
      const double part = dot(f->n, f->basis + i * f->n, x);
      for (int k = 0; k < f->n; k++) x[k] -= part * f->basis[i * f->n + k];
    }
  const double length = sqrt(dot(f->n, x, x));
  for (int k = 0; k < f->n; k++) x[k] /= length;
  return length > 1e-7 * before;
}

/* Sizes at the start, where f->at was looked at; time counts by the way that its speed makes. */
static void measure(leaves *f, const double *q, const double *p) {
  const int clock = f->at->problem->clock - 1;
  const double speed = rattle__reaction_speed(f->at, p, f->at->slope + f->n);
  double least = INFINITY;
  for (int k = 0; k < f->n; k++) {
    const double root = f->at->root[k];
    if (!(root > 0)) continue;
    f->size = fmax(f->size, fabs(q[k]) / root);
    least = fmin(least, 1 / root);
  }
  if (!(f->size > 0)) f->size = isfinite(least) ? least : 1;
  if (clock >= 0) f->at->root[clock] = speed > 0 ? 1 / speed : 1;
}

/* basis: of the constraints on coordinates, and of row i, or of all (i < 0) */
static int avoid(const leaves *f, int i) {
  int rows = 0;
  for (int j = 0; j < f->m; j++) {
    if (j >= f->held && i >= 0 && j != i) continue;
    memcpy(f->basis + rows * f->n, f->at->C + (size_t)j * (size_t)f->n,
           (size_t)f->n * sizeof(double));
    rows += clean(f, rows, f->basis + rows * f->n);
  }
  return rows;
}

static void draw(leaves *f, double *x) {
  for (int k = 0; k < f->n; k++) x[k] = 2 * rattle__random_unit(1, ++f->random) - 1;
}

/* C at q, in coordinates over the roots of H_pp's diagonal, in which units do not mix */
static int look_at(leaves *f, const double *q) {
  if (rattle__reaction_rows(f->at, q, NULL)) return 1;
  for (int i = 0; i < f->m; i++)
    for (int k = 0; k < f->n; k++) f->at->C[i * f->n + k] *= f->at->root[k];
  return 0;
}

/* C' x along a direction x, times the size of the coordinates */
static int vary(leaves *f, const double *x, double *change) {
  for (int side = 0; side < 2; side++) {
    const double by = (side ? -far : far) * f->size;
    for (int k = 0; k < f->n; k++) f->moved[k] = f->q[k] + by * f->at->root[k] * x[k];
    if (look_at(f, f->moved)) return 1;
    for (int e = 0; e < f->m * f->n; e++)
      change[e] = side ? (change[e] - f->at->C[e]) / (2 * far) : f->at->C[e];
  }
  return look_at(f, f->q);
}

/* True if da_i(u, v) is 0 for each pair of directions that `rows` rows of the basis permit: of row
 * i, or of all on velocities (i < 0). -1: unknown. */
static int is_closed(leaves *f, int i) {
  const int n = f->n;
  for (int pair = 0; pair < DIRECTIONS; pair++) {
    const int rows = avoid(f, i);
    draw(f, f->u);
    draw(f, f->v);
    if (!clean(f, rows, f->u)) return 1;
    memcpy(f->basis + rows * n, f->u, (size_t)n * sizeof *f->u);
    if (!clean(f, rows + 1, f->v)) return 1; /* one direction: every form is closed there */
    if (vary(f, f->u, f->ahead) || vary(f, f->v, f->behind)) return -1;
    for (int j = f->held; j < f->m; j++) {
      if (i >= 0 && j != i) continue;
      const double twist = dot(n, f->ahead + j * n, f->v) - dot(n, f->behind + j * n, f->u);
      const double size =
          sqrt(dot(n, f->at->C + (size_t)j * (size_t)n, f->at->C + (size_t)j * (size_t)n));
      if (!(fabs(twist) <= closed * size)) return 0;
    }
  }
  return 1;
}

/* The same at the start and at points near it. */
static int comes_from_coordinates(leaves *f, const double *q, int i) {
  int yes = 1;
  for (int point = 0; point < POINTS && yes > 0; point++) {
    for (int k = 0; k < f->n; k++)
      f->q[k] = q[k] + (point ? spread * f->size * f->at->root[k] *
                                    (2 * rattle__random_unit(1, ++f->random) - 1)
                              : 0);
    yes = look_at(f, f->q) ? -1 : is_closed(f, i);
  }
  return yes > 0;
}

static void note_integrable(rattle_doctor *doctor, const char *names, int count) {
  rattle__doctor_note(
      doctor,
      "%s %s from a function of the coordinates%s alone: positions then depend on the start and "
      "drift off by O(h^2) unless that "
      "is linear or quadratic; where the position counts, write the constraint on coordinates",
      names, count > 1 ? "come each" : "comes", doctor->problem->clock ? " and the time" : "");
}

static void find_integrable(rattle_doctor *doctor, leaves *f) {
  char names[400] = "";
  size_t used = 0;
  int count = 0;
  for (int i = f->held; i < f->m && used < sizeof names; i++) {
    if (!comes_from_coordinates(f, doctor->q, i)) continue;
    const char *name = rattle_problem_constraint_name(doctor->problem, i);
    used +=
        (size_t)snprintf(names + used, sizeof names - used, "%s'%.60s'", count++ ? ", " : "", name);
  }
  if (count) note_integrable(doctor, names, count);
  if (!count && f->m - f->held > 1 && comes_from_coordinates(f, doctor->q, -1))
    note_integrable(doctor, "the constraints on velocities together", 1);
}

static rattle_status look_at_leaves(rattle_doctor *doctor, rattle__reaction *at,
                                    rattle_error *error) {
  leaves f = {.at = at, .n = at->n, .m = at->m, .held = at->holonomic};
  const size_t n = (size_t)f.n, m = (size_t)f.m;
  if (at->n > MOST) return RATTLE_OK;
  const rattle__array array[] = {{&f.q, n}, {&f.moved, n},     {&f.basis, (m + 2) * n}, {&f.u, n},
                                 {&f.v, n}, {&f.ahead, m * n}, {&f.behind, m * n}};
  RATTLE__LAY_OUT(&doctor->arena, array);
  if (doctor->arena.failed) return rattle__no_memory(error);
  measure(&f, doctor->q, doctor->p);
  find_integrable(doctor, &f);
  return RATTLE_OK;
}

/* Judges the point where a run starts, and notes by how much a projection changes p and H. */
static rattle_status settle(rattle_doctor *doctor, rattle__start *start, rattle_error *error) {
  const size_t n = (size_t)doctor->d.n;
  rattle_diagnosis *d = &doctor->d;
  rattle_error why = {0};
  double before[2] = {0}, moved = 0;
  double *from = rattle__arena_doubles(&doctor->arena, 2 * n);
  if (!from) return rattle__no_memory(error);
  memcpy(from, doctor->settled ? doctor->settled : start->z, 2 * n * sizeof *from);
  memcpy(start->z, from, 2 * n * sizeof *from);
  const rattle_status is = rattle__start_velocities(start, 0, &why);
  if (is && is != RATTLE_OFF_CONSTRAINTS) {
    doctor->unfit = 1;
    d->refused = rattle__doctor_text(doctor, "%s", why.message);
    return is == RATTLE_NO_MEMORY ? rattle__no_memory(error) : RATTLE_OK;
  }
  d->on_hidden &= !is;
  if (!is || rattle__start_velocities(start, 1, &why)) return RATTLE_OK;
  (void)rattle_problem_energy(doctor->problem, from, from + n, &before[0], NULL);
  (void)rattle_problem_energy(doctor->problem, start->z, start->z + n, &before[1], NULL);
  for (size_t k = n; k < 2 * n; k++) moved = fmax(moved, fabs(start->z[k] - from[k]));
  rattle__doctor_note(doctor,
                      "%s; a run that projects the start changes momenta by up to %.3g, and H from "
                      "%.6g to %.6g: an impulse along the reaction",
                      why.message[0] ? why.message : "the start violates constraints on velocities",
                      moved, before[0], before[1]);
  return RATTLE_OK;
}

/* Constraints that a problem leaves out. */
static void note_implied(rattle_doctor *doctor) {
  char names[400] = "";
  size_t used = 0;
  int count = 0;
  for (; rattle_problem_implied(doctor->problem, count) && used < sizeof names; count++)
    used += (size_t)snprintf(names + used, sizeof names - used, "%s'%.60s'", count ? ", " : "",
                             rattle_problem_implied(doctor->problem, count));
  if (count)
    rattle__doctor_note(doctor,
                        "%s %s from the other constraints, on velocities and coordinates: omitted",
                        names, count > 1 ? "follow" : "follows");
}

rattle_status rattle__doctor_velocity(rattle_doctor *doctor, rattle_error *error) {
  const rattle_problem *problem = doctor->problem;
  rattle_diagnosis *d = &doctor->d;
  if (problem) note_implied(doctor);
  if (!problem || !problem->velocity) return RATTLE_OK;
  const int rows = problem->velocity->rows;
  const size_t n = (size_t)d->n;
  rattle__start start;
  rattle__reaction *at = NULL;
  d->velocity_constraints = rows;
  d->index = d->m ? 3 : 2;
  d->class_ = "nonholonomic";
  rattle_status status = rattle__start_create(&start, problem, error);
  if (!status) {
    memcpy(start.z, doctor->q, n * sizeof *doctor->q);
    memcpy(start.z + n, doctor->p, n * sizeof *doctor->p);
    status = rattle__reaction_create(&at, problem, &doctor->arena, error);
  }
  if (!status) status = rattle__reaction_look(at, start.z, error);
  if (!status) status = rattle__reaction_metric(at, start.z, error);
  for (int i = 0; i < rows && !status; i++)
    d->residual_hidden = fmax(d->residual_hidden, fabs(at->psi[d->m + i]));
  if (!status) status = settle(doctor, &start, error);
  if (!status)
    (void)rattle_problem_nondegeneracy(problem, start.z, start.z + n, &d->min_singular_value,
                                       &d->condition, NULL);
  if (!status && !doctor->unfit) {
    doctor->settled = rattle__arena_doubles(&doctor->arena, 2 * n);
    if (doctor->settled) memcpy(doctor->settled, start.z, 2 * n * sizeof *start.z);
    status = look_at_leaves(doctor, at, error);
  }
  rattle__reaction_destroy(&at);
  rattle__start_destroy(&start);
  return status;
}
