/* Positions in the format gro of GROMACS, with any number of decimals. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "molecules/topology.h"

/* Three numbers of one width after 20 characters; the width is the distance of their points. */
static rattle_status read_place(const topology_reader *r, const char *line, double *place) {
  char field[32];
  const size_t length = strlen(line);
  const char *point = length > 20 ? strchr(line + 20, '.') : NULL,
             *next = point ? strchr(point + 1, '.') : NULL;
  const size_t width = next ? (size_t)(next - point) : 0;
  if (!width || width >= sizeof field || length < 20 + 3 * width)
    return topology_wrong(r, "an atom with three coordinates is expected");
  for (int d = 0; d < 3; d++) {
    char *rest;
    memcpy(field, line + 20 + (size_t)d * width, width);
    field[width] = 0;
    place[d] = strtod(field, &rest);
    if (rest == field || rest[strspn(rest, " \r")] || !(fabs(place[d]) < 1e9))
      return topology_wrong(r, "a coordinate is a number, not %.31s", field);
  }
  return RATTLE_OK;
}

static rattle_status read_box(topology *t, topology_reader *r) {
  static const int row[] = {0, 1, 2, 0, 0, 1, 1, 2, 2}, column[] = {0, 1, 2, 1, 2, 0, 2, 0, 1};
  if (!topology_line(r) || (r->words != 3 && r->words != 9))
    return topology_wrong(r, "the box has three or nine numbers");
  for (int k = 0; k < r->words; k++) {
    const rattle_status status =
        topology_number(r, k, "an edge of the box", &t->box.edge[row[k]][column[k]]);
    if (status) return status;
  }
  if (t->box.edge[0][1] != 0 || t->box.edge[0][2] != 0 || t->box.edge[1][2] != 0)
    return topology_wrong(r, "the box is not lower triangular");
  t->boxed = t->box.edge[0][0] != 0 || t->box.edge[1][1] != 0 || t->box.edge[2][2] != 0;
  return RATTLE_OK;
}

rattle_status topology_read_gro(topology *t, const char *path, rattle_error *error) {
  topology_reader r;
  long long atoms = 0;
  rattle_status status = topology_open(&r, path, '\n', error);
  if (!status && (!topology_raw_line(&r) || !topology_line(&r)))
    status = topology_wrong(&r, "a title and the number of atoms are expected");
  if (!status) status = topology_whole(&r, 0, "the number of atoms", t->atoms, t->atoms, &atoms);
  if (!status && !(t->place = calloc(3 * ((size_t)t->atoms + 1), sizeof *t->place)))
    status = topology_wrong(&r, "no memory for %lld atoms", atoms);
  for (long long a = 1; a <= t->atoms && !status; a++) {
    const char *line = topology_raw_line(&r);
    status = line ? read_place(&r, line, t->place + 3 * a)
                  : topology_wrong(&r, "%lld atoms are missing", t->atoms - a + 1);
  }
  if (!status) status = read_box(t, &r);
  topology_close(&r);
  return status;
}
