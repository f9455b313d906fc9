/* The row test in SIMD lanes: each lane has the verdict and the bits of the same numbers alone. The
 * text is compiled twice, over doubles and over vectors. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "drawn.h"
#include "ground/expr/real.h"
#include "constraint/guard/piece.h"

#undef RATTLE__PIECE_H
#undef REAL
#undef MASK
#undef ALL
#undef UNIFORM
#undef SQUARE_ROOT
#undef MAGNITUDE
#undef NOT
#undef SELECT
#undef WHERE
#undef ANY
#undef ANY_LANE
#undef LEAVE_IF_NONE
#define LANES 2
#define rattle__piece lanes_piece
#define RATTLE__PIECE_TRIALS LANES_PIECE_TRIALS
#define RATTLE__PIECE_SWEEPS LANES_PIECE_SWEEPS
#define rattle__above lanes_above
#define rattle__row_bound lanes_row_bound
#define rattle__piece_inverse lanes_piece_inverse
#define rattle__piece_rows lanes_piece_rows
#define rattle__piece_compare lanes_piece_compare
#define rattle__piece_solve lanes_piece_solve
#define rattle__piece_bend lanes_piece_bend
#define rattle__piece_beside lanes_piece_beside
#define rattle__piece_holds lanes_piece_holds
#define rattle__piece_ask lanes_piece_ask
#define rattle__piece_narrow lanes_piece_narrow
#define rattle__piece_prove lanes_piece_prove
#include "ground/expr/lanes_text.h"
#include "constraint/guard/piece.h"
#undef rattle__piece
#undef rattle__row_bound
#undef rattle__piece_inverse
#undef rattle__piece_prove

enum { M = 3, MM = M * M };

/* A piece in one arithmetic, with room for what it asks for. */
#define PIECE(name, number)                                                                        \
  typedef struct name {                                                                            \
    number R[3 * MM], R_by[3 * MM], C[MM], T[M * MM], f[M], f_end[M], known[M], X[3 * MM],         \
        X_by[3 * MM], H[MM], trial[M], r[M], end[M], work[MM];                                     \
  } name;
PIECE(one, double)
PIECE(pair, lanes_real)
#define LETTERS(p)                                                                                 \
  {                                                                                                \
    .m = M, .points = 3, .R = (p)->R, .R_by = (p)->R_by, .C = (p)->C, .T = (p)->T, .f = (p)->f,    \
    .f_end = (p)->f_end, .known = (p)->known, .X = (p)->X, .X_by = (p)->X_by, .H = (p)->H,         \
    .trial = (p)->trial, .r = (p)->r, .end = (p)->end                                              \
  }

/* J that changes by up to `change` of it on the way, residuals and box terms of that size. */
static void draw(one *p, double change) {
  for (int e = 0; e < MM; e++) {
    const double a = (e / M == e % M ? 3 : 0) + uniform() - 0.5;
    for (int k = 0; k < 3; k++) p->R[k * MM + e] = a + (k - 1) * change * (uniform() - 0.5);
  }
  for (int e = 0; e < 3 * MM; e++) p->R_by[e] = 1e-15, p->T[e] = change * uniform();
  for (int i = 0; i < M; i++) {
    p->f[i] = 0.1 * change * uniform(), p->f_end[i] = 1e-15 * uniform();
    p->known[i] = 0.05 * change * uniform();
  }
  rattle__piece_inverse(M, p->R + MM, p->work, p->C);
}

static void spread(const double *from, size_t count, lanes_real *to, int lane) {
  for (size_t e = 0; e < count; e++) to[e][lane] = from[e];
}

static void test_lanes(void **state) {
  int proved = 0, open = 0;
  (void)state;
  for (int trial = 0; trial < 300; trial++) {
    one alone[LANES];
    pair together;
    int verdict[LANES];
    memset(&together, 0, sizeof together);
    for (int l = 0; l < LANES; l++) {
      one *p = &alone[l];
      memset(p, 0, sizeof *p);
      draw(p, 4 * uniform() * uniform());
      spread(p->R, 3 * MM, together.R, l), spread(p->R_by, 3 * MM, together.R_by, l);
      spread(p->T, 3 * MM, together.T, l), spread(p->f, M, together.f, l);
      spread(p->f_end, M, together.f_end, l), spread(p->known, M, together.known, l);
      verdict[l] = rattle__piece_prove(&(rattle__piece)LETTERS(p));
    }
    lanes_piece_inverse(M, together.R + MM, together.work, together.C);
    const lanes_mask all = lanes_piece_prove(&(lanes_piece)LETTERS(&together));
    for (int l = 0; l < LANES; l++) {
      assert_int_equal(all[l] != 0, verdict[l]);
      proved += verdict[l], open += !verdict[l];
      for (int i = 0; i < M && verdict[l]; i++) {
        const double r = together.r[i][l], end = together.end[i][l];
        assert_true(r > alone[l].known[i]);
        assert_memory_equal(&r, &alone[l].r[i], sizeof r);
        assert_memory_equal(&end, &alone[l].end[i], sizeof end);
      }
    }
  }
  assert_true(proved > 100 && open > 100);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_lanes)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
