/* Kinds of constructed sites, as weights of vectors between their parents. */
#include <math.h>
#include <string.h>

#include "ground/support/error.h"
#include "rattle/sites.h"

static const rattle_site_kind table[] = {
#define SITE(NAME, PARENTS, NUMBERS, SECTION, FUNCTION, TEXT)                                      \
  {NAME, PARENTS, NUMBERS, SECTION, FUNCTION, TEXT},
#include "bonds/site_kinds.def"
#undef SITE
};
enum { KINDS = sizeof table / sizeof *table };

const rattle_site_kind *rattle_site_kind_of(int index) {
  return index >= 0 && index < KINDS ? &table[index] : NULL;
}

/* o, a, b of parents after the first */
enum { O, A, B };
static void put(double *weights, int vector, const double *of, int count) {
  for (int k = 0; k < count; k++) weights[3 * (k + 1) + vector] = of[k];
}

/* Masses or weights, all 1 for NULL. */
static rattle_status mean(int parents, const double *weight, double *weights, rattle_error *error) {
  double sum = 0;
  for (int k = 0; k < parents; k++) sum += weight ? weight[k] : 1;
  if (!isfinite(1 / sum))
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "numbers",
                        "the weights of a site have the sum %g: it must not be 0", sum);
  for (int k = 1; k < parents; k++) weights[3 * k + O] = (weight ? weight[k] : 1) / sum;
  return RATTLE_OK;
}

static void vectors(const rattle_site_kind *kind, const double *n, double *w, double *p) {
  const int function = kind->function;
  switch (10 * kind->section + function) {
  case 21:
    put(w, O, n, 1);
    break;
  case 22:
    put(w, A, (double[]){1}, 1), p[0] = n[0];
    break;
  case 31:
    put(w, O, n, 2);
    break;
  case 32:
    put(w, A, (double[]){1 - n[0], n[0]}, 2), p[0] = n[1];
    break;
  case 33:
    put(w, A, (double[]){1, 0}, 2), put(w, B, (double[]){-1, 1}, 2);
    p[0] = n[1] * cos(n[0]), p[1] = n[1] * sin(n[0]);
    break;
  case 34:
    put(w, O, n, 2), put(w, A, (double[]){1, 0}, 2), put(w, B, (double[]){0, 1}, 2);
    p[3] = n[2];
    break;
  case 41:
    put(w, A, (double[]){1 - n[0] - n[1], n[0], n[1]}, 3), p[0] = n[2];
    break;
  case 42:
    put(w, A, (double[]){-1, n[0], 0}, 3), put(w, B, (double[]){-1, 0, n[1]}, 3);
    p[2] = n[2];
    break;
  default:
    break;
  }
}

rattle_status rattle_site_weights(const char *name, int parents, const double *numbers,
                                  double *weights, double *lengths, rattle_error *error) {
  const rattle_site_kind *kind = NULL;
  for (int k = 0; k < KINDS && name; k++)
    if (!strcmp(table[k].name, name)) kind = &table[k];
  if (!kind)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "kind",
                        "there is no site '%s': rattle_site_kind_of lists the kinds",
                        name ? name : "");
  if (parents < 1 || (kind->parents && kind->parents != parents))
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "parents",
                        "%d parents of a site '%s': %d are expected", parents, name,
                        kind->parents ? kind->parents : 1);
  const int count = kind->numbers < 0 ? parents : kind->numbers;
  for (int k = 0; k < count; k++)
    if (!isfinite(numbers[k]))
      return rattle__fail(error, RATTLE_BAD_ARGUMENT, "numbers",
                          "number %d of a site %s is not finite", k + 1, name);
  memset(weights, 0, 3 * (size_t)parents * sizeof *weights);
  memset(lengths, 0, 4 * sizeof *lengths);
  if (!kind->section) return mean(parents, count ? numbers : NULL, weights, error);
  vectors(kind, numbers, weights, lengths);
  return RATTLE_OK;
}
