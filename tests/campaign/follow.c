/* Following a solution from t = 0 to t = 1. See follow.h. */
#include "follow.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Pieces of a curve before it is given up: with differences each costs many evaluations. */
enum { MOST_EXACT = 20000, MOST_BY_DIFFERENCES = 1000 };

typedef struct limits {
  long double first, later, change, longest;
} limits;

static const limits usual = {0.15L, 0.3L, 0.3L, 1}, tight = {0.05L, 0.2L, 0.1L, 1 / 16.0L};

static long double norm(const follow_system *s, const long double *x) {
  long double most = 0;
  for (int i = 0; i < s->size; i++) {
    if (!isfinite(x[i])) return INFINITY;
    most = fmaxl(most, fabsl(x[i]) * s->scale[i]);
  }
  return most;
}

/* A point of the curve. */
typedef struct point {
  long double t, x[DENSE], J[DENSE * DENSE], slope[DENSE];
  dense_factors factors;
} point;

static int differences(const follow_system *s, const point *p, const long double *F, long double *J,
                       long double *Ft) {
  const int n = s->size;
  const long double dt = p->t > 0.5L ? -1e-5L : 1e-5L;
  long double x[DENSE], moved[DENSE];
  memcpy(x, p->x, sizeof *x * (size_t)n);
  for (int j = 0; j < n; j++) {
    const long double d = s->difference / s->scale[j];
    x[j] = p->x[j] + d;
    if (s->evaluate(s, p->t, x, moved, NULL, NULL)) return 1;
    for (int i = 0; i < n; i++) J[i * n + j] = (moved[i] - F[i]) / (x[j] - p->x[j]);
    x[j] = p->x[j];
  }
  if (s->evaluate(s, p->t + dt, x, moved, NULL, NULL)) return 1;
  for (int i = 0; i < n; i++) Ft[i] = (moved[i] - F[i]) / dt;
  return 0;
}

/* Evaluates at p->t, p->x; 1 if the Jacobian is singular. */
static int evaluate(const follow_system *s, point *p, long double *F) {
  long double Ft[DENSE];
  if (s->evaluate(s, p->t, p->x, F, s->exact ? p->J : NULL, Ft)) return 1;
  if (!s->exact && differences(s, p, F, p->J, Ft)) return 1;
  if (dense_factor(s->size, p->J, &p->factors)) return 1;
  dense_solve(&p->factors, Ft);
  for (int i = 0; i < s->size; i++) p->slope[i] = -Ft[i];
  return 0;
}

/* Newton's iteration from p->x, which must converge as fast as `by` asks; with differences one
 * matrix serves for all of it. The Jacobian is that at the end. */
static int correct(const follow_system *s, const limits *by, long double floor,
                   const long double *start, point *p) {
  long double last = INFINITY, F[DENSE], moved[DENSE];
  for (int round = 0; round < 25; round++) {
    const int keep = round && !s->exact;
    if (keep ? s->evaluate(s, p->t, p->x, F, NULL, NULL) : evaluate(s, p, F)) return 1;
    dense_solve(&p->factors, F);
    for (int i = 0; i < s->size; i++) {
      p->x[i] -= F[i];
      moved[i] = p->x[i] - start[i];
    }
    const long double size = norm(s, F);
    if (!isfinite(size)) return 1;
    if (size <= floor || size <= 1e-16L * norm(s, moved)) return keep && evaluate(s, p, F);
    if (round && !(size <= (round == 1 ? by->first : by->later) * last))
      return !(size <= 100 * floor) || evaluate(s, p, F);
    last = size;
  }
  return 1;
}

void follow_error(const follow_system *s, const dense_factors *J, long double eps,
                  long double *error) {
  memset(error, 0, sizeof *error * (size_t)s->size);
  for (int j = 0; j < s->size; j++) {
    long double column[DENSE] = {0};
    column[j] = eps * s->unit[j];
    dense_solve(J, column);
    for (int i = 0; i < s->size; i++) error[i] += fabsl(column[i]);
  }
}

/* The first point, where F is 0 except for round-off, and below which scaled corrections are
 * round-off. */
static int begin(const follow_system *s, const long double *x, point *p, long double *floor) {
  long double F[DENSE], error[DENSE];
  p->t = 0;
  memcpy(p->x, x, sizeof *x * (size_t)s->size);
  for (int round = 0; round < 3; round++) {
    if (evaluate(s, p, F)) return 1;
    dense_solve(&p->factors, F);
    for (int i = 0; i < s->size; i++) p->x[i] -= F[i];
  }
  follow_error(s, &p->factors, LDBL_EPSILON, error);
  *floor = 100 * norm(s, error);
  return !isfinite(*floor);
}

void follow(const follow_system *s, int strict, follow_result *result) {
  const limits *by = strict ? &tight : &usual;
  point points[2], *here = &points[0], *next = &points[1];
  const long double shortest = s->exact ? 1e-9L : 1e-6L;
  long double first[DENSE * DENSE], start[DENSE], piece = by->longest, floor;
  const int most = s->exact ? MOST_EXACT : MOST_BY_DIFFERENCES;
  result->reaches = result->pieces = result->exhausted = 0;
  result->part = 0;
  result->margin = 1;
  if (begin(s, result->x, here, &floor)) return;
  memcpy(start, here->x, sizeof *start * (size_t)s->size);
  memcpy(first, here->J, sizeof *first * (size_t)(s->size * s->size));
  while (here->t < 1 && piece > shortest && result->pieces < most) {
    next->t = here->t + piece >= 1 ? 1 : here->t + piece;
    for (int i = 0; i < s->size; i++)
      next->x[i] = here->x[i] + (next->t - here->t) * here->slope[i];
    result->pieces++;
    if (correct(s, by, floor, start, next) ||
        !(dense_distance(&here->factors, next->J, 1, s->scale) < by->change)) {
      piece = (next->t - here->t) / 2;
      continue;
    }
    point *const passed = here;
    here = next;
    next = passed;
    piece = fminl(1.7L * piece, by->longest);
    result->margin = fminl(result->margin, 1 / dense_distance(&here->factors, first, 0, s->scale));
  }
  result->part = here->t;
  result->reaches = here->t >= 1;
  result->exhausted = !result->reaches && (result->pieces >= most || here->t <= 0);
  result->J = here->factors;
  memcpy(result->x, here->x, sizeof *here->x * (size_t)s->size);
}
