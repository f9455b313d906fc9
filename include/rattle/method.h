#ifndef RATTLE_METHOD_H
#define RATTLE_METHOD_H
/* Methods are expressions: rattle(verlet), suzuki4(rattle(midpoint)), shake(gauss(3)). One table
 * (src/method/methods.def) has a row for each name. */
#include <stddef.h>

#include "rattle/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rattle_method rattle_method; /* a parsed expression */

/* The order of exact flows, above the order of every other method. */
#define RATTLE_ORDER_EXACT 1000

/* The guarantees of a method, derived from the table by the rules of the wrappers. With
 * project=output they hold for the output points (rattle_integrator_output), except keeps_psi,
 * which refers to each step. New claims take the place of reserved ones. */
typedef struct rattle_claims {
  int order; /* 0: unknown before rattle_method_resolve, as are the following members */
  int symmetric,
      symplectic; /* to round-off; on the manifold g = 0, psi = 0 if there are constraints */
  int explicit_;  /* for separable H only the multipliers are solved for */
  int keeps_g, keeps_psi; /* to round-off after each step */
  int pure;               /* a step is a pure function of (t, h, q, p): no extra state */
  int stages;             /* base maps applied per step */
  int keeps_energy;       /* H to round-off after each step */
  int proved;      /* rattle_certifier_create takes it, on problems that the theorem covers */
  int reserved[6]; /* 0: space for future claims */
} rattle_claims;

/* Parses an expression. Errors (RATTLE_BAD_METHOD) give the position, the expected syntax, and the
 * nearest known name. */
RATTLE_API rattle_status rattle_method_parse(rattle_method **method, const char *expression,
                                             rattle_error *error);
RATTLE_API void rattle_method_destroy(rattle_method **method);
/* Canonical text, without defaults; parsing it gives the same text. Owned by the method. */
RATTLE_API const char *rattle_method_text(const rattle_method *method);
/* Adds the option `compensated` to the method, unless it has `compensated` or `quad` already. */
RATTLE_API void rattle_method_compensate(rattle_method *method);
RATTLE_API rattle_claims rattle_method_claims(const rattle_method *method);
/* 1: the steps of the method differ in length (adaptive(...)): h is the approximate length of the
 * first one, and rattle_integrator_time gives the time. */
RATTLE_API int rattle_method_adapts(const rattle_method *method);
/* 1 for a sampler: it draws points from a measure (rattle/sample.h); an integrator of langevin(map,
 * metropolis=no) makes a trajectory in a heat bath of it, whose heat counts as work
 * (rattle_integrator_work). */
RATTLE_API int rattle_method_samples(const rattle_method *method);
/* Text in lines: action, claims, needs, cost per step, citations; at most size-1 characters.
 * Returns buffer. */
RATTLE_API char *rattle_method_explain(const rattle_method *method, char *buffer, size_t size);

/* The formulas of its parts, from the outside in: lines "name: formula". _ and ^ mark subscripts
 * and superscripts, in braces if longer than a character; f is the field, phi_h the map inside. At
 * most size-1 characters. Returns buffer. */
RATTLE_API char *rattle_method_formula(const rattle_method *method, char *buffer, size_t size);

/* The arguments of a name, in order; options come last. */
typedef enum rattle_parameter_type {
  RATTLE_TAKES_MAP,     /* a method expression */
  RATTLE_TAKES_WORD,    /* one of choices */
  RATTLE_TAKES_INTEGER, /* minimum .. maximum */
  RATTLE_TAKES_NUMBER,  /* minimum .. maximum */
  RATTLE_TAKES_FIELD,   /* a field, such as dirac in rk4(dirac) */
  RATTLE_TAKES_NAME,    /* a name defined by the model, such as that of a tableau */
  RATTLE_TAKES_SOLVER   /* the name of a solver's row */
} rattle_parameter_type;

/* The effect of a given number, or word, on the claims. */
typedef enum rattle_parameter_effect {
  RATTLE_NO_EFFECT,
  RATTLE_LOOSENS,  /* a tolerance of iterations: nothing holds to round-off */
  RATTLE_DIVIDES,  /* steps are divided until their error is below: neither symmetric nor
                    symplectic */
  RATTLE_REMEMBERS /* a word other than the fallback: a step also depends on the one before, through
                      declared state */
} rattle_parameter_effect;

typedef struct rattle_method_parameter {
  const char *name; /* NULL ends the list */
  rattle_parameter_type type;
  int option;           /* 0: positional; 1: given as name=value */
  const char *choices;  /* of a word: "a|b"; otherwise NULL */
  const char *fallback; /* the default as text, "" if omitting it has a meaning of its own; NULL:
                   required */
  double minimum, maximum;
  const char *otherwise; /* if the fallback is "": the meaning of omitting it, in words */
  const char *text;      /* description */
  rattle_parameter_effect effect;
} rattle_method_parameter;
#define RATTLE_PARAMETERS 12 /* at most, of one name */

/* Rows of the table. */
typedef struct rattle_method_row {
  const char *name, *kind,
      *parameters; /* kind: "field", "base map", "constrained map", "wrapper", "composition",
                      "solver", "sampler"; parameters as one text */
  rattle_method_parameter parameter[RATTLE_PARAMETERS + 1];
  rattle_claims
      claims; /* of a base or constrained map; for a composition: order and stages; of a wrapper:
                 keeps_g, keeps_psi */
  const char *needs; /* "" or properties: natural, holonomic, distance, flow */
  const char *citation, *text;
  const char *formula;     /* NULL if there is none */
  const void *reserved[4]; /* NULL: space for future members */
} rattle_method_row;
/* All rows, in the order of the table; returns their number. Static data. A row has the same size
 * in all versions with one ABI number. */
RATTLE_API int rattle_method_rows(const rattle_method_row **rows);

#ifdef __cplusplus
}
#endif
#endif
