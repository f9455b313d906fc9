/* One column against another: phase portraits and trajectories.
 *
 * Samples that would fall on the same spot of the figure are omitted: of a line those that have not
 * moved by a two-thousandth of its extent, of points those whose cell, of a thousand by a thousand,
 * is taken. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "figures/plot/plot.h"
#include "ground/support/axis.h"

enum { BLOCK = 16384, CELLS = 1000, FINE = 2000, MOST_ON_LINE = 60000, MOST_PAIRS = 8 };

typedef struct path {
  const plot_source *source;
  const plot_channel *x, *y;
  int log[2];
  plot_raster raster;      /* the extents, and where points are drawn */
  double last[2];          /* the point before */
  long long points, jumps; /* jumps: by more than a twentieth of the extent */
  plot_curve *curve;
} path;

static double scaled(const path *p, int axis, double value) {
  return p->log[axis] ? log10(fabs(value)) : value;
}

/* Calls `see` for each sample. */
static rattle_status walk(path *p, int (*see)(path *, double, double), rattle_error *error) {
  double *block = malloc(2 * BLOCK * sizeof *block);
  rattle_status status = block ? RATTLE_OK : text_no_memory(error);
  p->last[0] = p->last[1] = (double)NAN;
  for (long long done = 0; done < p->source->count && !status; done += BLOCK) {
    long long part = p->source->count - done < BLOCK ? p->source->count - done : BLOCK;
    status = plot_read_channel(p->x, p->source, done, part, block, error);
    if (!status) status = plot_read_channel(p->y, p->source, done, part, block + BLOCK, error);
    for (long long i = 0; i < part && !status; i++)
      if (see(p, block[i], block[BLOCK + i])) status = text_no_memory(error);
  }
  free(block);
  return status;
}

static int measure(path *p, double x, double y) {
  const double at[2] = {scaled(p, 0, x), scaled(p, 1, y)};
  plot_raster_stretch(&p->raster, at);
  return 0;
}

/* How far from the last point, as a part of the extent. */
static double moved(const path *p, double x, double y) {
  const double at[2] = {scaled(p, 0, x), scaled(p, 1, y)}, *low = p->raster.low,
               *high = p->raster.high;
  double most = 0;
  for (int a = 0; a < 2; a++)
    if (high[a] > low[a]) most = fmax(most, fabs(at[a] - p->last[a]) / (high[a] - low[a]));
  return most;
}

static void remember(path *p, double x, double y) {
  p->last[0] = scaled(p, 0, x), p->last[1] = scaled(p, 1, y);
}

static int count_jumps(path *p, double x, double y) {
  p->points++;
  p->jumps += moved(p, x, y) > 0.05;
  remember(p, x, y);
  return 0;
}

static int draw_line(path *p, double x, double y) {
  if (isfinite(x) && isfinite(y) && isfinite(p->last[0]) && isfinite(p->last[1]) &&
      moved(p, x, y) < 1.0 / FINE)
    return 0;
  remember(p, x, y);
  return plot_add_point(p->curve, x, y);
}

static int draw_point(path *p, double x, double y) {
  const double at[2] = {scaled(p, 0, x), scaled(p, 1, y)};
  return plot_raster_takes(&p->raster, at) ? plot_add_point(p->curve, x, y) : 0;
}

static rattle_status draw_points(path *p, rattle_error *error) {
  p->curve->count = 0;
  p->curve->drawn = PLOT_POINTS;
  return walk(p, draw_point, error);
}

/* A line where samples follow each other closely, points where they do not, or where a line would
 * fill the figure. */
static rattle_status draw(path *p, plot_drawn drawn, rattle_error *error) {
  rattle_status status = walk(p, measure, error);
  if (!status) status = walk(p, count_jumps, error);
  if (status) return status;
  int automatic = drawn == PLOT_AUTO;
  if (automatic) drawn = p->points > 2 && p->jumps > p->points / 10 ? PLOT_POINTS : PLOT_LINES;
  if (drawn == PLOT_POINTS) return draw_points(p, error);
  p->curve->drawn = drawn;
  status = walk(p, draw_line, error);
  return !status && automatic && p->curve->count > MOST_ON_LINE ? draw_points(p, error) : status;
}

static rattle_status draw_pair(plot_figure *figure, const plot_request *request,
                               const plot_source *source, const char *x_name, const char *y_name,
                               int choice, rattle_error *error) {
  plot_channel x = {.factor = 1}, y = {.factor = 1};
  char *what = NULL, *label = NULL;
  rattle_status status = plot_find_channel(&x, source, x_name, error);
  if (!status) status = plot_find_channel(&y, source, y_name, error);
  if (!status) {
    what = plot_printf("(%s, %s)", x.label, y.label);
    label = what ? plot_curve_label(request, source, what, choice) : NULL;
    plot_label_axis(&figure->x, &x);
    plot_label_axis(&figure->y, &y);
    path p = {.source = source, .x = &x, .y = &y, .log = {figure->x.log, figure->y.log}};
    p.curve = plot_add_curve(figure, label, PLOT_LINES);
    status = !plot_raster_begin(&p.raster, CELLS) && p.curve ? draw(&p, request->drawn, error)
                                                             : text_no_memory(error);
    plot_raster_end(&p.raster);
    figure->samples += source->count;
  }
  plot_free_channel(&x), plot_free_channel(&y);
  free(what), free(label);
  return status;
}

/* The names in x and y, pair by pair, of each record. */
static rattle_status draw_pairs(plot_figure *figure, const plot_request *request, const char *x,
                                const char *y, rattle_error *error) {
  int choice = strchr(x, ',') != NULL;
  rattle_status status = RATTLE_OK;
  figure->x.log = request->log_x > 0, figure->y.log = request->log_y > 0;
  if (choice) figure->x.label = plot_family(x), figure->y.label = plot_family(y);
  for (int s = 0; s < request->sources && !status; s++)
    for (const char *x_list = x, *y_list = y; (x_list || y_list) && !status;) {
      if (!x_list || !y_list)
        return text_fail(error, RATTLE_BAD_ARGUMENT,
                         "--x %s and --y %s: expected as many names in one as in the other", x, y);
      char *x_name = plot_next_name(&x_list), *y_name = plot_next_name(&y_list);
      status = x_name && y_name
                   ? draw_pair(figure, request, &request->source[s], x_name, y_name, choice, error)
                   : text_no_memory(error);
      free(x_name), free(y_name);
    }
  return status;
}

/* The first pair that is not time and the energy supplied (rattle_model_time), which nobody draws
 * against one another. */
static int first_pair(const rattle_record_info *info) {
  return info->n > 1 && rattle__is_clock(info->coordinate_names[0], info->momentum_names[0]);
}

/* *moves is 1 if pair k changes over the samples: both its coordinate and its momentum, by more
 * than round-off. */
static rattle_status pair_moves(int *moves, const plot_source *source, int k, rattle_error *error) {
  static const double still = 1e-9; /* as in panels/events.js of reports */
  plot_channel x = {.factor = 1}, y = {.factor = 1};
  path p = {.source = source,
            .x = &x,
            .y = &y,
            .raster = {.low = {INFINITY, INFINITY}, .high = {-INFINITY, -INFINITY}}};
  rattle_status status = plot_find_channel(&x, source, source->info->coordinate_names[k], error);
  if (!status) status = plot_find_channel(&y, source, source->info->momentum_names[k], error);
  if (!status) status = walk(&p, measure, error);
  *moves = 1;
  const double *low = p.raster.low, *high = p.raster.high;
  for (int a = 0; a < 2; a++)
    *moves &= high[a] - low[a] > still * fmax(1, fmax(fabs(low[a]), fabs(high[a])));
  plot_free_channel(&x), plot_free_channel(&y);
  return status;
}

/* --y against --x, else the pair k of the model. */
static rattle_status draw_phase(plot_figure *figure, const plot_request *request, int k,
                                rattle_error *error) {
  const rattle_record_info *info = request->source[0].info;
  const int first = first_pair(info);
  if (!request->x != !request->y)
    return text_fail(error, RATTLE_BAD_ARGUMENT, "--style %s: give both --x and --y, or neither",
                     request->style);
  if (request->x) return draw_pairs(figure, request, request->x, request->y, error);
  if (k > first)
    snprintf(figure->remark, sizeof figure->remark,
             "pair %d of %d, the first that changes; choose another with --x and --y",
             k - first + 1, info->n - first);
  else if (info->n - first > 1)
    snprintf(figure->remark, sizeof figure->remark,
             "the first of %d pairs; choose another with --x and --y", info->n - first);
  return draw_pairs(figure, request, info->coordinate_names[k], info->momentum_names[k], error);
}

rattle_status plot_phase(plot_figure *figure, const plot_request *request, rattle_error *error) {
  return draw_phase(figure, request, first_pair(request->source[0].info), error);
}

/* An event that is a coordinate holds it: its pair would be a line of round-off. */
rattle_status plot_section(plot_figure *figure, const plot_request *request, rattle_error *error) {
  const rattle_record_info *info = request->source[0].info;
  plot_request points = *request;
  if (points.drawn == PLOT_AUTO) points.drawn = PLOT_POINTS;
  const int first = first_pair(info);
  int k = first, moves = 0;
  rattle_status status = RATTLE_OK;
  for (; !request->x && k < info->n && !status; k++) {
    if (!rattle__is_clock(info->coordinate_names[k], info->momentum_names[k]))
      status = pair_moves(&moves, &request->source[0], k, error);
    if (moves) break;
  }
  return status ? status : draw_phase(figure, &points, moves ? k : first, error);
}

/* The coordinate that has `letter` where `name` has "x" in front: x[3] -> y[3]. NULL: none. */
static const char *partner(const rattle_record_info *info, const char *name, char letter) {
  for (int k = 0; k < info->n; k++)
    if (info->coordinate_names[k][0] == letter && !strcmp(info->coordinate_names[k] + 1, name + 1))
      return info->coordinate_names[k];
  return NULL;
}

/* The paths of particles in x and y; if there are none, the first two coordinates. */
rattle_status plot_trajectory(plot_figure *figure, const plot_request *request,
                              rattle_error *error) {
  const rattle_record_info *info = request->source[0].info;
  figure->equal = request->log_x <= 0 && request->log_y <= 0;
  if (!request->x != !request->y)
    return text_fail(error, RATTLE_BAD_ARGUMENT,
                     "--style trajectory: give both --x and --y, or neither");
  if (request->x) return draw_pairs(figure, request, request->x, request->y, error);
  char *x = NULL, *y = NULL;
  int pairs = 0, drawn = 0;
  for (int k = 0; k < info->n; k++) {
    const char *name = info->coordinate_names[k],
               *other = name[0] == 'x' ? partner(info, name, 'y') : NULL;
    if (!other || ++pairs > MOST_PAIRS) continue;
    char *more_x = plot_printf("%s%s%s", x ? x : "", x ? "," : "", name),
         *more_y = plot_printf("%s%s%s", y ? y : "", y ? "," : "", other);
    free(x), free(y);
    x = more_x, y = more_y, drawn++;
    if (!x || !y) return free(x), free(y), text_no_memory(error);
  }
  if (pairs > drawn)
    snprintf(figure->remark, sizeof figure->remark,
             "the first %d of %d; choose others with --x and --y", drawn, pairs);
  if (pairs == 0 && info->n < 2)
    return text_fail(
        error, RATTLE_BAD_ARGUMENT,
        "--style trajectory: the model has only one coordinate; choose columns with --x and --y");
  rattle_status status = draw_pairs(figure, request, x ? x : info->coordinate_names[0],
                                    y ? y : info->coordinate_names[1], error);
  free(x), free(y);
  return status;
}
