#ifndef RATTLE__COEFFICIENTS_H
#define RATTLE__COEFFICIENTS_H
/* Coefficients of compositions: fractions gamma[0..stages) of the step h, so that the composed map
 * is
 *
 *     Psi_h = phi_{gamma[s-1] h} o ... o phi_{gamma[0] h},    gamma symmetric, sum gamma = 1. */
#include "method/notation/row.h"

/* Sets that other methods are made with. */
extern const rattle__composition rattle__composition_sofroniou_spaletta6_11,
    rattle__composition_kahan_li8;

/* Stages that raise the order of a symmetric map from inner_order to `order`: 3^((order -
 * inner_order)/2), for which gamma has room. */
int rattle__triple_jump_stages(int inner_order, int order);
void rattle__triple_jump(int inner_order, int order, long double *gamma);
#endif
