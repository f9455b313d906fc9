/* Which instances of kernel.h this machine can run. */
#include <string.h>

#include "bonds/bonds.h"
#include "bonds/cut.h"
#include "ground/support/processor.h"

extern const rattle__bond_kernel rattle__bonds_plain;
#if defined(__x86_64__)
extern const rattle__bond_kernel rattle__bonds_avx2, rattle__bonds_avx512;
#endif

const rattle__bond_kernel *rattle__bond_kernel_of(const char *name) {
  const rattle__bond_kernel *able[3];
  int count = 0;
#if defined(__x86_64__)
  if (rattle__processor_has("avx512f") && rattle__processor_has("avx512dq"))
    able[count++] = &rattle__bonds_avx512;
  if (rattle__processor_has("avx2")) able[count++] = &rattle__bonds_avx2;
#endif
  able[count++] = &rattle__bonds_plain;
  for (int i = 0; i < count; i++)
    if (!name || !strcmp(name, able[i]->name)) return able[i];
  return NULL;
}

size_t rattle__bond_room(const rattle__bond_shape *s, int width) {
  const rattle__bond_cut *c = s->cut;
  if (c)
    return 12 * (size_t)s->atoms +
           (6 * c->bonds + 2 * c->uppers + c->updates + c->pivots) * (size_t)c->width;
  return (12 * (size_t)s->atoms + 10 * (size_t)s->bonds + (size_t)s->slots) * (size_t)width;
}
