/* The record on a terminal, redrawn in place; elsewhere a line whenever there is something new. */
#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "words/text.h"
#include "pages/watch/watch.h"

enum { LEAST_COLUMNS = 20, LABEL = 12, MOST_CHART_ROWS = 14 };

#define OTHER_SCREEN "\033[?1049h\033[?25l"
#define SCREEN_BACK "\033[?25h\033[?1049l"

/* Ctrl-Z: the screen is released while the command is stopped. */
static void on_stop(int signal_number) {
  static const char back[] = SCREEN_BACK, again[] = OTHER_SCREEN;
  int kept = errno;
  (void)signal_number;
  if (write(STDOUT_FILENO, back, sizeof back - 1) >= 0) raise(SIGSTOP);
  if (write(STDOUT_FILENO, again, sizeof again - 1) < 0) _exit(CLI_FAILED);
  errno = kept;
}

void watch_screen_begin(watch_screen *screen, FILE *out) {
  const char *kind = getenv("TERM");
  *screen = (watch_screen){.columns = 80, .rows = 24, .shown = -1};
  setlocale(LC_CTYPE, "");
  screen->utf8 = !strcmp(nl_langinfo(CODESET), "UTF-8");
  screen->terminal = isatty(fileno(out)) && kind && kind[0] && strcmp(kind, "dumb") != 0;
  if (!screen->terminal) return;
  watch_screen_measure(screen);
  signal(SIGTSTP, on_stop);
  fputs(OTHER_SCREEN, out);
}

int watch_screen_measure(watch_screen *screen) {
  struct winsize size;
  if (!screen->terminal || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) || size.ws_col == 0 ||
      size.ws_row == 0)
    return 0;
  int changed = size.ws_col != screen->columns || size.ws_row != screen->rows;
  screen->columns = size.ws_col < LEAST_COLUMNS ? LEAST_COLUMNS : size.ws_col,
  screen->rows = size.ws_row;
  return changed;
}

/* Prints at most so many columns of a line; characters that a terminal would obey are shown by
 * their numbers. */
void watch_print_text(FILE *out, const char *text, int most) {
  while (*text && most > 0) {
    enum { ESCAPED = 6 };
    unsigned code;
    int shown, length = text_next(text, &code, &shown);
    char piece[5] = "";
    memcpy(piece, text, (size_t)length);
    if (shown || most >= ESCAPED) text_put_line(out, piece);
    most -= shown ? 1 : ESCAPED;
    text += length;
  }
}

static void print_duration(double seconds, char *text, size_t size) {
  if (isnan(seconds))
    snprintf(text, size, "?");
  else if (seconds < 60)
    snprintf(text, size, "%.0f s", ceil(seconds));
  else if (seconds < 3600)
    snprintf(text, size, "%d:%02d", (int)seconds / 60, (int)seconds % 60);
  else if (seconds < 3.6e5)
    snprintf(text, size, "%d:%02d:%02d", (int)seconds / 3600, (int)seconds / 60 % 60,
             (int)seconds % 60);
  else
    snprintf(text, size, "%.0f days", seconds / 86400);
}

static double part_done(const rattle_record_info *info) {
  return info->steps_asked > 0
             ? fmin(fmax((double)info->last_step / (double)info->steps_asked, 0), 1)
             : 0;
}

/* Percent, steps/s, time left. */
static void print_pace(const watch_follow *follow, char *text, size_t size) {
  const rattle_record_info *info = follow->source.info;
  char left[32], pace[48] = "";
  double rate = watch_rate(follow);
  if (rate > 0) snprintf(pace, sizeof pace, "  %.3g steps/s", rate);
  print_duration(watch_seconds_left(follow), left, sizeof left);
  snprintf(text, size, "%5.1f %%%s%s%s%s", floor(1000 * part_done(info)) / 10, pace,
           follow->state == WATCH_RUNNING ? "  " : "", follow->state == WATCH_RUNNING ? left : "",
           follow->state == WATCH_RUNNING ? " left" : "");
}

static void print_figures(const rattle_record_info *info, char *text, size_t size) {
  int used = snprintf(text, size, "energy error %.2e%s", info->energy_max_error,
                      info->has_work ? " (H - work)" : "");
  if (info->m > 0)
    snprintf(text + used, size - (size_t)used, "  |g| %.2e  |psi| %.2e", info->g_max,
             info->psi_max);
}

/* One line of a picture, cut to the width. */
static void print_line(FILE *out, const watch_screen *screen, const char *text) {
  watch_print_text(out, text, screen->columns);
  putc('\n', out);
}

static void print_bar(FILE *out, const watch_screen *screen, const watch_follow *follow) {
  char pace[128];
  print_pace(follow, pace, sizeof pace);
  int width = screen->columns - (int)strlen(pace) - 4, full;
  full = (int)(part_done(follow->source.info) * width);
  fputs("  ", out);
  for (int i = 0; i < width && width >= 8; i++)
    fputs(screen->utf8 ? (i < full ? "━" : "┈") : (i < full ? "=" : "."), out);
  if (width >= 8) putc(' ', out);
  watch_print_text(out, pace, screen->columns - 2);
  putc('\n', out);
}

/* The chart with the ends of its axes, in what is left of the screen. */
static void print_chart(FILE *out, const watch_screen *screen, const watch_follow *follow,
                        int rows) {
  const rattle_record_info *info = follow->source.info;
  char label[2][LABEL + 8], blank[LABEL + 8], line[128];
  const char *before[MOST_CHART_ROWS];
  watch_chart chart = {.columns = screen->columns - LABEL - 2,
                       .rows = rows,
                       .utf8 = screen->utf8,
                       .log = watch_is_size(follow, 0)};
  if (chart.columns < 8 || rows < 2 || !watch_fit_chart(&chart, &follow->curve[0])) return;
  snprintf(line, sizeof line, chart.log ? "  largest |%s|" : "  %s", follow->name);
  print_line(out, screen, line);
  snprintf(label[0], sizeof label[0], chart.log ? "%*.0e " : "%*.2e ", LABEL, chart.high);
  snprintf(label[1], sizeof label[1], chart.log ? "%*.0e " : "%*.2e ", LABEL, chart.low);
  snprintf(blank, sizeof blank, "%*s ", LABEL, "");
  for (int r = 0; r < rows; r++) before[r] = r == 0 ? label[0] : r == rows - 1 ? label[1] : blank;
  watch_draw_chart(out, &chart, &follow->curve[0], before);
  snprintf(line, sizeof line, "%.5g", info->last_time);
  int room = chart.columns - (int)strlen(line);
  fprintf(out, "%s%-*.5g%s\n", blank, room > 0 ? room : 1, info->start_time, room > 0 ? line : "");
}

static void print_picture(FILE *out, const watch_screen *screen, const watch_follow *follow,
                          const char *foot) {
  char line[512];
  if (follow->state == WATCH_WAITING) {
    snprintf(line, sizeof line, "waiting for %s ...", follow->path);
    print_line(out, screen, line);
    return;
  }
  const rattle_record_info *info = follow->source.info;
  snprintf(line, sizeof line, "%s (%s)", info->title[0] ? info->title : info->model_file,
           follow->path);
  print_line(out, screen, line);
  snprintf(line, sizeof line, "  %s, n = %d, m = %d", info->method, info->n, info->m);
  print_line(out, screen, line);
  snprintf(line, sizeof line, "  time %.10g: step %lld of %s%lld by %s%.10g, %lld samples",
           info->last_time, info->last_step, info->adapts ? "some " : "", info->steps_asked,
           info->adapts ? "about " : "", info->step, info->samples);
  print_line(out, screen, line);
  print_bar(out, screen, follow);
  snprintf(line, sizeof line, "  largest so far: ");
  print_figures(info, line + strlen(line), sizeof line - strlen(line));
  print_line(out, screen, line);
  int rows = screen->rows - 9;
  print_chart(out, screen, follow, rows > MOST_CHART_ROWS ? MOST_CHART_ROWS : rows);
  if (foot) print_line(out, screen, foot);
}

/* Written whole, so that nothing flickers: each line wiped to its end, then the rest of the
 * screen. */
static void redraw(const watch_screen *screen, const watch_follow *follow, const char *foot,
                   FILE *out) {
  char *picture = NULL;
  size_t size = 0;
  FILE *memory = open_memstream(&picture, &size);
  if (!memory) return;
  print_picture(memory, screen, follow, foot);
  fclose(memory);
  fputs("\033[H", out);
  int lines = 0;
  for (char *line = picture; line && *line && lines < screen->rows; lines++) {
    size_t length = strcspn(line, "\n");
    fprintf(out, "%s%.*s\033[K", lines ? "\r\n" : "", (int)length, line);
    line += length + (line[length] == '\n');
  }
  fputs("\033[J", out);
  fflush(out);
  free(picture);
}

static void print_plain(watch_screen *screen, const watch_follow *follow, FILE *out) {
  char pace[128], figures[128];
  if (follow->state == WATCH_WAITING || follow->source.info->samples == screen->shown) return;
  screen->shown = follow->source.info->samples;
  print_pace(follow, pace, sizeof pace);
  print_figures(follow->source.info, figures, sizeof figures);
  fprintf(out, "time %.10g  %s  %s\n", follow->source.info->last_time, pace + strspn(pace, " "),
          figures);
  fflush(out);
}

void watch_screen_draw(watch_screen *screen, const watch_follow *follow, const char *foot,
                       FILE *out) {
  if (screen->terminal)
    redraw(screen, follow, foot, out);
  else
    print_plain(screen, follow, out);
}

void watch_screen_end(watch_screen *screen, const watch_follow *follow, FILE *out) {
  if (!screen->terminal) return;
  signal(SIGTSTP, SIG_DFL);
  fputs(SCREEN_BACK, out);
  if (follow->state != WATCH_WAITING) print_picture(out, screen, follow, NULL);
  screen->terminal = 0;
  fflush(out);
}
