#ifndef RATTLE_CLI_EXPORT_H
#define RATTLE_CLI_EXPORT_H
/* From an expression graph to C source. */
#include <stdio.h>

#include "base/cli.h"
#include "rattle/model.h"

extern const char cli_export_driver[]; /* app/commands/export/driver.c, carried in the command */

/* Prints the statements that compute name[i] = root[i], i < count (name NULL: return root[0]), with
 * a temporary for each subexpression that is used more than once or would nest too deep. Variable
 * 2k is q[k], 2k+1 is p[k]. Returns 0 if there is no memory. */
int cli_emit(FILE *out, const rattle_graph *graph, const rattle_expr *root, int count,
             const char *name);
/* Prints model.c: H, its gradient, g, its Jacobian, psi_i = {g_i,H}, {psi_i,g_j} and forces as C
 * functions. Derivatives are added to the model's graph. Returns 0 if there is no memory. */
int cli_emit_model(FILE *out, rattle_model *model);

/* True if the input is a record, or the output a file in one of the formats of records. */
int cli_is_conversion(const char *input, const char *output);
int cli_convert(const cli_args *args);
#endif
