#ifndef RATTLE__INTEGRATOR_STATE_H
#define RATTLE__INTEGRATOR_STATE_H
/* Inside of an integrator. */
#include "ground/expr/native.h"
#include "rattle/control.h"
#include "maps/quad/quad.h"
#include "maps/plan/compile.h"
#include "problem/functions/answers.h"
#include "constraint/guard/nondegeneracy.h"

/* Changes of constraints within steps (switches.h). */
struct rattle__switching {
  /* notes z[now], from which the step after `step` others is about to be made */
  rattle_status (*leave)(rattle_integrator *s, const rattle_state *state, long long step,
                         rattle_error *error);
  /* makes the step that ended in z[now] another one if constraints begin or end in it: *changed. A
   * failure leaves the point that was noted */
  rattle_status (*act)(rattle_integrator *s, const rattle_state *state, int *changed,
                       rattle_error *error);
  /* the step has failed: z[now] is as it was before `leave` */
  void (*back)(rattle_integrator *s);
  void (*destroy)(struct rattle__switching *self);
};

struct rattle_integrator {
  /* what stays where machine code takes the place of the interpreter (compile_in_background.c): all
   * that is before `context`, and what that is asked */
  const rattle_problem
      *problem; /* that of the caller; that of the context is `ledger` or `view` where there is
                  one */
  rattle_method *method;
  int n;                       /* of the problem */
  int clock;                   /* the problem's */
  int leaves_psi;              /* steps do not end on psi = 0 */
  const double *until;         /* where steps end early, or NULL */
  struct rattle__proof *proof; /* of each step that is made (runs/proof); NULL: nobody asks */
  long long first_draw;        /* the noise of step k is that of number first_draw + k */
  rattle_control control;      /* samples that the model leaves to the caller; sample NULL: none */
  int passive;                 /* values of controllers stay as they are */
  struct rattle__switching *switching; /* NULL: constraints stay */

  rattle__context context;
  rattle_problem *view,
      *ledger; /* ledger: with the account of the work of forces (problem/functions/forced.h),
                  else NULL */
  rattle__orders orders;
  rattle__map *map;
  int pairs;         /* of the maps, which have the account of the work of forces too */
  double *work_done; /* declared memory: of the forces [1]; NULL without them */
  struct rattle__heat_bath *bath;          /* heat_bath.c; NULL: momenta are those of the map */
  struct rattle__controllers *controllers; /* controllers.c; NULL: the model has none */
  double *gained; /* declared memory: energy from the bath and from controllers [1]; NULL without
                     them */
  int now;        /* z[now] is the present point */
  int loaded;     /* z[now] is that of a state */
  int own;        /* the first of the memories of the maps: those before are no past */
  int looks;      /* steps let g or psi drift: residuals are evaluated after each step of a run */
  double *z[2], *out, *work;
  struct rattle__turns *turns; /* turns.c; NULL: no angle may jump or counts turns */
  double
      *omitted; /* constraints that follow from the others, where they are evaluated, and scratch;
                  else NULL */
  struct rattle__reaction
      *implied; /* where constraints on velocities are evaluated that follow from others, or NULL */
  double *rows; /* scratch for them */
  double *residuals;            /* g and psi where they are evaluated [2m] */
  rattle__nondegeneracy *guard; /* of N, then; else NULL */
  /* extra state of the maps as it was before the current step [extra]; restored: it has been set
   * from outside and belongs to the next state that is loaded */
  double *before;
  int extra, restored;
  /* the step that ended in z[now]: what the caller counts time by, which is for maps that adapt
   * their steps to know */
  double t0, h;
  long long step;
  int followed;            /* the last step was followed by the guard */
  rattle__answers answers; /* of callbacks, since the last public call began */
  /* compilers that work during the run (compile_in_background.c), how many calls they have been
   * waited for, and how that ended */
  rattle__compilation *compilation[4];
  int compilations, waited;
  const char *evaluator; /* NULL: as it was made */
};

/* clock.c: the time after `step` steps of the state. */
double rattle__time_after(const rattle_integrator *s, const rattle_state *state, long long step);
/* Problems that depend on time: t of z becomes that time; compensated sums get its rounding
 * error. */
void rattle__clock_set(rattle_integrator *s, const rattle_state *state, long long step, double *z);
/* The same after a step from `step`, which must have moved t to that time but for rounding:
 * UNSUITABLE. */
rattle_status rattle__clock_arrive(rattle_integrator *s, const rattle_state *state, long long step,
                                   double *z, rattle_error *error);
/* The length of the step that leads from there to the next time: t ends there to the last bit,
 * unless the method keeps a past. */
double rattle__length_after(const rattle_integrator *s, const rattle_state *state, long long step);
/* BAD_ARGUMENT: t of z[now] is not the time of the state. */
rattle_status rattle__clock_check(const rattle_integrator *s, const rattle_state *state,
                                  rattle_error *error);
/* integrator.c: as rattle_integrator_create, of a method that it takes over, without changes of
 * constraints. */
rattle_status rattle__integrator_make(rattle_integrator **integrator, const rattle_problem *problem,
                                      rattle_method *method, rattle_error *error);
/* integrator.c: makes the map of s->method for s->problem, with what was compiled before. */
rattle_status rattle__integrator_plan(rattle_integrator *s, rattle_error *error);
/* Frees all but the method. */
void rattle__integrator_release(rattle_integrator *s);
/* queries.c: the evaluator of an integrator some of whose texts did not compile, with the
 * reason. */
const char *rattle__integrator_what_failed(const rattle_integrator *s);
/* True if the state is in z[now]; if the last step ended there. */
int rattle__integrator_is_here(const rattle_integrator *s, const rattle_state *state);
static inline int rattle__integrator_is_at(const rattle_integrator *s, const rattle_state *state) {
  return rattle__integrator_is_here(s, state) && !s->restored;
}
/* failure_at_jump.c: the error of a step from the state that has not been solved says first if
 * friction sticks in it, an angle jumps, or forces of the model jump and the method is implicit. */
void rattle__blame_jump(rattle_integrator *s, const rattle_state *state, rattle_error *error);
/* turns.c: angles that may jump, or count turns, if the problem has any; `own`: how many numbers of
 * the declared memory are no past of the maps. */
rattle_status rattle__turns_plan(rattle_integrator *s, int own, rattle_error *error);
void rattle__turns_release(rattle_integrator *s);
/* Before a step from *z: angles that count turns are measured from where they are, which makes a
 * copy of *z where that changes. After it: DOMAIN where one has jumped. */
void rattle__turns_begin(rattle_integrator *s, const double **z);
rattle_status rattle__turns_hold(rattle_integrator *s, double h, const double *z,
                                 rattle_error *error);
/* DOMAIN: one jumps if the velocities stay for a time h. */
rattle_status rattle__turns_ahead(rattle_integrator *s, double h, rattle_error *error);
/* Around steps h that the map makes by itself: the context's examiner looks at angles too, and ends
 * them before a step across a jump, or to where one is to be measured from elsewhere. 0: that is
 * due, and the next step is to be made alone. */
int rattle__turns_watch(rattle_integrator *s, double h);
/* omitted.c: room for the constraints that follow from the others, and whether they hold at z after
 * a step: DEGENERATE. */
rattle_status rattle__omitted_plan(rattle_integrator *s, rattle_error *error);
rattle_status rattle__omitted_hold(const rattle_integrator *s, const double *z,
                                   rattle_error *error);
/* heat_bath.c: the bath of the method, if it has one: UNSUITABLE where momenta have no temperature.
 * And *z, the point z[now], with the momenta that the step of length h after `step` others begins
 * with; what they gained is added up. */
rattle_status rattle__heat_bath_create(rattle_integrator *s, rattle_error *error);
rattle_status rattle__heat_bath_exchange(rattle_integrator *s, double h, long long step,
                                         const double **z, rattle_error *error);
void rattle__heat_bath_destroy(rattle_integrator *s);
/* controllers.c: declared memory of the controllers of the model; whether the map can have them:
 * UNSUITABLE. */
rattle_status rattle__controllers_declare(rattle_integrator *s, rattle_error *error);
rattle_status rattle__controllers_check(const rattle_integrator *s, rattle_error *error);
void rattle__controllers_release(rattle_integrator *s);
/* The first step after `step` that ends at a sample. */
long long rattle__controllers_next(const rattle_integrator *s, long long step);
/* At z[now], the point of the state: BAD_ARGUMENT where samples are at no ends of its steps; takes
 * the samples that the state has not had. */
rattle_status rattle__controllers_begin(rattle_integrator *s, const rattle_state *state,
                                        rattle_error *error);
/* The samples of a step of the state that has just ended there. DOMAIN: z[now] is as it was. */
rattle_status rattle__controllers_sample(rattle_integrator *s, const rattle_state *state,
                                         rattle_error *error);
/* output.c: *z [2 pairs], or the point for output of it, or that where the map steps with other
 * variables; valid until the next call. */
rattle_status rattle__integrator_shown(rattle_integrator *s, double h, const double **z,
                                       rattle_error *error);
rattle_status rattle__integrator_show(rattle_integrator *s, double h, const double **z,
                                      rattle_error *error);
/* DOMAIN: a step ended at z. And projections since `before` are none of those that count: of steps
 * done, and of output points. */
rattle_status rattle__end_not_finite(const rattle_integrator *s, const double *z,
                                     rattle_error *error);
void rattle__uncount(rattle_integrator *s, const rattle_counts *before);
/* Sets the declared memory. */
void rattle__integrator_put_extra(rattle_integrator *s, const double *extra);
/* As rattle__integrator_advance; range [2] may be NULL. */
rattle_status rattle__integrator_steps(rattle_integrator *s, rattle_state *state, long long steps,
                                       double *range, rattle_error *error);
#endif
