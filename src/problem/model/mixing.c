/* epsilon and sigma of two beads.
 *
 *     lorentz_berthelot    sigma = (sigma_a + sigma_b)/2, epsilon = sqrt(epsilon_a epsilon_b)
 *     geometric            sigma = sqrt(sigma_a sigma_b), epsilon = sqrt(epsilon_a epsilon_b)
 *
 * Source    H. A. Lorentz, Ann. Phys. 248 (1881) 127; D. Berthelot, C. R. Acad. Sci. 126 (1898)
 *           1703; geometric: W. L. Jorgensen, D. S. Maxwell, J. Tirado-Rives, J. Am. Chem. Soc. 118
 *           (1996) 11225 (OPLS) */
#include "problem/model/mixing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ground/support/error.h"

static rattle_status refuse(rattle_error *error, const char *text) {
  return rattle__fail(error, RATTLE_BAD_ARGUMENT, "pair_potential", "pair_potential: %s", text);
}

/* A bead without forces may have any sigma, 0 among them. */
static rattle_status check_kind(double epsilon, double sigma, rattle_error *error) {
  if (!(epsilon >= 0) || !isfinite(epsilon))
    return refuse(error, "epsilon of a kind of beads must be at least 0");
  if (!(sigma >= 0) || !isfinite(sigma) || (epsilon > 0 && sigma == 0))
    return refuse(error, "sigma of a kind of beads must be above 0, or 0 where epsilon is 0");
  return RATTLE_OK;
}

static rattle_status mix_special(const rattle_pair_potential *given, double *epsilon, double *sigma,
                                 rattle_error *error) {
  for (int k = 0; k < given->specials; k++) {
    const rattle_pair_special *own = &given->special[k];
    const int a = own->kind[0], b = own->kind[1], n = given->kinds;
    if (a < 0 || a >= n || b < 0 || b >= n)
      return rattle__fail(error, RATTLE_BAD_ARGUMENT, "pair_potential",
                          "pair_potential: kind %d of a special pair does not exist: there are %d",
                          a < 0 || a >= n ? a : b, n);
    const rattle_status status = check_kind(own->epsilon, own->sigma, error);
    if (status) return status;
    epsilon[a * n + b] = epsilon[b * n + a] = own->epsilon;
    sigma[a * n + b] = sigma[b * n + a] = own->sigma;
  }
  return RATTLE_OK;
}

rattle_status rattle__pairs_mix(const rattle_pair_potential *given, double *epsilon, double *sigma,
                                rattle_error *error) {
  const int n = given->kinds, geometric = given->mixing && !strcmp(given->mixing, "geometric");
  epsilon[0] = given->epsilon;
  sigma[0] = given->sigma;
  if (n == 0 && !(epsilon[0] > 0 && isfinite(epsilon[0])))
    return refuse(error, "epsilon must be above 0");
  if (n == 0 && !(sigma[0] > 0 && isfinite(sigma[0])))
    return refuse(error, "sigma must be above 0");
  if (n == 0) return RATTLE_OK;
  if (given->mixing && !geometric && strcmp(given->mixing, "lorentz_berthelot") != 0)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "pair_potential",
                        "pair_potential: the mixing rule \"%s\" is not known: expected "
                        "\"lorentz_berthelot\" or \"geometric\"",
                        given->mixing);
  for (int a = 0; a < n; a++) {
    const rattle_status status = check_kind(given->epsilons[a], given->sigmas[a], error);
    if (status) return status;
  }
  for (int a = 0; a < n; a++)
    for (int b = 0; b < n; b++) {
      const double *e = given->epsilons, *s = given->sigmas;
      epsilon[a * n + b] = a == b ? e[a] : sqrt(e[a]) * sqrt(e[b]);
      sigma[a * n + b] = a == b      ? s[a]
                         : geometric ? sqrt(s[a]) * sqrt(s[b])
                                     : 0.5 * s[a] + 0.5 * s[b];
    }
  const rattle_status status = mix_special(given, epsilon, sigma, error);
  double most = 0;
  for (int k = 0; k < n * n; k++) most = fmax(most, epsilon[k]);
  return status || most > 0
             ? status
             : refuse(error, "epsilon is 0 for all kinds of beads, so that there are no forces");
}

/* Pairs as one number each: the lower bead first. */
static void number_pairs(int beads, long long count, const int *pair, long long *number) {
  for (long long e = 0; e < count; e++) {
    const long long a = pair[2 * e], b = pair[2 * e + 1];
    number[e] = a < b ? a * beads + b : b * beads + a;
  }
}

static int ascending(const void *a, const void *b) {
  const long long *x = a, *y = b;
  return (*x > *y) - (*x < *y);
}

rattle_status rattle__pairs_distinct(int beads, long long excluded, const int *exclusions,
                                     long long scaled, const int *pair, rattle_error *error) {
  long long *own = malloc((size_t)(excluded + scaled + 1) * sizeof *own),
            *out = own ? own + scaled : NULL;
  if (!own) return rattle__no_memory(error);
  number_pairs(beads, scaled, pair, own);
  number_pairs(beads, excluded, exclusions, out);
  qsort(own, (size_t)scaled, sizeof *own, ascending);
  if (excluded) qsort(out, (size_t)excluded, sizeof *out, ascending);
  const char *wrong = NULL;
  for (long long e = 0, x = 0; e < scaled && !wrong; e++) {
    while (x < excluded && out[x] < own[e]) x++;
    if (own[e] / beads == own[e] % beads) wrong = "a scaled pair is one bead twice";
    if (e > 0 && own[e] == own[e - 1]) wrong = "a scaled pair occurs twice";
    if (x < excluded && out[x] == own[e]) wrong = "a scaled pair is excluded too";
  }
  free(own);
  return wrong ? refuse(error, wrong) : RATTLE_OK;
}
