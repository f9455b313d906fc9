/* Frequencies and the recommended step do not depend on units: models in units of mass, length and
 * time over 18 decades each. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "rattle/doctor.h"
#include "rattle/model.h"

/* M, L, T: the units in those of the model, F of force, E of energy, P of momentum */
#define UNITS "local F, E, P = M*L/T^2, M*(L/T)^2, M*L/T\n"
#define PLANE "local x, px = pair('x')\nlocal y, py = pair('y')\n"
#define FREE "hamiltonian((px^2 + py^2)/(2*M*0.7) + M*0.7*9.81*L/T^2*y)\n"
#define ROD PLANE FREE "constrain('rod', x^2 + y^2 - L^2)\n"
#define BARS                                                                                       \
  PLANE "local u, pu = pair('u')\nlocal v, pv = pair('v')\n"                                       \
        "hamiltonian((px^2 + py^2)/(2*M) + (pu^2 + pv^2)/(2*0.3*M) + F*(y + 0.3*v))\n"             \
        "constrain('a', x^2 + y^2 - L^2)\nconstrain('b', (u - x)^2 + (v - y)^2 - 0.25*L^2)\n"

typedef struct known {
  const char *name, *text;
  double frequency; /* where the units are 1; NaN: not known */
} known;

static const known models[] = {
    {"oscillator at rest",
     "local x, px = pair('x')\nhamiltonian(px^2/(2*M) + 100*F/L*x^2/2)\nstart { x = L }", 10},
    {"oscillator at its equilibrium",
     "local x, px = pair('x')\nhamiltonian(px^2/(2*M) + 100*F/L*x^2/2)\n", 10},
    {"oscillator, moving",
     "local x, px = pair('x')\nhamiltonian(px^2/(2*M) + 100*F/L*x^2/2)\nstart { px = P }", 10},
    {"two oscillators, one of a light mass",
     PLANE "hamiltonian(px^2/(2*M) + py^2/(2e-3*M) + F/L*(x^2 + y^2)/2)\nstart { x = L }",
     31.6227766},
    {"masses that are not diagonal",
     PLANE "hamiltonian((px^2 + px*py/2 + py^2)/M + F/L*(x^2 + x*y + 2*y^2)/2)\nstart { x = L }",
     NAN},
    {"saddle", PLANE "hamiltonian(px*py/M + 4*F/L*x*y)\nstart { x = L }", 2},
    {"magnetic field",
     PLANE "hamiltonian(((px - M/T*y)^2 + (py + M/T*x)^2)/(2*M))\nstart { x = L, py = P }", 2},
    {"angle at rest, the force at its largest",
     "local a, pa = pair('a')\nhamiltonian(pa^2/(2*M*L^2) - E*cos(a))\nstart { a = math.pi/2 }",
     NAN},
    {"pendulum, hanging", ROD "start { y = -L }", 3.13209195},
    {"pendulum, horizontal, at rest", ROD "start { x = L }", 3.13209195},
    {"pendulum, inclined, at rest", ROD "start { x = 0.6*L, y = -0.8*L }", NAN},
    {"pendulum, moving", ROD "start { x = 0.6*L, y = -0.8*L, px = 0.8*P, py = 0.6*P }", NAN},
    {"rotating without a force",
     PLANE "hamiltonian((px^2 + py^2)/(2*M))\nconstrain('rod', x^2 + y^2 - L^2)\nstart { x = L, py "
           "= 7*P }",
     7},
    {"stiff spring along a rod, which it does not move",
     PLANE "hamiltonian((px^2 + py^2)/(2*M) + 1e8*F/L*x^2/2 + 4*F/L*y^2/2)\nconstrain('rail', "
           "x)\nstart { y = L, py = P }",
     2},
    {"double pendulum, at rest", BARS "start { x = 0.6*L, y = -0.8*L, u = 1.1*L, v = -0.8*L }",
     NAN},
    {"double pendulum, moving",
     BARS "start { x = 0.6*L, y = -0.8*L, u = 1.1*L, v = -0.8*L, px = P, pv = P, project = true }",
     NAN},
    {"double pendulum in angles",
     "local a, pa = pair('a')\nlocal b, pb = pair('b')\n"
     "hamiltonian((pa^2 + 2*pb^2 - 2*pa*pb*cos(a - b))/(2*M*L^2*(1 + sin(a - b)^2)) - E*(2*cos(a) "
     "+ cos(b)))\nstart { a = 1, b = "
     "2 }",
     NAN},
    {"linkage with springs and an angle",
     "local a, pa = pair('a')\n" PLANE "hamiltonian(pa^2/(2e-2*M*L^2) + (px^2 + py^2)/(2*M) + "
     "50*F/L*((x - 2*L)^2 + y^2)/2 - 0.3*E*a)\n"
     "constrain('crank x', x - L*cos(a) - 0.5*L)\nconstrain('crank y', y - L*sin(a))\nstart { a = "
     "0.7, x = (0.5 + "
     "math.cos(0.7))*L, y = math.sin(0.7)*L }",
     NAN},
    {"momenta on a sphere",
     PLANE
     "hamiltonian((x^2 + 3*y^2)*F/L/2 + 0.2*L/T*px)\n"
     "constrain('speed', px^2 + py^2 - P^2)\nstart { px = 0.6*P, py = 0.8*P, x = L, y = -0.25*L }",
     NAN},
    {"coordinates and momenta on a sphere",
     PLANE "local z, pz = pair('z')\nhamiltonian((px^2 + 2*py^2 + pz^2)/(2*M) + F*y + F/L*z^2)\n"
           "constrain('c', x^2/L^2 + y^2/L^2 + px^2/P^2 - 1)\nstart { x = 0.6*L, px = 0.5*P, y = "
           "math.sqrt(0.39)*L, "
           "py = -0.15/math.sqrt(0.39)*P, z = L }",
     NAN},
    {"second class",
     PLANE "local z, pz = pair('z')\nhamiltonian((px^2 + py^2 + pz^2)/(2*M) + F/L*(x^2 + 3*y^2 + "
           "7*z^2)/2)\n"
           "constrain('a', px + M/T*y, { dirac = true })\nconstrain('b', py - M/T*x, { dirac = "
           "true })\nstart { z = L, x = L, "
           "project = true }",
     NAN},
};

/* Nothing moves, whatever the units. */
static const char *const still[] = {
    "local x, px = pair('x')\nhamiltonian(px^2/(2*M))\nstart { x = L }",
    PLANE "hamiltonian((px^2 + py^2)/(2*M))\nconstrain('rod', x^2 + y^2 - L^2)\nstart { x = 0.6*L, "
          "y = 0.8*L }",
};

static void ask(const char *name, const char *text, const double unit[3], double *frequency,
                double *step, char *why, size_t size) {
  char whole[4096];
  rattle_model *model = NULL;
  rattle_doctor *doctor = NULL;
  rattle_error error;
  const rattle_doctor_options options = {
      .struct_size = sizeof options, .samples = 1, .no_trial = 1};
  snprintf(whole, sizeof whole, "local M, L, T = %.17g, %.17g, %.17g\n" UNITS "%s", unit[0],
           unit[1], unit[2], text);
  if (rattle_model_parse(&model, whole, name, NULL, &error))
    fail_msg("%s: %s", name, error.message);
  if (rattle_doctor_create(&doctor, model, NULL, &options, &error))
    fail_msg("%s: %s", name, error.message);
  const rattle_diagnosis *d = rattle_doctor_diagnosis(doctor);
  *frequency = d->frequency;
  *step = d->advice_step;
  snprintf(why, size, "%s", d->advice_why ? d->advice_why : d->refused ? d->refused : "");
  rattle_doctor_destroy(&doctor);
  rattle_model_destroy(&model);
}

static const double of_unit[][3] = {
    {1e-9, 1, 1},    {1e9, 1, 1},      {1, 1e-9, 1},      {1, 1e9, 1},       {1, 1, 1e-9},
    {1, 1, 1e9},     {1e-3, 1, 1},     {1e-9, 1e-9, 1e9}, {1e-9, 1e9, 1e-9}, {1e9, 1e-9, 1e-9},
    {1e9, 1e9, 1e9}, {1e-3, 10, 1e-6}, {1e-6, 1e-2, 1e-3}};

static void test_units(void **unused) {
  (void)unused;
  const double one[3] = {1, 1, 1};
  int failures = 0;
  for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
    double frequency, step, other, its_step;
    char why[600];
    ask(models[i].name, models[i].text, one, &frequency, &step, why, sizeof why);
    if (!(frequency > 0) || fabs(frequency - models[i].frequency) > 1e-6 * frequency) {
      print_error("%s: frequency %.9g, expected %.9g; %s\n", models[i].name, frequency,
                  models[i].frequency, why);
      failures++;
    }
    for (size_t u = 0; u < sizeof of_unit / sizeof *of_unit; u++) {
      const double T = of_unit[u][2];
      ask(models[i].name, models[i].text, of_unit[u], &other, &its_step, why, sizeof why);
      if (fabs(other * T - frequency) <= 1e-6 * frequency &&
          fabs(its_step / T - step) <= 1e-9 * step)
        continue;
      print_error("%s in units %g %g %g: frequency %.9g, step %.9g, expected %.9g, %.9g; %s\n",
                  models[i].name, of_unit[u][0], of_unit[u][1], T, other * T, its_step / T,
                  frequency, step, why);
      failures++;
    }
  }
  assert_int_equal(failures, 0);
}

static void test_still(void **unused) {
  (void)unused;
  for (size_t i = 0; i < sizeof still / sizeof *still; i++)
    for (size_t u = 0; u < sizeof of_unit / sizeof *of_unit; u++) {
      double frequency, step;
      char why[600];
      ask("still", still[i], of_unit[u], &frequency, &step, why, sizeof why);
      if (!isnan(frequency) || !strstr(why, "nothing moves"))
        fail_msg("%s: frequency %.9g; %s", still[i], frequency, why);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_units), cmocka_unit_test(test_still)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
