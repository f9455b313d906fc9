/* The map of a whole step with 113 bits: what the method consists of, its memory, and the way from
 * and to z + carry. */
#include "maps/quad/quad.h"

#include "ground/support/error.h"

#ifndef RATTLE_QUAD
rattle_status rattle__quad_create(rattle__map **map, rattle__context *context,
                                  const rattle__node *root, rattle_error *error) {
  (void)map;
  (void)context;
  return rattle__fail(
      error, RATTLE_UNSUITABLE, root->row->name,
      "this build has no 113-bit numbers (libquadmath): omit `quad`, or build with gcc");
}
#else
#include <math.h>
#include <string.h>

#include "maps/wrap/along_fibres.h"

/* Dense systems of stages grow with the square of this. */
enum { MOST_UNKNOWNS = 400, MOST_CONSTRAINTS = 100 };

static const rattle__node *inside(const rattle__node *node) {
  return rattle__method_inside(node);
}

static rattle_status refuse(const rattle__node *node, const char *why, rattle_error *error) {
  const char *name = node->row->name;
  return rattle__fail(error, RATTLE_UNSUITABLE, name,
                      "%s is not supported with 113 bits%s: `quad` supports rattle, shake and "
                      "compositions of maps of X_H whose "
                      "coefficients are exact or those of gauss(s)",
                      name, why);
}

/* --- what the method consists of -------------------------------------------------------------- */

static int fractions_of(const rattle__node *node) {
  return rattle__composition_stages(node);
}

/* gamma [fractions_of(node)] */
static void fill_fractions(const rattle__node *node, real *gamma) {
  int stages = fractions_of(node), count = 0;
  const char *text = rattle__composition_of(node->row)->digits;
  if (!text) { /* the triple jump: each level takes the one below three times */
    gamma[count++] = 1;
    for (int r = rattle__method_claims(inside(node)).order; count < stages; r += 2) {
      const real z1 = 1 / (2 - powq(2, 1 / (real)(r + 1)));
      for (int i = 0; i < count; i++) {
        gamma[i + count] = (1 - 2 * z1) * gamma[i];
        gamma[i + 2 * count] = gamma[i] *= z1;
      }
      count *= 3;
    }
    return;
  }
  real middle = 1;
  for (char *at; *text; text = *at ? at + 1 : at) {
    gamma[count] = gamma[stages - 1 - count] = strtoflt128(text, &at);
    middle -= 2 * gamma[count++];
    at += strcspn(at, ",");
  }
  gamma[count] = middle;
}

/* The fractions of all compositions from *node down, which ends at the first map that is none. */
static real *compositions(rattle__arena *arena, const rattle__node **node, int *count) {
  int all = 1, most = 1;
  for (const rattle__node *at = *node; at->kind == RATTLE__COMPOSITION; at = inside(at)) {
    all *= fractions_of(at);
    if (fractions_of(at) > most) most = fractions_of(at);
  }
  real *list = rattle__arena_take(arena, (size_t)all * sizeof *list),
       *own = rattle__arena_take(arena, (size_t)most * sizeof *own);
  if (!list || !own) return NULL;
  *count = 1;
  list[0] = 1;
  for (; (*node)->kind == RATTLE__COMPOSITION; *node = inside(*node)) {
    const int s = fractions_of(*node);
    fill_fractions(*node, own);
    for (int i = *count - 1; i >= 0;
         i--) /* each fraction becomes s of them, in place from the end */
      for (int j = s - 1; j >= 0; j--) list[i * s + j] = list[i] * own[j];
    *count *= s;
  }
  return list;
}

/* Coefficients that double holds to the last digit: multiples of 1/1024. */
static int is_exact(double c) {
  return c * 1024 == floor(c * 1024) && fabs(c) < 1024;
}

/* 1 if all of the coefficients are exact. */
static int fill_tableau(rattle__quad *k, const rattle__tableau *t) {
  int exact = !t->other_bhat;
  k->stages = t->stages;
  for (int i = 0; i < t->stages; i++) {
    k->b[i] = t->b[i];
    exact &= is_exact(t->b[i]);
    for (int j = 0; j < t->stages; j++) {
      k->a[i][j] = t->a[i][j];
      k->ahat[i][j] = t->ahat[i][j];
      exact &= is_exact(t->a[i][j]) && is_exact(t->ahat[i][j]);
    }
  }
  return exact;
}

static rattle_status plan_base(rattle__quad *k, const rattle__node *node, rattle_error *error) {
  const rattle__base *base = node->kind == RATTLE__BASE ? rattle__base_of(node->row) : NULL;
  rattle__tableau t;
  if (!base || rattle__method_field(node) || rattle__option_effect(node, RATTLE_DIVIDES) > 0 ||
      rattle__remembers(node))
    return refuse(node, "", error);
  k->separable = base->scheme && k->problem->flags & RATTLE_SEPARABLE;
  if (k->separable) {
    base->scheme(node, &k->scheme);
    const double c[] = {k->scheme.k1, k->scheme.d1, k->scheme.k2, k->scheme.d2};
    for (int i = 0; i < 4; i++)
      if (!is_exact(c[i])) return refuse(node, "", error);
    return RATTLE_OK;
  }
  if (!base->tableau) return refuse(node, "", error);
  base->tableau(node, &t);
  if (2 * k->n * t.stages > MOST_UNKNOWNS)
    return refuse(node, " with more than 400 unknowns in its stages", error);
  if (fill_tableau(k, &t)) return RATTLE_OK;
  if (base != &rattle__gauss) return refuse(node, "", error);
  rattle__quad_gauss(t.stages, k->b, k->a);
  memcpy(k->ahat, k->a, sizeof k->ahat);
  return RATTLE_OK;
}

static rattle_status plan_method(rattle__quad *k, const rattle__node *root, rattle_error *error) {
  rattle__arena *arena = &k->map.context->arena;
  const rattle__node *at = root;
  k->outer = compositions(arena, &at, &k->outers);
  k->inner = rattle__arena_take(arena, sizeof *k->inner);
  if (!k->outer || !k->inner) return rattle__no_memory(error);
  *k->inner = 1;
  k->inners = 1;
  if (at->kind == RATTLE__WRAPPER) {
    const rattle__wrapper *own = rattle__wrapper_of(at->row);
    const rattle__solving solving = rattle__method_solving(at);
    if (own != &rattle__wrapper_rattle && own != &rattle__wrapper_shake)
      return refuse(at, "", error);
    if (solving.tol > 0) return refuse(at, " with a tolerance", error);
    if (!rattle__is_automatic(&solving))
      return refuse(at, " with a solver (multipliers are computed by dense Newton iterations)",
                    error);
    k->slides = k->m > 0;
    k->projects = k->slides && own == &rattle__wrapper_rattle && !rattle__projects_output(at);
    at = inside(at);
    k->inner = compositions(arena, &at, &k->inners);
    if (!k->inner) return rattle__no_memory(error);
  }
  return plan_base(k, at, error);
}

/* --- the step --------------------------------------------------------------------------------- */

static void take(const rattle__quad *k, const double *z0) {
  const double *carry = k->map.context->carry;
  for (int c = 0; c < 2 * k->n; c++) k->z[c] = (real)z0[c] + (carry ? carry[c] : 0);
}

/* Rounds to z1 + carry. */
static void give(const rattle__quad *k, double *z1) {
  double *carry = k->map.context->carry;
  for (int c = 0; c < 2 * k->n; c++) {
    z1[c] = (double)k->z[c];
    if (carry) carry[c] = (double)(k->z[c] - z1[c]);
  }
}

static rattle_status lost(const rattle__quad *k, const double *z0, rattle_error *error) {
  const rattle_status asked = rattle__heed(k->map.context, error);
  if (asked) return asked;
  if (rattle__domain_error(k->problem, z0, error) == RATTLE_DOMAIN) return RATTLE_DOMAIN;
  return rattle__fail(
      error, RATTLE_NOT_CONVERGED, "quad",
      k->doubtful
          ? "the multipliers computed with 113 bits may belong to another sheet of the constraint "
            "manifold: use a smaller step, or omit `quad`, so that they are followed from h = 0"
          : "the implicit equations of the step did not converge with 113 bits: use a smaller "
            "step");
}

/* The largest residuals of the step, as its last equation left them. */
static void note(const rattle__quad *k) {
  rattle_residuals *seen = &k->map.context->residuals;
  if (!k->slides) return;
  k->map.context->counts.position_projections += k->outers;
  if (k->projects) k->map.context->counts.momentum_projections += k->outers;
  for (int i = 0; i < k->m; i++) {
    seen->g = fmax(seen->g, fabs((double)k->g[i]));
    if (k->projects) seen->psi = fmax(seen->psi, fabs((double)k->residual[i]));
  }
}

/* A start that a double has rounded off the constraints is moved onto them, one that is off them is
 * left there. */
static void set_out(rattle__quad *k) {
  const size_t bytes = 2 * (size_t)k->n * sizeof *k->z;
  real moved = 0, size = 0;
  *k->begun = 1;
  if (!k->slides) return;
  memcpy(k->x, k->z, bytes);
  const int failed = rattle__quad_start(k, k->z);
  for (int c = 0; c < 2 * k->n; c++) {
    const real d = fabsq(k->z[c] - k->x[c]);
    if (!(d <= moved)) moved = d;
    if (fabsq(k->x[c]) > size) size = fabsq(k->x[c]);
  }
  if (failed || !(moved <= (real)1e-10 * size)) memcpy(k->z, k->x, bytes);
}

static rattle_status apply(rattle__map *map, double h, const double *z0, double *z1,
                           rattle_error *error) {
  rattle__quad *k = map->self;
  take(k, z0);
  if (*k->begun == 0) set_out(k);
  k->doubtful = 0;
  for (int i = 0; i < k->outers; i++)
    if (rattle__quad_step(k, k->outer[i] * h, k->z)) return lost(k, z0, error);
  note(k);
  give(k, z1);
  return RATTLE_OK;
}

/* A function of z alone: there is no carry here. */
static rattle_status output(rattle__map *map, double h, double *z, rattle_error *error) {
  rattle__quad *k = map->self;
  (void)h;
  take(k, z);
  k->factored = k->doubtful = 0;
  if (rattle__quad_project(k, k->z)) return lost(k, z, error);
  map->context->counts.momentum_projections++;
  give(k, z);
  return RATTLE_OK;
}

/* --- making ----------------------------------------------------------------------------------- */

static rattle_status make_room(rattle__quad *k, size_t registers, rattle_error *error) {
  rattle__arena *arena = &k->map.context->arena;
  const size_t nz = 2 * (size_t)k->n, m = (size_t)k->m, s = (size_t)k->stages,
               big = s * nz * s * nz;
  const size_t nnz = k->m ? (size_t)k->problem->g->jac_nnz : 0,
               most = (s > RATTLE__QUAD_FIBRE ? s : RATTLE__QUAD_FIBRE) * nz;
  const struct {
    real **vector;
    size_t count;
  } arrays[] = {{&k->z, nz},
                {&k->next, nz},
                {&k->gradient, nz},
                {&k->field, nz},
                {&k->g, m},
                {&k->J, m * nz},
                {&k->compressed, nnz},
                {&k->room, registers},
                {&k->x, nz},
                {&k->X, s * nz},
                {&k->Y, s * nz},
                {&k->F, k->separable ? 0 : nz * nz},
                {&k->matrix, big},
                {&k->lambda, m},
                {&k->tried, m},
                {&k->s, m},
                {&k->residual, m},
                {&k->moved, m},
                {&k->unit, m},
                {&k->M, m * m},
                {&k->base, nz},
                {&k->stage, most},
                {&k->slope, most},
                {&k->part, k->problem->force ? 3 * nz : 0}};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
    *arrays[i].vector = rattle__arena_take(arena, arrays[i].count * sizeof(real));
  k->pivot = rattle__arena_take(arena, (s * nz + m + 1) * sizeof *k->pivot);
  return arena->failed ? rattle__no_memory(error) : RATTLE_OK;
}

rattle_status rattle__quad_create(rattle__map **map, rattle__context *context,
                                  const rattle__node *root, rattle_error *error) {
  const rattle_problem *problem = context->problem;
  rattle__quad *k = rattle__arena_take(&context->arena, sizeof *k);
  size_t registers = 1;
  if (!k) return rattle__no_memory(error);
  *k = (rattle__quad){.problem = problem, .n = problem->n, .m = problem->m};
  k->map = (rattle__map){.context = context, .apply = apply, .compensates = 1, .self = k};
  *map = &k->map;
  if (problem->split) return refuse(root, " with second-class constraints", error);
  if (problem->m > MOST_CONSTRAINTS) return refuse(root, " with more than 100 constraints", error);
  if (!rattle__quad_is_expressions(problem, &registers))
    return rattle__fail(
        error, RATTLE_UNSUITABLE, "quad",
        "quad needs H and g as expressions, and this problem consists of callbacks: write a model");
  rattle_status status = plan_method(k, root, error);
  if (status) return status;
  k->map.symmetric = rattle__method_claims(root).symmetric;
  const rattle__node *wrapper = root;
  while (wrapper->kind == RATTLE__COMPOSITION) wrapper = inside(wrapper);
  if (k->slides && rattle__projects_output(wrapper)) k->map.output = output;
  if (k->m) {
    rattle_status made = rattle__fibre_is_straight(problem, &k->straight, error);
    if (made) return made;
    rattle__quad_gauss(RATTLE__QUAD_FIBRE, k->fibre_b, k->fibre_a);
  }
  k->begun = rattle__context_memory(context, 1);
  context->solver = k->slides ? "dense" : "none";
  return make_room(k, registers, error);
}
#endif
