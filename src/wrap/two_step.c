/* shake_two_step: SHAKE as it was first published, positions alone, with momenta by differences.
 *
 * Map      q_{n+1} = 2 q_n - q_{n-1} - h^2 M^-1 (V_q(q_n) + G(q_n)^T lambda),  g(q_{n+1}) = 0;  p_n = M (q_{n+1} - q_{n-1})/(2h)
 *          carried out as shake(verlet) from (q_n, p_{n-1/2} - h/2 V_q(q_n)), p_{n-1/2} = M (q_n - q_{n-1})/h: the same equations
 * State    (q_n, p_{n-1/2}); what people see, (q_n, p_n), takes a step ahead. At the start the state is (q_0, p_0)
 * Memory   the step h [1]; 0 at a start. Where h has changed, p_{n-1/2} + (h' - h)/(2h) (p_{n-1/2} - p_{n+1/2}) would be wanted:
 * the method starts again from p_n Source   J. P. Ryckaert, G. Ciccotti, H. J. C. Berendsen, J. Comput. Phys. 23 (1977) 327; seed
 * 001, equations 14 and 15 Claims   order 2; g = 0. Positions are those of rattle(verlet); momenta are off the tangent space by
 * O(h^2) Cost     that of shake(verlet); where a point is put out, twice that Needs    natural H, g(q) Differs  the start:
 * p_{-1/2} is such that the first step is RATTLE's */
#include <string.h>

#include "core/method.h"
#include "wrap/wrap.h"

typedef struct two_step {
  rattle__map map;
  rattle__map *shake; /* shake(verlet) */
  int n;
  double *memory; /* h of the last step, 0: none */
  double *z, *ahead, *V_q, *work;
} two_step;

/* q1 of the step from (q, p) into to[0..n); whole: p is p_n, else p_{n-1/2} */
static rattle_status positions(two_step *s, double h, const double *z, int whole, double *to, rattle_error *error) {
  const rattle__function *V = s->map.context->problem->V;
  const size_t n = (size_t)s->n;
  double value;
  memcpy(s->z, z, 2 * n * sizeof *z);
  if (!whole) {
    s->map.context->counts.gradient++;
    const int answer = V->jacobian(V, z, &value, s->V_q, s->work);
    if (answer) return rattle__callback_error(answer, "gradient", error);
    for (int k = 0; k < s->n; k++) s->z[s->n + k] -= 0.5 * h * s->V_q[k];
  }
  s->map.context->clock++;
  return s->shake->apply(s->shake, h, s->z, to, error);
}

/* (q_n, p_{n-1/2}) to (q_n, p_n), p_n from differences over [n-1, n+1]; h: the step that led to q_n */
static rattle_status show(two_step *s, double h, double *z, rattle_error *error) {
  const double *inverse = s->map.context->problem->inverse_mass;
  const rattle_status status = positions(s, h, z, 0, s->ahead, error);
  for (int k = 0; k < s->n && !status; k++) {
    const double after = (s->ahead[k] - z[k]) / (h * inverse[k]);
    z[s->n + k] = 0.5 * (z[s->n + k] + after);
  }
  return status;
}

static rattle_status apply(rattle__map *map, double h, const double *z0, double *z1, rattle_error *error) {
  two_step *s = map->self;
  const double *inverse = map->context->problem->inverse_mass;
  const size_t n = (size_t)s->n;
  double *start = s->ahead + 2 * n;
  memcpy(start, z0, 2 * n * sizeof *z0);
  rattle_status status = RATTLE_OK;
  int whole = s->memory[0] == 0;
  if (!whole && s->memory[0] != h) {
    status = show(s, s->memory[0], start, error);
    whole = 1;
  }
  if (!status) status = positions(s, h, start, whole, z1, error);
  if (status) return status;
  for (int k = 0; k < s->n; k++) z1[s->n + k] = (z1[k] - start[k]) / (h * inverse[k]);
  s->memory[0] = h;
  return RATTLE_OK;
}

static rattle_status output(rattle__map *map, double h, double *z, rattle_error *error) {
  two_step *s = map->self;
  (void)h;
  return s->memory[0] != 0 ? show(s, s->memory[0], z, error) : RATTLE_OK;
}

static void destroy(rattle__map *map) {
  two_step *s = map->self;
  if (s->shake && s->shake->destroy) s->shake->destroy(s->shake);
}

static rattle_status create(rattle__map **map, rattle__context *context, const rattle__node *node, rattle_error *error) {
  const rattle_problem *problem = context->problem;
  const size_t n = (size_t)problem->n;
  const rattle__scheme scheme = {0.5, 1, 0.5, 0, 1, 2};
  if (!(problem->flags & RATTLE_NATURAL && problem->flags & RATTLE_HOLONOMIC))
    return rattle__fail(error, RATTLE_UNSUITABLE, rattle__method_name(node->id),
                        "shake_two_step needs H = p^T M^-1 p/2 + V(q) with constant M, and constraints g(q): use rattle(verlet)");
  two_step *s = rattle__arena_take(&context->arena, sizeof *s);
  if (!s) return rattle__no_memory(error);
  *s = (two_step){.n = problem->n};
  s->map =
      (rattle__map){.context = context, .apply = apply, .output = output, .destroy = destroy, .shows = 1, .order = 2, .self = s};
  *map = &s->map;
  s->memory = rattle__context_memory(context, 1);
  s->z = rattle__arena_doubles(&context->arena, 2 * n);
  s->ahead = rattle__arena_doubles(&context->arena, 4 * n);
  s->V_q = rattle__arena_doubles(&context->arena, n);
  s->work = rattle__arena_doubles(&context->arena, problem->V->work);
  if (context->arena.failed) return rattle__no_memory(error);
  return problem->m ? rattle__natural_create(&s->shake, context, &scheme, RATTLE__NO_PROJECTION, RATTLE__METHOD_auto, 0, error)
                    : rattle__split_create(&s->shake, context, &scheme, error);
}

const rattle__base rattle__shake_two_step = {.create = create};
