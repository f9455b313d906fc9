/* Calls of the library in any order, with odd arguments: NaN, steps of length 0, negative numbers,
 * sizes of structs that no version has, names that say nothing, NULL where the headers allow it. A
 * failure has a sentence, and a failed step leaves the state as it was. */
#include <math.h>

#include "fuzz.h"
#include "rattle/rattle.h"

enum { PAIRS = 2, NZ = 2 * PAIRS, MOST_NODES = 200 };

typedef struct calls {
  const uint8_t *data;
  size_t size;
  rattle_model *model;
  rattle_problem *problem;
  rattle_integrator *integrator;
  rattle_slider *slider;
  rattle_method *method;
  double z[NZ];
  int expects_model; /* 1: the problem is the model's, which changes no more */
  int answer;        /* of callbacks */
} calls;

static unsigned byte(calls *c) {
  if (!c->size) return 0;
  c->size--;
  return *c->data++;
}

static double number(calls *c) {
  static const double some[] = {0,    1,   -1,    0.1,    0.5, 2,        3,         -0.25,
                                1e-9, 1e9, 1e300, 1e-320, NAN, INFINITY, -INFINITY, 0.01};
  return some[byte(c) % 16];
}

/* Moderate lengths that are too long are no fault, and take seconds: the step is divided as often
 * as the guard allows. */
static double length(calls *c) {
  static const double some[] = {0.1, -0.1, 0.01, 0, 1e-9, 1e300, NAN, INFINITY};
  return some[byte(c) % 8];
}

static const char *name(calls *c) {
  static const char *const some[] = {
      "x",         "y", "px", "", "energy", "x[1]", "lambda[rod]", "step", "a name with spaces",
      "\xc3\xa9\n"};
  return some[byte(c) % 10];
}

static const char *method(calls *c) {
  static const char *const some[] = {"rattle(verlet)",
                                     "shake(verlet)",
                                     "rattle(midpoint)",
                                     "suzuki4(rattle(verlet))",
                                     "verlet",
                                     "gauss(2)",
                                     "spark(2)",
                                     "rk4(dirac)",
                                     "adaptive(rattle(verlet))",
                                     "shake_two_step",
                                     "rattle(verlet, solver=sparse)",
                                     "rattle(verlet, compensated)",
                                     "project(rk4(dirac), momentum, tol=1e-6)",
                                     "second_class(midpoint)",
                                     "rattle(",
                                     ""};
  return some[byte(c) % 16];
}

/* A failure says why; success says nothing that matters. */
static rattle_status see(rattle_status status, const rattle_error *error) {
  if (status && (error->status != status || !error->message[0])) abort();
  return status;
}

/* --- callbacks: H = |p|^2/2 + y or with a coupled mass, g = x^2 + y^2 - 1 or of momenta too --- */
static int hamiltonian(void *self, const double *z, double *H, double *d) {
  *H = (z[2] * z[2] + z[3] * z[3]) / 2 + z[1];
  d[0] = 0, d[1] = 1, d[2] = z[2], d[3] = z[3];
  return *(int *)self;
}

static int constraint(void *self, const double *z, double *g, double *J) {
  *g = z[0] * z[0] + z[1] * z[1] - 1;
  J[0] = 2 * z[0], J[1] = 2 * z[1], J[2] = J[3] = 0;
  return *(int *)self < 0;
}

static int mixed(void *self, const double *z, double *g, double *J) {
  (void)self;
  *g = z[0] * z[2] + z[1] - 1;
  J[0] = z[2], J[1] = 1, J[2] = z[0], J[3] = 0;
  return 0;
}

static void drop_problem(calls *c) {
  rattle_integrator_destroy(&c->integrator);
  rattle_slider_destroy(&c->slider);
  rattle_problem_destroy(&c->problem);
  c->expects_model = 0;
}

static void from_callbacks(calls *c) {
  const double inverse_mass[PAIRS] = {number(c), 1};
  const unsigned what = byte(c);
  rattle_error error = {0};
  const rattle_callbacks given = {.struct_size = what & 1 ? sizeof given : byte(c) % 2,
                                  .n = what & 2                          ? PAIRS
                                       : (int)(byte(c) % 4) - 1 == PAIRS ? PAIRS
                                       : what & 4                        ? PAIRS
                                                                         : -1,
                                  .m = what & 8 ? 1 : 0,
                                  .context = &c->answer,
                                  .flags = what & 16 ? RATTLE_NATURAL | RATTLE_HOLONOMIC
                                                     : (int)(byte(c) % 128),
                                  .inverse_mass = what & 32 ? inverse_mass : NULL,
                                  .hamiltonian = what & 64     ? hamiltonian
                                                 : byte(c) % 8 ? hamiltonian
                                                               : NULL,
                                  .constraint = what & 128 ? constraint : mixed};
  drop_problem(c);
  c->answer = 0;
  see(rattle_problem_create_callbacks(&c->problem, &given, &error), &error);
}

/* --- models --- */
static rattle_expr some_expression(calls *c, rattle_graph *graph) {
  rattle_expr e = rattle_expr_variable(graph, (int32_t)(byte(c) % 7) - 1);
  for (unsigned k = byte(c) % 6; k > 0 && rattle_graph_count(graph) < MOST_NODES; k--) {
    const unsigned how = byte(c);
    const rattle_op op = (rattle_op)(byte(c) % (RATTLE_OP_COUNT + 1));
    const rattle_expr other = how & 1 ? rattle_expr_variable(graph, (int32_t)(byte(c) % 5))
                                      : rattle_expr_constant(graph, number(c));
    e = how & 2   ? rattle_expr_binary(graph, op, e, other)
        : how & 4 ? rattle_expr_unary(graph, op, e)
        : how & 8 ? (rattle_expr)byte(c)
                  : other;
  }
  return e;
}

static void add_pair_potential(calls *c) {
  static const char *const kinds[] = {"lennard_jones", "wca", "morse", NULL};
  rattle_error error = {0};
  int pairs[6], exclusions[4];
  for (int k = 0; k < 6; k++) pairs[k] = byte(c) % 2 ? k % 3 : (int)(byte(c) % 5) - 1;
  for (int k = 0; k < 4; k++) exclusions[k] = (int)(byte(c) % 4) - 1;
  /* what follows from few bytes, so that the corpus keeps its meaning */
  const size_t known = byte(c) % 8 ? sizeof(rattle_pair_potential) : 3;
  const int which = byte(c), bead_kind[3] = {0, 1, which / 4 % 3},
            scaled[4] = {0, which / 16 % 3, which / 64, 2};
  const double size = number(c), epsilons[2] = {size, 1}, sigmas[2] = {1, size};
  const rattle_pair_special special = {{which / 8 % 3, 1}, size, 1};
  const rattle_pair_potential potential = {
      .struct_size = known,
      .kind = kinds[which % 4],
      .epsilon = size,
      .sigma = number(c),
      .cutoff = byte(c) % 2 ? number(c) : 0,
      .from = byte(c) % 2 ? number(c) : 0,
      .smooth = (int)(byte(c) % 10) - 1,
      .box = {byte(c) % 2 ? number(c) : 0, byte(c) % 2 ? number(c) : 0},
      .beads = (int)(byte(c) % 4) - 1,
      .pairs = byte(c) % 8 ? pairs : NULL,
      .excluded = (int)(byte(c) % 4) - 1,
      .exclusions = byte(c) % 8 ? exclusions : NULL,
      .kinds = which / 4 % 4,
      .bead_kind = which % 32 ? bead_kind : NULL,
      .epsilons = epsilons,
      .sigmas = sigmas,
      .mixing = which % 16 < 12 ? NULL
                : which % 2     ? "geometric"
                                : "none",
      .specials = which / 32 % 2,
      .special = &special,
      .scaled = which / 64 % 3,
      .scaled_pairs = scaled,
      .scale = size};
  see(rattle_model_add_pair_potential(c->model, &potential, &error), &error);
}

static void change_model(calls *c) {
  rattle_error error = {0};
  if (c->expects_model) drop_problem(c);
  if (!c->model && rattle_model_create(&c->model, &error)) abort();
  if (rattle_model_pairs(c->model) > 3 || rattle_model_constraints(c->model) > 3) {
    drop_problem(c);
    rattle_model_destroy(&c->model);
    return;
  }
  rattle_graph *graph = rattle_model_graph(c->model);
  const rattle_wishes wishes = {.struct_size = sizeof wishes,
                                .step = number(c),
                                .stop = number(c),
                                .every = (int)byte(c) - 3};
  const double a[4] = {number(c), 0, number(c), 0};
  const rattle_tableau tableau = {
      .stages = (int)(byte(c) % 4) - 1, .A = a, .b = a + 1, .order = (int)(byte(c) % 4) - 1};
  switch (byte(c) % 12) {
  case 0:
  case 1:
    see(rattle_model_add_pair(c->model, name(c), byte(c) % 2 ? NULL : name(c), NULL, &error),
        &error);
    break;
  case 2:
    see(rattle_model_add_free(c->model, name(c), NULL, &error), &error);
    break;
  case 3:
  case 4:
    see(rattle_model_add_hamiltonian(c->model, some_expression(c, graph), &error), &error);
    break;
  case 5:
    see(rattle_model_add_constraint(c->model, name(c), some_expression(c, graph), &error), &error);
    break;
  case 6:
    see(rattle_model_add_observable(c->model, name(c), some_expression(c, graph), &error), &error);
    break;
  case 7:
    see(rattle_model_set_start(c->model, (int)(byte(c) % 5) - 1, number(c), number(c), &error),
        &error);
    break;
  case 8:
    see(rattle_model_set_velocity(c->model, (int)(byte(c) % 5) - 1, number(c), &error), &error);
    break;
  case 9:
    if (tableau.stages < 3)
      see(rattle_model_add_tableau(c->model, name(c), &tableau, &error), &error);
    break;
  case 10:
    add_pair_potential(c);
    break;
  default:
    see(rattle_model_set_wishes(c->model, &wishes, &error), &error);
  }
}

static void from_model(calls *c) {
  const rattle_problem_options block = {.struct_size = byte(c) % 8 ? sizeof block : 3,
                                        .evaluator = RATTLE_EVALUATOR_BLOCK,
                                        .steps = 10};
  rattle_error error = {0};
  drop_problem(c);
  if (!c->model) return;
  c->expects_model = 1;
  see(rattle_problem_create(&c->problem, c->model, &block, &error), &error);
}

/* --- what is done with a problem of two pairs --- */
static void steps(calls *c) {
  rattle_error error = {0};
  double before[NZ], out[NZ];
  if (byte(c) % 3 == 0 || !c->integrator) {
    rattle_integrator_destroy(&c->integrator);
    if (see(rattle_integrator_create(&c->integrator, c->problem, method(c), &error), &error))
      return;
  }
  c->answer = byte(c) % 16 ? 0 : (int)(byte(c) % 3) - 1;
  rattle_state state = {.struct_size = byte(c) % 16 ? sizeof state : 5,
                        .q = c->z,
                        .p = c->z + PAIRS,
                        .t0 = number(c),
                        .h = length(c)};
  memcpy(before, c->z, sizeof before);
  const long long wanted = (long long)(byte(c) % 5) - 1;
  if (see(rattle_integrator_step(c->integrator, &state, wanted, &error), &error) &&
      state.step == 0 && memcmp(before, c->z, sizeof before) != 0)
    abort();
  see(rattle_integrator_output(c->integrator, &state, out, out + PAIRS, &error), &error);
  (void)rattle_integrator_time(c->integrator, &state);
  (void)rattle_integrator_counts(c->integrator);
  if (byte(c) % 4 == 0) see(rattle_integrator_record_impulses(c->integrator, &error), &error);
  if (byte(c) % 4 == 0) rattle_integrator_reset(c->integrator);
  c->answer = 0;
}

static void run(calls *c) {
  rattle_error error = {0};
  rattle_summary summary = {.struct_size = sizeof summary};
  const double until = number(c);
  if (!c->integrator) return;
  rattle_state state = {
      .struct_size = sizeof state, .q = c->z, .p = c->z + PAIRS, .t0 = 0, .h = length(c)};
  const rattle_run_options how = {.struct_size = sizeof how,
                                  .steps = (long long)(byte(c) % 16) - 2,
                                  .every = (long long)(byte(c) % 5) - 1,
                                  .initial_energy = number(c),
                                  .until = byte(c) % 2 ? &until : NULL};
  see(rattle_run(c->integrator, &state, &how, NULL, 0, byte(c) % 4 ? &summary : NULL, &error),
      &error);
}

static void point(calls *c) {
  rattle_error error = {0};
  double H, a[8], b[8], q[NZ];
  const rattle_problem *p = c->problem;
  const double *z = c->z;
  memcpy(q, c->z, sizeof q);
  switch (byte(c) % 9) {
  case 0:
    see(rattle_problem_energy(p, z, z + PAIRS, &H, &error), &error);
    break;
  case 1:
    see(rattle_problem_residuals(p, z, z + PAIRS, byte(c) % 2 ? a : NULL, b, &error), &error);
    break;
  case 2:
    see(rattle_problem_multipliers(p, z, z + PAIRS, a, &error), &error);
    break;
  case 3:
    see(rattle_problem_observe(p, z, z + PAIRS, a, &error), &error);
    break;
  case 4:
    see(rattle_problem_nondegeneracy(p, z, z + PAIRS, a, b, &error), &error);
    break;
  case 5:
    see(rattle_problem_start(p, byte(c) % 2, c->z, c->z + PAIRS, byte(c) % 2 ? a : NULL, &error),
        &error);
    break;
  case 6:
    see(rattle_doctor_step(p, z, z + PAIRS, a, &error), &error);
    break;
  default:
    if (!c->slider && see(rattle_slider_create(&c->slider, p, &error), &error)) break;
    if (byte(c) % 2 ? see(rattle_slider_place(c->slider, c->z, c->z + PAIRS, &error), &error)
                    : see(rattle_slider_momenta(c->slider, c->z, c->z + PAIRS, &error), &error))
      if (memcmp(q, c->z, sizeof q) != 0) abort();
  }
}

static void words(calls *c) {
  char room[300];
  rattle_error error = {0};
  const size_t size = byte(c) % 2 ? sizeof room : byte(c) % 5 + 1;
  rattle_method_destroy(&c->method);
  if (see(rattle_method_parse(&c->method, method(c), &error), &error)) return;
  if (strlen(rattle_method_explain(c->method, room, size)) >= size ||
      strlen(rattle_method_formula(c->method, room, size)) >= size)
    abort();
  rattle_method_compensate(c->method);
  if (c->problem) see(rattle_method_resolve(c->method, c->problem, &error), &error);
  (void)rattle_status_name((rattle_status)(byte(c) - 4)),
      (void)rattle_status_remedy((rattle_status)byte(c));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  calls c = {.data = data, .size = size < 400 ? size : 400, .z = {1}};
  while (c.size) {
    const unsigned what = byte(&c) % 12;
    if (what == 0) from_callbacks(&c);
    if (what == 1 || what == 2) change_model(&c);
    if (what == 3) from_model(&c);
    if (what == 4) words(&c);
    if (what == 5) c.z[byte(&c) % NZ] = number(&c);
    if (what == 6 && byte(&c) % 8 == 0) drop_problem(&c);
    if (what < 7 || !c.problem || rattle_problem_n(c.problem) != PAIRS ||
        rattle_problem_m(c.problem) > 8)
      continue;
    if (what < 9) steps(&c);
    if (what == 9) run(&c);
    if (what > 9) point(&c);
  }
  drop_problem(&c);
  rattle_method_destroy(&c.method);
  rattle_model_destroy(&c.model);
  return 0;
}
