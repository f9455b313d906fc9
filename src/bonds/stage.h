#ifndef RATTLE__BOND_STAGE_H
#define RATTLE__BOND_STAGE_H
/* The part of the interface that the texts for vectors see: the two stages, and the tables that the
 * texts fill. It is apart from bonds.h because these texts take minutes to compile. */
#include <stddef.h>

#include "bonds/shape.h"
#include "rattle/bonds.h"

/* Report of a block of clusters: the first bond that could not be corrected, cluster -1: none; and
 * the virial of the block in eight sums. */
typedef struct rattle__bond_failure {
  double virial[8][6];
  long long cluster;
  int bond;
  double error; /* relative: of the length, or of the rate to the speeds of both atoms, squared; 0:
                 * beyond floats */
} rattle__bond_failure;

/* Outputs of a stage; any may be NULL. */
typedef struct rattle__bond_output {
  double *multipliers, *forces;
  double scale;
} rattle__bond_output;

/* Arguments of a stage. */
typedef struct rattle__bond_stage {
  const void *x0; /* NULL: the stage of velocities */
  void *x, *v;
  int single;  /* 1: these are floats, otherwise doubles */
  double by_h; /* 1/h */
  const rattle_bonds_box *box;
  double tolerance;
  const rattle__bond_output *output;   /* NULL: nothing */
  const rattle_bonds_half_step *ahead; /* NULL: velocities are those of v, and x stays as it is */
} rattle__bond_stage;

/* The stages for groups [from, to) of a shape. room [rattle__bond_room]. The first failure goes to
 * *failure. */
typedef struct rattle__bond_kernel {
  const char *name;
  int width;
  void (*positions)(const rattle__bond_shape *shape, const rattle__bond_stage *stage,
                    long long from, long long to, double *room, rattle__bond_failure *failure);
  void (*velocities)(const rattle__bond_shape *shape, const rattle__bond_stage *stage,
                     long long from, long long to, double *room, rattle__bond_failure *failure);
} rattle__bond_kernel;

static inline double rattle__bond_at(const rattle__bond_stage *stage, const void *array, size_t k) {
  return stage->single ? (double)((const float *)array)[k] : ((const double *)array)[k];
}

typedef void rattle__bond_stage_of(const rattle__bond_shape *shape, const rattle__bond_stage *stage,
                                   long long from, long long to, double *room,
                                   rattle__bond_failure *failure);

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
