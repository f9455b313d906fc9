/* Distance constraints, recognised in every form: g_i = c (|q_a - q_b|^2 - d^2), or with a fixed
 * point for q_b.
 *
 * Such a row has a constant second derivative S with S v = 2c (v_a - v_b) in the columns of a and
 * the opposite in those of b, or 2c v_a next to a fixed point. It is asked for at two points along
 * a v of irregular integers, so that equal entries are no accident and c comes out exactly; then
 * g_i'(0) gives the point, and g_i where both ends meet gives d: at 0, or in the fixed point, whose
 * distance to the origin would cost digits of d. */
#include <math.h>

#include "problem/functions/distances.h"
#include "problem/functions/problem.h"

static int row(const rattle__function *f, int r, const double *x, double *F, double *J,
               double *work) {
  const rattle__distances *b = f->self;
  double sum = 0, c = b->c[r];
  (void)work;
  for (int k = f->jac_ptr[r]; k < f->jac_ptr[r + 1]; k++) {
    int other = b->other[k];
    double s = x[f->jac_col[k]] - (other < 0 ? b->point[k] : x[other]);
    J[k] = 2 * c * s;
    if (other < f->jac_col[k]) sum += s * s; /* a pair counts once */
  }
  F[r] = c * (sum - b->square[r]);
  return 0;
}

/* Different for all columns. */
static double irregular(int column, unsigned salt) {
  unsigned x = ((unsigned)column + salt) * 2654435761u;
  x = (x ^ x >> 15) * 2246822519u;
  return 1 + (double)(x ^ x >> 13);
}

static int same(double a, double b) {
  return fabs(a - b) <= 1e-8 * (fabs(a) + fabs(b));
}

/* Evaluations of g: D, D2 = g'' v at two points, J = g'(0), F = g(0). */
typedef struct evaluations {
  double *v, *D, *D2, *J, *F;
} evaluations;

/* The entry of row r at the other end of a bond from entry k, -1 if there is none; of several,
 * which are an accident in large problems, the nearest. */
static int partner(const rattle__function *g, const evaluations *l, int r, int k) {
  int best = -1;
  for (int e = g->jac_ptr[r]; e < g->jac_ptr[r + 1]; e++)
    if (e != k && same(l->D[k], -l->D[e]) &&
        (best < 0 || fabs(l->D[k] + l->D[e]) < fabs(l->D[k] + l->D[best])))
      best = e;
  return best;
}

/* Fills other, point and c of row r; 0 if it is not a distance. */
static int recognise(const rattle__function *g, const evaluations *l, rattle__distances *b, int r) {
  const int *col = g->jac_col;
  double c2 = 0; /* 2c */
  for (int k = g->jac_ptr[r]; k < g->jac_ptr[r + 1]; k++) {
    if (l->D[k] == 0 && l->D2[k] == 0 && l->J[k] == 0) {
      b->other[k] = col[k]; /* g_r does not depend on it: no distance to itself */
      continue;
    }
    int e = partner(g, l, r, k);
    double found = l->D[k] / (l->v[col[k]] - (e < 0 ? 0 : l->v[col[e]]));
    if (c2 == 0) c2 = found;
    if (!same(l->D[k], l->D2[k]) || !same(found, c2) || c2 == 0) return 0;
    b->other[k] = e < 0 ? -1 : col[e];
    b->point[k] = -l->J[k] / c2;
    if (e >= 0 && fabs(b->point[k]) > 1e-12) return 0; /* of a pair to a fixed vector */
  }
  b->c[r] = 0.5 * c2;
  return c2 != 0;
}

/* Puts the particle of row r, if it hangs from a fixed point, there. 1: it does and is there; 0: x
 * has it elsewhere. NaN in x: nowhere yet. */
static int place(const rattle__function *g, const rattle__distances *b, int r, double *x) {
  const int begin = g->jac_ptr[r], end = g->jac_ptr[r + 1];
  int hangs = 0;
  for (int k = begin; k < end; k++) {
    const double at = x[g->jac_col[k]];
    if (b->other[k] < 0 && !isnan(at) && at != b->point[k]) return 0;
    hangs |= b->other[k] < 0;
  }
  for (int k = begin; k < end; k++)
    if (b->other[k] < 0) x[g->jac_col[k]] = b->point[k];
  return hangs;
}

/* d^2 of row r, where g is F at x. */
static double square_of(const rattle__function *g, const rattle__distances *b, int r,
                        const double *x, double F) {
  double sum = 0;
  for (int k = g->jac_ptr[r]; k < g->jac_ptr[r + 1]; k++) {
    const double s = x[g->jac_col[k]] - (b->other[k] < 0 ? b->point[k] : x[b->other[k]]);
    if (b->other[k] < g->jac_col[k]) sum += s * s; /* a pair counts once */
  }
  return sum - F / b->c[r];
}

/* d^2 of all rows, from g at coinciding ends: at 0 for pairs, where g is l->F; for particles that
 * hang from fixed points, at those points, as many at a time as can be. 0 or a callback's
 * answer. */
static int measure(const rattle__function *g, const evaluations *l, rattle__distances *b, double *x,
                   double *work) {
  enum { LATER = -1, NOW = -2 }; /* no squares */
  for (int c = 0; c < g->vars; c++) x[c] = 0;
  for (int r = 0; r < g->rows; r++) {
    int hangs = 0;
    for (int k = g->jac_ptr[r]; k < g->jac_ptr[r + 1]; k++) hangs |= b->other[k] < 0;
    b->square[r] = hangs ? LATER : fmax(square_of(g, b, r, x, l->F[r]), 0);
  }
  for (int placed = 1; placed;) {
    placed = 0;
    for (int c = 0; c < g->vars; c++) x[c] = NAN;
    for (int r = 0; r < g->rows; r++)
      if (b->square[r] == LATER && place(g, b, r, x)) b->square[r] = NOW, placed = 1;
    for (int c = 0; c < g->vars; c++) x[c] = isnan(x[c]) ? 0 : x[c];
    const int answer = placed ? g->value(g, x, l->F, work) : 0;
    if (answer) return answer;
    for (int r = 0; r < g->rows; r++)
      if (b->square[r] == NOW) b->square[r] = fmax(square_of(g, b, r, x, l->F[r]), 0);
  }
  return 0;
}

/* g at 0 and its second derivatives along v; 0 or a callback's answer. */
static int evaluate(const rattle__function *g, const evaluations *l, double *x, double *work,
                    double *room) {
  for (int c = 0; c < g->vars; c++) {
    l->v[c] = irregular(c, 1);
    x[c] = 0;
  }
  int answer = g->jacobian(g, x, l->F, l->J, work);
  if (!answer) answer = rattle__function_along(g, x, l->v, l->D, work, room);
  for (int c = 0; c < g->vars; c++) x[c] = 0x1p-32 * irregular(c, 77);
  return answer ? answer : rattle__function_along(g, x, l->v, l->D2, work, room);
}

rattle_status rattle__distances_create(const rattle__distances **made, const rattle__function *g,
                                       rattle__arena *arena, int *unlike, rattle_error *error) {
  size_t m = (size_t)g->rows, n = (size_t)g->vars, nnz = (size_t)g->jac_nnz;
  rattle__distances *b = rattle__arena_take(arena, sizeof *b);
  if (!b) return rattle__no_memory(error);
  evaluations l;
  double *x, *work, *room;
  const rattle__array array[] = {{&b->point, nnz},
                                 {&b->c, m},
                                 {&b->square, m},
                                 {&l.v, n},
                                 {&l.D, nnz},
                                 {&l.D2, nnz},
                                 {&l.J, nnz},
                                 {&l.F, m},
                                 {&x, n},
                                 {&work, g->work},
                                 {&room, 2 * nnz + 2 * n}};
  RATTLE__LAY_OUT(arena, array);
  b->other = rattle__arena_take(arena, nnz * sizeof *b->other);
  if (arena->failed) return rattle__no_memory(error);
  int answer = evaluate(g, &l, x, work, room);
  if (answer) return rattle__callback_error(answer, "constraint", error);
  const int exact =
      g->along || g->quadratic; /* differences of other functions do not determine d */
  int known = 0;
  while (exact && known < g->rows && recognise(g, &l, b, known)) known++;
  if (known == g->rows) {
    answer = measure(g, &l, b, x, work);
    if (answer) return rattle__callback_error(answer, "constraint", error);
    for (known = 0; known < g->rows && b->square[known] > 0;) known++;
  }
  *unlike = known;
  if (known < g->rows) return RATTLE_UNSUITABLE;
  b->f = (rattle__function){.rows = g->rows,
                            .vars = g->vars,
                            .jac_ptr = g->jac_ptr,
                            .jac_col = g->jac_col,
                            .jac_nnz = g->jac_nnz,
                            .quadratic = 1,
                            .work = 1,
                            .row = row,
                            .self = b};
  *made = b;
  return RATTLE_OK;
}
