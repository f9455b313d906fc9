/* The largest frequency of a constrained motion at a point; linear canonical changes of variables,
 * and so units, leave it as it is.
 *
 * The largest of three rates:
 *   radius   the largest |eigenvalue| of P K, the linearised flow on the tangent space {g' v = 0,
 *            psi' v = 0} of the manifold: K v = X_F', F = (H + sum lambda_i g_i)'' v, lambda for
 *            g(q) without the part due to speed; P the projection along X_{g_i} and X_{psi_i} (the
 *            Dirac bracket's; of second-class constraints along X_{g_i} alone, onto g' v = 0)
 *   turn     how fast constraints g(q) turn the velocity: sqrt of c^T N^-1 c / |p . H_p|,
 *            c_i = g_i''(X,X); constraints g(p) likewise, with q and p exchanged
 *   fall     how fast they will turn the velocity that a body at rest takes up: the fourth root of
 *            the same with u = P K X, the acceleration, in place of X, over |X_p . u_q|; of a drive
 *            that begins from rest X_p and u are the force and the acceleration that it makes
 * If all are 0 though something moves, and H is not quadratic: the root of the largest
 * |acceleration|/|coordinate|.
 *
 * Symbols: X the field with multipliers [2n]; psi' = D + H'' w (probe.h); weight: roots of the
 * diagonal of the quadratic form, so that vectors have the energy they stand for as squares. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ground/support/error.h"
#include "problem/functions/probe.h"
#include "examine/doctor/quick.h"
#include "examine/doctor/report.h"

static const double balanced = 1e-13; /* of the terms of a sum: what is less is round-off */

typedef struct frequency {
  rattle__probe *probe;
  const rattle__function *g, *H;
  int n, m, second_class;
  double *X, *u, *v, *w, *y, *weight; /* [2n] */
  double *lambda, *b;                 /* [m] */
  double *D;                          /* g'' v in the pattern of g' */
  double *S_H,
      *S_g; /* H'' and sum lambda_i g_i'' in their patterns; not known where the problem has no
               second derivatives */
  double *work, *room;
  rattle__arena arena;
} frequency;

static rattle_status plan(frequency *f, rattle_error *error) {
  size_t nz = 2 * (size_t)f->n, m = (size_t)f->m, nnz = f->g ? (size_t)f->g->jac_nnz : 0,
         work = f->H->work;
  size_t of_H = f->H->hessian ? (size_t)f->H->hess_nnz : 0,
         of_g = f->g && f->g->hessian ? (size_t)f->g->hess_nnz : 0;
  size_t room = 2 * (nnz > nz ? nnz : nz) + 2 * nz;
  if (f->g && f->g->work > work) work = f->g->work;
  const rattle__array arrays[] = {
      {&f->X, nz},      {&f->u, nz},      {&f->v, nz},     {&f->w, nz},  {&f->y, nz},
      {&f->weight, nz}, {&f->lambda, m},  {&f->b, m},      {&f->D, nnz}, {&f->S_H, of_H},
      {&f->S_g, of_g},  {&f->work, work}, {&f->room, room}};
  RATTLE__LAY_OUT(&f->arena, arrays);
  return f->arena.failed ? rattle__no_memory(error) : RATTLE_OK;
}

/* --- the linearised flow ---------------------------------------------------------------------- */

/* out <- X_F from the gradient F'; out may not be F' */
static void rotate(const frequency *f, const double *gradient, double *out) {
  for (int k = 0; k < f->n; k++) {
    out[k] = gradient[f->n + k];
    out[f->n + k] = -gradient[k];
  }
}

/* out -= sum b_i X_{g_i} */
static void take_along_g(const frequency *f, const double *b, double *out) {
  const rattle__probe *s = f->probe;
  for (int i = 0; i < f->m; i++)
    for (int e = f->g->jac_ptr[i]; e < f->g->jac_ptr[i + 1]; e++) {
      double part = b[i] * s->J[e];
      out[s->other[e]] -= f->g->jac_col[e] < f->n ? -part : part;
    }
}

static void add_product(const rattle__function *of, const double *S, const double *v, double *out) {
  for (int r = 0; r < of->vars; r++)
    for (int e = of->hess_ptr[r]; e < of->hess_ptr[r + 1]; e++) out[r] += S[e] * v[of->hess_col[e]];
}

/* out <- H'' v */
static int second_of_H(frequency *f, const double *v, double *out) {
  if (!f->H->hessian) return rattle__function_along(f->H, f->probe->z, v, out, f->work, f->room);
  memset(out, 0, 2 * (size_t)f->n * sizeof *out);
  add_product(f->H, f->S_H, v, out);
  return 0;
}

/* out <- H''^T v, which is another where forces act */
static int transposed_of_H(frequency *f, const double *v, double *out) {
  if (!f->probe->problem->force) return second_of_H(f, v, out);
  memset(out, 0, 2 * (size_t)f->n * sizeof *out);
  for (int r = 0; r < f->H->vars; r++)
    for (int e = f->H->hess_ptr[r]; e < f->H->hess_ptr[r + 1]; e++)
      out[f->H->hess_col[e]] += f->S_H[e] * v[r];
  return 0;
}

/* w <- K v, w may not be v */
static int generate(frequency *f, const double *v, double *w) {
  double *gradient = f->y;
  if (second_of_H(f, v, gradient)) return 1;
  if (f->m && f->g->hessian) {
    add_product(f->g, f->S_g, v, gradient);
    rotate(f, gradient, w);
    return 0;
  }
  if (f->m && rattle__function_along(f->g, f->probe->z, v, f->D, f->work, f->room)) return 1;
  for (int i = 0; i < f->m; i++)
    for (int e = f->g->jac_ptr[i]; e < f->g->jac_ptr[i + 1]; e++)
      gradient[f->g->jac_col[e]] += f->lambda[i] * f->D[e];
  rotate(f, gradient, w);
  return 0;
}

/* w <- P w */
static int project(frequency *f, double *w) {
  rattle__probe *s = f->probe;
  const rattle__function *g = f->g;
  if (!f->m) return 0;
  for (int i = 0; i < f->m; i++) {
    f->b[i] = 0;
    for (int e = g->jac_ptr[i]; e < g->jac_ptr[i + 1]; e++) f->b[i] += s->J[e] * w[g->jac_col[e]];
  }
  s->bracket->N->solve(s->bracket->N, f->b);
  if (f->second_class) {
    take_along_g(f, f->b, w);
    return 0;
  }
  /* sum b_i psi_i' = sum b_i D_i + H'' sum b_i w_i */
  double *sum = f->v, *gradient = f->y;
  memset(sum, 0, 2 * (size_t)f->n * sizeof *sum);
  for (int i = 0; i < f->m; i++)
    for (int e = g->jac_ptr[i]; e < g->jac_ptr[i + 1]; e++) sum[s->other[e]] += f->b[i] * s->w[e];
  if (transposed_of_H(f, sum, gradient)) return 1;
  for (int i = 0; i < f->m; i++)
    for (int e = g->jac_ptr[i]; e < g->jac_ptr[i + 1]; e++)
      gradient[g->jac_col[e]] += f->b[i] * s->D[e];
  rotate(f, gradient, sum);
  for (int k = 0; k < 2 * f->n; k++) w[k] -= sum[k];
  /* psi' X_{g_j} = -N_.j */
  if (second_of_H(f, w, gradient)) return 1;
  for (int i = 0; i < f->m; i++) {
    f->b[i] = 0;
    for (int e = g->jac_ptr[i]; e < g->jac_ptr[i + 1]; e++)
      f->b[i] -= s->D[e] * w[g->jac_col[e]] + s->w[e] * gradient[s->other[e]];
  }
  s->bracket->N->solve(s->bracket->N, f->b);
  take_along_g(f, f->b, w);
  return 0;
}

/* In vectors whose squares are energies. */
static int weighted(void *self, const double *v, double *out) {
  frequency *f = self;
  const int nz = 2 * f->n;
  for (int k = 0; k < nz; k++) f->u[k] = v[k] / f->weight[k];
  if (generate(f, f->u, f->w) || project(f, f->w)) return 1;
  for (int k = 0; k < nz; k++) out[k] = f->w[k] * f->weight[k];
  return 0;
}

/* --- weights ---------------------------------------------------------------------------------- */

/* weight += the diagonal of S, and the largest entries of its blocks qq and pp */
static void add_diagonal(frequency *f, const rattle__function *of, const double *S,
                         double most[2]) {
  for (int r = 0; r < of->vars; r++)
    for (int e = of->hess_ptr[r]; e < of->hess_ptr[r + 1]; e++) {
      const int c = of->hess_col[e], block = r >= f->n;
      if (c == r) f->weight[r] += S[e];
      if ((c >= f->n) == block) most[block] = fmax(most[block], fabs(S[e]));
    }
}

/* Those of a coordinate that has none on the diagonal are chosen for the fastest pair's rate, or by
 * the largest entries. */
static void complete_weights(frequency *f, const double most[2]) {
  const int n = f->n;
  double *w = f->weight, fastest = 0;
  for (int k = 0; k < 2 * n; k++) w[k] = sqrt(fabs(w[k]));
  for (int k = 0; k < n; k++) fastest = fmax(fastest, w[k] * w[n + k]);
  for (int k = 0; k < n; k++) {
    double *pair[2] = {&w[k], &w[n + k]};
    for (int i = 0; i < 2; i++) {
      if (*pair[i] > 0) continue;
      const double other = *pair[1 - i];
      *pair[i] = other > 0 && fastest > 0 ? fastest / other
                 : most[i] > 0            ? sqrt(most[i])
                 : other > 0              ? other
                                          : 1;
    }
  }
}

/* Second derivatives, and weights from them. */
static int weigh(frequency *f) {
  double most[2] = {0, 0};
  if (f->H->hessian) {
    if (f->H->hessian(f->H, f->probe->z, NULL, f->S_H, f->work)) return 1;
    add_diagonal(f, f->H, f->S_H, most);
  }
  if (f->m && f->g->hessian) {
    if (f->g->hessian(f->g, f->probe->z, f->lambda, f->S_g, f->work)) return 1;
    add_diagonal(f, f->g, f->S_g, most);
  }
  complete_weights(f, most);
  return 0;
}

/* --- rates ------------------------------------------------------------------------------------ */

/* lambda of the same point without the part that speed asks for, N^-1 c. */
static void leave_out_speed(frequency *f) {
  const rattle__probe *s = f->probe;
  for (int i = 0; i < f->m; i++) {
    f->b[i] = 0;
    for (int e = f->g->jac_ptr[i]; e < f->g->jac_ptr[i + 1]; e++)
      f->b[i] += s->D[e] * s->X[f->g->jac_col[e]];
  }
  s->bracket->N->solve(s->bracket->N, f->b);
  for (int i = 0; i < f->m; i++) f->lambda[i] -= f->b[i];
}

/* lambda, X, and all quantities of the probe that a projection needs. Components of X that are
 * round-off of balancing forces become 0. */
static int place(frequency *f, const double *q, const double *p) {
  rattle__probe *s = f->probe;
  const int nz = 2 * f->n;
  rattle__probe_place(s, q, p);
  if (f->m && rattle__probe_multipliers(s, f->lambda, NULL)) return 1;
  if (f->H->jacobian(f->H, s->z, NULL, f->y, f->work)) return 1;
  rotate(f, f->y, f->X);
  for (int k = 0; k < nz; k++) f->w[k] = fabs(f->X[k]);
  for (int i = 0; i < f->m; i++)
    for (int e = f->g->jac_ptr[i]; e < f->g->jac_ptr[i + 1]; e++) {
      const double part = f->lambda[i] * s->J[e];
      f->X[s->other[e]] += f->g->jac_col[e] < f->n ? -part : part;
      f->w[s->other[e]] += fabs(part);
    }
  double sum = 0;
  for (int k = 0; k < nz; k++) {
    if (fabs(f->X[k]) <= balanced * f->w[k]) f->X[k] = 0;
    sum += 0 * f->X[k];
  }
  if (f->m && f->probe->holonomic) leave_out_speed(f);
  return sum != 0;
}

/* lambda <- c, c_i = g_i''(u,u), and b <- N^-1 c. */
static int bend(frequency *f, const double *u) {
  if (!f->m || f->second_class) return 1;
  if (rattle__function_along(f->g, f->probe->z, u, f->D, f->work, f->room)) return 1;
  for (int i = 0; i < f->m; i++) {
    f->lambda[i] = 0;
    for (int e = f->g->jac_ptr[i]; e < f->g->jac_ptr[i + 1]; e++)
      f->lambda[i] += f->D[e] * u[f->g->jac_col[e]];
    f->b[i] = f->lambda[i];
  }
  f->probe->bracket->N->solve(f->probe->bracket->N, f->b);
  return 0;
}

/* c^T N^-1 c / |a . b|, c_i = g_i''(u,u); 0 where nothing moves. a . b is without the clock, whose
 * part p_t takes all of it where drives alone move what is at rest without them. */
static double curvature(frequency *f, const double *u, const double *a, const double *b) {
  double product = 0, size = 0, sum = 0;
  for (int k = 0; k < f->n; k++) {
    if (k == f->probe->problem->clock - 1) continue;
    product += a[k] * b[k];
    size += fabs(a[k] * b[k]);
  }
  if (!(fabs(product) > 1e-12 * size) || bend(f, u)) return 0;
  for (int i = 0; i < f->m; i++) sum += f->b[i] * f->lambda[i];
  return fabs(sum / product);
}

/* The root of the largest |acceleration|/|coordinate|; u = K X. */
static double from_rest(const frequency *f) {
  double most = 0;
  for (int k = 0; k < f->n; k++)
    if (f->probe->z[k] != 0) most = fmax(most, fabs(f->u[k] / f->probe->z[k]));
  return sqrt(most);
}

/* The norm in vectors whose squares are energies. */
static double weighted_norm(const frequency *f, const double *v) {
  double sum = 0;
  for (int k = 0; k < 2 * f->n; k++) sum += f->weight[k] * v[k] * f->weight[k] * v[k];
  return sqrt(sum);
}

/* u <- P K X, 0 where that is round-off of K X */
static int accelerate(frequency *f) {
  if (generate(f, f->X, f->u)) return 1;
  const double all = weighted_norm(f, f->u);
  if (project(f, f->u)) return 1;
  if (weighted_norm(f, f->u) <= balanced * all) memset(f->u, 0, 2 * (size_t)f->n * sizeof *f->u);
  return 0;
}

/* At rest with a drive that begins: X_p <- its force, -sum b_i g_i', and u <- (H_pp X_p, 0). */
static void begin_drive(frequency *f) {
  const size_t n = (size_t)f->n;
  if (!f->probe->problem->clock || bend(f, f->X)) return;
  memset(f->u, 0, 2 * n * sizeof *f->u);
  take_along_g(f, f->b, f->u);
  if (second_of_H(f, f->u, f->y)) return;
  memcpy(f->X + n, f->u + n, n * sizeof *f->X);
  memcpy(f->u, f->y + n, n * sizeof *f->u);
}

/* lambda is overwritten. */
static double of_motion(frequency *f) {
  const double *z = f->probe->z;
  const int n = f->n, by_momenta = f->m && f->probe->problem->flags & RATTLE_MOMENTUM_G;
  if (accelerate(f)) return 0;
  if (!by_momenta && !f->probe->holonomic) return 0;
  const double turn =
      by_momenta ? curvature(f, f->X, z, f->X + n) : curvature(f, f->X, z + n, f->X);
  if (!(turn > 0) && f->probe->holonomic) begin_drive(f);
  const double fall =
      by_momenta ? curvature(f, f->u, f->X, f->u + n) : curvature(f, f->u, f->X + n, f->u);
  return fmax(sqrt(turn), sqrt(sqrt(fall)));
}

static rattle_status largest(frequency *f, const double *q, const double *p, double *found,
                             rattle_error *error) {
  const int nz = 2 * f->n;
  double radius = 0, *start = f->X;
  if (place(f, q, p) || weigh(f)) return RATTLE_OK;
  double *X = rattle__arena_doubles(&f->arena, (size_t)nz);
  if (!X) return rattle__no_memory(error);
  memcpy(X, f->X, (size_t)nz * sizeof *X);
  for (int k = 0; k < nz; k++) f->w[k] = (1 + 0.5 * sin(1.0 + 7.0 * k)) / f->weight[k];
  if (project(f, f->w)) return RATTLE_OK;
  for (int k = 0; k < nz; k++) start[k] = f->w[k] * f->weight[k];
  rattle_status status = rattle__spectral_radius(nz, weighted, f, start, &radius, error);
  if (status) return status;
  memcpy(f->X, X, (size_t)nz * sizeof *X);
  double most = fmax(radius, of_motion(f));
  if (!(most > 0) && !(f->probe->problem->flags & RATTLE_QUADRATIC_H)) most = from_rest(f);
  int moves = 0;
  for (int k = 0; k < nz; k++) moves |= f->X[k] != 0;
  if (isfinite(most) && (most > 0 || !moves)) *found = most;
  return RATTLE_OK;
}

/* Under constraints on velocities, the frequency of the motion without them. */
rattle_status rattle__frequency(const rattle_problem *given, const double *q, const double *p,
                                double *found, rattle_error *error) {
  if (given->m >= given->n && !given->split) { /* constraints hold everything still */
    *found = 0;
    return RATTLE_OK;
  }
  rattle_problem other = *given;
  const rattle_problem *problem = &other;
  other.velocity = NULL;
  frequency f = {.g = problem->g,
                 .H = problem->H,
                 .n = problem->n,
                 .m = problem->m,
                 .second_class = (problem->flags & RATTLE_SECOND_CLASS) != 0};
  *found = (double)NAN;
  rattle_status status = plan(&f, error);
  if (!status) status = rattle__probe_create(&f.probe, problem, RATTLE__PROBE_MULTIPLIERS, error);
  if (!status && (!problem->m || f.probe->bracket)) status = largest(&f, q, p, found, error);
  rattle__probe_destroy(&f.probe);
  rattle__arena_release(&f.arena);
  return status;
}

rattle_status rattle__doctor_frequency(rattle_doctor *doctor, rattle_error *error) {
  double *fastest = &doctor->d.frequency;
  rattle_status status =
      rattle__frequency(doctor->problem, doctor->on_q, doctor->on_p, fastest, error);
  doctor->still = *fastest == 0;
  if (doctor->still) *fastest = (double)NAN;
  return status;
}
