/* V and its derivatives, and the lists that are kept from one evaluation to the next.
 *
 * Lists    belong to the pairs. A few places hold them; an evaluation takes one and gives it back
 *          by atomic exchange, so that threads that evaluate one problem have one each. Any
 *          evaluation can use any list: a list knows where it was made. Without memory for a list
 *          all pairs are visited, with the same bits */
#include "ground/pairs/pairs.h"

#include <math.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "ground/support/error.h"
#include "ground/pairs/neighbours.h"

enum { PLACES = 16, FEW = 24, BATCH = 32 };

typedef struct shelf {
  _Atomic(rattle__neighbours *) place[PLACES];
} shelf;

/* Pairs of beads by the lower one: those of bead i are bead[first[i] .. first[i + 1]),
 * ascending. */
typedef struct sorted {
  int *first, *bead;
} sorted;

struct rattle__pairs {
  int kinds;
  rattle__pair_law *law; /* [kinds kinds] */
  rattle__vicinity vicinity;
  double slack; /* squared: how far a bead may move before a list is made again */
  int *column;  /* and kind [beads], listed and scaled pairs, in one block */
  const int *kind;
  sorted scaled;
  double scale;
  shelf *shelf;
};

/* --- making them ------------------------------------------------------------------------------ */

static int ascending(const void *a, const void *b) {
  const int *x = a, *y = b;
  return (*x > *y) - (*x < *y);
}

/* Pairs by their lower bead, and then by the other. */
static void sort_pairs(sorted *to, int beads, long long count, const int *pair) {
  memset(to->first, 0, ((size_t)beads + 1) * sizeof *to->first);
  for (int pass = 0; pass < 2; pass++) {
    for (long long e = 0; e < count; e++) {
      const int a = pair[2 * e], b = pair[2 * e + 1], low = a < b ? a : b, high = a < b ? b : a;
      if (pass)
        to->bead[--to->first[low + 1]] = high;
      else
        to->first[low + 1]++;
    }
    if (pass) continue;
    for (int i = 0; i < beads; i++) to->first[i + 1] += to->first[i];
  }
  for (int i = 0; i < beads; i++) to->first[i] = to->first[i + 1];
  to->first[beads] = (int)count;
  for (int i = 0; i < beads; i++) {
    const int from = to->first[i], many = to->first[i + 1] - from;
    if (many > 1) qsort(to->bead + from, (size_t)many, sizeof *to->bead, ascending);
  }
}

static double largest(const rattle__pairs_plan *plan, size_t offset) {
  double most = 0;
  for (int k = 0; k < plan->kinds * plan->kinds; k++)
    most = fmax(most, *(const double *)((const char *)&plan->law[k] + offset));
  return most;
}

/* The pairs that lists leave out: exclusions, and scaled pairs, which are summed separately. */
static rattle_status list_left_out(rattle__pairs *p, const rattle__pairs_plan *plan, sorted *out,
                                   rattle_error *error) {
  const size_t e = (size_t)plan->excluded, c = (size_t)plan->scaled;
  int *both = malloc(2 * (e + c + 1) * sizeof *both);
  if (!both) return rattle__no_memory(error);
  if (e) memcpy(both, plan->excludes, 2 * e * sizeof *both);
  if (c) memcpy(both + 2 * e, plan->scales, 2 * c * sizeof *both);
  sort_pairs(out, plan->beads, (long long)(e + c), both);
  sort_pairs(&p->scaled, plan->beads, (long long)c, plan->scales);
  free(both);
  return RATTLE_OK;
}

rattle_status rattle__pairs_create(rattle__pairs **pairs, const rattle__pairs_plan *plan,
                                   rattle_error *error) {
  const size_t n = (size_t)plan->beads, e = (size_t)plan->excluded, c = (size_t)plan->scaled;
  const size_t laws = (size_t)plan->kinds * (size_t)plan->kinds;
  rattle__pairs *p = *pairs = calloc(1, sizeof *p);
  if (!p) return rattle__no_memory(error);
  p->kinds = plan->kinds;
  p->scale = plan->scale;
  p->law = malloc(laws * sizeof *p->law);
  p->column = calloc(3 * n + n + 2 * (n + 1) + e + 2 * c, sizeof *p->column);
  p->shelf = calloc(1, sizeof *p->shelf);
  int *kind = p->column + 3 * n;
  sorted out = {.first = kind + n, .bead = kind + n + n + 1};
  p->scaled = (sorted){.first = out.bead + e + c, .bead = out.bead + e + c + n + 1};
  rattle_status status = p->law && p->column && p->shelf ? RATTLE_OK : rattle__no_memory(error);
  if (!status) status = list_left_out(p, plan, &out, error);
  if (status) {
    rattle__pairs_destroy(pairs);
    return status;
  }
  memcpy(p->law, plan->law, laws * sizeof *p->law);
  memcpy(p->column, plan->column, 3 * n * sizeof *p->column);
  if (plan->kind) memcpy(kind, plan->kind, n * sizeof *kind);
  p->kind = kind;
  const double skin = 0.35 * largest(plan, offsetof(rattle__pair_law, sigma));
  const double reach = largest(plan, offsetof(rattle__pair_law, cutoff)) + skin;
  p->slack = 0.49 * skin * 0.49 * skin;
  p->vicinity = (rattle__vicinity){
      .beads = plan->beads, .reach = reach, .first_excluded = out.first, .excluded = out.bead};
  memcpy(p->vicinity.box, plan->box, sizeof plan->box);
  return RATTLE_OK;
}

void rattle__pairs_destroy(rattle__pairs **pairs) {
  rattle__pairs *p = *pairs;
  if (!p) return;
  for (int k = 0; k < PLACES && p->shelf; k++)
    rattle__neighbours_destroy(atomic_load(&p->shelf->place[k]));
  free(p->shelf);
  free(p->column);
  free(p->law);
  free(p);
  *pairs = NULL;
}

int rattle__pairs_smooth(const rattle__pairs *pairs) {
  return pairs->law->smooth;
}

double rattle__pairs_epsilon(const rattle__pairs *pairs) {
  double most = 0;
  for (int k = 0; k < pairs->kinds * pairs->kinds; k++) most = fmax(most, pairs->law[k].epsilon);
  return most;
}

int rattle__pairs_periodic(const rattle__pairs *pairs) {
  const double *box = pairs->vicinity.box;
  return box[0] > 0 || box[1] > 0 || box[2] > 0;
}

void rattle__pairs_box(const rattle__pairs *pairs, double box[3]) {
  memcpy(box, pairs->vicinity.box, 3 * sizeof *box);
}

size_t rattle__pairs_room(const rattle__pairs *pairs) {
  return 6 * (size_t)pairs->vicinity.beads;
}

/* --- lists ------------------------------------------------------------------------------------ */

static int is_valid(const rattle__pairs *p, const rattle__neighbours *list, const double *x) {
  const double *was = list->x;
  for (int i = 0; i < p->vicinity.beads; i++) {
    const double a = x[3 * i] - was[3 * i], b = x[3 * i + 1] - was[3 * i + 1],
                 c = x[3 * i + 2] - was[3 * i + 2];
    if (!(a * a + b * b + c * c <= p->slack)) return 0;
  }
  return 1;
}

/* A list that is valid at x, NULL without memory; integrators find their own again by the address
 * of their scratch. */
static rattle__neighbours *take(const rattle__pairs *p, const double *x, const double *work) {
  const size_t own = (uintptr_t)work / 64;
  rattle__neighbours *list = NULL;
  for (size_t k = 0; k < PLACES && !list; k++)
    list = atomic_exchange(&p->shelf->place[(own + k) % PLACES], NULL);
  if (list && is_valid(p, list, x)) return list;
  if (!list) list = rattle__neighbours_create(p->vicinity.beads);
  if (!list || rattle__neighbours_fill(list, &p->vicinity, x)) return list;
  rattle__neighbours_destroy(list);
  return NULL;
}

static void give_back(const rattle__pairs *p, rattle__neighbours *list, const double *work) {
  const size_t own = (uintptr_t)work / 64;
  for (size_t k = 0; k < PLACES && list; k++)
    list = atomic_exchange(&p->shelf->place[(own + k) % PLACES], list);
  rattle__neighbours_destroy(list);
}

/* --- sums ------------------------------------------------------------------------------------- */

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

/* The laws of bead i with beads of all kinds. */
static inline const rattle__pair_law *laws_of(const rattle__pairs *p, int i) {
  return p->law + p->kinds * p->kind[i];
}

static void add_batch(sums *s, int i, double scale) {
  const batch *b = &s->near;
  const rattle__pair_law *law = laws_of(s->p, i);
  double *own = s->f + 3 * i;
  for (int k = 0; k < b->count; k++) {
    double v[3];
    rattle__pair_law_at(law + s->p->kind[b->j[k]], b->u[k], v);
    const double c = -2 * scale * v[1];
    double *other = s->f + 3 * b->j[k];
    s->V += scale * v[0];
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

/* law: of bead i. With one kind of beads, the kind of j is not read. */
static inline void add_pair(sums *s, int i, int j, const rattle__pair_law *law, double scale) {
  batch *b = &s->near;
  const double *own = s->x + 3 * i, *other = s->x + 3 * j, *box = s->p->vicinity.box;
  const double cutoff = s->p->kinds > 1 ? law[s->p->kind[j]].cutoff : law->cutoff;
  const int k = b->count;
  const double x = image(own[0] - other[0], box[0]), y = image(own[1] - other[1], box[1]),
               z = image(own[2] - other[2], box[2]);
  b->x[k] = x;
  b->y[k] = y;
  b->z[k] = z;
  b->j[k] = j;
  b->u[k] = x * x + y * y + z * z;
  b->count += b->u[k] < cutoff * cutoff;
  if (b->count == BATCH) add_batch(s, i, scale);
}

static void add_listed(sums *s, const rattle__neighbours *list) {
  for (int i = 0; i < s->p->vicinity.beads; i++) {
    const rattle__pair_law *law = laws_of(s->p, i);
    for (size_t k = list->first[i]; k < list->first[i + 1]; k++) add_pair(s, i, list->j[k], law, 1);
    add_batch(s, i, 1);
  }
}

static void add_all(sums *s) {
  const rattle__vicinity *v = &s->p->vicinity;
  for (int i = 0; i < v->beads; i++) {
    const rattle__pair_law *law = laws_of(s->p, i);
    for (int j = i + 1; j < v->beads; j++)
      if (!rattle__is_excluded(v, i, j)) add_pair(s, i, j, law, 1);
    add_batch(s, i, 1);
  }
}

static void add_scaled(sums *s) {
  const sorted *pair = &s->p->scaled;
  const int beads = s->p->vicinity.beads;
  for (int i = 0; i < beads && pair->first[beads]; i++) {
    for (int e = pair->first[i]; e < pair->first[i + 1]; e++)
      add_pair(s, i, pair->bead[e], laws_of(s->p, i), s->p->scale);
    if (s->near.count) add_batch(s, i, s->p->scale);
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

double rattle__pairs_gradient(const rattle__pairs *pairs, const double *q, double *gradient,
                              double *work) {
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
  add_scaled(&s);
  if (list) give_back(pairs, list, work);
  for (int k = 0; k < 3 * beads && gradient; k++) gradient[pairs->column[k]] -= f[k];
  return s.V;
}

/* S += w (2 v' 1 + 4 v'' d d^T) for the blocks of two beads, a and b being their columns */
static void add_block(const double d[3], const double wv[3], const int *a, const int *b, int n,
                      double *S) {
  for (int r = 0; r < 3; r++)
    for (int c = 0; c < 3; c++) {
      const double entry = (r == c ? 2 * wv[1] : 0) + 4 * wv[2] * d[r] * d[c];
      S[(size_t)a[r] * (size_t)n + (size_t)a[c]] += entry;
      S[(size_t)b[r] * (size_t)n + (size_t)b[c]] += entry;
      S[(size_t)a[r] * (size_t)n + (size_t)b[c]] -= entry;
      S[(size_t)b[r] * (size_t)n + (size_t)a[c]] -= entry;
    }
}

static int is_scaled(const sorted *pair, int i, int j) {
  for (int e = pair->first[i]; e < pair->first[i + 1]; e++)
    if (pair->bead[e] == j) return 1;
  return 0;
}

void rattle__pairs_hessian(const rattle__pairs *pairs, const double *q, int n, double w, double *S,
                           double *work) {
  const rattle__vicinity *vicinity = &pairs->vicinity;
  const int finite = gather(pairs, q, work);
  for (int i = 0; i < vicinity->beads; i++)
    for (int j = i + 1; j < vicinity->beads; j++) {
      const rattle__pair_law *law = laws_of(pairs, i) + pairs->kind[j];
      const int scaled = is_scaled(&pairs->scaled, i, j);
      double d[3], v[3], u = 0;
      for (int k = 0; k < 3; k++) {
        d[k] = image(work[3 * i + k] - work[3 * j + k], vicinity->box[k]);
        u += d[k] * d[k];
      }
      if ((finite && !(u < law->cutoff * law->cutoff)) ||
          (!scaled && rattle__is_excluded(vicinity, i, j)))
        continue;
      rattle__pair_law_at(law, finite ? u : (double)NAN, v);
      for (int k = 0; k < 3; k++) v[k] *= scaled ? w * pairs->scale : w;
      add_block(d, v, pairs->column + 3 * i, pairs->column + 3 * j, n, S);
    }
}
