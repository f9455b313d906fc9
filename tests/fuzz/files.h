#ifndef FILES_H
#define FILES_H
/* The part that fuzzers of records share: an input as a file in memory, on systems that have a
 * place for one, and the calls on it. Nothing waits: the sleeps between attempts to read and the
 * syncs of the disk are left out of the process. */
#include "fuzz.h"
#include "rattle/cases.h"
#include "rattle/record.h"

/* 1: files are read by a child, as in the library. */
extern int files_forks;
/* The file of this process, and what recover may leave next to it. */
const char *files_path(void);
void files_put(const uint8_t *data, size_t size);
void files_remove(void);

/* Reads what the file says it has. */
void files_read(void);
/* Starts from one of its points. */
void files_start(unsigned which);
/* Opens it to continue its run. */
void files_continue(void);
/* Recovers it; what was recovered can be read, all of its samples. */
void files_recover(void);
/* The same for a sweep: its first rows and its last ones. */
void files_cases(void);
#endif
