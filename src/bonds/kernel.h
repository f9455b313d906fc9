/* The two stages for groups of clusters of one shape, as the text for vectors of one width. Before
 * inclusion: WIDTH, doubles in a vector; TARGET, the attribute that lets the compiler use such
 * vectors; LARGER(a, b) and ROOT(a) of vectors; KERNEL and KERNEL_NAME. Symbols: shape.h, stage.h.
 *
 * Lanes do not see one another: a lane that is right is not corrected any more, whatever the others
 * do. */
#include <float.h>
#include <stddef.h>

#include "bonds/stage.h"

#include "bonds/lanes.h"
#include "bonds/atoms.h"
#include "bonds/matrix.h"
#include "bonds/straight.h"
#include "bonds/ahead.h"

/* u_i -= y_k r_k/m_i, u_j += y_k r_k/m_j */
INLINE void push(const kind K, const vector *inverse_mass, const vector *r, const vector *y,
                 vector *u) {
  UNROLL
  for (int k = 0; k < K.bonds; k++) {
    const int i = K.pair[2 * k], j = K.pair[2 * k + 1];
    const vector by_i = inverse_mass[i] * y[k], by_j = inverse_mass[j] * y[k];
    AXES {
      u[3 * i + d] -= by_i * r[3 * k + d];
      u[3 * j + d] += by_j * r[3 * k + d];
    }
  }
}

/* Notes the failure of the first cluster among the lanes of mask: its bond with the largest
 * `amount`. */
TARGET static void note(const rattle__bond_shape *shape, long long group, const bits *failed,
                        const vector *amount, rattle__bond_failure *failure) {
  for (int l = 0; l < WIDTH; l++) {
    const long long cluster = group * WIDTH + l;
    if (!(*failed)[l] || cluster >= shape->clusters ||
        (failure->cluster >= 0 && failure->cluster <= cluster))
      continue;
    failure->cluster = cluster, failure->bond = 0, failure->error = 0;
    for (int k = 0; k < shape->bonds; k++) {
      const double now = amount[k][l];
      if (now <= failure->error) continue;
      failure->bond = k;
      failure->error = now;
      if (now != now) break;
    }
  }
}

/* --- positions -------------------------------------------------------------------------------- */

/* s at x + u, the right sides (|s|^2 - d^2)/2, and the lanes in which a length is not right. */
INLINE bits length_residuals(const kind K, const rattle__bond_stage *stage, const vector *square,
                             const work *w) {
  vector worst = {0}, sum = {0};
  differ(K, w->u, w->s);
  UNROLL
  for (int k = 0; k < K.bonds; k++) {
    AXES w->s[3 * k + d] += w->s1[3 * k + d];
    const vector off = product(w->s + 3 * k, w->s + 3 * k) - square[k],
                 beyond = size(off) - 2 * stage->tolerance * square[k];
    worst = LARGER(worst, beyond);
    sum += beyond;
    w->y[k] = 0.5 * off;
  }
  return (bits)(worst > 0) | ~(bits)(sum <= 1e300);
}

/* One bond by itself: |s1 - a y r|^2 = d^2, a = 1/m_i + 1/m_j, is a quadratic equation for y.
 * Newton's iteration finds its root next to 0; this is that root. Lanes without a root are left to
 * the iteration; lanes within the tolerance stay unchanged. */
INLINE void solve_pair(const kind K, const rattle__bond_stage *stage, const vector *square,
                       const vector *inverse_mass, const work *w) {
  const vector a = inverse_mass[0] + inverse_mass[1], across = a * product(w->s1, w->r),
               off = product(w->s1, w->s1) - square[0];
  const vector left = across * across - a * a * product(w->r, w->r) * off,
               y = off / (across + ROOT(left));
  const bits solved =
      (bits)(left > 0) & (bits)(across > 0) & (bits)(size(off) > 2 * stage->tolerance * square[0]);
  w->y[0] = (vector)((bits)y & solved);
  push(K, inverse_mass, w->r, w->y, w->u);
}

/* The lanes that could not be made right. */
INLINE bits correct_positions(const kind K, const rattle__bond_stage *stage, const vector *square,
                              const vector *inverse_mass, const work *w) {
  if (K.bonds == 1 && !K.shape) solve_pair(K, stage, square, inverse_mass, w);
  for (int k = 0;; k++) {
    const bits wrong = length_residuals(K, stage, square, w);
    if (k == MOST || !any(wrong)) return wrong;
    assemble(K, inverse_mass, w);
    eliminate(K, w->value);
    solve(K, w->value, w->y);
    UNROLL
    for (int i = 0; i < K.bonds; i++) w->y[i] = (vector)((bits)w->y[i] & wrong);
    push(K, inverse_mass, w->r, w->y, w->u);
  }
}

/* --- outputs ---------------------------------------------------------------------------------- */

/* Multipliers y of a stage that changed velocities or positions by u_i = -lambda_k r_k/m_i, u_j =
 * lambda_k r_k/m_j, whichever solver did it: A lambda = -G u. */
INLINE void find_multipliers(const kind K, const rattle__bond_shape *shape,
                             const vector *inverse_mass, vector *r, const vector *u,
                             const work *w) {
  const work symmetric = {.r = r, .s = r, .value = w->value, .form = w->form};
  if (bodies_of(K))
    assemble_bodies(shape, &symmetric);
  else
    assemble(K, inverse_mass, &symmetric);
  eliminate(K, w->value);
  for (int k = 0; k < K.bonds; k++) {
    vector rate[3];
    AXES rate[d] = u[3 * K.pair[2 * k + 1] + d] - u[3 * K.pair[2 * k] + d];
    w->y[k] = product(r + 3 * k, rate);
  }
  solve(K, w->value, w->y);
}

/* u becomes the forces of y along r [3 atoms], virial their virial. A body has the forces `all`,
 * which include the pull of its lines: lines add no virial, since their forces have neither a sum
 * nor a torque on a line. */
INLINE void find_forces(const kind K, const rattle__bond_shape *shape, const vector *inverse_mass,
                        const vector *r, double scale, const vector *all, vector *u,
                        const vector *y, vector virial[6]) {
  clear(K, u);
  for (int k = 0; k < K.bonds; k++) {
    const vector *e = r + 3 * k, by = scale * y[k];
    AXES {
      u[3 * K.pair[2 * k] + d] -= by * e[d];
      u[3 * K.pair[2 * k + 1] + d] += by * e[d];
      virial[d] -= by * e[d] * e[d];
    }
    virial[3] -= by * e[0] * e[1], virial[4] -= by * e[0] * e[2], virial[5] -= by * e[1] * e[2];
  }
  for (int b = 0; b < bodies_of(K); b++)
    for (int k = 0; k < shape->body[b].atoms; k++) {
      const int a = shape->body[b].atom[k];
      AXES u[3 * a + d] = scale * all[3 * a + d] / inverse_mass[a];
    }
}

/* Outputs of a stage that changed the lanes by u, for the lanes that have not failed. Sums of the
 * virial are taken by the clusters' numbers, eight at a time, so that they do not depend on the
 * vectors. w->x is scratch. */
INLINE void put_outputs(const kind K, const rattle__bond_shape *shape,
                        const rattle__bond_stage *stage, long long group,
                        const vector *inverse_mass, vector *r, vector *u, bits failed,
                        const work *w, rattle__bond_failure *report) {
  const rattle__bond_output *out = stage->output;
  vector virial[6] = {{0}};
  if (bodies_of(K)) {
    for (int a = 0; a < 3 * K.atoms; a++) w->x[a] = u[a];
    straighten(shape, w, u); /* without what made lines straight */
  }
  find_multipliers(K, shape, inverse_mass, r, u, w);
  find_forces(K, shape, inverse_mass, r, out->scale, w->x, u, w->y, virial);
  for (int l = 0; l < WIDTH; l++) {
    const long long cluster = group * WIDTH + l;
    if (cluster >= shape->clusters || failed[l]) continue;
    for (int c = 0; c < 6; c++) report->virial[cluster % 8][c] += virial[c][l];
    for (int k = 0; k < K.bonds && out->multipliers; k++)
      out->multipliers[shape->number[cluster * K.bonds + k]] = w->y[k][l];
  }
  if (out->forces)
    store(K, shape, (array){out->forces, 0}, shape->place + group * K.atoms * WIDTH, u, failed,
          NULL);
}

/* Corrects the lengths of a group: u, from s1. Returns the lanes in which this failed. */
typedef bits correction(const kind K, const rattle__bond_stage *stage, const vector *square,
                        const vector *inverse_mass, const work *w);

/* Lanes of velocities that floats cannot hold. */
INLINE bits beyond_floats(const kind K, const rattle__bond_stage *stage, const vector *v) {
  bits beyond = {0};
  for (int a = 0; a < 3 * K.atoms && !K.plain && stage->single; a++)
    beyond |= (bits)(size(v[a]) > FLT_MAX);
  return beyond;
}

/* Failures and outputs are not in the text of each shape, whose vectors then need no memory that
 * others see: they are handed over in room, laid out for any shape. */
INLINE kind any_of(const rattle__bond_shape *shape) {
  return (kind){shape->atoms, shape->bonds, shape->pair, shape, 0};
}

INLINE work hand_to(const kind K, const rattle__bond_shape *shape, const work *w, vector *room) {
  work to = K.shape ? *w : lay_out(any_of(shape), room, room);
  to.form = w->form, to.fastest = w->fastest;
  return to;
}

INLINE void copy(const int triples, const vector *from, vector *to) {
  UNROLL
  for (int k = 0; k < triples; k++) AXES to[3 * k + d] = from[3 * k + d];
}

/* positions: 1 for the stage of positions, 0 for the stage of velocities. */
INLINE void hand_over(const kind K, const int positions, const work *w, const work *to) {
  if (K.shape) return;
  if (positions) copy(K.bonds, w->r, to->r);
  if (positions) copy(K.bonds, w->s1, to->s1);
  if (!positions) copy(K.bonds, w->s, to->s);
  copy(K.atoms, w->u, to->u);
  UNROLL
  for (int k = 0; k < K.bonds; k++) to->y[k] = w->y[k];
}

/* Lanes of a group that could not be made right, and those of them that floats cannot hold. */
typedef struct lanes_left {
  bits failed, beyond;
} lanes_left;

TARGET static __attribute__((noinline)) void
report_positions(const rattle__bond_shape *shape, const rattle__bond_stage *stage, long long group,
                 const lanes_left *left, const work *w, rattle__bond_failure *failure) {
  const long long own = shape->uniform ? 0 : group;
  const vector *inverse_mass = (const vector *)shape->inverse_mass + own * shape->atoms;
  const vector *square = (const vector *)shape->square + own * shape->bonds;
  if (any(left->failed)) {
    for (int k = 0; k < shape->bonds; k++)
      w->y[k] = (vector)((bits)(size(w->y[k]) / square[k]) & ~left->beyond);
    note(shape, group, &left->failed, w->y, failure);
  }
  if (stage->output)
    put_outputs(any_of(shape), shape, stage, group, inverse_mass, w->r, w->u, left->failed, w,
                failure);
}

INLINE void positions_of(const kind K, correction *correct, const rattle__bond_shape *shape,
                         const rattle__bond_stage *stage, long long from, long long to, work w,
                         rattle__bond_failure *failure) {
  vector *const room = w.room;
  for (long long group = from; group < to; group++) {
    const int *place = shape->place + group * K.atoms * WIDTH;
    const long long own = shape->uniform ? 0 : group;
    w.form = shape->form ? (const vector *)shape->form + own * shape->forms : NULL;
    const vector *inverse_mass = (const vector *)shape->inverse_mass + own * K.atoms;
    const vector *square = (const vector *)shape->square + own * K.bonds;
    load_atoms(K, shape, place, array_of(K, stage, stage->x0), w.x0, room);
    load_atoms(K, shape, place, array_of(K, stage, stage->x), w.x, room);
    differ(K, w.x0, w.r);
    differ(K, w.x, w.s1);
    if (stage->box) take_images(K.bonds, stage->box, w.r);
    if (stage->box) take_images(K.bonds, stage->box, w.s1);
    clear(K, w.u);
    lanes_left left = {correct(K, stage, square, inverse_mass, &w), {0}};
    UNROLL
    for (int a = 0; a < K.atoms; a++) AXES w.x[3 * a + d] += w.u[3 * a + d];
    if (stage->v) {
      load_atoms(K, shape, place, array_of(K, stage, stage->v), w.x0, room);
      UNROLL
      for (int a = 0; a < K.atoms; a++) AXES w.x0[3 * a + d] += w.u[3 * a + d] * stage->by_h;
      left.beyond = beyond_floats(K, stage, w.x0) & ~left.failed;
      left.failed |= left.beyond;
      store(K, shape, array_of(K, stage, stage->v), place, w.x0, left.failed, room);
    }
    store(K, shape, array_of(K, stage, stage->x), place, w.x, left.failed, room);
    if (!any(left.failed) && !stage->output) continue;
    const work handed = hand_to(K, shape, &w, room);
    const lanes_left shown = left;
    hand_over(K, 1, &w, &handed);
    report_positions(shape, stage, group, &shown, &handed, failure);
  }
}

/* --- velocities ------------------------------------------------------------------------------- */

/* Right sides s . (v_i - v_j), v being in u, and the lanes in which one is not small: against the
 * speeds of both atoms, or against round-off in the largest speed of the cluster before the stage,
 * whose square is w->fastest. */
INLINE bits rate_residuals(const kind K, const rattle__bond_stage *stage, const work *w) {
  vector worst = {0}, sum = {0};
  const vector floor = (8 * DBL_EPSILON * (8 * DBL_EPSILON)) * w->fastest;
  UNROLL
  for (int k = 0; k < K.bonds; k++) {
    const vector *vi = w->u + 3 * K.pair[2 * k], *vj = w->u + 3 * K.pair[2 * k + 1];
    vector rate[3];
    AXES rate[d] = vi[d] - vj[d];
    w->y[k] = product(w->s + 3 * k, rate);
    const vector allowed =
        stage->tolerance * stage->tolerance * (product(vi, vi) + product(vj, vj));
    const vector part =
        w->y[k] * w->y[k] - product(w->s + 3 * k, w->s + 3 * k) * LARGER(allowed, floor);
    worst = LARGER(worst, part);
    sum += part;
  }
  return (bits)(worst > 0) | ~(bits)(sum <= 1e300);
}

/* The square of the largest speed. */
INLINE vector find_fastest(const kind K, const vector *v) {
  vector fastest = {0};
  UNROLL
  for (int a = 0; a < K.atoms; a++) fastest = LARGER(fastest, product(v + 3 * a, v + 3 * a));
  return fastest;
}

/* The squares of the rates that are left, relative to d^2 and the speeds of both atoms. */
INLINE void rates_left(const kind K, const work *w) {
  for (int k = 0; k < K.bonds; k++) {
    const vector *vi = w->u + 3 * K.pair[2 * k], *vj = w->u + 3 * K.pair[2 * k + 1];
    w->y[k] = w->y[k] * w->y[k] /
              (product(w->s + 3 * k, w->s + 3 * k) * (product(vi, vi) + product(vj, vj)));
  }
}

/* The lanes that could not be made right. */
INLINE bits correct_rates(const kind K, const rattle__bond_stage *stage, const vector *square,
                          const vector *inverse_mass, const work *w) {
  (void)square;
  const work symmetric = {.r = w->s, .s = w->s, .value = w->value};
  assemble(K, inverse_mass, &symmetric);
  eliminate(K, w->value);
  for (int c = 0;; c++) {
    const bits wrong = rate_residuals(K, stage, w);
    if (c == CORRECTIONS || !any(wrong)) return wrong;
    solve(K, w->value, w->y);
    UNROLL
    for (int k = 0; k < K.bonds; k++) w->y[k] = (vector)((bits)w->y[k] & wrong);
    push(K, inverse_mass, w->s, w->y, w->u);
  }
}

TARGET static __attribute__((noinline)) void
report_velocities(const rattle__bond_shape *shape, const rattle__bond_stage *stage, long long group,
                  const lanes_left *left, const work *w, rattle__bond_failure *failure) {
  const kind K = any_of(shape);
  const vector *inverse_mass =
      (const vector *)shape->inverse_mass + (shape->uniform ? 0 : group) * shape->atoms;
  if (any(left->failed)) {
    rates_left(K, w);
    for (int k = 0; k < K.bonds; k++) w->y[k] = (vector)((bits)w->y[k] & ~left->beyond);
    note(shape, group, &left->failed, w->y, failure);
  }
  if (!stage->output) return;
  for (int a = 0; a < 3 * K.atoms; a++) w->u[a] -= w->x[a];
  put_outputs(K, shape, stage, group, inverse_mass, w->s, w->u, left->failed, w, failure);
}

TARGET static __attribute__((noinline)) void load_before(const rattle__bond_shape *shape,
                                                         const rattle__bond_stage *stage,
                                                         const int *place, vector *v) {
  load_atoms(any_of(shape), shape, place, array_of(any_of(shape), stage, stage->v), v, NULL);
}

INLINE void velocities_of(const kind K, correction *correct, const rattle__bond_shape *shape,
                          const rattle__bond_stage *stage, long long from, long long to, work w,
                          rattle__bond_failure *failure) {
  vector *const room = w.room;
  for (long long group = from; group < to; group++) {
    const int *place = shape->place + group * K.atoms * WIDTH;
    const long long own = shape->uniform ? 0 : group;
    const vector *inverse_mass = (const vector *)shape->inverse_mass + own * K.atoms;
    const vector *square = (const vector *)shape->square + own * K.bonds;
    w.form = shape->form ? (const vector *)shape->form + own * shape->forms : NULL;
    load_atoms(K, shape, place, array_of(K, stage, stage->x), w.x0, room);
    load_atoms(K, shape, place, array_of(K, stage, stage->v), w.u, room);
    differ(K, w.x0, w.s);
    if (stage->box) take_images(K.bonds, stage->box, w.s);
    if (stage->ahead) go_ahead(K, shape, stage->ahead, place, inverse_mass, &w);
    w.fastest = find_fastest(K, w.u);
    lanes_left left = {correct(K, stage, square, inverse_mass, &w), {0}};
    left.beyond = beyond_floats(K, stage, w.u) & ~left.failed;
    left.failed |= left.beyond;
    const work handed = hand_to(K, shape, &w, room);
    const lanes_left shown = left;
    const int report = any(left.failed) || stage->output;
    if (report) {
      hand_over(K, 0, &w, &handed);
      if (stage->output) load_before(shape, stage, place, handed.x);
    }
    if (stage->ahead && report) report_velocities(shape, stage, group, &shown, &handed, failure);
    if (stage->ahead) come_back(K, stage->ahead, inverse_mass, &w);
    if (stage->ahead && stage->ahead->forces)
      store(K, shape, (array){stage->ahead->forces, 0}, place, w.x0, left.failed, room);
    store(K, shape, array_of(K, stage, stage->v), place, w.u, left.failed, room);
    if (report && !stage->ahead) report_velocities(shape, stage, group, &shown, &handed, failure);
  }
}

/* --- shapes that have a text of their own ----------------------------------------------------- */

#ifndef CORRECTIONS_ONLY
#include "bonds/band.h"

#ifndef SANITIZED
static const int star[] = {0, 1, 0, 2, 0, 3, 0, 4}, triangle[] = {0, 1, 0, 2, 1, 2};
static const int four[] = {0, 1, 1, 2, 2, 3, 0, 3}, five[] = {0, 1, 1, 2, 2, 3, 3, 4, 0, 4},
                 six[] = {0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 0, 5};

/* STAGE of the shape at hand: of stars of one to four bonds, of a triangle, of small rings, of
 * paths and other rings, of any. */
#define OWN(A, M, SLOTS, PAIR, HOW)                                                                \
  {                                                                                                \
    vector own[9 * (A) + 10 * (M) + (SLOTS)];                                                      \
    const kind of_own = {(A), (M), (PAIR), NULL, 0};                                               \
    STAGE(of_own, HOW, shape, stage, from, to, lay_out(of_own, own, (vector *)room), failure);     \
  }                                                                                                \
  break
#define SMALL(A, M, PAIR) OWN(A, M, (M) * (M), PAIR, CORRECTION)
#define RING(M, PAIR) OWN(M, M, 5 * (M)-6, PAIR, ALONG)
#define EVERY_SHAPE                                                                                \
  const kind any_shape = any_of(shape);                                                            \
  switch (shape->family) {                                                                         \
  case RATTLE__BOND_STAR + 1:                                                                      \
    SMALL(2, 1, star);                                                                             \
  case RATTLE__BOND_STAR + 2:                                                                      \
    SMALL(3, 2, star);                                                                             \
  case RATTLE__BOND_STAR + 3:                                                                      \
    SMALL(4, 3, star);                                                                             \
  case RATTLE__BOND_STAR + 4:                                                                      \
    SMALL(5, 4, star);                                                                             \
  case RATTLE__BOND_TRIANGLE:                                                                      \
  case RATTLE__BOND_ISOSCELES:                                                                     \
    SMALL(3, 3, triangle);                                                                         \
  case RATTLE__BOND_RING + 4:                                                                      \
    RING(4, four);                                                                                 \
  case RATTLE__BOND_RING + 5:                                                                      \
    RING(5, five);                                                                                 \
  case RATTLE__BOND_RING + 6:                                                                      \
    RING(6, six);                                                                                  \
  case RATTLE__BOND_PATH:                                                                          \
    STAGE(any_shape, ALONG, shape, stage, from, to,                                                \
          lay_out(any_shape, (vector *)room, (vector *)room), failure);                            \
    break;                                                                                         \
  default:                                                                                         \
    STAGE(any_shape, CORRECTION, shape, stage, from, to,                                           \
          lay_out(any_shape, (vector *)room, (vector *)room), failure);                            \
  }
#else
#define EVERY_SHAPE                                                                                \
  const kind any_shape = any_of(shape);                                                            \
  if (shape->family >= RATTLE__BOND_PATH && shape->family <= RATTLE__BOND_RINGS) {                 \
    STAGE(any_shape, ALONG, shape, stage, from, to,                                                \
          lay_out(any_shape, (vector *)room, (vector *)room), failure);                            \
  } else {                                                                                         \
    STAGE(any_shape, CORRECTION, shape, stage, from, to,                                           \
          lay_out(any_shape, (vector *)room, (vector *)room), failure);                            \
  }
#endif

TARGET static void positions(const rattle__bond_shape *shape, const rattle__bond_stage *stage,
                             long long from, long long to, double *room,
                             rattle__bond_failure *failure){
#define STAGE positions_of
#define CORRECTION correct_positions
#define ALONG band_positions
    EVERY_SHAPE
#undef ALONG
#undef CORRECTION
#undef STAGE
}

TARGET static void velocities(const rattle__bond_shape *shape, const rattle__bond_stage *stage,
                              long long from, long long to, double *room,
                              rattle__bond_failure *failure) {
#define STAGE velocities_of
#define CORRECTION correct_rates
#define ALONG band_rates
  EVERY_SHAPE
#undef ALONG
#undef CORRECTION
#undef STAGE
}

const rattle__bond_kernel KERNEL = {KERNEL_NAME, WIDTH, positions, velocities};
#endif
