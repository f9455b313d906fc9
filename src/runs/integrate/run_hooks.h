#ifndef RATTLE__RUN_HOOKS_H
#define RATTLE__RUN_HOOKS_H
/* The part of the integrator and the problem, beyond the public headers, that the driver of runs
 * (run.c) needs. */
#include "problem/functions/answers.h"
#include "rattle/integrator.h"

/* Advances like rattle_integrator_step, and widens [*energy_min, *energy_max] by the energy H after
 * every step done inside. On failure the state is that of the last good step and the range covers
 * the steps done. */
rattle_status rattle__integrator_advance(rattle_integrator *integrator, rattle_state *state,
                                         long long steps, double *energy_min, double *energy_max,
                                         rattle_error *error); /* in integrator.c */

/* The state gets the samples of its controllers that are due where a run begins. */
rattle_status rattle__integrator_set_out(rattle_integrator *integrator, rattle_state *state,
                                         rattle_error *error);

/* z [2n], the end of that step, gets the values that controllers had before the samples there; 0:
 * they are the same. In controllers.c. */
int rattle__controllers_before(const rattle_integrator *integrator, long long step, double *z);

/* Steps to come end early, after the first one whose time reaches *until (in the direction of h);
 * NULL: they do not. For maps that adapt their steps, whose number is not known beforehand. */
void rattle__integrator_until(rattle_integrator *integrator, const double *until);

/* Steps to come end with INTERRUPTED, the state being that of the last good one, once *interrupt is
 * not 0; NULL: they do not. */
void rattle__integrator_heed(rattle_integrator *integrator, const volatile int *interrupt);

/* How many steps are from one sample that serves the summary alone to the next, in a run of so many
 * steps with m constraints. In samples.c. */
long long rattle__run_looks_every(int m, long long steps, long long every);

/* The point where energies are evaluated: the state, except for maps that step with other
 * variables, and show (q, p) of them. */
rattle_status rattle__integrator_point(rattle_integrator *integrator, const rattle_state *state,
                                       double *q, double *p, rattle_error *error);

/* Answers of callbacks since steps, or an output, began. */
rattle__answers *rattle__integrator_answers(rattle_integrator *integrator);

/* compile_in_background.c: how many sources wait to be compiled during the run; starts that;
 * whether it has ended well since the last call: then the next step is to be made by
 * rattle__integrator_change_over, which is as rattle__integrator_advance with one step. */
int rattle__integrator_orders(const rattle_integrator *integrator);
void rattle__integrator_compile(rattle_integrator *integrator);
int rattle__integrator_compiled(rattle_integrator *integrator);
rattle_status rattle__integrator_change_over(rattle_integrator *integrator, rattle_state *state,
                                             double *range, rattle_error *error);

/* The work of forces at the last point; 0 without them. In integrator.c. */
double rattle__integrator_work(const rattle_integrator *integrator);

/* UNSUITABLE: the integrator's steps have the noise of a heat bath, and `what` is about steps
 * without. In heat_bath.c. */
rattle_status rattle__refuse_bath(const rattle_integrator *integrator, const char *what,
                                  rattle_error *error);

/* The claims of a method for a problem: rattle_integrator_claims. In integrator.c. */
rattle_claims rattle__claims_for(const rattle_problem *problem, const rattle_method *method);

/* The problem that an integrator was compiled for, or its view of the caller's callbacks. In
 * integrator.c. */
const rattle_problem *rattle__integrator_problem(const rattle_integrator *integrator);
#endif
