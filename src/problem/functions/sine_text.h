/* Sine and cosine of an angle in numbers of type REAL, with the same operations and so the same
 * bits in each type. SWEEPS_NAME(x): the name of a function. No header guard: it is included once
 * for each type of numbers.
 *
 * Reduction  r = q - k pi/2, k the nearest whole number, pi/2 in three parts of which k times the
 *            first two, of 33 bits, are exact (W. J. Cody, W. Waite, Software Manual for the
 *            Elementary Functions, 1980): |q| <= 2^20; others are left to the C library
 * Functions  polynomials of r^2 that interpolate at Chebyshev's nodes of |r| <= pi/4: 1.4e-17 and
 *            9e-19; with rounding both are within 1.2e-16 */
#define SINE_LARGEST 0x1p20
#define SINE_SHIFT 0x1.8p52 /* x + this has the whole number nearest to x in its last bits */

SWEEPS_INLINE REAL SWEEPS_NAME(nearest_quarter)(REAL q) {
  return q * 0x1.45f306dc9c883p-1 + SINE_SHIFT;
}

SWEEPS_INLINE void SWEEPS_NAME(sine_of_rest)(REAL q, REAL shifted, REAL *sine, REAL *cosine) {
  const REAL k = shifted - SINE_SHIFT;
  const REAL r = ((q - k * 0x1.921fb544p+0) - k * 0x1.0b4611a6p-34) - k * 0x1.3198a2e037073p-69;
  const REAL z = r * r, half = 0.5 * z, w = 1.0 - half;
  const REAL s =
      ((((0x1.5e0af186af739p-33 * z - 0x1.ae600a926c89ap-26) * z + 0x1.71de37961e4c6p-19) * z -
        0x1.a01a019e8357dp-13) *
           z +
       0x1.1111111110bb1p-7) *
          z -
      0x1.5555555555555p-3;
  const REAL c =
      ((((-0x1.907d7aebd5e3dp-37 * z + 0x1.1eeb68b109173p-29) * z - 0x1.27e4fa17a41b4p-22) * z +
        0x1.a01a019f4e867p-16) *
           z -
       0x1.6c16c16c16966p-10) *
          z +
      0x1.5555555555555p-5;
  *sine = r + r * z * s;
  *cosine = w + (((1.0 - w) - half) + z * z * c); /* with the rounding of w */
}
