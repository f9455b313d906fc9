#ifndef RATTLE__TREE_WALK_H
#define RATTLE__TREE_WALK_H
/* Walks over all joints of a tree. */
#include "constraint/tree/eliminate.h"
#include "constraint/tree/tree.h"

static inline rattle__tree_node *parent_of(const rattle__tree *tree, int c) {
  const int up = tree->body[c].parent;
  return up < 0 ? NULL : &tree->node[up];
}

/* The blocks of all joints eliminated, from those of the bodies. 0: a pivot is not that of a step
 * without a fold. fresh: they are those of the mass matrix, with which later ones are compared. */
int rattle__tree_eliminate(rattle__tree *tree, int fresh);

/* The wrenches of the bodies, from the leaves on. */
static inline void hand_wrenches(rattle__tree *tree) {
  for (int c = tree->bodies - 1; c >= 0; c--)
    hand_wrench(tree->body[c].joint, &tree->node[c], parent_of(tree, c));
}
#endif
