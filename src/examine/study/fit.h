#ifndef RATTLE__FIT_H
#define RATTLE__FIT_H
/* Straight lines through points, and power laws through the significant points of a convergence
 * table. */

/* y = slope*x + intercept by least squares. */
typedef struct rattle__fit {
  double slope, intercept; /* intercept NaN for power laws with a correction */
  double uncertainty;      /* of the slope: half the interval of 95 % by Student's t; INFINITY if no
                      freedom is left */
  double deviation;        /* root mean square of the residuals */
  int first, points;       /* of the points given, which were used: first .. first + points - 1 */
} rattle__fit;

/* Through all points. slope NaN with less than two, or all at one x. */
rattle__fit rattle__fit_line(int count, const double *x, const double *y);

/* Half the interval of 95 % of a mean, in standard errors, by degrees of freedom; INFINITY if there
 * are none. */
double rattle__student(int freedom);

/* The floor of a value is so many times its noise: what is above it is known to 5 per cent and
 * better. */
#define RATTLE__MARGIN 20

/* value = C h^slope (1 + a h^next) through points of falling h; next = 2 for symmetric methods,
 * else 1; without the bracket where there are less than 5 points.
 *
 * A point can be used where floor < value <= top. Used is the end of the finest unbroken run of
 * such points, down to where values stop falling, and of that as many points as make the
 * uncertainty smallest (4 at least, or all where there are fewer). points = 0: nothing to fit, -1:
 * no memory; slope NaN. */
typedef struct rattle__power {
  int count;
  const double *h, *value, *floor; /* [count] */
  double top;
  int next;
} rattle__power;
rattle__fit rattle__fit_power(const rattle__power *power);
#endif
