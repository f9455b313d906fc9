/* The order study: errors of runs with decreasing steps, and the slope of each quantity against the
 * step.
 *
 * The verdict is about the relative error of (q, p), which is what a claimed order means; energy
 * and residuals have slopes of their own. With slack = max(0.25, 0.08 order): "confirmed": slope >=
 * order - slack, and the interval of 95 % is no wider than 1.5 slack to each side; "refuted": the
 * whole interval lies below order - slack, and the slope has settled there; else "undecided". */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ground/support/error.h"
#include "examine/study/refinement.h"

/* beyond this relative error nothing is asymptotic */
static const double top = 0.1;
/* a claim is refuted from so many points, and where the slope rises from their coarser half to the
 * finer one by less than so much of what it lacks */
enum { ENOUGH = 5 };
static const double rising = 0.25;

enum { STEP, STEPS, ERROR, ERROR_Q, ERROR_P, ENERGY, G, PSI, SLOPE, COLUMNS };
static const char *const column[COLUMNS] = {"step",   "steps", "error", "error_q", "error_p",
                                            "energy", "g",     "psi",   "slope"};
/* what is fitted: column, and the top of the values that count, in units of the scale */
static const int fitted[] = {ERROR, ERROR_Q, ERROR_P, ENERGY, G, PSI};
enum { FITS = sizeof fitted / sizeof *fitted };

/* --- the verdict on a method ------------------------------------------------------------------ */

/* The table of the runs that went well. */
static int tabulate(rattle_study *study, const rattle__refinement *l, rattle_study_method *row) {
  rattle_study_table *table = rattle__arena_take(&study->arena, sizeof *table);
  double *value;
  int rows = 0, before = -1;
  for (int k = 0; k < l->done; k++) rows += !l->trial[k].status;
  if (!table) return 0;
  *table = rattle__study_table(study, "points", rows, COLUMNS, column, &value);
  for (int k = 0; k < l->done && value; k++) {
    const rattle__trial *t = &l->trial[k];
    if (t->status) continue;
    value[STEP] = study->span / (double)t->steps;
    value[STEPS] = (double)t->taken;
    value[ERROR] = l->errors[k].relative, value[ERROR_Q] = l->errors[k].q,
    value[ERROR_P] = l->errors[k].p;
    value[ENERGY] = t->energy, value[G] = t->g, value[PSI] = t->psi;
    if (before >= 0)
      value[SLOPE] = log(l->errors[before].relative / l->errors[k].relative) /
                     log((double)t->steps / (double)l->trial[before].steps);
    if (!isfinite(value[SLOPE])) value[SLOPE] = (double)NAN;
    value += COLUMNS;
    before = k;
  }
  row->table = table;
  row->tables = 1;
  return rows;
}

/* The floor of a column at a point. */
static double floor_of(const rattle_study *study, int which, double maps) {
  rattle__floors floors = rattle__trial_floors(study, maps);
  const rattle_study_reference *units = &study->r.reference;
  switch (which) {
  case ERROR_Q:
    return floors.relative * units->scale_q;
  case ERROR_P:
    return floors.relative * units->scale_p;
  case ENERGY:
    return floors.energy;
  case G:
    return floors.g;
  case PSI:
    return floors.psi;
  default:
    return floors.relative;
  }
}

static double top_of(const rattle_study *study, int which) {
  const rattle_study_reference *units = &study->r.reference;
  switch (which) {
  case ERROR_Q:
    return top * units->scale_q;
  case ERROR_P:
    return top * units->scale_p;
  case ENERGY:
    return top * units->scale_energy;
  case G:
  case PSI:
    return (double)INFINITY;
  default:
    return top;
  }
}

static void fit(rattle_study *study, const rattle__refinement *l, rattle_study_method *row) {
  const rattle_study_table *table = &row->table[0];
  rattle_study_fit *fits = rattle__arena_take(&study->arena, FITS * sizeof *fits);
  double *room = rattle__arena_doubles(&study->arena, 3 * (size_t)table->rows + 1);
  if (!fits || !room) return;
  double *h = room, *y = h + table->rows, *floors = y + table->rows;
  int kinds = study->m ? FITS : FITS - 2;
  for (int f = 0; f < kinds; f++) {
    for (int k = 0; k < table->rows; k++) {
      const double *at = &table->value[k * COLUMNS];
      h[k] = fabs(at[STEP]);
      y[k] = at[fitted[f]];
      floors[k] = floor_of(study, fitted[f], at[STEPS] * l->claims.stages);
    }
    rattle__power power = {
        table->rows, h, y, floors, top_of(study, fitted[f]), l->claims.symmetric ? 2 : 1};
    rattle__fit line_of = rattle__fit_power(&power);
    if (line_of.points < 0) study->arena.failed = 1, line_of.points = 0;
    int last = line_of.first + line_of.points - 1;
    fits[f] = (rattle_study_fit){.name = column[fitted[f]],
                                 .slope = line_of.slope,
                                 .uncertainty = line_of.uncertainty,
                                 .low = line_of.points ? h[last] : (double)NAN,
                                 .high = line_of.points ? h[line_of.first] : (double)NAN,
                                 .points = line_of.points};
  }
  row->fit = fits;
  row->fits = kinds;
}

/* Why there is no slope. */
static const char *silence(rattle_study *study, const rattle__refinement *l,
                           const rattle_study_method *row) {
  const rattle_study_table *table = &row->table[0];
  const rattle__trial *finest = &l->trial[l->done - 1];
  double floor = rattle__trial_floors(study, 1).relative;
  if (finest->status)
    return rattle__study_text(study, "the runs with steps below %.3g failed: %s",
                              rattle_study_entry(table, table->rows - 1, "step"),
                              finest->error.message);
  if (rattle_study_entry(table, 0, "error") <= floor)
    return rattle__study_text(
        study, "the error is at round-off (%.1e) with every step: no convergence can be measured",
        rattle_study_entry(table, 0, "error"));
  if (rattle_study_entry(table, table->rows - 1, "error") > top)
    return rattle__study_text(study,
                              "the error is still %.1e with the smallest step, %.3g: no step was "
                              "small enough for a slope; use "
                              "an earlier --stop or more --effort",
                              rattle_study_entry(table, table->rows - 1, "error"),
                              rattle_study_entry(table, table->rows - 1, "step"));
  return "too few points lie between an error of 0.1 and round-off: use a later --stop";
}

/* True if the slope has come to rest below `least`; false if there are too few points, or the slope
 * still rises with decreasing steps. *coarse, *fine: the slopes of the two halves of the points
 * used. */
static int settled(const rattle_study_method *row, double least, double *coarse, double *fine) {
  const rattle_study_table *table = &row->table[0];
  const rattle_study_fit *f = &row->fit[0];
  double x[RATTLE__REFINEMENT_MOST] = {0}, y[RATTLE__REFINEMENT_MOST] = {0};
  int count = 0;
  for (int k = 0; k < table->rows && count < RATTLE__REFINEMENT_MOST; k++) {
    const double *at = &table->value[k * COLUMNS];
    if (!(fabs(at[STEP]) <= f->high && fabs(at[STEP]) >= f->low && at[ERROR] > 0)) continue;
    x[count] = log(fabs(at[STEP]));
    y[count++] = log(at[ERROR]);
  }
  int half = (count + 1) / 2; /* of an odd number the middle one is in both */
  *coarse = rattle__fit_line(half, x, y).slope;
  *fine = rattle__fit_line(half, x + count - half, y + count - half).slope;
  return count >= ENOUGH && *fine < least && *fine - *coarse < rising * (least - *fine);
}

static void judge(rattle_study *study, const rattle__refinement *l, rattle_study_method *row) {
  const rattle_study_fit *f = &row->fit[0];
  int claimed = row->claims.order;
  double slack = fmax(0.25, 0.08 * claimed), low = f->slope - f->uncertainty,
         high = f->slope + f->uncertainty;
  double coarse, fine;
  const char *claim = claimed >= RATTLE_ORDER_EXACT
                          ? "to be exact"
                          : rattle__study_text(study, "order %d", claimed);
  row->verdict = "undecided";
  if (f->points < 3) {
    row->why = silence(study, l, row);
    int exact =
        rattle_study_entry(&row->table[0], 0, "error") <= rattle__trial_floors(study, 1).relative;
    if (exact && claimed >= RATTLE_ORDER_EXACT) row->verdict = "confirmed";
  } else if (high < claimed - slack && !settled(row, claimed - slack, &coarse, &fine)) {
    row->why = rattle__study_text(
        study,
        "the claim is %s, and %d points give h^%.2f (+- %.2f), the coarser half h^%.1f, the finer "
        "h^%.1f: %s; try a later --stop, more --effort or --reference quad",
        claim, f->points, f->slope, f->uncertainty, coarse, fine,
        f->points < ENOUGH ? "too few to decide" : "the slope has not settled");
  } else if (high < claimed - slack) {
    row->verdict = "refuted";
    row->why = rattle__study_text(study,
                                  "the claim is %s, and from step %.3g to %.3g the error falls "
                                  "like h^%.2f (+- %.2f, %d points)",
                                  claim, f->high, f->low, f->slope, f->uncertainty, f->points);
  } else if (f->slope >= claimed - slack && f->uncertainty <= 1.5 * slack) {
    row->verdict = "confirmed";
    if (low > claimed + slack)
      row->why =
          "steeper than claimed: this problem or this start has smaller error terms than most";
  } else {
    row->why = rattle__study_text(study,
                                  "the claim is %s, and %d points give h^%.2f (+- %.2f), which "
                                  "does not decide: the leading term "
                                  "appears late or is hidden by round-off; try another --stop",
                                  claim, f->points, f->slope, f->uncertainty);
  }
}

/* A claim is for smooth problems: where the model is not, an order that is missing refutes
 * nothing. */
static void excuse(rattle_study *study, rattle_study_method *row) {
  char where[500];
  const rattle_model *model = rattle_problem_model(study->problem);
  const int left = model ? rattle_model_order_left(model, where, sizeof where) : -1;
  if (left < 0 || left >= row->claims.order || !strcmp(row->verdict, "confirmed")) return;
  row->verdict = "undecided";
  row->why = rattle__study_text(
      study, "%s%s%s, and steps across have order %d: the claim is for smooth problems", row->why,
      row->why[0] ? "; " : "", where, left);
}

/* All results of a method, from its runs. */
static void report(rattle_study *study, const rattle__refinement *l, rattle_study_method *row) {
  if (row->status) return;
  if (tabulate(study, l, row) < 1) {
    rattle__refinement_excuse(l, row);
    return;
  }
  fit(study, l, row);
  if (!row->fit) return;
  judge(study, l, row);
  excuse(study, row);
}

rattle_status rattle__study_order(rattle_study *study, rattle_error *error) {
  int methods = study->methods;
  rattle_status status = rattle__reference_make(study, RATTLE__NEEDED, error);
  if (status) return status;
  rattle_study_method *row = rattle__study_rows(study, methods, study->method);
  rattle__refinement *refinement = calloc((size_t)methods, sizeof *refinement);
  if (!row || !refinement) return free(refinement), rattle__no_memory(error);
  for (int i = 0; i < methods; i++) rattle__refinement_plan(study, &row[i], 2, 0, &refinement[i]);
  status = rattle__refinement_run(study, refinement, methods, error);
  for (int i = 0; i < methods && (!status || status == RATTLE_INTERRUPTED); i++)
    report(study, &refinement[i], &row[i]);
  free(refinement);
  return status;
}
