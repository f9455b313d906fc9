/* Nearest names by the optimal string alignment distance: insertions, deletions, changes, and swaps
 * of neighbours cost 1. */
#include "ground/support/nearest.h"

#include <ctype.h>
#include <string.h>

enum { LONGEST = 64, SHORTEST_BEGINNING = 3 };

static int min(int a, int b) {
  return a < b ? a : b;
}

static int same(char a, char b) {
  return tolower((unsigned char)a) == tolower((unsigned char)b);
}

/* Distance of a[0..n) and b[0..m) with n, m <= LONGEST; three rows of the table are enough. */
static int distance(const char *a, int n, const char *b, int m) {
  int row[3][LONGEST + 1];
  for (int j = 0; j <= m; j++) row[0][j] = j;
  for (int i = 1; i <= n; i++) {
    int *now = row[i % 3], *last = row[(i + 2) % 3], *before = row[(i + 1) % 3];
    now[0] = i;
    for (int j = 1; j <= m; j++) {
      now[j] = min(min(last[j], now[j - 1]) + 1, last[j - 1] + !same(a[i - 1], b[j - 1]));
      if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]))
        now[j] = min(now[j], before[j - 2] + 1);
    }
  }
  return row[n % 3][m];
}

/* True if a[0..n) are the first letters of b. */
static int begins(const char *a, int n, const char *b) {
  int k = 0;
  while (k < n && b[k] && same(a[k], b[k])) k++;
  return n >= SHORTEST_BEGINNING && k == n;
}

void rattle__nearest_try(rattle__nearest *nearest, const char *candidate) {
  size_t n = strlen(nearest->name), m = strlen(candidate);
  if (n == 0 || m == 0 || n > LONGEST || m > LONGEST) return;
  int longer = (int)(n > m ? n : m), bound = longer < 6 ? 1 : longer / 3;
  int d = distance(nearest->name, (int)n, candidate, (int)m);
  if (d >= longer || d > bound)
    d = begins(nearest->name, (int)n, candidate) ? LONGEST + d : 2 * LONGEST;
  if (d >= 2 * LONGEST || (nearest->best && d >= nearest->distance)) return;
  nearest->best = candidate;
  nearest->distance = d;
}
