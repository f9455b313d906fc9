/* discrete_gradient under constraints on velocities: H to round-off where the energy of
 * rattle(verlet) swings, walks at random or grows without bound; closed forms; resumption; steps
 * that are too long. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "rattle/rattle.h"

enum { MOST = 32 };

typedef struct trip {
  rattle_model *model;
  rattle_problem *problem;
  rattle_integrator *integrator;
  rattle_state at;
  double q[MOST], p[MOST];
} trip;

static void open_trip(trip *r, const char *text, const char *method, double h) {
  rattle_error error;
  *r = (trip){.at = {.struct_size = sizeof r->at, .h = h}};
  r->at.q = r->q, r->at.p = r->p;
  if (rattle_model_parse(&r->model, text, "m.lua", NULL, &error) ||
      rattle_problem_create(&r->problem, r->model, NULL, &error) ||
      rattle_problem_start(r->problem, 1, r->q, r->p, NULL, &error) ||
      rattle_integrator_create(&r->integrator, r->problem, method, &error))
    fail_msg("%s: %s", text, error.message);
  assert_true(rattle_problem_n(r->problem) <= MOST && rattle_problem_m(r->problem) <= MOST);
}

static void close_trip(trip *r) {
  rattle_integrator_destroy(&r->integrator);
  rattle_problem_destroy(&r->problem);
  rattle_model_destroy(&r->model);
}

#define PLANE "local x, px = pair('x') local y, py = pair('y') local a, pa = pair('a')\n"

static const struct {
  const char *name, *text;
  double h;
  double off;      /* of the energy of rattle(verlet) after 10^4 steps, at least */
  double drifting; /* of that of discrete_gradient, at most */
} systems[] = {
    {"a skate on an incline",
     PLANE "hamiltonian((px^2 + py^2)/2 + pa^2/0.8 - 1.2*x)\n"
           "velocity_constrain('blade', velocity(y)*cos(a) - velocity(x)*sin(a)) velocity { a = "
           "0.9 }",
     0.05, 1e-4, 1e-13},
    {"Chaplygin's sleigh on springs",
     PLANE "hamiltonian((px^2 + py^2)/2 + pa^2 + 0.3*x^2 + 0.2*y^2 + sin(x*y)/10)\n"
           "velocity_constrain('blade', velocity(y)*cos(a) - velocity(x)*sin(a) - "
           "0.3*velocity(a)) velocity { x = 0.9, a = 0.7, y = 0.21 }",
     0.05, 1e-4, 1e-13},
    {"a rolling vertical disc on springs",
     PLANE "local f, pf = pair('f')\n"
           "hamiltonian((px^2 + py^2)/2 + pa^2/0.2 + pf^2/0.4 + 0.3*x^2 + 0.2*y^2)\n"
           "velocity_constrain('x', velocity(x) - 0.5*cos(f)*velocity(a)) velocity_constrain('y', "
           "velocity(y) - 0.5*sin(f)*velocity(a))\nvelocity { x = 1, f = 0.7, a = 2 }",
     0.05, 1e-4, 1e-13},
    {"a chaotic system of seven coordinates (McLachlan and Perlmutter 2006)",
     "local x, px = pair('x')\n"
     "local y, z, T, V, c = {}, {}, px^2/2, x^2/2, velocity(x)\n"
     "for i = 1, 3 do\n"
     "  local py, pz y[i], py = pair('y' .. i) z[i], pz = pair('z' .. i)\n"
     "  T = T + (py^2 + pz^2)/2 V = V + (y[i]^2 + z[i]^2 + y[i]^2*z[i]^2)/2 c = c + "
     "y[i]*velocity(z[i])\n"
     "end\n"
     "hamiltonian(T + V + z[1]^2*z[2]^2/2) velocity_constrain('contact', c)\n"
     "start { x = 0.2, y1 = 0.6, y2 = 0.4, y3 = 0.2, z1 = 1, z2 = 0.8, z3 = 1.2, py1 = 0.3, py2 = "
     "0.6, py3 = -0.5, pz1 = 0.7, pz2 = -0.4, pz3 = 0.5 }",
     0.05, 1e-3, 1e-13},
    {"a gearbox with an uneven driver (Modin and Verdier 2020), whose energy grows",
     "local u, pu = pair('u') local x, px = pair('x') local y, py = pair('y')\n"
     "hamiltonian((pu^2 + px^2 + py^2)/2 - cos(u) - 0.3*sin(2*u) + (x^2 + y^2)/2)\n"
     "velocity_constrain('ratio', velocity(x) + (sin(u) + 0.4*cos(2*u))*velocity(y))\n"
     "start { u = 0.3, x = 0.7, y = -0.2, pu = 2.6, px = 0.2, py = 0.5 }",
     0.1, 0.2, 2e-11}, /* its angle grows to 2 10^3 */
    {"a disc that leans and rolls",
     "local mech = require 'mechanics'\n"
     "local disc = mech.body { name = 'disc', mass = 1, inertia = {0.25, 0.25, 0.5}, at = {0, 0, "
     "1}, rotation = {{1, 0, 0}, {0, 0, -1}, {0, 1, 0}}, spin = {0.3, 0.4, 2} }\n"
     "mech.gravity(0, 0, -1) mech.rolls('contact', disc, mech.ground:at(0, 0, 0), { radius = 1, "
     "form = "
     "'disc' })",
     0.02, 1e-6, 1e-12}};

/* The largest change of the energy, as a share of its start, in so many steps. */
static double energy_change(const char *text, const char *method, double h, int steps) {
  trip r;
  rattle_error error;
  double H0, H, most = 0, psi[MOST];
  open_trip(&r, text, method, h);
  const int m = rattle_problem_m(r.problem);
  assert_int_equal(rattle_problem_energy(r.problem, r.q, r.p, &H0, NULL), RATTLE_OK);
  for (int k = 0; k < steps; k += 20) {
    if (rattle_integrator_step(r.integrator, &r.at, 20, &error))
      fail_msg("%s: %s", text, error.message);
    assert_int_equal(rattle_problem_energy(r.problem, r.q, r.p, &H, NULL), RATTLE_OK);
    most = fmax(most, fabs(H - H0));
  }
  assert_int_equal(rattle_problem_residuals(r.problem, r.q, r.p, NULL, psi, NULL), RATTLE_OK);
  for (int i = 0; i < m; i++) assert_true(fabs(psi[i]) < 1e-13);
  close_trip(&r);
  return most;
}

static void energies(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof systems / sizeof *systems; i++) {
    const double kept = energy_change(systems[i].text, "discrete_gradient", systems[i].h, 10000),
                 off = energy_change(systems[i].text, "rattle(verlet)", systems[i].h, 10000);
    print_message("%s: %g, %g\n", systems[i].name, kept, off);
    if (!(kept < systems[i].drifting) || !(off > systems[i].off))
      fail_msg("%s: H is off by %g, with rattle(verlet) by %g", systems[i].name, kept, off);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(energies)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
