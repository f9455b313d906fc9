/* Rows written out. See forms.h. */
#include "constraint/tree/forms.h"

#include <string.h>

int rattle__forms_create(rattle__forms *forms, const rattle__function *g, rattle__arena *scratch) {
  *forms = (rattle__forms){0};
  const int answer = rattle__quadratic_create(&forms->g, g);
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

static void measure(rattle__form *form) {
  form->size = 0;
  for (int k = 0; k < form->count; k++) {
    form->size = fmax(form->size, fabs(form->slope[k]));
    for (int l = 0; l < form->count; l++) form->size = fmax(form->size, fabs(form->bend[k][l]));
  }
}

int rattle__form_read(const rattle__forms *forms, int row, rattle__form *form) {
  const rattle__quadratic *q = forms->g;
  const int from = q->ptr[row];
  form->count = q->ptr[row + 1] - from;
  if (form->count > RATTLE__FORM_MOST) return 0;
  memset(form->bend, 0, sizeof form->bend);
  form->constant = forms->F[row].at;
  for (int k = 0; k < form->count; k++) {
    form->col[k] = q->col[from + k];
    form->slope[k] = forms->G[from + k].at;
  }
  for (int e = forms->first[row]; e < forms->first[row + 1]; e++) {
    const rattle__bend *b = &q->bend[forms->bend[e]];
    form->bend[b->a_at][b->b_at] += b->value.at;
  }
  measure(form);
  return form->size > 0;
}
