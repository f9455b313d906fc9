/* shake_two_step: SHAKE as it was first published, positions alone, with momenta by differences.
 *
 * Map      q_{n+1} = 2 q_n - q_{n-1} - h^2 M^-1 (V_q(q_n) + G(q_n)^T lambda),  g(q_{n+1}) = 0;  p_n
 *          = M (q_{n+1} - q_{n-1})/(2h)
 *          carried out as shake of a drift from (q_n, M (q_n - q_{n-1})/h - h V_q(q_n)): the same
 *          equations
 * State    (q_n, M (q_n - q_{n-1})/h); the output, (q_n, p_n), takes q_{n+1}, which the next step
 *          takes over
 * Memory   the step h and q_{n-1} [1+n]; h = 0 at a start, where the state is (q_0, p_0) and q_1
 *          that of RATTLE. After a change of h the method starts again from p_n
 * Symbols  G = g_q
 * Source   J. P. Ryckaert, G. Ciccotti, H. J. C. Berendsen, J. Comput. Phys. 23 (1977) 327
 * Claims   order 2; g = 0. Positions are those of rattle(verlet); momenta differ by a part of order
 *          h^2 along G^T, so that psi is open and what is shown neither symmetric nor symplectic
 * Cost     one V_q and one solve for lambda, shown or not
 * Needs    natural H, g(q)
 * Fails    as SHAKE; showing p_n needs q_{n+1}, so that it fails a step ahead
 * Differs  the source begins with velocities at half steps */
#include <string.h>

#include "method/notation/method.h"
#include "maps/wrap/wrap.h"

typedef struct two_step {
  rattle__map map;
  rattle__map *drift; /* shake of q1 = q0 + h M^-1 p0; NULL without constraints */
  int n, known;
  double *memory; /* h, then q_{n-1} */
  double *front;  /* (q_n, p) that drifts [2n] */
  double *next;   /* q_{n+1} in its first half [2n], where `known` for the q_n, q_{n-1} and h of key
               [2n+1] */
  double *key, *V_q, *work;
  double *apart;     /* differences of positions [n] */
  rattle__linear *M; /* of momenta from differences where M is not diagonal, else NULL */
} two_step;

/* p = M (q1 - q0)/h */
static void momenta_of(two_step *s, double h, const double *q1, const double *q0, double *p) {
  for (int k = 0; k < s->n; k++) s->apart[k] = q1[k] - q0[k];
  rattle__mass_momenta(s->map.context->problem->mass, s->M, h, s->apart, p);
}

/* q_{n+1} into next; whole: from p = p_n, else from q_n and q_{n-1}. */
static rattle_status go(two_step *s, double h, int whole, const double *q, const double *p,
                        rattle_error *error) {
  rattle__context *context = s->map.context;
  const rattle__function *V = context->problem->V;
  const double *past = s->memory + 1;
  double *front = s->front + s->n;
  const int n = s->n;
  double value;
  s->known = 0;
  context->counts.gradient++;
  const int answer = V->jacobian(V, q, &value, s->V_q, s->work);
  if (answer) return rattle__callback_error(answer, "gradient", error);
  memcpy(s->front, q, (size_t)n * sizeof *q);
  if (!whole) momenta_of(s, h, q, past, front);
  for (int k = 0; k < n; k++)
    front[k] = whole ? p[k] - 0.5 * h * s->V_q[k] : front[k] - h * s->V_q[k];
  rattle__mass_drift(context->problem->mass, h, q, front, s->next);
  return s->drift ? s->drift->apply(s->drift, h, s->front, s->next, error) : RATTLE_OK;
}

/* The next position at the h of the memory. */
static rattle_status look_ahead(two_step *s, const double *q, rattle_error *error) {
  const size_t bytes = (size_t)s->n * sizeof *q;
  double *key = s->key, h = s->memory[0];
  const int same =
      !memcmp(key, q, bytes) && !memcmp(key + s->n, s->memory + 1, bytes) && key[2 * s->n] == h;
  if (s->known && same) return RATTLE_OK;
  const rattle_status status = go(s, h, 0, q, NULL, error);
  if (status) return status;
  memcpy(key, q, bytes);
  memcpy(key + s->n, s->memory + 1, bytes);
  key[2 * s->n] = h;
  s->known = 1;
  return RATTLE_OK;
}

/* p_n */
static rattle_status show(two_step *s, const double *q, double *p, rattle_error *error) {
  const double h = s->memory[0];
  const rattle_status status = look_ahead(s, q, error);
  if (!status) momenta_of(s, 2 * h, s->next, s->memory + 1, p);
  return status;
}

static rattle_status output(rattle__map *map, double h, double *z, rattle_error *error) {
  two_step *s = map->self;
  (void)h;
  return map->context->elsewhere || s->memory[0] == 0 ? RATTLE_OK : show(s, z, z + s->n, error);
}

static rattle_status apply(rattle__map *map, double h, const double *z0, double *z1,
                           rattle_error *error) {
  two_step *s = map->self;
  const int n = s->n;
  double *p = z1 + n;
  rattle_status status;
  if (s->memory[0] == h)
    status = look_ahead(s, z0, error);
  else {
    memcpy(p, z0 + n, (size_t)n * sizeof *p);
    status = s->memory[0] == 0 ? RATTLE_OK : show(s, z0, p, error);
    if (!status) status = go(s, h, 1, z0, p, error);
  }
  if (status) return status;
  memcpy(z1, s->next, (size_t)n * sizeof *z1);
  momenta_of(s, h, s->next, z0, p);
  s->memory[0] = h;
  memcpy(s->memory + 1, z0, (size_t)n * sizeof *z0);
  return RATTLE_OK;
}

static void destroy(rattle__map *map) {
  two_step *s = map->self;
  if (s->drift && s->drift->destroy) s->drift->destroy(s->drift);
  rattle__linear_destroy(&s->M);
}

static rattle_status create(rattle__map **map, rattle__context *context, const rattle__node *node,
                            rattle_error *error) {
  static const rattle__scheme drift = {.d1 = 1, .symmetric = 1};
  const rattle_problem *problem = context->problem;
  rattle__arena *arena = &context->arena;
  const size_t n = (size_t)problem->n;
  if (!rattle__is_natural_holonomic(problem))
    return rattle__fail(error, RATTLE_UNSUITABLE, node->row->name,
                        "shake_two_step needs H = p^T M^-1 p/2 + V(q) with constant M, and "
                        "constraints g(q): use rattle(verlet)");
  two_step *s = rattle__arena_take(arena, sizeof *s);
  if (!s) return rattle__no_memory(error);
  *s = (two_step){.n = problem->n};
  s->map = (rattle__map){.context = context,
                         .apply = apply,
                         .output = output,
                         .destroy = destroy,
                         .shows = 1,
                         .drifts = 1, /* psi */
                         .self = s};
  *map = &s->map;
  s->memory = rattle__context_memory(context, problem->n + 1);
  s->front = rattle__arena_doubles(arena, 2 * n);
  s->next = rattle__arena_doubles(arena, 2 * n);
  s->key = rattle__arena_doubles(arena, 2 * n + 1);
  s->V_q = rattle__arena_doubles(arena, n);
  s->apart = rattle__arena_doubles(arena, n);
  s->work = rattle__arena_doubles(arena, problem->V->work);
  if (arena->failed) return rattle__no_memory(error);
  const rattle_status status = rattle__mass_system(&s->M, problem->mass, error);
  if (status || !problem->m) return status;
  const rattle__solving solving = rattle__method_solving(node);
  return rattle__natural_create(&s->drift, context, &drift, RATTLE__NO_PROJECTION, &solving, error);
}

const rattle__base rattle__shake_two_step = {.create = create};
