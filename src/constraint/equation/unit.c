/* See unit.h. */
#include "constraint/equation/unit.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "ground/expr/round_off.h"
#include "constraint/step/sizes.h"

static size_t larger(size_t a, const rattle__function *f) {
  const size_t b = f ? rattle__round_off_room(f) : 0;
  return a > b ? a : b;
}

rattle__unit *rattle__unit_create(rattle__context *context) {
  const rattle_problem *problem = context->problem;
  rattle__arena *arena = &context->arena;
  const size_t nz = 2 * (size_t)problem->n;
  rattle__unit *u = rattle__arena_take(arena, sizeof *u);
  if (!u) return NULL;
  size_t room = larger(0, problem->H);
  room = larger(room, problem->V);
  room = larger(room, problem->T);
  room = larger(room, problem->g);
  room = larger(room, problem->velocity);
  *u = (rattle__unit){.problem = problem};
  u->reach = rattle__arena_doubles(arena, nz);
  u->slope = rattle__arena_doubles(arena, nz);
  u->X = rattle__arena_doubles(arena, nz);
  u->own = rattle__arena_doubles(arena, nz);
  u->other = rattle__arena_doubles(arena, nz);
  u->bound = rattle__arena_doubles(arena, (size_t)problem->m);
  u->J = rattle__arena_doubles(arena, problem->g ? (size_t)problem->g->jac_nnz : 0);
  u->G = rattle__arena_doubles(arena, problem->g ? (size_t)problem->g->jac_nnz : 0);
  u->room = rattle__arena_take(
      arena, room + (problem->H->work + (problem->g ? problem->g->work : 0)) * sizeof(double));
  return arena->failed ? NULL : u;
}

/* X_H(z), and into slope what errors of z up to `reach` and rounding make of it. */
static int slopes(rattle__unit *u, const double *z, const double *reach) {
  const rattle_problem *problem = u->problem;
  const int n = problem->n;
  double *of_q = u->slope + n, *of_p = u->slope; /* the errors of H_q and H_p */
  int answer = problem->H->jacobian(problem->H, z, NULL, u->other, u->room);
  for (int c = 0; c < n; c++) {
    u->X[c] = u->other[n + c];
    u->X[n + c] = -u->other[c];
  }
  if (answer) return answer;
  if (!problem->V) {
    answer = rattle__round_off(problem->H, z, reach, NULL, u->other, u->room);
    memcpy(of_q, u->other, (size_t)n * sizeof(double));
    memcpy(of_p, u->other + n, (size_t)n * sizeof(double));
    return answer;
  }
  answer = rattle__round_off(problem->V, z, reach, NULL, of_q, u->room);
  if (problem->T && !answer)
    return rattle__round_off(problem->T, z + n, reach + n, NULL, of_p, u->room);
  for (int c = 0; c < n; c++) u->other[c] = reach[n + c] + DBL_EPSILON * fabs(z[n + c]);
  for (int c = 0; c < n && !answer; c++) of_p[c] = rattle__mass_reach(problem->mass, c, u->other);
  return answer;
}

/* reach += the rounding of h X_H(z), of a point that is known as well as its digits are */
static int add_slopes(rattle__unit *u, double h, const double *z) {
  const int nz = 2 * u->problem->n;
  for (int c = 0; c < nz; c++)
    u->own[c] = rattle__is_time(u->problem, c) ? 0 : DBL_EPSILON * fabs(z[c]);
  const int answer = slopes(u, z, u->own);
  for (int c = 0; c < nz; c++)
    if (!rattle__is_time(u->problem, c))
      u->reach[c] += fabs(h) * (u->slope[c] + DBL_EPSILON * fabs(u->X[c]));
  return answer;
}

/* reach += the rounding of corrections: they are as large as the way from z0 to z, and cancel where
 * a constraint holds a coordinate */
static void add_way(rattle__unit *u, const double *z0, const double *z) {
  const int n = u->problem->n;
  double way[2] = {0, 0};
  for (int c = 0; c < 2 * n; c++)
    if (!rattle__is_apart(u->problem, c)) way[c >= n] = fmax(way[c >= n], fabs(z[c] - z0[c]));
  for (int c = 0; c < 2 * n; c++) {
    const double moved = rattle__is_tally(u->problem, c) ? fabs(z[c] - z0[c])
                         : u->terms                      ? u->terms[c]
                                                         : way[c >= n];
    u->reach[c] = rattle__is_time(u->problem, c) ? 0 : u->reach[c] + DBL_EPSILON * moved;
  }
}

/* True if z1 is further from z0 than free motion, the sizes of variables, and the motion with the
 * slopes `later` lead; NULL: without those. X_H of z0 is in u->X. */
static int is_beyond(const rattle__unit *u, double h, const double *z0, const double *z1,
                     const double *later) {
  const int n = u->problem->n;
  double way[2] = {0, 0}, reason[2] = {0, 0};
  for (int c = 0; c < 2 * n; c++) {
    const int kind = c >= n;
    const double rate = later ? fabs(later[kind ? c - n : c + n]) : 0;
    if (rattle__is_apart(u->problem, c)) continue;
    way[kind] = fmax(way[kind], fabs(z1[c] - z0[c]));
    reason[kind] = fmax(reason[kind], fmax(RATTLE__RUN_AWAY * fabs(h * u->X[c]), fabs(z0[c])));
    if (isfinite(rate)) reason[kind] = fmax(reason[kind], RATTLE__RUN_AWAY * fabs(h) * rate);
  }
  return !(way[0] <= reason[0]) || !(way[1] <= reason[1]);
}

/* True if the iterate z1 of a step is further from z0 than motion leads: an iteration has run away,
 * and rounding is large there. Whatever rests at z0 has a rate where its momenta are h X_H on. */
static int ran_away(rattle__unit *u, double h, const double *z0, const double *z1) {
  const rattle__function *H = u->problem->H;
  const int nz = 2 * u->problem->n;
  if (!is_beyond(u, h, z0, z1, NULL)) return 0;
  for (int c = 0; c < nz; c++) u->own[c] = z0[c] + h * u->X[c];
  const int known = !H->jacobian(H, u->own, NULL, u->other, u->room);
  return is_beyond(u, h, z0, z1, known ? u->other : NULL);
}

rattle_status rattle__unit_of_step(rattle__unit *u, double h, const double *z0, const double *plus,
                                   const double *z1, rattle_error *error) {
  const int nz = 2 * u->problem->n;
  memset(u->reach, 0, (size_t)nz * sizeof(double));
  int answer = slopes(u, z0, u->reach);
  u->ran_away = answer || ran_away(u, h, z0, z1);
  if (u->ran_away) return rattle__answer(answer, "gradient", error);
  for (int c = 0; c < nz; c++)
    u->reach[c] = DBL_EPSILON * (fabs(z0[c]) + fabs(plus[c]) + fabs(z1[c]));
  add_way(u, z0, z1);
  answer = add_slopes(u, h, plus);
  if (!answer) answer = add_slopes(u, h, z1);
  return rattle__answer(answer, "gradient", error);
}

rattle_status rattle__unit_of_pull(rattle__unit *u, double h, const double *z1, const double *pull,
                                   rattle_error *error) {
  const rattle__function *g = u->problem->g;
  if (u->ran_away) return RATTLE_OK;
  const int answer = rattle__round_off(g, z1, u->reach, NULL, u->J, u->room);
  if (answer) return rattle__callback_error(answer, "constraint", error);
  for (int i = 0; i < g->rows; i++)
    for (int k = g->jac_ptr[i]; k < g->jac_ptr[i + 1]; k++)
      if (g->jac_col[k] < u->problem->n)
        u->reach[u->problem->n + g->jac_col[k]] += fabs(h) * pull[i] * u->J[k];
  return RATTLE_OK;
}

rattle_status rattle__unit_of_move(rattle__unit *u, const double *z0, const double *z,
                                   rattle_error *error) {
  const int nz = 2 * u->problem->n;
  for (int c = 0; c < nz; c++) u->reach[c] = DBL_EPSILON * (fabs(z0[c]) + fabs(z[c]));
  add_way(u, z0, z);
  return rattle__answer(slopes(u, z, u->reach), "gradient", error);
}

rattle_status rattle__unit_of_g(rattle__unit *u, const double *z, double *size,
                                rattle_error *error) {
  const rattle__function *g = u->problem->g;
  const int answer = rattle__round_off(g, z, u->reach, u->bound, NULL, u->room);
  if (answer) return rattle__callback_error(answer, "constraint", error);
  for (int i = 0; i < g->rows; i++) size[i] = fmax(size[i], u->bound[i]);
  return RATTLE_OK;
}

rattle_status rattle__unit_of_psi(rattle__unit *u, const double *z, double *size,
                                  rattle_error *error) {
  const rattle__function *g = u->problem->g;
  int answer = g->jacobian(g, z, u->bound, u->G, u->room);
  if (!answer) answer = rattle__round_off(g, z, u->reach, NULL, u->J, u->room);
  if (answer) return rattle__callback_error(answer, "constraint", error);
  for (int i = 0; i < g->rows; i++) {
    double sum = 0;
    for (int k = g->jac_ptr[i]; k < g->jac_ptr[i + 1]; k++) {
      const int c = g->jac_col[k];
      sum += fabs(u->G[k]) * (u->slope[c] + DBL_EPSILON * fabs(u->X[c])) + u->J[k] * fabs(u->X[c]);
    }
    size[i] = fmax(size[i], sum);
  }
  return RATTLE_OK;
}

void rattle__slope_round_off(const rattle_problem *problem, const double *S, const double *z,
                             double weight, double *unit) {
  const rattle__function *H = problem->H;
  int n = problem->n;
  for (int r = 0; r < 2 * n; r++) {
    double sum = 0;
    for (int e = H->hess_ptr[r]; e < H->hess_ptr[r + 1]; e++) sum += fabs(S[e] * z[H->hess_col[e]]);
    unit[r < n ? n + r : r - n] += fabs(weight) * sum;
  }
}
