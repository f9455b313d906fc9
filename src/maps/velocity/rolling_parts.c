/* See rolling_parts.h. */
#include "maps/velocity/rolling_parts.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "constraint/equation/iterate.h"
#include "ground/expr/derivative.h"
#include "ground/support/error.h"
#include "ground/expr/algebra.h"
#include "maps/velocity/rolling_numbers.h"

typedef struct parts_maker {
  rattle__emitted *e;
  rattle_graph *graph;
  const rattle_problem *problem;
  const rattle__scheme *scheme;
  int n, m, held;
  rattle__sides last; /* what names of the start of the step are at its end */
  /* names of numbers: z0, and q1, (q0 + q1)/2, v, p1 of the iterate [n]; h, H, 1/H */
  rattle_expr *q0, *p0, *q1, *middle, *v, *p1, h, drift, inverse;
  rattle_expr *base, *lambda, *unit, *landing; /* v'; multipliers, inverse units of f and psi [m] */
  rattle_expr V, *V0, *C, *B, *C1; /* V and V_q at q0, C, B = W C^T, and C where END is [m n] */
  rattle_expr *g, *row, *x, *y;    /* g(q1) and A((q0 + q1)/2) v by names; scratch [m + 2n] */
  int32_t *column;                 /* scratch [n] */
  rattle_expr *carried, *name;     /* what goes from step to step, and its names [carries] */
  int carries;
} parts_maker;

static rattle_expr number(const parts_maker *k, double x) {
  return rattle_expr_constant(k->graph, x);
}

static rattle_expr multiple(const parts_maker *k, double c, rattle_expr x) {
  return rattle__multiple(k->graph, c, x);
}

static double inverse_mass(const parts_maker *k, int i) {
  return k->problem->mass->diagonal[i];
}

/* The name of a number that FIRST finds at q0, END at q1, and NEXT hands on. */
static rattle_expr carry(parts_maker *k, rattle_expr value) {
  rattle__emitted *e = k->e;
  for (int i = 0; i < k->carries; i++)
    if (k->carried[i] == value) return k->name[i];
  const rattle_expr name = rattle__emitted_let(e, PART_FIRST, value);
  if (name == value) return value; /* a number of the model, or a coordinate */
  const rattle_expr last = rattle__emitted_let(e, PART_END, rattle__sides_of(&k->last, e, value));
  rattle__emitted_put(e, PART_NEXT, name, last);
  rattle__sides_set(&k->last, e, name, last);
  k->carried[k->carries] = value;
  return k->name[k->carries++] = name;
}

/* ---- expressions of the model ---- */

/* C and V_q at q0, rows and their derivatives by names. */
static rattle_status take_functions(parts_maker *k, rattle_error *error) {
  const rattle_problem *p = k->problem;
  const int n = k->n, held = k->held;
  rattle_expr *column = k->x, *at = k->y;
  for (int i = 0; i < n; i++) column[i] = k->q0[i], column[n + i] = k->v[i];
  rattle_status status = rattle__function_rows(p->V, k->graph, column, &k->V, error);
  for (int i = 0; i < n; i++) k->column[i] = rattle__emitted_place(k->e, k->q0[i]);
  if (!status) status = rattle__gradient(k->graph, k->V, k->column, n, k->V0);
  if (!status && p->g) status = rattle__function_rows(p->g, k->graph, column, at, error);
  for (int i = 0; i < held && !status; i++)
    status = rattle__gradient(k->graph, at[i], k->column, n, k->C + i * n);
  if (!status) status = rattle__function_rows(p->velocity, k->graph, column, at + held, error);
  for (int i = 0; i < n; i++) k->column[i] = rattle__emitted_place(k->e, k->v[i]);
  for (int i = held; i < k->m && !status; i++)
    status = rattle__gradient(k->graph, at[i], k->column, n, k->C + i * n);
  for (int i = 0; i < n; i++) column[i] = k->q1[i];
  if (!status && p->g) status = rattle__function_rows(p->g, k->graph, column, k->g, error);
  for (int i = 0; i < n; i++) column[i] = k->middle[i];
  return status ? status : rattle__function_rows(p->velocity, k->graph, column, k->row, error);
}

/* ---- the start of a step ---- */

/* N, and N1 where END is. */
static void show_matrices(parts_maker *k) {
  const int n = k->n, m = k->m;
  for (int i = 0; i < m; i++)
    for (int j = 0; j < m; j++) {
      const int low = i < j ? i : j, high = i + j - low;
      const rattle_expr N = rattle__product(k->graph, n, k->C + high * n, 1, k->B + low * n, 1);
      rattle__emitted_show(k->e, PART_FIRST, RATTLE__AT_N(m) + i * m + j, N);
      rattle__emitted_show(k->e, PART_END, RATTLE__AT_N1(m) + i * m + j,
                           rattle__sides_of(&k->last, k->e, N));
    }
}

static void make_first(parts_maker *k) {
  const int n = k->n, m = k->m;
  for (int i = 0; i < n; i++) rattle__sides_set(&k->last, k->e, k->q0[i], k->q1[i]);
  for (int i = 0; i < n; i++) k->V0[i] = carry(k, k->V0[i]);
  for (int t = 0; t < m * n; t++) k->C[t] = carry(k, k->C[t]);
  for (int t = 0; t < m * n; t++) k->B[t] = multiple(k, inverse_mass(k, t % n), k->C[t]);
  show_matrices(k);
  for (int t = 0; t < m * n; t++) k->B[t] = rattle__emitted_let(k->e, PART_BEGIN, k->B[t]);
}

/* The unit of f_i: what the rounding of q0 and q1 makes of it. Linear equations leave of a velocity
 * something small beside the speed in the metric of the masses. */
static void make_unit(parts_maker *k, int i, rattle_expr speed, rattle_expr way) {
  rattle_graph *graph = k->graph;
  rattle_expr size = number(k, DBL_MIN);
  for (int j = 0; j < k->n; j++) {
    const rattle_expr moved = rattle__times(graph, way, rattle__absolute(graph, k->base[j])),
                      at = rattle__plus(graph, rattle__absolute(graph, k->q0[j]), moved),
                      least = multiple(k, rattle__least_size(sqrt(inverse_mass(k, j))),
                                       rattle__times(graph, way, speed));
    rattle_expr reach = rattle__plus(graph, multiple(k, 0.5, at), least);
    if (i >= k->held) reach = rattle__plus(graph, reach, moved);
    const rattle_expr term =
        rattle__times(graph, rattle__absolute(graph, k->C[i * k->n + j]), reach);
    size = rattle__plus(graph, size, multiple(k, DBL_EPSILON, term));
  }
  k->unit[i] = rattle__emitted_let(k->e, PART_BEGIN, rattle__over(graph, way, size));
}

static void make_begin(parts_maker *k) {
  rattle_graph *graph = k->graph;
  const int n = k->n;
  const rattle_expr kick = multiple(k, k->scheme->k1, k->h);
  k->drift = rattle__emitted_let(k->e, PART_BEGIN, multiple(k, k->scheme->d1, k->h));
  k->inverse = rattle__emitted_let(k->e, PART_BEGIN, rattle__over(graph, number(k, 1), k->drift));
  for (int i = 0; i < n; i++) {
    k->x[i] = rattle__minus(graph, k->p0[i], rattle__times(graph, kick, k->V0[i]));
    k->base[i] = rattle__emitted_let(k->e, PART_BEGIN, multiple(k, inverse_mass(k, i), k->x[i]));
  }
  const rattle_expr square = rattle__product(graph, n, k->x, 1, k->base, 1),
                    speed = rattle__emitted_let(k->e, PART_BEGIN,
                                                rattle_expr_unary(graph, RATTLE_OP_SQRT, square)),
                    way = rattle__emitted_let(k->e, PART_BEGIN, rattle__absolute(graph, k->drift));
  for (int i = 0; i < k->m; i++) make_unit(k, i, speed, way);
}

/* ---- the iteration ---- */

static void make_look(parts_maker *k) {
  rattle_graph *graph = k->graph;
  const int n = k->n, m = k->m;
  for (int i = 0; i < n; i++) {
    const rattle_expr pull = rattle__product(graph, m, k->B + i, n, k->lambda, 1),
                      v = rattle__minus(graph, k->base[i], pull),
                      moved = rattle__times(graph, k->drift, v),
                      q1 = rattle__plus(graph, k->q0[i], moved),
                      middle = rattle__plus(graph, k->q0[i], multiple(k, 0.5, moved));
    rattle__emitted_let_name(k->e, PART_LOOK, k->v[i], v);
    rattle__emitted_let_name(k->e, PART_LOOK, k->q1[i], q1);
    rattle__emitted_let_name(k->e, PART_LOOK, k->middle[i], middle);
  }
  for (int i = 0; i < m; i++) {
    const rattle_expr at = i < k->held ? k->g[i] : k->row[i - k->held];
    const rattle_expr f = i < k->held ? rattle__times(graph, at, k->inverse) : at;
    rattle__emitted_show(k->e, PART_LOOK, RATTLE__AT_F(m) + i, f);
    rattle__emitted_show(k->e, PART_LOOK, RATTLE__AT_RESIDUAL(m) + i,
                         rattle__times(graph, rattle__absolute(graph, f), k->unit[i]));
    rattle__emitted_show(k->e, PART_LOOK, RATTLE__AT_G(m) + i,
                         i < k->held ? rattle__absolute(graph, at) : number(k, 0));
  }
}

/* Row i of -df/dlambda. */
static rattle_status make_slopes(parts_maker *k, int i) {
  rattle_graph *graph = k->graph;
  const int n = k->n, m = k->m, held = i < k->held;
  const rattle_expr f = held ? k->g[i] : k->row[i - k->held];
  for (int j = 0; j < n; j++) k->column[j] = rattle__emitted_place(k->e, held ? k->q1[j] : k->v[j]);
  rattle_status status = rattle__gradient(graph, f, k->column, n, k->x);
  if (!status && !held) {
    for (int j = 0; j < n; j++) k->column[j] = rattle__emitted_place(k->e, k->middle[j]);
    status = rattle__gradient(graph, f, k->column, n, k->y);
    const rattle_expr half = multiple(k, 0.5, k->drift);
    for (int j = 0; j < n && !status; j++)
      k->x[j] = rattle__plus(graph, k->x[j], rattle__times(graph, half, k->y[j]));
  }
  for (int j = 0; j < m && !status; j++)
    rattle__emitted_show(k->e, PART_NEWTON, RATTLE__AT_R(m) + i * m + j,
                         rattle__product(graph, n, k->x, 1, k->B + j * n, 1));
  return status;
}

/* ---- the landing ---- */

/* psi at p [n] in that part, with units where these have names. */
static void show_psi(parts_maker *k, int part, const rattle_expr *p) {
  rattle_graph *graph = k->graph;
  const int n = k->n, m = k->m;
  for (int i = 0; i < n; i++) k->y[i] = multiple(k, inverse_mass(k, i), p[i]);
  for (int i = 0; i < m; i++) {
    const rattle_expr psi = rattle__product(graph, n, k->C1 + i * n, 1, k->y, 1);
    rattle__emitted_show(k->e, part, RATTLE__AT_PSI(m) + i, psi);
    if (part == PART_LAND)
      rattle__emitted_show(k->e, part, RATTLE__AT_SLIP(m) + i,
                           rattle__times(graph, rattle__absolute(graph, psi), k->landing[i]));
  }
}

/* The inverse units of psi where p [n] comes to the landing; velocities are in y. */
static void make_landing_units(parts_maker *k, const rattle_expr *p) {
  rattle_graph *graph = k->graph;
  const int n = k->n;
  const rattle_expr speed =
      rattle_expr_unary(graph, RATTLE_OP_SQRT, rattle__product(graph, n, p, 1, k->y, 1));
  for (int i = 0; i < k->m; i++) {
    rattle_expr size = number(k, DBL_MIN);
    for (int j = 0; j < n; j++) {
      const double least = rattle__least_size(sqrt(inverse_mass(k, j)));
      const rattle_expr reach = rattle__plus(graph, rattle__absolute(graph, k->y[j]),
                                             multiple(k, least, speed)),
                        term =
                            rattle__times(graph, rattle__absolute(graph, k->C1[i * n + j]), reach);
      size = rattle__plus(graph, size, multiple(k, DBL_EPSILON, term));
    }
    k->landing[i] = rattle__emitted_let(k->e, PART_END, rattle__over(graph, number(k, 1), size));
  }
}

static void make_end(parts_maker *k) {
  rattle_graph *graph = k->graph;
  const int n = k->n, m = k->m;
  const rattle_expr first = multiple(k, k->scheme->k1, k->h),
                    last = multiple(k, k->scheme->k2, k->h);
  for (int t = 0; t < m * n; t++) k->C1[t] = rattle__sides_of(&k->last, k->e, k->C[t]);
  for (int i = 0; i < n; i++) {
    const rattle_expr pull = rattle__product(graph, m, k->C + i, n, k->lambda, 1),
                      V1 = rattle__sides_of(&k->last, k->e, k->V0[i]),
                      free = rattle__minus(graph, k->p0[i], rattle__times(graph, first, k->V0[i]));
    k->x[i] =
        rattle__minus(graph, rattle__minus(graph, free, pull), rattle__times(graph, last, V1));
    rattle__emitted_put(k->e, PART_END, k->p1[i], k->x[i]);
  }
  show_psi(k, PART_END, k->x);
  make_landing_units(k, k->x);
  for (int i = 0; i < m; i++)
    for (int j = 0; j < m; j++)
      rattle__emitted_show(k->e, PART_END, RATTLE__AT_TURN(m) + i * m + j,
                           rattle__product(graph, n, k->C1 + i * n, 1, k->B + j * n, 1));
}

static void make_landing(parts_maker *k) {
  rattle_expr *sigma = k->x + k->n;
  for (int i = 0; i < k->m; i++)
    sigma[i] = rattle__emitted_take(k->e, PART_LAND, RATTLE__AT_SIGMA(k->m) + i);
  for (int i = 0; i < k->n; i++) {
    const rattle_expr push = rattle__product(k->graph, k->m, k->C1 + i, k->n, sigma, 1);
    k->x[i] = rattle__minus(k->graph, k->p1[i], push);
    rattle__emitted_put(k->e, PART_LAND, k->p1[i], k->x[i]);
  }
  show_psi(k, PART_LAND, k->x);
}

/* As rattle__mass_kinetic. */
static void make_energy(parts_maker *k) {
  rattle_graph *graph = k->graph;
  rattle_expr twice = number(k, 0);
  for (int i = 0; i < k->n; i++) {
    const rattle_expr p = k->p1[i];
    twice = rattle__plus(graph, twice, rattle__times(graph, multiple(k, inverse_mass(k, i), p), p));
  }
  rattle__emitted_tell(k->e, PART_ENERGY, RATTLE__AT_ENERGY(k->m),
                       rattle__sides_of(&k->last, k->e, k->V));
  rattle__emitted_show(k->e, PART_ENERGY, RATTLE__AT_ENERGY(k->m) + 1, multiple(k, 0.5, twice));
}

/* ---- together ---- */

static rattle_status make(parts_maker *k, rattle_error *error) {
  rattle_status status = k->e->failed ? RATTLE_NO_MEMORY : take_functions(k, error);
  if (status) return status;
  make_first(k);
  make_begin(k);
  make_look(k);
  for (int i = 0; i < k->m && !status; i++) status = make_slopes(k, i);
  if (status) return status;
  make_end(k);
  make_landing(k);
  make_energy(k);
  for (int i = 0; i < k->n; i++) {
    rattle__emitted_put(k->e, PART_NEXT, k->q0[i], k->q1[i]);
    rattle__emitted_put(k->e, PART_NEXT, k->p0[i], k->p1[i]);
  }
  return rattle__emitted_close(k->e, error);
}

/* Gives places to the names of the step, those of z0 first, then h. */
static void name_all(parts_maker *k) {
  rattle_expr *const before[] = {k->q0, k->p0}, *const after[] = {k->q1, k->middle, k->v, k->p1};
  for (int t = 0; t < 2; t++)
    for (int i = 0; i < k->n; i++) before[t][i] = rattle__emitted_name(k->e);
  k->h = rattle__emitted_name(k->e);
  for (int t = 0; t < 4; t++)
    for (int i = 0; i < k->n; i++) after[t][i] = rattle__emitted_name(k->e);
  for (int i = 0; i < k->m; i++)
    k->lambda[i] = rattle__emitted_take(k->e, PART_LOOK, RATTLE__AT_LAMBDA(k->m) + i);
}

/* One block for all arrays; NULL without memory. */
static rattle_expr *lay_out(parts_maker *k) {
  const size_t n = (size_t)k->n, m = (size_t)k->m, mn = m * n;
  const struct {
    rattle_expr **at;
    size_t count;
  } array[] = {{&k->q0, n},           {&k->p0, n},        {&k->q1, n},
               {&k->middle, n},       {&k->v, n},         {&k->p1, n},
               {&k->base, n},         {&k->lambda, m},    {&k->unit, m},
               {&k->landing, m},      {&k->V0, n},        {&k->C, mn},
               {&k->B, mn},           {&k->C1, mn},       {&k->g, m},
               {&k->row, m},          {&k->x, m + 2 * n}, {&k->y, m + 2 * n},
               {&k->carried, n + mn}, {&k->name, n + mn}};
  size_t total = 0;
  for (size_t i = 0; i < sizeof array / sizeof *array; i++) total += array[i].count;
  rattle_expr *block = calloc(total, sizeof *block), *at = block;
  for (size_t i = 0; i < sizeof array / sizeof *array && block; i++) {
    *array[i].at = at;
    at += array[i].count;
  }
  return block;
}

static int is_small(const rattle_problem *p) {
  return rattle__elements_are_few(p->V, RATTLE__STRAIGHT_MOST) &&
         rattle__elements_are_few(p->velocity, RATTLE__STRAIGHT_MOST) &&
         (!p->g || rattle__elements_are_few(p->g, RATTLE__STRAIGHT_MOST));
}

rattle_status rattle__rolling_parts(rattle__emitted *e, const rattle_problem *problem,
                                    const rattle__scheme *scheme, rattle_error *error) {
  const int n = problem->n, m = problem->m + problem->velocity->rows;
  static const char *const name[] = {"FIRST", "BEGIN", "LOOK",   "NEWTON",
                                     "END",   "LAND",  "ENERGY", "NEXT"};
  rattle_status status = rattle__emitted_begin(e, name, (int)(sizeof name / sizeof *name), error);
  if (status) return status;
  if (m > RATTLE__DENSE || scheme->d2 != 0 || problem->mass->value || problem->clock ||
      !is_small(problem))
    return RATTLE_UNSUITABLE;
  parts_maker k = {.e = e,
                   .graph = e->graph,
                   .problem = problem,
                   .scheme = scheme,
                   .n = n,
                   .m = m,
                   .held = problem->m};
  rattle_expr *block = lay_out(&k);
  k.column = malloc((size_t)n * sizeof *k.column);
  if (!block || !k.column) {
    status = rattle__no_memory(error);
  } else {
    name_all(&k);
    status = make(&k, error);
  }
  rattle__sides_end(&k.last);
  free(k.column);
  free(block);
  return e->failed || status == RATTLE_NO_MEMORY ? rattle__no_memory(error) : status;
}
