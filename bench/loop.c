/* Time per step of rattle(verlet) for four rods in a loop and for a rigid body as a rotation
 * matrix: the library against plain hand-written twins. rattle(midpoint) and rattle(gauss(2)) of the
 * loop, whose V is of degree 4, by themselves.
 *
 * loop         q = (x[4], y[4]), unit masses, V = Σ (x_i² + y_i²)²/4; rods r_i = q_{i+1} - q_i, g_i
 *              = |r_i|² - 1, G(Q) G(q)ᵀ = 4 (2 R_i·r_i on the diagonal, -R_i·r_j next to it)
 * rigid body   examples/rigid_body.lua: columns c_j of mass d_j, g_jk = c_j·c_k - δ_jk, no
 *              potential
 * twins        Newton to 1e-14 from λ = 0, the matrix factored at each iterate, by Gauss without a
 *              search for pivots */
#include "bench.h"

/* x = A^{-1} x, A [m x m] by rows */
static inline void solve(int m, double *A, double *x) {
  for (int k = 0; k < m; k++) {
    const double inverse = 1 / A[k * m + k];
    for (int i = k + 1; i < m; i++) {
      const double ratio = A[i * m + k] * inverse;
      for (int j = k + 1; j < m; j++) A[i * m + j] -= ratio * A[k * m + j];
      x[i] -= ratio * x[k];
    }
  }
  for (int i = m - 1; i >= 0; i--) {
    for (int j = i + 1; j < m; j++) x[i] -= A[i * m + j] * x[j];
    x[i] /= A[i * m + i];
  }
}

/* --- the loop --------------------------------------------------------------------------------- */

typedef struct rods {
  double x[4], y[4];
} rods;

static inline rods rods_of(const double *x, const double *y) {
  rods r;
  for (int i = 0; i < 4; i++) {
    r.x[i] = x[(i + 1) % 4] - x[i];
    r.y[i] = y[(i + 1) % 4] - y[i];
  }
  return r;
}

static inline void couple(const rods *R, const rods *r, double *A) {
  for (int i = 0; i < 4; i++) {
    const int next = (i + 1) % 4, last = (i + 3) % 4;
    A[4 * i + i] = 2 * (R->x[i] * r->x[i] + R->y[i] * r->y[i]);
    A[4 * i + next] = -(R->x[i] * r->x[next] + R->y[i] * r->y[next]);
    A[4 * i + last] = -(R->x[i] * r->x[last] + R->y[i] * r->y[last]);
    A[4 * i + (i + 2) % 4] = 0;
  }
}

/* (x, y) -= scale Σ s_i r_i, at both ends of each rod */
static inline void pull(double scale, const double *s, const rods *r, double *x, double *y) {
  for (int i = 0; i < 4; i++) {
    const int last = (i + 3) % 4;
    x[i] -= scale * (s[last] * r->x[last] - s[i] * r->x[i]);
    y[i] -= scale * (s[last] * r->y[last] - s[i] * r->y[i]);
  }
}

/* p -= c V_q */
static inline void force(double c, const double *q, double *p) {
  for (int i = 0; i < 4; i++) {
    const double size = c * (q[i] * q[i] + q[4 + i] * q[4 + i]);
    p[i] -= size * q[i];
    p[4 + i] -= size * q[4 + i];
  }
}

static int loop_step(double h, double *q, double *p) {
  double Q[8], A[16], s[4] = {0}, delta[4];
  const rods r = rods_of(q, q + 4);
  force(h / 2, q, p);
  for (int i = 0; i < 8; i++) Q[i] = q[i] + h * p[i];
  for (int iteration = 0;; iteration++) {
    const rods R = rods_of(Q, Q + 4);
    double largest = 0;
    for (int i = 0; i < 4; i++) {
      const double g = R.x[i] * R.x[i] + R.y[i] * R.y[i] - 1;
      delta[i] = g / 2;
      largest = fabs(g) > largest ? fabs(g) : largest;
    }
    if (largest <= 1e-14) {
      pull(1 / h, s, &r, p, p + 4);
      force(h / 2, Q, p);
      for (int i = 0; i < 4; i++) {
        const int next = (i + 1) % 4;
        delta[i] = R.x[i] * (p[next] - p[i]) + R.y[i] * (p[4 + next] - p[4 + i]);
      }
      couple(&R, &R, A);
      solve(4, A, delta);
      pull(1, delta, &R, p, p + 4);
      memcpy(q, Q, sizeof Q);
      return 0;
    }
    if (iteration == 20) return 1;
    couple(&R, &r, A);
    solve(4, A, delta);
    pull(1, delta, &r, Q, Q + 4);
    for (int i = 0; i < 4; i++) s[i] += delta[i];
  }
}

/* --- the rigid body --------------------------------------------------------------------------- */

static const int one[6] = {0, 1, 1, 2, 2, 2},
                 other[6] = {0, 0, 1, 0, 1, 2}; /* the columns of each constraint */
static double inverse_mass[3];

/* coordinate i of column j */
static inline int at(int i, int j) {
  return 3 * i + j;
}

/* A = G(C) M^{-1} G(c)^T: column a of constraint k is moved by its other one, b */
static inline void couple_columns(const double *C, const double *c, double *A) {
  double D[9];
  for (int a = 0; a < 3; a++)
    for (int b = 0; b < 3; b++)
      D[3 * a + b] =
          C[at(0, a)] * c[at(0, b)] + C[at(1, a)] * c[at(1, b)] + C[at(2, a)] * c[at(2, b)];
  for (int k = 0; k < 6; k++)
    for (int l = 0; l < 6; l++) {
      double sum = 0;
      for (int end = 0; end < 4; end++) {
        const int a = end & 1 ? one[k] : other[k], b = end & 1 ? other[k] : one[k];
        const int e = end & 2 ? one[l] : other[l], f = end & 2 ? other[l] : one[l];
        if (a == e) sum += inverse_mass[a] * D[3 * b + f];
      }
      A[6 * k + l] = sum;
    }
}

/* z -= scale G^T s, divided by the masses where `weighted` */
static inline void push(double scale, int weighted, const double *s, const double *c, double *z) {
  for (int k = 0; k < 6; k++)
    for (int i = 0; i < 3; i++) {
      const double a = scale * s[k] * c[at(i, other[k])], b = scale * s[k] * c[at(i, one[k])];
      z[at(i, one[k])] -= weighted ? inverse_mass[one[k]] * a : a;
      z[at(i, other[k])] -= weighted ? inverse_mass[other[k]] * b : b;
    }
}

static int body_step(double h, double *q, double *p) {
  double Q[9], A[36], s[6] = {0}, delta[6];
  for (int i = 0; i < 9; i++) Q[i] = q[i] + h * inverse_mass[i % 3] * p[i];
  for (int iteration = 0;; iteration++) {
    double largest = 0;
    for (int k = 0; k < 6; k++) {
      double g = -(one[k] == other[k]);
      for (int i = 0; i < 3; i++) g += Q[at(i, one[k])] * Q[at(i, other[k])];
      delta[k] = g;
      largest = fabs(g) > largest ? fabs(g) : largest;
    }
    if (largest <= 1e-14) break;
    if (iteration == 20) return 1;
    couple_columns(Q, q, A);
    solve(6, A, delta);
    push(1, 1, delta, q, Q);
    for (int k = 0; k < 6; k++) s[k] += delta[k];
  }
  push(1 / h, 0, s, q, p);
  for (int k = 0; k < 6; k++) {
    delta[k] = 0;
    for (int i = 0; i < 3; i++)
      delta[k] += Q[at(i, other[k])] * inverse_mass[one[k]] * p[at(i, one[k])] +
                  Q[at(i, one[k])] * inverse_mass[other[k]] * p[at(i, other[k])];
  }
  couple_columns(Q, Q, A);
  solve(6, A, delta);
  push(1, 0, delta, Q, p);
  memcpy(q, Q, sizeof Q);
  return 0;
}

/* The same with all that is known of the model: columns r_j of R, their velocities, e_j = 1/d_j. New
 * columns are f_j - e_j sum L_jk r_k, f = r + h v, L symmetric, and their products
 *
 *     f_j.f_k - e_j (L C)_jk - e_k (L C)_kj + e_j e_k (L L)_jk,   C_jk = r_j.f_k = d_jk + h r_j.v_k,
 *
 * are to be d_jk: L += (e_j + e_k)^-1 F loses a factor h |C - 1| a turn. */
typedef double matrix[3][3];

static inline double dot(const double *a, const double *b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* The symmetric L for these products of f; rates: r_j.v_k h, j < k, with the other sign below. */
static int find_forces(matrix square, matrix rates, const double *e, matrix half, matrix L) {
  double previous = HUGE_VAL;
  for (int j = 0; j < 3; j++)
    for (int k = 0; k < 3; k++) L[j][k] = square[j][k] * half[j][k];
  for (int turn = 0; turn < 60; turn++) {
    matrix LC, F;
    double worst = 0;
    for (int j = 0; j < 3; j++)
      for (int k = 0; k < 3; k++) {
        LC[j][k] = L[j][k];
        for (int l = 0; l < 3; l++)
          if (l != k) LC[j][k] += L[j][l] * rates[l][k];
      }
    for (int j = 0; j < 3; j++)
      for (int k = j; k < 3; k++) {
        F[j][k] = F[k][j] =
            square[j][k] - e[j] * LC[j][k] - e[k] * LC[k][j] + e[j] * e[k] * dot(L[j], L[k]);
        worst = fmax(worst, fabs(F[j][k]));
      }
    if (worst <= 1e-15 || (turn >= 2 && worst <= 1e-13 && worst > 0.5 * previous)) return 0;
    previous = worst;
    for (int j = 0; j < 3; j++)
      for (int k = 0; k < 3; k++) L[j][k] += F[j][k] * half[j][k];
  }
  return 1;
}

/* self is not read. */
static int body_tight(void *self, double h, long long steps, double *q, double *p) {
  const double *e = inverse_mass, inverse_h = 1 / h;
  matrix r, v, half, rates = {{0}};
  (void)self;
  for (int j = 0; j < 3; j++)
    for (int i = 0; i < 3; i++) {
      r[j][i] = q[at(i, j)], v[j][i] = p[at(i, j)] * e[j];
      half[i][j] = 1 / (e[i] + e[j]);
    }
  for (int j = 0; j < 3; j++)
    for (int k = j + 1; k < 3; k++) rates[j][k] = h * dot(r[j], v[k]), rates[k][j] = -rates[j][k];
  for (long long step = 0; step < steps; step++) {
    matrix f, square, L, end, way, product;
    for (int j = 0; j < 3; j++)
      for (int i = 0; i < 3; i++) f[j][i] = r[j][i] + h * v[j][i];
    for (int j = 0; j < 3; j++)
      for (int k = 0; k < 3; k++) square[j][k] = dot(f[j], f[k]) - (j == k);
    if (find_forces(square, rates, e, half, L)) return 1;
    for (int j = 0; j < 3; j++)
      for (int i = 0; i < 3; i++) {
        const double y = e[j] * (L[j][0] * r[0][i] + L[j][1] * r[1][i] + L[j][2] * r[2][i]);
        end[j][i] = f[j][i] - y, way[j][i] = v[j][i] - inverse_h * y;
      }
    /* psi: products of ends and velocities are to be antisymmetric */
    for (int j = 0; j < 3; j++)
      for (int k = 0; k < 3; k++) product[j][k] = dot(end[j], way[k]);
    for (int j = 0; j < 3; j++)
      for (int k = 0; k < 3; k++) L[j][k] = (product[j][k] + product[k][j]) * half[j][k];
    for (int j = 0; j < 3; j++)
      for (int i = 0; i < 3; i++)
        v[j][i] =
            way[j][i] - e[j] * (L[j][0] * end[0][i] + L[j][1] * end[1][i] + L[j][2] * end[2][i]);
    for (int j = 0; j < 3; j++)
      for (int k = j + 1; k < 3; k++)
        rates[j][k] = h * (product[j][k] - e[k] * L[j][k]), rates[k][j] = -rates[j][k];
    memcpy(r, end, sizeof r);
  }
  for (int j = 0; j < 3; j++)
    for (int i = 0; i < 3; i++) q[at(i, j)] = r[j][i], p[at(i, j)] = v[j][i] / e[j];
  return 0;
}

/* --- the comparison --------------------------------------------------------------------------- */

static int advance(void *self, double h, long long steps, double *q, double *p) {
  int (*step)(double, double *, double *) = *(int (**)(double, double *, double *))self;
  for (long long k = 0; k < steps; k++) {
    if (step(h, q, p)) return 1;
  }
  return 0;
}

/* tight: NULL, or a twin that knows more */
static void compare(const char *name, const char *file, int (*step)(double, double *, double *),
                    int (*tight)(void *, double, long long, double *, double *), double h) {
  rattle_error error;
  double q[9], p[9];
  bench_library native = bench_open(file, NULL, 0, "rattle(verlet)", RATTLE_EVALUATOR_NATIVE);
  bench_library block = bench_open(file, NULL, 0, "rattle(verlet)", RATTLE_EVALUATOR_BLOCK);
  bench_case cases[] = {{.name = "twin, plain", .advance = advance, .self = &step},
                        {.name = "library, native", .advance = bench_advance, .self = &native},
                        {.name = "library, block", .advance = bench_advance, .self = &block},
                        {.name = "twin, tight", .advance = tight}};
  bench_check(rattle_problem_start(native.problem, 0, q, p, NULL, &error), &error);
  bench_compare(name, 1, cases, tight ? 4 : 3, h, 4000, native.n, q, p, 1e-6);
  bench_close(&native);
  bench_close(&block);
}

/* Stages and multipliers: 12 unknowns of midpoint, 20 of gauss(2). */
static void compare_evaluators(const char *name, const char *method) {
  rattle_error error;
  double q[8], p[8];
  bench_library native = bench_open("loop.lua", NULL, 0, method, RATTLE_EVALUATOR_NATIVE);
  bench_library block = bench_open("loop.lua", NULL, 0, method, RATTLE_EVALUATOR_BLOCK);
  bench_case cases[] = {{.name = "library, native", .advance = bench_advance, .self = &native},
                        {.name = "library, block", .advance = bench_advance, .self = &block}};
  bench_check(rattle_problem_start(native.problem, 0, q, p, NULL, &error), &error);
  bench_compare(name, 1, cases, 2, 0.01, 500, native.n, q, p, 1e-6);
  bench_close(&native);
  bench_close(&block);
}

int main(void) {
  const double size[3] = {0.24, 0.16, 0.04};
  for (int j = 0; j < 3; j++) inverse_mass[j] = 1 / (0.9 * size[j] * size[j] / 12);
  compare("loop of four rods", "loop.lua", loop_step, NULL, 0.01);
  compare_evaluators("loop, midpoint", "rattle(midpoint)");
  compare_evaluators("loop, gauss(2)", "rattle(gauss(2))");
  compare("rigid body", "../examples/rigid_body.lua", body_step, body_tight, 0.001);
  return 0;
}
