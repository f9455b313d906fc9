#ifndef RATTLE__DOCTOR_QUICK_H
#define RATTLE__DOCTOR_QUICK_H
/* What the doctor can say of a problem at once, for who needs no diagnosis. */
#include "rattle/problem.h"

/* methods.c: the method to advise, for problems that SHAKE and RATTLE or second_class can integrate. */
const char *rattle__advised_method(const rattle_problem *problem);
/* frequency.c: the largest frequency of the motion at a point of psi = 0; NaN where it cannot be estimated. */
rattle_status rattle__frequency(const rattle_problem *problem, const double *q, const double *p, double *frequency,
                                rattle_error *error);
#endif
