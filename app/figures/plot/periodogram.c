/* The periodogram of a column: power 2 |X|^2 / N^2 against frequency (the normalisation of Seiler,
 * "Stable Underlying Equations for Constrained Hamiltonian Systems", section 8). The mean, at
 * frequency 0, is omitted. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "figures/plot/envelope.h"
#include "figures/plot/plot.h"
#include "ground/support/spectrum.h"

enum { MOST_SAMPLES = 1 << 22, BINS = 4000 };

static int is_at(double time, double from, double spacing, double places) {
  return fabs((time - from) / spacing - places) <= 1e-6;
}

/* A run may end within a step, and go on when it is resumed: samples between those at equal
 * distances are omitted, kept [source->count] being 0. */
static rattle_status even_samples(const plot_source *source, double *time, unsigned char *kept,
                                  double *spacing, rattle_error *error) {
  const long long count = source->count;
  const rattle_record_info *info = source->info;
  if (count > MOST_SAMPLES)
    return text_fail(
        error, RATTLE_BAD_ARGUMENT,
        "%s: %lld samples are too many for a periodogram (at most %d); choose some with "
        "--from and --to",
        source->path, count, MOST_SAMPLES);
  if (count < 4)
    return text_fail(error, RATTLE_BAD_ARGUMENT, "%s: %lld samples are too few for a periodogram",
                     source->path, count);
  plot_channel channel = {.column = {RATTLE_TIME, 0}, .factor = 1};
  rattle_status status = plot_read_channel(&channel, source, 0, count, time, error);
  if (status) return status;
  *spacing = info->adapts ? time[1] - time[0] : info->step * (double)info->every;
  /* the first one may stand between them too */
  const int first = !is_at(time[1], time[0], *spacing, 1) && !is_at(time[2], time[0], *spacing, 1);
  kept[0] = 0;
  for (long long i = first, next = 0; i < count; i++) {
    kept[i] = (unsigned char)is_at(time[i], time[first], *spacing, (double)next);
    if (!kept[i] && (time[i] - time[first]) / *spacing > (double)next)
      return text_fail(
          error, RATTLE_BAD_ARGUMENT,
          "%s: the samples are not equally spaced at time %g; choose others with --from and "
          "--to",
          source->path, time[i]);
    next += kept[i];
  }
  return RATTLE_OK;
}

/* The power at frequencies k/(N dt), k = 1 .. N/2, from |X|/N there; the largest of each bin of
 * neighbours. */
static int put_power(plot_figure *figure, plot_curve *curve, const double *amplitude,
                     long long count, double spacing) {
  envelope e;
  double peak = 0, at = 0;
  if (envelope_begin(&e, BINS)) return -1;
  for (long long k = 1; k <= count / 2; k++) {
    const double frequency = (double)k / ((double)count * fabs(spacing)),
                 power = 2 * amplitude[k] * amplitude[k];
    envelope_add(&e, frequency, power);
    if (power > peak) peak = power, at = frequency;
  }
  int failed = 0;
  for (int i = 0; i < e.bins && !failed; i++)
    failed = plot_add_point(curve, e.bin[i].x_high, e.bin[i].high);
  envelope_end(&e);
  if (!figure->x.log)
    figure->x.low = 0,
    figure->x.high = fmax(0.5 / fabs(spacing), isnan(figure->x.high) ? 0 : figure->x.high);
  if (!figure->remark[0])
    snprintf(figure->remark, sizeof figure->remark, "largest peak %.4g at frequency %.4g", peak,
             at);
  return failed;
}

static rattle_status draw(plot_figure *figure, const plot_request *request,
                          const plot_source *source, const char *name, int choice,
                          rattle_error *error) {
  plot_channel channel = {.factor = 1};
  const size_t room = source->count > MOST_SAMPLES ? 1 : (size_t)source->count;
  long long count = 0;
  unsigned char *kept = malloc(room);
  double spacing = 1, *values = malloc(room * sizeof *values), *amplitude = NULL;
  rattle_status status =
      values ? plot_find_channel(&channel, source, name, error) : text_no_memory(error);
  if (!status && !kept) status = text_no_memory(error);
  if (!status) status = even_samples(source, values, kept, &spacing, error);
  if (!status) status = plot_read_channel(&channel, source, 0, source->count, values, error);
  for (long long i = 0; i < source->count && !status; i++) {
    if (!kept[i]) continue;
    values[count++] = values[i];
    if (!isfinite(values[i]))
      status = text_fail(error, RATTLE_BAD_ARGUMENT, "%s: %s is not finite in all samples",
                         source->path, name);
  }
  if (!status) {
    char *label = plot_curve_label(request, source, channel.label, choice);
    plot_curve *curve = plot_add_curve(figure, label, request->drawn ? request->drawn : PLOT_LINES);
    amplitude = malloc(((size_t)count / 2 + 1) * sizeof *amplitude);
    if (!curve || !amplitude ||
        rattle__amplitudes(count, values, 0, RATTLE__NO_WINDOW, amplitude) ||
        put_power(figure, curve, amplitude, count, spacing))
      status = text_no_memory(error);
    if (!status && !choice && !figure->y.label)
      figure->y.label = plot_printf("power of %s", channel.label);
    figure->samples += count;
    free(label);
  }
  plot_free_channel(&channel);
  free(values), free(amplitude), free(kept);
  return status;
}

rattle_status plot_periodogram(plot_figure *figure, const plot_request *request,
                               rattle_error *error) {
  const char *names = request->y ? request->y : request->source[0].info->coordinate_names[0];
  int choice = strchr(names, ',') != NULL;
  if (request->x)
    return text_fail(error, RATTLE_BAD_ARGUMENT,
                     "--style periodogram takes no --x: the axis is the frequency");
  figure->x.log = request->log_x > 0, figure->y.log = request->log_y > 0;
  figure->x.label = plot_printf("frequency");
  if (choice) figure->y.label = plot_printf("power");
  rattle_status status = RATTLE_OK;
  for (int s = 0; s < request->sources && !status; s++)
    for (const char *list = names; list && !status;) {
      char *name = plot_next_name(&list);
      status = name ? draw(figure, request, &request->source[s], name, choice, error)
                    : text_no_memory(error);
      free(name);
    }
  return status;
}
