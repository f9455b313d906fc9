/* The nondegeneracy of N = {{H,g_i},g_j} along a run, at samples spread over it. */
#include <math.h>
#include <stdlib.h>

#include "pages/report/margin.h"
#include "words/error.h"

enum { MOST_POINTS = 600, LEAST_POINTS = 20 };

/* Fewer points where one costs more. */
static long long points_for(const rattle_record_info *info) {
  double cost = (double)info->n * (1 + (double)info->m * (double)info->m / 50);
  double points = 4e6 / (1 + cost);
  if (points > MOST_POINTS) points = MOST_POINTS;
  if (points < LEAST_POINTS) points = LEAST_POINTS;
  return points < (double)info->samples ? (long long)points : info->samples;
}

rattle_status report_margin_measure(report_margin *margin, const rattle_record *record,
                                    const rattle_problem *problem, rattle_error *error) {
  const rattle_record_info *info = rattle_record_info_of(record);
  long long points = points_for(info);
  size_t n = (size_t)info->n;
  *margin = (report_margin){0};
  double *z = malloc((2 * n + 1) * sizeof *z);
  margin->time = malloc(3 * ((size_t)points + 1) * sizeof(double));
  if (!z || !margin->time) {
    free(z);
    return text_no_memory(error);
  }
  margin->smallest = margin->time + points, margin->condition = margin->smallest + points;
  rattle_status status = RATTLE_OK;
  for (long long i = 0; i < points && !status; i++) {
    long long sample =
        points > 1 ? (long long)((double)(info->samples - 1) * (double)i / (double)(points - 1))
                   : 0;
    status =
        rattle_record_read(record, sample, 1, &margin->time[i], NULL, z, z + n, NULL, NULL, error);
    if (status) break;
    rattle_error why;
    double smallest = (double)NAN, condition = (double)NAN;
    (void)rattle_problem_nondegeneracy(problem, z, z + n, &smallest, &condition, &why);
    margin->smallest[i] = smallest, margin->condition[i] = condition;
    margin->count = i + 1;
  }
  free(z);
  return status;
}

void report_margin_free(report_margin *margin) {
  free(margin->time);
  *margin = (report_margin){0};
}
