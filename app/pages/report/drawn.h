#ifndef REPORT_DRAWN_H
#define REPORT_DRAWN_H
/* The drawing of the model itself. */
#include <stdint.h>

#include "rattle/draw.h"
#include "rattle/model.h"

/* Numbers of a picture are codes: 0 and more: a column, NONE: 0 in the plane, less: constant[-2 -
 * code]. */
enum { REPORT_NONE = -1 };
typedef struct report_thing {
  rattle_drawing is;
  int at; /* its first place */
  int32_t axes[9];
} report_thing;
typedef struct report_drawn {
  int things, places, columns, constants, dimension; /* things 0: nothing is drawn by the model
                                                        but surfaces */
  report_thing *thing;
  int32_t *place; /* [3 places] codes */
  double *constant;
  int first; /* the columns are the observables of the problem from this one on */
  int surfaces;
  rattle_drawing surface[8];
} report_drawn;
/* Reads what the model draws, and adds the columns to what it observes: before its problem is
 * made. */
rattle_status report_drawn_read(report_drawn *drawn, rattle_model *model, rattle_error *error);
void report_drawn_free(report_drawn *drawn);
/* surface.c: a surface within a box, as values on a grid of `count` points, x fastest; malloc'ed,
 * NULL without memory. */
double *report_surface_values(rattle_model *model, const rattle_drawing *surface,
                              const double low[3], const double high[3], int count[3]);
#endif
