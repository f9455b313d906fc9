/* See stages_parts.h. */
#include "maps/emitted/stages_parts.h"

#include <float.h>
#include <stdlib.h>

#include "constraint/equation/iterate.h"
#include "ground/expr/derivative.h"
#include "ground/support/error.h"
#include "maps/emitted/eliminated.h"
#include "maps/emitted/stages_maker.h"
#include "maps/emitted/stages_numbers.h"

typedef rattle__stages_maker maker;

static rattle_expr at_end(maker *k, rattle_expr e) {
  return rattle__sides_of(&k->at_end, k->e, e);
}

static rattle_expr at_slid(maker *k, rattle_expr e) {
  return rattle__sides_of(&k->at_slid, k->e, e);
}

/* ---- the iteration ---- */

static void make_plus(maker *k) {
  const int nz = 2 * k->n;
  const rattle_expr *lambda = k->u + k->unknowns - k->m;
  rattle__stages_flow(k, k->z0, lambda, k->plus);
  for (int c = 0; c < nz; c++)
    if (k->plus[c] != k->z0[c]) k->plus[c] = rattle__emitted_let(k->e, PART_LOOK, k->plus[c]);
}

static void show_misfit(maker *k, int at, rattle_expr f, rattle_expr unit) {
  rattle__emitted_show(k->e, PART_LOOK, RATTLE__AT_MISFIT(k->unknowns, k->m) + at,
                       rattle__times(k->graph, rattle__absolute(k->graph, f), unit));
}

static void make_stages(maker *k) {
  const int n = k->n, nz = 2 * n, stages = k->t->stages;
  rattle_expr unit[2];
  rattle__stages_units(k, unit);
  make_plus(k);
  for (int t = 0; t < k->ordered * stages; t++) {
    const int j = t % stages, c = k->order[t / stages];
    const rattle_expr stage = rattle__stages_followed(k, j, c), name = k->Z[j * nz + c];
    rattle__emitted_let_name(k->e, PART_LOOK, name, stage);
    rattle__sides_set(&k->inside, k->e, name, rattle__sides_of(&k->inside, k->e, stage));
  }
  int at = 0;
  for (int c = 0; c < nz; c++)
    for (int j = 0; j < stages; j++) {
      const rattle_expr name = k->Z[j * nz + c];
      if (k->unknown[c]) {
        k->f[at] = rattle__minus(k->graph, rattle__stages_followed(k, j, c), name);
        show_misfit(k, at, k->f[at], unit[c >= n]);
        at++;
      }
      if (c >= n || !k->swift[c]) continue;
      k->f[at] = rattle__minus(k->graph, rattle__stages_combine(k, j, n + c), k->Z[j * nz + n + c]);
      show_misfit(k, at, k->f[at], unit[1]);
      at++;
    }
}

static void make_look(maker *k) {
  const int nz = 2 * k->n, first = k->unknowns - k->m;
  make_stages(k);
  for (int c = 0; c < nz; c++)
    rattle__emitted_let_name(k->e, PART_LOOK, k->z1[c], rattle__stages_combine(k, k->t->stages, c));
  for (int i = 0; i < k->m; i++) {
    const rattle_expr g = at_end(k, k->g[i]),
                      by = rattle__times(k->graph, k->sign[i], k->inverse_h);
    rattle__emitted_show(k->e, PART_LOOK, RATTLE__AT_HELD(k->unknowns, k->m) + i,
                         rattle__absolute(k->graph, g));
    show_misfit(k, first + i, g, rattle__stages_unit_of_g(k, i));
    k->f[first + i] = rattle__times(k->graph, g, by);
  }
  for (int i = 0; i < k->unknowns; i++)
    rattle__emitted_show(k->e, PART_LOOK, RATTLE__AT_STAGE_F(k->unknowns, k->m) + i, k->f[i]);
}

/* sum by_c dz+_c/dlambda_j */
static rattle_expr along_fibre(maker *k, const rattle_expr *by, int j) {
  const int nz = 2 * k->n;
  const rattle_expr *lambda = k->u + k->unknowns - k->m;
  rattle_expr *flow = k->x + 3 * nz;
  for (int c = 0; c < nz; c++) flow[c] = rattle__stages_flow_by(k, k->plus, lambda, j, c);
  return rattle__product(k->graph, nz, by, 1, flow, 1);
}

static void show_J(maker *k, int i, int j, rattle_expr entry) {
  rattle__emitted_show(k->e, PART_NEWTON, RATTLE__AT_J(k->unknowns, k->m) + i * k->unknowns + j,
                       rattle__multiple(k->graph, -1, entry));
}

/* The derivatives of e, by its stages inside, by unknown stages in `by` [first], and by z+. */
static rattle_status derive(maker *k, rattle_expr e, rattle_expr *by, rattle_expr *by_plus) {
  const int nz = 2 * k->n, first = k->unknowns - k->m;
  const rattle_expr whole = rattle__sides_of(&k->inside, k->e, e);
  for (int j = 0; j < first; j++) k->column[j] = rattle__emitted_place(k->e, k->u[j]);
  rattle_status status = rattle__gradient(k->graph, whole, k->column, first, by);
  for (int c = 0; c < nz; c++) k->column[c] = rattle__emitted_place(k->e, k->plus[c]);
  if (!status) status = rattle__gradient(k->graph, whole, k->column, nz, by_plus);
  for (int c = 0; c < nz; c++)
    if (k->plus[c] == k->z0[c]) by_plus[c] = rattle_expr_constant(k->graph, 0);
  return status;
}

/* Row i of g: d g/h = g'(z1) (dz+/h + dD), where z1 = z+ + h D. */
static rattle_status derive_row(maker *k, int i, rattle_expr *by, rattle_expr *by_plus) {
  rattle_graph *graph = k->graph;
  const int nz = 2 * k->n, s = k->t->stages;
  rattle_expr whole = rattle_expr_constant(graph, 0), *own = k->x + 2 * nz;
  for (int c = 0; c < nz; c++) {
    own[c] = at_end(k, k->dg[i * nz + c]);
    rattle_expr way = rattle_expr_constant(graph, 0);
    for (int l = 0; l < s && !rattle__vanishes(k, own[c]); l++)
      way = rattle__plus(graph, way,
                         rattle__multiple(graph, rattle__stages_weight(k, c >= k->n, s, l),
                                          rattle__stages_slope(k, l, c)));
    whole = rattle__plus(graph, whole, rattle__times(graph, own[c], way));
  }
  const rattle_status status = derive(k, whole, by, by_plus);
  for (int c = 0; c < nz && k->curved; c++)
    by_plus[c] = rattle__plus(graph, by_plus[c], rattle__times(graph, k->inverse_h, own[c]));
  return status;
}

static rattle_status make_newton(maker *k) {
  const int first = k->unknowns - k->m;
  rattle_expr by[RATTLE__ELIMINATED], *by_plus = k->x;
  rattle_status status = k->e->failed ? RATTLE_NO_MEMORY : RATTLE_OK;
  for (int i = 0; i < k->unknowns && !status; i++) {
    const rattle_expr sign = i < first ? rattle_expr_constant(k->graph, 1) : k->sign[i - first];
    status = i < first ? derive(k, k->f[i], by, by_plus) : derive_row(k, i - first, by, by_plus);
    for (int j = 0; j < k->unknowns && !status; j++) {
      const rattle_expr entry = j < first ? by[j] : along_fibre(k, by_plus, j - first);
      show_J(k, i, j, rattle__times(k->graph, sign, entry));
    }
  }
  return status;
}

/* ---- the end ---- */

/* z2; the numbers of the loop are sigma where fibres are curved, else its last change. */
static void make_push(maker *k) {
  const int nz = 2 * k->n, m = k->m, u = k->unknowns;
  rattle_expr *sigma = k->f, *to = k->x + 2 * nz;
  for (int i = 0; i < m; i++)
    sigma[i] = rattle__emitted_take(k->e, PART_PUSH, RATTLE__AT_PUSH(u, m) + i);
  if (k->curved) {
    rattle__stages_flow(k, k->z1, sigma, to);
    for (int c = 0; c < nz; c++) rattle__emitted_put(k->e, PART_PUSH, k->z2[c], to[c]);
  } else {
    rattle__stages_flow(k, k->z0, sigma, to);
    for (int c = k->n; c < nz; c++)
      rattle__emitted_put(k->e, PART_PUSH, k->z2[c], at_slid(k, to[c]));
  }
  for (int i = 0; i < m && k->curved; i++)
    rattle__emitted_show(k->e, PART_PUSH, RATTLE__AT_SLOWNESS(u, m) + i,
                         rattle__stages_slowness(k, sigma, i));
}

static void make_psi(maker *k) {
  rattle_graph *graph = k->graph;
  const int nz = 2 * k->n, m = k->m, u = k->unknowns;
  for (int i = 0; i < m; i++) {
    rattle_expr size = rattle_expr_constant(graph, 0);
    for (int c = 0; c < nz; c++) {
      const rattle_expr term = rattle__times(graph, k->dg[i * nz + c], k->X[c]);
      size = rattle__plus(graph, size, rattle__absolute(graph, term));
    }
    size = rattle__plus(graph, rattle_expr_constant(graph, DBL_MIN),
                        rattle__multiple(graph, DBL_EPSILON, size));
    const rattle_expr ratio = rattle__over(graph, rattle__absolute(graph, k->psi[i]), size);
    rattle__emitted_show(k->e, PART_PSI, RATTLE__AT_HIDDEN(u, m) + i,
                         rattle__times(graph, k->sign[i], at_slid(k, k->psi[i])));
    rattle__emitted_show(k->e, PART_PSI, RATTLE__AT_DRIFT(u, m) + i, at_slid(k, ratio));
  }
}

/* As rattle__mass_kinetic. */
static void make_energy(maker *k) {
  rattle_graph *graph = k->graph;
  rattle_expr kinetic = rattle_expr_constant(graph, 0);
  for (int c = 0; c < k->n && k->problem->mass; c++) {
    const rattle_expr p = k->z2[k->n + c], v = rattle__times(graph, k->light[c], p);
    kinetic = rattle__plus(graph, kinetic, rattle__times(graph, v, p));
  }
  const int at = RATTLE__AT_ALL_OF_H(k->unknowns, k->m);
  rattle__emitted_tell(k->e, PART_ARRIVE, at, at_slid(k, k->H));
  rattle__emitted_show(k->e, PART_ARRIVE, at + 1, rattle__multiple(graph, 0.5, kinetic));
  for (int c = 0; c < 2 * k->n; c++) rattle__emitted_put(k->e, PART_NEXT, k->z0[c], k->z2[c]);
}

/* ---- together ---- */

static void name_ends(maker *k) {
  const int nz = 2 * k->n;
  for (int c = 0; c < nz; c++) k->z0[c] = rattle__emitted_name(k->e);
  k->h = rattle__emitted_name(k->e);
  for (int c = 0; c < nz; c++) k->z1[c] = k->z2[c] = rattle__emitted_name(k->e);
  for (int c = 0; c < nz && k->curved; c++) k->z2[c] = rattle__emitted_name(k->e);
  for (int i = 0; i < k->m; i++)
    k->sign[i] = k->curved ? rattle__emitted_name(k->e) : rattle_expr_constant(k->graph, 1);
  for (int c = 0; c < nz; c++) {
    rattle__sides_set(&k->at_end, k->e, k->z0[c], k->z1[c]);
    rattle__sides_set(&k->at_slid, k->e, k->z0[c], k->z2[c]);
  }
}

static rattle_status make(maker *k, unsigned char *room, rattle_error *error) {
  name_ends(k);
  rattle_status status = k->e->failed ? RATTLE_NO_MEMORY : rattle__stages_take(k, error);
  if (!status) status = rattle__stages_fibre(k);
  if (status) return status;
  rattle__stages_choose(k, room);
  if (k->unknowns > RATTLE__ELIMINATED) return RATTLE_UNSUITABLE;
  k->e->shown = RATTLE__AT_VECTOR(k->unknowns, k->m);
  rattle__stages_weights(k);
  rattle__stages_name(k);
  make_look(k);
  status = make_newton(k);
  if (!status && k->moves) rattle__stages_make_tangents(k);
  if (!status) status = rattle__stages_show_brackets(k);
  if (status) return status;
  make_push(k);
  make_psi(k);
  make_energy(k);
  return rattle__emitted_close(k->e, error);
}

static int is_small(const rattle_problem *p) {
  const rattle__function *H = p->mass ? p->V : p->H;
  return H && H->elements && rattle__elements_are_few(H, RATTLE__STRAIGHT_MOST) && p->g->elements &&
         rattle__elements_are_few(p->g, RATTLE__STRAIGHT_MOST);
}

/* Arrays of k from three blocks; 0: no memory. */
static int take_memory(maker *k, rattle_expr **block, unsigned char **bytes, int **places) {
  const size_t n = (size_t)k->n, m = (size_t)k->m, nz = 2 * n, s = (size_t)k->t->stages,
               all = s * nz;
  rattle_expr *at = *block = calloc(
      13 * nz + m * (nz + 3) + all + s * n + 2 * (s + 1) * s + 2 * RATTLE__ELIMINATED, sizeof *at);
  unsigned char *byte = *bytes = calloc(n + 2 * nz * nz + 2 * nz, 1);
  int *place = *places = calloc(2 * nz + RATTLE__ELIMINATED, sizeof *place);
  if (!at || !byte || !place) return 0;
  k->z0 = at, k->z1 = k->z0 + nz, k->z2 = k->z1 + nz, k->X = k->z2 + nz, k->plus = k->X + nz;
  k->inverse_mass = k->plus + nz, k->shift = k->inverse_mass + n, k->x = k->shift + n;
  k->g = k->x + 6 * nz, k->psi = k->g + m, k->sign = k->psi + m, k->dg = k->sign + m;
  k->Z = k->dg + m * nz, k->V = k->Z + all, k->weighted = k->V + s * n;
  k->u = k->weighted + 2 * (s + 1) * s, k->f = k->u + RATTLE__ELIMINATED;
  k->swift = byte, k->couples = k->swift + n, k->unknown = k->couples + nz * nz;
  k->order = place, k->column = place + nz;
  return 1;
}

rattle_status rattle__stages_parts(rattle__emitted *e, const rattle_problem *problem,
                                   const rattle__tableau *tableau, int moves,
                                   rattle__stages_kind *kind, rattle_error *error) {
  static const char *const name[] = {"FIRST",  "BEGIN",  "LOOK",   "NEWTON",  "PUSH",   "PSI",
                                     "MATRIX", "ARRIVE", "FORCED", "CARRIED", "TURNED", "NEXT"};
  enum { MOST = 16 }; /* pairs */
  rattle_status status = rattle__emitted_begin(e, name, (int)(sizeof name / sizeof *name), error);
  if (status) return status;
  if (problem->n > MOST || problem->m > RATTLE__DENSE || !is_small(problem))
    return RATTLE_UNSUITABLE;
  rattle__sides at_stage[RATTLE__STAGES] = {0};
  maker k = {.e = e,
             .graph = e->graph,
             .problem = problem,
             .t = tableau,
             .n = problem->n,
             .m = problem->m,
             .moves = moves,
             .inputs = kind->inputs,
             .light = kind->light,
             .curved = !(problem->flags & RATTLE_HOLONOMIC),
             .at_stage = at_stage};
  rattle_expr *block = NULL;
  unsigned char *bytes = NULL;
  int *places = NULL;
  if (!take_memory(&k, &block, &bytes, &places)) {
    status = rattle__no_memory(error);
  } else {
    status = make(&k, k.unknown + 2 * k.n, error);
    kind->unknowns = k.unknowns, kind->curved = k.curved, kind->bent = k.bent;
  }
  rattle__sides_end(&k.at_end);
  rattle__sides_end(&k.at_slid);
  rattle__sides_end(&k.inside);
  for (int j = 0; j < tableau->stages; j++) rattle__sides_end(&at_stage[j]);
  rattle__closed_fibre_release(&k.fibre);
  free(block);
  free(bytes);
  free(places);
  return e->failed || status == RATTLE_NO_MEMORY ? rattle__no_memory(error) : status;
}
