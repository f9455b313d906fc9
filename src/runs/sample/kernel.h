#ifndef RATTLE__KERNEL_H
#define RATTLE__KERNEL_H
/* One transition of a Markov chain on {g(q) = 0}, and the functions that samplers share.
 *
 *     z = (q, p) with g = 0, psi = G M^-1 p = 0;  W = M^-1;  U = V, or V + T/2 log det(G W G^T) for
 *     the measure delta(g) dq;  T the temperature;  P the projection of momenta onto psi = 0. W0
 *     that of the problem, while W is that of a metric of the motion: the surface measures of both
 *     differ by (det(G W0 G^T)/det(G W G^T))^(1/2), so that the measure of the given metric
 *     asks for U = V + T/2 (log det(G W G^T) - log det(G W0 G^T))
 *
 * A sampler's file fills `move` (row.h). Draws are numbers of `key`, which chain.c makes of seed,
 * chain and transition. */
#include <math.h>
#include <stdint.h>

#include "maps/constrained/geodesic.h"
#include "method/notation/row.h"
#include "rattle/integrator.h"

/* The order of dense matrices at most: of masses that are not diagonal, and of the measure. */
enum { RATTLE__MOST_DENSE = 3000 };

typedef enum rattle__fate {
  RATTLE__ACCEPTED,
  RATTLE__REJECTED_ENERGY,
  RATTLE__REJECTED_UNSOLVED,
  RATTLE__REJECTED_NOT_REVERSIBLE,
  RATTLE__REJECTED_DOMAIN
} rattle__fate;

/* The steps that a transition waits for: of length h, of z in place. */
typedef struct rattle__kernel_way {
  double *z, h;   /* z [2n] */
  long long left; /* 0: it waits for nothing */
  int flies;      /* 1: each of them is a flight of the geodesics, 0: a step of the map */
  int white;      /* 1: z is in the coordinates of `whitened` already */
} rattle__kernel_way;

typedef struct rattle__kernel rattle__kernel;
struct rattle__kernel {
  const rattle_problem *problem;
  int n, m, delta; /* delta: the measure is delta(g) dq */
  double T;
  const rattle__mass *given; /* W0, where the masses of `problem` are others; else NULL */
  rattle__context context;
  rattle__geodesic *geodesic; /* motion without force, and P */
  double *z, U;               /* the point [2n], and U there */
  double h, length;    /* length: of paths at most, where the sampler asks a warm-up for it */
  int looks;           /* 1: it does */
  int learns;          /* 1: the transition is of the warm-up: `turned` is asked for */
  uint64_t key, drawn; /* of the transition at hand */
  /* of the last transition: 0 where something was rejected for another reason than H */
  rattle__fate fate;
  double probability;
  int turned;  /* the path began to come back to where it set out, or the flight has turned round */
  int strayed; /* a step took another solution than the nearest one: its probability tends to 0
                  with h, and says nothing about h */
  /* Moves z: RATTLE_OK with fate and probability, also for a rejection; on any other status z is
   * unchanged. Or it waits for `way`, and goes on with the status of its steps when they have been
   * taken; until it waits for nothing. */
  rattle_status (*move)(rattle__kernel *kernel, rattle_error *error);
  rattle_status (*go_on)(rattle__kernel *kernel, rattle_status status,
                         rattle_error *error); /* NULL: it never waits */
  rattle_integrator *map;                      /* NULL: none */
  rattle_problem *driven;                      /* that of the map: with U for V; NULL: `problem` */
  rattle_problem *whitened;  /* and in coordinates in which M is one; NULL: in those of z */
  struct rattle__hops *hops; /* NULL: none */
  rattle__kernel_way way;
  void *self;
  /* scratch of walk.c */
  double *next, *back, *spare, *xi;
  long long steps; /* of a proposal, there and back */
  double U_next;   /* where it is on its way back */
  double *root;    /* of M: its diagonal [n], or L of W = L L^T [n*n] where W is not diagonal */
  double *J, *B, *g, *A; /* of the measure: A [m*m] */
  double *row, *work;
};

/* measure.c: V at q; log det(G W G^T) there, 0 without constraints. RATTLE_DOMAIN if it is not
 * finite. */
rattle_status rattle__kernel_potential(rattle__kernel *kernel, const double *q, double *V,
                                       rattle_error *error);
rattle_status rattle__kernel_log_gram(rattle__kernel *kernel, const rattle__mass *W,
                                      const double *q, double *log_det, rattle_error *error);
/* U at q. */
rattle_status rattle__kernel_energy(rattle__kernel *kernel, const double *q, double *U,
                                    rattle_error *error);

/* walk.c: memory and motion for a problem; the measure and temperature of the node.
 * rattle__kernel_release in any case. */
rattle_status rattle__kernel_prepare(rattle__kernel *kernel, const rattle_problem *problem,
                                     const rattle__node *node, rattle_error *error);
void rattle__kernel_release(rattle__kernel *kernel);
/* p of z <- P(keep p + sqrt((1 - keep^2) T) M^(1/2) xi), xi standard normal: the canonical
 * distribution of p given q is kept, and drawn from where keep = 0. On failure p is what it was. */
rattle_status rattle__kernel_refresh(rattle__kernel *kernel, double keep, double *z,
                                     rattle_error *error);
/* The part of p that a refresh over the time h keeps, with a friction; 0: none is given, and about
 * a fifth of p is forgotten in each step, in any units. */
static inline double rattle__kernel_keep(double friction, double h) {
  return exp(friction > 0 ? -friction * h : -0.2);
}
/* True if a failure of a map is a rejection; *fate: which one. */
int rattle__kernel_rejects(rattle_status status, rattle__fate *fate);
/* p of the point <- -p. */
void rattle__kernel_reverse(rattle__kernel *kernel);

/* The map of a node, made for the kernel. */
rattle_status rattle__kernel_make_map(rattle__kernel *kernel, const rattle__node *node,
                                      rattle_error *error);
/* Takes so many steps of the way; no more are left after a failure. And all that the transition
 * waits for, after `status` of what it has begun with. */
rattle_status rattle__kernel_take(rattle__kernel *kernel, long long steps, rattle_error *error);
rattle_status rattle__kernel_finish(rattle__kernel *kernel, rattle_status status,
                                    rattle_error *error);

/* Proposes z1 = Phi(z0), so many steps, or flights, that reversal undoes: R Phi R Phi = identity, R
 * z = (q, -p), if multipliers are found both ways. The proposal is accepted with probability min(1,
 * exp(-(H(z1) - H(z0))/T)), if the way back from R z1 ends at R z0; else z <- R z0. Maps may
 * decline steps in doubt, there and back: a solution that both ways find is accepted or not, by the
 * same rule at either end. A `move` ends with this call, and rattle__kernel_return goes on. */
void rattle__kernel_propose(rattle__kernel *kernel, long long steps, int flies);
rattle_status rattle__kernel_return(rattle__kernel *kernel, rattle_status status,
                                    rattle_error *error);

/* One step of the map from z, or with `backwards` to where z came from: `next`. RATTLE_DEGENERATE:
 * the step back from there does not end at z. */
rattle_status rattle__kernel_there_and_back(rattle__kernel *kernel, const double *z, int backwards,
                                            rattle_error *error);

/* Accepts `next`, where a map ended with that status, with probability min(1, e^log_ratio
 * exp(-(H(next) - H(z))/T)); else z <- R z. RATTLE_DEGENERATE: its way back ends elsewhere. */
rattle_status rattle__kernel_decide(rattle__kernel *kernel, rattle_status status, double log_ratio,
                                    rattle_error *error);

/* hop.c: false with the reason where options of hops are given and no hops; memory for the hops
 * that the node asks for, if any, between `count` points `parts` [n]; true if this transition is to
 * be one; and the transition, which waits for nothing. */
int rattle__hops_sensible(const rattle__node *node, rattle__text *reason);
rattle_status rattle__hops_create(rattle__kernel *kernel, const rattle__node *node,
                                  const double *parts, int count, rattle_error *error);
int rattle__kernel_hops(rattle__kernel *kernel);
rattle_status rattle__kernel_hop(rattle__kernel *kernel, rattle_error *error);

/* A transition of the random walk, which proposes a flight along the manifold with new momenta. */
rattle_status rattle__kernel_walk(rattle__kernel *kernel, rattle_error *error);
/* How well the length of the last transition suits, for a warm-up: the probability by which it was
 * accepted; 0 for a flight that has turned round, since shorter ones lead as far: on a sphere those
 * of all lengths are accepted. */
static inline double rattle__kernel_suits(const rattle__kernel *kernel) {
  return kernel->way.flies && kernel->turned ? 0 : kernel->probability;
}
/* first_step.c: *h, the step with which a warm-up for an acceptance of `target` begins, from z,
 * after `done` transitions. */
rattle_status rattle__kernel_first_step(rattle__kernel *kernel, double target, uint64_t seed,
                                        uint64_t chain, long long done, double *h,
                                        rattle_error *error);
/* disperse.c: moves z apart from where it is; `seed` and `chain` are those of the chain. Failures
 * are those of callbacks. */
rattle_status rattle__kernel_disperse(rattle__kernel *kernel, uint64_t seed, uint64_t chain,
                                      long long moves, rattle_error *error);

/* How near the way back must end, in parts of the way; and in units of round-off of the largest
 * coordinate, since far from the origin no way ends nearer. */
#define RATTLE__RETURNS 1e-8
#define RATTLE__RETURNS_UNITS 1e3
#endif
