/* Parts without mass: a coordinate u whose momentum is in no function.
 *
 * Its equation is no motion but a balance, 0 = -H_u - sum_j lambda_j g_j,u. There are two cases:
 *
 *     a constraint i is affine in u, with a coefficient c without u:
 *         u = U = -g_i(u = 0)/c,    lambda_i = -(H_u + sum_j lambda_j g_j,u)/c,    j != i
 *     u is in no constraint, and H_u is affine in it:    u = U = -H_u(u = 0)/H_uu
 *
 * With U in place of u the other equations are those of H(q, U, p) and g_j(q, U): what U_q adds
 * is the force lambda_i g_i,q, or 0 as H_u is. So u, and the constraint, leave the model; u is
 * observed under its name, and lambda_i as "lambda[NAME]". Constant coefficients are taken before
 * others. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ground/expr/copy.h"
#include "ground/support/error.h"
#include "problem/model/massless.h"

typedef struct massless {
  rattle_model *model;
  rattle_graph *g;
  unsigned char *in_H, *in_g, *in_other; /* [2n] variables of H; of constraints; of other rows */
  rattle_expr *image;                    /* [2n] */
  double *x;                             /* [2n] the start */
  rattle_error *error;
} massless;

/* The equation that determines u. */
typedef struct balance {
  int constraint; /* -1: H_u = 0 */
  rattle_expr e, c;
  int constant;
} balance;

/* --- the equation ----------------------------------------------------------------------------- */

static int contains(const massless *s, rattle_expr e, int v) {
  unsigned char *mark = calloc(2 * (size_t)s->model->n, 1);
  const int yes = !mark || rattle__mark_variables(s->model, e, mark, NULL) || mark[v];
  free(mark);
  return yes;
}

/* Better than *best: e affine in u, with a coefficient that is not 0 at the start. */
static void offer(const massless *s, int k, rattle_expr e, int constraint, balance *best) {
  const rattle_expr c = rattle_expr_derivative(s->g, e, 2 * k);
  if (!c || contains(s, c, 2 * k) || rattle__jumps_with(s->g, e, 2 * k)) return;
  const int constant = rattle_expr_op(s->g, c) == RATTLE_OP_CONSTANT;
  const double value = rattle_expr_evaluate(s->g, c, s->x);
  if (!isfinite(value) || value == 0 || (best->e && best->constant >= constant)) return;
  *best = (balance){.constraint = constraint, .e = e, .c = c, .constant = constant};
}

/* True if u is alone in the only constraint that it is in: it does not move, as a variable of a
 * gauge system, and stays in the model. */
static int is_alone(const massless *s, int k, int constraint) {
  int alone = 1;
  memset(s->in_other, 0, 2 * (size_t)s->model->n);
  for (int i = 0; i < s->model->m; i++)
    if (i != constraint && !rattle__model_is_of_free(s->model, i, k))
      alone = alone && !contains(s, s->model->constraint[i].expr, 2 * k);
  (void)rattle__mark_variables(s->model, s->model->constraint[constraint].expr, s->in_other, NULL);
  for (int v = 0; v < 2 * s->model->n; v++) alone = alone && (v == 2 * k || !s->in_other[v]);
  return alone;
}

static balance find_balance(const massless *s, int k) {
  const rattle_model *model = s->model;
  balance best = {.constraint = -1};
  if (s->in_g[2 * k]) {
    for (int i = 0; i < model->m; i++)
      if (!rattle__model_is_of_free(model, i, k) && contains(s, model->constraint[i].expr, 2 * k))
        offer(s, k, model->constraint[i].expr, i, &best);
    if (best.e && is_alone(s, k, best.constraint)) best.e = RATTLE_EXPR_NONE;
  } else if (s->in_H[2 * k] && !model->pair[k].is_free) {
    offer(s, k, rattle_expr_derivative(s->g, model->hamiltonian, 2 * k), -1, &best);
  }
  return best;
}

/* --- elimination ------------------------------------------------------------------------------ */

static rattle_expr minus_over(const massless *s, rattle_expr a, rattle_expr c) {
  const rattle_expr q = a ? rattle_expr_binary(s->g, RATTLE_OP_DIV, a, c) : RATTLE_EXPR_NONE;
  return q ? rattle_expr_unary(s->g, RATTLE_OP_NEG, q) : RATTLE_EXPR_NONE;
}

/* U: minus e without u, over its coefficient */
static rattle_expr solved(const massless *s, const balance *b, int k) {
  s->image[2 * k] = rattle_expr_constant(s->g, 0);
  rattle__copy copy = rattle__copy_begin(s->g, s->g, s->image, 2 * s->model->n);
  const rattle_expr rest = rattle__copy_of(&copy, b->e);
  rattle__copy_end(&copy);
  s->image[2 * k] = RATTLE_EXPR_NONE;
  return minus_over(s, rest, b->c);
}

/* True if the start holds the equation, as near as starts hold constraints. */
static int holds(const massless *s, const balance *b) {
  const int vars = 2 * s->model->n;
  double near = 0, all = 0, slopes = 0;
  memset(s->in_other, 0, (size_t)vars);
  if (rattle__mark_variables(s->model, b->e, s->in_other, NULL)) return 0;
  for (int v = 0; v < vars; v++) {
    all = fmax(all, fabs(s->x[v]));
    if (!s->in_other[v]) continue;
    near = fmax(near, fabs(s->x[v]));
    slopes += fabs(rattle_expr_evaluate(s->g, rattle_expr_derivative(s->g, b->e, v), s->x));
  }
  return fabs(rattle_expr_evaluate(s->g, b->e, s->x)) <=
         slopes * (RATTLE__START_NEAR * near + RATTLE__START_ALL * all);
}

/* A start that was given must hold the equation, unless it is to be projected. */
static rattle_status check_start(const massless *s, const balance *b, int k, rattle_expr U) {
  const rattle__pair *u = &s->model->pair[k];
  if (u->has_velocity)
    return rattle__fail(s->error, RATTLE_BAD_MODEL, u->name, RATTLE__MASSLESS_VELOCITY, u->name);
  if (s->model->wishes.project || !u->has_start || holds(s, b)) return RATTLE_OK;
  const char *name = b->constraint < 0 ? u->name : s->model->constraint[b->constraint].name;
  return rattle__fail(s->error, RATTLE_BAD_MODEL, name, RATTLE__MASSLESS_START, u->name, u->q,
                      rattle_expr_evaluate(s->g, U, s->x),
                      b->constraint < 0 ? "" : ", by constraint ", b->constraint < 0 ? "" : name);
}

/* lambda_i = share[0] + sum_j share[1 + j] lambda_j, j over the columns of constraints; in rows of
 * constraints that were taken out before it is replaced. */
static rattle_status add_reaction(massless *s, const balance *b, int k) {
  rattle_model *model = s->model;
  const size_t width = 1 + (size_t)model->columns;
  const int own = 1 + model->constraint[b->constraint].column;
  rattle__reaction_of *grown =
      realloc(model->reaction, (size_t)(model->reactions + 1) * sizeof *grown);
  if (!grown) return rattle__no_memory(s->error);
  model->reaction = grown;
  rattle_expr *share = calloc(width, sizeof *share);
  if (!share) return rattle__no_memory(s->error);
  grown[model->reactions] = (rattle__reaction_of){.share = share};
  rattle_expr none = rattle_expr_constant(s->g, 0);
  for (size_t j = 0; j < width; j++) share[j] = none;
  share[0] = minus_over(s, rattle_expr_derivative(s->g, model->hamiltonian, 2 * k), b->c);
  for (int j = 0; j < model->m; j++) {
    if (j == b->constraint || rattle__model_is_of_free(model, j, k)) continue;
    const rattle_expr slope = rattle_expr_derivative(s->g, model->constraint[j].expr, 2 * k);
    if (slope != none) share[1 + model->constraint[j].column] = minus_over(s, slope, b->c);
  }
  int there = 1;
  for (size_t j = 0; j < width; j++) there = there && share[j];
  for (int r = 0; r < model->reactions && there; r++) {
    rattle_expr *other = grown[r].share, by = other[own];
    other[own] = none;
    for (size_t j = 0; j < width && by != none && there; j++) {
      if (share[j] == none) continue;
      const rattle_expr part = rattle_expr_binary(s->g, RATTLE_OP_MUL, by, share[j]);
      other[j] = part ? rattle_expr_binary(s->g, RATTLE_OP_ADD, other[j], part) : part;
      there = other[j] != RATTLE_EXPR_NONE;
    }
  }
  model->reactions++;
  return there ? RATTLE_OK : rattle__no_memory(s->error);
}

static rattle_status eliminate(massless *s, const balance *b, int k) {
  rattle_model *model = s->model;
  char *name = model->pair[k].name, observed[300];
  const rattle_expr U = solved(s, b, k);
  rattle_status status = U ? check_start(s, b, k, U) : rattle__no_memory(s->error);
  if (!status && b->constraint >= 0) status = add_reaction(s, b, k);
  if (status) return status;
  snprintf(observed, sizeof observed, "lambda[%s]",
           b->constraint < 0 ? "" : model->constraint[b->constraint].name);
  if (b->constraint >= 0) rattle__model_remove_constraint(model, b->constraint);
  for (int i = 0; i < model->m; i++)
    if (rattle__model_is_of_free(model, i, k)) rattle__model_remove_constraint(model, i);
  rattle__model_forget_names(model);
  model->pair[k].name = "";
  status = rattle_model_add_observable(model, name, U, s->error);
  model->pair[k].name = name;
  if (!status)
    model->observable[model->observables - 1].massless =
        model->pair[k].on_circle ? RATTLE__ON_CIRCLE : RATTLE__SOLUTION;
  if (!status && b->constraint >= 0) {
    model->reaction[model->reactions - 1].observable = model->observables;
    status = rattle_model_add_observable(model, observed, rattle_expr_constant(s->g, 0), s->error);
  }
  s->image[2 * k] = U;
  s->image[2 * k + 1] = rattle_expr_constant(s->g, 0);
  if (!status) status = rattle__model_substitute(model, s->image, s->error);
  if (!status) status = rattle__model_remove_pair(model, k, s->error);
  return status;
}

/* Images of the variables, none yet, and the start: of a model that has parts without mass. */
static rattle_status take_start(massless *s) {
  const rattle_model *model = s->model;
  s->image = calloc(2 * (size_t)model->n, sizeof *s->image);
  s->x = calloc(2 * (size_t)model->n, sizeof *s->x);
  if (!s->image || !s->x) return rattle__no_memory(s->error);
  for (int k = 0; k < model->n; k++) {
    s->x[2 * k] = model->pair[k].q;
    s->x[2 * k + 1] = model->pair[k].p;
  }
  return RATTLE_OK;
}

/* One coordinate less; *found = 0 if there is none to eliminate. */
static rattle_status eliminate_one(rattle_model *model, int *found, rattle_error *error) {
  const size_t vars = 2 * (size_t)model->n;
  massless s = {.model = model, .g = model->graph, .error = error};
  *found = 0;
  s.in_H = calloc(3 * vars, 1);
  rattle_status status = s.in_H ? RATTLE_OK : rattle__no_memory(error);
  if (!status) {
    s.in_g = s.in_H + vars;
    s.in_other = s.in_g + vars;
    status = rattle__mark_model(model, s.in_H, s.in_g, error);
  }
  for (int k = model->n - 1; k >= 0 && !status && !*found; k--) {
    if (!rattle__is_massless(model, k, s.in_H, s.in_g) || rattle__is_driven(model, k) ||
        model->pair[k].p != 0)
      continue;
    if (!s.x) status = take_start(&s);
    if (status) continue;
    const balance b = find_balance(&s, k);
    *found = b.e != RATTLE_EXPR_NONE;
    if (*found) status = eliminate(&s, &b, k);
  }
  free(s.in_H);
  free(s.image);
  free(s.x);
  return status;
}

/* True if what the model holds beside expressions would have to be renumbered. */
static int is_bound(const rattle_model *model) {
  return model->forces || model->fibre || model->flow || model->inputs || model->cotangent ||
         model->omissions || !model->n;
}

/* The last angle that no equation is linear in, as its sine and cosine. */
static rattle_status split_angle(rattle_model *model, int *split, rattle_error *error) {
  const size_t vars = 2 * (size_t)model->n;
  massless s = {.model = model, .g = model->graph, .error = error};
  *split = 0;
  s.in_H = calloc(3 * vars, 1);
  rattle_status status = s.in_H ? RATTLE_OK : rattle__no_memory(error);
  if (!status) s.in_g = s.in_H + vars, s.in_other = s.in_g + vars;
  if (!status) status = rattle__mark_model(model, s.in_H, s.in_g, error);
  for (int k = model->n - 1; k >= 0 && !status && !*split; k--) {
    if (!rattle__is_massless(model, k, s.in_H, s.in_g) || !s.in_g[2 * k] ||
        rattle__is_driven(model, k) || model->pair[k].p != 0)
      continue;
    if (!s.x) status = take_start(&s);
    if (!status && !find_balance(&s, k).e) status = rattle__massless_angle(model, k, split, error);
  }
  free(s.in_H), free(s.image), free(s.x);
  return status;
}

rattle_status rattle_model_eliminate_massless(rattle_model *model, rattle_error *error) {
  int found = !is_bound(model) && model->hamiltonian;
  rattle_status status = RATTLE_OK;
  for (int split = found && !model->reactions; split && !status;)
    status = split_angle(model, &split, error);
  if (!model->reactions) {
    model->columns = model->m;
    for (int i = 0; i < model->m; i++) model->constraint[i].column = i;
  }
  const int may = found;
  while (found && !status) status = eliminate_one(model, &found, error);
  return may && !model->velocity_rows && !status ? rattle__massless_balance(model, error) : status;
}
