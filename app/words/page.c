#include "words/page.h"

#include <stdlib.h>
#include <string.h>

#include "words/page_table.h"

static const char *end_of_line(const char *line) {
  const char *end = strchr(line, '\n');
  return end ? end : line + strlen(line);
}

static const char *next_line(const char *line) {
  const char *end = end_of_line(line);
  return *end ? end + 1 : end;
}

static int begins(const char *line, const char *with) {
  return !strncmp(line, with, strlen(with));
}

int page_title(const char *markdown, const char **title) {
  const char *line = markdown;
  while (*line && !begins(line, "# ")) line = next_line(line);
  *title = *line ? line + 2 : line;
  return (int)(end_of_line(*title) - *title);
}

static int blank(const char *line) {
  return line + strspn(line, " \t") == end_of_line(line);
}

/* The place in a line where the text of an item of a list begins; 0: the line begins no item. */
static int item(const char *line) {
  const int indent = (int)strspn(line, " ");
  const char *s = line + indent;
  if ((*s == '*' || *s == '-') && s[1] == ' ') return indent + 2;
  const int digits = (int)strspn(s, "0123456789");
  return digits && s[digits] == '.' && s[digits + 1] == ' ' ? indent + digits + 2 : 0;
}

/* True if a line ends the paragraph before it. */
static int interrupts(const char *line) {
  const char *s = line + strspn(line, " ");
  return blank(line) || item(line) || *s == '|' || begins(s, "```") || begins(line, "#") ||
         begins(line, "<!--");
}

static const char *put_heading(FILE *out, const char *line, int columns) {
  const int level = (int)strspn(line, "#");
  const char *end = end_of_line(line);
  char *text = page_plain(line + level + 1, (size_t)(end - line) - (size_t)level - 1);
  if (text) {
    page_wrap(out, text, columns, 0, 0);
    for (int i = page_width(text, strlen(text)); level < 3 && i > 0; i--)
      putc(level == 1 ? '=' : '-', out);
    if (level < 3) putc('\n', out);
  }
  free(text);
  return next_line(line);
}

/* Code between fences, indented; a directive of the site is left out. */
static const char *put_fenced(FILE *out, const char *line) {
  const char *fence = line + strspn(line, " ");
  const int shown = fence[3] != '{', indent = (int)(fence - line);
  for (line = next_line(line); *line && !begins(line + strspn(line, " "), "```");
       line = next_line(line)) {
    const char *text = line + ((int)strspn(line, " ") < indent ? (int)strspn(line, " ") : indent);
    if (shown)
      fprintf(out, "%s%.*s\n", blank(line) ? "" : "    ", (int)(end_of_line(line) - text), text);
  }
  return next_line(line);
}

static const char *put_indented(FILE *out, const char *line) {
  while (*line) {
    const char *after = line;
    while (*after && blank(after)) after = next_line(after);
    if (!begins(after, "    ")) break;
    for (; line != after; line = next_line(line)) putc('\n', out);
    fprintf(out, "%.*s\n", (int)(end_of_line(line) - line), line);
    line = next_line(line);
  }
  return line;
}

/* A paragraph, or an item of a list, whose marker `hang` columns wide stays in front. */
static const char *put_paragraph(FILE *out, const char *line, int columns, int hang) {
  const char *end = next_line(line);
  while (*end && !interrupts(end)) end = next_line(end);
  const char *text = line + (hang ? hang : (int)strspn(line, " "));
  char *plain = page_plain(text, (size_t)(end - text));
  const int indent = hang ? hang : (int)(text - line);
  fprintf(out, "%.*s", indent, line);
  if (plain) page_wrap(out, plain, columns, indent, indent);
  free(plain);
  return end;
}

void page_put(FILE *out, const char *markdown, int columns) {
  const char *line = markdown;
  int in_list = 0, after_blank = 1;
  while (*line) {
    const char *s = line + strspn(line, " ");
    const int hang = item(line), was_blank = after_blank;
    after_blank = 0;
    if (blank(line)) {
      if (!was_blank) putc('\n', out);
      after_blank = 1;
      line = next_line(line);
    } else if (begins(line, "<!--")) {
      while (*line && !strstr(line, "-->")) line = next_line(line);
      const char *close = strstr(line, "-->");
      line = next_line(close ? close : line);
      after_blank = was_blank;
    } else if (begins(line, "#")) {
      line = put_heading(out, line, columns);
      in_list = 0;
    } else if (begins(s, "```")) {
      after_blank = was_blank && s[3] == '{';
      line = put_fenced(out, line);
    } else if (*s == '|') {
      line = page_put_table(out, line, columns);
    } else if (was_blank && begins(line, "    ") && !in_list) {
      line = put_indented(out, line);
    } else {
      if (!hang && *line != ' ') in_list = 0;
      if (hang) in_list = 1;
      line = put_paragraph(out, line, columns, hang);
    }
  }
}
