#ifndef TESTS_SECOND_CLASS_H
#define TESTS_SECOND_CLASS_H
/* Second-class constraints: problems, and the exact solution from the Dirac bracket, in long
 * double.
 *
 *     z' = X_H + sum lambda_j X_{g_j},  sum_j {g_i,g_j} lambda_j = -{g_i,H}                 (z' =
 *     {z,H}*) */
#include "common_reference.h"

extern const tests_problem tests_second_class[];
extern const int tests_second_class_count;

/* Index in the table above, -1 if it is not there. */
int second_class_index(const tests_problem *problem);
/* problem->near moved onto g = 0 with least change, rounded to double */
int second_class_start(const tests_problem *problem, double *q, double *p);
/* The solution at time t, in place, by an 8-stage Gauss rule. */
int second_class_flow(const tests_problem *problem, long double t, int steps, long double *z);
#endif
