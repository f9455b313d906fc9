#ifndef RATTLE__FORCED_H
#define RATTLE__FORCED_H
/* Problems with forces that are no gradient: p' = -H_q + f(q,p).
 *
 * A map takes the slopes of motion from the first derivatives of problem->H, and Newton's matrix
 * from the second ones. With forces, problem->H is a function whose value is the energy, whose
 * "gradient" is (H_q - f, H_p), and whose "Hessian" is the derivative of that, which is not
 * symmetric. Then every map that takes both from there by rows is a map of the forced problem, and
 * psi' and N are derivatives along the forced motion.
 *
 * The account is a pair more, the last one: its coordinate is 0, its momentum is the work W of the
 * forces,
 *
 *     W' = f . H_p,       the value of the function being H - W, which the motion keeps.
 *
 * A map carries it like any other momentum: with verlet, W1 - W0 = h/2 (f(q0,p) + f(q1,p)) . M^-1 p
 * = (f_- + f_+) . (q1 - q0)/2, the work of the discrete Lagrange-d'Alembert principle (J. E.
 * Marsden, M. West, Acta Numerica 10 (2001) 357, section 3.2). Nothing depends on W, and its row in
 * the "Hessian" is empty: iterations need no derivative of it, since it is a sum of slopes. */
#include "problem/functions/problem.h"

/* From energy and force, which must outlive it; account: 0 or 1 pairs more. */
rattle_status rattle__function_forced(rattle__function **f, const rattle_problem *problem,
                                      int account, rattle_error *error);
/* forced_momenta.c: g(q, p), which must outlive it, with the account's pair more. */
rattle_status rattle__function_beside_account(rattle__function **f, const rattle__function *g,
                                              rattle_error *error);
/* The problem, which must outlive it, with the account. NULL without forces. */
rattle_status rattle__problem_with_account(rattle_problem **ledger, const rattle_problem *problem,
                                           rattle_error *error);
void rattle__problem_with_account_destroy(rattle_problem **ledger);
/* UNSUITABLE: `what` (a method, a field) cannot have forces; `instead` is a sentence on what to
 * use, without its stop. */
rattle_status rattle__refuse_forces(const rattle_problem *problem, const char *what,
                                    const char *instead, rattle_error *error);
#endif
