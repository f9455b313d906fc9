/* Hops: a transition that joins parts of {g = 0} which no path on it joins.
 *
 * Map      P [m x n], rows of random numbers of the law of momenta, in the pattern of G; in half of
 *          the hops, if starts on parts are known, one row is M (a - b), a and b being two of them.
 *          The plane {q + W P^T s} meets {g = 0} in points. A ball of radius r, the reach, lies in
 *          the plane about a centre c, drawn so that q is anywhere in it. A search finds points q_i
 *          in the ball, q being one; another is proposed with the probability w_i/(S - w), and
 *          accepted with min(1, (S - w)/(S - w_i)), where S is the sum of all w,
 *
 *              w_i = exp(-U(q_i)/T) det(G W G^T)^(1/2) / |det(G W P^T)| at q_i
 *
 * Symbols  runs/sample/kernel.h
 * Source   random planes: P. Breiding, O. Marigliano, SIAM J. Math. Data Sci. 2 (2020) 683, and for
 *          Markov chains O. Mangoubi, A. Edelman, arXiv:1503.03626; lines: R. L. Smith, Oper. Res.
 *          32 (1984) 1296; the choice of another: J. S. Liu, Biometrika 83 (1996) 681
 * Claims   detailed balance with exp(-U/T) d sigma_W. Proof: let D = W P^T, and q = b + D s, b in
 *          a complement of the span of D. The integral of delta(g(b + D s)) ds is the sum of
 *          1/|det(G D)| over the points of the plane, so that delta(g) dq = sum_i db/|det(G_i D)|;
 *          and d sigma_W = det(G W G^T)^(1/2) delta(g) dq up to a constant. Hence the measure is
 *          w_i db on the points of the plane b. Given q, the centre c has a density that is
 *          constant where |c - q|_M <= r, and P, r and the draws of the search do not depend on q.
 *          So given P, r, b, c and those draws the law of q on the points of the ball is
 *          proportional to w_i; what the search finds is a function of them; if q is not found,
 *          the chain stays, else it moves by the rule of Metropolis among those found. p is drawn
 *          from its law given q
 * Needs    natural, g(q), m > 0
 * Cost     one search (constraint/place/all_solutions.c), V and G at each point found
 * Fails when  never: what fails is a rejection
 * Differs from the source in  the rows have the pattern of G, so that a constraint moves its own
 *          coordinates; the ball, which makes the search finite */
#include <math.h>
#include <string.h>

#include "ground/support/random.h"
#include "runs/sample/solutions.h"

typedef struct rattle__hops {
  double share, across; /* of the transitions; 0: a radius is drawn */
  const double *parts;  /* [count*n] */
  int count;
  rattle__solution_set set;
  double *U, *log_w; /* [RATTLE__SOLUTIONS] of the points found */
} rattle__hops;

static const double OCTAVES = 10; /* of radii that are drawn */

int rattle__hops_sensible(const rattle__node *node, rattle__text *reason) {
  if (rattle__option_number(node, "hops") > 0 || !(rattle__option_number(node, "across") > 0))
    return 1;
  rattle__put(reason, "across= is the radius of the sections of hops: add hops=, as in hops=0.5");
  return 0;
}

rattle_status rattle__hops_create(rattle__kernel *k, const rattle__node *node, const double *parts,
                                  int count, rattle_error *error) {
  const double share = rattle__option_number(node, "hops");
  if (!(share > 0)) return RATTLE_OK;
  if (!k->m)
    return rattle__fail(error, RATTLE_UNSUITABLE, "hops",
                        "hops= joins parts of constraints, and the problem has none: leave it out");
  if (!k->A)
    return rattle__fail(error, RATTLE_UNSUITABLE, "hops", "hops= is for fewer constraints than %d",
                        k->m);
  rattle__arena *arena = &k->context.arena;
  rattle__hops *s = k->hops = rattle__arena_take(arena, sizeof *s);
  if (!s) return rattle__no_memory(error);
  *s = (rattle__hops){.share = share,
                      .across = rattle__option_number(node, "across"),
                      .parts = parts,
                      .count = count};
  const rattle__array arrays[] = {{&s->U, RATTLE__SOLUTIONS}, {&s->log_w, RATTLE__SOLUTIONS}};
  RATTLE__LAY_OUT(arena, arrays);
  if (arena->failed) return rattle__no_memory(error);
  return rattle__solution_set_create(&s->set, &k->context,
                                     (int)rattle__option_number(node, "starts"), error);
}

int rattle__kernel_hops(rattle__kernel *k) {
  return k->hops && rattle__random_unit(k->key, ++k->drawn) < k->hops->share;
}

/* x <- M x, by the root of M or of W. */
static void to_momenta(const rattle__kernel *k, double *x) {
  const rattle__mass *W = k->problem->mass;
  const size_t n = (size_t)k->n;
  for (size_t i = 0; i < n; i++) {
    if (!W->value) {
      x[i] *= k->root[i];
      continue;
    }
    for (size_t l = 0; l < i; l++) x[i] -= k->root[i * n + l] * x[l];
    x[i] /= k->root[i * n + i];
  }
  rattle__mass_spread(W, k->root, x);
}

/* xi <- M (a - b), two parts; returns |a - b|_M. */
static double lead(rattle__kernel *k, const rattle__hops *s) {
  const int a = (int)(s->count * rattle__random_unit(k->key, ++k->drawn)),
            past = 1 + (int)((s->count - 1) * rattle__random_unit(k->key, ++k->drawn)),
            b = (a + past) % s->count;
  for (int i = 0; i < k->n; i++)
    k->xi[i] = s->parts[(size_t)a * (size_t)k->n + (size_t)i] -
               s->parts[(size_t)b * (size_t)k->n + (size_t)i];
  to_momenta(k, k->xi);
  return sqrt(rattle__mass_twice_kinetic(k->problem->mass, k->xi));
}

/* P, r and the points of the section through the point of the chain. */
static rattle_status cut(rattle__kernel *k, rattle_error *error) {
  rattle__hops *s = k->hops;
  const rattle__function *g = k->problem->g;
  const double octave = OCTAVES * rattle__random_unit(k->key, ++k->drawn),
               which = rattle__random_unit(k->key, ++k->drawn);
  const int led = s->count > 1 ? (int)(2 * k->m * which) : k->m; /* the row, if below m */
  double reach = k->h * sqrt(k->n * k->T) * exp2(octave);
  s->set.key = rattle__random_at(k->key, ++k->drawn);
  for (int i = 0; i < k->m; i++) {
    if (i == led) {
      reach = 2 * lead(k, s);
    } else {
      rattle__random_normals(k->key, &k->drawn, k->xi, k->n);
      rattle__mass_spread(k->problem->mass, k->root, k->xi);
    }
    for (int e = g->jac_ptr[i]; e < g->jac_ptr[i + 1]; e++) s->set.J0[e] = k->xi[g->jac_col[e]];
  }
  s->set.reach = s->across > 0 ? s->across : reach;
  return rattle__solution_set_section(&s->set, k->z, error);
}

/* U and log w of all points; -inf: a point cannot be reached. */
static rattle_status weigh(rattle__kernel *k, rattle_error *error) {
  rattle__hops *s = k->hops;
  for (int i = 0; i < s->set.count; i++) {
    const double *q = s->set.q + (size_t)i * (size_t)k->n;
    double log_gram = 0;
    rattle__fate unused;
    rattle_status status = rattle__kernel_energy(k, q, &s->U[i], error);
    if (!status) status = rattle__kernel_log_gram(k, k->problem->mass, q, &log_gram, error);
    if (status && !rattle__kernel_rejects(status, &unused)) return status;
    const double slant = status ? 0 : rattle__solution_set_slant(&s->set, k->J);
    s->log_w[i] =
        status || !isfinite(slant) ? -(double)INFINITY : log_gram / 2 - slant - s->U[i] / k->T;
  }
  return RATTLE_OK;
}

/* Another point than `own` by its weight, *ratio the probability of acceptance; -1: none. */
static int choose(rattle__kernel *k, int own, double *ratio) {
  const rattle__hops *s = k->hops;
  const double u = rattle__random_unit(k->key, ++k->drawn);
  double most = -(double)INFINITY, others = 0, w[RATTLE__SOLUTIONS], sum = 0;
  int chosen = -1;
  for (int i = 0; i < s->set.count; i++)
    if (i != own) most = fmax(most, s->log_w[i]);
  if (!(most > -(double)INFINITY) || !isfinite(s->log_w[own])) return -1;
  for (int i = 0; i < s->set.count; i++) {
    w[i] = exp(s->log_w[i] - most);
    others += i == own ? 0 : w[i];
  }
  for (int i = 0; i < s->set.count && (chosen < 0 || sum < u * others); i++)
    if (i != own && w[i] > 0) chosen = i, sum += w[i];
  const double left = others - w[chosen] + w[own];
  *ratio = left > others ? others / left : 1;
  return chosen;
}

rattle_status rattle__kernel_hop(rattle__kernel *k, rattle_error *error) {
  rattle__hops *s = k->hops;
  const size_t bytes = (size_t)k->n * sizeof *k->z;
  k->probability = 0;
  rattle_status status = cut(k, error);
  if (!status) status = weigh(k, error);
  if (status) return rattle__kernel_rejects(status, &k->fate) ? RATTLE_OK : status;
  const int own = rattle__solutions_which(&s->set, k->z, s->set.centre);
  k->fate = own < 0 ? RATTLE__REJECTED_NOT_REVERSIBLE : RATTLE__REJECTED_UNSOLVED;
  const int other = own < 0 ? -1 : choose(k, own, &k->probability);
  if (other < 0) return RATTLE_OK;
  k->fate = RATTLE__REJECTED_ENERGY;
  if (rattle__random_unit(k->key, ++k->drawn) >= k->probability) return RATTLE_OK;
  memcpy(k->next, s->set.q + (size_t)other * (size_t)k->n, bytes);
  status = rattle__kernel_refresh(k, 0, k->next, error);
  if (status) return rattle__kernel_rejects(status, &k->fate) ? RATTLE_OK : status;
  memcpy(k->z, k->next, 2 * bytes);
  k->U = s->U[other];
  k->fate = RATTLE__ACCEPTED;
  return RATTLE_OK;
}
