/* SHAKE and RATTLE for natural problems with diagonal M and few constraints: the map around
 * fused_kernel.h.
 *
 * Map, symbols, source, claims: as natural.c
 * Cost     one V_q, 2 to 4 evaluations of g and G; nothing but arithmetic between them */
#include "maps/natural/fused/fused_lanes_map.h"

#include <math.h>
#include <string.h>

#include "ground/expr/extended.h"
#include "ground/expr/native.h"
#include "constraint/guard/rules/rules.h"
#include "constraint/guard/follow.h"
#include "constraint/step/carry.h"
#include "maps/natural/fast.h"

/* The kernel for any problem: numbers from the map, derivatives through the problem's functions. */
static int constraint_of(const rattle__fused *k, const double *q, double *F, double *J);
static int force_of(rattle__fused *k, const double *q, double *Vq);
static int thrust_of(const rattle__fused *k, const double *q, const double *p, double *f,
                     double *slope);

/* Momenta kept while they slide. */
enum { MOMENTA_MOST = 256 };

/* The last callback that did not answer 0. */
typedef struct refusal {
  int answer;
  const char *what;
} refusal;

typedef struct fused {
  rattle__fast fast;             /* J0, W0 and, with has_V, V0 of its point are the kernel's */
  int n, m, nnz, project, clock; /* clock: the pair of the time, -1: none */
  const rattle__fused_plan *plan;
  const rattle__fused_thrust *thrust; /* NULL: no forces but those of V */
  const rattle__function *g, *V;
  const double *inverse_mass;
  double *work;
  void *room;
  refusal *refused;
  rattle__fused kernel;
  rattle__fused_factors factors[2];
  rattle__fused_step step;
  rattle__fused_level level;
  rattle__fused_prove prove;
  rattle__fused_code code;
  rattle__fused_wide wide;
} fused;

#define SELF ((const fused *)k->self)
#define LANES 0
#define KERNEL_LINKAGE static
#define KERNEL_INLINE static inline
#define KERNEL_SHARED static inline
#define MULTIPLIERS RATTLE__FUSED_MOST
#define N (SELF->n)
#define M (SELF->m)
#define NNZ (SELF->nnz)
#define INVERSE_MASS(i) (SELF->inverse_mass[i])
#define CLOCK (SELF->clock)
#define K1 (SELF->fast.scheme.k1)
#define D1 (SELF->fast.scheme.d1)
#define K2 (SELF->fast.scheme.k2)
#define D2 (SELF->fast.scheme.d2)
#define PROJECT (SELF->project)
#define BENDS (SELF->plan->bends.count + SELF->plan->bends_of_A.count > 0)
#define BOUNDED (SELF->plan->bounded)
#define SPREAD(i) (SELF->plan->spread[i])
#define CONSTANT_N (SELF->plan->constant.holds)
#define BEND_OF_ALL (SELF->plan->constant.bend)
#define SPAN (SELF->plan->constant.span)
#define CLOSE (SELF->plan->constant.close)
#define PROVED (!SELF->fast.map.context->asked.unproved)
#define IS_ZERO(x) 0
#define FORCES (SELF->thrust->force->rows)
#define ALONE (SELF->thrust->alone)
#define PUSHED(i) (SELF->thrust->pushed[i])
#define THRUST(q, p, f, slope) thrust_of(k, q, p, f, slope)
#include "maps/natural/fused/fused_walk.h"
#define CONSTRAINT(q, F, J) constraint_of(k, q, F, J)
#define FORCE(q, value, Vq) force_of(k, q, Vq)
/* once with plain sums, and once with compensated ones */
#define KERNEL_NAME(part) fused_##part
#define COMPENSATED 0
#define FORCED (SELF->thrust != NULL)
#include "maps/natural/fused/fused_rows.h"
#include "maps/natural/fused/fused_doubt.h"
#include "constraint/guard/rules/step_rules.h"
#include "maps/natural/fused/fused_long_curve.h"
#include "maps/natural/fused/fused_one_curve.h"
#include "maps/natural/fused/fused_in_ball.h"
#include "maps/natural/fused/fused_constant.h"
#include "maps/natural/fused/fused_one_correction.h"
#include "maps/natural/fused/fused_forced.h"
#include "maps/natural/fused/fused_kernel.h"
#undef KERNEL_NAME
#undef COMPENSATED
#undef FORCED
#define KERNEL_NAME(part) compensated_##part
#define COMPENSATED 1
#define FORCED 0
#include "maps/natural/fused/fused_rows.h"
#include "maps/natural/fused/fused_doubt.h"
#include "constraint/guard/rules/step_rules.h"
#include "maps/natural/fused/fused_long_curve.h"
#include "maps/natural/fused/fused_one_curve.h"
#include "maps/natural/fused/fused_in_ball.h"
#include "maps/natural/fused/fused_constant.h"
#include "maps/natural/fused/fused_one_correction.h"
#include "maps/natural/fused/fused_forced.h"
#include "maps/natural/fused/fused_kernel.h"

static int constraint_of(const rattle__fused *k, const double *q, double *F, double *J) {
  int answer = SELF->g->jacobian(SELF->g, q, F, J, SELF->work);
  if (answer) *SELF->refused = (refusal){answer, "constraint"};
  return answer;
}

static void precise_constraint_of(const rattle__fused *k, const double *q, const double *carry,
                                  double *F) {
  rattle__extended_value(SELF->g, q, carry, F, SELF->room);
}

static int force_of(rattle__fused *k, const double *q, double *Vq) {
  int answer = SELF->thrust ? rattle__fused_pull_at(SELF->thrust, q, Vq, SELF->work)
                            : SELF->V->jacobian(SELF->V, q, &k->potential, Vq, SELF->work);
  if (answer) *SELF->refused = (refusal){answer, "gradient"};
  return answer;
}

static int thrust_of(const rattle__fused *k, const double *q, const double *p, double *f,
                     double *slope) {
  int answer = rattle__fused_thrust_at(SELF->thrust, q, p, f, slope, SELF->work);
  if (answer) *SELF->refused = (refusal){answer, "force"};
  return answer;
}

static rattle_status failed(const fused *s, rattle_error *error) {
  return rattle__callback_error(s->refused->answer, s->refused->what, error);
}

/* Moves the kernel's counts, of `steps` steps, to the context. */
static void count(fused *s, rattle__fused *k, long long steps) {
  rattle__context *context = s->fast.map.context;
  context->counts.constraint += k->evaluations;
  context->counts.jacobian += k->evaluations;
  context->counts.gradient += k->forces;
  context->counts.newton_iterations += k->newton;
  context->counts.position_projections += steps;
  if (s->project) context->counts.momentum_projections += steps;
  if (k->g > context->residuals.g) context->residuals.g = k->g;
  if (k->psi > context->residuals.psi) context->residuals.psi = k->psi;
  if (k->most_residual > context->residuals.iteration_residual)
    context->residuals.iteration_residual = k->most_residual;
  k->evaluations = k->forces = k->newton = 0;
  k->g = k->psi = k->most_residual = 0;
}

/* G0, W0 at z0, where the last step did not leave them. */
static int look_up_G(fused *s, rattle__fused *k, const double *z0) {
  double F[RATTLE__FUSED_MOST];
  rattle__point_go(&s->fast.point, z0);
  if (s->fast.point.has_G) return 0;
  k->evaluations++;
  if (constraint_of(k, z0, F, k->J0)) return 1;
  fused_note_start(F, k);
  fused_rows(k->J0, k->W0, k);
  k->factors0->dependence = 0;
  s->fast.point.has_G = 1;
  return 0;
}

/* And V0 where the scheme begins with a kick. */
static int cache_start(fused *s, rattle__fused *k, const double *z0) {
  if (look_up_G(s, k, z0)) return 1;
  if (s->fast.scheme.k1 == 0 || s->fast.point.has_V) return 0;
  k->forces++;
  if (force_of(k, z0, k->V0)) return 1;
  s->fast.point.V = k->potential;
  s->fast.point.has_V = 1;
  return 0;
}

/* Keeps the results of the step at z1, which the next step needs. */
static void cache_end(fused *s, const double *z1) {
  rattle__point_go(&s->fast.point, z1);
  s->fast.point.has_G = 1;
  s->fast.point.has_V =
      s->fast.scheme.d2 == 0 && s->fast.scheme.k2 != 0; /* the last kick was at q1 */
  s->fast.point.V = s->kernel.potential;
  if (!s->thrust) s->fast.map.context->evaluated = &s->fast.point;
  s->fast.map.context->kernel = s->code.step ? "native" : "fused";
}

static int prove_end(rattle__fast *fast, const rattle__fast_ends *step) {
  fused *s = fast->map.self;
  if (cache_start(s, &s->kernel, step->z0)) return 0;
  return s->prove(&s->kernel, step->h, step->z0, step->z1);
}

static rattle_status apply(rattle__map *map, double h, const double *z0, double *z1,
                           rattle_error *error) {
  fused *s = map->self;
  rattle__fused *k = &s->kernel;
  if (map->context->impulse)
    return s->fast.fallback->apply(s->fast.fallback, h, z0, z1,
                                   error); /* the kernel does not sum */
  k->declines = map->context->asked.declines;
  k->trusts = map->context->asked.trusts;
  int code = cache_start(s, k, z0) ? RATTLE__FUSED_CALLBACK : s->step(k, h, z0, z1);
  const rattle__fast_ends step = {h, z0, z1, k->V0};
  count(s, k, !code || code == RATTLE__FUSED_UNPROVED);
  if (code == RATTLE__FUSED_UNPROVED)
    code = rattle__fast_is_proved(&s->fast, &step) ? RATTLE__FUSED_OK : RATTLE__FUSED_DOUBTFUL;
  if (code && (k->declines || code == RATTLE__FUSED_CALLBACK))
    return code == RATTLE__FUSED_CALLBACK ? failed(s, error) : rattle__declined(error);
  if (code)
    return rattle__fast_step_otherwise(&s->fast, &step, code == RATTLE__FUSED_DOUBTFUL, error);
  if (map->context->carry) memcpy(k->c0, k->c1, 2 * (size_t)s->n * sizeof *k->c0);
  rattle__fused_turn_over(k);
  if (s->fast.scheme.d2 == 0 && s->fast.scheme.k2 != 0) rattle__fused_exchange(&k->V0, &k->V1);
  cache_end(s, z1);
  return RATTLE_OK;
}

/* J0, W0, V0 at z0, where they were known before: not counted again. */
static void restore_start(fused *s, rattle__fused *k, const double *z0) {
  const long long evaluations = k->evaluations, forces = k->forces;
  s->fast.point.has_G = s->fast.point.has_V = 0;
  cache_start(s, k, z0);
  k->evaluations = evaluations;
  k->forces = forces;
}

static long long run(rattle__map *map, const double *h, int stages, long long steps, double *z,
                     double *range) {
  fused *s = map->self;
  rattle__fused *k = &s->kernel;
  int code = RATTLE__FUSED_OK;
  if (cache_start(s, k, z)) return 0;
  k->declines = map->context->asked.declines;
  k->trusts = map->context->asked.trusts;
  if (s->clock >= 0)
    k->t0 = map->context->times.t0, k->h = map->context->times.h,
    k->step = map->context->times.step;
  k->look = map->context->asked.examine, k->looks = map->context->asked.examiner;
  long long done = s->code.run(k, h, stages, steps, z, range, &code);
  count(s, k, done * stages);
  if (code)
    restore_start(s, k, z);
  else
    cache_end(s, z);
  return done;
}

static int join(rattle__map *map, int lane, rattle__map *with) {
  fused *s = map->self, *of = with->self;
  return with->join == map->join &&
         rattle__fused_wide_join(&s->wide, lane, with->context->problem, of->plan, of);
}

static int widen(rattle__map *map, int lanes) {
  fused *s = map->self;
  const int width =
      rattle__fused_wide_make(&s->wide, map->context, &s->fast.scheme, s->project, s->plan, lanes);
  for (int lane = 0; lane < width && width > 1; lane++) join(map, lane, map);
  return width;
}

/* Adds the residuals that a step left in the kernel to those seen in a lane. */
static void show(const rattle__fused *k, double *seen, int width) {
  if (seen && k->g > seen[2 * width]) seen[2 * width] = k->g;
  if (seen && k->psi > seen[3 * width]) seen[3 * width] = k->psi;
}

/* A step of one of several trajectories. J1, W1, V1 are left to be written over. */
static int step_alone(void *self, int lane, double h, const double *z0, double *z1) {
  const fused *all = self;
  fused *s = all->wide.of[lane];
  count(s, &s->kernel, 0); /* of other lanes */
  s->kernel.trusts = s->fast.map.context->asked.trusts;
  const int failed = cache_start(s, &s->kernel, z0) || s->step(&s->kernel, h, z0, z1);
  show(&s->kernel, all->wide.given.seen ? all->wide.given.seen + lane : NULL, all->wide.code.width);
  return failed;
}

static long long run_wide(rattle__map *map, const double *h, int stages, long long steps, double *z,
                          long long *unusual) {
  fused *s = map->self;
  const rattle__fused_alone alone = {step_alone, s};
  const struct rattle__times *times = map->context->lane_times;
  s->wide.given.seen = map->context->asked.seen;
  const int given = rattle__fused_wide_give(&s->wide, map->context, h, stages);
  for (int lane = 0; lane < s->wide.code.width && s->clock >= 0; lane++)
    z[s->clock * s->wide.code.width + lane] =
        times[lane].t0 + (double)times[lane].step * times[lane].h;
  for (int lane = 0; lane < s->wide.code.width; lane++) unusual[lane] = 1;
  if (!given) return 0; /* each goes alone */
  s->kernel.declines = map->context->asked.declines;
  const long long done = s->wide.code.run(&alone, z, &s->wide.given, steps, unusual);
  count(s, &s->kernel, 0);
  return done;
}

/* p onto psi = 0 at the point of J0 and W0 of `here`; 0, or p is as it was. Counted. */
static int level(fused *s, rattle__fused *here, double *p) {
  double before[MOMENTA_MOST];
  memcpy(before, p, (size_t)s->n * sizeof *p);
  const int failed = s->level(here, p);
  if (failed) memcpy(p, before, (size_t)s->n * sizeof *p);
  count(s, here, 0);
  if (!failed) s->fast.map.context->counts.momentum_projections++;
  return failed;
}

rattle_status rattle__fused_slide(rattle__map *map, double *z, rattle_error *error) {
  fused *s = map->self;
  if (map->context->impulse || s->n > MOMENTA_MOST)
    return rattle__natural_slide(s->fast.fallback, z, error);
  if (look_up_G(s, &s->kernel, z)) return failed(s, error);
  return level(s, &s->kernel, z + s->n) ? rattle__natural_slide(s->fast.fallback, z, error)
                                        : RATTLE_OK;
}

int rattle__fused_drift(rattle__map *map, double h, const double *z0, double *z1,
                        double *multipliers, const double **W) {
  fused *s = map->self;
  rattle__fused *k = &s->kernel;
  k->multipliers = multipliers;
  const int failed = cache_start(s, k, z0) || s->step(k, h, z0, z1);
  k->multipliers = NULL;
  count(s, k, !failed);
  if (failed) return failed;
  rattle__fused_turn_over(k);
  cache_end(s, z1);
  *W = k->W1;
  return 0;
}

/* J and W at z go where those of the next end will be. */
int rattle__fused_slide_at(rattle__map *map, double *z) {
  fused *s = map->self;
  rattle__fused here = s->kernel;
  double F[RATTLE__FUSED_MOST];
  if (s->n > MOMENTA_MOST) return 1;
  here.J0 = s->kernel.J1, here.W0 = s->kernel.W1;
  here.evaluations++;
  if (constraint_of(&here, z, F, here.J0)) return 1;
  fused_rows(here.J0, here.W0, &here);
  return level(s, &here, z + s->n);
}

static void destroy(rattle__map *map) {
  fused *s = map->self;
  rattle__native_unload(&s->code.library);
  rattle__native_unload(&s->wide.code.library);
  rattle__fast_destroy(map);
}

int rattle__fused_fits(const rattle__context *context) {
  const int most =
      context->carry
          ? 2
          : RATTLE__FUSED_MOST; /* more are left to natural.c, which looks beyond double */
  return context->problem->m > 0 && context->problem->m <= most &&
         !rattle__inertia(context->problem)->value;
}

/* True if lanes are written for the step. */
static int goes_wide(const fused *s) {
  return s->plan && !s->thrust && !s->fast.map.context->carry &&
         !s->fast.map.context->problem->whitening;
}

static size_t work_for(const rattle_problem *p) {
  const rattle__function *all[] = {p->g, p->V ? p->V : p->energy, p->force};
  size_t most = 0;
  for (int i = 0; i < 3; i++)
    if (all[i] && all[i]->work > most) most = all[i]->work;
  return most;
}

/* fallback NULL: without forces, by natural.c */
static rattle_status create(rattle__map **map, rattle__context *context,
                            const rattle__scheme *scheme, rattle__projection projection,
                            rattle__map *fallback, rattle_error *error) {
  const rattle_problem *problem = context->problem;
  rattle__arena *arena = &context->arena;
  fused *s = rattle__arena_take(arena, sizeof *s);
  if (!s) {
    if (fallback && fallback->destroy) fallback->destroy(fallback);
    return rattle__no_memory(error);
  }
  const rattle__function *g = problem->g;
  size_t n = (size_t)problem->n, nnz = (size_t)g->jac_nnz;
  *s = (fused){.project = projection == RATTLE__PROJECT_STEP,
               .n = problem->n,
               .m = problem->m,
               .nnz = g->jac_nnz,
               .clock = rattle__inertia(problem)->clock - 1,
               .plan = rattle__fused_plan_create(problem, arena),
               .g = g,
               .V = problem->V,
               .inverse_mass = rattle__inertia(problem)->diagonal,
               .step = context->carry ? compensated_step : fused_step,
               .level = context->carry ? compensated_level : fused_level,
               .prove = context->carry ? compensated_prove : fused_prove};
  s->kernel.self = s;
  s->kernel.factors0 = &s->factors[0], s->kernel.factors1 = &s->factors[1];
  s->kernel.number = rattle__fused_numbers_take(problem, s->plan, arena);
  s->refused = rattle__arena_take(arena, sizeof *s->refused);
  const rattle__array arrays[] = {{&s->kernel.J0, nnz},         {&s->kernel.W0, nnz},
                                  {&s->kernel.V0, n},           {&s->kernel.J1, nnz},
                                  {&s->kernel.W1, nnz},         {&s->kernel.V1, n},
                                  {&s->work, work_for(problem)}};
  RATTLE__LAY_OUT(arena, arrays);
  s->kernel.c0 = context->carry;
  if (context->carry) {
    s->kernel.c1 = rattle__arena_doubles(arena, 2 * n);
    if (rattle__extended_room(g)) s->kernel.precise = precise_constraint_of;
    s->room = rattle__arena_take(arena, rattle__extended_room(g));
  }
  if (fallback) s->thrust = rattle__fused_thrust_create(problem, arena);
  *map = &s->fast.map;
  context->solver = "dense";
  if (!fallback && arena->failed) return rattle__no_memory(error); /* nothing to destroy */
  rattle_status status = RATTLE_OK;
  if (fallback)
    rattle__fast_begin(&s->fast, context, scheme, projection, fallback);
  else
    status = rattle__fast_create(&s->fast, context, scheme, projection, error);
  s->fast.map.apply = apply;
  s->fast.map.destroy = destroy;
  if (status || arena->failed) return status ? status : rattle__no_memory(error);
  s->code = rattle__fused_native(context, scheme, s->project, s->plan, s->thrust);
  if (s->code.step) s->step = s->code.step, s->level = s->code.level, s->prove = s->code.prove;
  if (s->code.run && scheme->d2 == 0 && scheme->k2 != 0 && !(context->carry && s->clock >= 0))
    s->fast.map.run = run;
  const int is_free =
                scheme->k1 == 0 &&
                scheme->k2 == 0, /* machine code of lanes alone has no numbers of a problem in it */
      has_run = s->fast.map.run == run || (is_free && s->code.run) || problem->settable;
  if (has_run && scheme->d2 == 0 && (scheme->k2 != 0 || is_free) && goes_wide(s))
    s->fast.map.widen = widen, s->fast.map.join = join, s->fast.map.run_wide = run_wide,
    s->fast.map.vectors = rattle__natural_vectors(problem);
  s->fast.map.keeps_time = s->fast.map.examined = 1;
  s->fast.prove = prove_end;
  const int bends = s->plan->bends.count + s->plan->bends_of_A.count > 0;
  if (bends && s->plan->bounded && scheme->d2 == 0 && !context->carry && !fallback &&
      !context->asked.unproved)
    return rattle__fast_prove(&s->fast, prove_end, error);
  return RATTLE_OK;
}

rattle_status rattle__natural_small_create(rattle__map **map, rattle__context *context,
                                           const rattle__scheme *scheme,
                                           rattle__projection projection, rattle_error *error) {
  return create(map, context, scheme, projection, NULL, error);
}

rattle_status rattle__fused_create_pushed(rattle__map **map, rattle__context *context,
                                          const rattle__scheme *scheme,
                                          rattle__projection projection, rattle__map *fallback,
                                          rattle_error *error) {
  return create(map, context, scheme, projection, fallback, error);
}

void rattle__fused_fall_back(rattle__map *map, rattle__map *exact) {
  rattle__natural_fall_back(((const fused *)map->self)->fast.fallback, exact);
}
