/* Part of a kernel's text: where the parts of a step with stages and its loop find their numbers.
 * Plain C without includes. */
#ifndef RATTLE__STAGES_NUMBERS_H
#define RATTLE__STAGES_NUMBERS_H

/* u unknowns, the last m of which are lambda: they, f, |f| in units; J or its factors; |g|, psi,
 * |psi| in units, sigma or its last change, and N^-1 psi' X_H, the multipliers of the point; N, N1
 * and its factors; V and the kinetic energy, or H and 0; 1/(dt/dsigma), t being the time along the
 * fibre; all of sigma; a vector. */
#define RATTLE__AT_UNKNOWN(u, m) 0
#define RATTLE__AT_STAGE_F(u, m) (u)
#define RATTLE__AT_MISFIT(u, m) (2 * (u))
#define RATTLE__AT_J(u, m) (3 * (u))
#define RATTLE__AT_HELD(u, m) ((3 + (u)) * (u))
#define RATTLE__AT_HIDDEN(u, m) (RATTLE__AT_HELD(u, m) + (m))
#define RATTLE__AT_DRIFT(u, m) (RATTLE__AT_HELD(u, m) + 2 * (m))
#define RATTLE__AT_PUSH(u, m) (RATTLE__AT_HELD(u, m) + 3 * (m))
#define RATTLE__AT_RATE(u, m) (RATTLE__AT_HELD(u, m) + 4 * (m))
#define RATTLE__AT_N_FIRST(u, m) (RATTLE__AT_HELD(u, m) + 5 * (m))
#define RATTLE__AT_N_LAST(u, m) (RATTLE__AT_N_FIRST(u, m) + (m) * (m))
#define RATTLE__AT_N_FACTORS(u, m) (RATTLE__AT_N_FIRST(u, m) + 2 * (m) * (m))
#define RATTLE__AT_ALL_OF_H(u, m) (RATTLE__AT_N_FIRST(u, m) + 3 * (m) * (m))
#define RATTLE__AT_SLOWNESS(u, m) (RATTLE__AT_ALL_OF_H(u, m) + 2)
#define RATTLE__AT_SLID(u, m) (RATTLE__AT_SLOWNESS(u, m) + (m))
#define RATTLE__AT_VECTOR(u, m) (RATTLE__AT_SLID(u, m) + (m))
#endif
