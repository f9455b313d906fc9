/* velocity_verlet: Verlet's method with velocities at the same times as positions.
 *
 * Map      q1 = q0 + h v0 + h^2/2 a(q0),  v1 = v0 + h/2 (a(q0) + a(q1));  a = -M^-1 V_q, v = M^-1
 *          p: verlet(a) written otherwise
 * Source   W. C. Swope, H. C. Andersen, P. H. Berens, K. R. Wilson, J. Chem. Phys. 76 (1982) 637
 * Claims   order 2, symmetric, symplectic, explicit on separable H
 * Cost     one gradient of V
 * Differs  nothing */
#include "maps/base/base.h"

static void scheme(const rattle__node *node, rattle__scheme *s) {
  (void)node;
  *s = (rattle__scheme){0.5, 1, 0.5, 0, 1};
}

static void tableau(const rattle__node *node, rattle__tableau *t) {
  rattle__verlet.tableau(node, t);
}

const rattle__base rattle__velocity_verlet = {.scheme = scheme, .tableau = tableau};
