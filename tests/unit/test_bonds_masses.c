/* Hydrogen mass repartitioning by the rules of programs. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "rattle/bonds.h"

enum { ATOMS = 11, BONDS = 8 };
/* methanol: C, H, H, H, O, H; a rigid water with its third side; an argon; a lone hydrogen */
static const double C = 12.011, H = 1.008, O = 15.999;
static const int pairs[2 * BONDS] = {0, 1, 0, 2, 3, 0, 0, 4, 4, 5, 6, 7, 8, 6, 7, 8};
static void fill(double *mass) {
  memcpy(mass, (double[ATOMS]){C, H, H, H, O, H, O, H, H, 39.95, H}, ATOMS * sizeof *mass);
}

static rattle_status repartition(const char *rule, double value, int atoms, int bonds,
                                 const int *to, const char *hydrogen, double *mass,
                                 rattle_error *error) {
  const rattle_bonds_topology topology = {
      .struct_size = sizeof topology, .atoms = atoms, .bonds = bonds, .pairs = to, .masses = mass};
  return rattle_bonds_repartition(rule, value, &topology, hydrogen, mass, error);
}

static void assert_near(double value, double right) {
  if (!(fabs(value - right) <= 1e-12)) fail_msg("%.17g, not %.17g", value, right);
}

/* All rules agree where all hydrogens have one mass. */
static void test_rules(void **state) {
  (void)state;
  const struct {
    const char *rule;
    double value;
  } cases[] = {{"openmm", 3 * 1.008}, {"gromacs", 3}, {"factor", 3}};
  const double right[ATOMS] = {C - 6 * H, 3 * H, 3 * H, 3 * H, O - 2 * H, 3 * H, O, H, H, 39.95, H};
  for (int k = 0; k < 3; k++) {
    double mass[ATOMS];
    rattle_error error;
    fill(mass);
    assert_string_equal(rattle_bonds_rule_of(k)->name, cases[k].rule);
    if (repartition(cases[k].rule, cases[k].value, ATOMS, BONDS, pairs, NULL, mass, &error))
      fail_msg("%s: %s", cases[k].rule, error.message);
    for (int a = 0; a < ATOMS; a++) assert_near(mass[a], right[a]);
  }
  assert_null(rattle_bonds_rule_of(3));
}

/* CH3 D: deuterium is a hydrogen where it is said to be one; by the rule of GROMACS it is just a
 * light atom. */
static void test_deuterium(void **state) {
  (void)state;
  const int to[] = {0, 1, 0, 2, 0, 3, 0, 4};
  const double D = 2.014, before[5] = {C, H, H, H, D};
  double mass[5];
  memcpy(mass, before, sizeof mass);
  assert_int_equal(repartition("openmm", 2, 5, 4, to, NULL, mass, NULL), 0);
  assert_near(mass[4], D), assert_near(mass[0], C - 3 * (2 - H));
  memcpy(mass, before, sizeof mass);
  assert_int_equal(repartition("openmm", 3, 5, 4, to, (const char[]){0, 1, 1, 1, 1}, mass, NULL),
                   0);
  assert_near(mass[4], 3), assert_near(mass[0], C - 3 * (3 - H) - (3 - D));
  memcpy(mass, before, sizeof mass);
  assert_int_equal(repartition("gromacs", 2.5, 5, 4, to, NULL, mass, NULL), 0);
  assert_near(mass[4], 2.5 * H), assert_near(mass[0], C - 3 * 1.5 * H - (2.5 * H - D));
}

static void refused(const char *said, const char *rule, double value, const double *mass, int atoms,
                    const int *to, int bonds) {
  double now[5];
  rattle_error error;
  memcpy(now, mass, (size_t)atoms * sizeof *now);
  assert_int_equal(repartition(rule, value, atoms, bonds, to, NULL, now, &error),
                   RATTLE_BAD_ARGUMENT);
  if (!strstr(error.message, said)) fail_msg("%s, not %s", error.message, said);
  assert_memory_equal(now, mass, (size_t)atoms * sizeof *now);
}

static void test_refusals(void **state) {
  (void)state;
  const int to[] = {0, 1, 0, 2, 0, 3, 0, 4};
  const double methane[5] = {C, H, H, H, H};
  refused("leave nothing of atom 0", "openmm", 4.1, methane, 5, to, 4);
  refused("leave nothing of atom 0", "factor", 4, methane, 5, to, 4);
  refused("leave atom 0 less than that", "gromacs", 3.5, methane, 5, to, 4);
  refused("atom 1 is lighter than 3.024 and has 2 bonds", "gromacs", 3, (double[]){C, H, C}, 3,
          (const int[]){0, 1, 1, 2}, 2);
  refused("no rule 'amber'", "amber", 3, methane, 5, to, 4);
  refused("factor of at least 1", "gromacs", 0.5, methane, 5, to, 4);
  refused("mass above 0", "openmm", NAN, methane, 5, to, 4);
  refused("atoms 0 and 7", "openmm", 3, methane, 5, (const int[]){0, 7}, 1);
  double mass[1] = {C};
  rattle_error error;
  const struct {
    int atoms, bonds;
    const int *to;
    const char *said;
  } no[] = {{-1, 0, to, "-1 atoms"},
            {0, 0, to, "0 atoms"},
            {1, -1, to, "-1 bonds"},
            {1, 1, NULL, "pairs or masses is NULL"}};
  for (size_t k = 0; k < sizeof no / sizeof *no; k++) {
    assert_int_equal(
        repartition("openmm", 3, no[k].atoms, no[k].bonds, no[k].to, NULL, mass, &error),
        RATTLE_BAD_ARGUMENT);
    assert_non_null(strstr(error.message, no[k].said));
    assert_true(mass[0] == C);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_rules), cmocka_unit_test(test_deuterium),
                                     cmocka_unit_test(test_refusals)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
