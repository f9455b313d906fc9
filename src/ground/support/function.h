#ifndef RATTLE__FUNCTION_H
#define RATTLE__FUNCTION_H
/* A function F: R^vars -> R^rows with derivatives of known sparsity: the form in which maps see H,
 * V, T and g, made from an expression graph (interpreted or native) or from C callbacks.
 *
 * Immutable, shared by threads; scratch is given by the caller. Every operation returns 0, or a
 * user callback's nonzero value. A point outside the domain gives NaN or infinities in the results,
 * never a failure. */
#include <stddef.h>

typedef struct rattle__function rattle__function;

struct rattle__function {
  int rows, vars;
  const int *jac_ptr,
      *jac_col; /* Jacobian, compressed rows: jac_ptr[rows+1], columns ascending. Rows of a
                   function made with dense = 1 hold all columns 0..vars-1 (gradients of H, V, T) */
  int jac_nnz;
  const int *hess_ptr,
      *hess_col; /* sum_r w_r F_r'' as a full symmetric matrix, compressed rows [vars+1], columns
                    ascending */
  int hess_nnz;
  int quadratic; /* 1: each F_r is a polynomial of degree <= 2: second derivatives are constant */
  int pairs;     /* n if x = (q, p), whose halves have units of their own; else 0 */
  int lanes;     /* at most, of `in_lanes` */
  int native;    /* 1: compiled to machine code; 0: interpreted or a callback */
  size_t work;   /* doubles of scratch that each operation below needs */

  /* F[rows] */
  int (*value)(const rattle__function *f, const double *x, double *F, double *work);
  /* F[rows] (F may be NULL) and J[jac_nnz] */
  int (*jacobian)(const rattle__function *f, const double *x, double *F, double *J, double *work);
  /* J [jac_nnz][lanes] at 2, 4 or 8 points x [vars][lanes], up to f->lanes of them, at once, with
   * the bits of each by itself; x and J are aligned to vectors of so many. NULL: one by one */
  int (*in_lanes)(const rattle__function *f, int lanes, const double *x, double *J, double *work);
  /* S[hess_nnz] = sum_r w[r] F_r''(x); NULL if second derivatives are not available. w NULL: rows =
   * 1, weight 1 */
  int (*hessian)(const rattle__function *f, const double *x, const double *w, double *S,
                 double *work);

  /* S as by `hessian` with rows = 1, to the few digits that the matrix of an iteration needs, from
   * the gradient at x [vars]: the rows from .. vars-1 and, by symmetry, their columns; other
   * entries are 0. It takes one evaluation for each of those rows. NULL where `hessian` takes no
   * differences */
  int (*rough)(const rattle__function *f, const double *x, const double *gradient, int from,
               double *S, double *work);

  /* D[jac_nnz]: D_r = F_r''(x) v, the derivative of the Jacobian along v[vars], in the Jacobian's
   * pattern; NULL if second derivatives are not available (rattle__function_along then takes
   * differences) */
  int (*along)(const rattle__function *f, const double *x, const double *v, double *D,
               double *work);

  /* Writes F[r] and J[jac_ptr[r] .. jac_ptr[r+1]) of row r, the bits of `jacobian`, and nothing
   * else of F[rows] and J[jac_nnz]. The cost is the cost of the row. Optional: NULL if rows are not
   * available one by one */
  int (*row)(const rattle__function *f, int r, const double *x, double *F, double *J, double *work);

  void (*destroy)(rattle__function *f); /* frees f too */
  void *self;
  const struct rattle__elements
      *elements; /* self, where the function is made from expressions, else NULL */
};

void rattle__function_destroy(rattle__function **f);

/* f->along, or central differences of the Jacobian with one Richardson step: room holds 2*jac_nnz +
 * 2*vars doubles (not used where f->along is there). Exact to round-off for quadratic f. */
int rattle__function_along(const rattle__function *f, const double *x, const double *v, double *D,
                           double *work, double *room);
#endif
