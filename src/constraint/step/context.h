#ifndef RATTLE__CONTEXT_H
#define RATTLE__CONTEXT_H
/* The common context of the maps of one integrator: the problem, memory, counts, and requests to
 * their steps. */
#include "problem/functions/problem.h"
#include "rattle/integrator.h"
#include "ground/support/arena.h"
#include "ground/support/error.h"

struct rattle__map;
struct rattle__node;
typedef struct rattle__context rattle__context;

struct rattle__context {
  const rattle_problem *problem;
  /* The map of a method expression, for maps that are made of maps: rattle__compile, which sets
   * it. */
  rattle_status (*compile)(struct rattle__map **map, rattle__context *context,
                           const struct rattle__node *node, rattle_error *error);
  rattle__arena arena;
  rattle_counts counts;
  rattle_residuals residuals;
  double shortest,
      longest; /* lengths of steps that differ, since the last reset; 0: none was made */
  double *impulse,
      virial; /* what slides along fibres add to p in a step [n], and q . that; impulse NULL: not
                 asked */
  const struct rattle__point
      *evaluated; /* where a map found V on its way, its last z1 perhaps; NULL: nowhere */
  /* The owner's requests to the steps of the maps. They do not change when machine code takes the
   * place of the interpreter during a run. */
  struct rattle__asked {
    struct rattle__trace *trace; /* for the outermost composition of a step; NULL: not asked */
    int tangents;                /* 1: tangents will be asked of every map that has one */
    int declines; /* 1: nothing is followed: a solution in doubt is a failure (follow.h), at once */
    int trusts;   /* 1: what an iteration finds is taken, in doubt too: whoever asks goes back */
    int unproved; /* 1: steps are not proved as they are made: the price is measured, or the map is
                     within another */
    const volatile int *interrupt; /* a flag: 1 asks the steps to end; NULL: nobody does */
    /* Who examines the points z where steps of `run` end: 1: that step is not to be made; NULL:
     * nobody. Maps with `examined` ask. */
    int (*examine)(void *self, const double *z);
    void *examiner;
    double *seen; /* what `run_wide` tells of each trajectory [4][width], aligned as z:
                 runs/integrate/wide.h; NULL: nothing */
  } asked;
  double *carry; /* what rounding took from z [2n], see carry.h; NULL: sums are plain */
  const char
      *kernel; /* what made the last step (rattle_integrator_kernel): maps with a name for it set
                 it, where a step ends well */
  const char *solver; /* name of the linear solver for multipliers */
  struct rattle__probe
      *probe; /* for first guesses; NULL until a map asked for it when it was planned */
  /* Declared extra state (rattle_integrator_extra): arrays in the arena that maps have announced
   * when they were planned. All zero if nothing is known of the past; zeroed whenever a step starts
   * elsewhere than where the last one ended. */
  struct rattle__memory {
    double *array;
    int count, stays; /* stays 1: counts steps, and is no past that ends where forces jump */
  } memory[8];
  int memories;
  struct rattle__orders
      *orders; /* native.h: sources to be compiled during the run; NULL: none are taken */
  int followers,
      solutions; /* guards at work, one inside the other (follow.h), and the solutions that they
                    have made together */
  struct rattle__times {
    double t0, h;
    long long step;
  } times; /* of the steps that `run` of a map that keeps time is to make: t0 + k h, `step` of
              which have been done */
  struct rattle__times *lane_times; /* the same of each lane, for `run_wide` */
  long long allowance; /* evaluations along fibres without closed form that the step at hand may
                          still make; 0: they are not counted; -1: it made them all */
  int elsewhere;       /* 1: output is requested at another point than that of the memory */
};

/* Room for `count` doubles of extra state, NULL if there is no memory (as
 * rattle__arena_doubles). */
double *rattle__context_memory(rattle__context *context, int count);
/* Such room for a count of steps. */
double *rattle__context_step_count(rattle__context *context);
/* INTERRUPTED where the step at hand is asked to end: what may take long within a step asks this
 * now and then. */
rattle_status rattle__heed(const rattle__context *context, rattle_error *error);
/* Makes the context's probe, which the owner of the context destroys. */
rattle_status rattle__context_probe(rattle__context *context, rattle_error *error);
#endif
