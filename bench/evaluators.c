/* Nanoseconds per evaluation of functions made from expressions, by both evaluators, next to
 * hand-written twins.
 *
 * pendulum g: g = x^2 + y^2 - 1 and G = g'; pendulum V: gradient of V = 9.81 y; chain: links (x_k -
 * x_{k-1})^2 + (y_k - y_{k-1})^2 - l^2 with F and J, per link. Times are the least of several
 * rounds. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "ground/expr/elements.h"

enum { ROUNDS = 7, LINKS = 100000 };

typedef int jacobian(const rattle__function *f, const double *x, double *F, double *J,
                     double *work);

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* Twins, of the same type as the function, called through a pointer as it is. */
static int twin_g(const rattle__function *f, const double *x, double *F, double *J, double *work) {
  (void)f, (void)work;
  F[0] = x[0] * x[0] + x[1] * x[1] - 1;
  J[0] = 2 * x[0];
  J[1] = 2 * x[1];
  return 0;
}

static int twin_V(const rattle__function *f, const double *x, double *F, double *J, double *work) {
  (void)f, (void)work, (void)x, (void)F;
  J[0] = 0;
  J[1] = 9.81;
  return 0;
}

static int twin_chain(const rattle__function *f, const double *x, double *F, double *J,
                      double *work) {
  (void)f, (void)work;
  const double l2 = 1e-10;
  F[0] = x[0] * x[0] + x[1] * x[1] - l2;
  J[0] = 2 * x[0];
  J[1] = 2 * x[1];
  J += 2;
  for (int k = 1; k < LINKS; k++, x += 2, J += 4) {
    double dx = x[2] - x[0], dy = x[3] - x[1];
    F[k] = dx * dx + dy * dy - l2;
    J[0] = -2 * dx;
    J[1] = -2 * dy;
    J[2] = 2 * dx;
    J[3] = 2 * dy;
  }
  return 0;
}

/* Least time of one call; x[0] changes so that no call can be omitted. */
static double measure(jacobian *call, const rattle__function *f, double *x, double *F, double *J,
                      int calls) {
  double *work = malloc(f->work * sizeof *work), best = 1e300;
  jacobian *volatile through = call;
  for (int round = 0; work && round < ROUNDS; round++) {
    double start = now();
    for (int k = 0; k < calls; k++) {
      x[0] = 0.3 + 1e-9 * k;
      through(f, x, F, J, work);
    }
    double each = (now() - start) / calls;
    if (each < best) best = each;
  }
  free(work);
  return best;
}

static rattle_expr square(rattle_graph *g, rattle_expr a) {
  return rattle_expr_binary(g, RATTLE_OP_MUL, a, a);
}

static rattle_expr link_of(rattle_graph *g, int k, double length) {
  rattle_expr d[2];
  for (int c = 0; c < 2; c++) {
    d[c] = rattle_expr_variable(g, 2 * k + c);
    if (k)
      d[c] = rattle_expr_binary(g, RATTLE_OP_SUB, d[c], rattle_expr_variable(g, 2 * k - 2 + c));
    d[c] = square(g, d[c]);
  }
  return rattle_expr_binary(g, RATTLE_OP_SUB, rattle_expr_binary(g, RATTLE_OP_ADD, d[0], d[1]),
                            rattle_expr_constant(g, length * length));
}

/* Builds with each evaluator, measures F and J (or J alone), prints a line. `per` divides the
 * times. */
static int compare(const char *name, rattle_graph *g, const rattle_expr *root, int rows, int vars,
                   int dense, int with_F, jacobian *twin, int calls, double per) {
  int *place = malloc((size_t)vars * sizeof *place);
  double *x = calloc((size_t)vars, sizeof *x);
  if (!place || !x) return 1;
  for (int v = 0; v < vars; v++) place[v] = v, x[v] = 0.01 * (v % 7);
  double ns[2] = {0}, built[2], hand = 0;
  for (int native = 0; native < 2; native++) {
    rattle__build how = {.place = place,
                         .places = vars,
                         .vars = vars,
                         .dense = dense,
                         .hessian = 1,
                         .evaluator = native ? RATTLE__NATIVE_IF_POSSIBLE : RATTLE__BLOCK};
    rattle__function *f;
    rattle_error error;
    double start = now();
    if (rattle__function_from_graph(&f, g, root, rows, &how, &error)) {
      fprintf(stderr, "%s: %s\n", name, error.message);
      return 1;
    }
    built[native] = (now() - start) * 1e-6;
    double *F = calloc((size_t)rows, sizeof *F), *J = calloc((size_t)f->jac_nnz, sizeof *J);
    if (!F || !J) return 1;
    ns[native] = measure(f->jacobian, f, x, with_F ? F : NULL, J, calls) / per;
    if (!native) hand = measure(twin, f, x, F, J, calls) / per;
    free(F);
    free(J);
    rattle__function_destroy(&f);
  }
  printf("%-22s by hand %7.2f   native %7.2f (ratio %5.2f)   block %7.2f (ratio %5.2f) ns   built "
         "in %.1f and %.1f ms\n",
         name, hand, ns[1], ns[1] / hand, ns[0], ns[0] / hand, built[1], built[0]);
  free(place);
  free(x);
  return 0;
}

int main(void) {
  rattle_graph *g = NULL;
  rattle_expr *root = malloc(LINKS * sizeof *root);
  if (!root || rattle_graph_create(&g, NULL)) return 1;
  root[0] = link_of(g, 0, 1);
  int failed = compare("pendulum g and G", g, root, 1, 2, 0, 1, twin_g, 2000000, 1);
  root[0] = rattle_expr_binary(g, RATTLE_OP_MUL, rattle_expr_constant(g, 9.81),
                               rattle_expr_variable(g, 1));
  failed |= compare("pendulum V'", g, root, 1, 2, 1, 0, twin_V, 2000000, 1);
  for (int k = 0; k < LINKS; k++) root[k] = link_of(g, k, 1e-5);
  failed |= compare("chain, per link", g, root, LINKS, 2 * LINKS, 0, 1, twin_chain, 50, LINKS);
  rattle_graph_destroy(&g);
  free(root);
  return failed;
}
