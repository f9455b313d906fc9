/* Certified continuation. See track.h. */
#include "constraint/guard/track.h"

#include <math.h>
#include <string.h>

typedef struct state {
  rattle__curve *curve;
  int m;
  double t, *root, *known; /* the root at t, and how far it may be off */
  double to;               /* where pieces lead; no slope is needed there */
  double *slope, *next, *delta, *c;
} state;

/* The largest |x_i|, NaN if there is a NaN. */
static double size_of(int m, const double *x) {
  double most = 0;
  for (int i = 0; i < m; i++)
    if (!(fabs(x[i]) <= most)) most = fabs(x[i]);
  return most;
}

/* next: an approximation at t2, by the slope and Newton's iteration as long as that converges. Any
 * will do: the test judges it. */
static void approximate(state *s, double t2) {
  for (int i = 0; i < s->m; i++) s->next[i] = s->root[i] + (t2 - s->t) * s->slope[i];
  double before = INFINITY;
  for (int k = 0; k < 12; k++) {
    s->curve->kind->correction(s->curve, t2, s->next, s->delta);
    const double size = size_of(s->m, s->delta);
    if (!(size <= 0.5 * before)) return;
    for (int i = 0; i < s->m; i++) s->next[i] += s->delta[i];
    if (size <= 0x1p-53 * size_of(s->m, s->next)) return;
    before = size;
  }
}

/* True if the piece from the root to (end, t2) is proved: along the cubic with the slopes of the
 * curve at both ends. */
static int prove(state *s, double t2, const double *end) {
  const int m = s->m;
  const double way = t2 - s->t;
  s->curve->kind->slope(s->curve, t2, end, s->delta);
  for (int i = 0; i < m; i++) {
    const double d = end[i] - s->root[i], first = way * s->slope[i], last = way * s->delta[i];
    s->c[i] = s->root[i], s->c[m + i] = first;
    s->c[2 * m + i] = 3 * d - 2 * first - last, s->c[3 * m + i] = first + last - 2 * d;
  }
  return s->curve->kind->prove(s->curve, t2, s->c, s->known);
}

/* Pieces begin at the root. */
static void start(state *s) {
  s->curve->kind->start(s->curve, s->t, s->root, s->known, s->slope);
}

/* delta: how far x may be from c(1) of a piece that was proved. */
static void find_distance(state *s, const double *x) {
  s->curve->kind->distance(s->curve, s->c, 4, x, s->delta);
}

static void arrive(state *s, double t2, const double *end) {
  find_distance(s, end);
  for (int i = 0; i < s->m; i++) {
    s->known[i] = rattle__ball_bound(s->curve->end[i] + s->delta[i]);
    s->root[i] = end[i];
  }
  s->t = t2;
  if (t2 != s->to) start(s);
}

/* The root where the last piece ended anew, by Newton's iteration: a long piece may leave it known
 * to no more than the piece's own box, and the next box must hold that. A piece of no length proves
 * how near it is. */
static void tighten(state *s) {
  start(s); /* once more from here: with another frame, where kinds have several */
  approximate(s, s->t);
  s->curve->kind->distance(s->curve, s->root, 1, s->next, s->delta);
  for (int i = 0; i < s->m; i++) {
    s->known[i] = rattle__ball_bound(s->known[i] + s->delta[i]);
    s->root[i] = s->next[i];
  }
  start(s);
  if (prove(s, s->t, s->root)) arrive(s, s->t, s->root);
}

/* True if the candidate is in the box at the end of the last piece: then its root is that of the
 * curve. */
static int in_box(state *s, const double *candidate) {
  int in = 1;
  find_distance(s, candidate);
  for (int i = 0; i < s->m; i++) in &= s->delta[i] <= s->curve->r[i];
  return in;
}

/* One piece to t2. */
static int take_piece(state *s, double t2) {
  approximate(s, t2);
  const int proved = prove(s, t2, s->next);
  if (proved) arrive(s, t2, s->next);
  return proved;
}

/* The same to t = 1, where the candidate may be the end; *right: it is in the box there. */
static int take_last_piece(state *s, const double *candidate, int *right) {
  if (prove(s, 1, candidate)) {
    arrive(s, 1, candidate);
    return *right = 1;
  }
  approximate(s, 1);
  if (!prove(s, 1, s->next)) return 0;
  *right = in_box(s, candidate);
  arrive(s, 1, s->next);
  return 1;
}

/* On to t = 1 from below, where there is a candidate, or to t = 0; the pieces that were proved. */
static int follow(state *s, double to, const double *candidate, int *right) {
  double way = fabs(to - s->t);
  int pieces = 0, in_turn = 0; /* in_turn: proved one after the other */
  s->to = to;
  start(s);
  for (int tried = 0; tried < RATTLE__TRACK_MOST && s->t != to; tried++) {
    const double rest = fabs(to - s->t), t2 = way >= rest ? to : s->t + copysign(way, to - s->t);
    if (t2 == s->t) break;
    way = fabs(t2 - s->t);
    const int proved =
        candidate && t2 == to ? take_last_piece(s, candidate, right) : take_piece(s, t2);
    if (!proved && in_turn) tighten(s);
    pieces += proved;
    in_turn = proved ? in_turn + 1 : 0;
    way = !proved ? way / 2 : in_turn > 1 ? 2 * way : way;
  }
  return pieces;
}

/* True if the curve through the candidate leads back to another root at t = 0 than s = 0: curves of
 * regular roots do not meet, so that the curve from s = 0 does not lead to the candidate. */
static int comes_from_elsewhere(state *s, const double *candidate) {
  memcpy(s->root, candidate, (size_t)s->m * sizeof *s->root);
  memset(s->known, 0, (size_t)s->m * sizeof *s->known);
  s->t = 1;
  follow(s, 0, NULL, NULL);
  return s->t == 0 && s->curve->kind->is_apart(s->curve, s->root, s->known);
}

static state state_of(rattle__curve *curve, double *root, double *end, double *scratch) {
  const int m = curve->m;
  state s = {.curve = curve, .m = m, .root = root, .known = end};
  s.slope = scratch, s.next = s.slope + m, s.delta = s.next + m, s.c = s.delta + m;
  return s;
}

void rattle__track_correct(rattle__curve *curve, double *root, double *scratch) {
  state s = state_of(curve, root, NULL, scratch);
  s.t = 1;
  curve->kind->start(curve, 1, root, NULL, s.slope);
  approximate(&s, 1);
  memcpy(root, s.next, (size_t)s.m * sizeof *root);
}

int rattle__track_holds(rattle__curve *curve, const double *root, const double *known,
                        double *scratch) {
  const size_t m = (size_t)curve->m;
  const state s = state_of(curve, NULL, NULL, scratch);
  memcpy(s.c, root, m * sizeof *root);
  memset(s.c + m, 0, 3 * m * sizeof *root);
  curve->kind->start(curve, 1, root, NULL, s.slope);
  return curve->kind->prove(curve, 1, s.c, known);
}

int rattle__track_refutes(rattle__curve *curve, const double *candidate, double *root, double *end,
                          double *scratch) {
  state s = state_of(curve, root, end, scratch);
  return comes_from_elsewhere(&s, candidate);
}

rattle__tracked rattle__track(rattle__curve *curve, const double *candidate, double *root,
                              double *end, double *scratch) {
  const int m = curve->m;
  state s = state_of(curve, root, end, scratch);
  memset(root, 0, (size_t)m * sizeof *root);
  memset(end, 0, (size_t)m * sizeof *end);
  int right = 0;
  rattle__tracked result = {.answer = RATTLE__TRACK_OPEN, .row = -1};
  result.pieces = follow(&s, 1, candidate, &right);
  result.reached = s.t;
  if (s.t != 1)
    result.row = curve->row, result.margin = curve->margin,
    result.smallest = curve->kind->smallest(curve);
  if (s.t == 1)
    result.answer = right || !candidate ? RATTLE__TRACK_RIGHT : RATTLE__TRACK_OTHER;
  else if (candidate && comes_from_elsewhere(&s, candidate))
    result.answer = RATTLE__TRACK_OTHER;
  return result;
}
