/* The preprocessor of topologies of GROMACS. */
#include "molecules/gromacs.h"

#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_DEFINES = 10000 };

static topology_reader *innermost(gromacs_lines *lines) {
  return lines->depth ? &lines->inner[lines->depth - 1] : lines->outer;
}

static int by_name(const void *a, const void *b) {
  return strcmp(((const gromacs_define *)a)->name, ((const gromacs_define *)b)->name);
}

static const gromacs_define *find(const gromacs_lines *lines, const char *name) {
  const gromacs_define wanted = {.name = name};
  gromacs_define *const *found = tfind(&wanted, &lines->known, by_name);
  return found ? *found : NULL;
}

/* FOLDER/NAME, NAME where the folder is "". NULL: no memory. */
static char *joined(const char *folder, size_t length, const char *name) {
  const size_t room = length + strlen(name) + 2;
  char *path = malloc(room);
  const int slash = length && folder[length - 1] != '/';
  if (path) snprintf(path, room, "%.*s%s%s", (int)length, folder, slash ? "/" : "", name);
  return path;
}

/* True if a path that there is lies in a folder or below it. */
static int inside(const char *path, const char *folder, size_t length) {
  char *named = joined(folder, length, "."), *in = named ? realpath(named, NULL) : NULL,
       *file = realpath(path, NULL);
  const size_t whole = in ? strlen(in) : 0;
  const int found = in && file && !strncmp(file, in, whole) &&
                    (file[whole] == '/' || (whole && in[whole - 1] == '/'));
  free(named), free(in), free(file);
  return found;
}

static size_t folder_of(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? (size_t)(slash - path) + 1 : 0;
}

/* Files of strangers name files: only those in the folder of the topology, and in folders that the
 * user names. */
static int allowed(const gromacs_lines *lines, const char *name, const char *path) {
  if (name[0] != '/' && !strstr(name, "..")) return 1;
  int found = inside(path, lines->outer->path, folder_of(lines->outer->path));
  for (const char *const *folder = lines->folders; folder && *folder && !found; folder++)
    found = inside(path, *folder, strlen(*folder));
  return found;
}

/* The path of an included file: relative to the file that includes it, then to the folders of the
 * user. *status: it is not there, or where it may not be. */
static char *find_file(const gromacs_lines *lines, topology_reader *r, const char *name,
                       rattle_status *status) {
  char *path = name[0] == '/' ? strdup(name) : joined(r->path, folder_of(r->path), name);
  for (const char *const *folder = lines->folders; path && access(path, R_OK) && folder && *folder;
       folder++) {
    free(path);
    path = joined(*folder, strlen(*folder), name);
  }
  if (!path) {
    *status = RATTLE_NO_MEMORY;
  } else if (!allowed(lines, name, path)) {
    /* the same sentence whether there is such a file or not */
    *status = topology_wrong(r,
                             "%.100s is not in the folder of the topology or below it: name the "
                             "folder that it is in with -I FOLDER",
                             name);
  } else if (access(path, R_OK)) {
    *status = topology_wrong(r,
                             "%.100s cannot be read: copy the files of the force field into the "
                             "folder of the topology, or name their folder with -I FOLDER",
                             name);
  }
  return path;
}

static rattle_status include(gromacs_lines *lines, topology_reader *r) {
  char *name = r->words == 2 ? r->word[1] : "";
  const size_t length = strlen(name);
  if (length < 3 ||
      !((name[0] == '"' && name[length - 1] == '"') || (name[0] == '<' && name[length - 1] == '>')))
    return topology_wrong(r, "#include is followed by a name in quotes");
  name[length - 1] = 0, name++;
  if (lines->depth == GROMACS_DEPTH || lines->files++ == GROMACS_FILES)
    return topology_wrong(r, "too many files are included");
  rattle_status status = RATTLE_OK;
  char *path = find_file(lines, r, name, &status);
  if (status) return free(path), status;
  lines->path[lines->depth] = path;
  topology_reader *inner = &lines->inner[lines->depth++];
  status = topology_open(inner, path, ';', r->error);
  inner->goes_on = 1;
  if (status == RATTLE_IO)
    return topology_wrong(r, "%.100s is no file that can be read and included", name);
  return status;
}

/* A name and the words that it stands for. */
static rattle_status define(gromacs_lines *lines, char *const *word, int words) {
  if (lines->defines == MOST_DEFINES)
    return topology_wrong(innermost(lines), "more than %d #define", MOST_DEFINES);
  gromacs_define *d = malloc(sizeof *d);
  if (!d) return RATTLE_NO_MEMORY;
  *d = (gromacs_define){.count = words - 1, .before = lines->last};
  lines->last = d, lines->defines++;
  size_t length = 0;
  for (int k = 0; k < words; k++) length += strlen(word[k]) + 1;
  char *to = d->text = malloc(length);
  if (!to) return RATTLE_NO_MEMORY;
  for (int k = 0; k < words; k++) {
    strcpy(to, word[k]);
    if (k)
      d->words[k - 1] = to;
    else
      d->name = to;
    to += strlen(to) + 1;
  }
  gromacs_define **known = tsearch(d, &lines->known, by_name);
  if (!known) return RATTLE_NO_MEMORY;
  *known = d; /* in place of one of the same name */
  return RATTLE_OK;
}

rattle_status gromacs_define_word(gromacs_lines *lines, const char *given) {
  char *copy = strdup(given);
  if (!copy) return RATTLE_NO_MEMORY;
  char *equals = strchr(copy, '='), *word[] = {copy, equals ? equals + 1 : NULL};
  if (equals) *equals = 0;
  const rattle_status status = define(lines, word, equals && equals[1] ? 2 : 1);
  free(copy);
  return status;
}

static rattle_status directive(gromacs_lines *lines, topology_reader *r, int reads) {
  const char *word = r->word[0];
  if (!strcmp(word, "#ifdef") || !strcmp(word, "#ifndef")) {
    if (r->words < 2) return topology_wrong(r, "%s is followed by a name", word);
    if (lines->conditions == GROMACS_CONDITIONS)
      return topology_wrong(r, "#ifdef inside more than %d others", GROMACS_CONDITIONS);
    const int known = find(lines, r->word[1]) != NULL;
    lines->taken[lines->conditions++] = known == (word[3] == 'd');
    if (reads && !known)
      return topology_remark(lines->t, r, "%.60s is not defined: -D %.60s defines it", r->word[1],
                             r->word[1]);
  } else if (!strcmp(word, "#else") || !strcmp(word, "#endif")) {
    if (!lines->conditions) return topology_wrong(r, "%s without #ifdef", word);
    if (word[2] == 'l')
      lines->taken[lines->conditions - 1] ^= 1;
    else
      lines->conditions--;
  } else if (reads && !strcmp(word, "#include")) {
    return include(lines, r);
  } else if (reads && !strcmp(word, "#define")) {
    return r->words < 2 ? topology_wrong(r, "#define is followed by a name")
                        : define(lines, r->word + 1, r->words - 1);
  } else if (reads && !strcmp(word, "#undef")) {
    const gromacs_define *d = r->words > 1 ? find(lines, r->word[1]) : NULL;
    if (d) tdelete(d, &lines->known, by_name);
  } else if (reads) {
    return topology_wrong(r, "%.60s is not understood", word);
  }
  return RATTLE_OK;
}

/* Words that are defined become what they stand for; those that stand for nothing stay. */
static void expand(const gromacs_lines *lines, topology_reader *r) {
  for (int k = 0; k < r->words && lines->defines; k++) {
    const gromacs_define *d = find(lines, r->word[k]);
    if (!d || !d->count || r->words - 1 + d->count > TOPOLOGY_WORDS) continue;
    memmove(r->word + k + d->count, r->word + k + 1, (size_t)(r->words - k - 1) * sizeof *r->word);
    for (int e = 0; e < d->count; e++) r->word[k + e] = d->words[e];
    r->words += d->count - 1, k += d->count - 1;
  }
}

topology_reader *gromacs_next(gromacs_lines *lines, rattle_status *status) {
  while (!*status) {
    topology_reader *r = innermost(lines);
    if (!topology_line(r)) {
      if (!lines->depth) return NULL;
      topology_close(r);
      free(lines->path[--lines->depth]);
      continue;
    }
    int reads = 1;
    for (int k = 0; k < lines->conditions; k++) reads &= lines->taken[k];
    if (r->word[0][0] == '#') {
      *status = directive(lines, r, reads);
    } else if (reads) {
      expand(lines, r);
      if (r->words) return r;
    }
  }
  return NULL;
}

void gromacs_lines_free(gromacs_lines *lines) {
  while (lines->depth) {
    topology_close(&lines->inner[lines->depth - 1]);
    free(lines->path[--lines->depth]);
  }
  while (lines->known) tdelete(*(gromacs_define *const *)lines->known, &lines->known, by_name);
  for (gromacs_define *d = lines->last, *before; d; d = before) {
    before = d->before;
    free(d->text), free(d);
  }
}
