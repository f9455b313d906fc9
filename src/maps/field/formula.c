/* Parts of the formulas of fields: H and g in a graph of their own, brackets, unknowns. */
#include "ground/expr/copy.h"
#include "maps/field/formula.h"

#include <stdlib.h>

#include "ground/support/error.h"
#include "problem/model/model.h"
#include "ground/expr/derivative.h"

rattle_expr rattle__add(rattle_graph *graph, rattle_expr a, rattle_expr b) {
  return rattle_expr_binary(graph, RATTLE_OP_ADD, a, b);
}

rattle_expr rattle__subtract(rattle_graph *graph, rattle_expr a, rattle_expr b) {
  return rattle_expr_binary(graph, RATTLE_OP_SUB, a, b);
}

rattle_expr rattle__multiply(rattle_graph *graph, rattle_expr a, rattle_expr b) {
  return rattle_expr_binary(graph, RATTLE_OP_MUL, a, b);
}

rattle_expr rattle__formula_hamiltonian(const rattle__formula *k, const rattle_expr *dF, int c) {
  return c < k->n ? dF[k->n + c] : rattle_expr_unary(k->graph, RATTLE_OP_NEG, dF[c - k->n]);
}

static int is_zero(const rattle_graph *graph, rattle_expr e) {
  return rattle_expr_op(graph, e) == RATTLE_OP_CONSTANT && rattle_expr_value(graph, e) == 0;
}

rattle_expr rattle__formula_bracket(const rattle__formula *k, const rattle_expr *dF,
                                    const rattle_expr *dG) {
  rattle_expr sum = rattle_expr_constant(k->graph, 0);
  for (int c = 0; c < k->n; c++) {
    const int d = k->n + c;
    if (!is_zero(k->graph, dF[c]))
      sum = rattle__add(k->graph, sum, rattle__multiply(k->graph, dF[c], dG[d]));
    if (!is_zero(k->graph, dF[d]))
      sum = rattle__subtract(k->graph, sum, rattle__multiply(k->graph, dF[d], dG[c]));
  }
  return sum;
}

int rattle__formula_unknowns(rattle__formula *k, int count) {
  const int first = k->k;
  k->first[k->blocks++] = first;
  k->first[k->blocks] = k->k = first + count;
  return first;
}

rattle_expr rattle__formula_unknown(const rattle__formula *k, int i) {
  return rattle_expr_variable(k->graph, 2 * k->n + i);
}

/* Forces: dH becomes what stands for it in the motion (problem/functions/forced.h), so that
 * brackets with H are derivatives along the forced motion. */
static int add_forces(rattle__formula *k, rattle__copy *copy) {
  const rattle_model *model = k->problem->model;
  rattle_expr power = rattle_expr_constant(k->graph, 0);
  for (int i = 0; i < model->applieds; i++) {
    const int c = model->applied[i].pair;
    const rattle_expr f = rattle__copy_of(copy, model->applied[i].expr);
    power = rattle__add(k->graph, power, rattle__multiply(k->graph, f, k->dH[k->n + c]));
    k->dH[c] = rattle__subtract(k->graph, k->dH[c], f);
    if (!f || !power || !k->dH[c]) return 1;
  }
  if (k->problem->account) k->dH[k->n - 1] = rattle_expr_unary(k->graph, RATTLE_OP_NEG, power);
  return 0;
}

/* Variables of a model are numbered q0 p0 q1 p1 ...; here they are the columns of z. */
static int copy_model(rattle__formula *k, const rattle_model *model) {
  const int nz = 2 * k->n;
  rattle_expr *image = malloc((size_t)nz * sizeof *image);
  if (!image) return 1;
  for (int c = 0; c < k->n; c++) {
    image[2 * c] = rattle_expr_variable(k->graph, c);
    image[2 * c + 1] = rattle_expr_variable(k->graph, k->n + c);
  }
  for (int c = 0; c < nz; c++) k->variable[c] = c;
  rattle__copy copy = rattle__copy_begin(model->graph, k->graph, image, nz);
  k->H = rattle__copy_of(&copy, model->hamiltonian);
  int failed = !k->H || rattle__gradient(k->graph, k->H, k->variable, nz, k->dH);
  failed = failed || add_forces(k, &copy);
  for (int i = 0; i < k->m && !failed; i++) {
    k->g[i] = rattle__copy_of(&copy, model->constraint[i].expr);
    failed = !k->g[i] ||
             rattle__gradient(k->graph, k->g[i], k->variable, nz, k->dg + (size_t)i * (size_t)nz);
  }
  rattle__copy_end(&copy);
  free(image);
  return failed;
}

static int add_hidden(rattle__formula *k) {
  const size_t nz = 2 * (size_t)k->n;
  for (int i = 0; i < k->m; i++) {
    k->psi[i] = rattle__formula_bracket(k, k->dg + (size_t)i * nz, k->dH);
    if (!k->psi[i] ||
        rattle__gradient(k->graph, k->psi[i], k->variable, (int)nz, k->dpsi + (size_t)i * nz))
      return 1;
  }
  return 0;
}

/* With the first m of the constraints. */
static rattle_status begin(rattle__formula *k, const rattle_problem *problem, size_t m,
                           rattle_error *error) {
  const size_t nz = 2 * (size_t)problem->n;
  *k = (rattle__formula){.problem = problem, .n = problem->n, .m = (int)m};
  rattle_status status = rattle_graph_create(&k->graph, error);
  if (status) return status;
  k->variable = calloc(nz, sizeof *k->variable);
  const struct {
    rattle_expr **list;
    size_t count;
  } room[] = {{&k->dH, nz},       {&k->g, m},  {&k->dg, m * nz}, {&k->psi, m},
              {&k->dpsi, m * nz}, {&k->f, nz}, {&k->r, 2 * m}};
  int failed = !k->variable;
  for (size_t i = 0; i < sizeof room / sizeof *room; i++)
    failed |= !(*room[i].list = calloc(room[i].count + 1, sizeof **room[i].list));
  return failed || copy_model(k, problem->model) || add_hidden(k) ? rattle__no_memory(error)
                                                                  : RATTLE_OK;
}

rattle_status rattle__formula_begin(rattle__formula *k, const rattle_problem *problem,
                                    const double *parameter, rattle_error *error) {
  const rattle_status status = begin(k, problem, (size_t)problem->m, error);
  k->parameter = parameter;
  return status;
}

rattle_status rattle__formula_begin_free(rattle__formula *k, const rattle_problem *problem,
                                         rattle_error *error) {
  return begin(k, problem, 0, error);
}

void rattle__formula_end(rattle__formula *k) {
  free(k->variable);
  free(k->dH);
  free(k->g);
  free(k->dg);
  free(k->psi);
  free(k->dpsi);
  free(k->f);
  free(k->r);
  free(k->momenta);
  rattle_graph_destroy(&k->graph);
}
