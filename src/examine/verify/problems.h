#ifndef RATTLE__VERIFY_PROBLEMS_H
#define RATTLE__VERIFY_PROBLEMS_H
/* The problems of `rattle verify` as subjects: residuals by the library's functions, their
 * derivatives by differences, and the solution of the equations of motion without multipliers
 * (gauss(6), with constraints of the Hamilton-Dirac equations), which shares no step with shake,
 * rattle or a plug-in. */
#include "rattle/problem.h"
#include "rattle/slide.h"
#include "examine/verify/measure.h"

typedef struct rattle__known_problem {
  rattle__measured_problem subject;
  rattle_model *model;
  rattle_problem *problem;
  rattle_slider *slider;              /* NULL if m = 0 */
  struct rattle_integrator *solution; /* of the reference */
  double end[RATTLE__SUBJECT_2N],
      step; /* the solution at subject.span, and the step by which it was found */
} rattle__known_problem;

int rattle__known_problems(void); /* how many problems there are */
/* Problem `which`, with its start; the exact solution is made when it is first asked for. The trial
 * must not move. */
rattle_status rattle__known_problem_create(rattle__known_problem *trial, int which,
                                           rattle_error *error);
void rattle__known_problem_destroy(rattle__known_problem *trial);
#endif
