/* Flat molecules with all their distances, as rigid bodies: what defines the stages, the motion of a
 * free symmetric top in closed form, and what a program hears of it. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "rattle/bonds.h"

enum { MOST = 12, PAIRS = MOST * (MOST - 1) / 2 };

typedef struct flat {
  int atoms, bonds, pair[2 * PAIRS];
  double mass[MOST], x[3 * MOST], length[PAIRS];
} flat;

static double drawn(void) {
  static uint64_t state = 7;
  state = state * 6364136223846793005u + 1442695040888963407u;
  return 2 * (double)(state >> 11) / 9007199254740992.0 - 1;
}

static void cross(const double *a, const double *b, double *c) {
  for (int d = 0; d < 3; d++)
    c[d] = a[(d + 1) % 3] * b[(d + 2) % 3] - a[(d + 2) % 3] * b[(d + 1) % 3];
}

static void put(flat *m, double mass, double x, double y) {
  m->x[3 * m->atoms] = x, m->x[3 * m->atoms + 1] = y, m->x[3 * m->atoms + 2] = 0;
  m->mass[m->atoms++] = mass;
}

/* 0: formate; 1: a ring of six carbons; 2: benzene, whose opposite atoms are on lines */
static void make(flat *m, int kind) {
  const double pi = acos(-1), a = 63.5 * pi / 180;
  *m = (flat){0};
  if (kind == 0) {
    put(m, 12.011, 0, 0);
    put(m, 15.999, 1.25 * cos(a), 1.25 * sin(a));
    put(m, 15.999, 1.25 * cos(a), -1.25 * sin(a));
    put(m, 1.008, -1.1, 0);
  }
  for (int k = 0; k < 6 * kind; k++)
    put(m, k < 6 ? 12.011 : 1.008, (k < 6 ? 1.39 : 2.48) * cos(k * pi / 3),
        (k < 6 ? 1.39 : 2.48) * sin(k * pi / 3));
  for (int i = 0; i < m->atoms; i++)
    for (int j = 0; j < i; j++) {
      m->pair[2 * m->bonds] = i, m->pair[2 * m->bonds + 1] = j;
      m->length[m->bonds++] = hypot(m->x[3 * i] - m->x[3 * j], m->x[3 * i + 1] - m->x[3 * j + 1]);
    }
}

static rattle_bonds *bonds_of(const flat *m, double tolerance) {
  const rattle_bonds_topology t = {.struct_size = sizeof t,
                                   .atoms = m->atoms,
                                   .bonds = m->bonds,
                                   .pairs = m->pair,
                                   .lengths = m->length,
                                   .masses = m->mass};
  const rattle_bonds_options options = {.struct_size = sizeof options, .tolerance = tolerance};
  rattle_bonds *bonds;
  rattle_error error;
  assert_int_equal(rattle_bonds_create(&bonds, &t, &options, &error), RATTLE_OK);
  return bonds;
}

/* Turned about some axis, and moved. */
static void place(const flat *m, double *x) {
  const double c = cos(0.7), s = sin(0.7), e = cos(-1.1), f = sin(-1.1);
  for (int i = 0; i < m->atoms; i++) {
    const double *b = m->x + 3 * i, u = c * b[0] - s * b[1], v = s * b[0] + c * b[1];
    x[3 * i] = u + 0.3, x[3 * i + 1] = e * v - 2, x[3 * i + 2] = f * v + 1;
  }
}

static double off(const flat *m, const double *x) {
  double worst = 0;
  for (int k = 0; k < m->bonds; k++) {
    const double *a = x + 3 * m->pair[2 * k], *b = x + 3 * m->pair[2 * k + 1];
    const double d = sqrt(pow(a[0] - b[0], 2) + pow(a[1] - b[1], 2) + pow(a[2] - b[2], 2));
    worst = fmax(worst, fabs(d / m->length[k] - 1));
  }
  return worst;
}

/* sum m change, and sum m r x change, r being from the centre of mass: both 0 for what constraints
 * do. */
static double left_of(const flat *m, const double *r, const double *change) {
  double sum[3] = {0}, turn[3] = {0}, worst = 0;
  for (int i = 0; i < m->atoms; i++) {
    double one[3];
    cross(r + 3 * i, change + 3 * i, one);
    for (int d = 0; d < 3; d++)
      sum[d] += m->mass[i] * change[3 * i + d], turn[d] += m->mass[i] * one[d];
  }
  for (int d = 0; d < 3; d++) worst = fmax(worst, fmax(fabs(sum[d]), fabs(turn[d])));
  return worst;
}

/* Lengths to round-off, and forces that have no sum and no torque at x0: these define the stages. */
static void stages(void **unused) {
  (void)unused;
  for (int kind = 0; kind < 3; kind++) {
    flat m;
    double x0[3 * MOST], x[3 * MOST], v[3 * MOST], moved[3 * MOST], change[3 * MOST],
        force[3 * MOST], virial[6], taken[PAIRS], sum = 0;
    rattle_error error;
    make(&m, kind);
    rattle_bonds *bonds = bonds_of(&m, 0);
    rattle_bonds_summary summary = {.struct_size = sizeof summary};
    assert_int_equal(rattle_bonds_summarise(bonds, &summary, &error), RATTLE_OK);
    assert_true(summary.rigid == 1 && summary.lines == 0 && summary.repeated == 0);
    assert_true(summary.clusters == 1 && summary.atoms == m.atoms && summary.largest == m.bonds);
    rattle_bonds_taken(bonds, taken);
    for (int k = 0; k < m.bonds; k++) sum += taken[k];
    assert_true(fabs(sum - (3 * m.atoms - 6)) < 1e-12);
    place(&m, x0);
    for (int i = 0; i < 3 * m.atoms; i++)
      moved[i] = x[i] = x0[i] + 0.1 * drawn(), v[i] = change[i] = drawn();
    const rattle_bonds_outputs outputs = {
        .struct_size = sizeof outputs, .forces = force, .virial = virial, .scale = 3};
    assert_int_equal(rattle_bonds_positions_out(bonds, x0, x, v, 0.5, NULL, &outputs, &error),
                     RATTLE_OK);
    assert_true(off(&m, x) < 4e-15);
    double trace = 0;
    for (int i = 0; i < 3 * m.atoms; i++) {
      assert_true(fabs(v[i] - change[i] - 2 * (x[i] - moved[i])) < 1e-14);
      assert_true(fabs(force[i] - 3 * m.mass[i / 3] * (x[i] - moved[i])) < 1e-12);
      trace += force[i] * x0[i];
      change[i] = x[i] - moved[i];
    }
    assert_true(fabs(trace - virial[0] - virial[1] - virial[2]) < 1e-12);
    assert_true(left_of(&m, x0, change) < 1e-13);
    memcpy(moved, v, sizeof v);
    assert_int_equal(rattle_bonds_velocities(bonds, x, v, NULL, &error), RATTLE_OK);
    for (int k = 0; k < m.bonds; k++) {
      double rate = 0;
      for (int d = 0; d < 3; d++) {
        const int i = 3 * m.pair[2 * k] + d, j = 3 * m.pair[2 * k + 1] + d;
        rate += (x[i] - x[j]) * (v[i] - v[j]);
      }
      assert_true(fabs(rate) < 2e-14);
    }
    for (int i = 0; i < 3 * m.atoms; i++) change[i] = v[i] - moved[i];
    assert_true(left_of(&m, x, change) < 1e-13);
    rattle_bonds_destroy(&bonds);
  }
}

/* A ring of six turns freely: its axis about the angular momentum L at the rate L/I, the ring about
 * its axis at w3 (1 - I3/I), I3 = 2 I. The largest error of a place after t = 1. */
static double free_top(int steps) {
  flat m;
  make(&m, 1);
  rattle_bonds *bonds = bonds_of(&m, 0);
  rattle_error error;
  double I = 0, x0[18], x[18], v[18], worst = 0;
  const double w[3] = {0.9, 0, 1.3}, h = 1.0 / steps;
  for (int i = 0; i < 6; i++) I += m.mass[i] * m.x[3 * i] * m.x[3 * i];
  memcpy(x, m.x, sizeof x);
  for (int i = 0; i < 6; i++) cross(w, x + 3 * i, v + 3 * i);
  for (int n = 0; n < steps; n++) {
    memcpy(x0, x, sizeof x);
    for (int i = 0; i < 18; i++) x[i] += h * v[i];
    assert_int_equal(rattle_bonds_positions(bonds, x0, x, v, h, NULL, &error), RATTLE_OK);
    assert_int_equal(rattle_bonds_velocities(bonds, x, v, NULL, &error), RATTLE_OK);
  }
  const double L[3] = {I * w[0], 0, 2 * I * w[2]}, size = hypot(L[0], L[2]), rate = size / I,
               n[3] = {L[0] / size, 0, L[2] / size}, own = -w[2];
  for (int i = 0; i < 6; i++) {
    const double *b = m.x + 3 * i, c = cos(own), s = sin(own);
    const double r[3] = {c * b[0] - s * b[1], s * b[0] + c * b[1], 0};
    double nr[3];
    const double along = n[0] * r[0] + n[2] * r[2];
    cross(n, r, nr);
    for (int d = 0; d < 3; d++) {
      const double right = cos(rate) * r[d] + sin(rate) * nr[d] + (1 - cos(rate)) * along * n[d];
      worst = fmax(worst, fabs(x[3 * i + d] - right));
    }
  }
  assert_true(off(&m, x) < 4e-15);
  rattle_bonds_destroy(&bonds);
  return worst;
}

static void symmetric_top(void **unused) {
  (void)unused;
  const double coarse = free_top(200), fine = free_top(400);
  assert_true(fine < 2e-5 && fabs(coarse / fine - 4) < 0.01);
}

/* In a box across its faces, and in floats. */
static void boxes_and_floats(void **unused) {
  (void)unused;
  flat m;
  rattle_error error;
  const rattle_bonds_box box = {{{9, 0, 0}, {2, 8, 0}, {1, 1, 7}}};
  double x0[3 * MOST], x[3 * MOST], v[3 * MOST] = {0}, wrapped0[3 * MOST], wrapped[3 * MOST],
                                          w[3 * MOST] = {0};
  float f0[3 * MOST], f[3 * MOST];
  make(&m, 0);
  place(&m, x0);
  rattle_bonds *bonds = bonds_of(&m, 0), *loose = bonds_of(&m, 1e-5);
  for (int i = 0; i < 3 * m.atoms; i++) {
    x[i] = x0[i] + 0.05 * drawn();
    const double shift = i / 3 == 1 ? box.edge[1][i % 3] : i / 3 == 2 ? -box.edge[2][i % 3] : 0;
    wrapped0[i] = x0[i] + shift, wrapped[i] = x[i] + shift;
    f0[i] = (float)x0[i], f[i] = (float)x[i];
  }
  assert_int_equal(rattle_bonds_positions(bonds, wrapped0, wrapped, w, 0.1, &box, &error),
                   RATTLE_OK);
  assert_int_equal(rattle_bonds_positions_float(loose, f0, f, NULL, 0.1, NULL, NULL, &error),
                   RATTLE_OK);
  assert_int_equal(rattle_bonds_positions(bonds, x0, x, v, 0.1, NULL, &error), RATTLE_OK);
  for (int i = 0; i < 3 * m.atoms; i++) {
    const double shift = i / 3 == 1 ? box.edge[1][i % 3] : i / 3 == 2 ? -box.edge[2][i % 3] : 0;
    assert_true(fabs(wrapped[i] - shift - x[i]) < 1e-14 && fabs(w[i] - v[i]) < 1e-13);
    assert_true(fabs(f[i] - x[i]) < 1e-6);
  }
  rattle_bonds_destroy(&bonds);
  rattle_bonds_destroy(&loose);
}

/* Beside other molecules, which have the same bits; bodies that fail are left as they were. */
static void beside_others(void **unused) {
  (void)unused;
  flat m;
  rattle_error error;
  make(&m, 0);
  const int atoms = m.atoms + 3;
  for (int k = 0; k < 3; k++) {
    m.mass[m.atoms + k] = k ? 1.008 : 15.999;
    m.pair[2 * (m.bonds + k)] = m.atoms + (k == 2),
                          m.pair[2 * (m.bonds + k) + 1] = m.atoms + 1 + (k > 0);
    m.length[m.bonds + k] = k == 2 ? 1.6 : 1;
  }
  const double water[9] = {5, 5, 5, 5.8, 5.6, 5, 4.2, 5.6, 5};
  flat all = m, alone = {.atoms = 3, .bonds = 3};
  all.atoms = atoms, all.bonds += 3;
  memcpy(alone.mass, m.mass + m.atoms, 3 * sizeof(double));
  memcpy(alone.length, m.length + m.bonds, 3 * sizeof(double));
  for (int k = 0; k < 6; k++) alone.pair[k] = m.pair[2 * m.bonds + k] - m.atoms;
  rattle_bonds *both = bonds_of(&all, 0), *one = bonds_of(&alone, 0);
  int solver[MOST];
  rattle_bonds_chosen(both, solver);
  assert_string_equal(rattle_bonds_solver_of(solver[0])->name, "rigid");
  assert_string_equal(rattle_bonds_solver_of(solver[m.atoms])->name, "settle");
  for (int kind = 0; kind < 3; kind++) {
    double x0[3 * MOST], x[3 * MOST], before[3 * MOST], w[9];
    place(&m, x0);
    memcpy(x0 + 3 * m.atoms, water, sizeof water);
    for (int i = 0; i < 3 * atoms; i++) before[i] = x[i] = x0[i] + 0.02 * drawn();
    memcpy(w, x + 3 * m.atoms, sizeof w);
    if (kind == 1) before[4] = x[4] = (double)NAN;
    for (int i = 0; i < 3 * m.atoms && kind == 2; i++)
      before[i] = x[i] = x0[i] + 20 * (x0[i] - 1) * (i % 3 - 1);
    const rattle_status status = rattle_bonds_positions(both, x0, x, NULL, 0, NULL, &error);
    assert_int_equal(status, kind == 0   ? RATTLE_OK
                             : kind == 1 ? RATTLE_DOMAIN
                                         : RATTLE_NOT_CONVERGED);
    assert_int_equal(rattle_bonds_positions(one, water, w, NULL, 0, NULL, &error), RATTLE_OK);
    assert_memory_equal(w, x + 3 * m.atoms, sizeof w);
    if (kind) assert_memory_equal(x, before, 3 * (size_t)m.atoms * sizeof *x);
  }
  rattle_bonds_destroy(&both);
  rattle_bonds_destroy(&one);
}

/* In metres, picometres and others: lengths have no unit. */
static void units(void **unused) {
  (void)unused;
  static const double unit[] = {1e-10, 0.1, 100, 1e9};
  for (int kind = 0; kind < 3; kind++)
    for (size_t u = 0; u < sizeof unit / sizeof *unit; u++) {
      flat m;
      double x[3 * MOST], x0[3 * MOST];
      rattle_error error;
      make(&m, kind);
      place(&m, x0);
      for (int k = 0; k < m.bonds; k++) m.length[k] *= unit[u];
      for (int i = 0; i < 3 * m.atoms; i++)
        x0[i] *= unit[u], x[i] = x0[i] + 0.02 * unit[u] * drawn();
      rattle_bonds *bonds = bonds_of(&m, 0);
      assert_int_equal(rattle_bonds_positions(bonds, x0, x, NULL, 1, NULL, &error), 0);
      for (int k = 0; k < m.bonds; k++) {
        const double *a = x + 3 * m.pair[2 * k], *b = x + 3 * m.pair[2 * k + 1];
        const double found = hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]);
        assert_true(fabs(found / m.length[k] - 1) < 1e-14);
      }
      rattle_bonds_destroy(&bonds);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(stages), cmocka_unit_test(symmetric_top),
                                     cmocka_unit_test(boxes_and_floats),
                                     cmocka_unit_test(beside_others), cmocka_unit_test(units)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
