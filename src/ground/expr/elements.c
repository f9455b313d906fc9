/* Functions from expressions: collect families, derive each, find the sparsity, attach an
 * evaluator. */
#include <stdlib.h>

#include "ground/support/error.h"
#include "ground/expr/family.h"
#include "ground/expr/native.h"

static void destroy(rattle__function *f) {
  rattle__elements *e = f->self;
  if (e) {
    for (int k = 0; k < e->families; k++) rattle__family_release(&e->family[k]);
    rattle__tapes_destroy(&e->tapes);
    rattle__native_unload(&e->library);
    free(e->family);
    free(e->table);
    free(e->jac_at);
    free(e->hess_at);
    free(e->jac_ptr);
    free(e->jac_col);
    free(e->hess_ptr);
    free(e->rows.ptr);
    free(e->rows.one);
    free(e->hess_col);
    free(e);
  }
  free(f);
}

int rattle__function_set_values(rattle__function *f, const rattle_graph *graph) {
  rattle__elements *e = f && f->elements ? f->self : NULL;
  int good = 1;
  for (int k = 0; e && k < e->families; k++)
    good &= rattle__family_set_values(&e->family[k], graph);
  if (e && e->tapes) rattle__tapes_set_values(e->tapes);
  return good;
}

/* Derives families that were collected; makes pattern and evaluators. */
static rattle_status finish(rattle__function *f, const rattle_graph *graph,
                            const rattle__build *build, rattle_error *error) {
  rattle__elements *e = f->self;
  rattle_status status = RATTLE_OK;
  int inputs = 0;
  f->quadratic = 1;
  for (int k = 0; k < e->families && !status; k++) {
    status = rattle__family_derive(&e->family[k], build, error);
    e->family[k].first_input = inputs;
    inputs += e->family[k].count * e->family[k].settables;
    if (e->family[k].degree > 2) f->quadratic = 0;
    if (!status) (void)rattle__family_set_values(&e->family[k], graph);
  }
  if (!status) status = rattle__pattern_build(e, f, build, error);
  if (status) return status;
  if (!rattle__elements_are_few(f, RATTLE__TAPE_MOST))
    rattle__block_attach(f, build);
  else if (rattle__tape_attach(f, build))
    return rattle__no_memory(error);
  if (build->constraints && rattle__row_attach(f)) return rattle__no_memory(error);
  return rattle__native_attach(&f, 1, build->evaluator, NULL, &e->library, error);
}

static rattle_status create(rattle__function **f, int rows, const rattle__build *build,
                            rattle_error *error) {
  *f = NULL;
  if (rows < 0 || build->vars < 0)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, NULL,
                        "a number of rows or columns is negative");
  rattle__function *made = calloc(1, sizeof *made);
  if (!made) return rattle__no_memory(error);
  *made = (rattle__function){.rows = rows, .vars = build->vars, .destroy = destroy};
  made->elements = made->self = calloc(1, sizeof(rattle__elements));
  *f = made;
  return made->self ? RATTLE_OK : rattle__no_memory(error);
}

static rattle_status drop(rattle__function **f, rattle_status status) {
  if (*f) destroy(*f);
  *f = NULL;
  return status;
}

rattle_status rattle__function_from_graph(rattle__function **f, rattle_graph *graph,
                                          const rattle_expr *root, int rows,
                                          const rattle__build *build, rattle_error *error) {
  rattle_status status = create(f, rows, build, error);
  if (!status) status = rattle__families_collect((*f)->self, graph, root, rows, build, error);
  if (!status) status = finish(*f, graph, build, error);
  return status ? drop(f, status) : RATTLE_OK;
}

rattle_status rattle__function_from_terms(rattle__function **f, rattle_graph *graph,
                                          double *coefficient, rattle_expr *term, int count,
                                          const rattle__build *build, rattle_error *error) {
  rattle_status status = create(f, 1, build, error);
  if (!status)
    status =
        rattle__families_collect_sum((*f)->self, graph, coefficient, term, count, build, error);
  if (!status) status = finish(*f, graph, build, error);
  return status ? drop(f, status) : RATTLE_OK;
}
