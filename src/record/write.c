/* The observer that writes a record.
 *
 * Samples wait in memory (`rows`) until a chunk is full or the time between flushes has passed. A flush writes what waits, has
 * HDF5 flush it, then stores a checkpoint that counts it: from then on it survives the death of the process. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "support/error.h"
#include "observe/place.h"
#include "record/handle.h"
#include "support/largest.h"

enum { NUMBER = 8, MOST_UNCOUNTED = 8 * 1024 * 1024 };

/* Coarse: read at each sample, and a few milliseconds do not matter. */
static double now(void) {
  struct timespec t;
#ifdef CLOCK_MONOTONIC_COARSE
  clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
#else
  clock_gettime(CLOCK_MONOTONIC, &t);
#endif
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Keeps the first failure; nothing more is written after it. */
static rattle_status give_up(rattle_record *r, const rattle__h5 *h5, rattle_error *error) {
  r->broken = r->store.trouble ? rattle__place_fail(&r->why, r->path, "written", strerror(r->store.trouble))
                               : rattle__h5_fail(h5, &r->why, r->path, "written");
  if (!r->store.trouble) r->store.trouble = EIO; /* the file stays as it is now */
  if (error) *error = r->why;
  return r->broken;
}

/* What waits, into the datasets. */
static int write_rows(rattle_record *r) {
  rattle__record_channels *channels = &r->store.channels;
  for (int c = 0; c < channels->count && r->waiting > 0; c++)
    if (rattle__channel_write(&channels->channel[c], r->written, r->waiting, r->rows[c])) return -1;
  if (r->waiting > 0 && rattle__sums_add(&r->store, r->written, r->waiting, r->rows)) return -1;
  if (r->store.trouble) return -1;
  r->written += r->waiting;
  r->waiting = 0;
  return 0;
}

/* Writes, flushes and counts. */
static int flush(rattle_record *r) {
  struct stat found;
  rattle__checkpoint *checkpoint = &r->store.checkpoint;
  if (write_rows(r) || H5Fflush(r->store.file, H5F_SCOPE_LOCAL) < 0 || r->store.trouble) return -1;
  checkpoint->head.samples = r->written;
  checkpoint->head.file_size = r->lock >= 0 && fstat(r->lock, &found) == 0 ? found.st_size : 0;
  if (rattle__checkpoint_store(checkpoint, &r->store.slots) || r->store.trouble) return -1;
  r->flushed = now();
  rattle__info_update(r);
  return 0;
}

/* Takes the figures of a summary over, joined to those of the runs before. */
static void take_figures(rattle_record *r, const rattle_summary *s) {
  rattle__figures *f = &r->store.checkpoint.figures;
  rattle__head *h = &r->store.checkpoint.head;
  const rattle__figures *f0 = &r->before.figures;
  const rattle__head *h0 = &r->before.head;
  f->wall_seconds = f0->wall_seconds + s->wall_seconds;
  f->energy_initial = isnan(f0->energy_initial) ? s->energy_initial : f0->energy_initial;
  f->energy_final = s->energy_final;
  f->energy_max_error = fmax(f0->energy_max_error, s->energy_max_error);
  f->energy_max_relative_error = fmax(f0->energy_max_relative_error, s->energy_max_relative_error);
  f->g_max = fmax(f0->g_max, s->g_max), f->psi_max = fmax(f0->psi_max, s->psi_max);
  f->g_final = s->g_final, f->psi_final = s->psi_final;
  if (!(f0->min_singular_value <= s->min_singular_value) && !isnan(s->min_singular_value)) {
    f->min_singular_value = s->min_singular_value;
    f->min_singular_time = s->min_singular_time;
  }
#define COUNT(name, text) h->name = h0->name + s->counts.name;
#include "rattle/counts.def"
#undef COUNT
}

/* The state of a sample, and figures as far as samples show them. */
static void take_state(rattle_record *r, const rattle_sample *s) {
  rattle__checkpoint *checkpoint = &r->store.checkpoint;
  rattle__figures *f = &checkpoint->figures;
  size_t n = (size_t)r->store.about.n, extra = (size_t)r->store.about.extra;
  memcpy(checkpoint->state, s->state_q, n * sizeof(double));
  memcpy(checkpoint->state + n, s->state_p, n * sizeof(double));
  if (extra > 0) memcpy(checkpoint->state + 2 * n, s->extra, extra * sizeof(double));
  checkpoint->head.step = s->step;
  f->time = s->time;
  if (isnan(f->energy_initial)) f->energy_initial = s->energy;
  f->energy_final = s->energy;
  double change = fabs(s->energy - f->energy_initial);
  f->energy_max_error = fmax(f->energy_max_error, change);
  if (s->energy_scale > 0)
    f->energy_max_relative_error = fmax(r->before.figures.energy_max_relative_error, f->energy_max_error / s->energy_scale);
}

/* How many samples may wait: a block, a power of 2, so that chunks and checksums are written whole. */
static rattle_status make_room(rattle_record *r, rattle_error *error) {
  rattle__record_channels *channels = &r->store.channels;
  long long width = 0;
  for (int c = 0; c < channels->count; c++) width += channels->channel[c].width;
  r->most_uncounted = MOST_UNCOUNTED / (width * NUMBER) + 1;
  r->room = r->store.sums.dataset >= 0 ? r->store.sums.block : rattle__sums_block(channels);
  r->rows = calloc((size_t)channels->count, sizeof *r->rows);
  if (!r->rows) return rattle__no_memory(error);
  r->row_count = channels->count;
  for (int c = 0; c < channels->count; c++) {
    size_t size = (size_t)r->room * (size_t)channels->channel[c].width * NUMBER;
    if (!(r->rows[c] = malloc(size + 1))) return rattle__no_memory(error);
  }
  return RATTLE_OK;
}

/* --- begin --- */

static rattle_status check_same(const rattle_record *r, const rattle_integrator *integrator, const rattle_sample *start,
                                rattle_error *error) {
  int extra = rattle_integrator_extra(integrator);
  if (extra != r->store.about.extra)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, r->path,
                        "the run has %d numbers of declared state and the record %s was created with %lld: the methods differ",
                        extra, r->path, r->store.about.extra);
  if (start->step < r->store.checkpoint.head.step)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, r->path,
                        "the run starts at step %lld, but the record %s continues from step %lld", start->step, r->path,
                        (long long)r->store.checkpoint.head.step);
  return RATTLE_OK;
}

/* The file has a temporary name until it can be resumed from. */
static rattle_status make_file(rattle_record *r, const rattle_integrator *integrator, const rattle_sample *start, rattle__h5 *h5,
                               rattle_error *error) {
  rattle__about *about = &r->store.about;
  rattle__checkpoint *checkpoint = &r->store.checkpoint;
  about->extra = rattle_integrator_extra(integrator);
  free(about->solver);
  if (!(about->solver = strdup(rattle_integrator_solver(integrator)))) return rattle__no_memory(error);
  if (rattle__checkpoint_allot(checkpoint, about)) return rattle__no_memory(error);
  checkpoint->head.steps_asked = about->steps;
  checkpoint->figures.energy_initial = checkpoint->figures.min_singular_value = checkpoint->figures.min_singular_time =
      (double)NAN;
  rattle_status status = rattle__place_temporary(r->path, &r->temporary, error);
  if (status) return status;
  if (rattle__store_make(&r->store, r->temporary, 1)) return give_up(r, h5, error);
  status = rattle__lock_take(r->temporary, &r->lock, error);
  if (!status) status = make_room(r, error);
  if (status) return status;
  r->before = *checkpoint;
  take_state(r, start);
  if (flush(r)) return give_up(r, h5, error);
  status = rattle__place_publish(r->temporary, r->path, r->force, error);
  if (status) return status;
  free(r->temporary), r->temporary = NULL;
  return RATTLE_OK;
}

/* The end of the run before is taken back: from here on the record is a running one. */
static rattle_status reopen(rattle_record *r, const rattle_integrator *integrator, const rattle_sample *start, rattle__h5 *h5,
                            rattle_error *error) {
  rattle_status status = check_same(r, integrator, start, error);
  if (!status) status = make_room(r, error);
  if (status) return status;
  r->before = r->store.checkpoint;
  r->store.checkpoint.head.ended = 0;
  return flush(r) ? give_up(r, h5, error) : RATTLE_OK;
}

static rattle_status begin(void *self, const rattle_integrator *integrator, const rattle_sample *start, rattle_error *error) {
  rattle_record *r = self;
  if (r->has_begun)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, r->path, "the record %s already contains a finished run", r->path);
  rattle__h5 h5;
  rattle__h5_enter(&h5);
  rattle_status status =
      r->store.file < 0 ? make_file(r, integrator, start, &h5, error) : reopen(r, integrator, start, &h5, error);
  rattle__h5_leave(&h5);
  if (status) return status;
  r->first_step = start->step;
  r->has_begun = 1;
  return RATTLE_OK;
}

/* --- samples --- */

/* The sample as one more row of each channel. */
static void put_rows(rattle_record *r, const rattle_sample *s) {
  const rattle__about *about = &r->store.about;
  const int *place = about->place;
  size_t n = (size_t)about->n, m = (size_t)about->m, at = (size_t)r->waiting;
  ((int64_t *)r->rows[RATTLE__STEP])[at] = s->step;
  ((double *)r->rows[RATTLE__TIME])[at] = s->time;
  ((double *)r->rows[RATTLE__ENERGY])[at] = s->energy;
  double *q = (double *)r->rows[RATTLE__POSITION] + at * n, *p = (double *)r->rows[RATTLE__MOMENTUM] + at * n;
  for (size_t k = 0; k < n; k++) q[place[k]] = s->q[k], p[place[k]] = s->p[k];
  if (m > 0) {
    rattle__figures *f = &r->store.checkpoint.figures;
    f->g_final = ((double *)r->rows[RATTLE__CONSTRAINT])[at] = rattle__largest(s->g, (int)m);
    f->psi_final = ((double *)r->rows[RATTLE__HIDDEN])[at] = rattle__largest(s->psi, (int)m);
    f->g_max = fmax(f->g_max, f->g_final), f->psi_max = fmax(f->psi_max, f->psi_final);
    memcpy((double *)r->rows[RATTLE__MULTIPLIERS] + at * m, s->multipliers, m * sizeof(double));
  }
  for (long long i = 0; i < about->observables; i++) ((double *)r->rows[RATTLE__OBSERVED + i])[at] = s->observed[i];
  r->waiting++;
}

static rattle_status sample_arrives(void *self, const rattle_sample *sample, rattle_error *error) {
  rattle_record *r = self;
  if (r->broken) {
    if (error) *error = r->why;
    return r->broken;
  }
  /* the first sample of a resumed run is there already */
  if (r->written + r->waiting > 0 && sample->step <= r->store.checkpoint.head.step) return RATTLE_OK;
  take_state(r, sample);
  put_rows(r, sample);
  int full = r->waiting == r->room - r->written % r->room;
  int due = now() - r->flushed >= r->flush_seconds || r->written - r->store.checkpoint.head.samples >= r->most_uncounted;
  if (!full && !due) return RATTLE_OK;
  rattle__h5 h5;
  rattle__h5_enter(&h5);
  rattle_status status = (due ? flush(r) : write_rows(r)) ? give_up(r, &h5, error) : RATTLE_OK;
  rattle__h5_leave(&h5);
  return status;
}

/* What is shown is on file too. A failure here ends the run at its next sample. */
static void progress(void *self, const rattle_summary *so_far, long long steps_in_all) {
  rattle_record *r = self;
  if (r->broken) return;
  take_figures(r, so_far);
  rattle__head *head = &r->store.checkpoint.head;
  if (r->first_step + steps_in_all > head->steps_asked) head->steps_asked = r->first_step + steps_in_all;
  if (r->waiting == 0 && now() - r->flushed < r->flush_seconds) return;
  rattle__h5 h5;
  rattle__h5_enter(&h5);
  if (flush(r)) give_up(r, &h5, NULL);
  rattle__h5_leave(&h5);
}

/* --- end --- */

/* After a failure the last whole checkpoint gets the status, if that can be done: it needs no new room. */
static void end_broken(rattle_record *r) {
  rattle__checkpoint *checkpoint = &r->store.checkpoint;
  if (rattle__checkpoint_load(checkpoint, &r->store.slots)) return;
  checkpoint->head.ended = 1;
  checkpoint->head.status = r->broken;
  memcpy(r->message, r->why.message, sizeof r->message);
  (void)(rattle__message_store(&r->store.slots, r->message) || rattle__checkpoint_store(checkpoint, &r->store.slots));
}

/* Closes the file and gives the lock up. */
static rattle_status shut(rattle_record *r, rattle_error *error) {
  int reason = rattle__store_close(&r->store);
  rattle_status status = r->broken;
  if (reason && !status) status = rattle__place_fail(error, r->path, "written", strerror(reason));
  if (!status) status = rattle__sync(r->path, error);
  if (r->lock >= 0) close(r->lock);
  r->lock = -1;
  return status;
}

/* steps_asked, now that it is known how many steps there were. Where they adapt it was a guess. */
static void settle_steps(rattle_record *r, const rattle_summary *summary) {
  const rattle__about *about = &r->store.about;
  rattle__head *head = &r->store.checkpoint.head;
  const int early = r->info.adapts && (about->stop - summary->stop) * about->step > 0;
  if (r->info.adapts && !early && !isnan(about->stop)) head->steps_asked = head->step;
  if (head->steps_asked < head->step + early) head->steps_asked = head->step + early;
}

static rattle_status end(void *self, const rattle_summary *summary, rattle_error *error) {
  rattle_record *r = self;
  rattle__checkpoint *checkpoint = &r->store.checkpoint;
  rattle__h5 h5;
  rattle__h5_enter(&h5);
  if (!r->broken) {
    take_figures(r, summary);
    checkpoint->head.ended = 1;
    checkpoint->head.status = summary->status;
    settle_steps(r, summary);
    memcpy(r->message, summary->status ? summary->error.message : "", summary->status ? sizeof r->message : 1);
    if (write_rows(r) || rattle__message_store(&r->store.slots, r->message) || flush(r)) give_up(r, &h5, error);
  }
  if (r->broken) {
    if (error) *error = r->why;
    end_broken(r);
  }
  rattle_status status = shut(r, error);
  r->in_order = !status;
  rattle__info_update(r);
  rattle__h5_leave(&h5);
  return status;
}

void rattle__writer_init(rattle_record *record) {
  record->observer =
      (rattle_observer){.self = record, .begin = begin, .record = sample_arrives, .end = end, .progress = progress};
}

void rattle__writer_close(rattle_record *r) {
  rattle__h5 none = {.reason = ""};
  if (r->store.file >= 0 && r->has_begun && !r->broken && flush(r)) (void)give_up(r, &none, NULL);
  if (r->temporary) unlink(r->temporary);
  for (int c = 0; r->rows && c < r->row_count; c++) free(r->rows[c]);
  free(r->rows);
}
