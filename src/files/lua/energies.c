/* H of a model as expressions of it, to be observed: hamiltonian() and potential() without an
 * argument. They are H as it is at that line; that nothing was added later is checked when the
 * model has been read (rattle__lua_finish_masses). */
#include <stdlib.h>

#include "files/lua/loader.h"
#include "ground/expr/copy.h"
#include "ground/expr/inputs.h"

/* Notes what was read. Copies would hold the numbers of symbols in place of parameters, so that a
 * text that reads H is read with numbers. */
static rattle_expr read_whole(lua_State *L, const char *word, const char *where) {
  rattle__loader *loader = rattle__lua_loader(L);
  const rattle_expr whole = rattle__lua_whole_hamiltonian(L);
  if (!whole)
    luaL_error(L, "%s() reads H, which is nothing yet: call it after all that adds to H", word);
  if (rattle__graph_inputs(loader->model->graph))
    luaL_error(L, "%s() is not read with symbols of parameters", word);
  if (loader->hamiltonian_read && loader->hamiltonian_read != whole)
    luaL_error(L, "%s read H before it was complete: observe energies after all that adds to H",
               loader->hamiltonian_reader);
  loader->hamiltonian_read = whole;
  loader->hamiltonian_reader = where ? where : word;
  return whole;
}

/* A copy with 0 in place of p_t, and of all momenta if none is to remain. */
static int push_without(lua_State *L, rattle_expr whole, int momenta) {
  rattle_model *model = rattle__lua_loader(L)->model;
  rattle_graph *graph = model->graph;
  const int clock = rattle_model_clock(model);
  rattle__lua_charge(L, (double)rattle_graph_count(graph));
  rattle_expr *image = calloc(2 * (size_t)model->n, sizeof *image);
  const rattle_expr zero = rattle_expr_constant(graph, 0);
  if (!image) return rattle__lua_no_memory(L);
  for (int k = 0; k < model->n; k++)
    if (k == clock || (momenta && !model->pair[k].is_free)) image[2 * k + 1] = zero;
  rattle__copy copy = rattle__copy_begin(graph, graph, image, 2 * model->n);
  const rattle_expr e = rattle__copy_of(&copy, whole);
  rattle__copy_end(&copy);
  free(image);
  return e ? rattle__lua_push(L, e) : rattle__lua_no_memory(L);
}

int rattle__lua_hamiltonian_so_far(lua_State *L, const char *where) {
  return push_without(L, read_whole(L, "hamiltonian", where), 0);
}

int rattle__lua_potential_so_far(lua_State *L, const char *where) {
  return push_without(L, read_whole(L, "potential", where), 1);
}
