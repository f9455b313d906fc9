/* A model from expressions that are built in C, without any file: a bead on an ellipsoid, x^2/a^2 + y^2/b^2 + z^2/c^2 = 1, that moves
 * freely. Its paths are geodesics, and Joachimsthal's quantity is conserved:
 *
 *     J = (x^2/a^4 + y^2/b^4 + z^2/c^4) (px^2/a^2 + py^2/b^2 + pz^2/c^2)
 *
 *     cc expressions.c $(pkg-config --cflags --libs rattle) -Wl,-rpath,$(pkg-config --variable=libdir rattle) -lm -o expressions
 *     ./expressions
 *
 * The library differentiates what is built here. A failure leaves RATTLE_EXPR_NONE, which all operations pass on, so that the calls
 * that take the result report it. Prints
 *
 *     d surface/dx = 0.5*x
 *     t = 100: (-1.572982, 0.781499, -0.275792), J = 0.205000000, and all is conserved
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "rattle/rattle.h"

static void check(rattle_status status, const rattle_error *error) {
  if (status == RATTLE_OK) return;
  fprintf(stderr, "%s: %s\n", rattle_status_name(status), error->message);
  exit(1);
}

static rattle_graph *graph; /* of the model: what the four functions below build in */

static rattle_expr number(double value) {
  return rattle_expr_constant(graph, value);
}
static rattle_expr plus(rattle_expr a, rattle_expr b) {
  return rattle_expr_binary(graph, RATTLE_OP_ADD, a, b);
}
static rattle_expr times(rattle_expr a, rattle_expr b) {
  return rattle_expr_binary(graph, RATTLE_OP_MUL, a, b);
}
/* c1 x1^2 + c2 x2^2 + c3 x3^2 */
static rattle_expr squares(const rattle_expr *x, double c1, double c2, double c3) {
  return plus(plus(times(number(c1), times(x[0], x[0])), times(number(c2), times(x[1], x[1]))),
              times(number(c3), times(x[2], x[2])));
}

static const char *name_of(void *model, int32_t index) {
  return index % 2 ? rattle_model_momentum_name(model, index / 2)
                   : rattle_model_coordinate_name(model, index / 2);
}

int main(void) {
  static const char *const names[] = {"x", "y", "z"};
  const double a2 = 4, b2 = 2, c2 = 1,
               start[3][2] = {{2, 0}, {0, 0.6}, {0, 0.8}}; /* a^2, b^2, c^2; (q, p) of each pair */
  rattle_model *model;
  rattle_problem *problem;
  rattle_integrator *integrator;
  rattle_error error;
  rattle_expr q[3], p[3];
  char text[80];

  check(rattle_model_create(&model, &error), &error);
  graph = rattle_model_graph(model);
  for (int k = 0; k < 3; k++) {
    int pair; /* variable 2*pair of the graph is the coordinate, 2*pair + 1 its momentum */
    check(rattle_model_add_pair(model, names[k], NULL, &pair, &error), &error);
    check(rattle_model_set_start(model, pair, start[k][0], start[k][1], &error), &error);
    q[k] = rattle_expr_variable(graph, 2 * pair);
    p[k] = rattle_expr_variable(graph, 2 * pair + 1);
  }
  const rattle_expr surface = plus(squares(q, 1 / a2, 1 / b2, 1 / c2), number(-1));
  const rattle_expr J = times(squares(q, 1 / (a2 * a2), 1 / (b2 * b2), 1 / (c2 * c2)),
                              squares(p, 1 / a2, 1 / b2, 1 / c2));
  check(rattle_model_add_hamiltonian(model, squares(p, 0.5, 0.5, 0.5), &error), &error);
  check(rattle_model_add_constraint(model, "surface", surface, &error), &error);
  check(rattle_model_add_observable(model, "J", J, &error), &error);
  rattle_expr_print(graph, rattle_expr_derivative(graph, surface, 0), name_of, model, text,
                    sizeof text);
  printf("d surface/dx = %s\n", text);

  check(rattle_problem_create(&problem, model, NULL, &error), &error);
  check(rattle_integrator_create(&integrator, problem, "kahan_li8(rattle(verlet))", &error),
        &error);
  double z[6], before, after, J0, J1;
  check(rattle_problem_start(problem, 0, z, z + 3, NULL, &error), &error);
  check(rattle_problem_energy(problem, z, z + 3, &before, &error), &error);
  check(rattle_problem_observe(problem, z, z + 3, &J0, &error), &error);
  rattle_state state = {.struct_size = sizeof state, .q = z, .p = z + 3, .h = 0.05};
  check(rattle_integrator_step(integrator, &state, 2000, &error), &error);
  check(rattle_problem_energy(problem, z, z + 3, &after, &error), &error);
  check(rattle_problem_observe(problem, z, z + 3, &J1, &error), &error);
  const int good = fabs(after - before) < 1e-10 &&
                   rattle_integrator_residuals(integrator).g < 1e-14 && fabs(J1 - J0) < 1e-9;
  printf("t = 100: (%.6f, %.6f, %.6f), J = %.9f, %s\n", z[0], z[1], z[2], J1,
         good ? "and all is conserved" : "which is wrong");

  rattle_integrator_destroy(&integrator);
  rattle_problem_destroy(&problem);
  rattle_model_destroy(&model);
  return !good;
}
