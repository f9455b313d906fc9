/* adaptive(map, density): reversible adaptive step sizes.
 *
 * Map      (z, rho) -> (z1, rho1):  rho' = rho + h/2 G(z),  z1 = phi_{h/rho'}(z),  rho1 = rho' +
 *          h/2 G(z1)
 *          G = d log Q/dt along the motion;  t -> t + h/rho';  rho = 1 at the start of the run
 * Symbols rho the density of steps in time, relative to the start; h the step of the fictitious
 * time, about the first one
 *          Q the wanted density: the observable named, else (N + c)^(3/8), N = |F|^2 + s^2 |v|^2
 *          with F = H_q, v = H_p, |F|^2 = F^T M^-1 F, |v|^2 = v^T M v for natural H (M = 1 else) s
 *          the frequency of linear motions at the start: s^2 = |F_q u|/|u|, u = M^-1 F, or v where
 *          F = 0 c such that no step is longer than 20 first ones N is constant for an oscillator,
 *          and Q ~ r^(-3/2) where F ~ 1/r^2 is strong: Kepler's third law
 * Source   E. Hairer, G. Soederlind, SIAM J. Sci. Comput. 26 (2005) 1838; E. Hairer, C. Lubich, G.
 *          Wanner, Geometric Numerical Integration (2006), VIII.3.2; Q by forces is the project's
 *          own
 * Claims   the order of phi, at the reported time; symmetric in (z, rho): stepping back retraces
 *          the way to round-off; keeps what phi keeps. Not symplectic, yet reversible: energies of
 *          reversible motions do not drift
 * Needs    a symmetric map of one step
 * Cost     that of phi; F and F_q v at each point; for other than natural problems a solve for the
 *          multipliers of the differential equation, too. With an observable its derivative
 *          instead, and that solve
 * Memory   rho, the time beyond steps of h and what its rounding lost, s, c: declared
 * Fails    as phi. NOT_CONVERGED if rho changes by more than a factor of 4 in half a step;
 *          UNSUITABLE if no force acts at the start and no density is given; DOMAIN if the density
 *          is not positive
 * Differs  from the source in rho at whole steps, which makes one step of (z, rho) */
#include <math.h>
#include <string.h>

#include "problem/model/model.h"
#include "ground/support/nearest.h"
#include "problem/functions/probe.h"
#include "maps/base/base.h"
#include "maps/wrap/wrap.h"
#include "constraint/step/sizes.h"
#include "ground/support/add_to.h"

enum { RHO, LATE, LOST, RATE, FLOOR, MEMORY };
static const double power = 3.0 / 8, longest = 20;

typedef struct adaptive {
  rattle__map map;
  rattle__map *inner;
  int n, m;
  int density;               /* the observable, or -1 */
  int natural;               /* M is constant, F = V_q */
  const rattle__function *F; /* V or H, whose gradient has F */
  double *memory;
  double *zdot, *along; /* z' along the motion; a direction for derivatives [2n] */
  double *J, *D;        /* F and v, F' and v'; or the derivatives of the observable */
  double *value, *work, *room;
  double *at; /* where the last step ended [2n], with G there in known_slope where `known` is 1 */
  int known;
  double known_slope;
} adaptive;

/* z' [2n] along the motion, multipliers and all. */
static rattle_status find_velocity(adaptive *s, const double *z, rattle_error *error) {
  rattle__context *context = s->map.context;
  if (s->m) {
    rattle__probe_place(context->probe, z, z + s->n);
    return rattle__probe_velocity(context->probe, s->zdot, error);
  }
  const rattle__function *H = context->problem->H;
  const int answer = H->jacobian(H, z, NULL, s->J, s->work);
  for (int k = 0; k < s->n; k++) s->zdot[k] = s->J[s->n + k], s->zdot[s->n + k] = -s->J[k];
  return rattle__answer(answer, "gradient", error);
}

/* (W x)_k, W = M^-1 for natural H, else 1 */
static double times_W(const adaptive *s, int k, const double *x) {
  return s->natural ? rattle__mass_times(s->map.context->problem->mass, 1, k, x) : x[k];
}

/* --- the density by forces -------------------------------------------------------------------- */

/* F and v at z into J, F' and v' along the motion into D. */
static rattle_status find_force(adaptive *s, const double *z, rattle_error *error) {
  const int n = s->n;
  double value;
  rattle_status status = RATTLE_OK;
  if (s->natural)
    for (int k = 0; k < n; k++) s->zdot[k] = times_W(s, k, z + n);
  else
    status = find_velocity(s, z, error);
  if (status) return status;
  int answer = s->F->jacobian(s->F, z, &value, s->J, s->work);
  s->map.context->counts.gradient++;
  if (!answer) answer = rattle__function_along(s->F, z, s->zdot, s->D, s->work, s->room);
  if (answer) return rattle__callback_error(answer, "gradient", error);
  for (int k = 0; s->natural && k < n; k++) {
    s->J[n + k] = s->zdot[k];
    s->D[n + k] =
        -times_W(s, k, s->J); /* constraint forces do no work, and v' is wanted along v alone */
  }
  return RATTLE_OK;
}

/* W is not diagonal: M x is taken from where x = W (M x) comes from, M v = p */
static int is_full(const adaptive *s) {
  return s->natural && s->map.context->problem->mass->value;
}

/* An entry of W where that is diagonal; what has no mass, as references of angles that count turns
 * (v = 0), adds nothing to v^T M v. */
static double weight(const adaptive *s, int k) {
  const double W = s->natural ? s->map.context->problem->mass->diagonal[k] : 1;
  return W == 0 ? INFINITY : W;
}

/* True if that pair is no motion: time and accounts, energies, have sizes of their own. */
static int is_apart(const adaptive *s, int k) {
  const rattle_problem *problem = s->map.context->problem;
  return rattle__is_apart(problem, k) || rattle__is_apart(problem, s->n + k);
}

/* N and half its derivative, of what find_force left at z. */
static double sum_up(const adaptive *s, const double *z, double *half_change) {
  const double s2 = s->memory[RATE] * s->memory[RATE];
  double N = 0;
  *half_change = 0;
  for (int k = 0; k < s->n; k++) {
    if (is_apart(s, k)) continue;
    const double WF = times_W(s, k, s->J),
                 Mv = is_full(s) ? s2 * z[s->n + k] : s2 / weight(s, k) * s->J[s->n + k];
    N += WF * s->J[k] + Mv * s->J[s->n + k];
    *half_change += WF * s->D[k] + Mv * s->D[s->n + k];
  }
  return N;
}

static rattle_status slope_of_force(adaptive *s, const double *z, double *G, rattle_error *error) {
  double half_change = 0;
  const rattle_status status = find_force(s, z, error);
  const double N = sum_up(s, z, &half_change);
  *G = power * 2 * half_change / (N + s->memory[FLOOR]);
  return status;
}

/* s, F being at hand. */
static rattle_status find_rate(adaptive *s, const double *z, rattle_error *error) {
  const int n = s->n;
  double force = 0, size = 0, change = 0;
  for (int k = 0; k < n; k++) force += fabs(s->J[k]);
  for (int k = 0; k < n; k++) {
    s->along[k] = force > 0 ? times_W(s, k, s->J) : s->zdot[k];
    s->along[n + k] = 0;
    const double M_along = force > 0 ? s->J[k] : z[n + k];
    size += is_full(s) ? s->along[k] * M_along : s->along[k] * s->along[k] / weight(s, k);
  }
  const int answer = rattle__function_along(s->F, z, s->along, s->D, s->work, s->room);
  for (int k = 0; k < n; k++) change += times_W(s, k, s->D) * s->D[k];
  s->memory[RATE] = size > 0 ? sqrt(sqrt(change / size)) : 0;
  return rattle__answer(answer, "gradient", error);
}

/* --- the density that is named ---------------------------------------------------------------- */

static rattle_status slope_of_density(adaptive *s, const double *z, double *G,
                                      rattle_error *error) {
  const rattle_status status = find_velocity(s, z, error);
  if (status) return status;
  const rattle_problem *problem = s->map.context->problem;
  const rattle__function *f = problem->observed;
  const int answer = f->row ? f->row(f, s->density, z, s->value, s->J, s->work)
                            : f->jacobian(f, z, s->value, s->J, s->work);
  const double Q = s->value[s->density];
  double change = 0;
  if (answer) return rattle__callback_error(answer, "observable", error);
  for (int e = f->jac_ptr[s->density]; e < f->jac_ptr[s->density + 1]; e++)
    change += s->J[e] * s->zdot[f->jac_col[e]];
  *G = change / Q;
  if (Q > 0) return RATTLE_OK;
  const char *name = rattle_model_observable_name(problem->model, s->density);
  if (!isfinite(Q)) {
    if (rattle__domain_error(problem, z, error) == RATTLE_DOMAIN) return RATTLE_DOMAIN;
    return rattle__observable_error(problem, s->density, z, error);
  }
  return rattle__fail(error, RATTLE_DOMAIN, name,
                      "the step density '%s' is %g here; it must be positive everywhere", name, Q);
}

/* --- steps ------------------------------------------------------------------------------------ */

/* G(z) */
static rattle_status slope(adaptive *s, const double *z, double *G, rattle_error *error) {
  if (s->known && !memcmp(s->at, z, 2 * (size_t)s->n * sizeof *z)) {
    *G = s->known_slope;
    return RATTLE_OK;
  }
  const rattle_status status =
      s->density < 0 ? slope_of_force(s, z, G, error) : slope_of_density(s, z, G, error);
  if (status || isfinite(*G)) return status;
  if (rattle__domain_error(s->map.context->problem, z, error) == RATTLE_DOMAIN)
    return RATTLE_DOMAIN;
  return rattle__fail(error, RATTLE_DOMAIN, NULL,
                      "the step density is not finite here: use a smaller step");
}

/* rho = 1, s and c */
static rattle_status begin(adaptive *s, const double *z, rattle_error *error) {
  double N = 1, half_change;
  if (s->density < 0) {
    rattle_status status = find_force(s, z, error);
    if (!status) status = find_rate(s, z, error);
    if (!status) status = find_force(s, z, error);
    if (status) return status;
    N = sum_up(s, z, &half_change);
  }
  s->memory[FLOOR] = N * pow(longest, -1 / power);
  s->memory[RHO] = 1;
  if (N > 0) return RATTLE_OK;
  double most[2];
  rattle__largest_of_kind(s->map.context->problem, s->zdot, most);
  return rattle__fail(error, RATTLE_UNSUITABLE, "adaptive",
                      "%s at the start, so the step density is not defined: observe a step density "
                      "in the model and name it, as "
                      "in adaptive(rattle(verlet), density)",
                      most[0] > 0 ? "no force acts" : "nothing moves");
}

static rattle_status check_change(double before, double after, rattle_error *error) {
  if (after > 0.25 * before && after < 4 * before) return RATTLE_OK;
  return rattle__fail(
      error, RATTLE_NOT_CONVERGED, NULL,
      "the step density changes from %.3g to %.3g in half a step: use a smaller step", before,
      after);
}

static rattle_status apply(rattle__map *map, double h, const double *z0, double *z1,
                           rattle_error *error) {
  adaptive *s = map->self;
  double G, *memory = s->memory; /* which the integrator takes back if a step fails */
  rattle_status status = memory[RHO] == 0 ? begin(s, z0, error) : RATTLE_OK;
  if (!status) status = slope(s, z0, &G, error);
  if (status) return status;
  const double half = memory[RHO] + 0.5 * h * G;
  status = check_change(memory[RHO], half, error);
  if (!status) status = s->inner->apply(s->inner, h / half, z0, z1, error);
  s->known = 0;
  if (!status) status = slope(s, z1, &G, error);
  if (status) return status;
  memory[RHO] = half + 0.5 * h * G;
  rattle__add_to(&memory[LATE], &memory[LOST], h / half - h);
  map->length = h / half;
  memcpy(s->at, z1, 2 * (size_t)s->n * sizeof *z1);
  s->known = 1;
  s->known_slope = G;
  return check_change(half, memory[RHO], error);
}

static void destroy(rattle__map *map) {
  adaptive *s = map->self;
  if (s->inner && s->inner->destroy) s->inner->destroy(s->inner);
}

static rattle_status needs_no_multiplier(const rattle_problem *problem, int density,
                                         rattle_error *error) {
  const rattle__function *f = problem->observed;
  const char *name = rattle_model_observable_name(problem->model, density);
  if (!f->jacobian)
    return rattle__fail(error, RATTLE_UNSUITABLE, name,
                        "the step density '%s' is one of so many quantities that their derivatives "
                        "are not kept: observe fewer",
                        name);
  for (int e = f->jac_ptr[density]; e < f->jac_ptr[density + 1]; e++)
    if (f->jac_col[e] >= 2 * problem->n)
      return rattle__fail(error, RATTLE_UNSUITABLE, name,
                          "the step density '%s' contains a multiplier, whose derivative steps do "
                          "not know: observe one of coordinates and momenta",
                          name);
  return RATTLE_OK;
}

/* The density that the model observes under that name. */
static rattle_status find_density(adaptive *s, const char *name, rattle_error *error) {
  const rattle_problem *problem = s->map.context->problem;
  const int count = problem->model && problem->observed ? problem->observed->rows : 0;
  rattle__nearest near = {name, NULL, 0};
  for (int i = 0; i < count; i++) {
    const char *observed = rattle_model_observable_name(problem->model, i);
    rattle__nearest_try(&near, observed);
    if (strcmp(observed, name) != 0) continue;
    s->density = i;
    return needs_no_multiplier(problem, i, error);
  }
  if (near.best)
    return rattle__fail(error, RATTLE_UNSUITABLE, name,
                        "the model does not observe '%s', the step density; did you mean '%s'?",
                        name, near.best);
  return rattle__fail(
      error, RATTLE_UNSUITABLE, name,
      "the model does not observe '%s', the step density: write observe(\"%s\", ...)", name, name);
}

static size_t greater(size_t a, size_t b) {
  return a > b ? a : b;
}

/* Owns `inner`. */
static rattle_status wrap(rattle__map **map, rattle__context *context, rattle__map *inner,
                          const char *density, rattle_error *error) {
  const rattle_problem *problem = context->problem;
  rattle__arena *arena = &context->arena;
  adaptive *s = rattle__arena_take(arena, sizeof *s);
  if (!s) {
    if (inner->destroy) inner->destroy(inner);
    return rattle__no_memory(error);
  }
  const int natural = rattle__is_natural_holonomic(problem);
  *s = (adaptive){
      .inner = inner, .n = problem->n, .m = problem->m, .density = -1, .natural = natural};
  s->F = natural ? problem->V : problem->H;
  s->memory = rattle__context_memory(context, MEMORY);
  s->map = (rattle__map){.context = context,
                         .apply = apply,
                         .destroy = destroy,
                         .records = inner->records,
                         .late = s->memory ? s->memory + LATE : NULL,
                         .symmetric = 1,
                         .compensates = inner->compensates,
                         .self = s};
  *map = &s->map;
  rattle_status status = *density ? find_density(s, density, error) : RATTLE_OK;
  if (status) return status;
  const rattle__function *f = s->density < 0 ? s->F : problem->observed;
  const size_t nz = 2 * (size_t)problem->n, nnz = greater((size_t)f->jac_nnz, nz);
  const rattle__array arrays[] = {{&s->at, nz},
                                  {&s->zdot, nz},
                                  {&s->along, nz},
                                  {&s->J, nnz},
                                  {&s->D, nnz},
                                  {&s->room, 2 * nnz + 2 * nz},
                                  {&s->value, (size_t)f->rows},
                                  {&s->work, greater(f->work, problem->H->work)}};
  RATTLE__LAY_OUT(arena, arrays);
  if (problem->m && !(natural && s->density < 0)) status = rattle__context_probe(context, error);
  if (context->probe) context->probe->exact = 1; /* the density is part of what a step computes */
  return status ? status : arena->failed ? rattle__no_memory(error) : RATTLE_OK;
}

static rattle_status create(rattle__map **map, rattle__context *context, const rattle__node *node,
                            rattle_error *error) {
  const rattle_status status = context->compile(map, context, rattle__method_inside(node), error);
  return status ? status : wrap(map, context, *map, rattle__option_word(node, "density"), error);
}

/* ---- the expression ---- */

static rattle_claims claims(const rattle__node *node, rattle_claims inner) {
  (void)node;
  inner.symplectic = inner.pure = 0;
  return inner;
}

/* adaptive needs a symmetric map whose points are the output points. */
static int sensible(const rattle__node *node, rattle__text *reason, int *blame) {
  const rattle__node *inside = rattle__method_inside(node);
  (void)blame;
  if (!rattle__takes_one_step_map(node, reason)) return 0;
  for (const rattle__node *at = inside; at; at = rattle__method_inside(at)) {
    const int divides = rattle__option_effect(at, RATTLE_DIVIDES) > 0;
    const char *bad = rattle__projects_output(at) ? "project=output" : divides ? "tol=" : NULL;
    if (!bad) continue;
    rattle__put(reason, "adaptive chooses each step from its start point: omit %s of %s", bad,
                at->row->name);
    return 0;
  }
  if (rattle__method_unresolved(node) || rattle__method_structure(inside).symmetric)
    return 1; /* or not known yet */
  rattle__put(reason, "adaptive needs a symmetric map, and ");
  rattle__put_node(reason, inside);
  rattle__put(reason, " is not symmetric: use a symmetric map, such as %s",
              rattle__method_projects(inside) ? "rattle(verlet)" : "verlet");
  return 0;
}

static void explain_order(rattle__text *out, const rattle__node *node, const rattle_claims *own,
                          const rattle_claims *inner) {
  (void)node, (void)own, (void)inner;
  rattle__put(out, ", that of the map inside, at times that are sums of step sizes.\n");
}

static void explain_cost(rattle__text *out, const rattle__node *node, int applications) {
  (void)node, (void)applications;
  rattle__put(out, "; one derivative along the motion, of the force or of the named density");
}

const rattle__wrapper rattle__wrapper_adaptive = {.care = RATTLE__IGNORES,
                                                  .adapts = 1,
                                                  .claims = claims,
                                                  .sensible = sensible,
                                                  .create = create,
                                                  .explain_order = explain_order,
                                                  .explain_cost = explain_cost};
