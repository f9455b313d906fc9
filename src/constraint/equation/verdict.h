/* How the iteration of one trajectory goes on. Plain C without includes, after stopping.h: the text
 * is handed to a compiler too. */
#ifndef RATTLE__VERDICT_H
#define RATTLE__VERDICT_H

typedef enum rattle__verdict { RATTLE__GO_ON, RATTLE__DONE, RATTLE__GIVE_UP } rattle__verdict;

/* On residual r after `previous`, k corrections made; stagnation below `enough` is success. tol >
 * 0, in the units of r: done below it already. */
static inline rattle__verdict rattle__judge_below(double enough, double r, double previous, int k,
                                                  double tol) {
  if (r <= 1.0 || r <= tol) return RATTLE__DONE;
  if (!(r < 1e300) || k >= RATTLE__ITERATIONS) return RATTLE__GIVE_UP;
  return r < enough && rattle__stagnates(r, previous, k) ? RATTLE__DONE : RATTLE__GO_ON;
}
static inline rattle__verdict rattle__judge(double r, double previous, int k, double tol) {
  return rattle__judge_below(RATTLE__ENOUGH, r, previous, k, tol);
}
#endif
