/* Geodesics of products of spheres, and the slide onto their tangent planes: written once and
 * compiled twice, into the library for any such problem (geodesic_spheres.c), and by the native
 * evaluator with the numbers of one problem put in (geodesic_native.c), so that both give the same
 * bits. geodesic_spheres.c has the map and the source. Nothing but C and <math.h>.
 *
 * Before inclusion: KERNEL_INLINE, N; the lists EACH_FREE(DO), which says DO(k) for each coordinate
 * without a sphere, EACH_SPHERE(DO), DO(i), and COORDINATES(DO), DO(k, i, first) for each
 * coordinate k of sphere i, first = 1 for the first of them; DRIFTED(t, k, p), which is t (M^-1
 * p)_k, and t for the time; of coordinate k CENTRE(k); of sphere i CURVATURE(i) c_i, RADIUS(i) r_i,
 * BEND(i) 1/r_i^2, INVERSE_MASS_OF(i)
 *
 * Symbols  w = t |v|/r; x = q - centre; sin w/w and cos w are polynomials in w^2 up to 1, good to
 *          round-off
 * Energy   |p| stays what it is on average, as the angle, the force of the sphere and the length of
 *          x all go by the same 1/r^2, and corrections of that length are added, so that they round
 *          to either side alike: a drift of 1e-17 a flow would be seen in 10^5 steps */

KERNEL_INLINE void rattle_turn(double square, double *cosine, double *sinc) {
  if (!(square <= 1)) {
    const double w = sqrt(square);
    *cosine = cos(w);
    *sinc = sin(w) / w;
    return;
  }
  const double u = square * square;
  const double odd =
      1.0 / 2 + u * (1.0 / 720 +
                     u * (1.0 / 3628800 + u * (1.0 / 87178291200 + u * (1.0 / 6402373705728000))));
  const double even =
      1.0 / 24 + u * (1.0 / 40320 + u * (1.0 / 479001600 + u * (1.0 / 20922789888000)));
  const double first =
      1.0 / 6 + u * (1.0 / 5040 + u * (1.0 / 39916800 + u * (1.0 / 1307674368000)));
  const double second =
      1.0 / 120 + u * (1.0 / 362880 + u * (1.0 / 6227020800 + u * (1.0 / 355687428096000)));
  *cosine = 1 - square * (odd - square * even);
  *sinc = 1 - square * (first - square * second);
}

/* p onto the tangent planes at q */
#define OUTWARD(k_, i, first)                                                                      \
  k->sum[i] = (first) ? (z[k_] - CENTRE(k_)) * z[N + (k_)]                                         \
                      : k->sum[i] + (z[k_] - CENTRE(k_)) * z[N + (k_)];
#define PER_LENGTH(i) k->sum[i] *= BEND(i);
#define FLATTEN(k_, i, first) z[N + (k_)] -= k->sum[i] * (z[k_] - CENTRE(k_));
KERNEL_INLINE void rattle_flatten(rattle__turning *k, double *restrict z) {
  COORDINATES(OUTWARD)
  EACH_SPHERE(PER_LENGTH)
  COORDINATES(FLATTEN)
}
#undef PER_LENGTH
#undef FLATTEN

/* The same, and its residual. */
#define LEFT(i)                                                                                    \
  {                                                                                                \
    const double left = fabs(2 * CURVATURE(i) * INVERSE_MASS_OF(i) * k->sum[i]);                   \
    k->psi = k->psi < left ? left : k->psi;                                                        \
  }
KERNEL_INLINE void rattle_level(rattle__turning *k, double *restrict z) {
  rattle_flatten(k, z);
  COORDINATES(OUTWARD)
  EACH_SPHERE(LEFT)
}
#undef OUTWARD
#undef LEFT

/* z1 = exp(t X_T) z0. x1 is brought back to length r: by the slope of 1/sqrt where it is that but
 * for round-off */
#define GO(k_)                                                                                     \
  z1[k_] = z0[k_] + DRIFTED(t, k_, z0 + N);                                                        \
  z1[N + (k_)] = z0[N + (k_)];
#define SQUARED(k_, i, first)                                                                      \
  k->sum[i] = (first) ? z0[N + (k_)] * z0[N + (k_)] : k->sum[i] + z0[N + (k_)] * z0[N + (k_)];
#define ANGLE(i)                                                                                   \
  {                                                                                                \
    const double turn = t * INVERSE_MASS_OF(i), bent = k->sum[i] * BEND(i);                        \
    double sinc;                                                                                   \
    rattle_turn(turn *turn *bent, &k->cosine[i], &sinc);                                           \
    k->stretch[i] = turn * sinc;                                                                   \
    k->back[i] = k->stretch[i] * bent;                                                             \
  }
#define TURN(k_, i, first)                                                                         \
  {                                                                                                \
    const double x = z0[k_] - CENTRE(k_);                                                          \
    z1[k_] = x * k->cosine[i] + z0[N + (k_)] * k->stretch[i];                                      \
    z1[N + (k_)] = z0[N + (k_)] * k->cosine[i] - x * k->back[i];                                   \
    k->sum[i] = (first) ? z1[k_] * z1[k_] : k->sum[i] + z1[k_] * z1[k_];                           \
  }
#define SCALE(i)                                                                                   \
  {                                                                                                \
    k->stretch[i] = 0.5 - 0.5 * BEND(i) * k->sum[i];                                               \
    if (!(fabs(k->stretch[i]) <= 1e-9)) k->stretch[i] = RADIUS(i) / sqrt(k->sum[i]) - 1;           \
  }
#define PLACE(k_, i, first)                                                                        \
  {                                                                                                \
    z1[k_] = z1[k_] + z1[k_] * k->stretch[i] - (0 - CENTRE(k_));                                   \
    const double x = z1[k_] - CENTRE(k_);                                                          \
    k->sum[i] = ((first) ? -RADIUS(i) * RADIUS(i) : k->sum[i]) + x * x;                            \
  }
#define MEASURE(i)                                                                                 \
  {                                                                                                \
    const double left = fabs(CURVATURE(i) * k->sum[i]);                                            \
    k->g = k->g < left ? left : k->g;                                                              \
  }
KERNEL_INLINE void rattle_flow(rattle__turning *k, double t, const double *restrict z0,
                               double *restrict z1) {
  EACH_FREE(GO)
  COORDINATES(SQUARED)
  EACH_SPHERE(ANGLE)
  COORDINATES(TURN)
  EACH_SPHERE(SCALE)
  COORDINATES(PLACE)
  EACH_SPHERE(MEASURE)
  rattle_flatten(k, z1);
}
#undef GO
#undef SQUARED
#undef ANGLE
#undef TURN
#undef SCALE
#undef PLACE
#undef MEASURE
