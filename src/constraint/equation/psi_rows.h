#ifndef RATTLE__PSI_ROWS_H
#define RATTLE__PSI_ROWS_H
/* psi_i = g_i' X_H and its derivative psi_i' = g_i'' X_H + H'' (-g_p, g_q)_i as sparse rows [m x
 * 2n], for the maps that hold psi among their equations. The pattern is made once; evaluations do
 * not allocate. */
#include "constraint/step/context.h"

typedef struct rattle__psi_rows {
  const rattle_problem *problem;
  int n, m, nnz;
  int *ptr, *col; /* pattern of psi' */
  int *of_D;      /* entry of D = g'' X_H there, or -1 [nnz] */
  int *term_ptr, *term_J,
      *term_S;  /* and the sum over t of sign of g' [term_J[t]] H'' [term_S[t]] */
  double *sign; /* [jac_nnz] */
  double *D, *X, *work, *room;
} rattle__psi_rows;

/* Memory from the context's arena. */
rattle_status rattle__psi_rows_create(rattle__psi_rows **rows, rattle__context *context,
                                      rattle_error *error);
/* psi [m] and the sizes of its terms [m] from J = g' in its pattern and the gradient of H */
void rattle__psi_values(const rattle__psi_rows *rows, const double *J, const double *gradient,
                        double *psi, double *size);
/* The change of psi_i by rounding of q and p, of these sizes, psi' being known: the terms of psi_i
 * may be small together. In units of epsilon; the time is exact. */
double rattle__psi_of_rounding(const rattle__psi_rows *rows, int i, const double *derivative,
                               const double *q, const double *p);
/* psi' [nnz] at z from J, the gradient and H'' there */
rattle_status rattle__psi_derivative(rattle__psi_rows *rows, const double *z, const double *J,
                                     const double *gradient, const double *S, double *derivative,
                                     rattle_error *error);
#endif
