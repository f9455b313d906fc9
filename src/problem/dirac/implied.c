/* Constraints whose gradients are combinations of those of others: do they follow from them?
 *
 * A constraint c follows from others, around a point, if it is 0 wherever they hold. One point near
 * by where they hold and c is not 0, beyond its round-off and what the distance of the point from
 * their manifold M makes of it, shows that it does not. Its gradient is a combination of theirs at
 * all points of M where c holds too: so c is without slope along M there, as a square is. At the
 * point found it has one, which is that of the function that is squared, times a number. */
#include <math.h>
#include <stdio.h>

#include "ground/support/error.h"
#include "ground/support/number.h"
#include "problem/dirac/dirac.h"

/* A variable is named if it has so much of the largest coefficient. */
static const double share = 1e-6;

static int any_redundant(const rattle__dirac *d) {
  for (int c = 0; c < d->m; c++)
    if (d->chi[c].redundant) return 1;
  return 0;
}

/* "yb - ya": the covector over the largest of its entries, which are those of Q over s. */
static void say_direction(const rattle__dirac *d, const double *Q, char *text, size_t size) {
  enum { MOST = 4 };
  double most = 0;
  size_t used = 0;
  int said = 0;
  text[0] = 0;
  for (int k = 0; k < d->vars; k++)
    if (fabs(Q[k] / d->scale[k]) > fabs(most) * (1 + share)) most = Q[k] / d->scale[k];
  for (int k = 0; k < d->vars && used < size; k++) {
    const double c = Q[k] / d->scale[k] / most;
    char number[RATTLE__NUMBER_ROOM] = "";
    if (!(fabs(c) > share) || said++ > MOST) continue;
    if (fabs(fabs(c) - 1) > share) rattle__print(number, sizeof number, "%.4g*", fabs(c));
    const char *sign = c < 0 ? (said > 1 ? " - " : "-") : said > 1 ? " + " : "";
    const int length = said > MOST ? snprintf(text + used, size - used, " + ...")
                                   : snprintf(text + used, size - used, "%s%s%s", sign, number,
                                              rattle__dirac_variable(d, k));
    used += length > 0 ? (size_t)length : 0;
  }
}

/* At a point of the others' manifold: c, which is redundant by its gradient, does not hold. */
static void refute(rattle__dirac *d, rattle__frame *f, const rattle__sample *s, int c, char *text,
                   size_t size) {
  d->chi[c].redundant = 0;
  d->chi[c].irregular = 2;
  rattle__frame_at(f, d, s);
  if (rattle__frame_add(f, d, s, c) == RATTLE__INDEPENDENT)
    say_direction(d, f->Q + (size_t)(f->count - 1) * (size_t)f->vars, text, size);
}

rattle_status rattle__implied(rattle__dirac *d, char *direction, size_t size, rattle_error *error) {
  direction[0] = 0;
  if (!any_redundant(d)) return RATTLE_OK;
  rattle__sample s = {0};
  rattle__frame f = {0};
  const double spread = d->spread;
  rattle_status status = rattle__sample_room(d, &s) ? RATTLE_OK : rattle__no_memory(error);
  if (!status) status = rattle__sample_near(d, &s, error);
  if (!status) status = rattle__frame_create(&f, d, error);
  for (int c = 0; c < d->m && !status && s.good; c++)
    if (d->chi[c].redundant && !rattle__is_zero(&s, d->chi[c].e))
      refute(d, &f, &s, c, direction, size);
  d->spread = spread;
  rattle__frame_destroy(&f);
  rattle__sample_release(&s);
  return status;
}
