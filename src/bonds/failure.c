/* Why a cluster could not be solved, as an error: found from its atoms before the stage, which left
 * them as they were. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bonds/bonds.h"
#include "ground/support/error.h"
#include "ground/support/number.h"

/* A bond repeats others where less than this part of its row of A = G M^-1 G' is left once theirs
 * are eliminated, directions being parallel to 3e-7; or less than the round-off of those parts. */
static const double repeats_below = 1e-13, roundoff = 32 * DBL_EPSILON;

/* The cluster that failed: a lane of its shape's arrays. */
typedef struct failed_cluster {
  const rattle__bond_shape *shape;
  const rattle__bond_stage *stage;
  long long group;
  int width, lane;
} failed_cluster;

static int place(const failed_cluster *c, int atom) {
  return c->shape->place[(c->group * c->shape->atoms + atom) * c->width + c->lane];
}

static double inverse_mass(const failed_cluster *c, int atom) {
  const long long group = c->shape->uniform ? 0 : c->group;
  return c->shape->inverse_mass[(group * c->shape->atoms + atom) * c->width + c->lane];
}

static double form(const failed_cluster *c, int at) {
  const long long group = c->shape->uniform ? 0 : c->group;
  return c->shape->form[(group * c->shape->forms + at) * c->width + c->lane];
}

/* The first atom that is not finite, as an error; OK: all are. */
static rattle_status check_finite(const failed_cluster *c, const void *x, const char *what,
                                  rattle_error *error) {
  for (int a = 0; a < c->shape->atoms; a++) {
    const int at = place(c, a);
    for (int d = 0; d < 3; d++) {
      const double value = rattle__bond_at(c->stage, x, (size_t)(at + d));
      if (!isfinite(value))
        return rattle__fail(error, RATTLE_DOMAIN, what,
                            "the %s of atom %d is not finite: its component %d is %g", what, at / 3,
                            d, value);
    }
  }
  return RATTLE_OK;
}

/* The error if floats cannot hold a corrected velocity; it names the fastest atom. */
static rattle_status beyond_floats(const failed_cluster *c, rattle_error *error) {
  double fastest = -1;
  int atom = 0;
  for (int a = 0; a < c->shape->atoms; a++) {
    double square = 0;
    for (int d = 0; d < 3; d++) {
      const double value = rattle__bond_at(c->stage, c->stage->v, (size_t)(place(c, a) + d));
      square += value * value;
    }
    if (square > fastest) fastest = square, atom = place(c, a) / 3;
  }
  return rattle__fail(error, RATTLE_DOMAIN, "velocity",
                      "the velocity of atom %d, now %.3g, or of one that is bonded to it, would be "
                      "beyond %.3g, which floats hold: "
                      "use doubles, other units or a longer step",
                      atom, sqrt(fastest), (double)FLT_MAX);
}

/* The shortest image of each bond at x: r [3 bonds]. */
static void directions(const failed_cluster *c, const void *x, double *r) {
  const rattle_bonds_box *box = c->stage->box;
  for (int k = 0; k < c->shape->bonds; k++, r += 3) {
    const int i = place(c, c->shape->pair[2 * k]), j = place(c, c->shape->pair[2 * k + 1]);
    for (int d = 0; d < 3; d++)
      r[d] = rattle__bond_at(c->stage, x, (size_t)(i + d)) -
             rattle__bond_at(c->stage, x, (size_t)(j + d));
    for (int e = 2; e >= 0 && box; e--) {
      const double n = nearbyint(r[e] / box->edge[e][e]);
      for (int d = 0; d <= e; d++) r[d] -= n * box->edge[e][d];
    }
  }
}

static double product(const double *a, const double *b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* How far a unit force along bond k pushes it. */
static double along(const failed_cluster *c, int k) {
  const rattle__bond_shape *s = c->shape;
  return s->bodies ? form(c, s->entries + k)
                   : inverse_mass(c, s->pair[2 * k]) + inverse_mass(c, s->pair[2 * k + 1]);
}

/* Eliminates A in the order of the shape. Returns the first bond whose row the rows before it
 * repeat, and in *left the remaining part of that row; -1: no such bond, or it cannot be found. A
 * row of 0 belongs to a bond without length. */
static int repeating(const failed_cluster *c, const double *r, double *value, double *left) {
  const rattle__bond_shape *s = c->shape;
  for (int k = 0; k < s->bonds; k++) value[k] = along(c, k) * product(r + 3 * k, r + 3 * k);
  for (int e = s->bonds; e < s->slots; e++) value[e] = 0;
  for (int k = 0; k < s->couplings; k++) {
    const rattle__bond_coupling *q = &s->coupling[k];
    const double pushes =
        s->bodies ? form(c, s->entries + s->bonds + k) : q->sign * inverse_mass(c, q->atom);
    value[q->slot] = pushes * product(r + 3 * q->row, r + 3 * q->column);
  }
  double least = 1; /* part that was left of a row so far */
  for (int p = 0; p < s->bonds; p++) {
    const rattle__bond_pivot *at = &s->pivot[p];
    const double whole = along(c, p) * product(r + 3 * p, r + 3 * p);
    if (!isfinite(value[p])) return -1;
    if (value[p] <= fmax(repeats_below, roundoff / least) * whole) {
      *left = whole > 0 ? fmax(value[p] / whole, 0) : -1;
      return p;
    }
    least = fmin(least, value[p] / whole);
    const int *target = s->target + at->target;
    for (int i = 0; i < at->count; i++) {
      const double factor = value[s->lower[at->first + i]] / value[p];
      for (int j = 0; j < at->count; j++)
        value[*target++] -= factor * value[s->upper[at->first + j]];
    }
  }
  return -1;
}

/* A bond of the cluster in the caller's numbers. */
typedef struct bond_name {
  int number, i, j;
} bond_name;

static bond_name name_of(const rattle_bonds *b, const failed_cluster *c, long long cluster,
                         int bond) {
  const int k = c->shape->number[cluster * c->shape->bonds + bond];
  return (bond_name){k, b->pair[2 * k], b->pair[2 * k + 1]};
}

static void not_converged(bond_name n, double left, int positions, rattle_error *error) {
  char what[40] = "";
  if (isfinite(left)) rattle__print(what, sizeof what, "; what is left is %.3g of it", left);
  if (positions)
    rattle__fail(error, RATTLE_NOT_CONVERGED, "bonds",
                 "the bond of atoms %d and %d could not be given its length%s: the step is too "
                 "long, or lengths contradict one "
                 "another there",
                 n.i, n.j, what);
  else
    rattle__fail(error, RATTLE_NOT_CONVERGED, "bonds",
                 "the velocities of atoms %d and %d could not be made to keep the length of their "
                 "bond; the rate that is left is "
                 "%.3g of their speed: the tolerance is below round-off there, or constraints "
                 "nearly repeat one another",
                 n.i, n.j, left);
}

rattle_status rattle__bond_failed(const rattle_bonds *b, const rattle__bond_shape *s,
                                  const rattle__bond_stage *stage, const rattle__bond_failure *f,
                                  rattle_error *error) {
  const int W = s->width, positions = stage->x0 != NULL;
  const failed_cluster c = {s, stage, f->cluster / W, W, (int)(f->cluster % W)};
  const void *at = positions ? stage->x0 : stage->x;
  rattle_status status = positions ? check_finite(&c, stage->x0, "position", error) : RATTLE_OK;
  if (!status) status = check_finite(&c, stage->x, "position", error);
  if (!status && !positions) status = check_finite(&c, stage->v, "velocity", error);
  if (!status && stage->ahead) status = check_finite(&c, stage->ahead->f, "force", error);
  if (!status && f->error == 0) status = beyond_floats(&c, error);
  if (status) return status;
  double *room = malloc((3 * (size_t)s->bonds + (size_t)s->slots) * sizeof *room), left = 0;
  int repeats = -1;
  if (room) {
    directions(&c, at, room);
    repeats = repeating(&c, room, room + 3 * (size_t)s->bonds, &left);
  }
  free(room);
  const bond_name n = name_of(b, &c, f->cluster, repeats >= 0 ? repeats : f->bond);
  if (repeats < 0) {
    not_converged(n, positions ? f->error : sqrt(f->error), positions, error);
  } else if (left < 0) {
    rattle__fail(error, RATTLE_SINGULAR, "bonds",
                 "atoms %d and %d are at one place: their bond has no direction", n.i, n.j);
  } else {
    rattle__fail(error, RATTLE_SINGULAR, "bonds",
                 "the bond of atoms %d and %d repeats what other bonds of its cluster hold (%.1g "
                 "of it is independent of them): "
                 "omit it",
                 n.i, n.j, left);
  }
  if (error) error->constraint = n.number;
  return repeats < 0 ? RATTLE_NOT_CONVERGED : RATTLE_SINGULAR;
}
