#ifndef RATTLE_GALLERY_H
#define RATTLE_GALLERY_H
/* rattle gallery: the experiments of examples/papers carried out side by side, their figures drawn,
 * and a page of all. */
#include "base/cli.h"
#include "papers/paper.h"

enum { GALLERY_FIGURES = 16 };

/* One figure of an experiment, as figures.txt says it. */
typedef struct gallery_figure {
  char name[64], caption[300], x[64], y[64], kind[16], label[24][64];
  int log_x, log_y, equal, curves;
} gallery_figure;

/* An experiment that was carried out. */
typedef struct gallery_room {
  const paper_experiment *experiment;
  gallery_figure figure[GALLERY_FIGURES];
  int figures, claims, failed;
  double seconds;
  int broken; /* 1: it could not be carried out */
  int kept;   /* 1: of a run before this one */
} gallery_room;

/* --- figure.c --- */
/* Reads folder/NAME/figures.txt and draws every figure as SVG and PDF in the same folder. */
rattle_status gallery_draw(gallery_room *room, const char *folder, rattle_error *error);

/* --- page.c --- */
/* The page to be filled, report/gallery.html, made part of the command by cmake/embed.cmake. */
extern const char gallery_template[];
/* Writes folder/index.html, every figure with its claims, and counts the claims of each
 * experiment. */
rattle_status gallery_write_page(gallery_room *room, int rooms, const char *folder,
                                 rattle_error *error);
#endif
