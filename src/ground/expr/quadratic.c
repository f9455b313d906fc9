/* Programs of values on polynomials of degree 2 with bounds. See quadratic.h. */
#include "ground/expr/quadratic.h"

#include <stdlib.h>
#include <string.h>

#include "ground/expr/ball_functions.h"
#include "ground/expr/ball_polynomial.h"
#include "ground/expr/family.h"

/* True if the operation leads from these degrees to one of at most 2, *degree. */
static int has_degree(int op, int a, int b, int *degree) {
  *degree = a > b ? a : b;
  if (op == RATTLE_OP_MUL) *degree = a + b;
  if (op == RATTLE_OP_DIV && b) return 0;
  return *degree <= 2 && (op == RATTLE_OP_ADD || op == RATTLE_OP_SUB || op == RATTLE_OP_MUL ||
                          op == RATTLE_OP_DIV || op == RATTLE_OP_NEG);
}

static int is_smooth(const rattle__program *p) {
  int good = 1;
  for (int k = 0; k < p->length; k++) {
    const int op = p->code[k].op;
    good &= op == RATTLE_OP_ADD || op == RATTLE_OP_SUB || op == RATTLE_OP_MUL ||
            op == RATTLE_OP_DIV || op == RATTLE_OP_NEG || rattle__ball_has_function(op);
  }
  return good;
}

/* 1 or 0; -1: no memory. */
static int is_quadratic(const rattle__program *p) {
  int *degree = calloc((size_t)p->registers + 1, sizeof *degree), good = 1;
  if (!degree) return -1;
  for (int j = 0; j < p->slots && good; j++) degree[j] = 1;
  for (int k = 0; k < p->length && good; k++) {
    const rattle__code *c = &p->code[k];
    good = has_degree(c->op, degree[c->a], degree[c->b], &degree[c->to]);
  }
  free(degree);
  return good;
}

/* Registers from those of the slots, which are first. */
static void execute(const rattle__family *f, int i, rattle__polynomial s, rattle__ball *r) {
  const rattle__program *p = &f->program[RATTLE__VALUE];
  const size_t room = s.room;
  rattle__ball *to = r + (size_t)p->slots * room;
  for (int j = 0; j < p->params; j++, to += room)
    rattle__polynomial_put(to, s, rattle__exactly(f->param[i * f->params + p->param[j]]));
  for (int j = 0; j < p->constants; j++, to += room)
    rattle__polynomial_put(to, s, rattle__exactly(p->constant[j]));
  for (int k = 0; k < p->length; k++) {
    const rattle__code *c = &p->code[k];
    const rattle__ball *a = r + (size_t)c->a * room, *b = r + (size_t)c->b * room;
    rattle__ball *out = r + (size_t)c->to * room;
    if (c->op == RATTLE_OP_MUL) rattle__polynomial_multiply(s, a, b, out);
    if (c->op == RATTLE_OP_ADD || c->op == RATTLE_OP_SUB)
      rattle__polynomial_combine(s, a, b, c->op == RATTLE_OP_SUB, out);
    for (size_t e = 0; e < room && c->op == RATTLE_OP_NEG; e++) out[e] = rattle__ball_minus(a[e]);
    if (c->op == RATTLE_OP_DIV)
      rattle__polynomial_divide(s, a, b, r + (size_t)p->registers * room, out);
  }
}

/* The same of all points in x, by the slots. */
static void execute_over(const rattle__family *f, int i, const rattle__ball *x,
                         rattle__polynomial s, rattle__ball *r) {
  const rattle__program *p = &f->program[RATTLE__VALUE];
  for (int j = 0; j < p->slots; j++) {
    rattle__ball *to = r + (size_t)j * s.room;
    rattle__polynomial_put(to, s, x[f->slot[i * f->slots + p->slot[j]]]);
    to[1 + p->slot[j]] = rattle__exactly(1);
  }
  execute(f, i, s, r);
}

void rattle__quadratic_second(const rattle__quadratic *q, const rattle__ball *x,
                              const rattle__ball *rate, const rattle__ball *second,
                              rattle__ball *F) {
  if (q->varies) {
    const rattle__ball *const in[] = {x, rate, second};
    rattle__ball_program_run(&q->smooth, RATTLE__SMOOTH_SECOND, in, F);
    return;
  }
  const rattle__elements *e = q->f->elements;
  const rattle__polynomial way = rattle__polynomial_of(1, 1);
  rattle__ball *r = q->registers;
  memset(F, 0, (size_t)q->rows * sizeof *F);
  for (int k = 0; k < e->families; k++) {
    const rattle__family *f = &e->family[k];
    const rattle__program *p = &f->program[RATTLE__VALUE];
    for (int i = 0; i < f->count && p->outs && !q->skipped[k]; i++) {
      for (int j = 0; j < p->slots; j++) {
        const int c = f->slot[i * f->slots + p->slot[j]];
        rattle__ball *to = r + (size_t)j * way.room;
        to[0] = x[c], to[1] = rate[c], to[2] = second[c];
      }
      execute(f, i, way, r);
      F[f->row[i]] = rattle__ball_add(F[f->row[i]], r[(size_t)p->out[0] * way.room + 2]);
    }
  }
}

void rattle__quadratic_near(const rattle__quadratic *q, const double *x, double *F, double *G) {
  const double *const in[] = {x};
  rattle__ball_program_run_numbers(&q->smooth, RATTLE__SMOOTH_VALUE, in, F);
  if (G) rattle__ball_program_run_numbers(&q->smooth, RATTLE__SMOOTH_SLOPES, in, G);
}

void rattle__quadratic_at(const rattle__quadratic *q, const rattle__ball *x, rattle__ball *F,
                          rattle__ball *G) {
  if (q->varies) {
    const rattle__ball *const in[] = {x};
    if (F) rattle__ball_program_run(&q->smooth, RATTLE__SMOOTH_VALUE, in, F);
    if (G) rattle__ball_program_run(&q->smooth, RATTLE__SMOOTH_SLOPES, in, G);
    return;
  }
  const rattle__elements *e = q->f->elements;
  const int *place = q->place;
  if (F) memset(F, 0, (size_t)q->rows * sizeof *F);
  if (G) memset(G, 0, (size_t)q->ptr[q->rows] * sizeof *G);
  for (int k = 0; k < e->families; k++) {
    const rattle__family *f = &e->family[k];
    const rattle__program *p = &f->program[RATTLE__VALUE];
    const rattle__polynomial of = rattle__polynomial_of(f->slots, 0);
    for (int i = 0; i < f->count; i++, place += f->slots) {
      if (!p->outs || q->skipped[k]) continue;
      execute_over(f, i, x, of, q->registers);
      const rattle__ball *out = q->registers + (size_t)p->out[0] * of.room;
      if (F) F[f->row[i]] = rattle__ball_add(F[f->row[i]], out[0]);
      for (int s = 0; s < f->slots && G; s++)
        G[place[s]] = rattle__ball_add(G[place[s]], out[1 + s]);
    }
  }
}

/* --- how it is made --------------------------------------------------------------------------- */

static int by_number(const void *a, const void *b) {
  const int x = *(const int *)a, y = *(const int *)b;
  return (x > y) - (x < y);
}

/* The slots of each row, those of row r from q->ptr[r] on in `slot`; q->ptr [rows + 2]. */
static void sort_slots(rattle__quadratic *q, int *slot) {
  const rattle__elements *e = q->f->elements;
  for (int k = 0; k < e->families; k++)
    for (int i = 0; i < e->family[k].count; i++)
      q->ptr[e->family[k].row[i] + 2] += e->family[k].slots;
  for (int r = 0; r < q->rows; r++) q->ptr[r + 2] += q->ptr[r + 1];
  for (int k = 0; k < e->families; k++) {
    const rattle__family *f = &e->family[k];
    for (int i = 0; i < f->count; i++)
      for (int s = 0; s < f->slots; s++) slot[q->ptr[f->row[i] + 1]++] = f->slot[i * f->slots + s];
  }
}

/* The columns of each row, once each and ascending. */
static void find_pattern(rattle__quadratic *q, int *scratch) {
  sort_slots(q, scratch);
  for (int r = 0, first = 0, used = 0; r < q->rows; r++) {
    const int last = q->ptr[r + 1];
    qsort(scratch + first, (size_t)(last - first), sizeof *scratch, by_number);
    for (int c = first; c < last; c++)
      if (c == first || scratch[c] != scratch[c - 1]) q->col[used++] = scratch[c];
    first = last, q->ptr[r + 1] = used;
  }
}

static int place_of(const rattle__quadratic *q, int row, int column) {
  int at = q->ptr[row];
  while (q->col[at] != column) at++;
  return at;
}

static void find_places(rattle__quadratic *q) {
  const rattle__elements *e = q->f->elements;
  int *place = q->place;
  for (int k = 0; k < e->families; k++)
    for (int i = 0; i < e->family[k].count; i++)
      for (int s = 0; s < e->family[k].slots; s++)
        *place++ = place_of(q, e->family[k].row[i], e->family[k].slot[i * e->family[k].slots + s]);
}

/* B, at any x. */
static void find_bends(rattle__quadratic *q, const rattle__ball *x) {
  const rattle__elements *e = q->f->elements;
  const int *place = q->place;
  for (int k = 0; k < e->families; k++) {
    const rattle__family *f = &e->family[k];
    const rattle__program *p = &f->program[RATTLE__VALUE];
    const rattle__polynomial of = rattle__polynomial_of(f->slots, 1);
    for (int i = 0; i < f->count; i++, place += f->slots) {
      if (!p->outs || q->skipped[k]) continue;
      execute_over(f, i, x, of, q->registers);
      const rattle__ball *S = q->registers + (size_t)p->out[0] * of.room + 1 + f->slots;
      for (int t = 0; t < f->slots * f->slots; t++) {
        const int row = f->row[i], a = place[t / f->slots], b = place[t % f->slots];
        if (S[t].at == 0 && S[t].by == 0) continue;
        q->bend[q->bends++] =
            (rattle__bend){row, q->col[a], q->col[b], a - q->ptr[row], b - q->ptr[row], S[t]};
      }
    }
  }
}

/* 1; 0: no memory. */
static int find_others(rattle__quadratic *q) {
  const rattle__elements *e = q->f->elements;
  for (int k = 0; k < e->families && !q->varies; k++) {
    const rattle__family *f = &e->family[k];
    const int quadratic = is_quadratic(&f->program[RATTLE__VALUE]);
    if (quadratic < 0) return 0;
    q->skipped[k] = !quadratic;
    for (int i = 0; i < f->count && !quadratic; i++) q->beyond[f->row[i]] = 1;
  }
  return 1;
}

static int lay_out(rattle__quadratic *q, const char *fixed) {
  const rattle__elements *e = q->f->elements;
  size_t slots = 1, bends = 1, registers = 1;
  for (int k = 0; k < e->families; k++) {
    const rattle__family *f = &e->family[k];
    const rattle__program *p = &f->program[RATTLE__VALUE];
    const size_t room =
        q->varies ? 0 : rattle__polynomial_of(f->slots + 1, 1).room * (size_t)(p->registers + 1);
    slots += (size_t)f->count * (size_t)f->slots;
    if (!q->varies) bends += (size_t)f->count * (size_t)f->slots * (size_t)f->slots;
    if (room > registers) registers = room;
  }
  q->ptr = calloc((size_t)q->rows + 2, sizeof *q->ptr);
  q->col = calloc(slots, sizeof *q->col);
  q->place = calloc(slots, sizeof *q->place);
  q->bend = calloc(bends, sizeof *q->bend);
  q->registers = calloc(registers, sizeof *q->registers);
  q->beyond = calloc((size_t)q->rows + 1, 1);
  q->skipped = calloc((size_t)e->families + 1, 1);
  int *scratch = calloc(slots, sizeof *scratch);
  rattle__ball *origin = calloc((size_t)q->vars + 1, sizeof *origin);
  const int good = q->ptr && q->col && q->place && q->bend && q->registers && q->beyond &&
                   q->skipped && scratch && origin && find_others(q);
  if (good) {
    find_pattern(q, scratch);
    find_places(q);
    if (!q->varies) find_bends(q, origin);
  }
  free(scratch), free(origin);
  if (good && q->varies)
    return !rattle__smooth_make(&q->smooth, q->f, q->place, q->ptr[q->rows], fixed);
  return good;
}

int rattle__quadratic_create(rattle__quadratic **q, const rattle__function *f) {
  *q = NULL;
  for (int k = 0; f->elements && k < f->elements->families; k++) {
    const int quadratic = is_quadratic(&f->elements->family[k].program[RATTLE__VALUE]);
    if (quadratic <= 0) return quadratic ? -1 : 1;
  }
  return rattle__quadratic_create_in_part(q, f);
}

static int create(rattle__quadratic **q, const rattle__function *f, int varies, const char *fixed) {
  *q = NULL;
  if (!f->elements) return 1;
  *q = calloc(1, sizeof **q);
  if (!*q) return -1;
  (*q)->f = f, (*q)->rows = f->rows, (*q)->vars = f->vars, (*q)->varies = varies;
  if (lay_out(*q, fixed)) return 0;
  rattle__quadratic_destroy(q);
  return -1;
}

int rattle__quadratic_create_in_part(rattle__quadratic **q, const rattle__function *f) {
  return create(q, f, 0, NULL);
}

int rattle__quadratic_create_smooth(rattle__quadratic **q, const rattle__function *f,
                                    const char *fixed) {
  *q = NULL;
  for (int k = 0; f->elements && k < f->elements->families; k++)
    if (!is_smooth(&f->elements->family[k].program[RATTLE__VALUE])) return 1;
  return create(q, f, 1, fixed);
}

void rattle__quadratic_destroy(rattle__quadratic **q) {
  if (!q || !*q) return;
  free((*q)->ptr), free((*q)->col), free((*q)->place), free((*q)->bend), free((*q)->registers);
  free((*q)->beyond), free((*q)->skipped);
  rattle__ball_programs_release(&(*q)->smooth);
  free(*q);
  *q = NULL;
}
