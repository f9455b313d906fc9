#ifndef RATTLE_METHOD_H
#define RATTLE_METHOD_H
/* Methods are expressions: rattle(verlet), suzuki4(rattle(midpoint)), shake(gauss(3)). One table (src/methods.def) has
 * a row for each name. */
#include <stddef.h>

#include "rattle/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rattle_method rattle_method; /* a parsed expression */

/* What a method promises, derived from the table by the rules of the wrappers. */
typedef struct rattle_claims {
  int order;
  int symmetric, symplectic, explicit_, keeps_g, keeps_psi, pure; /* 0 or 1 */
  int stages; /* base maps applied per step */
} rattle_claims;

/* Parses an expression. Errors (RATTLE_BAD_METHOD) point at the character, say what was expected, and name the nearest known
 * method. */
RATTLE_API rattle_status rattle_method_parse(rattle_method **method, const char *expression, rattle_error *error);
RATTLE_API void rattle_method_destroy(rattle_method **method);
/* Canonical text, with defaults left out: parse and print again give the same. Owned by the method. */
RATTLE_API const char *rattle_method_text(const rattle_method *method);
RATTLE_API rattle_claims rattle_method_claims(const rattle_method *method);
/* Sentences in lines: what it does, claims, needs, cost per step, citations; at most size-1 characters. Returns buffer. */
RATTLE_API char *rattle_method_explain(const rattle_method *method, char *buffer, size_t size);

/* Rows of the table. */
typedef struct rattle_method_row {
  const char *name, *kind, *parameters; /* kind: "base map", "wrapper", "composition", "solver" */
  rattle_claims claims;                 /* of a base map; for a composition: order and stages; of a wrapper: keeps_g, keeps_psi */
  const char *needs;                    /* "" or words: separable, holonomic, quadratic_h ... */
  const char *citation, *text;
} rattle_method_row;
RATTLE_API int rattle_method_rows(const rattle_method_row **rows);

#ifdef __cplusplus
}
#endif
#endif
