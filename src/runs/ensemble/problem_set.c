/* The problems that cases have named. */
#include <stdint.h>
#include <stdlib.h>

#include "ground/support/error.h"
#include "runs/ensemble/worker.h"

/* The slot that has the problem, or that it would have. */
static rattle_problem **slot_of(const rattle__problem_set *set, const rattle_problem *problem) {
  size_t k = (size_t)(((uint64_t)(uintptr_t)problem >> 4) * 0x9e3779b97f4a7c15U >> 32) % set->room;
  while (set->slot[k] && set->slot[k] != problem) k = (k + 1) % set->room;
  return &set->slot[k];
}

static rattle_status grow(rattle__problem_set *set, rattle_error *error) {
  rattle__problem_set larger = {.room = 4 * set->room + 16, .count = set->count};
  larger.slot = calloc(larger.room, sizeof *larger.slot);
  if (!larger.slot) return rattle__no_memory(error);
  for (size_t k = 0; k < set->room; k++)
    if (set->slot[k]) *slot_of(&larger, set->slot[k]) = set->slot[k];
  free(set->slot);
  *set = larger;
  return RATTLE_OK;
}

rattle_status rattle__problem_set_hold(rattle__problem_set *set, const rattle_problem *problem,
                                       rattle_error *error) {
  if (!problem) return RATTLE_OK;
  const rattle_status status = 2 * set->count >= set->room ? grow(set, error) : RATTLE_OK;
  if (status) return status;
  rattle_problem **slot = slot_of(set, problem);
  if (*slot) return RATTLE_OK;
  *slot = rattle_problem_retain(problem);
  set->count++;
  return RATTLE_OK;
}

void rattle__problem_set_release(rattle__problem_set *set) {
  for (size_t k = 0; k < set->room; k++) rattle_problem_destroy(&set->slot[k]);
  free(set->slot);
  *set = (rattle__problem_set){0};
}
