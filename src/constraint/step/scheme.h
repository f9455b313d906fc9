#ifndef RATTLE__SCHEME_H
#define RATTLE__SCHEME_H
/* Explicit maps of separable H: kick k1 h, drift d1 h, kick k2 h, drift d2 h; kick c: p -= c h
 * V_q(q), drift c: q += c h T_p(p). */
typedef struct rattle__scheme {
  double k1, d1, k2, d2;
  int symmetric;
} rattle__scheme;
#endif
