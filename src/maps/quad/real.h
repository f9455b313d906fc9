#ifndef RATTLE__REAL_H
#define RATTLE__REAL_H
/* Numbers of 113 bits: __float128 and libquadmath, where the compiler has them (RATTLE_QUAD, found
 * by CMakeLists.txt). */
__extension__ typedef __float128 real;

/* of <quadmath.h>, which clang does not find */
real sqrtq(real), expq(real), logq(real), sinq(real), cosq(real), tanq(real), asinq(real),
    acosq(real), atanq(real), sinhq(real), coshq(real), tanhq(real), expm1q(real), log1pq(real),
    erfq(real), erfcq(real), powq(real, real), atan2q(real, real), fabsq(real);
real strtoflt128(const char *text, char **end);

#define REAL_EPSILON ((real)0x1p-112)
#endif
