/* Attacks on the proofs of steps: candidates that may be other roots of their equations, judged by a
 * continuation in more digits. No other root is ever certified, by the tracker or by the kernel of
 * few constraints; what is proved is within its radius; steps that are made by default are right.
 * With a number as argument, so many starts of each kind are attacked: test_attacks 4000. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "rattle/rattle.h"
#include "maps/natural/fast.h"
#include "maps/natural/fused/natural_small.h"
#include "drawn.h"
#include "attacks.h"

enum { AXES = 4, SMOOTH = 5 };
static int attacks = 40; /* starts of each kind */

typedef struct scene {
  rattle_model *model;
  rattle_problem *problem;
  rattle_certifier *certifier;
  rattle__context context;
  rattle__map *map; /* of few constraints: rattle(verlet) */
  rattle_error error;
} scene;

static void open_scene(scene *s, const char *text, int few) {
  static const rattle__scheme verlet = {.k1 = 0.5, .d1 = 1, .k2 = 0.5, .symmetric = 1};
  const rattle_problem_options how = {.struct_size = sizeof how,
                                      .evaluator = RATTLE_EVALUATOR_BLOCK};
  memset(s, 0, sizeof *s);
  if (rattle_model_parse(&s->model, text, "attack", NULL, &s->error) ||
      rattle_problem_create(&s->problem, s->model, &how, &s->error) ||
      rattle_certifier_create(&s->certifier, s->problem, "rattle(verlet)", &s->error))
    fail_msg("%s", s->error.message);
  s->context.problem = s->problem;
  if (few &&
      rattle__natural_small_create(&s->map, &s->context, &verlet, RATTLE__PROJECT_STEP, &s->error))
    fail_msg("%s", s->error.message);
}

static void close_scene(scene *s) {
  if (s->map) s->map->destroy(s->map);
  rattle__arena_release(&s->context.arena);
  rattle_certifier_destroy(&s->certifier);
  rattle_problem_destroy(&s->problem);
  rattle_model_destroy(&s->model);
}

/* smooth: 0, or rows are other functions that are 0 with g and have its direction there; then the
 * curve is that of g. */
static void write_text(const quadrics *k, int smooth, char *text, size_t size) {
  static const char *const before[] = {"", "exp(", "atan(", "(", "sqrt(4 + ", "sin("},
                           *const after[] = {"", ") - 1", ")", ")/(2 + cos(q[1]))", ") - 2", ")"};
  size_t at = 0;
#define PUT(...) at += (size_t)snprintf(text + at, size - at, __VA_ARGS__)
  PUT("local q, p = {}, {} for i = 1, %d do q[i], p[i] = pair('q' .. i) end hamiltonian(0", k->n);
  for (int a = 0; a < k->n; a++)
    PUT(" + %.17g*p[%d]^2 + %.17g*q[%d]", k->w[a] / 2, a + 1, k->weight[a], a + 1);
  PUT(")");
  for (int i = 0; i < k->m; i++) {
    const int form = smooth ? 1 + (smooth + i) % 5 : 0;
    PUT(" constrain('g%d', %s%.17g", i, before[form], k->c[i]);
    for (int a = 0; a < k->n; a++) {
      PUT(" + %.17g*q[%d]", k->b[i][a], a + 1);
      for (int b = 0; b <= a; b++)
        if (k->S[i][a][b] != 0)
          PUT(" + %.17g*q[%d]*q[%d]", a == b ? k->S[i][a][b] / 2 : k->S[i][a][b], a + 1, b + 1);
    }
    PUT("%s)", after[form]);
  }
  PUT(" start {}");
#undef PUT
  assert_true(at < size);
}

typedef struct tally {
  long candidates, right, other, none, certified, refuted, bad, unjudged;
  long kernel;                   /* certified by the kernel too */
  long stepped, astray, refused; /* by default: steps made, of these wrong; right ones refused */
} tally;

static real apart(const quadrics *k, const real *s, const double *q1) {
  real q[N], most = 0;
  place(k, s, 1, q);
  for (int a = 0; a < k->n; a++) most = larger(most, absolute(q[a] - q1[a]));
  return most;
}

/* True if the kernel proves the end q1. */
static int kernel_proves(scene *by, const quadrics *k, const double *q0, const double *p0,
                         const double *q1) {
  double z0[2 * N], z1[2 * N], V_q[N];
  rattle__fast *fast = by->map->self;
  for (int a = 0; a < k->n; a++)
    z0[a] = q0[a], z0[k->n + a] = p0[a], z1[a] = q1[a], z1[k->n + a] = 0, V_q[a] = k->weight[a];
  return fast->prove(fast, &(rattle__fast_ends){(double)k->h, z0, z1, V_q});
}

/* One candidate: another root perhaps, by Newton's iteration from somewhere. */
static void try_candidate(scene *by, const quadrics *k, const real *truth, int exists, tally *t) {
  real s[M] = {0}, q[N], det, end[M];
  double q1[N], q0[N], p0[N];
  const real spread = expl(2 * normal()) * k->h * k->h;
  for (int i = 0; i < k->m; i++) s[i] = spread * normal();
  if (!newton(k, s, 1, 0, &det)) return;
  place(k, s, 1, q);
  for (int a = 0; a < k->n; a++)
    q1[a] = (double)q[a], q0[a] = (double)k->q[a], p0[a] = (double)k->p[a];
  rattle_certificate c = {.struct_size = sizeof c};
  if (rattle_certifier_check(by->certifier, (double)k->h, q0, p0, q1, &c, &by->error))
    fail_msg("%s", by->error.message);
  const int certified = (int)(c.one_piece + c.tracked);
  int right = exists && apart(k, truth, q1) < 1e-9L;
  if (certified && !(exists && apart(k, truth, q1) <= c.radius * (1 + 1e-6L) + 1e-17L)) {
    /* is it the judge? once more with care */
    const int there = continuation(k, 1e-3L, end);
    right = there && apart(k, end, q1) < 1e-9L;
    t->bad += there && !(apart(k, end, q1) <= c.radius * (1 + 1e-6L) + 1e-15L);
    t->unjudged += !there;
  }
  t->candidates++, t->certified += certified, t->refuted += c.wrong;
  t->right += right, t->other += exists && !right, t->none += !exists;
  if (c.wrong && right) t->bad++;
  if (!by->map || !kernel_proves(by, k, q0, p0, q1)) return;
  t->kernel++;
  t->bad += !certified; /* the tracker proves what the kernel proves */
}

/* The step as it is made by default, without any request for a proof. */
static void try_default(scene *by, const quadrics *k, const real *truth, int exists, tally *t) {
  double q[N], p[N];
  for (int a = 0; a < k->n; a++) q[a] = (double)k->q[a], p[a] = (double)k->p[a];
  rattle_integrator *integrator = rattle_certifier_integrator(by->certifier);
  rattle_state at = {.struct_size = sizeof at, .q = q, .p = p, .h = (double)k->h};
  const rattle_status status = rattle_integrator_step(integrator, &at, 1, &by->error);
  if (status) {
    t->refused += exists;
    return;
  }
  t->stepped++;
  if (exists && apart(k, truth, q) < 1e-9L) return;
  /* few digits are known of it, or is it the judge? */
  double q0[N], p0[N];
  for (int a = 0; a < k->n; a++) q0[a] = (double)k->q[a], p0[a] = (double)k->p[a];
  rattle_certificate c = {.struct_size = sizeof c};
  if (rattle_certifier_check(by->certifier, at.h, q0, p0, q, &c, &by->error))
    fail_msg("%s", by->error.message);
  real end[M];
  t->astray += !continuation(k, 1e-3L, end) || !(apart(k, end, q) <= 1e-9L + c.radius);
}

static void begin(quadrics *k) {
  real g[M], A[M][M], psi[M];
  for (int i = 0; i < k->m; i++) k->c[i] = 0;
  evaluate(k, k->q, g, k->G0);
  for (int i = 0; i < k->m; i++) k->c[i] = (double)-g[i];
  evaluate(k, k->q, k->level, k->G0);
  for (int i = 0; i < k->m; i++) {
    psi[i] = 0;
    for (int a = 0; a < k->n; a++) psi[i] += k->G0[i][a] * k->w[a] * k->p[a];
    for (int j = 0; j < k->m; j++) {
      A[i][j] = 0;
      for (int a = 0; a < k->n; a++) A[i][j] += k->G0[i][a] * k->w[a] * k->G0[j][a];
    }
  }
  solve(k->m, A, psi);
  for (int a = 0; a < k->n; a++) {
    for (int i = 0; i < k->m; i++) k->p[a] -= k->G0[i][a] * psi[i];
    k->p[a] = (double)k->p[a];
  }
}

/* n coordinates, m constraints; near: how much a second normal differs from the first one. */
static void random_quadrics(quadrics *k, int n, int m, double near) {
  *k = (quadrics){.n = n, .m = m, .h = pow(10, 0.5 - 2 * uniform())};
  for (int a = 0; a < n; a++) {
    k->q[a] = normal(), k->p[a] = normal();
    k->w[a] = exp(0.5 * normal()), k->weight[a] = 0.3 * normal();
  }
  for (int i = 0; i < m; i++)
    for (int a = 0; a < n; a++) {
      k->b[i][a] = normal();
      for (int b = 0; b <= a; b++) k->S[i][a][b] = k->S[i][b][a] = normal();
    }
  for (int a = 0; a < n && m > 1; a++) {
    real slope = k->b[0][a];
    for (int b = 0; b < n; b++) slope += (k->S[0][a][b] - k->S[1][a][b]) * k->q[b];
    k->b[1][a] = (double)slope + near * normal();
  }
}

/* Two cylinders with a gap: x^2 + y^2 = 1, y^2 + z^2 = (1 + gap)^2. */
static void cylinders(quadrics *k, double gap) {
  const double phi = pow(10, -4 * uniform()), way = uniform() < 0.5 ? 1 : -1;
  *k = (quadrics){.n = 3, .m = 2, .w = {1, 1, 1}, .h = pow(10, 0.3 - 2 * uniform())};
  k->S[0][0][0] = k->S[0][1][1] = k->S[1][1][1] = k->S[1][2][2] = 2;
  k->q[0] = sin(phi), k->q[1] = cos(phi);
  k->q[2] = (double)sqrtl((long double)((1 + gap) * (1 + gap) - k->q[1] * k->q[1]));
  k->p[0] = -way, k->p[2] = way * (uniform() - 0.5);
}

/* Crank, coupler and rocker, near a toggle: bars 0.8, 1 + gap, 0.8 over a base of 1. */
static void four_bar(quadrics *k, double gap) {
  const double a = pow(10, -3 * uniform()), b = uniform() < 0.5 ? a : -a * uniform();
  *k = (quadrics){.n = 4, .m = 3, .w = {1, 1, 1, 1}, .h = pow(10, 0.3 - 2 * uniform())};
  k->S[0][0][0] = k->S[0][1][1] = k->S[1][2][2] = k->S[1][3][3] = 2;
  k->b[1][2] = -2;
  for (int c = 0; c < 4; c++) k->S[2][c][c] = 2, k->S[2][c][(c + 2) % 4] = -2;
  k->q[0] = 0.8 * cos(a), k->q[1] = 0.8 * sin(a);
  k->q[2] = 1 + gap + 0.8 * cos(b), k->q[3] = 0.8 * sin(b);
  for (int c = 0; c < 4; c++) k->p[c] = normal();
}

/* Two orthonormal axes, each with a mass of its own: N is constant. */
static void two_axes(quadrics *k) {
  *k = (quadrics){.n = 6, .m = 3, .h = pow(10, 0.5 - 2 * uniform())};
  const double light[2] = {exp(normal()), exp(normal())};
  for (int a = 0; a < 6; a++) {
    k->q[a] = normal(), k->p[a] = normal() / light[a / 3];
    k->w[a] = light[a / 3], k->weight[a] = 0.3 * normal();
    k->S[a / 3][a][a] = 2, k->S[2][a][(a + 3) % 6] = 1;
  }
  real along = 0, square = 0, other = 0;
  for (int a = 0; a < 3; a++) square += k->q[a] * k->q[a];
  for (int a = 0; a < 3; a++) k->q[a] /= sqrtl((long double)square);
  for (int a = 0; a < 3; a++) along += k->q[a] * k->q[3 + a];
  for (int a = 0; a < 3; a++) k->q[3 + a] -= along * k->q[a];
  for (int a = 0; a < 3; a++) other += k->q[3 + a] * k->q[3 + a];
  for (int a = 0; a < 3; a++) k->q[3 + a] /= sqrtl((long double)other);
}

static void attack(const char *name, int kind, double size, tally *all) {
  tally t = {0};
  /* one in thirty of these is a step that only the proof does not refuse */
  const int starts = size == 1e-4 ? 3 * attacks : attacks;
  for (int start = 0; start < starts; start++) {
    quadrics k;
    scene s;
    char text[8192];
    real truth[M];
    if (kind < 0)
      cylinders(&k, size);
    else if (kind == 0)
      four_bar(&k, size);
    else if (kind == AXES)
      two_axes(&k);
    else if (kind == SMOOTH)
      random_quadrics(&k, 2 + 2 * (start % 3), 1 + start % 3, 1);
    else
      random_quadrics(&k, 2 * kind, kind, size);
    for (int a = 0; a < k.n; a++) k.q[a] = (double)k.q[a], k.p[a] = (double)k.p[a];
    k.h = (double)k.h;
    begin(&k);
    write_text(&k, kind == SMOOTH ? 1 + start / 3 : 0, text, sizeof text);
    open_scene(&s, text, kind != SMOOTH);
    const int exists = continuation(&k, 1.0L / 64, truth);
    for (int c = 0; c < 6; c++) try_candidate(&s, &k, truth, exists, &t);
    if (kind != SMOOTH) try_default(&s, &k, truth, exists, &t);
    close_scene(&s);
  }
  if (attacks != 40)
    printf("%-24s %8ld candidates: %8ld right, %7ld another root, %7ld no end; %8ld certified, "
           "%8ld by the kernel too, %6ld refuted, %ld wrongly, %ld not judged\n",
           name, t.candidates, t.right, t.other, t.none, t.certified, t.kernel, t.refuted, t.bad,
           t.unjudged);
  if (attacks != 40)
    printf("%-24s %8ld steps by default: %ld wrong, %ld refused that have an end\n", name,
           t.stepped, t.astray, t.refused);
  if (JUDGES_ALL) assert_int_equal(t.astray, 0), assert_int_equal(t.refused, 0);
  assert_int_equal(t.bad, 0);
  assert_true(!JUDGES_ALL || t.unjudged == 0);
  if (kind == SMOOTH) assert_true(10 * t.certified > 9 * t.right);
  if (size == 1 && kind != SMOOTH) assert_true(2 * t.kernel > t.certified);
  all->certified += t.certified, all->refuted += t.refuted;
  all->other += t.other, all->none += t.none;
}

static void test_attacks(void **state) {
  static const struct {
    const char *name;
    int kind;
    double size;
  } by[] = {{"one quadric", 1, 1},
            {"two quadrics", 2, 1},
            {"normals 1e-2 apart", 2, 1e-2},
            {"normals 1e-4 apart", 2, 1e-4},
            {"three quadrics", 3, 1},
            {"two axes", AXES, 1},
            {"functions of quadrics", SMOOTH, 1},
            {"cylinders, gap 1e-1", -1, 1e-1},
            {"cylinders, gap 1e-3", -1, 1e-3},
            {"cylinders, gap 1e-6", -1, 1e-6},
            {"four-bar, gap 1e-1", 0, 1e-1},
            {"four-bar, gap 1e-3", 0, 1e-3},
            {"four-bar, gap 1e-6", 0, 1e-6}};
  tally all = {0};
  (void)state;
  for (size_t k = 0; k < sizeof by / sizeof *by; k++)
    attack(by[k].name, by[k].kind, by[k].size, &all);
  assert_true(all.certified > 0 && all.refuted > 0 && all.other > 0 && all.none > 0);
}

/* A curve that turns away to 60 times its start, along which 600 pieces are tried. */
static void test_long_way(void **state) {
  quadrics k;
  scene s;
  char text[8192];
  real truth[M];
  tally t = {0};
  (void)state;
  seed = 17983479057172819185u;
  random_quadrics(&k, 4, 2, 1);
  begin(&k);
  write_text(&k, 0, text, sizeof text);
  open_scene(&s, text, 1);
  assert_true(continuation(&k, 1e-3L, truth));
  try_default(&s, &k, truth, 1, &t);
  assert_int_equal(t.stepped, 1);
  assert_int_equal(t.astray, 0);
  close_scene(&s);
}

int main(int argc, char **argv) {
  if (argc > 1) attacks = atoi(argv[1]);
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_attacks),
                                     cmocka_unit_test(test_long_way)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
