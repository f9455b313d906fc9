/* The equations of a step. See rows_of_step.h. */
#include "constraint/guard/rows_of_step.h"

#include <stdlib.h>
#include <string.h>

/* --- values ----------------------------------------------------------------------------------- */

/* x from `at` on; NULL is nowhere. */
static rattle__ball *from(rattle__ball *x, int at) {
  return x ? x + at : NULL;
}

/* y - t sum slope way, and its derivatives. */
static void look_at_forces(const rattle__rows_of_step *e, const rattle__ball *x, rattle__ball *F,
                           rattle__ball *G) {
  const rattle__ball t = x[e->time];
  const rattle__ball *slope = e->slope;
  for (int i = 0; i < e->pushed; i++) {
    const int row = e->held + e->rolling + i, first = e->ptr[row], last = e->ptr[row + 1] - 2;
    rattle__ball sum = {0, 0};
    for (int at = first; at < last; at++, slope++) {
      sum = rattle__ball_more(sum, *slope, x[e->col[at]]);
      if (G) G[at] = rattle__ball_minus(rattle__ball_times(t, *slope));
    }
    if (G) G[last] = rattle__ball_minus(sum), G[last + 1] = rattle__exactly(1);
    if (F) F[row] = rattle__ball_subtract(x[e->force + i], rattle__ball_times(t, sum));
  }
}

static void divided_at(const rattle__rows_of_step *e, const rattle__ball *x, rattle__ball *F,
                       rattle__ball *G) {
  const rattle__divided *g = e->difference;
  const rattle__ball by = e->scale ? x[e->scale] : rattle__exactly(1);
  for (int k = 0; k < e->blocks && g; k++) {
    const rattle__divided_way way = {.v = x + e->way + k * e->n, .t = x[e->time]};
    rattle__ball *D = from(F, k * g->rows);
    rattle__divided_at(g, x, &way, D, D ? e->level : NULL, from(G, e->ptr[k * g->rows]));
    for (int i = 0; i < g->rows && D; i++) D[i] = rattle__ball_more(D[i], by, e->level[i]);
  }
  if (e->divided) rattle__quadratic_at(e->divided, x, from(F, e->held), from(G, e->ptr[e->held]));
}

void rattle__rows_of_step_near(const rattle__rows_of_step *e, const double *x, double *F,
                               double *G) {
  const rattle__divided *g = e->difference;
  for (int k = 0; k < e->blocks && g; k++) {
    double *D = F + k * g->rows;
    const rattle__divided_point point = {x, x + e->way + k * e->n, x + e->time};
    rattle__divided_near(g, &point, D, e->level_near, G + e->ptr[k * g->rows]);
    for (int i = 0; i < g->rows; i++) D[i] += (e->scale ? x[e->scale] : 1) * e->level_near[i];
  }
  if (e->divided) rattle__quadratic_near(e->divided, x, F + e->held, G + e->ptr[e->held]);
}

void rattle__rows_of_step_at(const rattle__rows_of_step *e, const rattle__ball *x, rattle__ball *F,
                             rattle__ball *G) {
  if (e->is_divided) {
    divided_at(e, x, F, G);
    return;
  }
  if (e->g) rattle__quadratic_at(e->g, x, F, G);
  if (e->velocity)
    rattle__quadratic_at(e->velocity, x + e->middle, from(F, e->held), from(G, e->ptr[e->held]));
  const int row = e->held + e->rolling;
  if (e->stage) rattle__quadratic_at(e->stage, x + e->middle, from(F, row), from(G, e->ptr[row]));
  if (e->pushed && !e->stage) look_at_forces(e, x, F, G);
}

void rattle__rows_of_step_programs(const rattle__rows_of_step *e, rattle__ball_programs **list,
                                   int *count) {
  rattle__quadratic *const of[] = {e->g, e->velocity, e->stage, e->divided};
  for (size_t k = 0; k < sizeof of / sizeof *of; k++)
    if (of[k] && of[k]->varies) list[(*count)++] = &of[k]->smooth;
  if (e->difference) list[(*count)++] = &e->difference->programs;
}

/* B of the rows of q, whose columns begin at `from`. */
static int add_bends(rattle__bend *to, const rattle__quadratic *q, int row, int from) {
  for (int k = 0; k < q->bends; k++) {
    to[k] = q->bend[k];
    to[k].row += row, to[k].a += from, to[k].b += from;
  }
  return q->bends;
}

static void find_bends(rattle__rows_of_step *e) {
  int count = 0;
  if (e->is_divided) return;
  if (e->bend != e->own_bend) {
    e->bend = e->g->bend, e->bends = e->g->bends;
    return;
  }
  if (e->g) count += add_bends(e->own_bend, e->g, 0, 0);
  if (e->velocity) count += add_bends(e->own_bend + count, e->velocity, e->held, e->middle);
  if (e->stage) count += add_bends(e->own_bend + count, e->stage, e->held + e->rolling, e->middle);
  const rattle__ball *slope = e->slope;
  for (int i = 0; i < e->pushed && !e->stage; i++) {
    const int row = e->held + e->rolling + i, entries = e->ptr[row + 1] - e->ptr[row] - 2;
    const int *col = e->col + e->ptr[row];
    for (int at = 0; at < entries; at++, slope++) {
      const rattle__ball value = rattle__ball_minus(*slope);
      e->own_bend[count++] = (rattle__bend){row, col[at], e->time, at, entries, value};
      e->own_bend[count++] = (rattle__bend){row, e->time, col[at], entries, at, value};
    }
  }
  e->bends = count;
}

/* The same of y - t sum slope way. */
static void second_of_forces(const rattle__rows_of_step *e, const rattle__ball *x,
                             const rattle__ball *rate, const rattle__ball *second,
                             rattle__ball *F) {
  const rattle__ball *slope = e->slope, two = rattle__exactly(2);
  for (int i = 0; i < e->pushed; i++) {
    const int row = e->held + e->rolling + i;
    rattle__ball rates = {0, 0}, seconds = {0, 0};
    for (int at = e->ptr[row]; at < e->ptr[row + 1] - 2; at++, slope++) {
      rates = rattle__ball_more(rates, *slope, rate[e->col[at]]);
      seconds = rattle__ball_more(seconds, *slope, second[e->col[at]]);
    }
    rattle__ball sum = rattle__ball_times(rattle__ball_times(two, rate[e->time]), rates);
    sum = rattle__ball_more(sum, x[e->time], seconds);
    F[row] = rattle__ball_subtract(second[e->force + i], sum);
  }
}

static void divided_second(const rattle__rows_of_step *e, const rattle__ball *x,
                           const rattle__ball *rate, const rattle__ball *second, rattle__ball *F) {
  const rattle__divided *g = e->difference;
  const int t = e->time;
  for (int k = 0; k < e->blocks && g; k++) {
    const int at = e->way + k * e->n;
    const rattle__divided_way way = {x + at, rate + at, second + at, x[t], rate[t], second[t]};
    rattle__divided_second(g, x, &way, F + k * g->rows);
  }
  if (e->divided) rattle__quadratic_second(e->divided, x, rate, second, F + e->held);
}

void rattle__rows_of_step_second(const rattle__rows_of_step *e, const rattle__ball *x,
                                 const rattle__ball *rate, const rattle__ball *second,
                                 rattle__ball *F) {
  const int from = e->middle;
  if (e->is_divided) {
    divided_second(e, x, rate, second, F);
    return;
  }
  if (e->g) rattle__quadratic_second(e->g, x, rate, second, F);
  if (e->velocity)
    rattle__quadratic_second(e->velocity, x + from, rate + from, second + from, F + e->held);
  if (e->stage)
    rattle__quadratic_second(e->stage, x + from, rate + from, second + from,
                             F + e->held + e->rolling);
  if (e->pushed && !e->stage) second_of_forces(e, x, rate, second, F);
}

void rattle__rows_of_step_push(rattle__rows_of_step *e, const double *Phi,
                               const double *inverse_mass, rattle__ball length) {
  const rattle__function *f = e->f;
  const rattle__ball by = rattle__ball_inverse(length);
  rattle__ball *slope = e->slope;
  for (int k = 0; k < e->n; k++) {
    const rattle__ball mass = rattle__ball_inverse(rattle__exactly(inverse_mass[k]));
    e->slowness[k] = inverse_mass[k] != 0 ? rattle__ball_times(mass, by) : rattle__exactly(0);
  }
  for (int i = 0; i < e->pushed && !e->stage && !e->is_divided; i++)
    for (int at = f->jac_ptr[e->row[i]]; at < f->jac_ptr[e->row[i] + 1]; at++) {
      const int pair = f->jac_col[at] - e->n;
      if (pair >= 0)
        *slope++ = rattle__ball_times(rattle__exactly(Phi ? Phi[at] : 0), e->slowness[pair]);
    }
  find_bends(e);
}

/* --- how it is made --------------------------------------------------------------------------- */

/* 0, 1, -1 as rattle__rows_of_step_create. */
static int take(rattle__quadratic **q, const rattle__function *f, int smooth) {
  const int answer = rattle__quadratic_create(q, f);
  return answer > 0 && smooth ? rattle__quadratic_create_smooth(q, f, NULL) : answer;
}

/* push [pushed][n], of K if there is a stage */
static int make_pushes(rattle__rows_of_step *e, int n, const rattle__stage *stage) {
  e->push = calloc((size_t)e->pushed * (size_t)n + 1, sizeof *e->push);
  for (int i = 0; i < e->pushed && e->push && stage; i++)
    for (int k = 0; k < stage->count; k++)
      e->push[i * n + stage->acts_on[k]] = stage->K[i * stage->count + k];
  return e->push != NULL;
}

static int take_stage(rattle__rows_of_step *e, const rattle__rows_of_problem *of) {
  e->pushed = of->stage->rows->rows;
  if (!make_pushes(e, of->n, of->stage)) return -1;
  const int answer = take(&e->stage, of->stage->rows, 1);
  return answer > 0 ? 2 : answer;
}

/* Which rows of the forces depend on momenta. */
static int take_forces(rattle__rows_of_step *e, const rattle__rows_of_problem *of) {
  const rattle__function *f = of->force;
  e->f = f;
  if (of->stage && of->stage->rows) return take_stage(e, of);
  e->row = calloc((f ? (size_t)f->rows : 0) + 1, sizeof *e->row);
  if (!e->row) return -1;
  for (int i = 0; f && i < f->rows; i++)
    if (f->jac_ptr[i] < f->jac_ptr[i + 1] && f->jac_col[f->jac_ptr[i + 1] - 1] >= of->n)
      e->row[e->pushed++] = i;
  if (!make_pushes(e, of->n, NULL)) return -1;
  for (int i = 0; i < e->pushed; i++)
    e->push[i * of->n + of->pushed[e->row[i]]] = rattle__exactly(1);
  return 0;
}

/* The rows of q with their columns from `from` on. */
static void add_rows(rattle__rows_of_step *e, const rattle__quadratic *q, int row, int from) {
  int at = e->own_ptr[row];
  for (int i = 0; i < q->rows; i++) {
    for (int k = q->ptr[i]; k < q->ptr[i + 1]; k++) e->own_col[at++] = q->col[k] + from;
    e->own_ptr[row + i + 1] = at;
  }
}

static void add_force_rows(rattle__rows_of_step *e) {
  const rattle__function *f = e->f;
  for (int i = 0; i < e->pushed; i++) {
    const int row = e->held + e->rolling + i;
    int at = e->own_ptr[row];
    for (int k = f->jac_ptr[e->row[i]]; k < f->jac_ptr[e->row[i] + 1]; k++)
      if (f->jac_col[k] >= e->n) e->own_col[at++] = e->way + f->jac_col[k] - e->n;
    e->own_col[at++] = e->time, e->own_col[at++] = e->force + i;
    e->own_ptr[row + 1] = at;
  }
}

static size_t bends_of(const rattle__quadratic *q) {
  return q ? (size_t)q->bends : 0;
}

/* The rows of all kinds in one pattern. */
static int join(rattle__rows_of_step *e) {
  const size_t entries = e->f ? (size_t)e->f->jac_nnz : 0, forces = (size_t)e->pushed;
  const size_t of_g = e->g ? (size_t)e->g->ptr[e->held] : 0;
  const size_t of_velocity = e->velocity ? (size_t)e->velocity->ptr[e->rolling] : 0;
  const size_t of_stage = e->stage ? (size_t)e->stage->ptr[e->pushed] : 0;
  e->own_ptr = calloc((size_t)e->rows + 1, sizeof *e->own_ptr);
  e->own_col = calloc(of_g + of_velocity + of_stage + entries + 2 * forces + 1, sizeof *e->own_col);
  e->own_bend =
      calloc(bends_of(e->g) + bends_of(e->velocity) + bends_of(e->stage) + 2 * entries + 1,
             sizeof *e->own_bend);
  e->slope = calloc(entries + (size_t)e->n + 1, sizeof *e->slope);
  if (!e->own_ptr || !e->own_col || !e->own_bend || !e->slope) return -1;
  e->slowness = e->slope + entries;
  if (e->g) add_rows(e, e->g, 0, 0);
  if (e->velocity) add_rows(e, e->velocity, e->held, e->middle);
  if (e->stage) add_rows(e, e->stage, e->held + e->rolling, e->middle);
  if (!e->stage) add_force_rows(e);
  e->ptr = e->own_ptr, e->col = e->own_col, e->bend = e->own_bend;
  find_bends(e);
  return 0;
}

/* The rows of g have the columns of u and t. */
static int join_divided(rattle__rows_of_step *e) {
  const rattle__divided *g = e->difference;
  const rattle__quadratic *rest = e->divided;
  const size_t of_g = g ? (size_t)(e->blocks * g->ptr[g->rows]) : 0,
               others = rest ? (size_t)rest->ptr[rest->rows] : 0;
  e->own_ptr = calloc((size_t)e->rows + 1, sizeof *e->own_ptr);
  e->own_col = calloc(of_g + others + 1, sizeof *e->own_col);
  e->slope = calloc((size_t)(e->n + e->held) + 1, sizeof *e->slope);
  e->level_near = calloc((size_t)e->held + 1, sizeof *e->level_near);
  if (!e->own_ptr || !e->own_col || !e->slope || !e->level_near) return -1;
  e->slowness = e->slope, e->level = e->slope + e->n;
  for (int i = 0, at = 0; i < e->held; i++) {
    const int row = i % g->rows, way = e->way + i / g->rows * e->n;
    for (int k = g->ptr[row]; k < g->ptr[row + 1]; k++)
      e->own_col[at++] = g->col[k] == g->vars ? e->time : way + g->col[k];
    e->own_ptr[i + 1] = at;
  }
  if (rest) add_rows(e, rest, e->held, 0);
  e->ptr = e->own_ptr, e->col = e->own_col;
  return 0;
}

static int make_divided(rattle__rows_of_step *e, const rattle__rows_divided *of) {
  e->n = of->n, e->vars = of->vars, e->is_divided = e->varies = 1;
  e->middle = e->way = e->n, e->momentum = 2 * e->n, e->time = of->time, e->scale = of->scale;
  int answer = of->g ? rattle__divided_create(&e->difference, of->g) : 0;
  if (answer) return answer;
  answer = of->rows ? rattle__quadratic_create_smooth(&e->divided, of->rows, of->fixed) : 0;
  if (answer) return answer > 0 ? 2 : answer;
  e->blocks = of->blocks ? of->blocks : 1;
  e->held = of->g ? e->blocks * of->g->rows : 0, e->rolling = of->rolling;
  e->rows = e->held + (of->rows ? of->rows->rows : 0);
  e->pushed = e->rows - e->held - e->rolling;
  return join_divided(e);
}

/* Equations that are divided by t, of x = (q0, u, P, t, y). */
static int take_divided(rattle__rows_of_step *e, const rattle__rows_of_problem *of) {
  const rattle__stage *stage = of->stage;
  const rattle__rows_divided rows = {.n = of->n,
                                     .vars = stage->rows->vars,
                                     .time = 3 * of->n,
                                     .rolling = of->velocity ? of->velocity->rows : 0,
                                     .g = of->g,
                                     .rows = stage->rows};
  const int answer = make_divided(e, &rows);
  e->force = e->time + 1;
  if (answer) return answer;
  return make_pushes(e, e->n, stage) ? 0 : -1;
}

static int make(rattle__rows_of_step *e, const rattle__rows_of_problem *of, int smooth) {
  if (of->stage && of->stage->divided) return take_divided(e, of);
  int answer = of->g ? take(&e->g, of->g, smooth) : 0;
  if (!answer && of->velocity) answer = take(&e->velocity, of->velocity, 1);
  if (!answer) answer = take_forces(e, of);
  if (answer) return answer;
  const int by_q = e->velocity || e->stage, by_way = e->velocity || e->pushed;
  e->n = of->n;
  e->held = e->g ? e->g->rows : 0, e->rolling = e->velocity ? e->velocity->rows : 0;
  e->rows = e->held + e->rolling + e->pushed;
  e->varies = (e->g && e->g->varies) || (e->velocity && e->velocity->varies) ||
              (e->stage && e->stage->varies);
  e->middle = e->n, e->way = e->middle + by_q * e->n, e->momentum = e->way + by_way * e->n;
  e->time = e->momentum + !!e->stage * e->n;
  e->force = e->time + !!e->pushed, e->vars = e->force + e->pushed;
  if (e->velocity || e->pushed) return join(e);
  e->ptr = e->g->ptr, e->col = e->g->col, e->bend = e->g->bend, e->bends = e->g->bends;
  return 0;
}

int rattle__rows_of_step_create(rattle__rows_of_step **e, const rattle__rows_of_problem *of,
                                int smooth) {
  *e = calloc(1, sizeof **e);
  if (!*e) return -1;
  const int answer = make(*e, of, smooth);
  if (answer) rattle__rows_of_step_destroy(e);
  return answer;
}

int rattle__rows_of_step_create_divided(rattle__rows_of_step **e, const rattle__rows_divided *of) {
  *e = calloc(1, sizeof **e);
  if (!*e) return -1;
  const int answer = make_divided(*e, of);
  if (answer) rattle__rows_of_step_destroy(e);
  return answer;
}

void rattle__rows_of_step_destroy(rattle__rows_of_step **e) {
  if (!e || !*e) return;
  rattle__quadratic_destroy(&(*e)->g), rattle__quadratic_destroy(&(*e)->velocity);
  rattle__quadratic_destroy(&(*e)->stage), rattle__quadratic_destroy(&(*e)->divided);
  rattle__divided_destroy(&(*e)->difference);
  free((*e)->own_ptr), free((*e)->own_col), free((*e)->own_bend);
  free((*e)->row), free((*e)->push), free((*e)->slope), free((*e)->level_near), free(*e);
  *e = NULL;
}
