/* Units as attributes, as H5MD has them.
 *
 * Source: P. de Buyl, P. H. Colberg, F. Hofling, Comput. Phys. Commun. 185 (2014) 1546; its `unit` attribute is a product of names with
 * whole powers, "u nm ps-1". */
#include <stdio.h>
#include <string.h>

#include "record/parts.h"

static const char *unit_of(const rattle__about *about, const char *quantity) {
  char key[32];
  snprintf(key, sizeof key, "unit of %s", quantity);
  for (int i = 0; i < about->metadata_keys.count; i++)
    if (strcmp(about->metadata_keys.name[i], key) == 0) return about->metadata_values.name[i];
  return NULL;
}

int rattle__units_write(const rattle__about *about, int c, hid_t file, const char *path) {
  const char *length = unit_of(about, "length"), *mass = unit_of(about, "mass"), *time = unit_of(about, "time");
  const int all = length && mass && time, particles = about->dimension >= 2; /* else coordinates may be angles */
  char text[160] = "";
  if (c == RATTLE__TIME && time) snprintf(text, sizeof text, "%s", time);
  if (c == RATTLE__POSITION && length && particles) snprintf(text, sizeof text, "%s", length);
  if (c == RATTLE__MOMENTUM && all && particles) snprintf(text, sizeof text, "%s %s %s-1", mass, length, time);
  if (c == RATTLE__ENERGY && all) snprintf(text, sizeof text, "%s %s2 %s-2", mass, length, time);
  return *text ? rattle__h5_write_text_attribute(file, path, "unit", text) : 0;
}
