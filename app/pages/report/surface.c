/* A surface to be drawn, as values of its function on a grid; the page finds where they change
 * sign. */
#include <stdlib.h>

#include "pages/report/drawn.h"

enum { IN_SPACE = 33, IN_PLANE = 129 };

double *report_surface_values(rattle_model *model, const rattle_drawing *surface,
                              const double low[3], const double high[3], int count[3]) {
  const int flat = surface->over[2] < 0;
  for (int d = 0; d < 3; d++) count[d] = !flat ? IN_SPACE : d < 2 ? IN_PLANE : 1;
  double *values = malloc((size_t)count[0] * (size_t)count[1] * (size_t)count[2] * sizeof *values);
  double *z = calloc(2 * (size_t)rattle_model_pairs(model) + 1, sizeof *z);
  const rattle_graph *graph = rattle_model_graph(model);
  for (int k = 0, at = 0; values && z && k < count[2]; k++) {
    for (int j = 0; j < count[1]; j++) {
      for (int i = 0; i < count[0]; i++, at++) {
        const int index[3] = {i, j, k};
        for (int d = 0; d < 3 - flat; d++)
          z[2 * surface->over[d]] = low[d] + (high[d] - low[d]) * index[d] / (count[d] - 1);
        values[at] = rattle_expr_evaluate(graph, surface->zero, z);
      }
    }
  }
  if (!z) free(values), values = NULL;
  free(z);
  return values;
}
