/* The solution that errors are measured against.
 *
 * Steps of the method of highest order are halved until two solutions agree as well as round-off lets them: the difference d_k of
 * the solutions with N_k and N_k/2 steps falls 2^order fold each time, then stays. The solution with the smallest d_k is taken;
 * its error is d_k, or d_{k+1} where that is more. Where motion is chaotic d_k never becomes small, and says so. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "core/problem.h"
#include "study/study.h"

enum { DOUBLINGS = 16 };
/* halving that gains less than this has come to round-off, once steps are short against the fastest motion */
static const double gain = 4, short_step = 0.12, small = 1e-6;

typedef struct search {
  rattle_study *study;
  const char *method;
  rattle__trial trial[DOUBLINGS];
  double d[DOUBLINGS]; /* relative; INFINITY where one of the two is not there */
} search;

static void scales(const rattle_study *study, const double *z, double *scale_q, double *scale_p) {
  size_t n = (size_t)study->n;
  double most[2] = {0, 0};
  for (size_t i = 0; i < 2 * n * (size_t)study->looks; i++) {
    int is_p = i % (2 * n) >= n;
    most[is_p] = fmax(most[is_p], fabs(z[i]));
  }
  *scale_q = most[0] > 0 ? most[0] : 1;
  *scale_p = most[1] > 0 ? most[1] : 1;
}

static double difference(const rattle_study *study, const double *z, const double *other) {
  size_t n = (size_t)study->n;
  double most = 0, scale[2];
  scales(study, z, &scale[0], &scale[1]);
  for (size_t i = 0; i < 2 * n * (size_t)study->looks; i++) most = fmax(most, fabs(z[i] - other[i]) / scale[i % (2 * n) >= n]);
  return most;
}

static void work(void *self, int line, int k, rattle__job *job) {
  search *s = self;
  (void)line;
  rattle__trial_run(s->study, s->method, &s->trial[k], job);
}

static int enough(void *self, int line, int k) {
  search *s = self;
  const rattle_study *study = s->study;
  (void)line;
  s->d[k] = (double)INFINITY;
  if (k > 0 && !s->trial[k].status && !s->trial[k - 1].status) s->d[k] = difference(study, s->trial[k].z, s->trial[k - 1].z);
  if (s->d[k] == 0 || s->trial[k].status == RATTLE_BAD_METHOD || s->trial[k].status == RATTLE_UNSUITABLE) return 1;
  if (k < 2 || !isfinite(s->d[k - 1])) return 0;
  double turn = fabs(study->span) / (double)s->trial[k].steps * study->r.frequency; /* NaN: not known */
  return s->d[k] > s->d[k - 1] / gain && (s->d[k - 1] < small || !(turn > short_step));
}

/* Numbers of steps; returns how many. The work is bounded: about a minute at the very most. */
static int plan(search *s) {
  const rattle_study *study = s->study;
  double turns = fabs(study->span) * study->r.frequency, effort = study->options.effort > 0 ? study->options.effort : 1;
  double most = effort * fmax(8e8 / study->n, 1e6) / rattle__study_stages(s->method);
  long long first = study->looks * (isfinite(turns) ? 1 + (long long)(turns / study->looks) : 4);
  int count = 0;
  for (; count < DOUBLINGS; count++) {
    s->trial[count].steps = first << count;
    if (count > 3 && (double)s->trial[count].steps > most) break;
  }
  return count;
}

/* max over the common times of |H| and sum |p H_p|/2 */
static rattle_status energy_scale(rattle_study *study, rattle_error *error) {
  const rattle__function *f = study->problem->H;
  size_t n = (size_t)study->n;
  double *gradient = malloc((2 * n + f->work + 1) * sizeof *gradient), scale = fabs(study->energy0);
  if (!gradient) return rattle__no_memory(error);
  for (int j = 0; j < study->looks; j++) {
    const double *z = study->reference.z + 2 * n * (size_t)j;
    double H = 0, sum = 0;
    if (f->jacobian(f, z, &H, gradient, gradient + 2 * n)) continue;
    for (size_t k = n; k < 2 * n; k++) sum += fabs(z[k] * gradient[k]) / 2;
    scale = fmax(scale, fmax(fabs(H), sum));
  }
  free(gradient);
  study->r.reference.scale_energy = scale > 0 ? scale : 1;
  return RATTLE_OK;
}

static rattle_status take(search *s, int done, rattle_error *error) {
  rattle_study *study = s->study;
  int best = 0;
  for (int k = 1; k < done; k++)
    if (s->d[k] < s->d[best] || !isfinite(s->d[best])) best = k;
  const rattle__trial *trial = &s->trial[best];
  if (trial->status || !isfinite(s->d[best])) {
    const rattle_error *why = &s->trial[done - 1].error;
    return rattle__fail(error, s->trial[done - 1].status ? s->trial[done - 1].status : RATTLE_NOT_CONVERGED, s->method,
                        "no reference solution from time %.10g to %.10g could be made with %s: %s", study->r.start, study->r.stop,
                        s->method, s->trial[done - 1].status ? why->message : "the steps came out too long");
  }
  double d = s->d[best];
  if (best + 1 < done && isfinite(s->d[best + 1])) d = fmax(d, s->d[best + 1]);
  memcpy(study->reference.z, trial->z, 2 * (size_t)study->n * (size_t)study->looks * sizeof(double));
  study->reference.maps = (double)trial->steps * rattle__study_stages(s->method);
  study->reference.energy = trial->energy;
  study->reference.g = trial->g, study->reference.psi = trial->psi;
  study->reference.known = 1;
  rattle_study_reference *r = &study->r.reference;
  r->method = s->method;
  r->steps = trial->steps;
  r->step = study->span / (double)trial->steps;
  r->error = fmax(d, 2.2e-16);
  scales(study, trial->z, &r->scale_q, &r->scale_p);
  if (d > small)
    rattle__study_note(study,
                       "the reference is known to %.1e only, and no error below that can be measured: the motion may be chaotic "
                       "or too long for double precision; take an earlier --stop",
                       d);
  return energy_scale(study, error);
}

rattle_status rattle__reference_make(rattle_study *study, rattle_error *error) {
  size_t points = 2 * (size_t)study->n * (size_t)study->looks;
  const char *asked = study->options.reference;
  search *s = calloc(1, sizeof *s);
  study->reference.z = rattle__arena_doubles(&study->arena, points);
  if (!s || !study->reference.z) return free(s), rattle__no_memory(error);
  s->study = study;
  s->method = asked ? asked : rattle__study_best(study);
  study->watch.stage = "reference";
  int most = plan(s), done = 0;
  rattle_status status = RATTLE_OK;
  for (int k = 0; k < most && !status; k++)
    if (!(s->trial[k].z = malloc(points * sizeof(double)))) status = rattle__no_memory(error);
  rattle__jobs jobs = {.lines = 1, .most = &most, .work = work, .enough = enough, .self = s, .done = &done};
  if (!status) status = rattle__jobs_run(&jobs, &study->watch, error);
  if (!status) status = take(s, done, error);
  for (int k = 0; k < DOUBLINGS; k++) free(s->trial[k].z);
  free(s);
  return status;
}
