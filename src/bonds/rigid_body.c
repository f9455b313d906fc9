/* The stages of a rigid body, whose atoms are constrained by all their distances.
 *
 * Source   J. Moser, A. P. Veselov, Comm. Math. Phys. 139 (1991) 217 (the equation of the step);
 *          R. I. McLachlan, A. Zanna, Found. Comput. Math. 5 (2005) 87 (by quaternions)
 * Stage    forces at x0 along no rigid motion move the atoms to x = c + R b: the centre c stays
 *          where the step put it, and sum m r0 x (R b) = sum m r0 x r =: L, r0 and r being from the
 *          centres. These are RATTLE's positions wherever the gradients of the distances are
 *          independent, and their limit where they are not
 * Symbols  b places in the body, J = diag(sum m b_d^2), I its moments of inertia; R = R0 Q, with
 *          the quaternion (w, v) of Q: sum m b x (Q b) = 2 w I v + 2 (J v) x v */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bonds/bonds.h"
#include "bonds/flat.h"
#include "ground/support/error.h"

enum { ITERATIONS = 100 };

typedef struct body_work {
  const rattle__bond_solid *solid;
  const rattle__bond_stage *stage;
  double *r0, *r, *to; /* from the centres: before and after the step; the results [3 atoms] */
} body_work;

static void cross(const double *a, const double *b, double *c) {
  for (int d = 0; d < 3; d++) {
    const int e = (d + 1) % 3, f = (d + 2) % 3;
    c[d] = a[e] * b[f] - a[f] * b[e];
  }
}

static double length(const double *a) {
  return sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
}

/* ---- atoms ---- */

/* Positions or velocities relative to those of the first atom: so the round-off of the centre is
 * that of the size of the body, wherever it is and however fast. 0: one is not finite. */
static int read_atoms(const body_work *w, const void *from, double *r) {
  const rattle__bond_solid *s = w->solid;
  int finite = 1;
  for (int i = 0; i < s->atoms; i++)
    for (int d = 0; d < 3; d++) {
      r[3 * i + d] = rattle__bond_at(w->stage, from, 3 * (size_t)s->atom[i] + (size_t)d) -
                     rattle__bond_at(w->stage, from, 3 * (size_t)s->atom[0] + (size_t)d);
      finite = finite && isfinite(r[3 * i + d]);
    }
  return finite;
}

/* The images that are nearest to the first atom. */
static void take_images(const body_work *w, double *r) {
  const rattle_bonds_box *box = w->stage->box;
  for (int i = 0; i < w->solid->atoms && box; i++)
    for (int e = 2; e >= 0; e--) {
      const double n = nearbyint(r[3 * i + e] / box->edge[e][e]);
      for (int f = 0; f <= e && n != 0; f++) r[3 * i + f] -= n * box->edge[e][f];
    }
}

/* The centre of mass, or the mean velocity, is taken away. */
static void centre(const rattle__bond_solid *s, double *r) {
  for (int d = 0; d < 3; d++) {
    double sum = 0;
    for (int i = 0; i < s->atoms; i++) sum += s->mass[i] * r[3 * i + d];
    for (int i = 0; i < s->atoms; i++) r[3 * i + d] -= sum / s->total;
  }
}

/* sum m a x b */
static void moment(const rattle__bond_solid *s, const double *a, const double *b, double *sum) {
  memset(sum, 0, 3 * sizeof *sum);
  for (int i = 0; i < s->atoms; i++) {
    double one[3];
    cross(a + 3 * i, b + 3 * i, one);
    for (int d = 0; d < 3; d++) sum[d] += s->mass[i] * one[d];
  }
}

/* sum m r0 x (r - to): differences of atoms are small and exact, those of whole sums are not. */
static void missed(const body_work *w, double *sum) {
  const rattle__bond_solid *s = w->solid;
  memset(sum, 0, 3 * sizeof *sum);
  for (int i = 0; i < s->atoms; i++) {
    double one[3], left[3];
    for (int d = 0; d < 3; d++) left[d] = w->r[3 * i + d] - w->to[3 * i + d];
    cross(w->r0 + 3 * i, left, one);
    for (int d = 0; d < 3; d++) sum[d] += s->mass[i] * one[d];
  }
}

/* ---- three equations ---- */

/* y = A^-1 y, by elimination with the largest pivot first; 0: singular. */
static int solve(double A[3][3], double y[3]) {
  for (int k = 0; k < 3; k++) {
    int best = k;
    for (int i = k + 1; i < 3; i++)
      if (fabs(A[i][k]) > fabs(A[best][k])) best = i;
    if (!(fabs(A[best][k]) > 0)) return 0;
    for (int j = 0; j < 3; j++) {
      const double a = A[k][j];
      A[k][j] = A[best][j], A[best][j] = a;
    }
    const double a = y[k];
    y[k] = y[best], y[best] = a;
    for (int i = k + 1; i < 3; i++) {
      const double factor = A[i][k] / A[k][k];
      for (int j = k; j < 3; j++) A[i][j] -= factor * A[k][j];
      y[i] -= factor * y[k];
    }
  }
  for (int k = 2; k >= 0; k--) {
    for (int j = k + 1; j < 3; j++) y[k] -= A[k][j] * y[j];
    y[k] /= A[k][k];
  }
  return 1;
}

/* The derivative of 2 w I v + 2 (J v) x v by v, w = sqrt(1 - v.v). */
static void derivative(const rattle__bond_solid *s, const double v[3], double w, double A[3][3]) {
  const double *J = s->second, *I = s->moment;
  for (int j = 0; j < 3; j++) {
    double unit[3] = {0}, one[3], two[3], Jv[3], Ju[3];
    unit[j] = 1;
    for (int d = 0; d < 3; d++) Jv[d] = J[d] * v[d], Ju[d] = J[d] * unit[d];
    cross(Ju, v, one);
    cross(Jv, unit, two);
    for (int i = 0; i < 3; i++)
      A[i][j] = 2 * (w * I[i] * unit[i] - I[i] * v[i] * v[j] / w + one[i] + two[i]);
  }
}

static void rotation(const double v[3], double w, double Q[3][3]) {
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    Q[i][i] = 1 - 2 * (v[j] * v[j] + v[k] * v[k]);
    Q[i][j] = 2 * (v[i] * v[j] - w * v[k]);
    Q[j][i] = 2 * (v[i] * v[j] + w * v[k]);
  }
}

/* The body's axes at r0: those along which the places lie, made orthonormal. */
static void axes_of(const body_work *w, double R[3][3]) {
  const rattle__bond_solid *s = w->solid;
  double axis[3][3] = {{0}};
  for (int i = 0; i < s->atoms; i++)
    for (int a = 0; a < 2; a++)
      for (int d = 0; d < 3; d++) axis[a][d] += s->mass[i] * s->place[3 * i + a] * w->r0[3 * i + d];
  const int long_one = s->second[1] > s->second[0];
  double *u = axis[long_one], *v = axis[1 - long_one];
  const double uu = length(u);
  for (int d = 0; d < 3; d++) u[d] /= uu;
  const double uv = u[0] * v[0] + u[1] * v[1] + u[2] * v[2];
  for (int d = 0; d < 3; d++) v[d] -= uv * u[d];
  const double vv = length(v);
  for (int d = 0; d < 3; d++) v[d] /= vv;
  cross(axis[0], axis[1], axis[2]);
  for (int d = 0; d < 3; d++)
    for (int a = 0; a < 3; a++) R[d][a] = axis[a][d];
}

/* to = R0 Q b */
static void put(const body_work *w, double R[3][3], const double v[3]) {
  const rattle__bond_solid *s = w->solid;
  double Q[3][3], both[3][3];
  rotation(v, sqrt(1 - (v[0] * v[0] + v[1] * v[1] + v[2] * v[2])), Q);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      both[i][j] = 0;
      for (int k = 0; k < 3; k++) both[i][j] += R[i][k] * Q[k][j];
    }
  for (int i = 0; i < s->atoms; i++)
    for (int d = 0; d < 3; d++)
      w->to[3 * i + d] = both[d][0] * s->place[3 * i] + both[d][1] * s->place[3 * i + 1] +
                         both[d][2] * s->place[3 * i + 2];
}

/* Newton's iteration for v, until what is left of the equation no longer becomes smaller. 0: there
 * is no such rotation by less than half a turn. */
static int turn(const body_work *w) {
  const rattle__bond_solid *s = w->solid;
  double R[3][3], v[3] = {0}, best[3] = {0}, least = (double)INFINITY;
  axes_of(w, R);
  for (int n = 0; n < ITERATIONS; n++) {
    double off[3], left[3], A[3][3], size = 0;
    put(w, R, v);
    missed(w, off);
    for (int a = 0; a < 3; a++) {
      left[a] = 0;
      for (int d = 0; d < 3; d++) left[a] += R[d][a] * off[d];
      size += left[a] * left[a] / s->moment[a];
    }
    if (!(size < least)) break;
    least = size;
    memcpy(best, v, sizeof best);
    derivative(s, v, sqrt(1 - (v[0] * v[0] + v[1] * v[1] + v[2] * v[2])), A);
    if (!solve(A, left)) break;
    for (int a = 0; a < 3; a++) v[a] += left[a];
    if (!(v[0] * v[0] + v[1] * v[1] + v[2] * v[2] < 1)) break;
  }
  put(w, R, best);
  /* the round-off of the sums on both sides, in these units */
  double sum = 0;
  for (int i = 0; i < s->atoms; i++)
    sum += s->mass[i] * length(w->r0 + 3 * i) * length(w->r + 3 * i);
  const double round_off = 8 * (s->atoms + 4) * DBL_EPSILON * sum;
  return least * fmin(fmin(s->moment[0], s->moment[1]), s->moment[2]) <= round_off * round_off;
}

/* ---- the stages ---- */

static void store(const rattle__bond_stage *stage, void *array, size_t k, double x) {
  if (stage->single)
    ((float *)array)[k] = (float)x;
  else
    ((double *)array)[k] = x;
}

/* From the results to what they change. Its mean is round-off, that of the centres, and would add
 * to the momentum in every step. */
static void take_change(const body_work *w) {
  for (int i = 0; i < 3 * w->solid->atoms; i++) w->to[i] -= w->r[i];
  centre(w->solid, w->to);
}

static void add_change(const body_work *w, void *array, double factor) {
  for (int i = 0; i < 3 * w->solid->atoms; i++) {
    const size_t k = 3 * (size_t)w->solid->atom[i / 3] + (size_t)(i % 3);
    store(w->stage, array, k, rattle__bond_at(w->stage, array, k) + factor * w->to[i]);
  }
}

/* Adds a change of positions or velocities, times masses, to the outputs. */
static void add_outputs(const body_work *w, const double *at, const double *change,
                        double *virial) {
  static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
  const rattle__bond_output *output = w->stage->output;
  const rattle__bond_solid *s = w->solid;
  for (int i = 0; i < s->atoms && output; i++) {
    const double scale = output->scale * s->mass[i], *f = change + 3 * i, *r = at + 3 * i;
    for (int d = 0; d < 3 && output->forces; d++)
      output->forces[3 * (size_t)s->atom[i] + (size_t)d] += scale * f[d];
    for (int c = 0; c < 6 && virial; c++)
      virial[c] += scale * (f[row[c]] * r[column[c]] + f[column[c]] * r[row[c]]) / 2;
  }
}

/* x = c + R b; 0: not finite, -1: no rotation. */
static int positions(body_work *w, double *virial) {
  const rattle__bond_solid *s = w->solid;
  const rattle__bond_stage *stage = w->stage;
  if (!read_atoms(w, stage->x0, w->r0)) return 0;
  take_images(w, w->r0);
  for (int i = 0; i < 3 * s->atoms; i++) {
    const size_t k = 3 * (size_t)s->atom[i / 3] + (size_t)(i % 3);
    w->r[i] =
        w->r0[i] + (rattle__bond_at(stage, stage->x, k) - rattle__bond_at(stage, stage->x0, k));
    if (!isfinite(w->r[i])) return 0;
  }
  centre(s, w->r0);
  centre(s, w->r);
  if (!turn(w)) return -1;
  take_change(w);
  add_change(w, stage->x, 1);
  if (stage->v) add_change(w, stage->v, stage->by_h);
  add_outputs(w, w->r0, w->to, virial);
  return 1;
}

/* v = mean + w x r, with the momentum and the angular momentum that v has. */
static int velocities(body_work *w, double *virial) {
  const rattle__bond_solid *s = w->solid;
  const rattle__bond_stage *stage = w->stage;
  double L[3], A[3][3] = {{0}};
  if (!read_atoms(w, stage->x, w->r0) || !read_atoms(w, stage->v, w->r)) return 0;
  take_images(w, w->r0);
  centre(s, w->r0);
  centre(s, w->r);
  moment(s, w->r0, w->r, L);
  for (int i = 0; i < s->atoms; i++) {
    const double *r = w->r0 + 3 * i, rr = r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
    for (int d = 0; d < 3; d++)
      for (int e = 0; e < 3; e++) A[d][e] += s->mass[i] * ((d == e) * rr - r[d] * r[e]);
  }
  if (!solve(A, L)) return -1;
  for (int i = 0; i < s->atoms; i++) cross(L, w->r0 + 3 * i, w->to + 3 * i);
  take_change(w);
  add_change(w, stage->v, 1);
  add_outputs(w, w->r0, w->to, virial);
  return 1;
}

static rattle_status failed(const body_work *w, int how, rattle_error *error) {
  const int *atom = w->solid->atom;
  if (how == 0)
    return rattle__fail(error, RATTLE_DOMAIN, "bonds",
                        "a position or velocity of the rigid body of %d atoms that holds atom %d "
                        "is not a finite number",
                        w->solid->atoms, atom[0]);
  return rattle__fail(error, RATTLE_NOT_CONVERGED, "bonds",
                      "the rigid body of %d atoms that holds atoms %d and %d has no rotation that "
                      "fits the step: it turned too far, or its atoms were not in its shape; take "
                      "a shorter step",
                      w->solid->atoms, atom[0], atom[1]);
}

rattle_status rattle__bonds_run_solids(const rattle_bonds *b, const rattle__bond_stage *stage,
                                       double *virial, rattle_error *error) {
  int most = 0;
  rattle_status status = RATTLE_OK;
  for (int k = 0; k < b->solids; k++)
    if (b->solid[k].atoms > most) most = b->solid[k].atoms;
  double *room = malloc(9 * (size_t)most * sizeof *room + 1);
  if (!room) return rattle__no_memory(error);
  for (int k = 0; k < b->solids; k++) {
    body_work w = {.solid = &b->solid[k],
                   .stage = stage,
                   .r0 = room,
                   .r = room + 3 * most,
                   .to = room + 6 * most};
    const int how = stage->x0 ? positions(&w, virial) : velocities(&w, virial);
    if (how != 1 && !status) status = failed(&w, how, error);
  }
  free(room);
  return status;
}
