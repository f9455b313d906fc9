#ifndef RATTLE__MOMENTA_LINEAR_H
#define RATTLE__MOMENTA_LINEAR_H
/* The momentum projection of natural problems with g(q), with forces or without:
 *
 *     p1 = p - G^T sigma,  G M^-1 p1 = 0:  A sigma = G M^-1 p,  A = G M^-1 G^T
 *
 * and of those that depend on time, whose psi is G M^-1 p + G_t.
 *
 * A linear system, solved again for what rounding leaves of it, to the rule of iterate.h: nearly
 * dependent constraints take more rounds, or fail. */
#include "ground/linear/linear.h"
#include "method/notation/row.h"
#include "ground/linear/rows.h"
#include "constraint/equation/iterate.h"

typedef struct rattle__momenta {
  rattle__context *context;
  rattle__rows rows;          /* pattern of G */
  rattle__coupling *coupling; /* borrowed: of A */
  rattle__linear *A;          /* owned */
  int equal;                  /* M^-1 is `factor` times 1: then B = G */
  double factor;              /* G M^-1 = factor B */
  const rattle__mass *mass;
  unsigned char *held; /* 1: multipliers move that coordinate [n]; NULL: all, M is no diagonal */
  int *of_time;        /* the place of G_t in each row of G, or -1 [m]; NULL: g(q) */
  int factored;        /* A is that of the point at hand */
  double largest;      /* |psi| where the last projection ended */
  double *sigma;       /* of the last projection [m] */
  double *psi, *delta, *inverse_floor, *cheap, *impulse,
      *terms; /* scratch [m], [m], [m], [m], [n], [n] */
  /* the projection at hand */
  const double *J, *B;
  double *p, *carry;
} rattle__momenta;

/* Those that multipliers move: a body that no constraint holds has a size of its own. Time, which
 * is exact, and its momentum, which has no velocity, make nothing uncertain. */
static inline int rattle__is_moved(const rattle__momenta *s, int k) {
  return k != s->mass->clock - 1 && (!s->held || s->held[k]);
}

/* The largest of n coordinates or momenta; and the length of p in the metric of W. */
static inline double rattle__largest_held(const rattle__momenta *s, int n, const double *x) {
  double most = 0;
  for (int k = 0; k < n; k++)
    if (fabs(x[k]) > most && rattle__is_moved(s, k)) most = fabs(x[k]);
  return most;
}

static inline double rattle__length_held(const rattle__momenta *s, const double *p) {
  const rattle__mass *W = s->mass;
  double sum = 0;
  if (W->value) return sqrt(rattle__mass_twice_kinetic(W, p));
  for (int k = 0; k < W->n; k++)
    if (!s->held || s->held[k]) sum += W->diagonal[k] * p[k] * p[k];
  return sqrt(sum);
}

/* The least size by which the round-off of each of n coordinates x is judged: that of the largest
 * (rattle__least_size), but no more than multipliers can have moved it. Their part of a step is, to
 * first order, a projection of the way without them, orthogonal in the metric of the mass: with
 * `way` the length of that in this metric it is at most sqrt(W_kk) way. So coordinates of one model
 * may have units of their own. */
static inline void rattle__least_coordinates(const rattle__momenta *s, int n, const double *x,
                                             double way, double *least) {
  const double most = rattle__least_size(rattle__largest_held(s, n, x));
  for (int k = 0; k < n; k++) least[k] = fmin(most, way * sqrt(s->mass->diagonal[k]));
}

/* The same of momenta p, of which multipliers take a part that is such a projection. W^-1 is not at
 * hand where W is not diagonal. */
static inline void rattle__least_momenta(const rattle__momenta *s, int n, const double *p,
                                         double *least) {
  const rattle__mass *W = s->mass;
  const double most = rattle__least_size(rattle__largest_held(s, n, p)),
               length = W->value ? INFINITY : rattle__length_held(s, p);
  for (int k = 0; k < n; k++) least[k] = fmin(most, length / sqrt(W->diagonal[k]));
}

/* Pattern and memory for a problem; the coupling of the pattern of G is borrowed, NULL: sweeps do
 * the projections, and A is not needed. solver: with which backend; NULL: by size and pattern.
 * *momenta may be a part to destroy. */
rattle_status rattle__momenta_create(rattle__momenta **momenta, rattle__context *context,
                                     rattle__coupling *coupling, const rattle__solver *solver,
                                     rattle_error *error);
void rattle__momenta_destroy(rattle__momenta **momenta);

/* B of J: G M^-1 but for `factor`. Nothing to do where B is J. */
void rattle__momenta_scale(const rattle__momenta *momenta, const double *J, double *B);
/* psi [m] of p, but for `factor`. */
void rattle__momenta_psi(const rattle__momenta *momenta, const double *J, const double *B,
                         const double *p, double *psi);
/* A of the point, factored where it is not yet; SINGULAR without a message. */
rattle_status rattle__momenta_factor(rattle__momenta *momenta, const double *J, const double *B);
/* p of z = (q, p), G and B at q being J and B, onto psi = 0; carry [n] of p, or NULL. Counted. */
rattle_status rattle__momenta_slide(rattle__momenta *momenta, const double *J, const double *B,
                                    double *z, double *carry, rattle_error *error);
#endif
