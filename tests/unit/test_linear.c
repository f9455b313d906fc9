/* The solve room: every backend against elimination in long double, the choice among them, and what
 * must not be allocated. */
#include "matrices.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define COUNTS_ALLOCATIONS 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define COUNTS_ALLOCATIONS 0
#endif
#endif
#if !defined(COUNTS_ALLOCATIONS) && defined(__GLIBC__)
#define COUNTS_ALLOCATIONS 1
#endif

#if COUNTS_ALLOCATIONS
static long allocations;
#define SEEN_BY_LIBRARIES __attribute__((visibility("default")))
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *p, size_t size);
SEEN_BY_LIBRARIES void *malloc(size_t size) {
  allocations++;
  return __libc_malloc(size);
}
SEEN_BY_LIBRARIES void *calloc(size_t count, size_t size) {
  allocations++;
  return __libc_calloc(count, size);
}
SEEN_BY_LIBRARIES void *realloc(void *p, size_t size) {
  allocations++;
  return __libc_realloc(p, size);
}
#endif

static void dense_agrees(void **state) {
  (void)state;
  seed = 1;
  for (int n = 1; n <= 40; n++) {
    full_pattern(n);
    rattle__linear *a = create(n, 0, RATTLE__LINEAR_DENSE);
    assert_string_equal(a->name, "dense");
    for (int trial = 0; trial < 20; trial++) {
      fill(a, trial % 2);
      check(a, trial % 2 ? 1e-14 : 1e-9);
    }
    rattle__linear_destroy(&a);
    assert_null(a);
    random_pattern(n, n);
    a = create(n, 0, RATTLE__LINEAR_DENSE);
    fill(a, 1);
    check(a, 1e-14);
    rattle__linear_destroy(&a);
  }
}

static void tridiagonal_agrees(void **state) {
  (void)state;
  seed = 2;
  for (int n = 1; n <= 33; n++) {
    band_pattern(n);
    rattle__linear *a = create(n, 0, RATTLE__LINEAR_TRIDIAGONAL);
    assert_string_equal(a->name, n == 1 ? "dense" : "tridiagonal");
    for (int trial = 0; trial < 100; trial++) {
      fill(a, trial % 2);
      check(a, trial % 2 ? 1e-14 : 1e-8);
    }
    rattle__linear_destroy(&a);
    /* entries missing from the band */
    memset(flag, 0, sizeof flag);
    for (int i = 1; i < n; i += 2) flag[i][i - 1] = 1;
    for (int i = 2; i < n; i += 3) flag[i][i] = flag[i - 1][i] = 1;
    compress(n);
    a = create(n, 0, RATTLE__LINEAR_TRIDIAGONAL);
    fill(a, 1);
    check(a, 1e-14);
    rattle__linear_destroy(&a);
  }
}

static void sparse_agrees(void **state) {
  (void)state;
  seed = 3;
  for (int n = 1; n <= 61; n += 3) {
    for (int trial = 0; trial < 10; trial++) {
      random_pattern(n, n);
      rattle__linear *ldl = create(n, 1, RATTLE__LINEAR_LDL),
                     *klu = create(n, 0, RATTLE__LINEAR_KLU);
      assert_string_equal(ldl->name, "ldl");
      assert_string_equal(klu->name, "klu");
      fill(ldl, 1);
      check(ldl, 1e-14);
      for (int e = 0; e < ldl->nnz; e++) ldl->value[e] = -ldl->value[e];
      check(ldl, 1e-14);
      fill(klu, 1);
      check(klu, 1e-14);
      fill(klu, 0);
      check(klu, 1e-8);
      fill(ldl, 0);
      check(ldl, 1e-8);
      rattle__linear_destroy(&ldl);
      rattle__linear_destroy(&klu);
    }
  }
}

/* [D G^T; G 0] with the zero block first, or with round-off in its place: no good diagonal pivot to
 * begin with, not definite. */
static void saddle_points_are_solved(void **state) {
  (void)state;
  seed = 4;
  const int m = 20, n = 60;
  memset(flag, 0, sizeof flag);
  for (int i = 0; i < m; i++)
    for (int k = 0; k < 2; k++) connect(i, m + 2 * i + k);
  for (int i = 1; i < m; i++) connect(i, m + 2 * i - 1);
  compress(n);
  for (int kind = 0; kind < 2; kind++) {
    rattle__linear *a = create(n, kind, kind ? RATTLE__LINEAR_LDL : RATTLE__LINEAR_KLU);
    for (int trial = 0; trial < 20; trial++) {
      fill(a, 1);
      for (int i = 0; i < m; i++)
        for (int e = a->ptr[i]; e < a->ptr[i + 1]; e++)
          if (a->col[e] == i) a->value[e] = trial % 2 ? 0 : 1e-14;
      check(a, 1e-9);
    }
    rattle__linear_destroy(&a);
  }
}

/* A chain of blocks of four unknowns, with the multipliers, which have the fewest neighbours,
 * behind them. */
static rattle__linear *create_saddle(int n) {
  const int m = n / 3;
  rattle__linear *a = NULL;
  memset(flag, 0, sizeof flag);
  for (int i = 0; i < n - m; i++)
    for (int k = i - i % 4; k < i; k++) connect(i, k);
  for (int i = 0; i < m; i++) {
    connect(n - m + i, 2 * i);
    if (2 * i + 3 < n - m) connect(n - m + i, 2 * i + 3);
  }
  for (int i = n - m; i < n; i++) flag[i][i] = 0;
  compress(n);
  assert_int_equal(rattle__linear_create_saddle(&a, &(rattle__saddle){n, m, ptr, col}, NULL, NULL),
                   RATTLE_OK);
  assert_string_equal(a->name, "klu");
  return a;
}

static void fill_saddle(rattle__linear *a) {
  const int first = a->size - a->multipliers;
  fill(a, 1);
  for (int i = first; i < a->size; i++)
    for (int e = a->ptr[i]; e < a->ptr[i + 1]; e++)
      if (a->col[e] >= first) a->value[e] = 0;
}

/* Multipliers last: the pivots of the plan are those of the values, and nothing is allocated. If
 * all multipliers share an unknown, that order would fill the matrix; the order of least fill
 * remains, whose pivots are chosen afresh. */
static void saddle_points_are_solved_in_order(void **state) {
  (void)state;
  seed = 13;
  for (int n = 18; n <= 300; n += 47) {
    rattle__linear *a = create_saddle(n);
    for (int trial = 0; trial < 5; trial++) {
      fill_saddle(a);
      check(a, 1e-9);
    }
    rattle__linear_destroy(&a);
  }
  const int m = 200, n = 2 * m + 1;
  memset(flag, 0, sizeof flag);
  for (int i = 0; i < m; i++) {
    connect(n - m + i, i);
    connect(n - m + i, m);
    if (i) connect(i, i - 1);
  }
  compress(n);
  rattle__linear *a = NULL;
  assert_int_equal(rattle__linear_create_saddle(&a, &(rattle__saddle){n, m, ptr, col}, NULL, NULL),
                   RATTLE_OK);
  fill_saddle(a);
#if COUNTS_ALLOCATIONS
  const long before = allocations;
  assert_int_equal(a->factor(a), RATTLE_OK);
  assert_true(allocations > before);
#endif
  check(a, 1e-9);
  rattle__linear_destroy(&a);
}

/* A diagonal far smaller than the rest: right in exact arithmetic whatever the pivots, but not in
 * ours. */
static void small_pivots_are_not_used(void **state) {
  (void)state;
  seed = 12;
  const int n = 24;
  const rattle__backend backend[] = {RATTLE__LINEAR_DENSE, RATTLE__LINEAR_TRIDIAGONAL,
                                     RATTLE__LINEAR_LDL, RATTLE__LINEAR_KLU};
  for (int b = 0; b < 4; b++) {
    band_pattern(n);
    rattle__linear *a = create(n, 1, backend[b]);
    fill(a, 1);
    for (int i = 0; i < n; i++)
      for (int e = a->ptr[i]; e < a->ptr[i + 1]; e++)
        if (a->col[e] == i) a->value[e] = i % 2 ? 1e-11 : -1e-11;
    check(a, 1e-10);
    rattle__linear_destroy(&a);
  }
}

static void small_agrees_to_the_bit(void **state) {
  (void)state;
  seed = 5;
  for (int n = 1; n <= 2; n++) {
    full_pattern(n);
    rattle__linear *a = create(n, 0, RATTLE__LINEAR_AUTO);
    for (int trial = 0; trial < 1000; trial++) {
      fill(a, 0);
      if (trial % 10 == 0) a->value[n * n - 1] = trial % 20 ? 0 : (double)NAN;
      if (trial % 7 == 0 && n == 2) memcpy(a->value + 2, a->value, 2 * sizeof *a->value);
      double x[2] = {uniform(), uniform()}, y[2] = {x[0], x[1]};
      const int bad = a->factor(a);
      if (!bad) a->solve(a, y);
      assert_int_equal(rattle__solve_small(n, a->value, x), bad != 0);
      assert_memory_equal(x, y, sizeof x);
    }
    rattle__linear_destroy(&a);
  }
}

static void patterns_get_their_diagonal(void **state) {
  (void)state;
  memset(flag, 0, sizeof flag);
  for (int i = 0; i < 40; i++) flag[i][(i + 1) % 40] = flag[(i + 1) % 40][i] = 1;
  compress(40);
  rattle__linear *a = create(40, 1, RATTLE__LINEAR_AUTO);
  assert_int_equal(a->nnz, 120);
  for (int i = 0; i < 40; i++) {
    int found = 0;
    for (int e = a->ptr[i]; e < a->ptr[i + 1]; e++) {
      found += a->col[e] == i;
      if (e > a->ptr[i]) assert_true(a->col[e] > a->col[e - 1]);
    }
    assert_int_equal(found, 1);
  }
  rattle__linear_destroy(&a);
}

static void choice_follows_size_and_pattern(void **state) {
  (void)state;
  const struct {
    const char *name;
    int n, kind, symmetric;
  } cases[] = {{"dense", 0, 1, 0},       {"dense", 1, 1, 0},        {"dense", 3, 1, 1},
               {"tridiagonal", 4, 1, 1}, {"tridiagonal", 50, 1, 0}, {"dense", 30, 2, 1},
               {"ldl", 31, 2, 1},        {"dense", 15, 2, 0},       {"klu", 16, 2, 0},
               {"dense", 16, 3, 0},      {"klu", 31, 2, 0},         {"dense", 60, 3, 1},
               {"dense", 60, 3, 0}};
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    seed = 8;
    if (cases[c].kind == 1) band_pattern(cases[c].n);
    if (cases[c].kind == 2) random_pattern(cases[c].n, 20);
    if (cases[c].kind == 3) full_pattern(cases[c].n);
    if (cases[c].n == 0) ptr[0] = 0;
    rattle__linear *a = create(cases[c].n, cases[c].symmetric, RATTLE__LINEAR_AUTO);
    assert_string_equal(a->name, cases[c].name);
    if (cases[c].n == 0) {
      assert_int_equal(a->factor(a), 0);
      a->solve(a, NULL);
    }
    rattle__linear_destroy(&a);
  }
}

static void bad_patterns_are_refused(void **state) {
  (void)state;
  const int two[] = {0, 1, 2}, beyond[] = {0, 2}, none[] = {0, 0}, order[] = {1, 0},
            start[] = {0, 2, 2}, far[] = {0, 0, 0, 1}, corner[] = {0};
  rattle__linear *a;
  rattle_error error;
  assert_int_equal(rattle__linear_create(&a, -1, none, none, 0, RATTLE__LINEAR_AUTO, &error),
                   RATTLE_BAD_ARGUMENT);
  assert_int_equal(rattle__linear_create(&a, 2, two, beyond, 0, RATTLE__LINEAR_AUTO, &error),
                   RATTLE_BAD_ARGUMENT);
  assert_int_equal(rattle__linear_create(&a, 2, start, order, 0, RATTLE__LINEAR_AUTO, &error),
                   RATTLE_BAD_ARGUMENT);
  assert_int_equal(rattle__linear_create(&a, 3, far, corner, 0, RATTLE__LINEAR_TRIDIAGONAL, &error),
                   RATTLE_BAD_ARGUMENT);
  assert_int_equal(rattle__linear_create(&a, 2, two, none, 0, RATTLE__LINEAR_LDL, &error),
                   RATTLE_BAD_ARGUMENT);
  assert_null(a);
}

/* factor must depend on the values at hand alone: factors before, good, bad or of other pivots,
 * leave no trace. */
static void results_have_no_history(void **state) {
  (void)state;
  seed = 9;
  const int n = 24;
  for (int b = 0; b < BACKENDS; b++)
    for (int trial = 0; trial < 20; trial++) {
      band_pattern(n);
      rattle__linear *a = create(n, backends[b].symmetric, backends[b].backend);
      rattle__linear *fresh = create(n, backends[b].symmetric, backends[b].backend);
      double x[24], y[24];
      for (int before = 0; before < 5; before++) {
        fill(a, before % 2);
        for (int i = 0; i < n && before == 0; i++) /* other pivots than the diagonal's */
          for (int e = a->ptr[i]; e < a->ptr[i + 1]; e++)
            if (a->col[e] == i) a->value[e] = 0;
        if (before == 2) a->value[3] = (double)NAN;
        if (before == 3) memset(a->value, 0, sizeof *a->value * (size_t)a->nnz);
        if (before == 4)
          for (int e = 0; e < a->nnz; e++) a->value[e] *= 1e-9 + fabs(uniform());
        a->factor(a);
      }
      fill(a, trial % 2);
      memcpy(fresh->value, a->value, sizeof *a->value * (size_t)a->nnz);
      for (int i = 0; i < n; i++) x[i] = y[i] = uniform();
      assert_int_equal(a->factor(a), 0);
      assert_int_equal(fresh->factor(fresh), 0);
      a->solve(a, x);
      fresh->solve(fresh, y);
      assert_memory_equal(x, y, sizeof x);
      rattle__linear_destroy(&a);
      rattle__linear_destroy(&fresh);
    }
}

static void factor_and_solve_allocate_nothing(void **state) {
  (void)state;
#if COUNTS_ALLOCATIONS
  seed = 11;
  for (int b = 0; b <= BACKENDS; b++) {
    const int saddle = b == BACKENDS;
    band_pattern(50);
    rattle__linear *a =
        saddle ? create_saddle(50) : create(50, backends[b].symmetric, backends[b].backend);
    double x[50];
    if (saddle)
      fill_saddle(a);
    else
      fill(a, 1);
    const long before = allocations;
    for (int repeat = 0; repeat < 3; repeat++) {
      for (int i = 0; i < 50; i++) x[i] = 1;
      assert_int_equal(a->factor(a), 0);
      a->solve(a, x);
    }
    assert_int_equal(allocations - before, 0);
    rattle__linear_destroy(&a);
  }
#else
  skip();
#endif
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(dense_agrees),
      cmocka_unit_test(tridiagonal_agrees),
      cmocka_unit_test(sparse_agrees),
      cmocka_unit_test(saddle_points_are_solved),
      cmocka_unit_test(saddle_points_are_solved_in_order),
      cmocka_unit_test(small_pivots_are_not_used),
      cmocka_unit_test(small_agrees_to_the_bit),
      cmocka_unit_test(patterns_get_their_diagonal),
      cmocka_unit_test(choice_follows_size_and_pattern),
      cmocka_unit_test(bad_patterns_are_refused),
      cmocka_unit_test(results_have_no_history),
      cmocka_unit_test(factor_and_solve_allocate_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
