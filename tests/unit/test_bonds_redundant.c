/* Bonds that repeat others, contradict them, or have gradients that depend on one another;
 * angles. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "unit/common_molecules.h"

/* All pairs of n atoms. */
static void complete(molecule *m, int n) {
  static const int star[] = {0, 0, 0, 0, 0, 0, 0, 0};
  molecule_tree(m, "cage", n - 1, star);
  for (int i = 1; i < n; i++)
    for (int j = i + 1; j < n; j++) molecule_close(m, i, j);
  for (int a = 0; a < n; a++) {
    m->mass[a] = a ? 12 : 200;
    for (int d = 0; d < 3; d++) m->x[3 * a + d] = 2 * drawn();
  }
}

static void right(const scene *s) {
  for (long long k = 0; k < s->bonds; k++) {
    double dd = 0;
    for (int d = 0; d < 3; d++)
      dd += pow(s->x[3 * s->pair[2 * k] + d] - s->x[3 * s->pair[2 * k + 1] + d], 2);
    if (!(fabs(sqrt(dd) / s->length[k] - 1) < 1e-12))
      fail_msg("bond %lld is off by %g", k, sqrt(dd) / s->length[k] - 1);
  }
}

/* Cages of 4 to 7 atoms, each with all its distances: 3 n - 6 of them are independent. */
static void cages(void **unused) {
  (void)unused;
  molecule *m = room(1, sizeof *m);
  for (int n = 4; n < 8; n++) {
    scene s;
    rattle_error error;
    complete(m, n);
    scene_open(&s, m, 5, n % 2, 0.05);
    rattle_bonds *bonds = scene_bonds(&s, NULL, &error);
    if (!bonds) fail_msg("%d: %s", n, error.message);
    long long count;
    const int *repeated = rattle_bonds_repeated(bonds, &count);
    rattle_bonds_summary of = {.struct_size = sizeof of};
    assert_int_equal(rattle_bonds_summarise(bonds, &of, NULL), RATTLE_OK);
    assert_true(count == 5 * (n * (n - 1) / 2 - 3 * n + 6) && of.repeated == count &&
                of.bonds == s.bonds);
    for (long long k = 1; k < count; k++)
      assert_true(repeated[k] > repeated[k - 1] && repeated[k] < s.bonds);
    if (rattle_bonds_velocities(bonds, s.x0, s.v, NULL, &error)) fail_msg("%s", error.message);
    scene_move(&s);
    if (rattle_bonds_positions(bonds, s.x0, s.x, s.v, s.h, NULL, &error))
      fail_msg("%d: %s", n, error.message);
    right(&s);
    rattle_bonds_destroy(&bonds);
    scene_close(&s);
  }
  /* lengths that five atoms do not have */
  scene s;
  rattle_error error;
  complete(m, 5);
  scene_open(&s, m, 2, 0, 0.05);
  s.length[13] *= 1.01;
  assert_null(scene_bonds(&s, NULL, &error));
  assert_int_equal(error.status, RATTLE_BAD_ARGUMENT);
  if (!strstr(error.message, "contradict")) fail_msg("%s", error.message);
  scene_close(&s);
  free(m);
}

static rattle_status create(int atoms, int count, const int *pairs, const double *lengths,
                            rattle_error *error) {
  static const double masses[] = {1, 2, 3, 4, 5, 6};
  const rattle_bonds_topology topology = {.struct_size = sizeof topology,
                                          .atoms = atoms,
                                          .bonds = count,
                                          .pairs = pairs,
                                          .lengths = lengths,
                                          .masses = masses};
  rattle_bonds *bonds;
  const rattle_status status = rattle_bonds_create(&bonds, &topology, NULL, error);
  rattle_bonds_destroy(&bonds);
  return status;
}

static void refused(void **unused) {
  (void)unused;
  static const int square[] = {0, 1, 0, 2, 0, 3, 1, 2, 2, 3, 1, 3},
                   kite[] = {0, 1, 0, 2, 0, 3, 1, 2, 2, 3, 1, 3, 3, 4},
                   sides[] = {0, 1, 1, 2, 0, 2, 2, 3};
  static const int octahedron[] = {0, 2, 0, 3, 0, 4, 0, 5, 1, 2, 1, 3,
                                   1, 4, 1, 5, 2, 4, 2, 5, 3, 4, 3, 5};
  const double flat[] = {1, sqrt(2), 1, 1, 1, sqrt(2), 1},
               ones[] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
  const double none[] = {1, 1, 2.5}, line[] = {1, 1, 2, 1}, nearly[] = {1, 1, 1.999999999};
  const struct {
    int atoms, bonds;
    const int *pairs;
    const double *lengths;
    rattle_status status;
    const char *words; /* of the sentence; NULL: none */
  } cases[] = {
      {5, 7, kite, flat, RATTLE_UNSUITABLE, "in a plane"},
      {4, 6, square, flat, RATTLE_OK, NULL},
      {4, 6, square, ones, RATTLE_OK, NULL},
      {6, 12, octahedron, ones, RATTLE_OK, NULL},
      {3, 3, sides, none, RATTLE_BAD_ARGUMENT, "2.5 between 0 and 2"},
      {3, 3, sides, line, RATTLE_OK, NULL},
      {4, 4, sides, line, RATTLE_OK, NULL},
      {3, 3, sides, nearly, RATTLE_BAD_ARGUMENT, "give 2 instead"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    rattle_error error;
    assert_int_equal(
        create(cases[i].atoms, cases[i].bonds, cases[i].pairs, cases[i].lengths, &error),
        cases[i].status);
    if (cases[i].words) assert_non_null(strstr(error.message, cases[i].words));
  }
}

/* Atoms bonded to one, with all angles there. */
static rattle_bonds_topology by_angles(int bonds, const int *pairs, const double *lengths,
                                       const double *masses, const int *at, const double *values) {
  return (rattle_bonds_topology){.struct_size = sizeof(rattle_bonds_topology),
                                 .atoms = bonds + 1,
                                 .bonds = bonds,
                                 .pairs = pairs,
                                 .lengths = lengths,
                                 .masses = masses,
                                 .angles = bonds * (bonds - 1) / 2,
                                 .angle_atoms = at,
                                 .angle_values = values};
}

/* Water by its angle is water by its third side. */
static void angles(void **unused) {
  (void)unused;
  static const int pairs[] = {1, 0, 1, 2}, all[] = {1, 0, 1, 2, 0, 2}, at[] = {0, 1, 2},
                   wrong[] = {1, 0, 2};
  const double angle[] = {1.9}, half[] = {4},
               lengths[] = {1, 1.25, sqrt(1 + 1.5625 - 2.5 * cos(1.9))}, masses[] = {1, 16, 2};
  const rattle_bonds_topology by_angle = by_angles(2, pairs, lengths, masses, at, angle);
  rattle_bonds_topology t = by_angle;
  rattle_error error;
  rattle_bonds *bonds;
  double x[2][9];
  for (int k = 0; k < 2; k++) {
    const double x0[] = {0, 1, 0, 0, 0, 0, 1.25 * sin(1.9), 1.25 * cos(1.9), 0};
    if (k) t.bonds = 3, t.pairs = all, t.angles = 0;
    assert_int_equal(rattle_bonds_create(&bonds, &t, NULL, &error), RATTLE_OK);
    for (int i = 0; i < 9; i++) x[k][i] = x0[i] + 0.01 * (i * i % 7);
    assert_int_equal(rattle_bonds_positions(bonds, x0, x[k], NULL, 0, NULL, &error), RATTLE_OK);
    rattle_bonds_destroy(&bonds);
  }
  for (int i = 0; i < 9; i++) assert_true(fabs(x[0][i] - x[1][i]) < 1e-13);
  t = by_angle, t.angle_atoms = wrong;
  assert_int_equal(rattle_bonds_create(&bonds, &t, NULL, &error), RATTLE_BAD_ARGUMENT);
  assert_non_null(strstr(error.message, "angle 0 is at atom 0"));
  t.angle_atoms = at, t.angle_values = half;
  assert_int_equal(rattle_bonds_create(&bonds, &t, NULL, &error), RATTLE_BAD_ARGUMENT);
  /* CO2 by its angle of 180 degrees */
  static const double equal[] = {1.16, 1.16}, straight[] = {3.141592653589793};
  t.lengths = equal, t.angle_values = straight;
  assert_int_equal(rattle_bonds_create(&bonds, &t, NULL, &error), RATTLE_OK);
  rattle_bonds_destroy(&bonds);
}

/* CH4 by its six angles with as many digits as files have: what repeats the others is right to the
 * tolerance, or refused when bonds are made. */
static void digits(void **unused) {
  (void)unused;
  static const int pairs[] = {0, 1, 0, 2, 0, 3, 0, 4},
                   at[] = {1, 0, 2, 1, 0, 3, 1, 0, 4, 2, 0, 3, 2, 0, 4, 3, 0, 4};
  static const double lengths[] = {1.09, 1.09, 1.09, 1.09},
                      masses[] = {12.011, 1.008, 1.008, 1.008, 1.008};
  static const double degrees[] = {109.4712206, 109.47122, 109.471, 109.5},
                      reach[] = {1e-8, 1e-6, 1e-4, 1e-2};
  for (int k = 0; k < 8; k++) {
    const double tolerance = k % 2 ? reach[k / 2] / 100 : reach[k / 2],
                 angle = degrees[k / 2] * acos(-1) / 180, t = 1.09 / sqrt(3);
    const double values[] = {angle, angle, angle, angle, angle, angle};
    const rattle_bonds_topology topology = by_angles(4, pairs, lengths, masses, at, values);
    const rattle_bonds_options options = {.struct_size = sizeof options, .tolerance = tolerance};
    const double x0[] = {0, 0, 0, t, t, t, -t, -t, t, -t, t, -t, t, -t, -t};
    rattle_error error;
    rattle_bonds *bonds;
    const rattle_status status = rattle_bonds_create(&bonds, &topology, &options, &error);
    if (k % 2) {
      if (status != RATTLE_BAD_ARGUMENT || !strstr(error.message, "more digits"))
        fail_msg("%g, %g", degrees[k / 2], tolerance);
      continue;
    }
    if (status) fail_msg("%g: %s", degrees[k / 2], error.message);
    double x[15], v[15], removed;
    for (int i = 0; i < 15; i++) x[i] = x0[i] + 0.01 * (i * i % 7), v[i] = i * i % 5;
    if (rattle_bonds_positions(bonds, x0, x, v, 0.01, NULL, &error))
      fail_msg("%g: %s", degrees[k / 2], error.message);
    if (rattle_bonds_velocities(bonds, x, v, NULL, &error))
      fail_msg("%g: %s", degrees[k / 2], error.message);
    const double side = 2 * 1.09 * sin(angle / 2);
    for (int e = 0; e < 6; e++) {
      const double *a = x + 3 * at[3 * e], *b = x + 3 * at[3 * e + 2];
      const double off =
          sqrt(pow(a[0] - b[0], 2) + pow(a[1] - b[1], 2) + pow(a[2] - b[2], 2)) / side - 1;
      if (!(fabs(off) <= tolerance)) fail_msg("%g: off by %g", degrees[k / 2], off);
    }
    assert_int_equal(rattle_bonds_removed(bonds, (const int[]){0, 0, 0, 0, 0}, 1, &removed, &error),
                     RATTLE_OK);
    assert_true(fabs(removed - 9) < 1e-12);
    rattle_bonds_destroy(&bonds);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(cages), cmocka_unit_test(refused),
                                     cmocka_unit_test(angles), cmocka_unit_test(digits)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
