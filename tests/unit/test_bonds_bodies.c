/* Bodies of any size: against the bonds that hold the same shape, free motion, freedoms, and what is
 * refused. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "rattle/bonds.h"

static void assert_near(double value, double right, double most) {
  if (!(fabs(value - right) <= most)) fail_msg("%.17g, not %.17g", value, right);
}

enum { MANY = 300 };

static double drawn(void) {
  static uint64_t state = 5;
  state = state * 6364136223846793005u + 1442695040888963407u;
  return 2 * (double)(state >> 11) / 9007199254740992.0 - 1;
}

static double distance(const double *x, int i, int j) {
  return sqrt(pow(x[3 * i] - x[3 * j], 2) + pow(x[3 * i + 1] - x[3 * j + 1], 2) +
              pow(x[3 * i + 2] - x[3 * j + 2], 2));
}

/* A body of the first `count` atoms. */
static rattle_bonds *body_of(int atoms, int count, const double *x, const double *mass) {
  int *list = malloc((size_t)count * sizeof *list);
  rattle_bonds *bonds;
  rattle_error error = {0};
  for (int k = 0; k < count; k++) list[k] = k;
  const rattle_bonds_topology t = {.struct_size = sizeof t,
                                   .atoms = atoms,
                                   .masses = mass,
                                   .bodies = 1,
                                   .body_first = (long long[]){0, count},
                                   .body_atoms = list,
                                   .body_places = x};
  if (rattle_bonds_create(&bonds, &t, NULL, &error)) fail_msg("%s", error.message);
  free(list);
  return bonds;
}

/* Four atoms with their six distances move by Newton's iteration as the body does. */
static void as_bonds(void **state) {
  (void)state;
  const int pair[] = {0, 1, 0, 2, 0, 3, 1, 2, 1, 3, 2, 3};
  const double mass[] = {12, 1, 2, 3};
  double x0[12], x[2][12], v[2][12], length[6], scale = 2;
  for (int k = 0; k < 12; k++) x0[k] = drawn();
  for (int k = 0; k < 6; k++) length[k] = distance(x0, pair[2 * k], pair[2 * k + 1]);
  const rattle_bonds_topology t = {.struct_size = sizeof t,
                                   .atoms = 4,
                                   .bonds = 6,
                                   .pairs = pair,
                                   .lengths = length,
                                   .masses = mass};
  rattle_bonds *both[2] = {NULL, body_of(4, 4, x0, mass)};
  assert_int_equal(rattle_bonds_create(&both[0], &t, NULL, NULL), RATTLE_OK);
  for (int k = 0; k < 12; k++)
    x[0][k] = x[1][k] = x0[k] + 0.05 * drawn(), v[0][k] = v[1][k] = drawn();
  double f[2][12], virial[2][6];
  for (int b = 0; b < 2; b++) {
    const rattle_bonds_outputs out = {
        .struct_size = sizeof out, .forces = f[b], .virial = virial[b], .scale = scale};
    assert_int_equal(rattle_bonds_positions_out(both[b], x0, x[b], v[b], 0.1, NULL, &out, NULL),
                     RATTLE_OK);
  }
  for (int k = 0; k < 12; k++) {
    assert_near(x[0][k], x[1][k], 1e-11);
    assert_near(v[0][k], v[1][k], 1e-10);
    assert_near(f[0][k], f[1][k], 1e-9);
  }
  for (int k = 0; k < 6; k++) assert_near(virial[0][k], virial[1][k], 1e-9);
  for (int b = 0; b < 2; b++)
    assert_int_equal(rattle_bonds_velocities(both[b], x[0], v[b], NULL, NULL), RATTLE_OK);
  for (int k = 0; k < 12; k++) assert_near(v[0][k], v[1][k], 1e-10);
  const int group[] = {0, 1, 1, 0};
  double removed[2][2];
  for (int b = 0; b < 2; b++)
    assert_int_equal(rattle_bonds_removed(both[b], group, 2, removed[b], NULL), RATTLE_OK);
  assert_near(removed[1][0] + removed[1][1], 6, 1e-13);
  assert_near(removed[0][0] + removed[0][1], 6, 1e-13);
  for (int b = 0; b < 2; b++) rattle_bonds_destroy(&both[b]);
}

static void momenta(int count, const double *m, const double *x, const double *v, double *result) {
  memset(result, 0, 7 * sizeof *result);
  for (int i = 0; i < count; i++)
    for (int d = 0; d < 3; d++) {
      const int e = (d + 1) % 3, f = (d + 2) % 3;
      result[d] += m[i] * v[3 * i + d];
      result[3 + d] += m[i] * (x[3 * i + e] * v[3 * i + f] - x[3 * i + f] * v[3 * i + e]);
      result[6] += m[i] * v[3 * i + d] * v[3 * i + d] / 2;
    }
}

/* A free body of 300 atoms: its shape, momentum, angular momentum and energy stay, as Moser and
 * Veselov's map has it, and its error becomes a quarter where the step is halved. */
static void free_motion(void **state) {
  (void)state;
  static double start[3 * MANY], speed[3 * MANY], mass[MANY], x0[3 * MANY], x[3 * MANY],
      v[3 * MANY], end[3][3 * MANY];
  double apart[2] = {0};
  for (int k = 0; k < 3 * MANY; k++) start[k] = drawn() * (1 + k % 3), speed[k] = 0.5 * drawn();
  const double spin[] = {1, 0.7, 1.2};
  for (int k = 0; k < MANY; k++) {
    mass[k] = 1.5 + drawn();
    for (int d = 0; d < 3; d++) {
      const int e = (d + 1) % 3, f = (d + 2) % 3;
      speed[3 * k + d] += spin[e] * start[3 * k + f] - spin[f] * start[3 * k + e];
    }
  }
  rattle_bonds *bonds = body_of(MANY, MANY, start, mass);
  assert_int_equal(rattle_bonds_velocities(bonds, start, speed, NULL, NULL), RATTLE_OK);
  for (int half = 0; half < 3; half++) {
    const double h = 0.04 / (1 << half);
    double before[7], after[7];
    memcpy(x, start, sizeof x), memcpy(v, speed, sizeof v);
    momenta(MANY, mass, x, v, before);
    for (int n = 0; n < 25 << half; n++) {
      memcpy(x0, x, sizeof x);
      for (int k = 0; k < 3 * MANY; k++) x[k] += h * v[k];
      assert_int_equal(rattle_bonds_positions(bonds, x0, x, v, h, NULL, NULL), RATTLE_OK);
      assert_int_equal(rattle_bonds_velocities(bonds, x, v, NULL, NULL), RATTLE_OK);
    }
    momenta(MANY, mass, x, v, after);
    memcpy(end[half], x, sizeof x);
    for (int k = 0; k < 7; k++) assert_near(after[k], before[k], 1e-12 * before[6]);
    for (int i = 1; i < MANY; i++) assert_near(distance(x, 0, i), distance(start, 0, i), 1e-13);
  }
  for (int k = 0; k < 3 * MANY; k++)
    for (int e = 0; e < 2; e++) apart[e] = fmax(apart[e], fabs(end[e][k] - end[e + 1][k]));
  assert_true(apart[0] > 1e-4);
  assert_near(apart[0] / apart[1], 4, 0.1);
  rattle_bonds_summary summary = {.struct_size = sizeof summary};
  assert_int_equal(rattle_bonds_summarise(bonds, &summary, NULL), RATTLE_OK);
  assert_int_equal(summary.rigid, 1);
  assert_int_equal(summary.clusters, 1);
  rattle_bonds_destroy(&bonds);
}

/* A square of four atoms with its six distances, which is found to be flat and rigid. */
static rattle_bonds *square_of(const double *x, const double *mass) {
  const int pair[] = {0, 1, 0, 2, 0, 3, 1, 2, 1, 3, 2, 3};
  double length[6];
  rattle_bonds *bonds;
  rattle_error error = {0};
  for (int k = 0; k < 6; k++) length[k] = distance(x, pair[2 * k], pair[2 * k + 1]);
  const rattle_bonds_topology t = {.struct_size = sizeof t,
                                   .atoms = 4,
                                   .bonds = 6,
                                   .pairs = pair,
                                   .lengths = length,
                                   .masses = mass};
  if (rattle_bonds_create(&bonds, &t, NULL, &error)) fail_msg("%s", error.message);
  return bonds;
}

/* A free square far from the origin keeps its momentum to the round-off of its velocities, not to
 * that of its positions, as a body and as bonds, with equal masses and with one that is the whole
 * mass but for a little. */
static void far_away(void **state) {
  (void)state;
  enum { STEPS = 2000 };
  const double square[] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0}, spin[] = {1, 0.7, 1.2}, h = 0.02;
  for (int n = 0; n < 4; n++) {
    const double mass[] = {n % 2 ? 1e-9 : 1, 1, n % 2 ? 1e-9 : 2, n % 2 ? 1e9 : 3};
    double x0[12], x[12], v[12], before[7], after[7];
    rattle_bonds *bonds = n < 2 ? body_of(4, 4, square, mass) : square_of(square, mass);
    for (int k = 0; k < 12; k++) x[k] = square[k] + 1e6;
    for (int k = 0; k < 12; k++) {
      const int i = k / 3, e = (k + 1) % 3, f = (k + 2) % 3;
      v[k] = 0.3 + spin[e] * square[3 * i + f] - spin[f] * square[3 * i + e];
    }
    momenta(4, mass, x, v, before);
    for (int step = 0; step < STEPS; step++) {
      memcpy(x0, x, sizeof x);
      for (int k = 0; k < 12; k++) x[k] += h * v[k];
      assert_int_equal(rattle_bonds_positions(bonds, x0, x, v, h, NULL, NULL), RATTLE_OK);
      assert_int_equal(rattle_bonds_velocities(bonds, x, v, NULL, NULL), RATTLE_OK);
    }
    momenta(4, mass, x, v, after);
    const double total = mass[0] + mass[1] + mass[2] + mass[3];
    for (int d = 0; d < 3; d++) assert_near(after[d] / total, before[d] / total, 1e-13);
    rattle_bonds_destroy(&bonds);
  }
}

/* A body beside a bond in a periodic box, its atoms in any images. */
static void box_and_bond(void **state) {
  (void)state;
  const rattle_bonds_box box = {{{9, 0, 0}, {2, 8, 0}, {1, -3, 7}}},
                         narrow = {{{1.5, 0, 0}, {0, 8, 0}, {0, 0, 7}}};
  const double mass[] = {1, 2, 3, 4, 5, 6};
  double x0[18], x[2][18];
  rattle_error error;
  for (int k = 0; k < 18; k++) x0[k] = drawn();
  const double length = distance(x0, 4, 5);
  rattle_bonds *bonds;
  const rattle_bonds_topology t = {.struct_size = sizeof t,
                                   .atoms = 6,
                                   .bonds = 1,
                                   .pairs = (int[]){4, 5},
                                   .lengths = &length,
                                   .masses = mass,
                                   .bodies = 1,
                                   .body_first = (long long[]){0, 4},
                                   .body_atoms = (int[]){0, 1, 2, 3},
                                   .body_places = x0};
  assert_int_equal(rattle_bonds_create(&bonds, &t, NULL, NULL), RATTLE_OK);
  for (int k = 0; k < 18; k++) x[0][k] = x[1][k] = x0[k] + 0.02 * drawn();
  assert_int_equal(rattle_bonds_positions(bonds, x0, x[0], NULL, 1, NULL, NULL), RATTLE_OK);
  double moved[18];
  memcpy(moved, x0, sizeof moved);
  for (int d = 0; d < 3; d++)
    moved[6 + d] += box.edge[1][d] - 2 * box.edge[2][d],
        x[1][6 + d] += box.edge[1][d] - 2 * box.edge[2][d];
  assert_int_equal(rattle_bonds_positions(bonds, moved, x[1], NULL, 1, &box, NULL), RATTLE_OK);
  for (int d = 0; d < 3; d++) x[1][6 + d] -= box.edge[1][d] - 2 * box.edge[2][d];
  for (int k = 0; k < 18; k++) assert_near(x[0][k], x[1][k], 1e-12);
  assert_near(distance(x[0], 4, 5), length, 1e-12);
  for (int i = 1; i < 4; i++) assert_near(distance(x[0], 0, i), distance(x0, 0, i), 1e-13);
  assert_int_equal(rattle_bonds_positions(bonds, x0, x[0], NULL, 1, &narrow, &error),
                   RATTLE_BAD_ARGUMENT);
  rattle_bonds_destroy(&bonds);
}

static void refused(rattle_bonds_topology t, const char *why) {
  rattle_bonds *bonds;
  rattle_error error;
  t.struct_size = sizeof t;
  assert_int_equal(rattle_bonds_create(&bonds, &t, NULL, &error), RATTLE_BAD_ARGUMENT);
  assert_non_null(strstr(error.message, why));
  assert_null(bonds);
}

static void mistakes(void **state) {
  (void)state;
  const double mass[] = {1, 1, 1, 0}, x[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1},
               line[] = {0.1, 0.2, 0.3, 0.2, 0.4, 0.6, 0.3, 0.6, 0.9}, one = 1;
  rattle_bonds_topology t = {.atoms = 4,
                             .masses = mass,
                             .bodies = 1,
                             .body_first = (long long[]){0, 3},
                             .body_atoms = (int[]){0, 1, 2},
                             .body_places = x};
  t.body_atoms = (int[]){0, 1, 4};
  refused(t, "atom 4 of body 0 is none");
  t.body_atoms = (int[]){0, 1, 1};
  refused(t, "atom 1 of body 0 has a bond, or is in a body already");
  t.body_atoms = (int[]){0, 1, 3};
  refused(t, "the mass of atom 3, which is in body 0, is 0");
  t.body_atoms = (int[]){0, 1, 2}, t.body_places = line;
  refused(t, "lies on a line");
  t.body_places = x, t.bonds = 1, t.pairs = (int[]){0, 1}, t.lengths = &one;
  refused(t, "atom 0 of body 0 has a bond");
  t.bonds = 0, t.body_first = (long long[]){0, 2};
  refused(t, "give three or more");
  t.body_places = NULL;
  refused(t, "is NULL");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(as_bonds), cmocka_unit_test(free_motion),
                                     cmocka_unit_test(far_away), cmocka_unit_test(box_and_bond),
                                     cmocka_unit_test(mistakes)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
