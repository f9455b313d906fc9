/* v(u) of a pair of beads, u = r^2, and the switch that ends it smoothly. */
#include "ground/pairs/pairs.h"

/* S and its derivatives by t: S = (1 - t)^(s+1) sum_k binomial(s+k, k) t^k, S' = -(2s+1)!/(s!)^2 (t
 * (1 - t))^s. No terms cancel. */
static void switch_at(int s, double t, double S[3]) {
  double sum = 1, term = 1, left = 1 - t, both = 1, scale = 1, power = left;
  for (int k = 1; k <= s; k++) {
    term *= t * (s + k) / k;
    sum += term;
    power *= left;
    both *= t * left;
    scale *= (double)(s + k) / k;
  }
  scale *= 2 * s + 1;
  S[0] = power * sum;
  S[1] = -scale * both;
  S[2] = both > 0 ? -scale * s * both * (1 - 2 * t) / (t * left)
         : s == 1 ? -scale * (1 - 2 * t)
                  : 0;
}

void rattle__pair_law_at(const rattle__pair_law *law, double u, double v[3]) {
  const double s2 = law->sigma * law->sigma / u, s6 = s2 * s2 * s2, four = 4 * law->epsilon,
               a = law->attraction;
  v[0] = four * (s6 * s6 - a * s6) + law->shift;
  v[1] = four * (3 * a * s6 - 6 * s6 * s6) / u;
  v[2] = four * (42 * s6 * s6 - 12 * a * s6) / (u * u);
  const double from = law->from * law->from;
  if (u <= from) return;
  const double per = 1 / (law->cutoff * law->cutoff - from);
  double S[3];
  switch_at(law->smooth, (u - from) * per, S);
  v[2] = v[2] * S[0] + 2 * v[1] * S[1] * per + v[0] * S[2] * per * per;
  v[1] = v[1] * S[0] + v[0] * S[1] * per;
  v[0] *= S[0];
}
