#ifndef RATTLE__BOND_STAGE_H
#define RATTLE__BOND_STAGE_H
/* What the texts for vectors see: the two stages, and the tables that the texts fill. It is apart from bonds.h because these texts are compiled
 * for minutes. */
#include <stddef.h>

#include "bonds/shape.h"
#include "rattle/bonds.h"

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

/* Every solver but newton, which is the kernel itself; the last has no name. */
extern const rattle__bond_row rattle__bond_rows_plain[];
#if defined(__x86_64__)
extern const rattle__bond_row rattle__bond_rows_avx2[], rattle__bond_rows_avx512[];
#endif

/* Newton for clusters in pieces. */
extern const rattle__bond_row rattle__bond_pieces_plain;
#if defined(__x86_64__)
extern const rattle__bond_row rattle__bond_pieces_avx2, rattle__bond_pieces_avx512;
#endif
#endif
