#ifndef RATTLE__BONDS_NEIGHBOURS_H
#define RATTLE__BONDS_NEIGHBOURS_H
/* Bonds that share an atom: the graph of the matrix that is eliminated. */

/* Neighbours of a bond in the graph of those that are left, ascending. */
typedef struct rattle__bond_set {
  int *of, count;
} rattle__bond_set;

/* elimination.c: for each bond those that share an atom with it; each list is to be freed, also
 * after a failure. 0: no memory. */
int rattle__bonds_meet(int atoms, int bonds, const int *pair, rattle__bond_set *s);
int rattle__bonds_compare(const void *a, const void *b); /* of two ints, for qsort */
#endif
