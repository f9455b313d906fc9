/* The table that a study is. */
#include <stdlib.h>
#include <string.h>

#include "figures/plot/table.h"

rattle_status table_of_study(table_writer *w, const char *asked, rattle_error *error) {
  const rattle_study_result *r = w->r;
  const rattle_study_table *best = cli_study_table(r, "best"),
                           *family = cli_study_table(r, "family"),
                           *modes = cli_study_table(r, "modes"),
                           *at = cli_study_table(r, "equilibrium"),
                           *orbits = r->methods > 0
                                         ? rattle_study_find_table(&r->method[0], "family")
                                         : NULL;
  if (family || (orbits && !asked))
    return table_of_family(w, family ? family : orbits, asked, error);
  if (asked && r->methods > 0) return table_of_points(w, asked, error);
  if (asked)
    return text_fail(
        error, RATTLE_BAD_ARGUMENT,
        "a study of %s has one table, without columns to choose: leave --x and --y out",
        r->kind_name);
  if (table_of_methods(w)) return RATTLE_OK;
  if (best)
    return table_of_rows(w, best, "error,method_by_gradient,gradient,method_by_cpu,cpu_seconds", 1,
                         error);
  if (modes && modes->rows) return table_of_modes(w, modes), RATTLE_OK;
  if (at) return table_of_equilibrium(w, at), RATTLE_OK;
  return text_fail(error, RATTLE_BAD_ARGUMENT, "this study of %s has no results to be a table",
                   r->kind_name);
}
