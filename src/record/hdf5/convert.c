/* A record as a file of another format, which is there when it is whole. */
#include "record/hdf5/convert.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ground/support/error.h"
#include "ground/support/sized.h"

/* ---- the file ---- */

typedef enum conversion { TO_XYZ, TO_NETCDF, TO_H5MD, TO_CSV, CONVERSIONS } conversion;

static rattle_status choose(conversion *to, const char *path, const rattle_record_export *with,
                            rattle_error *error) {
  static const char *const names[] = {"xyz", "nc", "h5md", "csv"};
  const char *dot = strrchr(path, '.'), *name = with->format ? with->format : dot ? dot + 1 : "";
  for (int i = 0; i < CONVERSIONS; i++)
    if (!strcmp(names[i], name)) {
      *to = (conversion)i;
      return RATTLE_OK;
    }
  return rattle__fail(error, RATTLE_BAD_ARGUMENT, path,
                      "\"%s\" is no format that records are written in: expected xyz, nc, h5md or "
                      "csv, as the ending of the file",
                      name);
}

static rattle_status write_frames(conversion to, const char *path, FILE *file, rattle__frames *f,
                                  rattle_error *error) {
  rattle_status status = rattle__frames_make(f, error);
  if (!status && to == TO_NETCDF && !f->known)
    status =
        rattle__fail(error, RATTLE_UNSUITABLE, f->record->path,
                     "AMBER NetCDF is in Angstrom and picoseconds, and the record has no "
                     "units: give units { } in the model, or say what its numbers are (--units "
                     "nm,ps)");
  if (!status && to == TO_XYZ) status = rattle__write_xyz(file, f, error);
  if (!status && to == TO_NETCDF) status = rattle__write_netcdf(file, f, error);
  if (!status && to == TO_H5MD) status = rattle__write_h5md(path, f, error);
  return status;
}

static rattle_status write_file(conversion to, const char *path, int descriptor,
                                rattle__frames *frames, rattle_error *error) {
  FILE *file = fdopen(descriptor, "wb");
  if (!file) {
    close(descriptor);
    return rattle__no_memory(error);
  }
  rattle_status status = to == TO_CSV ? rattle__write_csv(file, frames->record, error)
                                      : write_frames(to, path, file, frames, error);
  errno = 0;
  const int failed = ferror(file) | fclose(file);
  if (failed && !status)
    status = rattle__fail(error, RATTLE_IO, path, "cannot write %s: %s", path,
                          strerror(errno ? errno : EIO));
  rattle__frames_free(frames);
  return status;
}

/* Gives a file that is whole its name. */
static rattle_status place(const char *temporary, const char *path, int force,
                           rattle_error *error) {
  const int failed = force ? rename(temporary, path) : link(temporary, path);
  const int why = errno;
  if (failed || !force) unlink(temporary);
  if (!failed) return RATTLE_OK;
  if (why == EEXIST) return rattle__fail(error, RATTLE_EXISTS, path, "%s exists already", path);
  return rattle__fail(error, RATTLE_IO, path, "cannot create %s: %s", path, strerror(why));
}

rattle_status rattle_record_write(const rattle_record *record, const char *path,
                                  const rattle_record_export *given, rattle_error *error) {
  rattle_record_export with;
  rattle__frames frames = {.record = record, .with = &with};
  conversion to = TO_XYZ;
  rattle_status status = RATTLE__TAKE(&with, rattle_record_export, bond, given, error);
  if (!status) status = choose(&to, path, &with, error);
  if (!status && !with.force && access(path, F_OK) == 0)
    status = rattle__fail(error, RATTLE_EXISTS, path, "%s exists already", path);
  if (status) return status;
  char *temporary = malloc(strlen(path) + sizeof ".part-XXXXXX");
  if (!temporary) return rattle__no_memory(error);
  strcat(strcpy(temporary, path), ".part-XXXXXX");
  const int descriptor = mkstemp(temporary);
  if (descriptor < 0) {
    status = rattle__fail(error, RATTLE_IO, path, "cannot create %s: %s", path, strerror(errno));
  } else {
    const mode_t mask = umask(0);
    umask(mask);
    fchmod(descriptor, 0666 & ~mask);
    status = write_file(to, temporary, descriptor, &frames, error);
    if (status)
      unlink(temporary);
    else
      status = place(temporary, path, with.force, error);
  }
  free(temporary);
  return status;
}
