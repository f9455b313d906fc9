/* Points of which many fall on the same spot of a figure: the first one of each cell is drawn. */
#include <math.h>
#include <stdlib.h>

#include "figures/plot/plot.h"
#include "ground/support/index.h"

int plot_raster_begin(plot_raster *r, int cells) {
  *r = (plot_raster){.cells = cells, .low = {INFINITY, INFINITY}, .high = {-INFINITY, -INFINITY}};
  r->taken = calloc((size_t)cells * (size_t)cells, 1);
  return r->taken ? 0 : -1;
}

void plot_raster_end(plot_raster *r) {
  free(r->taken);
  r->taken = NULL;
}

void plot_raster_stretch(plot_raster *r, const double at[2]) {
  for (int a = 0; a < 2; a++)
    if (isfinite(at[a])) r->low[a] = fmin(r->low[a], at[a]), r->high[a] = fmax(r->high[a], at[a]);
}

int plot_raster_takes(plot_raster *r, const double at[2]) {
  int cell[2];
  for (int a = 0; a < 2; a++) {
    if (!isfinite(at[a])) return 0;
    if ((cell[a] = rattle__cell(at[a], r->low[a], r->high[a], r->cells)) < 0) return 0;
  }
  unsigned char *taken = &r->taken[cell[0] * r->cells + cell[1]];
  if (*taken) return 0;
  *taken = 1;
  return 1;
}
