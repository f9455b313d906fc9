/* The value of one operation in any arithmetic: the text of op.h's functions. Before inclusion:
 * OP_REAL, the type; OP_CALL(sin), its sine, and so for all functions; OP_NAME(apply) and
 * OP_NAME(powi), what these two are called. No header guard, and the macros end here: it is
 * included once for each arithmetic. */

static inline OP_REAL OP_NAME(powi)(OP_REAL a, int n) {
  unsigned k = n < 0 ? 0u - (unsigned)n : (unsigned)n, bit = 1;
  if (k == 0) return 1;
  while (bit <= k / 2) bit *= 2;
  OP_REAL r = a;
  while (bit /= 2) {
    r = r * r;
    if (k & bit) r = r * a;
  }
  return n < 0 ? 1 / r : r;
}

/* b is ignored if the operation has arity 1; NaN for leaves. */
static inline OP_REAL OP_NAME(apply)(rattle_op op, OP_REAL a, OP_REAL b) {
  switch (op) {
  case RATTLE_OP_ADD:
    return a + b;
  case RATTLE_OP_SUB:
    return a - b;
  case RATTLE_OP_MUL:
    return a * b;
  case RATTLE_OP_DIV:
    return a / b;
  case RATTLE_OP_POW:
    return OP_CALL(pow)(a, b);
  case RATTLE_OP_POWI:
    return OP_CALL(fabs)(b) <= RATTLE__POWI_MAX ? OP_NAME(powi)(a, (int)b) : OP_CALL(pow)(a, b);
  case RATTLE_OP_ATAN2:
    return OP_CALL(atan2)(a, b);
#define PICK(condition, x, y) ((condition) ? (x) : (y))
#define CHOICE(name, symbol, value)                                                                \
  case RATTLE_OP_##name:                                                                           \
    return value;
#include "ground/expr/choices.def"
#undef CHOICE
#undef PICK
  case RATTLE_OP_NEG:
    return -a;
  case RATTLE_OP_SQRT:
    return OP_CALL(sqrt)(a);
  case RATTLE_OP_EXP:
    return OP_CALL(exp)(a);
  case RATTLE_OP_LOG:
    return OP_CALL(log)(a);
  case RATTLE_OP_SIN:
    return OP_CALL(sin)(a);
  case RATTLE_OP_COS:
    return OP_CALL(cos)(a);
  case RATTLE_OP_TAN:
    return OP_CALL(tan)(a);
  case RATTLE_OP_ASIN:
    return OP_CALL(asin)(a);
  case RATTLE_OP_ACOS:
    return OP_CALL(acos)(a);
  case RATTLE_OP_ATAN:
    return OP_CALL(atan)(a);
  case RATTLE_OP_SINH:
    return OP_CALL(sinh)(a);
  case RATTLE_OP_COSH:
    return OP_CALL(cosh)(a);
  case RATTLE_OP_TANH:
    return OP_CALL(tanh)(a);
  case RATTLE_OP_EXPM1:
    return OP_CALL(expm1)(a);
  case RATTLE_OP_LOG1P:
    return OP_CALL(log1p)(a);
  case RATTLE_OP_ERF:
    return OP_CALL(erf)(a);
  case RATTLE_OP_ERFC:
    return OP_CALL(erfc)(a);
  case RATTLE_OP_ABS:
    return OP_CALL(fabs)(a);
  case RATTLE_OP_CONSTANT:
  case RATTLE_OP_VARIABLE:
  case RATTLE_OP_COUNT:
    break;
  }
  return (OP_REAL)NAN;
}
#undef OP_REAL
#undef OP_CALL
#undef OP_NAME
