/* Frames of particles in space from the samples of a record, in Angstrom and picoseconds where its
 * units are known. */
#include <stdlib.h>
#include <string.h>

#include "ground/support/error.h"
#include "record/hdf5/convert.h"

/* ---- units ---- */

static const struct {
  const char *name;
  double size; /* in Angstrom, or picoseconds */
} lengths[] = {{"Angstrom", 1}, {"angstrom", 1}, {"A", 1},     {"\xC3\x85", 1},
               {"nm", 10},      {"pm", 0.01},    {"fm", 1e-5}, {"um", 1e4},
               {"mm", 1e7},     {"cm", 1e8},     {"m", 1e10},  {NULL, 0}},
  times[] = {{"ps", 1},   {"fs", 1e-3}, {"ns", 1e3}, {"us", 1e6},
             {"ms", 1e9}, {"s", 1e12},  {NULL, 0}};

/* The units of the record, or those that the caller gives where it has none; both or none. */
static rattle_status find_units(rattle__frames *f, rattle_error *error) {
  const rattle_record_info *info = &f->record->info;
  const char *length = info->unit_length, *time = info->unit_time;
  if (!*length && f->with->length) length = f->with->length;
  if (!*time && f->with->time) time = f->with->time;
  f->length = f->time = 1;
  if (!*length && !*time) return RATTLE_OK;
  int l = 0, t = 0;
  while (lengths[l].name && strcmp(lengths[l].name, length) != 0) l++;
  while (times[t].name && strcmp(times[t].name, time) != 0) t++;
  if (!lengths[l].name || !times[t].name)
    return rattle__fail(error, RATTLE_UNSUITABLE, f->record->path,
                        "lengths are in \"%s\" and times in \"%s\": expected one of Angstrom, nm, "
                        "pm, fm, um, mm, cm, m, and one of ps, fs, ns, us, ms, s",
                        length, time);
  f->known = 1;
  f->length = lengths[l].size;
  f->time = times[t].size;
  return RATTLE_OK;
}

/* ---- frames ---- */

rattle_status rattle__frames_make(rattle__frames *f, rattle_error *error) {
  const rattle__about *about = &f->record->store.about;
  f->dimension = (int)about->dimension;
  if (f->dimension < 2)
    return rattle__fail(error, RATTLE_UNSUITABLE, f->record->path,
                        "the coordinates of %s are not all those of particles (x, y, z, or x[1], "
                        "y[1], ...), so that it has no frames: write CSV, or observe places",
                        f->record->path);
  f->count = rattle__particles(about);
  f->samples = f->record->info.samples;
  f->mass = about->mass;
  const rattle_status status = find_units(f, error);
  if (status) return status;
  for (int i = 0; i < 3; i++) f->box[i] = f->with->box[i] * f->length;
  const size_t points = (size_t)RATTLE__FRAME_BLOCK * (size_t)about->n,
               places = (size_t)RATTLE__FRAME_BLOCK * (size_t)f->count * 3;
  f->q = malloc((2 * points + 2 * places + RATTLE__FRAME_BLOCK) * sizeof *f->q);
  if (!f->q) return rattle__no_memory(error);
  f->p = f->q + points;
  f->position = f->p + points;
  f->velocity = f->mass ? f->position + places : NULL;
  f->times = f->position + 2 * places;
  return RATTLE_OK;
}

void rattle__frames_free(rattle__frames *f) {
  free(f->q);
}

rattle_status rattle__frames_read(rattle__frames *f, long long first, long long count,
                                  rattle_error *error) {
  const rattle__about *about = &f->record->store.about;
  const size_t places = (size_t)f->count * 3;
  const int D = f->dimension;
  const rattle_status status =
      rattle_record_read(f->record, first, count, f->times, NULL, f->q, f->p, NULL, NULL, error);
  if (status) return status;
  memset(f->position, 0, (size_t)count * places * sizeof *f->position);
  if (f->velocity) memset(f->velocity, 0, (size_t)count * places * sizeof *f->velocity);
  for (long long i = 0; i < count; i++) {
    const double *q = f->q + i * about->n, *p = f->p + i * about->n;
    f->times[i] *= f->time;
    for (int k = 0; k < about->n; k++) {
      const int particle = about->place[k] / D;
      if (particle >= f->count) continue; /* the time of the model */
      const size_t at = (size_t)i * places + 3 * (size_t)particle + (size_t)(about->place[k] % D);
      f->position[at] = q[k] * f->length;
      if (f->velocity) f->velocity[at] = p[k] / f->mass[particle] * (f->length / f->time);
    }
  }
  return RATTLE_OK;
}
