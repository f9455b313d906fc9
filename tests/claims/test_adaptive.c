/* Reversible adaptive steps beyond the claims of the row:
 *
 *   - the density of steps is what it is meant to be, times add up, and stepping back brings z,
 *     density and time back;
 *   - an ellipse of eccentricity 0.9 and beads that nearly collide: the same error with fewer
 *     forces, no drift of the energy;
 *   - a run up to a time ends at the first step that reaches it, and resumes bit for bit;
 *   - what is refused, and how it fails. */
#include "common_claims.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static const double pi = 3.14159265358979323846;

/* A planet on an ellipse with half-axis 1 and GM = 1, the period being 2 pi. */
static const char kepler[] =
    "local q1, p1 = pair('q1', 'p1')\nlocal q2, p2 = pair('q2', 'p2')\nlocal r = sqrt(q1^2 + "
    "q2^2)\n"
    "hamiltonian((p1^2 + p2^2)/2 - 1/r)\n"
    "observe('density', r^(-1.5))\nobserve('wrong', q1)\nobserve('speed', sqrt(p1^2 + p2^2))\n";
/* Two beads on a ring that repel each other and come within some 0.003. */
static const char beads[] = "local q1, p1 = pair('q1', 'p1')\nlocal q2, p2 = pair('q2', 'p2')\n"
                            "local q3, p3 = pair('q3', 'p3')\nlocal q4, p4 = pair('q4', 'p4')\n"
                            "local r = sqrt((q1 - q3)^2 + (q2 - q4)^2)\n"
                            "hamiltonian((p1^2 + p2^2 + p3^2 + p4^2)/2 + 0.0005/r)\n"
                            "constrain('one', q1^2 + q2^2 - 1)\nconstrain('two', q3^2 + q4^2 - "
                            "1)\nobserve('density', 1/r)\n";

static void open_model(claims_library *library, const char *model, const char *method) {
  rattle_error error;
  tests_problem problem = {.name = "model", .model = model};
  if (claims_library_open(library, &problem, method, RATTLE_EVALUATOR_BLOCK, &error) != RATTLE_OK)
    fail_msg("%s: %s", method, error.message);
}

static rattle_status refusal(const char *model, const char *method, rattle_error *error) {
  claims_library library;
  tests_problem problem = {.name = "model", .model = model};
  const rattle_status status =
      claims_library_open(&library, &problem, method, RATTLE_EVALUATOR_BLOCK, error);
  if (status == RATTLE_OK) claims_library_close(&library);
  return status;
}

/* The planet at time t after its perihelion (side = 1) or aphelion (-1). */
static void planet(double e, int side, double t, double z[4]) {
  const double M = side > 0 ? t : t + pi, b = sqrt(1 - e * e);
  double E = M;
  for (int i = 0; i < 60; i++) E -= (E - e * sin(E) - M) / (1 - e * cos(E));
  const double rate = 1 / (1 - e * cos(E));
  z[0] = cos(E) - e, z[1] = b * sin(E), z[2] = -sin(E) * rate, z[3] = b * cos(E) * rate;
}

static double planet_energy(const double *z) {
  return (z[2] * z[2] + z[3] * z[3]) / 2 - 1 / hypot(z[0], z[1]);
}

/* Steps one by one until `end` is reached; returns 0, or 1 if a step fails. */
static int run_until(claims_library *library, double h, double end, int n, double *z,
                     double *time) {
  rattle_state at = {.q = z, .p = z + n, .h = h};
  rattle_error error;
  do {
    if (rattle_integrator_step(library->integrator, &at, 1, &error)) return 1;
    *time = rattle_integrator_time(library->integrator, &at);
  } while (*time < end);
  return 0;
}

/* --- density, time, reversal --- */

static void test_density(void **state) {
  (void)state;
  static const char *const methods[] = {"adaptive(verlet, density)", "adaptive(verlet)",
                                        "adaptive(verlet, speed)"};
  for (int k = 0; k < 3; k++) {
    double worst[2] = {0, 0};
    for (int fine = 0; fine < 2; fine++) {
      double z[4], extra[8], Q0 = 0, time = 0, low = INFINITY, high = 0, shortest, longest;
      claims_library library;
      open_model(&library, kepler, methods[k]);
      assert_int_equal(rattle_integrator_extra(library.integrator), 5);
      planet(0.5, -1, 0, z);
      rattle_state at = {.q = z, .p = z + 2, .h = fine ? 0.01 : 0.02};
      for (int step = 0; step < (fine ? 1200 : 600); step++) {
        const double r = hypot(z[0], z[1]), v2 = z[2] * z[2] + z[3] * z[3],
                     s2 = 2 / (1.5 * 1.5 * 1.5); /* s^2 = 2/r0^3 */
        const double N = 1 / (r * r * r * r) + s2 * v2, N0 = 1 / pow(1.5, 4) + s2 / 3,
                     c = N0 * pow(20, -8 / 3.0);
        const double Q = k == 0 ? pow(r, -1.5) : k == 1 ? pow((N + c) / (N0 + c), 0.375) : sqrt(v2);
        rattle_integrator_get_extra(library.integrator, extra);
        if (step == 0) Q0 = Q;
        if (step > 0) worst[fine] = fmax(worst[fine], fabs(extra[0] * Q0 / Q - 1));
        const double before = extra[0];
        assert_int_equal(rattle_integrator_step(library.integrator, &at, 1, NULL), RATTLE_OK);
        rattle_integrator_get_extra(library.integrator, extra);
        const double after = rattle_integrator_time(library.integrator, &at),
                     half = at.h / (after - time);
        /* a step is h over a density between those at its ends, but for their bend */
        if (step > 0) assert_true(fabs(half - (before + extra[0]) / 2) < 0.01 * half);
        low = fmin(low, after - time), high = fmax(high, after - time);
        time = after;
      }
      rattle_integrator_step_lengths(library.integrator, &shortest, &longest);
      assert_true(fabs(shortest / low - 1) < 1e-9 && fabs(longest / high - 1) < 1e-9 &&
                  high > 1.5 * low);
      claims_library_close(&library);
    }
    /* second order: a quarter with half the step */
    if (!(worst[1] < 0.01 && worst[1] < 0.3 * worst[0]))
      fail_msg("%s: density off by %g, %g", methods[k], worst[0], worst[1]);
  }
}

static void test_stepping_back(void **state) {
  (void)state;
  static const char *const methods[] = {"adaptive(verlet)", "adaptive(verlet, density)",
                                        "adaptive(kahan_li6(verlet))"};
  for (int k = 0; k < 5; k++) {
    const char *constrained =
        k == 3 ? "adaptive(rattle(verlet))" : "adaptive(rattle(midpoint), density)";
    const int n = k < 3 ? 2 : 4;
    double z[8] = {1, 0, -1, 0, 0, 0.5, 0, 0.25}, start[8], extra[8];
    claims_library library;
    open_model(&library, k < 3 ? kepler : beads, k < 3 ? methods[k] : constrained);
    if (k < 3) planet(0.7, -1, 0, z);
    memcpy(start, z, sizeof z);
    rattle_state at = {.q = z, .p = z + n, .h = 0.03};
    assert_int_equal(rattle_integrator_step(library.integrator, &at, 150, NULL), RATTLE_OK);
    double far = 0, miss = 0;
    for (int c = 0; c < 2 * n; c++) far = fmax(far, fabs(z[c] - start[c]));
    assert_true(far > 0.1);
    rattle_integrator_get_extra(library.integrator, extra);
    assert_true(fabs(extra[0] - 1) > 0.01);
    const double late = extra[1], time = rattle_integrator_time(library.integrator, &at);
    at.h = -at.h, at.t0 = time - 150 * at.h;
    assert_true(rattle_integrator_time(library.integrator, &at) == at.t0 + 150 * at.h);
    assert_int_equal(rattle_integrator_step(library.integrator, &at, 150, NULL), RATTLE_OK);
    for (int c = 0; c < 2 * n; c++) miss = fmax(miss, fabs(z[c] - start[c]));
    rattle_integrator_get_extra(library.integrator, extra);
    if (!(miss < 1e-10 && fabs(extra[0] - 1) < 1e-10 && fabs(extra[1] + late) < 1e-10 &&
          fabs(late) > 1e-3) ||
        fabs(rattle_integrator_time(library.integrator, &at)) > 1e-10)
      fail_msg("case %d: %g from the start, density %g, time late by %g after %g", k, miss,
               extra[0], extra[1], late);
    claims_library_close(&library);
  }
}

/* --- what it is for --- */

/* Fewest forces to an error of 1e-3 in the position after `periods` periods, among steps on a
 * grid. */
static double forces_to_error(const char *method, double e, int side, int periods, double longest) {
  for (double h = longest; h > 1e-6; h /= 1.3) {
    double z[4], exact[4] = {NAN, NAN}, time;
    claims_library library;
    open_model(&library, kepler, method);
    planet(e, side, 0, z);
    const int failed = run_until(&library, h, 2 * pi * periods, 2, z, &time);
    if (!failed) planet(e, side, time, exact);
    const double forces = (double)rattle_integrator_counts(library.integrator).gradient;
    claims_library_close(&library);
    if (!failed && hypot(z[0] - exact[0], z[1] - exact[1]) < 1e-3) return forces;
  }
  return INFINITY;
}

static void test_kepler(void **state) {
  (void)state;
  for (int side = -1; side <= 1; side += 2) {
    const double even = forces_to_error("verlet", 0.9, side, 3, 0.01);
    const double forces = forces_to_error("adaptive(verlet)", 0.9, side, 3, 0.3);
    const double density = forces_to_error("adaptive(verlet, density)", 0.9, side, 3, 0.3);
    print_message("ellipse of eccentricity 0.9 from its %s, error 1e-3 after 3 periods: %.0f "
                  "forces evenly, %.0f by forces, %.0f by "
                  "r^(-3/2)\n",
                  side < 0 ? "aphelion" : "perihelion", even, forces, density);
    assert_true(forces < 0.5 * even && density < 0.2 * even);
  }
}

/* Largest errors of the energy in the first and in the last hundredth of the periods. */
static void test_no_drift(void **state) {
  (void)state;
  enum { PERIODS = 10000 };
  double z[4], first = 0, last = 0, time = 0;
  claims_library library;
  open_model(&library, kepler, "adaptive(verlet, density)");
  planet(0.9, -1, 0, z);
  rattle_state at = {.q = z, .p = z + 2, .h = 0.2};
  const double H0 = planet_energy(z);
  long long steps = 0;
  while (time < 2 * pi * PERIODS) {
    assert_int_equal(rattle_integrator_step(library.integrator, &at, 1, NULL), RATTLE_OK);
    time = rattle_integrator_time(library.integrator, &at);
    const double wrong = fabs(planet_energy(z) - H0);
    if (time < 2 * pi * PERIODS / 100) first = fmax(first, wrong);
    if (time > 2 * pi * PERIODS * 0.99) last = fmax(last, wrong);
    steps++;
  }
  print_message(
      "10^4 periods of it in %lld steps: energy error %.2g in the first 100, %.2g in the last\n",
      steps, first, last);
  assert_true(first < 0.02 && last < 1.1 * first);
  claims_library_close(&library);
}

/* Fewest forces with which the energy of the beads stays within 1e-4 through some 9 encounters, up
 * to t = 20. */
static double forces_for_energy(const char *method, double longest) {
  for (double h = longest; h > 1e-5; h /= 1.3) {
    double z[8] = {1, 0, -1, 0, 0, 0.5, 0, 0.25}, end = 20;
    claims_library library;
    rattle_summary summary = {.struct_size = sizeof summary};
    open_model(&library, beads, method);
    rattle_state at = {.q = z, .p = z + 4, .h = h};
    rattle_run_options options = {
        .steps = 100000000, .every = 1000, .initial_energy = NAN, .until = &end};
    const rattle_status status =
        rattle_run(library.integrator, &at, &options, NULL, 0, &summary, NULL);
    claims_library_close(&library);
    if (!status && summary.energy_max_error < 1e-4) return (double)summary.counts.gradient;
  }
  return INFINITY;
}

static void test_beads(void **state) {
  (void)state;
  const double even = forces_for_energy("rattle(verlet)", 0.1),
               forces = forces_for_energy("adaptive(rattle(verlet))", 0.2),
               density = forces_for_energy("adaptive(rattle(verlet), density)", 0.2);
  print_message(
      "beads that come near, energy error 1e-4: %.0f forces evenly, %.0f by forces, %.0f by 1/r\n",
      even, forces, density);
  assert_true(forces < 0.2 * even && density < 0.1 * even);
}

/* --- runs up to a time --- */

typedef struct watched {
  int samples;
  double time, z[4];
  long long step;
} watched;

static rattle_status watch(void *self, const rattle_sample *sample, rattle_error *error) {
  watched *w = self;
  (void)error;
  assert_true(w->samples == 0 || sample->time > w->time);
  w->samples++;
  w->time = sample->time, w->step = sample->step;
  memcpy(w->z, sample->q, 2 * sizeof(double));
  memcpy(w->z + 2, sample->p, 2 * sizeof(double));
  return RATTLE_OK;
}

static void test_until(void **state) {
  (void)state;
  const char *const methods[] = {"adaptive(verlet)", "adaptive(verlet, compensated)", "verlet"};
  for (int k = 0; k < 3; k++) {
    const int even = k == 2;
    double z[4], end = 5, exact[4], extra[16], again[4];
    claims_library library;
    rattle_summary summary = {.struct_size = sizeof summary};
    rattle_error error;
    watched seen = {0};
    open_model(&library, kepler, methods[k]);
    planet(0.6, -1, 0, z);
    rattle_state at = {.q = z, .p = z + 2, .h = 0.02};
    rattle_observer observer = {.self = &seen, .record = watch};
    rattle_observer *const observers[] = {&observer};
    rattle_run_options options = {
        .steps = 1000000000, .every = 7, .initial_energy = NAN, .until = &end};
    assert_int_equal(rattle_run(library.integrator, &at, &options, observers, 1, &summary, &error),
                     RATTLE_OK);
    planet(0.6, -1, seen.time, exact);
    const double last_step = even ? 0.02 : 0.02 * 1.5;
    assert_true(seen.time >= end - 1e-9 && seen.time < end + last_step);
    assert_true(hypot(seen.z[0] - exact[0], seen.z[1] - exact[1]) <
                0.02); /* the time is that of the point */
    assert_int_equal(seen.step, at.step);
    assert_int_equal(summary.steps, at.step);
    assert_true(summary.stop == seen.time &&
                rattle_integrator_time(library.integrator, &at) == seen.time);
    if (even) assert_int_equal(at.step, 250);
    assert_true(even ? isnan(summary.shortest_step) && isnan(summary.longest_step)
                     : summary.shortest_step > 0 &&
                           summary.shortest_step < 0.5 * summary.longest_step);

    /* on to 8 in one go, and from the extra state in another integrator */
    rattle_integrator_get_extra(library.integrator, extra);
    memcpy(again, z, sizeof z);
    end = 8;
    rattle_state other = {.q = again, .p = again + 2, .h = 0.02, .step = at.step};
    assert_int_equal(rattle_run(library.integrator, &at, &options, NULL, 0, &summary, &error),
                     RATTLE_OK);
    const double time = rattle_integrator_time(library.integrator, &at);
    claims_library_close(&library);
    open_model(&library, kepler, methods[k]);
    rattle_integrator_set_extra(library.integrator, extra);
    assert_int_equal(rattle_run(library.integrator, &other, &options, NULL, 0, &summary, &error),
                     RATTLE_OK);
    assert_memory_equal(z, again, sizeof z);
    assert_true(other.step == at.step &&
                rattle_integrator_time(library.integrator, &other) == time && time >= 8 - 1e-9);

    /* a state from outside begins anew: at t0 + step h */
    z[0] += 0.001;
    assert_true(rattle_integrator_time(library.integrator, &at) == 0.02 * (double)at.step);
    claims_library_close(&library);
  }
}

/* --- problems from callbacks, whose second derivatives are differences --- */

static int planet_callback(void *context, const double *z, double *H, double *gradient) {
  const double r = hypot(z[0], z[1]);
  (void)context;
  *H = planet_energy(z);
  gradient[0] = z[0] / (r * r * r), gradient[1] = z[1] / (r * r * r), gradient[2] = z[2],
  gradient[3] = z[3];
  return 0;
}

static void test_callbacks(void **state) {
  (void)state;
  const double masses[] = {1, 1};
  for (int natural = 0; natural < 2; natural++) {
    const rattle_callbacks callbacks = {.n = 2,
                                        .flags = RATTLE_SEPARABLE | (natural ? RATTLE_NATURAL : 0),
                                        .inverse_mass = natural ? masses : NULL,
                                        .hamiltonian = planet_callback};
    double z[4], start[4], exact[4];
    rattle_problem *problem = NULL;
    rattle_integrator *integrator = NULL;
    assert_int_equal(rattle_problem_create_callbacks(&problem, &callbacks, NULL), RATTLE_OK);
    assert_int_equal(
        rattle_integrator_create(&integrator, problem, "adaptive(kahan_li6(verlet))", NULL),
        RATTLE_OK);
    planet(0.8, -1, 0, z);
    memcpy(start, z, sizeof z);
    rattle_state at = {.q = z, .p = z + 2, .h = 0.1};
    assert_int_equal(rattle_integrator_step(integrator, &at, 250, NULL), RATTLE_OK);
    const double time = rattle_integrator_time(integrator, &at);
    planet(0.8, -1, time, exact);
    assert_true(time > 6.5 && time < 20); /* 25, if steps were even */
    assert_true(hypot(z[0] - exact[0], z[1] - exact[1]) < 1e-5);
    at.h = -at.h;
    assert_int_equal(rattle_integrator_step(integrator, &at, 250, NULL), RATTLE_OK);
    for (int c = 0; c < 4; c++) assert_true(fabs(z[c] - start[c]) < 1e-10);
    rattle_integrator_destroy(&integrator);
    rattle_problem_destroy(&problem);
  }
}

/* --- refusals and failures --- */

/* The work of friction is no motion: steps are the same in other units of length. */
static void test_work_is_apart(void **state) {
  (void)state;
  double end[2];
  for (int which = 0; which < 2; which++) {
    const double L = which ? 1e6 : 1;
    char text[400];
    snprintf(text, sizeof text,
             "local L = %g local x, px = pair('x') local y, py = pair('y')\n"
             "hamiltonian((px^2 + py^2)/2 + L*y) constrain('rod', (x^2 + y^2)/L^2 - 1)\n"
             "force { x = -0.3*px, y = -0.3*py }",
             L);
    claims_library library;
    open_model(&library, text, "adaptive(rattle(verlet))");
    double q[] = {L, 0}, p[] = {0, -0.5 * L};
    rattle_state at = {.q = q, .p = p, .h = 0.02};
    rattle_error error;
    if (rattle_integrator_step(library.integrator, &at, 50, &error)) fail_msg("%s", error.message);
    end[which] = q[0] / L;
    claims_library_close(&library);
  }
  assert_true(fabs(end[1] - end[0]) < 1e-9);
}

static void test_refusals(void **state) {
  (void)state;
  rattle_error error;
  assert_int_equal(refusal(kepler, "adaptive(verlet, dense)", &error), RATTLE_UNSUITABLE);
  assert_non_null(strstr(error.message, "does not observe 'dense'"));
  assert_non_null(strstr(error.message, "write observe("));
  assert_int_equal(refusal(kepler, "adaptive(verlet, densty)", &error), RATTLE_UNSUITABLE);
  assert_non_null(strstr(error.message, "did you mean 'density'?"));
  static const char *const nonsense[] = {"adaptive(rk4)",
                                         "adaptive(rattle(verlet, project=output))",
                                         "adaptive(multistep4)",
                                         "adaptive(adaptive(verlet))",
                                         "suzuki4(adaptive(verlet))",
                                         "rattle(adaptive(verlet))",
                                         "adaptive(shake(verlet))"};
  for (size_t i = 0; i < sizeof nonsense / sizeof *nonsense; i++)
    if (refusal(kepler, nonsense[i], &error) != RATTLE_BAD_METHOD)
      fail_msg("%s is taken", nonsense[i]);
  /* constraints are not forgotten because steps are adapted */
  assert_int_equal(refusal(beads, "adaptive(verlet)", &error), RATTLE_UNSUITABLE);
  assert_non_null(strstr(error.message, "use adaptive(rattle(verlet))"));
}

static void check_failure(const char *model, const char *method, double h, const double *start,
                          rattle_status expected, const char *words) {
  double z[4], before[4], extra[8], after[8];
  claims_library library;
  rattle_error error;
  rattle_status status = RATTLE_OK;
  memcpy(z, start, sizeof z);
  open_model(&library, model, method);
  rattle_state at = {.q = z, .p = z + 2, .h = h};
  for (int step = 0; step < 1000 && !status; step++) {
    memcpy(before, z, sizeof z);
    rattle_integrator_get_extra(library.integrator, extra);
    status = rattle_integrator_step(library.integrator, &at, 1, &error);
  }
  rattle_integrator_get_extra(library.integrator, after);
  if (status != expected || !strstr(error.message, words))
    fail_msg("%s: %s %s", method, rattle_status_name(status), error.message);
  assert_memory_equal(z, before, sizeof z);
  assert_memory_equal(extra, after, 5 * sizeof *extra);
  claims_library_close(&library);
}

static void test_failures(void **state) {
  (void)state;
  double start[4];
  static const char resting[] = "local q1, p1 = pair('q1', 'p1')\nlocal q2, p2 = pair('q2', 'p2')\n"
                                "hamiltonian((p1^2 + p2^2 + q1^2 + q2^2)/2)\n";
  planet(0.9, 1, 0, start); /* q1 = 0.1, and 'wrong' is q1, which changes its sign */
  check_failure(kepler, "adaptive(verlet, wrong)", 0.001, start, RATTLE_DOMAIN, "must be positive");
  start[0] = -start[0];
  check_failure(kepler, "adaptive(verlet, wrong)", 0.001, start, RATTLE_DOMAIN, "must be positive");
  planet(0.9, 1, 1, start); /* on its way out */
  start[2] = -start[2], start[3] = -start[3];
  check_failure(kepler, "adaptive(verlet, density)", 2, start, RATTLE_NOT_CONVERGED,
                "use a smaller step");
  memset(start, 0, sizeof start);
  check_failure(resting, "adaptive(verlet)", 0.1, start, RATTLE_UNSUITABLE, "nothing moves");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_density),   cmocka_unit_test(test_stepping_back),
      cmocka_unit_test(test_kepler),    cmocka_unit_test(test_no_drift),
      cmocka_unit_test(test_beads),     cmocka_unit_test(test_until),
      cmocka_unit_test(test_callbacks), cmocka_unit_test(test_refusals),
      cmocka_unit_test(test_failures),  cmocka_unit_test(test_work_is_apart)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
