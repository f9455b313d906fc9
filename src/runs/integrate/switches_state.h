#ifndef RATTLE__SWITCHES_STATE_H
#define RATTLE__SWITCHES_STATE_H
/* Inside of the switches of an integrator: switches.c has the symbols. */
#include "problem/functions/probe.h"
#include "problem/model/model.h"
#include "runs/integrate/switches.h"

enum {
  RATTLE__MOST_CHANGES = 1000, /* at one time; in a step, of one that bounces with restitution 1 */
  RATTLE__MOST_IN_STEP = 20000 /* of all */
};

typedef struct rattle__switches {
  struct rattle__switching of; /* the first member */
  const rattle_problem *problem;
  const rattle_model *model;
  rattle_integrator *part; /* makes the pieces of steps; NULL until it is needed */
  rattle__probe *probe;
  int n, m, extra, count;
  int cites, forced;    /* conditions depend on multipliers; or on momenta, which these change */
  int *row, *first_row; /* rows of switch i: row[first_row[i] .. first_row[i + 1] - 1] */
  double t, h;          /* of the step */
  double a;             /* the piece begins after this part of the step */
  double *z0, *memory0, *za, *memory, *zb, *memory_b, *try, *memory_try; /* [2n], [extra] */
  double *sa, *sb; /* derivatives of conditions by time at za and zb [2 count], NaN: not known */
  double *last;    /* conditions before a change [2 count] */
  int *rose;       /* by switches: what begins it rose above 0 in that change */
  int seen;
  double *zc, *cc,
      *sc; /* where seen: the end of the last step without changes, with those numbers */
  double *ca, *cb, *values, *slope; /* [2 count] */
  double *reach, *bound; /* round-off of the point [2n + cited], of conditions [2 count] */
  double motion; /* round-off of (p H_p)^(1/2), the speed in the metric of the kinetic energy */
  double *cited, *zdot, *psi, *target, *lambda, *before, *work;
  int *fired, *was_on, *unset; /* at the time of a; before a change; sides, before the step */
  /* By switches, in an impact: who takes part, was pushed; whose bounce is round-off; who held
   * before the others settle; psi before, after, and its round-off; the part of the energy. z as if
   * all held */
  int *takes, *pushed, *keep, *held;
  double *speed, *after, *noise, *share, *all;
  void *room;
  rattle__change *change;
  double *points;                     /* of changes, [2n] each */
  int changes, changes_room, at_once; /* at_once: changes since that time, to round-off */
  double since;
} rattle__switches;

/* The time at which the piece begins. */
static inline double rattle__switches_time(const rattle__switches *s) {
  return s->t + s->a * s->h;
}

/* The result of a beginning. */
typedef struct rattle__impact {
  int jumped; /* 1: momenta have changed by more than round-off */
} rattle__impact;

/* switches_point.c: all conditions at z. */
rattle_status rattle__switches_conditions(rattle__switches *s, const double *z, double *c,
                                          rattle_error *error);
/* s->reach: round-off of points of the step from z0 to zb, and of what its forces add without
 * constraints. */
rattle_status rattle__switches_reach(rattle__switches *s, rattle_error *error);
/* Bounds on their round-off at z, into s->bound. */
rattle_status rattle__switches_round_off(rattle__switches *s, const double *z, rattle_error *error);
/* Derivatives of all conditions along the motion from z, by time [2 count]; of condition k. */
void rattle__switches_slopes(rattle__switches *s, const double *z, double *slope);
rattle_status rattle__switches_slope(rattle__switches *s, const double *z, int k, double *slope,
                                     rattle_error *error);
static inline int rattle__switch_is_on(const rattle__switches *s, int i, const double *z) {
  return z[s->model->change[i].on] > 0.5;
}
/* The condition of switch i that matters at z. */
static inline int rattle__switch_condition(const rattle__switches *s, int i, const double *z) {
  return 2 * i + rattle__switch_is_on(s, i, z);
}
/* Sets the side of switch i, if it has one and is off: the sign of `begins`; where that is 0, or
 * `moves` is 0, the one to which it goes without a force that depends on the side. */
rattle_status rattle__switch_side(rattle__switches *s, int i, int moves, double *z,
                                  rattle_error *error);
/* Puts it on or off, without a side. */
void rattle__switch_set(const rattle__switches *s, int i, int on, double *z);
/* switches_change.c: switch i changes at za, and others with it. */
rattle_status rattle__switch_change(rattle__switches *s, const rattle_integrator *whole, int i,
                                    rattle_error *error);
/* True if the condition of switch i that matters at za is above 0 without a way through it, since
 * momenta or forces have jumped. */
int rattle__switch_has_jumped(const rattle__switches *s, int i);
/* Past points of methods, at that memory, end where momenta or forces jump. */
void rattle__switches_forget(const rattle_integrator *whole, double *at);
/* contacts.c: N at the point of the probe. */
rattle_status rattle__switches_matrix(rattle__switches *s, rattle__linear **N, rattle_error *error);
/* *rests: at z, where constraint i is on, the way that it goes with that speed, if it is let go, is
 * round-off of it, all others being as they are; s->bound is known. */
rattle_status rattle__switch_rests(rattle__switches *s, int i, double speed, const double *z,
                                   int *rests, rattle_error *error);
/* After a change of switch i those of the one-sided constraints that are on at z remain that
 * push. */
rattle_status rattle__switches_settle(rattle__switches *s, int i, double *z, rattle_error *error);
/* impulse.c: switch i begins at z: constraints that are on, and momenta. s->share: which energy the
 * impulses of each have taken, in ratio. */
rattle_status rattle__switch_begin(rattle__switches *s, int i, double *z, rattle__impact *impact,
                                   rattle_error *error);
/* switches.c: as rattle__switching has them. */
rattle_status rattle__switches_leave(rattle_integrator *whole, const rattle_state *state,
                                     long long step, rattle_error *error);
rattle_status rattle__switches_act(rattle_integrator *whole, const rattle_state *state,
                                   int *changed, rattle_error *error);
void rattle__switches_back(rattle_integrator *whole);
/* H at z. */
rattle_status rattle__switches_energy(rattle__switches *s, const double *z, double *H,
                                      rattle_error *error);
#endif
