/* The lists of fused_plan.h as the text of a kernel says them, walked: for instances of the
 * library. Before inclusion: N, M, FORCES and SELF, which has a `plan` and a `thrust`. */
#ifndef RATTLE__FUSED_WALK_H
#define RATTLE__FUSED_WALK_H
#define EACH_N(DO)                                                                                 \
  for (int i_ = 0; i_ < N; i_++) {                                                                 \
    DO(i_)                                                                                         \
  }
#define EACH_M(DO)                                                                                 \
  for (int i_ = 0; i_ < M; i_++) {                                                                 \
    DO(i_)                                                                                         \
  }
#define EACH_FORCE(DO)                                                                             \
  for (int i_ = 0; i_ < FORCES; i_++) {                                                            \
    DO(i_)                                                                                         \
  }
#define SLOPES(DO)                                                                                 \
  for (const rattle__fused_slope *t = SELF->thrust->slope, *end = t + SELF->thrust->slopes;        \
       t < end; t++) {                                                                             \
    DO(t->e, t->i, t->j, t->c)                                                                     \
  }
#define WALK(list)                                                                                 \
  for (const rattle__fused_term *t = SELF->plan->list.term, *end = t + SELF->plan->list.count;     \
       t < end; t++)
#define ENTRIES(DO)                                                                                \
  WALK(entries) {                                                                                  \
    DO(t->a, t->b, t->c, t->first, t->last, t->group, t->by)                                       \
  }
#define EACH_BEND(DO)                                                                              \
  WALK(bends) {                                                                                    \
    DO(t->a, t->b, t->c, t->first, t->by)                                                          \
  }
#define EACH_BEND_OF_A(DO)                                                                         \
  WALK(bends_of_A) {                                                                               \
    DO(t->a, t->b, t->c, t->first, t->by)                                                          \
  }
#define PRODUCTS_R(DO)                                                                             \
  WALK(R.products) {                                                                               \
    DO(t->a, t->b, t->c, t->first, t->by)                                                          \
  }
#define PRODUCTS_A(DO)                                                                             \
  WALK(A.products) {                                                                               \
    DO(t->a, t->b, t->c, t->first, t->by)                                                          \
  }
#define EACH_INVERSE(DO)                                                                           \
  WALK(constant.inverse) {                                                                         \
    DO(t->a, t->b, t->c, t->first, t->by)                                                          \
  }
#define ELIMINATE_R(...)                                                                           \
  WALK(R.eliminate) {                                                                              \
    ONE_OF(__VA_ARGS__)                                                                            \
  }
#define ELIMINATE_A(...)                                                                           \
  WALK(A.eliminate) {                                                                              \
    ONE_OF(__VA_ARGS__)                                                                            \
  }
#define SUBSTITUTE_R(...)                                                                          \
  WALK(R.substitute) {                                                                             \
    ONE_OF(__VA_ARGS__)                                                                            \
  }
#define SUBSTITUTE_A(...)                                                                          \
  WALK(A.substitute) {                                                                             \
    ONE_OF(__VA_ARGS__)                                                                            \
  }
#define ONE_OF(FIRST, SECOND, THIRD)                                                               \
  if (t->kind == 0) {                                                                              \
    FIRST(t->a, t->b, t->c, t->first)                                                              \
  } else if (t->kind == 1) {                                                                       \
    SECOND(t->a, t->b, t->c, t->first)                                                             \
  } else {                                                                                         \
    THIRD(t->a, t->b, t->c, t->first)                                                              \
  }
#define EACH_A(DO)                                                                                 \
  for (int i_ = 0; i_ < M * M; i_++) {                                                             \
    DO(i_)                                                                                         \
  }
#endif
