#ifndef RATTLE_DRAW_H
#define RATTLE_DRAW_H
/* Drawings of a model: shapes at places that are expressions in the coordinates, momenta and time.
 * They never change what is computed. Reports show them (docs/models.md); a record has them in the
 * text of its model. */
#include "rattle/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/* kind "point":    a ball; size[0]: its radius
 *      "link":     a bar between two places; size[0]: its thickness
 *      "spring", "damper": between two places; size[0]: their width
 *      "cylinder": between two places; size[0]: its radius, needed
 *      "sphere":   size[0]: its radius, needed
 *      "rail":     the line through two places as far as something goes on it: axes[0], needed, is
 *                  where that is, 0 at the first place and 1 at the second; size[0]: thickness
 *      "guide":    the curve that a point of a body goes on, as far as it goes: at[1] is that point
 *                  as the body sees it, at[0] where the body stands, axes how; a thin line
 *      "box":      size: the lengths of its edges, needed; axes: their directions
 *      "mark":     a joint, or a fixed point
 *      "surface":  where `zero` is 0: a surface in space, a curve in the plane */
typedef struct rattle_drawing {
  size_t struct_size; /* sizeof, or 0: status.h */
  const char *kind;
  rattle_expr at[2][3]; /* places x, y, z; z RATTLE_EXPR_NONE: in the plane. The second one is for
                         * shapes between two places */
  rattle_expr axes
      [9]; /* of a box or a guide: the rotation matrix by rows; axes[0] RATTLE_EXPR_NONE: those of
                        * space. axes[0] alone of a rail: where on it something is */
  double size[3];     /* in the unit of the places; 0: chosen by whoever draws */
  const char *colour; /* "blue", "orange", "green", "pink", "yellow", "sky", "purple", "grey" or
                 "#rrggbb"; NULL: chosen by whoever draws */
  rattle_expr zero;   /* of a surface: an expression in `over` alone */
  int over[3];        /* pairs whose coordinates are its x, y and z; z -1: in the plane */
} rattle_drawing;

/* Copied. BAD_ARGUMENT with the reason; a model has at most 10 000 drawings, 8 of them surfaces. */
RATTLE_API rattle_status rattle_model_add_drawing(rattle_model *model,
                                                  const rattle_drawing *drawing,
                                                  rattle_error *error);
/* The i-th one, into a struct that begins with its struct_size (drawing may be NULL; its strings
 * belong to the model); returns how many there are. */
RATTLE_API int rattle_model_drawing(const rattle_model *model, int i, rattle_drawing *drawing);
/* The coordinate of a pair is an angle, in radians: 2 pi is a full turn. */
RATTLE_API rattle_status rattle_model_add_angle(rattle_model *model, int pair, rattle_error *error);
RATTLE_API int rattle_model_is_angle(const rattle_model *model, int pair);

#ifdef __cplusplus
}
#endif
#endif
