/* Time per step and link of rattle(verlet) for the comb of comb.lua, with teeth of 1, 3 and 9 links
 * and 4000 links in all: the library against a hand-written twin, which uses that eliminating the
 * links of a tree from its leaves on leaves no other entries (decision 022).
 *
 *     link i hangs from link a_i < i (0: from the fixed node), s_i is the link before it that does
 *     too;  r_i = q_i - q_{a_i}, g_i = |r_i|² - 1
 *     G(Q) G(q)ᵀ = 4 A,  A_ii = 2 R_i·r_i (R_i·r_i where a_i = 0),  A_ij = -R_i·r_j for j = a_i and
 *     i = a_j,  R_i·r_j for j = s_i and i = s_j
 *
 * plain: Newton from the multiplier of the continuous problem, the matrix factored anew each
 * time. */
#include "bench.h"

#define TOLERANCE 1e-13

enum { LINKS = 4000, STEPS = 200 };

/* Links 1 .. LINKS; those that are not there are 0. */
typedef struct comb {
  int above[LINKS + 1], sibling[LINKS + 1];
  double r[2][LINKS + 1], R[2][LINKS + 1], Q[2][LINKS + 1]; /* links at q and at Q, and Q */
  double lambda[LINKS + 1], delta[LINKS + 1];
  double pivot[LINKS + 1], next[2][LINKS + 1],
      twice[2][LINKS + 1]; /* A_ii, (A_ij, A_ji) for j = a_i, and for j = s_i */
} comb;

static void shape(comb *c, int teeth) {
  memset(c, 0, sizeof *c);
  for (int i = 1; i <= LINKS; i++) {
    const int back = (i - 1) % (teeth + 1) == 0;
    c->above[i] = !back ? i - 1 : i == 1 ? 0 : i - (teeth + 1);
    c->sibling[i] = back && i > 1 ? c->above[i] + 1 : 0;
  }
}

/* of nodes whose first is 1 */
static void links(const comb *c, const double *x, double *r) {
  for (int i = 1; i <= LINKS; i++) r[i] = x[i] - (c->above[i] ? x[c->above[i]] : 0);
}

static inline double product(double (*R)[LINKS + 1], int i, double (*r)[LINKS + 1], int j) {
  return R[0][i] * r[0][j] + R[1][i] * r[1][j];
}

/* b = A^{-1} b of R and r */
static void solve(comb *c, double (*R)[LINKS + 1], double (*r)[LINKS + 1], double *b) {
  for (int i = 1; i <= LINKS; i++) {
    const int a = c->above[i], s = c->sibling[i];
    c->pivot[i] = (a ? 2 : 1) * product(R, i, r, i);
    if (a) c->next[0][i] = -product(R, i, r, a), c->next[1][i] = -product(R, a, r, i);
    if (s) c->twice[0][i] = product(R, i, r, s), c->twice[1][i] = product(R, s, r, i);
  }
  for (int i = LINKS; i >= 1; i--) {
    const int a = c->above[i], s = c->sibling[i];
    const double inverse = 1 / c->pivot[i];
    b[i] *= inverse;
    if (a) {
      c->next[0][i] *= inverse;
      c->pivot[a] -= c->next[1][i] * c->next[0][i];
      b[a] -= c->next[1][i] * b[i];
    }
    if (s) { /* a_s is a_i */
      c->twice[0][i] *= inverse;
      c->pivot[s] -= c->twice[1][i] * c->twice[0][i];
      c->next[0][s] -= c->twice[1][i] * c->next[0][i];
      c->next[1][s] -= c->next[1][i] * c->twice[0][i];
      b[s] -= c->twice[1][i] * b[i];
    }
  }
  for (int i = 1; i <= LINKS; i++) {
    if (c->above[i]) b[i] -= c->next[0][i] * b[c->above[i]];
    if (c->sibling[i]) b[i] -= c->twice[0][i] * b[c->sibling[i]];
  }
}

/* x -= scale Gᵀ λ / 2 of one axis */
static void pull(const comb *c, double scale, const double *lambda, const double *r, double *x) {
  for (int i = 1; i <= LINKS; i++) {
    const double pulled = scale * lambda[i] * r[i];
    x[i] -= pulled;
    if (c->above[i]) x[c->above[i]] += pulled;
  }
}

static int step(comb *c, double h, double *q, double *p) {
  double *const x[2] = {q - 1, q - 1 + LINKS}, *const px[2] = {p - 1, p - 1 + LINKS}, *f = c->delta;
  for (int d = 0; d < 2; d++) links(c, x[d], c->r[d]);
  for (int d = 0; d < 2; d++) links(c, px[d], c->R[d]);
  for (int i = 1; i <= LINKS;
       i++) /* G Gᵀ λ = G_qq(p,p) - G V_q, and V_q is the same for all nodes that move */
    c->lambda[i] = (product(c->R, i, c->R, i) - (c->above[i] ? 0 : c->r[1][i] / LINKS)) / 2;
  solve(c, c->r, c->r, c->lambda);
  for (int i = 1; i <= LINKS; i++) px[1][i] -= h / 2 / LINKS;
  for (int d = 0; d < 2; d++) {
    for (int i = 1; i <= LINKS; i++) c->Q[d][i] = x[d][i] + h * px[d][i];
    pull(c, h * h, c->lambda, c->r[d], c->Q[d]);
  }
  for (int iteration = 0;; iteration++) {
    double largest = 0;
    for (int d = 0; d < 2; d++) links(c, c->Q[d], c->R[d]);
    for (int i = 1; i <= LINKS; i++) {
      const double g = product(c->R, i, c->R, i) - 1;
      f[i] = g / 2;
      largest = fabs(g) > largest ? fabs(g) : largest;
    }
    if (largest <= TOLERANCE) break;
    if (iteration == 20 || !(largest < 1)) return 1;
    solve(c, c->R, c->r, f);
    for (int d = 0; d < 2; d++) pull(c, 1, f, c->r[d], c->Q[d]);
    for (int i = 1; i <= LINKS; i++) c->lambda[i] += f[i] / (h * h);
  }
  for (int d = 0; d < 2; d++) pull(c, h, c->lambda, c->r[d], px[d]);
  for (int i = 1; i <= LINKS; i++) px[1][i] -= h / 2 / LINKS;
  for (int d = 0; d < 2; d++) links(c, px[d], c->r[d]);
  for (int i = 1; i <= LINKS; i++) f[i] = product(c->R, i, c->r, i);
  solve(c, c->R, c->R, f);
  for (int d = 0; d < 2; d++) {
    pull(c, 1, f, c->R[d], px[d]);
    memcpy(x[d] + 1, c->Q[d] + 1, sizeof *q * LINKS);
  }
  return 0;
}

static int advance(void *self, double h, long long steps, double *q, double *p) {
  for (long long k = 0; k < steps; k++)
    if (step(self, h, q, p)) return 1;
  return 0;
}

static void compare(int teeth) {
  static comb plain;
  const rattle_parameter given[] = {{"N", LINKS / (teeth + 1)}, {"T", teeth}};
  bench_library native =
      bench_open_with("comb.lua", given, 2, "rattle(verlet)", RATTLE_EVALUATOR_NATIVE);
  bench_library block =
      bench_open_with("comb.lua", given, 2, "rattle(verlet)", RATTLE_EVALUATOR_BLOCK);
  shape(&plain, teeth);
  bench_case cases[] = {{.name = "twin, plain", .advance = advance, .self = &plain},
                        {.name = "library, native", .advance = bench_advance, .self = &native},
                        {.name = "library, block", .advance = bench_advance, .self = &block}};
  char name[32];
  double *z = malloc(2 * (size_t)native.n * sizeof *z);
  rattle_error error;
  if (!z) exit(1);
  bench_check(rattle_problem_start(native.problem, 0, z, z + native.n, NULL, &error), &error);
  snprintf(name, sizeof name, "comb, teeth of %d", teeth);
  bench_compare(name, LINKS, cases, 3, 1e-3, STEPS, native.n, z, z + native.n, 1e-9);
  free(z);
  bench_close(&native);
  bench_close(&block);
}

int main(void) {
  for (int teeth = 1; teeth <= 9; teeth += teeth == 1 ? 2 : 6) compare(teeth);
  return 0;
}
