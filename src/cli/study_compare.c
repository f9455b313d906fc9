/* The comparison for people: one table, and what is not as claimed. */
#include <math.h>
#include <string.h>

#include "cli/study.h"

/* The exponent with which the largest energy error grows: "t^1.0", "" where it does not rise above round-off. */
static void print_growth(const rattle_study_method *method, FILE *out) {
  const rattle_study_fit *fit = rattle_study_find_fit(method, "energy");
  char text[32] = "-";
  if (fit && isfinite(fit->slope)) snprintf(text, sizeof text, "t^%.1f", fabs(fit->slope) < 0.05 ? 0 : fit->slope);
  fprintf(out, " %6s", text);
}

static void print_row(const rattle_study_method *method, int constrained, FILE *out) {
  cli_study_cell(out, 7, "%.1e", rattle_study_find_figure(method, "energy_max"));
  print_growth(method, out);
  if (constrained) {
    cli_study_cell(out, 7, "%.1e", rattle_study_find_figure(method, "g_max"));
    cli_study_cell(out, 7, "%.1e", rattle_study_find_figure(method, "psi_max"));
  }
  cli_study_cell(out, 7, "%.1e", rattle_study_find_figure(method, "error_end"));
  cli_study_cell(out, 8, "%.1e", rattle_study_find_figure(method, "reversal"));
  cli_study_cell(out, 8, "%.1e", rattle_study_find_figure(method, "symplecticity"));
  cli_study_cell(out, 6, "%.3g", rattle_study_find_figure(method, "gradients_per_step"));
  cli_study_cell(out, 8, "%.4g", rattle_study_find_figure(method, "ns_per_step"));
  fprintf(out, "  %s\n", method->verdict);
}

/* What a method claims, in few letters. */
static void print_claims(const rattle_claims *claims, FILE *out) {
  if (claims->order >= RATTLE_ORDER_EXACT)
    fputs("  exact ", out);
  else
    fprintf(out, " %3d %c%c ", claims->order, claims->symmetric ? 's' : '-', claims->symplectic ? 'S' : '-');
}

static void print_table(const rattle_study_result *r, FILE *out) {
  int width = 6, constrained = r->m > 0;
  for (int i = 0; i < r->methods; i++)
    if ((int)strlen(r->method[i].method) > width) width = (int)strlen(r->method[i].method);
  fprintf(out, "\n  %-*s  claims %7s %6s", width, "method", "|dH|", "grows");
  if (constrained) fprintf(out, " %7s %7s", "|g|", "|psi|");
  fprintf(out, " %7s %8s %8s %6s %8s  energy\n", "error", "reversal", "form", "grads", "ns/step");
  for (int i = 0; i < r->methods; i++) {
    const rattle_study_method *method = &r->method[i];
    fprintf(out, "  %-*s ", width, method->method);
    if (method->tables == 0) {
      fputs(" not studied: ", out);
      cli_study_words(out, width + 17, 6, method->message);
      continue;
    }
    print_claims(&method->claims, out);
    print_row(method, constrained, out);
    if (method->status) {
      fputs("      failed: ", out);
      cli_study_words(out, 14, 6, method->message);
    }
    if (method->why[0]) {
      fputs("      ", out);
      cli_study_words(out, 6, 6, method->why);
    }
  }
  fputs("  claims: order, s symmetric, S symplectic; reversal: |R_-h R_h z - z|; form: the change of the symplectic form;\n"
        "  error: of the solution, relative, the largest; grads: gradients of H a step\n",
        out);
}

const cli_study_teller cli_study_tells_compare = {NULL, print_table};
