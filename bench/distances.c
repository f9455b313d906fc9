/* Time per step and bond of rattle(verlet) for models of many small molecules, and of trees,
 * without forces (distances.lua): the general step of the library against librattle_bonds with the
 * same drift. Chains and rings of one molecule take another step: chain.c, ring.c. */
#include "bench.h"

#include "rattle/bonds.h"

enum { CASES = 6, LARGEST = 1023 };

static const struct {
  const char *name;
  int beads, copies;
  double mass[3]; /* of the first bead, the others, both 0: 1 */
} cases[CASES] = {{"water", 3, 1000, {16, 1}},      {"stars of 4", 5, 600, {12, 1}},
                  {"rings of 6", 6, 400, {1, 1}},   {"cubes", 8, 200, {1, 1}},
                  {"chains of 50", 50, 50, {1, 1}}, {"trees of 1023", LARGEST, 4, {1, 1}}};

typedef struct twin {
  rattle_bonds *bonds;
  long long atoms;
  double *mass, *x0, *v;
} twin;

/* The lowest and the highest bead in a constraint. */
static void beads_in(const rattle_graph *graph, rattle_expr e, int *low, int *high) {
  if (!e) return;
  if (rattle_expr_op(graph, e) == RATTLE_OP_VARIABLE) {
    const int bead = rattle_expr_index(graph, e) / 6;
    if (bead < *low) *low = bead;
    if (bead > *high) *high = bead;
  }
  for (int k = 0; k < 2; k++) beads_in(graph, rattle_expr_operand(graph, e, k), low, high);
}

static twin make_twin(const bench_library *library, int which, const double *q) {
  const int m = rattle_problem_m(library->problem), atoms = library->n / 3;
  twin t = {.atoms = atoms};
  int *pairs = malloc(2 * (size_t)m * sizeof *pairs);
  double *length = malloc((size_t)m * sizeof *length);
  t.mass = malloc((size_t)atoms * sizeof *t.mass);
  t.x0 = malloc(2 * (size_t)library->n * sizeof *t.x0);
  if (!pairs || !length || !t.mass || !t.x0) exit(1);
  t.v = t.x0 + library->n;
  for (int i = 0; i < atoms; i++) t.mass[i] = cases[which].mass[i % cases[which].beads != 0];
  for (int k = 0; k < m; k++) {
    int low = atoms, high = -1;
    double sum = 0;
    beads_in(rattle_model_graph(library->model), rattle_model_constraint_expr(library->model, k),
             &low, &high);
    for (int d = 0; d < 3; d++)
      sum += (q[3 * low + d] - q[3 * high + d]) * (q[3 * low + d] - q[3 * high + d]);
    pairs[2 * k] = low;
    pairs[2 * k + 1] = high;
    length[k] = sqrt(sum);
  }
  const rattle_bonds_topology topology = {.struct_size = sizeof topology,
                                          .atoms = atoms,
                                          .bonds = m,
                                          .pairs = pairs,
                                          .lengths = length,
                                          .masses = t.mass};
  const rattle_bonds_options options = {.struct_size = sizeof options, .tolerance = 1e-13};
  rattle_error error;
  bench_check(rattle_bonds_create(&t.bonds, &topology, &options, &error), &error);
  free(pairs);
  free(length);
  return t;
}

static int advance_twin(void *self, double h, long long steps, double *q, double *p) {
  twin *t = self;
  const size_t n = 3 * (size_t)t->atoms;
  rattle_error error;
  for (size_t i = 0; i < n; i++) t->v[i] = p[i] / t->mass[i / 3];
  for (long long s = 0; s < steps; s++) {
    memcpy(t->x0, q, n * sizeof *q);
    for (size_t i = 0; i < n; i++) q[i] += h * t->v[i];
    bench_check(rattle_bonds_positions(t->bonds, t->x0, q, t->v, h, NULL, &error), &error);
    bench_check(rattle_bonds_velocities(t->bonds, q, t->v, NULL, &error), &error);
  }
  for (size_t i = 0; i < n; i++) p[i] = t->mass[i / 3] * t->v[i];
  return 0;
}

static bench_library open_case(int which, int evaluator) {
  bench_library library = {0};
  rattle_error error;
  const rattle_parameter given[] = {{"case", which + 1}, {"copies", cases[which].copies}};
  const rattle_model_options options = {.parameters = given, .parameter_count = 2};
  rattle_problem_options how = {0};
  how.evaluator = evaluator;
  bench_check(
      rattle_model_load(&library.model, RATTLE_SOURCE_DIR "/bench/distances.lua", &options, &error),
      &error);
  bench_check(rattle_problem_create(&library.problem, library.model, &how, &error), &error);
  bench_check(
      rattle_integrator_create(&library.integrator, library.problem, "rattle(verlet)", &error),
      &error);
  library.n = rattle_problem_n(library.problem);
  return library;
}

static void measure(int which) {
  bench_library library[2] = {open_case(which, RATTLE_EVALUATOR_BLOCK),
                              open_case(which, RATTLE_EVALUATOR_NATIVE)};
  const int n = library[0].n;
  rattle_error error;
  double *q = malloc(2 * (size_t)n * sizeof *q), *p = q + n;
  if (!q) exit(1);
  bench_check(rattle_problem_start(library[0].problem, 1, q, p, NULL, &error), &error);
  twin t = make_twin(&library[0], which, q);
  char name[3][80];
  static const char *const kind[] = {"bonds", "model, block", "model, native"};
  for (int k = 0; k < 3; k++)
    snprintf(name[k], sizeof name[k], "%s: %s", cases[which].name, kind[k]);
  bench_case contender[] = {{.name = name[0], .advance = advance_twin, .self = &t},
                            {.name = name[1], .advance = bench_advance, .self = &library[0]},
                            {.name = name[2], .advance = bench_advance, .self = &library[1]}};
  bench_compare("distances", rattle_problem_m(library[0].problem), contender, 3, 0.005, 20, n, q, p,
                1e-8);
  rattle_bonds_destroy(&t.bonds);
  free(t.mass);
  free(t.x0);
  free(q);
  for (int k = 0; k < 2; k++) bench_close(&library[k]);
}

int main(void) {
  for (int which = 0; which < CASES; which++) measure(which);
  return 0;
}
