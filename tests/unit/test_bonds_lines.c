/* Three atoms on a line. What RATTLE does there is fixed by this alone: lengths, rates, momentum,
 * and angular momentum at the positions before the step, since forces of the four constraints of a
 * line are all that have neither a sum nor a torque. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "unit/common_molecules.h"

/* N2O or CO2, with the middle atom as any of the three. */
static void line(molecule *m, int middle, int even) {
  static const int chain[] = {0, 1};
  static const double axis[] = {0.48, 0.6, 0.64};
  const double t[] = {0, even ? 1.25 : 1.125, even ? -1.25 : -1.1875},
               mass[] = {even ? 12.011 : 14.007, 15.999, even ? 15.999 : 14.007};
  molecule_tree(m, "line", 2, chain);
  molecule_close(m, 0, 2);
  for (int e = 0; e < 3; e++) {
    const int a = (middle + e) % 3;
    m->mass[a] = mass[e];
    for (int d = 0; d < 3; d++) m->x[3 * a + d] = t[e] * axis[d];
  }
}

typedef struct sums {
  double p[3], l[3];
} sums;

/* Momentum and angular momentum about the first atom of each molecule, of a molecule's velocities v
 * at x. */
static sums sums_of(const scene *s, long long first, const double *x, const double *v) {
  sums all = {{0}, {0}};
  for (long long a = first; a < first + 3; a++)
    for (int d = 0; d < 3; d++) {
      const int e = (d + 1) % 3, f = (d + 2) % 3;
      const double xe = x[3 * a + e] - x[3 * first + e], xf = x[3 * a + f] - x[3 * first + f];
      all.p[d] += s->mass[a] * v[3 * a + d];
      all.l[d] += s->mass[a] * (xe * v[3 * a + f] - xf * v[3 * a + e]);
    }
  return all;
}

static void same_sums(const scene *s, const double *x, const double *before, const double *after) {
  for (long long first = 0; first < s->atoms; first += 3) {
    const sums a = sums_of(s, first, x, before), b = sums_of(s, first, x, after);
    for (int d = 0; d < 3; d++)
      assert_true(fabs(a.p[d] - b.p[d]) < 1e-12 && fabs(a.l[d] - b.l[d]) < 1e-12);
  }
}

static void right(const scene *s, const double *x, const double *v) {
  for (long long k = 0; k < s->bonds; k++) {
    double dd = 0, rate = 0;
    for (int d = 0; d < 3; d++) {
      const double r = x[3 * s->pair[2 * k] + d] - x[3 * s->pair[2 * k + 1] + d];
      dd += r * r;
      rate += r * (v ? v[3 * s->pair[2 * k] + d] - v[3 * s->pair[2 * k + 1] + d] : 0);
    }
    assert_true(fabs(sqrt(dd) / s->length[k] - 1) < 5e-14 && fabs(rate) < 1e-13);
  }
}

static double *copied(const double *x, long long count) {
  double *y = room(count, sizeof *y);
  memcpy(y, x, (size_t)count * sizeof *y);
  return y;
}

static void one_step(void **unused) {
  (void)unused;
  molecule *m = room(1, sizeof *m);
  for (int kind = 0; kind < 6; kind++) {
    scene s;
    rattle_error error;
    line(m, kind / 2, kind % 2);
    scene_open(&s, m, 9, 1, 0.1);
    const rattle_bonds_options options = {.struct_size = sizeof options, .tolerance = 1e-13};
    rattle_bonds *bonds = scene_bonds(&s, &options, &error);
    if (!bonds) fail_msg("%s", error.message);
    const long long n = 3 * s.atoms;
    double *v = copied(s.v, n);
    if (rattle_bonds_velocities(bonds, s.x0, s.v, NULL, &error)) fail_msg("%s", error.message);
    right(&s, s.x0, s.v);
    same_sums(&s, s.x0, v, s.v);
    scene_move(&s);
    memcpy(v, s.v, (size_t)n * sizeof *v);
    if (rattle_bonds_positions(bonds, s.x0, s.x, s.v, s.h, NULL, &error))
      fail_msg("%s", error.message);
    right(&s, s.x, NULL);
    same_sums(&s, s.x0, v, s.v);
    for (long long i = 0; i < n; i++)
      assert_true(fabs(s.v[i] - v[i] - (s.x[i] - s.start[i]) / s.h) < 1e-12);
    if (rattle_bonds_velocities(bonds, s.x, s.v, NULL, &error)) fail_msg("%s", error.message);
    /* and back: the whole is symmetric */
    double *back = room(n, sizeof *back);
    for (long long i = 0; i < n; i++) back[i] = s.x[i] - s.h * s.v[i];
    if (rattle_bonds_positions(bonds, s.x, back, s.v, -s.h, NULL, &error))
      fail_msg("%s", error.message);
    for (long long i = 0; i < n; i++) assert_true(fabs(back[i] - s.x0[i]) < 1e-12);
    free(v), free(back);
    rattle_bonds_destroy(&bonds);
    scene_close(&s);
  }
  free(m);
}

/* Free rotation for 10^5 steps: the energy is constant but for round-off, since the discrete
 * rotation is one of a fixed angle. */
static void rotates(void **unused) {
  (void)unused;
  molecule *m = room(1, sizeof *m);
  scene s;
  rattle_error error;
  line(m, 1, 0);
  scene_open(&s, m, 1, 1, 0.1);
  rattle_bonds *bonds = scene_bonds(&s, NULL, &error);
  assert_int_equal(rattle_bonds_velocities(bonds, s.x0, s.v, NULL, &error), RATTLE_OK);
  double energy[2] = {0, 0};
  for (int i = 0; i < 9; i++) energy[0] += 0.5 * s.mass[i / 3] * s.v[i] * s.v[i];
  for (int step = 0; step < 100000; step++) {
    scene_move(&s);
    assert_int_equal(rattle_bonds_positions(bonds, s.x0, s.x, s.v, s.h, NULL, &error), RATTLE_OK);
    assert_int_equal(rattle_bonds_velocities(bonds, s.x, s.v, NULL, &error), RATTLE_OK);
    memcpy(s.x0, s.x, 9 * sizeof *s.x);
  }
  for (int i = 0; i < 9; i++) energy[1] += 0.5 * s.mass[i / 3] * s.v[i] * s.v[i];
  assert_true(fabs(energy[1] / energy[0] - 1) < 1e-10);
  rattle_bonds_destroy(&bonds);
  scene_close(&s);
  free(m);
}

/* Water and CO2 have one graph: each goes its own way; other solvers than auto and line refuse. */
static void among_others(void **unused) {
  (void)unused;
  static const int pairs[] = {0, 1, 0, 2, 1, 2, 3, 4, 3, 5, 4, 5};
  static const double lengths[] = {1, 1, 1.6, 1.25, 1.25, 2.5}, masses[] = {16, 1, 1, 12, 16, 16};
  const rattle_bonds_topology topology = {.struct_size = sizeof topology,
                                          .atoms = 6,
                                          .bonds = 6,
                                          .pairs = pairs,
                                          .lengths = lengths,
                                          .masses = masses};
  rattle_bonds *bonds;
  rattle_error error;
  rattle_bonds_summary of = {.struct_size = sizeof of};
  assert_int_equal(rattle_bonds_create(&bonds, &topology, NULL, &error), RATTLE_OK);
  assert_int_equal(rattle_bonds_summarise(bonds, &of, &error), RATTLE_OK);
  assert_true(of.shapes == 2 && of.clusters == 2);
  rattle_bonds_destroy(&bonds);
  const rattle_bonds_solver *row;
  for (int i = 0; (row = rattle_bonds_solver_of(i)); i++) {
    const rattle_bonds_options options = {.struct_size = sizeof options, .solver = row->name};
    assert_int_equal(rattle_bonds_create(&bonds, &topology, &options, &error), RATTLE_UNSUITABLE);
    const int alone = !strcmp(row->name, "line") || !strcmp(row->name, "rigid");
    if (!strstr(error.message, alone ? "atoms 0 and" : "atoms 4 and 5"))
      fail_msg("%s", error.message);
  }
}

/* Forces are masses times what positions changed, the virial is theirs, and a line has four
 * constraints. */
static void outputs(void **unused) {
  (void)unused;
  molecule *m = room(1, sizeof *m);
  scene s;
  rattle_error error;
  line(m, 2, 0);
  scene_open(&s, m, 1, 1, 0.1);
  rattle_bonds *bonds = scene_bonds(&s, NULL, &error);
  double forces[9], multipliers[3], virial[6], trace = 0, removed;
  const rattle_bonds_outputs out = {
      .struct_size = sizeof out, .multipliers = multipliers, .forces = forces, .virial = virial};
  scene_move(&s);
  assert_int_equal(rattle_bonds_positions_out(bonds, s.x0, s.x, NULL, 0, NULL, &out, &error),
                   RATTLE_OK);
  for (int i = 0; i < 9; i++) {
    assert_true(fabs(forces[i] - s.mass[i / 3] * (s.x[i] - s.start[i])) < 1e-12);
    trace += forces[i] * s.x0[i];
  }
  assert_true(fabs(virial[0] + virial[1] + virial[2] - trace) < 1e-12 && fabs(trace) > 1e-4);
  const int group[] = {0, 0, 0};
  assert_int_equal(rattle_bonds_removed(bonds, group, 1, &removed, &error), RATTLE_OK);
  assert_true(fabs(removed - 4) < 1e-12);
  rattle_bonds_destroy(&bonds);
  scene_close(&s);
  free(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(one_step), cmocka_unit_test(rotates),
                                     cmocka_unit_test(among_others), cmocka_unit_test(outputs)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
