#ifndef RATTLE__CLOSED_H
#define RATTLE__CLOSED_H
/* Fibres of quadratic g as expressions. X_g = A z + a with A^3 = kappa A, A^2 a = kappa a moves
 * along
 *
 *     z(s) = z + w (X + s/2 A X),   X = X_g(z),   w = s/(1 - kappa s^2/4),   dz/ds = X_g(z(s)) w/s,
 *
 * a line, a parabola, a circle or a hyperbola, s being 2 tan(omega t/2)/omega, t or 2 tanh(omega
 * t/2)/omega of the time t along X_g: no function is called, and s = t + O(t^3). The fields of all
 * g_j commute, so that one motion may follow the other. A, a and kappa are taken as the numbers
 * that they are. */
#include "ground/support/error.h"
#include "rattle/expr.h"

typedef struct rattle__closed_fibre {
  int n, m;
  double *A, *a, *kappa; /* [m][2n][2n], [m][2n], [m]: one block */
  rattle_expr *scratch;  /* [4n] */
} rattle__closed_fibre;

/* From dg, the derivatives of g [m][2n], expressions in the variables column[c] of z, of which the
 * graph has `places`; of g(q), all kappa are 0. UNSUITABLE: fibres have no such form, or do not
 * commute. To be released in any case. */
typedef struct rattle__closed_from {
  rattle_graph *graph;
  const rattle_expr *dg;
  const int32_t *column;
  int n, m, places;
} rattle__closed_from;
rattle_status rattle__closed_fibre_make(rattle__closed_fibre *fibre,
                                        const rattle__closed_from *from);
void rattle__closed_fibre_release(rattle__closed_fibre *fibre);

/* out [2n]: from z along the fibre up to the parameters s [m]. */
void rattle__closed_fibre_flow(const rattle__closed_fibre *fibre, rattle_graph *graph,
                               const rattle_expr *z, const rattle_expr *s, rattle_expr *out);
/* Element c of A_j z, or of A_j z + a_j; s_j/w. */
rattle_expr rattle__closed_fibre_field(const rattle__closed_fibre *fibre, rattle_graph *graph,
                                       int j, const rattle_expr *z, int c, int whole);
rattle_expr rattle__closed_fibre_slowness(const rattle__closed_fibre *fibre, rattle_graph *graph,
                                          const rattle_expr *s, int j);
#endif
