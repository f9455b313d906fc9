#ifndef RATTLE__BALL_POLYNOMIAL_H
#define RATTLE__BALL_POLYNOMIAL_H
/* Values with their first and, if wanted, second derivatives, as balls. They are rattle__ball, or
 * with BALL_SYMBOLS symbols (ball_symbols.h), which write down what is done. */
#include <string.h>

#ifdef BALL_SYMBOLS
#include "ground/expr/ball_symbols.h"
#define BALL rattle__ball_symbol
#define BALL_VALUES rattle__symbol_values
#define BALL_(operation) rattle__symbol_##operation
#else
#include "ground/expr/ball_functions.h"
#define BALL rattle__ball
#define BALL_VALUES rattle__ball_values
#define BALL_(operation) rattle__ball_##operation
#endif

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

static inline void rattle__polynomial_put(BALL *r, rattle__polynomial of, BALL value) {
  memset(r, 0, of.room * sizeof *r);
  *r = value;
}

static inline void rattle__polynomial_combine(rattle__polynomial of, const BALL *a, const BALL *b,
                                              int minus, BALL *r) {
  for (size_t k = 0; k < of.room; k++)
    r[k] = minus ? BALL_(subtract)(a[k], b[k]) : BALL_(add)(a[k], b[k]);
}

static inline void rattle__polynomial_multiply(rattle__polynomial of, const BALL *a, const BALL *b,
                                               BALL *r) {
  const int s = of.slots;
  const BALL *la = a + 1, *lb = b + 1, *Sa = la + s, *Sb = lb + s;
  BALL *l = r + 1, *S = l + s;
  r[0] = BALL_(times)(a[0], b[0]);
  for (int i = 0; i < s; i++) {
    l[i] = BALL_(more)(BALL_(times)(a[0], lb[i]), b[0], la[i]);
    for (int j = 0; j < s && of.bends; j++) {
      const int e = i * s + j;
      BALL sum = BALL_(more)(BALL_(times)(a[0], Sb[e]), b[0], Sa[e]);
      sum = BALL_(more)(sum, la[i], lb[j]);
      S[e] = BALL_(more)(sum, la[j], lb[i]);
    }
  }
}

/* r = f(a), by f, f' and f'' at a. */
static inline void rattle__polynomial_chain(rattle__polynomial of, const BALL *a, BALL_VALUES v,
                                            BALL *r) {
  const int s = of.slots;
  const BALL *la = a + 1, *Sa = la + s;
  BALL *l = r + 1, *S = l + s;
  r[0] = v.f;
  for (int i = 0; i < s; i++) {
    l[i] = BALL_(times)(v.slope, la[i]);
    for (int j = 0; j < s && of.bends; j++)
      S[i * s + j] =
          BALL_(more)(BALL_(times)(v.slope, Sa[i * s + j]), BALL_(times)(v.bend, la[i]), la[j]);
  }
}

static inline int rattle__polynomial_is_constant(rattle__polynomial of, const BALL *a) {
  int constant = 1;
  for (size_t e = 1; e < of.room; e++) constant &= BALL_(is_zero)(a[e]);
  return constant;
}

/* a/b */
static inline void rattle__polynomial_divide(rattle__polynomial of, const BALL *a, const BALL *b,
                                             BALL *spare, BALL *r) {
  const BALL by = BALL_(inverse)(*b);
  if (rattle__polynomial_is_constant(of, b)) {
    for (size_t e = 0; e < of.room; e++) r[e] = BALL_(times)(a[e], by);
    return;
  }
  const BALL square = BALL_(times)(by, by);
  const BALL_VALUES v = {by, BALL_(minus)(square), BALL_(scaled)(BALL_(times)(square, by), 2)};
  rattle__polynomial_chain(of, b, v, spare);
  rattle__polynomial_multiply(of, a, spare, r);
}
#endif
