/* Files that a document in MJCF names: those that it includes. All are in its folder or below. */
#include <stdlib.h>
#include <string.h>

#include "files/robots/mjcf.h"
#include "files/robots/paths.h"
#include "ground/support/error.h"

enum { MOST_INCLUDES = 256 };

static rattle_status read_included(rattle__document *d, const rattle__element *e,
                                   rattle__element **root, rattle__file_reader *read,
                                   rattle_error *error) {
  const char *name = rattle__xml_value(e, "file");
  char *text = NULL, *path = name && read ? rattle__robot_path(d, NULL, name) : NULL;
  if (d->arena.failed) return rattle__no_memory(error);
  if (!path)
    return rattle__xml_fail(d, e, error,
                            "<include> needs a file in the folder of \"%s\" or below it, found "
                            "\"%s\"",
                            d->path, name ? name : "");
  rattle_status status = read(&text, NULL, path, error);
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
