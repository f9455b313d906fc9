/* From second-class constraints g = (phi, psi) to a problem with the involutive half alone.
 *
 *     H~ = H + a^T psi + 1/2 psi^T (K + S) psi,   a(z) from {H,phi_j} + sum_l a_l {psi_l,phi_j} =
 *     0,   S = -E D^-1
 *
 * With D_lj = {psi_l,phi_j}, E_lj = {a_l,phi_j} (D^T E is symmetric on g = 0): {H~,phi_j} = (psi^T
 * K D)_j + O(psi^2), so that the hidden constraints of (H~,phi) are psi = 0, if H~ = H, and
 * {{H~,phi_i},phi_j} = D^T K D is regular wherever D is. Without S that matrix is D^T (K D + E),
 * which became singular along half of the orbits tried. a and D^-1 are found block by block by
 * Cramer's rule, so that nothing is divided by but det D. K is constant: K = s (psi' B^2 psi'^T)^-1
 * at the split's point, s = |B H'' B| there, B the sizes of q and p by H'' (measure_kinds), so that
 * s measures energy per squared distance in phase space, whatever the functions psi, the units, and
 * how near to rest the start is. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "problem/model/model.h"
#include "problem/functions/survey.h"
#include "problem/functions/split.h"
#include "ground/expr/derivative.h"
#include "ground/expr/walk.h"
#include "maps/wrap/second_class.h"
#include "constraint/step/sizes.h"

enum { BLOCK_MOST = 6 };

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
  rattle_expr *a, *da;  /* a [k] and their gradients [k*2n] */
  rattle_expr *inverse; /* D^-1 [k*k], 0 between blocks */
  double *x;            /* the point, as the graph numbers variables [2n] */
  double size[2];       /* of q and p, in B */
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
    rattle_expr e = walk.node[i], a = rattle_expr_operand(from, e, 0),
                b = rattle_expr_operand(from, e, 1);
    rattle_op op = rattle_expr_op(from, e);
    if (k->copy[e]) continue;
    k->copy[e] = op == RATTLE_OP_CONSTANT ? number(k, rattle_expr_value(from, e))
                 : op == RATTLE_OP_VARIABLE
                     ? rattle_expr_variable(k->graph, rattle_expr_index(from, e))
                 : b ? rattle_expr_binary(k->graph, op, k->copy[a], k->copy[b])
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

/* The cofactor of row r and column c. */
static rattle_expr cofactor(maker *k, int size, const rattle_expr *A, int r, int c) {
  rattle_expr less[BLOCK_MOST * BLOCK_MOST] = {0};
  int to = 0;
  for (int i = 0; i < size; i++)
    for (int j = 0; j < size; j++)
      if (i != r && j != c) less[to++] = A[i * size + j];
  rattle_expr minor = determinant(k, size - 1, less);
  return (r + c) % 2 ? rattle_expr_unary(k->graph, RATTLE_OP_NEG, minor) : minor;
}

/* D^-1 and a = -D^-T {H,phi} of a block */
static void solve_block(maker *k, int first, int size) {
  const int *phi = k->split->phi + first, *psi = k->split->psi + first, all = k->split->k;
  rattle_expr D[BLOCK_MOST * BLOCK_MOST] = {0};
  for (int l = 0; l < size; l++)
    for (int j = 0; j < size; j++)
      D[l * size + j] = bracket(k, gradient_of(k, psi[l]), gradient_of(k, phi[j]));
  rattle_expr det = determinant(k, size, D);
  for (int l = 0; l < size; l++) k->a[first + l] = number(k, 0);
  for (int j = 0; j < size; j++) {
    rattle_expr push = bracket(k, gradient_of(k, phi[j]), k->dH);
    for (int l = 0; l < size; l++) {
      rattle_expr c = cofactor(k, size, D, l, j);
      k->inverse[(first + j) * all + first + l] =
          rattle_expr_binary(k->graph, RATTLE_OP_DIV, c, det);
      k->a[first + l] = add(k, k->a[first + l], multiply(k, c, push));
    }
  }
  for (int l = 0; l < size; l++)
    k->a[first + l] = rattle_expr_binary(k->graph, RATTLE_OP_DIV, k->a[first + l], det);
}

/* S_lm, m in the block that begins at `first` */
static rattle_expr cancelling(maker *k, int l, int m, int first, int size) {
  int all = k->split->k;
  rattle_expr sum = number(k, 0);
  for (int j = first; j < first + size; j++) {
    rattle_expr E =
        bracket(k, k->da + (size_t)l * 2 * (size_t)k->n, gradient_of(k, k->split->phi[j]));
    sum = subtract(k, sum, multiply(k, E, k->inverse[j * all + m]));
  }
  return sum;
}

/* ---- K ---- */

static double value(const maker *k, rattle_expr e) {
  return rattle_expr_evaluate(k->graph, e, k->x);
}

/* K of a block [size*size]: the inverse of psi' psi'^T, times s */
static rattle_status stiffness(maker *k, int first, int size, double *K) {
  double P[BLOCK_MOST * BLOCK_MOST];
  int singular = 0;
  rattle_status status = RATTLE_OK;
  for (int l = 0; l < size; l++)
    for (int j = 0; j < size; j++) {
      const rattle_expr *u = gradient_of(k, k->split->psi[first + l]),
                        *v = gradient_of(k, k->split->psi[first + j]);
      P[l * size + j] = 0;
      for (int c = 0; c < 2 * k->n; c++) {
        const double b = k->size[c % 2]; /* as the graph numbers variables */
        P[l * size + j] += b * value(k, u[c]) * (b * value(k, v[c]));
      }
    }
  for (int c = 0; c < size && !status; c++) {
    double column[BLOCK_MOST] = {0};
    column[c] = k->curvature;
    status = rattle__survey_solve(size, P, column, &singular, k->error);
    if (singular)
      return rattle__fail(k->error, RATTLE_SINGULAR, "second_class",
                          "second_class: the gradients of the constraints are dependent");
    for (int r = 0; r < size; r++) K[r * size + c] = column[r];
  }
  return status;
}

/* ---- H~ ---- */

static rattle_status solve_blocks(maker *k) {
  const rattle__halves *split = k->split;
  for (int e = 0; e < split->k * split->k; e++) k->inverse[e] = number(k, 0);
  for (int b = 0; b < split->blocks; b++) {
    int first = split->first[b], size = split->first[b + 1] - first;
    if (size > BLOCK_MOST)
      return rattle__fail(k->error, RATTLE_UNSUITABLE, "second_class",
                          "second_class: %d constraints depend on each other through their "
                          "brackets, and at most %d are supported together",
                          2 * size, 2 * BLOCK_MOST);
    solve_block(k, first, size);
  }
  for (int l = 0; l < split->k; l++)
    if (rattle__gradient(k->graph, k->a[l], k->variable, 2 * k->n,
                         k->da + (size_t)l * 2 * (size_t)k->n))
      return rattle__no_memory(k->error);
  return RATTLE_OK;
}

/* adds the terms with psi_m, m in the block, to sum */
static rattle_status add_block(maker *k, int block, rattle_expr *sum) {
  int first = k->split->first[block], size = k->split->first[block + 1] - first;
  double K[BLOCK_MOST * BLOCK_MOST];
  rattle_status status = stiffness(k, first, size, K);
  for (int m = first; m < first + size && !status; m++) {
    rattle_expr pull = number(k, 0); /* ((K + S)^T psi)_m */
    for (int l = 0; l < k->split->k; l++) {
      rattle_expr factor = cancelling(k, l, m, first, size);
      if (l >= first && l < first + size)
        factor = add(k, factor, number(k, K[(l - first) * size + m - first]));
      pull = add(k, pull, multiply(k, factor, k->g[k->split->psi[l]]));
    }
    pull = add(k, k->a[m], multiply(k, number(k, 0.5), pull));
    *sum = add(k, *sum, multiply(k, pull, k->g[k->split->psi[m]]));
  }
  return status;
}

static rattle_status copy_model(maker *k) {
  const rattle_model *model = k->problem->model;
  rattle_status status = RATTLE_OK;
  for (int i = 0; i < k->n && !status; i++) {
    status = rattle_model_add_pair(k->derived, model->pair[i].name, model->pair[i].momentum, NULL,
                                   k->error);
    if (!status)
      status =
          rattle_model_set_start(k->derived, i, k->split->z[i], k->split->z[k->n + i], k->error);
    k->x[2 * i] = k->split->z[i];
    k->x[2 * i + 1] = k->split->z[k->n + i];
  }
  for (int v = 0; v < 2 * k->n; v++) k->variable[v] = v;
  if (status) return status;
  k->H = copy_of(k, model->hamiltonian);
  int bad = rattle__gradient(k->graph, k->H, k->variable, 2 * k->n, k->dH);
  for (int i = 0; i < k->m && !bad; i++) {
    k->g[i] = copy_of(k, model->constraint[i].expr);
    bad = rattle__gradient(k->graph, k->g[i], k->variable, 2 * k->n,
                           k->dg + (size_t)i * 2 * (size_t)k->n);
  }
  return bad ? rattle__no_memory(k->error) : RATTLE_OK;
}

/* The sizes of q and p, of which K takes the ratio alone: that of the frequency that H'' has at the
 * point, so that a start near rest, or near 0, does not count; where H'' has none, what they are
 * there. */
static void measure_kinds(maker *k, const double *S) {
  const rattle__function *H = k->problem->H;
  double of_H[2] = {0, 0}, at[2];
  for (int r = 0; r < 2 * k->n; r++)
    for (int e = H->hess_ptr[r]; e < H->hess_ptr[r + 1]; e++)
      if ((H->hess_col[e] >= k->n) == (r >= k->n))
        of_H[r >= k->n] = fmax(of_H[r >= k->n], fabs(S[e]));
  rattle__largest_of_kind(k->problem, k->split->z, at);
  k->size[0] = 1;
  k->size[1] = of_H[0] > 0 && of_H[1] > 0 ? sqrt(of_H[0]) / sqrt(of_H[1])
               : at[0] > 0 && at[1] > 0   ? at[1] / at[0]
                                          : 1;
}

/* |B H'' B| at the point: Frobenius norm over the root of its size */
static rattle_status measure(maker *k) {
  const rattle__function *H = k->problem->H;
  double *S = calloc((size_t)H->hess_nnz + H->work + 1, sizeof *S), sum = 0;
  if (!S) return rattle__no_memory(k->error);
  int answer = H->hessian(H, k->split->z, NULL, S, S + H->hess_nnz);
  measure_kinds(k, S);
  for (int r = 0; r < 2 * k->n; r++)
    for (int e = H->hess_ptr[r]; e < H->hess_ptr[r + 1]; e++) {
      const double entry = k->size[r >= k->n] * S[e] * k->size[H->hess_col[e] >= k->n];
      sum += entry * entry;
    }
  k->curvature = sqrt(sum / (2 * k->n));
  if (!(k->curvature > 0)) k->curvature = 1;
  free(S);
  return answer ? rattle__callback_error(answer, "Hessian", k->error) : RATTLE_OK;
}

static rattle_status make(maker *k) {
  rattle_status status = copy_model(k);
  if (!status) status = measure(k);
  if (!status) status = solve_blocks(k);
  rattle_expr sum = k->H;
  for (int b = 0; b < k->split->blocks && !status; b++) status = add_block(k, b, &sum);
  if (!status) status = rattle_model_add_hamiltonian(k->derived, sum, k->error);
  for (int j = 0; j < k->split->k && !status; j++) {
    int phi = k->split->phi[j];
    status = rattle_model_add_constraint(
        k->derived, rattle_problem_constraint_name(k->problem, phi), k->g[phi], k->error);
  }
  return status;
}

rattle_status rattle__second_class_model(rattle_model **derived, const rattle_problem *problem,
                                         rattle_error *error) {
  size_t nz = 2 * (size_t)problem->n, m = (size_t)problem->m, half = m / 2;
  maker k = {.problem = problem,
             .split = problem->split,
             .n = problem->n,
             .m = problem->m,
             .error = error};
  rattle_status status = rattle_model_create(derived, error);
  if (status) return status;
  k.derived = *derived;
  k.graph = rattle_model_graph(*derived);
  k.copy = calloc((size_t)rattle_graph_count(problem->graph) + 1, sizeof *k.copy);
  k.g = calloc(m, sizeof *k.g);
  k.variable = calloc(nz, sizeof *k.variable);
  k.dg = calloc(m * nz, sizeof *k.dg);
  k.dH = calloc(nz, sizeof *k.dH);
  k.a = calloc(half, sizeof *k.a);
  k.da = calloc(half * nz, sizeof *k.da);
  k.inverse = calloc(half * half, sizeof *k.inverse);
  k.x = calloc(nz, sizeof *k.x);
  status = k.copy && k.g && k.variable && k.dg && k.dH && k.a && k.da && k.inverse && k.x
               ? make(&k)
               : rattle__no_memory(error);
  free(k.copy);
  free(k.g);
  free(k.variable);
  free(k.dg);
  free(k.dH);
  free(k.a);
  free(k.da);
  free(k.inverse);
  free(k.x);
  if (status) rattle_model_destroy(derived);
  return status;
}
