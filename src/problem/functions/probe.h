#ifndef RATTLE__PROBE_H
#define RATTLE__PROBE_H
/* Evaluation of points of a problem: energy, residuals, multipliers, the nondegeneracy matrix. A
 * probe owns all scratch and allocates nothing once it is made (but see
 * rattle__probe_nondegeneracy). It evaluates each quantity once for each point.
 *
 *     psi_i = {g_i,H} = g_i' X_H          X_F = (F_p, -F_q)
 *     psi_i' = g_i'' X_H + H'' (-g_p, g_q)_i
 *     N_ij = {{H,g_i},g_j} = -psi_i' X_{g_j},   N lambda = {psi,H} = psi' X_H       (holonomic: N =
 *     G H_pp G^T)
 *
 * Second-class constraints: C_ij = {g_i,g_j} instead of N, see probe_second_class.c. N is as sparse
 * as g' and H'' are. If assembling it would take more than 5e7 products, it is not offered:
 * multipliers and singular values are NaN then. */
#include "ground/support/arena.h"
#include "problem/functions/problem.h"
#include "ground/linear/linear.h"

/* psi_i' and X_{g_i} in one pattern [m x 2n], the columns in which any X_g can be other than 0, and
 * N from them. */
typedef struct rattle__bracket {
  int m, nnz;
  int *ptr, *col;
  int *of_D;    /* entry of D = g'' X_H there, or -1 [nnz] */
  int *of_X;    /* entry of g' that X_g has there, or -1 [nnz] */
  double *sign; /* of it [nnz] */
  int *term_ptr, *term_J,
      *term_S;   /* psi_i' has also the sum over t of w[term_J[t]] * S[term_S[t]] */
  double *A, *B; /* -psi_i' and X_{g_i} [nnz] */
  rattle__coupling *coupling;
  rattle__linear *N;
} rattle__bracket;

typedef struct rattle__cotangent rattle__cotangent;
typedef struct rattle__shared rattle__shared;
struct rattle__reaction;

typedef struct rattle__probe {
  const rattle_problem *problem;
  rattle__arena arena;
  int n, m, holonomic;
  int rough; /* 1: multipliers and N are wanted to the few digits of a first guess only, so that
                differences may be rough ... */
  int exact; /* ... but not where this is 1 */
  unsigned known;    /* quantities already evaluated at the point, see probe.c */
  int first_S;       /* S[0] is the entry first_S of H'' */
  int *other;        /* for entries of g': the column of z conjugate to its own [jac_nnz] */
  double *z;         /* the point [2n], and the multipliers that are cited, where known */
  double *g, *J, *X; /* g [m], g' in its pattern, X_H [2n] */
  double *psi;       /* [m] */
  double *w;         /* (-g_p, g_q) at `other`, in the pattern of g' */
  double *D, *S, *y; /* g'' X_H in the pattern of g', H'' in its own, H'' X_H [2n] */
  double *lambda;    /* [m] */
  double *vector;    /* [m] scratch */
  double *work, *room;
  rattle__cotangent *cotangent; /* NULL: not observed */
  rattle__shared *shared;       /* NULL: no constraints were omitted */
  double *cited;       /* all multipliers of the problem; those of others, by their observables */
  double *share, *all; /* of eliminated constraints: values of problem->shares; multipliers of those
                          that are left, and of omitted ones */
  struct rattle__reaction
      *reaction; /* with constraints on velocities (velocity.h), of which all is asked there; else
                   NULL */
  rattle__bracket *bracket; /* NULL: N is not offered, or was not asked for */
} rattle__probe;

typedef enum rattle__probe_depth {
  RATTLE__PROBE_RESIDUALS,
  RATTLE__PROBE_MULTIPLIERS
} rattle__probe_depth;

/* RATTLE__PROBE_RESIDUALS: only energy, residuals and observed quantities will be asked for (then N
 * is there if constraints were omitted, whose multipliers are observed). The problem must outlive
 * the probe. */
rattle_status rattle__probe_create(rattle__probe **probe, const rattle_problem *problem,
                                   rattle__probe_depth depth, rattle_error *error);
void rattle__probe_destroy(rattle__probe **probe);

/* Sets the point to evaluate, copied: q[n], p[n]. If it equals the last one bit for bit, evaluated
 * quantities are kept. */
void rattle__probe_place(rattle__probe *probe, const double *q, const double *p);

/* The results of rattle_problem_energy and related functions (problem.h), which may be NULL in the
 * same way. RATTLE_DOMAIN if a result is not finite; results are written all the same. */
rattle_status rattle__probe_energy(rattle__probe *probe, double *H, rattle_error *error);
rattle_status rattle__probe_residuals(rattle__probe *probe, double *g, double *psi,
                                      rattle_error *error);
rattle_status rattle__probe_observe(rattle__probe *probe, double *observed, rattle_error *error);
rattle_status rattle__probe_multipliers(rattle__probe *probe, double *multipliers,
                                        rattle_error *error);
/* The same, but of least norm where constraints were omitted. */
rattle_status rattle__probe_multipliers_of_all(rattle__probe *probe, double *multipliers,
                                               rattle_error *error);
/* zdot [2n] at the point: X_H, and along the motion, X_H + sum_i lambda_i X_{g_i}. */
rattle_status rattle__probe_field(rattle__probe *probe, double *zdot, rattle_error *error);
rattle_status rattle__probe_velocity(rattle__probe *probe, double *zdot, rattle_error *error);
/* Allocates for 2 < m <= 30, and for larger m where N is not symmetric. */
rattle_status rattle__probe_nondegeneracy(rattle__probe *probe, double *smallest, double *condition,
                                          rattle_error *error);
/* First guess for the multipliers of a step h from the point: N lambda = psi/h + {psi,H}/2, half
 * the multiplier of the differential equation where psi = 0. Right up to O(h) for maps of order 2
 * and more. lambda = 0 if N is not offered or singular. */
void rattle__probe_step_guess(rattle__probe *probe, double h, double *lambda);
/* y [m] = N v at the point; returns 0 if N is not available. */
int rattle__probe_times(rattle__probe *probe, const double *v, double *y);
/* H'' at the point, as rough differences make it: its rows of p and their columns if g = g(q), the
 * rest being 0; NULL where the probe does not make them. */
const double *rattle__probe_rough_hessian(rattle__probe *probe);
/* The matrix J of a step, factored, against what it is for h -> 0, where its multipliers, unknowns
 * from `first` on, have the Jacobian -h^2 N at (q, p): 1, the determinant of each part that hangs
 * together has the sign that it has there; -1, one has not; 0, N is not available, or is singular.
 * J's parts are watched, and joined by N. */
int rattle__probe_side(rattle__probe *probe, const double *q, const double *p, rattle__linear *J,
                       int first);
/* J's parts, multipliers being its unknowns from `first` on, are joined by N, where that is
 * offered. */
void rattle__probe_join_parts(const rattle__probe *probe, rattle__linear *J, int first);
/* N at the point, factored; NULL if it is not available, or is singular. */
rattle__linear *rattle__probe_factors(rattle__probe *probe);
/* N at the point; *N NULL if it is not offered. */
rattle_status rattle__probe_matrix(rattle__probe *probe, rattle__linear **N, rattle_error *error);

/* In probe_bracket.c. *bracket NULL: not offered. */
rattle_status rattle__bracket_create(rattle__bracket **bracket, const rattle_problem *problem,
                                     int first_S, rattle_error *error);
void rattle__bracket_destroy(rattle__bracket **bracket);

/* In probe_cotangent.c: for g(q), m > 0. p [n] becomes the momentum that stands for its fibre; J =
 * g' in its pattern. */
rattle_status rattle__cotangent_create(rattle__cotangent **cotangent, const rattle_problem *problem,
                                       rattle_error *error);
void rattle__cotangent_destroy(rattle__cotangent **cotangent);
rattle_status rattle__cotangent_momenta(rattle__cotangent *cotangent, const rattle_problem *problem,
                                        const double *J, double *p, rattle_error *error);

/* In probe_observe.c: the multipliers that observables and events cite, into z[2n ...], whose first
 * 2n numbers are the point of the probe: NaN where there are none; and those of constraints that
 * are not in the problem, into its observables. */
rattle_status rattle__probe_cite(rattle__probe *probe, double *z, rattle_error *error);
rattle_status rattle__probe_absent(rattle__probe *probe, double *observed, rattle_error *error);
/* probe_round_off.c: after the former, reach[2n ...] of the multipliers rises to their round-off at
 * a point that is off by reach[2n], but for constraints on velocities and of second class. */
rattle_status rattle__probe_cite_round_off(rattle__probe *probe, double *reach,
                                           rattle_error *error);

/* In probe_shared.c, for omitted constraints: with N factored and probe->lambda known, the
 * multipliers of least norm of all constraints that make the same forces: lambda [m], and rho of
 * the omitted ones; either may be NULL. */
rattle_status rattle__shared_multipliers(rattle__probe *probe, double *lambda, double *rho,
                                         rattle_error *error);
rattle_status rattle__shared_create(rattle__shared **shared, const rattle_problem *problem,
                                    rattle_error *error);
void rattle__shared_destroy(rattle__shared **shared);

/* In probe_velocity.c: what is asked of a probe, by its reaction. field: X_H, and where `reacts` is
 * 1 with the reaction. */
rattle_status rattle__probe_reaction_residuals(rattle__probe *probe, double *g, double *psi,
                                               rattle_error *error);
rattle_status rattle__probe_reaction_multipliers(rattle__probe *probe, double *multipliers,
                                                 rattle_error *error);
rattle_status rattle__probe_reaction_nondegeneracy(rattle__probe *probe, double *smallest,
                                                   double *condition, rattle_error *error);
rattle_status rattle__probe_reaction_field(rattle__probe *probe, double *zdot, int reacts,
                                           rattle_error *error);

/* In probe_massless.c, with probe->lambda known: multipliers of constraints that were eliminated,
 * into observed. */
rattle_status rattle__probe_eliminated(rattle__probe *probe, double *observed, rattle_error *error);

/* In probe_second_class.c, for problems with halves (split.h): room for C instead of N; C at the
 * point, X [2n] scratch; and what stands for psi [m] there. */
rattle_status rattle__bracket_create_second_class(rattle__bracket **bracket,
                                                  const rattle_problem *problem,
                                                  rattle_error *error);
void rattle__probe_fill_second_class(rattle__probe *probe, double *X);
void rattle__probe_other_half(const rattle__probe *probe, double *psi);
/* size[m]: what N_ii would be without any cancellation, that inside psi_i' and H'' w included. */
void rattle__probe_sizes(const rattle__probe *probe, double *size);
void rattle__bracket_assemble(rattle__bracket *bracket, const double *J, const double *w,
                              const double *D, const double *S);
#endif
