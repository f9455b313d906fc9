#ifndef CLI_ANIMATE_H
#define CLI_ANIMATE_H
/* The parts of `rattle animate`. */
#include "base/cli.h"
#include "pages/report/report.h"

/* A picture, or pictures as a film. */
typedef struct animate_format {
  const char *ending;     /* ".webm" */
  const char *encoder[9]; /* words for ffmpeg, NULL-ended; none: one picture */
} animate_format;
/* By the ending of a path; NULL: none of them. */
const animate_format *animate_format_of(const char *path);

typedef struct animate_film {
  const animate_format *format;
  report_sources sources; /* with an animation that has fps */
  double patience;        /* seconds on the clock, of each program */
} animate_film;
/* Before anything is computed: the programs that it needs are there. */
rattle_status animate_need_programs(const animate_format *format, rattle_error *error);
/* The page, which plays, or has pictures as text. */
rattle_status animate_put_page(FILE *out, const report_sources *sources, rattle_error *error);
/* Draws the pictures by Chromium, and makes the film by ffmpeg. *pictures: how many there are. */
rattle_status animate_write_film(const char *path, int force, const animate_film *film,
                                 int *pictures, rattle_error *error);
#endif
