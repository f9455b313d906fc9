#ifndef RATTLE__TRACK_H
#define RATTLE__TRACK_H
/* Certified continuation: the curve of multipliers of a step (curve.h), proved from t = 0 on in
 * pieces that join.
 *
 * Method   a piece from the root found last to an approximation at t2; if the row test (piece.h)
 *          fails, half of it; after two that were proved, twice as much. The root at the end of a
 *          piece is known to within a radius; where that lies in the box of the next piece it is
 *          the same root. At t = 0 the root, 0, is exact. A piece may be as short as t2 > t1 in
 *          floating point
 * Refuted  where the curve from 0 is not proved to its end, that through the candidate is followed
 *          back from t = 1. If it comes from another root at t = 0, the candidate is not the end of
 *          the curve from 0: curves of regular roots do not meet
 * Source   A. Guillemot, P. Lairez, Validated numerics for algebraic path tracking, ISSAC 2024 */
#include "constraint/guard/curve.h"

typedef enum rattle__answer_of_track {
  RATTLE__TRACK_RIGHT, /* the candidate is in a box with the end of the curve, and no other root */
  RATTLE__TRACK_OTHER, /* it is not the end of the curve: that is another root, or the
                          candidate's curve begins elsewhere */
  RATTLE__TRACK_OPEN   /* not proved: how far the curve is known is `reached` */
} rattle__answer_of_track;

typedef struct rattle__tracked {
  rattle__answer_of_track answer;
  int pieces;     /* proved */
  double reached; /* t up to which they are; 1: all */
  /* there, if it is below 1: the row of the test that is missed, by how much (curve.h), and the
   * smallest singular value of J; row -1: nothing is missed */
  int row;
  double margin, smallest;
} rattle__tracked;

enum { RATTLE__TRACK_MOST = 2000 }; /* attempts: then it gives up, where a curve goes to infinity */

/* Asks whether s [m] is the end of the curve, up to round-off. If so, `end` [m] is how far the
 * exact root may be from `root` [m], which is s or near it. Without s, NULL, what the end is:
 * RIGHT, or OPEN. scratch [7 m]. */
rattle__tracked rattle__track(rattle__curve *curve, const double *s, double *root, double *end,
                              double *scratch);
/* s becomes what Newton's iteration at t = 1 makes of it, as long as that converges. */
void rattle__track_correct(rattle__curve *curve, double *s, double *scratch);
/* True if at t = 1 a box around s that holds all within `known` [m] of it has one root, and no
 * other. */
int rattle__track_holds(rattle__curve *curve, const double *s, const double *known,
                        double *scratch);
/* True if the curve through the root near s at t = 1 leads back to another root at t = 0 than 0.
 * root, end: scratch [m] */
int rattle__track_refutes(rattle__curve *curve, const double *s, double *root, double *end,
                          double *scratch);
#endif
