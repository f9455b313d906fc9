/* The observer that writes a record.
 *
 * Samples wait in memory (`rows`) until a chunk is full or the time between flushes has passed. A
 * flush writes what waits, has HDF5 flush it, then stores a checkpoint that counts it: from then on
 * it survives the death of the process. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "ground/support/error.h"
#include "ground/support/flag.h"
#include "files/observe/place.h"
#include "record/hdf5/handle.h"
#include "ground/support/largest.h"

enum { NUMBER = 8, MOST_UNCOUNTED = 8 * 1024 * 1024, FLUSHED_TOGETHER = 512 };

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
  r->broken = r->store.trouble
                  ? rattle__place_fail(&r->why, r->path, "written", strerror(r->store.trouble))
                  : rattle__h5_fail(h5, &r->why, r->path, "written");
  if (!r->store.trouble) r->store.trouble = EIO; /* the file stays as it is now */
  if (error) *error = r->why;
  return r->broken;
}

/* The end of a file that is not wanted any more: what HDF5 has not written yet is dropped. */
static rattle_status give_in(rattle_record *r, rattle_error *error) {
  if (!r->store.trouble) r->store.trouble = ECANCELED;
  r->broken = rattle__fail(&r->why, RATTLE_INTERRUPTED, r->path,
                           "interrupted while %s was created: nothing was written", r->path);
  if (error) *error = r->why;
  return r->broken;
}

/* The work of HDF5 in a flush grows with the square of what was changed since the last one. */
static int flush_often(rattle_record *r) {
  if (++r->unflushed < FLUSHED_TOGETHER) return 0;
  r->unflushed = 0;
  return H5Fflush(r->store.file, H5F_SCOPE_LOCAL) < 0 ? -1 : 0;
}

/* Writes the rows of table t that wait into its datasets. */
static int write_rows(rattle_record *r, int t) {
  const rattle__record_channels *channels = &r->store.table[t].channels;
  struct rattle__queue *queue = &r->queue[t];
  if (queue->waiting == 0) return r->store.trouble ? -1 : 0;
  for (int c = 0; c < channels->count; c++)
    if (rattle__channel_write(&channels->channel[c], queue->written, queue->waiting,
                              queue->rows[c]) ||
        flush_often(r))
      return -1;
  if (rattle__sums_add(&r->store, t, queue->written, queue->waiting, queue->rows) ||
      r->store.trouble)
    return -1;
  queue->written += queue->waiting;
  queue->waiting = 0;
  return 0;
}

/* Writes, flushes and counts. */
static int flush(rattle_record *r) {
  struct stat found;
  rattle__checkpoint *checkpoint = &r->store.checkpoint;
  for (int t = 0; t < r->store.tables; t++)
    if (write_rows(r, t)) return -1;
  if (H5Fflush(r->store.file, H5F_SCOPE_LOCAL) < 0 || r->store.trouble) return -1;
  r->unflushed = 0;
  checkpoint->head.samples = r->queue[0].written;
  for (int t = 1; t < r->store.tables; t++)
    rattle__event_of(checkpoint, t)[RATTLE__EVENT_ROWS] = r->queue[t].written;
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
    f->energy_max_relative_error =
        fmax(r->before.figures.energy_max_relative_error, f->energy_max_error / s->energy_scale);
}

/* How many rows of table t may wait: a block, a power of 2, so that chunks and checksums are
 * written whole. */
static rattle_status make_room(rattle_record *r, int t, rattle_error *error) {
  const rattle__record_channels *channels = &r->store.table[t].channels;
  struct rattle__queue *queue = &r->queue[t];
  const rattle__sums *sums = &r->store.table[t].sums;
  long long width = 0;
  for (int c = 0; c < channels->count; c++) width += channels->channel[c].width;
  queue->most_uncounted = MOST_UNCOUNTED / (width * NUMBER) + 1;
  queue->room = sums->width > 0 ? sums->block : rattle__sums_block(channels);
  queue->rows = calloc((size_t)channels->count, sizeof *queue->rows);
  if (!queue->rows) return rattle__no_memory(error);
  queue->row_count = channels->count;
  for (int c = 0; c < channels->count; c++) {
    size_t size = (size_t)queue->room * (size_t)channels->channel[c].width * NUMBER;
    if (!(queue->rows[c] = malloc(size + 1))) return rattle__no_memory(error);
  }
  return RATTLE_OK;
}

/* A queue for each table; those of events get their room with the first one. */
static rattle_status make_queues(rattle_record *r, rattle_error *error) {
  r->queue = calloc((size_t)r->store.tables, sizeof *r->queue);
  if (!r->queue) return rattle__no_memory(error);
  for (int t = 0; t < r->store.tables; t++) r->queue[t].written = rattle__rows_kept(&r->store, t);
  return make_room(r, 0, error);
}

/* The sentences of the run after those of the runs before; of more than there is room for the last
 * ones. */
static int write_warnings(rattle_record *r) {
  char(*kept)[RATTLE__MESSAGE_SIZE] = r->store.sentences.text;
  for (int i = 0; r->warnings && i < rattle_warnings_count(r->warnings); i++) {
    const char *text = rattle_warnings_text(r->warnings, i);
    int k = 0;
    while (k < RATTLE__WARNINGS && kept[k][0] &&
           strncmp(kept[k], text, RATTLE__MESSAGE_SIZE - 1) != 0)
      k++;
    if (k == RATTLE__WARNINGS) memmove(kept, kept + 1, (size_t)--k * sizeof *kept);
    snprintf(kept[k], sizeof *kept, "%s", text);
  }
  return rattle__warnings_store(&r->store.slots, &r->store.sentences);
}

/* --- begin --- */

static rattle_status check_same(const rattle_record *r, const rattle_integrator *integrator,
                                const rattle_sample *start, rattle_error *error) {
  int extra = rattle_integrator_extra(integrator);
  if (extra != r->store.about.extra)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, r->path,
                        "the run has %d numbers of declared state and the record %s was created "
                        "with %lld: the methods differ",
                        extra, r->path, r->store.about.extra);
  if (start->step < r->store.checkpoint.head.step)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, r->path,
                        "the run starts at step %lld, but the record %s continues from step %lld",
                        start->step, r->path, (long long)r->store.checkpoint.head.step);
  return RATTLE_OK;
}

/* The file has a temporary name until it can be resumed from. */
static rattle_status make_file(rattle_record *r, const rattle_integrator *integrator,
                               const rattle_sample *start, rattle__h5 *h5, rattle_error *error) {
  rattle__about *about = &r->store.about;
  rattle__checkpoint *checkpoint = &r->store.checkpoint;
  about->extra = rattle_integrator_extra(integrator);
  r->info.has_work = rattle_integrator_has_work(integrator);
  about->has_work = r->info.has_work;
  free(about->solver);
  if (!(about->solver = strdup(rattle_integrator_solver(integrator))))
    return rattle__no_memory(error);
  if (rattle__checkpoint_allot(checkpoint, about)) return rattle__no_memory(error);
  checkpoint->head.steps_asked = about->steps;
  checkpoint->figures.energy_initial = checkpoint->figures.min_singular_value =
      checkpoint->figures.min_singular_time = (double)NAN;
  rattle_status status = rattle__place_temporary(r->path, &r->temporary, error);
  if (status) return status;
  if (rattle__store_make(&r->store, r->temporary, NULL) || rattle__store_share(&r->store))
    return rattle__flag_is_set(r->store.interrupt) ? give_in(r, error) : give_up(r, h5, error);
  status = rattle__lock_take(r->temporary, &r->lock, error);
  if (!status) status = make_queues(r, error);
  if (status) return status;
  r->before = *checkpoint;
  take_state(r, start);
  if (write_warnings(r) || flush(r)) return give_up(r, h5, error);
  status = rattle__place_publish(r->temporary, r->path, r->force, error);
  if (status) return status;
  free(r->temporary), r->temporary = NULL;
  return RATTLE_OK;
}

rattle_status rattle__writer_reopen(rattle_record *r, rattle__h5 *h5, rattle_error *error) {
  rattle_status status = rattle__store_remake(&r->store, h5, r->path, error);
  if (!status) status = make_queues(r, error);
  if (status) return status;
  r->before = r->store.checkpoint;
  r->store.checkpoint.head.ended = 0;
  return flush(r) || rattle__store_publish(&r->store) ? give_up(r, h5, error) : RATTLE_OK;
}

static rattle_status begin(void *self, const rattle_integrator *integrator,
                           const rattle_sample *start, rattle_error *error) {
  rattle_record *r = self;
  if (r->has_begun)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, r->path,
                        "the record %s already contains a finished run", r->path);
  rattle__h5 h5;
  rattle__h5_enter(&h5);
  rattle_status status = r->store.origin ? check_same(r, integrator, start, error) : RATTLE_OK;
  if (!status)
    status = r->store.origin ? rattle__writer_reopen(r, &h5, error)
                             : make_file(r, integrator, start, &h5, error);
  rattle__h5_leave(&h5);
  if (status) return status;
  r->first_step = start->step;
  r->has_begun = 1;
  return RATTLE_OK;
}

/* --- samples --- */

/* A sample as one more row of each channel of a table. */
static void put_row(const rattle__about *about, struct rattle__queue *queue,
                    const rattle_sample *s) {
  const int *place = about->place;
  void **rows = queue->rows;
  size_t n = (size_t)about->n, m = (size_t)about->m, at = (size_t)queue->waiting;
  ((int64_t *)rows[RATTLE__STEP])[at] = s->step;
  ((double *)rows[RATTLE__TIME])[at] = s->time;
  ((double *)rows[RATTLE__ENERGY])[at] = s->energy;
  const int clock = rattle__channel_of_clock(about);
  const size_t width = n - (clock >= 0);
  double *q = (double *)rows[RATTLE__POSITION] + at * width,
         *p = (double *)rows[RATTLE__MOMENTUM] + at * width;
  for (size_t k = 0; k < n; k++) {
    const size_t own = (size_t)place[k];
    double *time = own < width ? NULL : (double *)rows[clock] + 2 * at;
    *(time ? time : q + own) = s->q[k], *(time ? time + 1 : p + own) = s->p[k];
  }
  if (m > 0) {
    ((double *)rows[RATTLE__CONSTRAINT])[at] = rattle__largest(s->g, (int)m);
    ((double *)rows[RATTLE__HIDDEN])[at] = rattle__largest(s->psi, (int)m);
    memcpy((double *)rows[RATTLE__MULTIPLIERS] + at * m, s->multipliers, m * sizeof(double));
  }
  for (long long i = 0; i < about->observables; i++)
    ((double *)rows[RATTLE__OBSERVED + i])[at] = s->observed[i];
  if (about->has_work) {
    const int work = rattle__channel_of_work(about);
    ((double *)rows[work])[at] = s->work + s->supplied;
    ((double *)rows[work + 1])[at] = s->energy + (s->work + s->supplied);
  }
  queue->waiting++;
}

/* The residuals of a sample. */
static void take_residuals(rattle_record *r, const rattle_sample *s) {
  rattle__figures *f = &r->store.checkpoint.figures;
  const int m = (int)r->store.about.m;
  if (m == 0) return;
  f->g_final = rattle__largest(s->g, m), f->psi_final = rattle__largest(s->psi, m);
  f->g_max = fmax(f->g_max, f->g_final), f->psi_max = fmax(f->psi_max, f->psi_final);
}

/* Writes what waits of table t, and where it is time all, and counts it. */
static rattle_status pass_on(rattle_record *r, int t, rattle_error *error) {
  const struct rattle__queue *queue = &r->queue[t];
  int full = queue->waiting == queue->room - queue->written % queue->room;
  int due = now() - r->flushed >= r->flush_seconds ||
            queue->written - rattle__rows_kept(&r->store, t) >= queue->most_uncounted;
  if (!full && !due) return RATTLE_OK;
  rattle__h5 h5;
  rattle__h5_enter(&h5);
  rattle_status status = (due ? flush(r) : write_rows(r, t)) ? give_up(r, &h5, error) : RATTLE_OK;
  rattle__h5_leave(&h5);
  return status;
}

/* The first sample of a resumed run is there already, or the run before went on to an end within
 * the next step; that end may be reached again. */
static int is_known(const rattle_record *r, const rattle_sample *sample) {
  const int64_t last = r->store.checkpoint.head.step;
  const double beyond = sample->time - r->store.checkpoint.figures.time;
  return sample->step < last || (sample->step == last && !(beyond * r->store.about.step > 0));
}

static rattle_status sample_arrives(void *self, const rattle_sample *sample, rattle_error *error) {
  rattle_record *r = self;
  if (r->broken) {
    if (error) *error = r->why;
    return r->broken;
  }
  if (r->queue[0].written + r->queue[0].waiting > 0 && is_known(r, sample)) return RATTLE_OK;
  take_state(r, sample);
  take_residuals(r, sample);
  put_row(&r->store.about, &r->queue[0], sample);
  return pass_on(r, 0, error);
}

static rattle_status event_arrives(void *self, const rattle_occurrence *occurrence,
                                   rattle_error *error) {
  rattle_record *r = self;
  const rattle__about *about = &r->store.about;
  const int t = occurrence->event + 1;
  if (r->broken) {
    if (error) *error = r->why;
    return r->broken;
  }
  if (t >= r->store.tables || strcmp(about->events.name[t - 1], occurrence->name) != 0)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, occurrence->name,
                        "the record %s was created without the event \"%s\": give "
                        "rattle_record_create the events of the run",
                        r->path, occurrence->name);
  struct rattle__queue *queue = &r->queue[t];
  int64_t *event = rattle__event_of(&r->store.checkpoint, t);
  rattle_status status = queue->rows ? RATTLE_OK : make_room(r, t, error);
  if (status) return status;
  ((int64_t *)queue->rows[queue->row_count - 1])[queue->waiting] = occurrence->direction;
  put_row(about, queue, occurrence->sample);
  memcpy(&event[RATTLE__EVENT_TIME], &occurrence->sample->time, sizeof *event);
  return pass_on(r, t, error);
}

/* Progress that is shown is on file too. A failure here ends the run at its next sample. */
static void progress(void *self, const rattle_summary *so_far, long long steps_in_all) {
  rattle_record *r = self;
  if (r->broken) return;
  take_figures(r, so_far);
  rattle__head *head = &r->store.checkpoint.head;
  if (r->first_step + steps_in_all > head->steps_asked)
    head->steps_asked = r->first_step + steps_in_all;
  int waiting = 0;
  for (int t = 0; t < r->store.tables; t++) waiting |= r->queue[t].waiting > 0;
  if (!waiting && now() - r->flushed < r->flush_seconds) return;
  rattle__h5 h5;
  rattle__h5_enter(&h5);
  if (flush(r)) give_up(r, &h5, NULL);
  rattle__h5_leave(&h5);
}

/* --- end --- */

/* After a failure the last whole checkpoint gets the status, if that can be done: it needs no new
 * room. */
static void end_broken(rattle_record *r) {
  rattle__checkpoint *checkpoint = &r->store.checkpoint;
  if (rattle__checkpoint_load(checkpoint, &r->store.slots)) return;
  checkpoint->head.ended = 1;
  checkpoint->head.status = r->broken;
  memcpy(r->store.message, r->why.message, sizeof r->store.message);
  (void)(rattle__message_store(&r->store.slots, r->store.message) ||
         rattle__checkpoint_store(checkpoint, &r->store.slots));
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

/* True if the run has come to its end within a step. */
static int is_at_end(const rattle__about *about, const rattle_summary *summary) {
  return !summary->status && summary->ended_by < 0 && about->ats > 0 &&
         (about->at[1] - summary->stop) * about->step <= 0;
}

/* steps_asked, now that it is known how many steps there were. If steps adapt it was a guess. */
static void settle_steps(rattle_record *r, const rattle_summary *summary) {
  const rattle__about *about = &r->store.about;
  rattle__head *head = &r->store.checkpoint.head;
  if (is_at_end(about, summary)) head->steps_asked = head->step;
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
    memcpy(r->store.message, summary->status ? summary->error.message : "",
           summary->status ? sizeof r->store.message : 1);
    if (rattle__message_store(&r->store.slots, r->store.message) || write_warnings(r) || flush(r))
      give_up(r, &h5, error);
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

void rattle_record_keep_warnings(rattle_record *record, const rattle_warnings *warnings) {
  record->warnings = warnings;
}

void rattle__writer_init(rattle_record *record) {
  record->observer = (rattle_observer){.struct_size = sizeof record->observer,
                                       .self = record,
                                       .begin = begin,
                                       .record = sample_arrives,
                                       .end = end,
                                       .progress = progress,
                                       .event = event_arrives};
}

void rattle__writer_close(rattle_record *r) {
  rattle__h5 none = {.reason = ""};
  if (r->store.file >= 0 && r->has_begun && !r->broken && flush(r)) (void)give_up(r, &none, NULL);
  if (r->temporary) unlink(r->temporary);
  for (int t = 0; r->queue && t < r->store.tables; t++) {
    for (int c = 0; c < r->queue[t].row_count; c++) free(r->queue[t].rows[c]);
    free(r->queue[t].rows);
  }
  free(r->queue);
}
