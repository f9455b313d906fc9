#ifndef RATTLE__DIRAC_H
#define RATTLE__DIRAC_H
/* Dirac's algorithm on a model's expressions: symbols where they are exact, points of the manifold
 * where numbers must decide.
 *
 * Everything lives in a graph of the algorithm's own, so that the model does not change. Variables
 * are those of the model's graph, x[2k] = q_k, x[2k+1] = p_k, and from 2n on parameters: constants
 * of the model, such as 0.1, that stand for a number near them (model.c). They are not folded, so
 * that 0.1 + 0.2 - 0.3 keeps its bound of round-off. Brackets: {F,G} = sum_k F_q G_p - F_p G_q.
 * Generation 0 are the constraints g. Generation k + 1 are the conditions that remain of {chi,H} +
 * sum_j u_j {chi,g_j} = 0, for the chi of generation k, once these have fixed as many multipliers
 * as they can.
 *
 * Units: sizes s_q, s_p of each coordinate and momentum, s_q s_p = `action` for all pairs
 * (scales.c); |F|_s = |(F_q s_q, F_p s_p)|, and {F,G} action/(|F|_s |G|_s) is at most 1.
 *
 * A number counts as 0 up to RATTLE__GENEROUS times its bound of round-off
 * (ground/expr/round_off.h, values.c), which includes the sizes of all terms that the number was
 * made of, the rounding of model constants, and the distance of a point from the manifold. Ranks
 * are those of brackets between orthonormal combinations of the gradients, each with the bound of
 * its error (frame.c). */
#include "ground/expr/round_off.h"
#include "ground/support/arena.h"
#include "problem/model/model.h"
#include "ground/support/names.h"

enum {
  RATTLE__DIRAC_PAIRS = 256, /* larger models are analysed in sparse.c */
  RATTLE__DIRAC_CONSTRAINTS = 128,
  RATTLE__DIRAC_NODES = 200000,
  RATTLE__DIRAC_SAMPLES = 32,
  RATTLE__DIRAC_USUAL = 8, /* samples, where nobody asks for another number */
  RATTLE__DIRAC_TWINS = 2
};

/* A constraint of some generation. */
typedef struct rattle__chi {
  rattle_expr e, *d; /* the function and its derivatives [2n] */
  int *at, nnz;      /* which derivatives are not 0 as expressions */
  int level, origin; /* generation; index of g, or of the constraint that it comes from */
  int redundant;     /* 1: implied by others of the list */
  int irregular;     /* 1: its gradient vanishes on its zero set; 2: on that of all constraints it
                        is a combination of the others', but they do not imply it */
  const char *name;  /* the user's, or "{origin,H}" */
} rattle__chi;

/* A point, with the values of all nodes of the graph there. */
typedef struct rattle__sample {
  double *x;             /* [2n] */
  double *value, *bound; /* of node e: its value, and how much of it may be round-off */
  /* points as near to the manifold as this one, on either side of it, and the values there; twins:
   * 0, or as many as there are */
  double *twin[RATTLE__DIRAC_TWINS], *other[RATTLE__DIRAC_TWINS];
  int twins;
  uint32_t known, room; /* nodes evaluated; room for */
  int good;             /* 1: on the manifold, every value of interest finite */
  int stray;            /* 1: on a sheet whose dimension differs from that of most points; left
                         * alone */
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
  double *parameter; /* [parameters] constants that are rounded */
  int parameters, parameter_room;
  unsigned char *number; /* [judged + 1] of node e: whether it holds no coordinate or momentum */
  uint32_t judged;
  double *scale;          /* [2n] s_q, s_p */
  double action;          /* s_q s_p */
  rattle__sample *sample; /* [samples]; 0: the start, moved onto the manifold */
  int samples;
  rattle__sample reference; /* a point near the start, off the manifold */
  uint64_t random;
  double spread;  /* of the random points, in units */
  double *matrix; /* scratch, see rank.c */
  size_t matrix_room;

  /* results */
  int commuting;     /* 2: {g_i,g_j} vanishes identically, 1: on the manifold, 0: not */
  int pair[2];       /* the pair that commutes least */
  double pair_value; /* its bracket at a point */
  rattle_expr pair_bracket;
  int start_moved;       /* 1: the start was not on g = 0 */
  double start_residual; /* max |g_i| there */
  int rank_gg;           /* rank of {g_i,g_j} on the manifold */
  int doubtful;          /* a constraint too near to a combination of others to tell; -1: none */
  int independent;       /* constraints of generation 0 that are neither redundant nor irregular */
  int levels;            /* the last generation */
  int fixed;             /* multipliers that are determined */
  int second, first;     /* second-class and first-class constraints among all generations */
  int inconsistent, undecided;
  int points,
      degenerate; /* sample points on the manifold; those where a rank is lower than at others */
  int start_degenerate; /* 1: the start is one of those */
  int start_singular;   /* 1: gradients of constraints are dependent there that are not elsewhere */
  char trouble[512];    /* why inconsistent or undecided */
} rattle__dirac;

/* Runs the whole algorithm from the start x[2n]. It fails only for want of memory; the result
 * describes the problem. */
rattle_status rattle__dirac_create(rattle__dirac **dirac, const rattle_model *model,
                                   const double *start, int samples, uint64_t seed,
                                   rattle_error *error);
void rattle__dirac_destroy(rattle__dirac **dirac);
/* True if the model is small enough. */
int rattle__dirac_offered(const rattle_model *model);

/* explain.c */
/* Index of the equation: 0 unconstrained, 1 free variables only, else generations + 1; -1 if
 * multipliers stay undetermined or nothing is known. */
int rattle__dirac_index(const rattle__dirac *d);
/* Dimension of the reduced space, 2n - second - 2 first; -1 if nothing is known. */
int rattle__dirac_dimension(const rattle__dirac *d);
/* One word of rattle_diagnosis.class_. */
const char *rattle__dirac_class(const rattle__dirac *d);
/* Why SHAKE and RATTLE cannot integrate it, and what to do: one sentence; "" if they can. */
void rattle__dirac_refusal(const rattle__dirac *d, char *text, size_t size);
/* refuse.c: the same as an error: NOT_REGULAR if the constraints are to blame, SINGULAR if N =
 * {{H,g_i},g_j} is. */
rattle_status rattle__dirac_refuse(const rattle__dirac *d, rattle_error *error);
/* ... of the algorithm run for this alone, from the start q, p [n]. */
rattle_status rattle__dirac_ask(const rattle_model *model, const double *q, const double *p,
                                rattle_error *error);
/* ... where gradients of constraints depend on one another: fails only if a constraint is such that
 * does not follow from the others. */
rattle_status rattle__dirac_ask_redundant(const rattle_model *model, const double *q,
                                          const double *p, rattle_error *error);
/* explain.c: the expression with the model's names. Returns buffer. */
char *rattle__dirac_print(const rattle__dirac *d, rattle_expr e, char *buffer, size_t size);
/* The model's name of a variable. */
const char *rattle__dirac_variable(const rattle__dirac *d, int variable);

/* model.c: H and g of the model in the algorithm's graph, with their derivatives */
rattle_status rattle__dirac_read(rattle__dirac *d, rattle_error *error);
/* True if e holds no coordinate or momentum. */
int rattle__is_number(rattle__dirac *d, rattle_expr e);

/* values.c: values of all nodes at a sample, with running error bounds; at its twins too, if it has
 * any */
rattle_status rattle__values(const rattle__dirac *d, rattle__sample *s, rattle_error *error);
/* ... at a point without twins */
rattle_status rattle__values_at(const rattle__dirac *d, rattle__sample *s, rattle_error *error);
/* ... at all good samples; one where a value of list[count] is not finite is good no more */
rattle_status rattle__values_all(rattle__dirac *d, const rattle_expr *list, int count,
                                 rattle_error *error);
/* True if e is 0 to within round-off: at the sample; at all good samples. Values must be known. */
int rattle__is_zero(const rattle__sample *s, rattle_expr e);
int rattle__is_weakly_zero(const rattle__dirac *d, rattle_expr e);
/* How much of the value of e may be round-off or due to the sample's distance from the manifold. */
double rattle__uncertainty(const rattle__sample *s, rattle_expr e);
/* |chi|_s, and (may be NULL) a bound on the error of chi', in units: errors of the derivatives, and
 * of coefficients of the model, such as 6e-17 for 0 next to 1. */
double rattle__gradient_size(const rattle__dirac *d, const rattle__sample *s,
                             const rattle__chi *chi, double *bound);
/* True if the gradients of H and g at a point near the start are about those at sample 0. */
int rattle__is_tame(const rattle__dirac *d, const rattle__sample *s);

/* brackets.c */
rattle_expr rattle__poisson(rattle__dirac *d, const rattle_expr *dF,
                            const rattle_expr *dG); /* RATTLE_EXPR_NONE: no memory */
/* {F,G} at the sample, and its bound. */
double rattle__poisson_at(const rattle__dirac *d, const rattle__sample *s, const rattle__chi *F,
                          const rattle__chi *G, double *bound);
static inline int rattle__is_used(const rattle__chi *chi) {
  return !chi->redundant && !chi->irregular;
}

/* rank.c: dense matrices by columns, which are destroyed (ground/linear/singular.h) */
/* b[max(rows, columns)] in, y[columns] out, the shortest that minimises |A y - b|; it is not finite
 * where A or b are not. */
rattle_status rattle__dirac_shortest(int rows, int columns, double *A, double *b,
                                     rattle_error *error);
/* How many singular values are above `zero`; 0 where A is not finite. */
rattle_status rattle__dirac_rank(int rows, int columns, double *A, double zero, int *rank,
                                 rattle_error *error);
/* The same, the least of them, and left singular vectors U [rows*rows], in their order; U stays as
 * it was where A is not finite. */
typedef struct rattle__spectrum {
  double zero, *U;
  int rank;
  double least;
} rattle__spectrum;
rattle_status rattle__dirac_null_space(int rows, int columns, double *A, rattle__spectrum *of,
                                       rattle_error *error);
/* Room for count doubles; NULL: no memory. */
double *rattle__dirac_matrix(rattle__dirac *d, size_t count);

/* frame.c: an orthonormal basis, in units, of the gradients of constraints at a sample.
 *
 *     Q_a = sum_b T_ab F_b/|F_b|_s,  b <= a over the constraints of the frame
 *
 * error_a bounds what round-off and the distance from the manifold make of Q_a: much if gradients
 * are nearly dependent. */
typedef struct rattle__frame {
  int vars, count, of_g; /* vectors; those that the user's constraints make: the first */
  int *chi;              /* [count] the constraint that each adds */
  double *Q, *T;         /* rows of length vars; of length room */
  double *change; /* rows of length vars: by how much Q_a differs at twin t, [(a*twins + t)*vars] */
  double *error, *own; /* [count] of Q_a; of F_a/|F_a|_s */
  double *part;        /* [count] of the row tried last: its parts along F_b/|F_b|_s */
  double *dot, *row;   /* [room], [vars] scratch */
  double *turn;        /* [vars] scratch */
  int room;
} rattle__frame;
rattle_status rattle__frame_create(rattle__frame *f, const rattle__dirac *d, rattle_error *error);
void rattle__frame_destroy(rattle__frame *f);
/* Result of adding chi[c] to the frame. */
typedef enum rattle__addition {
  RATTLE__NO_GRADIENT,
  RATTLE__DEPENDENT,
  RATTLE__INDEPENDENT
} rattle__addition;
rattle__addition rattle__frame_add(rattle__frame *f, const rattle__dirac *d,
                                   const rattle__sample *s, int c);
void rattle__frame_clear(rattle__frame *f);
/* The frame of all constraints in use at the sample. */
void rattle__frame_at(rattle__frame *f, const rattle__dirac *d, const rattle__sample *s);
/* A_ab = {Q_a,Q_b} in units, by columns, b over the first `columns` vectors; *zero: what singular
 * values of A up to are round-off. NULL: no memory. */
double *rattle__frame_brackets(const rattle__frame *f, rattle__dirac *d, int columns, double *zero);
/* Largest shift along Q_a by shifts of_chi[c] of each constraint, over |F_c|_s. */
double rattle__frame_shift(const rattle__frame *f, int a, const double *of_chi);
/* b_a = {Q_a,F} in units, F taken along the frame's constraints only; returns a bound for the
 * errors of all. */
double rattle__frame_rates(rattle__frame *f, const rattle__dirac *d, const rattle__sample *s,
                           const rattle__chi *F, double *b);

/* independence.c */
/* Marks what of chi[from .. count) depends on those before it or has no gradient on the
 * manifold. */
rattle_status rattle__independence(rattle__dirac *d, int from, rattle_error *error);
/* Replaces chi[c] by the derivative of it whose gradient is the largest at the samples; *better = 0
 * if none has one. */
rattle_status rattle__differentiate(rattle__dirac *d, int c, int *better, rattle_error *error);
/* "'a', 'b'": those of the user's constraints that are kept of which the gradient of another is a
 * combination. */
rattle_status rattle__say_combination(rattle__dirac *d, int chi, char *text, size_t size,
                                      rattle_error *error);
/* implied.c: of the user's constraints marked redundant, those that hold at points near the start
 * where the others hold stay so; another becomes irregular, and *direction its differential there
 * along the others' manifold, as text. */
rattle_status rattle__implied(rattle__dirac *d, char *direction, size_t size, rattle_error *error);
rattle_status rattle__brackets_of_g(rattle__dirac *d,
                                    rattle_error *error); /* commuting, pair, rank_gg */

/* slopes.c: derivatives of H and g at a point, their absolute values, 0 if round-off: the first
 * [roots] of H, g_1, ..., of each function those that are not 0 as expressions, and the derivatives
 * of those by all variables [roots*vars]; second NULL: too much work. */
typedef struct rattle__jets rattle__jets;
typedef struct rattle__slopes {
  rattle_expr *root;
  double *first, *second; /* one array of length size */
  int roots;
  size_t size;
  rattle__jets *jets;
} rattle__slopes;
rattle_status rattle__slopes_create(rattle__slopes *of, const rattle__dirac *d,
                                    rattle_error *error);
void rattle__slopes_destroy(rattle__slopes *of);
rattle_status rattle__slopes_at(rattle__slopes *of, const rattle__dirac *d, rattle__sample *s,
                                rattle_error *error);
/* The functions in that order: H, then chi. */
const rattle__chi *rattle__slopes_function(const rattle__dirac *d, int i);

/* scales.c: s_q, s_p, action from the start x of sample 0. */
rattle_status rattle__units(rattle__dirac *d, rattle_error *error);

/* sample.c */
rattle_status rattle__samples_create(rattle__dirac *d, const double *start, rattle_error *error);
/* s, with room for a point: one near the start where chi = 0 but for what is redundant; s->good. */
rattle_status rattle__sample_near(rattle__dirac *d, rattle__sample *s, rattle_error *error);
/* Room in the arena for a sample's points. */
int rattle__sample_room(rattle__dirac *d, rattle__sample *s);
void rattle__sample_release(rattle__sample *s);
/* Moves every sample onto chi = 0 of all generations; *found: how many got there. */
rattle_status rattle__samples_project(rattle__dirac *d, int *found, rattle_error *error);

/* eliminate.c: one generation. *added: new constraints, appended to chi without tests of
 * independence. */
rattle_status rattle__eliminate(rattle__dirac *d, int *added, rattle_error *error);
/* chi.c: the derivatives of chi->e, those that vanish omitted. */
rattle_status rattle__chi_gradient(rattle__dirac *d, rattle__chi *chi, rattle_error *error);
/* Appends a constraint with its derivatives. */
rattle_status rattle__add_chi(rattle__dirac *d, rattle_expr e, int level, int origin,
                              const char *name, rattle_error *error);
#endif
