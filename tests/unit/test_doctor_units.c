/* Units of the problem, in which the doctor judges what is 0: chains of bars on hinges, whose
 * joints have coefficients such as 6e-17 for the cosine of a right angle. A chain has one degree of
 * freedom for each bar, in any units and however it lies in space. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "rattle/rattle.h"

typedef struct chain {
  int bars;
  double metre, kilogram, second, turn;
} chain;

static const chain table[] = {
    {3, 1, 1, 1, 0.9},
    {4, 1, 1, 1, 0},
    {4, 1e3, 1e3, 1, 0.7},
    {5, 1e-9, 1e-18, 1e-6, 1.1},
};

static const char text[] =
    "local mech = require 'mechanics'\n"
    "local N, L, M, T, turn = %d, %g, %g, %g, %g\n"
    "mech.gravity(0, 0, -9.81*L/T^2)\n"
    "local last, J, Rp = mech.ground, mech.vec3(0, 0, 0), mech.about({1, 2, 3}, turn)\n"
    "for i = 0, N - 1 do\n"
    "  local ax = i %% 2 == 0 and {0, 1, 0} or {0, 0, 1}\n"
    "  local R = Rp*mech.about(ax, 0.3 + 0.2*math.sin(i))\n"
    "  local axis, x = Rp*mech.vec3(ax), L*mech.column(R, 1)\n"
    "  local body = mech.body { name = 'b' .. i, mass = M, at = J + 0.5*x, rotation = R,\n"
    "    inertia = {0.02*M*L^2, 0.09*M*L^2, 0.1*M*L^2} }\n"
    "  mech.revolute('j' .. i, last:here(J[1], J[2], J[3]):along(axis[1], axis[2], axis[3]),\n"
    "    body:here(J[1], J[2], J[3]):along(axis[1], axis[2], axis[3]))\n"
    "  J, Rp, last = J + x, R, body\n"
    "end\n";

static void test_hinges(void **unused) {
  (void)unused;
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    const chain *c = &table[i];
    rattle_model *model = NULL;
    rattle_doctor *doctor = NULL;
    rattle_error error;
    const rattle_doctor_options options = {.no_trial = 1};
    char model_text[2048];
    snprintf(model_text, sizeof model_text, text, c->bars, c->metre, c->kilogram, c->second,
             c->turn);
    if (rattle_model_parse(&model, model_text, "chain.lua", NULL, &error) ||
        rattle_doctor_create(&doctor, model, NULL, &options, &error))
      fail_msg("%s", error.message);
    const rattle_diagnosis *d = rattle_doctor_diagnosis(doctor);
    if (d->refused || d->dof != c->bars || d->degenerate_points)
      fail_msg("row %zu: %s, %g degrees of freedom, %d degenerate points: %s", i, d->class_, d->dof,
               d->degenerate_points, d->refused ? d->refused : "");
    rattle_doctor_destroy(&doctor);
    rattle_model_destroy(&model);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_hinges)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
