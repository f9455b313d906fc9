#ifndef RATTLE_BASE_MAP_H
#define RATTLE_BASE_MAP_H
/* Base maps of your own: a one-step map phi_h of the phase space, from H and its derivatives. Added
 * by a plug-in (plugin.h), its name stands in expressions like those of the table: NAME,
 * rattle(NAME), shake(NAME), suzuki4(rattle(NAME)).
 *
 * z = (q, p) has 2n entries, coordinates first. Constraints are the wrappers' work: a base map sees
 * H alone. */
#include "rattle/problem.h"

#ifdef __cplusplus
extern "C" {
#endif

/* H, for a base map. Functions return 0, or the value of a callback or domain error that failed:
 * pass it on. Arrays must not overlap. */
typedef struct rattle_equations rattle_equations;
struct rattle_equations {
  size_t struct_size;
  int n;    /* pairs */
  int kind; /* RATTLE_SEPARABLE | ... (problem.h) */
  const rattle_problem *problem;
  /* gradient[2n] of H at z[2n] */
  int (*gradient)(const rattle_equations *H, const double *z, double *gradient);
  /* of H = T(p) + V(q) alone, else NULL: V_q[n] at q[n], T_p[n] at p[n] */
  int (*force)(const rattle_equations *H, const double *q, double *V_q);
  int (*velocity)(const rattle_equations *H, const double *p, double *T_p);
};

/* A base map and its claims. `rattle verify` measures each claim. */
typedef struct rattle_base_map {
  size_t struct_size;
  const char *
      name; /* letters, digits, underscores, a letter first; at most 31, and no name of the table */
  const char *text, *citation; /* a line of description; source ("" if none) */
  const char *formula;         /* z1 from z0, as in rattle_method_row; NULL: none */
  /* Claims, of problems without constraints. symmetric: phi_{-h} phi_h = 1; explicit_: a step
   * evaluates H equally often everywhere and solves no equations */
  int order, symmetric, symplectic, explicit_;
  int needs; /* RATTLE_SEPARABLE | ...: properties that a problem must have; 0: none */
  /* Scratch memory for one integrator, which one thread uses at a time: *self. NULL: none is
   * needed. Returns 0, else the integrator is not created. destroy is called once after a
   * successful create */
  int (*create)(void **self, const rattle_equations *H);
  void (*destroy)(void *self);
  /* z1[2n] = phi_h(z0[2n]), a function of h and z0 alone, to the bit; h may have either sign.
   * Allocates nothing. Returns 0; positive: there is no step from here; negative: fatal. The
   * integrator's state is unchanged then */
  int (*step)(void *self, const rattle_equations *H, double h, const double *z0, double *z1);
  /* W[k] <- Dphi_h(z0) W[k] for `count` vectors of 2n, row by row; for Newton matrices of shake and
   * rattle. NULL: differences of `step`, which cost more evaluations and change no result beyond
   * round-off */
  int (*tangent)(void *self, const rattle_equations *H, double h, const double *z0, int count,
                 double *W);
} rattle_base_map;

#ifdef __cplusplus
}
#endif
#endif
