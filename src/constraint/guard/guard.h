#ifndef RATTLE__GUARD_H
#define RATTLE__GUARD_H
/* The guard: whether the solution that a step found is the one that is connected with h = 0. A
 * kernel asks it about each of its steps:
 *
 *     rules/rules.h, rules/step_rules.h   the rules themselves, each in one text, for kernels that
 *     have their numbers in registers
 *     rattle__judge_natural_step          a natural step over sparse rows (step.h)
 *     rattle__judge_general_step          a step of a map in general, whose multipliers can be
 *     followed (follow.h)
 *     rattle__guarded_step                such a step with what follows from its judgement
 *     (follow.h)
 *     rattle__nondegeneracy_...           N from one end of the step to the other
 *     (nondegeneracy.h)
 *
 * rules/rules.def has the rules, their numbers and who asks which; docs/guards.md is printed from
 * it. */

typedef enum rattle__judgement {
  RATTLE__SOUND,   /* the step's own solution */
  RATTLE__RETRACE, /* no doubt, but nothing is known of what lies between the ends: it is made
                      again in parts, and followed if these are too long */
  RATTLE__FOLLOW   /* another solution, perhaps: the multipliers are followed from h = 0 */
} rattle__judgement;
#endif
