#ifndef CONSERVED_H
#define CONSERVED_H
/* Quantities that a method keeps exactly, or changes by less than round-off, so that what is seen
 * of their change is round-off: for bench/roundoff.c and tests/claims/test_round_off.c. A model has
 * a parameter `member` that moves its start. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "rattle/rattle.h"

enum { CONSERVED_MOST = 16 };

typedef struct conserved {
  const char *name, *model, *method;
  double h;
  int substeps; /* of one step */
  long double (*value)(double h, const long double *z);
} conserved;

/* what kick, drift, kick keeps of a harmonic oscillator, exactly */
static inline long double conserved_harmonic(double h, const long double *z) {
  return (z[1] * z[1] + z[0] * z[0] * (1 - (long double)h * h / 4)) / 2;
}
static inline long double conserved_plane(double h, const long double *z) {
  (void)h;
  return z[0] * z[3] - z[1] * z[2];
}
static inline long double conserved_vertical(double h, const long double *z) {
  (void)h;
  return z[0] * z[4] - z[1] * z[3];
}
static inline long double conserved_pendulum(double h, const long double *z) {
  (void)h;
  return (z[2] * z[2] + z[3] * z[3]) / 2 + z[1];
}
static inline long double conserved_rods(double h, const long double *z) {
  (void)h;
  return (z[4] * z[4] + z[5] * z[5] + z[6] * z[6] + z[7] * z[7]) / 2 + z[1] + z[3];
}

#define CONSERVED_MEMBER "local a = 1.3 + 0.0137*parameter('member', 0)\n"
#define CONSERVED_PLANE CONSERVED_MEMBER "local x, px = pair('x') local y, py = pair('y')\n"
#define CONSERVED_HARMONIC                                                                         \
  CONSERVED_MEMBER "local x, px = pair('x') hamiltonian((px^2 + x^2)/2) start { x = a, px = 0.5 }"
#define CONSERVED_KEPLER                                                                           \
  CONSERVED_PLANE "hamiltonian((px^2 + py^2)/2 - 1/sqrt(x^2 + y^2)) start { x = 2 - a, py = "      \
                  "math.sqrt(a/(2 - a)) }"
#define CONSERVED_PENDULUM                                                                         \
  CONSERVED_PLANE "hamiltonian((px^2 + py^2)/2 + y) constrain('rod', x^2 + y^2 - 1)\n"             \
                  "start { x = math.sin(a), y = -math.cos(a) }"
#define CONSERVED_SPHERICAL                                                                        \
  CONSERVED_PLANE                                                                                  \
  "local z, pz = pair('z') hamiltonian((px^2 + py^2 + pz^2)/2 + z)\n"                              \
  "constrain('rod', abs2(x, y, z) - 1) start { x = math.sin(a), z = -math.cos(a), py = 0.4 }"
#define CONSERVED_RODS                                                                             \
  CONSERVED_MEMBER                                                                                 \
  "a = a - 0.6\n"                                                                                  \
  "local x1, px1 = pair('x1') local y1, py1 = pair('y1')\n"                                        \
  "local x2, px2 = pair('x2') local y2, py2 = pair('y2')\n"                                        \
  "hamiltonian((px1^2 + py1^2 + px2^2 + py2^2)/2 + y1 + y2)\n"                                     \
  "constrain('inner', x1^2 + y1^2 - 1) constrain('outer', (x2 - x1)^2 + (y2 - y1)^2 - 1)\n"        \
  "start { x1 = math.sin(a), y1 = -math.cos(a), x2 = 2*math.sin(a), y2 = -2*math.cos(a) }"

/* steps of the energies are such that the method's own error stays near 1e-16; solver= takes the
 * problem to maps/natural/natural.c */
static const conserved conserved_all[] = {
    {"harmonic oscillator, modified energy", CONSERVED_HARMONIC, "verlet", 0.01, 1,
     conserved_harmonic},
    {"Kepler, angular momentum", CONSERVED_KEPLER, "verlet", 0.01, 1, conserved_plane},
    {"spherical pendulum, angular momentum", CONSERVED_SPHERICAL, "rattle(verlet)", 0.01, 1,
     conserved_vertical},
    {"spherical pendulum, angular momentum", CONSERVED_SPHERICAL, "rattle(verlet, solver=newton)",
     0.01, 1, conserved_vertical},
    {"pendulum, energy", CONSERVED_PENDULUM, "kahan_li8(rattle(verlet))", 0.03, 17,
     conserved_pendulum},
    {"two rods, energy", CONSERVED_RODS, "kahan_li8(rattle(verlet))", 0.02, 17, conserved_rods},
    {"two rods, energy", CONSERVED_RODS, "kahan_li8(rattle(verlet, solver=quasi_newton))", 0.02, 17,
     conserved_rods},
};
enum { CONSERVED_COUNT = sizeof conserved_all / sizeof *conserved_all };

/* The method with or without `compensated`. */
static inline void conserved_method(const conserved *c, int compensated, char *text, size_t size) {
  const int length = (int)strlen(c->method), closed = c->method[length - 1] == ')';
  if (compensated)
    snprintf(text, size, "%.*s%scompensated)", length - closed, c->method, closed ? ", " : "(");
  else
    snprintf(text, size, "%s", c->method);
}

static inline rattle_status conserved_steps(const conserved *c, const rattle_problem *problem,
                                            rattle_integrator *integrator, long long first,
                                            int points, double *change, rattle_error *error) {
  double z[CONSERVED_MOST], carry[CONSERVED_MOST] = {0};
  long double at[CONSERVED_MOST];
  const int n = rattle_problem_n(problem);
  rattle_status status = rattle_problem_start(problem, 1, z, z + n, NULL, error);
  rattle_state state = {.q = z, .p = z + n, .h = c->h};
  for (int k = 0; k < 2 * n; k++) at[k] = z[k];
  const long double start = c->value(c->h, at);
  for (int i = 0; i < points && !status; i++) {
    status = rattle_integrator_step(integrator, &state, (first << i) - state.step, error);
    rattle_integrator_get_extra(integrator, carry);
    for (int k = 0; k < 2 * n; k++) at[k] = (long double)z[k] + carry[k];
    change[i] = (double)(c->value(c->h, at) / start - 1);
  }
  return status;
}

/* change[points]: the relative change of the quantity of one member after first, 2 first, 4 first
 * ... steps. */
static inline rattle_status conserved_follow(const conserved *c, const char *method, int member,
                                             long long first, int points, double *change,
                                             rattle_error *error) {
  rattle_model *model = NULL;
  rattle_problem *problem = NULL;
  rattle_integrator *integrator = NULL;
  const rattle_parameter parameter = {"member", member};
  const rattle_model_options options = {.parameters = &parameter, .parameter_count = 1};
  rattle_status status = rattle_model_parse(&model, c->model, c->name, &options, error);
  if (!status) status = rattle_problem_create(&problem, model, NULL, error);
  if (!status) status = rattle_integrator_create(&integrator, problem, method, error);
  if (!status) status = conserved_steps(c, problem, integrator, first, points, change, error);
  rattle_integrator_destroy(&integrator);
  rattle_problem_destroy(&problem);
  rattle_model_destroy(&model);
  return status;
}
#endif
