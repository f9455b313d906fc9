/* The stages of the solvers other than newton, as the text for vectors of one width. Before
 * inclusion: as for kernel.h, but for KERNEL and KERNEL_NAME; ROWS, the name of the table. */
#define CORRECTIONS_ONLY
#include "bonds/kernel.h"

/* Lanes in which all of y is. */
INLINE bits finite_lanes(const kind K, const vector *y) {
  vector sum = {0};
  for (int k = 0; k < K.bonds; k++) sum += size(y[k]);
  return (bits)(sum <= 1e300);
}

/* Pushes by y in the lanes of mask. */
INLINE void add_where(const kind K, const vector *inverse_mass, const vector *r, bits mask,
                      const work *w) {
  for (int k = 0; k < K.bonds; k++) w->y[k] = (vector)((bits)w->y[k] & mask);
  push(K, inverse_mass, r, w->y, w->u);
}

#include "bonds/solve_line.h"
#include "bonds/solve_lincs.h"
#include "bonds/solve_quasi_newton.h"
#include "bonds/solve_settle.h"
#include "bonds/solve_shake.h"

#define BOTH_STAGES(NAME, POSITIONS, VELOCITIES)                                                   \
  TARGET static void NAME##_x(const rattle__bond_shape *shape, const rattle__bond_stage *stage,    \
                              long long from, long long to, double *room,                          \
                              rattle__bond_failure *failure) {                                     \
    const work w = lay_out(any_of(shape), (vector *)room, (vector *)room);                         \
    positions_of(any_of(shape), POSITIONS, shape, stage, from, to, w, failure);                    \
  }                                                                                                \
  TARGET static void NAME##_v(const rattle__bond_shape *shape, const rattle__bond_stage *stage,    \
                              long long from, long long to, double *room,                          \
                              rattle__bond_failure *failure) {                                     \
    const work w = lay_out(any_of(shape), (vector *)room, (vector *)room);                         \
    velocities_of(any_of(shape), VELOCITIES, shape, stage, from, to, w, failure);                  \
  }

BOTH_STAGES(shake, shake_positions, shake_velocities)
BOTH_STAGES(lincs, lincs_positions, lincs_velocities)
BOTH_STAGES(quasi_newton, quasi_newton_positions, quasi_newton_velocities)
BOTH_STAGES(line, line_positions, line_velocities)

TARGET static void settle_x(const rattle__bond_shape *shape, const rattle__bond_stage *stage,
                            long long from, long long to, double *room,
                            rattle__bond_failure *failure) {
  vector own[TRIANGLE_ROOM];
  const long long middle = plain_to(shape, stage, from, to);
  positions_of(plain_water, settle_positions, shape, stage, from, middle,
               lay_out(water, own, (vector *)room), failure);
  positions_of(water, settle_positions, shape, stage, middle, to,
               lay_out(water, own, (vector *)room), failure);
}

TARGET static void settle_v(const rattle__bond_shape *shape, const rattle__bond_stage *stage,
                            long long from, long long to, double *room,
                            rattle__bond_failure *failure) {
  vector own[TRIANGLE_ROOM];
  const long long middle = plain_to(shape, stage, from, to);
  velocities_of(plain_water, settle_velocities, shape, stage, from, middle,
                lay_out(water, own, (vector *)room), failure);
  velocities_of(water, settle_velocities, shape, stage, middle, to,
                lay_out(water, own, (vector *)room), failure);
}

const rattle__bond_row ROWS[] = {{"shake", shake_x, shake_v},
                                 {"lincs", lincs_x, lincs_v},
                                 {"quasi_newton", quasi_newton_x, quasi_newton_v},
                                 {"line", line_x, line_v},
                                 {"settle", settle_x, settle_v},
                                 {NULL, NULL, NULL}};
