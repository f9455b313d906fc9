/* A consistent start: the model's values, momenta from velocities, regularity, then a check or a
 * projection.
 *
 * Symbols: z = (q, p) [2n]; J = g'(z); X = X_H; psi = J X. A residual counts as 0 up to 1e-12 times
 * what its terms could be: sum_k |J_ik| times the largest |z_k| of the constraint (1e-16 of the
 * largest of all; of psi, also of the velocity of speed.c). */
#include "constraint/equation/unit.h"
#include "constraint/guard/rules/rules.h"
#include "ground/expr/round_off.h"
#include "runs/start/start.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ground/support/error.h"
#include "problem/model/model.h"
#include "problem/dirac/dirac.h"

static const double tolerance = RATTLE__START_NEAR, tolerance_of_all = RATTLE__START_ALL;

static rattle_status gradient_at(rattle__start *s, double *H, rattle_error *error) {
  const rattle__function *f = s->problem->H;
  int answer = f->jacobian(f, s->z, H, s->gradient, s->work);
  return rattle__answer(answer, "Hamiltonian", error);
}

static int first_bad(const double *x, int count) {
  for (int i = 0; i < count; i++)
    if (!isfinite(x[i])) return i;
  return -1;
}

/* Refuses a start that is not finite. */
static rattle_status check_finite(const rattle__start *s, rattle_error *error) {
  int bad = first_bad(s->z, 2 * s->n);
  if (bad < 0) return RATTLE_OK;
  const char *name = rattle__start_coordinate(s, bad % s->n);
  return rattle__fail(error, s->problem->model ? RATTLE_BAD_MODEL : RATTLE_BAD_ARGUMENT, name,
                      "the start of %s'%s' is %g: give a finite value",
                      bad < s->n ? "" : "the momentum of ", name, s->z[bad]);
}

/* The values that the model gives; of callbacks, the caller's. */
static rattle_status values(rattle__start *s, const double *q, const double *p,
                            rattle_error *error) {
  const rattle_model *model = s->problem->model;
  for (int k = 0; k < s->n; k++) {
    s->z[k] = model ? model->pair[k].q : q[k];
    s->z[s->n + k] = model ? model->pair[k].p : p[k];
  }
  return check_finite(s, error);
}

/* H, g and their first derivatives must be there. */
static rattle_status in_domain(rattle__start *s, rattle_error *error) {
  double H;
  rattle_status status = gradient_at(s, &H, error);
  int bad = !status && (!isfinite(H) || first_bad(s->gradient, 2 * s->n) >= 0);
  if (!status && s->m) status = rattle__start_constraints(s, error);
  if (status) return status;
  if (s->m) bad |= first_bad(s->g, s->m) >= 0 || first_bad(s->J, s->problem->g->jac_nnz) >= 0;
  if (!bad) return RATTLE_OK;
  status = rattle__domain_error(s->problem, s->z, error);
  return status ? status
                : rattle__fail(error, RATTLE_DOMAIN, NULL,
                               "H or its gradient is not finite at the start");
}

/* The constraint whose residual is largest in units of its size, if it is larger than 1; else
 * -1. */
static int worst_of(const rattle__start *s, const double *residual) {
  double most = 1;
  int worst = -1;
  for (int i = 0; i < s->m; i++) {
    double r = fabs(residual[i]) / s->size[i];
    if (r > most) {
      most = r;
      worst = i;
    }
  }
  return worst;
}

static double row_norm(const rattle__start *s, int i) {
  const int *ptr = s->problem->g->jac_ptr;
  double sum = 0;
  for (int k = ptr[i]; k < ptr[i + 1]; k++) sum += s->J[k] * s->J[k];
  return sqrt(sum);
}

static rattle_status off(const rattle__start *s, int worst, int hidden, const double *residual,
                         rattle_error *error) {
  const char *name = rattle__start_constraint(s, worst),
             *remedy = "or project it: --project, or start{..., project=true}";
  if (hidden)
    rattle__fail(error, RATTLE_OFF_CONSTRAINTS, name,
                 "the start violates the hidden constraint of '%s': {g,H} is %.6g and must be 0; "
                 "correct the momenta, %s",
                 name, residual[worst], remedy);
  else
    rattle__fail(error, RATTLE_OFF_CONSTRAINTS, name,
                 "the start violates constraint '%s': its value is %.6g and must be 0 (distance "
                 "about %.2g); correct the start, %s",
                 name, residual[worst], fabs(residual[worst]) / row_norm(s, worst), remedy);
  if (error) {
    error->constraint = worst;
    error->residual = fabs(residual[worst]) / s->size[worst] * (tolerance / DBL_EPSILON);
  }
  return RATTLE_OFF_CONSTRAINTS;
}

/* rhs <- psi, size <- the unit in which it is small; J and the gradient are those of z, which
 * becomes X_H. */
static void rates(rattle__start *s) {
  const rattle__function *g = s->problem->g;
  double *X = s->gradient;
  for (int i = 0; i < s->n; i++) {
    double force = X[i];
    X[i] = X[s->n + i];
    X[s->n + i] = -force;
  }
  rattle__start_sizes_of(s, X, tolerance, tolerance_of_all);
  for (int i = 0; i < s->m; i++) {
    s->rhs[i] = 0;
    for (int k = g->jac_ptr[i]; k < g->jac_ptr[i + 1]; k++) s->rhs[i] += s->J[k] * X[g->jac_col[k]];
  }
}

/* Gives the sizes of psi a floor, below which there is no motion. */
static void allow_rest(rattle__start *s) {
  const int *ptr = s->problem->g->jac_ptr, *col = s->problem->g->jac_col;
  const double rest = tolerance_of_all * rattle__start_speed(s);
  for (int i = 0; i < s->m; i++)
    for (int k = ptr[i]; k < ptr[i + 1]; k++)
      if (col[k] < s->n) s->size[i] += rest * fabs(s->J[k]);
}

/* The worst of the residuals, or -1: of those that are not small by their size, some may be what
 * rounding makes of terms that cancel inside g or H_p (constraint/equation/unit.h), or, in psi, of
 * momenta computed from the largest of them, as p cos(pi/2). */
static int worst_residual(rattle__start *s, const double *residual, int hidden) {
  const double generous = RATTLE__ENOUGH;
  int worst = worst_of(s, residual);
  if (worst >= 0 && hidden) {
    allow_rest(s);
    worst = worst_of(s, residual);
  }
  if (worst < 0) return worst;
  rattle__context context = {.problem = s->problem, .solver = "none"};
  rattle__unit *unit = rattle__unit_create(&context);
  double *bound = rattle__arena_doubles(&context.arena, (size_t)s->m),
         *from = rattle__arena_doubles(&context.arena, 2 * (size_t)s->n);
  if (from) memcpy(from, s->z, (size_t)(hidden ? s->n : 2 * s->n) * sizeof *from);
  if (unit && bound && from && !rattle__unit_of_move(unit, from, s->z, NULL) &&
      !(hidden ? rattle__unit_of_psi : rattle__unit_of_g)(unit, s->z, bound, NULL)) {
    for (int i = 0; i < s->m; i++) s->size[i] = fmax(s->size[i], generous * bound[i]);
    worst = worst_of(s, residual);
  }
  rattle__arena_release(&context.arena);
  return worst;
}

/* g = 0 and psi = 0? J and the gradient are those of z. */
static rattle_status on_constraints(rattle__start *s, rattle_error *error) {
  rattle__start_sizes_of(s, s->z, tolerance, tolerance_of_all);
  int worst = worst_residual(s, s->g, 0);
  if (worst >= 0) return off(s, worst, 0, s->g, error);
  if (s->problem->split) return RATTLE_OK; /* no hidden constraints */
  rates(s);
  worst = worst_residual(s, s->rhs, 1);
  return worst >= 0 ? off(s, worst, 1, s->rhs, error) : RATTLE_OK;
}

/* Why the model may not be integrated from z, whatever its momenta on psi = 0 are. */
static rattle_status judge(rattle__start *s, rattle_error *error) {
  const rattle_model *model = s->problem->model;
  rattle_error why = {0};
  rattle_status status = rattle__start_regular(s, error);
  if (status == RATTLE_NOT_REGULAR && s->no_reasons) return status;
  if (status == RATTLE_NOT_REGULAR && model && rattle__dirac_offered(model)) {
    const rattle_status other = rattle__dirac_ask_redundant(model, s->z, s->z + s->n, &why);
    if (other && error) *error = why;
    return other ? other : status;
  }
  if (!status) status = rattle__start_integrable(s, error);
  return status || s->problem->split ? status : rattle__start_coisotropic(s, error);
}

/* Puts z onto g = 0, and judges it there: far away gradients of constraints that differ may hardly
 * do so. If the projection fails the reason may be a fault of the place that it began from, which
 * is judged then. */
static rattle_status place(rattle__start *s, rattle_error *error) {
  rattle_error why = {0};
  memcpy(s->raw, s->z, 2 * (size_t)s->n * sizeof *s->z);
  const rattle_status moved = rattle__start_onto_constraints(s, &why);
  if (!moved) return judge(s, error);
  memcpy(s->z, s->raw, 2 * (size_t)s->n * sizeof *s->z);
  rattle_status status = rattle__start_constraints(s, error);
  if (!status && moved != RATTLE_NO_MEMORY) status = judge(s, error);
  if (!status && error) *error = why;
  return status ? status : moved;
}

/* Tests z as it is. If gradients depend on one another off g = 0 but not at the end of a
 * projection, the only fault is being off. */
static rattle_status test(rattle__start *s, rattle_error *error) {
  rattle_error why = {0}, off = {0};
  rattle_status status = judge(s, &why);
  if (!status) return on_constraints(s, error);
  if (status == RATTLE_NOT_REGULAR && on_constraints(s, &off) == RATTLE_OFF_CONSTRAINTS &&
      !place(s, NULL)) {
    why = off;
    status = RATTLE_OFF_CONSTRAINTS;
  }
  if (error) *error = why;
  return status;
}

/* Positions first if g = g(q): momenta are then those of the velocities there. */
static rattle_status project_all(rattle__start *s, rattle_error *error) {
  const int holonomic = s->problem->flags & RATTLE_HOLONOMIC;
  rattle_status status = place(s, error);
  if (!status && holonomic) status = rattle__start_momenta(s, error);
  if (!status && !s->problem->split) status = rattle__start_onto_hidden(s, error);
  if (!status) status = in_domain(s, error);
  return status || holonomic ? status : rattle__start_regular(s, error);
}

double rattle__start_distance(const double *x, const double *y, int count) {
  double largest = 0, sum = 0;
  for (int i = 0; i < count; i++) largest = fmax(largest, fabs(x[i] - y[i]));
  for (int i = 0; i < count && largest > 0; i++)
    sum += (x[i] - y[i]) / largest * ((x[i] - y[i]) / largest);
  return largest * sqrt(sum);
}

rattle_status rattle__start_look(rattle__start *s, double *q, double *p,
                                 rattle__start_residuals *look, rattle_error *error) {
  *look = (rattle__start_residuals){.on_constraints = 1, .on_hidden = 1};
  rattle_status status = values(s, q, p, error);
  if (!status) status = rattle__start_momenta(s, error);
  if (status) return status;
  memcpy(q, s->z, (size_t)s->n * sizeof *q);
  memcpy(p, s->z + s->n, (size_t)s->n * sizeof *p);
  status = in_domain(s, error);
  if (status || !s->m) return status;
  for (int i = 0; i < s->m; i++) look->g = fmax(look->g, fabs(s->g[i]));
  rattle__start_sizes_of(s, s->z, tolerance, tolerance_of_all);
  look->on_constraints = worst_residual(s, s->g, 0) < 0;
  if (s->problem->split) return RATTLE_OK; /* no hidden constraints */
  rates(s);
  for (int i = 0; i < s->m; i++) look->psi = fmax(look->psi, fabs(s->rhs[i]));
  look->on_hidden = worst_residual(s, s->rhs, 1) < 0;
  return RATTLE_OK;
}

/* Asks Dirac's algorithm for its objections to the model: for a singular N, for the reason; for
 * other models if H is not natural, since numbers at one point may miss an objection, and the model
 * is small enough that a run need not wait. */
static rattle_status ask_dirac(const rattle__start *s, const rattle__dirac *dirac, int singular,
                               rattle_error *error) {
  enum { PAIRS = 32 };
  const rattle_problem *problem = s->problem;
  if (!problem->model || problem->split || (rattle__is_natural_holonomic(problem) && !singular))
    return RATTLE_OK;
  if (dirac) return rattle__dirac_refuse(dirac, error);
  if (!rattle__dirac_offered(problem->model) || (s->n > PAIRS && !singular)) return RATTLE_OK;
  return rattle__dirac_ask(problem->model, s->z, s->z + s->n, error);
}

rattle_status rattle__start_settle(rattle__start *s, const rattle__dirac *dirac, int project,
                                   rattle_error *error) {
  rattle_error why = {0};
  rattle_status status = project ? project_all(s, error) : test(s, error);
  if (status) return status;
  status = rattle__start_nondegenerate(s, &why);
  rattle_status reason = status && status != RATTLE_SINGULAR
                             ? RATTLE_OK
                             : ask_dirac(s, dirac, status == RATTLE_SINGULAR, error);
  if (status && !reason && error) *error = why;
  return reason ? reason : status;
}

/* A part without mass that does not move though it should: what is done with it is no motion of the
 * model. */
static rattle_status refuse_nailed(const rattle__start *s, rattle_error *error) {
  const int k = s->problem->nailed;
  if (k < 0) return RATTLE_OK;
  const char *name = rattle__start_coordinate(s, k);
  return rattle__fail(error, RATTLE_NOT_REGULAR, name, RATTLE__NAILED, name);
}

/* Angles that count turns are measured from multiples of pi: another number, as 1 for a turn, would
 * be taken as the nearest one without a word. */
static rattle_status check_turns(rattle__start *s, int wanted, rattle_error *error) {
  static const double pi = 3.14159265358979323846;
  const rattle_model *model = s->problem->model;
  for (int i = 0; model && i < model->turnings; i++) {
    double *r = &s->z[model->turning[i].pair];
    const double nearest = pi * round(*r / pi);
    const char *name = rattle__start_coordinate(s, model->turning[i].pair);
    if (!wanted && !rattle__is_round_off(*r - nearest, DBL_EPSILON * fabs(*r)))
      return rattle__fail(error, RATTLE_BAD_MODEL, name,
                          "the start of '%s' is %.17g: an angle that counts turns is measured from "
                          "a multiple of pi, 2*pi for each turn; the nearest one is %.17g",
                          name, *r, nearest);
    if (wanted) *r = nearest;
  }
  return RATTLE_OK;
}

/* q, p: the start as given to rattle_problem_start; on return the one that the run has. */
static rattle_status settle_from(rattle__start *s, int project, double *q, double *p, double *moved,
                                 rattle_error *error) {
  const rattle_problem *problem = s->problem;
  const int n = s->n;
  rattle_status status = rattle__start_momenta(s, error);
  memcpy(q, s->z, (size_t)n * sizeof *q);
  memcpy(p, s->z + n, (size_t)n * sizeof *p);
  if (!status) status = in_domain(s, error);
  const int wanted = project || (problem->model && problem->model->wishes.project);
  if (!status) status = check_turns(s, wanted, error);
  if (!status && s->m) status = rattle__start_settle(s, NULL, wanted, error);
  if (!status && problem->velocity) status = rattle__start_velocities(s, wanted, error);
  if (!status || status == RATTLE_OFF_CONSTRAINTS) {
    const rattle_status never = refuse_nailed(s, error);
    status = never ? never : status;
  }
  if (status) return status;
  if (problem->clock)
    s->z[n + problem->clock - 1] = p[problem->clock - 1]; /* nothing has been supplied yet */
  if (moved) {
    moved[0] = rattle__start_distance(q, s->z, n);
    moved[1] = rattle__start_distance(p, s->z + n, n);
  }
  memcpy(q, s->z, (size_t)n * sizeof *q);
  memcpy(p, s->z + n, (size_t)n * sizeof *p);
  return RATTLE_OK;
}

static rattle_status settle_values(rattle__start *s, int project, double *q, double *p,
                                   double *moved, rattle_error *error) {
  const rattle_status status = values(s, q, p, error);
  memcpy(q, s->z, (size_t)s->n * sizeof *q);
  memcpy(p, s->z + s->n, (size_t)s->n * sizeof *p);
  return status ? status : settle_from(s, project, q, p, moved, error);
}

rattle_status rattle_problem_start(const rattle_problem *problem, int project, double *q, double *p,
                                   double *moved, rattle_error *error) {
  rattle__start s;
  rattle_status status = rattle__start_create(&s, problem, error);
  if (!status) status = settle_values(&s, project, q, p, moved, error);
  rattle__start_destroy(&s);
  return status;
}

int rattle__start_is_good(const rattle_problem *problem) {
  rattle__start s;
  rattle_status status = rattle__start_create(&s, problem, NULL);
  double *q = status ? NULL : calloc(2 * (size_t)s.n, sizeof *q);
  s.no_reasons = 1;
  if (q) status = settle_values(&s, 0, q, q + s.n, NULL, NULL);
  rattle__start_destroy(&s);
  free(q);
  return q && !status;
}

rattle_status rattle__start_from(rattle__start *s, int project, double *q, double *p,
                                 rattle_error *error) {
  const rattle_model *model = s->problem->model;
  const int n = s->n;
  memcpy(s->given, p, (size_t)n * sizeof *p);
  s->momenta = s->given;
  for (int k = 0; k < n; k++) {
    s->z[k] = isnan(q[k]) && model ? model->pair[k].q : q[k];
    s->z[n + k] = isnan(p[k]) && model ? model->pair[k].p : p[k];
  }
  const rattle_status status = check_finite(s, error);
  return status ? status : settle_from(s, project, q, p, NULL, error);
}
