/* Objects of a file that anybody may have written.
 *
 * HDF5 follows soft and external links, and reads and writes data sets whose numbers lie in other
 * files (external storage, virtual data sets), wherever a file tells it to. A record needs none of
 * them: what is opened here is reached by hard links alone, has its numbers in the file itself and
 * passes no other filters than deflate, shuffle and fletcher32, so that no plug-in is loaded. A
 * size that the file states is compared with what the file can hold before memory is taken for
 * it. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "record/hdf5/hdf5.h"

enum { LARGEST_RATIO = 1100 }; /* of deflate 1032, of the others less */

/* Silent: that a link is not there is no failure. */
static herr_t look(hid_t file, const char *path, H5L_info_t *link) {
  herr_t failed;
  H5E_BEGIN_TRY {
    failed = H5Lget_info(file, path, link, H5P_DEFAULT);
  }
  H5E_END_TRY
  return failed;
}

/* Each link on the way, and the last: 1 if all are hard links, 0 if one is not there, -1 if one is
 * of another kind. */
static int walk(hid_t file, const char *path) {
  char *part = strdup(path);
  int found = part ? 1 : rattle__h5_no_memory();
  for (size_t end = 1; found == 1 && path[end]; end++) {
    if (path[end + 1] && path[end + 1] != '/') continue;
    H5L_info_t link;
    part[end + 1] = 0;
    if (look(file, part, &link) < 0)
      found = H5Lexists(file, part, H5P_DEFAULT) == 0 ? 0 : -1;
    else if (link.type != H5L_TYPE_HARD)
      found = rattle__h5_refuse(part, "is a link to another place; records have none");
    part[end + 1] = path[end + 1];
  }
  free(part);
  return found;
}

int rattle__h5_reaches(hid_t file, const char *path) {
  return walk(file, path);
}

/* The finding, given or taken. */
static int passed(int found) {
  return rattle__pass(&found, sizeof found) ? -1 : (found > 0) - (found < 0);
}

int rattle__h5_exists(hid_t file, const char *path) {
  return passed(rattle__takes() ? 0 : walk(file, path));
}

int rattle__h5_attribute_exists(hid_t file, const char *path, const char *name) {
  int found = rattle__takes() ? 0 : walk(file, path);
  return passed(found == 1 ? H5Aexists_by_name(file, path, name, H5P_DEFAULT) : found);
}

long long rattle__h5_file_size(hid_t object) {
  void *handle = NULL;
  struct stat found;
  hid_t file = H5Iget_file_id(object);
  if (file < 0) return 0;
  int failed = H5Fget_vfd_handle(file, H5P_DEFAULT, &handle) < 0 || !handle ||
               fstat(*(int *)handle, &found) != 0;
  H5Fclose(file);
  return failed ? 0 : (long long)found.st_size;
}

/* True if `points` of the type fit in so many bytes. */
static int fits(hssize_t points, hid_t type, long long bytes) {
  const size_t size = H5Tget_size(type);
  return points >= 0 && size > 0 && points <= bytes / (long long)size;
}

hid_t rattle__h5_open_attribute(hid_t file, const char *path, const char *name) {
  if (walk(file, path) != 1) return -1;
  hid_t attribute = H5Aopen_by_name(file, path, name, H5P_DEFAULT, H5P_DEFAULT);
  if (attribute < 0) return -1;
  hid_t space = H5Aget_space(attribute), type = H5Aget_type(attribute);
  const int good = fits(H5Sget_simple_extent_npoints(space), type, rattle__h5_file_size(attribute));
  H5Tclose(type), H5Sclose(space);
  if (good) return attribute;
  H5Aclose(attribute);
  return rattle__h5_refuse(path, "has an attribute that is larger than the file");
}

/* Numbers in this file, by filters that need no plug-in, nor code that few have read: those that
 * `h5repack` is used with. */
static int check_plain(hid_t creation, const char *path) {
  const int filters = H5Pget_nfilters(creation);
  if (H5Pget_layout(creation) == H5D_VIRTUAL || H5Pget_external_count(creation) != 0)
    return rattle__h5_refuse(path, "has its numbers in another file; records have none such");
  for (int i = 0; i < filters; i++) {
    unsigned flags, configuration;
    size_t values = 0;
    H5Z_filter_t filter =
        H5Pget_filter2(creation, (unsigned)i, &flags, &values, NULL, 0, NULL, &configuration);
    const int known = filter == H5Z_FILTER_DEFLATE || filter == H5Z_FILTER_SHUFFLE ||
                      filter == H5Z_FILTER_FLETCHER32;
    if (!known)
      return rattle__h5_refuse(path, "needs another filter than deflate, shuffle and fletcher32");
  }
  return filters < 0 ? -1 : 0;
}

int rattle__h5_check_plain(hid_t dataset, const char *path) {
  hid_t creation = H5Dget_create_plist(dataset);
  const int refused = creation < 0 || check_plain(creation, path);
  if (creation >= 0) H5Pclose(creation);
  return refused ? -1 : 0;
}

hid_t rattle__h5_open_rows(hid_t file, const char *path) {
  const int found = walk(file, path);
  if (found != 1) return found == 0 ? rattle__h5_refuse(path, "is missing") : -1;
  hid_t dataset = H5Dopen2(file, path, H5P_DEFAULT);
  if (dataset < 0) return -1;
  if (!rattle__h5_check_plain(dataset, path)) return dataset;
  H5Dclose(dataset);
  return -1;
}

int rattle__h5_place_of(hid_t object, rattle__h5_place *place) {
#if H5_VERSION_GE(1, 12, 0)
  H5O_info2_t info;
  const int failed = H5Oget_info3(object, &info, H5O_INFO_BASIC) < 0;
  if (!failed) *place = info.token;
#else
  H5O_info_t info;
  const int failed = H5Oget_info2(object, &info, H5O_INFO_BASIC) < 0;
  if (!failed) *place = info.addr;
#endif
  return failed ? -1 : 0;
}

hid_t rattle__h5_open_again(hid_t file, const rattle__h5_place *place) {
#if H5_VERSION_GE(1, 12, 0)
  return H5Oopen_by_token(file, *place);
#else
  return H5Oopen_by_addr(file, *place);
#endif
}

long long rattle__h5_most_bytes(hid_t dataset) {
  hid_t creation = H5Dget_create_plist(dataset);
  if (creation < 0) return 0;
  const long long ratio = H5Pget_nfilters(creation) == 0 ? 1 : LARGEST_RATIO;
  H5Pclose(creation);
  return ratio * rattle__h5_file_size(dataset);
}

hid_t rattle__h5_open_dataset(hid_t file, const char *path) {
  hid_t dataset = rattle__h5_open_rows(file, path);
  if (dataset < 0) return -1;
  hid_t space = H5Dget_space(dataset), type = H5Dget_type(dataset);
  const int good = fits(H5Sget_simple_extent_npoints(space), type, rattle__h5_most_bytes(dataset));
  H5Tclose(type), H5Sclose(space);
  if (good) return dataset;
  H5Dclose(dataset);
  return rattle__h5_refuse(path, "is larger than the file");
}
