/* model.c of an export: H, g, their derivatives and forces as C functions.
 *
 * psi_i = {g_i, H} = sum_k dg_i/dq_k dH/dp_k - dg_i/dp_k dH/dq_k;  B_ij = {psi_i, g_j} likewise. */
#include <stdlib.h>

#include "commands/export.h"

/* Derivatives by z, in the model's graph: [2n] of H, [m][2n] of g, [m] psi, [m][m] B. */
typedef struct derivatives {
  rattle_graph *graph;
  int n, m;
  rattle_expr H, *g, *H_z, *g_z, *psi, *B;
} derivatives;

static int is_zero(const rattle_graph *graph, rattle_expr e) {
  return rattle_expr_op(graph, e) == RATTLE_OP_CONSTANT && rattle_expr_value(graph, e) == 0;
}

/* {F, G} from the gradients F_z, G_z: [2n], variable 2k is q_k, 2k+1 is p_k. */
static rattle_expr poisson_bracket(rattle_graph *graph, int n, const rattle_expr *F_z,
                                   const rattle_expr *G_z) {
  rattle_expr sum = rattle_expr_constant(graph, 0);
  for (int k = 0; k < n; k++) {
    const rattle_expr *F = F_z + 2 * k, *G = G_z + 2 * k;
    if (!is_zero(graph, F[0]) && !is_zero(graph, G[1]))
      sum = rattle_expr_binary(graph, RATTLE_OP_ADD, sum,
                               rattle_expr_binary(graph, RATTLE_OP_MUL, F[0], G[1]));
    if (!is_zero(graph, F[1]) && !is_zero(graph, G[0]))
      sum = rattle_expr_binary(graph, RATTLE_OP_SUB, sum,
                               rattle_expr_binary(graph, RATTLE_OP_MUL, F[1], G[0]));
  }
  return sum;
}

static void differentiate(rattle_graph *graph, int n, rattle_expr e, rattle_expr *e_z) {
  for (int v = 0; v < 2 * n; v++) e_z[v] = rattle_expr_derivative(graph, e, v);
}

/* Returns 0 if there is no memory. */
static int derive(derivatives *d, rattle_model *model) {
  d->graph = rattle_model_graph(model), d->n = rattle_model_pairs(model),
  d->m = rattle_model_constraints(model);
  size_t n = (size_t)d->n, m = (size_t)d->m;
  d->H_z = calloc(2 * n + m + 2 * n * m + m + m * m + 2 * n, sizeof *d->H_z);
  if (!d->H_z) return 0;
  d->g = d->H_z + 2 * n, d->g_z = d->g + m, d->psi = d->g_z + 2 * n * m, d->B = d->psi + m;
  rattle_expr *psi_z = d->B + m * m;

  d->H = rattle_model_hamiltonian(model);
  differentiate(d->graph, d->n, d->H, d->H_z);
  for (int i = 0; i < d->m; i++) {
    d->g[i] = rattle_model_constraint_expr(model, i);
    differentiate(d->graph, d->n, d->g[i], d->g_z + 2 * n * (size_t)i);
    d->psi[i] = poisson_bracket(d->graph, d->n, d->g_z + 2 * n * (size_t)i, d->H_z);
  }
  for (int i = 0; i < d->m; i++) {
    differentiate(d->graph, d->n, d->psi[i], psi_z);
    for (int j = 0; j < d->m; j++)
      d->B[(size_t)i * m + (size_t)j] =
          poisson_bracket(d->graph, d->n, psi_z, d->g_z + 2 * n * (size_t)j);
  }
  for (size_t i = 0; i < 2 * n + m + 2 * n * m + m + m * m; i++)
    if (d->H_z[i] == RATTLE_EXPR_NONE) return 0;
  return 1;
}

/* Prints a derivative by q (part 0) or p (part 1): rows of n. */
static int emit_part(FILE *out, const derivatives *d, const rattle_expr *z, int rows, int part,
                     const char *name) {
  rattle_expr *half = calloc((size_t)rows * (size_t)d->n + 1, sizeof *half);
  if (!half) return 0;
  for (int i = 0; i < rows * d->n; i++) half[i] = z[2 * i + part];
  int good = cli_emit(out, d->graph, half, rows * d->n, name);
  free(half);
  return good;
}

static int emit_derivatives(FILE *out, const derivatives *d) {
  int good = 1;
  fputs("\nstatic void gradient_q(const double *q, const double *p, double *H_q) {\n", out);
  good = good && emit_part(out, d, d->H_z, 1, 0, "H_q");
  fputs("}\n\nstatic void gradient_p(const double *q, const double *p, double *H_p) {\n", out);
  good = good && emit_part(out, d, d->H_z, 1, 1, "H_p");
  fputs("}\n\nvoid gradient(const double *q, const double *p, double *H_q, double *H_p) {\n"
        "  gradient_q(q, p, H_q);\n  gradient_p(q, p, H_p);\n}\n",
        out);
  fputs("\nstatic void constraint_jacobian_q(const double *q, const double *p, double *g_q) {\n",
        out);
  good = good && emit_part(out, d, d->g_z, d->m, 0, "g_q");
  fputs("}\n\nstatic void constraint_jacobian_p(const double *q, const double *p, double *g_p) {\n",
        out);
  good = good && emit_part(out, d, d->g_z, d->m, 1, "g_p");
  fputs("}\n\nvoid constraint_jacobian(const double *q, const double *p, double *g_q, double *g_p) "
        "{\n"
        "  constraint_jacobian_q(q, p, g_q);\n  constraint_jacobian_p(q, p, g_p);\n}\n",
        out);
  return good;
}

/* f(q, p), where there are forces. */
static int emit_forces(FILE *out, const derivatives *d, const rattle_model *model) {
  int any = 0;
  rattle_expr *f = calloc((size_t)d->n, sizeof *f);
  if (!f) return 0;
  for (int k = 0; k < d->n; k++) {
    f[k] = rattle_model_force(model, k);
    any |= f[k] != RATTLE_EXPR_NONE;
    if (f[k] == RATTLE_EXPR_NONE) f[k] = rattle_expr_constant(d->graph, 0);
  }
  int good = 1;
  if (any) {
    fputs("\nvoid forces(const double *q, const double *p, double *f) {\n", out);
    good = cli_emit(out, d->graph, f, d->n, "f");
    fputs("}\n", out);
  }
  free(f);
  return good;
}

/* Functions that C lacks: whole powers, and the operations that choose, where there are any. */
static void emit_functions(FILE *out, const rattle_graph *graph) {
  fputs("/* Powers by repeated multiplication. */\n"
        "static inline double power(double x, int n) {\n"
        "  double result = 1, factor = n < 0 ? 1 / x : x;\n"
        "  for (unsigned k = (unsigned)(n < 0 ? -n : n); k; k >>= 1, factor *= factor)\n"
        "    if (k & 1) result *= factor;\n"
        "  return result;\n}\n",
        out);
  unsigned char used[RATTLE_OP_COUNT + 1] = {0};
  for (rattle_expr e = 1; e <= rattle_graph_count(graph); e++) used[rattle_expr_op(graph, e)] = 1;
#define PICK(condition, x, y) ((condition) ? (x) : (y))
#define TEXT(value) #value
#define CHOICE(name, symbol, value)                                                                \
  if (used[RATTLE_OP_##name])                                                                      \
    fprintf(out, "static inline double " #symbol "(double a%s) { return %s; }\n",                  \
            RATTLE_OP_##name < RATTLE_OP_NEG ? ", double b" : "", TEXT(value));
#include "ground/expr/choices.def"
#undef CHOICE
#undef TEXT
#undef PICK
}

int cli_emit_model(FILE *out, rattle_model *model) {
  derivatives d = {0};
  int good = derive(&d, model);
  if (good) {
    emit_functions(out, d.graph);
    fputs("\ndouble hamiltonian(const double *q, const double *p) {\n", out);
    good = cli_emit(out, d.graph, &d.H, 1, NULL);
    fputs("}\n\nvoid constraints(const double *q, const double *p, double *g) {\n", out);
    good = good && cli_emit(out, d.graph, d.g, d.m, "g");
    fputs("}\n", out);
    good = good && emit_derivatives(out, &d);
    fputs("\nvoid hidden_constraints(const double *q, const double *p, double *psi) {\n", out);
    good = good && cli_emit(out, d.graph, d.psi, d.m, "psi");
    fputs("}\n\nvoid brackets(const double *q, const double *p, double *B) {\n", out);
    good = good && cli_emit(out, d.graph, d.B, d.m * d.m, "B");
    fputs("}\n", out);
    good = good && emit_forces(out, &d, model);
  }
  free(d.H_z);
  return good;
}
