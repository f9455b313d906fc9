/* Trajectories as functions for JAX: a flow, which takes starts to samples, its derivative along
 * vectors, and the transpose of that; and handlers by which XLA calls them.
 *
 * XLA's interface for functions in C (jax.ffi, version 0): what of its structs is used here is
 * declared here, so that the module needs no header of jaxlib. Handlers run on threads of XLA,
 * several at a time and without the lock of Python: each call takes what steps from the flow and
 * puts it back. */
#include <stdint.h>
#include <stdlib.h>

/* to Python */
typedef struct rattle_python_stepper rattle_python_stepper;
/* Samples at 0, every, 2 every, .. steps: rows of them. */
typedef struct rattle_python_flow {
  const rattle_problem *problem;
  const char *method;
  int n;
  double start, step;
  long long every, rows;
  rattle_python_stepper *free[16]; /* not in use at the moment; NULL: none */
} rattle_python_flow;
/* Each of `batch` starts q, p [n] to rows Q, P [rows*n]. Starts are moved onto the constraints. */
static rattle_status rattle_python_flow_run(rattle_python_flow *flow, long long batch,
                                            const double *const *in, double *const *out,
                                            rattle_error *error);
/* in: q, p, dq, dp; out: the derivatives of Q, P along the tangent part of (dq, dp) */
static rattle_status rattle_python_flow_push(rattle_python_flow *flow, long long batch,
                                             const double *const *in, double *const *out,
                                             rattle_error *error);
/* The transpose. in: q, p, and numbers by Q, P [rows*n]; out: by q, p */
static rattle_status rattle_python_flow_pull(rattle_python_flow *flow, long long batch,
                                             const double *const *in, double *const *out,
                                             rattle_error *error);
static void rattle_python_flow_end(rattle_python_flow *flow);
static void *rattle_python_xla_handler(int which); /* 0: run, 1: push, 2: pull */
/* end */

/* What one thread steps with, made when it is first needed. */
struct rattle_python_stepper {
  rattle_integrator *integrator;
  rattle_tangent *tangent;
  rattle_slider *slider;
};

static void drop_stepper(rattle_python_stepper *s) {
  if (!s) return;
  rattle_integrator_destroy(&s->integrator);
  rattle_tangent_destroy(&s->tangent);
  rattle_slider_destroy(&s->slider);
  free(s);
}

static rattle_python_stepper *take_stepper(rattle_python_flow *flow) {
  for (int i = 0; i < 16; i++) {
    rattle_python_stepper *s = __atomic_exchange_n(&flow->free[i], NULL, __ATOMIC_ACQ_REL);
    if (s) return s;
  }
  return calloc(1, sizeof(rattle_python_stepper));
}

static void put_stepper(rattle_python_flow *flow, rattle_python_stepper *s) {
  for (int i = 0; i < 16 && s; i++) {
    rattle_python_stepper *none = NULL;
    if (__atomic_compare_exchange_n(&flow->free[i], &none, s, 0, __ATOMIC_ACQ_REL,
                                    __ATOMIC_RELAXED))
      s = NULL;
  }
  drop_stepper(s);
}

static void rattle_python_flow_end(rattle_python_flow *flow) {
  for (int i = 0; i < 16; i++)
    drop_stepper(__atomic_exchange_n(&flow->free[i], NULL, __ATOMIC_ACQ_REL));
}

/* A point, and what steps it. */
typedef struct journey {
  rattle_python_flow *flow;
  rattle_python_stepper *stepper;
  double *z, *w; /* [2n] */
  rattle_state state;
  const double *by_q, *by_p; /* of `pull`, [rows*n] */
  rattle_error *error;
} journey;

static rattle_status begin_journey(journey *j, rattle_python_flow *flow, int differentiates,
                                   rattle_error *error) {
  const size_t n = (size_t)flow->n;
  rattle_status status = RATTLE_OK;
  *j = (journey){.flow = flow, .stepper = take_stepper(flow), .error = error};
  j->z = calloc(4 * n, sizeof *j->z);
  if (!j->z || !j->stepper) {
    if (error) *error = (rattle_error){.status = RATTLE_NO_MEMORY, .message = "out of memory"};
    return RATTLE_NO_MEMORY;
  }
  j->w = j->z + 2 * n;
  rattle_python_stepper *s = j->stepper;
  if (!s->slider && rattle_problem_m(flow->problem))
    status = rattle_slider_create(&s->slider, flow->problem, error);
  if (!status && differentiates && !s->tangent)
    status = rattle_tangent_create(&s->tangent, flow->problem, flow->method, error);
  if (!status && !differentiates && !s->integrator)
    status = rattle_integrator_create(&s->integrator, flow->problem, flow->method, error);
  return status;
}

static void end_journey(journey *j) {
  put_stepper(j->flow, j->stepper);
  free(j->z);
}

/* To start number k. */
static rattle_status go_to_start(journey *j, long long k, const double *const *in) {
  const rattle_python_flow *flow = j->flow;
  const size_t n = (size_t)flow->n, at = (size_t)k * n, bytes = n * sizeof(double);
  double *q = j->z, *p = j->z + n;
  memcpy(q, in[0] + at, bytes), memcpy(p, in[1] + at, bytes);
  j->state = (rattle_state){
      .struct_size = sizeof j->state, .q = q, .p = p, .t0 = flow->start, .h = flow->step};
  if (!rattle_problem_m(flow->problem)) return RATTLE_OK;
  rattle_status status = rattle_slider_place(j->stepper->slider, q, p, j->error);
  return status ? status : rattle_slider_momenta(j->stepper->slider, q, p, j->error);
}

static void put_row(const journey *j, const double *z, long long k, long long row,
                    double *const *out) {
  const size_t n = (size_t)j->flow->n, at = ((size_t)k * (size_t)j->flow->rows + (size_t)row) * n;
  memcpy(out[0] + at, z, n * sizeof *z), memcpy(out[1] + at, z + n, n * sizeof *z);
}

static rattle_status rattle_python_flow_run(rattle_python_flow *flow, long long batch,
                                            const double *const *in, double *const *out,
                                            rattle_error *error) {
  journey j;
  rattle_status status = begin_journey(&j, flow, 0, error);
  for (long long k = 0; k < batch && !status; k++) {
    status = go_to_start(&j, k, in);
    for (long long row = 0; row < flow->rows && !status; row++) {
      if (row) status = rattle_integrator_step(j.stepper->integrator, &j.state, flow->every, error);
      if (!status) put_row(&j, j.z, k, row, out);
    }
  }
  end_journey(&j);
  return status;
}

static rattle_status rattle_python_flow_push(rattle_python_flow *flow, long long batch,
                                             const double *const *in, double *const *out,
                                             rattle_error *error) {
  journey j;
  const size_t n = (size_t)flow->n;
  rattle_status status = begin_journey(&j, flow, 1, error);
  for (long long k = 0; k < batch && !status; k++) {
    rattle_tangent *tangent = j.stepper->tangent;
    status = go_to_start(&j, k, in);
    memcpy(j.w, in[2] + (size_t)k * n, n * sizeof *j.w);
    memcpy(j.w + n, in[3] + (size_t)k * n, n * sizeof *j.w);
    if (!status) status = rattle_tangent_project(tangent, j.z, j.z + n, 1, j.w, error);
    for (long long row = 0; row < flow->rows && !status; row++) {
      if (row) status = rattle_tangent_step(tangent, &j.state, flow->every, 1, j.w, error);
      if (!status) put_row(&j, j.w, k, row, out);
    }
  }
  end_journey(&j);
  return status;
}

/* The objective of `pull`: the sum of all numbers times samples, but for the first. */
static int add_numbers(void *self, long long step, const double *q, const double *p, double *value,
                       double *gradient) {
  const journey *j = self;
  const size_t n = (size_t)j->flow->n, at = (size_t)(step / j->flow->every) * n;
  (void)q, (void)p, (void)value;
  for (size_t i = 0; i < n; i++) {
    gradient[i] += j->by_q[at + i];
    gradient[n + i] += j->by_p[at + i];
  }
  return 0;
}

static rattle_status rattle_python_flow_pull(rattle_python_flow *flow, long long batch,
                                             const double *const *in, double *const *out,
                                             rattle_error *error) {
  journey j;
  const size_t n = (size_t)flow->n, all = (size_t)flow->rows * n;
  const rattle_objective objective = {
      .struct_size = sizeof objective, .add = add_numbers, .self = &j, .every = flow->every};
  rattle_status status = begin_journey(&j, flow, 1, error);
  double *gradient = calloc(2 * n, sizeof *gradient), value = 0;
  for (long long k = 0; k < batch && !status && gradient; k++) {
    status = go_to_start(&j, k, in);
    j.by_q = in[2] + (size_t)k * all, j.by_p = in[3] + (size_t)k * all;
    memcpy(j.w, j.by_q, n * sizeof *j.w), memcpy(j.w + n, j.by_p, n * sizeof *j.w);
    memset(gradient, 0, 2 * n * sizeof *gradient);
    if (!status) status = rattle_tangent_project(j.stepper->tangent, j.z, j.z + n, 1, j.w, error);
    if (!status && flow->rows > 1)
      status = rattle_tangent_gradient(j.stepper->tangent, &j.state, flow->every * (flow->rows - 1),
                                       &objective, &value, gradient, error);
    for (size_t i = 0; i < n && !status; i++) {
      out[0][(size_t)k * n + i] = gradient[i] + j.w[i];
      out[1][(size_t)k * n + i] = gradient[n + i] + j.w[n + i];
    }
  }
  free(gradient);
  end_journey(&j);
  return status || gradient ? status : RATTLE_NO_MEMORY;
}

/* --- for XLA ---------------------------------------------------------------------------------- */

typedef struct xla_extension {
  size_t size;
  int type;
  struct xla_extension *next;
} xla_extension;
/* what a handler is asked before it is called: the version of the interface that it was made for */
typedef struct xla_about {
  size_t size, version_size;
  xla_extension *next;
  int major, minor;
  uint32_t traits;
} xla_about;
typedef struct xla_question {
  xla_extension base;
  xla_about *about;
} xla_question;
typedef struct xla_buffer {
  size_t size;
  xla_extension *next;
  int type;
  void *data;
  int64_t rank, *dims;
} xla_buffer;
typedef struct xla_list {
  size_t size;
  xla_extension *next;
  int64_t count;
  int *types;
  xla_buffer **buffer;
} xla_list;
typedef struct xla_name {
  const char *text;
  size_t length;
} xla_name;
typedef struct xla_scalar {
  int type;
  void *value;
} xla_scalar;
typedef struct xla_attributes {
  size_t size;
  xla_extension *next;
  int64_t count;
  int *types;
  xla_name **name;
  xla_scalar **value;
} xla_attributes;
typedef struct xla_failure {
  size_t size;
  xla_extension *next;
  const char *message;
  int code;
} xla_failure;
typedef struct xla_functions {
  size_t size;
  xla_extension *next;
  struct {
    size_t size;
    xla_extension *next;
    int major, minor;
  } version;
  const void *internal;
  void *(*fail)(xla_failure *failure);
} xla_functions;
typedef struct xla_call {
  size_t size;
  xla_extension *next;
  const xla_functions *functions;
  void *context;
  int stage;
  xla_list in, out;
  xla_attributes attributes;
} xla_call;
enum { XLA_QUESTION = 1, XLA_SCALAR = 3, XLA_S64 = 5, XLA_F64 = 12, XLA_FAILED_PRECONDITION = 9 };

static rattle_python_flow *flow_of(const xla_call *call) {
  for (int64_t i = 0; i < call->attributes.count; i++) {
    const xla_name *name = call->attributes.name[i];
    const xla_scalar *value = call->attributes.value[i];
    if (call->attributes.types[i] == XLA_SCALAR && value->type == XLA_S64 && name->length == 4 &&
        !memcmp(name->text, "flow", 4))
      return (rattle_python_flow *)(intptr_t) * (int64_t *)value->value;
  }
  return NULL;
}

static void *fail_in_xla(const xla_call *call, const char *message) {
  return call->functions->fail(&(xla_failure){
      .size = sizeof(xla_failure), .message = message, .code = XLA_FAILED_PRECONDITION});
}

typedef rattle_status flow_function(rattle_python_flow *, long long, const double *const *,
                                    double *const *, rattle_error *);

/* Answers a question, or calls the function for starts of which the first argument has batch*n. */
static void *handle(xla_call *call, int inputs, flow_function *function) {
  const double *in[4];
  double *out[2];
  rattle_error error = {0};
  long long numbers = 1;
  for (xla_extension *e = call->next; e; e = e->next)
    if (e->type == XLA_QUESTION) {
      xla_about *about = ((xla_question *)(void *)e)->about;
      about->major = 0, about->minor = 1, about->traits = 0;
      return NULL;
    }
  rattle_python_flow *flow = flow_of(call);
  if (!flow || call->in.count != inputs || call->out.count != 2)
    return fail_in_xla(call, "rattle: a call of another version");
  for (int i = 0; i < inputs; i++) {
    if (call->in.buffer[i]->type != XLA_F64)
      return fail_in_xla(call, "rattle: expected arrays of float64");
    in[i] = call->in.buffer[i]->data;
  }
  for (int i = 0; i < 2; i++) out[i] = call->out.buffer[i]->data;
  for (int64_t i = 0; i < call->in.buffer[0]->rank; i++) numbers *= call->in.buffer[0]->dims[i];
  return function(flow, numbers / flow->n, in, out, &error) ? fail_in_xla(call, error.message)
                                                            : NULL;
}

static void *handle_run(xla_call *call) {
  return handle(call, 2, rattle_python_flow_run);
}

static void *handle_push(xla_call *call) {
  return handle(call, 4, rattle_python_flow_push);
}

static void *handle_pull(xla_call *call) {
  return handle(call, 4, rattle_python_flow_pull);
}

static void *rattle_python_xla_handler(int which) {
  void *(*const of[])(xla_call *) = {handle_run, handle_push, handle_pull};
  return (void *)of[which];
}
