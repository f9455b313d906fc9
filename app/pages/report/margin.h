#ifndef REPORT_MARGIN_H
#define REPORT_MARGIN_H
/* How far the run stays from where its equations for the multipliers are singular. */
#include "rattle/problem.h"
#include "rattle/record.h"

typedef struct report_margin {
  long long count;
  double *time, *smallest, *condition; /* [count] of N = {{H,g_i},g_j}: smallest singular value,
                                          condition number */
} report_margin;
rattle_status report_margin_measure(report_margin *margin, const rattle_record *record,
                                    const rattle_problem *problem, rattle_error *error);
void report_margin_free(report_margin *margin);
#endif
