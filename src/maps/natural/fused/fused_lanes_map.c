/* See fused_lanes_map.h. */
#include "maps/natural/fused/fused_lanes_map.h"

#include "ground/expr/native.h"

int rattle__fused_wide_join(rattle__fused_wide *w, int lane, const rattle_problem *problem,
                            const rattle__fused_plan *plan, void *self) {
  const size_t lanes = (size_t)w->code.lanes, group = (size_t)lane / lanes;
  if (!plan || problem->g->rows != w->rows || problem->n != w->n ||
      !rattle__fused_plans_agree(w->plan, plan))
    return 0;
  const rattle__fused_numbers numbers = rattle__fused_numbers_of(problem, plan);
  if (!rattle__fused_numbers_agree(&numbers, &w->numbers)) return 0;
  double *to = w->number + group * (size_t)numbers.count * lanes + (size_t)lane % lanes;
  if (numbers.count) rattle__fused_numbers_get(problem, plan, to, lanes);
  w->of[lane] = self;
  return 1;
}

int rattle__fused_wide_make(rattle__fused_wide *w, rattle__context *context,
                            const rattle__scheme *scheme, int project,
                            const rattle__fused_plan *plan, int lanes) {
  const rattle_problem *problem = context->problem;
  rattle__native_unload(&w->code.library);
  w->code = rattle__fused_lanes_native(context, scheme, project, plan, lanes);
  const int width = w->code.width;
  if (width == 1) return 1;
  w->n = problem->n, w->rows = problem->m, w->plan = plan;
  w->numbers = rattle__fused_numbers_of(problem, plan);
  w->number = rattle__arena_doubles(&context->arena, (size_t)(w->numbers.count * width));
  w->of = rattle__arena_take(&context->arena, (size_t)width * sizeof *w->of);
  w->t0 = rattle__arena_doubles(&context->arena, 2 * (size_t)width);
  w->step = w->t0 ? w->t0 + width : NULL;
  return w->of && w->number && w->t0 ? width : 1;
}

int rattle__fused_wide_give(rattle__fused_wide *w, rattle__context *context, const double *h,
                            int stages) {
  const int lengths = stages * w->code.width;
  const struct rattle__times *times = context->lane_times;
  if (lengths > w->inverses)
    w->inverse_h = rattle__arena_doubles(&context->arena, (size_t)lengths), w->inverses = lengths;
  if (!w->inverse_h) w->inverses = 0;
  for (int k = 0; k < w->inverses && k < lengths; k++) w->inverse_h[k] = 1 / h[k];
  for (int lane = 0; lane < w->code.width && times; lane++)
    w->t0[lane] = times[lane].t0, w->step[lane] = (double)times[lane].step;
  w->given = (rattle__fused_given){h,       w->inverse_h, w->number,        w->t0,
                                   w->step, stages,       w->numbers.count, w->given.seen};
  return w->inverse_h != NULL;
}
