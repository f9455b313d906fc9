#ifndef RATTLE__SHOOTING_H
#define RATTLE__SHOOTING_H
/* Multiple shooting: nodes z_k on the manifold, `each` steps from one to the next, and the linear
 * equations of Newton's method.
 *
 * Units    the amplitudes of q and of p, scale[2]: half the largest range of one of them along the
 *          first way. Vectors, residuals and bases are in these units; ln T is the unknown for the
 *          period
 * Tangents basis k is orthonormal in these units, of the d-dimensional space {g' w = 0, psi' w =
 * 0}; where the problem depends on time
 *          also dt = dp_t = 0
 * Parameter of the model, if one is steered: another unknown, in units of the way asked for. Nodes
 * move along normals as it changes */
#include "runs/orbit/instance.h"
#include "runs/tangent/tangent.h"

enum { RATTLE__MOST_ARCS = 64 };

typedef struct rattle__shooting {
  rattle__instance at,
      other; /* the problem, its tangents and its slider; those of another value of the parameter */
  rattle__dial dial;
  int steers; /* 1: the parameter is unknown */
  const volatile int *interrupt;
  int n, m, nz, d, clock; /* clock: the coordinate that is the time, or -1 */
  int arcs;
  long long each; /* steps of an arc */
  double t0, T;
  double scale[2], floor; /* floor: what round-off leaves of residuals */
  /* of all arcs; the block is made anew for more arcs */
  double *z, *end; /* [arcs*2n] nodes, and where the steps lead from them */
  double *basis;   /* [arcs*d*2n] */
  double *image;   /* [arcs*d*d] row j: D R_k b_j in the basis of the next node */
  double *slope;   /* [arcs*d] d R_k/d ln T there */
  double *turn;    /* [arcs*d] how the gaps change with the parameter */
  double *carried; /* [arcs*2n] how nodes do, in units */
  double lift;     /* dH/d parameter at the first node */
  double *kept;    /* [arcs*2n+2] nodes, T and the parameter, as they were */
  double *tail;    /* [4*2n] the last points before the end of the last arc */
  double *W;       /* [d*2n] scratch */
  double *block;
  /* of one point [..] */
  double *K, *S, *U; /* normals [(2m+2)*2n], singular values, vectors [2n*2n] */
  double *room;      /* the same as one block */
  double growth;     /* the largest |D R_k b| of an arc, at its last linearisation */
} rattle__shooting;

/* On failure destroy all the same. */
rattle_status rattle__shooting_create(rattle__shooting *s, const rattle_problem *problem,
                                      const char *method, rattle_error *error);
void rattle__shooting_destroy(rattle__shooting *s);
/* Nodes along the steps from (q, p) [2n], with the period T; the first time also the units. */
rattle_status rattle__shooting_nodes(rattle__shooting *s, const double *z, int arcs, long long each,
                                     rattle_error *error);
/* The ends of the arcs, and the largest residual |end_k - z_{k+1}|. */
rattle_status rattle__shooting_ends(rattle__shooting *s, double *residual, rattle_error *error);
/* Bases, images and slopes at the nodes; the ends with them. */
rattle_status rattle__shooting_linearise(rattle__shooting *s, rattle_error *error);
/* Nodes as kept plus `by` times the unknowns: y [arcs*d] in the bases, ln T, and the parameter if
 * it is steered. keep: what they start from */
void rattle__shooting_keep(rattle__shooting *s);
void rattle__shooting_back(rattle__shooting *s);
rattle_status rattle__shooting_move(rattle__shooting *s, const double *y, double by,
                                    rattle_error *error);
/* Nodes onto the manifold of the present value of the parameter. */
rattle_status rattle__shooting_place(rattle__shooting *s, rattle_error *error);
/* The vector v [2n], in the units of the model, in the basis of node k: out [d] */
void rattle__shooting_in_basis(const rattle__shooting *s, int k, const double *v, double *out);
/* Another value of the parameter; on failure the present one stays. */
rattle_status rattle__shooting_set(rattle__shooting *s, double value, rattle_error *error);
/* parameter.c: fills turn, carried and lift, at nodes whose bases are there. */
rattle_status rattle__shooting_by_parameter(rattle__shooting *s, rattle_error *error);
/* end_k - z_{k+1} in the basis of the next node [arcs*d] */
void rattle__shooting_gaps(const rattle__shooting *s, double *gap);
/* The points of an orbit at `points` times, evenly in steps; those of the first node first: out
 * [points*2n]. */
rattle_status rattle__shooting_points(rattle__shooting *s, int points, double *out,
                                      rattle_error *error);
/* The field at z [2n] in units per unit of time, by a step forward and one back [2n]. */
rattle_status rattle__shooting_flow(rattle__shooting *s, const double *z, double *flow,
                                    rattle_error *error);
/* H and its gradient in units [2n] */
rattle_status rattle__shooting_energy(rattle__shooting *s, const double *z, double *H,
                                      double *gradient, rattle_error *error);

/* How many numbers are unknown: arcs*d, ln T, the parameter; and how many describe nodes, T and the
 * parameter. */
static inline int rattle__shooting_unknowns(const rattle__shooting *s) {
  return s->arcs * s->d + 1 + s->steers;
}
static inline int rattle__shooting_numbers(const rattle__shooting *s) {
  return s->arcs * s->nz + 1 + s->steers;
}
static inline double rattle__shooting_unit(const rattle__shooting *s, int c) {
  return s->scale[c >= s->n];
}
static inline int rattle__shooting_next(const rattle__shooting *s, int k) {
  return k + 1 < s->arcs ? k + 1 : 0;
}
/* True if component c of z must close; time and its momentum need not. */
static inline int rattle__shooting_closes(const rattle__shooting *s, int c) {
  return s->clock < 0 || (c != s->clock && c != s->n + s->clock);
}
#endif
