#ifndef RATTLE__MODEL_SWEEPS_H
#define RATTLE__MODEL_SWEEPS_H
/* The part of H that is the motion of bodies along a tree of joints, and their weight, as numbers:
 * what problem/functions/sweeps.c evaluates by sweeps along the tree. The same part of H is there
 * as an expression too. */
#include "rattle/expr.h"

/* A frame that a joint moves in the frame before it, and what is fixed to it. */
enum { RATTLE__STRAIGHT = 3, RATTLE__SKEW };
typedef struct rattle__sweep_node {
  enum { RATTLE__TURN, RATTLE__SLIDE, RATTLE__BALL } kind;
  int before;  /* number of the node before, which is less; -1: the ground */
  int pair[4]; /* pairs of the model: one of a hinge or slide, the quaternion of a ball */
  int axis;    /* of the frame, that the joint acts along: 0 to 2 */
  double sign; /* -1: against this axis; of a ball: it turns the frame before in this one */
  double turn[9], r[3]; /* where the frame stands in the one before, the joint being at 0 */
  int way;              /* how it is turned then: 0 to 2 about this axis alone, RATTLE__STRAIGHT not
                           at all, RATTLE__SKEW in any way */
  double mass, first[3], inertia[6]; /* of bodies fixed to it: mass, moment m c, inertia about the
                                        origin xx, xy, xz, yy, yz, zz */
  double armature; /* of hinges and slides: the inertia of a rotor that has the rate of the joint */
  double scale;    /* of balls: a large moment of inertia, for the part of p along Q, which is 0 */
} rattle__sweep_node;

/* How many pairs move it. */
static inline int rattle__sweep_pairs(const rattle__sweep_node *node) {
  return node->kind == RATTLE__BALL ? 4 : 1;
}

/* The axis of a hinge that turns about an axis of the frame before, else -1. */
static inline int rattle__sweep_plain_axis(const rattle__sweep_node *node) {
  return node->kind == RATTLE__TURN && node->way == node->axis ? node->axis : -1;
}

typedef struct rattle__model_sweeps {
  rattle__sweep_node *node; /* [count] */
  int count;
  double gravity[3];
  rattle_expr whole, rest; /* H, if it is still the one that the nodes belong to, and H without
                              their part; NONE: 0 */
} rattle__model_sweeps;

/* How many nodes are balls, of whose quaternions the length is no motion; tree may be NULL. */
static inline int rattle__sweeps_balls(const rattle__model_sweeps *tree) {
  int balls = 0;
  for (int i = 0; tree && i < tree->count; i++) balls += tree->node[i].kind == RATTLE__BALL;
  return balls;
}
#endif
