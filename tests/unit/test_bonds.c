/* Bonds at molecular scale against plain sweeps in long double: lengths, rates and where atoms
 * go. */
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

static rattle_bonds *bonds_of(const scene *s, double tolerance, const char *instructions) {
  const rattle_bonds_options options = {
      .struct_size = sizeof options, .tolerance = tolerance, .instructions = instructions};
  rattle_error error;
  rattle_bonds *bonds = scene_bonds(s, &options, &error);
  if (!bonds) fail_msg("%s", error.message);
  return bonds;
}

/* Velocities first made consistent at x0, then a step. */
static void against_sweeps(void **unused) {
  (void)unused;
  for (int kind = 0; kind < KINDS; kind++)
    for (int alike = 0; alike < 2; alike++) {
      molecule m;
      scene s;
      rattle_error error;
      molecule_make(&m, kind);
      scene_open(&s, &m, kind < 8 || kind > 10 ? 11 : 2, alike, 0.02);
      rattle_bonds *bonds = bonds_of(&s, 1e-13, NULL);
      long double *y = widened(s.v, 3 * s.atoms);
      scene_sweep(&s, 0, s.x0, y, NULL);
      if (rattle_bonds_velocities(bonds, s.x0, s.v, NULL, &error))
        fail_msg("%s: %s", m.name, error.message);
      scene_near(&s, s.v, y, 1e-12, "velocity", m.name);
      free(y);
      scene_move(&s);
      double *before = room(3 * s.atoms, sizeof *before);
      memcpy(before, s.v, 3 * (size_t)s.atoms * sizeof *before);
      y = widened(s.x, 3 * s.atoms);
      if (!(scene_sweep(&s, 1, s.x0, y, NULL) < 1e-15))
        fail_msg("%s: the oracle did not converge", m.name);
      if (rattle_bonds_positions(bonds, s.x0, s.x, s.v, s.h, NULL, &error))
        fail_msg("%s: %s", m.name, error.message);
      scene_near(&s, s.x, y, 2e-12, "position", m.name);
      for (long long i = 0; i < 3 * s.atoms; i++)
        assert_true(fabs(s.v[i] - before[i] - (s.x[i] - s.start[i]) / s.h) <= 1e-12);
      free(y);
      free(before);
      rattle_bonds_destroy(&bonds);
      scene_close(&s);
    }
}

/* --- what does not matter --------------------------------------------------------------------- */

/* A step of both stages by the instructions named, from the scene's x0 and v; positions and
 * velocities in out [6 atoms]. */
static int step_by(const scene *s, const char *instructions, const rattle_bonds_box *box,
                   double *out) {
  const rattle_bonds_options options = {.struct_size = sizeof options,
                                        .instructions = instructions};
  const size_t bytes = 3 * (size_t)s->atoms * sizeof *out;
  rattle_error error;
  rattle_bonds *bonds = scene_bonds(s, &options, &error);
  if (!bonds) return 0; /* another processor */
  double *x = out, *v = out + 3 * s->atoms;
  memcpy(v, s->v, bytes);
  if (rattle_bonds_velocities(bonds, s->x0, v, box, &error)) fail_msg("%s", error.message);
  for (long long i = 0; i < 3 * s->atoms; i++) x[i] = s->x0[i] + s->h * v[i];
  if (rattle_bonds_positions(bonds, s->x0, x, v, s->h, box, &error)) fail_msg("%s", error.message);
  if (rattle_bonds_velocities(bonds, x, v, box, &error)) fail_msg("%s", error.message);
  rattle_bonds_destroy(&bonds);
  return 1;
}

/* `all` copies with each of the vectors, and the first `few` of them alone. */
static void same_bits_of(const molecule *m, int kind, int all, int few) {
  scene s;
  scene_open(&s, m, all, kind % 2, 0.03);
  const size_t bytes = 6 * (size_t)s.atoms * sizeof(double);
  double *plain = room(6 * s.atoms, sizeof *plain), *other = room(6 * s.atoms, sizeof *other);
  assert_true(step_by(&s, "plain", NULL, plain));
  for (int i = 0; i < 3; i++) {
    static const char *const names[] = {"avx2", "avx512", NULL};
    if (step_by(&s, names[i], NULL, other)) assert_memory_equal(plain, other, bytes);
  }
  scene first = s;
  first.atoms = few * m->atoms, first.bonds = few * m->bonds;
  assert_true(step_by(&first, NULL, NULL, other));
  assert_memory_equal(plain, other, 3 * (size_t)first.atoms * sizeof *plain);
  free(plain), free(other);
  scene_close(&s);
}

/* The vectors that are used, how many clusters there are, and what other molecules there are; but
 * eight copies of a large molecule are solved in lanes, and fewer in pieces. */
static void same_bits(void **unused) {
  (void)unused;
  enum { FILL_LANES = 8, LARGE = 64 };
  int large = 0;
  for (int kind = 0; kind < KINDS; kind++) {
    molecule m;
    molecule_make(&m, kind);
    large += m.bonds >= LARGE;
    same_bits_of(&m, kind, 13, m.bonds < LARGE ? 5 : FILL_LANES);
    same_bits_of(&m, kind, FILL_LANES - 1, 3);
  }
  assert_true(large > 0);
}

/* Trees that are drawn, and rings in some: large clusters whose pieces have many forms, and add
 * updates as no molecule's do. */
static void same_bits_of_any_tree(void **unused) {
  (void)unused;
  for (int tree = 0; tree < 24; tree++) {
    molecule m;
    int parent[200], bonds = 64 + (int)(136 * drawn()), grown[201] = {0};
    for (int k = 0; k < bonds; k++) {
      do parent[k] = drawn() < 0.3 ? (int)((k + 1) * drawn()) : k - (int)(4 * drawn());
      while (parent[k] < 0 || grown[parent[k]] > 3);
      grown[parent[k]]++, grown[k + 1]++;
    }
    molecule_tree(&m, "tree", bonds, parent);
    for (int a = 0; a < m.atoms; a++) {
      m.mass[a] = drawn() < 0.4 ? 1 : 12;
      for (int d = 0; d < 3; d++)
        m.x[3 * a + d] = (a ? m.x[3 * parent[a - 1] + d] : 0) + 1.6 * (drawn() - 0.5);
    }
    for (int ring = 0; ring < tree % 3; ring++) molecule_close(&m, 10 * ring, bonds - 20 * ring);
    same_bits_of(&m, tree, 3, 2);
  }
}

/* Places of atoms: one molecule after another in memory, so that whole rows are loaded, or far from
 * one another. */
static void same_bits_anywhere(void **unused) {
  (void)unused;
  for (int kind = 0; kind < KINDS; kind++)
    for (int i = 0; i < 6; i++) {
      static const char *const names[] = {"plain", "avx2", "avx512"};
      const int copies = i < 3 ? 19 : 5;
      molecule m;
      scene s, far;
      molecule_make(&m, kind);
      scene_open(&s, &m, copies, kind % 2, 0.03);
      scene_open(&far, &m, copies, 1, 0.03);
      for (long long a = 0; a < s.atoms; a++) {
        const long long to = a % m.atoms * copies + a / m.atoms;
        far.mass[to] = s.mass[a];
        memcpy(far.x0 + 3 * to, s.x0 + 3 * a, 3 * sizeof *s.x0),
            memcpy(far.v + 3 * to, s.v + 3 * a, 3 * sizeof *s.v);
      }
      for (long long e = 0; e < 2 * s.bonds; e++)
        far.pair[e] = s.pair[e] % m.atoms * copies + s.pair[e] / m.atoms;
      memcpy(far.length, s.length, (size_t)s.bonds * sizeof *s.length);
      double *near_by = room(6 * s.atoms, sizeof *near_by),
             *scattered = room(6 * s.atoms, sizeof *scattered);
      if (step_by(&s, names[i % 3], NULL, near_by)) {
        assert_true(step_by(&far, names[i % 3], NULL, scattered));
        for (long long a = 0; a < 2 * s.atoms; a++) {
          const long long b = a % s.atoms,
                          to = b % m.atoms * copies + b / m.atoms + a / s.atoms * s.atoms;
          assert_memory_equal(near_by + 3 * a, scattered + 3 * to, 3 * sizeof *near_by);
        }
      }
      free(near_by), free(scattered);
      scene_close(&s), scene_close(&far);
    }
}

/* Atoms wrapped into a box, one by one: the same motion. */
static void in_a_box(void **unused) {
  (void)unused;
  static const rattle_bonds_box boxes[] = {{{{12, 0, 0}, {0, 11, 0}, {0, 0, 10}}},
                                           {{{12, 0, 0}, {-2.5, 11, 0}, {3, -1.5, 10.5}}}};
  molecule m;
  molecule_make(&m, 6);
  for (int b = 0; b < 2; b++) {
    scene s;
    scene_open(&s, &m, 20, 1, 0.02);
    double *open = room(6 * s.atoms, sizeof *open), *wrapped = room(6 * s.atoms, sizeof *wrapped);
    assert_true(step_by(&s, NULL, NULL, open));
    for (long long a = 0; a < s.atoms; a++)
      for (int e = 2; e >= 0; e--) {
        const double n = floor(s.x0[3 * a + e] / boxes[b].edge[e][e]);
        for (int d = 0; d <= e; d++) s.x0[3 * a + d] -= n * boxes[b].edge[e][d];
      }
    assert_true(step_by(&s, NULL, &boxes[b], wrapped));
    for (long long a = 0; a < s.atoms; a++) {
      double off[3], most = 0;
      for (int d = 0; d < 3; d++) {
        off[d] = wrapped[3 * a + d] - open[3 * a + d];
        assert_true(fabs(wrapped[3 * (s.atoms + a) + d] - open[3 * (s.atoms + a) + d]) < 2e-12);
      }
      for (int e = 2; e >= 0; e--) {
        const double n = round(off[e] / boxes[b].edge[e][e]);
        for (int d = 0; d <= e; d++) off[d] -= n * boxes[b].edge[e][d];
      }
      for (int d = 0; d < 3; d++) most = fmax(most, fabs(off[d]));
      assert_true(most < 1e-12);
    }
    free(open), free(wrapped);
    scene_close(&s);
  }
}

/* Sums of momenta stay; an atom that does not move stays too. */
static void momenta(void **unused) {
  (void)unused;
  molecule m;
  scene s;
  molecule_make(&m, 10);
  scene_open(&s, &m, 3, 0, 0.02);
  rattle_bonds *bonds = bonds_of(&s, 0, NULL);
  double before[3] = {0}, after[3] = {0};
  for (long long i = 0; i < 3 * s.atoms; i++) before[i % 3] += s.mass[i / 3] * s.v[i];
  assert_int_equal(rattle_bonds_velocities(bonds, s.x0, s.v, NULL, NULL), RATTLE_OK);
  scene_move(&s);
  assert_int_equal(rattle_bonds_positions(bonds, s.x0, s.x, s.v, s.h, NULL, NULL), RATTLE_OK);
  for (long long i = 0; i < 3 * s.atoms; i++) after[i % 3] += s.mass[i / 3] * s.v[i];
  for (int d = 0; d < 3; d++) assert_true(fabs(after[d] - before[d]) < 1e-11);
  rattle_bonds_destroy(&bonds);
  s.mass[1] = (double)INFINITY;
  bonds = bonds_of(&s, 0, NULL);
  s.v[3] = s.v[4] = s.v[5] = 0;
  assert_int_equal(rattle_bonds_velocities(bonds, s.x0, s.v, NULL, NULL), RATTLE_OK);
  scene_move(&s);
  assert_int_equal(rattle_bonds_positions(bonds, s.x0, s.x, s.v, s.h, NULL, NULL), RATTLE_OK);
  assert_true(!memcmp(s.x + 3, s.x0 + 3, 3 * sizeof *s.x) && s.v[3] == 0 && s.v[4] == 0 &&
              s.v[5] == 0);
  rattle_bonds_destroy(&bonds);
  scene_close(&s);
}

/* Paths and rings where directions depend on one another: a ring of four that is folded on a line,
 * a straight path between atoms that do not move. A straight path between atoms that move is
 * solved. */
static void on_a_line(void **unused) {
  (void)unused;
  static const int pairs[] = {0, 1, 1, 2, 2, 3, 3, 4}, ring[] = {0, 1, 1, 2, 2, 3, 3, 0};
  const double ones[] = {1, 1, 1, 1}, held[] = {(double)INFINITY, 1, 200, 1, (double)INFINITY},
               free_masses[] = {1, 200, 1, 1, 200};
  for (int k = 0; k < 3; k++) {
    const rattle_bonds_topology t = {.struct_size = sizeof t,
                                     .atoms = k ? 5 : 4,
                                     .bonds = 4,
                                     .pairs = k ? pairs : ring,
                                     .lengths = ones,
                                     .masses = k == 1 ? held : free_masses};
    double x0[15] = {0}, x[15], before[15];
    rattle_bonds *bonds;
    rattle_error error;
    for (int a = 0; a < 5; a++) x0[3 * a] = k == 0 && a == 3 ? 1 : a;
    for (int i = 0; i < 15; i++)
      before[i] = x[i] = x0[i] + (k == 1 && (i < 3 || i > 11) ? 0 : 0.001 * sin(3 * i + 1));
    assert_int_equal(rattle_bonds_create(&bonds, &t, NULL, &error), RATTLE_OK);
    assert_int_equal(rattle_bonds_positions(bonds, x0, x, NULL, 0, NULL, &error),
                     k < 2 ? RATTLE_SINGULAR : RATTLE_OK);
    if (k < 2)
      assert_non_null(strstr(error.message, k ? "atoms 3 and 4 repeats" : "atoms 3 and 0 repeats"));
    if (k < 2) assert_memory_equal(x, before, sizeof x);
    for (int b = 0; b < 4 && k == 2; b++)
      assert_true(fabs(hypot(hypot(x[3 * b + 3] - x[3 * b], x[3 * b + 4] - x[3 * b + 1]),
                             x[3 * b + 5] - x[3 * b + 2]) -
                       1) < 2e-12);
    rattle_bonds_destroy(&bonds);
  }
}

static void summary(void **unused) {
  (void)unused;
  molecule m;
  scene s;
  rattle_bonds_summary of = {.struct_size = sizeof of};
  molecule_make(&m, 9);
  scene_open(&s, &m, 7, 0, 0.02);
  rattle_bonds *bonds = bonds_of(&s, 0, "plain");
  assert_int_equal(rattle_bonds_summarise(bonds, &of, NULL), RATTLE_OK);
  assert_true(of.atoms == 70 && of.bonds == 77 && of.clusters == 7 && of.shapes == 1 &&
              of.largest == 11 && of.rings == 14);
  assert_true(of.width == 2 && !strcmp(of.instructions, "plain"));
  rattle_bonds_destroy(&bonds);
  scene_close(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(against_sweeps),     cmocka_unit_test(same_bits),
      cmocka_unit_test(same_bits_anywhere), cmocka_unit_test(same_bits_of_any_tree),
      cmocka_unit_test(in_a_box),           cmocka_unit_test(momenta),
      cmocka_unit_test(on_a_line),          cmocka_unit_test(summary)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
