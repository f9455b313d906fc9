#ifndef RATTLE__MAP_H
#define RATTLE__MAP_H
/* One-step maps z0 -> z1 = phi_h(z0), z = (q, p), compiled for a problem: what base maps, wrappers
 * and compositions all are. */
#include "constraint/step/context.h"

typedef struct rattle__map rattle__map;

struct rattle__map {
  rattle__context *context;
  /* z1 = phi_h(z0); the arrays [2n] are distinct. On failure z1 is undefined and z0 untouched. */
  rattle_status (*apply)(rattle__map *map, double h, const double *z0, double *z1,
                         rattle_error *error);
  /* The same with the multipliers followed from h = 0 (follow.h), in doubt or not. NULL: not
   * offered */
  rattle_status (*follow)(rattle__map *map, double h, const double *z0, double *z1,
                          rattle_error *error);
  /* Many steps of z in place, each of `stages` substeps h[i]: quicker than one by one; NULL: not
   * offered. Returns how many steps were done, z being that of the last good one; after fewer than
   * `steps` the next one fails in apply too. range (may be NULL) is widened by the energy after
   * each step. */
  long long (*run)(rattle__map *map, const double *h, int stages, long long steps, double *z,
                   double *range);
  /* Several trajectories at once, each with the bits of `run`: makes what is needed for vectors of
   * `lanes` numbers and returns how many trajectories there are then, 1: it cannot. NULL: not
   * offered */
  int (*widen)(rattle__map *map, int lanes);
  /* From now on that lane steps a trajectory of `with`, a map of the same method for a problem with
   * other values of its inputs (ground/expr/inputs.h). 0: that map does other operations; the lane
   * is what it was. With `widen` */
  int (*join)(rattle__map *map, int lane, rattle__map *with);
  /* So many of them, z [2n][width], h [stages][width], all aligned to 64 bytes: up to `steps`
   * steps, and fewer where the next one needs care in some of them, which unusual[width] names.
   * Returns how many were done, the same for all. */
  long long (*run_wide)(rattle__map *map, const double *h, int stages, long long steps, double *z,
                        long long *unusual);
  int vectors; /* with `widen`: that works on so many vectors side by side */
  /* W[k] <- Dphi_h W[k] for `count` vectors of 2n, at the last point applied. NULL: not offered */
  rattle_status (*tangent)(rattle__map *map, double h, int count, double *W, rattle_error *error);
  /* Takes back what the last step did to the declared memory. NULL: the integrator keeps a copy of
   * it instead. Either way a step that fails in apply leaves the memory as it was */
  void (*undo)(rattle__map *map);
  /* slides z onto psi = 0 for output; NULL if every step ends there */
  rattle_status (*output)(rattle__map *map, double h, double *z, rattle_error *error);
  void (*destroy)(rattle__map *map); /* what the arena does not hold; may be NULL */
  const double *lambda;              /* maps that slide: the last multipliers [m], else NULL */
  int shows;  /* 1: the state holds other variables than (q, p); `output` makes (q, p) of them,
                where H and residuals are evaluated */
  int drifts; /* 1: g or psi may drift: they are evaluated after each step of a run */
  /* maps whose steps differ in length: [2], in the declared memory; time is t0 + step*h + late[0],
   * late[1] what its rounding lost */
  double *late;
  double length; /* theirs: of the last step, in the direction of h */
  int symmetric;
  int keeps_time;  /* 1: of problems that depend on time, `run` makes steps of one stage to the
                     context's times, to the last bit */
  int examined;    /* 1: `run` asks the context's examiner after each step, and ends before a step
                   that is not to be made */
  int rough;       /* 1: the tangent is taken by differences */
  int composed;    /* 1: a composition */
  int records;     /* 1: constraints act by slides along fibres alone, each of which is recorded
                  (impulse.h) */
  int compensates; /* 1: adds with a carry where the context has one (carry.h) */
  void *self;
};

#endif
