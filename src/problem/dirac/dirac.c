/* Dirac's algorithm in full (P. A. M. Dirac, Lectures on Quantum Mechanics, 1964; M. Henneaux, C.
 * Teitelboim, Quantization of Gauge Systems, 1992, chapter 1).
 *
 * Generation by generation, until the conditions on all constraints so far follow from them.
 * Numbers at the sample points test this first (the left null vectors w of A_aj = {chi_a,g_j}, in
 * units, must have w^T {chi,H} = 0); expressions are eliminated only if the test fails. At the end
 * the rank of {chi_a,chi_b} tells second-class from first-class constraints, and the rank of A how
 * many multipliers are determined. Ranks are the largest over the sample points; points with less
 * are degenerate. */
#include "problem/dirac/dirac.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "ground/support/error.h"
#include "ground/support/number.h"
#include "ground/expr/graph.h"

enum { GENERATIONS = 12, MULTIPLICITY = 8, MOST_NODES = 4000000 };

/* --- making ----------------------------------------------------------------------------------- */

int rattle__dirac_offered(const rattle_model *model) {
  return !model->forces && model->n <= RATTLE__DIRAC_PAIRS &&
         model->m <= RATTLE__DIRAC_CONSTRAINTS &&
         rattle_graph_count(model->graph) <= RATTLE__DIRAC_NODES;
}

void rattle__dirac_destroy(rattle__dirac **dirac) {
  if (!*dirac) return;
  rattle__dirac *d = *dirac;
  for (int i = 0; i < d->samples && d->sample; i++) rattle__sample_release(&d->sample[i]);
  rattle__sample_release(&d->reference);
  free(d->chi);
  free(d->parameter);
  free(d->number);
  free(d->matrix);
  rattle__arena_release(&d->arena);
  rattle__pool_clear(&d->pool);
  rattle_graph_destroy(&d->graph);
  free(d);
  *dirac = NULL;
}

/* --- generations ------------------------------------------------------------------------------ */

/* *yes: w^T {chi,H} = 0 for all left null vectors w of A at the sample. */
static rattle_status follows_at(rattle__dirac *d, rattle__frame *f, const rattle__sample *s,
                                int *yes, rattle_error *error) {
  rattle__frame_at(f, d, s);
  size_t rows = (size_t)f->count;
  rattle__spectrum of = {0};
  double *A = rattle__frame_brackets(f, d, f->of_g, &of.zero),
         *b = calloc(rows * (rows + 1) + 1, sizeof *b);
  if (!A || !b) {
    free(b);
    return rattle__no_memory(error);
  }
  of.U = b + rows;
  double off = rattle__frame_rates(f, d, s, &d->motion, b);
  const rattle_status status = rattle__dirac_null_space(f->count, f->of_g, A, &of, error);
  /* A perturbed turns w by as much over the least singular value */
  double turned = of.rank > 0 ? of.zero / of.least / RATTLE__GENEROUS : 0;
  for (int w = of.rank; w < f->count && !status; w++) {
    double product = 0, bound = turned;
    const double *u = of.U + (size_t)w * rows;
    for (int k = 0; k < f->count; k++) {
      product += u[k] * b[k];
      bound += fabs(u[k]) * (f->error[k] + off);
    }
    if (!rattle__is_round_off(product, bound)) *yes = 0;
  }
  free(b);
  return status;
}

static rattle_status follows(rattle__dirac *d, int *yes, rattle_error *error) {
  rattle__frame f = {0};
  rattle_status status = rattle__values_all(d, NULL, 0, error);
  if (!status) status = rattle__frame_create(&f, d, error);
  *yes = 1;
  for (int i = 0; i < d->samples && !status && *yes; i++)
    if (d->sample[i].good) status = follows_at(d, &f, &d->sample[i], yes, error);
  rattle__frame_destroy(&f);
  return status;
}

static void give_up(rattle__dirac *d, const char *why) {
  d->undecided = 1;
  snprintf(d->trouble, sizeof d->trouble, "%s", why);
}

static void no_points_of_generation(rattle__dirac *d) {
  d->inconsistent = 1;
  snprintf(d->trouble, sizeof d->trouble,
           "the constraints hold at some points, but no point was found where the hidden "
           "constraint %s = 0 of generation %d "
           "holds too",
           d->chi[d->count - 1].name, d->levels);
}

/* Projects the samples onto the manifold, and finds the independent ones among the new constraints
 * from `from` on. *irregular: a constraint whose gradient vanishes there, or -1. Samples are left
 * out for good only if there is none. */
static rattle_status project_and_sort(rattle__dirac *d, int from, int *irregular,
                                      rattle_error *error) {
  int found, stray[RATTLE__DIRAC_SAMPLES];
  *irregular = -1;
  rattle_status status = rattle__samples_project(d, &found, error);
  if (status) return status;
  if (!found) {
    no_points_of_generation(d);
    return RATTLE_OK;
  }
  for (int i = 0; i < d->samples; i++) stray[i] = d->sample[i].stray;
  status = rattle__independence(d, from, error);
  for (int c = from; c < d->count && !status; c++)
    if (d->chi[c].irregular) *irregular = c;
  for (int i = 0; i < d->samples && *irregular >= 0; i++) d->sample[i].stray = stray[i];
  return status;
}

/* The new constraints of a generation. One with a gradient that vanishes wherever it holds, such as
 * (x + y)^2, is replaced by one of its derivatives, which it implies. */
static rattle_status settle(rattle__dirac *d, int added, rattle_error *error) {
  const int from = d->count - added;
  int irregular = -1, better = 1;
  d->levels++;
  rattle_status status = project_and_sort(d, from, &irregular, error);
  for (int k = 0; k < MULTIPLICITY && irregular >= 0 && better && !status; k++) {
    status = rattle__differentiate(d, irregular, &better, error);
    if (!status && better) status = project_and_sort(d, from, &irregular, error);
  }
  if (irregular >= 0)
    give_up(d, "the gradient of a hidden constraint vanishes where the constraint holds, so its "
               "consequences cannot be determined");
  return status;
}

static rattle_status generations(rattle__dirac *d, rattle_error *error) {
  rattle_status status = RATTLE_OK;
  while (!status && !d->inconsistent && !d->undecided) {
    int done, added = 0;
    status = follows(d, &done, error);
    if (status || done) return status;
    if (d->levels == GENERATIONS || rattle_graph_count(d->graph) > MOST_NODES) {
      give_up(
          d, "the generations of hidden constraints did not end within the limits of the analysis");
      return RATTLE_OK;
    }
    status = rattle__eliminate(d, &added, error);
    if (status || d->inconsistent || !added) return status;
    status = settle(d, added, error);
  }
  return status;
}

/* --- the end ---------------------------------------------------------------------------------- */

/* Ranks of the brackets with all constraints, of_C, and with the user's, of_A, at each sample, and
 * the largest. */
static rattle_status ranks(rattle__dirac *d, int *of_C, int *of_A, rattle_error *error) {
  rattle__frame f;
  rattle_status status = rattle__frame_create(&f, d, error);
  for (int i = 0; i < d->samples && !status; i++)
    for (int all = 0; all < 2 && d->sample[i].good && !status; all++) {
      rattle__frame_at(&f, d, &d->sample[i]);
      const int columns = all ? f.count : f.of_g;
      int *most = all ? &d->second : &d->fixed, *rank = (all ? of_C : of_A) + i;
      double zero, *A = rattle__frame_brackets(&f, d, columns, &zero);
      status =
          A ? rattle__dirac_rank(f.count, columns, A, zero, rank, error) : rattle__no_memory(error);
      if (*rank > *most) *most = *rank;
    }
  rattle__frame_destroy(&f);
  return status;
}

static rattle_status classify(rattle__dirac *d, rattle_error *error) {
  int all = 0, of_C[RATTLE__DIRAC_SAMPLES] = {0}, of_A[RATTLE__DIRAC_SAMPLES] = {0};
  /* elimination omits points where a pivot is 0: they count again here */
  rattle_status status = rattle__samples_project(d, &d->points, error);
  if (!status) status = ranks(d, of_C, of_A, error);
  for (int c = 0; c < d->count; c++) all += rattle__is_used(&d->chi[c]);
  d->first = all - d->second;
  for (int i = 0; i < d->samples && !status; i++) {
    if (!d->sample[i].good || (of_C[i] == d->second && of_A[i] == d->fixed)) continue;
    d->degenerate++;
    if (i == 0) d->start_degenerate = 1;
  }
  return status;
}

/* No point of g = 0 was found: names the constraint that is furthest from holding. */
static void no_points(rattle__dirac *d) {
  const rattle__sample *s = &d->sample[0];
  double most = 0;
  int worst = 0;
  for (int i = 0; i < d->count; i++) {
    double size = rattle__gradient_size(d, s, &d->chi[i], NULL),
           r = fabs(s->value[d->chi[i].e]) / (size > 0 ? size : 1);
    if (!(r > most)) continue;
    most = r;
    worst = i;
  }
  d->inconsistent = 1;
  rattle__print(d->trouble, sizeof d->trouble,
                "no point was found where all constraints hold: from the start and from %d points "
                "around it Gauss-Newton ends where '%s' "
                "is %.4g; the constraints contradict each other, or the start is too far away",
                d->samples - 1, d->chi[worst].name, s->value[d->chi[worst].e]);
}

/* The user's constraints that determine less than they say. */
static rattle_status find_irregular(rattle__dirac *d, rattle_error *error) {
  char along[200], others[300];
  rattle_status status = rattle__implied(d, along, sizeof along, error);
  for (int i = 0; i < d->m && !status; i++) {
    d->independent += rattle__is_used(&d->chi[i]);
    if (!d->chi[i].irregular) continue;
    d->undecided = 1;
    if (d->chi[i].irregular == 1) {
      snprintf(d->trouble, sizeof d->trouble,
               "the gradient of constraint '%s' vanishes where the constraint holds, as for x^2 = "
               "0: rewrite it with a nonzero gradient",
               d->chi[i].name);
      continue;
    }
    status = rattle__say_combination(d, i, others, sizeof others, error);
    rattle__print(d->trouble, sizeof d->trouble,
                  "constraint '%s' does not follow from %s, but where all hold its gradient is a "
                  "combination of theirs, as for a square x^2 = 0: write x = 0 in its place, the "
                  "function that is squared, which changes there as %s",
                  d->chi[i].name, others, along);
  }
  return status;
}

static rattle_status run(rattle__dirac *d, const double *start, rattle_error *error) {
  rattle_status status = rattle__dirac_read(d, error);
  if (!status) status = rattle__samples_create(d, start, error);
  if (status) return status;
  for (int i = 0; i < d->samples; i++) d->points += d->sample[i].good;
  if (!d->m) return RATTLE_OK;
  if (!d->points) {
    no_points(d);
    return RATTLE_OK;
  }
  status = rattle__independence(d, 0, error);
  if (!status) status = find_irregular(d, error);
  if (!status && d->doubtful >= 0 && !d->undecided) {
    d->undecided = 1;
    snprintf(d->trouble, sizeof d->trouble,
             "the gradient of constraint '%s' is a combination of those of others up to little "
             "more than round-off: subtract that "
             "combination from it and scale what remains",
             d->chi[d->doubtful].name);
  }
  if (!status) status = rattle__brackets_of_g(d, error);
  if (!status && !d->undecided) status = generations(d, error);
  if (!status && !d->undecided && !d->inconsistent) status = classify(d, error);
  return status;
}

rattle_status rattle__dirac_create(rattle__dirac **dirac, const rattle_model *model,
                                   const double *start, int samples, uint64_t seed,
                                   rattle_error *error) {
  rattle__dirac *d = *dirac = calloc(1, sizeof *d);
  if (!d) return rattle__no_memory(error);
  *d = (rattle__dirac){.model = model,
                       .n = model->n,
                       .m = model->m,
                       .vars = 2 * model->n,
                       .random = seed,
                       .doubtful = -1};
  d->samples = 1 + (samples < 1                        ? 1
                    : samples >= RATTLE__DIRAC_SAMPLES ? RATTLE__DIRAC_SAMPLES - 1
                                                       : samples);
  rattle_status status = rattle_graph_create(&d->graph, error);
  if (!status) status = run(d, start, error);
  if (status) rattle__dirac_destroy(dirac);
  return status;
}
