/* Momenta from start velocities: H_p(q,p)_u = v_u for the pairs u that have a velocity, the other
 * momenta being as given.
 *
 * Natural H with diagonal M: p = M v. Else Newton with the rows and columns u of H_pp.
 * Symbols: u [count] the pairs; v_u their velocities; S = H'' in its pattern; P = (H_pp)_uu. */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "constraint/equation/iterate.h"
#include "ground/support/error.h"
#include "problem/model/model.h"
#include "runs/start/start.h"
#include "constraint/step/map.h"

typedef struct velocities {
  int count;
  int *pair, *place;      /* [count], and the place of a pair in it or -1 [n] */
  int *ptr, *col, *entry; /* pattern of P and positions of its values in S */
  double *S, *rhs;
  rattle__linear *P;
} velocities;

/* True if the pair starts with a velocity. */
static int has_velocity(const rattle__start *s, int pair) {
  return s->problem->model->pair[pair].has_velocity && !(s->momenta && !isnan(s->momenta[pair]));
}

static rattle_status no_momentum(const rattle__start *s, int pair, const char *why,
                                 rattle_error *error) {
  const char *name = rattle__start_coordinate(s, pair);
  return rattle__fail(
      error, RATTLE_BAD_MODEL, name,
      "no momentum gives '%s' its start velocity %g: %s; give momenta in start{...} instead", name,
      s->problem->model->pair[pair].velocity, why);
}

static rattle_status natural(rattle__start *s, rattle_error *error) {
  const rattle__pair *pair = s->problem->model->pair;
  for (int k = 0; k < s->n; k++) {
    if (!has_velocity(s, k)) continue;
    s->z[s->n + k] = pair[k].velocity / s->problem->mass->diagonal[k];
    if (!isfinite(s->z[s->n + k]))
      return no_momentum(s, k, "H does not depend on its momentum", error);
  }
  return RATTLE_OK;
}

static void destroy(velocities *u) {
  rattle__linear_destroy(&u->P);
  free(u->pair);
  free(u->place);
  free(u->ptr);
  free(u->col);
  free(u->entry);
  free(u->S);
  free(u->rhs);
}

static rattle_status create(velocities *u, const rattle__start *s, rattle_error *error) {
  const rattle__function *H = s->problem->H;
  size_t n = (size_t)s->n, nnz = (size_t)H->hess_nnz + 1;
  u->pair = calloc(n, sizeof(int));
  u->place = calloc(n, sizeof(int));
  u->ptr = calloc(n + 1, sizeof(int));
  u->col = calloc(nnz, sizeof(int));
  u->entry = calloc(nnz + n, sizeof(int));
  u->S = calloc(nnz, sizeof(double));
  u->rhs = calloc(n, sizeof(double));
  if (!u->pair || !u->place || !u->ptr || !u->col || !u->entry || !u->S || !u->rhs)
    return rattle__no_memory(error);
  for (int k = 0; k < s->n; k++) {
    u->place[k] = -1;
    if (!has_velocity(s, k)) continue;
    u->pair[u->count] = k;
    u->place[k] = u->count++;
  }
  int to = 0;
  for (int i = 0; i < u->count; i++) {
    int row = s->n + u->pair[i];
    for (int e = H->hess_ptr[row]; e < H->hess_ptr[row + 1]; e++)
      if (H->hess_col[e] >= s->n && u->place[H->hess_col[e] - s->n] >= 0)
        u->col[to++] = u->place[H->hess_col[e] - s->n];
    u->ptr[i + 1] = to;
  }
  rattle_status status =
      rattle__linear_create(&u->P, u->count, u->ptr, u->col, 1, RATTLE__LINEAR_AUTO, error);
  if (status) return status;
  /* the system has every diagonal entry, H'' perhaps not: those stay 0 */
  for (int i = 0; i < u->count; i++) {
    int row = s->n + u->pair[i], e = H->hess_ptr[row];
    for (int t = u->P->ptr[i]; t < u->P->ptr[i + 1]; t++) {
      int column = s->n + u->pair[u->P->col[t]];
      while (e < H->hess_ptr[row + 1] && H->hess_col[e] < column) e++;
      u->entry[t] = e < H->hess_ptr[row + 1] && H->hess_col[e] == column ? e : -1;
    }
  }
  return RATTLE_OK;
}

/* Residuals into rhs and P from S; the largest residual in units of round-off. */
static double residual(velocities *u, const rattle__start *s, int *worst) {
  double most = 0;
  for (int i = 0; i < u->count; i++) {
    const double v = s->problem->model->pair[u->pair[i]].velocity,
                 at = s->gradient[s->n + u->pair[i]];
    double size = fabs(v) + fabs(at);
    for (int t = u->P->ptr[i]; t < u->P->ptr[i + 1]; t++) {
      u->P->value[t] = u->entry[t] >= 0 ? u->S[u->entry[t]] : 0;
      size += fabs(u->P->value[t] * s->z[s->n + u->pair[u->P->col[t]]]);
    }
    u->rhs[i] = v - at;
    double r = fabs(u->rhs[i]) / (DBL_EPSILON * size + DBL_MIN);
    if (!(r <= most)) {
      most = r;
      *worst = u->pair[i];
    }
  }
  return most;
}

static rattle_status newton(velocities *u, rattle__start *s, rattle_error *error) {
  const rattle__function *H = s->problem->H;
  double previous = INFINITY;
  int worst = u->pair[0];
  for (int k = 0;; k++) {
    int answer = H->jacobian(H, s->z, NULL, s->gradient, s->work);
    if (!answer) answer = H->hessian(H, s->z, NULL, u->S, s->work);
    if (answer) return rattle__callback_error(answer, "Hamiltonian", error);
    double r = residual(u, s, &worst);
    rattle__verdict verdict = rattle__judge(r, previous, k, 0);
    if (verdict == RATTLE__DONE) return RATTLE_OK;
    if (verdict == RATTLE__GIVE_UP) {
      if (rattle__domain_error(s->problem, s->z, error) == RATTLE_DOMAIN) return RATTLE_DOMAIN;
      return no_momentum(s, worst, "Newton's method does not converge", error);
    }
    previous = r;
    const rattle_status status = u->P->factor(u->P);
    if (status == RATTLE_NO_MEMORY) return rattle__no_memory(error);
    if (status)
      return no_momentum(s, u->pair[u->P->blame < 0 ? 0 : u->P->blame], "H_pp is singular there",
                         error);
    u->P->solve(u->P, u->rhs);
    for (int i = 0; i < u->count; i++) s->z[s->n + u->pair[i]] += u->rhs[i];
  }
}

rattle_status rattle__start_momenta(rattle__start *s, rattle_error *error) {
  const rattle_model *model = s->problem->model;
  int wanted = 0;
  for (int k = 0; model && k < s->n; k++) wanted |= has_velocity(s, k);
  if (!wanted) return RATTLE_OK;
  if (s->problem->flags & RATTLE_NATURAL && !s->problem->mass->value) return natural(s, error);
  velocities u = {0};
  rattle_status status =
      rattle__needs_hessian(s->problem, "velocity { ... } with masses that couple momenta", error);
  if (!status) status = create(&u, s, error);
  if (!status) status = newton(&u, s, error);
  destroy(&u);
  return status;
}
