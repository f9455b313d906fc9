/* Conserved quantities that are cheap to see, from first derivatives of H and g alone, at random
 * points around the start.
 *
 * A candidate is a generator F that is linear or bilinear in z: a single momentum; the sum of the
 * momenta of all coordinates that are called x (x, x1, x[7], x_a ...), the same for y and z; sum of
 * x py - y px over the letters with both, and so on. F is conserved if {F,H} and all {F,g_i} are
 * round-off of their terms at points in general position (off the manifold too). Momenta there have
 * several sizes, 0 among them, so that the kinetic energy hides no change of the potential, nor the
 * reverse. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ground/support/error.h"
#include "problem/model/model.h"
#include "ground/pairs/pairs.h"
#include "problem/functions/problem.h"
#include "examine/doctor/report.h"
#include "runs/start/start.h"
#include "ground/support/finite.h"

enum { POINTS = 3, SIZES = 3, MOST_CYCLIC = 64 };
static const double round_off = 1e-11, spread = 0.1, larger[SIZES] = {1, 0, 0x1p40};

/* A generator by its field: dz/ds = X_F. Rotation in the plane of axes a, b; translation along a
 * where b < 0; the single coordinate `pair` where a < 0. */
typedef struct generator {
  int a, b, pair;
} generator;

typedef struct symmetry {
  const rattle_problem *problem;
  int n, m;
  generator f[6 + MOST_CYCLIC];
  unsigned char
      alive[6 + MOST_CYCLIC]; /* the generators that leave H and g alone at all points so far */
  int count;
  rattle__start point;
  rattle__names names;    /* of coordinates */
  int *axis;              /* of each pair: 0 x, 1 y, 2 z, -1 none [n] */
  int *mate[3];           /* mate[c][k]: the pair of axis c with the label of pair k, -1 none [n] */
  double *field, *scales; /* X_F and what its entries could be [2n] */
} symmetry;

/* Axis and label of a name: "x[3]" is 0 and "[3]". */
static int axis_of(const char *name, const char **label) {
  int axis = name[0] - 'x';
  *label = name + 1;
  return axis >= 0 && axis < 3 && !isalpha((unsigned char)name[1]) ? axis : -1;
}

static const char *coordinate_of(const void *problem, uint32_t number) {
  return rattle__problem_coordinate_name(problem, (int)number);
}

static int find(const symmetry *s, int axis, const char *label) {
  char name[128];
  if (strlen(label) + 2 > sizeof name) return -1;
  name[0] = (char)('x' + axis);
  strcpy(name + 1, label);
  return (int)rattle__names_find(&s->names, name, coordinate_of, s->problem);
}

static rattle_status name_axes(symmetry *s, rattle_error *error) {
  size_t n = (size_t)s->n;
  s->axis = malloc(4 * n * sizeof *s->axis);
  s->field = calloc(4 * n, sizeof *s->field);
  if (!s->axis || !s->field) return rattle__no_memory(error);
  s->scales = s->field + 2 * n;
  for (size_t c = 0; c < 3; c++) s->mate[c] = s->axis + (c + 1) * n;
  for (int k = 0; k < s->n && s->problem->model; k++)
    if (rattle__names_add(&s->names, coordinate_of(s->problem, (uint32_t)k), (uint32_t)k))
      return rattle__no_memory(error);
  for (int k = 0; k < s->n; k++) {
    const char *label = "";
    s->axis[k] =
        s->problem->model ? axis_of(rattle__problem_coordinate_name(s->problem, k), &label) : -1;
    for (int c = 0; c < 3; c++) s->mate[c][k] = s->axis[k] >= 0 ? find(s, c, label) : -1;
  }
  return RATTLE_OK;
}

/* X_F at the point. Rotation: every coordinate of one axis must have its mate of the other. Returns
 * how many pairs it moves. */
static int make_field(symmetry *s, const generator *f) {
  const double *z = s->point.z;
  int moved = 0, n = s->n;
  memset(s->field, 0, 2 * (size_t)n * sizeof *s->field);
  for (int k = 0; k < n; k++) {
    if (f->a < 0 && k == f->pair) {
      s->field[k] = 1;
      return 1;
    }
    if (f->a < 0 || s->axis[k] < 0 || (s->axis[k] != f->a && s->axis[k] != f->b)) continue;
    moved++;
    if (f->b < 0) {
      s->field[k] = 1;
      continue;
    }
    int other = s->mate[s->axis[k] == f->a ? f->b : f->a][k];
    if (other < 0) return 0;
    double sign = s->axis[k] == f->a ? -1 : 1;
    s->field[k] = sign * z[other];
    s->field[n + k] = sign * z[n + other];
  }
  return moved;
}

/* True if H and g do not change along the field at the point; J, gradient known. */
static int is_invariant(const symmetry *s) {
  const rattle__start *at = &s->point;
  const rattle__function *g = s->problem->g;
  double sum = 0, terms = 0;
  for (int k = 0; k < 2 * s->n; k++) {
    sum += at->gradient[k] * s->field[k];
    terms += fabs(at->gradient[k] * s->field[k]);
  }
  if (!(fabs(sum) <= round_off * terms)) return 0;
  for (int i = 0; i < s->m; i++) {
    sum = terms = 0;
    for (int e = g->jac_ptr[i]; e < g->jac_ptr[i + 1]; e++) {
      sum += at->J[e] * s->field[g->jac_col[e]];
      terms += fabs(at->J[e] * s->field[g->jac_col[e]]);
    }
    if (!(fabs(sum) <= round_off * terms)) return 0;
  }
  return 1;
}

/* H and g at the k-th point, with momenta times `part`. */
static rattle_status go_to(symmetry *s, const rattle_doctor *doctor, int k, double part,
                           rattle_error *error) {
  rattle__start *at = &s->point;
  size_t n = (size_t)s->n;
  memcpy(at->z, doctor->q, n * sizeof *at->z);
  memcpy(at->z + n, doctor->p, n * sizeof *at->z);
  rattle__start_perturb(at, k + 1, spread);
  for (size_t i = 0; i < n; i++) at->z[n + i] *= part;
  int answer = s->problem->H->jacobian(s->problem->H, at->z, NULL, at->gradient, at->work);
  if (answer) return rattle__callback_error(answer, "Hamiltonian", error);
  return s->m ? rattle__start_constraints(at, error) : RATTLE_OK;
}

/* A point where H or g is not defined with momenta of that size says nothing. */
static rattle_status try_point(symmetry *s, const rattle_doctor *doctor, int k, double part,
                               rattle_error *error) {
  const rattle_status status = go_to(s, doctor, k, part, error);
  const int defined = !status && rattle__all_finite(s->point.gradient, 2 * s->n) &&
                      (!s->m || rattle__all_finite(s->point.J, s->problem->g->jac_nnz));
  if (part != 1 && !defined && (!status || status == RATTLE_DOMAIN)) return RATTLE_OK;
  for (int i = 0; i < s->count && !status; i++)
    s->alive[i] = s->alive[i] && make_field(s, &s->f[i]) > 0 && is_invariant(s);
  return status;
}

static void say(rattle_doctor *doctor, const symmetry *s) {
  static const char letter[] = "xyz";
  rattle_diagnosis *d = &doctor->d;
  const char **text = rattle__arena_take(&doctor->arena, ((size_t)s->count + 1) * sizeof *text);
  if (!text) return;
  d->symmetry = text;
  text[d->symmetries++] = s->problem->force && s->problem->clock
                              ? "energy less the work of the forces and what drives supply"
                          : s->problem->force ? "energy less the work of the forces"
                          : s->problem->clock ? "energy less what drives supply, H + p_t"
                                              : "energy";
  for (int i = 0; i < s->count && !s->problem->velocity;
       i++) { /* reactions on velocities change momenta of symmetries */
    const rattle_model *model = s->problem->model;
    if (!s->alive[i]) continue;
    if (s->f[i].a < 0 && model && rattle__model_is_reference(model, s->f[i].pair)) continue;
    if (s->f[i].a < 0)
      text[d->symmetries++] = model ? model->pair[s->f[i].pair].momentum
                                    : rattle__doctor_text(doctor, "p[%d]", s->f[i].pair);
    else if (s->f[i].b < 0)
      text[d->symmetries++] = rattle__doctor_text(doctor, "momentum along %c", letter[s->f[i].a]);
    else
      text[d->symmetries++] =
          rattle__doctor_text(doctor, "angular momentum %c p%c - %c p%c", letter[s->f[i].a],
                              letter[s->f[i].b], letter[s->f[i].b], letter[s->f[i].a]);
  }
}

/* Forces that are no gradient, in the note. */
static void say_forces(rattle_doctor *doctor) {
  enum { NAMED = 6 };
  const rattle_problem *problem = doctor->problem;
  char names[400] = "";
  size_t used = 0;
  if (!problem->force) return;
  const int count = problem->force->rows;
  for (int i = 0; i < count && i <= NAMED && used < sizeof names; i++)
    used += (size_t)snprintf(
        names + used, sizeof names - used, "%s%.40s", i ? ", " : "",
        i < NAMED ? rattle__problem_coordinate_name(problem, problem->pushed[i]) : "...");
  rattle__doctor_note(doctor,
                      "forces that are no gradient act on %s: no method is symplectic, and energy "
                      "errors are those of H less their work",
                      names);
}

/* True if forces reach across the sides of a box, which does not turn; near the start there may be
 * none that do. */
static int is_periodic(const rattle_problem *problem) {
  int periodic = 0;
  for (int k = 0; problem->model && k < problem->model->forces; k++)
    periodic |= rattle__pairs_periodic(problem->model->force[k]);
  return periodic;
}

rattle_status rattle__doctor_symmetries(rattle_doctor *doctor, rattle_error *error) {
  symmetry s = {.problem = doctor->problem,
                .n = doctor->d.n,
                .m = doctor->d.m,
                .f = {{0, -1, 0}, {1, -1, 0}, {2, -1, 0}, {0, 1, 0}, {1, 2, 0}, {2, 0, 0}},
                .count = 6};
  if (!s.problem) return RATTLE_OK;
  for (int k = 0; k < s.n && s.n <= MOST_CYCLIC; k++) s.f[s.count++] = (generator){-1, -1, k};
  memset(s.alive, 1, sizeof s.alive);
  if (is_periodic(s.problem)) s.alive[3] = s.alive[4] = s.alive[5] = 0;
  rattle_status status = rattle__start_create(&s.point, s.problem, error);
  if (!status) status = name_axes(&s, error);
  for (int k = 0; k < POINTS * SIZES && !status; k++)
    status = try_point(&s, doctor, k / SIZES, larger[k % SIZES], error);
  /* a coordinate that is the only one of its axis is listed once */
  for (int a = 0; a < 3 && !status; a++) {
    int only = -1, all = 0;
    for (int k = 0; k < s.n; k++)
      if (s.axis[k] == a) all++, only = k;
    if (all == 1 && s.n <= MOST_CYCLIC && s.alive[6 + only]) s.alive[a] = 0;
  }
  if (!status) say(doctor, &s);
  if (!status) say_forces(doctor);
  rattle__start_destroy(&s.point);
  rattle__names_clear(&s.names);
  free(s.axis);
  free(s.field);
  return status;
}
