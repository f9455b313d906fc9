/* The closed form for a triangle with two equal sides and masses, its apex first: the plane before
 * the step, then three angles about the centre of mass. Included by rows.h.
 *
 * Source   Miyamoto & Kollman 1992, (A1)-(A16). Velocities: the matrix of their three equations
 *          follows from lengths and masses, and its inverse is made once. Lanes that turn too far
 *          are left to Newton's iteration from the start, which gives the same positions or the
 *          same failure; so are velocities at positions whose lengths are not right
 * Symbols  a apex, b and c the others; X, Y, Z axes, Z across the plane before the step; form:
 *          bonds.h */

static const int sides[] = {0, 1, 0, 2, 1, 2};
static const kind water = {3, 3, sides, NULL, 0}, plain_water = {3, 3, sides, NULL, 1};
enum { TRIANGLE_ROOM = 9 * 3 + 10 * 3 + 9 };

INLINE void cross(const vector *a, const vector *b, vector *c) {
  c[0] = a[1] * b[2] - a[2] * b[1];
  c[1] = a[2] * b[0] - a[0] * b[2];
  c[2] = a[0] * b[1] - a[1] * b[0];
}

INLINE void to_unit(vector *a) {
  const vector by = 1 / ROOT(product(a, a));
  AXES a[d] *= by;
}

/* Z across the triangle of sides b0 and c0, Y towards the apex at a1. */
INLINE void settle_axes(const vector *b0, const vector *c0, const vector *a1, vector axis[3][3]) {
  cross(b0, c0, axis[2]);
  cross(a1, axis[2], axis[0]);
  to_unit(axis[2]);
  to_unit(axis[0]);
  cross(axis[2], axis[0], axis[1]);
}

/* The three atoms about their centre of mass after the step: place[atom][axis]. before: b0 and c0,
 * now: a1, b1 and c1, in those axes. Returns the lanes in which all angles are below 60 degrees:
 * near right angles round-off is large, and then there is no solution. */
INLINE bits settle_angles(const vector *form, vector before[2][3], vector now[3][3],
                          vector place[3][3]) {
  const vector above = form[RATTLE__SETTLE_APEX], below = form[RATTLE__SETTLE_FOOT],
               half = form[RATTLE__SETTLE_HALF];
  const vector sin_phi = now[0][2] * form[RATTLE__SETTLE_BY_APEX], phi = 1 - sin_phi * sin_phi,
               cos_phi = ROOT(phi);
  const vector by_phi = 1 / cos_phi,
               tilted = (now[1][2] - now[2][2]) * form[RATTLE__SETTLE_BY_BASE];
  const vector psi = phi - tilted * tilted, sin_psi = tilted * by_phi,
               cos_psi = ROOT(psi) * by_phi; /* psi: (cos_phi cos_psi)^2 */
  const vector ya = above * cos_phi, xb = -half * cos_psi, tilt = half * sin_psi * sin_phi;
  const vector yb = -below * cos_phi - tilt, yc = -below * cos_phi + tilt;
  const vector alpha = xb * (before[0][0] - before[1][0]) + before[0][1] * yb + before[1][1] * yc;
  const vector beta = xb * (before[1][1] - before[0][1]) + before[0][0] * yb + before[1][0] * yc;
  const vector gamma = before[0][0] * now[1][1] - now[1][0] * before[0][1] +
                       before[1][0] * now[2][1] - now[2][0] * before[1][1];
  const vector sum = alpha * alpha + beta * beta, left = sum - gamma * gamma, root = ROOT(left),
               by = 1 / sum;
  const vector sin_theta = (alpha * gamma - beta * root) * by,
               cos_theta = (beta * gamma + alpha * root) * by;
  const vector flat[3][2] = {{(vector){0}, ya}, {xb, yb}, {-xb, yc}};
  for (int a = 0; a < 3; a++) {
    place[a][0] = flat[a][0] * cos_theta - flat[a][1] * sin_theta;
    place[a][1] = flat[a][0] * sin_theta + flat[a][1] * cos_theta;
    place[a][2] = now[a][2];
  }
  const double least = 0.5;
  return (bits)(phi > least * least) & (bits)(psi > least * least * phi) &
         (bits)(left > least * least * sum) & (bits)(cos_theta > least);
}

/* Newton's iteration from where w is, apart from the text of the closed forms. */
typedef void newton_of_water(const rattle__bond_stage *stage, const vector *square,
                             const vector *inverse_mass, const work *w, bits *wrong);

TARGET static __attribute__((noinline)) void newton_positions(const rattle__bond_stage *stage,
                                                              const vector *square,
                                                              const vector *inverse_mass,
                                                              const work *w, bits *wrong) {
  *wrong = correct_positions(water, stage, square, inverse_mass, w);
}

TARGET static __attribute__((noinline)) void newton_velocities(const rattle__bond_stage *stage,
                                                               const vector *square,
                                                               const vector *inverse_mass,
                                                               const work *w, bits *wrong) {
  *wrong = correct_rates(water, stage, square, inverse_mass, w);
}

INLINE bits go_on(newton_of_water *newton, const int positions, const rattle__bond_stage *stage,
                  const vector *square, const vector *inverse_mass, const work *w) {
  work handed = lay_out(water, w->room, w->room);
  bits wrong;
  handed.fastest = w->fastest;
  hand_over(water, positions, w, &handed);
  newton(stage, square, inverse_mass, &handed, &wrong);
  copy(3, handed.u, w->u);
  for (int k = 0; k < 3; k++) w->y[k] = handed.y[k];
  return wrong;
}

INLINE bits settle_positions(const kind K, const rattle__bond_stage *stage, const vector *square,
                             const vector *inverse_mass, const work *w) {
  const vector share = w->form[RATTLE__SETTLE_SHARE];
  vector b0[3], c0[3], centred[3][3], axis[3][3], before[2][3], now[3][3], place[3][3];
  AXES {
    b0[d] = -w->r[d], c0[d] = -w->r[3 + d];
    const vector b1 = -w->s1[d], c1 = -w->s1[3 + d], centre = share * (b1 + c1); /* from the apex */
    centred[0][d] = -centre, centred[1][d] = b1 - centre, centred[2][d] = c1 - centre;
  }
  settle_axes(b0, c0, centred[0], axis);
  for (int e = 0; e < 3; e++) {
    before[0][e] = product(axis[e], b0), before[1][e] = product(axis[e], c0);
    for (int a = 0; a < 3; a++) now[a][e] = product(axis[e], centred[a]);
  }
  const bits solved = settle_angles(w->form, before, now, place);
  for (int a = 0; a < 3; a++) AXES {
      const vector to =
          axis[0][d] * place[a][0] + axis[1][d] * place[a][1] + axis[2][d] * place[a][2];
      w->u[3 * a + d] = (vector)((bits)(to - centred[a][d]) & solved);
    }
  const bits wrong = length_residuals(K, stage, square, w);
  return any(wrong) ? go_on(newton_positions, 1, stage, square, inverse_mass, w) : wrong;
}

INLINE bits settle_velocities(const kind K, const rattle__bond_stage *stage, const vector *square,
                              const vector *inverse_mass, const work *w) {
  const vector *a = w->form + RATTLE__SETTLE_INVERSE;
  vector rate[3];
  for (int k = 0; k < 3; k++) {
    const vector *vi = w->u + 3 * sides[2 * k], *vj = w->u + 3 * sides[2 * k + 1];
    rate[k] = w->s[3 * k] * (vi[0] - vj[0]) + w->s[3 * k + 1] * (vi[1] - vj[1]) +
              w->s[3 * k + 2] * (vi[2] - vj[2]);
  }
  w->y[0] = a[0] * rate[0] + a[1] * rate[1] + a[2] * rate[2];
  w->y[1] = a[1] * rate[0] + a[3] * rate[1] + a[4] * rate[2];
  w->y[2] = a[2] * rate[0] + a[4] * rate[1] + a[5] * rate[2];
  push(K, inverse_mass, w->s, w->y, w->u);
  const bits wrong = rate_residuals(K, stage, w);
  return any(wrong) ? go_on(newton_velocities, 0, stage, square, inverse_mass, w) : wrong;
}
