/* Atoms that lines hold together: bodies.h. Part of the text of kernel.h.
 *
 * Symbols  form: P of the bodies, then weights: e_k' W e_l of each bond with itself and of those
 *          that are coupled */

/* Shapes with a text of their own have none. */
INLINE int bodies_of(const kind K) {
  return K.shape ? K.shape->bodies : 0;
}

/* x of each body becomes P x; w->spare is used. */
INLINE void straighten(const rattle__bond_shape *shape, const work *w, vector *x) {
  for (int b = 0; b < shape->bodies; b++) {
    const rattle__bond_body *body = &shape->body[b];
    const vector *p = w->form + body->matrix;
    for (int k = 0; k < body->atoms; k++) AXES w->spare[3 * k + d] = x[3 * body->atom[k] + d];
    for (int k = 0; k < body->atoms; k++, p += body->atoms) {
      vector sum[3] = {{0}};
      for (int l = 0; l < body->atoms; l++) AXES sum[d] += p[l] * w->spare[3 * l + d];
      AXES x[3 * body->atom[k] + d] = sum[d];
    }
  }
}

INLINE void assemble_bodies(const rattle__bond_shape *shape, const work *w) {
  const vector *weight = w->form + shape->entries;
  for (int k = 0; k < shape->bonds; k++)
    w->value[k] = weight[k] * product(w->s + 3 * k, w->r + 3 * k);
  for (int e = shape->bonds; e < shape->slots; e++) w->value[e] = (vector){0};
  weight += shape->bonds;
  for (int c = 0; c < shape->couplings; c++) {
    const rattle__bond_coupling *q = &shape->coupling[c];
    w->value[q->slot] = weight[c] * product(w->s + 3 * q->row, w->r + 3 * q->column);
  }
}
