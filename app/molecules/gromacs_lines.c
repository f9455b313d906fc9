/* The preprocessor of topologies of GROMACS. */
#include "molecules/gromacs.h"

#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* Files of strangers name files: those in the folder alone. */
static rattle_status include(gromacs_lines *lines, topology_reader *r) {
  char *name = r->words == 2 ? r->word[1] : "";
  const size_t length = strlen(name);
  if (length < 3 || name[0] != '"' || name[length - 1] != '"')
    return topology_wrong(r, "#include is followed by a name in quotes");
  name[length - 1] = 0, name++;
  if (name[0] == '/' || strstr(name, ".."))
    return topology_wrong(
        r, "%.100s is not included: files in the folder of the topology, or below it, are", name);
  if (lines->depth == GROMACS_DEPTH || lines->files++ == GROMACS_FILES)
    return topology_wrong(r, "too many files are included");
  const char *slash = strrchr(r->path, '/');
  const size_t folder = slash ? (size_t)(slash - r->path) + 1 : 0;
  char *path = malloc(folder + length);
  if (!path) return topology_wrong(r, "no memory for a path");
  snprintf(path, folder + length, "%.*s%s", (int)folder, r->path, name);
  lines->path[lines->depth] = path;
  topology_reader *inner = &lines->inner[lines->depth++];
  const rattle_status status = topology_open(inner, path, ';', r->error);
  inner->goes_on = 1;
  if (status == RATTLE_IO)
    return topology_wrong(
        r,
        "%.100s cannot be read: copy the files of the force field into the folder of the topology",
        name);
  return status;
}

static rattle_status define(gromacs_lines *lines, topology_reader *r) {
  if (r->words < 2) return topology_wrong(r, "#define is followed by a name");
  if (lines->defines == MOST_DEFINES)
    return topology_wrong(r, "more than %d #define", MOST_DEFINES);
  gromacs_define *d = malloc(sizeof *d);
  if (!d) return topology_wrong(r, "no memory for a #define");
  *d = (gromacs_define){.count = r->words - 2, .before = lines->last};
  lines->last = d, lines->defines++;
  size_t length = 0;
  for (int k = 1; k < r->words; k++) length += strlen(r->word[k]) + 1;
  char *to = d->text = malloc(length);
  if (!to) return topology_wrong(r, "no memory for a #define");
  for (int k = 1; k < r->words; k++) {
    strcpy(to, r->word[k]);
    if (k == 1)
      d->name = to;
    else
      d->words[k - 2] = to;
    to += strlen(to) + 1;
  }
  gromacs_define **known = tsearch(d, &lines->known, by_name);
  if (!known) return topology_wrong(r, "no memory for a #define");
  *known = d; /* in place of one of the same name */
  return RATTLE_OK;
}

static rattle_status directive(gromacs_lines *lines, topology_reader *r, int reads) {
  const char *word = r->word[0];
  if (!strcmp(word, "#ifdef") || !strcmp(word, "#ifndef")) {
    if (r->words < 2) return topology_wrong(r, "%s is followed by a name", word);
    if (lines->conditions == GROMACS_CONDITIONS)
      return topology_wrong(r, "#ifdef inside more than %d others", GROMACS_CONDITIONS);
    lines->taken[lines->conditions++] = (find(lines, r->word[1]) != NULL) == (word[3] == 'd');
  } else if (!strcmp(word, "#else") || !strcmp(word, "#endif")) {
    if (!lines->conditions) return topology_wrong(r, "%s without #ifdef", word);
    if (word[2] == 'l')
      lines->taken[lines->conditions - 1] ^= 1;
    else
      lines->conditions--;
  } else if (reads && !strcmp(word, "#include")) {
    return include(lines, r);
  } else if (reads && !strcmp(word, "#define")) {
    return define(lines, r);
  } else if (reads && !strcmp(word, "#undef")) {
    const gromacs_define *d = r->words > 1 ? find(lines, r->word[1]) : NULL;
    if (d) tdelete(d, &lines->known, by_name);
  } else if (reads) {
    return topology_wrong(r, "%.60s is not understood", word);
  }
  return RATTLE_OK;
}

/* Words that are defined become what they stand for. */
static void expand(const gromacs_lines *lines, topology_reader *r) {
  for (int k = 0; k < r->words && lines->defines; k++) {
    const gromacs_define *d = find(lines, r->word[k]);
    if (!d || r->words - 1 + d->count > TOPOLOGY_WORDS) continue;
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
