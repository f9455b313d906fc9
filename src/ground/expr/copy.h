#ifndef RATTLE__COPY_H
#define RATTLE__COPY_H
/* Expressions from one graph into another, or into the same, with other expressions instead of
 * variables. */
#include "rattle/expr.h"

typedef struct rattle__copy {
  const rattle_graph *from;
  rattle_graph *to;         /* may be `from` */
  const rattle_expr *image; /* image[v] in `to` replaces variable v; NONE: v stays [images]; NULL:
                             * all stay */
  int images;
  int by_reciprocals; /* 1: quotients a/b become a (1/b), so that all by b take one division */
  rattle_expr *known; /* copies made so far, by handle in `from` */
  size_t room;
} rattle__copy;

/* A copier; image is borrowed. */
rattle__copy rattle__copy_begin(const rattle_graph *from, rattle_graph *to,
                                const rattle_expr *image, int images);
void rattle__copy_end(rattle__copy *copy);
/* The copy of e; each node is copied once. NONE if there is no memory. */
rattle_expr rattle__copy_of(rattle__copy *copy, rattle_expr e);
#endif
