/* The page of the gallery: for each experiment its figures and the table of claims, put into a page
 * that looks like reports. It is one file; links lead to the files of the figures in the same
 * folder. */
#define _POSIX_C_SOURCE 200809L /* open_memstream */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "figures/gallery/gallery.h"
#include "words/text.h"

static const char place[] = "<!--rattle-data-->";

/* Text of an experiment: between two $ is a formula, which the page's script sets as it is set in
 * reports. */
static void put_text(FILE *out, const char *text) {
  char part[1400];
  int formula = 0;
  for (;;) {
    const size_t length = strcspn(text, "$");
    snprintf(part, sizeof part, "%.*s", (int)length, text);
    if (formula) fputs("<span class=\"math\">", out);
    text_put_html(out, part);
    if (formula) fputs("</span>", out);
    if (!text[length]) return;
    text += length + 1;
    formula = !formula;
  }
}

/* gnuplot's figure as a part of the page, so that it takes its colours and letters. */
static rattle_status put_drawing(FILE *out, const char *path, const char *caption,
                                 rattle_error *error) {
  char plain[sizeof(((gallery_figure *)0)->caption)], line[4096];
  int begun = 0, starts = 1;
  FILE *file = fopen(path, "r");
  if (!file) return text_fail(error, RATTLE_IO, "cannot read %s: %s", path, strerror(errno));
  while (fgets(line, sizeof line, file)) {
    const int named = starts && (!strncmp(line, "<title>", 7) || !strncmp(line, "<desc>", 6));
    starts = strchr(line, '\n') != NULL;
    if (!begun && !strncmp(line, "<svg", 4)) {
      begun = 1;
      fputs("<svg role=\"img\" aria-label=\"", out);
      paper_plain(plain, sizeof plain, caption);
      text_put_html(out, plain);
      fprintf(out, "\"%s", line + 4);
    } else if (begun && !named) {
      fputs(line, out);
    }
  }
  fclose(file);
  return begun ? RATTLE_OK
               : text_fail(error, RATTLE_IO,
                           "%s is not a drawing; remove it, and repeat the experiment", path);
}

static const struct {
  const char *ending, *link;
} forms[] = {{"svg", "SVG"}, {"pdf", "PDF"}, {"dat", "numbers"}};

static rattle_status put_figures(FILE *out, const gallery_room *room, const char *to,
                                 rattle_error *error) {
  rattle_status status = RATTLE_OK;
  if (!room->figures) return status;
  fputs("<div class=\"figures\">\n", out);
  for (int i = 0; i < room->figures && !status; i++) {
    const char *folder = room->experiment->name, *name = room->figure[i].name;
    char path[4096];
    snprintf(path, sizeof path, "%s/%s/%s.svg", to, folder, name);
    fputs("<figure>", out);
    status = put_drawing(out, path, room->figure[i].caption, error);
    fputs("<figcaption>", out);
    put_text(out, room->figure[i].caption);
    for (int f = 0; f < 3; f++)
      fprintf(out, " <a href=\"%s/%s.%s\">%s</a>", folder, name, forms[f].ending, forms[f].link);
    fputs("</figcaption></figure>\n", out);
  }
  fputs("</div>\n", out);
  return status;
}

static void table_open(FILE *out, int *open) {
  if (*open) return;
  fputs("<div class=\"scroll\"><table>\n"
        "<thead><tr><th>quantity</th><th>paper</th><th>obtained</th><th>holds</th></tr></"
        "thead><tbody>\n",
        out);
  *open = 1;
}

static void table_close(FILE *out, int *open) {
  if (*open) fputs("</tbody></table></div>\n", out);
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
    put_text(out, field[1]);
    fputs("</td><td>", out);
    put_text(out, field[2]);
    fputs("</td><td class=\"number\">", out);
    text_put_html(out, field[3]);
    fprintf(out, "</td><td class=\"%s\">%s</td></tr>\n", stands ? "yes" : "no",
            stands ? "yes" : "no");
    room->claims++;
    room->failed += !stands;
    return;
  }
  table_close(out, open);
  fputs(!strcmp(field[0], "heading") ? "<h3>" : "<p class=\"note\">", out);
  put_text(out, field[1]);
  fputs(!strcmp(field[0], "heading") ? "</h3>\n" : "</p>\n", out);
}

static rattle_status put_claims(FILE *out, gallery_room *room, const char *folder,
                                rattle_error *error) {
  char path[4096], line[1400];
  int open = 0;
  snprintf(path, sizeof path, "%s/%s/claims.txt", folder, room->experiment->name);
  FILE *file = fopen(path, "r");
  if (!file) return text_fail(error, RATTLE_IO, "cannot read %s: %s", path, strerror(errno));
  while (fgets(line, sizeof line, file)) {
    line[strcspn(line, "\n")] = 0;
    put_line(out, line, &open, room);
  }
  table_close(out, &open);
  fclose(file);
  return RATTLE_OK;
}

/* A link to each experiment, with its first figure in small and a sentence. */
static rattle_status put_contents(FILE *out, const gallery_room *room, int rooms,
                                  const char *folder, rattle_error *error) {
  rattle_status status = RATTLE_OK;
  fputs("<nav class=\"contents\" aria-label=\"experiments\">\n", out);
  for (int i = 0; i < rooms && !status; i++) {
    const paper_experiment *e = room[i].experiment;
    char path[4096];
    fprintf(out, "<a href=\"#%s\">", e->name);
    if (room[i].figures) {
      snprintf(path, sizeof path, "%s/%s/%s.svg", folder, e->name, room[i].figure[0].name);
      status = put_drawing(out, path, room[i].figure[0].caption, error);
    }
    fputs("<span><strong>", out);
    text_put_html(out, e->title);
    fputs("</strong> ", out);
    text_put_html(out, e->about);
    fputs("</span></a>\n", out);
  }
  fputs("</nav>", out);
  return status;
}

static rattle_status put_head(FILE *out, const gallery_room *room, int rooms, const char *folder,
                              rattle_error *error) {
  fprintf(out,
          "<header class=\"top\"><div class=\"line\"><span class=\"mark\">rattle "
          "gallery</span><span class=\"tools\"></span></div>\n"
          "<h1>Gallery</h1>\n<p class=\"under\">Experiments from the literature on SHAKE, RATTLE "
          "and related methods, repeated "
          "with rattle %s. Generated by <code>rattle gallery</code>.</p>\n",
          rattle_version());
  const rattle_status status = put_contents(out, room, rooms, folder, error);
  fputs("</header>\n<p class=\"note\">In the tables, <em>obtained</em> is the value of the "
        "quantity in the first column; "
        "for a "
        "statement in place of a quantity it is 1 if the statement was found to be true, and 0 if "
        "not.</p>\n",
        out);
  return status;
}

/* The table, folded unless a claim failed. */
static rattle_status put_folded(FILE *out, gallery_room *room, const char *folder,
                                rattle_error *error) {
  char *text = NULL;
  size_t size = 0;
  FILE *table = open_memstream(&text, &size);
  if (!table) return text_no_memory(error);
  rattle_status status = put_claims(table, room, folder, error);
  if (fclose(table) && !status) status = text_no_memory(error);
  if (!status) {
    fprintf(out, "<details%s><summary>%d of %d claims hold</summary>\n",
            room->failed ? " open" : "", room->claims - room->failed, room->claims);
    fwrite(text, 1, size, out);
    fputs("</details>\n", out);
  }
  free(text);
  return status;
}

rattle_status gallery_write_page(gallery_room *room, int rooms, const char *folder,
                                 rattle_error *error) {
  char path[4096];
  cli_output output;
  snprintf(path, sizeof path, "%s/index.html", folder);
  rattle_status status = cli_begin_output(&output, path, 1, error);
  if (status) return status;
  FILE *out = output.file;
  const char *data = strstr(gallery_template, place);
  fwrite(gallery_template, 1, (size_t)(data - gallery_template), out);
  status = put_head(out, room, rooms, folder, error);
  for (int i = 0; i < rooms && !status; i++) {
    const paper_experiment *e = room[i].experiment;
    fprintf(out, "<section class=\"card\">\n<h2 id=\"%s\">", e->name);
    text_put_html(out, e->title);
    fputs("</h2>\n<p class=\"under\">", out);
    text_put_html(out, e->source);
    if (!room[i].kept) fprintf(out, "; %.1f s", room[i].seconds);
    fputs("</p>\n<p>", out);
    text_put_html(out, e->about);
    fputs("</p>\n", out);
    if (room[i].broken) fputs("<p class=\"no\">This experiment failed to run.</p>\n", out);
    status = put_figures(out, &room[i], folder, error);
    if (!room[i].broken && !status) status = put_folded(out, &room[i], folder, error);
    fputs("</section>\n", out);
  }
  fputs(data + sizeof place - 1, out);
  return cli_end_output(&output, status, error);
}
