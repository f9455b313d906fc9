/* The formulas of an expression's parts: those of the table, and of compositions with their
 * coefficients. */
#include "method/notation/row.h"

#include <stdlib.h>
#include <string.h>

static void put_coefficients(rattle__text *out, const rattle__node *node) {
  const int stages = rattle__composition_stages(node);
  long double *gamma = malloc((size_t)stages * sizeof *gamma);
  if (!gamma) return;
  rattle__composition_fill(node, gamma);
  rattle__put(out, "Psi_h = phi_{c_%d h} o ... o phi_{c_1 h}", stages);
  for (int i = 0; i <= stages / 2 && i < 18; i++) {
    rattle__put(out, ", c_%d = ", i + 1);
    rattle__put(out, "%.12Lg", gamma[i]);
  }
  rattle__put(out, stages / 2 < 18 ? ", the others by symmetry" : ", ...");
  free(gamma);
}

void rattle__put_formulas(rattle__text *out, const rattle__node *root, const char *indent) {
  for (const rattle__node *at = root, *next; at; at = next) {
    next = rattle__method_inside(at);
    if (!next && at->kind != RATTLE__FIELD) next = rattle__method_field(at);
    const char *formula = at->row->formula;
    if (!formula && at->kind != RATTLE__COMPOSITION) continue;
    rattle__put(out, "%s%s: ", indent, at->row->name);
    if (formula)
      rattle__put(out, "%s", formula);
    else if (rattle__method_unresolved(at))
      rattle__put(out, "the substeps follow from the order of the map inside");
    else
      put_coefficients(out, at);
    rattle__put(out, "\n");
  }
}

char *rattle_method_formula(const rattle_method *method, char *buffer, size_t size) {
  if (!size) return buffer;
  rattle__text out = {buffer, size};
  *buffer = 0;
  rattle__put_formulas(&out, rattle__method_root(method), "");
  return buffer;
}
