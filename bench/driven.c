/* Time per step of rattle(verlet) for a pendulum that is driven, damped, or watched for an event:
 * the library against plain hand-written twins.
 *
 *     p½ = p + h/2 (f(q, p½, t) - λ G),  Q = q + h p½,  |Q|² = 1;   p1 = p½ + h/2 (f(Q, p½, t + h)
 *     - μ G(Q)),  Q·p1 = 0
 *
 * driven   f = (a cos 1.3 t, -1), and p_t: the energy that the drive supplies;  damped: f = (0, -1)
 *          - c p½, and its work f·(Q - q)
 * event    x = 0 with x' > 0, by steps of fractional length: the secant method with bisection, to
 *          2^-52 of the step
 * twins    λ by Newton's method to 1e-14, as in pendulum.c, of the force too */
#include "bench.h"

typedef struct pendulum {
  double drive, friction, supplied, work;
  long long step, events;
  double last; /* where in its step the last event was */
} pendulum;

static const double rate = 1.3;

static double dot(const double *a, const double *b) {
  return a[0] * b[0] + a[1] * b[1];
}

/* One step from t to end. */
static int step(pendulum *s, double t, double end, double *q, double *p) {
  const double h = end - t, share = 1 / (1 + h / 2 * s->friction), here = s->drive * cos(rate * t),
               there = s->drive * cos(rate * end);
  double lambda = (dot(p, p) - q[1]) / (2 * dot(q, q)), half[2], Q[2];
  int iteration = 0;
  for (;; iteration++) {
    for (int k = 0; k < 2; k++) {
      half[k] = share * (p[k] - h / 2 * ((k ? 1 : -here) + 2 * lambda * q[k]));
      Q[k] = q[k] + h * half[k];
    }
    const double g = dot(Q, Q) - 1;
    if (fabs(g) <= 1e-14) break;
    if (iteration == 20) return 1;
    lambda += g / (2 * h * h * share * dot(Q, q));
  }
  for (int k = 0; k < 2; k++) p[k] = half[k] - h / 2 * ((k ? 1 : -there) + s->friction * half[k]);
  const double mu = dot(Q, p) / dot(Q, Q);
  if (s->drive != 0)
    s->supplied += h / 2 * s->drive * rate * (q[0] * sin(rate * t) + Q[0] * sin(rate * end));
  for (int k = 0; k < 2; k++) {
    s->work -= s->friction * half[k] * (Q[k] - q[k]);
    p[k] -= mu * Q[k];
    q[k] = Q[k];
  }
  return 0;
}

/* x after a step of length h from (q, p) */
static double x_after(pendulum *s, double h, const double *q, const double *p) {
  double Q[2] = {q[0], q[1]}, P[2] = {p[0], p[1]};
  return h == 0 ? q[0] : step(s, 0, h, Q, P) ? (double)NAN : Q[0];
}

static void locate(pendulum *s, double h, double before, double after, const double *q,
                   const double *p) {
  double low = 0, high = 1;
  while (high - low > 0x1p-52) {
    double middle = low - before * (high - low) / (after - before);
    if (!(middle - low > 0.01 * (high - low) && high - middle > 0.01 * (high - low)))
      middle = (low + high) / 2;
    const double x = x_after(s, middle * h, q, p);
    if (x == 0) low = high = middle;
    if (x < 0) low = middle, before = x;
    if (x > 0) high = middle, after = x;
  }
  s->last = high;
  s->events++;
}

static int advance(void *self, double h, long long steps, double *q, double *p) {
  pendulum *s = self;
  s->supplied = s->work = 0;
  for (long long k = 0; k < steps; k++)
    if (step(s, (double)k * h, (double)(k + 1) * h, q, p)) return 1;
  if (s->drive != 0) q[2] = (double)steps * h, p[2] = -s->supplied;
  return 0;
}

static int advance_watched(void *self, double h, long long steps, double *q, double *p) {
  pendulum *s = self;
  s->events = 0;
  for (long long k = 0; k < steps; k++) {
    const double from[4] = {q[0], q[1], p[0], p[1]};
    if (step(s, 0, h, q, p)) return 1;
    if (from[0] < 0 && q[0] >= 0) locate(s, h, from[0], q[0], from, from + 2);
  }
  return 0;
}

/* --- the library with an event ---------------------------------------------------------------- */

static long long heard;

static rattle_status hear(void *self, const rattle_occurrence *occurrence, rattle_error *error) {
  (void)self, (void)occurrence, (void)error;
  heard++;
  return RATTLE_OK;
}

static int advance_run(void *self, double h, long long steps, double *q, double *p) {
  const bench_library *library = self;
  rattle_state state = {.q = q, .p = p, .h = h};
  rattle_run_options options = {
      .struct_size = sizeof options, .steps = steps, .every = steps, .initial_energy = (double)NAN};
  rattle_observer observer = {.struct_size = sizeof observer, .event = hear}, *all[] = {&observer};
  rattle_summary summary = {.struct_size = sizeof summary};
  rattle_error error;
  heard = 0;
  bench_check(rattle_run(library->integrator, &state, &options, all, 1, &summary, &error), &error);
  return 0;
}

/* --- the comparison --------------------------------------------------------------------------- */

static void compare(const char *name, const char *parameter, double value, pendulum twin,
                    int event) {
  const rattle_parameter given = {parameter, value};
  bench_library native =
      bench_open_with("driven.lua", &given, 1, "rattle(verlet)", RATTLE_EVALUATOR_NATIVE);
  bench_library block =
      bench_open_with("driven.lua", &given, 1, "rattle(verlet)", RATTLE_EVALUATOR_BLOCK);
  int (*by)(void *, double, long long, double *, double *) = event ? advance_run : bench_advance;
  bench_case cases[] = {
      {.name = "twin, plain", .advance = event ? advance_watched : advance, .self = &twin},
      {.name = "library, native", .advance = by, .self = &native},
      {.name = "library, block", .advance = by, .self = &block}};
  const double q[3] = {1, 0, 0}, p[3] = {0, -2, 0};
  /* a run makes an integrator for fractional steps, which short ones do not pay back */
  bench_compare(name, 1, cases, 3, 0.025, event ? 200000 : 10000, native.n, q, p, 1e-7);
  if (event && heard != twin.events)
    exit(fprintf(stderr, "%lld events, and the twin has %lld\n", heard, twin.events));
  bench_close(&native);
  bench_close(&block);
}

int main(void) {
  compare("driven pendulum", "drive", 0.3, (pendulum){.drive = 0.3}, 0);
  compare("damped pendulum", "friction", 0.05, (pendulum){.friction = 0.05}, 0);
  compare("with an event", "event", 1, (pendulum){0}, 1);
  return 0;
}
