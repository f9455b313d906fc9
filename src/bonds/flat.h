#ifndef RATTLE__BONDS_FLAT_H
#define RATTLE__BONDS_FLAT_H
/* Molecules that lie in a plane and have all their distances: rigid bodies (flat.c, rigid_body.c).
 *
 * In the plane the gradients of the distances depend on one another, since no distance changes to
 * first order when an atom leaves it, so that multipliers are not determined; the positions that
 * the distances hold are those of a rigid body all the same. */
#include "bonds/prepare.h"
#include "bonds/stage.h"

typedef struct rattle_bonds rattle_bonds;

/* Places in the plane [2 atoms] that have the distances of all pairs, length[i atoms + j]. Returns
 * by how much of it the worst distance is off; *worst: its atoms i atoms + j. */
double rattle__bonds_lay_flat(int atoms, const double *length, double *place, int *worst);

/* One body. */
typedef struct rattle__bond_solid {
  int atoms;
  int *atom;                   /* [atoms] */
  double *place;               /* from the centre of mass, along the principal axes [3 atoms] */
  double *mass, total;         /* [atoms] */
  double second[3], moment[3]; /* sum m x^2 ... along the axes, and moments of inertia */
} rattle__bond_solid;

/* Makes the bodies of a topology, flat molecules first, and counts them among the clusters. */
rattle_status rattle__bonds_make_solids(rattle_bonds *bonds, const rattle__bond_prepared *prepared,
                                        const rattle_bonds_topology *topology, rattle_error *error);
/* solid.c: takes its places from any frame to its own; 0: they are on a line. *reach: the largest
 * distance from the first. */
int rattle__bonds_align_solid(rattle__bond_solid *solid, double *reach);
/* How many degrees of freedom of atom i are left to it. */
double rattle__bonds_left_to(const rattle__bond_solid *solid, int i);
/* A stage of all bodies; forces and virial [6] are added to. The first body that fails is the
 * error; those that fail are left as they were. */
rattle_status rattle__bonds_run_solids(const rattle_bonds *bonds, const rattle__bond_stage *stage,
                                       double *virial, rattle_error *error);
#endif
