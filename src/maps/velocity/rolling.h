#ifndef RATTLE__ROLLING_H
#define RATTLE__ROLLING_H
/* Steps of shake and rattle under constraints on velocities.
 *
 *     p+ = p0 - Q0^T s       Q = T C, C = [g_q; A], the reaction: a slide that does not change q
 *     (q1, p1-) = phi_h(q0, p+)
 *     g(q1) = 0,  A((q0 + q1)/2) (q1 - q0) = 0          determines s
 *     p1 = p1- - Q1^T sigma,  C1 H_p(q1, p1) = 0        the landing: of rattle
 *
 * Time is a coordinate whose velocity is 1, so that A q' = b is A q' - b t' = 0. */
#include "constraint/equation/iterate.h"
#include "constraint/equation/unit.h"
#include "constraint/step/point.h"
#include "maps/natural/natural.h"
#include "maps/velocity/rolling_emitted.h"
#include "problem/functions/velocity.h"

typedef struct rattle__rolling {
  rattle__map map;
  rattle__map *inner;
  rattle__reaction *start,
      *end; /* C and what belongs to it where steps begin, and where they end */
  rattle__unit *unit;
  const rattle__scheme
      *scheme; /* of one drift, for natural H, whose steps are made here, V_q being kept; NULL: by
                 `inner` */
  rattle__stepper *emitted; /* makes the steps that leave no doubt; NULL: all are made here */
  rattle__point point[2], *from, *to; /* V_q where such a step begins and ends */
  rattle__linear *J;                  /* the derivative of the slide's equation by s, dense */
  int n, m, held; /* pairs; constraints, of which `held` are those on coordinates */
  int measured;   /* true if the rows at `start`, made orthogonal, are those of z0 */
  rattle__projection projection;
  double tol;
  double *known;                     /* where N at `start` belongs [2n] */
  double *s, *first, *delta, *level; /* multipliers of the rows of Q at `start` [m] */
  double *F, *size, *cheap;          /* the equation, and the units of its round-off [m] */
  double *plus, *middle, *way, *by_q,
      *by_v;     /* z+ [2n]; (q0 + q1)/2 and q1 - q0 [n]; of A v there [rows n] */
  double *terms; /* the sums of the sizes of what reactions added to each entry of q1, or velocity;
                    0 for momenta [2n] */
  double *reach; /* scratch [2n] */
  double *W, *G; /* dz1/ds [m][2n]; g' at q1 in its pattern */
  double *last, *before, *limit; /* of the substeps of a step that is followed [m] */
  double *shadow;                /* scratch [m m] */
  double *work;
  /* the step at hand */
  double h, largest, residual;
  const double *z0;
  double *z1;
  int landed;      /* true if the rows at `end` are those of its point, made orthogonal */
  int careful;     /* true while a step is followed: every correction by Newton's matrix */
  int fresh, side; /* the matrix is to be taken anew; of J where it was last taken: 1, the
               determinants of its parts have the signs that they have for short steps, else -1; 0:
               never */
} rattle__rolling;

/* direct.c: z1 = phi_h(z+) of natural H by its scheme, but for the last kick; and that kick. */
rattle_status rattle__rolling_drift(rattle__rolling *r, rattle_error *error);
rattle_status rattle__rolling_last_kick(rattle__rolling *r, double *z1, rattle_error *error);
/* s and z1 of the step h from z0, from s as it is. */
rattle_status rattle__rolling_slide(rattle__rolling *r, double h, const double *z0, double *z1,
                                    rattle__course *c, rattle_error *error);
/* The rows at z0, made orthogonal. */
rattle_status rattle__rolling_begin(rattle__rolling *r, const double *z0, rattle_error *error);
/* The derivative of the equation at z1, factored; r->side. */
rattle_status rattle__rolling_derive(rattle__rolling *r, rattle_error *error);
/* p of z onto psi = 0; C at `end`. */
rattle_status rattle__rolling_land(rattle__rolling *r, double *z, rattle_error *error);
/* s and z1 of the solution that is connected with h = 0. */
rattle_status rattle__rolling_follow(rattle__rolling *r, double h, const double *z0, double *z1,
                                     rattle_error *error);

/* True if C1 H_pp Q0^T is another matrix than C0 H_pp Q0^T by more than half of it, by traces: rows
 * turned far from one point, factored, to the other. E [m m] scratch */
int rattle__rows_turned(const rattle__reaction *from, const rattle__reaction *to, double *E);
/* True if an iteration that ended well may be trusted in a step that is followed; side: the sign of
 * its determinant relative to that for short steps. */
int rattle__rolling_came_near(const rattle__course *course, int side);
/* DEGENERATE: det N changed its sign. */
rattle_status rattle__rows_crossed(const rattle_problem *problem, rattle_error *error);

/* The map of shake (no projection) and rattle around `inner`, which it owns. The problem has
 * constraints on velocities. scheme: that of `inner` where it has one, else NULL. */
rattle_status rattle__rolling_create(rattle__map **map, rattle__context *context,
                                     rattle__map *inner, const rattle__scheme *scheme,
                                     rattle__projection projection, double tol,
                                     rattle_error *error);
#endif
