/* Fibres in steps of expressions: kicks, or those in closed form (constraint/fibre/closed.h). */
#include <stdlib.h>

#include "maps/emitted/stages_maker.h"

rattle_status rattle__stages_fibre(rattle__stages_maker *k) {
  return k->curved
             ? rattle__closed_fibre_make(&k->fibre, &(rattle__closed_from){.graph = k->graph,
                                                                           .dg = k->dg,
                                                                           .column = k->column,
                                                                           .n = k->n,
                                                                           .m = k->m,
                                                                           .places = k->e->places})
             : RATTLE_OK;
}

rattle_expr rattle__stages_slowness(const rattle__stages_maker *k, const rattle_expr *s, int j) {
  return k->curved ? rattle__closed_fibre_slowness(&k->fibre, k->graph, s, j)
                   : rattle_expr_constant(k->graph, 1);
}

/* p - G^T s */
static void kick(rattle__stages_maker *k, const rattle_expr *z, const rattle_expr *s,
                 rattle_expr *out) {
  for (int c = 0; c < k->n; c++) {
    const rattle_expr pull = rattle__product(k->graph, k->m, k->dg + c, 2 * k->n, s, 1);
    out[c] = z[c];
    out[k->n + c] = rattle__minus(k->graph, z[k->n + c], pull);
  }
}

void rattle__stages_flow(rattle__stages_maker *k, const rattle_expr *z, const rattle_expr *s,
                         rattle_expr *out) {
  if (k->curved)
    rattle__closed_fibre_flow(&k->fibre, k->graph, z, s, out);
  else
    kick(k, z, s, out);
}

rattle_expr rattle__stages_flow_by(const rattle__stages_maker *k, const rattle_expr *out,
                                   const rattle_expr *s, int j, int c) {
  if (!k->curved) return rattle__stages_Xg(k, j, c);
  return rattle__over(k->graph, rattle__closed_fibre_field(&k->fibre, k->graph, j, out, c, 1),
                      rattle__stages_slowness(k, s, j));
}
