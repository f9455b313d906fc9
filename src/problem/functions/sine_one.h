/* Sine and cosine of an angle, for one number (sine_text.h). Part of a source for a compiler too,
 * without includes, so that there is no header guard. */
static inline void one_sine_cosine(double q, double *sine, double *cosine) {
  const double shifted = one_nearest_quarter(q);
  double s, c;
  unsigned long long quarter;
  __builtin_memcpy(&quarter, &shifted, sizeof quarter);
  if (!(__builtin_fabs(q) <= SINE_LARGEST)) {
    *sine = sin(q), *cosine = cos(q);
    return;
  }
  one_sine_of_rest(q, shifted, &s, &c);
  const double sine_of = quarter & 1 ? c : s, cosine_of = quarter & 1 ? s : c;
  *sine = quarter & 2 ? -sine_of : sine_of;
  *cosine = (quarter + 1) & 2 ? -cosine_of : cosine_of;
}
