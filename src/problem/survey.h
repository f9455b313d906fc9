#ifndef RATTLE__PROBLEM_SURVEY_H
#define RATTLE__PROBLEM_SURVEY_H
/* Constraints evaluated at points of their manifold, for class.c and split.c.
 *
 *     J [m x 2n] rows g_i' of length 1, norm [m] their lengths;  C [m x m], C_ij = {g_i,g_j} unit / (norm_i norm_j)
 *
 * Lengths are those of (q, p/unit): coordinates and momenta are not measured by the same unit. */
#include <stdint.h>

#include "problem/problem.h"
#include "linear/linear.h"

enum { RATTLE__SURVEY_POINTS = 3 };
/* A bracket of gradients of length 1 is 0 up to this. */
static const double rattle__survey_zero = 1e-9;

typedef struct rattle__survey {
  const rattle_problem *problem;
  int n, m, points;
  double unit; /* of momenta, that of coordinates being 1: by the start, or by derivatives of constraints that have both */
  double *g, *sparse, *J, *norm, *C, *work, *rhs, *room;
  double *point[RATTLE__SURVEY_POINTS]; /* on g = 0 [2n] */
  uint64_t random;
} rattle__survey;

/* A split of constraints whose C is invertible; smallest: of C at the first point. *split = NULL if brackets connect an odd number
 * of constraints: C is singular then, whatever its numbers look like. In split.c. */
rattle_status rattle__halves_create(struct rattle__halves **split, rattle__survey *survey, double smallest, rattle_error *error);

rattle_status rattle__survey_create(rattle__survey *survey, const rattle_problem *problem, rattle_error *error);
void rattle__survey_destroy(rattle__survey *survey);
/* g, J, norm and C at z. */
rattle_status rattle__survey_at(rattle__survey *survey, const double *z, rattle_error *error);
/* z <- a point with g_r = 0 for the rows r [count], by Newton with least change; *found = 0 if none is reached. */
rattle_status rattle__survey_project(rattle__survey *survey, const int *rows, int count, double *z, int *found,
                                     rattle_error *error);
/* The largest |q_k|, |p_k|/unit. */
double rattle__survey_size(const rattle__survey *survey, const double *z);
/* (q, p/unit) += size * (numbers in -1 .. 1) */
void rattle__survey_shake(rattle__survey *survey, double size, double *z);
/* Smallest singular value of the dense matrix A [size*size]. */
rattle_status rattle__survey_smallest(int size, const double *A, double *smallest, rattle_error *error);
/* A x = b for dense A, x replaces b; *singular if it cannot be. */
rattle_status rattle__survey_solve(int size, const double *A, double *b, int *singular, rattle_error *error);
#endif
