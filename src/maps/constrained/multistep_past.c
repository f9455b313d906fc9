/* The past points of multistep methods: how the window is turned round, and taken back. Symbols:
 * multistep.c, multistep.h. */
#include "maps/constrained/multistep.h"

#include <stdlib.h>
#include <string.h>

#include "ground/support/add_to.h"

/* The window of -h from that of h, which is in s->whole. With places counted the other way D
 * changes its sign and moves, as do the sums: s of the new way is minus that of one place
 * before. */
static void turn_round(rattle__multistep *s, double h) {
  const int L = s->c.half, n = s->n;
  double *before = s->work;
  memset(before, 0, (size_t)n * sizeof *before);
  for (int j = 1 - L; j < L; j++) {
    const double *a = rattle__past_at(s, j + 1).a, weight = h * h * s->c.beta[abs(j)];
    for (int k = 0; k < n; k++) before[k] -= weight * a[k];
  }
  for (int k = 0; k < n; k++) rattle__add_to(&s->sums[k], &s->sums[n + k], before[k]);
  for (int k = 0; k < 2 * n; k++) s->sums[k] = -s->sums[k];
  memset(s->sums + 2 * n, 0, (size_t)n * sizeof(double));
  rattle__multistep old = *s;
  old.memory = s->whole;
  old.ring = s->whole + (s->ring - s->memory);
  memset(s->ring, 0, (size_t)s->places * s->width * sizeof(double));
  s->memory[0] = h;
  for (int j = -L; j <= L; j++) {
    const rattle__past at = rattle__past_at(s, j);
    memcpy(at.q, rattle__past_at(&old, -j).q, (size_t)n * sizeof(double));
    if (j > -L)
      for (int k = 0; k < n; k++) at.D[k] = -rattle__past_at(&old, 1 - j).D[k];
    if (j > 1 - L) /* a, lambda and V lie one after the other */
      memcpy(at.a, rattle__past_at(&old, 2 - j).a, (s->width - 2 * (size_t)n) * sizeof(double));
  }
}

rattle_status rattle__multistep_window(rattle__multistep *s, double h, const double *z0,
                                       rattle_error *error) {
  const int here =
      s->memory[0] != 0 && !memcmp(rattle__past_at(s, 0).q, z0, (size_t)s->n * sizeof *z0);
  if (here && s->memory[0] == h) return RATTLE_OK;
  memcpy(s->whole, s->memory, s->size * sizeof(double));
  s->anew = 1;
  if (here && s->memory[0] == -h) {
    turn_round(s, h);
    return RATTLE_OK;
  }
  return rattle__multistep_start(s, h, z0, error);
}

void rattle__multistep_undo(rattle__map *map) {
  rattle__multistep *s = map->self;
  if (s->anew) {
    memcpy(s->memory, s->whole, s->size * sizeof(double));
  } else if (s->done) {
    s->memory[1] = ((int)s->memory[1] + s->places - 1) % s->places;
    s->memory[3] = s->kept_sums[3 * s->n];
    memcpy(s->sums, s->kept_sums, 3 * (size_t)s->n * sizeof(double));
    memcpy(rattle__past_at(s, -s->c.half).q, s->kept, s->width * sizeof(double));
  }
  s->anew = s->done = 0;
}
