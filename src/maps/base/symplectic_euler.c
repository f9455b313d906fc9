/* symplectic_euler(a|b)
 *
 * Map      a:  p1 = p0 - h H_q(q0,p1),  q1 = q0 + h H_p(q0,p1);     b, the adjoint:  H_q, H_p at
 *          (q1,p0)
 * Source   R. de Vogelaere, report 4, University of Notre Dame (1956); Hairer, Lubich, Wanner,
 *          Geometric Numerical Integration, I.1.2
 * Claims   order 1, symplectic, explicit on separable H
 * Cost     one gradient per step
 * Differs  nothing */
#include "maps/base/base.h"

#include <string.h>

static int form_b(const rattle__node *node) {
  return strcmp(node->argument[0].word, "b") == 0;
}

static void scheme(const rattle__node *node, rattle__scheme *s) {
  *s = form_b(node) ? (rattle__scheme){0, 1, 1, 0, 0} : (rattle__scheme){1, 1, 0, 0, 0};
}

static void tableau(const rattle__node *node, rattle__tableau *t) {
  *t = (rattle__tableau){.stages = 1, .b = {1}};
  (form_b(node) ? t->a : t->ahat)[0][0] = 1;
}

const rattle__base rattle__symplectic_euler = {.scheme = scheme, .tableau = tableau};
