#ifndef RATTLE__BOND_AHEAD_H
#define RATTLE__BOND_AHEAD_H
/* Stages of velocities before half a step of forces, for groups of clusters: part of the text of
 * kernel.h. */

/* The half step is added to u: w->x is the change, w->x0 what u is then. w->x0 was x. */
INLINE void go_ahead(const kind K, const rattle__bond_shape *shape,
                     const rattle_bonds_half_step *half, const int *place,
                     const vector *inverse_mass, const work *w) {
  if (half->x0) store(K, shape, (array){half->x0, 0}, place, w->x0, (bits){0}, w->room);
  load_atoms(K, shape, place, (array){(void *)half->f, 0}, w->x, w->room);
  UNROLL
  for (int a = 0; a < K.atoms; a++) AXES {
      w->x[3 * a + d] *= half->by * inverse_mass[a];
      w->u[3 * a + d] += w->x[3 * a + d];
      w->x0[3 * a + d] = w->u[3 * a + d];
    }
}

/* And is taken from it again; w->x0: the forces. An atom that cannot move has none here. */
INLINE void come_back(const kind K, const rattle_bonds_half_step *half, const vector *inverse_mass,
                      const work *w) {
  UNROLL
  for (int a = 0; a < K.atoms; a++) {
    const vector by = (vector)((bits)(half->scale / inverse_mass[a]) & (bits)(inverse_mass[a] > 0));
    AXES {
      w->x0[3 * a + d] = by * (w->u[3 * a + d] - w->x0[3 * a + d]);
      w->u[3 * a + d] -= w->x[3 * a + d];
    }
  }
}
#endif
