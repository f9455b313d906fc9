/* Samples in the page: of each column what the chains say of it, their draws one after the other,
 * how often values and ranks occur, and how long chains remember. Ranks: A. Vehtari, A. Gelman, D.
 * Simpson, B. Carpenter, P.-C. Buerkner, Bayesian Anal. 16 (2021) 667. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ground/support/index.h"
#include "ground/support/quantile.h"
#include "pages/report/page.h"
#include "words/error.h"

/* Chains beyond the first ones enter the estimates and the histogram of all alone. */
enum {
  MOST_CHAINS = 8,
  MOST_COLUMNS = 40,
  BINS = 160,
  JOINT = 1000,
  RANKS = 20,
  LAGS = 1000,
  NUMBERS = 400000,
  MOST_RANGES = 1000,
  LEAST_RANGES = 100
};

/* One column of the draws. */
typedef struct drawn {
  json_writer *json;
  report_blob *blob;
  const rattle_sampling_result *r;
  int column, shown;     /* shown: chains */
  long long finite;      /* draws */
  long long width;       /* draws in a range */
  double *sorted, *flag; /* [chains*draws] the finite ones, ascending; what is made of each */
  double *low, *high;    /* [ranges] */
  double rho[LAGS];
} drawn;

static double value_of(const drawn *d, long long chain, long long k) {
  return d->r->value[(chain * d->r->draws + k) * d->r->columns + d->column];
}

static int rising(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void sort(drawn *d) {
  d->finite = 0;
  for (long long c = 0; c < d->r->chains; c++)
    for (long long k = 0; k < d->r->draws; k++)
      if (isfinite(value_of(d, c, k))) d->sorted[d->finite++] = value_of(d, c, k);
  qsort(d->sorted, (size_t)d->finite, sizeof *d->sorted, rising);
}

static double quantile(const drawn *d, double part) {
  if (!d->finite) return (double)NAN;
  const double at = part * (double)(d->finite - 1);
  const long long k = (long long)at;
  return k + 1 < d->finite ? d->sorted[k] + (at - (double)k) * (d->sorted[k + 1] - d->sorted[k])
                           : d->sorted[k];
}

/* How many of the sorted draws are below x, equal ones counting half. */
static double rank(const drawn *d, double x) {
  long long edge[2];
  for (int side = 0; side < 2; side++) {
    long long low = 0, high = d->finite;
    while (low < high) {
      const long long middle = low + (high - low) / 2;
      if (d->sorted[middle] < x || (side && d->sorted[middle] == x))
        low = middle + 1;
      else
        high = middle;
    }
    edge[side] = low;
  }
  return (double)(edge[0] + edge[1]) / 2;
}

/* The effective size of what d->flag holds. */
static rattle_status effective_of_flag(drawn *d, double *effective, rattle_error *error) {
  rattle_estimate e;
  const rattle_draws flags = {d->flag, d->r->chains, d->r->draws, d->r->draws, 1};
  const rattle_status status = rattle_estimate_of(&flags, &e, error);
  *effective = e.effective;
  return status;
}

/* That of the draws by their ranks, as normal scores: it is the same for each rising function of
 * the quantity. */
static rattle_status effective_bulk(drawn *d, double *effective, rattle_error *error) {
  const long long chains = d->r->chains, draws = d->r->draws;
  for (long long c = 0; c < chains; c++)
    for (long long k = 0; k < draws; k++)
      d->flag[c * draws + k] = rattle__normal_quantile((rank(d, value_of(d, c, k)) + 0.125) /
                                                       ((double)d->finite + 0.25));
  return effective_of_flag(d, effective, error);
}

/* The effective size for the share of draws that are at most `value`. */
static rattle_status effective_below(drawn *d, double value, double *effective,
                                     rattle_error *error) {
  const long long chains = d->r->chains, draws = d->r->draws;
  for (long long c = 0; c < chains; c++)
    for (long long k = 0; k < draws; k++) d->flag[c * draws + k] = value_of(d, c, k) <= value;
  return effective_of_flag(d, effective, error);
}

static rattle_status put_estimate(drawn *d, rattle_error *error) {
  json_writer *json = d->json;
  const rattle_estimate *of = &d->r->estimate[d->column];
  const double q05 = quantile(d, 0.05), q95 = quantile(d, 0.95);
  double below = (double)NAN, above = (double)NAN, bulk = (double)NAN;
  rattle_status status = effective_below(d, q05, &below, error);
  if (!status) status = effective_below(d, q95, &above, error);
  if (!status && !isnan(of->effective)) status = effective_bulk(d, &bulk, error);
  json_text(json, "name", d->r->column[d->column]);
  RATTLE_ESTIMATE_FIELDS(JSON_FIELD)
  json_real(json, "q05", q05);
  json_real(json, "median", quantile(d, 0.5));
  json_real(json, "q95", q95);
  /* NaN is left out */
  json_real(json, "effective_bulk", bulk);
  json_real(json, "effective_tails", isnan(of->effective) ? (double)NAN : fmin(below, above));
  json_integer(json, "missing", (long long)d->r->chains * d->r->draws - d->finite);
  return status;
}

/* The draws of a chain: each, or the range of so many. */
static void put_trace(drawn *d, int chain, double base, double scale) {
  const long long draws = d->r->draws, ranges = (draws + d->width - 1) / d->width;
  for (long long b = 0; b < ranges; b++) {
    d->low[b] = d->high[b] = (double)NAN;
    for (long long k = b * d->width; k < draws && k < (b + 1) * d->width; k++) {
      const double x = value_of(d, chain, k);
      if (isfinite(x)) d->low[b] = fmin(d->low[b], x), d->high[b] = fmax(d->high[b], x);
    }
  }
  json_open(d->json, NULL, '{');
  report_json_array(d->json, "low", report_put_floats(d->blob, d->low, ranges, base, scale));
  if (d->width > 1)
    report_json_array(d->json, "high", report_put_floats(d->blob, d->high, ranges, base, scale));
  json_close(d->json, '}');
}

static void put_traces(drawn *d) {
  double base, scale;
  report_choose_unit(d->finite ? d->sorted[0] : 0, d->finite ? d->sorted[d->finite - 1] : 0, &base,
                     &scale);
  json_real(d->json, "base", base);
  json_real(d->json, "scale", scale);
  json_open(d->json, "traces", '[');
  for (int c = 0; c < d->shown; c++) put_trace(d, c, base, scale);
  json_close(d->json, ']');
}

static void add_to_bin(const drawn *d, double x, int32_t *bin) {
  const int cell = rattle__cell(x, d->sorted[0], d->sorted[d->finite - 1], BINS);
  if (cell >= 0) bin[cell]++;
}

/* Histograms of all chains, then of those shown. */
static void put_histograms(drawn *d) {
  if (!d->finite || !(d->sorted[d->finite - 1] > d->sorted[0])) return;
  int32_t bin[BINS];
  json_real(d->json, "lowest", d->sorted[0]);
  json_real(d->json, "highest", d->sorted[d->finite - 1]);
  json_open(d->json, "histograms", '[');
  for (int of = -1; of < d->shown; of++) {
    memset(bin, 0, sizeof bin);
    for (int c = of < 0 ? 0 : of; c < (of < 0 ? d->r->chains : of + 1); c++)
      for (long long k = 0; k < d->r->draws; k++) add_to_bin(d, value_of(d, c, k), bin);
    report_json_array(d->json, NULL, report_put_integers(d->blob, bin, BINS));
  }
  json_close(d->json, ']');
}

/* How the ranks of a chain among the draws of all are spread: evenly if the chains agree. */
static void put_ranks(drawn *d) {
  json_open(d->json, "ranks", '[');
  for (int c = 0; c < d->shown; c++) {
    int32_t bin[RANKS] = {0};
    for (long long k = 0; k < d->r->draws; k++) {
      const double x = value_of(d, c, k);
      if (isfinite(x)) bin[rattle__cell(rank(d, x), 0, (double)d->finite, RANKS)]++;
    }
    report_json_array(d->json, NULL, report_put_integers(d->blob, bin, RANKS));
  }
  json_close(d->json, ']');
}

static void put_autocorrelations(drawn *d) {
  const rattle_sampling_result *r = d->r;
  const rattle_draws draws = {r->value + d->column, r->chains, r->draws, r->draws * r->columns,
                              r->columns};
  json_open(d->json, "autocorrelations", '[');
  for (int c = 0; c < d->shown; c++)
    report_json_array(d->json, NULL,
                      report_put_floats(d->blob, d->rho,
                                        rattle_autocorrelation_of(&draws, c, LAGS, d->rho), 0, 1));
  json_close(d->json, ']');
}

/* Some draws of the chains that are shown, the same ones of each column, for pairs of them. */
static void put_joint(drawn *d) {
  const long long draws = d->r->draws, every = (d->shown * draws + JOINT - 1) / JOINT;
  double base, scale, some[JOINT + MOST_CHAINS];
  long long count = 0;
  report_choose_unit(d->finite ? d->sorted[0] : 0, d->finite ? d->sorted[d->finite - 1] : 0, &base,
                     &scale);
  for (int c = 0; c < d->shown; c++)
    for (long long k = 0; k < draws; k += every) some[count++] = value_of(d, c, k);
  report_json_array(d->json, "joint", report_put_floats(d->blob, some, count, base, scale));
}

static rattle_status put_columns(drawn *d, rattle_error *error) {
  rattle_status status = RATTLE_OK;
  json_open(d->json, "columns", '[');
  for (d->column = 0; d->column < d->r->columns && d->column < MOST_COLUMNS && !status;
       d->column++) {
    sort(d);
    json_open(d->json, NULL, '{');
    status = put_estimate(d, error);
    put_traces(d);
    put_joint(d);
    put_histograms(d);
    if (d->finite) put_ranks(d);
    put_autocorrelations(d);
    json_close(d->json, '}');
  }
  json_close(d->json, ']');
  return status;
}

static void put_head(json_writer *json, const report_sampling *s) {
  const rattle_sampling_result *r = s->result;
  report_put_file(json,
                  &(report_file){s->path, s->about->title, s->about->version, s->about->created,
                                 s->about->model_file, s->about->model_text});
  json_text(json, "plan", s->about->plan);
  json_bool(json, "list", s->about->list[0] != 0); /* of starts */
  json_text(json, "method", r->method);
  report_put_method(json, r->method, NULL);
  json_integer(json, "chains", r->chains);
  json_integer(json, "draws", r->draws);
  json_integer(json, "planned", s->draws);
  json_integer(json, "all_columns", r->columns);
  json_real(json, "rhat_limit", s->rhat_limit);
  json_real(json, "effective_limit", s->effective_limit);
  json_chain_counts(json, &s->counts);
  json_open(json, "steps", '[');
  for (int c = 0; c < r->chains && c < MOST_CHAINS; c++) json_real(json, NULL, r->step[c]);
  json_close(json, ']');
  json_open(json, "doubts", '[');
  for (int i = 0; i < s->doubts; i++) json_text(json, NULL, s->doubt[i]);
  json_close(json, ']');
}

rattle_status report_put_sampling(json_writer *json, report_blob *blob, const report_sampling *s,
                                  rattle_error *error) {
  const rattle_sampling_result *r = s->result;
  const size_t all = (size_t)r->chains * (size_t)r->draws;
  drawn *d = calloc(1, sizeof *d);
  double *room = d ? malloc((2 * all + 2 * MOST_RANGES) * sizeof *room) : NULL;
  if (!room) {
    free(d);
    return text_no_memory(error);
  }
  const int shown = r->chains < MOST_CHAINS ? r->chains : MOST_CHAINS,
            columns = r->columns < MOST_COLUMNS ? r->columns : MOST_COLUMNS;
  long long ranges = NUMBERS / (2LL * shown * columns);
  ranges = ranges > MOST_RANGES ? MOST_RANGES : ranges < LEAST_RANGES ? LEAST_RANGES : ranges;
  *d = (drawn){.json = json,
               .blob = blob,
               .r = r,
               .shown = shown,
               .width = (r->draws + ranges - 1) / ranges};
  d->sorted = room, d->flag = room + all, d->low = d->flag + all, d->high = d->low + MOST_RANGES;
  json_open(json, NULL, '{');
  put_head(json, s);
  json_integer(json, "width", d->width);
  const rattle_status status = put_columns(d, error);
  json_close(json, '}');
  free(room);
  free(d);
  return status;
}
