#ifndef RATTLE__PIECE_ROWS_H
#define RATTLE__PIECE_ROWS_H
/* Rows of the atoms of a cluster in pieces, from the caller's arrays and back, and to vectors and
 * back. Part of the text of solve_pieces.h. */

/* The numbers of `from` at W places, one by one: processors' own gathers take longer. */
INLINE vector pick(const double *from, const int *at) {
#if WIDTH == 8
  return (vector){from[at[0]], from[at[1]], from[at[2]], from[at[3]],
                  from[at[4]], from[at[5]], from[at[6]], from[at[7]]};
#elif WIDTH == 4
  return (vector){from[at[0]], from[at[1]], from[at[2]], from[at[3]]};
#else
  return (vector){from[at[0]], from[at[1]]};
#endif
}

INLINE void load_rows(const double *rows, const int *of, vector t[4]) {
#if defined(TILES) && WIDTH >= 4
  long long lane[WIDTH];
  for (int l = 0; l < WIDTH; l++) lane[l] = of[l];
  load_tile((array){(void *)rows, 0}, 0, lane, t);
#else
  AXES t[d] = pick(rows + d, of);
#endif
}

INLINE void store_rows(double *rows, const int *of, vector t[4]) {
#if defined(TILES) && WIDTH >= 4
  long long lane[WIDTH];
  for (int l = 0; l < WIDTH; l++) lane[l] = of[l];
  t[3] = t[2];
  store_tile((array){rows, 0}, 0, lane, t);
#else
  for (int l = 0; l < WIDTH; l++) AXES rows[of[l] + d] = t[d][l];
#endif
}

INLINE void load_cluster(const rattle__bond_shape *s, const rattle__bond_stage *stage,
                         const int *place, const void *from, double *rows) {
  const int *atom = s->cut->atom;
  for (int k = 0; k < s->atoms && !stage->single; k++)
    __builtin_memcpy(rows + 4 * k, (const double *)from + place[atom[k]], 3 * sizeof(double));
  for (int k = 0; k < s->atoms && stage->single; k++)
    AXES rows[4 * k + d] = ((const float *)from)[place[atom[k]] + d];
}

/* Adds rows times `by`; 0: floats cannot hold a sum, and nothing is stored. */
INLINE int add_cluster(const rattle__bond_shape *s, const rattle__bond_stage *stage,
                       const int *place, const double *rows, double by, void *to) {
  for (int pass = stage->single ? 0 : 1; pass < 2; pass++)
    for (int k = 0; k < s->atoms; k++) AXES {
        const size_t at = (size_t)(place[s->cut->atom[k]] + d);
        const double sum = rattle__bond_at(stage, to, at) + rows[4 * k + d] * by;
        if (!pass && __builtin_fabs(sum) > FLT_MAX) return 0;
        if (pass && stage->single) ((float *)to)[at] = (float)sum;
        if (pass && !stage->single) ((double *)to)[at] = sum;
      }
  return 1;
}

INLINE void store_cluster(const rattle__bond_shape *s, const rattle__bond_stage *stage,
                          const int *place, const double *rows, void *to) {
  for (int k = 0; k < s->atoms; k++) AXES {
      const size_t at = (size_t)(place[s->cut->atom[k]] + d);
      if (stage->single)
        ((float *)to)[at] = (float)rows[4 * k + d];
      else
        ((double *)to)[at] = rows[4 * k + d];
    }
}

/* The bond that is off most, or none, where velocities are beyond floats. */
INLINE void note_pieces(const rattle__bond_shape *s, long long cluster, const cut_work *w,
                        int beyond, rattle__bond_failure *failure) {
  if (failure->cluster >= 0) return;
  failure->cluster = cluster, failure->bond = 0, failure->error = 0;
  for (int k = 0; k < s->bonds && !beyond; k++) {
    const double *ui = w->u + s->cut->ends[2 * k], *uj = w->u + s->cut->ends[2 * k + 1];
    const double *r = (const double *)(w->stage->x0 ? w->s1 : w->r) + s->cut->vector[k];
    const int at = s->cut->vector[k]; /* 3 W times a bond of batches, and a lane */
    const double square = ((const double *)w->square)[at / (3 * WIDTH) * WIDTH + at % (3 * WIDTH)];
    double off = 0, ss = 0, speeds = 0;
    AXES {
      const double by = ui[d] - uj[d], e = w->stage->x0 ? r[d * WIDTH] + by : r[d * WIDTH];
      off += e * by, ss += e * e, speeds += ui[d] * ui[d] + uj[d] * uj[d];
    }
    const double now =
        w->stage->x0 ? __builtin_fabs(0.5 * (ss - square)) / square : off * off / (ss * speeds);
    if (now <= failure->error) continue;
    failure->bond = k, failure->error = now;
    if (now != now) return;
  }
}
#endif
