/* What the module adds to the public headers. Between the marks: functions for the package. */
#include <rattle/rattle.h>

/* to Python */
/* All nodes of a graph made anew in another; image[e] becomes that of node e. 0: out of memory. */
static int rattle_python_copy(const rattle_graph *from, rattle_graph *to, rattle_expr *image);
/* context: names [2n]. For rattle_expr_print. */
static const char *rattle_python_name(void *context, int32_t index);
/* end */

/* Called by the library, defined in the package: */
/* from C: void rattle_python_progress(void *, const rattle_summary *, long long); */
/* from C: rattle_status rattle_python_record(void *, const rattle_sample *, rattle_error *); */
/* from C: int rattle_python_hamiltonian(void *, const double *, double *, double *); */
/* from C: int rattle_python_hamiltonian_hessian(void *, const double *, double *); */
/* from C: int rattle_python_constraint(void *, const double *, double *, double *); */
/* from C: int rattle_python_constraint_hessian(void *, const double *, const double *, double *); */
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

static const char *rattle_python_name(void *context, int32_t index) {
  return ((const char *const *)context)[index];
}
