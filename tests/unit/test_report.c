/* Parts of a page: base64, JSON that nothing can end, ranges that lose no extreme, spectra, trends,
 * rods and bodies. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "pages/report/blob.h"
#include "pages/report/scan.h"
#include "pages/report/trend.h"
#include "pages/report/quadratic.h"

#define CHECK(call)                                                                                \
  do {                                                                                             \
    rattle_error check_error = {0};                                                                \
    rattle_error *error = &check_error;                                                            \
    if (call) fail_msg("%s: %s", #call, check_error.message);                                      \
  } while (0)

/* --- numbers and text --- */

static void base64(void **state) {
  (void)state;
  char *text;
  size_t size;
  FILE *out = open_memstream(&text, &size);
  report_blob blob = {.out = out};
  report_array words = report_put_words(&blob, (uint16_t[]){0x4142, 0x0043, 0xFFFF}, 3);
  report_array doubles = report_put_doubles(&blob, (double[]){1.5}, 1);
  report_array floats =
      report_put_floats(&blob, (double[]){1e300 + 2e298, (double)NAN}, 2, 1e300, 1e298);
  report_array integers = report_put_integers(&blob, (int32_t[]){-2}, 1);
  report_blob_end(&blob);
  fclose(out);
  /* python3: base64.b64encode(struct.pack('<HHHxxdffi', 0x4142, 0x43, 0xffff, 1.5, 2, float('nan'),
   * -2)) */
  assert_string_equal(text, "QkFDAP//AAAAAAAAAAD4PwAAAEAAAMB//v///w==");
  assert_int_equal(words.type, 'w'), assert_int_equal(words.at, 0),
      assert_int_equal(words.count, 3);
  assert_int_equal(doubles.at, 8), assert_int_equal(floats.at, 16),
      assert_int_equal(integers.at, 24);
  free(text);
}

static char *json_of(const char *value) {
  char *text;
  size_t size;
  FILE *out = open_memstream(&text, &size);
  json_writer json = {.out = out, .page = 1};
  json_text(&json, NULL, value);
  fclose(out);
  return text;
}

static void json_ends_no_script(void **state) {
  (void)state;
  static const char *const cases[][2] = {
      {"</script><!--", "\"\\u003c/script\\u003e\\u003c!--\""},
      {"a\"b\\c\n&", "\"a\\u0022b\\u005cc\\u000a\\u0026\""},
      {"θ \xC3\x28 \xED\xA0\x80 \xF0\x9F\x92\xA1",
       "\"θ \\ufffd( \\ufffd\\ufffd\\ufffd \xF0\x9F\x92\xA1\""},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char *text = json_of(cases[i][0]);
    assert_string_equal(text, cases[i][1]);
    free(text);
  }
}

static void shortest_reads_back(void **state) {
  (void)state;
  char text[32];
  assert_string_equal(json_shortest(0.025, text), "0.025");
  assert_string_equal(json_shortest(1e-300, text), "1e-300");
  for (double x = 1.0 / 3; x < 1e20; x *= 7.1)
    assert_true(strtod(json_shortest(x, text), NULL) == x);
}

/* --- channels --- */

static const char *const one_name[] = {"x"};

static rattle_record_info info_of(long long samples, int n) {
  return (rattle_record_info){.samples = samples,
                              .n = n,
                              .every = 1,
                              .step = 0.1,
                              .coordinate_names = one_name,
                              .momentum_names = one_name,
                              .constraint_names = one_name,
                              .observable_names = one_name};
}

/* However many samples there are, all buckets together have the range of all of them. */
static void buckets_cover_all_samples(void **state) {
  (void)state;
  report_motion none = {0};
  for (long long samples = 1; samples < 400000; samples = samples * 3 + 1) {
    rattle_record_info info = info_of(samples, 1);
    report_channels channels;
    CHECK(report_channels_plan(&channels, &info, &none, error));
    assert_int_equal(channels.count, 3);
    assert_true(channels.buckets <= 6000 && channels.width * channels.buckets >= samples);
    assert_true(channels.width * (channels.buckets - 1) < samples);
    report_channels_free(&channels);
  }
}

/* Rows at evenly spaced samples, or one out of each stretch; extremes are kept with their whole
 * row. */
static void frames(void **state) {
  (void)state;
  report_frames even, scattered;
  CHECK(report_frames_plan(&even, 2, 5, 10, 4, error));
  CHECK(report_frames_plan(&scattered, 2, 0, 10, 10, error));
  CHECK(report_frames_scatter(&scattered, error));
  for (long long i = 0; i < 100; i++) {
    double row[2] = {i == 57 ? (double)NAN : sin((double)i), (double)(i == 33 ? 1000 : i)};
    report_frames_offer(&even, i, 0.5 * (double)i, row);
    report_frames_offer(&scattered, i, 0.5 * (double)i, row);
  }
  assert_int_equal(even.count, 4);
  for (int k = 0; k < 4; k++)
    assert_true(even.time[k] == 0.5 * (5 + 10 * k) && even.row[2 * k + 1] == 5 + 10 * k);
  assert_int_equal(scattered.count, 10);
  int moved = 0;
  for (int k = 0; k < 10; k++) {
    double i = scattered.time[k] / 0.5;
    assert_true(i >= 10 * k && i < 10 * k + 10);
    moved += i != 10 * k;
  }
  assert_true(moved >= 5);
  assert_true(scattered.low[1] == 0 && scattered.high[1] == 1000);
  assert_true(scattered.extreme[2 * 3 + 1] == 1000 && scattered.extreme[2 * 3] == sin(33.0));
  report_frames_free(&even), report_frames_free(&scattered);
}

/* --- spectra and trends --- */

static void feed(report_spectra *spectra, const report_channels *channels, long long samples,
                 double f, double amplitude) {
  double row[8] = {0};
  assert_true(channels->count <= 8);
  for (long long i = 0; i < samples; i++) {
    for (int c = 0; c < channels->count; c++)
      row[c] = 3 + c + (c + 1) * amplitude * sin(6.283185307179586 * f * (double)i + c);
    report_spectra_offer(spectra, i, row);
  }
  report_spectra_end(spectra);
}

/* A sine of amplitude A has a peak of height A at its frequency: in a short run, in one of several
 * segments, and when it lies between two bins. */
static void sine_has_its_amplitude(void **state) {
  (void)state;
  report_motion none = {0};
  static const struct {
    long long samples;
    double f;
  } cases[] = {{40, 0.2}, {1000, 0.123}, {70000, 0.3001}, {300000, 0.0517}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    rattle_record_info info = info_of(cases[i].samples, 1);
    report_channels channels;
    report_spectra spectra;
    double frequency[500], amplitude[500];
    CHECK(report_channels_plan(&channels, &info, &none, error));
    CHECK(report_spectra_plan(&spectra, &channels, &info, error));
    feed(&spectra, &channels, cases[i].samples, cases[i].f, 0.7);
    assert_int_equal(spectra.count, 2); /* energy and x */
    for (int which = 0; which < 2; which++) {
      long long peaks = report_spectra_peaks(&spectra, which, frequency, amplitude, 500), best = 0;
      assert_true(peaks > 10 && peaks <= 500);
      for (long long k = 0; k < peaks; k++) {
        if (amplitude[k] > amplitude[best]) best = k;
        assert_true(k == 0 || frequency[k] > frequency[k - 1]);
      }
      double wanted = 0.7 * (spectra.channel[which] + 1);
      assert_true(fabs(frequency[best] - cases[i].f) <= 1.0 / (double)spectra.size);
      assert_true(amplitude[best] > 0.95 * wanted && amplitude[best] < 1.01 * wanted);
      assert_true(frequency[peaks - 1] < 0.5 && frequency[peaks - 1] > 0.45);
    }
    report_spectra_free(&spectra);
    /* samples of steps that differ in length have none */
    info.adapts = 1;
    CHECK(report_spectra_plan(&spectra, &channels, &info, error));
    assert_int_equal(spectra.count, 0);
    report_channels_free(&channels);
  }
}

/* Samples off the rhythm are omitted; a segment with what is not finite counts for the other
 * channels only. */
static void spectra_of_odd_samples(void **state) {
  (void)state;
  report_motion none = {0};
  rattle_record_info info = info_of(200, 1);
  report_channels channels;
  report_spectra spectra;
  double frequency[500], amplitude[500];
  info.every = 5;
  CHECK(report_channels_plan(&channels, &info, &none, error));
  CHECK(report_spectra_plan(&spectra, &channels, &info, error));
  for (long long i = 0; i < 200; i++) {
    double row[8] = {i == 50 ? (double)NAN : 1, sin(0.9 * (double)i), 0};
    report_spectra_offer(&spectra, 5 * i, row);
    if (i == 100) report_spectra_offer(&spectra, 5 * i + 2, (double[]){1e9, 1e9, 1e9});
  }
  report_spectra_end(&spectra);
  assert_int_equal(report_spectra_peaks(&spectra, 0, frequency, amplitude, 500), 0);
  long long peaks = report_spectra_peaks(&spectra, 1, frequency, amplitude, 500);
  double most = 0;
  for (long long k = 0; k < peaks; k++) most = fmax(most, amplitude[k]);
  assert_true(most > 0.95 && most < 1.01);
  report_spectra_free(&spectra), report_channels_free(&channels);
}

static void trend(void **state) {
  (void)state;
  report_motion none = {0};
  rattle_record_info info = info_of(1000, 1);
  report_channels channels;
  CHECK(report_channels_plan(&channels, &info, &none, error));
  for (long long b = 0; b < channels.buckets; b++) {
    channels.time[b] = 0.1 * (double)b;
    channels.channel[0].sum[b] = 2 - 0.03 * channels.time[b] + sin((double)b),
    channels.channel[0].finite[b] = 1;
    channels.channel[1].sum[b] = sin((double)b), channels.channel[1].finite[b] = b != 500;
  }
  report_trend drift = report_trend_of(&channels, 0), steady = report_trend_of(&channels, 1),
               empty = report_trend_of(&channels, 2);
  assert_true(fabs(drift.slope + 0.03) < 3 * drift.error && drift.error < 1e-3);
  assert_true(fabs(steady.slope) < 3 * steady.error);
  assert_int_equal(empty.blocks, 0);
  report_channels_free(&channels);
}

/* --- rods and bodies --- */

static rattle_model *model_of(const char *text) {
  rattle_model *model = NULL;
  CHECK(rattle_model_parse(&model, text, "test", NULL, error));
  return model;
}

/* The motion of a model, as a record would give it. */
static report_motion motion_of(rattle_model *model, rattle_record_info *info) {
  enum { MOST = 32 };
  static const char *coordinates[MOST], *momenta[MOST], *constraints[MOST];
  report_motion motion;
  *info = info_of(50, rattle_model_pairs(model));
  info->m = rattle_model_constraints(model);
  assert_true(info->n <= MOST && info->m <= MOST);
  for (int k = 0; k < info->n; k++)
    coordinates[k] = rattle_model_coordinate_name(model, k),
    momenta[k] = rattle_model_momentum_name(model, k);
  for (int i = 0; i < info->m; i++) constraints[i] = rattle_model_constraint_name(model, i);
  info->coordinate_names = coordinates, info->momentum_names = momenta,
  info->constraint_names = constraints;
  CHECK(report_motion_find(&motion, info, error));
  CHECK(report_shape_find(&motion, info, model, error));
  CHECK(report_motion_plan(&motion, info, error));
  return motion;
}

static void rods(void **state) {
  (void)state;
  rattle_record_info info;
  rattle_model *model = model_of("local y2, b = pair('y2') local x1, a = pair('x1') local y1, c = "
                                 "pair('y1') local x2, d = pair('x2')\n"
                                 "local x3, e = pair('x3') local y3, f = pair('y3')\n"
                                 "hamiltonian(a^2 + b^2 + c^2 + d^2 + e^2 + f^2)\n"
                                 "constrain('hung', (x1 - 3)^2 + (y1 + 2)*(y1 + 2) - 4)\n"
                                 "constrain('link', 5*abs2(x2 - x1, y2 - y1) - 5)\n"
                                 "constrain('root', 2 - sqrt((x3 - x2)^2 + (y2 - y3)^2))\n"
                                 "constrain('origin', (x3^2 + y3^2)/2 - 1)\n"
                                 "constrain('ellipse', x1^2 + 2*y1^2 - 1)\n"
                                 "constrain('cubic', x1^3 + y1 - 1)\n"
                                 "constrain('speed', a^2 + b^2 - 1)\n"
                                 "constrain('three', (x1 - x2 - x3)^2 + (y1 - y2 - y3)^2 - 1)\n"
                                 "constrain('tilted', (x2 - x1)^2 + (y2 - y1)^2 + x1/10 - 1)\n"
                                 "constrain('imaginary', x2^2 + y2^2 + 1)\n");
  report_motion motion = motion_of(model, &info);
  assert_int_equal(motion.particles, 3), assert_int_equal(motion.dimension, 2),
      assert_int_equal(motion.is_space, 1);
  /* particles in the order in which they are first named: 2, 1, 3 */
  assert_int_equal(motion.coordinate[motion.column[0]], 3),
      assert_int_equal(motion.coordinate[motion.column[1]], 0);
  assert_int_equal(motion.column[2], -1);
  static const int32_t wanted[] = {-1, 1, 1, 0, 2, 0, -2, 2};
  assert_int_equal(motion.rods, 4);
  for (int r = 0; r < 4; r++) {
    const int32_t *rod = motion.rod + 2 * r, *want = wanted + 2 * r;
    if (!((rod[0] == want[0] && rod[1] == want[1]) || (rod[0] == want[1] && rod[1] == want[0])))
      fail_msg("rod %d joins %d and %d", r, rod[0], rod[1]);
  }
  assert_int_equal(motion.anchors, 2);
  assert_true(motion.anchor[0][0] == 3 && motion.anchor[0][1] == -2 && motion.anchor[1][0] == 0);
  assert_int_equal(motion.bodies, 0);
  report_motion_free(&motion);
  rattle_model_destroy(&model);
}

/* Nine coordinates, by columns or by rows of the matrix; H gives the proportions of the box. */
static void bodies(void **state) {
  (void)state;
  static const char *const orders[] = {"return R[i][j]", "return R[j][i]"};
  char text[1024];
  for (int by_rows = 0; by_rows < 2; by_rows++) {
    snprintf(text, sizeof text,
             "local R, d = {}, {4, 1, 0.25}\n"
             "for i = 1, 3 do R[i] = {} for j = 1, 3 do R[i][j] = pair('r' .. i .. j) "
             "mass(R[i][j], d[j]) end end\n"
             "local function at(i, j) %s end\n"
             "for j = 1, 3 do for k = 1, j do\n"
             "  local s = 0 for i = 1, 3 do s = s + at(i, j)*at(i, k) end\n"
             "  constrain('c' .. j .. k, s - (j == k and 1 or 0))\n"
             "end end potential(R[1][1])\n",
             orders[by_rows]);
    rattle_record_info info;
    rattle_model *model = model_of(text);
    report_motion motion = motion_of(model, &info);
    assert_int_equal(motion.bodies, 1), assert_int_equal(motion.particles, 0),
        assert_int_equal(motion.dimension, 3);
    for (int i = 0; i < 9; i++) {
      assert_int_equal(motion.body[0].coordinate[i], i);
      assert_int_equal(motion.coordinate[motion.body[0].column[i]], i);
    }
    const double *half = motion.body[0].half;
    assert_true(fabs(half[0] - 1) < 1e-12 && fabs(half[1] - 0.5) < 1e-12 &&
                fabs(half[2] - 0.25) < 1e-12);
    report_motion_free(&motion);
    rattle_model_destroy(&model);
  }
}

/* If no name is an axis, all coordinates but the time are shown: (q, p) of one, two of two, three
 * of three; more are no picture. */
static void other_coordinates(void **state) {
  (void)state;
  static const struct {
    const char *text;
    int dimension, first[3];
  } cases[] = {{"local a, p = pair('theta') hamiltonian(p^2)", 2, {0, -1, 99}},
               {"local a, p = pair('a') local b = pair('b') hamiltonian(p^2)", 2, {0, 1, 99}},
               {"local a, p = pair('x') local b = pair('v') local c = pair('w') hamiltonian(p^2)",
                3,
                {0, 1, 2}},
               {"local a, p = pair('x') local b = pair('v') local t = time() local c = pair('w') "
                "hamiltonian(p^2)",
                3,
                {0, 1, 3}},
               {"local a, p = pair('x') local b = pair('v') local c = pair('w') local d = "
                "pair('z1') hamiltonian(p^2)",
                0,
                {99, 99, 99}}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    rattle_record_info info;
    rattle_model *model = model_of(cases[i].text);
    report_motion motion = motion_of(model, &info);
    assert_int_equal(motion.particles, cases[i].dimension > 0),
        assert_int_equal(motion.is_space, 0);
    assert_int_equal(motion.dimension, cases[i].dimension);
    for (int d = 0; d < motion.dimension; d++)
      assert_int_equal(motion.coordinate[motion.column[d]], cases[i].first[d]);
    report_motion_free(&motion);
    rattle_model_destroy(&model);
  }
}

/* Drawings of a model: equal expressions are one column, numbers are constants, a place with a
 * third coordinate makes space. */
static void drawn(void **state) {
  (void)state;
  rattle_model *model =
      model_of("local x, p = pair('x') local y = pair('y') hamiltonian(p^2)\n"
               "draw { link = {{0, 0}, {x*y, y}}, size = 0.5 } draw { point = {y, x*y, 0} }\n"
               "draw { surface = x^2 + y^2 - 1, over = {x, y} } draw { angles = {x} }");
  report_drawn drawn;
  CHECK(report_drawn_read(&drawn, model, error));
  assert_int_equal(drawn.things, 2), assert_int_equal(drawn.places, 3),
      assert_int_equal(drawn.columns, 2);
  assert_int_equal(drawn.dimension, 2), assert_int_equal(drawn.surfaces, 1),
      assert_int_equal(rattle_model_observables(model), 2);
  const int32_t want[] = {-2, -2, -1, 0, 1, -1, 1, 0, -2};
  assert_memory_equal(drawn.place, want, sizeof want);
  assert_true(drawn.constants == 1 && drawn.constant[0] == 0 && drawn.thing[0].is.size[0] == 0.5 &&
              drawn.thing[1].at == 2);
  assert_true(rattle_model_is_angle(model, 0) && !rattle_model_is_angle(model, 1));
  int count[3];
  double *values = report_surface_values(model, &drawn.surface[0], (double[]){-2, -1, 0},
                                         (double[]){2, 1, 0}, count);
  assert_true(count[0] == 129 && count[1] == 129 && count[2] == 1);
  assert_true(values[0] == 4 && values[64 + 129 * 64] == -1 && values[96 + 129 * 64] == 0);
  free(values);
  report_drawn_free(&drawn);
  rattle_model_destroy(&model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(drawn),
      cmocka_unit_test(base64),
      cmocka_unit_test(json_ends_no_script),
      cmocka_unit_test(shortest_reads_back),
      cmocka_unit_test(buckets_cover_all_samples),
      cmocka_unit_test(frames),
      cmocka_unit_test(sine_has_its_amplitude),
      cmocka_unit_test(spectra_of_odd_samples),
      cmocka_unit_test(trend),
      cmocka_unit_test(rods),
      cmocka_unit_test(bodies),
      cmocka_unit_test(other_coordinates),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
