/* Functions from expressions in extended precision (long double). */
#include "ground/expr/extended.h"

#include <math.h>

#define real long double
#define REAL(name) name##l
#include "ground/expr/precise.h"

size_t rattle__extended_room(const rattle__function *f) {
  const rattle__elements *e = rattle__function_elements(f);
  if (!e) return 0;
  return ((size_t)f->vars + (size_t)f->rows + (size_t)rattle__elements_registers(e)) * sizeof(real);
}

void rattle__extended_value(const rattle__function *f, const double *x, const double *carry,
                            double *F, void *room) {
  real *z = room, *value = z + f->vars, *registers = value + f->rows;
  for (int i = 0; i < f->vars; i++) z[i] = (real)x[i] + carry[i];
  precise_value(f, z, value, registers);
  for (int r = 0; r < f->rows; r++) F[r] = (double)value[r];
}
