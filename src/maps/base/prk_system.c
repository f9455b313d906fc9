/* Unknowns, pattern and matrix of the partitioned Runge-Kutta equations: see prk.h. */
#include <stdlib.h>
#include <string.h>

#include "ground/linear/places.h"
#include "maps/base/prk.h"

/* The matrix while it is planned. */
typedef struct planner {
  rattle__prk *k;
  rattle__matrix_place *list;
  int count, room;
  int *ptr, *col, *at; /* compressed rows; at[i]: the index of place i in them */
  int entries, failed;
} planner;

static void add(planner *p, int row, int col) {
  if (p->count == p->room) {
    int room = p->room ? 2 * p->room : 256;
    rattle__matrix_place *list = realloc(p->list, (size_t)room * sizeof *list);
    if (!list) {
      p->failed = 1;
      return;
    }
    p->list = list;
    p->room = room;
  }
  p->list[p->count++] = (rattle__matrix_place){row, col};
}

/* Stages with equal rows of coefficients are one unknown; a stage with a zero row is z+. */
static void choose_unknowns(rattle__prk *k) {
  int s = k->t.stages, offset = 0;
  for (int part = 0; part < 2; part++) {
    const double(*a)[RATTLE__STAGES] =
        part ? (const double(*)[RATTLE__STAGES])k->t.ahat : (const double(*)[RATTLE__STAGES])k->t.a;
    for (int i = 0; i < s; i++) {
      int same = -1, zero = 1;
      for (int j = 0; j < s; j++) zero &= a[i][j] == 0;
      for (int e = 0; e < i && same < 0; e++)
        if (!memcmp(a[e], a[i], (size_t)s * sizeof(double))) same = e;
      k->stage[part][i] = zero ? -1 : same >= 0 ? k->stage[part][same] : offset;
      k->owner[part][i] = zero ? -1 : same >= 0 ? same : i;
      if (!zero && same < 0) offset += k->n;
    }
  }
  k->multipliers = k->fibre ? offset : -1;
  k->size = offset + k->m;
  k->plus = k->fibre ? k->size : -1;
  k->one = k->fibre ? k->size + 2 * k->n : -1;
  k->all = k->fibre ? k->size + 4 * k->n : k->size;
}

/* Column of entry c (0..2n-1) of stage j; -1 if it is the given start. */
static int column(const rattle__prk *k, int j, int c) {
  int part = c >= k->n, base = k->stage[part][j];
  if (base >= 0) return base + c - part * k->n;
  return k->plus >= 0 ? k->plus + c : -1;
}

/* Rows for a block of n equations in component `part` (0: q, 1: p), with coefficients w[j] of the
 * stages. */
static void add_block(planner *p, int row, int part, const double *w, rattle__prk_term *term,
                      int *terms) {
  rattle__prk *k = p->k;
  const rattle__function *H = k->map.context->problem->H;
  int n = k->n;
  for (int j = 0; j < k->t.stages; j++) {
    if (w[j] == 0) continue;
    for (int i = 0; i < n; i++) {
      int r = part ? i : n + i; /* the row of H_q for p, of H_p for q */
      for (int e = H->hess_ptr[r]; e < H->hess_ptr[r + 1]; e++) {
        int col = column(k, j, H->hess_col[e]);
        if (col < 0) continue;
        if (term) term[*terms] = (rattle__prk_term){p->count, j, e, part ? w[j] : -w[j]};
        (*terms)++;
        add(p, row + i, col);
      }
    }
  }
}

/* All places, in a fixed order; term NULL: only counted. */
static void add_all(planner *p, rattle__prk_term *term, int *terms) {
  rattle__prk *k = p->k;
  int n = k->n;
  *terms = 0;
  for (int part = 0; part < 2; part++)
    for (int i = 0; i < k->t.stages; i++)
      if (k->owner[part][i] == i)
        add_block(p, k->stage[part][i], part, part ? k->t.ahat[i] : k->t.a[i], term, terms);
  if (!k->fibre) return;
  for (int part = 0; part < 2; part++)
    add_block(p, k->one + part * n, part, rattle__tableau_weights(&k->t, part), term, terms);
}

/* The entries that are 1 or -1 whatever the point. */
static void add_constants(planner *p) {
  rattle__prk *k = p->k;
  for (int i = 0; i < k->all; i++) add(p, i, i);
  if (!k->fibre) return;
  for (int part = 0; part < 2; part++)
    for (int i = 0; i < k->t.stages; i++)
      for (int c = 0; c < k->n && k->owner[part][i] == i; c++)
        add(p, k->stage[part][i] + c, k->plus + part * k->n + c);
  for (int c = 0; c < 2 * k->n; c++) add(p, k->one + c, k->plus + c);
}

static void add_border(planner *p) {
  rattle__prk *k = p->k;
  const rattle__function *g = k->map.context->problem->g;
  for (int i = 0; i < k->m; i++)
    for (int e = g->jac_ptr[i]; e < g->jac_ptr[i + 1]; e++)
      add(p, k->multipliers + i, k->one + g->jac_col[e]);
  for (int i = 0; i < k->m; i++)
    for (int e = k->fibre->ptr[i]; e < k->fibre->ptr[i + 1]; e++)
      add(p, k->plus + k->fibre->col[e], k->multipliers + i);
}

/* Compressed rows of the places. */
static void compress(planner *p) {
  const size_t rows = (size_t)p->k->all + 1, bytes = ((size_t)p->count + 1) * sizeof(int);
  int *ptr = realloc(p->ptr, rows * sizeof *ptr), *col = realloc(p->col, bytes),
      *at = realloc(p->at, bytes);
  if (ptr) p->ptr = ptr;
  if (col) p->col = col;
  if (at) p->at = at;
  int *order = rattle__places_in_order(p->list, sizeof *p->list, p->count, p->k->all);
  if (!ptr || !col || !at || !order) p->failed = 1;
  if (p->failed) {
    free(order);
    return;
  }
  memset(ptr, 0, rows * sizeof *ptr);
  p->entries = 0;
  for (int i = 0; i < p->count; i++) {
    const rattle__matrix_place *x = p->list + order[i], *before = i ? p->list + order[i - 1] : NULL;
    if (!before || x->row != before->row || x->col != before->col) {
      col[p->entries++] = x->col;
      ptr[x->row + 1]++;
    }
    at[order[i]] = p->entries - 1;
  }
  free(order);
  for (int i = 0; i < p->k->all; i++) ptr[i + 1] += ptr[i];
}

static int find(const planner *p, int row, int col) {
  int low = p->ptr[row], high = p->ptr[row + 1];
  while (low < high) {
    const int middle = low + (high - low) / 2;
    if (p->col[middle] < col)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* Plans the elimination of the 2n unknowns from `first` on, by their own rows: the products, or
 * their places if `product` is NULL. Returns how many there are. */
static int eliminate(planner *p, int first, rattle__prk_product *product) {
  const rattle__prk *k = p->k;
  int count = 0;
  for (int row = 0; row < k->all && !p->failed; row++) {
    if (row >= first && row < first + 2 * k->n) continue;
    for (int left = p->ptr[row]; left < p->ptr[row + 1]; left++) {
      const int own = p->col[left];
      if (own < first || own >= first + 2 * k->n) continue;
      for (int right = p->ptr[own]; right < p->ptr[own + 1] && p->col[right] < k->size; right++) {
        if (product)
          product[count] = (rattle__prk_product){find(p, row, p->col[right]), left, right};
        else
          add(p, row, p->col[right]);
        count++;
      }
    }
  }
  return count;
}

/* z+ first, for z1 is made from it */
static void plan_elimination(planner *p) {
  rattle__prk *k = p->k;
  rattle__arena *arena = &k->map.context->arena;
  const int of_plus = eliminate(p, k->plus, NULL);
  compress(p);
  k->products = of_plus + eliminate(p, k->one, NULL);
  compress(p);
  k->product = rattle__arena_take(arena, (size_t)(k->products + 1) * sizeof *k->product);
  k->value = rattle__arena_doubles(arena, (size_t)p->entries);
  k->kept = rattle__arena_take(arena, (size_t)p->entries * sizeof *k->kept);
  k->entries = p->entries;
  if (arena->failed || p->failed) return;
  eliminate(p, k->plus, k->product);
  eliminate(p, k->one, k->product + of_plus);
}

/* The rows and columns that remain. */
static void keep(planner *p) {
  rattle__prk *k = p->k;
  int count = 0;
  for (int row = 0, e = 0; row < k->size; row++) {
    for (; e < p->ptr[row + 1]; e++) {
      if (p->col[e] >= k->size) continue;
      k->kept[count] = e;
      p->col[count++] = p->col[e];
    }
    p->ptr[row + 1] = count;
  }
}

/* Turns numbers of places into indices of the matrix. */
static void settle(rattle__prk *k, const int *at, int first_constant, int first_border) {
  for (int i = 0; i < k->terms; i++) k->term[i].at = at[k->term[i].at];
  for (int i = 0; i < k->constants; i++) {
    k->constant[i] = at[first_constant + i];
    k->constant_value[i] = i >= k->all                                      ? -1
                           : k->fibre && i >= k->multipliers && i < k->size ? 0
                                                                            : 1;
  }
  if (!k->fibre) return;
  int jac_nnz = k->map.context->problem->g->jac_nnz;
  for (int i = 0; i < jac_nnz; i++) k->jacobian_at[i] = at[first_border + i];
  for (int i = 0; i < k->fibre->nnz; i++) k->fibre_at[i] = at[first_border + jac_nnz + i];
}

/* All places, and what is made of them. */
static void plan(planner *p) {
  rattle__prk *k = p->k;
  rattle__arena *arena = &k->map.context->arena;
  add_all(p, NULL, &k->terms);
  p->count = 0;
  k->term = rattle__arena_take(arena, (size_t)(k->terms + 1) * sizeof *k->term);
  if (k->term) add_all(p, k->term, &k->terms);
  int first_constant = p->count;
  add_constants(p);
  int first_border = p->count;
  k->constants = first_border - first_constant;
  if (k->fibre) add_border(p);
  k->constant = rattle__arena_take(arena, (size_t)k->constants * sizeof *k->constant);
  k->constant_value = rattle__arena_doubles(arena, (size_t)k->constants);
  if (k->fibre) {
    k->jacobian_at =
        rattle__arena_take(arena, (size_t)k->map.context->problem->g->jac_nnz * sizeof(int));
    k->fibre_at = rattle__arena_take(arena, (size_t)k->fibre->nnz * sizeof(int));
  }
  compress(p);
  if (k->fibre && !p->failed) plan_elimination(p);
  p->failed |= arena->failed;
  if (p->failed) return;
  settle(k, p->at, first_constant, first_border);
  if (k->fibre) keep(p);
}

rattle_status rattle__prk_plan(rattle__prk *k, rattle__init *general, rattle_error *error) {
  choose_unknowns(k);
  planner p = {.k = k};
  plan(&p);
  const rattle__saddle saddle = {k->size, k->m, p.ptr, p.col};
  const rattle_status status =
      p.failed ? rattle__no_memory(error)
               : rattle__linear_create_saddle(&k->matrix, &saddle, general, error);
  free(p.at);
  free(p.ptr);
  free(p.col);
  free(p.list);
  return status;
}

rattle_status rattle__prk_factor(rattle__prk *k, double h, rattle_error *error) {
  const rattle_problem *problem = k->map.context->problem;
  double *value = k->fibre ? k->value : k->matrix->value;
  memset(value, 0, (size_t)(k->fibre ? k->entries : k->matrix->nnz) * sizeof *value);
  for (int i = 0; i < k->constants; i++) value[k->constant[i]] += k->constant_value[i];
  for (int i = 0; i < k->terms; i++) {
    const rattle__prk_term *t = k->term + i;
    value[t->at] +=
        t->c * h * k->hessian[(size_t)t->stage * (size_t)problem->H->hess_nnz + (size_t)t->entry];
  }
  if (k->fibre) {
    for (int i = 0; i < problem->g->jac_nnz; i++) value[k->jacobian_at[i]] += k->J[i];
    for (int i = 0; i < k->fibre->nnz; i++) value[k->fibre_at[i]] -= h * k->dfibre[i];
    for (int i = 0; i < k->products; i++) {
      const rattle__prk_product *x = k->product + i;
      value[x->at] -= value[x->left] * value[x->right];
    }
    for (int e = 0; e < k->matrix->nnz; e++) k->matrix->value[e] = value[k->kept[e]];
  }
  k->map.context->counts.factorisation++;
  k->matrix->equilibrate = rattle__must_equilibrate(k->follower);
  const rattle_status status = k->matrix->factor(k->matrix);
  if (!status) return RATTLE_OK;
  if (status == RATTLE_NO_MEMORY) return rattle__no_memory(error);
  int blame = k->matrix->blame - k->multipliers;
  const char *name = k->fibre && blame >= 0 ? rattle_problem_constraint_name(problem, blame) : NULL;
  rattle__fail(error, RATTLE_SINGULAR, name,
               "the equations of the implicit step are singular%s%s: the motion reached a "
               "degenerate point; use a smaller step",
               name ? " at constraint " : "", name ? name : "");
  if (error && name) error->constraint = blame;
  return RATTLE_SINGULAR;
}
