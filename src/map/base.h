#ifndef RATTLE__BASE_H
#define RATTLE__BASE_H
/* Base maps: from H to a one-step map. A base map is described by its coefficients, in one or both of two forms; the engines
 * (split.c, prk.c, and wrap/ for constraints) do the rest. One file a method. */
#include "core/method.h"
#include "fibre/fibre.h"
#include "map/map.h"

/* Explicit on separable H: kick k1 h, drift d1 h, kick k2 h, drift d2 h; kick c: p -= c h V_q(q), drift c: q += c h T_p(p). */
typedef struct rattle__scheme {
  double k1, d1, k2, d2;
  int symmetric, order;
} rattle__scheme;

/* Any number of them: kick, drift, kick, ... of lengths length[count], some of them 0. */
typedef struct rattle__parts {
  const double *length; /* borrowed while the map is made */
  int count, symmetric, order;
} rattle__parts;

/* A partitioned Runge-Kutta method for any H:
 *   Q_i = q0 + h sum_j a_ij H_p(Q_j,P_j),  P_i = p0 - h sum_j ahat_ij H_q(Q_j,P_j),  q1 likewise with b, p1 with b or bhat. */
enum { RATTLE__STAGES = 16 };
typedef struct rattle__tableau {
  int stages;
  double a[RATTLE__STAGES][RATTLE__STAGES], ahat[RATTLE__STAGES][RATTLE__STAGES], b[RATTLE__STAGES];
  double bhat[RATTLE__STAGES]; /* only where other_bhat is 1 */
  int symmetric, order, other_bhat;
} rattle__tableau;
/* The weights of the coordinates (part 0) and of the momenta (part 1). */
static inline const double *rattle__tableau_weights(const rattle__tableau *tableau, int part) {
  return part && tableau->other_bhat ? tableau->bhat : tableau->b;
}

typedef struct rattle__base {
  void (*scheme)(const rattle__node *node, rattle__scheme *scheme);    /* NULL: no such form */
  void (*tableau)(const rattle__node *node, rattle__tableau *tableau); /* NULL: no such form */
  /* neither, or with tol=: the map makes itself, from its field or, of kind constrained, with its constraints */
  rattle_status (*create)(rattle__map **map, rattle__context *context, const rattle__node *node, rattle_error *error);
} rattle__base;

/* rattle__NAME of every row of a base or constrained map: a new method is one file that defines it, and the row. */
#define DECLARE_BASE(name) extern const rattle__base rattle__##name;
#define DECLARE_CONSTRAINED DECLARE_BASE
#define DECLARE_FIELD(name)
#define DECLARE_WRAPPER(name)
#define DECLARE_COMPOSITION(name)
#define DECLARE_SOLVER(name)
#define METHOD(name, kind, ...) DECLARE_##kind(name)
#include "methods.def"
#undef METHOD

/* The base map of a row; NULL where the row is none. */
const rattle__base *rattle__base_of(rattle__method_id id);

/* Engines. */
rattle_status rattle__parts_create(rattle__map **map, rattle__context *context, const rattle__parts *parts, rattle_error *error);
rattle_status rattle__split_create(rattle__map **map, rattle__context *context, const rattle__scheme *scheme,
                                   rattle_error *error);
/* A Runge-Kutta map of a field, NULL for X_H: all stages are values of f, none of H. */
rattle_status rattle__rk_create(rattle__map **map, rattle__context *context, const rattle__tableau *tableau,
                                const rattle__node *field, rattle_error *error);
/* Whether each stage needs but those before it. */
int rattle__tableau_is_explicit(const rattle__tableau *tableau);
/* With a fibre the map is SHAKE of the Runge-Kutta method: stages and multipliers are found by one simultaneous Newton. */
rattle_status rattle__prk_create(rattle__map **map, rattle__context *context, const rattle__tableau *tableau,
                                 rattle__fibre *fibre, rattle__method_id solver, double tol, rattle_error *error);

/* Nodes c[s] and weights b[s] of Gauss-Legendre quadrature on [0,1], and collocation coefficients a[i][j] (a may be NULL),
 * to the precision of double. */
void rattle__gauss_coefficients(int s, double *c, double *b, double a[RATTLE__STAGES][RATTLE__STAGES]);
/* The Lobatto IIIA-IIIB pair with s stages, 2 <= s: nodes c[s] (0 and 1 among them), weights b[s], a IIIA, ahat IIIB. */
void rattle__lobatto_coefficients(int s, double *c, double *b, double a[RATTLE__STAGES][RATTLE__STAGES],
                                  double ahat[RATTLE__STAGES][RATTLE__STAGES]);
#endif
