#ifndef RATTLE__SPARK_STATE_H
#define RATTLE__SPARK_STATE_H
/* What a step of spark_kernel.h works on, and its products with G. Symbols: spark_natural.c. */
#include "slide/guard.h"
#include "linear/linear.h"
#include "linear/rows.h"
#include "step/point.h"
#include "constrained/spark.h"

/* Up to so many constraints, of at most four times as many variables, G is taken with all its entries. */
enum { SMALL = 4 };

typedef struct condensed {
  rattle__map map, *general;
  int r, n, m, small; /* r = s - 1 */
  rattle__rows rows;
  const rattle__function *g, *V;
  const rattle__mass *W;
  const double *inverse_mass; /* the diagonal of W [n] */
  double b[RATTLE__STAGES], c[RATTLE__STAGES], w[RATTLE__STAGES][RATTLE__STAGES];
  /* of the stages: B = G W, W = M^-1; J holds the entries of G, D all of them where it is small, with the places of those [nnz] */
  double *Q[RATTLE__STAGES], *Vq[RATTLE__STAGES], *J[RATTLE__STAGES], *B[RATTLE__STAGES], *D[RATTLE__STAGES];
  int *place;
  double *F, *d;                   /* [r][n] */
  double *L, *value;               /* L; g at Q_2..Q_s [r][m] */
  double *unit_g, *delta, *course; /* inverse round-off of g; scratch [r][m] */
  double unit_Q[RATTLE__STAGES];   /* that of the equation for Q_i */
  double *pull, *psi, *floor;      /* N0 lambda; psi and its round-off, inverted [m] */
  double *size, *N0, *block;       /* scratch [n]; N at the start, a block of R, in the pattern of N */
  double *along, *work, *room;     /* G_qq(v, .) in the pattern of G; scratch of g and V */
  rattle__coupling *coupling;      /* NULL if G is small */
  rattle__linear *N, *R;           /* N is factored where the step begins, then where it ends */
  rattle__watch *watch;
  double ratio, largest_g, largest_psi, potential; /* where the iteration ended; |g(q1)|, |psi(z1)|, V(q1) */
  rattle__point point;                             /* where the last step ended, if has_G: J[0], B[0], Vq[0] and N are of there */
} condensed;

/* The sizes, for loops whose length is known to the compiler. */
typedef struct shape {
  int r, n, m, small; /* small: products with G are taken with all its entries, from D */
  int full;           /* W is not diagonal */
} shape;

/* The result of a step: made, left to the general iteration, or ended by a callback. */
typedef enum outcome { MADE, DOUBTFUL, ENDED } outcome;

static inline outcome ended(int answer, const char *what, rattle_error *error) {
  rattle__callback_error(answer, what, error);
  return ENDED;
}

static inline outcome constraint_at(condensed *k, int j, double *value, rattle_error *error) {
  const int answer = k->g->jacobian(k->g, k->Q[j], value, k->J[j], k->work);
  k->map.context->counts.constraint++;
  k->map.context->counts.jacobian++;
  for (int e = 0; e < k->rows.nnz && k->small; e++) k->D[j][k->place[e]] = k->J[j][e];
  return answer ? ended(answer, "constraint", error) : MADE;
}

static inline outcome force_at(condensed *k, int j, rattle_error *error) {
  const int answer = k->V->jacobian(k->V, k->Q[j], &k->potential, k->Vq[j], k->work);
  k->map.context->counts.gradient++;
  return answer ? ended(answer, "gradient", error) : MADE;
}

/* a (W x)_c */
RATTLE__INLINE double times_W(const condensed *k, const shape s, double a, int c, const double *x) {
  return s.full ? a * rattle__mass_row(k->W, c, x) : a * k->inverse_mass[c] * x[c];
}

/* x += G^T y at stage j */
RATTLE__INLINE void pull(const condensed *k, const shape s, int j, const double *restrict y, double *restrict x) {
  if (!s.small) {
    rattle__rows_subtract(&k->rows, -1, k->J[j], y, x);
    return;
  }
  const double *restrict D = k->D[j];
  for (int c = 0; c < s.n; c++) {
    double sum = 0;
    for (int l = 0; l < s.m; l++) sum += D[l * s.n + c] * y[l];
    x[c] += sum;
  }
}

/* y = G x at stage j */
RATTLE__INLINE void push(const condensed *k, const shape s, int j, const double *restrict x, double *restrict y) {
  if (!s.small) {
    rattle__rows_multiply(&k->rows, k->J[j], x, y);
    return;
  }
  const double *restrict D = k->D[j];
  for (int l = 0; l < s.m; l++) {
    y[l] = 0;
    for (int c = 0; c < s.n; c++) y[l] += D[l * s.n + c] * x[c];
  }
}

/* G(Q_i) M^-1 G(Q_j)^T in the pattern of N; B_j = G(Q_j) M^-1 is known, of all entries where s.small */
RATTLE__INLINE void couple(const condensed *k, const shape s, int i, int j, double *restrict value) {
  if (!s.small) {
    rattle__coupling_assemble(k->coupling, k->J[i], k->B[j], value);
    return;
  }
  const double *restrict D = k->D[i], *restrict B = k->B[j];
  for (int l = 0; l < s.m; l++)
    for (int o = 0; o < s.m; o++) {
      double sum = 0;
      for (int c = 0; c < s.n; c++) sum += D[l * s.n + c] * B[o * s.n + c];
      value[l * s.m + o] = sum;
    }
}

RATTLE__INLINE void scale_columns(const condensed *k, const shape s, int j) {
  double *restrict B = k->B[j];
  if (!s.small) rattle__mass_scale(k->W, k->g, k->J[j], B);
  for (int l = 0; l < s.m && s.small; l++)
    for (int c = 0; c < s.n; c++) B[l * s.n + c] = times_W(k, s, 1, c, k->D[j] + l * s.n);
}

/* N at stage j; nonzero if it is singular */
RATTLE__INLINE int factor_N(condensed *k, const shape s, int j) {
  scale_columns(k, s, j);
  couple(k, s, j, j, k->N->value);
  k->map.context->counts.factorisation++;
  return k->N->factor(k->N);
}
#endif
