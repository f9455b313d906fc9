#ifndef RATTLE__BONDS_H
#define RATTLE__BONDS_H
/* Clusters of bonds by their shapes, and what solves those of one shape in the lanes of vectors.
 *
 * A shape is a graph: its atoms and bonds have local numbers, those of bonds in the order of their elimination. Lengths and masses belong to
 * clusters. Clusters of one shape are taken in groups of as many as a vector has lanes; the last group is filled with its last cluster. */
#include "rattle/bonds.h"
#include "support/arena.h"

/* Off the diagonal of R: slot = factor * s_row . r_column, factor = sign/m of the atom that both share. */
typedef struct rattle__bond_coupling {
  int slot, row, column, atom;
  double sign;
} rattle__bond_coupling;

/* Row p of the elimination: `count` later rows hold entries in column p. */
typedef struct rattle__bond_pivot {
  int first, count; /* in later, upper, lower; targets begin at `target` */
  int target;
} rattle__bond_pivot;

/* Shapes that have a text of their own: a star of k bonds, a triangle, one with two equal sides and masses, a ring of four to six bonds; of three
 * bonds or more a path, or a longer ring; any with atoms on lines. */
enum {
  RATTLE__BOND_STAR = 0,
  RATTLE__BOND_STARS = 4,
  RATTLE__BOND_TRIANGLE,
  RATTLE__BOND_ISOSCELES,
  RATTLE__BOND_PATH,
  RATTLE__BOND_RING = RATTLE__BOND_PATH,
  RATTLE__BOND_RINGS = RATTLE__BOND_RING + 6,
  RATTLE__BOND_LINES,
  RATTLE__BOND_ANY,
  RATTLE__BOND_PIECES
};

/* Of triangles for settle: the share of either base atom in the mass; the apex and the base above and below the centre of mass, half of the base;
 * the inverses of the first and of the base. */
enum {
  RATTLE__SETTLE_SHARE,
  RATTLE__SETTLE_APEX,
  RATTLE__SETTLE_FOOT,
  RATTLE__SETTLE_HALF,
  RATTLE__SETTLE_BY_APEX,
  RATTLE__SETTLE_BY_BASE,
  RATTLE__SETTLE_FORM
};

/* Atoms that lines hold together, each after its parent among them; P is at `matrix` of a cluster's form. */
typedef struct rattle__bond_body {
  int atoms, matrix;
  int *atom, *parent;
  int lines, *line; /* of the shape's places */
  int bonds, *bond; /* with both ends in it: while it is made */
} rattle__bond_body;

typedef struct rattle__bond_shape {
  int atoms, bonds, family;
  int width; /* lanes of a group: those of vectors, or 1 where lanes are within a cluster */
  int held;  /* bonds after the others whose lengths follow from lines */
  int *pair; /* local atoms of each bond [2 (bonds + held)] */
  int *node; /* the same, of the bonds of the matrix, a body being its first atom */
  int bodies, entries;
  rattle__bond_body *body;
  int *stands; /* of each atom: the first of its body, or itself. NULL: there are no bodies */
  /* the matrix: slots [0, bonds) are the diagonal */
  int slots, couplings;
  rattle__bond_coupling *coupling;
  rattle__bond_pivot *pivot;           /* [bonds] */
  int *later, *upper, *lower, *target; /* rows j; slots of (p, j) and (j, p); of (i, j) for all pairs of them */
  /* the clusters, W to a group */
  long long clusters, groups;
  int *place; /* 3 * atom of each local atom and lane [groups][atoms][W] */
  int *
      spread; /* where atoms of each cluster follow one another in memory, in one order: the place of its k-th number among those of
                         * local atoms [3 atoms]; NULL: they do not */
  int straight;         /* 1: the k-th is the k-th */
  int lead;             /* numbers of a cluster before those of local atom 0 */
  int *number;          /* of each bond of a cluster in the topology [clusters][bonds] */
  double *square;       /* d^2 [groups or 1][bonds][W] */
  double *inverse_mass; /* [groups or 1][atoms][W] */
  double *form;         /* settle, line: what follows from lengths and masses [groups or 1][forms][W] */
  int forms;
  int uniform; /* 1: all clusters have the same lengths and masses, which are stored once */
  const struct rattle__bond_row *solver;
  int order, iterations;        /* of the solver lincs */
  struct rattle__bond_cut *cut; /* of the family PIECES */
  struct rattle__bond_shape *next;
} rattle__bond_shape;

/* What a block of clusters reports: the first bond that could not be made right, cluster -1: none; and its virial in eight sums. */
typedef struct rattle__bond_failure {
  double virial[8][6];
  long long cluster;
  int bond;
  double error; /* relative: of the length, or the square of that of its rate to the speeds of both atoms; 0: beyond floats */
} rattle__bond_failure;

/* What a stage is to write, any NULL. */
typedef struct rattle__bond_output {
  double *multipliers, *forces;
  double scale;
} rattle__bond_output;

/* What a stage works on. */
typedef struct rattle__bond_stage {
  const void *x0; /* NULL: the stage of velocities */
  void *x, *v;
  int single;  /* 1: these are floats, otherwise doubles */
  double by_h; /* 1/h */
  const rattle_bonds_box *box;
  double tolerance;
  const rattle__bond_output *output; /* NULL: nothing */
} rattle__bond_stage;

/* The stages for groups [from, to) of a shape. room [rattle__bond_room]. The first failure goes to *failure. */
typedef struct rattle__bond_kernel {
  const char *name;
  int width;
  void (*positions)(const rattle__bond_shape *shape, const rattle__bond_stage *stage, long long from, long long to, double *room,
                    rattle__bond_failure *failure);
  void (*velocities)(const rattle__bond_shape *shape, const rattle__bond_stage *stage, long long from, long long to, double *room,
                     rattle__bond_failure *failure);
} rattle__bond_kernel;

static inline double rattle__bond_at(const rattle__bond_stage *stage, const void *array, size_t k) {
  return stage->single ? (double)((const float *)array)[k] : ((const double *)array)[k];
}

typedef void rattle__bond_stage_of(const rattle__bond_shape *shape, const rattle__bond_stage *stage, long long from, long long to,
                                   double *room, rattle__bond_failure *failure);

/* The two stages of a solver for vectors of one width. */
typedef struct rattle__bond_row {
  const char *name;
  rattle__bond_stage_of *positions, *velocities;
} rattle__bond_row;

/* Groups [from, to) of a shape: what one thread does at a time. */
typedef struct rattle__bond_block {
  const rattle__bond_shape *shape;
  long long from, to;
} rattle__bond_block;

struct rattle_bonds {
  rattle__arena arena;
  long long atoms, bonds, bonded, clusters, shapes, largest;
  double tolerance, shortest; /* shortest: length */
  int *pair;                  /* of the given bonds, then of angles */
  int *repeated;
  double *repeated_length;
  long long repeateds;
  long long lines;
  double *taken; /* degrees of freedom, of the given bonds; NULL: each takes 1, but those that repeat others */
  char *moves;   /* 0: its mass is infinite [atoms] */
  const rattle__bond_kernel *kernel;
  rattle__bond_row newton;   /* the stages of the kernel */
  rattle__bond_shape *shape; /* the first of a list */
  size_t room;               /* doubles that a thread works in, whole lines of the cache */
  double *rooms;             /* [threads][room] */
  long long blocks;
  rattle__bond_block *block;
  rattle__bond_failure *report; /* of each block */
  int threads;
  int in_pieces; /* 1: large clusters may be cut, since the solver is newton where it can be */
};

/* kernels.c: the widest that this machine can run, or that of the name; NULL: there is none of that name. */
const rattle__bond_kernel *rattle__bond_kernel_of(const char *name);
size_t rattle__bond_room(const rattle__bond_shape *shape, int width);

/* check.c: OK, or what is wrong with a topology. */
rattle_status rattle__bonds_check(const rattle_bonds_topology *topology, rattle_error *error);
/* reach.c: BAD_ARGUMENT where the tolerance is below the round-off of what a stage stores. */
rattle_status rattle__bonds_check_reach(const rattle_bonds *bonds, const rattle__bond_stage *stage, rattle_error *error);
/* repeated.c: whether bonds that were left out are right after a stage. */
rattle_status rattle__bonds_check_repeated(const rattle_bonds *bonds, const rattle__bond_stage *stage, rattle_error *error);
/* tiles.c: spread and lead of a shape whose places are known. */
int rattle__bond_spread(rattle__bond_shape *shape, int width, rattle__arena *arena);

/* triangles.c: TRIANGLE or ISOSCELES: the family of three atoms with bonds (0, 1), (0, 2), (1, 2). */
int rattle__triangle_family(const double *length, const double *mass);

/* elimination.c: an order of little fill of a graph's bonds, pair [2 bonds]; order[p] is the bond that comes p-th. Returns 0 if there is no
 * memory. */
int rattle__bond_order(int atoms, int bonds, const int *pair, int *order);
/* The elimination of a shape whose bonds have their order. */
int rattle__bond_eliminate(rattle__bond_shape *shape, rattle__arena *arena);

/* blocks.c: the blocks of the shapes, and room for `threads`. */
rattle_status rattle__bonds_share(rattle_bonds *bonds, int threads, rattle_error *error);
/* All blocks of a stage on all threads. Results do not depend on their number. The first failure in the order of the blocks is the error. */
rattle_status rattle__bonds_run(rattle_bonds *bonds, const rattle__bond_stage *stage, rattle_error *error);
/* The sums of the reports' virials in the order of the blocks. */
void rattle__bonds_virial(const rattle_bonds *bonds, double virial[6]);

/* failure.c: what is wrong with a cluster that a stage left as it was: DOMAIN, SINGULAR or NOT_CONVERGED. */
rattle_status rattle__bond_failed(const rattle_bonds *bonds, const rattle__bond_shape *shape, const rattle__bond_stage *stage,
                                  const rattle__bond_failure *failure, rattle_error *error);
#endif
