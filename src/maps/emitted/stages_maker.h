#ifndef RATTLE__STAGES_MAKER_H
#define RATTLE__STAGES_MAKER_H
/* The state that the makers of the parts of a step with stages share (stages_parts.h). Expressions
 * are of z0 where nothing else is said; sides have what its names are at other points. */
#include "constraint/fibre/closed.h"
#include "maps/base/base.h"
#include "ground/expr/algebra.h"
#include "maps/emitted/emitted.h"

typedef struct rattle__stages_maker {
  rattle__emitted *e;
  rattle_graph *graph;
  const rattle_problem *problem;
  const rattle__tableau *t;
  int n, m, unknowns;
  int moves;  /* 1: with the derivative of the step */
  int inputs; /* 1: set parameters are inputs */
  int curved; /* 1: fibres are not kicks */
  int bent;   /* 1: psi is not linear along fibres */
  rattle_expr h, inverse_h, H;
  rattle_expr *z0, *z1, *z2;     /* names [2n]: of the start, after the stages, on psi = 0 */
  rattle_expr *X, *g, *dg, *psi; /* X_H [2n]; g [m], g' [m 2n], psi [m] */
  rattle_expr *sign;             /* of N_ii, as numbers [m] */
  rattle_expr *plus, *Z, *V;     /* z+ [2n]; stages [stages 2n], velocities [stages n] by names */
  rattle_expr *light;            /* 1/masses of natural H [n]; of the caller */
  rattle_expr *inverse_mass, *shift; /* p_c = inverse_mass_c v_c - shift_c; NONE: it is not [n] */
  rattle_expr *u, *f, *x;            /* unknowns, their equations [ELIMINATED]; scratch [4n] */
  rattle_expr *weighted;             /* h a, h ahat, h b, h bhat, as numbers [2 (s + 1) s] */
  unsigned char *swift;              /* 1: the velocity is unknown in place of the momentum [n] */
  unsigned char *couples;            /* X_c depends on z_d [2n 2n] */
  unsigned char *unknown;     /* 1: variable c of a stage is not found by substitution [2n] */
  int *order, ordered;        /* the others, one after the other */
  int32_t *column;            /* scratch [2n + ELIMINATED] */
  rattle__closed_fibre fibre; /* where curved */
  rattle__sides at_end, at_slid, *at_stage;
  rattle__sides inside; /* stages by unknowns, z+ and z0 */
} rattle__stages_maker;

static inline int rattle__vanishes(const rattle__stages_maker *k, rattle_expr e) {
  return rattle_expr_op(k->graph, e) == RATTLE_OP_CONSTANT && rattle_expr_value(k->graph, e) == 0;
}

/* X_gj at z0, element c. */
static inline rattle_expr rattle__stages_Xg(const rattle__stages_maker *k, int j, int c) {
  const rattle_expr *dg = k->dg + j * 2 * k->n;
  return c < k->n ? dg[k->n + c] : rattle__multiple(k->graph, -1, dg[c - k->n]);
}

/* A weight of stages j and l, of coordinates (part 0) or momenta; j = stages: of the end. */
static inline double rattle__stages_weight(const rattle__stages_maker *k, int part, int j, int l) {
  if (j == k->t->stages) return rattle__tableau_weights(k->t, part)[l];
  return part ? k->t->ahat[j][l] : k->t->a[j][l];
}

/* h times that. */
static inline rattle_expr *rattle__stages_weighted(const rattle__stages_maker *k, int part, int j,
                                                   int l) {
  const int s = k->t->stages;
  return &k->weighted[(part * (s + 1) + j) * s + l];
}

/* stages_combine.c: X_c(Z_l); z+_c + h sum weight_l X_c(Z_l) of stage j, or of the end, j =
 * stages. */
rattle_expr rattle__stages_slope(rattle__stages_maker *k, int l, int c);
rattle_expr rattle__stages_combine(rattle__stages_maker *k, int j, int c);
/* The stage that follows from others: a momentum from its velocity, or by its equation. */
rattle_expr rattle__stages_followed(rattle__stages_maker *k, int j, int c);
/* stages_forward.c: FORCED, CARRIED and TURNED, after u and f. */
void rattle__stages_make_tangents(rattle__stages_maker *k);

/* stages_model.c: the functions of the model, and which velocities determine their momenta. */
rattle_status rattle__stages_take(rattle__stages_maker *k, rattle_error *error);
/* N, psi and psi' X_H where the parts ask for them. */
rattle_status rattle__stages_show_brackets(rattle__stages_maker *k);

/* stages_fibre.c: UNSUITABLE: fibres have no closed form, or do not commute. */
rattle_status rattle__stages_fibre(rattle__stages_maker *k);
/* out [2n]: from z along the fibre up to the parameters s [m]; element c of its derivative by s_j,
 * by what out is, and the reciprocal of the speed of s_j. */
void rattle__stages_flow(rattle__stages_maker *k, const rattle_expr *z, const rattle_expr *s,
                         rattle_expr *out);
rattle_expr rattle__stages_flow_by(const rattle__stages_maker *k, const rattle_expr *out,
                                   const rattle_expr *s, int j, int c);
rattle_expr rattle__stages_slowness(const rattle__stages_maker *k, const rattle_expr *s, int j);

/* stages_start.c: which stages and velocities are unknown, room: [2n + 4n^2]; weights; names of
 * stages and the first iterate, which BEGIN shows. */
void rattle__stages_choose(rattle__stages_maker *k, unsigned char *room);
void rattle__stages_weights(rattle__stages_maker *k);
void rattle__stages_name(rattle__stages_maker *k);
/* 1/unit of the stages of q and of p, and of g_i(z1). */
void rattle__stages_units(rattle__stages_maker *k, rattle_expr unit[2]);
rattle_expr rattle__stages_unit_of_g(rattle__stages_maker *k, int i);
#endif
