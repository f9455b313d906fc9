/* Constructed sites: their places by the formulas of GROMACS' manual, forces and velocities against
 * differences of places, the virial against a strain, boxes, order, and what is refused. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "rattle/sites.h"

static void assert_near(double value, double right, double most) {
  if (!(fabs(value - right) <= most)) fail_msg("%.17g, not %.17g", value, right);
}

enum { PARENTS = 4, ATOMS = PARENTS + 1, SITE = PARENTS };

static const double numbers[][4] = {{0},
                                    {0.3},
                                    {0.7},
                                    {0.2, 0.4},
                                    {0.6, 0.9},
                                    {1.1, 0.8},
                                    {0.2, -0.3, 0.6},
                                    {0.3, 0.4, 0.5},
                                    {1.2, 0.7, 0.8},
                                    {0},
                                    {16, 1, 1, 2},
                                    {0.5, 0.1, 0.2, -0.3}};

static double drawn(void) {
  static uint64_t state = 11;
  state = state * 6364136223846793005u + 1442695040888963407u;
  return 2 * (double)(state >> 11) / 9007199254740992.0 - 1;
}

static void cross(const double *a, const double *b, double *c) {
  for (int d = 0; d < 3; d++)
    c[d] = a[(d + 1) % 3] * b[(d + 2) % 3] - a[(d + 2) % 3] * b[(d + 1) % 3];
}

static double dot(const double *a, const double *b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void scaled(double *to, double factor, const double *a) {
  for (int d = 0; d < 3; d++) to[d] += factor * a[d];
}

/* One site of a kind; of any number of parents there are four. */
static rattle_sites *site_of(int kind) {
  const rattle_site_kind *k = rattle_site_kind_of(kind);
  const int parents = k->parents ? k->parents : PARENTS, parent[] = {0, 1, 2, 3}, site = SITE;
  double weights[3 * PARENTS], lengths[4];
  rattle_sites *sites;
  rattle_error error = {0};
  assert_int_equal(rattle_site_weights(k->name, parents, numbers[kind], weights, lengths, &error),
                   RATTLE_OK);
  const rattle_sites_list list = {.struct_size = sizeof list,
                                  .atoms = ATOMS,
                                  .sites = 1,
                                  .site = &site,
                                  .first = (long long[]){0, parents},
                                  .parent = parent,
                                  .weights = weights,
                                  .lengths = lengths};
  assert_int_equal(rattle_sites_create(&sites, &list, &error), RATTLE_OK);
  return sites;
}

/* The place of the site, as the manual writes it. */
static void place(int kind, const double *x, double *s) {
  const rattle_site_kind *k = rattle_site_kind_of(kind);
  const double *n = numbers[kind];
  double ij[3], ik[3], il[3], jk[3], w[3] = {0}, v[3] = {0}, u[3];
  for (int d = 0; d < 3; d++)
    ij[d] = x[3 + d] - x[d], ik[d] = x[6 + d] - x[d], il[d] = x[9 + d] - x[d],
    jk[d] = x[6 + d] - x[3 + d];
  memcpy(s, x, 3 * sizeof *s);
  if (!strcmp(k->name, "2")) scaled(s, n[0], ij);
  if (!strcmp(k->name, "2fd")) scaled(s, n[0] / sqrt(dot(ij, ij)), ij);
  if (!strcmp(k->name, "3")) scaled(s, n[0], ij), scaled(s, n[1], ik);
  if (!strcmp(k->name, "3fd"))
    scaled(w, 1, ij), scaled(w, n[0], jk), scaled(s, n[1] / sqrt(dot(w, w)), w);
  if (!strcmp(k->name, "3fad")) {
    scaled(w, 1, jk), scaled(w, -dot(ij, jk) / dot(ij, ij), ij);
    scaled(s, n[1] * cos(n[0]) / sqrt(dot(ij, ij)), ij),
        scaled(s, n[1] * sin(n[0]) / sqrt(dot(w, w)), w);
  }
  if (!strcmp(k->name, "3out"))
    cross(ij, ik, w), scaled(s, n[0], ij), scaled(s, n[1], ik), scaled(s, n[2], w);
  if (!strcmp(k->name, "4fd")) {
    scaled(w, 1, ij), scaled(w, n[0], jk);
    for (int d = 0; d < 3; d++) w[d] += n[1] * (x[9 + d] - x[3 + d]);
    scaled(s, n[2] / sqrt(dot(w, w)), w);
  }
  if (!strcmp(k->name, "4fdn")) {
    scaled(w, n[0], ik), scaled(w, -1, ij), scaled(v, n[1], il), scaled(v, -1, ij);
    cross(w, v, u), scaled(s, n[2] / sqrt(dot(u, u)), u);
  }
  if (k->section) return;
  double sum = 0;
  memset(s, 0, 3 * sizeof *s);
  for (int i = 0; i < PARENTS; i++) {
    const double weight = k->numbers ? n[i] : 1;
    sum += weight, scaled(s, weight, x + 3 * i);
  }
  for (int d = 0; d < 3; d++) s[d] /= sum;
}

static int kinds(void) {
  int count = 0;
  while (rattle_site_kind_of(count)) count++;
  assert_int_equal(count, sizeof numbers / sizeof *numbers);
  return count;
}

static void draw(double *x, int count) {
  for (int k = 0; k < count; k++) x[k] = drawn();
}

static void places_are_those_of_the_manual(void **state) {
  (void)state;
  for (int kind = 0; kind < kinds(); kind++) {
    rattle_sites *sites = site_of(kind);
    double x[3 * ATOMS], s[3];
    for (int n = 0; n < 10; n++) {
      draw(x, 3 * ATOMS);
      place(kind, x, s);
      assert_int_equal(rattle_sites_positions(sites, x, NULL, NULL, NULL), RATTLE_OK);
      for (int d = 0; d < 3; d++) assert_near(x[3 * SITE + d], s[d], 1e-13);
    }
    rattle_sites_destroy(&sites);
  }
}

/* d place / d x along u, by differences of fourth order. */
static void difference(int kind, const double *x, const double *u, double *rate) {
  const double h = 1e-3, weight[] = {1, -8, 8, -1}, at[] = {-2, -1, 1, 2};
  memset(rate, 0, 3 * sizeof *rate);
  for (int k = 0; k < 4; k++) {
    double y[3 * ATOMS], s[3];
    for (int i = 0; i < 3 * ATOMS; i++) y[i] = x[i] + h * at[k] * u[i];
    place(kind, y, s);
    for (int d = 0; d < 3; d++) rate[d] += weight[k] * s[d] / (12 * h);
  }
}

/* Velocities are derivatives of places; forces do the work that the force on the site does, and
 * keep the sum and the torque; the virial is the work of a strain. */
static void rates_and_forces(void **state) {
  (void)state;
  for (int kind = 0; kind < kinds(); kind++) {
    rattle_sites *sites = site_of(kind);
    double x[3 * ATOMS], v[3 * ATOMS], f[3 * ATOMS] = {0}, force[3], rate[3], virial[6] = {0};
    draw(x, 3 * ATOMS), draw(v, 3 * ATOMS), draw(force, 3);
    assert_int_equal(rattle_sites_positions(sites, x, v, NULL, NULL), RATTLE_OK);
    difference(kind, x, v, rate);
    for (int d = 0; d < 3; d++) assert_near(v[3 * SITE + d], rate[d], 1e-8);
    memcpy(f + 3 * SITE, force, sizeof force);
    assert_int_equal(rattle_sites_forces(sites, x, f, virial, NULL, NULL), RATTLE_OK);
    for (int i = 0; i < 3 * PARENTS; i++) {
      double u[3 * ATOMS] = {0};
      u[i] = 1;
      difference(kind, x, u, rate);
      assert_near(f[i], dot(rate, force), 1e-8);
    }
    double sum[3] = {0}, torque[3] = {0}, own[3], strain[9] = {0};
    for (int i = 0; i < PARENTS; i++) {
      scaled(sum, 1, f + 3 * i), cross(x + 3 * i, f + 3 * i, own), scaled(torque, 1, own);
      for (int r = 0; r < 3; r++) scaled(strain + 3 * r, x[3 * i + r], f + 3 * i);
    }
    cross(x + 3 * SITE, force, own);
    for (int r = 0; r < 3; r++) scaled(strain + 3 * r, -x[3 * SITE + r], force);
    for (int d = 0; d < 3; d++) {
      assert_near(sum[d], force[d], 1e-13);
      assert_near(torque[d], own[d], 1e-13);
      assert_true(f[3 * SITE + d] == 0);
      assert_near(virial[d], strain[4 * d], 1e-13);
    }
    assert_near(virial[3], strain[1], 1e-13);
    assert_near(virial[4], strain[2], 1e-13);
    assert_near(virial[5], strain[5], 1e-13);
    assert_near(strain[1], strain[3], 1e-13);
    rattle_sites_destroy(&sites);
  }
}

/* In a sharp cell with parents wrapped one by one the site is the image beside the first one. */
static void images(void **state) {
  (void)state;
  const rattle_bonds_box box = {{{20, 0, 0}, {9, 11, 0}, {-7, 5, 12}}};
  for (int kind = 0; kind < kinds(); kind++) {
    rattle_sites *sites = site_of(kind);
    double x[3 * ATOMS], y[3 * ATOMS], f[2][3 * ATOMS] = {{0}};
    draw(x, 3 * ATOMS);
    memcpy(y, x, sizeof y);
    for (int i = 1; i < PARENTS; i++)
      for (int e = 0; e < 3; e++) scaled(y + 3 * i, i * (e + 1) % 5 - 2, box.edge[e]);
    draw(f[0] + 3 * SITE, 3), memcpy(f[1], f[0], sizeof *f);
    assert_int_equal(rattle_sites_positions(sites, x, NULL, NULL, NULL), RATTLE_OK);
    assert_int_equal(rattle_sites_positions(sites, y, NULL, &box, NULL), RATTLE_OK);
    assert_int_equal(rattle_sites_forces(sites, x, f[0], NULL, NULL, NULL), RATTLE_OK);
    assert_int_equal(rattle_sites_forces(sites, y, f[1], NULL, &box, NULL), RATTLE_OK);
    for (int d = 0; d < 3; d++) assert_near(x[3 * SITE + d], y[3 * SITE + d], 1e-11);
    for (int d = 0; d < 3 * ATOMS; d++) assert_near(f[0][d], f[1][d], 1e-11);
    rattle_sites_destroy(&sites);
  }
}

/* The M of TIP4P is on the line that halves the angle, 0.15 A from O, whatever way water lies. */
static void tip4p(void **state) {
  (void)state;
  const double half = 104.52 / 2 * acos(-1) / 180, a = 0.15 / (2 * 0.9572 * cos(half)),
               side[] = {0.9572 * sin(half), 0.9572 * cos(half)};
  double x[] = {1, 2, 3, 1 + side[0], 2 + side[1], 3, 1 - side[0], 2 + side[1], 3, 0, 0, 0}, w[9],
         p[4];
  double f[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3};
  rattle_sites *sites;
  assert_int_equal(rattle_site_weights("3", 3, (double[]){a, a}, w, p, NULL), RATTLE_OK);
  const rattle_sites_list list = {.struct_size = sizeof list,
                                  .atoms = 4,
                                  .sites = 1,
                                  .site = (int[]){3},
                                  .first = (long long[]){0, 3},
                                  .parent = (int[]){0, 1, 2},
                                  .weights = w,
                                  .lengths = p};
  assert_int_equal(rattle_sites_create(&sites, &list, NULL), RATTLE_OK);
  assert_int_equal(rattle_sites_positions(sites, x, NULL, NULL, NULL), RATTLE_OK);
  assert_near(x[9], 1, 1e-15);
  assert_near(x[10], 2.15, 1e-15);
  assert_near(x[11], 3, 1e-15);
  assert_int_equal(rattle_sites_forces(sites, x, f, NULL, NULL, NULL), RATTLE_OK);
  for (int d = 0; d < 3; d++) {
    assert_near(f[d], (1 - 2 * a) * (d + 1), 1e-15);
    assert_near(f[3 + d], a * (d + 1), 1e-15);
    assert_near(f[6 + d], a * (d + 1), 1e-15);
  }
  rattle_sites_destroy(&sites);
}

/* Atom 3 is between 0 and 4, atom 4 between 1 and 2, in this order of the list. */
static void sites_of_sites(void **state) {
  (void)state;
  const double w[] = {0, 0, 0, 0.5, 0, 0, 0, 0, 0, 0.25, 0, 0}, p[8] = {0};
  double x[] = {0, 0, 0, 4, 0, 0, 0, 8, 0, 9, 9, 9, 9, 9, 9}, f[15] = {0}, virial[6] = {0};
  rattle_sites *sites;
  rattle_sites_list list = {.struct_size = sizeof list,
                            .atoms = 5,
                            .sites = 2,
                            .site = (int[]){3, 4},
                            .first = (long long[]){0, 2, 4},
                            .parent = (int[]){0, 4, 1, 2},
                            .weights = w,
                            .lengths = p};
  rattle_error error;
  assert_int_equal(rattle_sites_create(&sites, &list, NULL), RATTLE_OK);
  assert_int_equal(rattle_sites_positions(sites, x, NULL, NULL, NULL), RATTLE_OK);
  assert_near(x[12], 3, 1e-15);
  assert_near(x[13], 2, 1e-15);
  assert_near(x[9], 1.5, 1e-15);
  assert_near(x[10], 1, 1e-15);
  f[9] = 8, f[12] = 1;
  assert_int_equal(rattle_sites_forces(sites, x, f, virial, NULL, NULL), RATTLE_OK);
  assert_near(f[0], 4, 1e-15);
  assert_near(f[3], 0.75 * 5, 1e-15);
  assert_near(f[6], 0.25 * 5, 1e-15);
  assert_near(virial[0], 0, 1e-14);
  rattle_sites_destroy(&sites);
  list.parent = (int[]){0, 4, 1, 3};
  assert_int_equal(rattle_sites_create(&sites, &list, &error), RATTLE_BAD_ARGUMENT);
  assert_non_null(strstr(error.message, "follows from itself"));
  list.parent = (int[]){0, 4, 1, 2}, list.site = (int[]){3, 3};
  assert_int_equal(rattle_sites_create(&sites, &list, &error), RATTLE_BAD_ARGUMENT);
}

static void refused(rattle_sites *sites, const double *x, rattle_status expected,
                    const rattle_bonds_box *box) {
  double y[3 * ATOMS], v[3 * ATOMS], f[3 * ATOMS], keep[3 * ATOMS];
  rattle_error error;
  memcpy(y, x, sizeof y), draw(v, 3 * ATOMS), memcpy(f, v, sizeof f), memcpy(keep, v, sizeof keep);
  assert_int_equal(rattle_sites_positions(sites, y, v, box, &error), expected);
  assert_non_null(strstr(error.message, "site 4"));
  assert_int_equal(rattle_sites_forces(sites, x, f, NULL, box, &error), expected);
  assert_memory_equal(y, x, sizeof y);
  assert_memory_equal(v, keep, sizeof v);
  assert_memory_equal(f, keep, sizeof f);
}

/* Parents on a line have no normal; nothing changes. */
static void failures(void **state) {
  (void)state;
  const rattle_bonds_box narrow = {{{5, 0, 0}, {0, 3.9, 0}, {0, 0, 5}}},
                         wrong = {{{5, 1, 0}, {0, 5, 0}, {0, 0, 5}}};
  double line[3 * ATOMS], weights[6], lengths[4];
  rattle_sites *sites = site_of(8);
  rattle_error error;
  for (int k = 0; k < 3 * ATOMS; k++) line[k] = k / 3;
  refused(sites, line, RATTLE_SINGULAR, NULL);
  line[7] = (double)NAN;
  refused(sites, line, RATTLE_DOMAIN, NULL);
  line[7] = 1.95;
  refused(sites, line, RATTLE_DOMAIN, &narrow);
  assert_int_equal(rattle_sites_positions(sites, line, NULL, &wrong, &error), RATTLE_BAD_ARGUMENT);
  rattle_sites_destroy(&sites);
  assert_int_equal(rattle_site_weights("5", 2, line, weights, lengths, &error),
                   RATTLE_BAD_ARGUMENT);
  assert_int_equal(rattle_site_weights("3", 2, line, weights, lengths, &error),
                   RATTLE_BAD_ARGUMENT);
  assert_int_equal(rattle_site_weights("2", 2, (double[]){(double)NAN}, weights, lengths, &error),
                   RATTLE_BAD_ARGUMENT);
  assert_int_equal(rattle_site_weights("centre", 2, (double[]){1, -1}, weights, lengths, &error),
                   RATTLE_BAD_ARGUMENT);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(places_are_those_of_the_manual),
                                     cmocka_unit_test(rates_and_forces),
                                     cmocka_unit_test(images),
                                     cmocka_unit_test(tip4p),
                                     cmocka_unit_test(sites_of_sites),
                                     cmocka_unit_test(failures)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
