#ifndef RATTLE__ORBIT_GUESS_H
#define RATTLE__ORBIT_GUESS_H
#include "runs/orbit/shooting.h"

/* The time of the first of the closest returns of the trajectory to its start z [2n] within `span`,
 * by steps of about `step`. NOT_CONVERGED: it does not come back. */
rattle_status rattle__orbit_guess(rattle__shooting *s, const double *z, double span, double step,
                                  double *period, rattle_error *error);
#endif
