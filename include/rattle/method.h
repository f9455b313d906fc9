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

/* The order that an exact flow claims: no method of finite order reaches it. */
#define RATTLE_ORDER_EXACT 1000

/* What a method promises, derived from the table by the rules of the wrappers. With project=output the promises are about the
 * points that are put out (rattle_integrator_output), except keeps_psi, which is about each step. New claims are appended. */
typedef struct rattle_claims {
  int order;                 /* 0: not known before rattle_method_resolve, nor is what follows */
  int symmetric, symplectic; /* to round-off; on the manifold of g and psi where there are constraints */
  int explicit_;             /* on a separable H nothing but the multipliers is solved for */
  int keeps_g, keeps_psi;    /* at round-off after each step */
  int pure;                  /* a step is a pure function of (t, h, q, p): no extra state */
  int stages;                /* base maps applied per step */
  int keeps_energy;          /* H at round-off after each step */
} rattle_claims;

/* Parses an expression. Errors (RATTLE_BAD_METHOD) point at the character, say what was expected, and name the nearest known
 * method. */
RATTLE_API rattle_status rattle_method_parse(rattle_method **method, const char *expression, rattle_error *error);
RATTLE_API void rattle_method_destroy(rattle_method **method);
/* Canonical text, with defaults left out: parse and print again give the same. Owned by the method. */
RATTLE_API const char *rattle_method_text(const rattle_method *method);
RATTLE_API rattle_claims rattle_method_claims(const rattle_method *method);
/* 1: the steps of the method differ in length (adaptive(...)): h is about the first one, and time is what rattle_integrator_time
 * says. */
RATTLE_API int rattle_method_adapts(const rattle_method *method);
/* Sentences in lines: what it does, claims, needs, cost per step, citations; at most size-1 characters. Returns buffer. */
RATTLE_API char *rattle_method_explain(const rattle_method *method, char *buffer, size_t size);

/* The formulas of its parts, from the outside in: lines "name: formula". _ and ^ lower and raise what follows, in braces where it
 * is longer than a character; f is the field, phi_h the map inside. At most size-1 characters. Returns buffer. */
RATTLE_API char *rattle_method_formula(const rattle_method *method, char *buffer, size_t size);

/* What a name takes, in order; options come last. */
typedef enum rattle_parameter_type {
  RATTLE_TAKES_MAP,     /* a method expression */
  RATTLE_TAKES_WORD,    /* one of choices */
  RATTLE_TAKES_INTEGER, /* minimum .. maximum */
  RATTLE_TAKES_NUMBER,  /* minimum .. maximum */
  RATTLE_TAKES_FIELD,   /* a field, as dirac in rk4(dirac) */
  RATTLE_TAKES_NAME,    /* a name that the model gives, of a tableau or the like */
  RATTLE_TAKES_SOLVER   /* the name of a solver's row */
} rattle_parameter_type;

typedef struct rattle_method_parameter {
  const char *name; /* NULL ends the list */
  rattle_parameter_type type;
  int option;           /* 0: given by its place; 1: given as name=value */
  const char *choices;  /* of a word: "a|b", else NULL */
  const char *fallback; /* the default as text, "" where leaving it out means something of its own; NULL: must be given */
  double minimum, maximum;
} rattle_method_parameter;
#define RATTLE_PARAMETERS 5

/* Rows of the table. */
typedef struct rattle_method_row {
  const char *name, *kind, *parameters; /* kind: "field", "base map", "constrained map", "wrapper", "composition", "solver";
                                           parameters as one text */
  rattle_method_parameter parameter[RATTLE_PARAMETERS + 1];
  rattle_claims claims; /* of a base or constrained map; for a composition: order and stages; of a wrapper: keeps_g, keeps_psi */
  const char *needs;    /* "" or words: natural, holonomic, distance, flow */
  const char *citation, *text;
  const char *formula; /* NULL where none is written down */
} rattle_method_row;
/* All rows, in the order of the table; returns how many. Static data. */
RATTLE_API int rattle_method_rows(const rattle_method_row **rows);

#ifdef __cplusplus
}
#endif
#endif
