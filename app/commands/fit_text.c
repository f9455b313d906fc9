/* Results of fits as text and as JSON. */
#include <math.h>
#include <string.h>

#include "commands/fit.h"

static int freedom(const rattle_fit_result *r) {
  return r->data - r->unknowns;
}

/* A column of data in all runs. */
typedef struct column_of {
  int count;
  double residual, own; /* roots of mean squares: of data less fit, of data less their mean */
} column_of;

static column_of measure(const fit_plan *plan, const char *column) {
  column_of of = {0};
  double mean = 0; /* updated with each datum, so that nothing cancels */
  for (int r = 0; r < plan->files; r++) {
    const rattle_fit_data *data = &plan->file[r].data;
    const double *fitted = rattle_fit_values(plan->fit, r);
    for (int c = 0; c < data->columns; c++)
      for (int i = 0; i < data->count && !strcmp(data->column[c], column); i++) {
        const int at = i * data->columns + c;
        if (isnan(data->value[at])) continue;
        const double off = data->value[at] - fitted[at], from = data->value[at] - mean;
        mean += from / ++of.count;
        of.residual += off * off;
        of.own += from * (data->value[at] - mean);
      }
  }
  if (!of.count) return of;
  of.residual = sqrt(of.residual / of.count);
  of.own = sqrt(of.own / of.count);
  return of;
}

/* 1 if no run before has column c of run r. */
static int is_first(const fit_plan *plan, int r, int c) {
  const char *name = plan->file[r].column[c];
  for (int before = 0; before < r; before++)
    for (int i = 0; i < plan->file[before].columns; i++)
      if (!strcmp(plan->file[before].column[i], name)) return 0;
  return 1;
}

static const char *ending(const rattle_fit_result *r) {
  if (r->ended == RATTLE_FIT_AT_ROUND_OFF) return "at round-off";
  if (r->ended == RATTLE_FIT_NO_LOWER)
    return "no step lowers the sum, by the round-off of the runs";
  return "before the minimum";
}

static double correlation(const rattle_fit_result *r, int i, int j) {
  const double by = r->error[i] * r->error[j];
  return by > 0 && isfinite(by) ? r->covariance[i * r->quantities + j] / by : (double)NAN;
}

/* As many digits as reach two beyond the leading one of the error. */
static int digits(double value, double error) {
  const double ratio = fabs(value) / error;
  return isfinite(ratio) && ratio > 1 ? (int)fmin(ceil(log10(ratio)) + 3, 15) : 4;
}

static void print_quantities(const rattle_fit_result *r) {
  const int known = r->weighted || r->chi2 > 0; /* else all errors are 0 */
  for (int q = 0; q < r->quantities; q++) {
    cli_print(stdout, "  %-12s %.*g", r->name[q], digits(r->value[q], r->error[q]), r->value[q]);
    if (isinf(r->error[q]))
      cli_print(stdout, ", not determined by the data\n");
    else if (r->error[q] == 0 && q < r->parameters && known)
      cli_print(stdout, ", at its bound\n");
    else
      cli_print(stdout, " +- %.3g\n", r->error[q]);
  }
}

/* The pairs that are most correlated. */
static void print_correlations(const rattle_fit_result *r) {
  enum { MOST = 8 };
  double below = INFINITY;
  for (int line = 0; line < MOST; line++) {
    int a = -1, b = -1;
    double most = 0;
    for (int i = 0; i < r->quantities; i++)
      for (int j = 0; j < i; j++) {
        const double size = fabs(correlation(r, i, j));
        if (size < below && size > most) most = size, a = j, b = i;
      }
    if (a < 0) return;
    below = most;
    cli_print(stdout, "  %-12s %s, %s: %+.3f\n", line ? "" : "correlation", r->name[a], r->name[b],
              correlation(r, a, b));
  }
}

/* The command that makes run `r` of the fit. */
static void put_command(FILE *out, const fit_plan *plan, const cli_args *args, int r) {
  const rattle_fit_result *result = rattle_fit_result_of(plan->fit);
  const double *z = rattle_fit_start(plan->fit, r);
  const rattle_model *model = plan->session.model;
  const rattle_fit_data *data = &plan->file[r].data;
  const int n = rattle_model_pairs(model);
  cli_print(out, "rattle run %s", args->operand[0]);
  for (int i = 0; i < args->parameters; i++) {
    int found = 0;
    for (int q = 0; q < result->parameters; q++)
      found |= !strcmp(result->name[q], args->parameter[i].name);
    if (!found) cli_print(out, " -P %s=%.17g", args->parameter[i].name, args->parameter[i].value);
  }
  for (int q = 0; q < result->parameters; q++)
    cli_print(out, " -P %s=%.17g", result->name[q], result->value[q]);
  for (int i = 0; i < 2 * n && plan->options.vary_start_count; i++)
    if (i % n != rattle_model_clock(model))
      cli_print(out, " --start %s=%.17g",
                i < n ? rattle_model_coordinate_name(model, i)
                      : rattle_model_momentum_name(model, i - n),
                z[i]);
  if (cli_flag(args, "method")) cli_print(out, " --method '%s'", cli_text(args, "method"));
  if (cli_flag(args, "step")) cli_print(out, " --step %s", cli_text(args, "step"));
  cli_print(out, " --stop %.17g", data->time[data->count - 1]);
}

void fit_print_text(const fit_plan *plan, const cli_args *args) {
  const rattle_fit_result *r = rattle_fit_result_of(plan->fit);
  cli_print_title(stdout, rattle_model_title(plan->session.model), args->operand[0]);
  cli_print(stdout, "  data         %d numbers in %d %s, %d %s\n", r->data, plan->files,
            plan->files > 1 ? "runs" : "run", r->unknowns,
            r->unknowns > 1 ? "unknowns" : "unknown");
  if (r->weighted)
    cli_print(stdout, "  chi2         %.6g, %.4g for each of %d degrees of freedom\n", r->chi2,
              r->chi2 / freedom(r), freedom(r));
  else
    cli_print(stdout,
              "  sum          %.6g, of squares; uncertainties of the data are taken from it\n",
              r->chi2);
  for (int file = 0; file < plan->files; file++)
    for (int c = 0; c < plan->file[file].columns; c++) {
      const char *name = plan->file[file].column[c];
      const column_of of = measure(plan, name);
      if (is_first(plan, file, c))
        cli_print(stdout, "  residuals    %s: %.4g root mean square of %d; '%s' varies by %.4g\n",
                  name, of.residual, of.count, name, of.own);
    }
  print_quantities(r);
  print_correlations(r);
  cli_print(stdout,
            "  ended        %s, after %d step%s; a further one would take off %.2g of the sum\n",
            ending(r), r->steps, r->steps == 1 ? "" : "s", r->reduction);
  for (int k = 0; k < (plan->options.vary_start_count ? plan->files : 1); k++) {
    fputs(k ? "               " : "  run it       ", stdout);
    put_command(stdout, plan, args, k);
    putchar('\n');
  }
}

void fit_print_json(const fit_plan *plan, const cli_args *args) {
  static const char *const endings[] = {"round-off", "no lower", "most steps"};
  const rattle_fit_result *r = rattle_fit_result_of(plan->fit);
  json_writer out = {.out = stdout, .indent = 2}, *json = &out;
  json_open(json, NULL, '{');
  json_text(json, "model", args->operand[0]);
  json_integer(json, "data", r->data);
  json_integer(json, "unknowns", r->unknowns);
  json_real(json, r->weighted ? "chi2" : "sum_of_squares", r->chi2);
  json_open(json, "residuals", '{');
  for (int file = 0; file < plan->files; file++)
    for (int c = 0; c < plan->file[file].columns; c++)
      if (is_first(plan, file, c))
        json_real(json, plan->file[file].column[c],
                  measure(plan, plan->file[file].column[c]).residual);
  json_close(json, '}');
  json_open(json, "quantities", '[');
  for (int q = 0; q < r->quantities; q++) {
    json_open(json, NULL, '{');
    json_text(json, "name", r->name[q]);
    json_real(json, "value", r->value[q]);
    json_real(json, "error", r->error[q]);
    json_close(json, '}');
  }
  json_close(json, ']');
  json_open(json, "covariance", '[');
  for (int i = 0; i < r->quantities; i++) {
    json_open(json, NULL, '[');
    for (int j = 0; j < r->quantities; j++)
      json_real(json, NULL, r->covariance[i * r->quantities + j]);
    json_close(json, ']');
  }
  json_close(json, ']');
  json_open(json, "starts", '[');
  for (int k = 0; k < plan->files; k++) {
    const int n = rattle_model_pairs(plan->session.model);
    json_open(json, NULL, '{');
    json_text(json, "file", plan->file[k].path);
    for (int i = 0; i < 2 * n; i++)
      json_real(json,
                i < n ? rattle_model_coordinate_name(plan->session.model, i)
                      : rattle_model_momentum_name(plan->session.model, i - n),
                rattle_fit_start(plan->fit, k)[i]);
    json_close(json, '}');
  }
  json_close(json, ']');
  json_text(json, "ended", endings[r->ended]);
  json_real(json, "reduction", r->reduction);
  json_real(json, "gradient", r->gradient);
  json_integer(json, "steps", r->steps);
  json_integer(json, "trajectories", r->trajectories);
  if (*r->undetermined) json_text(json, "undetermined", r->undetermined);
  cli_json_status(json, RATTLE_OK, NULL);
  json_close(json, '}');
}
