#ifndef RATTLE_PLOT_CASES_H
#define RATTLE_PLOT_CASES_H
/* Columns of a sweep: what its figures and its tables share. */
#include "figures/plot/plot.h"

/* A column: `width` numbers for each case, NaN where there is none. */
typedef struct cases_numbers {
  long long cases, good; /* good: that ended well */
  int width;
  double *value; /* [cases*width] */
  const char *name;
} cases_numbers;

/* The column by its name, or by what follows "set:" or "start:"; name NULL: column k. */
rattle_status cases_find(const plot_source *source, const char *name, int k, int *column,
                         rattle_error *error);
/* The name of an axis: of columns that it may mean, what differs comes first. */
const char *cases_axis(const plot_source *source, const char *name);
rattle_status cases_read(cases_numbers *numbers, const plot_source *source, const char *name, int k,
                         rattle_error *error);
/* 1: it says what differs from case to case */
int cases_is_input(const char *name);
/* 1: it is what every sweep keeps */
int cases_is_common(const char *name);
/* The first column that is no input and none of those that every sweep has. */
const char *cases_first_result(const rattle_cases_about *about);
/* Typeset; the caller's, NULL: no memory. */
char *cases_symbol(const char *name);

/* Method number k of the plan. */
char *cases_method(const rattle_cases_about *about, double k);
/* The different values of a column with one number for each case, ascending; the caller's, NULL: no
 * memory. */
double *cases_values(const cases_numbers *numbers, long long *count);

/* Means of column z over the different values of x and y. cases_grid_free in any case. */
typedef struct cases_grid {
  cases_numbers column[3];
  double *axis[2]; /* ascending */
  long long count[2], cases;
  double *mean; /* [count[1]][count[0]], NaN: no case is there */
} cases_grid;
rattle_status cases_grid_make(cases_grid *grid, const plot_request *request, const char *z,
                              long long most, rattle_error *error);
void cases_grid_free(cases_grid *grid);
#endif
