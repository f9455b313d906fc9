/* Mechanisms of many hinges: what loading them takes grows with their number, by counts, and very
 * many of them have the motion and the quantities of few. */
#include "evaluators.h"

#include "made.h"
#include "problem/functions/problem.h"
#include "problem/model/model.h"

/* bench/hinges.lua with so many instructions of Lua at most (0: the default). */
static rattle_status open_hinges(int N, int tree, int joints, long long instructions,
                                 rattle_model **model) {
  const rattle_parameter given[] = {{"N", N}, {"tree", tree}, {"joints", joints}};
  const rattle_model_options options = {
      .parameters = given, .parameter_count = 3, .max_instructions = instructions};
  rattle_error error;
  return rattle_model_load(model, RATTLE_SOURCE_DIR "/bench/hinges.lua", &options, &error);
}

/* Lua's work and nodes of the graph are at most so many a hinge, for 300 and for 1200 of them. Less
 * is progress: write the new limits here. */
static void work_a_hinge(void **unused) {
  (void)unused;
  enum { FEW = 300, MANY = 1200 };
  static const struct {
    int tree, joints, lua, nodes;
  } most[] = {{1, 1, 7600, 490}, {0, 1, 7600, 490}, {1, 0, 3800, 210}, {0, 0, 3800, 210}};
  for (size_t c = 0; c < sizeof most / sizeof *most; c++)
    for (int N = FEW; N <= MANY; N += MANY - FEW) {
      rattle_model *model = NULL;
      if (open_hinges(N, most[c].tree, most[c].joints, (long long)most[c].lua * N, &model))
        fail_msg("case %zu: %d hinges take more than %d instructions each", c, N, most[c].lua);
      const int nodes = (int)rattle_graph_count(rattle_model_graph(model)) / N;
      if (nodes > most[c].nodes)
        fail_msg("case %zu: %d nodes of the graph a hinge, limit %d", c, nodes, most[c].nodes);
      rattle_model_destroy(&model);
    }
}

static void turn(double R[3][3], int axis, double angle) {
  const int i = (axis + 1) % 3, j = (axis + 2) % 3;
  for (int r = 0; r < 3; r++) {
    const double a = R[r][i], b = R[r][j];
    R[r][i] = a * cos(angle) + b * sin(angle), R[r][j] = b * cos(angle) - a * sin(angle);
  }
}

enum { LINKS = 1500 };

typedef struct chain {
  rattle_model *model;
  rattle_problem *problem;
  double z[2 * LINKS];
} chain;

static int set_up(void **state) {
  chain *c = calloc(1, sizeof *c);
  const rattle_problem_options how = {.evaluator = RATTLE_EVALUATOR_BLOCK};
  rattle_error error;
  *state = c;
  if (!c || open_hinges(LINKS, 0, 1, 0, &c->model) ||
      rattle_problem_create(&c->problem, c->model, &how, &error) ||
      rattle_problem_start(c->problem, 0, c->z, c->z + LINKS, NULL, &error))
    return 1;
  for (int k = 0; k < LINKS; k++) c->z[k] = 0.3 * sin(k), c->z[LINKS + k] = 0.1 * cos(k);
  return 0;
}

static int tear_down(void **state) {
  chain *c = *state;
  rattle_problem_destroy(&c->problem), rattle_model_destroy(&c->model);
  free(c);
  return 0;
}

/* The centre and the first column of each body, by hand. */
static void places_of_all_bodies(void **state) {
  static const int axes[] = {1, 2, 0};
  const chain *c = *state;
  const int count = rattle_model_observables(c->model);
  double *seen = malloc((size_t)count * sizeof *seen), R[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
         joint[3] = {0}, most = 0;
  rattle_error error;
  assert_non_null(seen);
  assert_int_equal(count, 12 * LINKS);
  assert_int_equal(rattle_problem_observe(c->problem, c->z, c->z + LINKS, seen, &error), RATTLE_OK);
  for (int k = 0; k < LINKS; k++) {
    turn(R, axes[(k + 1) % 3], -c->z[k]);
    for (int r = 0; r < 3; r++) {
      most = fmax(most, fabs(seen[12 * k + r] - (joint[r] + 0.5 * R[r][0])));
      most = fmax(most, fabs(seen[12 * k + 3 + r] - R[r][0]));
      joint[r] += R[r][0];
    }
  }
  if (!(most < 1e-10)) fail_msg("a place is off by %.3g", most);
  free(seen);
}

/* The pattern of 18000 places by 1500 angles is not kept, nor is a full matrix of second
 * derivatives; those along a vector are the change of the gradient. */
static void derivatives_of_many(void **state) {
  const chain *c = *state;
  const rattle__function *H = c->problem->H;
  static double v[2 * LINKS], D[2 * LINKS], x[2 * LINKS], up[2 * LINKS], down[2 * LINKS];
  double *work = malloc(H->work * sizeof *work), most = 0, size = 0;
  const double h = 1e-5;
  assert_non_null(work);
  assert_int_equal(c->problem->observed->jac_nnz, 0);
  assert_true(!H->hessian && !H->hess_nnz && H->along);
  for (int k = 0; k < 2 * LINKS; k++) v[k] = sin(2 * k);
  assert_int_equal(H->along(H, c->z, v, D, work), 0);
  for (int k = 0; k < 2 * LINKS; k++) x[k] = c->z[k] + h * v[k];
  assert_int_equal(H->jacobian(H, x, NULL, up, work), 0);
  for (int k = 0; k < 2 * LINKS; k++) x[k] = c->z[k] - h * v[k];
  assert_int_equal(H->jacobian(H, x, NULL, down, work), 0);
  for (int k = 0; k < 2 * LINKS; k++) {
    most = fmax(most, fabs(D[k] - (up[k] - down[k]) / (2 * h)));
    size = fmax(size, fabs(D[k]));
  }
  if (!(most < 1e-5 * size)) fail_msg("H'' v is off by %.3g of %.3g", most, size);
  free(work);
}

/* Steps are made; what needs the matrix says so. */
static void steps_of_many(void **state) {
  chain *c = *state;
  rattle_integrator *integrator;
  rattle_error error;
  double z[2 * LINKS], begin, end;
  memcpy(z, c->z, sizeof z);
  assert_int_equal(rattle_integrator_create(&integrator, c->problem, "gauss(4)", &error),
                   RATTLE_OK);
  rattle_state at = {.q = z, .p = z + LINKS, .h = 1e-4};
  rattle_problem_energy(c->problem, at.q, at.p, &begin, &error);
  assert_int_equal(rattle_integrator_step(integrator, &at, 2, &error), RATTLE_OK);
  rattle_problem_energy(c->problem, at.q, at.p, &end, &error);
  if (!(fabs(end - begin) < 1e-9 * fabs(begin))) fail_msg("energy %.15g, then %.15g", begin, end);
  rattle_integrator_destroy(&integrator);
  assert_int_equal(rattle_integrator_create(&integrator, c->problem, "discrete_gradient", &error),
                   RATTLE_UNSUITABLE);
  if (!strstr(error.message, "for up to 1024 coordinates")) fail_msg("%s", error.message);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(work_a_hinge)};
  const struct CMUnitTest many[] = {cmocka_unit_test(places_of_all_bodies),
                                    cmocka_unit_test(derivatives_of_many),
                                    cmocka_unit_test(steps_of_many)};
  return cmocka_run_group_tests(tests, NULL, NULL) +
         cmocka_run_group_tests(many, set_up, tear_down);
}
