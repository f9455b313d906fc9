/* See molecules_folds.h. */
#include "constraint/links/molecules_folds.h"

#include <math.h>
#include <string.h>

#include "constraint/guard/rules/rules.h"

/* A term of R: `by` times s_k . r_l at the place of the band. */
typedef struct fold_term {
  int k, l, at;
  double by;
} fold_term;

/* A molecule: its bonds, in the order of rows; its terms; the band has columns -width to width. */
typedef struct molecule {
  int first, bonds, first_term, terms, width;
  double near; /* where the sum of turns is at most this, the step has not gone over */
} molecule;

struct rattle__folds {
  int molecules;
  molecule *of;
  int *order; /* bonds, molecule by molecule */
  fold_term *term;
  double *R, *A; /* bands of the largest molecule */
};

/* --- making ----------------------------------------------------------------------------------- */

/* The bonds of each atom: bond[first[i]] to bond[first[i + 1] - 1]. */
typedef struct graph {
  int bonds;
  const int *pair;
  int *first, *bond, *order, *row; /* row: of a bond in its molecule, -1: not reached yet */
} graph;

static void list_bonds(graph *g, int atoms) {
  memset(g->first, 0, (size_t)(atoms + 1) * sizeof *g->first);
  for (int e = 0; e < 2 * g->bonds; e++) g->first[g->pair[e] + 1]++;
  for (int i = 0; i < atoms; i++) g->first[i + 1] += g->first[i];
  for (int e = 2 * g->bonds - 1; e >= 0; e--) g->bond[--g->first[g->pair[e] + 1]] = e / 2;
  memmove(g->first, g->first + 1, (size_t)atoms * sizeof *g->first);
  g->first[atoms] = 2 * g->bonds;
}

/* The bonds that hang together with `begin`, by distance from it, in order[0] ...; returns how
 * many. */
static int spread(graph *g, int begin, int *order) {
  int count = 1;
  order[0] = begin, g->row[begin] = 0;
  for (int next = 0; next < count; next++)
    for (int end = 0; end < 2; end++) {
      const int atom = g->pair[2 * order[next] + end];
      for (int e = g->first[atom]; e < g->first[atom + 1]; e++) {
        const int bond = g->bond[e];
        if (g->row[bond] >= 0) continue;
        g->row[bond] = count;
        order[count++] = bond;
      }
    }
  return count;
}

/* The rows of a molecule: from a bond that is far from another one. */
static int put_in_order(graph *g, int begin, int *order) {
  const int count = spread(g, begin, order), far = order[count - 1];
  for (int i = 0; i < count; i++) g->row[order[i]] = -1;
  return spread(g, far, order);
}

static int width_of(const graph *g, const int *order, int count) {
  int width = 0;
  for (int i = 0; i < count; i++)
    for (int end = 0; end < 2; end++) {
      const int atom = g->pair[2 * order[i] + end];
      for (int e = g->first[atom]; e < g->first[atom + 1]; e++)
        if (g->row[g->bond[e]] - i > width) width = g->row[g->bond[e]] - i;
    }
  return width;
}

/* The terms of a molecule at to; returns how many. */
static int put_terms(const graph *g, const molecule *m, const double *inverse, fold_term *to) {
  int count = 0;
  for (int i = 0; i < m->bonds; i++)
    for (int end = 0; end < 2; end++) {
      const int k = g->order[m->first + i], atom = g->pair[2 * k + end];
      for (int e = g->first[atom]; e < g->first[atom + 1]; e++) {
        const int l = g->bond[e], same = g->pair[2 * l + end] == atom;
        to[count++] = (fold_term){k, l, (2 * m->width + 1) * i + g->row[l] - i + m->width,
                                  same ? inverse[atom] : -inverse[atom]};
      }
    }
  return count;
}

static int count_terms(const graph *g, int atoms) {
  int count = 0;
  for (int i = 0; i < atoms; i++) {
    const int bonds = g->first[i + 1] - g->first[i];
    count += bonds * bonds;
  }
  return count;
}

/* At least the cosine, or minus it, of the angle between bonds k and l at that atom. */
static double cosine_of(const graph *g, const double *square, int k, int l, int atom) {
  const int i = g->pair[2 * k] == atom ? g->pair[2 * k + 1] : g->pair[2 * k],
            j = g->pair[2 * l] == atom ? g->pair[2 * l + 1] : g->pair[2 * l];
  for (int e = g->first[i]; e < g->first[i + 1]; e++) {
    const int *third = g->pair + 2 * g->bond[e];
    if (third[0] != j && third[1] != j) continue;
    return fabs(square[k] + square[l] - square[g->bond[e]]) / (2 * sqrt(square[k] * square[l]));
  }
  return 1;
}

/* y = x + B x of a molecule; x, y by row. */
static void multiply(const graph *g, const molecule *m, const double *inverse, const double *square,
                     const double *x, double *y) {
  for (int i = 0; i < m->bonds; i++) {
    const int k = g->order[m->first + i], *ends = g->pair + 2 * k;
    const double weight = inverse[ends[0]] + inverse[ends[1]];
    y[i] = x[i];
    for (int end = 0; end < 2; end++)
      for (int e = g->first[ends[end]]; e < g->first[ends[end] + 1]; e++) {
        const int l = g->bond[e], *other = g->pair + 2 * l;
        if (l == k) continue;
        y[i] += inverse[ends[end]] * cosine_of(g, square, k, l, ends[end]) * x[g->row[l]] /
                sqrt(weight * (inverse[other[0]] + inverse[other[1]]));
      }
  }
}

/* kappa of a molecule, or less; x, y: scratch. Any number of rounds gives a bound. */
static double kappa_of(const graph *g, const molecule *m, const double *inverse,
                       const double *square, double *x, double *y) {
  enum { ROUNDS = 8 };
  double least = INFINITY;
  for (int i = 0; i < m->bonds; i++) x[i] = 1;
  for (int round = 0; round < ROUNDS; round++) {
    double most = 0;
    multiply(g, m, inverse, square, x, y);
    for (int i = 0; i < m->bonds; i++) most = fmax(most, y[i] / x[i]);
    least = fmin(least, most - 1);
    for (int i = 0; i < m->bonds; i++) x[i] = y[i] / most;
  }
  return 1 - least;
}

static void find_molecules(rattle__folds *n, graph *g, const double *inverse, const double *square,
                           double *x) {
  int first = 0, terms = 0;
  for (int k = 0; k < g->bonds; k++) g->row[k] = -1;
  for (int k = 0; k < g->bonds; k++) {
    if (g->row[k] >= 0) continue;
    molecule *m = &n->of[n->molecules++];
    *m = (molecule){.first = first, .first_term = terms};
    m->bonds = put_in_order(g, k, g->order + first);
    m->width = width_of(g, g->order + first, m->bonds);
    m->terms = put_terms(g, m, inverse, n->term + terms);
    m->near = (1 - rattle__normals_turn) * kappa_of(g, m, inverse, square, x, x + g->bonds);
    first += m->bonds, terms += m->terms;
  }
}

static size_t size_of(const molecule *m) {
  return (size_t)m->bonds * (size_t)(2 * m->width + 1);
}

rattle__folds *rattle__folds_create(int atoms, int bonds, const int *pair, const double *inverse,
                                    const double *square, rattle__arena *arena) {
  rattle__arena scratch = {0};
  rattle__folds *n = rattle__arena_take(arena, sizeof *n);
  graph g = {.bonds = bonds, .pair = pair};
  const size_t m = (size_t)bonds;
  g.first = rattle__arena_take(&scratch, ((size_t)atoms + 2) * sizeof *g.first);
  g.bond = rattle__arena_take(&scratch, 2 * m * sizeof *g.bond);
  g.row = rattle__arena_take(&scratch, m * sizeof *g.row);
  double *x = rattle__arena_doubles(&scratch, 2 * m);
  if (n && !scratch.failed) {
    list_bonds(&g, atoms);
    *n = (rattle__folds){0};
    n->of = rattle__arena_take(arena, m * sizeof *n->of);
    n->order = g.order = rattle__arena_take(arena, m * sizeof *n->order);
    n->term = rattle__arena_take(arena, (size_t)count_terms(&g, atoms) * sizeof *n->term);
  }
  size_t most = 0;
  if (!arena->failed && !scratch.failed) {
    find_molecules(n, &g, inverse, square, x);
    for (int k = 0; k < n->molecules; k++)
      if (size_of(&n->of[k]) > most) most = size_of(&n->of[k]);
    n->R = rattle__arena_doubles(arena, most);
    n->A = rattle__arena_doubles(arena, most);
  }
  if (scratch.failed) arena->failed = 1;
  rattle__arena_release(&scratch);
  return arena->failed ? NULL : n;
}

/* --- judging ---------------------------------------------------------------------------------- */

static void assemble(const rattle__folds *n, const molecule *m, const double *s, const double *r,
                     double *A) {
  memset(A, 0, size_of(m) * sizeof *A);
  for (const fold_term *t = n->term + m->first_term; t < n->term + m->first_term + m->terms; t++) {
    const double *x = s + 3 * t->k, *y = r + 3 * t->l;
    A[t->at] += t->by * (x[0] * y[0] + x[1] * y[1] + x[2] * y[2]);
  }
}

/* rattle__pivots of a band: element (i, j) is at i (2 w + 1) + j - i + w. */
static double eliminate(const molecule *m, double *A) {
  const int w = m->width;
  double least = 1;
  for (int i = 0; i < m->bonds; i++) {
    double *row = A + (2 * w + 1) * i + w - i;
    const double size = row[i];
    for (int p = i < w ? 0 : i - w; p < i; p++) {
      const double *above = A + (2 * w + 1) * p + w - p, by = row[p] / above[p];
      for (int j = p + 1; j <= p + w && j < m->bonds; j++) row[j] -= by * above[j];
    }
    const double part = row[i] / size;
    if (!(part >= least)) least = part;
  }
  return least;
}

/* The square of the product of cosines has the factors R_ii^2 / (A0_ii A1_ii); they come to A. 0:
 * the normals nearly depend on each other, so that it is not known. */
static int compare_ends(const rattle__folds *n, const molecule *m, const double *r, const double *s,
                        double *square) {
  const int step = 2 * m->width + 1;
  *square = 1;
  for (int end = 0; end < 2; end++) {
    const double *at = end ? s : r;
    assemble(n, m, at, at, n->A);
    if (!(eliminate(m, n->A) > rattle__angles_known)) return 0;
    for (int i = 0; i < m->bonds; i++)
      *square *= n->R[step * i + m->width] / n->A[step * i + m->width];
  }
  return 1;
}

static int is_near(const rattle__folds *n, const molecule *m, const double *turn) {
  double sum = 0;
  for (int i = m->first; i < m->first + m->bonds; i++) sum += turn[n->order[i]];
  return sum <= m->near;
}

int rattle__folds_are_far(rattle__folds *n, const double *turn, const double *r, const double *s) {
  for (const molecule *m = n->of; m < n->of + n->molecules; m++) {
    double square;
    if (m->bonds == 1 || is_near(n, m, turn)) continue;
    if (!r) return 0;
    assemble(n, m, s, r, n->R);
    const double least = eliminate(m, n->R);
    const int positive = rattle__pivot_is_positive(least, 1);
    if (positive && rattle__is_independent(1, 1 / least, rattle__dependent_pivot)) continue;
    if (compare_ends(n, m, r, s, &square) && (!positive || rattle__bond_normals_turned(square)))
      return 0;
  }
  return 1;
}
