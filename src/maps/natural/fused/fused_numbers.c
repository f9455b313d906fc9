/* See fused_numbers.h. */
#include "maps/natural/fused/fused_numbers.h"

#include "ground/expr/elements.h"
#include "problem/functions/whitened.h"

/* Lists with factors but `entries`. */
enum { FACTORED = 5 };

static const rattle__fused_list *list_of(const rattle__fused_plan *plan, int which) {
  const rattle__fused_list *const all[FACTORED] = {&plan->bends, &plan->bends_of_A,
                                                   &plan->R.products, &plan->A.products,
                                                   &plan->constant.inverse};
  return all[which];
}

static const rattle__function *kinetic_of(const rattle_problem *p) {
  return p->kinetic ? p->kinetic : p->T;
}

rattle__fused_numbers rattle__fused_numbers_of(const rattle_problem *problem,
                                               const rattle__fused_plan *plan) {
  rattle__fused_numbers s = {.g = rattle__function_inputs(rattle__inner_g(problem), NULL, 0),
                             .V = rattle__function_inputs(rattle__inner_V(problem), NULL, 0),
                             .white = rattle__whitening_numbers(problem)};
  if (problem->remassed || rattle__function_inputs(kinetic_of(problem), NULL, 0))
    s.masses = problem->n;
  if (s.g) s.groups = plan->entries.count;
  for (int k = 0; k < FACTORED && (s.g || s.masses); k++) s.plan += list_of(plan, k)->count;
  if (s.g || s.masses) s.spread = problem->m, s.norms = 3;
  s.count = s.g + s.V + s.masses + s.groups + s.plan + s.norms + s.spread + s.white;
  return s;
}

static double *put_factors(const rattle__fused_list *list, double *to, size_t stride) {
  for (int i = 0; i < list->count; i++, to += stride) *to = list->term[i].by;
  return to;
}

void rattle__fused_numbers_get(const rattle_problem *problem, const rattle__fused_plan *plan,
                               double *to, size_t stride) {
  const rattle__fused_numbers s = rattle__fused_numbers_of(problem, plan);
  to += (size_t)rattle__function_inputs(rattle__inner_g(problem), to, stride) * stride;
  to += (size_t)rattle__function_inputs(rattle__inner_V(problem), to, stride) * stride;
  for (int i = 0; i < s.masses; i++, to += stride) *to = rattle__inertia(problem)->diagonal[i];
  if (s.groups) to = put_factors(&plan->entries, to, stride);
  for (int k = 0; k < FACTORED && s.plan; k++) to = put_factors(list_of(plan, k), to, stride);
  const double norm[] = {plan->constant.bend, plan->constant.span, plan->constant.close};
  for (int i = 0; i < s.norms; i++, to += stride) *to = norm[i];
  for (int i = 0; i < s.spread; i++, to += stride) *to = plan->spread[i];
  for (int i = 0; i < problem->n && s.white; i++)
    for (int j = 0; j <= i; j++, to += stride)
      *to = problem->whitening->L[(size_t)i * (size_t)problem->n + (size_t)j];
}

const double *rattle__fused_numbers_take(const rattle_problem *problem,
                                         const rattle__fused_plan *plan, rattle__arena *arena) {
  const int count = plan ? rattle__fused_numbers_of(problem, plan).count : 0;
  double *number = count ? rattle__arena_doubles(arena, (size_t)count) : NULL;
  if (number) rattle__fused_numbers_get(problem, plan, number, 1);
  return number;
}

static int lists_agree(const rattle__fused_list *a, const rattle__fused_list *b) {
  int same = a->count == b->count;
  for (int i = 0; i < a->count && same; i++) {
    const rattle__fused_term *x = &a->term[i], *y = &b->term[i];
    same = x->kind == y->kind && x->a == y->a && x->b == y->b && x->c == y->c &&
           x->first == y->first && x->last == y->last && x->group == y->group;
  }
  return same;
}

int rattle__fused_numbers_agree(const rattle__fused_numbers *a, const rattle__fused_numbers *b) {
  return a->g == b->g && a->V == b->V && a->masses == b->masses && a->groups == b->groups &&
         a->plan == b->plan && a->norms == b->norms && a->spread == b->spread &&
         a->white == b->white;
}

int rattle__fused_plans_agree(const rattle__fused_plan *a, const rattle__fused_plan *b) {
  int same = a->bounded == b->bounded && a->constant.holds == b->constant.holds &&
             lists_agree(&a->entries, &b->entries);
  for (int k = 0; k < FACTORED; k++) same = same && lists_agree(list_of(a, k), list_of(b, k));
  return same && lists_agree(&a->R.eliminate, &b->R.eliminate) &&
         lists_agree(&a->A.eliminate, &b->A.eliminate) &&
         lists_agree(&a->R.substitute, &b->R.substitute) &&
         lists_agree(&a->A.substitute, &b->A.substitute);
}
