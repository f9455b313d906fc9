/* A step that is too long for the motion, and one that would do. */
#include <math.h>
#include <stdlib.h>

#include "base/cli.h"
#include "rattle/doctor.h"

/* The error of the energy, in parts of the energies, from which on a run is not what was asked for;
 * steps shorter by less say nothing. */
static const double loose = 0.05, shorter = 0.6;
/* Implicit maps, and with forces of momenta all, stay bounded with steps that do not resolve the
 * motion: between two and four steps a period of the fastest one are too few. */
static const double unresolved = 40;

/* The step for the fastest motion at the start and where the run ended: near a singularity, where
 * none is short enough, that of the start. */
static double step_for(const cli_session *session, int project) {
  const double nowhere = 1e-3;
  const int n = rattle_problem_n(session->problem);
  double *q = calloc(2 * (size_t)n, sizeof *q), first = (double)NAN, last = (double)NAN;
  if (q && !rattle_problem_start(session->problem, project, q, q + n, NULL, NULL))
    rattle_doctor_step(session->problem, q, q + n, &first, NULL);
  free(q);
  rattle_doctor_step(session->problem, session->state.q, session->state.p, &last, NULL);
  return last >= nowhere * first ? fmin(first, last) : first;
}

static void say_unresolved(double step, double advised) {
  if (fabs(step) > unresolved * advised)
    cli_print(stderr,
              "rattle run: warning: the step %g does not resolve the fastest motion, for which "
              "about %g would be right: what is "
              "fast is wrong, "
              "and so may be what depends on it\n",
              step, copysign(advised, step));
}

void cli_say_too_long(const cli_session *session, const rattle_summary *s, int project) {
  const int failed = s->status == RATTLE_NOT_CONVERGED || s->status == RATTLE_SINGULAR ||
                     s->status == RATTLE_DEGENERATE || s->status == RATTLE_DOMAIN;
  const int off = !s->status && s->energy_max_relative_error >= loose;
  const double h = fabs(s->step);
  const rattle_method *method = rattle_integrator_method(session->integrator);
  const int forced = (rattle_problem_kind(session->problem) & RATTLE_FORCED) != 0;
  const int implicit = !s->status && (forced || !rattle_method_claims(method).explicit_);
  if ((!failed && !off && !implicit) || rattle_method_adapts(method)) return;
  double advised = step_for(session, project);
  if (!failed && !off) {
    say_unresolved(s->step, advised);
    return;
  }
  const int too_long = advised <= shorter * h;
  if (failed && too_long)
    cli_print(stderr,
              "rattle run: the step %g is too long for the fastest motion; try --step %.1g\n",
              s->step, copysign(advised, s->step));
  if (!off) return;
  if (!too_long) advised = h / 4;
  cli_print(
      stderr, "rattle run: warning: the energy is off by %.2g %% of its terms%s; try --step %.1g\n",
      100 * s->energy_max_relative_error,
      too_long ? ", the step is too long for the fastest motion" : "", copysign(advised, s->step));
}
