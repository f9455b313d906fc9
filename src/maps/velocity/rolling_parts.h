#ifndef RATTLE__ROLLING_PARTS_H
#define RATTLE__ROLLING_PARTS_H
/* The step of rattle under constraints on velocities for natural H, as expressions
 * (maps/emitted/emitted.h):
 *
 *     FIRST    of q0: V_q, C, N = C W C^T, W = M^-1
 *     BEGIN    v' = W (p0 - k1 h V_q), B = W C^T, units of round-off
 *     LOOK     v = v' - B lambda, q1 = q0 + H v, H = d1 h; f = (g(q1)/H, A((q0 + q1)/2) v)
 *     NEWTON   R = -df/dlambda = (g'(q1), A + H/2 (A v)_q) B
 *     END      p1 = p0 - C^T lambda - k1 h V_q - k2 h V_q(q1); FIRST of q1; psi = C1 W p1; C1 B
 *     LAND     p1 -= C1^T sigma; psi
 *     ENERGY   V(q1) and the kinetic energy of p1
 *     NEXT     what END found is what FIRST finds
 *
 * rolling_loop.h solves the linear equations: lambda += N^-1 f or R^-1 f, sigma = N1^-1 psi. */
#include "maps/emitted/emitted.h"
#include "maps/natural/natural.h"

enum {
  PART_FIRST,
  PART_BEGIN,
  PART_LOOK,
  PART_NEWTON,
  PART_END,
  PART_LAND,
  PART_ENERGY,
  PART_NEXT
};

/* The parts of that step; UNSUITABLE, without a message, where it is not one of these or too
 * large. e is to be ended in any case. */
rattle_status rattle__rolling_parts(rattle__emitted *e, const rattle_problem *problem,
                                    const rattle__scheme *scheme, rattle_error *error);
#endif
