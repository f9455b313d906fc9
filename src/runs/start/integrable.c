/* Constraints linear in momenta that no constraint on coordinates implies. As one on velocities
 * each would have another motion, in which the reaction pushes; Dirac's multiplier displaces
 * coordinates. So a start asks for the word that says which is meant, where velocities determine
 * momenta. A second question is whether one follows from a function of coordinates, or is
 * nonholonomic (rattle_problem_not_integrable).
 *
 * g_i = a_i(q) . p + b_i(q) is a constraint on velocities v = H_pp p: alpha_i v = -b_i, alpha_i =
 * a_i H_pp^-1. The alpha_i come from functions of q alone where d alpha_i(u,v) = (alpha_i' u) v -
 * (alpha_i' v) u = 0 for all u, v with alpha u = alpha v = 0 (G. Frobenius, J. reine angew. Math.
 * 82 (1877) 230). u and v are those of some random directions of that kind, which meet every form;
 * derivatives are central differences, at the start and at points of the manifold near it; lengths
 * are those of the masses. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ground/support/arena.h"
#include "ground/support/error.h"
#include "ground/support/random.h"
#include "problem/model/model.h"
#include "runs/start/start.h"

enum { MOST = 200, POINTS = 3, DIRECTIONS = 12 };
static const double far = 1e-4, zero = 1e-6, same = 1e-9, spread = 0.05;

typedef struct forms {
  const rattle_problem *problem;
  int n, m, count, first,
      last; /* rows of basis: those before `first` are left out, up to `last` directions follow */
  int held, given; /* given: rows of basis that are gradients of constraints without momenta */
  int any;  /* true if those are sought that follow from a function of coordinates too, which is
              no constraint of the problem */
  int *row; /* [m] the `count` constraints linear in momenta; at the end the `held` ones without
              momenta */
  double *z, *g, *J, *S, *work, *mass; /* the point [2n]; mass: roots of the diagonal of H_pp [n] */
  double *alpha, *basis, *change,
      *off;    /* [m*n], [n*n]; alpha' u of all directions [DIRECTIONS*m*n], [m*n] */
  double size; /* of the coordinates, in mass */
  rattle__linear *W;
  rattle__arena arena;
} forms;

static rattle_status plan(forms *f, rattle_error *error) {
  const rattle__function *g = f->problem->g, *H = f->problem->H;
  const size_t n = (size_t)f->n, m = (size_t)f->m, work = g->work > H->work ? g->work : H->work;
  const rattle__array arrays[] = {{&f->z, 2 * n},
                                  {&f->g, m},
                                  {&f->J, (size_t)g->jac_nnz},
                                  {&f->S, (size_t)H->hess_nnz},
                                  {&f->work, work},
                                  {&f->mass, n},
                                  {&f->alpha, m * n},
                                  {&f->basis, n * n},
                                  {&f->change, DIRECTIONS * m * n},
                                  {&f->off, m * n}};
  RATTLE__LAY_OUT(&f->arena, arrays);
  f->row = rattle__arena_take(&f->arena, m * sizeof *f->row);
  int *ptr = rattle__arena_take(&f->arena, (n + 1 + n * n) * sizeof *ptr);
  if (f->arena.failed || !ptr) return rattle__no_memory(error);
  for (int i = 0; i <= f->n; i++) ptr[i] = i * f->n;
  for (int i = 0; i < f->n * f->n; i++) ptr[f->n + 1 + i] = i % f->n;
  return rattle__linear_create(&f->W, f->n, ptr, ptr + f->n + 1, 1, RATTLE__LINEAR_DENSE, error);
}

/* The rows whose derivatives by momenta are the same at 2 p + 1 as at p. */
static int find_linear(forms *f) {
  const rattle__function *g = f->problem->g;
  double *a = f->off, *b = f->change;
  const size_t all = (size_t)f->m * (size_t)f->n * sizeof *a;
  f->count = f->held = 0;
  memset(a, 0, all);
  memset(b, 0, all);
  for (int other = 0; other < 2; other++) {
    for (int k = f->n; k < 2 * f->n && other; k++) f->z[k] = 2 * f->z[k] + 1;
    if (g->jacobian(g, f->z, f->g, f->J, f->work)) return 1;
    for (int i = 0; i < f->m; i++)
      for (int e = g->jac_ptr[i]; e < g->jac_ptr[i + 1]; e++)
        if (g->jac_col[e] >= f->n) (other ? b : a)[i * f->n + g->jac_col[e] - f->n] = f->J[e];
    for (int k = f->n; k < 2 * f->n && other; k++) f->z[k] = (f->z[k] - 1) / 2;
  }
  for (int i = 0; i < f->m; i++) {
    double change = 0, most = 0;
    for (int k = 0; k < f->n; k++) {
      change = fmax(change, fabs(b[i * f->n + k] - a[i * f->n + k]));
      most = fmax(most, fabs(a[i * f->n + k]));
    }
    if (most > 0 && change <= same * most)
      f->row[f->count++] = i;
    else if (!(most > 0) && !(change > 0))
      f->row[f->m - ++f->held] = i;
  }
  return 0;
}

/* alpha [count*n] at z, over the masses' roots; nonzero if it cannot be had. */
static int forms_at(forms *f, double *alpha) {
  const rattle__function *g = f->problem->g, *H = f->problem->H;
  const int n = f->n;
  if (g->jacobian(g, f->z, f->g, f->J, f->work) || H->hessian(H, f->z, NULL, f->S, f->work))
    return 1;
  memset(f->W->value, 0, (size_t)n * (size_t)n * sizeof(double));
  for (int r = n; r < 2 * n; r++)
    for (int e = H->hess_ptr[r]; e < H->hess_ptr[r + 1]; e++)
      if (H->hess_col[e] >= n) f->W->value[(r - n) * n + H->hess_col[e] - n] = f->S[e];
  if (f->W->factor(f->W)) return 1;
  for (int i = 0; i < f->count; i++) {
    double *a = alpha + i * n;
    memset(a, 0, (size_t)n * sizeof *a);
    for (int e = g->jac_ptr[f->row[i]]; e < g->jac_ptr[f->row[i] + 1]; e++)
      if (g->jac_col[e] >= n) a[g->jac_col[e] - n] = f->J[e];
    f->W->solve(f->W, a);
    for (int k = 0; k < n; k++) a[k] *= f->mass[k];
  }
  return 0;
}

static double dot(int n, const double *a, const double *b) {
  double sum = 0;
  for (int k = 0; k < n; k++) sum += a[k] * b[k];
  return sum;
}

/* Appends v [n], without its parts along the orthonormal rows of A [rows*n], as the next row unless
 * nothing remains. Returns the number of rows. */
static int append(int n, double *A, int rows, const double *v) {
  double *w = A + rows * n;
  memmove(w, v, (size_t)n * sizeof *w);
  const double before = sqrt(dot(n, w, w));
  for (int pass = 0; pass < 2; pass++)
    for (int i = 0; i < rows; i++) {
      const double part = dot(n, A + i * n, w);
      for (int k = 0; k < n; k++) w[k] -= part * A[i * n + k];
    }
  const double length = sqrt(dot(n, w, w));
  if (!(length > 1e-7 * before)) return rows;
  for (int k = 0; k < n; k++) w[k] /= length;
  return rows + 1;
}

/* basis: of alpha and the gradients of constraints without momenta first, then some directions
 * orthogonal to them. J is that of the point. */
static void make_basis(forms *f) {
  const rattle__function *g = f->problem->g;
  int rows = 0;
  uint64_t random = 1;
  for (int i = f->m - f->held; i < f->m && rows < f->n; i++) {
    memset(f->off, 0, (size_t)f->n * sizeof *f->off);
    for (int e = g->jac_ptr[f->row[i]]; e < g->jac_ptr[f->row[i] + 1]; e++)
      if (g->jac_col[e] < f->n) f->off[g->jac_col[e]] = f->J[e] * f->mass[g->jac_col[e]];
    rows = append(f->n, f->basis, rows, f->off);
  }
  f->given = rows;
  for (int i = 0; i < f->count && rows < f->n; i++)
    rows = append(f->n, f->basis, rows, f->alpha + i * f->n);
  f->first = rows;
  for (int u = 0; u < DIRECTIONS && rows < f->n; u++) {
    for (int k = 0; k < f->n; k++) f->off[k] = rattle__random_signed(&random);
    rows = append(f->n, f->basis, rows, f->off);
  }
  f->last = rows;
}

/* alpha' u for each of the directions. */
static int differentiate(forms *f) {
  const int n = f->n, all = f->count * n;
  const double t = far * f->size;
  for (int u = f->first; u < f->last; u++) {
    double *change = f->change + (size_t)(u - f->first) * (size_t)f->m * (size_t)n;
    for (int side = 0; side < 2; side++) {
      const double by = side ? -t : t;
      for (int k = 0; k < n; k++) f->z[k] += by * f->basis[u * n + k] * f->mass[k];
      int answer = forms_at(f, side ? f->off : change);
      for (int k = 0; k < n; k++) f->z[k] -= by * f->basis[u * n + k] * f->mass[k];
      if (answer) return 1;
    }
    for (int k = 0; k < all; k++) change[k] = (change[k] - f->off[k]) / (2 * t);
  }
  return 0;
}

/* True if the model asks for the Hamiltonian motion. */
static int is_meant(const rattle_problem *problem, int i) {
  return problem->model ? problem->model->constraint[i].dirac
                        : (problem->flags & RATTLE_DIRAC) != 0;
}

/* True if psi = 0 of the constraints without momenta implies row i. */
static int is_implied(const forms *f, int i) {
  const double *alpha = f->alpha + i * f->n;
  double left = dot(f->n, alpha, alpha), all = left;
  for (int k = 0; k < f->given; k++) {
    const double part = dot(f->n, alpha, f->basis + k * f->n);
    left -= part * part;
  }
  return !(left > zero * all);
}

/* A row that needs the word, or -1. */
static int find_unsaid(const forms *f) {
  for (int i = 0; i < f->count; i++)
    if (!is_meant(f->problem, f->row[i]) && !is_implied(f, i)) return f->row[i];
  return -1;
}

static int find(forms *f) {
  const int n = f->n;
  make_basis(f);
  if (f->any) return find_unsaid(f);
  if (differentiate(f)) return -1;
  for (int i = 0; i < f->count; i++) {
    if (is_meant(f->problem, f->row[i])) continue;
    const double size = sqrt(dot(n, f->alpha + i * n, f->alpha + i * n)) / f->size;
    for (int u = f->first; u < f->last; u++)
      for (int v = u + 1; v < f->last; v++) {
        const double *du = f->change + (size_t)((u - f->first) * f->m + i) * (size_t)n,
                     *dv = f->change + (size_t)((v - f->first) * f->m + i) * (size_t)n;
        if (fabs(dot(n, du, f->basis + v * n) - dot(n, dv, f->basis + u * n)) > zero * size)
          return f->row[i];
      }
  }
  return -1;
}

/* Lengths: roots of H_pp's diagonal, and the largest coordinate over them. */
static int measure(forms *f) {
  const rattle__function *H = f->problem->H;
  if (H->hessian(H, f->z, NULL, f->S, f->work)) return 1;
  f->size = 0;
  memset(f->mass, 0, (size_t)f->n * sizeof *f->mass);
  for (int k = 0; k < f->n; k++)
    for (int e = H->hess_ptr[f->n + k]; e < H->hess_ptr[f->n + k + 1]; e++)
      if (H->hess_col[e] == f->n + k) f->mass[k] = sqrt(fabs(f->S[e]));
  double shortest = INFINITY;
  for (int k = 0; k < f->n; k++) {
    if (!(f->mass[k] > 0)) return 1;
    f->size = fmax(f->size, fabs(f->z[k]) / f->mass[k]);
    shortest = fmin(shortest, 1 / f->mass[k]);
  }
  if (!(f->size > 0)) f->size = shortest;
  return !isfinite(f->size);
}

/* At the start of s, and at points of the manifold near it; one that is not reached is not used. z,
 * g, J of s are what they were afterwards. */
static rattle_status find_near(rattle__start *s, int any, int *constraint, rattle_error *error) {
  forms f = {.problem = s->problem, .n = s->n, .m = s->m, .any = any};
  const size_t nz = 2 * (size_t)s->n;
  *constraint = -1;
  if (!s->m || s->problem->flags & RATTLE_HOLONOMIC || s->n > MOST || s->m > MOST ||
      !s->problem->H->hessian)
    return RATTLE_OK;
  double *start = malloc(nz * sizeof *start);
  rattle_status status = start ? plan(&f, error) : rattle__no_memory(error);
  if (start) memcpy(start, s->z, nz * sizeof *start);
  for (int k = 0; k < POINTS && !status && *constraint < 0; k++) {
    if (k) rattle__start_perturb(s, k, spread);
    if (!k || !rattle__start_onto_constraints(s, NULL)) {
      memcpy(f.z, s->z, nz * sizeof *start);
      if (!find_linear(&f) && f.count > 0 && !measure(&f) && !forms_at(&f, f.alpha))
        *constraint = find(&f);
    }
    memcpy(s->z, start, nz * sizeof *start);
    if (k == 0 && !f.count) break;
  }
  rattle__linear_destroy(&f.W);
  rattle__arena_release(&f.arena);
  free(start);
  rattle_status again = status ? RATTLE_OK : rattle__start_constraints(s, error);
  return status ? status : again;
}

rattle_status rattle__start_integrable(rattle__start *s, rattle_error *error) {
  int i;
  rattle_status status = find_near(s, 1, &i, error);
  if (status || i < 0) return status;
  const char *name = rattle__start_constraint(s, i);
  const int functions = !s->problem->model; /* a problem from callbacks */
  char push[160];
  snprintf(push, sizeof push, "velocity_constrain(\"%.60s\", expression) in place of constrain",
           name);
  rattle__fail(error, RATTLE_BAD_MODEL, name,
               "'%s' is linear in the momenta, and two motions may be meant. Of a lock, a motor, a "
               "wheel or a blade, where the reaction pushes (integrable or nonholonomic): %s. Of a "
               "constraint of a Hamiltonian system as Dirac has it, where the multiplier displaces "
               "coordinates: %s",
               name,
               functions ? "problems from functions have no constraints on velocities; write a "
                           "model of expressions, with velocity_constrain"
                         : push,
               functions ? "RATTLE_DIRAC among the flags"
                         : "constrain(name, expression, { dirac = true })");
  if (error) error->constraint = i;
  return RATTLE_BAD_MODEL;
}

rattle_status rattle_problem_not_integrable(const rattle_problem *problem, const double *q,
                                            const double *p, int *constraint, rattle_error *error) {
  rattle__start s;
  rattle_status status = rattle__start_create(&s, problem, error);
  *constraint = -1;
  if (!status) {
    memcpy(s.z, q, (size_t)problem->n * sizeof *q);
    memcpy(s.z + problem->n, p, (size_t)problem->n * sizeof *p);
    status = rattle__start_constraints(&s, error);
  }
  if (!status) status = find_near(&s, 0, constraint, error);
  rattle__start_destroy(&s);
  return status;
}
