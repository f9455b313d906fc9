/* Results of Dirac's algorithm, in words and numbers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ground/support/number.h"
#include "problem/dirac/dirac.h"
#include "ground/expr/copy.h"

/* True if the constraints are those that embed free variables: q' = H_p, p' = -H_q, 0 = H_beta. */
static int is_embedding(const rattle__dirac *d) {
  int embedded = 0;
  for (int i = 0; i < d->n; i++) embedded += d->model->pair[i].is_free;
  return embedded == d->m;
}

int rattle__dirac_index(const rattle__dirac *d) {
  if (!d->m) return 0;
  if (d->inconsistent || d->undecided || d->fixed < d->independent) return -1;
  return is_embedding(d) ? d->levels : d->levels + 2;
}

int rattle__dirac_dimension(const rattle__dirac *d) {
  return d->inconsistent || d->undecided ? -1 : 2 * d->n - d->second - 2 * d->first;
}

const char *rattle__dirac_class(const rattle__dirac *d) {
  if (!d->m) return "unconstrained";
  if (d->inconsistent) return "inconsistent";
  if (d->undecided) return "unknown";
  if (!d->rank_gg) return d->fixed < d->independent ? "first_class" : "coisotropic";
  return d->rank_gg == d->independent ? "second_class" : "mixed";
}

const char *rattle__dirac_variable(const rattle__dirac *d, int variable) {
  const rattle__pair *pair = &d->model->pair[variable / 2];
  return variable % 2 ? pair->momentum : pair->name;
}

static const char *variable_name(void *context, int32_t index) {
  return rattle__dirac_variable(*(const rattle__dirac *const *)context, index);
}

/* With the values of the parameters, in a graph for this alone. */
char *rattle__dirac_print(const rattle__dirac *d, rattle_expr e, char *buffer, size_t size) {
  rattle_graph *graph = NULL;
  int images = d->vars + d->parameters;
  rattle_expr *image = calloc((size_t)images + 1, sizeof *image);
  snprintf(buffer, size, "...");
  if (image && !rattle_graph_create(&graph, NULL)) {
    for (int k = 0; k < d->parameters; k++)
      image[d->vars + k] = rattle_expr_constant(graph, d->parameter[k]);
    rattle__copy copy = rattle__copy_begin(d->graph, graph, image, images);
    rattle_expr same = rattle__copy_of(&copy, e);
    if (same) rattle_expr_print(graph, same, variable_name, &d, buffer, size);
    rattle__copy_end(&copy);
  }
  rattle_graph_destroy(&graph);
  free(image);
  return buffer;
}

/* "'a', 'b' and 3 more": redundant constraints of the user; with a level, "p = 0, q = 0": hidden
 * ones from that generation on. */
static void list(const rattle__dirac *d, int level, char *text, size_t size) {
  enum { MOST = 3 };
  size_t used = 0;
  int all = 0;
  text[0] = 0;
  for (int c = 0; c < d->count; c++) {
    const rattle__chi *chi = &d->chi[c];
    if (level ? chi->level < level || chi->redundant : chi->level || !chi->redundant) continue;
    if (all++ >= MOST || used >= size) continue;
    char e[80];
    int length = level
                     ? snprintf(text + used, size - used, "%s%s = 0", all > 1 ? ", " : "",
                                rattle__dirac_print(d, chi->e, e, sizeof e))
                     : snprintf(text + used, size - used, "%s'%s'", all > 1 ? ", " : "", chi->name);
    used += length > 0 ? (size_t)length : 0;
  }
  if (all > MOST && used < size) snprintf(text + used, size - used, " and %d more", all - MOST);
}

static void not_commuting(const rattle__dirac *d, char *text, size_t size) {
  const char *a = d->chi[d->pair[0]].name, *b = d->chi[d->pair[1]].name;
  char e[120];
  rattle__print(
      text, size,
      "the constraints are not coisotropic: {%s,%s} = %s is %.6g at a point of the manifold and "
      "must be 0 there; %sreplace "
      "the pair by coordinates that satisfy it, or keep one of the two",
      a, b, rattle__dirac_print(d, d->pair_bracket, e, sizeof e), d->pair_value,
      d->rank_gg == d->independent ? "they are second class: use second_class(midpoint), or " : "");
}

void rattle__dirac_refusal(const rattle__dirac *d, char *text, size_t size) {
  char names[400];
  text[0] = 0;
  if (!d->m) return;
  list(d, 0, names, sizeof names);
  if (d->inconsistent || d->undecided) {
    snprintf(text, size, "%s", d->trouble);
  } else if (names[0]) {
    snprintf(text, size, "redundant constraints, which the others imply: %s; remove them", names);
  } else if (d->rank_gg) {
    not_commuting(d, text, size);
  } else if (d->fixed < d->independent) {
    snprintf(text, size,
             "the motion is not determined: %d of %d multipliers are free, since H does not change "
             "along the fibres of %s%s%s "
             "(gauge freedom, first-class constraints): there are infinitely many solutions; add "
             "constraints that fix the gauge, "
             "or remove the variables that it moves",
             d->independent - d->fixed, d->independent, d->independent == 1 ? "'" : "",
             d->independent == 1 ? d->chi[0].name : "the constraints",
             d->independent == 1 ? "'" : "");
  } else if (d->levels > 1) {
    list(d, 2, names, sizeof names);
    snprintf(text, size,
             "the index is %d, and SHAKE and RATTLE integrate index 3: N = {{H,g_i},g_j} is "
             "singular on the manifold and there "
             "are further hidden constraints (%s); solve the constraints by hand for coordinates "
             "that satisfy them all",
             d->levels + 2, names);
  } else if (d->start_degenerate || d->start_singular) {
    snprintf(text, size,
             "the start is a degenerate point: %s there, but not at other points; start elsewhere",
             d->start_singular ? "gradients of constraints are dependent"
                               : "N = {{H,g_i},g_j} is singular");
  }
}
