/* How the round-off of conserved quantities grows with time, with plain and with compensated sums.
 *
 *     bench_roundoff [STEPS [CASE]]      STEPS: of the longest runs, default 2^20, substeps of
 *     compositions counted;
 *                                        CASE: a number, default all
 *
 * For each case an ensemble of 8 starts. Printed are the root of the mean square and the mean of
 * the relative change of the quantity after powers of two of steps, the exponent of a power of time
 * fitted to the former over all and over the last five, and the time. docs/round-off.md quotes this
 * output. */
#include "bench.h"
#include "conserved.h"

enum { MEMBERS = 8, MOST_POINTS = 40, LAST = 5 };

/* Slope of log2 rms over the last points, which are a factor of 2 apart. */
static double exponent(const double *rms, int points, int last) {
  double above = 0, below = 0;
  for (int i = points - last; i < points; i++) {
    const double x = i - (points - 0.5 * (last + 1));
    above += x * log2(rms[i]);
    below += x * x;
  }
  return above / below;
}

static void measure(const conserved *c, int compensated, long long steps) {
  char method[96];
  double change[MOST_POINTS], mean[MOST_POINTS] = {0}, rms[MOST_POINTS] = {0};
  long long first = 1024, most = steps / c->substeps;
  int points = 1;
  while (first * 128 > most && first > 1) first /= 2;
  while (points < MOST_POINTS && first << points <= most) points++;
  conserved_method(c, compensated, method, sizeof method);
  printf("%s: %s, h = %g\n", c->name, method, c->h);
  const double begin = bench_now();
  for (int member = 0; member < MEMBERS; member++) {
    rattle_error error;
    bench_check(conserved_follow(c, method, member, first, points, change, &error), &error);
    for (int i = 0; i < points; i++) {
      mean[i] += change[i] / MEMBERS;
      rms[i] += change[i] * change[i] / MEMBERS;
    }
  }
  const double ns =
      (bench_now() - begin) / ((double)MEMBERS * (double)(first << (points - 1)) * c->substeps);
  for (int i = 0; i < points; i++) {
    rms[i] = sqrt(rms[i]);
    printf("  %11lld steps  rms %9.2e  mean %9.2e\n", (first << i) * c->substeps, rms[i], mean[i]);
  }
  printf("  exponent %.2f, of the last %d %.2f; %.0f ns a step\n", exponent(rms, points, points),
         LAST, exponent(rms, points, LAST), ns);
  fflush(stdout);
}

int main(int argc, char **argv) {
  const long long steps = argc > 1 ? (long long)atof(argv[1]) : 1 << 20;
  const int only = argc > 2 ? atoi(argv[2]) : -1;
  if (steps < 1024 || only >= CONSERVED_COUNT) {
    fprintf(stderr, "usage: bench_roundoff [STEPS [CASE]], STEPS at least 1024, CASE below %d\n",
            CONSERVED_COUNT);
    return 2;
  }
  for (int i = 0; i < CONSERVED_COUNT; i++)
    for (int compensated = 0; compensated < 2; compensated++)
      if (only < 0 || only == i) measure(&conserved_all[i], compensated, steps);
  return 0;
}
