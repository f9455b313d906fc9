#ifndef RATTLE__INTEGRATE_WIDE_H
#define RATTLE__INTEGRATE_WIDE_H
/* Several trajectories at once, in the lanes of vectors, each with the bits that rattle_integrator_step gives it. */
#include "rattle/integrator.h"

/* Makes ready what steps several trajectories of this integrator at once, in vectors of `lanes` numbers; 0: the most that the processor has. Returns
 * how many trajectories that are, 1: they can be stepped one by one only. */
int rattle__integrator_widen(rattle_integrator *integrator, int lanes);
/* From now on that lane steps a trajectory of `with`, which has the same method and a problem with other values of its parameters
 * (rattle_problem_set_parameters); both must live on. 0: it cannot, and the lane is what it was. */
int rattle__integrator_join(rattle_integrator *integrator, int lane, rattle_integrator *with);
/* Up to `steps` steps of all of them: z [2n][width], h [width] of each, both aligned to 64 bytes. Returns how many were done. If fewer,
 * unusual[lane] is not 0 for those whose next step is to be taken alone, by rattle_integrator_step; it may fail. */
long long rattle__integrator_run_wide(rattle_integrator *integrator, const double *h, long long steps, double *z,
                                      long long *unusual);
#endif
