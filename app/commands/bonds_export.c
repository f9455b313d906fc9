/* rattle bonds export: the bonds that are kept, for GROMACS or LAMMPS. */
#include <stdlib.h>
#include <string.h>

#include "commands/bonds.h"
#include "molecules/write.h"

typedef rattle_status (*writer)(FILE *file, const topology_out *out, const char *name,
                                rattle_error *error);

static rattle_status write_plain(FILE *file, const topology_out *out, const char *name,
                                 rattle_error *error) {
  (void)name, (void)error;
  topology_write_plain(file, out);
  return RATTLE_OK;
}

static rattle_status write_gromacs(FILE *file, const topology_out *out, const char *name,
                                   rattle_error *error) {
  (void)name;
  return topology_write_gromacs(file, out, error);
}

static rattle_status write_gro(FILE *file, const topology_out *out, const char *name,
                               rattle_error *error) {
  (void)name;
  return topology_write_gro(file, out, error);
}

static rattle_status write_data(FILE *file, const topology_out *out, const char *name,
                                rattle_error *error) {
  (void)name;
  return topology_write_data(file, out, error);
}

static rattle_status write_commands(FILE *file, const topology_out *out, const char *name,
                                    rattle_error *error) {
  (void)error;
  topology_write_commands(file, out, name);
  return RATTLE_OK;
}

/* second: a file of the same name beside it. */
static const struct format {
  const char *ending, *beside;
  topology_user user;
  writer first, second;
} formats[] = {{".bonds", NULL, TOPOLOGY_RATTLE, write_plain, NULL},
               {".top", ".gro", TOPOLOGY_GROMACS, write_gromacs, write_gro},
               {".data", ".in", TOPOLOGY_LAMMPS, write_data, write_commands}};

static const struct format *format_of(const char *path) {
  const char *ending = path ? strrchr(path, '.') : NULL;
  for (size_t k = 0; k < sizeof formats / sizeof *formats && ending; k++)
    if (!strcmp(ending, formats[k].ending)) return &formats[k];
  return NULL;
}

/* Both files, or none; second NULL: the first alone. */
static rattle_status write_files(const cli_bonds *bonds, const struct format *f,
                                 const topology_out *out, const char *second, rattle_error *error) {
  cli_output file[2] = {0};
  const char *slash = strrchr(bonds->output, '/'), *name = slash ? slash + 1 : bonds->output;
  const char *const path[2] = {bonds->output, second};
  const int files = second ? 2 : 1;
  rattle_status status = RATTLE_OK;
  for (int k = 0; k < files && !status; k++)
    status = cli_begin_output(&file[k], path[k], bonds->force, error);
  for (int k = 0; k < files && !status; k++)
    status = (k ? f->second : f->first)(file[k].file, out, name, error);
  for (int k = 0; k < files && !status; k++) status = cli_flush_output(&file[k], error);
  for (int k = 0; k < files; k++)
    if (file[k].file) status = cli_end_output(&file[k], status, error);
  return status;
}

/* Sites among the atoms that are left out; *first: the first of their lines. */
static long long sites_left(const topology *t, const topology_out *out,
                            const topology_site **first) {
  long long count = 0;
  *first = NULL;
  for (long long a = 1; a <= t->atoms && t->site_of; a++) {
    const topology_site *site = t->site_of[a];
    if (!site || (out->site && site->whole > 0)) continue;
    if (!count++) *first = site;
  }
  return count;
}

static void say_left(const topology *t, const topology_out *out) {
  const topology_site *site;
  const long long sites = sites_left(t, out, &site), others = out->left - sites;
  char text[200] = "", more[80];
  if (sites)
    snprintf(text, sizeof text, "%lld constructed site%s (%satom %d of %.60s)", sites,
             sites > 1 ? "s" : "", sites > 1 ? "the first is " : "", site->atom, site->name);
  snprintf(more, sizeof more, "%lld atom%s without mass", others, others > 1 ? "s" : "");
  cli_print(stdout, "  %-14s left out: %s%s%s; atoms after them have new numbers\n", "note", text,
            sites && others ? ", " : "", others ? more : "");
}

static void say(const cli_bonds *bonds, const topology *t, const topology_out *out,
                const char *second) {
  json_writer json = {.out = stdout, .indent = 2};
  if (!bonds->json) {
    cli_print(stdout, "wrote %d atoms and %lld bonds to %s%s%s\n", out->atoms, out->bonds,
              bonds->output, second ? " and " : "", second ? second : "");
    if (out->left) say_left(t, out);
    return;
  }
  json_open(&json, NULL, '{');
  json_integer(&json, "atoms", out->atoms);
  json_integer(&json, "bonds", out->bonds);
  json_integer(&json, "left_out", out->left);
  json_open(&json, "files", '[');
  json_text(&json, NULL, bonds->output);
  if (second) json_text(&json, NULL, second);
  json_close(&json, ']');
  cli_json_status(&json, RATTLE_OK, NULL);
  json_close(&json, '}');
}

static rattle_status write_all(const cli_bonds *bonds, const struct format *f, const topology *t,
                               rattle_error *error) {
  topology_out out;
  char *second = NULL;
  rattle_status status = topology_out_make(&out, t, f->user, error);
  if (!status && f->beside && t->place) {
    const size_t stem = strlen(bonds->output) - strlen(f->ending);
    second = malloc(stem + strlen(f->beside) + 1);
    if (second)
      strcpy((char *)memcpy(second, bonds->output, stem) + stem, f->beside);
    else
      status = text_no_memory(error);
  }
  if (!status) status = write_files(bonds, f, &out, second, error);
  if (!status) say(bonds, t, &out, second);
  free(second);
  topology_out_free(&out);
  return status;
}

rattle_status cli_bonds_export(const cli_bonds *bonds, rattle_error *error) {
  const struct format *f = format_of(bonds->output);
  topology t = {0};
  rattle_bonds *made = NULL;
  if (!f)
    return text_fail(error, RATTLE_BAD_ARGUMENT, "%s%s: pass -o NAME.top, NAME.data or NAME.bonds",
                     bonds->output ? bonds->output : "no output file",
                     bonds->output ? " has another ending" : "");
  rattle_status status = cli_bonds_load(&t, bonds, error);
  const rattle_bonds_topology given = topology_of(&t);
  const rattle_bonds_options how = {.struct_size = sizeof how, .tolerance = bonds->tolerance};
  if (!status && f->user == TOPOLOGY_LAMMPS && !t.place)
    status = text_fail(error, RATTLE_BAD_ARGUMENT,
                       "%s has no positions, and a data file of LAMMPS needs them: add them to the "
                       "file; for GROMACS name a gro file too",
                       bonds->path);
  if (!status) status = rattle_bonds_create(&made, &given, &how, error);
  if (!status) status = write_all(bonds, f, &t, error);
  rattle_bonds_destroy(&made);
  topology_free(&t);
  return status;
}
