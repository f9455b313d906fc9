/* Random numbers and small dense systems. See numbers.h. */
#include "numbers.h"

#include <math.h>
#include <string.h>

static uint64_t mix(uint64_t x) { /* splitmix64 */
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

randoms randoms_of(const char *family, uint64_t seed, uint64_t index) {
  uint64_t key = mix(seed);
  for (; *family; family++) key = mix(key ^ (unsigned char)*family);
  return (randoms){mix(key ^ mix(index)), 0};
}

double random_unit(randoms *r) {
  return (double)(mix(r->key + mix(r->counter++)) >> 11) * 0x1p-53;
}
double random_between(randoms *r, double low, double high) {
  return low + (high - low) * random_unit(r);
}
double random_scale(randoms *r, double low, double high) {
  return low * pow(high / low, random_unit(r));
}
double random_sign(randoms *r) {
  return random_unit(r) < 0.5 ? -1 : 1;
}
int random_below(randoms *r, int count) {
  return (int)(random_unit(r) * count);
}
int random_chance(randoms *r, double probability) {
  return random_unit(r) < probability;
}

double random_normal(randoms *r) {
  const double radius = sqrt(-2 * log(1 - random_unit(r)));
  return radius * cos(6.283185307179586 * random_unit(r));
}

static void swap_rows(long double *a, int size, int one, int other) {
  for (int j = 0; j < size && one != other; j++) {
    const long double kept = a[one * size + j];
    a[one * size + j] = a[other * size + j];
    a[other * size + j] = kept;
  }
}

int dense_factor(int size, const long double *a, dense_factors *f) {
  long double scale[DENSE] = {0};
  f->size = size;
  f->sign = 1;
  memcpy(f->a, a, sizeof *a * (size_t)(size * size));
  for (int i = 0; i < size; i++)
    for (int j = 0; j < size; j++) scale[i] = fmaxl(scale[i], fabsl(a[i * size + j]));
  for (int k = 0; k < size; k++) {
    long double best = 0;
    for (int i = k; i < size; i++) {
      const long double weight = fabsl(f->a[i * size + k]) / scale[i];
      if (!(weight > best)) continue;
      best = weight;
      f->pivot[k] = i;
    }
    if (!(best > 0) || !isfinite(best)) return f->sign = 0, 1;
    const int other = f->pivot[k];
    if (other != k) f->sign = -f->sign;
    swap_rows(f->a, size, k, other);
    const long double kept = scale[k];
    scale[k] = scale[other];
    scale[other] = kept;
    if (f->a[k * size + k] < 0) f->sign = -f->sign;
    for (int i = k + 1; i < size; i++) {
      const long double factor = f->a[i * size + k] /= f->a[k * size + k];
      for (int j = k + 1; j < size && factor != 0; j++)
        f->a[i * size + j] -= factor * f->a[k * size + j];
    }
  }
  return 0;
}

void dense_solve(const dense_factors *f, long double *b) {
  const int n = f->size;
  for (int k = 0; k < n; k++) {
    const long double kept = b[k];
    b[k] = b[f->pivot[k]];
    b[f->pivot[k]] = kept;
  }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++) b[i] -= f->a[i * n + j] * b[j];
  for (int i = n - 1; i >= 0; i--) {
    for (int j = i + 1; j < n; j++) b[i] -= f->a[i * n + j] * b[j];
    b[i] /= f->a[i * n + i];
  }
}

long double dense_distance(const dense_factors *A, const long double *B, long double shift,
                           const long double *d) {
  const int n = A->size;
  long double sum[DENSE] = {0}, most = 0, column[DENSE];
  for (int j = 0; j < n; j++) {
    for (int i = 0; i < n; i++) column[i] = B[i * n + j];
    dense_solve(A, column);
    for (int i = 0; i < n; i++)
      sum[i] += fabsl(column[i] - (i == j ? shift : 0)) * (d ? d[i] / d[j] : 1);
  }
  for (int i = 0; i < n; i++) {
    if (!isfinite(sum[i])) return INFINITY;
    most = fmaxl(most, sum[i]);
  }
  return most;
}
