#ifndef RATTLE__AXIS_H
#define RATTLE__AXIS_H
/* Coordinates of particles, by their names: "x[3]", "y[3]", "z[3]", or "x3", "y3", "z3", or x, y, z
 * alone. */
#include <string.h>

/* 0 x, 1 y, 2 z, and what follows the letter: the same for all axes of a particle. -1: the name is
 * no axis. */
static inline int rattle__axis(const char *name, const char **particle) {
  if (*name < 'x' || *name > 'z') return -1;
  const char *index = *particle = name + 1;
  const size_t length = strlen(index);
  const int bracketed = length > 2 && index[0] == '[' && index[length - 1] == ']';
  return bracketed || strspn(index, "0123456789_,") == length ? *name - 'x' : -1;
}

/* The pair of the time (rattle_model_time): its coordinate is the time of the sample. */
static inline int rattle__is_clock(const char *coordinate, const char *momentum) {
  return !strcmp(coordinate, "t") && !strcmp(momentum, "p_t");
}
#endif
