/* The stage of velocities before half a step of forces: against sweeps in long double of the sum,
 * and what it leaves as it was. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "unit/common_molecules.h"

static const double by = 0.015;

/* A stage from the scene's x0 and v, with forces f. */
static rattle_status stage(const scene *s, rattle_bonds *bonds, const double *f, double *v,
                           double *x0, double *forces, rattle_error *error) {
  const rattle_bonds_half_step half = {
      .struct_size = sizeof half, .f = f, .by = by, .scale = 1 / by, .x0 = x0, .forces = forces};
  memcpy(v, s->v, 3 * (size_t)s->atoms * sizeof *v);
  return rattle_bonds_velocities_ahead(bonds, s->x0, v, &half, NULL, error);
}

/* All kinds of molecules; copies < 8 of large ones are solved in pieces. */
static void as_the_sum(void **unused) {
  (void)unused;
  static const char *const names[] = {"plain", "avx2", "avx512"};
  for (int kind = 0; kind < KINDS; kind++)
    for (int copies = 3; copies < 12; copies += 8) {
      static molecule m;
      scene s;
      rattle_error error;
      molecule_make(&m, kind);
      scene_open(&s, &m, copies, kind % 2, 0.02);
      const long long n = 3 * s.atoms;
      double *f = room(n, sizeof *f), *v = room(4 * n, sizeof *v), *x0 = v + n, *forces = x0 + n,
             *first = forces + n;
      for (long long i = 0; i < n; i++) f[i] = 200 * (drawn() - 0.5);
      long double *sum = room(n, sizeof *sum), *y = room(n, sizeof *y);
      for (long long i = 0; i < n; i++)
        y[i] = sum[i] = s.v[i] + (long double)by / s.mass[i / 3] * f[i];
      scene_sweep(&s, 0, s.x0, y, NULL);
      for (int i = 0; i < 3; i++) {
        const rattle_bonds_options options = {
            .struct_size = sizeof options, .tolerance = 1e-13, .instructions = names[i]};
        rattle_bonds *bonds = scene_bonds(&s, &options, &error);
        if (!bonds) continue; /* another processor */
        for (long long k = 0; k < n; k++) x0[k] = 99;
        if (stage(&s, bonds, f, v, x0, forces, &error)) fail_msg("%s: %s", m.name, error.message);
        for (long long k = 0; k < n; k++) {
          const long double change = y[k] - sum[k], force = change * s.mass[k / 3] / by;
          if (!(fabsl(v[k] - (s.v[k] + change)) <= 1e-11L) ||
              !(fabsl(forces[k] - force) <= 1e-9L * (1 + s.mass[k / 3])) || x0[k] != s.x0[k])
            fail_msg("%s by %s, %lld: %g for %Lg, force %g for %Lg", m.name, names[i], k,
                     v[k] - s.v[k], change, forces[k], force);
        }
        if (i == 0) memcpy(first, v, (size_t)n * sizeof *v);
        assert_memory_equal(first, v, (size_t)n * sizeof *v);
        rattle_bonds_destroy(&bonds);
      }
      free(f), free(v), free(sum), free(y);
      scene_close(&s);
    }
}

/* A straight molecule, four beads with all distances, a pair of which one atom is fixed, and an
 * atom without bonds: v + by f/m is what the stage without f makes of that sum, and nothing else
 * moves. */
static void with_others(void **unused) {
  (void)unused;
  enum { ALL = 10 };
  const int pairs[] = {0, 1, 1, 2, 3, 4, 3, 5, 3, 6, 4, 5, 4, 6, 5, 6, 7, 8}, angle[] = {0, 1, 2};
  const double mass[ALL] = {16, 12, 16, 1, 2, 3, 4, (double)INFINITY, 2, 5}, straight = acos(-1);
  const double x[3 * ALL] = {0, 0, 0, 1, 0, 0, 2, 0, 0, 5, 5, 5,  6, 5, 5,
                             5, 6, 5, 5, 5, 6, 9, 9, 9, 9, 9, 10, 1, 2, 3};
  const double root = sqrt(2.0), lengths[] = {1, 1, 1, 1, 1, root, root, root, 1};
  const rattle_bonds_topology t = {.struct_size = sizeof t,
                                   .atoms = ALL,
                                   .bonds = 9,
                                   .pairs = pairs,
                                   .lengths = lengths,
                                   .masses = mass,
                                   .angles = 1,
                                   .angle_atoms = angle,
                                   .angle_values = &straight};
  double v[3 * ALL], f[3 * ALL], sum[3 * ALL], after[3 * ALL], x0[3 * ALL] = {0},
                                                                      forces[3 * ALL] = {0};
  rattle_bonds *bonds;
  rattle_error error;
  if (rattle_bonds_create(&bonds, &t, NULL, &error)) fail_msg("%s", error.message);
  for (int i = 0; i < 3 * ALL; i++) {
    v[i] = i / 3 == 7 ? 0 : drawn() - 0.5, f[i] = 30 * (drawn() - 0.5);
    sum[i] = after[i] = v[i] + (isfinite(mass[i / 3]) ? by / mass[i / 3] * f[i] : 0);
  }
  double given[3 * ALL];
  memcpy(given, v, sizeof v);
  const rattle_bonds_half_step half = {
      .struct_size = sizeof half, .f = f, .by = by, .x0 = x0, .forces = forces};
  assert_int_equal(rattle_bonds_velocities(bonds, x, after, NULL, &error), RATTLE_OK);
  assert_int_equal(rattle_bonds_velocities_ahead(bonds, x, v, &half, NULL, &error), RATTLE_OK);
  for (int i = 0; i < 3 * ALL; i++) {
    const double change = after[i] - sum[i], m = mass[i / 3];
    if (!(fabs(v[i] - given[i] - change) <= 1e-14)) fail_msg("%d: %g", i, v[i] - given[i] - change);
    if (!(fabs(forces[i] - (isfinite(m) ? m * change : 0)) <= 1e-13)) fail_msg("%d", i);
    assert_true(x0[i] == (i < 27 ? x[i] : 0));
  }
  assert_memory_equal(v + 27, given + 27, 3 * sizeof *v);
  rattle_bonds_destroy(&bonds);
}

/* The cluster of a force that is not finite stays as it was, in lanes and in pieces. */
static void failures(void **unused) {
  (void)unused;
  for (int copies = 3; copies < 12; copies += 8) {
    static molecule m;
    scene s;
    rattle_error error;
    molecule_make(&m, KINDS - 1);
    scene_open(&s, &m, copies, 0, 0.02);
    rattle_bonds *bonds = scene_bonds(&s, NULL, &error);
    const size_t n = 3 * (size_t)s.atoms, own = 3 * (size_t)m.atoms;
    double *f = room((long long)n, sizeof *f), *v = room((long long)n, sizeof *v);
    f[own + 4] = (double)NAN;
    assert_int_equal(stage(&s, bonds, f, v, NULL, NULL, &error), RATTLE_DOMAIN);
    assert_memory_equal(v + own, s.v + own, own * sizeof *v);
    assert_memory_not_equal(v, s.v, own * sizeof *v);
    if (copies > 8) assert_non_null(strstr(error.message, "the force of atom"));
    const rattle_bonds_half_step none = {.struct_size = sizeof none, .by = by},
                                 endless = {
                                     .struct_size = sizeof none, .f = f, .by = (double)INFINITY};
    assert_int_equal(rattle_bonds_velocities_ahead(bonds, s.x0, v, &none, NULL, &error),
                     RATTLE_BAD_ARGUMENT);
    assert_non_null(strstr(error.message, "give forces"));
    assert_int_equal(rattle_bonds_velocities_ahead(bonds, s.x0, v, &endless, NULL, &error),
                     RATTLE_BAD_ARGUMENT);
    free(f), free(v);
    rattle_bonds_destroy(&bonds);
    scene_close(&s);
  }
}

int main(int arguments, char **argument) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(as_the_sum), cmocka_unit_test(with_others),
                                     cmocka_unit_test(failures)};
  if (arguments > 1) cmocka_set_test_filter(argument[1]);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
