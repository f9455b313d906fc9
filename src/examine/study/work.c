/* The work study: what each method pays for an error, in evaluations and in time, and which is the
 * cheapest.
 *
 * Between two runs the work for an error is interpolated on logarithms. An error counts as reached
 * from the run on after which no finer run has more; errors at round-off are not reached by
 * anything. */
#include <math.h>
#include <stdlib.h>

#include "ground/support/error.h"
#include "examine/study/refinement.h"

enum {
  STEP,
  STEPS,
  ERROR,
  ENERGY,
  SECONDS,
  GRADIENT,
  HESSIAN,
  CONSTRAINT,
  JACOBIAN,
  FACTORISATION,
  NEWTON,
  COLUMNS
};
static const char *const column[COLUMNS] = {
    "step",    "steps",      "error",    "energy",        "cpu_seconds",      "gradient",
    "hessian", "constraint", "jacobian", "factorisation", "newton_iterations"};
enum { WANTED, NEED_STEP, NEED_GRADIENT, NEED_SECONDS, NEEDS };
static const char *const need_column[NEEDS] = {"error", "step", "gradient", "cpu_seconds"};
enum { BEST_ERROR, BY_GRADIENT, LEAST_GRADIENT, BY_SECONDS, LEAST_SECONDS, BESTS };
static const char *const best_column[BESTS] = {"error", "method_by_gradient", "gradient",
                                               "method_by_cpu", "cpu_seconds"};
enum { DECADES = 14 };

static void fill_row(const rattle__refinement *refinement, int k, double *value) {
  const rattle__trial *t = &refinement->trial[k];
  value[STEP] = refinement->study->span / (double)t->steps;
  value[STEPS] = (double)t->taken;
  if (refinement->study->reference.known) value[ERROR] = refinement->errors[k].relative;
  value[ENERGY] = t->energy / refinement->study->r.reference.scale_energy;
  value[SECONDS] = t->cpu;
  value[GRADIENT] = (double)t->counts.gradient, value[HESSIAN] = (double)t->counts.hessian;
  value[CONSTRAINT] = (double)t->counts.constraint, value[JACOBIAN] = (double)t->counts.jacobian;
  value[FACTORISATION] = (double)t->counts.factorisation,
  value[NEWTON] = (double)t->counts.newton_iterations;
}

static rattle_study_table tabulate(rattle_study *study, const rattle__refinement *refinement) {
  double *value;
  int rows = 0;
  for (int k = 0; k < refinement->done; k++) rows += !refinement->trial[k].status;
  rattle_study_table table = rattle__study_table(study, "points", rows, COLUMNS, column, &value);
  for (int k = 0; k < refinement->done && value; k++) {
    if (refinement->trial[k].status) continue;
    fill_row(refinement, k, value);
    value += COLUMNS;
  }
  return table;
}

/* y at an error between those of two runs, on logarithms. */
static double between(double error, double coarse, double fine, double y_coarse, double y_fine) {
  double part = log(coarse / error) / log(coarse / fine);
  return exp(log(y_coarse) + part * log(y_fine / y_coarse));
}

/* The cost of an error; 0 if it is not reached. */
static int needs(const rattle__refinement *refinement, double error, double *value) {
  int first = -1, before;
  for (int k = refinement->done - 1; k >= 0; k--) {
    double found = rattle__refinement_error(refinement, k);
    if (isnan(found)) continue;
    if (!(found <= error)) break;
    first = k;
  }
  if (first < 0 || error < rattle__refinement_floor(refinement, first)) return 0;
  for (before = first - 1; before >= 0 && refinement->trial[before].status;) before--;
  const rattle__trial *fine = &refinement->trial[first],
                      *coarse = before >= 0 ? &refinement->trial[before] : fine;
  double steps = (double)fine->steps, coarse_steps = (double)coarse->steps;
  value[WANTED] = error;
  value[NEED_STEP] = fabs(refinement->study->span) / steps;
  value[NEED_GRADIENT] = (double)fine->counts.gradient;
  value[NEED_SECONDS] = fine->cpu;
  if (coarse == fine) return 1;
  double e_coarse = rattle__refinement_error(refinement, before),
         e_fine = rattle__refinement_error(refinement, first);
  value[NEED_STEP] =
      fabs(refinement->study->span) / between(error, e_coarse, e_fine, coarse_steps, steps);
  value[NEED_GRADIENT] = between(error, e_coarse, e_fine, (double)coarse->counts.gradient,
                                 (double)fine->counts.gradient);
  value[NEED_SECONDS] = between(error, e_coarse, e_fine, coarse->cpu, fine->cpu);
  return 1;
}

static rattle_study_table decades(rattle_study *study, const rattle__refinement *refinement) {
  double *value, unused[NEEDS];
  int rows = 0;
  for (int d = 1; d <= DECADES; d++) rows += needs(refinement, pow(10, -d), unused);
  rattle_study_table table =
      rattle__study_table(study, "decades", rows, NEEDS, need_column, &value);
  for (int d = 1; d <= DECADES && value; d++)
    value += NEEDS * needs(refinement, pow(10, -d), rows ? value : unused);
  return table;
}

static void report(rattle_study *study, const rattle__refinement *refinement,
                   rattle_study_method *row) {
  if (row->status) return;
  rattle_study_table *table = rattle__arena_take(&study->arena, 2 * sizeof *table);
  rattle_study_figure *figure = rattle__arena_take(&study->arena, 2 * sizeof *figure);
  if (!table || !figure) return;
  table[0] = tabulate(study, refinement);
  if (table[0].rows < 1) {
    rattle__refinement_excuse(refinement, row);
    return;
  }
  table[1] = decades(study, refinement);
  row->table = table, row->tables = 2;
  /* per step of the longest run, where the clock is at its best */
  const double *last = &table[0].value[(table[0].rows - 1) * COLUMNS];
  figure[0] = (rattle_study_figure){"ns_per_step", 1e9 * last[SECONDS] / last[STEPS]};
  figure[1] = (rattle_study_figure){"gradients_per_step", last[GRADIENT] / last[STEPS]};
  row->figure = figure, row->figures = 2;
}

/* For each decade the cheapest method by both measures: its place among the methods. */
static void compare(rattle_study *study) {
  rattle_study_result *r = &study->r;
  rattle_study_table *table = rattle__arena_take(&study->arena, sizeof *table);
  double *value;
  int rows = 0;
  if (!table) return;
  *table = rattle__study_table(study, "best", DECADES, BESTS, best_column, &value);
  for (int d = 1; d <= DECADES && value; d++) {
    double *best = value + rows * BESTS, error = pow(10, -d);
    for (int i = 0; i < r->methods; i++) {
      const rattle_study_table *needs_of = rattle_study_find_table(&r->method[i], "decades");
      for (int k = 0; needs_of && k < needs_of->rows; k++) {
        const double *at = &needs_of->value[k * NEEDS];
        if (at[WANTED] != error) continue;
        best[BEST_ERROR] = error;
        if (!(best[LEAST_GRADIENT] <= at[NEED_GRADIENT]))
          best[BY_GRADIENT] = i, best[LEAST_GRADIENT] = at[NEED_GRADIENT];
        if (!(best[LEAST_SECONDS] <= at[NEED_SECONDS]))
          best[BY_SECONDS] = i, best[LEAST_SECONDS] = at[NEED_SECONDS];
      }
    }
    rows += !isnan(best[BEST_ERROR]);
  }
  table->rows = rows;
  r->table = table, r->tables = 1;
}

rattle_status rattle__study_work(rattle_study *study, rattle_error *error) {
  int methods = study->methods;
  rattle__need need =
      study->options.quantity == RATTLE_STUDY_SOLUTION ? RATTLE__NEEDED : RATTLE__WISHED;
  rattle_status status = rattle__reference_make(study, need, error);
  if (status) return status;
  rattle_study_method *row = rattle__study_rows(study, methods, study->method);
  rattle__refinement *refinement = calloc((size_t)methods, sizeof *refinement);
  if (!row || !refinement) return free(refinement), rattle__no_memory(error);
  for (int i = 0; i < methods; i++) {
    rattle__refinement_plan(study, &row[i], 1, 0, &refinement[i]);
    refinement[i].timed = 1;
  }
  status = rattle__refinement_run(study, refinement, methods, error);
  for (int i = 0; i < methods && (!status || status == RATTLE_INTERRUPTED); i++)
    report(study, &refinement[i], &row[i]);
  compare(study);
  free(refinement);
  return status;
}
