/* See particles.h. */
#include "problem/functions/particles.h"

#include <stdlib.h>
#include <string.h>

#include "ground/support/axis.h"

typedef struct particle_axis {
  const char *index; /* "[3]", "3", or "" */
  int which;         /* 0 x, 1 y, 2 z */
  int coordinate;
  int particle;
} particle_axis;

/* By index, then axis; the coordinate that comes first breaks no ties, since names are unique. */
static int by_particle(const void *a, const void *b) {
  const particle_axis *first = a, *second = b;
  int order = strcmp(first->index, second->index);
  return order ? order : first->which - second->which;
}

static int by_coordinate(const void *a, const void *b) {
  return ((const particle_axis *)a)->coordinate - ((const particle_axis *)b)->coordinate;
}

/* Sorted axes: each run of one index must be x, y or x, y, z. Returns D, 0 if they differ. */
static int common_dimension(const particle_axis *sorted, int n) {
  int dimension = 0;
  for (int first = 0, next; first < n; first = next) {
    for (next = first; next < n && strcmp(sorted[next].index, sorted[first].index) == 0; next++)
      if (sorted[next].which != next - first) return 0;
    if (first == 0) dimension = next;
    if (next - first != dimension) return 0;
  }
  return dimension >= 2 ? dimension : 0;
}

/* Numbers particles in the order of their first coordinate. Sorted runs of `dimension` become
 * place[]. */
static int number_particles(particle_axis *sorted, int n, int dimension, int *place) {
  int *rank = malloc((size_t)n * sizeof *rank), next = 0;
  if (!rank) return -1;
  for (int i = 0; i < n; i++) {
    sorted[i].particle = i / dimension;
    rank[i / dimension] = -1;
  }
  qsort(sorted, (size_t)n, sizeof *sorted, by_coordinate);
  for (int k = 0; k < n; k++) {
    int *number = &rank[sorted[k].particle];
    if (*number < 0) *number = next++;
    place[sorted[k].coordinate] = *number * dimension + sorted[k].which;
  }
  free(rank);
  return 0;
}

rattle_status rattle__find_particles(const char *const *names, int n, int clock, int *place,
                                     int *dimension, rattle_error *error) {
  int axes = 1, count = 0, failed = 0;
  particle_axis *found = malloc(((size_t)n + 1) * sizeof *found);
  *dimension = 1;
  if (!found) return rattle__no_memory(error);
  for (int k = 0; k < n; k++) {
    place[k] = k;
    if (k == clock) continue;
    particle_axis *own = &found[count++];
    own->coordinate = k;
    own->which = rattle__axis(names[k], &own->index);
    axes = axes && own->which >= 0;
  }
  if (axes && count > 0) {
    qsort(found, (size_t)count, sizeof *found, by_particle);
    const int common = common_dimension(found, count);
    if (common) {
      *dimension = common;
      failed = number_particles(found, count, common, place);
      if (clock >= 0) place[clock] = n - 1;
    }
  }
  free(found);
  return failed ? rattle__no_memory(error) : RATTLE_OK;
}

rattle_status rattle__particle_masses(double **masses, const rattle_problem *problem,
                                      const int *place, int dimension, int count,
                                      rattle_error *error) {
  const rattle__mass *W = rattle__inertia(problem);
  *masses = NULL;
  if (dimension < 2 || !W || W->value) return RATTLE_OK;
  double *mass = calloc((size_t)count, sizeof *mass);
  if (!mass) return rattle__no_memory(error);
  int known = 1;
  for (int k = 0; k < rattle_problem_n(problem) && known; k++) {
    if (place[k] >= count * dimension) continue;
    double *own = &mass[place[k] / dimension];
    const double inverse = W->diagonal[k];
    known = inverse > 0 && (*own == 0 || *own == 1 / inverse);
    if (known) *own = 1 / inverse;
  }
  if (known)
    *masses = mass;
  else
    free(mass);
  return RATTLE_OK;
}
