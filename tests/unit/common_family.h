#ifndef COMMON_FAMILY_H
#define COMMON_FAMILY_H
/* Families of periodic orbits for tests: how they are followed, and their table. */
#include <math.h>

#include "../study_fixture.h"

static const double pi = 3.14159265358979323846;

/* With what all families here have. */
static inline rattle_study_options family_options(rattle_study_options how) {
  how.struct_size = sizeof how;
  how.start = how.stop = (double)NAN;
  how.threads = 1;
  return how;
}

/* Along `parameter` of the model, or as how.along says where that is NULL. */
static inline fixture family_of(const char *text, const char *method, const char *parameter,
                                rattle_study_options how) {
  how = family_options(how);
  if (parameter) how.along = RATTLE_FAMILY_PARAMETER, how.parameter = parameter;
  how.method = &method, how.methods = 1;
  fixture f = study_of(text, RATTLE_STUDY_FAMILY, how);
  if (f.r->method[0].status) fail_msg("%s", f.r->method[0].message);
  return f;
}

/* row < 0: from the end */
static inline double entry(const fixture *f, int row, const char *column) {
  const rattle_study_table *table = rattle_study_find_table(&f->r->method[0], "family");
  return rattle_study_entry(table, row < 0 ? table->rows + row : row, column);
}

static inline int rows_of(const fixture *f) {
  return (int)figure(f->r, 0, "points");
}

/* A family that was followed to its end, with no event. */
static inline void expect_whole(const fixture *f, const char *column, double to, double tolerance) {
  assert_string_equal(f->r->method[0].verdict, "complete");
  assert_true(rows_of(f) > 5 && figure(f->r, 0, "events") == 0 &&
              entry(f, -1, "event") == RATTLE_FAMILY_END);
  assert_true(fabs(entry(f, -1, column) - to) <= tolerance);
}

/* An event of a family that is known; tolerance INFINITY: its place is not. */
typedef struct family_event {
  rattle_family_event event;
  double at, tolerance;
} family_event;

/* The events of the family are these, in order, at these values of `column`. */
static inline void expect_events(const fixture *f, const char *column, const family_event *known,
                                 int count) {
  int events = 0;
  for (int row = 0; row < rows_of(f); row++) {
    const int event = (int)entry(f, row, "event");
    if (event == RATTLE_FAMILY_NONE || event == RATTLE_FAMILY_END) continue;
    assert_true(events < count);
    assert_int_equal(event, known[events].event);
    const double at = entry(f, row, column);
    if (!(fabs(at - known[events].at) <= known[events].tolerance))
      fail_msg("event %d at %.10g", events, at);
    events++;
  }
  assert_int_equal(events, count);
}

/* Of a pendulum, 2 pi sqrt(l/g)/agm(1, cos(a/2)), E = -g l cos a */
static inline double pendulum_period(double g, double l, double E) {
  double a = 1, b = sqrt((1 - E / (g * l)) / 2);
  for (int k = 0; k < 8; k++) {
    const double mean = (a + b) / 2;
    b = sqrt(a * b), a = mean;
  }
  return 2 * pi * sqrt(l / g) / a;
}
#endif
