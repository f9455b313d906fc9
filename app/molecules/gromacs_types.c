/* Types of atoms, bonds, constraints and angles of GROMACS. */
#include <ctype.h>
#include <math.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "molecules/gromacs.h"

int gromacs_compare(const char *a, const char *b) {
  int x, y;
  do {
    while (*a == '_' || *a == '-') a++;
    while (*b == '_' || *b == '-') b++;
    x = tolower((unsigned char)*a), y = tolower((unsigned char)*b);
  } while (x == y && *a++ && *b++);
  return x - y;
}

rattle_status gromacs_copy_name(const topology_reader *r, const char *word, char *name) {
  if (strlen(word) >= GROMACS_NAME)
    return topology_wrong(r, "%.60s: names of more than %d characters are not understood", word,
                          GROMACS_NAME - 1);
  strcpy(name, word);
  return RATTLE_OK;
}

static int by_name(const void *a, const void *b) {
  return strcmp(((const gromacs_type *)a)->name, ((const gromacs_type *)b)->name);
}

static const char *end_of(const gromacs_row *row) {
  return row->name[row->table == GROMACS_ANGLES ? 2 : 1];
}

static int by_key(const void *a, const void *b) {
  const gromacs_row *p = a, *q = b;
  if (p->table != q->table) return p->table - q->table;
  if (p->function != q->function) return p->function - q->function;
  for (int k = 0; k < 3; k++) {
    const int order = strcmp(p->name[k], q->name[k]);
    if (order) return order;
  }
  return 0;
}

/* Names of one direction: the least of both ends is first. */
static void direct(gromacs_row *row) {
  char end[GROMACS_NAME];
  if (strcmp(row->name[0], end_of(row)) <= 0) return;
  strcpy(end, end_of(row));
  strcpy(row->name[row->table == GROMACS_ANGLES ? 2 : 1], row->name[0]);
  strcpy(row->name[0], end);
}

/* name [bonded type] [atomic number] mass charge ptype ... */
rattle_status gromacs_atom_type(gromacs_file *f, const topology_reader *r, int unused) {
  (void)unused;
  int letter = 0;
  for (int k = 3; k < r->words && k < 6 && !letter; k++)
    if (!r->word[k][1] && strchr("AVDS", r->word[k][0])) letter = k;
  if (!letter)
    return topology_wrong(r, "an atom type has a mass, a charge and one of the letters A, D, S, V");
  gromacs_type *made = calloc(1, sizeof *made);
  if (!made) return RATTLE_NO_MEMORY;
  made->before = f->last_type, f->last_type = made;
  made->letter = r->word[letter][0];
  rattle_status status = gromacs_copy_name(r, r->word[0], made->name);
  const int bonded = letter > 3 && isalpha((unsigned char)r->word[1][0]);
  if (!status) status = gromacs_copy_name(r, r->word[bonded], made->bonded);
  if (!status) status = topology_number(r, letter - 2, "a mass", &made->mass);
  if (status) return status;
  gromacs_type **known = tsearch(made, &f->types, by_name);
  if (!known) return RATTLE_NO_MEMORY;
  if (*known != made && (*known)->mass != made->mass)
    status =
        topology_remark(f->t, r, "[ atomtypes ] %.40s: the mass %g replaces %g of an earlier line",
                        made->name, made->mass, (*known)->mass);
  *known = made;
  return status;
}

const gromacs_type *gromacs_find_type(const gromacs_file *f, const char *name) {
  gromacs_type wanted = {.mass = 0};
  if (strlen(name) >= GROMACS_NAME) return NULL;
  strcpy(wanted.name, name);
  gromacs_type *const *found = tfind(&wanted, &f->types, by_name);
  return found ? *found : NULL;
}

rattle_status gromacs_function(const topology_reader *r, int at, int *function) {
  long long number = 1;
  const rattle_status status =
      at < r->words ? topology_whole(r, at, "the number of a function", 1, 10, &number) : RATTLE_OK;
  *function = (int)number;
  return status;
}

/* How many numbers a function has that is understood, 0: it is not; *second: for a state B. */
static int count_numbers(int table, int function, int *second) {
  static const int first[GROMACS_TABLES][11] = {
      {0, 2, 2, 3, 3, 0, 2, 0, 0, 0, 0}, {0, 1, 1}, {0, 2, 2, 0, 0, 4, 0, 0, 0, 0, 2}};
  const int cubic = table == GROMACS_BONDS && function == 4;
  *second = cubic ? 0 : first[table][function];
  return first[table][function];
}

/* d2E/dvalue2 at rest, of numbers a and b after the length or the angle. */
static double stiffness(int table, int function, double value, double a, double b) {
  if (table == GROMACS_CONSTRAINTS) return (double)INFINITY;
  if (table == GROMACS_ANGLES) return function == 2 ? a * sin(value) * sin(value) : a;
  return function == 2   ? 2 * a * value * value /* K/4 (r^2 - value^2)^2 */
         : function == 3 ? 2 * a * b * b         /* Morse's */
         : function == 4 ? 2 * a                 /* cubic */
                         : a;
}

rattle_status gromacs_numbers(gromacs_file *f, const topology_reader *r, int table, int function,
                              int at, topology_entry *entry) {
  int second = 0;
  const int numbers = count_numbers(table, function, &second), given = r->words - at - 1;
  double more[2] = {0};
  if (given != numbers && given != numbers + second)
    return second ? topology_wrong(r,
                                   "%d numbers follow function %d; it has %d, and as many again "
                                   "for a second state",
                                   given, function, numbers)
                  : topology_wrong(r, "%d numbers follow function %d; it has %d", given, function,
                                   numbers);
  rattle_status status = topology_number(r, at + 1, "a length or an angle", &entry->value);
  for (int k = 2; k <= numbers && k < 4 && !status; k++)
    status = topology_number(r, at + k, "a force constant", &more[k - 2]);
  if (status) return status;
  if (table == GROMACS_ANGLES) entry->value = topology_radians(entry->value);
  entry->constant = stiffness(table, function, entry->value, more[0], more[1]);
  return given > numbers
             ? topology_remark(f->t, r, "%s: numbers of a second state (B) are left out", f->title)
             : RATTLE_OK;
}

rattle_status gromacs_row_read(gromacs_file *f, const topology_reader *r, int table) {
  static const char *const titles[] = {"[ bondtypes ]", "[ constrainttypes ]", "[ angletypes ]"};
  const int of = table == GROMACS_ANGLES ? 3 : 2;
  int function = 0, second = 0;
  if (r->words <= of)
    return topology_wrong(r, "names of types and the number of a function are expected");
  rattle_status status = gromacs_function(r, of, &function);
  if (status || !count_numbers(table, function, &second)) return status; /* no kept lengths */
  gromacs_row *made = calloc(1, sizeof *made);
  if (!made) return RATTLE_NO_MEMORY;
  made->before = f->last_row, f->last_row = made;
  made->table = table, made->function = function;
  for (int k = 0; k < of && !status; k++) status = gromacs_copy_name(r, r->word[k], made->name[k]);
  if (!status) status = gromacs_numbers(f, r, table, function, of, &made->entry);
  if (status) return status;
  direct(made);
  made->entry.source = topology_source_of(f->t, r, titles[table], f->t->sources);
  gromacs_row **known = tsearch(made, &f->rows, by_key);
  if (!known || made->entry.source < 0) return RATTLE_NO_MEMORY;
  if (*known != made && (*known)->entry.value != made->entry.value)
    status = topology_remark(f->t, r, "%s: this line for %.40s and %.40s replaces line %lld",
                             titles[table], made->name[0], end_of(made),
                             f->t->source[(*known)->entry.source]->line);
  *known = made;
  return status;
}

const gromacs_row *gromacs_find_row(const gromacs_file *f, const gromacs_molecule *m, int table,
                                    int function, const int *atom) {
  gromacs_row wanted = {.table = table, .function = function};
  for (int k = 0; k < (table == GROMACS_ANGLES ? 3 : 2); k++)
    strcpy(wanted.name[k], m->type[atom[k]]->bonded);
  direct(&wanted);
  gromacs_row *const *found = tfind(&wanted, &f->rows, by_key);
  return found ? *found : NULL;
}

void gromacs_types_free(gromacs_file *f) {
  while (f->types) tdelete(*(gromacs_type *const *)f->types, &f->types, by_name);
  while (f->rows) tdelete(*(gromacs_row *const *)f->rows, &f->rows, by_key);
  for (gromacs_type *k = f->last_type, *before; k; k = before) before = k->before, free(k);
  for (gromacs_row *k = f->last_row, *before; k; k = before) before = k->before, free(k);
}
