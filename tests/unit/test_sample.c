/* Chains against measures that are known by their moments, with fixed seeds. Bounds leave a chance
 * of about 1e-5, so that another libm, whose draws are others, does not fail either.
 * tests/claims/test_samplers.c has histograms. */
#include "sampled.h"

static void expect(const char *model, const char *method, double step, const char *name,
                   double mean) {
  fixture f = open(model);
  rattle_sampling *sampling = sample(&f, method, step, 2000, 3);
  const double d = off(sampling, name, mean);
  if (d > FAR) fail_msg("%s: the mean of %s is %g errors off %g", method, name, d, mean);
  rattle_sampling_destroy(&sampling);
  close(&f);
}

static void test_moments(void **state) {
  (void)state;
  static const char *const exact[] = {"hmc(rattle(verlet), steps=5",
                                      "langevin(rattle(verlet), friction=2", "random_walk(",
                                      "nuts(rattle(verlet)"};
  const double langevin = 1 / tanh(2.0) - 0.5;
  for (int i = 0; i < 4; i++) {
    char surface[80], delta[80], hot[80];
    snprintf(surface, sizeof surface, i == 2 ? "random_walk" : "%s)", exact[i]);
    snprintf(delta, sizeof delta, "%s%smeasure=delta)", exact[i], i == 2 ? "" : ", ");
    snprintf(hot, sizeof hot, "%s%stemperature=2)", exact[i], i == 2 ? "" : ", ");
    expect(torus, surface, 0.15, "cos", 0.25);
    expect(torus, delta, 0.15, "cos", 0);
    expect(sphere, surface, 0.3, "z", -langevin);
    expect(sphere, surface, 0.3, "zz", 1 - 2 * langevin / 2);
    expect(sphere, hot, 0.3, "z", -(1 / tanh(1.0) - 1));
    expect(links, surface, 0.25, "cc", around(links_cc) / around(links_weight));
    expect(links, delta, 0.25, "cc", 0.5);
    expect(plane, surface, 0.5, "x", 6.0 / 11);
    expect(plane, surface, 0.5, "dd", 5.0 / 11);
    expect(wells, surface, i == 2 ? 1 : 0.4, "right", around(wells_right) / around(wells_weight));
  }
}

/* Springs of frequencies 1 and 10, and 0.7 and 10 on the plane z = x: the fast one turns within the
 * halves of orbits whose ends have not turned, so that the measure is wrong if a half, or a half of
 * a half, is not asked. */
static void test_turns_within_orbits(void **state) {
  (void)state;
  static const char
      springs[] = "local x,px = pair('x') local y,py = pair('y')\n"
                  "hamiltonian((px^2 + py^2)/2 + (x^2 + (10*y)^2)/2)\n"
                  "observe('xx', x^2) observe('yy', (10*y)^2) start{x = 1}\n",
      tilted[] =
          XYZ "hamiltonian((px^2 + py^2 + pz^2)/2 + (x^2 + (10*y)^2)/2) constrain('plane', z - x)\n"
              "observe('xx', x^2) observe('yy', (10*y)^2) start{x = 1, z = 1}\n";
  for (int fast = 0; fast < 2; fast++)
    for (double h = 0.11; h < 0.18; h += 0.03) {
      expect(springs, "nuts(verlet)", h, fast ? "yy" : "xx", 1);
      expect(tilted, "nuts(rattle(verlet))", h, fast ? "yy" : "xx", 1);
    }
}

/* Two circles of radius 1 around (2, 0) and (-2, 0): arc length, or for delta(g), whose gradient is
 * 16 (2 +- cos phi), that over 2 +- cos phi; phi from the right. */
#define CIRCLES "((x - 2)^2 + y^2 - 1)*((x + 2)^2 + y^2 - 1)"
static const char two_circles[] =
    "local x,px = pair('x') local y,py = pair('y') hamiltonian((px^2 + 2*py^2)/2 + 0.3*x)\n"
    "constrain('circles', " CIRCLES ") start{x = 1}\n";
/* The same times a circle, of which a second constraint makes a cylinder: no line of solutions, but
 * planes. */
static const char two_tori[] =
    XYZ "local w,pw = pair('w') hamiltonian((px^2 + py^2 + pz^2 + pw^2)/2 + 0.3*x + z/2)\n"
        "constrain('circles', " CIRCLES ") constrain('circle', z^2 + w^2 - 1) start{x = 1, z = 1}\n"
        "observe('right', (1 + x/sqrt(x^2 + 1e-12))/2) observe('out', sqrt(x^2) - 2)\n";

/* Modified Bessel function I_n, by its series. */
static double bessel(int n, double x) {
  double sum = 0, term = n ? x / 2 : 1;
  for (int k = 0; k < 20; term *= x * x / 4 / ((k + 1) * (k + 1 + n)), k++) sum += term;
  return sum;
}

enum { ARCS = 6 };
static double circles_density(double x, double phi, int delta) {
  return exp(-0.3 * x) / (delta ? 2 + (x > 0 ? 1 : -1) * cos(phi) : 1);
}
/* The probabilities of twice ARCS bins, by the midpoint rule. The metric of masses 1 and 1/2
 * measures arcs by sqrt(sin^2 + cos^2/2). */
static void circles_bins(double *part, int delta) {
  double sum = 0;
  for (int b = 0; b < 2 * ARCS; b++) {
    part[b] = 0;
    for (int i = 0; i < 500; i++) {
      const double phi = (b % ARCS + (i + 0.5) / 500) * 2 * M_PI / ARCS,
                   x = (b < ARCS ? 2 : -2) + cos(phi);
      const double arc = sqrt(sin(phi) * sin(phi) + cos(phi) * cos(phi) / 2);
      part[b] += circles_density(x, phi, delta) * (delta ? 1 : arc);
    }
    sum += part[b];
  }
  for (int b = 0; b < 2 * ARCS; b++) part[b] /= sum;
}

/* chi-squared, 11 degrees of freedom, of samples that are taken so far apart that they hardly
 * depend on each other. */
static double circles_chi(const char *method, double step, int delta) {
  fixture f = open(two_circles);
  rattle_sampling *sampling = sample(&f, method, step, 750, 20);
  const rattle_sampling_result *r = rattle_sampling_result_of(sampling);
  double part[2 * ARCS], chi = 0;
  long long count[2 * ARCS] = {0}, all = r->draws * r->chains;
  for (long long i = 0; i < all; i++) {
    const double x = r->value[i * r->columns], y = r->value[i * r->columns + 1],
                 phi = atan2(y, fabs(x) - 2);
    count[(x > 0 ? 0 : ARCS) +
          (int)(ARCS * fmod((x > 0 ? phi : M_PI - phi) / (2 * M_PI) + 1, 1))]++;
  }
  circles_bins(part, delta);
  for (int b = 0; b < 2 * ARCS; b++) {
    const double want = part[b] * (double)all;
    chi += ((double)count[b] - want) * ((double)count[b] - want) / want;
  }
  rattle_sampling_destroy(&sampling);
  close(&f);
  return chi;
}

static void test_solutions(void **state) {
  (void)state;
  static const struct {
    const char *method;
    double step;
    int delta;
  } line[] = {{"random_walk(solutions=all, reach=8)", 0.7, 0},
              {"random_walk(solutions=all, reach=8, near=0.6, measure=delta)", 0.7, 1},
              {"hmc(rattle(verlet), steps=3, solutions=all, reach=8, near=0.8)", 0.5, 0}};
  static const char *const planes[] = {
      "random_walk(solutions=all, reach=8, starts=8)",
      "hmc(rattle(verlet), steps=2, solutions=all, reach=8, near=0.3, starts=6)"};
  for (size_t i = 0; i < sizeof line / sizeof *line; i++) {
    const double chi = circles_chi(line[i].method, line[i].step, line[i].delta);
    if (chi > 48) fail_msg("%s: chi-squared %g", line[i].method, chi);
  }
  assert_true(circles_chi("random_walk", 0.7, 0) > 1000);
  assert_true(circles_chi("hmc(rattle(verlet), steps=3)", 0.5, 0) > 1000);
  const double right = 1 / (1 + exp(1.2)), a = bessel(1, 0.3) / bessel(0, 0.3);
  for (size_t i = 0; i < 2; i++) {
    fixture f = open(two_tori);
    rattle_sampling *sampling = sample(&f, planes[i], 0.5, 750, 8);
    const double d = off(sampling, "right", right), e = off(sampling, "out", (1 - 2 * right) * a),
                 g = off(sampling, "z", -bessel(1, 0.5) / bessel(0, 0.5));
    if (d > FAR || e > FAR || g > FAR) fail_msg("%s: %g, %g and %g errors off", planes[i], d, e, g);
    rattle_sampling_destroy(&sampling);
    close(&f);
  }
}

/* The branches of x y = 1. A warm-up adapts the step to the solutions that are followed: flights to
 * the other branch are rejected by H the more the shorter the step is, so that all transitions
 * together would shrink it until none is made. The arc length of (e^t, e^-t) is sqrt(2 cosh(2t))
 * dt. */
static void test_warm_up_with_solutions(void **state) {
  (void)state;
  double side[2] = {0};
  for (int i = 0; i < 4000; i++) {
    const double t = (i + 0.5) / 500 - 4;
    for (int s = 0; s < 2; s++)
      side[s] += sqrt(2 * cosh(2 * t)) * exp(-(cosh(2 * t) + (s ? 0.2 : -0.2) * exp(t)) / 0.9);
  }
  fixture f = open(
      "local x,px = pair('x') local y,py = pair('y') hamiltonian((px^2 + py^2 + x^2 + y^2)/2 + "
      "0.2*x)\n"
      "constrain('hyperbola', x*y - 1) start{x = 1, y = 1} observe('right', (1 + x/abs(x))/2)\n");
  static const char *const methods[] = {
      "hmc(rattle(verlet), temperature=0.9, solutions=all)",
      "hmc(rattle(verlet), temperature=0.9, solutions=all, near=0.8, reach=6)"};
  for (int i = 0; i < 2; i++) {
    rattle_sampling *sampling;
    rattle_error error;
    const rattle_chain_options chain = {
        .method = methods[i], .step = 0.2, .seed = 7, .warmup = 1000};
    const rattle_sampling_options options = {
        .struct_size = sizeof options, .chain = &chain, .chains = 4, .draws = 10000};
    if (rattle_sampling_create(&sampling, f.problem, &options, &error))
      fail_msg("%s", error.message);
    const double d = off(sampling, "right", side[1] / (side[0] + side[1]));
    if (d > FAR) fail_msg("%s: %g errors off", methods[i], d);
    rattle_sampling_destroy(&sampling);
  }
  close(&f);
}

/* A curve on a sphere by two constraints that differ by a millionth: multipliers of either sign
 * cancel to six digits. The same steps are found, and retraced, as where the second constraint is
 * the difference itself. */
static void test_solutions_of_nearly_dependent(void **state) {
  (void)state;
#define CURVE(second)                                                                              \
  XYZ "hamiltonian((px^2 + py^2 + pz^2)/2) local s, c = x^2 + y^2 + z^2 - 1, z - x*y/2\n"          \
      "constrain('sphere', s) constrain('curve', " second ") start{x = 1}\n"
  static const char *const texts[] = {CURVE("c"), CURVE("s + 1e-6*c")};
  double accepted[2], lost[2];
  for (int which = 0; which < 2; which++) {
    fixture f = open(texts[which]);
    rattle_sampling *sampling = sample(&f, "random_walk(solutions=all, reach=4)", 0.4, 2000, 1);
    const rattle_sampling_result *r = rattle_sampling_result_of(sampling);
    accepted[which] = lost[which] = 0;
    for (int c = 0; c < r->chains; c++) {
      accepted[which] +=
          (double)r->counts[c].accepted / (double)r->counts[c].transitions / r->chains;
      lost[which] +=
          (double)r->counts[c].not_reversible / (double)r->counts[c].transitions / r->chains;
    }
    rattle_sampling_destroy(&sampling);
    close(&f);
  }
  if (!(fabs(accepted[1] - accepted[0]) < 0.05 && lost[1] < lost[0] + 0.01))
    fail_msg("accepted %g and %g, not reversible %g and %g", accepted[0], accepted[1], lost[0],
             lost[1]);
}

/* In SI units, and far from the origin: defaults have no units of their own. */
static void test_units(void **state) {
  (void)state;
  static const char small[] = XYZ "hamiltonian((px^2 + py^2 + pz^2)/6e-26 + 8e-21*z/1e-10) "
                                  "constrain('sphere', x^2 + y^2 + z^2 - 1e-20)\n"
                                  "observe('c', z/1e-10) start{x = 1e-10}\n";
  static const char far[] = XYZ "hamiltonian((px^2 + py^2 + pz^2)/2 + 2*(z - 1e6))\n"
                                "constrain('sphere', (x - 1e6)^2 + (y + 1e6)^2 + (z - 1e6)^2 - 1)\n"
                                "observe('c', z - 1e6) start{x = 1000001, y = -1e6, z = 1e6}\n";
  static const char *const methods[][2] = {
      {"hmc(rattle(verlet), temperature=4e-21)", "hmc(rattle(verlet))"},
      {"langevin(rattle(verlet), temperature=4e-21)", "langevin(rattle(verlet))"},
      {"g_baoab(temperature=4e-21)", "g_baoab"},
      {"random_walk(temperature=4e-21)", "random_walk"}};
  const double mean = -(1 / tanh(2.0) - 0.5);
  for (int i = 0; i < 4; i++) {
    expect(small, methods[i][0], 6e-14, "c", mean);
    expect(far, methods[i][1], 0.2, "c", mean);
  }
}

/* The methods whose measure has an error of order 2: without Metropolis half the step has a fourth
 * of it; that of g_baoab is near the noise. */
static void test_order_two(void **state) {
  (void)state;
  static const char *const methods[] = {"g_baoab(friction=2)",
                                        "langevin(rattle(verlet), friction=2, metropolis=no)"};
  for (int i = 0; i < 2; i++) {
    rattle_method *method;
    rattle_error error;
    if (rattle_method_parse(&method, methods[i], &error)) fail_msg("%s", error.message);
    assert_int_equal(rattle_method_claims(method).order, 2);
    assert_false(rattle_method_claims(method).symmetric);
    rattle_method_destroy(&method);
    fixture f = open(sphere);
    double bias[2];
    for (int k = 0; k < 2; k++) {
      rattle_sampling *sampling = sample(&f, methods[i], k ? 0.2 : 0.4, 8000, k ? 6 : 3);
      const rattle_sampling_result *r = rattle_sampling_result_of(sampling);
      const rattle_estimate *e = &r->estimate[column(r, "zz")];
      bias[k] = fabs(e->mean - 2 + 1 / tanh(2.0) + 0.5);
      assert_true(bias[k] < (k ? 0.02 : 0.06));
      rattle_sampling_destroy(&sampling);
    }
    assert_true(i == 0 ? bias[0] < 0.01 : bias[0] > 2.5 * bias[1] && bias[0] < 6 * bias[1]);
    close(&f);
  }
}

/* SO(3): Haar measure. The trace 1 + 2 cos(a) has the mean 0 and mean square 1, entries have the
 * mean square 1/3. */
static void test_rotations(void **state) {
  (void)state;
  static const char text[] = "local q, T = {}, 0\n"
                             "for i = 1, 3 do q[i] = {} for j = 1, 3 do local x,p = "
                             "pair('r'..i..j) q[i][j] = x T = T + p^2/2 end end\n"
                             "hamiltonian(T)\n"
                             "for i = 1, 3 do for j = i, 3 do local s = i == j and -1 or 0 for k = "
                             "1, 3 do s = s + q[k][i]*q[k][j] end\n"
                             "constrain('c'..i..j, s) end end\n"
                             "observe('trace', q[1][1] + q[2][2] + q[3][3]) observe('trace2', "
                             "(q[1][1] + q[2][2] + q[3][3])^2) observe('r2', "
                             "q[1][2]^2)\n"
                             "start{r11 = 1, r22 = 1, r33 = 1}\n";
  fixture f = open(text);
  static const char *const methods[] = {"hmc(rattle(verlet), steps=7)",
                                        "hmc(rattle(verlet), steps=7, measure=delta)",
                                        "langevin(rattle(verlet))"};
  for (int i = 0; i < 3; i++) {
    rattle_sampling *sampling = sample(&f, methods[i], 0.3, 800, 3);
    assert_true(off(sampling, "trace", 0) < FAR);
    assert_true(off(sampling, "trace2", 1) < FAR);
    assert_true(off(sampling, "r2", 1.0 / 3) < FAR);
    rattle_sampling_destroy(&sampling);
  }
  close(&f);
}

/* Chi-squared of 10 bins of an angle from 0 to pi whose density is proportional to f; the
 * observable is the cosine of the angle. */
static double cosine_chi(const char *model, const char *method, double step, long long every,
                         double (*f)(double)) {
  enum { BINS = 10, PARTS = 400 };
  fixture s = open(model);
  rattle_sampling *sampling = sample(&s, method, step, 500, every);
  const rattle_sampling_result *r = rattle_sampling_result_of(sampling);
  const int c = column(r, "cosine");
  double part[BINS] = {0}, sum = 0, chi = 0;
  long long count[BINS] = {0}, all = r->draws * r->chains;
  for (int i = 0; i < BINS * PARTS; i++) part[i / PARTS] += f((i + 0.5) * M_PI / (BINS * PARTS));
  for (int b = 0; b < BINS; b++) sum += part[b];
  for (long long i = 0; i < all; i++)
    count[(int)fmin(BINS - 1,
                    BINS * acos(fmax(-1, fmin(1, r->value[i * r->columns + c]))) / M_PI)]++;
  for (int b = 0; b < BINS; b++) {
    const double want = (double)all * part[b] / sum;
    chi += ((double)count[b] - want) * ((double)count[b] - want) / want;
  }
  rattle_sampling_destroy(&sampling);
  close(&s);
  return chi;
}

static double on_sphere(double a) {
  return sin(a) * exp(-2 * cos(a));
}
static double on_rotations(double a) {
  return 1 - cos(a);
}
static double on_ring(double a) {
  return exp(3 * cos(a));
}

static double on_plane(double a) {
  (void)a;
  return 1;
}

/* The sphere in a field; SO(3), where the angle of a rotation has the density 1 - cos(a); two beads
 * on a ring that a spring pulls together; a plane, where exp(-r^2/2) is uniform, r being the
 * distance from the point next to the origin. */
static void test_histograms(void **state) {
  (void)state;
  static const char in_field[] =
      XYZ "hamiltonian((px^2 + py^2 + pz^2)/2 + 2*z) constrain('sphere', x^2 + y^2 + z^2 - 1)\n"
          "observe('cosine', z) start{x = 1}\n";
  static const char turns[] = "local q, T = {}, 0\n"
                              "for i = 1, 3 do q[i] = {} for j = 1, 3 do local x,p = "
                              "pair('r'..i..j) q[i][j] = x T = T + p^2/2 end end\n"
                              "hamiltonian(T)\n"
                              "for i = 1, 3 do for j = i, 3 do local s = i == j and -1 or 0 for k "
                              "= 1, 3 do s = s + q[k][i]*q[k][j] end\n"
                              "constrain('c'..i..j, s) end end observe('cosine', (q[1][1] + "
                              "q[2][2] + q[3][3] - 1)/2) start{r11 = 1, r22 = 1, r33 = 1}\n";
  static const char ring[] =
      "local x,px = pair('x') local y,py = pair('y') local u,pu = pair('u') local v,pv = "
      "pair('v')\n"
      "hamiltonian((px^2 + py^2)/2 + (pu^2 + pv^2)/4 + 3*((x-u)^2 + (y-v)^2)/2)\n"
      "constrain('one', x^2 + y^2 - 1) constrain('two', u^2 + v^2 - 1) observe('cosine', x*u + "
      "y*v) start{x = 1, u = 1}\n";
  static const char flat[] =
      XYZ "hamiltonian((px^2 + py^2 + pz^2)/2 + (x^2 + y^2 + z^2)/2) constrain('plane', x + 2*y - "
          "z - 1)\n"
          "observe('cosine', cos(math.pi*exp(-(x^2 + y^2 + z^2 - 1/6)/2))) start{x = 1}\n";
  static const struct {
    const char *model, *method;
    double step;
    long long every;
    double (*f)(double);
  } all[] = {{in_field, "hmc(rattle(verlet))", 0.3, 4, on_sphere},
             {in_field, "random_walk", 0.6, 12, on_sphere},
             {in_field, "nuts(rattle(verlet))", 0.3, 4, on_sphere},
             {turns, "nuts(rattle(verlet), depth=3)", 0.3, 3, on_rotations},
             {ring, "nuts(rattle(verlet))", 0.5, 4, on_ring},
             {flat, "nuts(rattle(verlet))", 0.3, 4, on_plane},
             {turns, "hmc(rattle(verlet), steps=7)", 0.3, 3, on_rotations},
             {turns, "random_walk", 0.5, 15, on_rotations},
             {ring, "hmc(rattle(verlet))", 0.3, 4, on_ring},
             {ring, "langevin(rattle(verlet), friction=2)", 0.3, 20, on_ring},
             {flat, "hmc(rattle(verlet))", 0.3, 4, on_plane},
             {flat, "random_walk", 1.2, 20, on_plane}};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    const double chi = cosine_chi(all[i].model, all[i].method, all[i].step, all[i].every, all[i].f);
    if (chi > 42) fail_msg("%s of case %zu: chi-squared %g", all[i].method, i, chi);
  }
  assert_true(cosine_chi(in_field, "hmc(rattle(verlet), temperature=1.3)", 0.3, 4, on_sphere) > 42);
  assert_true(cosine_chi(flat, "hmc(rattle(verlet), temperature=1.3)", 0.3, 4, on_plane) > 42);
  assert_true(cosine_chi(ring, "hmc(rattle(verlet), temperature=1.3)", 0.3, 4, on_ring) > 42);
}

/* Mean force: at distance r in the plane F(r) = -T log r for the surface measure, so that the mean
 * multiplier of |q| = r is that of F' = -T/r. And log_delta of |q|^2 - r^2 is -log(2 r). */
static void test_mean_force(void **state) {
  (void)state;
  fixture f = open("local x,px = pair('x') local y,py = pair('y') hamiltonian((px^2 + py^2)/2 + "
                   "0.3*(x^2 + y^2))\n"
                   "constrain('r', sqrt(x^2 + y^2) - 2) start{x = 2}\n");
  rattle_sampling *sampling =
      sample(&f, "hmc(rattle(verlet), steps=5, temperature=1.5)", 0.4, 2000, 1);
  /* lambda of p' = -V_q - lambda g_q holds against V' and the centrifugal force: -lambda = F' = 0.6
   * r - T/r */
  assert_true(off(sampling, "lambda:r", -(0.6 * 2 - 1.5 / 2)) < FAR);
  rattle_sampling_destroy(&sampling);
  close(&f);
  f = open("local x,px = pair('x') local y,py = pair('y') mass{x = 4, y = 4} potential(0*x)\n"
           "constrain('r', x^2 + y^2 - 4) start{x = 2}\n");
  rattle_chain *chain;
  rattle_error error;
  double log_delta;
  if (rattle_chain_create(&chain, f.problem,
                          &(rattle_chain_options){.method = "random_walk", .step = 1}, &error))
    fail_msg("%s", error.message);
  assert_int_equal(rattle_chain_log_delta(chain, &log_delta, &error), RATTLE_OK);
  assert_true(fabs(log_delta + log(4.0 / 2)) < 1e-14);
  rattle_chain_destroy(&chain);
  close(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_moments),
      cmocka_unit_test(test_turns_within_orbits),
      cmocka_unit_test(test_order_two),
      cmocka_unit_test(test_solutions),
      cmocka_unit_test(test_histograms),
      cmocka_unit_test(test_units),
      cmocka_unit_test(test_rotations),
      cmocka_unit_test(test_mean_force),
      cmocka_unit_test(test_warm_up_with_solutions),
      cmocka_unit_test(test_solutions_of_nearly_dependent),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
