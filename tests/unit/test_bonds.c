/* Bonds at molecular scale against plain sweeps in long double: lengths, rates and where atoms go. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "rattle/bonds.h"
#include "support/random.h"

enum { ATOMS = 64, BONDS = 80 };

/* A molecule: its bonds, and a place for its atoms where all lengths are what they are. */
typedef struct molecule {
  const char *name;
  int atoms, bonds;
  int pair[2 * BONDS];
  double x[3 * ATOMS], mass[ATOMS];
} molecule;

static uint64_t seed;

static double drawn(void) {
  return 0.5 + 0.5 * rattle__random_signed(&seed);
}

/* Bonds of a tree: atom k + 1 hangs at parent[k]. */
static void tree(molecule *m, const char *name, int bonds, const int *parent) {
  *m = (molecule){.name = name, .atoms = bonds + 1, .bonds = bonds};
  for (int k = 0; k < bonds; k++) m->pair[2 * k] = parent[k], m->pair[2 * k + 1] = k + 1;
}

static void close_ring(molecule *m, int i, int j) {
  m->pair[2 * m->bonds] = j, m->pair[2 * m->bonds + 1] = i;
  m->bonds++;
}

enum { KINDS = 11 };

/* Masses of 1 to 30, some of 200; places a unit apart or so, in no order that matters. */
static void make(molecule *m, int kind) {
  static const int star[] = {0, 0, 0, 0, 0, 0}, chain[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19};
  static const int ethane[] = {0, 0, 0, 0, 1, 1, 1};
  seed = 77 + (uint64_t)kind;
  switch (kind) {
  case 0:
    tree(m, "pair", 1, star);
    break;
  case 1:
    tree(m, "CH2", 2, star);
    break;
  case 2:
    tree(m, "CH3", 3, star);
    break;
  case 3:
    tree(m, "CH4", 4, star);
    break;
  case 4:
    tree(m, "five at one", 5, star);
    break;
  case 5:
    tree(m, "water", 2, star), close_ring(m, 1, 2);
    break;
  case 6:
    tree(m, "ethane", 7, ethane);
    break;
  case 7:
    tree(m, "ring of six", 5, chain), close_ring(m, 0, 5);
    break;
  case 8:
    tree(m, "four beads, five bonds", 3, chain), close_ring(m, 0, 2), close_ring(m, 1, 3);
    break;
  case 9:
    tree(m, "fused rings", 9, chain), close_ring(m, 0, 9), close_ring(m, 2, 7);
    break;
  default: {
    int parent[50];
    for (int k = 0; k < 50; k++) parent[k] = (int)(drawn() * (k < 6 ? k + 1 : 6)) + (k < 6 ? 0 : k - 5);
    tree(m, "a tree with two rings", 50, parent);
    close_ring(m, 50, 20);
    close_ring(m, 44, 3);
  }
  }
  for (int a = 0; a < m->atoms; a++) {
    m->mass[a] = a % 7 == 3 ? 200 : 1 + 29 * drawn();
    for (int d = 0; d < 3; d++)
      m->x[3 * a + d] = 0.9 * (drawn() - 0.5) + (d == 0 ? 0.6 * a : d == 1 ? (a * a % 5) * 0.7 : 0.3 * (a % 3));
  }
}

/* Copies of molecules as one topology, with velocities, and where a step without constraints ends. */
typedef struct scene {
  long long atoms, bonds;
  int *pair;
  double *length, *mass, *x0, *x, *v, *start; /* start: x before constraints */
  double h;
} scene;

static void *room(long long count, size_t size) {
  void *p = calloc((size_t)count + 1, size);
  assert_non_null(p);
  return p;
}

/* alike: all copies have the same lengths and masses. */
static void open_scene(scene *s, const molecule *m, int copies, int alike, double h) {
  *s = (scene){.atoms = (long long)m->atoms * copies, .bonds = (long long)m->bonds * copies, .h = h};
  s->pair = room(2 * s->bonds, sizeof *s->pair);
  s->length = room(s->bonds, sizeof(double)), s->mass = room(s->atoms, sizeof(double));
  double **of[] = {&s->x0, &s->x, &s->v, &s->start};
  for (int i = 0; i < 4; i++) *of[i] = room(3 * s->atoms, sizeof(double));
  for (int c = 0; c < copies; c++) {
    const int first = c * m->atoms;
    for (int a = 0; a < m->atoms; a++) {
      s->mass[first + a] = m->mass[a] * (alike ? 1 : 1 + drawn());
      for (int d = 0; d < 3; d++) {
        s->x0[3 * (first + a) + d] = m->x[3 * a + d] + (alike ? 0 : 0.2 * (drawn() - 0.5)) + 5 * c;
        s->v[3 * (first + a) + d] = (drawn() - 0.5) / sqrt(s->mass[first + a]);
      }
    }
    for (int k = 0; k < m->bonds; k++) {
      int *pair = s->pair + 2 * ((long long)c * m->bonds + k);
      double sum = 0;
      for (int e = 0; e < 2; e++) pair[e] = first + m->pair[2 * k + e];
      for (int d = 0; d < 3; d++) sum += pow(s->x0[3 * pair[0] + d] - s->x0[3 * pair[1] + d], 2);
      s->length[(long long)c * m->bonds + k] = sqrt(sum);
    }
  }
}

static void move(scene *s) {
  for (long long i = 0; i < 3 * s->atoms; i++) s->x[i] = s->start[i] = s->x0[i] + s->h * s->v[i];
}

static void close_scene(scene *s) {
  void *all[] = {s->pair, s->length, s->mass, s->x0, s->x, s->v, s->start};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
}

static rattle_bonds *bonds_of(const scene *s, double tolerance, const char *instructions) {
  const rattle_bonds_topology topology = {.struct_size = sizeof topology,
                                          .atoms = s->atoms,
                                          .bonds = s->bonds,
                                          .pairs = s->pair,
                                          .lengths = s->length,
                                          .masses = s->mass};
  const rattle_bonds_options options = {.struct_size = sizeof options, .tolerance = tolerance, .instructions = instructions};
  rattle_bonds *bonds = NULL;
  rattle_error error;
  if (rattle_bonds_create(&bonds, &topology, &options, &error)) fail_msg("%s", error.message);
  return bonds;
}

/* --- the oracle: Gauss-Seidel sweeps in long double ----------------------------------------------------------------------------- */

static long double by_sweeps(const scene *s, int positions, const double *along, long double *y) {
  long double worst = 1;
  for (int sweep = 0; sweep < 400000 && worst > 2e-17L; sweep++) {
    worst = 0;
    for (long long k = 0; k < s->bonds; k++) {
      const int i = 3 * s->pair[2 * k], j = 3 * s->pair[2 * k + 1];
      long double u[3], r[3], uu = 0, ur = 0, rr = 0;
      for (int d = 0; d < 3; d++) {
        u[d] = y[i + d] - y[j + d], r[d] = (long double)along[i + d] - along[j + d];
        uu += u[d] * u[d], ur += u[d] * r[d], rr += r[d] * r[d];
      }
      const long double wi = 1 / (long double)s->mass[i / 3], wj = 1 / (long double)s->mass[j / 3],
                        dd = (long double)s->length[k] * s->length[k];
      const long double off = positions ? (uu - dd) / (2 * ur * (wi + wj)) : ur / (rr * (wi + wj));
      worst = fmaxl(worst, positions ? fabsl(uu / dd - 1) : fabsl(ur));
      for (int d = 0; d < 3; d++) y[i + d] -= wi * off * r[d], y[j + d] += wj * off * r[d];
    }
  }
  return worst;
}

static long double *widened(const double *x, long long count) {
  long double *y = room(count, sizeof *y);
  for (long long i = 0; i < count; i++) y[i] = x[i];
  return y;
}

static void near(const scene *s, const double *x, const long double *y, double allowed, const char *what, const char *name) {
  for (long long i = 0; i < 3 * s->atoms; i++)
    if (!(fabsl(x[i] - y[i]) <= allowed)) fail_msg("%s, %s of atom %lld: %.17g and %.17Lg", name, what, i / 3, x[i], y[i]);
}

/* Velocities first made consistent at x0, then a step. */
static void against_sweeps(void **unused) {
  (void)unused;
  for (int kind = 0; kind < KINDS; kind++)
    for (int alike = 0; alike < 2; alike++) {
      molecule m;
      scene s;
      rattle_error error;
      make(&m, kind);
      open_scene(&s, &m, kind < 8 ? 11 : 2, alike, 0.02);
      rattle_bonds *bonds = bonds_of(&s, 1e-14, NULL);
      long double *y = widened(s.v, 3 * s.atoms);
      by_sweeps(&s, 0, s.x0, y);
      if (rattle_bonds_velocities(bonds, s.x0, s.v, NULL, &error)) fail_msg("%s: %s", m.name, error.message);
      near(&s, s.v, y, 1e-12, "velocity", m.name);
      free(y);
      move(&s);
      double *before = room(3 * s.atoms, sizeof *before);
      memcpy(before, s.v, 3 * (size_t)s.atoms * sizeof *before);
      y = widened(s.x, 3 * s.atoms);
      if (!(by_sweeps(&s, 1, s.x0, y) < 1e-15)) fail_msg("%s: the oracle did not converge", m.name);
      if (rattle_bonds_positions(bonds, s.x0, s.x, s.v, s.h, NULL, &error)) fail_msg("%s: %s", m.name, error.message);
      near(&s, s.x, y, 2e-12, "position", m.name);
      for (long long i = 0; i < 3 * s.atoms; i++) assert_true(fabs(s.v[i] - before[i] - (s.x[i] - s.start[i]) / s.h) <= 1e-12);
      free(y);
      free(before);
      rattle_bonds_destroy(&bonds);
      close_scene(&s);
    }
}

/* --- what does not matter ------------------------------------------------------------------------------------------------------- */

/* A step of both stages by the instructions named, from the scene's x0 and v; positions and velocities in out [6 atoms]. */
static int step_by(const scene *s, const char *instructions, const rattle_bonds_box *box, double *out) {
  const rattle_bonds_topology topology = {.struct_size = sizeof topology,
                                          .atoms = s->atoms,
                                          .bonds = s->bonds,
                                          .pairs = s->pair,
                                          .lengths = s->length,
                                          .masses = s->mass};
  const rattle_bonds_options options = {.struct_size = sizeof options, .instructions = instructions};
  const size_t bytes = 3 * (size_t)s->atoms * sizeof *out;
  rattle_bonds *bonds = NULL;
  rattle_error error;
  if (rattle_bonds_create(&bonds, &topology, &options, &error)) return 0; /* another processor */
  double *x = out, *v = out + 3 * s->atoms;
  memcpy(v, s->v, bytes);
  if (rattle_bonds_velocities(bonds, s->x0, v, box, &error)) fail_msg("%s", error.message);
  for (long long i = 0; i < 3 * s->atoms; i++) x[i] = s->x0[i] + s->h * v[i];
  if (rattle_bonds_positions(bonds, s->x0, x, v, s->h, box, &error)) fail_msg("%s", error.message);
  if (rattle_bonds_velocities(bonds, x, v, box, &error)) fail_msg("%s", error.message);
  rattle_bonds_destroy(&bonds);
  return 1;
}

/* The vectors that are used, how many clusters there are, and what other molecules there are beside. */
static void same_bits(void **unused) {
  (void)unused;
  for (int kind = 0; kind < KINDS; kind++) {
    molecule m;
    scene s;
    make(&m, kind);
    open_scene(&s, &m, 13, kind % 2, 0.03);
    const size_t bytes = 6 * (size_t)s.atoms * sizeof(double);
    double *plain = room(6 * s.atoms, sizeof *plain), *other = room(6 * s.atoms, sizeof *other);
    assert_true(step_by(&s, "plain", NULL, plain));
    for (int i = 0; i < 3; i++) {
      static const char *const names[] = {"avx2", "avx512", NULL};
      if (step_by(&s, names[i], NULL, other)) assert_memory_equal(plain, other, bytes);
    }
    scene few = s;
    few.atoms = 5 * m.atoms, few.bonds = 5 * m.bonds;
    assert_true(step_by(&few, NULL, NULL, other));
    assert_memory_equal(plain, other, 3 * (size_t)few.atoms * sizeof *plain);
    free(plain), free(other);
    close_scene(&s);
  }
}

/* Atoms wrapped into a box, one by one: the same motion. */
static void in_a_box(void **unused) {
  (void)unused;
  static const rattle_bonds_box boxes[] = {{{{9, 0, 0}, {0, 8, 0}, {0, 0, 7}}}, {{{9, 0, 0}, {-2.5, 8, 0}, {3, -1.5, 7.5}}}};
  molecule m;
  make(&m, 6);
  for (int b = 0; b < 2; b++) {
    scene s;
    open_scene(&s, &m, 20, 1, 0.02);
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
    close_scene(&s);
  }
}

/* Sums of momenta stay; an atom that does not move stays too. */
static void momenta(void **unused) {
  (void)unused;
  molecule m;
  scene s;
  make(&m, 10);
  open_scene(&s, &m, 3, 0, 0.02);
  rattle_bonds *bonds = bonds_of(&s, 0, NULL);
  double before[3] = {0}, after[3] = {0};
  for (long long i = 0; i < 3 * s.atoms; i++) before[i % 3] += s.mass[i / 3] * s.v[i];
  assert_int_equal(rattle_bonds_velocities(bonds, s.x0, s.v, NULL, NULL), RATTLE_OK);
  move(&s);
  assert_int_equal(rattle_bonds_positions(bonds, s.x0, s.x, s.v, s.h, NULL, NULL), RATTLE_OK);
  for (long long i = 0; i < 3 * s.atoms; i++) after[i % 3] += s.mass[i / 3] * s.v[i];
  for (int d = 0; d < 3; d++) assert_true(fabs(after[d] - before[d]) < 1e-11);
  rattle_bonds_destroy(&bonds);
  s.mass[1] = (double)INFINITY;
  bonds = bonds_of(&s, 0, NULL);
  s.v[3] = s.v[4] = s.v[5] = 0;
  assert_int_equal(rattle_bonds_velocities(bonds, s.x0, s.v, NULL, NULL), RATTLE_OK);
  move(&s);
  assert_int_equal(rattle_bonds_positions(bonds, s.x0, s.x, s.v, s.h, NULL, NULL), RATTLE_OK);
  assert_true(!memcmp(s.x + 3, s.x0 + 3, 3 * sizeof *s.x) && s.v[3] == 0 && s.v[4] == 0 && s.v[5] == 0);
  rattle_bonds_destroy(&bonds);
  close_scene(&s);
}

static void summary(void **unused) {
  (void)unused;
  molecule m;
  scene s;
  rattle_bonds_summary of = {.struct_size = sizeof of};
  make(&m, 9);
  open_scene(&s, &m, 7, 0, 0.02);
  rattle_bonds *bonds = bonds_of(&s, 0, "plain");
  assert_int_equal(rattle_bonds_summarise(bonds, &of, NULL), RATTLE_OK);
  assert_true(of.atoms == 70 && of.bonds == 77 && of.clusters == 7 && of.shapes == 1 && of.largest == 11 && of.rings == 14);
  assert_true(of.width == 2 && !strcmp(of.instructions, "plain"));
  rattle_bonds_destroy(&bonds);
  close_scene(&s);
}

/* --- what must be refused, or fail ------------------------------------------------------------------------------------------------ */

static void refusals(void **unused) {
  (void)unused;
  const double inf = (double)INFINITY;
  static const int good[] = {0, 1, 1, 2}, same[] = {0, 1, 1, 1}, out[] = {0, 1, 1, 3}, twice[] = {0, 1, 1, 0};
  const double lengths[] = {1, 2}, flat[] = {1, 0}, masses[] = {1, 2, 3}, light[] = {1, 0, 3}, fixed[] = {1, inf, inf};
  const rattle_bonds_topology plain = {
      .struct_size = sizeof plain, .atoms = 3, .bonds = 2, .pairs = good, .lengths = lengths, .masses = masses};
  rattle_bonds_topology t[8];
  for (int k = 0; k < 8; k++) t[k] = plain;
  t[0].pairs = same, t[1].pairs = out, t[2].pairs = twice, t[3].lengths = flat, t[4].masses = light, t[5].masses = fixed,
  t[6].pairs = NULL, t[7].atoms = 0;
  static const char *const says[] = {"bond 1 is between atoms 1 and 1",
                                     "bond 1 is between atoms 1 and 3",
                                     "atoms 0 and 1 are connected by two bonds",
                                     "length of bond 1, between atoms 1 and 2, is 0",
                                     "mass of atom 1 is 0",
                                     "neither atom of bond 1",
                                     "is NULL",
                                     "0 atoms"};
  rattle_error error;
  for (int k = 0; k < 8; k++) {
    rattle_bonds *bonds = (rattle_bonds *)&error;
    assert_int_equal(rattle_bonds_create(&bonds, &t[k], NULL, &error), RATTLE_BAD_ARGUMENT);
    assert_null(bonds);
    if (!strstr(error.message, says[k])) fail_msg("case %d: %s", k, error.message);
  }
  rattle_bonds *bonds;
  rattle_bonds_options options = {.struct_size = sizeof options, .tolerance = 1e-17};
  assert_int_equal(rattle_bonds_create(&bonds, &plain, &options, &error), RATTLE_BAD_ARGUMENT);
  options = (rattle_bonds_options){.struct_size = sizeof options, .instructions = "mmx"};
  assert_int_equal(rattle_bonds_create(&bonds, &plain, &options, &error), RATTLE_BAD_ARGUMENT);
  assert_int_equal(rattle_bonds_create(&bonds, &plain, NULL, &error), RATTLE_OK);
  const rattle_bonds_box upper = {{{9, 1, 0}, {0, 8, 0}, {0, 0, 7}}};
  double x[9] = {0};
  assert_int_equal(rattle_bonds_velocities(bonds, x, x, &upper, &error), RATTLE_BAD_ARGUMENT);
  assert_int_equal(rattle_bonds_positions(bonds, x, x, x, 0, NULL, &error), RATTLE_BAD_ARGUMENT);
  rattle_bonds_destroy(&bonds);
  rattle_bonds_destroy(&bonds);
}

/* One triangle of ten has lengths that no triangle has: it stays as it is, the others are solved, and the error names its atoms. */
static void failures(void **unused) {
  (void)unused;
  molecule m;
  scene s;
  rattle_error error;
  make(&m, 5);
  open_scene(&s, &m, 10, 0, 0.02);
  s.length[3 * 6 + 1] = 40;
  rattle_bonds *bonds = bonds_of(&s, 1e-12, NULL);
  move(&s);
  assert_int_equal(rattle_bonds_positions(bonds, s.x0, s.x, NULL, 0, NULL, &error), RATTLE_NOT_CONVERGED);
  if (!strstr(error.message, "bond of atoms 1") && !strstr(error.message, "bond of atoms 2")) fail_msg("%s", error.message);
  assert_in_range(error.constraint, 18, 20);
  assert_memory_equal(s.x + 9 * 6, s.start + 9 * 6, 9 * sizeof *s.x);
  for (long long k = 0; k < s.bonds; k++) {
    double sum = 0;
    for (int d = 0; d < 3; d++) sum += pow(s.x[3 * s.pair[2 * k] + d] - s.x[3 * s.pair[2 * k + 1] + d], 2);
    if (k / 3 != 6) assert_true(fabs(sqrt(sum) / s.length[k] - 1) < 2e-12);
  }
  /* and what is not a number */
  s.length[3 * 6 + 1] = s.length[1];
  memcpy(s.x, s.start, 3 * (size_t)s.atoms * sizeof *s.x);
  s.x[9 * 4] = (double)NAN;
  rattle_bonds_destroy(&bonds);
  bonds = bonds_of(&s, 1e-12, NULL);
  assert_int_not_equal(rattle_bonds_positions(bonds, s.x0, s.x, NULL, 0, NULL, &error), RATTLE_OK);
  assert_true(s.x[9 * 4 + 1] == s.start[9 * 4 + 1]);
  rattle_bonds_destroy(&bonds);
  close_scene(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(against_sweeps), cmocka_unit_test(same_bits), cmocka_unit_test(in_a_box),
                                     cmocka_unit_test(momenta),        cmocka_unit_test(summary),   cmocka_unit_test(refusals),
                                     cmocka_unit_test(failures)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
