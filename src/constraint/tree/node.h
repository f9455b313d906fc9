#ifndef RATTLE__TREE_NODE_H
#define RATTLE__TREE_NODE_H
/* A body of a tree in a step, with its joint to the parent; symbols in tree.h. A wrench (F, T) is
 * about the joint. */
#include "constraint/tree/tree.h"

/* The geometry at one end of a step. */
typedef struct rattle__arms {
  vec rho; /* from the joint to the centre; 0 of a body that floats */
  vec d;   /* from the parent's joint to this one */
  vec a;   /* the axis of a hinge */
} rattle__arms;

/* d(F, T) = (M, N; P, K) (way of the joint, turn) */
typedef struct rattle__blocks {
  mat M, N, P, K;
} rattle__blocks;

typedef struct rattle__motion {
  vec turn, shift; /* of the body, of its joint */
  double by;       /* of the hinge */
} rattle__motion;

struct rattle__tree_node {
  vec x, r[3]; /* the point */
  mat J;
  rattle__arms start, end; /* the same where the tree is settled */
  vec l0, L0;              /* tau times momentum and angular momentum after the kick */
  /* of the iterate: the body's turn (s, u), sine and cosine of half a hinge's, the way of the
   * joint (of the centre, if the body floats), and tau times the momenta that follow */
  double s, sine, cosine;
  vec u, way, l, L;
  vec F, T;            /* of the subtree */
  rattle__blocks A;    /* its derivative */
  vec UF, UT, VF, VT;  /* a hinge's, eliminated */
  double D, inverse_D; /* its pivot */
  double damping;      /* what comes to it; 0 but for strong dampers: damping.c */
  mat inverse_K, G,
      lift;              /* a ball's K^-1 and N K^-1; of a body that floats, M^-1 of what is left */
  double D0, K0, M0;     /* the pivots where the tree was settled */
  double right;          /* what is left of a hinge's equation, over D */
  double size_F, size_T; /* bounds of what was added up in F and T */
  double finest, finest_way; /* one over the units of corrections, of turns and of ways */
  rattle__motion go;         /* the solution */
  vec saved_F, saved_T;
};

static inline vec into(const vec *r, vec a) {
  return more(more(times(a.x, r[0]), a.y, r[1]), a.z, r[2]);
}
#endif
