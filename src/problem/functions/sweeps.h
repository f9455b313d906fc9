#ifndef RATTLE__SWEEPS_H
#define RATTLE__SWEEPS_H
/* H of bodies along a tree of joints as a function that is evaluated by sweeps along the tree. */
#include "ground/expr/native.h"
#include "problem/model/model.h"
#include "problem/functions/problem.h"

/* From the nodes of the model, which are copied, and the rest of H (NULL: none), which f owns from
 * now on. Second derivatives are a full matrix, of very many joints those along a vector alone,
 * unless there are constraints or start velocities. */
rattle_status rattle__function_swept(rattle__function **f, const rattle_model *model,
                                     rattle__function *rest, rattle_error *error);
/* The gradient of the nodes at 2, 4 or 8 points x [2n][points] into Y [2n][points], both aligned to
 * vectors, each in a lane of a vector and with the bits of one alone; room: as many doubles as the
 * other functions say. 0: an angle is too large for that, and Y is not written. On any processor,
 * with AVX2, with AVX-512. */
int rattle__sweeps_2(const rattle__model_sweeps *tree, int n, const double *x, double *Y,
                     double *room);
int rattle__sweeps_4(const rattle__model_sweeps *tree, int n, const double *x, double *Y,
                     double *room);
int rattle__sweeps_8(const rattle__model_sweeps *tree, int n, const double *x, double *Y,
                     double *room);
size_t rattle__sweeps_room_2(int nodes);
size_t rattle__sweeps_room_4(int nodes);
size_t rattle__sweeps_room_8(int nodes);
/* Machine code for this tree in place of the text for all trees, with the same bits; a tree that is
 * too large for it, or for which there is none, stays as it is. Fails with RATTLE__NATIVE alone. */
rattle_status rattle__swept_native(rattle__function *f, rattle__evaluator evaluator,
                                   rattle__orders *orders, rattle_error *error);
/* True if such code can be made; if it is there. */
int rattle__swept_compiles(const rattle__function *f);
int rattle__swept_is_compiled(const rattle__function *f);
/* Another function with the tables of f, which must outlive it, for machine code of its own. */
rattle_status rattle__swept_twin(rattle__function **twin, const rattle__function *f,
                                 rattle_error *error);
/* The rest of H, whose function belongs to f; NULL: none. */
rattle__function *rattle__swept_rest(const rattle__function *f);
#endif
