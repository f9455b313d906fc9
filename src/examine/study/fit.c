/* Least squares with uncertainty (fit.h).
 *
 * Symbols: points (x_i, y_i) of weight w_i; columns 1, u and x; x' the part of x that is orthogonal
 * to 1 and u. The slope is <x', y>/<x', x'>, with the standard error s/|x'|, s^2 = weighted sum of
 * squared residuals over the degrees of freedom.
 *
 * The residuals of a convergence table are the later terms of an expansion more than noise. The
 * next one is fitted along, as u = h^next: log(value) = log C + slope log h + a h^next. The
 * interval then says how well an expansion that begins so describes the points. */
#include "examine/study/fit.h"

#include <math.h>
#include <stdlib.h>

enum { LEAST = 4, LEAST_FOR_CORRECTION = 5 };
/* a local slope below this is not convergence: the values have reached their floor */
static const double flat = 0.5;
/* from a floor that was met so, only values so many times above it are used */
static const double above_plateau = 4;
/* values up to so many times the least one may be round-off; above, values that rise have other
 * reasons */
static const double near_least = 100;
/* a correction of more than this factor (of e) over the points used is rejected */
static const double most_correction = 1;
/* points are taken to follow the expansion to this much, whatever their noise */
static const double rough = 2e-3;

double rattle__student(int freedom) {
  static const double table[] = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365,
                                 2.306,  2.262, 2.228, 2.201, 2.179, 2.160, 2.145,
                                 2.131,  2.120, 2.110, 2.101, 2.093, 2.086};
  if (freedom < 1) return (double)INFINITY;
  if (freedom <= (int)(sizeof table / sizeof *table)) return table[freedom - 1];
  return 1.96 + 2.5 / freedom;
}

/* Points with weights and a further column u; u NULL: none. */
typedef struct sample {
  int count;
  const double *x, *y, *w, *u;
} sample;

static double dot(const sample *s, const double *a, const double *b) {
  double sum = 0;
  for (int i = 0; i < s->count; i++) sum += s->w[i] * a[i] * b[i];
  return sum;
}

/* to[] = column less its parts along the orthogonal columns before it; several passes for
 * round-off */
static void orthogonalise(const sample *s, const double *column, double *const *before, int columns,
                          double *to) {
  for (int i = 0; i < s->count; i++) to[i] = column[i];
  for (int pass = 0; pass < 2; pass++)
    for (int c = 0; c < columns; c++) {
      double size = dot(s, before[c], before[c]),
             part = size > 0 ? dot(s, to, before[c]) / size : 0;
      for (int i = 0; i < s->count; i++) to[i] -= part * before[c][i];
    }
}

/* room [4*count]. *correction: what u makes of y from the first point to the last. */
static rattle__fit regress(const sample *s, double *room, double *correction) {
  const double nan = (double)NAN;
  rattle__fit fit = {
      .slope = nan, .intercept = nan, .uncertainty = nan, .deviation = nan, .points = s->count};
  size_t count = (size_t)s->count;
  double *column[3] = {room, room + count, room + 2 * count}, *rest = room + 3 * count;
  int columns = 1;
  for (size_t i = 0; i < count; i++) column[0][i] = 1;
  if (s->u) orthogonalise(s, s->u, column, 1, column[1]), columns = 2;
  orthogonalise(s, s->x, column, columns, column[columns]);
  double size = dot(s, column[columns], column[columns]);
  if (s->count < 2 || !(size > 1e-20 * dot(s, s->x, s->x))) return fit;
  fit.slope = dot(s, column[columns], s->y) / size;
  orthogonalise(s, s->y, column, columns + 1, rest);
  double squares = dot(s, rest, rest), weight = dot(s, column[0], column[0]);
  int freedom = s->count - columns - 1;
  fit.deviation = sqrt(squares / weight);
  fit.uncertainty =
      freedom > 0 ? rattle__student(freedom) * sqrt(squares / freedom / size) : (double)INFINITY;
  *correction = 0;
  if (s->u && dot(s, column[1], column[1]) > 0) {
    /* of y less the slope, on u */
    for (size_t i = 0; i < count; i++) rest[i] = s->y[i] - fit.slope * s->x[i];
    *correction =
        dot(s, column[1], rest) / dot(s, column[1], column[1]) * (s->u[0] - s->u[count - 1]);
  }
  if (!s->u)
    fit.intercept = (dot(s, column[0], s->y) - fit.slope * dot(s, column[0], s->x)) / weight;
  return fit;
}

rattle__fit rattle__fit_line(int count, const double *x, const double *y) {
  double *room = malloc((5 * (size_t)count + 1) * sizeof *room), *w = room + 4 * count, none;
  rattle__fit fit = {.slope = (double)NAN,
                     .intercept = (double)NAN,
                     .uncertainty = (double)NAN,
                     .deviation = (double)NAN};
  if (!room || count < 1) return free(room), fit;
  for (int i = 0; i < count; i++) w[i] = 1;
  fit = regress(&(sample){count, x, y, w, NULL}, room, &none);
  free(room);
  return fit;
}

static int usable(const rattle__power *p, int k) {
  return isfinite(p->value[k]) && p->value[k] > 0 && p->value[k] > p->floor[k] &&
         p->value[k] <= p->top;
}

/* True if values fall from point k - 1 to k as converging values do. */
static int falls(const rattle__power *p, int k) {
  return log(p->value[k - 1] / p->value[k]) >= flat * log(fabs(p->h[k - 1] / p->h[k]));
}

/* Round-off seen in the values themselves: the largest value near the least one that comes after a
 * smaller value. 0: none seen. */
static double turmoil(const rattle__power *p) {
  double least = (double)INFINITY, so_far = (double)INFINITY, found = 0;
  for (int k = 0; k < p->count; k++)
    if (usable(p, k)) least = fmin(least, p->value[k]);
  for (int k = 0; k < p->count; k++) {
    if (!usable(p, k)) continue;
    if (p->value[k] > so_far && p->value[k] <= near_least * least) found = fmax(found, p->value[k]);
    so_far = fmin(so_far, p->value[k]);
  }
  return found;
}

/* The finest unbroken run of usable points whose values fall: [*first, *last]; 0 if there is none.
 * *plateau: the largest value where finer points have stopped falling, 0 if none has. */
static int finest_run(const rattle__power *p, int *first, int *last, double *plateau) {
  *plateau = turmoil(p);
  for (*last = p->count - 1; *last > 0; --*last) {
    int k = *last;
    if (usable(p, k) && p->value[k] > above_plateau * *plateau &&
        (!usable(p, k - 1) || falls(p, k)))
      break;
    if (p->value[k] > *plateau && p->value[k] <= p->top && usable(p, k - 1) && !falls(p, k))
      *plateau = p->value[k];
  }
  if (!usable(p, *last)) return 0;
  for (*first = *last; *first > 0 && usable(p, *first - 1); --*first) {
  }
  return 1;
}

rattle__fit rattle__fit_power(const rattle__power *p) {
  rattle__fit best = rattle__fit_line(0, NULL, NULL);
  double plateau;
  int first, last;
  if (p->count < 1 || !finest_run(p, &first, &last, &plateau)) return best;
  int length = last - first + 1;
  double *room = malloc(8 * (size_t)length * sizeof *room);
  if (!room) return best.points = -1, best;
  double *x = room + 4 * length, *y = x + length, *w = y + length, *u = w + length;
  for (int i = 0; i < length; i++) {
    int k = first + i;
    double noise = fmax(p->floor[k] / RATTLE__MARGIN, plateau / 2) / p->value[k];
    x[i] = log(fabs(p->h[k]));
    y[i] = log(p->value[k]);
    w[i] = 1 / (1 + noise * noise / (rough * rough));
    u[i] = pow(fabs(p->h[k] / p->h[first]), p->next);
  }
  for (int points = length < LEAST ? length : LEAST; points <= length; points++) {
    int skip = length - points;
    sample s = {points, x + skip, y + skip, w + skip,
                points >= LEAST_FOR_CORRECTION ? u + skip : NULL};
    double correction = 0;
    rattle__fit fit = regress(&s, room, &correction);
    fit.first = first + skip;
    if (fabs(correction) > most_correction) continue;
    if (best.points == 0 || fit.uncertainty < best.uncertainty) best = fit;
  }
  free(room);
  return best;
}
