/* Initial positions of the beads of molecules: chains and rings as random coils that do not overlap
 * themselves.
 *
 * Growth   bead by bead, with the angle of a tetrahedron and a random torsion. A position nearer
 *          than the length of its bond to another bead than its neighbour is refused; after many
 *          refusals some beads are taken away again
 * Rings    two parallel strands that grow together and are joined at both their ends, by a bead in
 *          between if their number is odd
 * Cells    as large as that distance, in a table by hash; beads leave them in the opposite order */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ground/support/random.h"
#include "files/lua/beads.h"

enum { TRIES = 40, TAKEN_BACK = 20, MOST_SETBACKS = 20000 };

typedef struct coil {
  int beads, ring, placed, slots;
  const double *length;
  double edge; /* of the cells */
  uint64_t *random;
  double *x;
  double *step; /* the bond that led to each bead [3 beads] */
  int *head, *next;
} coil;

static size_t slot_of(const coil *c, const long long cell[3]) {
  uint64_t mixed = 0;
  for (int d = 0; d < 3; d++) mixed = rattle__random_mix(mixed ^ (uint64_t)cell[d]);
  return (size_t)(mixed % (uint64_t)c->slots);
}

static void cell_of(const coil *c, const double *x, long long cell[3]) {
  for (int d = 0; d < 3; d++) cell[d] = (long long)fmax(-1e15, fmin(floor(x[d] / c->edge), 1e15));
}

static void put(coil *c, int bead) {
  long long cell[3];
  cell_of(c, c->x + 3 * bead, cell);
  const size_t slot = slot_of(c, cell);
  c->next[bead] = c->head[slot];
  c->head[slot] = bead;
}

static void take_back(coil *c, int bead) {
  long long cell[3];
  cell_of(c, c->x + 3 * bead, cell);
  c->head[slot_of(c, cell)] = c->next[bead];
}

/* True if x is at least the length of a bond away from all beads but two. */
static int is_free(const coil *c, const double *x, int but, int and_but) {
  long long own[3], cell[3];
  cell_of(c, x, own);
  for (int k = 0; k < 27; k++) {
    for (int d = 0, rest = k; d < 3; d++, rest /= 3) cell[d] = own[d] + rest % 3 - 1;
    for (int b = c->head[slot_of(c, cell)]; b >= 0; b = c->next[b]) {
      double sum = 0;
      for (int d = 0; d < 3; d++) sum += (x[d] - c->x[3 * b + d]) * (x[d] - c->x[3 * b + d]);
      if (b != but && b != and_but && sum < c->edge * c->edge) return 0;
    }
  }
  return 1;
}

static void normalise(double *a) {
  const double size = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
  for (int d = 0; d < 3; d++) a[d] /= size;
}

/* A direction at the angle of a tetrahedron to another one. */
static void turn(coil *c, const double *from, double *to) {
  double across[3], along = 0, square = 0;
  do {
    for (int d = 0; d < 3; d++) across[d] = rattle__random_signed(c->random);
    along = square = 0;
    for (int d = 0; d < 3; d++) along += across[d] * from[d];
    for (int d = 0; d < 3; d++) {
      across[d] -= along * from[d];
      square += across[d] * across[d];
    }
  } while (square < 1e-3);
  normalise(across);
  for (int d = 0; d < 3; d++) to[d] = from[d] / 3 + sqrt(8.0) / 3 * across[d];
  normalise(to);
}

/* The bead of the second strand next to bead i of the first. */
static int partner(const coil *c, int i) {
  return c->beads - 1 - i;
}

/* Bead i of the chain, or of the first strand with its partner; 0: it is in the way */
static int grow(coil *c, int i) {
  const int other = partner(c, i);
  double *own = c->x + 3 * i, *second = c->x + 3 * other, *step = c->step + 3 * i;
  if (i == 0)
    step[0] = 0.6, step[1] = 0.8, step[2] = 0;
  else
    turn(c, step - 3, step);
  for (int d = 0; d < 3; d++) own[d] = i ? own[d - 3] + c->length[i - 1] * step[d] : 0;
  if (!is_free(c, own, i - 1, -1)) return 0;
  if (c->ring) {
    for (int d = 0; d < 3; d++) second[d] = own[d] + (d == 2 ? c->length[0] : 0);
    if (!is_free(c, second, other + 1, -1)) return 0;
    put(c, other);
  }
  put(c, i);
  return 1;
}

/* The bead between the ends of the two strands of an odd ring. */
static int close_ring(coil *c) {
  const int i = c->beads / 2;
  double *x = c->x + 3 * i;
  const double *end = x - 3, *last = c->step + 3 * (i - 1);
  for (int tries = 0; tries < TRIES; tries++) {
    double out[3];
    turn(c, last, out);
    out[2] = 0; /* at right angles to the last bond of the ring */
    normalise(out);
    for (int d = 0; d < 3; d++) x[d] = end[d] + c->length[0] * (d == 2 ? 0.5 : sqrt(0.75) * out[d]);
    if (is_free(c, x, i - 1, i + 1)) return 1;
  }
  return 0;
}

static int grow_all(coil *c) {
  const int count = c->ring ? c->beads / 2 : c->beads;
  for (int i = 0, setbacks = 0; i < count || (c->ring && c->beads % 2 && !close_ring(c));
       setbacks++) {
    int tries = 0;
    while (i < count && tries < TRIES && !grow(c, i)) tries++;
    if (i < count && tries < TRIES) {
      i++, setbacks--;
      continue;
    }
    if (setbacks >= MOST_SETBACKS) return 0;
    for (int k = 0; k < TAKEN_BACK && i > 1; k++) {
      take_back(c, --i);
      if (c->ring) take_back(c, partner(c, i));
    }
  }
  return 1;
}

int rattle__place_coil(int beads, int ring, const double *length, uint64_t *random, double *x) {
  coil c = {.beads = beads,
            .ring = ring,
            .slots = 2 * beads + 1,
            .length = length,
            .random = random,
            .x = x,
            .edge = INFINITY};
  for (int k = 0; k + 1 < beads; k++) c.edge = fmin(c.edge, length[k]);
  c.edge *= 1 - 1e-9; /* bonds of equal lengths are not in one another's way */
  c.step = malloc(3 * (size_t)beads * sizeof *c.step);
  c.head = malloc((size_t)c.slots * sizeof *c.head);
  c.next = malloc((size_t)beads * sizeof *c.next);
  int placed = c.step && c.head && c.next;
  for (int k = 0; k < c.slots && placed; k++) c.head[k] = -1;
  if (placed) placed = grow_all(&c);
  free(c.step);
  free(c.head);
  free(c.next);
  return placed;
}

void rattle__place_copy(int copy, int copies, const double edge[3], double offset[3]) {
  int count[3] = {1, 1, 1};
  while ((double)count[0] * count[1] * count[2] <
         copies) { /* the next layer where the grid is shortest */
    int shortest = 0;
    for (int d = 1; d < 3; d++)
      if (count[d] * edge[d] < count[shortest] * edge[shortest]) shortest = d;
    count[shortest]++;
  }
  const int at[3] = {copy % count[0], copy / count[0] % count[1], copy / count[0] / count[1]};
  for (int d = 0; d < 3; d++) offset[d] = at[d] * edge[d];
}
