#ifndef RATTLE__BONDS_CUT_H
#define RATTLE__BONDS_CUT_H
/* Large clusters in pieces, which are eliminated side by side in the lanes of vectors: pieces.c,
 * batches.c, solve_pieces.h. */
#include "bonds/stage.h"
#include "ground/support/arena.h"

/* Forms that have a text of their own: all bonds from the first atom, by their numbers of pivots
 * and bonds; two pivots from there, and border bonds from there and from the second's end. */
#define RATTLE__PIECE_AT_ONE(PIVOTS, BONDS) (16 * (PIVOTS) + (BONDS))
enum { RATTLE__PIECE_ANY = 0, RATTLE__PIECE_AT_TWO = 1 };

/* W pieces of a cluster, all of one form, in the lanes of a vector: `pivots` bonds that are
 * eliminated together, then the bonds that their elimination changes. The changes are updates, a
 * square matrix and right sides, which later batches add. */
typedef struct rattle__bond_batch {
  int pivots, bonds, atoms, couplings, addends;
  int form;    /* RATTLE__PIECE_... */
  int pushed;  /* atoms of pivots, which come first */
  int *pair;   /* local atoms [2 bonds] */
  int *row;    /* 4 * row of each atom and lane [atoms][W] */
  int entries; /* addends to the matrix, which come before those to right sides */
  int *target; /* of addends: their entries, (i, j) being i * bonds + j, right sides after them
                 [addends] */
  int *from;   /* and their places among the updates, the first W of which are 0 [addends][W] */
  int *bond;   /* of each lane [bonds][W] */
  int *known;  /* places of the solutions of the bonds that are no pivots [bonds
                                    * - pivots][W] */
  rattle__bond_coupling *coupling; /* of pivots with bonds after them; slots are not used */
  int *sign; /* of each coupling and lane; 0: the bonds share no atom here [couplings][W] */
  size_t first_atom, first_bond, first_pivot, first_upper, first_update, first_factor;
} rattle__bond_batch;

/* A cluster cut into pieces. */
typedef struct rattle__bond_cut {
  int width, pieces, batches;
  rattle__bond_batch *batch;
  int *atom;   /* of each row */
  int *ends;   /* 4 * rows of each bond's atoms, in the orientation that pieces have [2 bonds] */
  int *vector; /* where each bond's direction is, in numbers; its components are W apart [bonds] */
  int *home;   /* where each bond's solution is */
  size_t atoms, bonds, pivots, uppers, updates, factors; /* vectors of all batches */
  /* in lanes, of each group or of all: inverse masses [atoms W], d^2 and 1/(4 d^2) [bonds W], the
   * sums of inverse masses of pivots, then those of the atoms of couplings with their signs, batch
   * by batch [factors W] */
  double *inverse_mass, *square, *by_square, *factor;
} rattle__bond_cut;

/* The atom at which two bonds meet: 0: none; otherwise it is p[end] and the sign is that of the
 * coupling, as 1 + end or -1 - end. */
static inline int rattle__bonds_meet_at(const int *p, const int *r) {
  return p[1] == r[1] ? 2 : p[1] == r[0] ? -2 : p[0] == r[0] ? 1 : p[0] == r[1] ? -1 : 0;
}

/* pieces.c: the bonds of a shape by the pieces that eliminate them. The order of pieces does not
 * depend on vectors. */
typedef struct rattle__bond_pieces {
  int count, rounds;
  int *first,
      *bond; /* bonds of piece q from first[q] to first[q + 1], pivots first; they are numbered
                as in the shape */
  int *pivots,
      *round;  /* pieces of one round share no pivots, and no atoms of pivots; rounds ascend */
  int *parent; /* the piece that adds what this one changes; -1: none */
  int *of;     /* of each bond: the piece that eliminates it */
  int *born;   /* of each bond: a number that ascends to the root of the cluster */
} rattle__bond_pieces;
/* 1; 0 if a piece would have more bonds than MOST_IN_PIECE; -1: no memory. Released also then. */
enum { RATTLE__MOST_IN_PIECE = 12 };
int rattle__bonds_find_pieces(int atoms, int bonds, const int *pair, rattle__bond_pieces *pieces);
void rattle__bonds_release_pieces(rattle__bond_pieces *pieces);
/* Atoms of a piece by their first appearance, and those of its bonds by their numbers. */
typedef struct rattle__bond_locals {
  int count, atom[2 * RATTLE__MOST_IN_PIECE], pair[2 * RATTLE__MOST_IN_PIECE];
} rattle__bond_locals;
/* locals.c: those of piece q, whose pivots and other bonds it sorts. pair: the atoms of all bonds;
 * waits: how many pieces change each. */
rattle__bond_locals rattle__bonds_localise(const rattle__bond_pieces *pieces, const int *pair,
                                           const int *waits, int q);

/* batches.c: shape->cut, for vectors of `width`, but for masses and lengths; results as above. */
int rattle__bonds_cut(rattle__bond_shape *shape, int width, rattle__arena *arena);

/* cut.c: lanes are clusters, or pieces of one, whose shape then has a cut; 0: no memory. */
int rattle__bonds_choose_width(rattle_bonds *bonds, rattle__bond_shape *shape);
/* Room for masses and lengths in the lanes of pieces, and what comes there, if the shape has a
 * cut. */
void rattle__bonds_open_cut(rattle__bond_shape *shape, rattle__arena *arena);
void rattle__bonds_fill_cut(rattle__bond_shape *shape);
#endif
