/* H(q, p) = p^T M(q)^-1 p/2 + V(q) of bodies along a tree of hinges, slides and balls, by three
 * sweeps and no accelerations. V(velocity) = (w, v) of a frame, I its articulated inertia and b its
 * articulated momentum, S the joint's axis, X the change of frames:
 *
 *     outwards  frames
 *     inwards   D = S.I S + a, u = p - S.b
 *               the frame before receives I - I S (I S)^T/D and b + I S u/D
 *     outwards  q' = (u - I S.X V)/D, V = X V + S q', P = I V + b, p' = P.(V x S) + S.(weight)
 *
 * with a the inertia of a rotor that has the rate of the joint alone. The sweep inwards is that of
 * articulated bodies (R. Featherstone, Int. J. Robotics Research 2 (1983) 13) with momenta in the
 * place of forces: P = I V + b is the momentum of the subtree for given p, so that there are no
 * bias terms. p' is -H_q, since at fixed p it is T_q at fixed q' less V_q, and turning a joint
 * changes all velocities of its subtree by V x S. A ball has a quaternion Q and p in R^4, H being
 * extended so that |Q| does not matter: t = vec(Q* p)/2 is its momentum, Q' = Q u/2 and
 * p' = p u/2 + 2 Q f/|Q|^2 with u its rate and f the moment on it; |Q|^2 and Q.p are
 * quadratic integrals, which Gauss methods keep. (Q.p)^2/(8 scale), which is 0, makes H
 * nondegenerate.
 *
 * Second derivatives: the gradient at q + i t e_k is Y + i t Y_k to the order t^2, so that its
 * imaginary part over t, with t = 2^-100, is a column to round-off, and there is no step to be
 * chosen (W. Squire, G. Trapp, SIAM Review 40 (1998) 110). H_pp is M^-1: its columns are the rates
 * of unit momenta. Those of the rest are exact, too. */
#include "problem/functions/sweeps.h"

#include <complex.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "ground/support/error.h"
#include "ground/support/processor.h"
#include "problem/functions/sweeps_source.h"

static const int sweeps_six[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};

#define REAL double
#define SWEEPS_NAME(x) one_##x
#define SWEEPS_INLINE static inline
#include "problem/functions/sine_text.h"
#include "problem/functions/sine_one.h"
#define SINE_COSINE(q, sine, cosine) one_sine_cosine(q, sine, cosine)
#include "problem/functions/sweeps_text.h"

/* of q = a + i b with b^2 below round-off */
static inline void complex_sine_cosine(double complex q, double complex *sine,
                                       double complex *cosine) {
  const double b = cimag(q);
  double s, c;
  one_sine_cosine(creal(q), &s, &c);
  *sine = s + b * c * I, *cosine = c - b * s * I;
}
#define REAL double complex
#define SWEEPS_NAME(x) complex_##x
#define SWEEPS_INLINE static inline
#define SINE_COSINE(q, sine, cosine) complex_sine_cosine(q, sine, cosine)
#include "problem/functions/sweeps_text.h"

/* One point, as many as there are lanes, and half of them where they are eight, which methods of
 * few stages use. */
enum { WIDTHS = 3 };

typedef struct swept {
  rattle__function f;
  rattle__model_sweeps tree;
  rattle__function *rest; /* NULL: none */
  int n;
  int *index;             /* jac_ptr, jac_col, hess_ptr, hess_col */
  const struct swept *of; /* a twin borrows nodes, index and source; NULL: it is none */
  /* for this tree alone (sweeps_source.h): of one point, and of points in lanes; NULL: no source,
   * no machine code */
  char *source[WIDTHS];
  void *library[WIDTHS];
  int (*one)(const double *x, double *H, double *Y, double *room);
  int (*wide[WIDTHS])(const double *x, double *Y, double *room);
} swept;

/* H at x, and its gradient into Y unless that is NULL. */
static int evaluate(const swept *s, const double *x, double *H, double *Y, double *work) {
  if (Y && s->one) {
    (void)s->one(x, H, Y, work);
  } else {
    if (Y) memset(Y, 0, 2 * (size_t)s->n * sizeof *Y);
    *H = one_sweep(&s->tree, s->n, x, Y, (one_state *)work);
  }
  if (!s->rest) return 0;
  double *slope = work, *own = work + 2 * s->n, part;
  const int answer =
      Y ? s->rest->jacobian(s->rest, x, &part, slope, own) : s->rest->value(s->rest, x, &part, own);
  *H += part;
  for (int c = 0; c < 2 * s->n && Y; c++) Y[c] += slope[c];
  return answer;
}

static int value(const rattle__function *f, const double *x, double *F, double *work) {
  return evaluate(f->self, x, F, NULL, work);
}

static int jacobian(const rattle__function *f, const double *x, double *F, double *J,
                    double *work) {
  double H;
  return evaluate(f->self, x, F ? F : &H, J, work);
}

/* Adds the gradient of a part of H, at as many points as there are lanes, to J. */
static int add_one_by_one(const rattle__function *part, int lanes, const double *x, double *J,
                          double *work) {
  const int vars = part->vars;
  double *at = work, *slope = at + vars, F;
  int answer = 0;
  for (int l = 0; l < lanes && !answer; l++) {
    for (int c = 0; c < vars; c++) at[c] = x[c * lanes + l];
    answer = part->jacobian(part, at, &F, slope, slope + vars);
    for (int c = 0; c < vars; c++) J[c * lanes + l] += slope[c];
  }
  return answer;
}

/* Lanes of a width; 0: the processor does not have it. */
static int width_of(const rattle__function *f, int width) {
  return width == 0 ? 1 : width == 1 ? f->lanes : f->lanes == 8 ? 4 : 0;
}

static double *aligned(double *room, int lanes) {
  const size_t width = (size_t)lanes * sizeof *room;
  return (double *)(((uintptr_t)room + width - 1) / width * width);
}

static int in_lanes(const rattle__function *f, int lanes, const double *x, double *J,
                    double *work) {
  const swept *s = f->self;
  int swept_all = 0;
  const int width = 1 + (lanes < f->lanes);
  if (lanes == width_of(f, width) && s->wide[width])
    swept_all = s->wide[width](x, J, aligned(work, lanes));
  else if (lanes == 2)
    swept_all = rattle__sweeps_2(&s->tree, s->n, x, J, work);
#if defined(__x86_64__)
  else if (lanes == 4)
    swept_all = rattle__sweeps_4(&s->tree, s->n, x, J, work);
  else if (lanes == 8)
    swept_all = rattle__sweeps_8(&s->tree, s->n, x, J, work);
#endif
  if (swept_all) return s->rest ? add_one_by_one(s->rest, lanes, x, J, work) : 0;
  for (int e = 0; e < f->vars * lanes; e++) J[e] = -0.0; /* which changes no bit of what is added */
  return add_one_by_one(f, lanes, x, J, work);
}

/* The lanes that the processor has, and the doubles that sweeps need in them. */
static int lanes_of(int nodes, size_t *room) {
#if defined(__x86_64__)
  if (rattle__processor_has("avx512f") && rattle__processor_has("avx512dq")) {
    *room = rattle__sweeps_room_8(nodes);
    return 8;
  }
  if (rattle__processor_has("avx2")) {
    *room = rattle__sweeps_room_4(nodes);
    return 4;
  }
#endif
  *room = rattle__sweeps_room_2(nodes);
  return 2;
}

/* Row q_k of S. at, slope: [2n] scratch, as the states. */
static void take_row(const swept *s, int k, double complex *at, double complex *slope,
                     complex_state *states, double *S) {
  const double t = 0x1p-100;
  const int vars = 2 * s->n;
  const double complex x = at[k];
  at[k] = x + t * I;
  memset(slope, 0, (size_t)vars * sizeof *slope);
  (void)complex_sweep(&s->tree, s->n, at, slope, states);
  at[k] = x;
  for (int j = 0; j < vars; j++) S[k * vars + j] = cimag(slope[j]) / t;
}

/* H_pp in row p_k of S, x being (q, 0). */
static void take_rates(const swept *s, int k, double *x, double *slope, one_state *states,
                       double *S) {
  const int n = s->n;
  x[n + k] = 1;
  memset(slope, 0, 2 * (size_t)n * sizeof *slope);
  (void)one_sweep(&s->tree, n, x, slope, states);
  x[n + k] = 0;
  for (int j = 0; j < n; j++) S[(n + k) * 2 * n + n + j] = slope[n + j];
}

/* S of the tree, full. */
static void take_second(const swept *s, const double *x, double *S, double *work) {
  const int n = s->n, vars = 2 * n;
  double complex *at = (double complex *)work, *slope = at + vars;
  double *still = (double *)(slope + vars), *room = still + vars;
  for (int c = 0; c < vars; c++) at[c] = x[c], still[c] = c < n ? x[c] : 0;
  memset(S, 0, (size_t)vars * (size_t)vars * sizeof *S);
  for (int i = 0; i < s->tree.count; i++)
    for (int j = 0; j < rattle__sweep_pairs(&s->tree.node[i]); j++) {
      const int k = s->tree.node[i].pair[j];
      take_row(s, k, at, slope, (complex_state *)room, S);
      take_rates(s, k, still, (double *)slope, (one_state *)room, S);
    }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) S[(n + j) * vars + i] = S[i * vars + n + j];
  for (int i = 0; i < vars; i++)
    for (int j = 0; j < i; j++)
      S[i * vars + j] = S[j * vars + i] = 0.5 * (S[i * vars + j] + S[j * vars + i]);
}

static int hessian(const rattle__function *f, const double *x, const double *w, double *S,
                   double *work) {
  const swept *s = f->self;
  const rattle__function *rest = s->rest;
  take_second(s, x, S, work);
  const int answer = rest ? rest->hessian(rest, x, NULL, work, work + rest->hess_nnz) : 0;
  for (int i = 0; i < f->vars && rest; i++)
    for (int e = rest->hess_ptr[i]; e < rest->hess_ptr[i + 1]; e++)
      S[i * f->vars + rest->hess_col[e]] += work[e];
  for (int e = 0; e < f->hess_nnz && w; e++) S[e] *= w[0];
  return answer;
}

/* D = H'' v, by one sweep at x + i t v. */
static int along(const rattle__function *f, const double *x, const double *v, double *D,
                 double *work) {
  const swept *s = f->self;
  const rattle__function *rest = s->rest;
  const double t = 0x1p-100;
  const int vars = 2 * s->n;
  double complex *at = (double complex *)work, *slope = at + vars;
  for (int c = 0; c < vars; c++) at[c] = x[c] + t * v[c] * I;
  memset(slope, 0, (size_t)vars * sizeof *slope);
  (void)complex_sweep(&s->tree, s->n, at, slope, (complex_state *)(slope + vars));
  for (int c = 0; c < vars; c++) D[c] = cimag(slope[c]) / t;
  const int answer = rest ? rest->hessian(rest, x, NULL, work, work + rest->hess_nnz) : 0;
  for (int r = 0; r < vars && rest; r++)
    for (int e = rest->hess_ptr[r]; e < rest->hess_ptr[r + 1]; e++)
      D[r] += work[e] * v[rest->hess_col[e]];
  return answer;
}

static void destroy(rattle__function *f) {
  swept *s = f->self;
  rattle__function_destroy(&s->rest);
  for (int k = 0; k < WIDTHS; k++) {
    rattle__native_unload(&s->library[k]);
    if (!s->of) free(s->source[k]);
  }
  if (!s->of) {
    free(s->tree.node);
    free(s->index);
  }
  free(s);
}

rattle__function *rattle__swept_rest(const rattle__function *f) {
  return ((const swept *)f->self)->rest;
}

/* --- machine code ----------------------------------------------------------------------------- */

int rattle__swept_compiles(const rattle__function *f) {
  return ((const swept *)f->self)->source[0] != NULL;
}

int rattle__swept_is_compiled(const rattle__function *f) {
  return ((const swept *)f->self)->one != NULL;
}

/* The source, if numbers that its pieces keep have room where the states of nodes have it. */
static char *make_source(const swept *s, int lanes) {
  size_t kept = 0;
  char *source = lanes ? rattle__sweeps_source(&s->tree, s->n, lanes, &kept) : NULL;
  if (kept * sizeof(double) <= (size_t)s->tree.count * sizeof(one_state)) return source;
  free(source);
  return NULL;
}

/* Loads a width. */
static rattle_status load(swept *s, int width, rattle__evaluator evaluator, rattle__orders *orders,
                          rattle_error *error) {
  void **library = &s->library[width];
  const rattle_status status =
      rattle__native_get(evaluator, orders, s->source[width], library, error);
  if (status) return status;
  return (width ? rattle__native_symbol(*library, "rattle_sweeps_lanes", &s->wide[width])
                : rattle__native_symbol(*library, "rattle_sweeps_one", &s->one))
             ? rattle__fail(error, RATTLE_IO, NULL, "the compiled evaluator lacks its functions")
             : RATTLE_OK;
}

rattle_status rattle__swept_native(rattle__function *f, rattle__evaluator evaluator,
                                   rattle__orders *orders, rattle_error *error) {
  swept *s = f->self;
  rattle_status status = RATTLE_OK;
  if (evaluator == RATTLE__BLOCK || (evaluator != RATTLE__NATIVE && !rattle__compiler_is_there()))
    return RATTLE_OK;
  if (evaluator != RATTLE__NATIVE) error = NULL;
  for (int k = 0; k < WIDTHS; k++) {
    if (!s->of) s->source[k] = make_source(s, width_of(f, k));
    const rattle_status now = s->source[k] ? load(s, k, evaluator, orders, error) : RATTLE_OK;
    if (!status) status = now;
  }
  f->native = s->one && (!s->rest || s->rest->native);
  return evaluator == RATTLE__NATIVE ? status : RATTLE_OK;
}

rattle_status rattle__swept_twin(rattle__function **twin, const rattle__function *f,
                                 rattle_error *error) {
  const swept *of = f->self;
  swept *s = malloc(sizeof *s);
  *twin = NULL;
  if (!s) return rattle__no_memory(error);
  *s = *of;
  s->of = of, s->f.self = s, s->rest = NULL;
  s->one = NULL;
  for (int k = 0; k < WIDTHS; k++) s->library[k] = NULL, s->wide[k] = NULL;
  *twin = &s->f;
  const rattle_status status =
      of->rest ? rattle__function_twin(&s->rest, of->rest, error) : RATTLE_OK;
  if (status) rattle__function_destroy(twin);
  return status;
}

static size_t more(size_t a, size_t b) {
  return a > b ? a : b;
}

/* Steps of trees without constraints need no matrix. */
static int wants_second(const rattle_model *model) {
  const size_t entries = 4 * (size_t)model->n * (size_t)model->n;
  int moves = 0;
  for (int i = 0; i < model->n; i++) moves |= model->pair[i].has_velocity;
  return model->m || model->velocity_rows || moves || entries <= RATTLE__WRITTEN;
}

rattle_status rattle__function_swept(rattle__function **f, const rattle_model *model,
                                     rattle__function *rest, rattle_error *error) {
  const rattle__model_sweeps *tree = model->sweeps;
  const int n = model->n, has_second = wants_second(model);
  const size_t vars = 2 * (size_t)n, entries = has_second ? vars * vars : 0;
  size_t wide;
  const int lanes = lanes_of(tree->count, &wide);
  const size_t states = (size_t)tree->count * sizeof(one_state) / sizeof(double),
               second = 5 * vars + (size_t)tree->count * sizeof(complex_state) / sizeof(double),
               others = rest ? rest->work + more(vars, (size_t)rest->hess_nnz) : 0,
               alone = more(states, others) + 2 * vars;
  swept *s = calloc(1, sizeof *s);
  int *index =
      entries < 0x7fffffff / 2 ? malloc((2 + 2 * vars + 1 + entries) * sizeof *index) : NULL;
  rattle__sweep_node *node = malloc(((size_t)tree->count + 1) * sizeof *node);
  if (!s || !index || !node) {
    free(s), free(index), free(node);
    rattle__function_destroy(&rest);
    return rattle__no_memory(error);
  }
  memcpy(node, tree->node, (size_t)tree->count * sizeof *node);
  int *jac_ptr = index, *jac_col = index + 2, *hess_ptr = jac_col + vars,
      *hess_col = hess_ptr + vars + 1;
  jac_ptr[0] = 0, jac_ptr[1] = (int)vars;
  for (size_t c = 0; c < vars; c++) jac_col[c] = (int)c;
  for (size_t i = 0; i <= vars; i++) hess_ptr[i] = (int)(i * (entries / vars));
  for (size_t e = 0; e < entries; e++) hess_col[e] = (int)(e % vars);
  *s = (swept){.tree = *tree, .rest = rest, .n = n, .index = index};
  s->tree.node = node;
  s->f = (rattle__function){.rows = 1,
                            .pairs = n,
                            .vars = (int)vars,
                            .jac_ptr = jac_ptr,
                            .jac_col = jac_col,
                            .jac_nnz = (int)vars,
                            .hess_ptr = hess_ptr,
                            .hess_col = hess_col,
                            .hess_nnz = (int)entries,
                            .work = more(more(alone, second), wide),
                            .value = value,
                            .jacobian = jacobian,
                            .lanes = lanes,
                            .in_lanes = in_lanes,
                            .hessian = has_second ? hessian : NULL,
                            .along = has_second ? NULL : along,
                            .destroy = destroy,
                            .self = s};
  *f = &s->f;
  return RATTLE_OK;
}
