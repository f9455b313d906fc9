/* Checks that the numbers which a stage stores can be as exact as the tolerance asks. */
#include <float.h>
#include <math.h>

#include "bonds/bonds.h"
#include "ground/support/error.h"

/* The largest number of each axis among the atoms of the bonds, finite ones alone; the atom that
 * has the largest of all. */
static int find_largest(const rattle_bonds *b, const rattle__bond_stage *stage, double largest[3]) {
  double most = 0;
  int at = 0;
  for (const rattle__bond_shape *s = b->shape; s; s = s->next)
    for (long long k = 0; k < s->groups * s->atoms * s->width; k++)
      for (int d = 0; d < 3; d++) {
        const double value = fabs(rattle__bond_at(stage, stage->x, (size_t)(s->place[k] + d)));
        if (isfinite(value) && value > largest[d]) largest[d] = value;
        if (isfinite(value) && value > most) most = value, at = s->place[k] / 3;
      }
  return at;
}

/* The same of all atoms, and of numbers that are not finite: fast, since all coordinates of floats
 * are read in each stage. */
static double bound_of(const float *x, long long atoms) {
  enum { AT_ONCE = 24 };
  float largest[AT_ONCE] = {0}, all[3] = {0};
  const long long count = 3 * atoms;
  long long k = 0;
  for (; k + AT_ONCE <= count; k += AT_ONCE)
    for (int j = 0; j < AT_ONCE; j++)
      largest[j] = fabsf(x[k + j]) > largest[j] ? fabsf(x[k + j]) : largest[j];
  for (int j = 0; j < AT_ONCE; j++) all[j % 3] = fmaxf(all[j % 3], largest[j]);
  for (; k < count; k++) all[k % 3] = fmaxf(all[k % 3], fabsf(x[k]));
  return hypot(hypot((double)all[0], (double)all[1]), (double)all[2]);
}

static rattle_status refuse_floats(const rattle_bonds *b, const rattle__bond_stage *stage,
                                   rattle_error *error) {
  const double rounded = 1.02 * FLT_EPSILON / b->shortest; /* errors of the solution count too */
  double largest[3] = {0};
  if (b->tolerance < FLT_EPSILON)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "tolerance",
                        "the tolerance is %g, and floats reach %.2g of a length at best: give a "
                        "larger one when the bonds are "
                        "created, or doubles",
                        b->tolerance, (double)FLT_EPSILON);
  if (!stage->x0 || rounded * bound_of(stage->x, b->atoms) <= b->tolerance) return RATTLE_OK;
  const int at = find_largest(b, stage, largest);
  const double reach = rounded * hypot(hypot(largest[0], largest[1]), largest[2]);
  if (reach <= b->tolerance) return RATTLE_OK;
  return rattle__fail(error, RATTLE_BAD_ARGUMENT, "tolerance",
                      "the tolerance is %g, but coordinates are as large as those of atom %d, "
                      "where floats reach %.2g of the "
                      "shortest length, %g: give that tolerance, or doubles, or move the origin",
                      b->tolerance, at, reach, b->shortest);
}

/* Doubles: tolerances from 1e-13 on are not compared, because reading all coordinates takes
 * time. */
rattle_status rattle__bonds_check_reach(const rattle_bonds *b, const rattle__bond_stage *stage,
                                        rattle_error *error) {
  double largest[3] = {0};
  if (stage->single) return refuse_floats(b, stage, error);
  if (!stage->x0 || b->tolerance >= 1e-13) return RATTLE_OK;
  const int at = find_largest(b, stage, largest);
  const double most = fmax(largest[0], fmax(largest[1], largest[2])),
               reach = DBL_EPSILON * most / b->shortest;
  if (reach <= b->tolerance) return RATTLE_OK;
  return rattle__fail(error, RATTLE_BAD_ARGUMENT, "tolerance",
                      "the tolerance is %g, but a coordinate of atom %d is %g, where doubles reach "
                      "%.2g of the shortest length, %g: give that "
                      "tolerance, or move the origin",
                      b->tolerance, at, most, reach, b->shortest);
}
