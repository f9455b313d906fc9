/* Figures of experiments, from their text to SVG and PDF through the figures of `rattle plot`. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "figures/gallery/gallery.h"
#include "figures/plot/plot.h"

/* ---- figures.txt ---- */

static void copy_to(char *to, size_t size, const char *from) {
  snprintf(to, size, "%s", from);
}

/* "key value" into the current figure. */
static void take_line(gallery_figure *f, const char *key, const char *value) {
  if (!strcmp(key, "caption")) copy_to(f->caption, sizeof f->caption, value);
  if (!strcmp(key, "x")) copy_to(f->x, sizeof f->x, value);
  if (!strcmp(key, "y")) copy_to(f->y, sizeof f->y, value);
  if (!strcmp(key, "kind")) copy_to(f->kind, sizeof f->kind, value);
  if (!strcmp(key, "log_x")) f->log_x = *value == '1';
  if (!strcmp(key, "log_y")) f->log_y = *value == '1';
  if (!strcmp(key, "equal")) f->equal = *value == '1';
  if (!strcmp(key, "curve") && f->curves < (int)(sizeof f->label / sizeof *f->label))
    copy_to(f->label[f->curves++], sizeof *f->label, value);
}

static rattle_status read_list(gallery_room *room, const char *folder, rattle_error *error) {
  char path[4096], line[1200];
  snprintf(path, sizeof path, "%s/%s/figures.txt", folder, room->experiment->name);
  FILE *file = fopen(path, "r");
  if (!file) return text_fail(error, RATTLE_IO, "cannot read %s: %s", path, strerror(errno));
  gallery_figure *f = NULL;
  while (fgets(line, sizeof line, file)) {
    line[strcspn(line, "\n")] = 0;
    char *value = strchr(line, ' ');
    if (!value) continue;
    *value++ = 0;
    if (!strcmp(line, "figure") && room->figures < GALLERY_FIGURES) {
      f = &room->figure[room->figures++];
      *f = (gallery_figure){0};
      copy_to(f->name, sizeof f->name, value);
    } else if (f) {
      take_line(f, line, value);
    }
  }
  fclose(file);
  return RATTLE_OK;
}

/* ---- the points ---- */

static plot_drawn drawn_as(const char *kind) {
  return !strcmp(kind, "points") ? PLOT_POINTS : !strcmp(kind, "marked") ? PLOT_MARKED : PLOT_LINES;
}

static rattle_status read_points(const gallery_figure *f, plot_figure *to, const char *path,
                                 rattle_error *error) {
  char line[200];
  FILE *file = fopen(path, "r");
  if (!file) return text_fail(error, RATTLE_IO, "cannot read %s: %s", path, strerror(errno));
  plot_curve *curve = NULL;
  int curves = 0, failed = 0;
  while (fgets(line, sizeof line, file) && !failed) {
    double x, y;
    if (line[0] == '#' && curves < f->curves) {
      char *label = plot_text(f->label[curves++]);
      curve = label ? plot_add_curve(to, label, drawn_as(f->kind)) : NULL;
      failed = !curve;
      free(label);
    } else if (curve && sscanf(line, "%lf %lf", &x, &y) == 2) {
      failed = plot_add_point(curve, x, y) != 0;
    } else if (curve && line[0] == '\n') {
      failed = plot_add_point(curve, (double)NAN, (double)NAN) != 0;
    }
  }
  fclose(file);
  return failed ? text_no_memory(error) : RATTLE_OK;
}

static rattle_status draw_to(const plot_figure *figure, int format, const char *path,
                             rattle_error *error) {
  const double width = 12;
  const plot_output output = {.format = format,
                              .width = width,
                              .height = figure->equal ? width * 0.85 : width * 0.62,
                              .size = 9,
                              .font = "Helvetica"};
  FILE *script = tmpfile();
  if (!script)
    return text_fail(error, RATTLE_IO, "cannot create a temporary file for the gnuplot script");
  plot_write_script(script, figure, &output, NULL);
  const rattle_status status = plot_run_gnuplot(script, path, error);
  fclose(script);
  return status;
}

static rattle_status draw(const gallery_figure *f, const char *stem, rattle_error *error) {
  plot_figure figure;
  char path[4200];
  plot_figure_init(&figure);
  snprintf(path, sizeof path, "%s.dat", stem);
  rattle_status status = read_points(f, &figure, path, error);
  figure.x.label = plot_text(f->x);
  figure.y.label = plot_text(f->y);
  if (!status && (!figure.x.label || !figure.y.label)) status = text_no_memory(error);
  figure.x.log = f->log_x;
  figure.y.log = f->log_y;
  figure.equal = f->equal;
  if (!status) plot_fit_axes(&figure);
  static const struct {
    const char *ending;
    int format;
  } to[] = {{"svg", PLOT_SVG}, {"pdf", PLOT_PDF}};
  for (int i = 0; i < 2 && !status; i++) {
    snprintf(path, sizeof path, "%s.%s", stem, to[i].ending);
    status = draw_to(&figure, to[i].format, path, error);
  }
  plot_figure_free(&figure);
  return status;
}

rattle_status gallery_draw(gallery_room *room, const char *folder, rattle_error *error) {
  rattle_status status = read_list(room, folder, error);
  for (int i = 0; i < room->figures && !status; i++) {
    char stem[4100];
    snprintf(stem, sizeof stem, "%s/%s/%s", folder, room->experiment->name, room->figure[i].name);
    status = draw(&room->figure[i], stem, error);
  }
  return status;
}
