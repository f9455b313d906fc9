/* Time per step of rattle(verlet), and of rattle(midpoint) for the chain, for rigid bodies in space
 * joined by balls: a heavy top, and a chain of 50 bodies; the library against a plain hand-written
 * twin.
 *
 * coordinates  of each body its centre x and the columns c_j of its rotation matrix; masses m of x
 *              and d_j of c_j, V = Σ m g z
 * constraints  joint i: x_i + R_i a - x_{i-1} - R_{i-1} b = 0 (the ground for i = 0), and c_j·c_k -
 *              δ_jk = 0: nine for each body
 * midpoint     its force is constant, so that both maps are the same, and so is the plain twin,
 *              which knows that no equation is implicit but those of λ
 * any V        a twin of midpoint that solves for its stages too, Q = q + h/2 M^-1 P and P = p+ -
 *              h/2 V'(Q), with V'' a full block for each body: it does not know that here V'' is 0.
 *              Of each body it eliminates Q by hand and P by Gauss; its momenta are those of the
 *              plain twin
 * twin         Newton to 1e-14 of the length of the chain from λ = 0, the matrix factored at each
 *              iterate: by Gauss inside its band of 11, without a search for pivots */
#include "bench.h"

enum {
  MOST = 50,
  BAND = 11,
  WIDTH = 2 * BAND + 1,
  ROWS = 9,
  SIZE = 12,
  NEAR = ROWS + 3 /* constraints on a body, those of the next joint included */
};

static const int one[6] = {0, 1, 1, 2, 2, 2},
                 other[6] = {0, 0, 1, 0, 1, 2}; /* the columns of each inner constraint */

typedef struct chain {
  int bodies;
  double mass, gravity, d[3], a[3],
      b[3]; /* d: masses of the columns; a, b: the points of a body that are joined to the last
               and the next one */
  double A[ROWS * MOST][WIDTH], s[ROWS * MOST], delta[ROWS * MOST], Q[SIZE * MOST];
  void (*potential)(const double *q, double *slope,
                    double (*curvature)[SIZE]); /* V' and, if not NULL, V'' of a body */
  double P[SIZE * MOST], rest[SIZE * MOST],
      move[SIZE * MOST];                      /* stages, and residuals of P and Q */
  double r[SIZE * MOST], Y[MOST][SIZE][NEAR]; /* of the elimination */
} chain;

/* Entry (i, j) of the matrix. */
static inline double *at(chain *c, int i, int j) {
  return &c->A[i][j - i + BAND];
}

/* x = A^{-1} x in place; A becomes its factors */
static inline void solve(chain *c, double *x) {
  const int m = ROWS * c->bodies;
  for (int k = 0; k < m; k++) {
    const int end = k + BAND < m ? k + BAND : m - 1;
    const double inverse = 1 / *at(c, k, k);
    for (int i = k + 1; i <= end; i++) {
      const double ratio = *at(c, i, k) * inverse;
      if (ratio == 0) continue;
      for (int j = k + 1; j <= end; j++) *at(c, i, j) -= ratio * *at(c, k, j);
      x[i] -= ratio * x[k];
    }
  }
  for (int i = m - 1; i >= 0; i--) {
    const int end = i + BAND < m ? i + BAND : m - 1;
    for (int j = i + 1; j <= end; j++) x[i] -= *at(c, i, j) * x[j];
    x[i] /= *at(c, i, i);
  }
}

static inline double dot(const double *x, const double *y) {
  return x[0] * y[0] + x[1] * y[1] + x[2] * y[2];
}

static inline const double *column(const double *q, int body, int j) {
  return q + SIZE * body + 3 + 3 * j;
}

/* The product of the gradients of joint `row` at the point r of a body and of its inner constraint
 * k, at columns of q; component i. */
static inline double across(const chain *c, const double *r, const double *q, int body, int k,
                            int i) {
  return r[one[k]] / c->d[one[k]] * column(q, body, other[k])[i] +
         r[other[k]] / c->d[other[k]] * column(q, body, one[k])[i];
}

/* A = G(Q) M^{-1} G(q)^T */
static void couple(chain *c, const double *Q, const double *q) {
  double aa = 1 / c->mass, bb = aa, ab = aa;
  for (int j = 0; j < 3; j++) {
    aa += c->a[j] * c->a[j] / c->d[j];
    bb += c->b[j] * c->b[j] / c->d[j];
    ab += c->a[j] * c->b[j] / c->d[j];
  }
  memset(c->A, 0, sizeof(double) * (size_t)(ROWS * c->bodies * WIDTH));
  for (int body = 0; body < c->bodies; body++) {
    const int joint = ROWS * body, inner = joint + 3;
    for (int i = 0; i < 3; i++) {
      *at(c, joint + i, joint + i) = aa + (body ? bb : 0);
      if (body) *at(c, joint + i, joint - ROWS + i) = *at(c, joint - ROWS + i, joint + i) = -ab;
      for (int k = 0; k < 6; k++) {
        *at(c, joint + i, inner + k) = across(c, c->a, q, body, k, i);
        *at(c, inner + k, joint + i) = across(c, c->a, Q, body, k, i);
        if (!body) continue;
        *at(c, joint + i, inner - ROWS + k) = -across(c, c->b, q, body - 1, k, i);
        *at(c, inner - ROWS + k, joint + i) = -across(c, c->b, Q, body - 1, k, i);
      }
    }
    double D[3][3];
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) D[i][j] = dot(column(Q, body, i), column(q, body, j));
    for (int k = 0; k < 6; k++)
      for (int l = 0; l < 6; l++) {
        double sum = 0;
        if (one[k] == one[l]) sum += D[other[k]][other[l]] / c->d[one[k]];
        if (one[k] == other[l]) sum += D[other[k]][one[l]] / c->d[one[k]];
        if (other[k] == one[l]) sum += D[one[k]][other[l]] / c->d[other[k]];
        if (other[k] == other[l]) sum += D[one[k]][one[l]] / c->d[other[k]];
        *at(c, inner + k, inner + l) = sum;
      }
  }
}

/* The point r of a body, or what moves it. */
static inline double point(const double *q, int body, const double *r, int i) {
  return q[SIZE * body + i] + r[0] * column(q, body, 0)[i] + r[1] * column(q, body, 1)[i] +
         r[2] * column(q, body, 2)[i];
}

/* g(Q) into delta; its largest entry */
static double residuals(chain *c, const double *Q) {
  double largest = 0;
  for (int body = 0; body < c->bodies; body++) {
    double *g = c->delta + ROWS * body;
    for (int i = 0; i < 3; i++)
      g[i] = point(Q, body, c->a, i) - (body ? point(Q, body - 1, c->b, i) : 0);
    for (int k = 0; k < 6; k++)
      g[3 + k] = dot(column(Q, body, one[k]), column(Q, body, other[k])) - (one[k] == other[k]);
    for (int k = 0; k < ROWS; k++) largest = fabs(g[k]) > largest ? fabs(g[k]) : largest;
  }
  return largest;
}

/* G(Q) M^{-1} p into delta */
static void hidden(chain *c, const double *Q, double *p) {
  const double ma[3] = {c->a[0] / c->d[0], c->a[1] / c->d[1], c->a[2] / c->d[2]};
  const double mb[3] = {c->b[0] / c->d[0], c->b[1] / c->d[1], c->b[2] / c->d[2]};
  for (int body = 0; body < c->bodies; body++) {
    double *psi = c->delta + ROWS * body;
    for (int i = 0; i < 3; i++) {
      psi[i] = p[SIZE * body + i] / c->mass;
      for (int j = 0; j < 3; j++) psi[i] += ma[j] * column(p, body, j)[i];
      if (body) psi[i] -= p[SIZE * (body - 1) + i] / c->mass;
      for (int j = 0; j < 3 && body; j++) psi[i] -= mb[j] * column(p, body - 1, j)[i];
    }
    for (int k = 0; k < 6; k++)
      psi[3 + k] = dot(column(Q, body, one[k]), column(p, body, other[k])) / c->d[other[k]] +
                   dot(column(Q, body, other[k]), column(p, body, one[k])) / c->d[one[k]];
  }
}

/* z -= scale G(q)^T s, divided by the masses where `weighted` */
static void push(const chain *c, double scale, int weighted, const double *s, const double *q,
                 double *z) {
  for (int body = 0; body < c->bodies; body++) {
    const double *own = s + ROWS * body, *next = body + 1 < c->bodies ? own + ROWS : NULL;
    double *x = z + SIZE * body;
    for (int i = 0; i < 3; i++) {
      const double back = scale * own[i], ahead = next ? scale * next[i] : 0;
      x[i] -= (back - ahead) / (weighted ? c->mass : 1);
      for (int j = 0; j < 3; j++)
        x[3 + 3 * j + i] -= (c->a[j] * back - c->b[j] * ahead) / (weighted ? c->d[j] : 1);
    }
    for (int k = 0; k < 6; k++)
      for (int i = 0; i < 3; i++) {
        const double by = scale * own[3 + k];
        x[3 + 3 * one[k] + i] -= by * column(q, body, other[k])[i] / (weighted ? c->d[one[k]] : 1);
        x[3 + 3 * other[k] + i] -=
            by * column(q, body, one[k])[i] / (weighted ? c->d[other[k]] : 1);
      }
  }
}

/* Momenta onto G(Q) M^-1 p = 0 */
static void project(chain *c, const double *Q, double *p) {
  hidden(c, Q, p);
  couple(c, Q, Q);
  solve(c, c->delta);
  push(c, 1, 0, c->delta, Q, p);
}

static int step(chain *c, double h, double *q, double *p) {
  const int m = ROWS * c->bodies;
  double *Q = c->Q;
  memset(c->s, 0, sizeof(double) * (size_t)m);
  for (int body = 0; body < c->bodies; body++) {
    p[SIZE * body + 2] -= h / 2 * c->mass * c->gravity;
    for (int i = 0; i < SIZE; i++)
      Q[SIZE * body + i] =
          q[SIZE * body + i] + h * p[SIZE * body + i] / (i < 3 ? c->mass : c->d[i / 3 - 1]);
  }
  for (int iteration = 0; residuals(c, Q) > 1e-14 * c->bodies; iteration++) {
    if (iteration == 20) return 1;
    couple(c, Q, q);
    solve(c, c->delta);
    push(c, 1, 1, c->delta, q, Q);
    for (int k = 0; k < m; k++) c->s[k] += c->delta[k];
  }
  push(c, 1 / h, 0, c->s, q, p);
  for (int body = 0; body < c->bodies; body++) p[SIZE * body + 2] -= h / 2 * c->mass * c->gravity;
  project(c, Q, p);
  memcpy(q, Q, sizeof(double) * (size_t)(SIZE * c->bodies));
  return 0;
}

/* --- the twin for any V ----------------------------------------------------------------------- */

static void weight(const double *q, double *slope, double (*curvature)[SIZE]) {
  (void)q;
  memset(slope, 0, sizeof(double) * SIZE);
  if (curvature) memset(curvature, 0, sizeof(double) * SIZE * SIZE);
  slope[2] = 1;
}

static inline double inverse_mass(const chain *c, int i) {
  return 1 / (i < 3 ? c->mass : c->d[i / 3 - 1]);
}

/* The columns of G(q) of a body, by rows: constraint ROWS body + k is row k. */
static void gradients(const chain *c, const double *q, int body, double G[NEAR][SIZE]) {
  memset(G, 0, sizeof(double) * NEAR * SIZE);
  for (int i = 0; i < 3; i++) {
    G[i][i] = 1;
    G[ROWS + i][i] = -1;
    for (int j = 0; j < 3; j++) {
      G[i][3 + 3 * j + i] = c->a[j];
      G[ROWS + i][3 + 3 * j + i] = -c->b[j];
    }
  }
  for (int k = 0; k < 6; k++)
    for (int i = 0; i < 3; i++) {
      G[3 + k][3 + 3 * one[k] + i] += column(q, body, other[k])[i];
      G[3 + k][3 + 3 * other[k] + i] += column(q, body, one[k])[i];
    }
}

/* Y = K^{-1} Y in place; K becomes its factors. No search for pivots: K is near 1. */
static void divide(double K[SIZE][SIZE], double Y[SIZE][NEAR + 1]) {
  for (int k = 0; k < SIZE; k++) {
    const double inverse = 1 / K[k][k];
    for (int i = k + 1; i < SIZE; i++) {
      const double ratio = K[i][k] * inverse;
      for (int j = k + 1; j < SIZE; j++) K[i][j] -= ratio * K[k][j];
      for (int j = 0; j <= NEAR; j++) Y[i][j] -= ratio * Y[k][j];
    }
  }
  for (int i = SIZE - 1; i >= 0; i--) {
    for (int k = i + 1; k < SIZE; k++)
      for (int j = 0; j <= NEAR; j++) Y[i][j] -= K[i][k] * Y[k][j];
    for (int j = 0; j <= NEAR; j++) Y[i][j] /= K[i][i];
  }
}

/* The residuals of all stages into rest and move; the largest. */
static double stage_residuals(chain *c, double h, const double *q, const double *p) {
  double slope[SIZE], G[NEAR][SIZE], largest = 0;
  for (int body = 0; body < c->bodies; body++) {
    const double *Q = c->Q + SIZE * body, *P = c->P + SIZE * body;
    const int near = body + 1 < c->bodies ? NEAR : ROWS;
    c->potential(Q, slope, NULL);
    gradients(c, q, body, G);
    for (int i = 0; i < SIZE; i++) {
      double kick = h / 2 * slope[i];
      for (int k = 0; k < near; k++) kick += G[k][i] * c->s[ROWS * body + k] / h;
      const double rest = P[i] - p[SIZE * body + i] + kick,
                   move = Q[i] - q[SIZE * body + i] - h / 2 * inverse_mass(c, i) * P[i];
      largest = fmax(largest, fmax(fabs(rest), fabs(move)));
      c->rest[SIZE * body + i] = rest;
      c->move[SIZE * body + i] = move;
    }
  }
  return largest;
}

/* Q of a body eliminated: r = K^{-1} (h/2 V'' move - rest) and Y = K^{-1} G(q)^T, K = 1 + h^2/4 V''
 * M^{-1}. */
static void eliminate(chain *c, double h, const double *q, int body) {
  double slope[SIZE], V[SIZE][SIZE], K[SIZE][SIZE], Y[SIZE][NEAR + 1], G[NEAR][SIZE];
  c->potential(c->Q + SIZE * body, slope, V);
  gradients(c, q, body, G);
  for (int i = 0; i < SIZE; i++) {
    Y[i][NEAR] = -c->rest[SIZE * body + i];
    for (int j = 0; j < SIZE; j++) {
      Y[i][NEAR] += h / 2 * V[i][j] * c->move[SIZE * body + j];
      K[i][j] = (i == j) + h * h / 4 * V[i][j] * inverse_mass(c, j);
    }
    for (int k = 0; k < NEAR; k++) Y[i][k] = G[k][i];
  }
  divide(K, Y);
  for (int i = 0; i < SIZE; i++) {
    c->r[SIZE * body + i] = Y[i][NEAR];
    memcpy(c->Y[body][i], Y[i], sizeof c->Y[body][i]);
  }
}

/* A = G(q1) M^{-1} K^{-1} G(q)^T and delta = g(q1) + h G(q1) M^{-1} K^{-1} r */
static void couple_stages(chain *c, double h, const double *q1) {
  double G[NEAR][SIZE];
  memset(c->A, 0, sizeof(double) * (size_t)(ROWS * c->bodies * WIDTH));
  for (int body = 0; body < c->bodies; body++) {
    const int near = body + 1 < c->bodies ? NEAR : ROWS;
    gradients(c, q1, body, G);
    for (int k = 0; k < near; k++) {
      double row[NEAR] = {0}, rest = 0;
      for (int i = 0; i < SIZE; i++) {
        const double w = G[k][i] * inverse_mass(c, i);
        for (int l = 0; l < NEAR; l++) row[l] += w * c->Y[body][i][l];
        rest += w * c->r[SIZE * body + i];
      }
      for (int l = 0; l < near; l++) *at(c, ROWS * body + k, ROWS * body + l) += row[l];
      c->delta[ROWS * body + k] += h * rest;
    }
  }
}

/* Stages and s, from delta */
static void correct_stages(chain *c, double h, const double *q) {
  for (int body = 0; body < c->bodies; body++) {
    const int near = body + 1 < c->bodies ? NEAR : ROWS;
    for (int i = 0; i < SIZE; i++) {
      double *P = c->P + SIZE * body + i;
      *P += c->r[SIZE * body + i];
      for (int k = 0; k < near; k++) *P -= c->Y[body][i][k] * c->delta[ROWS * body + k] / h;
      c->Q[SIZE * body + i] = q[SIZE * body + i] + h / 2 * inverse_mass(c, i) * *P;
    }
  }
  for (int k = 0; k < ROWS * c->bodies; k++) c->s[k] += c->delta[k];
}

static int step_any(chain *c, double h, double *q, double *p) {
  static double q1[SIZE * MOST];
  double slope[SIZE];
  memset(c->s, 0, sizeof c->s);
  for (int k = 0; k < SIZE * c->bodies; k++) {
    if (k % SIZE == 0) c->potential(q + k, slope, NULL);
    c->P[k] = p[k] - h / 2 * slope[k % SIZE];
    c->Q[k] = q[k] + h / 2 * inverse_mass(c, k % SIZE) * p[k];
  }
  for (int iteration = 0;; iteration++) {
    for (int k = 0; k < SIZE * c->bodies; k++)
      q1[k] = q[k] + h * inverse_mass(c, k % SIZE) * c->P[k];
    if (fmax(stage_residuals(c, h, q, p), residuals(c, q1)) <= 1e-14 * c->bodies) break;
    if (iteration == 20) return 1;
    for (int body = 0; body < c->bodies; body++) eliminate(c, h, q, body);
    couple_stages(c, h, q1);
    solve(c, c->delta);
    correct_stages(c, h, q);
  }
  for (int k = 0; k < SIZE * c->bodies; k++) {
    if (k % SIZE == 0) c->potential(c->Q + k, slope, NULL);
    p[k] = c->P[k] - h / 2 * slope[k % SIZE];
  }
  project(c, q1, p);
  memcpy(q, q1, sizeof(double) * (size_t)(SIZE * c->bodies));
  return 0;
}

static int advance(void *self, double h, long long steps, double *q, double *p) {
  for (long long k = 0; k < steps; k++) {
    if (step(self, h, q, p)) return 1;
  }
  return 0;
}

static int advance_any(void *self, double h, long long steps, double *q, double *p) {
  for (long long k = 0; k < steps; k++) {
    if (step_any(self, h, q, p)) return 1;
  }
  return 0;
}

static void compare(const char *name, const char *file, const char *method, chain *c, double h,
                    long long steps) {
  static double q[SIZE * MOST], p[SIZE * MOST];
  rattle_error error;
  bench_library native = bench_open(file, NULL, 0, method, RATTLE_EVALUATOR_NATIVE);
  bench_library block = bench_open(file, NULL, 0, method, RATTLE_EVALUATOR_BLOCK);
  bench_case cases[] = {{.name = "twin, plain", .advance = advance, .self = c},
                        {.name = "library, native", .advance = bench_advance, .self = &native},
                        {.name = "library, block", .advance = bench_advance, .self = &block},
                        {.name = "twin, any V", .advance = advance_any, .self = c}};
  bench_check(rattle_problem_start(native.problem, 0, q, p, NULL, &error), &error);
  bench_compare(name, c->bodies, cases, c->potential ? 4 : 3, h, steps, native.n, q, p, 1e-6);
  bench_close(&native);
  bench_close(&block);
}

int main(void) {
  static chain top = {
      .bodies = 1, .mass = 1, .gravity = 9.81, .d = {0.0025, 0.0025, 0}, .a = {0, 0, -0.2}};
  static chain bodies = {.bodies = MOST,
                         .mass = 1,
                         .gravity = 1,
                         .d = {0.085, 0.015, 0.005},
                         .a = {-0.5, 0, 0},
                         .b = {0.5, 0, 0}};
  const double across_axis = (3 * 0.1 * 0.1 + 0.05 * 0.05) / 12, along = 0.1 * 0.1 / 2;
  top.d[2] = across_axis - along / 2;
  compare("heavy top", "../examples/top.lua", "rattle(verlet)", &top, 0.0005, 4000);
  compare("chain of bodies", "bodies.lua", "rattle(verlet)", &bodies, 0.002, 40);
  bodies.potential = weight;
  compare("chain, midpoint", "bodies.lua", "rattle(midpoint)", &bodies, 0.002, 40);
  return 0;
}
