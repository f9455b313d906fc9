/* Potentials of pairs of beads, checked as they are added. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/error.h"
#include "support/sized.h"
#include "model/model.h"
#include "pairs/pairs.h"

enum { SMOOTHEST = 7 };

static rattle_status refuse(rattle_error *error, const char *text) {
  return rattle__fail(error, RATTLE_BAD_ARGUMENT, "pair_potential", "pair_potential: %s", text);
}

static int is_positive(double x) {
  return x > 0 && isfinite(x);
}

/* v of a kind, with the defaults of what is 0. */
static rattle_status make_law(rattle__pair_law *law, const rattle_pair_potential *given, rattle_error *error) {
  const char *kind = given->kind ? given->kind : "";
  *law = (rattle__pair_law){.epsilon = given->epsilon, .sigma = given->sigma, .attraction = 1};
  if (!is_positive(given->epsilon)) return refuse(error, "epsilon must be above 0");
  if (!is_positive(given->sigma)) return refuse(error, "sigma must be above 0");
  if (!strcmp(kind, "wca")) {
    if (given->cutoff != 0 || given->from != 0 || given->smooth != 0)
      return refuse(error,
                    "wca ends at its minimum, 2^(1/6) sigma: omit cutoff, switch and smooth, or use kind = \"lennard_jones\"");
    law->cutoff = law->from = pow(2, 1.0 / 6) * law->sigma;
    law->shift = law->epsilon;
    law->smooth = 1;
    return RATTLE_OK;
  }
  if (strcmp(kind, "lennard_jones") != 0)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "pair_potential",
                        "pair_potential: the kind \"%s\" is not known: expected \"lennard_jones\" or \"wca\"", kind);
  law->cutoff = given->cutoff != 0 ? given->cutoff : 2.5 * law->sigma;
  law->from = given->from != 0 ? given->from : 0.8 * law->cutoff;
  law->smooth = given->smooth ? given->smooth : 3;
  if (!is_positive(law->cutoff)) return refuse(error, "the cutoff must be above 0");
  if (!(law->from > 0) || !(law->from < law->cutoff))
    return refuse(error, "switch must be above 0 and below the cutoff: a potential that is cut off with a jump keeps no energy");
  if (law->smooth < 1 || law->smooth > SMOOTHEST)
    return refuse(error, "smooth, the number of continuous derivatives at the cutoff, must be 1 to 7");
  return RATTLE_OK;
}

static rattle_status check_beads(const rattle_model *model, const rattle_pair_potential *given, rattle_error *error) {
  if (given->beads < 2) return refuse(error, "there must be at least two beads");
  if (given->beads > 100000000 || given->excluded < 0 || given->excluded > 500000000)
    return refuse(error, "there are too many beads or exclusions");
  unsigned char *taken = calloc((size_t)model->n, 1);
  if (!taken) return rattle__no_memory(error);
  rattle_status status = RATTLE_OK;
  for (long long k = 0; k < 3 * given->beads && !status; k++) {
    const int pair = given->pairs[k];
    if (pair < 0 || pair >= model->n)
      status = rattle__fail(error, RATTLE_BAD_ARGUMENT, "pair_potential",
                            "pair_potential: pair %d does not exist: the model has %d", pair, model->n);
    else if (taken[pair]++)
      status = rattle__fail(error, RATTLE_BAD_ARGUMENT, "pair_potential", "pair_potential: \"%s\" belongs to two beads",
                            model->pair[pair].name);
  }
  free(taken);
  for (long long e = 0; e < 2 * given->excluded && !status; e++)
    if (given->exclusions[e] < 0 || given->exclusions[e] >= given->beads)
      status = rattle__fail(error, RATTLE_BAD_ARGUMENT, "pair_potential",
                            "pair_potential: bead %d of an exclusion does not exist: there are %lld", given->exclusions[e],
                            given->beads);
  return status;
}

static rattle_status check_box(const rattle_pair_potential *given, double cutoff, rattle_error *error) {
  for (int d = 0; d < 3; d++) {
    if (given->box[d] == 0) continue;
    if (!is_positive(given->box[d])) return refuse(error, "the edges of the box must be above 0");
    if (given->box[d] < 2 * cutoff)
      return rattle__fail(error, RATTLE_BAD_ARGUMENT, "pair_potential",
                          "pair_potential: an edge of the box is %g, and must be at least twice the cutoff, %g", given->box[d],
                          2 * cutoff);
  }
  return RATTLE_OK;
}

rattle_status rattle_model_add_pair_potential(rattle_model *model, const rattle_pair_potential *potential, rattle_error *error) {
  rattle_pair_potential own;
  rattle_status status = RATTLE__TAKE(&own, rattle_pair_potential, exclusions, potential, error);
  if (!status && !potential) status = refuse(error, "the potential is NULL");
  rattle__pairs_plan plan = {.column = own.pairs, .excludes = own.exclusions};
  if (!status) status = make_law(&plan.law, &own, error);
  if (!status) status = check_beads(model, &own, error);
  if (!status) status = check_box(&own, plan.law.cutoff, error);
  if (status) return status;
  memcpy(plan.box, own.box, sizeof plan.box);
  plan.beads = (int)own.beads;
  plan.excluded = (int)own.excluded;
  rattle__pairs **grown = rattle__room(model->force, model->forces, &model->forces_room, sizeof *grown);
  if (!grown) return rattle__no_memory(error);
  model->force = grown;
  status = rattle__pairs_create(&model->force[model->forces], &plan, error);
  model->forces += !status;
  return status;
}

int rattle_model_pair_potentials(const rattle_model *model) {
  return model->forces;
}

int rattle_model_smoothness(const rattle_model *model) {
  int least = 0;
  for (int k = 0; k < model->forces; k++) {
    const int own = rattle__pairs_law(model->force[k])->smooth;
    if (!least || own < least) least = own;
  }
  return least;
}
