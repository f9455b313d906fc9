/* The stages of the solvers other than newton, as the text for vectors of one width. Before inclusion: as for kernel.h, but for KERNEL
 * and KERNEL_NAME; ROOT(a) of a vector; ROWS, the name of the table. */
#define CORRECTIONS_ONLY
#include "bonds/kernel.h"

/* Lanes in which all of y is. */
INLINE bits finite_lanes(const kind K, const vector *y) {
  vector sum = {0};
  for (int k = 0; k < K.bonds; k++) sum += size(y[k]);
  return (bits)(sum <= 1e300);
}

/* Pushes by y in the lanes of mask. */
INLINE void add_where(const kind K, const vector *inverse_mass, const vector *r, bits mask, const work *w) {
  for (int k = 0; k < K.bonds; k++) w->y[k] = (vector)((bits)w->y[k] & mask);
  push(K, inverse_mass, r, w->y, w->u);
}

#include "bonds/solve_line.h"
#include "bonds/solve_lincs.h"
#include "bonds/solve_quasi_newton.h"
#include "bonds/solve_settle.h"
#include "bonds/solve_shake.h"

static const int sides[] = {0, 1, 0, 2, 1, 2};

#define ANY_SHAPE                                                                                                                \
  (kind) {                                                                                                                       \
    shape->atoms, shape->bonds, shape->pair, shape                                                                               \
  }
#define TRIANGLE                                                                                                                 \
  (kind) {                                                                                                                       \
    3, 3, sides, NULL                                                                                                            \
  }
#define BOTH_STAGES(NAME, KIND, POSITIONS, VELOCITIES)                                                                           \
  TARGET static void NAME##_x(const rattle__bond_shape *shape, const rattle__bond_stage *stage, long long from, long long to,    \
                              double *room, rattle__bond_failure *failure) {                                                     \
    positions_of(KIND, POSITIONS, shape, stage, from, to, (vector *)room, failure);                                              \
  }                                                                                                                              \
  TARGET static void NAME##_v(const rattle__bond_shape *shape, const rattle__bond_stage *stage, long long from, long long to,    \
                              double *room, rattle__bond_failure *failure) {                                                     \
    velocities_of(KIND, VELOCITIES, shape, stage, from, to, (vector *)room, failure);                                            \
  }

BOTH_STAGES(shake, ANY_SHAPE, shake_positions, shake_velocities)
BOTH_STAGES(lincs, ANY_SHAPE, lincs_positions, lincs_velocities)
BOTH_STAGES(quasi_newton, ANY_SHAPE, quasi_newton_positions, quasi_newton_velocities)
BOTH_STAGES(line, ANY_SHAPE, line_positions, line_velocities)
BOTH_STAGES(settle, TRIANGLE, settle_positions, correct_rates)

const rattle__bond_row ROWS[] = {
    {"shake", shake_x, shake_v}, {"lincs", lincs_x, lincs_v},    {"quasi_newton", quasi_newton_x, quasi_newton_v},
    {"line", line_x, line_v},    {"settle", settle_x, settle_v}, {NULL, NULL, NULL}};
