/* Which constraints depend on which, and which commute, at the points of the manifold. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "problem/dirac/dirac.h"
#include "ground/expr/graph.h"
#include "ground/support/error.h"

/* A constraint takes part in a combination with so much of its gradient. */
static const double share = 1e-6;

/* The rank that most points have; of two that as many have, the larger. */
static int usual_rank(const rattle__dirac *d, const int *rank) {
  int best = -1, most = 0;
  for (int i = 0; i < d->samples; i++) {
    int same = 0;
    for (int j = 0; j < d->samples; j++) same += d->sample[j].good && rank[j] == rank[i];
    if (!d->sample[i].good || same < most || (same == most && rank[i] < best)) continue;
    most = same;
    best = rank[i];
  }
  return best;
}

/* Leaves points of unusual rank alone and unites the answers of the others in all[]. Returns the
 * answers at the first of these: the constraints that are independent there are independent around
 * it, and determine those left out. Another point may leave out others, as with R R^T = 1 next to
 * R^T R = 1 away from R = 1. */
static const unsigned char *unite(rattle__dirac *d, const int *rank, const unsigned char *seen,
                                  unsigned char *all) {
  const unsigned char *first = NULL;
  size_t count = (size_t)d->count;
  int usual = usual_rank(d, rank);
  for (int i = 0; i < d->samples; i++) {
    rattle__sample *s = &d->sample[i];
    if (!s->good) continue;
    if (rank[i] == usual) {
      const unsigned char *here = seen + (size_t)i * count;
      if (!first) first = here;
      for (size_t c = 0; c < count; c++) all[c] |= here[c];
    } else if (i == 0) {
      d->start_singular = 1;
    } else {
      s->stray = 1;
      s->good = 0;
    }
  }
  return first ? first : all;
}

/* Finds the user's constraint, if any, that is at the start so nearly a combination of others that
 * brackets with it are lost. */
static void find_doubtful(rattle__dirac *d, const rattle__frame *f) {
  const double lost = 1e-3;
  d->doubtful = -1;
  for (int a = 0; a < f->of_g && d->doubtful < 0; a++)
    if (f->error[a] > lost) d->doubtful = f->chi[a];
}

rattle_status rattle__independence(rattle__dirac *d, int from, rattle_error *error) {
  int rank[RATTLE__DIRAC_SAMPLES] = {0};
  size_t count = (size_t)d->count;
  /* a bit for each answer of rattle__frame_add */
  unsigned char *seen = calloc(count * (size_t)d->samples + 1, 1), *all = calloc(count + 1, 1);
  rattle__frame f = {0};
  rattle_status status =
      seen && all ? rattle__values_all(d, NULL, 0, error) : rattle__no_memory(error);
  if (!status) status = rattle__frame_create(&f, d, error);
  for (int i = 0; i < d->samples && !status; i++) {
    if (!d->sample[i].good) continue;
    rattle__frame_clear(&f);
    for (int c = 0; c < d->count; c++)
      if (rattle__is_used(&d->chi[c]))
        seen[(size_t)i * count + (size_t)c] =
            (unsigned char)(1U << rattle__frame_add(&f, d, &d->sample[i], c));
    rank[i] = f.count;
    if (!i) find_doubtful(d, &f);
  }
  const unsigned char *first = status ? all : unite(d, rank, seen, all);
  for (int c = from; c < d->count && !status; c++) {
    const unsigned independent = 1U << RATTLE__INDEPENDENT, dependent = 1U << RATTLE__DEPENDENT;
    d->chi[c].redundant = first[c] & dependent || (!(all[c] & independent) && all[c] & dependent);
    d->chi[c].irregular = !(all[c] & (independent | dependent));
  }
  rattle__frame_destroy(&f);
  free(seen);
  free(all);
  return status;
}

/* others[m] gets 1 for those that take part in the combination. */
static rattle_status combination(rattle__dirac *d, int chi, unsigned char *others,
                                 rattle_error *error) {
  rattle__frame f = {0};
  rattle_status status = rattle__values_all(d, NULL, 0, error);
  if (!status) status = rattle__frame_create(&f, d, error);
  for (int i = 0; i < d->samples && !status; i++) {
    const rattle__sample *s = &d->sample[i];
    if (!s->good) continue;
    rattle__frame_clear(&f);
    for (int c = 0; c < d->m; c++)
      if (rattle__is_used(&d->chi[c])) (void)rattle__frame_add(&f, d, s, c);
    if (rattle__frame_add(&f, d, s, chi) != RATTLE__DEPENDENT) continue;
    for (int b = 0; b < f.count; b++)
      if (fabs(f.part[b]) > share) others[f.chi[b]] = 1;
  }
  rattle__frame_destroy(&f);
  return status;
}

rattle_status rattle__say_combination(rattle__dirac *d, int chi, char *text, size_t size,
                                      rattle_error *error) {
  enum { MOST = 6 };
  unsigned char *others = calloc((size_t)d->m + 1, 1);
  rattle_status status = others ? combination(d, chi, others, error) : rattle__no_memory(error);
  size_t used = 0;
  int said = 0;
  text[0] = 0;
  for (int o = 0; o < d->m && !status; o++) {
    if (!others[o] || said++ > MOST || used >= size) continue;
    const int length = snprintf(text + used, size - used, said > MOST ? "%s..." : "%s'%s'",
                                said > 1 ? ", " : "", d->chi[o].name);
    used += length > 0 ? (size_t)length : 0;
  }
  free(others);
  return status;
}

/* The least |F'|_s over the good samples, times s_k; of derivative k of a function. */
static double least_size(const rattle__dirac *d, const rattle__chi *F, int k) {
  double least = (double)INFINITY;
  for (int i = 0; i < d->samples; i++)
    if (d->sample[i].good)
      least = fmin(least, rattle__gradient_size(d, &d->sample[i], F, NULL) * d->scale[k]);
  return isfinite(least) ? least : 0;
}

rattle_status rattle__differentiate(rattle__dirac *d, int c, int *better, rattle_error *error) {
  const rattle__chi old = d->chi[c];
  double best = 0;
  *better = 0;
  for (int i = 0; i < old.nnz; i++) {
    rattle__chi next = {
        .e = old.d[old.at[i]], .level = old.level, .origin = old.origin, .name = old.name};
    rattle_status status = rattle__chi_gradient(d, &next, error);
    if (!status) status = rattle__values_all(d, NULL, 0, error);
    if (status) return status;
    double size = least_size(d, &next, old.at[i]);
    if (!(size > best)) continue;
    best = size;
    d->chi[c] = next;
    *better = 1;
  }
  return RATTLE_OK;
}

/* --- brackets --------------------------------------------------------------------------------- */

/* {g_i,g_j} in units, 0 if it is round-off; *value: the bracket itself. */
static double in_units(const rattle__dirac *d, const rattle__sample *s, int i, int j,
                       double *value) {
  double bound, sizes = rattle__gradient_size(d, s, &d->chi[i], NULL) *
                        rattle__gradient_size(d, s, &d->chi[j], NULL);
  *value = rattle__poisson_at(d, s, &d->chi[i], &d->chi[j], &bound);
  return rattle__is_round_off(*value, bound) || !(sizes > 0) ? 0 : fabs(*value) * d->action / sizes;
}

/* The pair of the user's constraints whose bracket is the largest in units, if it is larger than
 * *most. */
static void worst_pair(rattle__dirac *d, const rattle__sample *s, double *most) {
  for (int i = 1; i < d->m; i++)
    for (int j = 0; j < i; j++) {
      if (!rattle__is_used(&d->chi[j]) || !rattle__is_used(&d->chi[i])) continue;
      double value, unit = in_units(d, s, j, i, &value);
      if (!(unit > *most)) continue;
      *most = unit;
      d->pair[0] = j;
      d->pair[1] = i;
      d->pair_value = value;
    }
}

/* True if all brackets vanish off the manifold too. */
static int vanish_everywhere(const rattle__dirac *d) {
  double value;
  for (int i = 1; i < d->m; i++)
    for (int j = 0; j < i; j++)
      if (!(in_units(d, &d->reference, j, i, &value) <= 0)) return 0;
  return 1;
}

rattle_status rattle__brackets_of_g(rattle__dirac *d, rattle_error *error) {
  double most = 0;
  rattle__frame f = {0};
  rattle_status status = rattle__values_all(d, NULL, 0, error);
  if (!status) status = rattle__values(d, &d->reference, error);
  if (!status) status = rattle__frame_create(&f, d, error);
  for (int i = 0; i < d->samples && !status; i++) {
    const rattle__sample *s = &d->sample[i];
    if (!s->good) continue;
    worst_pair(d, s, &most);
    rattle__frame_at(&f, d, s);
    int rank = 0;
    double zero, *A = rattle__frame_brackets(&f, d, f.of_g, &zero);
    status =
        A ? rattle__dirac_rank(f.of_g, f.of_g, A, zero, &rank, error) : rattle__no_memory(error);
    if (rank > d->rank_gg) d->rank_gg = rank;
  }
  rattle__frame_destroy(&f);
  d->commuting = d->rank_gg ? 0 : vanish_everywhere(d) ? 2 : 1;
  if (!status && d->rank_gg)
    d->pair_bracket = rattle__poisson(d, d->chi[d->pair[0]].d, d->chi[d->pair[1]].d);
  return status;
}
