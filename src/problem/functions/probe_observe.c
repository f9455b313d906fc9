/* Observables at a point of a probe, and the multipliers that they cite. */
#include <math.h>

#include "ground/support/error.h"
#include "problem/functions/probe.h"
#include "problem/model/model.h"

rattle_status rattle__probe_absent(rattle__probe *s, double *observed, rattle_error *error) {
  const rattle_problem *problem = s->problem;
  const int shares = problem->shares && (s->bracket || s->reaction || !s->m);
  if (!s->shared && !shares) return RATTLE_OK;
  rattle_status status = rattle__probe_multipliers(s, NULL, error);
  if (!status && s->shared)
    status = rattle__shared_multipliers(s, NULL, observed + problem->model->first_omitted, error);
  return status || !shares ? status : rattle__probe_eliminated(s, observed, error);
}

rattle_status rattle__probe_cite(rattle__probe *probe, double *z, rattle_error *error) {
  const rattle_problem *problem = probe->problem;
  const int n = 2 * probe->n;
  double *all = probe->cited, *absent = all + rattle_problem_m(problem);
  rattle_status status = rattle__probe_multipliers_of_all(probe, all, error);
  if (!status && problem->observed) status = rattle__probe_absent(probe, absent, error);
  if (status == RATTLE_NO_MEMORY) return status;
  for (int k = 0; k < problem->cited; k++) {
    const int at = problem->cited_at[k];
    z[n + k] = status || at == RATTLE__NOWHERE ? (double)NAN : at >= 0 ? all[at] : absent[-1 - at];
  }
  return RATTLE_OK;
}

rattle_status rattle__probe_observe(rattle__probe *probe, double *observed, rattle_error *error) {
  const rattle__function *f = probe->problem->observed;
  if (!f || !observed) return RATTLE_OK;
  rattle_status status =
      rattle__cites(probe->problem, f) ? rattle__probe_cite(probe, probe->z, error) : RATTLE_OK;
  if (status) return status;
  int answer = f->value(f, probe->z, observed, probe->work);
  if (answer) return rattle__callback_error(answer, "observable", error);
  if (probe->cotangent) {
    double *p = observed + probe->problem->model->first_cotangent;
    status = rattle__probe_residuals(probe, NULL, NULL, error);
    if (!status)
      status = rattle__cotangent_momenta(probe->cotangent, probe->problem, probe->J, p, error);
    if (status) return status;
  }
  status = rattle__probe_absent(probe, observed, error);
  if (status) return status;
  for (int i = 0; i < f->rows; i++) {
    if (isfinite(observed[i])) continue;
    const char *name = rattle_model_observable_name(probe->problem->model, i);
    return rattle__fail(error, RATTLE_DOMAIN, name,
                        "the observed quantity '%s' is not finite at this point", name);
  }
  return RATTLE_OK;
}
