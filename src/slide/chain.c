/* The positions step and the momentum projection of a chain in segments.
 *
 * Symbols   x_k nodes, r_j = x_j - x_{j-1} links at the start of the step, R_j at the iterate, w_k inverse masses; f_j = (|R_j|^2 - d_j^2)/2;
 *           sigma_j = 2c h^2 lambda_j moves x_k by -w_k (sigma_k r_k - sigma_{k+1} r_{k+1}); delta a correction of it; L rows
 * Equation  tridiag(-w_{j-1} R_j.r_{j-1}, (w_{j-1} + w_j) R_j.r_j, -w_j R_j.r_{j+1}) delta = f, Newton's method with a matrix at each
 *           iterate; momenta: the same with R = r at the end of the step, and f = r_j.(w_j p_j - w_{j-1} p_{j-1})
 * Method    each segment is eliminated by itself, its rows and one column of the unknown beyond its end, after H. H. Wang, ACM Trans. Math.
 *           Softw. 7 (1981) 170; the eight equations of the segments' ends are solved as one, and the corrections go back. Every other
 *           elimination goes down: so the walk that corrects nodes meets rows in the order in which it can eliminate them anew
 * Guard     pivots are positive, at the first iterate and near the last, and the diagonal, which is the cosine by which links turned; residuals fall as
 *           slide/iterate.h demands. Anything else is left to positions_rows.c: a step that ends here is one that ends there,
 *           with multipliers that agree to round-off
 * Cost      one elimination and one walk back for each of two to four corrections and for the momenta */
#include "slide/chain.h"

#include "slide/chain_lanes.h"
#include "slide/iterate.h"

enum { S = RATTLE__LANES };

/* Fewer links are quicker without segments. */
enum { FEWEST = 64 };

/* --- making ------------------------------------------------------------------------------------------------------------------ */

/* What does not change: masses, lengths, 0 of all that fills up, which is in the last lane. */
static void lay(rattle__chain *c, const rattle__path *path) {
  double most = 0;
  for (int l = 0; l < S; l++)
    for (int j = 0; j <= c->rows; j++) {
      const int node = l * c->rows + j, at = S * j + l;
      c->inverse_mass[at] = node <= path->links ? path->inverse[node] : 0;
      c->square[at] = node > 0 && node <= path->links ? path->square[node - 1] : 0;
    }
  for (int k = 0; k < path->links; k++) most = fmax(most, (path->inverse[k] + path->inverse[k + 1]) * path->square[k]);
  c->tiny = 1e-12 * most;
  for (int l = 0; l < S; l++) c->real.of[l] = l + 1 < S, c->filling.of[l] = l + 1 < S ? 0 : most;
  for (int d = 0; d < path->axes; d++)
    for (int l = 0; l < S; l++) c->begin[d][l] = path->base[d] + path->stride[d] * c->rows * l;
}

rattle__chain *rattle__chain_create(const rattle_problem *problem, rattle__arena *arena) {
  rattle__path path;
  if (problem->m < FEWEST || !rattle__path_find(&path, problem, arena)) return NULL;
  rattle__chain *c = rattle__arena_take(arena, sizeof *c);
  if (!c) return NULL;
  *c = (rattle__chain){.path = path, .rows = (path.links + S - 1) / S, .kernel = rattle__chain_kernel_of(0)};
  const int whole = path.links - path.fixed[1] - (S - 1) * c->rows;
  c->whole = whole < 0 ? 0 : whole;
  c->full = path.links - (S - 1) * c->rows;
  const size_t room = (size_t)S * (size_t)(c->rows + 2);
  const rattle__array arrays[] = {
      {&c->sigma, room}, {&c->inverse_mass, room}, {&c->square, room}, {&c->inverse_floor, room}, {&c->u, room}, {&c->v, room},
      {&c->y, room}};
  RATTLE__LAY_OUT(arena, arrays);
  for (int d = 0; d < path.axes; d++) {
    const rattle__array axis[] = {{&c->x0[d], room}, {&c->x[d], room}, {&c->p[d], room}, {&c->r[d], room}};
    RATTLE__LAY_OUT(arena, axis);
  }
  if (arena->failed) return NULL;
  lay(c, &path);
  return c;
}

/* --- the equations ----------------------------------------------------------------------------------------------------------- */

static int walk(rattle__chain *c, int momenta, rattle__chain_walk what) {
  if ((what == RATTLE__WALK_CORRECT || what == RATTLE__WALK_BOTH) && !rattle__chain_ends(c, momenta)) return 0;
  c->eliminations += what != RATTLE__WALK_CORRECT;
  (momenta ? c->kernel->momenta : c->kernel->positions)(c, what);
  return c->seen.good;
}

static int begin(rattle__chain *c, int momenta) {
  c->least = RATTLE__CANCELLED * (momenta ? c->most_p : 2 * c->most_x);
  rattle__chain_look_beyond(c, momenta ? c->x : c->x0, momenta);
  const int good = walk(c, momenta, RATTLE__WALK_BEGIN);
  rattle__chain_close(c);
  return good;
}

/* How the residuals r[0 .. k] fell: RATTLE__GIVE_UP where that leaves doubt. */
static rattle__verdict judge(const double *r, int k) {
  const double small = fmax(1e4, 1e-6 * r[0]), part = k > 1 ? rattle__doubt_chord : rattle__doubt_newton;
  if (!(r[k] < 1e300) || (k > 0 && r[k] > small && !(r[k] <= part * r[k - 1]))) return RATTLE__GIVE_UP;
  if (r[k] > 512 && k > 0 && rattle__stagnates(r[k], r[k - 1], k)) return RATTLE__GIVE_UP;
  return rattle__judge(r[k], k ? r[k - 1] : INFINITY, k, 0);
}

/* Whether the next correction will be the last, by how the last ones fell. */
static int is_last(const double *r, int k) {
  return k > 0 && r[k] * (r[k] / r[k - 1]) * (r[k] / r[k - 1]) < 0.25;
}

enum { MOST = 12 };

static int find_positions(rattle__chain *c) {
  double r[MOST + 1], matrix = 0; /* the residual where the last matrix was taken */
  if (!begin(c, 0)) return 0;
  for (int k = 0;; k++) {
    r[k] = c->seen.ratio;
    c->corrections = k;
    const rattle__verdict verdict = judge(r, k);
    if (verdict == RATTLE__GIVE_UP || k == MOST) return 0;
    if (verdict == RATTLE__DONE)
      return (matrix < 1e9 || k == 0) && (is_last(r, k - 1) || k == 0 || walk(c, 0, RATTLE__WALK_ELIMINATE));
    matrix = r[k];
    const int last = is_last(r, k);
    if (k > 0 && is_last(r, k - 1) && !walk(c, 0, RATTLE__WALK_ELIMINATE)) return 0;
    if (!walk(c, 0, last ? RATTLE__WALK_CORRECT : RATTLE__WALK_BOTH)) return 0;
  }
}

/* --- steps ------------------------------------------------------------------------------------------------------------------- */

static void see(double *most, double value) {
  if (value > *most) *most = value;
}

int rattle__chain_positions(rattle__chain *c, const double *z0, const double *V_q, double k, double by, double *z1) {
  rattle__chain_load(c, z0, V_q, k, by);
  if (!find_positions(c)) return 0;
  rattle__chain_store(c, c->x, z1);
  see(&c->g, 2 * fabs(c->path.c) * c->seen.largest);
  see(&c->residual, c->seen.ratio);
  return 1;
}

static int project_momenta(rattle__chain *c) {
  double r[MOST + 1];
  for (int k = 0;; k++) {
    r[k] = c->seen.ratio;
    const rattle__verdict verdict = rattle__judge(r[k], k ? r[k - 1] : INFINITY, k, 0);
    if (verdict == RATTLE__DONE) return 1;
    if (verdict == RATTLE__GIVE_UP || k == MOST) return 0;
    if (k > 0 && !walk(c, 1, RATTLE__WALK_ELIMINATE)) return 0;
    if (!walk(c, 1, RATTLE__WALK_CORRECT)) return 0;
  }
}

int rattle__chain_momenta(rattle__chain *c, double h, const double *V_q, double k, int project, double *z1) {
  const rattle__path *path = &c->path;
  c->push = (rattle__push){V_q, k, 1 / h};
  const int good = begin(c, 1);
  if (project && !(good && project_momenta(c))) return 0;
  if (project) see(&c->psi, 2 * fabs(path->c) * c->seen.largest);
  rattle__chain_store(c, c->p, z1 + rattle__path_columns(path));
  return 1;
}

void rattle__chain_multipliers(const rattle__chain *c, double h, double *lambda) {
  for (int i = 0; i < c->path.links; i++) lambda[i] = c->sigma[S * (i % c->rows + 1) + i / c->rows] / (2 * c->path.c * h * h);
}
