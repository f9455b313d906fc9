/* Angles between normal spaces at the stages of a step. See normal_spaces.h. */
#include "constraint/guard/normal_spaces.h"

double rattle__turn_of_normals(double log_A0, double log_A, const rattle__linear *C) {
  return rattle__linear_side(C) > 0 ? expm1(log_A0 + log_A - 2 * C->log_size(C)) : (double)INFINITY;
}

/* The norm is the largest sum of a row. Round-off may have left a square below 0. */
int rattle__stages_are_regular(int r, const double *squares, const double *weights,
                               const double *inverse) {
  for (int k = 0; k < r; k++) {
    double sum = 0;
    for (int i = 0; i < r; i++)
      for (int j = 0; j < r; j++)
        sum +=
            inverse[k * r + i] * weights[i * r + j] * sqrt(fabs(squares[i + 1]) * fabs(squares[j]));
    if (!(sum < 1)) return 0;
  }
  return 1;
}
