/* odd_record FILE: writes a record of 1001 samples in which positions, momenta, energy and
 * multipliers are not finite at times, and which has no model text. For the tests of pages. */
#include "record_fake.h"

static const char *const coordinates[] = {"x", "y", NULL};
static const char *const constraints[] = {"rod", NULL};
static const char *const observables[] = {"speed", NULL};

int main(int argc, char **argv) {
  rattle_record *record = NULL;
  rattle_error error;
  if (argc != 2) return 2;
  fake f = fake_problem(coordinates, constraints, observables);
  rattle_record_options options = fake_options(1000, 1);
  options.force = 1;
  if (rattle_record_create(&record, argv[1], f.problem, &options, &error))
    return fprintf(stderr, "%s\n", error.message), 1;
  rattle_observer *observer = rattle_record_observer(record);
  fake_sample s = fake_sample_room(&f);
  int failed = 0;
  for (long long step = 0; step <= 1000 && !failed; step++) {
    rattle_sample sample = *fake_fill(&f, &s, step);
    double angle = 0.05 * (double)step;
    s.q[0] = cos(angle), s.q[1] = sin(angle), s.p[0] = -sin(angle), s.p[1] = cos(angle);
    if (step >= 400 && step < 500) s.q[0] = (double)NAN, s.p[1] = (double)INFINITY;
    if (step >= 600 && step < 620)
      sample.energy = (double)NAN, s.multipliers[0] = -(double)INFINITY;
    if (step == 0) failed = observer->begin(observer->self, NULL, &sample, &error) != RATTLE_OK;
    if (!failed) failed = observer->record(observer->self, &sample, &error) != RATTLE_OK;
  }
  rattle_summary summary = fake_summary(0, 1000, RATTLE_OK, "");
  if (!failed) failed = observer->end(observer->self, &summary, &error) != RATTLE_OK;
  if (failed) fprintf(stderr, "%s\n", error.message);
  rattle_record_close(&record);
  free(s.q);
  fake_free(&f);
  return failed;
}
