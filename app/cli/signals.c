/* Ctrl-C, or a terminal that is closed: the first signal asks the run to end after the current step, the second leaves at once. */
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"

static volatile int stop_asked; /* the only global of the command: a signal handler can be given no other place */

static void on_signal(int signal_number) {
  (void)signal_number;
  if (stop_asked) _exit(CLI_INTERRUPTED);
  stop_asked = 1;
}

const volatile int *cli_catch_signals(void) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
  /* a terminal that is closed; under nohup it stays ignored */
  struct sigaction before;
  if (sigaction(SIGHUP, NULL, &before) == 0 && before.sa_handler != SIG_IGN) sigaction(SIGHUP, &action, NULL);
  return &stop_asked;
}
