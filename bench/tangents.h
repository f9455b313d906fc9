#ifndef BENCH_TANGENTS_H
#define BENCH_TANGENTS_H
/* Vectors (dq, dp) that go along with a trajectory: the library's contender, and whether it ends
 * where another one does. */
#include "bench.h"

enum { BENCH_VECTORS = 24 };

typedef struct bench_vectors {
  rattle_tangent *tangent; /* NULL: by hand */
  const double *start;     /* vectors at the start [count * size] */
  int count, size;
  double W[BENCH_VECTORS];
} bench_vectors;

static inline void bench_begin_vectors(bench_vectors *s) {
  memcpy(s->W, s->start, (size_t)(s->count * s->size) * sizeof *s->W);
}

static inline int bench_carry_vectors(void *self, double h, long long steps, double *q, double *p) {
  bench_vectors *s = self;
  rattle_state state = {.q = q, .p = p, .h = h};
  rattle_error error;
  bench_begin_vectors(s);
  bench_check(rattle_tangent_step(s->tangent, &state, steps, s->count, s->W, &error), &error);
  return 0;
}

static inline void bench_compare_vectors(const bench_vectors *a, const bench_vectors *b) {
  for (int i = 0; i < a->size * a->count; i++)
    if (!(fabs(a->W[i] - b->W[i]) <= 1e-8 * (1 + fabs(a->W[i])))) {
      fprintf(stderr, "entry %d of %d vectors is %.17g, by hand %.17g\n", i, a->count, b->W[i],
              a->W[i]);
      exit(1);
    }
}
#endif
