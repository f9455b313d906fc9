#ifndef RATTLE__PROBLEM_SURVEY_H
#define RATTLE__PROBLEM_SURVEY_H
/* Constraints evaluated at points of their manifold, for class.c and split.c.
 *
 *     J [m x 2n] rows g_i' of length 1, norm [m] their lengths;  C [m x m], C_ij = {g_i,g_j} /
 *     (norm_i norm_j)
 *     E [m x m]  bounds on the errors of C: round-off, also of the point, and its distance from the
 *     manifold
 *
 * Lengths are those of z_c/unit_c, the units of a pair having the product 1. They do not change
 * which numbers count as 0: a bracket up to its own bound of round-off, as in Dirac's algorithm
 * (src/problem/dirac); and a singular value of C, rows scaled by their largest brackets, up to that
 * of E. */
#include <stdint.h>

#include "problem/functions/problem.h"
#include "ground/linear/linear.h"

enum { RATTLE__SURVEY_POINTS = 3 };

typedef struct rattle__survey {
  const rattle_problem *problem;
  int n, m, points;
  int anywhere; /* 1: shakes are not bounded by gradients */
  double *unit; /* of z [2n]: by second derivatives of H, by derivatives of constraints that have
               both, or by the start */
  double *g, *sparse, *J, *norm, *C, *E, *scaled, *work, *rhs, *room;
  double *bound, *of_J, *of_g, *reach,
      *before;    /* of the pattern of g'; J's [m x 2n]; of g [m]; of the point [2n]; gradients
                  before a shake */
  void *rounding; /* scratch of ground/expr/round_off.h */
  double *point[RATTLE__SURVEY_POINTS]; /* on g = 0 [2n] */
  uint64_t random;
} rattle__survey;

/* A split of constraints whose C is invertible. *split = NULL if brackets connect an odd number of
 * constraints: C is singular then, whatever its numbers look like. In split.c. */
rattle_status rattle__halves_create(struct rattle__halves **split, rattle__survey *survey,
                                    rattle_error *error);

rattle_status rattle__survey_create(rattle__survey *survey, const rattle_problem *problem,
                                    rattle_error *error);
void rattle__survey_destroy(rattle__survey *survey);
/* g, J, norm, C and E at z, which was moved onto g_r = 0 for the rows r [count]; count 0: z was not
 * moved. */
rattle_status rattle__survey_at(rattle__survey *survey, const double *z, const int *rows, int count,
                                rattle_error *error);
/* |C_ij| relative to the largest value that counts as 0. */
double rattle__survey_size_of(const rattle__survey *survey, int i, int j);
/* scaled [m x m] = C, each row and column in parts of its largest entry; *rank 0: C = 0, 1:
 * singular, 2: invertible. */
rattle_status rattle__survey_rank(rattle__survey *survey, int *rank, rattle_error *error);
/* z <- a point with g_r = 0 for the rows r [count], by Newton with least change; *found = 0 if none
 * is reached. */
rattle_status rattle__survey_project(rattle__survey *survey, const int *rows, int count, double *z,
                                     int *found, rattle_error *error);
/* Moves z/unit by numbers up to `part` of its size, or by less where gradients would change by more
 * than their own size. */
rattle_status rattle__survey_shake(rattle__survey *survey, double part, double *z,
                                   rattle_error *error);
/* True if no gradient at the point evaluated last differs by more than its own size from the one
 * before the last shake (beyond that the point may be on another sheet), or if shakes are not
 * bounded. */
int rattle__survey_is_tame(const rattle__survey *survey);
/* Smallest singular value of the dense matrix A [size*size]. */
rattle_status rattle__survey_smallest(int size, const double *A, double *smallest,
                                      rattle_error *error);
/* A x = b for dense A, x replaces b; *singular if it cannot be. */
rattle_status rattle__survey_solve(int size, const double *A, double *b, int *singular,
                                   rattle_error *error);
#endif
