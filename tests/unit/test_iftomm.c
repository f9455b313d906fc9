/* The rigid problems of the IFToMM library of multibody benchmarks (M. Gonzalez, D. Dopico, U.
 * Lugris, J. Cuadrado, Multibody Syst. Dyn. 16 (2006) 295) against other formulations of the same
 * mechanisms, which have no constraints: sn for the pendulum, one angle for the four-bars, a
 * quadrature for Andrews' mechanism, the angles at the hinges of Bricard's linkage, three
 * coordinates for the governor.
 *
 * Error    of samples y_i at equal intervals of time: the root of the mean of e_i^2, e_i = |y_i -
 *          Y_i| / max(|Y_i|, a scale) */
#include "evaluators.h"

enum { SAMPLES = 40, MOST_SEEN = 20 };

typedef struct trial {
  const char *file, *method; /* file: an example, or a text */
  double h;
  long long every; /* steps between samples */
  int seen;        /* how many of the quantities observed are compared */
  int samples;
  const rattle_model_options *options;
} trial;

/* Errors of the observed quantities against Y [samples*seen], and the largest change of the
 * energy. */
static double error_of(const trial *t, const double *Y, double scale, double *energy) {
  run r;
  char path[300];
  double z[500], H0, H, y[MOST_SEEN], sum = 0;
  const int samples = t->samples;
  snprintf(path, sizeof path, "%s/examples/%s", RATTLE_SOURCE_DIR, t->file);
  if (strchr(t->file, '\n') ? rattle_model_parse(&r.model, t->file, "m.lua", NULL, &r.error)
                            : rattle_model_load(&r.model, path, t->options, &r.error))
    fail_msg("%s", r.error.message);
  assert_true(rattle_model_observables(r.model) <= MOST_SEEN);
  assert_int_equal(rattle_problem_create(&r.problem, r.model, NULL, &r.error), RATTLE_OK);
  assert_int_equal(rattle_integrator_create(&r.integrator, r.problem, t->method, &r.error),
                   RATTLE_OK);
  r.state = (rattle_state){.q = z, .p = z + rattle_problem_n(r.problem), .h = t->h};
  if (rattle_problem_start(r.problem, 0, r.state.q, r.state.p, NULL, &r.error))
    fail_msg("%s: %s", t->file, r.error.message);
  assert_int_equal(rattle_problem_energy(r.problem, r.state.q, r.state.p, &H0, &r.error),
                   RATTLE_OK);
  *energy = 0;
  for (int i = 0; i < samples; i++) {
    if (rattle_integrator_step(r.integrator, &r.state, t->every, &r.error))
      fail_msg("%s: %s", t->file, r.error.message);
    assert_int_equal(rattle_problem_observe(r.problem, r.state.q, r.state.p, y, &r.error),
                     RATTLE_OK);
    assert_int_equal(rattle_problem_energy(r.problem, r.state.q, r.state.p, &H, &r.error),
                     RATTLE_OK);
    *energy = fmax(*energy, fabs(H - rattle_integrator_work(r.integrator, &r.state) - H0));
    for (int k = 0; k < t->seen; k++) {
      const double exact = Y[i * t->seen + k], e = (y[k] - exact) / fmax(fabs(exact), scale);
      sum += e * e;
    }
  }
  end(&r);
  return sqrt(sum / (samples * t->seen));
}

/* Fourth-order Runge-Kutta steps of x' = f(x). */
typedef void field(const double *x, double *f);
static void advance(field *f, int n, double *x, double h, int steps) {
  double k[4][12], y[12];
  for (; steps > 0; steps--) {
    f(x, k[0]);
    for (int s = 1; s < 4; s++) {
      for (int i = 0; i < n; i++) y[i] = x[i] + (s < 3 ? h / 2 : h) * k[s - 1][i];
      f(y, k[s]);
    }
    for (int i = 0; i < n; i++) x[i] += h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
  }
}

/* sn(u, k) by descending Landen's transformation. */
static double sn(double u, double k) {
  if (k < 1e-9) return sin(u);
  const double root = sqrt(1 - k * k), l = (1 - root) / (1 + root), s = sn(u / (1 + l), l);
  return (1 + l) * s / (1 + l * s * s);
}

/* A01: 1 kg at 1 m, released level with its pivot. sin(phi/2) = k sn(K - w t), phi from below, K
 * the quarter of the period. 10 s, and as the library specifies it (A01_specification.xml of M.
 * Gonzalez, 2005): 2000 s in 4000 samples, scale 1e-3, errors of at most 1e-3 for "high
 * precision". */
enum { SPECIFIED = 4000 };
static void simple_pendulum(void **state) {
  (void)state;
  static double Y[2 * SPECIFIED];
  const char text[] = "local x, px = pair('x') local y, py = pair('y')\nmass { x = 1, y = 1 } "
                      "potential(9.81*y) constrain('bar', x^2 + y^2 - 1)\n"
                      "start { x = -1 } observe('X', x) observe('Y', y)";
  const struct {
    trial t;
    double scale, most, energy;
  } rows[] = {
      {{text, "suzuki4(rattle(verlet))", 0.01, 25, 2, SAMPLES, NULL}, 1e-1, 1e-5, 5e-6},
      {{text, "kahan_li8(rattle(verlet))", 0.05, 10, 2, SPECIFIED, NULL}, 1e-3, 1e-5, 1e-7}};
  const double w = sqrt(9.81), k = sqrt(0.5), K = 1.8540746773013719184;
  for (int r = 0; r < 2; r++) {
    const trial *t = &rows[r].t;
    double energy;
    for (int i = 0; i < t->samples; i++) {
      const double s = k * sn(fmod(K - w * t->h * (double)(t->every * (i + 1)), 4 * K), k),
                   phi = 2 * asin(s);
      Y[2 * i] = -sin(phi), Y[2 * i + 1] = -cos(phi);
    }
    const double e = error_of(t, Y, rows[r].scale, &energy);
    if (!(e < rows[r].most && energy < rows[r].energy)) fail_msg("%d: %g, %g J", r, e, energy);
  }
}

/* A02: bars stay parallel, so that their angle is that of a pendulum of the same inertia and
 * weight. Two windows and 10 s, and as the library specifies it: 40 windows, 20 s in 400 samples,
 * scale 1e-3, errors of at most 1e-3. */
static double windows;
static void bars(const double *x, double *f) {
  const double N = windows, I = (N + 1) / 3 + N, weight = 9.81 * ((N + 1) / 2 + N);
  f[0] = x[1], f[1] = -weight / I * cos(x[0]);
}
static void four_bars(void **state) {
  (void)state;
  static double Y[2 * SPECIFIED];
  const rattle_parameter forty = {"N", 40};
  const rattle_model_options options = {
      .struct_size = sizeof options, .parameters = &forty, .parameter_count = 1};
  const struct {
    trial t;
    double N, scale, most, energy;
  } rows[] = {{{"four_bars.lua", "kahan_li8(rattle(verlet))", 0.01, 25, 2, SAMPLES, NULL},
               2,
               1e-1,
               1e-8,
               1e-9},
              {{"four_bars.lua", "suzuki4(rattle(verlet))", 0.025, 2, 2, 400, &options},
               40,
               1e-3,
               1e-3,
               1e-1}};
  for (int r = 0; r < 2; r++) {
    const trial *t = &rows[r].t;
    double x[2] = {M_PI / 2, -1}, energy;
    windows = rows[r].N;
    for (int i = 0; i < t->samples; i++) {
      advance(bars, 2, x, t->h * (double)t->every / 1000, 1000);
      Y[2 * i] = cos(x[0]), Y[2 * i + 1] = sin(x[0]);
    }
    const double e = error_of(t, Y, rows[r].scale, &energy);
    if (!(e < rows[r].most && energy < rows[r].energy)) fail_msg("%d: %g, %g J", r, e, energy);
  }
}

/* A03: the angles at 0.03 s by a quadrature of 34 digits, tests/reference/andrews_quadrature.py. */
static void andrews(void **state) {
  (void)state;
  static const double known[] = {15.810771195153707097,   -15.75637105841183947,
                                 0.040822240119645804858, -0.53473011634207959377,
                                 0.52440996587995406937,  0.53473011634207959377,
                                 1.0480807410419378731};
  static const char *const methods[] = {"kahan_li8(rattle(verlet))", "spark(5)"};
  for (int m = 0; m < 2; m++) {
    run r;
    double z[60], angle[7];
    assert_int_equal(
        rattle_model_load(&r.model, RATTLE_SOURCE_DIR "/examples/andrews.lua", NULL, &r.error),
        RATTLE_OK);
    assert_int_equal(rattle_problem_create(&r.problem, r.model, NULL, &r.error), RATTLE_OK);
    assert_int_equal(rattle_integrator_create(&r.integrator, r.problem, methods[m], &r.error),
                     RATTLE_OK);
    r.state = (rattle_state){.q = z, .p = z + rattle_problem_n(r.problem), .h = 1e-4};
    assert_int_equal(rattle_problem_start(r.problem, 0, r.state.q, r.state.p, NULL, &r.error),
                     RATTLE_OK);
    assert_int_equal(rattle_integrator_step(r.integrator, &r.state, 300, &r.error), RATTLE_OK);
    assert_int_equal(rattle_problem_observe(r.problem, r.state.q, r.state.p, angle, &r.error),
                     RATTLE_OK);
    for (int i = 0; i < 7; i++)
      if (!(fabs(angle[i] - known[i]) < 1e-11))
        fail_msg("%s: %d differs by %g", methods[m], i, angle[i] - known[i]);
    end(&r);
  }
}

/* A04: hinges k at corners P_k of a cube with axes a_k, five rods from each to the next. In the
 * angles of the hinges the loop closes where sum_k t_k (a_k, P_k x a_k) = 0, which has one solution
 * t; along it A u' + A_s u^2/2 + V_s = 0, A/2 the kinetic energy of t, s its arc. */
static const double corner[7][3] = {{0, 0, 0},  {1, 0, 0}, {1, -1, 0}, {1, -1, 1},
                                    {0, -1, 1}, {0, 0, 1}, {0, 0, 0}},
                    hinge[6][3] = {{0, 1, 0}, {0, 0, 1}, {1, 0, 0},
                                   {0, 1, 0}, {0, 0, 1}, {1, 0, 0}};
typedef struct loop {
  double P[7][3], a[6][3],
      x[5][3]; /* hinges and their axes now, directions of the rods; P[6]: where the loop ends */
} loop;

static void cross(const double *a, const double *b, double *c) {
  for (int i = 0; i < 3; i++)
    c[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}
static double dot(const double *a, const double *b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
/* v turned by an angle about the unit vector a. */
static void turn(double *v, const double *a, double angle) {
  double c[3];
  const double along = dot(a, v) * (1 - cos(angle));
  cross(a, v, c);
  for (int i = 0; i < 3; i++) v[i] = v[i] * cos(angle) + c[i] * sin(angle) + a[i] * along;
}
/* Places the bodies beyond hinge k, which turn about it; the last hinges first. */
static void place(const double *angle, loop *l) {
  for (int i = 0; i < 7; i++) memcpy(l->P[i], corner[i], sizeof l->P[i]);
  memcpy(l->a, hinge, sizeof l->a);
  for (int i = 0; i < 5; i++)
    for (int c = 0; c < 3; c++) l->x[i][c] = corner[i + 1][c] - corner[i][c];
  for (int k = 5; k >= 0; k--) {
    for (int i = k + 1; i < 7; i++) {
      double r[3];
      for (int c = 0; c < 3; c++) r[c] = l->P[i][c] - corner[k][c];
      turn(r, hinge[k], angle[k]);
      for (int c = 0; c < 3; c++) l->P[i][c] = corner[k][c] + r[c];
    }
    for (int i = k + 1; i < 6; i++) turn(l->a[i], hinge[k], angle[k]);
    for (int i = k; i < 5; i++) turn(l->x[i], hinge[k], angle[k]);
  }
}
/* The rates t of length 1 with which the loop stays closed, on the side of `like`: elimination with
 * full pivoting. */
static void rates(const loop *l, const double *like, double *t) {
  double B[6][6], size = 0, side = 0;
  int column[6] = {0, 1, 2, 3, 4, 5};
  for (int k = 0; k < 6; k++) {
    double moment[3];
    cross(l->P[k], l->a[k], moment);
    for (int c = 0; c < 3; c++) B[c][k] = l->a[k][c], B[3 + c][k] = moment[c];
  }
  for (int p = 0; p < 5; p++) {
    int r = p, c = p;
    for (int i = p; i < 6; i++)
      for (int j = p; j < 6; j++)
        if (fabs(B[i][j]) > fabs(B[r][c])) r = i, c = j;
    for (int j = 0; j < 6; j++) {
      const double kept = B[p][j];
      B[p][j] = B[r][j], B[r][j] = kept;
    }
    for (int i = 0; i < 6; i++) {
      const double kept = B[i][p];
      B[i][p] = B[i][c], B[i][c] = kept;
    }
    const int name = column[p];
    column[p] = column[c], column[c] = name;
    for (int i = p + 1; i < 6; i++)
      for (int j = 5; j >= p; j--) B[i][j] -= B[i][p] / B[p][p] * B[p][j];
  }
  double y[6] = {0, 0, 0, 0, 0, 1};
  for (int p = 4; p >= 0; p--)
    for (int j = p + 1; j < 6; j++) y[p] -= B[p][j] * y[j] / B[p][p];
  for (int j = 0; j < 6; j++) t[column[j]] = y[j], size += y[j] * y[j];
  for (int k = 0; k < 6; k++) side += t[k] * like[k];
  for (int k = 0; k < 6; k++) t[k] /= side < 0 ? -sqrt(size) : sqrt(size);
}
/* A and V_s of these rates. */
static double inertia(const loop *l, const double *t, double *slope) {
  const double thin = 0.02 / 12, long_ = 1.01 / 12;
  double A = 0;
  *slope = 0;
  for (int i = 0; i < 5; i++) {
    double w[3] = {0}, v[3] = {0}, centre[3];
    for (int c = 0; c < 3; c++) centre[c] = l->P[i][c] + l->x[i][c] / 2;
    for (int k = 0; k <= i; k++) {
      double r[3], u[3];
      for (int c = 0; c < 3; c++) r[c] = centre[c] - l->P[k][c];
      cross(l->a[k], r, u);
      for (int c = 0; c < 3; c++) w[c] += t[k] * l->a[k][c], v[c] += t[k] * u[c];
    }
    A += dot(v, v) + long_ * dot(w, w) + (thin - long_) * dot(w, l->x[i]) * dot(w, l->x[i]);
    *slope += 9.81 * v[1];
  }
  return A;
}
static double heading[6] = {1, 0, 0, 0, 0, 0};
static void bricard_field(const double *x, double *f) {
  double t[6], near[6], y[6], A[2], slope, unused;
  loop l;
  place(x, &l);
  rates(&l, heading, t);
  memcpy(heading, t, sizeof t);
  for (int k = 0; k < 6; k++) f[k] = t[k] * x[6];
  const double inertia_here = inertia(&l, t, &slope), d = 1e-5;
  for (int side = 0; side < 2; side++) {
    for (int k = 0; k < 6; k++) y[k] = x[k] + (side ? d : -d) * t[k];
    place(y, &l);
    rates(&l, t, near);
    A[side] = inertia(&l, near, &unused);
  }
  f[6] = -((A[1] - A[0]) / (4 * d) * x[6] * x[6] + slope) / inertia_here;
}
static void bricard(void **state) {
  (void)state;
  double Y[3 * SAMPLES], x[7] = {0}, energy;
  loop l;
  for (int i = 0; i < SAMPLES; i++) {
    advance(bricard_field, 7, x, 1e-3, 250);
    place(x, &l);
    for (int c = 0; c < 3; c++) {
      Y[3 * i + c] = l.P[3][c];
      assert_true(fabs(l.P[6][c]) < 1e-8); /* the loop is closed */
    }
  }
  const trial t = {"bricard.lua", "suzuki4(rattle(verlet))", 0.005, 50, 3, SAMPLES, NULL};
  const double e = error_of(&t, Y, 1e-1, &energy);
  if (!(e < 1e-7 && energy < 1e-7)) fail_msg("%g, %g J", e, energy);
}

/* A05 in the angle of the arms below the horizontal, the height of the slider, and the angle of the
 * shaft, whose momentum is conserved. */
static double governor_momentum;
static double governor_inertia(double b, double *slope) {
  const double arm = 0.3, ball = 5, thin = arm * 2 * 1e-4 / 12, long_ = arm * (1 + 1e-4) / 12,
               c = cos(b), s = sin(b);
  const double middle = 0.05 + 0.5 * c, end_ = 0.05 + c;
  *slope = 2 * (2 * s * c * (thin - long_) - 2 * arm * middle * 0.5 * s - 2 * ball * end_ * s);
  return 0.3 * 2e-4 / 12 + 3 * 0.02 / 12 +
         2 * (thin * s * s + long_ * c * c + arm * middle * middle + ball * end_ * end_);
}
static void governor_field(const double *x, double *f) {
  const double b = x[0], s = x[1], db = x[2], ds = x[3], arm = 0.3, ball = 5, k = 8e5, c = 4e4,
               g = 9.81;
  double slope;
  const double J = governor_inertia(b, &slope), w = governor_momentum / J;
  const double I = 2 * (arm * (1 + 1e-4) / 12 + arm * 0.25 + ball);
  const double u = 0.5 * cos(b), v = 1 - 0.5 * sin(b) - s, l = hypot(u, v);
  const double l_b = (-0.5 * u * sin(b) - 0.5 * v * cos(b)) / l, l_s = -v / l;
  const double pull = 2 * (k * (l - 0.5) + c * (l_b * db + l_s * ds));
  f[0] = db, f[1] = ds, f[4] = w;
  f[2] = (w * w * slope / 2 + 2 * g * cos(b) * (arm / 2 + ball) - pull * l_b) / I;
  f[3] = -g - pull * l_s / 3;
}
static void governor(void **state) {
  (void)state;
  double Y[SAMPLES], x[5] = {M_PI / 6, 0.5, 0, 0, 0}, slope, energy;
  governor_momentum = 2 * M_PI * governor_inertia(x[0], &slope);
  for (int i = 0; i < SAMPLES; i++) {
    advance(governor_field, 5, x, 5e-5, 1000);
    Y[i] = x[1];
  }
  const trial t = {"governor.lua", "rattle(midpoint)", 0.005, 10, 1, SAMPLES, NULL};
  const double e = error_of(&t, Y, 1e-1, &energy);
  if (!(e < 1e-3)) fail_msg("%g, %g J", e, energy);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(simple_pendulum), cmocka_unit_test(four_bars),
                                     cmocka_unit_test(andrews), cmocka_unit_test(bricard),
                                     cmocka_unit_test(governor)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
