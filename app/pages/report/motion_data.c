/* The motion in the page: places as 16-bit parts of their ranges, rods, bodies. */
#include <math.h>
#include <stdlib.h>

#include "pages/report/page.h"
#include "words/error.h"

enum { WORD = 65535 };

/* The range of each column over all clips: frames are kept in 65536 parts of it. */
static rattle_status find_ranges(const report_motion *motion, double **low, double **high,
                                 rattle_error *error) {
  size_t columns = (size_t)motion->columns;
  *low = malloc(2 * columns * sizeof(double) + 1);
  if (!*low) return text_no_memory(error);
  *high = *low + columns;
  for (size_t c = 0; c < columns; c++) {
    double least = (double)NAN, most = (double)NAN;
    for (int k = 0; k < motion->clips; k++)
      least = fmin(least, motion->clip[k].low[c]), most = fmax(most, motion->clip[k].high[c]);
    (*low)[c] = isfinite(least) ? least : 0, (*high)[c] = isfinite(most) ? most : 0;
  }
  return RATTLE_OK;
}

/* WORD itself says that a number is not finite. */
static rattle_status put_clip(json_writer *json, report_blob *blob, const report_frames *clip,
                              const double *low, const double *high, rattle_error *error) {
  size_t numbers = (size_t)clip->count * (size_t)clip->columns;
  uint16_t *words = malloc((numbers + 1) * sizeof *words);
  if (!words) return text_no_memory(error);
  for (size_t i = 0; i < numbers; i++) {
    size_t c = i % (size_t)clip->columns;
    double range = high[c] - low[c], part = range > 0 ? (clip->row[i] - low[c]) / range : 0;
    words[i] = isfinite(clip->row[i]) ? (uint16_t)lround(part * (WORD - 1)) : WORD;
  }
  json_open(json, NULL, '{');
  json_integer(json, "first", clip->first);
  json_integer(json, "stride", clip->stride);
  json_integer(json, "count", clip->count);
  report_json_array(json, "time", report_put_doubles(blob, clip->time, clip->count));
  report_json_array(json, "values", report_put_words(blob, words, (long long)numbers));
  json_close(json, '}');
  free(words);
  return RATTLE_OK;
}

static void put_anchors(json_writer *json, const report_motion *motion) {
  json_open(json, "anchors", '[');
  for (int k = 0; k < motion->anchors; k++) {
    json_open(json, NULL, '[');
    for (int d = 0; d < 3; d++) json_real(json, NULL, motion->anchor[k][d]);
    json_close(json, ']');
  }
  json_close(json, ']');
}

static void put_bodies(json_writer *json, const report_motion *motion) {
  json_open(json, "bodies", '[');
  for (int b = 0; b < motion->bodies; b++) {
    json_open(json, NULL, '{');
    json_open(json, "matrix", '[');
    for (int i = 0; i < 9; i++) json_integer(json, NULL, motion->body[b].column[i]);
    json_close(json, ']');
    json_open(json, "half", '[');
    for (int d = 0; d < 3; d++) json_real(json, NULL, motion->body[b].half[d]);
    json_close(json, ']');
    json_close(json, '}');
  }
  json_close(json, ']');
}

/* ---- what the model draws ---- */

static void put_thing(json_writer *json, const report_thing *thing) {
  const rattle_drawing *is = &thing->is;
  json_open(json, NULL, '{');
  json_text(json, "kind", is->kind);
  json_text(json, "colour", is->colour);
  json_integer(json, "at", thing->at);
  json_open(json, "size", '[');
  for (int d = 0; d < 3; d++) json_real(json, NULL, is->size[d]);
  json_close(json, ']');
  if (is->axes[0] != RATTLE_EXPR_NONE) {
    json_open(json, "axes", '[');
    for (int i = 0; i < 9; i++) json_integer(json, NULL, thing->axes[i]);
    json_close(json, ']');
  }
  json_close(json, '}');
}

static void put_drawn(json_writer *json, report_blob *blob, const report_drawn *drawn) {
  json_open(json, "things", '[');
  for (int i = 0; i < drawn->things; i++) put_thing(json, &drawn->thing[i]);
  json_close(json, ']');
  if (drawn->constants)
    report_json_array(json, "constants",
                      report_put_doubles(blob, drawn->constant, drawn->constants));
}

/* The box of the places, a little larger in all directions. */
static void find_box(const report_motion *motion, const double *low, const double *high,
                     double from[3], double to[3]) {
  double most = 0;
  for (int d = 0; d < 3; d++) {
    from[d] = INFINITY, to[d] = -INFINITY;
    for (int i = d; i < 3 * motion->particles; i += 3) {
      const int code = motion->column[i];
      const double fixed = code < REPORT_NONE ? motion->drawn->constant[-2 - code] : 0;
      from[d] = fmin(from[d], code >= 0 ? low[code] : fixed),
      to[d] = fmax(to[d], code >= 0 ? high[code] : fixed);
    }
    if (from[d] > to[d]) from[d] = to[d] = 0;
    most = fmax(most, to[d] - from[d]);
  }
  if (!(most > 0)) most = 1;
  for (int d = 0; d < 3; d++) from[d] -= 0.15 * most, to[d] += 0.15 * most;
}

static rattle_status put_surface(json_writer *json, report_blob *blob, const report_motion *motion,
                                 int s, const double box[6], rattle_error *error) {
  int count[3];
  double *values = report_surface_values(motion->model, &motion->surface[s], box, box + 3, count);
  if (!values) return text_no_memory(error);
  json_open(json, NULL, '{');
  json_text(json, "colour", motion->surface[s].colour);
  static const char *const keys[] = {"low", "high"};
  for (int side = 0; side < 2; side++) {
    json_open(json, keys[side], '[');
    for (int d = 0; d < 3; d++) json_real(json, NULL, box[3 * side + d]);
    json_close(json, ']');
  }
  json_open(json, "counts", '[');
  for (int d = 0; d < 3; d++) json_integer(json, NULL, count[d]);
  json_close(json, ']');
  report_json_array(
      json, "values",
      report_put_floats(blob, values, (long long)count[0] * count[1] * count[2], 0, 1));
  json_close(json, '}');
  free(values);
  return RATTLE_OK;
}

static rattle_status put_surfaces(json_writer *json, report_blob *blob, const report_motion *motion,
                                  const double *low, const double *high, rattle_error *error) {
  double box[6];
  rattle_status status = RATTLE_OK;
  if (!motion->surfaces || !motion->is_space) return RATTLE_OK;
  find_box(motion, low, high, box, box + 3);
  json_open(json, "surfaces", '[');
  for (int s = 0; s < motion->surfaces && !status; s++)
    status = put_surface(json, blob, motion, s, box, error);
  json_close(json, ']');
  return status;
}

rattle_status report_put_motion(json_writer *json, report_blob *blob, const report_motion *motion,
                                rattle_error *error) {
  if (motion->columns == 0 && !motion->drawn) return RATTLE_OK;
  double *low = NULL, *high = NULL;
  rattle_status status = find_ranges(motion, &low, &high, error);
  if (status) return status;
  json_open(json, "motion", '{');
  json_integer(json, "columns", motion->columns);
  json_integer(json, "dimension", motion->dimension);
  json_integer(json, "particles", motion->particles);
  json_bool(json, "space", motion->is_space);
  json_open(json, "axes", '[');
  for (int d = 0; d < 3; d++) json_text(json, NULL, motion->axis[d]);
  json_close(json, ']');
  report_json_array(json, "place",
                    report_put_integers(blob, motion->column, 3LL * motion->particles));
  if (motion->rods)
    report_json_array(json, "rods", report_put_integers(blob, motion->rod, 2LL * motion->rods));
  put_anchors(json, motion);
  put_bodies(json, motion);
  if (motion->drawn) put_drawn(json, blob, motion->drawn);
  if (!status) status = put_surfaces(json, blob, motion, low, high, error);
  report_json_array(json, "low", report_put_doubles(blob, low, motion->columns));
  report_json_array(json, "high", report_put_doubles(blob, high, motion->columns));
  json_open(json, "clips", '[');
  for (int c = 0; c < motion->clips && !status; c++)
    status = put_clip(json, blob, &motion->clip[c], low, high, error);
  json_close(json, ']');
  json_close(json, '}');
  free(low);
  return status;
}
