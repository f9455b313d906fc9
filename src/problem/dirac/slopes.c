/* First and second derivatives of H and g at a point, by Taylor series along each coordinate
 * (ground/expr/jet.h). */
#include <math.h>
#include <stdlib.h>

#include "problem/dirac/dirac.h"
#include "ground/expr/jet.h"
#include "ground/support/error.h"

/* Operations above which second derivatives are left out. */
static const double most_work = 1e7;

const rattle__chi *rattle__slopes_function(const rattle__dirac *d, int i) {
  return i ? &d->chi[i - 1] : &d->motion;
}

rattle_status rattle__slopes_create(rattle__slopes *of, const rattle__dirac *d,
                                    rattle_error *error) {
  const size_t vars = (size_t)d->vars;
  const int order = (double)vars * rattle_graph_count(d->graph) <= most_work,
            variables = d->vars + d->parameters;
  *of = (rattle__slopes){0};
  for (int i = 0; i <= d->count; i++) of->roots += rattle__slopes_function(d, i)->nnz;
  of->size = (size_t)of->roots * (1 + (order ? vars : 0));
  of->root = calloc((size_t)of->roots + 1, sizeof *of->root);
  of->first = calloc(of->size + 1, sizeof *of->first);
  if (!of->root || !of->first) return rattle__no_memory(error);
  if (order) of->second = of->first + of->roots;
  for (int i = 0, at = 0; i <= d->count; i++) {
    const rattle__chi *F = rattle__slopes_function(d, i);
    for (int k = 0; k < F->nnz; k++) of->root[at++] = F->d[F->at[k]];
  }
  if (!of->roots || !order) return RATTLE_OK;
  const rattle__jets_plan plan = {
      .root = of->root, .roots = of->roots, .variables = variables, .late = variables, .order = 1};
  return rattle__jets_create(&of->jets, d->graph, &plan, error);
}

void rattle__slopes_destroy(rattle__slopes *of) {
  rattle__jets_destroy(&of->jets);
  free(of->root);
  free(of->first);
}

rattle_status rattle__slopes_at(rattle__slopes *of, const rattle__dirac *d, rattle__sample *s,
                                rattle_error *error) {
  const size_t vars = (size_t)d->vars;
  rattle_status status = rattle__values_at(d, s, error);
  for (int i = 0; i < of->roots && !status; i++)
    of->first[i] = rattle__is_zero(s, of->root[i]) ? 0 : fabs(s->value[of->root[i]]);
  if (status || !of->jets) return status;
  for (int k = 0; k < d->vars + d->parameters; k++)
    rattle__jets_variable(of->jets, k)[0] = k < d->vars ? s->x[k] : d->parameter[k - d->vars];
  rattle__jets_advance(of->jets, 0);
  for (size_t k = 0; k < vars; k++) {
    rattle__jets_variable(of->jets, (int)k)[1] = 1;
    rattle__jets_advance(of->jets, 1);
    for (int i = 0; i < of->roots; i++)
      of->second[(size_t)i * vars + k] = fabs(rattle__jets_root(of->jets, i)[1]);
    rattle__jets_variable(of->jets, (int)k)[1] = 0;
  }
  return RATTLE_OK;
}
