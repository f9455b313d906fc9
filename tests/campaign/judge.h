#ifndef CAMPAIGN_JUDGE_H
#define CAMPAIGN_JUDGE_H
/* The verdict on a step of the library, by the truth about it. */
#include "truth.h"

#include "rattle/rattle.h"

/* How a run ended. */
typedef enum outcome {
  RIGHT,         /* all steps done, each the one that belongs to the branch */
  WITH_CAUSE,    /* a step was refused, and has no solution on its branch */
  BORDERLINE,    /* a step was refused or taken so near a fold that both are fair, or the
                 continuation was given up */
  WITHOUT_CAUSE, /* a step was refused that has a regular solution */
  GONE_OVER,     /* a step ended OK on another branch */
  INEXACT,       /* a step ended OK near its solution, but not to round-off */
  BAD_START,     /* model, start or method were refused, or the start was not projected well */
  MISJUDGED,     /* the doctor found another class of constraints, or refused the start */
  OUTCOMES
} outcome;

extern const char *const outcome_names[OUTCOMES];

/* A step as the library made it. */
typedef struct attempt {
  int taken;
  rattle_status status;
  const double *q0, *p0, *q, *p;   /* q and p if it was taken */
  const double *first_q, *first_p; /* the start of the run, */
  int before;                      /* and the steps from there to q0, p0 */
} attempt;

/* The error of a step, in units of its round-off; and whether it exceeds the error that a tolerance
 * of 1e-9 explains. */
typedef struct distance {
  double units, moved; /* moved: error over the way that the step goes */
  double residual; /* largest |g_i|, |psi_i| at its end, in units of the round-off of their terms */
} distance;

/* Residuals of more units than this are no round-off. */
static const double judge_round_off = 5000;

outcome judge(const problem *pr, const attempt *made, formula_work *work, truth *t,
              distance *apart);
/* The largest |g_i| and |psi_i| at a point to which a step led from q0, in units of the round-off
 * of their terms. */
double judge_residual(const problem *pr, const double *q0, const double *q, const double *p,
                      formula_work *work);
/* The function that says which part of the manifold q is on. */
long double judge_part(const problem *pr, const long double *q, formula_work *work);
#endif
