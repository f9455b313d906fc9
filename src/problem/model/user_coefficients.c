/* Tableaus and splittings that a model gives: checked, and their properties, determined when they
 * are added. */
#include "problem/model/user_coefficients.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ground/support/error.h"
#include "ground/support/nearest.h"

enum { MOST_ORDER = 10, MOST_PARTITIONED = 8, LONGEST_NAME = 31 };

/* Relative to the largest coefficient: differences up to this are round-off when symmetry and
 * symplecticity are tested. */
static const double close_enough = 32 * DBL_EPSILON;

/* ---- adding ---- */

static int is_word(const char *name) {
  if (!*name || (*name >= '0' && *name <= '9')) return 0;
  return strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") ==
         strlen(name);
}

static rattle_status check(const rattle_model *model, const char *kind, const char *name,
                           int stages, int most, rattle_error *error) {
  if (!name || !is_word(name) || strlen(name) > LONGEST_NAME)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, name,
                        "the name of a %s has at most %d letters, digits and underscores, and does "
                        "not begin with a digit",
                        kind, LONGEST_NAME);
  if (rattle__model_given(model, name))
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, name, "coefficients named \"%s\" already exist",
                        name);
  if (stages < 1 || stages > most)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, name,
                        "the %s \"%s\" has %d stages, and 1 to %d are allowed", kind, name, stages,
                        most);
  return RATTLE_OK;
}

static int all_finite(const double *x, int count) {
  double sum = 0;
  for (int i = 0; i < count; i++) sum += 0 * x[i];
  return sum == 0;
}

/* The order must be the claimed one or higher, and at least 1. */
static rattle_status check_order(const char *kind, const char *name, int claimed, int order,
                                 int most, const rattle__order_condition *failing,
                                 rattle_error *error) {
  const int wanted = claimed > 1 ? claimed : 1;
  if (order >= wanted) return RATTLE_OK;
  if (order == most)
    return rattle__fail(
        error, RATTLE_BAD_ARGUMENT, name,
        "order = %d of the %s \"%s\" cannot be checked: conditions are known up to order %d",
        claimed, kind, name, most);
  return rattle__fail(error, RATTLE_BAD_ARGUMENT, name,
                      "the %s \"%s\" has order %d, not %d: the condition %s of order %d does not "
                      "hold, its left-hand side is %.12g",
                      kind, name, order, wanted, failing->text, failing->order, failing->found);
}

/* A new entry with room for `doubles`, in *data; counted when it is complete. */
static rattle__given *new_given(rattle_model *model, const char *name, size_t doubles,
                                double **data) {
  rattle__given *grown =
      rattle__room(model->given, model->givens, &model->givens_room, sizeof *grown);
  if (!grown) return NULL;
  model->given = grown;
  rattle__given *made = &grown[model->givens];
  *made = (rattle__given){.found = {.name = rattle__model_keep(model, name)}};
  *data = malloc(doubles * sizeof **data);
  if (made->found.name && *data) return made;
  free(*data);
  return NULL;
}

static rattle_status keep(rattle_model *model, rattle__given *made, double *data,
                          const rattle__order_condition *failing, rattle_error *error) {
  made->found.fails = rattle__model_keep(model, failing->text);
  if (!made->found.fails) {
    free(data);
    return rattle__no_memory(error);
  }
  model->givens++;
  return RATTLE_OK;
}

/* ---- tableaus ---- */

static double largest(const rattle_tableau *t) {
  const int s = t->stages;
  double most = 0;
  for (int e = 0; e < s * s; e++)
    most = fmax(most, fmax(fabs(t->A[e]), t->Ahat ? fabs(t->Ahat[e]) : 0));
  for (int i = 0; i < s; i++)
    most = fmax(most, fmax(fabs(t->b[i]), t->bhat ? fabs(t->bhat[i]) : 0));
  return most;
}

/* b_i ahat_ij + bhat_j a_ji = b_i bhat_j, and b = bhat but for H = T(p) + V(q) */
static int is_symplectic(const rattle_tableau *t, int separable) {
  const int s = t->stages;
  const double *ahat = t->Ahat ? t->Ahat : t->A, *bhat = t->bhat ? t->bhat : t->b,
               most = largest(t);
  for (int i = 0; i < s; i++) {
    if (!separable && !(fabs(t->b[i] - bhat[i]) <= close_enough * most)) return 0;
    for (int j = 0; j < s; j++) {
      const double defect =
          t->b[i] * ahat[i * s + j] + bhat[j] * t->A[j * s + i] - t->b[i] * bhat[j];
      if (!(fabs(defect) <= close_enough * most * most)) return 0;
    }
  }
  return 1;
}

/* a_ij + a_{mirror i, mirror j} = b_j, whence b_j = b_{mirror j}, for the stages in the order of
 * their times c_i and that turned round, and so for the momenta. */
static int is_symmetric(const rattle_tableau *t) {
  const int s = t->stages;
  const double most = largest(t);
  double c[RATTLE__GIVEN_STAGES];
  int at[RATTLE__GIVEN_STAGES], mirror[RATTLE__GIVEN_STAGES];
  for (int i = 0; i < s; i++) {
    c[i] = 0;
    for (int j = 0; j < s; j++) c[i] += t->A[i * s + j];
    int k = i;
    for (; k > 0 && c[at[k - 1]] > c[i]; k--) at[k] = at[k - 1];
    at[k] = i;
  }
  for (int k = 0; k < s; k++) mirror[at[k]] = at[s - 1 - k];
  for (int part = 0; part < 2; part++) {
    const double *a = part && t->Ahat ? t->Ahat : t->A, *b = part && t->bhat ? t->bhat : t->b;
    for (int j = 0; j < s; j++) {
      for (int i = 0; i < s; i++)
        if (!(fabs(a[i * s + j] + a[mirror[i] * s + mirror[j]] - b[j]) <= close_enough * most))
          return 0;
    }
  }
  return 1;
}

static int is_explicit(const rattle_tableau *t) {
  for (int i = 0; i < t->stages; i++)
    for (int j = i; j < t->stages; j++)
      if (t->A[i * t->stages + j] != 0 || (t->Ahat && t->Ahat[i * t->stages + j] != 0)) return 0;
  return 1;
}

static void copy_tableau(rattle__given *made, double *data, const rattle_tableau *t) {
  const size_t s = (size_t)t->stages, square = s * s;
  made->a = data;
  made->ahat = data + square;
  made->b = data + 2 * square;
  made->bhat = made->b + s;
  memcpy(made->a, t->A, square * sizeof *data);
  memcpy(made->ahat, t->Ahat ? t->Ahat : t->A, square * sizeof *data);
  memcpy(made->b, t->b, s * sizeof *data);
  memcpy(made->bhat, t->bhat ? t->bhat : t->b, s * sizeof *data);
}

rattle_status rattle_model_add_tableau(rattle_model *model, const char *name,
                                       const rattle_tableau *tableau, rattle_error *error) {
  const int s = tableau->stages, square = s * s, partitioned = tableau->Ahat || tableau->bhat;
  const int most = partitioned ? MOST_PARTITIONED : MOST_ORDER;
  rattle_status status = check(model, "tableau", name, s, RATTLE__GIVEN_STAGES, error);
  if (status) return status;
  if (!tableau->A || !tableau->b || !all_finite(tableau->A, square) || !all_finite(tableau->b, s) ||
      (tableau->Ahat && !all_finite(tableau->Ahat, square)) ||
      (tableau->bhat && !all_finite(tableau->bhat, s)))
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, name,
                        "the tableau \"%s\" contains a number that is not finite", name);
  rattle__order_condition failing, separable_failing;
  const int order = rattle__tableau_order(tableau, 0, most, &failing);
  const int separable =
      partitioned ? rattle__tableau_order(tableau, 1, most, &separable_failing) : order;
  status = check_order("tableau", name, tableau->order, separable, most,
                       partitioned ? &separable_failing : &failing, error);
  if (status) return status;
  double *data;
  rattle__given *made = new_given(model, name, 2 * (size_t)(square + s), &data);
  if (!made) return rattle__no_memory(error);
  copy_tableau(made, data, tableau);
  made->claimed = tableau->order;
  made->found.kind = "tableau";
  made->found.stages = s;
  made->found.order = order;
  made->found.separable_order = separable;
  made->found.symmetric = is_symmetric(tableau);
  made->found.symplectic = is_symplectic(tableau, 0);
  made->found.separable_symplectic = is_symplectic(tableau, 1);
  made->found.explicit_ = is_explicit(tableau);
  made->found.partitioned = partitioned;
  return keep(model, made, data, &failing, error);
}

/* ---- splittings ---- */

/* Parts of length 0 omitted, neighbours of one kind joined: the same from both ends. */
static int is_palindrome(int stages, const double *c, const double *d) {
  double length[2 * RATTLE__GIVEN_PARTS], most = 0;
  int kind[2 * RATTLE__GIVEN_PARTS], count = 0;
  for (int i = 0; i < 2 * stages; i++) {
    const double x = i % 2 ? d[i / 2] : c[i / 2];
    most = fmax(most, fabs(x));
    if (x == 0) continue;
    if (count && kind[count - 1] == i % 2)
      length[count - 1] += x;
    else {
      kind[count] = i % 2;
      length[count++] = x;
    }
  }
  for (int i = 0; i < count; i++) {
    const int j = count - 1 - i;
    if (kind[i] != kind[j] || !(fabs(length[i] - length[j]) <= close_enough * most)) return 0;
  }
  return 1;
}

rattle_status rattle_model_add_splitting(rattle_model *model, const char *name,
                                         const rattle_splitting *splitting, rattle_error *error) {
  const int s = splitting->stages;
  rattle_status status = check(model, "splitting", name, s, RATTLE__GIVEN_PARTS, error);
  if (status) return status;
  if (!splitting->c || !splitting->d || !all_finite(splitting->c, s) ||
      !all_finite(splitting->d, s))
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, name,
                        "the splitting \"%s\" contains a number that is not finite", name);
  rattle__order_condition failing;
  const int order = rattle__splitting_order(s, splitting->c, splitting->d, MOST_ORDER, &failing);
  status = check_order("splitting", name, splitting->order, order, MOST_ORDER, &failing, error);
  if (status) return status;
  double *data;
  rattle__given *made = new_given(model, name, 2 * (size_t)s, &data);
  if (!made) return rattle__no_memory(error);
  made->splitting = 1;
  made->c = data;
  made->d = data + s;
  memcpy(made->c, splitting->c, (size_t)s * sizeof *data);
  memcpy(made->d, splitting->d, (size_t)s * sizeof *data);
  made->found.kind = "splitting";
  made->found.stages = s;
  made->found.order = made->found.separable_order = order;
  made->found.symmetric = is_palindrome(s, splitting->c, splitting->d);
  made->found.symplectic = made->found.separable_symplectic = made->found.explicit_ =
      made->found.partitioned = 1;
  return keep(model, made, data, &failing, error);
}

/* ---- queries ---- */

const rattle__given *rattle__model_given(const rattle_model *model, const char *name) {
  for (int i = 0; i < model->givens; i++)
    if (!strcmp(model->given[i].found.name, name)) return &model->given[i];
  return NULL;
}

const char *rattle__model_nearest_given(const rattle_model *model, const char *name) {
  rattle__nearest nearest = {.name = name};
  for (int i = 0; i < model->givens; i++) rattle__nearest_try(&nearest, model->given[i].found.name);
  return nearest.best;
}

int rattle_model_coefficients(const rattle_model *model, int i, rattle_coefficients *set) {
  if (set && i >= 0 && i < model->givens) *set = model->given[i].found;
  return model->givens;
}

void rattle__model_destroy_given(rattle_model *model) {
  for (int i = 0; i < model->givens; i++)
    free(model->given[i].splitting ? model->given[i].c : model->given[i].a);
  free(model->given);
}
