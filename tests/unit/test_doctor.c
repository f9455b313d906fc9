/* The doctor against problems whose class, index, degrees of freedom and hidden constraints are
 * known. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "rattle/rattle.h"

/* Pairs by one letter each, momentum p + letter, and T = sum p^2/2. */
#define X "local x, px = pair('x')\n"
#define XY X "local y, py = pair('y')\n"
#define XYZ XY "local z, pz = pair('z')\n"
#define XYZW XYZ "local w, pw = pair('w')\n"
#define PLANE(N)                                                                                   \
  "local N = " #N                                                                                  \
  "\nlocal x, px = pairs_of('x', N)\nlocal y, py = pairs_of('y', N)\nfor i = 1, N do "             \
  "hamiltonian((px[i]^2 + py[i]^2)/2 + y[i]) end\nlocal function rod(name, i, j, d) "              \
  "constrain(name, (x[i] - x[j])^2 + (y[i] - "                                                     \
  "y[j])^2 - d^2) end\n"
#define T2 "(px^2 + py^2)/2"
#define T3 "(px^2 + py^2 + pz^2)/2"

typedef struct known {
  const char *name, *model, *class_;
  int index;             /* -1: none */
  double dof;            /* NaN: none */
  int first, second;     /* -1: none */
  const char *hidden[4]; /* expressions of generation 1, 2, ..., their first constraint */
  const char *redundant; /* sentence, NULL: none */
  const char *refused;   /* part of it, NULL: not refused */
} known;

/* A row, and its hidden constraints. */
#define KNOWN(...)                                                                                 \
  { __VA_ARGS__ }
#define HIDDEN(...)                                                                                \
  { __VA_ARGS__ }
static const known table[] = {
    /* --- mechanisms --- */
    KNOWN("pendulum",
          XY "hamiltonian(" T2 " + y)\nconstrain('rod', x^2 + y^2 - 1)\nstart { x = 1, py = -2 }",
          "coisotropic", 3, 1, 0, 2, HIDDEN("2*x*px + 2*y*py"), NULL, NULL),
    KNOWN("spherical pendulum",
          XYZ "hamiltonian(" T3
              " + z)\nconstrain('rod', x^2 + y^2 + z^2 - 1)\nstart { x = 1, py = 0.5 }",
          "coisotropic", 3, 2, 0, 2, HIDDEN(NULL), NULL, NULL),
    KNOWN("double pendulum",
          PLANE(2) "constrain('inner', x[1]^2 + y[1]^2 - 1)\nrod('outer', 1, 2, 1)\nstart { [x[1]] "
                   "= 1, [x[2]] = 2 }",
          "coisotropic", 3, 2, 0, 4, HIDDEN(NULL), NULL, NULL),
    /* ground at (0,0) and (2,0), crank 1, rocker 1.5, coupler between their ends */
    KNOWN("four-bar linkage",
          PLANE(2) "constrain('crank', x[1]^2 + y[1]^2 - 1)\nconstrain('rocker', (x[2] - 2)^2 + "
                   "y[2]^2 - 2.25)\nrod('coupler', 1, 2, "
                   "math.sqrt(5)/2 + 0.5)\nstart { [y[1]] = 1, [x[2]] = 1.6, [y[2]] = 1.45, "
                   "project = true }",
          "coisotropic", 3, 1, 0, 6, HIDDEN(NULL), NULL, NULL),
    /* two cranks and a coupler as long as the ground; a third crank at the coupler's middle, which
     * is a combination */
    KNOWN("parallelogram with a redundant crank",
          PLANE(3) "constrain('crank[1]', x[1]^2 + y[1]^2 - 1)\nconstrain('crank[2]', (x[2] - 2)^2 "
                   "+ y[2]^2 - 1)\nrod('coupler', 1, "
                   "2, 2)\n"
                   "constrain('middle x', x[3] - (x[1] + x[2])/2)\nconstrain('middle y', y[3] - "
                   "(y[1] + y[2])/2)\n"
                   "constrain('crank[3]', (x[3] - 1)^2 + y[3]^2 - 1)\n"
                   "start { [x[1]] = 0.6, [y[1]] = 0.8, [x[2]] = 2.6, [y[2]] = 0.8, [x[3]] = 1.6, "
                   "[y[3]] = 0.8 }",
          "coisotropic", 3, 1, 0, 10, HIDDEN(NULL),
          "'crank[3]' is a combination of 'crank[1]', 'crank[2]', 'middle x', 'middle y'",
          "redundant constraints"),
    /* (y2 - y1)^2 = 0 on the guides, whichever of the three comes last, and to the fourth power in
     * nanometres */
    KNOWN("a rod as long as its guides are apart",
          PLANE(2) "constrain('left', x[1])\nconstrain('right', x[2] - 1)\nrod('rod', 1, 2, 1)\n"
                   "start { [x[2]] = 1 }",
          "unknown", -1, (double)NAN, -1, -1, HIDDEN(NULL), NULL,
          "constraint 'rod' does not follow from 'left', 'right', but where all hold its gradient "
          "is a combination of theirs, as for a square x^2 = 0: write x = 0 in its place, the "
          "function that is squared, which changes there as y[1] - y[2]"),
    KNOWN("the same, the rod first",
          PLANE(2) "rod('rod', 1, 2, 1)\nconstrain('left', x[1])\nconstrain('right', x[2] - 1)\n"
                   "start { [x[2]] = 1 }",
          "unknown", -1, (double)NAN, -1, -1, HIDDEN(NULL), NULL, "y[1] - y[2]"),
    KNOWN("a fourth power beside other constraints",
          PLANE(2) "constrain('left', x[1])\nconstrain('right', x[2] - 1e-9)\n"
                   "constrain('rod', x[2] - x[1] - 1e-9 + 1e27*(y[1] - 2*y[2])^4)\n"
                   "start { [x[2]] = 1e-9 }",
          "unknown", -1, (double)NAN, -1, -1, HIDDEN(NULL), NULL, "-0.5*y[1] + y[2]"),
    KNOWN("three rods of which one is implied",
          PLANE(3) "for i = 1, 3 do constrain('rod['..i..']', x[i] - i) end\nconstrain('sum', x[1] "
                   "+ x[2] - 3)\nstart { [x[1]] = 1, "
                   "[x[2]] = "
                   "2, [x[3]] = 3 }",
          "coisotropic", 3, 3, 0, 6, HIDDEN(NULL), "'sum' is a combination of 'rod[1]', 'rod[2]'",
          "'sum'"),
    KNOWN("slider-crank",
          PLANE(2) "constrain('crank', x[1]^2 + y[1]^2 - 1)\nrod('connecting rod', 1, 2, "
                   "2)\nconstrain('cylinder', y[2])\n"
                   "start { [x[1]] = 0.6, [y[1]] = 0.8, [x[2]] = 0.6 + math.sqrt(3.36) }",
          "coisotropic", 3, 1, 0, 6, HIDDEN(NULL), NULL, NULL),
    KNOWN("rigid body as a rotation matrix",
          "local R, P = {}, {}\nlocal d = {1, 2, 3}\nfor i = 1, 3 do R[i], P[i] = {}, {} for j = "
          "1, 3 do R[i][j], P[i][j] = "
          "pair('r'..i..j) hamiltonian(P[i][j]^2/(2*d[j])) end end\nfor j = 1, 3 do for k = 1, j "
          "do constrain('c'..k..j, "
          "R[1][j]*R[1][k] + "
          "R[2][j]*R[2][k] + R[3][j]*R[3][k] - (j == k and 1 or 0)) end end\nstart { r11 = 1, r22 "
          "= 1, r33 = 1, pr12 = -2, pr21 "
          "= 1 }",
          "coisotropic", 3, 3, 0, 12, HIDDEN(NULL), NULL, NULL),
    KNOWN("rod on two rails",
          PLANE(2) "constrain('floor', y[1])\nconstrain('wall', x[2])\nrod('rod', 1, 2, 1)\nstart "
                   "{ [x[1]] = 0.6, [y[2]] "
                   "= 0.8 }",
          "coisotropic", 3, 1, 0, 6, HIDDEN(NULL), NULL, NULL),
    KNOWN("bead on a parabola, momentum dependent H",
          XY "hamiltonian(" T2 " + 0.3*x*px*y + 0.1*px^2*y^2 + y)\nconstrain('wire', y - "
             "x^2)\nstart { x = 0.5, y = 0.25, px = 0.2, py = 0.1, project = true }",
          "coisotropic", 3, 1, 0, 2, HIDDEN(NULL), NULL, NULL),
    /* --- coisotropic in phase space --- */
    KNOWN("harmonic sphere",
          XY
          "hamiltonian(" T2
          " - y)\nconstrain('sphere', x^2 + y^2 + px^2 + py^2 - 1)\nstart { x = 0.9, y = 0.3, px = "
          "0.1, py = 0.2 }",
          "coisotropic", 3, 1, 0, 2, HIDDEN(NULL), NULL, NULL),
    KNOWN("sphere and spin, which commute on the manifold only",
          XYZ "hamiltonian(" T3 " + x^2 + y^4)\nconstrain('sphere', abs2(x, y, z, px, py, pz) - "
              "4)\nconstrain('spin', (1 + x)*(x*py - y*px - "
              "1), { dirac = true })\nstart { x = 1, py = 1, z = 1, pz = 1 }",
          "coisotropic", 3, 1, 0, 4, HIDDEN(NULL), NULL, NULL),
    /* --- index 1 and its embedding: McLachlan, Modin, Verdier, Wilkins, Found. Comput. Math.
     * 14 (2014), section 5.3 */
    KNOWN("free variable",
          X "local b = free('b')\nhamiltonian(px^2/2 + b^2*x^2/2 + b^4/4 - b*px)\nstart { x = 0.4, "
            "px = 0.7, b = 0.5 }",
          "coisotropic", 1, 1, 0, 2, HIDDEN(NULL), NULL, NULL),
    /* --- the same paper, section 5.2 --- */
    KNOWN("H linear in the fibre: index five", XY "hamiltonian(px^2/2 + py*x)\nconstrain('g', y)",
          "coisotropic", 5, 0, 0, 4, HIDDEN("x", "px", "py"), NULL, "the index is 5"),
    KNOWN("H constant on the fibre: infinitely many solutions",
          XY "hamiltonian(px^2/2)\nconstrain('g', y)\nstart { px = 1 }", "first_class", -1, 1, 1, 0,
          HIDDEN(NULL), NULL, "infinitely many"),
    /* --- gauge systems: M. Henneaux, C. Teitelboim, Quantization of Gauge Systems (1992), 1.2,
     * 4.3 */
    KNOWN("parametrised free particle",
          XY "hamiltonian(0*x)\nconstrain('g', py + px^2/2)\nstart { px = 1, py = -0.5 }",
          "first_class", -1, 1, 1, 0, HIDDEN(NULL), NULL, "not determined"),
    KNOWN("relativistic particle",
          XYZ "hamiltonian(0*x)\nconstrain('shell', pz^2 - px^2 - py^2 - 1)\nstart { pz = "
              "math.sqrt(1.25), px = 0.5 }",
          "first_class", -1, 2, 1, 0, HIDDEN(NULL), NULL, "not determined"),
    /* N. H. Christ, T. D. Lee, Phys. Rev. D 22 (1980) 939 */
    KNOWN("Christ-Lee",
          XYZ "hamiltonian(" T2 " + z*(x*py - y*px) + (x^2 + y^2)^2/4)\nconstrain('g', pz)\nstart "
              "{ x = 1, px = 0.3, z = 0.7 }",
          "first_class", -1, 1, 2, 0, HIDDEN("y*px - x*py"), NULL, "not determined"),
    /* R. Cawley, Phys. Rev. Lett. 42 (1979) 413: z^2 = 0 stands for z = 0, which px = 0 follows */
    KNOWN("Cawley",
          XYZ
          "hamiltonian(px*pz - y*z^2/2)\nconstrain('g', py)\nstart { x = 1, y = 0.5, pz = 0.3 }",
          "first_class", -1, 0, 3, 0, HIDDEN("z", "px"), NULL, "not determined"),
    /* --- second class: P. A. M. Dirac, Lectures on Quantum Mechanics (1964) --- */
    KNOWN("a pair of conjugates",
          XYZ "hamiltonian(" T3
              " + y^2)\nconstrain('a', x)\nconstrain('b', px)\nstart { y = 1, pz = 1 }",
          "second_class", 2, 2, 0, 2, HIDDEN(NULL), NULL, "{a,b} = 1 is 1"),
    /* lowest Landau level: R. Jackiw, (Constrained) quantization without tears, 1993 */
    KNOWN(
        "charge in a strong magnetic field",
        XYZ
        "hamiltonian(x^2/2 + y^2/3 + x^4 + pz^2/2)\nconstrain('a', px + y/2)\nconstrain('b', py - "
        "x/2)\nstart { x = 1, py = 0.5, pz = 1 }",
        "second_class", 2, 2, 0, 2, HIDDEN(NULL), NULL, "not coisotropic"),
    /* W. M. Seiler's way of writing a regular problem: position and velocity constraints
     * together */
    KNOWN("pendulum with its hidden constraint given",
          XYZ "hamiltonian(" T2
              " + y + pz^2/2)\nconstrain('rod', x^2 + y^2 - 1)\nconstrain('rate', "
              "x*px + y*py)\nstart { x = 1, py = -2 }",
          "second_class", 2, 2, 0, 2, HIDDEN(NULL), NULL, "{rod,rate}"),
    KNOWN("conjugates and a rail",
          XYZW "hamiltonian(" T3
               " + pw^2/2 + y^2 + z)\nconstrain('a', x)\nconstrain('b', px)\nconstrain('c', y - "
               "z)\nstart { w = 1, pz = 1, py = 1 }",
          "mixed", 3, 2, 0, 4, HIDDEN("py - pz"), NULL, "{a,b}"),
    KNOWN(
        "conjugates and a gauge freedom",
        XYZW
        "hamiltonian((px^2 + pz^2)/2 + z^2)\nconstrain('a', x)\nconstrain('b', px)\nconstrain('c', "
        "y)\nstart { pz = 1, pw = 0.5 }",
        "mixed", -1, 2, 1, 2, HIDDEN(NULL), NULL, "{a,b}"),
    KNOWN("more constraints than coordinates",
          XY "hamiltonian(" T2 ")\nconstrain('a', x)\nconstrain('b', px)\n", "second_class", 2, 1,
          0, 2, HIDDEN(NULL), NULL, "not coisotropic"),
    /* --- no motion --- */
    KNOWN("x = 0 and x = 1",
          XYZ "hamiltonian(" T3 ")\nconstrain('zero', x)\nconstrain('one', x - 1)\n",
          "inconsistent", -1, NAN, -1, -1, HIDDEN(NULL), NULL, "contradict each other"),
    KNOWN("no real point", XY "hamiltonian(" T2 ")\nconstrain('g', x^2 + y^2 + 1)\nstart { x = 1 }",
          "inconsistent", -1, NAN, -1, -1, HIDDEN(NULL), NULL, "no point was found"),
    KNOWN("a force against the constraint",
          XY "hamiltonian(-x + py^2/2)\nconstrain('g', px)\nstart { x = 1 }", "inconsistent", -1,
          NAN, -1, -1, HIDDEN(NULL), NULL, "nowhere 0"),
    KNOWN("a hidden constraint without points",
          XY "hamiltonian(px*(1 + x^2) + py^2/2)\nconstrain('g', x)\n", "inconsistent", -1, NAN, -1,
          -1, HIDDEN(NULL), NULL, "nowhere 0"),
    KNOWN("a gradient that vanishes",
          XY "hamiltonian(" T2 ")\nconstrain('g', (x + y - 1)^2)\nstart { x = 1 }", "unknown", -1,
          NAN, -1, -1, HIDDEN(NULL), NULL, "vanishes where the constraint holds"),
    KNOWN("unconstrained", XY "hamiltonian(" T2 " + x^4 + y^2)\nstart { x = 1 }", "unconstrained",
          0, 2, 0, 0, HIDDEN(NULL), NULL, NULL),
};
enum { ROWS = sizeof table / sizeof *table };

static rattle_model *parse(const char *text) {
  rattle_model *model;
  rattle_error error;
  if (rattle_model_parse(&model, text, "model", NULL, &error)) fail_msg("%s", error.message);
  return model;
}

/* A word for what differs, NULL: nothing. */
static const char *judge(const known *k, const rattle_diagnosis *d) {
  if (strcmp(d->class_, k->class_) != 0) return "class";
  if (d->index != k->index) return "index";
  if (!(d->dof == k->dof || (isnan(d->dof) && isnan(k->dof)))) return "degrees of freedom";
  if (d->first_class_count != k->first || d->second_class_count != k->second) return "counts";
  for (int i = 0; i < 4 && k->hidden[i]; i++)
    if (d->generations < i + 2 || strcmp(d->generation[i + 1].expression[0], k->hidden[i]) != 0)
      return "hidden constraints";
  if ((k->redundant != NULL) != (d->redundants > 0)) return "redundant";
  if (k->redundant && strcmp(d->redundant_sentence[0], k->redundant) != 0)
    return d->redundant_sentence[0];
  if ((k->refused != NULL) != (d->refused != NULL)) return d->refused ? d->refused : "refused";
  if (k->refused && !strstr(d->refused, k->refused)) return d->refused;
  if (!k->refused && (d->valid_methods == 0 || !d->advice_method || !(d->advice_step > 0)))
    return "advice";
  /* second-class constraints are not for shake and rattle, but have a method of their own */
  int other = !strcmp(d->class_, "second_class");
  if (k->refused && (d->valid_methods > 0) != other) return "a method for what is refused";
  if (k->refused && (d->advice_method != NULL) != other) return "advice for what is refused";
  return NULL;
}

static void test_known(void **unused) {
  (void)unused;
  int failures = 0;
  for (int i = 0; i < ROWS; i++)
    for (uint64_t seed = 0; seed < 3; seed++) {
      rattle_model *model = parse(table[i].model);
      rattle_doctor *doctor;
      rattle_error error;
      rattle_doctor_options options = {.seed = seed, .no_trial = seed > 0};
      if (rattle_doctor_create(&doctor, model, NULL, &options, &error))
        fail_msg("%s: %s", table[i].name, error.message);
      const rattle_diagnosis *d = rattle_doctor_diagnosis(doctor);
      const char *wrong = judge(&table[i], d);
      if (wrong) {
        print_error("%s (seed %d): %s: %s, index %d, dof %g, first %d, second %d, hidden %s\n",
                    table[i].name, (int)seed, wrong, d->class_, d->index, d->dof,
                    d->first_class_count, d->second_class_count,
                    d->generations > 1 ? d->generation[1].expression[0] : "none");
        failures++;
      }
      rattle_doctor_destroy(&doctor);
      rattle_model_destroy(&model);
    }
  assert_int_equal(failures, 0);
}

/* --- the rest of a diagnosis ------------------------------------------------------------------ */

typedef struct fixture {
  rattle_model *model;
  rattle_doctor *doctor;
  const rattle_diagnosis *d;
} fixture;

static void set_up(fixture *f, const char *text) {
  rattle_error error;
  f->model = parse(text);
  if (rattle_doctor_create(&f->doctor, f->model, NULL, NULL, &error)) fail_msg("%s", error.message);
  f->d = rattle_doctor_diagnosis(f->doctor);
}

static void tear_down(fixture *f) {
  rattle_doctor_destroy(&f->doctor);
  rattle_model_destroy(&f->model);
}

static int has(const char *const *list, int count, const char *word) {
  for (int i = 0; i < count; i++)
    if (!strcmp(list[i], word)) return 1;
  return 0;
}

/* N = 4, psi = 2 q.p, frequency of a pendulum that spins at rate 2 */
static void test_pendulum(void **unused) {
  (void)unused;
  fixture f;
  set_up(&f,
         XY "hamiltonian(" T2
            " + y)\nconstrain('rod', x^2 + y^2 - 1)\nstart { x = 1, y = 0.1, px = 0.3, py = -2 }");
  assert_string_equal(f.d->kind, "natural");
  assert_string_equal(f.d->fibre, "kick");
  assert_int_equal(f.d->commuting, 2);
  assert_false(f.d->on_constraints || f.d->on_hidden);
  assert_true(fabs(f.d->residual_constraints - 0.01) < 1e-15);
  assert_true(fabs(f.d->residual_hidden - 0.2) < 1e-15);
  assert_true(fabs(f.d->min_singular_value - 4) < 1e-12 &&
              fabs(f.d->worst_singular_value - 4) < 1e-12);
  assert_true(f.d->condition == 1);
  assert_true(f.d->frequency > 1.5 && f.d->frequency < 4);
  assert_true(f.d->advice_step * f.d->frequency <= 0.1);
  assert_true(f.d->trial_energy_error < 1e-3 && f.d->cost_gradients >= 1 &&
              f.d->cost_nanoseconds > 0);
  assert_true(has(f.d->valid_method, f.d->valid_methods, "rattle(verlet)"));
  assert_true(has(f.d->valid_method, f.d->valid_methods, "kahan_li8(rattle(verlet))"));
  assert_int_equal(f.d->points, 9);
  tear_down(&f);
}

/* The step advised is as good for a motion 1000 times as quick. */
static void test_frequency(void **unused) {
  (void)unused;
  fixture slow, quick;
  set_up(&slow, XY "hamiltonian(" T2 " + x^2/2)\nconstrain('rail', y - 1)\nstart { x = 1, y = 1 }");
  set_up(&quick,
         XY "hamiltonian(" T2 " + 1e6*x^2/2)\nconstrain('rail', y - 1)\nstart { x = 1, y = 1 }");
  assert_true(fabs(slow.d->frequency - 1) < 0.05);
  assert_true(fabs(quick.d->frequency - 1000) < 50);
  tear_down(&slow);
  tear_down(&quick);
}

static void test_conserved(void **unused) {
  (void)unused;
  fixture f;
  /* two particles on a rod in a plane potential of their distance, and a field along z */
  set_up(&f, "local x, px = pairs_of('x', 2)\nlocal y, py = pairs_of('y', 2)\nlocal z, pz = "
             "pairs_of('z', 2)\nfor i = 1, 2 do "
             "hamiltonian((px[i]^2 + py[i]^2 + pz[i]^2)/2 + z[i]) end\nconstrain('rod', (x[1] - "
             "x[2])^2 + (y[1] - y[2])^2 + (z[1] - "
             "z[2])^2 - 1)\nstart { [x[1]] = 1 }");
  const char *yes[] = {"energy", "momentum along x", "momentum along y",
                       "angular momentum x py - y px"},
             *no[] = {"momentum along z", "angular momentum y pz - z py",
                      "angular momentum z px - x pz", "px[1]"};
  for (int i = 0; i < 4; i++) {
    assert_true(has(f.d->symmetry, f.d->symmetries, yes[i]));
    assert_false(has(f.d->symmetry, f.d->symmetries, no[i]));
  }
  tear_down(&f);
}

/* A weight of 1e-12 of the kinetic energy breaks its rotations, and masses that differ break those
 * of a potential that is as strong. */
static void test_conserved_sizes(void **unused) {
  (void)unused;
  static const char *const texts[] = {"hamiltonian((px^2 + py^2 + pz^2)/2e12 + 1e12*z) "
                                      "constrain('sphere', x^2 + y^2 + z^2 - 1e24)\n"
                                      "start { x = 1e12, pz = 3e23, py = 1e24 }",
                                      "hamiltonian((px^2 + py^2 + 2*pz^2)/2 + 1e16*(x^2 + y^2 + "
                                      "z^2)) start { x = 1, y = 2, z = 3, px = 0.1, py = -0.2 }"};
  for (int i = 0; i < 2; i++) {
    char text[400];
    fixture f;
    snprintf(text, sizeof text,
             "local x,px = pair('x') local y,py = pair('y') local z,pz = pair('z') %s", texts[i]);
    set_up(&f, text);
    assert_true(has(f.d->symmetry, f.d->symmetries, "angular momentum x py - y px"));
    assert_false(has(f.d->symmetry, f.d->symmetries, "angular momentum y pz - z py"));
    assert_false(has(f.d->symmetry, f.d->symmetries, "angular momentum z px - x pz"));
    tear_down(&f);
  }
}

/* |q| = |p|: a degenerate point of the harmonic sphere; and a flat four-bar, where gradients are
 * dependent */
static void test_degenerate_start(void **unused) {
  (void)unused;
  fixture f;
  set_up(&f, XY "hamiltonian(" T2 ")\nconstrain('sphere', x^2 + y^2 + px^2 + py^2 - 2)\nstart { x "
                "= 0.6, y = 0.8, px = -0.8, py = 0.6 }");
  assert_string_equal(f.d->class_, "coisotropic");
  assert_int_equal(f.d->index, 3);
  assert_true(f.d->start_is_degenerate && f.d->degenerate_points == 1);
  assert_non_null(strstr(f.d->refused, "degenerate point"));
  tear_down(&f);
  set_up(&f, PLANE(2) "constrain('crank', x[1]^2 + y[1]^2 - 1)\nconstrain('rocker', (x[2] - 2)^2 + "
                      "y[2]^2 - 1)\nrod('coupler', 1, 2, "
                      "2)\nstart { [x[1]] = 1, [x[2]] = 3 }");
  assert_true(f.d->start_is_degenerate);
  assert_int_equal(f.d->redundants, 0);
  assert_true(f.d->dof == 1);
  assert_non_null(strstr(f.d->refused, "gradients of constraints are dependent"));
  tear_down(&f);
}

/* R^T R = 1 and R R^T = 1: six of the twelve are implied. At R = 1 the second six have the
 * gradients of the first, elsewhere they are combinations of all: what is independent at one point
 * or another is no basis at any. */
static void test_twice_orthogonal(void **unused) {
  (void)unused;
  fixture f;
  for (int rotated = 0; rotated < 2; rotated++) {
    char model[2048];
    snprintf(
        model, sizeof model,
        "local r, H = {}, 0\nfor i = 1, 3 do r[i] = {} for j = 1, 3 do local p\nr[i][j], p = "
        "pair('r'..i..j)\n"
        "H = H + p^2*(j + 0.5) end end\nhamiltonian(H)\n"
        "for i = 1, 3 do for j = i, 3 do local s, t, one = 0, 0, i == j and 1 or 0\n"
        "for k = 1, 3 do s, t = s + r[k][i]*r[k][j], t + r[i][k]*r[j][k] end\n"
        "constrain('a'..i..j, s - one)\nconstrain('b'..i..j, t - one) end end\n"
        "start { [r[1][1]] = %s, [r[2][2]] = %s, [r[1][2]] = %s, [r[2][1]] = %s, [r[3][3]] = 1 }",
        rotated ? "0.6" : "1", rotated ? "0.6" : "1", rotated ? "-0.8" : "0",
        rotated ? "0.8" : "0");
    set_up(&f, model);
    assert_int_equal(f.d->redundants, 6);
    assert_non_null(strstr(f.d->refused, "redundant constraints, which the others imply"));
    if (!rotated)
      assert_string_equal(f.d->redundant_sentence[5],
                          "'b33' is a combination of 'a11', 'a12', 'a13', 'a22', 'a23', 'a33'");
    tear_down(&f);
  }
}

/* Without the doctor, too, a run does not begin: the same reasons come from the start. */
static void test_starts(void **unused) {
  (void)unused;
  static const struct {
    const char *model;
    rattle_status status;
    const char *says;
  } row[] = {
      {XYZW "hamiltonian(" T3 " + pw^2/2 + y^2 + z)\nconstrain('a', x)\nconstrain('b', "
            "px)\nconstrain('c', y - z)\nstart { w = 1, "
            "pz = 1, py = 1 }",
       RATTLE_NOT_REGULAR, "{a,b} is 1"},
      /* the bracket z vanishes at the start, not near it */
      {XYZW "hamiltonian(" T3 " + pw^2/2)\nconstrain('a', x)\nconstrain('b', y + "
            "px*z)\nconstrain('c', w)\nstart { px = 1 }",
       RATTLE_NOT_REGULAR, "not coisotropic"},
      {XY "hamiltonian(px^2/2 + py*x)\nconstrain('g', y)", RATTLE_SINGULAR, "the index is 5"},
      {XY "hamiltonian(px^2/2)\nconstrain('g', y)\nstart { px = 1 }", RATTLE_SINGULAR,
       "infinitely many"},
      {XY "hamiltonian(0*x)\nconstrain('g', py + px^2/2)\nstart { px = 1, py = -0.5 }",
       RATTLE_SINGULAR, "H does not change"},
  };
  for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
    rattle_model *model = parse(row[i].model);
    rattle_problem *problem;
    rattle_problem_options block = {.evaluator = RATTLE_EVALUATOR_BLOCK};
    rattle_error error;
    double q[4], p[4];
    assert_int_equal(rattle_problem_create(&problem, model, &block, &error), RATTLE_OK);
    assert_int_equal(rattle_problem_start(problem, 0, q, p, NULL, &error), row[i].status);
    if (!strstr(error.message, row[i].says)) fail_msg("%s", error.message);
    rattle_problem_destroy(&problem);
    rattle_model_destroy(&model);
  }
}

/* --- without symbols -------------------------------------------------------------------------- */

static const char chain[] =
    "local N = parameter('N', 300)\nlocal x, px = pairs_of('x', N)\nlocal y, py = pairs_of('y', "
    "N)\n"
    "local T = {}\nfor i = 1, N do T[i] = (px[i]^2 + py[i]^2)/2 + y[i] end\nhamiltonian(sum(T))\n"
    "constrain('link[1]', x[1]^2 + y[1]^2 - 1)\nfor i = 2, N do constrain('link['..i..']', (x[i] - "
    "x[i-1])^2 + "
    "(y[i] - y[i-1])^2 - 1) end\nfor i = 1, N do start { [x[i]] = i } end\n";

static void test_large(void **unused) {
  (void)unused;
  fixture f;
  set_up(&f, chain);
  assert_string_equal(f.d->class_, "coisotropic");
  assert_int_equal(f.d->index, 3);
  assert_true(f.d->dof == 300 && f.d->second_class_count == 600);
  assert_non_null(f.d->advice_method);
  assert_non_null(strstr(f.d->note, "large"));
  assert_true(f.d->min_singular_value > 0);
  tear_down(&f);
}

static int free_particle(void *context, const double *z, double *H, double *gradient) {
  (void)context;
  *H = 0;
  for (int k = 0; k < 3; k++) {
    *H += z[3 + k] * z[3 + k] / 2;
    gradient[k] = 0;
    gradient[3 + k] = z[3 + k];
  }
  return 0;
}

/* x = 0 and, with *context, its conjugate px = 0, else y = 1 */
static int two_constraints(void *context, const double *z, double *g, double *J) {
  int second = *(const int *)context ? 3 : 1;
  memset(J, 0, 12 * sizeof *J);
  g[0] = z[0];
  g[1] = z[second] - (second == 1);
  J[0] = J[6 + second] = 1;
  return 0;
}

static void test_callbacks(void **unused) {
  (void)unused;
  double q[3] = {0, 1, 0.5}, p[3] = {0, 0, 0.5};
  for (int conjugates = 0; conjugates < 2; conjugates++) {
    rattle_callbacks callbacks = {.n = 3,
                                  .m = 2,
                                  .context = &conjugates,
                                  .hamiltonian = free_particle,
                                  .constraint = two_constraints};
    rattle_doctor_options options = {.q = q, .p = p};
    rattle_problem *problem;
    rattle_doctor *doctor;
    rattle_error error;
    if (rattle_problem_create_callbacks(&problem, &callbacks, &error))
      fail_msg("%s", error.message);
    assert_int_equal(rattle_doctor_create(&doctor, NULL, problem, NULL, &error),
                     RATTLE_BAD_ARGUMENT);
    assert_null(doctor);
    if (rattle_doctor_create(&doctor, NULL, problem, &options, &error))
      fail_msg("%s", error.message);
    const rattle_diagnosis *d = rattle_doctor_diagnosis(doctor);
    assert_string_equal(d->class_, conjugates ? "unknown" : "coisotropic");
    assert_int_equal(d->index, conjugates ? -1 : 3);
    assert_true(conjugates ? isnan(d->dof) : d->dof == 1);
    assert_int_equal(d->refused != NULL, conjugates);
    if (conjugates) assert_non_null(strstr(d->refused, "{g[0],g[1]} is 1"));
    rattle_doctor_destroy(&doctor);
    rattle_problem_destroy(&problem);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_known),           cmocka_unit_test(test_pendulum),
      cmocka_unit_test(test_frequency),       cmocka_unit_test(test_conserved),
      cmocka_unit_test(test_conserved_sizes), cmocka_unit_test(test_degenerate_start),
      cmocka_unit_test(test_starts),          cmocka_unit_test(test_twice_orthogonal),
      cmocka_unit_test(test_large),           cmocka_unit_test(test_callbacks)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
