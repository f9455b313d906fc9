/* Growing numbers of steps: the points of convergence and work. */
#include <math.h>

#include "study/study.h"

/* What one run may take, so that a study takes seconds whatever the size of the problem: base maps, evaluations. */
static double share(const rattle_study *study, double small_problem) {
  double effort = study->options.effort > 0 ? study->options.effort : 1;
  return effort * small_problem * fmin(1, fmax(0.04, 8.0 / study->n));
}

int rattle__sweep_over(const rattle_study *study, const rattle__trial *trial, long long next) {
  const rattle_counts *c = &trial->counts;
  double evaluations = (double)(c->gradient + c->hessian + c->constraint + c->jacobian);
  return trial->steps > 0 && evaluations * (double)next / (double)trial->steps > share(study, 2e6);
}

int rattle__sweep_steps(const rattle_study *study, int order, int stages, long long steps[RATTLE__SWEEP_MOST]) {
  int parts = order <= 2 ? 1 : order <= 4 ? 3 : order <= 6 ? 5 : 8, count = 0;
  double most = share(study, 2.5e5);
  for (int k = 0; count < RATTLE__SWEEP_MOST; k++) {
    long long next = study->ticks * llround(pow(2, (double)k / parts));
    if (count > 0 && next == steps[count - 1]) continue;
    if (count > 0 && (double)next * stages > most) break;
    steps[count++] = next;
  }
  return count;
}
