/* CPU time for a simulated second at equal error: joint coordinates against those of bodies, and
 * dop853, which is not symplectic, by itself, on the trees of hinges of trees.lua; loops by
 * spark_gauss(s) with each s for itself, and by the methods that joint coordinates had before it. For
 * each error the fastest method of each kind with its largest step; the error is the distance of the
 * last body's centre after 1 s from gauss(8) or spark_gauss(8) with steps of 1/400 s, and steps count
 * from which on all smaller ones hold it too. Rows: system, error, kind, method, steps in a second,
 * ms. Then the time of a step in joint coordinates: system, "step", method, steps in a second,
 * gradients in a step, us by the interpreter and as machine code. Arguments: the systems whose name the first begins; "steps": these times
 * alone. */
#include "bench.h"

enum { STEPS = 20, METHODS = 4, ROUNDS = 40, KINDS = 9 };
static const int tried[STEPS] = {8,   10,  12,  15,  18,  25,  36,   50,   70,   100,
                                 140, 200, 280, 400, 560, 800, 1200, 2000, 4000, 10000};
typedef struct family {
  const char *name, *method[METHODS];
} family;
static const family trees[KINDS] = {{"bodies",
                                     {"rattle(verlet)", "suzuki4(rattle(verlet))",
                                      "kahan_li8(rattle(verlet))", NULL}},
                                    {"joints", {"gauss(2)", "gauss(4)", "gauss(6)", "gauss(8)"}},
                                    {"joints, not symplectic", {"dop853", NULL}}},
                    loops[KINDS] = {
                        {"bodies",
                         {"rattle(verlet)", "suzuki4(rattle(verlet))", "kahan_li8(rattle(verlet))",
                          "multistep8"}},
                        {"joints, before",
                         {"suzuki4(rattle(midpoint))", "spark(3)", "spark(4)", "spark(5)"}},
                        {"joints", {"spark_gauss(2)", NULL}},
                        {"joints", {"spark_gauss(3)", NULL}},
                        {"joints", {"spark_gauss(4)", NULL}},
                        {"joints", {"spark_gauss(5)", NULL}},
                        {"joints", {"spark_gauss(6)", NULL}},
                        {"joints", {"spark_gauss(7)", NULL}},
                        {"joints", {"spark_gauss(8)", NULL}}};

typedef struct contender {
  bench_library library;
  double *start, *z, error[STEPS]; /* of each number of steps; NaN: a step fails */
} contender;

static contender set_out(int system, int joints, const char *by, int evaluator) {
  const rattle_parameter given[] = {{"system", system}, {"joints", joints}};
  contender c = {.library = bench_open_with("trees.lua", given, 2, by, evaluator)};
  rattle_error error;
  const int n = c.library.n;
  c.start = calloc(4 * (size_t)n, sizeof *c.start);
  c.z = c.start + 2 * n;
  if (!c.start) exit(1);
  bench_check(rattle_problem_start(c.library.problem, 0, c.start, c.start + n, NULL, &error),
              &error);
  return c;
}

static void end(contender *c) {
  bench_close(&c->library);
  free(c->start);
}

/* A second from the start; 0, or -1 if a step fails. */
static int advance(contender *c, int steps) {
  const int n = c->library.n;
  rattle_error error;
  memcpy(c->z, c->start, 2 * (size_t)n * sizeof *c->z);
  rattle_state state = {.q = c->z, .p = c->z + n, .h = 1.0 / steps};
  return rattle_integrator_step(c->library.integrator, &state, steps, &error) ? -1 : 0;
}

/* A coordinate of a body by name: a coordinate of the model, or a quantity. */
static double place(const contender *c, const char *name) {
  static double all[2000];
  const rattle_model *model = c->library.model;
  rattle_error error;
  for (int k = 0; k < c->library.n; k++)
    if (!strcmp(rattle_model_coordinate_name(model, k), name)) return c->z[k];
  bench_check(rattle_problem_observe(c->library.problem, c->z, c->z + c->library.n, all, &error),
              &error);
  for (int i = 0; i < rattle_model_observables(model); i++)
    if (!strcmp(rattle_model_observable_name(model, i), name)) return all[i];
  exit(1);
}

static double distance(const contender *c, int body, const double *from, double *to) {
  double sum = 0;
  for (int i = 0; i < 3; i++) {
    char name[20];
    snprintf(name, sizeof name, "b%d.%c", body, "xyz"[i]);
    const double x = place(c, name);
    if (to) to[i] = x;
    if (from) sum += (x - from[i]) * (x - from[i]);
  }
  return sqrt(sum);
}

/* The least number of steps from which on all hold the error; 0: none. */
static int steps_for(const contender *c, double error) {
  int least = 0;
  for (int i = STEPS - 1; i >= 0; i--) {
    if (!(c->error[i] <= error)) break;
    least = tried[i];
  }
  return least;
}

static void compare(const char *name, int system, int bodies, const family *kinds) {
  double exact[3];
  contender by[KINDS][METHODS] = {0},
            reference = set_out(system, 1, kinds == loops ? "spark_gauss(8)" : "gauss(8)",
                                RATTLE_EVALUATOR_AUTO);
  if (advance(&reference, 400)) exit(1);
  (void)distance(&reference, bodies, NULL, exact);
  end(&reference);
  for (int kind = 0; kind < KINDS; kind++)
    for (int k = 0; k < METHODS && kinds[kind].method[k]; k++) {
      contender *c = &by[kind][k];
      *c = set_out(system, kind > 0, kinds[kind].method[k], RATTLE_EVALUATOR_AUTO);
      for (int i = 0; i < STEPS; i++)
        c->error[i] = advance(c, tried[i]) ? NAN : distance(c, bodies, exact, NULL);
    }
  static const double errors[] = {1e-3, 1e-6, 1e-10};
  for (int e = 0; e < 3; e++) {
    double least[KINDS][METHODS];
    for (int round = 0; round < ROUNDS; round++)
      for (int kind = 0; kind < KINDS; kind++)
        for (int k = 0; k < METHODS && kinds[kind].method[k]; k++) {
          const int steps = steps_for(&by[kind][k], errors[e]);
          const double begin = bench_now();
          if (!steps || advance(&by[kind][k], steps)) continue;
          const double ms = 1e-6 * (bench_now() - begin);
          if (!round || ms < least[kind][k]) least[kind][k] = ms;
        }
    for (int kind = 0; kind < KINDS; kind++) {
      int best = -1;
      for (int k = 0; k < METHODS && kinds[kind].method[k]; k++)
        if (steps_for(&by[kind][k], errors[e]) && (best < 0 || least[kind][k] < least[kind][best]))
          best = k;
      if (best < 0) continue;
      printf("%s\t%g\t%s\t%s\t%d\t%.3f\n", name, errors[e], kinds[kind].name,
             kinds[kind].method[best], steps_for(&by[kind][best], errors[e]), least[kind][best]);
    }
  }
  for (int kind = 0; kind < KINDS; kind++)
    for (int k = 0; k < METHODS && kinds[kind].method[k]; k++) end(&by[kind][k]);
}

/* The time of a step without and with the past as first guess, by turns. */
static void time_steps(const char *name, int system, int loop) {
  enum { COUNT = 4 };
  static const char *const gauss[2][COUNT] = {
      {"gauss(4)", "gauss(4, guess=past)", "gauss(8)", "gauss(8, guess=past)"},
      {"spark_gauss(4)", "spark_gauss(4, guess=past)", "spark_gauss(4)",
       "spark_gauss(4, guess=past)"}};
  static const int in_a_second[COUNT] = {100, 100, 50, 50};
  contender by[COUNT][2] = {0};
  double least[COUNT][2], gradients[COUNT];
  for (int k = 0; k < COUNT; k++)
    for (int code = 0; code < 2; code++) {
      by[k][code] =
          set_out(system, 1, gauss[loop][k], code ? RATTLE_EVALUATOR_AUTO : RATTLE_EVALUATOR_BLOCK);
      least[k][code] = INFINITY;
    }
  for (int round = 0; round < ROUNDS; round++)
    for (int k = 0; k < COUNT; k++)
      for (int code = 0; code < 2; code++) {
        rattle_integrator *by_it = by[k][code].library.integrator;
        rattle_integrator_reset(by_it);
        const double begin = bench_now();
        if (advance(&by[k][code], in_a_second[k])) exit(1);
        least[k][code] = fmin(least[k][code], 1e-3 * (bench_now() - begin) / in_a_second[k]);
        gradients[k] = (double)rattle_integrator_counts(by_it).gradient / in_a_second[k];
      }
  for (int k = 0; k < COUNT; k++) {
    printf("%s\tstep\t%s\t%d\t%.1f\t%.2f\t%.2f\n", name, gauss[loop][k], in_a_second[k],
           gradients[k], least[k][0], least[k][1]);
    end(&by[k][0]), end(&by[k][1]);
  }
}

int main(int count, char **arguments) {
  static const struct {
    const char *name;
    int system, bodies, loop;
  } all[] = {{"ten hinges", 1, 10, 0},
             {"tree of 30 hinges", 2, 30, 0},
             {"free body", 8, 0, 0},
             {"four-bar", 9, 3, 1},
             {"Bricard", 10, 5, 1}};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    if (count > 1 && strncmp(all[i].name, arguments[1], strlen(arguments[1])) != 0) continue;
    if (all[i].bodies && count < 3)
      compare(all[i].name, all[i].system, all[i].bodies, all[i].loop ? loops : trees);
    time_steps(all[i].name, all[i].system, all[i].loop);
  }
  return 0;
}
