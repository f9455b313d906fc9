/* hamiltonian: X_H, the field of a node without a field. It has no formula: field.c takes slopes of
 * H. */
#include "method/notation/row.h"

const rattle__field_row rattle__field_hamiltonian = {.write = NULL};
