/* Problems from models: H is taken apart into T(p) and V(q) if it can be, the kind is found,
 * functions are built.
 *
 * Graph variable 2k is q_k and 2k+1 is p_k; column k of z is q_k, column n+k is p_k. */
#include "problem/functions/problem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ground/support/error.h"
#include "ground/support/sized.h"
#include "problem/model/massless.h"
#include "problem/model/model.h"
#include "problem/functions/forced.h"
#include "problem/functions/native.h"
#include "problem/functions/pairwise.h"
#include "problem/functions/split.h"
#include "problem/functions/sweeps.h"
#include "problem/functions/velocity.h"
#include "ground/expr/inputs.h"
#include "ground/expr/native.h"
#include "ground/expr/shared.h"

enum { DEPENDS_Q = 1, DEPENDS_P = 2 };

/* Everything that making a problem needs for a while. */
typedef struct problem_maker {
  rattle_problem *problem;
  const rattle_model *model;
  rattle_graph *graph;
  int n, m;
  unsigned char *mask;              /* which kind each graph variable is [2n] */
  int *place_z, *place_q, *place_p; /* columns in z, q, p [places] */
  int places;                       /* 2n and those of s_i, h and cited multipliers */
  int terms;                        /* of H */
  rattle_error *error;
} problem_maker;

static rattle_status make_tables(problem_maker *k) {
  const int more = k->m + 1 > k->model->multipliers ? k->m + 1 : k->model->multipliers;
  size_t places = 2 * (size_t)k->n + (size_t)more;
  k->places = (int)places;
  k->mask = malloc(places);
  k->place_z = malloc(3 * places * sizeof(int));
  if (!k->mask || !k->place_z) return rattle__no_memory(k->error);
  k->place_q = k->place_z + places;
  k->place_p = k->place_q + places;
  for (size_t v = 0; v < places; v++) {
    int pair = (int)(v / 2), momentum = (int)(v % 2);
    int extra = v >= 2 * (size_t)k->n; /* s_i of a fibre, h of a flow, multipliers */
    k->mask[v] = momentum ? DEPENDS_P : DEPENDS_Q;
    k->place_z[v] = extra ? (int)v : momentum ? k->n + pair : pair;
    k->place_q[v] = extra || momentum ? -1 : pair;
    k->place_p[v] = extra || !momentum ? -1 : pair;
  }
  return RATTLE_OK;
}

typedef enum role { HAMILTONIAN, HOLONOMIC, CONSTRAINTS, EVENTS, VALUES } role;

/* A function of q, or of z = (q, p) and `more` variables. The pattern of g(q) contains that of G
 * M^-1 (mass.h). */
static rattle_status build(problem_maker *k, rattle__function **f, const rattle_expr *root,
                           int rows, role as, int more) {
  const rattle__mass *spread = as == HOLONOMIC ? k->problem->mass : NULL;
  rattle__build b = {.place = as == HOLONOMIC ? k->place_q : k->place_z,
                     .places = k->places,
                     .vars = as == HOLONOMIC ? k->n : 2 * k->n + more,
                     .dense = as == HAMILTONIAN,
                     .hessian = as < EVENTS,
                     .constraints = as >= HOLONOMIC && as <= EVENTS,
                     .spread_ptr = spread ? spread->ptr : NULL,
                     .spread_col = spread ? spread->col : NULL};
  return rattle__function_from_graph(f, k->graph, root, rows, &b, k->error);
}

/* V(q) or T(p), from terms of H. */
static rattle_status build_part(problem_maker *k, rattle__function **f, double *coefficient,
                                rattle_expr *term, int count, const int *place) {
  const rattle__build b = {
      .place = place, .places = k->places, .vars = k->n, .dense = 1, .hessian = 1};
  return rattle__function_from_terms(f, k->graph, coefficient, term, count, &b, k->error);
}

/* DEPENDS_Q, DEPENDS_P or both. */
static unsigned depends_on(const problem_maker *k, rattle_expr e, unsigned char *seen,
                           rattle_status *status) {
  const unsigned answer = rattle__depends(k->graph, e, k->mask, 2 * k->n, seen);
  if (answer == RATTLE__NOT_KNOWN) *status = rattle__no_memory(k->error);
  return answer & (DEPENDS_Q | DEPENDS_P);
}

/* H as a sum: the first `potential` terms are V(q), the others T(p). */
typedef struct sum {
  double *coefficient;
  rattle_expr *term;
  int count, potential;
} sum;

/* The terms that depend on q or on nothing before those that depend on p; *separable = 0 if one
 * depends on both. */
static rattle_status take_apart(problem_maker *k, sum *H, int *separable) {
  unsigned char *seen = calloc((size_t)rattle_graph_count(k->graph) + 1, 1);
  double *kinetic = malloc((size_t)(H->count + 1) * sizeof *kinetic);
  rattle_expr *kinetic_term = malloc((size_t)(H->count + 1) * sizeof *kinetic_term);
  rattle_status status = seen && kinetic && kinetic_term ? RATTLE_OK : rattle__no_memory(k->error);
  int used = 0;
  *separable = 1;
  H->potential = 0;
  for (int i = 0; i < H->count && *separable && !status; i++) {
    const unsigned depends = depends_on(k, H->term[i], seen, &status);
    *separable = depends != (DEPENDS_Q | DEPENDS_P);
    if (depends == DEPENDS_P) {
      kinetic[used] = H->coefficient[i];
      kinetic_term[used++] = H->term[i];
    } else {
      H->coefficient[H->potential] = H->coefficient[i];
      H->term[H->potential++] = H->term[i];
    }
  }
  if (*separable && !status && used) {
    memcpy(H->coefficient + H->potential, kinetic, (size_t)used * sizeof *kinetic);
    memcpy(H->term + H->potential, kinetic_term, (size_t)used * sizeof *kinetic_term);
  }
  free(seen);
  free(kinetic);
  free(kinetic_term);
  return status;
}

static rattle_status make_separable(problem_maker *k, sum *H) {
  rattle_problem *p = k->problem;
  p->flags |= RATTLE_SEPARABLE;
  rattle_status status = build_part(k, &p->T, H->coefficient + H->potential, H->term + H->potential,
                                    H->count - H->potential, k->place_p);
  if (!status) status = rattle__mass_of(&p->mass, p->T, p->clock, k->m > 0, k->error);
  if (!status && p->mass && !p->clock) {
    p->flags |= RATTLE_NATURAL;
    if (p->settable) p->kinetic = p->T, p->T = NULL;
    rattle__function_destroy(&p->T); /* evaluated once, for the masses */
  }
  if (status) return status;
  if (!k->model->forces)
    return build_part(k, &p->V, H->coefficient, H->term, H->potential, k->place_q);
  status = build_part(k, &p->bonded, H->coefficient, H->term, H->potential, k->place_q);
  return status ? status : rattle__function_pairwise(&p->V, p->bonded, k->model, k->error);
}

/* Forces between pairs of beads have no expression, so that they cannot be in derivatives of H by q
 * and p. */
static rattle_status refuse_pairwise(const problem_maker *k) {
  return rattle__fail(k->error, RATTLE_BAD_MODEL, "pair_potential",
                      "pair_potential needs H = T(p) + V(q) and constraints on coordinates only: "
                      "write masses and potential(...)");
}

/* M^-1, where H = p^T M^-1 p/2 + V(q), or that + p_t, with a diagonal M. */
static rattle_status find_inertia(problem_maker *k, sum *H) {
  rattle__function *T = NULL;
  rattle__mass **inertia = &k->problem->inertia;
  rattle_status status = build_part(k, &T, H->coefficient + H->potential, H->term + H->potential,
                                    H->count - H->potential, k->place_p);
  if (!status) status = rattle__mass_of(inertia, T, k->problem->clock, k->m > 0, k->error);
  if (*inertia && (*inertia)->value) rattle__mass_destroy(inertia);
  rattle__function_destroy(&T);
  return status;
}

/* H whole: by sweeps where they are known. */
static rattle_status build_whole(problem_maker *k, rattle__function **f) {
  const rattle__model_sweeps *tree = k->model->sweeps;
  const rattle_expr H = k->model->hamiltonian;
  if (!tree || tree->whole != H) return build(k, f, &H, 1, HAMILTONIAN, 0);
  rattle__function *rest = NULL;
  const rattle_status status =
      tree->rest ? build(k, &rest, &tree->rest, 1, HAMILTONIAN, 0) : RATTLE_OK;
  k->problem->swept = 1;
  return status ? status : rattle__function_swept(f, k->model, rest, k->error);
}

/* H whole, and the forces; then the function that stands for both. */
static rattle_status make_forced(problem_maker *k) {
  rattle_problem *p = k->problem;
  const rattle_model *model = k->model;
  const size_t count = (size_t)model->applieds;
  if (model->forces)
    return rattle__fail(k->error, RATTLE_BAD_MODEL, "pair_potential",
                        "pair_potential and force{...} cannot be in one model: omit one of them");
  rattle_expr *root = malloc(count * sizeof *root);
  p->pushed = malloc(count * sizeof *p->pushed);
  rattle_status status = root && p->pushed ? RATTLE_OK : rattle__no_memory(k->error);
  for (size_t i = 0; i < count && !status; i++) {
    root[i] = model->applied[i].expr;
    p->pushed[i] = model->applied[i].pair;
  }
  p->flags |= RATTLE_FORCED;
  if (!status) status = build_whole(k, &p->energy);
  if (!status) status = build(k, &p->force, root, (int)count, VALUES, 0);
  if (!status) status = rattle__function_forced(&p->H, p, 0, k->error);
  free(root);
  return status;
}

static rattle_status make_hamiltonian(problem_maker *k) {
  rattle_problem *p = k->problem;
  sum H = {0};
  int separable = 0;
  rattle_status status =
      rattle__terms(k->graph, k->model->hamiltonian, &H.coefficient, &H.term, &H.count, k->error);
  k->terms = H.count;
  if (!status) status = take_apart(k, &H, &separable);
  const int forced = k->model->applieds > 0;
  if (!status && separable) status = forced ? find_inertia(k, &H) : make_separable(k, &H);
  free(H.coefficient);
  free(H.term);
  if (status || forced) return status ? status : make_forced(k);
  if (!status && separable)
    status = rattle__function_separable(&p->H, k->n, p->V, p->T, p->mass, k->error);
  if (!status && !separable && k->model->forces) return refuse_pairwise(k);
  if (!status && !separable) status = build_whole(k, &p->H);
  if (!status && p->H->quadratic) p->flags |= RATTLE_QUADRATIC_H;
  return status;
}

/* True if multipliers displace a coordinate on which a force acts, which would do work there that
 * no stage of a map knows. */
static int displaces_forces(const problem_maker *k, rattle_status *status) {
  const rattle_model *model = k->model;
  unsigned char *mark = calloc(2 * (size_t)k->n, 1);
  int displaced = 0;
  if (!mark) *status = rattle__no_memory(k->error);
  for (int i = 0; i < k->m && !*status; i++)
    *status = rattle__mark_variables(model, model->constraint[i].expr, mark, k->error);
  for (int i = 0; i < model->applieds && mark; i++)
    displaced |= mark[2 * model->applied[i].pair + 1];
  free(mark);
  return displaced && !*status;
}

static rattle_status make_constraints(problem_maker *k) {
  rattle_problem *p = k->problem;
  if (!k->m) {
    p->flags |= RATTLE_HOLONOMIC;
    return RATTLE_OK;
  }
  rattle_expr *root = malloc((size_t)k->m * sizeof *root);
  unsigned char *seen = calloc((size_t)rattle_graph_count(k->graph) + 1, 1);
  rattle_status status = RATTLE_OK;
  if (!root || !seen) {
    status = rattle__no_memory(k->error);
  } else {
    unsigned depends = 0;
    for (int i = 0; i < k->m; i++) {
      root[i] = k->model->constraint[i].expr;
      depends |= depends_on(k, root[i], seen, &status);
    }
    int holonomic = !(depends & DEPENDS_P);
    if (holonomic) p->flags |= RATTLE_HOLONOMIC;
    if (depends == DEPENDS_P) p->flags |= RATTLE_MOMENTUM_G;
    if (!status && !holonomic && k->model->forces) status = refuse_pairwise(k);
    if (!status && !holonomic && p->force && displaces_forces(k, &status))
      status =
          rattle__refuse_forces(p, "a constraint on the momentum of a coordinate with a force",
                                "write constraints on coordinates, or omit force{...}", k->error);
    if (!status) status = build(k, &p->g, root, k->m, holonomic ? HOLONOMIC : CONSTRAINTS, 0);
    if (!status && !holonomic) p->g->pairs = k->n;
    if (!status && p->g->quadratic) p->flags |= RATTLE_QUADRATIC_G;
  }
  free(root);
  free(seen);
  return status;
}

/* H's terms one by one, for their sizes, unless what they share would be written too often. */
static rattle_status make_terms(problem_maker *k) {
  enum { MOST = 4096, MOST_NODES = 1 << 21 };
  if (k->terms > MOST + 1 || k->model->forces) return RATTLE_OK; /* one may be constant */
  double *c = NULL;
  rattle_expr *term = NULL;
  int count = 0, used = 0;
  rattle_status status =
      rattle__terms(k->graph, k->model->hamiltonian, &c, &term, &count, k->error);
  unsigned char *seen = calloc((size_t)rattle_graph_count(k->graph) + 1, 1);
  if (!status && !seen) status = rattle__no_memory(k->error);
  for (int i = 0; i < count && !status; i++)
    if (depends_on(k, term[i], seen, &status)) c[used] = c[i], term[used++] = term[i];
  for (int i = 0; i < used && used <= MOST && !status; i++) {
    term[i] = rattle__sum(k->graph, &c[i], &term[i], 1);
    if (!term[i]) status = rattle__no_memory(k->error);
  }
  if (!status && used > 0 && used <= MOST && rattle__walks_within(k->graph, term, used, MOST_NODES))
    status = build(k, &k->problem->terms, term, used, VALUES, 0);
  free(seen);
  free(c);
  free(term);
  return status;
}

/* Expressions in z and in multipliers, as of observables and events. */
static rattle_status build_seen(problem_maker *k, rattle__function **f, rattle_expr *root, int rows,
                                role as) {
  const rattle_status status =
      rattle__model_place_multipliers((rattle_model *)k->model, root, rows, 2 * k->n, k->error);
  const int more = k->model->multipliers;
  if (status || as != VALUES) return status ? status : build(k, f, root, rows, as, more);
  const rattle__build b = {.place = k->place_z, .places = k->places, .vars = 2 * k->n + more};
  return rattle__function_of_values(f, k->graph, root, rows, 2 * k->n, &b, k->error);
}

/* The values of named expressions. */
static rattle_status build_named(problem_maker *k, rattle__function **f, const rattle__named *named,
                                 int count, int seen) {
  rattle_expr *root = count ? malloc((size_t)count * sizeof *root) : NULL;
  if (!root) return count ? rattle__no_memory(k->error) : RATTLE_OK;
  for (int i = 0; i < count; i++) root[i] = named[i].expr;
  const rattle_status status =
      seen ? build_seen(k, f, root, count, VALUES) : build(k, f, root, count, VALUES, 0);
  free(root);
  return status;
}

static rattle_status make_events(problem_maker *k) {
  const rattle_model *model = k->model;
  rattle_expr *root = malloc((size_t)model->events * sizeof *root);
  if (!root) return rattle__no_memory(k->error);
  for (int i = 0; i < model->events; i++) root[i] = model->event[i].is.expr;
  const rattle_status status = build_seen(k, &k->problem->events, root, model->events, EVENTS);
  free(root);
  return status;
}

static rattle_status make_angles(problem_maker *k) {
  rattle__stack angle = {0}, yx = {0};
  rattle_status status = rattle__model_jumps(k->model, &angle, &yx, k->error);
  if (!status && angle.count)
    status = build(k, &k->problem->angles, yx.item, (int)yx.count, VALUES, 0);
  k->problem->angle = angle.item;
  free(yx.item);
  return status;
}

/* The parts that multipliers of eliminated constraints are made of. */
static rattle_status make_shares(problem_maker *k) {
  const rattle_model *model = k->model;
  const int width = 1 + model->m + model->omissions;
  rattle_expr *root = malloc((size_t)(model->reactions * width) * sizeof *root), *at = root;
  if (!root) return rattle__no_memory(k->error);
  for (int r = 0; r < model->reactions; r++) {
    const rattle_expr *share = model->reaction[r].share;
    *at++ = share[0];
    for (int j = 0; j < model->m; j++) *at++ = share[1 + model->constraint[j].column];
    for (int j = 0; j < model->omissions; j++) *at++ = share[1 + model->omitted[j].column];
  }
  const rattle_status status =
      build(k, &k->problem->shares, root, model->reactions * width, VALUES, 0);
  free(root);
  return status;
}

static rattle_status make_others(problem_maker *k) {
  rattle_problem *p = k->problem;
  const rattle_model *model = k->model;
  rattle_status status = rattle__problem_cite(p, k->error);
  if (status || (status = make_terms(k))) return status;
  if (model->cotangent && !(p->flags & RATTLE_HOLONOMIC))
    return rattle__fail(k->error, RATTLE_UNSUITABLE, "cotangent",
                        "cotangent needs constraints that depend on coordinates only, and these "
                        "depend on momenta: omit cotangent");
  status = build_named(k, &p->observed, model->observable, model->observables, 1);
  if (!status && model->events) status = make_events(k);
  if (!status && model->held) status = build_named(k, &p->next, model->next, model->held, 1);
  if (!status) status = build_named(k, &p->conditions, model->condition, model->conditions, 1);
  if (!status) status = make_angles(k);
  if (!status && model->reactions) status = make_shares(k);
  if (!status) status = build_named(k, &p->omitted, model->omitted, model->omissions, 0);
  if (!status && model->fibre) status = build(k, &p->fibre, model->fibre, 2 * k->n, VALUES, k->m);
  if (!status && model->flow) status = build(k, &p->flow, model->flow, 2 * k->n, VALUES, 1);
  return status;
}

/* Rows of constraints on velocities, those that are listed. */
static rattle_status build_rows(problem_maker *k, rattle__function **f, const rattle_expr *row,
                                const int *which, int count) {
  rattle_expr *root = malloc((size_t)count * sizeof *root);
  if (!root) return rattle__no_memory(k->error);
  for (int i = 0; i < count; i++) root[i] = row[which[i]];
  const rattle_status status = build(k, f, root, count, VALUES, 0);
  free(root);
  return status;
}

/* Constraints on velocities, without those that follow from others. */
static rattle_status make_rows(problem_maker *k, const rattle_expr *row, unsigned char *implied) {
  rattle_problem *p = k->problem;
  const int count = k->model->velocity_rows;
  int kept = 0;
  for (int i = 0; i < count; i++) p->velocity_row[i] = i;
  rattle_status status = build_rows(k, &p->velocity, row, p->velocity_row, count);
  if (!status) status = rattle__velocity_implied(p, implied, k->error);
  for (int which = 0, at = 0; which < 2; which++)
    for (int i = 0; i < count; i++)
      if (!status && implied[i] == which) p->velocity_row[at++] = i, kept += !which;
  if (status || kept == count) return status;
  rattle__function_destroy(&p->velocity);
  status = build_rows(k, &p->implied, row, p->velocity_row + kept, count - kept);
  return status || !kept ? status : build_rows(k, &p->velocity, row, p->velocity_row, kept);
}

static rattle_status make_velocity(problem_maker *k) {
  const size_t count = (size_t)k->model->velocity_rows;
  if (!count) return RATTLE_OK;
  rattle_expr *row = malloc(count * sizeof *row);
  unsigned char *implied = malloc(count);
  int *which = k->problem->velocity_row = malloc(count * sizeof *which);
  rattle_status status = row && implied && which ? rattle__velocity_rows(k->problem, row, k->error)
                                                 : rattle__no_memory(k->error);
  if (!status) status = make_rows(k, row, implied);
  free(row);
  free(implied);
  return status;
}

/* Second-class constraints take a dimension each, others two. */
static rattle_status make_class(problem_maker *k) {
  rattle_problem *p = k->problem;
  rattle__class class = RATTLE__CLASS_UNKNOWN;
  rattle_status status =
      k->m < 2 * k->n ? rattle__second_class_split(p, &class, &p->split, k->error) : RATTLE_OK;
  if (!status && p->split) p->flags |= RATTLE_SECOND_CLASS;
  if (!status && !p->split && k->m > k->n)
    status = rattle__too_many_constraints(k->m, k->n, k->model->file, k->error);
  return status;
}

rattle_status rattle_problem_create(rattle_problem **problem, rattle_model *model,
                                    const rattle_problem_options *options, rattle_error *error) {
  rattle_problem_options own;
  *problem = NULL;
  rattle_status status = RATTLE__TAKE(&own, rattle_problem_options, steps, options, error);
  if (status) return status;
  if (!model->n)
    return rattle__fail(error, RATTLE_BAD_MODEL, model->file,
                        "the model has no variables: add pair(\"x\")");
  if (!rattle__model_has_hamiltonian(model))
    return rattle__fail(error, RATTLE_BAD_MODEL, model->file,
                        "the model has no Hamiltonian: add hamiltonian(expression)");
  if ((status = rattle__model_check(model, error))) return status;
  rattle_problem *p = rattle__problem_allocate();
  if (!p) return rattle__no_memory(error);
  p->n = model->n, p->m = model->m;
  p->clock = model->clock;
  p->model = rattle_model_retain(model);
  p->graph = model->graph;
  problem_maker k = {
      .problem = p, .model = model, .graph = model->graph, .n = p->n, .m = p->m, .error = error};
  p->how = own;
  p->evaluator = rattle__choose_evaluator(&own, model);
  if (rattle__graph_inputs(model->graph))
    p->settable = model, p->evaluator = RATTLE__BLOCK; /* machine code has numbers in it */
  status = rattle__inputs_watch(model->graph) ? make_tables(&k) : rattle__no_memory(error);
  if (!status) status = make_hamiltonian(&k);
  if (!status) status = make_constraints(&k);
  if (!status) status = make_velocity(&k);
  if (!status) status = rattle__problem_native(p, error);
  if (!status) status = make_class(&k);
  if (!status) status = make_others(&k);
  if (!status && p->settable) status = rattle__problem_may_be_set(p, error);
  p->nailed = status ? -1 : rattle__model_find_nailed(model);
  p->partial = !status && rattle__is_partial(model->graph, model->hamiltonian);
  rattle__model_pack(model);
  free(k.mask);
  free(k.place_z);
  if (status)
    rattle_problem_destroy(&p);
  else
    *problem = p;
  return status;
}
