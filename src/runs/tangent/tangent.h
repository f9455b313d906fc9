#ifndef RATTLE__TANGENT_H
#define RATTLE__TANGENT_H
/* Inside of a tangent: an integrator makes the steps; what differentiates them has maps and memory
 * of its own, and sees but the points between substeps.
 *
 * Symbols  nz = 2n; a substep is a step of the map inside all compositions, from z0 to z1 with the
 *          length h */
#include "constraint/fibre/fibre.h"
#include "runs/integrate/integrator.h"
#include "ground/linear/linear.h"
#include "constraint/step/tangents.h"
#include "rattle/tangent.h"
#include "constraint/equation/psi_rows.h"
#include "constraint/step/trace.h"

typedef struct rattle__substep {
  double h;
  const double *z0, *z1; /* [2n] */
} rattle__substep;

/* g' and psi' at a point: the rows that are normal to the tangent space. */
typedef struct rattle__normals {
  const rattle_problem *problem;
  int n, m, nz;
  rattle__psi_rows *psi;
  double *J, *D;                       /* g' and psi' in their patterns */
  double *gradient, *S, *work, *value; /* of H; scratch */
  double *K, *r;                       /* all 2m of them, dense and scaled [2m*2n]; scratch [2m] */
  rattle__linear *system;              /* dense [2m*2m] */
} rattle__normals;
rattle_status rattle__normals_create(rattle__normals *s, rattle__context *context,
                                     rattle_error *error);
void rattle__normals_destroy(rattle__normals *s);
/* J and D at z */
rattle_status rattle__normals_at(rattle__normals *s, const double *z, rattle_error *error);
/* W at z onto the tangent space */
rattle_status rattle__normals_project(rattle__normals *s, const double *z, int count, double *W,
                                      rattle_error *error);
/* X [2n], in place of the covector v: the tangent vector at z with X^T J w = v . w for every
 * tangent w, J = (0 I; -I 0). */
rattle_status rattle__normals_field(rattle__normals *s, const double *z, double *X,
                                    rattle_error *error);

/* slides.c: derivatives of shake(inner) and rattle(inner). */
typedef struct rattle__slides rattle__slides;
rattle_status rattle__slides_create(rattle__slides **slides, rattle__context *context,
                                    const rattle__node *node, rattle__normals *normals,
                                    rattle_error *error);
void rattle__slides_destroy(rattle__slides *slides);
/* room: m vectors, which are scratch, and after them the `count` vectors W. */
rattle_status rattle__slides_tangent(rattle__slides *slides, const rattle__substep *at, int count,
                                     double *room, rattle_error *error);

struct rattle_tangent {
  rattle_integrator *integrator;
  const rattle_problem *problem;
  rattle__context context;
  rattle__normals normals;
  rattle__map *map;       /* of a substep without slides, or NULL ... */
  rattle__slides *slides; /* ... and with them */
  rattle__tangents
      quick;           /* the usual substeps of problems with few constraints, where there is one */
  rattle__trace trace; /* of the step at hand */
  double length;       /* of it */
  int n, m, nz, stages;
  int composed;   /* 1: the integrator writes the trace */
  int reversible; /* 1: substeps are symmetric and symplectic */
  double *z0, *z1,
      *extra;   /* ends of the step at hand, one after the other; memory of the integrator before
                 it */
  double *pair; /* the ends of a substep, one after the other */
  double *way,
      *lengths; /* `noted` points where steps of a stretch end after the first one, and their
                   lengths; NULL: steps go one by one */
  int noted;
  double *range; /* widened by H after each step; NULL: not wanted */
  double *room;  /* m + capacity vectors */
  int capacity;
};

/* Room for so many vectors. */
rattle_status rattle__tangent_reserve(rattle_tangent *t, int count, rattle_error *error);
/* One step of the integrator; its substeps are those of the trace. */
rattle_status rattle__tangent_advance(rattle_tangent *t, rattle_state *state, rattle_error *error);
/* The vectors in room + m*nz, `count` of them, through the substep. */
rattle_status rattle__tangent_through(rattle_tangent *t, const rattle__substep *at, int count,
                                      rattle_error *error);
/* Substeps of the step at hand, and the i-th of them. */
int rattle__tangent_substeps(const rattle_tangent *t);
rattle__substep rattle__tangent_substep(const rattle_tangent *t, int i);
#endif
