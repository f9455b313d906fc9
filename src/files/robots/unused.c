/* The parts of a document that a reader did not use: each kind once, with its count and what it
 * means for the model. */
#include "files/robots/unused.h"

#include <string.h>

#include "ground/support/number.h"

enum { MOST_KINDS = 200 };

struct left_out {
  const char *element, *attribute; /* attribute: NULL where the whole element was not used */
  int count;
  long line; /* of the first */
};

static const struct {
  const char *name, *meaning;
} meanings[] = {
    {"visual", "pictures alone"},
    {"collision", "bodies of the model do not touch one another"},
    {"material", "pictures alone"},
    {"limit", "joints of the model have no stops and no largest force"},
    {"safety_controller", "a controller, not part of the mechanism"},
    {"transmission", "a drive, not part of the mechanism: add the force of it by mech.motor"},
    {"calibration", "sensors alone"},
    {"sensor", "sensors alone"},
    {"gazebo", "settings of another simulator"},
    {"dynamics", "damping and friction of a joint that neither turns nor slides"},
    {"mimic", "a fixed joint follows no other"},
    {"friction", "dry friction, which the model leaves out"},
};

static const char *meaning_of(const char *name) {
  for (size_t i = 0; i < sizeof meanings / sizeof *meanings; i++)
    if (!strcmp(meanings[i].name, name)) return meanings[i].meaning;
  return "not known to this reader, so that the motion may differ";
}

struct kinds {
  struct left_out kind[MOST_KINDS];
  int count, more;
};

static int same(const char *a, const char *b) {
  return a == b || (a && b && !strcmp(a, b));
}

static void count(struct kinds *kinds, const char *element, const char *attribute, long line) {
  for (int i = 0; i < kinds->count; i++)
    if (same(kinds->kind[i].element, element) && same(kinds->kind[i].attribute, attribute)) {
      kinds->kind[i].count++;
      return;
    }
  if (kinds->count == MOST_KINDS)
    kinds->more++;
  else
    kinds->kind[kinds->count++] = (struct left_out){element, attribute, 1, line};
}

static void collect(struct kinds *kinds, const rattle__element *e) {
  if (!e->used) {
    count(kinds, e->name, NULL, e->line);
    return;
  }
  for (const rattle__attribute *a = e->attribute; a; a = a->next)
    if (!a->used && strncmp(a->name, "xmlns", 5) != 0) count(kinds, e->name, a->name, e->line);
  for (const rattle__element *c = e->first; c; c = c->next) collect(kinds, c);
}

void rattle__unused_write(FILE *file, const rattle__document *document, double held) {
  struct kinds kinds = {.count = 0};
  collect(&kinds, document->root);
  if (!kinds.count && held == 0) return;
  fputs("metadata { not_used = \"", file);
  if (held != 0) {
    char text[RATTLE__NUMBER_ROOM];
    fprintf(file,
            "%s kg of links that the ground holds (the root and what is fixed to it; type = "
            "'free' of the root lets them move)%s",
            rattle__number_shortest(held, text), kinds.count ? "; " : "");
  }
  for (int i = 0; i < kinds.count; i++) {
    const struct left_out *k = &kinds.kind[i];
    fprintf(file, "%s%d ", i ? "; " : "", k->count);
    if (k->attribute) fprintf(file, "%s of ", k->attribute);
    fprintf(file, "<%s> from line %ld on (%s)", k->element, k->line,
            meaning_of(k->attribute ? k->attribute : k->element));
  }
  if (kinds.more) fprintf(file, "; %d of other kinds", kinds.more);
  fputs("\" }\n", file);
}
