/* Clusters with atoms on lines: linear constraints, of constant gradients, keep the lines, and
 * Newton's iteration the lengths, with W = P M^-1 in place of M^-1 (bodies.h). Three distances
 * would have dependent gradients there. Included by rows.h.
 *
 * Source   G. Ciccotti, M. Ferrario, J. P. Ryckaert, Mol. Phys. 47 (1982) 1253, for linear
 *          molecules
 * Momenta  forces of a line have no sum and, on it, no torque */

/* u: what makes the lines of x straight, from places about the first atom of each body. w->x0 is
 * used. */
INLINE void find_straight(const rattle__bond_shape *shape, const rattle_bonds_box *box,
                          const work *w) {
  vector *e = w->x0;
  for (int b = 0; b < shape->bodies; b++) {
    const rattle__bond_body *body = &shape->body[b];
    for (int k = 0; k < body->atoms; k++) {
      const int a = body->atom[k], from = k ? body->atom[body->parent[k]] : a;
      vector r[3];
      AXES r[d] = w->x[3 * a + d] - w->x[3 * from + d];
      if (box) take_images(1, box, r);
      AXES e[3 * a + d] = w->u[3 * a + d] = k ? e[3 * from + d] + r[d] : (vector){0};
    }
  }
  straighten(shape, w, w->u);
  for (int b = 0; b < shape->bodies; b++)
    for (int k = 0; k < shape->body[b].atoms; k++)
      AXES w->u[3 * shape->body[b].atom[k] + d] -= e[3 * shape->body[b].atom[k] + d];
}

/* Pushes by y in the lanes of mask, which move bodies as a whole. w->x0 is used. */
INLINE void push_bodies(const kind K, const vector *inverse_mass, const vector *r, bits mask,
                        const work *w) {
  vector *by = w->x0;
  clear(K, by);
  for (int k = 0; k < K.bonds; k++) w->y[k] = (vector)((bits)w->y[k] & mask);
  push(K, inverse_mass, r, w->y, by);
  straighten(K.shape, w, by);
  for (int a = 0; a < 3 * K.atoms; a++) w->u[a] += by[a];
}

INLINE bits line_positions(const kind K, const rattle__bond_stage *stage, const vector *square,
                           const vector *inverse_mass, const work *w) {
  find_straight(K.shape, stage->box, w);
  for (int k = 0;; k++) {
    const bits wrong = length_residuals(K, stage, square, w);
    if (k == MOST || !any(wrong)) return wrong;
    assemble_bodies(K.shape, w);
    eliminate_sparse(K.shape, w->value);
    solve_sparse(K.shape, w->value, w->y);
    push_bodies(K, inverse_mass, w->r, wrong, w);
  }
}

INLINE bits line_velocities(const kind K, const rattle__bond_stage *stage, const vector *square,
                            const vector *inverse_mass, const work *w) {
  (void)square;
  const work symmetric = {.r = w->s, .s = w->s, .value = w->value, .form = w->form};
  straighten(K.shape, w, w->u);
  assemble_bodies(K.shape, &symmetric);
  eliminate_sparse(K.shape, w->value);
  for (int c = 0;; c++) {
    const bits wrong = rate_residuals(K, stage, w);
    if (c == CORRECTIONS || !any(wrong)) return wrong;
    solve_sparse(K.shape, w->value, w->y);
    push_bodies(K, inverse_mass, w->s, wrong, w);
  }
}
