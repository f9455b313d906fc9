/* U = V + c log det A, A = G W G^T, in place of V.
 *
 * Map      d log det A/dq_l = 2 sum_i (g_i'' y_i)_l, y_i the rows of Y = A^-1 G W: the derivative
 *          of A along q_l is (d_l G) W G^T and its transpose, and the trace with A^-1 has each
 *          twice. Only those y_il count on which g_i depends, so that rows without a coordinate in
 *          common, of one colour, take one product, and entries of A^-1 in the pattern of A are
 *          enough
 * Symbols  remassed.h; Z: A^-1 at the places of A; v: what the rows of a colour are multiplied by
 * Cost     a product of g'' with a vector for each colour, and a sparse factor of A, for each
 *          gradient */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ground/expr/native.h"
#include "ground/linear/linear.h"
#include "ground/support/error.h"
#include "problem/functions/remassed.h"

typedef struct tilted_function {
  rattle__function f;
  const rattle__function *V, *g;
  const rattle__mass *W;
  rattle__coupling *coupling;
  rattle__linear *A;    /* the values and factors of the last point: one thread at a time */
  int *colour, colours; /* [m] */
  double c;
} tilted_function;

/* Parts of the scratch that an evaluation is given. */
typedef struct parts {
  double *J, *B, *D, *Z, *v, *row, *inverse, *along, *work;
} parts;

static parts parts_of(const tilted_function *s, double *work) {
  const size_t nnz = (size_t)s->g->jac_nnz, n = (size_t)s->g->vars;
  parts p = {.J = work};
  p.B = p.J + nnz, p.D = p.B + nnz, p.Z = p.D + nnz;
  p.v = p.Z + s->A->nnz, p.row = p.v + n, p.inverse = p.row + n;
  p.along = p.inverse + rattle__ldl_inverse_room(s->A), p.work = p.along + 2 * nnz + 2 * n;
  return p;
}

static size_t work_of(const tilted_function *s) {
  const size_t most = s->g->work > s->V->work ? s->g->work : s->V->work;
  return 5 * (size_t)s->g->jac_nnz + 4 * (size_t)s->g->vars + (size_t)s->A->nnz +
         rattle__ldl_inverse_room(s->A) + most;
}

/* The factors of A at q. RATTLE_OK, SINGULAR, or what a callback answers in *answer. */
static rattle_status factor(const tilted_function *s, const double *q, const parts *p,
                            int *answer) {
  *answer = s->g->jacobian(s->g, q, NULL, p->J, p->work);
  if (*answer) return RATTLE_OK;
  rattle__mass_scale(s->W, s->g, p->J, p->B);
  rattle__coupling_assemble(s->coupling, p->J, p->B, s->A->value);
  const rattle_status status = s->A->factor(s->A);
  return status || s->A->definite(s->A) == 1 ? status : RATTLE_SINGULAR;
}

static int value(const rattle__function *f, const double *q, double *F, double *work) {
  const tilted_function *s = f->self;
  const parts p = parts_of(s, work);
  int answer = s->V->value(s->V, q, F, p.work);
  if (answer) return answer;
  const rattle_status status = factor(s, q, &p, &answer);
  *F += status ? NAN : s->c * s->A->log_size(s->A);
  return answer;
}

/* The y_il on which g_i depends, for the rows of a colour, into v; or 0 there. */
static void put_rows(const tilted_function *s, const parts *p, int colour, int clear) {
  const rattle__function *g = s->g;
  const int *ptr = g->jac_ptr, *col = g->jac_col;
  for (int i = 0; i < g->rows; i++) {
    if (s->colour[i] != colour) continue;
    for (int e = ptr[i]; e < ptr[i + 1]; e++) p->row[col[e]] = 0;
    for (int a = s->A->ptr[i]; a < s->A->ptr[i + 1] && !clear; a++) {
      const int j = s->A->col[a];
      for (int e = ptr[j]; e < ptr[j + 1]; e++) p->row[col[e]] += p->Z[a] * p->B[e];
    }
    for (int e = ptr[i]; e < ptr[i + 1]; e++) p->v[col[e]] = p->row[col[e]];
  }
}

static int jacobian(const rattle__function *f, const double *q, double *F, double *dU,
                    double *work) {
  const tilted_function *s = f->self;
  const rattle__function *g = s->g;
  const parts p = parts_of(s, work);
  double own;
  int answer = s->V->jacobian(s->V, q, F ? F : &own, dU, p.work);
  if (answer) return answer;
  const rattle_status status = factor(s, q, &p, &answer);
  if (answer) return answer;
  if (F) *F += status ? NAN : s->c * s->A->log_size(s->A);
  if (status || rattle__ldl_inverse(s->A, p.Z, p.inverse)) {
    dU[0] = NAN; /* there is no gradient, which a step takes as a point that is not finite */
    return 0;
  }
  memset(p.v, 0, (size_t)g->vars * sizeof *p.v);
  for (int colour = 0; colour < s->colours && !answer; colour++) {
    put_rows(s, &p, colour, 0);
    answer = rattle__function_along(g, q, p.v, p.D, p.work, p.along);
    put_rows(s, &p, colour, 1);
    for (int i = 0; i < g->rows; i++)
      for (int e = g->jac_ptr[i]; e < g->jac_ptr[i + 1] && s->colour[i] == colour; e++)
        dU[g->jac_col[e]] += 2 * s->c * p.D[e];
  }
  return answer;
}

static void destroy(rattle__function *f) {
  tilted_function *s = f->self;
  rattle__coupling_destroy(&s->coupling);
  rattle__linear_destroy(&s->A);
  free(s->colour);
  free(s);
}

/* Each row takes the first colour that no earlier row with a coordinate of it has. */
static rattle_status colour(tilted_function *s, rattle_error *error) {
  const rattle__function *g = s->g;
  int *last = malloc((size_t)g->vars * sizeof *last); /* the colour that a coordinate was seen in */
  s->colour = malloc((size_t)g->rows * sizeof *s->colour);
  if (!last || !s->colour) {
    free(last);
    return rattle__no_memory(error);
  }
  for (int l = 0; l < g->vars; l++) last[l] = -1;
  for (int i = 0; i < g->rows; i++) s->colour[i] = -1;
  for (int left = g->rows; left > 0; s->colours++)
    for (int i = 0; i < g->rows; i++) {
      int alone = s->colour[i] < 0;
      for (int e = g->jac_ptr[i]; e < g->jac_ptr[i + 1]; e++)
        alone &= last[g->jac_col[e]] < s->colours;
      if (!alone) continue;
      for (int e = g->jac_ptr[i]; e < g->jac_ptr[i + 1]; e++) last[g->jac_col[e]] = s->colours;
      s->colour[i] = s->colours, left--;
    }
  free(last);
  return RATTLE_OK;
}

static rattle_status prepare(tilted_function *s, rattle_error *error) {
  const rattle__function *g = s->g;
  rattle_status status =
      rattle__coupling_create(&s->coupling, g->rows, g->vars, g->jac_ptr, g->jac_col, error);
  if (!status)
    status = rattle__linear_create(&s->A, g->rows, s->coupling->ptr, s->coupling->col, 1,
                                   RATTLE__LINEAR_LDL, error);
  return status ? status : colour(s, error);
}

void rattle__problem_tilted_destroy(rattle_problem **tilted) {
  rattle_problem *p = *tilted;
  if (!p) return;
  rattle__function_destroy(&p->H);
  rattle__function_destroy(&p->V);
  for (int i = 0; i < RATTLE__PARTS; i++) rattle__native_unload(&p->library[i]);
  free(p);
  *tilted = NULL;
}

rattle_status rattle__problem_tilted(rattle_problem **tilted, const rattle_problem *problem,
                                     double c, rattle_error *error) {
  rattle_problem *p = *tilted = malloc(sizeof *p);
  tilted_function *s = calloc(1, sizeof *s);
  if (!p || !s) {
    free(p), free(s);
    *tilted = NULL;
    return rattle__no_memory(error);
  }
  *p = *problem;
  p->H = p->kinetic = p->T = p->terms = p->bonded = NULL;
  p->settable = NULL;
  for (int i = 0; i < RATTLE__PARTS; i++) p->library[i] = NULL;
  p->evaluator = RATTLE__BLOCK; /* U is no expression, which machine code is made of */
  s->V = problem->V, s->g = problem->g, s->W = problem->mass, s->c = c;
  s->f = *problem->V;
  s->f.value = value, s->f.jacobian = jacobian, s->f.in_lanes = NULL, s->f.row = NULL;
  s->f.hessian = NULL, s->f.along = NULL, s->f.rough = NULL, s->f.destroy = destroy;
  s->f.quadratic = s->f.native = 0;
  s->f.self = s, s->f.elements = NULL;
  p->V = &s->f;
  rattle_status status = prepare(s, error);
  if (!status) s->f.work = work_of(s);
  if (!status) status = rattle__function_separable(&p->H, p->n, p->V, NULL, p->mass, error);
  if (status) rattle__problem_tilted_destroy(tilted);
  return status;
}
