/* Loops in joint coordinates by spark_gauss(s): the two ways to a step, bodies in the same motion,
 * order, reversal, energy, resumption, long steps. */
#include "rod_loops.h"

#include "maps/constrained/spark_contraction.h"
#include "problem/functions/probe.h"

/* A step from z in place. */
static rattle_status apply(rattle__map *map, int n, double h, double *z) {
  double end[MOST];
  rattle_error error;
  const rattle_status status = map->apply(map, h, z, end, &error);
  if (!status) memcpy(z, end, 2 * (size_t)n * sizeof *z);
  return status;
}

static double apart(int n, const double *z, const double *w) {
  double most = 0;
  for (int k = 0; k < 2 * n; k++) most = fmax(most, fabs(z[k] - w[k]) / (1 + fabs(w[k])));
  return most;
}

/* The two ways: contraction, alone, and Newton's method with its guard. */
typedef struct two_ways {
  rattle__context context[2];
  rattle__map *map[2];
} two_ways;

/* Maps keep the addresses of their contexts: w stays where it is. */
static void ways(two_ways *w, const made *m, int stages) {
  rattle__spark_scheme scheme;
  rattle_error error;
  rattle__spark_scheme_gauss(stages, &scheme);
  for (int i = 0; i < 2; i++)
    w->context[i] = (rattle__context){.problem = m->problem, .solver = "none"};
  assert_int_equal(
      rattle__spark_contraction_create(&w->map[0], &w->context[0], &scheme, NULL, 0, &error), 0);
  assert_int_equal(rattle__spark_create(&w->map[1], &w->context[1], &scheme, &error), 0);
}

static void end_ways(two_ways *w) {
  for (int i = 0; i < 2; i++) {
    w->map[i]->destroy(w->map[i]);
    rattle__probe_destroy(&w->context[i].probe);
    rattle__arena_release(&w->context[i].arena);
  }
}

/* Both make the same steps; contraction makes short ones without help. */
static void contraction_is_the_map(void **unused) {
  (void)unused;
  for (int which = 0; which < LOOPS; which++)
    for (int s = 1; s <= 8; s += which ? 3 : 1) {
      made m = make(loop(which, "joints"), "spark_gauss(2)", 0.01, 0);
      double z[2][MOST];
      assert_true(m.problem->swept && m.problem->m == loops[which].m && 2 * m.n <= MOST);
      two_ways w;
      ways(&w, &m, s);
      for (int i = 0; i < 2; i++) {
        memcpy(z[i], m.state.q, 2 * (size_t)m.n * sizeof **z);
        for (int k = 0; k < 10; k++)
          if (apply(w.map[i], m.n, 0.01, z[i]))
            fail_msg("%s: step %d of way %d with %d stages", loops[which].name, k, i, s);
      }
      if (!(apart(m.n, z[0], z[1]) < 2e-13))
        fail_msg("%s, %d stages: the ways end %g apart", loops[which].name, s,
                 apart(m.n, z[0], z[1]));
      end_ways(&w);
      unmake(&m);
    }
}

/* Steps of any length: one that contraction takes is that of Newton's method, whose guard takes it
 * too; one that it does not take changes nothing. */
static void long_steps_are_the_same(void **unused) {
  (void)unused;
  int taken = 0, refused = 0;
  for (int which = 0; which < LOOPS; which++)
    for (int s = 2; s <= 5; s += 3) {
      made m = make(loop(which, "joints"), "spark_gauss(4)", 0.01, 0);
      two_ways w;
      ways(&w, &m, s);
      step(&m, 20 + 7 * which);
      for (double h = 0.03; h < 0.5; h *= 1.7)
        for (int back = 0; back < 2; back++) {
          double z[2][MOST];
          rattle_status status[2];
          for (int i = 0; i < 2; i++) {
            memcpy(z[i], m.state.q, 2 * (size_t)m.n * sizeof **z);
            status[i] = apply(w.map[i], m.n, back ? -h : h, z[i]);
          }
          taken += !status[0], refused += status[0] != 0;
          if (!status[0] && status[1])
            fail_msg("%s, %d stages, step %g: Newton's method refuses it", loops[which].name, s, h);
          if (!status[0] && !(apart(m.n, z[0], z[1]) < 1e-11))
            fail_msg("%s, %d stages, step %g: %g apart", loops[which].name, s, h,
                     apart(m.n, z[0], z[1]));
          if (status[0]) assert_true(apart(m.n, z[0], m.state.q) == 0);
        }
      end_ways(&w);
      unmake(&m);
    }
  assert_true(taken > 20 && refused > 10);
}

/* The places of all bodies, to the error of the other method. */
static void bodies_move_alike(void **unused) {
  (void)unused;
  for (int which = 0; which < LOOPS; which++) {
    made joints = make(loop(which, "joints"), "spark_gauss(5)", 0.02, 0),
         bodies = make(loop(which, "bodies"), "kahan_li8(rattle(verlet))", 0.0025, 0);
    step(&joints, 25);
    step(&bodies, 200);
    for (int b = 1; b <= loops[which].bodies; b++)
      for (int k = 1; k <= 3; k++) {
        char name[32];
        snprintf(name, sizeof name, "p%d%d", b, k);
        const double d = seen(&joints, name) - seen(&bodies, name);
        if (!(fabs(d) < 1e-9)) fail_msg("%s: %s is %g apart", loops[which].name, name, d);
      }
    unmake(&joints), unmake(&bodies);
  }
}

/* z after a second */
static void second(int which, int s, int steps, double *z) {
  char method[32];
  snprintf(method, sizeof method, "spark_gauss(%d)", s);
  made m = make(loop(which, "joints"), method, 1.0 / steps, 0);
  step(&m, steps);
  memcpy(z, m.state.q, 2 * (size_t)m.n * sizeof *z);
  unmake(&m);
}

static void order_is_twice_the_stages(void **unused) {
  (void)unused;
  static const int steps[] = {0, 200, 60, 40, 30};
  for (int s = 1; s <= 4; s++) {
    double exact[MOST] = {0}, coarse[MOST] = {0}, fine[MOST] = {0};
    second(2, 8, 100, exact);
    second(2, s, steps[s], coarse);
    second(2, s, 2 * steps[s], fine);
    const double order = log2(apart(5, coarse, exact) / apart(5, fine, exact));
    if (!(fabs(order - 2 * s) < 0.25 * s)) fail_msg("%d stages: order %g", s, order);
  }
}

static void steps_are_undone(void **unused) {
  (void)unused;
  for (int which = 0; which < LOOPS; which++)
    for (int s = 1; s <= 7; s += 2) {
      char method[32];
      snprintf(method, sizeof method, "spark_gauss(%d)", s);
      made m = make(loop(which, "joints"), method, 0.02, 0);
      double start[MOST];
      memcpy(start, m.state.q, 2 * (size_t)m.n * sizeof *start);
      step(&m, 25);
      m.state.h = -0.02;
      step(&m, 25);
      if (!(apart(m.n, m.state.q, start) < 1e-11))
        fail_msg("%s, %s: back %g from the start", loops[which].name, method,
                 apart(m.n, m.state.q, start));
      unmake(&m);
    }
}

/* The energy of some hundred swings, and the same bits by an integrator that begins in between. */
static void energy_stays(void **unused) {
  (void)unused;
  for (int which = 0; which < 2; which++) {
    made m = make(loop(which, "joints"), "spark_gauss(6)", 0.02, 0), resumed;
    const double E = seen(&m, "E");
    double most = 0;
    for (int k = 0; k < 100; k++) {
      step(&m, 25);
      most = fmax(most, fabs(seen(&m, "E") - E));
    }
    if (!(most < 1e-10)) fail_msg("%s: energy off by %g", loops[which].name, most);
    resumed = make(loop(which, "joints"), "spark_gauss(6)", 0.02, 0);
    memcpy(resumed.state.q, m.state.q, 2 * (size_t)m.n * sizeof *m.state.q);
    step(&m, 3);
    for (int k = 0; k < 3; k++) step(&resumed, 1);
    assert_memory_equal(m.state.q, resumed.state.q, 2 * (size_t)m.n * sizeof *m.state.q);
    unmake(&m), unmake(&resumed);
  }
}

static void loops_have_it_by_default(void **unused) {
  (void)unused;
  made m = make(loop(2, "joints"), "spark_gauss(1)", 0.01, 0),
       other = make(loop(2, "joints"), "rattle(midpoint)", 0.01, 0);
  assert_memory_equal(rattle_default_method(m.problem), "spark_gauss(", 12);
  step(&m, 50), step(&other, 50);
  assert_true(apart(m.n, m.state.q, other.state.q) < 1e-11);
  unmake(&m), unmake(&other);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(contraction_is_the_map),  cmocka_unit_test(long_steps_are_the_same),
      cmocka_unit_test(bodies_move_alike),       cmocka_unit_test(order_is_twice_the_stages),
      cmocka_unit_test(steps_are_undone),        cmocka_unit_test(energy_stays),
      cmocka_unit_test(loops_have_it_by_default)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
