/* HDF5 datasets that are written whole: texts, lists of names, arrays; and slots that are rewritten
 * in place. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "record/hdf5/hdf5.h"

static hid_t make(hid_t file, const char *path, hid_t stored, hid_t space, hid_t creation) {
  hid_t links = rattle__h5_links(),
        dataset = H5Dcreate2(file, path, stored, space, links, creation, H5P_DEFAULT);
  H5Pclose(links), H5Sclose(space);
  return dataset;
}

static int fill(hid_t dataset, hid_t memory, const void *value) {
  if (dataset < 0) return -1;
  int failed = H5Dwrite(dataset, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, value) < 0;
  failed |= H5Dclose(dataset) < 0;
  return failed ? -1 : 0;
}

int rattle__h5_write_text(hid_t file, const char *path, const char *text) {
  hid_t type = rattle__h5_text_type(strlen(text) + 1);
  int failed = fill(make(file, path, type, H5Screate(H5S_SCALAR), H5P_DEFAULT), type, text);
  H5Tclose(type);
  return failed;
}

static int read_text(hid_t file, const char *path, char **text) {
  hid_t dataset = rattle__h5_open_dataset(file, path);
  if (dataset < 0) return -1;
  hid_t space = H5Dget_space(dataset), type = H5Dget_type(dataset);
  int failed = H5Sget_simple_extent_npoints(space) != 1 || H5Tget_class(type) != H5T_STRING ||
               H5Tis_variable_str(type) || rattle__h5_text_room(text, H5Tget_size(type)) ||
               H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, *text) < 0;
  H5Tclose(type), H5Sclose(space), H5Dclose(dataset);
  return failed ? -1 : 0;
}

int rattle__h5_read_text(hid_t file, const char *path, char **text) {
  if (!rattle__takes() && read_text(file, path, text)) return -1;
  return rattle__pass_text(text);
}

int rattle__h5_write_names(hid_t file, const char *path, const rattle__labels *names) {
  if (names->count == 0) return 0;
  hid_t type = rattle__h5_text_type(names->width),
        space = H5Screate_simple(1, &(hsize_t){(hsize_t)names->count}, NULL);
  int failed = fill(make(file, path, type, space, H5P_DEFAULT), type, names->block);
  H5Tclose(type);
  return failed;
}

/* Numbers in a dataset of rank 1; -1 if it is something else. */
static hssize_t length_of(hid_t dataset) {
  hid_t space = H5Dget_space(dataset);
  hssize_t length =
      H5Sget_simple_extent_ndims(space) == 1 ? H5Sget_simple_extent_npoints(space) : -1;
  H5Sclose(space);
  return length;
}

static int read_names(hid_t file, const char *path, rattle__labels *names) {
  int exists = rattle__h5_reaches(file, path);
  if (exists <= 0) return exists < 0 ? -1 : rattle__labels_make(names, 0, 0);
  hid_t dataset = rattle__h5_open_dataset(file, path);
  if (dataset < 0) return -1;
  hid_t type = H5Dget_type(dataset);
  hssize_t count = length_of(dataset);
  int failed = count < 0 || count > INT_MAX || H5Tget_class(type) != H5T_STRING ||
               H5Tis_variable_str(type) ||
               rattle__labels_make(names, (int)count, H5Tget_size(type) - 1) ||
               H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, names->block) < 0;
  for (int i = 0; !failed && i < names->count; i++) names->name[i][names->width - 1] = 0;
  H5Tclose(type), H5Dclose(dataset);
  return failed ? -1 : 0;
}

int rattle__h5_read_names(hid_t file, const char *path, rattle__labels *names) {
  if (!rattle__takes() && read_names(file, path, names)) return -1;
  return rattle__labels_pass(names);
}

int rattle__h5_write_array(hid_t file, const char *path, hid_t type, const void *value, int count) {
  if (count == 0) return 0;
  return fill(
      make(file, path, type, H5Screate_simple(1, &(hsize_t){(hsize_t)count}, NULL), H5P_DEFAULT),
      type, value);
}

static long long length_at(hid_t file, const char *path) {
  hid_t dataset = rattle__h5_open_dataset(file, path);
  if (dataset < 0) return -1;
  const hssize_t length = length_of(dataset);
  H5Dclose(dataset);
  return (long long)length;
}

long long rattle__h5_array_length(hid_t file, const char *path) {
  long long length = rattle__takes() ? 0 : length_at(file, path);
  return rattle__pass(&length, sizeof length) ? -1 : length;
}

static int read_array(hid_t file, const char *path, hid_t type, void *value, int count) {
  hid_t dataset = rattle__h5_open_dataset(file, path);
  if (dataset < 0) return -1;
  int failed = length_of(dataset) != count ||
               H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, value) < 0;
  H5Dclose(dataset);
  return failed ? -1 : 0;
}

int rattle__h5_read_array(hid_t file, const char *path, hid_t type, void *value, int count) {
  if (count == 0) return 0;
  if (!rattle__takes() && read_array(file, path, type, value, count)) return -1;
  return rattle__pass(value, (size_t)count * H5Tget_size(type));
}

hid_t rattle__h5_make_slots(hid_t file, const char *path, hid_t type, int rank,
                            const hsize_t *dims) {
  hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_alloc_time(creation, H5D_ALLOC_TIME_EARLY);
  H5Pset_fill_time(creation, H5D_FILL_TIME_ALLOC);
  hid_t dataset = make(file, path, type, H5Screate_simple(rank, dims, NULL), creation);
  H5Pclose(creation);
  return dataset;
}
