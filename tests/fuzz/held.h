#ifndef HELD_H
#define HELD_H
/* The part that fuzzers of plans share: one file of cases in memory, in place of the library's,
 * whose checksums always fit, and the commands on it. */
#include "fuzz.h"
#include "rattle/cases.h"

enum { HELD_CASES = 64, HELD_COLUMNS = 64, HELD_WIDTH = 4096 };

/* What the file says; rattle_cases_create says it too. */
extern struct held {
  rattle_cases_about about;
  rattle_cases_column column[HELD_COLUMNS];
  char name[HELD_COLUMNS][128];
  int width;                     /* numbers in a row */
  double *row;                   /* [HELD_CASES*HELD_WIDTH] */
  signed char there[HELD_CASES]; /* as rattle_cases_get says it */
} held;

/* Cuts the text behind its first line "---", which is dropped. Returns what follows, "" if there
 * is no such line. */
char *held_cut(char *text);
/* Column c of the file, the last one so far; 0: there is no room. */
int held_add_column(int c, const char *name, int width);
/* `rattle info` in words, as JSON and CSV, and `rattle report`. */
void held_show(void);
/* `rattle resume`. Returns its exit status. */
int held_resume(void);
#endif
