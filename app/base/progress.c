/* The progress line on a terminal: percent, steps/s, time left, energy error, |g|. */
#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "base/cli.h"

/* Seconds as 12 s, 3:07, 2:15:40. */
static void print_duration(double seconds, char *text, size_t size) {
  if (seconds < 60) {
    snprintf(text, size, "%.0f s", ceil(seconds));
    return;
  }
  if (seconds > 3.6e6) {
    snprintf(text, size, "%.0f days", seconds / 86400);
    return;
  }
  int whole = (int)seconds, hours = whole / 3600, minutes = whole / 60 % 60;
  if (hours)
    snprintf(text, size, "%d:%02d:%02d", hours, minutes, whole % 60);
  else
    snprintf(text, size, "%d:%02d", minutes, whole % 60);
}

static void show(void *self, const rattle_summary *so_far, long long steps_in_all) {
  cli_progress *progress = self;
  double done = (double)so_far->steps / (double)steps_in_all;
  double rate = (double)so_far->steps / so_far->wall_seconds;
  char left[32];
  print_duration((double)(steps_in_all - so_far->steps) / rate, left, sizeof left);
  fprintf(stderr, "\r\033[K%5.1f %%  %.3g steps/s  %s left  energy error %.1e  |g| %.1e",
          floor(1000 * done) / 10, rate, left, so_far->energy_max_error, so_far->g_max);
  fflush(stderr);
  progress->shown = 1;
}

/* The line is wiped: the summary says all of it. */
static rattle_status wipe(void *self, const rattle_summary *summary, rattle_error *error) {
  cli_progress *progress = self;
  (void)summary;
  (void)error;
  if (progress->shown) fputs("\r\033[K", stderr);
  return RATTLE_OK;
}

int cli_progress_init(cli_progress *progress) {
  *progress = (cli_progress){.observer = {.self = progress, .end = wipe, .progress = show}};
  return isatty(STDERR_FILENO);
}

void cli_show_cases(long long done, long long all, long long failed, double rate) {
  char left[32], bad[40] = "";
  print_duration((double)(all - done) / (rate + 1e-9), left, sizeof left);
  if (failed) snprintf(bad, sizeof bad, "  %lld failed", failed);
  fprintf(stderr, "\r\033[K%5.1f %%  %lld of %lld cases  %.3g cases/s  %s left%s",
          floor(1000 * (double)done / (double)all) / 10, done, all, rate, left, bad);
  fflush(stderr);
}

void cli_wipe_line(void) {
  fputs("\r\033[K", stderr);
}
