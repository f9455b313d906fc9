#ifndef RATTLE_TESTS_TWO_STEPS_H
#define RATTLE_TESTS_TWO_STEPS_H
/* Steps by an algorithm for some kind of constraints next to those of the general step, which takes
 * over where there is doubt. After cmocka.h. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "rattle/rattle.h"

enum { MOST = 900 };

typedef struct run {
  rattle_model *model;
  rattle_problem *problem;
  rattle_integrator *integrator;
  rattle_state state;
  int n;
  double q[MOST], p[MOST];
  rattle_error error;
} run;

static void begin(run *r, const char *text, const char *method, int evaluator, double h) {
  *r = (run){0};
  const rattle_problem_options options = {.evaluator = evaluator};
  if (rattle_model_parse(&r->model, text, "m.lua", NULL, &r->error) ||
      rattle_problem_create(&r->problem, r->model, &options, &r->error) ||
      rattle_problem_start(r->problem, 1, r->q, r->p, NULL, &r->error) ||
      rattle_integrator_create(&r->integrator, r->problem, method, &r->error))
    fail_msg("%s: %s", method, r->error.message);
  r->n = rattle_problem_n(r->problem);
  assert_in_range(r->n, 1, MOST);
  r->state = (rattle_state){.q = r->q, .p = r->p, .h = h};
}

static void end(run *r) {
  rattle_integrator_destroy(&r->integrator);
  rattle_problem_destroy(&r->problem);
  rattle_model_destroy(&r->model);
}

static void advance(run *r, long long steps) {
  if (rattle_integrator_step(r->integrator, &r->state, steps, &r->error))
    fail_msg("%s", r->error.message);
}

static double apart(int n, const double *a, const double *b) {
  double most = 0;
  for (int k = 0; k < n; k++) most = fmax(most, fabs(a[k] - b[k]));
  return most;
}

/* One step of h from a start, by both; returns 1 if both end, -1 if both fail, 0 if they do not end
 * alike. */
static int step_both(run *r, run *general, double h, const double *q, const double *p) {
  run *const both[2] = {r, general};
  rattle_status status[2];
  for (int k = 0; k < 2; k++) {
    memcpy(both[k]->q, q, sizeof r->q);
    memcpy(both[k]->p, p, sizeof r->p);
    both[k]->state = (rattle_state){.q = both[k]->q, .p = both[k]->p, .h = h};
    status[k] = rattle_integrator_step(both[k]->integrator, &both[k]->state, 1, &both[k]->error);
  }
  if (status[0] || status[1])
    return status[0] == status[1] && !memcmp(r->q, q, sizeof r->q) && !memcmp(r->p, p, sizeof r->p)
               ? -1
               : 0;
  return fmax(apart(r->n, r->q, general->q), apart(r->n, r->p, general->p)) < 1e-9;
}

static const char *solver_of(const run *r) {
  return rattle_integrator_solver(r->integrator);
}

/* A method whose wrapper's first ')' ends the options: the same with the general solver. */
static void run_general(run *r, const char *text, const char *method, double h) {
  char other[100];
  const size_t head = strcspn(method, ")");
  snprintf(other, sizeof other, "%.*s, solver=newton%s", (int)head, method, method + head);
  begin(r, text, other, RATTLE_EVALUATOR_BLOCK, h);
}

/* 20 steps of a method by both. */
static void check_agreement(const char *text, const char *method, const char *solver) {
  run r, general;
  begin(&r, text, method, RATTLE_EVALUATOR_BLOCK, 0.01);
  assert_string_equal(solver_of(&r), solver);
  run_general(&general, text, method, 0.01);
  advance(&r, 20);
  advance(&general, 20);
  const double off = fmax(apart(r.n, r.q, general.q), apart(r.n, r.p, general.p));
  if (!(off < 1e-11)) fail_msg("%s: %g from the general step of\n%s", method, off, text);
  end(&general);
  end(&r);
}

/* Steps of all lengths from two starts: those in doubt are the general step's, so all end alike,
 * and those that fail change nothing. Counts them. */
static void check_doubt(const char *text, int *sound, int *failed) {
  run r, general;
  begin(&r, text, "rattle(verlet)", RATTLE_EVALUATOR_BLOCK, 1);
  run_general(&general, text, "rattle(verlet)", 1);
  double q[MOST], p[MOST];
  for (int start = 0; start < 2; start++) {
    memcpy(q, r.q, sizeof q);
    memcpy(p, r.p, sizeof p);
    for (int e = 0; e < 12; e++) {
      const double h = (e % 2 ? -1 : 1) * 0.05 * exp2(e / 3.0);
      const int alike = step_both(&r, &general, h, q, p);
      if (!alike)
        fail_msg("start %d, step %g: \"%s\", general \"%s\", %g apart; %s", start, h,
                 r.error.message, general.error.message, apart(r.n, r.q, general.q), text);
      *sound += alike > 0;
      *failed += alike < 0;
    }
    memcpy(r.q, q, sizeof q);
    memcpy(r.p, p, sizeof p);
    r.state = (rattle_state){.q = r.q, .p = r.p, .h = 0.02};
    advance(&r, 30);
  }
  end(&general);
  end(&r);
}

/* 100 steps by both evaluators, and steps by one, with the same bits; forth and back is the start.
 * r is at the end of the first 100. */
static void check_run(run *r, const char *text) {
  run other;
  begin(r, text, "rattle(verlet)", RATTLE_EVALUATOR_BLOCK, 0.01);
  advance(r, 100);
  begin(&other, text, "rattle(verlet)", RATTLE_EVALUATOR_NATIVE, 0.01);
  double first[MOST];
  memcpy(first, other.q, sizeof first);
  for (int step = 0; step < 100; step++) {
    if (step == 50) { /* as from a record */
      rattle_integrator_destroy(&other.integrator);
      assert_int_equal(rattle_integrator_create(&other.integrator, other.problem, "rattle(verlet)",
                                                &other.error),
                       RATTLE_OK);
    }
    advance(&other, 1);
  }
  assert_memory_equal(r->q, other.q, sizeof r->q);
  assert_memory_equal(r->p, other.p, sizeof r->p);
  other.state.h = -other.state.h;
  advance(&other, 100);
  if (!(apart(other.n, other.q, first) < 1e-10))
    fail_msg("%g from the start of\n%s", apart(other.n, other.q, first), text);
  end(&other);
}
#endif
