#ifndef RATTLE_TESTS_MOLECULES_H
#define RATTLE_TESTS_MOLECULES_H
/* Molecules with bonds, for the tests and the benchmark of bonds: small graphs of all kinds, and
 * many copies of one as a topology. */
#include "rattle/bonds.h"

enum { ATOMS = 1000, BONDS = 1000 };

/* A molecule: its bonds, and a place for its atoms where all lengths are what they are. */
typedef struct molecule {
  const char *name;
  int atoms, bonds;
  int pair[2 * BONDS];
  double x[3 * ATOMS], mass[ATOMS];
} molecule;

/* The next of a sequence in [0, 1). */
double drawn(void);
/* Bonds of a tree: atom k + 1 hangs at parent[k]; and one that closes a ring. */
void molecule_tree(molecule *m, const char *name, int bonds, const int *parent);
void molecule_close(molecule *m, int i, int j);
/* Masses of 1 to 30, some of 200; places a unit apart or so, in no order that matters. */
enum { KINDS = 16 };
void molecule_make(molecule *m, int kind);

/* Copies of molecules as one topology, with velocities, and where a step without constraints
 * ends. */
typedef struct scene {
  long long atoms, bonds;
  int *pair;
  double *length, *mass, *x0, *x, *v, *start; /* start: x before constraints */
  double h;
} scene;

/* Zeroed memory for count + 1; ends the program where there is none. */
void *room(long long count, size_t size);
/* alike: all copies have the same lengths and masses. */
void scene_open(scene *s, const molecule *m, int copies, int alike, double h);
/* x and start = x0 + h v */
void scene_move(scene *s);
void scene_close(scene *s);
rattle_bonds_topology scene_topology(const scene *s);
/* Numbers for the oracles; and a failure of the test where x, the `what` of molecule `name`,
 * differs from y by more than allowed. */
long double *widened(const double *x, long long count);
void scene_near(const scene *s, const double *x, const long double *y, double allowed,
                const char *what, const char *name);
/* NULL where the options are refused: `error` says why. */
rattle_bonds *scene_bonds(const scene *s, const rattle_bonds_options *options, rattle_error *error);

/* Gauss-Seidel sweeps in long double: y becomes positions with the lengths of the scene, along the
 * bonds of `along`, or velocities that keep them there; lambda [bonds] (may be NULL) gets the
 * multipliers. Returns the error of the worst bond. */
long double scene_sweep(const scene *s, int positions, const double *along, long double *y,
                        long double *lambda);
#endif
