/* A plug-in that is wrong on purpose: Euler's method, with claims of another. */
#include "rattle/plugin.h"

static int step(void *self, const rattle_equations *H, double h, const double *z0, double *z1) {
  double slope[24];
  (void)self;
  if (H->n > 12) return 1;
  const int failed = H->gradient(H, z0, slope);
  for (int k = 0; k < H->n && !failed; k++) {
    z1[k] = z0[k] + h * slope[H->n + k];
    z1[H->n + k] = z0[H->n + k] - h * slope[k];
  }
  return failed;
}

static const rattle_base_map high = {.struct_size = sizeof high,
                                     .name = "high",
                                     .text = "order 2, it says",
                                     .order = 2,
                                     .step = step},
                             mirror = {.struct_size = sizeof mirror,
                                       .name = "mirror",
                                       .text = "symmetric, it says",
                                       .order = 1,
                                       .symmetric = 1,
                                       .step = step};
static const rattle_base_map *const maps[] = {&high, &mirror};
static const rattle_plugin plugin = {
    .struct_size = sizeof plugin, .name = "wrong", .maps = 2, .map = maps};
RATTLE_PLUGIN(plugin)
