/* Base maps of plug-ins (rattle/base_map.h).
 *
 * Map      z1 = phi_h(z0), by the plug-in's `step`
 * Tangent  the plug-in's, or differences: Dphi_h w = (phi_h(z0 + d w) - phi_h(z0 - d w))/2d, with
 *          an error of about 1e-10. It enters Newton matrices alone, whose iterations end at
 *          round-off whatever they are
 * Claims   the plug-in's, which `rattle verify` measures
 * Cost     the plug-in's; without its tangent two steps for each vector
 * Fails    where `step` says so: RATTLE_CALLBACK */
#include "maps/base/custom.h"

#include <math.h>
#include <string.h>

#include "method/notation/added.h"
#include "rattle/base_map.h"

/* Arguments of `step`; it sees the first member alone. */
typedef struct equations {
  rattle_equations H;
  rattle__context *context;
  double *work;
} equations;

typedef struct custom {
  rattle__map map;
  const rattle_base_map *given;
  equations equations;
  void *self;
  int created, nz;
  double *z0, *up, *down, *side; /* the last point; moved along w, and their images [2n] */
  double size[2]; /* of the coordinates and of the momenta, at the last point and its image */
} custom;

static const struct {
  int flags;
  const char *needs, *text;
} kinds[] = {{0, "", ""},
             {RATTLE_SEPARABLE, "separable", "H = T(p) + V(q)"},
             {RATTLE_NATURAL, "natural", "H = p^T M^-1 p/2 + V(q)"},
             {RATTLE_SEPARABLE | RATTLE_NATURAL, "natural", "H = p^T M^-1 p/2 + V(q)"},
             {RATTLE_QUADRATIC_H, "quadratic H", "a quadratic H"}};
enum { KINDS = sizeof kinds / sizeof *kinds };

const char *rattle__custom_needs(int flags) {
  for (int i = 0; i < KINDS; i++)
    if (kinds[i].flags == flags) return kinds[i].needs;
  return NULL;
}

static int gradient(const rattle_equations *H, const double *z, double *H_z) {
  const equations *s = (const equations *)H;
  const rattle__function *f = s->context->problem->H;
  s->context->counts.gradient++;
  return f->jacobian(f, z, NULL, H_z, s->work);
}

static int force(const rattle_equations *H, const double *q, double *V_q) {
  const equations *s = (const equations *)H;
  const rattle__function *V = s->context->problem->V;
  s->context->counts.gradient++;
  return V->jacobian(V, q, NULL, V_q, s->work);
}

static int velocity(const rattle_equations *H, const double *p, double *T_p) {
  const equations *s = (const equations *)H;
  const rattle_problem *problem = s->context->problem;
  if (problem->T) return problem->T->jacobian(problem->T, p, NULL, T_p, s->work);
  for (int k = 0; k < problem->n; k++) T_p[k] = rattle__mass_times(problem->mass, 1, k, p);
  return 0;
}

static rattle_status answer(const custom *s, int what, rattle_error *error) {
  if (!what) return RATTLE_OK;
  return rattle__fail(error, RATTLE_CALLBACK, s->given->name,
                      "the base map %s of a plug-in makes no step from here: it returned %d",
                      s->given->name, what);
}

static double largest(const double *x, int count) {
  double max = 0;
  for (int i = 0; i < count; i++) max = fmax(max, fabs(x[i]));
  return max;
}

static rattle_status apply(rattle__map *map, double h, const double *z0, double *z1,
                           rattle_error *error) {
  custom *s = map->self;
  const int n = s->nz / 2;
  memcpy(s->z0, z0, (size_t)s->nz * sizeof *z0);
  const rattle_status status =
      answer(s, s->given->step(s->self, &s->equations.H, h, z0, z1), error);
  for (int half = 0; half < 2 && !status; half++)
    s->size[half] = fmax(largest(z0 + half * n, n), largest(z1 + half * n, n));
  return status;
}

/* d that moves neither the coordinates nor the momenta by more than a part of their size, in
 * whatever units both are; 0: w is. */
static double length_along(const custom *s, const double *w) {
  const int n = s->nz / 2;
  double d = INFINITY, any = 0;
  for (int half = 0; half < 2; half++) {
    const double moved = largest(w + half * n, n);
    any = fmax(any, moved);
    if (moved > 0 && s->size[half] > 0) d = fmin(d, s->size[half] / moved);
  }
  return any > 0 ? 0x1p-17 * (d < INFINITY ? d : 1 / any) : 0;
}

/* w <- Dphi_h(z0) w by differences */
static int difference(custom *s, double h, double *w) {
  const double d = length_along(s, w);
  if (d == 0) return 0;
  for (int i = 0; i < s->nz; i++) s->side[i] = s->z0[i] + d * w[i];
  int failed = s->given->step(s->self, &s->equations.H, h, s->side, s->up);
  for (int i = 0; i < s->nz; i++) s->side[i] = s->z0[i] - d * w[i];
  if (!failed) failed = s->given->step(s->self, &s->equations.H, h, s->side, s->down);
  for (int i = 0; i < s->nz && !failed; i++) w[i] = (s->up[i] - s->down[i]) / (2 * d);
  return failed;
}

static rattle_status tangent(rattle__map *map, double h, int count, double *W,
                             rattle_error *error) {
  custom *s = map->self;
  if (s->given->tangent)
    return answer(s, s->given->tangent(s->self, &s->equations.H, h, s->z0, count, W), error);
  int failed = 0;
  for (int k = 0; k < count && !failed; k++)
    failed = difference(s, h, W + (size_t)k * (size_t)s->nz);
  return answer(s, failed, error);
}

static void destroy(rattle__map *map) {
  custom *s = map->self;
  if (s->created && s->given->destroy) s->given->destroy(s->self);
}

static void lay_out(custom *s, rattle__arena *arena) {
  const rattle_problem *problem = s->map.context->problem;
  const size_t nz = (size_t)s->nz;
  size_t work = problem->H->work;
  if (problem->V && problem->V->work > work) work = problem->V->work;
  if (problem->T && problem->T->work > work) work = problem->T->work;
  const rattle__array arrays[] = {
      {&s->z0, nz}, {&s->up, nz}, {&s->down, nz}, {&s->side, nz}, {&s->equations.work, work}};
  RATTLE__LAY_OUT(arena, arrays);
}

static rattle_status refuse(const rattle_base_map *given, rattle_error *error) {
  const char *text = "another H";
  for (int i = 0; i < KINDS; i++)
    if (kinds[i].flags == given->needs) text = kinds[i].text;
  return rattle__fail(error, RATTLE_UNSUITABLE, given->name,
                      "%s needs %s, and this H is another one: use midpoint or gauss(2)",
                      given->name, text);
}

static rattle_status create(rattle__map **map, rattle__context *context, const rattle__node *node,
                            rattle_error *error) {
  const rattle_problem *problem = context->problem;
  const rattle_base_map *given = rattle__method_added(node->row)->map;
  if (given->needs & ~problem->flags) return refuse(given, error);
  custom *s = rattle__arena_take(&context->arena, sizeof *s);
  if (!s) return rattle__no_memory(error);
  *s = (custom){.given = given, .nz = 2 * problem->n};
  s->map = (rattle__map){.context = context,
                         .apply = apply,
                         .tangent = tangent,
                         .destroy = destroy,
                         .symmetric = given->symmetric,
                         .rough = !given->tangent,
                         .self = s};
  const int parts = (problem->flags & RATTLE_SEPARABLE) != 0;
  s->equations = (equations){.H = {.struct_size = sizeof(rattle_equations),
                                   .n = problem->n,
                                   .kind = problem->flags,
                                   .problem = problem,
                                   .gradient = gradient,
                                   .force = parts ? force : NULL,
                                   .velocity = parts ? velocity : NULL},
                             .context = context};
  lay_out(s, &context->arena);
  *map = &s->map;
  if (context->arena.failed) return rattle__no_memory(error);
  if (!given->create) return RATTLE_OK;
  const int failed = given->create(&s->self, &s->equations.H);
  s->created = !failed;
  return failed ? rattle__fail(error, RATTLE_CALLBACK, given->name,
                               "the base map %s of a plug-in could not be made: it returned %d",
                               given->name, failed)
                : RATTLE_OK;
}

const rattle__base rattle__custom = {.create = create};
