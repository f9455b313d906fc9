/* Bytes from a child process to this one. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "record/hdf5/parcel.h"
#include "record/hdf5/hdf5.h"

static rattle__parcel *parcel_of(void) {
  const rattle__h5 *h5 = rattle__h5_section();
  return h5 ? h5->parcel : NULL;
}

int rattle__takes(void) {
  const rattle__parcel *parcel = parcel_of();
  return parcel && parcel->takes;
}

char *rattle__parcel_extend(rattle__parcel *parcel, size_t size) {
  if (size > parcel->room - parcel->size) {
    size_t room = parcel->room ? parcel->room : 4096;
    while (room - parcel->size < size && room <= SIZE_MAX / 2) room *= 2;
    char *grown = room - parcel->size < size ? NULL : realloc(parcel->bytes, room);
    if (!grown) return NULL;
    parcel->bytes = grown, parcel->room = room;
  }
  parcel->size += size;
  return parcel->bytes + parcel->size - size;
}

static int too_little(void) {
  return rattle__h5_refuse("the process that read it", "said too little");
}

int rattle__pass(void *data, size_t size) {
  rattle__parcel *parcel = parcel_of();
  if (!parcel || size == 0) return 0;
  if (!parcel->takes) {
    char *to = rattle__parcel_extend(parcel, size);
    return to ? memcpy(to, data, size), 0 : rattle__h5_no_memory();
  }
  if (size > parcel->size - parcel->at) return too_little();
  memcpy(data, parcel->bytes + parcel->at, size);
  parcel->at += size;
  return 0;
}

void *rattle__pass_list(void *list, size_t count, size_t size) {
  const rattle__parcel *parcel = parcel_of();
  if (!parcel || !parcel->takes) return rattle__pass(list, count * size) ? NULL : list;
  if (count > (parcel->size - parcel->at) / size) return too_little(), NULL;
  void *taken = malloc(count * size + 1);
  if (!taken) return rattle__h5_no_memory(), NULL;
  (void)rattle__pass(taken, count * size);
  ((char *)taken)[count * size] = 0;
  return taken;
}

int rattle__pass_text(char **text) {
  const int takes = rattle__takes();
  size_t size = takes ? 0 : strlen(*text) + 1;
  if (rattle__pass(&size, sizeof size)) return -1;
  char *passed = rattle__pass_list(*text, size, 1);
  if (!passed || !takes) return passed ? 0 : -1;
  *text = passed;
  return size > 0 && strlen(passed) + 1 == size ? 0 : too_little();
}
