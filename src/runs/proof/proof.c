/* Proofs of steps. See proof.h. */
#include "runs/proof/proof.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "constraint/guard/prover_fibre.h"
#include "constraint/guard/prover_map.h"
#include "constraint/step/trace.h"
#include "maps/base/base.h"
#include "maps/plan/compile.h"
#include "ground/support/error.h"

struct rattle__proof {
  rattle_certificate certificate;
  int strict;
  const rattle_problem *problem;
  rattle__scheme scheme;
  rattle__prover *prover;  /* of natural problems and kicks, drifts or the midpoint rule; else */
  rattle__map_prover *map; /* of a Runge-Kutta map, or */
  rattle__fibre_prover *fibre; /* of one along fibres of g(q, p) */
  rattle__trace trace;
  int n, pairs; /* coordinates; pairs of states, with the account of work */
  int composed, midpoint;
  double *V_q, *at_rest; /* [2n], the block of all doubles: V_q first; (q0, 0) */
  double *force, *Phi;   /* at p = 0; derivatives, in their pattern */
  double *work;          /* scratch of functions */
  /* machine code of programs with bounds, or what will make it */
  void *library;
  rattle__orders orders;
  rattle__compilation *compilation;
  double operations; /* of the programs */
  long long counted; /* proofs, as long as `counts` */
  int counts;        /* 1: a compiler may begin, or is at work */
};

/* --- what is covered -------------------------------------------------------------------------- */

static rattle_status refuse_method(const char *name, const char *why, rattle_error *error) {
  return rattle__fail(
      error, RATTLE_UNSUITABLE, name,
      "steps of %s cannot be proved: %s; proofs are there for rattle(...) and "
      "shake(...) of verlet, symplectic_euler, midpoint, gauss and other Runge-Kutta maps, for "
      "spark and spark_gauss, and for compositions of them, as suzuki4(rattle(verlet))",
      name, why);
}

/* The map inside all compositions. */
typedef struct map_found {
  int stages; /* how many substeps a step has */
  int lands;  /* momenta are projected at the end of each */
  int by_tableau;
  rattle__constrained_tableau tableau;
} map_found;

/* The scheme of the map, or its tableau. */
static rattle_status find_scheme(rattle__proof *c, const rattle_method *method, map_found *of,
                                 rattle_error *error) {
  const rattle__node *root = rattle__method_root(method), *node = root;
  for (of->stages = 1; node->kind == RATTLE__COMPOSITION; node = rattle__method_inside(node))
    of->stages *= rattle__composition_stages(node);
  const rattle__wrapper *wrapper =
      node->kind == RATTLE__WRAPPER ? rattle__wrapper_of(node->row) : NULL;
  const rattle__node *inside = wrapper ? rattle__method_inside(node) : NULL;
  const rattle__base *base =
      inside && inside->kind == RATTLE__BASE ? rattle__base_of(inside->row) : NULL;
  const rattle__base *own = node->kind == RATTLE__CONSTRAINED ? rattle__base_of(node->row) : NULL;
  const char *name = rattle_method_text(method);
  c->composed = node != root;
  if (root->quad || root->compensated)
    return refuse_method(name, "its states have digits beyond a double", error);
  if (rattle_method_samples(method))
    return refuse_method(name, "a heat bath changes the momenta", error);
  if (own && own->constrained) {
    of->by_tableau = of->lands = 1;
    own->constrained(node, &of->tableau);
    return RATTLE_OK;
  }
  const int slides = wrapper && wrapper->care == RATTLE__SLIDES && wrapper->rolls;
  const int natural = !rattle__prover_misses(c->problem);
  c->scheme = (rattle__scheme){0.5, 1, 0.5, 0, 1};
  const int kicks = base && natural && rattle__kicks_of(inside, c->problem, &c->scheme);
  c->midpoint = base && natural && !kicks && rattle__is_midpoint(inside);
  of->by_tableau =
      base && base->tableau && !base->create && !c->midpoint && !(kicks && c->scheme.d2 == 0);
  if (!slides || !(kicks || c->midpoint || of->by_tableau))
    return refuse_method(name, "its equations are others than those of the theorem", error);
  if (rattle__projects_output(node))
    return refuse_method(name, "its output is other points than its steps", error);
  if (of->by_tableau) {
    rattle__tableau tableau;
    base->tableau(inside, &tableau);
    of->tableau = rattle__tableau_of_shake(&tableau);
  }
  of->lands = node->row->claims.keeps_psi;
  return RATTLE_OK;
}

/* --- machine code ----------------------------------------------------------------------------- */

static int list_programs(rattle__proof *c, rattle__ball_programs **list) {
  return c->map     ? rattle__map_prover_programs(c->map, list)
         : c->fibre ? rattle__fibre_prover_programs(c->fibre, list)
                    : rattle__prover_programs(c->prover, list);
}

static void take_code(rattle__proof *c, rattle__evaluator evaluator) {
  rattle__ball_programs *list[RATTLE__PROGRAMS_OF_PROVER];
  const int count = list_programs(c, list);
  rattle__ball_programs_compile(list, count, evaluator, &c->orders, &c->library);
}

/* Compiled at once if that was asked for; else a compiler begins with the first of more than a few
 * proofs, unless it did before: its code has the bits of the interpreter. */
static void begin_code(rattle__proof *c) {
  rattle__ball_programs *list[RATTLE__PROGRAMS_OF_PROVER];
  const rattle__evaluator evaluator = c->problem->evaluator;
  c->operations = rattle__ball_programs_steps(list, list_programs(c, list));
  if (c->operations == 0 || evaluator == RATTLE__BLOCK) return;
  take_code(c, evaluator == RATTLE__NATIVE ? RATTLE__NATIVE : RATTLE__CACHED);
  c->counts = evaluator != RATTLE__NATIVE && !c->library;
}

static void look_at_compiler(rattle__proof *c) {
  if (!c->compilation && rattle__evaluations_are_few(c->operations, ++c->counted)) return;
  if (!c->compilation) {
    take_code(c, RATTLE__COMPILE_IN_BACKGROUND);
    c->counts =
        c->orders.count && !rattle__compilation_start(&c->compilation, c->orders.source[0], NULL);
    rattle__orders_drop(&c->orders);
    return;
  }
  const int state = rattle__compilation_poll(c->compilation);
  if (state == 1) return;
  rattle__compilation_end(&c->compilation);
  c->counts = 0;
  if (!state) take_code(c, RATTLE__CACHED);
}

/* --- how it is made --------------------------------------------------------------------------- */

static rattle_status lay_out(rattle__proof *c, int stages, rattle_error *error) {
  const rattle__function *V = c->problem->V, *H = c->problem->energy, *f = c->problem->force;
  const size_t n = (size_t)c->n, of_H = f ? H->work : V ? V->work : 0, of_f = f ? f->work : 0;
  const rattle__array arrays[] = {{&c->V_q, 2 * n},
                                  {&c->at_rest, 2 * n},
                                  {&c->force, f ? (size_t)f->rows : 0},
                                  {&c->Phi, f ? (size_t)f->jac_nnz : 0},
                                  {&c->work, of_H > of_f ? of_H : of_f},
                                  {&c->trace.h, (size_t)stages},
                                  {&c->trace.z, ((size_t)stages + 1) * 2 * (size_t)c->pairs}};
  c->trace.room = stages;
  return RATTLE__BLOCK(arrays) ? RATTLE_OK : rattle__no_memory(error);
}

static rattle_status make(rattle__proof *c, const rattle_method *method, rattle_error *error) {
  map_found of = {.stages = 1};
  const int misses = rattle__map_prover_misses(c->problem) != NULL;
  rattle_status status = misses ? RATTLE_OK : find_scheme(c, method, &of, error);
  if (status) return status;
  const int slides = c->problem->m && !(c->problem->flags & RATTLE_HOLONOMIC);
  if (!misses && slides)
    status =
        rattle__fibre_prover_create(&c->fibre, c->problem, &of.tableau.stages, of.lands, error);
  else if (misses || of.by_tableau)
    status = rattle__map_prover_create(&c->map, c->problem, &of.tableau, of.lands, error);
  else
    status = rattle__prover_create_smooth(&c->prover, c->problem, c->midpoint, error);
  return status ? status : lay_out(c, of.stages, error);
}

rattle_status rattle__proof_create(rattle__proof **proof, const rattle_problem *problem,
                                   const rattle_method *method, rattle_error *error) {
  rattle__proof *c = *proof = calloc(1, sizeof *c);
  if (!c) return rattle__no_memory(error);
  c->problem = problem, c->n = problem->n, c->pairs = c->n + !!problem->force;
  c->certificate.struct_size = sizeof c->certificate;
  const rattle_status status = make(c, method, error);
  if (!status) begin_code(c);
  if (status) rattle__proof_destroy(proof);
  return status;
}

void rattle__proof_destroy(rattle__proof **proof) {
  if (!proof || !*proof) return;
  rattle__proof *c = *proof;
  rattle__prover_destroy(&c->prover);
  rattle__map_prover_destroy(&c->map);
  rattle__fibre_prover_destroy(&c->fibre);
  rattle__compilation_end(&c->compilation);
  rattle__orders_drop(&c->orders);
  rattle__native_unload(&c->library);
  free(c->V_q), free(c);
  *proof = NULL;
}

rattle_certificate *rattle__proof_certificate(rattle__proof *proof) {
  return &proof->certificate;
}

void rattle__proof_insist(rattle__proof *proof, int strict) {
  proof->strict = strict;
}

/* --- one substep ------------------------------------------------------------------------------ */

/* The first substep that is not proved. */
static void note_failure(const rattle__tracked *found, int number, rattle_certificate *to) {
  to->wrong += found->answer == RATTLE__TRACK_OTHER;
  to->open += found->answer == RATTLE__TRACK_OPEN;
  if (to->step) return;
  to->step = to->steps + 1, to->substep = number;
  to->is_wrong = found->answer == RATTLE__TRACK_OTHER, to->reached = found->reached;
  to->row = found->row, to->margin = found->margin, to->singular_value = found->smallest;
}

/* The end q1 of a curve that is proved. */
static void note_proof(rattle__proof *c, const rattle__tracked *found, const double *q1,
                       double radius) {
  rattle_certificate *to = &c->certificate;
  double size = 0;
  for (int k = 0; k < c->n; k++) size = fmax(size, fabs(q1[k]));
  to->one_piece += found->pieces == 1;
  to->tracked += found->pieces > 1;
  to->pieces += found->pieces;
  if (found->pieces > to->most_pieces) to->most_pieces = found->pieces;
  to->radius = fmax(to->radius, radius);
  to->units = fmax(to->units, radius / (0x1p-52 * size));
}

/* A substep of a step: its number, its length, its ends. */
typedef struct way {
  int number;
  double h;
  const double *q0, *p0, *q1, *p1; /* [n]; p1 NULL: not known */
} way;

/* V_q at q0, less the forces at p = 0, and their derivatives: affine forces are known by them. */
static rattle_status pull(rattle__proof *c, const double *q0, rattle_error *error) {
  const rattle_problem *problem = c->problem;
  const rattle__function *V = problem->V, *H = problem->energy, *f = problem->force;
  rattle_status status = RATTLE_OK;
  if (!f)
    return V ? rattle__answer(V->jacobian(V, q0, NULL, c->V_q, c->work), "potential", error)
             : RATTLE_OK;
  memcpy(c->at_rest, q0, (size_t)c->n * sizeof *q0);
  status = rattle__answer(H->jacobian(H, c->at_rest, NULL, c->V_q, c->work), "potential", error);
  if (!status)
    status = rattle__answer(f->jacobian(f, c->at_rest, c->force, c->Phi, c->work), "force", error);
  for (int i = 0; i < f->rows && !status; i++) c->V_q[problem->pushed[i]] -= c->force[i];
  return status;
}

static void note(rattle__proof *c, const way *at, const rattle__tracked *found, double radius) {
  c->certificate.substeps++;
  if (found->answer == RATTLE__TRACK_RIGHT)
    note_proof(c, found, at->q1, radius);
  else
    note_failure(found, at->number, &c->certificate);
}

static rattle_status look(rattle__proof *c, const way *at, rattle_error *error) {
  double radius = 0;
  const rattle__map_ends ends = {at->h, at->q0, at->p0, at->q1, at->p1, at->p1 != NULL};
  if (c->counts) look_at_compiler(c);
  if (c->map || c->fibre) {
    const rattle__tracked found = c->map ? rattle__map_prover_ask(c->map, &ends, &radius)
                                         : rattle__fibre_prover_ask(c->fibre, &ends, &radius);
    note(c, at, &found, radius);
    return RATTLE_OK;
  }
  memset(c->V_q, 0, (size_t)c->n * sizeof *c->V_q);
  const rattle_status status = c->scheme.k1 != 0 ? pull(c, at->q0, error) : RATTLE_OK;
  if (status) return status;
  const rattle__proof_ends of = {.h = at->h,
                                 .d1 = c->scheme.d1,
                                 .k1 = c->scheme.k1,
                                 .W = rattle__inertia(c->problem),
                                 .q0 = at->q0,
                                 .p0 = at->p0,
                                 .q1 = at->q1,
                                 .V_q = c->V_q,
                                 .Phi = c->Phi};
  const rattle__tracked found = rattle__prover_ask(c->prover, &of, &radius);
  note(c, at, &found, radius);
  return RATTLE_OK;
}

rattle_status rattle__proof_of_substep(rattle__proof *proof, double h, const double *q0,
                                       const double *p0, const double *q1, rattle_error *error) {
  const rattle_status status = look(proof, &(way){0, h, q0, p0, q1, NULL}, error);
  proof->certificate.steps += !status;
  return status;
}

/* --- steps ------------------------------------------------------------------------------------ */

rattle__trace *rattle__proof_trace(rattle__proof *proof) {
  proof->trace.count = 0;
  return proof->composed ? &proof->trace : NULL;
}

/* DEGENERATE, by what the certificate knows. */
static rattle_status refuse(const rattle__proof *proof, rattle_error *error) {
  const rattle_certificate *of = &proof->certificate;
  const rattle__tracked found = {.answer = of->is_wrong ? RATTLE__TRACK_OTHER : RATTLE__TRACK_OPEN,
                                 .reached = of->reached,
                                 .row = of->row,
                                 .margin = of->margin,
                                 .smallest = of->singular_value};
  return rattle__prover_refuse(proof->problem, &found, error);
}

rattle_status rattle__proof_of_step(rattle__proof *proof, double h, const double *z0,
                                    const double *z1, rattle_error *error) {
  const size_t n = (size_t)proof->pairs;
  const rattle__trace *trace = &proof->trace;
  const rattle_certificate before = proof->certificate;
  rattle_certificate *to = &proof->certificate;
  rattle_status status = RATTLE_OK;
  if (!proof->composed) status = look(proof, &(way){0, h, z0, z0 + n, z1, z1 + n}, error);
  for (int i = 0; i < trace->count && !status; i++) {
    const double *z = trace->z + (size_t)i * 2 * n;
    status = look(proof, &(way){i, trace->h[i], z, z + n, z + 2 * n, z + 3 * n}, error);
  }
  to->steps++;
  const rattle_certificate after = *to;
  const int failed = after.open > before.open || after.wrong > before.wrong;
  if (!status && (!failed || !proof->strict)) return RATTLE_OK;
  *to = before; /* a step that is refused was none */
  if (status) return status;
  to->step = after.step, to->substep = after.substep;
  to->is_wrong = after.is_wrong, to->reached = after.reached;
  to->row = after.row, to->margin = after.margin, to->singular_value = after.singular_value;
  return refuse(proof, error);
}
