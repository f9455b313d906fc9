/* Rigid bodies in the rows of g: three triples of coordinates, of one mass each, with the rows
 * r_j.r_j = 1 and r_j.r_k = 0. A body's triples follow one another, in the order of their first
 * columns, and the three columns before them, of one mass, are its x. */
#include "constraint/tree/forms.h"

#include <string.h>

/* The triple of a row c (r.r - 1); 0: it is another row. */
static int is_unit(const rattle__form *f, int *col) {
  if (f->count != 3) return 0;
  const double c = f->bend[0][0];
  if (!rattle__is_nothing(f->constant + 0.5 * c, f->size)) return 0;
  for (int k = 0; k < 3; k++) {
    if (!rattle__is_nothing(f->slope[k], f->size)) return 0;
    for (int l = 0; l < 3; l++)
      if (!rattle__is_nothing(f->bend[k][l] - (k == l ? c : 0), f->size)) return 0;
    col[k] = f->col[k];
  }
  return 1;
}

/* True if the row is c r_j.r_k, for the columns a and b of r_j and r_k. */
static int is_product(const rattle__form *f, const int *a, const int *b) {
  double value[3] = {0};
  if (f->count != 6 || !rattle__is_nothing(f->constant, f->size)) return 0;
  for (int k = 0; k < 6; k++) {
    if (!rattle__is_nothing(f->slope[k], f->size)) return 0;
    for (int l = 0; l < 6; l++) {
      if (rattle__is_nothing(f->bend[k][l], f->size)) continue;
      int i = 0;
      while (i < 3 && !(f->col[k] == a[i] && f->col[l] == b[i]) &&
             !(f->col[k] == b[i] && f->col[l] == a[i]))
        i++;
      if (i == 3) return 0;
      value[i] = f->bend[k][l];
    }
  }
  return rattle__is_nothing(value[0] - value[1], f->size) &&
         rattle__is_nothing(value[0] - value[2], f->size);
}

/* The mass of three columns; 0: not one, or none. */
static double mass_of(const double *inverse_mass, const int *col) {
  const double w = inverse_mass[col[0]];
  if (!(w > 0) || inverse_mass[col[1]] != w || inverse_mass[col[2]] != w) return 0;
  return 1 / w;
}

/* A place among the triples: their rows, and for each column its triple + 1. */
typedef struct triples {
  int (*col)[3], *row, *of_column;
  int count;
} triples;

/* The product row of two triples, -1: there is none. Rows of a body are near each other: the search
 * goes on from the last one. */
static int product_row(const rattle__forms *g, const int *a, const int *b, int near) {
  rattle__form f;
  const int rows = g->rows;
  for (int k = 0; k < rows; k++) {
    const int i = (near + k) % rows;
    if (rattle__form_columns(g, i) != 6) continue;
    if (rattle__form_read(g, i, &f) && is_product(&f, a, b)) return i;
  }
  return -1;
}

/* The body of three triples. 0: they are none. */
static int take_body(const rattle__forms *g, const triples *t, int first,
                     const double *inverse_mass, rattle__tree_body *b, char *used) {
  int row[3];
  *b = (rattle__tree_body){.parent = -1, .joint = RATTLE__FLOATS};
  for (int j = 0; j < 3; j++) {
    const int *col = t->col[first + j], *next = t->col[first + (j + 1) % 3];
    memcpy(b->r[j], col, sizeof b->r[j]);
    b->d[j] = mass_of(inverse_mass, col);
    if (b->d[j] == 0) return 0;
    if ((row[j] = product_row(g, col, next, t->row[first + j])) < 0) return 0;
  }
  for (int i = 0; i < 3; i++) {
    b->x[i] = b->r[0][0] - 3 + i;
    if (b->x[i] < 0 || t->of_column[b->x[i]]) return 0;
  }
  b->m = mass_of(inverse_mass, b->x);
  if (b->m == 0) return 0;
  for (int j = 0; j < 3; j++) used[row[j]] = used[t->row[first + j]] = 1;
  return 1;
}

static void enter(const rattle__tree_body *b, int body, rattle__place *place) {
  for (int i = 0; i < 3; i++) {
    place[b->x[i]] = (rattle__place){body, 0, i};
    for (int j = 0; j < 3; j++) place[b->r[j][i]] = (rattle__place){body, j + 1, i};
  }
}

/* The triples of the unit rows, in the order of their first columns; `at` [vars] is scratch. */
static int find_triples(const rattle__forms *g, triples *t, int *at) {
  rattle__form f;
  int col[3];
  for (int i = 0; i < g->rows; i++) {
    if (rattle__form_columns(g, i) != 3) continue;
    if (!rattle__form_read(g, i, &f) || !is_unit(&f, col)) continue;
    for (int k = 0; k < 3; k++) {
      if (t->of_column[col[k]]) return 0;
      t->of_column[col[k]] = i + 1;
    }
    at[col[0]] = 1;
  }
  for (int c = 0; c < g->vars; c++) {
    if (!at[c]) continue;
    t->row[t->count] = t->of_column[c] - 1;
    (void)rattle__form_read(g, t->row[t->count], &f);
    (void)is_unit(&f, t->col[t->count++]);
  }
  return t->count > 0;
}

int rattle__bodies_find(const rattle__forms *forms, const double *inverse_mass,
                        rattle__tree_body *body, rattle__place *place, char *used) {
  const size_t vars = (size_t)forms->vars;
  rattle__arena scratch = {0};
  triples t = {0};
  t.col = rattle__arena_take(&scratch, vars * sizeof *t.col);
  t.row = rattle__arena_take(&scratch, vars * sizeof *t.row);
  t.of_column = rattle__arena_take(&scratch, vars * sizeof *t.of_column);
  int *at = rattle__arena_take(&scratch, vars * sizeof *at), bodies = -1;
  if (!scratch.failed) {
    for (size_t c = 0; c < vars; c++) place[c].body = -1;
    bodies = 0;
    const int good = find_triples(forms, &t, at);
    for (int first = 0; first + 3 <= t.count && good; first++) {
      if (!take_body(forms, &t, first, inverse_mass, &body[bodies], used)) continue;
      enter(&body[bodies], bodies, place), bodies++;
      first += 2;
    }
  }
  rattle__arena_release(&scratch);
  return bodies;
}
