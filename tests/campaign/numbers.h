#ifndef CAMPAIGN_NUMBERS_H
#define CAMPAIGN_NUMBERS_H
/* Random numbers that depend on (family, seed, index) alone, and small dense systems in long
 * double. */
#include <stdint.h>

typedef struct randoms {
  uint64_t key, counter;
} randoms;

randoms randoms_of(const char *family, uint64_t seed, uint64_t index);
double random_unit(randoms *r);                             /* in [0, 1) */
double random_between(randoms *r, double low, double high); /* uniform */
double random_scale(randoms *r, double low, double high);   /* uniform in the logarithm */
double random_sign(randoms *r);                             /* -1 or 1 */
double random_normal(randoms *r);
int random_below(randoms *r, int count); /* 0 .. count-1 */
int random_chance(randoms *r, double probability);

enum { DENSE = 64 };

typedef struct dense_factors {
  int size, pivot[DENSE], sign; /* of the determinant: -1, 0, 1 */
  long double a[DENSE * DENSE];
} dense_factors;

/* LU with pivots relative to their rows, of a[size*size]. Returns 1 if it is singular or not
 * finite. */
int dense_factor(int size, const long double *a, dense_factors *f);
void dense_solve(const dense_factors *f, long double *b);
/* max row sum of |A^-1 B - shift 1|, rows scaled by d_i, columns by 1/d_j (d NULL: 1) */
long double dense_distance(const dense_factors *A, const long double *B, long double shift,
                           const long double *d);
#endif
