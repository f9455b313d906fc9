/* The comparison as text: one table, and the claims that do not hold. */
#include <math.h>
#include <string.h>

#include "commands/study.h"

/* The exponent with which the largest energy error grows: "t^1.0", "" if it does not rise above
 * round-off. */
static void print_growth(const rattle_study_method *method, FILE *out) {
  const rattle_study_fit *fit = rattle_study_find_fit(method, "energy");
  char text[32] = "-";
  if (fit && isfinite(fit->slope))
    snprintf(text, sizeof text, "t^%.1f", fabs(fit->slope) < 0.05 ? 0 : fit->slope);
  cli_print(out, " %6s", text);
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
  cli_print(out, "  %s\n", method->verdict);
}

/* The claims of a method, in few letters. */
static void print_claims(const rattle_claims *claims, FILE *out) {
  if (claims->order >= RATTLE_ORDER_EXACT)
    fputs("  exact ", out);
  else
    cli_print(out, " %3d %c%c ", claims->order, claims->symmetric ? 's' : '-',
              claims->symplectic ? 'S' : '-');
}

/* True if two sentences differ in numbers only. */
static int alike(const char *a, const char *b) {
  static const char number[] = "0123456789.+-e";
  for (;;) {
    if (strspn(a, "0123456789") && strspn(b, "0123456789"))
      a += strspn(a, number), b += strspn(b, number);
    if (*a != *b) return 0;
    if (!*a) return 1;
    a++, b++;
  }
}

/* Why methods ended early: each sentence once, with those that it is about; its numbers are of the
 * first one. */
static void print_ends(const rattle_study_result *r, FILE *out) {
  for (int i = 0; i < r->methods; i++) {
    const rattle_study_method *method = &r->method[i];
    int said = 0, others = 0;
    if (!method->status || method->tables == 0) continue;
    for (int k = 0; k < i; k++)
      said |= r->method[k].status && r->method[k].tables &&
              alike(r->method[k].message, method->message);
    if (said) continue;
    cli_print(out, "  failed       ");
    cli_study_words(out, 15, 15, method->method);
    for (int k = i + 1; k < r->methods; k++) {
      const rattle_study_method *other = &r->method[k];
      if (!other->status || other->tables == 0 || !alike(other->message, method->message)) continue;
      fputs("               ", out);
      cli_study_words(out, 15, 15, other->method);
      others++;
    }
    fputs("               ", out);
    if (others) fputs("numbers are those of the first: ", out);
    cli_study_words(out, others ? 45 : 15, 15, method->message);
  }
}

static void print_table(const rattle_study_result *r, FILE *out) {
  int width = 6, constrained = r->m > 0;
  for (int i = 0; i < r->methods; i++)
    if ((int)strlen(r->method[i].method) > width) width = (int)strlen(r->method[i].method);
  cli_print(out, "\n  %-*s  claims %7s %6s", width, "method", "|dH|", "grows");
  if (constrained) cli_print(out, " %7s %7s", "|g|", "|psi|");
  cli_print(out, " %7s %8s %8s %6s %8s  energy\n", "error", "reversal", "form", "grads", "ns/step");
  for (int i = 0; i < r->methods; i++) {
    const rattle_study_method *method = &r->method[i];
    cli_print(out, "  %-*s ", width, method->method);
    if (method->tables == 0) {
      fputs(" not studied: ", out);
      cli_study_words(out, width + 17, 6, method->message);
      continue;
    }
    print_claims(&method->claims, out);
    print_row(method, constrained, out);
    if (method->why[0]) {
      fputs("      ", out);
      cli_study_words(out, 6, 6, method->why);
    }
  }
  fputs("  claims: order, s symmetric, S symplectic; reversal: |R_-h R_h z - z|; form: change of "
        "the symplectic form;\n"
        "  error: largest relative error of the solution; grads: gradients of H per step\n",
        out);
  print_ends(r, out);
}

const cli_study_teller cli_study_tells_compare = {NULL, print_table};
