/* The doctor: examines part by part and fills the diagnosis. */
#include "examine/doctor/report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ground/expr/cuts.h"
#include "ground/support/error.h"
#include "ground/support/sized.h"
#include "ground/pairs/pairs.h"
#include "problem/functions/problem.h"
#include "runs/start/start.h"

enum { EXPRESSION = 200 };

/* --- what is asked about ---------------------------------------------------------------------- */

static rattle_status make_problem(rattle_doctor *doctor, rattle_model *model, rattle_error *error) {
  const rattle_problem_options block = {.struct_size = sizeof block,
                                        .evaluator = RATTLE_EVALUATOR_BLOCK};
  rattle_error why;
  if (doctor->problem) return RATTLE_OK;
  rattle_status status = rattle_problem_create(&doctor->own, model, &block, &why);
  doctor->problem = doctor->own;
  if (status == RATTLE_NOT_REGULAR) {
    /* reported if there is no worse finding */
    doctor->d.refused = rattle__doctor_text(doctor, "%s", why.message);
    return RATTLE_OK;
  }
  if (status && error) *error = why;
  return status;
}

/* If the start is off g = 0, projects it as is done before a run: from here on the result is the
 * start. */
static rattle_status place(rattle_doctor *doctor, rattle__start *start, rattle_error *error) {
  const size_t n = (size_t)doctor->d.n;
  rattle_status status = rattle__start_onto_constraints(start, NULL);
  if (!status && doctor->problem->flags & RATTLE_HOLONOMIC)
    status = rattle__start_momenta(start, NULL);
  if (status == RATTLE_NO_MEMORY) return rattle__no_memory(error);
  if (status) return RATTLE_OK;
  doctor->from = rattle__arena_doubles(&doctor->arena, 2 * n);
  if (!doctor->from) return rattle__no_memory(error);
  memcpy(doctor->from, doctor->q, n * sizeof *doctor->q);
  memcpy(doctor->from + n, doctor->p, n * sizeof *doctor->p);
  memcpy(doctor->q, start->z, n * sizeof *doctor->q);
  memcpy(doctor->p, start->z + n, n * sizeof *doctor->p);
  return RATTLE_OK;
}

/* Start values, residuals and whether they count as 0. */
static rattle_status look_at_start(rattle_doctor *doctor, rattle_error *error) {
  rattle_diagnosis *d = &doctor->d;
  size_t n = (size_t)d->n;
  doctor->q = rattle__arena_doubles(&doctor->arena, 4 * n);
  if (!doctor->q) return rattle__no_memory(error);
  doctor->p = doctor->q + n;
  doctor->on_q = doctor->p + n;
  doctor->on_p = doctor->on_q + n;
  if (!doctor->problem) {
    for (size_t k = 0; k < n; k++) {
      doctor->q[k] = doctor->model->pair[k].q;
      doctor->p[k] = doctor->model->pair[k].p;
    }
    return RATTLE_OK;
  }
  if (!doctor->model) {
    if (!doctor->options.q || !doctor->options.p)
      return rattle__fail(error, RATTLE_BAD_ARGUMENT, "start",
                          "a problem from callbacks has no start: give q and p in the options");
    memcpy(doctor->q, doctor->options.q, n * sizeof *doctor->q);
    memcpy(doctor->p, doctor->options.p, n * sizeof *doctor->p);
  }
  rattle__start start;
  rattle__start_residuals look = {0};
  rattle_status status = rattle__start_create(&start, doctor->problem, error);
  if (!status) status = rattle__start_look(&start, doctor->q, doctor->p, &look, error);
  if (!status && !look.on_constraints) status = place(doctor, &start, error);
  rattle__start_destroy(&start);
  d->on_constraints = look.on_constraints;
  d->on_hidden = look.on_hidden;
  d->residual_constraints = look.g;
  d->residual_hidden = look.psi;
  return status;
}

/* --- what Dirac's algorithm says -------------------------------------------------------------- */

static void report_generations(rattle_doctor *doctor) {
  const rattle__dirac *dirac = doctor->dirac;
  rattle_diagnosis *d = &doctor->d;
  size_t levels = (size_t)dirac->levels + 1, all = (size_t)dirac->count + 1;
  rattle_generation *generation = rattle__arena_take(&doctor->arena, levels * sizeof *generation);
  const char **name = rattle__arena_take(&doctor->arena, 2 * all * sizeof *name),
             **text = name ? name + all : NULL;
  if (!generation || !name) return;
  int at = 0;
  for (int level = 0; level <= dirac->levels; level++) {
    generation[level] = (rattle_generation){.name = name + at, .expression = text + at};
    for (int c = 0; c < dirac->count; c++) {
      char buffer[EXPRESSION];
      const rattle__chi *chi = &dirac->chi[c];
      if (chi->level != level || (level && chi->redundant)) continue;
      name[at] = chi->name;
      text[at++] = rattle__doctor_text(doctor, "%s",
                                       rattle__dirac_print(dirac, chi->e, buffer, sizeof buffer));
      generation[level].count++;
    }
  }
  d->generation = generation;
  d->generations = dirac->m ? dirac->levels + 1 : 0;
}

/* "'c' is a combination of 'a', 'b'" for each redundant constraint of the user. */
static rattle_status report_redundant(rattle_doctor *doctor, rattle_error *error) {
  rattle__dirac *dirac = doctor->dirac;
  rattle_diagnosis *d = &doctor->d;
  const char **name = rattle__arena_take(&doctor->arena, 2 * ((size_t)d->m + 1) * sizeof *name);
  rattle_status status = name ? RATTLE_OK : rattle__no_memory(error);
  for (int c = 0; c < d->m && !status; c++) {
    if (!dirac->chi[c].redundant) continue;
    char list[512];
    status = rattle__say_combination(dirac, c, list, sizeof list, error);
    name[d->redundants] = dirac->chi[c].name;
    name[d->m + 1 + d->redundants++] =
        list[0]
            ? rattle__doctor_text(doctor, "'%s' is a combination of %s", dirac->chi[c].name, list)
            : rattle__doctor_text(doctor, "'%s' holds everywhere", dirac->chi[c].name);
  }
  d->redundant = name;
  d->redundant_sentence = name + d->m + 1;
  return status;
}

static rattle_status report_dirac(rattle_doctor *doctor, rattle_error *error) {
  const rattle__dirac *dirac = doctor->dirac;
  rattle_diagnosis *d = &doctor->d;
  char text[1024];
  int dimension = rattle__dirac_dimension(dirac), known = dimension >= 0;
  d->class_ = rattle__dirac_class(dirac);
  d->index = rattle__dirac_index(dirac);
  d->dof = known ? dimension / 2.0 : (double)NAN;
  d->first_class_count = known ? dirac->first : -1;
  d->second_class_count = known ? dirac->second : -1;
  d->points = dirac->points;
  d->degenerate_points = dirac->degenerate;
  d->start_is_degenerate = dirac->start_degenerate;
  d->commuting = d->m ? dirac->commuting : 2;
  if (dirac->rank_gg) {
    d->pair[0] = dirac->chi[dirac->pair[0]].name;
    d->pair[1] = dirac->chi[dirac->pair[1]].name;
    d->pair_value = dirac->pair_value;
    d->pair_expression = rattle__doctor_text(
        doctor, "%s", rattle__dirac_print(dirac, dirac->pair_bracket, text, EXPRESSION));
  }
  if (!doctor->problem) {
    int momenta = 0;
    for (int c = 0; c < d->m; c++)
      for (int k = 1; k < 2 * d->n; k += 2)
        momenta |= !rattle__is_weakly_zero(dirac, dirac->chi[c].d[k]);
    d->kind = momenta ? "general" : "holonomic";
    d->on_constraints = !dirac->start_moved;
    d->on_hidden = 0;
    d->residual_constraints = dirac->start_residual;
    d->residual_hidden = (double)NAN;
  } else if (dirac->rank_gg) {
    d->kind = "general";
  }
  rattle__dirac_refusal(dirac, text, sizeof text);
  if (text[0]) d->refused = rattle__doctor_text(doctor, "%s", text);
  if (dirac->degenerate)
    rattle__doctor_note(doctor,
                        "degenerate points exist: at %d of %d points of the manifold%s a rank is "
                        "lower than elsewhere",
                        dirac->degenerate, dirac->points,
                        dirac->start_degenerate ? ", the start among them," : "");
  report_generations(doctor);
  return report_redundant(doctor, error);
}

/* --- all -------------------------------------------------------------------------------------- */

static rattle_status dirac(rattle_doctor *doctor, rattle_error *error) {
  size_t n = (size_t)doctor->d.n;
  double *x = malloc(2 * n * sizeof *x);
  if (!x) return rattle__no_memory(error);
  for (size_t k = 0; k < n; k++) {
    x[2 * k] = doctor->q[k];
    x[2 * k + 1] = doctor->p[k];
  }
  int points = doctor->options.samples ? doctor->options.samples : RATTLE__DIRAC_USUAL;
  rattle_status status =
      rattle__dirac_create(&doctor->dirac, doctor->model, x, points, doctor->options.seed, error);
  free(x);
  return status ? status : report_dirac(doctor, error);
}

/* Constraints that are independent, but hardly. */
static rattle_status look_at_dependence(rattle_doctor *doctor, rattle__start *start,
                                        rattle_error *error) {
  const double near = 1e-6;
  double least = 0;
  char names[400];
  if (doctor->d.m < 2) return RATTLE_OK;
  rattle_status status = rattle__start_constraints(start, error);
  if (!status) status = rattle__start_dependence(start, &least, names, sizeof names, error);
  if (status) return status;
  if (least < near)
    rattle__doctor_note(doctor,
                        "the gradients of %s are nearly dependent at the start: the smallest "
                        "eigenvalue of the Gram matrix of unit gradients "
                        "is %.2g, so that multipliers have fewer digits; replace one by its "
                        "difference from the others, scaled to size 1",
                        names, fmax(least, 0));
  return RATTLE_OK;
}

/* How far a run moves a start that is off g = 0. */
static void note_moved(rattle_doctor *doctor, const rattle__start *start) {
  const int n = doctor->d.n;
  const int asked = doctor->options.project || (doctor->model && doctor->model->wishes.project);
  if (!doctor->from) return;
  rattle__doctor_note(doctor, "%sa projection moves %s by %.2e in q, %.2e in p%s",
                      asked ? "" : "the start violates the constraints, and ",
                      asked ? "the start" : "it", rattle__start_distance(doctor->from, start->z, n),
                      rattle__start_distance(doctor->from + n, start->z + n, n),
                      asked ? "" : ": what else is said here is of the point that it is moved to");
}

/* Asks if a run may start from there: the doctor refuses what a start refuses, in the same
 * words. */
static rattle_status ask_start(rattle_doctor *doctor, rattle_error *error) {
  const size_t n = (size_t)doctor->d.n;
  if (!doctor->problem || !doctor->d.m) return RATTLE_OK;
  rattle__start start;
  rattle_error why = {0};
  rattle_status status = rattle__start_create(&start, doctor->problem, error);
  if (!status) {
    memcpy(start.z, doctor->q, n * sizeof *doctor->q);
    memcpy(start.z + n, doctor->p, n * sizeof *doctor->p);
    status = rattle__start_constraints(&start, error);
  }
  rattle_status refusal = status ? status : rattle__start_settle(&start, doctor->dirac, 1, &why);
  if (!refusal) status = look_at_dependence(doctor, &start, error);
  if (!refusal) {
    doctor->settled = rattle__arena_doubles(&doctor->arena, 2 * n);
    if (doctor->settled) memcpy(doctor->settled, start.z, 2 * n * sizeof *start.z);
    note_moved(doctor, &start);
  }
  rattle__start_destroy(&start);
  if (status || !refusal) return status;
  if (refusal == RATTLE_NO_MEMORY) return rattle__no_memory(error);
  if (refusal == RATTLE_OFF_CONSTRAINTS) {
    rattle__doctor_note(doctor, "%s", why.message);
    return RATTLE_OK;
  }
  doctor->unfit = 1;
  /* a fault of the model itself, as a nonholonomic constraint, goes before what Dirac's algorithm
   * finds of it */
  if (!doctor->d.refused || doctor->problem->split || refusal == RATTLE_BAD_MODEL)
    doctor->d.refused = rattle__doctor_text(doctor, "%s", why.message);
  return RATTLE_OK;
}

/* Constraints whose motion is not that which they look like. */
static void note_dirac(rattle_doctor *doctor) {
  const rattle_model *model = doctor->model;
  for (int i = 0; model && i < model->m; i++)
    if (model->constraint[i].dirac)
      rattle__doctor_note(doctor,
                          "'%s' is a constraint of Dirac: its multiplier moves coordinates too, "
                          "and the motion is not that of a body that is "
                          "locked, driven, rolls or skates (velocity_constrain)%s",
                          model->constraint[i].name,
                          model->constraint[i].old_word
                              ? "; { vakonomic = true } is the old word for { dirac = true }, and "
                                "names another motion"
                              : "");
}

static void note_cutoff(rattle_doctor *doctor, const rattle_model *model) {
  const int smooth = model ? rattle_model_smoothness(model) : 0;
  if (smooth)
    rattle__doctor_note(doctor,
                        "pair_potential has %d continuous derivative%s at its cutoff: methods keep "
                        "an order of up to %d",
                        smooth, smooth == 1 ? "" : "s", smooth + 1);
}

/* Energies of pairs that no motion reaches: beads that overlap at the start, which are driven apart
 * so fast that no step is short enough. */
static rattle_status note_overlap(rattle_doctor *doctor, rattle_error *error) {
  static const double most = 1000, most_of_bead = 2; /* epsilon */
  const rattle_model *model = doctor->model;
  for (int k = 0; model && k < model->forces; k++) {
    const rattle__pairs *force = model->force[k];
    double *work = malloc((rattle__pairs_room(force) + 1) * sizeof *work);
    if (!work) return rattle__no_memory(error);
    const double V =
        rattle__pairs_gradient(force, doctor->q, NULL, work) / rattle__pairs_epsilon(force);
    free(work);
    if (V > most + most_of_bead * model->n / 3)
      rattle__doctor_note(doctor,
                          "beads overlap at the start: pair_potential is %.3g epsilon there; move "
                          "them apart, or give the molecule another start",
                          V);
  }
  return RATTLE_OK;
}

static void note_seams(rattle_doctor *doctor, const rattle_model *model) {
  char where[500];
  const int order = model ? rattle_model_order_left(model, where, sizeof where) : -1;
  if (order >= 0)
    rattle__doctor_note(doctor, "%s: steps across have order %d, and a solver may fail there",
                        where, order);
}

/* The first angle that is observed by atan, of which steps say nothing where it jumps. */
static void note_observed(rattle_doctor *doctor, const rattle_model *model) {
  rattle__stack found = {0};
  int said = 0;
  for (int i = 0; model && i < model->observables && !said; i++) {
    char angle[160];
    found.count = 0;
    doctor->failed |= rattle__find_cuts(model->graph, &model->observable[i].expr, 1, &found) != 0;
    for (size_t k = 0; k < found.count && !said; k++) {
      if (rattle_expr_op(model->graph, found.item[k]) != RATTLE_OP_ATAN) continue;
      rattle_expr_print(model->graph, found.item[k], rattle__model_variable_name,
                        (void *)(uintptr_t)model, angle, sizeof angle);
      rattle__doctor_note(doctor,
                          "the observed quantity '%s' contains %s, which is between -pi/2 and "
                          "pi/2 and jumps by pi there: in place of atan(y/x), atan2(y, x) is the "
                          "angle between -pi and pi, and turning_angle(y, x) counts turns",
                          model->observable[i].name, angle);
      said = 1;
    }
  }
  free(found.item);
}

/* A part without mass that does not move, of a model that has no other fault. */
static void judge_massless(rattle_doctor *doctor) {
  rattle_diagnosis *d = &doctor->d;
  const int k = doctor->problem ? doctor->problem->nailed : -1;
  if (k < 0 || d->refused) return;
  d->refused = rattle__doctor_text(doctor, RATTLE__NAILED,
                                   rattle__problem_coordinate_name(doctor->problem, k));
}

static rattle_status examine(rattle_doctor *doctor, rattle_model *model, rattle_error *error) {
  rattle_diagnosis *d = &doctor->d;
  rattle_status status = model ? make_problem(doctor, model, error) : RATTLE_OK;
  if (status) return status;
  d->title = model ? rattle_model_title(model) : "";
  d->n = model ? model->n : doctor->problem->n;
  d->m = model ? model->m : doctor->problem->m;
  d->kind = doctor->problem ? rattle_problem_kind_name(doctor->problem) : "general";
  d->min_singular_value = d->condition = d->worst_singular_value = d->worst_condition = (double)NAN;
  d->advice_step = d->frequency = (double)NAN;
  d->cost_gradients = d->cost_newton_iterations = d->cost_nanoseconds = d->trial_energy_error =
      (double)NAN;
  status = look_at_start(doctor, error);
  if (!status) status = rattle__doctor_derivatives(doctor, error);
  if (!status && model && (!doctor->problem || rattle__dirac_offered(model)))
    status = dirac(doctor, error);
  else if (!status)
    status = rattle__doctor_sparse(doctor, error);
  if (!status) status = ask_start(doctor, error);
  if (!status) status = rattle__doctor_velocity(doctor, error);
  judge_massless(doctor);
  if (!status) status = note_overlap(doctor, error);
  note_dirac(doctor);
  if (!status) status = rattle__doctor_points(doctor, error);
  if (doctor->problem && doctor->problem->clock) d->dof--; /* time is none */
  if (model)
    d->dof -= model->turnings + model->held + rattle__model_switched(model) +
              rattle__sweeps_balls(model->sweeps); /* nor what stays, as |Q| */
  if (!status) status = rattle__doctor_symmetries(doctor, error);
  if (!status) status = rattle__doctor_methods(doctor, error);
  if (!status) status = rattle__doctor_advice(doctor, error);
  note_cutoff(doctor, model);
  note_seams(doctor, model);
  note_observed(doctor, model);
  d->note = doctor->note ? doctor->note : "";
  return status || !(doctor->failed || doctor->arena.failed) ? status : rattle__no_memory(error);
}

rattle_status rattle_doctor_create(rattle_doctor **doctor, rattle_model *model,
                                   const rattle_problem *problem,
                                   const rattle_doctor_options *options, rattle_error *error) {
  *doctor = NULL;
  if (!model && !problem)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "doctor", "a model or a problem is required");
  rattle_doctor *s = calloc(1, sizeof *s);
  if (!s) return rattle__no_memory(error);
  s->given = s->problem = rattle_problem_retain(problem);
  s->model = rattle_model_retain(model ? model : problem->model);
  rattle_status status = RATTLE__TAKE(&s->options, rattle_doctor_options, p, options, error);
  if (!status) status = examine(s, (rattle_model *)(uintptr_t)s->model, error);
  *doctor = s;
  if (status) rattle_doctor_destroy(doctor);
  return status;
}

void rattle_doctor_destroy(rattle_doctor **doctor) {
  if (!doctor || !*doctor) return;
  rattle_doctor *s = *doctor;
  rattle__dirac_destroy(&s->dirac);
  rattle_problem_destroy(&s->own);
  rattle_problem *problem = (rattle_problem *)s->given;
  rattle_problem_destroy(&problem);
  rattle_model *model = (rattle_model *)s->model;
  rattle_model_destroy(&model);
  rattle__arena_release(&s->arena);
  rattle__pool_clear(&s->pool);
  free(s->note);
  free(s);
  *doctor = NULL;
}

const rattle_diagnosis *rattle_doctor_diagnosis(const rattle_doctor *doctor) {
  return &doctor->d;
}
