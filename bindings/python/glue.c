/* Additions of the module to the public headers. Between the marks: functions for the package. */
#include <rattle/bonds.h>
#include <rattle/rattle.h>
#include <stdio.h>
#include <string.h>

/* to Python */
/* All nodes of a graph made anew in another; image[e] becomes that of node e. 0: out of memory. */
static int rattle_python_copy(const rattle_graph *from, rattle_graph *to, rattle_expr *image);
/* context: names [2n]. For rattle_expr_print. */
static const char *rattle_python_name(void *context, int32_t index);
/* An observer in C, and what rattle_run calls for it: `self` of an observer whose record is
 * rattle_python_observe. */
typedef struct rattle_python_observer {
  /* context, step, time, energy, q [n], p [n], multipliers [m], observables; 0, or the run ends */
  int (*function)(void *, long long, double, double, const double *, const double *, const double *,
                  const double *);
  void *context;
} rattle_python_observer;
static rattle_status rattle_python_observe(void *self, const rattle_sample *sample,
                                           rattle_error *error);
/* The cases of a sweep, `self` of the four calls for rattle_ensemble. Arrays have a row for each
 * case. */
typedef struct rattle_python_sweep {
  void *watch; /* of the functions of Python */
  long long cases;
  int n, observables;          /* of the problem; parameters may not change them */
  int starts, parameters;      /* values that differ */
  const int *variable;         /* [starts] k: q[k], n + k: p[k] */
  const double *start, *value; /* [starts], [parameters] */
  rattle_parameter *parameter; /* [parameters] the names */
  int observed_count, summaries;
  const int *observable;      /* [observed_count] */
  const long long *offset;    /* [summaries] of numbers in a summary */
  double *q0, *p0, *q, *p;    /* [n] */
  double *observed, *summary; /* [observed_count], [summaries] */
  int indicators;             /* 3: chaos is kept, 0: it is not */
  double *chaos;              /* [indicators] megno, sali, exponent */
  double *time;
  long long *steps;
  int *status;
} rattle_python_sweep;
static rattle_status rattle_python_describe(void *self, rattle_case *c, rattle_error *error);
static rattle_status rattle_python_begin(void *self, const rattle_case *c,
                                         const rattle_problem *problem, double *q, double *p,
                                         rattle_error *error);
static rattle_status rattle_python_end(void *self, const rattle_outcome *outcome,
                                       rattle_error *error);
static void rattle_python_swept(void *self, long long ended, double seconds);
/* end */

/* Called by the library, defined in the package: */
/* from C: void rattle_python_progress(void *, const rattle_summary *, long long); */
/* from C: rattle_status rattle_python_open(void *, const rattle_integrator *, const rattle_sample *,
   rattle_error *); */
/* from C: int rattle_python_sample(void *, int, double, const double *, const double *,
   const double *, double *); */
/* from C: rattle_status rattle_python_record(void *, const rattle_sample *, rattle_error *); */
/* from C: int rattle_python_hamiltonian(void *, const double *, double *, double *); */
/* from C: int rattle_python_hamiltonian_hessian(void *, const double *, double *); */
/* from C: int rattle_python_constraint(void *, const double *, double *, double *); */
/* from C: int rattle_python_constraint_hessian(void *, const double *, const double *, double *); */
/* from C: int rattle_python_force(void *, const double *, double *, double *); */
/* from C: void rattle_python_study(void *, const rattle_study_progress *); */
/* from C: void rattle_python_ended(void *, long long, long long); */
/* from C: rattle_status rattle_python_failed(void *, long long, const rattle_error *); */
static void rattle_python_ended(void *watch, long long ended, long long cases);
static rattle_status rattle_python_failed(void *watch, long long number, const rattle_error *error);

static int rattle_python_copy(const rattle_graph *from, rattle_graph *to, rattle_expr *image) {
  for (uint32_t e = 1; e <= rattle_graph_count(from); e++) {
    const rattle_op op = rattle_expr_op(from, e);
    const rattle_expr a = rattle_expr_operand(from, e, 0), b = rattle_expr_operand(from, e, 1);
    image[e] = op == RATTLE_OP_CONSTANT   ? rattle_expr_constant(to, rattle_expr_value(from, e))
               : op == RATTLE_OP_VARIABLE ? rattle_expr_variable(to, rattle_expr_index(from, e))
               : b == RATTLE_EXPR_NONE    ? rattle_expr_unary(to, op, image[a])
                                          : rattle_expr_binary(to, op, image[a], image[b]);
    if (image[e] == RATTLE_EXPR_NONE) return 0;
  }
  return 1;
}

static rattle_status rattle_python_observe(void *self, const rattle_sample *sample,
                                           rattle_error *error) {
  const rattle_python_observer *of = self;
  const int answer = of->function(of->context, sample->step, sample->time, sample->energy,
                                  sample->q, sample->p, sample->multipliers, sample->observed);
  if (!answer) return RATTLE_OK;
  error->status = RATTLE_CALLBACK;
  error->step = sample->step;
  error->time = sample->time;
  error->constraint = -1;
  snprintf(error->message, sizeof error->message,
           "an observer ended the run at t = %g: it returned %d", sample->time, answer);
  return RATTLE_CALLBACK;
}

static const char *rattle_python_name(void *context, int32_t index) {
  static _Thread_local char velocity[300];
  const char *const *names = context;
  if (index < RATTLE_VELOCITY) return names[index];
  if (index >= RATTLE_LAMBDA) return "multiplier(...)";
  snprintf(velocity, sizeof velocity, "velocity(%s)", names[2 * (index - RATTLE_VELOCITY)]);
  return velocity;
}

static rattle_status rattle_python_describe(void *self, rattle_case *c, rattle_error *error) {
  const rattle_python_sweep *s = self;
  (void)error;
  for (int k = 0; k < s->parameters; k++)
    s->parameter[k].value = s->value[c->number * s->parameters + k];
  c->parameter = s->parameter;
  c->parameters = s->parameters;
  return RATTLE_OK;
}

static rattle_status rattle_python_begin(void *self, const rattle_case *c,
                                         const rattle_problem *problem, double *q, double *p,
                                         rattle_error *error) {
  const rattle_python_sweep *s = self;
  const rattle_model *model = rattle_problem_model(problem);
  if (rattle_problem_n(problem) != s->n ||
      (model && rattle_model_observables(model) != s->observables)) {
    error->status = RATTLE_UNSUITABLE;
    snprintf(error->message, sizeof error->message,
             "the parameters of case %lld change how many coordinates or quantities there are; "
             "such cases need sweeps of their own",
             c->number);
    return RATTLE_UNSUITABLE;
  }
  for (int k = 0; k < s->starts; k++) {
    const int variable = s->variable[k];
    *(variable < s->n ? &q[variable] : &p[variable - s->n]) = s->start[c->number * s->starts + k];
  }
  return RATTLE_OK;
}

static void rattle_python_keep(double *to, const double *from, long long number, int width) {
  if (from) memcpy(to + number * width, from, (size_t)width * sizeof *to);
}

static rattle_status rattle_python_end(void *self, const rattle_outcome *outcome,
                                       rattle_error *error) {
  const rattle_python_sweep *s = self;
  const long long number = outcome->of->number;
  (void)error;
  rattle_python_keep(s->q0, outcome->q0, number, s->n);
  rattle_python_keep(s->p0, outcome->p0, number, s->n);
  rattle_python_keep(s->q, outcome->q, number, s->n);
  rattle_python_keep(s->p, outcome->p, number, s->n);
  for (int k = 0; k < s->observed_count && outcome->observed; k++)
    s->observed[number * s->observed_count + k] = outcome->observed[s->observable[k]];
  for (int k = 0; k < s->summaries && outcome->summary; k++)
    s->summary[number * s->summaries + k] =
        *(const double *)((const char *)outcome->summary + s->offset[k]);
  if (s->indicators && outcome->chaos) {
    const double chaos[3] = {outcome->chaos->megno, outcome->chaos->sali, outcome->chaos->exponent};
    rattle_python_keep(s->chaos, chaos, number, 3);
  }
  s->time[number] = outcome->time;
  s->steps[number] = outcome->steps;
  s->status[number] = (int)outcome->status;
  return outcome->status ? rattle_python_failed(s->watch, number, outcome->error) : RATTLE_OK;
}

static void rattle_python_swept(void *self, long long ended, double seconds) {
  const rattle_python_sweep *s = self;
  (void)seconds;
  rattle_python_ended(s->watch, ended, s->cases);
}
