/* In place of this room where a build reads no robots (RATTLE_ROBOTS=OFF): it needs no expat. */
#include "files/robots/robot.h"
#include "ground/support/error.h"

rattle_status rattle__robot_model(char **text, const char *path, int module,
                                  rattle__file_reader *read, rattle_error *error) {
  (void)text, (void)module, (void)read;
  return rattle__fail(error, RATTLE_UNSUITABLE, path,
                      "this build reads no robots in XML (RATTLE_ROBOTS=OFF)");
}
