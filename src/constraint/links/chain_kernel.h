/* The walks along the segments of a chain, as the text for vectors of one width. Before inclusion:
 * WIDTH, doubles in a vector; TARGET, the attribute that lets the compiler use such vectors;
 * LARGER(a, b) and SMALLER(a, b) of vectors; KERNEL, the name of the table, and KERNEL_NAME.
 * Symbols: chain.h, chain.c. */
#include <float.h>

#include "constraint/guard/rules/rules.h"
#include "constraint/links/chain.h"
#include "constraint/links/chain_vector.h"
#include "constraint/links/chain_walk.h"

/* --- one row ---------------------------------------------------------------------------------- */

INLINE int has_momenta(const kind K) {
  return K.drifts || K.pushes || K.corrects == MOMENTA || K.eliminates == MOMENTA;
}

INLINE int has_iterate(const kind K) {
  return K.drifts || K.pushes || K.corrects == POSITIONS || K.eliminates == POSITIONS;
}

/* Link j+1 at the start of the step. */
INLINE void find_next(rattle__chain *c, const kind K, walker *s, int o, int j, int last,
                      vector *next) {
  const int D = K.D;
  AXES {
    if (last) {
      next[d] = load(c->beyond[!K.down][d].of + o);
      continue;
    }
    const vector x = load(node_at(c, c->x[0][d], o, j + 1, K.down));
    next[d] = start_link_of(c, K, o, j + 1, d, s->ahead[d], x);
    s->ahead[d] = x;
  }
}

/* sigma of link j and the one after it with their corrections, where positions are corrected. */
INLINE void add_up(rattle__chain *c, const kind K, walker *s, int o, int j, int last, vector delta,
                   vector *next_sigma) {
  double *const sigma = link_at(c, c->sigma, o, j, K.down);
  if (K.pushes) {
    *next_sigma =
        last ? load(c->sigma_beyond[!K.down].of + o) : load(link_at(c, c->sigma, o, j + 1, K.down));
    if (!last && K.corrects) *next_sigma += delta;
    if (!last) *next_sigma = of_links(c, K, o, j + 1, *next_sigma, load(c->sigma_beyond[1].of + o));
  }
  if (K.corrects != POSITIONS) return;
  if (K.pushes)
    store(sigma, s->sigma);
  else
    store(sigma, K.drifts ? s->delta : load(sigma) + s->delta);
}

/* Prepares the next step by node j at the end of this step, or by its momenta. */
INLINE void look_on(const rattle__chain *c, const kind K, walker *s, int o, int j, vector w,
                    const vector *x0, const vector *x, const vector *p) {
  const int D = K.D;
  if (K.pushes) AXES s->most = LARGER(s->most, size(x[d]));
  if (K.corrects != MOMENTA) return;
  AXES s->most = LARGER(s->most, size(of_moving(w, p[d])));
  s->kinetic += w * product(p, p, D);
  if (!c->constant) return;
  AXES if (c->V_q[0][d]) s->potential += force_of(c, 0, d, o, j, K.down) * x0[d];
}

/* Link j and the node after it. */
INLINE void row(rattle__chain *c, const kind K, walker *s, int o, int j, int last) {
  const int D = K.D;
  vector x0[3], x[3] = {{0}}, p[3] = {{0}}, R[3], next[3], along[3], delta = all(0),
                next_sigma = all(0);
  const vector w = inverse_mass_of(c, o, j, K.down);
  AXES x0[d] = s->ahead[d];
  find_next(c, K, s, o, j, last, next);
  if (has_momenta(K)) AXES p[d] = load(node_at(c, c->p[0][d], o, j, K.down));
  if (K.corrects && !last) {
    delta = next_delta(c, K, s, o, j);
    pull(K, s, s->delta, delta, next, along);
  }
  const vector floor = K.begins ? all(0) : load(link_at(c, c->inverse_floor, o, j, K.down));
  if (K.corrects == MOMENTA) {
    if (!last) AXES {
        p[d] = of_moving(w, p[d] - along[d]);
        store(node_at(c, c->p[0][d], o, j, K.down), p[d]);
      }
    const vector old = K.begins ? load(link_at(c, c->inverse_floor, o, j, K.down)) : floor;
    see(s, RATTLE__CHAIN_MOMENTA, of_links(c, K, o, j, rate_of(K, s, w, s->r, p), all(0)), old);
  }
  if (K.drifts && !(K.corrects == POSITIONS && last))
    drift(c, K, o, j, w, x0, p, x);
  else if (has_iterate(K))
    AXES x[d] = load(node_at(c, c->x[1][d], o, j, K.down));
  if (K.corrects == POSITIONS && !last) AXES {
      x[d] -= w * along[d];
      store(node_at(c, c->x[1][d], o, j, K.down), x[d]);
    }
  if (K.pushes || K.corrects == POSITIONS) add_up(c, K, s, o, j, last, delta, &next_sigma);
  if (has_iterate(K)) AXES R[d] = link_of(c, K, o, j, s->x[d], x[d]);
  vector reach[3];
  if (K.begins) AXES reach[d] = reach_of(c, K, w, x0[d], x[d], p[d]);
  if (K.eliminates == POSITIONS || K.corrects == POSITIONS) {
    const vector f = 0.5 * (product(R, R, D) - square_of(c, o, j, K.down));
    see(s, RATTLE__CHAIN_POSITIONS, f, K.begins ? find_floor(c, K, s, o, j, s->r, reach) : floor);
    if (K.eliminates == POSITIONS) eliminate_positions(c, K, s, o, j, f, w, R, next, last);
  }
  if (K.pushes) {
    pull(K, s, s->sigma, next_sigma, next, along);
    push(c, K, s, o, j, w, along, x0, x, p);
    s->sigma = next_sigma;
  }
  if (K.eliminates == MOMENTA) {
    if (!K.pushes) AXES R[d] = of_links(c, K, o, j, s->r[d], all(0));
    AXES reach[d] = reach_of(c, K, w, x0[d], x[d], p[d]);
    const vector f = rate_of(K, s, w, R, p);
    see(s, RATTLE__CHAIN_MOMENTA, f, find_floor(c, K, s, o, j, R, reach));
    eliminate_momenta(c, K, s, o, j, f, w, R, last);
  }
  look_on(c, K, s, o, j, w, x0, x, p);
  AXES s->x[d] = x[d], s->p[d] = p[d];
  AXES s->before[d] = s->r[d], s->r[d] = next[d];
  s->delta = delta;
  s->w = w;
}

/* --- one walk --------------------------------------------------------------------------------- */

/* Node 0 and link 1. */
INLINE void set_out(rattle__chain *c, const kind K, walker *s, int o) {
  const int D = K.D;
  vector x0[3], along[3];
  *s = (walker){.v = all(1),
                .P = all(1),
                .pivot = all(DBL_MAX),
                .turned = all(DBL_MAX),
                .spike = 1,
                .until = c->rows};
  s->w = inverse_mass_of(c, o, 0, K.down);
  s->delta = load((K.down ? c->last : c->first).of + o);
  s->far = load(c->far.of + o);
  s->spiked = c->spiked[o / WIDTH];
  AXES {
    x0[d] = load(node_at(c, c->x[0][d], o, 0, K.down));
    s->ahead[d] = load(node_at(c, c->x[0][d], o, 1, K.down));
    s->before[d] = load(c->beyond[K.down][d].of + o);
    s->r[d] = start_link_of(c, K, o, 1, d, x0[d], s->ahead[d]);
    if (has_momenta(K)) s->p[d] = load(node_at(c, c->p[0][d], o, 0, K.down));
  }
  if (K.drifts && K.corrects != POSITIONS)
    drift(c, K, o, 0, s->w, x0, s->p, s->x);
  else if (has_iterate(K))
    AXES s->x[d] = load(node_at(c, c->x[1][d], o, 0, K.down));
  if (K.pushes) {
    const vector before = load(c->sigma_beyond[K.down].of + o);
    s->sigma = load(link_at(c, c->sigma, o, 1, K.down));
    if (K.corrects) s->sigma += s->delta;
    s->sigma = of_links(c, K, o, 1, s->sigma, load(c->sigma_beyond[1].of + o));
    vector r[3];
    AXES r[d] = s->r[d], s->r[d] = s->before[d];
    pull(K, s, before, s->sigma, r, along);
    AXES s->r[d] = r[d];
    push(c, K, s, o, 0, s->w, along, NULL, NULL, s->p);
  }
  if (K.begins || K.eliminates == MOMENTA)
    AXES s->reach[d] = reach_of(c, K, s->w, x0[d], s->x[d], s->p[d]);
  if (K.pushes) AXES s->most = LARGER(s->most, size(s->x[d]));
  if (K.corrects == MOMENTA) AXES s->most = LARGER(s->most, size(of_moving(s->w, s->p[d])));
}

INLINE void arrive(rattle__chain *c, const kind K, const walker *s, int o) {
  for (int i = 0; i < WIDTH; i++) {
    for (int which = 0; which < 2; which++) {
      rattle__seen *seen = c->seen + which;
      if (s->ratio[which][i] > seen->ratio) seen->ratio = s->ratio[which][i];
      if (s->largest[which][i] > seen->largest) seen->largest = s->largest[which][i];
      if (!(s->sum[which][i] <= DBL_MAX)) seen->ratio = s->sum[which][i];
    }
    if (K.pushes && s->most[i] > c->most_x) c->most_x = s->most[i];
    if (K.corrects == MOMENTA && s->most[i] > c->most_p) c->most_p = s->most[i];
    if (K.eliminates)
      c->good &=
          rattle__pivot_is_positive(s->pivot[i], c->stiffest) && rattle__is_upright(s->turned[i]);
    for (int which = 0; which < 2; which++) c->way[which] += s->way[which][i];
    c->span += s->span[i];
    c->kinetic += 0.5 * s->kinetic[i];
    c->potential += s->potential[i];
  }
  if (!K.eliminates) return;
  c->spiked[o / WIDTH] = s->until;
  store(c->ends.u.of + o, K.eliminates == MOMENTA ? s->by : s->u);
  store(c->ends.v.of + o, s->v), store(c->ends.y.of + o, s->y);
  store(c->ends.Y.of + o, s->Y), store(c->ends.V.of + o, s->V), store(c->ends.P.of + o, s->P);
}

INLINE void walk(rattle__chain *c, const kind K) {
  if (K.eliminates == POSITIONS || K.corrects == POSITIONS)
    c->seen[RATTLE__CHAIN_POSITIONS] = (rattle__seen){0};
  if (K.eliminates == MOMENTA || K.corrects == MOMENTA)
    c->seen[RATTLE__CHAIN_MOMENTA] = (rattle__seen){0};
  if (K.eliminates) c->good = 1;
  if (K.pushes) c->most_x = c->way[0] = c->way[1] = c->span = 0;
  if (K.corrects == MOMENTA) c->most_p = c->kinetic = 0, c->potential = c->level;
  for (int o = 0; o < RATTLE__LANES; o += WIDTH) {
    walker s;
    set_out(c, K, &s, o);
    for (int j = 1; j < c->rows; j++) row(c, K, &s, o, j, 0);
    row(c, K, &s, o, c->rows, 1);
    arrive(c, K, &s, o);
  }
  if (K.eliminates) c->ends.down = K.down;
}

/* --- between q and lanes ---------------------------------------------------------------------- */

INLINE void load_axis(const rattle__chain *c, const double *a, int d, int o, double *to) {
  const int *first = c->begin[d] + o, stride = c->path.stride[d];
  int j = 1;
#ifdef TILES
  for (; stride == 1 && j + WIDTH - 1 <= c->whole; j += WIDTH) {
    vector t[WIDTH];
    gather_rows(a, first, j, t);
    for (int i = 0; i < WIDTH; i++) store(to + RATTLE__LANES * (j + i) + o, t[i]);
  }
#endif
  for (; j <= c->whole; j++) store(to + RATTLE__LANES * j + o, gather(a, first, stride * j));
}

TARGET static void load_rows(const rattle__chain *c, const double *a, double *const *to) {
  for (int d = 0; d < c->path.axes; d++)
    for (int o = 0; o < RATTLE__LANES; o += WIDTH) load_axis(c, a, d, o, to[d]);
}

INLINE void store_axis(const rattle__chain *c, const double *x, int d, int o, double *a) {
  const int *first = c->begin[d] + o, stride = c->path.stride[d];
  int j = 1;
#ifdef TILES
  for (; stride == 1 && j + WIDTH - 1 <= c->whole; j += WIDTH) {
    vector t[WIDTH];
    for (int i = 0; i < WIDTH; i++) t[i] = load(x + RATTLE__LANES * (j + i) + o);
    scatter_rows(a, first, j, t);
  }
#endif
  for (; j <= c->whole; j++)
    for (int l = 0; l < WIDTH; l++) a[first[l] + stride * j] = x[RATTLE__LANES * j + o + l];
}

TARGET static void store_rows(const rattle__chain *c, double *const *from, double *a) {
  for (int d = 0; d < c->path.axes; d++)
    for (int o = 0; o < RATTLE__LANES; o += WIDTH) store_axis(c, from[d], d, o, a);
}

/* --- which walks there are -------------------------------------------------------------------- */

#define WALK(...) walk(c, (kind){.D = AXES_OF_WALK, __VA_ARGS__})
#define WALKS                                                                                      \
  switch (what) {                                                                                  \
  case RATTLE__WALK_BEGIN:                                                                         \
    WALK(.drifts = 1, .begins = 1, .eliminates = POSITIONS);                                       \
    break;                                                                                         \
  case RATTLE__WALK_FIRST:                                                                         \
    WALK(.drifts = 1, .corrects = POSITIONS, .eliminates = POSITIONS, .down = 1);                  \
    break;                                                                                         \
  case RATTLE__WALK_BOTH:                                                                          \
    if (c->ends.down)                                                                              \
      WALK(.corrects = POSITIONS, .eliminates = POSITIONS);                                        \
    else                                                                                           \
      WALK(.corrects = POSITIONS, .eliminates = POSITIONS, .down = 1);                             \
    break;                                                                                         \
  case RATTLE__WALK_CORRECT:                                                                       \
    if (c->ends.down)                                                                              \
      WALK(.corrects = POSITIONS);                                                                 \
    else                                                                                           \
      WALK(.corrects = POSITIONS, .down = 1);                                                      \
    break;                                                                                         \
  case RATTLE__WALK_ELIMINATE:                                                                     \
    WALK(.eliminates = POSITIONS);                                                                 \
    break;                                                                                         \
  case RATTLE__WALK_END:                                                                           \
    WALK(.corrects = POSITIONS, .pushes = 1, .eliminates = MOMENTA, .down = 1);                    \
    break;                                                                                         \
  case RATTLE__WALK_PUSH:                                                                          \
    WALK(.pushes = 1, .eliminates = MOMENTA, .down = 1);                                           \
    break;                                                                                         \
  case RATTLE__WALK_LEVEL:                                                                         \
    WALK(.corrects = MOMENTA);                                                                     \
    break;                                                                                         \
  case RATTLE__WALK_LEVEL_ELIMINATE:                                                               \
    WALK(.eliminates = MOMENTA, .down = 1);                                                        \
    break;                                                                                         \
  case RATTLE__WALK_GO_ON:                                                                         \
    WALK(.corrects = MOMENTA, .drifts = 1, .begins = 1, .eliminates = POSITIONS);                  \
    break;                                                                                         \
  }

TARGET static void walk_plane(rattle__chain *c, rattle__chain_walk what){
#define AXES_OF_WALK 2
    WALKS
#undef AXES_OF_WALK
}

TARGET static void walk_space(rattle__chain *c, rattle__chain_walk what) {
#define AXES_OF_WALK 3
  WALKS
#undef AXES_OF_WALK
}

static void walk_along(rattle__chain *c, rattle__chain_walk what) {
  (c->path.axes == 2 ? walk_plane : walk_space)(c, what);
}

const rattle__chain_kernel KERNEL = {KERNEL_NAME, load_rows, store_rows, walk_along};
