/* Other expressions in place of variables, in all that a model holds, and what is then taken out of
 * it (massless.h). */
#include <stdlib.h>
#include <string.h>

#include "ground/expr/copy.h"
#include "ground/expr/walk.h"
#include "ground/support/error.h"
#include "problem/model/massless.h"

rattle_status rattle__mark_all_variables(const rattle_model *model, const rattle_expr *e, int count,
                                         unsigned char *mark, rattle_error *error) {
  rattle__walk walk;
  const rattle_status status = rattle__walk_all(&walk, model->graph, e, count, rattle__operands);
  for (size_t i = 0; i < walk.count && !status; i++)
    if (rattle_expr_op(model->graph, walk.node[i]) == RATTLE_OP_VARIABLE) {
      const int v = rattle_expr_index(model->graph, walk.node[i]);
      if (v < 2 * model->n) mark[v] = 1;
    }
  rattle__walk_end(&walk);
  return status ? rattle__no_memory(error) : RATTLE_OK;
}

rattle_status rattle__mark_variables(const rattle_model *model, rattle_expr e, unsigned char *mark,
                                     rattle_error *error) {
  return rattle__mark_all_variables(model, &e, 1, mark, error);
}

/* e <- its copy; 0: no memory */
static int replace(rattle__copy *copy, rattle_expr *e) {
  if (*e == RATTLE_EXPR_NONE) return 1;
  *e = rattle__copy_of(copy, *e);
  return *e != RATTLE_EXPR_NONE;
}

static int replace_named(rattle__copy *copy, rattle__named *named, int count) {
  int there = 1;
  for (int i = 0; i < count; i++) there = there && replace(copy, &named[i].expr);
  return there;
}

static int replace_drawing(rattle__copy *copy, rattle_drawing *d) {
  int there = replace(copy, &d->zero);
  for (int i = 0; i < 6; i++) there = there && replace(copy, &d->at[i / 3][i % 3]);
  for (int i = 0; i < 9; i++) there = there && replace(copy, &d->axes[i]);
  return there;
}

rattle_status rattle__model_rewrite(rattle_model *model, rattle__copy *copy, rattle_error *error) {
  int there = replace(copy, &model->hamiltonian) &&
              replace_named(copy, model->constraint, model->m) &&
              replace_named(copy, model->observable, model->observables) &&
              replace_named(copy, model->next, model->held) &&
              replace_named(copy, model->condition, model->conditions);
  for (int i = 0; i < model->events; i++)
    there = there && replace_named(copy, &model->event[i].is, 1);
  for (int i = 0; i < model->velocity_rows; i++)
    there = there && replace_named(copy, &model->velocity_row[i].is, 1);
  for (int i = 0; i < model->applieds; i++) there = there && replace(copy, &model->applied[i].expr);
  for (int i = 0; i < model->turnings; i++)
    there = there && replace(copy, &model->turning[i].angle) &&
            replace(copy, &model->turning[i].y) && replace(copy, &model->turning[i].x);
  for (int i = 0; i < model->drawings; i++)
    there = there && replace_drawing(copy, &model->drawing[i]);
  if (model->sweeps)
    there = there && replace(copy, &model->sweeps->whole) && replace(copy, &model->sweeps->rest);
  const rattle_expr none = rattle_expr_constant(model->graph, 0); /* most shares of reactions are */
  for (int i = 0; i < model->reactions; i++)
    for (int j = 0; j <= model->columns; j++)
      if (model->reaction[i].share[j] != none)
        there = there && replace(copy, &model->reaction[i].share[j]);
  return there ? RATTLE_OK : rattle__no_memory(error);
}

rattle_status rattle__model_substitute(rattle_model *model, const rattle_expr *image,
                                       rattle_error *error) {
  rattle__copy copy = rattle__copy_begin(model->graph, model->graph, image, 2 * model->n);
  const rattle_status status = rattle__model_rewrite(model, &copy, error);
  rattle__copy_end(&copy);
  return status;
}

/* New numbers of pairs [n]; -1: taken out. */
static int *renumber(const rattle_model *model, const unsigned char *gone) {
  int *to = malloc(((size_t)model->n + 1) * sizeof *to), next = 0;
  for (int k = 0; k < model->n && to; k++) to[k] = gone[k] ? -1 : next++;
  return to;
}

/* The symbols of velocities by these numbers. 0: no memory. */
static int renumber_velocities(const rattle_model *model, const int *to, rattle__copy *copy) {
  int there = 1;
  for (int j = 0; j < model->n && there; j++) {
    if (!model->pair[j].velocity_name || to[j] < 0 || to[j] == j) continue;
    const rattle_expr own = rattle_expr_variable(model->graph, RATTLE_VELOCITY + j),
                      new = rattle_expr_variable(model->graph, RATTLE_VELOCITY + to[j]);
    there = own && new &&rattle__copy_of(copy, own);
    if (there) copy->known[own] = new;
  }
  return there;
}

/* A tree of which a pair is taken out evaluates H no more. */
static void renumber_sweeps(rattle__model_sweeps *tree, const int *to) {
  for (int i = 0; i < tree->count; i++)
    for (int j = 0; j < rattle__sweep_pairs(&tree->node[i]); j++) {
      int *pair = &tree->node[i].pair[j];
      *pair = *pair < 0 ? -1 : to[*pair];
      if (*pair < 0) tree->whole = RATTLE_EXPR_NONE;
    }
}

/* The numbers of pairs that are kept beside expressions. */
static void renumber_pairs(rattle_model *model, const int *to) {
  if (model->clock) model->clock = 1 + to[model->clock - 1];
  for (int i = 0; i < model->applieds; i++) model->applied[i].pair = to[model->applied[i].pair];
  for (int i = 0; i < model->turnings; i++) model->turning[i].pair = to[model->turning[i].pair];
  for (int i = 0; i < model->held; i++) model->held_pair[i] = to[model->held_pair[i]];
  for (int i = 0; i < model->changes; i++) {
    rattle__switch *is = &model->change[i];
    int *const pair[] = {&is->on, &is->lost, &is->side, &is->first_at, &is->first_idle};
    for (size_t j = 0; j < sizeof pair / sizeof *pair; j++)
      if (*pair[j] >= 0) *pair[j] = to[*pair[j]];
  }
  if (model->sweeps) renumber_sweeps(model->sweeps, to);
  for (int i = 0; i < model->drawings; i++)
    for (int j = 0; j < 3 && model->drawing[i].zero; j++)
      if (model->drawing[i].over[j] >= 0) model->drawing[i].over[j] = to[model->drawing[i].over[j]];
  int n = 0;
  for (int k = 0; k < model->n; k++)
    if (to[k] >= 0) model->pair[n++] = model->pair[k];
  model->n = n;
}

rattle_status rattle__model_remove_pairs(rattle_model *model, const unsigned char *gone,
                                         rattle_error *error) {
  rattle_expr *image = calloc(2 * (size_t)model->n + 1, sizeof *image);
  int *to = renumber(model, gone);
  rattle_status status = image && to ? RATTLE_OK : rattle__no_memory(error);
  for (int v = 0; v < 2 * model->n && !status; v++) {
    if (to[v / 2] < 0 || to[v / 2] == v / 2) continue;
    image[v] = rattle_expr_variable(model->graph, 2 * to[v / 2] + v % 2);
    if (!image[v]) status = rattle__no_memory(error);
  }
  rattle__copy copy = rattle__copy_begin(model->graph, model->graph, image, 2 * model->n);
  if (!status && !renumber_velocities(model, to, &copy)) status = rattle__no_memory(error);
  if (!status) status = rattle__model_rewrite(model, &copy, error);
  rattle__copy_end(&copy);
  if (!status) renumber_pairs(model, to);
  free(image), free(to);
  if (!status) rattle__model_forget_names(model);
  return status;
}

rattle_status rattle__model_remove_pair(rattle_model *model, int k, rattle_error *error) {
  unsigned char *gone = calloc((size_t)model->n + 1, 1);
  if (!gone) return rattle__no_memory(error);
  gone[k] = 1;
  const rattle_status status = rattle__model_remove_pairs(model, gone, error);
  free(gone);
  return status;
}

int rattle__model_is_of_free(const rattle_model *model, int i, int k) {
  return model->pair[k].is_free &&
         model->constraint[i].expr == rattle_expr_variable(model->graph, 2 * k + 1);
}

void rattle__model_remove_constraint(rattle_model *model, int i) {
  memmove(model->constraint + i, model->constraint + i + 1,
          (size_t)(model->m - i - 1) * sizeof *model->constraint);
  model->m--;
}
