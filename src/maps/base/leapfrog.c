/* leapfrog and stormer: Verlet's method as it was first written, for natural H without constraints.
 *
 * Map      leapfrog: p_{n+1/2} = p_{n-1/2} - h V_q(q_n),  q_{n+1} = q_n + h M^-1 p_{n+1/2}
 *          stormer:  q_{n+1} = 2 q_n - q_{n-1} - h^2 M^-1 V_q(q_n)
 *          momenta at q_n are those of central differences, p_n = M (q_{n+1} - q_{n-1})/(2h), found
 *          without looking ahead: p_n = p_{n-1/2} - h/2 V_q(q_n)
 * Memory   leapfrog p_{n-1/2} [n], stormer q_{n-1} [n], and the step h [1]; if there is none or h
 *          has changed, p_{-1/2} = p_0 + h/2 V_q(q_0), from which the positions are those of verlet
 * Source   C. Stoermer, Arch. Sci. Phys. Nat. 24 (1907) 5; L. Verlet, Phys. Rev. 159 (1967) 98
 * Claims   order 2
 * Cost     one gradient of V
 * Needs    natural H
 * Differs stormer adds h^2 a to q: it loses more digits to rounding than the others, some eps/h in
 * a momentum */
#include <string.h>

#include "maps/base/base.h"
#include "constraint/step/point.h"

typedef struct staggered {
  rattle__map map;
  int n, three_term;
  double *memory;      /* h, then p_{n-1/2} or q_{n-1} */
  rattle__linear *M;   /* of momenta from differences where M is not diagonal, else NULL */
  rattle__point point; /* where V_q was taken last */
  double *half, *work; /* p_{-1/2} [n] */
} staggered;

static rattle_status force(staggered *s, const double *q, rattle_error *error) {
  const rattle__function *V = s->map.context->problem->V;
  if (rattle__point_go(&s->point, q) && s->point.has_V) return RATTLE_OK;
  s->map.context->counts.gradient++;
  const int answer = V->jacobian(V, q, &s->point.V, s->point.V_q, s->work);
  s->point.has_V = !answer;
  return rattle__answer(answer, "gradient", error);
}

/* p_{-1/2} or q_{-1} of a point whose past is not known. */
static void begin(staggered *s, double h, const double *q, const double *p) {
  double *past = s->memory + 1, *half = s->three_term ? s->half : past;
  s->memory[0] = h;
  for (int k = 0; k < s->n; k++) half[k] = p[k] + 0.5 * h * s->point.V_q[k];
  if (s->three_term) rattle__mass_drift(s->map.context->problem->mass, -h, q, half, past);
}

static rattle_status apply(rattle__map *map, double h, const double *z0, double *z1,
                           rattle_error *error) {
  staggered *s = map->self;
  const rattle__mass *W = map->context->problem->mass;
  const double *q0 = z0;
  double *q1 = z1, *p1 = z1 + s->n, *past = s->memory + 1;
  rattle_status status = force(s, q0, error);
  if (status) return status;
  if (s->memory[0] != h) begin(s, h, q0, z0 + s->n);
  if (s->three_term) {
    for (int k = 0; k < s->n; k++)
      q1[k] = 2 * q0[k] - past[k] - rattle__mass_times(W, h * h, k, s->point.V_q);
    for (int k = 0; k < s->n; k++) past[k] = q1[k] - q0[k];
    rattle__mass_momenta(W, s->M, h, past, p1);
    memcpy(past, q0, (size_t)s->n * sizeof *past);
  } else {
    for (int k = 0; k < s->n; k++) past[k] -= h * s->point.V_q[k];
    rattle__mass_drift(W, h, q0, past, q1);
    memcpy(p1, past, (size_t)s->n * sizeof *p1);
  }
  status = force(s, q1, error);
  for (int k = 0; k < s->n; k++) p1[k] -= 0.5 * h * s->point.V_q[k];
  return status;
}

static void destroy(rattle__map *map) {
  staggered *s = map->self;
  rattle__linear_destroy(&s->M);
}

static rattle_status create(rattle__map **map, rattle__context *context, int three_term,
                            const char *name, rattle_error *error) {
  const rattle_problem *problem = context->problem;
  if (!(problem->flags & RATTLE_NATURAL))
    return rattle__fail(error, RATTLE_UNSUITABLE, name,
                        "%s needs H = p^T M^-1 p/2 + V(q) with constant M, and this H is not of "
                        "that form: use verlet",
                        name);
  if (problem->m)
    return rattle__fail(
        error, RATTLE_UNSUITABLE, name,
        "%s is for problems without constraints: use shake_two_step or rattle(verlet)", name);
  staggered *s = rattle__arena_take(&context->arena, sizeof *s);
  if (!s) return rattle__no_memory(error);
  *s = (staggered){.n = problem->n, .three_term = three_term};
  s->map = (rattle__map){.context = context, .apply = apply, .destroy = destroy, .self = s};
  s->memory = rattle__context_memory(context, problem->n + 1);
  s->half = rattle__arena_doubles(&context->arena, three_term ? (size_t)problem->n : 0);
  rattle__point_create(&s->point, &context->arena, problem->n, 0, 0);
  s->work = rattle__arena_doubles(&context->arena, problem->V->work);
  *map = &s->map;
  if (context->arena.failed) return rattle__no_memory(error);
  return three_term ? rattle__mass_system(&s->M, problem->mass, error) : RATTLE_OK;
}

static rattle_status create_leapfrog(rattle__map **map, rattle__context *context,
                                     const rattle__node *node, rattle_error *error) {
  return create(map, context, 0, node->row->name, error);
}

static rattle_status create_stormer(rattle__map **map, rattle__context *context,
                                    const rattle__node *node, rattle_error *error) {
  return create(map, context, 1, node->row->name, error);
}

const rattle__base rattle__leapfrog = {.create = create_leapfrog},
                   rattle__stormer = {.create = create_stormer};
