/* One family derived: its shape becomes an expression in slots 0..slots-1 and parameters slots..,
 * whose first and second derivatives are taken symbolically, once for all instances.
 *
 * A hole that is the same in all instances is a literal of the expression, so that algebra can use
 * its value; holes that are equal to each other in every instance are one parameter. A hole that is
 * an input in some instance is an input (inputs.h). */
#include <stdlib.h>
#include <string.h>

#include "ground/support/error.h"
#include "ground/expr/derivative.h"
#include "ground/expr/family.h"
#include "ground/expr/inputs.h"

enum { LITERAL = -1, MOST_PAIRS = 2000000 };

/* Everything that lives only while a family is derived. */
typedef struct derivation {
  rattle_graph *graph;
  rattle_expr *node;     /* of each triple of the key */
  int *param_of;         /* [holes] parameter of a hole, -1 for a literal */
  rattle_expr *input_of; /* [holes] input of a hole; NONE: a number in all instances */
  rattle_expr
      *gradient; /* [slots], then the outputs of BOTH in order: value, nonzero derivatives */
  rattle_expr *out;
  rattle_expr *second; /* [hess_outs] */
  int32_t *slot;       /* [slots] 0, 1, 2 .. */
} derivation;

static int same_hole(const rattle__family *f, int a, int b) {
  for (int i = 0; i < f->count; i++)
    if (memcmp(&f->hole[(size_t)i * f->holes + a], &f->hole[(size_t)i * f->holes + b],
               sizeof(double)))
      return 0;
  return 1;
}

static int is_constant_hole(const rattle__family *f, int a) {
  for (int i = 1; i < f->count; i++)
    if (memcmp(&f->hole[(size_t)i * f->holes + a], &f->hole[a], sizeof(double))) return 0;
  return 1;
}

static int has_input(const rattle__family *f, int a) {
  for (int i = 0; i < f->count && f->input; i++)
    if (f->input[(size_t)i * f->holes + a]) return 1;
  return 0;
}

/* True if holes a and b are the same in every instance, whatever the values of inputs. */
static int same_input(const rattle__family *f, int a, int b) {
  for (int i = 0; i < f->count; i++)
    if (f->input[(size_t)i * f->holes + a] != f->input[(size_t)i * f->holes + b]) return 0;
  return same_hole(f, a, b);
}

/* Makes the inputs; 0, or -1 without memory. */
static int find_inputs(const rattle__family *f, derivation *d) {
  for (int a = 0; a < f->holes; a++) {
    d->input_of[a] = RATTLE_EXPR_NONE;
    if (!has_input(f, a)) continue;
    for (int b = 0; b < a && !d->input_of[a]; b++)
      if (d->input_of[b] && same_input(f, a, b)) d->input_of[a] = d->input_of[b];
    if (!d->input_of[a] && !(d->input_of[a] = rattle__input_make(d->graph, f->hole[a], 0)))
      return -1;
  }
  return 0;
}

/* Sorts the holes into literals and parameters. */
static int find_params(rattle__family *f, derivation *d) {
  int *hole_of = malloc((size_t)f->holes * sizeof *hole_of);
  if (!hole_of) return -1;
  f->params = 0;
  for (int a = 0; a < f->holes; a++) {
    d->param_of[a] = -1;
    if (d->input_of[a] || is_constant_hole(f, a)) continue;
    int p = 0;
    while (p < f->params && !same_hole(f, hole_of[p], a)) p++;
    if (p == f->params) hole_of[f->params++] = a;
    d->param_of[a] = p;
  }
  f->param = malloc(((size_t)f->count * (size_t)f->params + 1) * sizeof *f->param);
  if (f->param)
    for (int i = 0; i < f->count; i++)
      for (int p = 0; p < f->params; p++)
        f->param[(size_t)i * f->params + p] = f->hole[(size_t)i * f->holes + hole_of[p]];
  free(hole_of);
  return f->param ? 0 : -1;
}

static rattle_expr hole(const rattle__family *f, const derivation *d, int a) {
  if (d->input_of[a]) return d->input_of[a];
  return d->param_of[a] < 0 ? rattle_expr_constant(d->graph, f->hole[a])
                            : rattle_expr_variable(d->graph, f->slots + d->param_of[a]);
}

/* The expression coefficient * term. */
static rattle_expr replay(const rattle__family *f, const derivation *d) {
  int triples = f->key_length / 3;
  for (int k = 0; k < triples; k++) {
    const int *key = f->key + 3 * (size_t)k;
    double exponent;
    switch (key[0]) {
    case LITERAL:
      memcpy(&exponent, key + 1, sizeof exponent);
      d->node[k] = rattle_expr_constant(d->graph, exponent);
      break;
    case RATTLE_OP_CONSTANT:
      d->node[k] = hole(f, d, key[1]);
      break;
    case RATTLE_OP_VARIABLE:
      d->node[k] = rattle_expr_variable(d->graph, key[1]);
      break;
    default:
      d->node[k] =
          key[0] >= RATTLE_OP_NEG
              ? rattle_expr_unary(d->graph, (rattle_op)key[0], d->node[key[1]])
              : rattle_expr_binary(d->graph, (rattle_op)key[0], d->node[key[1]], d->node[key[2]]);
    }
  }
  return rattle_expr_binary(d->graph, RATTLE_OP_MUL, hole(f, d, 0), d->node[triples - 1]);
}

/* Degree of e as a polynomial in the slots, at most 3, which also stands for "none"; -1: no
 * memory. */
static int degree(const rattle_graph *graph, rattle_expr e, int slots) {
  unsigned char *of = malloc((size_t)e + 1);
  if (!of) return -1;
  for (rattle_expr k = 1; k <= e; k++) {
    rattle_op op = rattle_expr_op(graph, k);
    rattle_expr first = rattle_expr_operand(graph, k, 0), second = rattle_expr_operand(graph, k, 1);
    int a = first ? of[first] : 0, b = second ? of[second] : 0, n = a || b ? 3 : 0;
    double power = second ? rattle_expr_value(graph, second) : 0;
    if (op == RATTLE_OP_VARIABLE) n = rattle_expr_index(graph, k) < slots;
    if (op == RATTLE_OP_ADD || op == RATTLE_OP_SUB) n = a > b ? a : b;
    if (op == RATTLE_OP_MUL) n = a + b;
    if ((op == RATTLE_OP_DIV && b == 0) || op == RATTLE_OP_NEG) n = a;
    if (op == RATTLE_OP_POWI && power >= 0 && power <= 2) n = a * (int)power;
    of[k] = (unsigned char)(n < 3 ? n : 3);
  }
  int result = of[e];
  free(of);
  return result;
}

static int is_zero(const rattle_graph *graph, rattle_expr e) {
  return rattle_expr_op(graph, e) == RATTLE_OP_CONSTANT && rattle_expr_value(graph, e) == 0;
}

/* First derivatives: d->out = value, nonzero derivatives; f->jac_slot. */
static int first_order(rattle__family *f, derivation *d) {
  if (rattle__gradient(d->graph, d->out[0], d->slot, f->slots, d->gradient)) return -1;
  for (int s = 0; s < f->slots; s++) {
    if (is_zero(d->graph, d->gradient[s])) continue;
    f->jac_slot[f->jac_outs++] = s;
    d->out[f->jac_outs] = d->gradient[s];
  }
  return 0;
}

/* Second derivatives d->second for both triangles; f->hess_slot, hess_slot2. */
static int second_order(rattle__family *f, derivation *d) {
  size_t room = (size_t)f->jac_outs * (size_t)f->jac_outs + 1;
  d->second = malloc(room * sizeof *d->second);
  f->hess_slot = malloc(room * sizeof *f->hess_slot);
  f->hess_slot2 = malloc(room * sizeof *f->hess_slot2);
  if (!d->second || !f->hess_slot || !f->hess_slot2) return -1;
  for (int k = 0; k < f->jac_outs; k++) {
    int s = f->jac_slot[k];
    if (rattle__gradient(d->graph, d->out[k + 1], d->slot, s + 1, d->gradient)) return -1;
    for (int j = 0; j <= k; j++) {
      int t = f->jac_slot[j];
      if (is_zero(d->graph, d->gradient[t])) continue;
      for (int side = 0; side < (s == t ? 1 : 2); side++) {
        d->second[f->hess_outs] = d->gradient[t];
        f->hess_slot[f->hess_outs] = side ? t : s;
        f->hess_slot2[f->hess_outs++] = side ? s : t;
      }
    }
  }
  return 0;
}

/* d->out + 1 = derivatives of the nonzero first derivatives along v: the gradient of their product
 * with v. */
static int directional(const rattle__family *f, derivation *d) {
  rattle_expr product = rattle_expr_constant(d->graph, 0);
  for (int k = 0; k < f->jac_outs; k++) {
    rattle_expr v = rattle_expr_variable(d->graph, f->slots + f->params + f->jac_slot[k]);
    product = rattle_expr_binary(d->graph, RATTLE_OP_ADD, product,
                                 rattle_expr_binary(d->graph, RATTLE_OP_MUL, d->out[k + 1], v));
  }
  if (rattle__gradient(d->graph, product, d->slot, f->slots, d->gradient)) return -1;
  for (int k = 0; k < f->jac_outs; k++) d->out[k + 1] = d->gradient[f->jac_slot[k]];
  return 0;
}

static int derive(rattle__family *f, const rattle__build *build, derivation *d) {
  d->node = malloc((size_t)f->key_length * sizeof *d->node);
  d->param_of = malloc((size_t)f->holes * sizeof *d->param_of);
  d->input_of = malloc((size_t)f->holes * sizeof *d->input_of);
  d->gradient = malloc(((size_t)f->slots + 1) * sizeof *d->gradient);
  d->out = malloc(((size_t)f->slots + 1) * sizeof *d->out);
  d->slot = malloc(((size_t)f->slots + 1) * sizeof *d->slot);
  f->jac_slot = malloc(((size_t)f->slots + 1) * sizeof *f->jac_slot);
  if (!d->node || !d->param_of || !d->input_of || !d->gradient || !d->out || !d->slot ||
      !f->jac_slot)
    return -1;
  if (find_inputs(f, d) || find_params(f, d)) return -1;
  for (int s = 0; s < f->slots; s++) d->slot[s] = s;
  d->out[0] = replay(f, d);
  if (d->out[0] == RATTLE_EXPR_NONE) return -1;
  f->degree = degree(d->graph, d->out[0], f->slots);
  if (f->degree < 0 || first_order(f, d) || (build->hessian && second_order(f, d))) return -1;
  if (rattle__program_compile(&f->program[RATTLE__VALUE], d->graph, f->slots, d->out, 1) ||
      rattle__program_compile(&f->program[RATTLE__GRADIENT], d->graph, f->slots, d->out + 1,
                              f->jac_outs) ||
      rattle__program_compile(&f->program[RATTLE__BOTH], d->graph, f->slots, d->out,
                              f->jac_outs + 1))
    return -1;
  if (!build->hessian) return 0;
  if (rattle__program_compile(&f->program[RATTLE__CURVATURE], d->graph, f->slots, d->second,
                              f->hess_outs))
    return -1;
  if (!build->constraints) return 0;
  return directional(f, d) || rattle__program_compile(&f->program[RATTLE__ALONG], d->graph,
                                                      f->slots, d->out + 1, f->jac_outs)
             ? -1
             : 0;
}

rattle_status rattle__family_derive(rattle__family *family, const rattle__build *build,
                                    rattle_error *error) {
  if (build->hessian && (long)family->slots * family->slots > MOST_PAIRS)
    return rattle__fail(error, RATTLE_UNSUITABLE, NULL,
                        "one term depends on %d variables at once, too many for its second "
                        "derivatives: write it as a sum of "
                        "smaller terms",
                        family->slots);
  derivation d = {0};
  rattle_status status = rattle_graph_create(&d.graph, error);
  if (!status && (derive(family, build, &d) || rattle__settables_make(family, d.graph, d.input_of)))
    status = rattle__no_memory(error);
  if (!status && rattle__graph_is_unlike(d.graph))
    status = rattle__fail(error, RATTLE_UNSUITABLE, NULL,
                          "a derivative is simpler for some values of the parameters");
  rattle_graph_destroy(&d.graph);
  free(d.node);
  free(d.param_of);
  free(d.input_of);
  free(d.gradient);
  free(d.out);
  free(d.second);
  free(d.slot);
  if (!family->settables) { /* holes are in param and in literals */
    free(family->hole), free(family->input);
    family->hole = NULL, family->input = NULL;
  }
  return status;
}

void rattle__family_release(rattle__family *family) {
  for (int k = 0; k < RATTLE__PROGRAMS; k++) rattle__program_release(&family->program[k]);
  free(family->key);
  free(family->slot);
  free(family->hole);
  free(family->input);
  free(family->settable);
  free(family->row);
  free(family->param);
  free(family->jac_slot);
  free(family->hess_slot);
  free(family->hess_slot2);
  *family = (rattle__family){0};
}
