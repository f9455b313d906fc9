#ifndef RATTLE__FORMS_H
#define RATTLE__FORMS_H
/* Rows of quadratic g written out as F + G x + B(x, x)/2, and what they say of rigid bodies. */
#include "ground/expr/quadratic.h"
#include "ground/support/arena.h"
#include "constraint/tree/tree.h"

enum { RATTLE__FORM_MOST = 24 }; /* columns of a row: those of R and x of two bodies */

typedef struct rattle__form {
  int count;
  int col[RATTLE__FORM_MOST];
  double constant, slope[RATTLE__FORM_MOST], bend[RATTLE__FORM_MOST][RATTLE__FORM_MOST];
  double size; /* the largest coefficient */
} rattle__form;

/* The rows of one function. */
typedef struct rattle__form_source {
  rattle__quadratic *g; /* NULL: none */
  rattle__ball *F, *G;
  int *first, *bend; /* bends by row: those of row i are bend[first[i] .. first[i + 1]) */
} rattle__form_source;

/* Rows of g, then those that were omitted since they follow from others. */
typedef struct rattle__forms {
  rattle__form_source source[2];
  int vars, rows;
} rattle__forms;

/* 0: they are not from expressions, or scratch->failed. */
int rattle__forms_create(rattle__forms *forms, const rattle_problem *problem,
                         rattle__arena *scratch);
void rattle__forms_destroy(rattle__forms *forms);
/* How many columns a row has. */
int rattle__form_columns(const rattle__forms *forms, int row);
/* 0: the row has too many columns, or is not of degree 2, or not one of coordinates. */
int rattle__form_read(const rattle__forms *forms, int row, rattle__form *form);

/* True if x is 0, next to a number of that size, but for the rounding of the row's text. */
static inline int rattle__is_nothing(double x, double size) {
  return fabs(x) <= 0x1p-49 * size;
}

/* The place of a column in a body. */
typedef struct rattle__place {
  int body; /* -1: in none */
  int part; /* 0: x; 1, 2, 3: r_1, r_2, r_3; of a loose coordinate which one it is */
  int axis;
} rattle__place;

/* bodies.c: the bodies of all rows r_j.r_k = delta_jk, their coordinates and masses; marks these
 * rows in used [rows]. Returns how many there are; place [vars] */
int rattle__bodies_find(const rattle__forms *forms, const double *inverse_mass,
                        rattle__tree_body *body, rattle__place *place, char *used);

/* A pair of bodies that rows join; b -1: the ground. */
typedef struct rattle__joined_pair {
  int a, b;
  int points, axes; /* points: bits of the components of point rows */
  int taken;        /* by a joint of the tree: 1: points, 2: axes too */
  vec on_a, on_b;   /* the point in a and b, or in space */
  mat C[2];         /* axis rows: (R_a .)^T C (R_b .) = 0 */
  int row[2];       /* these */
} rattle__joined_pair;

/* joints.c: the pairs that rows which are not used join [rows]; others are marked, in other
 * [rows]. */
int rattle__pairs_find(const rattle__forms *forms, const rattle__place *place, const char *used,
                       char *other, rattle__joined_pair *pair);
/* The joint of a pair as that of body c, one of the two. 0: it is none. */
int rattle__pair_is_joint(rattle__joined_pair *pair, int c, rattle__tree_body *body);
/* C = c v w^T with unit vectors. 0: it is no such product. */
int rattle__is_outer(mat C, vec *v, vec *w);
#endif
