/* Three atoms on a line, the middle one first: it is placed between the others, x_0 = a x_1 + b x_2, and their distance is right. Included by
 * rows.h.
 *
 * Source   G. Ciccotti, M. Ferrario, J. P. Ryckaert, Mol. Phys. 47 (1982) 1253, for linear molecules
 * Method   RATTLE for the constraints c = x_0 - a x_1 - b x_2 = 0, whose gradients are constant, and |x_1 - x_2| = d: three distances have
 *          dependent gradients on a line. First c in the metric of masses, then d along r, with c = 0 kept: both in closed form. a + b = 1, so
 *          that momentum is conserved, and angular momentum since forces of c have no torque on a line */

/* How a push along r by 1 moves each atom where c is kept, and what a push against c does. */
typedef struct line_pushes {
  vector a, b, by_c, along[3];
} line_pushes;

INLINE line_pushes line_of(const vector *square, const vector *inverse_mass) {
  const vector near = ROOT(square[0]), far = ROOT(square[1]), *m = inverse_mass;
  line_pushes p = {.a = far / (near + far), .b = near / (near + far)};
  p.by_c = 1 / (m[0] + p.a * p.a * m[1] + p.b * p.b * m[2]);
  const vector back = (p.a * m[1] - p.b * m[2]) * p.by_c;
  p.along[0] = -m[0] * back;
  p.along[1] = p.a * m[1] * back - m[1];
  p.along[2] = p.b * m[2] * back + m[2];
  return p;
}

/* Removes c [3]. */
INLINE void line_place(const line_pushes *p, const vector *inverse_mass, const vector *c, vector *u) {
  AXES {
    const vector kappa = c[d] * p->by_c;
    u[d] -= inverse_mass[0] * kappa;
    u[3 + d] += p->a * inverse_mass[1] * kappa;
    u[6 + d] += p->b * inverse_mass[2] * kappa;
  }
}

INLINE bits line_positions(const kind K, const rattle__bond_stage *stage, const vector *square, const vector *inverse_mass,
                           const work *w) {
  const line_pushes p = line_of(square, inverse_mass);
  const vector *r = w->r + 6, reach = p.along[2] - p.along[1];
  vector s[3], c[3];
  AXES c[d] = p.a * w->s1[d] + p.b * w->s1[3 + d];
  line_place(&p, inverse_mass, c, w->u);
  AXES s[d] = w->s1[6 + d] + w->u[3 + d] - w->u[6 + d];
  const vector off = product(s, s) - square[2], sr = product(s, r);
  const vector y = off / ((sr + ROOT(sr * sr - product(r, r) * off)) * reach);
  for (int a = 0; a < 3; a++) AXES w->u[3 * a + d] += p.along[a] * y * r[d];
  return look_at_lengths(K, stage, square, w);
}

INLINE bits line_velocities(const kind K, const rattle__bond_stage *stage, const vector *square, const vector *inverse_mass,
                            const work *w) {
  const line_pushes p = line_of(square, inverse_mass);
  const vector *s = w->s + 6, *u = w->u;
  vector rate[3], c[3];
  AXES c[d] = u[d] - p.a * u[3 + d] - p.b * u[6 + d];
  line_place(&p, inverse_mass, c, w->u);
  AXES rate[d] = u[3 + d] - u[6 + d];
  const vector y = product(s, rate) / (product(s, s) * (p.along[2] - p.along[1]));
  for (int a = 0; a < 3; a++) AXES w->u[3 * a + d] += p.along[a] * y * s[d];
  return look_at_rates(K, stage, w);
}
