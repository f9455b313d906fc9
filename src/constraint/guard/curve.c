/* The curve of multipliers of a step, with bounds. See curve.h. */
#include "constraint/guard/curve.h"

#include <stdlib.h>
#include <string.h>

#include "ground/expr/real.h"
#include "constraint/guard/piece.h"

/* Room for a piece: the balls of curve.h's letters, and the numbers that piece.h asks for. */
typedef struct rattle__curve_scratch {
  rattle__ball *b0, *b1, *b2;               /* [n] */
  rattle__ball *value;                      /* g(b0) [m] */
  rattle__ball *F, *k0, *k1, *k3, *k4, *ke; /* [m] */
  rattle__ball *G, *G1;                     /* in the pattern of g */
  double t1, *s1;                           /* where the piece begins */
  double *J1;                               /* J there, about */
  double *R, *R_by;                         /* [3][m][m] */
  double *C, *T, *f, *f_end;
  double *X, *X_by, *H, *trial, *work, *at, *by, *v;
  int *which;
  void *block;
} scratch;

/* --- displacements ---------------------------------------------------------------------------- */

/* q = drift d - kick a - W^T s */
static void displace(const rattle__curve *c, rattle__ball drift, rattle__ball kick, const double *s,
                     rattle__ball *q) {
  for (int k = 0; k < c->n; k++) {
    rattle__ball sum = rattle__ball_times(drift, c->d[k]);
    sum = rattle__ball_subtract(sum, rattle__ball_times(kick, c->a[k]));
    for (int j = 0; j < c->m; j++) {
      const rattle__ball W = c->W[j * c->n + k];
      if (W.at != 0 || W.by != 0)
        sum = rattle__ball_subtract(sum, rattle__ball_times(W, rattle__exactly(s[j])));
    }
    q[k] = sum;
  }
}

/* Q(s, t) */
static void place(const rattle__curve *c, double t, const double *s, rattle__ball *q) {
  const rattle__ball at = rattle__exactly(t);
  displace(c, at, rattle__ball_times(at, at), s, q);
  for (int k = 0; k < c->n; k++) q[k] = rattle__ball_add(c->q0[k], q[k]);
}

void rattle__curve_point(const rattle__curve *c, const double *s, rattle__ball *q) {
  place(c, 1, s, q);
}

/* --- rows ------------------------------------------------------------------------------------- */

/* G_i v */
static rattle__ball along(const rattle__curve *c, const rattle__ball *G, int i,
                          const rattle__ball *v) {
  rattle__ball sum = {0, 0};
  for (int e = c->g->ptr[i]; e < c->g->ptr[i + 1]; e++)
    sum = rattle__ball_more(sum, G[e], v[c->g->col[e]]);
  return sum;
}

/* sum [m] += B(u, v) by */
static void bend(const rattle__curve *c, const rattle__ball *u, const rattle__ball *v, double by,
                 rattle__ball *sum) {
  for (int e = 0; e < c->g->bends; e++) {
    const rattle__bend *b = &c->g->bend[e];
    const rattle__ball product = rattle__ball_times(u[b->a], v[b->b]);
    sum[b->row] = rattle__ball_more(sum[b->row], rattle__ball_scaled(b->value, by), product);
  }
}

/* The balls X_ij of a matrix [m][m], column j, become entries of `at` and `by`. */
static void write_column(int m, int j, const rattle__ball *X, double *at, double *by) {
  for (int i = 0; i < m; i++) at[i * m + j] = X[i].at, by[i * m + j] = X[i].by;
}

/* J at the three control points: R_0 = G(b0) W^T, R_1 = R_0 + B(b1, W)/2, R_2 = R_0 + B(b1 + b2,
 * W) */
static void find_matrices(rattle__curve *c, const rattle__ball *v) {
  scratch *s = c->scratch;
  const int m = c->m;
  const size_t mm = (size_t)m * (size_t)m;
  for (int j = 0; j < m; j++) {
    const rattle__ball *W = c->W + (size_t)j * (size_t)c->n;
    for (int i = 0; i < m; i++) s->F[i] = along(c, s->G, i, W);
    write_column(m, j, s->F, s->R, s->R_by);
    memcpy(s->k1, s->F, (size_t)m * sizeof *s->k1);
    bend(c, s->b1, W, 0.5, s->F);
    write_column(m, j, s->F, s->R + mm, s->R_by + mm);
    bend(c, v, W, 1, s->k1);
    write_column(m, j, s->k1, s->R + 2 * mm, s->R_by + 2 * mm);
  }
}

/* T_ijk >= |sum_a C_ia B_a(W_j, W_k)| */
static void find_box_terms(rattle__curve *c) {
  scratch *s = c->scratch;
  const int m = c->m;
  for (int j = 0; j < m; j++)
    for (int k = 0; k <= j; k++) {
      int count = 0;
      for (int a = 0; a < m; a++) {
        const rattle__ball b = c->bent[(a * m + j) * m + k];
        if (b.at != 0 || b.by != 0) s->which[count] = a, s->at[count] = b.at, s->by[count++] = b.by;
      }
      for (int i = 0; i < m; i++) {
        for (int a = 0; a < count; a++) s->work[a] = s->C[i * m + s->which[a]];
        const double bound = count ? rattle__row_bound(count, s->work, s->at, s->by) : 0;
        s->T[(i * m + j) * m + k] = s->T[(i * m + k) * m + j] = bound;
      }
    }
}

/* |C k| <= bound */
static double bound_of(const scratch *s, int m, int i, const rattle__ball *k) {
  for (int a = 0; a < m; a++) s->at[a] = k[a].at, s->by[a] = k[a].by;
  return rattle__row_bound(m, s->C + (size_t)i * (size_t)m, s->at, s->by);
}

static void find_residuals(rattle__curve *c) {
  scratch *s = c->scratch;
  for (int i = 0; i < c->m; i++) {
    const double first = bound_of(s, c->m, i, s->k0), last = bound_of(s, c->m, i, s->ke);
    const double rest = 0.25 * bound_of(s, c->m, i, s->k1) +
                        4.0 / 27 * bound_of(s, c->m, i, s->k3) + 0.25 * bound_of(s, c->m, i, s->k4);
    s->f_end[i] = last;
    /* 0 (...): a NaN in either stays one, and proves nothing */
    s->f[i] = rattle__above((first > last ? first : last) + rest + 0 * (first + last), 8);
  }
}

/* --- the test --------------------------------------------------------------------------------- */

static int is_zero(const double *s, int m) {
  int zero = 1;
  for (int i = 0; i < m; i++) zero &= s[i] == 0;
  return zero;
}

/* k0 .. ke, and v = b1 + b2 in place of b2 */
static void find_coefficients(rattle__curve *c, double t1, double t2, const double *by) {
  scratch *s = c->scratch;
  const int m = c->m;
  const rattle__ball start = rattle__exactly(t1);
  const rattle__ball way = rattle__ball_subtract(rattle__exactly(t2), start);
  const rattle__ball twice = rattle__ball_scaled(rattle__ball_times(start, way), 2);
  displace(c, way, twice, by + m, s->b1);
  displace(c, rattle__exactly(0), rattle__ball_times(way, way), by + 2 * m, s->b2);
  memset(s->k3, 0, (size_t)m * sizeof *s->k3);
  memset(s->k4, 0, (size_t)m * sizeof *s->k4);
  bend(c, s->b1, s->b2, 1, s->k3);
  bend(c, s->b2, s->b2, 0.5, s->k4);
  const rattle__ball rest = rattle__ball_subtract(rattle__exactly(1), start);
  const int exact = t1 == 0 && is_zero(by, m); /* F(0, 0) = 0 */
  for (int k = 0; k < c->n; k++) s->b2[k] = rattle__ball_add(s->b1[k], s->b2[k]);
  for (int i = 0; i < m; i++) {
    const rattle__ball level = rattle__ball_times(rest, c->g0[i]);
    s->k0[i] = exact ? rattle__exactly(0) : rattle__ball_subtract(s->value[i], level);
    const rattle__ball fall = rattle__ball_times(way, c->g0[i]);
    s->ke[i] = rattle__ball_add(s->k0[i], rattle__ball_add(fall, along(c, s->G, i, s->b2)));
  }
  bend(c, s->b2, s->b2, 0.5, s->ke);
}

int rattle__curve_prove(rattle__curve *c, double t2, const double *by, const double *known) {
  scratch *s = c->scratch;
  const int m = c->m;
  const double t1 = s->t1;
  find_coefficients(c, t1, t2, by);
  find_matrices(c, s->b2);
  const rattle__ball way = rattle__ball_subtract(rattle__exactly(t2), rattle__exactly(t1));
  for (int i = 0; i < m; i++) s->k1[i] = rattle__ball_more(along(c, s->G, i, s->b1), way, c->g0[i]);
  rattle__piece_inverse(m, s->R + (size_t)m * (size_t)m, s->work, s->C);
  find_box_terms(c);
  find_residuals(c);
  const rattle__piece piece = {.m = m,
                               .R = s->R,
                               .R_by = s->R_by,
                               .C = s->C,
                               .T = s->T,
                               .f = s->f,
                               .f_end = s->f_end,
                               .known = known,
                               .X = s->X,
                               .X_by = s->X_by,
                               .H = s->H,
                               .trial = s->trial,
                               .r = c->r,
                               .end = c->end};
  return rattle__piece_prove(&piece);
}

/* --- approximations --------------------------------------------------------------------------- */

/* x becomes A^-1 x, A being in R. */
static void solve(rattle__curve *c, double *x) {
  scratch *s = c->scratch;
  const int m = c->m;
  rattle__piece_inverse(m, s->R, s->work, s->C);
  for (int i = 0; i < m; i++) {
    s->trial[i] = 0;
    for (int j = 0; j < m; j++) s->trial[i] += s->C[i * m + j] * x[j];
  }
  memcpy(x, s->trial, (size_t)m * sizeof *x);
}

static void find_jacobian(rattle__curve *c) {
  scratch *s = c->scratch;
  for (int i = 0; i < c->m; i++)
    for (int j = 0; j < c->m; j++)
      s->J1[i * c->m + j] = along(c, s->G, i, c->W + (size_t)j * (size_t)c->n).at;
}

void rattle__curve_start(rattle__curve *c, double t, const double *at, double *slope) {
  scratch *s = c->scratch;
  s->t1 = t;
  memcpy(s->s1, at, (size_t)c->m * sizeof *at);
  place(c, t, at, s->b0);
  rattle__quadratic_at(c->g, s->b0, s->value, s->G);
  find_jacobian(c);
  memcpy(s->R, s->J1, (size_t)c->m * (size_t)c->m * sizeof *s->R);
  for (int k = 0; k < c->n; k++) s->b1[k] = rattle__exactly(c->d[k].at - 2 * t * c->a[k].at);
  for (int i = 0; i < c->m; i++) slope[i] = along(c, s->G, i, s->b1).at + c->g0[i].at;
  solve(c, slope);
}

/* F and J at b0 + v by those at b0: g is quadratic. */
void rattle__curve_correction(rattle__curve *c, double t, const double *at, double *ds) {
  scratch *s = c->scratch;
  const int n = c->n, m = c->m;
  double *v = s->v;
  for (int k = 0; k < n; k++) {
    v[k] = (t - s->t1) * (c->d[k].at - (t + s->t1) * c->a[k].at);
    for (int j = 0; j < m; j++) v[k] -= c->W[j * n + k].at * (at[j] - s->s1[j]);
  }
  memcpy(s->R, s->J1, (size_t)m * (size_t)m * sizeof *s->R);
  for (int i = 0; i < m; i++) {
    ds[i] = s->value[i].at - (1 - t) * c->g0[i].at;
    for (int e = c->g->ptr[i]; e < c->g->ptr[i + 1]; e++) ds[i] += s->G[e].at * v[c->g->col[e]];
  }
  for (int e = 0; e < c->g->bends; e++) {
    const rattle__bend *b = &c->g->bend[e];
    const double y = b->value.at * v[b->a];
    ds[b->row] += 0.5 * y * v[b->b];
    for (int j = 0; j < m; j++) s->R[b->row * m + j] += y * c->W[j * n + b->b].at;
  }
  solve(c, ds);
}

void rattle__curve_multipliers(rattle__curve *c, const double *q1, double *s) {
  scratch *k = c->scratch;
  memset(s, 0, (size_t)c->m * sizeof *s);
  rattle__curve_start(c, 0, s, k->f); /* J1 = A0 */
  place(c, 1, s, k->b1);
  for (int e = 0; e < c->n; e++) k->b1[e] = rattle__exactly(k->b1[e].at - q1[e]);
  for (int i = 0; i < c->m; i++) s[i] = along(c, k->G, i, k->b1).at;
  memcpy(k->R, k->J1, (size_t)c->m * (size_t)c->m * sizeof *k->R);
  solve(c, s);
}

/* --- how it is made --------------------------------------------------------------------------- */

void rattle__curve_begin(rattle__curve *c, const double *inverse_mass) {
  scratch *s = c->scratch;
  const int n = c->n, m = c->m;
  rattle__quadratic_at(c->g, c->q0, c->g0, s->G);
  memset(c->W, 0, (size_t)m * (size_t)n * sizeof *c->W);
  for (int j = 0; j < m; j++)
    for (int e = c->g->ptr[j]; e < c->g->ptr[j + 1]; e++) {
      const int k = c->g->col[e];
      c->W[j * n + k] = rattle__ball_times(s->G[e], rattle__exactly(inverse_mass[k]));
    }
  for (int j = 0; j < m; j++)
    for (int k = 0; k <= j; k++) {
      memset(s->F, 0, (size_t)m * sizeof *s->F);
      bend(c, c->W + (size_t)j * (size_t)n, c->W + (size_t)k * (size_t)n, 1, s->F);
      for (int a = 0; a < m; a++)
        c->bent[(a * m + j) * m + k] = c->bent[(a * m + k) * m + j] = s->F[a];
    }
}

typedef struct room {
  void *at; /* of a pointer to balls or to doubles */
  size_t count;
} room;

/* Balls and doubles in one block; *block, to be freed, is NULL without memory. */
static void lay_out(const room *balls, int ball_arrays, const room *doubles, int double_arrays,
                    void **block) {
  size_t bytes = 0;
  for (int k = 0; k < ball_arrays; k++) bytes += balls[k].count * sizeof(rattle__ball);
  for (int k = 0; k < double_arrays; k++) bytes += doubles[k].count * sizeof(double);
  char *next = *block = calloc(bytes + 1, 1);
  for (int k = 0; k < ball_arrays && next; next += balls[k++].count * sizeof(rattle__ball))
    *(rattle__ball **)balls[k].at = (rattle__ball *)next;
  for (int k = 0; k < double_arrays && next; next += doubles[k++].count * sizeof(double))
    *(double **)doubles[k].at = (double *)next;
}

rattle__curve *rattle__curve_create(const rattle__quadratic *g) {
  rattle__curve *c = calloc(1, sizeof *c);
  scratch *s = calloc(1, sizeof *s);
  if (!c || !s) {
    free(c), free(s);
    return NULL;
  }
  const size_t n = (size_t)g->vars, m = (size_t)g->rows, mm = m * m, nnz = (size_t)g->ptr[m];
  *c = (rattle__curve){.g = g, .n = g->vars, .m = g->rows, .scratch = s};
  const room balls[] = {
      {&c->q0, n}, {&c->d, n},  {&c->a, n},  {&c->W, m * n}, {&c->g0, m}, {&c->bent, m * mm},
      {&s->b0, n}, {&s->b1, n}, {&s->b2, n}, {&s->value, m}, {&s->F, m},  {&s->k0, m},
      {&s->k1, m}, {&s->k3, m}, {&s->k4, m}, {&s->ke, m},    {&s->G, nnz}};
  const room doubles[] = {{&c->r, m},      {&c->end, m},       {&s->R, 3 * mm}, {&s->R_by, 3 * mm},
                          {&s->C, mm},     {&s->T, m * mm},    {&s->f, m},      {&s->f_end, m},
                          {&s->X, 3 * mm}, {&s->X_by, 3 * mm}, {&s->H, mm},     {&s->trial, m},
                          {&s->work, mm},  {&s->s1, m},        {&s->J1, mm},    {&s->v, n},
                          {&s->at, m},     {&s->by, m}};
  lay_out(balls, sizeof balls / sizeof *balls, doubles, sizeof doubles / sizeof *doubles,
          &s->block);
  s->which = calloc(m + 1, sizeof *s->which);
  if (!s->block || !s->which) rattle__curve_destroy(&c);
  return c;
}

void rattle__curve_destroy(rattle__curve **c) {
  if (!c || !*c) return;
  free((*c)->scratch->block), free((*c)->scratch->which), free((*c)->scratch);
  free(*c);
  *c = NULL;
}
