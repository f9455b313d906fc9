/* Lines inside molecules, against sweeps in long double over lengths and over linear constraints of
 * inner atoms. */
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

/* An inner atom of a line, and the part of the way between the outer two at which it is. */
typedef struct rod {
  int inner, low, high;
  double part;
} rod;

typedef struct straight {
  molecule m;
  int rods, swept[40]; /* swept: 0 for bonds that follow from a line */
  rod rod[8];
  int repeated, removed; /* bonds that repeat others, and degrees of freedom, of one molecule */
} straight;

static void bond(straight *s, int i, int j, int swept) {
  s->swept[s->m.bonds] = swept;
  molecule_close(&s->m, j, i);
}

/* Atom `inner` a part of the way between two others. */
static void between(straight *s, int inner, int low, int high, double part) {
  s->rod[s->rods++] = (rod){inner, low, high, part};
  for (int d = 0; d < 3; d++)
    s->m.x[3 * inner + d] = (1 - part) * s->m.x[3 * low + d] + part * s->m.x[3 * high + d];
}

enum { MOLECULES = 6 };
static const char *const names[MOLECULES] = {"a nitrile",          "a rigid nitrile",
                                             "an alkyne",          "two lines at one atom",
                                             "a hub on two lines", "CO2"};

static void make(straight *s, int kind) {
  *s = (straight){.m = {.name = names[kind]}};
  molecule *m = &s->m;
  molecule_make(m, 3); /* the sequence of random numbers */
  *m = (molecule){.name = names[kind], .atoms = kind == 5 ? 3 : 6};
  for (int a = 0; a < m->atoms; a++) {
    m->mass[a] = a == 4 ? 100 : 1 + 15 * drawn();
    for (int d = 0; d < 3; d++)
      m->x[3 * a + d] = (d == a % 3 ? 1.2 : 0) + (a > 2) * (d == 1 ? 1.1 : 0.3) + 0.4 * drawn();
  }
  switch (kind) {
  case 0: /* H3 C-C-N: 0 1 2, 3-4-5, bonds of the first carbon, and of a hydrogen with the inner
             one */
  case 1: /* and with all distances of the hydrogens, one of which repeats others */
    between(s, 4, 3, 5, 0.56);
    bond(s, 3, 4, 0), bond(s, 4, 5, 0), bond(s, 3, 5, 1);
    for (int h = 0; h < 3; h++) bond(s, 3, h, 1);
    bond(s, 0, 4, 1);
    if (kind)
      bond(s, 0, 1, 1), bond(s, 1, 2, 1), bond(s, 0, 2, 1), bond(s, 1, 4, 1), bond(s, 2, 4, 1);
    s->repeated = kind, s->removed = 3 + 1 + 4 + 4 * kind;
    break;
  case 2: /* 0-1-2-3 on a line by two triples, 4 and 5 at its ends */
    between(s, 1, 0, 3, 0.375), between(s, 2, 0, 3, 0.625);
    bond(s, 0, 1, 0), bond(s, 1, 2, 0), bond(s, 0, 2, 1), bond(s, 2, 3, 0), bond(s, 1, 3, 0),
        bond(s, 0, 4, 1), bond(s, 3, 5, 1);
    s->removed = 6 + 1 + 2;
    break;
  case 3: /* 1 on 0-2, 3 on 2-4: both lines have 2 */
    between(s, 1, 0, 2, 0.5), between(s, 3, 2, 4, 0.25);
    bond(s, 0, 1, 0), bond(s, 1, 2, 0), bond(s, 0, 2, 1), bond(s, 2, 3, 0), bond(s, 3, 4, 0),
        bond(s, 2, 4, 1), bond(s, 1, 3, 1);
    bond(s, 0, 5, 1);
    s->removed = 6 + 2 + 2;
    break;
  case 4: /* 0 is in the middle of 1-2 and of 3-4: 4 is where 0 is to be */
    between(s, 0, 1, 2, 0.5);
    for (int d = 0; d < 3; d++) m->x[12 + d] = 2 * m->x[d] - m->x[9 + d];
    between(s, 0, 3, 4, 0.5);
    for (int k = 1; k < 5; k++) bond(s, 0, k, 0);
    bond(s, 1, 2, 1), bond(s, 3, 4, 1), bond(s, 1, 3, 1), bond(s, 5, 0, 1);
    s->removed = 6 + 2 + 2;
    break;
  default:
    between(s, 0, 1, 2, 0.5);
    bond(s, 0, 1, 0), bond(s, 0, 2, 0), bond(s, 1, 2, 1);
    s->removed = 4;
  }
}

/* Lengths that follow from a line are sums to the last bit. */
static void fit_lengths(scene *s, const straight *m) {
  for (long long k = 0; k < s->bonds; k++) {
    const int *pair = s->pair + 2 * k, first = (int)(k / m->m.bonds) * m->m.atoms;
    for (int r = 0; r < m->rods && !m->swept[k % m->m.bonds]; r++) {
      const rod *on = &m->rod[r];
      const int low = on->low + first, high = on->high + first;
      double length = 0, at[2] = {-1, -1};
      for (int d = 0; d < 3; d++) length += pow(s->x0[3 * high + d] - s->x0[3 * low + d], 2);
      length = sqrt(length);
      for (int e = 0; e < 2; e++) {
        if (pair[e] == low) at[e] = 0;
        if (pair[e] == high) at[e] = 1;
        for (int q = 0; q < m->rods; q++)
          if (pair[e] == m->rod[q].inner + first && m->rod[q].low == on->low &&
              m->rod[q].high == on->high)
            at[e] = m->rod[q].part;
      }
      if (at[0] >= 0 && at[1] >= 0) s->length[k] = fabs(at[0] - at[1]) * length;
    }
  }
}

/* Gauss-Seidel sweeps; y becomes positions, or velocities, as scene_sweep does. */
static void sweep(const scene *s, const straight *m, int positions, const double *along,
                  long double *y) {
  long double worst = 1;
  for (int n = 0; n < 100000 && worst > 2e-17L; n++) {
    worst = 0;
    for (long long k = 0; k < s->bonds; k++) {
      if (!m->swept[k % m->m.bonds]) continue;
      const int i = 3 * s->pair[2 * k], j = 3 * s->pair[2 * k + 1];
      long double uu = 0, ur = 0, rr = 0;
      for (int d = 0; d < 3; d++) {
        const long double u = y[i + d] - y[j + d], r = (long double)along[i + d] - along[j + d];
        uu += u * u, ur += u * r, rr += r * r;
      }
      const long double wi = 1 / (long double)s->mass[i / 3], wj = 1 / (long double)s->mass[j / 3],
                        dd = (long double)s->length[k] * s->length[k];
      const long double off = positions ? (uu - dd) / (2 * ur * (wi + wj)) : ur / (rr * (wi + wj));
      worst = fmaxl(worst, positions ? fabsl(uu / dd - 1) : fabsl(ur));
      for (int d = 0; d < 3; d++) {
        const long double r = (long double)along[i + d] - along[j + d];
        y[i + d] -= wi * off * r, y[j + d] += wj * off * r;
      }
    }
    for (int first = 0; first < s->atoms; first += m->m.atoms)
      for (int r = 0; r < m->rods; r++) {
        const int c = first + m->rod[r].inner, i = first + m->rod[r].low,
                  j = first + m->rod[r].high;
        const long double a = m->rod[r].part, w = 1 / (long double)s->mass[c] +
                                                  (1 - a) * (1 - a) / s->mass[i] +
                                                  a * a / s->mass[j];
        for (int d = 0; d < 3; d++) {
          const long double off = y[3 * c + d] - (1 - a) * y[3 * i + d] - a * y[3 * j + d];
          worst = fmaxl(worst, fabsl(off));
          y[3 * c + d] -= off / w / s->mass[c];
          y[3 * i + d] += (1 - a) * off / w / s->mass[i], y[3 * j + d] += a * off / w / s->mass[j];
        }
      }
  }
  if (!(worst < (m->repeated ? 1e-14L : 1e-15L)))
    fail_msg("%s: the oracle left %Lg", m->m.name, worst);
}

static void open_scene(scene *s, const straight *m, int copies, int alike) {
  scene_open(s, &m->m, copies, alike, 0.02);
  for (int first = 0; first < s->atoms;
       first += m->m.atoms) /* of copies that are not alike lines are made straight, hubs last */
    for (int r = 0; r < m->rods; r++) {
      const rod *on = &m->rod[r];
      double *x = s->x0 + 3 * first;
      const int again = r > 0 && m->rod[r - 1].inner == on->inner,
                moves = again ? on->high : on->inner;
      for (int d = 0; d < 3; d++)
        x[3 * moves + d] =
            again ? 2 * x[3 * on->inner + d] - x[3 * on->low + d]
                  : (1 - on->part) * x[3 * on->low + d] + on->part * x[3 * on->high + d];
    }
  for (long long k = 0; k < s->bonds; k++) {
    double dd = 0;
    for (int d = 0; d < 3; d++)
      dd += pow(s->x0[3 * s->pair[2 * k] + d] - s->x0[3 * s->pair[2 * k + 1] + d], 2);
    s->length[k] = sqrt(dd);
  }
  fit_lengths(s, m);
}

/* Both stages, with outputs; forces are masses times what changed, whose virial is that of the
 * whole. */
static void against_sweeps(void **unused) {
  (void)unused;
  straight *m = room(1, sizeof *m);
  for (int kind = 0; kind < MOLECULES; kind++)
    for (int alike = 0; alike < 2; alike++) {
      scene s;
      rattle_error error;
      make(m, kind);
      open_scene(&s, m, 5, alike);
      const long long n = 3 * s.atoms;
      const rattle_bonds_options options = {.struct_size = sizeof options, .tolerance = 1e-13};
      rattle_bonds *bonds = scene_bonds(&s, &options, &error);
      if (!bonds) fail_msg("%s: %s", m->m.name, error.message);
      double *forces = room(n, sizeof *forces), *before = room(n, sizeof *before), virial[6],
             trace = 0, removed;
      const rattle_bonds_outputs out = {
          .struct_size = sizeof out, .forces = forces, .virial = virial};
      long double *y = widened(s.v, n);
      sweep(&s, m, 0, s.x0, y);
      if (rattle_bonds_velocities(bonds, s.x0, s.v, NULL, &error))
        fail_msg("%s: %s", m->m.name, error.message);
      scene_near(&s, s.v, y, 1e-12, "velocity", m->m.name);
      free(y);
      scene_move(&s);
      memcpy(before, s.v, (size_t)n * sizeof *before);
      y = widened(s.x, n);
      sweep(&s, m, 1, s.x0, y);
      if (rattle_bonds_positions_out(bonds, s.x0, s.x, s.v, s.h, NULL, &out, &error))
        fail_msg("%s: %s", m->m.name, error.message);
      scene_near(&s, s.x, y, 2e-12, "position", m->m.name);
      for (long long i = 0; i < n; i++) {
        assert_true(fabs(s.v[i] - before[i] - (s.x[i] - s.start[i]) / s.h) <= 1e-12);
        if (!(fabs(forces[i] - s.mass[i / 3] * (s.x[i] - s.start[i])) < 1e-11))
          fail_msg("%s: force %lld", m->m.name, i);
        trace += forces[i] * (s.x0[i] - s.x0[i % 3]);
      }
      if (!(fabs(virial[0] + virial[1] + virial[2] - trace) < 1e-9))
        fail_msg("%s: virial", m->m.name);
      int *group = room(s.atoms, sizeof *group);
      long long repeated;
      assert_int_equal(rattle_bonds_removed(bonds, group, 1, &removed, &error), RATTLE_OK);
      rattle_bonds_repeated(bonds, &repeated);
      if (!(fabs(removed - 5 * m->removed) < 1e-9) || repeated != 5 * m->repeated)
        fail_msg("%s: %g degrees of freedom, %lld repeated", m->m.name, removed, repeated);
      free(y), free(forces), free(before), free(group);
      rattle_bonds_destroy(&bonds);
      scene_close(&s);
    }
  free(m);
}

/* A step by the instructions named, in a box where atoms are wrapped one by one; 0: not on this
 * processor. */
static int step_in_box(const scene *s, const char *instructions, double *out) {
  static const rattle_bonds_box box = {{{9, 0, 0}, {-2.5, 8, 0}, {3, -1.5, 7.5}}};
  const rattle_bonds_options options = {.struct_size = sizeof options,
                                        .instructions = instructions};
  const long long n = 3 * s->atoms;
  rattle_error error;
  rattle_bonds *bonds = scene_bonds(s, &options, &error);
  if (!bonds) return 0;
  double *x0 = room(n, sizeof *x0), *x = out, *v = out + n;
  for (long long a = 0; a < s->atoms; a++) {
    double shift[3] = {0};
    for (int e = 2; e >= 0; e--) {
      const double k = floor((s->x0[3 * a + e] - shift[e]) / box.edge[e][e]);
      for (int d = 0; d < 3; d++) shift[d] += k * box.edge[e][d];
    }
    for (int d = 0; d < 3; d++)
      x0[3 * a + d] = s->x0[3 * a + d] - shift[d],
                 x[3 * a + d] = x0[3 * a + d] + s->h * s->v[3 * a + d];
  }
  memcpy(v, s->v, (size_t)n * sizeof *v);
  if (rattle_bonds_positions(bonds, x0, x, v, s->h, &box, &error)) fail_msg("%s", error.message);
  if (rattle_bonds_velocities(bonds, x, v, &box, &error)) fail_msg("%s", error.message);
  rattle_bonds_destroy(&bonds);
  free(x0);
  return 1;
}

/* The same bits by all vectors, the same velocities without a box, and floats within their
 * round-off. */
static void same_results(void **unused) {
  (void)unused;
  straight *m = room(1, sizeof *m);
  for (int kind = 0; kind < MOLECULES; kind++) {
    scene s;
    rattle_error error;
    make(m, kind);
    open_scene(&s, m, 11, kind % 2);
    const long long n = 3 * s.atoms;
    double *plain = room(2 * n, sizeof *plain), *other = room(2 * n, sizeof *other);
    float *x0 = room(n, sizeof *x0), *x = room(n, sizeof *x), *v = room(n, sizeof *v);
    assert_true(step_in_box(&s, "plain", plain));
    for (int k = 0; k < 2; k++)
      if (step_in_box(&s, k ? "avx512" : "avx2", other))
        assert_memory_equal(plain, other, 2 * (size_t)n * sizeof *plain);
    scene_move(&s);
    for (long long i = 0; i < n; i++)
      x0[i] = (float)s.x0[i], x[i] = (float)s.x[i], v[i] = (float)s.v[i];
    for (int single = 0; single < 2; single++) {
      const rattle_bonds_options options = {.struct_size = sizeof options,
                                            .tolerance = single ? 1e-4 : 0};
      rattle_bonds *bonds = scene_bonds(&s, &options, &error);
      rattle_status status =
          single ? rattle_bonds_positions_float(bonds, x0, x, v, s.h, NULL, NULL, &error)
                 : rattle_bonds_positions(bonds, s.x0, s.x, s.v, s.h, NULL, &error);
      if (!status)
        status = single ? rattle_bonds_velocities_float(bonds, x, v, NULL, NULL, &error)
                        : rattle_bonds_velocities(bonds, s.x, s.v, NULL, &error);
      if (status) fail_msg("%s", error.message);
      for (long long i = 0; i < n; i++)
        if (!(fabs((single ? (double)v[i] : s.v[i]) - plain[n + i]) < (single ? 3e-3 : 1e-11)))
          fail_msg("%s: %g instead of %g", m->m.name, single ? (double)v[i] : s.v[i], plain[n + i]);
      rattle_bonds_destroy(&bonds);
    }
    free(plain), free(other), free(x0), free(x), free(v);
    scene_close(&s);
  }
  free(m);
}

/* What cannot be: an atom that does not move, a length that misses the others' sum, one that does
 * not fit four atoms on a line. */
static void refused(void **unused) {
  (void)unused;
  static const int pairs[] = {0, 1, 1, 2, 0, 2, 2, 3, 1, 3, 0, 3};
  const double lengths[][6] = {
      {1, 1, 2, 1, 2, 3}, {1, 1, 2.0000001, 1, 2, 3}, {1, 1, 2, 1, 2, 2.5}};
  const double masses[][4] = {{1, (double)INFINITY, 1, 1}, {1, 1, 1, 1}, {1, 1, 1, 1}};
  static const char *const sentence[] = {"mass of atom 1", "give 2 instead",
                                         "contradict one another"};
  for (int k = 0; k < 3; k++) {
    const rattle_bonds_topology t = {.struct_size = sizeof t,
                                     .atoms = 4,
                                     .bonds = 6,
                                     .pairs = pairs,
                                     .lengths = lengths[k],
                                     .masses = masses[k]};
    rattle_bonds *bonds;
    rattle_error error;
    assert_true(rattle_bonds_create(&bonds, &t, NULL, &error) != RATTLE_OK);
    if (!strstr(error.message, sentence[k])) fail_msg("%s", error.message);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(against_sweeps),
                                     cmocka_unit_test(same_results), cmocka_unit_test(refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
