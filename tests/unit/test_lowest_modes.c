/* The lowest modes of many coordinates, by sparse matrices, where they are known in closed form. */
#include "resting.h"

/* Ten thousand beads on a taut string: 2 sqrt(k/m) sin(j pi/(2 (n + 1))), and sines. */
static void test_string(void **state) {
  (void)state;
  fixture f =
      find_lowest("local n, k, H, last = 10000, 4, 0, 0\nfor i = 1, n do\n"
                  "  local x, p = pair('x' .. i)\n  H = H + p^2/2 + k/2*(x - last)^2\n  last = x\n"
                  "end\nhamiltonian(H + k/2*last^2)\nstart { x1 = 0.1, x5000 = 2 }\n",
                  0, 0);
  assert_int_equal(f.r->modes, 10);
  assert_int_equal(f.r->degrees, 10000);
  assert_int_equal(f.r->stable, 1);
  for (int j = 1; j <= 10; j++) {
    const double expected = 4 * sin(j * pi / 2 / 10001);
    is_near("frequency", f.r->imaginary[j - 1] / expected, 1, 1e-8);
    const double *x = f.r->shape + (size_t)(j - 1) * 10000, sign = x[0] > 0 ? 1 : -1;
    for (int i = 0; i < 10000; i += 999)
      is_near("shape", x[i], sign * sin(j * pi * (i + 1) / 10001), 1e-5);
  }
  drop(&f);
}

/* The j-th zero of the Laguerre polynomial L_n, by Newton's method from that of J_0. */
static double laguerre_zero(int n, int j) {
  const double b = (j - 0.25) * pi, bessel = b + 1 / (8 * b) - 124 / (3 * pow(8 * b, 3));
  double x = bessel * bessel / (4 * n + 2);
  for (int step = 0; step < 50; step++) {
    double before = 1, now = 1 - x;
    for (int k = 1; k < n; k++) {
      const double next = ((2 * k + 1 - x) * now - k * before) / (k + 1);
      before = now, now = next;
    }
    x -= now * x / (n * (now - before));
  }
  return x;
}

/* A chain of 450 rods that hangs in space: Bernoulli's frequencies, g/l times zeros of L_n, each
 * twice. */
static void test_hanging_chain(void **state) {
  (void)state;
  fixture f =
      find_lowest("local n, H, px, py, pz = 450, 0, 0, 0, 0\nlocal l = 1/n\nfor i = 1, n do\n"
                  "  local x, u = pair('x' .. i)\n  local y, v = pair('y' .. i)\n"
                  "  local z, w = pair('z' .. i)\n  H = H + (u^2 + v^2 + w^2)/2 + 9.81*y\n"
                  "  constrain('rod' .. i, (x - px)^2 + (y - py)^2 + (z - pz)^2 - l^2)\n"
                  "  start { ['x' .. i] = 0.1*i*l, ['y' .. i] = -i*l, ['z' .. i] = 0.05*i*l }\n"
                  "  px, py, pz = x, y, z\nend\nhamiltonian(H)\n",
                  0, 12);
  assert_int_equal(f.r->modes, 12);
  assert_int_equal(f.r->degrees, 900);
  assert_int_equal(f.r->stable, 1);
  is_near("end", f.r->q[3 * 449 + 1], -1, 1e-12);
  is_near("load", f.r->multipliers[0] * 2 / 450, 450 * 9.81, 1e-8);
  for (int j = 0; j < 12; j++)
    is_near("frequency", f.r->imaginary[j] / sqrt(9.81 * 450 * laguerre_zero(450, 1 + j / 2)), 1,
            1e-10);
  drop(&f);
}

/* A straight row of beads that springs push together, each held by a spring of its own: it rests,
 * and it buckles to the sides. */
static const char row[] =
    "local n, H, a = 450, 0, {0, 0}\nlocal function s(a, b) return 5*(sqrt((a[1] - b[1])^2 + (a[2] "
    "- "
    "b[2])^2) - 1.2)^2 end\nfor i = 1, n do\n  local x, u = pair('x' .. i)\n"
    "  local y, v = pair('y' .. i)\n  H = H + (u^2 + v^2)/2 + s(a, {x, y}) + y^2/2\n"
    "  start { ['x' .. i] = i, ['y' .. i] = %g*((7*i)%%11 - 5) }\n  a = {x, y}\nend\n"
    "hamiltonian(H + s(a, {n + 1, 0}))\n";

static void test_buckling_row(void **state) {
  (void)state;
  char text[600];
  snprintf(text, sizeof text, row, 0.);
  for (int nearest = 0; nearest < 2; nearest++) {
    fixture f = find_lowest(text, nearest, 4);
    assert_int_equal(f.r->stable, 0);
    for (int j = 0; j < 4; j++)
      is_near("rate", f.r->real[j], sqrt(-1 - 2 * (2 * cos((450 - j) * pi / 451) - 2)), 1e-11);
    drop(&f);
  }
  snprintf(text, sizeof text, row, 1e-9);
  fixture f = find_lowest(text, 0, 4);
  assert_int_equal(f.r->stable, 1);
  assert_true(f.r->energy < 1);
  for (int j = 0; j < 4; j++) assert_true(f.r->imaginary[j] > 0);
  drop(&f);
}

/* A free row of masses and springs: it may drift, which is neither stable nor not. */
static void test_drifting_row(void **state) {
  (void)state;
  fixture f =
      find_lowest("local n, H, last = 500, 0\nfor i = 1, n do\n  local x, p = pair('x' .. i)\n"
                  "  H = H + p^2/2\n  if last then H = H + (x - last - 1)^2/2 end\n"
                  "  start { ['x' .. i] = 1.01*i }\n  last = x\nend\nhamiltonian(H)\n",
                  0, 5);
  assert_int_equal(f.r->stable, -1);
  is_near("drift", f.r->imaginary[0], 0, 1e-6);
  for (int j = 1; j < 5; j++) is_near("frequency", f.r->imaginary[j], 2 * sin(j * pi / 1000), 1e-9);
  drop(&f);
}

/* Stiffness beside the diagonal alone: half of the motions grow. */
static void test_saddles(void **state) {
  (void)state;
  fixture f = find_lowest("local H = 0\nfor i = 1, 201 do\n  local x, p = pair('x' .. i)\n"
                          "  local y, r = pair('y' .. i)\n  H = H + (p^2 + r^2)/2 + 4*x*y\nend\n"
                          "hamiltonian(H)\nstart { x1 = 1 }\n",
                          1, 3);
  assert_int_equal(f.r->stable, 0);
  for (int j = 0; j < 3; j++) is_near("rate", f.r->real[j], 2, 1e-11);
  drop(&f);
}

/* Coordinates that linear constraints hold: nothing is left to move, and nothing is stiff. */
static void test_held(void **state) {
  (void)state;
  for (int nearest = 0; nearest < 2; nearest++) {
    fixture f = find_lowest("local H = 0\nfor i = 1, 401 do\n  local x, p = pair('x' .. i)\n"
                            "  H = H + p^2/2 + 3*x\n  constrain('c' .. i, x - 1)\n"
                            "  start { ['x' .. i] = 1 }\nend\nhamiltonian(H)\n",
                            nearest, 0);
    assert_int_equal(f.r->degrees, 0);
    assert_int_equal(f.r->stable, 1);
    assert_int_equal(f.r->modes, 0);
    is_near("load", f.r->multipliers[7], -3, 1e-12);
    drop(&f);
  }
}

static void refuse(const char *text, const char *words) {
  fixture f = seek_lowest(text, 0, 0);
  assert_true(f.status != RATTLE_OK);
  assert_null(f.found);
  if (!strstr(f.error.message, words)) fail_msg("'%s' is not in: %s", words, f.error.message);
  drop(&f);
}

/* Modes of one frequency are found one in each sweep, however many there are. */
static void test_equal_frequencies(void **state) {
  (void)state;
  fixture f = find_lowest("local H = 0\nfor i = 1, 1005 do\n  local x, p = pair('x' .. i)\n"
                          "  H = H + p^2/2 + x^2/2\nend\nhamiltonian(H)\n",
                          0, 1005);
  assert_int_equal(f.r->modes, 1005);
  for (int j = 0; j < 1005; j++) is_near("frequency", f.r->imaginary[j], 1, 1e-14);
  drop(&f);
}

/* Linear terms do not decide at the bottom of x^4, nor at the turn of x^3, which is not stable. */
static void test_without_stiffness(void **state) {
  (void)state;
  for (int power = 3; power <= 4; power++) {
    char text[400];
    snprintf(text, sizeof text,
             "local H, s = 0, {}\nfor i = 1, 402 do\n  local x, p = pair('x' .. i)\n"
             "  H, s['x' .. i] = H + p^2/2 + x^%d/%d, 0.1\nend\nhamiltonian(H) start(s)\n",
             power, power);
    fixture f = find_lowest(text, 0, 0);
    assert_int_equal(f.r->stable, -1);
    drop(&f);
  }
}

static void test_refusals(void **state) {
  (void)state;
  refuse(
      "local H = 0\nfor i = 1, 401 do local x, p = pair('x' .. i) H = H + p^2/2 + x^2/2\nforce { "
      "['x' .. i] = -p } end\nhamiltonian(H)\nstart { x1 = 1 }\n",
      "it has forces");
  refuse("local H = 0\nfor i = 1, 401 do local x, p = pair('x' .. i) H = H + p^2/2 + x end\n"
         "hamiltonian(H)\nstart { x1 = 1 }\n",
         "no equilibrium was found");
  refuse(
      "local H, last = 0, 0\nfor i = 1, 401 do local x, p = pair('x' .. i) H = H + p^2/2 + x^2/2 + "
      "p*last/9\nlast = p end\nhamiltonian(H)\nstart { x1 = 1 }\n",
      "masses is not diagonal");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_string),
                                     cmocka_unit_test(test_hanging_chain),
                                     cmocka_unit_test(test_buckling_row),
                                     cmocka_unit_test(test_drifting_row),
                                     cmocka_unit_test(test_equal_frequencies),
                                     cmocka_unit_test(test_saddles),
                                     cmocka_unit_test(test_held),
                                     cmocka_unit_test(test_without_stiffness),
                                     cmocka_unit_test(test_refusals)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
