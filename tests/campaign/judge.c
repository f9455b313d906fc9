/* The verdict on a step. See judge.h. */
#include "judge.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "general.h"
#include "natural.h"

/* A step with a larger margin has a solution beyond doubt, and so does a step that the branch
 * reaches this far beyond. */
static const double regular = 1e-3, nearly = 0.999;

static distance compare(const problem *pr, const truth *t, double h, const double *q0,
                        const double *q, const double *p) {
  long double dq = 0, dp = 0, q_error = 0, p_error = 0, way = 0, momentum = 0, mass = 0, energy = 0;
  for (int k = 0; k < pr->n; k++) {
    if (!isfinite(q[k]) || !isfinite(p[k])) return (distance){INFINITY, INFINITY, INFINITY};
    if (general_is_time(pr, k)) { /* t itself is exact */
      energy =
          fabsl(p[k] - t->p[k]) / (fabsl(t->p[k]) + general_size(pr, pr->n + k) + t->p_error[k]);
      continue;
    }
    dq = fmaxl(dq, fabsl(q[k] - t->q[k]));
    dp = fmaxl(dp, fabsl(p[k] - t->p[k]));
    q_error = fmaxl(q_error, t->q_error[k]);
    p_error = fmaxl(p_error, t->p_error[k]);
    way = fmaxl(way, fabsl(t->q[k] - q0[k]));
    momentum = fmaxl(momentum, fabsl(t->p[k]));
    mass = fmaxl(mass, pr->diagonal ? pr->mass[k] : pr->unit.mass);
  }
  momentum += mass * way / fabsl(h);
  const long double error = fmaxl(dq / q_error, dp / p_error);
  return (distance){(double)error,
                    (double)fmaxl(energy, fmaxl(dq / (way + q_error), dp / (momentum + p_error))),
                    0};
}

long double judge_part(const problem *pr, const long double *q, formula_work *work) {
  long double z[FORMULA_VARIABLES] = {0};
  memcpy(z, q, sizeof *q * (size_t)pr->n);
  formula_evaluate(&pr->f, z, FORMULA_PART, work);
  return formula_read(&pr->f, &pr->part, work, NULL, NULL);
}

static void find_truth(const problem *pr, const attempt *made, double h, int strict,
                       formula_work *work, truth *t) {
  long double q[PAIRS], p[PAIRS];
  for (int k = 0; k < pr->n; k++) {
    q[k] = made->q0[k];
    p[k] = made->p0[k];
  }
  const step from = {pr, h, q, p, strict, work};
  truth_of(&from, pr->method, t);
}

/* True if the displacement grows in proportion to the step, to within a fifth: (z(-h) - z0) =
 * -(z(h) - z0) and (z(2h) - z0) = 2 (z(h) - z0). */
static int straight(const problem *pr, const attempt *made, const truth *back, const truth *once,
                    const truth *twice) {
  long double way = 0, bend = 0;
  for (int k = 0; k < 2 * pr->n; k++) {
    const int i = k % pr->n;
    const long double z0 = k < pr->n ? made->q0[i] : made->p0[i], size = general_size(pr, k);
    const long double a = ((k < pr->n ? back->q[i] : back->p[i]) - z0) / size,
                      b = ((k < pr->n ? once->q[i] : once->p[i]) - z0) / size;
    const long double c = ((k < pr->n ? twice->q[i] : twice->p[i]) - z0) / size;
    way = fmaxl(way, fabsl(b));
    bend = fmaxl(bend, fmaxl(fabsl(a + b), fabsl(c - 2 * b) / 2));
  }
  return bend < 0.2L * way;
}

/* True if a step ended on another part of the manifold, for problems with a function that tells
 * parts apart. */
static int changed_part(const problem *pr, const attempt *made, formula_work *work) {
  long double q0[PAIRS], q1[PAIRS];
  if (!made->taken || !pr->has_part) return 0;
  for (int k = 0; k < pr->n; k++) {
    q0[k] = made->q0[k];
    q1[k] = made->q[k];
  }
  return !(judge_part(pr, q0, work) * judge_part(pr, q1, work) > 0);
}

/* A method without equations here: if steps of a map of order 2, this long, twice as long and back,
 * all exist with matrices that hardly change, a short step may not fail; if they also go straight
 * on, it may not end far from that map's. multistep4 ends where its own recurrence is unstable. */
static outcome judge_loosely(const problem *pr, const attempt *made, formula_work *work, truth *t,
                             distance *apart) {
  truth back, twice;
  find_truth(pr, made, -pr->h, !made->taken, work, &back);
  find_truth(pr, made, 2 * pr->h, !made->taken, work, &twice);
  find_truth(pr, made, pr->h, !made->taken, work, t);
  const int easy = back.reaches && back.margin > 0.8 && twice.reaches && twice.margin > 0.8;
  if (!made->taken && made->status == RATTLE_NOT_CONVERGED &&
      !strcmp(pr->method->text, "multistep4") &&
      truth_multistep_diverges(pr, made->first_q, made->first_p, made->before, work))
    return WITH_CAUSE;
  if (!made->taken)
    return !t->reaches                                 ? WITH_CAUSE
           : easy && fabs(pr->h) < 0.2 * pr->unit.time ? WITHOUT_CAUSE
                                                       : BORDERLINE;
  if (!t->reaches || !easy || !straight(pr, made, &back, t, &twice)) return RIGHT;
  long double off = 0, way = 0;
  for (int k = 0; k < pr->n; k++) {
    off = fmaxl(off, fabsl(made->q[k] - t->q[k]));
    way = fmaxl(way, fabsl(t->q[k] - made->q0[k]));
  }
  if (!(off > 0.5L * way && off > 0.02L * pr->unit.length)) return RIGHT;
  *apart = compare(pr, t, pr->h, made->q0, made->q, made->p);
  return GONE_OVER;
}

/* A solver that sweeps over the constraints one by one may refuse if all its sweeps together reduce
 * the error by less than the digits there are, and cannot decide if a gradient turned far; of long
 * steps it promises nothing. */
static outcome judge_sweeps(const problem *pr, const attempt *made, double margin,
                            formula_work *work) {
  enum { sweeps = 10000 }; /* at most, of solver=sweep */
  long double q[PAIRS];
  for (int k = 0; k < pr->n; k++) q[k] = made->q0[k];
  if (made->status == RATTLE_DEGENERATE || margin < 0.5) return BORDERLINE;
  return pow(natural_sweep_rate(pr, q, work), sweeps) > DBL_EPSILON ? WITH_CAUSE : WITHOUT_CAUSE;
}

/* How many eigenvalues of the symmetric part of N = {{H,g_i},g_j} at z are negative: signs of
 * pivots, by Sylvester. */
static int negative_eigenvalues(const problem *pr, const long double *q, const long double *p,
                                formula_work *work) {
  const int m = pr->m;
  long double z[ENTRIES], N[CONSTRAINTS * CONSTRAINTS];
  for (int k = 0; k < pr->n; k++) {
    z[k] = q[k];
    z[pr->n + k] = p[k];
  }
  general_matrix(pr, z, work, N);
  int count = 0;
  for (int k = 0; k < m; k++) {
    count += N[k * m + k] < 0;
    for (int i = k + 1; i < m; i++)
      for (int j = k + 1; j < m; j++) N[i * m + j] -= N[i * m + k] * N[k * m + j] / N[k * m + k];
  }
  return count;
}

/* True if a step from q0, p0 to the truth passes points at which N is singular: the map may have a
 * solution beyond them, the motion has none. */
static int passes_degenerate(const problem *pr, const attempt *made, const truth *t,
                             formula_work *work) {
  long double q[PAIRS], p[PAIRS];
  if (pr->natural || pr->second_class) return 0;
  for (int k = 0; k < pr->n; k++) {
    q[k] = made->q0[k];
    p[k] = made->p0[k];
  }
  return negative_eigenvalues(pr, q, p, work) != negative_eigenvalues(pr, t->q, t->p, work);
}

/* The sum of the sizes of the terms of (W p)_k, which cancel if W is full: velocities of natural
 * problems, and through them positions. */
static long double terms_of(const problem *pr, const long double *p, int k) {
  long double sum = 0;
  for (int j = 0; j < pr->n && pr->natural && !pr->diagonal; j++)
    sum += fabsl(pr->W[k * pr->n + j] * p[j]);
  return sum;
}

double judge_residual(const problem *pr, const double *q0, const double *q, const double *p,
                      formula_work *work) {
  const int n = pr->n;
  long double z[ENTRIES], way[PAIRS], psi[CONSTRAINTS], terms[CONSTRAINTS], most = 0;
  general_point at;
  for (int k = 0; k < n; k++) {
    z[k] = q[k];
    z[n + k] = p[k];
    way[k] = (q[k] - q0[k]) / (pr->natural && !pr->diagonal ? pr->W[k * n + k] : 1);
  }
  general_evaluate(pr, z, FORMULA_H | FORMULA_G, work, &at);
  general_hidden(pr, &at, psi, terms);
  for (int i = 0; i < pr->m; i++) {
    long double unit = at.error[i];
    for (int k = 0; k < 2 * n; k++)
      unit += fabsl(at.dg[i * 2 * n + k]) * (fabsl(z[k]) + general_size(pr, k));
    for (int k = 0; k < n; k++) {
      unit += fabsl(at.dg[i * 2 * n + k]) * terms_of(pr, way, k);
      terms[i] += fabsl(at.dg[i * 2 * n + k]) * terms_of(pr, z + n, k);
    }
    most = fmaxl(most, fabsl(at.g[i]) / unit);
    if (pr->method->form != SHAKE_STEP && !pr->second_class)
      most = fmaxl(most, fabsl(psi[i]) / (terms[i] + unit / pr->unit.time));
  }
  return (double)(most / DBL_EPSILON);
}

outcome judge(const problem *pr, const attempt *made, formula_work *work, truth *t,
              distance *apart) {
  *apart = (distance){0, 0, 0};
  if (changed_part(pr, made, work)) {
    *t = (truth){0};
    return GONE_OVER;
  }
  if (pr->method->form == LOOSE) return judge_loosely(pr, made, work, t, apart);
  for (int strict = !made->taken; strict < 2; strict++) {
    find_truth(pr, made, pr->h, strict, work, t);
    *apart =
        (distance){0, 0, made->taken ? judge_residual(pr, made->q0, made->q, made->p, work) : 0};
    if (t->exhausted) return BORDERLINE;
    if (!made->taken && t->reaches && pr->method->sweeps)
      return judge_sweeps(pr, made, t->margin, work);
    if (!made->taken && t->reaches && passes_degenerate(pr, made, t, work)) return WITH_CAUSE;
    if (!made->taken && t->reaches) return t->margin > regular ? WITHOUT_CAUSE : BORDERLINE;
    if (!made->taken) return t->part > nearly ? BORDERLINE : WITH_CAUSE;
    if (t->reaches) {
      const distance found = compare(pr, t, pr->h, made->q0, made->q, made->p);
      apart->units = found.units;
      apart->moved = found.moved;
      if (apart->residual > judge_round_off) return INEXACT;
      if (apart->units < 1000 || apart->moved < 1e-9) return RIGHT;
      if (strict) return apart->moved < 1e-4 || apart->units < 1e5 ? INEXACT : GONE_OVER;
    } else if (strict) {
      return t->part > nearly ? BORDERLINE : GONE_OVER;
    }
  }
  return RIGHT;
}
