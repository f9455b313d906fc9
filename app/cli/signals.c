/* Ctrl-C, a terminal that is closed, or the time of --stop-after: the first signal asks the run to end after the current step, the second leaves at once. */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "cli/cli.h"

static volatile int stop_asked; /* the only global of the command: a signal handler can be given no other place */

static void on_signal(int signal_number) {
  (void)signal_number;
  if (stop_asked) _exit(CLI_INTERRUPTED);
  stop_asked = 1;
}

static void on_alarm(int signal_number) {
  (void)signal_number;
  stop_asked = 1;
}

static struct sigaction action_of(void (*handler)(int)) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  return action;
}

rattle_status cli_stop_after(const cli_args *args, rattle_error *error) {
  double seconds = 0;
  rattle_status status = cli_real(args, "stop-after", &seconds, error);
  if (status || !cli_flag(args, "stop-after")) return status;
  if (!(seconds > 0) || seconds > 1e8)
    return text_fail(error, RATTLE_BAD_ARGUMENT, "--stop-after %g: expected seconds, more than 0 and at most 1e8", seconds);
  const struct sigaction action = action_of(on_alarm);
  sigaction(SIGALRM, &action, NULL);
  const time_t whole = (time_t)seconds;
  const struct itimerval once = {.it_value = {whole, 1 + (suseconds_t)(999998 * (seconds - (double)whole))}};
  if (setitimer(ITIMER_REAL, &once, NULL)) return text_fail(error, RATTLE_IO, "--stop-after: no timer: %s", strerror(errno));
  return RATTLE_OK;
}

const volatile int *cli_catch_signals(void) {
  const struct sigaction action = action_of(on_signal);
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
  /* a terminal that is closed; under nohup it stays ignored */
  struct sigaction before;
  if (sigaction(SIGHUP, NULL, &before) == 0 && before.sa_handler != SIG_IGN) sigaction(SIGHUP, &action, NULL);
  return &stop_asked;
}
