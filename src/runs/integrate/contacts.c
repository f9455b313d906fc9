/* Which one-sided constraints hold where nothing moves along them.
 *
 * Law     at the velocities 0 of those that touch, g_k'' >= 0, lambda_k <= 0, g_k'' lambda_k = 0: a
 *         constraint that would pull is off, one that would close is on. N is positive definite:
 *         one solution
 * Method  the first that is wrong changes, until none is (Murty; see impulse.c). The sign of g_k''
 *         with k off is that of lambda_k with k on: g_k'' = lambda_k/(N^-1)_kk */
#include <math.h>
#include <string.h>

#include "ground/support/error.h"
#include "runs/integrate/switches_state.h"

rattle_status rattle__switches_matrix(rattle__switches *s, rattle__linear **N,
                                      rattle_error *error) {
  const rattle_status status = rattle__probe_matrix(s->probe, N, error);
  if (status || *N) return status;
  return rattle__fail(error, RATTLE_UNSUITABLE, "switch",
                      "the constraints are coupled too closely for impulses: let fewer of them "
                      "share coordinates");
}

rattle_status rattle__switch_rests(rattle__switches *s, int i, double speed, const double *z,
                                   int *rests, rattle_error *error) {
  const int row = s->row[s->first_row[i]];
  rattle__linear *N;
  *rests = 0;
  rattle__probe_place(s->probe, z, z + s->n);
  rattle_status status = rattle__switches_matrix(s, &N, error);
  if (status || N->factor(N)) return status;
  status = rattle__probe_multipliers(s->probe, s->psi, error);
  if (status) return status;
  memset(s->target, 0, (size_t)s->m * sizeof *s->target);
  s->target[row] = 1;
  if (N->factor(N)) return RATTLE_OK;
  N->solve(N, s->target);
  const double a = s->psi[row] / s->target[row];
  *rests = a < 0 && speed * speed <= 2 * -a * s->bound[2 * i];
  return RATTLE_OK;
}

/* *wrong: the first of those that held which pulls where it is on, or would push where it is off;
 * -1: none. */
static rattle_status find_wrong(rattle__switches *s, double *z, int *wrong, rattle_error *error) {
  rattle_status status = RATTLE_OK;
  *wrong = -1;
  for (int k = 0; k < s->count && !status; k++) {
    if (!s->held[k]) continue;
    const int on = rattle__switch_is_on(s, k, z);
    rattle__switch_set(s, k, 1, z);
    status = rattle__switches_round_off(s, z, error);
    if (!status) status = rattle__switches_conditions(s, z, s->values, error);
    rattle__switch_set(s, k, on, z);
    const double pull = s->values[2 * k + 1], noise = s->bound[2 * k + 1];
    if (status || !(on ? pull > noise : pull < -noise)) continue;
    *wrong = k;
    return RATTLE_OK;
  }
  return status;
}

rattle_status rattle__switches_settle(rattle__switches *s, int i, double *z, rattle_error *error) {
  int any = 0, wrong = -1;
  for (int k = 0; k < s->count; k++) {
    s->held[k] = s->model->change[k].one_sided && rattle__switch_is_on(s, k, z);
    any |= s->held[k];
  }
  for (int tries = 0; any && tries < RATTLE__MOST_CHANGES; tries++) {
    const rattle_status status = find_wrong(s, z, &wrong, error);
    if (status || wrong < 0) return status;
    rattle__switch_set(s, wrong, !rattle__switch_is_on(s, wrong, z), z);
  }
  if (!any) return RATTLE_OK;
  return rattle__fail(error, RATTLE_SINGULAR, s->model->change[i].name,
                      "round-off hides which of the constraints that touch push and which do not, "
                      "where \"%s\" changes: begin with a part of them",
                      s->model->change[i].name);
}
