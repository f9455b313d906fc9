/* One cluster shared by ranks: the position stage of a chain in pieces whose number does not depend
 * on the ranks, with one exchange a Newton step, against block Jacobi by ranks, and the time of
 * such an exchange.
 *
 *     mpicc -O2 -ffp-contract=off bench/ranks/chain.c -o chain -lm
 *     mpirun -np 4 ./chain [BONDS [PIECES]]
 *
 * Symbols  bond k joins atoms k and k + 1; r_k before the step, s_k now; A is tridiagonal,
 *          A_kl = G M^-1 G' of s_k and r_l; y_k = (|s_k|^2 - 1)/2; A lambda = y. Piece p holds
 *          bonds first_p to last_p; the bond between two pieces is a separator. A piece solves for
 *          z = y, and for the columns of the separators at its ends, left and right; its ends of
 *          these, the rows of the separator after it and its largest error are what it tells the
 *          others. All then solve for the separators, with the same bits
 * Time     of computing: of the processor, the slowest rank, the least of rounds; of exchanges: of
 *          the clock, the least and the median */
#include <math.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_PIECES = 1024, SENT = 12, ROUNDS = 15, MOST_STEPS = 1000, CALLS = 2000 };

typedef struct chain {
  int bonds, pieces, rank, ranks;
  double *x0, *x, *start, *inverse; /* [3 atoms], inverse masses [atoms] */
  double *r, *s, *y, *below, *diagonal, *above, *z, *left, *right;
} chain;

static double now(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double drawn(void) {
  static uint64_t state = 7;
  state = state * 6364136223846793005u + 1442695040888963407u;
  return 2 * (double)(state >> 11) / 9007199254740992.0 - 1;
}

static double product(const double *a, const double *b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static double *room(size_t count) {
  double *made = calloc(count, sizeof *made);
  if (!made) MPI_Abort(MPI_COMM_WORLD, 1);
  return made;
}

/* Carbon-like: unit bonds at about 110 degrees, masses of CH and CH2; a step whose bonds are off by
 * a few per cent, as 2 fs at 300 K. */
static void make(chain *c) {
  const size_t n = (size_t)c->bonds, atoms = 3 * (n + 1);
  c->x0 = room(atoms), c->x = room(atoms), c->start = room(atoms), c->inverse = room(n + 1);
  c->r = room(3 * n), c->s = room(3 * n), c->y = room(n), c->below = room(n), c->diagonal = room(n);
  c->above = room(n), c->z = room(n), c->left = room(n), c->right = room(n);
  double along[3] = {1, 0, 0};
  for (size_t k = 0; k < n; k++) {
    double e[3] = {drawn(), drawn(), drawn()}, size;
    const double part = product(e, along);
    for (int d = 0; d < 3; d++) e[d] -= part * along[d];
    size = sqrt(product(e, e));
    for (int d = 0; d < 3; d++) along[d] = 0.34 * along[d] + 0.94 * e[d] / size;
    size = sqrt(product(along, along));
    for (int d = 0; d < 3; d++)
      along[d] /= size, c->x0[3 * k + 3 + d] = c->x0[3 * k + d] + along[d];
  }
  for (size_t a = 0; a <= n; a++) c->inverse[a] = 1 / (a % 2 ? 14.027 : 13.019);
  for (size_t i = 0; i < atoms; i++) c->start[i] = c->x0[i] + 0.012 * drawn();
}

static int first_of(const chain *c, int piece) { /* the bond after a separator */
  return piece == 0 ? 0 : (int)((long long)c->bonds * piece / c->pieces) + 1;
}

static int last_of(const chain *c, int piece) { /* the bond before one, or the last of all */
  return piece + 1 == c->pieces ? c->bonds - 1 : first_of(c, piece + 1) - 2;
}

/* s, y and the row of bond k; returns its relative error. */
static double row(const chain *c, int k) {
  double *s = c->s + 3 * k;
  for (int d = 0; d < 3; d++) s[d] = c->x[3 * k + 3 + d] - c->x[3 * k + d];
  const double off = product(s, s) - 1;
  c->y[k] = 0.5 * off;
  c->diagonal[k] = (c->inverse[k] + c->inverse[k + 1]) * product(s, c->r + 3 * k);
  c->below[k] = k > 0 ? -c->inverse[k] * product(s, c->r + 3 * k - 3) : 0;
  c->above[k] = k + 1 < c->bonds ? -c->inverse[k + 1] * product(s, c->r + 3 * k + 3) : 0;
  return fabs(off) / 2;
}

static void push(const chain *c, int atom, double by, int bond) {
  for (int d = 0; d < 3; d++) c->x[3 * atom + d] += by * c->inverse[atom] * c->r[3 * bond + d];
}

/* Eliminates bonds a to b for z and, where there are separators, for both columns. */
static void eliminate(const chain *c, int a, int b, int columns) {
  double *z = c->z, *left = c->left, *right = c->right, *pivot = c->diagonal;
  for (int k = a; k <= b; k++) {
    z[k] = c->y[k], left[k] = k == a ? c->below[k] : 0, right[k] = k == b ? c->above[k] : 0;
    if (k == a) continue;
    const double factor = c->below[k] / pivot[k - 1];
    pivot[k] -= factor * c->above[k - 1], z[k] -= factor * z[k - 1];
    if (columns) left[k] -= factor * left[k - 1];
  }
  for (int k = b; k >= a; k--) {
    const double by = 1 / pivot[k], next = k < b ? c->above[k] : 0;
    z[k] = (z[k] - (k < b ? next * z[k + 1] : 0)) * by;
    if (!columns) continue;
    left[k] = (left[k] - (k < b ? next * left[k + 1] : 0)) * by;
    right[k] = (right[k] - (k < b ? next * right[k + 1] : 0)) * by;
  }
}

/* What piece p tells. */
static void send(const chain *c, int p, double worst, double *to) {
  const int a = first_of(c, p), b = last_of(c, p), e = b + 1;
  const double ends[] = {c->z[a], c->z[b], c->left[a], c->left[b], c->right[a], c->right[b]};
  memcpy(to, ends, sizeof ends);
  if (e < c->bonds)
    to[6] = c->below[e], to[7] = c->diagonal[e], to[8] = c->above[e], to[9] = c->y[e];
  to[10] = worst;
}

/* lambda of the separators [pieces + 1], 0 at both ends, from what all sent. */
static void solve_separators(const chain *c, double (*sent)[SENT], double *lambda) {
  double pivot[MOST_PIECES], above[MOST_PIECES];
  const int n = c->pieces - 1;
  lambda[0] = lambda[c->pieces] = 0;
  for (int e = 0; e < n; e++) { /* between pieces e and e + 1 */
    const double *of = sent[e], *next = sent[e + 1];
    const double below = e ? -of[6] * of[3] : 0;
    pivot[e] = of[7] - of[6] * of[5] - of[8] * next[2];
    above[e] = -of[8] * next[4];
    lambda[e + 1] = of[9] - of[6] * of[1] - of[8] * next[0];
    if (!e) continue;
    const double factor = below / pivot[e - 1];
    pivot[e] -= factor * above[e - 1], lambda[e + 1] -= factor * lambda[e];
  }
  for (int e = n - 1; e >= 0; e--)
    lambda[e + 1] = (lambda[e + 1] - (e + 1 < n ? above[e] * lambda[e + 2] : 0)) / pivot[e];
}

static int owner(const chain *c, int piece) {
  return (int)((long long)piece * c->ranks / c->pieces);
}

/* Moves the atoms of piece p, and the first of the next piece, which its separator needs: all
 * numbers for that have been sent. */
static void move(const chain *c, int p, double (*sent)[SENT], const double *lambda) {
  const int a = first_of(c, p), b = last_of(c, p);
  for (int k = a; k <= b; k++) {
    const double by = c->z[k] - c->left[k] * lambda[p] - c->right[k] * lambda[p + 1];
    push(c, k, by, k), push(c, k + 1, -by, k);
  }
  if (p > 0) push(c, a, -lambda[p], a - 1);
  if (p + 1 == c->pieces) return;
  push(c, b + 1, lambda[p + 1], b + 1);
  if (owner(c, p + 1) == c->rank) return;
  const double *next = sent[p + 1]; /* in the order of that piece, for the same bits */
  push(c, b + 2, next[0] - next[2] * lambda[p + 1] - next[4] * lambda[p + 2], b + 2);
  push(c, b + 2, -lambda[p + 1], b + 1);
}

/* Newton's iteration; returns its steps; *took: time of the processor without exchanges. */
static int by_separators(const chain *c, double *took) {
  double sent[MOST_PIECES][SENT], lambda[MOST_PIECES + 1], begin = now(CLOCK_PROCESS_CPUTIME_ID);
  int counts[MOST_PIECES] = {0}, places[MOST_PIECES] = {0}, steps = 0;
  *took = 0;
  for (int p = c->pieces - 1; p >= 0; p--)
    counts[owner(c, p)] += SENT, places[owner(c, p)] = p * SENT;
  for (int k = 0; k < c->bonds; k++)
    for (int d = 0; d < 3; d++) c->r[3 * k + d] = c->x0[3 * k + 3 + d] - c->x0[3 * k + d];
  begin = now(CLOCK_PROCESS_CPUTIME_ID); /* r is the same work for all, and could be shared */
  for (;; steps++) {
    memset(sent, 0, sizeof sent);
    for (int p = 0; p < c->pieces; p++) {
      if (owner(c, p) != c->rank) continue;
      double worst = 0;
      for (int k = first_of(c, p); k <= last_of(c, p) + (p + 1 < c->pieces); k++)
        worst = fmax(worst, row(c, k));
      eliminate(c, first_of(c, p), last_of(c, p), 1);
      send(c, p, worst, sent[p]);
    }
    *took += now(CLOCK_PROCESS_CPUTIME_ID) - begin;
    MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, sent, counts, places, MPI_DOUBLE,
                   MPI_COMM_WORLD);
    begin = now(CLOCK_PROCESS_CPUTIME_ID);
    double worst = 0;
    for (int p = 0; p < c->pieces; p++) worst = fmax(worst, sent[p][10]);
    if (worst <= 1e-10 || steps == MOST_STEPS) return steps;
    solve_separators(c, sent, lambda);
    for (int p = 0; p < c->pieces; p++)
      if (owner(c, p) == c->rank) move(c, p, sent, lambda);
  }
}

/* Blocks of all ranks, each computed here: sweeps are what counts, each with one exchange. */
static int by_jacobi(const chain *c, int blocks) {
  for (int sweep = 0; sweep < MOST_STEPS; sweep++) {
    double worst = 0;
    for (int k = 0; k < c->bonds; k++) worst = fmax(worst, row(c, k));
    if (worst <= 1e-10) return sweep;
    for (int p = 0; p < blocks; p++)
      eliminate(c, (int)((long long)c->bonds * p / blocks),
                (int)((long long)c->bonds * (p + 1) / blocks) - 1, 0);
    for (int k = 0; k < c->bonds; k++) push(c, k, c->z[k], k), push(c, k + 1, -c->z[k], k);
  }
  return MOST_STEPS;
}

static int ascending(const void *a, const void *b) {
  const double p = *(const double *)a, q = *(const double *)b;
  return (p > q) - (p < q);
}

static void time_exchanges(const chain *c) {
  static double took[CALLS];
  const int size = (c->pieces + c->ranks - 1) / c->ranks * SENT;
  double *own = room((size_t)size), *all = room((size_t)(c->ranks * size));
  for (int k = 0; k < CALLS; k++) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = now(CLOCK_MONOTONIC);
    MPI_Allgather(own, size, MPI_DOUBLE, all, size, MPI_DOUBLE, MPI_COMM_WORLD);
    took[k] = now(CLOCK_MONOTONIC) - begin;
  }
  MPI_Allreduce(MPI_IN_PLACE, took, CALLS, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  qsort(took, CALLS, sizeof *took, ascending);
  if (c->rank == 0)
    printf("an exchange of %d numbers a rank: %.1f us at least, %.1f us in the median\n", size,
           1e6 * took[0], 1e6 * took[CALLS / 2]);
  free(own), free(all);
}

/* A number for the bits of all places, each by the rank that has it. */
static uint64_t bits(const chain *c) {
  uint64_t mine = 0, all;
  for (int p = 0; p < c->pieces; p++)
    for (int i = 3 * first_of(c, p); owner(c, p) == c->rank && i < 3 * last_of(c, p) + 6; i++) {
      uint64_t one;
      memcpy(&one, c->x + i, sizeof one);
      mine += (one ^ (uint64_t)i) * 0x9e3779b97f4a7c15u;
    }
  MPI_Allreduce(&mine, &all, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  return all;
}

int main(int count, char **word) {
  chain c = {.bonds = count > 1 ? atoi(word[1]) : 100000, .pieces = count > 2 ? atoi(word[2]) : 16};
  MPI_Init(&count, &word);
  MPI_Comm_rank(MPI_COMM_WORLD, &c.rank), MPI_Comm_size(MPI_COMM_WORLD, &c.ranks);
  if (c.pieces < c.ranks || c.pieces > MOST_PIECES || c.bonds < 4 * c.pieces) {
    if (c.rank == 0)
      fprintf(stderr, "give bonds, and as many pieces as ranks up to %d\n", MOST_PIECES);
    MPI_Finalize();
    return 2;
  }
  make(&c);
  const size_t bytes = 3 * ((size_t)c.bonds + 1) * sizeof(double);
  double least = 1e9, took, slowest;
  int steps = 0;
  for (int k = 0; k < ROUNDS; k++) {
    memcpy(c.x, c.start, bytes);
    steps = by_separators(&c, &took);
    MPI_Allreduce(&took, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    least = fmin(least, slowest);
  }
  const uint64_t found = bits(&c);
  int reach = 0;
  for (const double *column = c.left + first_of(&c, c.pieces - 1); c.ranks == 1 && c.pieces > 1;)
    if (fabs(column[++reach]) < 1e-16 * fabs(column[0])) break;
  if (reach)
    printf("the column of a separator is below 1e-16 of its first number after %d bonds\n", reach);
  if (c.rank == 0)
    printf("%d bonds in %d pieces on %d ranks: %d Newton steps and one exchange more, %.2f ms on "
           "the slowest rank, bits %016llx\n",
           c.bonds, c.pieces, c.ranks, steps, 1e3 * least, (unsigned long long)found);
  time_exchanges(&c);
  for (int blocks = 1; blocks <= 64 && c.rank == 0; blocks *= 4) {
    memcpy(c.x, c.start, bytes);
    const double begin = now(CLOCK_PROCESS_CPUTIME_ID);
    const int sweeps = by_jacobi(&c, blocks);
    printf("block Jacobi, %d blocks: %d sweeps, each with an exchange, %.2f ms of the processor in "
           "all\n",
           blocks, sweeps, 1e3 * (now(CLOCK_PROCESS_CPUTIME_ID) - begin));
  }
  MPI_Finalize();
  return 0;
}
