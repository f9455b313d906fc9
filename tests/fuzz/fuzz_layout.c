/* Records, object by object. The input is a list of edits of a small record: values, types and
 * shapes of its attributes and data sets, their names, links and lengths. HDF5 makes them, so that
 * its own structures stay whole and what librattle makes of them is what is tried. At the end the
 * sums may be made to fit again, for what comes behind them. */
#define H5_USE_110_API /* H5Ovisit has five arguments */
#include <hdf5.h>
#include <math.h>

#include "files.h"
#include "rattle/rattle.h"
#include "record/hdf5/checkpoint.h"

enum { OBJECTS = 96, NAME = 160, LARGEST = 1 << 17, MOST = 120 };

/* The record that is edited. */
static struct {
  uint8_t *bytes;
  size_t size;
} whole;
static char object[OBJECTS][NAME];
static int objects;

/* --- the record --- */

static const char text[] = "local x, px = pair('x') local y, py = pair('y')\n"
                           "mass { x = 1, y = 1 } potential(parameter('g', 1)*y)\n"
                           "constrain('rod', x^2 + y^2 - 1)\n"
                           "observe('height', y) metadata { author = 'a' } start { x = 1 }\n";

static void take_file(void) {
  FILE *file = fopen(files_path(), "rb");
  whole.bytes = malloc(LARGEST);
  if (!file || !whole.bytes) abort();
  whole.size = fread(whole.bytes, 1, LARGEST, file);
  if (whole.size == LARGEST || fclose(file)) abort();
}

static void need(rattle_status status) {
  if (status) abort();
}

static void make_record(void) {
  double z[4];
  rattle_model *model;
  rattle_problem *problem;
  rattle_integrator *integrator;
  rattle_record *record;
  const rattle_problem_options block = {.struct_size = sizeof block,
                                        .evaluator = RATTLE_EVALUATOR_BLOCK};
  need(rattle_model_parse(&model, text, "fuzz.lua", NULL, NULL));
  need(rattle_problem_create(&problem, model, &block, NULL));
  need(rattle_problem_start(problem, 0, z, z + 2, NULL, NULL));
  need(rattle_integrator_create(&integrator, problem, "rattle(verlet)", NULL));
  const rattle_record_options how = {
      .method = "rattle(verlet)", .step = 0.1, .stop = 2, .steps = 20, .every = 2};
  need(rattle_record_create(&record, files_path(), problem, &how, NULL));
  rattle_observer *writer = rattle_record_observer(record);
  rattle_state state = {.q = z, .p = z + 2, .h = 0.1};
  const rattle_run_options run = {.steps = 20, .every = 2, .initial_energy = 0};
  need(rattle_run(integrator, &state, &run, &writer, 1, NULL, NULL));
  rattle_record_close(&record);
  take_file();
  rattle_integrator_destroy(&integrator), rattle_problem_destroy(&problem),
      rattle_model_destroy(&model);
  files_remove();
}

static herr_t list_object(hid_t file, const char *name, const H5O_info_t *info, void *self) {
  (void)file, (void)info, (void)self;
  if (objects < OBJECTS && name[0] != '.' && strlen(name) < NAME) strcpy(object[objects++], name);
  return 0;
}

/* --- edits --- */

typedef struct edits {
  const uint8_t *data;
  size_t size;
  hid_t file;
} edits;

static unsigned byte(edits *e) {
  if (!e->size) return 0;
  e->size--;
  return *e->data++;
}

static const char *some_object(edits *e) {
  return object[byte(e) % (unsigned)objects];
}

/* Small numbers, the ends of the integers, what is no number. */
static void fill(edits *e, unsigned char *room, size_t size) {
  static const double odd[] = {0, 1, -1, 2, 1e300, -1e300, 1e-320, NAN, INFINITY, 4e9, 1e19};
  static const long long ends[] = {0,         1,         -1,        2,         3,         64,
                                   INT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN, 1LL << 40, 1 << 20};
  const unsigned kind = byte(e), which = byte(e);
  for (size_t at = 0; at + 8 <= size; at += 8)
    memcpy(room + at,
           kind % 3 == 0 ? (const void *)&odd[(which + at / 8) % 11]
                         : (const void *)&ends[which % 12],
           8);
  for (size_t at = 0; at < size && kind % 3 == 2; at++)
    room[at] = (unsigned char)(byte(e) ^ (at % 7 ? 0 : which));
}

/* To be closed. */
static hid_t some_type(edits *e) {
  static const size_t lengths[] = {1, 2, 8, 65, 1024, 70000};
  hid_t type;
  switch (byte(e) % 10) {
  case 0:
    return H5Tcopy(H5T_STD_I64LE);
  case 1:
    return H5Tcopy(H5T_STD_I8BE);
  case 2:
    return H5Tcopy(H5T_IEEE_F64LE);
  case 3:
    return H5Tcopy(H5T_IEEE_F32BE);
  case 4:
    type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, H5T_VARIABLE);
    return type;
  case 5:
    return H5Tarray_create2(H5T_NATIVE_INT, 1, (hsize_t[]){3});
  case 6:
    type = H5Tcreate(H5T_COMPOUND, 16);
    H5Tinsert(type, "a", 0, H5T_NATIVE_DOUBLE);
    return type;
  case 7:
    return H5Tcopy(H5T_STD_REF_OBJ);
  default:
    type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, lengths[byte(e) % 6]);
    H5Tset_strpad(type, byte(e) % 2 ? H5T_STR_NULLPAD : H5T_STR_NULLTERM);
    return type;
  }
}

static const hsize_t lengths_of[] = {
    0, 1, 2, 3, 4, 11, 64, 65, 1000, 100000, (hsize_t)1 << 31, (hsize_t)1 << 40, (hsize_t)1 << 61};

static hid_t some_space(edits *e, hsize_t largest, int *rank, hsize_t dims[4]) {
  *rank = (int)(byte(e) % 5);
  if (*rank == 4) return H5Screate(H5S_NULL);
  for (int i = 0; i < *rank; i++) {
    dims[i] = lengths_of[byte(e) % 13];
    if (dims[i] > largest) dims[i] %= 7;
  }
  return *rank ? H5Screate_simple(*rank, dims, NULL) : H5Screate(H5S_SCALAR);
}

/* Its value, its type and shape, or its name. */
static void edit_attribute(edits *e, const char *path) {
  char name[NAME] = "", other[NAME];
  unsigned char room[4096];
  hsize_t dims[4];
  int rank;
  if (H5Aget_name_by_idx(e->file, path, H5_INDEX_NAME, H5_ITER_INC, byte(e) % 8, name, sizeof name,
                         H5P_DEFAULT) < 0)
    return;
  const unsigned how = byte(e) % 4;
  if (how == 0) {
    hid_t attribute = H5Aopen_by_name(e->file, path, name, H5P_DEFAULT, H5P_DEFAULT),
          type = H5Aget_type(attribute);
    if (H5Aget_storage_size(attribute) <= sizeof room && H5Aread(attribute, type, room) >= 0 &&
        !H5Tis_variable_str(type)) {
      fill(e, room, (size_t)H5Aget_storage_size(attribute));
      H5Awrite(attribute, type, room);
    }
    H5Tclose(type), H5Aclose(attribute);
  } else if (how == 1) {
    hid_t type = some_type(e), space = some_space(e, 100, &rank, dims);
    H5Adelete_by_name(e->file, path, name, H5P_DEFAULT);
    hid_t attribute =
        H5Acreate_by_name(e->file, path, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    if (attribute >= 0) H5Aclose(attribute);
    H5Tclose(type), H5Sclose(space);
  } else if (how == 2) {
    H5Adelete_by_name(e->file, path, name, H5P_DEFAULT);
  } else {
    snprintf(other, sizeof other, "%s_", name);
    H5Arename_by_name(e->file, path, name, other, H5P_DEFAULT);
  }
}

/* The bytes of its first numbers. */
static void edit_values(edits *e, const char *path) {
  unsigned char room[4096];
  hid_t dataset = H5Dopen2(e->file, path, H5P_DEFAULT);
  if (dataset < 0) return;
  hid_t type = H5Dget_type(dataset), space = H5Dget_space(dataset);
  const hssize_t count = H5Sget_simple_extent_npoints(space);
  const size_t size = H5Tget_size(type);
  if (count > 0 && (size_t)count <= sizeof room / size && !H5Tis_variable_str(type) &&
      H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, room) >= 0) {
    const size_t at = byte(e) * 8u % ((size_t)count * size), most = (size_t)count * size - at;
    fill(e, room + at, most < 8 * (1 + byte(e) % 8u) ? most : 8 * (1 + byte(e) % 8u));
    H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, room);
  }
  H5Sclose(space), H5Tclose(type), H5Dclose(dataset);
}

static void edit_extent(edits *e, const char *path) {
  hsize_t dims[H5S_MAX_RANK];
  hid_t dataset = H5Dopen2(e->file, path, H5P_DEFAULT);
  if (dataset < 0) return;
  hid_t space = H5Dget_space(dataset);
  const int rank = H5Sget_simple_extent_dims(space, dims, NULL);
  /* HDF5 looks for each chunk that a data set loses */
  if (rank > 0 && H5Sget_simple_extent_npoints(space) < 1000000) {
    dims[byte(e) % (unsigned)rank] = lengths_of[byte(e) % 13];
    H5Dset_extent(dataset, dims);
  }
  H5Sclose(space), H5Dclose(dataset);
}

/* Another data set in its place. */
static void edit_dataset(edits *e, const char *path) {
  hsize_t dims[4], chunk[4];
  int rank;
  hid_t type = some_type(e), creation = H5Pcreate(H5P_DATASET_CREATE);
  const unsigned layout = byte(e) % 8;
  hid_t space = some_space(e, layout ? (hsize_t)1 << 62 : 1000, &rank, dims);
  for (int i = 0; i < rank && rank < 4; i++) chunk[i] = 1 + byte(e) % 64u;
  if (layout > 1 && rank > 0 && rank < 4) H5Pset_chunk(creation, rank, chunk);
  if (layout == 3) H5Pset_deflate(creation, 1);
  if (layout == 4) H5Pset_fletcher32(creation), H5Pset_shuffle(creation);
  if (layout == 1) H5Pset_external(creation, "/dev/zero", 0, H5F_UNLIMITED);
  H5Pset_fill_time(creation, H5D_FILL_TIME_NEVER), H5Pset_alloc_time(creation, H5D_ALLOC_TIME_INCR);
  H5Ldelete(e->file, path, H5P_DEFAULT);
  hid_t dataset = H5Dcreate2(e->file, path, type, space, H5P_DEFAULT, creation, H5P_DEFAULT);
  if (dataset >= 0) H5Dclose(dataset);
  H5Sclose(space), H5Tclose(type), H5Pclose(creation);
}

static void edit_link(edits *e, const char *path) {
  const char *other = some_object(e);
  const unsigned how = byte(e) % 5;
  if (how == 0) H5Ldelete(e->file, path, H5P_DEFAULT);
  if (how == 1) H5Lmove(e->file, path, e->file, "elsewhere", H5P_DEFAULT, H5P_DEFAULT);
  if (how < 2) return;
  H5Ldelete(e->file, path, H5P_DEFAULT);
  if (how == 2) H5Lcreate_soft(other, e->file, path, H5P_DEFAULT, H5P_DEFAULT);
  if (how == 3) H5Lcreate_external("/dev/zero", other, e->file, path, H5P_DEFAULT, H5P_DEFAULT);
  if (how == 4) H5Lcreate_hard(e->file, other, e->file, path, H5P_DEFAULT, H5P_DEFAULT);
}

/* The sum of the checkpoint, as it is now. */
static void mend_checkpoint(hid_t file) {
  rattle__h5 section;
  rattle__about about = {0};
  rattle__checkpoint checkpoint = {0};
  rattle__slots slots = {.head = -1, .figures = -1, .state = -1, .message = -1, .sums = -1};
  rattle__h5_enter(&section);
  if (!rattle__about_read(&about, file) && !rattle__slots_open(&slots, &about, file) &&
      !rattle__checkpoint_allot(&checkpoint, &about) &&
      rattle__checkpoint_load(&checkpoint, &slots) >= 0)
    (void)rattle__checkpoint_store(&checkpoint, &slots);
  rattle__slots_close(&slots);
  rattle__about_free(&about);
  free(checkpoint.state);
  rattle__h5_leave(&section);
}

static void apply(edits *e) {
  const unsigned sums = byte(e);
  if (sums & 1) H5Adelete_by_name(e->file, "rattle", "description_sum", H5P_DEFAULT);
  if (sums & 2) H5Ldelete(e->file, "rattle/sums", H5P_DEFAULT);
  while (e->size) {
    const char *path = some_object(e);
    switch (byte(e) % 6) {
    case 0:
    case 1:
      edit_attribute(e, path);
      break;
    case 2:
      edit_values(e, path);
      break;
    case 3:
      edit_extent(e, path);
      break;
    case 4:
      edit_dataset(e, path);
      break;
    default:
      edit_link(e, path);
    }
  }
  if (sums & 4) mend_checkpoint(e->file);
}

/* The record as the file, to be edited. */
static hid_t open_copy(void) {
  hid_t list = H5Pcreate(H5P_FILE_ACCESS);
  files_put(whole.bytes, whole.size);
  H5Pset_libver_bounds(list, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
  hid_t file = H5Fopen(files_path(), H5F_ACC_RDWR, list);
  H5Pclose(list);
  return file;
}

static void make(void) {
  make_record();
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  hid_t file = open_copy();
  if (file < 0) abort();
  H5Ovisit(file, H5_INDEX_NAME, H5_ITER_INC, list_object, NULL);
  H5Fclose(file);
  files_remove();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (!whole.bytes) make();
  if (size > MOST) size = MOST;
  edits e = {.data = data, .size = size, .file = open_copy()};
  const unsigned reader = byte(&e) % 4;
  apply(&e);
  H5Fclose(e.file);
  if (reader == 0)
    files_read();
  else if (reader == 1)
    files_start((unsigned)size);
  else if (reader == 2)
    files_continue();
  else
    files_recover();
  files_remove();
  return 0;
}
