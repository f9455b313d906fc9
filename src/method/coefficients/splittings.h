#ifndef RATTLE__COEFF_SPLITTINGS_H
#define RATTLE__COEFF_SPLITTINGS_H
/* Symmetric splittings exp(c_0 h A) exp(c_1 h B) exp(c_2 h A) ... exp(c_{parts-1} h A) of H = T +
 * V, T quadratic in p. */

enum { RATTLE__SPLITTING_PARTS = 29 };
typedef struct rattle__rkn_splitting {
  int parts;      /* odd */
  int kick_first; /* A is V, B is T; else the other way round */
  double c[RATTLE__SPLITTING_PARTS];
} rattle__rkn_splitting;

/* By the name of the row; returns 0 if there is none of that name. */
int rattle__splitting_of(const char *name, rattle__rkn_splitting *splitting);
#endif
