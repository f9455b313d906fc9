#ifndef CAMPAIGN_FORMULA_H
#define CAMPAIGN_FORMULA_H
/* Formulas of the campaign: written once, printed as Lua, and evaluated in long double with
 * gradients (forward mode) and a bound of the round-off that a double evaluation makes. Independent
 * of the library's expressions.
 *
 * A formula owns its nodes; a node is an index, operands before the nodes that use them. Constants
 * are doubles, and an operation on constants is folded in double, as Lua folds it. A sum is a list
 * of nodes, its own root. */

#include <stdint.h>

enum {
  FORMULA_VARIABLES = 256,
  FORMULA_TERMS = 256,
  FORMULA_WORDS = (FORMULA_VARIABLES + 63) / 64
};

/* Variables: bit k % 64 of word k / 64. */
typedef struct formula_set {
  uint64_t word[FORMULA_WORDS];
} formula_set;

typedef enum formula_op {
  F_CONSTANT,
  F_VARIABLE,
  F_ADD,
  F_SUB,
  F_MUL,
  F_DIV,
  F_POWER,
  F_SIN,
  F_COS,
  F_SQRT,
  F_EXP
} formula_op;

typedef struct formula_node {
  formula_op op;
  int a, b; /* operands; of F_VARIABLE a is the index, of F_POWER b is the exponent */
  double value;
  formula_set depends; /* on these variables */
  unsigned used;       /* in which functions, FORMULA_H ...; all until formula_use says more */
} formula_node;

typedef struct formula {
  formula_node *nodes;
  int count, room, variables;
  char names[FORMULA_VARIABLES][16];
} formula;

typedef struct formula_sum {
  int count, term[FORMULA_TERMS];
} formula_sum;

formula_set formula_joined(formula_set a, formula_set b);
int formula_set_has(formula_set set, int variable);
void formula_free(formula *f);

int f_constant(formula *f, double value);
int f_variable(formula *f, int index);
int f_add(formula *f, int a, int b);
int f_sub(formula *f, int a, int b);
int f_mul(formula *f, int a, int b);
int f_div(formula *f, int a, int b);
int f_power(formula *f, int a, int exponent); /* exponent > 0 */
int f_sin(formula *f, int a);
int f_cos(formula *f, int a);
int f_sqrt(formula *f, int a);
int f_exp(formula *f, int a);
int f_times(formula *f, double factor, int a); /* factor*a */
int f_shift(formula *f, int a, double by);     /* a - by; a where by is 0 */
int f_square(formula *f, int a);
void f_term(formula_sum *sum, int node);

/* Writes the sum as Lua at text, at most size bytes with the zero byte; returns the length
 * wanted. */
int formula_print(const formula *f, const formula_sum *sum, char *text, int size);

/* Functions that are evaluated apart from each other. */
enum { FORMULA_H = 1, FORMULA_G = 2, FORMULA_PART = 4, FORMULA_ALL = 7 };
/* Notes that the sums [count] are those of that function. All nodes count as used until
 * formula_use_none. */
void formula_use_none(formula *f);
void formula_use(formula *f, const formula_sum *sums, int count, unsigned function);

/* Values kept between calls; one per thread, {0} to begin with. */
typedef struct formula_work {
  int nodes, variables;
  long double *value, *error, *gradient;
} formula_work;

void formula_work_free(formula_work *work);
/* Evaluates at z the nodes of some functions, with gradients. */
void formula_evaluate(const formula *f, const long double *z, unsigned functions,
                      formula_work *work);
/* Results for a sum, after formula_evaluate: the value; *error, the bound of a double evaluation's
 * error in units of eps; gradient [variables]. Either pointer may be NULL. */
long double formula_read(const formula *f, const formula_sum *sum, const formula_work *work,
                         long double *error, long double *gradient);
#endif
