/* Loops over the samplers of the table and measures what they claim on a torus: histograms against
 * the measure, transitions there and back, constraints. And sabotaged samplers, which the same
 * bounds must refute. Seeds are fixed; bounds leave a chance of about 1e-5, so that another libm,
 * whose draws are others, does not fail either. */
#include <rattle/rattle.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "runs/sample/solutions.h"
#include "ground/support/random.h"

/* The part (1 + r/R cos(theta))/2 pi of its area is at the angle theta around the tube; |grad g| is
 * proportional to that, so that delta(g) dq is uniform. */
static const char torus[] =
    "local x,px = pair('x') local y,py = pair('y') local z,pz = pair('z') hamiltonian((px^2 + py^2 "
    "+ pz^2)/2)\n"
    "constrain('torus', (x^2 + y^2 + z^2 + 1 - 0.25)^2 - 4*(x^2 + y^2)) start{x = 1.5}\n";

enum { BINS = 12, EVERY = 10 };
typedef struct tally {
  long long bin[BINS], pair[BINS][BINS], draws;
  double g, psi; /* the largest of a draw */
} tally;

/* The angle around the tube of the torus, in bins. */
static int bin_of(const double *q) {
  const double angle = atan2(q[2], sqrt(q[0] * q[0] + q[1] * q[1]) - 1) / (2 * M_PI) + 0.5;
  const int bin = (int)(angle * BINS);
  return bin < BINS ? bin : BINS - 1;
}

typedef rattle_status mover(rattle__kernel *kernel, rattle_error *error);

/* So many transitions on the torus by the sampler, or with `sabotage` in place of its transition;
 * every 10th is drawn. */
static tally torus_tally(const char *method, double h, mover *sabotage) {
  rattle_model *model;
  rattle_problem *problem;
  rattle__kernel k = {0};
  rattle_method *parsed;
  rattle_error error;
  tally t = {.draws = 6000};
  double p[3];
  if (rattle_model_parse(&model, torus, "test", NULL, &error) ||
      rattle_problem_create(&problem, model, NULL, &error))
    fail_msg("%s", error.message);
  if (rattle_method_parse(&parsed, method, &error)) fail_msg("%s", error.message);
  const rattle__node *node = rattle__method_root(parsed);
  if (rattle__kernel_prepare(&k, problem, node, &error) ||
      rattle__sampler_of(node->row)->create(&k, node, &error))
    fail_msg("%s", error.message);
  assert_int_equal(rattle_problem_start(problem, 1, k.z, p, NULL, &error), RATTLE_OK);
  assert_int_equal(rattle__kernel_energy(&k, k.z, &k.U, &error), RATTLE_OK);
  k.h = h;
  if (sabotage) k.move = sabotage;
  for (long long i = 0; i < t.draws * EVERY; i++) {
    const int before = bin_of(k.z);
    k.key = rattle__random_key(11, 0, (uint64_t)i);
    k.drawn = 0;
    if (rattle__kernel_finish(&k, k.move(&k, &error), &error)) fail_msg("%s", error.message);
    t.pair[before][bin_of(k.z)]++;
    if (i % EVERY != EVERY - 1) continue;
    double g, psi;
    t.bin[bin_of(k.z)]++;
    assert_int_equal(rattle_problem_residuals(problem, k.z, k.z + 3, &g, &psi, &error), RATTLE_OK);
    t.g = fmax(t.g, fabs(g));
    t.psi = fmax(t.psi, fabs(psi) / (1 + fabs(k.z[3]) + fabs(k.z[4]) + fabs(k.z[5])));
  }
  rattle__kernel_release(&k);
  rattle_method_destroy(&parsed);
  rattle_problem_destroy(&problem);
  rattle_model_destroy(&model);
  return t;
}

/* chi-squared with BINS - 1 degrees of freedom; the density is (1 + a cos(theta))/2 pi, theta from
 * -pi */
static double chi_squared(const tally *t, double a) {
  double sum = 0;
  for (int i = 0; i < BINS; i++) {
    const double low = -M_PI + i * 2 * M_PI / BINS, high = low + 2 * M_PI / BINS;
    const double want = (double)t->draws * ((high - low) + a * (sin(high) - sin(low))) / (2 * M_PI);
    sum += ((double)t->bin[i] - want) * ((double)t->bin[i] - want) / want;
  }
  return sum;
}

/* Transitions from i to j against those from j to i: chi-squared per degree of freedom. */
static double imbalance(const tally *t) {
  double sum = 0;
  int degrees = 0;
  for (int i = 0; i < BINS; i++)
    for (int j = 0; j < i; j++) {
      const double there = (double)t->pair[i][j], back = (double)t->pair[j][i];
      if (there + back < 20) continue;
      sum += (there - back) * (there - back) / (there + back);
      degrees++;
    }
  assert_true(degrees > 15);
  return sum / degrees;
}
static const double most_chi = 45, most_imbalance = 2.2; /* 11, and at most 66 degrees of freedom */

typedef rattle_status a_map(rattle__kernel *k, const double *z0, double *z1, rattle_error *error);

/* One step of a map that is none of the library's. */
static rattle_status propose(rattle__kernel *k, a_map *map, rattle_error *error) {
  rattle_status status = RATTLE_OK;
  rattle__kernel_propose(k, 1, 0);
  while (!status && k->way.left) {
    double z0[6];
    memcpy(z0, k->way.z, 2 * (size_t)k->n * sizeof *z0);
    k->way.left = 0;
    status = rattle__kernel_return(k, map(k, z0, k->way.z, error), error);
  }
  return status;
}

static rattle_status flight(rattle__kernel *k, const double *z0, double *z1, rattle_error *error) {
  return k->geodesic->flow(k->geodesic, k->h, z0, z1, error);
}

/* A flight whose length depends on where it begins: not undone by its reversal where it comes from
 * one half into the other. */
static rattle_status uneven(rattle__kernel *k, const double *z0, double *z1, rattle_error *error) {
  return k->geodesic->flow(k->geodesic, z0[2] > 0 ? k->h : k->h / 3, z0, z1, error);
}

/* One of the two flights, at random: by the even one both halves are reached. */
static rattle_status checked(rattle__kernel *k, rattle_error *error) {
  const rattle_status status = rattle__kernel_refresh(k, 0, k->z, error);
  if (status) return RATTLE_OK;
  return propose(k, rattle__random_unit(k->key, ++k->drawn) < 0.5 ? uneven : flight, error);
}

/* The same without the reverse check. */
static rattle_status careless(rattle__kernel *k, rattle_error *error) {
  const rattle__mass *W = k->problem->mass;
  double U;
  if (rattle__kernel_refresh(k, 0, k->z, error)) return RATTLE_OK;
  a_map *map = rattle__random_unit(k->key, ++k->drawn) < 0.5 ? uneven : flight;
  if (map(k, k->z, k->next, error) || rattle__kernel_energy(k, k->next, &U, error))
    return RATTLE_OK;
  const double more =
      (rattle__mass_twice_kinetic(W, k->next + k->n) - rattle__mass_twice_kinetic(W, k->z + k->n)) /
      2;
  if (rattle__random_unit(k->key, ++k->drawn) < exp(-more / k->T))
    memcpy(k->z, k->next, 6 * sizeof *k->z);
  return RATTLE_OK;
}

/* Momenta that are longer where the tube is inside: drawn by another distribution than that by
 * which they are accepted. */
static rattle_status wrong_refresh(rattle__kernel *k, rattle_error *error) {
  if (rattle__kernel_refresh(k, 0, k->z, error)) return RATTLE_OK;
  const double inside = k->z[0] * k->z[0] + k->z[1] * k->z[1] < 1 ? 3 : 1;
  for (int i = 3; i < 6; i++) k->z[i] *= inside;
  return propose(k, flight, error);
}

/* Accepted without the weight of the measure. */
static rattle_status unweighted(rattle__kernel *k, rattle_error *error) {
  if (rattle__kernel_refresh(k, 0, k->z, error)) return RATTLE_OK;
  k->delta = 0;
  const rattle_status status = propose(k, flight, error);
  k->delta = 1;
  return status;
}

/* Any of the solutions, accepted as if there were as many from the other end. */
static rattle_status unbalanced(rattle__kernel *k, rattle_error *error) {
  double log_ratio = 0;
  if (rattle__kernel_refresh(k, 0, k->z, error)) return RATTLE_OK;
  return rattle__kernel_decide(
      k, rattle__solutions_step(k->self, 0, k->z, k->next, &log_ratio, error), 0, error);
}

static int takes(const rattle_method_row *row, const char *option) {
  for (int i = 0; row->parameter[i].name; i++)
    if (!strcmp(row->parameter[i].name, option)) return 1;
  return 0;
}

/* The solutions that a step takes: the option, with the measure surface or delta. */
static const char *const choices[][2] = {
    {"", ""}, {"solutions=all", "solutions=all, near=0.9"}, {"solutions=any", "solutions=any"}};
enum { CHOICES = 3, EACH = 1, ONE = 2 };

/* Exact measures at a step that rejects some, and in doubt of more; others at half of it. */
static void measure(const rattle_method_row *row, int delta, int which) {
  const int map = row->parameter[0].type == RATTLE_TAKES_MAP,
            exact = row->claims.order == RATTLE_ORDER_EXACT;
  char method[120];
  snprintf(method, sizeof method, "%s(%s%s%s%s%s)", row->name, map ? "rattle(verlet)" : "",
           map && delta ? ", " : "", delta ? "measure=delta" : "",
           which && (map || delta) ? ", " : "", choices[which][delta]);
  const tally t = torus_tally(method, which == ONE ? 0.4 : exact ? 0.25 : 0.12, NULL);
  const double chi = chi_squared(&t, delta ? 0 : 0.5), pairs = imbalance(&t);
  print_message("%-60s chi-squared %6.1f, imbalance %5.2f\n", method, chi, pairs);
  assert_true(row->claims.keeps_g && row->claims.keeps_psi && row->claims.pure);
  if (t.g > 1e-13 || t.psi > 1e-13) fail_msg("%s: |g| %g, |psi| %g", method, t.g, t.psi);
  if (chi > most_chi) fail_msg("%s: chi-squared %g", method, chi);
  if (row->claims.symmetric && pairs > most_imbalance) fail_msg("%s: imbalance %g", method, pairs);
}

static void test_rows(void **state) {
  (void)state;
  const rattle_method_row *rows;
  const int count = rattle_method_rows(&rows);
  int measured = 0;
  for (int i = 0; i < count; i++) {
    if (strcmp(rows[i].kind, "sampler") != 0) continue;
    for (int which = 0; which < (takes(&rows[i], "solutions") ? CHOICES : 1); which++)
      for (int delta = 0; delta <= takes(&rows[i], "measure"); delta++) {
        if (which == EACH && !takes(&rows[i], "near")) continue; /* it takes one of them alone */
        measure(&rows[i], delta, which);
        measured++;
      }
  }
  assert_true(measured >= 15);
}

static void test_sabotage(void **state) {
  (void)state;
  static const struct {
    const char *what, *method;
    double a;
    mover *move;
  } cases[] = {{"no reverse check", "random_walk", 0.5, careless},
               {"wrong refresh", "random_walk", 0.5, wrong_refresh},
               {"unweighted", "random_walk(measure=delta)", 0, unweighted},
               {"unbalanced", "random_walk(solutions=all)", 0.5, unbalanced}};
  const tally honest = torus_tally("random_walk", 0.4, checked);
  assert_true(chi_squared(&honest, 0.5) < most_chi && imbalance(&honest) < most_imbalance);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const tally t = torus_tally(cases[i].method, 0.4, cases[i].move);
    const double chi = chi_squared(&t, cases[i].a), pairs = imbalance(&t);
    print_message("%-45s chi-squared %6.1f, imbalance %5.2f\n", cases[i].what, chi, pairs);
    if (chi < most_chi && pairs < most_imbalance)
      fail_msg("%s is not refuted: chi-squared %g, imbalance %g", cases[i].what, chi, pairs);
  }
}

/* A way back that ends a thousandth off is seen far from the origin too; one that rounding alone
 * bends is not. */
static rattle_status drifting(rattle__kernel *k, const double *z0, double *z1,
                              rattle_error *error) {
  (void)error;
  z1[0] = z0[0] + k->h * z0[1] + *(const double *)k->self;
  z1[1] = z0[1];
  return RATTLE_OK;
}

static void test_far(void **state) {
  (void)state;
  rattle_model *model;
  rattle_problem *problem;
  rattle__kernel k = {0};
  rattle_method *parsed;
  rattle_error error;
  double drift[] = {1e-3, 1e-11, 0};
  if (rattle_model_parse(&model, "local x,px = pair('x') hamiltonian(px^2/2)", "test", NULL,
                         &error) ||
      rattle_problem_create(&problem, model, NULL, &error) ||
      rattle_method_parse(&parsed, "random_walk", &error) ||
      rattle__kernel_prepare(&k, problem, rattle__method_root(parsed), &error))
    fail_msg("%s", error.message);
  k.h = 1;
  for (int i = 0; i < 3; i++) {
    k.self = &drift[i];
    k.z[0] = 1e6, k.z[1] = 0.5;
    assert_int_equal(propose(&k, drifting, &error), RATTLE_OK);
    assert_int_equal(k.fate, i == 0 ? RATTLE__REJECTED_NOT_REVERSIBLE : RATTLE__ACCEPTED);
    assert_true(fabs(k.z[0] - (i ? 1e6 + 0.5 : 1e6)) < 1e-9);
  }
  rattle__kernel_release(&k);
  rattle_method_destroy(&parsed);
  rattle_problem_destroy(&problem);
  rattle_model_destroy(&model);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_rows), cmocka_unit_test(test_sabotage),
                                     cmocka_unit_test(test_far)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
