/* Curves of bounded size: when all bins are taken, neighbours are merged and each bin stands for
 * twice as many samples. */
#include "figures/plot/envelope.h"

#include <math.h>
#include <stdlib.h>

int envelope_begin(envelope *e, int room) {
  *e = (envelope){.bin = malloc((size_t)room * sizeof *e->bin), .room = room};
  envelope_clear(e);
  return e->bin ? 0 : -1;
}

void envelope_end(envelope *e) {
  free(e->bin);
  *e = (envelope){0};
}

void envelope_clear(envelope *e) {
  e->bins = 0, e->stride = 1, e->in_last = e->samples = 0;
}

/* b came after a. */
static envelope_bin join(const envelope_bin *a, const envelope_bin *b) {
  if (isnan(a->low)) return *b;
  if (isnan(b->low)) return *a;
  envelope_bin c = *a;
  int low_from_b = b->low<a->low, high_from_b = b->high> a->high;
  if (low_from_b) c.x_low = b->x_low, c.low = b->low;
  if (high_from_b) c.x_high = b->x_high, c.high = b->high;
  if (low_from_b != high_from_b)
    c.high_first = low_from_b;
  else if (low_from_b)
    c.high_first = b->high_first;
  return c;
}

static void fold(envelope *e) {
  for (int i = 0; i < e->bins / 2; i++) e->bin[i] = join(&e->bin[2 * i], &e->bin[2 * i + 1]);
  e->bins /= 2;
  e->stride *= 2;
}

void envelope_add(envelope *e, double x, double y) {
  envelope_bin one = {x, y, x, y, 0};
  if (!isfinite(y)) one.low = one.high = (double)NAN;
  if (e->bins > 0 && e->in_last < e->stride) {
    e->bin[e->bins - 1] = join(&e->bin[e->bins - 1], &one);
    e->in_last++;
  } else {
    if (e->bins == e->room) fold(e);
    e->bin[e->bins++] = one;
    e->in_last = 1;
  }
  e->samples++;
}
