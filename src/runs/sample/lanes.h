#ifndef RATTLE__SAMPLE_LANES_H
#define RATTLE__SAMPLE_LANES_H
/* Chains that go together: the steps of their maps in the lanes of vectors, all else chain by
 * chain. Each has the bits that it has alone. */
#include "rattle/sample.h"
#include "runs/sample/kernel.h"

/* chain.c: the next transition, to be finished as kernel.h says; and its end. */
rattle_status rattle__chain_begin(rattle_chain *chain, rattle_error *error);
void rattle__chain_end(rattle_chain *chain);
/* For a draw at which the potential is V, as in rattle_sampling_result: its energy, and the mean
 * probability of acceptance since the last call. */
double rattle__chain_energy(const rattle_chain *chain, double V);
double rattle__chain_acceptance(rattle_chain *chain);
/* h with which the warm-up began. */
double rattle__chain_first_step(const rattle_chain *chain);
/* 1: the warm-up asked for a step below the shortest; -1: above the longest. */
int rattle__chain_at_bound(const rattle_chain *chain);
/* True if the chain learns a metric: its masses and its steps are its own. */
int rattle__chain_learns_metric(const rattle_chain *chain);
/* And of its steps a transition makes about so many. */
double rattle__chain_steps(const rattle_chain *chain);
rattle__kernel *rattle__chain_kernel(rattle_chain *chain);

typedef struct rattle__abreast {
  rattle_chain **chain; /* [count] of one problem and sampler; NULL: none */
  int count;
  /* How many transitions chain c is to make next, after those it has made; 0: no more */
  rattle_status (*next)(void *self, int c, long long *transitions, rattle_error *error);
  void *self;
  rattle_status *status; /* [count] of each chain: a failure ends it alone */
  rattle_error *error;   /* [count] */
} rattle__abreast;

/* How many numbers vectors have that so many chains fill; 1: they are too few, or the steps of its
 * sampler are taken one by one only. */
int rattle__abreast_lanes(rattle_chain *chain, int count);
/* Until all have ended, with vectors of so many numbers; 1: chains go one after the other. */
void rattle__abreast_go(rattle__abreast *chains, int lanes);
#endif
