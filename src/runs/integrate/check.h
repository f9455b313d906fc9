#ifndef RATTLE__INTEGRATOR_CHECK_H
#define RATTLE__INTEGRATOR_CHECK_H
#include "ground/support/error.h"
#include "method/notation/method.h"
#include "problem/functions/problem.h"

/* RATTLE_UNSUITABLE with what to use instead: maps that ignore the problem's constraints, options
 * that exclude one another. */
rattle_status rattle__integrator_check(const rattle_problem *problem, const rattle_method *method,
                                       rattle_error *error);
#endif
