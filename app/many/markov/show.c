/* Results of samples: means and whether to trust them, as text and as JSON, and the samples as
 * CSV. */
#include <math.h>
#include <string.h>

#include "many/markov/markov.h"
#include "words/text.h"

rattle_status markov_write_csv(const char *path, int force, const rattle_sampling_result *r,
                               rattle_error *error) {
  cli_output output;
  rattle_status status = cli_begin_output(&output, path, force, error);
  if (status) return status;
  FILE *file = output.file;
  fprintf(file, "chain,sample");
  for (int c = 0; c < r->columns && !status; c++)
    if (putc(',', file), text_put_csv(file, r->column[c], "")) status = text_no_memory(error);
  fputc('\n', file);
  const double *x = r->value;
  for (int c = 0; c < r->chains && !status; c++)
    for (long long k = 0; k < r->draws; k++) {
      fprintf(file, "%d,%lld", c, k);
      for (int i = 0; i < r->columns; i++) fprintf(file, ",%.17g", *x++);
      fputc('\n', file);
    }
  return cli_end_output(&output, status, error);
}

rattle_chain_counts markov_total(const rattle_sampling_result *r) {
  rattle_chain_counts sum = {0};
  for (int c = 0; c < r->chains; c++) {
#define ADD(kind, key, member) sum.member += r->counts[c].member;
    RATTLE_CHAIN_COUNTS_FIELDS(ADD)
#undef ADD
  }
  return sum;
}

/* Chains that have accepted nothing: what they say is where they began. */
static int count_still(const rattle_sampling_result *r) {
  int still = 0;
  for (int c = 0; c < r->chains; c++) still += r->counts[c].accepted == 0;
  return still;
}

static void print_share(const char *what, long long count, long long of) {
  cli_print(stdout, "  %-24s%12lld  %6.2f %%\n", what, count, 100.0 * (double)count / (double)of);
}

markov_doubts markov_doubts_of(const rattle_sampling_result *r) {
  markov_doubts d = {0};
  while (d.count < MARKOV_DOUBTS &&
         rattle_sampling_doubt(r, d.count, d.text[d.count], sizeof d.text[0]))
    d.count++;
  return d;
}

/* Steps of the chains: one, or from the least to the greatest. */
static void print_steps(const char *what, const double *step, int chains) {
  double low = INFINITY, high = 0;
  for (int c = 0; c < chains; c++) low = fmin(low, step[c]), high = fmax(high, step[c]);
  if (high > low)
    cli_print(stdout, "  %-24s%12.5g .. %.5g\n", what, low, high);
  else
    cli_print(stdout, "  %-24s%12.5g\n", what, low);
}

void markov_print_text(const rattle_sampling_result *r, const rattle_sampling_options *o,
                       const char *title, const char *path) {
  const rattle_chain_counts sum = markov_total(r);
  cli_print_title(stdout, title, path);
  cli_print(stdout, "%s, %d chain%s of %lld sample%s after a warm-up of %lld, seed %lld\n\n",
            r->method, r->chains, r->chains == 1 ? "" : "s", r->draws, r->draws == 1 ? "" : "s",
            o->chain->warmup, (long long)o->chain->seed);
  int width = 8;
  for (int c = 0; c < r->columns; c++)
    if ((int)strlen(r->column[c]) > width) width = (int)strlen(r->column[c]);
  cli_print(stdout, "  %-*s  %13s  %9s  %11s  %10s  %7s\n", width, "", "mean", "error", "sd",
            "effective", "R-hat");
  for (int c = 0; c < r->columns; c++) {
    const rattle_estimate *e = &r->estimate[c];
    if (isnan(e->error)) { /* a column that never changes has no error */
      cli_print(stdout, "  %-*s  %13.6g  %9s  %11.5g  %10s  %7s\n", width, r->column[c], e->mean,
                "-", e->sd, "-", "-");
      continue;
    }
    cli_print(stdout, "  %-*s  %13.6g  %9.2g  %11.5g  %10.0f  %7.4f\n", width, r->column[c],
              e->mean, e->error, e->sd, e->effective, e->rhat);
  }
  cli_print(stdout, "\n  %-24s%12lld\n", "transitions", sum.transitions);
  print_share("accepted", sum.accepted, sum.transitions);
  print_share("rejected by H", sum.energy, sum.transitions);
  print_share("no multipliers", sum.unsolved, sum.transitions);
  print_share("not reversible", sum.not_reversible, sum.transitions);
  print_share("not finite", sum.domain, sum.transitions);
  print_steps("step", r->step, r->chains);
  if (r->first_step && o->chain->step == 0)
    print_steps("found for the warm-up", r->first_step, r->chains);
  cli_print(stdout, "\n");
  const markov_doubts doubts = markov_doubts_of(r);
  for (int i = 0; i < doubts.count; i++) cli_print(stdout, "%s\n", doubts.text[i]);
}

void markov_print_json(const rattle_sampling_result *r, const rattle_sampling_options *o) {
  json_writer out = {.out = stdout, .indent = 2}, *json = &out;
  const rattle_chain_counts sum = markov_total(r);
  json_open(json, NULL, '{');
  json_text(json, "method", r->method);
  json_integer(json, "chains", r->chains);
  json_integer(json, "samples", r->draws);
  json_integer(json, "warmup", o->chain->warmup);
  json_integer(json, "every", o->every);
  json_integer(json, "seed", (long long)o->chain->seed);
  json_open(json, "columns", '[');
  for (int c = 0; c < r->columns; c++) {
    const rattle_estimate *of = &r->estimate[c];
    json_open(json, NULL, '{');
    json_text(json, "name", r->column[c]);
    RATTLE_ESTIMATE_FIELDS(JSON_FIELD)
    json_close(json, '}');
  }
  json_close(json, ']');
  json_chain_counts(json, &sum);
  json_integer(json, "still", count_still(r));
  json_open(json, "steps", '[');
  for (int c = 0; c < r->chains; c++) json_real(json, NULL, r->step[c]);
  json_close(json, ']');
  json_open(json, "first_steps", '[');
  for (int c = 0; c < r->chains && r->first_step; c++) json_real(json, NULL, r->first_step[c]);
  json_close(json, ']');
  cli_json_status(json, RATTLE_OK, NULL);
  json_close(json, '}');
}
