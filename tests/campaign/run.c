/* Runs and their verdicts. See run.h. */
#include "run.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "general.h"
#include "natural.h"

const char *const outcome_names[OUTCOMES] = {"right",         "with cause", "borderline",
                                             "without cause", "gone over",  "inexact",
                                             "bad start",     "misjudged"};

/* A run ends when its truths have cost this much: long steps near folds, in methods with many
 * unknowns. */
static const double enough = 1e5;

void machine_stop(machine *at) {
  rattle_certifier_destroy(&at->certifier);
  rattle_integrator_destroy(&at->integrator);
  rattle_problem_destroy(&at->problem);
  rattle_model_destroy(&at->model);
}

/* How small momenta are, in those that lead over a length in a time: g and psi turn by what moves
 * them as much. */
static double smallness(const problem *pr, const double *p) {
  double most = 0;
  for (int k = 0; k < pr->n; k++)
    most = fmax(most, fabs(p[k]) / (pr->unit.mass * pr->unit.length / pr->unit.time));
  return fmin(most, 1);
}

/* A start that was projected is on the constraints, and not far from where it was. */
static rattle_status judge_projection(const problem *pr, const double *q, const double *p,
                                      rattle_error *error) {
  formula_work work = {0};
  const double residual = judge_residual(pr, q, q, p, &work);
  double moved = 0;
  for (int k = 0; k < pr->n; k++) moved = fmax(moved, fabs(q[k] - pr->off_q[k]) / pr->unit.length);
  formula_work_free(&work);
  if (residual < judge_round_off &&
      moved < 100 * pr->off / (pr->fibre == FIBRE_MOMENTA ? 1 : smallness(pr, p)))
    return RATTLE_OK;
  snprintf(error->message, sizeof error->message,
           "projected %.2g away from %.2g, g and psi are %.2g units", moved, pr->off, residual);
  return error->status = RATTLE_OFF_CONSTRAINTS;
}

rattle_status machine_start(const problem *pr, machine *at, double *q, double *p,
                            rattle_error *error) {
  char *text = problem_text(pr);
  const rattle_problem_options options = {.evaluator = pr->native ? RATTLE_EVALUATOR_NATIVE
                                                                  : RATTLE_EVALUATOR_BLOCK,
                                          .steps = pr->steps};
  *at = (machine){0};
  rattle_status status = rattle_model_parse(&at->model, text, "campaign", NULL, error);
  free(text);
  if (!status) status = rattle_problem_create(&at->problem, at->model, &options, error);
  if (!status) status = rattle_problem_start(at->problem, 0, q, p, NULL, error);
  if (!status && pr->off > 0) status = judge_projection(pr, q, p, error);
  if (!status)
    status = rattle_integrator_create(&at->integrator, at->problem, pr->method->text, error);
  return status;
}

int machine_is_unstable(const problem *pr, const double *q, const double *p, formula_work *work) {
  long double z[ENTRIES];
  general_point at;
  for (int k = 0; k < pr->n; k++) {
    z[k] = q[k];
    z[pr->n + k] = p[k];
  }
  general_evaluate(pr, z, FORMULA_H, work, &at);
  for (int k = 0; k < pr->n; k++)
    if (!(fabsl(pr->h * at.dH[pr->n + k]) < 10 * general_size(pr, k)) ||
        !(fabs(q[k]) < 1e5 * general_size(pr, k)))
      return 1;
  return 0;
}

static void describe(const problem *pr, const truth *t, const double *q, const double *p,
                     int taken) {
  printf("  truth: %s, followed through %.4f, margin %.3g, %d pieces\n",
         t->reaches ? "has a solution" : "ends before", t->part, t->margin, t->pieces);
  for (int k = 0; k < pr->n && t->reaches; k++) {
    printf("    %-6s %.17Lg round-off %.1Le", pr->f.names[k], t->q[k], t->q_error[k]);
    if (taken) printf("  library %.17g, off by %.2Le", q[k], q[k] - t->q[k]);
    printf("\n    %-6s %.17Lg round-off %.1Le", pr->f.names[pr->n + k], t->p[k], t->p_error[k]);
    if (taken) printf("  library %.17g, off by %.2Le", p[k], p[k] - t->p[k]);
    printf("\n");
  }
}

/* Asks the certificate of a step that was taken, which is made once more. It decides where the
 * continuation was given up, and where it finds another root. before: the time and the number of
 * the step */
static void prove(const problem *pr, const machine *at, rattle_state before, const attempt *made,
                  run_result *result) {
  double q[PAIRS], p[PAIRS];
  rattle_state state = before;
  rattle_certificate c = {.struct_size = sizeof c};
  rattle_error error;
  if (!at->certifier || !made->taken) return;
  memcpy(q, made->q0, sizeof q);
  memcpy(p, made->p0, sizeof p);
  state.q = q, state.p = p;
  if (rattle_certifier_step(at->certifier, &state, 1, &c, &error) ||
      memcmp(q, made->q, (size_t)pr->n * sizeof *q))
    abort(); /* a step is a pure function */
  struct run_proofs *sum = &result->proofs;
  const int right = !c.open && !c.wrong;
  sum->asked += c.substeps, sum->one_piece += c.one_piece, sum->tracked += c.tracked;
  sum->open += c.open, sum->wrong += c.wrong;
  sum->contradicted +=
      (right && result->outcome == GONE_OVER) || (c.wrong && result->outcome == RIGHT);
  if (right && result->outcome == BORDERLINE) result->outcome = RIGHT;
  if (c.wrong) result->outcome = GONE_OVER;
}

static void step_through(const problem *pr, machine *at, double *q, double *p, int talk,
                         run_result *result, formula_work *work) {
  rattle_state state = {.q = q, .p = p, .h = pr->h};
  rattle_error error = {0};
  truth t;
  distance apart;
  result->least_margin = 1;
  double effort = 0, first_q[PAIRS], first_p[PAIRS];
  memcpy(first_q, q, sizeof *q * (size_t)pr->n);
  memcpy(first_p, p, sizeof *p * (size_t)pr->n);
  for (int k = 0; k < pr->steps && result->outcome == RIGHT && effort < enough; k++) {
    double q0[PAIRS], p0[PAIRS];
    memcpy(q0, q, sizeof q0);
    memcpy(p0, p, sizeof p0);
    if (machine_is_unstable(pr, q, p, work)) break;
    const rattle_state start = state;
    const rattle_status status = rattle_integrator_step(at->integrator, &state, 1, &error);
    const attempt made = {status == RATTLE_OK, status, q0, p0, q, p, first_q, first_p, k};
    result->outcome = judge(pr, &made, work, &t, &apart);
    prove(pr, at, start, &made, result);
    effort += t.effort;
    if (status == RATTLE_OK) result->steps++;
    if (status == RATTLE_OK && t.reaches) result->compared++;
    if (result->outcome == RIGHT) {
      result->worst = fmax(result->worst, fmin(apart.units, apart.moved * 1e12));
      result->residual = fmax(result->residual, apart.residual);
      if (t.reaches) result->least_margin = fmin(result->least_margin, t.margin);
      long double before[PAIRS];
      for (int i = 0; i < pr->n; i++) before[i] = q0[i];
      if (pr->has_part && t.reaches &&
          !(judge_part(pr, before, work) * judge_part(pr, t.q, work) > 0)) {
        fprintf(stderr, "%s, seed %llu, problem %llu: the truth itself went over\n", pr->family,
                (unsigned long long)pr->seed, (unsigned long long)pr->index);
        abort();
      }
      continue;
    }
    result->status = status;
    result->part = t.part;
    result->margin = t.margin;
    if (status)
      snprintf(result->message, sizeof result->message, "step %d: %.380s", k, error.message);
    else
      snprintf(result->message, sizeof result->message,
               "step %d: off by %.2g units, %.2g of its way; g and psi %.2g units", k, apart.units,
               apart.moved, apart.residual);
    if (!talk) continue;
    printf("step %d, %s: %s\n", k, outcome_names[result->outcome], result->message);
    for (int i = 0; i < pr->n; i++)
      printf("    from %s = %.17g, %s = %.17g\n", pr->f.names[i], q0[i], pr->f.names[pr->n + i],
             p0[i]);
    describe(pr, &t, q, p, status == RATTLE_OK);
  }
  result->followed = (int)rattle_integrator_counts(at->integrator).followed;
}

/* The doctor must find constraints that determine the motion, none redundant, and a start on
 * them. */
static int doctor_agrees(const problem *pr, const machine *at, run_result *result) {
  const rattle_doctor_options options = {.struct_size = sizeof options, .no_trial = 1};
  rattle_doctor *doctor = NULL;
  rattle_error error = {0};
  const char *wanted = pr->second_class ? "second_class" : "coisotropic";
  const rattle_status status =
      rattle_doctor_create(&doctor, at->model, at->problem, &options, &error);
  int agrees = 0;
  char message[400];
  if (status) {
    result->status = status;
    snprintf(message, sizeof message, "check: %.380s", error.message);
  } else {
    const rattle_diagnosis *found = rattle_doctor_diagnosis(doctor);
    agrees = !strcmp(found->class_, wanted) && !found->redundants &&
             (!found->refused == !pr->second_class) &&
             (pr->off > 0 || (found->on_constraints && found->on_hidden));
    snprintf(message, sizeof message, "check: class %s, not %s; %d redundant; start %d %d; %.250s",
             found->class_, wanted, found->redundants, found->on_constraints, found->on_hidden,
             found->refused ? found->refused : "");
  }
  rattle_doctor_destroy(&doctor);
  if (!agrees) memcpy(result->message, message, sizeof message);
  return agrees;
}

void run_problem(const problem *pr, const run_wishes *wishes, run_result *result) {
  machine at;
  double q[PAIRS], p[PAIRS];
  rattle_error error = {0};
  formula_work work = {0};
  *result = (run_result){.outcome = RIGHT};
  if (machine_start(pr, &at, q, p, &error)) {
    result->outcome = BAD_START;
    result->status = error.status;
    snprintf(result->message, sizeof result->message, "start: %.380s", error.message);
  } else {
    if (wishes->prove) rattle_certifier_create(&at.certifier, at.problem, pr->method->text, &error);
    step_through(pr, &at, q, p, wishes->talk, result, &work);
    const int fine =
        result->outcome == RIGHT || result->outcome == WITH_CAUSE || result->outcome == BORDERLINE;
    if (wishes->check && fine && !doctor_agrees(pr, &at, result)) result->outcome = MISJUDGED;
  }
  machine_stop(&at);
  formula_work_free(&work);
}
