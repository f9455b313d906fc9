/* The head of a data file: units, counts, the box. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "molecules/lammps.h"

static const char *const kinds[] = {"atom", "bond", "angle"}, *const plurals[] = {"atoms", "bonds",
                                                                                  "angles"};

/* The units that the first line names, or the options. */
static rattle_status choose_units(lammps_file *f, const char *title) {
  const char *said = strstr(title, "units = "), *named = f->options->units;
  char first[16] = "";
  if (said) {
    said += 8;
    const size_t length = strspn(said, "abcdefghijklmnopqrstuvwxyz");
    memcpy(first, said, length < 15 ? length : 15);
  }
  const char *wanted = named ? named : said ? first : "real";
  if (!strcmp(wanted, "gromacs"))
    return topology_wrong(f->r, "a data file has no units of GROMACS, but a style of LAMMPS");
  const rattle_status status = topology_units(f->t, f->r, wanted);
  if (status || !said) return status;
  return topology_remark(f->t, f->r, "units %s, as %s", wanted,
                         !named                  ? "the first line says"
                         : strcmp(first, wanted) ? "--units says; the first line says others"
                                                 : "--units and the first line say");
}

/* Edges along axes, "0 10 xlo xhi", tilts "0 0 0 xy xz yz", vectors "10 0 0 avec". *found: the line
 * is one of them. */
static rattle_status read_box_line(lammps_file *f, int *found) {
  topology_reader *r = f->r;
  static const char *const axis[] = {"xlo", "ylo", "zlo"}, *const edge[] = {"avec", "bvec", "cvec"};
  rattle_status status = RATTLE_OK;
  *found = 1;
  for (int d = 0; d < 3; d++) {
    if (r->words >= 4 && !strcmp(r->word[2], axis[d])) {
      f->boxed = 1;
      status = topology_number(r, 0, "an edge", &f->low[d]);
      return status ? status : topology_number(r, 1, "an edge", &f->high[d]);
    }
    if (r->words >= 4 && !strcmp(r->word[3], edge[d])) {
      f->general = 1;
      for (int e = 0; e < 3 && !status; e++)
        status = topology_number(r, e, "an edge", &f->vector[d][e]);
      return status;
    }
  }
  if (r->words >= 6 && !strcmp(r->word[3], "xy")) {
    for (int d = 0; d < 3 && !status; d++) status = topology_number(r, d, "a tilt", &f->tilt[d]);
    return status;
  }
  *found = r->words >= 4 && !strcmp(r->word[3], "abc"); /* its origin */
  return RATTLE_OK;
}

static rattle_status read_line(lammps_file *f) {
  topology_reader *r = f->r;
  int found = 0;
  for (int k = 0; k < LAMMPS_KINDS && r->words >= 2; k++) {
    /* a line for each of them, at least two characters */
    if (r->words == 2 && !strcmp(r->word[1], plurals[k]))
      return topology_whole(r, 0, "a count", 0, (long long)(r->size / 2), &f->count[k]);
    if (r->words == 3 && !strcmp(r->word[1], kinds[k]) && !strcmp(r->word[2], "types"))
      return topology_whole(r, 0, "a count", 0, LAMMPS_TYPES, &f->types[k]);
  }
  const rattle_status status = read_box_line(f, &found);
  if (status || found) return status;
  char part[80];
  snprintf(part, sizeof part, "%.60s", r->word[r->words - 1]);
  if (r->words == 3 && !strcmp(part, "types"))
    snprintf(part, sizeof part, "%.60s types", r->word[1]);
  return topology_unused(f->t, r, part, "counts and words of the head that are not needed", 1);
}

rattle_status lammps_head(lammps_file *f) {
  const char *title = topology_raw_line(f->r);
  rattle_status status = choose_units(f, title ? title : "");
  while (!status && topology_line(f->r) && !isalpha((unsigned char)f->r->word[0][0]))
    status = read_line(f);
  if (!status && f->boxed && f->general)
    status = topology_wrong(f->r, "the box has edges along axes (xlo xhi) and vectors (avec)");
  if (!status && f->count[LAMMPS_ATOMS] < 1) status = topology_other(f->r);
  f->molecule = f->types[LAMMPS_ATOMS] == 0 && !f->boxed && !f->general;
  return status;
}

/* e1 along a, e2 in the plane of a and b, e3 = e1 x e2: the box and the atoms in these axes. */
static rattle_status turn(lammps_file *f) {
  topology *t = f->t;
  const double *a = f->vector[0], *b = f->vector[1];
  double e[3][3], length[2] = {0};
  for (int d = 0; d < 3; d++) {
    e[0][d] = a[d];
    e[2][d] = a[(d + 1) % 3] * b[(d + 2) % 3] - a[(d + 2) % 3] * b[(d + 1) % 3];
    length[0] += a[d] * a[d], length[1] += e[2][d] * e[2][d];
  }
  if (!(length[0] > 0 && length[1] > 0))
    return topology_wrong(f->r, "two edges of the box are parallel, or one has no length");
  for (int d = 0; d < 3; d++) e[0][d] /= sqrt(length[0]), e[2][d] /= sqrt(length[1]);
  for (int d = 0; d < 3; d++)
    e[1][d] = e[2][(d + 1) % 3] * e[0][(d + 2) % 3] - e[2][(d + 2) % 3] * e[0][(d + 1) % 3];
  for (int k = 0; k < 3; k++)
    for (int i = 0; i <= k; i++)
      t->box.edge[k][i] =
          f->vector[k][0] * e[i][0] + f->vector[k][1] * e[i][1] + f->vector[k][2] * e[i][2];
  if (!(t->box.edge[2][2] > 0))
    return topology_wrong(f->r, "the edges avec, bvec, cvec are not right-handed");
  for (long long k = 1; k <= t->atoms; k++) {
    double *x = t->place + 3 * k;
    const double old[] = {x[0], x[1], x[2]};
    for (int i = 0; i < 3; i++) x[i] = old[0] * e[i][0] + old[1] * e[i][1] + old[2] * e[i][2];
  }
  return topology_remark(t, NULL,
                         "the box is given by three vectors: atoms are turned with it, so "
                         "that avec lies along x and bvec in the plane of x and y");
}

rattle_status lammps_box(lammps_file *f) {
  topology *t = f->t;
  t->boxed = f->boxed || f->general;
  if (f->general) return turn(f);
  if (!t->boxed)
    return f->molecule ? RATTLE_OK
                       : topology_remark(t, NULL, "there is no box: distances are as they stand");
  for (int d = 0; d < 3; d++) {
    t->box.edge[d][d] = f->high[d] - f->low[d];
    if (!(t->box.edge[d][d] > 0)) return topology_wrong(f->r, "an edge of the box is not above 0");
  }
  t->box.edge[1][0] = f->tilt[0], t->box.edge[2][0] = f->tilt[1], t->box.edge[2][1] = f->tilt[2];
  return RATTLE_OK;
}
