/* Files that a document names. All are in its folder or below. */
#include "files/robots/paths.h"

#include <string.h>
#include <sys/stat.h>

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

char *rattle__robot_path(rattle__document *d, const char *folder, const char *name) {
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
