/* What the doctor says of callbacks whose derivatives are not those of their values; nothing of
 * sound ones. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "rattle/rattle.h"

typedef enum fault { SOUND, SLIGHT, SIGN, SWAPPED } fault;
typedef struct given {
  fault H, g;    /* of the derivatives */
  double length; /* unit of length */
  double digits; /* values are rounded to so many; 0: not */
} given;

static double rounded(double x, double digits) {
  if (digits == 0 || x == 0) return x;
  const double unit = pow(10, digits - 1 - floor(log10(fabs(x))));
  return round(x * unit) / unit;
}

static void spoil(fault f, double *first, double *second) {
  const double kept = *first;
  if (f == SLIGHT) *first *= 1 + 1e-4;
  if (f == SIGN) *first = -*first;
  if (f == SWAPPED) *first = *second, *second = kept;
}

/* A pendulum of length 1 with a magnet that depends on p: general. */
static int hamiltonian(void *context, const double *z, double *H, double *gradient) {
  const given *c = context;
  const double x = z[0] / c->length, y = z[1] / c->length, u = z[2], v = z[3], e = exp(0.3 * x);
  *H = rounded((e * u * u + v * v) / 2 + y + sin(x) * y * y, c->digits);
  gradient[0] = (0.15 * e * u * u + cos(x) * y * y) / c->length;
  gradient[1] = (1 + 2 * sin(x) * y) / c->length;
  gradient[2] = e * u, gradient[3] = v;
  spoil(c->H, &gradient[2], &gradient[3]);
  return 0;
}

static int constraint(void *context, const double *z, double *g, double *jacobian) {
  const given *c = context;
  const double x = z[0] / c->length, y = z[1] / c->length;
  *g = rounded(x * x + 2 * y * y - 1, c->digits);
  jacobian[0] = 2 * x / c->length, jacobian[1] = 4 * y / c->length, jacobian[2] = jacobian[3] = 0;
  spoil(c->g, &jacobian[0], &jacobian[1]);
  return 0;
}

/* The doctor's notes on callbacks at a start z = (q, p). */
static void diagnose(const rattle_callbacks *callbacks, const double *z, char note[2000]) {
  const rattle_doctor_options how = {
      .struct_size = sizeof how, .samples = 1, .no_trial = 1, .q = z, .p = z + callbacks->n};
  rattle_problem *problem;
  rattle_doctor *doctor;
  rattle_error error;
  if (rattle_problem_create_callbacks(&problem, callbacks, &error)) fail_msg("%s", error.message);
  if (rattle_doctor_create(&doctor, NULL, problem, &how, &error)) fail_msg("%s", error.message);
  snprintf(note, 2000, "%s", rattle_doctor_diagnosis(doctor)->note);
  rattle_doctor_destroy(&doctor);
  rattle_problem_destroy(&problem);
}

static void ask(given c, char note[2000]) {
  const double s = sqrt(0.5), z[4] = {c.length * s, -c.length * 0.5, 0.3, 0.3 * s * 2 * s};
  const rattle_callbacks callbacks = {.struct_size = sizeof callbacks,
                                      .n = 2,
                                      .m = 1,
                                      .flags = RATTLE_HOLONOMIC,
                                      .context = &c,
                                      .hamiltonian = hamiltonian,
                                      .constraint = constraint};
  diagnose(&callbacks, z, note);
}

static void expect(given c, const char *words) {
  char note[2000];
  ask(c, note);
  if (words ? !strstr(note, words) : strstr(note, "the derivative of") != NULL)
    fail_msg("H %d, g %d, length %g, digits %g: \"%s\"", c.H, c.g, c.length, c.digits, note);
}

static void sound_ones_are_not_named(void **state) {
  (void)state;
  for (int e = -9; e <= 9; e += 3)
    for (int digits = 0; digits <= 16; digits += digits ? 1 : 7)
      expect((given){SOUND, SOUND, pow(10, e), digits}, NULL);
}

static void wrong_ones_are_named(void **state) {
  (void)state;
  for (int e = -9; e <= 9; e += 3) {
    const double length = pow(10, e);
    expect((given){SLIGHT, SOUND, length, 0}, "the derivative of H by p[0]");
    expect((given){SIGN, SOUND, length, 0}, "the derivative of H by p[0]");
    expect((given){SWAPPED, SOUND, length, 0}, "the derivative of H by p[");
    expect((given){SOUND, SLIGHT, length, 0}, "the derivative of g[0] by q[0]");
    expect((given){SOUND, SIGN, length, 0}, "the derivative of g[0] by q[0]");
    expect((given){SOUND, SWAPPED, length, 0}, "the derivative of g[0] by q[");
  }
}

/* An angle after many turns: differences of a part of it say nothing of its cosine. */
static int turned(void *context, const double *z, double *H, double *gradient) {
  (void)context;
  *H = z[1] * z[1] / 2 - cos(z[0]);
  gradient[0] = sin(z[0]), gradient[1] = z[1];
  return 0;
}

static void sound_ones_far_away(void **state) {
  (void)state;
  for (double turns = 1; turns < 1e9; turns *= 3) {
    const double z[2] = {turns, 0.5};
    char note[2000];
    const rattle_callbacks callbacks = {
        .struct_size = sizeof callbacks, .n = 1, .hamiltonian = turned};
    diagnose(&callbacks, z, note);
    if (strstr(note, "the derivative of")) fail_msg("at %g: \"%s\"", turns, note);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(sound_ones_are_not_named),
                                     cmocka_unit_test(wrong_ones_are_named),
                                     cmocka_unit_test(sound_ones_far_away)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
