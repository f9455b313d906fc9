/* Ctrl-C, a terminal that is closed, or the time of --stop-after: the first signal asks the run to
 * end after the current step, the second leaves at once. */
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/cli.h"
#include "ground/support/flag.h"

static volatile int interrupt; /* the only global of the command: a signal handler can be given
                                   no other place */

static void on_signal(int signal_number) {
  (void)signal_number;
  if (rattle__flag_is_set(&interrupt)) _exit(CLI_INTERRUPTED);
  rattle__flag_set(&interrupt);
}

static void on_alarm(int signal_number) {
  (void)signal_number;
  rattle__flag_set(&interrupt);
}

static struct sigaction action_of(void (*handler)(int)) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  return action;
}

/* "90", "90s", "1.5h", "1h30m" in seconds; NaN: not a length of time. */
static double seconds_of(const char *word) {
  static const struct {
    const char *name;
    double seconds;
  } units[] = {{"s", 1}, {"min", 60}, {"m", 60}, {"h", 3600}, {"d", 86400}};
  double sum = 0;
  do {
    char *rest;
    const double number = strtod(word, &rest);
    if (rest == word || !(number >= 0)) return (double)NAN;
    if (!*rest) return sum + number; /* seconds */
    double unit = 0;
    for (size_t i = 0; i < sizeof units / sizeof *units && unit == 0; i++) {
      const size_t length = strlen(units[i].name);
      if (!strncmp(rest, units[i].name, length)) unit = units[i].seconds, rest += length;
    }
    if (unit == 0) return (double)NAN;
    sum += unit * number;
    word = rest;
  } while (*word);
  return sum;
}

rattle_status cli_stop_after(const cli_args *args, rattle_error *error) {
  const char *word = cli_text(args, "stop-after");
  if (!word) return RATTLE_OK;
  const double seconds = seconds_of(word);
  if (!(seconds > 0) || seconds > 1e8)
    return text_fail(error, RATTLE_BAD_ARGUMENT,
                     "--stop-after %s: expected seconds, more than 0 and at most 1e8, or a time "
                     "with units: 90s, 15m, 1.5h, 1h30m, 2d",
                     word);
  const struct sigaction action = action_of(on_alarm);
  sigaction(SIGALRM, &action, NULL);
  const time_t whole = (time_t)seconds;
  const struct itimerval once = {
      .it_value = {whole, 1 + (suseconds_t)(999998 * (seconds - (double)whole))}};
  if (setitimer(ITIMER_REAL, &once, NULL))
    return text_fail(error, RATTLE_IO, "--stop-after: no timer: %s", strerror(errno));
  return RATTLE_OK;
}

const volatile int *cli_catch_signals(void) {
  const struct sigaction action = action_of(on_signal);
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
  /* a terminal that is closed; under nohup it stays ignored */
  struct sigaction before;
  if (sigaction(SIGHUP, NULL, &before) == 0 && before.sa_handler != SIG_IGN)
    sigaction(SIGHUP, &action, NULL);
  return &interrupt;
}
