/* A certificate as text. */
#include "commands/certify.h"

#include <math.h>

int certify_is_proved(const rattle_certificate *c) {
  return c->substeps > 0 && c->open == 0 && c->wrong == 0;
}

void certify_print_line(const rattle_certificate *c, const char *method) {
  const char *what = c->substeps == c->steps ? "steps" : "substeps";
  cli_print(stdout, "%lld steps of %s", c->steps, method);
  if (c->substeps != c->steps) cli_print(stdout, ", %lld substeps", c->substeps);
  if (certify_is_proved(c))
    cli_print(stdout, ", all proved");
  else
    cli_print(stdout, ": %lld %s proved, %lld open, %lld wrong", c->one_piece + c->tracked, what,
              c->open, c->wrong);
  if (c->one_piece + c->tracked > 0)
    cli_print(stdout, ", the largest radius %.3g units of round-off", c->units);
  putchar('\n');
}

void certify_print_pieces(const rattle_certificate *c) {
  cli_print(stdout, "  proved       %lld in one piece, %lld tracked in at most %lld\n",
            c->one_piece, c->tracked, c->most_pieces);
}

void certify_print_failure(const rattle_certificate *c, const rattle_problem *problem,
                           double time) {
  if (!c->step) return;
  cli_print(stdout,
            "  not proved   first step %lld, from time %.10g%s: its curve is known up to %.6f of "
            "it\n",
            c->step, time, c->is_wrong ? ", which ended at another solution" : ", which is open",
            c->reached);
  if (c->row < 0) return;
  const char *name = rattle_problem_constraint_name(problem, c->row);
  char missed[64] = "has no bound";
  if (isfinite(c->margin))
    snprintf(missed, sizeof missed, "misses by %.2g of its diagonal", -c->margin);
  cli_print(stdout,
            "  there        the row of %s %s; smallest singular value %.3g, 1 at the start of a "
            "step\n",
            name ? name : "the forces or stages", missed, c->singular_value);
}
