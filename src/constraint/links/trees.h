#ifndef RATTLE__TREES_H
#define RATTLE__TREES_H
/* Constraints that are distances between particles, or to fixed points, and close no loop: the
 * stages of a step with an elimination from the leaves to the roots, which takes as many operations
 * as there are links. Symbols and method: trees.c. */
#include "constraint/links/links.h"
#include "problem/functions/problem.h"
#include "ground/support/arena.h"

/* NULL with arena->failed 0: the constraints are no such links, masses differ by axis, or too many
 * links meet in a particle. */
rattle__links *rattle__trees_create(const rattle_problem *problem, rattle__arena *arena);
#endif
