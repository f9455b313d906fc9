/* The guard that follows multipliers from h = 0, on equations made up for it: what it takes, what
 * it refuses, when it gives up. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "rattle/rattle.h"
#include "constraint/guard/follow.h"

/* An equation whose solution at the part s of the step is lambda = s^3 + 0.4 s. */
typedef struct made_up {
  double reach; /* an iteration shows that it was near where it began at most that far from the
                solution */
  double fold;  /* beyond this part of the step the determinant has another sign */
  double turn;  /* beyond this part of the step Newton's matrix is a third of what it was */
  rattle_status fails;       /* what each solution ends with beyond half of the step */
  double *lambda, at;        /* at: the part solved last */
  int good, solved, taken;   /* of the solution at hand; numbers of solutions, and of those taken */
  double last;               /* the part taken last */
  rattle__follower *inner;   /* NULL, or a guard at work inside each solution */
  rattle_status inner_ended; /* how it did last */
} made_up;

static double solution(double s) {
  return s * s * s + 0.4 * s;
}

static rattle_status solve(void *self, double h, const double *z0, double *z1, rattle__course *c,
                           rattle_error *error) {
  made_up *s = self;
  memcpy(z1, z0, 4 * sizeof *z1);
  s->solved++;
  s->at = h;
  s->good = 0;
  if (s->inner) s->inner_ended = rattle__follow(s->inner, 1, z0, z1, error);
  if (s->inner && s->inner_ended) return s->inner_ended;
  if (s->fails && h > 0.5) return rattle__fail(error, s->fails, NULL, "made up");
  const double off = fabs(*s->lambda - solution(h));
  *s->lambda = solution(h);
  c->k = 2;
  c->history[0] = 1e10;
  c->history[1] = off > s->reach ? 9e9 : 1e5;
  c->allowed_ratio = rattle__doubt_newton;
  s->good = off <= s->reach;
  return RATTLE_OK;
}

static rattle_status side(void *self, int *sign) {
  made_up *s = self;
  s->good &= s->at <= s->fold;
  *sign = s->at <= s->fold ? 1 : -1;
  return RATTLE_OK;
}

static int from_limit(void *self, double h, const double *v, double *x) {
  const made_up *s = self;
  *x = h > s->turn ? 3 * *v : *v;
  return 1;
}

static void taken(void *self) {
  made_up *s = self;
  assert_true(s->good);
  assert_true(s->at >= s->last); /* in order; the last one once more where the curve is lost */
  s->last = s->at;
  s->taken++;
}

/* Newton's matrix, and a slide, so that g is not asked for. */
static const rattle__tracked_equation sought = {
    .solve = solve, .side = side, .taken = taken, .newton = 1, .projection = 1};

/* The same, whose matrix is compared from one substep to the next. */
static const rattle__tracked_equation compared = {.solve = solve,
                                                  .side = side,
                                                  .from_limit = from_limit,
                                                  .taken = taken,
                                                  .newton = 1,
                                                  .projection = 1};

typedef struct scene {
  rattle_model *model;
  rattle_problem *problem;
  rattle__context context;
  made_up one, other;
  double lambda[2], z0[4], z1[4];
  rattle_error error;
} scene;

static rattle__follower *follower_by(scene *s, const rattle__tracked_equation *by,
                                     made_up *equation, double *lambda) {
  *equation = (made_up){.reach = 0.05, .fold = 2, .turn = 2, .lambda = lambda};
  rattle__follower *f = rattle__follower_create(&s->context, by, 1, lambda, equation);
  assert_non_null(f);
  return f;
}

static rattle__follower *follower(scene *s, made_up *equation, double *lambda) {
  return follower_by(s, &sought, equation, lambda);
}

static rattle__follower *open_scene(scene *s) {
  static const char text[] =
      "local x, px = pair('x') local y, py = pair('y') hamiltonian((px^2 + py^2)/2 + y)"
      "constrain('rod', x^2 + y^2 - 1) start { x = 1, py = -2 }";
  memset(s, 0, sizeof *s);
  if (rattle_model_parse(&s->model, text, "follow", NULL, &s->error))
    fail_msg("%s", s->error.message);
  if (rattle_problem_create(&s->problem, s->model, NULL, &s->error))
    fail_msg("%s", s->error.message);
  s->context.problem = s->problem;
  s->z0[0] = 1, s->z0[3] = -2;
  return follower(s, &s->one, &s->lambda[0]);
}

static void close_scene(scene *s) {
  rattle__arena_release(&s->context.arena);
  rattle_problem_destroy(&s->problem);
  rattle_model_destroy(&s->model);
}

/* Substeps grow where the secant is near, and the last one taken is the step. */
static void arrives(void **unused) {
  (void)unused;
  scene s;
  rattle__follower *f = open_scene(&s);
  assert_int_equal(rattle__follow(f, 1, s.z0, s.z1, &s.error), RATTLE_OK);
  assert_true(s.one.last == 1 && fabs(s.lambda[0] - solution(1)) < 1e-15);
  assert_in_range(s.one.taken, 5, 12);
  assert_in_range(s.one.solved, s.one.taken, 30);
  assert_true(s.context.counts.followed == 1 && s.context.followers == 0 && !f->following);
  close_scene(&s);
}

/* Substeps that must be short are made, and rejected ones are not taken for their beginning. */
static void with_short_substeps(void **unused) {
  (void)unused;
  scene s;
  rattle__follower *f = open_scene(&s);
  s.one.reach = 1e-3;
  assert_int_equal(rattle__follow(f, 1, s.z0, s.z1, &s.error), RATTLE_OK);
  assert_true(s.one.last == 1);
  assert_in_range(s.one.taken, 12, 100);
  assert_true(s.one.solved > s.one.taken);
  close_scene(&s);
}

/* The curve has an end: where it is lost, and N at both ends, are in the error. */
static void lost_at_a_fold(void **unused) {
  (void)unused;
  scene s;
  rattle__follower *f = open_scene(&s);
  s.one.fold = 0.7;
  assert_int_equal(rattle__follow(f, 1, s.z0, s.z1, &s.error), RATTLE_DEGENERATE);
  if (!strstr(s.error.message, "after 70 % of the projection") ||
      !strstr(s.error.message, "is 4 at the start of the step and 4 there"))
    fail_msg("%s", s.error.message);
  assert_true(s.error.constraint == 0 && s.context.followers == 0);
  close_scene(&s);
}

/* From the beginning: then there is no other end to speak of. */
static void lost_at_once(void **unused) {
  (void)unused;
  scene s;
  rattle__follower *f = open_scene(&s);
  s.one.reach = -1;
  assert_int_equal(rattle__follow(f, 1, s.z0, s.z1, &s.error), RATTLE_DEGENERATE);
  if (!strstr(s.error.message, "is 4 at the start of the step; if"))
    fail_msg("%s", s.error.message);
  assert_true(s.one.taken == 0 && s.one.solved == 10);
  close_scene(&s);
}

/* Failures that a shorter substep may avoid are tried again, others are not. */
static void failures(void **unused) {
  (void)unused;
  static const rattle_status shorter[] = {RATTLE_NOT_CONVERGED, RATTLE_SINGULAR},
                             final[] = {RATTLE_CALLBACK, RATTLE_NO_MEMORY};
  for (int i = 0; i < 2; i++) {
    scene s;
    rattle__follower *f = open_scene(&s);
    s.one.fails = shorter[i];
    assert_int_equal(rattle__follow(f, 1, s.z0, s.z1, &s.error), RATTLE_DEGENERATE);
    assert_true(s.one.last > 0.49 && s.one.last <= 0.5);
    close_scene(&s);
    f = open_scene(&s);
    s.one.fails = final[i];
    assert_int_equal(rattle__follow(f, 1, s.z0, s.z1, &s.error), final[i]);
    assert_string_equal(s.error.message, "made up");
    assert_true(s.one.at > 0.5 &&
                s.one.last <= 0.5); /* the first solution that failed was the last */
    close_scene(&s);
  }
}

/* Neither found nor lost after 400 trials. */
static void gives_up(void **unused) {
  (void)unused;
  scene s;
  rattle__follower *f = open_scene(&s);
  s.one.reach = 1e-7;
  assert_int_equal(rattle__follow(f, 1, s.z0, s.z1, &s.error), RATTLE_NOT_CONVERGED);
  if (!strstr(s.error.message, "and gave up")) fail_msg("%s", s.error.message);
  assert_in_range(s.one.solved, 4001, 4010);
  close_scene(&s);
}

/* Guards one inside the other share what they may spend: 200 solutions inside each solution end
 * with 20 000, not with 80 000. */
static void one_budget(void **unused) {
  (void)unused;
  scene s;
  rattle__follower *f = open_scene(&s);
  s.one.reach = 1e-7;
  s.one.inner = follower(&s, &s.other, &s.lambda[1]);
  s.other.reach = 1.5e-4;
  const int alone =
      (s.other.last = 0, rattle__follow(s.one.inner, 1, s.z0, s.z1, &s.error), s.other.solved);
  assert_in_range(alone, 100, 400);
  s.other.solved = 0;
  s.other.last = -1e9;
  rattle__tracked_equation repeated = sought;
  repeated.taken = NULL;
  s.one.inner->sought = &repeated;
  assert_int_equal(rattle__follow(f, 1, s.z0, s.z1, &s.error), RATTLE_NOT_CONVERGED);
  if (!strstr(s.error.message, "and gave up")) fail_msg("%s", s.error.message);
  assert_in_range(s.one.solved + s.other.solved, 20000, 20000 + alone);
  assert_true(s.context.followers == 0);
  close_scene(&s);
}

/* Without doubt the step is that of the guess, and nothing is followed. */
static void guarded(void **unused) {
  (void)unused;
  scene s;
  rattle__follower *f = open_scene(&s);
  s.one.reach = 10;
  assert_int_equal(rattle__guarded_step(f, 1, s.z0, s.z1, 0, &s.error), RATTLE_OK);
  assert_true(s.one.solved == 1 && s.one.taken == 0 && s.context.counts.followed == 0);
  assert_int_equal(rattle__guarded_step(f, 1, s.z0, s.z1, 1, &s.error), RATTLE_OK);
  assert_true(s.one.last == 1 && s.context.counts.followed == 1);
  close_scene(&s);
}

/* A leap to where Newton's matrix is another one is not taken, whatever the residuals. */
static void matrices_are_compared(void **unused) {
  (void)unused;
  scene s;
  open_scene(&s);
  rattle__follower *f = follower_by(&s, &compared, &s.one, &s.lambda[0]);
  assert_int_equal(rattle__follow(f, 1, s.z0, s.z1, &s.error), RATTLE_OK);
  assert_true(s.one.last == 1);
  s.one.turn = 0.3;
  s.one.last = 0;
  assert_int_equal(rattle__follow(f, 1, s.z0, s.z1, &s.error), RATTLE_DEGENERATE);
  assert_true(s.one.last > 0.29 && s.one.last <= 0.3);
  close_scene(&s);
}

/* Residuals that begin to fall only after the first correction. */
static rattle_status wander(void *self, rattle__course *c, rattle_error *error) {
  (void)error;
  ++*(int *)self;
  c->residual = c->k ? 5e11 + c->k % 2 * 4e11 : 1e12;
  return RATTLE_OK;
}

static rattle_status stay(void *self, rattle__course *c, rattle_error *error) {
  (void)self, (void)c, (void)error;
  return RATTLE_OK;
}

/* An iteration whose result the guard would refuse ends after eight corrections, another one after
 * sixty. */
static void ends_what_is_in_vain(void **unused) {
  (void)unused;
  static const rattle__equation equation = {NULL, wander, NULL, stay};
  scene s;
  open_scene(&s);
  for (int must_be_near = 0; must_be_near < 2; must_be_near++) {
    int looks = 0;
    rattle__course c = {.must_be_near = must_be_near};
    assert_int_equal(rattle__iterate(&equation, &looks, &s.context, 0, &c, &s.error),
                     RATTLE_NOT_CONVERGED);
    assert_int_equal(looks, must_be_near ? 9 : 61);
  }
  close_scene(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(arrives),
                                     cmocka_unit_test(with_short_substeps),
                                     cmocka_unit_test(lost_at_a_fold),
                                     cmocka_unit_test(lost_at_once),
                                     cmocka_unit_test(failures),
                                     cmocka_unit_test(gives_up),
                                     cmocka_unit_test(one_budget),
                                     cmocka_unit_test(guarded),
                                     cmocka_unit_test(matrices_are_compared),
                                     cmocka_unit_test(ends_what_is_in_vain)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
