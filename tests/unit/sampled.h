#ifndef RATTLE_TESTS_SAMPLED_H
#define RATTLE_TESTS_SAMPLED_H
/* Chains of a model, and measures that are known. */
#include <rattle/rattle.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ground/support/random.h"
#include "opened.h"

static inline fixture open(const char *text) {
  return open_with(text, RATTLE_EVALUATOR_BLOCK);
}

static inline rattle_sampling *sample(const fixture *f, const char *method, double step,
                                      long long draws, long long every) {
  rattle_sampling *sampling;
  rattle_error error;
  const rattle_sampling_options options = {
      .struct_size = sizeof options,
      .chain = &(rattle_chain_options){.method = method, .step = step, .seed = 7},
      .chains = 4,
      .draws = draws,
      .every = every,
      .multipliers = 1,
      .threads = 2};
  if (rattle_sampling_create(&sampling, f->problem, &options, &error))
    fail_msg("%s: %s", method, error.message);
  return sampling;
}

/* How many errors of the mean lie between it and what it must be. */
static inline double off(const rattle_sampling *sampling, const char *name, double mean) {
  const rattle_sampling_result *r = rattle_sampling_result_of(sampling);
  const rattle_estimate *e = &r->estimate[column(r, name)];
  if (!(e->effective > 100 && e->rhat < 1.05))
    fail_msg("%s of %s: effective %g, R-hat %g", name, r->method, e->effective, e->rhat);
  return fabs(e->mean - mean) / e->error;
}
enum { FAR = 5 };

#define XYZ "local x,px = pair('x') local y,py = pair('y') local z,pz = pair('z')\n"
/* of the area of a torus the part (1 + r/R cos(theta))/2 pi is at the angle theta; |grad g| is
 * proportional to 1 + r/R cos(theta) */
static const char torus[] = XYZ "hamiltonian((px^2 + py^2 + pz^2)/2)\n"
                                "constrain('torus', (x^2 + y^2 + z^2 + 1 - 0.25)^2 - 4*(x^2 + "
                                "y^2)) observe('cos', (sqrt(x^2 + y^2) - 1)/0.5)\n"
                                "start{x = 1.5}\n";
static const char sphere[] =
    XYZ "hamiltonian((px^2 + py^2 + pz^2)/2 + 2*z) constrain('sphere', x^2 + y^2 + z^2 - 1)\n"
        "observe('zz', z^2) observe('xx', x^2) start{x = 1}\n";
/* two links in the plane: phi between them has the density sqrt(det) of the kinetic energy, or for
 * delta(g) is uniform */
static const char links[] =
    "local x,px = pair('x') local y,py = pair('y') local u,pu = pair('u') local v,pv = pair('v')\n"
    "hamiltonian((px^2 + py^2)/2 + (pu^2 + pv^2)/6) constrain('one', x^2 + y^2 - 1) "
    "constrain('two', (u-x)^2 + (v-y)^2 - 1)\n"
    "observe('cc', (x*(u-x) + y*(v-y))^2) start{x = 1, u = 1, v = 1}\n";
static const char plane[] = XYZ "hamiltonian((px^2 + 2*py^2 + pz^2)/2 + (x^2 + 2*y^2 + 3*z^2)/2) "
                                "constrain('plane', x + y + z - 1)\n"
                                "observe('dd', (x - 6/11)^2) start{x = 1}\n";
static const char wells[] =
    "local x,px = pair('x') local y,py = pair('y')\n"
    "hamiltonian((px^2 + py^2)/2 - 3*x^2 + 0.5*x) constrain('circle', x^2 + y^2 - 1)\n"
    "observe('right', (1 + x/sqrt(x^2 + 1e-12))/2) start{x = 1}\n";

/* Integral of f over 0 .. 2 pi by the midpoint rule, which is exact enough for smooth periodic
 * f. */
static inline double around(double (*f)(double)) {
  double sum = 0;
  for (int i = 0; i < 20000; i++) sum += f((i + 0.5) * 2 * M_PI / 20000) * 2 * M_PI / 20000;
  return sum;
}
static inline double links_weight(double phi) {
  return sqrt(3 * 4 - 9 * cos(phi) * cos(phi));
}
static inline double links_cc(double phi) {
  return cos(phi) * cos(phi) * links_weight(phi);
}
static inline double wells_power(double phi) {
  return 3 * cos(phi) * cos(phi) - 0.5 * cos(phi);
}
static inline double wells_weight(double phi) {
  return exp(wells_power(phi));
}
static inline double wells_right(double phi) {
  return cos(phi) > 0 ? wells_weight(phi) : 0;
}

#endif
