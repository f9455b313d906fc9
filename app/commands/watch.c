/* rattle watch: follows a run through its record, on the terminal or in a browser. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "commands/sweep.h"
#include "pages/watch/watch.h"
#include "ground/support/flag.h"

static const cli_option options[] = {
    {"y", 0, "NAME", "the column to draw against time (energy_error)"},
    {"interval", 0, "S", "seconds between polls (1)"},
    {"wait", 0, "S", "seconds to wait until the record exists (60)"},
    {"web", 0, NULL, "serve a page on 127.0.0.1 that follows the run in a browser"},
    {"port", 0, "N", "port of the page (a free one)"},
    {"json", 0, NULL, "print one JSON object, on one line, for each poll that found new samples"},
    {NULL, 0, NULL, NULL}};

typedef struct watch {
  watch_follow follow;
  watch_screen screen;
  watch_web *web; /* NULL: none */
  double interval, wait;
  int json;
  long long shown; /* samples when the last JSON line was printed; -1: none yet */
  char foot[128];
} watch;

static rattle_status read_numbers(watch *w, int *port, const cli_args *args, rattle_error *error) {
  long long asked = 0;
  w->interval = 1, w->wait = 60;
  rattle_status status = cli_real(args, "interval", &w->interval, error);
  if (!status) status = cli_real(args, "wait", &w->wait, error);
  if (!status) status = cli_integer(args, "port", &asked, error);
  if (status) return status;
  if (!(w->interval >= 0.05 && w->interval <= 3600))
    return text_fail(error, RATTLE_BAD_ARGUMENT,
                     "--interval %g: expected a number from 0.05 to 3600", w->interval);
  if (!(w->wait >= 0))
    return text_fail(error, RATTLE_BAD_ARGUMENT, "--wait %g: expected 0 or more", w->wait);
  if (asked < 0 || asked > 65535)
    return text_fail(error, RATTLE_BAD_ARGUMENT, "--port %lld: expected 0 to 65535", asked);
  if (cli_flag(args, "port") && !cli_flag(args, "web"))
    return text_fail(error, RATTLE_BAD_ARGUMENT, "--port needs --web");
  *port = (int)asked;
  return RATTLE_OK;
}

static rattle_status tell_web(watch *w, rattle_error *error) {
  char *state = NULL;
  size_t size;
  FILE *memory = open_memstream(&state, &size);
  if (!memory) return text_no_memory(error);
  watch_print_json(&w->follow, 1, memory);
  if (fclose(memory)) return text_no_memory(error);
  watch_web_tell(w->web, state);
  return RATTLE_OK;
}

static int is_over(const watch *w) {
  return w->follow.state == WATCH_ENDED || w->follow.state == WATCH_LOST;
}

static void show(watch *w) {
  if (!w->json) {
    watch_screen_draw(&w->screen, &w->follow, w->foot, stdout);
    return;
  }
  long long samples = w->follow.state == WATCH_WAITING ? -1 : w->follow.source.info->samples;
  if (samples == w->shown && !is_over(w)) return;
  w->shown = samples;
  watch_print_json(&w->follow, 0, stdout);
  fflush(stdout);
}

/* The line below the picture of a run with a page. */
static void announce(watch *w, const char *what) {
  snprintf(w->foot, sizeof w->foot, "  http://127.0.0.1:%d/   %s", watch_web_port(w->web), what);
}

/* Until the next poll: a terminal that changes its size is redrawn at once. */
static void rest(watch *w, double seconds, const volatile int *interrupt) {
  double end = watch_clock() + seconds;
  while (!rattle__flag_is_set(interrupt) && watch_clock() < end) {
    nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
    if (!w->json && watch_screen_measure(&w->screen))
      watch_screen_draw(&w->screen, &w->follow, w->foot, stdout);
  }
}

static rattle_status follow(watch *w, const volatile int *interrupt, rattle_error *error) {
  double begun = watch_clock();
  int late = 0; /* the run ended before it was watched */
  for (int first = 1;; first = 0) {
    rattle_status status = watch_look(&w->follow, error);
    if (!status && w->web) status = tell_web(w, error);
    if (status) return status;
    late = first && w->web && is_over(w);
    if (late) announce(w, "the run has ended; Ctrl-C ends the page");
    show(w);
    if (is_over(w)) break;
    if (w->follow.state != WATCH_WAITING) begun = watch_clock();
    if (watch_clock() - begun > w->wait)
      return text_fail(error, RATTLE_BAD_ARGUMENT, "%s did not appear within %g s", w->follow.path,
                       w->wait);
    rest(w, w->interval, interrupt);
    if (rattle__flag_is_set(interrupt))
      return text_fail(error, RATTLE_INTERRUPTED, "interrupted; the run continues");
  }
  while (late && !rattle__flag_is_set(interrupt)) rest(w, w->interval, interrupt);
  /* an open page is notified of the end */
  for (double end = watch_clock() + 5;
       w->web && !rattle__flag_is_set(interrupt) && !watch_web_told(w->web) && watch_clock() < end;)
    rest(w, 0.05, interrupt);
  return RATTLE_OK;
}

/* The last word, and the exit status: that of the run. */
static int say_end(const watch *w, const cli_args *args, rattle_error *error) {
  char why[1200];
  watch_say_why(&w->follow, why, sizeof why);
  rattle_status status =
      w->follow.state == WATCH_LOST ? RATTLE_BAD_RECORD : w->follow.source.info->status;
  if (w->follow.state == WATCH_ENDED && !status) {
    if (!w->json) cli_print(stdout, "%s: %s\n", w->follow.path, why);
    return CLI_DONE;
  }
  text_fail(error, status, "%s: %s", w->follow.path, why);
  cli_complain(args->command->name, error);
  return w->follow.state == WATCH_LOST ? CLI_FAILED : rattle_status_exit(status);
}

static int run(const cli_args *args) {
  const char *name = cli_text(args, "y");
  rattle_error error = {0};
  watch w = {.shown = -2,
             .json = cli_flag(args, "json"),
             .foot = "  Ctrl-C ends watching; the run continues"};
  int port = 0, begun = 0;
  rattle_status status = read_numbers(&w, &port, args, &error);
  const volatile int *interrupt = cli_catch_signals();
  if (!status)
    status = watch_begin(&w.follow, args->operand[0], name ? name : "energy_error", &error);
  if (!status && cli_flag(args, "web")) status = watch_web_begin(&w.web, port, &error);
  if (!status && w.web) {
    announce(&w, "Ctrl-C ends watching; the run continues");
    cli_print(stderr, "http://127.0.0.1:%d/\n", watch_web_port(w.web));
  }
  if (!status && !w.json) watch_screen_begin(&w.screen, stdout), begun = 1;
  if (!status) status = follow(&w, interrupt, &error);
  if (status) cli_sweep_instead(args->operand[0], &error);
  if (begun) watch_screen_end(&w.screen, &w.follow, stdout);
  int exit_status = status ? cli_end_badly(args, &error, w.json) : say_end(&w, args, &error);
  watch_web_end(&w.web);
  watch_end(&w.follow);
  return exit_status;
}

const cli_command cli_watch = {
    "watch",
    "OUT.h5",
    "Follows a run through its record: numbers and a plot, in the terminal or in a browser.",
    1,
    1,
    "It ends when the run ends, with the exit status of the run: 0 done, 1 failed or killed, 130 "
    "interrupted.\n"
    "A page of a run that has ended before is served until Ctrl-C.\n"
    "Ctrl-C ends watching, never the run. In a pipe or file, each poll that finds new samples "
    "prints one line.\n",
    options,
    run};
