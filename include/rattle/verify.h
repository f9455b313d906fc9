#ifndef RATTLE_VERIFY_H
#define RATTLE_VERIFY_H
/* Verification: measures the claims of a method, on nonlinear problems whose exact solutions are
 * known to round-off. A claim that holds here may fail elsewhere; one that fails here is false. */
#include "rattle/method.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rattle_verification rattle_verification;

typedef struct rattle_verify_options {
  size_t struct_size; /* sizeof, or 0: status.h */
  const volatile int
      *interrupt; /* may be NULL; if it becomes nonzero (status.h), the verification ends:
                    RATTLE_INTERRUPTED */
  void (*progress)(void *self, const char *method,
                   const char *problem); /* may be NULL: before each problem */
  void *self;
} rattle_verify_options;

/* One claim, measured on one problem. */
typedef struct rattle_verdict {
  const char *method, *problem;
  /* "order", "symmetric", "symplectic", "keeps g", "keeps psi", "keeps energy", "no drift" (of the
   * energy, where a method is symmetric and symplectic), "pure"; of methods with a past, which are
   * not pure, "resumes"; "explicit" without constraints */
  const char *claim;
  double claimed; /* of the order; else 1 */
  double measured,
      bound; /* the claim holds if measured >= bound (order) or measured <= bound; measured NaN:
                it cannot be had */
  int holds;
} rattle_verdict;

/* Belongs to the verification. */
typedef struct rattle_verification_result {
  int verdicts, refuted; /* refuted: verdicts that do not hold */
  const rattle_verdict *verdict;
  int methods, problems; /* that were measured */
  int refusals;          /* pairs of a method and a problem that do not fit */
  const char *note;      /* "" if none: why nothing could be measured */
} rattle_verification_result;

/* Measures the claims of an expression on all problems that it can integrate; of the name of a base
 * map also inside shake, rattle and, if it is symmetric, a composition. Takes seconds. options may
 * be NULL. RATTLE_BAD_METHOD: it is no expression. */
RATTLE_API rattle_status rattle_verification_create(rattle_verification **verification,
                                                    const char *method,
                                                    const rattle_verify_options *options,
                                                    rattle_error *error);
RATTLE_API void rattle_verification_destroy(rattle_verification **verification);
RATTLE_API const rattle_verification_result *
rattle_verification_result_of(const rattle_verification *verification);

#ifdef __cplusplus
}
#endif
#endif
