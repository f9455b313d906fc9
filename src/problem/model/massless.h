#ifndef RATTLE__MASSLESS_H
#define RATTLE__MASSLESS_H
/* Coordinates without inertia, whose momenta are in no function: found, and eliminated where the
 * equations determine them (massless.c, substitute.c). */
#include "ground/expr/copy.h"
#include "problem/model/model.h"

/* Sentences about starts, by name: of its velocity; of its value, what it follows from others to
 * be, and ", by constraint ", NAME. */
#define RATTLE__MASSLESS_VELOCITY                                                                  \
  "\"%s\" has no inertia, since its momentum is not in H: its velocity follows from those of "     \
  "others; omit its start velocity"
#define RATTLE__MASSLESS_START                                                                     \
  "the start of \"%s\", which has no inertia, is %.6g and follows from those of others: "          \
  "%.6g%s%s; correct it, omit it, or project it: start { project = true }"

/* mark[2n] <- 1 for the variables that occur in e[count], RATTLE_EXPR_NONE among them left out;
 * other entries stay. */
rattle_status rattle__mark_all_variables(const rattle_model *model, const rattle_expr *e, int count,
                                         unsigned char *mark, rattle_error *error);
rattle_status rattle__mark_variables(const rattle_model *model, rattle_expr e, unsigned char *mark,
                                     rattle_error *error);
/* model.c: names of pairs and constraints are indexed anew when one is sought. */
void rattle__model_forget_names(rattle_model *model);
/* Every expression of the model with image[v] in place of variable v [2n]; NONE: v stays. */
rattle_status rattle__model_substitute(rattle_model *model, const rattle_expr *image,
                                       rattle_error *error);
/* The same by a copier of the model's graph. */
rattle_status rattle__model_rewrite(rattle_model *model, rattle__copy *copy, rattle_error *error);
/* massless_angle.c: pair k, without mass, as its sine and cosine, if it is an angle that these
 * determine; *split: it is. Before anything is eliminated. */
rattle_status rattle__massless_angle(rattle_model *model, int k, int *split, rattle_error *error);
/* massless_find.c: in_H, in_g [2n] <- 1 for variables of H, and of constraints but those that say
 * that a variable is free; whether pair k has no mass, by these; whether a force or a constraint on
 * velocities acts on it. */
rattle_status rattle__mark_model(const rattle_model *model, unsigned char *in_H,
                                 unsigned char *in_g, rattle_error *error);
int rattle__is_massless(const rattle_model *model, int k, const unsigned char *in_H,
                        const unsigned char *in_g);
int rattle__is_driven(const rattle_model *model, int k);
/* True if a sign or a condition in e depends on the variable: e need not be linear in it then,
 * though its derivative is constant. */
int rattle__jumps_with(const rattle_graph *graph, rattle_expr e, int variable);
/* mark[n] <- 1 for coordinates without mass that H or constraints contain and nothing else acts
 * on. */
rattle_status rattle__model_massless(const rattle_model *model, unsigned char *mark,
                                     rattle_error *error);
/* massless_balance.c: those that are left, and determined with the multipliers of their
 * constraints, become free variables. */
rattle_status rattle__massless_balance(rattle_model *model, rattle_error *error);
/* True if constraint i says that the variable of pair k is free; takes out constraint i. */
int rattle__model_is_of_free(const rattle_model *model, int i, int k);
void rattle__model_remove_constraint(rattle_model *model, int i);
/* Takes out the pairs of which gone[n] is not 0, or pair k, which no expression contains, and
 * renumbers the others. */
rattle_status rattle__model_remove_pairs(rattle_model *model, const unsigned char *gone,
                                         rattle_error *error);
rattle_status rattle__model_remove_pair(rattle_model *model, int k, rattle_error *error);
/* The first pair that does not move though forces or constraints act on it; -1: none, -2: no
 * memory. */
int rattle__model_find_nailed(const rattle_model *model);
#endif
