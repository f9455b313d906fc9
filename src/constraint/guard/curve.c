/* The curve of multipliers of a step, with bounds. See curve.h. */
#include "constraint/guard/curve.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ground/expr/real.h"
#include "constraint/guard/piece.h"

enum { POINTS = 4 }; /* control points */

/* Room for a piece: the balls of curve.h's letters, and the numbers that piece.h asks for. */
typedef struct rattle__curve_scratch {
  rattle__ball *b0, *b1, *b2, *b3;      /* [n] */
  rattle__ball *u1, *u2, *v, *w;        /* [n]: from b0 to control points; b1 + 2 b2 + 3 b3 */
  rattle__ball *value;                  /* g(b0) [m] */
  rattle__ball *F, *k0, *k1, *ke, *k1e; /* [m] */
  rattle__ball *pa, *pb, *pc;           /* [m] */
  rattle__ball *G;                      /* in the pattern of g */
  double t1, *s1;                       /* where the piece begins */
  double *J1;                           /* J there, about */
  double *R, *R_by;                     /* [POINTS][m][m] */
  double *C, *T, *f, *f_end;
  double *X, *X_by, *H, *trial, *work, *J, *at, *by, *x;
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
    const rattle__ball times = rattle__ball_times(b->value, rattle__exactly(by));
    sum[b->row] = rattle__ball_more(sum[b->row], times, product);
  }
}

/* The balls X_ij of a matrix [m][m], column j, become entries of `at` and `by`. */
static void write_column(int m, int j, const rattle__ball *X, double *at, double *by) {
  for (int i = 0; i < m; i++) at[i * m + j] = X[i].at, by[i * m + j] = X[i].by;
}

/* J at the control points: G(b0) W^T + B(u, W), u being their distances from b0. */
static void find_matrices(rattle__curve *c) {
  scratch *s = c->scratch;
  const int m = c->m;
  const size_t mm = (size_t)m * (size_t)m;
  const rattle__ball *from_b0[POINTS] = {NULL, s->u1, s->u2, s->v};
  for (int j = 0; j < m; j++) {
    const rattle__ball *W = c->W + (size_t)j * (size_t)c->n;
    for (size_t e = 0; e < POINTS; e++) {
      for (int i = 0; i < m; i++) s->F[i] = along(c, s->G, i, W);
      if (e) bend(c, from_b0[e], W, 1, s->F);
      write_column(m, j, s->F, s->R + e * mm, s->R_by + e * mm);
    }
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

static double larger(double a, double b) {
  return (a > b ? a : b) + 0 * (a + b); /* a NaN in either stays one, and proves nothing */
}

static void find_residuals(rattle__curve *c) {
  scratch *s = c->scratch;
  const int m = c->m;
  for (int i = 0; i < m; i++) {
    const double last = bound_of(s, m, i, s->ke), ends = larger(bound_of(s, m, i, s->k0), last);
    const double slopes = 4.0 / 27 * (bound_of(s, m, i, s->k1) + bound_of(s, m, i, s->k1e));
    const double rest = larger(bound_of(s, m, i, s->pa),
                               larger(bound_of(s, m, i, s->pb), bound_of(s, m, i, s->pc)));
    s->f_end[i] = last;
    s->f[i] = rattle__above(ends + slopes + rest / 16, 8);
  }
}

/* --- the test --------------------------------------------------------------------------------- */

static int is_zero(const double *s, int m) {
  int zero = 1;
  for (int i = 0; i < m; i++) zero &= s[i] == 0;
  return zero;
}

/* sum [n] = a + b x */
static void add_multiple(int n, const rattle__ball *a, rattle__ball b, const rattle__ball *x,
                         rattle__ball *sum) {
  for (int k = 0; k < n; k++) sum[k] = rattle__ball_more(a[k], b, x[k]);
}

/* b1, b2, b3, and what follows from them alone. */
static void find_way(rattle__curve *c, double t1, rattle__ball way, const double *by) {
  static const rattle__ball third = {1.0 / 3, 0x1p-54}, nothing = {0, 0};
  scratch *s = c->scratch;
  const int n = c->n, m = c->m;
  const rattle__ball one = rattle__exactly(1), two = rattle__exactly(2);
  const rattle__ball twice = rattle__ball_times(two, rattle__ball_times(rattle__exactly(t1), way));
  displace(c, way, twice, by + m, s->b1);
  displace(c, nothing, rattle__ball_times(way, way), by + 2 * m, s->b2);
  displace(c, nothing, nothing, by + 3 * m, s->b3);
  for (int k = 0; k < n; k++) s->u1[k] = rattle__ball_times(third, s->b1[k]);
  add_multiple(n, s->u1, one, s->u1, s->u2);
  add_multiple(n, s->u2, third, s->b2, s->u2);
  add_multiple(n, s->b1, one, s->b2, s->v);
  add_multiple(n, s->v, one, s->b3, s->v);
  add_multiple(n, s->b1, two, s->b2, s->w);
  add_multiple(n, s->w, rattle__exactly(3), s->b3, s->w);
}

/* k4 + by5 k5 + by6 k6 */
static void find_rest(rattle__curve *c, double by5, double by6, rattle__ball *p) {
  scratch *s = c->scratch;
  memset(p, 0, (size_t)c->m * sizeof *p);
  bend(c, s->b1, s->b3, 1, p);
  bend(c, s->b2, s->b2, 0.5, p);
  bend(c, s->b2, s->b3, by5, p);
  bend(c, s->b3, s->b3, 0.5 * by6, p);
}

static void find_coefficients(rattle__curve *c, double t1, double t2, const double *by) {
  scratch *s = c->scratch;
  const int m = c->m;
  const rattle__ball start = rattle__exactly(t1);
  const rattle__ball way = rattle__ball_subtract(rattle__exactly(t2), start);
  const rattle__ball rest = rattle__ball_subtract(rattle__exactly(1), start);
  const int exact = t1 == 0 && is_zero(by, m); /* F(0, 0) = 0 */
  find_way(c, t1, way, by);
  for (int i = 0; i < m; i++) {
    const rattle__ball level = rattle__ball_times(rest, c->g0[i]);
    const rattle__ball fall = rattle__ball_times(way, c->g0[i]);
    s->k0[i] = exact ? rattle__exactly(0) : rattle__ball_subtract(s->value[i], level);
    s->k1[i] = rattle__ball_add(fall, along(c, s->G, i, s->b1));
    s->ke[i] = rattle__ball_add(s->k0[i], rattle__ball_add(fall, along(c, s->G, i, s->v)));
    s->k1e[i] = rattle__ball_add(fall, along(c, s->G, i, s->w));
  }
  bend(c, s->v, s->v, 0.5, s->ke);
  bend(c, s->v, s->w, 1, s->k1e);
  find_rest(c, 2, 3, s->pa);
  find_rest(c, 2.5, 4, s->pb);
  find_rest(c, 3, 6, s->pc);
}

int rattle__curve_prove(rattle__curve *c, double t2, const double *by, const double *known) {
  scratch *s = c->scratch;
  const int m = c->m;
  find_coefficients(c, s->t1, t2, by);
  find_matrices(c);
  double *middle = s->J; /* of the two inner points */
  for (size_t e = 0, mm = (size_t)m * (size_t)m; e < mm; e++)
    middle[e] = 0.5 * (s->R[mm + e] + s->R[2 * mm + e]);
  rattle__piece_inverse(m, middle, s->work, s->C);
  find_box_terms(c);
  find_residuals(c);
  const rattle__piece piece = {.m = m,
                               .points = POINTS,
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

/* F - level, and J in R, at (at, t), which is b0 + x, by those at b0: g is quadratic. */
static void look_from_b0(rattle__curve *c, double t, const double *at, double *x, double *F) {
  scratch *s = c->scratch;
  const int n = c->n, m = c->m;
  for (int k = 0; k < n; k++) {
    x[k] = (t - s->t1) * (c->d[k].at - (t + s->t1) * c->a[k].at);
    for (int j = 0; j < m; j++) x[k] -= c->W[j * n + k].at * (at[j] - s->s1[j]);
  }
  memcpy(s->R, s->J1, (size_t)m * (size_t)m * sizeof *s->R);
  for (int i = 0; i < m; i++) {
    F[i] = s->value[i].at - (1 - t) * c->g0[i].at;
    for (int e = c->g->ptr[i]; e < c->g->ptr[i + 1]; e++) F[i] += s->G[e].at * x[c->g->col[e]];
  }
  for (int e = 0; e < c->g->bends; e++) {
    const rattle__bend *b = &c->g->bend[e];
    const double y = b->value.at * x[b->a];
    F[b->row] += 0.5 * y * x[b->b];
    for (int j = 0; j < m; j++) s->R[b->row * m + j] += y * c->W[j * n + b->b].at;
  }
}

void rattle__curve_correction(rattle__curve *c, double t, const double *at, double *ds) {
  look_from_b0(c, t, at, c->scratch->x, ds);
  solve(c, ds);
}

void rattle__curve_slope(rattle__curve *c, double t, const double *at, double *ds) {
  scratch *s = c->scratch;
  double *x = s->x;
  look_from_b0(c, t, at, x, ds);
  for (int k = 0; k < c->n; k++) s->u1[k] = rattle__exactly(c->d[k].at - 2 * t * c->a[k].at);
  for (int i = 0; i < c->m; i++) ds[i] = c->g0[i].at + along(c, s->G, i, s->u1).at;
  for (int e = 0; e < c->g->bends; e++) {
    const rattle__bend *b = &c->g->bend[e];
    ds[b->row] += b->value.at * x[b->a] * s->u1[b->b].at;
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

/* P, about L^-1 of G0 M^-1 G0^T = L L^T, in C; 0: that is not positive. Any P will do. */
static int find_frame(rattle__curve *c) {
  scratch *s = c->scratch;
  const int m = c->m;
  double *A = s->J, *P = s->C;
  for (int i = 0; i < m; i++)
    for (int j = 0; j < m; j++) {
      A[i * m + j] = along(c, s->G, i, c->W + (size_t)j * (size_t)c->n).at;
      P[i * m + j] = i == j;
    }
  for (int k = 0; k < m; k++) {
    if (!(A[k * m + k] > 0)) return 0;
    const double by = 1 / sqrt(A[k * m + k]);
    for (int i = k + 1; i < m; i++) {
      const double factor = A[i * m + k] / A[k * m + k];
      for (int j = k + 1; j < m; j++) A[i * m + j] -= factor * A[k * m + j];
      for (int j = 0; j <= k; j++) P[i * m + j] -= factor * P[k * m + j];
    }
    for (int j = 0; j <= k; j++) P[k * m + j] *= by;
  }
  return 1;
}

/* W = P G0 M^-1 in place of G0 M^-1: boxes of multipliers are parallel to orthonormal rows. */
static void turn_rows(rattle__curve *c) {
  const scratch *s = c->scratch;
  const int n = c->n, m = c->m;
  for (int i = m; i-- > 0;)
    for (int k = 0; k < n; k++) {
      rattle__ball sum = {0, 0};
      for (int j = 0; j <= i; j++)
        sum = rattle__ball_more(sum, rattle__exactly(s->C[i * m + j]), c->W[j * n + k]);
      c->W[i * n + k] = sum;
    }
}

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
  if (find_frame(c)) turn_rows(c);
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
  const room balls[] = {{&c->q0, n},        {&c->d, n},  {&c->a, n},  {&c->W, m * n}, {&c->g0, m},
                        {&c->bent, m * mm}, {&s->b0, n}, {&s->b1, n}, {&s->b2, n},    {&s->b3, n},
                        {&s->u1, n},        {&s->u2, n}, {&s->v, n},  {&s->w, n},     {&s->F, m},
                        {&s->value, m},     {&s->k0, m}, {&s->k1, m}, {&s->ke, m},    {&s->k1e, m},
                        {&s->pa, m},        {&s->pb, m}, {&s->pc, m}, {&s->G, nnz}};
  const room doubles[] = {{&c->r, m},           {&c->end, m},
                          {&s->R, POINTS * mm}, {&s->R_by, POINTS * mm},
                          {&s->C, mm},          {&s->T, m * mm},
                          {&s->f, m},           {&s->f_end, m},
                          {&s->X, POINTS * mm}, {&s->X_by, POINTS * mm},
                          {&s->H, mm},          {&s->trial, m},
                          {&s->work, mm},       {&s->J, mm},
                          {&s->s1, m},          {&s->J1, mm},
                          {&s->x, n},           {&s->at, m},
                          {&s->by, m}};
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
