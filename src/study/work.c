/* The work study: what each method pays for an error, in evaluations and in time, and which is the cheapest.
 *
 * Between two runs the work for an error is interpolated on logarithms. An error counts as reached from the run on after which no
 * finer run has more; errors at round-off are not reached by anything. */
#include <math.h>
#include <stdlib.h>

#include "core/error.h"
#include "study/sweep.h"

enum { STEP, STEPS, ERROR, ENERGY, SECONDS, GRADIENT, HESSIAN, CONSTRAINT, JACOBIAN, FACTORISATION, NEWTON, COLUMNS };
static const char *const column[COLUMNS] = {"step",    "steps",      "error",    "energy",        "cpu_seconds",      "gradient",
                                            "hessian", "constraint", "jacobian", "factorisation", "newton_iterations"};
enum { WANTED, NEED_STEP, NEED_GRADIENT, NEED_SECONDS, NEEDS };
static const char *const need_column[NEEDS] = {"error", "step", "gradient", "cpu_seconds"};
enum { BEST_ERROR, BY_GRADIENT, LEAST_GRADIENT, BY_SECONDS, LEAST_SECONDS, BESTS };
static const char *const best_column[BESTS] = {"error", "method_by_gradient", "gradient", "method_by_cpu", "cpu_seconds"};
enum { DECADES = 14 };

static void fill_row(const rattle__sweep *sweep, int k, double *value) {
  const rattle__trial *t = &sweep->trial[k];
  value[STEP] = sweep->study->span / (double)t->steps;
  value[STEPS] = (double)t->taken;
  if (sweep->study->reference.known) value[ERROR] = sweep->errors[k].relative;
  value[ENERGY] = t->energy / sweep->study->r.reference.scale_energy;
  value[SECONDS] = t->cpu;
  value[GRADIENT] = (double)t->counts.gradient, value[HESSIAN] = (double)t->counts.hessian;
  value[CONSTRAINT] = (double)t->counts.constraint, value[JACOBIAN] = (double)t->counts.jacobian;
  value[FACTORISATION] = (double)t->counts.factorisation, value[NEWTON] = (double)t->counts.newton_iterations;
}

static rattle_study_table tabulate(rattle_study *study, const rattle__sweep *sweep) {
  double *value;
  int rows = 0;
  for (int k = 0; k < sweep->done; k++) rows += !sweep->trial[k].status;
  rattle_study_table table = rattle__study_table(study, "points", rows, COLUMNS, column, &value);
  for (int k = 0; k < sweep->done && value; k++) {
    if (sweep->trial[k].status) continue;
    fill_row(sweep, k, value);
    value += COLUMNS;
  }
  return table;
}

/* y at an error between those of two runs, on logarithms. */
static double between(double error, double coarse, double fine, double y_coarse, double y_fine) {
  double part = log(coarse / error) / log(coarse / fine);
  return exp(log(y_coarse) + part * log(y_fine / y_coarse));
}

/* What an error costs; 0 where it is not reached. */
static int needs(const rattle__sweep *sweep, double error, double *value) {
  int first = -1, before;
  for (int k = sweep->done - 1; k >= 0; k--) {
    double found = rattle__sweep_error(sweep, k);
    if (isnan(found)) continue;
    if (!(found <= error)) break;
    first = k;
  }
  if (first < 0 || error < rattle__sweep_floor(sweep, first)) return 0;
  for (before = first - 1; before >= 0 && sweep->trial[before].status;) before--;
  const rattle__trial *fine = &sweep->trial[first], *coarse = before >= 0 ? &sweep->trial[before] : fine;
  double steps = (double)fine->steps, coarse_steps = (double)coarse->steps;
  value[WANTED] = error;
  value[NEED_STEP] = fabs(sweep->study->span) / steps;
  value[NEED_GRADIENT] = (double)fine->counts.gradient;
  value[NEED_SECONDS] = fine->cpu;
  if (coarse == fine) return 1;
  double e_coarse = rattle__sweep_error(sweep, before), e_fine = rattle__sweep_error(sweep, first);
  value[NEED_STEP] = fabs(sweep->study->span) / between(error, e_coarse, e_fine, coarse_steps, steps);
  value[NEED_GRADIENT] = between(error, e_coarse, e_fine, (double)coarse->counts.gradient, (double)fine->counts.gradient);
  value[NEED_SECONDS] = between(error, e_coarse, e_fine, coarse->cpu, fine->cpu);
  return 1;
}

static rattle_study_table decades(rattle_study *study, const rattle__sweep *sweep) {
  double *value, unused[NEEDS];
  int rows = 0;
  for (int d = 1; d <= DECADES; d++) rows += needs(sweep, pow(10, -d), unused);
  rattle_study_table table = rattle__study_table(study, "decades", rows, NEEDS, need_column, &value);
  for (int d = 1; d <= DECADES && value; d++) value += NEEDS * needs(sweep, pow(10, -d), rows ? value : unused);
  return table;
}

static void report(rattle_study *study, const rattle__sweep *sweep, rattle_study_method *row) {
  if (row->status) return;
  rattle_study_table *table = rattle__arena_take(&study->arena, 2 * sizeof *table);
  rattle_study_figure *figure = rattle__arena_take(&study->arena, 2 * sizeof *figure);
  if (!table || !figure) return;
  table[0] = tabulate(study, sweep);
  if (table[0].rows < 1) {
    rattle__sweep_excuse(sweep, row);
    return;
  }
  table[1] = decades(study, sweep);
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
        if (!(best[LEAST_GRADIENT] <= at[NEED_GRADIENT])) best[BY_GRADIENT] = i, best[LEAST_GRADIENT] = at[NEED_GRADIENT];
        if (!(best[LEAST_SECONDS] <= at[NEED_SECONDS])) best[BY_SECONDS] = i, best[LEAST_SECONDS] = at[NEED_SECONDS];
      }
    }
    rows += !isnan(best[BEST_ERROR]);
  }
  table->rows = rows;
  r->table = table, r->tables = 1;
}

rattle_status rattle__study_work(rattle_study *study, rattle_error *error) {
  int methods = study->methods;
  rattle__need need = study->options.quantity == RATTLE_STUDY_SOLUTION ? RATTLE__NEEDED : RATTLE__WISHED;
  rattle_status status = rattle__reference_make(study, need, error);
  if (status) return status;
  rattle_study_method *row = rattle__study_rows(study, methods, study->method);
  rattle__sweep *sweep = calloc((size_t)methods, sizeof *sweep);
  if (!row || !sweep) return free(sweep), rattle__no_memory(error);
  for (int i = 0; i < methods; i++) {
    rattle__sweep_plan(study, &row[i], 1, &sweep[i]);
    sweep[i].timed = 1;
  }
  status = rattle__sweep_run(study, sweep, methods, error);
  for (int i = 0; i < methods && (!status || status == RATTLE_INTERRUPTED); i++) report(study, &sweep[i], &row[i]);
  compare(study);
  free(sweep);
  return status;
}
