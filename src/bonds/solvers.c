/* The solver of each shape: the one asked for, or the cheapest that can do it. */
#include "bonds/solvers.h"

#include <string.h>

#include "bonds/cut.h"
#include "bonds/flat.h"
#include "ground/support/error.h"

static const rattle_bonds_solver table[] = {
#define BOND_SOLVER(NAME, CLUSTERS, SOURCE, TEXT) {#NAME, CLUSTERS, SOURCE, TEXT},
#include "bonds/solvers.def"
#undef BOND_SOLVER
};
enum { SOLVERS = sizeof table / sizeof *table };

const rattle_bonds_solver *rattle_bonds_solver_of(int index) {
  return index >= 0 && index < SOLVERS ? &table[index] : NULL;
}

int rattle__bonds_want_newton(const rattle_bonds_options *options) {
  return !options->solver || !strcmp(options->solver, "auto") ||
         !strcmp(options->solver, table[0].name);
}

static const rattle__bond_row *rows_of(const rattle__bond_kernel *kernel) {
#if defined(__x86_64__)
  if (kernel->width == 8) return rattle__bond_rows_avx512;
  if (kernel->width == 4) return rattle__bond_rows_avx2;
#endif
  (void)kernel;
  return rattle__bond_rows_plain;
}

static const rattle__bond_row *pieces_of(const rattle__bond_cut *cut) {
#if defined(__x86_64__)
  if (cut->width == 8) return &rattle__bond_pieces_avx512;
  if (cut->width == 4) return &rattle__bond_pieces_avx2;
#endif
  (void)cut;
  return &rattle__bond_pieces_plain;
}

/* NULL: there is none of this name. */
static const rattle__bond_row *find(const rattle_bonds *b, const char *name) {
  if (!strcmp(name, b->newton.name)) return &b->newton;
  for (const rattle__bond_row *row = rows_of(b->kernel); row->name; row++)
    if (!strcmp(row->name, name)) return row;
  return NULL;
}

static rattle_status unknown(const char *name, rattle_error *error) {
  char names[128] = "auto";
  for (int i = 0; i < SOLVERS; i++) {
    strcat(names, ", ");
    strcat(names, table[i].name);
  }
  return rattle__fail(error, RATTLE_BAD_ARGUMENT, "solver", "there is no solver '%s' of bonds: %s",
                      name, names);
}

static rattle_status cannot(const rattle_bonds *b, const rattle__bond_shape *s, const char *why,
                            rattle_error *error) {
  const int *pair = b->pair + 2 * (size_t)s->number[0];
  return rattle__fail(error, RATTLE_UNSUITABLE, "solver",
                      "%s cannot do the cluster of %d atoms and %d bonds that holds the atoms %d "
                      "and %d%s; give the solver auto",
                      s->solver->name, s->atoms, s->bonds, pair[0], pair[1], why);
}

/* settle does its triangles alone, line lines, which no other row does. row NULL: the cheapest;
 * bench/bonds compares them. */
static rattle_status give(rattle_bonds *b, rattle__bond_shape *s, const rattle__bond_row *row,
                          rattle_error *error) {
  const rattle__bond_row *line = find(b, "line"), *settle = find(b, "settle");
  const int on_line = s->bodies > 0, isosceles = s->family == RATTLE__BOND_ISOSCELES;
  s->solver = s->cut      ? pieces_of(s->cut)
              : row       ? row
              : on_line   ? line
              : isosceles ? settle
                          : &b->newton;
  if (on_line && s->solver != line) return cannot(b, s, ", of which some lie on a line", error);
  if ((s->solver == line && !on_line) || (s->solver == settle && !isosceles))
    return cannot(b, s, "", error);
  if (s->solver == settle && !rattle__settle_turn(s, b->kernel->width, &b->arena))
    return rattle__no_memory(error);
  return RATTLE_OK;
}

void rattle_bonds_chosen(const rattle_bonds *bonds, int *solver) {
  for (long long a = 0; a < bonds->atoms; a++) solver[a] = -1;
  for (const rattle__bond_shape *s = bonds->shape; s; s = s->next) {
    int row = 0;
    while (strcmp(table[row].name, s->solver->name) != 0) row++;
    for (long long k = 0; k < s->groups * s->atoms * s->width; k++) solver[s->place[k] / 3] = row;
  }
  for (int k = 0; k < bonds->solids; k++)
    for (int i = 0; i < bonds->solid[k].atoms; i++) solver[bonds->solid[k].atom[i]] = SOLVERS - 1;
}

rattle_status rattle__bonds_choose(rattle_bonds *b, const rattle_bonds_options *options,
                                   rattle_error *error) {
  const char *name = options->solver && strcmp(options->solver, "auto") ? options->solver : NULL;
  b->newton = (rattle__bond_row){"newton", b->kernel->positions, b->kernel->velocities};
  const rattle__bond_row *row = name ? find(b, name) : NULL;
  if (name && !row && strcmp(name, table[SOLVERS - 1].name) != 0) return unknown(name, error);
  if (name && !row && b->shape) {
    static const rattle__bond_row rigid = {.name = "rigid"};
    b->shape->solver = &rigid;
    return cannot(b, b->shape, "", error);
  }
  if (options->lincs_order < 0 || options->lincs_order > 1000 || options->lincs_iterations < 0)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "lincs_order",
                        "lincs of order %d with %d iterations: give 0 to 1000, and 0 or more",
                        options->lincs_order, options->lincs_iterations);
  rattle_status status = RATTLE_OK;
  for (rattle__bond_shape *s = b->shape; s && !status; s = s->next) {
    s->order = options->lincs_order > 0 ? options->lincs_order : 4;
    s->iterations = options->lincs_iterations > 0 ? options->lincs_iterations : 1000;
    status = give(b, s, row, error);
    if (!status && !s->cut && !rattle__bond_spread(s, s->width, &b->arena))
      status = rattle__no_memory(error);
  }
  return status;
}
