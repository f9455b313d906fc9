/* Pairs of atoms that a file lists more than once. */
#include <stdio.h>
#include <stdlib.h>

#include "molecules/topology.h"

static int lower(const topology *t, long long k) {
  const int *atom = t->bond.atom + 2 * k;
  return atom[0] < atom[1] ? atom[0] : atom[1];
}

static int upper(const topology *t, long long k) {
  return t->bond.atom[2 * k] + t->bond.atom[2 * k + 1] - lower(t, k);
}

static void name_source(const topology *t, long long k, char text[200]) {
  const topology_source *s = t->source[t->bond.source[k]];
  if (s->path)
    snprintf(text, 200, "%.8g (%.60s, %.100s:%lld)", t->bond.value[k], s->what, s->path, s->line);
  else
    snprintf(text, 200, "%.8g (%.60s)", t->bond.value[k], s->what);
}

/* Bonds `order` of one lower atom: repeats are marked. */
static rattle_status mark(const topology *t, const topology_reader *r, const int *order,
                          long long count, char *repeats) {
  char text[2][200];
  for (long long e = 1; e < count; e++)
    for (long long d = 0; d < e && !repeats[order[e]]; d++) {
      if (upper(t, order[d]) != upper(t, order[e])) continue;
      if (t->bond.value[order[d]] < t->bond.value[order[e]] ||
          t->bond.value[order[d]] > t->bond.value[order[e]]) {
        name_source(t, order[d], text[0]), name_source(t, order[e], text[1]);
        return topology_wrong(r, "atoms %d and %d have two lengths, %s and %s", lower(t, order[e]),
                              upper(t, order[e]), text[0], text[1]);
      }
      repeats[order[e]] = 1;
    }
  return RATTLE_OK;
}

static rattle_status remove_marked(topology *t, const char *repeats) {
  long long kept = 0;
  for (long long k = 0; k < t->bond.count; k++)
    if (!repeats[k])
      topology_put(&t->bond, kept++, t->bond.atom + 2 * k, topology_entry_of(&t->bond, k));
  const long long removed = t->bond.count - kept;
  t->bond.count = kept;
  return removed ? topology_remark(
                       t, NULL,
                       "pairs that are listed again with the same length, and are one bond: %lld",
                       removed)
                 : RATTLE_OK;
}

rattle_status topology_merge(topology *t, const topology_reader *r) {
  long long *end = calloc((size_t)t->atoms + 2, sizeof *end); /* of bonds of each lower atom */
  int *order = calloc((size_t)t->bond.count + 1, sizeof *order);
  char *repeats = calloc((size_t)t->bond.count + 1, 1);
  rattle_status status = end && order && repeats ? RATTLE_OK : RATTLE_NO_MEMORY;
  if (!status) {
    for (long long k = 0; k < t->bond.count; k++) end[lower(t, k) + 1]++;
    for (long long a = 0; a <= t->atoms; a++) end[a + 1] += end[a];
    for (long long k = 0; k < t->bond.count; k++) order[end[lower(t, k)]++] = (int)k;
    for (long long a = 1; a <= t->atoms && !status; a++)
      status = mark(t, r, order + end[a - 1], end[a] - end[a - 1], repeats);
    if (!status) status = remove_marked(t, repeats);
  }
  free(end), free(order), free(repeats);
  return status;
}
