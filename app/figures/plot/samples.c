/* Figures of samples: what chains have drawn one after the other, and how long they remember. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "many/markov/markov.h"
#include "figures/plot/plot.h"

enum { MOST_POINTS = 4000 };

/* A column of the samples. */
static rattle_status find(const markov_seen *seen, const plot_source *source, const char *name,
                          int *column, rattle_error *error) {
  const rattle_sampling_result *r = &seen->result;
  if (!r->draws)
    return text_fail(error, RATTLE_BAD_ARGUMENT, "%s does not have samples of every chain yet",
                     source->path);
  for (*column = 0; *column < r->columns; ++*column)
    if (!name || !strcmp(r->column[*column], name)) return RATTLE_OK;
  const char *near = cli_nearest(name, r->column, r->columns);
  return near
             ? text_fail(error, RATTLE_BAD_ARGUMENT, "%s has no samples of %s; did you mean %s?",
                         source->path, name, near)
             : text_fail(error, RATTLE_BAD_ARGUMENT, "%s has no samples of %s", source->path, name);
}

/* The draws of a chain, one every so many where there are more than can be seen. */
static int add_trace(plot_curve *curve, const rattle_sampling_result *r, const double *value) {
  const long long every = 1 + (r->draws - 1) / MOST_POINTS;
  for (long long k = 0; k < r->draws; k += every)
    if (plot_add_point(curve, (double)k, value[k * r->columns])) return 1;
  return 0;
}

static int add_autocorrelation(plot_curve *curve, const rattle_sampling_result *r,
                               const double *value) {
  const rattle_draws chain = {value, 1, r->draws, 0, r->columns};
  double rho[MOST_POINTS];
  const long long lags = rattle_autocorrelation_of(&chain, 0, MOST_POINTS, rho);
  for (long long lag = 0; lag < lags; lag++)
    if (plot_add_point(curve, (double)lag, rho[lag])) return 1;
  return 0;
}

static rattle_status draw(plot_figure *figure, const plot_request *request,
                          const plot_source *source,
                          int (*add)(plot_curve *, const rattle_sampling_result *, const double *),
                          rattle_error *error) {
  markov_seen seen;
  int column = 0;
  if (!markov_is_file(source->cases))
    return text_fail(error, RATTLE_BAD_ARGUMENT,
                     "%s is a sweep; --style %s draws samples (rattle sample -o FILE.h5)",
                     source->path, request->style);
  rattle_status status = markov_read(&seen, source->cases, source->path, error);
  const rattle_sampling_result *r = &seen.result;
  if (!status) status = find(&seen, source, request->y, &column, error);
  if (!status && !figure->y.label && !(figure->y.label = plot_symbol(r->column[column])))
    status = text_no_memory(error);
  for (int c = 0; c < r->chains && !status; c++) {
    char *name = plot_printf("chain %d", c);
    plot_curve *curve = name ? plot_add_curve(figure, r->chains <= 12 ? name : NULL,
                                              request->drawn ? request->drawn : PLOT_THIN)
                             : NULL;
    free(name);
    if (!curve || add(curve, r, r->value + c * r->draws * r->columns + column))
      status = text_no_memory(error);
    figure->samples += r->draws;
  }
  markov_drop(&seen);
  return status;
}

static rattle_status draw_all(plot_figure *figure, const plot_request *request, const char *x,
                              int (*add)(plot_curve *, const rattle_sampling_result *,
                                         const double *),
                              rattle_error *error) {
  rattle_status status = RATTLE_OK;
  if (!figure->x.label && !(figure->x.label = strdup(x))) return text_no_memory(error);
  figure->x.log = request->log_x > 0, figure->y.log = request->log_y > 0;
  for (int s = 0; s < request->sources && !status; s++)
    status = draw(figure, request, &request->source[s], add, error);
  return status;
}

rattle_status plot_trace(plot_figure *figure, const plot_request *request, rattle_error *error) {
  return draw_all(figure, request, "sample", add_trace, error);
}

rattle_status plot_autocorrelation(plot_figure *figure, const plot_request *request,
                                   rattle_error *error) {
  return draw_all(figure, request, "lag", add_autocorrelation, error);
}
