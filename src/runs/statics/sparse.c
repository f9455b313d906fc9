/* The matrices of an equilibrium of many coordinates. See sparse.h. */
#include "runs/statics/sparse.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ground/support/error.h"
#include "problem/functions/mass.h"

/* --- colours ---------------------------------------------------------------------------------- */

/* The least colour that no coordinate has which shares a row with this one. */
static rattle_status find_colours(rattle__sparse *p, rattle_error *error) {
  const rattle__function *g = p->s->problem->g;
  const int n = p->s->n, m = p->s->m, nnz = m ? g->jac_ptr[m] : 0;
  int *first = calloc((size_t)n + 1 + (size_t)nnz + (size_t)n + 1, sizeof *first);
  if (!first) return rattle__no_memory(error);
  int *row = first + n + 1,
      *taken = row + nnz; /* rows of each coordinate; who took a colour last */
  for (int e = 0; e < nnz; e++)
    if (g->jac_col[e] < n) first[g->jac_col[e] + 1]++;
  for (int k = 0; k < n; k++) first[k + 1] += first[k];
  for (int i = m; i-- > 0;)
    for (int e = g->jac_ptr[i]; e < g->jac_ptr[i + 1]; e++)
      if (g->jac_col[e] < n) row[--first[g->jac_col[e] + 1]] = i;
  /* first[k + 1] is now where k begins */
  for (int k = 0; k < n; k++) {
    const int begin = first[k + 1], end = k + 1 < n ? first[k + 2] : nnz;
    for (int r = begin; r < end; r++)
      for (int e = g->jac_ptr[row[r]]; e < g->jac_ptr[row[r] + 1]; e++)
        if (g->jac_col[e] < k) taken[p->colour[g->jac_col[e]]] = k + 1;
    int c = 0;
    while (taken[c] == k + 1) c++;
    p->colour[k] = c;
    if (c >= p->colours) p->colours = c + 1;
  }
  free(first);
  return RATTLE_OK;
}

/* --- matrices --------------------------------------------------------------------------------- */

static int source_S(int e) {
  return 1 + e;
}

static int source_G(const rattle__sparse *p, int e) {
  return 1 + p->s->problem->H->hess_nnz + e;
}

static int source_C(const rattle__sparse *p, int pair) {
  const rattle__function *g = p->s->problem->g;
  return source_G(p, g ? g->jac_nnz : 0) + pair;
}

static int source_M(const rattle__sparse *p, int k) {
  return source_C(p, p->pairs[p->s->m]) + k;
}

static int source_square(const rattle__sparse *p, int pair) {
  return source_M(p, p->s->n) + pair;
}

static int moves(const rattle__sparse *p, int k) {
  return k < p->s->n && p->M[k] > 0;
}

static void add_block(const rattle__sparse *p, rattle__assembly *a, int raised) {
  const rattle__function *H = p->s->problem->H, *g = p->s->problem->g;
  const int n = p->s->n;
  for (int k = 0; k < n; k++) {
    if (!moves(p, k)) rattle__assembly_add(a, k, k, 0, 1, 0);
    if (moves(p, k)) rattle__assembly_add(a, k, k, source_M(p, k), 0, 1);
    for (int e = H->hess_ptr[k]; moves(p, k) && e < H->hess_ptr[k + 1]; e++)
      if (moves(p, H->hess_col[e])) rattle__assembly_add(a, k, H->hess_col[e], source_S(e), 1, 0);
  }
  for (int i = 0; i < p->s->m; i++) {
    int pair = p->pairs[i];
    for (int e = g->jac_ptr[i]; e < g->jac_ptr[i + 1]; e++)
      for (int f = g->jac_ptr[i]; f < g->jac_ptr[i + 1]; f++, pair++) {
        const int row = g->jac_col[e], col = g->jac_col[f];
        if (!moves(p, row) || !moves(p, col)) continue;
        rattle__assembly_add(a, row, col, source_C(p, pair), 1, 0);
        if (raised) rattle__assembly_add(a, row, col, source_square(p, pair), 1, 0);
      }
  }
}

static rattle_status plan(rattle__sparse *p, rattle_error *error) {
  const rattle__function *g = p->s->problem->g;
  const int n = p->s->n, m = p->s->m, sources = source_square(p, p->pairs[m]);
  rattle_status status = rattle__assembly_create(&p->saddle, n + m, sources, error);
  if (!status) status = rattle__assembly_create(&p->raised, n, sources, error);
  if (status) return status;
  add_block(p, p->saddle, 0);
  add_block(p, p->raised, 1);
  for (int i = 0; i < m; i++)
    for (int e = g->jac_ptr[i]; e < g->jac_ptr[i + 1]; e++)
      if (moves(p, g->jac_col[e])) {
        rattle__assembly_add(p->saddle, n + i, g->jac_col[e], source_G(p, e), 1, 0);
        rattle__assembly_add(p->saddle, g->jac_col[e], n + i, source_G(p, e), 1, 0);
      }
  status = rattle__assembly_plan(p->saddle, m, error);
  if (!status) status = rattle__assembly_plan(p->raised, 0, error);
  if (!status)
    status = rattle__linear_create(&p->ldl, n, p->raised->matrix->ptr, p->raised->matrix->col, 1,
                                   RATTLE__LINEAR_LDL, error);
  return status;
}

/* --- memory ----------------------------------------------------------------------------------- */

static rattle_status lay_out(rattle__sparse *p, rattle_error *error) {
  rattle_equilibrium *s = p->s;
  const rattle__function *H = s->problem->H, *g = s->problem->g;
  const size_t n = (size_t)s->n, m = (size_t)s->m, nnz = g ? (size_t)g->jac_nnz : 0;
  const size_t of_g = g ? g->work : 0, widest = nnz > 2 * n ? nnz : 2 * n;
  p->pairs = rattle__arena_take(&s->arena, (m + 1) * sizeof *p->pairs);
  p->colour = rattle__arena_take(&s->arena, (n + 1) * sizeof *p->colour);
  if (s->arena.failed) return rattle__no_memory(error);
  for (int i = 0; i < s->m; i++) {
    const int width = g->jac_ptr[i + 1] - g->jac_ptr[i];
    p->pairs[i + 1] = p->pairs[i] + width * width;
  }
  const rattle__array arrays[] = {{&s->z, 2 * n},
                                  {&s->old, n},
                                  {&s->gradient, 2 * n},
                                  {&s->J, nnz},
                                  {&s->g, m},
                                  {&s->lambda, m + 1},
                                  {&s->S, (size_t)H->hess_nnz},
                                  {&s->D, widest},
                                  {&s->work, H->work > of_g ? H->work : of_g},
                                  {&s->of_energy, rattle__energy_room(s->problem)},
                                  {&s->aim, n},
                                  {&s->way, n},
                                  {&p->M, n},
                                  {&p->x, n + m},
                                  {&p->v, 2 * n},
                                  {&p->room, 2 * widest + 4 * n},
                                  {&p->C, (size_t)p->pairs[s->m] + 1}};
  RATTLE__LAY_OUT(&s->arena, arrays);
  return s->arena.failed ? rattle__no_memory(error) : RATTLE_OK;
}

rattle_status rattle__sparse_open(rattle__sparse *p, rattle_equilibrium *s, rattle_error *error) {
  const rattle__mass *W = s->problem->mass;
  const char *why = !s->problem->H->hessian ? "its H has no second derivatives"
                    : s->problem->force     ? "it has forces"
                    : !W || W->value        ? "its matrix of masses is not diagonal and constant"
                                            : NULL;
  *p = (rattle__sparse){.s = s};
  if (why)
    return rattle__fail(error, RATTLE_UNSUITABLE, NULL,
                        "equilibria of more than %d pairs are sought by sparse matrices, which "
                        "this problem has not: %s",
                        RATTLE__DENSE_PAIRS, why);
  s->n = s->problem->n, s->m = s->problem->m;
  rattle_status status = lay_out(p, error);
  if (status) return status;
  for (int k = 0; k < s->n; k++) p->M[k] = W->diagonal[k] > 0 ? 1 / W->diagonal[k] : 0;
  if (s->m) status = find_colours(p, error);
  return status ? status : plan(p, error);
}

void rattle__sparse_close(rattle__sparse *p) {
  rattle__assembly_destroy(&p->saddle);
  rattle__assembly_destroy(&p->raised);
  rattle__linear_destroy(&p->ldl);
}

/* --- values ----------------------------------------------------------------------------------- */

static void put_sources(rattle__sparse *p, rattle__assembly *a) {
  const rattle_equilibrium *s = p->s;
  const rattle__function *H = s->problem->H, *g = s->problem->g;
  memcpy(a->source + source_S(0), s->S, (size_t)H->hess_nnz * sizeof *s->S);
  if (g && s->m) memcpy(a->source + source_G(p, 0), s->J, (size_t)g->jac_nnz * sizeof *s->J);
  memcpy(a->source + source_C(p, 0), p->C, (size_t)p->pairs[s->m] * sizeof *p->C);
  memcpy(a->source + source_M(p, 0), p->M, (size_t)s->n * sizeof *p->M);
}

rattle_status rattle__sparse_curve(rattle__sparse *p, rattle_error *error) {
  rattle_equilibrium *s = p->s;
  const rattle__function *g = s->problem->g;
  for (int c = 0; c < p->colours && s->m; c++) {
    memset(p->v, 0, 2 * (size_t)s->n * sizeof *p->v);
    for (int k = 0; k < s->n; k++) p->v[k] = p->colour[k] == c;
    const int answer = rattle__function_along(g, s->z, p->v, s->D, s->work, p->room);
    if (answer) return rattle__answer(answer, "constraint", error);
    for (int i = 0; i < s->m; i++) {
      int pair = p->pairs[i];
      for (int e = g->jac_ptr[i]; e < g->jac_ptr[i + 1]; e++)
        for (int f = g->jac_ptr[i]; f < g->jac_ptr[i + 1]; f++, pair++)
          if (g->jac_col[f] < s->n && p->colour[g->jac_col[f]] == c)
            p->C[pair] = s->lambda[i] * s->D[e];
    }
  }
  put_sources(p, p->saddle);
  put_sources(p, p->raised);
  return RATTLE_OK;
}

rattle_status rattle__sparse_factor(rattle__sparse *p, double mu, rattle_error *error) {
  rattle__assembly_fill(p->saddle, mu);
  const rattle_status status = p->saddle->matrix->factor(p->saddle->matrix);
  if (!status) return RATTLE_OK;
  if (status == RATTLE_NO_MEMORY) return rattle__no_memory(error);
  return rattle__fail(error, RATTLE_SINGULAR, NULL,
                      "equilibria of this problem are not sought: of more than %d pairs "
                      "constraints must be independent, and here some are not, or a direction has "
                      "neither stiffness nor mass",
                      RATTLE__DENSE_PAIRS);
}

rattle_status rattle__sparse_multipliers(rattle__sparse *p, rattle_error *error) {
  rattle_equilibrium *s = p->s;
  const int n = s->n;
  if (!s->m) return RATTLE_OK;
  put_sources(p, p->saddle);
  memset(p->saddle->source + source_S(0), 0,
         (size_t)s->problem->H->hess_nnz * sizeof *p->saddle->source);
  memset(p->saddle->source + source_C(p, 0), 0, (size_t)p->pairs[s->m] * sizeof *p->saddle->source);
  rattle_status status = rattle__sparse_factor(p, 1, error);
  if (status) return status;
  for (int k = 0; k < n; k++) p->x[k] = p->M[k] > 0 ? -s->gradient[k] : 0;
  memset(p->x + n, 0, (size_t)s->m * sizeof *p->x);
  rattle__linear_solve_well(p->saddle->matrix, p->x);
  memcpy(s->lambda, p->x + n, (size_t)s->m * sizeof *s->lambda);
  return RATTLE_OK;
}

double rattle__sparse_scale(const rattle__sparse *p) {
  const rattle__linear *a = p->saddle->matrix;
  double most = 0;
  rattle__assembly_fill(p->saddle, 0);
  for (int k = 0; k < p->s->n; k++) {
    double sum = 0;
    for (int e = a->ptr[k]; e < a->ptr[k + 1]; e++)
      if (moves(p, k) && moves(p, a->col[e]))
        sum += fabs(a->value[e]) / sqrt(p->M[k]) / sqrt(p->M[a->col[e]]);
    most = fmax(most, sum);
  }
  return most > 0 ? most : 1;
}

/* rho G^T G, each row in units of its own size, and of the stiffness where masses are 1. */
static void put_squares(rattle__sparse *p, double rho) {
  const rattle_equilibrium *s = p->s;
  const rattle__function *g = s->problem->g;
  for (int i = 0; i < s->m; i++) {
    double size = 0;
    for (int e = g->jac_ptr[i]; e < g->jac_ptr[i + 1]; e++)
      if (moves(p, g->jac_col[e])) size += s->J[e] * s->J[e] / p->M[g->jac_col[e]];
    int pair = p->pairs[i];
    for (int e = g->jac_ptr[i]; e < g->jac_ptr[i + 1]; e++)
      for (int f = g->jac_ptr[i]; f < g->jac_ptr[i + 1]; f++, pair++)
        p->raised->source[source_square(p, pair)] = size > 0 ? rho * s->J[e] * s->J[f] / size : 0;
  }
}

int rattle__sparse_is_definite(rattle__sparse *p, double mu) {
  const double scale = rattle__sparse_scale(p) + mu;
  const int most = p->s->m ? 5 : 1;
  double rho = 1e2 * scale;
  for (int i = 0; i < most; i++, rho *= 100) {
    put_squares(p, rho);
    rattle__assembly_fill(p->raised, mu);
    memcpy(p->ldl->value, p->raised->matrix->value, (size_t)p->ldl->nnz * sizeof *p->ldl->value);
    if (!p->ldl->factor(p->ldl) && p->ldl->definite(p->ldl) == 1) return 1;
  }
  return 0;
}
