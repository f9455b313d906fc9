#ifndef TOPOLOGY_ANALYSIS_H
#define TOPOLOGY_ANALYSIS_H
/* The clusters of the bonds of a topology, and how hard they are for each kind of solver. */
#include "molecules/matrix.h"
#include "molecules/topology.h"

/* Clusters of one graph with the same masses and lengths. */
typedef struct topology_kind {
  long long clusters;
  int atoms, bonds, first; /* of one cluster: its first atom */
  char name[40];           /* "triangle", "star of 4 bonds", ... */
  topology_rates rates;    /* of its first cluster; NaN: the file has no positions */
  const char *solver;      /* that `auto` takes */
} topology_kind;

typedef struct topology_analysis {
  topology_kind *kind;
  int kinds;
  long long clusters, others;        /* others: of kinds after the first 2048 */
  long long bonds;                   /* with those of angles */
  const int *repeated;               /* of the library: numbers of bonds that repeat others */
  long long repeateds, lines, rigid; /* lines: of three or more atoms */
  int *pair;                         /* of bonds, then of angles [2 bonds] */
  double frequency;     /* of the fastest vibration that is left, in the unit of time; 0:
                                 no force constants are known */
  rattle_bonds *solver; /* as made by the library */
  char doubt[200];      /* a sentence about positions far from the lengths; "": no doubt */
} topology_analysis;

/* Errors are those of rattle_bonds_create, and NO_MEMORY. topology_analysis_free all the same. */
rattle_status topology_analyse(topology_analysis *analysis, const topology *t, double tolerance,
                               rattle_error *error);
void topology_analysis_free(topology_analysis *analysis);

/* vibration.c: the largest frequency of springs and bends among the velocities that keep the
 * bonds. */
rattle_status topology_frequency(const topology *t, rattle_bonds *solver, double *frequency,
                                 rattle_error *error);
#endif
