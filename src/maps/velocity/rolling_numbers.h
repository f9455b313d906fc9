/* Part of a kernel's text: where the parts of a step and its loop find their numbers. Plain C
 * without includes. */
#ifndef RATTLE__ROLLING_NUMBERS_H
#define RATTLE__ROLLING_NUMBERS_H

/* Numbers that the parts and the loop share: lambda, f, |f| in units, |g|; psi, |psi| in units,
 * sigma; N and N1, or their factors, R, C1 B; V and the kinetic energy. */
#define RATTLE__AT_LAMBDA(m) 0
#define RATTLE__AT_F(m) (m)
#define RATTLE__AT_RESIDUAL(m) (2 * (m))
#define RATTLE__AT_G(m) (3 * (m))
#define RATTLE__AT_PSI(m) (4 * (m))
#define RATTLE__AT_SLIP(m) (5 * (m))
#define RATTLE__AT_SIGMA(m) (6 * (m))
#define RATTLE__AT_N(m) (7 * (m))
#define RATTLE__AT_N1(m) ((7 + (m)) * (m))
#define RATTLE__AT_R(m) ((7 + 2 * (m)) * (m))
#define RATTLE__AT_TURN(m) ((7 + 3 * (m)) * (m))
#define RATTLE__AT_ENERGY(m) ((7 + 4 * (m)) * (m))
#endif
