/* The checkpoint: two slots written in turn, each with a sequence number and a checksum over all
 * its numbers.
 *
 * The slots are contiguous datasets whose room was taken when the file was made, so that rewriting
 * them changes no metadata (as SWMR demands) and needs no room on a disk that has become full. */
#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "record/hdf5/checkpoint.h"
#include "record/hdf5/sums.h"

#define SLOT_SUMS "/rattle/checkpoint/sums"
#define SLOT_EVENTS "/rattle/checkpoint/events"
#define SLOT_WARNINGS "/rattle/checkpoint/warnings"
enum {
  SLOTS = 2,
  HEAD = sizeof(rattle__head) / 8,
  LEAST = offsetof(rattle__head, checksum) / 8 + 1, /* columns of the head that each record has */
  FIGURES = sizeof(rattle__figures) / 8
};

static const char *const head_names[] = {
#define ITEM(name) #name,
    RATTLE__HEAD(ITEM)
#undef ITEM
};
static const char *const figure_names[] = {
#define ITEM(name) #name,
    RATTLE__FIGURES(ITEM)
#undef ITEM
};

/* The checksum of all but itself. */
static int64_t checksum(const rattle__checkpoint *checkpoint, const rattle__slots *slots) {
  uint64_t sum = rattle__mix(1, &checkpoint->head, LEAST - 1);
  sum = rattle__mix(sum, &checkpoint->figures, FIGURES);
  sum = rattle__mix(sum, checkpoint->state, (size_t)checkpoint->size);
  sum = rattle__mix(sum, checkpoint->event, (size_t)checkpoint->events);
  return (int64_t)rattle__mix(sum, &checkpoint->head.checksum + 1,
                              (size_t)(slots->columns - LEAST));
}

/* Older libraries read and continue records that have sums, and do not know them: then they no
 * longer fit the checkpoint. */
static uint64_t sum_of_sums(const rattle__checkpoint *checkpoint) {
  return rattle__mix((uint64_t)checkpoint->head.sequence, checkpoint->sums,
                     (size_t)checkpoint->channels);
}

static long long numbers_of_events(const rattle__about *about) {
  return about->events.count * (long long)(RATTLE__EVENT_SUMS + rattle__channels_of(about, 1));
}

static size_t numbers_of(const rattle__checkpoint *checkpoint) {
  return (size_t)checkpoint->size + (size_t)checkpoint->channels + 1 + (size_t)checkpoint->events;
}

static int allot(rattle__checkpoint *checkpoint) {
  checkpoint->state = calloc(numbers_of(checkpoint), sizeof *checkpoint->state);
  checkpoint->sums = (uint64_t *)(void *)(checkpoint->state + checkpoint->size);
  checkpoint->event = (int64_t *)checkpoint->sums + checkpoint->channels + 1;
  return checkpoint->state ? 0 : -1;
}

int rattle__checkpoint_allot(rattle__checkpoint *checkpoint, const rattle__about *about) {
  *checkpoint = (rattle__checkpoint){.size = (int)(2 * about->n + about->extra)};
  if (numbers_of_events(about) > INT_MAX) return -1;
  checkpoint->channels = rattle__channels_of(about, 0);
  checkpoint->events = (int)numbers_of_events(about);
  return allot(checkpoint);
}

int rattle__checkpoint_copy(rattle__checkpoint *to, const rattle__checkpoint *from) {
  *to = *from;
  if (allot(to)) return rattle__h5_no_memory();
  memcpy(to->state, from->state, numbers_of(from) * sizeof *to->state);
  return 0;
}

static int write_names(hid_t file, const char *path, const char *const *name, int count) {
  rattle__labels names;
  if (rattle__labels_make(&names, count, 32)) return -1;
  for (int i = 0; i < count; i++) strcpy(names.name[i], name[i]);
  int failed = rattle__h5_write_names_attribute(file, path, "names", &names);
  rattle__labels_free(&names);
  return failed;
}

int rattle__slots_make(rattle__slots *slots, rattle__checkpoint *checkpoint, hid_t file) {
  checkpoint->summed = 1;
  hsize_t width = (hsize_t)checkpoint->size;
  slots->columns = HEAD;
  slots->head = rattle__h5_make_slots(file, "/rattle/checkpoint/head", H5T_NATIVE_INT64, 2,
                                      (hsize_t[]){SLOTS, HEAD});
  slots->figures = rattle__h5_make_slots(file, "/rattle/checkpoint/figures", H5T_NATIVE_DOUBLE, 2,
                                         (hsize_t[]){SLOTS, FIGURES});
  slots->state = rattle__h5_make_slots(file, "/rattle/checkpoint/state", H5T_NATIVE_DOUBLE, 2,
                                       (hsize_t[]){SLOTS, width});
  width = (hsize_t)checkpoint->channels + 1;
  slots->sums =
      rattle__h5_make_slots(file, SLOT_SUMS, H5T_NATIVE_INT64, 2, (hsize_t[]){SLOTS, width});
  width = (hsize_t)checkpoint->events;
  slots->event = width ? rattle__h5_make_slots(file, SLOT_EVENTS, H5T_NATIVE_INT64, 2,
                                               (hsize_t[]){SLOTS, width})
                       : -1;
  hid_t text = rattle__h5_text_type(RATTLE__MESSAGE_SIZE);
  slots->message =
      rattle__h5_make_slots(file, "/rattle/checkpoint/message", text, 1, (hsize_t[]){1});
  slots->warnings =
      rattle__h5_make_slots(file, SLOT_WARNINGS, text, 1, (hsize_t[]){RATTLE__WARNINGS});
  H5Tclose(text);
  if (slots->head < 0 || slots->figures < 0 || slots->state < 0 || slots->message < 0 ||
      slots->warnings < 0 || slots->sums < 0 || (width && slots->event < 0))
    return -1;
  return write_names(file, "/rattle/checkpoint/head", head_names, HEAD) ||
                 write_names(file, "/rattle/checkpoint/figures", figure_names, FIGURES)
             ? -1
             : 0;
}

/* Columns of a dataset [SLOTS][columns]; -1 if it is something else. */
static long long columns_of(hid_t dataset) {
  hsize_t size[2] = {0, 0};
  hid_t space = H5Dget_space(dataset);
  int failed = H5Sget_simple_extent_ndims(space) != 2 ||
               H5Sget_simple_extent_dims(space, size, NULL) < 0 || size[0] != SLOTS;
  H5Sclose(space);
  return failed || size[1] > INT_MAX ? -1 : (long long)size[1];
}

int rattle__slots_open(rattle__slots *slots, const rattle__about *about, hid_t file) {
  slots->head = rattle__h5_open_dataset(file, "/rattle/checkpoint/head");
  slots->figures = rattle__h5_open_dataset(file, "/rattle/checkpoint/figures");
  slots->state = rattle__h5_open_dataset(file, "/rattle/checkpoint/state");
  slots->message = rattle__h5_open_dataset(file, "/rattle/checkpoint/message");
  if (slots->head < 0 || slots->figures < 0 || slots->state < 0 || slots->message < 0) return -1;
  const int has_sums = rattle__h5_reaches(file, SLOT_SUMS),
            has_warnings = rattle__h5_reaches(file, SLOT_WARNINGS);
  slots->sums = has_sums == 1 ? rattle__h5_open_dataset(file, SLOT_SUMS) : -1;
  slots->warnings = has_warnings == 1 ? rattle__h5_open_dataset(file, SLOT_WARNINGS) : -1;
  if (has_warnings < 0 || (has_warnings && slots->warnings < 0)) return -1;
  if (has_sums < 0 || (has_sums && columns_of(slots->sums) != rattle__channels_of(about, 0) + 1))
    return -1;
  const long long numbers = numbers_of_events(about);
  slots->event = numbers ? rattle__h5_open_dataset(file, SLOT_EVENTS) : -1;
  if (numbers && (slots->event < 0 || columns_of(slots->event) != numbers)) return -1;
  const long long columns = columns_of(slots->head);
  slots->columns = (int)columns;
  return columns < LEAST || columns > HEAD ||
                 columns_of(slots->state) != 2 * about->n + about->extra
             ? -1
             : 0;
}

int rattle__slots_close(rattle__slots *slots) {
  int failed = 0;
  hid_t *const datasets[] = {&slots->head, &slots->figures, &slots->state,   &slots->message,
                             &slots->sums, &slots->event,   &slots->warnings};
  for (int i = 0; i < 7; i++) {
    if (*datasets[i] >= 0) failed |= H5Dclose(*datasets[i]) < 0;
    *datasets[i] = -1;
  }
  return failed ? -1 : 0;
}

int rattle__slots_refresh(const rattle__slots *slots) {
  const hid_t datasets[] = {slots->head, slots->figures, slots->state,   slots->message,
                            slots->sums, slots->event,   slots->warnings};
  for (int i = 0; i < 7; i++)
    if (datasets[i] >= 0 && H5Drefresh(datasets[i]) < 0) return -1;
  return 0;
}

/* Row `slot` of a dataset [SLOTS][width], read or (write = 1) written; -1 also where the dataset
 * has another shape. */
static int transfer(hid_t dataset, hid_t type, int slot, int width, void *values, int write) {
  hsize_t dims[2] = {0}, start[2] = {(hsize_t)slot, 0}, size[2] = {1, (hsize_t)width};
  hid_t memory = H5Screate_simple(2, size, NULL), file = H5Dget_space(dataset);
  int failed = H5Sget_simple_extent_ndims(file) != 2 ||
               H5Sget_simple_extent_dims(file, dims, NULL) < 0 || dims[0] != SLOTS ||
               dims[1] != (hsize_t)width ||
               H5Sselect_hyperslab(file, H5S_SELECT_SET, start, NULL, size, NULL) < 0;
  if (!failed)
    failed = (write ? H5Dwrite(dataset, type, memory, file, H5P_DEFAULT, values)
                    : H5Dread(dataset, type, memory, file, H5P_DEFAULT, values)) < 0;
  H5Sclose(memory), H5Sclose(file);
  return failed ? -1 : 0;
}

static int transfer_all(rattle__checkpoint *checkpoint, const rattle__slots *slots, int slot,
                        int write) {
  if (slots->sums >= 0 && transfer(slots->sums, H5T_NATIVE_INT64, slot, checkpoint->channels + 1,
                                   checkpoint->sums, write))
    return -1;
  if (slots->event >= 0 &&
      transfer(slots->event, H5T_NATIVE_INT64, slot, checkpoint->events, checkpoint->event, write))
    return -1;
  return transfer(slots->state, H5T_NATIVE_DOUBLE, slot, checkpoint->size, checkpoint->state,
                  write) ||
                 transfer(slots->figures, H5T_NATIVE_DOUBLE, slot, FIGURES, &checkpoint->figures,
                          write) ||
                 transfer(slots->head, H5T_NATIVE_INT64, slot, slots->columns, &checkpoint->head,
                          write)
             ? -1
             : 0;
}

int rattle__checkpoint_store(rattle__checkpoint *checkpoint, const rattle__slots *slots) {
  checkpoint->head.sequence++;
  checkpoint->head.checksum = checksum(checkpoint, slots);
  checkpoint->sums[checkpoint->channels] = sum_of_sums(checkpoint) + !checkpoint->summed;
  if (transfer_all(checkpoint, slots, (int)(checkpoint->head.sequence % SLOTS), 1)) return -1;
  return (slots->sums >= 0 && H5Dflush(slots->sums) < 0) ||
                 (slots->event >= 0 && H5Dflush(slots->event) < 0) || H5Dflush(slots->state) < 0 ||
                 H5Dflush(slots->figures) < 0 || H5Dflush(slots->head) < 0
             ? -1
             : 0;
}

int rattle__checkpoint_load(rattle__checkpoint *checkpoint, const rattle__slots *slots) {
  int64_t sequence[SLOTS];
  for (int slot = 0; slot < SLOTS; slot++) {
    if (transfer(slots->head, H5T_NATIVE_INT64, slot, slots->columns, &checkpoint->head, 0))
      return -1;
    sequence[slot] = checkpoint->head.sequence;
  }
  /* the newer first; a slot that is being written, or was when its writer died, fails its
   * checksum */
  int newer = sequence[1] > sequence[0];
  for (int i = 0; i < SLOTS; i++) {
    if (transfer_all(checkpoint, slots, i == 0 ? newer : !newer, 0)) return -1;
    checkpoint->summed =
        slots->sums >= 0 && checkpoint->sums[checkpoint->channels] == sum_of_sums(checkpoint);
    if (checkpoint->head.sequence > 0 && checksum(checkpoint, slots) == checkpoint->head.checksum)
      return 0;
  }
  return 1;
}

int rattle__checkpoint_pass(rattle__checkpoint *checkpoint) {
  return rattle__pass(&checkpoint->head, sizeof checkpoint->head) ||
                 rattle__pass(&checkpoint->figures, sizeof checkpoint->figures) ||
                 rattle__pass(&checkpoint->summed, sizeof checkpoint->summed) ||
                 rattle__pass(checkpoint->state, numbers_of(checkpoint) * sizeof *checkpoint->state)
             ? -1
             : 0;
}

/* Texts of so many sentences in a slot. */
static int store_texts(hid_t slot, const void *texts) {
  hid_t type = rattle__h5_text_type(RATTLE__MESSAGE_SIZE);
  int failed = H5Dwrite(slot, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, texts) < 0 || H5Dflush(slot) < 0;
  H5Tclose(type);
  return failed ? -1 : 0;
}

static int load_texts(hid_t slot, int count, char texts[][RATTLE__MESSAGE_SIZE]) {
  hid_t type = rattle__h5_text_type(RATTLE__MESSAGE_SIZE), space = H5Dget_space(slot);
  int failed = H5Sget_simple_extent_npoints(space) != count ||
               H5Dread(slot, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, texts) < 0;
  for (int i = 0; i < count; i++) texts[i][RATTLE__MESSAGE_SIZE - 1] = 0;
  H5Tclose(type), H5Sclose(space);
  return failed ? -1 : 0;
}

int rattle__message_store(const rattle__slots *slots, const char *message) {
  char text[RATTLE__MESSAGE_SIZE] = "";
  strncpy(text, message, sizeof text - 1);
  return store_texts(slots->message, text);
}

int rattle__message_load(const rattle__slots *slots, char message[RATTLE__MESSAGE_SIZE]) {
  return load_texts(slots->message, 1, (char(*)[RATTLE__MESSAGE_SIZE])message);
}

int rattle__warnings_store(const rattle__slots *slots, const rattle__sentences *warnings) {
  return slots->warnings >= 0 ? store_texts(slots->warnings, warnings->text) : 0;
}

int rattle__warnings_load(const rattle__slots *slots, rattle__sentences *warnings) {
  *warnings = (rattle__sentences){0};
  return slots->warnings >= 0 ? load_texts(slots->warnings, RATTLE__WARNINGS, warnings->text) : 0;
}
