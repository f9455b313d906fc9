/* Estimates from chains: effective sizes, R-hat, autocorrelations, against sums written out. Bounds
 * leave a chance of about 1e-5, so that another libm, whose draws are others, does not fail. */
#include <rattle/rattle.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

#include "ground/support/random.h"

enum { FAR = 5 }; /* errors of a mean */

/* A share (1 - a)/(1 + a) of the draws of x_{k+1} = a x_k + noise counts; R-hat sees a chain that
 * is elsewhere. */
static void test_estimates(void **state) {
  (void)state;
  enum { CHAINS = 4, DRAWS = 20000 };
  static double x[CHAINS * DRAWS];
  const double a = 0.8;
  uint64_t k = 0;
  double noise[2];
  for (int c = 0; c < CHAINS; c++)
    for (int i = 0; i < DRAWS; i++) {
      rattle__random_normals(99, &k, noise, 2);
      x[c * DRAWS + i] = i ? a * x[c * DRAWS + i - 1] + sqrt(1 - a * a) * noise[0] : noise[1];
    }
  rattle_draws d = {x, CHAINS, DRAWS, DRAWS, 1};
  rattle_estimate e;
  rattle_error error;
  assert_int_equal(rattle_estimate_of(&d, &e, &error), RATTLE_OK);
  const double want = CHAINS * DRAWS * (1 - a) / (1 + a);
  assert_true(fabs(e.effective / want - 1) < 0.1);
  assert_true(e.rhat > 0.999 && e.rhat < 1.002 && fabs(e.sd - 1) < 0.03 &&
              fabs(e.mean) < FAR * e.error);
  for (int i = 0; i < DRAWS; i++) x[i] += 1;
  assert_int_equal(rattle_estimate_of(&d, &e, &error), RATTLE_OK);
  assert_true(e.rhat > 1.05 && e.effective < want / 10);
  for (int i = 0; i < DRAWS; i++) x[i] = 3 * (x[i] - 1);
  assert_int_equal(rattle_estimate_of(&d, &e, &error), RATTLE_OK);
  assert_true(e.rhat > 1.05); /* of the distances from the median */
  double rhat[2];
  for (int minus = 0; minus < 2; minus++) { /* chains of 0 and of -0 have the same ranks */
    for (int i = 0; i < CHAINS * DRAWS; i++)
      x[i] = i % 3 - 1 ? i % 3 - 1 : i < DRAWS && minus ? -0.0 : 0.0;
    assert_int_equal(rattle_estimate_of(&d, &e, &error), RATTLE_OK);
    rhat[minus] = e.rhat;
  }
  assert_true(rhat[0] == rhat[1] && rhat[0] < 1.002);
  for (int i = 0; i < CHAINS * DRAWS; i++) x[i] = 2;
  assert_int_equal(rattle_estimate_of(&d, &e, &error), RATTLE_OK);
  assert_true(e.mean == 2 && e.sd == 0 && isnan(e.rhat) && isnan(e.effective));
  d.draws = 0;
  assert_int_equal(rattle_estimate_of(&d, &e, &error), RATTLE_BAD_ARGUMENT);
}

/* The size by its definition, with all sums written out, of the halves of chains. */
static double effective_by_sums(const double *x, int halves, int N) {
  double W = 0, all = 0, B = 0, mean[8], tau = -1, least = INFINITY;
  for (int m = 0; m < halves; m++) {
    mean[m] = 0;
    for (int i = 0; i < N; i++) mean[m] += x[m * N + i] / N;
    for (int i = 0; i < N; i++)
      W += (x[m * N + i] - mean[m]) * (x[m * N + i] - mean[m]) / (N - 1) / halves;
    all += mean[m] / halves;
  }
  for (int m = 0; m < halves; m++) B += (mean[m] - all) * (mean[m] - all) / (halves - 1);
  const double plus = (N - 1.0) / N * W + B;
  for (int t = 0; t + 1 < N; t += 2) {
    double pair = 2;
    for (int j = 0; j < 2; j++) {
      double sum = 0;
      for (int m = 0; m < halves; m++)
        for (int i = 0; i + t + j < N; i++)
          sum += (x[m * N + i] - mean[m]) * (x[m * N + i + t + j] - mean[m]) / (N - 1) / halves;
      if (t + j) pair -= (W - sum) / plus;
    }
    if (!(pair > 0)) break;
    least = fmin(least, pair);
    tau += 2 * least;
  }
  return halves * N / tau;
}

/* Chains that remember for hundreds of draws, and one that drifts. */
static void test_long_memory(void **unused) {
  (void)unused;
  enum { DRAWS = 4000 };
  static double x[2 * DRAWS];
  for (int drift = 0; drift < 2; drift++) {
    uint64_t k = 0;
    double noise[2];
    for (int i = 0; i < 2 * DRAWS; i++) {
      rattle__random_normals(5, &k, noise, 2);
      x[i] = i % DRAWS ? 0.995 * x[i - 1] + noise[0] + 0.01 * drift : 10 * noise[1];
    }
    const rattle_draws d = {x, 2, DRAWS, DRAWS, 1};
    rattle_estimate e;
    rattle_error error;
    assert_int_equal(rattle_estimate_of(&d, &e, &error), RATTLE_OK);
    const double want = effective_by_sums(x, 4, DRAWS / 2);
    assert_true(want < 200 && fabs(e.effective / want - 1) < 1e-11);
  }
}

/* Autocorrelations of 1, 2, .. 8, computed by hand; of the other chain, 1, -1, 1, ..; of one that
 * does not vary. */
static void test_autocorrelation(void **unused) {
  (void)unused;
  static const double expected[4] = {1, 26.25 / 42, 11.5 / 42, -1.25 / 42};
  double x[3 * 8], rho[8];
  for (int k = 0; k < 8; k++) x[3 * k] = k + 1, x[3 * k + 1] = k % 2 ? -1 : 1, x[3 * k + 2] = 5;
  const rattle_draws d = {x, 3, 8, 1, 3};
  assert_int_equal(rattle_autocorrelation_of(&d, 0, 8, rho), 4);
  for (int lag = 0; lag < 4; lag++) assert_true(fabs(rho[lag] - expected[lag]) < 1e-15);
  assert_int_equal(rattle_autocorrelation_of(&d, 0, 3, rho), 3);
  assert_int_equal(rattle_autocorrelation_of(&d, 1, 8, rho), 4);
  for (int lag = 0; lag < 4; lag++)
    assert_true(fabs(rho[lag] - (lag % 2 ? -1 : 1) * (8 - lag) / 8.0) < 1e-15);
  assert_int_equal(rattle_autocorrelation_of(&d, 2, 8, rho), 0);
  /* ranges of 100 up and down: the first pair below 0 is of the lags 50 and 51 */
  double waves[400];
  for (int k = 0; k < 400; k++) waves[k] = k / 100 % 2 ? -1 : 1;
  const rattle_draws one = {waves, 1, 400, 0, 1};
  double far[400];
  const long long lags = rattle_autocorrelation_of(&one, 0, 400, far);
  assert_true(lags > 80 && lags < 120 && far[lags / 2] + far[lags / 2 - 1] < 0 &&
              far[lags / 2 - 3] > 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_estimates),
      cmocka_unit_test(test_long_memory),
      cmocka_unit_test(test_autocorrelation),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
