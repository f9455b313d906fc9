/* The positions step and the momentum projection of trees of links.
 *
 * Symbols   link e hangs from node u_e and ends in node e; x_k nodes, w_k inverse masses, 0 of
 *           fixed points; r_e = x_e - x_{u_e} before the step, R_e at the iterate; f_e = (|R_e|^2 -
 *           d_e^2)/2; sigma_e moves x_e by -w_e sigma_e r_e, x_{u_e} by w_{u_e} sigma_e r_e; delta
 *           a correction of it. The link above e is the one that ends in u_e
 * Equation  A delta = f, A_ee = (w_e + w_{u_e}) R_e.r_e, A_ea = -w_{u_e} R_e.r_a and A_ae =
 *           -w_{u_e} R_a.r_e for the link a above e, A_es = w_{u_e} R_e.r_s for links s that hang
 *           from the same node; Newton's method, the matrix being kept once that is near enough.
 *           Momenta: the same with R = r after the step, and f_e = r_e.(w_e p_e - w_{u_e} p_{u_e})
 * Order     links are numbered by their distance from the roots and eliminated from the last on:
 *           what is then left next to a link are those that meet it in its upper node, which are
 *           next to one another. So nothing fills in, and links of one distance do not wait for one
 *           another
 * Guard     as chain.c has it: pivots and the diagonal of each matrix are positive, residuals fall
 *           as iterate.h demands. Anything else is left to natural.c */
#include "constraint/links/trees.h"

#include <float.h>
#include <math.h>

#include "constraint/links/forest.h"
#include "constraint/equation/iterate.h"

/* The place of link e: see forest.h; above m if there is none. */
typedef struct tree_place {
  int upper, above, first, pair;
} tree_place;

/* A_ee, A_ea, A_ae; when e is eliminated, the inverse of the pivot, A_ea over the pivot, A_ae. */
typedef struct tree_entry {
  double inverse, row, column;
} tree_entry;

typedef struct trees {
  rattle__links links;
  rattle__forest f;
  int n;
  double stiffest;               /* the largest element of the diagonal where nothing turned */
  double *x, *y, *v;             /* nodes before the step and after it, momenta [axes nodes] */
  double *r, *R;                 /* [axes (m + 1)], the last ones 0 */
  double *sigma, *delta, *floor; /* [m + 1]; floor: 1 / round-off of f */
  tree_place *at;                /* [m] */
  tree_entry *A;                 /* [m + 1] */
  double
      *twice[2]; /* A_es, A_se of pairs; the first over the pivot of e, when that is eliminated */
} trees;

/* --- links ------------------------------------------------------------------------------------ */

/* Texts with D axes, D being a constant. */
#define INLINE static inline __attribute__((always_inline))
#define AXES for (int d = 0; d < D; d++)

INLINE double product(const int D, const double *a, int i, const double *b, int j) {
  double sum = 0;
  AXES sum += a[D * i + d] * b[D * j + d];
  return sum;
}

INLINE void find_links(const trees *t, const int D, const double *restrict x, double *restrict r) {
  const int m = t->f.m, *restrict upper = t->f.upper;
  for (int e = 0; e < m; e++) AXES r[D * e + d] = x[D * e + d] - x[D * upper[e] + d];
}

/* x_k -= by_k (sum of s_e r_e over the link above k, less that over those that hang from it), by:
 * w, or 1 of nodes that move */
INLINE void pull(const trees *t, const int D, const int massive, const double *restrict s,
                 const double *restrict r, double *restrict x) {
  const double *restrict w = t->f.weight;
  const int m = t->f.m, *restrict upper_of = t->f.upper;
  for (int e = 0; e < m; e++) {
    const int u = upper_of[e];
    const double lower = massive ? w[e] : w[e] > 0, upper = massive ? w[u] : w[u] > 0;
    AXES {
      const double by = s[e] * r[D * e + d];
      x[D * e + d] -= lower * by;
      x[D * u + d] += upper * by;
    }
  }
}

/* --- elimination ------------------------------------------------------------------------------ */

/* A of R and r; symmetric: they are the same. Its diagonal is where the inverses of pivots will be.
 * Returns the least tree_entry of the diagonal: if that is positive, no link turned by a right
 * angle. */
INLINE double assemble(trees *t, const int D, const int symmetric, const double *restrict R,
                       const double *restrict r) {
  const double *restrict w = t->f.weight;
  const tree_place *restrict f = t->at;
  tree_entry *restrict A = t->A;
  double *const *twice = t->twice, least = INFINITY;
  for (int e = 0; e < t->f.m; e++) {
    const tree_place l = f[e];
    const double of = w[l.upper], diagonal = (w[e] + of) * product(D, R, e, r, e);
    const double row = -of * product(D, R, e, r, l.above);
    least = diagonal < least ? diagonal : least;
    A[e] = (tree_entry){diagonal, row, symmetric ? row : -of * product(D, R, l.above, r, e)};
    for (int s = l.first; s < e; s++) {
      twice[0][l.pair + s] = of * product(D, R, e, r, s);
      twice[1][l.pair + s] = symmetric ? twice[0][l.pair + s] : of * product(D, R, s, r, e);
    }
  }
  return least;
}

/* Eliminates link e from the entries of the links that hang from the same node, with one another
 * and with the link above. */
static void eliminate_pairs(const trees *t, int e, tree_entry own, tree_entry *A) {
  const tree_place *f = t->at, l = f[e];
  double *const *twice = t->twice;
  for (int s = l.first; s < e; s++) {
    const double column = twice[1][l.pair + s], row = twice[0][l.pair + s] *= own.inverse;
    A[s].inverse -= column * row;
    A[s].row -= column * own.row;
    A[s].column -= own.column * row;
    for (int q = l.first; q < s; q++) {
      twice[0][f[s].pair + q] -= column * twice[0][l.pair + q];
      twice[1][f[s].pair + q] -= twice[1][l.pair + q] * row;
    }
  }
}

/* A into its factors; 0: a pivot is not positive. A has a place m, for links that no link is
 * above. */
static int factor(trees *t) {
  t->links.factorisations++;
  const tree_place *restrict f = t->at;
  tree_entry *restrict A = t->A;
  double least = INFINITY;
  for (int e = t->f.m - 1; e >= 0; e--) {
    const double pivot = A[e].inverse, inverse = 1 / pivot, row = A[e].row * inverse,
                 column = A[e].column;
    least = !(pivot >= least) ? pivot : least;
    A[e].inverse = inverse;
    A[e].row = row;
    A[f[e].above].inverse -= column * row;
    if (f[e].first < e) eliminate_pairs(t, e, (tree_entry){inverse, row, column}, A);
  }
  return rattle__pivot_is_positive(least, t->stiffest);
}

/* b = A^{-1} b, by its factors; b has a place m too. */
static void solve(const trees *t, double *restrict b) {
  const tree_place *restrict f = t->at;
  const tree_entry *restrict A = t->A;
  const int m = t->f.m;
  b[m] = 0;
  for (int e = m - 1; e >= 0; e--) {
    const double value = b[e] * A[e].inverse;
    b[e] = value;
    b[f[e].above] -= A[e].column * value;
    for (int s = f[e].first; s < e; s++) b[s] -= t->twice[1][f[e].pair + s] * value;
  }
  b[m] = 0;
  for (int e = 0; e < m; e++) {
    double value = b[e] - A[e].row * b[f[e].above];
    for (int s = f[e].first; s < e; s++) value -= t->twice[0][f[e].pair + s] * b[s];
    b[e] = value;
  }
}

/* --- positions -------------------------------------------------------------------------------- */

static double largest(const double *a, int count) {
  double most = 0;
  for (int i = 0; i < count; i++) most = fabs(a[i]) > most ? fabs(a[i]) : most;
  return most;
}

/* Nodes before the step, and where drift alone leads. */
INLINE void set_out(trees *t, const int D, double h, const double *q0, const double *w) {
  for (int i = 0; i < D * t->f.nodes; i++) {
    const int c = t->f.column[i];
    if (c < 0) continue;
    t->x[i] = q0[c];
    t->y[i] = q0[c] + h * w[c];
  }
}

/* 1 / round-off of f, as rattle__rows_round_off has it: each term with the mean size of its
 * coordinates along the step, and no less than `least`. */
INLINE void find_floor(trees *t, const int D) {
  const double *restrict x = t->x, *restrict y = t->y, *restrict r = t->r;
  const double least = 2 * rattle__least_size(largest(x, D * t->f.nodes));
  for (int e = 0; e < t->f.m; e++) {
    const int u = t->f.upper[e];
    double sum = 0;
    AXES {
      const int i = D * e + d, j = D * u + d;
      sum += fabs(r[i]) * (fabs(x[i]) + fabs(y[i]) + fabs(x[j]) + fabs(y[j]) + 2 * least);
    }
    t->floor[e] = 1 / (DBL_EPSILON / 2 * sum + DBL_MIN);
  }
}

/* f into delta, and the largest of it in units of round-off; *g the largest |g|. */
INLINE double look(trees *t, const int D, double *g) {
  const double *restrict R = t->R, *restrict square = t->f.square, *restrict floor = t->floor,
                         *restrict c = t->f.c;
  double *restrict delta = t->delta, most = 0, size = 0, sum = 0;
  find_links(t, D, t->y, t->R);
  for (int e = 0; e < t->f.m; e++) {
    const double f = 0.5 * (product(D, R, e, R, e) - square[e]), ratio = fabs(f) * floor[e],
                 level = fabs(c[e] * f);
    delta[e] = f;
    sum += 0 * ratio;
    most = ratio > most ? ratio : most;
    size = level > size ? level : size;
  }
  *g = 2 * size;
  return most + sum; /* which is not a number if one of them is none */
}

enum { MOST = 12 };

/* At round-off, the largest residual of many equations is up to so many units. */
static const double ROUND_OFF = 8;

/* True if a correction of residuals r[k] by the matrix at hand leaves round-off: the matrix is that
 * of the first iterate, or of one nearer to the solution, and Newton's first correction shows how
 * far it changes. */
static int is_near(const double *r, int k) {
  return k > 0 && 4 * r[k] * (r[1] / r[0]) < 0.25;
}

INLINE int find_positions(trees *t, const int D) {
  double r[MOST + 1];
  t->links.factorisations = 0;
  for (int e = 0; e < t->f.m; e++) t->sigma[e] = 0;
  for (int k = 0;; k++) {
    r[k] = t->links.residual = look(t, D, &t->links.g);
    t->links.corrections = k;
    const int near = k > 0 && is_near(r, k - 1);
    const rattle__verdict verdict =
        near && r[k] <= ROUND_OFF ? RATTLE__DONE : rattle__judge_course(r, k);
    if (verdict == RATTLE__DONE)
      return near || r[k - 1] < rattle__near_end; /* a pivot near the solution was seen */
    if (verdict == RATTLE__GIVE_UP || k == MOST) return 0;
    if (!is_near(r, k) && !(rattle__is_upright(assemble(t, D, 0, t->R, t->r)) && factor(t)))
      return 0;
    solve(t, t->delta);
    pull(t, D, 1, t->delta, t->r, t->y);
    for (int e = 0; e < t->f.m; e++) t->sigma[e] += t->delta[e];
  }
}

/* Arguments of a positions step. */
typedef struct motion {
  double h;
  const double *q0;
  double *w, *p, *q1;
} motion;

/* Impulses -r sigma/h on p and w, and q1. */
INLINE void take_positions(trees *t, const int D, const motion *by) {
  double *w = by->w, *p = by->p, *q1 = by->q1;
  const int nodes = D * t->f.nodes;
  for (int i = 0; i < nodes; i++) t->v[i] = 0;
  pull(t, D, 0, t->sigma, t->r, t->v);
  for (int c = 0; c < t->n; c++) q1[c] = by->q0[c] + by->h * w[c];
  for (int i = 0; i < nodes; i++) {
    const int c = t->f.column[i];
    if (c < 0) continue;
    const double impulse = t->v[i] / by->h;
    p[c] += impulse;
    w[c] += t->links.inverse[c] * impulse;
    q1[c] = t->y[i];
  }
}

INLINE int positions_of(trees *t, const int D, const motion *by) {
  set_out(t, D, by->h, by->q0, by->w);
  find_links(t, D, t->x, t->r);
  find_floor(t, D);
  if (!find_positions(t, D)) return 0;
  take_positions(t, D, by);
  return 1;
}

static int positions(rattle__links *links, double h, const double *q0, double *w, double *p,
                     double *q1) {
  trees *t = (trees *)links;
  const motion by = {h, q0, w, p, q1};
  return t->f.axes == 2 ? positions_of(t, 2, &by) : positions_of(t, 3, &by);
}

/* --- momenta ---------------------------------------------------------------------------------- */

/* f into delta, and the largest of it in units of round-off; *psi the largest |psi|. */
INLINE double look_at_rates(trees *t, const int D, double *psi) {
  const double *restrict w = t->f.weight, *restrict R = t->R, *restrict v = t->v,
                         *restrict floor = t->floor, *restrict c = t->f.c;
  double *restrict delta = t->delta, most = 0, size = 0, sum = 0;
  for (int e = 0; e < t->f.m; e++) {
    const int u = t->f.upper[e];
    double f = 0;
    AXES f += R[D * e + d] * (w[e] * v[D * e + d] - w[u] * v[D * u + d]);
    const double ratio = fabs(f) * floor[e], level = fabs(c[e] * f);
    delta[e] = f;
    sum += 0 * ratio;
    most = ratio > most ? ratio : most;
    size = level > size ? level : size;
  }
  *psi = 2 * size;
  return most + sum;
}

INLINE void find_floor_of_rates(trees *t, const int D) {
  const double least = rattle__least_size(largest(t->v, D * t->f.nodes)), *w = t->f.weight;
  for (int e = 0; e < t->f.m; e++) {
    const int u = t->f.upper[e];
    double sum = 0;
    AXES sum += fabs(t->R[D * e + d]) *
                (w[e] * (fabs(t->v[D * e + d]) + least) + w[u] * (fabs(t->v[D * u + d]) + least));
    t->floor[e] = 1 / (DBL_EPSILON * sum + DBL_MIN);
  }
}

INLINE int momenta_of(trees *t, const int D, double *p) {
  const int nodes = D * t->f.nodes;
  double r[MOST + 1];
  for (int i = 0; i < nodes; i++) t->v[i] = t->f.column[i] < 0 ? 0 : p[t->f.column[i]];
  find_floor_of_rates(t, D);
  for (int k = 0;; k++) {
    r[k] = look_at_rates(t, D, &t->links.psi);
    const rattle__verdict verdict = k ? rattle__judge(r[k], r[k - 1], k, ROUND_OFF) : RATTLE__GO_ON;
    if (verdict == RATTLE__DONE) break;
    if (verdict == RATTLE__GIVE_UP || k == MOST) return 0;
    assemble(t, D, 1, t->R, t->R);
    if (!factor(t)) return 0;
    solve(t, t->delta);
    pull(t, D, 0, t->delta, t->R, t->v);
  }
  for (int i = 0; i < nodes; i++)
    if (t->f.column[i] >= 0) p[t->f.column[i]] = t->v[i];
  return 1;
}

static int momenta(rattle__links *links, const double *q1, double *w, double *p) {
  trees *t = (trees *)links;
  (void)q1, (void)w; /* R is that of q1 */
  return t->f.axes == 2 ? momenta_of(t, 2, p) : momenta_of(t, 3, p);
}

/* --- making ----------------------------------------------------------------------------------- */

rattle__links *rattle__trees_create(const rattle_problem *problem, rattle__arena *arena) {
  rattle__forest f;
  if (!rattle__forest_find(&f, problem, arena)) return NULL;
  trees *t = rattle__arena_take(arena, sizeof *t);
  if (!t) return NULL;
  *t = (trees){.f = f,
               .n = problem->n,
               .links = {.positions = positions,
                         .momenta = momenta,
                         .name = "tree",
                         .inverse = problem->mass->diagonal}};
  const size_t m = (size_t)f.m, nodes = (size_t)f.nodes * (size_t)f.axes,
               links = (size_t)f.axes * (m + 1), pairs = (size_t)f.pairs;
  const rattle__array arrays[] = {{&t->x, nodes},       {&t->y, nodes},     {&t->v, nodes},
                                  {&t->r, links},       {&t->R, links},     {&t->sigma, m + 1},
                                  {&t->delta, m + 1},   {&t->floor, m + 1}, {&t->twice[0], pairs},
                                  {&t->twice[1], pairs}};
  RATTLE__LAY_OUT(arena, arrays);
  t->at = rattle__arena_take(arena, m * sizeof *t->at);
  t->A = rattle__arena_take(arena, (m + 1) * sizeof *t->A);
  if (arena->failed) return NULL;
  for (int e = 0; e < f.m; e++)
    t->at[e] = (tree_place){f.upper[e], f.above[e] < 0 ? f.m : f.above[e], f.first[e], f.at[e]};
  for (size_t i = 0; i < nodes; i++)
    if (f.column[i] < 0) t->x[i] = t->y[i] = f.point[i];
  for (int e = 0; e < f.m; e++)
    t->stiffest = fmax(t->stiffest, (f.weight[e] + f.weight[f.upper[e]]) * f.square[e]);
  return &t->links;
}
