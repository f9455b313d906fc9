/* Attacks on proofs of steps with forces that are no gradient and under constraints on velocities:
 * ends of steps by Newton's iteration from anywhere, which may be other roots of the equations,
 * judged by a continuation in long double in the positions and the multipliers together. No other
 * root is ever certified, and the right one is within its radius.
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
#include "drawn.h"
#include "rattle/rattle.h"

enum { N = 4, MOST = 6 }; /* coordinates; with multipliers */
typedef long double real;
static int attacks = 12 / TESTS_ONE_IN, first_kind = 0;

/* --- problems --------------------------------------------------------------------------------- */

/* LINKED: a spring and a damper between two points in the plane, which move with all coordinates;
 * DRAGGED, DRAWN, CURVED: a quadric, a blade and another surface with forces that are not affine in
 * momenta */
enum { BLADE, TOWED, QUADRIC, ROLLING, LINKED, DRAGGED, DRAWN, CURVED };

typedef struct problem {
  int kind, n, held, rolling, midpoint;      /* midpoint: forces act at the middle of steps */
  double mass[N], weight[N], S[3][3], level; /* q.S q/2 - level, at the origin of q */
  double wave;                               /* and wave sin(q0 + 2 q1) q2 */
  double length, Phi[N][N], phi[N], stiff;   /* f_i = (1 + q0^2) Phi_i p + phi_i q1 */
  double E[2][N], spring,
      damper; /* of a link between the points r = E q: V = spring |r|^4/4, and the force
                                     -damper E^T r (r.r')/(1 + |r|^2) */
  double q[N], p[N], h;
} problem;

static int has_forces(const problem *k) {
  return k->kind == TOWED || k->kind == QUADRIC || k->kind == ROLLING;
}

/* f_i = -damper (1 + q1^2) |p| p_i - stiff tanh(3 p_i) + phi_i q1, of the last one with |p_i| for
 * |p|. */
static real drag_at(const problem *k, const real *q, const real *p, int i) {
  real square = 0;
  for (int a = 0; a < k->n; a++) square += p[a] * p[a];
  const real size = i == k->n - 1 ? fabsl(p[i]) : sqrtl(square);
  return -(real)k->damper * (1 + q[1] * q[1]) * size * p[i] - (real)k->spring * tanhl(3 * p[i]) +
         (real)k->phi[i] * q[1];
}

/* F -= h/2 (the force of the link): V_q of t^2, and what way leads to of t. */
static void add_link(const problem *k, real t, const real *q, const real *way, real *F) {
  const real h = k->h;
  real r[2] = {0, 0}, led[2] = {0, 0};
  for (int e = 0; e < 2; e++)
    for (int a = 0; a < k->n; a++)
      r[e] += (real)k->E[e][a] * q[a], led[e] += (real)k->E[e][a] * way[a] / h;
  const real square = r[0] * r[0] + r[1] * r[1];
  const real along = (real)k->damper * (r[0] * led[0] + r[1] * led[1]) / (1 + square);
  for (int a = 0; a < k->n; a++)
    for (int e = 0; e < 2; e++)
      F[a] += h / 2 * k->E[e][a] * r[e] * (t * t * k->spring * square + t * along);
}

static real g_at(const problem *k, const real *q) {
  real sum = -(real)k->level;
  for (int a = 0; a < 3; a++)
    for (int b = 0; b < 3; b++) sum += (real)k->S[a][b] * q[a] * q[b] / 2;
  return sum + (real)k->wave * sinl(q[0] + 2 * q[1]) * q[2];
}

/* The row of A at q. */
static void blade_at(const problem *k, const real *q, real *A) {
  memset(A, 0, N * sizeof *A);
  if (k->kind == ROLLING)
    A[0] = q[1], A[1] = -q[0], A[3] = k->length;
  else
    A[0] = -sinl(q[2]), A[1] = cosl(q[2]), A[2] = -(real)k->length;
}

/* The rows of C at q0 [m][N]. */
static void rows_at_start(const problem *k, real C[2][N]) {
  real q[N];
  memset(C, 0, 2 * sizeof *C);
  for (int a = 0; a < k->n; a++) q[a] = k->q[a];
  if (k->held)
    for (int a = 0; a < 3; a++)
      for (int b = 0; b < 3; b++) C[0][a] += (real)k->S[a][b] * q[b];
  if (k->wave != 0) {
    const real slope = (real)k->wave * cosl(q[0] + 2 * q[1]) * q[2];
    C[0][0] += slope, C[0][1] += 2 * slope, C[0][2] += (real)k->wave * sinl(q[0] + 2 * q[1]);
  }
  if (k->rolling) blade_at(k, q, C[k->held]);
}

/* The equations of the step t h at u = (Q, s). */
static void residual(const problem *k, real t, const real *u, real *F) {
  const real h = k->h, *s = u + k->n;
  real C[2][N], A[N], q0[N], middle[N], way[N], Z[N];
  rows_at_start(k, C);
  for (int a = 0; a < k->n; a++) {
    q0[a] = k->q[a], way[a] = u[a] - q0[a], middle[a] = q0[a] + way[a] / 2;
    Z[a] = k->mass[a] * way[a] / h; /* t P */
  }
  const real *at = k->midpoint ? middle : q0;
  for (int a = 0; a < k->n; a++) {
    const real slope = k->weight[a] + k->stiff * at[a] * at[a] * at[a];
    F[a] = Z[a] - t * k->p[a] + t * t * h / 2 * slope;
    for (int i = 0; i < k->held + k->rolling; i++) F[a] += C[i][a] * s[i];
    real force = t * t * k->phi[a] * at[1];
    for (int b = 0; b < k->n; b++) force += t * (1 + at[0] * at[0]) * k->Phi[a][b] * Z[b];
    F[a] -= has_forces(k) ? h / 2 * force : 0;
  }
  if (k->kind == LINKED) add_link(k, t, at, way, F);
  if (k->kind >= DRAGGED && t > 0) {
    real P[N];
    for (int a = 0; a < k->n; a++) P[a] = Z[a] / t;
    for (int a = 0; a < k->n; a++) F[a] -= t * t * h / 2 * drag_at(k, at, P, a);
  }
  if (k->held) F[k->n] = g_at(k, u) - (1 - t) * g_at(k, q0);
  if (!k->rolling) return;
  F[k->n + k->held] = 0;
  blade_at(k, middle, A);
  for (int a = 0; a < k->n; a++) F[k->n + k->held] += A[a] * way[a];
}

static void write_text(const problem *k, char *text, size_t size) {
  static const char *const name[N] = {"a", "b", "c", "d"};
  size_t used = 0;
#define ADD(...) used += (size_t)snprintf(text + used, size - used, __VA_ARGS__)
  for (int a = 0; a < k->n; a++) ADD("local %s, p%s = pair('%s') ", name[a], name[a], name[a]);
  for (int a = 0; a < k->n; a++) ADD("mass { %s = %.17g } ", name[a], k->mass[a]);
  for (int e = 0; e < 2 && k->kind == LINKED; e++) {
    ADD("local r%d = 0", e);
    for (int a = 0; a < k->n; a++) ADD(" + %.17g*%s", k->E[e][a], name[a]);
    ADD(" local v%d = 0", e);
    for (int a = 0; a < k->n; a++) ADD(" + %.17g*p%s/%.17g", k->E[e][a], name[a], k->mass[a]);
    ADD(" ");
  }
  if (k->kind == LINKED) {
    ADD("local square = r0^2 + r1^2 potential(%.17g*square^2/4) ", k->spring);
    ADD("local s = -%.17g*(r0*v0 + r1*v1)/(1 + square) local x, y = s*r0, s*r1 ", k->damper);
    for (int a = 0; a < k->n; a++)
      ADD("force { %s = %.17g*x + %.17g*y } ", name[a], k->E[0][a], k->E[1][a]);
  }
  ADD("potential(0");
  for (int a = 0; a < k->n; a++)
    ADD(" + %.17g*%s + %.17g*%s^4/4", k->weight[a], name[a], k->stiff, name[a]);
  ADD(") ");
  if (k->held) {
    ADD("constrain('g', 0");
    for (int a = 0; a < 3; a++)
      for (int b = 0; b < 3; b++) ADD(" + %.17g*%s*%s/2", k->S[a][b], name[a], name[b]);
    if (k->wave != 0) ADD(" + %.17g*sin(a + 2*b)*c", k->wave);
    ADD(" - %.17g) ", k->level);
  }
  if (k->kind == ROLLING)
    ADD("velocity_constrain('A', b*velocity(a) - a*velocity(b) + %.17g*velocity(d)) ", k->length);
  else if (k->rolling)
    ADD("velocity_constrain('A', cos(c)*velocity(b) - sin(c)*velocity(a) - %.17g*velocity(c)) ",
        k->length);
  for (int a = 0; a < k->n && has_forces(k); a++) {
    ADD("force { %s = %.17g*b", name[a], k->phi[a]);
    for (int b = 0; b < k->n; b++) ADD(" + (1 + a^2)*%.17g*p%s", k->Phi[a][b], name[b]);
    ADD(" } ");
  }
  if (k->kind >= DRAGGED) ADD("local size = sqrt(pa^2 + pb^2 + pc^2) ");
  for (int a = 0; a < k->n && k->kind >= DRAGGED; a++)
    ADD("force { %s = -%.17g*(1 + b^2)*%s*p%s - %.17g*tanh(3*p%s) + %.17g*b } ", name[a], k->damper,
        a == k->n - 1 ? "abs(pc)" : "size", name[a], k->spring, name[a], k->phi[a]);
#undef ADD
  if (used >= size) fail_msg("the text of a problem is too long");
}

static void draw_problem(problem *k, int kind, int midpoint) {
  memset(k, 0, sizeof *k);
  k->kind = kind, k->midpoint = midpoint, k->n = kind == ROLLING || kind == LINKED ? 4 : 3;
  k->held = kind != BLADE && kind != TOWED && kind != DRAWN;
  k->rolling = kind != QUADRIC && kind != LINKED && kind != DRAGGED && kind != CURVED;
  const double damping = exp(1.5 * normal());
  for (int a = 0; a < k->n; a++) {
    k->mass[a] = exp(normal()), k->weight[a] = normal(), k->q[a] = normal(), k->p[a] = 2 * normal();
    k->phi[a] = normal();
    for (int b = 0; b < k->n; b++) k->Phi[a][b] = damping * normal() - (a == b) * damping;
  }
  for (int a = 0; a < 3; a++)
    for (int b = 0; b <= a; b++) k->S[a][b] = k->S[b][a] = kind == ROLLING ? a == b : normal();
  k->length = normal(), k->stiff = normal();
  k->wave = kind == CURVED ? normal() : 0;
  k->spring = exp(normal()), k->damper = damping;
  if (kind == LINKED) {
    for (int a = 0; a < k->n; a++) k->E[0][a] = normal(), k->E[1][a] = normal();
    k->stiff = 0;
  }
  real q[N];
  for (int a = 0; a < k->n; a++) q[a] = k->q[a];
  k->level = 0, k->level = (double)g_at(k, q);
  k->h = 0.05 * exp(4 * uniform()) * (uniform() < 0.2 ? -1 : 1);
}

/* --- the judge -------------------------------------------------------------------------------- */

#include "attacks_judge.h"

/* Newton's iteration at t; *first and *second: the sizes of its first corrections. */
static int newton(const problem *k, real t, real *u, real *first, real *second, real *det) {
  const int n = k->n + k->held + k->rolling;
  *first = *second = 0;
  for (int count = 0; count < 30; count++) {
    real F[MOST], up[MOST], down[MOST], J[MOST][MOST], size = 0, scale = 1;
    residual(k, t, u, F);
    for (int j = 0; j < n; j++) {
      const real keep = u[j], step = 1e-6L * (1 + fabsl(keep));
      u[j] = keep + step, residual(k, t, u, up);
      u[j] = keep - step, residual(k, t, u, down);
      u[j] = keep;
      for (int i = 0; i < n; i++) J[i][j] = (up[i] - down[i]) / (2 * step);
    }
    if (!solve(n, J, F, det)) return 0;
    for (int i = 0; i < n; i++) {
      u[i] -= F[i];
      if (!(fabsl(F[i]) <= size)) size = fabsl(F[i]);
      if (fabsl(u[i]) > scale) scale = fabsl(u[i]);
    }
    if (!(size < 1e6L)) return 0;
    if (count == 0) *first = size;
    if (count == 1) *second = size;
    if (size < 1e-16L * scale) return 1;
  }
  return 0;
}

/* The end of the curve from the start, in steps of at most `longest`; 0: it has none. */
static int continuation(const problem *k, real longest, real *u) {
  memset(u, 0, MOST * sizeof *u);
  for (int c = 0; c < k->n; c++) u[c] = k->q[c];
  return follow_curve(k, k->n + k->held + k->rolling, longest, 1e-12L, u);
}

/* --- attacks ---------------------------------------------------------------------------------- */

static real apart(const problem *k, const real *u, const double *q1) {
  real most = 0;
  for (int a = 0; a < k->n; a++)
    if (!(fabsl(u[a] - q1[a]) <= most)) most = fabsl(u[a] - q1[a]);
  return most;
}

static void try_candidate(scene *by, const problem *k, const real *truth, int exists, int near,
                          tally *t) {
  real u[MOST], first, second, det;
  double q1[N];
  const real spread = expl(1.5L * normal());
  for (int i = 0; i < k->n + k->held + k->rolling; i++)
    u[i] = (i < k->n ? k->q[i] : 0) + spread * normal();
  if (near) memcpy(u, truth, sizeof u);
  if (!newton(k, 1, u, &first, &second, &det)) return;
  for (int a = 0; a < k->n; a++) q1[a] = (double)u[a];
  const rattle_certificate c = check(by, k->h, k->q, k->p, q1);
  const int right = exists && apart(k, truth, q1)<1e-9L, certified = c.one_piece + c.tracked> 0;
  t->candidates++, t->certified += certified, t->refuted += c.wrong, t->open += c.open;
  t->right += right, t->other += exists && !right, t->none += !exists;
  if (c.wrong && right) t->bad++;
  if (!certified || (exists && apart(k, truth, q1) <= c.radius * (1 + 1e-6L) + 1e-16L)) return;
  real careful[MOST]; /* is it the judge? */
  const int there = continuation(k, 1e-4L, careful);
  if (there && apart(k, careful, q1) <= c.radius * (1 + 1e-6L) + 1e-15L) return;
  t->bad++;
  print_error("kind %d, midpoint %d, h %g: certified with radius %g, %Lg from the end (%d)\n",
              k->kind, k->midpoint, k->h, c.radius, there ? apart(k, careful, q1) : -1, there);
}

static void attack(const char *name, int kind, int midpoint, tally *all) {
  tally t = {0};
  for (int start = 0; start < attacks; start++) {
    problem k;
    scene s;
    char text[8192];
    real truth[MOST];
    draw_problem(&k, kind, midpoint);
    write_text(&k, text, sizeof text);
    open_scene(&s, text, midpoint ? "rattle(midpoint)" : "rattle(verlet)");
    const int exists = continuation(&k, 1.0L / 64, truth);
    for (int c = 0; c < 6; c++) try_candidate(&s, &k, truth, exists, exists && !c, &t);
    close_scene(&s);
  }
  if (attacks != 10)
    printf(
        "%-22s %-8s %8ld candidates: %8ld right, %7ld another root, %7ld no end; %8ld certified, "
        "%6ld refuted, %ld open, %ld wrongly\n",
        name, midpoint ? "midpoint" : "verlet", t.candidates, t.right, t.other, t.none, t.certified,
        t.refuted, t.open, t.bad);
  assert_int_equal(t.bad, 0);
  /* curves along which a momentum passes 0 stay open: |p| has a kink there */
  assert_true(10 * t.certified >= (kind >= DRAGGED ? 5 : 8) * t.right);
  all->certified += t.certified, all->refuted += t.refuted;
  all->other += t.other, all->none += t.none;
}

static void test_attacks(void **state) {
  static const char *const name[] = {"a blade",
                                     "a blade with forces",
                                     "a quadric with forces",
                                     "rolling with forces",
                                     "a spring and a damper",
                                     "a quadric with drag",
                                     "a blade with drag",
                                     "a wave with drag"};
  tally all = {0};
  (void)state;
  for (int kind = first_kind; kind <= CURVED; kind++)
    for (int midpoint = 0; midpoint < 2; midpoint++) attack(name[kind], kind, midpoint, &all);
  assert_true(all.certified > 0 && all.refuted > 0 && all.other > 0 && all.none > 0);
}

int main(int argc, char **argv) {
  if (argc > 1) attacks = atoi(argv[1]);
  if (argc > 2) first_kind = atoi(argv[2]);
  if (argc > 3) with_code = !strcmp(argv[3], "code");
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_attacks)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
