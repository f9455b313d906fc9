/* Which clusters are cut, and their masses and lengths in the lanes of their pieces. */
#include "bonds/bonds.h"
#include "bonds/cut.h"

/* From how many bonds on a cluster is cut, and how many clusters of one shape fill lanes by
 * themselves, which is faster. Neither depends on the vectors, so that results do not. The most:
 * places are ints. */
enum { CUT_FROM = 64, CUT_MOST = 1 << 24, FILL_LANES = 8 };

/* True if vectors of half the width would not take many more batches, since lanes are empty: a
 * batch of theirs costs more than half, and up to one and a half times as many take no longer. */
static int are_too_wide(const rattle__bond_cut *wide, const rattle__bond_cut *half) {
  return half ? 2 * half->batches <= 3 * wide->batches
              : 4 * wide->pieces <= 3 * wide->width * wide->batches;
}

/* Cuts a cluster for the vectors of the caller, or else for those that take less time. */
static int cut_best(rattle_bonds *b, rattle__bond_shape *s) {
  int found = rattle__bonds_cut(s, s->width, &b->arena);
  rattle__bond_cut *wide = s->cut;
  if (found <= 0 || b->kernel_given || wide->width < 8 || !are_too_wide(wide, NULL)) return found;
  found = rattle__bonds_cut(s, wide->width / 2, &b->arena);
  if (found >= 0 && !are_too_wide(wide, s->cut)) s->cut = wide;
  return found;
}

int rattle__bonds_choose_width(rattle_bonds *b, rattle__bond_shape *s) {
  s->width = b->kernel->width;
  if (!b->in_pieces || s->family != RATTLE__BOND_ANY || s->bonds < CUT_FROM ||
      s->bonds > CUT_MOST || s->clusters >= FILL_LANES)
    return 1;
  const int found = cut_best(b, s);
  if (found > 0) s->family = RATTLE__BOND_PIECES, s->width = 1;
  return found >= 0;
}

void rattle__bonds_open_cut(rattle__bond_shape *s, rattle__arena *arena) {
  if (!s->cut) return;
  const size_t lanes = (s->uniform ? 1 : (size_t)s->groups) * (size_t)s->cut->width;
  s->cut->inverse_mass = rattle__arena_doubles(arena, lanes * s->cut->atoms);
  s->cut->square = rattle__arena_doubles(arena, lanes * s->cut->bonds);
  s->cut->by_square = rattle__arena_doubles(arena, lanes * s->cut->bonds);
  s->cut->factor = rattle__arena_doubles(arena, lanes * s->cut->factors);
}

/* Fills masses and lengths of group `own`. */
static void fill(const rattle__bond_shape *s, long long own) {
  const rattle__bond_cut *cut = s->cut;
  const size_t W = (size_t)cut->width, group = (size_t)own * W;
  double *inverse_mass = cut->inverse_mass + group * cut->atoms,
         *square = cut->square + group * cut->bonds,
         *by_square = cut->by_square + group * cut->bonds,
         *factor = cut->factor + group * cut->factors;
  const double *of_atom = s->inverse_mass + own * s->atoms, *of_bond = s->square + own * s->bonds;
  for (int k = 0; k < cut->batches; k++) {
    const rattle__bond_batch *b = &cut->batch[k];
    double *mass = inverse_mass + b->first_atom * W, *by = factor + b->first_factor * W;
    for (size_t e = 0; e < (size_t)b->atoms * W; e++) mass[e] = of_atom[cut->atom[b->row[e] / 4]];
    for (size_t e = 0; e < (size_t)b->bonds * W; e++) {
      square[b->first_bond * W + e] = of_bond[b->bond[e]];
      by_square[b->first_bond * W + e] = 0.25 / of_bond[b->bond[e]];
    }
    for (size_t e = 0; e < (size_t)b->pivots * W; e++)
      *by++ = mass[(size_t)b->pair[2 * (e / W)] * W + e % W] +
              mass[(size_t)b->pair[2 * (e / W) + 1] * W + e % W];
    for (size_t e = 0; e < (size_t)b->couplings * W; e++)
      *by++ = b->sign[e] * mass[(size_t)b->coupling[e / W].atom * W + e % W];
  }
}

void rattle__bonds_fill_cut(rattle__bond_shape *s) {
  for (long long own = 0; s->cut && own < (s->uniform ? 1 : s->groups); own++) fill(s, own);
}
