/* A record followed while a run writes it. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "pages/watch/watch.h"

enum { BINS = 1024, BLOCK = 32768, MOST_FAILURES = 10 };
static const double silence = 60; /* seconds, where the file system has no locks */

double watch_clock(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

rattle_status watch_begin(watch_follow *follow, const char *path, const char *name,
                          rattle_error *error) {
  *follow = (watch_follow){.path = path, .name = name, .source = {.path = path}};
  for (int c = 0; c < WATCH_CURVES; c++)
    if (envelope_begin(&follow->curve[c], BINS)) return text_no_memory(error);
  return RATTLE_OK;
}

static void forget(watch_follow *follow) {
  rattle_record_close(&follow->source.record);
  for (int c = 0; c < WATCH_CURVES; c++) {
    plot_free_channel(&follow->channel[c]);
    envelope_clear(&follow->curve[c]);
    follow->now[c] = (double)NAN;
  }
  follow->curves = follow->moments = 0;
  follow->known = 0;
}

void watch_end(watch_follow *follow) {
  forget(follow);
  for (int c = 0; c < WATCH_CURVES; c++) envelope_end(&follow->curve[c]);
}

static rattle_status open_record(watch_follow *follow, rattle_error *error) {
  static const char *const residuals[] = {"g", "psi"};
  forget(follow);
  rattle_status status = rattle_record_open(&follow->source.record, follow->path, error);
  if (status) return status;
  follow->source.info = rattle_record_info_of(follow->source.record);
  follow->grown = watch_clock();
  status = plot_find_channel(&follow->channel[0], &follow->source, follow->name, error);
  follow->curves = 1;
  for (int c = 1; c < WATCH_CURVES && follow->source.info->m > 0; c++) {
    /* a model's own g or psi would be found by these names: the residuals are asked for by what
     * they are */
    follow->channel[c] =
        (plot_channel){.column = {c == 1 ? RATTLE_CONSTRAINT : RATTLE_HIDDEN, 0}, .factor = 1};
    follow->channel[c].label = strdup(residuals[c - 1]);
    follow->curves = c + 1;
  }
  return status;
}

/* The samples that have come. */
static rattle_status read_more(watch_follow *follow, rattle_error *error) {
  long long samples = follow->source.info->samples;
  if (samples == follow->known) return RATTLE_OK;
  const plot_channel time = {.column = {RATTLE_TIME, 0}, .factor = 1};
  double *block = malloc(2 * BLOCK * sizeof *block);
  rattle_status status = block ? RATTLE_OK : text_no_memory(error);
  while (follow->known < samples && !status) {
    long long part = samples - follow->known < BLOCK ? samples - follow->known : BLOCK;
    status = plot_read_channel(&time, &follow->source, follow->known, part, block, error);
    for (int c = 0; c < follow->curves && !status; c++) {
      status = plot_read_channel(&follow->channel[c], &follow->source, follow->known, part,
                                 block + BLOCK, error);
      for (long long i = 0; i < part && !status; i++)
        envelope_add(&follow->curve[c], block[i], block[BLOCK + i]);
      if (!status) follow->now[c] = block[BLOCK + part - 1];
    }
    if (!status) follow->known += part;
  }
  free(block);
  follow->grown = watch_clock();
  return status;
}

static void take_moment(watch_follow *follow) {
  if (follow->moments == WATCH_MOMENTS) {
    memmove(follow->moment, follow->moment + 1, (WATCH_MOMENTS - 1) * sizeof *follow->moment);
    memmove(follow->step, follow->step + 1, (WATCH_MOMENTS - 1) * sizeof *follow->step);
    follow->moments--;
  }
  follow->moment[follow->moments] = watch_clock();
  follow->step[follow->moments++] = follow->source.info->last_step;
}

static watch_state state_of(watch_follow *follow) {
  const rattle_record_info *info = follow->source.info;
  follow->silent = 0;
  if (info->written == 1) return WATCH_RUNNING;
  if (info->status_name[0]) return WATCH_ENDED;
  if (info->written == 0) return WATCH_LOST;
  follow->silent = watch_clock() - follow->grown > silence;
  return follow->silent ? WATCH_LOST : WATCH_RUNNING;
}

rattle_status watch_look(watch_follow *follow, rattle_error *error) {
  if (access(follow->path, F_OK) != 0 && (errno == ENOENT || errno == ENOTDIR)) {
    /* a record that was there and is not any more is waited for like one that never was */
    forget(follow);
    follow->state = WATCH_WAITING;
    return RATTLE_OK;
  }
  rattle_status status = follow->source.record ? rattle_record_refresh(follow->source.record, error)
                                               : open_record(follow, error);
  /* another run may have put its record instead of this one */
  if (status == RATTLE_BAD_RECORD && follow->known > 0) status = open_record(follow, error);
  if (!status) status = read_more(follow, error);
  if (status == RATTLE_IO && follow->source.record && ++follow->failures < MOST_FAILURES)
    return RATTLE_OK;
  if (status) return status;
  follow->failures = 0;
  take_moment(follow);
  follow->state = state_of(follow);
  return RATTLE_OK;
}

/* Between the oldest moment known and the last; at first that of the whole run. */
double watch_rate(const watch_follow *follow) {
  const rattle_record_info *info = follow->source.info;
  int last = follow->moments - 1;
  double seconds = last > 0 ? follow->moment[last] - follow->moment[0] : 0;
  if (follow->state == WATCH_RUNNING && seconds > 1 && follow->step[last] > follow->step[0])
    return (double)(follow->step[last] - follow->step[0]) / seconds;
  return info->wall_seconds > 0 ? (double)info->last_step / info->wall_seconds : (double)NAN;
}

double watch_seconds_left(const watch_follow *follow) {
  const rattle_record_info *info = follow->source.info;
  double rate = watch_rate(follow);
  return info->steps_asked > info->last_step && rate > 0
             ? (double)(info->steps_asked - info->last_step) / rate
             : (double)NAN;
}

void watch_say_why(const watch_follow *follow, char *text, size_t size) {
  const rattle_record_info *info = follow->source.info;
  if (follow->silent)
    snprintf(text, size,
             "no new samples for %.0f s, and the file system has no locks to show whether a run is "
             "still writing",
             silence);
  else if (follow->state == WATCH_LOST)
    snprintf(text, size, "the run was killed; repair the record with rattle recover %s",
             follow->path);
  else if (info->status == RATTLE_OK)
    snprintf(text, size, "the run is done");
  else if (info->status == RATTLE_INTERRUPTED)
    snprintf(text, size, "the run was interrupted; rattle resume %s continues it", follow->path);
  else
    snprintf(text, size, "the run failed: %s", info->message);
}
