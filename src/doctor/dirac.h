#ifndef RATTLE__DIRAC_H
#define RATTLE__DIRAC_H
/* Dirac's algorithm on a model's expressions: symbols where they are exact, points of the manifold where numbers must decide.
 *
 * Everything lives in a graph of the algorithm's own, so that the model stays as it is. Variables are those of the model's graph:
 * x[2k] = q_k, x[2k+1] = p_k. Brackets: {F,G} = sum_k F_q G_p - F_p G_q. Generation 0 are the constraints g, generation k + 1 the
 * conditions that {chi,H} + sum_j u_j {chi,g_j} = 0 leaves for the chi of generation k once it has fixed what multipliers it can.
 *
 * Units: |F|_s = |(F_q s_q, F_p s_p)| with the sizes s_q, s_p of coordinates and momenta at the start; {F,G} s_q s_p/(|F|_s
 * |G|_s) is at most 1 and is what "small" is said of. */
#include "core/arena.h"
#include "core/model.h"
#include "core/names.h"

enum {
  RATTLE__DIRAC_PAIRS = 256, /* larger models are looked at in sparse.c */
  RATTLE__DIRAC_CONSTRAINTS = 128,
  RATTLE__DIRAC_NODES = 200000,
  RATTLE__DIRAC_SAMPLES = 32
};

/* A constraint of some generation. */
typedef struct rattle__chi {
  rattle_expr e, *d; /* the function and its derivatives [2n] */
  int *at, nnz;      /* which derivatives are not 0 as expressions */
  int level, origin; /* generation; index of g, or of the constraint that it comes from */
  int redundant;     /* 1: implied by others of the list */
  int irregular;     /* 1: its gradient vanishes where it holds */
  const char *name;  /* that of the user, or "{origin,H}" */
} rattle__chi;

/* A point, and what all nodes of the graph are there. */
typedef struct rattle__sample {
  double *x;             /* [2n] */
  double *value, *bound; /* of node e: its value, and how much of it may be round-off */
  uint32_t known, room;  /* nodes evaluated; room for */
  int good;              /* 1: on the manifold, every value of interest finite */
  int stray;             /* 1: on a sheet of another dimension than that of most points; left alone */
} rattle__sample;

typedef struct rattle__dirac {
  const rattle_model *model;
  rattle_graph *graph;
  rattle__arena arena;
  rattle__pool pool;
  int n, m, vars;     /* pairs, user's constraints, 2n */
  rattle__chi motion; /* H */
  rattle__chi *chi;   /* the user's m first, then hidden ones */
  int count, room;
  double *scale;          /* [2n] s_q, s_p */
  double action;          /* s_q s_p */
  rattle__sample *sample; /* [samples]; 0: the start, moved onto the manifold */
  int samples;
  rattle__sample reference; /* a point near the start, off the manifold */
  uint64_t random;
  double spread;         /* of the random points, in units */
  double *matrix, *work; /* scratch for LAPACK, see rank.c */
  size_t matrix_room, work_room;

  /* what was found */
  int commuting;     /* 2: {g_i,g_j} vanishes identically, 1: on the manifold, 0: not */
  int pair[2];       /* the pair that commutes least */
  double pair_value; /* its bracket at a point */
  rattle_expr pair_bracket;
  int start_moved;       /* 1: the start was not on g = 0 */
  double start_residual; /* max |g_i| there */
  int rank_gg;           /* rank of {g_i,g_j} on the manifold */
  int independent;       /* constraints of generation 0 that are neither redundant nor irregular */
  int levels;            /* the last generation */
  int fixed;             /* multipliers that are determined */
  int second, first;     /* second-class and first-class constraints among all generations */
  int inconsistent, undecided;
  int points, degenerate; /* sample points on the manifold; those where a rank is lower than at others */
  int start_degenerate;   /* 1: the start is one of those */
  int start_singular;     /* 1: gradients of constraints are dependent there that are not elsewhere */
  char trouble[512];      /* why inconsistent or undecided */
} rattle__dirac;

/* Runs the whole algorithm from the start x[2n]. Failures are those of memory; what the problem is, is in the result. */
rattle_status rattle__dirac_create(rattle__dirac **dirac, const rattle_model *model, const double *start, int samples,
                                   uint64_t seed, rattle_error *error);
void rattle__dirac_destroy(rattle__dirac **dirac);
/* Whether the model is small enough. */
int rattle__dirac_offered(const rattle_model *model);

/* explain.c */
/* Index of the equation: 0 unconstrained, 1 free variables only, else generations + 1; -1 where multipliers stay undetermined or
 * nothing is known. */
int rattle__dirac_index(const rattle__dirac *d);
/* Dimension of what is left, 2n - second - 2 first; -1 where nothing is known. */
int rattle__dirac_dimension(const rattle__dirac *d);
/* One word of rattle_diagnosis.class_. */
const char *rattle__dirac_class(const rattle__dirac *d);
/* Why SHAKE and RATTLE cannot integrate it, and what to do: one sentence; "" where they can. */
void rattle__dirac_refusal(const rattle__dirac *d, char *text, size_t size);
/* The expression with the model's names. Returns buffer. */
char *rattle__dirac_print(const rattle__dirac *d, rattle_expr e, char *buffer, size_t size);

/* values.c: values of all nodes at a sample, with running error bounds */
rattle_status rattle__values(const rattle__dirac *d, rattle__sample *s, rattle_error *error);
/* ... at all good samples; one where a value of list[count] is not finite is good no more */
rattle_status rattle__values_all(rattle__dirac *d, const rattle_expr *list, int count, rattle_error *error);
/* Whether e is 0 to within round-off: at the sample; at all good samples. Values known. */
int rattle__is_zero(const rattle__dirac *d, const rattle__sample *s, rattle_expr e);
int rattle__is_weakly_zero(const rattle__dirac *d, rattle_expr e);
/* The same of a number computed from values, with its bound. */
int rattle__is_round_off(double value, double bound);
/* |chi|_s */
double rattle__gradient_size(const rattle__dirac *d, const rattle__sample *s, const rattle__chi *chi);

/* brackets.c */
rattle_expr rattle__poisson(rattle__dirac *d, const rattle_expr *dF, const rattle_expr *dG); /* RATTLE_EXPR_NONE: no memory */
/* {F,G} in units at the sample, 0 where it is round-off; *value (may be NULL): as it is. */
double rattle__poisson_at(const rattle__dirac *d, const rattle__sample *s, const rattle__chi *F, const rattle__chi *G,
                          double *value);
/* {chi_a,chi_b} in units at a sample, by columns: a over used constraints, b over those of the first `columns`. NULL: no memory
 */
double *rattle__bracket_matrix(rattle__dirac *d, const rattle__sample *s, int columns, int *rows, int *width);
rattle_status rattle__brackets_of_g(rattle__dirac *d, rattle_error *error); /* commuting, pair, rank_gg */
static inline int rattle__is_used(const rattle__chi *chi) {
  return !chi->redundant && !chi->irregular;
}

/* rank.c: dense matrices by columns, LAPACK */
/* Least-squares solution of smallest length; A is destroyed, b[max(rows, columns)] in, y[columns] out. -1: no memory */
int rattle__least_squares(rattle__dirac *d, int rows, int columns, double *A, double *b);
/* The rank, by singular values; U (may be NULL): left singular vectors [rows*rows]. A is destroyed. -1: no memory */
int rattle__singular(rattle__dirac *d, int rows, int columns, double *A, double *U);
/* Room for count doubles; NULL: no memory. */
double *rattle__dirac_matrix(rattle__dirac *d, size_t count);
/* Marks what of chi[from .. count) depends on those before it or has no gradient on the manifold. */
rattle_status rattle__independence(rattle__dirac *d, int from, rattle_error *error);
/* Which constraints a redundant one is a combination of: others[count] gets 1. */
rattle_status rattle__combination(rattle__dirac *d, int chi, unsigned char *others, rattle_error *error);

/* sample.c */
rattle_status rattle__samples_create(rattle__dirac *d, const double *start, rattle_error *error);
/* Moves every sample onto chi = 0 of all generations; *found: how many got there. */
rattle_status rattle__samples_project(rattle__dirac *d, int *found, rattle_error *error);

/* eliminate.c: one generation. *added: new constraints, appended to chi without tests of independence. */
rattle_status rattle__eliminate(rattle__dirac *d, int *added, rattle_error *error);
/* dirac.c: appends a constraint (derivatives are made). */
rattle_status rattle__add_chi(rattle__dirac *d, rattle_expr e, int level, int origin, const char *name, rattle_error *error);
#endif
