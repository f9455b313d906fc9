#define _GNU_SOURCE /* RTLD_NEXT */
/* Records, studies and sweeps with the checksums of their metadata made right again after each
 * mutation, as somebody does who means harm. HDF5 crashes at some of them; it must do so in a child
 * alone. */
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "counters.h"
#include "files.h"
#include "rattle/study.h"

enum { MOST = 4600, LEAST = 12, SUM = 4, KNOWN = 128, VAIN = 1000 };

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
 * lengths occur: those that were found are tried first, and alone once most searches for others
 * were in vain. */
static size_t length_of(const uint8_t *block, size_t most) {
  static size_t known[KNOWN];
  static int count, in_vain;
  for (int k = 0; k < count; k++)
    if (known[k] + SUM <= most && has_sum(block, known[k])) return known[k];
  for (size_t length = LEAST; in_vain < VAIN && length + SUM <= most && length < MOST; length++)
    if (has_sum(block, length)) {
      if (count < KNOWN) known[count++] = length;
      return length;
    }
  in_vain++;
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

/* A child's crash is no finding, makes no noise and needs no report. */
__attribute__((visibility("default"))) pid_t fork(void) {
  static const int crashes[] = {SIGSEGV, SIGBUS, SIGFPE, SIGABRT};
  static pid_t (*real)(void);
  if (!real) *(void **)&real = dlsym(RTLD_NEXT, "fork");
  const pid_t child = real();
  if (child == 0) {
    const int nowhere = open("/dev/null", O_WRONLY);
    __sanitizer_set_death_callback(NULL);
    for (int i = 0; i < 4; i++) signal(crashes[i], SIG_DFL);
    if (nowhere >= 0) dup2(nowhere, 2);
  }
  return child;
}

enum { RECORD, STUDY, SWEEP, KINDS };

static int kind_of(const uint8_t *data, size_t size) {
  if (memmem(data, size, "h5md", 4)) return RECORD;
  return memmem(data, size, "study", 5) ? STUDY : SWEEP;
}

/* ---- the readers ---- */

static void read_study(void) {
  rattle_study *study;
  rattle_error error = {0};
  if (!rattle_study_load(&study, files_path(), &error))
    rattle_study_destroy(&study);
  else if (!error.message[0])
    abort();
}

enum { READ, CONTINUE, LOAD_STUDY, READ_SWEEP, START }; /* and more, for other starts */

static void read_as(unsigned reader) {
  static void (*const readers[])(void) = {files_read, files_continue, read_study, files_cases};
  if (reader < START)
    readers[reader]();
  else
    files_start(reader - START);
}

/* The reader of its kind, now and then another one. */
static unsigned reader_of(const uint8_t *data, size_t size) {
  const uint32_t any = H5_checksum_metadata(data, size, 0), other = any / 8;
  switch (any % 8 ? kind_of(data, size) : (int)(other % KINDS)) {
  case STUDY:
    return LOAD_STUDY;
  case SWEEP:
    return READ_SWEEP;
  default:
    return other / 4 % 4 < 2 ? READ : other / 4 % 4 == 2 ? CONTINUE : START + other / 16 % 5;
  }
}

/* A process for each file takes most of the time. So one process tries many files, in which HDF5
 * reads them without a child; a file at which it dies is read as the library does it, but for one
 * that takes seconds. Its counters are those of this process. */
enum { TRIES = 200, SECONDS = 2 };
static struct {
  pid_t process;
  int ask, answer, tries;
} taster;

static _Noreturn void taste(int ask, int answer) {
  uint8_t reader;
  struct rusage used;
  files_forks = 0;
  while (read(ask, &reader, 1) == 1) {
    getrusage(RUSAGE_SELF, &used);
    const rlim_t most = (rlim_t)(used.ru_utime.tv_sec + used.ru_stime.tv_sec + SECONDS);
    setrlimit(RLIMIT_CPU, &(struct rlimit){most, RLIM_INFINITY});
    read_as(reader);
    if (write(answer, &reader, 1) != 1) break;
  }
  _exit(0);
}

static void begin_taster(void) {
  int ask[2], answer[2];
  if (pipe2(ask, O_CLOEXEC) || pipe2(answer, O_CLOEXEC)) abort();
  taster.process = fork();
  if (taster.process < 0) abort();
  if (taster.process == 0) {
    close(ask[1]), close(answer[0]);
    taste(ask[0], answer[1]);
  }
  close(ask[0]), close(answer[1]);
  taster.ask = ask[1], taster.answer = answer[0], taster.tries = 0;
}

/* The signal that ended it; 0: none. */
static int end_taster(void) {
  int how = 0;
  close(taster.ask), close(taster.answer);
  waitpid(taster.process, &how, 0);
  taster.process = 0;
  return WIFSIGNALED(how) ? WTERMSIG(how) : 0;
}

/* 1: the process lives on, or took too long. */
static int is_harmless(unsigned reader) {
  uint8_t byte = (uint8_t)reader;
  if (!taster.process) begin_taster();
  const int lives = write(taster.ask, &byte, 1) == 1 && read(taster.answer, &byte, 1) == 1;
  const int by = !lives || ++taster.tries == TRIES ? end_taster() : 0;
  return lives || by == SIGXCPU;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static int begun;
  if (!begun++) signal(SIGPIPE, SIG_IGN), counters_share();
  const unsigned reader = reader_of(data, size);
  files_put(data, size);
  files_forks = 1;
  if (!is_harmless(reader)) read_as(reader);
  return 0;
}
