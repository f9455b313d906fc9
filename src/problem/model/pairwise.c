/* Potentials of pairs of beads, checked as they are added. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ground/support/error.h"
#include "ground/support/sized.h"
#include "problem/model/mixing.h"
#include "problem/model/model.h"
#include "ground/pairs/pairs.h"

enum { SMOOTHEST = 7, MOST_LISTED = 500000000, MOST_KINDS = 1000 };

static rattle_status refuse(rattle_error *error, const char *text) {
  return rattle__fail(error, RATTLE_BAD_ARGUMENT, "pair_potential", "pair_potential: %s", text);
}

static int is_positive(double x) {
  return x > 0 && isfinite(x);
}

static rattle_status check_box(const rattle_pair_potential *given, double cutoff,
                               rattle_error *error) {
  for (int d = 0; d < 3; d++) {
    if (given->box[d] == 0) continue;
    if (!is_positive(given->box[d])) return refuse(error, "the edges of the box must be above 0");
    if (given->box[d] < 2 * cutoff)
      return rattle__fail(
          error, RATTLE_BAD_ARGUMENT, "pair_potential",
          "pair_potential: an edge of the box is %g, and must be at least twice the cutoff, %g",
          given->box[d], 2 * cutoff);
  }
  return RATTLE_OK;
}

/* cutoff, from, smooth and attraction of a kind of potential, with defaults for members that are 0;
 * sigma: the largest of two beads. */
static rattle_status make_law(rattle__pair_law *law, const rattle_pair_potential *given,
                              double sigma, rattle_error *error) {
  const char *kind = given->kind ? given->kind : "";
  *law = (rattle__pair_law){.attraction = 1};
  if (!strcmp(kind, "wca")) {
    if (given->cutoff != 0 || given->from != 0 || given->smooth != 0)
      return refuse(error, "wca ends at its minimum, 2^(1/6) sigma: omit cutoff, switch and "
                           "smooth, or use kind = \"lennard_jones\"");
    law->smooth = 1;
    return RATTLE_OK;
  }
  if (strcmp(kind, "lennard_jones") != 0)
    return rattle__fail(
        error, RATTLE_BAD_ARGUMENT, "pair_potential",
        "pair_potential: the kind \"%s\" is not known: expected \"lennard_jones\" or \"wca\"",
        kind);
  law->cutoff = given->cutoff != 0 ? given->cutoff : 2.5 * sigma;
  law->from = given->from != 0 ? given->from : 0.8 * law->cutoff;
  law->smooth = given->smooth ? given->smooth : 3;
  if (!is_positive(law->cutoff)) return refuse(error, "the cutoff must be above 0");
  if (!(law->from > 0) || !(law->from < law->cutoff))
    return refuse(error, "switch must be above 0 and below the cutoff: a potential that is cut off "
                         "with a jump keeps no energy");
  if (law->smooth < 1 || law->smooth > SMOOTHEST)
    return refuse(error,
                  "smooth, the number of continuous derivatives at the cutoff, must be 1 to 7");
  return RATTLE_OK;
}

/* wca ends at the minimum of its own two beads; beads without a force never meet. */
static void set_beads(rattle__pair_law *law, double epsilon, double sigma) {
  const int wca = law->cutoff == 0;
  law->epsilon = epsilon;
  law->sigma = epsilon > 0 ? sigma : 0;
  if (wca || epsilon == 0) law->cutoff = law->from = pow(2, 1.0 / 6) * law->sigma;
  if (wca) law->shift = epsilon;
}

static rattle_status make_laws(rattle__pairs_plan *plan, rattle__pair_law **laws,
                               const rattle_pair_potential *given, rattle_error *error) {
  const int kinds = given->kinds > 0 ? given->kinds : 1;
  const size_t count = (size_t)kinds * (size_t)kinds;
  rattle__pair_law common, *law = *laws = malloc(count * sizeof *law);
  double *of = malloc(2 * count * sizeof *of), sigma = 0, cutoff = 0;
  rattle_status status =
      law && of ? rattle__pairs_mix(given, of, of + count, error) : rattle__no_memory(error);
  for (size_t k = 0; k < count && !status; k++) sigma = fmax(sigma, of[k] > 0 ? of[count + k] : 0);
  if (!status) status = make_law(&common, given, sigma, error);
  for (size_t k = 0; k < count && !status; k++) {
    law[k] = common;
    set_beads(&law[k], of[k], of[count + k]);
    cutoff = fmax(cutoff, law[k].cutoff);
  }
  free(of);
  if (!status) status = check_box(given, cutoff, error);
  plan->law = law;
  plan->kinds = kinds;
  plan->kind = given->kinds > 0 ? given->bead_kind : NULL;
  return status;
}

static rattle_status check_beads(const rattle_model *model, const rattle_pair_potential *given,
                                 rattle_error *error) {
  if (given->beads < 2) return refuse(error, "there must be at least two beads");
  if (given->beads > 100000000 || given->excluded < 0 || given->excluded > MOST_LISTED ||
      given->scaled < 0 || given->scaled > MOST_LISTED)
    return refuse(error, "there are too many beads, exclusions or scaled pairs");
  if (given->kinds < 0 || given->kinds > MOST_KINDS || given->specials < 0)
    return rattle__fail(
        error, RATTLE_BAD_ARGUMENT, "pair_potential",
        "pair_potential: there are %d kinds of beads and %d special pairs: expected 0 to %d kinds",
        given->kinds, given->specials, MOST_KINDS);
  if (!given->pairs || (given->excluded && !given->exclusions) ||
      (given->scaled && !given->scaled_pairs) ||
      (given->kinds && (!given->bead_kind || !given->epsilons || !given->sigmas)) ||
      (given->specials && !given->special))
    return refuse(error, "a list is NULL");
  unsigned char *taken = calloc((size_t)model->n, 1);
  if (!taken) return rattle__no_memory(error);
  rattle_status status = RATTLE_OK;
  for (long long k = 0; k < 3 * given->beads && !status; k++) {
    const int pair = given->pairs[k];
    if (pair < 0 || pair >= model->n)
      status =
          rattle__fail(error, RATTLE_BAD_ARGUMENT, "pair_potential",
                       "pair_potential: pair %d does not exist: the model has %d", pair, model->n);
    else if (taken[pair]++)
      status = rattle__fail(error, RATTLE_BAD_ARGUMENT, "pair_potential",
                            "pair_potential: \"%s\" belongs to two beads", model->pair[pair].name);
  }
  free(taken);
  for (long long k = 0; k < given->beads && given->kinds > 0 && !status; k++)
    if (given->bead_kind[k] < 0 || given->bead_kind[k] >= given->kinds)
      status = rattle__fail(error, RATTLE_BAD_ARGUMENT, "pair_potential",
                            "pair_potential: kind %d of a bead does not exist: there are %d",
                            given->bead_kind[k], given->kinds);
  return status;
}

/* The beads of a list of pairs. */
static rattle_status check_pairs(long long beads, const char *what, long long count,
                                 const int *pair, rattle_error *error) {
  for (long long e = 0; e < 2 * count; e++)
    if (pair[e] < 0 || pair[e] >= beads)
      return rattle__fail(error, RATTLE_BAD_ARGUMENT, "pair_potential",
                          "pair_potential: bead %d of %s does not exist: there are %lld", pair[e],
                          what, beads);
  return RATTLE_OK;
}

static rattle_status check_listed(const rattle_pair_potential *given, rattle_error *error) {
  rattle_status status =
      check_pairs(given->beads, "an exclusion", given->excluded, given->exclusions, error);
  if (!status)
    status = check_pairs(given->beads, "a scaled pair", given->scaled, given->scaled_pairs, error);
  if (status || !given->scaled) return status;
  if (!(given->scale >= 0) || !isfinite(given->scale))
    return refuse(error, "the scale of pairs must be at least 0");
  return rattle__pairs_distinct((int)given->beads, given->excluded, given->exclusions,
                                given->scaled, given->scaled_pairs, error);
}

static rattle_status add_force(rattle_model *model, const rattle__pairs_plan *plan,
                               rattle_error *error) {
  rattle__pairs **grown =
      rattle__room(model->force, model->forces, &model->forces_room, sizeof *grown);
  if (!grown) return rattle__no_memory(error);
  model->force = grown;
  const rattle_status status = rattle__pairs_create(&model->force[model->forces], plan, error);
  model->forces += !status;
  return status;
}

rattle_status rattle_model_add_pair_potential(rattle_model *model,
                                              const rattle_pair_potential *potential,
                                              rattle_error *error) {
  rattle_pair_potential own;
  rattle_status status = RATTLE__TAKE(&own, rattle_pair_potential, exclusions, potential, error);
  if (!status && !potential) status = refuse(error, "the potential is NULL");
  rattle__pairs_plan plan = {.column = own.pairs,
                             .excludes = own.exclusions,
                             .scales = own.scaled_pairs,
                             .scale = own.scale};
  rattle__pair_law *laws = NULL;
  if (!status) status = check_beads(model, &own, error);
  if (!status) status = check_listed(&own, error);
  if (!status) status = make_laws(&plan, &laws, &own, error);
  if (!status) {
    memcpy(plan.box, own.box, sizeof plan.box);
    plan.beads = (int)own.beads;
    plan.excluded = (int)own.excluded;
    plan.scaled = (int)own.scaled;
    status = add_force(model, &plan, error);
  }
  free(laws);
  return status;
}

int rattle_model_pair_potentials(const rattle_model *model) {
  return model->forces;
}

int rattle_model_smoothness(const rattle_model *model) {
  int least = 0;
  for (int k = 0; k < model->forces; k++) {
    const int own = rattle__pairs_smooth(model->force[k]);
    if (!least || own < least) least = own;
  }
  return least;
}
