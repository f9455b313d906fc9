#ifndef RATTLE__BONDS_SOLVERS_H
#define RATTLE__BONDS_SOLVERS_H
/* The table of solvers: solvers.def. A solver is a text for vectors, src/bonds/solve_NAME.h, which
 * kernel_rows_*.c compile for each width, and says here which clusters it can do. */
#include "bonds/bonds.h"

/* True if newton solves the clusters for which there is no cheaper solver. */
int rattle__bonds_want_newton(const rattle_bonds_options *options);
/* Gives each shape the solver of options.solver. BAD_ARGUMENT names the atoms of a cluster that the
 * solver cannot do. */
rattle_status rattle__bonds_choose(rattle_bonds *bonds, const rattle_bonds_options *options,
                                   rattle_error *error);

/* triangles.c: turns the clusters of a shape of the family ISOSCELES such that the apex comes
 * first, and makes its form; 0: no memory. */
int rattle__settle_turn(rattle__bond_shape *shape, int width, rattle__arena *arena);
#endif
