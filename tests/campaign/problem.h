#ifndef CAMPAIGN_PROBLEM_H
#define CAMPAIGN_PROBLEM_H
/* A random problem of the campaign: formulas of H and g, a start on the constraints, a run; and its
 * model as Lua text. */
#include <stdio.h>

#include "formula.h"
#include "numbers.h"

enum { PAIRS = 128, CONSTRAINTS = 64 };

typedef struct units {
  double length, mass, time;
} units;

/* The variables that a slide along a fibre moves: momenta (g(q)), positions (g(p)), or both. */
typedef enum fibre { FIBRE_MOMENTA, FIBRE_POSITIONS, FIBRE_CURVED } fibre;

typedef struct problem {
  const char *family;
  uint64_t seed, index;
  formula f; /* variables: coordinates 0 .. n-1, momenta n .. 2n-1 */
  int n, m;
  int natural;                          /* H = p^T W p/2 + V(q), W constant, g(q): H is V then */
  int diagonal;                         /* W is diagonal, and printed as masses */
  double mass[PAIRS], W[PAIRS * PAIRS]; /* W where not diagonal */
  formula_sum H, g[CONSTRAINTS];
  int timed;  /* the last pair is the time and minus the energy supplied: H is H + p_t, which no
                sum has */
  int forced; /* p' = -H_q + force */
  formula_sum force[PAIRS];
  char constraint[CONSTRAINTS][32];
  fibre fibre;
  int second_class, distances; /* distances: how many constraints are |a - b|^2 = d^2 */
  int has_part;
  formula_sum part; /* a function that never passes 0 along a motion: which part of the constraint
               manifold */
  units unit;
  double q[PAIRS], p[PAIRS]; /* the start */
  double
      off; /* > 0: the model's start is off the constraints by so many lengths, to be projected */
  double off_q[PAIRS], off_p[PAIRS];
  int ill;      /* N is so badly conditioned that only exact derivatives do */
  double touch; /* > 0: the start is this far from where two parts nearly touch */
  const struct method *method;
  double h;
  int steps, native;
} problem;

typedef struct family {
  const char *name, *text;
  /* Makes problem and start; 0 if this draw gives none (another is made from the next numbers). */
  int (*make)(problem *pr, randoms *r);
  int fork; /* 1: its parts meet: counted, not judged */
} family;

/* Groups of families; each ends with one without a name, and the last group is NULL. */
extern const family *const family_groups[];
extern const family fixed[], linkages[], large[], surfaces[], steep[], driven[], generals[];

/* True if a list of names, parted by commas, chooses that family of the group; "large": all with many
 * constraints. NULL: all but those, and the steep ones. */
int family_chosen(const family *group, const family *of, const char *names);
/* Makes problem `index` of the family; free with problem_free. */
void problem_make(problem *pr, const family *of, uint64_t seed, uint64_t index);
void problem_free(problem *pr);
/* Sets pr->fibre. */
void problem_classify(problem *pr);
/* Its model as Lua text, to be freed. */
char *problem_text(const problem *pr);
#endif
