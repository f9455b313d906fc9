/* The page of the gallery: for each experiment its figures and the table of claims. Figures are files in the same folder; nothing else is
 * asked for, and no script runs. */
#include <errno.h>
#include <string.h>

#include "gallery/gallery.h"
#include "text/text.h"

static const char head[] =
    "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src 'self'; style-src 'unsafe-inline'\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>rattle: gallery</title>\n<style>\n"
    /* the colours and letters of reports: report/src/style.css */
    ":root { color-scheme: light; --paper: #f6f6f3; --card: #fff; --ink: #1c2126; --quiet: #5d6670; --line: #dedfda; "
    "--accent: #005f9e; --good: #0a6b4b; --bad: #a51d2d }\n"
    "@media screen and (prefers-color-scheme: dark) { :root { color-scheme: dark; --paper: #14171a; --card: #1d2125; --ink: "
    "#e8eaec; "
    "--quiet: #a1a9b1; --line: #343a40; --accent: #6fb7ee; --good: #5fd0a5; --bad: #ff9aa2 } }\n"
    "body { font: 15px/1.5 system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif; background: var(--paper); "
    "color: var(--ink); max-width: 80rem; margin: 0 auto; padding: 1.5rem 1rem 4rem }\n"
    "a { color: var(--accent); text-decoration: none } a:hover { text-decoration: underline }\n"
    "h1 { font-size: 1.9rem; margin: 0 } h2 { font-size: 1.2rem; margin: 0 } h3 { font-size: 1rem; margin: 1.5rem 0 .3rem }\n"
    "section { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 1rem; margin: 1rem 0 }\n"
    "p { margin: .2rem 0 } .quiet { color: var(--quiet) } nav { margin: 1rem 0 } nav a { display: inline-block; margin-right: "
    "1rem "
    "}\n"
    ".figures { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 26rem), 1fr)); gap: 1rem; margin: 1rem "
    "0 "
    "}\n"
    "figure { margin: 0; border: 1px solid var(--line); border-radius: 6px; overflow: hidden }\n"
    "figure img { display: block; width: 100%; background: #fff } figcaption { padding: .5rem .8rem; font-size: .9rem }\n"
    ".scroll { overflow-x: auto } table { border-collapse: collapse; font-size: .92rem; width: 100% }\n"
    "td, th { text-align: left; padding: .25rem .8rem .25rem 0; border-bottom: 1px solid var(--line); vertical-align: top }\n"
    "td.number { font-variant-numeric: tabular-nums; white-space: nowrap } .yes { color: var(--good) } .no { color: var(--bad); "
    "font-weight: 600 }\n@media print { body { max-width: none } figure { break-inside: avoid } }\n"
    "</style>\n</head>\n<body>\n";

static void put_figures(FILE *out, const gallery_room *room) {
  if (!room->figures) return;
  fputs("<div class=\"figures\">\n", out);
  for (int i = 0; i < room->figures; i++) {
    const char *folder = room->experiment->name, *name = room->figure[i].name;
    fprintf(out, "<figure><img src=\"%s/%s.svg\" alt=\"", folder, name);
    text_put_html(out, room->figure[i].caption);
    fputs("\"><figcaption>", out);
    text_put_html(out, room->figure[i].caption);
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
    text_put_html(out, field[1]);
    fputs("</td><td>", out);
    text_put_html(out, field[2]);
    fputs("</td><td class=\"number\">", out);
    text_put_html(out, field[3]);
    fprintf(out, "</td><td class=\"%s\">%s</td></tr>\n", stands ? "yes" : "no", stands ? "yes" : "no");
    room->claims++;
    room->failed += !stands;
    return;
  }
  table_close(out, open);
  fputs(!strcmp(field[0], "heading") ? "<h3>" : "<p class=\"quiet\">", out);
  text_put_html(out, field[1]);
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
    text_put_html(out, room[i].experiment->title);
    fputs("</a>", out);
  }
  fputs("</nav>\n<p class=\"quiet\">In the tables, <em>obtained</em> is the value of the quantity in the first column; for a "
        "statement in place of a quantity it is 1 if the statement was found to be true, and 0 if not.</p>\n",
        out);
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
    fprintf(out, "<section>\n<h2 id=\"%s\">", e->name);
    text_put_html(out, e->title);
    fputs("</h2>\n<p class=\"quiet\">", out);
    text_put_html(out, e->source);
    if (!room[i].kept) fprintf(out, "; %.1f s", room[i].seconds);
    fputs("</p>\n", out);
    if (room[i].broken) fputs("<p class=\"no\">This experiment failed to run.</p>\n", out);
    put_figures(out, &room[i]);
    if (!room[i].broken) status = put_claims(out, &room[i], folder, error);
    fputs("</section>\n", out);
  }
  fputs("</body>\n</html>\n", out);
  const rattle_status closed = cli_close_file(&out, path, status ? NULL : error);
  return status ? status : closed;
}
