/* U = V + c log det A, A = G W G^T, as an expression, for what is made of expressions: machine
 * code of whole steps, and lanes.
 *
 * Map      A = L D L^T by elimination without pivots, entries that are 0 staying out of it; log det
 *          A = log prod_i D_i/s_i + sum_i log s_i, s_i = D_i at the start. One term, so that what
 *          entries share is evaluated once
 * Symbols  remassed.h
 * Metric   W of a metric is inputs of the graph, so that the text of U is one for all of them; the
 *          s_i are then those of the masses of the problem
 * Cost     an elimination of m rows and its adjoint sweep, for each gradient */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ground/expr/copy.h"
#include "ground/expr/derivative.h"
#include "ground/expr/elements.h"
#include "ground/expr/inputs.h"
#include "ground/expr/native.h"
#include "ground/support/error.h"
#include "problem/functions/remassed.h"
#include "problem/model/model.h"

/* More constraints than this, or coordinates, or numbers of a metric, and U is evaluated by the
 * functions that are there: its elimination is written out. */
enum { MOST_ROWS = 12, MOST_PAIRS = 64 };

typedef struct writer {
  const rattle_problem *problem;
  rattle_graph *graph;
  int n, m;
  rattle_expr *G, *B, *A; /* [m*n]: G, G W; [m*m]: A, and then L D below its diagonal D */
  rattle_expr *W; /* inputs: of a metric its diagonal [n], or all of it [n*n]; NULL: numbers */
  double *start;  /* values of the variables [2n] */
  rattle_expr zero;
} writer;

static rattle_expr times(const writer *w, rattle_expr a, rattle_expr b) {
  return a == w->zero || b == w->zero ? w->zero : rattle_expr_binary(w->graph, RATTLE_OP_MUL, a, b);
}

/* a + b, a - b */
static rattle_expr with(const writer *w, rattle_op op, rattle_expr a, rattle_expr b) {
  return b == w->zero ? a : rattle_expr_binary(w->graph, op, a, b);
}

static rattle_expr number(const writer *w, double value) {
  return rattle_expr_constant(w->graph, value);
}

/* A[i][j] of rows of G and G W. */
static rattle_expr product(const writer *w, int i, int j) {
  rattle_expr sum = w->zero;
  for (int l = 0; l < w->n; l++)
    sum = with(w, RATTLE_OP_ADD, sum, times(w, w->G[i * w->n + l], w->B[j * w->n + l]));
  return sum;
}

/* B = G W, row i. */
static void scale_row(const writer *w, int i) {
  const rattle__mass *W = w->problem->mass;
  const rattle_expr *G = w->G + i * w->n;
  for (int l = 0; l < w->n; l++) {
    rattle_expr sum = w->zero;
    if (!W->value) sum = times(w, G[l], w->W ? w->W[l] : number(w, W->diagonal[l]));
    for (int j = 0; W->value && w->W && j < w->n; j++)
      sum = with(w, RATTLE_OP_ADD, sum, times(w, G[j], w->W[l * w->n + j]));
    for (int e = W->value ? W->ptr[l] : 0; W->value && !w->W && e < W->ptr[l + 1]; e++)
      sum = with(w, RATTLE_OP_ADD, sum, times(w, G[W->col[e]], number(w, W->value[e])));
    w->B[i * w->n + l] = sum;
  }
}

/* G as expressions, of the constraints copied into the graph. */
static int write_gradients(const writer *w, rattle__copy *copy) {
  int32_t *variable = malloc((size_t)w->n * sizeof *variable);
  int failed = !variable;
  for (int l = 0; l < w->n && !failed; l++) variable[l] = 2 * l;
  for (int i = 0; i < w->m && !failed; i++) {
    const rattle_expr g = rattle__copy_of(copy, w->problem->model->constraint[i].expr);
    failed = !g || rattle__gradient(w->graph, g, variable, w->n, w->G + i * w->n);
  }
  free(variable);
  return failed;
}

/* A */
static void write_gram(const writer *w) {
  for (int i = 0; i < w->m; i++) scale_row(w, i);
  for (int i = 0; i < w->m; i++)
    for (int j = 0; j <= i; j++) w->A[i * w->m + j] = product(w, i, j);
}

/* prod_i D_i/s_i, and *log_scale = sum_i log s_i; NONE: no memory. */
static rattle_expr eliminate(const writer *w, double *log_scale) {
  const int m = w->m;
  rattle_expr whole = number(w, 1);
  *log_scale = 0;
  for (int j = 0; j < m; j++) {
    const rattle_expr D = w->A[j * m + j];
    const double s = rattle_expr_evaluate(w->graph, D, w->start);
    const int good = s > 0 && isfinite(s) && isfinite(1 / s);
    if (good) *log_scale += log(s);
    whole = times(w, whole, times(w, D, number(w, good ? 1 / s : 1)));
    for (int i = j + 1; i < m; i++) {
      const rattle_expr L = w->A[i * m + j];
      if (L == w->zero) continue;
      const rattle_expr ratio = rattle_expr_binary(w->graph, RATTLE_OP_DIV, L, D);
      for (int k = j + 1; k <= i; k++)
        w->A[i * m + k] = with(w, RATTLE_OP_SUB, w->A[i * m + k], times(w, ratio, w->A[k * m + j]));
    }
  }
  return whole;
}

/* How many inputs W of a metric has. */
static size_t inputs_of(const rattle_problem *problem) {
  const size_t n = (size_t)problem->n;
  return !problem->remassed ? 0 : problem->mass->value ? n * n : n;
}

/* The numbers of W are inputs, but for masses that do not move; now they have the values that the
 * masses of the problem have, by which determinants are scaled. */
static void make_inputs(const writer *w) {
  const double *own = w->problem->remassed->mass->diagonal;
  const int n = w->n, dense = w->problem->mass->value != NULL;
  for (int i = 0; i < n; i++)
    for (int j = dense ? 0 : i; j <= i; j++) {
      const double value = i == j ? own[i] : 0;
      const rattle_expr e =
          i == j && !(own[i] > 0) ? w->zero : rattle__input_make(w->graph, value, 0);
      if (dense)
        w->W[i * n + j] = w->W[j * n + i] = e;
      else
        w->W[i] = e;
    }
}

/* The inputs have the values of the metric. 0: algebra, or a number that follows from them, has no
 * use for these. */
static int set_inputs(const writer *w) {
  const rattle__mass *W = w->problem->mass;
  for (int i = 0; i < w->n; i++) {
    if (!W->value && w->W[i] != w->zero) rattle__input_set(w->graph, w->W[i], W->diagonal[i]);
    for (int j = 0; W->value && j < w->n; j++) rattle__input_set(w->graph, w->W[i * w->n + j], 0);
    for (int e = W->value ? W->ptr[i] : 0; W->value && e < W->ptr[i + 1]; e++)
      rattle__input_set(w->graph, w->W[i * w->n + W->col[e]], W->value[e]);
  }
  return rattle__inputs_update(w->graph) && !rattle__graph_is_unlike(w->graph);
}

/* log det A. NONE: no memory. */
static rattle_expr write_logarithm(const writer *w) {
  double log_scale = 0;
  if (w->W) make_inputs(w);
  write_gram(w);
  const rattle_expr det = eliminate(w, &log_scale);
  return with(w, RATTLE_OP_ADD, rattle_expr_unary(w->graph, RATTLE_OP_LOG, det),
              number(w, log_scale));
}

/* The terms of H that do not depend on momenta, then c times the logarithm; *count of them. */
static rattle_status write_terms(const writer *w, rattle__copy *copy, double c, double **factor,
                                 rattle_expr **term, int *count, rattle_error *error) {
  const size_t places = 2 * (size_t)w->n;
  if (write_gradients(w, copy)) return rattle__no_memory(error);
  const rattle_expr logarithm = write_logarithm(w),
                    H = rattle__copy_of(copy, w->problem->model->hamiltonian);
  if (!logarithm || !H) return rattle__no_memory(error);
  rattle_status status = rattle__terms(w->graph, H, factor, term, count, error);
  unsigned char *seen = calloc((size_t)rattle_graph_count(w->graph) + 1, 1), *mask = malloc(places);
  if (!status && (!seen || !mask)) status = rattle__no_memory(error);
  int used = 0;
  for (size_t v = 0; v < places && mask; v++) mask[v] = v % 2;
  for (int i = 0; i < *count && !status; i++) {
    const unsigned depends = rattle__depends(w->graph, (*term)[i], mask, (int)places, seen);
    if (depends == RATTLE__NOT_KNOWN) status = rattle__no_memory(error);
    if (!(depends & 1)) (*factor)[used] = (*factor)[i], (*term)[used++] = (*term)[i];
  }
  free(seen), free(mask);
  if (status) return status;
  void *factors = realloc(*factor, (size_t)(used + 1) * sizeof **factor);
  if (factors) *factor = factors;
  void *terms = realloc(*term, (size_t)(used + 1) * sizeof **term);
  if (terms) *term = terms;
  if (!factors || !terms) return rattle__no_memory(error);
  (*factor)[used] = c, (*term)[used] = logarithm;
  *count = used + 1;
  return RATTLE_OK;
}

/* U as a function of q, without second derivatives, whose pattern is that of V. */
static rattle_status write_function(rattle__function **U, const writer *w, double c,
                                    rattle_error *error) {
  rattle__copy copy = rattle__copy_begin(w->problem->graph, w->graph, NULL, 0);
  int *place = malloc(2 * (size_t)w->n * sizeof *place), count = 0;
  double *factor = NULL;
  rattle_expr *term = NULL;
  rattle_status status = place ? RATTLE_OK : rattle__no_memory(error);
  for (int v = 0; v < 2 * w->n && place; v++) place[v] = v % 2 ? -1 : v / 2;
  if (!status) status = write_terms(w, &copy, c, &factor, &term, &count, error);
  if (!status && w->W && !set_inputs(w))
    status = rattle__fail(error, RATTLE_UNSUITABLE, "metric", "its masses are no inputs");
  const rattle__build build = {.place = place, .places = 2 * w->n, .vars = w->n, .dense = 1};
  if (!status)
    status = rattle__function_from_terms(U, w->graph, factor, term, count, &build, error);
  rattle__copy_end(&copy);
  free(place), free(factor), free(term);
  if (status) return status;
  const rattle__function *V = w->problem->V;
  (*U)->hess_ptr = V->hess_ptr, (*U)->hess_col = V->hess_col, (*U)->hess_nnz = V->hess_nnz;
  return RATTLE_OK;
}

static rattle_status make_function(rattle__function **U, const rattle_problem *problem, double c,
                                   rattle_error *error) {
  const int n = problem->n, m = problem->m;
  const size_t rows = (size_t)m * (size_t)n, square = (size_t)m * (size_t)m;
  writer w = {.problem = problem, .n = n, .m = m};
  w.G = malloc((2 * rows + square + inputs_of(problem)) * sizeof *w.G);
  w.start = calloc(2 * (size_t)n, sizeof *w.start);
  rattle_status status = w.G && w.start ? RATTLE_OK : rattle__no_memory(error);
  if (!status) status = rattle_graph_create(&w.graph, error);
  if (!status) {
    w.B = w.G + rows, w.A = w.B + rows, w.W = problem->remassed ? w.A + square : NULL;
    w.zero = number(&w, 0);
    for (int l = 0; l < n; l++) w.start[2 * l] = problem->model->pair[l].q;
    status = write_function(U, &w, c, error);
  }
  rattle_graph_destroy(&w.graph);
  free(w.G), free(w.start);
  return status;
}

int rattle__can_write_tilted(const rattle_problem *problem) {
  return problem->model && !problem->settable && !problem->bonded && problem->V->elements &&
         problem->m <= MOST_ROWS && problem->n <= MOST_PAIRS && inputs_of(problem) <= MOST_PAIRS;
}

rattle_status rattle__problem_tilted_model(rattle_problem **made, const rattle_problem *problem,
                                           double c, rattle_error *error) {
  rattle_problem *p = *made = malloc(sizeof *p);
  if (!p) return rattle__no_memory(error);
  *p = *problem;
  p->H = p->V = p->kinetic = p->T = p->terms = NULL;
  for (int i = 0; i < RATTLE__PARTS; i++) p->library[i] = NULL;
  rattle_status status = make_function(&p->V, problem, c, error);
  if (!status && !p->remassed) /* else code of V alone would have the masses in it */
    status = rattle__native_attach(&p->V, 1, p->evaluator, NULL, &p->library[0], error);
  if (!status) status = rattle__function_separable(&p->H, p->n, p->V, NULL, p->mass, error);
  if (!status) p->H->native = p->V->native;
  if (status) rattle__problem_tilted_destroy(made);
  return status;
}
