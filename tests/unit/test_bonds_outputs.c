/* Bonds at molecular scale: multipliers, forces, virial and degrees of freedom against sums in long
 * double; and threads. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "unit/common_molecules.h"

static const rattle_bonds_box box = {{{400, 0, 0}, {-30, 390, 0}, {20, -10, 380}}};

static rattle_bonds *bonds_of(const scene *s, const char *instructions, int threads) {
  const rattle_bonds_options options = {.struct_size = sizeof options,
                                        .tolerance = 1e-13,
                                        .instructions = instructions,
                                        .threads = threads};
  rattle_error error;
  return scene_bonds(s, &options, &error);
}

/* Positions have a round-off of 1e-14 to 1e-13, which masses of up to 400 and the condition of A
 * take to multipliers of 1e-4 to 1. */
static void near(double x, long double y, long double scale, const char *what, const char *name) {
  if (!(fabsl(x - y) <= 1e-11L * scale)) fail_msg("%s, %s: %.17g and %.17Lg", name, what, x, y);
}

/* What lambda gives, by plain sums. */
static void compare(const scene *s, int positions, const double *along, const long double *lambda,
                    double scale, const double *multipliers, const double *forces,
                    const double *virial, const char *name) {
  long double *f = room(3 * s->atoms, sizeof *f), w[6] = {0}, most = 0, size = 0, total[3] = {0};
  for (long long k = 0; k < s->bonds; k++) most = fmaxl(most, fabsl(lambda[k]));
  most += positions ? 1000 : 0;
  size += positions ? 1000 * scale : 0;
  for (long long k = 0; k < s->bonds; k++) {
    const int i = 3 * s->pair[2 * k], j = 3 * s->pair[2 * k + 1];
    long double r[3];
    near(multipliers[k], lambda[k], most, "multiplier", name);
    for (int d = 0; d < 3; d++) {
      r[d] = (long double)along[i + d] - along[j + d];
      f[i + d] -= scale * lambda[k] * r[d], f[j + d] += scale * lambda[k] * r[d];
    }
    for (int d = 0; d < 3; d++)
      w[d] -= scale * lambda[k] * r[d] * r[d], size += fabsl(scale * lambda[k]) * r[d] * r[d];
    w[3] -= scale * lambda[k] * r[0] * r[1], w[4] -= scale * lambda[k] * r[0] * r[2],
        w[5] -= scale * lambda[k] * r[1] * r[2];
  }
  for (long long i = 0; i < 3 * s->atoms; i++) {
    near(forces[i], f[i], 10 * scale * most, "force", name);
    total[i % 3] += forces[i];
  }
  for (int c = 0; c < 6; c++) near(virial[c], w[c], size, "virial", name);
  for (int d = 0; d < 3; d++) near((double)total[d], 0, size, "sum of forces", name);
  free(f);
}

/* Atoms wrapped one by one. */
static void wrap(const scene *s, double *x) {
  for (long long a = 0; a < s->atoms; a++)
    for (int e = 2; e >= 0; e--) {
      const double n = floor(x[3 * a + e] / box.edge[e][e]);
      for (int d = 0; d <= e; d++) x[3 * a + d] -= n * box.edge[e][d];
    }
}

static void against_sums(void **unused) {
  (void)unused;
  for (int kind = 0; kind < KINDS; kind++)
    for (int boxed = 0; boxed < 2; boxed++) {
      static molecule m;
      scene s;
      rattle_error error;
      molecule_make(&m, kind);
      scene_open(&s, &m, kind == 15 ? 1 : 11, 0, 0.02);
      double *l = room(s.bonds, sizeof *l), *f = room(3 * s.atoms, sizeof *f), w[6];
      double *x0 = room(3 * s.atoms, sizeof *x0);
      long double *y, *lambda = room(s.bonds, sizeof *lambda);
      rattle_bonds *bonds = bonds_of(&s, NULL, 1);
      rattle_bonds_outputs out = {
          .struct_size = sizeof out, .multipliers = l, .forces = f, .virial = w, .scale = 3};
      for (long long i = 0; i < 3 * s.atoms; i++) s.x0[i] -= 30; /* across the faces of the box */
      memcpy(x0, s.x0, 3 * (size_t)s.atoms * sizeof *x0);
      y = widened(s.v, 3 * s.atoms);
      scene_sweep(&s, 0, s.x0, y, lambda);
      if (boxed) wrap(&s, x0);
      if (rattle_bonds_velocities_out(bonds, x0, s.v, boxed ? &box : NULL, &out, &error))
        fail_msg("%s: %s", m.name, error.message);
      compare(&s, 0, s.x0, lambda, 3, l, f, w, m.name);
      scene_move(&s);
      free(y);
      y = widened(s.x, 3 * s.atoms);
      scene_sweep(&s, 1, s.x0, y, lambda);
      if (boxed) wrap(&s, s.x);
      out.scale = 2 / (s.h * s.h);
      if (rattle_bonds_positions_out(bonds, x0, s.x, s.v, s.h, boxed ? &box : NULL, &out, &error))
        fail_msg("%s: %s", m.name, error.message);
      compare(&s, 1, s.x0, lambda, out.scale, l, f, w, m.name);
      rattle_bonds_destroy(&bonds);
      free(l), free(f), free(y), free(lambda), free(x0);
      scene_close(&s);
    }
}

/* A failed cluster adds nothing; atoms without bonds, which may have no mass, have no force; a bond takes from its atoms by
 * their inverse masses. */
static void what_is_left_out(void **unused) {
  (void)unused;
  static const int pairs[] = {0, 1, 3, 2, 4, 5}, group[] = {0, 1, 1, 0, 1, 1, -1},
                   beyond[] = {0, 0, 0, 0, 0, 2, 0};
  const double lengths[] = {1, 1, 1}, masses[] = {1, 2, 3, 4, 5, (double)INFINITY, 0};
  const rattle_bonds_topology t = {.struct_size = sizeof t,
                                   .atoms = 7,
                                   .bonds = 3,
                                   .pairs = pairs,
                                   .lengths = lengths,
                                   .masses = masses};
  double x[21] = {0, 0, 0, 1, 0, 0, 5, 0, 0, 6, 0, 0, 9, 0, 0, 9, 1, 0}, v[21], f[21], l[3], w[6],
         removed[2];
  rattle_bonds *bonds;
  rattle_error error;
  const rattle_bonds_outputs out = {
      .struct_size = sizeof out, .multipliers = l, .forces = f, .virial = w};
  assert_int_equal(rattle_bonds_create(&bonds, &t, NULL, &error), RATTLE_OK);
  for (int i = 0; i < 21; i++) v[i] = i < 15 ? i * i : 0, f[i] = 77;
  v[7] = (double)NAN;
  assert_int_equal(rattle_bonds_velocities_out(bonds, x, v, NULL, &out, &error), RATTLE_DOMAIN);
  assert_true(l[1] == 0 && l[0] != 0 && f[18] == 0 && f[6] == 0 && f[9] == 0 && f[0] != 0);
  assert_true(f[13] != 0 && f[16] == -f[13] && fabs(w[0] + l[0]) < 1e-12 * fabs(l[0]) &&
              fabs(w[1] + l[2]) < 1e-12 * fabs(l[2]));
  assert_int_equal(rattle_bonds_removed(bonds, group, 2, removed, &error), RATTLE_OK);
  assert_true(fabs(removed[0] - (2.0 / 3 + 3.0 / 7)) < 1e-15 &&
              fabs(removed[1] - (1.0 / 3 + 4.0 / 7 + 1)) < 1e-15);
  assert_int_equal(rattle_bonds_removed(bonds, beyond, 2, removed, &error), RATTLE_BAD_ARGUMENT);
  assert_non_null(strstr(error.message, "atom 5"));
  rattle_bonds_destroy(&bonds);
}

/* Any number of threads and any vectors: the same bits, outputs and failures among them. */
static void test_threads(void **unused) {
  (void)unused;
  static const char *const names[] = {NULL, "plain", "avx2"};
  static molecule m;
  scene s;
  molecule_make(&m, 7);
  scene_open(&s, &m, 4000, 0, 0.02);
  s.length[3000 * m.bonds] = s.length[1999 * m.bonds] = 40; /* the first is the error */
  const size_t count = (size_t)(6 * s.atoms + s.bonds + 6);
  double *first = room((long long)count, sizeof *first),
         *other = room((long long)count, sizeof *other);
  for (int run = 0; run < 9; run++) {
    rattle_bonds *bonds = bonds_of(&s, names[run / 3], 1 + 3 * (run % 3));
    if (!bonds) continue; /* another processor */
    double *to = run ? other : first, *f = to + 3 * s.atoms, *l = f + 3 * s.atoms, *w = l + s.bonds;
    const rattle_bonds_outputs out = {
        .struct_size = sizeof out, .multipliers = l, .forces = f, .virial = w};
    rattle_error error;
    for (int stage = 0; stage < 2; stage++) {
      scene_move(&s);
      memcpy(to, s.x, 3 * (size_t)s.atoms * sizeof *to);
      assert_int_equal(rattle_bonds_positions_out(bonds, s.x0, to, NULL, 0, NULL, &out, &error),
                       RATTLE_NOT_CONVERGED);
      assert_in_range(error.constraint, 1999 * m.bonds, 2000 * m.bonds - 1);
    }
    if (run) assert_memory_equal(first, other, count * sizeof *first);
    rattle_bonds_destroy(&bonds);
  }
  assert_true(first[count - 6] != 0);
  free(first), free(other);
  scene_close(&s);
}

int main(int arguments, char **argument) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(against_sums),
                                     cmocka_unit_test(what_is_left_out),
                                     cmocka_unit_test(test_threads)};
  if (arguments > 1) cmocka_set_test_filter(argument[1]);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
