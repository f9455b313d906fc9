#ifndef RATTLE__WRAP_H
#define RATTLE__WRAP_H
/* Maps from maps, and those that know the constraints by themselves. */
#include "map/base.h"
#include "wrap/natural.h"

/* shake(inner) for any inner map that offers its tangent: lambda by Newton around the inner map. */
rattle_status rattle__nested_create(rattle__map **map, rattle__context *context, rattle__map *inner, rattle__fibre *fibre,
                                    rattle__method_id solver, double tol, rattle_error *error);
/* shake with its guard, and rattle from it: the slide onto psi = 0 after each step, or at output. Owns `shake`. Without a fibre
 * the map ends on psi = 0 by itself, and only the guard is added. */
rattle_status rattle__projected_create(rattle__map **map, rattle__context *context, rattle__map *shake, rattle__fibre *fibre,
                                       rattle__projection projection, rattle_error *error);
/* Fails, with what would do: for maps that need constraints in involution, as those that slide along fibres do. */
rattle_status rattle__refuse_second_class(const rattle_problem *problem, const rattle__node *node, rattle_error *error);
/* A composition with the fractions gamma[stages] of the step. Owns `inner`. */
rattle_status rattle__composition_create(rattle__map **map, rattle__context *context, rattle__map *inner, int stages,
                                         const long double *gamma, int order, rattle_error *error);
/* Steps of `inner` whose length follows the density of steps that the model observes under that name, or "" the one from forces.
 * Owns `inner`. */
rattle_status rattle__adaptive_create(rattle__map **map, rattle__context *context, rattle__map *inner, const char *density,
                                      rattle_error *error);

/* The slide onto the hidden constraints: z <- exp(h sum sigma_i X_{g_i}) z with psi = 0. */
typedef struct rattle__hidden rattle__hidden;
rattle_status rattle__hidden_create(rattle__hidden **hidden, rattle__context *context, rattle__fibre *fibre, rattle_error *error);
void rattle__hidden_destroy(rattle__hidden **hidden);
/* sigma0: where to start [m], NULL for 0 */
rattle_status rattle__hidden_slide(rattle__hidden *hidden, double h, const double *sigma0, double *z, rattle_error *error);
#endif
