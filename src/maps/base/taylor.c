/* taylor(p, field): the Taylor series of the solution, truncated after h^p.
 *
 * Map      z1 = sum_k h^k Z_k, k = 0..p, Z_k the coefficients of the solution through z0
 * Tangent  the series of the linearised equations together with it, for X_H inside wrappers
 * Source   Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I, I.8
 * Claims   order p
 * Cost     p coefficients of the field, each of which takes about as many products as its order
 *          times the nodes of its expressions
 * Needs    H as an expression
 * Differs  Lie derivatives are not written down: their values follow from recurrences
 *          (ground/expr/jet.h) */
#include <string.h>

#include "maps/field/series.h"
#include "maps/base/base.h"

typedef struct taylor {
  rattle__map map;
  rattle__field *field;
  rattle__series *series;
  int nz, order;
  double *Z; /* coefficients [(order+1)*2n] */
} taylor;

/* sum h^k Z_k, the small terms first */
static void sum(const taylor *s, double h, double *z) {
  const size_t nz = (size_t)s->nz;
  memcpy(z, s->Z + (size_t)s->order * nz, nz * sizeof *z);
  for (int k = s->order - 1; k >= 0; k--)
    for (size_t c = 0; c < nz; c++) z[c] = s->Z[(size_t)k * nz + c] + h * z[c];
}

static rattle_status apply(rattle__map *map, double h, const double *z0, double *z1,
                           rattle_error *error) {
  taylor *s = map->self;
  map->context->counts.gradient += s->order;
  const rattle_status status = rattle__series_at(s->series, z0, s->Z, error);
  if (!status) sum(s, h, z1);
  return status;
}

static rattle_status tangent(rattle__map *map, double h, int count, double *W,
                             rattle_error *error) {
  taylor *s = map->self;
  (void)error;
  map->context->counts.hessian += (long long)count * s->order;
  for (int j = 0; j < count; j++) {
    double *w = W + (size_t)j * (size_t)s->nz;
    rattle__series_tangent(s->series, w, s->Z);
    sum(s, h, w);
  }
  return RATTLE_OK;
}

static rattle_status output(rattle__map *map, double h, double *z, rattle_error *error) {
  taylor *s = map->self;
  (void)h;
  return rattle__field_show(s->field, z, error);
}

static void destroy(rattle__map *map) {
  taylor *s = map->self;
  rattle__series_destroy(&s->series);
  rattle__field_destroy(&s->field);
}

static rattle_status create(rattle__map **map, rattle__context *context, const rattle__node *node,
                            rattle_error *error) {
  const rattle_problem *problem = context->problem;
  const rattle__node *field = rattle__method_field(node);
  const int wrapped =
      !field && (problem->m ||
                 context->asked.tangents); /* of X_H if there are constraints: inside a wrapper */
  taylor *s = rattle__arena_take(&context->arena, sizeof *s);
  if (!s) return rattle__no_memory(error);
  *s = (taylor){.nz = 2 * problem->n, .order = (int)node->argument[0].number};
  s->map = (rattle__map){.context = context, .apply = apply, .destroy = destroy, .self = s};
  if (wrapped) s->map.tangent = tangent;
  *map = &s->map;
  rattle_status status = rattle__field_create(&s->field, problem, field, 0, error);
  if (!status) status = rattle__series_create(&s->series, s->field, s->order, wrapped, error);
  if (status) return status;
  s->map.shows = rattle__field_shows(s->field);
  if (s->map.shows) s->map.output = output;
  s->Z = rattle__arena_doubles(&context->arena, ((size_t)s->order + 1) * (size_t)s->nz);
  return context->arena.failed ? rattle__no_memory(error) : RATTLE_OK;
}

static int order(const rattle__node *node) {
  return (int)node->argument[0].number;
}

const rattle__base rattle__taylor = {.create = create, .order = order};
