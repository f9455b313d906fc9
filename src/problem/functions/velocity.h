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

/* implied.c: implied[rows], 1 for rows of the problem that follow from others. */
rattle_status rattle__velocity_implied(const rattle_problem *problem, unsigned char *implied,
                                       rattle_error *error);

/* C and what belongs to it at a point. */
typedef struct rattle__reaction {
  const rattle_problem *problem;
  int n, m, holonomic; /* pairs; rows of C, of which the first `holonomic` are those of g */
  double *C;           /* [m n] */
  double *Q, *pushed;  /* rows of C made orthogonal (orthogonal.c), and H_pp Q_i^T [m n] */
  double *root;        /* of the diagonal of H_pp [n] */
  double *largest;     /* entry of each row of C [m] */
  double *T, *length;  /* Q = T C [m m], Q H_pp Q^T [m] */
  int blame;           /* the first row that depends on those before it, or -1 */
  double *g, *psi;     /* [m]; g of rows on velocities is 0 */
  double *size;        /* the sums of the sizes of the terms of psi [m] */
  double *slope;       /* (H_q - f, H_p) [2n] */
  double *S;           /* H'' in its pattern */
  double *lambda;      /* multipliers of the point [m] */
  rattle__linear *N;   /* dense, symmetric: for its singular values */
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
/* psi and slope alone, where C is that of q. */
rattle_status rattle__reaction_psi(rattle__reaction *reaction, const double *z,
                                   rattle_error *error);
/* metric.c: H_pp at the point of the last look, for all that follows; root, where that is not
 * constant. */
rattle_status rattle__reaction_metric(rattle__reaction *reaction, const double *z,
                                      rattle_error *error);
void rattle__reaction_roots(rattle__reaction *reaction);
/* y [n] = H_pp x, and |H_pp| x of sizes x. */
void rattle__reaction_image(const rattle__reaction *reaction, const double *x, double *y);
void rattle__reaction_reach(const rattle__reaction *reaction, const double *x, double *y);
/* A speed in which units do not mix, the root of sum |p_k v_k|: |v_k| is at most root_k times that
 * for natural H. */
double rattle__reaction_speed(const rattle__reaction *reaction, const double *p, const double *v);
/* orthogonal.c: Q, T and D there. Errors [m n] are those of C beside rounding, NULL: none. Rows
 * that depend on those before them are noted in dependent [m], and left out; where that is NULL the
 * first one, blame, ends it: SINGULAR, without a message. */
rattle_status rattle__reaction_orthogonal(rattle__reaction *reaction, const double *errors,
                                          unsigned char *dependent);
/* The error of entry k of row i of Q by rounding and by those of C. */
double rattle__reaction_error(const rattle__reaction *reaction, const double *errors, int i, int k);
/* rank.c: errors [m n] of C at z of the last look, from the rounding of q; and, of a row that
 * depends on others but for time, whether it asks another velocity than they do. */
rattle_status rattle__reaction_errors(rattle__reaction *reaction, const double *z, double *errors,
                                      rattle_error *error);
int rattle__reaction_contradicts(const rattle__reaction *reaction, const double *errors, int i);
/* H_pp, Q, T and D with a message: SINGULAR names the row and what it is that cannot be solved. */
rattle_status rattle__reaction_factor(rattle__reaction *reaction, const double *z, const char *what,
                                      rattle_error *error);
/* x [m] = D^-1 T x, so that p - Q^T x takes C H_p to C H_p - N N^-1 x; and T^T x, the multipliers
 * of the rows of C. How many eigenvalues of N = T^-1 D T^-T are negative. */
void rattle__reaction_solve(const rattle__reaction *reaction, double *x);
/* The same of each column of X [m m]. */
void rattle__reaction_solve_all(const rattle__reaction *reaction, double *X);
void rattle__reaction_multiply(const rattle__reaction *reaction, double *x);
int rattle__reaction_negative(const rattle__reaction *reaction);
/* N there. */
rattle_status rattle__reaction_matrix(rattle__reaction *reaction, const double *z,
                                      rattle_error *error);
/* lambda there; SINGULAR names a row. */
rattle_status rattle__reaction_multipliers(rattle__reaction *reaction, const double *z,
                                           rattle_error *error);
/* p -= Q^T s */
void rattle__reaction_push(const rattle__reaction *reaction, const double *s, double *p);
/* A(q) v of the rows on velocities, and its derivatives by q and by v, dense [count n] each; any
 * may be NULL. Entries beyond the pattern of the rows are left as they are, 0. */
rattle_status rattle__velocity_at(rattle__reaction *reaction, const double *q, const double *v,
                                  double *value, double *by_q, double *by_v, rattle_error *error);
/* Bounds [count] on the errors of A v at the point of the last rattle__velocity_at, q and v being
 * off by at most those of reach [2n]; room: rattle__round_off_room of the function. */
rattle_status rattle__velocity_round_off(rattle__reaction *reaction, const double *reach,
                                         double *bound, void *room, rattle_error *error);
#endif
