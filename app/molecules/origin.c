/* The sources of lengths, and what else there is to say about a file. */
#include <search.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "molecules/topology.h"

enum { MOST_NOTES = 200 };

static int by_key(const void *a, const void *b) {
  const topology_source *p = a, *q = b;
  const int order = strcmp(p->what, q->what);
  return order ? order : (p->key > q->key) - (p->key < q->key);
}

/* One more of an array in steps of powers of two; NULL: no memory. */
static void *one_more(void *array, int count, size_t size) {
  return count & (count - 1) ? array : realloc(array, (count ? 2 * (size_t)count : 1) * size);
}

int topology_source_of(topology *t, const topology_reader *r, const char *what, double key) {
  const topology_source wanted = {.what = (char *)(uintptr_t)what, .key = key};
  topology_source *const *found = tfind(&wanted, &t->known, by_key);
  if (found) return (*found)->number;
  topology_source **wider = one_more(t->source, t->sources, sizeof *wider);
  if (wider) t->source = wider;
  topology_source *made = wider ? malloc(sizeof *made) : NULL;
  if (!made) return -1;
  *made = wanted;
  made->what = strdup(what);
  made->path = r ? strdup(r->path) : NULL, made->line = r ? r->line : 0;
  made->number = t->sources;
  if (!made->what || (r && !made->path) || !tsearch(made, &t->known, by_key)) {
    free(made->what), free(made->path), free(made);
    return -1;
  }
  t->source[t->sources] = made;
  return t->sources++;
}

/* The note of that text; those after the first 200 are one. */
static rattle_status add_note(topology *t, const topology_reader *r, topology_note given) {
  if (t->notes >= MOST_NOTES) given.text = strcpy(given.text, "..."), given.why = NULL;
  for (int k = 0; k < t->notes; k++)
    if (!strcmp(t->note[k].text, given.text) && t->note[k].why == given.why) {
      t->note[k].lines += given.lines;
      return free(given.text), RATTLE_OK;
    }
  topology_note *wider = one_more(t->note, t->notes, sizeof *wider);
  if (wider) t->note = wider;
  given.path = r ? strdup(r->path) : NULL, given.line = r ? r->line : 0;
  if (!wider || (r && !given.path)) return free(given.text), RATTLE_NO_MEMORY;
  t->note[t->notes++] = given;
  return RATTLE_OK;
}

rattle_status topology_remark(topology *t, const topology_reader *r, const char *format, ...) {
  enum { MOST = 400 };
  char *text = malloc(MOST);
  if (!text) return RATTLE_NO_MEMORY;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, MOST, format, arguments);
  va_end(arguments);
  return add_note(t, r, (topology_note){.text = text, .lines = 1});
}

rattle_status topology_unused(topology *t, const topology_reader *r, const char *part,
                              const char *why, long long lines) {
  char *text = malloc(strlen(part) + 4); /* "..." too */
  if (!text) return RATTLE_NO_MEMORY;
  return add_note(t, r, (topology_note){.text = strcpy(text, part), .why = why, .lines = lines});
}

void topology_origin_free(topology *t) {
  for (int k = 0; k < t->sources; k++) {
    tdelete(t->source[k], &t->known, by_key);
    free(t->source[k]->what), free(t->source[k]->path), free(t->source[k]);
  }
  for (int k = 0; k < t->notes; k++) free(t->note[k].text), free(t->note[k].path);
  free(t->source), free(t->note);
}
