#ifndef RATTLE__TREE_ELIMINATE_H
#define RATTLE__TREE_ELIMINATE_H
/* The elimination of one joint, and the way back; symbols in tree.h. The rest goes to the parent
 * `up`, NULL: there is none. */
#include "constraint/tree/node.h"

/* A subtree's blocks about the parent's joint. */
static inline void hand_blocks(const rattle__tree_node *w, const rattle__blocks *A,
                               rattle__tree_node *up) {
  const vec d0 = w->start.d, d1 = w->end.d;
  const mat N = mat_minus(A->N, mat_hat(A->M, d1));
  up->A.M = mat_plus(up->A.M, A->M);
  up->A.N = mat_plus(up->A.N, N);
  up->A.P = mat_plus(up->A.P, mat_plus(A->P, hat_mat(d0, A->M)));
  up->A.K = mat_plus(up->A.K, mat_plus(mat_minus(A->K, mat_hat(A->P, d1)), hat_mat(d0, N)));
}

static inline void hinge_blocks(rattle__tree_node *w, rattle__tree_node *up) {
  const rattle__blocks A = w->A;
  const vec a0 = w->start.a, Ka = mat_vec(A.K, w->end.a);
  w->D = dot(a0, Ka) + w->damping;
  w->inverse_D = 1 / w->D;
  w->UF = times(w->inverse_D, mat_vec(A.N, w->end.a));
  w->UT = times(w->inverse_D, Ka);
  w->VF = transposed_vec(A.P, a0);
  w->VT = transposed_vec(A.K, a0);
  if (!up) return;
  const rattle__blocks left = {
      .M = less_outer(A.M, w->UF, w->VF),
      .N = less_outer(A.N, w->UF, w->VT),
      .P = less_outer(A.P, w->UT, w->VF),
      .K = less_outer(A.K, w->UT, w->VT),
  };
  hand_blocks(w, &left, up);
}

/* The turn of a ball, or of a body that floats. Returns det K. */
static inline double ball_blocks(rattle__tree_node *w) {
  double K;
  w->inverse_K = inverse(w->A.K, &K);
  w->G = mat_mat(w->A.N, w->inverse_K);
  w->A.M = mat_minus(w->A.M, mat_mat(w->G, w->A.P));
  return K;
}

static inline void ball_to_parent(const rattle__tree_node *w, rattle__tree_node *up) {
  const vec d0 = w->start.d;
  const mat Md = mat_hat(w->A.M, w->end.d);
  up->A.M = mat_plus(up->A.M, w->A.M);
  up->A.N = mat_minus(up->A.N, Md);
  up->A.P = mat_plus(up->A.P, hat_mat(d0, w->A.M));
  up->A.K = mat_minus(up->A.K, hat_mat(d0, Md));
}

/* The wrench of the subtree: what its joint says of it is kept, the rest goes to the parent. */
static inline void hand_wrench(rattle__joint joint, rattle__tree_node *w, rattle__tree_node *up) {
  vec F = w->F, T = vec_of(0, 0, 0);
  if (joint == RATTLE__HINGE) {
    const double left = dot(w->start.a, w->T);
    w->right = left * w->inverse_D;
    if (!up) return;
    F = more(F, -left, w->UF);
    T = more(w->T, -left, w->UT);
  } else {
    if (!up) return;
    F = minus(F, mat_vec(w->G, w->T));
  }
  up->F = plus(up->F, F);
  up->T = plus(up->T, plus(T, cross(w->start.d, F)));
}

/* The solution for one joint. */
static inline void solve(rattle__joint joint, rattle__tree_node *w, const rattle__tree_node *up) {
  vec turn = vec_of(0, 0, 0), shift = turn;
  if (up) turn = up->go.turn, shift = plus(up->go.shift, cross(up->go.turn, w->end.d));
  if (joint == RATTLE__HINGE) {
    w->go.by = -w->right;
    if (up) w->go.by -= w->inverse_D * (dot(w->VF, shift) + dot(w->VT, turn));
    w->go.turn = more(turn, w->go.by, w->end.a);
  } else {
    if (joint == RATTLE__FLOATS) {
      const vec F = minus(w->F, mat_vec(w->G, w->T));
      shift = times(-1, mat_vec(w->lift, F));
    }
    w->go.turn = times(-1, mat_vec(w->inverse_K, plus(w->T, mat_vec(w->A.P, shift))));
  }
  w->go.shift = shift;
}
#endif
