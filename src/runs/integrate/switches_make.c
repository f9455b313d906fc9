/* Switches of an integrator: whether it can have them, and their room. */
#include <stdlib.h>

#include "ground/expr/round_off.h"
#include "ground/support/error.h"
#include "method/notation/method.h"
#include "runs/integrate/switches_state.h"

static void destroy(struct rattle__switching *self) {
  rattle__switches *s = (rattle__switches *)self;
  rattle_integrator_destroy(&s->part);
  rattle__probe_destroy(&s->probe);
  free(s->z0), free(s->row), free(s->first_row), free(s->fired), free(s->was_on), free(s->unset),
      free(s->takes), free(s->pushed), free(s->keep), free(s->held), free(s->rose), free(s->room);
  free(s->change), free(s->points);
  free(s);
}

static rattle_status unsuitable(const rattle_integrator *whole, const char *what,
                                rattle_error *error) {
  const char *text = rattle_method_text(whole->method);
  return rattle__fail(error, RATTLE_UNSUITABLE, text,
                      "%s %s, and the model has constraints that begin and end (switch): use %s",
                      text, what, rattle_default_method(whole->problem));
}

static rattle_status check(const rattle_integrator *whole, rattle_error *error) {
  const rattle__node *root = rattle__method_root(whole->method);
  if (whole->map->late) return unsuitable(whole, "chooses its own times", error);
  if (whole->map->shows) return unsuitable(whole, "steps with other variables than (q, p)", error);
  if (root->quad || root->compensated)
    return unsuitable(whole, "keeps digits beyond a double, which a change would lose", error);
  if (whole->bath) return unsuitable(whole, "has a heat bath", error);
  if (whole->problem->velocity)
    return rattle__fail(error, RATTLE_UNSUITABLE, "switch",
                        "a model with constraints on velocities cannot have a switch: give a "
                        "constraint on coordinates, with hold = true where their values are open");
  if (!(whole->problem->flags & RATTLE_HOLONOMIC))
    return rattle__fail(error, RATTLE_UNSUITABLE, "switch",
                        "a model with constraints on momenta cannot have a switch");
  return RATTLE_OK;
}

/* Rows of each switch in the problem. */
static rattle_status find_rows(rattle__switches *s, rattle_error *error) {
  int rows = 0;
  for (int i = 0; i < s->count; i++) rows += s->model->change[i].rows;
  s->row = malloc((size_t)rows * sizeof *s->row);
  s->first_row = malloc(((size_t)s->count + 1) * sizeof *s->first_row);
  if (!s->row || !s->first_row) return rattle__no_memory(error);
  rows = 0;
  for (int i = 0; i < s->count; i++) {
    s->first_row[i] = rows;
    for (int r = 0; r < s->model->change[i].rows; r++) {
      const char *name = s->model->change[i].constraint[r];
      s->row[rows++] = rattle__model_find_constraint(s->model, name);
      if (s->row[rows - 1] < 0)
        return rattle__fail(error, RATTLE_UNSUITABLE, name,
                            "the constraint \"%s\" of a switch was left out, since it follows from "
                            "others or determines a part without mass: give the switch another one",
                            name);
    }
  }
  s->first_row[s->count] = rows;
  return RATTLE_OK;
}

static rattle_status make_room(rattle__switches *s, rattle_error *error) {
  const rattle__function *f = s->problem->conditions;
  const size_t nz = 2 * (size_t)s->n, extra = (size_t)s->extra, c = 2 * (size_t)s->count,
               m = (size_t)s->m, cited = nz + (size_t)s->problem->cited, wide = nz > m ? nz : m;
  const rattle__array arrays[] = {
      {&s->z0, nz},     {&s->memory0, extra},  {&s->za, nz},    {&s->memory, extra},
      {&s->zb, nz},     {&s->memory_b, extra}, {&s->try, nz},   {&s->memory_try, extra},
      {&s->sa, c},      {&s->sb, c},           {&s->zc, nz},    {&s->cc, c},
      {&s->sc, c},      {&s->slope, c},        {&s->ca, c},     {&s->cb, c},
      {&s->values, c},  {&s->reach, cited},    {&s->bound, c},  {&s->cited, cited},
      {&s->zdot, wide}, {&s->psi, m},          {&s->target, m}, {&s->lambda, m},
      {&s->before, nz}, {&s->work, f->work},   {&s->all, nz},   {&s->speed, c},
      {&s->after, c},   {&s->noise, c},        {&s->share, c},  {&s->last, c}};
  if (!RATTLE__BLOCK(arrays)) return rattle__no_memory(error);
  s->fired = calloc((size_t)s->count, sizeof *s->fired);
  s->was_on = calloc((size_t)s->count, sizeof *s->was_on);
  s->unset = calloc((size_t)s->count, sizeof *s->unset);
  s->takes = calloc((size_t)s->count, sizeof *s->takes);
  s->pushed = calloc((size_t)s->count, sizeof *s->pushed);
  s->keep = calloc((size_t)s->count, sizeof *s->keep);
  s->held = calloc((size_t)s->count, sizeof *s->held);
  s->rose = calloc((size_t)s->count, sizeof *s->rose);
  s->room = malloc(rattle__round_off_room(f) + 1);
  return s->fired && s->was_on && s->unset && s->takes && s->pushed && s->keep && s->held &&
                 s->rose && s->room
             ? RATTLE_OK
             : rattle__no_memory(error);
}

rattle_status rattle__switches_attach(rattle_integrator *whole, rattle_error *error) {
  rattle_status status = check(whole, error);
  if (status) return status;
  rattle__switches *s = calloc(1, sizeof *s);
  if (!s) return rattle__no_memory(error);
  *s = (rattle__switches){
      .of = {rattle__switches_leave, rattle__switches_act, rattle__switches_back, destroy},
      .problem = whole->problem,
      .model = whole->problem->model,
      .n = whole->n,
      .m = whole->problem->m,
      .extra = whole->extra,
      .count = whole->problem->model->changes};
  whole->switching = &s->of;
  const rattle__function *f = s->problem->conditions;
  s->cites = rattle__cites(s->problem, f);
  for (int e = 0; e < f->jac_nnz; e++) s->forced |= f->jac_col[e] >= s->n;
  status = find_rows(s, error);
  if (!status) status = make_room(s, error);
  return status ? status
                : rattle__probe_create(&s->probe, s->problem, RATTLE__PROBE_MULTIPLIERS, error);
}
