/* verlet(a|b): Stoermer-Verlet.
 *
 * Map      a: p½ = p0 - h/2 H_q(q0,p½); q1 = q0 + h/2 (H_p(q0,p½) + H_p(q1,p½)); p1 = p½ - h/2
 *          H_q(q1,p½) b: q½ = q0 + h/2 H_p(q½,p0); p1 = p0 - h/2 (H_q(q½,p0) + H_q(q½,p1)); q1 = q½
 *          + h/2 H_p(q½,p1)
 * Source   Hairer, Lubich, Wanner, Geometric Numerical Integration, VI.3; form a: McLachlan, Modin,
 *          Verdier, Wilkins (2014), section 5.1.3
 * Claims   order 2, symmetric, symplectic, explicit on separable H
 * Cost     one gradient of V per step on separable H (form a keeps its last one)
 * Differs  nothing */
#include "maps/base/base.h"

#include <string.h>

static int form_b(const rattle__node *node) {
  return strcmp(node->argument[0].word, "b") == 0;
}

static void scheme(const rattle__node *node, rattle__scheme *s) {
  *s = form_b(node) ? (rattle__scheme){0, 0.5, 1, 0.5, 1} : (rattle__scheme){0.5, 1, 0.5, 0, 1};
}

/* the Lobatto IIIA-IIIB pair with two stages, either way round */
static void tableau(const rattle__node *node, rattle__tableau *t) {
  *t = (rattle__tableau){.stages = 2, .b = {0.5, 0.5}, .symmetric = 1};
  int b = form_b(node);
  double(*trapezoid)[RATTLE__STAGES] = b ? t->ahat : t->a,
  (*box)[RATTLE__STAGES] = b ? t->a : t->ahat;
  trapezoid[1][0] = trapezoid[1][1] = 0.5;
  box[0][0] = box[1][0] = 0.5;
}

const rattle__base rattle__verlet = {.scheme = scheme, .tableau = tableau};
