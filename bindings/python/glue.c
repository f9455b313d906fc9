/* What the module adds to the public headers. Between the marks: functions for the package. */
#include <rattle/bonds.h>
#include <rattle/rattle.h>
#include <stdio.h>

/* to Python */
/* All nodes of a graph made anew in another; image[e] becomes that of node e. 0: out of memory. */
static int rattle_python_copy(const rattle_graph *from, rattle_graph *to, rattle_expr *image);
/* context: names [2n]. For rattle_expr_print. */
static const char *rattle_python_name(void *context, int32_t index);
/* An observer in C, and what rattle_run calls for it: `self` of an observer whose record is rattle_python_observe. */
typedef struct rattle_python_observer {
  /* context, step, time, energy, q [n], p [n], multipliers [m], observables; 0, or the run ends */
  int (*function)(void *, long long, double, double, const double *, const double *, const double *, const double *);
  void *context;
} rattle_python_observer;
static rattle_status rattle_python_observe(void *self, const rattle_sample *sample, rattle_error *error);
/* end */

/* Called by the library, defined in the package: */
/* from C: void rattle_python_progress(void *, const rattle_summary *, long long); */
/* from C: rattle_status rattle_python_record(void *, const rattle_sample *, rattle_error *); */
/* from C: int rattle_python_hamiltonian(void *, const double *, double *, double *); */
/* from C: int rattle_python_hamiltonian_hessian(void *, const double *, double *); */
/* from C: int rattle_python_constraint(void *, const double *, double *, double *); */
/* from C: int rattle_python_constraint_hessian(void *, const double *, const double *, double *); */
/* from C: int rattle_python_force(void *, const double *, double *, double *); */
/* from C: void rattle_python_study(void *, const rattle_study_progress *); */

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

static rattle_status rattle_python_observe(void *self, const rattle_sample *sample, rattle_error *error) {
  const rattle_python_observer *of = self;
  const int answer = of->function(of->context, sample->step, sample->time, sample->energy, sample->q, sample->p,
                                  sample->multipliers, sample->observed);
  if (!answer) return RATTLE_OK;
  error->status = RATTLE_CALLBACK;
  error->step = sample->step;
  error->time = sample->time;
  error->constraint = -1;
  snprintf(error->message, sizeof error->message, "an observer ended the run at t = %g: it returned %d", sample->time, answer);
  return RATTLE_CALLBACK;
}

static const char *rattle_python_name(void *context, int32_t index) {
  return ((const char *const *)context)[index];
}
