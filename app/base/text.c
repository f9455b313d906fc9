/* Messages: complaints, nearest names, and the status in JSON objects. */
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/cli.h"
#include "words/text.h"

int cli_print(FILE *out, const char *format, ...) {
  char room[1024], *text = room;
  va_list arguments, again;
  va_start(arguments, format);
  va_copy(again, arguments);
  const int length = vsnprintf(room, sizeof room, format, arguments);
  va_end(arguments);
  if (length >= (int)sizeof room && (text = malloc((size_t)length + 1)))
    vsnprintf(text, (size_t)length + 1, format, again);
  va_end(again);
  text_put_terminal(out, text ? text : room); /* without memory a long text is cut */
  if (text != room) free(text);
  return length;
}

void cli_print_title(FILE *out, const char *title, const char *path) {
  text_put_line(out, title[0] ? title : path);
  if (title[0]) cli_print(out, " (%s)", path);
  putc('\n', out);
}

void cli_print_command(FILE *out, const char *label, const char *command, const char *path) {
  cli_print(out, "%s%s ", label, command);
  text_put_shell(out, path);
  putc('\n', out);
}

/* Edit distance (insert, delete, replace, swap of neighbours) of words of at most 63 characters. */
static int distance(const char *a, const char *b) {
  int rows[3][64], na = (int)strlen(a), nb = (int)strlen(b);
  if (na > 63 || nb > 63) return 64;
  for (int j = 0; j <= nb; j++) rows[0][j] = j;
  for (int i = 1; i <= na; i++) {
    int *row = rows[i % 3], *above = rows[(i + 2) % 3], *before = rows[(i + 1) % 3];
    row[0] = i;
    for (int j = 1; j <= nb; j++) {
      int best = above[j - 1] + (a[i - 1] != b[j - 1]);
      if (above[j] + 1 < best) best = above[j] + 1;
      if (row[j - 1] + 1 < best) best = row[j - 1] + 1;
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
          before[j - 2] + 1 < best)
        best = before[j - 2] + 1;
      row[j] = best;
    }
  }
  return rows[na % 3][nb];
}

const char *cli_nearest(const char *word, const char *const *candidates, int count) {
  int best = 1 + (int)strlen(word) / 3;
  const char *nearest = NULL;
  for (int i = 0; i < count; i++) {
    int d = distance(word, candidates[i]);
    if (d > best || (d == best && nearest)) continue;
    best = d;
    nearest = candidates[i];
  }
  return nearest;
}

void cli_complain(const char *command, const rattle_error *error) {
  cli_print(stderr, "rattle%s%s: %s\n", command ? " " : "", command ? command : "", error->message);
}

int cli_end_badly(const cli_args *args, const rattle_error *error, int json) {
  const char *command = args->command ? args->command->name : NULL;
  cli_complain(command, error);
  if (json) {
    json_writer out = {.out = stdout, .indent = 1};
    json_open(&out, NULL, '{');
    json_text(&out, "version", rattle_version());
    cli_json_status(&out, error->status, error);
    json_close(&out, '}');
    fflush(stdout);
  }
  return rattle_status_exit(error->status);
}

int cli_flush(int exit_status) {
  if (fflush(stdout) == 0 && !ferror(stdout)) return exit_status;
  if (errno != EPIPE)
    cli_print(stderr, "rattle: standard output could not be written: %s\n", strerror(errno));
  return exit_status == CLI_DONE ? CLI_FAILED : exit_status;
}

void cli_print_proofs(FILE *out, const rattle_counts *counts) {
  if (counts->proven + counts->tracked == 0) return;
  cli_print(out, "  steps        %lld proven", counts->proven);
  if (counts->tracked) cli_print(out, ", %lld tracked", counts->tracked);
  putc('\n', out);
}
