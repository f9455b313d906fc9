/* Tests if constraints are regular at a point: rows of J = g' independent, and N = {{H,g_i},g_j}
 * invertible.
 *
 * Rows are scaled to length 1. C = J J^T then has ones on its diagonal, and a combination v of the
 * rows that vanishes is a vector with C v = 0. Inverse iteration with C + d 1, d = 1e-14, finds it:
 * rows within about 1e-7 of dependent are refused, since the multipliers' matrix, which has the
 * squares, is singular to working precision then. If sum v_i g_i vanishes with it, the constraint
 * is redundant, else it contradicts the others. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "ground/support/error.h"
#include "problem/model/model.h"
#include "problem/functions/probe.h"
#include "runs/start/start.h"

enum { PARTNERS = 3 };
static const double shift = 1e-14, share = 0.05, degenerate = 1e-13;

/* The unit of a column: natural H measures by masses, so that an angle and a length may share a
 * constraint. */
static double unit_of(const rattle__start *s, int column, int by_masses) {
  return by_masses ? sqrt(s->problem->mass->diagonal[column]) : 1;
}

static int has_masses(const rattle__start *s) {
  int yes = rattle__is_natural_holonomic(s->problem);
  for (int k = 0; k < s->n && yes; k++) yes = s->problem->mass->diagonal[k] > 0;
  return yes;
}

/* scaled <- rows of J of length 1, size <- their lengths; the first row of length 0, else -1. */
static int scale_rows(rattle__start *s) {
  const int *ptr = s->problem->g->jac_ptr, *col = s->problem->g->jac_col, by_masses = has_masses(s);
  int zero = -1;
  for (int i = s->m - 1; i >= 0; i--) {
    double largest = 0, sum = 0;
    for (int k = ptr[i]; k < ptr[i + 1]; k++) {
      s->scaled[k] = s->J[k] * unit_of(s, col[k], by_masses);
      largest = fmax(largest, fabs(s->scaled[k]));
    }
    if (!(largest > 0)) {
      zero = i;
      continue;
    }
    for (int k = ptr[i]; k < ptr[i + 1]; k++)
      sum += (s->scaled[k] / largest) * (s->scaled[k] / largest);
    s->size[i] = largest * sqrt(sum);
    for (int k = ptr[i]; k < ptr[i + 1]; k++) s->scaled[k] = s->scaled[k] / largest / sqrt(sum);
  }
  return zero;
}

/* "'a', 'b'": the rows other than `culprit` that have a share in the combination v. */
static void say_partners(const rattle__start *s, const double *v, double most, int culprit,
                         char *text, size_t size) {
  size_t used = 0;
  int said = 0;
  text[0] = 0;
  for (int i = 0; i < s->m && said <= PARTNERS && used < size; i++) {
    if (i == culprit || fabs(v[i]) < share * most) continue;
    int length = said < PARTNERS ? snprintf(text + used, size - used, "%s'%s'", said ? ", " : "",
                                            rattle__start_constraint(s, i))
                                 : snprintf(text + used, size - used, ", ...");
    used += length > 0 ? (size_t)length : 0;
    said++;
  }
}

rattle_status rattle__start_dependence(rattle__start *s, double *least, char *names, size_t size,
                                       rattle_error *error) {
  double most = 0;
  const rattle_status status = rattle__start_regular(s, NULL);
  if (status == RATTLE_NO_MEMORY) return rattle__no_memory(error);
  *least = status ? 0 : rattle__linear_smallest(s->matrix, s->rhs) - shift;
  for (int i = 0; i < s->m; i++) most = fmax(most, fabs(s->rhs[i]));
  say_partners(s, s->rhs, most, -1, names, size);
  return RATTLE_OK;
}

static rattle_status refuse(rattle__start *s, const double *v, rattle_error *error) {
  double most = 0, sum = 0, terms = DBL_MIN;
  int culprit = 0;
  for (int i = 0; i < s->m; i++) most = fmax(most, fabs(v[i]));
  /* of those that take part the last one; and whether the values agree as the gradients do */
  for (int i = 0; i < s->m; i++) {
    if (fabs(v[i]) >= share * most) culprit = i;
    sum += v[i] * s->g[i] / s->size[i];
    terms += fabs(v[i] * s->g[i] / s->size[i]);
  }
  double far = 0;
  for (int k = 0; k < s->vars; k++) far = fmax(far, fabs(s->z[k]));
  int contradictory = fabs(sum) > 1e-6 * terms && fabs(sum) > 1e-9 * far;
  char others[400];
  say_partners(s, v, most, culprit, others, sizeof others);
  const char *name = rattle__start_constraint(s, culprit);
  if (contradictory)
    rattle__fail(error, RATTLE_NOT_REGULAR, name,
                 "constraint '%s' is contradictory: its gradient at the start is a combination of "
                 "those of %s, but its value is "
                 "not, so they cannot hold together; remove one of them, or start elsewhere",
                 name, others);
  else
    rattle__fail(error, RATTLE_NOT_REGULAR, name,
                 "constraint '%s' is a combination of the others at the start (redundant): its "
                 "gradient depends on those of %s; remove "
                 "it if it follows from them, or start elsewhere",
                 name, others);
  if (error) error->constraint = culprit;
  return RATTLE_NOT_REGULAR;
}

/* True if there is no model, or the model gives a start. */
static int is_given(const rattle__start *s) {
  const rattle_model *model = s->problem->model;
  int given = !model;
  for (int k = 0; k < s->n && !given; k++)
    given = model->pair[k].q != 0 || model->pair[k].p != 0 || model->pair[k].has_velocity;
  return given;
}

rattle_status rattle__start_regular(rattle__start *s, rattle_error *error) {
  int zero = scale_rows(s);
  if (zero >= 0) {
    const char *name = rattle__start_constraint(s, zero);
    if (!is_given(s))
      return rattle__fail(error, RATTLE_NOT_REGULAR, name,
                          "no start is given, or one of zeros: constraint '%s' determines nothing "
                          "where all coordinates and momenta "
                          "are 0, since its gradient is 0 there; write start { ... }",
                          name);
    rattle__fail(error, RATTLE_NOT_REGULAR, name,
                 "constraint '%s' is not regular at the start: its gradient is 0 there; rewrite it "
                 "with a gradient that does not "
                 "vanish where the constraint holds, or start elsewhere",
                 name);
    if (error) error->constraint = zero;
    return RATTLE_NOT_REGULAR;
  }
  rattle__linear *C = s->matrix;
  rattle__coupling_assemble(s->coupling, s->scaled, s->scaled, C->value);
  for (int i = 0; i < s->m; i++)
    for (int e = C->ptr[i]; e < C->ptr[i + 1]; e++)
      if (C->col[e] == i) C->value[e] += shift;
  const rattle_status status = C->factor(C);
  if (status == RATTLE_NO_MEMORY) return rattle__no_memory(error);
  if (status) {
    for (int i = 0; i < s->m; i++) s->rhs[i] = i == C->blame;
    return refuse(s, s->rhs, error);
  }
  return rattle__linear_smallest(C, s->rhs) < 2 * shift ? refuse(s, s->rhs, error) : RATTLE_OK;
}

/* N with row and column i divided by the root of size[i], what its diagonal entry would be without
 * cancellation; the row where it cancels most. */
static int scale_matrix(const rattle__start *s, rattle__linear *N) {
  double least = INFINITY;
  int worst = 0;
  for (int i = 0; i < s->m; i++) s->size[i] = sqrt(s->size[i] + DBL_MIN);
  for (int i = 0; i < s->m; i++)
    for (int e = N->ptr[i]; e < N->ptr[i + 1]; e++) {
      N->value[e] /= s->size[i] * s->size[N->col[e]];
      if (N->col[e] != i || fabs(N->value[e]) >= least) continue;
      least = fabs(N->value[e]);
      worst = i;
    }
  return worst;
}

static rattle_status smallest_of(rattle__start *s, rattle__linear *N, double *smallest,
                                 rattle_error *error) {
  enum { EXACT = 30 };
  double condition;
  if (s->m <= EXACT || !N->symmetric)
    return rattle__linear_condition(N, smallest, &condition, error);
  const rattle_status status = N->factor(N);
  if (status == RATTLE_NO_MEMORY) return rattle__no_memory(error);
  *smallest = status ? 0 : rattle__linear_smallest(N, s->rhs);
  return RATTLE_OK;
}

/* {g_i,g_j} without cancellation: the sum of the sizes of its terms. */
static double bracket_terms(const rattle__start *s, int i, int j) {
  const int *ptr = s->problem->g->jac_ptr, *col = s->problem->g->jac_col;
  double sum = 0;
  for (int e = ptr[i]; e < ptr[i + 1]; e++) {
    const int other = col[e] < s->n ? col[e] + s->n : col[e] - s->n;
    for (int k = ptr[j]; k < ptr[j + 1]; k++)
      if (col[k] == other) sum += fabs(s->J[e] * s->J[k]);
  }
  return sum;
}

/* C with row and column i divided by the root of the largest bracket of i without cancellation; the
 * first row with the smallest largest entry. */
static int scale_brackets(rattle__start *s, rattle__linear *C) {
  double least = INFINITY;
  int worst = 0;
  for (int i = 0; i < s->m; i++) {
    double most = DBL_MIN;
    for (int e = C->ptr[i]; e < C->ptr[i + 1]; e++)
      most = fmax(most, bracket_terms(s, i, C->col[e]));
    s->size[i] = sqrt(most);
  }
  for (int i = 0; i < s->m; i++) {
    double most = 0;
    for (int e = C->ptr[i]; e < C->ptr[i + 1]; e++) {
      C->value[e] /= s->size[i] * s->size[C->col[e]];
      most = fmax(most, fabs(C->value[e]));
    }
    if (most >= least) continue;
    least = most;
    worst = i;
  }
  return worst;
}

/* N = G M^-1 G^T and the sizes of its diagonal, for natural H with a diagonal M. J at z known. */
static void natural_matrix(const rattle__start *s) {
  const rattle__function *g = s->problem->g;
  const double *inverse_mass = s->problem->mass->diagonal;
  for (int i = 0; i < s->m; i++) {
    s->size[i] = 0;
    for (int e = g->jac_ptr[i]; e < g->jac_ptr[i + 1]; e++) {
      s->scaled[e] = s->J[e] * inverse_mass[g->jac_col[e]];
      s->size[i] += fabs(s->J[e] * s->scaled[e]);
    }
  }
  rattle__coupling_assemble(s->coupling, s->J, s->scaled, s->matrix->value);
}

/* The same for any H, or C = {g_i,g_j} without sizes; NULL in *N where it is not offered. The probe
 * owns it. */
static rattle_status general_matrix(const rattle__start *s, rattle__probe **probe,
                                    rattle__linear **N, rattle_error *error) {
  rattle_status status = rattle__probe_create(probe, s->problem, RATTLE__PROBE_MULTIPLIERS, error);
  if (status) return status;
  rattle__probe_place(*probe, s->z, s->z + s->n);
  status = rattle__probe_matrix(*probe, N, error);
  if (!status && *N && !s->problem->split) rattle__probe_sizes(*probe, s->size);
  return status;
}

rattle_status rattle__start_nondegenerate(rattle__start *s, rattle_error *error) {
  rattle__probe *probe = NULL;
  rattle__linear *N = NULL;
  double smallest = 1;
  int worst = 0;
  rattle_status status = RATTLE_OK;
  if (rattle__is_natural_holonomic(s->problem) && !s->problem->mass->value) {
    natural_matrix(s);
    N = s->matrix;
  } else {
    status = general_matrix(s, &probe, &N, error);
  }
  if (!status && N) {
    worst = s->problem->split ? scale_brackets(s, N) : scale_matrix(s, N);
    status = smallest_of(s, N, &smallest, error);
  }
  if (!status && !(smallest > degenerate)) {
    const char *name = rattle__start_constraint(s, worst);
    status = rattle__fail(error, RATTLE_SINGULAR, name,
                          "the start is a degenerate point: the matrix %s is singular there (see "
                          "constraint '%s'), so the "
                          "multipliers are not determined; start elsewhere",
                          s->problem->split ? "{g_i,g_j}" : "{{H,g_i},g_j}", name);
    if (error) error->constraint = worst;
  }
  rattle__probe_destroy(&probe);
  return status;
}
