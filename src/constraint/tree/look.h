#ifndef RATTLE__TREE_LOOK_H
#define RATTLE__TREE_LOOK_H
/* The part of one body in the equations at an iterate; symbols in tree.h. */
#include "constraint/tree/node.h"

/* 2 (s J u + u x J u) of a turn, tau times its angular momentum. */
static inline vec angular(const rattle__tree_node *w) {
  const vec Ju = mat_vec(w->J, w->u);
  return times(2, more(cross(w->u, Ju), w->s, Ju));
}

/* The body's turn and the way of its joint, from the parent's and the joint's own. */
static inline void pose(rattle__joint joint, rattle__tree_node *w, const rattle__tree_node *up) {
  if (joint == RATTLE__HINGE) {
    const vec a = w->start.a;
    w->cosine = sqrt(1 - w->sine * w->sine);
    w->s = w->cosine, w->u = times(w->sine, a);
    if (up) {
      w->s = up->s * w->cosine - w->sine * dot(up->u, a);
      w->u = more(times(w->cosine, up->u), w->sine, more(cross(up->u, a), up->s, a));
    }
  } else
    w->s = sqrt(1 - dot(w->u, w->u));
  if (joint == RATTLE__FLOATS) return;
  w->way = up ? plus(up->way, turned(up->s, up->u, w->start.d)) : vec_of(0, 0, 0);
}

/* The wrench that is left of its momenta; `judge`: and the sizes of its terms. */
static inline void look(double m, rattle__tree_node *w, int judge) {
  const vec rho = w->start.rho;
  w->l = times(m, plus(w->way, turned(w->s, w->u, rho)));
  w->L = angular(w);
  w->F = minus(w->l, w->l0);
  w->T = plus(minus(w->L, w->L0), cross(rho, w->F));
  if (!judge) return;
  w->size_F = extent(w->l) + extent(w->l0);
  w->size_T = extent(w->L) + extent(w->L0) + extent(rho) * w->size_F;
}

/* The geometry at the iterate. */
static inline void move_arms(rattle__tree_node *w, const rattle__tree_node *up) {
  w->end.rho = plus(w->start.rho, turned(w->s, w->u, w->start.rho));
  w->end.a = plus(w->start.a, turned(w->s, w->u, w->start.a));
  if (up) w->end.d = plus(w->start.d, minus(w->way, up->way));
}

/* The body's own blocks. With B = s J - (J u)^ + u^ J the derivative of L by a turn is
 * s B - B u^ - (J u) u^T; at no turn that is J. */
static inline void own_blocks(double m, rattle__tree_node *w, int at_rest) {
  const vec rho0 = w->start.rho, rho1 = w->end.rho, u = w->u;
  mat K = w->J;
  if (!at_rest) {
    const vec Ju = mat_vec(w->J, u);
    const mat B = mat_plus(mat_minus(mat_times(w->s, w->J), hat(Ju)), hat_mat(u, w->J));
    K = less_outer(mat_minus(mat_times(w->s, B), mat_hat(B, u)), Ju, u);
  }
  /* - m rho0^ rho1^ = m (rho0.rho1 - rho1 rho0^T) */
  K = mat_plus(K, diagonal(m * dot(rho0, rho1)));
  w->A = (rattle__blocks){.M = diagonal(m),
                          .N = hat(times(-m, rho1)),
                          .P = hat(times(m, rho0)),
                          .K = less_outer(K, times(m, rho1), rho0)};
}
#endif
