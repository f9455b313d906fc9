#ifndef RATTLE__BONDS_BODIES_H
#define RATTLE__BONDS_BODIES_H
/* Atoms that linear constraints keep on lines, in the clusters of a shape: bodies.c. */
#include "bonds/shape.h"
#include "ground/support/arena.h"

/* Lines: line l has the atoms [first[l], first[l + 1]), at place[] along it. */
typedef struct rattle__bond_places {
  int count;
  const int *first, *atom;
  const double *place;
} rattle__bond_places;

/* P [n n] takes the positions of n atoms to the nearest ones, in the metric of masses, at which the
 * lines are straight. 0: no memory, or lines that depend on one another. */
int rattle__bonds_projection(int n, const rattle__bond_places *lines, const double *inverse_mass,
                             double *p);

/* bodies, entries and stands of a shape that has its pairs; 0: no memory. */
int rattle__bonds_find_bodies(rattle__bond_shape *shape, const rattle__bond_places *lines,
                              rattle__arena *arena);
/* Makes the form of one cluster [entries + bonds + couplings]: P of each body, then the weights by
 * which each bond pushes itself, then those of coupled bonds. 0: no memory, or lines that depend on
 * one another. */
int rattle__bonds_form_bodies(const rattle__bond_shape *shape, const rattle__bond_places *lines,
                              const double *inverse_mass, double *form);
#endif
