#ifndef RATTLE__STAGE_ROWS_H
#define RATTLE__STAGE_ROWS_H
/* The forces F = -V_q + phi(q) + Phi(q) p of a step of the implicit midpoint rule, which act at its
 * middle, as equations for unknowns y = t^2 F: with the momenta P = M (Q - q0)/(t h) of the middle,
 *
 *     y_i - t^2 (phi - V_q)_i - t Phi_i Z = 0,  Z = M (Q - q0)/h,
 *
 * phi, V_q and Phi being taken at (q0 + Q)/2. They are regular at t = 0, where y = 0. */
#include "problem/functions/problem.h"

/* The left sides as a function of ((q0 + Q)/2, Q - q0, Z, t, y), of the coordinates acts_on [rows,
 * at most n] whose force is no constant. Forces are affine in momenta. *rows NULL: there are none.
 * UNSUITABLE: they are no expressions. */
rattle_status rattle__stage_rows(rattle__function **rows, int *acts_on,
                                 const rattle_problem *problem, rattle_error *error);
#endif
