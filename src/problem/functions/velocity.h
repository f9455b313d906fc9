#ifndef RATTLE__VELOCITY_H
#define RATTLE__VELOCITY_H
/* Constraints on velocities, A(q, t) q' = b(q, t), reaction along A^T (problem/model/velocity.c).
 *
 * problem->velocity is the function (q, v) -> A(q) v of coordinates and velocities, columns k and n
 * + k: linear in v, b being the factor of the velocity of the time, -1 times it. Together with g,
 *
 *     C = [G; A],   psi = C H_p,   N = C H_pp C^T,   N lambda = psi' X_H            X_H = (H_p,
 *     -H_q + f)
 *
 * where time, if there is one, is a coordinate whose velocity is 1. Rows and columns are dense: for
 * some thousands of constraints. */
#include "ground/linear/linear.h"
#include "ground/support/arena.h"
#include "problem/functions/problem.h"

/* The rows of the problem's model as expressions, row[count], velocities standing in the places of
 * momenta. UNSUITABLE: why the problem cannot have any. */
rattle_status rattle__velocity_rows(const rattle_problem *problem, rattle_expr *row,
                                    rattle_error *error);

/* UNSUITABLE where the problem has constraints on velocities, which `what` does not know. */
rattle_status rattle__refuse_velocity(const rattle_problem *problem, const char *what,
                                      rattle_error *error);

/* C and what belongs to it at a point. */
typedef struct rattle__reaction {
  const rattle_problem *problem;
  int n, m, holonomic; /* pairs; rows of C, of which the first `holonomic` are those of g */
  double *C, *pushed;  /* [m n]; H_pp C_i^T, where N is known [m n] */
  double *g, *psi;     /* [m]; g of rows on velocities is 0 */
  double *size;        /* the sums of the sizes of the terms of psi [m] */
  double *slope;       /* (H_q - f, H_p) [2n] */
  double *S;           /* H'' in its pattern */
  double *lambda;      /* multipliers of the point [m] */
  rattle__linear *N;   /* dense, symmetric */
  double *J, *D, *B, *X, *row, *zv, *work, *room;
} rattle__reaction;

/* Memory from the arena, but N, which rattle__reaction_destroy frees. UNSUITABLE: too many rows. */
rattle_status rattle__reaction_create(rattle__reaction **reaction, const rattle_problem *problem,
                                      rattle__arena *arena, rattle_error *error);
void rattle__reaction_destroy(rattle__reaction **reaction);
/* C and g at q. */
rattle_status rattle__reaction_rows(rattle__reaction *reaction, const double *q,
                                    rattle_error *error);
/* The same with psi at z = (q, p), and of slope H_p; all of it where H_pp is not constant. */
rattle_status rattle__reaction_look(rattle__reaction *reaction, const double *z,
                                    rattle_error *error);
/* N at the point that was looked at, not factored. */
rattle_status rattle__reaction_matrix(rattle__reaction *reaction, const double *z,
                                      rattle_error *error);
/* lambda there, N factored; SINGULAR names a row. */
rattle_status rattle__reaction_multipliers(rattle__reaction *reaction, const double *z,
                                           rattle_error *error);
/* p -= C^T s */
void rattle__reaction_push(const rattle__reaction *reaction, const double *s, double *p);
/* A(q) v of the rows on velocities, and its derivatives by q and by v, dense [count n] each; any
 * may be NULL. */
rattle_status rattle__velocity_at(rattle__reaction *reaction, const double *q, const double *v,
                                  double *value, double *by_q, double *by_v, rattle_error *error);
/* Bounds [count] on the errors of A v at the point of the last rattle__velocity_at, q and v being
 * off by at most those of reach [2n]; room: rattle__round_off_room of the function. */
rattle_status rattle__velocity_round_off(rattle__reaction *reaction, const double *reach,
                                         double *bound, void *room, rattle_error *error);
#endif
