#ifndef RATTLE__PAIRS_H
#define RATTLE__PAIRS_H
/* Forces between all pairs of beads: V = sum_{i<j} v(|x_i - x_j|) up to a cutoff, for beads whose
 * coordinates are anywhere in q. v depends on the kinds of both beads; pairs that are listed have
 * it scaled, or not at all.
 *
 * Law      v as a function of u = r^2, times a switch S(t), t = (u - u_from)/(u_cutoff - u_from),
 *          which has `smooth` continuous derivatives at both its ends: S = (1 - t)^(s+1) sum_{k<=s}
 *          binomial(s+k, k) t^k
 * List     of neighbours within cutoff + skin, from cells; it is made again when a bead has moved
 *          by half the skin
 * Sums     over i and then j in ascending order, of pairs within the cutoff alone, and then over
 *          scaled pairs: V and its gradient are functions of q, with the same bits however old the
 *          list is, and if there is none
 * Source   M. P. Allen, D. J. Tildesley, Computer Simulation of Liquids (2017), 5.3; J. D. Weeks,
 *          D. Chandler, H. C. Andersen, J. Chem. Phys. 54 (1971) 5237 (wca) */
#include <stddef.h>

#include "rattle/status.h"

/* v(r) = 4 epsilon ((sigma/r)^12 - attraction (sigma/r)^6) + shift */
typedef struct rattle__pair_law {
  double epsilon, sigma, attraction, shift;
  double cutoff, from; /* from < cutoff: the switch; from = cutoff: none */
  int smooth;          /* continuous derivatives of v at the cutoff */
} rattle__pair_law;

typedef struct rattle__pairs_plan {
  int kinds;                   /* of beads, from 1 on */
  const rattle__pair_law *law; /* of two kinds, symmetric [kinds kinds] */
  double box[3];               /* edges of a periodic box, 0: none along that axis */
  int beads;
  const int *kind;   /* [beads]; NULL: all 0 */
  const int *column; /* of x, y, z in q [3 beads] */
  int excluded;
  const int *excludes; /* pairs of beads without force, from 0 on [2 excluded] */
  int scaled;
  const int *scales; /* pairs of beads whose v is multiplied by scale, none excluded [2 scaled] */
  double scale;
} rattle__pairs_plan;

typedef struct rattle__pairs rattle__pairs;

/* Copies all of the plan, which must be sound: see problem/model/pairwise.c. */
rattle_status rattle__pairs_create(rattle__pairs **pairs, const rattle__pairs_plan *plan,
                                   rattle_error *error);
void rattle__pairs_destroy(rattle__pairs **pairs);
int rattle__pairs_smooth(const rattle__pairs *pairs);     /* continuous derivatives at the cutoff */
double rattle__pairs_epsilon(const rattle__pairs *pairs); /* the largest of all kinds */
int rattle__pairs_periodic(const rattle__pairs *pairs);   /* 1: there is a box, along some axis */
void rattle__pairs_box(const rattle__pairs *pairs, double box[3]); /* its edges, 0 for none */
/* Doubles of scratch that the functions below need. */
size_t rattle__pairs_room(const rattle__pairs *pairs);
/* V, and gradient [of q] += V_q unless it is NULL. */
double rattle__pairs_gradient(const rattle__pairs *pairs, const double *q, double *gradient,
                              double *work);
/* S [n n] += w V_qq, dense */
void rattle__pairs_hessian(const rattle__pairs *pairs, const double *q, int n, double w, double *S,
                           double *work);

/* law.c: v, dv/du and d2v/du2 at u = r^2 < cutoff^2. */
void rattle__pair_law_at(const rattle__pair_law *law, double u, double v[3]);
#endif
