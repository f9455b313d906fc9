/* Records: created, opened to append or to read, closed; what they say of their run. */
#define _GNU_SOURCE /* F_OFD_GETLK */
#include "rattle/record.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ground/support/error.h"
#include "ground/support/lock.h"
#include "ground/support/sized.h"
#include "files/observe/place.h"
#include "record/hdf5/handle.h"

static rattle_status make(rattle_record **record, const char *path, rattle_error *error) {
  rattle_record *r = *record = calloc(1, sizeof *r);
  if (!r || !(r->path = strdup(path))) return rattle__no_memory(error);
  r->store = rattle__store_none;
  r->lock = -1;
  return RATTLE_OK;
}

/* The end of a failed call: no record is given. */
static rattle_status drop(rattle_record **record, rattle_status status) {
  rattle_record_close(record);
  return status;
}

rattle_status rattle_record_create(rattle_record **record, const char *path,
                                   const rattle_problem *problem,
                                   const rattle_record_options *given, rattle_error *error) {
  rattle_record_options own, *options = &own;
  *record = NULL;
  rattle_status status = RATTLE__TAKE(&own, rattle_record_options, flush_seconds, given, error);
  if (status) return status;
  if (!options->method)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "method",
                        "a record needs the method expression of its run");
  if (!(options->flush_seconds >= 0))
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "flush_seconds",
                        "the time between flushes is %g s; it cannot be less than 0",
                        options->flush_seconds);
  status = rattle__place_check(path, options->force, error);
  if (status) return status;
  status = make(record, path, error);
  if (status) return drop(record, status);
  rattle_record *r = *record;
  r->writing = 1;
  r->force = options->force;
  r->store.interrupt = options->interrupt;
  r->flush_seconds = options->flush_seconds > 0 ? options->flush_seconds : 1;
  status = rattle__about_describe(&r->store.about, problem, options, error);
  if (!status) status = rattle__info_fill(r, error);
  if (status) return drop(record, status);
  rattle__writer_init(r);
  return RATTLE_OK;
}

/* A clean file, whole and with all samples counted, else what to do about it. */
static rattle_status check_order(const char *path, const rattle__file_condition *condition,
                                 rattle_error *error) {
  if (condition->size < condition->end)
    return rattle__fail(error, RATTLE_BAD_RECORD, path,
                        "%s is truncated: %lld of its %lld bytes are left; %s", path,
                        condition->size, condition->end, rattle_status_remedy(RATTLE_BAD_RECORD));
  return RATTLE_OK;
}

static rattle_status left_open(const char *path, rattle_error *error) {
  return rattle__fail(error, RATTLE_BAD_RECORD, path,
                      "%s was left open by a run that was killed; run `rattle recover %s` first",
                      path, path);
}

rattle_status rattle_record_append(rattle_record **record, const char *path, rattle_error *error) {
  *record = NULL;
  rattle__file_condition condition;
  rattle_status status = rattle__look(path, &condition, error);
  if (!status) status = check_order(path, &condition, error);
  if (status) return status;
  status = make(record, path, error);
  if (status) return drop(record, status);
  rattle_record *r = *record;
  status = rattle__lock_take(path, &r->lock, error);
  if (!status) status = rattle__look(path, &condition, error);
  if (!status && condition.open_flag) status = left_open(path, error);
  if (status) return drop(record, status);

  rattle__h5 h5;
  rattle__h5_enter(&h5);
  status = rattle__store_open(&r->store, &h5, path, RATTLE__TO_READ, error);
  rattle__h5_leave(&h5);
  if (status) return drop(record, status);
  r->writing = 1;
  r->flush_seconds = 1;
  for (int t = 0; t < r->store.tables; t++)
    if (rattle__channels_samples(&r->store.table[t].channels) != rattle__rows_kept(&r->store, t))
      return drop(record, left_open(path, error));
  status = rattle__info_fill(r, error);
  if (status) return drop(record, status);
  rattle__writer_init(r);
  return RATTLE_OK;
}

rattle_status rattle_record_open(rattle_record **record, const char *path, rattle_error *error) {
  *record = NULL;
  rattle__file_condition condition;
  /* the lock first, so that a run which ends from here on is none that was killed */
  const int held = rattle__lock_held(path);
  rattle_status status = rattle__look(path, &condition, error);
  if (!status) status = check_order(path, &condition, error);
  if (status) return status;
  status = make(record, path, error);
  if (status) return drop(record, status);
  rattle_record *r = *record;
  r->held = held;
  rattle__h5 h5;
  rattle__h5_enter(&h5);
  status = rattle__store_open(&r->store, &h5, path, RATTLE__TO_READ, error);
  rattle__h5_leave(&h5);
  if (status) return drop(record, status);

  /* the size once more: it may have grown before the checkpoint was read */
  status = rattle__look(path, &condition, error);
  if (status) return drop(record, status);
  const rattle__head *head = &r->store.checkpoint.head;
  const long long samples = rattle__channels_samples(&r->store.table[0].channels);
  int lost = 0; /* rows of events */
  for (int t = 1; t < r->store.tables; t++)
    lost |= rattle__channels_samples(&r->store.table[t].channels) < rattle__rows_kept(&r->store, t);
  if (lost || samples < head->samples ||
      (condition.open_flag && condition.size < head->file_size)) {
    rattle__fail(error, RATTLE_BAD_RECORD, path,
                 "%s is truncated: some of its %lld samples are lost; %s", path,
                 (long long)head->samples, rattle_status_remedy(RATTLE_BAD_RECORD));
    return drop(record, RATTLE_BAD_RECORD);
  }
  r->in_order = head->ended && !condition.open_flag && samples == head->samples;
  status = rattle__info_fill(r, error);
  return status ? drop(record, status) : RATTLE_OK;
}

rattle_status rattle_record_refresh(rattle_record *record, rattle_error *error) {
  rattle__file_condition condition;
  if (record->writing || !record->store.origin)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, record->path,
                        "the record %s is not open to be read", record->path);
  /* the lock first, as above: the next call sees that the run has ended */
  int held = rattle__lock_held(record->path);
  rattle_status status = rattle__look(record->path, &condition, error);
  if (status) return status;
  const rattle__origin *origin = record->store.origin;
  if (condition.device != origin->device || condition.inode != origin->inode)
    return rattle__fail(error, RATTLE_BAD_RECORD, record->path,
                        "another file has replaced %s; open it again", record->path);
  rattle__h5 h5;
  rattle__h5_enter(&h5);
  status = rattle__store_refresh(&record->store, &h5, record->path, error);
  rattle__h5_leave(&h5);
  if (status) return status;
  const rattle__head *head = &record->store.checkpoint.head;
  record->in_order = head->ended && !condition.open_flag &&
                     rattle__channels_samples(&record->store.table[0].channels) == head->samples;
  record->held = held;
  rattle__info_update(record);
  return RATTLE_OK;
}

void rattle_record_close(rattle_record **record) {
  rattle_record *r = *record;
  if (!r) return;
  rattle__h5 h5;
  rattle__h5_enter(&h5);
  if (r->writing) rattle__writer_close(r);
  (void)rattle__store_close(&r->store);
  rattle__store_free(&r->store);
  rattle__h5_leave(&h5);
  if (r->lock >= 0) close(r->lock);
  free(r->counts), free(r->last);
  free(r->parameter), free(r->temporary), free(r->path);
  free(r);
  *record = NULL;
}

rattle_observer *rattle_record_observer(rattle_record *record) {
  return &record->observer;
}

const rattle_record_info *rattle_record_info_of(const rattle_record *record) {
  return &record->info;
}

rattle_status rattle__info_fill(rattle_record *record, rattle_error *error) {
  const rattle__about *about = &record->store.about;
  int parameters = about->parameter_names.count;
  const int events = about->events.count;
  record->parameter = calloc((size_t)parameters + 1, sizeof *record->parameter);
  record->counts = calloc((size_t)events + 1, sizeof *record->counts);
  record->last = calloc((size_t)events + 1, sizeof *record->last);
  if (!record->parameter || !record->counts || !record->last) return rattle__no_memory(error);
  record->events =
      (rattle_events){.struct_size = sizeof record->events,
                      .times = about->ats > 2 ? about->at + 2 : NULL,
                      .time_count = about->ats > 2 ? (int)about->ats - 2 : 0,
                      .time_step = about->ats > 0 ? about->at[0] : 0,
                      .end = about->ats > 0 && !isnan(about->at[1]) ? &about->at[1] : NULL,
                      .counts = record->counts,
                      .last = record->last};
  for (int i = 0; i < parameters; i++)
    record->parameter[i] =
        (rattle_parameter){about->parameter_names.name[i], about->parameter_values[i]};
  record->info =
      (rattle_record_info){.title = about->title,
                           .method = about->method,
                           .kind = about->kind,
                           .version = about->version,
                           .model_text = about->text,
                           .model_file = about->model_file,
                           .model_hash = about->hash,
                           .created = about->created,
                           .plugin = about->plugin,
                           .n = (int)about->n,
                           .m = (int)about->m,
                           .observables = (int)about->observables,
                           .every = about->every,
                           .step = about->step,
                           .start_time = about->start_time,
                           .stop_asked = about->stop,
                           .has_work = (int)about->has_work,
                           .coordinate_names = (const char *const *)about->coordinates.name,
                           .momentum_names = (const char *const *)about->momenta.name,
                           .constraint_names = (const char *const *)about->constraints.name,
                           .observable_names = (const char *const *)about->observed.name,
                           .events = events,
                           .event_names = (const char *const *)about->events.name,
                           .events_so_far = &record->events,
                           .parameters = parameters,
                           .parameter = record->parameter};
  rattle__units_fill(record);
  rattle_method *method = NULL;
  record->info.adapts = about->plugin[0] ? about->plugin_adapts != 0
                                         : !rattle_method_parse(&method, about->method, NULL) &&
                                               rattle_method_adapts(method);
  rattle_method_destroy(&method);
  rattle__info_update(record);
  return RATTLE_OK;
}
