/* Order conditions of splittings exp(c_1 h T) exp(d_1 h V) exp(c_2 h T) ...: one a word in T and V.
 *
 * The product, written out, has a coefficient for each word; in exp(h (T + V)) it is 1/k! for every
 * word of k letters. The two agree up to order p if the coefficients of all words of at most p
 * letters agree: many conditions, but simple ones, and equivalent to those of the
 * Baker-Campbell-Hausdorff series.
 *
 * Source   H. Yoshida, Phys. Lett. A 150 (1990) 262; Hairer, Lubich, Wanner, Geometric Numerical
 *          Integration, III.4 and III.5 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ground/support/number.h"
#include "problem/model/user_coefficients.h"

enum { MOST_LETTERS = 10 };

/* Words of k letters are the numbers 2^k .. 2^(k+1)-1: after the leading bit, 0 stands for T and 1
 * for V. */
typedef struct words {
  double value[2 << MOST_LETTERS], size[2 << MOST_LETTERS];
} words;

/* The product times exp(x A): each word adds the coefficient of the part before its last letters A,
 * times x^k/k! for k such letters. */
static void multiply(words *w, int letter, double x, int most) {
  for (unsigned word = (2u << most) - 1; word > 1; word--) {
    double factor = 1;
    unsigned left = word;
    for (int k = 1; left > 1 && (int)(left & 1) == letter; k++) {
      left >>= 1;
      factor *= x / k;
      w->value[word] += factor * w->value[left];
      w->size[word] += fabs(factor) * w->size[left];
    }
  }
}

static void write_condition(unsigned word, int letters, rattle__order_condition *failing) {
  size_t used = (size_t)snprintf(failing->text, sizeof failing->text, "the coefficient of");
  for (int i = letters - 1; i >= 0; i--)
    used += (size_t)snprintf(failing->text + used, sizeof failing->text - used, " %c",
                             word >> i & 1 ? 'V' : 'T');
  rattle__print(failing->text + used, sizeof failing->text - used, " = 1/%g",
                rint(1 / failing->wanted));
}

int rattle__splitting_order(int stages, const double *c, const double *d, int most,
                            rattle__order_condition *failing) {
  words w;
  double factorial = 1;
  failing->text[0] = 0;
  memset(&w, 0, sizeof w);
  w.value[1] = w.size[1] = 1;
  if (most > MOST_LETTERS) most = MOST_LETTERS;
  for (int i = 0; i < stages; i++) {
    multiply(&w, 0, c[i], most);
    multiply(&w, 1, d[i], most);
  }
  for (int order = 1; order <= most; order++) {
    factorial *= order;
    for (unsigned word = 1u << order; word < 2u << order; word++) {
      if (fabs(w.value[word] - 1 / factorial) <= 1e-12 * (w.size[word] + 1 / factorial)) continue;
      failing->order = order;
      failing->wanted = 1 / factorial;
      failing->found = w.value[word];
      write_condition(word, order, failing);
      return order - 1;
    }
  }
  return most;
}
