/* Extrapolation of the modified midpoint rule to H -> 0.
 *
 * Map      T_{i,1}: the rule with 2i substeps of H = h/2i, i = 1..5, whose error is a series in
 *          H^2; Aitken and Neville's scheme takes it to H = 0
 * Source   W. B. Gragg, SIAM J. Numer. Anal. 2 (1965) 384; Hairer, Norsett, Wanner, Solving
 *          Ordinary Differential Equations I,
 * II.9 Claims   order 10 Cost     31 values of the field */
#include "maps/base/extrapolate.h"

#include <string.h>

enum { ROWS = RATTLE__EXTRAPOLATION_ORDER / 2 };

rattle__extrapolation rattle__extrapolation_plan(rattle__context *context, rattle__field *field) {
  const size_t nz = 2 * (size_t)context->problem->n;
  rattle__extrapolation s = {.context = context, .field = field};
  double **vectors[] = {&s.f, &s.f0, &s.x, &s.y};
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
    *vectors[i] = rattle__arena_doubles(&context->arena, nz);
  for (int i = 0; i < ROWS; i++) s.row[i] = rattle__arena_doubles(&context->arena, nz);
  return s;
}

static rattle_status value(rattle__extrapolation *s, const double *z, double *f,
                           rattle_error *error) {
  s->context->counts.gradient++;
  return rattle__field_value(s->field, z, f, error);
}

/* The modified midpoint rule over h in `substeps` parts, smoothed at its end. */
static rattle_status midpoints(rattle__extrapolation *s, double h, int substeps, const double *z0,
                               double *end, rattle_error *error) {
  const int nz = 2 * s->context->problem->n;
  const double H = h / substeps;
  rattle_status status = RATTLE_OK;
  memcpy(s->x, z0, (size_t)nz * sizeof *z0);
  for (int c = 0; c < nz; c++) s->y[c] = z0[c] + H * s->f0[c];
  for (int i = 1; i < substeps && !status; i++) {
    status = value(s, s->y, s->f, error);
    for (int c = 0; c < nz; c++) {
      const double next = s->x[c] + 2 * H * s->f[c];
      s->x[c] = s->y[c];
      s->y[c] = next;
    }
  }
  if (!status) status = value(s, s->y, s->f, error);
  for (int c = 0; c < nz; c++) end[c] = 0.5 * (s->y[c] + s->x[c] + H * s->f[c]);
  return status;
}

rattle_status rattle__extrapolate(rattle__extrapolation *s, double h, const double *z0, double *z1,
                                  rattle_error *error) {
  const int nz = 2 * s->context->problem->n;
  rattle_status status = value(s, z0, s->f0, error);
  for (int i = 0; i < ROWS && !status; i++) {
    status = midpoints(s, h, 2 * (i + 1), z0, s->row[i], error);
    for (int j = i - 1; j >= 0; j--) { /* row[j] becomes T_{i, i-j+1} */
      const double ratio = (double)((i + 1) * (i + 1)) / ((j + 1) * (j + 1));
      for (int c = 0; c < nz; c++)
        s->row[j][c] = s->row[j + 1][c] + (s->row[j + 1][c] - s->row[j][c]) / (ratio - 1);
    }
  }
  memcpy(z1, s->row[0], (size_t)nz * sizeof *z1);
  return status;
}
