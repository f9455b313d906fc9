/* Sine and cosine of LANES angles at once, in vectors lanes_real (sine_text.h). Part of a source
 * for a compiler too, without includes, so that there is no header guard. */
typedef unsigned long long lanes_bits __attribute__((vector_size(8 * LANES)));

SWEEPS_INLINE void lanes_sine_cosine(lanes_real q, lanes_real *sine, lanes_real *cosine) {
  const lanes_real shifted = lanes_nearest_quarter(q);
  const lanes_bits quarter = (lanes_bits)shifted, odd = -(quarter & 1);
  lanes_real s, c;
  lanes_sine_of_rest(q, shifted, &s, &c);
  const lanes_bits sine_of = (odd & (lanes_bits)c) | (~odd & (lanes_bits)s),
                   cosine_of = (odd & (lanes_bits)s) | (~odd & (lanes_bits)c);
  *sine = (lanes_real)(sine_of ^ ((quarter & 2) << 62));
  *cosine = (lanes_real)(cosine_of ^ (((quarter + 1) & 2) << 62));
}

/* The highest bit of a lane is 1 if its angle is beyond those that lanes_sine_cosine takes: of what
 * is not negative, bits have the order of numbers. */
SWEEPS_INLINE lanes_bits lanes_beyond(lanes_real q) {
  const double largest = SINE_LARGEST;
  unsigned long long most;
  __builtin_memcpy(&most, &largest, sizeof most);
  return most - ((lanes_bits)q & (~0ULL >> 1));
}

SWEEPS_INLINE int lanes_any_beyond(lanes_bits far) {
  unsigned long long any = 0;
  for (int l = 0; l < LANES; l++) any |= far[l];
  return any >> 63 != 0;
}
