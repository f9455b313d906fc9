/* Tearing: which variables of equations x_c = F_c(x) to keep as unknowns, so that the others follow
 * one after the other. The smallest set is hard to find; this one takes what needs itself, then
 * what is in the most circles by the number of its neighbours. */
#include <string.h>

#include "maps/emitted/stages_parts.h"

/* The neighbours of c that are not settled: those that it needs, those that need it. */
static void count(int n, const unsigned char *needs, const unsigned char *settled, int c, int *in,
                  int *out) {
  *in = *out = 0;
  for (int d = 0; d < n; d++) {
    if (settled[d]) continue;
    *in += needs[c * n + d];
    *out += needs[d * n + c];
  }
}

/* Settles what is on no circle; 0: there was nothing. */
static int settle(int n, const unsigned char *needs, unsigned char *settled) {
  int found = 0, in, out;
  for (int c = 0; c < n; c++) {
    if (settled[c]) continue;
    count(n, needs, settled, c, &in, &out);
    if (in && out) continue;
    settled[c] = 1;
    found = 1;
  }
  return found;
}

/* The next unknown; -1: nothing is left. */
static int choose(int n, const unsigned char *needs, const unsigned char *settled) {
  int best = -1, most = -1, in, out;
  for (int c = 0; c < n; c++) {
    if (settled[c]) continue;
    if (needs[c * n + c]) return c;
    count(n, needs, settled, c, &in, &out);
    if (in * out > most) most = in * out, best = c;
  }
  return best;
}

int rattle__tear(int n, const unsigned char *needs, unsigned char *unknown, int *order,
                 unsigned char *state) {
  memset(unknown, 0, (size_t)n);
  memset(state, 0, (size_t)n);
  for (;;) {
    while (settle(n, needs, state)) continue;
    const int c = choose(n, needs, state);
    if (c < 0) break;
    unknown[c] = state[c] = 1;
  }
  int ordered = 0;
  memcpy(state, unknown, (size_t)n); /* now: what is known already */
  for (int before = -1; before != ordered;) {
    before = ordered;
    for (int c = 0; c < n; c++) {
      int ready = !state[c];
      for (int d = 0; d < n && ready; d++) ready = !needs[c * n + d] || state[d];
      if (!ready) continue;
      state[c] = 1;
      order[ordered++] = c;
    }
  }
  return ordered;
}
