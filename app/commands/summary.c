/* The summary of a run: as text, and as the JSON object of the contract. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cli.h"

/* The last sample: slid onto psi = 0 if the method steps without; the event or the exact end within
 * a step, if the run ended there. NULL if it is not available. */
typedef struct final_point {
  double *q, *p, *multipliers, *observed;
} final_point;

static void fill_nan(double *x, int count) {
  for (int i = 0; i < count; i++) x[i] = (double)NAN;
}

static int find_final(const cli_report *report, final_point *final) {
  const cli_session *session = report->session;
  const cli_events *ended = report->events->ended ? report->events : NULL;
  int n = rattle_problem_n(session->problem), m = rattle_problem_m(session->problem);
  int observables = rattle_model_observables(session->model);
  *final = (final_point){
      .q = calloc(2 * (size_t)n + (size_t)m + (size_t)observables + 1, sizeof(double))};
  if (!final->q) return 0;
  final->p = final->q + n, final->multipliers = final->p + n,
  final->observed = final->multipliers + m;
  if (ended ||
      rattle_integrator_output(session->integrator, &session->state, final->q, final->p, NULL)) {
    memcpy(final->q, ended ? ended->q : session->q, (size_t)n * sizeof(double));
    memcpy(final->p, ended ? ended->p : session->p, (size_t)n * sizeof(double));
  }
  if (m > 0 &&
      rattle_problem_multipliers(session->problem, final->q, final->p, final->multipliers, NULL))
    fill_nan(final->multipliers, m);
  if (observables > 0 &&
      rattle_problem_observe(session->problem, final->q, final->p, final->observed, NULL))
    fill_nan(final->observed, observables);
  return 1;
}

static void json_head(json_writer *json, const cli_report *report) {
  const cli_session *session = report->session;
  const rattle_method *method = rattle_integrator_method(session->integrator);
  rattle_claims claims = rattle_integrator_claims(session->integrator);
  const rattle_parameter *parameter;
  int parameters = rattle_model_parameters(session->model, &parameter);
  double seed = (double)NAN;
  for (int i = 0; i < parameters; i++)
    if (!strcmp(parameter[i].name, "seed")) seed = parameter[i].value;

  json_text(json, "title", rattle_model_title(session->model));
  json_text(json, "model", report->model_path);
  json_text(json, "method", rattle_method_text(method));
  json_claims(json, &claims);
  json_text(json, "kind", rattle_problem_kind_name(session->problem));
  json_integer(json, "n", rattle_problem_n(session->problem));
  json_integer(json, "m", rattle_problem_m(session->problem));
  json_real(json, "seed", seed);
  json_parameters(json, parameter, parameters);
  json_text(json, "version", rattle_version());
}

/* The energy that drives and moving constraints have supplied since the start, -p_t; 0 if the model
 * does not depend on time. */
static double supplied(const cli_report *report) {
  const int clock = rattle_model_clock(report->session->model);
  const double *p = report->events->ended ? report->events->p : report->session->state.p;
  return clock < 0 ? 0 : 0 - p[clock]; /* no -0 */
}

/* H at the end, of which the balance is what is left of forces, controllers, drives and heat
 * baths. */
static double final_H(const cli_report *report) {
  return report->summary->energy_final + report->summary->work + supplied(report);
}

enum { WHO = 60 };
/* Whose work is in the balance, in words; NULL: nobody's. */
static const char *who_works(const cli_report *report, char text[WHO]) {
  const cli_session *s = report->session;
  const char *const name[] = {"forces", "controllers", "impacts", "heat bath"};
  const int works[] = {rattle_problem_kind(s->problem) & RATTLE_FORCED,
                       rattle_model_controllers(s->model), rattle_model_switches(s->model),
                       rattle_method_samples(rattle_integrator_method(s->integrator))};
  int left = 0;
  for (int i = 0; i < 4; i++) left += works[i] != 0;
  text[0] = 0;
  for (int i = 0; i < 4; i++) {
    if (!works[i]) continue;
    left--;
    if (i == 3 && *text) strcat(text, "the ");
    strcat(strcat(text, name[i]), left > 1 ? ", " : left ? " and " : "");
  }
  return *text ? text : NULL;
}

static void json_measures(json_writer *json, const cli_report *report) {
  rattle_summary shown = *report->summary;
  const rattle_summary *of = &shown;
  char who[WHO];
  const int forced = who_works(report, who) != NULL,
            timed = rattle_model_clock(report->session->model) >= 0;
  if (!(of->energy_scale > 0)) shown.energy_scale = (double)NAN;
  RATTLE_SUMMARY_STEPS(JSON_FIELD)
  JSON_OBJECT("time", RATTLE_SUMMARY_TIME);
  RATTLE_SUMMARY_COST(JSON_FIELD)
  json_real(json, "ns_per_step",
            of->steps > 0 ? 1e9 * of->wall_seconds / (double)of->steps : (double)NAN);
  json_open(json, "energy", '{');
  RATTLE_SUMMARY_ENERGY(JSON_FIELD)
  if (forced) {
    RATTLE_SUMMARY_WORK(JSON_FIELD)
  }
  if (timed) json_real(json, "supplied", supplied(report));
  if (forced || timed) {
    json_real(json, "balance_error", of->energy_max_error);
    json_real(json, "H_final", final_H(report));
  }
  json_close(json, '}');
  JSON_OBJECT("constraint", RATTLE_SUMMARY_CONSTRAINT);
  JSON_OBJECT("hidden", RATTLE_SUMMARY_HIDDEN);
  JSON_OBJECT("nondegeneracy", RATTLE_SUMMARY_NONDEGENERACY);
}

static void json_final(json_writer *json, const cli_report *report) {
  const cli_session *session = report->session;
  const rattle_model *model = session->model;
  final_point final;
  if (!find_final(report, &final)) return;
  json_open(json, "final", '{');
  for (int k = 0; k < rattle_model_pairs(model); k++) {
    json_real(json, rattle_model_coordinate_name(model, k), final.q[k]);
    json_real(json, rattle_model_momentum_name(model, k), final.p[k]);
  }
  json_close(json, '}');
  json_open(json, "multipliers", '{');
  for (int i = 0; i < rattle_problem_m(session->problem); i++)
    json_real(json, rattle_problem_constraint_name(session->problem, i), final.multipliers[i]);
  json_close(json, '}');
  json_open(json, "observed", '{');
  for (int i = 0; i < rattle_model_observables(model); i++)
    json_real(json, rattle_model_observable_name(model, i), final.observed[i]);
  json_close(json, '}');
  free(final.q);
}

static void json_extremes(json_writer *json, const cli_report *report) {
  const rattle_model *model = report->session->model;
  if (!report->extremes) return;
  json_open(json, "extremes", '{');
  for (int i = 0; i < rattle_model_observables(model); i++) {
    const rattle_extreme *of = &report->extremes[i];
    json_open(json, rattle_model_observable_name(model, i), '{');
    RATTLE_EXTREME_FIELDS(JSON_FIELD)
    json_close(json, '}');
  }
  json_close(json, '}');
}

static void print_extremes(const cli_report *report, FILE *out) {
  const rattle_model *model = report->session->model;
  for (int i = 0; report->extremes && i < rattle_model_observables(model); i++) {
    const rattle_extreme *of = &report->extremes[i];
    cli_print(out,
              "  extremes     %s: least %.10g at t = %.6g, peak %.10g at t = %.6g, mean %.10g\n",
              rattle_model_observable_name(model, i), of->least, of->least_time, of->peak,
              of->peak_time, of->mean);
  }
}

/* The certificate of the run, where its steps were to be proved. */
static void json_proofs(json_writer *json, const cli_report *report) {
  const cli_session *session = report->session;
  rattle_certificate found = {.struct_size = sizeof found}, *of = &found;
  if (!rattle_integrator_certificate(session->integrator, of)) return;
  json_open(json, "certificate", '{');
  RATTLE_CERTIFICATE_FIELDS(JSON_FIELD)
  cli_json_not_proved(json, session->problem, of,
                      report->summary->start + (double)(of->step - 1) * session->state.h);
  json_close(json, '}');
}

void cli_report_json(const cli_report *report, FILE *out) {
  json_writer json = {.out = out, .indent = 1};
  json_open(&json, NULL, '{');
  json_head(&json, report);
  json_measures(&json, report);
  const cli_units own = cli_units_of(report->session->model);
  cli_json_units(&json, own.length, own.time, own.energy);
  json_counts(&json, &report->summary->counts);
  json_proofs(&json, report);
  json_text(&json, "kernel", rattle_integrator_kernel(report->session->integrator));
  cli_events_json(&json, report->events, report->summary);
  json_final(&json, report);
  json_extremes(&json, report);
  cli_json_status(&json, report->summary->status, &report->summary->error);
  json_open(&json, "warnings", '[');
  for (int i = 0; i < rattle_warnings_count(report->warnings); i++)
    json_text(&json, NULL, rattle_warnings_text(report->warnings, i));
  json_close(&json, ']');
  json_close(&json, '}');
}

int cli_warn(const char *command, const rattle_warnings *warnings, int from) {
  const int count = rattle_warnings_count(warnings);
  for (int i = from; i < count; i++)
    cli_print(stderr, "rattle %s: warning: %s\n", command, rattle_warnings_text(warnings, i));
  return count;
}

static void print_claims(const rattle_claims *claims, FILE *out) {
  if (claims->order >= RATTLE_ORDER_EXACT)
    fputs("exact", out);
  else
    cli_print(out, "order %d", claims->order);
  if (claims->symmetric) fputs(", symmetric", out);
  if (claims->symplectic) fputs(", symplectic", out);
  if (claims->keeps_g || claims->keeps_psi)
    cli_print(out, ", keeps %s",
              claims->keeps_g && claims->keeps_psi ? "g and psi"
              : claims->keeps_g                    ? "g"
                                                   : "psi");
  if (claims->keeps_energy)
    fputs(claims->keeps_g || claims->keeps_psi ? " and H" : ", keeps H", out);
}

static void print_wall_time(const rattle_summary *s, FILE *out) {
  cli_print(out, "  wall time    %.3g s", s->wall_seconds);
  if (s->steps > 0) cli_print(out, ", %.0f ns per step", 1e9 * s->wall_seconds / (double)s->steps);
  putc('\n', out);
}

static void print_time(const cli_report *report, FILE *out) {
  const rattle_summary *s = report->summary;
  cli_print(out, "  time         %.10g to %.10g: %lld ", s->start, s->stop, s->steps);
  const int partly = s->status && report->steps_asked > s->steps;
  if (partly) cli_print(out, "of %lld ", report->steps_asked);
  if (rattle_method_adapts(rattle_integrator_method(report->session->integrator))) {
    cli_print(out, "step%s, the first about %.10g", s->steps == 1 ? "" : "s", s->step);
    if (s->steps > 0)
      cli_print(out, ", the shortest %.3g, the longest %.3g", s->shortest_step, s->longest_step);
    putc('\n', out);
    print_wall_time(s, out);
    if (s->steps > 1 && s->longest_step - s->shortest_step <= 1e-9 * s->longest_step)
      fputs("  note         all steps are equal: the step density is constant along this motion, "
            "as under a uniform force; "
            "name an observable that varies, or omit adaptive\n",
            out);
    return;
  }
  cli_print(out, "step%s of %.10g", !partly && s->steps == 1 ? "" : "s", s->step);
  double beyond = (s->stop - report->stop_asked) / s->step;
  if (!s->status && s->ended_by < 0 && beyond > 1e-9)
    cli_print(out, " (%.10g is not a multiple of the step: --exact ends there)",
              report->stop_asked);
  putc('\n', out);
  print_wall_time(s, out);
}

static void print_measures(const cli_report *report, FILE *out) {
  const rattle_summary *s = report->summary;
  cli_print(out, "  energy       %.10g at the start, %.10g at the end; largest error %.2e",
            s->energy_initial, s->energy_final, s->energy_max_error);
  if (isfinite(s->energy_max_relative_error))
    cli_print(out, " (%.2e of the energies, whose terms reach %.3g)", s->energy_max_relative_error,
              s->energy_scale);
  putc('\n', out);
  char text[WHO];
  const char *who = who_works(report, text);
  if (who || rattle_model_clock(report->session->model) >= 0)
    cli_print(out, "  H            %.10g at the end\n", final_H(report));
  if (who)
    cli_print(out, "  work         %.10g of the %s; the energy is the balance H - work\n", s->work,
              who);
  if (rattle_model_clock(report->session->model) >= 0)
    cli_print(out,
              "  supplied     %.10g by drives and moving constraints; the energy is the balance H "
              "- supplied%s\n",
              supplied(report), who ? " - work" : "");
  if (rattle_problem_m(report->session->problem) == 0) return;
  cli_print(out, "  |g|          largest %.2e, at the end %.2e\n", s->g_max, s->g_final);
  cli_print(out, "  |psi|        largest %.2e, at the end %.2e (hidden constraints psi = {g,H})\n",
            s->psi_max, s->psi_final);
  cli_print(out, "  projections  %lld of positions, %lld of momenta\n",
            s->counts.position_projections, s->counts.momentum_projections);
  if (!isnan(s->min_singular_value))
    cli_print(
        out,
        "  constraint conditioning  smallest singular value of N = {{H,g},g}: %.4g at t = %.6g\n",
        s->min_singular_value, s->min_singular_time);
}

/* Constraints on velocities that were left out */
static void print_implied(const rattle_problem *problem, FILE *out) {
  for (int i = 0; rattle_problem_implied(problem, i); i++)
    cli_print(out, "%s%s%s", i ? ", " : "  omitted      ", rattle_problem_implied(problem, i),
              rattle_problem_implied(problem, i + 1)
                  ? ""
                  : ": implied by the other constraints, on velocities\n");
}

/* A record is no H5MD that MDAnalysis opens, whatever its name. */
static void print_record(FILE *out, const char *path) {
  const char *ending = strrchr(path, '.');
  cli_print(out, "  record       %s\n", path);
  if (ending && !strcmp(ending, ".h5md"))
    cli_print_command(out, "  note         for MDAnalysis, into another file: ",
                      "rattle export -o NAME.h5md", path);
}

void cli_report_text(const cli_report *report, FILE *out) {
  const cli_session *session = report->session;
  const rattle_summary *s = report->summary;
  const rattle_method *method = rattle_integrator_method(session->integrator);
  rattle_claims claims = rattle_integrator_claims(session->integrator);
  const char *title = rattle_model_title(session->model);

  cli_print_title(out, title, report->model_path);
  cli_print(out, "  method       %s: ", rattle_method_text(method));
  print_claims(&claims, out);
  cli_print(out, "\n  problem      %s, n = %d, m = %d; evaluator %s, solver %s\n",
            rattle_problem_kind_name(session->problem), rattle_problem_n(session->problem),
            rattle_problem_m(session->problem), rattle_integrator_evaluator(session->integrator),
            rattle_integrator_solver(session->integrator));
  for (int i = 0; rattle_model_omitted(session->model, i); i++)
    cli_print(out, "%s%s%s", i ? ", " : "  omitted      ", rattle_model_omitted(session->model, i),
              rattle_model_omitted(session->model, i + 1) ? ""
                                                          : ": implied by the other constraints\n");
  print_implied(session->problem, out);
  if (report->moved[0] > 0 || report->moved[1] > 0)
    cli_print(out, "  start        projected: moved by %.2e in q, %.2e in p\n", report->moved[0],
              report->moved[1]);
  const cli_units own = cli_units_of(session->model);
  cli_print_units(out, own.length, own.time, own.energy);
  print_time(report, out);
  cli_print_proofs(out, &s->counts);
  cli_events_print(out, report->events, s);
  print_measures(report, out);
  print_extremes(report, out);
  if (report->csv_path) cli_print(out, "  csv          %s\n", report->csv_path);
  if (report->record_path) print_record(out, report->record_path);
  if (report->note) cli_print(out, "  note         %s\n", report->note);
  if (s->status == RATTLE_INTERRUPTED && report->record_path)
    cli_print_command(out, "  interrupted  continue with: ", "rattle resume", report->record_path);
  else if (s->status == RATTLE_INTERRUPTED)
    fputs("  interrupted  not recorded; with -o FILE.h5 a run can be continued\n", out);
  else if (s->status)
    cli_print(out, "  failed       after step %lld, at time %.10g%s\n", session->state.step,
              s->stop,
              report->record_path ? "; the record contains everything up to this step" : "");
}
