#ifndef CAMPAIGN_WORKSHOP_H
#define CAMPAIGN_WORKSHOP_H
/* Functions that the generators of families share. Lengths, masses and times are numbers near 1
 * times the units of the problem. */
#include "problem.h"

typedef struct place {
  int count, at[3]; /* nodes of its coordinates */
} place;

/* Units: 1 for most, else up to 1e9 or down to 1e-9. */
void draw_units(problem *pr, randoms *r);
/* Begins a problem with n pairs named by `names`, words parted by spaces; random masses. */
void problem_begin(problem *pr, randoms *r, int n, const char *names);
/* The shift of a mechanism from the origin: a vector, in units of length: 0, near 1, or up to
 * 1000. */
void draw_origin(randoms *r, int dimensions, double *shift);
void draw_direction(randoms *r, int dimensions, double *u); /* a unit vector */

formula_sum *problem_constrain(problem *pr, const char *name);
place place_of(problem *pr, int first, int dimensions); /* the variables first, first+1, ... */
place place_fixed(problem *pr, int dimensions, const double *at); /* a point that does not move */
/* |a - b| = distance as form 0: |a - b|^2 - d^2, 1: |a - b| - d, 2: (|a - b|^2/d^2 - 1)/2 */
void constrain_distance(problem *pr, const char *name, place a, place b, double distance, int form);
/* 0 mostly */
int draw_form(randoms *r);
/* (a - b) x (c - d), of plane points: pr->part */
void part_cross(problem *pr, place a, place b, place c, place d);

/* Weight along coordinates first, first + stride, ... */
void add_gravity(problem *pr, double strength, int first, int stride);
/* Springs, anharmonic terms and waves in the coordinates. */
void add_potential(problem *pr, randoms *r, double strength);
/* Momenta: at rest, slow or of the size 1, before settling. */
void draw_momenta(problem *pr, randoms *r);
/* A step and a number of steps. */
void draw_run(problem *pr, randoms *r);
/* Moves q onto g = 0 and p onto psi = 0, in long double; 1 if that fails or N is worse conditioned
 * than 1/margin. */
int problem_settle(problem *pr, double margin);
/* The same on any problem, z as near as can be; needs first class constraints. */
int problem_settle_general(problem *pr, double margin);
int problem_settle_second_class(problem *pr, double margin);
/* Variable k of z in sizes that are near 1, less `at`. */
int node_near(problem *pr, int k, double at);
/* Momenta, settling, run: what most generators end with; 1 if there is a problem. */
int problem_finish(problem *pr, randoms *r, double margin);
#endif
