#ifndef RATTLE_ROBOT_H
#define RATTLE_ROBOT_H
/* Files of robots as models (docs/robots.md). rattle_model_load reads them too. */
#include "rattle/model.h"
#include "rattle/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The model in Lua that a robot in URDF, MJCF or SDF is: a text to read and to change, to be
 * released by free(). Files that MJCF includes, and meshes, are read in the folder of the path or
 * below it. Errors: RATTLE_IO, RATTLE_BAD_MODEL with the line of the file. */
RATTLE_API rattle_status rattle_robot_text(char **text, const char *path, rattle_error *error);

/* The other way: the model of the file at `path`, whose bodies are those of one mech.links, as a
 * file in the format "urdf" or "mjcf", to be released by free(). RATTLE_UNSUITABLE names what of
 * the model the format does not have. */
RATTLE_API rattle_status rattle_robot_write(char **text, const char *path, const char *format,
                                            const rattle_model_options *options,
                                            rattle_error *error);

#ifdef __cplusplus
}
#endif
#endif
