/* Modes of a study in motion: a clip of one period for each, without its decay.
 *
 * q(t) = q* + a (x cos w t - y sin w t), put onto g = 0; x + i y is the shape of the mode. a is for
 * the eye: what moves most goes an eighth of the size of the mechanism at rest. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "rattle/slide.h"
#include "pages/report/page.h"
#include "words/error.h"

enum { FRAMES = 49, NUMBERS = 400000, SIXTY = 60 };
static const double part = 0.125, turn = 6.283185307179586;

typedef struct mover {
  const report_remade *remade;
  const rattle_study_table *rest, *modes, *shapes, *imaginary, *momenta;
  report_motion motion;
  rattle_slider *slider; /* NULL: no constraints */
  int n, mode;
  double *q, *p, *all, *at_rest, *row;
} mover;

static const rattle_study_table *table_of(const rattle_study_result *r, const char *name) {
  for (int i = 0; i < r->tables; i++)
    if (!strcmp(r->table[i].name, name)) return &r->table[i];
  return NULL;
}

static int fits(const rattle_study_table *table, int rows, int columns) {
  return table && table->rows == rows && table->columns == columns;
}

/* The places in a phase of the mode; 0: there are none, since the constraints are too far away. */
static int place(mover *s, double amplitude, double phase, double *row) {
  const size_t n = (size_t)s->n, from = (size_t)s->mode * n;
  rattle_error ignored;
  for (size_t k = 0; k < n; k++) {
    const double x = s->shapes->value[from + k],
                 y = s->imaginary ? s->imaginary->value[from + k] : 0;
    s->q[k] = s->rest->value[k] + amplitude * (x * cos(phase) - y * sin(phase));
    s->p[k] = s->momenta ? s->momenta->value[k] : 0;
  }
  if (amplitude != 0 && s->slider && rattle_slider_place(s->slider, s->q, s->p, &ignored)) return 0;
  const report_motion *motion = &s->motion;
  if (motion->drawn) {
    rattle_problem_observe(s->remade->problem, s->q, s->p, s->all, &ignored);
    memcpy(row, s->all + motion->drawn->first, (size_t)motion->columns * sizeof *row);
  } else {
    for (int c = 0; c < motion->columns; c++) row[c] = s->q[motion->coordinate[c]];
  }
  for (int c = 0; c < motion->columns; c++)
    if (!isfinite(row[c])) return 0;
  return 1;
}

/* Coordinate d of particle i at rest. */
static double at_rest(const mover *s, int i, int d) {
  const int code = s->motion.column[3 * i + d];
  return code >= 0            ? s->at_rest[code]
         : code < REPORT_NONE ? s->motion.drawn->constant[-2 - code]
                              : 0;
}

/* The size of the mechanism at rest, of its things where they are all at one place; 0: a point. */
static double size_of(const mover *s) {
  const report_motion *motion = &s->motion;
  double size = 0;
  for (int d = 0; d < 3; d++) {
    double low = INFINITY, high = -INFINITY;
    for (int i = 0; i < motion->particles; i++)
      low = fmin(low, at_rest(s, i, d)), high = fmax(high, at_rest(s, i, d));
    for (int k = 0; k < motion->anchors; k++)
      low = fmin(low, motion->anchor[k][d]), high = fmax(high, motion->anchor[k][d]);
    size = fmax(size, high - low);
  }
  for (int i = 0; motion->drawn && i < motion->drawn->things; i++)
    for (int d = 0; d < 3; d++) size = fmax(size, motion->drawn->thing[i].is.size[d]);
  return size > 0 ? size : motion->bodies > 0;
}

/* How far the places go from rest in a quarter of the period on either side; 0: nowhere, or too
 * far for the constraints. */
static double way(mover *s, double amplitude) {
  double most = 0;
  for (int k = 0; k < 4; k++) {
    if (!place(s, amplitude, turn * k / 4, s->row)) return 0;
    for (int c = 0; c < s->motion.columns; c++) most = fmax(most, fabs(s->row[c] - s->at_rest[c]));
  }
  return most;
}

/* The amplitude; 0: nothing is seen of the mode. */
static double amplitude_of(mover *s) {
  const double size = size_of(s);
  double a = 1, far = way(s, a);
  for (int k = 0; k < SIXTY && !(far > 0); k++) far = way(s, a /= 2);
  for (int k = 0; k < SIXTY && far > 0 && size > 0; k++) {
    const double ratio = part * size / far, next = a * ratio, now = way(s, next);
    if (!(now > 0)) return a;
    a = next, far = now;
    if (fabs(ratio - 1) < part) break;
  }
  return far > 0 ? a : 0;
}

/* 1: the clip has the mode. */
static int move(mover *s, report_frames *clip) {
  const double frequency = rattle_study_entry(s->modes, s->mode, "frequency");
  double a = frequency > 0 ? amplitude_of(s) : 0;
  if (!(a > 0)) return 0;
  for (int tries = 0; tries < SIXTY; tries++, a /= 2) {
    int k = 0;
    clip->count = 0;
    for (int c = 0; c < clip->columns; c++) clip->low[c] = clip->high[c] = (double)NAN;
    for (; k < FRAMES && place(s, a, turn * k / (FRAMES - 1), s->row); k++)
      report_frames_offer(clip, k, turn * k / (FRAMES - 1) / frequency, s->row);
    if (k == FRAMES) return 1;
  }
  return 0;
}

/* Clips of the first modes that move. */
static void move_all(mover *s) {
  report_motion *motion = &s->motion;
  const int room = motion->clips;
  motion->clips = 0;
  for (s->mode = 0; s->mode < s->modes->rows && motion->clips < room; s->mode++)
    if (move(s, &motion->clip[motion->clips])) motion->clip[motion->clips++].first = s->mode;
  for (int c = motion->clips; c < room; c++) report_frames_free(&motion->clip[c]);
}

static rattle_status find(mover *s, rattle_error *error) {
  const rattle_model *model = s->remade->model;
  const size_t n = (size_t)s->n;
  const char **name = malloc((2 * n + 1) * sizeof *name);
  if (!name) return text_no_memory(error);
  for (int k = 0; k < s->n; k++)
    name[k] = rattle_model_coordinate_name(model, k),
    name[n + (size_t)k] = rattle_model_momentum_name(model, k);
  const rattle_record_info info = {.n = s->n,
                                   .m = rattle_model_constraints(model),
                                   .coordinate_names = name,
                                   .momentum_names = name + n};
  rattle_status status = report_motion_find(&s->motion, &info, error);
  if (!status && s->remade->drawn.things > 0)
    status = report_motion_draw(&s->motion, &s->remade->drawn, error);
  else if (!status)
    status = report_shape_find(&s->motion, &info, s->remade->model, error);
  s->motion.model = s->remade->model, s->motion.surfaces = s->remade->drawn.surfaces,
  s->motion.surface = s->remade->drawn.surface;
  free(name);
  const int columns = s->motion.columns + 9 * s->motion.bodies,
            most = columns ? NUMBERS / FRAMES / columns : 0;
  return status ? status
                : report_motion_plan_clips(&s->motion,
                                           most < REPORT_MOST_CLIPS ? most : REPORT_MOST_CLIPS,
                                           FRAMES, error);
}

static rattle_status make_room(mover *s, rattle_error *error) {
  const size_t n = (size_t)s->n, columns = (size_t)s->motion.columns,
               all = columns + (size_t)s->remade->drawn.first;
  if (!(s->q = malloc((2 * n + all + 2 * columns + 1) * sizeof *s->q)))
    return text_no_memory(error);
  s->p = s->q + n, s->all = s->p + n, s->at_rest = s->all + all, s->row = s->at_rest + columns;
  return RATTLE_OK;
}

/* Why no mode is shown in motion. */
static const char *why_still(const mover *s, int moves) {
  if (s->remade->why[0]) return s->remade->why;
  if (moves) return "None of the modes oscillates, or none moves anything that is shown.";
  if (!s->motion.columns && !s->motion.bodies)
    return "The model does not say what moves: no coordinates are named as places, and nothing is "
           "drawn (draw).";
  return s->motion.clips ? "The constraints cannot be followed from the equilibrium."
                         : "There are too many places to show modes in motion.";
}

rattle_status report_put_modes(json_writer *json, report_blob *blob,
                               const rattle_study_result *result, rattle_error *error) {
  report_remade remade;
  rattle_error ignored;
  mover s = {.remade = &remade,
             .n = result->n,
             .rest = table_of(result, "equilibrium"),
             .modes = table_of(result, "modes"),
             .shapes = table_of(result, "shapes"),
             .imaginary = table_of(result, "shapes_imaginary"),
             .momenta = table_of(result, "momenta")};
  const int rows = s.modes ? s.modes->rows : 0;
  if (!rows || !fits(s.rest, 1, s.n) || !fits(s.shapes, rows, s.n) ||
      (s.imaginary && !fits(s.imaginary, rows, s.n)) || (s.momenta && !fits(s.momenta, 1, s.n)))
    return RATTLE_OK;
  report_remake_study(&remade, result);
  rattle_status status = remade.problem ? find(&s, error) : RATTLE_OK;
  if (!status && s.motion.clips && result->m)
    (void)rattle_slider_create(&s.slider, remade.problem, &ignored);
  if (!status && s.motion.clips) status = make_room(&s, error);
  const int moves =
      !status && s.motion.clips && (s.slider || !result->m) && place(&s, 0, 0, s.at_rest);
  if (moves) move_all(&s);
  if (moves && s.motion.clips)
    status = report_put_motion(json, blob, &s.motion, error);
  else if (!status)
    json_text(json, "still", why_still(&s, moves));
  rattle_slider_destroy(&s.slider);
  report_motion_free(&s.motion);
  report_remade_free(&remade);
  free(s.q);
  return status;
}
