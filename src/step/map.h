#ifndef RATTLE__MAP_H
#define RATTLE__MAP_H
/* One-step maps z0 -> z1 = phi_h(z0), z = (q, p), compiled for a problem: what base maps, wrappers and compositions all are. */
#include <float.h>
#include <math.h>

#include "method/method.h"
#include "support/arena.h"
#include "support/error.h"
#include "problem/problem.h"
#include "rattle/integrator.h"

typedef struct rattle__map rattle__map;
typedef struct rattle__context rattle__context;

/* The substeps of a step, written down where somebody asked for them. */
typedef struct rattle__trace {
  int count, room; /* substeps, and the most there can be */
  double *h, *z;   /* their lengths [room], and the points between them [(room+1) * 2n] */
} rattle__trace;

/* What the maps of one integrator share. */
struct rattle__context {
  const rattle_problem *problem;
  /* The map of a method expression, for maps that are made of maps: rattle__compile, which sets it. */
  rattle_status (*compile)(rattle__map **map, rattle__context *context, const rattle__node *node, rattle_error *error);
  rattle__arena arena;
  rattle_counts counts;
  rattle_residuals residuals;
  double shortest, longest; /* lengths of steps that differ, since the last reset; 0: none was made */
  double *impulse, virial;  /* what slides along fibres add to p in a step [n], and q . that; impulse NULL: not asked */
  const struct rattle__point *evaluated; /* where a map found V on its way, its last z1 perhaps; NULL: nowhere */
  rattle__trace *trace;                  /* for the outermost composition of a step; NULL: not asked */
  int tangents;                          /* 1: tangents will be asked of every map that has one */
  double *carry;                         /* what rounding took from z [2n], see carry.h; NULL: sums are plain */
  const char *solver;                    /* name of the linear solver for multipliers */
  struct rattle__probe *probe;           /* for first guesses; NULL until a map asked for it when it was planned */
  /* Declared extra state (rattle_integrator_extra): arrays in the arena that maps have announced when they were planned. All zero
   * if nothing is known of the past; zeroed whenever a step starts elsewhere than where the last one ended. */
  struct rattle__memory {
    double *array;
    int count;
  } memory[8];
  int memories;
  struct rattle__orders *orders; /* native.h: sources to be compiled during the run; NULL: none are taken */
  int declines;                  /* 1: nothing is followed: a solution in doubt is a failure (follow.h), at once */
  int followers, solutions; /* guards at work, one inside the other (follow.h), and the solutions that they have made together */
  struct rattle__times {
    double t0, h;
    long long step;
  } times; /* of the steps that `run` of a map that keeps time is to make: t0 + k h, `step` of which have been done */
  /* Who examines the points z where steps of `run` end: 1: that step is not to be made; NULL: nobody. Maps with `examined` ask. */
  struct rattle__examiner {
    int (*examine)(void *self, const double *z);
    void *self;
  } examiner;
  int elsewhere;            /* 1: output is requested at another point than that of the memory */
  const volatile int *stop; /* where whoever waits for the steps asks them to end; NULL: nowhere */
};

struct rattle__map {
  rattle__context *context;
  /* z1 = phi_h(z0); the arrays [2n] are distinct. On failure z1 is undefined and z0 untouched. */
  rattle_status (*apply)(rattle__map *map, double h, const double *z0, double *z1, rattle_error *error);
  /* The same with the multipliers followed from h = 0 (follow.h), in doubt or not. NULL: not offered */
  rattle_status (*follow)(rattle__map *map, double h, const double *z0, double *z1, rattle_error *error);
  /* Many steps of z in place, each of `stages` substeps h[i]: quicker than one by one; NULL: not offered. Returns how many steps
   * were done, z being that of the last good one; after fewer than `steps` the next one fails in apply too. range (may be NULL)
   * is widened by the energy after each step. */
  long long (*run)(rattle__map *map, const double *h, int stages, long long steps, double *z, double *range);
  /* Several trajectories at once, each with the bits of `run`: makes what is needed for vectors of `lanes` numbers and returns how many
   * trajectories there are then, 1: it cannot. NULL: not offered */
  int (*widen)(rattle__map *map, int lanes);
  /* So many of them, z [2n][width], h [stages][width], all aligned to 64 bytes: up to `steps` steps, and fewer where the next one
   * needs care in some of them, which unusual[width] names. Returns how many were done, the same for all. */
  long long (*run_wide)(rattle__map *map, const double *h, int stages, long long steps, double *z, long long *unusual);
  /* W[k] <- Dphi_h W[k] for `count` vectors of 2n, at the last point applied. NULL: not offered */
  rattle_status (*tangent)(rattle__map *map, double h, int count, double *W, rattle_error *error);
  /* Takes back what the last step did to the declared memory. NULL: the integrator keeps a copy of it instead. Either way a step
   * that fails in apply leaves the memory as it was */
  void (*undo)(rattle__map *map);
  /* slides z onto psi = 0 for output; NULL if every step ends there */
  rattle_status (*output)(rattle__map *map, double h, double *z, rattle_error *error);
  void (*destroy)(rattle__map *map); /* what the arena does not hold; may be NULL */
  const double *lambda;              /* maps that slide: the last multipliers [m], else NULL */
  int shows; /* 1: the state holds other variables than (q, p); `output` makes (q, p) of them, where H and residuals are evaluated
              */
  int drifts; /* 1: g or psi may drift: they are evaluated after each step of a run */
  /* maps whose steps differ in length: [2], in the declared memory; time is t0 + step*h + late[0], late[1] what its rounding lost
   */
  double *late;
  double length; /* theirs: of the last step, in the direction of h */
  int symmetric;
  int keeps_time; /* 1: of problems that depend on time, `run` makes steps of one stage to the context's times, to the last bit */
  int examined;   /* 1: `run` asks the context's examiner after each step, and ends before a step that is not to be made */
  int rough;      /* 1: the tangent is taken by differences */
  int composed;   /* 1: a composition */
  int records;    /* 1: constraints act by slides along fibres alone, each of which is recorded (impulse.h) */
  int compensates; /* 1: adds with a carry where the context has one (carry.h) */
  void *self;
};

/* sum += x, to twice the digits: what the rounding of sum lost is in low. */
static inline void rattle__add_to(double *sum, double *low, double x) {
  const double y = x + *low, t = *sum + y, of_sum = t - y, of_y = t - of_sum;
  *low = (*sum - of_sum) + (y - of_y);
  *sum = t;
}

/* Room for `count` doubles of extra state, NULL if there is no memory (as rattle__arena_doubles). */
double *rattle__context_memory(rattle__context *context, int count);
/* INTERRUPTED where the step at hand is asked to end: what may take long within a step asks this now and then. */
rattle_status rattle__heed(const rattle__context *context, rattle_error *error);
/* Makes the context's probe, which the owner of the context destroys. */
rattle_status rattle__context_probe(rattle__context *context, rattle_error *error);

/* A coordinate that a constraint holds at 0 (a rail y = 0) is a sum of terms that cancel in each stage: its own size says nothing
 * of its round-off. The unit of a residual is at least this part of what the largest coordinate of its kind, q or p, would make
 * it; rattle__judge's stagnation does the rest. */
#define RATTLE__CANCELLED (1.0 / 64)

/* Whether that entry of z is the time: it is exact however large it is, so that nothing is judged by its size. */
static inline int rattle__is_time(const rattle_problem *problem, int entry) {
  return entry == problem->clock - 1;
}

/* The same where a residual r of that entry, x, is what rounding leaves of it: a correction would not move it, but what depends on it. */
static inline int rattle__is_time_at(const rattle_problem *problem, int entry, double x, double r) {
  return rattle__is_time(problem, entry) && fabs(r) <= DBL_EPSILON * fabs(x);
}

static inline void rattle__largest_of_kind(const rattle_problem *problem, const double *z, double most[2]) {
  const int n = problem->n;
  most[0] = most[1] = 0;
  for (int k = 0; k < 2 * n; k++)
    if (fabs(z[k]) > most[k >= n] && !rattle__is_time(problem, k)) most[k >= n] = fabs(z[k]);
}

static inline int rattle__all_finite(const double *x, int count) {
  double sum[8] = {0}; /* side by side: one alone is a chain */
  int i = 0;
  for (; i + 8 <= count; i += 8)
    for (int k = 0; k < 8; k++) sum[k] += 0 * x[i + k];
  for (; i < count; i++) sum[0] += 0 * x[i];
  for (int k = 1; k < 8; k++) sum[0] += sum[k];
  return sum[0] == 0;
}
/* The greater of two residuals; not a number where one of them is none, which the bare comparison may lose. */
static inline double rattle__greater(double a, double b) {
  return a > b || !(a == a) ? a : b;
}

#endif
