#ifndef RATTLE__PARCEL_H
#define RATTLE__PARCEL_H
/* On its way to this process: what a child reads of a file.
 *
 * A function that reads is called twice: in the child, where it asks HDF5 and gives what it got,
 * and in this process, where it takes the same in the same order, and checks it, instead of asking
 * HDF5. One function for both, so that they cannot differ. Without a parcel in the section nothing
 * is passed on, and HDF5 is asked here. */
#include <stddef.h>

typedef struct rattle__parcel {
  int takes; /* 1: what was given is taken */
  char *bytes;
  size_t size, at, room; /* bytes there are; taken; room for */
} rattle__parcel;

/* 1: HDF5 is not to be asked. */
int rattle__takes(void);
/* So many bytes at `data`, given or taken. -1: no memory, or fewer are left. */
int rattle__pass(void *data, size_t size);
/* The same of a list, and of a text, which are malloc'ed where they are taken. NULL, -1: as
 * above. */
void *rattle__pass_list(void *list, size_t count, size_t size);
int rattle__pass_text(char **text);
/* Bytes more, for whoever fills a parcel from elsewhere; NULL: no memory. */
char *rattle__parcel_extend(rattle__parcel *parcel, size_t size);
#endif
