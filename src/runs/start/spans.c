/* Points of g(q) = 0 where rows may be dependent: redundant.h.
 *
 * Onto g = 0   Levenberg-Marquardt, q <- q - w A^T z, (A A^T + mu) z = r, mu = (|r|/size)^2, which
 * converges quadratically where the rank
 *              of A is constant on the manifold (N. Yamashita, M. Fukushima, Computing Suppl. 15
 *              (2001) 239)
 * Round-off    a row that is no more than the round-off of what it is the sum of is 0, and has that
 *              length: in joint coordinates that of a hinge which keeps a linkage in the plane in
 *              which other hinges hold it */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ground/support/error.h"
#include "ground/expr/elements.h"
#include "ground/linear/dot.h"
#include "runs/start/redundant.h"

enum { ITERATIONS = 60, HALVINGS = 10 };
static const double small = 1e-14, enough = 1e-11, least_damping = 1e-13;

/* w_k^2 = H_pp, by differences of H_p, which are exact for natural H and know nothing of V, beside
 * which 1/m may be round-off. */
static rattle_status weigh(rattle__spans *rows, rattle_error *error) {
  const rattle_model *model = rows->model;
  double *x = calloc(2 * (size_t)rows->n, sizeof *x);
  if (!x) return rattle__no_memory(error);
  for (int k = 0; k < rows->n; k++) x[2 * k] = rows->q[k];
  for (int k = 0; k < rows->n; k++) {
    const rattle_expr rate = rattle_expr_derivative(model->graph, model->hamiltonian, 2 * k + 1);
    double sum = 0;
    for (int side = -1; side <= 1; side += 2) {
      x[2 * k + 1] = side;
      sum += side * rattle_expr_evaluate(model->graph, rate, x) / 2;
    }
    x[2 * k + 1] = 0;
    rows->w[k] = sum > 0 && isfinite(sum) ? sqrt(sum) : 1;
  }
  free(x);
  return RATTLE_OK;
}

/* The four of a quaternion move alike: along it there is no motion, and an inertia of its own. */
static void weigh_balls(rattle__spans *rows) {
  const rattle__model_sweeps *tree = rows->model->sweeps;
  for (int i = 0; tree && i < tree->count; i++) {
    const int *pair = tree->node[i].pair;
    if (tree->node[i].kind != RATTLE__BALL || pair[0] < 0) continue;
    double w = 0;
    for (int j = 0; j < 4; j++) w = fmax(w, rows->w[pair[j]]);
    for (int j = 0; j < 4; j++) rows->w[pair[j]] = w;
  }
}

static rattle_status make_function(rattle__spans *rows, rattle_error *error) {
  const rattle_model *model = rows->model;
  const size_t n = (size_t)rows->n, m = (size_t)rows->m;
  rattle_expr *root = malloc(m * sizeof *root);
  int *place = malloc(2 * n * sizeof *place);
  rattle_status status = root && place ? RATTLE_OK : rattle__no_memory(error);
  for (size_t i = 0; i < m && !status; i++) root[i] = model->constraint[i].expr;
  for (size_t v = 0; v < 2 * n && !status; v++) place[v] = v % 2 ? -1 : (int)(v / 2);
  const rattle__build build = {
      .place = place, .places = 2 * rows->n, .vars = rows->n, .evaluator = RATTLE__BLOCK};
  if (!status)
    status = rattle__function_from_graph(&rows->g, model->graph, root, rows->m, &build, error);
  free(root);
  free(place);
  return status;
}

rattle_status rattle__spans_create(rattle__spans *rows, const rattle_model *model,
                                   rattle_error *error) {
  *rows = (rattle__spans){.model = model, .n = model->n, .m = model->m};
  const size_t n = (size_t)model->n, m = (size_t)model->m;
  rattle_status status = make_function(rows, error);
  if (status) return status;
  const rattle__array arrays[] = {{&rows->q, n},
                                  {&rows->w, n},
                                  {&rows->r, m},
                                  {&rows->length, m},
                                  {&rows->A, m * n},
                                  {&rows->Q, n * n},
                                  {&rows->J, (size_t)rows->g->jac_nnz},
                                  {&rows->C, m * m},
                                  {&rows->y, n},
                                  {&rows->work, rows->g->work}};
  RATTLE__LAY_OUT(&rows->arena, arrays);
  rows->kept = rattle__arena_take(&rows->arena, m);
  rows->extent = rattle__arena_take(&rows->arena, n * sizeof *rows->extent);
  if (rows->arena.failed) return rattle__no_memory(error);
  for (size_t k = 0; k < n; k++) rows->q[k] = model->pair[k].q;
  status = weigh(rows, error);
  weigh_balls(rows);
  for (size_t k = 0; k < n; k++) rows->size = fmax(rows->size, fabs(rows->q[k]) / rows->w[k]);
  if (!(rows->size > 0)) rows->size = 1 / rows->w[0];
  return status;
}

void rattle__spans_destroy(rattle__spans *rows) {
  rattle__function_destroy(&rows->g);
  rattle__arena_release(&rows->arena);
}

static const char *name_of(void *model, int32_t index) {
  return rattle__model_variable_name(model, index);
}

/* Constraint i, or a derivative of it, is not finite at rows->q. */
static rattle_status not_finite(const rattle__spans *rows, int i, rattle_error *error) {
  const rattle_model *model = rows->model;
  const rattle__naming names = {name_of, (void *)(uintptr_t)model};
  const char *name = model->constraint[i].name;
  char clause[300];
  double *x = calloc(2 * (size_t)rows->n, sizeof *x);
  if (!x) return rattle__no_memory(error);
  for (int k = 0; k < rows->n; k++) x[2 * k] = rows->q[k];
  if (!rattle__domain_fault(model->graph, model->constraint[i].expr, x, names, clause,
                            sizeof clause))
    snprintf(clause, sizeof clause, "a derivative is infinite or undefined");
  free(x);
  return rattle__fail(
      error, RATTLE_DOMAIN, name,
      "constraint '%s' is not finite at the start, or near it: %s: start elsewhere, "
      "or write it in another way",
      name, clause);
}

rattle_status rattle__spans_at(rattle__spans *rows, double *most, int *worst, rattle_error *error) {
  const rattle__function *g = rows->g;
  (void)g->jacobian(g, rows->q, rows->r, rows->J, rows->work); /* 0 from expressions */
  memset(rows->A, 0, (size_t)rows->m * (size_t)rows->n * sizeof *rows->A);
  *most = 0;
  for (int i = 0; i < rows->m; i++) {
    double *row = rows->A + (size_t)i * (size_t)rows->n, sum = 0, of_all = 0;
    for (int e = g->jac_ptr[i]; e < g->jac_ptr[i + 1]; e++) {
      const double a = rows->J[e] * rows->w[g->jac_col[e]];
      of_all += a * a;
      if (rows->holding && rows->model->pair[g->jac_col[e]].held) continue;
      row[g->jac_col[e]] = a;
      sum += a * a;
    }
    rows->length[i] = sqrt(
        sum > 0
            ? sum
            : of_all); /* where all of its coordinates are held, it is judged, and moves nothing */
    if (!isfinite(rows->r[i]) || !isfinite(of_all)) return not_finite(rows, i, error);
    const double terms = rows->model->constraint[i].terms;
    if (sqrt(of_all) <= RATTLE__START_NEAR * terms) {
      memset(row, 0, (size_t)rows->n * sizeof *row);
      rows->length[i] = terms;
    }
    if (!(rows->length[i] > 0)) continue;
    rows->r[i] /= rows->length[i];
    for (int k = 0; k < rows->n; k++) row[k] /= rows->length[i];
    if (!(fabs(rows->r[i]) / rows->size > *most)) continue;
    *most = fabs(rows->r[i]) / rows->size;
    *worst = i;
  }
  return RATTLE_OK;
}

static double norm(const double *r, int m) {
  double sum = 0;
  for (int i = 0; i < m; i++) sum += r[i] * r[i];
  return sqrt(sum);
}

/* L L^T = A A^T + mu in rows of C. A pivot as small as its rounding is 0: no multiple
 * of this constraint is used. */
static void factor(rattle__spans *rows, double damping) {
  const int n = rows->n, m = rows->m;
  for (int i = 0; i < m; i++) {
    double *own = rows->C + (long)i * m;
    for (int j = 0; j <= i; j++) {
      const double *other = rows->C + (long)j * m;
      const double product = rattle__dot(n, rows->A + (long)i * n, rows->A + (long)j * n),
                   left = product + (i == j ? damping : 0) - rattle__dot(j, own, other);
      if (j < i)
        own[j] = other[j] > 0 ? left / other[j] : 0;
      else
        own[i] = left > 0.5 * DBL_EPSILON * (n + i) * product ? sqrt(left) : 0;
    }
  }
}

/* r <- z, (A A^T + mu) z = r */
static void solve(rattle__spans *rows) {
  const int m = rows->m;
  double *z = rows->r;
  for (int i = 0; i < m; i++) {
    const double *own = rows->C + (long)i * m;
    z[i] = own[i] > 0 ? (z[i] - rattle__dot(i, own, z)) / own[i] : 0;
  }
  for (int i = m - 1; i >= 0; i--) {
    const double *own = rows->C + (long)i * m;
    z[i] = own[i] > 0 ? z[i] / own[i] : 0;
    for (int j = 0; j < i; j++) z[j] -= own[j] * z[i];
  }
}

/* y <- -A^T z */
static void find_direction(rattle__spans *rows) {
  const size_t n = (size_t)rows->n, m = (size_t)rows->m;
  const double share = norm(rows->r, rows->m) / rows->size;
  factor(rows, fmax(least_damping, share * share));
  solve(rows);
  for (size_t k = 0; k < n; k++) {
    rows->y[k] = 0;
    for (size_t i = 0; i < m; i++) rows->y[k] -= rows->A[i * n + k] * rows->r[i];
  }
}

static int is_held(const rattle__spans *rows, int i) {
  if (!rows->holding) return 0;
  const double *row = rows->A + (size_t)i * (size_t)rows->n;
  for (int k = 0; k < rows->n; k++)
    if (row[k] != 0) return 0;
  return 1;
}

static rattle_status cannot(const rattle__spans *rows, int worst, rattle_error *error) {
  const char *name = rows->model->constraint[worst].name;
  if (is_held(rows, worst))
    return rattle__fail(error, RATTLE_BAD_MODEL, name,
                        "the start cannot be put onto all constraints: '%s' is %.3g off, and all "
                        "of its coordinates are held; give "
                        "them values with which it is 0, or hold fewer",
                        name, rows->r[worst] * rows->length[worst]);
  return rattle__fail(error, RATTLE_BAD_MODEL, name,
                      "the start cannot be put onto all constraints: '%s' remains %.3g off; give "
                      "places that are nearer, or dimensions "
                      "with which they fit together",
                      name, rows->r[worst] * rows->length[worst]);
}

/* q <- q + t w y for the first t = 1, 1/2, ... with a smaller |r|; 0: there is none */
static int advance(rattle__spans *rows, double before, double *most, int *worst) {
  double t = 1;
  for (int k = 0; k < HALVINGS; k++, t *= 0.5) {
    for (int i = 0; i < rows->n; i++) rows->q[i] += t * rows->w[i] * rows->y[i];
    if (!rattle__spans_at(rows, most, worst, NULL) && norm(rows->r, rows->m) < before) return 1;
    for (int i = 0; i < rows->n; i++) rows->q[i] -= t * rows->w[i] * rows->y[i];
  }
  return 0;
}

rattle_status rattle__spans_project(rattle__spans *rows, rattle_error *error) {
  double most;
  int worst = 0, moves = 1;
  rattle_status status = rattle__spans_at(rows, &most, &worst, error);
  for (int k = 0; k < ITERATIONS && most > small && moves && !status; k++) {
    const double before = norm(rows->r, rows->m);
    find_direction(rows);
    moves = advance(rows, before, &most, &worst);
    if (!moves) status = rattle__spans_at(rows, &most, &worst, error);
  }
  if (!status && most > enough) status = cannot(rows, worst, error);
  return status;
}

rattle__reach rattle__reach_of(const double *row, int n) {
  rattle__reach e = {0, n};
  while (e.from < n && row[e.from] == 0) e.from++;
  while (e.to > e.from && row[e.to - 1] == 0) e.to--;
  return e;
}

double rattle__reach_dot(const double *a, rattle__reach of_a, const double *b, rattle__reach of_b) {
  const int from = of_a.from > of_b.from ? of_a.from : of_b.from,
            to = of_a.to < of_b.to ? of_a.to : of_b.to;
  double sum = 0;
  for (int k = from; k < to; k++) sum += a[k] * b[k];
  return sum;
}

void rattle__reach_subtract(double *a, rattle__reach *of_a, double part, const double *b,
                            rattle__reach of_b) {
  if (part == 0) return;
  for (int k = of_b.from; k < of_b.to; k++) a[k] -= part * b[k];
  if (of_b.from < of_a->from) of_a->from = of_b.from;
  if (of_b.to > of_a->to) of_a->to = of_b.to;
}

int rattle__spans_independent(rattle__spans *rows, double threshold, const unsigned char *among) {
  const size_t n = (size_t)rows->n;
  int count = 0;
  rows->most_dropped = 0;
  for (int i = 0; i < rows->m; i++) {
    rows->kept[i] = 0;
    if ((among && !among[i]) || count == rows->n) continue;
    double *own = rows->Q + (size_t)count * n;
    memcpy(own, rows->A + (size_t)i * n, n * sizeof *own);
    rattle__reach *extent = &rows->extent[count];
    *extent = rattle__reach_of(own, rows->n);
    for (int pass = 0; pass < 2; pass++) /* twice is enough */
      for (int j = 0; j < count; j++) {
        const double *other = rows->Q + (size_t)j * n,
                     part = rattle__reach_dot(own, *extent, other, rows->extent[j]);
        rattle__reach_subtract(own, extent, part, other, rows->extent[j]);
      }
    const double left = norm(own, rows->n);
    if (!(left > threshold)) {
      rows->most_dropped = fmax(rows->most_dropped, left);
      continue;
    }
    for (size_t k = 0; k < n; k++) own[k] /= left;
    rows->kept[i] = 1;
    count++;
  }
  return count;
}
