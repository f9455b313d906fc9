/* One equilibrium beside another, along a parameter.
 *
 * Unknowns  (q, mu), on the constraints of mu: dq = B x + q_mu dmu, q_mu being how the projection
 *           onto them moves q as mu changes
 * Equations gamma = 0 and w^2 dq^T M (q - q0) + dmu (mu - mu0) = h, with the tangent (dq, dmu) of
 *           the point before (H. B. Keller, in P. H. Rabinowitz (ed.), Applications of
 *           Bifurcation Theory (1977) 359). Newton's method; of directions in which nothing
 *           changes, as a free rotation, the shortest step
 * By mu     gamma and q by differences of the problems at mu - shift and mu + shift; the residuals
 *           do not depend on them
 * Rounding  what pulls along an eigenvector of K by no more than rounding does pulls by nothing: a
 *           branch that symmetry keeps straight stays so where its stiffness goes through 0 */
#include "runs/statics/branch.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ground/linear/eigenvalues.h"
#include "ground/linear/singular.h"
#include "ground/support/error.h"
#include "ground/support/flag.h"
#include "ground/support/largest.h"

enum { MOST_ITERATIONS = 14, CHORDS = 6 };
static const double shift = 1e-5, last = 0x1p-26;

double rattle__branch_value(const rattle__branch *b, double mu) {
  return mu == 1 ? b->to : b->from + mu * (b->to - b->from);
}

int rattle__branch_turned(const rattle__branch *b) {
  int i = b->how.steadies - 1;
  while (i >= 0 && strcmp(b->steady[i].name, b->parameter) != 0) i--;
  return i;
}

void rattle__standing_lay_out(rattle__branch *b, rattle__standing *rest) {
  const size_t n = (size_t)b->n, tests = (size_t)b->tests;
  const rattle__array arrays[] = {{&rest->dq, n},          {&rest->p, n},
                                  {&rest->dq_mu, n},       {&rest->r_mu, n},
                                  {&rest->pull, n + 1},    {&rest->test, tests + 1},
                                  {&rest->soft, tests + 1}};
  RATTLE__LAY_OUT(&b->arena, arrays);
  rest->sign = rattle__arena_take(&b->arena, (tests + 1) * sizeof *rest->sign);
}

void rattle__standing_drop(rattle__standing *rest) {
  rattle_equilibrium_destroy(&rest->at);
}

/* --- the problem at a value ------------------------------------------------------------------- */

static rattle_status other_problem(const rattle__branch *b, double mu, rattle_error *error) {
  return rattle__fail(error, RATTLE_UNSUITABLE, b->parameter,
                      "at %s = %.9g the model has other coordinates, constraints or forces",
                      b->parameter, rattle__branch_value(b, mu));
}

/* The equations of rest near q at mu, their second derivatives as well if `deep`. */
static rattle_status see(const rattle__branch *b, double mu, const double *q, int deep,
                         rattle_equilibrium **seen, rattle_error *error) {
  const rattle_parameter given = {b->parameter, rattle__branch_value(b, mu)};
  const int turned = rattle__branch_turned(b);
  rattle_problem *problem = NULL;
  *seen = NULL;
  if (rattle__flag_is_set(b->how.interrupt))
    return rattle__fail(error, RATTLE_INTERRUPTED, NULL, "interrupted");
  if (turned >= 0) b->steady[turned].value = given.value;
  rattle_status status =
      rattle__steady_problem(&problem, b->base, &given, turned < 0, &b->how, error);
  if (status) return status;
  rattle_equilibrium *s = calloc(1, sizeof *s);
  if (s) s->problem = problem, s->options = b->how;
  if (!s) rattle_problem_destroy(&problem);
  status = s ? rattle__statics_check(problem, error) : rattle__no_memory(error);
  if (!status && (problem->n != b->base->n || problem->m != b->base->m ||
                  problem->clock != b->base->clock || !problem->force != !b->base->force))
    status = other_problem(b, mu, error);
  if (!status) status = rattle__statics_open(s, error);
  if (!status) status = rattle__statics_place(s, q, error);
  if (!status) status = rattle__statics_reduce(s, error);
  if (!status && s->d != b->d)
    status = rattle__fail(error, RATTLE_SINGULAR, b->parameter,
                          "at %s = %.9g the constraints leave %d directions of motion, not %d: "
                          "their gradients are no longer independent, or become so",
                          b->parameter, rattle__branch_value(b, mu), s->d, b->d);
  if (!status && deep) status = rattle__statics_stiffness(s, error);
  if (!status && deep) status = rattle__statics_decompose(s, error);
  if (status) rattle_equilibrium_destroy(&s);
  *seen = s;
  return status;
}

/* Parts along V_i by no more than rounding makes of it, times `factor`, are removed. */
static void remove_rounding(rattle_equilibrium *s, double factor, double *pull) {
  rattle__statics_rounding(s, s->lambda);
  for (int i = 0; i < s->d; i++) {
    const double part = rattle__statics_along(s, i, pull);
    if (fabs(part) > factor * rattle__statics_noise(s, i)) continue;
    for (int j = 0; j < s->d; j++) pull[j] -= part * s->V[i * s->d + j];
  }
}

/* side [2n] += sign times q and H_q - f + lambda . g_q of the problem at mu + sign shift, or where
 * there is none at mu; *way: how far it went. */
static rattle_status add_side(rattle__branch *b, const rattle_equilibrium *s, double mu, int sign,
                              double *way, rattle_error *error) {
  const int n = b->n;
  rattle_equilibrium *other = NULL;
  rattle_status status = see(b, mu + sign * shift, s->z, 0, &other, error);
  if (status == RATTLE_NO_MEMORY || status == RATTLE_INTERRUPTED) return status;
  const rattle_equilibrium *from = status ? s : other;
  const rattle__function *g = s->problem->g;
  *way += status ? 0 : shift;
  for (int k = 0; k < n; k++) {
    b->side[k] += sign * from->z[k];
    b->side[n + k] += sign * from->gradient[k];
  }
  for (int r = 0; r < s->m; r++)
    for (int e = g->jac_ptr[r]; e < g->jac_ptr[r + 1]; e++)
      if (g->jac_col[e] < n) b->side[n + g->jac_col[e]] += sign * from->lambda[r] * from->J[e];
  rattle_equilibrium_destroy(&other);
  return RATTLE_OK;
}

/* pull, by r_mu. */
static void find_pull(const rattle__branch *b, rattle_equilibrium *s, rattle__standing *rest) {
  for (int j = 0; j < b->d; j++) {
    rest->pull[j] = 0;
    for (int k = 0; k < b->n; k++) rest->pull[j] -= s->B[j * b->n + k] * rest->r_mu[k];
  }
  remove_rounding(s, 1 / shift, rest->pull);
}

/* dq_mu and r_mu, at s. */
static rattle_status differ(rattle__branch *b, rattle_equilibrium *s, double mu,
                            rattle__standing *rest, rattle_error *error) {
  const int n = b->n;
  double way = 0;
  memset(b->side, 0, 2 * (size_t)n * sizeof *b->side);
  for (int sign = -1; sign <= 1; sign += 2) {
    const rattle_status status = add_side(b, s, mu, sign, &way, error);
    if (status) return status;
  }
  if (way == 0) return RATTLE_DOMAIN; /* with the sentence of the last side */
  for (int k = 0; k < n; k++)
    rest->dq_mu[k] = b->side[k] / way, rest->r_mu[k] = b->side[n + k] / way;
  find_pull(b, s, rest);
  return RATTLE_OK;
}

/* --- the linear equations --------------------------------------------------------------------- */

static double dot(int n, const double *x, const double *y) {
  double sum = 0;
  for (int k = 0; k < n; k++) sum += x[k] * y[k];
  return sum;
}

static double size_of(const rattle__branch *b) {
  return b->size > 0 ? b->size : 1;
}

/* w, where no tangent moves the coordinates: of that direction which moves them most. */
static double usual_weight(const rattle__branch *b, const rattle_equilibrium *s) {
  const double most = rattle__largest(s->B, s->n * s->d);
  return most > 0 ? most / size_of(b) : 1;
}

/* (x, dmu) in b->b, x in units of 1/w, of
 *     K x - pull dmu = gamma,  row . (x/w, dmu) = right,  row being b->row; gamma NULL: 0 */
static rattle_status solve(rattle__branch *b, const rattle__standing *rest, double w,
                           const double *gamma, double right, rattle_error *error) {
  const rattle_equilibrium *s = rest->at;
  const int d = b->d, size = d + 1;
  const double most = rattle__largest(s->K, d * d), unit = most > 0 ? 1 / most : 1;
  for (int j = 0; j < d; j++) {
    for (int i = 0; i < d; i++) b->A[j * size + i] = unit * s->K[j * d + i];
    b->A[j * size + d] = b->row[j];
    b->A[d * size + j] = -unit * w * rest->pull[j];
    b->b[j] = gamma ? unit * w * gamma[j] : 0;
  }
  b->A[d * size + d] = b->row[d];
  b->b[d] = right;
  return rattle__least_squares(size, size, b->A, b->b, 16 * size * DBL_EPSILON, NULL, error);
}

/* row: of w^2 dq^T M (q - q0) + dmu (mu - mu0), the tangent of `before`, in the basis of s. */
static void put_row(const rattle__branch *b, const rattle_equilibrium *s,
                    const rattle__standing *before, const rattle__standing *here, double w,
                    double *row) {
  const double square = before->w * before->w;
  for (int j = 0; j < b->d; j++) row[j] = square * dot(b->n, before->p, s->B + j * b->n) / w;
  row[b->d] = before->dmu + square * dot(b->n, before->p, here->dq_mu);
}

/* aim = B x/w + q_mu dmu of the solution in b->b. */
static void put_motion(rattle__branch *b, const rattle_equilibrium *s, const rattle__standing *rest,
                       double w) {
  for (int k = 0; k < b->n; k++) b->aim[k] = rest->dq_mu[k] * b->b[b->d];
  for (int j = 0; j < b->d; j++)
    for (int k = 0; k < b->n; k++) b->aim[k] += s->B[j * b->n + k] * b->b[j] / w;
}

/* --- tangents --------------------------------------------------------------------------------- */

/* The tangent at rest->at, on the side of `before`; NULL: of rising mu. */
static rattle_status find_tangent(rattle__branch *b, const rattle__standing *before,
                                  rattle__standing *rest, rattle_error *error) {
  rattle_equilibrium *s = rest->at;
  const double usual = usual_weight(b, s);
  double *row = b->row;
  memset(row, 0, (size_t)b->d * sizeof *row);
  row[b->d] = 1;
  if (before) put_row(b, s, before, rest, usual, row);
  const rattle_status status = solve(b, rest, usual, NULL, 1, error);
  if (status) return status;
  put_motion(b, s, rest, usual);
  memcpy(rest->dq, b->aim, (size_t)b->n * sizeof *rest->dq);
  rest->dmu = b->b[b->d];
  b->size = fmax(b->size, rattle__largest(s->z, b->n));
  rattle__statics_momenta(s, rest->dq, rest->p);
  const double mass = sqrt(fmax(0, dot(b->n, rest->dq, rest->p)));
  const double reach = rattle__largest(rest->dq, b->n) / size_of(b);
  const double length = hypot(reach, rest->dmu);
  rest->w = mass > 0 && reach > last * length ? reach / mass : usual;
  const double norm = hypot(rest->w * mass, rest->dmu);
  for (int k = 0; k < b->n; k++) rest->dq[k] /= norm, rest->p[k] /= norm;
  rest->dmu /= norm;
  return RATTLE_OK;
}

double rattle__standing_angle(const rattle__branch *b, const rattle__standing *before,
                              const rattle__standing *now, double w) {
  const double square = w * w;
  const double old = sqrt(square * fmax(0, dot(b->n, before->dq, before->p)) +
                          before->dmu * before->dmu),
               new = sqrt(square * fmax(0, dot(b->n, now->dq, now->p)) + now->dmu * now->dmu);
  return (square * dot(b->n, before->p, now->dq) + before->dmu * now->dmu) / (old * new);
}

/* --- what changes its sign at events ---------------------------------------------------------- */

/* The eigenvalue of K that is nearest to 0, with the sign of the determinant; *soft: round-off. */
static rattle_status least_stiffness(const rattle_equilibrium *s, double *least, double *soft,
                                     rattle_error *error) {
  const int d = s->d;
  const size_t square = (size_t)d * (size_t)d;
  double *A = malloc((square + 2 * (size_t)d + 1) * sizeof *A), *real = A ? A + square : NULL;
  if (!A) return rattle__no_memory(error);
  memcpy(A, s->K, square * sizeof *A);
  const rattle_status status = rattle__eigenvalues(d, A, real, real + d, error);
  int sign = 1;
  for (int i = 0; i < d && !status; i++)
    if (real[d + i] == 0 && real[i] < 0) sign = -sign;
  *least = status ? 0 : sign * hypot(real[d - 1], real[2 * d - 1]);
  *soft = status ? 0 : 16 * d * DBL_EPSILON * hypot(real[0], real[d]);
  free(A);
  return status;
}

/* The largest growth of a motion that oscillates; *soft: its round-off. */
static double most_growth(const rattle_equilibrium *s, double *soft) {
  const rattle_equilibrium_result *r = &s->result;
  double most = -INFINITY, size = 0;
  for (int i = 0; i < r->modes; i++) {
    if (r->imaginary[i] > 0) most = fmax(most, r->real[i]);
    size = fmax(size, hypot(r->real[i], r->imaginary[i]));
  }
  *soft = sqrt(16 * s->d * DBL_EPSILON) * size;
  return most;
}

static rattle_status find_tests(rattle__branch *b, const rattle__standing *before,
                                rattle__standing *rest, rattle_error *error) {
  rattle_equilibrium *s = rest->at;
  const int growth = rattle__branch_growth(b), forced = b->base->force != NULL;
  s->size = fmax(s->size, b->size);
  s->stiffest = b->stiffest = fmax(b->stiffest, rattle__largest(s->value, b->d));
  rest->on = 0;
  if (growth < 0) return RATTLE_OK;
  rattle_status status = rattle__statics_modes(s, error);
  if (!status && forced) status = least_stiffness(s, &rest->test[0], &rest->soft[0], error);
  if (status) return status;
  rest->test[growth] = most_growth(s, &rest->soft[growth]);
  for (int i = 0; i < growth && !forced; i++)
    rest->test[i] = s->value[i], rest->soft[i] = rattle__statics_soft(s, i);
  for (int i = 0; i < growth; i++) {
    const double x = rest->test[i], soft = rest->soft[i];
    const int sign = x > soft ? 1 : x < -soft ? -1 : 0;
    rest->sign[i] = sign || !before ? sign : before->sign[i];
    rest->on |= !sign && rest->sign[i];
  }
  /* what neither grows nor decays does not grow */
  rest->sign[growth] = rest->test[growth] > rest->soft[growth] ? 1 : -1;
  return RATTLE_OK;
}

/* --- points ----------------------------------------------------------------------------------- */

/* That of a steady motion: whether symmetries carry it, and how. */
static rattle_status carry(const rattle__branch *b, rattle__standing *rest, rattle_error *error) {
  rattle_equilibrium *s = rest->at;
  rattle_problem *moving = (rattle_problem *)s->moving;
  rattle_status status = RATTLE_OK;
  if (!moving) {
    const rattle_parameter given = {b->parameter, rattle__branch_value(b, rest->mu)};
    status = rattle_problem_with_parameters(&moving, b->base, &given, rattle__branch_turned(b) < 0,
                                            error);
    s->moving = moving;
  }
  if (!status) status = rattle__steady_check(s, error);
  if (!status) status = rattle__statics_stiffness(s, error);
  return status ? status : rattle__statics_decompose(s, error);
}

static rattle_status arrive(rattle__branch *b, const rattle__standing *before,
                            rattle__standing *rest, rattle_error *error) {
  rattle_status status = b->how.steadies ? carry(b, rest, error) : RATTLE_OK;
  if (!status) status = differ(b, rest->at, rest->mu, rest, error);
  if (!status) status = find_tangent(b, before, rest, error);
  return status ? status : find_tests(b, before, rest, error);
}

rattle_status rattle__standing_begin(rattle__branch *b, rattle__standing *rest,
                                     rattle_equilibrium *found, rattle_error *error) {
  rest->at = found;
  rest->mu = rest->s = 0;
  return arrive(b, NULL, rest, error);
}

static rattle_status too_far(const rattle__branch *b, const rattle__standing *before,
                             rattle_error *error) {
  return rattle__fail(error, RATTLE_NOT_CONVERGED, b->parameter,
                      "beyond %s = %.9g no equilibrium was found next to the last one",
                      b->parameter, rattle__branch_value(b, before->mu));
}

/* The point that is sought first: along the tangent, or, where `next` is a point beyond it, on the
 * cubic through both. */
static void predict(rattle__branch *b, const rattle__standing *before, const rattle__standing *next,
                    double h, rattle__standing *to) {
  const int n = b->n;
  to->mu = before->mu + h * before->dmu;
  for (int k = 0; k < n; k++) b->q[k] = before->at->z[k] + h * before->dq[k];
  if (!next) return;
  const double square = before->w * before->w, whole = next->s - before->s, t = h / whole;
  const double turn = square * dot(n, before->p, next->dq) + before->dmu * next->dmu;
  const double a = t * t * (3 - 2 * t), c = whole * t * t * (t - 1), slope = h * (1 - t) * (1 - t);
  to->mu = before->mu + a * (next->mu - before->mu) + slope * before->dmu + c * next->dmu / turn;
  for (int k = 0; k < n; k++)
    b->q[k] = before->at->z[k] + a * (next->at->z[k] - before->at->z[k]) + slope * before->dq[k] +
              c * next->dq[k] / turn;
}

rattle_status rattle__standing_go(rattle__branch *b, const rattle__standing *before,
                                  const rattle__standing *next, double h, double end,
                                  rattle__standing *to, rattle_error *error) {
  const int n = b->n, fixed = isfinite(end);
  double *row = b->row, *q = b->q, previous = INFINITY, gone = 0;
  rattle__standing_drop(to);
  predict(b, before, next, h, to);
  if (fixed) to->mu = end;
  to->s = before->s + h;
  for (to->iterations = 0; to->iterations < MOST_ITERATIONS; to->iterations++) {
    rattle_equilibrium *s = NULL;
    rattle_status status = see(b, to->mu, q, 1, &s, error);
    if (status) return status;
    rattle__standing_drop(to);
    to->at = s;
    /* the derivatives by mu where it is sought first serve, unless it is far */
    if (next || to->iterations == 0 || to->iterations >= CHORDS)
      status = differ(b, s, to->mu, to, error);
    else
      find_pull(b, s, to);
    if (status) return status;
    const double w = before->w;
    double way = h - before->dmu * (to->mu - before->mu);
    for (int k = 0; k < n; k++) way -= w * w * before->p[k] * (s->z[k] - before->at->z[k]);
    put_row(b, s, before, to, w, row);
    if (fixed) { /* K x = gamma: beside a large pull K would be round-off */
      memset(row, 0, (size_t)b->d * sizeof *row), row[b->d] = 1, way = 0;
      memset(to->pull, 0, (size_t)b->d * sizeof *to->pull);
    }
    memcpy(b->aim, s->gamma, (size_t)b->d * sizeof *b->aim);
    remove_rounding(s, 1, b->aim);
    status = solve(b, to, w, b->aim, way, error);
    if (status) return status;
    const double size = sqrt(dot(b->d + 1, b->b, b->b));
    gone += size;
    if (!(gone <= fabs(h))) break; /* another branch, if any */
    if (size <= 4 * DBL_EPSILON || (size < last && !(size < previous)))
      return arrive(b, before, to, error);
    previous = size < last ? size : INFINITY;
    put_motion(b, s, to, w);
    for (int k = 0; k < n; k++) q[k] = s->z[k] + b->aim[k];
    if (!fixed) to->mu += b->b[b->d];
  }
  return too_far(b, before, error);
}
