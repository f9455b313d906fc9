/* Attributes, texts and lists of names. */
#include "record/hdf5/hdf5.h"

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int rattle__labels_make(rattle__labels *names, int count, size_t longest) {
  *names = (rattle__labels){.count = count, .width = longest + 1};
  names->block = calloc((size_t)count + 1, names->width);
  names->name = calloc((size_t)count + 1, sizeof *names->name);
  if (!names->block || !names->name) return rattle__labels_free(names), rattle__h5_no_memory();
  for (int i = 0; i < count; i++) names->name[i] = names->block + (size_t)i * names->width;
  return 0;
}

void rattle__labels_free(rattle__labels *names) {
  free(names->block), free(names->name);
  *names = (rattle__labels){0};
}

int rattle__labels_pass(rattle__labels *names) {
  const int takes = rattle__takes();
  int count = names->count;
  size_t width = names->width;
  if (rattle__pass(&count, sizeof count) || rattle__pass(&width, sizeof width)) return -1;
  if (takes && (count < 0 || width < 1 || (count > 0 && width > SIZE_MAX / 2 / (size_t)count)))
    return rattle__h5_refuse("a list of names", "has an impossible size");
  char *block = rattle__pass_list(names->block, (size_t)count, width);
  if (!block || !takes) return block ? 0 : -1;
  const int failed = rattle__labels_make(names, count, count > 0 ? width - 1 : 0);
  if (!failed) memcpy(names->block, block, (size_t)count * width);
  for (int i = 0; i < count && !failed; i++) names->name[i][width - 1] = 0;
  free(block);
  return failed;
}

hid_t rattle__h5_access(void) {
  hid_t list = H5Pcreate(H5P_FILE_ACCESS);
  if (list >= 0) H5Pset_libver_bounds(list, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
  return list;
}

int rattle__h5_text_room(char **text, size_t bytes) {
  *text = calloc(bytes + 1, 1);
  return *text ? 0 : rattle__h5_no_memory();
}

hid_t rattle__h5_links(void) {
  hid_t links = H5Pcreate(H5P_LINK_CREATE);
  H5Pset_create_intermediate_group(links, 1);
  H5Pset_char_encoding(links, H5T_CSET_UTF8);
  return links;
}

hid_t rattle__h5_make_group(hid_t file, const char *path) {
  hid_t links = rattle__h5_links(), group = H5Gcreate2(file, path, links, H5P_DEFAULT, H5P_DEFAULT);
  H5Pclose(links);
  return group;
}

hid_t rattle__h5_text_type(size_t size) {
  hid_t type = H5Tcopy(H5T_C_S1);
  H5Tset_size(type, size);
  H5Tset_cset(type, H5T_CSET_UTF8);
  H5Tset_strpad(type, H5T_STR_NULLTERM);
  return type;
}

static hid_t space_of(int count) {
  return count < 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &(hsize_t){(hsize_t)count}, NULL);
}

/* count < 0: a scalar. The file may hold another type than memory, so that files agree between
 * machines. */
static int write_attribute(hid_t file, const char *path, const char *name, hid_t stored,
                           hid_t memory, int count, const void *value) {
  hid_t space = space_of(count), names = H5Pcreate(H5P_ATTRIBUTE_CREATE);
  H5Pset_char_encoding(names, H5T_CSET_UTF8);
  hid_t attribute =
      H5Acreate_by_name(file, path, name, stored, space, names, H5P_DEFAULT, H5P_DEFAULT);
  int failed = attribute < 0 || H5Awrite(attribute, memory, value) < 0;
  if (attribute >= 0) failed |= H5Aclose(attribute) < 0;
  H5Pclose(names), H5Sclose(space);
  return failed ? -1 : 0;
}

int rattle__h5_write_text_attribute(hid_t file, const char *path, const char *name,
                                    const char *text) {
  hid_t type = rattle__h5_text_type(strlen(text) + 1);
  int failed = write_attribute(file, path, name, type, type, -1, text);
  H5Tclose(type);
  return failed;
}

int rattle__h5_write_real_attribute(hid_t file, const char *path, const char *name, double value) {
  return write_attribute(file, path, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, -1, &value);
}

int rattle__h5_write_integers_attribute(hid_t file, const char *path, const char *name,
                                        const long long *value, int count) {
  return write_attribute(file, path, name, H5T_STD_I64LE, H5T_NATIVE_LLONG, count, value);
}

int rattle__h5_write_names_attribute(hid_t file, const char *path, const char *name,
                                     const rattle__labels *names) {
  hid_t type = rattle__h5_text_type(names->width);
  int failed = write_attribute(file, path, name, type, type, names->count, names->block);
  H5Tclose(type);
  return failed;
}

static int read_names_attribute(hid_t file, const char *path, const char *name,
                                rattle__labels *names) {
  hid_t attribute = rattle__h5_open_attribute(file, path, name);
  if (attribute < 0) return -1;
  hid_t space = H5Aget_space(attribute), type = H5Aget_type(attribute);
  hssize_t count = H5Sget_simple_extent_npoints(space);
  int failed = count < 0 || count > INT_MAX || H5Tget_class(type) != H5T_STRING ||
               H5Tis_variable_str(type) ||
               rattle__labels_make(names, (int)count, H5Tget_size(type));
  if (!failed) {
    hid_t memory = rattle__h5_text_type(names->width);
    failed = H5Aread(attribute, memory, names->block) < 0;
    H5Tclose(memory);
  }
  H5Tclose(type), H5Sclose(space), H5Aclose(attribute);
  return failed ? -1 : 0;
}

int rattle__h5_read_names_attribute(hid_t file, const char *path, const char *name,
                                    rattle__labels *names) {
  if (!rattle__takes() && read_names_attribute(file, path, name, names)) return -1;
  return rattle__labels_pass(names);
}

static int read_attribute(hid_t file, const char *path, const char *name, hid_t memory,
                          void *value) {
  hid_t attribute = rattle__h5_open_attribute(file, path, name);
  if (attribute < 0) return -1;
  hid_t space = H5Aget_space(attribute);
  int failed = H5Sget_simple_extent_npoints(space) != 1 || H5Aread(attribute, memory, value) < 0;
  H5Sclose(space), H5Aclose(attribute);
  return failed ? -1 : 0;
}

static int read_text_attribute(hid_t file, const char *path, const char *name, char **text) {
  hid_t attribute = rattle__h5_open_attribute(file, path, name);
  if (attribute < 0) return -1;
  hid_t space = H5Aget_space(attribute), type = H5Aget_type(attribute);
  int failed = H5Sget_simple_extent_npoints(space) != 1 || H5Tget_class(type) != H5T_STRING ||
               H5Tis_variable_str(type) || rattle__h5_text_room(text, H5Tget_size(type)) ||
               H5Aread(attribute, type, *text) < 0;
  H5Tclose(type), H5Sclose(space), H5Aclose(attribute);
  return failed ? -1 : 0;
}

int rattle__h5_read_text_attribute(hid_t file, const char *path, const char *name, char **text) {
  if (!rattle__takes() && read_text_attribute(file, path, name, text)) return -1;
  return rattle__pass_text(text);
}

int rattle__h5_read_real_attribute(hid_t file, const char *path, const char *name, double *value) {
  if (!rattle__takes() && read_attribute(file, path, name, H5T_NATIVE_DOUBLE, value)) return -1;
  return rattle__pass(value, sizeof *value);
}

int rattle__h5_read_integer_attribute(hid_t file, const char *path, const char *name,
                                      long long *value) {
  if (!rattle__takes() && read_attribute(file, path, name, H5T_NATIVE_LLONG, value)) return -1;
  return rattle__pass(value, sizeof *value);
}
