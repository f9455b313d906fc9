/* How errors grow over a long run.
 *
 * The running maximum of each quantity is evaluated over the last six octaves of the time reached,
 * at ticks a fourth of an octave apart: log(maximum) = exponent log(t) + constant. A bounded error
 * has exponent 0, a random walk 1/2, a steady drift 1. A maximum that never rises above round-off
 * is not fitted. The trend of the energy is a straight line through the means of 16 equal stretches
 * of time. */
#include <math.h>
#include <stdlib.h>

#include "examine/study/long_run.h"

enum { OCTAVES = 6, BLOCKS = 16, LEAST = 4 };
/* errors above this have come to the size of the motion: they cannot grow on */
static const double saturated = 0.1;
/* less than so many radians of the fastest motion are too short for a drift; and of what is
 * symmetric or symplectic, whose energy error swings, less than so many passages of the energy
 * error through the middle of its swing */
static const double least_radians = 31;
enum { PASSAGES = 6 };

enum { TIME, ENERGY, G, PSI, ERROR, KNOWN_TO, COLUMNS };
static const char *const column[COLUMNS] = {"time", "energy", "g",
                                            "psi",  "error",  "reference_error"};
enum { FIT_ENERGY, FIT_G, FIT_PSI, FIT_ERROR, FIT_RATE, FIT_TREND, FITS };
static const char *const fit_name[FITS] = {"energy", "g",          "psi",
                                           "error",  "error_rate", "energy_trend"};

/* Running maxima at the ticks that were reached. Returns how many. */
static int tabulate(rattle_study *study, const rattle__long_run *run, rattle_study_table *table) {
  double *value, g = 0, psi = 0, error = 0;
  int rows = 0;
  while (rows < study->looks && study->look_at[rows] < run->rows) rows++;
  *table = rattle__study_table(study, "growth", rows, COLUMNS, column, &value);
  if (!value) return 0;
  long long tick = 0;
  for (int j = 0; j < rows; j++, value += COLUMNS) {
    for (; tick <= study->look_at[j]; tick++)
      g = fmax(g, run->g[tick]), psi = fmax(psi, run->psi[tick]);
    value[TIME] = rattle__long_time(study, study->look_at[j]);
    value[ENERGY] = run->energy_max[study->look_at[j]];
    if (study->m) value[G] = g, value[PSI] = psi;
    if (!study->reference.known) continue;
    error = fmax(error, rattle__trial_errors_at(study, run->trial.z, j).relative);
    value[ERROR] = error;
    value[KNOWN_TO] = study->reference.error[j];
  }
  return rows;
}

/* True if a row of the table can be used for a fit of column `which`. */
static int counts(const double *at, int which, double floor) {
  return at[which] > floor &&
         (which != ERROR || (at[ERROR] > 5 * at[KNOWN_TO] && at[ERROR] < saturated));
}

/* A line through the logarithm of a column over the last octaves of the rows that count, against
 * time or its logarithm. */
static rattle_study_fit fit_column(const rattle_study *study, const rattle_study_table *table,
                                   int which, double floor, int against_time) {
  double nan = (double)NAN;
  rattle_study_fit found = {.slope = nan, .uncertainty = nan, .low = nan, .high = nan};
  double *x = malloc(2 * ((size_t)table->rows + 1) * sizeof *x), *y = x + table->rows;
  int count = 0;
  for (int k = table->rows - 1; k >= 0 && x; k--) {
    const double *at = &table->value[k * COLUMNS];
    double t = fabs(at[TIME] - study->r.start);
    if (!counts(at, which, floor)) continue;
    if (count == 0) found.high = t;
    if (t < found.high * 0.999 * pow(2, -OCTAVES)) break;
    x[count] = against_time ? t : log(t);
    y[count++] = log(at[which]);
    found.low = t;
  }
  if (count >= LEAST) {
    rattle__fit line = rattle__fit_line(count, x, y);
    found.slope = line.slope, found.uncertainty = line.uncertainty;
  }
  found.points = count;
  free(x);
  return found;
}

/* The energy error at a sample without the trend. */
static double rest_of(const rattle_study *study, const rattle__long_run *run, double slope,
                      long long i) {
  return run->energy[i] - slope * (rattle__long_time(study, i) - study->r.start);
}

/* How often that comes through the middle of [low, high], from a quarter below to a quarter above
 * or back. */
static int count_passages(const rattle_study *study, const rattle__long_run *run, double slope,
                          double low, double high) {
  int side = 0, passages = 0;
  for (long long i = 0; i < run->rows; i++) {
    double place = (rest_of(study, run, slope, i) - low) / (high - low);
    int now = place < 0.375 ? -1 : place > 0.625 ? 1 : side;
    passages += side && now != side;
    side = now;
  }
  return passages;
}

/* How the energy error moves about its trend: half the range of what the line leaves, and its
 * passages. */
typedef struct swinging {
  double swing;
  int passages;
} swinging;

/* Energy error = slope t + constant, through the means of equal stretches. */
static rattle_study_fit fit_trend(const rattle_study *study, const rattle__long_run *run,
                                  swinging *swings) {
  double t[BLOCKS] = {0}, H[BLOCKS] = {0}, low = (double)INFINITY, high = -(double)INFINITY;
  long long rows = run->rows;
  rattle_study_fit found = {
      .slope = (double)NAN, .uncertainty = (double)NAN, .low = (double)NAN, .high = (double)NAN};
  *swings = (swinging){(double)NAN, 0};
  if (rows < 4 * BLOCKS) return found;
  for (int b = 0; b < BLOCKS; b++) {
    long long first = b * rows / BLOCKS, end = (b + 1) * rows / BLOCKS;
    for (long long i = first; i < end; i++) {
      t[b] += (rattle__long_time(study, i) - study->r.start) / (double)(end - first);
      H[b] += run->energy[i] / (double)(end - first);
    }
  }
  rattle__fit line = rattle__fit_line(BLOCKS, t, H);
  for (long long i = 0; i < rows; i++) {
    double rest = rest_of(study, run, line.slope, i);
    low = fmin(low, rest), high = fmax(high, rest);
  }
  *swings = (swinging){(high - low) / 2, count_passages(study, run, line.slope, low, high)};
  found = (rattle_study_fit){.slope = line.slope,
                             .uncertainty = line.uncertainty,
                             .points = BLOCKS,
                             .low = t[0],
                             .high = t[BLOCKS - 1]};
  return found;
}

/* Why a run is too short to distinguish a drift from part of an oscillation; NULL: it is not. */
static const char *too_short(rattle_study *study, const rattle__long_run *run, int passages,
                             double most) {
  double radians =
      fabs(rattle__long_time(study, run->rows - 1) - study->r.start) * study->r.frequency;
  if (radians < least_radians)
    return rattle__study_text(study,
                              "a drift cannot be distinguished from an oscillation: the run covers "
                              "%.1f periods of the fastest "
                              "motion; use a later --stop, %.2g or more",
                              radians / 6.28319,
                              study->r.start +
                                  least_radians / study->r.frequency * (study->span < 0 ? -1 : 1));
  /* a loss of half of the energy is not an oscillation */
  int swings = run->claims.symmetric || run->claims.symplectic;
  if (swings && passages < PASSAGES && most < study->r.reference.scale_energy / 2)
    return rattle__study_text(study,
                              "a drift cannot be distinguished from an oscillation: the energy "
                              "error has swung %d time%s about "
                              "its trend; use a later --stop",
                              passages / 2, passages / 2 == 1 ? "" : "s");
  return NULL;
}

/* "bounded", "drifts", "failed", ... of the energy, and a sentence. A drift is a trend of the
 * means; that the largest error still grows may only say that the motion becomes wilder. */
static void judge(rattle_study *study, const rattle__long_run *run, double floor, swinging swings,
                  rattle_study_method *row) {
  const rattle_study_fit *energy = &row->fit[FIT_ENERGY], *trend = &row->fit[FIT_TREND];
  double most = run->energy_max[run->rows - 1],
         time = fabs(rattle__long_time(study, run->rows - 1) - study->r.start);
  double way = fabs(trend->slope) * time, size = study->r.reference.scale_energy;
  int trending = fabs(trend->slope) > trend->uncertainty && way > 0.5 * swings.swing;
  int rests = !trending && energy->slope + energy->uncertainty < 0.3;
  const char *brief = too_short(study, run, swings.passages, most);
  if (row->status) {
    row->verdict = "failed";
  } else if (most <= floor) {
    row->verdict = "round-off";
    row->why =
        rattle__study_text(study, "the energy error never exceeds %.1e, which is round-off", most);
  } else if (rests) {
    row->verdict = "bounded";
    row->why = "";
  } else if (most > size) {
    row->verdict = "drifts";
    row->why = rattle__study_text(
        study, "the energy error is %.1e, larger than the size of the energy, %.1e", most, size);
  } else if (brief) {
    row->verdict = "too short";
    row->why = brief;
  } else if (trending) {
    row->verdict = "drifts";
    row->why =
        rattle__study_text(study, "the trend has changed the energy by %.1e, and it swings by %.1e",
                           way, swings.swing);
  } else if (energy->points < LEAST || isnan(trend->slope)) {
    row->verdict = "undecided";
    row->why = "too few samples to distinguish growth from oscillation: use a later --stop";
  } else {
    row->verdict = "undecided";
    row->why = rattle__study_text(study,
                                  "the largest error still grows, like t^%.1f, without a trend of "
                                  "the means: the motion may have "
                                  "become wilder; use a later --stop",
                                  energy->slope);
  }
}

void rattle__long_growth(rattle_study *study, const rattle__long_run *run, rattle_study_method *row,
                         rattle_study_table *table) {
  rattle_study_fit *fit = rattle__arena_take(&study->arena, FITS * sizeof *fit);
  rattle_study_figure *figure = rattle__arena_take(&study->arena, 8 * sizeof *figure);
  rattle__floors floors =
      rattle__trial_floors(study, (double)run->trial.taken * run->claims.stages);
  int rows = tabulate(study, run, table);
  swinging swings;
  if (!fit || !figure) return;
  const double *last = rows ? &table->value[(rows - 1) * COLUMNS] : NULL;
  /* what never rises above its floor is not fitted; what does counts from round-off on */
  double over_energy =
      last && last[ENERGY] > floors.energy ? floors.energy / RATTLE__MARGIN : (double)INFINITY;
  double over_g = last && last[G] > floors.g ? floors.g / RATTLE__MARGIN : (double)INFINITY;
  double over_psi = last && last[PSI] > floors.psi ? floors.psi / RATTLE__MARGIN : (double)INFINITY;
  fit[FIT_ENERGY] = fit_column(study, table, ENERGY, over_energy, 0);
  fit[FIT_G] = fit_column(study, table, G, over_g, 0);
  fit[FIT_PSI] = fit_column(study, table, PSI, over_psi, 0);
  fit[FIT_ERROR] = fit_column(study, table, ERROR, 0, 0);
  fit[FIT_RATE] = fit_column(study, table, ERROR, 0, 1);
  fit[FIT_TREND] = fit_trend(study, run, &swings);
  for (int f = 0; f < FITS; f++) fit[f].name = fit_name[f];
  row->fit = fit, row->fits = FITS;
  figure[0] = (rattle_study_figure){"time", rattle__long_time(study, run->rows - 1)};
  figure[1] = (rattle_study_figure){"energy_max", run->energy_max[run->rows - 1]};
  figure[2] = (rattle_study_figure){"energy_swing", swings.swing};
  figure[3] = (rattle_study_figure){"g_max", last ? last[G] : (double)NAN};
  figure[4] = (rattle_study_figure){"psi_max", last ? last[PSI] : (double)NAN};
  figure[5] = (rattle_study_figure){"energy_floor", floors.energy};
  figure[6] = (rattle_study_figure){"g_floor", study->m ? floors.g : (double)NAN};
  figure[7] = (rattle_study_figure){"psi_floor", study->m ? floors.psi : (double)NAN};
  row->figure = figure, row->figures = 8;
  judge(study, run, floors.energy, swings, row);
}
