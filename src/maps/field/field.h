#ifndef RATTLE__FIELD_H
#define RATTLE__FIELD_H
/* Vector fields on phase space: what a base map integrates. X_H, or one of the underlying equations
 * of a constrained system:
 *
 *     z' = f(z, u),   0 = r(z, u)        z = (q, p) [2n];  u [k]: multipliers and the like,
 *     determined by z
 *
 * A field owns its scratch: one thread at a time. */
#include <stdio.h>

#include "method/notation/method.h"
#include "problem/functions/problem.h"

typedef struct rattle__field rattle__field;

/* The field of a node of kind field; NULL stands for X_H. jacobian: rattle__field_jacobian will be
 * called. RATTLE_UNSUITABLE says why a problem has no such field. */
rattle_status rattle__field_create(rattle__field **field, const rattle_problem *problem,
                                   const rattle__node *node, int jacobian, rattle_error *error);
void rattle__field_destroy(rattle__field **field);

/* f[2n] at z[2n]. RATTLE_SINGULAR or RATTLE_NOT_CONVERGED if u is not determined; RATTLE_CALLBACK.
 * The caller checks results that are not finite. */
rattle_status rattle__field_value(rattle__field *field, const double *z, double *f,
                                  rattle_error *error);
/* F[2n*2n] = df/dz by rows, at the z of the last rattle__field_value; exact. */
rattle_status rattle__field_jacobian(rattle__field *field, double *F, rattle_error *error);
/* True if a few straight lines of machine code can compute the values; and those lines: static
 * inline void field(const double *z, double *f), with the bits of rattle__field_value. */
int rattle__field_is_straight(const rattle__field *field);
void rattle__field_emit(const rattle__field *field, FILE *out);
/* True if the state contains other momenta than the output (impetus); and the conversion of z[2n]
 * to output. */
int rattle__field_shows(const rattle__field *field);
rattle_status rattle__field_show(rattle__field *field, double *z, rattle_error *error);
#endif
