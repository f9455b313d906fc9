/* Problems from C callbacks: H and g as functions with dense patterns.
 *
 * Symbols   z = (q, p) [2n]; a function sees a part of z, `vars` columns from column `first`, the
 *           rest of z being held at `rest`: all of z; q alone (first = 0) for V and for holonomic
 *           g; p alone (first = n) for T.
 * Natural   V(q) = H(q, 0), T = 1/2 p^T M^-1 p from inverse_mass: H is not asked for its kinetic
 *           part.
 * Separable V(q) = H(q, p') and T(p) = H(q', p) - H(q', p'), for a point (q', p') at which H can be
 * evaluated: (0, 0), or another
 *           one if H is singular there.
 * Hessians  the user's, or else differences of first derivatives, symmetrised. They enter matrices
 *           of Newton iterations, which go on until the residual is at round-off, so that steps
 *           agree to round-off with those of exact Hessians: `rough` takes forward differences for
 *           them, of the rows that are needed; all else takes central ones. Multipliers and
 *           nondegeneracy that are reported for a point have an error of about 1e-9 then. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ground/support/error.h"
#include "ground/support/sized.h"
#include "problem/functions/forced.h"

typedef struct called {
  rattle__function f;
  rattle_callbacks c;
  int n, is_g, first;
  double shift; /* subtracted from the value */
  double *rest; /* values of z outside the argument [2n] */
  int *index;   /* jac_ptr, jac_col, hess_ptr, hess_col */
} called;

/* --- evaluation ------------------------------------------------------------------------------- */

/* F and first derivatives by all of z, in `full` [rows * 2n]; z [2n] is scratch. */
static int evaluate(const called *s, const double *x, double *F, double *full, double *z) {
  memcpy(z, s->rest, 2 * (size_t)s->n * sizeof *z);
  memcpy(z + s->first, x, (size_t)s->f.vars * sizeof *z);
  int answer = s->is_g ? s->c.constraint(s->c.context, z, F, full)
                       : s->c.hamiltonian(s->c.context, z, F, full);
  if (!s->is_g) F[0] -= s->shift;
  return answer;
}

/* J from derivatives by all of z */
static void pick(const called *s, const double *full, double *J) {
  int width = s->f.jac_nnz / (s->f.rows ? s->f.rows : 1);
  int from = s->first + s->f.vars - width; /* columns that the pattern omits come first */
  for (int r = 0; r < s->f.rows; r++)
    memcpy(J + (size_t)r * width, full + (size_t)r * 2 * s->n + from, (size_t)width * sizeof *J);
}

static int value(const rattle__function *f, const double *x, double *F, double *work) {
  const called *s = f->self;
  return evaluate(s, x, F, work + 2 * s->n, work);
}

static int jacobian(const rattle__function *f, const double *x, double *F, double *J,
                    double *work) {
  const called *s = f->self;
  double *full = work + 2 * s->n, *values = full + 2 * (size_t)s->n * f->rows;
  int answer = evaluate(s, x, F ? F : values, full, work);
  pick(s, full, J);
  return answer;
}

/* --- second derivatives ----------------------------------------------------------------------- */

/* The user's Hessian, times w for H. */
static int given_hessian(const rattle__function *f, const double *x, const double *w, double *S,
                         double *work) {
  const called *s = f->self;
  size_t nz = 2 * (size_t)s->n, vars = (size_t)f->vars;
  double *z = work, *full = work + nz, one = 1;
  memcpy(z, s->rest, nz * sizeof *z);
  memcpy(z + s->first, x, vars * sizeof *z);
  int answer = s->is_g ? s->c.constraint_hessian(s->c.context, z, w ? w : &one, full)
                       : s->c.hamiltonian_hessian(s->c.context, z, full);
  double scale = !s->is_g && w ? w[0] : 1;
  for (size_t i = 0; i < vars; i++)
    for (size_t j = 0; j < vars; j++)
      S[i * vars + j] = scale * full[(i + (size_t)s->first) * nz + (size_t)s->first + j];
  return answer;
}

/* D_r = F_r'' v from the user's Hessians, row by row */
static int along(const rattle__function *f, const double *x, const double *v, double *D,
                 double *work) {
  const called *s = f->self;
  size_t nz = 2 * (size_t)s->n, width = (size_t)(f->jac_nnz / f->rows),
         from = (size_t)f->jac_col[0];
  double *z = work, *full = work + nz, *w = full + nz * nz;
  memcpy(z, s->rest, nz * sizeof *z);
  memcpy(z + s->first, x, (size_t)f->vars * sizeof *z);
  for (int r = 0; r < f->rows; r++) {
    memset(w, 0, (size_t)f->rows * sizeof *w);
    w[r] = 1;
    int answer = s->c.constraint_hessian(s->c.context, z, w, full);
    if (answer) return answer;
    for (size_t j = 0; j < width; j++) {
      double sum = 0;
      for (int k = 0; k < f->vars; k++) sum += full[(from + j) * nz + (size_t)k] * v[k];
      D[(size_t)r * width + j] = sum;
    }
  }
  return 0;
}

/* Step of a difference by x[i], `part` of the size of x: a power of two, large where differences
 * are exact. */
static double difference_step(const rattle__function *f, const double *x, int i, double part) {
  double size = fabs(x[i]), most = 0;
  for (int k = 0; k < f->vars; k++) most = fmax(most, fabs(x[k]));
  if (!(most > 0) || !isfinite(most)) most = 1;
  if (size < most) size = most;
  return exp2(round(log2(f->quadratic ? size : part * size)));
}

/* row [vars] = sum_r w_r (F_r'(x + t e_i) - F_r'(x - t e_i)) / 2t */
static int difference(const rattle__function *f, const double *x, const double *w, int i,
                      double *row, double *work) {
  const called *s = f->self;
  size_t nz = 2 * (size_t)s->n, rows = (size_t)f->rows;
  double *at = work + nz, *values = at + f->vars, *plus = values + rows, *minus = plus + rows * nz;
  double t = difference_step(f, x, i, 0x1p-17);
  memcpy(at, x, (size_t)f->vars * sizeof *at);
  at[i] = x[i] + t;
  int answer = evaluate(s, at, values, plus, work);
  at[i] = x[i] - t;
  if (!answer) answer = evaluate(s, at, values, minus, work);
  for (int j = 0; j < f->vars; j++) {
    double sum = 0;
    for (size_t r = 0; r < rows; r++) {
      size_t k = r * nz + (size_t)(s->first + j);
      sum += (w ? w[r] : 1) * (plus[k] - minus[k]);
    }
    row[j] = sum / (2 * t);
  }
  return answer;
}

static int difference_hessian(const rattle__function *f, const double *x, const double *w,
                              double *S, double *work) {
  size_t vars = (size_t)f->vars;
  for (int i = 0; i < f->vars; i++) {
    int answer = difference(f, x, w, i, S + (size_t)i * vars, work);
    if (answer) return answer;
  }
  for (size_t i = 0; i < vars; i++)
    for (size_t j = 0; j < i; j++)
      S[i * vars + j] = S[j * vars + i] = 0.5 * (S[i * vars + j] + S[j * vars + i]);
  return 0;
}

static int forward_rows(const rattle__function *f, const double *x, const double *gradient,
                        int from, double *S, double *work) {
  const called *s = f->self;
  const size_t vars = (size_t)f->vars;
  double *at = work + 2 * (size_t)s->n, *value = at + vars, *full = value + 1,
         *there = full + s->first;
  memcpy(at, x, vars * sizeof *at);
  memset(S, 0, vars * vars * sizeof *S);
  for (int i = from; i < f->vars; i++) {
    at[i] = x[i] + difference_step(f, x, i, 0x1p-26);
    const int answer = evaluate(s, at, value, full, work);
    if (answer) return answer;
    const double t = at[i] - x[i];
    at[i] = x[i];
    for (size_t j = 0; j < vars; j++) S[(size_t)i * vars + j] = (there[j] - gradient[j]) / t;
  }
  for (size_t i = (size_t)from; i < vars; i++)
    for (size_t j = 0; j < i; j++) {
      const double entry =
          (int)j < from ? S[i * vars + j] : 0.5 * (S[i * vars + j] + S[j * vars + i]);
      S[i * vars + j] = S[j * vars + i] = entry;
    }
  return 0;
}

/* --- functions -------------------------------------------------------------------------------- */

static void destroy(rattle__function *f) {
  called *s = f->self;
  free(s->rest);
  free(s->index);
  free(s);
}

/* Which part of z a function sees, and which columns of it its Jacobian has: `skip` are omitted at
 * the front. */
typedef struct part {
  int first, vars, skip, is_g, rows, quadratic;
} part;

static rattle_status make(rattle__function **f, const rattle_callbacks *c, const part *p,
                          const double *rest, rattle_error *error) {
  size_t n = (size_t)c->n, nz = 2 * n, rows = (size_t)p->rows, vars = (size_t)p->vars,
         width = vars - (size_t)p->skip;
  int second = p->is_g ? c->constraint_hessian != NULL : c->hamiltonian_hessian != NULL;
  called *s = calloc(1, sizeof *s);
  double *copy = calloc(nz, sizeof *copy);
  int *index = vars * vars + rows * nz < 0x7fffffff / 2
                   ? malloc((rows + 1 + rows * width + vars + 1 + vars * vars) * sizeof *index)
                   : NULL;
  if (!s || !copy || !index) {
    free(s);
    free(copy);
    free(index);
    return rattle__no_memory(error);
  }
  if (rest) memcpy(copy, rest, nz * sizeof *copy);
  int *jac_ptr = index, *jac_col = jac_ptr + rows + 1, *hess_ptr = jac_col + rows * width,
      *hess_col = hess_ptr + vars + 1;
  for (size_t r = 0; r <= rows; r++) jac_ptr[r] = (int)(r * width);
  for (size_t k = 0; k < rows * width; k++) jac_col[k] = (int)(k % width) + p->skip;
  for (size_t i = 0; i <= vars; i++) hess_ptr[i] = (int)(i * vars);
  for (size_t k = 0; k < vars * vars; k++) hess_col[k] = (int)(k % vars);
  /* z, a whole Hessian, weights; or z, a point, values and two whole Jacobians */
  size_t by_hessian = nz + nz * nz + rows, by_differences = nz + vars + rows + 2 * rows * nz;
  *s = (called){
      .c = *c, .n = c->n, .is_g = p->is_g, .first = p->first, .rest = copy, .index = index};
  s->f = (rattle__function){.rows = p->rows,
                            .vars = p->vars,
                            .jac_ptr = jac_ptr,
                            .jac_col = jac_col,
                            .jac_nnz = (int)(rows * width),
                            .hess_ptr = hess_ptr,
                            .hess_col = hess_col,
                            .hess_nnz = (int)(vars * vars),
                            .quadratic = p->quadratic,
                            .work =
                                second && by_hessian > by_differences ? by_hessian : by_differences,
                            .value = value,
                            .jacobian = jacobian,
                            .hessian = second ? given_hessian : difference_hessian,
                            .rough = second || p->is_g ? NULL : forward_rows,
                            .along = second && p->is_g ? along : NULL,
                            .destroy = destroy,
                            .self = s};
  *f = &s->f;
  return RATTLE_OK;
}

/* A point (q', p') at which a separable H and its gradient are finite: 0 in all, or irregular
 * numbers. */
static rattle_status find_rest(const rattle_callbacks *c, double *rest, double *H,
                               rattle_error *error) {
  size_t nz = 2 * (size_t)c->n;
  double *gradient = calloc(nz, sizeof *gradient);
  if (!gradient) return rattle__no_memory(error);
  int found = 0;
  for (int trial = 0; trial < 8 && !found; trial++) {
    for (size_t i = 0; i < nz; i++)
      rest[i] = trial ? 0.25 * trial + fmod(0.6180339887498949 * (double)(i + 1), 1) : 0;
    double sum = 0;
    int answer = c->hamiltonian(c->context, rest, H, gradient);
    for (size_t i = 0; i < nz; i++) sum += 0 * gradient[i];
    found = !answer && isfinite(*H) && sum == 0;
  }
  free(gradient);
  if (found) return RATTLE_OK;
  return rattle__fail(error, RATTLE_BAD_ARGUMENT, "flags",
                      "a separable H is split at a point where it can be evaluated, and the "
                      "hamiltonian callback returned no "
                      "finite value at (0, 0) and at 7 other points: omit RATTLE_SEPARABLE");
}

static rattle_status make_hamiltonian(rattle_problem *p, const rattle_callbacks *c,
                                      rattle_error *error) {
  int n = p->n, quadratic = !!(p->flags & RATTLE_QUADRATIC_H);
  part whole = {.vars = 2 * n, .rows = 1, .quadratic = quadratic},
       of_q = {.vars = n, .rows = 1, .quadratic = quadratic},
       of_p = {.first = n, .vars = n, .rows = 1, .quadratic = quadratic};
  if (!(p->flags & RATTLE_SEPARABLE)) return make(&p->H, c, &whole, NULL, error);
  double H = 0, *rest = calloc(2 * (size_t)n, sizeof *rest);
  rattle_status status = rest ? RATTLE_OK : rattle__no_memory(error);
  if (!status && !p->mass) {
    status = find_rest(c, rest, &H, error);
    if (!status) status = make(&p->T, c, &of_p, rest, error);
    if (!status) ((called *)p->T->self)->shift = H;
  }
  if (!status) status = make(&p->V, c, &of_q, rest, error);
  free(rest);
  return status ? status : rattle__function_separable(&p->H, n, p->V, p->T, p->mass, error);
}

static rattle_status make_constraints(rattle_problem *p, const rattle_callbacks *c,
                                      rattle_error *error) {
  if (!p->m) return RATTLE_OK;
  int holonomic = !!(p->flags & RATTLE_HOLONOMIC), shift = !!(p->flags & RATTLE_MOMENTUM_G);
  part of_g = {.vars = holonomic ? p->n : 2 * p->n,
               .skip = shift ? p->n : 0,
               .is_g = 1,
               .rows = p->m,
               .quadratic = !!(p->flags & RATTLE_QUADRATIC_G)};
  return make(&p->g, c, &of_g, NULL, error);
}

/* H as a whole, and the forces, which are called as constraints are. */
static rattle_status make_forced(rattle_problem *p, const rattle_callbacks *c,
                                 rattle_error *error) {
  const part whole = {.vars = 2 * p->n, .rows = 1},
             forces = {.vars = 2 * p->n, .is_g = 1, .rows = p->n};
  rattle_callbacks of_force = *c;
  of_force.constraint = c->force;
  of_force.constraint_hessian = NULL;
  p->pushed = malloc((size_t)p->n * sizeof *p->pushed);
  if (!p->pushed) return rattle__no_memory(error);
  for (int i = 0; i < p->n; i++) p->pushed[i] = i;
  rattle_status status = make(&p->energy, c, &whole, NULL, error);
  if (!status) status = make(&p->force, &of_force, &forces, NULL, error);
  p->flags = (p->flags | RATTLE_FORCED) & ~RATTLE_QUADRATIC_H;
  return status ? status : rattle__function_forced(&p->H, p, 0, error);
}

/* --- problems --------------------------------------------------------------------------------- */

static rattle_status check_flags(const rattle_callbacks *c, rattle_error *error) {
  int known = RATTLE_SEPARABLE | RATTLE_NATURAL | RATTLE_HOLONOMIC | RATTLE_QUADRATIC_G |
              RATTLE_MOMENTUM_G | RATTLE_QUADRATIC_H | RATTLE_VAKONOMIC;
  if (c->flags & ~known)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "flags",
                        "flags contains unknown bits (%#x): use the RATTLE_ flags of problem.h",
                        (unsigned)(c->flags & ~known));
  if (c->m && c->flags & RATTLE_HOLONOMIC && c->flags & RATTLE_MOMENTUM_G)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "flags",
                        "flags contains both RATTLE_HOLONOMIC, g = g(q), and RATTLE_MOMENTUM_G, g "
                        "= g(p): give one of them");
  if (c->force && c->flags & (RATTLE_SEPARABLE | RATTLE_NATURAL))
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "flags",
                        "flags contains RATTLE_SEPARABLE or RATTLE_NATURAL, and with forces H is "
                        "evaluated as a whole: omit the flag");
  if (c->force && c->m && !(c->flags & RATTLE_HOLONOMIC))
    return rattle__fail(
        error, RATTLE_BAD_ARGUMENT, "flags",
        "forces need constraints on coordinates: give RATTLE_HOLONOMIC if g = g(q)");
  if (c->clock < 0 || c->clock > c->n)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "clock",
                        "clock is %d: it is 1 + the pair of the time, at most %d, or 0", c->clock,
                        c->n);
  if (!(c->flags & RATTLE_NATURAL)) return RATTLE_OK;
  if (c->clock)
    return rattle__fail(
        error, RATTLE_BAD_ARGUMENT, "clock",
        "flags contains RATTLE_NATURAL, but p_t is linear in H: give RATTLE_SEPARABLE instead");
  if (!c->inverse_mass)
    return rattle__fail(
        error, RATTLE_BAD_ARGUMENT, "inverse_mass",
        "flags contains RATTLE_NATURAL, but inverse_mass is NULL: give the diagonal of M^-1");
  for (int i = 0; i < c->n; i++)
    if (!(c->inverse_mass[i] > 0) || !isfinite(c->inverse_mass[i]))
      return rattle__fail(error, RATTLE_BAD_ARGUMENT, "inverse_mass",
                          "inverse_mass[%d] is %g: it must be positive and finite", i,
                          c->inverse_mass[i]);
  return RATTLE_OK;
}

static rattle_status check_names(int names, int count, const char *where, const char *of,
                                 rattle_error *error) {
  if (!names || names == count) return RATTLE_OK;
  return rattle__fail(error, RATTLE_BAD_ARGUMENT, where,
                      "%s: expected %d name%s, found %d: name each of the %s, or none", where,
                      count, count == 1 ? "" : "s", names, of);
}

static rattle_status check(const rattle_callbacks *c, rattle_error *error) {
  if (!c)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "callbacks",
                        "callbacks is NULL: give a filled rattle_callbacks");
  if (c->n <= 0)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "n",
                        "n is %d: a problem needs at least one pair (q, p)", c->n);
  if (c->m < 0)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "m",
                        "m is %d: the number of constraints cannot be negative", c->m);
  if (c->m > c->n) return rattle__too_many_constraints(c->m, c->n, "m", error);
  if (!c->hamiltonian)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "hamiltonian",
                        "the hamiltonian callback is NULL: give H(z) and its gradient");
  if (c->m && !c->constraint)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "constraint",
                        "m is %d, but the constraint callback is NULL: give g(z) and its Jacobian",
                        c->m);
  rattle_status status =
      check_names(c->coordinate_name_count, c->n, "coordinate_names", "coordinates", error);
  if (!status)
    status = check_names(c->constraint_name_count, c->m, "constraint_names", "constraints", error);
  return status ? status : check_flags(c, error);
}

/* A copy of name; of "prefix[i]" if name is NULL. */
static char *name_or_number(const char *name, const char *prefix, int i) {
  char text[32];
  snprintf(text, sizeof text, "%s[%d]", prefix, i);
  return strdup(name ? name : text);
}

static rattle_status copy(rattle_problem *p, const rattle_callbacks *c, rattle_error *error) {
  size_t n = (size_t)c->n;
  p->coordinate_name = calloc(n, sizeof *p->coordinate_name);
  p->constraint_name = calloc((size_t)c->m + 1, sizeof *p->constraint_name);
  if (!p->coordinate_name || !p->constraint_name) return rattle__no_memory(error);
  for (int i = 0; i < c->n; i++)
    if (!(p->coordinate_name[i] =
              name_or_number(c->coordinate_names ? c->coordinate_names[i] : NULL, "q", i)))
      return rattle__no_memory(error);
  for (int i = 0; i < c->m; i++)
    if (!(p->constraint_name[i] =
              name_or_number(c->constraint_names ? c->constraint_names[i] : NULL, "g", i)))
      return rattle__no_memory(error);
  if (!(c->flags & RATTLE_NATURAL)) return RATTLE_OK;
  return rattle__mass_create_diagonal(&p->mass, c->n, c->inverse_mass, error);
}

/* Makes the parts of a problem, which holds the callbacks' context already. */
static rattle_status create(rattle_problem *p, const rattle_callbacks *callbacks,
                            rattle_error *error) {
  p->n = callbacks->n;
  p->m = callbacks->m;
  p->clock = callbacks->clock;
  p->flags = callbacks->flags;
  if (p->flags & RATTLE_NATURAL) p->flags |= RATTLE_SEPARABLE;
  if (!p->m) p->flags = (p->flags | RATTLE_HOLONOMIC) & ~(RATTLE_QUADRATIC_G | RATTLE_MOMENTUM_G);
  rattle_status status = copy(p, callbacks, error);
  if (!status)
    status =
        callbacks->force ? make_forced(p, callbacks, error) : make_hamiltonian(p, callbacks, error);
  return status ? status : make_constraints(p, callbacks, error);
}

rattle_status rattle_problem_create_callbacks(rattle_problem **problem,
                                              const rattle_callbacks *given, rattle_error *error) {
  rattle_callbacks own;
  *problem = NULL;
  rattle_status status = RATTLE__TAKE(&own, rattle_callbacks, constraint_names, given, error);
  if (!status) status = check(given ? &own : NULL, error);
  rattle_problem *p = status ? NULL : rattle__problem_allocate();
  if (!p) {
    if (own.release) own.release(own.context);
    return status ? status : rattle__no_memory(error);
  }
  rattle__problem_tell(p, own.release, own.context);
  status = create(p, &own, error);
  if (status)
    rattle_problem_destroy(&p);
  else
    *problem = p;
  return status;
}
