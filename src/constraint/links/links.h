#ifndef RATTLE__LINKS_H
#define RATTLE__LINKS_H
/* Distance constraints of a natural problem: both stages of a step, positions and momenta, by an
 * algorithm that takes healthy steps only (molecules.c, trees.c). */
typedef struct rattle__links rattle__links;

struct rattle__links {
  /* From q0 and w = M^-1 p: w with the impulses of the constraints, p changed likewise, q1 = q0 + h
   * w. Returns 0 where that leaves doubt. All [n] */
  int (*positions)(rattle__links *links, double h, const double *q0, double *w, double *p,
                   double *q1);
  /* p onto psi = 0 at q1, where the last positions ended; w is scratch. Returns 0 where that leaves
   * doubt */
  int (*momenta)(rattle__links *links, const double *q1, double *w, double *p);
  void (*destroy)(rattle__links *links); /* what the arena does not hold; may be NULL */
  const char *name;                      /* of the solver, for users */
  const double *inverse;                 /* the diagonal of M^-1 [n] */
  int corrections, factorisations;       /* of the last links; molecules do not count theirs */
  double g, psi, residual; /* the largest |g| and |psi| of the last links, and residual in units of
                   round-off */
};
#endif
