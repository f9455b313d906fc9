/* AMBER NetCDF, convention 1.0 (https://ambermd.org/netcdf/nctraj.xhtml), as NetCDF classic with
 * 64-bit offsets: a head, variables of fixed size, then the frames, each the record variables in
 * their order, all big-endian (docs/decisions/131-files-for-other-programs.md). */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "ground/support/error.h"
#include "record/hdf5/convert.h"

enum { CHAR = 2, FLOAT = 5, DOUBLE = 6 };
enum { DIMENSIONS = 10, VARIABLES = 11, ATTRIBUTES = 12 };
enum { FRAME, SPATIAL, ATOM, CELL_SPATIAL, CELL_ANGULAR, LABEL };

typedef struct variable {
  const char *name, *unit;
  int type, dimensions, dimension[3];
  const char *text; /* the whole of a variable of fixed size */
} variable;

static const variable all[] = {
    {"spatial", NULL, CHAR, 1, {SPATIAL}, "xyz"},
    {"cell_spatial", NULL, CHAR, 1, {CELL_SPATIAL}, "abc"},
    {"cell_angular", NULL, CHAR, 2, {CELL_ANGULAR, LABEL}, "alphabeta gamma"},
    {"time", "picosecond", FLOAT, 1, {FRAME}, NULL},
    {"coordinates", "angstrom", FLOAT, 3, {FRAME, ATOM, SPATIAL}, NULL},
    {"velocities", "angstrom/picosecond", FLOAT, 3, {FRAME, ATOM, SPATIAL}, NULL},
    {"cell_lengths", "angstrom", DOUBLE, 2, {FRAME, CELL_SPATIAL}, NULL},
    {"cell_angles", "degree", DOUBLE, 2, {FRAME, CELL_ANGULAR}, NULL}};
enum { MOST = sizeof all / sizeof *all };

static void put32(FILE *file, uint32_t x) {
  for (int shift = 24; shift >= 0; shift -= 8) fputc((int)(x >> shift & 255), file);
}

static void put64(FILE *file, uint64_t x) {
  put32(file, (uint32_t)(x >> 32));
  put32(file, (uint32_t)x);
}

static void put_float(FILE *file, double x) {
  const float value = (float)x;
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  put32(file, bits);
}

static void put_double(FILE *file, double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  put64(file, bits);
}

static uint64_t whole(uint64_t bytes) {
  return (bytes + 3) / 4 * 4;
}

static void put_bytes(FILE *file, const char *text, size_t bytes) {
  fwrite(text, 1, bytes, file);
  for (uint64_t i = bytes; i < whole(bytes); i++) fputc(0, file);
}

static void put_text(FILE *file, const char *text) {
  put32(file, (uint32_t)strlen(text));
  put_bytes(file, text, strlen(text));
}

static void put_attribute(FILE *file, const char *name, const char *value) {
  put_text(file, name);
  put32(file, CHAR);
  put_text(file, value);
}

static int has(const rattle__frames *f, const variable *v) {
  if (!strncmp(v->name, "cell", 4)) return f->box[0] > 0 && f->box[1] > 0 && f->box[2] > 0;
  return strcmp(v->name, "velocities") != 0 || f->velocity;
}

/* Bytes of a variable, of one frame if it has frames. */
static uint64_t bytes_of(const rattle__frames *f, const variable *v) {
  const uint64_t size[] = {1, 3, (uint64_t)f->count, 3, 3, 5};
  uint64_t bytes = v->type == CHAR ? 1 : v->type == FLOAT ? 4 : 8;
  for (int i = 0; i < v->dimensions; i++) bytes *= size[v->dimension[i]];
  return whole(bytes);
}

static void put_dimensions(FILE *file, const rattle__frames *f) {
  const int cell = has(f, &all[MOST - 1]), count = cell ? 6 : 3;
  static const char *const name[] = {"frame",        "spatial",      "atom",
                                     "cell_spatial", "cell_angular", "label"};
  const uint32_t size[] = {0, 3, (uint32_t)f->count, 3, 3, 5};
  put32(file, DIMENSIONS);
  put32(file, (uint32_t)count);
  for (int i = 0; i < count; i++) {
    put_text(file, name[i]);
    put32(file, size[i]);
  }
}

static void put_attributes(FILE *file, const rattle__frames *f) {
  put32(file, ATTRIBUTES);
  put32(file, 5);
  put_attribute(file, "title", f->record->info.title);
  put_attribute(file, "Conventions", "AMBER");
  put_attribute(file, "ConventionVersion", "1.0");
  put_attribute(file, "program", "rattle");
  put_attribute(file, "programVersion", f->record->info.version);
}

/* The variables, with where they begin: those without frames first. `at`: the end of the head. */
static void put_variables(FILE *file, const rattle__frames *f, uint64_t at) {
  uint32_t count = 0;
  for (int i = 0; i < MOST; i++) count += has(f, &all[i]) != 0;
  put32(file, VARIABLES);
  put32(file, count);
  for (int i = 0; i < MOST; i++) {
    const variable *v = &all[i];
    const uint64_t bytes = bytes_of(f, v);
    if (!has(f, v)) continue;
    put_text(file, v->name);
    put32(file, (uint32_t)v->dimensions);
    for (int d = 0; d < v->dimensions; d++) put32(file, (uint32_t)v->dimension[d]);
    put32(file, v->unit ? ATTRIBUTES : 0);
    put32(file, v->unit ? 1 : 0);
    if (v->unit) put_attribute(file, "units", v->unit);
    put32(file, (uint32_t)v->type);
    put32(file, bytes > 0xfffffffc ? 0xffffffff : (uint32_t)bytes);
    put64(file, at);
    at += bytes;
  }
}

static void put_head(FILE *file, const rattle__frames *f, uint64_t end) {
  fwrite("CDF\2", 1, 4, file);
  put32(file, (uint32_t)f->samples);
  put_dimensions(file, f);
  put_attributes(file, f);
  put_variables(file, f, end);
}

static void put_frame(FILE *file, const rattle__frames *f, long long i) {
  const long long numbers = 3 * (long long)f->count;
  put_float(file, f->times[i]);
  for (long long k = 0; k < numbers; k++) put_float(file, f->position[i * numbers + k]);
  for (long long k = 0; k < numbers && f->velocity; k++)
    put_float(file, f->velocity[i * numbers + k]);
  if (!has(f, &all[MOST - 1])) return;
  for (int k = 0; k < 3; k++) put_double(file, f->box[k]);
  for (int k = 0; k < 3; k++) put_double(file, 90);
}

/* The length of the head, which does not depend on where it says that variables begin. */
static rattle_status head_length(const rattle__frames *f, uint64_t *bytes, rattle_error *error) {
  char *text = NULL;
  size_t size = 0;
  FILE *head = open_memstream(&text, &size);
  if (head) put_head(head, f, 0);
  const int failed = !head || fclose(head);
  free(text);
  *bytes = size;
  return failed ? rattle__no_memory(error) : RATTLE_OK;
}

rattle_status rattle__write_netcdf(FILE *file, rattle__frames *f, rattle_error *error) {
  uint64_t end;
  rattle_status status = head_length(f, &end, error);
  if (!status && f->samples >= INT32_MAX)
    status = rattle__fail(error, RATTLE_UNSUITABLE, f->record->path,
                          "AMBER NetCDF has fewer than 2147483647 frames");
  if (status) return status;
  put_head(file, f, end);
  for (int i = 0; i < MOST; i++)
    if (all[i].text && has(f, &all[i])) put_bytes(file, all[i].text, strlen(all[i].text));
  for (long long done = 0; done < f->samples && !ferror(file); done += RATTLE__FRAME_BLOCK) {
    const long long left = f->samples - done,
                    part = left < RATTLE__FRAME_BLOCK ? left : RATTLE__FRAME_BLOCK;
    status = rattle__frames_read(f, done, part, error);
    if (status) return status;
    for (long long i = 0; i < part; i++) put_frame(file, f, i);
  }
  return RATTLE_OK;
}
