/* Attacks on proofs of steps of Runge-Kutta maps of any H: ends of steps by Newton's iteration from
 * anywhere, which may be other roots of the equations, judged by a continuation in long double in
 * all stages and multipliers together. No other root is ever certified, and the right one is
 * within its radius. And landings: of the roots of psi(p1) the one that the slide leads to.
 * With a number as argument, so many starts of each kind are attacked, of those from the second
 * argument on. */
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
#include "constraint/guard/prover_map.h"
#include "drawn.h"
#include "rattle/rattle.h"

enum { N = 3, STAGES = 3, BLOCKS = 2, MOST = 2 * N * STAGES + BLOCKS };
typedef long double real;
static int attacks = 4 / TESTS_ONE_IN, first_kind = 0;

/* --- problems --------------------------------------------------------------------------------- */

/* H = sum_a p_a^2 (1 + bend_a q_b^2)/(2 m_a), b = a + 1, + spin.(q x p) + w.q + sum_a stiff q_a^4/4,
 * or its root, sqrt(4 + that^2): MASSIVE, TURNING, NESTED; g = q.S q/2 + wave sin(q0 + 2 q1) q2 -
 * level */
enum { MASSIVE, TURNING, WAVED, NESTED, KINDS };

typedef struct problem {
  int kind, stages, blocks; /* blocks: of multipliers, at node 0, 1, ... */
  real a[STAGES][STAGES], ahat[STAGES][STAGES];
  real node[BLOCKS + 1][STAGES], push[STAGES][BLOCKS]; /* the last node is the end */
  double mass[N], bend[N], spin[N], weight[N], stiff, S[N][N], wave, level, q[N], p[N], h;
} problem;

/* H_q and H_p [2N] */
static void slopes(const problem *k, const real *q, const real *p, real *X) {
  real H = 0;
  memset(X, 0, 2 * N * sizeof *X);
  for (int a = 0; a < N; a++) {
    const int b = (a + 1) % N, c = (a + 2) % N;
    const real light = (1 + (real)k->bend[a] * q[b] * q[b]) / k->mass[a];
    H += p[a] * p[a] * light / 2 + k->weight[a] * q[a] +
         (real)k->stiff * q[a] * q[a] * q[a] * q[a] / 4;
    H += (real)k->spin[a] * (q[b] * p[c] - q[c] * p[b]);
    X[N + a] += p[a] * light;
    X[a] += k->weight[a] + (real)k->stiff * q[a] * q[a] * q[a];
    X[b] += p[a] * p[a] * (real)k->bend[a] * q[b] / k->mass[a];
    X[b] += (real)k->spin[a] * p[c], X[c] -= (real)k->spin[a] * p[b];
    X[N + c] += (real)k->spin[a] * q[b], X[N + b] -= (real)k->spin[a] * q[c];
  }
  for (int a = 0; a < 2 * N && k->kind == NESTED; a++) X[a] *= H / sqrtl(4 + H * H);
}

static real g_at(const problem *k, const real *q) {
  real sum = (real)k->wave * sinl(q[0] + 2 * q[1]) * q[2] - k->level;
  for (int a = 0; a < N; a++)
    for (int b = 0; b < N; b++) sum += (real)k->S[a][b] * q[a] * q[b] / 2;
  return sum;
}

static void gradient(const problem *k, const real *q, real *C) {
  const real slope = (real)k->wave * cosl(q[0] + 2 * q[1]) * q[2];
  for (int a = 0; a < N; a++) {
    C[a] = 0;
    for (int b = 0; b < N; b++) C[a] += (real)k->S[a][b] * q[b];
  }
  C[0] += slope, C[1] += 2 * slope, C[2] += (real)k->wave * sinl(q[0] + 2 * q[1]);
}

/* (g(T) - g(q0))/h; for short ways, the quotient of which has few digits, as the mean of g' along
 * the way by three Gauss points. */
static real divided(const problem *k, const real *q0, const real *T, real h) {
  const real node[3] = {0.5L - sqrtl(0.15L), 0.5L, 0.5L + sqrtl(0.15L)},
             weight[3] = {5.0L / 18, 4.0L / 9, 5.0L / 18};
  real most = 0, sum = 0;
  for (int a = 0; a < N; a++) most = fmaxl(most, fabsl(T[a] - q0[a]));
  if (!(most < 0.01L)) return (g_at(k, T) - g_at(k, q0)) / h;
  for (int i = 0; i < 3; i++) {
    real at[N], C[N];
    for (int a = 0; a < N; a++) at[a] = q0[a] + node[i] * (T[a] - q0[a]);
    gradient(k, at, C);
    for (int a = 0; a < N; a++) sum += weight[i] * C[a] * (T[a] - q0[a]) / h;
  }
  return sum;
}

static int unknowns_of(const problem *k) {
  return 2 * N * k->stages + k->blocks;
}

/* q1 of u = (Q_1, P_1, ..., impulses), and the residuals of the step t h; NULL: none. */
static void residual(const problem *k, real t, const real *u, real *q1, real *F) {
  real C[BLOCKS + 1][N], T[BLOCKS + 1][N], q0[N], slope[STAGES][2 * N];
  const real *impulse = u + 2 * N * k->stages, h = t * k->h;
  for (int j = 0; j < k->stages; j++) slopes(k, u + 2 * N * j, u + 2 * N * j + N, slope[j]);
  for (int node = 0; node <= k->blocks; node++) {
    for (int a = 0; a < N; a++) {
      T[node][a] = q0[a] = k->q[a];
      for (int j = 0; j < k->stages && node; j++)
        T[node][a] += h * k->node[node][j] * slope[j][N + a];
    }
    gradient(k, T[node], C[node]);
  }
  memcpy(q1, T[k->blocks], sizeof q0);
  for (int j = 0; j < k->stages && F; j++)
    for (int a = 0; a < N; a++) {
      real *of = F + 2 * N * j + a;
      of[0] = u[2 * N * j + a] - q0[a];
      of[N] = u[2 * N * j + N + a] - k->p[a];
      for (int b = 0; b < k->blocks; b++) of[N] += k->push[j][b] * C[b][a] * impulse[b];
      for (int i = 0; i < k->stages; i++)
        of[0] -= h * k->a[j][i] * slope[i][N + a], of[N] += h * k->ahat[j][i] * slope[i][a];
    }
  for (int b = 0; b < k->blocks && F; b++)
    F[2 * N * k->stages + b] = divided(k, q0, T[b + 1], h) + g_at(k, q0) / k->h;
}

static void write_text(const problem *k, char *text, size_t size) {
  static const char *const name[N] = {"a", "b", "c"};
  size_t used = 0;
#define ADD(...) used += (size_t)snprintf(text + used, size - used, __VA_ARGS__)
  for (int a = 0; a < N; a++) ADD("local %s, p%s = pair('%s') ", name[a], name[a], name[a]);
  ADD("local H = 0");
  for (int a = 0; a < N; a++) {
    const char *x = name[a], *y = name[(a + 1) % N], *z = name[(a + 2) % N];
    ADD(" + p%s^2*(1 + %.17g*%s^2)/(2*%.17g) + %.17g*%s + %.17g*%s^4/4 + %.17g*(%s*p%s - %s*p%s)",
        x, k->bend[a], y, k->mass[a], k->weight[a], x, k->stiff, x, k->spin[a], y, z, z, y);
  }
  ADD(" hamiltonian(%s) constrain('g', %.17g*sin(a + 2*b)*c",
      k->kind == NESTED ? "sqrt(4 + H^2)" : "H", k->wave);
  for (int a = 0; a < N; a++)
    for (int b = 0; b < N; b++) ADD(" + %.17g*%s*%s/2", k->S[a][b], name[a], name[b]);
  ADD(" - %.17g) ", k->level);
#undef ADD
  if (used >= size) fail_msg("the text of a problem is too long");
}

/* p on psi = 0, along the gradient: H_p grows with p. */
static void project(problem *k) {
  real C[N], q[N], p[N], X[2 * N], low = -64, high = 64, square = 0;
  for (int a = 0; a < N; a++) q[a] = k->q[a];
  gradient(k, q, C);
  for (int a = 0; a < N; a++) square += C[a] * C[a];
  for (int round = 0; round < 80; round++) {
    real psi = 0, middle = (low + high) / 2;
    for (int a = 0; a < N; a++) p[a] = k->p[a] + middle * C[a] / sqrtl(square);
    slopes(k, q, p, X);
    for (int a = 0; a < N; a++) psi += C[a] * X[N + a];
    if (psi > 0)
      high = middle;
    else
      low = middle;
  }
  for (int a = 0; a < N; a++) k->p[a] = (double)p[a];
}

static void draw_problem(problem *k, int kind) {
  memset(k->S, 0, sizeof k->S);
  k->kind = kind, k->level = 0;
  const double spin = kind == TURNING ? 1 : 0.2, bend = kind == TURNING ? 0 : 1;
  for (int a = 0; a < N; a++) {
    k->mass[a] = exp(normal()), k->bend[a] = bend * fabs(normal()), k->spin[a] = spin * normal();
    k->weight[a] = normal(), k->q[a] = normal(), k->p[a] = 2 * normal();
    for (int b = 0; b <= a; b++) k->S[a][b] = k->S[b][a] = normal();
  }
  k->stiff = fabs(normal()), k->wave = kind == WAVED ? normal() : 0;
  real q[N];
  for (int a = 0; a < N; a++) q[a] = k->q[a];
  k->level = (double)g_at(k, q);
  project(k);
  k->h = 0.05 * exp(3.5 * uniform()) * (uniform() < 0.2 ? -1 : 1);
}

static void set_method(problem *k, const char *method) {
  static const real lobatto[3][3] = {{0, 0, 0},
                                     {5.0L / 24, 1.0L / 3, -1.0L / 24},
                                     {1.0L / 6, 2.0L / 3, 1.0L / 6}},
                    other[3][3] = {
                        {1.0L / 6, -1.0L / 6, 0}, {1.0L / 6, 1.0L / 3, 0}, {1.0L / 6, 5.0L / 6, 0}};
  const real root = sqrtl(3) / 6;
  memset(k, 0, sizeof *k);
  k->blocks = 1;
  k->stages = strstr(method, "gauss") || strstr(method, "verlet") ? 2 : 1;
  if (strstr(method, "midpoint")) k->a[0][0] = k->ahat[0][0] = 0.5L;
  if (strstr(method, "euler")) k->ahat[0][0] = 1;
  for (int j = 0; j < k->stages; j++) k->node[1][j] = 1.0L / k->stages, k->push[j][0] = 1;
  if (strstr(method, "verlet")) k->a[1][0] = k->a[1][1] = k->ahat[0][0] = k->ahat[1][0] = 0.5L;
  if (strstr(method, "gauss")) {
    k->a[0][0] = k->a[1][1] = 0.25L, k->a[0][1] = 0.25L - root, k->a[1][0] = 0.25L + root;
    memcpy(k->ahat, k->a, sizeof k->a);
  }
  if (!strstr(method, "spark")) return;
  k->stages = 3, k->blocks = 2;
  memcpy(k->a, lobatto, sizeof k->a), memcpy(k->ahat, other, sizeof k->ahat);
  memcpy(k->node, lobatto, sizeof k->node);
  for (int j = 0; j < 3; j++) k->push[j][0] = other[j][0], k->push[j][1] = other[j][1];
}

/* --- the judge -------------------------------------------------------------------------------- */

static const real farthest = 1e6L;
#include "attacks_newton.h"

/* The end of the curve from the start, in steps of at most `longest`; 0: it has none. */
static int continuation(const problem *k, real longest, real *u) {
  memset(u, 0, MOST * sizeof *u);
  for (int j = 0; j < k->stages; j++)
    for (int a = 0; a < N; a++) u[2 * N * j + a] = k->q[a], u[2 * N * j + N + a] = k->p[a];
  return follow_curve(k, unknowns_of(k), longest, 1e-11L, u);
}

/* --- attacks ---------------------------------------------------------------------------------- */

static real apart(const problem *k, const real *u, const double *q1) {
  real end[N], most = 0;
  residual(k, 1, u, end, NULL);
  for (int a = 0; a < N; a++)
    if (!(fabsl(end[a] - q1[a]) <= most)) most = fabsl(end[a] - q1[a]);
  return most;
}

static void try_candidate(scene *by, const problem *k, const real *truth, int exists, int near,
                          tally *t) {
  real u[MOST], end[N], first, second, det;
  double q1[N];
  const real spread = expl(1.5L * normal());
  for (int i = 0; i < unknowns_of(k); i++) u[i] = spread * normal();
  for (int i = 0; i < 2 * N * k->stages; i++) u[i] += i % (2 * N) < N ? k->q[i % N] : k->p[i % N];
  if (near) memcpy(u, truth, sizeof u);
  if (!newton(k, 1, u, &first, &second, &det)) return;
  residual(k, 1, u, end, NULL);
  for (int a = 0; a < N; a++) q1[a] = (double)end[a];
  const rattle_certificate c = check(by, k->h, k->q, k->p, q1);
  const int right = exists && apart(k, truth, q1) < 1e-9L;
  const int certified = c.one_piece + c.tracked > 0;
  t->candidates++, t->certified += certified, t->refuted += c.wrong, t->open += c.open;
  t->right += right, t->other += exists && !right, t->none += !exists;
  if (c.wrong && right) t->bad++;
  if (certified && exists && !right) t->bad++;
  if (!certified || (exists && apart(k, truth, q1) <= c.radius * (1 + 1e-6L) + 1e-16L)) return;
  real careful[MOST]; /* is it the judge? */
  const int there = continuation(k, 1e-3L, careful);
  if (there && apart(k, careful, q1) <= c.radius * (1 + 1e-6L) + 1e-15L) return;
  t->bad++;
  print_error("kind %d, h %g: certified with radius %g, %Lg from the end (%d)\n", k->kind, k->h,
              c.radius, there ? apart(k, careful, q1) : -1, there);
}

static void attack(const char *name, int kind, const char *method, tally *all) {
  tally t = {0};
  for (int start = 0; start < attacks; start++) {
    problem k;
    scene s;
    char text[4096];
    real truth[MOST];
    set_method(&k, method);
    draw_problem(&k, kind);
    write_text(&k, text, sizeof text);
    open_scene(&s, text, method);
    const int exists = continuation(&k, 1.0L / 64, truth);
    for (int c = 0; c < 6; c++) try_candidate(&s, &k, truth, exists, exists && !c, &t);
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
  static const char *const name[KINDS] = {"masses of q", "a frame that turns", "on a wave",
                                          "sqrt(4 + H^2)"};
  static const char *const method[] = {"rattle(midpoint)", "rattle(gauss(2))",
                                       "rattle(symplectic_euler)", "rattle(verlet)", "spark(3)"};
  tally all = {0};
  (void)state;
  for (int kind = first_kind; kind < KINDS; kind++)
    for (size_t m = 0; m < sizeof method / sizeof *method; m++)
      attack(name[kind], kind, method[m], &all);
  assert_true(all.certified > 0 && all.refuted > 0 && all.other > 0);
}

/* --- landings --------------------------------------------------------------------------------- */

/* On a = 0 psi = pa + pa^2/2, with the roots 0 and -2: the slide from pa = -h/2, which the weight
 * leaves, leads to the first. */
static void test_landings(void **state) {
  static const char text[] =
      "local a, pa = pair('a') local b, pb = pair('b')"
      "hamiltonian(pa^2/2 + pa^3/6 + pb^2/2 + a) constrain('plane', a) start { pb = 1 }";
  const rattle__constrained_tableau midpoint = rattle__tableau_of_shake(
      &(rattle__tableau){.stages = 1, .a = {{0.5}}, .ahat = {{0.5}}, .b = {1}});
  rattle__map_prover *prover = NULL;
  scene s;
  (void)state;
  open_scene(&s, text, "rattle(midpoint)");
  assert_int_equal(rattle__map_prover_create(&prover, s.problem, &midpoint, 1, &s.error), 0);
  const double q0[2] = {0, 0}, p0[2] = {0, 1}, q1[2] = {0, 0.1}, right[2] = {0, 1},
               other[2] = {-2, 1}, near[2] = {-1e-9, 1};
  double radius = 1;
  rattle__tracked found =
      rattle__map_prover_ask(prover, &(rattle__map_ends){0.1, q0, p0, q1, right, 0}, &radius);
  assert_int_equal(found.answer, RATTLE__TRACK_RIGHT);
  assert_true(radius < 1e-15);
  found = rattle__map_prover_ask(prover, &(rattle__map_ends){0.1, q0, p0, q1, near, 0}, &radius);
  assert_int_equal(found.answer, RATTLE__TRACK_RIGHT);
  found = rattle__map_prover_ask(prover, &(rattle__map_ends){0.1, q0, p0, q1, NULL, 0}, &radius);
  assert_int_equal(found.answer, RATTLE__TRACK_RIGHT);
  found = rattle__map_prover_ask(prover, &(rattle__map_ends){0.1, q0, p0, q1, other, 0}, &radius);
  assert_int_equal(found.answer, RATTLE__TRACK_OTHER);
  /* a start on the other root of psi leads along the same curve to its own landing */
  found =
      rattle__map_prover_ask(prover, &(rattle__map_ends){0.1, q0, other, q1, other, 0}, &radius);
  assert_int_equal(found.answer, RATTLE__TRACK_RIGHT);
  rattle__map_prover_destroy(&prover);
  close_scene(&s);
}

/* --- ends whose momenta are not known --------------------------------------------------------- */

/* A bead on a wave over hills: positions of another root of the same equations, a third of a wave
 * from the end, lie in the box of the end's multipliers as far as positions alone tell. */
static void test_positions_alone(void **state) {
  static const char text[] =
      "local x, px = pair('x') local y, py = pair('y')"
      "mass { x = 3.4909395734871642e-09, y = 3.4909395734871642e-09 }"
      "potential(2.3597186829122156e-09*cos(33.578020364791527*x))"
      "constrain('wave', y - 0.0094907965133433584*sin(7.6613836801818964*x)) start {}";
  const rattle__constrained_tableau midpoint = rattle__tableau_of_shake(
      &(rattle__tableau){.stages = 1, .a = {{0.5}}, .ahat = {{0.5}}, .b = {1}});
  const double q0[2] = {-0.072168720579625908, -0.0049842605383889522},
               p0[2] = {5.3369686858735038e-09, 3.302428549447589e-10},
               right[2] = {-0.078060018335407608, -0.005343604465071904},
               other[2] = {0.2619455468586146, 0.0086026385871137909};
  rattle__map_ends ends = {0.23672478009818074, q0, p0, right, NULL, 1};
  rattle__map_prover *prover = NULL;
  double radius = 1;
  scene s;
  (void)state;
  open_scene(&s, text, "shake(midpoint)");
  assert_int_equal(rattle__map_prover_create(&prover, s.problem, &midpoint, 0, &s.error), 0);
  rattle__tracked found = rattle__map_prover_ask(prover, &ends, &radius);
  assert_int_equal(found.answer, RATTLE__TRACK_RIGHT);
  assert_true(radius < 1e-12);
  ends.q1 = other;
  found = rattle__map_prover_ask(prover, &ends, &radius);
  assert_int_equal(found.answer, RATTLE__TRACK_OTHER);
  rattle__map_prover_destroy(&prover);
  close_scene(&s);
}

int main(int argc, char **argv) {
  if (argc > 1) attacks = atoi(argv[1]);
  if (argc > 2) first_kind = atoi(argv[2]);
  if (argc > 3) with_code = !strcmp(argv[3], "code");
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_attacks),
                                     cmocka_unit_test(test_landings),
                                     cmocka_unit_test(test_positions_alone)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
