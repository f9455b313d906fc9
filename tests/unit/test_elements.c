/* Functions from expressions: random expressions by both evaluators and by walking the graph;
 * patterns; families. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "ground/expr/family.h"
#include "ground/support/random.h"

static uint64_t state;

static double uniform(void) {
  return (double)(rattle__random(&state) >> 11) * 0x1p-53;
}

static int below(int n) {
  return (int)(uniform() * n);
}

/* A random expression in `vars` variables, defined where they are in (0.5, 1.5). */
static rattle_expr random_expr(rattle_graph *g, int vars, int depth) {
  static const double constants[] = {0.5, -1, 2, 3, 0.1, -0.75, 1};
  if (depth == 0 || below(8) == 0)
    return below(4) ? rattle_expr_variable(g, below(vars))
                    : rattle_expr_constant(g, constants[below(7)]);
  rattle_expr a = random_expr(g, vars, depth - 1);
  rattle_expr positive = rattle_expr_binary(g, RATTLE_OP_ADD, rattle_expr_constant(g, 1.25),
                                            rattle_expr_binary(g, RATTLE_OP_MUL, a, a));
  switch (below(20)) {
  case 0:
    return rattle_expr_unary(g, RATTLE_OP_SIN, a);
  case 1:
    return rattle_expr_unary(g, RATTLE_OP_COS, a);
  case 2:
    return rattle_expr_unary(g, RATTLE_OP_SQRT, positive);
  case 3:
    return rattle_expr_unary(g, RATTLE_OP_LOG, positive);
  case 4:
    return rattle_expr_unary(g, RATTLE_OP_NEG, a);
  case 5:
    return rattle_expr_unary(g, RATTLE_OP_TANH, a);
  case 6:
    return rattle_expr_binary(g, RATTLE_OP_POW, positive, rattle_expr_constant(g, 1.5));
  case 7:
    return rattle_expr_binary(g, RATTLE_OP_DIV, random_expr(g, vars, depth - 1), positive);
  case 8:
    return rattle_expr_binary(g, RATTLE_OP_POW, positive, rattle_expr_constant(g, -3 + below(9)));
  case 9:
    return rattle_expr_binary(g, RATTLE_OP_ATAN2, random_expr(g, vars, depth - 1), positive);
  case 10:
  case 11:
    return rattle_expr_binary(g, RATTLE_OP_MUL, a, random_expr(g, vars, depth - 1));
  case 12:
  case 13:
    return rattle_expr_binary(g, RATTLE_OP_SUB, a, random_expr(g, vars, depth - 1));
  case 14:
    return rattle_expr_unary(g, below(2) ? RATTLE_OP_ABS : RATTLE_OP_SIGN, a);
  case 15:
    return rattle_expr_binary(g, below(2) ? RATTLE_OP_MIN : RATTLE_OP_MAX, a,
                              random_expr(g, vars, depth - 1));
  case 16:
    return rattle_expr_where(g, random_expr(g, vars, depth - 1), a,
                             rattle_expr_unary(g, RATTLE_OP_SQRT, positive));
  case 17:
    return rattle_expr_binary(g, below(2) ? RATTLE_OP_ATLEAST : RATTLE_OP_LT, positive,
                              rattle_expr_constant(g, 1));
  default:
    return rattle_expr_binary(g, RATTLE_OP_ADD, a, random_expr(g, vars, depth - 1));
  }
}

static rattle__function *build(rattle_graph *g, const rattle_expr *root, int rows, int vars,
                               int dense, rattle__evaluator evaluator) {
  int *place = malloc(((size_t)vars + 1) * sizeof *place);
  for (int v = 0; v < vars; v++) place[v] = v;
  rattle__build how = {.place = place,
                       .places = vars,
                       .vars = vars,
                       .dense = dense,
                       .hessian = 1,
                       .constraints = 1,
                       .evaluator = evaluator};
  rattle__function *f = NULL;
  rattle_error error = {0};
  rattle_status status = rattle__function_from_graph(&f, g, root, rows, &how, &error);
  free(place);
  if (status) fail_msg("%s", error.message);
  assert_non_null(f);
  return f;
}

typedef struct results {
  double *F, *F2, *J, *J2, *S, *S1, *D, *Fr, *Jr, *work;
} results;

/* Runs every operation into arrays that start as rubbish. */
static results run(const rattle__function *f, const double *x, const double *v, const double *w) {
  size_t rows = (size_t)f->rows + 1, jac = (size_t)f->jac_nnz + 1, hess = (size_t)f->hess_nnz + 1;
  results r = {malloc(rows * 8), malloc(rows * 8),   malloc(jac * 8), malloc(jac * 8),
               malloc(hess * 8), malloc(hess * 8),   malloc(jac * 8), malloc(rows * 8),
               malloc(jac * 8),  malloc(f->work * 8)};
  memset(r.F, 0xff, rows * 8), memset(r.F2, 0xff, rows * 8), memset(r.J, 0xff, jac * 8);
  memset(r.J2, 0xff, jac * 8), memset(r.S, 0xff, hess * 8), memset(r.S1, 0xff, hess * 8);
  assert_int_equal(f->value(f, x, r.F, r.work), 0);
  assert_int_equal(f->jacobian(f, x, r.F2, r.J, r.work), 0);
  assert_int_equal(f->jacobian(f, x, NULL, r.J2, r.work), 0);
  assert_int_equal(f->hessian(f, x, w, r.S, r.work), 0);
  if (f->rows == 1) assert_int_equal(f->hessian(f, x, NULL, r.S1, r.work), 0);
  memset(r.D, 0xff, jac * 8), memset(r.Fr, 0xff, rows * 8), memset(r.Jr, 0xff, jac * 8);
  assert_int_equal(f->along(f, x, v, r.D, r.work), 0);
  for (int i = f->rows - 1; i >= 0; i--) {
    if (i) assert_true(isnan(r.Fr[i - 1])); /* other rows are left alone */
    if (f->jac_ptr[i]) assert_true(isnan(r.Jr[f->jac_ptr[i] - 1]));
    assert_int_equal(f->row(f, i, x, r.Fr, r.Jr, r.work), 0);
  }
  return r;
}

static void release(results *r) {
  free(r->F), free(r->F2), free(r->J), free(r->J2), free(r->S), free(r->S1), free(r->D),
      free(r->Fr), free(r->Jr), free(r->work);
}

/* Bits agree, or both are NaN. */
static void assert_same(const double *a, const double *b, int count) {
  for (int k = 0; k < count; k++)
    if (!(isnan(a[k]) && isnan(b[k])) && memcmp(&a[k], &b[k], sizeof *a))
      fail_msg("place %d: %.17g and %.17g", k, a[k], b[k]);
}

static void assert_near(double a, double b, double scale, const char *what, int row, int col) {
  if (fabs(a - b) > 1e-13 * (1 + fabs(b) + scale))
    fail_msg("%s %d %d: %.17g, expected %.17g", what, row, col, a, b);
}

static double place_of(const int *ptr, const int *col, const double *value, int row, int column) {
  for (int k = ptr[row]; k < ptr[row + 1]; k++)
    if (col[k] == column) return value[k];
  return 0;
}

/* Compares a function with symbolic derivatives evaluated by walking the graph. */
static void compare_with_graph(rattle_graph *g, const rattle_expr *root, const rattle__function *f,
                               const results *r, const double *x, const double *v,
                               const double *w) {
  double *S = calloc((size_t)(f->vars * f->vars) + 1, sizeof *S),
         *scale = calloc((size_t)(f->vars * f->vars) + 1, sizeof *scale);
  for (int i = 0; i < f->rows; i++) {
    assert_near(r->F[i], rattle_expr_evaluate(g, root[i], x), 20, "F", i, 0);
    for (int a = 0; a < f->vars; a++) {
      rattle_expr first = rattle_expr_derivative(g, root[i], a);
      double value = rattle_expr_evaluate(g, first, x);
      assert_near(place_of(f->jac_ptr, f->jac_col, r->J, i, a), value, 100, "J", i, a);
      double along = 0, along_scale = 0;
      for (int b = 0; b < f->vars; b++) {
        double second = rattle_expr_evaluate(g, rattle_expr_derivative(g, first, b), x);
        S[a * f->vars + b] += w[i] * second;
        scale[a * f->vars + b] += fabs(w[i] * second);
        along += second * v[b];
        along_scale += fabs(second * v[b]);
      }
      assert_near(place_of(f->jac_ptr, f->jac_col, r->D, i, a), along, 1000 + along_scale, "D", i,
                  a);
    }
  }
  for (int a = 0; a < f->vars; a++)
    for (int b = 0; b < f->vars; b++)
      assert_near(place_of(f->hess_ptr, f->hess_col, r->S, a, b), S[a * f->vars + b],
                  1000 + scale[a * f->vars + b], "S", a, b);
  free(S);
  free(scale);
}

static void check_pattern(const int *ptr, const int *col, int rows, int cols, int nnz) {
  assert_int_equal(ptr[0], 0);
  assert_int_equal(ptr[rows], nnz);
  for (int r = 0; r < rows; r++)
    for (int k = ptr[r]; k < ptr[r + 1]; k++) {
      assert_in_range(col[k], 0, cols - 1);
      if (k > ptr[r]) assert_true(col[k] > col[k - 1]);
    }
}

/* Both evaluators against each other bit for bit, and against the graph. */
static void check(rattle_graph *g, const rattle_expr *root, int rows, int vars, int dense,
                  int with_graph) {
  double *x = malloc(((size_t)vars + 1) * sizeof *x), *w = malloc(((size_t)rows + 1) * sizeof *w);
  double *direction = malloc(((size_t)vars + 1) * sizeof *direction);
  for (int v = 0; v < vars; v++) x[v] = 0.5 + uniform();
  for (int v = 0; v < vars; v++) direction[v] = uniform() - 0.5;
  for (int r = 0; r < rows; r++) w[r] = uniform() - 0.5;
  rattle__function *block = build(g, root, rows, vars, dense, RATTLE__BLOCK),
                   *native = build(g, root, rows, vars, dense, RATTLE__NATIVE);
  assert_false(block->native);
  assert_true(native->native);
  check_pattern(block->jac_ptr, block->jac_col, rows, vars, block->jac_nnz);
  check_pattern(block->hess_ptr, block->hess_col, vars, vars, block->hess_nnz);
  if (dense) assert_int_equal(block->jac_nnz, rows * vars);
  results b = run(block, x, direction, w), n = run(native, x, direction, w);
  assert_same(b.F, b.F2, rows);
  assert_same(b.J, b.J2, block->jac_nnz);
  assert_same(b.F, n.F, rows);
  assert_same(n.F, n.F2, rows);
  assert_same(b.J, n.J, block->jac_nnz);
  assert_same(n.J, n.J2, block->jac_nnz);
  assert_same(b.S, n.S, block->hess_nnz);
  assert_same(b.D, n.D, block->jac_nnz);
  assert_same(b.F, b.Fr, rows);
  assert_same(b.J, b.Jr, block->jac_nnz);
  assert_same(b.F, n.Fr, rows);
  assert_same(b.J, n.Jr, block->jac_nnz);
  if (rows == 1) assert_same(b.S1, n.S1, block->hess_nnz);
  if (with_graph) compare_with_graph(g, root, block, &b, x, direction, w);
  release(&b);
  release(&n);
  rattle__function_destroy(&block);
  rattle__function_destroy(&native);
  free(x);
  free(direction);
  free(w);
}

static rattle_graph *new_graph(void) {
  rattle_graph *g = NULL;
  assert_int_equal(rattle_graph_create(&g, NULL), RATTLE_OK);
  return g;
}

static void random_rows(void **unused) {
  (void)unused;
  for (int seed = 1; seed <= 12; seed++) {
    state = (uint64_t)seed;
    rattle_graph *g = new_graph();
    rattle_expr root[6];
    int rows = 1 + below(6), vars = 1 + below(7);
    for (int r = 0; r < rows; r++) root[r] = random_expr(g, vars, 5);
    check(g, root, rows, vars, seed % 3 == 0, 1);
    rattle_graph_destroy(&g);
  }
}

/* Sums over many variables: flattened, terms shared between rows, places written more than once. */
static void random_sums(void **unused) {
  (void)unused;
  for (int seed = 1; seed <= 6; seed++) {
    state = (uint64_t)seed + 100;
    rattle_graph *g = new_graph();
    enum { VARS = 24, TERMS = 60 };
    rattle_expr root[2] = {rattle_expr_constant(g, 0), rattle_expr_constant(g, 0.25)};
    for (int k = 0; k < TERMS; k++) {
      rattle_expr a = rattle_expr_variable(g, k % VARS),
                  b = rattle_expr_variable(g, (k * 7 + 1) % VARS);
      rattle_expr difference = rattle_expr_binary(g, RATTLE_OP_SUB, a, b);
      rattle_expr term = k % 3 == 0   ? rattle_expr_binary(g, RATTLE_OP_MUL, difference, difference)
                         : k % 3 == 1 ? rattle_expr_unary(g, RATTLE_OP_SIN, difference)
                                      : random_expr(g, VARS, 3);
      term = rattle_expr_binary(g, RATTLE_OP_MUL, rattle_expr_constant(g, 0.5 + k % 4), term);
      root[0] = rattle_expr_binary(g, k % 5 ? RATTLE_OP_ADD : RATTLE_OP_SUB, root[0], term);
      if (k % 2) root[1] = rattle_expr_binary(g, RATTLE_OP_ADD, term, root[1]);
    }
    check(g, root, 1, VARS, 1, 1);
    check(g, root, 2, VARS, 0, 1);
    rattle_graph_destroy(&g);
  }
}

/* (x_k - x_{k-1})^2 + (y_k - y_{k-1})^2 - length_k^2; the first link hangs from the origin. */
static rattle_expr link_of(rattle_graph *g, int k, double length) {
  rattle_expr sum = RATTLE_EXPR_NONE;
  for (int c = 0; c < 2; c++) {
    rattle_expr d = rattle_expr_variable(g, 2 * k + c);
    if (k) d = rattle_expr_binary(g, RATTLE_OP_SUB, d, rattle_expr_variable(g, 2 * k - 2 + c));
    d = rattle_expr_binary(g, RATTLE_OP_MUL, d, d);
    sum = c ? rattle_expr_binary(g, RATTLE_OP_ADD, sum, d) : d;
  }
  return rattle_expr_binary(g, RATTLE_OP_SUB, sum, rattle_expr_constant(g, length * length));
}

/* A sum that is given as its terms has the bits of the expression, and makes no nodes where it is
 * large. */
static void sums_of_terms(void **unused) {
  (void)unused;
  enum { TERMS = 60 };
  state = 11;
  for (int k = 0; k < 60; k++) {
    const int vars = k % 2 ? 6 : 40, whole = k % 3 == 0;
    rattle_graph *g;
    assert_int_equal(rattle_graph_create(&g, NULL), RATTLE_OK);
    rattle_expr e = RATTLE_EXPR_NONE, *term;
    double *c;
    int count, *place = malloc((size_t)vars * sizeof *place);
    for (int i = 0; i < TERMS; i++) {
      const rattle_expr a = rattle_expr_variable(g, i % vars), b = random_expr(g, vars, 2);
      const rattle_expr over =
          rattle_expr_binary(g, RATTLE_OP_DIV, rattle_expr_constant(g, 0.5 + below(3)), a);
      const rattle_expr t =
          rattle_expr_binary(g, RATTLE_OP_ADD, rattle_expr_binary(g, RATTLE_OP_MUL, a, b), over);
      e = e ? rattle_expr_binary(g, below(2) ? RATTLE_OP_ADD : RATTLE_OP_SUB, e, t) : t;
    }
    if (!whole) e = rattle_expr_binary(g, RATTLE_OP_MUL, rattle_expr_constant(g, 0.3), e);
    assert_int_equal(rattle__terms(g, e, &c, &term, &count, NULL), RATTLE_OK);
    rattle_expr sum = rattle__sum(g, c, term, count);
    for (int v = 0; v < vars; v++) place[v] = v;
    const rattle__build how = {.place = place,
                               .places = vars,
                               .vars = vars,
                               .dense = 1,
                               .hessian = 1,
                               .evaluator = RATTLE__BLOCK};
    rattle__function *f, *of_terms;
    assert_int_equal(rattle__function_from_graph(&f, g, &sum, 1, &how, NULL), RATTLE_OK);
    rattle__graph_pack(g);
    const uint32_t nodes = rattle_graph_count(g);
    assert_int_equal(rattle__function_from_terms(&of_terms, g, c, term, count, &how, NULL),
                     RATTLE_OK);
    assert_int_equal(rattle_graph_count(g), nodes);
    assert_int_equal(of_terms->hess_nnz, f->hess_nnz);
    assert_int_equal(of_terms->quadratic, f->quadratic);
    double *x = malloc((size_t)(4 * vars + 2 * f->hess_nnz) * sizeof *x), *J = x + vars,
           *K = J + vars, F, G;
    double *work = malloc((f->work + of_terms->work) * sizeof *work), *S = K + vars,
           *R = S + f->hess_nnz;
    for (int v = 0; v < vars; v++) x[v] = 0.5 + uniform();
    f->jacobian(f, x, &F, J, work);
    of_terms->jacobian(of_terms, x, &G, K, work);
    f->hessian(f, x, NULL, S, work);
    of_terms->hessian(of_terms, x, NULL, R, work);
    assert_memory_equal(&F, &G, sizeof F);
    assert_memory_equal(J, K, (size_t)vars * sizeof *J);
    assert_memory_equal(S, R, (size_t)f->hess_nnz * sizeof *S);
    rattle__function_destroy(&f);
    rattle__function_destroy(&of_terms);
    rattle_graph_destroy(&g);
    free(work), free(x), free(place), free(c), free(term);
  }
}

static void chain(void **unused) {
  (void)unused;
  enum { LINKS = 1000 };
  state = 7;
  for (int different = 0; different < 2; different++) {
    rattle_graph *g = new_graph();
    rattle_expr root[LINKS];
    for (int k = 0; k < LINKS; k++) root[k] = link_of(g, k, different ? 1 + 0.001 * k : 0.1);
    check(g, root, LINKS, 2 * LINKS, 0, 0);
    rattle__function *f = build(g, root, LINKS, 2 * LINKS, 0, RATTLE__BLOCK);
    const rattle__elements *e = rattle__function_elements(f);
    assert_int_equal(e->families, 2);
    assert_int_equal(e->family[1].count, LINKS - 1);
    assert_int_equal(e->family[1].params, different);
    assert_int_equal(f->jac_nnz, 4 * LINKS - 2);
    assert_int_equal(f->hess_nnz, 2 * (3 * LINKS - 2));
    assert_false(e->zero_F || e->zero_J);
    assert_true(f->quadratic);
    rattle__function_destroy(&f);
    check(g, root, 5, 10, 0, 1);
    rattle_graph_destroy(&g);
  }
}

/* Elements that differ only in constants share a family; constants that differ are distinct in the
 * results. */
static void parameters(void **unused) {
  (void)unused;
  state = 3;
  rattle_graph *g = new_graph();
  rattle_expr root[6];
  for (int r = 0; r < 6; r++) {
    rattle_expr scaled = rattle_expr_binary(g, RATTLE_OP_MUL, rattle_expr_constant(g, 1.5 + r),
                                            rattle_expr_variable(g, r));
    rattle_expr wave = rattle_expr_unary(
        g, RATTLE_OP_COS,
        rattle_expr_binary(g, RATTLE_OP_ADD, scaled, rattle_expr_constant(g, 3.5 - r)));
    root[r] = rattle_expr_binary(g, RATTLE_OP_MUL, wave, rattle_expr_constant(g, 7));
  }
  check(g, root, 6, 6, 0, 1);
  rattle__function *f = build(g, root, 6, 6, 0, RATTLE__BLOCK);
  const rattle__elements *e = rattle__function_elements(f);
  assert_int_equal(e->families, 1);
  assert_int_equal(e->family[0].params, 2);
  assert_false(f->quadratic);
  rattle__function_destroy(&f);
  rattle_graph_destroy(&g);
}

/* Pairs of atoms with a/r^12 - b/r^6: the two terms of a pair are one element and share the
 * distance. */
static void terms_in_the_same_variables(void **unused) {
  (void)unused;
  state = 9;
  enum { ATOMS = 7 };
  rattle_graph *g = new_graph();
  rattle_expr sum = rattle_expr_constant(g, 0);
  for (int a = 0; a < ATOMS; a++)
    for (int b = 0; b < a; b++) {
      rattle_expr r2 = rattle_expr_constant(g, 0);
      for (int c = 0; c < 3; c++) {
        rattle_expr d = rattle_expr_binary(g, RATTLE_OP_SUB, rattle_expr_variable(g, 3 * a + c),
                                           rattle_expr_variable(g, 3 * b + c));
        r2 = rattle_expr_binary(g, RATTLE_OP_ADD, r2, rattle_expr_binary(g, RATTLE_OP_MUL, d, d));
      }
      rattle_expr near = rattle_expr_binary(g, RATTLE_OP_POW, r2, rattle_expr_constant(g, 2));
      rattle_expr far = rattle_expr_binary(g, RATTLE_OP_POW, r2, rattle_expr_constant(g, 1.5));
      sum = rattle_expr_binary(
          g, RATTLE_OP_ADD, sum,
          rattle_expr_binary(g, RATTLE_OP_MUL, rattle_expr_constant(g, 0.1 + a), near));
      sum = rattle_expr_binary(
          g, RATTLE_OP_SUB, sum,
          rattle_expr_binary(g, RATTLE_OP_MUL, rattle_expr_constant(g, 0.3 + b), far));
    }
  check(g, &sum, 1, 3 * ATOMS, 1, 1);
  rattle__function *f = build(g, &sum, 1, 3 * ATOMS, 1, RATTLE__BLOCK);
  const rattle__elements *e = rattle__function_elements(f);
  assert_int_equal(e->families, 1);
  assert_int_equal(e->family[0].count, ATOMS * (ATOMS - 1) / 2);
  assert_int_equal(e->family[0].params, 2);
  int powers = 0;
  for (int k = 0; k < e->family[0].program[RATTLE__VALUE].length; k++)
    powers += e->family[0].program[RATTLE__VALUE].code[k].op == RATTLE_OP_MUL;
  assert_int_equal(powers, 3 + 1 + 2); /* three squares, r2^2, two coefficients */
  rattle__function_destroy(&f);
  rattle_graph_destroy(&g);
}

/* A constant exponent belongs to the shape: x^2 and x^3 are distinct. */
static void exponents(void **unused) {
  (void)unused;
  state = 5;
  static const double exponent[] = {2, 3, -1, 1.5, 2, 40, -33, 1.5};
  rattle_graph *g = new_graph();
  rattle_expr root[8];
  for (int r = 0; r < 8; r++)
    root[r] = rattle_expr_binary(g, RATTLE_OP_POW, rattle_expr_variable(g, r),
                                 rattle_expr_constant(g, exponent[r]));
  check(g, root, 8, 8, 0, 1);
  rattle__function *f = build(g, root, 8, 8, 0, RATTLE__BLOCK);
  assert_int_equal(rattle__function_elements(f)->families, 6);
  rattle__function_destroy(&f);
  rattle_graph_destroy(&g);
}

static void degrees(void **unused) {
  (void)unused;
  rattle_graph *g = new_graph();
  rattle_expr x = rattle_expr_variable(g, 0), y = rattle_expr_variable(g, 1);
  rattle_expr xy = rattle_expr_binary(g, RATTLE_OP_MUL, x, y), two = rattle_expr_constant(g, 2);
  rattle_expr root[] = {
      x,
      xy,
      rattle_expr_binary(g, RATTLE_OP_DIV, xy, rattle_expr_constant(g, 3)),
      rattle_expr_binary(g, RATTLE_OP_POW, rattle_expr_binary(g, RATTLE_OP_SUB, x, y), two),
      rattle_expr_binary(g, RATTLE_OP_MUL, xy, x),
      rattle_expr_binary(g, RATTLE_OP_DIV, x, y),
      rattle_expr_binary(g, RATTLE_OP_POW, two, x),
      rattle_expr_unary(g, RATTLE_OP_SQRT, xy)};
  for (int r = 0; r < 8; r++) {
    rattle__function *f = build(g, &root[r], 1, 2, 0, RATTLE__BLOCK);
    assert_int_equal(f->quadratic, r < 4);
    rattle__function_destroy(&f);
  }
  rattle_graph_destroy(&g);
}

static void constants_and_nothing(void **unused) {
  (void)unused;
  rattle_graph *g = new_graph();
  rattle_expr root[3] = {rattle_expr_constant(g, 2.5), rattle_expr_constant(g, 0),
                         rattle_expr_constant(g, -1)};
  check(g, root, 3, 2, 0, 1);
  check(g, root, 1, 2, 1, 1);
  check(g, root, 0, 2, 0, 1);
  check(g, root, 0, 0, 0, 1);
  rattle_graph_destroy(&g);
}

/* Outside a domain results are NaN or infinite, and the other rows are right. */
static void outside_the_domain(void **unused) {
  (void)unused;
  rattle_graph *g = new_graph();
  rattle_expr x = rattle_expr_variable(g, 0);
  rattle_expr root[] = {rattle_expr_unary(g, RATTLE_OP_SQRT, x),
                        rattle_expr_binary(g, RATTLE_OP_DIV, rattle_expr_constant(g, 1), x), x};
  for (int evaluator = RATTLE__BLOCK; evaluator <= RATTLE__NATIVE; evaluator++) {
    rattle__function *f = build(g, root, 3, 1, 0, (rattle__evaluator)evaluator);
    double at[2] = {-1, 0}, F[3], work[64];
    assert_true(f->work <= 64);
    f->value(f, &at[0], F, work);
    assert_true(isnan(F[0]) && F[1] == -1 && F[2] == -1);
    f->value(f, &at[1], F, work);
    assert_true(F[0] == 0 && isinf(F[1]) && F[2] == 0);
    rattle__function_destroy(&f);
  }
  rattle_graph_destroy(&g);
}

static void variable_without_a_column(void **unused) {
  (void)unused;
  rattle_graph *g = new_graph();
  rattle_expr root =
      rattle_expr_binary(g, RATTLE_OP_ADD, rattle_expr_variable(g, 0), rattle_expr_variable(g, 1));
  int place[2] = {0, -1};
  rattle__build how = {.place = place, .places = 2, .vars = 1};
  rattle__function *f = NULL;
  rattle_error error = {0};
  assert_int_equal(rattle__function_from_graph(&f, g, &root, 1, &how, &error), RATTLE_BAD_ARGUMENT);
  assert_null(f);
  assert_int_equal(error.status, RATTLE_BAD_ARGUMENT);
  how.places = 1; /* beyond the table */
  assert_int_equal(rattle__function_from_graph(&f, g, &root, 1, &how, NULL), RATTLE_BAD_ARGUMENT);
  rattle_graph_destroy(&g);
}

/* A product of 10^5 factors: the walk is not recursive. */
static void deep(void **unused) {
  (void)unused;
  rattle_graph *g = new_graph();
  rattle_expr e = rattle_expr_variable(g, 0);
  for (int k = 0; k < 100000; k++)
    e = rattle_expr_unary(g, k % 2 ? RATTLE_OP_SIN : RATTLE_OP_COS, e);
  rattle__function *f = build(g, &e, 1, 1, 1, RATTLE__BLOCK);
  double x = 0.3, F, *work = malloc(f->work * sizeof *work), expected = x;
  for (int k = 0; k < 100000; k++) expected = k % 2 ? sin(expected) : cos(expected);
  f->value(f, &x, &F, work);
  assert_true(F == expected);
  free(work);
  rattle__function_destroy(&f);
  rattle_graph_destroy(&g);
}

static char folder[] = "/tmp/rattle-test-XXXXXX";

static int own_cache(void **unused) {
  (void)unused;
  return !mkdtemp(folder) || setenv("XDG_CACHE_HOME", folder, 1);
}

static int drop_cache(void **unused) {
  (void)unused;
  char command[128];
  snprintf(command, sizeof command, "rm -rf '%s'", folder);
  return system(command);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_rows),
      cmocka_unit_test(random_sums),
      cmocka_unit_test(chain),
      cmocka_unit_test(sums_of_terms),
      cmocka_unit_test(parameters),
      cmocka_unit_test(degrees),
      cmocka_unit_test(exponents),
      cmocka_unit_test(terms_in_the_same_variables),
      cmocka_unit_test(constants_and_nothing),
      cmocka_unit_test(outside_the_domain),
      cmocka_unit_test(variable_without_a_column),
      cmocka_unit_test(deep),
  };
  return cmocka_run_group_tests(tests, own_cache, drop_cache);
}
