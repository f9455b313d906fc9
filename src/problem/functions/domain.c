/* Why H or g is not available at a point: the function, the operation, and the values.
 *
 * Symbols: z = (q, p) [2n]; x [2n] the same in the order of the graph's variables, x[2k] = q_k and
 * x[2k+1] = p_k. If z itself is not finite, its bad entries are set aside: two different values are
 * put in their place, and a fault counts only if it is the same with both, so that it does not come
 * from them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "ground/support/error.h"
#include "ground/support/number.h"
#include "problem/model/model.h"
#include "problem/functions/problem.h"
#include "ground/expr/elements.h"

enum { SHOWN = 3, CLAUSE = 700 };

rattle_status rattle__callback_error(int answer, const char *what, rattle_error *error) {
  return rattle__fail(error, RATTLE_CALLBACK, what, "the %s callback reported failure (%d)%s", what,
                      answer,
                      answer > 0 ? ": this point cannot be evaluated; use a smaller step" : "");
}

/* The fault found: in constraint number `constraint`, in H if that is -1, or, if `pushed` is a
 * name, in the force on that coordinate; a clause, empty if there is no fault. */
typedef struct fault {
  int found, constraint;
  const char *pushed;
  char clause[CLAUSE];
  char sign[160]; /* u, where the force is u/|u| with u = 0; else empty */
} fault;

typedef struct fault_search {
  const rattle_problem *problem;
  const double *shown; /* the point, its bad entries included */
  double *z, *x, *value, *J, *work;
} fault_search;

static const char *name_of(void *model, int32_t index) {
  return rattle__model_variable_name(model, index);
}

static rattle__naming names_of(const rattle_model *model) {
  return (rattle__naming){name_of, (void *)model};
}

static int first_bad(const double *value, int count) {
  for (int i = 0; i < count; i++)
    if (!isfinite(value[i])) return i;
  return -1;
}

/* "q = (1, 2, ...), p = (0, 1, ...)" */
static void say_point(const fault_search *s, char *text, size_t size) {
  size_t used = 0;
  char number[RATTLE__NUMBER_ROOM];
  for (int half = 0; half < 2; half++) {
    for (int i = 0; i < s->problem->n && i <= SHOWN && used < size; i++) {
      const char *before = i ? ", " : half ? ", p = (" : "q = (";
      double value = s->shown[half * s->problem->n + i];
      int length = i < SHOWN ? snprintf(text + used, size - used, "%s%s", before,
                                        rattle__number_exact(value, number))
                             : snprintf(text + used, size - used, ", ...");
      used += length > 0 ? (size_t)length : 0;
    }
    if (used < size) used += (size_t)snprintf(text + used, size - used, ")");
  }
}

/* The value of H or of constraint i is not finite: which operation makes it so. */
static void explain_value(const fault_search *s, int constraint, fault *f) {
  const rattle_model *model = s->problem->model;
  f->found = 1;
  f->constraint = constraint;
  if (model) {
    rattle_expr e = constraint < 0 ? model->hamiltonian : model->constraint[constraint].expr;
    if (rattle__domain_fault(model->graph, e, s->x, names_of(model), f->clause, sizeof f->clause))
      return;
  }
  char at[256];
  say_point(s, at, sizeof at);
  snprintf(f->clause, sizeof f->clause, "the value is not finite at %s", at);
}

static void explain_derivative(const fault_search *s, int constraint, int column, fault *f) {
  const rattle_problem *problem = s->problem;
  int pair = column % problem->n;
  char at[256];
  f->found = 1;
  f->constraint = constraint;
  say_point(s, at, sizeof at);
  const char *name = rattle__problem_coordinate_name(problem, pair);
  if (problem->model && column >= problem->n && pair < problem->model->n)
    name = problem->model->pair[pair].momentum;
  if (name && (problem->model || column < problem->n))
    snprintf(f->clause, sizeof f->clause, "the derivative by %s is not finite at %s", name, at);
  else
    snprintf(f->clause, sizeof f->clause, "the derivative by %s of pair %d is not finite at %s",
             column < problem->n ? "the coordinate" : "the momentum", pair, at);
}

/* Friction as u/|u| has no value at rest. */
static void find_sign(const fault_search *s, int force, fault *f) {
  rattle__friction of;
  const rattle_model *model = s->problem->model;
  f->sign[0] = 0;
  if (rattle__model_friction(model, force, &of) &&
      rattle_expr_op(model->graph, of.seam) == RATTLE_OP_DIV &&
      rattle__friction_side(model, &of, s->x) == 0)
    rattle__friction_name(model, &of, f->sign, sizeof f->sign);
}

/* The forces of a model: the first that is not finite. */
static int find_fault_of_forces(const fault_search *s, fault *f) {
  const rattle_model *model = s->problem->model;
  for (int i = 0; model && i < model->applieds; i++) {
    const rattle__applied *own = &model->applied[i];
    if (!rattle__domain_fault(model->graph, own->expr, s->x, names_of(model), f->clause,
                              sizeof f->clause))
      continue;
    f->found = 1;
    f->constraint = -1;
    f->pushed = model->pair[own->pair].name;
    find_sign(s, i, f);
    return 1;
  }
  return 0;
}

/* At s->z: values first, then first derivatives. A nonzero answer of a callback is no fault of the
 * domain. */
static void find_fault(fault_search *s, fault *f) {
  const rattle__function *H = s->problem->H, *g = s->problem->g;
  int n = s->problem->n, bad;
  *f = (fault){0};
  for (int k = 0; k < n; k++) {
    s->x[2 * k] = s->z[k];
    s->x[2 * k + 1] = s->z[n + k];
  }
  if (!H->value(H, s->z, s->value, s->work) && !isfinite(s->value[0])) {
    explain_value(s, -1, f);
    return;
  }
  if (find_fault_of_forces(s, f)) return;
  if (g && !g->value(g, s->z, s->value, s->work) && (bad = first_bad(s->value, g->rows)) >= 0) {
    explain_value(s, bad, f);
    return;
  }
  if (!H->jacobian(H, s->z, s->value, s->J, s->work) && (bad = first_bad(s->J, H->jac_nnz)) >= 0) {
    explain_derivative(s, -1, H->jac_col[bad], f);
    return;
  }
  if (g && !g->jacobian(g, s->z, s->value, s->J, s->work) &&
      (bad = first_bad(s->J, g->jac_nnz)) >= 0) {
    int row = 0;
    while (g->jac_ptr[row + 1] <= bad) row++;
    explain_derivative(s, row, g->jac_col[bad], f);
  }
}

/* With z's own bad entries set aside, if there are any. */
static void find_fault_of_functions(fault_search *s, const double *z, fault *f) {
  static const double aside[2] = {0.7390851332151607, 1.618033988749895};
  int nz = 2 * s->problem->n, whole = first_bad(z, nz) < 0;
  fault again;
  for (int i = 0; i < nz; i++) s->z[i] = isfinite(z[i]) ? z[i] : aside[0];
  find_fault(s, f);
  if (whole || !f->found) return;
  for (int i = 0; i < nz; i++) s->z[i] = isfinite(z[i]) ? z[i] : aside[1];
  find_fault(s, &again);
  int same = again.found && again.constraint == f->constraint;
  for (int i = 0; same && i < CLAUSE && f->clause[i]; i++) same = f->clause[i] == again.clause[i];
  f->found = same;
}

static rattle_status report(const rattle_problem *problem, const fault *f, rattle_error *error) {
  const char *advice = "use a smaller step or another start";
  if (f->pushed && f->sign[0])
    return rattle__fail(error, RATTLE_DOMAIN, f->pushed,
                        "the force on '%s' has no value at rest: %s: write it by sign(%s), which "
                        "is 0 there",
                        f->pushed, f->clause, f->sign);
  if (f->pushed)
    return rattle__fail(error, RATTLE_DOMAIN, f->pushed,
                        "the force on '%s' left its domain: %s: %s", f->pushed, f->clause, advice);
  if (f->constraint < 0)
    return rattle__fail(error, RATTLE_DOMAIN, "H", "the Hamiltonian left its domain: %s: %s",
                        f->clause, advice);
  const char *name = rattle_problem_constraint_name(problem, f->constraint);
  if (!name) name = "?";
  rattle__fail(error, RATTLE_DOMAIN, name, "constraint '%s' left its domain: %s: %s", name,
               f->clause, advice);
  if (error) error->constraint = f->constraint;
  return RATTLE_DOMAIN;
}

rattle_status rattle__domain_error(const rattle_problem *problem, const double *z,
                                   rattle_error *error) {
  const rattle__function *H = problem->H, *g = problem->g;
  size_t nz = 2 * (size_t)problem->n, values = (size_t)problem->m + 1, J = (size_t)H->jac_nnz,
         work = H->work;
  if (g && (size_t)g->jac_nnz > J) J = (size_t)g->jac_nnz;
  if (g && g->work > work) work = g->work;
  /* s_i of fibres and h of flows are variables of the graph too */
  double *room = calloc(nz + (nz + values) + values + J + work, sizeof *room);
  fault *f = malloc(sizeof *f);
  rattle_status status = room && f ? RATTLE_OK : rattle__no_memory(error);
  if (!status) {
    fault_search s = {.problem = problem, .shown = z, .z = room, .x = room + nz};
    s.value = s.x + nz + values;
    s.J = s.value + values;
    s.work = s.J + J;
    find_fault_of_functions(&s, z, f);
    if (f->found) status = report(problem, f, error);
  }
  free(f);
  free(room);
  return status;
}

rattle_status rattle__observable_error(const rattle_problem *problem, int which, const double *z,
                                       rattle_error *error) {
  const rattle_model *model = problem->model;
  const char *name = rattle_model_observable_name(model, which);
  char clause[CLAUSE] = "";
  double *x = calloc(2 * (size_t)problem->n + (size_t)problem->m + 1, sizeof *x);
  if (!x) return rattle__no_memory(error);
  for (int k = 0; k < problem->n; k++) x[2 * k] = z[k], x[2 * k + 1] = z[problem->n + k];
  const int found = rattle__domain_fault(model->graph, model->observable[which].expr, x,
                                         names_of(model), clause, sizeof clause);
  free(x);
  return rattle__fail(error, RATTLE_DOMAIN, name,
                      "the observed quantity '%s' left its domain: %s: use a smaller step or "
                      "observe another quantity",
                      name, found ? clause : "it is not finite");
}
