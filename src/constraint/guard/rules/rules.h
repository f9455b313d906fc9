#ifndef RATTLE__RULES_H
#define RATTLE__RULES_H
/* The rules of the guard for the library; kernels that are compiled at run time get the same texts
 * (cmake/kernel.cmake). */
#include <float.h>
#include <math.h>

#include "ground/expr/real.h"
#include "constraint/guard/rules/rules.def"
#include "constraint/guard/rules/doubt_rules.h"
#endif
