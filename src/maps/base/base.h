#ifndef RATTLE__BASE_H
#define RATTLE__BASE_H
/* Base maps: from H to a one-step map. A base map is described by its coefficients, in one or both
 * of two forms; the engines (split.c, prk.c, and wrap/ for constraints) do the rest. One file a
 * method. */
#include "method/coefficients/tableau.h"
#include "method/notation/row.h"
#include "constraint/fibre/fibre.h"
#include "constraint/step/map.h"
#include "constraint/step/scheme.h"

/* Any number of them: kick, drift, kick, ... of lengths length[count], some of them 0. */
typedef struct rattle__parts {
  const double *length; /* borrowed while the map is made */
  int count, symmetric;
} rattle__parts;

/* Maps that others are made with, or are compared with. */
extern const rattle__base rattle__verlet, rattle__gauss;

/* Engines. */
rattle_status rattle__parts_create(rattle__map **map, rattle__context *context,
                                   const rattle__parts *parts, rattle_error *error);
rattle_status rattle__split_create(rattle__map **map, rattle__context *context,
                                   const rattle__scheme *scheme, rattle_error *error);
/* A Runge-Kutta map of a field, NULL for X_H: all stages are values of f, none of H. */
rattle_status rattle__rk_create(rattle__map **map, rattle__context *context,
                                const rattle__tableau *tableau, const rattle__node *field,
                                rattle_error *error);
/* The kicks and drifts that a base map makes of the problem: its own; or, where V'' = 0, those of
 * verlet, which every symmetric Runge-Kutta map is then (kicks.c). 0: it makes none. */
int rattle__kicks_of(const rattle__node *node, const rattle_problem *problem,
                     rattle__scheme *scheme);
/* True if the map is the implicit midpoint rule: forces act at the middle of the step. */
int rattle__is_midpoint(const rattle__node *node);
/* True if each stage needs only those before it. */
int rattle__tableau_is_explicit(const rattle__tableau *tableau);
/* Steps of an H that is evaluated by sweeps, whose second derivatives take many, are found by
 * Newton's method if they do not contract, where stages have no more unknowns than these. */
enum { RATTLE__MOST_UNKNOWNS = 600 };
/* The tableau of Gauss-Legendre collocation. */
void rattle__gauss_tableau(int stages, rattle__tableau *tableau);
/* An implicit Runge-Kutta map of X_H. */
rattle_status rattle__implicit_rk_create(rattle__map **map, rattle__context *context,
                                         const rattle__tableau *tableau, rattle_error *error);
/* The failure of guess=past where stages are not found by contraction. */
rattle_status rattle__no_past(const rattle__node *node, rattle_error *error);
/* With a fibre the map is SHAKE of the Runge-Kutta method: stages and multipliers are found by one
 * simultaneous Newton. */
rattle_status rattle__prk_create(rattle__map **map, rattle__context *context,
                                 const rattle__tableau *tableau, rattle__fibre *fibre,
                                 const rattle__solving *solving, rattle_error *error);
#endif
