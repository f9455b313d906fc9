/* V and its derivatives, and the lists that are kept from one evaluation to the next.
 *
 * Lists    belong to the pairs and are taken from and given back to a few places by atomic exchange, so that threads that evaluate one
 *          problem have one each. A list is valid for whoever finds it: it knows where it was made. Without memory for one all pairs
 *          are gone through, with the same bits */
#include "pairs/pairs.h"

#include <math.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "support/error.h"
#include "pairs/neighbours.h"

enum { PLACES = 16, FEW = 24, BATCH = 32 };

typedef struct shelf {
  _Atomic(rattle__neighbours *) place[PLACES];
} shelf;

struct rattle__pairs {
  rattle__pair_law law;
  rattle__vicinity vicinity;
  double slack; /* squared: how far a bead may move before a list is made again */
  int *column;  /* and the exclusions, in one block */
  shelf *shelf;
};

/* --- making them ------------------------------------------------------------------------------------------------------------- */

/* Exclusions by their lower bead. */
static void sort_exclusions(int beads, const rattle__pairs_plan *plan, int *first, int *excluded) {
  memset(first, 0, ((size_t)beads + 1) * sizeof *first);
  for (int pass = 0; pass < 2; pass++) {
    for (int e = 0; e < plan->excluded; e++) {
      const int a = plan->excludes[2 * e], b = plan->excludes[2 * e + 1], low = a < b ? a : b, high = a < b ? b : a;
      if (pass)
        excluded[--first[low + 1]] = high;
      else
        first[low + 1]++;
    }
    if (pass) continue;
    for (int i = 0; i < beads; i++) first[i + 1] += first[i];
  }
  for (int i = 0; i < beads; i++) first[i] = first[i + 1];
  first[beads] = plan->excluded;
}

rattle_status rattle__pairs_create(rattle__pairs **pairs, const rattle__pairs_plan *plan, rattle_error *error) {
  const size_t n = (size_t)plan->beads, e = (size_t)plan->excluded;
  rattle__pairs *p = *pairs = calloc(1, sizeof *p);
  if (!p) return rattle__no_memory(error);
  p->law = plan->law;
  p->column = malloc((3 * n + n + 1 + e) * sizeof *p->column);
  p->shelf = calloc(1, sizeof *p->shelf);
  if (!p->column || !p->shelf) {
    rattle__pairs_destroy(pairs);
    return rattle__no_memory(error);
  }
  int *first = p->column + 3 * n, *excluded = first + n + 1;
  memcpy(p->column, plan->column, 3 * n * sizeof *p->column);
  sort_exclusions(plan->beads, plan, first, excluded);
  const double skin = 0.35 * plan->law.sigma;
  p->slack = 0.49 * skin * 0.49 * skin;
  p->vicinity =
      (rattle__vicinity){.beads = plan->beads, .reach = plan->law.cutoff + skin, .first_excluded = first, .excluded = excluded};
  memcpy(p->vicinity.box, plan->box, sizeof plan->box);
  return RATTLE_OK;
}

void rattle__pairs_destroy(rattle__pairs **pairs) {
  rattle__pairs *p = *pairs;
  if (!p) return;
  for (int k = 0; k < PLACES && p->shelf; k++) rattle__neighbours_destroy(atomic_load(&p->shelf->place[k]));
  free(p->shelf);
  free(p->column);
  free(p);
  *pairs = NULL;
}

const rattle__pair_law *rattle__pairs_law(const rattle__pairs *pairs) {
  return &pairs->law;
}

int rattle__pairs_periodic(const rattle__pairs *pairs) {
  const double *box = pairs->vicinity.box;
  return box[0] > 0 || box[1] > 0 || box[2] > 0;
}

size_t rattle__pairs_room(const rattle__pairs *pairs) {
  return 6 * (size_t)pairs->vicinity.beads;
}

/* --- lists ------------------------------------------------------------------------------------------------------------------- */

static int is_valid(const rattle__pairs *p, const rattle__neighbours *list, const double *x) {
  const double *was = list->x;
  for (int i = 0; i < p->vicinity.beads; i++) {
    const double a = x[3 * i] - was[3 * i], b = x[3 * i + 1] - was[3 * i + 1], c = x[3 * i + 2] - was[3 * i + 2];
    if (!(a * a + b * b + c * c <= p->slack)) return 0;
  }
  return 1;
}

/* A list that is valid at x, NULL without memory; integrators find their own again by the address of their scratch. */
static rattle__neighbours *take(const rattle__pairs *p, const double *x, const double *work) {
  const size_t own = (uintptr_t)work / 64;
  rattle__neighbours *list = NULL;
  for (size_t k = 0; k < PLACES && !list; k++) list = atomic_exchange(&p->shelf->place[(own + k) % PLACES], NULL);
  if (list && is_valid(p, list, x)) return list;
  if (!list) list = rattle__neighbours_create(p->vicinity.beads);
  if (!list || rattle__neighbours_fill(list, &p->vicinity, x)) return list;
  rattle__neighbours_destroy(list);
  return NULL;
}

static void give_back(const rattle__pairs *p, rattle__neighbours *list, const double *work) {
  const size_t own = (uintptr_t)work / 64;
  for (size_t k = 0; k < PLACES && list; k++) list = atomic_exchange(&p->shelf->place[(own + k) % PLACES], list);
  rattle__neighbours_destroy(list);
}

/* --- sums -------------------------------------------------------------------------------------------------------------------- */

/* Pairs of one bead within the cutoff. */
typedef struct batch {
  int count, j[BATCH];
  double x[BATCH], y[BATCH], z[BATCH], u[BATCH];
} batch;

/* The sums of one evaluation; f [3 beads] is -V_x. */
typedef struct sums {
  const rattle__pairs *p;
  const double *x;
  double V, *f;
  batch near;
} sums;

static void add_batch(sums *s, int i) {
  const batch *b = &s->near;
  double *own = s->f + 3 * i;
  for (int k = 0; k < b->count; k++) {
    double v[3];
    rattle__pair_law_at(&s->p->law, b->u[k], v);
    const double c = -2 * v[1];
    double *other = s->f + 3 * b->j[k];
    s->V += v[0];
    own[0] += c * b->x[k];
    own[1] += c * b->y[k];
    own[2] += c * b->z[k];
    other[0] -= c * b->x[k];
    other[1] -= c * b->y[k];
    other[2] -= c * b->z[k];
  }
  s->near.count = 0;
}

static inline double image(double d, double edge) {
  return edge > 0 ? rattle__nearest_image(d, edge, 1 / edge) : d;
}

static inline void add_pair(sums *s, int i, int j) {
  batch *b = &s->near;
  const double *own = s->x + 3 * i, *other = s->x + 3 * j, *box = s->p->vicinity.box, cutoff = s->p->law.cutoff;
  const int k = b->count;
  const double x = image(own[0] - other[0], box[0]), y = image(own[1] - other[1], box[1]), z = image(own[2] - other[2], box[2]);
  b->x[k] = x;
  b->y[k] = y;
  b->z[k] = z;
  b->j[k] = j;
  b->u[k] = x * x + y * y + z * z;
  b->count += b->u[k] < cutoff * cutoff;
  if (b->count == BATCH) add_batch(s, i);
}

static void add_listed(sums *s, const rattle__neighbours *list) {
  for (int i = 0; i < s->p->vicinity.beads; i++) {
    for (size_t k = list->first[i]; k < list->first[i + 1]; k++) add_pair(s, i, list->j[k]);
    add_batch(s, i);
  }
}

static void add_all(sums *s) {
  const rattle__vicinity *v = &s->p->vicinity;
  for (int i = 0; i < v->beads; i++) {
    for (int j = i + 1; j < v->beads; j++)
      if (!rattle__is_excluded(v, i, j)) add_pair(s, i, j);
    add_batch(s, i);
  }
}

/* x from q; 0: one of them is not finite */
static int gather(const rattle__pairs *p, const double *q, double *x) {
  double sum = 0;
  for (int k = 0; k < 3 * p->vicinity.beads; k++) {
    x[k] = q[p->column[k]];
    sum += 0 * x[k];
  }
  return sum == 0;
}

double rattle__pairs_gradient(const rattle__pairs *pairs, const double *q, double *gradient, double *work) {
  const int beads = pairs->vicinity.beads;
  double *x = work, *f = work + 3 * beads;
  if (!gather(pairs, q, x)) {
    for (int k = 0; k < 3 * beads && gradient; k++) gradient[pairs->column[k]] = (double)NAN;
    return (double)NAN;
  }
  sums s = {.p = pairs, .x = x, .f = f};
  memset(f, 0, 3 * (size_t)beads * sizeof *f);
  rattle__neighbours *list = beads > FEW ? take(pairs, x, work) : NULL;
  if (list)
    add_listed(&s, list);
  else
    add_all(&s);
  if (list) give_back(pairs, list, work);
  for (int k = 0; k < 3 * beads && gradient; k++) gradient[pairs->column[k]] -= f[k];
  return s.V;
}

/* S += w (2 v' 1 + 4 v'' d d^T) for the blocks of two beads, a and b being their columns */
static void add_block(const double d[3], const double wv[3], const int *a, const int *b, int n, double *S) {
  for (int r = 0; r < 3; r++)
    for (int c = 0; c < 3; c++) {
      const double entry = (r == c ? 2 * wv[1] : 0) + 4 * wv[2] * d[r] * d[c];
      S[(size_t)a[r] * (size_t)n + (size_t)a[c]] += entry;
      S[(size_t)b[r] * (size_t)n + (size_t)b[c]] += entry;
      S[(size_t)a[r] * (size_t)n + (size_t)b[c]] -= entry;
      S[(size_t)b[r] * (size_t)n + (size_t)a[c]] -= entry;
    }
}

void rattle__pairs_hessian(const rattle__pairs *pairs, const double *q, int n, double w, double *S, double *work) {
  const rattle__vicinity *vicinity = &pairs->vicinity;
  const double cutoff = pairs->law.cutoff;
  const int finite = gather(pairs, q, work);
  for (int i = 0; i < vicinity->beads; i++)
    for (int j = i + 1; j < vicinity->beads; j++) {
      double d[3], v[3], u = 0;
      for (int k = 0; k < 3; k++) {
        d[k] = image(work[3 * i + k] - work[3 * j + k], vicinity->box[k]);
        u += d[k] * d[k];
      }
      if ((finite && !(u < cutoff * cutoff)) || rattle__is_excluded(vicinity, i, j)) continue;
      rattle__pair_law_at(&pairs->law, finite ? u : (double)NAN, v);
      for (int k = 0; k < 3; k++) v[k] *= w;
      add_block(d, v, pairs->column + 3 * i, pairs->column + 3 * j, n, S);
    }
}
