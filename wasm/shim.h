#ifndef WASM_SHIM_H
#define WASM_SHIM_H
/* What the functions of the module share. */
#include <emscripten.h>

#include "pages/report/page.h"
#include "rattle/trajectory.h"

typedef struct live_state {
  rattle_model *model;
  report_drawn drawn; /* what the model draws, observed after what it observes itself */
  rattle_problem *problem;
  rattle_integrator *integrator;
  rattle_trajectory *trajectory;
  rattle_state at;
  rattle_summary summary; /* of the whole run */
  double *start;          /* q, p [2n]: of the model with its settings */
  double *z;              /* q, p [2n]: where the run is */
  double moved[2];        /* how far the start was projected, in q and p */
  double stop;
  long long every;
  rattle_error error;
  char *text, *numbers; /* the last answer */
} live_state;
extern live_state live;

#endif
