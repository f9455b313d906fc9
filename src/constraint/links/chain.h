#ifndef RATTLE__CHAIN_H
#define RATTLE__CHAIN_H
/* A chain of links in eight segments, which stand side by side in the lanes of vectors: the
 * positions step and the momentum projection of steps without doubt, for many steps in a row. Used
 * by maps/natural/natural_chain.c; symbols and method: chain.c.
 *
 * Lanes    the links, from 1 on, are cut into 8 segments of `rows` links each, the last filled up
 *          with nodes without mass. Links there count as the one beyond the segment, which is link
 *          1 in a ring and else 0, and eliminations pass over them. Numbers of link j of segment l,
 *          and of its upper node, are at [8 j + l], j = 1 .. rows; 0 is the node, or the link,
 *          before the segment and rows + 1 the link after it, which other lanes have too. The
 *          number eight is part of the algorithm: results do not depend on the width of vectors */
#include "constraint/links/path.h"

enum { RATTLE__LANES = 8 };

/* A number for each lane, where vectors of any width can begin. */
typedef struct rattle__lanes {
  _Alignas(64) double of[RATTLE__LANES];
} rattle__lanes;

/* The rest of a segment after elimination, by lanes: of its last row, delta_L = y + u delta_{L+1} +
 * v delta_0, and of the unknown at its other end, delta_1 = Y + V delta_0 + P delta_L. Momenta:
 * before the links beyond are known, u and v without the factors that they have in them */
typedef struct rattle__segments {
  rattle__lanes u, v, y, Y, V, P;
  rattle__lanes scale; /* of v, which arrays have without it */
  int down;            /* 1: eliminated from the last row to the first; 1 and L change places */
} rattle__segments;

/* Numbers that are the same in all lanes of the rows 1 .. rows, where walks do not read them. */
typedef struct rattle__even {
  double of;
  int rows;
} rattle__even;

/* The largest residual of a walk, in units of round-off and as it is. */
typedef struct rattle__seen {
  double ratio, largest;
} rattle__seen;

/* A step: p -= k1 V_q(start), q += d M^-1 p, p -= k2 V_q(end), each with h in it. */
typedef struct rattle__kicks {
  double k1, d, k2, h;
} rattle__kicks;

enum { RATTLE__CHAIN_POSITIONS, RATTLE__CHAIN_MOMENTA };

/* Arrays of the start of the step have index 0, of its end 1; when momenta were pushed, they change
 * places. */
typedef struct rattle__chain {
  rattle__path path;
  int rows, whole, full; /* whole: rows in which all lanes have a node that moves; full: a link */
  rattle__lanes real,
      filling;     /* of the rows after them: 1 for links, 0 for what fills up; and what stands for
                  its diagonal */
  double stiffest; /* the largest element of the diagonal where nothing turned */
  double *x[2][3], *p[2][3];                          /* nodes and momenta */
  double *V_q[2][3];                                  /* NULL: 0 */
  double *sigma;                                      /* h^2 lambda 2c */
  double *inverse_mass;                               /* of nodes */
  double *square;                                     /* d^2 */
  rattle__even even_mass, even_square, even_force[3]; /* of the last two and V_q */
  double *inverse_floor;                              /* 1 / round-off of f */
  double *u, *v,
      *y; /* of the elimination at hand: delta_j = y + u delta_{j+1} + v delta_0, or downwards */
  int spiked[RATTLE__LANES]; /* rows whose v does not vanish, of the lanes that go together */
  int begin[3]
           [RATTLE__LANES]; /* of lanes: the column of coordinate d of row j is begin + stride j */
  int constant;             /* 1: V_q is the same everywhere, and both ends have the same array */
  double most_x, most_p;    /* the largest coordinates and momenta at the start of the step */
  double most_V[2];         /* the largest of V_q */
  double level;             /* V_q constant: V where q = 0 */
  double kinetic,
      potential; /* p^T M^-1 p/2, and V where V_q is constant, at the start of the step that
                    comes next */
  double
      least[2]; /* what each coordinate, or momentum, counts with at least in units of round-off */
  rattle__lanes beyond[2][3]; /* the links 0 and L+1 at the start of the step */
  rattle__lanes sigma_beyond[2];
  rattle__segments ends; /* what the last elimination left */
  rattle__lanes first, last, before, after,
      far;              /* delta of the links 1, L, 0, L+1, and of the one that v counts */
  double closing;       /* of the last link */
  rattle__seen seen[2]; /* of positions, of momenta */
  int good;             /* pivots of the last elimination are positive */
  double way[2],
      span; /* pushed: d.p' without the multipliers, d.p with them, and reach, of rattle__work
               (constraint/guard/rules/doubt_rules.h) */
  rattle__kicks now; /* the step at hand */
  int begun, pushed; /* 1: its first elimination is done; its momenta are pushed */
  const struct rattle__chain_kernel *kernel;
  int corrections, eliminations; /* of the last step */
  double g, psi,
      residual;      /* where it ended: largest |g_i|, |psi_i|, and residual of an iteration */
  long long numbers; /* that the walks so far have read and written, for each row and lane */
} rattle__chain;

/* Walks along all segments.
 *   BEGIN      the iterate is the end of drift alone; units of round-off, elimination
 *   FIRST      the same iterate, corrected for the first time; elimination
 *   BOTH       correction and elimination; CORRECT: correction alone; ELIMINATE: elimination alone
 *   END        the last correction of positions, momenta pushed, and their elimination
 *   PUSH       momenta pushed, and their elimination
 *   LEVEL      momenta corrected; LEVEL_ELIMINATE: their elimination once more
 *   GO_ON      momenta corrected, and BEGIN of the next step
 * A correction goes against the elimination before it; walks that begin go up, eliminations of
 * momenta down. */
typedef enum rattle__chain_walk {
  RATTLE__WALK_BEGIN,
  RATTLE__WALK_FIRST,
  RATTLE__WALK_BOTH,
  RATTLE__WALK_CORRECT,
  RATTLE__WALK_ELIMINATE,
  RATTLE__WALK_END,
  RATTLE__WALK_PUSH,
  RATTLE__WALK_LEVEL,
  RATTLE__WALK_LEVEL_ELIMINATE,
  RATTLE__WALK_GO_ON
} rattle__chain_walk;

/* The loops over lanes, compiled for vectors of one width; load and store: between a = q, p or V_q
 * and rows in which all lanes move. */
typedef struct rattle__chain_kernel {
  const char *name;
  void (*load)(const rattle__chain *chain, const double *a, double *const *to);
  void (*store)(const rattle__chain *chain, double *const *from, double *a);
  void (*walk)(rattle__chain *chain, rattle__chain_walk walk);
} rattle__chain_kernel;

/* Kernel i of those that this machine can run, the best first; NULL: there is none. The first is
 * what chains use. */
const rattle__chain_kernel *rattle__chain_kernel_of(int i);

/* A chain of the constraints of the problem; NULL if they are no path, it is too short to gain, or
 * without memory, which the arena knows. */
rattle__chain *rattle__chain_create(const rattle_problem *problem, rattle__arena *arena);

/* z into the lanes, and back. */
void rattle__chain_enter(rattle__chain *chain, const double *z);
void rattle__chain_leave(const rattle__chain *chain, double *z);
/* V_q where the step starts (end 0) or ends (1), unless it is constant; where it ends, q of
 * positions found */
void rattle__chain_force(rattle__chain *chain, int end, const double *V_q);
void rattle__chain_nodes(const rattle__chain *chain, double *q);

/* q1 = q0 + d M^-1 (p0 - k1 V_q) - M^-1 G0^T sigma/2c on g = 0. Returns 1; 0 if anything is in
 * doubt: then the chain is where it was. */
int rattle__chain_positions(rattle__chain *chain, const rattle__kicks *now);
/* After positions: p1 = p0 - k1 V_q - G0^T sigma/(2c) / h - k2 V_q, and if `project` slid onto G1
 * M^-1 p = 0; then the chain is at the end of the step. 0 if that is in doubt: it is where it was.
 * next: the step that comes next, which begins where this one ends; NULL: not known */
int rattle__chain_momenta(rattle__chain *chain, const rattle__kicks *next, int project);
/* lambda[links] of positions found */
void rattle__chain_multipliers(const rattle__chain *chain, double *lambda);
#endif
