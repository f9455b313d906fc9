/* Problems to measure methods on, with their solutions.
 *
 * Jacobians  differences of order 6: exact to 1e-13 for the polynomials of these problems
 * Solution   gauss(6) with steps halved until two solutions agree to round-off, or no better than
 *            those before */
#include "examine/verify/problems.h"

#include <math.h>
#include <string.h>

#include "examine/verify/problem_texts.h"

static const struct {
  const char *name, *text;
  int n, m;
  double near[RATTLE__SUBJECT_2N];
} problems[] = {
#define PROBLEM(name, n, m)                                                                        \
  { #name, RATTLE__TEXT_##name, n, m, RATTLE__NEAR_##name }
    PROBLEM(henon_heiles, 2, 0), PROBLEM(product, 2, 0),      PROBLEM(spherical, 3, 1),
    PROBLEM(varying_mass, 3, 1), PROBLEM(relativistic, 3, 1), PROBLEM(double_pendulum, 4, 2),
    PROBLEM(harmonic, 2, 1),     PROBLEM(commuting, 3, 2)};

int rattle__known_problems(void) {
  return sizeof problems / sizeof *problems;
}

/* --- functions of a point --------------------------------------------------------------------- */

static void residuals(void *self, const long double *z, long double *g, long double *psi) {
  const rattle__known_problem *t = self;
  const int n = t->subject.n, m = t->subject.m;
  double x[RATTLE__SUBJECT_2N], values[2 * RATTLE__SUBJECT_M];
  for (int k = 0; k < 2 * n; k++) x[k] = (double)z[k];
  const rattle_status status =
      rattle_problem_residuals(t->problem, x, x + n, values, values + m, NULL);
  for (int i = 0; i < m; i++) {
    g[i] = status ? (long double)NAN : values[i];
    if (psi) psi[i] = status ? (long double)NAN : values[m + i];
  }
}

static void jacobians(void *self, const long double *z, long double *g_z, long double *psi_z) {
  static const long double weight[3] = {0.75L, -0.15L, 1 / 60.0L};
  const rattle__known_problem *t = self;
  const int nz = 2 * t->subject.n, m = t->subject.m;
  const long double d = 0x1p-6L;
  long double x[RATTLE__SUBJECT_2N], up[2 * RATTLE__SUBJECT_M], down[2 * RATTLE__SUBJECT_M];
  memcpy(x, z, sizeof *x * (size_t)nz);
  for (int c = 0; c < nz; c++) {
    for (int i = 0; i < m; i++) {
      g_z[i * nz + c] = 0;
      if (psi_z) psi_z[i * nz + c] = 0;
    }
    for (int k = 1; k <= 3; k++) {
      x[c] = z[c] + k * d;
      residuals(self, x, up, up + m);
      x[c] = z[c] - k * d;
      residuals(self, x, down, down + m);
      x[c] = z[c];
      for (int i = 0; i < m; i++) {
        g_z[i * nz + c] += weight[k - 1] * (up[i] - down[i]) / d;
        if (psi_z) psi_z[i * nz + c] += weight[k - 1] * (up[m + i] - down[m + i]) / d;
      }
    }
  }
}

static long double energy(void *self, const long double *z) {
  const rattle__known_problem *t = self;
  const int n = t->subject.n;
  double x[RATTLE__SUBJECT_2N], H = NAN;
  for (int k = 0; k < 2 * n; k++) x[k] = (double)z[k];
  return rattle_problem_energy(t->problem, x, x + n, &H, NULL) ? (long double)NAN : H;
}

static int onto(void *self, double *z) {
  const rattle__known_problem *t = self;
  double *p = z + t->subject.n;
  return rattle_slider_place(t->slider, z, p, NULL) || rattle_slider_momenta(t->slider, z, p, NULL);
}

/* --- the solution ----------------------------------------------------------------------------- */

/* z after `time`, in so many steps. */
static int solve(const rattle__known_problem *t, double time, int steps, double *z) {
  rattle_state state = {
      .struct_size = sizeof state, .q = z, .p = z + t->subject.n, .h = time / steps};
  return time != 0 && rattle_integrator_step(t->solution, &state, steps, NULL);
}

static double distance(const double *a, const double *b, int count) {
  double most = 0;
  for (int k = 0; k < count; k++) most = fmax(most, fabs(a[k] - b[k]));
  return most;
}

/* The solution at the span. */
static int find_end(rattle__known_problem *t) {
  const int nz = 2 * t->subject.n, most = 5120;
  double before[RATTLE__SUBJECT_2N], apart = INFINITY;
  for (int steps = 20; steps <= most; steps *= 2) {
    double z[RATTLE__SUBJECT_2N];
    memcpy(z, t->subject.z0, sizeof z);
    if (solve(t, t->subject.span, steps, z)) continue; /* too long a step */
    const double now = t->step > 0 ? distance(z, before, nz) : INFINITY;
    if (now < 1e-9 && now >= apart / 4) return 0; /* no better than the two before */
    memcpy(before, z, sizeof z);
    memcpy(t->end, z, sizeof z);
    t->step = t->subject.span / steps;
    apart = now;
    if (apart < 1e-14) return 0;
  }
  return 1;
}

static int exact(void *self, double time, long double *z) {
  rattle__known_problem *t = self;
  double x[RATTLE__SUBJECT_2N];
  if (!t->solution) {
    const char *method = t->subject.m ? "gauss(6, dirac)" : "gauss(6)";
    if (rattle_integrator_create(&t->solution, t->problem, method, NULL) || find_end(t)) return 1;
  }
  memcpy(x, t->end, sizeof x);
  const double rest =
      fabs(time - t->subject.span) < 1e-12 * t->subject.span ? 0 : time - t->subject.span;
  if (solve(t, rest, 4 + (int)(fabs(rest) / t->step), x)) return 1;
  for (int k = 0; k < 2 * t->subject.n; k++) z[k] = x[k];
  return 0;
}

/* --- making ----------------------------------------------------------------------------------- */

static rattle_status create(rattle__known_problem *t, int which, rattle_error *error) {
  const rattle_problem_options options = {.struct_size = sizeof options,
                                          .evaluator = RATTLE_EVALUATOR_BLOCK};
  rattle_status status =
      rattle_model_parse(&t->model, problems[which].text, problems[which].name, NULL, error);
  if (!status) status = rattle_problem_create(&t->problem, t->model, &options, error);
  if (status || !problems[which].m) return status;
  double *z = t->subject.z0;
  status = rattle_slider_create(&t->slider, t->problem, error);
  if (!status) status = rattle_slider_place(t->slider, z, z + t->subject.n, error);
  return status ? status : rattle_slider_momenta(t->slider, z, z + t->subject.n, error);
}

rattle_status rattle__known_problem_create(rattle__known_problem *trial, int which,
                                           rattle_error *error) {
  *trial = (rattle__known_problem){.subject = {.name = problems[which].name,
                                               .n = problems[which].n,
                                               .m = problems[which].m,
                                               .hidden = 1,
                                               .span = problems[which].m ? 2 : 12,
                                               .exact = exact,
                                               .residuals = residuals,
                                               .jacobians = jacobians,
                                               .energy = energy,
                                               .onto = onto,
                                               .self = trial}};
  memcpy(trial->subject.z0, problems[which].near, sizeof trial->subject.z0);
  const rattle_status status = create(trial, which, error);
  if (status) rattle__known_problem_destroy(trial);
  return status;
}

void rattle__known_problem_destroy(rattle__known_problem *trial) {
  rattle_integrator_destroy(&trial->solution);
  rattle_slider_destroy(&trial->slider);
  rattle_problem_destroy(&trial->problem);
  rattle_model_destroy(&trial->model);
}
