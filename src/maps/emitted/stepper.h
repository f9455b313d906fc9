#ifndef RATTLE__STEPPER_H
#define RATTLE__STEPPER_H
/* Steps by their parts, interpreted or compiled: what is alike for all kinds of them. A kind of
 * step has a text of its own, which the library includes as
 *
 *     #include "maps/emitted/interpreted.h"
 *     #include "... the step"
 *     #include "maps/emitted/run_loop.h"
 *
 * and which stands in a kernel between the same texts (cmake/kernel.cmake). */
#include "constraint/step/map.h"
#include "constraint/step/point.h"
#include "maps/emitted/emitted.h"
#include "ground/expr/real.h"
#include "maps/emitted/run_state.h"

typedef long long (*rattle__stepper_code)(rattle__emitted_run *run, const double *h, int stages,
                                          long long steps, double *z, double *range);
typedef long long (*rattle__stepper_tangents)(rattle__emitted_run *run, const double *h,
                                              const double *z, long long steps, int count,
                                              double *W);

/* lanes_run.h */
typedef long long (*rattle__stepper_lanes)(const double *h, int stages, long long steps,
                                           const double *number, double *z, double *seen,
                                           long long *unusual);

typedef struct rattle__stepper {
  rattle__context *context;
  rattle__emitted parts;
  rattle__emitted_run run;
  rattle__point end;                 /* where the last step ended, for its V */
  rattle__stepper_code code;         /* either steps ... */
  rattle__stepper_tangents tangents; /* ... or derivatives of them */
  int n, m, unknowns, energy;        /* N, M, U and AT_ENERGY of the texts */
  int curved, bent;                  /* CURVED and BENT */
  int slopes;                        /* gradients of H in each evaluation of the equations */
  int tells_V;   /* 1: y[energy] is V, all of H that does not come from masses */
  void *library; /* NULL: interpreted */
  const char *kernel;
  rattle__stepper_lanes lanes; /* several trajectories at once, after rattle__stepper_widen */
  void *lanes_library;
  int width;          /* so many */
  double *number;     /* inputs of the parts [inputs][width]; NULL: there are none */
  rattle_expr *light; /* 1/masses in their graph [n]; NULL: H is not natural */
} rattle__stepper;

/* The rest of s, of which context, parts, numbers and interpreted code are given and which is to be
 * ended anyway: its memory, and machine code from the text of the kernel in place of that. */
rattle_status rattle__stepper_begin(rattle__stepper *s, const char *kernel, rattle_error *error);
void rattle__stepper_end(rattle__stepper *s);
/* As rattle__map.run: ends early before a step that is in doubt. */
long long rattle__stepper_run(rattle__stepper *s, const double *h, int stages, long long steps,
                              double *z, double *range);
/* As widen and run_wide of rattle__map, for steppers that have machine code. Lanes stop before a
 * step that is in doubt in one of them. */
int rattle__stepper_widen(rattle__stepper *s, int lanes);
/* As join, for a problem with set parameters: the lane gets its numbers. */
int rattle__stepper_join(rattle__stepper *s, int lane, const rattle_problem *problem);
long long rattle__stepper_run_wide(const rattle__stepper *s, const double *h, int stages,
                                   long long steps, double *z, long long *unusual);
#endif
