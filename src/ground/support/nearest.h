#ifndef RATTLE__NEAREST_H
#define RATTLE__NEAREST_H
/* "did you mean ...?": the nearest of many known names to a name that is not known. */

typedef struct rattle__nearest {
  const char *name; /* looked for */
  const char *best; /* nearest so far, NULL while nothing is near */
  int distance; /* of best: letters changed, added, dropped or swapped with their neighbour; case
                   is ignored. 64 more for one that it begins */
} rattle__nearest;

/* Begin with {name, NULL, 0}, try all candidates, read best. A candidate is near if at most a third
 * of the letters differ (one, in short names), or if the whole name, of three letters or more,
 * begins it (param: parameter). The first of equally near ones is kept. */
void rattle__nearest_try(rattle__nearest *nearest, const char *candidate);
#endif
