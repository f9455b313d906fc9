#ifndef RATTLE__NATURAL_STATE_H
#define RATTLE__NATURAL_STATE_H
/* What natural.c (the step) and natural_shake.c (its multipliers) share. Symbols: natural.c. */
#include "expr/extended.h"
#include "map/carry.h"
#include "map/follow.h"
#include "solve/linear.h"
#include "wrap/natural.h"
#include "wrap/rows.h"
#include "wrap/sweep.h"

#include <string.h>

typedef struct natural {
  rattle__map map;
  rattle__scheme scheme;
  rattle__projection projection;
  int n, m, true_newton, blame; /* blame: the constraint where a matrix was singular */
  rattle__rows rows;            /* pattern of G */
  const rattle__function *g, *V;
  const double *inverse_mass;
  int equal;     /* all masses are; then B0 = J0, B1 = J1 */
  double factor; /* of B: the inverse mass where equal, else 1 */
  double tol;
  double *J0, *B0, *V0; /* G, B, V_q at the start of the step */
  double *J1, *B1, *V1; /* at its end */
  double *value, *lambda, *delta, *inverse_floor, *work;
  double *carry1, *impulse;   /* compensated: what rounding took from z1 [2n]; scratch [n]. Else NULL */
  void *room;                 /* compensated: for g in extended precision; NULL where g is no expression */
  double potential;           /* V where V1 was taken */
  double largest, residual;   /* |g| and the residual at which the iteration for lambda ended */
  int careful;                /* 1: start from the lambda given, with Newton's matrix */
  const double *guess;        /* where the iterations of a step begin [m]; NULL: at 0 */
  int insist;                 /* 1: follow the multipliers, in doubt or not */
  rattle__follower *follower; /* guards the multipliers */
  rattle__coupling *coupling;
  rattle__swept *swept;           /* sweeps in place of the matrices, or NULL */
  rattle__linear *R, *A;          /* A is factored at q0 (then at q1) where known_A says so */
  const double *known;            /* z of the last end of a step, whose J0, B0 (and V0) are at hand ... */
  unsigned long long known_clock; /* ... while the clock stands so */
  int known_V, known_A;
} natural;

/* B = J M^-1; with equal masses B is J itself and the factor is put in where B is used */
static inline void scale_columns(const natural *s, const double *restrict J, double *restrict B) {
  const int *col = s->rows.col;
  if (s->equal) return;
  for (int k = 0; k < s->rows.nnz; k++) B[k] = J[k] * s->inverse_mass[col[k]];
}

static inline rattle_status failed(const natural *s, rattle_status status, int iterations, double residual, const double *z,
                                   rattle_error *error) {
  int worst = status == RATTLE_SINGULAR ? s->blame : rattle__rows_worst(&s->rows, s->value, s->inverse_floor);
  return rattle__multiplier_error(s->map.context->problem, status, worst, iterations, residual, z, error);
}

/* g, and G where J is wanted */
static inline rattle_status constraint_at(natural *s, const double *q, double *J, rattle_error *error) {
  int answer = J ? s->g->jacobian(s->g, q, s->value, J, s->work) : s->g->value(s->g, q, s->value, s->work);
  for (int i = 0; i < s->m && s->careful; i++) s->value[i] -= s->follower->level[i];
  s->map.context->counts.constraint++;
  s->map.context->counts.jacobian += J != NULL;
  return answer ? rattle__callback_error(answer, "constraint", error) : RATTLE_OK;
}

static inline rattle_status force_at(natural *s, const double *q, double *Vq, rattle_error *error) {
  int answer = s->V->jacobian(s->V, q, &s->potential, Vq, s->work);
  s->map.context->counts.gradient++;
  return answer ? rattle__callback_error(answer, "gradient", error) : RATTLE_OK;
}

/* The carry of the z1 that is being made, NULL where sums are plain. */
static inline double *carry_of(const natural *s) {
  return s->map.context->carry ? s->carry1 : NULL;
}

/* p -= c V_q */
static inline void kick_by(const natural *s, double c, const double *restrict Vq, double *restrict p) {
  double *carry = carry_of(s);
  for (int i = 0; i < s->n && !carry; i++) p[i] -= c * Vq[i];
  for (int i = 0; i < s->n && carry; i++) rattle__carry_add(p + i, carry + s->n + i, -c * Vq[i]);
}

/* p -= c J^T w */
static inline void slide_along(natural *s, double c, const double *J, const double *w, double *p) {
  double *carry = carry_of(s);
  if (!carry) {
    rattle__rows_subtract(&s->rows, c, J, w, p);
    return;
  }
  memset(s->impulse, 0, (size_t)s->n * sizeof(double));
  rattle__rows_subtract(&s->rows, c, J, w, s->impulse);
  rattle__carry_add_all(s->n, s->impulse, p, carry + s->n);
}

/* natural_shake.c: SHAKE up to its last kick, z1 = (q1, p), g(q1) = 0; J1 is G(q1). */
rattle_status rattle__natural_shake(natural *s, double h, const double *z0, double *z1, rattle_error *error);
/* The same from another lambda, for the guard: self is a natural. */
rattle_status rattle__natural_solve_from(void *self, double h, const double *z0, double *lambda, double *z1, rattle__rates *rates,
                                         rattle_error *error);
/* natural.c: p of z onto psi = 0. Where z is the end of the last step but for its p, the matrices at hand are used. */
rattle_status rattle__natural_slide(natural *s, double *z, rattle_error *error);
#endif
