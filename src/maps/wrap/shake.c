/* shake(map): slides along the fibre through z0, so that the map inside ends on g = 0
 * (along_fibres.c).
 *
 * Map      S_h = phi_h o exp(sum_i lambda_i X_{g_i}), lambda such that g = 0 after it
 * Source   J. P. Ryckaert, G. Ciccotti, H. J. C. Berendsen, J. Comput. Phys. 23 (1977) 327; R. I.
 *          McLachlan, K. Modin, O. Verdier, M. Wilkins, Found. Comput. Math. 14 (2014) 339
 * Claims   order 1 in (q, p), whatever phi; keeps g; never symmetric. Its fibres move with order
 *          min(2, r) */
#include "maps/wrap/along_fibres.h"

static rattle_status create(rattle__map **map, rattle__context *context, const rattle__node *node,
                            rattle_error *error) {
  return rattle__along_fibres_create(map, context, node, RATTLE__NO_PROJECTION, error);
}

const rattle__wrapper rattle__wrapper_shake = {.care = RATTLE__SLIDES,
                                               .rolls = 1,
                                               .claims = rattle__along_fibres_claims,
                                               .sensible = rattle__along_fibres_sensible,
                                               .create = create,
                                               .explain_order = rattle__along_fibres_order,
                                               .explain_claims = rattle__along_fibres_tolerance,
                                               .explain_cost = rattle__along_fibres_cost};
