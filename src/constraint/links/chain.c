/* The positions step and the momentum projection of a chain, or a ring, in segments.
 *
 * Symbols   x_k nodes, r_j = x_j - x_{j-1} links at the start of the step, R_j at the iterate, w_k
 *           inverse masses; f_j = (|R_j|^2 - d_j^2)/2; sigma_j = 2c h^2 lambda_j moves x_k by -w_k
 *           (sigma_k r_k - sigma_{k+1} r_{k+1}); delta a correction of it; L rows
 * Equation  tridiag(-w_{j-1} R_j.r_{j-1}, (w_{j-1} + w_j) R_j.r_j, -w_j R_j.r_{j+1}) delta = f,
 *           Newton's method with a matrix at each iterate; momenta: the same with R = r at the end
 *           of the step, and f = r_j.(w_j p_j - w_{j-1} p_{j-1})
 * Rings     the same with indices modulo the number of links
 * Method    each segment is eliminated by itself, its rows and one column of the unknown beyond its
 *           end, after H. H. Wang, ACM Trans. Math. Softw. 7 (1981) 170; the eight equations of the
 *           segments' ends are solved as one, and the corrections go back. Every other elimination
 *           goes down: so the walk that corrects nodes meets rows in the order in which it can
 *           eliminate them anew
 * Guard     pivots are positive, at the first iterate and near the last, and the diagonal, which is
 *           the cosine by which links turned; residuals fall as constraint/equation/iterate.h
 *           demands, and multipliers do not stretch the step. Anything else is left to
 *           positions_rows.c: a step that ends here is one that ends there, with multipliers that
 *           agree to round-off
 * Cost      one walk for each of two to four corrections and one for the momenta, which go on to
 *           the next step; `numbers` counts what they move */
#include "constraint/links/chain.h"

#include <math.h>

#include "constraint/links/chain_lanes.h"
#include "constraint/equation/iterate.h"

enum { S = RATTLE__LANES };

/* Fewer links are quicker without segments. */
enum { FEWEST = 64 };

/* --- making ----------------------------------------------------------------------------------- */

/* True if all lanes have the number a[8] from row 1 to that row. */
static rattle__even find_even(const double *a, int rows) {
  rattle__even even = {a[S], 0};
  for (int at = S; at < S * (rows + 1); at++)
    if (a[at] != even.of) return even;
  even.rows = rows;
  return even;
}

/* Lays out constants: masses, lengths, 0 in all rows that fill up the last lane. */
static void lay(rattle__chain *c, const rattle__path *path) {
  double most = 0;
  for (int l = 0; l < S; l++)
    for (int j = 0; j <= c->rows; j++) {
      const int node = l * c->rows + j, at = S * j + l;
      c->inverse_mass[at] = node <= path->links ? path->inverse[node] : 0;
      c->square[at] = node > 0 && node <= path->links ? path->square[node - 1] : 0;
    }
  for (int k = 0; k < path->links; k++)
    most = fmax(most, (path->inverse[k] + path->inverse[k + 1]) * path->square[k]);
  c->stiffest = most;
  c->even_mass = find_even(c->inverse_mass, c->whole);
  c->even_square = find_even(c->square, c->full);
  for (int l = 0; l < S; l++) c->real.of[l] = l + 1 < S, c->filling.of[l] = l + 1 < S ? 0 : most;
  for (int d = 0; d < path->axes; d++)
    for (int l = 0; l < S; l++) c->begin[d][l] = path->base[d] + path->stride[d] * c->rows * l;
}

static void lay_axes(rattle__chain *c, size_t room, rattle__arena *arena) {
  for (int d = 0; d < c->path.axes; d++) {
    const rattle__array axis[] = {{&c->x[0][d], room},
                                  {&c->x[1][d], room},
                                  {&c->p[0][d], room},
                                  {&c->p[1][d], room},
                                  {&c->V_q[0][d], room}};
    RATTLE__LAY_OUT(arena, axis);
    c->V_q[1][d] = c->constant ? c->V_q[0][d] : rattle__arena_doubles(arena, room);
  }
}

/* V where q = 0 and V_q, which is the same everywhere: axes without a force are not read. */
static int lay_force(rattle__chain *c, const rattle__function *V, rattle__arena *arena) {
  double *room = rattle__arena_doubles(arena, 2 * (size_t)V->vars + V->work), *V_q = room + V->vars;
  if (!room || V->jacobian(V, room, &c->level, V_q, V_q + V->vars)) return 0;
  rattle__chain_force(c, 0, V_q);
  for (int d = 0; d < c->path.axes; d++) {
    double *const axis[3] = {c->V_q[0][d], c->V_q[0][d], c->V_q[0][d]};
    if (rattle__chain_largest(c, axis, 0) == 0) c->V_q[0][d] = c->V_q[1][d] = NULL;
    if (c->V_q[0][d]) c->even_force[d] = find_even(c->V_q[0][d], c->whole);
  }
  return 1;
}

rattle__chain *rattle__chain_create(const rattle_problem *problem, rattle__arena *arena) {
  rattle__path path;
  if (problem->m < FEWEST || !rattle__path_find(&path, problem, arena)) return NULL;
  rattle__chain *c = rattle__arena_take(arena, sizeof *c);
  if (!c) return NULL;
  *c = (rattle__chain){
      .path = path, .rows = (path.links + S - 1) / S, .kernel = rattle__chain_kernel_of(0)};
  const rattle__function *V = problem->V;
  c->constant = V->elements && V->hessian && V->hess_nnz == 0;
  const int whole = path.links - path.fixed[1] - (path.ring > 0) - (S - 1) * c->rows;
  c->whole = whole < 0 ? 0 : whole;
  c->full = path.links - (S - 1) * c->rows;
  const size_t room = (size_t)S * (size_t)(c->rows + 2);
  const rattle__array arrays[] = {{&c->sigma, room},  {&c->inverse_mass, room},
                                  {&c->square, room}, {&c->inverse_floor, room},
                                  {&c->u, room},      {&c->v, room},
                                  {&c->y, room}};
  RATTLE__LAY_OUT(arena, arrays);
  lay_axes(c, room, arena);
  if (arena->failed) return NULL;
  lay(c, &path);
  return c->constant && !lay_force(c, V, arena) ? NULL : c;
}

/* --- the equations ---------------------------------------------------------------------------- */

/* Numbers of a row that each kind of walk reads and writes: arrays of each axis, of V_q at one end
 * or both, of d^2, and others besides the masses. */
static const struct {
  int axis, force, square, other;
} traffic[] = {
    [RATTLE__WALK_BEGIN] = {2, 1, 1, 3},
    [RATTLE__WALK_FIRST] = {3, 1, 1, 6},
    [RATTLE__WALK_BOTH] = {3, 0, 1, 7},
    [RATTLE__WALK_CORRECT] = {3, 0, 1, 5},
    [RATTLE__WALK_ELIMINATE] = {2, 0, 1, 3},
    [RATTLE__WALK_END] = {5, 2, 1, 8},
    [RATTLE__WALK_PUSH] = {4, 2, 0, 4},
    [RATTLE__WALK_LEVEL] = {3, 1, 0, 3},
    [RATTLE__WALK_LEVEL_ELIMINATE] = {2, 0, 0, 3},
    [RATTLE__WALK_GO_ON] = {3, 1, 1, 6},
};

static void count(rattle__chain *c, rattle__chain_walk what) {
  const int ends =
      c->constant && traffic[what].force ? 1 : traffic[what].force; /* one array for both */
  c->numbers += c->path.axes * traffic[what].axis + traffic[what].other + !c->even_mass.rows;
  if (!c->even_square.rows) c->numbers += traffic[what].square;
  for (int d = 0; d < c->path.axes; d++)
    if (c->V_q[0][d] && !c->even_force[d].rows) c->numbers += ends;
}

/* One walk; 0: what the next one would need is in doubt. */
static int walk(rattle__chain *c, rattle__chain_walk what) {
  const int levels = what == RATTLE__WALK_LEVEL || what == RATTLE__WALK_GO_ON;
  const int corrects =
      levels || (what != RATTLE__WALK_BEGIN && what != RATTLE__WALK_ELIMINATE &&
                 what != RATTLE__WALK_PUSH && what != RATTLE__WALK_LEVEL_ELIMINATE);
  const int of_momenta =
      what == RATTLE__WALK_END || what == RATTLE__WALK_PUSH || what == RATTLE__WALK_LEVEL_ELIMINATE;
  if (corrects && !rattle__chain_ends(c, levels, what == RATTLE__WALK_FIRST)) return 0;
  if (what == RATTLE__WALK_END || what == RATTLE__WALK_PUSH) rattle__chain_sum_beyond(c, corrects);
  c->kernel->walk(c, what);
  count(c, what);
  if (levels) rattle__chain_add_first(c);
  if (what == RATTLE__WALK_LEVEL || what == RATTLE__WALK_CORRECT) return 1;
  c->eliminations += what != RATTLE__WALK_BEGIN && what != RATTLE__WALK_GO_ON;
  if (of_momenta)
    rattle__chain_scale(c, c->x[what != RATTLE__WALK_LEVEL_ELIMINATE]);
  else
    for (int l = 0; l < S; l++) c->ends.scale.of[l] = 1;
  return levels || c->good;
}

static void push_apart(rattle__chain *c, const rattle__kicks *step) {
  c->now = *step;
  c->least[RATTLE__CHAIN_POSITIONS] = 2 * rattle__least_size(c->most_x);
}

/* True if the next correction will be the last, by the fall of the last ones. */
static int is_last(const double *r, int k) {
  return k > 0 && r[k] * (r[k] / r[k - 1]) * (r[k] / r[k - 1]) < 0.25;
}

enum { MOST = 12 };

/* The walk of correction k+1. */
static rattle__chain_walk next_walk(const rattle__chain *c, const double *r, int k) {
  if (k == 0) return RATTLE__WALK_FIRST;
  if (!is_last(r, k)) return RATTLE__WALK_BOTH;
  return c->constant && !c->ends.down ? RATTLE__WALK_END : RATTLE__WALK_CORRECT;
}

static int find_positions(rattle__chain *c) {
  double r[MOST + 1];
  for (int k = 0;; k++) {
    r[k] = c->seen[RATTLE__CHAIN_POSITIONS].ratio;
    c->corrections = k;
    const rattle__verdict verdict = rattle__judge_course(r, k);
    if (verdict == RATTLE__GIVE_UP || k == MOST) return 0;
    if (verdict == RATTLE__DONE)
      return r[k - 1] < rattle__near_end; /* a pivot near the solution was seen */
    c->pushed = 0;
    if (k > 0 && is_last(r, k - 1) && !walk(c, RATTLE__WALK_ELIMINATE)) return 0;
    const rattle__chain_walk what = next_walk(c, r, k);
    if (!walk(c, what)) return 0;
    c->pushed = what == RATTLE__WALK_END;
  }
}

/* --- steps ------------------------------------------------------------------------------------ */

static void see(double *most, double value) {
  if (value > *most) *most = value;
}

void rattle__chain_enter(rattle__chain *c, const double *z) {
  rattle__chain_load(c, z, 1, c->x[0]);
  rattle__chain_load(c, z + rattle__path_columns(&c->path), 0, c->p[0]);
  rattle__chain_measure(c);
  rattle__chain_look_beyond(c);
  c->begun = 0;
}

void rattle__chain_leave(const rattle__chain *c, double *z) {
  rattle__chain_store(c, c->x[0], z);
  rattle__chain_store(c, c->p[0], z + rattle__path_columns(&c->path));
}

void rattle__chain_force(rattle__chain *c, int end, const double *V_q) {
  rattle__chain_load(c, V_q, 0, c->V_q[end]);
  c->most_V[end] = rattle__chain_largest(c, c->V_q[end], 0);
  if (c->constant) c->most_V[1 - end] = c->most_V[end];
}

void rattle__chain_nodes(const rattle__chain *c, double *q) {
  rattle__chain_store(c, c->x[1], q);
}

int rattle__chain_positions(rattle__chain *c, const rattle__kicks *now) {
  const int begun = c->begun;
  c->pushed = c->begun = 0;
  c->eliminations = 1; /* the one that is begun with */
  push_apart(c, now);
  c->least[RATTLE__CHAIN_MOMENTA] =
      rattle__least_size(c->most_p + fabs(now->k1) * c->most_V[0] + fabs(now->k2) * c->most_V[1]);
  if (!(begun ? c->good : walk(c, RATTLE__WALK_BEGIN)) || !find_positions(c)) return 0;
  see(&c->g, 2 * fabs(c->path.c) * c->seen[RATTLE__CHAIN_POSITIONS].largest);
  see(&c->residual, c->seen[RATTLE__CHAIN_POSITIONS].ratio);
  return 1;
}

/* The ends of the step change places. */
static void turn(rattle__chain *c) {
  for (int d = 0; d < c->path.axes; d++) {
    double *const arrays[] = {c->x[0][d], c->p[0][d], c->V_q[0][d]};
    c->x[0][d] = c->x[1][d], c->x[1][d] = arrays[0];
    c->p[0][d] = c->p[1][d], c->p[1][d] = arrays[1];
    c->V_q[0][d] = c->V_q[1][d], c->V_q[1][d] = arrays[2];
  }
  const double most = c->most_V[0];
  c->most_V[0] = c->most_V[1], c->most_V[1] = most;
}

/* The equations for momenta are linear: what is left of their residuals after a correction, the
 * largest of many, is round-off up to so many units. */
static const double ROUND_OFF = 8;

static int project_momenta(rattle__chain *c, const rattle__kicks *next) {
  double r[MOST + 1];
  for (int k = 0;; k++) {
    r[k] = c->seen[RATTLE__CHAIN_MOMENTA].ratio;
    const rattle__verdict verdict = k ? rattle__judge(r[k], r[k - 1], k, ROUND_OFF) : RATTLE__GO_ON;
    if (verdict == RATTLE__DONE) return 1;
    if (verdict == RATTLE__GIVE_UP || k == MOST) return 0;
    if (k > 0 && !walk(c, RATTLE__WALK_LEVEL_ELIMINATE)) return 0;
    if (!walk(c, next ? RATTLE__WALK_GO_ON : RATTLE__WALK_LEVEL)) return 0;
  }
}

int rattle__chain_momenta(rattle__chain *c, const rattle__kicks *next, int project) {
  const int good = c->pushed ? c->good : walk(c, RATTLE__WALK_PUSH);
  const double forward = c->now.h < 0 ? -1 : 1;
  rattle__chain_count_last(c);
  if ((project && !good) || rattle__did_work(forward * c->way[0], forward * c->way[1], c->span))
    return 0;
  turn(c);
  rattle__chain_look_beyond(c);
  if (!project) {
    rattle__chain_measure(c);
    return 1;
  }
  if (next) push_apart(c, next);
  if (!project_momenta(c, next)) {
    turn(c);
    rattle__chain_look_beyond(c);
    return 0;
  }
  c->begun = next != NULL;
  see(&c->psi, 2 * fabs(c->path.c) * c->seen[RATTLE__CHAIN_MOMENTA].largest);
  return 1;
}

void rattle__chain_multipliers(const rattle__chain *c, double *lambda) {
  const double h = c->now.h;
  for (int i = 0; i < c->path.links; i++)
    lambda[i] = c->sigma[S * (i % c->rows + 1) + i / c->rows] / (2 * c->path.c * h * h);
}
