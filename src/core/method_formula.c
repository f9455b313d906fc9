/* The formulas of an expression's parts: those of the table, and of compositions with their coefficients. */
#include "core/method.h"

#include <stdlib.h>
#include <string.h>

static void put_coefficients(rattle__text *out, const rattle__node *node) {
  int stages = 0;
  const long double *gamma = rattle__coefficients(node->id, &stages);
  long double *own = NULL;
  if (!gamma) {
    const int inner = rattle__method_claims(rattle__method_inside(node)).order, order = (int)node->argument[1].number;
    stages = rattle__triple_jump_stages(inner, order);
    own = malloc((size_t)stages * sizeof *own);
    if (!own) return;
    rattle__triple_jump(inner, order, own);
    gamma = own;
  }
  rattle__put(out, "Psi_h = phi_{c_%d h} o ... o phi_{c_1 h}", stages);
  for (int i = 0; i <= stages / 2 && i < 18; i++) {
    rattle__put(out, ", c_%d = ", i + 1);
    rattle__put(out, "%.12Lg", gamma[i]);
  }
  rattle__put(out, stages / 2 < 18 ? ", the rest their mirror image" : ", ...");
  free(own);
}

void rattle__put_formulas(rattle__text *out, const rattle__node *root, const char *indent) {
  for (const rattle__node *at = root, *next; at; at = next) {
    next = rattle__method_inside(at);
    if (!next && at->kind != RATTLE__FIELD) next = rattle__method_field(at);
    const char *formula = rattle__method_row(at->id)->formula;
    if (!formula && at->kind != RATTLE__COMPOSITION) continue;
    rattle__put(out, "%s%s: ", indent, rattle__method_name(at->id));
    if (formula)
      rattle__put(out, "%s", formula);
    else if (rattle__method_unresolved(at))
      rattle__put(out, "its substeps follow from the order of the map inside");
    else
      put_coefficients(out, at);
    rattle__put(out, "\n");
  }
}

char *rattle_method_formula(const rattle_method *method, char *buffer, size_t size) {
  if (!size) return buffer;
  rattle__text out = {buffer, size};
  rattle__locale locale;
  *buffer = 0;
  rattle__plain_locale(&locale);
  rattle__put_formulas(&out, rattle__method_root(method), "");
  rattle__restore_locale(&locale);
  return buffer;
}
