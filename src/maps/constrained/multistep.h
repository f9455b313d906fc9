#ifndef RATTLE__WRAP_MULTISTEP_H
#define RATTLE__WRAP_MULTISTEP_H
/* The interface between multistep.c (the step), multistep_start.c (how its past points are made)
 * and multistep_past.c (how they are kept and turned round).
 *
 * The window: with L = K/2 and the state at n = 0, records j = -L .. L, each holding
 *
 *     q_j [n];   of the place before it: D = q_j - q_{j-1} [n], a = M^-1 (f - G^T lambda) [n],
 *     lambda [m] and V there
 *
 * Record -L has no D, and no more than records -L+2 .. L have a, lambda and V; missing members are
 * 0. They lie in a ring in the declared memory: h of the window (0: none) | place of record -L | H
 * at the start | largest kinetic energy since | sum s [n], its rounding error [n], the rounding
 * error of q_L [n] | the ring. */
#include "method/coefficients/multistep.h"
#include "constraint/step/map.h"
#include "constraint/solve/positions.h"

/* Data of a polynomial of the start, and sweeps with polynomials of their own. */
enum { RATTLE__MULTISTEP_DATA = 2 * RATTLE__MULTISTEP_HALF + 3, RATTLE__MULTISTEP_SWEEPS = 4 };

typedef struct rattle__multistep {
  rattle__map map;
  rattle__recurrence c;
  int n, m, places;             /* places: K + 1 */
  size_t width, size;           /* of a record; of all the memory */
  double *memory, *sums, *ring; /* sums: [3n] */
  double *whole;                /* the memory before a step that made the window anew */
  double *kept_sums,
      *kept; /* the sums, with the largest kinetic energy, and the record before a step that went
                on */
  double *fresh_sums, *fresh; /* those that the current step will put there */
  double *B;                  /* G M^-1 [nnz] */
  double *front, *next, *work,
      *zs; /* points [2n] of the multipliers' step, scratch, points of the start [2n] twice */
  double *midst, *slopes, *kept_slopes; /* of the start: q, q' at 0 [2n]; q'' at all places */
  double *weights;                      /* of its polynomials */
  int anew, done; /* the last step made the window anew; there is one that can be undone */
  rattle__map *starter;
  rattle__positions *slider; /* finds the multipliers; NULL if m = 0 */
  rattle__map
      *fast; /* the same as a text for few constraints (maps/natural/fused/natural_small.h), where
               that serves; else NULL */
  rattle__unit *unit;  /* of H where the check fails */
  unsigned char *acts; /* 1: forces or constraints act on that coordinate, or may [n] */
  rattle__linear *M;   /* of momenta from differences where M is not diagonal, else NULL */
  rattle__point
      point; /* where the last step ended, with V: its coordinates are those of a record */
} rattle__multistep;

/* Parts of a record. */
typedef struct rattle__past {
  double *q, *D, *a, *lambda, *V;
} rattle__past;

static inline rattle__past rattle__past_in(const rattle__multistep *s, double *record) {
  const size_t n = (size_t)s->n;
  return (rattle__past){record, record + n, record + 2 * n, record + 3 * n, record + 3 * n + s->m};
}

/* Record j = -L .. L. */
static inline rattle__past rattle__past_at(const rattle__multistep *s, int j) {
  const int place = (int)s->memory[1] + j + s->c.half; /* less than twice the places */
  return rattle__past_in(s, s->ring +
                                (size_t)(place < s->places ? place : place - s->places) * s->width);
}

/* multistep_past.c: a window for h with z0 in its midst: the one at hand, that turned round, or one
 * made anew. */
rattle_status rattle__multistep_window(rattle__multistep *s, double h, const double *z0,
                                       rattle_error *error);
/* Takes the last step's change of the memory back. */
void rattle__multistep_undo(rattle__map *map);
/* multistep_start.c: weights of the polynomials, once; a window made anew. */
void rattle__multistep_weigh(rattle__multistep *s);
rattle_status rattle__multistep_start(rattle__multistep *s, double h, const double *z0,
                                      rattle_error *error);
/* Finds the coordinates that forces and constraints act on. And the kinetic energy of these at z,
 * by which changes of H are judged: that of what moves on its own is as large as it likes. */
rattle_status rattle__multistep_find_free(rattle__multistep *s, rattle_error *error);
double rattle__multistep_kinetic(const rattle__multistep *s, const double *z);
/* V, and a = -M^-1 V_q, at q */
rattle_status rattle__multistep_force(rattle__multistep *s, const double *q, double *V, double *a,
                                      rattle_error *error);
#endif
