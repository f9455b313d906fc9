/* Certificates of steps: the curve of each substep, from the ends that the integrator left. See
 * rattle/certify.h.
 *
 * Given    q0, p0, h, the inverse masses and V_q(q0) are taken as the doubles that they are; g is
 *          the real function that its text writes down
 * Trial    s of the end q1: J s = G0 (q0 + d - a - q1), J being Newton's matrix at t = 0 */
#include "rattle/certify.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "constraint/guard/track.h"
#include "constraint/step/trace.h"
#include "ground/support/sized.h"
#include "maps/base/base.h"
#include "runs/integrate/integrator.h"

enum { MOST_CONSTRAINTS = 64 };

struct rattle_certifier {
  rattle_integrator *integrator;
  const rattle_problem *problem;
  rattle__scheme scheme;
  rattle__quadratic *g;
  rattle__curve *curve;
  rattle__trace trace;
  int n, m, composed;
  double *z;                        /* [4n]: both ends of a step that is no composition */
  double *V_q, *work;               /* [n], scratch of V */
  double *s, *root, *end, *scratch; /* [m], [m], [m], [7m] */
  rattle__ball *q;                  /* [n] */
};

/* --- what is covered -------------------------------------------------------------------------- */

static rattle_status check_problem(const rattle_problem *problem, rattle_error *error) {
  const char *why = NULL;
  if (problem->velocity)
    why = "its constraints on velocities are not covered";
  else if (!problem->m)
    why = "it has no constraints, and its steps no equations with several solutions";
  else if (problem->account || problem->inertia)
    why = "it has forces that are no gradient, and steps with them are not covered";
  else if (problem->clock)
    why = "it depends on time, and constraints that may move are not covered";
  else if (!rattle__is_natural_holonomic(problem))
    why = "proofs are there for natural problems, H = p^T M^-1 p/2 + V(q) with g(q) = 0";
  else if (problem->mass->value)
    why = "its mass matrix is not diagonal";
  else if (problem->m > MOST_CONSTRAINTS)
    why = "it has more than 64 constraints, whose matrices are dense here";
  return why ? rattle__fail(error, RATTLE_UNSUITABLE, NULL,
                            "steps of this problem cannot be "
                            "proved: %s",
                            why)
             : RATTLE_OK;
}

static rattle_status refuse_method(const char *name, const char *why, rattle_error *error) {
  return rattle__fail(
      error, RATTLE_UNSUITABLE, name,
      "steps of %s cannot be proved: %s; proofs are there for rattle(...) and "
      "shake(...) of verlet and symplectic_euler, and for compositions of them, as "
      "suzuki4(rattle(verlet)), and of midpoint and gauss where the force is constant",
      name, why);
}

/* The scheme of the map inside all compositions, and how many substeps a step has. */
static rattle_status find_scheme(rattle_certifier *c, int *stages, rattle_error *error) {
  const rattle__node *root = rattle__method_root(c->integrator->method), *node = root;
  for (*stages = 1; node->kind == RATTLE__COMPOSITION; node = rattle__method_inside(node))
    *stages *= rattle__composition_stages(node);
  const rattle__wrapper *wrapper =
      node->kind == RATTLE__WRAPPER ? rattle__wrapper_of(node->row) : NULL;
  const rattle__node *inside = wrapper ? rattle__method_inside(node) : NULL;
  const rattle__base *base =
      inside && inside->kind == RATTLE__BASE ? rattle__base_of(inside->row) : NULL;
  const char *name = rattle_method_text(c->integrator->method);
  c->composed = node != root;
  if (root->quad || root->compensated)
    return refuse_method(name, "its states have digits beyond a double", error);
  if (c->integrator->bath) return refuse_method(name, "a heat bath changes the momenta", error);
  if (!wrapper || wrapper->care != RATTLE__SLIDES || !base ||
      !rattle__kicks_of(inside, c->problem, &c->scheme))
    return refuse_method(name, "its equations are others than those of the theorem", error);
  if (rattle__projects_output(node))
    return refuse_method(name, "its output is other points than its steps", error);
  if (c->scheme.d2 != 0)
    return refuse_method(name, "its force acts at a point that depends on the multipliers", error);
  return RATTLE_OK;
}

/* --- how it is made --------------------------------------------------------------------------- */

static rattle_status take_constraints(rattle_certifier *c, rattle_error *error) {
  const int found = rattle__quadratic_create(&c->g, c->problem->g);
  if (found > 0)
    return rattle__fail(error, RATTLE_UNSUITABLE, NULL,
                        "steps of this problem cannot be proved: its constraints are not all "
                        "polynomials of degree 2, written as expressions");
  c->curve = found == 0 ? rattle__curve_create(c->g) : NULL;
  return c->curve ? RATTLE_OK : rattle__no_memory(error);
}

static rattle_status lay_out(rattle_certifier *c, int stages, rattle_error *error) {
  const size_t n = (size_t)c->n, m = (size_t)c->m;
  const rattle__array arrays[] = {{&c->z, 4 * n},
                                  {&c->V_q, n},
                                  {&c->work, c->problem->V ? c->problem->V->work : 0},
                                  {&c->s, m},
                                  {&c->root, m},
                                  {&c->end, m},
                                  {&c->scratch, 7 * m},
                                  {&c->trace.h, (size_t)stages},
                                  {&c->trace.z, ((size_t)stages + 1) * 2 * n}};
  c->trace.room = stages;
  c->q = calloc(n, sizeof *c->q);
  return RATTLE__BLOCK(arrays) && c->q ? RATTLE_OK : rattle__no_memory(error);
}

static rattle_status make(rattle_certifier *c, const rattle_problem *problem, const char *method,
                          rattle_error *error) {
  int stages = 1;
  rattle_status status = rattle_integrator_create(&c->integrator, problem, method, error);
  c->problem = problem, c->n = problem->n, c->m = problem->m;
  if (!status) status = check_problem(problem, error);
  if (!status) status = find_scheme(c, &stages, error);
  if (!status) status = take_constraints(c, error);
  return status ? status : lay_out(c, stages, error);
}

rattle_status rattle_certifier_create(rattle_certifier **certifier, const rattle_problem *problem,
                                      const char *method, rattle_error *error) {
  rattle_certifier *c = *certifier = calloc(1, sizeof *c);
  if (!c) return rattle__no_memory(error);
  const rattle_status status = make(c, problem, method, error);
  if (status) rattle_certifier_destroy(certifier);
  return status;
}

void rattle_certifier_destroy(rattle_certifier **certifier) {
  if (!certifier || !*certifier) return;
  rattle_certifier *c = *certifier;
  rattle__curve_destroy(&c->curve);
  rattle__quadratic_destroy(&c->g);
  rattle_integrator_destroy(&c->integrator);
  free(c->z), free(c->q), free(c);
  *certifier = NULL;
}

rattle_integrator *rattle_certifier_integrator(rattle_certifier *certifier) {
  return certifier->integrator;
}

/* --- one substep ------------------------------------------------------------------------------ */

/* The curve of the substep h from (q, p). */
static rattle_status begin(rattle_certifier *c, double h, const double *q, const double *p,
                           rattle_error *error) {
  const rattle__function *V = c->problem->V;
  const rattle__ball length = rattle__exactly(h), d1 = rattle__exactly(c->scheme.d1),
                     k1 = rattle__exactly(c->scheme.k1);
  const rattle__ball drift = rattle__ball_times(length, d1);
  const rattle__ball kick = rattle__ball_times(rattle__ball_times(length, k1), drift);
  memset(c->V_q, 0, (size_t)c->n * sizeof *c->V_q);
  if (c->scheme.k1 != 0 && V) {
    const rattle_status status =
        rattle__answer(V->jacobian(V, q, NULL, c->V_q, c->work), "potential", error);
    if (status) return status;
  }
  for (int k = 0; k < c->n; k++) {
    const rattle__ball w = rattle__exactly(c->problem->mass->diagonal[k]);
    c->curve->q0[k] = rattle__exactly(q[k]);
    c->curve->d[k] = rattle__ball_times(drift, rattle__ball_times(w, rattle__exactly(p[k])));
    c->curve->a[k] = rattle__ball_times(kick, rattle__ball_times(w, rattle__exactly(c->V_q[k])));
  }
  rattle__curve_begin(c->curve, c->problem->mass->diagonal);
  return RATTLE_OK;
}

/* The most that a coordinate of q1 can be off from the exact end of the curve. */
static double radius_of(rattle_certifier *c, const double *q1) {
  const rattle__curve *curve = c->curve;
  double most = 0;
  rattle__curve_point(curve, c->root, c->q);
  for (int k = 0; k < c->n; k++) {
    double off = rattle__ball_size(rattle__ball_subtract(c->q[k], rattle__exactly(q1[k])));
    for (int j = 0; j < c->m; j++)
      off = rattle__ball_bound(
          off + rattle__ball_bound(rattle__ball_size(curve->W[j * c->n + k]) * c->end[j]));
    if (!(off <= most) && most == most) most = off; /* a NaN stays */
  }
  return most;
}

/* The first substep that is not proved. */
static void note_failure(const rattle__tracked *found, int number, rattle_certificate *to) {
  to->wrong += found->answer == RATTLE__TRACK_OTHER;
  to->open += found->answer == RATTLE__TRACK_OPEN;
  if (to->step) return;
  to->step = to->steps + 1, to->substep = number;
  to->is_wrong = found->answer == RATTLE__TRACK_OTHER, to->reached = found->reached;
}

/* A substep of a step: its number, its length, its ends. */
typedef struct way {
  int number;
  double h;
  const double *q0, *p0, *q1; /* [n] */
} way;

static rattle_status look(rattle_certifier *c, const way *at, rattle_certificate *to,
                          rattle_error *error) {
  const rattle_status status = begin(c, at->h, at->q0, at->p0, error);
  if (status) return status;
  rattle__curve_multipliers(c->curve, at->q1, c->s);
  const rattle__tracked found = rattle__track(c->curve, c->s, c->root, c->end, c->scratch);
  to->substeps++;
  if (found.answer != RATTLE__TRACK_RIGHT) {
    note_failure(&found, at->number, to);
    return RATTLE_OK;
  }
  double size = 0;
  for (int k = 0; k < c->n; k++) size = fmax(size, fabs(at->q1[k]));
  const double radius = radius_of(c, at->q1);
  to->one_piece += found.pieces == 1;
  to->tracked += found.pieces > 1;
  to->pieces += found.pieces;
  if (found.pieces > to->most_pieces) to->most_pieces = found.pieces;
  to->radius = fmax(to->radius, radius);
  to->units = fmax(to->units, radius / (0x1p-52 * size));
  return RATTLE_OK;
}

/* --- steps ------------------------------------------------------------------------------------ */

static rattle_status one_step(rattle_certifier *c, rattle_state *state, rattle_certificate *to,
                              rattle_error *error) {
  const size_t n = (size_t)c->n, half = n * sizeof(double);
  rattle_integrator *s = c->integrator;
  const double length = rattle__length_after(s, state, state->step);
  memcpy(c->z, state->q, half), memcpy(c->z + n, state->p, half);
  c->trace.count = 0;
  s->context.asked.trace = c->composed ? &c->trace : NULL;
  rattle_status status = rattle_integrator_step(s, state, 1, error);
  s->context.asked.trace = NULL;
  if (status) return status;
  const way whole = {0, length, c->z, c->z + n, state->q};
  if (!c->composed) status = look(c, &whole, to, error);
  for (int i = 0; i < c->trace.count && !status; i++) {
    const double *z0 = c->trace.z + (size_t)i * 2 * n;
    status = look(c, &(way){i, c->trace.h[i], z0, z0 + n, z0 + 2 * n}, to, error);
  }
  to->steps++;
  return status;
}

/* The caller's certificate as the library knows it, and back. */
static rattle_status take(rattle_certificate *own, const rattle_certificate *given,
                          rattle_error *error) {
  return RATTLE__TAKE(own, rattle_certificate, reached, given, error);
}

static void give(const rattle_certificate *own, rattle_certificate *to) {
  const size_t size = to->struct_size;
  *to = *own;
  to->struct_size = size;
}

rattle_status rattle_certifier_step(rattle_certifier *certifier, rattle_state *state,
                                    long long steps, rattle_certificate *certificate,
                                    rattle_error *error) {
  rattle_certificate own;
  rattle_status status = take(&own, certificate, error);
  if (status) return status;
  for (long long k = 0; k < steps && !status; k++) status = one_step(certifier, state, &own, error);
  give(&own, certificate);
  return status;
}

rattle_status rattle_certifier_check(rattle_certifier *certifier, double h, const double *q0,
                                     const double *p0, const double *q1,
                                     rattle_certificate *certificate, rattle_error *error) {
  rattle_certificate own;
  rattle_status status = take(&own, certificate, error);
  if (!status) status = look(certifier, &(way){0, h, q0, p0, q1}, &own, error);
  if (status) return status;
  own.steps++;
  give(&own, certificate);
  return RATTLE_OK;
}
