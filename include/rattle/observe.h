#ifndef RATTLE_OBSERVE_H
#define RATTLE_OBSERVE_H
/* Observers that come with the library. */
#include "rattle/run.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Samples as CSV (RFC 4180, lines ended by LF): step, time, coordinates, momenta, energy, then for
 * constraint NAME g[NAME], psi[NAME] and lambda[NAME], the observables, and where energy may come
 * in (rattle_integrator_has_work) H, work and balance, H - work; names as in the model. The
 * coordinate t of a model with time, which is the column time, is omitted. Numbers have 17
 * significant digits and a decimal point in every locale; numbers that are not finite are nan, inf
 * or -inf. */
typedef struct rattle_csv rattle_csv;

/* An existing file is RATTLE_EXISTS, unless forced or empty; it is replaced after the run has
 * started. Pipes, terminals and other files that are not regular are written to directly. The
 * problem is held. */
RATTLE_API rattle_status rattle_csv_create(rattle_csv **csv, const char *path,
                                           const rattle_problem *problem, int force,
                                           rattle_error *error);
RATTLE_API rattle_observer *rattle_csv_observer(rattle_csv *csv);
/* Whole lines reach the file about once a second and when the run ends. After a failure (RATTLE_IO,
 * a full disk) the file ends with the last complete line. */
RATTLE_API void rattle_csv_destroy(rattle_csv **csv);

#ifdef __cplusplus
}
#endif
#endif
