/* Each allocation fails once: the request is served all the same, with the same result, or it is
 * RATTLE_NO_MEMORY, nothing is lost and nothing half done is left behind. */
#include <dirent.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "failing.h"
#include "ground/linear/linear.h"
#include "rattle/rattle.h"
#include "ground/support/error.h"

enum { MOST_2N = 20 };

/* Results of a task, so that two runs of it can be compared. */
typedef struct digest {
  uint64_t sum;
} digest;

static void add(digest *d, const void *data, size_t size) {
  for (size_t i = 0; i < size; i++)
    d->sum = (d->sum ^ ((const unsigned char *)data)[i]) * 0x100000001b3u;
}

static void add_text(digest *d, const char *text) {
  if (text) add(d, text, strlen(text) + 1);
}

static const char rod_text[] = "title 'rod'\n"
                               "local l = parameter('l', 1)\n"
                               "local x, px = pair('x') local y, py = pair('y')\n"
                               "mass { x = 1, y = 1 }\n"
                               "potential(y + 0.1*sin(x)*y^2)\n"
                               "constrain('rod', x^2 + y^2 - l^2)\n"
                               "observe('angle', atan2(x, -y))\n"
                               "start { x = 1 } velocity { y = -0.1 }\n"
                               "tableau('gauss', { A = {{1/2}}, b = {1}, order = 2 })\n"
                               "splitting('leap', { c = {1/2, 1/2}, d = {1}, order = 2 })\n"
                               "metadata { author = 'nobody' }\n"
                               "integrate { method = 'rattle(verlet)', step = 0.1, stop = 1 }\n";
/* neither natural nor holonomic */
static const char harmonic_text[] =
    "local x, px = pair('x') local y, py = pair('y')\n"
    "hamiltonian(((1 + x^2)*px^2 + py^2)/2 + y^2)\n"
    "constrain('circle', x^2 + px^2 + y^2 + py^2 - 1)\n"
    "start { x = 0.3, y = 0.6, px = 0.5, py = math.sqrt(1 - 0.09 - 0.36 - 0.25) }\n";

typedef rattle_status (*task)(digest *d, rattle_error *error);

/* One model and what is computed at its start. */
typedef struct opened {
  rattle_model *model;
  rattle_problem *problem;
  double z[MOST_2N];
  int n;
} opened;

static rattle_status open_text(opened *o, const char *text, rattle_error *error) {
  const rattle_problem_options block = {.struct_size = sizeof block,
                                        .evaluator = RATTLE_EVALUATOR_BLOCK};
  *o = (opened){0};
  rattle_status status = rattle_model_parse(&o->model, text, "text", NULL, error);
  if (!status) status = rattle_problem_create(&o->problem, o->model, &block, error);
  if (status) return status;
  o->n = rattle_problem_n(o->problem);
  return rattle_problem_start(o->problem, 1, o->z, o->z + o->n, NULL, error);
}

static rattle_status closed(opened *o, rattle_status status) {
  rattle_problem_destroy(&o->problem);
  rattle_model_destroy(&o->model);
  return status;
}

/* Some steps with a method; a failure leaves the state as it was. */
static rattle_status steps(digest *d, const rattle_problem *problem, const double *start,
                           const char *method, rattle_error *error) {
  const int n = rattle_problem_n(problem);
  double z[MOST_2N], extra[64];
  rattle_integrator *integrator;
  rattle_status status = rattle_integrator_create(&integrator, problem, method, error);
  if (status) return status;
  memcpy(z, start, sizeof z);
  rattle_state state = {.struct_size = sizeof state, .q = z, .p = z + n, .h = 0.1};
  for (int k = 0; k < 3 && !status; k++) {
    double before[MOST_2N];
    memcpy(before, z, sizeof z);
    status = rattle_integrator_step(integrator, &state, 1, error);
    if (status) assert_memory_equal(z, before, sizeof z);
  }
  if (rattle_integrator_extra(integrator) <= 64) rattle_integrator_get_extra(integrator, extra);
  add(d, z, sizeof z);
  rattle_integrator_destroy(&integrator);
  return status;
}

static rattle_status points(digest *d, const opened *o, rattle_error *error) {
  double values[6] = {0}, z[MOST_2N];
  const double *q = o->z, *p = o->z + o->n;
  rattle_slider *slider = NULL;
  int constraint = 0;
  rattle_status status = rattle_problem_energy(o->problem, q, p, values, error);
  if (!status) status = rattle_problem_residuals(o->problem, q, p, values + 1, values + 2, error);
  if (!status) status = rattle_problem_multipliers(o->problem, q, p, values + 3, error);
  if (!status)
    status = rattle_problem_nondegeneracy(o->problem, q, p, values + 4, values + 5, error);
  if (!status) status = rattle_problem_not_integrable(o->problem, q, p, &constraint, error);
  if (!status) status = rattle_slider_create(&slider, o->problem, error);
  memcpy(z, o->z, sizeof z);
  z[0] += 0.01, z[1] -= 0.02, z[2] += 0.03;
  if (!status) status = rattle_slider_place(slider, z, z + o->n, error);
  if (!status) status = rattle_slider_momenta(slider, z, z + o->n, error);
  rattle_slider_destroy(&slider);
  add(d, values, sizeof values), add(d, z, sizeof z), add(d, &constraint, sizeof constraint);
  return status;
}

static rattle_status a_model(digest *d, rattle_error *error) {
  opened o;
  double observed = 0;
  rattle_status status = open_text(&o, rod_text, error);
  if (!status) status = points(d, &o, error);
  if (!status) status = rattle_problem_observe(o.problem, o.z, o.z + o.n, &observed, error);
  add(d, &observed, sizeof observed);
  static const char *const methods[] = {"rattle(verlet)",
                                        "suzuki4(rattle(verlet))",
                                        "shake(runge_kutta(gauss))",
                                        "rattle(splitting(leap))",
                                        "rattle(verlet, solver=sparse)",
                                        "adaptive(rattle(verlet))",
                                        "spark(2)",
                                        "shake_two_step",
                                        "project(rk4(dirac), momentum, tol=1e-6)",
                                        "rattle(verlet, compensated)"};
  for (size_t i = 0; i < sizeof methods / sizeof *methods && !status; i++)
    status = steps(d, o.problem, o.z, methods[i], error);
  return closed(&o, status);
}

static rattle_status a_general_model(digest *d, rattle_error *error) {
  opened o;
  rattle_status status = open_text(&o, harmonic_text, error);
  if (!status) status = points(d, &o, error);
  static const char *const methods[] = {"rattle(midpoint)", "rattle(midpoint, solver=sparse)"};
  for (size_t i = 0; i < sizeof methods / sizeof *methods && !status; i++)
    status = steps(d, o.problem, o.z, methods[i], error);
  return closed(&o, status);
}

/* Factors of a matrix whose pivots must be chosen afresh, and a solution. The systems take memory
 * for that, and when they are made alone. */
static rattle_status a_system(digest *d, int symmetric, rattle__backend backend,
                              const double *value, rattle_error *error) {
  static const int ptr[] = {0, 4, 8, 12, 16},
                   col[] = {0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3};
  double x[4] = {1, 2, 3, 4};
  rattle__linear *a;
  rattle_status status = rattle__linear_create(&a, 4, ptr, col, symmetric, backend, error);
  if (status) return status;
  memcpy(a->value, value, 16 * sizeof *value);
  status = a->factor(a);
  if (status) rattle__fail(error, status, NULL, "not factored");
  if (!status) a->solve(a, x);
  if (!status) add(d, x, sizeof x);
  rattle__linear_destroy(&a);
  return status;
}

static rattle_status systems(digest *d, rattle_error *error) {
  /* zeros on the diagonal; regular when scaled alone */
  static const double saddle[] = {0, 1, 0, 2, 1, 0, 3, 0, 0, 3, 0, 1, 2, 0, 1, 0};
  static const double scaled[] = {1e-200, 1e-180, 0,     2e-190, 1e180,  1e-170, 3e200,  0,
                                  0,      3e-200, 1e190, 1e150,  2e-150, 0,      1e-180, 1};
  rattle_status status = a_system(d, 0, RATTLE__LINEAR_KLU, saddle, error);
  if (!status) status = a_system(d, 1, RATTLE__LINEAR_LDL, saddle, error);
  if (!status) status = a_system(d, 0, RATTLE__LINEAR_KLU, scaled, error);
  return status;
}

static rattle_status a_method(digest *d, rattle_error *error) {
  char text[4096];
  rattle_method *method;
  rattle_status status =
      rattle_method_parse(&method, "suzuki4(rattle(verlet, solver=newton, tol=1e-9))", error);
  if (status) return status;
  add_text(d, rattle_method_text(method));
  /* these two have no way to say that there is no memory; they are shorter then */
  assert_true(strlen(rattle_method_explain(method, text, sizeof text)) < sizeof text);
  assert_true(strlen(rattle_method_formula(method, text, sizeof text)) < sizeof text);
  rattle_method_destroy(&method);
  return RATTLE_OK;
}

/* A pendulum. */
static int hamiltonian(void *context, const double *z, double *H, double *gradient) {
  (void)context;
  *H = (z[2] * z[2] + z[3] * z[3]) / 2 + z[1];
  gradient[0] = 0, gradient[1] = 1, gradient[2] = z[2], gradient[3] = z[3];
  return 0;
}

static int constraint(void *context, const double *z, double *g, double *jacobian) {
  (void)context;
  *g = z[0] * z[0] + z[1] * z[1] - 1;
  jacobian[0] = 2 * z[0], jacobian[1] = 2 * z[1], jacobian[2] = jacobian[3] = 0;
  return 0;
}

static void add_diagnosis(digest *d, const rattle_diagnosis *found) {
  add_text(d, found->class_), add_text(d, found->kind), add_text(d, found->note),
      add_text(d, found->fibre);
  add_text(d, found->advice_method), add_text(d, found->refused);
  for (int i = 0; i < found->valid_methods; i++) add_text(d, found->valid_method[i]);
  for (int i = 0; i < found->symmetries; i++) add_text(d, found->symmetry[i]);
  for (int i = 0; i < found->refusals; i++) add_text(d, found->refusal[i].reason);
  /* not their expressions, which are cut where there is no memory to print them */
  for (int i = 0; i < found->generations; i++)
    for (int k = 0; k < found->generation[i].count; k++) add_text(d, found->generation[i].name[k]);
  add(d, &found->condition, sizeof found->condition),
      add(d, &found->worst_condition, sizeof found->worst_condition);
  add(d, &found->frequency, sizeof found->frequency), add(d, &found->points, sizeof found->points);
}

static rattle_status callbacks(digest *d, rattle_error *error) {
  const double inverse_mass[2] = {1, 1}, z[MOST_2N] = {1};
  const rattle_callbacks given = {.struct_size = sizeof given,
                                  .n = 2,
                                  .m = 1,
                                  .flags = RATTLE_NATURAL | RATTLE_HOLONOMIC,
                                  .inverse_mass = inverse_mass,
                                  .hamiltonian = hamiltonian,
                                  .constraint = constraint};
  const rattle_doctor_options how = {.struct_size = sizeof how, .samples = 1, .q = z, .p = z + 2};
  rattle_problem *problem;
  rattle_doctor *doctor = NULL;
  rattle_status status = rattle_problem_create_callbacks(&problem, &given, error);
  if (!status) status = steps(d, problem, z, "rattle(verlet)", error);
  if (!status) status = steps(d, problem, z, "rattle(midpoint, solver=sparse)", error);
  if (!status) status = rattle_doctor_create(&doctor, NULL, problem, &how, error);
  if (!status) add_diagnosis(d, rattle_doctor_diagnosis(doctor));
  rattle_doctor_destroy(&doctor);
  rattle_problem_destroy(&problem);
  return status;
}

static rattle_status a_diagnosis(digest *d, const char *text, rattle_error *error) {
  const rattle_doctor_options how = {.struct_size = sizeof how, .samples = 1};
  rattle_model *model;
  rattle_doctor *doctor = NULL;
  rattle_status status = rattle_model_parse(&model, text, "text", NULL, error);
  if (!status) status = rattle_doctor_create(&doctor, model, NULL, &how, error);
  if (!status) add_diagnosis(d, rattle_doctor_diagnosis(doctor));
  rattle_doctor_destroy(&doctor);
  rattle_model_destroy(&model);
  return status;
}

static rattle_status natural_diagnosis(digest *d, rattle_error *error) {
  return a_diagnosis(d, rod_text, error);
}

static rattle_status general_diagnosis(digest *d, rattle_error *error) {
  return a_diagnosis(d, harmonic_text, error);
}

/* --- files --- */

static char folder[64], record_path[96], csv_path[96], study_path[96];

static rattle_status run_to(rattle_integrator *integrator, double *z, int n,
                            rattle_observer *observer, long long first, rattle_error *error) {
  const rattle_run_options run = {
      .struct_size = sizeof run, .steps = 20, .every = 2, .initial_energy = NAN};
  rattle_state state = {.struct_size = sizeof state, .q = z, .p = z + n, .h = 0.1, .step = first};
  return rattle_run(integrator, &state, &run, &observer, 1, NULL, error);
}

static rattle_status write_record(const opened *o, rattle_integrator *integrator, double *z,
                                  rattle_error *error) {
  const rattle_record_options how = {.struct_size = sizeof how,
                                     .method = "rattle(verlet)",
                                     .step = 0.1,
                                     .stop = NAN,
                                     .steps = 20,
                                     .every = 2};
  rattle_record *record;
  rattle_status status = rattle_record_create(&record, record_path, o->problem, &how, error);
  if (status) return status;
  status = run_to(integrator, z, o->n, rattle_record_observer(record), 0, error);
  rattle_record_close(&record);
  return status;
}

static rattle_status resume_record(const opened *o, rattle_integrator *integrator, double *z,
                                   rattle_error *error) {
  rattle_record *record;
  long long step, samples;
  rattle_status status = rattle_record_recover(record_path, &samples, error);
  if (!status) status = rattle_record_append(&record, record_path, error);
  if (status) return status;
  status = rattle_record_state(record, z, z + o->n, NULL, 0, &step, error);
  if (!status) status = run_to(integrator, z, o->n, rattle_record_observer(record), step, error);
  rattle_record_close(&record);
  return status;
}

static rattle_status read_record(digest *d, rattle_error *error) {
  enum { SAMPLES = 21 };
  double time[SAMPLES] = {0}, q[SAMPLES][2] = {{0}}, column[SAMPLES] = {0};
  rattle_column which;
  rattle_record *record;
  rattle_status status = rattle_record_open(&record, record_path, error);
  if (status) return status;
  status = rattle_record_read(record, 0, SAMPLES, time, NULL, q[0], NULL, NULL, NULL, error);
  if (!status) status = rattle_record_refresh(record, error);
  if (!status) status = rattle_record_find_column(record, "lambda[rod]", &which, error);
  if (!status) status = rattle_record_read_column(record, which, 0, SAMPLES, column, error);
  add(d, time, sizeof time), add(d, q, sizeof q), add(d, column, sizeof column);
  add_text(d, rattle_record_info_of(record)->model_text);
  rattle_record_close(&record);
  return status;
}

static rattle_status a_record(digest *d, rattle_error *error) {
  opened o;
  rattle_integrator *integrator = NULL;
  rattle_status status = open_text(&o, rod_text, error);
  if (!status) status = rattle_integrator_create(&integrator, o.problem, "rattle(verlet)", error);
  if (!status) status = write_record(&o, integrator, o.z, error);
  if (!status) status = resume_record(&o, integrator, o.z, error);
  rattle_integrator_destroy(&integrator);
  status = closed(&o, status);
  return status ? status : read_record(d, error);
}

static rattle_status a_csv(digest *d, rattle_error *error) {
  opened o;
  rattle_integrator *integrator = NULL;
  rattle_csv *csv = NULL;
  rattle_status status = open_text(&o, rod_text, error);
  if (!status) status = rattle_integrator_create(&integrator, o.problem, "rattle(verlet)", error);
  if (!status) status = rattle_csv_create(&csv, csv_path, o.problem, 0, error);
  if (!status) status = run_to(integrator, o.z, o.n, rattle_csv_observer(csv), 0, error);
  rattle_csv_destroy(&csv);
  rattle_integrator_destroy(&integrator);
  add(d, o.z, sizeof o.z);
  return closed(&o, status);
}

static rattle_status a_trajectory(digest *d, rattle_error *error) {
  opened o;
  rattle_integrator *integrator = NULL;
  rattle_trajectory *trajectory = NULL;
  rattle_status status = open_text(&o, rod_text, error);
  if (!status) status = rattle_integrator_create(&integrator, o.problem, "rattle(verlet)", error);
  if (!status) status = rattle_trajectory_create(&trajectory, o.problem, error);
  if (!status)
    status = run_to(integrator, o.z, o.n, rattle_trajectory_observer(trajectory), 0, error);
  if (!status) {
    const rattle_samples *samples = rattle_trajectory_samples(trajectory);
    add(d, samples->q, (size_t)(samples->count * samples->n) * sizeof(double));
  }
  rattle_trajectory_destroy(&trajectory);
  rattle_integrator_destroy(&integrator);
  return closed(&o, status);
}

static rattle_status a_study(digest *d, rattle_error *error) {
  static const char *const methods[] = {"rattle(verlet)"};
  opened o;
  rattle_study *study = NULL, *again = NULL;
  rattle_status status = open_text(&o, rod_text, error);
  const rattle_study_options how = {.struct_size = sizeof how,
                                    .method = methods,
                                    .methods = 1,
                                    .q = o.z,
                                    .p = o.z + 2,
                                    .start = 0,
                                    .stop = 0.5,
                                    .effort = 1e-3,
                                    .threads = 1};
  if (!status) status = rattle_study_create(&study, o.problem, RATTLE_STUDY_ORDER, &how, error);
  if (!status) status = rattle_study_save(study, study_path, 0, error);
  if (!status) status = rattle_study_load(&again, study_path, error);
  if (!status) {
    const rattle_study_method *found = rattle_study_result_of(again)->method;
    add_text(d, found->verdict), add_text(d, found->message);
    add(d, &found->fits, sizeof found->fits), add(d, &found->status, sizeof found->status);
  }
  rattle_study_destroy(&study), rattle_study_destroy(&again);
  return closed(&o, status);
}

static rattle_status a_fit(digest *d, rattle_error *error) {
  static const char text[] = "local l = parameter('l', 1)\n"
                             "local x, px = pair('x') local y, py = pair('y')\n"
                             "mass { x = 1, y = 1 }\n"
                             "potential(y)\n"
                             "constrain('rod', x^2 + y^2 - l^2)\n"
                             "observe('angle', atan2(x, -y))\n"
                             "start { x = l*sin(0.5), y = -l*cos(0.5) }\n"
                             "integrate { method = 'rattle(verlet)', step = 0.1, stop = 1 }\n";
  static const double time[] = {0.2, 0.35, 0.5}, value[] = {0.47, 0.48, 0.42, 0.46, 0.36, 0.42};
  static const char *const column[] = {"x", "angle"}, *const start[] = {"px", "py"};
  static const rattle_fit_parameter vary[] = {{"l", 0.5, 2}};
  const rattle_fit_data data = {.struct_size = sizeof data,
                                .name = "data",
                                .count = 3,
                                .columns = 2,
                                .time = time,
                                .column = column,
                                .value = value};
  const rattle_fit_options how = {.struct_size = sizeof how,
                                  .vary = vary,
                                  .vary_count = 1,
                                  .vary_start = start,
                                  .vary_start_count = 2,
                                  .most_steps = 1};
  opened o;
  rattle_fit *fit = NULL;
  rattle_status status = open_text(&o, text, error);
  if (!status) status = rattle_fit_create(&fit, o.problem, &data, 1, &how, error);
  if (status) assert_null(fit);
  if (!status) {
    const rattle_fit_result *found = rattle_fit_result_of(fit);
    const size_t size = (size_t)found->quantities * sizeof(double);
    add(d, found->value, size), add(d, found->error, size);
  }
  rattle_fit_destroy(&fit);
  return closed(&o, status);
}

static int damp(void *self, int controller, double time, const double *q, const double *p,
                const double *observed, double *values) {
  (void)self, (void)time, (void)q, (void)observed;
  values[0] = -p[0];
  return controller != 1;
}

/* One controller with multipliers in its sample, one whose samples the caller makes. */
static rattle_status controllers(digest *d, rattle_error *error) {
  static const char text[] =
      "local x, px = pair('x') local y, py = pair('y')\n"
      "mass { x = 1, y = 1 }\n"
      "constrain('rod', x^2 + y^2 - 1)\n"
      "local c = controller { every = 0.2, outputs = { u = 0 }, sample = function(s)\n"
      "return { u = s.u/2 + lambda('rod') } end }\n"
      "local o = controller { every = 0.1, outputs = { v = 0 } }\n"
      "potential(y + c.u*x/10)\n"
      "force { x = o.v }\n"
      "start { x = 1 }\n";
  const rattle_control control = {.struct_size = sizeof control, .sample = damp};
  opened o;
  rattle_integrator *integrator = NULL;
  rattle_status status = open_text(&o, text, error);
  if (!status) status = rattle_integrator_create(&integrator, o.problem, "rattle(midpoint)", error);
  if (!status) status = rattle_integrator_set_control(integrator, &control, error);
  rattle_state state = {.struct_size = sizeof state, .q = o.z, .p = o.z + o.n, .h = 0.1};
  for (int k = 0; k < 3 && !status; k++) {
    double before[MOST_2N];
    memcpy(before, o.z, sizeof before);
    status = rattle_integrator_step(integrator, &state, 1, error);
    if (status && k) assert_memory_equal(o.z, before, sizeof before);
  }
  add(d, o.z, sizeof o.z);
  rattle_integrator_destroy(&integrator);
  return closed(&o, status);
}

/* A one-sided constraint that bounces and friction that sticks, in one step. */
static rattle_status switches(digest *d, rattle_error *error) {
  static const char text[] =
      "local x, px = pair('x') local y, py = pair('y')\n"
      "mass { x = 1, y = 1 }\n"
      "potential(10*y)\n"
      "start { y = 0.04, px = 0.12 }\n"
      "constrain('floor', y)\n"
      "one_sided { constraint = 'floor', restitution = 0.5 }\n"
      "constrain('slide', x)\n"
      "local s = switch { constraint = 'slide', hold = true, begins = px, either = true,\n"
      "ends = lambda('slide')^2 - 4 }\n"
      "force { x = -(1 - s.on)*2*s.side }\n";
  opened o;
  rattle_integrator *integrator = NULL;
  rattle_status status = open_text(&o, text, error);
  if (!status) status = rattle_integrator_create(&integrator, o.problem, "rattle(midpoint)", error);
  rattle_state state = {.struct_size = sizeof state, .q = o.z, .p = o.z + o.n, .h = 0.1};
  for (int k = 0; k < 2 && !status; k++) {
    double before[MOST_2N];
    memcpy(before, o.z, sizeof before);
    status = rattle_integrator_step(integrator, &state, 1, error);
    if (status) assert_memory_equal(o.z, before, sizeof before);
  }
  add(d, o.z, sizeof o.z);
  rattle_integrator_destroy(&integrator);
  return closed(&o, status);
}

/* --- the loop --- */

/* Removes what the task has made; anything else that is left is a temporary file that was
 * forgotten. */
static int forgotten(void) {
  int found = 0;
  unlink(record_path), unlink(csv_path), unlink(study_path);
  DIR *open = opendir(folder);
  for (struct dirent *entry; open && (entry = readdir(open));)
    if (entry->d_name[0] != '.' || entry->d_name[1]) found += strcmp(entry->d_name, "..") != 0;
  if (open) closedir(open);
  return found;
}

static int complaints;

/* All of them, not the first alone. */
/* A chain whose masses change twice in its warm-up, to its end. */
static rattle_status a_chain(digest *d, rattle_error *error) {
  const rattle_chain_options how = {.struct_size = sizeof how,
                                    .method = "hmc(rattle(verlet), metric=diagonal)",
                                    .step = 0.2,
                                    .seed = 1,
                                    .warmup = 16};
  opened o;
  rattle_chain *chain = NULL;
  rattle_status status = open_text(&o, rod_text, error);
  if (!status) status = rattle_chain_create(&chain, o.problem, &how, error);
  if (!status) status = rattle_chain_advance(chain, 20, error);
  if (!status) {
    const double *q, *p;
    double state[64];
    rattle_chain_point(chain, &q, &p);
    add(d, q, 2 * sizeof *q);
    add(d, p, 2 * sizeof *p);
    rattle_chain_get_state(chain, state);
    add(d, state, (size_t)rattle_chain_state_size(chain) * sizeof *state);
  }
  rattle_chain_destroy(&chain);
  return closed(&o, status);
}

static void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void complain(const char *format, ...) {
  char text[1500];
  va_list rest;
  va_start(rest, format);
  vsnprintf(text, sizeof text, format, rest);
  va_end(rest);
  if (++complaints <= 20) print_error("%s\n", text);
}

/* A record that is there after a failure is one that can be read. */
static void check_record(const char *name, long long k) {
  rattle_error error = {0};
  rattle_record *record;
  if (access(record_path, F_OK)) return;
  if (rattle_record_open(&record, record_path, &error))
    complain("%s, allocation %lld: %s", name, k, error.message);
  rattle_record_close(&record);
}

/* At most about `most` of the task's allocations, spread evenly. */
static void fail_each(const char *name, task run, long long most) {
  rattle_error error = {0};
  digest whole = {0};
  failing_begin(0, 0);
  if (run(&whole, &error)) fail_msg("%s: %s", name, error.message);
  const long long count = failing_end(), stride = count / most + 1;
  assert_int_equal(forgotten(), 0);
  long long done = 0, spared = 0;
  complaints = 0;
  for (long long k = 1; k <= count; k += stride)
    for (int all = 0; all < 2; all++) {
      digest found = {0};
      const long long live = failing_live();
      memset(&error, 0, sizeof error);
      failing_begin(k, all);
      const rattle_status status = run(&found, &error);
      failing_end();
      if (status && status != RATTLE_NO_MEMORY)
        complain("%s, allocation %lld: %s: %s", name, k, rattle_status_name(status), error.message);
      if (status && (error.status != status || !error.message[0]))
        complain("%s, allocation %lld: no sentence", name, k);
      if (!status && found.sum != whole.sum)
        complain("%s, allocation %lld: another result, and no failure", name, k);
      if (failing_live() != live)
        complain("%s, allocation %lld: %lld blocks are lost", name, k, failing_live() - live);
      check_record(name, k);
      if (forgotten()) complain("%s, allocation %lld: a temporary file is left", name, k);
      done++, spared += !status;
    }
  print_message("%s: %lld of %lld allocations failed, alone and with all after them; %lld of %lld "
                "runs did without\n",
                name, (count - 1) / stride + 1, count, spared, done);
  if (complaints) fail_msg("%s: %d complaints", name, complaints);
}

#define TASK(name, most)                                                                           \
  static void test_##name(void **state) {                                                          \
    (void)state;                                                                                   \
    fail_each(#name, name, most);                                                                  \
  }
TASK(a_method, 500)
TASK(a_model, 400)
TASK(a_general_model, 300)
TASK(systems, 300)
TASK(callbacks, 300)
TASK(natural_diagnosis, 200)
TASK(general_diagnosis, 200)
TASK(a_record, 150)
TASK(a_csv, 100)
TASK(a_trajectory, 100)
TASK(a_study, 80)
TASK(a_fit, 500)
TASK(controllers, 150)
TASK(switches, 150)
TASK(a_chain, 300)

static int begin(void **state) {
  (void)state;
  strcpy(folder, "/tmp/rattle-test-XXXXXX");
  if (!mkdtemp(folder)) return -1;
  snprintf(record_path, sizeof record_path, "%s/record.h5", folder);
  snprintf(csv_path, sizeof csv_path, "%s/samples.csv", folder);
  snprintf(study_path, sizeof study_path, "%s/study.h5", folder);
  return 0;
}

static int end(void **state) {
  (void)state;
  return forgotten() || rmdir(folder);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_a_method),
                                     cmocka_unit_test(test_a_model),
                                     cmocka_unit_test(test_a_general_model),
                                     cmocka_unit_test(test_systems),
                                     cmocka_unit_test(test_callbacks),
                                     cmocka_unit_test(test_natural_diagnosis),
                                     cmocka_unit_test(test_general_diagnosis),
                                     cmocka_unit_test(test_a_record),
                                     cmocka_unit_test(test_a_csv),
                                     cmocka_unit_test(test_a_trajectory),
                                     cmocka_unit_test(test_a_study),
                                     cmocka_unit_test(test_a_fit),
                                     cmocka_unit_test(test_controllers),
                                     cmocka_unit_test(test_switches),
                                     cmocka_unit_test(test_a_chain)};
  return cmocka_run_group_tests(tests, begin, end);
}
