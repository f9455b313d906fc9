/* See molecules.h. */
#include "constraint/links/molecules.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "rattle/bonds.h"
#include "problem/functions/distances.h"
#include "constraint/guard/rules/rules.h"
#include "constraint/links/molecules_folds.h"

/* Clusters of each shape, in the mean. */
enum { CLUSTERS = 4 };
/* Relative error of a length. Coordinates about an atom of the molecule may be 45 bonds long for
 * it. */
static const double tolerance = 1e-14;
/* Residuals by round-off: of the units that coordinates have. */
static const double units = 8;

typedef struct molecules {
  rattle__links links;
  rattle_bonds *bonds;
  int atoms, m, n;
  int *column;                   /* of x, y, z of each atom in q [3 atoms] */
  int *reference;                /* an atom of the same molecule [atoms] */
  int *pair;                     /* atoms of each bond [2 m] */
  double *square, *c;            /* d^2, and c of g = c (|s|^2 - d^2) [m] */
  double *a, *b, *v;             /* atom by atom: places before and after, velocities [3 atoms] */
  double *free, *along;          /* |f|^2 - d^2, r.f [m] */
  double *before, *after, *turn; /* bonds at the ends of a step [3 m], |s - r|^2/d^2 [m] */
  rattle__folds *folds;
} molecules;

/* --- recognising them ------------------------------------------------------------------------- */

/* The columns of both ends of row r, ascending: three each; 0: it has no such ends. */
static int ends_of(const rattle__function *g, const rattle__distances *b, int r, int end[2][3]) {
  int d = 0;
  for (int e = g->jac_ptr[r]; e < g->jac_ptr[r + 1]; e++) {
    const int col = g->jac_col[e], other = b->other[e];
    if (other == col || other < 0) return 0;
    if (other < col) continue;
    if (d == 3) return 0;
    end[0][d] = col;
    end[1][d++] = other;
  }
  return d == 3;
}

/* The atom with the columns `end`, a new one if none has them; -1: they are parts of others. atom
 * [n] by column, -1: none. */
static int atom_of(molecules *s, const int end[3], int *atom) {
  const int known = atom[end[0]];
  if (known >= 0) return memcmp(s->column + 3 * known, end, 3 * sizeof *end) ? -1 : known;
  if (atom[end[1]] >= 0 || atom[end[2]] >= 0) return -1;
  for (int d = 0; d < 3; d++) {
    if (s->links.inverse[end[d]] != s->links.inverse[end[0]] || !(s->links.inverse[end[d]] > 0))
      return -1;
    s->column[3 * s->atoms + d] = end[d];
    atom[end[d]] = s->atoms;
  }
  s->reference[s->atoms] = s->atoms;
  return s->atoms++;
}

/* The first atom of the molecule so far. */
static int root_of(molecules *s, int atom) {
  while (s->reference[atom] != atom) atom = s->reference[atom] = s->reference[s->reference[atom]];
  return atom;
}

static int find_atoms(molecules *s, const rattle__function *g, const rattle__distances *b,
                      int *atom) {
  for (int c = 0; c < s->n; c++) atom[c] = -1;
  for (int r = 0; r < s->m; r++) {
    int end[2][3];
    if (!ends_of(g, b, r, end)) return 0;
    for (int e = 0; e < 2; e++)
      if ((s->pair[2 * r + e] = atom_of(s, end[e], atom)) < 0) return 0;
    const int one = root_of(s, s->pair[2 * r]), other = root_of(s, s->pair[2 * r + 1]);
    s->reference[one < other ? other : one] = one < other ? one : other;
    s->square[r] = b->square[r];
    s->c[r] = b->c[r];
  }
  for (int i = 0; i < s->atoms; i++) s->reference[i] = root_of(s, i);
  return 1;
}

/* 1: made; 0: not, or bonds repeat others or are on a line, which natural.c names, or the lanes of
 * vectors would be empty for the most part */
static int make_bonds(molecules *s, double *length, double *mass) {
  for (int k = 0; k < s->m; k++) length[k] = sqrt(s->square[k]);
  for (int i = 0; i < s->atoms; i++) mass[i] = 1 / s->links.inverse[s->column[3 * i]];
  const rattle_bonds_topology topology = {.struct_size = sizeof topology,
                                          .atoms = s->atoms,
                                          .bonds = s->m,
                                          .pairs = s->pair,
                                          .lengths = length,
                                          .masses = mass};
  const rattle_bonds_options options = {.struct_size = sizeof options, .tolerance = tolerance};
  rattle_bonds_summary summary = {.struct_size = sizeof summary};
  rattle_error unused;
  return !rattle_bonds_create(&s->bonds, &topology, &options, &unused) &&
         !rattle_bonds_summarise(s->bonds, &summary, &unused) && !summary.repeated &&
         !summary.lines && summary.clusters >= CLUSTERS * summary.shapes;
}

/* --- the stages ------------------------------------------------------------------------------- */

/* Places about the reference, and where the free drift takes them. */
static void set_out(molecules *s, double h, const double *restrict q0, const double *restrict w) {
  for (int i = 0; i < s->atoms; i++) {
    const int *own = s->column + 3 * i, *base = s->column + 3 * s->reference[i];
    for (int d = 0; d < 3; d++) {
      const double a = q0[own[d]] - q0[base[d]];
      s->a[3 * i + d] = a;
      s->b[3 * i + d] = a + h * (w[own[d]] - w[base[d]]);
      s->v[3 * i + d] = w[own[d]];
    }
  }
}

/* |f|^2 - d^2 and r.f */
static void look_ahead(molecules *s) {
  for (int k = 0; k < s->m; k++) {
    const double *a = s->a, *b = s->b;
    const int i = 3 * s->pair[2 * k], j = 3 * s->pair[2 * k + 1];
    double square = 0, along = 0;
    for (int d = 0; d < 3; d++) {
      const double f = b[i + d] - b[j + d];
      square += f * f;
      along += f * (a[i + d] - a[j + d]);
    }
    s->free[k] = square - s->square[k];
    s->along[k] = along;
  }
}

/* True if no molecule went over a fold up to q1. */
static int are_folds_far(molecules *s, const double *q1) {
  if (rattle__folds_are_far(s->folds, s->turn, NULL, NULL)) return 1;
  for (int k = 0; k < s->m; k++)
    for (int d = 0; d < 3; d++) {
      const int i = 3 * s->pair[2 * k] + d, j = 3 * s->pair[2 * k + 1] + d;
      s->before[3 * k + d] = s->a[i] - s->a[j];
      s->after[3 * k + d] = q1[s->column[i]] - q1[s->column[j]];
    }
  return rattle__folds_are_far(s->folds, s->turn, s->before, s->after);
}

/* True if the bonds at q1 have their lengths, and are near those before, and no molecule went over
 * a fold. */
static int is_sound(molecules *s, const double *q1) {
  double first = 0, second = 0, worst = 0;
  s->links.g = 0;
  for (int k = 0; k < s->m; k++) {
    const int i = s->pair[2 * k], j = s->pair[2 * k + 1], *own = s->column + 3 * i,
              *other = s->column + 3 * j;
    double square = 0, along = 0, unit = 0;
    for (int d = 0; d < 3; d++) {
      const double x = q1[own[d]], y = q1[other[d]], t = x - y;
      square += t * t;
      along += t * (s->a[3 * i + d] - s->a[3 * j + d]);
      unit += fabs(t) * (fabs(x) + fabs(y));
    }
    const double size = 1 / s->square[k], left = fabs(square - s->square[k]);
    if (!(left <= units * DBL_EPSILON * unit + 2 * tolerance * s->square[k]) ||
        !rattle__bond_is_upright(along, s->square[k]))
      return 0;
    s->turn[k] = 2 - 2 * size * along;
    first = fmax(first, size * fabs(s->free[k]));
    second = fmax(second, size * fabs(s->free[k] + 2 * (along - s->along[k])));
    worst = fmax(worst, left / (2 * DBL_EPSILON * unit));
    s->links.g = fmax(s->links.g, fabs(s->c[k]) * left);
  }
  s->links.residual = worst;
  first /= DBL_EPSILON;
  return !rattle__fell_slowly(first, first, second / DBL_EPSILON, 1, rattle__doubt_chord, 0) &&
         are_folds_far(s, q1);
}

/* The change of velocities s->v from w, as momenta; then w = s->v. */
static void take_velocities(molecules *s, double *restrict w, double *restrict p) {
  for (int k = 0; k < 3 * s->atoms; k++) {
    const int c = s->column[k];
    p[c] += (s->v[k] - w[c]) / s->links.inverse[c];
    w[c] = s->v[k];
  }
}

static int positions(rattle__links *links, double h, const double *q0, double *w, double *p,
                     double *q1) {
  molecules *s = (molecules *)links;
  rattle_error unused;
  set_out(s, h, q0, w);
  look_ahead(s);
  if (rattle_bonds_positions(s->bonds, s->a, s->b, s->v, h, NULL, &unused)) return 0;
  take_velocities(s, w, p);
  for (int i = 0; i < s->n; i++) q1[i] = q0[i] + h * w[i];
  return is_sound(s, q1);
}

/* True if psi is 0 to round-off. */
static int is_at_rest(molecules *s, const double *w) {
  s->links.psi = 0;
  for (int k = 0; k < s->m; k++) {
    const int i = s->pair[2 * k], j = s->pair[2 * k + 1], *own = s->column + 3 * i,
              *other = s->column + 3 * j;
    double sum = 0, unit = 0;
    for (int d = 0; d < 3; d++) {
      const double t = s->b[3 * i + d] - s->b[3 * j + d], x = w[own[d]], y = w[other[d]];
      sum += t * (x - y);
      unit += fabs(t) * (fabs(x) + fabs(y));
    }
    if (!(fabs(sum) <= (units * DBL_EPSILON + 2 * tolerance) * unit)) return 0;
    s->links.psi = fmax(s->links.psi, 2 * fabs(s->c[k] * sum));
  }
  return 1;
}

static int momenta(rattle__links *links, const double *q1, double *w, double *p) {
  molecules *s = (molecules *)links;
  rattle_error unused;
  for (int i = 0; i < s->n; i++) w[i] = s->links.inverse[i] * p[i];
  for (int k = 0; k < 3 * s->atoms; k++) {
    const int c = s->column[k];
    s->b[k] = q1[c] - q1[s->column[3 * s->reference[k / 3] + k % 3]];
    s->v[k] = w[c];
  }
  if (rattle_bonds_velocities(s->bonds, s->b, s->v, NULL, &unused)) return 0;
  take_velocities(s, w, p);
  return is_at_rest(s, w);
}

static void destroy(rattle__links *links) {
  rattle_bonds_destroy(&((molecules *)links)->bonds);
}

/* --- making ----------------------------------------------------------------------------------- */

rattle__links *rattle__molecules_create(const rattle_problem *problem, rattle__arena *arena) {
  const rattle__function *g = problem->g;
  const size_t n = (size_t)problem->n, m = (size_t)problem->m;
  if (!problem->mass || problem->mass->value || !g->quadratic || (size_t)g->jac_nnz != 6 * m)
    return NULL;
  rattle__arena scratch = {0}; /* what it takes to recognise distances goes when that is done */
  const rattle__distances *b;
  int unlike;
  int found = !rattle__distances_create(&b, g, &scratch, &unlike, NULL);
  molecules *s = found ? rattle__arena_take(arena, sizeof *s) : NULL;
  if (scratch.failed) arena->failed = 1;
  if (s) {
    *s = (molecules){.n = problem->n,
                     .m = problem->m,
                     .links = {.positions = positions,
                               .momenta = momenta,
                               .destroy = destroy,
                               .name = "bonds",
                               .inverse = problem->mass->diagonal}};
    const rattle__array arrays[] = {
        {&s->square, m}, {&s->c, m},     {&s->a, n},          {&s->b, n},         {&s->v, n},
        {&s->free, m},   {&s->along, m}, {&s->before, 3 * m}, {&s->after, 3 * m}, {&s->turn, m}};
    RATTLE__LAY_OUT(arena, arrays);
    s->column = rattle__arena_take(arena, n * sizeof *s->column);
    s->reference = rattle__arena_take(arena, n * sizeof *s->reference);
    s->pair = rattle__arena_take(arena, 2 * m * sizeof *s->pair);
    int *atom = rattle__arena_take(&scratch, n * sizeof *atom);
    if (scratch.failed) arena->failed = 1;
    found = !arena->failed && find_atoms(s, g, b, atom) && make_bonds(s, s->free, s->a);
    if (found) {
      for (int i = 0; i < s->atoms; i++) s->a[i] = s->links.inverse[s->column[3 * i]];
      s->folds = rattle__folds_create(s->atoms, s->m, s->pair, s->a, s->square, arena);
    }
    if (!found || !s->folds) rattle_bonds_destroy(&s->bonds), found = 0;
  }
  rattle__arena_release(&scratch);
  return found ? &s->links : NULL;
}
