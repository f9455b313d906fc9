#ifndef RATTLE__BOND_ATOMS_H
#define RATTLE__BOND_ATOMS_H
/* Positions and velocities of a group's atoms, from the caller's arrays to vectors and back. Part
 * of the text of kernel.h.
 *
 * If atoms follow one another in memory, whole rows are loaded and transposed. Otherwise numbers
 * are gathered one by one. All shapes share the function that gathers, so that shapes with a text
 * of their own need no memory for their vectors. */

TARGET static __attribute__((noinline)) void
load_apart(const rattle__bond_shape *shape, const int *place, const array *from, vector *x) {
  for (int a = 0; a < shape->atoms; a++) AXES x[3 * a + d] = gather(*from, d, place + a * WIDTH);
}

/* Except in the lanes that failed. */
TARGET static __attribute__((noinline)) void store_apart(const rattle__bond_shape *shape,
                                                         const int *place, const array *to,
                                                         const vector *x, const bits *failed) {
  for (int a = 0; a < shape->atoms; a++)
    AXES put_where(*to, d, place + a * WIDTH, x[3 * a + d], ~*failed);
}

/* The place of the first number of each lane in the caller's array. */
typedef struct lane_places {
  long long at[WIDTH];
} lane_places;

INLINE lane_places places_of(const kind K, const rattle__bond_shape *shape, const int *place) {
  lane_places p;
  const long long first = place[0] - (K.shape ? shape->lead : 0);
  for (int l = 0; l < WIDTH; l++)
    p.at[l] = K.plain ? first + l * shape->stride : first + (place[l] - place[0]);
  return p;
}

#ifdef TILES
INLINE void load_tiles(const kind K, const rattle__bond_shape *shape, const int *place, array from,
                       vector *x) {
  const int n = 3 * K.atoms;
  const lane_places lane = places_of(K, shape, place);
  UNROLL
  for (int k = 0; k < n; k += TILE) {
    const int at = k + TILE <= n ? k : n - TILE;
    vector t[TILE];
    load_tile(from, at, lane.at, t);
    for (int j = 0; j < TILE; j++) x[K.shape ? shape->spread[at + j] : at + j] = t[j];
  }
}

INLINE void store_tiles(const kind K, const rattle__bond_shape *shape, array to, const int *place,
                        const vector *x) {
  const int n = 3 * K.atoms;
  const lane_places lane = places_of(K, shape, place);
  UNROLL
  for (int k = 0; k < n; k += TILE) {
    const int at = k + TILE <= n ? k : n - TILE;
    vector t[TILE];
    for (int j = 0; j < TILE; j++) t[j] = x[K.shape ? shape->spread[at + j] : at + j];
    store_tile(to, at, lane.at, t);
  }
}

/* Shapes with a text of their own have a fixed order. */
INLINE int in_tiles(const kind K, const rattle__bond_shape *shape) {
  return K.plain || (K.shape ? shape->spread != NULL : shape->straight);
}
#else
INLINE int in_tiles(const kind K, const rattle__bond_shape *shape) {
  (void)K, (void)shape;
  return 0;
}
#define load_tiles(K, shape, place, from, x) (void)0
#define store_tiles(K, shape, to, place, x) (void)0
#endif

/* room: as in `work`. */
INLINE void load_atoms(const kind K, const rattle__bond_shape *shape, const int *place, array from,
                       vector *x, vector *room) {
  if (in_tiles(K, shape)) {
    if (from.single)
      load_tiles(K, shape, place, ((array){from.at, 1}), x);
    else
      load_tiles(K, shape, place, ((array){from.at, 0}), x);
    return;
  }
  load_apart(shape, place, &from, K.shape ? x : room);
  if (K.shape) return;
  UNROLL
  for (int a = 0; a < K.atoms; a++) AXES x[3 * a + d] = room[3 * a + d];
}

/* Except in the lanes that failed. */
INLINE void store(const kind K, const rattle__bond_shape *shape, array to, const int *place,
                  const vector *x, bits failed, vector *room) {
  if (!any(failed) && in_tiles(K, shape)) {
    if (to.single)
      store_tiles(K, shape, ((array){to.at, 1}), place, x);
    else
      store_tiles(K, shape, ((array){to.at, 0}), place, x);
    return;
  }
  const bits apart = failed;
  if (!K.shape) {
    UNROLL
    for (int a = 0; a < K.atoms; a++) AXES room[3 * a + d] = x[3 * a + d];
  }
  store_apart(shape, place, &to, K.shape ? x : room, &apart);
}

/* Up to which group texts for plain groups can be used. */
INLINE long long plain_to(const rattle__bond_shape *shape, const rattle__bond_stage *stage,
                          long long from, long long to) {
#ifdef TILES
  if (shape->straight && !stage->single)
    return shape->even < from ? from : shape->even < to ? shape->even : to;
#endif
  (void)shape, (void)stage, (void)to;
  return from;
}
#endif
