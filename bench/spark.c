/* spark(s): time per step of spark(3) for the double pendulum, the library against a hand-written
 * twin; and work to an error of 1e-8, against compositions of RATTLE and the other maps that know
 * the constraints, for the double pendulum and for a bead whose Hamiltonian is not separable: CPU
 * time from the fewest steps on a geometric grid from which the next three are as good.
 *
 * q = (x1, y1, x2, y2), unit masses and links, V = y1 + y2; a, d: Lobatto IIIA and IIIB with three
 * stages. The twin iterates on the four multipliers with one matrix a step, -h^2 (a d) x N(q0), and
 * takes the stage Q2 along: each iteration is one pass over the equations. The library does nearly
 * the same for natural problems (maps/constrained/spark_natural.c), for any number of links. */
#include "bench.h"

static const double a[3][3] = {
    {0, 0, 0}, {5 / 24.0, 1 / 3.0, -1 / 24.0}, {1 / 6.0, 2 / 3.0, 1 / 6.0}};
static const double d[3][3] = {
    {1 / 6.0, -1 / 6.0, 0}, {1 / 6.0, 1 / 3.0, 0}, {1 / 6.0, 5 / 6.0, 0}};
static const double b[3] = {1 / 6.0, 2 / 3.0, 1 / 6.0};

static double dot(const double *x, const double *y) {
  return x[0] * y[0] + x[1] * y[1];
}

/* F = V_q + G(q)^T lambda */
static void force(const double *q, const double *lambda, double *F) {
  for (int k = 0; k < 2; k++) {
    const double r = q[k], s = q[2 + k] - q[k], load = k;
    F[k] = load + 2 * lambda[0] * r - 2 * lambda[1] * s;
    F[2 + k] = load + 2 * lambda[1] * s;
  }
}

static void constraint(const double *q, double *g) {
  const double r[2] = {q[0], q[1]}, s[2] = {q[2] - q[0], q[3] - q[1]};
  g[0] = dot(r, r) - 1;
  g[1] = dot(s, s) - 1;
}

/* The inverse of N = G G^T at q */
static void inverse_of_N(const double *q, double inverse[2][2]) {
  const double r[2] = {q[0], q[1]}, s[2] = {q[2] - q[0], q[3] - q[1]};
  const double A = 4 * dot(r, r), B = -4 * dot(r, s), C = 8 * dot(s, s),
               scale = 1 / (A * C - B * B);
  inverse[0][0] = C * scale;
  inverse[0][1] = inverse[1][0] = -B * scale;
  inverse[1][1] = A * scale;
}

static void times(double A[2][2], const double *x, double *y) {
  for (int i = 0; i < 2; i++) y[i] = A[i][0] * x[0] + A[i][1] * x[1];
}

/* The multiplier of the continuous problem: N lambda = G_qq(p,p) - G V_q */
static void guess(double inverse[2][2], const double *q, const double *p, double *lambda) {
  const double w[2] = {p[2] - p[0], p[3] - p[1]};
  const double f[2] = {2 * dot(p, p) - 2 * q[1], 2 * dot(w, w)};
  times(inverse, f, lambda);
}

/* p -= G^T N^-1 G p at q */
static void project(const double *q, double *p) {
  double inverse[2][2], lambda[2];
  const double r[2] = {q[0], q[1]}, s[2] = {q[2] - q[0], q[3] - q[1]},
               w[2] = {p[2] - p[0], p[3] - p[1]};
  const double psi[2] = {2 * dot(r, p), 2 * dot(s, w)};
  inverse_of_N(q, inverse);
  times(inverse, psi, lambda);
  for (int k = 0; k < 2; k++) {
    p[k] -= 2 * lambda[0] * r[k] - 2 * lambda[1] * s[k];
    p[2 + k] -= 2 * lambda[1] * s[k];
  }
}

static int step(double h, double *q, double *p) {
  double L[2][2], F[3][4], P[3][4], Q[3][4], inverse[2][2], was = INFINITY;
  const double none[2] = {0, 0};
  /* (a d) for the stages 2, 3 and the multipliers 1, 2, inverted: */
  const double m00 = a[1][0] * d[0][0] + a[1][1] * d[1][0] + a[1][2] * d[2][0];
  const double m01 = a[1][0] * d[0][1] + a[1][1] * d[1][1] + a[1][2] * d[2][1];
  const double m10 = a[2][0] * d[0][0] + a[2][1] * d[1][0] + a[2][2] * d[2][0];
  const double m11 = a[2][0] * d[0][1] + a[2][1] * d[1][1] + a[2][2] * d[2][1];
  const double scale = 1 / (h * h * (m00 * m11 - m01 * m10));
  inverse_of_N(q, inverse);
  guess(inverse, q, p, L[0]);
  memcpy(L[1], L[0], sizeof L[0]);
  memcpy(Q[0], q, sizeof Q[0]);
  for (int k = 0; k < 4; k++) {
    Q[1][k] = q[k] + h / 2 * p[k];
    Q[2][k] = q[k] + h * p[k];
  }
  for (int iteration = 0; iteration < 60; iteration++) {
    double g[2][2], x[2][2], most = 0;
    force(Q[0], L[0], F[0]);
    force(Q[1], L[1], F[1]);
    force(Q[2], none, F[2]);
    for (int i = 0; i < 3; i++)
      for (int k = 0; k < 4; k++) P[i][k] = p[k] - h * (d[i][0] * F[0][k] + d[i][1] * F[1][k]);
    for (int i = 1; i < 3; i++)
      for (int k = 0; k < 4; k++) {
        const double to = q[k] + h * (a[i][0] * P[0][k] + a[i][1] * P[1][k] + a[i][2] * P[2][k]);
        most = fmax(most, fabs(to - Q[i][k]));
        Q[i][k] = to;
      }
    for (int i = 0; i < 2; i++) {
      constraint(Q[1 + i], g[i]);
      most = fmax(most, fmax(fabs(g[i][0]), fabs(g[i][1])));
      times(inverse, g[i], x[i]);
    }
    if (most <= 4e-16 || (iteration > 2 && most < 1e-14 && most >= was)) {
      for (int k = 0; k < 4; k++) p[k] -= h * (b[0] * F[0][k] + b[1] * F[1][k] + b[2] * F[2][k]);
      memcpy(q, Q[2], sizeof Q[2]);
      project(q, p);
      return 0;
    }
    was = most;
    for (int i = 0; i < 2; i++) {
      L[0][i] += scale * (m11 * x[0][i] - m01 * x[1][i]);
      L[1][i] += scale * (m00 * x[1][i] - m10 * x[0][i]);
    }
  }
  return 1;
}

static int advance(void *self, double h, long long steps, double *q, double *p) {
  (void)self;
  for (long long k = 0; k < steps; k++)
    if (step(h, q, p)) return 1;
  return 0;
}

/* --- work to an error --- */

typedef struct work {
  const char *file;
  const char *const *methods; /* the first is the yardstick, with a small step; ended by NULL */
  int n;
  double end, z[8];
} work;

static double miss(const work *w, bench_library *library, long long steps, const double *exact,
                   double *ns) {
  double z[8], most = 0;
  memcpy(z, w->z, sizeof z);
  rattle_state state = {.q = z, .p = z + w->n, .h = w->end / (double)steps};
  const double begin = bench_now();
  const rattle_status status = rattle_integrator_step(library->integrator, &state, steps, NULL);
  *ns = bench_now() - begin;
  for (int k = 0; k < 2 * w->n; k++) most = fmax(most, fabs(z[k] - exact[k]));
  return status == RATTLE_OK ? most : INFINITY;
}

static void measure(const work *w, const char *method, const double *exact) {
  bench_library library = bench_open(w->file, NULL, 0, method, RATTLE_EVALUATOR_NATIVE);
  double steps = 5, first = 0, ns, times[BENCH_REPEATS];
  for (int good = 0; good < 4 && steps < 1e6; steps *= 1.05) {
    good = miss(w, &library, (long long)steps, exact, &ns) <= 1e-8 ? good + 1 : 0;
    if (good == 1) first = steps;
  }
  for (int i = 0; i < BENCH_REPEATS; i++) miss(w, &library, (long long)first, exact, &times[i]);
  printf("work to 1e-8\t%s: %s\t%lld\t%.3f\tms\t\n", w->file, method, (long long)first,
         1e-6 * bench_median(times, BENCH_REPEATS));
  bench_close(&library);
}

static void measure_all(const work *w) {
  double exact[8];
  memcpy(exact, w->z, sizeof exact);
  bench_library yardstick = bench_open(w->file, NULL, 0, w->methods[0], RATTLE_EVALUATOR_NATIVE);
  bench_advance(&yardstick, w->end / 1000, 1000, exact, exact + w->n);
  bench_close(&yardstick);
  for (int i = 1; w->methods[i]; i++) measure(w, w->methods[i], exact);
}

static const char *const natural[] = {"kahan_li10(rattle(verlet))",
                                      "spark(2)",
                                      "spark(3)",
                                      "spark(4)",
                                      "spark(5)",
                                      "rattle(verlet)",
                                      "suzuki4(rattle(verlet))",
                                      "kahan_li6(rattle(verlet))",
                                      "kahan_li8(rattle(verlet))",
                                      "multistep4",
                                      "multistep8",
                                      "geodesic_rkn4",
                                      "geodesic_rkn6",
                                      "suzuki4(discrete_gradient)",
                                      "kahan_li6(discrete_gradient)",
                                      NULL};
static const char *const general[] = {"kahan_li10(rattle(midpoint))",
                                      "spark(3)",
                                      "spark(4)",
                                      "spark(5)",
                                      "kahan_li6(spark(3))",
                                      "suzuki4(rattle(midpoint))",
                                      "kahan_li6(rattle(midpoint))",
                                      "kahan_li8(rattle(midpoint))",
                                      "kahan_li6(rattle_monolithic)",
                                      "suzuki4(discrete_gradient)",
                                      "kahan_li6(discrete_gradient)",
                                      NULL};

enum { LOOP_METHODS = 4, LOOP_STEPS = 20, LOOP_ROUNDS = 15 };

/* A loop of bodies: time per new stage, s - 1 in a step of spark(s), next to rattle(verlet); least
 * of interleaved rounds. */
static void measure_bodies(void) {
  static const char *const methods[LOOP_METHODS] = {"rattle(verlet)", "spark(2)", "spark(3)",
                                                    "spark(4)"};
  bench_library library[LOOP_METHODS];
  double least[LOOP_METHODS];
  rattle_error error;
  for (int i = 0; i < LOOP_METHODS; i++) {
    library[i] = bench_open("../examples/bennett.lua", NULL, 0, methods[i], RATTLE_EVALUATOR_BLOCK);
    least[i] = INFINITY;
  }
  const int n = rattle_problem_n(library[0].problem);
  double *q = calloc(2 * (size_t)n, sizeof *q), *p = q + n;
  for (int round = 0; round < LOOP_ROUNDS && q; round++)
    for (int i = 0; i < LOOP_METHODS; i++) {
      bench_check(rattle_problem_start(library[i].problem, 1, q, p, NULL, &error), &error);
      const double begin = bench_now();
      if (bench_advance(&library[i], 0.005, LOOP_STEPS, q, p)) exit(1);
      const double stages = LOOP_STEPS * (i > 1 ? i : 1);
      least[i] = fmin(least[i], (bench_now() - begin) / stages);
    }
  for (int i = 0; i < LOOP_METHODS; i++) {
    printf("spark\tbennett, %s, a stage\t%d\t%.1f\tus\t%.2f\n", methods[i], n, 1e-3 * least[i],
           least[i] / least[0]);
    bench_close(&library[i]);
  }
  free(q);
}

int main(void) {
  bench_library native =
      bench_open("double_pendulum.lua", NULL, 0, "spark(3)", RATTLE_EVALUATOR_NATIVE);
  bench_library block =
      bench_open("double_pendulum.lua", NULL, 0, "spark(3)", RATTLE_EVALUATOR_BLOCK);
  bench_case cases[] = {{.name = "twin", .advance = advance},
                        {.name = "library, native", .advance = bench_advance, .self = &native},
                        {.name = "library, block", .advance = bench_advance, .self = &block}};
  const double q[4] = {sin(1), -cos(1), 2 * sin(1), -2 * cos(1)}, p[4] = {0};
  bench_compare("spark(3), double pendulum", 1, cases, 3, 0.01, 2000, 4, q, p, 1e-8);
  bench_close(&native);
  bench_close(&block);
  const work works[] = {{"double_pendulum.lua", natural, 4, 2, {q[0], q[1], q[2], q[3]}},
                        {"bead.lua", general, 3, 2, {0.8, 0, -0.6, 0.6, 1, 0.8}}};
  for (int i = 0; i < 2; i++) measure_all(&works[i]);
  measure_bodies();
  return 0;
}
