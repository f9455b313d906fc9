/* Attributes of MJCF: of the element, else of its class of defaults, else of the classes around
 * that one. Files that others include. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "files/robots/mjcf.h"
#include "ground/support/error.h"
#include "ground/support/number.h"

/* ---- include ---- */

enum { MOST_INCLUDES = 256 };

/* True if one of the folders of a path from `start` on is a link, which could lead elsewhere. */
static int has_link(char *path, size_t start) {
  struct stat about;
  for (char *at = strchr(path + start, '/'); at; at = strchr(at + 1, '/')) {
    *at = 0;
    const int linked = lstat(path, &about) == 0 && S_ISLNK(about.st_mode);
    *at = '/';
    if (linked) return 1;
  }
  return 0;
}

/* The folder of the document and the name: a file below that folder, or NULL. */
static char *path_of(rattle__document *d, const char *name) {
  const char *slash = strrchr(d->path, '/');
  const size_t folder = slash ? (size_t)(slash + 1 - d->path) : 0;
  if (name[0] == '/') return NULL;
  for (const char *at = name; at; at = strchr(at, '/') ? strchr(at, '/') + 1 : NULL)
    if (!strncmp(at, "..", 2) && (at[2] == '/' || !at[2])) return NULL;
  char *path = rattle__arena_take(&d->arena, folder + strlen(name) + 1);
  if (!path) return NULL;
  memcpy(path, d->path, folder);
  strcpy(path + folder, name);
  return has_link(path, folder) ? NULL : path;
}

static rattle_status read_included(rattle__document *d, const rattle__element *e,
                                   rattle__element **root, rattle__file_reader *read,
                                   rattle_error *error) {
  const char *name = rattle__xml_value(e, "file");
  char *text = NULL, *path = name && read ? path_of(d, name) : NULL;
  if (d->arena.failed) return rattle__no_memory(error);
  if (!path)
    return rattle__xml_fail(d, e, error,
                            "<include> needs a file in the folder of \"%s\" or below it, found "
                            "\"%s\"",
                            d->path, name ? name : "");
  rattle_status status = read(&text, path, error);
  if (!status && !text)
    status = rattle__xml_fail(d, e, error, "there is no file \"%s\" to include", path);
  if (!status) status = rattle__xml_read_more(d, root, text, strlen(text), path, error);
  free(text);
  if (!status && strcmp((*root)->name, "mujoco") != 0 &&
      strcmp((*root)->name, "mujocoinclude") != 0)
    status = rattle__xml_fail(d, *root, error,
                              "the root of an included file is <mujocoinclude> or <mujoco>, found "
                              "<%s>",
                              (*root)->name);
  return status;
}

/* Puts what `root` holds in the place of an include: the element before it is `before`, or none. */
static void paste(rattle__element *into, rattle__element *before, const rattle__element *include,
                  rattle__element *root) {
  rattle__element *after = include->next, *first = root->first ? root->first : after;
  for (rattle__element *e = root->first; e; e = e->next) e->parent = into;
  if (root->last) root->last->next = after;
  if (before)
    before->next = first;
  else
    into->first = first;
  if (!after) into->last = root->last ? root->last : before;
}

static rattle_status expand(rattle__document *d, rattle__element *e, int *left,
                            rattle__file_reader *read, rattle_error *error) {
  rattle__element *before = NULL;
  for (rattle__element *c = e->first; c;) {
    rattle_status status = RATTLE_OK;
    if (strcmp(c->name, "include") != 0) {
      status = expand(d, c, left, read, error);
      before = c;
      c = c->next;
    } else {
      rattle__element *root = NULL;
      if (--*left < 0)
        return rattle__xml_fail(d, c, error, "more than %d files are included", MOST_INCLUDES);
      status = read_included(d, c, &root, read, error);
      if (!status) paste(e, before, c, root);
      c = before ? before->next : e->first;
    }
    if (status) return status;
  }
  return RATTLE_OK;
}

rattle_status rattle__mjcf_include(rattle__document *document, rattle__file_reader *read,
                                   rattle_error *error) {
  int left = MOST_INCLUDES;
  return expand(document, document->root, &left, read, error);
}

/* ---- defaults ---- */

static int is_default(const rattle__element *e) {
  return !strcmp(e->name, "default");
}

static void mark(rattle__element *e) {
  if (!is_default(e) && strcmp(e->name, "joint") != 0 && strcmp(e->name, "geom") != 0) return;
  e->used = 1;
  if (!is_default(e)) return;
  rattle__xml_value(e, "class");
  for (rattle__element *c = e->first; c; c = c->next) mark(c);
}

void rattle__mjcf_mark_defaults(const rattle__mjcf *m) {
  for (rattle__element *e = m->document->root->first; e; e = e->next)
    if (is_default(e)) mark(e);
}

static const rattle__element *find_class(const rattle__element *e, const char *name) {
  for (; e; e = e->next) {
    if (!is_default(e)) continue;
    for (const rattle__attribute *a = e->attribute; a; a = a->next)
      if (!strcmp(a->name, "class") && !strcmp(a->value, name)) return e;
    const rattle__element *found = find_class(e->first, name);
    if (found) return found;
  }
  return NULL;
}

rattle_status rattle__mjcf_class(const rattle__mjcf *m, const rattle__element *e, const char *name,
                                 const rattle__element **class, rattle_error *error) {
  const char *wanted = rattle__xml_value(e, name);
  if (!wanted) return RATTLE_OK;
  *class = find_class(m->document->root->first, wanted);
  if (*class || !strcmp(wanted, "main")) return RATTLE_OK;
  return rattle__xml_fail(m->document, e, error, "there is no class \"%s\" of defaults", wanted);
}

/* The last element of that name in a class that has the attribute. */
static const rattle__element *in_class(const rattle__element *class, const char *element,
                                       const char *name) {
  const rattle__element *found = NULL;
  for (const rattle__element *e = class->first; e; e = e->next)
    if (!strcmp(e->name, element) && rattle__xml_value(e, name)) found = e;
  return found;
}

const rattle__element *rattle__mjcf_source(const rattle__mjcf *m, const rattle__element *e,
                                           const rattle__element *class, const char *name) {
  const rattle__element *root = m->document->root, *found = NULL;
  if (rattle__xml_value(e, name)) return e;
  if (!strcmp(e->name, "freejoint") || !strcmp(e->name, "body") || !strcmp(e->name, "inertial"))
    return NULL;
  for (; class && class != root; class = class->parent)
    if ((found = in_class(class, e->name, name))) return found;
  for (const rattle__element *d = root->first; d; d = d->next) {
    const rattle__element *here = is_default(d) ? in_class(d, e->name, name) : NULL;
    if (here) found = here;
  }
  return found;
}

const char *rattle__mjcf_value(const rattle__mjcf *m, const rattle__element *e,
                               const rattle__element *class, const char *name) {
  return rattle__xml_value(rattle__mjcf_source(m, e, class, name), name);
}

rattle_status rattle__mjcf_read(const rattle__mjcf *m, const rattle__element *e,
                                const rattle__element *class, struct rattle__mjcf_numbers *numbers,
                                rattle_error *error) {
  const rattle__element *source = rattle__mjcf_source(m, e, class, numbers->name);
  numbers->count = 0;
  if (!source) return RATTLE_OK;
  const char *at = rattle__xml_value(source, numbers->name);
  for (;;) {
    char *end;
    while (isspace((unsigned char)*at)) at++;
    if (!*at) break;
    const double x = rattle__number_read(at, &end);
    if (numbers->count == numbers->most || end == at || !isfinite(x) ||
        (*end && !isspace((unsigned char)*end))) {
      numbers->count = -1;
      break;
    }
    numbers->value[numbers->count++] = x;
    at = end;
  }
  if (numbers->count >= numbers->least) return RATTLE_OK;
  char range[32] = "";
  if (numbers->most > numbers->least) rattle__print(range, sizeof range, " to %d", numbers->most);
  return rattle__xml_fail(m->document, source, error,
                          "%s of <%s> is \"%.60s\": expected %d%s finite number%s", numbers->name,
                          e->name, rattle__xml_value(source, numbers->name), numbers->least, range,
                          numbers->most == 1 ? "" : "s");
}

rattle_status rattle__mjcf_number(const rattle__mjcf *m, const rattle__element *e,
                                  const rattle__element *class, const char *name, double *value,
                                  rattle_error *error) {
  struct rattle__mjcf_numbers one = {name, value, 1, 1, 0};
  return rattle__mjcf_read(m, e, class, &one, error);
}
