#ifndef RATTLE__BOND_SHAPE_H
#define RATTLE__BOND_SHAPE_H
/* Clusters of bonds by their shapes.
 *
 * A shape is a graph: its atoms and bonds have local numbers, those of bonds in the order of their
 * elimination. Lengths and masses belong to clusters. Clusters of one shape are taken in groups of
 * as many as a vector has lanes; the last group is filled with its last cluster. */

/* Off the diagonal of R: slot = factor * s_row . r_column, factor = sign/m of the atom that both
 * share. */
typedef struct rattle__bond_coupling {
  int slot, row, column, atom;
  double sign;
} rattle__bond_coupling;

/* Row p of the elimination: `count` later rows hold entries in column p. */
typedef struct rattle__bond_pivot {
  int first, count; /* in later, upper, lower; targets begin at `target` */
  int target;
} rattle__bond_pivot;

/* Shapes that have a text of their own: a star of k bonds, a triangle, one with two equal sides and
 * masses, a ring of four to six bonds; of three bonds or more a path, or a longer ring; any with
 * atoms on lines. */
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

/* Entries of the form of triangles for settle: the share of either base atom in the mass; the apex
 * and the base above and below the centre of mass, half of the base; the inverses of the first and
 * of the base; the inverse of the matrix for velocities, on the diagonal and right of it, row by
 * row. */
enum {
  RATTLE__SETTLE_SHARE,
  RATTLE__SETTLE_APEX,
  RATTLE__SETTLE_FOOT,
  RATTLE__SETTLE_HALF,
  RATTLE__SETTLE_BY_APEX,
  RATTLE__SETTLE_BY_BASE,
  RATTLE__SETTLE_INVERSE,
  RATTLE__SETTLE_FORM = RATTLE__SETTLE_INVERSE + 6
};

/* Atoms that lines hold together, each after its parent among them; P is at `matrix` of a cluster's
 * form. */
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
  rattle__bond_pivot *pivot; /* [bonds] */
  int *later, *upper, *lower,
      *target; /* rows j; slots of (p, j) and (j, p); of (i, j) for all pairs of them */
  /* the clusters, W to a group */
  long long clusters, groups;
  int *place;   /* 3 * atom of each local atom and lane [groups][atoms][W] */
  int *spread;  /* where atoms of each cluster follow one another in memory, in one order: the
                 place of its k-th number among those of local atoms [3 atoms]; NULL: they do not */
  int straight; /* 1: the k-th is the k-th */
  int lead;     /* numbers of a cluster before those of local atom 0 */
  int stride;   /* from one cluster of the first `even` groups to the next in the same group */
  long long even;
  int *number;          /* of each bond of a cluster in the topology [clusters][bonds] */
  double *square;       /* d^2 [groups or 1][bonds][W] */
  double *inverse_mass; /* [groups or 1][atoms][W] */
  double *form; /* settle, line: what follows from lengths and masses [groups or 1][forms][W] */
  int forms;
  int uniform; /* 1: all clusters have the same lengths and masses, which are stored once */
  const struct rattle__bond_row *solver;
  int order, iterations;        /* of the solver lincs */
  struct rattle__bond_cut *cut; /* of the family PIECES */
  struct rattle__bond_shape *next;
} rattle__bond_shape;
#endif
