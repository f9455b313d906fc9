/* Parts without mass that no linear equation determines, as a joint between two rods: coordinates
 * u, and the constraints g that contain some of them.
 *
 * Their equations, 0 = H_u + sum_i lambda_i g_i,u and 0 = g, are those of a stationary point of
 *
 *     K(q, p, u, lambda) = H + sum_i lambda_i g_i
 *
 * by (u, lambda). If its second derivative by these is regular at the start, they follow from
 * (q, p) (theorem of the implicit function), and the motion of (q, p) is that of K with p_u = 0
 * and p_lambda = 0: u and lambda become free variables that K determines, whose hidden constraints
 * are those equations. "lambda[NAME]" is a coordinate then.
 *
 * Symbols: unknowns (u, lambda) [size], u first; x the values of the graph's variables [vars]. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ground/expr/graph.h"
#include "ground/linear/linear.h"
#include "ground/support/arena.h"
#include "ground/support/error.h"
#include "problem/model/massless.h"

enum { MOST_STEPS = 50 }; /* of Newton's method, which takes about five */

typedef struct stationary {
  rattle_model *model;
  rattle_graph *g;
  unsigned char *massless; /* [n] coordinates without mass that are in no group yet */
  int vars;                /* with those of one multiplier for each constraint */
  int u, size;             /* coordinates; and multipliers */
  int *variable, *row;     /* [size] of the graph; the constraint of a multiplier */
  unsigned char *mark;     /* [vars] scratch */
  rattle_expr total;       /* K */
  rattle_expr *slope;      /* [size] of K by the unknowns */
  int *ptr, *col;          /* pattern of its second derivative */
  rattle_expr *bend;       /* [ptr[size]] */
  double *x, *change;      /* [vars], [size] */
  rattle__linear *linear;
  rattle__arena arena;
  rattle_error *error;
} stationary;

static rattle_status mark_variables(const stationary *b, rattle_expr e) {
  rattle__walk walk;
  memset(b->mark, 0, (size_t)b->vars);
  const rattle_status status = rattle__walk_begin(&walk, b->g, e, rattle__operands);
  for (size_t i = 0; i < walk.count && !status; i++)
    if (rattle__op(b->g, walk.node[i]) == RATTLE_OP_VARIABLE)
      b->mark[rattle_expr_index(b->g, walk.node[i])] = 1;
  rattle__walk_end(&walk);
  return status ? rattle__no_memory(b->error) : RATTLE_OK;
}

/* --- the unknowns ----------------------------------------------------------------------------- */

/* Coordinates on the list that are marked join the group. */
static void join(stationary *b) {
  for (int k = 0; k < b->model->n; k++)
    if (b->mark[2 * k] && b->massless[k]) b->massless[k] = 0, b->variable[b->size++] = 2 * k;
}

static int is_bound(const stationary *b) {
  for (int i = 0; i < b->size; i++)
    if (b->mark[b->variable[i]]) return 1;
  return 0;
}

/* u: coordinate k, and those that constraints or H bind to it. */
static rattle_status collect_coordinates(stationary *b, int k) {
  const rattle_model *model = b->model;
  rattle_status status = RATTLE_OK;
  b->massless[k] = 0, b->variable[0] = 2 * k, b->size = 1;
  for (int before = 0, first = 0; before < b->size && !status;) {
    before = b->size;
    for (int i = 0; i < model->m && !status; i++) {
      status = mark_variables(b, model->constraint[i].expr);
      if (!status && is_bound(b)) join(b);
    }
    for (; first < b->size && !status; first++) {
      const rattle_expr slope =
          rattle_expr_derivative(b->g, model->hamiltonian, b->variable[first]);
      status = slope ? mark_variables(b, slope) : rattle__no_memory(b->error);
      if (!status) join(b);
    }
  }
  b->u = b->size;
  return status;
}

/* lambda; *lonely: the only constraint has u alone in it, whose multiplier is free. */
static rattle_status collect_constraints(stationary *b, int *lonely) {
  const rattle_model *model = b->model;
  rattle_status status = RATTLE_OK;
  *lonely = 0;
  for (int i = 0; i < model->m && !status; i++) {
    int has = 0, others = 0;
    status = mark_variables(b, model->constraint[i].expr);
    for (int j = 0; j < b->u; j++) has |= b->mark[b->variable[j]];
    for (int v = 0; v < b->vars; v++) others += b->mark[v];
    if (status || !has) continue;
    *lonely = b->size == 1 && others == 1;
    b->row[b->size] = i;
    b->variable[b->size] = 2 * (model->n + b->size - b->u);
    b->size++;
  }
  *lonely = *lonely && b->size == 2;
  return status;
}

/* --- the equations ---------------------------------------------------------------------------- */

static rattle_status make_total(stationary *b) {
  b->total = b->model->hamiltonian;
  for (int i = b->u; i < b->size; i++) {
    const rattle_expr term =
        rattle_expr_binary(b->g, RATTLE_OP_MUL, rattle_expr_variable(b->g, b->variable[i]),
                           b->model->constraint[b->row[i]].expr);
    b->total = rattle_expr_binary(b->g, RATTLE_OP_ADD, b->total, term);
  }
  for (int i = 0; i < b->size; i++)
    b->slope[i] = rattle_expr_derivative(b->g, b->total, b->variable[i]);
  return b->total && b->slope[b->size - 1] ? RATTLE_OK : rattle__no_memory(b->error);
}

/* The unknowns that slope i contains are its row of the pattern, with the diagonal. */
static rattle_status make_row(stationary *b, int i, int *room) {
  int count = b->ptr[i];
  if (mark_variables(b, b->slope[i])) return rattle__no_memory(b->error);
  for (int j = 0; j < b->size; j++) {
    if (j != i && !b->mark[b->variable[j]]) continue;
    if (count == *room) {
      *room = 2 * *room + b->size;
      int *col = realloc(b->col, (size_t)*room * sizeof *col);
      if (col) b->col = col;
      rattle_expr *bend = realloc(b->bend, (size_t)*room * sizeof *bend);
      if (bend) b->bend = bend;
      if (!col || !bend) return rattle__no_memory(b->error);
    }
    b->col[count] = j;
    b->bend[count] = rattle_expr_derivative(b->g, b->slope[i], b->variable[j]);
    if (!b->bend[count++]) return rattle__no_memory(b->error);
  }
  b->ptr[i + 1] = count;
  return RATTLE_OK;
}

static rattle_status make_pattern(stationary *b) {
  int room = 0;
  rattle_status status = RATTLE_OK;
  for (int i = 0; i < b->size && !status; i++) status = make_row(b, i, &room);
  if (!status)
    status = rattle__linear_create(&b->linear, b->size, b->ptr, b->col, 1, RATTLE__LINEAR_AUTO,
                                   b->error);
  if (!status) b->linear->equilibrate = 1;
  return status;
}

/* True if slope i is 0, as near as starts hold constraints. */
static int holds(const stationary *b, int i) {
  double near = 0, all = 0, slopes = 0;
  if (mark_variables(b, b->slope[i])) return 0;
  for (int v = 0; v < b->vars; v++) {
    all = fmax(all, fabs(b->x[v]));
    if (!b->mark[v]) continue;
    near = fmax(near, fabs(b->x[v]));
    slopes += fabs(rattle_expr_evaluate(b->g, rattle_expr_derivative(b->g, b->slope[i], v), b->x));
  }
  return fabs(rattle_expr_evaluate(b->g, b->slope[i], b->x)) <=
         slopes * (RATTLE__START_NEAR * near + RATTLE__START_ALL * all);
}

/* A step of Newton's method for the unknowns in x; 0: their equations do not determine them there.
 */
static int improve(stationary *b) {
  for (int e = 0; e < b->ptr[b->size]; e++)
    b->linear->value[e] = rattle_expr_evaluate(b->g, b->bend[e], b->x);
  for (int i = 0; i < b->size; i++) b->change[i] = rattle_expr_evaluate(b->g, b->slope[i], b->x);
  if (b->linear->factor(b->linear)) return 0;
  rattle__linear_solve_well(b->linear, b->change);
  for (int i = 0; i < b->size; i++) b->x[b->variable[i]] -= b->change[i];
  return 1;
}

/* The start of the unknowns, in x, the others being where they are; 0: none was found. Two steps
 * more leave round-off. */
static int solve(stationary *b) {
  for (int k = 0; k < b->model->n; k++)
    b->x[2 * k] = b->model->pair[k].q, b->x[2 * k + 1] = b->model->pair[k].p;
  int done = 0;
  for (int steps = 0; steps < MOST_STEPS && !done; steps++) {
    if (!improve(b)) return 0;
    done = 1;
    for (int i = 0; i < b->size && done; i++) done = holds(b, i);
  }
  return done && improve(b) && improve(b);
}

/* --- free variables --------------------------------------------------------------------------- */

/* A start that was given must be that of the balance, unless it is to be projected. */
static rattle_status check_starts(const stationary *b) {
  double all = 0;
  for (int k = 0; k < b->model->n; k++) all = fmax(all, fabs(b->x[2 * k]));
  for (int i = 0; i < b->u; i++) {
    const rattle__pair *u = &b->model->pair[b->variable[i] / 2];
    const double follows = b->x[b->variable[i]];
    if (u->has_velocity)
      return rattle__fail(b->error, RATTLE_BAD_MODEL, u->name, RATTLE__MASSLESS_VELOCITY, u->name);
    if (b->model->wishes.project || !u->has_start ||
        fabs(u->q - follows) <= RATTLE__START_NEAR * all)
      continue;
    return rattle__fail(b->error, RATTLE_BAD_MODEL, u->name, RATTLE__MASSLESS_START, u->name, u->q,
                        follows, "", "");
  }
  return RATTLE_OK;
}

/* Columns for `more` constraints, which have no part in multipliers that were eliminated; those of
 * lambda are coordinates now. */
static rattle_status widen_reactions(stationary *b, int more) {
  rattle_model *model = b->model;
  const rattle_expr none = rattle_expr_constant(b->g, 0);
  const int columns = model->columns + more;
  for (int r = 0; r < model->reactions; r++) {
    rattle_expr *share = realloc(model->reaction[r].share, (1 + (size_t)columns) * sizeof *share);
    if (!share) return rattle__no_memory(b->error);
    model->reaction[r].share = share;
    for (int j = model->columns; j < columns; j++) share[1 + j] = none;
    for (int i = b->u; i < b->size; i++) {
      rattle_expr *own = &share[1 + model->constraint[b->row[i]].column];
      const rattle_expr part =
          rattle_expr_binary(b->g, RATTLE_OP_MUL, *own, rattle_expr_variable(b->g, b->variable[i]));
      share[0] = rattle_expr_binary(b->g, RATTLE_OP_ADD, share[0], part);
      *own = none;
      if (!share[0]) return rattle__no_memory(b->error);
    }
  }
  model->columns = columns;
  return RATTLE_OK;
}

/* Coordinate number i of u becomes free. */
static rattle_status set_free(stationary *b, int i) {
  rattle__pair *u = &b->model->pair[b->variable[i] / 2];
  char name[300];
  u->q = b->x[b->variable[i]];
  if (u->is_free) return RATTLE_OK;
  u->is_free = 1;
  snprintf(name, sizeof name, "free:%s", u->name);
  return rattle_model_add_constraint(b->model, name, rattle_expr_variable(b->g, b->variable[i] + 1),
                                     b->error);
}

static rattle_status add_multiplier(stationary *b, int i, const char *constraint) {
  char name[300];
  int k = -1;
  snprintf(name, sizeof name, "lambda[%s]", constraint);
  const rattle_status status = rattle_model_add_free(b->model, name, &k, b->error);
  if (!status) b->model->pair[k].q = b->x[b->variable[i]];
  return status;
}

static rattle_status make_free(stationary *b) {
  rattle_model *model = b->model;
  const char **name = rattle__arena_take(&b->arena, (size_t)b->size * sizeof *name);
  int m = model->m;
  rattle_status status = name ? check_starts(b) : rattle__no_memory(b->error);
  if (!status) status = widen_reactions(b, b->size);
  for (int i = b->u; i < b->size && !status; i++) name[i] = model->constraint[b->row[i]].name;
  for (int i = b->size - 1; i >= b->u && !status; i--)
    rattle__model_remove_constraint(model, b->row[i]);
  if (!status) rattle__model_forget_names(model), model->hamiltonian = b->total;
  m -= b->size - b->u;
  for (int i = 0; i < b->u && !status; i++) status = set_free(b, i);
  for (int i = b->u; i < b->size && !status; i++) status = add_multiplier(b, i, name[i]);
  for (int i = m; i < model->m; i++) model->constraint[i].column = model->columns - (i - m) - 1;
  return status;
}

/* --- ------------------------------------------------------------------------------------------ */

static rattle_status begin(stationary *b) {
  const size_t n = (size_t)b->model->n, most = n + (size_t)b->model->m;
  b->vars = 2 * (int)most;
  b->variable = rattle__arena_take(&b->arena, most * sizeof *b->variable);
  b->row = rattle__arena_take(&b->arena, most * sizeof *b->row);
  b->mark = rattle__arena_take(&b->arena, 2 * most);
  b->slope = rattle__arena_take(&b->arena, most * sizeof *b->slope);
  b->ptr = rattle__arena_take(&b->arena, (most + 1) * sizeof *b->ptr);
  b->x = rattle__arena_doubles(&b->arena, 2 * most);
  b->change = rattle__arena_doubles(&b->arena, most);
  return b->arena.failed ? rattle__no_memory(b->error) : RATTLE_OK;
}

static void end(stationary *b) {
  rattle__linear_destroy(&b->linear);
  rattle__arena_release(&b->arena);
  free(b->col), free(b->bend);
}

/* True if the group is not one of free variables that H determines by itself. */
static int is_new(const stationary *b) {
  int new = b->size > b->u;
  for (int i = 0; i < b->u; i++) new |= !b->model->pair[b->variable[i] / 2].is_free;
  return new;
}

/* The group of coordinate k, if its equations determine it; it is off the list in any case. */
static rattle_status determine(stationary *b, int k) {
  int lonely = 0;
  rattle_status status = begin(b);
  if (!status) status = collect_coordinates(b, k);
  if (!status) status = collect_constraints(b, &lonely);
  if (status || lonely || !is_new(b)) return status;
  status = make_total(b);
  if (!status) status = make_pattern(b);
  return !status && solve(b) ? make_free(b) : status;
}

rattle_status rattle__massless_balance(rattle_model *model, rattle_error *error) {
  const int n = model->n;
  unsigned char *massless = calloc((size_t)n, 1);
  rattle_status status =
      massless ? rattle__model_massless(model, massless, error) : rattle__no_memory(error);
  for (int k = 0; k < n && !status; k++) {
    if (!massless[k]) continue;
    stationary b = {.model = model, .g = model->graph, .massless = massless, .error = error};
    status = determine(&b, k);
    end(&b);
  }
  free(massless);
  return status;
}
