#ifndef REPORT_REMAKE_H
#define REPORT_REMAKE_H
/* Model and problem of a run. */
#include "rattle/problem.h"
#include "rattle/record.h"
#include "rattle/study.h"
#include "pages/report/drawn.h"

typedef struct report_remade {
  rattle_model *model;     /* NULL: why says */
  rattle_problem *problem; /* NULL: why says */
  report_drawn drawn;
  char why[1024];            /* "" if both are there */
  double g_terms, psi_terms; /* the largest sum of magnitudes of the terms of g_i and of psi_i,
                                at the first and last samples */
  int was_projected;         /* the start of the model is off the constraints: the run was given
                                --project */
} report_remade;
void report_remake(report_remade *remade, const rattle_record *record);
/* The same of a study. */
void report_remake_study(report_remade *remade, const rattle_study_result *result);
void report_remade_free(report_remade *remade);
/* terms.c: sums of magnitudes at a point, for the first constraints. NaN if they are not
 * available. */
double report_terms_of_g(rattle_model *model, const double *z);
double report_terms_of_psi(rattle_model *model, const double *z);
#endif
