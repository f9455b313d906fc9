#ifndef RATTLE__PROBLEM_NATIVE_H
#define RATTLE__PROBLEM_NATIVE_H
/* The functions of a problem as machine code. */
#include "ground/expr/native.h"
#include "problem/functions/problem.h"

/* H, V, T, g and the forces as machine code by problem->evaluator, all in one object if they are
 * small. Fails with RATTLE__NATIVE alone. */
rattle_status rattle__problem_native(rattle_problem *problem, rattle_error *error);

/* A problem with the same functions as machine code that was compiled after `problem` was made;
 * `problem` must outlive it. NULL if there is no such code, which is then ordered. */
rattle_status rattle__problem_view(rattle_problem **view, const rattle_problem *problem,
                                   rattle__orders *orders, rattle_error *error);
void rattle__problem_view_destroy(rattle_problem **view);
/* The evaluator of the options; auto: for few steps, machine code only if it was compiled
 * before. */
rattle__evaluator rattle__choose_evaluator(const rattle_problem_options *options,
                                           const rattle_model *model);
#endif
