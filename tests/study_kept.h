#ifndef STUDY_KEPT_H
#define STUDY_KEPT_H
/* Studies in files are the same when they are loaded. */
#include <math.h>
#include <unistd.h>

#include "study_fixture.h"

static inline int same(double a, double b) {
  return memcmp(&a, &b, sizeof a) == 0;
}

static inline void assert_same_text(const char *a, const char *b) {
  assert_non_null(a);
  assert_non_null(b);
  assert_string_equal(a, b);
}

static inline int same_or_nan(double a, double b) {
  return same(a, b) || (isnan(a) && isnan(b));
}

static inline void assert_same_table(const rattle_study_table *a, const rattle_study_table *b) {
  assert_same_text(a->name, b->name);
  assert_true(a->rows == b->rows && a->columns == b->columns && a->bulk == b->bulk);
  for (int c = 0; c < a->columns; c++) assert_same_text(a->column[c], b->column[c]);
  for (int k = 0; k < a->rows * a->columns; k++) assert_true(same_or_nan(a->value[k], b->value[k]));
}

static inline void assert_same_method(const rattle_study_method *a, const rattle_study_method *b) {
  assert_same_text(a->method, b->method);
  assert_same_text(a->message, b->message);
  assert_same_text(a->verdict, b->verdict);
  assert_same_text(a->why, b->why);
  assert_memory_equal(&a->claims, &b->claims, sizeof a->claims);
  assert_int_equal(a->status, b->status);
  assert_true(a->fits == b->fits && a->figures == b->figures && a->tables == b->tables);
  for (int i = 0; i < a->figures; i++) {
    assert_same_text(a->figure[i].name, b->figure[i].name);
    assert_true(same_or_nan(a->figure[i].value, b->figure[i].value));
  }
  for (int i = 0; i < a->fits; i++) {
    const rattle_study_fit *f = &a->fit[i], *g = &b->fit[i];
    assert_same_text(f->name, g->name);
    assert_true(same_or_nan(f->slope, g->slope) && same_or_nan(f->uncertainty, g->uncertainty) &&
                f->points == g->points && same_or_nan(f->low, g->low) &&
                same_or_nan(f->high, g->high));
  }
  for (int i = 0; i < a->tables; i++) assert_same_table(&a->table[i], &b->table[i]);
}

/* Saved and loaded, a study is the same. Returns the path, to be unlinked. */
static inline const char *assert_kept(const fixture *f) {
  static char path[64];
  rattle_study *loaded = NULL;
  rattle_error error;
  snprintf(path, sizeof path, "/tmp/rattle-test-study-%d.h5", (int)getpid());
  unlink(path);
  if (rattle_study_save(f->study, path, 0, &error)) fail_msg("%s", error.message);
  if (rattle_study_load(&loaded, path, &error)) fail_msg("%s", error.message);
  const rattle_study_result *a = f->r, *b = rattle_study_result_of(loaded);
  assert_int_equal(a->kind, b->kind);
  assert_same_text(a->kind_name, b->kind_name);
  assert_same_text(a->title, b->title);
  assert_same_text(a->model_text, b->model_text);
  assert_same_text(a->created, b->created);
  assert_same_text(a->note, b->note);
  assert_same_text(a->verdict, b->verdict);
  assert_same_text(a->why, b->why);
  assert_same_text(a->reference.method, b->reference.method);
  assert_true(same(a->reference.error, b->reference.error) &&
              a->reference.steps == b->reference.steps);
  assert_true(same(a->stop, b->stop) && same_or_nan(a->frequency, b->frequency) && a->n == b->n &&
              a->m == b->m);
  assert_int_equal(a->parameters, b->parameters);
  for (int i = 0; i < a->parameters; i++) {
    assert_same_text(a->parameter[i].name, b->parameter[i].name);
    assert_true(same(a->parameter[i].value, b->parameter[i].value));
  }
  assert_true(a->methods == b->methods && a->figures == b->figures && a->status == b->status &&
              a->tables == b->tables);
  for (int i = 0; i < a->tables; i++) assert_same_table(&a->table[i], &b->table[i]);
  for (int i = 0; i < a->methods; i++) assert_same_method(&a->method[i], &b->method[i]);
  rattle_study_destroy(&loaded);
  return path;
}
#endif
