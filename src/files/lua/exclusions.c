/* Pairs of beads by the number of bonds between them, along the shortest way: 1-2, 1-3 and 1-4 in
 * chemists' words. */
#include <string.h>

#include "files/lua/loader.h"

/* A walk from one bead: those found, by their distance; seen[b] is the bead from which the walk
 * that found b began, plus 1. */
typedef struct ways {
  const rattle__bonded *bonded;
  int *seen, *found, count;
} ways;

/* Beads above `bead` that are at most `to` bonds away, in the order of their distance; far[d]:
 * where those d bonds away begin. */
static void walk(lua_State *L, ways *w, int bead, int to, int far[6]) {
  w->count = 1;
  w->found[0] = bead;
  w->seen[bead] = bead + 1;
  far[0] = 0;
  far[1] = 1;
  for (int d = 1; d <= to; d++) {
    for (int k = far[d - 1]; k < far[d]; k++) {
      const int b = w->found[k];
      rattle__lua_charge(L, 1 + w->bonded->first[b + 1] - w->bonded->first[b]);
      for (int e = w->bonded->first[b]; e < w->bonded->first[b + 1]; e++) {
        const int other = w->bonded->to[e];
        if (w->seen[other] == bead + 1) continue;
        w->seen[other] = bead + 1;
        w->found[w->count++] = other;
      }
    }
    far[d + 1] = w->count;
  }
}

const int *rattle__lua_bonded_pairs(lua_State *L, int from, int to, long long *count) {
  const size_t beads = (size_t)rattle__lua_loader(L)->beads.count;
  const rattle__bonded bonded = rattle__lua_bonded_beads(L);
  ways w = {.bonded = &bonded};
  w.seen = lua_newuserdatauv(L, 2 * (beads + 1) * sizeof(int), 0);
  w.found = w.seen + beads + 1;
  int *pair = NULL;
  *count = 0;
  for (int pass = 0; pass < 2; pass++) {
    if (pass) {
      rattle__lua_charge_bytes(L, 2 * (size_t)(*count + 1) * sizeof *pair);
      pair = lua_newuserdatauv(L, 2 * (size_t)(*count + 1) * sizeof *pair, 0);
    }
    memset(w.seen, 0, (beads + 1) * sizeof *w.seen);
    *count = 0;
    for (int i = 0; i < (int)beads; i++) {
      int far[6];
      walk(L, &w, i, to, far);
      for (int k = far[from]; k < far[to + 1]; k++) {
        if (w.found[k] < i) continue;
        if (pass) pair[2 * *count] = i, pair[2 * *count + 1] = w.found[k];
        ++*count;
      }
    }
  }
  return pair;
}
