/* Sections in which HDF5 is silent and one thread's alone, and the first reason why something in
 * them failed. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ground/support/error.h"
#include "ground/support/utf8.h"
#include "record/hdf5/hdf5.h"

/* guards HDF5's own state, which is the process's */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t failed_once = PTHREAD_ONCE_INIT;

/* The innermost entry of the error stack says most: the system's words where it was the system,
 * else HDF5's. */
static herr_t innermost(unsigned depth, const H5E_error2_t *entry, void *self) {
  rattle__h5 *h5 = self;
  static const char system_says[] = "error message = '";
  const char *words = strstr(entry->desc, system_says);
  if (depth > 0 && (h5->reason[0] || !words)) return 0;
  if (!words) return snprintf(h5->reason, sizeof h5->reason, "%s", entry->desc), 0;
  words += sizeof system_says - 1;
  snprintf(h5->reason, sizeof h5->reason, "%.*s", (int)strcspn(words, "'"), words);
  return 0;
}

/* HDF5 loses blocks of its own where metadata are damaged, and complains of them on standard error
 * when the process ends, unless nobody wants its errors printed:
 * docs/decisions/028-hdf5-at-exit.md. */
static void say_nothing(void) {
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

/* HDF5's own handler was registered first, and is called last. */
static void end_in_silence(void) {
  (void)atexit(say_nothing);
}

/* Called by HDF5 at each failing call. */
static herr_t keep_reason(hid_t stack, void *self) {
  rattle__h5 *h5 = self;
  pthread_once(&failed_once, end_in_silence);
  if (!h5->reason[0]) H5Ewalk2(stack, H5E_WALK_UPWARD, innermost, self);
  return 0;
}

void rattle__h5_enter(rattle__h5 *h5) {
  pthread_mutex_lock(&lock);
  h5->reason[0] = 0, h5->no_memory = 0, h5->parcel = NULL;
  H5Eget_auto2(H5E_DEFAULT, &h5->function, &h5->data);
  H5Eset_auto2(H5E_DEFAULT, keep_reason, h5);
}

void rattle__h5_leave(rattle__h5 *h5) {
  H5Eset_auto2(H5E_DEFAULT, h5->function, h5->data);
  pthread_mutex_unlock(&lock);
}

rattle__h5 *rattle__h5_section(void) {
  H5E_auto2_t function = NULL;
  void *section = NULL;
  return H5Eget_auto2(H5E_DEFAULT, &function, &section) >= 0 && function == keep_reason ? section
                                                                                        : NULL;
}

int rattle__h5_no_memory(void) {
  rattle__h5 *h5 = rattle__h5_section();
  if (h5) h5->no_memory = 1;
  return -1;
}

/* Keeps the reason in the section; a failure of HDF5 before it has the precedence. */
int rattle__h5_refuse(const char *path, const char *why) {
  rattle__h5 *h5 = rattle__h5_section();
  if (h5 && !h5->reason[0])
    snprintf(h5->reason, sizeof h5->reason, "%.*s %s", rattle__utf8_fitting(path, 120), path, why);
  return -1;
}

/* HDF5 keeps 0.55 MB of a file. */
static int has_room(void) {
  enum { ROOM = 1 << 20 };
  void *volatile room = malloc(ROOM);
  free(room);
  if (!room) (void)rattle__h5_no_memory();
  return room != NULL;
}

hid_t rattle__h5_open_file(const char *path, unsigned flags, hid_t access) {
  return has_room() ? H5Fopen(path, flags, access) : -1;
}

hid_t rattle__h5_create_file(const char *path, hid_t creation, hid_t access) {
  return has_room() ? H5Fcreate(path, H5F_ACC_EXCL, creation, access) : -1;
}

rattle_status rattle__h5_fail(const rattle__h5 *h5, rattle_error *error, const char *path,
                              const char *done) {
  if (h5->no_memory) return rattle__no_memory(error);
  return rattle__fail(error, RATTLE_IO, path, "%s could not be %s: %s; %s", path, done,
                      h5->reason[0] ? h5->reason : "the HDF5 library gives no reason",
                      rattle_status_remedy(RATTLE_IO));
}
