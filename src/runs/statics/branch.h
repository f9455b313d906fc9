#ifndef RATTLE__BRANCH_H
#define RATTLE__BRANCH_H
/* Inside of a family of equilibria: branch.c, one equilibrium beside another on the curve;
 * family.c, the way along it, and what happens between two of them.
 *
 * Symbols  mu: the parameter, 0 where the family begins, 1 at the value asked for; (dq, dmu): the
 *          tangent, hypot(w |dq|, dmu) = 1, |dq|^2 = dq^T M dq; w |dq|: the part of the largest
 *          coordinate by which coordinates move. s: the arclength in that measure, that of each
 *          step being of the tangent where it begins */
#include "runs/statics/steady.h"

/* A point of the curve. */
typedef struct rattle__standing {
  rattle_equilibrium *at; /* of the problem at mu; NULL: none */
  double mu, s, w;
  double *dq, *p, dmu;  /* the tangent, M dq [n] */
  double *dq_mu, *r_mu; /* along mu, on the constraints: of q, of H_q - f + lambda . g_q [n] */
  double *pull;         /* of gamma along mu, at the point [d] */
  double *test, *soft;  /* change their signs at events; their round-off [tests] */
  int *sign;            /* of test; where that is round-off, of the point before [tests] */
  int on;               /* 1: some stiffness that was none before is round-off */
  int iterations;
} rattle__standing;

typedef struct rattle__branch {
  const rattle_problem *base; /* by which problems at other values are made */
  rattle_equilibrium_options how;
  const char *parameter;
  rattle_parameter *steady;        /* of `how`; one of them is that parameter, or none */
  double from, to, size, stiffest; /* size: the largest coordinate so far; stiffest: stiffness */
  int n, d, tests; /* tests: stiffnesses, with forces their determinant; the growth */
  double *A, *b, *aim, *q, *row, *side; /* scratch */
  rattle__arena arena;
} rattle__branch;

/* The test that is the growth of oscillations, -1 where nothing moves. */
static inline int rattle__branch_growth(const rattle__branch *b) {
  return b->tests - 1;
}
/* Which of the steady quantities the parameter is the speed of, or -1. */
int rattle__branch_turned(const rattle__branch *b);
double rattle__branch_value(const rattle__branch *b, double mu);
/* Room of a point. */
void rattle__standing_lay_out(rattle__branch *b, rattle__standing *rest);
void rattle__standing_drop(rattle__standing *rest);
/* The equilibrium that was found where the family begins, and its tangent towards rising mu. Takes
 * the equilibrium. */
rattle_status rattle__standing_begin(rattle__branch *b, rattle__standing *rest,
                                     rattle_equilibrium *found, rattle_error *error);
/* The equilibrium at the arclength h from `before`, or where mu is `end` if that is finite, and its
 * tangent; next: a point beyond it, NULL: none is known. RATTLE_NOT_CONVERGED: there is none so
 * near. */
rattle_status rattle__standing_go(rattle__branch *b, const rattle__standing *before,
                                  const rattle__standing *next, double h, double end,
                                  rattle__standing *to, rattle_error *error);
/* The cosine of the angle between two tangents, where the way of coordinates is w |dq|. */
double rattle__standing_angle(const rattle__branch *b, const rattle__standing *before,
                              const rattle__standing *now, double w);
#endif
