/* Fields from formulas: functions of (z, u), the system for u, its solution.
 *
 * Unknowns   u by Newton's method from u = 0 with the exact A = dr/du: one step where r is affine,
 *            else damped so that |r| falls, until it stagnates at round-off. A value is a function
 *            of z alone
 * Jacobian   df/dz = f_z - f_u A^-1 r_z */
#include "maps/field/unknowns.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ground/support/error.h"
#include "ground/expr/elements.h"
#include "ground/support/arena.h"

/* Formulas are dense in the constraints: so many products of expressions are made at most. */
static const double most_products = 2e7;

/* ---- making ---- */

/* The fields for second-class constraints, as a list in words. */
static const char *second_class_fields(char list[200]) {
  const rattle_method_row *row;
  const int rows = rattle_method_rows(&row);
  rattle__text text = {list, 200};
  int count = 0;
  for (int i = 0; i < rows; i++)
    if (rattle__field_of(&row[i]) && rattle__field_of(&row[i])->second_class)
      rattle__put(&text, "%s%s", count++ ? ", " : "", row[i].name);
  rattle__put(&text, count == 1 ? " supports" : " support");
  return list;
}

static rattle_status refuse(const rattle_problem *problem, const rattle__node *node,
                            rattle_error *error) {
  const rattle__field_row *own = rattle__field_of(node->row);
  const char *name = node->row->name;
  char list[200];
  const double m = problem->m, n = problem->n;
  if (!problem->model)
    return rattle__fail(error, RATTLE_UNSUITABLE, name,
                        "the field %s needs H and g as expressions, and this problem consists of "
                        "callbacks: write a model, or use rattle(verlet)",
                        name);
  if (problem->bonded)
    return rattle__fail(
        error, RATTLE_UNSUITABLE, name,
        "the field %s needs H as an expression, and pair_potential is none: use rattle(verlet)",
        name);
  if (problem->split && !own->second_class)
    return rattle__fail(
        error, RATTLE_UNSUITABLE, name,
        "the constraints of this problem are second class: among the fields only %s them",
        second_class_fields(list));
  if (own->holonomic && !(problem->flags & RATTLE_HOLONOMIC))
    return rattle__fail(
        error, RATTLE_UNSUITABLE, name,
        "%s needs constraints g(q), and these depend on momenta: use dirac or classical", name);
  if (m * m * n > most_products)
    return rattle__fail(error, RATTLE_UNSUITABLE, name,
                        "the formula of the field %s is too large for %d constraints on %d "
                        "coordinates: use rattle(verlet)",
                        name, problem->m, problem->n);
  return RATTLE_OK;
}

static rattle_status make(rattle__field *s, rattle__function **f, const rattle_expr *root, int rows,
                          rattle_error *error) {
  const int vars = 2 * s->n + s->k;
  int *place = malloc((size_t)vars * sizeof *place);
  if (!place) return rattle__no_memory(error);
  for (int v = 0; v < vars; v++) place[v] = v;
  const rattle__build build = {.place = place,
                               .places = vars,
                               .vars = vars,
                               .evaluator = !s->problem->H->native ? RATTLE__BLOCK
                                            : s->problem->evaluator == RATTLE__CACHED
                                                ? RATTLE__CACHED
                                                : RATTLE__NATIVE_IF_POSSIBLE};
  const rattle_status status =
      rattle__function_from_graph(f, s->formula.graph, root, rows, &build, error);
  free(place);
  return status;
}

/* Rows r and A, and the system with the pattern of A. */
static rattle_status make_system(rattle__field *s, rattle_error *error) {
  rattle__formula *formula = &s->formula;
  const int k = s->k;
  rattle_graph *graph = formula->graph;
  int *ptr = calloc((size_t)k + 1, sizeof *ptr), *col = malloc((size_t)k * (size_t)k * sizeof *col);
  rattle_expr *root = malloc(((size_t)k * (size_t)k + (size_t)k) * sizeof *root);
  rattle_status status = ptr && col && root ? RATTLE_OK : rattle__no_memory(error);
  s->affine = 1;
  for (int i = 0, nnz = 0; i < k && !status; i++) {
    root[i] = formula->r[i];
    for (int j = 0; j < k; j++) {
      const rattle_expr A = rattle_expr_derivative(graph, formula->r[i], 2 * s->n + j);
      if (!A) status = rattle__no_memory(error);
      if (i != j && A && rattle_expr_op(graph, A) == RATTLE_OP_CONSTANT &&
          rattle_expr_value(graph, A) == 0)
        continue;
      root[k + nnz] = A;
      col[nnz++] = j;
    }
    ptr[i + 1] = nnz;
  }
  if (!status) status = make(s, &s->rows, root, k + ptr[k], error);
  for (int r = k; !status && r < s->rows->rows; r++)
    for (int e = s->rows->jac_ptr[r]; e < s->rows->jac_ptr[r + 1]; e++)
      s->affine &= s->rows->jac_col[e] < 2 * s->n;
  if (!status)
    status = rattle__linear_create(&s->matrix, k, ptr, col, 0, RATTLE__LINEAR_AUTO, error);
  free(ptr);
  free(col);
  free(root);
  return status;
}

static rattle_status make_room(rattle__field *s, rattle_error *error) {
  const rattle__function *of[] = {s->rhs, s->slope, s->rows, s->shown, s->problem->H};
  const rattle__function *H = s->problem->H;
  size_t work = 0, J = 0, vars = 2 * (size_t)s->n + (size_t)s->k;
  for (size_t i = 0; i < sizeof of / sizeof *of; i++)
    if (of[i] && of[i]->work > work) work = of[i]->work;
  for (size_t i = 0; i < 2; i++)
    if (of[i] && (size_t)of[i]->jac_nnz > J) J = (size_t)of[i]->jac_nnz;
  const rattle__array arrays[] = {{&s->x, vars},
                                  {&s->trial, vars},
                                  {&s->values, s->rows ? (size_t)s->rows->rows : 0},
                                  {&s->step, (size_t)s->k * (s->slope ? 2 * (size_t)s->n : 1)},
                                  {&s->J, J},
                                  {&s->S, s->rhs ? 0 : (size_t)H->hess_nnz},
                                  {&s->work, work}};
  s->room = RATTLE__BLOCK(arrays);
  return s->room ? RATTLE_OK : rattle__no_memory(error);
}

static rattle_status make_functions(rattle__field *s, const rattle__node *node, int jacobian,
                                    rattle_error *error) {
  rattle_status status = refuse(s->problem, node, error);
  if (status) return status;
  status = rattle__formula_begin(&s->formula, s->problem, &node->argument[0].number, error);
  if (!status) status = rattle__field_of(node->row)->write(&s->formula, error);
  if (!status) status = rattle__formula_eliminate(&s->formula, error);
  s->k = s->formula.k;
  if (!status) status = make(s, &s->rhs, s->formula.f, 2 * s->n, error);
  if (!status && s->k) status = make_system(s, error);
  if (!status && s->formula.momenta) status = make(s, &s->shown, s->formula.momenta, s->n, error);
  if (!status && s->k && jacobian) status = make(s, &s->slope, s->formula.r, s->k, error);
  return status;
}

rattle_status rattle__field_create(rattle__field **field, const rattle_problem *problem,
                                   const rattle__node *node, int jacobian, rattle_error *error) {
  *field = NULL;
  rattle__field *s = calloc(1, sizeof *s);
  if (!s) return rattle__no_memory(error);
  *s = (rattle__field){
      .n = problem->n, .problem = problem, .name = node ? node->row->name : "hamiltonian"};
  rattle_status status = node && problem->m ? make_functions(s, node, jacobian, error)
                                            : RATTLE_OK; /* without g all are X_H */
  if (!status) status = make_room(s, error);
  if (status)
    rattle__field_destroy(&s);
  else
    *field = s;
  return status;
}

void rattle__field_destroy(rattle__field **field) {
  if (!*field) return;
  rattle__field *s = *field;
  rattle__function_destroy(&s->rhs);
  rattle__function_destroy(&s->rows);
  rattle__function_destroy(&s->slope);
  rattle__function_destroy(&s->shown);
  rattle__linear_destroy(&s->matrix);
  rattle__formula_end(&s->formula);
  free(s->room);
  free(s);
  *field = NULL;
}

/* ---- values ---- */

static rattle_status not_determined(const rattle__field *s, rattle_status status, int worst,
                                    rattle_error *error) {
  if (status == RATTLE_NO_MEMORY) return rattle__no_memory(error);
  rattle__fail(error, status, s->name,
               status == RATTLE_SINGULAR
                   ? "the multipliers of the field %s are not determined at this point: their "
                     "matrix is singular"
                   : "the unknowns of the field %s did not converge: if impetuses have grown "
                     "large, reset them with project(..., "
                     "momentum)",
               s->name);
  if (error && worst >= 0) error->constraint = worst % s->problem->m;
  return status;
}

static double length(const double *r, int k) {
  double most = 0;
  for (int i = 0; i < k; i++)
    if (!(fabs(r[i]) <= most)) most = fabs(r[i]);
  return most;
}

/* r and A at x */
static rattle_status look(rattle__field *s, const double *x, rattle_error *error) {
  const int answer = s->rows->value(s->rows, x, s->values, s->work);
  memcpy(s->matrix->value, s->values + s->k, (size_t)s->matrix->nnz * sizeof(double));
  return rattle__answer(answer, "gradient", error);
}

/* The Newton step -A^-1 r */
static rattle_status newton_step(rattle__field *s, rattle_error *error) {
  for (int i = 0; i < s->k; i++) s->step[i] = -s->values[i];
  const rattle_status status = s->matrix->factor(s->matrix);
  if (status) return not_determined(s, status, s->matrix->blame, error);
  s->matrix->solve(s->matrix, s->step);
  return RATTLE_OK;
}

/* u where r is not affine: steps are halved until |r| falls; done where it cannot fall any more, at
 * round-off. */
static rattle_status solve_damped(rattle__field *s, rattle_error *error) {
  enum { ITERATIONS = 60, HALVINGS = 30 };
  const double good =
      1e-10; /* relative to |A||u|: far above round-off, far below any r that means something */
  double *u = s->x + 2 * s->n, *next = s->trial + 2 * s->n;
  memcpy(s->trial, s->x, 2 * (size_t)s->n * sizeof *s->x);
  rattle_status status = look(s, s->x, error);
  double r = length(s->values, s->k);
  for (int i = 0; i < ITERATIONS && !status && r > 0; i++) {
    const double size = length(s->matrix->value, s->matrix->nnz) * fmax(length(u, s->k), 1e-3);
    status = newton_step(s, error);
    double t = 1, after = INFINITY;
    for (int j = 0; j < HALVINGS && !status && !(after < r); j++, t *= 0.5) {
      if (j && r <= good * size) return RATTLE_OK; /* stagnates at round-off */
      for (int l = 0; l < s->k; l++) next[l] = u[l] + t * s->step[l];
      status = look(s, s->trial, error);
      after = length(s->values, s->k);
    }
    if (status || !(after < r)) break;
    memcpy(u, next, (size_t)s->k * sizeof *u);
    r = after;
  }
  return status || r == 0 ? status : not_determined(s, RATTLE_NOT_CONVERGED, -1, error);
}

/* u of the z in s->x */
static rattle_status solve(rattle__field *s, rattle_error *error) {
  double *u = s->x + 2 * s->n;
  memset(u, 0, (size_t)s->k * sizeof *u);
  if (!s->affine) return solve_damped(s, error);
  rattle_status status = look(s, s->x, error);
  if (!status) status = newton_step(s, error);
  if (!status) memcpy(u, s->step, (size_t)s->k * sizeof *u);
  return status;
}

rattle_status rattle__field_value(rattle__field *s, const double *z, double *f,
                                  rattle_error *error) {
  memcpy(s->x, z, 2 * (size_t)s->n * sizeof *z);
  if (s->rhs) {
    const rattle_status status = s->k ? solve(s, error) : RATTLE_OK;
    return status ? status
                  : rattle__answer(s->rhs->value(s->rhs, s->x, f, s->work), "gradient", error);
  }
  double H;
  const int n = s->n, answer = s->problem->H->jacobian(s->problem->H, s->x, &H, s->trial, s->work);
  for (int c = 0; c < n; c++) {
    f[c] = s->trial[n + c];
    f[n + c] = -s->trial[c];
  }
  return rattle__answer(answer, "gradient", error);
}

/* ---- Jacobians ---- */

/* F = J H'' */
static rattle_status hamiltonian_jacobian(rattle__field *s, double *F, rattle_error *error) {
  const rattle__function *H = s->problem->H;
  const int n = s->n;
  if (!H->hessian)
    return rattle__fail(
        error, RATTLE_UNSUITABLE, "hamiltonian",
        "this method needs second derivatives of H: give the callback hamiltonian_hessian");
  const int answer = H->hessian(H, s->x, NULL, s->S, s->work);
  for (int r = 0; r < 2 * n; r++) {
    double *row = F + (size_t)(r < n ? n + r : r - n) * 2 * (size_t)n;
    for (int e = H->hess_ptr[r]; e < H->hess_ptr[r + 1]; e++)
      row[H->hess_col[e]] = r < n ? -s->S[e] : s->S[e];
  }
  return rattle__answer(answer, "gradient", error);
}

/* step[c] = A^-1 dr/dz_c for each column c of z, A being factored. */
static rattle_status solve_columns(rattle__field *s, rattle_error *error) {
  const int nz = 2 * s->n, k = s->k;
  const int answer = s->slope->jacobian(s->slope, s->x, NULL, s->J, s->work);
  memset(s->step, 0, (size_t)nz * (size_t)k * sizeof *s->step);
  for (int i = 0; i < k; i++)
    for (int e = s->slope->jac_ptr[i]; e < s->slope->jac_ptr[i + 1]; e++)
      if (s->slope->jac_col[e] < nz)
        s->step[(size_t)s->slope->jac_col[e] * (size_t)k + (size_t)i] = s->J[e];
  for (int c = 0; c < nz; c++) s->matrix->solve(s->matrix, s->step + (size_t)c * (size_t)k);
  return rattle__answer(answer, "gradient", error);
}

/* A at the solution, factored; where r is affine it is so already. */
static rattle_status factor(rattle__field *s, rattle_error *error) {
  if (s->affine) return RATTLE_OK;
  rattle_status status = look(s, s->x, error);
  if (status) return status;
  status = s->matrix->factor(s->matrix);
  return status ? not_determined(s, status, -1, error) : RATTLE_OK;
}

rattle_status rattle__field_unknowns(rattle__field *s, const double *z, rattle_error *error) {
  memcpy(s->x, z, 2 * (size_t)s->n * sizeof *z);
  const rattle_status status = solve(s, error);
  return status ? status : factor(s, error);
}

rattle_status rattle__field_jacobian(rattle__field *s, double *F, rattle_error *error) {
  const int nz = 2 * s->n, k = s->k;
  memset(F, 0, (size_t)nz * (size_t)nz * sizeof *F);
  if (!s->rhs) return hamiltonian_jacobian(s, F, error);
  rattle_status status = k ? factor(s, error) : RATTLE_OK;
  if (k && !status) status = solve_columns(s, error);
  if (status) return status;
  const int answer = s->rhs->jacobian(s->rhs, s->x, NULL, s->J, s->work);
  for (int r = 0; r < nz; r++) {
    double *row = F + (size_t)r * (size_t)nz;
    for (int e = s->rhs->jac_ptr[r]; e < s->rhs->jac_ptr[r + 1]; e++) {
      const int c = s->rhs->jac_col[e];
      if (c < nz)
        row[c] += s->J[e];
      else
        for (int d = 0; d < nz; d++)
          row[d] -= s->J[e] * s->step[(size_t)d * (size_t)k + (size_t)(c - nz)];
    }
  }
  return rattle__answer(answer, "gradient", error);
}

/* ---- output ---- */

int rattle__field_shows(const rattle__field *s) {
  return s->shown != NULL;
}

rattle_status rattle__field_show(rattle__field *s, double *z, rattle_error *error) {
  memcpy(s->x, z, 2 * (size_t)s->n * sizeof *z);
  const rattle_status status = s->k ? solve(s, error) : RATTLE_OK;
  return status ? status
                : rattle__answer(s->shown->value(s->shown, s->x, z + s->n, s->work), "gradient",
                                 error);
}
