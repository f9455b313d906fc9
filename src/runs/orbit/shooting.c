/* Nodes, arcs and their derivatives. */
#include "runs/orbit/shooting.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ground/linear/singular.h"
#include "problem/functions/problem.h"
#include "ground/support/error.h"
#include "ground/support/flag.h"

/* ln T is moved so far for its differences: their error is of this order squared, round-off of eps
 * over it. */
static const double shift = 1e-5;
/* Singular values of the normals, rows of length 1, below which a point is not regular. */
static const double dependent = 1e-10;

/* --- making ----------------------------------------------------------------------------------- */

static rattle_status check_method(const rattle__shooting *s, rattle_error *error) {
  const rattle_claims claims = rattle_integrator_claims(rattle_tangent_integrator(s->at.tangent));
  if (s->at.problem->split)
    return rattle__fail(error, RATTLE_UNSUITABLE, NULL,
                        "periodic orbits are not offered for second-class constraints");
  if (!s->m || (claims.keeps_g && claims.keeps_psi)) return RATTLE_OK;
  return rattle__fail(error, RATTLE_UNSUITABLE, NULL,
                      "periodic orbits need steps that keep g = 0 and psi = 0: use rattle(...) or "
                      "a composition of it");
}

rattle_status rattle__shooting_create(rattle__shooting *s, const rattle_problem *problem,
                                      const char *method, rattle_error *error) {
  const size_t n = (size_t)problem->n, nz = 2 * n, rows = 2 * (size_t)problem->m + 2;
  *s = (rattle__shooting){.other.value = (double)NAN,
                          .n = problem->n,
                          .m = problem->m,
                          .nz = (int)nz,
                          .clock = problem->clock - 1};
  s->d = s->nz - 2 * s->m - (s->clock >= 0 ? 2 : 0);
  rattle_status status =
      rattle__instance_of(&s->at, problem, method ? method : rattle_default_method(problem), error);
  if (!status) status = check_method(s, error);
  if (status) return status;
  const rattle__array arrays[] = {{&s->K, rows * nz}, {&s->S, rows}, {&s->U, nz * nz}};
  s->room = RATTLE__BLOCK(arrays);
  return s->room ? RATTLE_OK : rattle__no_memory(error);
}

void rattle__shooting_destroy(rattle__shooting *s) {
  rattle__instance_destroy(&s->at);
  rattle__instance_destroy(&s->other);
  free(s->block);
  free(s->room);
  *s = (rattle__shooting){0};
}

static rattle_status reserve(rattle__shooting *s, int arcs, rattle_error *error) {
  const size_t k = (size_t)arcs, nz = (size_t)s->nz, d = (size_t)s->d;
  free(s->block);
  const rattle__array arrays[] = {
      {&s->z, k * nz},       {&s->end, k * nz},  {&s->basis, k * d * nz}, {&s->image, k * d * d},
      {&s->slope, k * d},    {&s->tail, 4 * nz}, {&s->kept, k * nz + 2},  {&s->turn, k * d},
      {&s->carried, k * nz}, {&s->W, d * nz}};
  s->block = RATTLE__BLOCK(arrays);
  return s->block ? RATTLE_OK : rattle__no_memory(error);
}

/* --- steps ------------------------------------------------------------------------------------ */

/* From z, the node k, with steps of length h. */
static rattle_state state_at(const rattle__shooting *s, int k, double h, double *z) {
  return (rattle_state){.struct_size = sizeof(rattle_state),
                        .q = z,
                        .p = z + s->n,
                        .t0 = s->t0,
                        .h = h,
                        .step = k * s->each};
}

static double step_of(const rattle__shooting *s) {
  return s->T / (double)(s->arcs * s->each);
}

/* Steps of a node become those of its own time, if the problem depends on it. */
static void set_time(const rattle__shooting *s, int k, double h, double *z) {
  if (s->clock >= 0) z[s->clock] = s->t0 + (double)(k * s->each) * h;
}

static rattle_status interrupted(const rattle__shooting *s, rattle_error *error) {
  return rattle__flag_is_set(s->interrupt)
             ? rattle__fail(error, RATTLE_INTERRUPTED, NULL, "interrupted")
             : RATTLE_OK;
}

static rattle_status advance(rattle__shooting *s, rattle_state *state, long long steps,
                             rattle_error *error) {
  const rattle_status status = interrupted(s, error);
  return status ? status
                : rattle_integrator_step(rattle_tangent_integrator(s->at.tangent), state, steps,
                                         error);
}

/* The last arc stops at each of its last four points. */
static rattle_status end_of(rattle__shooting *s, int k, double h, double *z, rattle_error *error) {
  const size_t nz = (size_t)s->nz;
  set_time(s, k, h, z);
  rattle_state state = state_at(s, k, h, z);
  rattle_status status = advance(s, &state, s->each - (k == s->arcs - 1 ? 4 : 0), error);
  for (int i = 0; i < 4 && k == s->arcs - 1 && !status; i++) {
    memcpy(s->tail + (size_t)i * nz, z, nz * sizeof *z);
    status = advance(s, &state, 1, error);
  }
  return status;
}

rattle_status rattle__shooting_ends(rattle__shooting *s, double *residual, rattle_error *error) {
  rattle_status status = RATTLE_OK;
  *residual = 0;
  for (int k = 0; k < s->arcs && !status; k++) {
    double *end = s->end + (size_t)k * (size_t)s->nz;
    const double *next = s->z + (size_t)rattle__shooting_next(s, k) * (size_t)s->nz;
    memcpy(end, s->z + (size_t)k * (size_t)s->nz, (size_t)s->nz * sizeof *end);
    status = end_of(s, k, step_of(s), end, error);
    for (int c = 0; c < s->nz; c++)
      if (rattle__shooting_closes(s, c))
        *residual = fmax(*residual, fabs(end[c] - next[c]) / rattle__shooting_unit(s, c));
  }
  return status;
}

/* Half the largest range of a coordinate and of a momentum along the way; of what does not move,
 * its size, or 1. */
typedef struct ranges {
  double *low, *high; /* [2n] */
} ranges;

static void widen(const rattle__shooting *s, const ranges *r, const double *z) {
  for (int c = 0; c < s->nz; c++)
    r->low[c] = fmin(r->low[c], z[c]), r->high[c] = fmax(r->high[c], z[c]);
}

static void set_units(rattle__shooting *s, const ranges *r) {
  for (int kind = 0; kind < 2; kind++) {
    double range = 0, size = 0;
    for (int c = kind * s->n; c < (kind + 1) * s->n; c++) {
      if (!rattle__shooting_closes(s, c)) continue;
      range = fmax(range, (r->high[c] - r->low[c]) / 2);
      size = fmax(size, fmax(fabs(r->high[c]), fabs(r->low[c])));
    }
    s->scale[kind] = range > 16 * DBL_EPSILON * size ? range : size > 0 ? size : 1;
    s->floor = fmax(s->floor, 1000 * DBL_EPSILON * size / s->scale[kind]);
  }
}

rattle_status rattle__shooting_nodes(rattle__shooting *s, const double *z, int arcs, long long each,
                                     rattle_error *error) {
  const size_t nz = (size_t)s->nz;
  double *at = malloc(3 * nz * sizeof *at);
  const ranges r = {at + nz, at + 2 * nz};
  rattle_status status = at ? RATTLE_OK : rattle__no_memory(error);
  for (int i = 0; i < 3 && !status; i++) memcpy(at + (size_t)i * nz, z, nz * sizeof *at);
  if (!status) status = reserve(s, arcs, error);
  if (!status) {
    s->arcs = arcs;
    s->each = each;
    set_time(s, 0, step_of(s), at);
    rattle_state state = state_at(s, 0, step_of(s), at);
    for (int k = 0; k < arcs && !status; k++) {
      memcpy(s->z + (size_t)k * nz, at, nz * sizeof *at);
      for (long long i = 0; i < each && !status; i++) {
        status = advance(s, &state, 1, error);
        widen(s, &r, at);
      }
    }
  }
  if (!status && !(s->scale[0] > 0)) set_units(s, &r);
  free(at);
  return status;
}

/* --- derivatives ------------------------------------------------------------------------------ */

/* A row of the normals in units, of length 1. */
static void set_row(const rattle__shooting *s, double *row, const double *value, const int *col,
                    int count) {
  double sum = 0;
  memset(row, 0, (size_t)s->nz * sizeof *row);
  for (int e = 0; e < count; e++) {
    row[col[e]] = value[e] * rattle__shooting_unit(s, col[e]);
    sum += row[col[e]] * row[col[e]];
  }
  for (int e = 0; e < count; e++) row[col[e]] /= sqrt(sum);
}

static rattle_status basis_at(rattle__shooting *s, const double *z, double *basis,
                              rattle_error *error) {
  rattle__normals *normals = &s->at.tangent->normals;
  const rattle__function *g = s->at.problem->g;
  const size_t nz = (size_t)s->nz;
  rattle_status status = s->m ? rattle__normals_at(normals, z, error) : RATTLE_OK;
  int rows = 0;
  for (int i = 0; i < s->m && !status; i++) {
    const int from = g->jac_ptr[i], at = normals->psi->ptr[i];
    set_row(s, s->K + (size_t)rows++ * nz, normals->J + from, g->jac_col + from,
            g->jac_ptr[i + 1] - from);
    set_row(s, s->K + (size_t)rows++ * nz, normals->D + at, normals->psi->col + at,
            normals->psi->ptr[i + 1] - at);
  }
  for (int i = 0; i < 2 && s->clock >= 0; i++) {
    const int col = s->clock + i * s->n;
    const double one = 1;
    set_row(s, s->K + (size_t)rows++ * nz, &one, &col, 1);
  }
  if (!status && rows) status = rattle__singular(s->nz, rows, s->K, s->S, s->U, error);
  if (!status && rows && !(s->S[rows - 1] > dependent))
    return rattle__fail(error, RATTLE_SINGULAR, NULL,
                        "the orbit passes a point that is not regular: derivatives of the "
                        "constraints are dependent there");
  for (size_t i = 0; !rows && i < nz * nz; i++) s->U[i] = i % (nz + 1) == 0;
  if (!status) memcpy(basis, s->U + (size_t)rows * nz, (size_t)s->d * nz * sizeof *basis);
  return status;
}

void rattle__shooting_in_basis(const rattle__shooting *s, int k, const double *v, double *out) {
  const double *basis = s->basis + (size_t)k * (size_t)s->d * (size_t)s->nz;
  for (int i = 0; i < s->d; i++, basis += s->nz) {
    out[i] = 0;
    for (int c = 0; c < s->nz; c++) out[i] += basis[c] * v[c] / rattle__shooting_unit(s, c);
  }
}

void rattle__shooting_gaps(const rattle__shooting *s, double *gap) {
  const size_t nz = (size_t)s->nz;
  for (int k = 0; k < s->arcs; k++) {
    const int next = rattle__shooting_next(s, k);
    for (int c = 0; c < s->nz; c++)
      s->W[c] = s->end[(size_t)k * nz + (size_t)c] - s->z[(size_t)next * nz + (size_t)c];
    rattle__shooting_in_basis(s, next, s->W, gap + (size_t)k * (size_t)s->d);
  }
}

/* d R_k/d ln T by differences of steps, 0 where time is that of the problem */
static rattle_status slope_of(rattle__shooting *s, int k, rattle_error *error) {
  const size_t nz = (size_t)s->nz;
  double *ends = s->W; /* d >= 2 vectors */
  rattle_status status = RATTLE_OK;
  memset(s->slope + (size_t)k * (size_t)s->d, 0, (size_t)s->d * sizeof *s->slope);
  if (s->clock >= 0 || s->d < 2) return RATTLE_OK;
  for (int side = 0; side < 2 && !status; side++) {
    double *z = ends + (size_t)side * nz, h = step_of(s) * (1 + (side ? -shift : shift));
    memcpy(z, s->z + (size_t)k * nz, nz * sizeof *z);
    rattle_state state = state_at(s, k, h, z);
    status = advance(s, &state, s->each, error);
  }
  for (size_t c = 0; c < nz && !status; c++) ends[c] = (ends[c] - ends[nz + c]) / (2 * shift);
  if (!status)
    rattle__shooting_in_basis(s, rattle__shooting_next(s, k), ends,
                              s->slope + (size_t)k * (size_t)s->d);
  return status;
}

static rattle_status image_of(rattle__shooting *s, int k, rattle_error *error) {
  const size_t nz = (size_t)s->nz, d = (size_t)s->d;
  double *end = s->end + (size_t)k * nz, *image = s->image + (size_t)k * d * d, h = step_of(s);
  const double *basis = s->basis + (size_t)k * d * nz;
  for (size_t i = 0; i < d * nz; i++) s->W[i] = basis[i] * rattle__shooting_unit(s, (int)(i % nz));
  memcpy(end, s->z + (size_t)k * nz, nz * sizeof *end);
  set_time(s, k, h, end);
  rattle_state state = state_at(s, k, h, end);
  rattle_status status = RATTLE_OK;
  for (long long done = 0; done < s->each && !status; done++) {
    status = interrupted(s, error);
    if (!status) status = rattle_tangent_step(s->at.tangent, &state, 1, s->d, s->W, error);
  }
  for (size_t j = 0; j < d && !status; j++) {
    double sum = 0;
    rattle__shooting_in_basis(s, rattle__shooting_next(s, k), s->W + j * nz, image + j * d);
    for (size_t i = 0; i < d; i++) sum += image[j * d + i] * image[j * d + i];
    s->growth = fmax(s->growth, sqrt(sum));
  }
  return status;
}

rattle_status rattle__shooting_linearise(rattle__shooting *s, rattle_error *error) {
  rattle_status status = RATTLE_OK;
  s->growth = 0;
  for (int k = 0; k < s->arcs && !status; k++) {
    set_time(s, k, step_of(s), s->z + (size_t)k * (size_t)s->nz);
    status = basis_at(s, s->z + (size_t)k * (size_t)s->nz,
                      s->basis + (size_t)k * (size_t)s->d * (size_t)s->nz, error);
  }
  for (int k = 0; k < s->arcs && !status; k++) {
    status = image_of(s, k, error);
    if (!status) status = slope_of(s, k, error);
  }
  return status;
}

/* --- moving nodes ----------------------------------------------------------------------------- */

void rattle__shooting_keep(rattle__shooting *s) {
  memcpy(s->kept, s->z, (size_t)s->arcs * (size_t)s->nz * sizeof *s->z);
  s->kept[s->arcs * s->nz] = s->T;
  s->kept[s->arcs * s->nz + 1] = s->at.value;
}

rattle_status rattle__shooting_set(rattle__shooting *s, double value, rattle_error *error) {
  return rattle__instance_turn(&s->at, &s->other, &s->dial, value, error);
}

void rattle__shooting_back(rattle__shooting *s) {
  memcpy(s->z, s->kept, (size_t)s->arcs * (size_t)s->nz * sizeof *s->z);
  s->T = s->kept[s->arcs * s->nz];
  if (s->steers) (void)rattle__shooting_set(s, s->kept[s->arcs * s->nz + 1], NULL); /* at hand */
}

rattle_status rattle__shooting_move(rattle__shooting *s, const double *y, double by,
                                    rattle_error *error) {
  const size_t nz = (size_t)s->nz;
  rattle_status status = RATTLE_OK;
  rattle__shooting_back(s);
  s->T *= exp(by * y[s->arcs * s->d]);
  if (s->steers)
    status =
        rattle__shooting_set(s, s->at.value + by * y[s->arcs * s->d + 1] * s->dial.unit, error);
  for (int k = 0; k < s->arcs && !status; k++) {
    double *z = s->z + (size_t)k * nz;
    const double *basis = s->basis + (size_t)k * (size_t)s->d * nz;
    for (int j = 0; j < s->d; j++, basis += nz)
      for (int c = 0; c < s->nz; c++)
        z[c] += by * y[k * s->d + j] * basis[c] * rattle__shooting_unit(s, c);
  }
  return status ? status : rattle__shooting_place(s, error);
}

rattle_status rattle__shooting_place(rattle__shooting *s, rattle_error *error) {
  rattle_status status = RATTLE_OK;
  for (int k = 0; k < s->arcs && !status; k++) {
    double *z = s->z + (size_t)k * (size_t)s->nz;
    set_time(s, k, step_of(s), z);
    if (s->at.slider) status = rattle_slider_place(s->at.slider, z, z + s->n, error);
    if (!status && s->at.slider) status = rattle_slider_momenta(s->at.slider, z, z + s->n, error);
  }
  return status;
}

/* --- along the orbit -------------------------------------------------------------------------- */

rattle_status rattle__shooting_points(rattle__shooting *s, int points, double *out,
                                      rattle_error *error) {
  const size_t nz = (size_t)s->nz;
  const long long all = s->arcs * s->each;
  double h = step_of(s);
  rattle_status status = RATTLE_OK;
  for (int i = 0; i < points && !status; i++) {
    const long long step = (all * i + points / 2) / points;
    const int k = (int)(step / s->each);
    double *z = out + (size_t)i * nz;
    memcpy(z, s->z + (size_t)k * nz, nz * sizeof *z);
    rattle_state state = state_at(s, k, h, z);
    if (step > k * s->each) status = advance(s, &state, step - k * s->each, error);
  }
  return status;
}

rattle_status rattle__shooting_flow(rattle__shooting *s, const double *z, double *flow,
                                    rattle_error *error) {
  const size_t nz = (size_t)s->nz;
  double *ends = s->U, h = step_of(s);
  rattle_status status = RATTLE_OK;
  for (int side = 0; side < 2 && !status; side++) {
    memcpy(ends + (size_t)side * nz, z, nz * sizeof *ends);
    rattle_state state = state_at(s, 0, side ? -h : h, ends + (size_t)side * nz);
    status = advance(s, &state, 1, error);
  }
  for (int c = 0; c < s->nz && !status; c++)
    flow[c] = rattle__shooting_closes(s, c)
                  ? (ends[c] - ends[nz + (size_t)c]) / (2 * h) / rattle__shooting_unit(s, c)
                  : 0;
  return status;
}

rattle_status rattle__shooting_energy(rattle__shooting *s, const double *z, double *H,
                                      double *gradient, rattle_error *error) {
  const rattle__function *f = s->at.problem->energy ? s->at.problem->energy : s->at.problem->H;
  double *work = calloc(f->work + 1, sizeof *work);
  if (!work) return rattle__no_memory(error);
  const int answer = f->jacobian(f, z, H, gradient, work);
  free(work);
  for (int c = 0; c < s->nz; c++)
    gradient[c] = rattle__shooting_closes(s, c) ? gradient[c] * rattle__shooting_unit(s, c) : 0;
  return answer ? rattle__callback_error(answer, "gradient", error) : RATTLE_OK;
}
