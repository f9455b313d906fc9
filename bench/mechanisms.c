/* librattle among the engines that bench/mechanisms_peers compares: runs of one mechanism.
 *
 *     bench_mechanisms MODEL.lua [block]     block: without a compiler
 *
 * Each line of standard input, "COORDINATES:METHOD STEPS SECONDS CHUNKS", is a run from the start
 * with so many steps a second; COORDINATES is bodies or joints. Its answer is a line of JSON: CPU
 * time of the thread for each chunk in ns, H at the start and after each chunk, the quantities x, y
 * and z of the model at the end, the largest residual of a constraint at the ends of chunks; or why
 * and when it failed. */
#include "bench.h"

enum { MOST_CHUNKS = 10000, MOST_METHODS = 32, NAME = 100, VALUES = 3 };

typedef struct coordinates {
  rattle_model *model;
  rattle_problem *problem;
  int n, m;
  double *work; /* the start z0, z, the output of z, [2n] each; g, psi [m] */
} coordinates;
typedef struct method {
  char name[NAME];
  coordinates *in;
  rattle_integrator *integrator;
} method;

static const char *path;
static int evaluator = RATTLE_EVALUATOR_NATIVE, methods;
static coordinates of[2]; /* bodies, joints */
static method made[MOST_METHODS];

static void open_coordinates(int joints) {
  coordinates *c = &of[joints];
  if (c->model) return;
  const rattle_parameter given = {"joints", joints};
  const rattle_model_options options = {.parameters = &given, .parameter_count = 1};
  rattle_problem_options how = {0};
  rattle_error error;
  how.evaluator = evaluator;
  bench_check(rattle_model_load(&c->model, path, &options, &error), &error);
  bench_check(rattle_problem_create(&c->problem, c->model, &how, &error), &error);
  c->n = rattle_problem_n(c->problem);
  c->m = rattle_problem_m(c->problem);
  c->work = malloc((6 * (size_t)c->n + 2 * (size_t)c->m) * sizeof *c->work);
  if (!c->work) exit(1);
  bench_check(rattle_problem_start(c->problem, 1, c->work, c->work + c->n, NULL, &error), &error);
}

/* The method of a name, made at first need; NULL: the problem refuses it. */
static method *find(const char *name, rattle_error *error) {
  for (int i = 0; i < methods; i++)
    if (!strcmp(made[i].name, name)) return &made[i];
  const int joints = !strncmp(name, "joints:", 7);
  if ((!joints && strncmp(name, "bodies:", 7)) || methods == MOST_METHODS) {
    snprintf(error->message, sizeof error->message, "write bodies:METHOD or joints:METHOD");
    return NULL;
  }
  open_coordinates(joints);
  method *m = &made[methods];
  m->in = &of[joints];
  snprintf(m->name, sizeof m->name, "%s", name);
  if (rattle_integrator_create(&m->integrator, m->in->problem, name + 7, error)) return NULL;
  methods++;
  return m;
}

typedef struct run {
  double ns[MOST_CHUNKS], energy[MOST_CHUNKS + 1], tip[VALUES], open;
} run;

static void sample(const method *m, const rattle_state *state, int chunk, run *out) {
  const coordinates *c = m->in;
  double *q = c->work + 4 * c->n, *p = q + c->n, *g = c->work + 6 * c->n, *psi = g + c->m;
  rattle_error error;
  bench_check(rattle_integrator_output(m->integrator, state, q, p, &error), &error);
  bench_check(rattle_problem_energy(c->problem, q, p, &out->energy[chunk], &error), &error);
  bench_check(rattle_problem_residuals(c->problem, q, p, g, psi, &error), &error);
  for (int i = 0; i < c->m; i++) out->open = fmax(out->open, fabs(g[i]));
}

/* The quantities x, y and z of the last sample. */
static void read_tip(const method *m, run *out) {
  const coordinates *c = m->in;
  const int count = rattle_model_observables(c->model);
  double *all = malloc((size_t)count * sizeof *all);
  rattle_error error;
  if (!all) exit(1);
  bench_check(
      rattle_problem_observe(c->problem, c->work + 4 * c->n, c->work + 5 * c->n, all, &error),
      &error);
  for (int i = 0; i < count; i++)
    for (int k = 0; k < VALUES; k++)
      if (!strcmp(rattle_model_observable_name(c->model, i), (const char[]){(char)('x' + k), 0}))
        out->tip[k] = all[i];
  free(all);
}

/* A line of JSON, in which a message has no quotes and no ends of lines. */
static void print_failure(const char *message, double at) {
  printf("{\"failed\": \"");
  for (; *message; message++)
    putchar(*message == '"' || *message == '\\' ? '\'' : *message == '\n' ? ' ' : *message);
  printf("\", \"at\": %.9g}\n", at);
}

static void print_list(const char *name, const double *values, int count) {
  printf("\"%s\": [", name);
  for (int i = 0; i < count; i++) printf(i ? ", %.17g" : "%.17g", values[i]);
  printf("], ");
}

static void advance(const char *name, double rate, double seconds, int chunks) {
  static run out;
  rattle_error error = {0};
  const method *m = find(name, &error);
  if (!m) {
    print_failure(error.message, 0);
    return;
  }
  const coordinates *c = m->in;
  const long long steps = llround(rate * seconds);
  double *z = c->work + 2 * c->n;
  memcpy(z, c->work, 2 * (size_t)c->n * sizeof *z);
  rattle_state state = {.q = z, .p = z + c->n, .h = 1 / rate};
  rattle_integrator_reset(m->integrator);
  out.open = 0;
  sample(m, &state, 0, &out);
  for (int k = 1; k <= chunks; k++) {
    const long long before = steps * (k - 1) / chunks, after = steps * k / chunks;
    const double begin = bench_now();
    const rattle_status status =
        rattle_integrator_step(m->integrator, &state, after - before, &error);
    out.ns[k - 1] = bench_now() - begin;
    if (status) {
      print_failure(error.message, (double)after / rate);
      return;
    }
    sample(m, &state, k, &out);
  }
  read_tip(m, &out);
  printf("{");
  print_list("ns", out.ns, chunks);
  print_list("energy", out.energy, chunks + 1);
  print_list("tip", out.tip, VALUES);
  printf("\"open\": %.3g, \"steps\": %lld}\n", out.open, steps);
}

int main(int count, char **words) {
  char line[256], name[NAME];
  double rate, seconds;
  int chunks;
  if (count < 2 || count > 3 || (count == 3 && strcmp(words[2], "block"))) {
    fprintf(stderr, "usage: bench_mechanisms MODEL.lua [block]\n");
    return 2;
  }
  path = words[1];
  if (count == 3) evaluator = RATTLE_EVALUATOR_BLOCK;
  while (fgets(line, sizeof line, stdin)) {
    if (sscanf(line, "%99s %lf %lf %d", name, &rate, &seconds, &chunks) != 4 || !(rate > 0) ||
        !(seconds > 0) || chunks < 1 || chunks > MOST_CHUNKS) {
      print_failure("a line is COORDINATES:METHOD STEPS SECONDS CHUNKS, with 1 to 10000 chunks", 0);
    } else {
      advance(name, rate, seconds, chunks);
    }
    fflush(stdout);
  }
  for (int i = 0; i < methods; i++) rattle_integrator_destroy(&made[i].integrator);
  for (int i = 0; i < 2; i++) {
    rattle_problem_destroy(&of[i].problem);
    rattle_model_destroy(&of[i].model);
    free(of[i].work);
  }
  return 0;
}
