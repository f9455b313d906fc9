#ifndef RATTLE__BONDS_PREPARE_H
#define RATTLE__BONDS_PREPARE_H
/* What is done to a topology before its clusters are found: angles become bonds, and bonds that repeat others are left out. */
#include "bonds/bonds.h"

/* A topology whose bonds are the given ones and those of angles, without those that are left out. */
typedef struct rattle__bond_prepared {
  rattle_bonds_topology topology;
  int *pair, *number; /* of all bonds [2 all]; of those of topology among all [topology.bonds] */
  double *length;     /* of all bonds */
  int *left_out;      /* numbers of those that are not in topology */
  long long all, left_outs;
  int *kept_pair; /* what topology points to */
  double *kept_length;
} rattle__bond_prepared;

/* prepare.c: BAD_ARGUMENT names the atoms of what contradicts itself. Released also after a failure. */
rattle_status rattle__bonds_prepare(rattle__bond_prepared *prepared, const rattle_bonds_topology *given, rattle_error *error);
void rattle__bonds_release(rattle__bond_prepared *prepared);

/* rigid.c: whether bonds of a part repeat one another. atoms, bonds, pair [2 bonds] in local numbers, length [bonds]; left_out [bonds] becomes 1
 * for those that follow from the others. */
typedef enum rattle__bond_rigidity {
  RATTLE__BOND_FINE,
  RATTLE__BOND_REPEATS,     /* some are left out */
  RATTLE__BOND_CONTRADICTS, /* no positions have these lengths: *worst is the bond that is off most, by *off of its length */
  RATTLE__BOND_FLAT, /* they hold positions without independent gradients, as four atoms in a plane: *worst is one of them */
  RATTLE__BOND_NO_MEMORY
} rattle__bond_rigidity;
rattle__bond_rigidity rattle__bonds_rigidity(int atoms, int bonds, const int *pair, const double *length, char *left_out,
                                             int *worst, double *off);
#endif
