#ifndef RATTLE__INTEGRATE_WIDE_H
#define RATTLE__INTEGRATE_WIDE_H
/* Several trajectories at once, in the lanes of vectors, each with the bits that
 * rattle_integrator_step gives it. */
#include "rattle/integrator.h"
#include "constraint/step/map.h"

/* RATTLE_OK if vectors of so many numbers may be asked for: 0, 1, 2, 4 or 8, as many as the
 * processor has. */
rattle_status rattle__lanes_check(int lanes, rattle_error *error);
/* Makes ready what steps several trajectories of this integrator at once, in vectors of `lanes`
 * numbers; 0: the most that the processor has. Returns how many trajectories that are, 1: they can
 * be stepped one by one only. */
int rattle__integrator_widen(rattle_integrator *integrator, int lanes);
/* The map that may step several trajectories of this integrator, as map.h says; NULL: they can be
 * stepped one by one only. */
rattle__map *rattle__integrator_wide(const rattle_integrator *integrator);
/* The most numbers that vectors of such a map have if so many trajectories are to fill them; 1:
 * they are too few. */
int rattle__lanes_for(const rattle__map *map, int trajectories);
/* From now on that lane steps a trajectory of `with`, which has the same method and a problem with
 * other values of its parameters (rattle__problem_set_parameters); both must live on. 0: it cannot,
 * and the lane is what it was. */
int rattle__integrator_join(rattle_integrator *integrator, int lane, rattle_integrator *with);
/* Before steps: the lane is at the start time, step and number of steps of that state. 0: its
 * coordinate t is at another time, and it is to go alone. */
int rattle__integrator_time_lane(rattle_integrator *integrator, int lane,
                                 const rattle_state *state);
/* Up to `steps` steps of all of them: z [2n][width], h [width] of each, both aligned to 64 bytes.
 * Returns how many were done. If fewer, unusual[lane] is not 0 for those whose next step is to be
 * taken alone, by rattle_integrator_step; it may fail. */
long long rattle__integrator_run_wide(rattle_integrator *integrator, const double *h,
                                      long long steps, double *z, long long *unusual);
/* From now on that call widens the ranges seen of each trajectory, as a run sees them: the least
 * and the largest H after its steps, and the largest |g_i| and |psi_i| [4][width], aligned as z;
 * NULL: it does not. Call this before rattle__integrator_widen too, whose code sees them or does
 * not; the array passed then is not read. */
void rattle__integrator_watch_wide(rattle_integrator *integrator, double *seen);
/* True if a run sees no more than that between samples; false if it evaluates residuals after each
 * step, because the method lets them drift. */
int rattle__integrator_shows_errors(const rattle_integrator *integrator);

/* Points and steps of the trajectories in the lanes. */
typedef struct rattle__wide_points {
  int width, n; /* trajectories, and their pairs */
  double *z, *h,
      *seen; /* [2n][width], [width], [4][width], which the lanes do not read or write unless it
                is given to rattle__integrator_watch_wide */
  long long *unusual; /* [width] */
} rattle__wide_points;

/* Room for so many trajectories of n pairs; 0: there is no memory, and nothing to release. */
int rattle__lanes_make(rattle__wide_points *lanes, int width, int n);
void rattle__lanes_release(rattle__wide_points *lanes);
/* q, p and h of a state to a lane; and q and p from there. */
void rattle__lanes_put(const rattle__wide_points *lanes, int lane, const rattle_state *state);
void rattle__lanes_get(const rattle__wide_points *lanes, int lane, const rattle_state *state);
/* The lane becomes a copy of another one. */
void rattle__lanes_copy(const rattle__wide_points *lanes, int from, int to);
/* Up to `steps` steps of the map: as rattle__integrator_run_wide. */
long long rattle__lanes_run(const rattle__wide_points *lanes, rattle__map *map, long long steps);
#endif
