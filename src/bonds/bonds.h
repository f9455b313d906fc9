#ifndef RATTLE__BONDS_H
#define RATTLE__BONDS_H
/* The clusters of a topology, and the kernels that solve clusters of one shape in the lanes of
 * vectors. */
#include "bonds/shape.h"
#include "bonds/stage.h"
#include "bonds/team.h"
#include "rattle/bonds.h"
#include "ground/support/arena.h"

/* Groups [from, to) of a shape: what one thread does at a time. */
typedef struct rattle__bond_block {
  const rattle__bond_shape *shape;
  long long from, to;
} rattle__bond_block;

struct rattle_bonds {
  rattle__arena arena;
  long long atoms, bonds, bonded, clusters, shapes, largest;
  double tolerance, shortest, longest; /* lengths */
  int *pair;                           /* of the given bonds, then of angles */
  int *repeated;
  double *repeated_length;
  long long repeateds;
  long long lines;
  int solids, bodies;               /* bodies: of solids, the last ones, that were given */
  struct rattle__bond_solid *solid; /* [solids] flat molecules and bodies, which no shape has */
  double
      *taken; /* degrees of freedom, of the given bonds; NULL: each takes 1, but those that repeat
                others */
  double *inverse; /* of masses [atoms] */
  const rattle__bond_kernel *kernel;
  int kernel_given;          /* 1: by its name */
  rattle__bond_row newton;   /* the stages of the kernel */
  rattle__bond_shape *shape; /* the first of a list */
  size_t room;               /* doubles that a thread works in, whole lines of the cache */
  double *rooms;             /* [threads][room] */
  long long blocks;
  rattle__bond_block *block;
  rattle__bond_failure *report; /* of each block */
  int threads;
  rattle__team *team; /* of the others; NULL: none */
  double *copies;     /* ahead.c: of velocities [6 atoms]; NULL: not yet */
  char *held;         /* 1: an atom that has bonds, or is in a body [atoms] */
  int in_pieces;      /* 1: large clusters may be cut, since newton solves them */
};

/* kernels.c: the kernel of that name, or the widest that this machine can run; NULL: no kernel has
 * that name. */
const rattle__bond_kernel *rattle__bond_kernel_of(const char *name);
size_t rattle__bond_room(const rattle__bond_shape *shape, int width);

/* check.c: RATTLE_OK, or an error that says why this is no topology. */
rattle_status rattle__bonds_check(const rattle_bonds_topology *topology, rattle_error *error);
/* Parts of that: how many atoms and bonds there are; the atoms of bond k. */
rattle_status rattle__bonds_check_counts(const rattle_bonds_topology *topology,
                                         rattle_error *error);
rattle_status rattle__bonds_check_pair(const rattle_bonds_topology *topology, long long k,
                                       rattle_error *error);
/* The edges of a box (NULL: none) must be those of rattle_bonds_box. */
rattle_status rattle__bonds_check_box(const rattle_bonds_box *box, rattle_error *error);
/* reach.c: BAD_ARGUMENT if the tolerance is below the round-off of the numbers that a stage
 * stores. */
rattle_status rattle__bonds_check_reach(const rattle_bonds *bonds, const rattle__bond_stage *stage,
                                        rattle_error *error);
/* repeated.c: checks, after a stage, the bonds that were left out. */
rattle_status rattle__bonds_check_repeated(const rattle_bonds *bonds,
                                           const rattle__bond_stage *stage, rattle_error *error);
/* tiles.c: spread and lead of a shape whose places are known. */
int rattle__bond_spread(rattle__bond_shape *shape, int width, rattle__arena *arena);

/* triangles.c: TRIANGLE or ISOSCELES: the family of three atoms with bonds (0, 1), (0, 2), (1,
 * 2). */
int rattle__triangle_family(const double *length, const double *mass);

/* elimination.c: an order of little fill of a graph's bonds, pair [2 bonds]; order[p] is the bond
 * that comes p-th. Returns 0 if there is no memory. */
int rattle__bond_order(int atoms, int bonds, const int *pair, int *order);
/* The elimination of a shape whose bonds have their order. */
int rattle__bond_eliminate(rattle__bond_shape *shape, rattle__arena *arena);

/* bonds.c: the tolerance of a stage, and whether its box and its numbers will do; all clusters and
 * bodies of a stage that is ready. virial may be NULL. */
rattle_status rattle__bonds_ready(const rattle_bonds *bonds, rattle__bond_stage *stage,
                                  rattle_error *error);
rattle_status rattle__bonds_run_all(rattle_bonds *bonds, const rattle__bond_stage *stage,
                                    double *virial, rattle_error *error);

/* blocks.c: the blocks of the shapes, and room for `threads`. */
rattle_status rattle__bonds_share(rattle_bonds *bonds, int threads, rattle_error *error);
/* All blocks of a stage on all threads. Results do not depend on their number. The first failure in
 * the order of the blocks is the error. */
rattle_status rattle__bonds_run(rattle_bonds *bonds, const rattle__bond_stage *stage,
                                rattle_error *error);
/* The sums of the reports' virials in the order of the blocks. */
void rattle__bonds_virial(const rattle_bonds *bonds, double virial[6]);

/* failure.c: the error of a cluster that a stage left unchanged: DOMAIN, SINGULAR or
 * NOT_CONVERGED. */
rattle_status rattle__bond_failed(const rattle_bonds *bonds, const rattle__bond_shape *shape,
                                  const rattle__bond_stage *stage,
                                  const rattle__bond_failure *failure, rattle_error *error);
#endif
