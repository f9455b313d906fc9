#ifndef RATTLE__WIDEN_H
#define RATTLE__WIDEN_H
/* Arrays that grow: at least doubled, so that n elements added one by one cost n in all. */
#include <stdlib.h>
#include <string.h>

/* array is the address of a pointer to *room elements of so many bytes, which becomes one to
 * `wanted` or more. 0 if there is no memory: nothing has changed then. */
static inline int rattle__widen(void *array, size_t wanted, size_t *room, size_t size) {
  enum { FIRST = 64 };
  if (wanted <= *room) return 1;
  size_t more = *room ? 2 * *room : FIRST;
  if (more < wanted) more = wanted;
  void *old, *wider;
  memcpy(&old, array, sizeof old);
  if (!(wider = realloc(old, more * size))) return 0;
  memcpy(array, &wider, sizeof wider);
  *room = more;
  return 1;
}
#endif
