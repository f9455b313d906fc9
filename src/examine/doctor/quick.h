#ifndef RATTLE__DOCTOR_QUICK_H
#define RATTLE__DOCTOR_QUICK_H
/* Results of the doctor that need no diagnosis. */
#include "rattle/method.h"
#include "rattle/problem.h"

/* methods.c: each row of the table in an expression that could integrate the problem, or not: visit
 * is called for all of them in the order of the table. */
typedef void (*rattle__visit)(void *self, const rattle_method_row *row, const char *method);
void rattle__each_method(const rattle_problem *problem, rattle__visit visit, void *self);
/* frequency.c: the largest frequency of the motion at a point of psi = 0; NaN if it cannot be
 * estimated, 0 if nothing moves there, nor would if pushed. */
rattle_status rattle__frequency(const rattle_problem *problem, const double *q, const double *p,
                                double *frequency, rattle_error *error);
#endif
