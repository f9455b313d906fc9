#ifndef RATTLE_TESTS_CHANGES_H
#define RATTLE_TESTS_CHANGES_H
/* Runs of models whose constraints begin and end, and their changes. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "made.h"
#include "rattle/tangent.h"

#define G 9.81

static inline void near(double found, double right, double tolerance) {
  if (!(fabs(found - right) <= tolerance)) fail_msg("%.17g, not %.17g", found, right);
}

typedef struct change {
  char name[40];
  double time, q[24], p[24], work;
  int direction;
} change;

typedef struct seen_changes {
  int count, n;
  change is[600];
} seen_changes;

static inline rattle_status hear(void *self, const rattle_occurrence *o, rattle_error *error) {
  (void)error;
  seen_changes *t = self;
  if (t->count == 600) return RATTLE_OK;
  change *c = &t->is[t->count++];
  snprintf(c->name, sizeof c->name, "%s", o->name);
  c->time = o->sample->time, c->direction = o->direction, c->work = o->sample->work;
  memcpy(c->q, o->sample->q, (size_t)t->n * sizeof *c->q);
  memcpy(c->p, o->sample->p, (size_t)t->n * sizeof *c->p);
  return RATTLE_OK;
}

static inline rattle_summary run(made *m, long long steps, seen_changes *t) {
  rattle_error error;
  rattle_summary summary = {.struct_size = sizeof summary};
  rattle_observer observer = {.struct_size = sizeof observer, .self = t, .event = hear},
                  *all[] = {&observer};
  const rattle_run_options how = {
      .struct_size = sizeof how, .steps = steps, .every = 1, .initial_energy = (double)NAN};
  t->count = 0, t->n = m->n;
  assert_true(m->n <= 24);
  if (rattle_run(m->integrator, &m->state, &how, all, 1, &summary, &error))
    fail_msg("%s", error.message);
  return summary;
}

#define FLOOR(e) "constrain('floor', y)\none_sided { constraint = 'floor', restitution = " e " }\n"
#define BALL                                                                                       \
  "local y, py = pair('y')\nmass { y = 2 }\npotential(2*9.81*y)\nstart { y = 1 }\n" FLOOR("0.5")

#endif
