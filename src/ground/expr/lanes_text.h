/* Numbers of a kernel's text that steps LANES trajectories at once, one in each lane of a vector;
 * real.h is the scalar counterpart. Each lane has the bits of one trajectory alone: the same
 * operations, each rounded in the same way. Functions of the C library are called for each lane.
 * Part of a source for a compiler, which defines LANES first. */
#define INLINE static inline __attribute__((always_inline))
#define EACH_LANE for (int l_ = 0; l_ < LANES; l_++)
#define REAL lanes_real
#define MASK lanes_mask
#define ALL (~(MASK){0})
#define UNIFORM(x) ((x) - (REAL){0})
#define NOT(mask) (~(mask))
#define SELECT(mask, a, b) lanes_select(mask, a, b)
#define WHERE(mask, to, x) ((to) = lanes_select(mask, x, to))
#define ANY(mask) lanes_any(mask)
#define ANY_LANE(x) ((x)[0])
#define LEAVE_IF_NONE(good)
typedef double REAL __attribute__((vector_size(8 * LANES)));
typedef long long MASK __attribute__((vector_size(8 * LANES)));

INLINE REAL lanes_select(MASK mask, REAL a, REAL b) {
  return (REAL)((mask & (MASK)a) | (~mask & (MASK)b));
}

INLINE int lanes_any(MASK mask) {
#if defined(__x86_64__) && LANES == 8
  unsigned char some;
  __asm__("vptestmq %1, %1, %0" : "=k"(some) : "v"(mask));
  return some != 0;
#elif defined(__AVX__)
  int some;
  __asm__("vmovmskpd %1, %0" : "=r"(some) : "x"(mask));
  return some != 0;
#else
  long long sum = 0;
  EACH_LANE sum |= mask[l_];
  return sum != 0;
#endif
}

INLINE REAL lanes_fabs(REAL a) {
  return (REAL)((MASK)a & 0x7fffffffffffffffLL);
}

INLINE double lanes_fabs_of_one(double a) {
  return __builtin_fabs(a);
}

INLINE REAL lanes_sqrt(REAL a) {
  REAL r;
#ifdef __AVX__
  __asm__("vsqrtpd %1, %0" : "=v"(r) : "v"(a));
#else
  EACH_LANE r[l_] = __builtin_sqrt(a[l_]);
#endif
  return r;
}

/* A function of one number, or of two, for each lane. */
#define LANES_ONE(name, function)                                                                  \
  INLINE REAL name(REAL a) {                                                                       \
    REAL r;                                                                                        \
    EACH_LANE r[l_] = function(a[l_]);                                                             \
    return r;                                                                                      \
  }
#define LANES_TWO(name, function)                                                                  \
  INLINE REAL name(REAL a, REAL b) {                                                               \
    REAL r;                                                                                        \
    EACH_LANE r[l_] = function(a[l_], b[l_]);                                                      \
    return r;                                                                                      \
  }
#define SQUARE_ROOT(x) lanes_sqrt(x)
#define MAGNITUDE(x) lanes_fabs(x)
#define fabs(x) _Generic((x), REAL : lanes_fabs, default : lanes_fabs_of_one)(x)
#define sqrt(x) lanes_sqrt(x)
