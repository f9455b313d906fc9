/* Coefficients of styles of bonds and angles: the value at rest, and the force constant there. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "molecules/lammps.h"

static double twice_first(const double *c) {
  return 2 * c[0];
}
static double twice_second(const double *c) {
  return 2 * c[1];
}
static double first(const double *c) {
  return c[0];
}
static double half_first(const double *c) {
  return c[0] / 2;
}
static double morse(const double *c) {
  return 2 * c[0] * c[1] * c[1];
}
static double nonlinear(const double *c) {
  return 2 * c[0] / (c[2] * c[2]);
}
static double shifted(const double *c) {
  return 2 * c[0] / ((c[1] - c[2]) * (c[1] - c[2]));
}
static double of_squares(const double *c) {
  return 8 * c[0] * c[1] * c[1];
}
static double of_cosines(const double *c) {
  const double sine = sin(topology_radians(c[1]));
  return 2 * c[0] * sine * sine;
}
static double unknown(const double *c) {
  (void)c;
  return 0;
}

/* How many numbers, which of them is the value at rest, d2E/dvalue2 there. */
typedef struct style {
  int kind;
  const char *name;
  int numbers, rest;
  double (*stiff)(const double *);
} style;
static const style styles[] = {{LAMMPS_BONDS, "harmonic", 2, 1, twice_first},
                               {LAMMPS_BONDS, "class2", 4, 0, twice_second},
                               {LAMMPS_BONDS, "morse", 3, 2, morse},
                               {LAMMPS_BONDS, "nonlinear", 3, 1, nonlinear},
                               {LAMMPS_BONDS, "harmonic/shift", 3, 1, shifted},
                               {LAMMPS_BONDS, "harmonic/shift/cut", 3, 1, shifted},
                               {LAMMPS_BONDS, "gromos", 2, 1, of_squares},
                               {LAMMPS_BONDS, "mm3", 2, 1, twice_first},
                               {LAMMPS_BONDS, "zero", 1, 0, unknown},
                               {LAMMPS_ANGLES, "harmonic", 2, 1, twice_first},
                               {LAMMPS_ANGLES, "charmm", 4, 1, twice_first},
                               {LAMMPS_ANGLES, "class2", 4, 0, twice_second},
                               {LAMMPS_ANGLES, "class2/p6", 6, 0, twice_second},
                               {LAMMPS_ANGLES, "quartic", 4, 0, twice_second},
                               {LAMMPS_ANGLES, "cosine/squared", 2, 1, of_cosines},
                               {LAMMPS_ANGLES, "cosine/delta", 2, 1, first},
                               {LAMMPS_ANGLES, "cosine/shift", 2, 1, half_first},
                               {LAMMPS_ANGLES, "mm3", 2, 1, twice_first},
                               {LAMMPS_ANGLES, "zero", 1, 0, unknown}};

/* NULL: not known. */
static const style *find(int kind, const char *name) {
  for (size_t k = 0; k < sizeof styles / sizeof *styles; k++)
    if (styles[k].kind == kind && !strcmp(styles[k].name, name)) return &styles[k];
  return NULL;
}

/* The style of a line: its second word, the remark of the section, or the count of its numbers.
 * *from: word of the first number. */
static rattle_status find_style(lammps_file *f, int kind, const char *remark, int *from,
                                const style **found) {
  topology_reader *r = f->r;
  const int named = r->words > 1 && isalpha((unsigned char)r->word[1][0]);
  const char *name = named ? r->word[1] : remark;
  const int numbers = r->words - 1 - named;
  *from = 1 + named;
  *found = NULL;
  if (*name && strcmp(name, "hybrid")) {
    *found = find(kind, name);
    return *found ? RATTLE_OK
                  : topology_remark(f->t, r,
                                    "%s: the style %.30s has no value at rest that is "
                                    "known, and lengths are those of the positions",
                                    f->section, name);
  }
  name = numbers == 2                            ? "harmonic"
         : numbers == 4 && f->class2             ? "class2"
         : numbers == 4 && kind == LAMMPS_ANGLES ? "charmm"
                                                 : NULL;
  if (!name)
    return topology_remark(f->t, r,
                           "%s: no style is named, and it is not known what %d numbers "
                           "mean: lengths are those of the positions",
                           f->section, numbers);
  *found = find(kind, name);
  return topology_remark(f->t, r, "%s: no style is named; %d numbers are taken as those of %s",
                         f->section, numbers, name);
}

static rattle_status read_values(lammps_file *f, int kind, long long type, const style *s,
                                 int from) {
  topology_reader *r = f->r;
  double number[6] = {0};
  if (r->words == from && !strcmp(s->name, "zero")) return RATTLE_OK;
  if (r->words != from + s->numbers)
    return topology_wrong(r, "%s: the style %s has %d numbers, and %d are given", f->section,
                          s->name, s->numbers, r->words - from);
  rattle_status status = RATTLE_OK;
  for (int k = 0; k < s->numbers && !status; k++)
    status = topology_number(r, from + k, "a coefficient", &number[k]);
  if (status) return status;
  const double stiff = s->stiff(number);
  f->stiff[kind][type] = isfinite(stiff) ? fmax(stiff, 0) : 0;
  f->rest[kind][type] = kind == LAMMPS_ANGLES ? topology_radians(number[s->rest]) : number[s->rest];
  char what[80];
  snprintf(what, sizeof what, "%s of type %lld (%s)", f->section, type, s->name);
  f->source[kind][type] = topology_source_of(f->t, r, what, 0);
  return f->source[kind][type] < 0 ? RATTLE_NO_MEMORY : RATTLE_OK;
}

rattle_status lammps_read_coefficients(lammps_file *f, int kind) {
  topology_reader *r = f->r;
  rattle_status status = RATTLE_OK;
  char remark[32] = "";
  const char *at = r->remark + strspn(r->remark, " \t");
  const size_t length = strcspn(at, " \t\r,;");
  memcpy(remark, at, length < 31 ? length : 31);
  while (!status && lammps_line(f)) {
    long long type = 0;
    const style *s = NULL;
    int from = 0;
    status = lammps_type(f, 0, kind, &type);
    if (!status && f->given[kind][type])
      status = topology_wrong(r, "the coefficients of type %lld occur twice", type);
    if (!status) status = find_style(f, kind, remark, &from, &s);
    if (!status && s) status = read_values(f, kind, type, s, from);
    f->given[kind][type] = 1;
  }
  return status;
}
