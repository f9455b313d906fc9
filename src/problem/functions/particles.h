#ifndef RATTLE__PARTICLES_H
#define RATTLE__PARTICLES_H
#include "ground/support/error.h"
#include "problem/functions/problem.h"

/* Particles in the names of coordinates (ground/support/axis.h), in the order in which they are
 * first named.
 *
 * If every coordinate is an axis of a particle and every particle has the same D = 2 or 3 axes, row
 * i of a frame [N][D] is particle i, and place[k] is where coordinate k stands in the frame; the
 * time of a model, `clock` or -1, which is no particle's, stands behind it. Else *dimension is 1
 * and place [n] the identity. */
rattle_status rattle__find_particles(const char *const *names, int n, int clock, int *place,
                                     int *dimension, rattle_error *error);
/* Their masses [count], malloc'ed, where H has one for each coordinate and those of a particle are
 * the same; else NULL without an error. */
rattle_status rattle__particle_masses(double **mass, const rattle_problem *problem,
                                      const int *place, int dimension, int count,
                                      rattle_error *error);
#endif
