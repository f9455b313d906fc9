/* Constructed sites: their places and velocities, and the forces on them spread over their
 * parents. */
#include "rattle/sites.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bonds/bonds.h"
#include "ground/support/arena.h"
#include "ground/support/error.h"
#include "ground/support/sized.h"

struct rattle_sites {
  rattle__arena arena;
  long long count;
  long long *first, *order; /* order: a site comes after those that it follows from */
  int *site, *parent;
  double *weights, *lengths;
  double *old; /* places and velocities before a call [6 count] */
};

enum { O, A, B, VECTORS };

/* Positions, and a box or NULL. */
typedef struct surroundings {
  const double *x;
  const rattle_bonds_box *box;
} surroundings;

/* The vectors of a site, and the frame where it has one. */
typedef struct site_frame {
  double vector[VECTORS][3], normal[3], e[3][3];
  double a, n; /* |A|, |A x B| */
} site_frame;

static void cross(const double *a, const double *b, double *c) {
  for (int d = 0; d < 3; d++)
    c[d] = a[(d + 1) % 3] * b[(d + 2) % 3] - a[(d + 2) % 3] * b[(d + 1) % 3];
}

static double dot(const double *a, const double *b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void add(double *to, double factor, const double *a) {
  for (int d = 0; d < 3; d++) to[d] += factor * a[d];
}

/* ---- making them ---- */

static rattle_status check_site(const rattle_sites_list *l, long long k, rattle_error *error) {
  const long long from = l->first[k], to = l->first[k + 1];
  const int site = l->site[k];
  if (site < 0 || site >= l->atoms)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "site",
                        "site %lld is atom %d: give a number from 0 to %lld", k, site,
                        l->atoms - 1);
  if (from < 0 || to <= from)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "first",
                        "site %lld, atom %d, has no parents: first[%lld] is %lld and first[%lld] "
                        "is %lld",
                        k, site, k, from, k + 1, to);
  for (long long e = from; e < to; e++)
    if (l->parent[e] < 0 || l->parent[e] >= l->atoms || l->parent[e] == site)
      return rattle__fail(error, RATTLE_BAD_ARGUMENT, "parent",
                          "atom %d is a parent of site %lld, atom %d: give others from 0 to %lld",
                          l->parent[e], k, site, l->atoms - 1);
  for (long long e = 0; e < 3 * (to - from) + 4; e++) {
    const double value = e < 4 ? l->lengths[4 * k + e] : l->weights[3 * from + e - 4];
    if ((e < 4 || e >= 7) && !isfinite(value))
      return rattle__fail(error, RATTLE_BAD_ARGUMENT, e < 4 ? "lengths" : "weights",
                          "a number of site %lld, atom %d, is %g: it must be finite", k, site,
                          value);
  }
  return RATTLE_OK;
}

static rattle_status check(const rattle_sites_list *l, rattle_error *error) {
  if (l->atoms < 1 || l->atoms > 0x7fffffff / 3 || l->sites < 0 || l->sites > l->atoms)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "list",
                        "%lld atoms and %lld sites: give at least one atom, at most 715827882, and "
                        "no more sites than atoms",
                        l->atoms, l->sites);
  if (l->sites && (!l->site || !l->first || !l->parent || !l->weights || !l->lengths))
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "list",
                        "site, first, parent, weights or lengths is NULL");
  rattle_status status = RATTLE_OK;
  for (long long k = 0; k < l->sites && !status; k++) status = check_site(l, k, error);
  return status;
}

/* Sites whose parents are placed come first; of[atom]: the site that it is, or -1. */
static rattle_status put_in_order(rattle_sites *s, const rattle_sites_list *l, long long *of,
                                  rattle_error *error) {
  enum { NEW, OPEN, DONE };
  char *state = calloc((size_t)s->count + 1, 1);
  long long *stack = malloc(((size_t)s->count + 1) * sizeof *stack), placed = 0;
  rattle_status status = state && stack ? RATTLE_OK : rattle__no_memory(error);
  for (long long k = 0; k < s->count && !status; k++) {
    long long depth = 0;
    if (state[k] == NEW) stack[depth++] = k;
    while (depth && !status) {
      const long long now = stack[depth - 1];
      long long next = -1;
      state[now] = OPEN;
      for (long long e = l->first[now]; e < l->first[now + 1] && next < 0; e++) {
        const long long parent = of[l->parent[e]];
        if (parent >= 0 && state[parent] != DONE) next = parent;
      }
      if (next < 0)
        state[now] = DONE, s->order[placed++] = now, depth--;
      else if (state[next] == OPEN)
        status = rattle__fail(error, RATTLE_BAD_ARGUMENT, "parent",
                              "the place of atom %d follows from itself, by that of atom %d",
                              l->site[next], l->site[now]);
      else
        stack[depth++] = next;
    }
  }
  free(state), free(stack);
  return status;
}

static rattle_status build(rattle_sites *s, const rattle_sites_list *l, rattle_error *error) {
  rattle_status status = check(l, error);
  if (status) return status;
  const size_t count = (size_t)l->sites, parents = count ? (size_t)l->first[count] : 0;
  long long *of = malloc((size_t)l->atoms * sizeof *of);
  s->count = l->sites;
  s->first = rattle__arena_take(&s->arena, (count + 1) * sizeof *s->first);
  s->order = rattle__arena_take(&s->arena, (count + 1) * sizeof *s->order);
  s->site = rattle__arena_take(&s->arena, (count + 1) * sizeof *s->site);
  s->parent = rattle__arena_take(&s->arena, (parents + 1) * sizeof *s->parent);
  s->weights = rattle__arena_doubles(&s->arena, 3 * parents + 1);
  s->lengths = rattle__arena_doubles(&s->arena, 4 * count + 1);
  s->old = rattle__arena_doubles(&s->arena, 6 * count + 1);
  if (!of || s->arena.failed) return free(of), rattle__no_memory(error);
  if (count) {
    memcpy(s->first, l->first, (count + 1) * sizeof *s->first);
    memcpy(s->site, l->site, count * sizeof *s->site);
    memcpy(s->parent, l->parent, parents * sizeof *s->parent);
    memcpy(s->weights, l->weights, 3 * parents * sizeof *s->weights);
    memcpy(s->lengths, l->lengths, 4 * count * sizeof *s->lengths);
  }
  for (long long a = 0; a < l->atoms; a++) of[a] = -1;
  for (long long k = 0; k < s->count && !status; k++) {
    if (of[l->site[k]] >= 0)
      status = rattle__fail(error, RATTLE_BAD_ARGUMENT, "site",
                            "atom %d is site %lld and site %lld", l->site[k], of[l->site[k]], k);
    of[l->site[k]] = k;
  }
  if (!status) status = put_in_order(s, l, of, error);
  free(of);
  return status;
}

rattle_status rattle_sites_create(rattle_sites **sites, const rattle_sites_list *given,
                                  rattle_error *error) {
  rattle_sites_list list;
  *sites = NULL;
  rattle_status status = RATTLE__TAKE(&list, rattle_sites_list, lengths, given, error);
  rattle_sites *s = status ? NULL : calloc(1, sizeof *s);
  if (!s) return status ? status : rattle__no_memory(error);
  status = build(s, &list, error);
  if (status)
    rattle_sites_destroy(&s);
  else
    *sites = s;
  return status;
}

void rattle_sites_destroy(rattle_sites **sites) {
  if (!sites || !*sites) return;
  rattle__arena_release(&(*sites)->arena);
  free(*sites);
  *sites = NULL;
}

/* ---- their frames ---- */

static const int *parents_of(const rattle_sites *s, long long k) {
  return s->parent + s->first[k];
}

/* d_k of parent number e. DOMAIN: there is none. */
static rattle_status vector_to(const rattle_sites *s, long long k, long long e, surroundings in,
                               double d[3]) {
  const rattle_bonds_box *box = in.box;
  const double *at = in.x + 3 * (size_t)s->parent[e],
               *from = in.x + 3 * (size_t)parents_of(s, k)[0];
  double narrow = (double)INFINITY;
  for (int c = 0; c < 3; c++) d[c] = at[c] - from[c];
  for (int c = 2; c >= 0 && box; c--) {
    const double n = nearbyint(d[c] / box->edge[c][c]);
    for (int f = 0; f <= c; f++) d[f] -= n * box->edge[c][f];
    narrow = fmin(narrow, box->edge[c][c]);
  }
  return 4 * dot(d, d) < narrow * narrow ? RATTLE_OK : RATTLE_DOMAIN;
}

static rattle_status frame_of(const rattle_sites *s, long long k, surroundings in, site_frame *f) {
  const double *p = s->lengths + 4 * k, *from = in.x + 3 * (size_t)parents_of(s, k)[0];
  rattle_status status = isfinite(dot(from, from)) ? RATTLE_OK : RATTLE_DOMAIN;
  memset(f, 0, sizeof *f);
  for (long long e = s->first[k] + 1; e < s->first[k + 1] && !status; e++) {
    double d[3];
    status = vector_to(s, k, e, in, d);
    for (int v = 0; v < VECTORS; v++) add(f->vector[v], s->weights[3 * e + v], d);
  }
  if (status) return status;
  cross(f->vector[A], f->vector[B], f->normal);
  f->a = sqrt(dot(f->vector[A], f->vector[A])), f->n = sqrt(dot(f->normal, f->normal));
  const int turned = p[1] != 0 || p[2] != 0;
  if (((p[0] != 0 || turned) && !(f->a > 0)) || (turned && !(f->n > 0))) return RATTLE_SINGULAR;
  if (f->a > 0) add(f->e[0], 1 / f->a, f->vector[A]);
  if (f->n > 0) add(f->e[2], 1 / f->n, f->normal), cross(f->e[2], f->e[0], f->e[1]);
  return RATTLE_OK;
}

/* x_s - x_{i_0} */
static void offset(const double *p, const site_frame *f, double r[3]) {
  memcpy(r, f->vector[O], 3 * sizeof *r);
  for (int c = 0; c < 3; c++)
    if (p[c] != 0) add(r, p[c], f->e[c]);
  add(r, p[3], f->normal);
}

static rattle_status failed(const rattle_sites *s, long long k, rattle_status status,
                            rattle_error *error) {
  if (status == RATTLE_SINGULAR)
    return rattle__fail(error, status, "site",
                        "the parents of site %d (atoms %d and others) give it no direction: they "
                        "are on a line or at one place",
                        s->site[k], parents_of(s, k)[0]);
  return rattle__fail(error, status, "site",
                      "the parents of site %d (atoms %d and others) are not at finite places, or "
                      "are not nearer to one another than half of the box",
                      s->site[k], parents_of(s, k)[0]);
}

/* ---- places and velocities ---- */

/* The change of a unit vector u/|u| by that of u. */
static void turn(const double *unit, double length, const double *change, double result[3]) {
  memset(result, 0, 3 * sizeof *result);
  add(result, 1 / length, change), add(result, -dot(unit, change) / length, unit);
}

/* The rate of x_s - x_{i_0}. */
static void rate(const rattle_sites *s, long long k, const site_frame *f, const double *v,
                 double r[3]) {
  const double *p = s->lengths + 4 * k, *from = v + 3 * (size_t)parents_of(s, k)[0];
  double u[VECTORS][3] = {{0}}, normal[3], more[3], e[3][3] = {{0}};
  for (long long n = s->first[k] + 1; n < s->first[k + 1]; n++)
    for (int c = 0; c < VECTORS; c++) {
      add(u[c], s->weights[3 * n + c], v + 3 * (size_t)s->parent[n]);
      add(u[c], -s->weights[3 * n + c], from);
    }
  cross(u[A], f->vector[B], normal), cross(f->vector[A], u[B], more), add(normal, 1, more);
  if (f->a > 0) turn(f->e[0], f->a, u[A], e[0]);
  if (f->n > 0) {
    turn(f->e[2], f->n, normal, e[2]);
    cross(e[2], f->e[0], e[1]), cross(f->e[2], e[0], more), add(e[1], 1, more);
  }
  memcpy(r, u[O], 3 * sizeof *r);
  for (int c = 0; c < 3; c++)
    if (p[c] != 0) add(r, p[c], e[c]);
  add(r, p[3], normal);
}

/* Places, and velocities, of the sites are kept; back: put where they were. */
static void keep(rattle_sites *s, double *x, double *v, int back) {
  for (int array = 0; array < (v ? 2 : 1); array++)
    for (long long k = 0; k < s->count; k++) {
      double *at = (array ? v : x) + 3 * (size_t)s->site[k], *old = s->old + 6 * k + 3 * array;
      memcpy(back ? at : old, back ? old : at, 3 * sizeof *at);
    }
}

rattle_status rattle_sites_positions(rattle_sites *s, double *x, double *v,
                                     const rattle_bonds_box *box, rattle_error *error) {
  rattle_status status = rattle__bonds_check_box(box, error);
  if (status) return status;
  keep(s, x, v, 0);
  for (long long n = 0; n < s->count && !status; n++) {
    const long long k = s->order[n];
    const size_t site = 3 * (size_t)s->site[k], from = 3 * (size_t)parents_of(s, k)[0];
    site_frame f;
    double r[3];
    status = frame_of(s, k, (surroundings){x, box}, &f);
    if (status) {
      status = failed(s, k, status, error);
      break;
    }
    offset(s->lengths + 4 * k, &f, r);
    memcpy(x + site, x + from, sizeof r), add(x + site, 1, r);
    if (!v) continue;
    rate(s, k, &f, v, r);
    memcpy(v + site, v + from, sizeof r), add(v + site, 1, r);
  }
  if (status) keep(s, x, v, 1);
  return status;
}

/* ---- forces ---- */

/* The work of `force` on the change of a unit vector, as a force on u. */
static void against(const double *unit, double length, const double *force, double *on) {
  add(on, 1 / length, force), add(on, -dot(unit, force) / length, unit);
}

/* Forces on the vectors O, A and B. */
static void spread(const double *p, const site_frame *f, const double *force,
                   double on[VECTORS][3]) {
  double e1[3] = {0}, e3[3] = {0}, normal[3] = {0}, more[3];
  memset(on, 0, VECTORS * sizeof *on);
  add(on[O], 1, force), add(normal, p[3], force);
  add(e1, p[0], force), add(e3, p[2], force);
  if (p[1] != 0) { /* e2 = e3 x e1 */
    cross(force, f->e[2], more), add(e1, p[1], more);
    cross(f->e[0], force, more), add(e3, p[1], more);
  }
  if (f->a > 0) against(f->e[0], f->a, e1, on[A]);
  if (f->n > 0) against(f->e[2], f->n, e3, normal);
  cross(f->vector[B], normal, more), add(on[A], 1, more);
  cross(normal, f->vector[A], more), add(on[B], 1, more);
}

/* sum += factor r f^T, which is symmetric in the sum of all atoms of a site */
static void add_virial(double *sum, double factor, const double *r, const double *f) {
  static const int row[] = {0, 1, 2, 0, 0, 1}, column[] = {0, 1, 2, 1, 2, 2};
  for (int c = 0; c < 6 && sum; c++) sum[c] += factor * r[row[c]] * f[column[c]];
}

static void spread_site(const rattle_sites *s, long long k, surroundings in, double *f,
                        double *virial, const site_frame *frame) {
  double *force = f + 3 * (size_t)s->site[k], *first = f + 3 * (size_t)parents_of(s, k)[0];
  double on[VECTORS][3], r[3];
  offset(s->lengths + 4 * k, frame, r);
  add_virial(virial, -1, r, force);
  spread(s->lengths + 4 * k, frame, force, on);
  add(first, 1, force);
  for (long long e = s->first[k] + 1; e < s->first[k + 1]; e++) {
    double own[3] = {0}, d[3];
    for (int v = 0; v < VECTORS; v++) add(own, s->weights[3 * e + v], on[v]);
    add(f + 3 * (size_t)s->parent[e], 1, own), add(first, -1, own);
    vector_to(s, k, e, in, d);
    add_virial(virial, 1, d, own);
  }
  memset(force, 0, 3 * sizeof *force);
}

rattle_status rattle_sites_forces(rattle_sites *s, const double *x, double *f, double *virial,
                                  const rattle_bonds_box *box, rattle_error *error) {
  rattle_status status = rattle__bonds_check_box(box, error);
  const surroundings in = {x, box};
  site_frame frame;
  for (long long k = 0; k < s->count && !status; k++) {
    status = frame_of(s, k, in, &frame);
    if (status) status = failed(s, k, status, error);
  }
  for (long long n = s->count - 1; n >= 0 && !status; n--) {
    frame_of(s, s->order[n], in, &frame);
    spread_site(s, s->order[n], in, f, virial, &frame);
  }
  return status;
}
