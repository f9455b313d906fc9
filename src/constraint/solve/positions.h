#ifndef RATTLE__POSITIONS_H
#define RATTLE__POSITIONS_H
/* The positions step of SHAKE and RATTLE for natural problems with g(q):
 *
 *     p+ = p0 - h G0^T lambda;  kick k1, drift d1, kick k2, drift d2 from (q0, p+);  g(q1) = 0
 *     determines lambda
 *
 * Its users (natural.c, multistep.c, shake_two_step.c, geodesic.c) own one each. Symbols:
 * maps/natural/natural.c. */
#include "method/notation/row.h"
#include "constraint/guard/follow.h"
#include "constraint/guard/prover.h"
#include "constraint/guard/step.h"
#include "constraint/solve/momenta_linear.h"
#include "constraint/solve/relaxation.h"
#include "constraint/equation/unit.h"
#include "constraint/step/point.h"
#include "constraint/step/scheme.h"
#include "constraint/step/sizes.h"
#include "constraint/step/map.h"

/* Which matrix a correction uses: A at the start, Newton's at the iterate, or that again. */
enum { RATTLE__CHORD, RATTLE__FRESH, RATTLE__KEPT };

typedef struct rattle__positions {
  rattle__context *context;
  rattle__scheme scheme;
  int n, m, first_matrix; /* first_matrix: which one the first correction uses */
  int true_newton;        /* 1: Newton's matrix is taken at each iterate */
  const rattle__function *g, *V;
  const rattle__mass *mass;
  double tol;
  rattle__point point[2]; /* the start of the step, and its end */
  rattle__point *start, *end;
  rattle__momenta *momenta; /* pattern and scaling of G, and A, which is factored at the start where
                  momenta->factored says so */
  rattle__coupling *coupling;
  rattle__linear *R;              /* Newton's matrix G(q) M^-1 G0^T */
  rattle__relaxation *relaxation; /* sweeps in place of the matrices, or NULL */
  rattle__follower *follower;     /* NULL with sweeps of many constraints */
  rattle__map *exact; /* schemes whose force depends on the multipliers: SHAKE with that in Newton's
                matrix, for steps that leave doubt; borrowed. NULL: none, or not needed */
  rattle__prover *prover; /* of steps that rules refuse; NULL: not yet, or not covered */
  rattle__unit *unit;
  double *lambda, *first; /* of the last step, and where its iteration began [m] */
  const double *guess;    /* where the iterations of a step begin [m]; NULL: at 0 */
  double *value, *delta, *inverse_floor, *cheap,
      *work; /* cheap: the floors before they were raised [m] */
  double *carry1,
      *impulse; /* compensated: what rounding took from z1 [2n]; scratch [n]. Else NULL */
  void *room;   /* compensated: for g in extended precision; NULL if g is not an expression */
  double *plus, *terms; /* for the units of rounding: z+, and the sizes of what multipliers added to
                           each entry [2n] */
  double *between;      /* G on the way of a long step, where g is not quadratic, else NULL */
  /* the iteration at hand */
  double h;
  const double *z0;
  double *z1;
  int which, has_J, from_guess; /* from_guess: started from a given lambda, with Newton's matrix */
} rattle__positions;

/* from_psi: 1 if steps begin on psi = 0, so that multipliers have a limit for vanishing steps.
 * *positions may be a part to destroy. */
rattle_status rattle__positions_create(rattle__positions **positions, rattle__context *context,
                                       const rattle__scheme *scheme, const rattle__solving *solving,
                                       int from_psi, rattle_error *error);
void rattle__positions_destroy(rattle__positions **positions);

/* z1 = (q1, p) up to the last kick of the scheme; `end` has G at q1, not yet scaled. insist: the
 * multipliers are followed from h = 0, in doubt or not. Counted. */
rattle_status rattle__positions_step(rattle__positions *positions, double h, const double *z0,
                                     double *z1, int insist, rattle_error *error);
/* V and V_q of a point, counted. */
rattle_status rattle__positions_force(rattle__positions *positions, rattle__point *point,
                                      const double *q, rattle_error *error);
/* p -= c V_q of the point; carry of the current step */
void rattle__positions_kick(const rattle__positions *positions, double c, const double *V_q,
                            double *p);
/* The end, at q1, becomes the start of the next step. */
void rattle__positions_advance(rattle__positions *positions, const double *q1);
/* p of z = (q, p) onto psi = 0, G at q being that of the point; carry [n] of p, or NULL. */
rattle_status rattle__positions_slide(rattle__positions *positions, rattle__point *point, double *z,
                                      double *carry, rattle_error *error);
/* The same for any z; the next step may begin at it. */
rattle_status rattle__positions_project(rattle__positions *positions, double *z,
                                        rattle_error *error);

/* positions_units.c: rattle__least_coordinates at z1 [n], until the units are raised. */
const double *rattle__positions_least(rattle__positions *positions);
/* inverse_floor, 1 / the units of round-off of g on the way from z0 to z1; time
 * is exact, only q rounds. And inverse_floor [m] of self, the positions, from all that rounds. */
void rattle__positions_measure(rattle__positions *positions);
rattle_status rattle__positions_raise(void *self, double *inverse_floor, rattle_error *error);
static inline int rattle__drifts_once(const rattle__positions *positions) {
  return positions->scheme.d2 == 0;
}

/* The step that was found as the guard sees it: positions_view.c. */
rattle__step_view rattle__positions_view(const rattle__positions *positions);
/* True if it leaves doubt. */
int rattle__positions_doubtful(const rattle__positions *positions, const rattle__course *c);
/* The step where following by rules gave up: the end of its curve, if that is proved
 * (positions_proved.c). Else 0. */
int rattle__positions_proved(rattle__positions *positions, double h, const double *z0, double *z1,
                             rattle__course *c);
/* positions_rows.c: the equation for lambda as the guard sees it, for steps that begin on psi = 0
 * and for others. */
extern const rattle__tracked_equation rattle__positions_on_psi, rattle__positions_off_psi;
#endif
