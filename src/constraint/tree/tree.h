#ifndef RATTLE__TREE_H
#define RATTLE__TREE_H
/* Rigid bodies joined to trees, recognised in the rows of g, and steps of SHAKE and RATTLE with one
 * drift by elimination along the tree.
 *
 * Body     coordinates x and r_j, j = 1, 2, 3, the columns of R; masses m, and d_j of r_j; rows
 *          r_j.r_k = delta_jk. A momentum (p, P_j) has the angular momentum sum_j r_j x P_j about x
 * Joint    of a body c and its parent p, or the ground: x_c + R_c r - x_p - R_p s = 0, a ball; with
 *          (R_c a).(R_p u) = 0 for two u, or (R_c u).(R_p a), a hinge, whose axis is fixed in both
 * Map      tau = h d1, k1: q1 = q0 + tau M^-1 p', p' = p0 - h k1 V_q - G0^T lambda, g(q1) = 0. With
 *          R1 = W R0 this is R1^T R1 = 1 by form, and P'_j = d_j (W - 1) r_j/tau. W is the unit
 *          quaternion (s, u); then sum_j r_j x P'_j = 2 (s J u + u x J u)/tau, J being sum_j d_j
 *          (1 - r_j r_j^T) at the start, for any multipliers of R^T R (J. Moser, A. P. Veselov,
 *          Commun. Math. Phys. 139 (1991) 217): these have no moment about x
 * Unknown  hinge: the sine of half its turn in the step, W being that of the parent times it; ball:
 *          u; body that floats, the root of its tree: u and the way of x
 * Equation of each joint, for the wrenches (F, T) = tau (p' - p0 + h k1 V_q) of its subtree about
 *          the joint: their part along the directions that the joint leaves free at the start is 0.
 *          That is the step's equation along the tangent space at q0, where multipliers vanish
 * Newton   tests at the start (index 0), trials at the iterate (1). From the leaves on, subtrees
 *          have d(F, T) = (M, N; P, K) (way of the joint, turn), and a joint is eliminated:
 *              hinge  D = a0.K a1, U = (N a1, K a1)/D, V = (P^T a0, K^T a0): less U V^T
 *              ball   M - N K^-1 P, and no more
 *          to the parent's joint over d0, d1: N -= M d1^, P += d0^ M, K += d0^ (N - M d1^) - P d1^
 *          At no turn all this is the mass matrix of the tree, symmetric: momenta go onto psi = 0
 *          by it, and the first correction takes it
 * Source   R. Featherstone, Int. J. Robotics Res. 2 (1983) 13, articulated bodies, here with two
 *          geometries
 * Loops    rows that the tree does not hold, l, are wrenches (F, T) of their bodies: closers.h
 * Loose    a coordinate y of no body has the equation way/W - tau (p_y - h k1 V_y) = 0 but for
 *          rows, W = 1/m
 * Pivots   by Jacobi's identity the product of all D, det K and det M of Newton's matrix over those
 *          of the mass matrix at q0 is det G1 M^-1 G0^T / det G0 M^-1 G0^T
 * Cost     of a body and a step: 1600 + 130 k operations for k corrections */
#include "ground/support/arena.h"
#include "constraint/step/context.h"
#include "constraint/tree/vectors.h"

typedef enum rattle__joint { RATTLE__HINGE, RATTLE__BALL, RATTLE__FLOATS } rattle__joint;

/* The constants of a body, and the columns of its coordinates. */
typedef struct rattle__tree_body {
  int parent; /* comes before; -1: the ground, or none */
  rattle__joint joint;
  int is_leaf; /* no body is joined to it */
  int x[3], r[3][3];
  double m, d[3];
  vec point, axis;       /* of the joint, as the body's columns have them */
  vec up_point, up_axis; /* as the parent's have them, or in space */
} rattle__tree_body;

typedef struct rattle__tree_node rattle__tree_node;
typedef struct rattle__closers rattle__closers;
typedef struct rattle__gradients rattle__gradients;

/* A coordinate of no body, in a step: that of a point, of a cart, or one that counts turns and does
 * not move (W = 0). */
typedef struct rattle__loose {
  int at;          /* its column */
  double W;        /* 1/mass */
  double q, p, l0; /* at the start; its momentum after the kick, and tau times that */
  double way, F;   /* of the iterate; what is left of its equation way/W - l0 */
  double go, saved_F, size, finest; /* as those of a body */
} rattle__loose;

typedef struct rattle__tree {
  int bodies, n;
  rattle__tree_body *body; /* parents first */
  rattle__tree_node *node;
  char *inside; /* scratch [bodies] */
  int loosened;
  rattle__loose *loose;
  rattle__closers *closers;     /* rows that close loops, and others; NULL: there are none */
  rattle__gradients *gradients; /* those of any form; NULL: there are none */
  int settled; /* 1: nodes have the geometry and the mass matrix of their x and r */
  /* of the last step */
  int corrections, matrices;
  double residual; /* in units of round-off */
  double fell;     /* a correction over the one before, where that was too much */
  double g, psi;   /* largest of joints and bodies, in the rows' own terms */
} rattle__tree;

/* NULL: constraints or masses are not those of a tree, or context->arena.failed. */
rattle__tree *rattle__tree_create(rattle__context *context);
/* Releases the part that the arena does not hold. */
void rattle__tree_destroy(rattle__tree *tree);

/* Geometry and mass matrix at q. 0: it is off the joints by more than round-off, or the matrix is
 * singular. */
int rattle__tree_settle(rattle__tree *tree, const double *q);

/* A kick by slopes that depend on the momenta p' of the drift, and perhaps on its end: H_q - f at
 * q0 + part (q1 - q0) and p'. Each iterate takes them anew, so that their derivative is not in
 * Newton's matrix, and corrections fall at the rate of h f_p/2; where they fall slowly by that, the
 * damping of hinges comes to their pivots. */
typedef struct rattle__tree_slopes {
  void *self;
  /* of z [2n]; not 0: there is no answer */
  int (*at)(void *self, const double *z, double *slopes);
  double part;
  double *z, *going; /* scratch [2n], [n] */
} rattle__tree_slopes;

/* A step: tau, kick = h k1. V_q at z0 [n], not read if kick is 0; with slopes it is what they come
 * to, at the end of the drift in the end. */
typedef struct rattle__tree_step {
  double tau, kick;
  const double *z0;
  double *V_q;
  const rattle__tree_slopes *slopes; /* NULL: V_q is known */
} rattle__tree_step;

/* z1 = (q1, p') from z0, where the tree is settled. 0: the step is in doubt; z1 is anything. */
int rattle__tree_positions(rattle__tree *tree, const rattle__tree_step *step, double *z1);

/* damping.c: after an iteration whose corrections fell slowly, the damping of hinges at the start
 * of the step, for the matrices from now on; 0: that is not why. And none again. */
int rattle__tree_find_damping(rattle__tree *tree, const rattle__tree_step *step);
void rattle__tree_forget_damping(rattle__tree *tree);

/* p of z, at whose q the tree is settled, onto psi = 0. */
void rattle__tree_momenta(rattle__tree *tree, double *z);
#endif
