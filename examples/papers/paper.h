#ifndef PAPER_H
#define PAPER_H
/* Experiments of the literature: what a paper states, what is obtained, and the data of its
 * figures.
 *
 * An experiment is a function over the public interface of the library. It is a program
 * (program.c), a test, and a part of `rattle gallery`. */
#include <stddef.h>

#include "rattle/rattle.h"

typedef struct paper paper; /* the output of an experiment */

typedef struct paper_experiment {
  const char *name;   /* of its file, its program and its folder of figures */
  const char *title;  /* one line */
  const char *source; /* the paper, with section */
  const char *about;  /* what is to be seen, a sentence */
  int (*run)(paper *out);
} paper_experiment;

/* All of them; NULL ends the list. */
extern const paper_experiment *const paper_experiments[];

/* Writes to standard output and, where folder is not NULL, to folder/NAME/: claims.txt (lines
 * "heading", "say" or "claim", then tabs: what, claimed, obtained, holds), figures.txt (what each
 * figure is) and FIGURE.dat (its curves, two empty lines apart). Returns how many claims failed, -1
 * if the experiment could not run (the reason is on standard error). */
int paper_perform(const paper_experiment *experiment, const char *folder);

/* --- for experiments --- */

/* Texts are words, with formulas between two $: letters, Greek ones by name, _ and ^ as in $z_1^-$,
 * $e^{-h t}$. Pages set them, terminals show what is between. paper_plain writes a text without the
 * $. */
void paper_plain(char *to, size_t size, const char *text);
/* A heading; a sentence. printf formats. */
void paper_heading(paper *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
void paper_say(paper *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A line of the table: the quantity, the paper's words, what was obtained. It holds if low <=
 * obtained <= high: the paper's number with its rounding, or the corrected one (docs/errata.md),
 * which the words then name. */
void paper_claim(paper *out, const char *what, const char *claimed, double obtained, double low,
                 double high);

/* Figures: curves of points. A NaN in y ends a piece of a curve. kind: "lines", "points", "marked"
 * (both). */
typedef struct paper_figure {
  const char *name, *caption, *x, *y; /* axes */
  const char *kind;
  int log_x, log_y, equal; /* equal: one unit is the same length on both axes */
} paper_figure;
void paper_figure_begin(paper *out, const paper_figure *figure);
void paper_curve(paper *out, const char *label);
void paper_point(paper *out, double x, double y);
void paper_figure_end(paper *out);

/* A model with a method, ready to step. Each call that fails ends the experiment (it does not
 * return). */
typedef struct paper_run {
  rattle_model *model;
  rattle_problem *problem;
  rattle_integrator *integrator;
  rattle_state state;
  double *z; /* (q, p) [2n], state.q = z, state.p = z + n */
  int n, m;
} paper_run;
/* The model's own start; h and the method as given. */
paper_run *paper_run_open(paper *out, const char *model, const char *method, double h);
/* Closes a run before the end of the experiment, which closes all of them. */
void paper_run_close(paper *out, paper_run *run);
void paper_run_step(paper *out, paper_run *run, long long steps);
/* As paper_run_step; returns the status instead of ending the experiment if a step fails. */
rattle_status paper_run_try(paper_run *run, long long steps, rattle_error *error);
/* The state as output shows it: (q, p) [2n], H, max |g_i|, max |psi_i|. Results may be NULL. */
void paper_run_look(paper *out, paper_run *run, double *z, double *H, double *g, double *psi);

/* The slope of log|y| over log|t| of `count` points by least squares: the exponent of growth. */
double paper_exponent(const double *t, const double *y, int count);
/* Power 2|X_k|^2/N^2 at the frequencies k/(N dt), k = 1 .. N/2 (Seiler's periodogram), N any
 * number. */
void paper_periodogram(const double *x, int N, double *power);
/* max |y_i| */
double paper_largest(const double *y, int count);
/* Ends the experiment with a reason. */
_Noreturn void paper_stop(paper *out, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
#endif
