#ifndef RATTLE__FAST_H
#define RATTLE__FAST_H
#include "constraint/guard/prover.h"
#include "constraint/step/point.h"
#include "maps/natural/natural.h"

/* A step h from z0 to z1; V_q at z0. */
typedef struct rattle__fast_ends {
  double h;
  const double *z0;
  double *z1;
  const double *V_q;
} rattle__fast_ends;

/* The common head of fast steps for natural problems, perhaps with forces (natural_small.c,
 * natural_chain.c): the map, and another one for the steps that leave doubt, natural.c if there are
 * no forces. */
typedef struct rattle__fast rattle__fast;
struct rattle__fast {
  rattle__map map;
  rattle__scheme scheme;
  rattle__projection projection;
  rattle__map *fallback;  /* natural.c, or what it was made with */
  rattle__point point;    /* where the last step ended */
  rattle__prover *prover; /* of the ends of steps; NULL: they are judged by rules alone */
  /* The same in plain numbers, quickly. 0: perhaps they are right too. */
  int (*prove)(rattle__fast *fast, const rattle__fast_ends *step);
};

/* The parts that are alike, for the first member of a map's own struct; `apply` and more are the
 * map's. */
void rattle__fast_begin(rattle__fast *fast, rattle__context *context, const rattle__scheme *scheme,
                        rattle__projection projection, rattle__map *fallback);
/* With natural.c. */
rattle_status rattle__fast_create(rattle__fast *fast, rattle__context *context,
                                  const rattle__scheme *scheme, rattle__projection projection,
                                  rattle_error *error);
void rattle__fast_destroy(rattle__map *map);

/* The ends of steps are to be proved, where g is quadratic and written as expressions: the scheme
 * has one drift. */
rattle_status rattle__fast_prove(rattle__fast *fast,
                                 int (*prove)(rattle__fast *fast, const rattle__fast_ends *step),
                                 rattle_error *error);
/* True if z1 is the end of the curve from z0, by tracking, or if nobody asks. */
int rattle__fast_is_proved(const rattle__fast *fast, const rattle__fast_ends *step);
/* The step by the fallback, which judges it by rules, and follows it if asked to. Its end is proved
 * too; a curve that is not known from its very start, at a degenerate point, is left to the rules.
 * DEGENERATE: it is not the end of the curve. */
rattle_status rattle__fast_step_otherwise(rattle__fast *fast, const rattle__fast_ends *step,
                                          int follow, rattle_error *error);
#endif
