/* H5MD as MDAnalysis reads it by the name of the file alone: one group `trajectory` in space, units
 * as strings of variable length, edges of the box with the rows of the positions. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ground/support/error.h"
#include "record/hdf5/convert.h"

#define GROUP "/particles/trajectory"

/* ---- parts ---- */

static int make_group(hid_t file, const char *path) {
  const hid_t group = rattle__h5_make_group(file, path);
  return group < 0 || H5Gclose(group) < 0 ? -1 : 0;
}

static int write_unit(hid_t file, const char *path, const char *unit) {
  hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
  H5Tset_size(type, H5T_VARIABLE);
  H5Tset_cset(type, H5T_CSET_UTF8);
  hid_t attribute =
      H5Acreate_by_name(file, path, "unit", type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  const int failed = attribute < 0 || H5Awrite(attribute, type, &unit) < 0;
  if (attribute >= 0) H5Aclose(attribute);
  H5Sclose(space), H5Tclose(type);
  return failed ? -1 : 0;
}

/* A dataset of so many rows, whose number of other dimensions is `rank` - 1. */
static int make_rows(hid_t file, const char *path, hid_t type, int rank, const hsize_t *size) {
  hid_t links = rattle__h5_links(), space = H5Screate_simple(rank, size, NULL),
        set = H5Dcreate2(file, path, type, space, links, H5P_DEFAULT, H5P_DEFAULT);
  const int failed = set < 0;
  if (set >= 0) H5Dclose(set);
  H5Sclose(space), H5Pclose(links);
  return failed ? -1 : 0;
}

/* Rows [first, first+count) of a dataset. */
static int put_rows(hid_t file, const char *path, hid_t type, long long first, long long count,
                    const void *values) {
  hid_t set = H5Dopen2(file, path, H5P_DEFAULT), space = H5Dget_space(set);
  hsize_t size[3] = {0}, start[3] = {(hsize_t)first, 0, 0};
  const int rank = H5Sget_simple_extent_dims(space, size, NULL);
  size[0] = (hsize_t)count;
  hid_t memory = H5Screate_simple(rank > 0 ? rank : 1, size, NULL);
  const int failed = rank < 1 ||
                     H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, size, NULL) < 0 ||
                     H5Dwrite(set, type, memory, space, H5P_DEFAULT, values) < 0;
  H5Sclose(memory), H5Sclose(space), H5Dclose(set);
  return failed ? -1 : 0;
}

/* `step` and `time` of an element are those of the positions. */
static int link_rows(hid_t file, const char *element) {
  static const char *const names[] = {"step", "time"};
  for (int i = 0; i < 2; i++) {
    char from[64], to[600];
    snprintf(from, sizeof from, GROUP "/position/%s", names[i]);
    snprintf(to, sizeof to, "%s/%s", element, names[i]);
    if (H5Lcreate_hard(file, from, file, to, H5P_DEFAULT, H5P_DEFAULT) < 0) return -1;
  }
  return 0;
}

/* ---- the layout ---- */

static int make_box(hid_t file, const rattle__frames *f) {
  const long long three = 3, rows = f->samples;
  const hsize_t size[2] = {(hsize_t)rows, 3};
  rattle__labels boundary;
  const int periodic = f->box[0] > 0 && f->box[1] > 0 && f->box[2] > 0;
  if (make_group(file, GROUP "/box") || rattle__labels_make(&boundary, 3, 8)) return -1;
  for (int i = 0; i < 3; i++) strcpy(boundary.name[i], periodic ? "periodic" : "none");
  int failed = rattle__h5_write_integers_attribute(file, GROUP "/box", "dimension", &three, -1) ||
               rattle__h5_write_names_attribute(file, GROUP "/box", "boundary", &boundary);
  rattle__labels_free(&boundary);
  if (failed || !periodic) return failed;
  failed = make_rows(file, GROUP "/box/edges/value", H5T_NATIVE_DOUBLE, 2, size) ||
           link_rows(file, GROUP "/box/edges") ||
           (f->known && write_unit(file, GROUP "/box/edges/value", "Angstrom"));
  for (long long i = 0; i < rows && !failed; i++)
    failed = put_rows(file, GROUP "/box/edges/value", H5T_NATIVE_DOUBLE, i, 1, f->box);
  return failed;
}

static int make_particles(hid_t file, const rattle__frames *f) {
  const hsize_t size[3] = {(hsize_t)f->samples, (hsize_t)f->count, 3};
  if (make_rows(file, GROUP "/position/step", H5T_NATIVE_LLONG, 1, size) ||
      make_rows(file, GROUP "/position/time", H5T_NATIVE_DOUBLE, 1, size) ||
      make_rows(file, GROUP "/position/value", H5T_NATIVE_DOUBLE, 3, size))
    return -1;
  if (f->velocity && (make_rows(file, GROUP "/velocity/value", H5T_NATIVE_DOUBLE, 3, size) ||
                      link_rows(file, GROUP "/velocity")))
    return -1;
  if (f->mass && rattle__h5_write_array(file, GROUP "/mass", H5T_NATIVE_DOUBLE, f->mass, f->count))
    return -1;
  if (!f->known) return 0;
  return write_unit(file, GROUP "/position/value", "Angstrom") ||
         write_unit(file, GROUP "/position/time", "ps") ||
         (f->velocity && write_unit(file, GROUP "/velocity/value", "Angstrom ps-1"));
}

static int put_bonds(hid_t file, const rattle__frames *f) {
  const rattle__about *about = &f->record->store.about;
  const hsize_t size[2] = {(hsize_t)f->with->bonds, 2};
  int *end = malloc(2 * (size_t)f->with->bonds * sizeof *end);
  if (!end) return rattle__h5_no_memory();
  for (long long i = 0; i < 2 * f->with->bonds; i++) {
    const int coordinate = f->with->bond[i];
    end[i] = coordinate >= 0 && coordinate < about->n ? about->place[coordinate] / f->dimension : 0;
  }
  const int failed = make_rows(file, "/connectivity/bonds", H5T_NATIVE_INT, 2, size) ||
                     put_rows(file, "/connectivity/bonds", H5T_NATIVE_INT, 0, f->with->bonds, end);
  free(end);
  return failed;
}

/* Pairs of particles, with the group that they are of. */
static int make_bonds(hid_t file, const rattle__frames *f) {
  hobj_ref_t group;
  if (!f->with->bonds) return 0;
  if (put_bonds(file, f) || H5Rcreate(&group, file, GROUP, H5R_OBJECT, -1) < 0) return -1;
  hid_t space = H5Screate(H5S_SCALAR),
        attribute =
            H5Acreate_by_name(file, "/connectivity/bonds", "particles_group", H5T_STD_REF_OBJ,
                              space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  const int failed = attribute < 0 || H5Awrite(attribute, H5T_STD_REF_OBJ, &group) < 0;
  if (attribute >= 0) H5Aclose(attribute);
  H5Sclose(space);
  return failed ? -1 : 0;
}

static int make_file(hid_t file, const rattle__frames *f) {
  const long long version[2] = {1, 1};
  return make_group(file, "/h5md/author") || make_group(file, "/h5md/creator") ||
         rattle__h5_write_integers_attribute(file, "/h5md", "version", version, 2) ||
         rattle__h5_write_text_attribute(file, "/h5md/author", "name", "unknown") ||
         rattle__h5_write_text_attribute(file, "/h5md/creator", "name", "librattle") ||
         rattle__h5_write_text_attribute(file, "/h5md/creator", "version",
                                         f->record->info.version) ||
         make_particles(file, f) || make_box(file, f) || make_bonds(file, f);
}

/* ---- the rows ---- */

/* The frames: read from the record, which has a section of its own, then written. */
static rattle_status copy_frames(hid_t file, const char *path, rattle__frames *f,
                                 rattle_error *error) {
  double steps[RATTLE__FRAME_BLOCK];
  long long number[RATTLE__FRAME_BLOCK];
  for (long long done = 0; done < f->samples; done += RATTLE__FRAME_BLOCK) {
    const long long left = f->samples - done,
                    part = left < RATTLE__FRAME_BLOCK ? left : RATTLE__FRAME_BLOCK;
    rattle_status status = rattle__frames_read(f, done, part, error);
    if (!status)
      status = rattle_record_read_column(f->record, (rattle_column){RATTLE_STEP_NUMBER, 0}, done,
                                         part, steps, error);
    if (status) return status;
    for (long long i = 0; i < part; i++) number[i] = (long long)steps[i];
    rattle__h5 h5;
    rattle__h5_enter(&h5);
    if (put_rows(file, GROUP "/position/step", H5T_NATIVE_LLONG, done, part, number) ||
        put_rows(file, GROUP "/position/time", H5T_NATIVE_DOUBLE, done, part, f->times) ||
        put_rows(file, GROUP "/position/value", H5T_NATIVE_DOUBLE, done, part, f->position) ||
        (f->velocity &&
         put_rows(file, GROUP "/velocity/value", H5T_NATIVE_DOUBLE, done, part, f->velocity)))
      status = rattle__h5_fail(&h5, error, path, "written");
    rattle__h5_leave(&h5);
    if (status) return status;
  }
  return RATTLE_OK;
}

/* One observable, in units of the record; the name has no slash. */
static rattle_status copy_column(hid_t file, const char *path, const rattle__frames *f,
                                 const char *name, rattle_column column, rattle_error *error) {
  const hsize_t size = (hsize_t)f->samples;
  char element[540], value[560];
  double *values = malloc(((size_t)f->samples + 1) * sizeof *values);
  if (!values) return rattle__no_memory(error);
  snprintf(element, sizeof element, "/observables/%.500s", name);
  for (char *c = element + strlen("/observables/"); *c; c++)
    if (*c == '/' || *c == '.') *c = '_';
  snprintf(value, sizeof value, "%s/value", element);
  rattle_status status = rattle_record_read_column(f->record, column, 0, f->samples, values, error);
  rattle__h5 h5;
  rattle__h5_enter(&h5);
  if (!status && H5Lexists(file, element, H5P_DEFAULT) <= 0 &&
      (make_rows(file, value, H5T_NATIVE_DOUBLE, 1, &size) || link_rows(file, element) ||
       put_rows(file, value, H5T_NATIVE_DOUBLE, 0, f->samples, values)))
    status = rattle__h5_fail(&h5, error, path, "written");
  rattle__h5_leave(&h5);
  free(values);
  return status;
}

static rattle_status copy_observables(hid_t file, const char *path, const rattle__frames *f,
                                      rattle_error *error) {
  const rattle_record_info *info = &f->record->info;
  rattle_status status =
      copy_column(file, path, f, "energy", (rattle_column){RATTLE_ENERGY, 0}, error);
  for (int i = 0; i < info->observables && !status; i++)
    status = copy_column(file, path, f, info->observable_names[i],
                         (rattle_column){RATTLE_OBSERVABLE, i}, error);
  return status;
}

rattle_status rattle__write_h5md(const char *path, rattle__frames *f, rattle_error *error) {
  rattle__h5 h5;
  rattle_status status = RATTLE_OK;
  rattle__h5_enter(&h5);
  unlink(path);
  hid_t file = rattle__h5_create_file(path, H5P_DEFAULT, H5P_DEFAULT);
  if (file < 0 || make_group(file, "/observables") || make_file(file, f))
    status = rattle__h5_fail(&h5, error, path, "written");
  rattle__h5_leave(&h5);
  if (!status) status = copy_frames(file, path, f, error);
  if (!status) status = copy_observables(file, path, f, error);
  rattle__h5_enter(&h5);
  if (file >= 0 && H5Fclose(file) < 0 && !status)
    status = rattle__h5_fail(&h5, error, path, "written");
  rattle__h5_leave(&h5);
  return status;
}
