/* Units as attributes, as H5MD has them.
 *
 * Source: P. de Buyl, P. H. Colberg, F. Hofling, Comput. Phys. Commun. 185 (2014) 1546; its `unit`
 * attribute is a product of names with whole powers, "u nm ps-1". */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record/hdf5/handle.h"

static const char *unit_of(const rattle__about *about, const char *quantity) {
  char key[32];
  snprintf(key, sizeof key, "unit of %s", quantity);
  for (int i = 0; i < about->metadata_keys.count; i++)
    if (strcmp(about->metadata_keys.name[i], key) == 0) return about->metadata_values.name[i];
  return NULL;
}

void rattle__unit_text(const rattle__about *about, int c, char text[RATTLE__UNIT]) {
  const char *length = unit_of(about, "length"), *mass = unit_of(about, "mass"),
             *time = unit_of(about, "time");
  /* else coordinates may be angles */
  const int all = length && mass && time, particles = about->dimension >= 2;
  *text = 0;
  if (c == RATTLE__TIME && time) snprintf(text, RATTLE__UNIT, "%s", time);
  if (c == RATTLE__POSITION && length && particles) snprintf(text, RATTLE__UNIT, "%s", length);
  if (c == RATTLE__MOMENTUM && all && particles)
    snprintf(text, RATTLE__UNIT, "%s %s %s-1", mass, length, time);
  const int work = rattle__channel_of_work(about);
  if ((c == RATTLE__ENERGY || (work >= 0 && (c == work || c == work + 1))) && all)
    snprintf(text, RATTLE__UNIT, "%s %s2 %s-2", mass, length, time);
}

int rattle__units_write(const rattle__about *about, int c, hid_t file, const char *path) {
  char text[RATTLE__UNIT];
  rattle__unit_text(about, c, text);
  return *text ? rattle__h5_write_text_attribute(file, path, "unit", text) : 0;
}

/* Numbers from 0, in the order in which masses appear. */
static int write_species(const rattle__about *about, hid_t file) {
  const int count = rattle__particles(about);
  int *species = calloc((size_t)count, sizeof *species),
      *first = calloc((size_t)count, sizeof *first), kinds = 0;
  if (!species || !first) {
    free(species), free(first);
    return rattle__h5_no_memory();
  }
  for (int i = 0; i < count; i++) {
    while (species[i] < kinds && about->mass[first[species[i]]] != about->mass[i]) species[i]++;
    if (species[i] == kinds) first[kinds++] = i;
  }
  const int failed =
      rattle__h5_write_array(file, "/particles/system/species", H5T_NATIVE_INT, species, count);
  free(species), free(first);
  return failed;
}

int rattle__masses_write(const rattle__about *about, hid_t file) {
  const char *unit = unit_of(about, "mass");
  if (!about->mass) return 0;
  if (write_species(about, file)) return -1;
  if (rattle__h5_write_array(file, RATTLE__MASSES, H5T_NATIVE_DOUBLE, about->mass,
                             rattle__particles(about)))
    return -1;
  return unit ? rattle__h5_write_text_attribute(file, RATTLE__MASSES, "unit", unit) : 0;
}

void rattle__units_fill(rattle_record *record) {
  const rattle__about *about = &record->store.about;
  rattle_record_info *info = &record->info;
  const struct {
    int channel;
    const char **place;
  } units[] = {{RATTLE__TIME, &info->unit_time},
               {RATTLE__ENERGY, &info->unit_energy},
               {RATTLE__POSITION, &info->unit_position},
               {RATTLE__MOMENTUM, &info->unit_momentum}};
  for (int i = 0; i < RATTLE__UNITS; i++) {
    rattle__unit_text(about, units[i].channel, record->unit[i]);
    *units[i].place = record->unit[i];
  }
  const char *length = unit_of(about, "length");
  info->unit_length = length && strlen(length) < RATTLE__UNIT ? length : "";
}
