/* Which coordinates are the place of something, and at which samples it is shown.
 *
 * Axes of one particle (ground/support/axis.h) are its place, as long as there are two of them.
 * Without particles, up to three coordinates together are shown as one point.
 *
 * A run of many samples is shown in clips: the beginning and the end sample by sample, the whole in
 * strides. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "pages/report/motion.h"
#include "words/error.h"
#include "ground/support/axis.h"

enum {
  MOST_FRAMES = 2100,
  FULL_FRAMES = 240,
  NUMBERS = 120000,
  MOST_NUMBERS = 2000000,
  LEAST_FOR_CLIPS = 60,
  MOST_GENERIC = 3
};

typedef struct axis {
  const char *suffix; /* "[3]", "3", or "" */
  int which;          /* 0 x, 1 y, 2 z */
  int coordinate;
} axis;

/* By suffix, then axis. */
static int by_suffix(const void *a, const void *b) {
  const axis *first = a, *second = b;
  int order = strcmp(first->suffix, second->suffix);
  return order ? order : first->which - second->which;
}

typedef struct particle_place {
  int first;     /* the smallest of its coordinates: particles are in the order in which they are
                    named */
  int32_t at[3]; /* coordinates; -1: none */
} particle_place;

static int by_first(const void *a, const void *b) {
  const particle_place *left = a, *right = b;
  return left->first - right->first;
}

/* Runs of axes with one suffix become places; returns how many. */
static int gather(const axis *sorted, int axes, particle_place *places) {
  int count = 0;
  for (int first = 0, next; first < axes; first = next) {
    particle_place p = {.first = sorted[first].coordinate, .at = {-1, -1, -1}};
    for (next = first; next < axes && !strcmp(sorted[next].suffix, sorted[first].suffix); next++) {
      p.at[sorted[next].which] = sorted[next].coordinate;
      if (sorted[next].coordinate < p.first) p.first = sorted[next].coordinate;
    }
    if (next - first >= 2) places[count++] = p;
  }
  qsort(places, (size_t)count, sizeof *places, by_first);
  return count;
}

static void use_particles(report_motion *motion, const particle_place *places, int count) {
  motion->dimension = 2, motion->is_space = 1;
  motion->particles = count;
  for (int i = 0; i < count; i++) {
    for (int d = 0; d < 3; d++) {
      motion->column[3 * i + d] = places[i].at[d] < 0 ? -1 : motion->columns;
      if (places[i].at[d] < 0) continue;
      motion->coordinate[motion->columns++] = places[i].at[d];
      if (d == 2) motion->dimension = 3;
    }
  }
  motion->axis[0] = "x", motion->axis[1] = "y", motion->axis[2] = "z";
}

/* A body is at the particle of its number, or at the origin. */
static void use_bodies(report_motion *motion) {
  motion->dimension = 3, motion->is_space = 1;
  for (int b = 0; b < motion->bodies; b++) {
    for (int i = 0; i < 9; i++) {
      motion->body[b].column[i] = motion->columns;
      motion->coordinate[motion->columns++] = motion->body[b].coordinate[i];
    }
  }
  motion->axis[0] = "x", motion->axis[1] = "y", motion->axis[2] = "z";
}

/* One point, of all coordinates but the time: three, two, or (q, p) of one. More of them are no
 * picture. */
static void use_all_coordinates(report_motion *motion, const rattle_record_info *info) {
  int shown[MOST_GENERIC + 1], count = 0;
  for (int k = 0; k < info->n && count <= MOST_GENERIC; k++)
    if (!rattle__is_clock(info->coordinate_names[k], info->momentum_names[k])) shown[count++] = k;
  if (count == 0 || count > MOST_GENERIC) return;
  if (count == 1) shown[count++] = -1 - shown[0];
  motion->particles = 1, motion->dimension = motion->columns = count;
  for (int d = 0; d < 3; d++) {
    motion->column[d] = d < count ? d : -1;
    if (d < count) motion->coordinate[d] = shown[d];
    motion->axis[d] = d >= count      ? ""
                      : shown[d] >= 0 ? info->coordinate_names[shown[d]]
                                      : info->momentum_names[-1 - shown[d]];
  }
}

rattle_status report_motion_find(report_motion *motion, const rattle_record_info *info,
                                 rattle_error *error) {
  size_t n = (size_t)info->n;
  *motion = (report_motion){0};
  axis *axes = malloc((n + 1) * sizeof *axes);
  particle_place *places = malloc((n + 1) * sizeof *places);
  motion->coordinate = malloc((2 * n + 2) * sizeof *motion->coordinate);
  motion->column = malloc((3 * n + 3) * sizeof *motion->column);
  if (!axes || !places || !motion->coordinate || !motion->column) {
    free(axes), free(places);
    return text_no_memory(error);
  }
  int found = 0;
  for (int k = 0; k < info->n; k++) {
    axes[found].coordinate = k;
    axes[found].which = rattle__axis(info->coordinate_names[k], &axes[found].suffix);
    found += axes[found].which >= 0;
  }
  qsort(axes, (size_t)found, sizeof *axes, by_suffix);
  int count = gather(axes, found, places);
  if (count > 0) use_particles(motion, places, count);
  free(axes), free(places);
  return RATTLE_OK;
}

rattle_status report_motion_draw(report_motion *motion, const report_drawn *drawn,
                                 rattle_error *error) {
  const size_t codes = 3 * (size_t)drawn->places;
  free(motion->column);
  motion->column = malloc((codes + 1) * sizeof *motion->column);
  if (!motion->column) return text_no_memory(error);
  memcpy(motion->column, drawn->place, codes * sizeof *motion->column);
  motion->drawn = drawn;
  motion->particles = drawn->places, motion->columns = drawn->columns,
  motion->dimension = drawn->dimension, motion->is_space = 1;
  motion->axis[0] = "x", motion->axis[1] = "y", motion->axis[2] = "z";
  return RATTLE_OK;
}

/* Frames that a page has room for. */
static long long frame_room(int columns, long long samples) {
  if (columns == 0) columns = 1;
  long long frames = NUMBERS / columns, least = MOST_NUMBERS / columns;
  if (least > FULL_FRAMES) least = FULL_FRAMES;
  if (frames < least) frames = least;
  if (frames < 2) frames = 2;
  if (frames > MOST_FRAMES) frames = MOST_FRAMES;
  return frames < samples ? frames : samples;
}

rattle_status report_motion_plan(report_motion *motion, const rattle_record_info *info,
                                 rattle_error *error) {
  if (motion->bodies > 0)
    use_bodies(motion);
  else if (motion->particles == 0 && !motion->drawn && info->n > 0)
    use_all_coordinates(motion, info);
  if (motion->columns == 0 && !motion->drawn) return RATTLE_OK;
  rattle_status status = RATTLE_OK;
  long long samples = info->samples, room = frame_room(motion->columns, samples);
  if (room == samples || room < LEAST_FOR_CLIPS) {
    long long stride = (samples + room - 1) / room;
    motion->clips = 1;
    return report_frames_plan(&motion->clip[0], motion->columns, 0, stride,
                              (samples + stride - 1) / stride, error);
  }
  long long part = room / 3, stride = (samples + part - 1) / part;
  const long long first[] = {0, 0, samples - part}, strides[] = {1, stride, 1};
  for (int c = 0; c < REPORT_RUN_CLIPS && !status; c++) {
    motion->clips = c + 1;
    status =
        report_frames_plan(&motion->clip[c], motion->columns, first[c], strides[c], part, error);
  }
  return status;
}

rattle_status report_motion_plan_clips(report_motion *motion, int clips, int frames,
                                       rattle_error *error) {
  rattle_status status = RATTLE_OK;
  if (motion->bodies > 0) use_bodies(motion);
  for (int c = 0; c < clips && motion->columns > 0 && !status; c++) {
    motion->clips = c + 1;
    status = report_frames_plan(&motion->clip[c], motion->columns, 0, 1, frames, error);
  }
  return status;
}

void report_motion_free(report_motion *motion) {
  for (int c = 0; c < motion->clips; c++) report_frames_free(&motion->clip[c]);
  free(motion->coordinate), free(motion->column), free(motion->rod);
  *motion = (report_motion){0};
}
