/* SHAKE and RATTLE for natural problems with one or two constraints: the map around small_kernel.h.
 *
 * Map, symbols, source, claims: as natural.c
 * Cost     one V_q, 2 to 4 evaluations of g and G; nothing but arithmetic between them */
#include "wrap/small.h"

#include <math.h>
#include <string.h>

#include "expr/extended.h"
#include "expr/native.h"
#include "map/carry.h"

/* The kernel for any problem: numbers from the map, derivatives through the problem's functions. */
static int constraint_of(const rattle__small *k, const double *q, double *F, double *J);
static int force_of(rattle__small *k, const double *q, double *Vq);

/* The last callback that did not answer 0. */
typedef struct refusal {
  int answer;
  const char *what;
} refusal;

typedef struct small {
  rattle__map map;
  rattle__scheme scheme;
  rattle__projection projection;
  int n, m, nnz, project;
  const int *ptr, *col;
  const rattle__function *g, *V;
  const double *inverse_mass;
  double *work;
  void *room;
  refusal *refused;
  rattle__small kernel;
  rattle__small_step step;
  rattle__small_run run;
  void *library;
  rattle__map *careful;           /* natural.c, for the steps that are doubtful */
  const double *known;            /* z of the last end of a step, whose J0, W0 (and V0) are at hand ... */
  unsigned long long known_clock; /* ... while the clock stands so */
  int known_V;
} small;

#define SELF ((const small *)k->self)
#define KERNEL_LINKAGE static
#define KERNEL_INLINE static inline
#define KERNEL_UNROLL
#define N (SELF->n)
#define M (SELF->m)
#define NNZ (SELF->nnz)
#define PTR(i) (SELF->ptr[i])
#define COL(e) (SELF->col[e])
#define INVERSE_MASS(i) (SELF->inverse_mass[i])
#define K1 (SELF->scheme.k1)
#define D1 (SELF->scheme.d1)
#define K2 (SELF->scheme.k2)
#define D2 (SELF->scheme.d2)
#define PROJECT (SELF->project)
#define QUADRATIC (SELF->g->quadratic)
#define CONSTRAINT(q, F, J) constraint_of(k, q, F, J)
#define FORCE(q, value, Vq) force_of(k, q, Vq)
/* once with plain sums, and once with compensated ones */
#define KERNEL_NAME(part) small_##part
#define COMPENSATED 0
#include "wrap/small_kernel.h"
#undef KERNEL_NAME
#undef COMPENSATED
#define KERNEL_NAME(part) compensated_##part
#define COMPENSATED 1
#include "wrap/small_kernel.h"

static int constraint_of(const rattle__small *k, const double *q, double *F, double *J) {
  int answer = SELF->g->jacobian(SELF->g, q, F, J, SELF->work);
  if (answer) *SELF->refused = (refusal){answer, "constraint"};
  return answer;
}

static void precise_constraint_of(const rattle__small *k, const double *q, const double *carry, double *F) {
  rattle__extended_value(SELF->g, q, carry, F, SELF->room);
}

static int force_of(rattle__small *k, const double *q, double *Vq) {
  int answer = SELF->V->jacobian(SELF->V, q, &k->potential, Vq, SELF->work);
  if (answer) *SELF->refused = (refusal){answer, "gradient"};
  return answer;
}

static rattle_status failed(small *s, const rattle__small *k, int code, const double *z, rattle_error *error) {
  const rattle_problem *problem = s->map.context->problem;
  if (code == RATTLE__SMALL_CALLBACK) return rattle__callback_error(s->refused->answer, s->refused->what, error);
  return rattle__multiplier_error(problem, code == RATTLE__SMALL_SINGULAR ? RATTLE_SINGULAR : RATTLE_NOT_CONVERGED, k->worst,
                                  k->iterations, k->residual, z, error);
}

/* Moves the kernel's counts, of `steps` steps, to the context. */
static void count(small *s, rattle__small *k, long long steps) {
  rattle__context *context = s->map.context;
  context->counts.constraint += k->evaluations;
  context->counts.jacobian += k->evaluations;
  context->counts.gradient += k->forces;
  context->counts.newton_iterations += k->newton;
  context->counts.position_projections += steps;
  if (s->project) context->counts.momentum_projections += steps;
  if (k->g > context->residuals.g) context->residuals.g = k->g;
  if (k->psi > context->residuals.psi) context->residuals.psi = k->psi;
  if (k->most_residual > context->residuals.iteration_residual) context->residuals.iteration_residual = k->most_residual;
  k->evaluations = k->forces = k->newton = 0;
  k->g = k->psi = k->most_residual = 0;
}

/* G0, W0 (and V0 where the scheme begins with a kick) at z0, where the last step did not leave them. */
static int look_up_start(small *s, rattle__small *k, const double *z0) {
  double F[RATTLE__SMALL_MOST];
  int known = s->known == z0 && s->known_clock == s->map.context->clock;
  if (!known) {
    k->evaluations++;
    if (constraint_of(k, z0, F, k->J0)) return 1;
    small_rows(k->J0, k->W0, k);
  }
  if (s->scheme.k1 != 0 && !(known && s->known_V)) {
    k->forces++;
    return force_of(k, z0, k->V0);
  }
  return 0;
}

static inline void swap(double **a, double **b) {
  double *c = *a;
  *a = *b;
  *b = c;
}

/* What the step left at z1 is what the next one needs. */
static void know(small *s, const double *z1) {
  rattle__context *context = s->map.context;
  s->known_V = s->scheme.d2 == 0 && s->scheme.k2 != 0; /* the last kick was at q1 */
  s->known = z1;
  s->known_clock = ++context->clock;
  if (!s->known_V) return;
  context->potential = s->kernel.potential;
  context->potential_clock = context->clock;
}

static rattle_status apply(rattle__map *map, double h, const double *z0, double *z1, rattle_error *error) {
  small *s = map->self;
  rattle__small *k = &s->kernel;
  int code = look_up_start(s, k, z0) ? RATTLE__SMALL_CALLBACK : s->step(k, h, z0, z1);
  s->known = NULL;
  count(s, k, !code);
  if (code == RATTLE__SMALL_CALLBACK) return failed(s, k, code, z1, error);
  if (code) return s->careful->follow(s->careful, h, z0, z1, error);
  if (map->context->carry) memcpy(k->c0, k->c1, 2 * (size_t)s->n * sizeof *k->c0);
  swap(&k->J0, &k->J1);
  swap(&k->W0, &k->W1);
  if (s->scheme.d2 == 0 && s->scheme.k2 != 0) swap(&k->V0, &k->V1);
  know(s, z1);
  return RATTLE_OK;
}

static long long run(rattle__map *map, const double *h, int stages, long long steps, double *z, double *range) {
  small *s = map->self;
  rattle__small *k = &s->kernel;
  int code = RATTLE__SMALL_OK;
  if (look_up_start(s, k, z)) return 0;
  long long done = s->run(k, h, stages, steps, z, range, &code);
  s->known = NULL;
  count(s, k, done * stages);
  if (!code) know(s, z);
  return done;
}

/* the slide onto psi = 0 of a point put out */
static rattle_status output(rattle__map *map, double h, double *z, rattle_error *error) {
  small *s = map->self;
  rattle__small *k = &s->kernel;
  double F[RATTLE__SMALL_MOST];
  (void)h;
  map->context->clock++;
  int code = constraint_of(k, z, F, k->J1) ? RATTLE__SMALL_CALLBACK : RATTLE__SMALL_OK;
  small_rows(k->J1, k->W1, k);
  if (!code) code = small_project(k, z + s->n);
  k->evaluations++;
  count(s, k, 0);
  map->context->counts.momentum_projections++;
  return code ? failed(s, k, code, z, error) : RATTLE_OK;
}

static void destroy(rattle__map *map) {
  small *s = map->self;
  rattle__native_unload(&s->library);
  if (s->careful && s->careful->destroy) s->careful->destroy(s->careful);
}

rattle_status rattle__small_create(rattle__map **map, rattle__context *context, const rattle__scheme *scheme,
                                   rattle__projection projection, rattle_error *error) {
  const rattle_problem *problem = context->problem;
  rattle__arena *arena = &context->arena;
  small *s = rattle__arena_take(arena, sizeof *s);
  if (!s) return rattle__no_memory(error);
  const rattle__function *g = problem->g, *V = problem->V;
  size_t n = (size_t)problem->n, m = (size_t)problem->m, nnz = (size_t)g->jac_nnz;
  *s = (small){.scheme = *scheme,
               .projection = projection,
               .project = projection == RATTLE__PROJECT_STEP,
               .n = problem->n,
               .m = problem->m,
               .nnz = g->jac_nnz,
               .ptr = g->jac_ptr,
               .col = g->jac_col,
               .g = g,
               .V = V,
               .inverse_mass = problem->inverse_mass,
               .step = context->carry ? compensated_step : small_step};
  s->map = (rattle__map){.context = context,
                         .apply = apply,
                         .destroy = destroy,
                         .symmetric = scheme->symmetric,
                         .order = scheme->order,
                         .compensates = 1,
                         .self = s,
                         .output = projection == RATTLE__PROJECT_OUTPUT ? output : NULL};
  s->kernel.self = s;
  s->refused = rattle__arena_take(arena, sizeof *s->refused);
  double **vectors[] = {&s->kernel.J0, &s->kernel.W0, &s->kernel.V0, &s->kernel.J1, &s->kernel.W1, &s->kernel.V1, &s->work};
  size_t sizes[] = {nnz, m * n, n, nnz, m * n, n, g->work > V->work ? g->work : V->work};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) *vectors[i] = rattle__arena_doubles(arena, sizes[i]);
  s->kernel.c0 = context->carry;
  if (context->carry) {
    s->kernel.c1 = rattle__arena_doubles(arena, 2 * n);
    if (rattle__extended_room(g)) s->kernel.precise = precise_constraint_of;
    s->room = rattle__arena_take(arena, rattle__extended_room(g));
  }
  *map = &s->map;
  if (arena->failed) return rattle__no_memory(error);
  context->solver = "dense";
  rattle__small_step step = NULL;
  rattle__small_native(context, scheme, s->project, &step, &s->run, &s->library);
  if (step) s->step = step;
  if (s->run && scheme->d2 == 0 && scheme->k2 != 0) s->map.run = run;
  return rattle__natural_create(&s->careful, context, scheme, projection, RATTLE__METHOD_auto, 0, error);
}
