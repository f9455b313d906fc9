#include "runs/tangent/indicators.h"

#include <math.h>
#include <string.h>

/* Scales w to length 1; returns its former length. */
static double unit(int count, double *w) {
  double sum = 0;
  for (int c = 0; c < count; c++) sum += w[c] * w[c];
  const double length = sqrt(sum);
  for (int c = 0; c < count; c++) w[c] /= length;
  return length;
}

void rattle__indicators_begin(rattle__indicators *s, int nz, double *w, int d,
                              const double *basis) {
  double *a = w, *b = w + nz;
  *s = (rattle__indicators){.nz = nz, .w = w};
  memset(a, 0, 2 * (size_t)nz * sizeof *a);
  for (int k = 0; k < d; k++)
    for (int e = 0; e < nz; e++) {
      a[e] += sin(1.0 + k) * basis[k * nz + e];
      b[e] += cos(1.7 + 2.0 * k) * basis[k * nz + e];
    }
  unit(nz, a);
  unit(nz, b);
}

void rattle__indicators_note(rattle__indicators *s, double time, double length) {
  const double growth = log(unit(s->nz, s->w));
  unit(s->nz, s->w + s->nz);
  s->grown += growth;
  s->weighted += growth * (time - length / 2);
  s->mean += 2 * s->weighted / time * length;
}

double rattle__indicators_sali(const rattle__indicators *s) {
  const double *a = s->w, *b = a + s->nz;
  double plus = 0, minus = 0;
  for (int e = 0; e < s->nz; e++) {
    plus += (a[e] + b[e]) * (a[e] + b[e]);
    minus += (a[e] - b[e]) * (a[e] - b[e]);
  }
  return sqrt(fmin(plus, minus));
}
