/* rattle help: the commands and the chapters of the documentation, in the terminal. */
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "commands/chapters.h"
#include "base/cli.h"
#include "words/page.h"

/* By its name, or by that of its file, as links in chapters have it: "model", "models",
 * "models.md". */
static const cli_chapter *find_chapter(const char *name) {
  const size_t length = strlen(name),
               stem = length > 3 && !strcmp(name + length - 3, ".md") ? length - 3 : length;
  for (int i = 0; i < cli_chapter_count; i++) {
    const cli_chapter *chapter = &cli_chapters[i];
    if (!strcmp(chapter->name, name) ||
        (!strncmp(chapter->page, name, stem) && !chapter->page[stem]))
      return chapter;
  }
  return NULL;
}

/* Lines wider than that are hard to read; 80 where the output is no terminal. */
static int columns(void) {
  struct winsize size;
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) || size.ws_col < 40) return 80;
  return size.ws_col < 100 ? size.ws_col : 100;
}

void cli_list_chapters(FILE *out) {
  const char *section = "";
  for (int i = 0; i < cli_chapter_count; i++) {
    const cli_chapter *chapter = &cli_chapters[i];
    const char *title;
    const int length = page_title(chapter->text, &title);
    if (strcmp(section, chapter->section)) cli_print(out, "\n%s\n", section = chapter->section);
    cli_print(out, "    %-17s %.*s\n", chapter->name, length, title);
  }
}

static int unknown(const char *word) {
  const char *names[256];
  int count = 0;
  for (int i = 0; i < cli_command_count; i++) names[count++] = cli_commands[i]->name;
  for (int i = 0; i < cli_chapter_count && count < 256; i++) names[count++] = cli_chapters[i].name;
  const char *near = cli_nearest(word, names, count);
  cli_print(stderr, "rattle help: there is no command or chapter %s", word);
  if (near)
    cli_print(stderr, "; did you mean %s?\n", near);
  else
    fputs("; `rattle help` lists them\n", stderr);
  return CLI_USAGE;
}

int cli_help(const char *word) {
  const cli_command *command = cli_find_command(word);
  const cli_chapter *chapter = find_chapter(word);
  if (!command && !chapter) return unknown(word);
  if (command) cli_print_help(command, stdout);
  if (command && chapter) putchar('\n');
  if (chapter) page_put(stdout, chapter->text, columns());
  return CLI_DONE;
}
