/* Files that a document in MJCF names: those that it includes. All are in its folder or below. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "files/robots/mjcf.h"
#include "ground/support/error.h"

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

static int leads_elsewhere(const char *path) {
  if (path[0] == '/') return 1;
  for (const char *at = path; at; at = strchr(at, '/') ? strchr(at, '/') + 1 : NULL)
    if (!strncmp(at, "..", 2) && (at[2] == '/' || !at[2])) return 1;
  return 0;
}

char *rattle__mjcf_path(rattle__document *d, const char *folder, const char *name) {
  const char *slash = strrchr(d->path, '/');
  const size_t start = slash ? (size_t)(slash + 1 - d->path) : 0;
  if (!folder) folder = "";
  if (leads_elsewhere(name) || leads_elsewhere(folder)) return NULL;
  char *path = rattle__arena_take(&d->arena, start + strlen(folder) + strlen(name) + 2);
  if (!path) return NULL;
  memcpy(path, d->path, start);
  strcpy(path + start, folder);
  if (*folder && folder[strlen(folder) - 1] != '/') strcat(path, "/");
  strcat(path, name);
  return has_link(path, start) ? NULL : path;
}

static rattle_status read_included(rattle__document *d, const rattle__element *e,
                                   rattle__element **root, rattle__file_reader *read,
                                   rattle_error *error) {
  const char *name = rattle__xml_value(e, "file");
  char *text = NULL, *path = name && read ? rattle__mjcf_path(d, NULL, name) : NULL;
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
