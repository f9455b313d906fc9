/* rattle gallery: the experiments of the literature as processes of their own, a few at a time;
 * then their figures and the page. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "figures/gallery/gallery.h"
#include "ground/support/flag.h"

static const cli_option options[] = {
    {"output", 'o', "DIR", "output folder, created if necessary (gallery)"},
    {"only", 0, "NAME", "run only this experiment; may be repeated"},
    {"list", 0, NULL, "list the experiments"},
    {"threads", 0, "N", "number of experiments run at a time (the number of processors)"},
    {"quiet", 'q', NULL, "no progress display"},
    {NULL, 0, NULL, NULL}};

enum { ROOMS = 64 };

typedef struct gallery {
  gallery_room room[ROOMS];
  pid_t child[ROOMS]; /* 0: not running */
  double begun[ROOMS];
  int rooms, quiet;
  const char *folder;
  const volatile int *interrupt;
} gallery;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int list(void) {
  for (const paper_experiment *const *e = paper_experiments; *e; e++)
    cli_print(stdout, "%-24s %s (%s)\n", (*e)->name, (*e)->title, (*e)->source);
  return CLI_DONE;
}

static rattle_status choose(gallery *g, const cli_args *args, rattle_error *error) {
  const char *names[ROOMS], *name;
  int count = 0, at = 0;
  for (const paper_experiment *const *e = paper_experiments; *e && count < ROOMS; e++)
    names[count++] = (*e)->name;
  for (int i = 0; i < count && !cli_flag(args, "only"); i++)
    g->room[g->rooms++].experiment = paper_experiments[i];
  while ((name = cli_next(args, "only", &at)) && g->rooms < ROOMS) {
    int found = 0;
    while (found < count && strcmp(names[found], name) != 0) found++;
    if (found == count) {
      const char *near = cli_nearest(name, names, count);
      return text_fail(error, RATTLE_BAD_ARGUMENT,
                       "there is no experiment %s%s%s%s; `rattle gallery --list` lists them", name,
                       near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
    }
    g->room[g->rooms++].experiment = paper_experiments[found];
  }
  return RATTLE_OK;
}

/* The child: what the experiment prints goes to DIR/NAME.txt. */
static void become_experiment(const gallery *g, int i) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s.txt", g->folder, g->room[i].experiment->name);
  if (!freopen(path, "w", stdout)) _exit(2);
  const int failed = paper_perform(g->room[i].experiment, g->folder);
  _exit(fflush(stdout) || failed < 0 ? 2 : failed > 0);
}

static rattle_status begin(gallery *g, int i, rattle_error *error) {
  fflush(NULL);
  g->begun[i] = now();
  g->child[i] = fork();
  if (g->child[i] == 0) become_experiment(g, i);
  return g->child[i] < 0
             ? text_fail(error, RATTLE_IO, "a process could not be started: %s", strerror(errno))
             : RATTLE_OK;
}

/* Waits for one child and draws its figures. */
static rattle_status finish_one(gallery *g, int done, rattle_error *error) {
  int state;
  const pid_t child = wait(&state);
  if (child < 0)
    return errno == EINTR ? RATTLE_OK
                          : text_fail(error, RATTLE_IO, "an experiment could not be waited for: %s",
                                      strerror(errno));
  for (int i = 0; i < g->rooms; i++) {
    if (g->child[i] != child) continue;
    gallery_room *room = &g->room[i];
    g->child[i] = 0;
    room->seconds = now() - g->begun[i];
    room->broken = !WIFEXITED(state) || WEXITSTATUS(state) > 1;
    if (!g->quiet)
      cli_print(stderr, "[%d/%d] %s, %.1f s\n", done + 1, g->rooms, room->experiment->name,
                room->seconds);
    return room->broken ? RATTLE_OK : gallery_draw(room, g->folder, error);
  }
  return RATTLE_OK;
}

static int running(const gallery *g) {
  int count = 0;
  for (int i = 0; i < g->rooms; i++) count += g->child[i] > 0;
  return count;
}

/* Whatever happens, no child is left behind. */
static void end_children(gallery *g) {
  for (int i = 0; i < g->rooms; i++) {
    if (g->child[i] <= 0) continue;
    kill(g->child[i], SIGKILL);
    waitpid(g->child[i], NULL, 0);
    g->child[i] = 0;
  }
}

static rattle_status perform(gallery *g, int most, rattle_error *error) {
  rattle_status status = RATTLE_OK;
  for (int next = 0, done = 0; done < g->rooms && !status;) {
    while (next < g->rooms && running(g) < most && !status && !rattle__flag_is_set(g->interrupt))
      status = begin(g, next++, error);
    if (rattle__flag_is_set(g->interrupt))
      status = text_fail(error, RATTLE_INTERRUPTED, "interrupted");
    const int before = running(g);
    if (!status) status = finish_one(g, done, error);
    done += before - running(g);
  }
  end_children(g);
  return status;
}

/* Experiments of before, whose results are in the folder, stay on the page; all in the order of the
 * table. Returns how many. */
static int hang(const gallery *g, gallery_room *page, rattle_error *error) {
  int count = 0;
  for (const paper_experiment *const *e = paper_experiments; *e && count < ROOMS; e++) {
    char path[4096];
    const gallery_room *own = NULL;
    for (int i = 0; i < g->rooms; i++)
      if (g->room[i].experiment == *e) own = &g->room[i];
    if (own) {
      page[count++] = *own;
      continue;
    }
    snprintf(path, sizeof path, "%s/%s/claims.txt", g->folder, (*e)->name);
    gallery_room *kept = &page[count];
    *kept = (gallery_room){.experiment = *e, .kept = 1};
    if (access(path, R_OK) == 0 && !gallery_draw(kept, g->folder, error)) count++;
  }
  return count;
}

static int gallery_main(const cli_args *args) {
  static gallery g; /* large */
  static gallery_room page[ROOMS];
  int shown = 0;
  rattle_error error = {0};
  long long most = sysconf(_SC_NPROCESSORS_ONLN);
  if (cli_flag(args, "list")) return list();
  g = (gallery){.quiet = cli_flag(args, "quiet"), .interrupt = cli_catch_signals()};
  g.folder = cli_flag(args, "output") ? cli_text(args, "output") : "gallery";
  rattle_status status = cli_integer(args, "threads", &most, &error);
  if (!status && most < 1)
    status = text_fail(&error, RATTLE_BAD_ARGUMENT, "--threads %lld: expected 1 or more", most);
  if (!status) status = choose(&g, args, &error);
  if (!status && mkdir(g.folder, 0777) && errno != EEXIST)
    status =
        text_fail(&error, RATTLE_IO, "cannot create the folder %s: %s", g.folder, strerror(errno));
  if (!status) status = perform(&g, (int)most, &error);
  if (!status) shown = hang(&g, page, &error);
  if (!status) status = gallery_write_page(page, shown, g.folder, &error);
  if (status) return cli_end_badly(args, &error, 0);
  int claims = 0, failed = 0, broken = 0;
  for (int i = 0; i < shown; i++)
    if (!page[i].kept) claims += page[i].claims, failed += page[i].failed, broken += page[i].broken;
  cli_print(stdout, "%s/index.html: %d experiment%s, %d of %d claims hold\n", g.folder, g.rooms,
            g.rooms == 1 ? "" : "s", claims - failed, claims);
  if (broken) cli_print(stderr, "rattle gallery: %d experiments failed to run\n", broken);
  return failed || broken ? CLI_FAILED : CLI_DONE;
}

const cli_command cli_gallery = {
    "gallery",
    "",
    "Repeats experiments of the literature, draws their figures and checks the published claims.",
    0,
    0,
    "DIR/index.html shows all of them; DIR/NAME/ contains the figures as SVG, PDF and numbers, "
    "DIR/NAME.txt the output.\n"
    "gnuplot draws the figures. The exit status is 1 if a claim does not hold.\n",
    options,
    gallery_main};
