/* From second-class constraints g = (phi, psi) to a problem with the involutive half alone.
 *
 *     H~ = H + a^T psi + 1/2 psi^T K psi,   a(z) from {H,phi_j} + sum_l a_l {psi_l,phi_j} = 0
 *
 * {H~,phi_j} = sum_l psi_l (K D + E)_lj + O(psi^2), with D_lj = {psi_l,phi_j}, E_lj = {a_l,phi_j}: the hidden constraints of
 * (H~,phi) are psi = 0, and H~ = H there. a is found block by block by Cramer's rule, so that nothing is divided by but det D. K
 * is constant: K = s (psi' psi'^T)^-1 at the split's point, so that s measures energy per squared distance in phase space,
 * whatever the functions psi; s is the larger of CURVATURE times |H''| and SAFETY times what E could cancel of K D. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/model.h"
#include "core/problem_survey.h"
#include "core/problem_split.h"
#include "expr/derivative.h"
#include "expr/walk.h"
#include "wrap/second_class.h"

enum { BLOCK_MOST = 6 };
static const double CURVATURE = 1, SAFETY = 4;

typedef struct maker {
  const rattle_problem *problem;
  const rattle__halves *split;
  rattle_model *derived;
  rattle_graph *graph; /* of derived */
  rattle_expr *copy;   /* [nodes of the model's graph + 1] their copies, or NONE */
  rattle_expr H, *g;   /* copies; g [m] */
  int n, m;
  int32_t *variable;    /* 0 .. 2n-1 */
  rattle_expr *dg, *dH; /* gradients [m*2n], [2n] */
  rattle_expr *da;      /* [2n] */
  double *x;            /* the point, as the graph numbers variables [2n] */
  double curvature;
  rattle_error *error;
} maker;

/* ---- expressions ---- */

static rattle_expr add(maker *k, rattle_expr a, rattle_expr b) {
  return rattle_expr_binary(k->graph, RATTLE_OP_ADD, a, b);
}
static rattle_expr subtract(maker *k, rattle_expr a, rattle_expr b) {
  return rattle_expr_binary(k->graph, RATTLE_OP_SUB, a, b);
}
static rattle_expr multiply(maker *k, rattle_expr a, rattle_expr b) {
  return rattle_expr_binary(k->graph, RATTLE_OP_MUL, a, b);
}
static rattle_expr number(maker *k, double value) {
  return rattle_expr_constant(k->graph, value);
}

/* The node and all below it in the new graph. */
static rattle_expr copy_of(maker *k, rattle_expr root) {
  const rattle_graph *from = k->problem->graph;
  rattle__walk walk;
  if (rattle__walk_begin(&walk, from, root, rattle__operands)) {
    rattle__walk_end(&walk);
    return RATTLE_EXPR_NONE;
  }
  for (size_t i = 0; i < walk.count; i++) {
    rattle_expr e = walk.node[i], a = rattle_expr_operand(from, e, 0), b = rattle_expr_operand(from, e, 1);
    rattle_op op = rattle_expr_op(from, e);
    if (k->copy[e]) continue;
    k->copy[e] = op == RATTLE_OP_CONSTANT   ? number(k, rattle_expr_value(from, e))
                 : op == RATTLE_OP_VARIABLE ? rattle_expr_variable(k->graph, rattle_expr_index(from, e))
                 : b                        ? rattle_expr_binary(k->graph, op, k->copy[a], k->copy[b])
                                            : rattle_expr_unary(k->graph, op, k->copy[a]);
  }
  rattle__walk_end(&walk);
  return k->copy[root];
}

/* {F,G} from their gradients */
static rattle_expr bracket(maker *k, const rattle_expr *F, const rattle_expr *G) {
  rattle_expr sum = number(k, 0);
  for (int i = 0; i < k->n; i++) {
    sum = add(k, sum, multiply(k, F[2 * i], G[2 * i + 1]));
    sum = subtract(k, sum, multiply(k, F[2 * i + 1], G[2 * i]));
  }
  return sum;
}

static const rattle_expr *gradient_of(const maker *k, int constraint) {
  return k->dg + (size_t)constraint * 2 * (size_t)k->n;
}

/* det A, A [size*size] by rows: minors of the first rows over all sets of columns */
static rattle_expr determinant(maker *k, int size, const rattle_expr *A) {
  rattle_expr minor[1 << BLOCK_MOST];
  minor[0] = number(k, 1);
  for (unsigned set = 1; set < 1U << size; set++) {
    int row = -1, after = 0;
    for (int c = 0; c < size; c++) row += set >> c & 1;
    minor[set] = number(k, 0);
    for (int c = size - 1; c >= 0; c--) {
      if (!(set >> c & 1)) continue;
      rattle_expr term = multiply(k, A[row * size + c], minor[set & ~(1U << c)]);
      minor[set] = after++ % 2 ? subtract(k, minor[set], term) : add(k, minor[set], term);
    }
  }
  return minor[(1U << size) - 1];
}

/* a of the block: D^T a = -{H,phi} */
static void solve_block(maker *k, const int *phi, const int *psi, int size, rattle_expr *a) {
  rattle_expr A[BLOCK_MOST * BLOCK_MOST] = {0}, b[BLOCK_MOST], one[BLOCK_MOST * BLOCK_MOST];
  for (int j = 0; j < size; j++) {
    b[j] = bracket(k, gradient_of(k, phi[j]), k->dH);
    for (int l = 0; l < size; l++) A[j * size + l] = bracket(k, gradient_of(k, psi[l]), gradient_of(k, phi[j]));
  }
  rattle_expr det = determinant(k, size, A);
  for (int l = 0; l < size; l++) {
    memcpy(one, A, sizeof one);
    for (int j = 0; j < size; j++) one[j * size + l] = b[j];
    a[l] = rattle_expr_binary(k->graph, RATTLE_OP_DIV, determinant(k, size, one), det);
  }
}

/* ---- K ---- */

/* inverse <- A^-1, both [size*size] */
static rattle_status invert(int size, const double *A, double *inverse, int *singular, rattle_error *error) {
  rattle_status status = RATTLE_OK;
  for (int c = 0; c < size && !status; c++) {
    double column[BLOCK_MOST] = {0};
    column[c] = 1;
    status = rattle__survey_solve(size, A, column, singular, error);
    if (*singular) return status;
    for (int r = 0; r < size; r++) inverse[r * size + c] = column[r];
  }
  return status;
}

static double value(const maker *k, rattle_expr e) {
  return rattle_expr_evaluate(k->graph, e, k->x);
}

/* C = A B */
static void product(int size, const double *A, const double *B, double *C) {
  for (int i = 0; i < size; i++)
    for (int j = 0; j < size; j++) {
      double sum = 0;
      for (int l = 0; l < size; l++) sum += A[i * size + l] * B[l * size + j];
      C[i * size + j] = sum;
    }
}

/* D and E at the point, and P = psi' psi'^T */
static rattle_status look(maker *k, const int *phi, const int *psi, int size, const rattle_expr *a, double *D, double *E,
                          double *P) {
  for (int l = 0; l < size; l++) {
    rattle_status status = rattle__gradient(k->graph, a[l], k->variable, 2 * k->n, k->da);
    if (status) return rattle__no_memory(k->error);
    for (int j = 0; j < size; j++) {
      const rattle_expr *u = gradient_of(k, psi[l]), *v = gradient_of(k, psi[j]);
      D[l * size + j] = value(k, bracket(k, u, gradient_of(k, phi[j])));
      E[l * size + j] = value(k, bracket(k, k->da, gradient_of(k, phi[j])));
      P[l * size + j] = 0;
      for (int c = 0; c < 2 * k->n; c++) P[l * size + j] += value(k, u[c]) * value(k, v[c]);
    }
  }
  return RATTLE_OK;
}

static rattle_status stiffness(maker *k, const int *phi, const int *psi, int size, const rattle_expr *a, double *K) {
  enum { ROOM = BLOCK_MOST * BLOCK_MOST };
  double D[ROOM], E[ROOM], P[ROOM], inverse[ROOM], S[ROOM], PS[ROOM], cancels = 0;
  int singular = 0;
  rattle_status status = look(k, phi, psi, size, a, D, E, P);
  if (!status) status = invert(size, D, inverse, &singular, k->error);
  if (!status && !singular) status = invert(size, P, K, &singular, k->error);
  if (status) return status;
  if (singular)
    return rattle__fail(k->error, RATTLE_SINGULAR, rattle_problem_constraint_name(k->problem, phi[0]),
                        "second_class: the matrix {phi_i,psi_j} of the block of constraint '%s' is singular at the start",
                        rattle_problem_constraint_name(k->problem, phi[0]));
  product(size, E, inverse, S);
  product(size, P, S, PS);
  for (int e = 0; e < size * size; e++) cancels += PS[e] * PS[e];
  double s = fmax(CURVATURE * k->curvature, SAFETY * sqrt(cancels));
  if (!(s > 0)) s = 1;
  for (int e = 0; e < size * size; e++) K[e] *= s;
  return RATTLE_OK;
}

/* ---- H~ ---- */

static rattle_status add_block(maker *k, int block, rattle_expr *sum) {
  int first = k->split->first[block], size = k->split->first[block + 1] - first;
  const int *phi = k->split->phi + first, *psi = k->split->psi + first;
  rattle_expr a[BLOCK_MOST];
  double K[BLOCK_MOST * BLOCK_MOST];
  if (size > BLOCK_MOST)
    return rattle__fail(
        k->error, RATTLE_UNSUITABLE, "second_class",
        "second_class: %d constraints depend on each other through their brackets, and at most %d can be dealt with "
        "together",
        2 * size, 2 * BLOCK_MOST);
  solve_block(k, phi, psi, size, a);
  rattle_status status = stiffness(k, phi, psi, size, a, K);
  for (int l = 0; l < size && !status; l++) {
    rattle_expr pull = a[l]; /* of psi_l: a_l + 1/2 (K psi)_l */
    for (int j = 0; j < size; j++) pull = add(k, pull, multiply(k, number(k, 0.5 * K[l * size + j]), k->g[psi[j]]));
    *sum = add(k, *sum, multiply(k, pull, k->g[psi[l]]));
  }
  return status;
}

static rattle_status copy_model(maker *k) {
  const rattle_model *model = k->problem->model;
  rattle_status status = RATTLE_OK;
  for (int i = 0; i < k->n && !status; i++) {
    status = rattle_model_add_pair(k->derived, model->pair[i].name, model->pair[i].momentum, NULL, k->error);
    if (!status) status = rattle_model_set_start(k->derived, i, k->split->z[i], k->split->z[k->n + i], k->error);
    k->x[2 * i] = k->split->z[i];
    k->x[2 * i + 1] = k->split->z[k->n + i];
  }
  for (int v = 0; v < 2 * k->n; v++) k->variable[v] = v;
  if (status) return status;
  k->H = copy_of(k, model->hamiltonian);
  int bad = rattle__gradient(k->graph, k->H, k->variable, 2 * k->n, k->dH);
  for (int i = 0; i < k->m && !bad; i++) {
    k->g[i] = copy_of(k, model->constraint[i].expr);
    bad = rattle__gradient(k->graph, k->g[i], k->variable, 2 * k->n, k->dg + (size_t)i * 2 * (size_t)k->n);
  }
  return bad ? rattle__no_memory(k->error) : RATTLE_OK;
}

/* |H''| at the point: Frobenius norm over the root of its size */
static rattle_status measure(maker *k) {
  const rattle__function *H = k->problem->H;
  double *S = calloc((size_t)H->hess_nnz + H->work + 1, sizeof *S), sum = 0;
  if (!S) return rattle__no_memory(k->error);
  int answer = H->hessian(H, k->split->z, NULL, S, S + H->hess_nnz);
  for (int e = 0; e < H->hess_nnz; e++) sum += S[e] * S[e];
  k->curvature = sqrt(sum / (2 * k->n));
  free(S);
  return answer ? rattle__callback_error(answer, "Hessian", k->error) : RATTLE_OK;
}

static rattle_status make(maker *k) {
  rattle_status status = copy_model(k);
  if (!status) status = measure(k);
  rattle_expr sum = k->H;
  for (int b = 0; b < k->split->blocks && !status; b++) status = add_block(k, b, &sum);
  if (!status) status = rattle_model_add_hamiltonian(k->derived, sum, k->error);
  for (int j = 0; j < k->split->k && !status; j++) {
    int phi = k->split->phi[j];
    status = rattle_model_add_constraint(k->derived, rattle_problem_constraint_name(k->problem, phi), k->g[phi], k->error);
  }
  return status;
}

rattle_status rattle__second_class_model(rattle_model **derived, const rattle_problem *problem, rattle_error *error) {
  size_t nz = 2 * (size_t)problem->n, m = (size_t)problem->m;
  maker k = {.problem = problem, .split = problem->split, .n = problem->n, .m = problem->m, .error = error};
  rattle_status status = rattle_model_create(derived, error);
  if (status) return status;
  k.derived = *derived;
  k.graph = rattle_model_graph(*derived);
  k.copy = calloc((size_t)rattle_graph_count(problem->graph) + 1, sizeof *k.copy);
  k.g = calloc(m, sizeof *k.g);
  k.variable = calloc(nz, sizeof *k.variable);
  k.dg = calloc(m * nz, sizeof *k.dg);
  k.dH = calloc(nz, sizeof *k.dH);
  k.da = calloc(nz, sizeof *k.da);
  k.x = calloc(nz, sizeof *k.x);
  status = k.copy && k.g && k.variable && k.dg && k.dH && k.da && k.x ? make(&k) : rattle__no_memory(error);
  free(k.copy);
  free(k.g);
  free(k.variable);
  free(k.dg);
  free(k.dH);
  free(k.da);
  free(k.x);
  if (status) rattle_model_destroy(derived);
  return status;
}
