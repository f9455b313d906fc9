#ifndef RATTLE__BONDS_PREPARE_H
#define RATTLE__BONDS_PREPARE_H
/* Preparation of a topology before its clusters are found: angles become bonds, and bonds that
 * repeat others are left out. */
#include "rattle/bonds.h"

/* Lines of three or more atoms. The atoms of line l, and their places along it, begin at first[l].
 * of_bond: the line of a bond, or -1; held: 1 for a bond whose length follows from the longest of
 * its line [all]. Without lines count is 0, and the lists are NULL. */
typedef struct rattle__bond_lines {
  int count;
  int *first, *atom, *of_bond;
  int *bonds; /* of each line */
  double *place;
  char *held;
} rattle__bond_lines;

/* Flat molecules that all their distances hold (flat.h): the atoms of one, and their places in the
 * plane, begin at first[k]. of_bond: 1 for their bonds [all]. Without any count is 0, and the lists
 * are NULL. */
typedef struct rattle__bond_flats {
  int count, *first, *atom;
  double *place; /* [2] of each atom */
  char *of_bond;
} rattle__bond_flats;

/* A topology whose bonds are the given ones and those of angles, without those that are left
 * out. */
typedef struct rattle__bond_prepared {
  rattle_bonds_topology topology;
  int *pair, *number; /* of all bonds [2 all]; of those of topology among all [topology.bonds] */
  double *length;     /* of all bonds */
  int *left_out;      /* numbers of those that are not in topology */
  long long all, left_outs;
  int *kept_pair; /* what topology points to */
  double *kept_length;
  rattle__bond_lines lines;
  rattle__bond_flats flats;
} rattle__bond_prepared;

/* prepare.c: a bond repeats others if it agrees with them to `tolerance`, relative to lengths.
 * BAD_ARGUMENT names the atoms of bonds that contradict one another. Release also after a
 * failure. */
rattle_status rattle__bonds_prepare(rattle__bond_prepared *prepared,
                                    const rattle_bonds_topology *given, double tolerance,
                                    rattle_error *error);
void rattle__bonds_release(rattle__bond_prepared *prepared);

/* lines.c: finds p->lines among all bonds; those of atom a are end[first[a]] on. BAD_ARGUMENT names
 * the atoms of a triangle whose lengths contradict one another, or are nearly those of a line. */
rattle_status rattle__bonds_find_lines(rattle__bond_prepared *p, const int *first, const int *end,
                                       rattle_error *error);
void rattle__bonds_release_lines(rattle__bond_lines *lines);

/* clusters.c: the shapes of a topology, with their clusters. */
rattle_status rattle__bonds_cluster(rattle_bonds *bonds, const rattle__bond_prepared *prepared,
                                    rattle_error *error);

/* Atoms and bonds in local numbers. */
typedef struct rattle__bond_part {
  int atoms, bonds;
  const int *pair; /* [2 bonds] */
  const double *length,
      *project; /* [bonds]; P of lines among the atoms, with masses of 1 [atoms atoms], or NULL */
} rattle__bond_part;

/* rigid.c: whether bonds of a part repeat one another, to a relative tolerance of lengths; left_out
 * [bonds] becomes 1 for those that follow from the others. */
typedef enum rattle__bond_rigidity {
  RATTLE__BOND_FINE,
  RATTLE__BOND_REPEATS,     /* some are left out */
  RATTLE__BOND_CONTRADICTS, /* no positions have these lengths: *worst is the bond that is off
                               most, by *off of its length */
  RATTLE__BOND_FLAT,        /* they hold positions without independent gradients, as four atoms in a
                        plane: *worst is one of them */
  RATTLE__BOND_NO_MEMORY
} rattle__bond_rigidity;
rattle__bond_rigidity rattle__bonds_rigidity(const rattle__bond_part *part, double tolerance,
                                             char *left_out, int *worst, double *off);
#endif
