/* Checks that the derivatives that callbacks give are those of their values.
 *
 * Method     central differences of fourth order of H and g at the start and at points near it. A
 *            derivative is wrong if it is off by more than a part of itself and by more than ten
 *            times the bound that the fifth differences of the same values give: these contain
 *            truncation, round-off and cancellation inside a callback, so that a sound one is not
 *            named. Differences over three distances must agree Fails when a function varies on a
 *            scale below 1e-2 of its point: fifth differences are no small part of the range of the
 *            values then, or the three distances disagree, and nothing is said. A derivative that
 *            moves the value by less than 1e-6 of it is not tried, since a callback may compute
 *            with seven digits */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "examine/doctor/report.h"
#include "problem/functions/problem.h"
#include "runs/start/start.h"
#include "ground/support/error.h"

enum { POINTS = 3, REACH = 3, PLACES = 2 * REACH + 1, DISTANCES = 3, MOST_VARIABLES = 200 };
static const double part = 2e-5, safety = 10, visible = 1e-6, resolved = 1e-2, spread = 0.1;
static const double distances[DISTANCES] = {1, 0.37,
                                            0.19}; /* of the places, in those of the first */

typedef struct tried_function {
  const rattle__function *f;
  double *x, *J, *value, *places, *work; /* [vars], [jac_nnz], [rows], [DISTANCES][PLACES][rows] */
  double size;                           /* the largest of x */
  /* the worst: how far it is off over what it may be; of row r by variable i */
  double worst, given, found;
  int r, i;
} tried_function;

/* x_i moved by t; value <- F */
static int value_at(tried_function *s, int i, double t, double *value) {
  const double kept = s->x[i];
  s->x[i] = kept + t;
  const int answer = s->f->value(s->f, s->x, value, s->work);
  s->x[i] = kept;
  return answer;
}

static double given_derivative(const tried_function *s, int r, int i) {
  for (int e = s->f->jac_ptr[r]; e < s->f->jac_ptr[r + 1]; e++)
    if (s->f->jac_col[e] == i) return s->J[e];
  return 0;
}

/* A derivative by differences. */
typedef struct slope {
  double found, noise; /* the derivative; what it may be off by */
  int resolved; /* 0: the function varies within the places, or its values have too few digits */
} slope;

/* The slope of row r, from F at x_i + k t, k = -REACH .. REACH. */
static slope find_slope(const double *places, int rows, int r, double t) {
  double F[PLACES], least = INFINITY, most = -INFINITY;
  for (int k = 0; k < PLACES; k++) {
    F[k] = places[k * rows + r];
    least = fmin(least, F[k]), most = fmax(most, F[k]);
  }
  const double low = F[5] - 5 * F[4] + 10 * F[3] - 10 * F[2] + 5 * F[1] - F[0];
  const double high = F[6] - 5 * F[5] + 10 * F[4] - 10 * F[3] + 5 * F[2] - F[1];
  const double fifth = fabs(low) + fabs(high);
  return (slope){.found = (8 * (F[4] - F[2]) - (F[5] - F[1])) / (12 * t),
                 .noise = (fifth + 8 * DBL_EPSILON * fabs(F[REACH])) / t,
                 .resolved = fifth <= resolved * (most - least)};
}

/* The error of the derivative of row r over its bound; 0: nothing can be said. A function that
 * turns many times between two places may have smooth differences, but those over other distances
 * are different then. */
static double how_far_off(const tried_function *s, int r, double given, double t, double *found) {
  const int rows = s->f->rows;
  slope first = {0};
  for (int k = 0; k < DISTANCES; k++) {
    const double *places = s->places + (size_t)k * PLACES * (size_t)rows,
                 distance = t * distances[k];
    const slope now = find_slope(places, rows, r, distance);
    if (!k) first = now;
    const double size = fmax(fabs(given), fabs(now.found));
    if (!now.resolved || size * distance <= visible * fabs(places[REACH * rows + r])) return 0;
    if (fabs(now.found - first.found) > part * fabs(first.found) + first.noise + now.noise)
      return 0;
  }
  *found = first.found;
  return fabs(given - first.found) /
         (part * fmax(fabs(given), fabs(first.found)) + safety * first.noise + DBL_MIN);
}

/* All rows by variable i. */
static int try_variable(tried_function *s, int i) {
  const int rows = s->f->rows;
  const double t = exp2(round(log2(0x1p-8 * fmax(fabs(s->x[i]), s->size))));
  double *place = s->places, found = 0;
  for (int d = 0; d < DISTANCES; d++)
    for (int k = -REACH; k <= REACH; k++, place += rows) {
      const int answer = value_at(s, i, k * t * distances[d], place);
      if (answer) return answer;
    }
  for (int r = 0; r < rows; r++) {
    const double given = given_derivative(s, r, i), off = how_far_off(s, r, given, t, &found);
    if (off > fmax(s->worst, 1))
      s->worst = off, s->given = given, s->found = found, s->r = r, s->i = i;
  }
  return 0;
}

/* Positive answers are of points where the callback has no value: nothing is said of those. */
static int try_point(tried_function *s) {
  const rattle__function *f = s->f;
  const int stride = f->vars / MOST_VARIABLES + 1;
  int answer = f->jacobian(f, s->x, s->value, s->J, s->work);
  s->size = 0;
  for (int i = 0; i < f->vars; i++) s->size = fmax(s->size, fabs(s->x[i]));
  if (!(s->size > 0)) s->size = 1;
  for (int i = 0; i < f->vars && !answer; i += stride) answer = try_variable(s, i);
  return answer < 0 ? answer : 0;
}

/* The callbacks by what they give. */
typedef enum { OF_H, OF_CONSTRAINTS, OF_FORCES } of_what;

static void say(rattle_doctor *doctor, const tried_function *s, of_what what) {
  const int n = doctor->d.n, momentum = s->i >= n;
  doctor->wrong = 1;
  char force[40];
  snprintf(force, sizeof force, "the force on q[%d]", s->r);
  const char *name = what == OF_H        ? "H"
                     : what == OF_FORCES ? force
                                         : rattle_problem_constraint_name(doctor->problem, s->r);
  rattle__doctor_note(doctor,
                      "the derivative of %s by %s[%d] that the callback gives, %.10g, is not that "
                      "of its values, whose differences give %.10g: "
                      "correct the callback",
                      name, momentum ? "p" : "q", momentum ? s->i - n : s->i, s->given, s->found);
}

static rattle_status try_function(rattle_doctor *doctor, rattle__start *start,
                                  const rattle__function *f, of_what what, rattle_error *error) {
  const size_t vars = (size_t)f->vars, rows = (size_t)f->rows, n = (size_t)doctor->d.n;
  tried_function s = {.f = f};
  rattle__arena arena = {0};
  const rattle__array arrays[] = {{&s.x, vars},
                                  {&s.J, (size_t)f->jac_nnz},
                                  {&s.value, rows},
                                  {&s.places, DISTANCES * PLACES * rows},
                                  {&s.work, f->work + 1}};
  RATTLE__LAY_OUT(&arena, arrays);
  int answer = 0;
  for (int k = 0; k < POINTS && !answer && !arena.failed; k++) {
    memcpy(start->z, doctor->q, n * sizeof *start->z);
    memcpy(start->z + n, doctor->p, n * sizeof *start->z);
    rattle__start_perturb(start, k + 1, k ? spread : 0);
    memcpy(s.x, start->z, vars * sizeof *s.x);
    answer = try_point(&s);
  }
  if (s.worst > 1) say(doctor, &s, what);
  const int failed = arena.failed;
  rattle__arena_release(&arena);
  if (failed) return rattle__no_memory(error);
  static const char *const names[] = {"Hamiltonian", "constraint", "force"};
  return rattle__answer(answer, names[what], error);
}

rattle_status rattle__doctor_derivatives(rattle_doctor *doctor, rattle_error *error) {
  const rattle_problem *problem = doctor->problem;
  if (doctor->model || !problem || !doctor->q) return RATTLE_OK;
  rattle__start start;
  rattle_status status = rattle__start_create(&start, problem, error);
  if (!status)
    status =
        try_function(doctor, &start, problem->energy ? problem->energy : problem->H, OF_H, error);
  if (!status && doctor->d.m)
    status = try_function(doctor, &start, problem->g, OF_CONSTRAINTS, error);
  if (!status && problem->force)
    status = try_function(doctor, &start, problem->force, OF_FORCES, error);
  rattle__start_destroy(&start);
  return status;
}

rattle_status rattle_doctor_derivatives(const rattle_problem *problem, const double *q,
                                        const double *p, char *sentence, size_t room,
                                        rattle_error *error) {
  rattle_doctor doctor = {
      .problem = problem, .q = (double *)(uintptr_t)q, .p = (double *)(uintptr_t)p};
  doctor.d.n = problem->n, doctor.d.m = problem->m;
  rattle_status status = RATTLE_OK;
  if (!rattle_problem_model(problem)) status = rattle__doctor_derivatives(&doctor, error);
  if (!status && doctor.failed) status = rattle__no_memory(error);
  snprintf(sentence, room, "%s", !status && doctor.wrong ? doctor.note : "");
  free(doctor.note);
  return status;
}
