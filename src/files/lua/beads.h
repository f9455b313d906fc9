#ifndef RATTLE__LUA_BEADS_H
#define RATTLE__LUA_BEADS_H
/* Beads in space and the rods between them, which molecule{...} and bonds{...} declare, and
 * angles{...}, torsions{...} and pair_potential{...} refer to. Beads are numbered from 0 on in C,
 * from 1 on in models. */
#include <lua.h>
#include <stdint.h>

#include "rattle/expr.h"

typedef struct rattle__bead_bond {
  int bead[2];
} rattle__bead_bond;

/* Copies of a molecule follow one another: bead b of copy c is first + c beads + b. */
typedef struct rattle__bead_molecule {
  int first, beads, copies;
} rattle__bead_molecule;

typedef struct rattle__beads {
  int *pair;    /* the pair (q, p) that is x of each bead; y and z follow it */
  int *species; /* of each bead: its number, from 1 on; 0: none */
  rattle__bead_bond *bond;
  rattle__bead_molecule *molecule;
  int count, pair_room, species_room, bonds, bond_room, molecules, molecule_room;
} rattle__beads;

/* Which beads are bonded: those of bead b are to[first[b] .. first[b + 1]), ascending by bond. */
typedef struct rattle__bonded {
  int *first, *to;
} rattle__bonded;

/* The words that options of `word{...}` may have, ended by NULL; entries 1, 2 ... are allowed if
 * `list`. */
void rattle__lua_known(lua_State *L, const char *word, const char *const *known, int list);
/* A number among the options in the table at index 1; missing: value, NaN if it must be there. */
double rattle__lua_option(lua_State *L, const char *word, const char *name, double value);
/* The molecule of the option `molecule`, or one of all beads. */
rattle__bead_molecule rattle__lua_molecule(lua_State *L, const char *word);
/* The beads of entry `entry` of the table at index 1, a list of `many` different numbers of a
 * molecule, as beads of its first copy. Returns the place of one number more in that list, as a
 * length, 0 if there is none. */
double rattle__lua_entry(lua_State *L, const char *word, int entry, int many,
                         const rattle__bead_molecule *in, int *bead);
/* The bonds of all beads; the userdata stay on the stack. */
rattle__bonded rattle__lua_bonded_beads(lua_State *L);
/* species.c: the number of the species whose name is at an index, from 1 on; the name of a number,
 * pushed */
int rattle__lua_species(lua_State *L, int index);
const char *rattle__lua_species_name(lua_State *L, int number);
int rattle__lua_species_count(lua_State *L);
/* exclusions.c: pairs of beads that are `from` to `to` bonds apart, by the shortest way [2 *count];
 * the userdata stays on the stack. */
const int *rattle__lua_bonded_pairs(lua_State *L, int from, int to, long long *count);
/* Adds the rod. */
void rattle__lua_rod(lua_State *L, int a, int b, double length);
/* e of coordinate `axis` of a bead; a op b, checked */
rattle_expr rattle__lua_bead(lua_State *L, int bead, int axis);
rattle_expr rattle__lua_binary(lua_State *L, rattle_op op, rattle_expr a, rattle_expr b);
rattle_expr rattle__lua_constant(lua_State *L, double value);
/* d[3] = x_a - x_b; a.b */
void rattle__lua_difference(lua_State *L, int a, int b, rattle_expr d[3]);
rattle_expr rattle__lua_dot(lua_State *L, const rattle_expr a[3], const rattle_expr b[3]);

/* place.c: where the beads of one copy stand, x [3 beads]: a chain of bonds of the lengths given
 * [beads - 1], or a ring, whose lengths are all length[0]. 0: no memory, or no place was found */
int rattle__place_coil(int beads, int ring, const double *length, uint64_t *random, double *x);
/* The offset of copy `copy` of so many on a grid whose cells have the edges given. */
void rattle__place_copy(int copy, int copies, const double edge[3], double offset[3]);
#endif
