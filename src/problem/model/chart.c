/* Other coordinates (chart.h). With x = X(q) all that contains x, H, forces, constraints,
 * quantities and drawings, is composed with X; a force f on x is X_q^T f on q, a momentum P at the
 * start X_q^T P. Both are gradients of sum_k w_k X_k by q, with symbols w in the place of f and P:
 * one sweep back through X. */
#include "problem/model/chart.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ground/expr/copy.h"
#include "ground/expr/derivative.h"
#include "ground/support/error.h"
#include "problem/model/massless.h"

typedef struct changed {
  rattle_model *model;
  const rattle__chart *chart;
  rattle_graph *g;
  unsigned char *gone; /* [n] pairs of the chart */
  int *stays, count;   /* [count] the others */
  rattle_expr *image;  /* [2n] */
  rattle_expr *slope;  /* [count] by each that stays */
  double *z;           /* [3n] values of all variables, and of symbols for the pairs */
  rattle_error *error;
} changed;

void rattle__chart_destroy(rattle__chart **chart) {
  if (!*chart) return;
  free((*chart)->pair), free((*chart)->x), free((*chart)->p);
  free((*chart)->mass), free((*chart)->moved), free((*chart)->awaited);
  free(*chart);
  *chart = NULL;
}

/* slope[i] <- sum_k w_k dX_k/dq_i over the pairs of which `use` is not 0, in symbols w_k = variable
 * 2n + k. */
static rattle_status take_slopes(changed *s, const unsigned char *use) {
  const int n = s->model->n;
  rattle_expr sum = rattle_expr_constant(s->g, 0);
  for (int c = 0; c < s->chart->count; c++) {
    const int k = s->chart->pair[c];
    if (!use[k]) continue;
    const rattle_expr w = rattle_expr_variable(s->g, 2 * n + k);
    sum = rattle_expr_binary(s->g, RATTLE_OP_ADD, sum,
                             rattle_expr_binary(s->g, RATTLE_OP_MUL, w, s->chart->x[c]));
  }
  int32_t *variable = malloc(((size_t)s->count + 1) * sizeof *variable);
  if (!variable) return rattle__no_memory(s->error);
  for (int i = 0; i < s->count; i++) variable[i] = 2 * s->stays[i];
  const int failed = !sum || rattle__gradient(s->g, sum, variable, s->count, s->slope);
  free(variable);
  return failed ? rattle__no_memory(s->error) : RATTLE_OK;
}

/* value[i] <- that of e[i] at z */
static rattle_status evaluate(const changed *s, const rattle_expr *e, int count, double *value) {
  rattle__walk walk;
  rattle_status status = rattle__walk_all(&walk, s->g, e, count, rattle__operands);
  double *all = status ? NULL : malloc((walk.count + 1) * sizeof *all);
  if (all) {
    rattle__walk_evaluate(&walk, s->g, s->z, all);
    for (int i = 0; i < count; i++) value[i] = all[rattle__place(&walk, e[i]) - 1];
  }
  rattle__walk_end(&walk);
  return all ? (free(all), RATTLE_OK) : rattle__no_memory(s->error);
}

/* --- starts ----------------------------------------------------------------------------------- */

/* The momentum that a pair of the chart starts with, as it was given. */
static double given_momentum(const changed *s, int c) {
  const rattle__pair *pair = &s->model->pair[s->chart->pair[c]];
  return pair->has_velocity ? s->chart->mass[c] * pair->velocity : pair->p;
}

static int has_motion(const rattle__pair *pair) {
  return pair->has_velocity || pair->p != 0;
}

/* The momenta of the pairs that stay, by those that the pairs of the chart were given. */
static rattle_status start_momenta(changed *s) {
  rattle_model *model = s->model;
  double *p = malloc(((size_t)s->count + 1) * sizeof *p);
  rattle_status status = p ? take_slopes(s, s->gone) : rattle__no_memory(s->error);
  for (int c = 0; c < s->chart->count; c++)
    s->z[2 * model->n + s->chart->pair[c]] = given_momentum(s, c);
  if (!status) status = evaluate(s, s->slope, s->count, p);
  for (int i = 0; i < s->count && !status; i++)
    if (s->chart->moved[s->stays[i]]) model->pair[s->stays[i]].p = p[i];
  free(p);
  return status;
}

/* Starts that were given to pairs of the chart are those that follow. */
static rattle_status check_places(changed *s) {
  const rattle_model *model = s->model;
  double *x = malloc(((size_t)s->chart->count + 1) * sizeof *x), largest = 0;
  rattle_status status =
      x ? evaluate(s, s->chart->x, s->chart->count, x) : rattle__no_memory(s->error);
  for (int c = 0; c < s->chart->count && !status; c++) largest = fmax(largest, fabs(x[c]));
  for (int c = 0; c < s->chart->count && !status; c++) {
    const rattle__pair *pair = &model->pair[s->chart->pair[c]];
    if (!pair->has_start || fabs(x[c] - pair->q) <= RATTLE__START_NEAR * largest) continue;
    status = rattle__fail(s->error, RATTLE_BAD_MODEL, pair->name,
                          "the start of \"%s\" is %.6g, and %.6g follows from those of other "
                          "coordinates, as of joints: give these, or declare the body elsewhere",
                          pair->name, pair->q, x[c]);
  }
  free(x);
  return status;
}

/* The velocities that were given are possible ones: the momenta that follow give them again. */
static rattle_status check_motion(changed *s) {
  const rattle_model *model = s->model;
  double *p = malloc(((size_t)s->chart->count + 1) * sizeof *p), largest = 0, most = 0;
  rattle_status status =
      p ? evaluate(s, s->chart->p, s->chart->count, p) : rattle__no_memory(s->error);
  int worst = 0;
  for (int c = 0; c < s->chart->count && !status; c++) {
    /* as velocities: a body's momenta have more units than one */
    const double given = given_momentum(s, c) / s->chart->mass[c], v = p[c] / s->chart->mass[c];
    largest = fmax(largest, fmax(fabs(given), fabs(v)));
    if (fabs(v - given) > most) most = fabs(v - given), worst = c;
  }
  if (!status && !(most <= RATTLE__START_NEAR * largest)) {
    const char *name = model->pair[s->chart->pair[worst]].name;
    status = rattle__fail(s->error, RATTLE_BAD_MODEL, name,
                          "the start velocities of the bodies are not possible ones: \"%s\" "
                          "has %.6g and its joints allow %.6g; correct the velocities and spins, "
                          "give velocities of joints, or project them: start { project = true }",
                          name, given_momentum(s, worst) / s->chart->mass[worst],
                          p[worst] / s->chart->mass[worst]);
  }
  free(p);
  return status;
}

static rattle_status take_start(changed *s) {
  rattle_model *model = s->model;
  int own = 0, given = 0, velocities = 0, moved = 0;
  for (int i = 0; i < s->count; i++) {
    const rattle__pair *pair = &model->pair[s->stays[i]];
    if (!s->chart->moved[s->stays[i]]) continue;
    own |= has_motion(pair), velocities |= pair->has_velocity, moved |= pair->has_start;
  }
  for (int c = 0; c < s->chart->count; c++) given |= has_motion(&model->pair[s->chart->pair[c]]);
  if (own && given)
    return rattle__fail(s->error, RATTLE_BAD_MODEL, "start",
                        "both bodies and joints have start velocities or momenta: give those of "
                        "bodies, or those of joints");
  for (int i = 0; i < s->count && velocities; i++) { /* the other joints stand still */
    rattle__pair *pair = &model->pair[s->stays[i]];
    if (s->chart->moved[s->stays[i]] && !has_motion(pair)) pair->has_velocity = 1;
  }
  for (int k = 0; k < model->n; k++)
    s->z[2 * k] = model->pair[k].q, s->z[2 * k + 1] = model->pair[k].p;
  /* bodies have places of their own, which joints move */
  const int placed = model->wishes.project || (moved && model->sweeps);
  rattle_status status = placed ? RATTLE_OK : check_places(s);
  if (!status && given) status = start_momenta(s);
  for (int i = 0; i < s->count; i++) s->z[2 * s->stays[i] + 1] = model->pair[s->stays[i]].p;
  return status || !given || model->wishes.project ? status : check_motion(s);
}

/* --- forces, velocities and names ------------------------------------------------------------- */

/* Forces on the pairs of the chart become forces on those that stay. */
static rattle_status move_forces(changed *s) {
  rattle_model *model = s->model;
  const int n = model->n;
  unsigned char *use = calloc((size_t)n, 1);
  rattle_expr *image = calloc(3 * (size_t)n, sizeof *image);
  int any = 0, kept = 0;
  rattle_status status = use && image ? RATTLE_OK : rattle__no_memory(s->error);
  for (int i = 0; i < model->applieds && !status; i++) {
    const rattle__applied *f = &model->applied[i];
    if (s->gone[f->pair]) {
      use[f->pair] = 1, any = 1;
      image[2 * n + f->pair] = f->expr;
    } else {
      model->applied[kept++] = *f;
    }
  }
  if (!status) model->applieds = kept;
  if (any && !status) status = take_slopes(s, use);
  rattle__copy copy = rattle__copy_begin(s->g, s->g, image, 3 * n);
  const rattle_expr none = rattle_expr_constant(s->g, 0);
  for (int i = 0; i < s->count && any && !status; i++) {
    if (s->slope[i] == none) continue;
    const rattle_expr f = rattle__copy_of(&copy, s->slope[i]);
    status =
        f ? rattle_model_add_force(model, s->stays[i], f, s->error) : rattle__no_memory(s->error);
  }
  rattle__copy_end(&copy);
  free(use), free(image);
  return status;
}

/* velocity(x) of a pair of the chart is X_q velocity(q). */
static rattle_status move_velocities(changed *s, rattle__copy *copy) {
  rattle_model *model = s->model;
  unsigned char *use = calloc((size_t)model->n, 1);
  rattle_status status = use ? RATTLE_OK : rattle__no_memory(s->error);
  for (int c = 0; c < s->chart->count && !status; c++) {
    const int k = s->chart->pair[c];
    if (!model->pair[k].velocity_name) continue;
    memset(use, 0, (size_t)model->n);
    use[k] = 1;
    status = take_slopes(s, use);
    rattle_expr sum = rattle_expr_constant(s->g, 0);
    const rattle_expr one = rattle_expr_constant(s->g, 1), none = sum;
    rattle_expr *image = calloc(3 * (size_t)model->n, sizeof *image);
    if (!image) status = rattle__no_memory(s->error);
    if (!status) image[2 * model->n + k] = one;
    rattle__copy by_one = rattle__copy_begin(s->g, s->g, image, 3 * model->n);
    for (int i = 0; i < s->count && !status; i++) {
      if (s->slope[i] == none) continue;
      rattle_expr v = RATTLE_EXPR_NONE;
      status = rattle_model_velocity(model, s->stays[i], &v, s->error);
      const rattle_expr slope = status ? RATTLE_EXPR_NONE : rattle__copy_of(&by_one, s->slope[i]);
      sum = rattle_expr_binary(s->g, RATTLE_OP_ADD, sum,
                               rattle_expr_binary(s->g, RATTLE_OP_MUL, slope, v));
    }
    rattle__copy_end(&by_one);
    free(image);
    const rattle_expr own = rattle_expr_variable(s->g, RATTLE_VELOCITY + k);
    if (!status && (!sum || !own || !rattle__copy_of(copy, own)))
      status = rattle__no_memory(s->error);
    if (!status) copy->known[own] = sum;
  }
  free(use);
  return status;
}

/* Awaited symbols become what the chart gives for them. */
static rattle_status give_awaited(const changed *s, rattle__copy *copy) {
  for (int k = 0; k < s->model->awaits; k++) {
    const rattle_expr own = rattle_expr_variable(s->g, RATTLE__AWAITED + k),
                      new = rattle__copy_of(copy, s->chart->awaited[k]);
    if (!own || !new || !rattle__copy_of(copy, own)) return rattle__no_memory(s->error);
    copy->known[own] = new;
  }
  return RATTLE_OK;
}

/* Their names become those of quantities. */
static rattle_status observe(changed *s) {
  rattle_model *model = s->model;
  rattle_status status = RATTLE_OK;
  char **name = malloc(((size_t)s->chart->count + 1) * sizeof *name);
  if (!name) return rattle__no_memory(s->error);
  for (int c = 0; c < s->chart->count; c++) {
    name[c] = model->pair[s->chart->pair[c]].name;
    model->pair[s->chart->pair[c]].name = "";
  }
  rattle__model_forget_names(model);
  for (int c = 0; c < s->chart->count && !status; c++)
    status = rattle_model_add_observable(model, name[c], s->chart->x[c], s->error);
  free(name);
  return status;
}

/* No pair of the chart is held, or spans a surface. */
static rattle_status check_uses(const changed *s) {
  const rattle_model *model = s->model;
  for (int c = 0; c < s->chart->count; c++) {
    const rattle__pair *pair = &model->pair[s->chart->pair[c]];
    if (pair->held)
      return rattle__fail(s->error, RATTLE_BAD_MODEL, pair->name,
                          "\"%s\" cannot be held, since it follows from other coordinates, as of "
                          "joints: hold these",
                          pair->name);
  }
  for (int i = 0; i < model->drawings; i++)
    for (int j = 0; j < 3 && model->drawing[i].zero; j++) {
      const int k = model->drawing[i].over[j];
      if (k >= 0 && s->gone[k])
        return rattle__fail(s->error, RATTLE_BAD_MODEL, model->pair[k].name,
                            "a surface cannot be drawn over \"%s\", which follows from other "
                            "coordinates",
                            model->pair[k].name);
    }
  return RATTLE_OK;
}

/* How long gradients of constraints are by the pairs of the chart, of which those by the others are
 * sums: what is much shorter is their round-off. */
static rattle_status find_terms(changed *s) {
  rattle_model *model = s->model;
  const int count = s->chart->count;
  int32_t *variable = malloc(((size_t)count + 1) * sizeof *variable);
  rattle_expr *slope = malloc(((size_t)count + 1) * sizeof *slope);
  double *value = malloc(((size_t)count + 1) * sizeof *value);
  rattle_status status = variable && slope && value ? RATTLE_OK : rattle__no_memory(s->error);
  for (int c = 0; c < count && !status; c++) variable[c] = 2 * s->chart->pair[c];
  for (int i = 0; i < model->m && !status; i++) {
    double sum = 0;
    status = rattle__gradient(s->g, model->constraint[i].expr, variable, count, slope)
                 ? rattle__no_memory(s->error)
                 : evaluate(s, slope, count, value);
    for (int c = 0; c < count && !status; c++) sum += value[c] * value[c] / s->chart->mass[c];
    if (!status) model->constraint[i].terms = (float)fmin(sqrt(sum), FLT_MAX);
  }
  free(variable), free(slope), free(value);
  return status;
}

static rattle_status apply(changed *s) {
  rattle_model *model = s->model;
  for (int c = 0; c < s->chart->count; c++) {
    s->image[2 * s->chart->pair[c]] = s->chart->x[c];
    s->image[2 * s->chart->pair[c] + 1] = s->chart->p[c];
  }
  rattle_status status = check_uses(s);
  if (!status) status = take_start(s);
  if (!status) status = find_terms(s);
  if (!status) status = move_forces(s);
  rattle__copy copy = rattle__copy_begin(s->g, s->g, s->image, 2 * model->n);
  if (!status) status = move_velocities(s, &copy);
  if (!status) status = give_awaited(s, &copy);
  if (!status) status = rattle__model_rewrite(model, &copy, s->error);
  rattle__copy_end(&copy);
  if (!status) status = observe(s);
  if (!status) model->awaits = 0;
  return status ? status : rattle__model_remove_pairs(model, s->gone, s->error);
}

rattle_status rattle__model_apply_chart(rattle_model *model, const rattle__chart *chart,
                                        rattle_error *error) {
  const size_t n = (size_t)model->n;
  changed s = {.model = model, .chart = chart, .g = model->graph, .error = error};
  if (model->fibre || model->flow || model->forces)
    return rattle__fail(error, RATTLE_BAD_MODEL, "coordinates",
                        "joint coordinates go with no fibre, no flow and no pair potential of the "
                        "model's own: use mech.coordinates \"bodies\"");
  s.gone = calloc(n + 1, 1);
  s.stays = malloc((n + 1) * sizeof *s.stays);
  s.image = calloc(2 * n + 1, sizeof *s.image);
  s.slope = malloc((n + 1) * sizeof *s.slope);
  s.z = calloc(3 * n + 1, sizeof *s.z);
  rattle_status status =
      s.gone && s.stays && s.image && s.slope && s.z ? RATTLE_OK : rattle__no_memory(error);
  if (!status) {
    for (int c = 0; c < chart->count; c++) s.gone[chart->pair[c]] = 1;
    for (int k = 0; k < model->n; k++)
      if (!s.gone[k]) s.stays[s.count++] = k;
    status = apply(&s);
  }
  free(s.gone), free(s.stays), free(s.image), free(s.slope), free(s.z);
  return status;
}
