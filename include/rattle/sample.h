#ifndef RATTLE_SAMPLE_H
#define RATTLE_SAMPLE_H
/* Sampling: Markov chains on {g(q) = 0} for H = p^T M^-1 p/2 + V(q), by the samplers of the method
 * table: hmc(rattle(verlet)), langevin(rattle(verlet)), g_baoab, random_walk.
 *
 *     measure=surface   exp(-V/T) d sigma, sigma the surface measure of {g = 0} in the metric of M:
 *     the positions of the canonical
 *                       ensemble of the constrained system. For equal masses it is the area
 *     measure=delta     exp(-V/T) delta(g(q)) dq = exp(-V/T) det(G M^-1 G^T)^(-1/2) d sigma, but
 *     for a constant
 *
 * T is the option `temperature` of the sampler, k_B T in units of energy.
 *
 * If no multipliers are found, or the reverse move ends elsewhere, the proposal is rejected: the
 * chain stays, and counts it. */
#include <stdint.h>

#include "rattle/method.h"
#include "rattle/problem.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- one chain -------------------------------------------------------------------------------- */

typedef struct rattle_chain rattle_chain; /* used by one thread at a time */

typedef struct rattle_chain_options {
  size_t struct_size; /* sizeof, or 0: status.h */
  const char *method; /* a sampler; NULL: hmc(rattle(verlet)) */
  /* h > 0, where the warm-up begins; random_walk: displacements are about h sqrt(T/m). 0: the chain
   * finds one at its start, by steps that double or halve until their acceptance crosses that of
   * the warm-up; a function of seed, c and the start alone. RATTLE_BAD_ARGUMENT where there is no
   * warm-up, or the sampler keeps its step */
  double step;
  uint64_t seed;     /* the draws of transition k of chain c are functions of seed, c and k alone */
  long long chain;   /* c >= 0 */
  long long warmup;  /* transitions that adapt h, then it stays: 0: none */
  double acceptance; /* that h is adapted to, 0 < .. < 1; 0: the sampler's own */
  const double *q,
      *p; /* [n] a start, placed on g = 0, psi = 0; NULL: the model's. Entries that are NaN: the
             model's, p 0 */
  /* Moves by which the chain leaves its start before its first transition: of a random walk at ten
   * times the temperature, with flights of h/1024 to 1024 h, so that chains begin apart and R-hat
   * can see whether they have come together. 0: none */
  long long spread;
  /* Starts (q, p) [part_count*2n] on parts of {g = 0}, as `q` and `p`, for the option hops= of
   * samplers: half of the hops lead along the difference of two of them. Those that are equal
   * count once, and of others the first 64. NULL: none */
  const double *parts;
  int part_count;
} rattle_chain_options;

/* Since the chain was created, the warm-up included. */
typedef struct rattle_chain_counts {
  long long transitions, accepted;
  long long energy;         /* rejected by H */
  long long unsolved;       /* no multipliers were found */
  long long not_reversible; /* the way back ended elsewhere, or was not found */
  long long domain;         /* V, H or g were not finite */
  long long reserved[4];    /* 0: space for future counts */
} rattle_chain_counts;

/* How many fates a transition may have: members of the counts. */
#define RATTLE_CHAIN_FATE_COUNT 5

/* RATTLE_UNSUITABLE: not natural, constraints that depend on momenta, forces, time, or no sampler;
 * RATTLE_BAD_METHOD, RATTLE_BAD_ARGUMENT; failures of rattle_problem_start. The chain holds the
 * problem. */
RATTLE_API rattle_status rattle_chain_create(rattle_chain **chain, const rattle_problem *problem,
                                             const rattle_chain_options *options,
                                             rattle_error *error);
RATTLE_API void rattle_chain_destroy(rattle_chain **chain);
/* So many transitions. On failure (a callback, no memory) the chain is where the last transition
 * left it. */
RATTLE_API rattle_status rattle_chain_advance(rattle_chain *chain, long long transitions,
                                              rattle_error *error);
/* The point (q[n], p[n]); valid until the next call. p is a draw from its distribution given q. */
RATTLE_API void rattle_chain_point(const rattle_chain *chain, const double **q, const double **p);
/* V at the point; and log of det(G M^-1 G^T)^(-1/2) there, 0 without constraints: weights from one
 * measure to the other. */
RATTLE_API double rattle_chain_potential(const rattle_chain *chain);
RATTLE_API rattle_status rattle_chain_log_delta(rattle_chain *chain, double *log_delta,
                                                rattle_error *error);
/* h of the next transition; T of the measure; the method. */
RATTLE_API double rattle_chain_step(const rattle_chain *chain);
RATTLE_API double rattle_chain_temperature(const rattle_chain *chain);
RATTLE_API const char *rattle_chain_method(const rattle_chain *chain);
RATTLE_API rattle_chain_counts rattle_chain_counts_of(const rattle_chain *chain);
/* All that further transitions depend on, as numbers [rattle_chain_state_size]: a chain with the
 * same options that is given them goes on with the same bits. RATTLE_BAD_ARGUMENT: they are not
 * those of such a chain. */
RATTLE_API int rattle_chain_state_size(const rattle_chain *chain);
RATTLE_API void rattle_chain_get_state(const rattle_chain *chain, double *state);
RATTLE_API rattle_status rattle_chain_set_state(rattle_chain *chain, const double *state,
                                                rattle_error *error);

/* --- what chains say -------------------------------------------------------------------------- */

/* Estimate of one quantity, over all chains. */
typedef struct rattle_estimate {
  double mean, sd;
  double error;     /* of the mean: sd / sqrt(effective) */
  double effective; /* effective sample size of the mean; NaN: it does not vary, or there are fewer
                    than 4 draws */
  double
      rhat; /* split R-hat of ranks, the larger of those of values and of distances from the median;
             * near 1 if chains agree; NaN as above */
  double reserved[3]; /* 0: space for future members */
} rattle_estimate;

/* Draws x[c*chain_stride + k*stride], c < chains, k < draws. Effective sample size:
 * autocorrelations of split chains, summed to the initial monotone sequence of C. J. Geyer, Stat.
 * Sci. 7 (1992) 473; R-hat and how chains are combined: A. Vehtari, A. Gelman, D. Simpson, B.
 * Carpenter, P.-C. Buerkner, Bayesian Anal. 16 (2021) 667. RATTLE_NO_MEMORY, RATTLE_BAD_ARGUMENT:
 * fewer than 1 chain or draw. */
typedef struct rattle_draws {
  const double *x;
  long long chains, draws, chain_stride, stride;
} rattle_draws;
RATTLE_API rattle_status rattle_estimate_of(const rattle_draws *draws, rattle_estimate *estimate,
                                            rattle_error *error);
/* Autocorrelation of chain `chain` about its own mean: rho [most] of the lags 0, 1, .. to twice the
 * lag at which the sum of a pair rho(2i) + rho(2i+1) is first below 0 (Geyer), at most draws/2.
 * Returns how many lags there are; 0: the chain does not vary. */
RATTLE_API long long rattle_autocorrelation_of(const rattle_draws *draws, long long chain,
                                               long long most, double *rho);

/* --- chains on threads ------------------------------------------------------------------------ */

typedef struct rattle_sampling rattle_sampling;

typedef struct rattle_sampling_result {
  const char *method;
  int chains, columns;
  long long draws;
  const char *const
      *column;         /* names: coordinates, observables, V; then lambda:NAME and log_delta */
  const double *value; /* [chains*draws*columns] */
  const rattle_estimate *estimate;   /* [columns] */
  const rattle_chain_counts *counts; /* [chains] of transitions after the warm-up */
  const double *step;                /* [chains] h after the warm-up */
  double temperature;                /* T of the measure */
  /* Figures of each draw [chains*draws], NULL in files that do not have them; NaN and 0 of draws
   * that a record knew. energy: of the point (q, p), by which proposals are accepted: H, and
   * with measure=delta T/2 log det(G M^-1 G^T) more; acceptance: the mean probability of
   * acceptance of the transitions since the draw before; fate
   * [chains*draws*RATTLE_CHAIN_FATE_COUNT]: how many of them were accepted, rejected by H,
   * without multipliers, not reversible, not finite */
  const double *energy, *acceptance;
  const int *fate;
  /* [chains] 1: the warm-up asked for a step shorter than the shortest that it takes, a thousandth
   * of the first; -1: for one longer than the longest, a thousand times the first */
  const int *at_floor;
  /* The start of the model violates the constraints, and was moved onto them: how far it is off, a
   * sentence; NULL: it does not, or others were given */
  const char *off;
  const double *first_step; /* [chains] h where the warm-up began; NULL: not known */
} rattle_sampling_result;

/* Sentences on results not to be trusted, and what to do: that with the number `which`, 0 .. ,
 * into text[size]; NULL where there are no more. */
RATTLE_API const char *rattle_sampling_doubt(const rattle_sampling_result *result, int which,
                                             char *text, size_t size);
/* R-hat above this, or fewer effective samples of a chain, are among them. */
#define RATTLE_RHAT_LIMIT 1.01
#define RATTLE_EFFECTIVE_LIMIT 100

/* A draw of a chain: its values [columns], the state [rattle_chain_state_size], the counts since
 * the warm-up. */
typedef struct rattle_sampling_draw {
  int chain;
  long long number; /* 0 .. draws - 1 */
  const double *value, *state;
  rattle_chain_counts counts;
  double step;
  double energy, acceptance; /* as those of the result */
} rattle_sampling_draw;

/* Storage of samples while they are drawn, and of earlier ones to continue. Any status but
 * RATTLE_OK ends the sampling with that status. */
typedef struct rattle_sampling_record {
  size_t struct_size; /* sizeof, or 0: status.h */
  /* Before the chains begin: columns, chains and draws of the result are there. A state has
   * state_size numbers */
  rattle_status (*begin)(void *self, const rattle_sampling_result *result, int state_size,
                         rattle_error *error);
  /* Reads the earlier part of a chain: *draws, their values [draws*columns], and the state
   * [state_size] and the counts since the warm-up of the last one. 0 draws: the chain begins.
   * Called by the chain's thread. NULL: nothing is stored */
  rattle_status (*known)(void *self, int chain, long long *draws, double *value, double *state,
                         rattle_chain_counts *counts, rattle_error *error);
  /* Called by the chain's thread */
  rattle_status (*drawn)(void *self, const rattle_sampling_draw *draw, rattle_error *error);
  void *self;
} rattle_sampling_record;

typedef struct rattle_sampling_options {
  size_t struct_size;                /* sizeof, or 0: status.h */
  const rattle_chain_options *chain; /* of each chain; its `chain` is the number of the first one */
  int chains;                        /* 0: 4 */
  long long draws,
      every; /* of each chain after the warm-up: 1 or more, one every so many transitions (0: 1) */
  int multipliers; /* 1: columns of the multipliers too, whose means are mean forces; and of
                      log_delta */
  int threads;     /* 0: the number of cores; results do not depend on it */
  const volatile int
      *interrupt; /* may be NULL; if it becomes nonzero (status.h): RATTLE_INTERRUPTED */
  /* [chains*2n] (q, p) of each chain, in place of those of `chain`, and the `parts` of each chain
   * that has none; NULL: none */
  const double *starts;
  const rattle_sampling_record *record; /* NULL: none */
  /* The chains of a thread may make the steps of their maps together, in the lanes of vectors,
   * where cases of an ensemble could (rattle_ensemble_options of ensemble.h), and the flights of
   * g_baoab and random_walk where constraints are not spheres apart from each other; without
   * solutions=all. The samples are the same to the bit. How many numbers a vector has: 2, 4 or 8;
   * 1: chains go one by one; 0: as many as the chains fill, where all of them are long enough to
   * compile for. */
  int lanes;
} rattle_sampling_options;

/* Runs all chains. Fails as rattle_chain_create and rattle_chain_advance do. RATTLE_INTERRUPTED:
 * *sampling has the draws that all chains have that had begun to draw, or is NULL. */
RATTLE_API rattle_status rattle_sampling_create(rattle_sampling **sampling,
                                                const rattle_problem *problem,
                                                const rattle_sampling_options *options,
                                                rattle_error *error);
RATTLE_API void rattle_sampling_destroy(rattle_sampling **sampling);

/* Owned by the sampling. */
RATTLE_API const rattle_sampling_result *rattle_sampling_result_of(const rattle_sampling *sampling);

#ifdef __cplusplus
}
#endif
#endif
