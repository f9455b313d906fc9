/* Bonds of arrays of floats: what is stored has its lengths and rates to the tolerance, and is what
 * doubles give, rounded. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "unit/common_molecules.h"

enum { COPIES = 19 };

static float *narrowed(const double *x, long long count) {
  float *y = room(count, sizeof *y);
  for (long long i = 0; i < count; i++) y[i] = (float)x[i];
  return y;
}

/* Relative errors of lengths, or of rates where v is not NULL: the largest, in long double. */
static double worst_of(const scene *s, const float *x, const float *v) {
  long double worst = 0;
  for (long long k = 0; k < s->bonds; k++) {
    const int i = 3 * s->pair[2 * k], j = 3 * s->pair[2 * k + 1];
    long double rr = 0, rate = 0, vv = 0;
    for (int d = 0; d < 3; d++) {
      const long double r = (long double)x[i + d] - x[j + d];
      rr += r * r;
      if (v)
        rate += r * ((long double)v[i + d] - v[j + d]),
            vv += (long double)v[i + d] * v[i + d] + (long double)v[j + d] * v[j + d];
    }
    worst = fmaxl(worst, v ? fabsl(rate) / sqrtl(rr * vv) : fabsl(sqrtl(rr) / s->length[k] - 1));
  }
  return (double)worst;
}

static double figure_of(const rattle_error *error) {
  const char *at = strstr(error->message, "floats reach ");
  if (!at) fail_msg("%s", error->message);
  return strtod(at + strlen("floats reach "), NULL);
}

/* The least tolerance that positions at x accept. */
static double reachable(const scene *s, const float *x0, const float *x) {
  const rattle_bonds_options options = {.struct_size = sizeof options, .tolerance = 2e-7};
  rattle_error error;
  rattle_bonds *bonds = scene_bonds(s, &options, &error);
  float *y = room(3 * s->atoms, sizeof *y);
  memcpy(y, x, 3 * (size_t)s->atoms * sizeof *y);
  assert_int_equal(rattle_bonds_positions_float(bonds, x0, y, NULL, 0, NULL, NULL, &error),
                   RATTLE_BAD_ARGUMENT);
  assert_memory_equal(x, y, 3 * (size_t)s->atoms * sizeof *y);
  free(y);
  rattle_bonds_destroy(&bonds);
  return 1.1 * figure_of(&error);
}

static void one_molecule(const molecule *m, int away, const char *instructions) {
  scene s;
  rattle_error error;
  scene_open(&s, m, COPIES, away, 0.02);
  const long long n = 3 * s.atoms;
  for (long long i = 0; i < n; i++)
    s.x0[i] = (double)(float)(s.x0[i] + 50 * away), s.v[i] = (double)(float)s.v[i];
  scene_move(&s);
  float *x0 = narrowed(s.x0, n), *x = narrowed(s.start, n), *v = narrowed(s.v, n);
  double *multipliers[2] = {room(s.bonds, sizeof(double)), room(s.bonds, sizeof(double))},
         *twin = room(2 * n, sizeof *twin);
  const rattle_bonds_options options = {.struct_size = sizeof options,
                                        .tolerance = reachable(&s, x0, x),
                                        .instructions = instructions};
  rattle_bonds *bonds = scene_bonds(&s, &options, &error), *doubles = scene_bonds(&s, NULL, &error);
  assert_true(bonds || instructions); /* another processor */
  for (long long i = 0; i < n; i++) twin[i] = (double)x[i], twin[n + i] = (double)v[i];
  rattle_bonds_outputs out = {.struct_size = sizeof out, .multipliers = multipliers[0]};
  if (bonds && rattle_bonds_positions_float(bonds, x0, x, v, s.h, NULL, &out, &error))
    fail_msg("%s: %s", m->name, error.message);
  out.multipliers = multipliers[1];
  if (bonds && rattle_bonds_positions_out(doubles, s.x0, twin, twin + n, s.h, NULL, &out, &error))
    fail_msg("%s", error.message);
  for (long long i = 0; i < n && bonds; i++) {
    const double near = 4 * options.tolerance; /* the errors of lengths, and conditions */
    if (!(fabs((double)x[i] - twin[i]) < near && fabs((double)v[i] - twin[n + i]) < near / s.h))
      fail_msg("%s: %.9g and %.9g, %.9g and %.9g", m->name, (double)x[i], twin[i], (double)v[i],
               twin[n + i]);
  }
  for (long long k = 0; k < s.bonds && bonds; k++)
    assert_true(fabs(multipliers[0][k] - multipliers[1][k]) < 1000 * options.tolerance);
  if (bonds && !(worst_of(&s, x, NULL) <= options.tolerance))
    fail_msg("%s: lengths are off by %g, and the tolerance is %g", m->name, worst_of(&s, x, NULL),
             options.tolerance);
  if (bonds && rattle_bonds_velocities_float(bonds, x, v, NULL, NULL, &error))
    fail_msg("%s: %s", m->name, error.message);
  if (bonds && !(worst_of(&s, x, v) <= options.tolerance))
    fail_msg("%s: rates are off by %g", m->name, worst_of(&s, x, v));
  rattle_bonds_destroy(&bonds);
  rattle_bonds_destroy(&doubles);
  free(x0), free(x), free(v), free(multipliers[0]), free(multipliers[1]), free(twin);
  scene_close(&s);
}

static void lengths_and_rates(void **unused) {
  (void)unused;
  static const char *const names[] = {NULL, "plain", "avx2"};
  molecule *m = room(1, sizeof *m);
  for (int kind = 0; kind < KINDS; kind++)
    for (int k = 0; k < 6; k++) {
      molecule_make(m, kind);
      one_molecule(m, k % 2, names[k / 2]);
    }
  free(m);
}

/* The default is refused with the figure that floats reach at best; numbers that are not finite are
 * errors that name the atom; nothing changes. */
static void refused(void **unused) {
  (void)unused;
  molecule *m = room(1, sizeof *m);
  scene s;
  rattle_error error;
  molecule_make(m, 5);
  scene_open(&s, m, 3, 1, 0.02);
  scene_move(&s);
  float *x0 = narrowed(s.x0, 3 * s.atoms), *x = narrowed(s.x, 3 * s.atoms),
        *before = narrowed(s.x, 3 * s.atoms);
  rattle_bonds *bonds = scene_bonds(&s, NULL, &error);
  assert_int_equal(rattle_bonds_positions_float(bonds, x0, x, NULL, 0, NULL, NULL, &error),
                   RATTLE_BAD_ARGUMENT);
  assert_int_equal(rattle_bonds_velocities_float(bonds, x0, x, NULL, NULL, &error),
                   RATTLE_BAD_ARGUMENT);
  assert_true(fabs(figure_of(&error) / (double)FLT_EPSILON - 1) < 0.02);
  assert_memory_equal(x, before, 3 * (size_t)s.atoms * sizeof *x);
  rattle_bonds_destroy(&bonds);
  static const char *const names[] = {NULL, "plain", "avx2"};
  const float kept = x0[3 * 7 + 2];
  for (int k = 0; k < 3; k++) {
    const rattle_bonds_options options = {
        .struct_size = sizeof options, .tolerance = 1e-4, .instructions = names[k]};
    bonds = scene_bonds(&s, &options, &error);
    if (!bonds && names[k]) continue; /* another processor */
    memcpy(x, before, 3 * (size_t)s.atoms * sizeof *x);
    x0[3 * 7 + 2] = kept, x[3 * 4 + 1] = (float)NAN;
    assert_int_equal(rattle_bonds_positions_float(bonds, x0, x, NULL, 0, NULL, NULL, &error),
                     RATTLE_DOMAIN);
    assert_non_null(strstr(error.message, "position of atom 4"));
    /* a cluster whose bonds have their lengths asks for nothing at x0 */
    x[3 * 4 + 1] = 0, x[3 * 7 + 1] += 0.01f, x0[3 * 7 + 2] = (float)INFINITY;
    assert_int_equal(rattle_bonds_positions_float(bonds, x0, x, NULL, 0, NULL, NULL, &error),
                     RATTLE_DOMAIN);
    assert_non_null(strstr(error.message, "position of atom 7"));
    rattle_bonds_destroy(&bonds);
  }
  free(x0), free(x), free(before);
  scene_close(&s);
  free(m);
}

/* Velocities beyond what floats hold are an error that names the atom, by both stages; nothing of
 * the cluster changes. The second cluster has no such velocities. */
static void beyond_floats(void **unused) {
  (void)unused;
  enum { NUMBERS = 12 };
  const rattle_bonds_topology topology = {.struct_size = sizeof topology,
                                          .atoms = 4,
                                          .bonds = 2,
                                          .pairs = (const int[]){0, 1, 2, 3},
                                          .lengths = (const double[]){1, 1},
                                          .masses = (const double[]){INFINITY, 1, INFINITY, 1}};
  const rattle_bonds_options options = {.struct_size = sizeof options, .tolerance = 1e-4};
  /* what is left of (a, a) across the bond is (1.2 a, 0.5 a) */
  const float x0[NUMBERS] = {0, 0, 0, -0.382683432f, 0.923879533f, 0, 0, 5, 0, 1, 5, 0},
              fast = 3.3e38f;
  const float before[NUMBERS] = {0, 0, 0, fast, fast, 0, 0, 0, 0, 0.5f, 1, 0};
  float x[NUMBERS], v[NUMBERS];
  rattle_error error;
  rattle_bonds *bonds;
  if (rattle_bonds_create(&bonds, &topology, &options, &error)) fail_msg("%s", error.message);
  memcpy(v, before, sizeof v);
  assert_int_equal(rattle_bonds_velocities_float(bonds, x0, v, NULL, NULL, &error), RATTLE_DOMAIN);
  assert_non_null(strstr(error.message, "velocity of atom 1,"));
  assert_memory_equal(v, before, 6 * sizeof *v);
  for (int k = 6; k < NUMBERS; k++) assert_true(isfinite(v[k]));
  /* a step so short that a small change of positions is a large velocity */
  memcpy(v, before, sizeof v);
  memcpy(x, x0, sizeof x);
  x[3] *= 1.25f, x[4] *= 1.25f;
  assert_int_equal(rattle_bonds_positions_float(bonds, x0, x, v, 1e-39, NULL, NULL, &error),
                   RATTLE_DOMAIN);
  assert_non_null(strstr(error.message, "velocity of atom 1,"));
  assert_true(x[3] == 1.25f * x0[3]);
  assert_memory_equal(v, before, 6 * sizeof *v);
  rattle_bonds_destroy(&bonds);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(lengths_and_rates), cmocka_unit_test(refused),
                                     cmocka_unit_test(beyond_floats)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
