/* The constant part of a record, to and from the file: tables of its fields, so that writing and
 * reading cannot differ. */
#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "record/hdf5/channels.h"
#include "record/hdf5/sha256.h"

static const struct {
  const char *group, *name;
  size_t offset;
} texts[] = {
#define TEXT(group, name, field)                                                                   \
  { group, name, offsetof(rattle__about, field) }
    TEXT("/h5md/author", "name", author),      TEXT("/h5md/author", "email", email),
    TEXT("/h5md/creator", "version", version), TEXT("/rattle", "title", title),
    TEXT("/rattle", "method", method),         TEXT("/rattle", "kind", kind),
    TEXT("/rattle", "solver", solver),         TEXT("/rattle", "evaluator", evaluator),
    TEXT("/rattle", "version", version),       TEXT("/rattle", "hdf5_version", hdf5),
    TEXT("/rattle", "build", build),           TEXT("/rattle", "content_hash", hash),
    TEXT("/rattle", "created", created),       TEXT("/rattle/model", "file", model_file)};

static const struct {
  const char *name;
  size_t offset;
} integers[] =
    {
#define INTEGER(field)                                                                             \
  { #field, offsetof(rattle__about, field) }
        INTEGER(steps),       INTEGER(every), INTEGER(n),        INTEGER(m),
        INTEGER(observables), INTEGER(extra), INTEGER(dimension)},
  reals[] = {
#define REAL(field)                                                                                \
  { #field, offsetof(rattle__about, field) }
      REAL(step), REAL(start_time), REAL(stop)};

static const struct {
  const char *path;
  size_t offset;
} lists[] = {
#define LIST(path, field)                                                                          \
  { path, offsetof(rattle__about, field) }
    LIST("/rattle/names/coordinates", coordinates),    LIST("/rattle/names/momenta", momenta),
    LIST("/rattle/names/constraints", constraints),    LIST("/rattle/names/observables", observed),
    LIST("/rattle/parameters/names", parameter_names), LIST("/rattle/metadata/keys", metadata_keys),
    LIST("/rattle/metadata/values", metadata_values)};

#define SUM "description_sum"
#define EVENTS "/rattle/names/events"
#define AT "/rattle/at"
#define WORK "work"
#define PLUGIN "plugin"
#define PLUGIN_ADAPTS "plugin_adapts"
enum { MOST_EVENTS = 100000 };
#define COUNT(table) (sizeof(table) / sizeof *(table))

static void *field(const rattle__about *about, size_t offset) {
  return (char *)(uintptr_t)about + offset;
}

/* The groups of the layout and the constant attributes that H5MD asks for. */
static int write_groups(const rattle__about *about, hid_t file) {
  static const char *const groups[] = {
      "/h5md/author",  "/h5md/creator", "/particles/system/box", "/observables",
      "/rattle/model", "/rattle/names", "/rattle/parameters",    "/rattle/metadata"};
  for (size_t i = 0; i < COUNT(groups); i++) {
    hid_t group = rattle__h5_make_group(file, groups[i]);
    if (group < 0 || H5Gclose(group) < 0) return -1;
  }
  rattle__labels boundary;
  if (rattle__labels_make(&boundary, (int)about->dimension, 4)) return -1;
  for (int i = 0; i < boundary.count; i++) strcpy(boundary.name[i], "none");
  int failed =
      rattle__h5_write_names_attribute(file, "/particles/system/box", "boundary", &boundary);
  rattle__labels_free(&boundary);
  const long long h5md[2] = {1, 1}, format = about->has_work            ? RATTLE__RECORD_FORMAT
                                             : rattle__has_clock(about) ? 3
                                             : about->events.count      ? 2
                                                                        : 1;
  return failed ||
                 rattle__h5_write_integers_attribute(file, "/particles/system/box", "dimension",
                                                     &about->dimension, -1) ||
                 rattle__h5_write_integers_attribute(file, "/h5md", "version", h5md, 2) ||
                 rattle__h5_write_text_attribute(file, "/h5md/creator", "name", "librattle") ||
                 rattle__h5_write_integers_attribute(file, "/rattle", "format", &format, -1)
             ? -1
             : 0;
}

static void add_text(rattle__sha256 *hash, const char *text) {
  rattle__sha256_add(hash, text, strlen(text) + 1);
}

/* Numbers of `size` bytes, the lowest byte first, whatever the order of the machine is. */
static void add_numbers(rattle__sha256 *hash, const void *numbers, size_t count, size_t size) {
  const uint16_t one = 1;
  const int backwards = *(const unsigned char *)&one == 0;
  for (size_t i = 0; i < count; i++)
    for (size_t k = 0; k < size; k++)
      rattle__sha256_add(
          hash, (const unsigned char *)numbers + i * size + (backwards ? size - 1 - k : k), 1);
}

/* The checksum of all that is read of the description. */
static void sum_of(const rattle__about *about, char digest[65]) {
  rattle__sha256 hash;
  rattle__sha256_begin(&hash);
  for (size_t i = 0; i < COUNT(texts); i++)
    add_text(&hash, *(char **)field(about, texts[i].offset));
  for (size_t i = 0; i < COUNT(integers); i++)
    add_numbers(&hash, field(about, integers[i].offset), 1, sizeof(long long));
  for (size_t i = 0; i < COUNT(reals); i++)
    add_numbers(&hash, field(about, reals[i].offset), 1, sizeof(double));
  for (size_t i = 0; i < COUNT(lists); i++) {
    const rattle__labels *list = field(about, lists[i].offset);
    for (int k = 0; k < list->count; k++) add_text(&hash, list->name[k]);
  }
  add_text(&hash, about->text);
  if (about->plugin[0]) {
    add_text(&hash, about->plugin);
    add_numbers(&hash, &about->plugin_adapts, 1, sizeof about->plugin_adapts);
  }
  if (about->has_work) add_text(&hash, WORK);
  for (int k = 0; k < about->events.count; k++) add_text(&hash, about->events.name[k]);
  add_numbers(&hash, about->at, (size_t)about->ats, sizeof *about->at);
  add_numbers(&hash, about->place, (size_t)about->n, sizeof *about->place);
  add_numbers(&hash, about->parameter_values, (size_t)about->parameter_names.count,
              sizeof *about->parameter_values);
  rattle__sha256_end(&hash, digest);
}

/* A record of a method from a plug-in says so; others have nothing of it. */
static int write_plugin(const rattle__about *about, hid_t file) {
  if (!about->plugin[0]) return 0;
  return rattle__h5_write_text_attribute(file, "/rattle", PLUGIN, about->plugin) ||
                 rattle__h5_write_integers_attribute(file, "/rattle", PLUGIN_ADAPTS,
                                                     &about->plugin_adapts, -1)
             ? -1
             : 0;
}

static int read_plugin(rattle__about *about, hid_t file) {
  const int exists = rattle__h5_attribute_exists(file, "/rattle", PLUGIN);
  free(about->plugin), about->plugin = NULL;
  if (exists < 0) return -1;
  if (!exists) return (about->plugin = strdup("")) ? 0 : rattle__h5_no_memory();
  return rattle__h5_read_text_attribute(file, "/rattle", PLUGIN, &about->plugin) ||
                 rattle__h5_read_integer_attribute(file, "/rattle", PLUGIN_ADAPTS,
                                                   &about->plugin_adapts)
             ? -1
             : 0;
}

/* A record with H and the work says so; others have nothing of it. */
static int read_work(rattle__about *about, hid_t file) {
  const int exists = rattle__h5_attribute_exists(file, "/rattle", WORK);
  about->has_work = 0;
  if (exists <= 0) return exists;
  return rattle__h5_read_integer_attribute(file, "/rattle", WORK, &about->has_work) ||
                 about->has_work != 1
             ? -1
             : 0;
}

/* Records of version 0.1 have none. */
static int check_sum(const rattle__about *about, hid_t file) {
  char digest[65], *wanted = NULL;
  const int exists = rattle__h5_attribute_exists(file, "/rattle", SUM);
  if (exists <= 0) return exists;
  sum_of(about, digest);
  const int failed =
      rattle__h5_read_text_attribute(file, "/rattle", SUM, &wanted) || strcmp(wanted, digest) != 0;
  free(wanted);
  return failed ? rattle__h5_refuse("/rattle", "does not match its checksum") : 0;
}

int rattle__about_write(const rattle__about *about, hid_t file) {
  if (write_groups(about, file)) return -1;
  for (size_t i = 0; i < COUNT(texts); i++) {
    const char *text = *(char **)field(about, texts[i].offset);
    if (rattle__h5_write_text_attribute(file, texts[i].group, texts[i].name, text)) return -1;
  }
  for (size_t i = 0; i < COUNT(integers); i++)
    if (rattle__h5_write_integers_attribute(file, "/rattle", integers[i].name,
                                            field(about, integers[i].offset), -1))
      return -1;
  for (size_t i = 0; i < COUNT(reals); i++)
    if (rattle__h5_write_real_attribute(file, "/rattle", reals[i].name,
                                        *(double *)field(about, reals[i].offset)))
      return -1;
  for (size_t i = 0; i < COUNT(lists); i++)
    if (rattle__h5_write_names(file, lists[i].path, field(about, lists[i].offset))) return -1;
  if (rattle__h5_write_text(file, "/rattle/model/text", about->text) ||
      rattle__h5_write_array(file, "/rattle/names/place", H5T_NATIVE_INT, about->place,
                             (int)about->n) ||
      rattle__masses_write(about, file))
    return -1;
  if (about->has_work &&
      rattle__h5_write_integers_attribute(file, "/rattle", WORK, &about->has_work, -1))
    return -1;
  if (write_plugin(about, file) || rattle__h5_write_names(file, EVENTS, &about->events) ||
      rattle__h5_write_array(file, AT, H5T_NATIVE_DOUBLE, about->at, (int)about->ats))
    return -1;
  char digest[65];
  sum_of(about, digest);
  return rattle__h5_write_array(file, "/rattle/parameters/values", H5T_NATIVE_DOUBLE,
                                about->parameter_values, about->parameter_names.count) ||
                 rattle__h5_write_text_attribute(file, "/rattle", SUM, digest)
             ? -1
             : 0;
}

/* True if the parts that were read fit together, whatever the file holds. */
static int sane(const rattle__about *about) {
  if (about->n < 1 || about->n > INT_MAX / 4 || about->m < 0 || about->m > about->n * 2 ||
      about->extra < 0 || about->extra > INT_MAX / 4 || about->dimension < 1 ||
      about->dimension > 3 || about->n < about->dimension || about->n % about->dimension > 1 ||
      about->observables < 0 || about->steps < 0 || about->every < 0 || !isfinite(about->step) ||
      !isfinite(about->start_time) || isinf(about->stop) || about->coordinates.count != about->n ||
      about->momenta.count != about->n || about->constraints.count != about->m ||
      about->observed.count != about->observables ||
      about->metadata_keys.count != about->metadata_values.count)
    return 0;
  return 1;
}

/* Events, and the times of output, which only records with the event "at" have. */
static int read_events(rattle__about *about, hid_t file) {
  rattle__labels_free(&about->events);
  free(about->at), about->at = NULL, about->ats = 0;
  if (rattle__h5_read_names(file, EVENTS, &about->events) || about->events.count > MOST_EVENTS)
    return -1;
  const int last = about->events.count - 1, exists = rattle__h5_exists(file, AT);
  if (exists <= 0) return exists;
  if (last < 0 || strcmp(about->events.name[last], "at") != 0) return -1;
  const long long count = rattle__h5_array_length(file, AT);
  if (count < 2 || count > INT_MAX) return -1;
  if (!(about->at = malloc((size_t)count * sizeof *about->at))) return rattle__h5_no_memory();
  about->ats = count;
  if (rattle__h5_read_array(file, AT, H5T_NATIVE_DOUBLE, about->at, (int)count)) return -1;
  for (long long i = 0; i < count; i++)
    if (i == 1 ? isinf(about->at[i]) : !isfinite(about->at[i])) return -1;
  return about->at[0] >= 0 ? 0 : -1;
}

/* The masses of particles, if the record has them. */
static int read_masses(rattle__about *about, hid_t file) {
  const int exists = rattle__h5_exists(file, RATTLE__MASSES), count = rattle__particles(about);
  free(about->mass), about->mass = NULL;
  if (exists <= 0) return exists;
  if (!(about->mass = malloc(((size_t)count + 1) * sizeof *about->mass)))
    return rattle__h5_no_memory();
  if (rattle__h5_read_array(file, RATTLE__MASSES, H5T_NATIVE_DOUBLE, about->mass, count)) return -1;
  for (int i = 0; i < count; i++)
    if (!(about->mass[i] > 0)) return -1;
  return 0;
}

static int read_arrays(rattle__about *about, hid_t file) {
  int n = (int)about->n, parameters = about->parameter_names.count;
  about->place = calloc((size_t)n + 1, sizeof *about->place);
  about->parameter_values = calloc((size_t)parameters + 1, sizeof *about->parameter_values);
  if (!about->place || !about->parameter_values) return rattle__h5_no_memory();
  if (rattle__h5_read_array(file, "/rattle/names/place", H5T_NATIVE_INT, about->place, n) ||
      rattle__h5_read_array(file, "/rattle/parameters/values", H5T_NATIVE_DOUBLE,
                            about->parameter_values, parameters))
    return -1;
  for (int k = 0; k < n; k++)
    if (about->place[k] < 0 || about->place[k] >= n) return -1;
  return 0;
}

int rattle__about_read(rattle__about *about, hid_t file) {
  for (size_t i = 0; i < COUNT(texts); i++) {
    char **text = field(about, texts[i].offset);
    free(*text), *text = NULL;
    if (rattle__h5_read_text_attribute(file, texts[i].group, texts[i].name, text)) return -1;
  }
  for (size_t i = 0; i < COUNT(integers); i++)
    if (rattle__h5_read_integer_attribute(file, "/rattle", integers[i].name,
                                          field(about, integers[i].offset)))
      return -1;
  for (size_t i = 0; i < COUNT(reals); i++)
    if (rattle__h5_read_real_attribute(file, "/rattle", reals[i].name,
                                       field(about, reals[i].offset)))
      return -1;
  for (size_t i = 0; i < COUNT(lists); i++)
    if (rattle__h5_read_names(file, lists[i].path, field(about, lists[i].offset))) return -1;
  if (rattle__h5_read_text(file, "/rattle/model/text", &about->text) || read_plugin(about, file) ||
      !sane(about) || read_work(about, file) || read_events(about, file))
    return -1;
  return read_arrays(about, file) || read_masses(about, file) || check_sum(about, file) ? -1 : 0;
}

void rattle__about_free(rattle__about *about) {
  /* "version" is in the table twice; it is freed once, being NULL the second time */
  for (size_t i = 0; i < COUNT(texts); i++) {
    char **text = field(about, texts[i].offset);
    free(*text), *text = NULL;
  }
  for (size_t i = 0; i < COUNT(lists); i++) rattle__labels_free(field(about, lists[i].offset));
  rattle__labels_free(&about->events);
  free(about->at), free(about->text), free(about->plugin), free(about->parameter_values),
      free(about->place), free(about->mass);
  *about = (rattle__about){0};
}
