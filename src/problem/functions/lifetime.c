/* From the first holder of a problem to the last. */
#include <stdlib.h>

#include "ground/expr/native.h"
#include "problem/functions/problem.h"
#include "problem/functions/split.h"
#include "problem/model/model.h"

/* A problem, and who holds it, of which its views are no copies. */
struct rattle__held_problem {
  rattle_problem is;
  rattle__holders holders;
  void (*release)(
      void *context); /* of callbacks: the context is needed no more; NULL: nobody wants to know */
  void *context;
};

rattle_problem *rattle__problem_allocate(void) {
  struct rattle__held_problem *held = calloc(1, sizeof *held);
  if (!held) return NULL;
  held->is.held = held;
  held->is.nailed = -1;
  return &held->is;
}

void rattle__problem_tell(rattle_problem *problem, void (*release)(void *context), void *context) {
  problem->held->release = release;
  problem->held->context = context;
}

int rattle__problem_is_shared(const rattle_problem *problem) {
  const rattle_model *model = problem->model;
  return rattle__other_holders(&problem->held->holders) > 0 ||
         (model && rattle__other_holders(&((rattle_model *)model)->holders) > 1);
}

rattle_problem *rattle_problem_retain(const rattle_problem *problem) {
  if (problem) rattle__join(&problem->held->holders);
  return (rattle_problem *)problem;
}

void rattle_problem_destroy(rattle_problem **problem) {
  if (!problem || !*problem) return;
  rattle_problem *p = *problem;
  *problem = NULL;
  if (!rattle__leave(&p->held->holders)) return;
  rattle__function_destroy(&p->H);
  rattle__function_destroy(&p->energy);
  rattle__function_destroy(&p->force);
  rattle__function_destroy(&p->V);
  rattle__function_destroy(&p->bonded);
  rattle__function_destroy(&p->T);
  rattle__function_destroy(&p->kinetic);
  rattle__function_destroy(&p->g);
  rattle__function_destroy(&p->velocity);
  rattle__function_destroy(&p->implied);
  rattle__function_destroy(&p->terms);
  rattle__function_destroy(&p->omitted);
  rattle__function_destroy(&p->shares);
  rattle__function_destroy(&p->observed);
  rattle__function_destroy(&p->events);
  rattle__function_destroy(&p->next);
  rattle__function_destroy(&p->conditions);
  rattle__function_destroy(&p->angles);
  free(p->angle);
  rattle__function_destroy(&p->fibre);
  rattle__function_destroy(&p->flow);
  for (int i = 0; i < p->n && p->coordinate_name; i++) free(p->coordinate_name[i]);
  for (int i = 0; i < p->m && p->constraint_name; i++) free(p->constraint_name[i]);
  free(p->pushed);
  free(p->velocity_row), free(p->cited_at);
  free(p->coordinate_name);
  free(p->constraint_name);
  rattle__halves_destroy(&p->split);
  for (int i = 0; i < RATTLE__PARTS; i++) rattle__native_unload(&p->library[i]);
  rattle__mass_destroy(&p->mass);
  rattle__mass_destroy(&p->inertia);
  rattle_model *model = (rattle_model *)p->model;
  rattle_model_destroy(&model);
  if (p->held->release) p->held->release(p->held->context);
  free(p->held);
}
