/* Rows written out. See forms.h. */
#include "constraint/tree/forms.h"

#include <string.h>

static int create(rattle__form_source *forms, const rattle__function *g, rattle__arena *scratch) {
  const int answer = rattle__quadratic_create_in_part(&forms->g, g);
  if (answer < 0) scratch->failed = 1;
  if (answer) return 0;
  const rattle__quadratic *q = forms->g;
  const size_t rows = (size_t)q->rows, entries = (size_t)q->ptr[q->rows];
  rattle__ball *origin = rattle__arena_take(scratch, (size_t)q->vars * sizeof *origin);
  forms->F = rattle__arena_take(scratch, rows * sizeof *forms->F);
  forms->G = rattle__arena_take(scratch, (entries + 1) * sizeof *forms->G);
  forms->first = rattle__arena_take(scratch, (rows + 2) * sizeof *forms->first);
  forms->bend = rattle__arena_take(scratch, ((size_t)q->bends + 1) * sizeof *forms->bend);
  if (scratch->failed) return 0;
  rattle__quadratic_at(q, origin, forms->F, forms->G);
  for (int e = 0; e < q->bends; e++) forms->first[q->bend[e].row + 2]++;
  for (size_t i = 2; i < rows + 2; i++) forms->first[i] += forms->first[i - 1];
  for (int e = 0; e < q->bends; e++) forms->bend[forms->first[q->bend[e].row + 1]++] = e;
  return 1;
}

int rattle__forms_create(rattle__forms *forms, const rattle_problem *problem,
                         rattle__arena *scratch) {
  const rattle__function *of[2] = {problem->g, problem->omitted};
  *forms = (rattle__forms){.vars = problem->n};
  for (int k = 0; k < 2 && of[k]; k++) {
    if (!create(&forms->source[k], of[k], scratch)) return 0;
    forms->rows += of[k]->rows;
  }
  return 1;
}

void rattle__forms_destroy(rattle__forms *forms) {
  for (int k = 0; k < 2; k++) rattle__quadratic_destroy(&forms->source[k].g);
}

/* The function of a row, which becomes its number there. */
static const rattle__form_source *source_of(const rattle__forms *forms, int *row) {
  const int rows = forms->source[0].g->rows;
  if (*row < rows) return &forms->source[0];
  *row -= rows;
  return &forms->source[1];
}

int rattle__form_columns(const rattle__forms *forms, int row) {
  const rattle__form_source *s = source_of(forms, &row);
  return s->g->ptr[row + 1] - s->g->ptr[row];
}

static void measure(rattle__form *form) {
  form->size = 0;
  for (int k = 0; k < form->count; k++) {
    form->size = fmax(form->size, fabs(form->slope[k]));
    for (int l = 0; l < form->count; l++) form->size = fmax(form->size, fabs(form->bend[k][l]));
  }
}

int rattle__form_read(const rattle__forms *forms, int row, rattle__form *form) {
  const rattle__form_source *s = source_of(forms, &row);
  const rattle__quadratic *q = s->g;
  const int from = q->ptr[row];
  form->count = q->ptr[row + 1] - from;
  if (form->count > RATTLE__FORM_MOST || q->beyond[row]) return 0;
  memset(form->bend, 0, sizeof form->bend);
  form->constant = s->F[row].at;
  for (int k = 0; k < form->count; k++) {
    form->col[k] = q->col[from + k];
    if (form->col[k] >= forms->vars) return 0;
    form->slope[k] = s->G[from + k].at;
  }
  for (int e = s->first[row]; e < s->first[row + 1]; e++) {
    const rattle__bend *b = &q->bend[s->bend[e]];
    form->bend[b->a_at][b->b_at] += b->value.at;
  }
  measure(form);
  return form->size > 0;
}
