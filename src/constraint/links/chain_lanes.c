/* Chains between q and lanes, and where segments meet. */
#include "constraint/links/chain_lanes.h"

#include <float.h>
#include <math.h>

#include "constraint/guard/rules/rules.h"

enum { S = RATTLE__LANES };

static inline double larger(double a, double b) {
  return a > b ? a : b;
}

/* The number of the node in row j of lane l. */
static inline int node_of(const rattle__chain *c, int j, int l) {
  return l * c->rows + j;
}

/* The first and the last node that move and have columns of their own. */
static int first_of(const rattle__path *p) {
  return p->fixed[0] + (p->ring < 0);
}

static int last_of(const rattle__path *p) {
  return p->links - p->fixed[1] - (p->ring > 0);
}

static inline int column(const rattle__path *p, int node, int d) {
  return p->base[d] + p->stride[d] * node;
}

/* True if that node is in q. */
static int moves(const rattle__path *p, int node) {
  return node >= first_of(p) && node <= last_of(p);
}

/* Row 0: the last rows of the lanes before; lane 0 keeps its own. */
static void share(const rattle__chain *c, double *a) {
  for (int l = 1; l < S; l++) a[l] = a[S * c->rows + l - 1];
}

/* --- q and p ---------------------------------------------------------------------------------- */

/* Row j of axis d, whose nodes do not all move: what fills up is where the last node is, and at
 * rest. The first and the last node of a ring have the same columns. */
static void load_row(const rattle__chain *c, const double *a, int places, int d, int j,
                     double *to) {
  const rattle__path *p = &c->path;
  for (int l = 0; l < S; l++) {
    const int at = S * j + l;
    int node = node_of(c, j, l);
    if (p->ring > 0 && node == p->links) node = 0;
    if (p->ring < 0 && node == 0) node = p->links;
    if (moves(p, node))
      to[at] = a[column(p, node, d)];
    else if (!places)
      to[at] = 0;
    else
      to[at] = node > 0 && !p->fixed[1] ? a[column(p, last_of(p), d)] : p->point[node > 0][d];
  }
}

void rattle__chain_load(const rattle__chain *c, const double *a, int places, double *const *to) {
  c->kernel->load(c, a, to);
  for (int d = 0; d < c->path.axes; d++) {
    load_row(c, a, places, d, 0, to[d]);
    for (int j = c->whole + 1; j <= c->rows; j++) load_row(c, a, places, d, j, to[d]);
    share(c, to[d]);
  }
}

void rattle__chain_store(const rattle__chain *c, double *const *from, double *a) {
  const rattle__path *path = &c->path;
  c->kernel->store(c, from, a);
  for (int d = 0; d < path->axes; d++) {
    for (int j = c->whole + 1; j <= c->rows; j++)
      for (int l = 0; l < S; l++)
        if (moves(path, node_of(c, j, l)))
          a[column(path, node_of(c, j, l), d)] = from[d][S * j + l];
    if (moves(path, 0)) a[path->base[d]] = from[d][0];
  }
}

/* --- what walks want to know beforehand ------------------------------------------------------- */

double rattle__chain_largest(const rattle__chain *c, double *const *a, int moving) {
  rattle__lanes most = {{0}};
  for (int d = 0; d < c->path.axes; d++)
    for (int j = 0; j <= c->rows; j++)
      for (int l = 0; l < S; l++) {
        const double of = moving && c->inverse_mass[S * j + l] == 0 ? 0 : fabs(a[d][S * j + l]);
        most.of[l] = larger(of, most.of[l]);
      }
  for (int l = 1; l < S; l++) most.of[0] = larger(most.of[l], most.of[0]);
  return most.of[0];
}

/* p^T M^-1 p/2 and V_q . q of row j in lane l */
static void add_energies(const rattle__chain *c, int at, double *kinetic, double *potential) {
  double sum = 0;
  for (int d = 0; d < c->path.axes; d++) {
    sum += c->p[0][d][at] * c->p[0][d][at];
    if (c->constant && c->V_q[0][d]) *potential += c->V_q[0][d][at] * c->x[0][d][at];
  }
  *kinetic += c->inverse_mass[at] * sum;
}

void rattle__chain_add_first(rattle__chain *c) {
  double kinetic = 0;
  if (c->path.ring) return; /* it is the last one too */
  add_energies(c, 0, &kinetic, &c->potential);
  c->kinetic += 0.5 * kinetic;
}

void rattle__chain_measure(rattle__chain *c) {
  c->most_x = rattle__chain_largest(c, c->x[0], 0);
  c->most_p = rattle__chain_largest(c, c->p[0], 1);
  c->kinetic = 0;
  c->potential = c->level;
  for (int l = 0; l < S; l++) {
    double kinetic = 0, potential = 0;
    for (int j = 1; j <= c->rows; j++) add_energies(c, S * j + l, &kinetic, &potential);
    c->kinetic += 0.5 * kinetic;
    c->potential += potential;
  }
  rattle__chain_add_first(c);
}

/* The node in place `at` of the lanes, so many times. */
static void count_node(rattle__chain *c, int at, int times) {
  for (int d = 0; d < c->path.axes; d++) {
    const double *before = c->V_q[0][d], *after = c->V_q[1][d];
    const double x = c->x[1][d][at], way = x - c->x[0][d][at];
    const double without = before ? c->p[0][d][at] - c->now.k1 * before[at] : c->p[0][d][at];
    const double with = after ? c->p[1][d][at] + c->now.k2 * after[at] : c->p[1][d][at];
    c->way[0] += times * way * without, c->way[1] += times * way * with;
    c->span += times * fabs(x * without);
  }
}

void rattle__chain_count_last(rattle__chain *c) {
  const int filled = c->full < c->rows;
  if (filled && c->path.ring) count_node(c, 0, -1);
  if (!filled && !c->path.ring) count_node(c, S * c->rows + S - 1, 1);
}

/* The last row of lane l that has a link. */
static int top_of(const rattle__chain *c, int l) {
  return l + 1 < S ? c->rows : c->full;
}

/* Link j of lane l between nodes x of an axis; what fills the last lane up counts as the link
 * beyond it. */
static double link_of(const rattle__chain *c, const double *x, int j, int l) {
  const int ring = c->path.ring;
  if (j == 0) return l ? link_of(c, x, c->rows, l - 1) : ring ? link_of(c, x, c->full, S - 1) : 0;
  if (j > top_of(c, l)) return l + 1 < S ? link_of(c, x, 1, l + 1) : ring ? link_of(c, x, 1, 0) : 0;
  return x[S * j + l] - x[S * (j - 1) + l];
}

void rattle__chain_look_beyond(rattle__chain *c) {
  for (int d = 0; d < c->path.axes; d++)
    for (int l = 0; l < S; l++) {
      c->beyond[0][d].of[l] = link_of(c, c->x[0][d], 0, l);
      c->beyond[1][d].of[l] = link_of(c, c->x[0][d], c->rows + 1, l);
    }
}

void rattle__chain_sum_beyond(rattle__chain *c, int corrected) {
  for (int l = 0; l < S; l++) {
    c->sigma_beyond[0].of[l] =
        l ? c->sigma[S * c->rows + l - 1] + corrected * c->last.of[l - 1] : 0;
    c->sigma_beyond[1].of[l] = l + 1 < S ? c->sigma[S + l + 1] + corrected * c->first.of[l + 1] : 0;
  }
  if (!c->path.ring) return;
  c->sigma_beyond[0].of[0] = c->sigma[S * c->full + S - 1] + corrected * c->closing;
  c->sigma_beyond[1].of[S - 1] = c->sigma[S] + corrected * c->first.of[0];
}

/* --- where segments meet ---------------------------------------------------------------------- */

/* The unknowns s of the segments' last rows, lanes in the order of the elimination: s_i = y_i + u_i
 * delta_1(i+1) + v_i s_{i-1}. In a ring the first follows the last: s_i = left_i + ratio_i s_{i+1}
 * + corner_i s_{S-1}, where all are eliminated but the last; it finds what s_0 = A + B s_{S-1}
 * is. */
static int solve_ends(const rattle__segments *e, int ring, double last[S], double first[S]) {
  double ratio[S], left[S], corner[S], A = 0, B = 0;
  for (int i = 0; i < S; i++) {
    const int l = e->down ? S - 1 - i : i, next = (e->down ? l + S - 1 : l + 1) % S;
    const int inner = ring || i + 1 < S;
    const double diagonal = inner ? 1 - e->u.of[l] * e->V.of[next] : 1,
                 upper = inner ? e->u.of[l] * e->P.of[next] : 0;
    const double b = inner ? e->y.of[l] + e->u.of[l] * e->Y.of[next] : e->y.of[l],
                 lower = i || ring ? e->v.of[l] : 0;
    double pivot = diagonal - (i ? lower * ratio[i - 1] : 0),
           rest = b + (i ? lower * left[i - 1] : 0);
    double far = i ? lower * corner[i - 1] : lower;
    if (i + 1 == S) {
      A = left[i - 1], B = ratio[i - 1] + corner[i - 1];
      for (int k = i - 2; k >= 0; k--) A = left[k] + ratio[k] * A, B = ratio[k] * B + corner[k];
      pivot -= far + upper * B;
      rest += upper * A;
    }
    if (!rattle__pivot_is_positive(pivot, 1)) return 0;
    ratio[i] = upper / pivot;
    left[i] = rest / pivot;
    corner[i] = far / pivot;
  }
  for (int i = S - 1; i >= 0; i--) {
    const int l = e->down ? S - 1 - i : i, end = e->down ? 0 : S - 1;
    last[l] = i + 1 < S ? left[i] + ratio[i] * last[e->down ? l - 1 : l + 1] + corner[i] * last[end]
                        : left[i];
  }
  for (int i = 0; i < S; i++) {
    const int l = e->down ? S - 1 - i : i, before = (e->down ? l + 1 : l + S - 1) % S;
    first[l] = e->Y.of[l] + e->P.of[l] * last[l] + (i || ring ? e->V.of[l] * last[before] : 0);
  }
  return 1;
}

/* Row j of x, or p, by the corrections a and b of the links j and j+1. */
static void move(rattle__chain *c, int momenta, int j, const double *a, const double *b) {
  for (int d = 0; d < c->path.axes; d++) {
    const double *x0 = c->x[0][d];
    for (int l = 0; l < S; l++) {
      const int at = S * j + l;
      const double by = a[l] * link_of(c, x0, j, l) - b[l] * link_of(c, x0, j + 1, l),
                   w = c->inverse_mass[at];
      if (!momenta)
        c->x[1][d][at] -= w * by;
      else
        c->p[0][d][at] = w == 0 ? 0 : c->p[0][d][at] - by;
    }
  }
}

/* Row j of the first iterate. */
static void drift(rattle__chain *c, int j) {
  const rattle__kicks *h = &c->now;
  for (int d = 0; d < c->path.axes; d++)
    for (int at = S * j; at < S * (j + 1); at++) {
      const double *V_q = c->V_q[0][d];
      const double p = V_q && h->k1 != 0 ? c->p[0][d][at] - h->k1 * V_q[at] : c->p[0][d][at];
      c->x[1][d][at] = c->x[0][d][at] + h->d * c->inverse_mass[at] * p;
    }
}

int rattle__chain_ends(rattle__chain *c, int momenta, int first) {
  const rattle__segments *e = &c->ends;
  const int ring = c->path.ring;
  if (!solve_ends(e, ring, (e->down ? &c->first : &c->last)->of,
                  (e->down ? &c->last : &c->first)->of))
    return 0;
  c->closing = c->last.of[S - 1];
  for (int l = 0; l < S; l++) {
    c->before.of[l] = l ? c->last.of[l - 1] : ring ? c->closing : 0;
    c->after.of[l] = l + 1 < S ? c->first.of[l + 1] : ring ? c->first.of[0] : 0;
    c->far.of[l] = e->scale.of[l] * (e->down ? c->after : c->before).of[l];
  }
  if (c->full < c->rows) c->last.of[S - 1] = c->after.of[S - 1];
  if (first) drift(c, 0), drift(c, c->rows);
  move(c, momenta, 0, c->before.of, c->first.of);
  move(c, momenta, c->rows, c->last.of, c->after.of);
  return 1;
}

/* The entry of the matrix for momenta between the links j and j+1 at nodes x, in lane l. */
static double between(const rattle__chain *c, double *const *x, int j, int l) {
  double sum = 0;
  for (int d = 0; d < c->path.axes; d++) sum += link_of(c, x[d], j, l) * link_of(c, x[d], j + 1, l);
  return c->inverse_mass[S * j + l] * sum;
}

void rattle__chain_scale(rattle__chain *c, double *const *x) {
  rattle__segments *e = &c->ends;
  for (int l = 0; l < S; l++) {
    const int top = top_of(c, l);
    const double before = between(c, x, e->down ? top : 0, l),
                 after = between(c, x, e->down ? 0 : top, l);
    e->scale.of[l] = before;
    e->v.of[l] *= before;
    e->V.of[l] *= before;
    e->u.of[l] *= after;
  }
}
