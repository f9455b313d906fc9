#ifndef RATTLE__USER_COEFFICIENTS_H
#define RATTLE__USER_COEFFICIENTS_H
/* Coefficients that a model gives by name, and the results of their order conditions. */
#include "problem/model/model.h"

enum { RATTLE__GIVEN_STAGES = 16, RATTLE__GIVEN_PARTS = 64 };

typedef struct rattle__given {
  rattle_coefficients found;
  int splitting;
  int claimed;                 /* order, 0: none */
  double *a, *ahat, *b, *bhat; /* of a tableau [stages*stages] by rows, [stages] */
  double *c, *d;               /* of a splitting [stages] */
} rattle__given;

/* Those with that name, NULL if there are none; and the known name nearest to it, NULL if nothing
 * is near. */
const rattle__given *rattle__model_given(const rattle_model *model, const char *name);
const char *rattle__model_nearest_given(const rattle_model *model, const char *name);
void rattle__model_destroy_given(rattle_model *model);

/* A condition that does not hold: its order, as text, the sides; text is "" if none was found. */
typedef struct rattle__order_condition {
  int order;
  double wanted, found;
  char text[200];
} rattle__order_condition;

/* The highest order up to which all conditions hold, at most `most`; *failing: the first condition
 * that does not hold. A condition holds if it is satisfied to 1e-12 of the sum of its terms' sizes.
 * separable: the conditions for H = T(p) + V(q). */
int rattle__tableau_order(const rattle_tableau *tableau, int separable, int most,
                          rattle__order_condition *failing);
int rattle__splitting_order(int stages, const double *c, const double *d, int most,
                            rattle__order_condition *failing);
#endif
