/* The solvers that are Newton's method: when its matrix is made, and by which linear backend it is
 * factored. */
#include "ground/linear/backend.h"
#include "method/notation/row.h"

const rattle__solver rattle__solver_auto = {.renewal = RATTLE__AS_FITS};
const rattle__solver rattle__solver_newton = {.renewal = RATTLE__EACH_ITERATION};
const rattle__solver rattle__solver_quasi_newton = {.renewal = RATTLE__ONCE_A_STEP};
const rattle__solver rattle__solver_sparse = {.general = rattle__klu_init,
                                              .symmetric = rattle__ldl_init};
const rattle__solver rattle__solver_dense = {.general = rattle__dense_init,
                                             .symmetric = rattle__dense_init};
