/* See fused_plan.h.
 *
 * Order   constraints are eliminated by the smallest degree; of equal ones that which waits for the
 *         fewest pivots, so that a chain is eliminated from both ends at once
 * Method  each list is made twice: the first time its terms are only counted */
#include "maps/natural/fused/fused_plan.h"

#include <float.h>
#include <math.h>

#include "ground/expr/elements.h"

/* Rows of more entries have no groups. */
enum { FEW = 64 };

/* A place of G: its group, and its factor in that. */
typedef struct member {
  int group;
  double by;
} member;

typedef struct draft {
  const rattle__function *g;
  const double *inverse_mass;
  int m, symmetric;
  member *part; /* of each place of G */
  int order[RATTLE__FUSED_MOST],
      place[RATTLE__FUSED_MOST];                        /* of elimination; place[order[k]] = k */
  char coupled[RATTLE__FUSED_MOST][RATTLE__FUSED_MOST]; /* by a common column */
  char filled[RATTLE__FUSED_MOST][RATTLE__FUSED_MOST];  /* or by elimination */
} draft;

static void add(rattle__fused_list *list, rattle__fused_term term) {
  if (list->term) list->term[list->count] = term;
  list->count++;
}

/* --- patterns and the order ------------------------------------------------------------------- */

/* The next column, from places e and f on, that rows i and j have in common; 0 if there is none. */
static int next_common(const rattle__function *g, int i, int j, int *e, int *f) {
  while (*e < g->jac_ptr[i + 1] && *f < g->jac_ptr[j + 1]) {
    if (g->jac_col[*e] == g->jac_col[*f]) return 1;
    if (g->jac_col[*e] < g->jac_col[*f])
      ++*e;
    else
      ++*f;
  }
  return 0;
}

static int meet(const rattle__function *g, int i, int j) {
  int e = g->jac_ptr[i], f = g->jac_ptr[j];
  return next_common(g, i, j, &e, &f);
}

/* The constraint to be eliminated next: -1 in place marks those that wait. */
static int next_pivot(const draft *p, const int *level) {
  int best = -1, least = 0;
  for (int i = 0; i < p->m; i++) {
    if (p->place[i] >= 0) continue;
    int degree = 0;
    for (int j = 0; j < p->m; j++) degree += j != i && p->place[j] < 0 && p->filled[i][j];
    const int cost = degree * RATTLE__FUSED_MOST + level[i];
    if (best >= 0 && cost >= least) continue;
    best = i;
    least = cost;
  }
  return best;
}

static void find_order(draft *p) {
  int level[RATTLE__FUSED_MOST] = {0};
  for (int i = 0; i < p->m; i++) {
    p->place[i] = -1;
    for (int j = 0; j < p->m; j++) p->coupled[i][j] = p->filled[i][j] = (char)meet(p->g, i, j);
  }
  for (int step = 0; step < p->m; step++) {
    const int k = next_pivot(p, level);
    p->order[step] = k;
    p->place[k] = step;
    for (int i = 0; i < p->m; i++) {
      if (p->place[i] >= 0 || !p->filled[i][k]) continue;
      if (level[i] <= level[k]) level[i] = level[k] + 1;
      for (int j = 0; j < p->m; j++)
        if (p->place[j] < 0 && p->filled[k][j]) p->filled[i][j] = 1;
    }
  }
}

/* --- lists ------------------------------------------------------------------------------------ */

/* The members of the group of place g in row i, g first. */
static void list_group(const draft *p, int i, int g, int opens_row, rattle__fused_list *list) {
  const int from = p->g->jac_ptr[i];
  int end = from; /* the last to be listed */
  while (p->part[end].group != g) end++;
  for (int e = g; e >= from; e--) {
    if (p->part[e].group != g) continue;
    add(list, (rattle__fused_term){.a = e,
                                   .b = i,
                                   .c = p->g->jac_col[e],
                                   .first = e == g,
                                   .last = e != end    ? 0
                                           : opens_row ? 1
                                                       : 2,
                                   .group = g,
                                   .by = p->part[e].by});
  }
}

static void list_entries(const draft *p, rattle__fused_list *list) {
  for (int i = 0; i < p->m; i++) {
    int opens = 1;
    for (int e = p->g->jac_ptr[i]; e < p->g->jac_ptr[i + 1]; e++) {
      if (p->part[e].group != e) continue;
      list_group(p, i, e, opens, list);
      opens = 0;
    }
  }
}

/* True if place (i, j) of a matrix is used. */
static int is_used(const draft *p, int i, int j) {
  return !p->symmetric || (p->m == 2 ? i >= j : p->place[i] >= p->place[j]);
}

/* A product of two groups, as in a sum over places: by J_e J_f. */
typedef struct pair {
  int e, f, count, place; /* how many products it stands for, place f of the last */
  double by;
} pair;

/* Adds by J_e J_f, of which e and f are groups, to `count` pairs; returns the new number. Places of
 * one row may be exchanged. */
static int add_pair(pair *pairs, int count, pair fresh, int same_row) {
  if (same_row && fresh.f < fresh.e) {
    const int e = fresh.e;
    fresh.e = fresh.f, fresh.f = e;
  }
  for (int k = 0; k < count; k++) {
    if (pairs[k].e != fresh.e || pairs[k].f != fresh.f) continue;
    pairs[k].by += fresh.by;
    pairs[k].count++;
    return count;
  }
  pairs[count] = fresh;
  return count + 1;
}

/* The products of rows i and j of G M^-1 G^T: at most FEW, if there are groups. */
static int pairs_of_A(const draft *p, int i, int j, pair *pairs) {
  int count = 0;
  for (int e = p->g->jac_ptr[i], f = p->g->jac_ptr[j]; next_common(p->g, i, j, &e, &f); e++, f++) {
    const double by = p->inverse_mass[p->g->jac_col[e]] * p->part[e].by * p->part[f].by;
    if (by == 0) continue; /* time, or a coordinate without a velocity */
    count = add_pair(pairs, count, (pair){p->part[e].group, p->part[f].group, 1, f, by}, 0);
  }
  return count;
}

static int is_long(const draft *p, int i) {
  return p->g->jac_ptr[i + 1] - p->g->jac_ptr[i] > FEW;
}

static void list_product(const draft *p, int i, int j, rattle__fused_list *list) {
  const int t = i * p->m + j;
  pair pairs[FEW];
  if (is_long(p, i) || is_long(p, j)) {
    int e = p->g->jac_ptr[i], f = p->g->jac_ptr[j];
    for (int first = 1; next_common(p->g, i, j, &e, &f); first = 0, e++, f++)
      add(list, (rattle__fused_term){
                    .a = t, .b = p->part[e].group, .c = f, .first = first, .by = p->part[e].by});
    return;
  }
  const int count = pairs_of_A(p, i, j, pairs);
  if (!count && meet(p->g, i, j))
    add(list,
        (rattle__fused_term){.a = t, .b = p->g->jac_ptr[i], .c = p->g->jac_ptr[j], .first = 1});
  for (int k = 0; k < count;
       k++) { /* in W_f are its mass and part, with those of one product or of the group */
    const int f = pairs[k].count > 1 ? pairs[k].f : pairs[k].place;
    const double by = pairs[k].by / (p->inverse_mass[p->g->jac_col[f]] * p->part[f].by);
    add(list, (rattle__fused_term){.a = t, .b = pairs[k].e, .c = f, .first = k == 0, .by = by});
  }
}

static void list_products(const draft *p, rattle__fused_list *list) {
  for (int i = 0; i < p->m; i++)
    for (int j = 0; j < p->m; j++)
      if (is_used(p, i, j)) list_product(p, i, j, list);
}

/* The updates of row i by pivot k. */
static void list_updates(draft *p, int k, int i, rattle__fused_list *list) {
  const int m = p->m;
  for (int step = p->place[k] + 1; step < m; step++) {
    const int j = p->order[step];
    if (!p->filled[k][j] || !is_used(p, i, j)) continue;
    add(list, (rattle__fused_term){.kind = RATTLE__FUSED_UPDATE,
                                   .a = i * m + j,
                                   .b = i * m + k,
                                   .c = p->symmetric ? j * m + k : k * m + j,
                                   .first = !p->coupled[i][j]});
    p->coupled[i][j] = 1;
  }
}

static void list_elimination(const draft *from, rattle__fused_list *list) {
  draft p = *from;
  const int m = p.m;
  for (int at = 0; at < m; at++) {
    const int k = p.order[at];
    add(list, (rattle__fused_term){.kind = RATTLE__FUSED_PIVOT, .a = k, .b = k * m + k});
    for (int step = at + 1; step < m; step++) {
      const int i = p.order[step];
      if (!p.filled[i][k]) continue;
      add(list, (rattle__fused_term){.kind = RATTLE__FUSED_SCALE, .a = i * m + k, .b = k});
      if (!p.symmetric)
        add(list, (rattle__fused_term){.kind = RATTLE__FUSED_SCALE, .a = k * m + i, .b = k});
    }
    for (int step = at + 1; step < m; step++)
      if (p.filled[p.order[step]][k]) list_updates(&p, k, p.order[step], list);
  }
}

static void list_substitution(const draft *p, rattle__fused_list *list) {
  const int m = p->m;
  for (int at = 0; at < m; at++) {
    const int k = p->order[at];
    for (int step = at + 1; step < m; step++) {
      const int i = p->order[step];
      if (p->filled[i][k])
        add(list,
            (rattle__fused_term){.kind = RATTLE__FUSED_FORWARD, .a = i, .b = i * m + k, .c = k});
    }
    add(list, (rattle__fused_term){.kind = RATTLE__FUSED_DIVIDE, .a = k});
  }
  for (int at = m - 1; at >= 0; at--) {
    const int j = p->order[at];
    for (int step = at - 1; step >= 0; step--) {
      const int i = p->order[step], t = p->symmetric ? j * m + i : i * m + j;
      if (p->filled[i][j])
        add(list, (rattle__fused_term){.kind = RATTLE__FUSED_BACK, .a = i, .b = t, .c = j});
    }
  }
}

/* --- second derivatives of a quadratic g, and groups ------------------------------------------ */

/* J and its derivatives where q = 0: what a quadratic g has everywhere. */
typedef struct shape {
  double *J, *S, *zero, *F, *work;
} shape;

/* The derivatives of row i. */
static int take_shape(const draft *p, int i, const shape *s) {
  double w[RATTLE__FUSED_MOST] = {0};
  w[i] = 1;
  return p->g->hessian(p->g, s->zero, w, s->S, s->work);
}

/* d^2 g_i / dx_c dx_d of the row at hand */
static double bend_of(const draft *p, const shape *s, int c, int d) {
  for (int k = p->g->hess_ptr[c]; k < p->g->hess_ptr[c + 1]; k++)
    if (p->g->hess_col[k] == d) return s->S[k];
  return 0;
}

/* True if the derivatives of x_c are `by` times those of x_d, in all coordinates that either
 * has. */
static int is_multiple(const draft *p, const shape *s, int c, int d, double by) {
  const rattle__function *g = p->g;
  for (int k = g->hess_ptr[c]; k < g->hess_ptr[c + 1]; k++)
    if (s->S[k] != by * bend_of(p, s, d, g->hess_col[k])) return 0;
  for (int k = g->hess_ptr[d]; k < g->hess_ptr[d + 1]; k++)
    if (bend_of(p, s, c, g->hess_col[k]) != by * s->S[k]) return 0;
  return 1;
}

/* J_e / J_f, where that is one number; 0 otherwise. */
static double ratio(const draft *p, const shape *s, int e, int f) {
  const rattle__function *g = p->g;
  const int c = g->jac_col[e], d = g->jac_col[f];
  double by = s->J[f] != 0 ? s->J[e] / s->J[f] : 0;
  for (int k = g->hess_ptr[d]; k < g->hess_ptr[d + 1] && by == 0; k++)
    if (s->S[k] != 0) by = bend_of(p, s, c, g->hess_col[k]) / s->S[k];
  return by != 0 && s->J[e] == by * s->J[f] && is_multiple(p, s, c, d, by) ? by : 0;
}

static void find_groups_of(draft *p, int i, const shape *s) {
  if (is_long(p, i) || take_shape(p, i, s)) return;
  for (int e = p->g->jac_ptr[i + 1] - 1; e >= p->g->jac_ptr[i]; e--)
    for (int f = p->g->jac_ptr[i + 1] - 1; f > e; f--) {
      /* multiples of a multiple need not be multiples: of 0.7, -0.3 and 1.3 the first is one of the
       * second alone */
      const double by = p->part[f].group == f ? ratio(p, s, e, f) : 0;
      if (by == 0) continue;
      p->part[e] = (member){f, by};
      break;
    }
}

static void find_groups(draft *p, const shape *s) {
  for (int e = 0; e < p->g->jac_nnz; e++) p->part[e] = (member){e, 1};
  if (!s->zero || p->g->jacobian(p->g, s->zero, s->F, s->J, s->work)) return;
  for (int i = 0; i < p->m; i++) find_groups_of(p, i, s);
}

/* The products in W_j^T S_i W_k / 2, S being g_i'' in the pattern of the Hessian. */
static int pairs_of_bend(const draft *p, int j, int k, const double *S, pair *pairs) {
  const rattle__function *g = p->g;
  int count = 0;
  for (int e = g->jac_ptr[j]; e < g->jac_ptr[j + 1]; e++)
    for (int f = g->jac_ptr[k]; f < g->jac_ptr[k + 1]; f++)
      for (int s = g->hess_ptr[g->jac_col[e]]; s < g->hess_ptr[g->jac_col[e] + 1]; s++) {
        if (g->hess_col[s] != g->jac_col[f] || S[s] == 0) continue;
        const double masses = p->inverse_mass[g->jac_col[e]] * p->inverse_mass[g->jac_col[f]];
        const double by = 0.5 * S[s] * masses * p->part[e].by * p->part[f].by;
        if (by == 0) continue;
        count =
            add_pair(pairs, count, (pair){p->part[e].group, p->part[f].group, 1, f, by}, j == k);
      }
  return count;
}

/* c where T = c A, of the same rows; 0 if there is none. */
static double factor_of_A(const pair *T, int count, const pair *A, int count_A) {
  double by = 0;
  if (count != count_A) return 0;
  for (int k = 0; k < count; k++) {
    int l = 0;
    while (l < count && (A[l].e != T[k].e || A[l].f != T[k].f)) l++;
    if (l == count || T[k].by == 0) return 0;
    if (k == 0) by = T[k].by / A[l].by;
    if (!(fabs(T[k].by - by * A[l].by) <= 4 * DBL_EPSILON * fabs(T[k].by))) return 0;
  }
  return by;
}

static void list_bend(const draft *p, int i, int j, int k, const double *S, pair *room,
                      rattle__fused_plan *plan) {
  const int t = (i * p->m + j) * p->m + k;
  pair A[FEW];
  const int count = pairs_of_bend(p, j, k, S, room);
  const double by = factor_of_A(room, count, A, pairs_of_A(p, j, k, A));
  if (by != 0) add(&plan->bends_of_A, (rattle__fused_term){.a = t, .b = j * p->m + k, .by = by});
  for (int l = 0; l < count && by == 0; l++)
    add(&plan->bends,
        (rattle__fused_term){
            .a = t, .b = room[l].e, .c = room[l].f, .first = l == 0, .by = room[l].by});
}

static void list_bends(const draft *p, const shape *s, pair *room, rattle__fused_plan *plan) {
  for (int i = 0; i < p->m; i++) {
    if (take_shape(p, i, s)) return;
    for (int j = 0; j < p->m; j++)
      for (int k = 0; k <= j; k++) list_bend(p, i, k, j, s->S, room, plan);
  }
}

static int has_shape(const rattle__function *g) {
  return g->quadratic && g->hessian && g->elements;
}

static int has_bends(const rattle__function *g) {
  return g->rows <= 2 && g->jac_nnz <= FEW && has_shape(g);
}

/* --- the plan --------------------------------------------------------------------------------- */

static void list_matrix(draft *p, int symmetric, rattle__fused_matrix *A) {
  p->symmetric = symmetric;
  list_products(p, &A->products);
  if (p->m <= 2) return; /* one and two are solved by formulas */
  list_elimination(p, &A->eliminate);
  list_substitution(p, &A->substitute);
}

static void take(rattle__fused_list *list, rattle__arena *arena) {
  list->term = rattle__arena_take(arena, (size_t)(list->count + 1) * sizeof *list->term);
  list->count = 0;
}

const rattle__fused_plan *rattle__fused_plan_create(const rattle_problem *problem,
                                                    rattle__arena *arena) {
  const rattle__function *g = problem->g;
  rattle__fused_plan *plan = rattle__arena_take(arena, sizeof *plan);
  draft p = {.g = g, .m = problem->m, .inverse_mass = rattle__inertia(problem)->diagonal};
  shape s = {0};
  pair *room = NULL;
  p.part = rattle__arena_take(arena, (size_t)g->jac_nnz * sizeof *p.part);
  if (has_shape(g)) {
    const rattle__array arrays[] = {{&s.J, (size_t)g->jac_nnz},
                                    {&s.S, (size_t)g->hess_nnz},
                                    {&s.zero, (size_t)g->vars},
                                    {&s.F, (size_t)g->rows},
                                    {&s.work, g->work}};
    RATTLE__LAY_OUT(arena, arrays);
  }
  const size_t places = (size_t)g->jac_nnz;
  if (has_bends(g)) room = rattle__arena_take(arena, places * (places + 1) / 2 * sizeof *room);
  if (!plan || arena->failed) return NULL;
  plan->bounded = rattle__fused_spread(problem, arena, plan->spread);
  if (plan->bounded) rattle__fused_constant_find(problem, plan->spread, arena, &plan->constant);
  find_groups(&p, &s);
  find_order(&p);
  for (int round = 0; round < 2 && !arena->failed; round++) {
    list_entries(&p, &plan->entries);
    if (room) list_bends(&p, &s, room, plan);
    list_matrix(&p, 0, &plan->R);
    list_matrix(&p, 1, &plan->A);
    rattle__fused_list *all[] = {&plan->entries,    &plan->bends,       &plan->bends_of_A,
                                 &plan->R.products, &plan->R.eliminate, &plan->R.substitute,
                                 &plan->A.products, &plan->A.eliminate, &plan->A.substitute};
    for (size_t i = 0; i < sizeof all / sizeof *all && round == 0; i++) take(all[i], arena);
  }
  return arena->failed ? NULL : plan;
}
