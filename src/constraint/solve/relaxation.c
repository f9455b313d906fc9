/* solver=sweep and solver=andersen: sweeps until the residual is at round-off.
 *
 * Positions  the SHAKE iteration (Ryckaert, Ciccotti, Berendsen 1977): one constraint after the
 *            other, q -= M^-1 G_i(q0)^T g_i(q)/R_i
 * Momenta    the same for G M^-1 p = 0
 * Andersen   the same with the rows of distances.c: pair updates along the old bond
 * Ends       at round-off; or where the residual is within a few hundred units of it and did not
 *            halve in twice the number of sweeps that it ever took to halve before; or where it did
 *            not in PATIENCE and four times that number, and is at round-off in the units of
 *            constraint/equation/unit.h
 * Fails      after MOST sweeps, with their rate of convergence in the message; where R_i vanishes
 *            (a bond turned by a right angle in one step)
 */
#include "problem/functions/distances.h"
#include "constraint/equation/iterate.h"
#include "constraint/solve/momenta_linear.h"
#include "constraint/solve/relaxation.h"

#include <math.h>
#include <string.h>

#include "ground/linear/rows.h"
#include "ground/linear/gauss_seidel.h"
#include "method/notation/row.h"

enum { MOST = 10000, PATIENCE = 100 };

struct rattle__relaxation {
  rattle__context *context;
  rattle__gauss_seidel sweep;
  double tol;
  double *sum, *room, *least, *cheap; /* [m], [n], [n]; the units before they were raised [m] */
};

/* How a residual falls: its value when it last halved, sweeps since then, and the most that a
 * halving took; whether its units were raised. */
typedef struct pace {
  double mark;
  int since, slowest, raised;
} pace;

static int stagnates(const pace *p) {
  return p->since > 2 * p->slowest + 2;
}

static rattle__verdict judge(pace *p, double r, int sweeps, double tol) {
  if (r <= 1 || r <= tol) return RATTLE__DONE;
  if (!(r < 1e300) || sweeps >= MOST) return RATTLE__GIVE_UP;
  p->since++;
  if (r <= 0.5 * p->mark) {
    if (p->since > p->slowest) p->slowest = p->since;
    p->mark = r;
    p->since = 0;
  }
  return r < RATTLE__ENOUGH && stagnates(p) ? RATTLE__DONE : RATTLE__GO_ON;
}

/* Why the sweeps at z ended with residual r. J0, B0: where the rate is taken. */
static rattle_status failed(rattle__relaxation *s, double r, int sweeps, const double *J0,
                            const double *B0, const double *z, rattle_error *error) {
  const rattle_problem *problem = s->context->problem;
  int worst = s->sweep.worst;
  if (s->sweep.answer) return rattle__callback_error(s->sweep.answer, "constraint", error);
  if (s->sweep.singular)
    return rattle__singular_equations(problem, "the equations of the sweep", worst, error);
  if (!(r < 1e300)) {
    const rattle__course c = {.k = sweeps, .worst = worst, .residual = r};
    return rattle__not_converged(problem, "the equations of the sweep", &c, &z, 1, error);
  }
  const char *name = rattle_problem_constraint_name(problem, worst);
  double rate = rattle__gauss_seidel_rate(&s->sweep, J0, B0, s->cheap, s->room);
  if (rate > 0.9)
    rattle__fail(error, RATTLE_NOT_CONVERGED, name,
                 "constraint '%s' did not converge in %d sweeps (residual %.3g times round-off): "
                 "each sweep reduces the error by "
                 "a factor of only %.6g here; use solver=newton",
                 name, sweeps, r, rate);
  else
    rattle__fail(error, RATTLE_NOT_CONVERGED, name,
                 "constraint '%s' did not converge in %d sweeps (residual %.3g times round-off), "
                 "although each sweep reduces "
                 "small errors by a factor of %.3g here: use a smaller step",
                 name, sweeps, r, rate);
  if (error) {
    error->constraint = worst;
    error->iterations = sweeps;
    error->residual = r;
  }
  return RATTLE_NOT_CONVERGED;
}

/* The residual of the last sweep in the units of s. */
static double residual_of(const rattle__relaxation *s) {
  double most = 0;
  for (int i = 0; i < s->sweep.g->rows; i++)
    most = fmax(most, fabs(s->sweep.value[i]) * s->sweep.inverse_floor[i]);
  return most;
}

/* Sets p->raised if residuals that stagnate are at round-off in full units (iterate.h); else the
 * cheap ones are in force again. */
static rattle_status try_units(rattle__relaxation *s, const rattle__relaxation_start *start,
                               pace *p, double *r, rattle_error *error) {
  const size_t bytes = (size_t)s->sweep.g->rows * sizeof(double);
  memcpy(s->cheap, s->sweep.inverse_floor, bytes);
  rattle_status status = start->raise(start->self, s->sweep.inverse_floor, error);
  if (!status) rattle__gauss_seidel_spread(&s->sweep, start->B0, s->room);
  p->raised = !status && residual_of(s) < RATTLE__ENOUGH_OF_ALL;
  if (p->raised)
    *r = residual_of(s);
  else
    memcpy(s->sweep.inverse_floor, s->cheap, bytes);
  p->since = 0;
  return status;
}

rattle_status rattle__relaxation_positions(rattle__relaxation *s,
                                           const rattle__relaxation_start *start, double *z1,
                                           double *lambda, rattle__course *course,
                                           rattle_error *error) {
  rattle_counts *counts = &s->context->counts;
  size_t bytes = (size_t)s->sweep.g->rows * sizeof(double);
  double r, first = INFINITY;
  pace p = {.mark = INFINITY, .slowest = 1};
  memset(s->sum, 0, bytes);
  memset(lambda, 0, bytes);
  s->sweep.least = start->least;
  for (int k = 1;; k++) {
    rattle_status status = rattle__heed(s->context, error);
    if (!status && start->again && k > 1) status = start->again(start->self, error);
    if (status) return status;
    r = rattle__gauss_seidel_positions(&s->sweep, k == 1 ? start->q0 : NULL, start->B0, z1, s->sum);
    if (k == 1) first = r;
    counts->newton_iterations++;
    counts->constraint++;
    counts->jacobian++;
    for (int i = 0; i < s->sweep.g->rows; i++) lambda[i] = s->sum[i] / start->scale;
    rattle__verdict verdict = judge(&p, r, k, s->tol);
    if (verdict == RATTLE__GO_ON && p.since > PATIENCE + 4 * p.slowest) {
      status = try_units(s, start, &p, &r, error);
      if (status) return status;
      if (p.raised) break;
    }
    if (verdict == RATTLE__DONE) break;
    if (verdict != RATTLE__GIVE_UP) continue;
    course->doubtful = !(r < first);
    return failed(s, r, k, start->J0, start->B0, z1, error);
  }
  course->residual = r;
  course->doubtful = 0;
  return RATTLE_OK;
}

rattle_status rattle__relaxation_momenta(rattle__relaxation *s, const rattle__momenta *of,
                                         const double *J, const double *B, double *z,
                                         double *largest, rattle_error *error) {
  const int n = s->context->problem->n;
  double *momenta = z + n;
  rattle__least_momenta(of, s->sweep.g->vars, momenta, s->least);
  s->sweep.least = s->least;
  pace p = {.mark = INFINITY, .slowest = 1};
  for (int k = 1;; k++) {
    const rattle_status status = rattle__heed(s->context, error);
    if (status) return status;
    const double r = rattle__gauss_seidel_momenta(&s->sweep, k == 1, J, B, momenta);
    s->context->counts.newton_iterations++;
    rattle__verdict verdict = judge(&p, r, k, 0);
    if (verdict == RATTLE__DONE) break;
    if (verdict == RATTLE__GIVE_UP) return failed(s, r, k, J, B, z, error);
  }
  *largest = 0;
  for (int i = 0; i < s->sweep.g->rows; i++) *largest = fmax(*largest, fabs(s->sweep.value[i]));
  return RATTLE_OK;
}

static rattle_status refuse(const rattle_problem *problem, int r, rattle_error *error) {
  const char *name = rattle_problem_constraint_name(problem, r);
  rattle__fail(error, RATTLE_UNSUITABLE, name,
               "solver=andersen needs distance constraints, |q_i - q_j|^2 = d^2, and constraint "
               "'%s' is not recognised as one: "
               "use solver=sweep or solver=newton",
               name);
  if (error) error->constraint = r;
  return RATTLE_UNSUITABLE;
}

/* Evaluates all rows for each, if rows are not available one by one (callbacks). */
static int whole(const rattle__function *f, int r, const double *x, double *F, double *J,
                 double *work) {
  (void)r;
  return f->jacobian(f, x, F, J, work);
}

static rattle_status create(rattle__relaxation **relaxation, rattle__context *context, int andersen,
                            double tol, rattle_error *error) {
  const rattle__function *g = context->problem->g;
  rattle__arena *arena = &context->arena;
  rattle__relaxation *s = rattle__arena_take(arena, sizeof *s);
  rattle__function *with_rows = rattle__arena_take(arena, sizeof *with_rows);
  if (!s || !with_rows) return rattle__no_memory(error);
  if (andersen) {
    const rattle__distances *bonds;
    int unlike;
    const rattle_status status = rattle__distances_create(&bonds, g, arena, &unlike, error);
    if (status)
      return status == RATTLE_UNSUITABLE ? refuse(context->problem, unlike, error) : status;
    g = &bonds->f;
  } else if (!g->row) {
    *with_rows = *g;
    with_rows->row = whole;
    g = with_rows;
  }
  *s = (rattle__relaxation){.context = context, .tol = tol, .sweep.g = g};
  size_t m = (size_t)g->rows, n = (size_t)g->vars;
  const rattle__array array[] = {{&s->sweep.value, m},
                                 {&s->sweep.inverse_floor, m},
                                 {&s->sweep.J, (size_t)g->jac_nnz},
                                 {&s->sweep.work, g->work},
                                 {&s->sum, m},
                                 {&s->room, n},
                                 {&s->least, n},
                                 {&s->cheap, m}};
  RATTLE__LAY_OUT(arena, array);
  *relaxation = s;
  return arena->failed ? rattle__no_memory(error) : RATTLE_OK;
}

static rattle_status create_sweep(rattle__relaxation **relaxation, rattle__context *context,
                                  double tol, rattle_error *error) {
  return create(relaxation, context, 0, tol, error);
}

static rattle_status create_andersen(rattle__relaxation **relaxation, rattle__context *context,
                                     double tol, rattle_error *error) {
  return create(relaxation, context, 1, tol, error);
}

const rattle__solver rattle__solver_sweep = {.sweeps = create_sweep},
                     rattle__solver_andersen = {.sweeps = create_andersen};
