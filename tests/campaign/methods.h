#ifndef CAMPAIGN_METHODS_H
#define CAMPAIGN_METHODS_H
/* The methods that runs use, and the equations of their steps. */
#include "problem.h"

typedef enum method_form {
  RATTLE_STEP,   /* slide, Runge-Kutta method, slide */
  SHAKE_STEP,    /* slide, Runge-Kutta method: the start's place on its fibre does not count */
  SPARK_STEP,    /* multipliers at each stage */
  DISCRETE_STEP, /* a discrete gradient, of the constraints too */
  LOOSE          /* no equations here: judged by what the motion does */
} method_form;

/* Needs of methods. */
enum {
  NEEDS_NATURAL = 1,
  NEEDS_POSITIONS = 2,
  NEEDS_DISTANCES = 4,
  NEEDS_SECOND_CLASS = 8,
  NEEDS_GRADIENT = 16 /* no other forces */
};

typedef struct tableau {
  int stages;
  long double a[3][3], ahat[3][3], b[3]; /* q with a, p with ahat */
} tableau;

/* Steps of parts of h, one after the other. */
typedef struct composition {
  int stages;
  long double part[9];
} composition;

typedef struct method {
  const char *text;
  method_form form;
  const tableau *of;
  int needs;
  const composition *compose; /* NULL: one step */
  int sweeps;                 /* 1: its solver goes over the constraints one by one */
  int weight;                 /* how often it is drawn, of the sum */
} method;

extern const tableau verlet_a, verlet_b, midpoint, gauss2, lobatto3;
extern const method methods[]; /* ends with one without text */

/* NULL if it is not in the table. */
const method *method_named(const char *text);
/* True if a problem meets a method's needs, and the truth about it can be computed. */
int method_suits(const method *how, const problem *pr);
/* One of those that suit the problem. */
const method *method_draw(const problem *pr, randoms *r);
#endif
