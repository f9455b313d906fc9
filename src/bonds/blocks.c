/* Blocks of clusters, which threads take in turn. Blocks do not depend on the threads or the
 * vectors, and each has its own report, so that results do not either. */
#include <stdatomic.h>
#include <stdlib.h>

#include "bonds/bonds.h"
#include "ground/support/error.h"

/* Bonds in a block, if its clusters are small: eight clusters at least. With fewer, sums of many
 * blocks take time; with more, their atoms do not fit into a core's own cache. */
enum { BONDS_OF_BLOCK = 1024 };

static long long groups_of_block(const rattle__bond_shape *s) {
  const long long eights = BONDS_OF_BLOCK / 8 / s->bonds;
  return (eights > 0 ? 8 * eights : 8) / s->width;
}

/* Blocks of several shapes come in the order of their first atoms, so that what is near in memory
 * is loaded once. */
static int by_place(const void *a, const void *b) {
  const rattle__bond_block *p = a, *q = b;
  const int *at_p = p->shape->place + p->from * p->shape->atoms * p->shape->width,
            *at_q = q->shape->place + q->from * q->shape->atoms * q->shape->width;
  return *at_p < *at_q ? -1 : *at_p > *at_q;
}

rattle_status rattle__bonds_share(rattle_bonds *b, int threads, rattle_error *error) {
  for (const rattle__bond_shape *s = b->shape; s; s = s->next)
    b->blocks += (s->groups + groups_of_block(s) - 1) / groups_of_block(s);
  b->room = (b->room + 7) / 8 * 8;
  b->threads = threads < b->blocks ? threads : b->blocks > 0 ? (int)b->blocks : 1;
  b->rooms = rattle__arena_doubles(&b->arena, (size_t)b->threads * b->room);
  b->block = rattle__arena_take(&b->arena, (size_t)b->blocks * sizeof *b->block);
  b->report = rattle__arena_take(&b->arena, (size_t)b->blocks * sizeof *b->report);
  if (b->arena.failed) return rattle__no_memory(error);
  rattle__bond_block *at = b->block;
  for (const rattle__bond_shape *s = b->shape; s; s = s->next)
    for (long long from = 0, size = groups_of_block(s); from < s->groups; from += size)
      *at++ = (rattle__bond_block){s, from, from + size < s->groups ? from + size : s->groups};
  if (b->blocks > 1) qsort(b->block, (size_t)b->blocks, sizeof *b->block, by_place);
  b->team = rattle__team_create(b->threads - 1);
  return RATTLE_OK;
}

/* Data that threads share. */
typedef struct shared {
  const rattle_bonds *bonds;
  const rattle__bond_stage *stage;
  atomic_llong next; /* block */
} shared;

static void work_through(void *work, int who) {
  shared *of = work;
  const rattle_bonds *b = of->bonds;
  double *room = b->rooms + (size_t)who * b->room;
  for (long long k; (k = atomic_fetch_add(&of->next, 1)) < b->blocks;) {
    const rattle__bond_block *at = &b->block[k];
    const rattle__bond_row *row = at->shape->solver;
    b->report[k] = (rattle__bond_failure){.cluster = -1};
    (of->stage->x0 ? row->positions : row->velocities)(at->shape, of->stage, at->from, at->to, room,
                                                       &b->report[k]);
  }
}

rattle_status rattle__bonds_run(rattle_bonds *b, const rattle__bond_stage *stage,
                                rattle_error *error) {
  shared of = {.bonds = b, .stage = stage};
  rattle__team_run(b->team, work_through, &of);
  for (long long k = 0; k < b->blocks; k++)
    if (b->report[k].cluster >= 0)
      return rattle__bond_failed(b, b->block[k].shape, stage, &b->report[k], error);
  return RATTLE_OK;
}

void rattle__bonds_virial(const rattle_bonds *b, double virial[6]) {
  for (int c = 0; c < 6; c++) {
    virial[c] = 0;
    for (long long k = 0; k < b->blocks; k++) {
      double sum = 0;
      for (int e = 0; e < 8; e++) sum += b->report[k].virial[e][c];
      virial[c] += sum;
    }
  }
}
