/* How stages and the end of a step follow from others. */
#include "maps/emitted/stages_maker.h"

typedef rattle__stages_maker maker;

rattle_expr rattle__stages_slope(maker *k, int l, int c) {
  if (c < k->n && k->swift[c]) return k->V[l * k->n + c];
  return rattle__sides_of(&k->at_stage[l], k->e, k->X[c]);
}

rattle_expr rattle__stages_combine(maker *k, int j, int c) {
  const int part = c >= k->n;
  rattle_expr sum = k->plus[c];
  for (int l = 0; l < k->t->stages; l++)
    if (rattle__stages_weight(k, part, j, l) != 0)
      sum = rattle__plus(k->graph, sum,
                         rattle__times(k->graph, *rattle__stages_weighted(k, part, j, l),
                                       rattle__stages_slope(k, l, c)));
  return sum;
}

rattle_expr rattle__stages_followed(maker *k, int j, int c) {
  const int pair = c - k->n;
  if (c < k->n || !k->swift[pair]) return rattle__stages_combine(k, j, c);
  const rattle_expr inverse = rattle__sides_of(&k->at_stage[j], k->e, k->inverse_mass[pair]),
                    shift = rattle__sides_of(&k->at_stage[j], k->e, k->shift[pair]);
  return rattle__minus(k->graph, rattle__times(k->graph, k->V[j * k->n + pair], inverse), shift);
}
