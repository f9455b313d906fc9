#ifndef RATTLE__TRACE_H
#define RATTLE__TRACE_H
/* The substeps of a step, written down where somebody asked for them. */
typedef struct rattle__trace {
  int count, room; /* substeps, and the most there can be */
  double *h, *z;   /* their lengths [room], and the points between them [(room+1) * 2n] */
} rattle__trace;
#endif
