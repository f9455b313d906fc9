/* The comparison: methods with the same step over the same time, by everything that is measured of
 * one.
 *
 * Each gets a long run as for drift, its reversal and symplecticity defects, and its price. Claims
 * that do not hold are named. A method that fails gets a row with the reason. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ground/support/error.h"
#include "examine/study/defects.h"
#include "examine/study/long_run.h"

/* up to these defects a claim counts as held: differences of order 6 do not see less than some
 * 1e-12 */
static const double reversed = 1e-11, symplectic = 1e-9;
/* base maps in the run for the clock */
enum { TIMED_MAPS = 200000 };

typedef struct comparison {
  rattle__long_run *run;
  rattle__defects *defects;
  rattle__trial *price; /* a shorter run, for the clock */
} comparison;

/* Points of the run for the reversal: at most four of its common times. z is filled up to the last
 * one reached. */
static int points_of(const rattle__long_run *run) {
  int reached = 0;
  while (reached < run->study->looks && run->study->look_at[reached] < run->rows) reached++;
  return reached < 4 ? reached : 4;
}

static void work(void *self, int i, int k, rattle__job *job) {
  comparison *c = self;
  rattle__long_run *run = &c->run[i];
  const rattle_study *study = run->study;
  (void)k;
  rattle__long_go(run, job);
  if (run->trial.status == RATTLE_BAD_METHOD || run->trial.status == RATTLE_UNSUITABLE) return;
  /* the tangent space of psi = 0 lies in that of g = 0, so that shake may be asked there too;
   * second-class constraints have no psi */
  rattle__subject subject = {.method = run->method,
                             .h = run->trial.step,
                             .z = run->trial.z,
                             .points = points_of(run),
                             .hidden =
                                 !(rattle_problem_kind(study->problem) & RATTLE_SECOND_CLASS)};
  rattle__defects_measure(study, &subject, job, &c->defects[i]);
  if (!run->trial.status) rattle__trial_time(study, run->method, &c->price[i], job);
}

/* One more sentence. */
static const char *also(rattle_study *study, const char *before, const char *claim,
                        const char *what, double found) {
  return rattle__study_text(study, "%s%sclaims to %s, and %s is %.1e", before,
                            before[0] ? "; " : "", claim, what, found);
}

/* Names claims that do not hold. */
static void judge(rattle_study *study, const rattle__defects *defects, rattle_study_method *row) {
  const rattle_claims *claims = &row->claims;
  double g = rattle_study_find_figure(row, "g_max"), psi = rattle_study_find_figure(row, "psi_max"),
         energy = rattle_study_find_figure(row, "energy_max");
  row->why = "";
  if (claims->symmetric && defects->reversal > reversed)
    row->why = also(study, row->why, "be symmetric", "|R_-h R_h z - z|", defects->reversal);
  if (claims->symplectic && defects->symplecticity - defects->known_to > symplectic)
    row->why =
        also(study, row->why, "be symplectic", "the change of the form", defects->symplecticity);
  if (claims->keeps_g && g > rattle_study_find_figure(row, "g_floor"))
    row->why = also(study, row->why, "keep g", "|g|", g);
  if (claims->keeps_psi && psi > rattle_study_find_figure(row, "psi_floor"))
    row->why = also(study, row->why, "keep psi", "|psi|", psi);
  if (claims->keeps_energy && energy > rattle_study_find_figure(row, "energy_floor"))
    row->why = also(study, row->why, "keep H", "|H - H0|", energy);
}

static void report(rattle_study *study, const comparison *c, int i, int done,
                   rattle_study_method *row) {
  const rattle__long_run *run = &c->run[i];
  if (row->status) return;
  row->status = done ? run->trial.status : RATTLE_INTERRUPTED;
  if (row->status)
    row->message = rattle__study_text(study, "%s", done ? run->trial.error.message : "interrupted");
  if (!done || run->rows < 2) return;
  rattle_study_table *table = rattle__arena_take(&study->arena, sizeof *table);
  if (!table) return;
  rattle__long_growth(study, run, row, table);
  row->table = table, row->tables = 1;
  const rattle__trial *price = &c->price[i];
  double steps = (double)price->taken, nan = (double)NAN, paid = run->trial.status ? nan : 1;
  const rattle_study_figure more[] = {
      {"error_end", rattle_study_entry(table, table->rows - 1, "error")},
      {"reversal", c->defects[i].reversal},
      {"symplecticity", c->defects[i].symplecticity},
      {"symplecticity_known_to", c->defects[i].known_to},
      {"ns_per_step", paid * 1e9 * price->cpu / steps},
      {"gradients_per_step", paid * (double)price->counts.gradient / steps},
      {"newton_per_step", paid * (double)price->counts.newton_iterations / steps}};
  enum { MORE = sizeof more / sizeof *more };
  rattle_study_figure *figure =
      rattle__arena_take(&study->arena, (size_t)(row->figures + MORE) * sizeof *figure);
  if (!figure) return;
  if (row->figures) memcpy(figure, row->figure, (size_t)row->figures * sizeof *figure);
  memcpy(figure + row->figures, more, sizeof more);
  row->figure = figure, row->figures += MORE;
  judge(study, &c->defects[i], row);
}

/* Remarks that the table has no room for, once for all methods. */
static void remark(rattle_study *study, const rattle_study_method *row) {
  const char *unturned = "";
  int brief = 0;
  for (int i = 0; i < study->methods; i++) {
    int made = row[i].tables > 0 && !study->still;
    brief += !strcmp(row[i].verdict, "too short");
    if (made && row[i].claims.symmetric && isnan(rattle_study_find_figure(&row[i], "reversal")))
      unturned =
          rattle__study_text(study, "%s%s%s", unturned, unturned[0] ? ", " : "", row[i].method);
  }
  if (brief)
    rattle__study_note(study, "too short: an energy drift cannot be distinguished from part of an "
                              "oscillation; use a later --stop");
  if (unturned[0])
    rattle__study_note(study,
                       "reversal is not known because a step back failed, although symmetry is "
                       "claimed: %s; use a smaller --step",
                       unturned);
}

static rattle_status run_all(rattle_study *study, comparison *c, rattle_study_method *row,
                             rattle_error *error) {
  int methods = study->methods;
  int *most = rattle__arena_take(&study->arena, 2 * (size_t)methods * sizeof *most),
      *done = most + methods;
  if (!most) return rattle__no_memory(error);
  for (int i = 0; i < methods; i++) {
    most[i] = !row[i].status;
    long long steps =
        1 + TIMED_MAPS / (rattle__study_stages(study, row[i].method) * (long long)study->n);
    c->price[i] = (rattle__trial){.step = c->run[i].trial.step};
    c->price[i].steps = steps < c->run[i].trial.steps ? steps : c->run[i].trial.steps;
    c->defects[i] = (rattle__defects){(double)NAN, (double)NAN, (double)NAN};
  }
  study->progress.stage = "runs";
  rattle__jobs jobs = {.lines = methods, .most = most, .work = work, .self = c, .done = done};
  rattle_status status = rattle__jobs_run(&jobs, &study->progress, error);
  for (int i = 0; i < methods && (!status || status == RATTLE_INTERRUPTED); i++)
    report(study, c, i, done[i], &row[i]);
  if (!status) remark(study, row);
  return status;
}

rattle_status rattle__study_compare(rattle_study *study, rattle_error *error) {
  const rattle__study_channels none = {0};
  size_t methods = (size_t)study->methods;
  rattle__plan plan = {0};
  rattle_status status = rattle__long_plan(study, &plan, error);
  if (!status) status = rattle__reference_make(study, RATTLE__WISHED, error);
  if (status) return status;
  rattle_study_method *row = rattle__study_rows(study, study->methods, study->method);
  comparison c = {.defects = calloc(methods, sizeof *c.defects),
                  .price = calloc(methods, sizeof *c.price)};
  if (!row || !c.defects || !c.price) status = rattle__no_memory(error);
  if (!status) status = rattle__long_create(&c.run, study, row, &none, &plan, error);
  if (!status) status = run_all(study, &c, row, error);
  rattle__long_destroy(&c.run, study->methods);
  free(c.defects);
  free(c.price);
  return status;
}
