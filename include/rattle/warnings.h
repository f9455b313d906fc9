#ifndef RATTLE_WARNINGS_H
#define RATTLE_WARNINGS_H
/* Warnings about runs: sentences that a summary does not show. The command prints them, Python and
 * Octave give them as warnings, JSON has them in "warnings". */
#include "rattle/run.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rattle_warnings rattle_warnings;

/* Those that are known before the first step: of the integrator's method and its problem. */
RATTLE_API rattle_status rattle_warnings_create(rattle_warnings **warnings,
                                                const rattle_integrator *integrator,
                                                rattle_error *error);
/* Adds those about a run of the state by the integrator, at its end, whether it went well or not: a
 * step that is too long, an energy that is off, derivatives of callbacks that are not those of
 * their values (sought where the energy is off or the run failed, by some evaluations). Comes
 * before the observer of a record that keeps them. Belongs to the warnings. */
RATTLE_API rattle_observer *rattle_warnings_observer(rattle_warnings *warnings,
                                                     const rattle_state *state);
RATTLE_API int rattle_warnings_count(const rattle_warnings *warnings);
/* Sentence 0 .. count - 1, without a full stop; belongs to the warnings. NULL: there is no such. */
RATTLE_API const char *rattle_warnings_text(const rattle_warnings *warnings, int index);
RATTLE_API void rattle_warnings_destroy(rattle_warnings **warnings);

#ifdef __cplusplus
}
#endif
#endif
