#define _GNU_SOURCE /* RTLD_NEXT */
/* Records, studies and sweeps with the checksums of their metadata made right again after each
 * mutation, as somebody does who means harm. HDF5 crashes at some of them; it must do so in a child
 * alone. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>

#include "files.h"
#include "rattle/study.h"

enum { MOST = 4600, LEAST = 12, SUM = 4, KNOWN = 128 };

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t room);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed);
uint32_t H5_checksum_metadata(const void *data, size_t size, uint32_t begin); /* HDF5's own */
void __sanitizer_set_death_callback(void (*callback)(void));
pid_t fork(void);

/* The first byte tells most places apart. */
static int is_block(const uint8_t *at) {
  static const char signatures[][5] = {"OHDR", "OCHK", "FRHP", "FHDB",   "FHIB", "BTHD",
                                       "BTLF", "BTIN", "FSHD", "EAHD",   "EAIB", "EASB",
                                       "EADB", "FAHD", "FADB", "\x89HDF"};
  if (!strchr("OFBE\x89", at[0]) || !at[0]) return 0;
  for (size_t i = 0; i < sizeof signatures / sizeof *signatures; i++)
    if (memcmp(at, signatures[i], 4) == 0) return 1;
  return 0;
}

static int has_sum(const uint8_t *block, size_t length) {
  uint32_t sum;
  memcpy(&sum, block + length, SUM);
  return sum && sum == H5_checksum_metadata(block, length, 0);
}

/* Bytes before the checksum of the block, whose length is where the sum is right; 0: nowhere. Few
 * lengths occur: those that were found are tried first. */
static size_t length_of(const uint8_t *block, size_t most) {
  static size_t known[KNOWN];
  static int count;
  for (int k = 0; k < count; k++)
    if (known[k] + SUM <= most && has_sum(block, known[k])) return known[k];
  for (size_t length = LEAST; length + SUM <= most && length < MOST; length++)
    if (has_sum(block, length)) {
      if (count < KNOWN) known[count++] = length;
      return length;
    }
  return 0;
}

/* One block at a time, at a place of its own; now and then any bytes. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed) {
  size_t place[1024], count = 0;
  if (seed % 16 == 0) return LLVMFuzzerMutate(data, size, room);
  for (size_t at = 0; at + 16 <= size && count < 1024; at++)
    if (is_block(data + at)) place[count++] = at;
  if (count == 0) return LLVMFuzzerMutate(data, size, room);
  uint8_t *block = data + place[seed / 16 % count];
  const size_t length = length_of(block, (size_t)(data + size - block));
  if (length <= LEAST) return LLVMFuzzerMutate(data, size, room);
  const size_t from = 5 + seed / 65536 % (length - 6), most = length - from < 8 ? length - from : 8;
  (void)LLVMFuzzerMutate(block + from, most, most);
  const uint32_t sum = H5_checksum_metadata(block, length, 0);
  memcpy(block + length, &sum, SUM);
  return size;
}

/* A child's crash is no finding, and makes no noise. */
__attribute__((visibility("default"))) pid_t fork(void) {
  static pid_t (*real)(void);
  if (!real) *(void **)&real = dlsym(RTLD_NEXT, "fork");
  const pid_t child = real();
  if (child == 0) {
    const int nowhere = open("/dev/null", O_WRONLY);
    __sanitizer_set_death_callback(NULL);
    if (nowhere >= 0) dup2(nowhere, 2);
  }
  return child;
}

enum { RECORD, STUDY, SWEEP, KINDS };

static int kind_of(const uint8_t *data, size_t size) {
  if (memmem(data, size, "h5md", 4)) return RECORD;
  return memmem(data, size, "study", 5) ? STUDY : SWEEP;
}

/* Each reader makes a process, which is most of the time: the file goes to the reader of its kind,
 * now and then to another one. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const uint32_t any = H5_checksum_metadata(data, size, 0);
  rattle_study *study;
  rattle_error error = {0};
  files_forks = 1;
  files_put(data, size);
  switch (any % 8 ? kind_of(data, size) : (int)(any / 8 % KINDS)) {
  case STUDY:
    if (!rattle_study_load(&study, files_path(), &error))
      rattle_study_destroy(&study);
    else if (!error.message[0])
      abort();
    break;
  case SWEEP:
    files_cases();
    break;
  default:
    if (any / 64 % 2)
      files_continue();
    else
      files_read();
  }
  return 0;
}
