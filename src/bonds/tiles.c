/* Finds shapes whose atoms follow one another in memory: whole rows are loaded and transposed,
 * instead of numbers one by one. */
#include "bonds/bonds.h"

/* True if the atoms of the first cluster are one piece of memory, and all clusters have the same
 * layout, moved. */
static int is_one_piece(const rattle__bond_shape *s, int width, int first) {
  for (int a = 0; a < s->atoms; a++)
    if (s->place[a * width] - first >= 3 * s->atoms) return 0;
  for (long long g = 0; g < s->groups; g++) {
    const int *place = s->place + g * s->atoms * width;
    for (int a = 1; a < s->atoms; a++)
      for (int l = 0; l < width; l++)
        if (place[a * width + l] - place[l] != s->place[a * width] - s->place[0]) return 0;
  }
  return 1;
}

/* The first groups whose clusters are at one distance from another. */
static void find_stride(rattle__bond_shape *s, int width) {
  s->stride = s->place[1] - s->place[0];
  for (s->even = 0; s->even < s->groups; s->even++) {
    const int *place = s->place + s->even * s->atoms * width;
    for (int l = 1; l < width; l++)
      if (place[l] - place[l - 1] != s->stride) return;
  }
}

int rattle__bond_spread(rattle__bond_shape *s, int width, rattle__arena *arena) {
  int first = s->place[0];
  for (int a = 0; a < s->atoms; a++)
    first = s->place[a * width] < first ? s->place[a * width] : first;
  if (!is_one_piece(s, width, first)) return 1;
  s->lead = s->place[0] - first;
  s->spread = rattle__arena_take(arena, 3 * (size_t)s->atoms * sizeof *s->spread);
  if (!s->spread) return 0;
  s->straight = 1;
  if (width > 1) find_stride(s, width);
  for (int k = 0; k < 3 * s->atoms; k++) {
    const int at = s->place[k / 3 * width] - first + k % 3;
    s->spread[at] = k;
    s->straight &= at == k;
  }
  return 1;
}
