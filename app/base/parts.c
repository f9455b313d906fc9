/* Parts of studies by their names. */
#include <math.h>
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
