#ifndef RATTLE__ROBOT_H
#define RATTLE__ROBOT_H
/* Files of robots as models in Lua: `links` of the module "mechanics" with the numbers of the file
 * (docs/robots.md). */
#include <stddef.h>
#include <string.h>

#include "rattle/status.h"

/* True if the text of a file is XML: it begins with `<`, blanks and the mark of UTF-8 apart. */
static inline int rattle__is_robot(const char *text) {
  if (!strncmp(text, "\xEF\xBB\xBF", 3)) text += 3;
  text += strspn(text, " \t\r\n");
  return *text == '<';
}
/* Reads a file that another one names: its whole text, malloc'ed, or NULL if there is no such file.
 * length: NULL, or where the count of bytes goes of a file that need not be a text. */
typedef rattle_status rattle__file_reader(char **text, size_t *length, const char *path,
                                          rattle_error *error);
/* Replaces the text of a file, malloc'ed, by that of a model in Lua, or with `module` of a module
 * that returns the links. `path`: for messages and the title, and the folder of
 * files that `read` opens; NULL: none are included. */
rattle_status rattle__robot_model(char **text, const char *path, int module,
                                  rattle__file_reader *read, rattle_error *error);
#endif
