/* Fields as C source. */
#include "ground/expr/family.h"
#include "ground/support/number.h"
#include "ground/expr/native.h"
#include "maps/field/unknowns.h"

static int is_straight(const rattle__function *f) {
  return rattle__elements_are_few(f, RATTLE__STRAIGHT_MOST);
}

int rattle__field_is_straight(const rattle__field *field) {
  const rattle_problem *problem = field->problem;
  if (field->k) return 0;
  if (field->rhs) return is_straight(field->rhs);
  if (problem->V) return is_straight(problem->V) && (!problem->T || is_straight(problem->T));
  return is_straight(problem->H);
}

/* (M^-1 p)_c, in the order of rattle__mass_row */
static void emit_velocity(const rattle__mass *W, int c, FILE *out) {
  char entry[RATTLE__NUMBER_ROOM];
  fprintf(out, "  f[%d] = ", c);
  if (!W->value) fprintf(out, "%s * z[%d];\n", rattle__number_hex(W->diagonal[c], entry), W->n + c);
  for (int e = W->value ? W->ptr[c] : 0; W->value && e < W->ptr[c + 1]; e++)
    fprintf(out, "%s * z[%d]%s", rattle__number_hex(W->value[e], entry), W->n + W->col[e],
            e + 1 < W->ptr[c + 1] ? " + " : ";\n");
}

/* q' = T_p or M^-1 p, p' = -V_q */
static void emit_separable(const rattle_problem *problem, FILE *out) {
  const int n = problem->n;
  rattle__emit_straight(out, problem->V, "V");
  if (problem->T) rattle__emit_straight(out, problem->T, "T");
  fprintf(out,
          "static inline void field(const double *restrict z, double *restrict f) {\n  double "
          "slope[%d];\n",
          n);
  fprintf(out, "  V_jacobian(z, 0, slope);\n");
  if (problem->T) fprintf(out, "  T_jacobian(z + %d, 0, f);\n", n);
  for (int c = 0; c < n; c++) {
    if (!problem->T) emit_velocity(problem->mass, c, out);
    fprintf(out, "  f[%d] = -slope[%d];\n", n + c, c);
  }
  fprintf(out, "}\n");
}

static void emit_hamiltonian(const rattle_problem *problem, FILE *out) {
  const int n = problem->n;
  rattle__emit_straight(out, problem->H, "H");
  fprintf(out,
          "static inline void field(const double *restrict z, double *restrict f) {\n"
          "  double slope[%d];\n  H_jacobian(z, 0, slope);\n",
          2 * n);
  for (int c = 0; c < n; c++)
    fprintf(out, "  f[%d] = slope[%d];\n  f[%d] = -slope[%d];\n", c, n + c, n + c, c);
  fprintf(out, "}\n");
}

void rattle__field_emit(const rattle__field *field, FILE *out) {
  if (field->rhs) {
    rattle__emit_straight(out, field->rhs, "rhs");
    fprintf(out, "static inline void field(const double *restrict z, double *restrict f) {\n  "
                 "rhs_value(z, f);\n}\n");
  } else if (field->problem->V)
    emit_separable(field->problem, out);
  else
    emit_hamiltonian(field->problem, out);
}
