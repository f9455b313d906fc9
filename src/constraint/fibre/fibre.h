#ifndef RATTLE__FIBRE_H
#define RATTLE__FIBRE_H
/* Fibres: the slide z -> exp(sum s_i X_{g_i}) z along the constraints' Hamiltonian fields X_g =
 * (g_p, -g_q), and its derivative by s. (McLachlan, Modin, Verdier, Wilkins (2014), section 3.2 and
 * the remark after Definition 1.7.) */
#include "constraint/step/context.h"

/* Fibres without closed form: stages of a part, and sweeps of its iteration at most
 * (numerical.c). */
enum { RATTLE__FIBRE_STAGES = 8, RATTLE__FIBRE_SWEEPS = 60 };

typedef struct rattle__fibre rattle__fibre;
struct rattle__fibre {
  const char *name; /* "kick", "shift", "straight", "linear", "user", "numerical" */
  rattle__context *context;
  int n, m;
  const int *ptr, *col; /* pattern of dz/ds_i, one row of 2n columns for each i [m+1] */
  int nnz;
  /* Sets the point z0 [2n] to slide from (copied), where the slide is 0. */
  rattle_status (*start)(rattle__fibre *fibre, const double *z0, rattle_error *error);
  /* z [2n] = exp(sum s_i X_{g_i}) z0, s [m] */
  rattle_status (*slide)(rattle__fibre *fibre, const double *s, double *z, rattle_error *error);
  /* Z [nnz] = dz/ds at the last slide, in the pattern */
  rattle_status (*derivative)(rattle__fibre *fibre, double *Z, rattle_error *error);
  /* W[k] <- dz/dz0 W[k] of the last slide, for `count` vectors of 2n */
  rattle_status (*tangent)(rattle__fibre *fibre, int count, double *W, rattle_error *error);
  void *self;
};

/* The fibre flow of the context's problem: the user's where given; kick for g(q); shift for g(p);
 * both at once where no pair has both of its variables in g; the exact linear flow for quadratic g;
 * else numerical. Memory is the context's arena. */
rattle_status rattle__fibre_create(rattle__fibre **fibre, rattle__context *context,
                                   rattle_error *error);

/* *yes: fibres are straight lines: no pair has both of its variables in the constraints, so that
 * their Hamiltonian fields change no variable on which g' depends. */
rattle_status rattle__fibre_is_straight(const rattle_problem *problem, int *yes,
                                        rattle_error *error);

rattle_status rattle__fibre_straight(rattle__fibre **fibre, rattle__context *context,
                                     rattle_error *error);
rattle_status rattle__fibre_linear(rattle__fibre **fibre, rattle__context *context,
                                   rattle_error *error);
rattle_status rattle__fibre_user(rattle__fibre **fibre, rattle__context *context,
                                 rattle_error *error);
rattle_status rattle__fibre_numerical(rattle__fibre **fibre, rattle__context *context,
                                      rattle_error *error);

/* A fibre with a dense pattern of derivatives, for the makers above. */
rattle__fibre *rattle__fibre_dense(rattle__context *context, const char *name);

/* |A| of a matrix over (q, p) in those units of q and p where it is least, from the largest sums
 * over rows of its four blocks. */
double rattle__norm_of_blocks(double block[2][2]);

/* v [2n] = X_F from the gradient of F, one sparse row of a Jacobian over 2n columns (J, col,
 * count); v is zeroed first. */
void rattle__hamiltonian_field(int n, const double *J, const int *col, int count, double *v);
#endif
