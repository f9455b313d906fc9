/* Measurements of claims. Symbols: z = (q, p), S steps over the span, omega(a, b) = sum a_k b_{n+k} - a_{n+k} b_k. */
#include "common_claims.h"

#include "../reference/common_second_class.h"
#include "expr/native.h"

#include <math.h>
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
  if (!known[which] && (is_second_class(problem) ? second_class_start : reference_start)(problem, kept[which], kept[which] + n))
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
    if ((is_second_class(problem) ? second_class_flow : reference_flow)(problem, claims_span(problem), 120, kept[which])) abort();
    known[which] = 1;
  }
  return kept[which];
}

static int apply(const claims_map *map, double h, long long steps, double *z) {
  const int n = map->problem->n;
  if (map->step(map->self, h, steps, z, z + n)) return 1;
  return map->output ? map->output(map->self, z, z + n) : 0;
}

static double largest(const double *x, int count) {
  double max = 0;
  for (int k = 0; k < count; k++) max = fmax(max, fabs(x[k]));
  return max;
}

/* ---- order ---- */

/* Least-squares slope of log(error) against log(h) over the finest points. */
static double slope_of(const double *log_h, const double *log_error, int count) {
  double x = 0, y = 0, xx = 0, xy = 0;
  for (int i = 0; i < count; i++) {
    x += log_h[i];
    y += log_error[i];
    xx += log_h[i] * log_h[i];
    xy += log_h[i] * log_error[i];
  }
  return (count * xy - x * y) / (count * xx - x * x);
}

/* The solution where the map has come to: at the span, or near it where steps differ in length. NULL: it is not available. */
static const long double *exact_at(const claims_map *map, long double z[TESTS_MAX_2N]) {
  const tests_problem *problem = map->problem;
  const double span = claims_span(problem);
  const double time = map->step == claims_library_step ? ((const claims_library *)map->self)->time : span;
  const long double *exact = claims_exact(problem);
  if (fabs(time - span) < 1e-12 * span) return exact;
  memcpy(z, exact, sizeof *z * 2 * (size_t)problem->n);
  const int steps = 4 + (int)(120 * fabs(time - span) / span);
  const int failed = (is_second_class(problem) ? second_class_flow : reference_flow)(problem, (long double)time - span, steps, z);
  return failed ? NULL : z;
}

int claims_measure_order(const claims_map *map, int order, claims_measured *measured) {
  const int n = map->problem->n;
  const double span = claims_span(map->problem), plateau = 2e-12, ratio = order > 4 ? 1.2 : 1.5,
               most = order > 2 ? 1500 : (order > 1 ? 250 : 1500) * span;
  double log_h[64], log_error[64], steps = order > 2 ? 2 : 20 * span;
  int count = 0;
  measured->order = NAN;
  for (; steps < most && count < 64; steps = ceil(ratio * steps)) {
    double z[TESTS_MAX_2N], error = 0;
    claims_start(map->problem, z, z + n);
    if (apply(map, span / steps, (long long)steps, z)) continue; /* h may be too large */
    long double there[TESTS_MAX_2N];
    const long double *exact = exact_at(map, there);
    if (!exact) return 1;
    for (int k = 0; k < 2 * n; k++) error = fmax(error, (double)fabsl(z[k] - exact[k]));
    if (error < plateau) break;
    if (error > 0.1) continue;
    log_h[count] = log(span / steps);
    log_error[count++] = log(error);
  }
  measured->points = count < 5 ? count : 5;
  if (count >= 3)
    measured->order = slope_of(log_h + count - measured->points, log_error + count - measured->points, measured->points);
  return count < 3;
}

/* ---- symmetry ---- */

int claims_measure_symmetry(const claims_map *map, double h, claims_measured *measured) {
  const int n = map->problem->n;
  double z[TESTS_MAX_2N], start[TESTS_MAX_2N];
  claims_start(map->problem, start, start + n);
  memcpy(z, start, sizeof z);
  if (apply(map, h, 3, z) || apply(map, -h, 3, z)) return 1;
  for (int k = 0; k < 2 * n; k++) z[k] -= start[k];
  measured->symmetry = largest(z, 2 * n) / (1 + largest(start, 2 * n));
  return 0;
}

/* ---- symplecticity ---- */

/* Orthonormal basis of the kernel of C[rows][size]: Gram-Schmidt of the rows, then of the unit vectors. */
static int kernel(int rows, int size, const long double *C, double basis[TESTS_MAX_2N][TESTS_MAX_2N]) {
  long double all[TESTS_MAX_2N][TESTS_MAX_2N];
  int have = 0;
  for (int i = 0; i < rows + size && have < size; i++) {
    long double v[TESTS_MAX_2N], norm = 0;
    for (int k = 0; k < size; k++) v[k] = i < rows ? C[i * size + k] : (k == i - rows);
    for (int pass = 0; pass < 2; pass++) {
      for (int j = 0; j < have; j++) {
        long double dot = 0;
        for (int k = 0; k < size; k++) dot += v[k] * all[j][k];
        for (int k = 0; k < size; k++) v[k] -= dot * all[j][k];
      }
    }
    for (int k = 0; k < size; k++) norm += v[k] * v[k];
    if (i >= rows && norm < 0.01L) continue; /* nearly in the span: the others make up for it */
    for (int k = 0; k < size; k++) all[have][k] = v[k] / sqrtl(norm);
    have++;
  }
  for (int i = rows; i < have; i++) {
    for (int k = 0; k < size; k++) basis[i - rows][k] = (double)all[i][k];
  }
  return have - rows;
}

static double form(int n, const double *a, const double *b) {
  double sum = 0;
  for (int k = 0; k < n; k++) sum += a[k] * b[n + k] - a[n + k] * b[k];
  return sum;
}

/* z moved onto M_H: along a tangent vector that changes nothing of first order. */
static int onto_hidden(const tests_problem *problem, double *z) {
  tests_problem here = *problem;
  memcpy(here.near, z, sizeof *z * 2 * problem->n);
  return reference_start(&here, z, z + problem->n);
}

/* D = derivative of the map along v, differences of order 6; of points on M_H where v is tangent to it (hidden = 1): maps with
 * short substeps see any deviation from it in the slope, divided by the substep. */
static int push(const claims_map *map, double h, int steps, int hidden, const double *z0, const double *v, double *D) {
  static const double weight[3] = {0.75, -0.15, 1 / 60.0};
  const int two_n = 2 * map->problem->n;
  const double d = 2e-3;
  memset(D, 0, sizeof *D * two_n);
  for (int k = 1; k <= 3; k++) {
    double up[TESTS_MAX_2N], down[TESTS_MAX_2N];
    for (int i = 0; i < two_n; i++) {
      up[i] = z0[i] + k * d * v[i];
      down[i] = z0[i] - k * d * v[i];
    }
    if (hidden && (onto_hidden(map->problem, up) || onto_hidden(map->problem, down))) return 1;
    if (apply(map, h, steps, up) || apply(map, h, steps, down)) return 1;
    for (int i = 0; i < two_n; i++) D[i] += weight[k - 1] * (up[i] - down[i]) / d;
  }
  return 0;
}

int claims_measure_symplecticity(const claims_map *map, double h, int steps, int hidden, claims_measured *measured) {
  const int n = map->problem->n, m = map->problem->m, rows = hidden ? 2 * m : m;
  double z[TESTS_MAX_2N], basis[TESTS_MAX_2N][TESTS_MAX_2N], image[TESTS_MAX_2N][TESTS_MAX_2N];
  long double x[TESTS_MAX_2N], C[2 * TESTS_MAX_M * TESTS_MAX_2N];
  claims_start(map->problem, z, z + n);
  for (int k = 0; k < 2 * n; k++) x[k] = z[k];
  if (m > 0) reference_jacobian(map->problem, x, C);
  if (m > 0 && hidden) reference_hidden_jacobian(map->problem, x, C + m * 2 * n);
  const int dimension = kernel(rows, 2 * n, C, basis);
  if (dimension != 2 * n - rows) return 1;
  for (int i = 0; i < dimension; i++) {
    if (push(map, h, steps, hidden && m > 0, z, basis[i], image[i])) return 1;
  }
  measured->symplecticity = 0;
  for (int i = 0; i < dimension; i++) {
    for (int j = 0; j < i; j++) {
      measured->symplecticity = fmax(measured->symplecticity, fabs(form(n, image[i], image[j]) - form(n, basis[i], basis[j])));
    }
  }
  return 0;
}

/* ---- residuals and energy ---- */

int claims_measure_residuals(const claims_map *map, double h, int steps, claims_measured *measured) {
  const int n = map->problem->n, m = map->problem->m;
  double z[TESTS_MAX_2N], out[TESTS_MAX_2N];
  claims_start(map->problem, z, z + n);
  measured->g = measured->psi = 0;
  for (int i = 0; i < steps; i++) {
    long double x[TESTS_MAX_2N], g[TESTS_MAX_M] = {0}, psi[TESTS_MAX_M] = {0};
    if (map->step(map->self, h, 1, z, z + n)) return 1;
    memcpy(out, z, sizeof out);
    if (map->output && map->output(map->self, out, out + n)) return 1;
    for (int k = 0; k < 2 * n; k++) x[k] = out[k];
    reference_constraint(map->problem, x, g);
    if (m > 0) reference_hidden(map->problem, x, psi);
    for (int k = 0; k < m; k++) {
      measured->g = fmax(measured->g, (double)fabsl(g[k]));
      measured->psi = fmax(measured->psi, (double)fabsl(psi[k]));
    }
  }
  return 0;
}

int claims_measure_energy(const claims_map *map, double h, int steps, claims_measured *measured) {
  const int n = map->problem->n, samples = 300;
  double z[TESTS_MAX_2N], out[TESTS_MAX_2N], first = 0, last = 0, low = INFINITY, high = -INFINITY;
  claims_start(map->problem, z, z + n);
  for (int i = 0; i < samples; i++) {
    long double x[TESTS_MAX_2N];
    if (map->step(map->self, h, steps / samples, z, z + n)) return 1;
    memcpy(out, z, sizeof out);
    if (map->output && map->output(map->self, out, out + n)) return 1;
    for (int k = 0; k < 2 * n; k++) x[k] = out[k];
    const double H = (double)reference_energy(map->problem, x);
    low = fmin(low, H);
    high = fmax(high, H);
    if (i < samples / 3) first += H / (samples / 3);
    if (i >= samples - samples / 3) last += H / (samples / 3);
  }
  measured->energy_amplitude = high - low;
  measured->energy_trend = fabs(last - first) / (high - low + 2e-12);
  return 0;
}

int claims_measure_energy_kept(const claims_map *map, double h, int steps, claims_measured *measured) {
  const int n = map->problem->n;
  double z[TESTS_MAX_2N];
  long double x[TESTS_MAX_2N], first = 0;
  claims_start(map->problem, z, z + n);
  measured->energy = 0;
  for (int i = 0; i <= steps; i++) {
    for (int k = 0; k < 2 * n; k++) x[k] = z[k];
    const long double H = reference_energy(map->problem, x);
    if (i == 0) first = H;
    measured->energy = fmax(measured->energy, (double)fabsl(H - first));
    if (i < steps && map->step(map->self, h, 1, z, z + n)) return 1;
  }
  return 0;
}

/* ---- verdict ---- */

static const char *say(char *text, int size, const char *what, const claims_map *map, double found, double bound) {
  snprintf(text, (size_t)size, "%s: %s is %.3g, the bound is %.3g", map->problem->name, what, found, bound);
  return text;
}

const char *claims_refute(const claims_map *given, const rattle_claims *claims, claims_measured *measured, char *text, int size) {
  const double h = 0.05, round_off = 2e-14, slack = claims->order > 6 ? 0.15 * claims->order : 0.4;
  /* second-class constraints have no hidden ones: what is called psi is among g there */
  /* off the manifold the underlying equations are unstable, and their energy is not that of the motion */
  const int stable = claims->keeps_g || !given->problem->m;
  claims_map stepping = *given;
  const claims_map *map = &stepping;
  if (given->shows) stepping.output = NULL;
  const int hidden = (claims->keeps_psi || map->output) && !is_second_class(map->problem), composed = claims->stages > 1;
  claims_measured ours = {0}, *found = measured ? measured : &ours;
  *found = ours;
  if (claims_measure_order(given, claims->order, found))
    return say(text, size, "number of points for the order", map, found->points, 3);
  if (!(found->order >= claims->order - slack)) return say(text, size, "order", map, found->order, claims->order - slack);
  if (claims->symmetric) {
    if (claims_measure_symmetry(map, h, found)) return say(text, size, "failure to step back", map, 1, 0);
    if (!(found->symmetry <= 50 * round_off)) return say(text, size, "|R(-h) R(h) z - z|", map, found->symmetry, 50 * round_off);
  }
  if (claims->symplectic) {
    if (claims_measure_symplecticity(map, composed ? h : 2 * h, composed ? 2 : 4, hidden, found))
      return say(text, size, "failure beside the start", map, 1, 0);
    /* derivatives off the manifold are taken by differences, and are large where the motion is unstable */
    const double bound = stable ? 2e-11 : 4e-10;
    if (!(found->symplecticity <= bound)) return say(text, size, "symplecticity defect", map, found->symplecticity, bound);
  }
  if ((claims->keeps_g || claims->keeps_psi) && map->problem->m > 0) {
    if (claims_measure_residuals(map, h, 100, found)) return say(text, size, "failure in a run", map, 1, 0);
    if (claims->keeps_g && !(found->g <= round_off)) return say(text, size, "|g|", map, found->g, round_off);
    if (hidden && !(found->psi <= 5 * round_off)) return say(text, size, "|psi|", map, found->psi, 5 * round_off);
  }
  if (claims->keeps_energy) {
    if (claims_measure_energy_kept(map, h, composed ? 300 : 1500, found)) return say(text, size, "failure in a run", map, 1, 0);
    if (!(found->energy <= 10 * round_off)) return say(text, size, "|H - H0|", map, found->energy, 10 * round_off);
  }
  if (claims->symplectic && claims->symmetric && stable) {
    if (claims_measure_energy(map, h, composed ? 600 : 2400, found)) return say(text, size, "failure in a long run", map, 1, 0);
    if (!(found->energy_trend <= 0.3)) return say(text, size, "energy trend", map, found->energy_trend, 0.3);
  }
  return NULL;
}

/* ---- the library as a map ---- */

/* Coefficients that every model gives, for methods that take them by name. */
static const char *const given_coefficients =
    "tableau('kutta', { A = {{}, {1/3}, {-1/3, 1}, {1, -1, 1}}, b = {1/8, 3/8, 3/8, 1/8}, order = 4 })\n"
    "tableau('radau', { A = {{5/12, -1/12}, {3/4, 1/4}}, b = {3/4, 1/4}, order = 3 })\n"
    "local r = math.sqrt(3)/6\n"
    "tableau('gauss', { A = {{1/4, 1/4 - r}, {1/4 + r, 1/4}}, b = {1/2, 1/2}, order = 4 })\n"
    "tableau('pair', { A = {{}, {1/2, 1/2}}, Ahat = {{1/2}, {1/2}}, b = {1/2, 1/2}, order = 2 })\n"
    "splitting('ruth', { c = {1, -2/3, 2/3}, d = {-1/24, 3/4, 7/24}, order = 3 })\n"
    "local z = 1/(2 - 2^(1/3))\n"
    "splitting('forest', { c = {z/2, (1 - z)/2, (1 - z)/2, z/2}, d = {z, 1 - 2*z, z}, order = 4 })\n";

int claims_takes_native(void) {
  void *library = NULL;
  const int found = !rattle__native_load("int answer(void) { return 42; }\n", &library, NULL);
  rattle__native_unload(&library);
  return found && TESTS_ONE_IN == 1;
}

rattle_status claims_library_open(claims_library *library, const tests_problem *problem, const char *method, int evaluator,
                                  rattle_error *error) {
  rattle_problem_options options = {0};
  options.evaluator = evaluator;
  *library = (claims_library){0};
  char text[8000];
  const int named = strstr(method, "runge_kutta") || strstr(method, "splitting");
  if (snprintf(text, sizeof text, "%s%s", problem->model, named ? given_coefficients : "") >= (int)sizeof text) abort();
  rattle_status status = rattle_model_parse(&library->model, text, problem->name, NULL, error);
  if (status == RATTLE_OK) status = rattle_problem_create(&library->problem, library->model, &options, error);
  if (status == RATTLE_OK) status = rattle_integrator_create(&library->integrator, library->problem, method, error);
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
  rattle_state state = {.q = q, .p = p, .h = h};
  const rattle_status status = rattle_integrator_step(library->integrator, &state, steps, NULL);
  library->time = rattle_integrator_time(library->integrator, &state);
  return status != RATTLE_OK;
}

int claims_library_output(void *self, double *q, double *p) {
  claims_library *library = self;
  rattle_state state = {.q = q, .p = p, .h = 1};
  return rattle_integrator_output(library->integrator, &state, q, p, NULL) != RATTLE_OK;
}
