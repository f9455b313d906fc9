#ifndef REPORT_MOTION_H
#define REPORT_MOTION_H
/* Which coordinates are the place of something (motion.c), and what constraints make of it
 * (shape.c). */
#include <stdint.h>

#include "rattle/record.h"
#include "pages/report/drawn.h"
#include "pages/report/frames.h"

enum {
  REPORT_RUN_CLIPS = 3, /* beginning, whole and end of a run; or modes */
  REPORT_MOST_CLIPS = 6,
  REPORT_MOST_ANCHORS = 64,
  REPORT_MOST_BODIES = 64
};
/* A rotation matrix R, row by row; its columns are the body's axes. */
typedef struct report_body {
  int coordinate[9], column[9];
  double half[3]; /* of a box with the body's second moments: the longest is 1 */
} report_body;
typedef struct report_motion {
  int columns;
  int *coordinate; /* [columns] k: coordinate k; -1-k: momentum k */
  int particles, dimension;
  int is_space;              /* 1: the axes are those of space, in one unit; 0: coordinates of
                                any kind */
  int32_t *column;           /* [particles*3] column of x, y, z; -1: none. With a drawing of the
                                model: its codes */
  const report_drawn *drawn; /* NULL: the model does not say what it looks like */
  int surfaces;
  const rattle_drawing *surface;
  rattle_model *model; /* of the surfaces */
  const char *axis[3];
  int rods;
  int32_t *rod; /* [2*rods] particles; -1-k: anchor k */
  int anchors;  /* fixed points */
  double anchor[REPORT_MOST_ANCHORS][3];
  int bodies;
  report_body body[REPORT_MOST_BODIES];
  int clips;
  report_frames clip[REPORT_MOST_CLIPS];
} report_motion;
/* Finds particles; then, if there is a model, rods and bodies; then chooses what to show and
 * when. */
rattle_status report_motion_find(report_motion *motion, const rattle_record_info *info,
                                 rattle_error *error);
rattle_status report_shape_find(report_motion *motion, const rattle_record_info *info,
                                rattle_model *model, rattle_error *error);
/* Shows what the model draws, in place of what was found. */
rattle_status report_motion_draw(report_motion *motion, const report_drawn *drawn,
                                 rattle_error *error);
rattle_status report_motion_plan(report_motion *motion, const rattle_record_info *info,
                                 rattle_error *error);
/* As many clips of so many frames, of what is in space; none where nothing is. */
rattle_status report_motion_plan_clips(report_motion *motion, int clips, int frames,
                                       rattle_error *error);
void report_motion_free(report_motion *motion);
#endif
