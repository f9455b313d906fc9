#ifndef RATTLE__BALL_POLYNOMIAL_H
#define RATTLE__BALL_POLYNOMIAL_H
/* Values with their first and, if wanted, second derivatives, as balls. */
#include <string.h>

#include "ground/expr/ball_functions.h"

/* A register: the value, slopes by each of s slots and, where `bends` is 1, second derivatives
 * [s][s]. */
typedef struct rattle__polynomial {
  int slots, bends;
  size_t room;
} rattle__polynomial;

static inline rattle__polynomial rattle__polynomial_of(int slots, int bends) {
  const size_t s = (size_t)slots;
  return (rattle__polynomial){slots, bends, 1 + s + (bends ? s * s : 0)};
}

static inline void rattle__polynomial_put(rattle__ball *r, rattle__polynomial of,
                                          rattle__ball value) {
  memset(r, 0, of.room * sizeof *r);
  *r = value;
}

static inline void rattle__polynomial_combine(rattle__polynomial of, const rattle__ball *a,
                                              const rattle__ball *b, int minus, rattle__ball *r) {
  for (size_t k = 0; k < of.room; k++)
    r[k] = minus ? rattle__ball_subtract(a[k], b[k]) : rattle__ball_add(a[k], b[k]);
}

static inline void rattle__polynomial_multiply(rattle__polynomial of, const rattle__ball *a,
                                               const rattle__ball *b, rattle__ball *r) {
  const int s = of.slots;
  const rattle__ball *la = a + 1, *lb = b + 1, *Sa = la + s, *Sb = lb + s;
  rattle__ball *l = r + 1, *S = l + s;
  r[0] = rattle__ball_times(a[0], b[0]);
  for (int i = 0; i < s; i++) {
    l[i] = rattle__ball_more(rattle__ball_times(a[0], lb[i]), b[0], la[i]);
    for (int j = 0; j < s && of.bends; j++) {
      const int e = i * s + j;
      rattle__ball sum = rattle__ball_more(rattle__ball_times(a[0], Sb[e]), b[0], Sa[e]);
      sum = rattle__ball_more(sum, la[i], lb[j]);
      S[e] = rattle__ball_more(sum, la[j], lb[i]);
    }
  }
}

/* r = f(a), by f, f' and f'' at a. */
static inline void rattle__polynomial_chain(rattle__polynomial of, const rattle__ball *a,
                                            rattle__ball_values v, rattle__ball *r) {
  const int s = of.slots;
  const rattle__ball *la = a + 1, *Sa = la + s;
  rattle__ball *l = r + 1, *S = l + s;
  r[0] = v.f;
  for (int i = 0; i < s; i++) {
    l[i] = rattle__ball_times(v.slope, la[i]);
    for (int j = 0; j < s && of.bends; j++)
      S[i * s + j] = rattle__ball_more(rattle__ball_times(v.slope, Sa[i * s + j]),
                                       rattle__ball_times(v.bend, la[i]), la[j]);
  }
}

static inline int rattle__polynomial_is_constant(rattle__polynomial of, const rattle__ball *a) {
  int constant = 1;
  for (size_t e = 1; e < of.room; e++) constant &= rattle__is_exact_zero(a[e]);
  return constant;
}

/* a/b */
static inline void rattle__polynomial_divide(rattle__polynomial of, const rattle__ball *a,
                                             const rattle__ball *b, rattle__ball *spare,
                                             rattle__ball *r) {
  const rattle__ball by = rattle__ball_inverse(*b);
  if (rattle__polynomial_is_constant(of, b)) {
    for (size_t e = 0; e < of.room; e++) r[e] = rattle__ball_times(a[e], by);
    return;
  }
  const rattle__ball square = rattle__ball_times(by, by);
  const rattle__ball_values v = {by, rattle__ball_minus(square),
                                 rattle__ball_scaled(rattle__ball_times(square, by), 2)};
  rattle__polynomial_chain(of, b, v, spare);
  rattle__polynomial_multiply(of, a, spare, r);
}
#endif
