#ifndef RATTLE__ZEROS_H
#define RATTLE__ZEROS_H
/* zeros.c: all real zeros of a function on an interval. */

enum { RATTLE__ZEROS = 128 }; /* the highest degree of its interpolation */

/* f at x; other than 0: it has no value there. */
typedef int rattle__line(void *self, double x, double *f);

typedef struct rattle__zeros {
  double zero[RATTLE__ZEROS]; /* the zeros found, ascending */
  double point[RATTLE__ZEROS + 1], value[RATTLE__ZEROS + 1], c[RATTLE__ZEROS + 1];
  double real[RATTLE__ZEROS], imaginary[RATTLE__ZEROS], H[RATTLE__ZEROS * RATTLE__ZEROS];
} rattle__zeros;

void rattle__zeros_begin(rattle__zeros *zeros); /* once */
/* How many zeros there are in [low, high], with the digits of the interpolation: some may lie
 * beyond by a millionth of the interval, and nearly a double zero may be found as none, one or two.
 * -1: f is not smooth enough, or not defined all over the interval. */
int rattle__zeros_find(rattle__zeros *zeros, rattle__line *f, void *self, double low, double high);
#endif
