#ifndef CAMPAIGN_GENERAL_H
#define CAMPAIGN_GENERAL_H
/* Problems of any kind in long double: z = (q, p), slides along fibres, hidden constraints. */
#include "problem.h"

enum { ENTRIES = 2 * PAIRS };

typedef struct general_point {
  long double H, dH[ENTRIES], force[PAIRS];
  long double g[CONSTRAINTS],
      error[CONSTRAINTS]; /* error: of g in a double evaluation, units of eps */
  long double dg[CONSTRAINTS * ENTRIES];
} general_point;

/* functions: FORMULA_H, FORMULA_G or both; the rest of *at is left as it is. */
void general_evaluate(const problem *pr, const long double *z, unsigned functions,
                      formula_work *work, general_point *at);
/* X_H = (H_p, -H_q + force) */
void general_field(const problem *pr, const general_point *at, long double *x);
/* psi_i = {g_i, H}; size[i] (may be NULL): the sum of the magnitudes of its terms */
void general_hidden(const problem *pr, const general_point *at, long double *psi,
                    long double *size);
/* C_ij = {g_i, g_j} */
void general_brackets(const problem *pr, const general_point *at, long double *C);
/* z -> exp(sum s_i X_{g_i})(z). Returns 1 if it leaves what can be computed. */
int general_slide(const problem *pr, const long double *s, formula_work *work, long double *z);
/* N_ij = d psi_i/d s_j at z, by differences in long double. */
int general_matrix(const problem *pr, const long double *z, formula_work *work, long double *N);
/* True if coordinate k is the time. */
int general_is_time(const problem *pr, int k);
/* Sizes in which z_k is near 1: length for coordinates, mass length/time for momenta; time and
 * energy for those of time. */
long double general_size(const problem *pr, int k);
/* How far a unit of s_i slides z, in those sizes. */
void general_reach(const problem *pr, const general_point *at, long double *reach);
#endif
