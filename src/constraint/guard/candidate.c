/* Candidates for the end of a curve. See candidate.h. */
#include "constraint/guard/candidate.h"

#include <float.h>
#include <math.h>
#include <string.h>

void rattle__candidate_lay_out(rattle__candidate *c, rattle__curve *curve, double *block) {
  const size_t m = (size_t)curve->m;
  c->curve = curve, c->given = block, c->found = c->given + m, c->root = c->found + m;
  c->known = c->root + m, c->scratch = c->known + m;
}

int rattle__candidate_lies_in(int n, const rattle__ball *end, const double *point) {
  for (int k = 0; k < n; k++)
    if (!(fabs(point[k] - end[k].at) <= end[k].by)) return 0;
  return 1;
}

void rattle__candidate_set(rattle__candidate *c, const double *x1) {
  rattle__curve_multipliers(c->curve, x1, c->given);
  memcpy(c->found, c->given, (size_t)c->curve->m * sizeof *c->given);
  rattle__track_correct(c->curve, c->found, c->scratch);
}

int rattle__candidate_is_end(rattle__candidate *c, int nearer) {
  for (int i = 0; i < c->curve->m; i++) {
    double off = fabs(c->given[i] - c->root[i]);
    if (nearer) off = fmax(off, fabs(c->found[i] - c->root[i]));
    c->given[i] = rattle__ball_bound(c->known[i] + rattle__ball_bound(off));
  }
  return rattle__track_holds(c->curve, c->root, c->given, c->scratch);
}

int rattle__candidate_is_elsewhere(rattle__candidate *c) {
  for (int i = 0; i < c->curve->m; i++)
    c->given[i] = rattle__ball_bound(fabs(c->given[i] - c->found[i]));
  return rattle__track_holds(c->curve, c->found, c->given, c->scratch) &&
         rattle__track_refutes(c->curve, c->found, c->root, c->known, c->scratch);
}

int rattle__candidate_is_another(int n, int clock, const double *q0, const double *q1, double off) {
  double way = 0, size = 0;
  for (int k = 0; k < n; k++) {
    if (k + 1 == clock) continue;
    way = fmax(way, fabs(q1[k] - q0[k]));
    size = fmax(size, fmax(fabs(q0[k]), fabs(q1[k])));
  }
  way = fmax(way, sqrt(DBL_EPSILON) * size);
  return !(off <= sqrt(DBL_EPSILON * size) * sqrt(way));
}
