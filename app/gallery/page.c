/* The page of the gallery: for each experiment its figures and the table of claims. Figures are files in the same folder; nothing else is
 * asked for, and no script runs. */
#include <errno.h>
#include <string.h>

#include "gallery/gallery.h"

static const char head[] =
    "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src 'self'; style-src 'unsafe-inline'\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>rattle: gallery</title>\n<style>\n"
    ":root { color-scheme: light dark; --line: #8884; --quiet: #777; --good: #00724a; --bad: #b3261e; --figure: #fff }\n"
    "@media (prefers-color-scheme: dark) { :root { --good: #5cc79a; --bad: #ff8a80; --quiet: #aaa } }\n"
    "body { font: 16px/1.5 system-ui, sans-serif; max-width: 72rem; margin: 0 auto; padding: 1.5rem 1rem 4rem }\n"
    "h1 { font-size: 1.7rem; margin: 0 } h2 { font-size: 1.3rem; margin: 3.5rem 0 0 } h3 { font-size: 1rem; margin: 1.5rem 0 "
    ".3rem }\n"
    "p { margin: .2rem 0 } .quiet { color: var(--quiet) } nav { margin: 1rem 0 } nav a { display: inline-block; margin-right: "
    "1rem }\n"
    ".figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 26rem), 1fr)); gap: 1rem; margin: 1rem 0 "
    "}\n"
    "figure { margin: 0; max-width: 38rem; border: 1px solid var(--line); border-radius: 6px; overflow: hidden }\n"
    "figure img { display: block; width: 100%; background: var(--figure) } figcaption { padding: .5rem .8rem; font-size: .9rem "
    "}\n"
    ".scroll { overflow-x: auto } table { border-collapse: collapse; font-size: .92rem; width: 100% }\n"
    "td, th { text-align: left; padding: .25rem .8rem .25rem 0; border-bottom: 1px solid var(--line); vertical-align: top }\n"
    "td.number { font-variant-numeric: tabular-nums; white-space: nowrap } .yes { color: var(--good) } .no { color: var(--bad); "
    "font-weight: 600 }\n@media print { body { max-width: none } figure { break-inside: avoid } }\n"
    "</style>\n</head>\n<body>\n";

static void put(FILE *out, const char *text) {
  for (; *text; text++) {
    const char *entity = *text == '<' ? "&lt;" : *text == '>' ? "&gt;" : *text == '&' ? "&amp;" : *text == '"' ? "&quot;" : NULL;
    if (entity)
      fputs(entity, out);
    else
      fputc(*text, out);
  }
}

static void put_figures(FILE *out, const gallery_room *room) {
  if (!room->figures) return;
  fputs("<div class=\"figures\">\n", out);
  for (int i = 0; i < room->figures; i++) {
    const char *folder = room->experiment->name, *name = room->figure[i].name;
    fprintf(out, "<figure><img src=\"%s/%s.svg\" alt=\"", folder, name);
    put(out, room->figure[i].caption);
    fputs("\"><figcaption>", out);
    put(out, room->figure[i].caption);
    fprintf(out, " <a href=\"%s/%s.pdf\">PDF</a> <a href=\"%s/%s.dat\">numbers</a></figcaption></figure>\n", folder, name, folder,
            name);
  }
  fputs("</div>\n", out);
}

static void table_open(FILE *out, int *open) {
  if (*open) return;
  fputs("<div class=\"scroll\"><table><tr><th>quantity</th><th>paper</th><th>obtained</th><th>holds</th></tr>\n", out);
  *open = 1;
}

static void table_close(FILE *out, int *open) {
  if (*open) fputs("</table></div>\n", out);
  *open = 0;
}

/* One line of claims.txt. */
static void put_line(FILE *out, char *line, int *open, gallery_room *room) {
  char *field[5] = {line};
  for (int i = 1; i < 5 && field[i - 1]; i++)
    if ((field[i] = strchr(field[i - 1], '\t'))) *field[i]++ = 0;
  if (!field[1]) return;
  if (!strcmp(field[0], "claim") && field[4]) {
    const int stands = field[4][0] == '1';
    table_open(out, open);
    fputs("<tr><td>", out);
    put(out, field[1]);
    fputs("</td><td>", out);
    put(out, field[2]);
    fputs("</td><td class=\"number\">", out);
    put(out, field[3]);
    fprintf(out, "</td><td class=\"%s\">%s</td></tr>\n", stands ? "yes" : "no", stands ? "yes" : "no");
    room->claims++;
    room->failed += !stands;
    return;
  }
  table_close(out, open);
  fputs(!strcmp(field[0], "heading") ? "<h3>" : "<p class=\"quiet\">", out);
  put(out, field[1]);
  fputs(!strcmp(field[0], "heading") ? "</h3>\n" : "</p>\n", out);
}

static rattle_status put_claims(FILE *out, gallery_room *room, const char *folder, rattle_error *error) {
  char path[4096], line[1400];
  int open = 0;
  snprintf(path, sizeof path, "%s/%s/claims.txt", folder, room->experiment->name);
  FILE *file = fopen(path, "r");
  if (!file) return cli_fail(error, RATTLE_IO, "cannot read %s: %s", path, strerror(errno));
  while (fgets(line, sizeof line, file)) {
    line[strcspn(line, "\n")] = 0;
    put_line(out, line, &open, room);
  }
  table_close(out, &open);
  fclose(file);
  return RATTLE_OK;
}

static void put_head(FILE *out, const gallery_room *room, int rooms) {
  fputs(head, out);
  fprintf(out,
          "<h1>Gallery</h1>\n<p class=\"quiet\">Experiments from the literature on SHAKE, RATTLE and related methods, repeated "
          "with rattle %s. "
          "Generated by <code>rattle gallery</code>.</p>\n<nav>",
          rattle_version());
  for (int i = 0; i < rooms; i++) {
    fprintf(out, "<a href=\"#%s\">", room[i].experiment->name);
    put(out, room[i].experiment->title);
    fputs("</a>", out);
  }
  fputs("</nav>\n", out);
}

rattle_status gallery_write_page(gallery_room *room, int rooms, const char *folder, rattle_error *error) {
  char path[4096];
  FILE *out;
  snprintf(path, sizeof path, "%s/index.html", folder);
  rattle_status status = cli_create_file(&out, path, 1, error);
  if (status) return status;
  put_head(out, room, rooms);
  for (int i = 0; i < rooms && !status; i++) {
    const paper_experiment *e = room[i].experiment;
    fprintf(out, "<h2 id=\"%s\">", e->name);
    put(out, e->title);
    fputs("</h2>\n<p class=\"quiet\">", out);
    put(out, e->source);
    fprintf(out, "; %.1f s</p>\n", room[i].seconds);
    if (room[i].broken) fputs("<p class=\"no\">This experiment failed to run.</p>\n", out);
    put_figures(out, &room[i]);
    if (!room[i].broken) status = put_claims(out, &room[i], folder, error);
  }
  fputs("</body>\n</html>\n", out);
  const rattle_status closed = cli_close_file(&out, path, status ? NULL : error);
  return status ? status : closed;
}
