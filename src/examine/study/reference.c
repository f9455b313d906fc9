/* The reference solution.
 *
 * Steps of the method of highest order are halved until two solutions agree as well as round-off
 * lets them: the difference d_k of the solutions with N_k and N_k/2 steps falls 2^order fold each
 * time, then stays. The solution with the smallest d_k is taken (in the geometric mean over the
 * common times); its error at each time is d_k, or d_{k+1} if that is more. For chaotic motion d_k
 * stays large at late times.
 *
 * Round-off of the methods studied is estimated by that of the reference, whose sums are the same;
 * if it has compensated sums or 113 bits, the same run is made once more with plain sums. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ground/support/error.h"
#include "problem/functions/problem.h"
#include "examine/study/study.h"

enum { DOUBLINGS = 16 };
/* halving that gains less than this has come to round-off, once steps are short against the fastest
 * motion */
static const double gain = 4, short_step = 0.05, small = 1e-6;

typedef struct reference_search {
  rattle_study *study;
  const char *method;
  rattle__need need;
  rattle__trial trial[DOUBLINGS];
  double *at[DOUBLINGS]; /* [looks] d at the common times */
  double d[DOUBLINGS]; /* the largest of them; INFINITY if one of the two solutions is not there */
  double mean[DOUBLINGS]; /* of their logarithms */
  const char *plain;      /* the method with plain sums, NULL: it has them */
  double costlier;        /* than with plain sums is a step, about so many times */
  rattle__trial again;    /* the run with plain sums */
} reference_search;

/* of z [points*2n] */
static void scales(const rattle_study *study, const double *z, int points, double *scale_q,
                   double *scale_p) {
  size_t n = (size_t)study->n;
  double most[2] = {0, 0};
  for (size_t i = 0; i < 2 * n * (size_t)points; i++) {
    int is_p = i % (2 * n) >= n;
    if (rattle__study_is_motion(study, (int)(i % (2 * n))))
      most[is_p] = fmax(most[is_p], fabs(z[i]));
  }
  *scale_q = most[0] > 0 ? most[0] : 1;
  *scale_p = most[1] > 0 ? most[1] : 1;
}

/* d at each common time, relative; the largest, and the mean of the logarithms. */
static void compare(reference_search *s, int k) {
  const rattle_study *study = s->study;
  const double *z = s->trial[k].z, *other = s->trial[k - 1].z;
  size_t n = (size_t)study->n;
  double scale[2];
  scales(study, z, study->looks, &scale[0], &scale[1]);
  s->d[k] = s->mean[k] = 0;
  for (int j = 0; j < study->looks; j++) {
    double most = 0;
    for (size_t i = 2 * n * (size_t)j, end = i + 2 * n; i < end; i++)
      if (rattle__study_is_motion(study, (int)(i % (2 * n))))
        most = fmax(most, fabs(z[i] - other[i]) / scale[i % (2 * n) >= n]);
    s->at[k][j] = most;
    s->d[k] = fmax(s->d[k], most);
    s->mean[k] += log(fmax(most, 1e-18)) / study->looks;
  }
}

static void work(void *self, int line, int k, rattle__job *job) {
  reference_search *s = self;
  (void)line;
  rattle__trial_run(s->study, s->method, &s->trial[k], job);
}

static int enough(void *self, int line, int k) {
  reference_search *s = self;
  const rattle_study *study = s->study;
  (void)line;
  s->d[k] = s->mean[k] = (double)INFINITY;
  if (k > 0 && !s->trial[k].status && !s->trial[k - 1].status) compare(s, k);
  if (s->d[k] == 0 || s->trial[k].status == RATTLE_BAD_METHOD ||
      s->trial[k].status == RATTLE_UNSUITABLE)
    return 1;
  if (k < 2 || !isfinite(s->d[k - 1])) return 0;
  double turn =
      fabs(study->span) / (double)s->trial[k].steps * study->r.frequency; /* NaN: not known */
  return s->d[k] > s->d[k - 1] / gain && (s->d[k - 1] < small || !(turn > short_step));
}

/* Numbers of steps; returns how many. The work is bounded: some seconds where a reference is only
 * wished for, else about a minute at the very most. */
static int plan(reference_search *s) {
  const rattle_study *study = s->study;
  double turns = fabs(study->span) * study->r.frequency,
         effort = study->options.effort > 0 ? study->options.effort : 1;
  double share = s->need == RATTLE__WISHED ? fmax(4e7 / study->n, 2e6) : fmax(8e8 / study->n, 2e6);
  double most = effort * share / (s->costlier * rattle__study_stages(study, s->method));
  long long first =
      study->ticks * (isfinite(turns) ? 1 + (long long)(turns / (double)study->ticks) : 4);
  int count = 0;
  /* where steps as short as the fastest motion asks cannot be paid, longer ones are tried */
  while ((double)first > most / 8 && first > study->ticks)
    first = first / study->ticks / 2 * study->ticks;
  if (first < study->ticks) first = study->ticks;
  for (; count < DOUBLINGS; count++) {
    s->trial[count].steps = first << count;
    if (count > 3 && (double)s->trial[count].steps > most) break;
  }
  return count;
}

/* The units of z [points*2n], and of the energy the largest sum of the sizes of H's terms. */
static rattle_status find_units(rattle_study *study, const double *points_z, int points,
                                rattle_error *error) {
  const size_t n = (size_t)study->n;
  double *room = malloc(rattle__energy_room(study->problem) * sizeof *room), scale = 0;
  if (!room) return rattle__no_memory(error);
  scales(study, points_z, points, &study->r.reference.scale_q, &study->r.reference.scale_p);
  for (int j = 0; j < points; j++)
    scale = fmax(scale, rattle__energy_size(study->problem, points_z + 2 * n * (size_t)j, room));
  free(room);
  study->r.reference.scale_energy = scale > 0 ? scale : 1;
  return RATTLE_OK;
}

static void work_plainly(void *self, int line, int k, rattle__job *job) {
  reference_search *s = self;
  (void)line;
  (void)k;
  rattle__trial_run(s->study, s->plain, &s->again, job);
}

/* The round-off of the solution kept, with plain sums. */
static rattle_status measure_rounding(reference_search *s, rattle_error *error) {
  rattle_study *study = s->study;
  int one = 1, done = 0;
  s->again = (rattle__trial){.steps = study->r.reference.steps, .z = s->trial[0].z};
  rattle__jobs jobs = {.lines = 1, .most = &one, .work = work_plainly, .self = s, .done = &done};
  rattle_status status = rattle__jobs_run(&jobs, &study->progress, error);
  if (status || !done || s->again.status) return status;
  study->reference.rounding = rattle__trial_errors(study, s->again.z).relative;
  study->reference.energy = s->again.energy;
  study->reference.g = s->again.g, study->reference.psi = s->again.psi;
  return RATTLE_OK;
}

/* The best solution found, with its error. */
static void keep(reference_search *s, int best, int done) {
  rattle_study *study = s->study;
  rattle__reference *reference = &study->reference;
  const rattle__trial *trial = &s->trial[best];
  rattle_study_reference *r = &study->r.reference;
  int also = best + 1 < done && isfinite(s->d[best + 1]);
  for (int j = 0; j < study->looks; j++)
    reference->error[j] =
        fmax(2.2e-16, also ? fmax(s->at[best][j], s->at[best + 1][j]) : s->at[best][j]);
  memcpy(reference->z, trial->z, 2 * (size_t)study->n * (size_t)study->looks * sizeof(double));
  reference->maps = (double)trial->steps * rattle__study_stages(study, s->method);
  reference->map = (double)INFINITY;
  for (int k = 0; k < done; k++)
    if (!s->trial[k].status && s->trial[k].taken)
      reference->map =
          fmin(reference->map, s->trial[k].cpu / (double)s->trial[k].taken / s->costlier);
  reference->map /= rattle__study_stages(study, s->method);
  reference->energy = trial->energy;
  reference->g = trial->g, reference->psi = trial->psi;
  reference->known = 1;
  r->method = s->method;
  r->steps = trial->steps;
  r->step = study->span / (double)trial->steps;
  r->error = fmax(2.2e-16, also ? fmax(s->d[best], s->d[best + 1]) : s->d[best]);
}

static rattle_status take(reference_search *s, int done, rattle_error *error) {
  rattle_study *study = s->study;
  int best = 0;
  for (int k = 1; k < done; k++)
    if (s->mean[k] < s->mean[best] || !isfinite(s->mean[best])) best = k;
  if (done < 1 || s->trial[best].status || !isfinite(s->d[best])) {
    const rattle__trial *last = &s->trial[done > 0 ? done - 1 : 0];
    const char *why = done > 0 && last->status ? last->error.message : "the steps became too long";
    if (s->need == RATTLE__WISHED) {
      rattle__study_note(study,
                         "no reference solution could be computed with %s, so errors of the "
                         "solution are not known: %s",
                         s->method, why);
      return RATTLE_OK;
    }
    return rattle__fail(
        error, done > 0 && last->status ? last->status : RATTLE_NOT_CONVERGED, s->method,
        "no reference solution from time %.10g to %.10g could be computed with %s: %s",
        study->r.start, study->r.stop, s->method, why);
  }
  keep(s, best, done);
  if (study->r.reference.error > small && s->need == RATTLE__NEEDED)
    rattle__study_note(study,
                       "the reference is accurate to %.1e only, and no error below that can be "
                       "measured: the motion may be "
                       "chaotic or too long for double precision; use an earlier --stop",
                       study->r.reference.error);
  return find_units(study, study->reference.z, study->looks, error);
}

/* Errors against a solution that stays where it is would be round-off over round-off. */
static rattle_status refuse(rattle_study *study, rattle_error *error) {
  if (study->r.kind != RATTLE_STUDY_DRIFT && study->r.kind != RATTLE_STUDY_COMPARE)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "start",
                        "the start is an equilibrium: nothing moves, and there is no error to "
                        "measure; change the start, or give it momenta");
  rattle__study_note(study,
                     "the start is an equilibrium: nothing moves, so errors of the solution%s are "
                     "not measured; change the "
                     "start, or give it momenta",
                     study->r.kind == RATTLE_STUDY_COMPARE ? ", reversal and form" : "");
  study->reference.maps = 1e4;
  return find_units(study, study->z0, 1, error);
}

rattle_status rattle__reference_make(rattle_study *study, rattle__need need, rattle_error *error) {
  if (study->still) return refuse(study, error);
  size_t points = 2 * (size_t)study->n * (size_t)study->looks, looks = (size_t)study->looks;
  reference_search *s = calloc(1, sizeof *s);
  study->reference.z = rattle__arena_doubles(&study->arena, points);
  study->reference.error = rattle__arena_doubles(&study->arena, looks);
  if (!s || study->arena.failed) return free(s), rattle__no_memory(error);
  *s = (reference_search){.study = study, .method = rattle__study_reference(study), .need = need};
  s->plain = rattle__study_plain(study, s->method, &s->costlier);
  study->progress.stage = "reference";
  study->reference.maps = 1e4; /* if there is none */
  int most = plan(s), done = 0;
  rattle_status status = find_units(study, study->z0, 1, error);
  for (int k = 0; k < most && !status; k++) {
    s->trial[k].z = malloc((points + looks) * sizeof(double));
    s->at[k] = s->trial[k].z + points;
    if (!s->trial[k].z) status = rattle__no_memory(error);
  }
  rattle__jobs jobs = {
      .lines = 1, .most = &most, .work = work, .enough = enough, .self = s, .done = &done};
  if (!status) status = rattle__jobs_run(&jobs, &study->progress, error);
  if (!status) status = take(s, done, error);
  if (!status && s->plain && study->reference.known) status = measure_rounding(s, error);
  for (int k = 0; k < DOUBLINGS; k++) free(s->trial[k].z);
  free(s);
  return status;
}
