/* Samples of a long run, their periodograms and the peaks of these. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "examine/study/long_run.h"

enum { PEAKS = 5, LEAST_SAMPLES = 16, FIXED = 5 };

/* Names of columns: `first`, then the energy and the channels. A channel that is called like
 * another column is marked. */
static const char *const *names_of(rattle_study *study, const rattle__study_channels *channels,
                                   int fixed, const char *const *first) {
  const char **name =
      rattle__arena_take(&study->arena, (size_t)(fixed + channels->count) * sizeof *name);
  if (!name) return NULL;
  for (int c = 0; c < fixed; c++) name[c] = first[c];
  for (int c = 0; c < channels->count; c++) {
    name[fixed + c] = channels->name[c];
    for (int k = 0; k < fixed; k++)
      if (!strcmp(first[k], channels->name[c]))
        name[fixed + c] = rattle__study_text(study, "value of %s", channels->name[c]);
  }
  return name;
}

static rattle_study_table samples(rattle_study *study, const rattle__long_run *run) {
  static const char *const first[FIXED] = {"time", "energy", "energy_max", "g", "psi"};
  int channels = run->channels->count, columns = FIXED + channels;
  double *value;
  const char *const *name = names_of(study, run->channels, FIXED, first);
  rattle_study_table table =
      rattle__study_table(study, "samples", name ? (int)run->rows : 0, columns, name, &value);
  table.bulk = 1;
  for (int i = 0; i < table.rows && value; i++, value += columns) {
    value[0] = rattle__long_time(study, i);
    value[1] = run->energy[i], value[2] = run->energy_max[i], value[3] = run->g[i],
    value[4] = run->psi[i];
    memcpy(value + FIXED, run->value + (size_t)i * (size_t)channels,
           (size_t)channels * sizeof *value);
  }
  return table;
}

/* The peaks of one column of the spectrum, as a table of its own. */
static rattle_study_table peaks_of(rattle_study *study, const char *name, int last,
                                   const double *power, double resolution) {
  static const char *const column[] = {"frequency", "interpolated", "power"};
  rattle__peak peak[PEAKS];
  int count = rattle__peaks(last, power, study->options.window, PEAKS, peak);
  double *value;
  char *title = rattle__arena_take(&study->arena, strlen(name) + sizeof "peaks:");
  if (title) sprintf(title, "peaks:%s", name);
  for (char *at = title; at && *at; at++)
    if (*at == '/') *at = '_';
  rattle_study_table table =
      rattle__study_table(study, title ? title : "", count, 3, column, &value);
  for (int i = 0; i < count && value; i++) {
    *value++ = peak[i].frequency * resolution;
    *value++ = peak[i].interpolated * resolution;
    *value++ = peak[i].power;
  }
  return table;
}

/* Takes the straight line through the means of the first and the last tenth out of a series, so
 * that a drift is not a low frequency. */
static void detrend(int count, double *x) {
  int part = count / 10 + 1;
  double first = 0, last = 0;
  for (int i = 0; i < part; i++) first += x[i] / part, last += x[count - 1 - i] / part;
  double slope = (last - first) / (count - part);
  for (int i = 0; i < count; i++) x[i] -= slope * i;
}

int rattle__long_spectrum(rattle_study *study, const rattle__long_run *run,
                          rattle_study_table *table) {
  static const char *const first[2] = {"frequency", "energy"};
  int count = (int)run->rows, channels = run->channels->count, columns = 2 + channels,
      last = count / 2, tables = 2;
  table[0] = samples(study, run);
  if (count < LEAST_SAMPLES) {
    rattle__study_note(
        study,
        "no frequencies with %s: %d samples are too few; use a later --stop or a smaller --every",
        run->method, count);
    return 1;
  }
  double *value, *x = malloc((size_t)count * sizeof *x),
                 *power = malloc(((size_t)last + 1) * sizeof *power);
  const char *const *name = names_of(study, run->channels, 2, first);
  table[1] = rattle__study_table(study, "spectrum", name ? last + 1 : 0, columns, name, &value);
  table[1].bulk = 1;
  double resolution = 1 / (fabs(rattle__long_time(study, 1) - rattle__long_time(study, 0)) * count);
  for (int c = -1; c < channels && x && power && value && name; c++) {
    for (int i = 0; i < count; i++)
      x[i] = c < 0 ? run->energy[i] : run->value[(size_t)i * (size_t)channels + (size_t)c];
    if (c < 0) detrend(count, x);
    int missing = 0;
    for (int i = 0; i < count; i++) missing += !isfinite(x[i]);
    if (missing) {
      rattle__study_note(study,
                         "no frequencies of %s with %s: it is not a number at %d of %d samples",
                         name[2 + c], run->method, missing, count);
      continue;
    }
    if (rattle__periodogram(count, x, study->options.window, power)) break;
    for (int k = 0; k <= last; k++) {
      value[(size_t)k * (size_t)columns] = k * resolution;
      value[(size_t)k * (size_t)columns + (size_t)(2 + c)] = power[k];
    }
    table[tables++] = peaks_of(study, name[2 + c], last, power, resolution);
  }
  free(power);
  free(x);
  return tables;
}
