/* Part of the text of chain_kernel.h: what a walk carries along, and what it does at one row. A
 * walk goes up or down. Down, links count as j' = L + 1 - j and nodes as k' = L - k, and
 * differences change their sign: the same text. */

#define AXES for (int d = 0; d < D; d++)

/* The kind of a walk: constants when its text is compiled. */
typedef struct walk_kind {
  int D, down;
  int drifts;     /* the iterate is where drift leads, not yet in x[1] */
  int corrects;   /* positions 1, momenta 2 */
  int eliminates; /* the same */
  int begins;     /* units of round-off of positions */
  int pushes;     /* momenta */
} kind;

enum { POSITIONS = 1, MOMENTA = 2 };

/* The state of a walk at link j. */
typedef struct walker {
  vector w;               /* the inverse mass of node j-1 */
  vector before[3], r[3]; /* links j-1 and j at the start of the step */
  vector ahead[3];        /* node j there */
  vector x[3], p[3];      /* node j-1 at the iterate, and its momenta */
  vector link[3];         /* momenta are eliminated: link j-1 of their matrix */
  vector reach[3];        /* what node j-1 counts with in units of round-off */
  vector sigma;           /* pushes: of link j */
  vector delta, far;      /* corrections: of link j and beyond the other end of the segment */
  vector u, y, v, by;     /* elimination, of row j-1 */
  vector Y, V, P;         /* delta_1 = Y + V delta_0 + P delta_j */
  int spike, until,
      spiked; /* 1: v and P do not vanish; rows in which v did not, here and in the elimination
                 before */
  vector ratio[2],
      largest[2]; /* residuals, in units of round-off and as they are, of positions and momenta */
  vector sum[2];  /* of the first, which is not a number if one of them is none */
  vector pivot, turned; /* the least pivot, and the least of the diagonal */
  vector way[2],
      span; /* pushes: displacements times momenta, without the multipliers and with them; reach:
               see rattle__work in constraint/guard/rules/doubt_rules.h */
  vector most, kinetic,
      potential; /* the largest coordinate at the end of the step, or of its momenta; energies */
} walker;

/* The places of link j, and of node k, of the lanes from o on; and the row of a segment that this
 * is. */
INLINE double *link_at(const rattle__chain *c, double *a, int o, int j, int down) {
  return a + RATTLE__LANES * (down ? c->rows + 1 - j : j) + o;
}

INLINE double *node_at(const rattle__chain *c, double *a, int o, int k, int down) {
  return a + RATTLE__LANES * (down ? c->rows - k : k) + o;
}

INLINE int is_full(const rattle__chain *c, int j, int down) {
  return (down ? c->rows + 1 - j : j) <= c->full;
}

/* Row j of an array of links, row k of one of nodes, which is not read where all lanes have the
 * same number. */
INLINE vector even_or(const rattle__even *e, const double *a, int o, int row) {
  return row > 0 && row <= e->rows ? all(e->of) : load(a + RATTLE__LANES * row + o);
}

INLINE vector square_of(const rattle__chain *c, int o, int j, int down) {
  return even_or(&c->even_square, c->square, o, down ? c->rows + 1 - j : j);
}

INLINE vector inverse_mass_of(const rattle__chain *c, int o, int k, int down) {
  return even_or(&c->even_mass, c->inverse_mass, o, down ? c->rows - k : k);
}

INLINE vector force_of(const rattle__chain *c, int end, int d, int o, int k, int down) {
  return even_or(&c->even_force[d], c->V_q[end][d], o, down ? c->rows - k : k);
}

/* a of lanes that have links in all rows, b of the one that may be filled up. */
INLINE vector of_lanes(const rattle__chain *c, int o, vector a, vector b) {
  const bits has = load(c->real.of + o) != 0;
  return (vector)(((bits)a & has) | ((bits)b & ~has));
}

/* a where row j has a link, b where it fills up. */
INLINE vector of_links(const rattle__chain *c, const kind K, int o, int j, vector a, vector b) {
  return is_full(c, j, K.down) ? a : of_lanes(c, o, a, b);
}

/* Link j between the nodes a and b of the walk; of the iterate 0 where it fills up, at the start of
 * the step the link beyond. */
INLINE vector link_of(const rattle__chain *c, const kind K, int o, int j, vector a, vector b) {
  return of_links(c, K, o, j, K.down ? a - b : b - a, all(0));
}

INLINE vector start_link_of(const rattle__chain *c, const kind K, int o, int j, int d, vector a,
                            vector b) {
  return of_links(c, K, o, j, K.down ? a - b : b - a, load(c->beyond[1][d].of + o));
}

/* V_q of node k at the start of the step (end 0) or its end, times -by, added to p. */
INLINE vector kicked(const rattle__chain *c, const kind K, int end, int d, double by, int o, int k,
                     vector p) {
  return c->V_q[end][d] && by != 0 ? p - by * force_of(c, end, d, o, k, K.down) : p;
}

/* Node k, at x0 with momenta p, where drift leads. */
INLINE void drift(const rattle__chain *c, const kind K, int o, int k, vector w, const vector *x0,
                  const vector *p, vector *x) {
  const int D = K.D;
  AXES x[d] = x0[d] + c->now.d * w * kicked(c, K, 0, d, c->now.k1, o, k, p[d]);
}

/* 0 for nodes that do not move */
INLINE vector of_moving(vector w, vector a) {
  return (vector)((bits)a & (w != 0));
}

/* True if row j is the last one that is full, and others follow it. */
INLINE int is_top(const rattle__chain *c, int j, int down) {
  return c->full < c->rows && (down ? c->rows + 1 - j : j) == c->full;
}

/* delta of link j+1, which is not the last. Rows that fill up have the delta of the link beyond. */
INLINE vector next_delta(const rattle__chain *c, const kind K, const walker *s, int o, int j) {
  vector delta = load(link_at(c, c->y, o, j + 1, K.down));
  if (c->rows - j <= s->spiked) delta += load(link_at(c, c->v, o, j + 1, K.down)) * s->far;
  delta += load(link_at(c, c->u, o, j + 1, K.down)) * s->delta;
  if (is_top(c, j + 1, K.down)) return of_lanes(c, o, delta, all(c->closing));
  return of_links(c, K, o, j + 1, delta, load(c->after.of + o));
}

/* along by which node j moves, or its momenta, if sigma is that of link j and next_sigma of the one
 * after it. */
INLINE void pull(const kind K, const walker *s, vector sigma, vector next_sigma, const vector *next,
                 vector *along) {
  const int D = K.D;
  AXES along[d] =
      K.down ? next_sigma * next[d] - sigma * s->r[d] : sigma * s->r[d] - next_sigma * next[d];
}

/* The momenta p of node k, kicked at both ends of the step and pushed by the links next to it; into
 * p[1]. x0, x: where it went from and to, which another lane counts if they are NULL. */
INLINE void push(rattle__chain *c, const kind K, walker *s, int o, int k, vector w,
                 const vector *along, const vector *x0, const vector *x, vector *p) {
  const int D = K.D;
  const double by = 1 / c->now.h;
  AXES {
    const vector kicked_once = kicked(c, K, 0, d, c->now.k1, o, k, p[d]);
    p[d] = kicked_once - by * along[d];
    if (x) {
      const vector way = x[d] - x0[d];
      s->way[0] += way * kicked_once, s->way[1] += way * p[d];
      s->span += size(x[d] * kicked_once);
    }
    p[d] = of_moving(w, kicked(c, K, 1, d, c->now.k2, o, k, p[d]));
    store(node_at(c, c->p[1][d], o, k, K.down), p[d]);
  }
}

/* The size of a node in units of round-off: positions at the start of the step and at its first
 * iterate, or momenta. */
INLINE vector reach_of(const rattle__chain *c, const kind K, vector w, vector x0, vector x,
                       vector p) {
  if (K.eliminates == MOMENTA) return w * (size(p) + c->least[1]);
  return size(x) + size(x0) + c->least[0];
}

/* 1 / round-off of f, as rattle__rows_round_off and rattle__rows_measure have it: each term with
 * its mean size along the step, and no less than `least`. */
INLINE vector find_floor(const rattle__chain *c, const kind K, walker *s, int o, int j,
                         const vector *r, const vector *reach) {
  const int D = K.D;
  vector sum = all(0);
  AXES {
    sum += size(r[d]) * (reach[d] + s->reach[d]);
    s->reach[d] = reach[d];
  }
  const vector inverse =
      1 / ((K.eliminates == MOMENTA ? DBL_EPSILON : DBL_EPSILON / 2) * sum + DBL_MIN);
  store(link_at(c, c->inverse_floor, o, j, K.down), inverse);
  return inverse;
}

INLINE void see(walker *s, int which, vector f, vector floor) {
  const vector ratio = size(f) * floor;
  s->ratio[which] = LARGER(s->ratio[which], ratio);
  s->sum[which] += ratio;
  s->largest[which] = LARGER(s->largest[which], size(f));
}

/* r . M^-1 (p - p before) of link j */
INLINE vector rate_of(const kind K, const walker *s, vector w, const vector *r, const vector *p) {
  const int D = K.D;
  vector rate[3];
  AXES rate[d] = K.down ? s->w * s->p[d] - w * p[d] : w * p[d] - s->w * s->p[d];
  return product(r, rate, D);
}

/* --- elimination ------------------------------------------------------------------------------ */

/* y of row j by f, lower and 1/pivot; the spike, unless it vanished. Lanes that are filled up there
 * keep what they have; where they end, as all do in their last row, so do Y, V and P. */
INLINE void substitute(rattle__chain *c, const kind K, walker *s, int o, int j, vector f,
                       vector lower, vector v, int last) {
  s->y = of_links(c, K, o, j, (f + lower * s->y) * s->by, s->y);
  store(link_at(c, c->y, o, j, K.down), s->y);
  if (!s->spike) return;
  s->v = of_links(c, K, o, j, j % 8 == 0 ? rounded(v) : v, s->v);
  store(link_at(c, c->v, o, j, K.down), s->v);
  if (last) return;
  const int next = K.down ? j : j + 1;
  s->Y = of_links(c, K, o, next, s->Y + s->P * s->y, s->Y);
  s->V = of_links(c, K, o, next, s->V + s->P * s->v, s->V);
}

/* u of row j, and what follows from it. */
INLINE void lead_on(rattle__chain *c, const kind K, walker *s, int o, int j, vector u) {
  s->u = of_links(c, K, o, j, u, s->u);
  store(link_at(c, c->u, o, j, K.down), s->u);
  if (!s->spike) return;
  const vector P = s->P * u;
  s->P = of_links(c, K, o, K.down ? j : j + 1, j % 8 ? P : rounded(P), s->P);
  if (j % 8) return;
  if (vanishes(s->v, s->P)) s->spike = 0, s->until = j;
}

INLINE void divide(const rattle__chain *c, const kind K, walker *s, int o, int j, vector diagonal,
                   vector lower) {
  if (!is_full(c, j, K.down)) diagonal += load(c->filling.of + o);
  const vector pivot = diagonal - lower * s->u;
  s->by = 1 / pivot;
  s->pivot = SMALLER(s->pivot, pivot);
  s->turned = SMALLER(s->turned, diagonal);
}

/* Row j of Newton's matrix for positions; R: link j at the iterate. */
INLINE void eliminate_positions(rattle__chain *c, const kind K, walker *s, int o, int j, vector f,
                                vector w, const vector *R, const vector *next, int last) {
  const int D = K.D;
  const vector lower = s->w * product(R, s->before, D), upper = w * product(R, next, D);
  divide(c, K, s, o, j, (w + s->w) * product(R, s->r, D), lower);
  substitute(c, K, s, o, j, f, lower, lower * s->v * s->by, last);
  if (last)
    s->u = of_links(c, K, o, j, upper * s->by, s->u);
  else
    lead_on(c, K, s, o, j, upper * s->by);
}

/* Row j of the matrix for momenta, which is symmetric: u of row j-1 comes from row j, so that
 * nobody asks for link j+1. The link before the first is not known yet: `scale` stands for it. */
INLINE void eliminate_momenta(rattle__chain *c, const kind K, walker *s, int o, int j, vector f,
                              vector w, const vector *R, int last) {
  const int D = K.D;
  const vector lower = s->w * product(R, s->link, D);
  if (j > 1) lead_on(c, K, s, o, j - 1, lower * s->by);
  divide(c, K, s, o, j, (w + s->w) * product(R, R, D), lower);
  vector v = j > 1 ? lower * s->v * s->by : s->by;
  if (is_top(c, j, K.down)) v = of_lanes(c, o, v, s->by);
  substitute(c, K, s, o, j, f, lower, v, last);
  AXES s->link[d] = R[d];
}
