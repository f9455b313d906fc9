#ifndef RATTLE__ANSWERS_H
#define RATTLE__ANSWERS_H
/* Answers of callbacks: a negative number is fatal, wherever in a step it was given.
 *
 * Many rooms ask for derivatives that they can do without (N for a guess, for the guard, for a
 * summary), and rightly go on if a point cannot be evaluated, which callbacks say by a positive
 * number. They need not know fatal answers: the integrator's view of the problem repeats a fatal
 * answer in place of all later calls, and the step or the run ends with it as the error. */
#include "problem/functions/problem.h"

typedef struct rattle__answers {
  int fatal;        /* the first negative answer since this was 0 */
  const char *what; /* the callback that gave it */
} rattle__answers;

/* The problem, which must outlive it, with functions that write their fatal answers into *answers.
 * rattle__problem_view_destroy frees it. */
rattle_status rattle__problem_answered(rattle_problem **view, const rattle_problem *problem,
                                       rattle__answers *answers, rattle_error *error);
/* The error of the fatal answer if there was one, otherwise status. */
rattle_status rattle__answers_end(const rattle__answers *answers, rattle_status status,
                                  rattle_error *error);
#endif
