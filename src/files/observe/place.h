#ifndef RATTLE__PLACE_H
#define RATTLE__PLACE_H
/* Output files that appear only when complete: written next to their place under a temporary name,
 * then moved there. */
#include "rattle/status.h"

/* RATTLE_OK if a new file may be put at `path`: its folder is there and writable. With force = 0
 * the place must be free, but for an empty file that nobody is writing. With force = 1 nobody may
 * be writing the file there: that is RATTLE_IO, also when the new file is published. */
rattle_status rattle__place_check(const char *path, int force, rattle_error *error);
/* A name in the folder of `path` that is not in use: "PATH.1a2b3c.part", malloc'ed. */
rattle_status rattle__place_temporary(const char *path, char **temporary, rattle_error *error);
/* Moves `temporary` to `path` in one step. With force = 0 a file that came there meanwhile stays
 * and is RATTLE_EXISTS. */
rattle_status rattle__place_publish(const char *temporary, const char *path, int force,
                                    rattle_error *error);
/* The error for a file that another run is writing. */
rattle_status rattle__place_busy(rattle_error *error, const char *path);
/* The same for a caller who has the lock of `path`: it is replaced. */
rattle_status rattle__place_move(const char *temporary, const char *path, rattle_error *error);
/* Fills the error for a file that could not be `done` ("written"): "PATH could not be written:
 * reason; remedy". */
rattle_status rattle__place_fail(rattle_error *error, const char *path, const char *done,
                                 const char *reason);
#endif
