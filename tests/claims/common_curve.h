#ifndef TESTS_CURVE_H
#define TESTS_CURVE_H
/* The truth about a step that knows the constraints by itself (reference/common_steps.h), as
 * common_guards.h has it for RATTLE: the multipliers are followed from those of the differential
 * equation; the step exists where the curve reaches h without a fold (det r' = 0) or a degenerate
 * point (det N = 0). */
#include "../reference/common_steps.h"
#include "common_guards.h"

/* Returns 1 if the truth is not known: a piece could not be solved, and no fold is near. */
int curve_follow(const steps_equation *equation, long double h, const long double *z0,
                 guards_truth *truth);
#endif
