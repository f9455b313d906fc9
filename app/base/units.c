/* Units that models give. */
#include <stdio.h>
#include <string.h>

#include "base/cli.h"

/* The unit of a quantity that the model gives; "": none. */
static const char *unit_of(const rattle_model *model, const char *quantity) {
  const char *key = NULL, *value = NULL;
  const int count = rattle_model_metadata(model, 0, &key, &value);
  for (int i = 0; i < count; i++) {
    rattle_model_metadata(model, i, &key, &value);
    if (!strncmp(key, "unit of ", 8) && !strcmp(key + 8, quantity)) return value;
  }
  return "";
}

cli_units cli_units_of(const rattle_model *model) {
  const char *mass = unit_of(model, "mass");
  cli_units found = {.length = unit_of(model, "length"), .time = unit_of(model, "time")};
  if (*mass && *found.length && *found.time)
    snprintf(found.energy, sizeof found.energy, "%s %s2 %s-2", mass, found.length, found.time);
  return found;
}

void cli_json_units(json_writer *json, const char *length, const char *time, const char *energy) {
  if (!*length && !*time && !*energy) return;
  json_open(json, "units", '{');
  if (*length) json_text(json, "length", length);
  if (*time) json_text(json, "time", time);
  if (*energy) json_text(json, "energy", energy);
  json_close(json, '}');
}

void cli_print_units(FILE *out, const char *length, const char *time, const char *energy) {
  const char *const name[] = {"length", "time", "energy"}, *const unit[] = {length, time, energy};
  int count = 0;
  for (int i = 0; i < 3; i++)
    if (*unit[i])
      cli_print(out, "%s%s in %s", count++ ? ", " : "  units        ", name[i], unit[i]);
  if (count) putc('\n', out);
}
