/* How many steps a run has. */
#include <math.h>

#include "base/cli.h"

rattle_status cli_count_steps(double start, double stop, double h, long long *steps,
                              rattle_error *error) {
  double exact = (stop - start) / h, nearest = round(exact);
  if (exact < 0)
    return text_fail(
        error, RATTLE_BAD_ARGUMENT,
        "the step %g leads away from the end time: time runs from %g to %g, so the step must be %s",
        h, start, stop, stop > start ? "positive" : "negative");
  if (exact == 0)
    return text_fail(error, RATTLE_BAD_ARGUMENT,
                     "nothing to do: the run starts and ends at time %g", start);
  if (!(exact < 9e15))
    return text_fail(error, RATTLE_BAD_ARGUMENT, "too many steps, %.3g: from %g to %g by %g", exact,
                     start, stop, h);
  /* 1023/0.025 is 40920 though neither number is exact in binary */
  double whole = fabs(exact - nearest) <= 1e-12 * nearest ? nearest : ceil(exact);
  *steps = (long long)whole;
  return RATTLE_OK;
}
