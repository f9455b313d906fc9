/* Measurements of claims (src/examine/verify/measure.h) on the test problems, against the
 * reference. */
#include "common_claims.h"

#include "../reference/common_second_class.h"
#include "ground/expr/native.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_PROBLEMS 32

/* Place of a problem among all of both tables. */
static int place_of(const tests_problem *problem) {
  const int second = second_class_index(problem),
            which = second < 0 ? (int)(problem - tests_problems) : tests_problem_count + second;
  if (which < 0 || which >= MAX_PROBLEMS) abort();
  return which;
}

static int is_second_class(const tests_problem *problem) {
  return second_class_index(problem) >= 0;
}

double claims_span(const tests_problem *problem) {
  return problem->m > 0 ? 2 : 12;
}

/* ---- start and exact solution, made once for each problem ---- */

void claims_start(const tests_problem *problem, double *q, double *p) {
  static double kept[MAX_PROBLEMS][TESTS_MAX_2N];
  static int known[MAX_PROBLEMS];
  const int which = place_of(problem), n = problem->n;
  if (!known[which] && (is_second_class(problem) ? second_class_start : reference_start)(
                           problem, kept[which], kept[which] + n))
    abort();
  known[which] = 1;
  memcpy(q, kept[which], sizeof *q * n);
  memcpy(p, kept[which] + n, sizeof *p * n);
}

const long double *claims_exact(const tests_problem *problem) {
  static long double kept[MAX_PROBLEMS][TESTS_MAX_2N];
  static int known[MAX_PROBLEMS];
  const int which = place_of(problem), n = problem->n;
  if (!known[which]) {
    double z[TESTS_MAX_2N];
    claims_start(problem, z, z + n);
    for (int k = 0; k < 2 * n; k++) kept[which][k] = z[k];
    if ((is_second_class(problem) ? second_class_flow : reference_flow)(
            problem, claims_span(problem), 120, kept[which]))
      abort();
    known[which] = 1;
  }
  return kept[which];
}

/* ---- the reference as a subject ---- */

/* Near the span: where steps differ in length. */
static int exact(void *self, double time, long double *z) {
  const tests_problem *problem = self;
  const double span = claims_span(problem);
  memcpy(z, claims_exact(problem), sizeof *z * 2 * (size_t)problem->n);
  if (fabs(time - span) < 1e-12 * span) return 0;
  const int steps = 4 + (int)(120 * fabs(time - span) / span);
  return (is_second_class(problem) ? second_class_flow
                                   : reference_flow)(problem, (long double)time - span, steps, z);
}

static void residuals(void *self, const long double *z, long double *g, long double *psi) {
  reference_constraint(self, z, g);
  if (psi) reference_hidden(self, z, psi);
}

static void jacobians(void *self, const long double *z, long double *g_z, long double *psi_z) {
  reference_jacobian(self, z, g_z);
  if (psi_z) reference_hidden_jacobian(self, z, psi_z);
}

static long double energy(void *self, const long double *z) {
  return reference_energy(self, z);
}

/* z moved onto M_H: along a tangent vector that changes nothing of first order. */
static int onto(void *self, double *z) {
  tests_problem here = *(const tests_problem *)self;
  memcpy(here.near, z, sizeof *z * 2 * here.n);
  return reference_start(&here, z, z + here.n);
}

static double time_of(void *self) {
  return ((const claims_library *)self)->time;
}

typedef struct measurable {
  rattle__measured_problem subject;
  rattle__measured_map map;
} measurable;

/* The map, on its problem with the functions of the reference. */
static const rattle__measured_map *measurable_of(const claims_map *map, measurable *m) {
  const tests_problem *problem = map->problem;
  m->subject = (rattle__measured_problem){.name = problem->name,
                                          .n = problem->n,
                                          .m = problem->m,
                                          .hidden = !is_second_class(problem),
                                          .span = claims_span(problem),
                                          .exact = exact,
                                          .residuals = residuals,
                                          .jacobians = jacobians,
                                          .energy = energy,
                                          .onto = onto,
                                          .self = (void *)(uintptr_t)problem};
  claims_start(problem, m->subject.z0, m->subject.z0 + problem->n);
  m->map = (rattle__measured_map){.subject = &m->subject,
                                  .step = map->step,
                                  .output = map->output,
                                  .time = map->step == claims_library_step ? time_of : NULL,
                                  .self = map->self,
                                  .shows = map->shows};
  return &m->map;
}

int claims_measure_order(const claims_map *map, int order, claims_measured *measured) {
  measurable m;
  return rattle__measure_order(measurable_of(map, &m), order, measured);
}

int claims_measure_symmetry(const claims_map *map, double h, claims_measured *measured) {
  measurable m;
  return rattle__measure_symmetry(measurable_of(map, &m), h, measured);
}

int claims_measure_symplecticity(const claims_map *map, double h, int steps, int hidden,
                                 claims_measured *measured) {
  measurable m;
  return rattle__measure_symplecticity(measurable_of(map, &m), h, steps, hidden, measured);
}

int claims_measure_residuals(const claims_map *map, double h, int steps,
                             claims_measured *measured) {
  measurable m;
  return rattle__measure_residuals(measurable_of(map, &m), h, steps, measured);
}

int claims_measure_energy(const claims_map *map, double h, int steps, claims_measured *measured) {
  measurable m;
  return rattle__measure_energy(measurable_of(map, &m), h, steps, measured);
}

int claims_measure_energy_kept(const claims_map *map, double h, int steps,
                               claims_measured *measured) {
  measurable m;
  return rattle__measure_energy_kept(measurable_of(map, &m), h, steps, measured);
}

/* ---- verdict ---- */

typedef struct refutation {
  const char *problem;
  char *text;
  int size, refuted;
} refutation;

/* The first claim that does not hold ends the measurements. */
static int refute(void *self, const rattle__finding *finding) {
  refutation *r = self;
  if (finding->holds) return 0;
  snprintf(r->text, (size_t)r->size, "%s: %s is %.3g, the bound is %.3g", r->problem, finding->what,
           finding->measured, finding->bound);
  return r->refuted = 1;
}

const char *claims_refute(const claims_map *map, const rattle_claims *claims,
                          claims_measured *measured, char *text, int size) {
  measurable m;
  claims_measured ours, *found = measured ? measured : &ours;
  refutation r = {map->problem->name, text, size, 0};
  rattle__measure_claims(measurable_of(map, &m), claims, found, refute, &r);
  return r.refuted ? text : NULL;
}

/* ---- the library as a map ---- */

/* Coefficients that every model gives, for methods that take them by name. */
const char *const claims_coefficients =
    "tableau('kutta', { A = {{}, {1/3}, {-1/3, 1}, {1, -1, 1}}, b = {1/8, 3/8, 3/8, 1/8}, order = "
    "4 })\n"
    "tableau('radau', { A = {{5/12, -1/12}, {3/4, 1/4}}, b = {3/4, 1/4}, order = 3 })\n"
    "local r = math.sqrt(3)/6\n"
    "tableau('gauss', { A = {{1/4, 1/4 - r}, {1/4 + r, 1/4}}, b = {1/2, 1/2}, order = 4 })\n"
    "tableau('pair', { A = {{}, {1/2, 1/2}}, Ahat = {{1/2}, {1/2}}, b = {1/2, 1/2}, order = 2 })\n"
    "splitting('ruth', { c = {1, -2/3, 2/3}, d = {-1/24, 3/4, 7/24}, order = 3 })\n"
    "local z = 1/(2 - 2^(1/3))\n"
    "splitting('forest', { c = {z/2, (1 - z)/2, (1 - z)/2, z/2}, d = {z, 1 - 2*z, z}, order = 4 "
    "})\n";

int claims_order_in_round_off(const char *method) {
  return !strncmp(method, "spark_gauss(", 12) && atoi(method + 12) > 5;
}

int claims_takes_native(void) {
  void *library = NULL;
  const int found = !rattle__native_load("int answer(void) { return 42; }\n", &library, NULL);
  rattle__native_unload(&library);
  return found && TESTS_ONE_IN == 1;
}

rattle_status claims_library_open(claims_library *library, const tests_problem *problem,
                                  const char *method, int evaluator, rattle_error *error) {
  rattle_problem_options options = {0};
  options.evaluator = evaluator;
  *library = (claims_library){0};
  char text[8000];
  const int named = strstr(method, "runge_kutta") || strstr(method, "splitting");
  if (snprintf(text, sizeof text, "%s%s", problem->model, named ? claims_coefficients : "") >=
      (int)sizeof text)
    abort();
  rattle_status status = rattle_model_parse(&library->model, text, problem->name, NULL, error);
  if (status == RATTLE_OK)
    status = rattle_problem_create(&library->problem, library->model, &options, error);
  if (status == RATTLE_OK)
    status = rattle_integrator_create(&library->integrator, library->problem, method, error);
  if (status != RATTLE_OK) claims_library_close(library);
  return status;
}

void claims_library_close(claims_library *library) {
  rattle_integrator_destroy(&library->integrator);
  rattle_problem_destroy(&library->problem);
  rattle_model_destroy(&library->model);
}

int claims_library_step(void *self, double h, long long steps, double *q, double *p) {
  claims_library *library = self;
  const int clock = rattle_model_clock(library->model);
  rattle_state state = {.q = q, .p = p, .t0 = clock < 0 ? 0 : q[clock], .h = h};
  const rattle_status status = rattle_integrator_step(library->integrator, &state, steps, NULL);
  library->time = rattle_integrator_time(library->integrator, &state) - state.t0;
  return status != RATTLE_OK;
}

int claims_library_output(void *self, double *q, double *p) {
  claims_library *library = self;
  rattle_state state = {.q = q, .p = p, .h = 1};
  return rattle_integrator_output(library->integrator, &state, q, p, NULL) != RATTLE_OK;
}
