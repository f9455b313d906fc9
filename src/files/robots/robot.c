/* Files of robots as models in Lua. */
#include "files/robots/robot.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files/robots/mjcf.h"
#include "files/robots/sdf.h"
#include "files/robots/urdf.h"
#include "ground/support/error.h"

static rattle_status write_model(FILE *file, rattle__document *document, int module,
                                 rattle__file_reader *read, rattle_error *error) {
  if (!strcmp(document->root->name, "robot"))
    return rattle__urdf_write(file, document, module, error);
  if (!strcmp(document->root->name, "mujoco"))
    return rattle__mjcf_write(file, document, module, read, error);
  if (!strcmp(document->root->name, "sdf"))
    return rattle__sdf_write(file, document, module, read, error);
  return rattle__xml_fail(document, document->root, error,
                          "the root element is <%s>: expected <robot>, of URDF, <mujoco>, of "
                          "MJCF, or <sdf>, of SDF",
                          document->root->name);
}

rattle_status rattle__robot_model(char **text, const char *path, int module,
                                  rattle__file_reader *read, rattle_error *error) {
  rattle__document document;
  char *model = NULL;
  size_t size = 0;
  FILE *file = open_memstream(&model, &size);
  if (!file) return rattle__no_memory(error);
  rattle_status status = rattle__xml_read(&document, *text, strlen(*text), path, error);
  if (!status) status = write_model(file, &document, module, read, error);
  rattle__xml_release(&document);
  if (fclose(file) && !status) status = rattle__no_memory(error);
  if (!status) {
    free(*text);
    *text = model;
    return RATTLE_OK;
  }
  free(model);
  return status;
}
