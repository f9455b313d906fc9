/* See small_plan.h.
 *
 * Order   constraints are eliminated by the smallest degree; of equal ones that which waits for the fewest pivots, so that a chain
 *         is eliminated from both ends at once
 * Method  each list is made twice: the first time its terms are only counted */
#include "wrap/small_plan.h"

#include "expr/elements.h"

typedef struct draft {
  const rattle__function *g;
  int m, symmetric;
  int order[RATTLE__SMALL_MOST], place[RATTLE__SMALL_MOST]; /* of elimination; place[order[k]] = k */
  char coupled[RATTLE__SMALL_MOST][RATTLE__SMALL_MOST];     /* by a common column */
  char filled[RATTLE__SMALL_MOST][RATTLE__SMALL_MOST];      /* or by elimination */
} draft;

static void add(rattle__small_list *list, rattle__small_term term) {
  if (list->term) list->term[list->count] = term;
  list->count++;
}

/* --- patterns and the order --------------------------------------------------------------------------------------------------- */

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
    const int cost = degree * RATTLE__SMALL_MOST + level[i];
    if (best >= 0 && cost >= least) continue;
    best = i;
    least = cost;
  }
  return best;
}

static void find_order(draft *p) {
  int level[RATTLE__SMALL_MOST] = {0};
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

/* --- lists -------------------------------------------------------------------------------------------------------------------- */

static void list_entries(const draft *p, rattle__small_list *list) {
  for (int i = 0; i < p->m; i++)
    for (int e = p->g->jac_ptr[i]; e < p->g->jac_ptr[i + 1]; e++)
      add(list, (rattle__small_term){.a = e, .b = i, .c = p->g->jac_col[e], .first = e == p->g->jac_ptr[i]});
}

/* Whether place (i, j) of a matrix is used. */
static int is_used(const draft *p, int i, int j) {
  return !p->symmetric || p->place[i] >= p->place[j];
}

static void list_product(const draft *p, int i, int j, rattle__small_list *list) {
  int e = p->g->jac_ptr[i], f = p->g->jac_ptr[j];
  for (int first = 1; next_common(p->g, i, j, &e, &f); first = 0)
    add(list, (rattle__small_term){.a = i * p->m + j, .b = e++, .c = f++, .first = first});
}

static void list_products(const draft *p, rattle__small_list *list) {
  for (int i = 0; i < p->m; i++)
    for (int j = 0; j < p->m; j++)
      if (is_used(p, i, j)) list_product(p, i, j, list);
}

/* The updates of row i by pivot k. */
static void list_updates(draft *p, int k, int i, rattle__small_list *list) {
  const int m = p->m;
  for (int step = p->place[k] + 1; step < m; step++) {
    const int j = p->order[step];
    if (!p->filled[k][j] || !is_used(p, i, j)) continue;
    add(list, (rattle__small_term){.kind = RATTLE__SMALL_UPDATE,
                                   .a = i * m + j,
                                   .b = i * m + k,
                                   .c = p->symmetric ? j * m + k : k * m + j,
                                   .first = !p->coupled[i][j]});
    p->coupled[i][j] = 1;
  }
}

static void list_elimination(const draft *from, rattle__small_list *list) {
  draft p = *from;
  const int m = p.m;
  for (int at = 0; at < m; at++) {
    const int k = p.order[at];
    add(list, (rattle__small_term){.kind = RATTLE__SMALL_PIVOT, .a = k, .b = k * m + k});
    for (int step = at + 1; step < m; step++) {
      const int i = p.order[step];
      if (!p.filled[i][k]) continue;
      add(list, (rattle__small_term){.kind = RATTLE__SMALL_SCALE, .a = i * m + k, .b = k});
      if (!p.symmetric) add(list, (rattle__small_term){.kind = RATTLE__SMALL_SCALE, .a = k * m + i, .b = k});
    }
    for (int step = at + 1; step < m; step++)
      if (p.filled[p.order[step]][k]) list_updates(&p, k, p.order[step], list);
  }
}

static void list_substitution(const draft *p, rattle__small_list *list) {
  const int m = p->m;
  for (int at = 0; at < m; at++) {
    const int k = p->order[at];
    for (int step = at + 1; step < m; step++) {
      const int i = p->order[step];
      if (p->filled[i][k]) add(list, (rattle__small_term){.kind = RATTLE__SMALL_FORWARD, .a = i, .b = i * m + k, .c = k});
    }
    add(list, (rattle__small_term){.kind = RATTLE__SMALL_DIVIDE, .a = k});
  }
  for (int at = m - 1; at >= 0; at--) {
    const int j = p->order[at];
    for (int step = at - 1; step >= 0; step--) {
      const int i = p->order[step], t = p->symmetric ? j * m + i : i * m + j;
      if (p->filled[i][j]) add(list, (rattle__small_term){.kind = RATTLE__SMALL_BACK, .a = i, .b = t, .c = j});
    }
  }
}

/* --- second derivatives of a quadratic g --------------------------------------------------------------------------------------- */

enum { FEW = 64 };

/* The terms of T_i,jk = W_j^T S_i W_k / 2, S being g_i'' in the pattern of the Hessian. */
static void list_bend(const draft *p, int i, int j, int k, const double *S, rattle__small_list *list) {
  const rattle__function *g = p->g;
  int first = 1;
  for (int e = g->jac_ptr[j]; e < g->jac_ptr[j + 1]; e++)
    for (int f = g->jac_ptr[k]; f < g->jac_ptr[k + 1]; f++)
      for (int s = g->hess_ptr[g->jac_col[e]]; s < g->hess_ptr[g->jac_col[e] + 1]; s++) {
        if (g->hess_col[s] != g->jac_col[f] || S[s] == 0 || (j == k && f < e)) continue;
        const double by = j == k && f > e ? S[s] : 0.5 * S[s];
        add(list, (rattle__small_term){.a = (i * p->m + j) * p->m + k, .b = e, .c = f, .first = first, .by = by});
        first = 0;
      }
}

static void list_bends(const draft *p, const double *zero, double *S, double *work, rattle__small_list *list) {
  for (int i = 0; i < p->m; i++) {
    double w[2] = {i == 0, i == 1};
    if (p->g->hessian(p->g, zero, w, S, work)) return;
    for (int j = 0; j < p->m; j++)
      for (int k = 0; k <= j; k++) list_bend(p, i, k, j, S, list);
  }
}

static int has_bends(const rattle__function *g) {
  return g->rows <= 2 && g->jac_nnz <= FEW && g->quadratic && g->hessian && g->elements;
}

/* --- the plan ----------------------------------------------------------------------------------------------------------------- */

static void list_matrix(draft *p, int symmetric, rattle__small_matrix *A) {
  p->symmetric = symmetric && p->m > 2; /* one and two are solved by formulas for whole matrices */
  list_products(p, &A->products);
  if (p->m <= 2) return;
  list_elimination(p, &A->eliminate);
  list_substitution(p, &A->substitute);
}

static void take(rattle__small_list *list, rattle__arena *arena) {
  list->term = rattle__arena_take(arena, (size_t)(list->count + 1) * sizeof *list->term);
  list->count = 0;
}

const rattle__small_plan *rattle__small_plan_create(const rattle_problem *problem, rattle__arena *arena) {
  const rattle__function *g = problem->g;
  rattle__small_plan *plan = rattle__arena_take(arena, sizeof *plan);
  draft p = {.g = g, .m = problem->m};
  double *zero = NULL, *S = NULL, *work = NULL;
  if (!plan) return NULL;
  if (has_bends(g)) {
    zero = rattle__arena_doubles(arena, (size_t)g->vars);
    S = rattle__arena_doubles(arena, (size_t)g->hess_nnz);
    work = rattle__arena_doubles(arena, g->work);
  }
  find_order(&p);
  for (int round = 0; round < 2 && !arena->failed; round++) {
    list_entries(&p, &plan->entries);
    if (has_bends(g)) list_bends(&p, zero, S, work, &plan->bends);
    list_matrix(&p, 0, &plan->R);
    list_matrix(&p, 1, &plan->A);
    rattle__small_list *all[] = {&plan->entries,      &plan->bends,      &plan->R.products,  &plan->R.eliminate,
                                 &plan->R.substitute, &plan->A.products, &plan->A.eliminate, &plan->A.substitute};
    for (size_t i = 0; i < sizeof all / sizeof *all && round == 0; i++) take(all[i], arena);
  }
  return arena->failed ? NULL : plan;
}
