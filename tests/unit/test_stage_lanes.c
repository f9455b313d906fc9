/* An iteration of stages in lanes (maps/base/stages.h) against sums that are written out here, to
 * the bit: each width that the processor has, one to ten stages, with forces and without. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "ground/support/processor.h"
#include "maps/base/stages.h"

enum { N = 3, NZ = 2 * N, MOST = 10 };

typedef struct stages {
  rattle__arena arena;
  rattle__function H;
  rattle_problem problem;
  rattle__stage_lanes s;
  double a[2][RATTLE__STAGES][RATTLE__STAGES], weight[2][RATTLE__STAGES][RATTLE__STAGES];
  double force[2][MOST * N], z0[NZ], Z[MOST][NZ], J[MOST][NZ];
} stages;

static int never(const rattle__function *f, int lanes, const double *x, double *J, double *work) {
  (void)f, (void)lanes, (void)x, (void)J, (void)work;
  return 1;
}

static double number(int i, int j, int k) {
  return sin(1 + 2.3 * i + 5.1 * j + 0.7 * k) * exp(cos(3.0 * i + j + 2.0 * k));
}

static void put(stages *t) {
  for (int i = 0; i < t->s.lanes * t->s.blocks; i++)
    for (int c = 0; c < NZ; c++) {
      const int stage = i < t->s.count ? i : t->s.count - 1;
      t->s.Z[rattle__stage_entry(&t->s, i, c)] = t->Z[stage][c];
      t->s.J[rattle__stage_entry(&t->s, i, c)] = t->J[stage][c];
    }
}

/* The last momentum is an energy, which has a size of its own. */
static void set_out(stages *t, int lanes, int count, int forces) {
  memset(t, 0, sizeof *t);
  t->H = (rattle__function){.vars = NZ, .lanes = lanes, .in_lanes = never};
  t->problem = (rattle_problem){.n = N, .H = &t->H, .account = 1};
  rattle__stage_lanes_create(&t->s, &t->arena, &t->problem, count);
  for (int part = 0; part < 2; part++) {
    for (int i = 0; i < count; i++)
      for (int j = 0; j < count; j++)
        t->a[part][i][j] = number(i, j, part), t->weight[part][i][j] = number(j, i, 4 + part);
    for (int e = 0; e < MOST * N; e++) t->force[part][e] = number(e, part, 9);
    rattle__stage_lanes_weigh(&t->s, part, t->a[part], 0);
    if (forces) rattle__stage_lanes_push(&t->s, &t->arena, part, t->weight[part], t->force[part]);
    t->s.forces[part].a = 0.3 + part;
  }
  assert_false(t->arena.failed);
  for (int c = 0; c < NZ; c++) t->z0[c] = number(c, 1, 1);
  for (int i = 0; i < count; i++)
    for (int c = 0; c < NZ; c++) t->Z[i][c] = number(i, c, 2), t->J[i][c] = number(i, c, 3);
  put(t);
}

/* Z of one stage, as the text says. */
static double next(const stages *t, int i, int c, double h, int forces) {
  const int part = c >= N;
  double sum = 0, pushed = 0;
  for (int j = 0; j < t->s.count; j++) sum += t->a[part][i][j] * t->J[j][part ? c - N : c + N];
  for (int k = 0; k < t->s.count && forces; k++)
    pushed += t->weight[part][i][k] * t->force[part][k * N + c - part * N];
  const double plain = part ? t->z0[c] - h * sum : t->z0[c] + h * sum;
  return forces ? plain - t->s.forces[part].a * pushed : plain;
}

static void check(int lanes, int count, int forces, int parts) {
  static stages t;
  const double h = 0.37;
  double size[2][2] = {{-1, -1}, {-1, -1}}, moved[2] = {0}, large[2] = {0};
  set_out(&t, lanes, count, forces);
  t.s.improve(&t.s, parts, h, t.z0, size);
  for (int i = 0; i < t.s.lanes * t.s.blocks; i++)
    for (int c = 0; c < NZ; c++) {
      const int stage = i < count ? i : count - 1, part = c >= N;
      const double found = t.s.Z[rattle__stage_entry(&t.s, i, c)],
                   right = part < parts ? next(&t, stage, c, h, forces) : t.Z[stage][c];
      if (memcmp(&found, &right, sizeof found) != 0)
        fail_msg("%d lanes, %d stages, forces %d: entry %d of stage %d is %.17g, not %.17g", lanes,
                 count, forces, c, i, found, right);
      if (c == NZ - 1) continue;
      moved[part] = fmax(moved[part], fabs(found - t.Z[stage][c]));
      large[part] = fmax(large[part], fabs(found));
    }
  for (int part = 0; part < parts; part++) {
    assert_memory_equal(&size[0][part], &moved[part], sizeof(double));
    assert_memory_equal(&size[1][part], &large[part], sizeof(double));
  }
  rattle__arena_release(&t.arena);
}

static int has(int lanes) {
  return lanes == 2 || (lanes == 4 && rattle__processor_has("avx2")) ||
         (lanes == 8 && rattle__processor_has("avx512f") && rattle__processor_has("avx512dq"));
}

static void all_widths_have_the_bits_of_the_text(void **unused) {
  (void)unused;
  for (int lanes = 2; lanes <= 8; lanes *= 2)
    for (int count = 1; count <= MOST && has(lanes); count++) {
      check(lanes, count, 0, 2);
      check(lanes, count, 1, 2);
      check(lanes, count, 0, 1);
    }
}

/* What is not a number is the largest of all, wherever it is. */
static void no_number_is_seen(void **unused) {
  (void)unused;
  static stages t;
  for (int lanes = 2; lanes <= 8; lanes *= 2)
    for (int stage = 0; stage < 7 && has(lanes); stage++) {
      double size[2][2];
      set_out(&t, lanes, 7, 0);
      t.Z[stage][1] = NAN, t.Z[stage][N] = INFINITY;
      put(&t);
      t.s.improve(&t.s, 2, 0.1, t.z0, size);
      assert_true(isnan(size[0][0]) && isinf(size[0][1]) && size[1][0] < 1e3 && size[1][1] < 1e3);
      rattle__arena_release(&t.arena);
    }
}

/* Beginnings, continuations and reading go by stages, whatever the lanes. */
static void stages_are_set_and_read(void **unused) {
  (void)unused;
  static stages t;
  for (int lanes = 2; lanes <= 8; lanes *= 2)
    for (int count = 1; count <= 8 && has(lanes); count++) {
      double time[16], f[NZ], read[8 * NZ], memory[1 + 8 * NZ];
      set_out(&t, lanes, count, 0);
      for (int i = 0; i < 16; i++) time[i] = 0.1 * (i < count ? i : count - 1);
      for (int c = 0; c < NZ; c++) f[c] = number(c, 0, 6);
      rattle__stage_lanes_begin(&t.s, time, t.z0, f);
      rattle__stage_lanes_read(&t.s, read);
      for (int e = 0; e < count * NZ; e++)
        assert_true(read[e] == t.z0[e % NZ] + time[e / NZ] * f[e % NZ]);
      rattle__continued past = {.count = count, .width = NZ, .memory = memory};
      for (int i = 0; i < count; i++)
        for (int j = 0; j < count; j++) past.weight[i][j] = number(i, j, 8);
      for (int e = 0; e <= count * NZ; e++) memory[e] = number(e, 2, 2);
      rattle__stage_lanes_continue(&t.s, &past, t.z0);
      rattle__stage_lanes_read(&t.s, read);
      for (int e = 0; e < count * NZ; e++)
        assert_true(read[e] == rattle__continued_at(&past, e / NZ, e % NZ, t.z0[e % NZ]));
      rattle__arena_release(&t.arena);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_widths_have_the_bits_of_the_text),
      cmocka_unit_test(no_number_is_seen),
      cmocka_unit_test(stages_are_set_and_read),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
