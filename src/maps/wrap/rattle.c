/* rattle(map, project=step|output): shake, and then a slide along the fibre onto the hidden
 * constraints psi = 0 (along_fibres.c).
 *
 * Map      R_h = exp(sum_i sigma_i X_{g_i}) o phi_h o exp(sum_i lambda_i X_{g_i}), lambda such that
 *          g = 0 and sigma such that psi = 0 after it. project=output: the second slide is made for
 *          points of output alone
 * Source   H. C. Andersen, J. Comput. Phys. 52 (1983) 24; R. I. McLachlan, K. Modin, O. Verdier, M.
 *          Wilkins, Found. Comput. Math. 14 (2014) 339
 * Claims   order min(2, r) for a phi of order r; symmetric and symplectic as phi; keeps g and
 *          psi */
#include "maps/wrap/along_fibres.h"

static rattle_status create(rattle__map **map, rattle__context *context, const rattle__node *node,
                            rattle_error *error) {
  const rattle__projection projection =
      rattle__projects_output(node) ? RATTLE__PROJECT_OUTPUT : RATTLE__PROJECT_STEP;
  return rattle__along_fibres_create(map, context, node, projection, error);
}

static void explain_claims(rattle__text *out, const rattle__node *node) {
  if (rattle__projects_output(node))
    rattle__put(out, "  project=output: order and symmetry are those of the output, which "
                     "satisfies psi = 0; steps do not.\n");
  rattle__along_fibres_tolerance(out, node);
}

static void explain_cost(rattle__text *out, const rattle__node *node, int applications) {
  rattle__explain_solves(out, applications, !rattle__projects_output(node));
  if (rattle__projects_output(node)) rattle__put(out, "; one for those of psi = 0 for each output");
}

const rattle__wrapper rattle__wrapper_rattle = {.care = RATTLE__SLIDES,
                                                .rolls = 1,
                                                .claims = rattle__along_fibres_claims,
                                                .sensible = rattle__along_fibres_sensible,
                                                .create = create,
                                                .explain_order = rattle__along_fibres_order,
                                                .explain_claims = explain_claims,
                                                .explain_cost = explain_cost};
