/* One cluster with vectors whose lanes are pieces of it (pieces.c, batches.c), as the text for
 * vectors of one width. Before inclusion: WIDTH, TARGET and LARGER as for kernel.h; PIECES, the
 * name of the two stages.
 *
 * Symbols  of a batch: s_k row and r_k column of the matrix a [bonds bonds], y the right sides. A
 *          pass up eliminates the pivots of one batch after the other, adding to each what earlier
 *          ones changed; it keeps rows of pivots, 1/pivot on their diagonal. A pass down solves,
 *          and pushes the atoms of pivots. Rows are those of atoms, of four numbers, the last
 *          without meaning */
#include <float.h>
#include <stddef.h>

#include "bonds/stage.h"
#include "bonds/cut.h"

#include "bonds/lanes.h"

/* A pass corrects lengths, corrects them with the matrix of the pass before, examines lengths
 * alone, corrects rates, examines rates alone, or solves for rates without examining them. */
enum { CUT_LENGTHS, CUT_LENGTHS_AGAIN, CUT_LENGTHS_ALONE, CUT_RATES, CUT_RATES_ALONE, CUT_SOLVE };

/* The form of a batch; `apart` if its text is compiled for that form alone. */
typedef struct piece_form {
  int pivots, bonds, pushed, atoms, apart;
  const int *pair;
} piece_form;

/* Work arrays of a cluster in pieces. */
typedef struct cut_work {
  const rattle__bond_cut *cut;
  const rattle__bond_stage *stage;
  const vector *inverse_mass, *square, *by_square, *factor;
  vector *r, *s1, *upper, *lower, *update, *y; /* directions of each batch; s before corrections */
  double *x0, *x, *u;                          /* rows */
  int moved;                                   /* 0: the rows u of a stage of positions are 0 */
  double fastest;
  bits wrong, far;
} cut_work;

INLINE cut_work lay_out_pieces(const rattle__bond_shape *shape, const rattle__bond_stage *stage,
                               long long own, double *room) {
  const rattle__bond_cut *c = shape->cut;
  cut_work w = {.cut = c, .stage = stage, .r = (vector *)room};
  w.inverse_mass = (const vector *)c->inverse_mass + (size_t)own * c->atoms;
  w.square = (const vector *)c->square + (size_t)own * c->bonds;
  w.by_square = (const vector *)c->by_square + (size_t)own * c->bonds;
  w.factor = (const vector *)c->factor + (size_t)own * c->factors;
  w.s1 = w.r + 3 * c->bonds;
  w.upper = w.s1 + 3 * c->bonds;
  w.lower = w.upper + c->uppers;
  w.update = w.lower + c->uppers;
  w.update[0] = (vector){0};
  w.y = w.update + c->updates;
  w.x0 = (double *)(w.y + c->pivots);
  w.x = w.x0 + 4 * (size_t)shape->atoms;
  w.u = w.x + 4 * (size_t)shape->atoms;
  return w;
}

#include "bonds/piece_rows.h"

/* Differences of the rows x along the bonds of a batch, nearest images. */
INLINE void differ_piece(const cut_work *w, const rattle__bond_batch *b, const piece_form F,
                         const double *x, vector *out) {
  vector at[2 * RATTLE__MOST_IN_PIECE][4];
  for (int a = 0; a < F.atoms; a++) load_rows(x, b->row + a * WIDTH, at[a]);
  UNROLL
  for (int e = 0; e < F.bonds; e++)
    AXES out[3 * e + d] = at[F.pair[2 * e]][d] - at[F.pair[2 * e + 1]][d];
  if (w->stage->box) take_images(F.bonds, w->stage->box, out);
}

/* Right sides of the pivots; marks the lanes that are beyond the tolerance, and those in which a
 * correction with this matrix and one more with the same would leave more: they leave the square
 * and the third power of the error. s are rows of the matrix. */
INLINE void examine(cut_work *w, const rattle__bond_batch *b, const piece_form F, const int as,
                    const vector (*at)[4], const vector *s, vector *y) {
  const double tolerance = w->stage->tolerance;
  const vector *square = w->square + b->first_bond;
  UNROLL
  for (int k = 0; k < F.pivots; k++) {
    if (as <= CUT_LENGTHS_ALONE) {
      const vector off = product(s + 3 * k, s + 3 * k) - square[k];
      y[k] = 0.5 * off;
      if (as == CUT_LENGTHS_AGAIN) continue;
      w->wrong |= ~(bits)(size(off) <= 2 * tolerance * square[k]);
      if (as == CUT_LENGTHS_ALONE) continue;
      w->far |= ~(bits)(size(off) * off * off <= tolerance * square[k] * square[k] * square[k]);
    } else {
      const vector *vi = at[F.pair[2 * k]], *vj = at[F.pair[2 * k + 1]];
      vector rate[3];
      AXES rate[d] = vi[d] - vj[d];
      y[k] = product(s + 3 * k, rate);
      if (as == CUT_SOLVE) continue;
      const vector allowed = tolerance * tolerance * (product(vi, vi) + product(vj, vj));
      const vector floor = (8 * DBL_EPSILON * (8 * DBL_EPSILON)) * w->fastest + (vector){0};
      w->wrong |= ~(bits)(y[k] * y[k] <= product(s + 3 * k, s + 3 * k) * LARGER(allowed, floor));
    }
  }
}

/* Directions of the first `bonds` bonds after the corrections so far: in own, or where they are.
 * at: rows of `atoms`, which it loads. */
INLINE const vector *follow(const cut_work *w, const rattle__bond_batch *b, const piece_form F,
                            const int bonds, const int atoms, vector (*at)[4], vector *own) {
  const vector *s1 = w->s1 + 3 * b->first_bond;
  if (!w->moved) return s1;
  for (int a = 0; a < atoms; a++) load_rows(w->u, b->row + a * WIDTH, at[a]);
  UNROLL
  for (int k = 0; k < bonds; k++)
    AXES own[3 * k + d] = s1[3 * k + d] + at[F.pair[2 * k]][d] - at[F.pair[2 * k + 1]][d];
  return own;
}

/* Directions half way along the correction to come, for bonds that were corrected one by one. The
 * matrix of these is exact for that correction, since lengths are quadratic in multipliers. */
INLINE void go_half_way(const cut_work *w, const rattle__bond_batch *b, const piece_form F,
                        const vector *s, vector *middle) {
  const vector *r = w->r + 3 * b->first_bond, *by_square = w->by_square + b->first_bond;
  UNROLL
  for (int e = 0; e < F.bonds; e++) {
    const vector back =
        LARGER(0.25 - product(s + 3 * e, s + 3 * e) * by_square[e], (vector){0} - 0.5);
    AXES middle[3 * e + d] = s[3 * e + d] + back * r[3 * e + d];
  }
}

/* Adds what earlier pieces changed, entries of the matrix or right sides, at a. */
INLINE void add_updates(const cut_work *w, const rattle__bond_batch *b, const int from,
                        const int to, vector *a) {
  for (int e = from; e < to; e++)
    a[b->target[e]] += pick((const double *)w->update, b->from + e * WIDTH);
}

/* One batch on the way up with the matrix, and its factors, of the pass before. */
INLINE void climb_again(cut_work *w, const rattle__bond_batch *b, const piece_form F,
                        const int as) {
  const int pivots = F.pivots, bonds = F.bonds;
  vector at[2 * RATTLE__MOST_IN_PIECE][4], own[3 * RATTLE__MOST_IN_PIECE], y[RATTLE__MOST_IN_PIECE];
  const vector *lower = w->lower + b->first_upper;
  vector *update = w->update + b->first_update + (bonds - pivots) * (bonds - pivots),
         *solution = w->y + b->first_pivot;
  examine(w, b, F, as, NULL, follow(w, b, F, pivots, F.pushed, at, own), y);
  UNROLL
  for (int e = pivots; e < bonds; e++) y[e] = (vector){0};
  for (int e = b->entries; e < b->addends; e++)
    y[b->target[e] - bonds * bonds] += pick((const double *)w->update, b->from + e * WIDTH);
  UNROLL
  for (int p = 0; p < pivots; p++) {
    solution[p] = y[p];
    UNROLL
    for (int i = p + 1; i < bonds; i++) y[i] -= lower[p * bonds + i] * y[p];
  }
  UNROLL
  for (int i = pivots; i < bonds; i++) *update++ = y[i];
}

/* The matrix a of a batch [bonds bonds], without what earlier pieces changed. */
INLINE void assemble_piece(const cut_work *w, const rattle__bond_batch *b, const piece_form F,
                           const int symmetric, const vector *s, vector *a) {
  const vector *r = w->r + 3 * b->first_bond, *factor = w->factor + b->first_factor;
  const int bonds = F.bonds;
  UNROLL
  for (int i = 0; i < bonds; i++) {
    UNROLL
    for (int j = 0; j < bonds; j++) a[i * bonds + j] = (vector){0};
  }
  UNROLL
  for (int k = 0; k < F.pivots; k++) a[k * bonds + k] = *factor++ * product(s + 3 * k, r + 3 * k);
  if (!F.apart) {
    for (int c = 0; c < b->couplings; c++) {
      const int k = b->coupling[c].row, e = b->coupling[c].column;
      a[k * bonds + e] = factor[c] * product(s + 3 * k, r + 3 * e);
      a[e * bonds + k] = symmetric ? a[k * bonds + e] : factor[c] * product(s + 3 * e, r + 3 * k);
    }
    return;
  }
  UNROLL
  for (int k = 0; k < F.pivots; k++) {
    UNROLL
    for (int e = k + 1; e < bonds; e++) {
      if (!rattle__bonds_meet_at(F.pair + 2 * k, F.pair + 2 * e)) continue;
      const vector by = *factor++;
      a[k * bonds + e] = by * product(s + 3 * k, r + 3 * e);
      a[e * bonds + k] = symmetric ? a[k * bonds + e] : by * product(s + 3 * e, r + 3 * k);
    }
  }
}

/* One batch on the way up. */
INLINE void climb(cut_work *w, const rattle__bond_batch *b, const piece_form F, const int as) {
  enum { MOST_BONDS = RATTLE__MOST_IN_PIECE };
  const int pivots = F.pivots, bonds = F.bonds;
  vector at[2 * MOST_BONDS][4], own[3 * MOST_BONDS], middle[3 * MOST_BONDS],
      a[MOST_BONDS * MOST_BONDS + MOST_BONDS], *y = a + bonds * bonds;
  const int lengths = as == CUT_LENGTHS || as == CUT_LENGTHS_ALONE,
            alone = as == CUT_LENGTHS_ALONE || as == CUT_RATES_ALONE;
  const vector *s = w->r + 3 * b->first_bond;
  if (lengths)
    s = follow(w, b, F, alone ? pivots : bonds, alone ? F.pushed : F.atoms, at, own);
  else
    for (int k = 0; k < F.pushed; k++) load_rows(w->u, b->row + k * WIDTH, at[k]);
  examine(w, b, F, as, (const vector(*)[4])at, s, y);
  if (alone) return;
  if (lengths) go_half_way(w, b, F, s, middle);
  assemble_piece(w, b, F, !lengths, lengths ? middle : s, a);
  UNROLL
  for (int e = pivots; e < bonds; e++) y[e] = (vector){0};
  add_updates(w, b, 0, b->addends, a);
  vector *upper = w->upper + b->first_upper, *lower = w->lower + b->first_upper,
         *update = w->update + b->first_update, *solution = w->y + b->first_pivot;
  UNROLL
  for (int p = 0; p < pivots; p++) {
    const vector by = 1 / a[p * bonds + p];
    UNROLL
    for (int i = p + 1; i < bonds; i++) {
      const vector factor = a[i * bonds + p] * by;
      if (as == CUT_LENGTHS) lower[p * bonds + i] = factor;
      y[i] -= factor * y[p];
      UNROLL
      for (int j = p + 1; j < bonds; j++) a[i * bonds + j] -= factor * a[p * bonds + j];
    }
    upper[p * bonds + p] = by, solution[p] = y[p];
    UNROLL
    for (int j = p + 1; j < bonds; j++) upper[p * bonds + j] = a[p * bonds + j];
  }
  UNROLL
  for (int i = pivots; i < bonds; i++) {
    UNROLL
    for (int j = pivots; j < bonds; j++) *update++ = a[i * bonds + j];
  }
  UNROLL
  for (int i = pivots; i < bonds; i++) *update++ = y[i];
}

/* One batch on the way down. */
INLINE void descend(const cut_work *w, const rattle__bond_batch *b, const piece_form F,
                    const int as) {
  const int pivots = F.pivots, bonds = F.bonds;
  vector y[RATTLE__MOST_IN_PIECE], *solution = w->y + b->first_pivot;
  const vector *upper = w->upper + b->first_upper, *r = w->r + 3 * b->first_bond,
               *inverse_mass = w->inverse_mass + b->first_atom;
  UNROLL
  for (int e = pivots; e < bonds; e++)
    y[e] = pick((const double *)w->y, b->known + (e - pivots) * WIDTH);
  UNROLL
  for (int q = 0; q < pivots; q++) {
    const int p = pivots - 1 - q;
    vector sum = solution[p];
    UNROLL
    for (int j = p + 1; j < bonds; j++) sum -= upper[p * bonds + j] * y[j];
    y[p] = solution[p] = sum * upper[p * bonds + p];
  }
  if (as == CUT_SOLVE) return;
  vector at[2 * RATTLE__MOST_IN_PIECE][4];
  for (int a = 0; a < F.pushed; a++) load_rows(w->u, b->row + a * WIDTH, at[a]);
  UNROLL
  for (int k = 0; k < pivots; k++) {
    const int i = F.pair[2 * k], j = F.pair[2 * k + 1];
    const vector by_i = inverse_mass[i] * y[k], by_j = inverse_mass[j] * y[k];
    AXES {
      at[i][d] -= by_i * r[3 * k + d];
      at[j][d] += by_j * r[3 * k + d];
    }
  }
  for (int a = 0; a < F.pushed; a++) store_rows(w->u, b->row + a * WIDTH, at[a]);
}

/* A few forms have a text of their own: bonds at one atom, and two pivots of which the second has
 * another bond at its end. */
static const int at_one[] = {0, 1, 0, 2, 0, 3, 0, 4}, at_two[] = {0, 1, 0, 2, 0, 3, 2, 4};

INLINE piece_form any_form(const rattle__bond_batch *b) {
  return (piece_form){b->pivots, b->bonds, b->pushed, b->atoms, 0, b->pair};
}

#define FORM(PIVOTS, BONDS, PAIR) ((piece_form){PIVOTS, BONDS, PIVOTS + 1, BONDS + 1, 1, PAIR})
#ifdef SANITIZED
#define BY_FORM(DO, ...) DO(w, b, any_form(b), __VA_ARGS__);
#else
#define BY_FORM(DO, ...)                                                                           \
  switch (b->form) {                                                                               \
  case RATTLE__PIECE_AT_ONE(1, 2):                                                                 \
    DO(w, b, FORM(1, 2, at_one), __VA_ARGS__);                                                     \
    break;                                                                                         \
  case RATTLE__PIECE_AT_ONE(1, 3):                                                                 \
    DO(w, b, FORM(1, 3, at_one), __VA_ARGS__);                                                     \
    break;                                                                                         \
  case RATTLE__PIECE_AT_ONE(2, 3):                                                                 \
    DO(w, b, FORM(2, 3, at_one), __VA_ARGS__);                                                     \
    break;                                                                                         \
  case RATTLE__PIECE_AT_ONE(2, 4):                                                                 \
    DO(w, b, FORM(2, 4, at_one), __VA_ARGS__);                                                     \
    break;                                                                                         \
  case RATTLE__PIECE_AT_ONE(3, 4):                                                                 \
    DO(w, b, FORM(3, 4, at_one), __VA_ARGS__);                                                     \
    break;                                                                                         \
  case RATTLE__PIECE_AT_TWO:                                                                       \
    DO(w, b, FORM(2, 4, at_two), __VA_ARGS__);                                                     \
    break;                                                                                         \
  default:                                                                                         \
    DO(w, b, any_form(b), __VA_ARGS__);                                                            \
  }
#endif

/* Differences of the rows x along the bonds of all batches. */
INLINE void differ_pieces(const cut_work *w, const double *x, vector *r) {
  for (int k = 0; k < w->cut->batches; k++) {
    const rattle__bond_batch *b = &w->cut->batch[k];
    BY_FORM(differ_piece, x, r + 3 * b->first_bond)
  }
}

/* True if a bond is beyond the tolerance, where it is examined; then the others need not be. */
INLINE int pass_up(cut_work *w, const int as) {
  w->wrong = w->far = (bits){0};
  for (int k = 0; k < w->cut->batches; k++) {
    const rattle__bond_batch *b = &w->cut->batch[k];
    if (as == CUT_LENGTHS_ALONE || as == CUT_RATES_ALONE) {
      BY_FORM(climb, as)
      if (any(w->wrong)) return 1;
    } else {
      if (as == CUT_LENGTHS_AGAIN) {
        BY_FORM(climb_again, as)
      } else {
        BY_FORM(climb, as)
      }
    }
  }
  return any(w->wrong);
}

INLINE void pass_down(const cut_work *w, const int as) {
  for (int k = w->cut->batches - 1; k >= 0; k--) {
    const rattle__bond_batch *b = &w->cut->batch[k];
    BY_FORM(descend, as)
  }
}

/* Newton's iteration, with one matrix for two corrections where the second is likely to be the
 * last; 1: it failed. */
INLINE int correct_lengths_in_pieces(cut_work *w) {
  int again = 0;
  for (int c = 0;; c++) {
    w->moved = c > 0;
    if (c > 0 && !pass_up(w, CUT_LENGTHS_ALONE)) return 0;
    if (c == MOST) return 1;
    if (again) {
      pass_up(w, CUT_LENGTHS_AGAIN);
      again = 0;
    } else {
      if (!pass_up(w, CUT_LENGTHS)) return 0;
      again = !any(w->far);
    }
    pass_down(w, CUT_LENGTHS);
  }
}

INLINE int correct_rates_in_pieces(cut_work *w) {
  for (int c = 0;; c++) {
    const int wrong = pass_up(w, c > 0 ? CUT_RATES_ALONE : CUT_RATES);
    if (c == CORRECTIONS || !wrong) return wrong;
    if (c > 0) pass_up(w, CUT_RATES);
    pass_down(w, CUT_RATES);
  }
}

/* --- outputs ---------------------------------------------------------------------------------- */

/* Multipliers, forces and the virial of a stage that changed the cluster by u. */
INLINE void put_outputs_of_pieces(const rattle__bond_shape *s, long long cluster, const int *place,
                                  cut_work *w, rattle__bond_failure *report) {
  const rattle__bond_output *out = w->stage->output;
  const double *y = (const double *)w->y;
  pass_up(w, CUT_SOLVE);
  pass_down(w, CUT_SOLVE);
  for (int k = 0; k < s->bonds; k++) {
    const double lambda = -y[s->cut->home[k]], by = out->scale * lambda,
                 *r = (const double *)w->r + s->cut->vector[k];
    const double e[3] = {r[0], r[WIDTH], r[2 * WIDTH]};
    const int i = place[s->cut->atom[s->cut->ends[2 * k] / 4]],
              j = place[s->cut->atom[s->cut->ends[2 * k + 1] / 4]];
    double *virial = report->virial[cluster % 8];
    if (out->multipliers) out->multipliers[s->number[cluster * s->bonds + k]] = lambda;
    AXES virial[d] -= by * e[d] * e[d];
    virial[3] -= by * e[0] * e[1], virial[4] -= by * e[0] * e[2], virial[5] -= by * e[1] * e[2];
    if (!out->forces) continue;
    AXES {
      out->forces[i + d] -= by * e[d];
      out->forces[j + d] += by * e[d];
    }
  }
}

/* --- the stages ------------------------------------------------------------------------------- */

TARGET static void positions_in_pieces(const rattle__bond_shape *s, const rattle__bond_stage *stage,
                                       long long from, long long to, double *room,
                                       rattle__bond_failure *failure) {
  for (long long cluster = from; cluster < to; cluster++) {
    const int *place = s->place + cluster * s->atoms;
    cut_work w = lay_out_pieces(s, stage, s->uniform ? 0 : cluster, room);
    load_cluster(s, stage, place, stage->x0, w.x0);
    load_cluster(s, stage, place, stage->x, w.x);
    differ_pieces(&w, w.x0, w.r);
    differ_pieces(&w, w.x, w.s1);
    for (int k = 0; k < 4 * s->atoms; k++) w.u[k] = 0;
    const int wrong = correct_lengths_in_pieces(&w);
    const int beyond =
        !wrong && stage->v && !add_cluster(s, stage, place, w.u, stage->by_h, stage->v);
    if (wrong || beyond) {
      note_pieces(s, cluster, &w, beyond, failure);
      continue;
    }
    add_cluster(s, stage, place, w.u, 1, stage->x);
    if (stage->output) put_outputs_of_pieces(s, cluster, place, &w, failure);
  }
}

TARGET static void velocities_in_pieces(const rattle__bond_shape *s,
                                        const rattle__bond_stage *stage, long long from,
                                        long long to, double *room, rattle__bond_failure *failure) {
  for (long long cluster = from; cluster < to; cluster++) {
    const int *place = s->place + cluster * s->atoms;
    cut_work w = lay_out_pieces(s, stage, s->uniform ? 0 : cluster, room);
    load_cluster(s, stage, place, stage->x, w.x0);
    load_cluster(s, stage, place, stage->v, w.u);
    differ_pieces(&w, w.x0, w.r);
    for (int k = 0; k < 4 * s->atoms; k += 4) {
      const double square = w.u[k] * w.u[k] + w.u[k + 1] * w.u[k + 1] + w.u[k + 2] * w.u[k + 2];
      w.fastest = square > w.fastest ? square : w.fastest;
    }
    for (int k = 0; k < 4 * s->atoms; k++) w.x[k] = w.u[k];
    const int wrong = correct_rates_in_pieces(&w);
    int beyond = 0;
    for (int k = 0; k < 4 * s->atoms; k++) {
      const double v = w.u[k];
      w.u[k] = v - w.x[k];
      w.x[k] = v;
      beyond |= stage->single && k % 4 < 3 && __builtin_fabs(v) > FLT_MAX;
    }
    if (wrong || beyond) {
      for (int k = 0; k < 4 * s->atoms; k++) w.u[k] = w.x[k];
      note_pieces(s, cluster, &w, beyond && !wrong, failure);
      continue;
    }
    store_cluster(s, stage, place, w.x, stage->v);
    if (stage->output) put_outputs_of_pieces(s, cluster, place, &w, failure);
  }
}

const rattle__bond_row PIECES = {"newton", positions_in_pieces, velocities_in_pieces};
