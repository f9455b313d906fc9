/* Time per trajectory and step of rattle(verlet) for many trajectories at once, in the lanes of
 * vectors: the library one by one, with vectors of 2 (SSE2), 4 (AVX2) and 8 numbers (AVX-512), as
 * far as the processor has them, and a hand-written twin with vectors of 4 for the pendulum and for
 * the torus, without any check of what it does. Ratios are to one by one. All trajectories end with
 * the same bits, whatever the vectors. */
#include "bench.h"
#include "ground/expr/native.h"
#include "runs/integrate/wide.h"

enum { TRAJECTORIES = 16, STEPS = 3000, PAIRS = 8 };
static const double h = 0.01;

typedef struct ends {
  double q[TRAJECTORIES][PAIRS], p[TRAJECTORIES][PAIRS];
} ends;

static void start(const bench_library *library, ends *at) {
  rattle_error error;
  for (int k = 0; k < TRAJECTORIES; k++) {
    for (int i = 0; i < library->n; i++) at->q[k][i] = at->p[k][i] = (double)NAN;
    at->p[k][1] = -1 - 0.05 * k;
    bench_check(rattle_problem_start(library->problem, 1, at->q[k], at->p[k], NULL, &error),
                &error);
  }
}

static void go_alone(const bench_library *library, ends *at) {
  rattle_error error;
  for (int k = 0; k < TRAJECTORIES; k++) {
    rattle_state state = {.q = at->q[k], .p = at->p[k], .h = h};
    bench_check(rattle_integrator_step(library->integrator, &state, STEPS, &error), &error);
  }
}

/* So many at once as the integrator has been made ready for. */
static void go_together(const bench_library *library, int width, ends *at) {
  static _Alignas(64) double z[2 * PAIRS * TRAJECTORIES], lengths[TRAJECTORIES];
  long long unusual[TRAJECTORIES];
  const int n = library->n;
  for (int first = 0; first < TRAJECTORIES; first += width) {
    for (int l = 0; l < width; l++) {
      lengths[l] = h;
      for (int i = 0; i < n; i++)
        z[i * width + l] = at->q[first + l][i], z[(n + i) * width + l] = at->p[first + l][i];
    }
    if (rattle__integrator_run_wide(library->integrator, lengths, STEPS, z, unusual) != STEPS) {
      fprintf(stderr, "lanes: a step needed care\n");
      exit(1);
    }
    for (int l = 0; l < width; l++)
      for (int i = 0; i < n; i++)
        at->q[first + l][i] = z[i * width + l], at->p[first + l][i] = z[(n + i) * width + l];
  }
}

#if defined(__x86_64__)
#define TWIN
typedef double vector __attribute__((vector_size(32)));

#define TWIN_INLINE __attribute__((target("avx2"))) static inline __attribute__((always_inline))

/* step_special of pendulum.c, four at a time. */
TWIN_INLINE void pendulum_step(vector *z) {
  const vector half_y = z[3] - h / 2, Qx = z[0] + h * z[2], Qy = z[1] + h * half_y;
  const vector a = z[0] * z[0] + z[1] * z[1], b = Qx * z[0] + Qy * z[1], c = Qx * Qx + Qy * Qy - 1;
  vector root = b * b - a * c;
  __asm__("vsqrtpd %1, %0" : "=x"(root) : "x"(root));
  const vector s = c / (b + root), kick = s * (1 / h);
  const vector px = z[2] - kick * z[0], py = half_y - kick * z[1], x = Qx - s * z[0],
               y = Qy - s * z[1];
  const vector mu = (x * px + y * (py - h / 2)) / (x * x + y * y);
  z[0] = x, z[1] = y, z[2] = px - mu * x, z[3] = py - h / 2 - mu * y;
}

/* Newton's iteration of so many corrections: the fourth would change nothing. */
enum { CORRECTIONS = 3 };

TWIN_INLINE void torus_gradient(const vector *q, vector *g, vector *G) {
  const vector axis = q[0] * q[0] + q[1] * q[1], S = axis + q[2] * q[2] + 0.75, c = 4 * S - 8;
  *g = S * S - 4 * axis;
  G[0] = c * q[0], G[1] = c * q[1], G[2] = 4 * S * q[2];
}

TWIN_INLINE void torus_step(vector *z) {
  vector *q = z, *p = z + 3, g, G0[3], G[3], s = {0};
  torus_gradient(q, &g, G0);
  p[2] -= h / 2;
  for (int i = 0; i < 3; i++) q[i] += h * p[i];
  for (int k = 0; k < CORRECTIONS; k++) {
    torus_gradient(q, &g, G);
    const vector delta = g / (G[0] * G0[0] + G[1] * G0[1] + G[2] * G0[2]);
    s += delta;
    for (int i = 0; i < 3; i++) q[i] -= delta * G0[i];
  }
  torus_gradient(q, &g, G);
  for (int i = 0; i < 3; i++) p[i] -= s * (1 / h) * G0[i];
  p[2] -= h / 2;
  const vector mu =
      (G[0] * p[0] + G[1] * p[1] + G[2] * p[2]) / (G[0] * G[0] + G[1] * G[1] + G[2] * G[2]);
  for (int i = 0; i < 3; i++) p[i] -= mu * G[i];
}

/* Eight trajectories of n pairs at a time, two vectors side by side. */
TWIN_INLINE void go_twin(ends *at, int n, void (*step)(vector *z)) {
  _Alignas(32) double number[4 * PAIRS][4];
  for (int first = 0; first < TRAJECTORIES; first += 8) {
    vector z[4 * PAIRS];
    for (int l = 0; l < 8; l++)
      for (int i = 0; i < 2 * n; i++)
        number[l / 4 * 2 * n + i][l % 4] = i < n ? at->q[first + l][i] : at->p[first + l][i - n];
    memcpy(z, number, sizeof z);
    for (int k = 0; k < STEPS; k++) step(z), step(z + 2 * n);
    memcpy(number, z, sizeof z);
    for (int l = 0; l < 8; l++)
      for (int i = 0; i < 2 * n; i++)
        *(i < n ? &at->q[first + l][i] : &at->p[first + l][i - n]) =
            number[l / 4 * 2 * n + i][l % 4];
  }
}

__attribute__((target("avx2"))) static void pendulum_twin(ends *at) {
  go_twin(at, 2, pendulum_step);
}

__attribute__((target("avx2"))) static void torus_twin(ends *at) {
  go_twin(at, 3, torus_step);
}
#endif

/* Both end at the same points, to `agree`. */
static void compare(const char *name, int n, const ends *a, const ends *b, double agree) {
  for (int k = 0; k < TRAJECTORIES; k++)
    for (int i = 0; i < n; i++)
      if (!(fabs(a->q[k][i] - b->q[k][i]) <= agree && fabs(a->p[k][i] - b->p[k][i]) <= agree)) {
        fprintf(stderr, "lanes, %s: trajectory %d ends elsewhere\n", name, k);
        exit(1);
      }
}

/* Contenders: 0 one by one, 1 the twin, then vectors of 2, 4, 8. */
enum { CONTENDERS = 5 };

static void compare_times(const char *file, const char *method, const char *title,
                          void (*twin)(ends *at)) {
  static const char *const names[CONTENDERS] = {"one by one", "twin, vectors of 4", "vectors of 2",
                                                "vectors of 4", "vectors of 8"};
  bench_library library[CONTENDERS];
  int width[CONTENDERS] = {0};
  static double ns[CONTENDERS][BENCH_ROUNDS];
  ends from, alone, at;
  for (int c = 0; c < CONTENDERS; c++) {
    library[c] = bench_open(file, NULL, 0, method, RATTLE_EVALUATOR_NATIVE);
    const int lanes = 1 << (c - 1);
    if (c >= 2 && lanes <= rattle__most_lanes())
      width[c] = rattle__integrator_widen(library[c].integrator, lanes);
  }
  start(&library[0], &from);
  for (int round = 0; round < BENCH_ROUNDS; round++)
    for (int c = 0; c < CONTENDERS; c++) {
      if (c == 1 && !twin) continue;
      if (c > 1 && width[c] < 2) continue;
      at = from;
      const double began = bench_now();
      if (c == 0) go_alone(&library[0], &at);
      if (c == 1) twin(&at);
      if (c > 1) go_together(&library[c], width[c], &at);
      ns[c][round] = (bench_now() - began) / ((double)STEPS * TRAJECTORIES);
      if (c == 0) alone = at;
      compare(names[c], library[0].n, &alone, &at, c == 1 ? 1e-6 : 0);
    }
  const double plain = bench_least(ns[0], BENCH_ROUNDS);
  for (int c = 0; c < CONTENDERS; c++) {
    const double least = bench_least(ns[c], BENCH_ROUNDS);
    if (ns[c][0] > 0)
      printf("lanes\t%s, %s\t1\t%.2f\tns/step\t%.3f\n", title, names[c], least, least / plain);
    bench_close(&library[c]);
    memset(ns[c], 0, sizeof ns[c]);
  }
}

int main(void) {
  void (*pendulum)(ends *) = NULL, (*torus)(ends *) = NULL;
#ifdef TWIN
  if (__builtin_cpu_supports("avx2")) pendulum = pendulum_twin, torus = torus_twin;
#endif
  compare_times("pendulum.lua", "rattle(verlet)", "pendulum", pendulum);
  compare_times("double_pendulum.lua", "rattle(verlet)", "double pendulum", NULL);
  compare_times("loop.lua", "rattle(verlet)", "loop of four rods", NULL);
  compare_times("torus.lua", "rattle(verlet)", "torus", torus);
  compare_times("bead.lua", "rattle(midpoint)", "bead, midpoint", NULL);
  compare_times("bead.lua", "rattle(gauss(2))", "bead, gauss(2)", NULL);
  compare_times("../examples/harmonic.lua", "rattle(midpoint)", "sphere in C^2, midpoint", NULL);
  compare_times("loop.lua", "rattle(midpoint)", "loop of four rods, midpoint", NULL);
  compare_times("sleigh.lua", "rattle(verlet)", "sleigh", NULL);
  return 0;
}
