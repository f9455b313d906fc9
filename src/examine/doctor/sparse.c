/* Large problems, and problems without expressions: diagnosis by first and second derivatives at a
 * few points.
 *
 * The start and points near it are moved onto g = 0 and along the fibre onto psi = 0 as starts are;
 * there the rows of g', the brackets {g_i,g_j} and N = {{H,g_i},g_j} are evaluated, all sparse. If
 * g is independent and commutes and N has an inverse the problem is settled: index 3, and 2m
 * second-class constraints. If not, the doctor reports its findings; further hidden constraints are
 * not followed. */
#include <math.h>
#include <string.h>

#include "ground/support/error.h"
#include "problem/functions/probe.h"
#include "examine/doctor/report.h"
#include "runs/start/start.h"

enum { POINTS = 3 };
static const double furthest = 0.05, nearest = 1e-8;

/* s->z onto g = 0 and psi = 0: 1, or 0 if it does not get there. */
static int settle(rattle_doctor *doctor, rattle__start *s) {
  rattle_status status = rattle__start_onto_constraints(s, NULL);
  if (!status) status = rattle__start_onto_hidden(s, NULL);
  return !rattle__doctor_saw(doctor, status);
}

/* The k-th point, nearer and nearer to the start until it gets to the manifold. */
static int find_point(rattle_doctor *doctor, rattle__start *s, int k) {
  size_t n = (size_t)s->n;
  for (double spread = furthest; spread >= nearest; spread *= 0.05) {
    memcpy(s->z, doctor->q, n * sizeof *s->z);
    memcpy(s->z + n, doctor->p, n * sizeof *s->z);
    if (k) rattle__start_perturb(s, k, spread);
    if (settle(doctor, s)) return 1;
    if (!k) return 0;
  }
  return 0;
}

static rattle_status brackets(rattle_doctor *doctor, const rattle__start *s, rattle_error *error) {
  rattle_diagnosis *d = &doctor->d;
  int pair[2];
  double value, unit;
  if (s->problem->flags & RATTLE_HOLONOMIC) return RATTLE_OK;
  rattle_status status = rattle__start_bracket(s, pair, &value, &unit, error);
  if (status || unit <= RATTLE__COMMUTING) return status;
  d->commuting = 0;
  d->pair[0] = rattle__start_constraint(s, pair[0]);
  d->pair[1] = rattle__start_constraint(s, pair[1]);
  d->pair_value = value;
  d->pair_expression = "";
  return RATTLE_OK;
}

/* One point: independence, brackets, N. */
static rattle_status look(rattle_doctor *doctor, rattle__start *s, int is_start, int *regular,
                          rattle_error *error) {
  rattle_diagnosis *d = &doctor->d;
  rattle_error why = {0};
  rattle_status status = rattle__start_constraints(s, error);
  if (status) return status;
  d->points++;
  rattle_status rows = rattle__start_regular(s, &why);
  if (!rows) status = brackets(doctor, s, error);
  if (status) return status;
  if (!rows && d->commuting) rows = rattle__start_nondegenerate(s, &why);
  if (rows == RATTLE_NO_MEMORY) return rattle__no_memory(error);
  if (!rows) {
    ++*regular;
  } else {
    d->degenerate_points++;
    if (is_start) d->start_is_degenerate = 1;
    if (!d->refused) d->refused = rattle__doctor_text(doctor, "%s", why.message);
  }
  if (!is_start) return RATTLE_OK;
  memcpy(doctor->on_q, s->z, (size_t)s->n * sizeof *s->z);
  memcpy(doctor->on_p, s->z + s->n, (size_t)s->n * sizeof *s->z);
  doctor->on = 1;
  /* a singular N has been reported already */
  if (d->commuting)
    (void)rattle__doctor_saw(
        doctor, rattle_problem_nondegeneracy(s->problem, doctor->on_q, doctor->on_p,
                                             &d->min_singular_value, &d->condition, NULL));
  return RATTLE_OK;
}

static void conclude(rattle_doctor *doctor, int regular) {
  rattle_diagnosis *d = &doctor->d;
  d->dof = (double)NAN;
  d->index = d->first_class_count = d->second_class_count = -1;
  d->class_ = "unknown";
  if (!d->points) {
    d->refused =
        rattle__doctor_text(doctor, "no point was found near the start where all constraints and "
                                    "their derivatives in time are 0: they "
                                    "contradict each other, or the start is too far away");
  } else if (!d->commuting) {
    d->kind = "general";
    d->refused = rattle__doctor_text(
        doctor,
        "the constraints are not coisotropic: {%s,%s} is %.6g at a point of the manifold and must "
        "be 0 there; replace the pair by coordinates that satisfy it, or keep one of the two",
        d->pair[0], d->pair[1], d->pair_value);
  } else if (regular) {
    d->class_ = "coisotropic";
    d->index = 3;
    d->dof = d->n - d->m;
    d->first_class_count = 0;
    d->second_class_count = 2 * d->m;
    if (!d->start_is_degenerate) d->refused = NULL;
  }
}

/* One generation: names, no expressions. */
static void report_names(rattle_doctor *doctor) {
  rattle_diagnosis *d = &doctor->d;
  rattle_generation *generation = rattle__arena_take(&doctor->arena, sizeof *generation);
  const char **name = rattle__arena_take(&doctor->arena, 2 * (size_t)d->m * sizeof *name);
  if (!generation || !name) return;
  for (int i = 0; i < d->m; i++) {
    name[i] = rattle_problem_constraint_name(doctor->problem, i);
    name[d->m + i] = "";
  }
  *generation = (rattle_generation){.count = d->m, .name = name, .expression = name + d->m};
  d->generation = generation;
  d->generations = 1;
}

rattle_status rattle__doctor_sparse(rattle_doctor *doctor, rattle_error *error) {
  rattle_diagnosis *d = &doctor->d;
  d->commuting = 2;
  if (!d->m) {
    d->class_ = "unconstrained";
    d->dof = d->n;
    memcpy(doctor->on_q, doctor->q, (size_t)d->n * sizeof *doctor->q);
    memcpy(doctor->on_p, doctor->p, (size_t)d->n * sizeof *doctor->p);
    doctor->on = 1;
    return RATTLE_OK;
  }
  if (!(doctor->problem->flags & RATTLE_HOLONOMIC)) d->commuting = 1;
  rattle__start s;
  int regular = 0;
  rattle_status status = rattle__start_create(&s, doctor->problem, error);
  for (int k = 0; k < POINTS && !status; k++)
    if (find_point(doctor, &s, k)) status = look(doctor, &s, k == 0, &regular, error);
  rattle__start_destroy(&s);
  if (status) return status;
  conclude(doctor, regular);
  report_names(doctor);
  rattle__doctor_note(doctor,
                      doctor->model ? "the model is large: further generations of hidden "
                                      "constraints were not computed, and %d points were sampled"
                                    : "a problem from callbacks has no expressions: further "
                                      "generations of hidden constraints were not computed, and %d "
                                      "points were sampled",
                      d->points);
  return RATTLE_OK;
}
