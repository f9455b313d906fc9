/* Every solver of bonds on every molecule that it claims, against sweeps in long double. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "unit/common_molecules.h"

/* Rigid water, its apex as each of the three atoms. */
static void water(molecule *m, int apex) {
  static const int chain[] = {0, 1};
  static const double x[] = {0, 0, 0, 0.9572, 0, 0, -0.2399, 0.9266, 0};
  molecule_tree(m, "water", 2, chain);
  molecule_close(m, 0, 2);
  for (int e = 0; e < 3; e++) {
    const int a = (apex + e) % 3;
    m->mass[a] = e == 0 ? 15.999 : 1.008;
    memcpy(m->x + 3 * a, x + 3 * e, 3 * sizeof *x);
  }
  const double d = hypot(x[6], x[7]);
  for (int c = 0; c < 2; c++) m->x[3 * ((apex + 2) % 3) + c] *= 0.9572 / d;
}

/* What lincs says where its series diverges, which it does for acute angles and for light atoms
 * that hold heavy ones. */
static int diverged(const char *solver, const rattle_error *error, const char *name) {
  if (strcmp(solver, "lincs") || !strstr(error->message, "atoms"))
    fail_msg("%s on %s: %s", solver, name, error->message);
  return -1;
}

/* Both stages; 0: the solver does not claim such clusters, -1: it did not converge. */
static int compare(const molecule *m, const char *solver, int alike, double tolerance,
                   double allowed) {
  scene s;
  rattle_error error;
  scene_open(&s, m, 9, alike, 0.02);
  const rattle_bonds_options options = {
      .struct_size = sizeof options, .tolerance = tolerance, .solver = solver};
  rattle_bonds *bonds = scene_bonds(&s, &options, &error);
  if (!bonds) {
    assert_int_equal(error.status, RATTLE_UNSUITABLE);
    assert_non_null(strstr(error.message, "holds the atoms"));
    scene_close(&s);
    return 0;
  }
  long double *y = widened(s.v, 3 * s.atoms);
  int done = 1;
  assert_true(scene_sweep(&s, 0, s.x0, y, NULL) < 1e-15);
  if (rattle_bonds_velocities(bonds, s.x0, s.v, NULL, &error))
    done = diverged(solver, &error, m->name);
  else
    scene_near(&s, s.v, y, allowed, solver, m->name);
  free(y);
  scene_move(&s);
  y = widened(s.x, 3 * s.atoms);
  assert_true(scene_sweep(&s, 1, s.x0, y, NULL) < 1e-15);
  if (done > 0 && rattle_bonds_positions(bonds, s.x0, s.x, s.v, s.h, NULL, &error))
    done = diverged(solver, &error, m->name);
  else if (done > 0)
    scene_near(&s, s.x, y, allowed, solver, m->name);
  free(y);
  rattle_bonds_destroy(&bonds);
  scene_close(&s);
  return done;
}

/* settle takes no triangle of three masses, line nothing that is not on one, rigid nothing that is
 * not flat. */
static void every_solver_on_every_molecule(void **unused) {
  (void)unused;
  molecule *m = room(1, sizeof *m);
  const rattle_bonds_solver *row;
  int rows = 0, diverged_on = 0;
  for (; (row = rattle_bonds_solver_of(rows)); rows++) {
    const int alone = !strcmp(row->name, "line") || !strcmp(row->name, "rigid"),
              general = strcmp(row->name, "settle") && !alone;
    assert_true(*row->clusters && *row->source && *row->text);
    for (int kind = 0; kind < KINDS; kind++)
      for (int alike = 0; alike < 2; alike++) {
        molecule_make(m, kind);
        const int done = compare(m, row->name, alike, 2e-13, 1e-10);
        assert_true(done < 0 || done == general);
        diverged_on += done < 0;
      }
    for (int apex = 0; apex < 3; apex++) {
      water(m, apex);
      assert_int_equal(compare(m, row->name, 1, 1e-13, 1e-12), !alone);
    }
  }
  assert_true(diverged_on <= 16);
  assert_true(rows >= 5 && !rattle_bonds_solver_of(-1));
  free(m);
}

/* Different solvers, one result. */
static void automatic(void **unused) {
  (void)unused;
  molecule *m = room(1, sizeof *m);
  for (int kind = 0; kind < KINDS; kind++) {
    molecule_make(m, kind);
    assert_true(compare(m, "auto", 1, 1e-13, 2e-12));
  }
  for (int apex = 0; apex < 3; apex++) {
    water(m, apex);
    assert_true(compare(m, NULL, 1, 1e-13, 1e-12));
  }
  free(m);
}

/* --- water by settle -------------------------------------------------------------------------- */

/* Both stages from the scene's start: positions and velocities in out [6 atoms]. */
static rattle_status stages(const scene *s, const rattle_bonds_options *options, double *out,
                            rattle_error *error) {
  const size_t bytes = 3 * (size_t)s->atoms * sizeof *out;
  double *x = out, *v = out + 3 * s->atoms;
  rattle_bonds *bonds = scene_bonds(s, options, error);
  if (!bonds) return error->status;
  memcpy(x, s->start, bytes), memcpy(v, s->v, bytes);
  rattle_status status = rattle_bonds_positions(bonds, s->x0, x, v, s->h, NULL, error);
  if (!status) status = rattle_bonds_velocities(bonds, x, v, NULL, error);
  rattle_bonds_destroy(&bonds);
  return status;
}

/* Triangles of three masses, then water: newton for the ones, settle for the others, and each as
 * when it is alone, by all vectors and threads. */
static void water_among_others(void **unused) {
  (void)unused;
  enum { OTHERS = 7, ALL = 2000 };
  molecule *m = room(1, sizeof *m);
  scene s;
  rattle_error error;
  static int chosen[3 * ALL];
  static double mixed[18 * ALL], alone[18 * ALL];
  water(m, 2);
  scene_open(&s, m, ALL, 1, 0.02);
  for (int a = 0; a < 3 * OTHERS; a++) s.mass[a] *= 1 + 0.1 * (a % 3);
  scene_move(&s);
  rattle_bonds *bonds = scene_bonds(&s, NULL, &error);
  assert_non_null(bonds);
  rattle_bonds_chosen(bonds, chosen);
  for (int a = 0; a < 3 * ALL; a++)
    assert_string_equal(rattle_bonds_solver_of(chosen[a])->name,
                        a < 3 * OTHERS ? "newton" : "settle");
  rattle_bonds_destroy(&bonds);
  assert_int_equal(stages(&s, NULL, mixed, &error), RATTLE_OK);
  static const char *const vectors[] = {"plain", "avx2", "avx512"};
  for (int k = 0; k < 3; k++) {
    const rattle_bonds_options options = {
        .struct_size = sizeof options, .instructions = vectors[k], .threads = 1 + k};
    if (stages(&s, &options, alone, &error))
      assert_true(k > 0 && error.status == RATTLE_BAD_ARGUMENT); /* another processor */
    else
      assert_memory_equal(alone, mixed, 18 * ALL * sizeof *mixed);
  }
  s.atoms = s.bonds = 3 * OTHERS;
  const rattle_bonds_options newton = {.struct_size = sizeof newton, .solver = "newton"};
  assert_int_equal(stages(&s, &newton, alone, &error), RATTLE_OK);
  assert_memory_equal(alone, mixed, 9 * OTHERS * sizeof *mixed);
  scene_close(&s);
  free(m);
}

/* Steps of any length, from lengths that are right or not: auto gives what newton gives, or fails
 * with the same words and changes nothing. From half a turn on there are several solutions. */
static void water_that_turns(void **unused) {
  (void)unused;
  molecule *m = room(1, sizeof *m);
  int solved = 0, failed = 0;
  const rattle_bonds_options newton = {.struct_size = sizeof newton, .solver = "newton"};
  water(m, 0);
  for (int k = 1; k <= 1000; k++) {
    scene s;
    rattle_error error, expected;
    double by_newton[18], by_auto[18];
    scene_open(&s, m, 1, 1, 0.003 * k);
    for (int i = 0; i < 9 && k % 2; i++) s.x0[i] *= 1 + 0.01 * drawn();
    scene_move(&s);
    const rattle_status wanted = stages(&s, &newton, by_newton, &expected),
                        status = stages(&s, NULL, by_auto, &error);
    if (!wanted && status) fail_msg("step %g: %s", s.h, error.message);
    for (int i = 0; i < 18 && !wanted && s.h < 1.2; i++)
      assert_true(fabs(by_auto[i] - by_newton[i]) < 1e-10);
    if (status) assert_string_equal(error.message, expected.message);
    if (status) assert_memory_equal(by_auto, s.start, 9 * sizeof *by_auto);
    solved += !status, failed += status == RATTLE_NOT_CONVERGED;
    scene_close(&s);
  }
  assert_true(solved > 500 && failed > 200);
  free(m);
}

/* What a solver cannot reach is an error that names atoms. */
static void not_reached(void **unused) {
  (void)unused;
  molecule *m = room(1, sizeof *m);
  scene s;
  rattle_error error;
  molecule_make(m, 8);
  scene_open(&s, m, 3, 0, 0.02);
  for (int stage = 0; stage < 2; stage++) {
    const rattle_bonds_options few = {
        .struct_size = sizeof few, .solver = "lincs", .lincs_order = 2, .lincs_iterations = 1};
    rattle_bonds *bonds = scene_bonds(&s, &few, &error);
    assert_non_null(bonds);
    scene_move(&s);
    assert_int_not_equal(stage ? rattle_bonds_positions(bonds, s.x0, s.x, s.v, s.h, NULL, &error)
                               : rattle_bonds_velocities(bonds, s.x0, s.v, NULL, &error),
                         RATTLE_OK);
    if (!strstr(error.message, "atoms")) fail_msg("%s", error.message);
    assert_memory_equal(s.x, s.start, 3 * (size_t)s.atoms * sizeof *s.x);
    rattle_bonds_destroy(&bonds);
  }
  static const char *const names[] = {"shake", "lincs", "quasi_newton", "newton"};
  scene_close(&s);
  molecule_make(m, 11);
  scene_open(&s, m, 3, 0, 0.02);
  s.length[1] = 40;
  for (int k = 0; k < 4; k++) {
    const rattle_bonds_options options = {.struct_size = sizeof options, .solver = names[k]};
    rattle_bonds *bonds = scene_bonds(&s, &options, &error);
    scene_move(&s);
    assert_int_not_equal(rattle_bonds_positions(bonds, s.x0, s.x, s.v, s.h, NULL, &error),
                         RATTLE_OK);
    if (!strstr(error.message, "atoms")) fail_msg("%s: %s", names[k], error.message);
    rattle_bonds_destroy(&bonds);
  }
  rattle_bonds_options wrong = {.struct_size = sizeof wrong, .solver = "shaken"};
  assert_null(scene_bonds(&s, &wrong, &error));
  assert_true(error.status == RATTLE_BAD_ARGUMENT && strstr(error.message, "quasi_newton"));
  wrong.solver = "lincs", wrong.lincs_order = -1;
  assert_null(scene_bonds(&s, &wrong, &error));
  assert_int_equal(error.status, RATTLE_BAD_ARGUMENT);
  scene_close(&s);
  free(m);
}

/* A stage of waters by settle, with a tolerance of its own, against sweeps in long double;
 * `strain`: of every other one at the start. */
static void check_settle(int positions, double tolerance, double strain) {
  molecule *m = room(1, sizeof *m);
  for (int apex = 0; apex < 3; apex++) {
    scene s;
    rattle_error error;
    water(m, apex);
    scene_open(&s, m, 9, 1, 0.02);
    for (long long a = 0; a < s.atoms; a++) s.x0[3 * a] *= a / 3 % 2 ? 1 + strain : 1;
    const rattle_bonds_options options = {
        .struct_size = sizeof options, .tolerance = tolerance, .solver = "settle"};
    rattle_bonds *bonds = scene_bonds(&s, &options, &error);
    if (!bonds) fail_msg("apex %d: %s", apex, error.message);
    if (positions) scene_move(&s);
    double *found = positions ? s.x : s.v;
    long double *y = widened(found, 3 * s.atoms);
    assert_true(scene_sweep(&s, positions, s.x0, y, NULL) < 1e-15);
    const rattle_status status =
        positions ? rattle_bonds_positions(bonds, s.x0, s.x, s.v, s.h, NULL, &error)
                  : rattle_bonds_velocities(bonds, s.x0, s.v, NULL, &error);
    if (status) fail_msg("%s", error.message);
    scene_near(&s, found, y, 1e-12, "settle", m->name);
    free(y);
    rattle_bonds_destroy(&bonds);
    scene_close(&s);
  }
  free(m);
}

/* settle's positions are closed forms: right to round-off whatever the tolerance, which would hide
 * a constant that is wrong. */
static void closed_forms(void **unused) {
  (void)unused;
  check_settle(1, 0.05, 0);
}

/* Velocities at positions whose lengths are not right: the inverse that settle has made does not do
 * there. */
static void water_that_is_strained(void **unused) {
  (void)unused;
  check_settle(0, 0, 0.03);
}

/* Both stages by settle; out [6 atoms]: positions and velocities. */
static void step_of_water(const scene *s, double *out) {
  rattle_error error;
  double *x = out, *v = out + 3 * s->atoms;
  const rattle_bonds_options options = {.struct_size = sizeof options, .solver = "settle"};
  rattle_bonds *bonds = scene_bonds(s, &options, &error);
  if (!bonds) fail_msg("%s", error.message);
  for (long long i = 0; i < 3 * s->atoms; i++) v[i] = s->v[i], x[i] = s->x0[i] + s->h * v[i];
  if (rattle_bonds_positions(bonds, s->x0, x, v, s->h, NULL, &error)) fail_msg("%s", error.message);
  if (rattle_bonds_velocities(bonds, x, v, NULL, &error)) fail_msg("%s", error.message);
  rattle_bonds_destroy(&bonds);
}

/* Molecules at even distances in memory, and with another atom between some of them: the same
 * bits. */
static void water_with_ions(void **unused) {
  (void)unused;
  enum { COPIES = 43, BEFORE_ION = 11, ATOMS_ALL = 3 * COPIES + COPIES / BEFORE_ION };
  molecule *m = room(1, sizeof *m);
  scene s, apart;
  water(m, 0);
  scene_open(&s, m, COPIES, 1, 0.02);
  apart = s;
  apart.atoms = ATOMS_ALL;
  apart.pair = room(2 * s.bonds, sizeof *s.pair), apart.mass = room(ATOMS_ALL, sizeof *s.mass);
  apart.x0 = room(3 * ATOMS_ALL, sizeof *s.x0), apart.v = room(3 * ATOMS_ALL, sizeof *s.v);
  for (long long a = 0; a < ATOMS_ALL; a++) apart.mass[a] = 23;
  for (long long a = 0; a < s.atoms; a++) {
    const long long to = a + a / 3 / BEFORE_ION;
    apart.mass[to] = s.mass[a];
    memcpy(apart.x0 + 3 * to, s.x0 + 3 * a, 3 * sizeof *s.x0),
        memcpy(apart.v + 3 * to, s.v + 3 * a, 3 * sizeof *s.v);
  }
  for (long long e = 0; e < 2 * s.bonds; e++)
    apart.pair[e] = s.pair[e] + s.pair[e] / 3 / BEFORE_ION;
  double *even = room(6 * s.atoms, sizeof *even), *uneven = room(6 * ATOMS_ALL, sizeof *uneven);
  step_of_water(&s, even), step_of_water(&apart, uneven);
  for (long long a = 0; a < s.atoms; a++)
    for (int of = 0; of < 2; of++)
      assert_memory_equal(even + 3 * (a + of * s.atoms),
                          uneven + 3 * (a + a / 3 / BEFORE_ION + of * ATOMS_ALL), 3 * sizeof *even);
  free(apart.pair), free(apart.mass), free(apart.x0), free(apart.v), free(even), free(uneven),
      free(m);
  scene_close(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_solver_on_every_molecule),
                                     cmocka_unit_test(automatic),
                                     cmocka_unit_test(water_among_others),
                                     cmocka_unit_test(water_that_turns),
                                     cmocka_unit_test(water_that_is_strained),
                                     cmocka_unit_test(water_with_ions),
                                     cmocka_unit_test(not_reached),
                                     cmocka_unit_test(closed_forms)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
