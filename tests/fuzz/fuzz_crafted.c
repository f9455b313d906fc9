#define _GNU_SOURCE /* pipe2 */
/* Records, studies and sweeps with the checksums of their metadata made right again after each
 * mutation, as somebody does who means harm. HDF5 crashes at some of them; it must do so in a child
 * alone. */
#include <fcntl.h>
#include <signal.h>
#include <sys/time.h>
#include <sys/wait.h>

#include "files.h"
#include "ground/support/error.h"
#include "rattle/study.h"
#include "record/hdf5/hdf5.h"

enum { MOST = 4600, LEAST = 12, SUM = 4, KNOWN = 128 };

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t room);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed);
uint32_t H5_checksum_metadata(const void *data, size_t size, uint32_t begin); /* HDF5's own */
void __sanitizer_set_death_callback(void (*callback)(void));

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

/* --- the child --- */

/* In place of the library's child for each file, whose pages are most of the time, one child reads
 * many files, until one of them ends it. An input that fails is tried alone: there the child has
 * the heap of its parent, as in the library. */
enum { UNASKED = RATTLE_STATUS_COUNT, MOST_FILES = 256, MOST_SECONDS = 1 };
static struct child {
  pid_t process; /* 0: there is none */
  int in, out, files, is_here;
} child;
static struct verdict {
  int status;
  rattle_error error;
} said;

/* In the child what comes after the rehearsal is left out. */
rattle_status rattle__rehearse(const char *path, rattle__act act, void *self, rattle_error *error) {
  if (child.is_here) {
    said.status = act(self, &said.error);
    return rattle__fail(error, RATTLE_INTERRUPTED, path, "%s was rehearsed", path);
  }
  if (said.status == UNASKED) abort();
  if (said.status && error) *error = said.error;
  return (rattle_status)said.status;
}

enum { RECORD, STUDY, SWEEP, KINDS, APPEND = KINDS };

static void read_as(int kind) {
  rattle_study *study;
  rattle_error error = {0};
  switch (kind) {
  case STUDY:
    if (!rattle_study_load(&study, files_path(), &error))
      rattle_study_destroy(&study);
    else if (!error.message[0])
      abort();
    break;
  case SWEEP:
    files_cases();
    break;
  case APPEND:
    files_continue();
    break;
  default:
    files_read();
  }
}

/* A crash here is no finding, and makes no noise. */
static _Noreturn void be_the_child(int in, int out) {
  static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGPROF};
  const int nowhere = open("/dev/null", O_WRONLY);
  const struct itimerval most = {.it_value.tv_sec = MOST_SECONDS}, never = {{0, 0}, {0, 0}};
  unsigned char kind;
  __sanitizer_set_death_callback(NULL);
  for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) signal(signals[i], SIG_DFL);
  if (nowhere >= 0) dup2(nowhere, 2);
  child.is_here = 1;
  while (read(in, &kind, 1) == 1) {
    said = (struct verdict){.status = UNASKED};
    setitimer(ITIMER_PROF, &most, NULL);
    read_as(kind);
    setitimer(ITIMER_PROF, &never, NULL);
    if (write(out, &said, sizeof said) != (ssize_t)sizeof said) break;
  }
  _exit(0);
}

static void end_child(void) {
  if (!child.process) return;
  close(child.in), close(child.out);
  (void)waitpid(child.process, NULL, 0);
  child.process = 0;
}

static void begin_child(void) {
  int to[2], from[2];
  if (pipe2(to, O_CLOEXEC) || pipe2(from, O_CLOEXEC)) abort();
  signal(SIGPIPE, SIG_IGN);
  child = (struct child){.in = from[0], .out = to[1]};
  child.process = fork();
  if (child.process < 0) abort();
  if (child.process == 0) close(to[1]), close(from[0]), be_the_child(to[0], from[1]);
  close(to[0]), close(from[1]);
}

/* What a child says of the file. */
static void ask_child(int kind) {
  const unsigned char word = (unsigned char)kind;
  if (!child.process) begin_child();
  const int heard =
      write(child.out, &word, 1) == 1 && read(child.in, &said, sizeof said) == (ssize_t)sizeof said;
  if (!heard) {
    said.status = RATTLE_BAD_RECORD;
    strcpy(said.error.message, "the child crashed");
  }
  if (!heard || ++child.files == MOST_FILES) end_child();
}

static int kind_of(const uint8_t *data, size_t size) {
  if (memmem(data, size, "h5md", 4)) return RECORD;
  return memmem(data, size, "study", 5) ? STUDY : SWEEP;
}

/* The file goes to the reader of its kind, now and then to another one. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const uint32_t any = H5_checksum_metadata(data, size, 0);
  const int kind = any % 8 ? kind_of(data, size) : (int)(any / 8 % KINDS),
            as = kind == RECORD && any / 64 % 2 ? APPEND : kind;
  files_put(data, size);
  ask_child(as);
  read_as(as);
  return 0;
}
