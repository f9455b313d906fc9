/* Bodies of any shape: their principal axes, and the share of each atom in their freedoms. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "bonds/flat.h"

/* Turns rows of E and S = E A E^T so that S_pq is 0: Jacobi's rotation. */
static void rotate(double S[3][3], double E[3][3], int p, int q) {
  if (S[p][q] == 0) return;
  const double theta = (S[q][q] - S[p][p]) / (2 * S[p][q]),
               t = (theta < 0 ? -1 : 1) / (fabs(theta) + sqrt(theta * theta + 1)),
               c = 1 / sqrt(t * t + 1), s = t * c;
  for (int k = 0; k < 3; k++) {
    const double a = S[p][k], b = S[q][k];
    S[p][k] = c * a - s * b, S[q][k] = s * a + c * b;
  }
  for (int k = 0; k < 3; k++) {
    const double a = S[k][p], b = S[k][q], e = E[p][k], f = E[q][k];
    S[k][p] = c * a - s * b, S[k][q] = s * a + c * b;
    E[p][k] = c * e - s * f, E[q][k] = s * e + c * f;
  }
  S[p][q] = S[q][p] = 0;
}

/* Rows of E are the axes of S, the first with the largest value, right-handed. */
static void principal(double S[3][3], double E[3][3]) {
  enum { SWEEPS = 30 };
  memset(E, 0, 9 * sizeof E[0][0]);
  for (int k = 0; k < 3; k++) E[k][k] = 1;
  for (int n = 0; n < SWEEPS; n++)
    for (int p = 0; p < 2; p++)
      for (int q = p + 1; q < 3; q++) rotate(S, E, p, q);
  for (int pass = 0; pass < 2; pass++)
    for (int k = 0; k < 2; k++) {
      if (!(S[k][k] < S[k + 1][k + 1])) continue;
      const double value = S[k][k];
      double row[3];
      S[k][k] = S[k + 1][k + 1], S[k + 1][k + 1] = value;
      memcpy(row, E[k], sizeof row);
      memcpy(E[k], E[k + 1], sizeof row), memcpy(E[k + 1], row, sizeof row);
    }
  for (int d = 0; d < 3; d++) {
    const int e = (d + 1) % 3, f = (d + 2) % 3;
    E[2][d] = E[0][e] * E[1][f] - E[0][f] * E[1][e];
  }
}

/* The centre of mass, and the second moments about it. */
static void gather(const rattle__bond_solid *s, double centre[3], double S[3][3]) {
  const double *place = s->place;
  for (int i = 0; i < s->atoms; i++)
    for (int d = 0; d < 3; d++) centre[d] += s->mass[i] * (place[3 * i + d] - place[d]);
  for (int d = 0; d < 3; d++) centre[d] = place[d] + centre[d] / s->total;
  for (int i = 0; i < s->atoms; i++)
    for (int d = 0; d < 3; d++)
      for (int e = 0; e < 3; e++)
        S[d][e] += s->mass[i] * (place[3 * i + d] - centre[d]) * (place[3 * i + e] - centre[e]);
}

int rattle__bonds_align_solid(rattle__bond_solid *s, double *reach) {
  double centre[3] = {0}, S[3][3] = {{0}}, E[3][3], far = 0;
  *reach = s->total = 0;
  for (int i = 0; i < s->atoms; i++) {
    double square = 0;
    s->total += s->mass[i];
    for (int d = 0; d < 3; d++)
      square += (s->place[3 * i + d] - s->place[d]) * (s->place[3 * i + d] - s->place[d]);
    *reach = fmax(*reach, sqrt(square));
  }
  for (int d = 0; d < 3; d++) far += fabs(s->place[d]);
  gather(s, centre, S);
  principal(S, E);
  for (int i = 0; i < s->atoms; i++) {
    double from[3], *at = s->place + 3 * i;
    for (int d = 0; d < 3; d++) from[d] = at[d] - centre[d], at[d] = 0;
    for (int a = 0; a < 3; a++) {
      for (int d = 0; d < 3; d++) at[a] += E[a][d] * from[d];
      s->second[a] += s->mass[i] * at[a] * at[a];
    }
  }
  for (int a = 0; a < 3; a++) s->moment[a] = s->second[(a + 1) % 3] + s->second[(a + 2) % 3];
  /* off their line by no more than their round-off */
  const double round_off = 4 * DBL_EPSILON * (*reach + far);
  return s->second[1] > s->total * round_off * round_off;
}

double rattle__bonds_left_to(const rattle__bond_solid *s, int i) {
  double left = 3 * s->mass[i] / s->total;
  const double *at = s->place + 3 * i;
  for (int a = 0; a < 3; a++) {
    const double b = at[(a + 1) % 3], c = at[(a + 2) % 3];
    left += s->mass[i] * (b * b + c * c) / s->moment[a];
  }
  return left;
}
