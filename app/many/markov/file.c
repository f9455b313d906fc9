/* Files of samples: files of cases (rattle/cases.h), a row for each draw of each chain, with the
 * state by which the chain goes on. A row is: chain, sample, the columns of the sampling, step,
 * counts since the warm-up, state, energy, acceptance; the last two are not in files of earlier
 * versions. */
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "many/markov/markov.h"
#include "many/sweep/sweep.h"
#include "rattle/fields.h"

/* The counts in a row: what became of transitions. */
#define ONE(kind, key, member) +1
enum { BEFORE = 2, COUNTS = RATTLE_CHAIN_FATES(ONE), AFTER = 5, NEWER = 2, BLOCK = 256 };

static rattle_status bad(const markov_file *f, rattle_error *error) {
  return text_fail(
      error, RATTLE_BAD_RECORD,
      "%s does not have the columns of its own plan: it was written by another version", f->path);
}

static rattle_cases_column column_at(const markov_file *f, const char *const *names, int c) {
  const int last = BEFORE + f->columns;
  if (c < BEFORE) return (rattle_cases_column){c ? "sample" : "chain", 1};
  if (c < last) return (rattle_cases_column){names[c - BEFORE], 1};
  return c == last       ? (rattle_cases_column){"step", 1}
         : c == last + 1 ? (rattle_cases_column){"counts", COUNTS}
         : c == last + 2 ? (rattle_cases_column){"state", f->state}
         : c == last + 3 ? (rattle_cases_column){"energy", 1}
                         : (rattle_cases_column){"acceptance", 1};
}

static rattle_status create(markov_file *f, const rattle_sampling_result *r, rattle_error *error) {
  const int columns = BEFORE + f->columns + AFTER;
  rattle_cases_column *column = malloc((size_t)columns * sizeof *column);
  if (!column) return text_no_memory(error);
  for (int c = 0; c < columns; c++) column[c] = column_at(f, r->column, c);
  rattle_cases_about about = f->about;
  about.struct_size = sizeof about;
  about.cases = r->chains * r->draws;
  about.columns = columns;
  about.column = column;
  const rattle_status status = rattle_cases_create(&f->cases, f->path, &about, f->force, error);
  free(column);
  return status;
}

static rattle_status compare(const markov_file *f, const rattle_sampling_result *r,
                             rattle_error *error) {
  const rattle_cases_about *about = rattle_cases_about_of(f->cases);
  const int first = BEFORE + f->columns, newest = about->columns == first + AFTER;
  int same =
      (newest || about->columns == first + AFTER - NEWER) && about->cases == r->chains * r->draws;
  for (int c = 0; same && c < about->columns; c++) {
    const rattle_cases_column wanted = column_at(f, r->column, c);
    same = about->column[c].width == wanted.width && !strcmp(about->column[c].name, wanted.name);
  }
  return same ? RATTLE_OK : bad(f, error);
}

static rattle_status begin(void *self, const rattle_sampling_result *r, int state_size,
                           rattle_error *error) {
  markov_file *f = self;
  f->columns = r->columns, f->state = state_size, f->draws = r->draws;
  f->row = calloc((size_t)(BEFORE + r->columns + 1 + COUNTS + state_size + NEWER), sizeof *f->row);
  if (!f->row) return text_no_memory(error);
  return f->cases ? compare(f, r, error) : create(f, r, error);
}

static void put_counts(double *to, const rattle_chain_counts *counts) {
#define PUT(kind, key, member) *to++ = (double)counts->member;
  RATTLE_CHAIN_FATES(PUT)
#undef PUT
}

static long long count_from(double number) {
  return number >= 0 && number < 0x1p53 ? (long long)number : 0;
}

static rattle_chain_counts get_counts(const double *from) {
  rattle_chain_counts counts = {0};
#define GET(kind, key, member)                                                                     \
  counts.member = count_from(*from++), counts.transitions += counts.member;
  RATTLE_CHAIN_FATES(GET)
#undef GET
  return counts;
}

static rattle_status drawn(void *self, const rattle_sampling_draw *draw, rattle_error *error) {
  markov_file *f = self;
  pthread_mutex_lock(&f->lock);
  double *to = f->row;
  *to++ = draw->chain, *to++ = (double)draw->number;
  memcpy(to, draw->value, (size_t)f->columns * sizeof *to), to += f->columns;
  *to++ = draw->step;
  put_counts(to, &draw->counts), to += COUNTS;
  memcpy(to, draw->state, (size_t)f->state * sizeof *to), to += f->state;
  *to++ = draw->energy, *to = draw->acceptance;
  const rattle_status status =
      rattle_cases_put(f->cases, draw->chain * f->draws + draw->number, f->row, error);
  pthread_mutex_unlock(&f->lock);
  return status;
}

/* The draws of a chain up to the first that is missing: their values, and the last row [width],
 * NULL: not wanted. */
static rattle_status read_chain(const markov_file *f, int chain, long long *draws, double *value,
                                double *last, rattle_error *error) {
  const size_t width = (size_t)rattle_cases_width(f->cases), columns = (size_t)f->columns;
  double *row = malloc(BLOCK * width * sizeof *row);
  signed char there[BLOCK];
  rattle_status status = row ? RATTLE_OK : text_no_memory(error);
  int whole = 1;
  for (*draws = 0; *draws < f->draws && whole && !status;) {
    const long long count = f->draws - *draws < BLOCK ? f->draws - *draws : BLOCK;
    status = rattle_cases_get(f->cases, chain * f->draws + *draws, count, row, there, error);
    for (long long k = 0; k < count && whole && !status; k++) {
      if (!(whole = there[k] == 1)) break;
      memcpy(value + (size_t)*draws * columns, row + (size_t)k * width + BEFORE,
             columns * sizeof *row);
      memcpy(last, row + (size_t)k * width, width * sizeof *row);
      ++*draws;
    }
  }
  free(row);
  return status;
}

static rattle_status known(void *self, int chain, long long *draws, double *value, double *state,
                           rattle_chain_counts *counts, rattle_error *error) {
  markov_file *f = self;
  *draws = 0;
  if (!f->resumed) return RATTLE_OK;
  double *last = malloc((size_t)rattle_cases_width(f->cases) * sizeof *last);
  if (!last) return text_no_memory(error);
  pthread_mutex_lock(&f->lock);
  const rattle_status status = read_chain(f, chain, draws, value, last, error);
  pthread_mutex_unlock(&f->lock);
  const double *rest = last + BEFORE + f->columns + 1;
  if (!status && *draws)
    *counts = get_counts(rest), memcpy(state, rest + COUNTS, (size_t)f->state * sizeof *state);
  free(last);
  return status;
}

void markov_file_begin(markov_file *f, rattle_sampling_record *record) {
  pthread_mutex_init(&f->lock, NULL);
  *record = (rattle_sampling_record){
      .struct_size = sizeof *record, .begin = begin, .known = known, .drawn = drawn, .self = f};
}

rattle_status markov_file_end(markov_file *f, rattle_error *error) {
  pthread_mutex_destroy(&f->lock);
  free(f->row);
  f->row = NULL;
  return f->cases ? rattle_cases_close(&f->cases, error) : RATTLE_OK;
}

/* ---- reading ---- */

int markov_is_file(const rattle_cases *cases) {
  return !strncmp(rattle_cases_about_of(cases)->plan, "sampler ", 8);
}

long long markov_plan_number(const char *plan, const char *name, long long otherwise) {
  char *word = sweep_plan_word(plan, name);
  const long long value = word ? strtoll(word, NULL, 10) : otherwise;
  free(word);
  return value;
}

/* Columns that follow those of the sampling. */
static int after(const rattle_cases_about *about) {
  const char *last = about->columns ? about->column[about->columns - 1].name : "";
  return strcmp(last, "acceptance") != 0 ? AFTER - NEWER : AFTER;
}

void markov_drop(markov_seen *seen) {
  const rattle_sampling_result *r = &seen->result;
  free((void *)r->method), free((void *)r->column), free((void *)r->value);
  free((void *)r->estimate), free((void *)r->counts), free((void *)r->step);
  *seen = (markov_seen){0};
}

/* Draws that all chains have stand at the beginning of each chain's place; they move together. */
static void close_up(double *value, int chains, long long stride, long long kept) {
  for (int c = 1; c < chains; c++)
    memmove(value + c * kept, value + c * stride, (size_t)kept * sizeof *value);
}

static rattle_status estimate(markov_seen *seen, rattle_estimate *to, rattle_error *error) {
  const rattle_sampling_result *r = &seen->result;
  rattle_status status = RATTLE_OK;
  for (int c = 0; c < r->columns && !status; c++) {
    const rattle_draws d = {r->value + c, r->chains, r->draws, r->draws * r->columns, r->columns};
    to[c] = (rattle_estimate){.mean = NAN, .sd = NAN, .error = NAN, .effective = NAN, .rhat = NAN};
    if (r->draws) status = rattle_estimate_of(&d, &to[c], error);
  }
  return status;
}

rattle_status markov_read(markov_seen *seen, const rattle_cases *cases, const char *path,
                          rattle_error *error) {
  const rattle_cases_about *about = rattle_cases_about_of(cases);
  const long long chains = markov_plan_number(about->plan, "chains", 0),
                  draws = markov_plan_number(about->plan, "samples", 0);
  markov_file f = {.path = path,
                   .cases = (rattle_cases *)cases,
                   .columns = about->columns - BEFORE - after(about),
                   .draws = draws};
  *seen = (markov_seen){.draws = draws};
  if (chains < 1 || chains > 100000 || draws < 1 || about->cases % chains ||
      about->cases / chains != draws || f.columns < 1 ||
      about->column[BEFORE + f.columns].width != 1 ||
      about->column[BEFORE + f.columns + 1].width != COUNTS)
    return bad(&f, error);
  const size_t columns = (size_t)f.columns, all = (size_t)chains;
  double *value = malloc(all * (size_t)draws * columns * sizeof *value),
         *step = calloc(all, sizeof *step),
         *last = malloc((size_t)rattle_cases_width(cases) * sizeof *last);
  rattle_chain_counts *counts = calloc(all, sizeof *counts);
  rattle_estimate *found = calloc(columns, sizeof *found);
  const char **name = calloc(columns, sizeof *name);
  char *method = sweep_plan_word(about->plan, "sampler");
  rattle_status status = value && step && last && counts && found && name && method
                             ? RATTLE_OK
                             : text_no_memory(error);
  long long least = draws;
  for (int c = 0; c < chains && !status; c++) {
    long long own = 0;
    status = read_chain(&f, c, &own, value + (size_t)c * (size_t)draws * columns, last, error);
    if (own < least) least = own;
    seen->there += own;
    if (own)
      step[c] = last[BEFORE + f.columns], counts[c] = get_counts(last + BEFORE + f.columns + 1);
  }
  for (size_t c = 0; c < columns && !status; c++) name[c] = about->column[BEFORE + c].name;
  if (!status) close_up(value, (int)chains, draws * f.columns, least * f.columns);
  seen->result = (rattle_sampling_result){.method = method,
                                          .chains = (int)chains,
                                          .columns = f.columns,
                                          .draws = least,
                                          .column = name,
                                          .value = value,
                                          .estimate = found,
                                          .counts = counts,
                                          .step = step,
                                          .temperature = (double)NAN};
  if (!status) status = estimate(seen, found, error);
  free(last);
  if (status) markov_drop(seen);
  return status;
}
