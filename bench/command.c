/* Processor time, user and system, of the command on the pendulum of examples/, 40 920 steps, its
 * object in the cache, without a record and with one of every tenth step; the least of many runs,
 * with those of a hand-written twin and of a command that does nothing. Last the wall time of a
 * first run with machine code, from an empty cache, and the processor time of advice for an error
 * of 1e-8.
 *
 *     bench_command RATTLE        RATTLE: the command */
#define _GNU_SOURCE /* wait4 */
#include <fcntl.h>
#include <math.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

enum { ROUNDS = 40, FIRST = 3, STEPS = 40920 };

static double clock_of(clockid_t which) {
  struct timespec t;
  clock_gettime(which, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

/* Processor time of a process in ms; negative if it fails. */
static double time_of(char *const *words) {
  posix_spawn_file_actions_t actions;
  struct rusage use;
  pid_t child;
  int status = 0;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  const int failed = posix_spawn(&child, words[0], &actions, NULL, words, environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed || wait4(child, &status, 0, &use) < 0 || status != 0) return -1;
  return 1e3 * (double)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) +
         1e-3 * (double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec);
}

/* The run in plain C: RATTLE with Newton's method for lambda, from the multiplier of the continuous
 * problem. */
static double twin(void) {
  const double h = 0.025, begin = clock_of(CLOCK_PROCESS_CPUTIME_ID);
  double q[2] = {1, 0}, p[2] = {0, -2};
  for (int k = 0; k < STEPS; k++) {
    double lambda = (p[0] * p[0] + p[1] * p[1] - q[1]) / (2 * (q[0] * q[0] + q[1] * q[1])),
           half[2] = {0}, Q[2] = {0}, g = 1;
    for (int round = 0; round < 20 && fabs(g) > 1e-14; round++) {
      for (int i = 0; i < 2; i++)
        half[i] = p[i] - h / 2 * ((i == 1) + 2 * lambda * q[i]), Q[i] = q[i] + h * half[i];
      g = Q[0] * Q[0] + Q[1] * Q[1] - 1;
      lambda += g / (2 * h * h * (Q[0] * q[0] + Q[1] * q[1]));
    }
    const double mu = (Q[0] * half[0] + Q[1] * (half[1] - h / 2)) / (Q[0] * Q[0] + Q[1] * Q[1]);
    q[0] = Q[0], q[1] = Q[1];
    p[0] = half[0] - mu * Q[0], p[1] = half[1] - h / 2 - mu * Q[1];
  }
  const double time = clock_of(CLOCK_PROCESS_CPUTIME_ID) - begin;
  return fabs(q[0] * q[0] + q[1] * q[1] - 1) < 1e-9 ? time : -1;
}

/* Wall time of the run from an empty cache; negative if it fails. */
static double first_run(char *const *words) {
  char folder[] = "/tmp/rattle-bench-XXXXXX", command[64];
  char *kept = getenv("XDG_CACHE_HOME");
  if (kept) kept = strdup(kept);
  if (!mkdtemp(folder)) return -1;
  setenv("XDG_CACHE_HOME", folder, 1);
  const double begin = clock_of(CLOCK_MONOTONIC);
  double time = time_of(words) < 0 ? -1 : clock_of(CLOCK_MONOTONIC) - begin;
  snprintf(command, sizeof command, "rm -rf %s", folder);
  if (system(command) != 0) time = -1;
  if (kept)
    setenv("XDG_CACHE_HOME", kept, 1);
  else
    unsetenv("XDG_CACHE_HOME");
  free(kept);
  return time;
}

static void keep_least(double *least, double time) {
  if (!(time >= 0)) {
    fprintf(stderr, "bench_command: a run failed\n");
    exit(1);
  }
  if (time < *least) *least = time;
}

int main(int count, char **arguments) {
  if (count != 2) {
    fprintf(stderr, "usage: bench_command RATTLE\n");
    return 2;
  }
  char *rattle = arguments[1], model[] = RATTLE_SOURCE_DIR "/examples/pendulum.lua";
  char record[] = "/tmp/rattle-bench-XXXXXX.h5";
  const int file = mkstemps(record, 3);
  if (file < 0) keep_least(&(double){HUGE_VAL}, -1);
  close(file);
  char *version[] = {rattle, "--version", NULL}, *run[] = {rattle, "run", model, NULL},
       *recorded[] = {rattle, "run", model, "-o", record, "--force", NULL},
       *advise[] = {rattle, "study", "advise", model, "--error", "1e-8", "--quiet", NULL},
       *block[] = {rattle, "run", model, "--evaluator", "block", NULL},
       *native[] = {rattle, "run", model, "--evaluator", "native", NULL};
  char *const *const words[] = {version, run, recorded, block};
  const char *const names[] = {"twin, plain, in C",
                               "rattle --version",
                               "rattle run, object in the cache",
                               "rattle run, the same, recorded",
                               "rattle run, block",
                               "rattle run, native, empty cache, wall time",
                               "rattle study advise"};
  double least[] = {HUGE_VAL, HUGE_VAL, HUGE_VAL, HUGE_VAL, HUGE_VAL, HUGE_VAL, HUGE_VAL};
  if (time_of(native) < 0) keep_least(least, -1); /* fills the cache */
  for (int round = 0; round < ROUNDS; round++) {
    keep_least(least, twin());
    for (int k = 0; k < 4; k++) keep_least(least + 1 + k, time_of(words[k]));
    if (round >= FIRST) continue;
    keep_least(least + 5, first_run(native));
    keep_least(least + 6, time_of(advise));
  }
  unlink(record);
  for (int k = 0; k < 7; k++)
    printf("command\t%s\t%d\t%.2f\tms\t%.2f\n", names[k], STEPS, least[k], least[k] / least[0]);
  return 0;
}
