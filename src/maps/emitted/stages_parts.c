/* See stages_parts.h. */
#include "maps/emitted/stages_parts.h"

#include <float.h>
#include <stdlib.h>

#include "constraint/equation/iterate.h"
#include "ground/expr/derivative.h"
#include "ground/support/error.h"
#include "maps/emitted/algebra.h"
#include "maps/emitted/stages_numbers.h"

typedef struct stage_maker {
  rattle__emitted *e;
  rattle_graph *graph;
  const rattle_problem *problem;
  const rattle__tableau *t;
  int n, m, unknowns;
  rattle_expr h, H;
  rattle_expr *z0, *z1;     /* names [2n] */
  rattle_expr *X, *g, *G;   /* of z0: X_H [2n]; g [m], g' [m n] */
  rattle_expr *plus, *Z;    /* z+ [2n] and the stages [stages][2n], by names */
  rattle_expr *u, *f, *x;   /* unknowns and their equations; scratch [2n] */
  rattle_expr part_unit[2]; /* 1/unit of stages of q and p */
  rattle_expr *unit;        /* 1/unit of g/h [m] */
  int *order, ordered;      /* which variables follow by substitution */
  unsigned char *needs, *unknown, *state;
  int32_t *column;
  rattle__sides at_end, *at_stage; /* names of z0 there */
} stage_maker;

static rattle_expr multiple(const stage_maker *k, double c, rattle_expr x) {
  return rattle__multiple(k->graph, c, x);
}

static rattle_expr at_end(stage_maker *k, rattle_expr e) {
  return rattle__sides_of(&k->at_end, k->e, e);
}

static int is_zero(const stage_maker *k, rattle_expr e) {
  return rattle_expr_op(k->graph, e) == RATTLE_OP_CONSTANT && rattle_expr_value(k->graph, e) == 0;
}

/* ---- expressions of the model ---- */

/* H = p^T W p/2 + V, and its slopes. */
static rattle_status take_natural(stage_maker *k, rattle_error *error) {
  const rattle_problem *p = k->problem;
  const int n = k->n;
  const rattle_status status = rattle__function_rows(p->V, k->graph, k->z0, &k->H, error);
  for (int c = 0; c < n; c++) k->X[c] = multiple(k, p->mass->diagonal[c], k->z0[n + c]);
  return status ? status : rattle__gradient(k->graph, k->H, k->column, n, k->X + n);
}

static rattle_status take_functions(stage_maker *k, rattle_error *error) {
  const rattle_problem *p = k->problem;
  const int n = k->n;
  rattle_status status = RATTLE_OK;
  for (int c = 0; c < 2 * n; c++) k->column[c] = rattle__emitted_place(k->e, k->z0[c]);
  if (p->mass) {
    status = take_natural(k, error);
  } else {
    status = rattle__function_rows(p->H, k->graph, k->z0, &k->H, error);
    if (!status) status = rattle__gradient(k->graph, k->H, k->column, 2 * n, k->x);
    for (int c = 0; c < n && !status; c++) k->X[c] = k->x[n + c], k->X[n + c] = k->x[c];
  }
  for (int c = n; c < 2 * n && !status; c++) k->X[c] = multiple(k, -1, k->X[c]);
  if (!status) status = rattle__function_rows(p->g, k->graph, k->z0, k->g, error);
  for (int i = 0; i < k->m && !status; i++)
    status = rattle__gradient(k->graph, k->g[i], k->column, n, k->G + i * n);
  for (int c = 0; c < 2 * n && !status; c++) {
    status = rattle__gradient(k->graph, k->X[c], k->column, 2 * n, k->x);
    for (int d = 0; d < 2 * n && !status; d++) k->needs[c * 2 * n + d] = !is_zero(k, k->x[d]);
  }
  return status;
}

/* N = G H_pp G^T in that part at y[at], at the end of the step or at its start. */
static rattle_status show_N(stage_maker *k, int part, int at, int end) {
  const int n = k->n, m = k->m;
  rattle_status status = RATTLE_OK;
  rattle_expr *H_pp = calloc((size_t)(n * n + m * n), sizeof *H_pp), *B = H_pp + n * n;
  if (!H_pp) return RATTLE_NO_MEMORY;
  for (int c = 0; c < n && !status; c++)
    status = rattle__gradient(k->graph, k->X[c], k->column + n, n, H_pp + c * n);
  for (int i = 0; i < m && !status; i++)
    for (int c = 0; c < n; c++)
      B[i * n + c] = rattle__product(k->graph, n, H_pp + c * n, 1, k->G + i * n, 1);
  for (int i = 0; i < m && !status; i++)
    for (int j = 0; j < m; j++) {
      const rattle_expr N = rattle__product(k->graph, n, k->G + i * n, 1, B + j * n, 1);
      rattle__emitted_show(k->e, part, at + i * m + j, end ? at_end(k, N) : N);
    }
  free(H_pp);
  return status;
}

/* psi' X_H at z0 and where the step ends */
static rattle_status show_rate(stage_maker *k) {
  const int n = k->n, at = RATTLE__AT_RATE(k->unknowns, k->m);
  rattle_status status = RATTLE_OK;
  for (int i = 0; i < k->m && !status; i++) {
    const rattle_expr psi = rattle__product(k->graph, n, k->G + i * n, 1, k->X, 1);
    status = rattle__gradient(k->graph, psi, k->column, 2 * n, k->x);
    if (status) break;
    const rattle_expr rate = rattle__product(k->graph, 2 * n, k->x, 1, k->X, 1);
    rattle__emitted_show(k->e, PART_FIRST, at + i, rate);
    rattle__emitted_show(k->e, PART_ARRIVE, at + i, at_end(k, rate));
  }
  return status;
}

/* ---- the start of a step ---- */

static rattle_expr largest(const stage_maker *k, const rattle_expr *a) {
  rattle_expr most = rattle__absolute(k->graph, a[0]);
  for (int c = 1; c < k->n; c++)
    most = rattle_expr_binary(k->graph, RATTLE_OP_MAX, most, rattle__absolute(k->graph, a[c]));
  return most;
}

/* 1/unit of the stages, whose terms are as large as the largest of them, and of g(q1)/h. */
static void make_units(stage_maker *k) {
  rattle_graph *graph = k->graph;
  const int n = k->n;
  const rattle_expr length = rattle__absolute(graph, k->h),
                    least = rattle_expr_constant(graph, DBL_MIN), most_q = largest(k, k->z0),
                    one = rattle_expr_constant(graph, 1);
  for (int part = 0; part < 2; part++) {
    const rattle_expr moved = rattle__times(graph, length, largest(k, k->X + part * n)),
                      terms = rattle__plus(graph, multiple(k, 2, largest(k, k->z0 + part * n)),
                                           multiple(k, 2, moved)),
                      size = rattle__plus(graph, least, multiple(k, DBL_EPSILON, terms));
    k->part_unit[part] = rattle__emitted_let(k->e, PART_BEGIN, rattle__over(graph, one, size));
  }
  for (int i = 0; i < k->m; i++) {
    rattle_expr size = least;
    for (int c = 0; c < n; c++) {
      const rattle_expr own = rattle__absolute(graph, k->z0[c]),
                        reach = rattle_expr_binary(graph, RATTLE_OP_MAX, own,
                                                   multiple(k, rattle__least_size(1), most_q)),
                        term =
                            rattle__times(graph, rattle__absolute(graph, k->G[i * n + c]), reach);
      size = rattle__plus(graph, size, multiple(k, DBL_EPSILON, term));
    }
    k->unit[i] = rattle__emitted_let(k->e, PART_BEGIN, rattle__over(graph, length, size));
  }
}

/* h/2 times the multipliers of the point, in u */
static void guess_lambda(stage_maker *k) {
  rattle_expr *lambda = k->u + k->unknowns - k->m;
  for (int i = 0; i < k->m; i++) {
    const rattle_expr rate =
        rattle__emitted_take(k->e, PART_BEGIN, RATTLE__AT_RATE(k->unknowns, k->m) + i);
    lambda[i] = rattle__times(k->graph, multiple(k, 0.5, k->h), rate);
    rattle__emitted_show(k->e, PART_BEGIN, k->unknowns - k->m + i, lambda[i]);
  }
}

/* Stage j of variable c from the slope at z0 and that lambda. */
static void show_guess(stage_maker *k, int at, int j, int c) {
  double node = 0;
  for (int l = 0; l < k->t->stages; l++) node += k->t->a[j][l];
  const rattle_expr *lambda = k->u + k->unknowns - k->m,
                    moved = rattle__times(k->graph, multiple(k, node, k->h), k->X[c]);
  rattle_expr from = k->z0[c];
  if (c >= k->n)
    from = rattle__minus(k->graph, from,
                         rattle__product(k->graph, k->m, k->G + c - k->n, k->n, lambda, 1));
  rattle__emitted_show(k->e, PART_BEGIN, at, rattle__plus(k->graph, from, moved));
}

/* ---- the iteration ---- */

/* z+_c + h sum weight_l X_c(Z_l) */
static rattle_expr combine(stage_maker *k, int c, const double *weight) {
  rattle_expr sum = rattle_expr_constant(k->graph, 0);
  for (int l = 0; l < k->t->stages; l++)
    sum = rattle__plus(k->graph, sum,
                       multiple(k, weight[l], rattle__sides_of(&k->at_stage[l], k->e, k->X[c])));
  return rattle__plus(k->graph, k->plus[c], rattle__times(k->graph, k->h, sum));
}

static void name_stages(stage_maker *k) {
  const int nz = 2 * k->n, stages = k->t->stages;
  int at = 0;
  guess_lambda(k);
  for (int c = 0; c < nz; c++)
    for (int j = 0; j < stages; j++) {
      const int kept = k->unknown[c];
      if (kept) show_guess(k, at, j, c);
      k->Z[j * nz + c] =
          kept ? rattle__emitted_take(k->e, PART_LOOK, at) : rattle__emitted_name(k->e);
      if (kept) k->u[at++] = k->Z[j * nz + c];
      rattle__sides_set(&k->at_stage[j], k->e, k->z0[c], k->Z[j * nz + c]);
    }
  for (; at < k->unknowns; at++) k->u[at] = rattle__emitted_take(k->e, PART_LOOK, at);
}

static void make_look(stage_maker *k) {
  rattle_graph *graph = k->graph;
  const int n = k->n, nz = 2 * n, stages = k->t->stages, first = k->unknowns - k->m;
  const rattle_expr *lambda = k->u + first;
  for (int c = 0; c < n; c++) {
    const rattle_expr pull = rattle__product(graph, k->m, k->G + c, n, lambda, 1);
    k->plus[c] = k->z0[c];
    k->plus[n + c] = rattle__emitted_let(k->e, PART_LOOK, rattle__minus(graph, k->z0[n + c], pull));
  }
  for (int t = 0; t < k->ordered; t++)
    for (int j = 0; j < stages; j++)
      rattle__emitted_let_name(k->e, PART_LOOK, k->Z[j * nz + k->order[t]],
                               combine(k, k->order[t], k->t->a[j]));
  int at = 0;
  for (int c = 0; c < nz; c++)
    for (int j = 0; j < stages && k->unknown[c]; j++, at++) {
      k->f[at] = rattle__minus(graph, combine(k, c, k->t->a[j]), k->u[at]);
      const rattle_expr size = rattle__absolute(graph, k->f[at]);
      rattle__emitted_show(k->e, PART_LOOK, RATTLE__AT_MISFIT(k->unknowns, k->m) + at,
                           rattle__times(graph, size, k->part_unit[c >= n]));
    }
  for (int c = 0; c < nz; c++)
    rattle__emitted_let_name(k->e, PART_LOOK, k->z1[c], combine(k, c, k->t->b));
  for (int i = 0; i < k->m; i++, at++) {
    const rattle_expr g = at_end(k, k->g[i]), size = rattle__absolute(graph, g);
    k->f[at] = rattle__over(graph, g, k->h);
    rattle__emitted_show(k->e, PART_LOOK, RATTLE__AT_HELD(k->unknowns, k->m) + i, size);
    rattle__emitted_show(k->e, PART_LOOK, RATTLE__AT_MISFIT(k->unknowns, k->m) + at,
                         rattle__times(graph, rattle__absolute(graph, k->f[at]), k->unit[i]));
  }
  for (int i = 0; i < k->unknowns; i++)
    rattle__emitted_show(k->e, PART_LOOK, RATTLE__AT_STAGE_F(k->unknowns, k->m) + i, k->f[i]);
}

static rattle_status make_newton(stage_maker *k) {
  const int u = k->unknowns;
  rattle_status status = RATTLE_OK;
  if (k->e->failed) return RATTLE_NO_MEMORY;
  for (int j = 0; j < u; j++) k->column[j] = rattle__emitted_place(k->e, k->u[j]);
  for (int i = 0; i < u && !status; i++) {
    const rattle_expr f = rattle__sides_of(&k->e->part[PART_LOOK].lets, k->e, k->f[i]);
    status = rattle__gradient(k->graph, f, k->column, u, k->x);
    for (int j = 0; j < u && !status; j++)
      rattle__emitted_show(k->e, PART_NEWTON, RATTLE__AT_J(u, k->m) + i * u + j,
                           multiple(k, -1, k->x[j]));
  }
  return status;
}

/* ---- the end ---- */

static void make_landing(stage_maker *k) {
  rattle_graph *graph = k->graph;
  const int n = k->n, m = k->m, u = k->unknowns;
  rattle_expr *sigma = k->f;
  for (int i = 0; i < m; i++)
    sigma[i] = rattle__emitted_take(k->e, PART_PUSH, RATTLE__AT_PUSH(u, m) + i);
  for (int i = 0; i < m; i++) {
    rattle_expr size = rattle_expr_constant(graph, DBL_MIN);
    for (int c = 0; c < n; c++) {
      const rattle_expr term = rattle__times(graph, k->G[i * n + c], k->X[c]);
      size = rattle__plus(graph, size, multiple(k, DBL_EPSILON, rattle__absolute(graph, term)));
    }
    const rattle_expr psi = rattle__product(graph, n, k->G + i * n, 1, k->X, 1),
                      ratio = rattle__over(graph, rattle__absolute(graph, psi), size);
    rattle__emitted_show(k->e, PART_PSI, RATTLE__AT_HIDDEN(u, m) + i, at_end(k, psi));
    rattle__emitted_show(k->e, PART_PSI, RATTLE__AT_DRIFT(u, m) + i, at_end(k, ratio));
  }
  for (int c = 0; c < n; c++) {
    const rattle_expr push = rattle__product(graph, m, k->G + c, n, sigma, 1);
    rattle__emitted_put(k->e, PART_PUSH, k->z1[n + c],
                        rattle__minus(graph, k->z1[n + c], at_end(k, push)));
  }
}

/* As rattle__mass_kinetic. */
static void make_energy(stage_maker *k) {
  rattle_graph *graph = k->graph;
  rattle_expr kinetic = rattle_expr_constant(graph, 0);
  for (int c = 0; c < k->n && k->problem->mass; c++) {
    const rattle_expr p = k->z1[k->n + c];
    kinetic = rattle__plus(graph, kinetic,
                           rattle__times(graph, multiple(k, k->problem->mass->diagonal[c], p), p));
  }
  const int at = RATTLE__AT_ALL_OF_H(k->unknowns, k->m);
  rattle__emitted_show(k->e, PART_ARRIVE, at, at_end(k, k->H));
  rattle__emitted_show(k->e, PART_ARRIVE, at + 1, multiple(k, 0.5, kinetic));
  for (int c = 0; c < 2 * k->n; c++) rattle__emitted_put(k->e, PART_NEXT, k->z0[c], k->z1[c]);
}

/* ---- together ---- */

static rattle_status make(stage_maker *k, rattle_error *error) {
  const int nz = 2 * k->n;
  for (int c = 0; c < nz; c++) k->z0[c] = rattle__emitted_name(k->e);
  k->h = rattle__emitted_name(k->e);
  for (int c = 0; c < nz; c++) {
    k->z1[c] = rattle__emitted_name(k->e);
    rattle__sides_set(&k->at_end, k->e, k->z0[c], k->z1[c]);
  }
  rattle_status status = k->e->failed ? RATTLE_NO_MEMORY : take_functions(k, error);
  if (status) return status;
  k->ordered = rattle__tear(nz, k->needs, k->unknown, k->order, k->state);
  k->unknowns = (nz - k->ordered) * k->t->stages + k->m;
  if (k->unknowns > RATTLE__DENSE) return RATTLE_UNSUITABLE;
  make_units(k);
  name_stages(k);
  make_look(k);
  status = show_N(k, PART_FIRST, RATTLE__AT_N_FIRST(k->unknowns, k->m), 0);
  if (!status) status = show_N(k, PART_PSI, RATTLE__AT_N_LAST(k->unknowns, k->m), 1);
  if (!status) status = show_rate(k);
  if (!status) status = make_newton(k);
  if (status) return status;
  make_landing(k);
  make_energy(k);
  return rattle__emitted_close(k->e, error);
}

static int is_small(const rattle_problem *p) {
  const rattle__function *H = p->mass ? p->V : p->H;
  return H && H->elements && rattle__elements_are_few(H, RATTLE__STRAIGHT_MOST) && p->g->elements &&
         rattle__elements_are_few(p->g, RATTLE__STRAIGHT_MOST);
}

rattle_status rattle__stages_parts(rattle__emitted *e, const rattle_problem *problem,
                                   const rattle__tableau *tableau, int *unknowns,
                                   rattle_error *error) {
  static const char *const name[] = {"FIRST", "BEGIN", "LOOK",   "NEWTON",
                                     "PSI",   "PUSH",  "ARRIVE", "NEXT"};
  enum { MOST = 16 }; /* pairs */
  const size_t n = (size_t)problem->n, m = (size_t)problem->m, nz = 2 * n,
               s = (size_t)tableau->stages;
  rattle_status status = rattle__emitted_begin(e, name, (int)(sizeof name / sizeof *name), error);
  if (status) return status;
  if (problem->n > MOST || problem->m > RATTLE__DENSE || !is_small(problem))
    return RATTLE_UNSUITABLE;
  rattle__sides at_stage[RATTLE__STAGES] = {0};
  stage_maker k = {.e = e,
                   .graph = e->graph,
                   .problem = problem,
                   .t = tableau,
                   .n = problem->n,
                   .m = problem->m,
                   .at_stage = at_stage};
  rattle_expr *block = calloc(6 * nz + m * (n + 2) + s * nz + 2 * (s * nz + m), sizeof *block);
  unsigned char *bytes = calloc(nz * nz + 2 * nz, 1);
  int *places = calloc(2 * nz, sizeof *places);
  int32_t *column = calloc(nz + RATTLE__DENSE, sizeof *column);
  if (!block || !bytes || !places || !column) {
    status = rattle__no_memory(error);
  } else {
    k.z0 = block, k.z1 = k.z0 + nz, k.X = k.z1 + nz, k.plus = k.X + nz, k.x = k.plus + nz;
    k.g = k.x + 2 * nz, k.unit = k.g + m, k.G = k.unit + m, k.Z = k.G + m * n;
    k.u = k.Z + s * nz, k.f = k.u + s * nz + m;
    k.needs = bytes, k.unknown = bytes + nz * nz, k.state = k.unknown + nz;
    k.order = places;
    k.column = column;
    status = make(&k, error);
    *unknowns = k.unknowns;
  }
  rattle__sides_end(&k.at_end);
  for (size_t j = 0; j < s; j++) rattle__sides_end(&at_stage[j]);
  free(block);
  free(bytes);
  free(places);
  free(column);
  return e->failed || status == RATTLE_NO_MEMORY ? rattle__no_memory(error) : status;
}
