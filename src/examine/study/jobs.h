#ifndef RATTLE__JOBS_H
#define RATTLE__JOBS_H
/* Runs side by side on the cores, with results that do not depend on how many cores there are.
 *
 * Jobs stand in lines. A line ends at the first job k for which enough(line, k) says so; enough is
 * asked for k = 0, 1, 2 ... in this order. If there are more threads than lines, jobs are begun
 * before it is known whether they are wanted, and dropped if not. Among lines with equally many
 * jobs running the one with the lowest price is served first. */
#include "rattle/study.h"

typedef struct rattle__job rattle__job;

typedef struct rattle__jobs {
  int lines;
  const int *most; /* [lines] jobs of each line at most; `enough` may lower it */
  int in_turn;     /* 1: a job begins after `enough` was asked for the one before in its line */
  void (*work)(void *self, int line, int k, rattle__job *job);
  int (*enough)(void *self, int line, int k); /* NULL: each line is done to its end */
  /* Asked again after each job; INFINITY: the rest of the line is not wanted. NULL: the first line
   * is served first. */
  double (*price)(void *self, int line);
  void *self;
  int *done; /* [lines] out: jobs done and wanted */
} rattle__jobs;

/* The stage of a study, for its progress: rattle_study_options as given. */
typedef struct rattle__progress {
  const rattle_study_options *options;
  const char *stage;
  double began; /* on the monotonic clock */
} rattle__progress;

/* RATTLE_INTERRUPTED if the user asked for it: done is right all the same. */
rattle_status rattle__jobs_run(rattle__jobs *jobs, const rattle__progress *progress,
                               rattle_error *error);

/* For work: whether the job is to end now, nothing of it being wanted. */
int rattle__job_stopped(const rattle__job *job);
/* For work: what the user sets to end the study, perhaps within a step, or NULL. */
const volatile int *rattle__job_interrupt(const rattle__job *job);
/* For work: so many base maps more were applied. */
void rattle__job_tell(rattle__job *job, long long maps);
/* For work: there was no memory for it, which ends all that is asked for with RATTLE_NO_MEMORY. */
void rattle__job_starve(rattle__job *job);

int rattle__study_threads(
    const rattle_study_options *options); /* that jobs are done on, if there are enough of them */
double rattle__study_clock(void);         /* seconds, monotonic */
#endif
