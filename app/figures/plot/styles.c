/* The table of styles. */
#include <stdlib.h>
#include <string.h>

#include "figures/plot/plot.h"

static const plot_style styles[] = {
#define STYLE(name, kind, text) {#name, PLOT_OF_##kind, plot_##name},
#include "figures/plot/styles.def"
#undef STYLE
};
enum { STYLES = sizeof styles / sizeof *styles };

const plot_style *plot_find_style(const char *name, rattle_error *error) {
  const char *names[STYLES];
  for (int i = 0; i < STYLES; i++) {
    names[i] = styles[i].name;
    if (!strcmp(styles[i].name, name)) return &styles[i];
  }
  const char *near = cli_nearest(name, names, STYLES);
  if (near)
    text_fail(error, RATTLE_BAD_ARGUMENT, "unknown style %s; did you mean %s?", name, near);
  else
    text_fail(error, RATTLE_BAD_ARGUMENT, "unknown style %s; `rattle plot --help` lists the styles",
              name);
  return NULL;
}
