/* Parts of studies by their names. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/cli.h"

const rattle_study_table *cli_study_table(const rattle_study_result *r, const char *name) {
  for (int i = 0; i < r->tables; i++)
    if (!strcmp(r->table[i].name, name)) return &r->table[i];
  return NULL;
}

double cli_study_figure(const rattle_study_result *r, const char *name) {
  for (int i = 0; i < r->figures; i++)
    if (!strcmp(r->figure[i].name, name)) return r->figure[i].value;
  return (double)NAN;
}

void cli_study_slope(char *text, size_t size, const rattle_study_fit *fit) {
  if (!fit || fit->points < 2) {
    snprintf(text, size, "-");
    return;
  }
  int decimals =
      fit->uncertainty > 0 && isfinite(fit->uncertainty) ? (int)ceil(-log10(fit->uncertainty)) : 2;
  decimals = decimals < 1 ? 1 : decimals > 4 ? 4 : decimals;
  int used = snprintf(text, size, "%.*f", decimals, fit->slope);
  if (isfinite(fit->uncertainty))
    snprintf(text + used, size - (size_t)used, " +- %.*f", decimals, fmax(fit->uncertainty, 1e-4));
}

int cli_study_is_seen(double x) {
  return fabs(x) > 5e-4;
}

int cli_study_leading(const double *x, const double *y, int n, int place[CLI_LEADING]) {
  int count = 0;
  for (int c = 0; c < n; c++) {
    const double size = hypot(x[c], y ? y[c] : 0);
    if (!cli_study_is_seen(size)) continue;
    int at = count;
    while (at > 0 && hypot(x[place[at - 1]], y ? y[place[at - 1]] : 0) < size) at--;
    if (at == CLI_LEADING) continue;
    count += count < CLI_LEADING;
    for (int k = count - 1; k > at; k--) place[k] = place[k - 1];
    place[at] = c;
  }
  return count;
}
