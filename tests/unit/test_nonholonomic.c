/* Constraints linear in momenta: they are refused unless they are said to be Dirac's, or implied by
 * constraints on coordinates; and which of them are nonholonomic. */
#include "evaluators.h"

typedef struct law {
  const char *name,
      *text; /* of pairs q[1] ... q[n] with momenta p[1] ... p[n], H = |p|^2/2 unless `H` is
                given */
  int n;
  const char *H;
} law;

/* The verdict of a start: NULL if it is not refused as nonholonomic; *constraint as of
 * rattle_problem_not_integrable at the start. */
static const char *verdict(const law *s, int *constraint) {
  static rattle_error error;
  char text[2500];
  rattle_model *model = NULL;
  rattle_problem *problem = NULL;
  double z[200];
  snprintf(text, sizeof text,
           "local q, p = pairs_of('q', %d)\nfor i = 1, %d do start { [q[i]] = 0.3 + 0.17*i, [p[i]] "
           "= 0.4 - 0.13*i } end\n"
           "local T = 0 for i = 1, %d do T = T + p[i]^2/2 end\nhamiltonian(%s)\nstart { project = "
           "true }\n%s",
           s->n, s->n, s->n, s->H ? s->H : "T", s->text);
  if (rattle_model_parse(&model, text, "m.lua", NULL, &error) ||
      rattle_problem_create(&problem, model, NULL, &error))
    fail_msg("%s: %s", s->name, error.message);
  for (int k = 0; k < s->n; k++) z[k] = 0.3 + 0.17 * (k + 1), z[s->n + k] = 0.4 - 0.13 * (k + 1);
  assert_int_equal(rattle_problem_not_integrable(problem, z, z + s->n, constraint, &error),
                   RATTLE_OK);
  const rattle_status status = rattle_problem_start(problem, 0, z, z + s->n, NULL, &error);
  const int refused =
      status == RATTLE_BAD_MODEL && strstr(error.message, "two motions may be meant") != NULL;
  rattle_problem_destroy(&problem);
  rattle_model_destroy(&model);
  return refused ? error.message : NULL;
}

static const law nonholonomic[] = {
    {"a blade", "constrain('g', p[2]*cos(q[3]) - p[1]*sin(q[3]))", 3, NULL},
    {"a blade, of coordinates that are turned", "constrain('g', p[2]*cos(q[3]) - p[1]*sin(q[3]))",
     3, "p[1]^2 + p[1]*p[2]/2 + p[2]^2/2 + p[3]^2/3"},
    {"a contact form", "constrain('g', p[3] - q[2]*p[1])", 3, NULL},
    {"the same of the mass matrix alone", "constrain('g', p[3])", 3,
     "(p[1]^2 + (p[2] + q[1]*p[3])^2 + p[3]^2)/2"},
    {"Martinet's form, where its surface is crossed",
     "start { ['q[1]'] = 0, replace = true }\nconstrain('g', p[3] - q[1]^2*p[2])", 3, NULL},
    {"a contact form in five dimensions", "constrain('g', p[5] - q[2]*p[1] - q[4]*p[3])", 5, NULL},
    {"one more scaled", "constrain('g', exp(q[3])*(p[3] - q[2]*p[1]))", 3, NULL},
    {"an upright disc: x, y, heading, roll",
     "constrain('x', p[1] - p[4]*cos(q[3])) constrain('y', p[2] - p[4]*sin(q[3]))", 4, NULL},
    {"a car with a trailer",
     "constrain('car', p[2]*cos(q[3]) - p[1]*sin(q[3]))\n"
     "constrain('trailer', p[2]*cos(q[4]) - p[1]*sin(q[4]) - p[4] )",
     4, NULL},
    {"two particles without angular momentum",
     "constrain('L', q[1]*p[2] - q[2]*p[1] + q[3]*p[4] - q[4]*p[3])", 4, NULL},
    {"a particle in space without one about a skew axis and without spin",
     "constrain('L', q[1]*p[2] - q[2]*p[1] + 0.5*p[3])", 3, NULL},
    {"a ball on a plane, Euler angles",
     "constrain('x', p[1] - p[3]*sin(q[5]) + p[4]*sin(q[3])*cos(q[5]))\nconstrain('y', p[2] + "
     "p[3]*cos(q[5]) + "
     "p[4]*sin(q[3])*sin(q[5]))",
     5, NULL},
    {"Goursat's form: the third constraint only",
     "constrain('a', p[3] - q[2]*p[1]) constrain('b', p[4] - q[3]*p[1]) constrain('c', p[5] - "
     "q[4]*p[1])",
     5, NULL},
    {"with one on coordinates",
     "constrain('r', q[4]^2 + q[5]^2 - 1) constrain('g', p[2]*cos(q[3]) - p[1]*sin(q[3]))", 5,
     NULL},
    {"among a hundred", "constrain('g', p[98] - q[41]*p[7])", 100, NULL},
};

/* Linear in the momenta and integrable: they need the word as well. */
static const law integrable[] = {
    {"equal velocities", "constrain('g', p[1] - p[2])", 3, NULL},
    {"those of a distance", "constrain('g', q[1]*p[1] + q[2]*p[2] + q[3]*p[3])", 3, NULL},
    {"those of any function, scaled",
     "constrain('g', exp(q[1])*(p[1]*cos(q[1]*q[2])*q[2] + p[2]*cos(q[1]*q[2])*q[1] + "
     "2*p[3]*q[3]))",
     3, NULL},
    {"of a mass matrix that is not diagonal", "constrain('g', p[1] - p[3]/2)", 3,
     "p[1]^2 + p[1]*p[2]/2 + p[2]^2/2 + p[3]^2/3"},
    {"any form in the plane", "constrain('g', q[2]^2*p[1] + exp(q[1])*p[2])", 2, NULL},
    {"a moment in the plane", "constrain('g', q[1]*p[2] - q[2]*p[1])", 3, NULL},
    {"a wheel on a line", "constrain('g', p[1] - 0.5*p[2])", 3, NULL},
    {"a blade that does not turn",
     "constrain('a', q[3] - 0.2) constrain('g', p[2]*cos(q[3]) - p[1]*sin(q[3]))", 4, NULL},
    {"a blade that turns with its place",
     "constrain('a', q[3] - q[1]) constrain('g', p[2]*cos(q[3]) - p[1]*sin(q[3]))", 4, NULL},
    {"a contact form that another makes closed",
     "constrain('a', p[2]) constrain('g', p[3] - q[2]*p[1])", 4, NULL},
    {"said not to be, and integrable", "constrain('g', p[1] - p[2], { vakonomic = false })", 3,
     NULL},
    {"among a hundred", "constrain('g', p[98] - q[98]*p[7])", 100, NULL}};

static const law others[] = {
    {"a speed", "constrain('g', p[1]^2 + p[2]^2 + p[3]^2 - 1)", 3, NULL},
    {"a blade, squared momenta", "constrain('g', p[2]^2*cos(q[3]) - p[1]^2*sin(q[3]) - 0.1)", 3,
     NULL},
    {"a sphere of coordinates and momenta", "constrain('g', q[1]^2 + p[1]^2 + q[2]^2 + p[2]^2 - 1)",
     3, NULL},
    {"nonlinear in one momentum", "constrain('g', p[3] - q[2]*sin(p[1]))", 3, NULL},
    {"coordinates alone", "constrain('g', q[1]^2 + q[2]^2 + q[3]^2 - 1)", 3, NULL},
    {"said to be vakonomic",
     "constrain('g', p[2]*cos(q[3]) - p[1]*sin(q[3]), { vakonomic = true })", 3, NULL},
    {"said to be Dirac's", "constrain('g', p[2]*cos(q[3]) - p[1]*sin(q[3]), { dirac = true })", 3,
     NULL},
    {"said to be Dirac's, and integrable", "constrain('g', p[1] - p[2], { dirac = true })", 3,
     NULL},
    {"implied by one on coordinates",
     "constrain('c', q[1] - q[2] + 0.17) constrain('g', p[1] - p[2])", 4, NULL},
    {"implied by a distance",
     "constrain('c', q[1]^2 + q[2]^2 - 1) constrain('g', q[1]*p[1] + q[2]*p[2])", 4, NULL},
    {"no inertia", "constrain('g', p[1] - q[2])", 3, "q[1]^2 + p[2]^2 + p[3]^2"}};

static void refused(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof nonholonomic / sizeof *nonholonomic; i++) {
    int constraint;
    const char *message = verdict(&nonholonomic[i], &constraint);
    if (!message || constraint < 0)
      fail_msg("%s: %s, %d", nonholonomic[i].name, message ? "refused" : "not refused", constraint);
    assert_non_null(strstr(message, "{ dirac = true }"));
    assert_non_null(strstr(message, "velocity_constrain"));
  }
}

static void unsaid(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof integrable / sizeof *integrable; i++) {
    int constraint;
    const char *message = verdict(&integrable[i], &constraint);
    if (!message || constraint >= 0)
      fail_msg("%s: %d, %s", integrable[i].name, constraint, message ? "refused" : "not refused");
  }
}

static void not_refused(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
    int constraint;
    const char *message = verdict(&others[i], &constraint);
    if (message || constraint >= 0)
      fail_msg("%s: %d, %s", others[i].name, constraint, message ? message : "not refused");
  }
}

/* The sleigh as functions. */
static int energy(void *context, const double *z, double *H, double *gradient) {
  (void)context;
  *H = (z[3] * z[3] + z[4] * z[4] + z[5] * z[5]) / 2;
  for (int k = 0; k < 3; k++) gradient[k] = 0, gradient[3 + k] = z[3 + k];
  return 0;
}
static int blade(void *context, const double *z, double *g, double *jacobian) {
  (void)context;
  const double c = cos(z[2]), s = sin(z[2]), row[] = {0, 0, -z[4] * s - z[3] * c, -s, c, 0};
  *g = z[4] * c - z[3] * s;
  memcpy(jacobian, row, sizeof row);
  return 0;
}

static void functions(void **state) {
  (void)state;
  for (int meant = 0; meant < 2; meant++) {
    rattle_problem *problem = NULL;
    rattle_error error;
    double q[] = {0.1, 0.2, 0.3}, p[] = {1, 0.1, 0.4};
    const rattle_callbacks callbacks = {.struct_size = sizeof callbacks,
                                        .n = 3,
                                        .m = 1,
                                        .flags = meant ? RATTLE_DIRAC : 0,
                                        .hamiltonian = energy,
                                        .constraint = blade};
    assert_int_equal(rattle_problem_create_callbacks(&problem, &callbacks, &error), RATTLE_OK);
    const rattle_status status = rattle_problem_start(problem, 1, q, p, NULL, &error);
    if (status != (meant ? RATTLE_OK : RATTLE_BAD_MODEL))
      fail_msg("%d: %s", meant, status ? error.message : "done");
    if (status) {
      assert_non_null(strstr(error.message, "RATTLE_DIRAC among the flags"));
      assert_non_null(
          strstr(error.message, "problems from functions have no constraints on velocities"));
    }
    if (status) assert_int_equal(error.constraint, 0);
    rattle_problem_destroy(&problem);
  }
}

static void words(void **state) {
  (void)state;
  static const char *const rows[][2] = {{"{ dirak = true }", "expected the option dirac"},
                                        {"{ dirac = 1 }", "dirac"},
                                        {"{ vakonomic = 1 }", "vakonomic"},
                                        {"true", "a table of options"},
                                        {"{ 'dirac' }", "expected the option dirac"}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char text[300];
    rattle_model *model = NULL;
    rattle_error error;
    snprintf(text, sizeof text, "local x, px = pair('x') hamiltonian(px^2)\nconstrain('g', px, %s)",
             rows[i][0]);
    assert_int_equal(rattle_model_parse(&model, text, "m.lua", NULL, &error), RATTLE_BAD_MODEL);
    if (!strstr(error.message, rows[i][1])) fail_msg("%s: %s", rows[i][0], error.message);
  }
  rattle_model *model = NULL;
  rattle_error error;
  assert_int_equal(rattle_model_create(&model, NULL), RATTLE_OK);
  assert_int_equal(rattle_model_set_vakonomic(model, 0, &error), RATTLE_BAD_ARGUMENT);
  rattle_model_destroy(&model);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(refused), cmocka_unit_test(unsaid),
                                     cmocka_unit_test(not_refused), cmocka_unit_test(functions),
                                     cmocka_unit_test(words)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
