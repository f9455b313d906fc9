/* The impulse with which constraints begin.
 *
 * Law     p+ = p- - G^T Lambda, G = g' by q. Constraints that hold keep psi = 0. A one-sided one
 *         that is at 0 and closes, psi_k(p-) < 0, or that holds, has, with the restitution e_k,
 *             w_k = psi_k(p+) + e_k psi_k(p-) >= 0,   Lambda_k <= 0,   w_k Lambda_k = 0:
 *         Newton's law of impact for all that meet (J. J. Moreau, Unilateral contact and dry
 *         friction in finite freedom dynamics (1988); D. E. Stewart, Rigid-body dynamics with
 *         friction and impact, SIAM Review 42 (2000) 3). N is positive definite: one solution. The
 *         energy changes by the sum of -(1 - e_k) Lambda_k psi_k(p-)/2, which is at most 0. With
 *         e = 0 p+ is the projection of p- onto {psi >= 0} in the metric of the kinetic energy
 * Method  those that push are at first those that held and the one that begins; then the first that
 *         is wrong changes, until none is (K. G. Murty, Note on a Bard-type scheme for solving the
 *         complementarity problem, Opsearch 11 (1974) 123), which ends where N is positive
 *         definite. psi is affine in p for kinetic energies that are quadratic; of others Newton's
 *         method, until psi no longer falls
 * Symbols N_ij = {{H,g_i},g_j}; Lambda the sum of the solutions
 * Rest    a constraint that is left with the speed v under the acceleration a towards it rises by
 *         v^2/(2a): if that is round-off of g, it is none, and the constraint holds (contacts.c).
 *         So sequences of impacts that accumulate, of one constraint or among several, end */
#include <float.h>
#include <math.h>
#include <string.h>

#include "ground/expr/round_off.h"
#include "ground/support/error.h"
#include "ground/support/largest.h"
#include "runs/integrate/switches_state.h"

static int row_of(const rattle__switches *s, int i) {
  return s->row[s->first_row[i]];
}

/* psi - target at z, N ready to be solved with. */
static rattle_status defect(rattle__switches *s, const double *z, double *most,
                            rattle_error *error) {
  rattle__probe_place(s->probe, z, z + s->n);
  const rattle_status status = rattle__probe_residuals(s->probe, NULL, s->psi, error);
  for (int i = 0; i < s->m; i++) s->psi[i] -= s->target[i];
  *most = rattle__largest(s->psi, s->m);
  return status;
}

static rattle_status dependent(const rattle__switches *s, int i, rattle_error *error) {
  return rattle__fail(error, RATTLE_SINGULAR, s->model->change[i].name,
                      "constraints that begin are not independent of the others: the impulse is "
                      "not determined");
}

/* z gets the momenta of that target, switch i being the one that begins; s->lambda [m]: the
 * impulse. */
static rattle_status jump(rattle__switches *s, int i, double *z, rattle_error *error) {
  const rattle__function *g = s->problem->g;
  double most, last = INFINITY;
  memset(s->lambda, 0, (size_t)s->m * sizeof *s->lambda);
  rattle_status status = defect(s, z, &most, error);
  while (!status && most > 0 && most < last) {
    rattle__linear *N;
    status = rattle__switches_matrix(s, &N, error);
    if (!status && N->factor(N)) status = dependent(s, i, error);
    if (status) return status;
    N->solve(N, s->psi);
    memcpy(s->before, z, 2 * (size_t)s->n * sizeof *z);
    for (int row = 0; row < s->m; row++)
      for (int e = g->jac_ptr[row]; e < g->jac_ptr[row + 1]; e++)
        z[s->n + g->jac_col[e]] -= s->probe->J[e] * s->psi[row];
    memcpy(s->zdot, s->psi, (size_t)s->m * sizeof *s->psi);
    last = most;
    status = defect(s, z, &most, error);
    if (status || most < last) /* else the correction is round-off */
      for (int row = 0; row < s->m; row++) s->lambda[row] += s->zdot[row];
    else
      memcpy(z, s->before, 2 * (size_t)s->n * sizeof *z);
  }
  return status;
}

/* Speeds psi at z of the one-sided constraints that take part, as if all of them held. */
static rattle_status speeds(rattle__switches *s, const double *z, double *speed,
                            rattle_error *error) {
  memcpy(s->all, z, 2 * (size_t)s->n * sizeof *z);
  for (int k = 0; k < s->count; k++)
    if (s->takes[k]) rattle__switch_set(s, k, 1, s->all);
  rattle__probe_place(s->probe, s->all, s->all + s->n);
  const rattle_status status = rattle__probe_residuals(s->probe, NULL, s->psi, error);
  for (int k = 0; k < s->count; k++) speed[k] = s->takes[k] ? s->psi[row_of(s, k)] : 0;
  return status;
}

/* Round-off of psi in that row, where the probe has N, by |psi_i| <= (N_ii p H_p)^(1/2). */
static double noise_of(const rattle__switches *s, int row) {
  const rattle__linear *N = s->probe->bracket->N;
  int e = N->ptr[row];
  while (N->col[e] != row) e++;
  return RATTLE__GENEROUS * s->motion * sqrt(fabs(N->value[e]));
}

/* *felt: the impulse is more than round-off: that of a row alone is of the speed
 * Lambda_i N_ii^(1/2). */
static rattle_status is_felt(rattle__switches *s, int *felt, rattle_error *error) {
  rattle__linear *N;
  rattle__probe_place(s->probe, s->try, s->try + s->n);
  const rattle_status status = rattle__switches_matrix(s, &N, error);
  for (int row = 0; row < s->m && !status; row++) {
    const double noise = noise_of(s, row), unit = RATTLE__GENEROUS * s->motion;
    *felt |= fabs(s->lambda[row]) * noise > unit * unit;
  }
  return status;
}

/* True if the constraints that are on at z are independent. */
static rattle_status are_independent(rattle__switches *s, const double *z, int *answer,
                                     rattle_error *error) {
  rattle__linear *N;
  rattle__probe_place(s->probe, z, z + s->n);
  const rattle_status status = rattle__switches_matrix(s, &N, error);
  *answer = !status && !N->factor(N);
  return status;
}

/* Who takes part in an impact of switch i at z, where that is still off: the one-sided constraints
 * that are on, and those that are 0 to round-off and close. */
static rattle_status find_parts(rattle__switches *s, int i, const double *z, rattle_error *error) {
  rattle__linear *N;
  rattle_status status = rattle__switches_round_off(s, z, error);
  if (!status) status = rattle__switches_conditions(s, z, s->values, error);
  for (int k = 0; k < s->count && !status; k++) {
    s->keep[k] = s->pushed[k] = 0, s->share[k] = 0;
    s->takes[k] =
        k == i ? s->model->change[k].rows == 1
               : s->model->change[k].one_sided &&
                     (rattle__switch_is_on(s, k, z) || fabs(s->values[2 * k]) <= s->bound[2 * k]);
  }
  if (!status) status = speeds(s, z, s->speed, error);
  if (!status) status = rattle__switches_matrix(s, &N, error);
  for (int k = 0; k < s->count && !status; k++) {
    if (!s->takes[k]) continue;
    s->noise[k] = noise_of(s, row_of(s, k));
    s->takes[k] = k == i || rattle__switch_is_on(s, k, z) || s->speed[k] < -s->noise[k];
  }
  return status;
}

static double target_of(const rattle__switches *s, int k) {
  const rattle__switch *is = &s->model->change[k];
  return s->keep[k] || (is->one_sided && s->speed[k] > 0) ? 0 : -is->restitution * s->speed[k];
}

/* The first of those that take part for which the impulse, to z from `from`, is wrong: it would
 * pull, or is none and the constraint closes faster than its target; -1: none. */
static rattle_status find_wrong(rattle__switches *s, const double *from, const double *z,
                                int *wrong, rattle_error *error) {
  const double noise = RATTLE__GENEROUS * DBL_EPSILON * s->m * rattle__largest(s->lambda, s->m);
  const rattle_status status = speeds(s, z, s->after, error);
  *wrong = -1;
  for (int k = 0; k < s->count && !status; k++) {
    if (!s->takes[k] || s->keep[k] || !s->model->change[k].one_sided) continue;
    if (rattle__switch_is_on(s, k, from) ? !(s->lambda[row_of(s, k)] > noise)
                                         : !(s->after[k] < target_of(s, k) - s->noise[k]))
      continue;
    *wrong = k;
    return RATTLE_OK;
  }
  return status;
}

/* z: from `from`, after the impulse that solves the complementarity problem. */
static rattle_status complement(rattle__switches *s, int i, double *from, double *z,
                                rattle_error *error) {
  for (int tries = 0; tries < RATTLE__MOST_CHANGES; tries++) {
    int wrong, begins_too;
    memset(s->target, 0, (size_t)s->m * sizeof *s->target);
    for (int k = 0; k < s->count; k++)
      if (s->takes[k] && rattle__switch_is_on(s, k, from))
        s->target[row_of(s, k)] = target_of(s, k);
    memcpy(z, from, 2 * (size_t)s->n * sizeof *z);
    rattle_status status = jump(s, i, z, error);
    if (!status) status = find_wrong(s, from, z, &wrong, error);
    if (status || wrong < 0) return status;
    const int begins = !rattle__switch_is_on(s, wrong, from);
    rattle__switch_set(s, wrong, begins, from);
    if (begins) status = are_independent(s, from, &begins_too, error);
    if (status) return status;
    if (!begins || begins_too) continue;
    rattle__switch_set(s, wrong, 0, from); /* the others leave it no motion of its own */
    s->takes[wrong] = 0;
  }
  return rattle__fail(error, RATTLE_SINGULAR, s->model->change[i].name,
                      "round-off hides which of the constraints that meet push and which do not, "
                      "at an impact of \"%s\": begin with them a little apart",
                      s->model->change[i].name);
}

/* True if a constraint that takes part holds after the impulse. */
static int holds(const rattle__switches *s, int k, const double *from) {
  return s->keep[k] || (rattle__switch_is_on(s, k, from) && s->model->change[k].restitution == 0);
}

/* Those that leave z with a speed of which they come back before they have risen beyond round-off
 * are kept; *more: there are some. */
static rattle_status find_rest(rattle__switches *s, const double *from, const double *z, int *more,
                               rattle_error *error) {
  rattle_status status = RATTLE_OK;
  *more = 0;
  memcpy(s->all, z, 2 * (size_t)s->n * sizeof *z);
  for (int k = 0; k < s->count; k++)
    if (s->takes[k]) rattle__switch_set(s, k, holds(s, k, from), s->all);
  for (int k = 0; k < s->count && !status; k++) {
    int rests;
    if (!s->takes[k] || holds(s, k, from)) continue;
    rattle__switch_set(s, k, 1, s->all);
    status = rattle__switch_rests(s, k, s->after[k], s->all, &rests, error);
    if (!status && rests)
      *more = s->keep[k] = 1;
    else
      rattle__switch_set(s, k, 0, s->all);
  }
  return status;
}

/* Adds up what the impulse that led from `from` has done: *felt, more than round-off. */
static rattle_status tally(rattle__switches *s, const double *from, int *felt,
                           rattle_error *error) {
  for (int k = 0; k < s->count; k++) {
    if (!s->takes[k] || !rattle__switch_is_on(s, k, from)) continue;
    const double push = s->lambda[row_of(s, k)];
    s->share[k] += fabs(push * (s->speed[k] + s->after[k]));
    s->pushed[k] |= push != 0;
  }
  return is_felt(s, felt, error);
}

/* Momenta and constraints after the impact of switch i, which is on at z. Those that are kept stop
 * what the impact has left, so that no energy is gained. */
static rattle_status collide(rattle__switches *s, int i, double *z, int *felt,
                             rattle_error *error) {
  double *from = s->try;
  int more = 1;
  rattle_status status = RATTLE_OK;
  memcpy(from, z, 2 * (size_t)s->n * sizeof *z);
  while (more && !status) {
    status = complement(s, i, from, z, error);
    if (!status) status = tally(s, from, felt, error);
    if (!status) status = find_rest(s, from, z, &more, error);
    if (more) memcpy(from + s->n, z + s->n, (size_t)s->n * sizeof *z);
    for (int k = 0; k < s->count && !status; k++) {
      if (!s->takes[k]) continue;
      rattle__switch_set(s, k, holds(s, k, from), more ? from : z);
      if (more) s->speed[k] = s->after[k];
    }
  }
  return status;
}

/* Values that are held become those at z, where the switch is on. */
static rattle_status hold(rattle__switches *s, int i, double *z, rattle_error *error) {
  const rattle__switch *is = &s->model->change[i];
  if (is->first_at < 0) return RATTLE_OK;
  rattle__probe_place(s->probe, z, z + s->n);
  const rattle_status status = rattle__probe_residuals(s->probe, s->psi, NULL, error);
  for (int r = 0; r < is->rows && !status; r++)
    z[is->first_at + r] += s->psi[s->row[s->first_row[i] + r]];
  return status;
}

/* BAD_ARGUMENT: constraints of i, which is on at z, are not 0 there: off by more than a start may
 * be. */
static rattle_status check_values(rattle__switches *s, int i, const double *z,
                                  rattle_error *error) {
  const rattle__function *g = s->problem->g;
  double all = 0;
  for (int k = 0; k < s->n; k++) all = fmax(all, fabs(z[k]));
  rattle__probe_place(s->probe, z, z + s->n);
  const rattle_status status = rattle__probe_residuals(s->probe, s->lambda, NULL, error);
  for (int r = s->first_row[i]; r < s->first_row[i + 1] && !status; r++) {
    const int row = s->row[r];
    double room = 0;
    for (int e = g->jac_ptr[row]; e < g->jac_ptr[row + 1]; e++)
      room += fabs(s->probe->J[e]) * (RATTLE__START_NEAR / DBL_EPSILON * s->reach[g->jac_col[e]] +
                                      RATTLE__START_ALL * all);
    if (!(fabs(s->lambda[row]) > room)) continue;
    return rattle__fail(
        error, RATTLE_OFF_CONSTRAINTS, s->model->change[i].name,
        "the constraint \"%s\" of the switch \"%s\" is %g where it begins, not 0: %s",
        rattle_problem_constraint_name(s->problem, row), s->model->change[i].name, s->lambda[row],
        s->model->change[i].one_sided
            ? "it is at least 0 wherever it is off; start there"
            : "let it begin where it is 0, or give hold = true, which keeps the "
              "value that it has there");
  }
  return status;
}

/* *none: a one-sided constraint i that is on at z follows from the others, or leaves. SINGULAR:
 * others that follow. */
static rattle_status begins_not(rattle__switches *s, int i, const double *z, int *none,
                                rattle_error *error) {
  int independent;
  *none = 0;
  rattle_status status = are_independent(s, z, &independent, error);
  if (!s->model->change[i].one_sided)
    return status || independent ? status : dependent(s, i, error);
  *none = !independent;
  if (status || *none || !(s->speed[i] > 0)) return status;
  status = rattle__switch_rests(s, i, s->speed[i], z, none, error);
  *none = !*none;
  return status;
}

rattle_status rattle__switch_begin(rattle__switches *s, int i, double *z, rattle__impact *impact,
                                   rattle_error *error) {
  const rattle__switch *is = &s->model->change[i];
  const size_t size = 2 * (size_t)s->n * sizeof *z;
  int none = 0;
  memcpy(s->zb, z, size);
  *impact = (rattle__impact){0};
  rattle_status status = find_parts(s, i, z, error);
  rattle__switch_set(s, i, 1, z);
  if (!status) status = hold(s, i, z, error);
  if (!status) status = check_values(s, i, z, error);
  if (!status) status = begins_not(s, i, z, &none, error);
  if (status || none) {
    if (none) memcpy(z, s->zb, size);
    return status;
  }
  status = collide(s, i, z, &impact->jumped, error);
  if (!status && !is->one_sided) {
    status = rattle__switches_round_off(s, z, error);
    if (!status) status = rattle__switches_conditions(s, z, s->values, error);
    if (!status && s->values[2 * i + 1] > s->bound[2 * i + 1]) rattle__switch_set(s, i, 0, z);
  }
  if (status) return status;
  if (!rattle__switch_is_on(s, i, z) && is->first_at >= 0) /* nothing is held */
    memcpy(z + is->first_at, s->zb + is->first_at, (size_t)is->rows * sizeof *z);
  return RATTLE_OK;
}
