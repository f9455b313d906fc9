/* Tests if constraints commute on their manifold: {g_i,g_j} = 0 on g = 0, at the start and at a few
 * points near it.
 *
 * g = g(q) and m = 1 commute always. Else X_{g_i} is spread out and met with the gradients that
 * share a variable with it: sparse brackets, of cost sum over i of the entries in the columns it
 * reaches. In units (dirac.h) a bracket is at most 1. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "ground/support/error.h"
#include "ground/support/random.h"
#include "runs/start/start.h"

enum { POINTS = 3 };
static const double spread = 0.05;

/* s_q, s_p: largest coordinate and momentum, 1 if all are 0. */
static void units(const rattle__start *s, double *s_q, double *s_p) {
  double q = 0, p = 0;
  for (int k = 0; k < s->n; k++) {
    q = fmax(q, fabs(s->z[k]));
    p = fmax(p, fabs(s->z[s->n + k]));
  }
  *s_q = q > 0 ? q : 1;
  *s_p = p > 0 ? p : 1;
}

/* The same for brackets, with J at z: where only coordinates or only momenta are other than 0, the
 * unit of the others is the one in which constraints that have both depend on both alike. */
static void units_of_brackets(const rattle__start *s, double *s_q, double *s_p) {
  const rattle__function *g = s->problem->g;
  double size[2] = {0, 0}, sum = 0;
  int both = 0;
  units(s, s_q, s_p);
  for (int k = 0; k < 2 * s->n; k++) size[k >= s->n] = fmax(size[k >= s->n], fabs(s->z[k]));
  if (size[0] > 0 && size[1] > 0) return;
  for (int i = 0; i < s->m; i++) {
    double most[2] = {0, 0};
    for (int e = g->jac_ptr[i]; e < g->jac_ptr[i + 1]; e++)
      most[g->jac_col[e] >= s->n] = fmax(most[g->jac_col[e] >= s->n], fabs(s->J[e]));
    const double ratio = log(most[0] / most[1]);
    if (!isfinite(ratio)) continue;
    sum += ratio;
    both++;
  }
  if (!both) return;
  if (size[1] > 0)
    *s_q = *s_p / exp(sum / both);
  else
    *s_p = *s_q * exp(sum / both);
}

void rattle__start_perturb(rattle__start *s, int k, double by) {
  double s_q, s_p;
  uint64_t state = (uint64_t)k * UINT64_C(0x632be59bd9b4e019);
  units(s, &s_q, &s_p);
  for (int i = 0; i < 2 * s->n; i++)
    s->z[i] += by * (i < s->n ? s_q : s_p) * rattle__random_signed(&state);
}

/* The entries of J in each column: ptr[vars+1], entry[nnz], and the row of each entry. */
typedef struct columns {
  int *ptr, *entry, *row;
} columns;

static int make_columns(const rattle__function *g, columns *c) {
  size_t vars = (size_t)g->vars, nnz = (size_t)g->jac_nnz;
  c->ptr = calloc(vars + 2 + 2 * nnz, sizeof *c->ptr);
  if (!c->ptr) return 0;
  c->entry = c->ptr + vars + 2;
  c->row = c->entry + nnz;
  for (int e = 0; e < g->jac_nnz; e++) c->ptr[g->jac_col[e] + 2]++;
  for (size_t k = 2; k < vars + 2; k++) c->ptr[k] += c->ptr[k - 1];
  for (int i = 0; i < g->rows; i++)
    for (int e = g->jac_ptr[i]; e < g->jac_ptr[i + 1]; e++) {
      c->entry[c->ptr[g->jac_col[e] + 1]++] = e;
      c->row[e] = i;
    }
  return 1;
}

rattle_status rattle__start_bracket(const rattle__start *s, int pair[2], double *value,
                                    double *unit, rattle_error *error) {
  const rattle__function *g = s->problem->g;
  double s_q, s_p, *size = calloc(3 * (size_t)s->m, sizeof *size), *sum = size + s->m,
                   *terms = sum + s->m;
  columns c = {0};
  units_of_brackets(s, &s_q, &s_p);
  *unit = *value = 0;
  pair[0] = pair[1] = 0;
  rattle_status status = size && make_columns(g, &c) ? RATTLE_OK : rattle__no_memory(error);
  for (int e = 0; e < g->jac_nnz && !status; e++)
    size[c.row[e]] = hypot(size[c.row[e]], s->J[e] * (g->jac_col[e] < s->n ? s_q : s_p));
  for (int i = 0; i < s->m && !status; i++) {
    /* sum[j] = {g_i,g_j} for j > i */
    memset(sum + i, 0, (size_t)(s->m - i) * sizeof *sum);
    memset(terms + i, 0, (size_t)(s->m - i) * sizeof *terms);
    for (int e = g->jac_ptr[i]; e < g->jac_ptr[i + 1]; e++) {
      int column = g->jac_col[e], other = column < s->n ? column + s->n : column - s->n;
      double factor = column < s->n ? s->J[e] : -s->J[e];
      for (int k = c.ptr[other]; k < c.ptr[other + 1]; k++) {
        const double term = factor * s->J[c.entry[k]];
        sum[c.row[c.entry[k]]] += term;
        terms[c.row[c.entry[k]]] += fabs(term);
      }
    }
    for (int j = i + 1; j < s->m; j++) {
      /* what is left of terms that cancel is round-off, however large they are */
      if (fabs(sum[j]) <= RATTLE__COMMUTING * terms[j]) continue;
      double in_units = fabs(sum[j]) * s_q * s_p / (size[i] * size[j]);
      if (!(in_units > *unit)) continue;
      *unit = in_units;
      *value = sum[j];
      pair[0] = i;
      pair[1] = j;
    }
  }
  free(size);
  free(c.ptr);
  return status;
}

static rattle_status refuse(const rattle__start *s, const int pair[2], double value,
                            rattle_error *error) {
  const char *a = rattle__start_constraint(s, pair[0]), *b = rattle__start_constraint(s, pair[1]);
  rattle__fail(error, RATTLE_NOT_REGULAR, b,
               "the constraints are not coisotropic: {%s,%s} is %.6g at a point of the manifold "
               "and must be 0 there; replace the "
               "pair by coordinates that satisfy it, or keep one of the two (see `rattle check`)",
               a, b, value);
  if (error) error->constraint = pair[1];
  return RATTLE_NOT_REGULAR;
}

rattle_status rattle__start_coisotropic(rattle__start *s, rattle_error *error) {
  if (s->m < 2 || s->problem->flags & (RATTLE_HOLONOMIC | RATTLE_MOMENTUM_G)) return RATTLE_OK;
  size_t nz = 2 * (size_t)s->n;
  double *start = malloc(nz * sizeof *start), value = 0, unit;
  if (!start) return rattle__no_memory(error);
  memcpy(start, s->z, nz * sizeof *start);
  rattle_status status = RATTLE_OK;
  int pair[2];
  for (int k = 0; k < POINTS && !status; k++) {
    if (k) rattle__start_perturb(s, k, spread);
    /* a point that is not reached is not used */
    if (!rattle__start_onto_constraints(s, NULL)) {
      status = rattle__start_bracket(s, pair, &value, &unit, error);
      if (!status && unit > RATTLE__COMMUTING) status = refuse(s, pair, value, error);
    }
    memcpy(s->z, start, nz * sizeof *start);
  }
  free(start);
  rattle_status again = rattle__start_constraints(s, status ? NULL : error);
  return status ? status : again;
}
