#ifndef RATTLE__PROBLEM_SPLIT_H
#define RATTLE__PROBLEM_SPLIT_H
/* Second-class constraints: the class of g from the rank of C_ij = {g_i,g_j} on g = 0, and g's
 * involutive half.
 *
 *     g = (phi, psi),  {phi_i,phi_j} = 0 on phi = 0,  D_ij = {psi_i,phi_j} invertible where g = 0
 *
 * Found with numbers at a few points: the model's start moved onto g = 0 and points near it. Never
 * a constraint twice. */
#include "problem/functions/problem.h"

typedef enum rattle__class {
  RATTLE__CLASS_UNKNOWN,     /* no model, no point of g = 0 was found, or too many constraints to
                            look at */
  RATTLE__CLASS_COISOTROPIC, /* C = 0 */
  RATTLE__CLASS_MIXED,       /* C has a rank between */
  RATTLE__CLASS_SECOND       /* C is invertible */
} rattle__class;

struct rattle__halves {
  int k; /* m = 2k */
  int *phi,
      *psi;   /* [k] which constraints; block b holds the places first[b] .. first[b+1]-1 of both */
  int blocks; /* brackets between blocks vanish */
  int *first; /* [blocks+1] */
  int involutive; /* 0: there is no involutive half; phi and psi are then the constraints as they
                     come */
  int pair[2];    /* two constraints whose bracket does not vanish */
  double bracket; /* and its value at z */
  double *z;      /* the point [2n] */
};
typedef struct rattle__halves rattle__halves;

/* The class of the problem's constraints; *split their halves if it is RATTLE__CLASS_SECOND, else
 * NULL. */
rattle_status rattle__second_class_split(const rattle_problem *problem, rattle__class *class,
                                         rattle__halves **split, rattle_error *error);
void rattle__halves_destroy(rattle__halves **split);

/* D [k*k] with D[l*k+j] = {psi_l,phi_j} from g' (its pattern, 2n columns); norm[m]: lengths of the
 * gradients. */
void rattle__halves_brackets(const rattle__halves *split, const rattle__function *g, int n,
                             const double *J, double *room, double *D, double *norm);
/* Fails, with what would do: for maps that need constraints in involution, as those that slide
 * along fibres do. */
rattle_status rattle__refuse_second_class(const rattle_problem *problem, const char *method,
                                          rattle_error *error);
#endif
