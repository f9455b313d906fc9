/* Attacks on proofs of steps along the fibres of constraints g(q, p): ends of steps by Newton's
 * iteration from anywhere, which may be other roots of the equations, judged by a continuation in
 * long double in multipliers and stages together, with the flows along fibres as series of
 * exponentials. No other root is ever certified, and the right one is within its radius. With a
 * number as argument, so many starts of each kind are attacked, of those from the second argument
 * on. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../one_in.h"
#include "constraint/guard/prover_fibre.h"
#include "drawn.h"
#include "rattle/rattle.h"

enum { N = 3, Z = 2 * N, STAGES = 2, BLOCKS = 2, MOST = Z * STAGES + 2 * BLOCKS };
typedef long double real;
static int attacks = 4 / TESTS_ONE_IN, first_kind = 0;

/* --- problems --------------------------------------------------------------------------------- */

/* H = sum_a p_a^2/(2 m_a) + stiff_a (q_a - place_a)^2/2 + wave cos(q_0 + q_1 p_2) + spin q_0 p_1
 * and g_i = z.S_i z/2 + c_i.z - level_i: one circle; circles that commute; lines, of a coordinate
 * without momentum; parabolas; hyperbolas */
enum { CIRCLE, TORUS, LINE, PARABOLA, HYPERBOLA, KINDS };

typedef struct problem {
  int kind, m, stages, lands;
  real a[STAGES][STAGES], ahat[STAGES][STAGES];
  double mass[N], stiff[N], place[N], wave, spin;
  double S[BLOCKS][Z][Z], c[BLOCKS][Z], level[BLOCKS], z[Z], h;
} problem;

/* (H_p, H_q) */
static void slopes(const problem *k, const real *z, real *X) {
  const real *q = z, *p = z + N, slope = -(real)k->wave * sinl(q[0] + q[1] * p[2]);
  for (int a = 0; a < N; a++) {
    X[a] = k->mass[a] > 0 ? p[a] / (real)k->mass[a] : 0;
    X[N + a] = (real)k->stiff[a] * (q[a] - k->place[a]);
  }
  X[N] += slope, X[N + 1] += slope * p[2], X[2] += slope * q[1];
  X[N] += (real)k->spin * p[1], X[1] += (real)k->spin * q[0];
}

static real g_at(const problem *k, int i, const real *z) {
  real sum = -(real)k->level[i];
  for (int a = 0; a < Z; a++) {
    sum += (real)k->c[i][a] * z[a];
    for (int b = 0; b < Z; b++) sum += (real)k->S[i][a][b] * z[a] * z[b] / 2;
  }
  return sum;
}

/* g_i' w */
static real along(const problem *k, int i, const real *z, const real *w) {
  real sum = 0;
  for (int a = 0; a < Z; a++) {
    sum += (real)k->c[i][a] * w[a];
    for (int b = 0; b < Z; b++) sum += (real)k->S[i][a][b] * z[b] * w[a];
  }
  return sum;
}

/* exp(sum s_i X_gi) z, by halves of the way until the series is short */
static void flow(const problem *k, const real *s, real *z) {
  int parts = 1;
  for (int i = 0; i < k->m; i++)
    while (fabsl(s[i]) * 2 > parts && parts < 1 << 12) parts *= 2;
  for (int part = 0; part < parts; part++) {
    real term[Z], sum[Z];
    memcpy(term, z, sizeof term), memcpy(sum, z, sizeof sum);
    real most = 1;
    for (int order = 1; order < 40 && most > 0; order++) {
      real X[Z] = {0};
      for (int i = 0; i < k->m; i++)
        for (int a = 0; a < Z; a++) {
          const int from = a < N ? a + N : a - N; /* X_g = (g_p, -g_q) */
          real slope = order == 1 ? (real)k->c[i][from] : 0;
          for (int b = 0; b < Z; b++) slope += (real)k->S[i][from][b] * term[b];
          X[a] += (a < N ? 1 : -1) * s[i] / parts * slope;
        }
      most = 0;
      for (int a = 0; a < Z; a++) {
        const real before = sum[a];
        term[a] = X[a] / order, sum[a] += term[a];
        if (sum[a] != before) most = 1;
      }
    }
    memcpy(z, sum, sizeof sum);
  }
}

static void psi_at(const problem *k, const real *z, real *psi) {
  real X[Z], w[Z];
  slopes(k, z, X);
  for (int a = 0; a < N; a++) w[a] = X[a], w[N + a] = -X[N + a];
  for (int i = 0; i < k->m; i++) psi[i] = along(k, i, z, w);
}

static int unknowns_of(const problem *k) {
  return Z * k->stages + (1 + k->lands) * k->m;
}

/* The end of u = (lambda, k_1, ..., sigma), and the residuals of the step t h; NULL: none. */
static void residual(const problem *k, real t, const real *u, real *end, real *F) {
  const real h = t * k->h, *slope = u + k->m;
  real plus[Z], w[Z] = {0}, at[Z];
  for (int a = 0; a < Z; a++) plus[a] = k->z[a];
  flow(k, u, plus);
  for (int j = 0; j < k->stages; j++) {
    real X[Z];
    memcpy(at, plus, sizeof at);
    for (int i = 0; i < k->stages; i++)
      for (int a = 0; a < Z; a++) {
        at[a] += h * (a < N ? k->a[j][i] : -k->ahat[j][i]) * slope[Z * i + a];
        if (j == 0) w[a] += (a < N ? 1 : -1) * slope[Z * i + a] / k->stages;
      }
    slopes(k, at, X);
    for (int a = 0; a < Z && F; a++) F[k->m + Z * j + a] = slope[Z * j + a] - X[a];
  }
  for (int a = 0; a < Z; a++) end[a] = plus[a] + h * w[a], at[a] = plus[a] + h * w[a] / 2;
  for (int i = 0; i < k->m && F; i++) {
    const real way = g_at(k, i, end) - g_at(k, i, plus);
    F[i] = fabsl(h) > 1e-4L ? way / h : along(k, i, at, w); /* short quotients have few digits */
  }
  if (!k->lands) return;
  flow(k, slope + Z * k->stages, end);
  if (F) psi_at(k, end, F + k->m + Z * k->stages);
}

static void write_text(const problem *k, char *text, size_t size) {
  static const char *const name[Z] = {"a", "b", "c", "pa", "pb", "pc"};
  size_t used = 0;
#define ADD(...) used += (size_t)snprintf(text + used, size - used, __VA_ARGS__)
  for (int a = 0; a < N; a++) ADD("local %s, p%s = pair('%s') ", name[a], name[a], name[a]);
  ADD("hamiltonian(%.17g*cos(a + b*pc) + %.17g*a*pb", k->wave, k->spin);
  for (int a = 0; a < N; a++) {
    if (k->mass[a] > 0) ADD(" + p%s^2/(2*%.17g)", name[a], k->mass[a]);
    ADD(" + %.17g*(%s - %.17g)^2/2", k->stiff[a], name[a], k->place[a]);
  }
  ADD(") ");
  for (int i = 0; i < k->m; i++) {
    ADD("constrain('g%d', -(%.17g)", i, k->level[i]);
    for (int a = 0; a < Z; a++) {
      if (k->c[i][a] != 0) ADD(" + %.17g*%s", k->c[i][a], name[a]);
      for (int b = 0; b < Z; b++)
        if (k->S[i][a][b] != 0) ADD(" + %.17g*%s*%s/2", k->S[i][a][b], name[a], name[b]);
    }
    ADD("%s) ", k->m > 1 ? ", { dirac = true }" : "");
  }
#undef ADD
  if (used >= size) fail_msg("the text of a problem is too long");
}

static void pair_up(problem *k, int i, int a, int b, double value) {
  k->S[i][a][b] += value;
  if (a != b) k->S[i][b][a] += value;
}

static void draw_constraints(problem *k) {
  const int kind = k->kind;
  const double size = exp(0.3 * normal());
  for (int a = 0; a < Z && (kind == CIRCLE || kind == TORUS); a++) pair_up(k, 0, a, a, size);
  if (kind == TORUS) pair_up(k, 1, 0, N + 1, 1), pair_up(k, 1, 1, N, -1); /* angular momentum */
  if (kind == LINE) k->c[0][N + 2] = size, k->c[0][0] = 0.2 * normal();
  if (kind == LINE) k->mass[2] = 0, k->stiff[2] += 4;
  if (kind == PARABOLA) k->c[0][N] = size, k->c[0][2] = 1, pair_up(k, 0, 0, 0, normal());
  if (kind == HYPERBOLA) pair_up(k, 0, 0, N, size), pair_up(k, 0, 1, N + 1, size);
  for (int i = 0; i < k->m; i++) {
    real z[Z];
    for (int a = 0; a < Z; a++) z[a] = k->z[a];
    k->level[i] = (double)g_at(k, i, z) + k->level[i];
  }
}

static void set_method(problem *k, const char *method) {
  const real root = sqrtl(3) / 6;
  memset(k, 0, sizeof *k);
  k->lands = !strncmp(method, "rattle", 6);
  k->stages = strstr(method, "gauss") ? 2 : 1;
  if (strstr(method, "midpoint")) k->a[0][0] = k->ahat[0][0] = 0.5L;
  if (strstr(method, "euler")) k->ahat[0][0] = 1;
  if (!strstr(method, "gauss")) return;
  k->a[0][0] = k->a[1][1] = 0.25L, k->a[0][1] = 0.25L - root, k->a[1][0] = 0.25L + root;
  memcpy(k->ahat, k->a, sizeof k->a);
}

static rattle__tableau tableau_of(const problem *k) {
  rattle__tableau by = {.stages = k->stages};
  for (int j = 0; j < k->stages; j++) {
    by.b[j] = 1.0 / k->stages;
    for (int i = 0; i < k->stages; i++)
      by.a[j][i] = (double)k->a[j][i], by.ahat[j][i] = (double)k->ahat[j][i];
  }
  return by;
}

/* --- the judge -------------------------------------------------------------------------------- */

static const real farthest = 50;
#include "attacks_newton.h"

static int continuation(const problem *k, real longest, real *u) {
  memset(u, 0, MOST * sizeof *u);
  real z[Z];
  for (int a = 0; a < Z; a++) z[a] = k->z[a];
  for (int j = 0; j < k->stages; j++) slopes(k, z, u + k->m + Z * j);
  return follow_curve(k, unknowns_of(k), longest, 1e-11L, u);
}

/* z on psi = 0, along its fibre; 0: not found. */
static int project(problem *k) {
  real s[BLOCKS] = {0}, z[Z], psi[BLOCKS];
  for (int round = 0; round < 40; round++) {
    real J[MOST][MOST], F[MOST], det, size = 0;
    for (int a = 0; a < Z; a++) z[a] = k->z[a];
    flow(k, s, z);
    psi_at(k, z, psi);
    for (int i = 0; i < k->m; i++) F[i] = psi[i];
    for (int j = 0; j < k->m; j++) {
      real at[Z], by[BLOCKS] = {0};
      memcpy(at, z, sizeof at);
      by[j] = 1e-7L;
      flow(k, by, at);
      psi_at(k, at, psi);
      for (int i = 0; i < k->m; i++) J[i][j] = (psi[i] - F[i]) / 1e-7L;
    }
    if (!solve(k->m, J, F, &det)) return 0;
    for (int i = 0; i < k->m; i++) s[i] -= F[i], size = fmaxl(size, fabsl(F[i]));
    if (!(size < 5)) return 0;
    if (size > 1e-12L) continue;
    for (int a = 0; a < Z; a++) k->z[a] = (double)z[a];
    return 1;
  }
  return 0;
}

static void draw_problem(problem *k, int kind) {
  const problem plain = *k;
  do {
    *k = plain;
    k->kind = kind, k->m = kind == TORUS ? 2 : 1;
    for (int a = 0; a < N; a++) {
      k->mass[a] = exp(0.5 * normal()), k->stiff[a] = exp(normal()), k->place[a] = normal();
      k->z[a] = normal(), k->z[N + a] = normal();
    }
    k->wave = 0.5 * normal(), k->spin = 0.5 * normal();
    draw_constraints(k);
    k->h = 0.02 * exp(3.5 * uniform()) * (uniform() < 0.2 ? -1 : 1);
  } while (!project(k));
}

/* --- attacks ---------------------------------------------------------------------------------- */

static real apart(const problem *k, const real *u, const double *z1, int count) {
  real end[Z], most = 0;
  residual(k, 1, u, end, NULL);
  for (int a = 0; a < count; a++)
    if (!(fabsl(end[a] - z1[a]) <= most)) most = fabsl(end[a] - z1[a]);
  return most;
}

static void try_candidate(scene *by, rattle__fibre_prover *prover, const problem *k,
                          const real *truth, int exists, int near, tally *t) {
  real u[MOST], end[Z], first, second, det;
  double z1[Z], radius = 0;
  const real spread = expl(normal());
  real z[Z];
  for (int a = 0; a < Z; a++) z[a] = k->z[a];
  for (int i = 0; i < unknowns_of(k); i++) u[i] = spread * normal();
  for (int j = 0; j < k->stages; j++) {
    real X[Z];
    slopes(k, z, X);
    for (int a = 0; a < Z; a++) u[k->m + Z * j + a] += X[a];
  }
  if (near) memcpy(u, truth, sizeof u);
  if (!newton(k, 1, u, &first, &second, &det)) return;
  residual(k, 1, u, end, NULL);
  for (int a = 0; a < Z; a++) z1[a] = (double)end[a];
  const rattle__map_ends ends = {k->h, k->z, k->z + N, z1, z1 + N, 0};
  const rattle__tracked found = rattle__fibre_prover_ask(prover, &ends, &radius);
  if (with_code) (void)check(by, k->h, k->z, k->z + N, z1);
  const int right = exists && apart(k, truth, z1, Z) < 1e-9L;
  const int certified = found.answer == RATTLE__TRACK_RIGHT;
  const int refuted = found.answer == RATTLE__TRACK_OTHER;
  t->candidates++, t->certified += certified, t->refuted += refuted;
  t->open += found.answer == RATTLE__TRACK_OPEN;
  t->right += right, t->other += exists && !right, t->none += !exists;
  if (refuted && right) t->bad++;
  if (certified && exists && !right) t->bad++;
  if (!certified || (exists && apart(k, truth, z1, N) <= radius * (1 + 1e-6L) + 1e-16L)) return;
  real careful[MOST]; /* is it the judge? */
  const int there = continuation(k, 1e-3L, careful);
  if (there && apart(k, careful, z1, N) <= radius * (1 + 1e-6L) + 1e-15L) return;
  t->bad++;
  print_error("kind %d, h %g: certified with radius %g, %Lg from the end (%d)\n", k->kind, k->h,
              radius, there ? apart(k, careful, z1, N) : -1, there);
}

static void attack(const char *name, int kind, const char *method, tally *all) {
  tally t = {0};
  for (int start = 0; start < attacks; start++) {
    problem k;
    scene s;
    char text[8192];
    real truth[MOST];
    rattle__fibre_prover *prover = NULL;
    set_method(&k, method);
    draw_problem(&k, kind);
    write_text(&k, text, sizeof text);
    open_scene(&s, text, method);
    const rattle__tableau by = tableau_of(&k);
    if (rattle__fibre_prover_create(&prover, s.problem, &by, k.lands, &s.error))
      fail_msg("%s", s.error.message);
    const int exists = continuation(&k, 1.0L / 64, truth);
    for (int c = 0; c < 6; c++) try_candidate(&s, prover, &k, truth, exists, exists && !c, &t);
    rattle__fibre_prover_destroy(&prover);
    close_scene(&s);
  }
  if (attacks != 4 / TESTS_ONE_IN)
    printf(
        "%-20s %-24s %6ld candidates: %6ld right, %5ld another root, %5ld no end; %6ld certified, "
        "%5ld refuted, %ld open, %ld wrongly\n",
        name, method, t.candidates, t.right, t.other, t.none, t.certified, t.refuted, t.open,
        t.bad);
  assert_int_equal(t.bad, 0);
  assert_true(10 * t.certified >= 8 * t.right);
  all->certified += t.certified, all->refuted += t.refuted;
  all->other += t.other, all->none += t.none;
}

static void test_attacks(void **state) {
  static const char *const name[KINDS] = {"circles", "circles that commute", "lines", "parabolas",
                                          "hyperbolas"};
  static const char *const method[] = {"rattle(midpoint)", "shake(midpoint)", "rattle(gauss(2))",
                                       "rattle(symplectic_euler)"};
  tally all = {0};
  (void)state;
  for (int kind = first_kind; kind < KINDS; kind++)
    for (size_t m = 0; m < sizeof method / sizeof *method; m++)
      attack(name[kind], kind, method[m], &all);
  assert_true(all.certified > 0 && all.refuted > 0 && all.other > 0);
}

int main(int argc, char **argv) {
  if (argc > 1) attacks = atoi(argv[1]);
  if (argc > 2) first_kind = atoi(argv[2]);
  if (argc > 3) with_code = !strcmp(argv[3], "code");
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_attacks)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
