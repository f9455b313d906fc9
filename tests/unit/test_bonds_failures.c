/* Bonds at molecular scale: what is refused, what fails and how it is named, and what must not
 * fail. */
#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "unit/common_molecules.h"

static rattle_bonds *bonds_of(const scene *s) {
  rattle_error error;
  rattle_bonds *bonds = scene_bonds(s, NULL, &error);
  if (!bonds) fail_msg("%s", error.message);
  return bonds;
}

/* A stage of positions from `start`; the worst relative error of a length. */
static double moved(scene *s, const rattle_bonds_options *options, const char *name) {
  rattle_error error;
  double worst = 0;
  rattle_bonds *bonds = scene_bonds(s, options, &error);
  if (!bonds || rattle_bonds_positions(bonds, s->x0, s->x, s->v, s->h, NULL, &error))
    fail_msg("%s: %s", name, error.message);
  for (long long k = 0; k < s->bonds; k++) {
    double sum = 0;
    for (int d = 0; d < 3; d++)
      sum += pow(s->x[3 * s->pair[2 * k] + d] - s->x[3 * s->pair[2 * k + 1] + d], 2);
    worst = fmax(worst, fabs(sqrt(sum) / s->length[k] - 1));
  }
  rattle_bonds_destroy(&bonds);
  return worst;
}

static void expect(const rattle_error *error, const char *part) {
  if (!strstr(error->message, part)) fail_msg("no '%s' in: %s", part, error->message);
}

/* --- what is refused -------------------------------------------------------------------------- */

static void refusals(void **unused) {
  (void)unused;
  const double inf = (double)INFINITY;
  static const int good[] = {0, 1, 1, 2}, same[] = {0, 1, 1, 1}, out[] = {0, 1, 1, 3},
                   twice[] = {0, 1, 1, 0};
  const double lengths[] = {1, 2}, flat[] = {1, 0}, masses[] = {1, 2, 3}, light[] = {1, 0, 3},
               fixed[] = {1, inf, inf};
  const rattle_bonds_topology plain = {.struct_size = sizeof plain,
                                       .atoms = 3,
                                       .bonds = 2,
                                       .pairs = good,
                                       .lengths = lengths,
                                       .masses = masses};
  rattle_bonds_topology t[8];
  for (int k = 0; k < 8; k++) t[k] = plain;
  t[0].pairs = same, t[1].pairs = out, t[2].pairs = twice, t[3].lengths = flat, t[4].masses = light,
  t[5].masses = fixed, t[6].pairs = NULL, t[7].atoms = 0;
  static const char *const says[] = {
      "bond 1 is between atoms 1 and 1",
      "bond 1 is between atoms 1 and 3",
      "atoms 0 and 1 are connected by two bonds",
      "1 and 2, is 0: it must be above 0; two atoms at one place can be held in a model file",
      "bond 0, between atoms 0 and 1, has an atom of mass 0",
      "neither atom of bond 1",
      "is NULL",
      "0 atoms"};
  rattle_error error;
  for (int k = 0; k < 8; k++) {
    rattle_bonds *bonds = (rattle_bonds *)&error;
    assert_int_equal(rattle_bonds_create(&bonds, &t[k], NULL, &error), RATTLE_BAD_ARGUMENT);
    assert_null(bonds);
    if (!strstr(error.message, says[k])) fail_msg("case %d: %s", k, error.message);
  }
  rattle_bonds *bonds;
  rattle_bonds_options options = {.struct_size = sizeof options, .tolerance = 1e-17};
  assert_int_equal(rattle_bonds_create(&bonds, &plain, &options, &error), RATTLE_BAD_ARGUMENT);
  expect(&error, "from 1e-15, which numbers of 53 bits reach");
  options = (rattle_bonds_options){.struct_size = sizeof options, .instructions = "mmx"};
  assert_int_equal(rattle_bonds_create(&bonds, &plain, &options, &error), RATTLE_BAD_ARGUMENT);
  assert_int_equal(rattle_bonds_create(&bonds, &plain, NULL, &error), RATTLE_OK);
  const rattle_bonds_box upper = {{{9, 1, 0}, {0, 8, 0}, {0, 0, 7}}};
  double x[9] = {0};
  assert_int_equal(rattle_bonds_velocities(bonds, x, x, &upper, &error), RATTLE_BAD_ARGUMENT);
  assert_int_equal(rattle_bonds_positions(bonds, x, x, x, 0, NULL, &error), RATTLE_BAD_ARGUMENT);
  assert_int_equal(rattle_bonds_positions(bonds, x, x, x, 1e-320, NULL, &error),
                   RATTLE_BAD_ARGUMENT);
  expect(&error, "1/h must be a finite number");
  rattle_bonds_destroy(&bonds);
  rattle_bonds_destroy(&bonds);
}

/* Bonds of 1 and an angle of 120 degrees, whose distance is sqrt(3): a box must be wider than twice
 * that, of each bond that an image is taken of. In a box of 1.5 a bond of length 2.01 would pass for
 * one of 0.51. */
static void small_boxes(void **unused) {
  (void)unused;
  static const int pair[] = {0, 1, 1, 2}, at[] = {0, 1, 2};
  const double length[] = {1, 1}, angle[] = {acos(-0.5)}, mass[] = {1, 2, 3};
  rattle_bonds_topology t = {.struct_size = sizeof t,
                             .atoms = 3,
                             .bonds = 2,
                             .pairs = pair,
                             .lengths = length,
                             .masses = mass};
  for (int angles = 0; angles < 2; angles++) {
    const double least = angles ? 2 * sqrt(3) : 2;
    rattle_bonds *bonds;
    rattle_error error;
    t.angles = angles, t.angle_atoms = at, t.angle_values = angle;
    assert_int_equal(rattle_bonds_create(&bonds, &t, NULL, &error), RATTLE_OK);
    for (int e = 0; e < 6; e++) {
      rattle_bonds_box box = {{{9, 0, 0}, {-2, 9, 0}, {3, 1, 9}}};
      double x0[9] = {1, 0, 0, 0, 0, 0, -0.5, sqrt(0.75)}, x[9], v[9] = {0};
      box.edge[e / 2][e / 2] = least * (e % 2 ? 1 + 1e-9 : 1 - 1e-9);
      memcpy(x, x0, sizeof x);
      const rattle_status wanted = e % 2 ? RATTLE_OK : RATTLE_BAD_ARGUMENT;
      assert_int_equal(rattle_bonds_positions(bonds, x0, x, v, 0.1, &box, &error), wanted);
      if (wanted) expect(&error, "not shorter than half of that");
      assert_int_equal(rattle_bonds_velocities(bonds, x0, v, &box, &error), wanted);
      for (int i = 0; i < 9; i++) assert_true(fabs(x[i] - x0[i]) < 1e-15 && v[i] == 0);
    }
    rattle_bonds_destroy(&bonds);
  }
}

/* A tolerance below what doubles reach names the figure, changes nothing, and that figure is
 * accepted and reached. */
static void unreachable(void **unused) {
  (void)unused;
  static molecule m;
  for (int kind = 0; kind < KINDS; kind++)
    for (int away = 0; away < 2; away++) {
      scene s;
      rattle_error error;
      molecule_make(&m, kind);
      scene_open(&s, &m, 5, 0, 0.02);
      for (long long i = 0; i < 3 * s.atoms; i++) s.x0[i] += away ? 200 : 0;
      scene_move(&s);
      rattle_bonds_options options = {.struct_size = sizeof options, .tolerance = 1e-15};
      rattle_bonds *bonds = scene_bonds(&s, &options, &error);
      assert_int_equal(rattle_bonds_positions(bonds, s.x0, s.x, s.v, s.h, NULL, &error),
                       RATTLE_BAD_ARGUMENT);
      const char *figure = strstr(error.message, "doubles reach ");
      if (!figure) fail_msg("%s", error.message);
      for (long long i = 0; i < 3 * s.atoms; i++) assert_true(s.x[i] == s.start[i]);
      rattle_bonds_destroy(&bonds);
      options.tolerance = 1.1 * strtod(figure + strlen("doubles reach "), NULL);
      assert_true(away ? options.tolerance > 1e-14 : options.tolerance > 1e-15);
      const double worst = moved(&s, &options, m.name);
      if (worst > options.tolerance)
        fail_msg("%s: a length is off by %g of it, and the tolerance is %g", m.name, worst,
                 options.tolerance);
      scene_close(&s);
    }
}

/* Sizes that overflow, numbers out of range, and graphs whose elimination would not fit: refused
 * before memory is taken. */
static void resources(void **unused) {
  (void)unused;
  enum { LEAVES = 5000 };
  static const long long sizes[][2] = {{1LL << 31, 1},          {LLONG_MAX, 1}, {-1, 1},
                                       {3, 1LL << 31},          {3, LLONG_MAX}, {3, -1},
                                       {(1LL << 31) / 3 + 1, 1}};
  static const int ends[][2] = {{-1, 0}, {0, INT_MAX}, {INT_MIN, 1}, {3, 0}};
  static int pair[2 * LEAVES];
  static double length[LEAVES], mass[LEAVES + 1];
  rattle_error error;
  rattle_bonds *bonds = NULL;
  for (int k = 0; k < LEAVES; k++) pair[2 * k + 1] = k + 1, length[k] = 1, mass[k] = 1;
  mass[LEAVES] = 1;
  rattle_bonds_topology t = {
      .struct_size = sizeof t, .pairs = pair, .lengths = length, .masses = mass};
  for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
    t.atoms = sizes[k][0], t.bonds = sizes[k][1];
    assert_int_equal(rattle_bonds_create(&bonds, &t, NULL, &error), RATTLE_BAD_ARGUMENT);
    expect(&error, "at most");
  }
  t.atoms = 3, t.bonds = 1;
  for (size_t k = 0; k < sizeof ends / sizeof *ends; k++) {
    t.pairs = ends[k];
    assert_int_equal(rattle_bonds_create(&bonds, &t, NULL, &error), RATTLE_BAD_ARGUMENT);
    expect(&error, "from 0 to 2");
  }
  t.pairs = pair, t.atoms = LEAVES + 1, t.bonds = LEAVES;
  assert_int_equal(rattle_bonds_create(&bonds, &t, NULL, &error), RATTLE_BAD_ARGUMENT);
  expect(&error, "atom 0 has 5000 bonds");
}

/* --- what fails ------------------------------------------------------------------------------- */

/* One ring of ten has lengths that no ring has: it stays as it is, the others are solved, and the
 * error names its atoms. */
static void contradictions(void **unused) {
  (void)unused;
  static molecule m;
  scene s;
  rattle_error error;
  molecule_make(&m, 7);
  scene_open(&s, &m, 10, 0, 0.02);
  s.length[6 * 6 + 1] = 40;
  rattle_bonds *bonds = bonds_of(&s);
  scene_move(&s);
  assert_int_equal(rattle_bonds_positions(bonds, s.x0, s.x, NULL, 0, NULL, &error),
                   RATTLE_NOT_CONVERGED);
  if (!strstr(error.message, "bond of atoms 3") && !strstr(error.message, "bond of atoms 4"))
    fail_msg("%s", error.message);
  assert_in_range(error.constraint, 36, 41);
  assert_memory_equal(s.x + 18 * 6, s.start + 18 * 6, 18 * sizeof *s.x);
  for (long long k = 0; k < s.bonds; k++) {
    double sum = 0;
    for (int d = 0; d < 3; d++)
      sum += pow(s.x[3 * s.pair[2 * k] + d] - s.x[3 * s.pair[2 * k + 1] + d], 2);
    if (k / 6 != 6) assert_true(fabs(sqrt(sum) / s.length[k] - 1) < 2e-12);
  }
  rattle_bonds_destroy(&bonds);
  scene_close(&s);
}

/* A coordinate of one atom is not a number: the error names it, its cluster stays, the others are
 * solved. */
static void not_finite(void **unused) {
  (void)unused;
  static molecule m;
  molecule_make(&m, 5);
  for (int which = 0; which < 4; which++) { /* positions: x0, x; velocities: x, v */
    scene s;
    rattle_error error;
    scene_open(&s, &m, 10, 0, 0.02);
    scene_move(&s);
    rattle_bonds *bonds = bonds_of(&s);
    double *of[] = {s.x0, s.x, s.x, s.v}, before = s.v[0];
    of[which][3 * 13 + 1] = which % 2 ? (double)NAN : -(double)INFINITY;
    const rattle_status status =
        which < 2 ? rattle_bonds_positions(bonds, s.x0, s.x, NULL, 0, NULL, &error)
                  : rattle_bonds_velocities(bonds, s.x, s.v, NULL, &error);
    assert_int_equal(status, RATTLE_DOMAIN);
    assert_int_equal(error.status, RATTLE_DOMAIN);
    expect(&error,
           which < 3 ? "position of atom 13 is not finite" : "velocity of atom 13 is not finite");
    assert_string_equal(error.where, which < 3 ? "position" : "velocity");
    if (which != 1) assert_true(s.x[3 * 12] == s.start[3 * 12]);
    assert_true(which < 2 ? s.x[0] != s.start[0] : s.v[0] != before);
    rattle_bonds_destroy(&bonds);
    scene_close(&s);
  }
}

/* Constraints that repeat one another where atoms are, which their lengths do not imply: a ring of
 * four on a line, four atoms in a plane with all distances; in all units and places. */
static void repetitions(void **unused) {
  (void)unused;
  static const double units[] = {1, 1e-10, 1e5};
  int singular[2][2] = {{0}};
  for (int kind = 0; kind < 2; kind++)
    for (int unit = 0; unit < 3; unit++)
      for (int away = 0; away < 2; away++) {
        static const int star[] = {0, 0, 0}, chain[] = {0, 1, 2};
        static molecule m;
        scene s;
        rattle_error error;
        molecule_tree(&m, "repeating", 3, kind ? star : chain);
        for (int i = kind ? 1 : 0; i < 3; i++)
          for (int j = kind ? i + 1 : 3; j < 4; j++)
            if (kind || i == 0) molecule_close(&m, i, j);
        for (int a = 0; a < m.atoms; a++) {
          m.mass[a] = a ? 15.999 : 12.011;
          for (int d = 0; d < 3; d++)
            m.x[3 * a + d] = units[unit] * (kind ? d == 2 ? 0 : drawn() : a * (0.3 + 0.2 * d));
        }
        scene_open(&s, &m, 3, 1, 0.02);
        for (long long i = 0; i < 3 * s.atoms; i++)
          s.v[i] *= units[unit], s.x0[i] += units[unit] * (away ? 1e5 : 0);
        scene_move(&s);
        for (long long k = 0; k < s.bonds; k++) s.length[k] *= kind && k % 6 == 0 ? 0.9995 : 1;
        rattle_bonds *bonds = bonds_of(&s);
        for (int stage = 0; stage < 2;
             stage++) { /* where some of the constraints happen to imply the others, it is solved */
          const rattle_status status =
              stage ? rattle_bonds_velocities(bonds, s.x0, s.v, NULL, &error)
                    : rattle_bonds_positions(bonds, s.x0, s.x, NULL, 0, NULL, &error);
          if (!status) continue;
          assert_int_equal(status, RATTLE_SINGULAR);
          expect(&error, "repeats what other bonds");
          assert_in_range(error.constraint, 0, s.bonds - 1);
          singular[kind][stage]++;
        }
        rattle_bonds_destroy(&bonds);
        scene_close(&s);
      }
  assert_true(singular[0][0] == 6 && singular[0][1] > 0 && singular[1][0] == 6);
}

/* A bond without length has no direction. */
static void no_direction(void **unused) {
  (void)unused;
  const double length = 1, masses[] = {1, 2};
  const rattle_bonds_topology t = {.struct_size = sizeof t,
                                   .atoms = 2,
                                   .bonds = 1,
                                   .pairs = (const int[]){1, 0},
                                   .lengths = &length,
                                   .masses = masses};
  double x0[6] = {1, 2, 3, 1, 2, 3}, x[6] = {0, 0, 0, 1, 1, 1};
  rattle_error error;
  rattle_bonds *bonds;
  assert_int_equal(rattle_bonds_create(&bonds, &t, NULL, &error), RATTLE_OK);
  assert_int_equal(rattle_bonds_positions(bonds, x0, x, NULL, 0, NULL, &error), RATTLE_SINGULAR);
  expect(&error, "atoms 1 and 0 are at one place");
  rattle_bonds_destroy(&bonds);
}

/* A step that turns bonds too far does not converge, and nothing is singular. */
static void refuse_step(const molecule *m, int copies, int alike) {
  scene s;
  rattle_error error;
  scene_open(&s, m, copies, alike, 100);
  scene_move(&s);
  rattle_bonds *bonds = bonds_of(&s);
  assert_int_equal(rattle_bonds_positions(bonds, s.x0, s.x, NULL, 0, NULL, &error),
                   RATTLE_NOT_CONVERGED);
  expect(&error, "the step is too long");
  rattle_bonds_destroy(&bonds);
  scene_close(&s);
}

static void too_long(void **unused) {
  (void)unused;
  static molecule m;
  for (int kind = 0; kind < KINDS; kind++) {
    molecule_make(&m, kind);
    refuse_step(&m, 5, 0);
  }
}

/* A triangle that is nearly flat, of whose third bond some 1e-4 is independent of the others, is
 * not singular: the step is too long. */
static void too_long_for_a_flat_triangle(void **unused) {
  (void)unused;
  static const int star[] = {0, 0};
  static const double place[] = {0, 0, 0, 1, 0, 0, -1, 0.02, 0};
  static molecule m;
  molecule_tree(&m, "flat triangle", 2, star);
  molecule_close(&m, 1, 2);
  memcpy(m.x, place, sizeof place);
  for (int a = 0; a < 3; a++) m.mass[a] = 1;
  refuse_step(&m, 5, 1);
}

/* --- what must not fail ----------------------------------------------------------------------- */

/* Both stages; the worst relative error of a length. */
static double stepped(scene *s, const char *name) {
  rattle_error error;
  rattle_bonds *bonds = bonds_of(s);
  if (rattle_bonds_velocities(bonds, s->x0, s->v, NULL, &error))
    fail_msg("%s: %s", name, error.message);
  scene_move(s);
  const double worst = moved(s, NULL, name);
  if (rattle_bonds_velocities(bonds, s->x, s->v, NULL, &error))
    fail_msg("%s: %s", name, error.message);
  rattle_bonds_destroy(&bonds);
  return worst;
}

/* In metres, kilograms and seconds; and far from the origin, where coordinates have a round-off of
 * 1e-11. */
static void units(void **unused) {
  (void)unused;
  static molecule m;
  for (int kind = 0; kind < KINDS; kind++)
    for (int away = 0; away < 2; away++) {
      scene s;
      molecule_make(&m, kind);
      scene_open(&s, &m, 5, 0, 0.02);
      const double metre = away ? 1 : 1e-10, kilogram = away ? 1 : 1.66e-27, speed = away ? 1 : 1e3;
      for (long long i = 0; i < 3 * s.atoms; i++)
        s.x0[i] = s.x0[i] * metre + (away ? 1e5 : 0), s.v[i] *= speed;
      for (long long k = 0; k < s.bonds; k++) s.length[k] *= metre;
      for (long long a = 0; a < s.atoms; a++) s.mass[a] *= kilogram;
      s.h *= metre / speed;
      const double worst = stepped(&s, m.name);
      if (worst > (away ? 1e-10 : 2e-12))
        fail_msg("%s: a length is wrong by %g of it", m.name, worst);
      scene_close(&s);
    }
}

/* Atoms at rest; and velocities that the constraints take away altogether. */
static void at_rest(void **unused) {
  (void)unused;
  static molecule m;
  for (int kind = 0; kind < KINDS; kind++) {
    scene s;
    rattle_error error;
    molecule_make(&m, kind);
    scene_open(&s, &m, 5, 0, 0.02);
    for (long long i = 0; i < 3 * s.atoms; i++) s.v[i] = 0;
    stepped(&s, m.name);
    for (long long i = 0; i < 3 * s.atoms; i++) assert_true(s.v[i] == 0 && s.x[i] == s.x0[i]);
    for (long long k = 0; k < s.bonds; k++) { /* forces along bonds */
      const int i = 3 * s.pair[2 * k], j = 3 * s.pair[2 * k + 1];
      const double much = drawn();
      for (int d = 0; d < 3; d++) {
        const double r = s.x0[i + d] - s.x0[j + d];
        s.v[i + d] += much * r / s.mass[i / 3], s.v[j + d] -= much * r / s.mass[j / 3];
      }
    }
    rattle_bonds *bonds = bonds_of(&s);
    if (rattle_bonds_velocities(bonds, s.x0, s.v, NULL, &error))
      fail_msg("%s: %s", m.name, error.message);
    for (long long i = 0; i < 3 * s.atoms; i++) assert_true(fabs(s.v[i]) < 1e-13);
    rattle_bonds_destroy(&bonds);
    scene_close(&s);
  }
}

/* Bonds of a star that nearly are in one line, ends of 200 times the mass or a 200th: regular,
 * however straight. */
static void nearly_in_line(void **unused) {
  (void)unused;
  static const int star[] = {0, 0, 0, 0, 0};
  static molecule m;
  for (int leaves = 2; leaves <= 5; leaves++)
    for (int bent = 0; bent < 4; bent++)
      for (int heavy = 0; heavy < 2; heavy++) {
        scene s;
        molecule_tree(&m, "a star in a line", leaves, star);
        for (int a = 0; a < m.atoms; a++) {
          m.mass[a] = (a == 0) == heavy ? 200 : 1;
          m.x[3 * a] = a % 2 ? -a : a;
          for (int d = 1; d < 3; d++)
            m.x[3 * a + d] = pow(10, -4.0 * bent) * (bent < 3 ? drawn() : 0);
        }
        scene_open(&s, &m, 5, 1, 0.02);
        const double worst = stepped(&s, m.name);
        if (worst > 2e-12) fail_msg("a length is wrong by %g of it", worst);
        scene_close(&s);
      }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(refusals),       cmocka_unit_test(small_boxes),
      cmocka_unit_test(resources),      cmocka_unit_test(unreachable),
      cmocka_unit_test(contradictions), cmocka_unit_test(not_finite),
      cmocka_unit_test(repetitions),    cmocka_unit_test(no_direction),
      cmocka_unit_test(too_long),       cmocka_unit_test(too_long_for_a_flat_triangle),
      cmocka_unit_test(units),          cmocka_unit_test(at_rest),
      cmocka_unit_test(nearly_in_line)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
