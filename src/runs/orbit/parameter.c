/* A parameter of the model among the unknowns.
 *
 * Nodes  are z_k(l), the node moved onto the manifold of the value l along its normals
 * Gaps   d/dl (R_l(z_k(l)) - z_{k+1}(l)) in the basis of the next node, by differences of the
 *        problems at l - shift and l + shift: their error is of the order of shift squared, in
 *        units of the way, and round-off of eps over it. Newton's residuals do not depend on
 *        them */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "runs/orbit/shooting.h"
#include "ground/support/error.h"

static const double shift = 1e-5;

/* With the problem at one side: `sign` times nodes, gaps and H are added. z: the nodes as they
 * are */
static rattle_status add_side(rattle__shooting *s, int sign, const double *z, double *gap,
                              rattle_error *error) {
  const size_t nz = (size_t)s->nz;
  double unused, H;
  rattle_status status = rattle_problem_energy(s->at.problem, z, z + s->n, &H, error);
  memcpy(s->z, z, (size_t)s->arcs * nz * sizeof *z);
  if (!status) status = rattle__shooting_place(s, error);
  if (!status) status = rattle__shooting_ends(s, &unused, error);
  if (status) return status;
  s->lift += sign * H;
  for (int k = 0; k < s->arcs; k++) {
    const double *next = s->z + (size_t)rattle__shooting_next(s, k) * nz;
    for (size_t c = 0; c < nz; c++) {
      gap[(size_t)k * nz + c] += sign * (s->end[(size_t)k * nz + c] - next[c]);
      s->carried[(size_t)k * nz + c] += sign * s->z[(size_t)k * nz + c];
    }
  }
  return RATTLE_OK;
}

rattle_status rattle__shooting_by_parameter(rattle__shooting *s, rattle_error *error) {
  const size_t all = (size_t)s->arcs * (size_t)s->nz;
  const size_t tail = 4 * (size_t)s->nz;
  double *z = calloc(3 * all + tail, sizeof *z), *gap = z + all, *end = gap + all,
         *last = end + all;
  rattle_status status = z ? RATTLE_OK : rattle__no_memory(error);
  if (!status) {
    memcpy(z, s->z, all * sizeof *z);
    memcpy(end, s->end, all * sizeof *z);
    memcpy(last, s->tail, tail * sizeof *z);
  }
  memset(s->carried, 0, all * sizeof *z);
  s->lift = 0;
  for (int sign = -1; sign <= 1 && !status; sign += 2) {
    rattle__instance side = {.value = (double)NAN};
    status = rattle__instance_at(&side, &s->dial, s->at.value + sign * shift * s->dial.unit, error);
    if (status) break;
    rattle__instance_exchange(&s->at, &side);
    status = add_side(s, sign, z, gap, error);
    rattle__instance_exchange(&s->at, &side);
    rattle__instance_destroy(&side);
  }
  if (z) {
    memcpy(s->z, z, all * sizeof *z);
    memcpy(s->end, end, all * sizeof *z);
    memcpy(s->tail, last, tail * sizeof *z);
  }
  s->lift /= 2 * shift;
  for (size_t i = 0; i < all && !status; i++) {
    gap[i] /= 2 * shift;
    s->carried[i] /= 2 * shift * rattle__shooting_unit(s, (int)(i % (size_t)s->nz));
  }
  for (int k = 0; k < s->arcs && !status; k++)
    rattle__shooting_in_basis(s, rattle__shooting_next(s, k), gap + (size_t)k * (size_t)s->nz,
                              s->turn + (size_t)k * (size_t)s->d);
  free(z);
  return status;
}
