/* The truth about a step of any method of the table. See truth.h. */
#include "truth.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "general.h"
#include "natural.h"

/* psi(exp(sum sigma X_g)(z)) = (1 - t) psi(z): onto psi = 0 along the fibre. */
typedef struct descent {
  const problem *pr;
  long double z[ENTRIES], psi[CONSTRAINTS];
} descent;

static int evaluate(const follow_system *system, long double t, const long double *x,
                    long double *F, long double *J, long double *Ft) {
  const descent *e = system->of;
  long double z[ENTRIES];
  general_point at;
  (void)J, (void)Ft;
  memcpy(z, e->z, sizeof z);
  if (general_slide(e->pr, x, system->work, z)) return 1;
  general_evaluate(e->pr, z, FORMULA_H | FORMULA_G, system->work, &at);
  general_hidden(e->pr, &at, F, NULL);
  for (int i = 0; i < e->pr->m; i++) {
    F[i] -= (1 - t) * e->psi[i];
    if (!isfinite(F[i])) return 1;
  }
  return 0;
}

int truth_descend(const step *at, long double *q, long double *p) {
  const problem *pr = at->pr;
  const int n = pr->n;
  descent e = {.pr = pr};
  natural_point natural;
  dense_factors N;
  general_point point;
  follow_system system = {
      .size = pr->m, .of = &e, .evaluate = evaluate, .difference = 1e-7L, .work = at->work};
  follow_result found = {0};
  if (pr->natural) { /* linear */
    memmove(q, at->q, sizeof *q * (size_t)n);
    memmove(p, at->p, sizeof *p * (size_t)n);
    natural_evaluate(pr, q, at->work, &natural);
    return natural_project(pr, &natural, p, &N, NULL);
  }
  memcpy(e.z, at->q, sizeof *q * (size_t)n);
  memcpy(e.z + n, at->p, sizeof *p * (size_t)n);
  general_evaluate(pr, e.z, FORMULA_H | FORMULA_G, at->work, &point);
  general_reach(pr, &point, system.scale);
  general_hidden(pr, &point, e.psi, system.unit);
  for (int i = 0; i < pr->m; i++)
    for (int k = 0; k < 2 * n; k++)
      system.unit[i] +=
          fabsl(point.dg[i * 2 * n + k]) * (fabsl(e.z[k]) + general_size(pr, k)) / pr->unit.time;
  follow(&system, at->strict, &found);
  if (!found.reaches || general_slide(pr, found.x, at->work, e.z)) return 1;
  memcpy(q, e.z, sizeof *q * (size_t)n);
  memcpy(p, e.z + n, sizeof *p * (size_t)n);
  return 0;
}

static void one(const step *at, const method *how, truth *result) {
  const problem *pr = at->pr;
  long double q[PAIRS], p[PAIRS];
  step from = *at;
  *result = (truth){0};
  if (how->form == DISCRETE_STEP) {
    truth_discrete(at, result);
    return;
  }
  if (how->form == SHAKE_STEP) {
    if (truth_descend(at, q, p)) return;
    from.q = q;
    from.p = p;
  }
  if (pr->natural && !pr->forced && how->of == &verlet_a && how->form != SPARK_STEP)
    truth_natural_verlet(&from, how->form != SHAKE_STEP, result);
  else
    truth_staged(&from, how, result);
}

/* True if H is beyond the range of double at an end of a step of a composition. */
static int overflows(const problem *pr, const truth *at, formula_work *work) {
  long double z[ENTRIES];
  general_point there;
  memcpy(z, at->q, sizeof *z * (size_t)pr->n);
  memcpy(z + pr->n, at->p, sizeof *z * (size_t)pr->n);
  general_evaluate(pr, z, FORMULA_H, work, &there);
  return !(fabsl(there.H) <= DBL_MAX);
}

void truth_of(const step *at, const method *how, truth *result) {
  if (at->pr->second_class) {
    truth_second_class(at, result);
    return;
  }
  if (how->form == LOOSE)
    how = method_named(at->pr->natural ? "rattle(verlet)" : "rattle(midpoint)");
  if (!how->compose) {
    one(at, how, result);
    return;
  }
  truth part, whole = {.reaches = 1, .margin = 1};
  step from = *at;
  for (int i = 0; i < how->compose->stages && whole.reaches; i++) {
    from.h = (double)(at->h * how->compose->part[i]);
    one(&from, how, &part);
    whole.reaches = part.reaches && !overflows(at->pr, &part, at->work);
    whole.part += part.part / how->compose->stages;
    whole.margin = fmin(whole.margin, part.margin);
    whole.pieces += part.pieces;
    whole.exhausted |= part.exhausted;
    whole.effort += part.effort;
    for (int k = 0; k < at->pr->n && part.reaches; k++) {
      whole.q[k] = part.q[k];
      whole.p[k] = part.p[k];
      whole.q_error[k] += 2 * part.q_error[k];
      whole.p_error[k] += 2 * part.p_error[k];
    }
    from.q = whole.q;
    from.p = whole.p;
  }
  *result = whole;
}
