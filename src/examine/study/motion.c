/* The coordinates and momenta whose errors are those of the motion. */
#include "examine/study/study.h"
#include "problem/functions/problem.h"

int rattle__study_is_motion(const rattle_study *study, int place) {
  return place % study->n != study->problem->clock - 1;
}
