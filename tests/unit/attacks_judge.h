#ifndef RATTLE_TESTS_ATTACKS_JUDGE_H
#define RATTLE_TESTS_ATTACKS_JUDGE_H
/* The judge of attacks on certificates, and what they begin and end with. After MOST, the most
 * unknowns, `real` and `problem` with h; newton is the includer's. */
#include <string.h>

/* A root of the equations of a step t h near u [n]; the sizes of its first and second corrections,
 * and the determinant there. 0: there is none. */
static int newton(const problem *k, real t, real *u, real *first, real *second, real *det);

/* x = J^-1 F, and det J. */
static int solve(int n, real J[MOST][MOST], real *F, real *det) {
  *det = 1;
  for (int p = 0; p < n; p++) {
    int best = p;
    for (int i = p + 1; i < n; i++)
      if (fabsl(J[i][p]) > fabsl(J[best][p])) best = i;
    if (!(fabsl(J[best][p]) > 0)) return 0;
    for (int j = 0; j < n && best != p; j++) {
      const real x = J[p][j];
      J[p][j] = J[best][j], J[best][j] = x;
    }
    if (best != p) {
      const real x = F[p];
      F[p] = F[best], F[best] = x, *det = -*det;
    }
    *det *= J[p][p];
    for (int i = p + 1; i < n; i++) {
      const real by = J[i][p] / J[p][p];
      for (int j = p; j < n; j++) J[i][j] -= by * J[p][j];
      F[i] -= by * F[p];
    }
  }
  for (int i = n; i-- > 0;) {
    for (int j = i + 1; j < n; j++) F[i] -= J[i][j] * F[j];
    F[i] /= J[i][i];
  }
  return 1;
}

/* The end u [n] of the curve from the start u, in steps of at most `longest`; corrections below
 * `small` are round-off. 0: it has none. */
static int follow_curve(const problem *k, int n, real longest, real small, real *u) {
  real slope[MOST] = {0}, t = 0, way = longest / 64, det, last = 0;
  while (t < 1) {
    real next[MOST], first, second;
    const real to = t + way < 1 ? t + way : 1;
    for (int i = 0; i < n; i++) next[i] = u[i] + (to - t) * slope[i];
    const int found = newton(k, to, next, &first, &second, &det);
    const real change = last == 0 ? 1 : det / last;
    if (found && (second <= 0.02L * first || first < small) && change > 0.8L && change < 1.25L &&
        first < 0.05L) {
      for (int i = 0; i < n; i++) slope[i] = (next[i] - u[i]) / (to - t), u[i] = next[i];
      t = to, last = det, way = fminl(1.5L * way, longest);
      continue;
    }
    way /= 2;
    if (way < 1e-11L) return 0;
  }
  return 1;
}

typedef struct scene {
  rattle_model *model;
  rattle_problem *problem;
  rattle_certifier *certifier;
  rattle_problem *native; /* the same as machine code; NULL: not asked for */
  rattle_certifier *compiled;
  rattle_error error;
} scene;

/* 1: machine code has to give the certificates of the interpreter, bit for bit. */
static int with_code = 0;

static void open_scene(scene *s, const char *text, const char *method) {
  const rattle_problem_options how = {.struct_size = sizeof how,
                                      .evaluator = RATTLE_EVALUATOR_BLOCK},
                               native = {.struct_size = sizeof native,
                                         .evaluator = RATTLE_EVALUATOR_NATIVE};
  memset(s, 0, sizeof *s);
  if (rattle_model_parse(&s->model, text, "attack", NULL, &s->error) ||
      rattle_problem_create(&s->problem, s->model, &how, &s->error) ||
      rattle_certifier_create(&s->certifier, s->problem, method, &s->error))
    fail_msg("%s", s->error.message);
  if (with_code && (rattle_problem_create(&s->native, s->model, &native, &s->error) ||
                    rattle_certifier_create(&s->compiled, s->native, method, &s->error)))
    fail_msg("%s", s->error.message);
}

/* The certificate of a substep, by machine code too if there is any. */
static inline rattle_certificate check(scene *s, double h, const double *q0, const double *p0,
                                       const double *q1) {
  rattle_certificate c = {.struct_size = sizeof c}, same = c;
  if (rattle_certifier_check(s->certifier, h, q0, p0, q1, &c, &s->error) ||
      (s->compiled && rattle_certifier_check(s->compiled, h, q0, p0, q1, &same, &s->error)))
    fail_msg("%s", s->error.message);
  if (s->compiled) assert_memory_equal(&c, &same, sizeof c);
  return c;
}

static void close_scene(scene *s) {
  rattle_certifier_destroy(&s->compiled);
  rattle_problem_destroy(&s->native);
  rattle_certifier_destroy(&s->certifier);
  rattle_problem_destroy(&s->problem);
  rattle_model_destroy(&s->model);
}

typedef struct tally {
  long candidates, right, other, none, certified, refuted, open, bad;
} tally;
#endif
