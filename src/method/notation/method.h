#ifndef RATTLE__METHOD_H
#define RATTLE__METHOD_H
/* The method table and parsed method expressions, for the rooms that compile them. */
#include "rattle/method.h"

typedef enum rattle__method_kind {
  RATTLE__FIELD,
  RATTLE__BASE,
  RATTLE__CONSTRAINED,
  RATTLE__COMPOSITION,
  RATTLE__WRAPPER,
  RATTLE__SOLVER,
  RATTLE__SAMPLER
} rattle__method_kind;

typedef struct rattle__node rattle__node;

/* The value of a parameter, its default if none was given. */
typedef struct rattle__argument {
  rattle__node *node; /* a method or a field, else NULL */
  char word[32];      /* a bare word that is no method ("a", "output", a name, a solver), else "" */
  double number;      /* a number, else NaN */
  int given;          /* it is not the default */
} rattle__argument;

/* name(arguments, option=value, ...). argument[i] is the value of the row's parameter i, given by
 * its place or as an option, or the row's default. Arity, kinds and ranges have been checked by the
 * parser against the row. */
struct rattle__node {
  const rattle_method_row *row;
  rattle__method_kind kind;
  int arguments; /* of the parameters, how many are given by their place: they come first */
  rattle__argument argument[RATTLE_PARAMETERS];
  /* of the whole step, which any outermost map may carry */
  int compensated;
  int quad; /* 1: the step is made with 113 bits */
  /* for a name that the model gives, once rattle_method_resolve has looked it up there: the
   * coefficients, and the claims of the map with them; else NULL */
  const struct rattle__given *given;
  rattle_claims found;
  int given_stages;
  const char *fails; /* the condition of the next order that does not hold, "" if none is known */
};

/* The name of the coefficients that a node takes from the model, NULL if it takes none. */
const char *rattle__method_given_name(const rattle__node *node);
/* True if the base map at the bottom takes such a name and it was not looked up: its claims are not
 * known yet. */
int rattle__method_unresolved(const rattle__node *node);
/* tree.c: a copy of the tree, not resolved; NULL: no memory. */
rattle__node *rattle__node_copy(const rattle__node *node);
rattle__node *rattle__method_nodes(rattle_method *method);
const rattle__node *rattle__method_root(const rattle_method *method);

/* Another object of the same expression, not resolved. */
rattle_status rattle__method_copy(rattle_method **copy, const rattle_method *method,
                                  rattle_error *error);
/* The method holds what its nodes point to, in place of what it held, and calls leave(held) at its
 * end. */
void rattle__method_hold(rattle_method *method, void *held, void (*leave)(void *held));

/* The row with that name (length characters), NULL if none; and the known name nearest to one that
 * is not known, among the fields, the solvers or (any other kind) the maps; NULL if nothing is
 * near. */
const rattle_method_row *rattle__method_find(const char *name, size_t length);
const char *rattle__method_nearest(const char *name, rattle__method_kind kind);
rattle__method_kind rattle__method_kind_of(const rattle_method_row *row);
/* A plug-in's description of a row (method/notation/added.h); NULL for a row of the table. */
const struct rattle__added_row *rattle__method_added(const rattle_method_row *row);
/* The constants that the file of a row defines (method/notation/row.h); NULL if the row is of
 * another kind. */
const struct rattle__base *rattle__base_of(const rattle_method_row *row);
const struct rattle__wrapper *rattle__wrapper_of(const rattle_method_row *row);
const struct rattle__composition *rattle__composition_of(const rattle_method_row *row);
const struct rattle__field_row *rattle__field_of(const rattle_method_row *row);
const struct rattle__solver *rattle__solver_of(const rattle_method_row *row);
const struct rattle__sampler *rattle__sampler_of(const rattle_method_row *row);

/* The value of a parameter by its name: a number, 0 if it was not given and has no default; a word,
 * "" if the row has no such parameter; the row of a solver, NULL if the row takes none. */
double rattle__option_number(const rattle__node *node, const char *name);
const char *rattle__option_word(const rattle__node *node, const char *name);
const rattle_method_row *rattle__option_solver(const rattle__node *node);
/* project=output: the node projects points of output, and steps go on from others. */
int rattle__projects_output(const rattle__node *node);
/* The number given to an option with that effect on the claims, else 0. */
double rattle__option_effect(const rattle__node *node, rattle_parameter_effect effect);
/* True if a word of its options makes a step depend on the one before. */
int rattle__remembers(const rattle__node *node);
/* The same without that word. */
rattle__node rattle__method_forgetting(const rattle__node *node);
/* Parameter `which` gets its default; and the parser notes whether the value in its place is
 * another. */
void rattle__option_default(rattle__node *node, int which);
void rattle__option_note(rattle__node *node, int which);
/* A copy without the options that determine accuracy or frequency: numbers and solvers. */
rattle__node rattle__method_plain(const rattle__node *node);

/* The map inside a wrapper, a composition or a sampler, NULL if there is none; and the field that a
 * base map integrates, NULL for X_H. */
const rattle__node *rattle__method_inside(const rattle__node *node);
const rattle__node *rattle__method_field(const rattle__node *node);
/* The field of the base map at the bottom. */
const rattle__node *rattle__method_field_below(const rattle__node *node);
/* The claims of the map of a node: the rules are in claims.c, and of wrappers in their files. */
rattle_claims rattle__method_claims(const rattle__node *node);
/* The same but for tolerances, compensated and quad, which determine how a map is computed, not
 * which map it is. */
rattle_claims rattle__method_structure(const rattle__node *node);
/* True if the map includes constraints: the node is such a wrapper or a constrained map, or has one
 * inside. */
int rattle__method_projects(const rattle__node *node);
/* The map that uses past points: one that adapts its steps, or the innermost one; otherwise
 * NULL. */
const rattle__node *rattle__method_past(const rattle__node *node);
/* True if the node is valid; else 0, with the reason as text and the responsible parameter. */
int rattle__method_sensible(const rattle__node *node, char *reason, size_t size, int *blame);

/* Text in a buffer that is never overrun: text beyond it is omitted. Starts as {buffer, size}, size
 * > 0. */
typedef struct rattle__text {
  char *at;
  size_t room;
} rattle__text;
void rattle__put(rattle__text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The shortest decimal that reads back as x; and the canonical text of a node. */
void rattle__put_number(rattle__text *text, double x);
void rattle__put_node(rattle__text *text, const rattle__node *node);

/* Lines "name: formula" for the node and each node inside it. */
void rattle__put_formulas(rattle__text *text, const rattle__node *root, const char *indent);

/* Parses; the result is the caller's. NULL on failure. */
rattle__node *rattle__method_parse(const char *expression, rattle_error *error);
void rattle__node_destroy(rattle__node *node);
#endif
