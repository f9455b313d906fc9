/* Lists of values and laws of random ones, as they are written on the command line. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ground/support/quantile.h"
#include "many/sweep/sweep.h"

static rattle_status bad_list(const char *text, const char *of, rattle_error *error) {
  return text_fail(error, RATTLE_BAD_ARGUMENT,
                   "%s: %s is no list of numbers: write 1,2,4 or, from 1 to 10 by 0.5, 1:10:0.5",
                   of, text);
}

/* The decimals of a number as it is written: 0.25 has 2, 1e-3 has 3, 0x1p-3 none. */
static int decimals_of(const char *text) {
  text += strspn(text, " \t+-");
  const size_t whole = strspn(text, "0123456789"),
               part = text[whole] == '.' ? 1 + strspn(text + whole + 1, "0123456789") : 0;
  const char *end = text + whole + part;
  const long shift = *end == 'e' || *end == 'E' ? strtol(end + 1, NULL, 10) : 0;
  return (int)fmin(fmax((double)part - (part > 0) - (double)shift, 0), 300);
}

/* The number that has so many decimals and is nearest to x. */
static double rounded(double x, int decimals) {
  char text[700];
  snprintf(text, sizeof text, "%.*f", decimals, x);
  return strtod(text, NULL) + 0; /* no -0 */
}

/* a:b:step, with b if it is met but for rounding. The values are those that one would write: the
 * third of 0:1:0.1 after 0 is 0.3, not 3*0.1. */
static rattle_status read_range(sweep_spec *spec, const char *text, const char *of, long long most,
                                rattle_error *error) {
  char *rest;
  double part[3];
  int decimals = 0;
  const char *at = text;
  for (int i = 0; i < 3; i++) {
    part[i] = strtod(at, &rest);
    if (rest == at || !isfinite(part[i]) || *rest != (i < 2 ? ':' : 0))
      return bad_list(text, of, error);
    if (i != 1 && decimals_of(at) > decimals) decimals = decimals_of(at);
    at = rest + 1;
  }
  const double exact = (part[1] - part[0]) / part[2], nearest = round(exact);
  if (part[2] == 0 || !(exact >= 0) || exact >= (double)most)
    return text_fail(
        error, RATTLE_BAD_ARGUMENT,
        "%s: %s has no values, or more than %lld: the step must lead from the first to the last",
        of, text, most);
  spec->count =
      1 + (long long)(fabs(exact - nearest) <= 1e-9 * (1 + nearest) ? nearest : floor(exact));
  spec->value = malloc((size_t)spec->count * sizeof *spec->value);
  if (!spec->value) return text_no_memory(error);
  for (long long k = 0; k < spec->count; k++) {
    const double value = part[0] + (double)k * part[2];
    spec->value[k] = decimals ? rounded(value, decimals) : value;
  }
  return RATTLE_OK;
}

rattle_status sweep_read_list(sweep_spec *spec, const char *text, const char *of, long long most,
                              rattle_error *error) {
  *spec = (sweep_spec){.law = SWEEP_LIST};
  if (strchr(text, ':')) return read_range(spec, text, of, most, error);
  size_t room = 1;
  for (const char *c = text; *c; c++) room += *c == ',';
  spec->value = malloc(room * sizeof *spec->value);
  if (!spec->value) return text_no_memory(error);
  for (const char *at = text;; at++) {
    char *rest;
    const double value = strtod(at, &rest);
    if (rest == at || !isfinite(value) || (*rest && *rest != ',')) return bad_list(text, of, error);
    spec->value[spec->count++] = value;
    at = rest;
    if (!*at) return RATTLE_OK;
  }
}

rattle_status sweep_read_law(sweep_spec *spec, const char *text, const char *of,
                             rattle_error *error) {
  static const char *const names[] = {"uniform", "loguniform", "normal"};
  static const sweep_law laws[] = {SWEEP_UNIFORM, SWEEP_LOG_UNIFORM, SWEEP_NORMAL};
  *spec = (sweep_spec){0};
  for (int i = 0; i < 3; i++) {
    const size_t length = strlen(names[i]);
    char *rest;
    if (strncmp(text, names[i], length) != 0 || text[length] != '(') continue;
    spec->law = laws[i];
    spec->a = strtod(text + length + 1, &rest);
    if (*rest != ',') break;
    const char *second = rest + 1;
    spec->b = strtod(second, &rest);
    if (rest == second || strcmp(rest, ")") != 0 || !isfinite(spec->a) || !isfinite(spec->b)) break;
    if (laws[i] == SWEEP_NORMAL
            ? !(spec->b >= 0)
            : !(spec->a < spec->b) || (laws[i] == SWEEP_LOG_UNIFORM && !(spec->a > 0)))
      return text_fail(error, RATTLE_BAD_ARGUMENT, "%s: %s: %s", of, text,
                       laws[i] == SWEEP_NORMAL ? "the standard deviation must not be negative"
                       : laws[i] == SWEEP_UNIFORM
                           ? "the first bound must be below the second"
                           : "the bounds must be positive, the first below the second");
    if (laws[i] != SWEEP_NORMAL &&
        !isfinite(laws[i] == SWEEP_UNIFORM ? spec->b - spec->a : spec->b / spec->a))
      return text_fail(error, RATTLE_BAD_ARGUMENT,
                       "%s: %s: the bounds are too far apart for numbers of double precision", of,
                       text);
    return RATTLE_OK;
  }
  return text_fail(error, RATTLE_BAD_ARGUMENT,
                   "%s: %s is not a distribution: write uniform(low,high), loguniform(low,high) or "
                   "normal(mean,deviation)",
                   of, text);
}

double sweep_draw(const sweep_spec *spec, double u) {
  if (spec->law == SWEEP_NORMAL) return spec->a + spec->b * rattle__normal_quantile(u);
  if (spec->law == SWEEP_LOG_UNIFORM) return spec->a * pow(spec->b / spec->a, u);
  return spec->a + (spec->b - spec->a) * u;
}
