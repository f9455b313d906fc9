/* Chains between q and lanes, and where segments meet. */
#include "slide/chain_lanes.h"

#include <float.h>
#include <math.h>

enum { S = RATTLE__LANES };

static inline double larger(double a, double b) {
  return a > b ? a : b;
}

/* The number of the node in row j of lane l. */
static inline int node_of(const rattle__chain *c, int j, int l) {
  return l * c->rows + j;
}

/* The last node that moves. */
static int last_of(const rattle__path *p) {
  return p->links - p->fixed[1];
}

static inline int column(const rattle__path *p, int node, int d) {
  return p->base[d] + p->stride[d] * node;
}

/* Whether that node is in q. */
static int moves(const rattle__path *p, int node) {
  return node >= p->fixed[0] && node <= last_of(p);
}

/* Row 0: the last rows of the lanes before; lane 0 keeps its own. */
static void share(const rattle__chain *c, double *a) {
  for (int l = 1; l < S; l++) a[l] = a[S * c->rows + l - 1];
}

/* Row L+1 too; 0 beyond the ends of the chain. */
static void share_links(const rattle__chain *c, double *a) {
  share(c, a);
  a[0] = 0;
  for (int l = 0; l < S; l++) a[S * (c->rows + 1) + l] = l + 1 < S ? a[S + l + 1] : 0;
}

/* --- q and p ----------------------------------------------------------------------------------------------------------------- */

/* One node: x0, p and x of axis d. */
static void load_node(rattle__chain *c, int d, int at, int node, const double *z0, const double *V_q, double k, double by) {
  const rattle__path *p = &c->path;
  const int n = rattle__path_columns(p), end = node > 0;
  if (moves(p, node) || (node > 0 && !p->fixed[1])) { /* what fills up is where the last node is, and at rest */
    const int i = column(p, moves(p, node) ? node : last_of(p), d);
    c->x0[d][at] = z0[i];
    c->p[d][at] = !moves(p, node) ? 0 : V_q ? z0[n + i] - k * V_q[i] : z0[n + i];
  } else {
    c->x0[d][at] = p->point[end][d];
    c->p[d][at] = 0;
  }
  c->x[d][at] = c->x0[d][at] + by * c->inverse_mass[at] * c->p[d][at];
  c->most_x = larger(c->most_x, fabs(c->x[d][at]));
  c->most_p = larger(c->most_p, fabs(c->p[d][at]));
}

void rattle__chain_load(rattle__chain *c, const double *z0, const double *V_q, double k, double by) {
  c->most_x = c->most_p = 0;
  c->kernel->load(c, z0, V_q, k, by);
  for (int d = 0; d < c->path.axes; d++) {
    for (int j = c->whole + 1; j <= c->rows; j++)
      for (int l = 0; l < S; l++) load_node(c, d, S * j + l, node_of(c, j, l), z0, V_q, k, by);
    load_node(c, d, 0, 0, z0, V_q, k, by);
    share(c, c->x0[d]);
    share(c, c->x[d]);
    share(c, c->p[d]);
  }
}

void rattle__chain_store(const rattle__chain *c, double *const *from, double *a) {
  const rattle__path *path = &c->path;
  c->kernel->store(c, from, a);
  for (int d = 0; d < path->axes; d++) {
    for (int j = c->whole + 1; j <= c->rows; j++)
      for (int l = 0; l < S; l++)
        if (moves(path, node_of(c, j, l))) a[column(path, node_of(c, j, l), d)] = from[d][S * j + l];
    if (!path->fixed[0]) a[path->base[d]] = from[d][0];
  }
}

/* --- walks that begin -------------------------------------------------------------------------------------------------------- */

const double *rattle__chain_tail(rattle__chain *c, int d, int j) {
  for (int l = 0; l < S; l++) {
    const int node = node_of(c, j, l);
    c->tail.of[l] = moves(&c->path, node) ? c->push.V_q[column(&c->path, node, d)] : 0;
  }
  return c->tail.of;
}

/* The nodes in row 0, as find_next does the others. */
static void push_first(rattle__chain *c, int d) {
  double *p = c->p[d];
  const double *r = c->r[d], *sigma = c->sigma, *V_q = c->push.V_q ? rattle__chain_tail(c, d, 0) : NULL;
  for (int l = 0; l < S; l++) {
    p[l] -= c->push.by * (sigma[l] * r[l] - sigma[S + l] * r[S + l]);
    if (V_q) p[l] -= c->push.k * V_q[l];
  }
}

static double link_of(const rattle__chain *c, const double *x, int at) {
  return at >= S * (c->full + 1) ? c->real.of[at % S] * (x[at] - x[at - S]) : x[at] - x[at - S];
}

void rattle__chain_look_beyond(rattle__chain *c, double *const *x, int momenta) {
  if (momenta) share_links(c, c->sigma);
  for (int d = 0; d < c->path.axes; d++) {
    for (int l = 0; l < S; l++) {
      c->beyond[0][d].of[l] = l ? link_of(c, x[d], S * c->rows + l - 1) : 0;
      c->beyond[1][d].of[l] = l + 1 < S ? link_of(c, x[d], S + l + 1) : 0;
    }
    if (momenta) push_first(c, d);
  }
}

void rattle__chain_close(rattle__chain *c) {
  for (int d = 0; d < c->path.axes; d++)
    for (int l = 0; l < S; l++) {
      c->r[d][l] = c->beyond[0][d].of[l];
      c->r[d][S * (c->rows + 1) + l] = c->beyond[1][d].of[l];
    }
}

/* --- where segments meet ------------------------------------------------------------------------------------------------------ */

/* The unknowns s of the segments' last rows: s_i = y_i + u_i delta_1(i+1) + v_i s_{i-1}, lanes in the order of the elimination. */
static int solve_ends(const rattle__segments *e, double last[S], double first[S]) {
  double ratio[S], left = 0;
  for (int i = 0; i < S; i++) {
    const int l = e->down ? S - 1 - i : i, next = e->down ? l - 1 : l + 1;
    const int inner = i + 1 < S;
    const double diagonal = inner ? 1 - e->u.of[l] * e->V.of[next] : 1, upper = inner ? e->u.of[l] * e->P.of[next] : 0;
    const double b = inner ? e->y.of[l] + e->u.of[l] * e->Y.of[next] : e->y.of[l];
    const double pivot = diagonal - (i ? e->v.of[l] * ratio[i - 1] : 0);
    if (!(pivot > 1e-12)) return 0;
    ratio[i] = upper / pivot;
    left = (b + (i ? e->v.of[l] * left : 0)) / pivot;
    last[l] = left;
  }
  for (int i = S - 2; i >= 0; i--) {
    const int l = e->down ? S - 1 - i : i;
    last[l] += ratio[i] * last[e->down ? l - 1 : l + 1];
  }
  for (int i = 0; i < S; i++) {
    const int l = e->down ? S - 1 - i : i;
    first[l] = e->Y.of[l] + e->P.of[l] * last[l] + (i ? e->V.of[l] * last[e->down ? l + 1 : l - 1] : 0);
  }
  return 1;
}

/* Row j of x by the corrections a and b of the links j and j+1. */
static void move(rattle__chain *c, int momenta, int j, const double *a, const double *b) {
  for (int d = 0; d < c->path.axes; d++) {
    double *x = momenta ? c->p[d] : c->x[d];
    for (int l = 0; l < S; l++) {
      const int at = S * j + l;
      const double by = a[l] * c->r[d][at] - b[l] * c->r[d][at + S];
      x[at] -= momenta ? by : c->inverse_mass[at] * by;
    }
  }
}

int rattle__chain_ends(rattle__chain *c, int momenta) {
  const rattle__segments *e = &c->ends;
  if (!solve_ends(e, (e->down ? &c->first : &c->last)->of, (e->down ? &c->last : &c->first)->of)) return 0;
  for (int l = 0; l < S; l++) {
    c->before.of[l] = l ? c->last.of[l - 1] : 0;
    c->after.of[l] = l + 1 < S ? c->first.of[l + 1] : 0;
  }
  move(c, momenta, 0, c->before.of, c->first.of);
  move(c, momenta, c->rows, c->last.of, c->after.of);
  return 1;
}
