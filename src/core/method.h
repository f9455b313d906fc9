#ifndef RATTLE__METHOD_H
#define RATTLE__METHOD_H
/* The method table and parsed method expressions, for the rooms that compile them. */
#include "rattle/method.h"

#include <locale.h>

typedef enum rattle__method_kind {
  RATTLE__FIELD,
  RATTLE__BASE,
  RATTLE__CONSTRAINED,
  RATTLE__COMPOSITION,
  RATTLE__WRAPPER,
  RATTLE__SOLVER
} rattle__method_kind;

/* Which row: RATTLE__METHOD_verlet, ... in the order of src/methods.def. */
typedef enum rattle__method_id {
#define METHOD(name, ...) RATTLE__METHOD_##name,
#include "methods.def"
#undef METHOD
  RATTLE__METHOD_COUNT
} rattle__method_id;

typedef struct rattle__node rattle__node;

/* One positional argument, or the value of an option. */
typedef struct rattle__argument {
  rattle__node *node; /* a method or a field, else NULL */
  char word[32];      /* a bare word that is no method ("a", "output", a name), else "" */
  double number;      /* a number, else NaN */
} rattle__argument;

/* name(arguments, option=value, ...). Missing arguments have been filled with the defaults of the row, so that the
 * constructors need no defaults of their own; arity, kinds and ranges have been checked by the parser against the row. */
struct rattle__node {
  rattle__method_id id;
  rattle__method_kind kind;
  int arguments;
  rattle__argument argument[RATTLE_PARAMETERS];
  /* options that any map may carry; the parser rejects an option where the row does not allow it */
  int project_output;       /* 1: project=output */
  rattle__method_id solver; /* RATTLE__METHOD_auto where not given */
  double tol;               /* 0: to round-off */
  long long every;          /* 0: not given */
  int compensated;
  int quad; /* 1: the step is made with 113 bits */
  /* of a name that the model gives, once it has been looked up there (rattle_method_resolve): the coefficients, and what the
   * map claims with them; else NULL */
  const struct rattle__given *given;
  rattle_claims found;
  int given_stages;
  const char *fails; /* the condition of the next order that does not hold, "" where none is known */
};

/* The name of the coefficients that a node takes from the model, NULL where it takes none. */
const char *rattle__method_given_name(const rattle__node *node);
/* Whether the base map at the bottom takes such a name and it was not looked up: then its claims are not known. */
int rattle__method_unresolved(const rattle__node *node);
rattle__node *rattle__method_nodes(rattle_method *method);
const rattle__node *rattle__method_root(const rattle_method *method);
const char *rattle__method_name(rattle__method_id id);
const rattle_method_row *rattle__method_row(rattle__method_id id);
rattle__method_kind rattle__method_kind_of(rattle__method_id id);

/* The row with that name (length characters), RATTLE__METHOD_COUNT where none; and the known name nearest to one that is not
 * known, among the fields, the solvers or (any other kind) the maps; NULL where nothing is near. */
rattle__method_id rattle__method_find(const char *name, size_t length);
const char *rattle__method_nearest(const char *name, rattle__method_kind kind);

/* The map inside a wrapper or composition, NULL where there is none; and the field that a base map integrates, NULL for X_H. */
const rattle__node *rattle__method_inside(const rattle__node *node);
const rattle__node *rattle__method_field(const rattle__node *node);
/* That of the base map at the bottom. */
const rattle__node *rattle__method_field_below(const rattle__node *node);
/* What the map of a node promises: the rules are in method_claims.c. */
rattle_claims rattle__method_claims(const rattle__node *node);
/* Whether tol= is what a step is divided for, not what iterations stop at. */
int rattle__method_divides(const rattle__node *node);
/* Whether the map does something about constraints: a wrapper or a constrained map is the node or inside it. */
int rattle__method_projects(const rattle__node *node);
/* What project(map, ...) does: onto g = 0, onto psi = 0, by multipliers before and after the map; and whether at the end of every
 * step, whatever the residuals. */
typedef struct rattle__projections {
  int positions, momenta, symmetric, always;
} rattle__projections;
rattle__projections rattle__method_projections(const rattle__node *node);
/* Whether the node makes sense: 1, or 0 with the reason as text and the argument to blame. */
int rattle__method_sensible(const rattle__node *node, char *reason, size_t size, int *blame);

/* Text in a buffer that is never overrun: what does not fit is left out. Starts as {buffer, size}, size > 0. */
typedef struct rattle__text {
  char *at;
  size_t room;
} rattle__text;
void rattle__put(rattle__text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The shortest decimal that reads back as x; and the canonical text of a node. */
void rattle__put_number(rattle__text *text, double x);
void rattle__put_node(rattle__text *text, const rattle__node *node);

/* Lines "name: formula" for the node and what is inside it. */
void rattle__put_formulas(rattle__text *text, const rattle__node *root, const char *indent);

/* Numbers are read and written with a decimal point, whatever the locale of the thread: between these two. */
typedef struct rattle__locale {
  locale_t plain, before;
} rattle__locale;
void rattle__plain_locale(rattle__locale *locale);
void rattle__restore_locale(rattle__locale *locale);

/* Parses; the result is the caller's. NULL on failure. */
rattle__node *rattle__method_parse(const char *expression, rattle_error *error);
void rattle__node_destroy(rattle__node *node);

/* Coefficients of a composition: fractions gamma[0..*stages) of the step, symmetric, summing to 1; the pointers are static data
 * in extended precision. NULL where the row is no composition with a fixed set. triple_jump(map, order) is expanded by
 * rattle__triple_jump: order 2k from the order of the symmetric map inside, 3^((order - inner)/2) stages, gamma has that room. */
const long double *rattle__coefficients(rattle__method_id id, int *stages);
/* The numbers before the centre as they are written, with all their digits: "0.28L, 0.62L"; NULL as above. */
const char *rattle__coefficient_text(rattle__method_id id);
int rattle__triple_jump_stages(int inner_order, int order);
void rattle__triple_jump(int inner_order, int order, long double *gamma);
#endif
