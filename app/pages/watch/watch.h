#ifndef RATTLE_WATCH_H
#define RATTLE_WATCH_H
/* rattle watch: follow.c follows a record, screen.c shows it on a terminal, web.c in a browser. */
#include <stdio.h>

#include "figures/plot/envelope.h"
#include "figures/plot/plot.h"

/* --- follow.c --- */
typedef enum watch_state {
  WATCH_WAITING, /* the record is not there yet */
  WATCH_RUNNING,
  WATCH_ENDED, /* the run ended properly, or failed and recorded it */
  WATCH_LOST   /* nobody writes the record, and its run has not ended */
} watch_state;

enum { WATCH_CURVES = 3, WATCH_MOMENTS = 20 };

typedef struct watch_follow {
  const char *path, *name; /* name: of the column that is drawn */
  plot_source source;
  watch_state state;
  int silent;                         /* 1: WATCH_LOST was inferred from silence: the file system
                                         has no locks */
  int curves;                         /* 1, with constraints 3 */
  plot_channel channel[WATCH_CURVES]; /* the column asked for, |g|, |psi| */
  envelope curve[WATCH_CURVES];       /* over time */
  long long known;                    /* samples read so far */
  double now[WATCH_CURVES];           /* of the last sample */
  double grown;                       /* when the last sample came, on the monotonic clock */
  double moment[WATCH_MOMENTS];       /* the last polls of the record: time and step */
  long long step[WATCH_MOMENTS];
  int moments, failures;
} watch_follow;

/* path and name must outlive it. */
rattle_status watch_begin(watch_follow *follow, const char *path, const char *name,
                          rattle_error *error);
void watch_end(watch_follow *follow);
/* Polls the record. A missing record is not a failure. */
rattle_status watch_look(watch_follow *follow, rattle_error *error);
/* Steps per second as of late, seconds left; NaN: not known. */
double watch_rate(const watch_follow *follow);
double watch_seconds_left(const watch_follow *follow);
double watch_clock(void);
/* Why there is no more to see, in a sentence; WATCH_ENDED and WATCH_LOST only. */
void watch_say_why(const watch_follow *follow, char *text, size_t size);

/* --- chart.c --- */
/* A curve as text: rows lines of columns characters each, in braille or (utf8 = 0) ASCII. Either a
 * band from the lowest to the highest sample, or the largest size on a logarithmic axis of whole
 * decades, where exact zeros are omitted. */
typedef struct watch_chart {
  int columns, rows, utf8, log;
  double low, high; /* of the vertical axis */
} watch_chart;
/* Sets low and high; 0: there is nothing to draw. */
int watch_fit_chart(watch_chart *chart, const envelope *curve);
/* before: [rows] the text before each line; a line break follows it. */
void watch_draw_chart(FILE *out, const watch_chart *chart, const envelope *curve,
                      const char *const *before);

/* --- screen.c --- */
typedef struct watch_screen {
  int terminal; /* 1: redrawn in place */
  int utf8, columns, rows;
  long long shown; /* samples when the last plain line was printed */
} watch_screen;
void watch_screen_begin(watch_screen *screen, FILE *out);
/* Reads the terminal's size; 1: it has changed. */
int watch_screen_measure(watch_screen *screen);
void watch_screen_draw(watch_screen *screen, const watch_follow *follow, const char *foot,
                       FILE *out);
/* Leaves the last picture behind. */
void watch_screen_end(watch_screen *screen, const watch_follow *follow, FILE *out);
/* Bytes of a record's texts that a terminal would obey are shown as ?; at most `most` characters
 * are printed. */
void watch_print_text(FILE *out, const char *text, int most);

/* --- state.c --- */
/* 1: an error or a residual, of which the size counts. */
int watch_is_size(const watch_follow *follow, int curve);
/* The state of the record, as JSON on one line; with_curves = 1: the curves too. */
void watch_print_json(const watch_follow *follow, int with_curves, FILE *out);

/* --- web.c: --web; refused where the command was built without libmicrohttpd --- */
typedef struct watch_web watch_web;
/* Serves on 127.0.0.1; port 0: any that is free. */
rattle_status watch_web_begin(watch_web **web, int port, rattle_error *error);
int watch_web_port(const watch_web *web);
/* Sets the text of /state.json, which is taken over. */
void watch_web_tell(watch_web *web, char *state);
/* 1: a page has asked for the state since it was last sent, or none has asked in the last few
 * seconds. */
int watch_web_told(watch_web *web);
void watch_web_end(watch_web **web);
#endif
