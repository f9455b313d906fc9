/* Attacks on proofs of steps of chains by sparse matrices: roots of other kinds, found by Newton's
 * iteration from points where a link is turned round or multipliers are drawn, judged by a
 * continuation in long double. No other root is ever certified, what is certified is within its
 * radius, and the dense prover never says the contrary. With a number as argument, so many starts of
 * each kind are attacked. */
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
#include "constraint/guard/prover_sparse.h"
#include "problem/functions/mass.h"
#include "drawn.h"
#include "rattle/rattle.h"

/* Windows have 24 rows: chains of 10 are one, those of 40 five. */
enum { MOST = 40, CANDIDATES = 6, USUAL = 8 / TESTS_ONE_IN };
typedef long double real;
static int attacks = USUAL; /* starts of each kind */

/* Links of length 1 from the origin, or, closed, back to a point; V = weight y. */
typedef struct problem {
  int links, closed, m;
  double weight, mass[MOST], h, q[2 * MOST], p[2 * MOST], far[2];
  real G0[MOST + 1][4], level[MOST + 1];
} problem;

#include "attacks_judge.h"

/* The vector of link i, from the bead before to bead i; the last one of closed chains ends at far. */
static void link_of(const problem *k, const real *q, int i, real *v) {
  for (int a = 0; a < 2; a++) {
    const real to = i < k->links ? q[2 * i + a] : (real)k->far[a];
    v[a] = to - (i > 0 ? q[2 * (i - 1) + a] : 0);
  }
}

/* g and its gradients, by the bead before and by bead i. */
static void evaluate(const problem *k, const real *q, real *g, real (*G)[4]) {
  for (int i = 0; i < k->m; i++) {
    real v[2];
    link_of(k, q, i, v);
    g[i] = v[0] * v[0] + v[1] * v[1] - 1;
    for (int a = 0; a < 2; a++) {
      G[i][a] = i > 0 ? -2 * v[a] : 0;
      G[i][2 + a] = i < k->links ? 2 * v[a] : 0;
    }
  }
}

static void place(const problem *k, const real *s, real t, real *q) {
  const real h = k->h;
  for (int b = 0; b < k->links; b++)
    for (int a = 0; a < 2; a++) {
      const real w = 1 / (real)k->mass[b], kick = a == 1 ? (real)k->weight : 0;
      real push = k->G0[b][2 + a] * s[b];
      if (b + 1 < k->m) push += k->G0[b + 1][a] * s[b + 1];
      q[2 * b + a] =
          k->q[2 * b + a] + w * (t * h * k->p[2 * b + a] - t * t * h * h / 2 * kick - push);
    }
}

static int newton(const problem *k, real t, real *u, real *first, real *second, real *det) {
  real last = INFINITY;
  *first = *second = 0;
  for (int count = 0; count < 40; count++) {
    real q[2 * MOST], F[MOST], G[MOST + 1][4], J[MOST][MOST], size = 0, scale = 1;
    place(k, u, t, q);
    evaluate(k, q, F, G);
    memset(J, 0, sizeof J);
    for (int i = 0; i < k->m; i++) {
      F[i] -= (1 - t) * k->level[i];
      for (int j = i > 0 ? i - 1 : 0; j < k->m && j <= i + 1; j++)
        for (int e = 0; e < 4; e++) { /* the bead of e in row i, and its place in row j */
          const int b = i - 1 + e / 2, at = e + 2 * (i - j);
          if (b >= 0 && b < k->links && at >= 0 && at < 4)
            J[i][j] += G[i][e] * k->G0[j][at] / (real)k->mass[b];
        }
    }
    if (!solve(k->m, J, F, det)) return 0;
    for (int i = 0; i < k->m; i++) {
      u[i] += F[i];
      if (!(fabsl(F[i]) <= size)) size = fabsl(F[i]);
      if (fabsl(u[i]) > scale) scale = fabsl(u[i]);
    }
    if (!(size < 1e6L)) return 0;
    if (count == 0) *first = size;
    if (count == 1) *second = size;
    if (size < 1e-16L * scale || (size < 1e-11L * scale && size > last / 4)) return 1;
    last = size;
  }
  return 0;
}

/* --- starts ----------------------------------------------------------------------------------- */

/* bend: the most that a link is turned from the one before; turn: the angle of the link that turns
 * most in the step. */
static void draw(problem *k, int links, int closed, double bend, double turn) {
  double direction = 6 * uniform(), fastest = 0;
  real A[MOST][MOST], g[MOST], psi[MOST], q[2 * MOST], det;
  memset(k, 0, sizeof *k);
  k->links = links - closed, k->closed = closed, k->m = links, k->weight = 0.3 * normal();
  double x = 0, y = 0;
  for (int i = 0; i < links; i++) {
    direction += bend * (2 * uniform() - 1);
    x += cos(direction), y += sin(direction);
    if (i == k->links) {
      k->far[0] = x, k->far[1] = y;
      break;
    }
    k->mass[i] = exp(0.3 * normal());
    k->q[2 * i] = x, k->q[2 * i + 1] = y, k->p[2 * i] = normal(), k->p[2 * i + 1] = normal();
  }
  for (int e = 0; e < 2 * k->links; e++) q[e] = k->q[e];
  evaluate(k, q, k->level, k->G0);
  memset(A, 0, sizeof A);
  for (int i = 0; i < k->m; i++) {
    psi[i] = 0;
    for (int e = 0; e < 4; e++) {
      const int b = i - 1 + e / 2;
      if (b >= 0 && b < k->links) psi[i] += k->G0[i][e] * k->p[2 * b + e % 2] / (real)k->mass[b];
      for (int j = i > 0 ? i - 1 : 0; j < k->m && j <= i + 1; j++) {
        const int at = e + 2 * (i - j);
        if (b >= 0 && b < k->links && at >= 0 && at < 4)
          A[i][j] += k->G0[i][e] * k->G0[j][at] / (real)k->mass[b];
      }
    }
    g[i] = psi[i];
  }
  solve(k->m, A, g, &det);
  for (int i = 0; i < k->m; i++)
    for (int e = 0; e < 4; e++) {
      const int b = i - 1 + e / 2;
      if (b >= 0 && b < k->links) k->p[2 * b + e % 2] -= (double)(k->G0[i][e] * g[i]);
    }
  for (int i = 0; i < k->m; i++) {
    double v[2] = {0, 0};
    for (int a = 0; a < 2; a++) {
      if (i < k->links) v[a] = k->p[2 * i + a] / k->mass[i];
      if (i > 0) v[a] -= k->p[2 * (i - 1) + a] / k->mass[i - 1];
    }
    fastest = fmax(fastest, hypot(v[0], v[1]));
  }
  k->h = (uniform() < 0.25 ? -1 : 1) * turn / fastest;
}

static void write_text(const problem *k, char *text, size_t size) {
  size_t at = 0;
#define PUT(...) at += (size_t)snprintf(text + at, size - at, __VA_ARGS__)
  PUT("local x, px = pairs_of('x', %d) local y, py = pairs_of('y', %d) local H = 0 ", k->links,
      k->links);
  for (int b = 0; b < k->links; b++)
    PUT("H = H + (px[%d]^2 + py[%d]^2)/(2*%.17g) + %.17g*y[%d] ", b + 1, b + 1, k->mass[b],
        k->weight, b + 1);
  PUT("hamiltonian(H) constrain('g1', x[1]^2 + y[1]^2 - 1)");
  for (int b = 2; b <= k->links; b++)
    PUT(" constrain('g%d', (x[%d] - x[%d])^2 + (y[%d] - y[%d])^2 - 1)", b, b, b - 1, b, b - 1);
  if (k->closed)
    PUT(" constrain('last', (x[%d] - %.17g)^2 + (y[%d] - %.17g)^2 - 1)", k->links, k->far[0],
        k->links, k->far[1]);
  PUT(" start {}");
#undef PUT
  assert_true(at < size);
}

/* --- candidates ------------------------------------------------------------------------------- */

typedef struct provers {
  scene scene;
  rattle__sparse_prover *sparse;
  rattle__prover *dense;
  int place[2 * MOST]; /* where the problem has coordinate a of bead b */
} provers;

static void open_provers(provers *by, const problem *k) {
  static char text[40000];
  write_text(k, text, sizeof text);
  open_scene(&by->scene, text, "rattle(verlet)");
  const rattle_problem *of = by->scene.problem;
  by->sparse = NULL, by->dense = NULL;
  assert_int_equal(rattle__sparse_prover_create(&by->sparse, of->g, rattle__inertia(of)->diagonal),
                   0);
  assert_int_equal(rattle__prover_create(&by->dense, of->g), 0);
  for (int b = 0; b < k->links; b++) by->place[2 * b] = b, by->place[2 * b + 1] = k->links + b;
}

static void close_provers(provers *by) {
  rattle__sparse_prover_destroy(&by->sparse);
  rattle__prover_destroy(&by->dense);
  close_scene(&by->scene);
}

static double apart(const problem *k, const real *end, const double *q1) {
  real q[2 * MOST], most = 0;
  place(k, end, 1, q);
  for (int e = 0; e < 2 * k->links; e++) most = fmaxl(most, fabsl(q[e] - q1[e]));
  return (double)most;
}

typedef struct counts {
  long candidates, right, other, none, certified, one_piece, refuted, open, bad, differ, unjudged;
  long steps, of_steps; /* right ends, and those of them that are proved in one piece */
} counts;

/* Both provers on the end q1. */
static rattle__tracked ask(const provers *by, const problem *k, const double *q1, int dense,
                           double *radius) {
  double q0[2 * MOST], p0[2 * MOST], end[2 * MOST], V_q[2 * MOST];
  for (int e = 0; e < 2 * k->links; e++) {
    const int at = by->place[e];
    q0[at] = k->q[e], p0[at] = k->p[e], end[at] = q1[e], V_q[at] = e % 2 ? k->weight : 0;
  }
  const rattle__proof_ends of = {.h = k->h,
                                 .d1 = 1,
                                 .k1 = 0.5,
                                 .W = rattle__inertia(by->scene.problem),
                                 .q0 = q0,
                                 .p0 = p0,
                                 .q1 = end,
                                 .V_q = V_q};
  return dense ? rattle__prover_ask(by->dense, &of, radius)
               : rattle__sparse_prover_ask(by->sparse, &of, radius);
}

static void try_end(const provers *by, const problem *k, const real *s, const real *truth,
                    int exists, counts *t) {
  real q[2 * MOST], end[MOST] = {0};
  double q1[2 * MOST], radius = 0, other = 0;
  place(k, s, 1, q);
  for (int e = 0; e < 2 * k->links; e++) q1[e] = (double)q[e];
  const rattle__tracked sparse = ask(by, k, q1, 0, &radius), dense = ask(by, k, q1, 1, &other);
  const int certified = sparse.answer == RATTLE__TRACK_RIGHT,
            wrong = sparse.answer == RATTLE__TRACK_OTHER;
  int right = exists && apart(k, truth, q1) < 1e-9;
  if (certified && !(exists && apart(k, truth, q1) <= radius * (1 + 1e-6) + 1e-16)) {
    const int there = follow_curve(k, k->m, 1e-3L, 1e-12L, end); /* once more with care */
    right = there && apart(k, end, q1) < 1e-9;
    t->bad += there && !(apart(k, end, q1) <= radius * (1 + 1e-6) + 1e-15);
    t->unjudged += !there;
  }
  t->candidates++, t->certified += certified, t->refuted += wrong;
  t->one_piece += certified && sparse.pieces == 1;
  t->open += !certified && !wrong;
  t->right += right, t->other += exists && !right, t->none += !exists;
  t->bad += wrong && right;
  t->differ += (certified && dense.answer == RATTLE__TRACK_OTHER) ||
               (wrong && dense.answer == RATTLE__TRACK_RIGHT);
}

static void attack(const char *name, int links, int closed, double bend, double turn, counts *all) {
  counts t = {0};
  for (int start = 0; start < attacks; start++) {
    problem k;
    provers by;
    real truth[MOST] = {0}, first, second, det;
    draw(&k, links, closed, bend, turn);
    open_provers(&by, &k);
    const int exists = follow_curve(&k, k.m, 1.0L / 16, 1e-12L, truth);
    if (exists) {
      const counts before = t;
      try_end(&by, &k, truth, truth, 1, &t);
      t.steps++, t.of_steps += t.one_piece - before.one_piece;
    }
    for (int c = 1; c < CANDIDATES; c++) {
      real s[MOST];
      const int turned = (int)(links * uniform());
      for (int i = 0; i < links; i++)
        s[i] = truth[i] + (c % 2 ? 0 : (real)(k.h * k.h * exp(2 * normal()) * normal()));
      if (c % 2) s[turned] += (real)(0.25 * (1 + uniform())); /* about where the link is reversed */
      if (newton(&k, 1, s, &first, &second, &det)) try_end(&by, &k, s, truth, exists, &t);
    }
    close_provers(&by);
  }
  if (attacks != USUAL)
    printf(
        "%-26s %6ld candidates: %6ld right, %6ld another root, %5ld no end; %6ld certified (%ld in "
        "one piece), %6ld refuted, %ld open, %ld wrongly, %ld not judged, %ld otherwise than "
        "dense; "
        "%ld of %ld steps in one piece\n",
        name, t.candidates, t.right, t.other, t.none, t.certified, t.one_piece, t.refuted, t.open,
        t.bad, t.unjudged, t.differ, t.of_steps, t.steps);
  assert_int_equal(t.bad, 0);
  assert_int_equal(t.differ, 0);
  assert_int_equal(t.unjudged, 0);
  all->certified += t.certified, all->refuted += t.refuted, all->other += t.other;
  if (turn <= 0.1) all->steps += t.steps, all->of_steps += t.of_steps;
}

static void test_attacks(void **state) {
  static const struct {
    const char *name;
    int links, closed;
    double bend;
  } by[] = {{"10 links, crumpled", 10, 0, 3},      {"10 links, bent", 10, 0, 1},
            {"10 links, taut", 10, 0, 0.02},       {"10 links, closed", 10, 1, 1},
            {"40 links, crumpled", 40, 0, 3},      {"40 links, bent", 40, 0, 1},
            {"40 links, nearly taut", 40, 0, 0.2}, {"40 links, closed", 40, 1, 1}};
  static const double turn[] = {0.1, 0.3, 1};
  counts all = {0};
  (void)state;
  for (size_t i = 0; i < sizeof by / sizeof *by; i++)
    for (size_t j = 0; j < sizeof turn / sizeof *turn; j++) {
      char name[64];
      snprintf(name, sizeof name, "%s, %g", by[i].name, turn[j]);
      attack(name, by[i].links, by[i].closed, by[i].bend, turn[j], &all);
    }
  assert_true(all.certified > 0 && all.refuted > 0 && all.other > 0 && all.steps > 0);
  assert_true(100 * all.of_steps >= 92 * all.steps); /* of a tenth of a radian */
}

int main(int argc, char **argv) {
  if (argc > 1) attacks = atoi(argv[1]);
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_attacks)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
