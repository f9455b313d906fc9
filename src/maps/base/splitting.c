/* splitting(name): alternating drifts and kicks, of lengths that the model gives, for separable H =
 * T(p) + V(q).
 *
 * Map      q += c_i h T_p(p), p -= d_i h V_q(q), i = 1 .. k
 * Source   R. D. Ruth, IEEE Trans. Nucl. Sci. 30 (1983) 2669; Hairer, Lubich, Wanner, Geometric
 *          Numerical Integration, II.5
 * Claims   symplectic, explicit; order by the conditions of words in T and V, symmetric where the
 *          parts read the same from both ends (problem/model/user_coefficients.h). For quadratic T
 *          the order may be higher than is said
 * Needs    separable H
 * Cost     one V_q a kick, one T_p a drift if T is not p^T M^-1 p/2
 * Differs  parts of length 0 are omitted */
#include "problem/model/user_coefficients.h"
#include "maps/base/base.h"

static rattle_status create(rattle__map **map, rattle__context *context, const rattle__node *node,
                            rattle_error *error) {
  const rattle__given *given = node->given;
  double length[2 * RATTLE__GIVEN_PARTS + 1] = {0};
  if (!(context->problem->flags & RATTLE_SEPARABLE))
    return rattle__fail(error, RATTLE_UNSUITABLE, "splitting",
                        "splitting(%s) needs a separable H = T(p) + V(q), and this H is not "
                        "separable: use midpoint or gauss",
                        given->found.name);
  for (int i = 0; i < given->found.stages; i++) {
    length[2 * i + 1] = given->c[i];
    length[2 * i + 2] = given->d[i];
  }
  const rattle__parts parts = {
      .length = length, .count = 2 * given->found.stages + 1, .symmetric = given->found.symmetric};
  return rattle__parts_create(map, context, &parts, error);
}

const rattle__base rattle__splitting = {.create = create, .given = "splitting"};
