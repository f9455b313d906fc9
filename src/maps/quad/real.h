#ifndef RATTLE__REAL_H
#define RATTLE__REAL_H
/* Numbers of 113 bits (RATTLE_QUAD, found by cmake/needs.cmake): long double where it has them, as
 * on aarch64, with the functions of libm; else __float128 and libquadmath, whose names stand for
 * both. */
#include <float.h>

#if LDBL_MANT_DIG == 113
#include <math.h>
#include <stdlib.h>

typedef long double real;

#define sqrtq sqrtl
#define expq expl
#define logq logl
#define sinq sinl
#define cosq cosl
#define tanq tanl
#define asinq asinl
#define acosq acosl
#define atanq atanl
#define sinhq sinhl
#define coshq coshl
#define tanhq tanhl
#define expm1q expm1l
#define log1pq log1pl
#define erfq erfl
#define erfcq erfcl
#define powq powl
#define atan2q atan2l
#define fabsq fabsl
#define strtoflt128 strtold
#else
__extension__ typedef __float128 real;

/* of <quadmath.h>, which clang does not find */
real sqrtq(real), expq(real), logq(real), sinq(real), cosq(real), tanq(real), asinq(real),
    acosq(real), atanq(real), sinhq(real), coshq(real), tanhq(real), expm1q(real), log1pq(real),
    erfq(real), erfcq(real), powq(real, real), atan2q(real, real), fabsq(real);
real strtoflt128(const char *text, char **end);
#endif

#define REAL_EPSILON ((real)0x1p-112)
#endif
