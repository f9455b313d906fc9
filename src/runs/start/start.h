#ifndef RATTLE__START_H
#define RATTLE__START_H
/* A consistent start, step by step: the interface between the steps. */
#include "problem/functions/problem.h"
#include "ground/linear/linear.h"

typedef struct rattle__start {
  const rattle_problem *problem;
  int n, m, vars; /* vars: columns of g', n if g = g(q), else 2n */
  const double
      *momenta;        /* [n] given in place of the model's start, NaN: not given; NULL: none is */
  double *z;           /* the point [2n] */
  double *g, *J;       /* g [m] and g' in its pattern, at z */
  double *gradient;    /* H' [2n] at z */
  double *scaled;      /* [nnz of J] the second factor of the coupling matrix */
  double *size;        /* [m] */
  double *rhs;         /* [m] */
  double *raw;         /* z before it was moved [2n] */
  double *given;       /* [n] for `momenta` */
  double *work, *room; /* room: all of the above */
  int no_reasons;      /* 1: whoever asks wants to know whether it is refused alone */
  rattle__coupling *coupling; /* of the pattern of J; NULL if m = 0 */
  rattle__linear *matrix;     /* of its pattern, symmetric */
} rattle__start;

/* Allocates; rattle__start_destroy in any case. */
rattle_status rattle__start_create(rattle__start *s, const rattle_problem *problem,
                                   rattle_error *error);
void rattle__start_destroy(rattle__start *s);

/* The start as given: q, p [n] (of callbacks: in, else out, velocities turned into momenta),
 * largest residuals, and whether they count as 0. RATTLE_DOMAIN if H or g are not finite there. */
typedef struct rattle__start_residuals {
  double g, psi;
  int on_constraints, on_hidden;
} rattle__start_residuals;
rattle_status rattle__start_look(rattle__start *s, double *q, double *p,
                                 rattle__start_residuals *look, rattle_error *error);

/* Puts the start z, with momenta and g, J known, onto the constraints (project = 1) or tests it;
 * fails if the model may not be integrated from the result. dirac: the result of Dirac's algorithm
 * at z, or NULL. */
struct rattle__dirac;
rattle_status rattle__start_settle(rattle__start *s, const struct rattle__dirac *dirac, int project,
                                   rattle_error *error);

/* True if rattle_problem_start finds nothing to refuse, which costs far less than the reason. */
int rattle__start_is_good(const rattle_problem *problem);
/* As rattle_problem_start, from q[n] and p[n] in place of the model's start; NaN entries are the
 * model's. As often as wanted. */
rattle_status rattle__start_from(rattle__start *s, int project, double *q, double *p,
                                 rattle_error *error);

/* coisotropic.c: fails unless {g_i,g_j} = 0 on g = 0, at the start and at points near it; z, g, J
 * are restored. */
rattle_status rattle__start_coisotropic(rattle__start *s, rattle_error *error);
/* integrable.c: whether each constraint that is linear in the momenta, and not implied by psi of
 * those on coordinates, has the word for the motion that is meant, at the start and at a few points
 * near it. */
rattle_status rattle__start_integrable(rattle__start *s, rattle_error *error);
/* The pair whose bracket is the largest at z (g, J known), its value, and how large it is in units:
 * at most 1. */
rattle_status rattle__start_bracket(const rattle__start *s, int pair[2], double *value,
                                    double *unit, rattle_error *error);
/* Moves z, by a draw of numbers in [-1, 1) times spread in units, which is reproducible: the k-th
 * point near the start. */
void rattle__start_perturb(rattle__start *s, int k, double spread);
/* Up to so large a bracket in units counts as 0. */
#define RATTLE__COMMUTING 1e-9

/* g and J at z. */
rattle_status rattle__start_constraints(rattle__start *s, rattle_error *error);
/* size[i]: how large g_i is where z changes by as much as it is large; the unit in which residuals
 * are small or not. */
void rattle__start_sizes(rattle__start *s);
/* size[i] = sum_k |J_ik| (c1 max_k |x_k| over the constraint + c2 max |x| over all), the largest of
 * the kind of k, q or p */
void rattle__start_sizes_of(rattle__start *s, const double *x, double c1, double c2);
/* Names for messages. Never NULL. */
const char *rattle__start_constraint(const rattle__start *s, int constraint);
const char *rattle__start_coordinate(const rattle__start *s, int pair);

/* momenta.c: the momenta with which the pairs that have a start velocity move so. */
rattle_status rattle__start_momenta(rattle__start *s, rattle_error *error);
/* speed.c: a velocity that forces at z, or a step of the model, give: eps of it is rest. The
 * gradient is that of z then. */
double rattle__start_speed(rattle__start *s);
/* velocity.c: momenta at z onto constraints on velocities (project = 1), or tested; NOT_REGULAR
 * where they depend on others. */
rattle_status rattle__start_velocities(rattle__start *s, int project, rattle_error *error);
/* regular.c: whether the rows of J are independent; g, J at z known. */
rattle_status rattle__start_regular(rattle__start *s, rattle_error *error);
/* How near to dependent they are: the smallest eigenvalue of the Gram matrix of the rows, scaled to
 * length 1, and the constraints that take part in it; RATTLE_NO_MEMORY or RATTLE_OK. g, J at z
 * known. */
rattle_status rattle__start_dependence(rattle__start *s, double *least, char *names, size_t size,
                                       rattle_error *error);
/* regular.c: whether {{H,g_i},g_j} has an inverse at z. */
rattle_status rattle__start_nondegenerate(rattle__start *s, rattle_error *error);
/* project.c: z onto g = 0, and along the fibre onto psi = 0. g, J at z are known where the first
 * ends; on failure z is undefined. */
rattle_status rattle__start_onto_constraints(rattle__start *s, rattle_error *error);
rattle_status rattle__start_onto_hidden(rattle__start *s, rattle_error *error);
/* How far a projection has moved x [count]: the length of x - y. */
double rattle__start_distance(const double *x, const double *y, int count);
#endif
