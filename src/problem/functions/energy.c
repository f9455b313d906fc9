/* The size of the energies at a point: what errors of the energy are relative to.
 *
 * The sum of the sizes of H's terms, constants apart: no change of the zero of energy changes it,
 * and it is not 0 where kinetic and potential energy cancel. Without terms (callbacks, sums of
 * thousands) |T| + |V|, or max(|H|, sum |p H_p|/2) where H is not separable. */
#include <math.h>
#include <stdlib.h>

#include "problem/functions/problem.h"

static size_t larger(size_t a, const rattle__function *f) {
  return f && f->work > a ? f->work : a;
}

size_t rattle__energy_room(const rattle_problem *problem) {
  const size_t terms = problem->terms ? (size_t)problem->terms->rows : 2 * (size_t)problem->n;
  return terms +
         larger(larger(larger(larger(0, problem->terms), problem->H), problem->V), problem->T) + 1;
}

static double of_parts(const rattle_problem *problem, const double *z, double *work) {
  const double *p = z + problem->n;
  double V = 0, T = 0;
  int answer = problem->V->value(problem->V, z, &V, work);
  if (problem->T) answer |= problem->T->value(problem->T, p, &T, work);
  for (int k = 0; k < problem->n && !problem->T; k++)
    T += rattle__mass_times(problem->mass, 1, k, p) * p[k] / 2;
  return answer ? (double)NAN : fabs(V) + fabs(T);
}

double rattle__energy_size(const rattle_problem *problem, const double *z, double *room) {
  const rattle__function *f = problem->terms;
  const int n = problem->n;
  double sum = 0, H = 0;
  if (f) {
    if (f->value(f, z, room, room + f->rows)) return (double)NAN;
    for (int i = 0; i < f->rows; i++) sum += fabs(room[i]);
    return sum;
  }
  if (problem->V) return of_parts(problem, z, room);
  if (problem->H->jacobian(problem->H, z, &H, room, room + 2 * n)) return (double)NAN;
  for (int k = 0; k < n; k++) sum += fabs(z[n + k] * room[n + k]) / 2;
  return fmax(fabs(H), sum);
}
