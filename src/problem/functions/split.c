/* The involutive half of second-class constraints, block by block.
 *
 * Blocks   constraints connected by brackets that do not vanish identically
 * Search   all halves S of a block whose brackets with each other vanish on g = 0 and also on {g_i
 *          = 0, i in S}, at points near
 * it. The best has straight fibres (no coordinate together with its own momentum), then the largest
 * smallest singular value of D */
#include "problem/functions/split.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ground/support/error.h"
#include "problem/functions/survey.h"

enum { BLOCK_MOST = 12 };

typedef struct half_search {
  rattle__survey *survey;
  int size, *row;         /* the block */
  int *all;               /* [m] every row */
  double *bracket, *near; /* [m*m] the largest |C_ij| on g = 0, and off it, relative to the largest
                           * that counts as 0 */
  double *first;          /* [m*m] C at the first point, scaled */
  double *D, *z;          /* scratch [m*m], [2n] */
  unsigned *used;         /* [n] scratch: 1 coordinate, 2 momentum */
} half_search;

void rattle__halves_destroy(rattle__halves **split) {
  if (!split || !*split) return;
  free((*split)->phi);
  free((*split)->psi);
  free((*split)->first);
  free((*split)->z);
  free(*split);
  *split = NULL;
}

void rattle__halves_brackets(const rattle__halves *split, const rattle__function *g, int n,
                             const double *J, double *room, double *D, double *norm) {
  int k = split->k;
  for (int i = 0; i < g->rows; i++) {
    double sum = 0;
    for (int e = g->jac_ptr[i]; e < g->jac_ptr[i + 1]; e++) sum += J[e] * J[e];
    norm[i] = sqrt(sum);
  }
  memset(room, 0, 2 * (size_t)n * sizeof *room);
  for (int j = 0; j < k; j++) {
    int phi = split->phi[j];
    for (int e = g->jac_ptr[phi]; e < g->jac_ptr[phi + 1]; e++) {
      int c = g->jac_col[e];
      room[c < n ? n + c : c - n] = c < n ? -J[e] : J[e];
    }
    for (int l = 0; l < k; l++) { /* {psi,phi} = psi' X_phi */
      double sum = 0;
      for (int e = g->jac_ptr[split->psi[l]]; e < g->jac_ptr[split->psi[l] + 1]; e++)
        sum += J[e] * room[g->jac_col[e]];
      D[l * k + j] = sum;
    }
    for (int e = g->jac_ptr[phi]; e < g->jac_ptr[phi + 1]; e++) {
      int c = g->jac_col[e];
      room[c < n ? n + c : c - n] = 0;
    }
  }
}

/* True if no pair has both of its variables in the rows of S. */
static int straight(half_search *s, const int *rows, int count) {
  const rattle__function *g = s->survey->problem->g;
  int n = s->survey->n, yes = 1;
  memset(s->used, 0, (size_t)n * sizeof *s->used);
  for (int i = 0; i < count; i++)
    for (int e = g->jac_ptr[rows[i]]; e < g->jac_ptr[rows[i] + 1]; e++)
      s->used[g->jac_col[e] % n] |= g->jac_col[e] < n ? 1U : 2U;
  for (int k = 0; k < n; k++) yes &= s->used[k] != 3;
  return yes;
}

/* z <- a point near point t */
static rattle_status near(half_search *s, int t, rattle_error *error) {
  memcpy(s->z, s->survey->point[t % s->survey->points], 2 * (size_t)s->survey->n * sizeof *s->z);
  return rattle__survey_shake(s->survey, 0.1, s->z, error);
}

/* *yes: {g_i,g_j} = 0 for i, j in S on {g_i = 0, i in S}, near g = 0. Points that the projection
 * does not reach are not used. */
static rattle_status involutive(half_search *s, const int *rows, int count, int *yes,
                                rattle_error *error) {
  rattle__survey *survey = s->survey;
  rattle_status status = RATTLE_OK;
  *yes = 1;
  for (int t = 0; t < 2 * RATTLE__SURVEY_POINTS && *yes && count > 1 && !status; t++) {
    int found = 0;
    status = near(s, t, error);
    if (!status) status = rattle__survey_project(survey, rows, count, s->z, &found, error);
    found &= rattle__survey_is_tame(survey);
    if (!status && found) status = rattle__survey_at(survey, s->z, rows, count, error);
    for (int i = 0; i < count && found && !status; i++)
      for (int j = 0; j < i; j++) *yes &= rattle__survey_size_of(survey, rows[i], rows[j]) <= 1;
  }
  return status;
}

/* Smallest singular value of D between S and its complement at the first point. */
static rattle_status worth(half_search *s, const int *phi, const int *psi, int count,
                           double *smallest, rattle_error *error) {
  for (int l = 0; l < count; l++)
    for (int j = 0; j < count; j++) s->D[l * count + j] = s->first[psi[l] * s->survey->m + phi[j]];
  return rattle__survey_smallest(count, s->D, smallest, error);
}

/* The rows of the block in `set` to phi, the others to psi; whether brackets within phi vanish on g
 * = 0. */
static int divide(const half_search *s, unsigned set, int *phi, int *psi) {
  int a = 0, b = 0, commute = 1;
  for (int i = 0; i < s->size; i++) {
    if (set >> i & 1)
      phi[a++] = s->row[i];
    else
      psi[b++] = s->row[i];
  }
  for (int i = 0; i < a; i++)
    for (int j = 0; j < i; j++) commute &= s->bracket[phi[i] * s->survey->m + phi[j]] <= 1;
  return commute;
}

static int bits(unsigned set) {
  int count = 0;
  for (; set; set &= set - 1) count++;
  return count;
}

/* The best half of the block into phi, psi [size/2]; *found = 0 if there is none. */
static rattle_status best_half(half_search *s, int *phi, int *psi, int *found,
                               rattle_error *error) {
  rattle_status status = RATTLE_OK;
  double best = -1;
  unsigned chosen = 0;
  int half = s->size / 2;
  for (unsigned set = 0; s->size <= BLOCK_MOST && set < 1U << s->size && !status; set++) {
    double smallest = 0;
    int yes;
    if (bits(set) != half || !divide(s, set, phi, psi)) continue;
    status = worth(s, phi, psi, half, &smallest, error);
    if (straight(s, phi, half))
      smallest +=
          s->size; /* as entries are at most 1, so is no singular value: straight ones come first */
    if (status || smallest <= best) continue;
    status = involutive(s, phi, half, &yes, error);
    if (!yes) continue;
    best = smallest;
    chosen = set;
  }
  *found = best >= 0;
  if (*found) (void)divide(s, chosen, phi, psi);
  return status;
}

/* most <- the larger of it and the sizes of brackets at z, a point of g = 0 if count is m. */
static rattle_status widen(half_search *s, const double *z, int count, double *most,
                           rattle_error *error) {
  rattle__survey *survey = s->survey;
  const int m = survey->m;
  rattle_status status = rattle__survey_at(survey, z, s->all, count, error);
  for (int e = 0; e < m * m && !status; e++)
    most[e] = fmax(most[e], rattle__survey_size_of(survey, e / m, e % m));
  return status;
}

/* The largest brackets over the points, and over points near them, off g = 0. */
static rattle_status largest_brackets(half_search *s, rattle_error *error) {
  rattle__survey *survey = s->survey;
  const int m = survey->m;
  rattle_status status = RATTLE_OK;
  for (int t = 0; t < survey->points && !status; t++) {
    int rank;
    status = widen(s, survey->point[t], m, s->bracket, error);
    if (!status && !t) status = rattle__survey_rank(survey, &rank, error);
    if (!status && !t) memcpy(s->first, survey->scaled, (size_t)(m * m) * sizeof *s->first);
    if (!status) status = near(s, t, error);
    if (!status) status = widen(s, s->z, 0, s->near, error);
  }
  return status;
}

/* The rows connected with `row` by brackets, ascending, marked in `taken`. */
static void gather_block(half_search *s, int row, unsigned char *taken) {
  int m = s->survey->m, grown = 1;
  s->size = 0;
  taken[row] = 2;
  while (grown) {
    grown = 0;
    for (int i = 0; i < m; i++)
      for (int j = 0; j < m; j++)
        if (taken[i] == 2 && !taken[j] && s->near[i * m + j] > 1) grown = taken[j] = 2;
  }
  for (int i = 0; i < m; i++)
    if (taken[i] == 2) {
      s->row[s->size++] = i;
      taken[i] = 1;
    }
}

static rattle_status fill(rattle__halves *split, half_search *s, unsigned char *taken,
                          rattle_error *error) {
  rattle_status status = largest_brackets(s, error);
  int at = 0;
  for (int i = 0; i < s->survey->m && !status; i++) {
    if (taken[i]) continue;
    int found = 0;
    gather_block(s, i, taken);
    if (s->size % 2) {
      split->blocks = 0;
      return status;
    }
    status = best_half(s, split->phi + at, split->psi + at, &found, error);
    if (!found) split->involutive = 0;
    for (int r = 0; r < s->size && !found; r++)
      (r < s->size / 2 ? split->phi : split->psi)[at + r % (s->size / 2)] = s->row[r];
    at += s->size / 2;
    split->first[++split->blocks] = at;
  }
  return status;
}

/* The pair with the largest bracket at the first point. */
static rattle_status name_pair(rattle__halves *split, rattle__survey *survey, rattle_error *error) {
  rattle_status status = rattle__survey_at(survey, survey->point[0], NULL, 0, error);
  double most = -1;
  for (int i = 0; i < survey->m && !status; i++)
    for (int j = i + 1; j < survey->m; j++) {
      double C = survey->C[i * survey->m + j];
      if (!(fabs(C) > most)) continue;
      most = fabs(C);
      split->pair[0] = i;
      split->pair[1] = j;
      split->bracket = C * survey->norm[i] * survey->norm[j];
    }
  return status;
}

rattle_status rattle__halves_create(rattle__halves **split, rattle__survey *survey,
                                    rattle_error *error) {
  size_t m = (size_t)survey->m, nz = 2 * (size_t)survey->n;
  rattle__halves *made = *split = calloc(1, sizeof *made);
  half_search s = {.survey = survey,
                   .row = calloc(m, sizeof(int)),
                   .all = calloc(m, sizeof(int)),
                   .bracket = calloc(m * m, sizeof(double)),
                   .first = calloc(m * m, sizeof(double)),
                   .near = calloc(m * m, sizeof(double)),
                   .D = calloc(m * m, sizeof(double)),
                   .z = calloc(nz, sizeof(double)),
                   .used = calloc((size_t)survey->n, sizeof(unsigned))};
  unsigned char *taken = calloc(m, 1);
  if (made) {
    *made = (rattle__halves){.k = (int)m / 2,
                             .phi = calloc(m, sizeof(int)),
                             .psi = calloc(m, sizeof(int)),
                             .first = calloc(m + 1, sizeof(int)),
                             .z = calloc(nz, sizeof(double)),
                             .involutive = 1};
  }
  int there = made && made->phi && made->psi && made->first && made->z && s.row && s.all &&
              s.first && s.bracket && s.near && s.D && s.z && s.used && taken;
  rattle_status status = there ? RATTLE_OK : rattle__no_memory(error);
  for (int i = 0; i < (int)m && !status; i++) s.all[i] = i;
  if (!status) memcpy(made->z, survey->point[0], nz * sizeof *made->z);
  if (!status) status = name_pair(made, survey, error);
  if (!status) status = fill(made, &s, taken, error);
  int odd = !status && !made->blocks;
  free(s.row);
  free(s.all);
  free(s.first);
  free(s.bracket);
  free(s.near);
  free(s.D);
  free(s.z);
  free(s.used);
  free(taken);
  if (status || odd) rattle__halves_destroy(split);
  return status;
}

rattle_status rattle__refuse_second_class(const rattle_problem *problem, const char *method,
                                          rattle_error *error) {
  const rattle__halves *split = problem->split;
  rattle__fail(error, RATTLE_UNSUITABLE, method,
               "%s needs constraints in involution, and these are second class: {g_i,g_j} is "
               "invertible; for '%s' and '%s' it is "
               "%.3g near the start. Use second_class(...), such as second_class(midpoint)",
               method, rattle_problem_constraint_name(problem, split->pair[0]),
               rattle_problem_constraint_name(problem, split->pair[1]), split->bracket);
  if (error) error->constraint = split->pair[0];
  return RATTLE_UNSUITABLE;
}
