#ifndef CAMPAIGN_RULES_IN_SHADOW_H
#define CAMPAIGN_RULES_IN_SHADOW_H
/* Put before each source of the engine by the target `shadow` alone: the rules of the guard as they
 * are, but that each verdict passes through shadow_of, which notes it and may hold it back. A rule
 * that is held back is evaluated and does not decide.
 *
 * Each macro names the verdict that the rule is there for: doubt, or, of rules that take doubt
 * back, that there is none. Verdicts are those of one trajectory; kernels compiled at run time have
 * texts of their own, and are not seen. `has_one_root` is not here: a series converges by it. */
#include "constraint/guard/nondegeneracy.h"
#include "constraint/guard/normal_spaces.h"
#include "constraint/guard/power_iteration.h"
#include "constraint/guard/rules/rules.h"

/* The verdict that counts, where it is `verdict` and the rule at this place is not held back;
 * *place: what is known of the place, 0 at first. */
int shadow_of(int *place, const char *rule, const char *file, const char *how, int counts,
              int verdict);

#define SHADOW(rule, how, counts, verdict)                                                         \
  (__extension__({                                                                                 \
    static _Thread_local int place_;                                                               \
    shadow_of(&place_, #rule, __FILE__, how, counts, verdict);                                     \
  }))

#define rattle__fell_slowly(...) SHADOW(fell_slowly, "", 1, rattle__fell_slowly(__VA_ARGS__))
#define rattle__left_much(...) SHADOW(left_much, "", 1, rattle__left_much(__VA_ARGS__))
#define rattle__is_in_vain(...) SHADOW(is_in_vain, "", 1, rattle__is_in_vain(__VA_ARGS__))
#define rattle__is_beyond_fold(...)                                                                \
  SHADOW(is_beyond_fold, "", 1, rattle__is_beyond_fold(__VA_ARGS__))
#define rattle__pivot_is_positive(...)                                                             \
  SHADOW(pivot_is_positive, "", 0, rattle__pivot_is_positive(__VA_ARGS__))
#define rattle__determinant_is_positive(...)                                                       \
  SHADOW(determinant_is_positive, "", 0, rattle__determinant_is_positive(__VA_ARGS__))
#define rattle__pivot_is_small(...)                                                                \
  SHADOW(pivot_is_small, "", 1, rattle__pivot_is_small(__VA_ARGS__))
#define rattle__differs_by(...) SHADOW(differs_by, "", 1, rattle__differs_by(__VA_ARGS__))
#define rattle__N_changed(...) SHADOW(N_changed, "", 1, rattle__N_changed(__VA_ARGS__))
#define rattle__is_upright(...) SHADOW(is_upright, "", 0, rattle__is_upright(__VA_ARGS__))
#define rattle__bond_is_upright(...)                                                               \
  SHADOW(is_upright, "bonds", 0, rattle__bond_is_upright(__VA_ARGS__))
#define rattle__rows_differ(...) SHADOW(rows_differ, "", 1, rattle__rows_differ(__VA_ARGS__))
#define rattle__exceeds(x, a, part, work, h)                                                       \
  SHADOW(exceeds, #part, 1, rattle__exceeds(x, a, part, work, h))
#define rattle__is_independent(...)                                                                \
  SHADOW(is_independent, "", 0, rattle__is_independent(__VA_ARGS__))
#define rattle__pair_is_independent(...)                                                           \
  SHADOW(is_independent, "", 0, rattle__pair_is_independent(__VA_ARGS__))
#define rattle__matrix_is_independent(...)                                                         \
  SHADOW(is_independent, "", 0, rattle__matrix_is_independent(__VA_ARGS__))
#define rattle__normals_turned(...)                                                                \
  SHADOW(normals_turned, "", 1, rattle__normals_turned(__VA_ARGS__))
#define rattle__bond_normals_turned(...)                                                           \
  SHADOW(normals_turned, "bonds", 1, rattle__bond_normals_turned(__VA_ARGS__))
#define rattle__did_work(...) SHADOW(did_work, "", 1, rattle__did_work(__VA_ARGS__))
#define rattle__step_did_work(...) SHADOW(did_work, "", 1, rattle__step_did_work(__VA_ARGS__))
#define rattle__left_fibre(...) SHADOW(left_fibre, "", 1, rattle__left_fibre(__VA_ARGS__))
#define rattle__left_prediction(...)                                                               \
  SHADOW(left_prediction, "", 1, rattle__left_prediction(__VA_ARGS__))
#define rattle__matrix_changed(...)                                                                \
  SHADOW(matrix_changed, "", 1, rattle__matrix_changed(__VA_ARGS__))

/* those that have a source of their own, but for that source; the first takes doubt back */
#ifndef DEFINES_STAGES
#define rattle__stages_are_regular(...)                                                            \
  SHADOW(stages_are_regular, "", 1, rattle__stages_are_regular(__VA_ARGS__))
#endif
#ifndef DEFINES_GROWTH
#define rattle__spectral_radius_above_half(...)                                                    \
  SHADOW(spectral_radius_above_half, "", 1, rattle__spectral_radius_above_half(__VA_ARGS__))
#endif
#ifndef DEFINES_N
#define rattle__nondegeneracy_doubtful(...)                                                        \
  SHADOW(nondegeneracy_doubtful, "", 1, rattle__nondegeneracy_doubtful(__VA_ARGS__))
#define rattle__nondegeneracy_returned(...)                                                        \
  SHADOW(nondegeneracy_returned, "", 1, rattle__nondegeneracy_returned(__VA_ARGS__))
#define rattle__nondegeneracy_crossed(guard, z1, crossed, error)                                   \
  (__extension__({                                                                                 \
    const rattle_status status_ = rattle__nondegeneracy_crossed(guard, z1, crossed, error);        \
    *(crossed) = SHADOW(nondegeneracy_crossed, "", 1, *(crossed));                                 \
    status_;                                                                                       \
  }))
#endif
#endif
