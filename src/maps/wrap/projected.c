/* rattle(map) from shake(map): after each step, or where a point is output, a slide along the fibre
 * onto psi = 0; and the guard of shake and rattle for maps in general.
 *
 * Source   R. I. McLachlan, K. Modin, O. Verdier, M. Wilkins, Found. Comput. Math. 14 (2014) 339,
 *          Definition 1.4 and section 4 (SHAKE and RATTLE are the same map of fibres)
 * Guard    a step on which N changed much, or whose slide is lost, is taken again, lambda and sigma
 *          being followed together from h = 0; it is refused where N was singular on that way too.
 *          A step of SHAKE is examined as that of RATTLE from the point of the hidden manifold on
 *          its fibre
 * Cost     that of shake and one nonlinear system for sigma; with project=output only the former */
#include <string.h>

#include "constraint/guard/follow.h"
#include "constraint/guard/nondegeneracy.h"
#include "constraint/solve/momenta_fibre.h"
#include "maps/wrap/wrap.h"

typedef struct projected {
  rattle__map map;
  rattle__map *shake;
  rattle__momenta_fibre *hidden;
  rattle__nondegeneracy *guard;
  rattle__follower *both; /* of shake and the slide together; NULL where there is no slide */
  int n;
  double *start, *end; /* of a step that is examined [2n] */
  double *middle;      /* where shake ended in the step that is followed [2n] */
  double *sigma;       /* [m] */
} projected;

/* A step that has passed a degenerate point. */
static rattle_status crossed(const projected *s, rattle_error *error) {
  const rattle_problem *problem = s->map.context->problem;
  double smallest = 0, condition = 0;
  rattle_problem_nondegeneracy(problem, s->start, s->start + s->n, &smallest, &condition, NULL);
  rattle__fail(error, RATTLE_DEGENERATE, rattle_problem_constraint_name(problem, 0),
               "the step passes a degenerate point: the matrix N = {{H,g_i},g_j}, with smallest "
               "singular value %.3g at the start "
               "of the step, has different numbers of positive and negative eigenvalues at its "
               "start and its end. The equations "
               "do not determine the motion beyond such a point",
               smallest);
  return RATTLE_DEGENERATE;
}

/* The slide onto psi = 0 after a step of shake from z0. sigma of a map that is symmetric differs
 * from lambda by O(h) only. Nothing to do after a map that ends on psi = 0 by itself. */
static rattle_status slide(projected *s, double h, const double *z0, double *z,
                           rattle_error *error) {
  if (!s->hidden) return RATTLE_OK;
  rattle__momenta_fibre_from(s->hidden, z0);
  const rattle_status status = rattle__momenta_fibre_slide(
      s->hidden, h, s->map.symmetric ? s->shake->lambda : NULL, z, error);
  rattle__momenta_fibre_from(s->hidden, NULL);
  return status;
}

/* Counts the projections of a step that was made again once. */
static void count_once(const projected *s, const rattle_counts *before, int momenta) {
  rattle_counts *counts = &s->map.context->counts;
  counts->position_projections = before->position_projections + 1;
  counts->momentum_projections = before->momentum_projections + momenta;
}

/* --- shake and slide together, for the follower: unknown is sigma, near lambda --- */

/* shake's step h, and its lambda */
static rattle_status guess_sigma(void *self, double h, const double *z0, double *sigma,
                                 rattle_error *error) {
  projected *s = self;
  const rattle_status status = s->shake->follow(s->shake, h, z0, s->middle, error);
  memcpy(sigma, s->shake->lambda, (size_t)s->map.context->problem->m * sizeof *sigma);
  return status;
}

static rattle_status solve_both(void *self, double h, const double *z0, double *z1,
                                rattle__course *c, rattle_error *error) {
  projected *s = self;
  (void)z0;
  memcpy(z1, s->middle, 2 * (size_t)s->n * sizeof *z1);
  return rattle__momenta_fibre_try(s->hidden, h, s->sigma, z1, c, error);
}

static rattle_status side(void *self, int *sign) {
  const projected *s = self;
  return rattle__momenta_fibre_side(s->hidden, s->both->side == 0, sign);
}

static const rattle__tracked_equation sought = {
    .solve = solve_both, .guess = guess_sigma, .side = side, .newton = 1};

/* The step of rattle from s->start to s->end, with all care; z1: where shake ends. */
static rattle_status with_care(projected *s, double h, double *z1, rattle_error *error) {
  rattle__nondegeneracy_begin(s->guard, s->start);
  rattle_status status = s->both ? rattle__follow(s->both, h, s->start, s->end, error)
                                 : s->shake->follow(s->shake, h, s->start, s->end, error);
  memcpy(z1, s->both ? s->middle : s->end, 2 * (size_t)s->n * sizeof *z1);
  int passed = 0;
  if (!status) status = rattle__nondegeneracy_crossed(s->guard, s->end, &passed, error);
  return passed ? crossed(s, error) : status;
}

/* True if a slide that ended so may have a solution together with its step. */
static int is_lost(rattle_status status) {
  const rattle__course none = {0};
  return status == RATTLE_DEGENERATE || rattle__must_follow(status, &none);
}

static rattle_status apply(rattle__map *map, double h, const double *z0, double *z1,
                           rattle_error *error) {
  projected *s = map->self;
  size_t bytes = 2 * (size_t)s->n * sizeof *z1;
  const rattle_counts before = map->context->counts;
  rattle__nondegeneracy_begin(s->guard, z0);
  rattle_status status = s->shake->apply(s->shake, h, z0, z1, error);
  if (status) return status;
  status = slide(s, h, z0, z1, error);
  const int followed = s->map.context->counts.followed != before.followed;
  if (status ? !is_lost(status)
             : !followed && !rattle__nondegeneracy_doubtful(s->guard, z1, s->shake->lambda))
    return status;
  memcpy(s->start, z0, bytes);
  status = with_care(s, h, z1, error);
  count_once(s, &before, 1);
  memcpy(z1, s->end, bytes);
  return status;
}

static rattle_status apply_shake(rattle__map *map, double h, const double *z0, double *z1,
                                 rattle_error *error) {
  projected *s = map->self;
  const rattle_counts before = map->context->counts;
  rattle__nondegeneracy_begin(s->guard, z0);
  rattle_status status = s->shake->apply(s->shake, h, z0, z1, error);
  /* from far off psi = 0 multipliers may have no limit that can be found; a step is the same from
   * all points of a fibre */
  if (status && status != RATTLE_DEGENERATE) return status;
  if (!status && !rattle__nondegeneracy_doubtful(s->guard, z1, s->shake->lambda)) return status;
  memcpy(s->start, z0, 2 * (size_t)s->n * sizeof *z1);
  if (rattle__momenta_fibre_slide(s->hidden, h, NULL, s->start, NULL))
    memcpy(s->start, z0, 2 * (size_t)s->n * sizeof *z1);
  status = s->shake->follow(s->shake, h, s->start, z1, error);
  count_once(s, &before, 0);
  return status;
}

static rattle_status output(rattle__map *map, double h, double *z, rattle_error *error) {
  projected *s = map->self;
  return rattle__momenta_fibre_slide(s->hidden, h, NULL, z,
                                     error); /* from 0: a function of z alone */
}

static void destroy(rattle__map *map) {
  projected *s = map->self;
  rattle__momenta_fibre_destroy(&s->hidden);
  rattle__nondegeneracy_destroy(s->guard);
  if (s->shake->destroy) s->shake->destroy(s->shake);
}

rattle_status rattle__projected_create(rattle__map **map, rattle__context *context,
                                       rattle__map *shake, rattle__fibre *fibre,
                                       rattle__projection projection, rattle_error *error) {
  int each = projection == RATTLE__PROJECT_STEP;
  projected *s = rattle__arena_take(&context->arena, sizeof *s);
  if (!s) {
    if (shake->destroy) shake->destroy(shake);
    return rattle__no_memory(error);
  }
  *s = (projected){.shake = shake, .n = context->problem->n};
  s->map = (rattle__map){.context = context,
                         .apply = each ? apply : apply_shake,
                         .output = projection == RATTLE__PROJECT_OUTPUT ? output : NULL,
                         .destroy = destroy,
                         .records = shake->records,
                         .symmetric = shake->symmetric,
                         .self = s};
  *map = &s->map;
  s->start = rattle__arena_doubles(&context->arena, 2 * (size_t)s->n);
  s->end = rattle__arena_doubles(&context->arena, 2 * (size_t)s->n);
  s->middle = rattle__arena_doubles(&context->arena, 2 * (size_t)s->n);
  s->sigma = rattle__arena_doubles(&context->arena, (size_t)context->problem->m);
  if (fibre &&
      !(s->both = rattle__follower_create(context, &sought, context->problem->m, s->sigma, s)))
    return rattle__no_memory(error);
  rattle_status status =
      fibre ? rattle__momenta_fibre_create(&s->hidden, context, fibre, error) : RATTLE_OK;
  return status ? status : rattle__nondegeneracy_create_counting(&s->guard, context, error);
}
