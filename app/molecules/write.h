#ifndef TOPOLOGY_WRITE_H
#define TOPOLOGY_WRITE_H
/* Kept bonds as a file of another program.
 *
 * Atoms are numbered from 0 in the order of the file, without those that have no mass and so take
 * no part, but with constructed sites for GROMACS; a kept angle is the third side of its triangle.
 * Atoms that follow one another, and that no bond or site leaves, are a part; equal parts have one
 * kind. */
#include <stdio.h>

#include "molecules/topology.h"

typedef struct topology_part {
  int first, atoms;      /* numbers of atoms */
  long long bond, bonds; /* its bonds follow one another */
  int kind, settle;      /* of parts, from 0 on; settle 1: water as GROMACS's SETTLE takes it */
  int sites;
  struct topology_out *of; /* for comparisons */
} topology_part;

typedef struct topology_out {
  int atoms, *given;          /* [atoms] the number in the topology of each atom */
  double *mass, *place;       /* [atoms], [3 atoms]; place NULL: there are no positions */
  char *hydrogen;             /* [atoms] */
  int *number;                /* [atoms of the topology + 1] of each, if it is there */
  const topology_site **site; /* [atoms] of those without mass; NULL: there are none */
  int *pair; /* [2 bonds], the lower atom first; ordered by it, then as in the file */
  double *length;
  long long bonds, left; /* left: atoms without mass */
  int boxed;
  double edge[3][3];
  const char *style;           /* of the units, as LAMMPS names them */
  topology_part *part, **kind; /* [parts]; [kinds] the first part of each */
  int parts, kinds;
} topology_out;

/* Who is to read the numbers: they are as in the topology, in nm and u, or in the units of a style
 * of LAMMPS, which are those of the topology or "real". */
typedef enum topology_user { TOPOLOGY_RATTLE, TOPOLOGY_GROMACS, TOPOLOGY_LAMMPS } topology_user;

/* write.c; topology_out_free after a failure too. BAD_ARGUMENT: units are not known. */
rattle_status topology_out_make(topology_out *out, const topology *t, topology_user reader,
                                rattle_error *error);
void topology_out_free(topology_out *out);
/* Parent k of the site that atom `a` is. */
int topology_parent(const topology_out *out, int a, int k);
/* Different ones of values [count], in order: *found, whose number is returned; -1: no memory. */
long long topology_distinct(double **found, const double *values, long long count);
/* The number of one of them, from 1 on. */
long long topology_number_of(const double *found, long long count, double value);
/* A space and the fewest digits that read back as the value, for each of them. */
void topology_put_numbers(FILE *file, int count, const double *values);

/* The formats, each in a file of its own. */
void topology_write_plain(FILE *file, const topology_out *out);
rattle_status topology_write_gromacs(FILE *file, const topology_out *out, rattle_error *error);
/* BAD_ARGUMENT: coordinates have too many digits for a gro. */
rattle_status topology_write_gro(FILE *file, const topology_out *out, rattle_error *error);
/* A data file, and the commands that read it and keep its bonds; `name` is what it is called. */
rattle_status topology_write_data(FILE *file, const topology_out *out, rattle_error *error);
void topology_write_commands(FILE *file, const topology_out *out, const char *name);
#endif
