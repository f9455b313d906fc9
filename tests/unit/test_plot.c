/* The parts of `rattle plot` that compute: envelopes, periodograms, axes, names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "figures/plot/envelope.h"
#include "figures/plot/plot.h"
#include "ground/support/spectrum.h"

static double noise(long long i) {
  return sin((double)i * 12.9898) * 43758.5453 - floor(sin((double)i * 12.9898) * 43758.5453);
}

static void close_to(double found, double want, double tolerance) {
  if (!(fabs(found - want) <= tolerance)) fail_msg("%.17g, expected %.17g", found, want);
}

/* Every bin holds the extremes of its samples and where they are, in the order in which they
 * came. */
static void envelope_keeps_extremes(void **state) {
  (void)state;
  enum { ROOM = 64 };
  envelope e;
  assert_int_equal(envelope_begin(&e, ROOM), 0);
  for (long long count = 1; count <= 3000; count++) {
    envelope_add(&e, (double)count, noise(count));
    if (count % 97 != 0) continue;
    assert_int_equal(e.samples, count);
    assert_int_equal(e.bins, (count + e.stride - 1) / e.stride);
    assert_true(e.bins <= ROOM && (e.stride == 1 || e.bins > ROOM / 2));
    for (int i = 0; i < e.bins; i++) {
      long long first = (long long)i * e.stride + 1,
                last = first + e.stride - 1 < count ? first + e.stride - 1 : count;
      long long low = first, high = first;
      for (long long k = first; k <= last; k++) {
        if (noise(k) < noise(low)) low = k;
        if (noise(k) > noise(high)) high = k;
      }
      const envelope_bin *bin = &e.bin[i];
      assert_true(bin->low == noise(low) && bin->x_low == (double)low);
      assert_true(bin->high == noise(high) && bin->x_high == (double)high);
      if (low != high) assert_int_equal(bin->high_first, high < low);
    }
  }
  envelope_clear(&e);
  /* what is not finite is passed over, unless there is nothing else */
  for (int i = 0; i < 4 * ROOM; i++)
    envelope_add(&e, i, i < 2 * ROOM ? (double)NAN : i % 4 == 0 ? 7 : (double)INFINITY);
  assert_true(isnan(e.bin[0].low) && e.bin[e.bins - 1].low == 7 && e.bin[e.bins - 1].high == 7);
  envelope_end(&e);
}

/* Against the sum itself, for lengths that are and are not powers of 2, primes among them. */
static void spectrum_is_the_transform(void **state) {
  (void)state;
  static const size_t lengths[] = {1, 2, 3, 4, 5, 12, 64, 97, 1000, 1023};
  for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++) {
    size_t n = lengths[l];
    double *x = malloc(n * sizeof *x), *amplitude = malloc((n / 2 + 1) * sizeof *amplitude);
    for (size_t j = 0; j < n; j++) x[j] = noise((long long)j) + cos(0.3 * (double)j);
    assert_int_equal(rattle__amplitudes((long long)n, x, 0, RATTLE__NO_WINDOW, amplitude), 0);
    for (size_t k = 0; k <= n / 2; k++) {
      double re = 0, im = 0;
      for (size_t j = 0; j < n; j++) {
        double angle = 2 * 3.14159265358979323846 * (double)(j * k % n) / (double)n;
        re += x[j] * cos(angle), im -= x[j] * sin(angle);
      }
      const double want = hypot(re, im) / (double)n;
      if (fabs(amplitude[k] - want) > 1e-14)
        fail_msg("N = %zu, k = %zu: %.17g, expected %.17g", n, k, amplitude[k], want);
    }
    free(x), free(amplitude);
  }
  /* a cosine of amplitude 3 at a frequency of the transform */
  double x[50], amplitude[26];
  for (int j = 0; j < 50; j++) x[j] = 3 * cos(2 * 3.14159265358979323846 * 7 * j / 50);
  assert_int_equal(rattle__amplitudes(50, x, 0, RATTLE__NO_WINDOW, amplitude), 0);
  close_to(amplitude[7], 1.5, 1e-12);
  close_to(amplitude[8], 0, 1e-12);
}

static void typeset(const char *name, const char *want) {
  char *symbol = plot_symbol(name);
  if (strcmp(symbol, want) != 0) fail_msg("%s became %s, expected %s", name, symbol, want);
  free(symbol);
}

static void names(void **state) {
  (void)state;
  typeset("x", "{/:Italic x}"), typeset("x[3]", "{/:Italic x}_{3}"),
      typeset("q12", "{/:Italic q}_{12}");
  typeset("px", "{/:Italic p}_{{/:Italic x}}"), typeset("px[3]", "{/:Italic p}_{{/:Italic x}3}");
  typeset("p", "{/:Italic p}"), typeset("p1", "{/:Italic p}_{1}"), typeset("pi", "{/:Italic π}");
  typeset("theta", "{/:Italic θ}"), typeset("ptheta", "{/:Italic p}_{{/:Italic θ}}"),
      typeset("ω", "{/:Italic ω}");
  typeset("lambda[inner rod]", "{/:Italic λ}_{inner rod}");
  typeset("speed", "speed"), typeset("spin2", "spin2"),
      typeset("kinetic_energy", "kinetic\\_energy");
  typeset("a^{b}@&~\\", "a\\^\\{b\\}\\@\\&\\~\\\\"), typeset("bad\xff\n", "bad\\\\ufffd ");
  char *family = plot_family("x[1],x[2],x[13]");
  assert_string_equal(family, "{/:Italic x}");
  free(family);
  family = plot_family("x[1],y[1]");
  assert_string_equal(family, "");
  free(family);

  const char *list = "a,b[1,2],,c";
  static const char *const want[] = {"a", "b[1,2]", "", "c"};
  for (int i = 0; i < 4; i++) {
    char *name = plot_next_name(&list);
    assert_string_equal(name, want[i]);
    free(name);
  }
  assert_null(list);
}

static plot_figure figure_of(const double *y, int count, int log) {
  plot_figure figure;
  plot_figure_init(&figure);
  plot_curve *curve = plot_add_curve(&figure, NULL, PLOT_LINES);
  for (int i = 0; i < count; i++) assert_int_equal(plot_add_point(curve, i, y[i]), 0);
  figure.y.log = log;
  plot_fit_axes(&figure);
  return figure;
}

static void axes(void **state) {
  (void)state;
  /* whole decades, and one more for zeros */
  plot_figure f = figure_of((const double[]){3e-16, 0, (double)NAN, 4e-15}, 4, 1);
  close_to(f.y.low / 1e-17, 1, 1e-12), close_to(f.y.high / 1e-14, 1, 1e-12);
  assert_true(f.y.zero == f.y.low && f.curve[0].xy[3] == f.y.zero && isnan(f.curve[0].xy[5]));
  plot_figure_free(&f);
  f = figure_of((const double[]){1e-3, 1e-2}, 2, 1);
  close_to(f.y.low, 1e-3, 1e-15), close_to(f.y.high, 1e-2, 1e-15), assert_true(f.y.zero == 0);
  plot_figure_free(&f);
  /* nothing but zeros can be drawn too */
  f = figure_of((const double[]){0, 0}, 2, 1);
  assert_true(f.y.low > 0 && f.y.high > f.y.low && f.curve[0].xy[1] == f.y.zero);
  plot_figure_free(&f);
  /* small numbers are divided by a power of ten, ordinary ones are not */
  f = figure_of((const double[]){-3.5e-7, 2e-9}, 2, 0);
  assert_int_equal(f.y.exponent, -7), close_to(f.curve[0].xy[1], -3.5, 1e-12);
  plot_figure_free(&f);
  f = figure_of((const double[]){-3.5, 12345}, 2, 0);
  assert_int_equal(f.y.exponent, 0), assert_true(f.curve[0].xy[3] == 12345);
  plot_figure_free(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(envelope_keeps_extremes),
                                     cmocka_unit_test(spectrum_is_the_transform),
                                     cmocka_unit_test(names), cmocka_unit_test(axes)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
