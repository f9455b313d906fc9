#ifndef TESTS_METHODS_H
#define TESTS_METHODS_H
/* The methods by which a row of the table is tried: what the loops over the table share (claims,
 * purity, allocations). */
#include "../reference/common_problems.h"
#include "rattle/rattle.h"

enum { METHODS_MAX = 72 };
typedef char methods_text[96];

/* The problems of both tables, those of first class before those of second class. */
int methods_problem_count(void);
const tests_problem *methods_problem(int i);

/* True if the method makes trajectories; samplers, which make none, are measured in
 * test_samplers.c. */
int methods_makes_trajectories(const rattle_method_row *row);

/* The methods by which the row is tried on that problem; 0: there are none. Aborts on a row or
 * parameters that it does not know. */
int methods_of(const rattle_method_row *row, const tests_problem *problem,
               methods_text methods[METHODS_MAX]);
#endif
