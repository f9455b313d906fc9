#ifndef RATTLE__ASSEMBLY_H
#define RATTLE__ASSEMBLY_H
/* A sparse matrix whose entries are sums of terms (plain + h times_h) source[from]: planned once,
 * then filled and factored many times without allocating. */
#include "ground/linear/linear.h"

typedef struct rattle__assembly {
  rattle__linear *matrix;
  double *source; /* factors of the terms [sources]; source[0] is 1, the caller fills the rest */
  struct rattle__assembly_term *term;
  int *first; /* terms of entry e: term[first[e] .. first[e+1]) [nnz+1] */
  int size, terms, room, failed;
} rattle__assembly;

/* An empty plan of so many rows and sources. */
rattle_status rattle__assembly_create(rattle__assembly **assembly, int size, int sources,
                                      rattle_error *error);
/* One more term; no memory is remembered until the plan is made. */
void rattle__assembly_add(rattle__assembly *assembly, int row, int col, int from, double plain,
                          double times_h);
/* The plan is complete: makes the matrix. multipliers: the last unknowns of a saddle point; 0: a
 * matrix of any kind. */
rattle_status rattle__assembly_plan(rattle__assembly *assembly, int multipliers,
                                    rattle_error *error);
/* The values of the matrix, from the sources. */
void rattle__assembly_fill(rattle__assembly *assembly, double h);
void rattle__assembly_destroy(rattle__assembly **assembly);
#endif
