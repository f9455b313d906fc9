/* Checks a topology: numbers of atoms, lengths and masses must make sense; and a box. */
#include <math.h>
#include <stdlib.h>

#include "bonds/bonds.h"
#include "ground/support/error.h"

/* bonded [atoms]: 1 for atoms of bonds; atoms of bodies are marked by 2. */
static rattle_status check_body(const rattle_bonds_topology *t, long long k, char *bonded,
                                rattle_error *error) {
  const long long from = t->body_first[k], to = t->body_first[k + 1];
  if ((k == 0 && from != 0) || from < 0 || to - from < 3 || to > t->atoms)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "bodies",
                        "body %lld has the atoms %lld to %lld of the list: give three or more", k,
                        from, to - 1);
  for (long long e = from; e < to; e++) {
    const int a = t->body_atoms[e];
    if (a < 0 || a >= t->atoms || bonded[a])
      return rattle__fail(error, RATTLE_BAD_ARGUMENT, "bodies",
                          a < 0 || a >= t->atoms
                              ? "atom %d of body %lld is none from 0 to %lld"
                              : "atom %d of body %lld has a bond, or is in a body already; atoms "
                                "are 0 to %lld",
                          a, k, t->atoms - 1);
    if (!(t->masses[a] > 0) || isinf(t->masses[a]))
      return rattle__fail(
          error, RATTLE_BAD_ARGUMENT, "masses",
          "the mass of atom %d, which is in body %lld, is %g: it must be finite and "
          "above 0",
          a, k, t->masses[a]);
    for (int d = 0; d < 3; d++)
      if (!isfinite(t->body_places[3 * e + d]))
        return rattle__fail(error, RATTLE_BAD_ARGUMENT, "bodies",
                            "the place of atom %d in body %lld is not finite", a, k);
    bonded[a] = 2;
  }
  return RATTLE_OK;
}

static rattle_status check_bodies(const rattle_bonds_topology *t, rattle_error *error) {
  if (!t->bodies) return RATTLE_OK;
  if (t->bodies < 0 || t->bodies > t->atoms || !t->body_first || !t->body_atoms || !t->body_places)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "bodies",
                        "%lld bodies of %lld atoms, or an array of them is NULL", t->bodies,
                        t->atoms);
  char *bonded = calloc((size_t)t->atoms, 1);
  if (!bonded) return rattle__no_memory(error);
  for (long long k = 0; k < 2 * t->bonds; k++) bonded[t->pairs[k]] = 1;
  rattle_status status = RATTLE_OK;
  for (long long k = 0; k < t->bodies && !status; k++) status = check_body(t, k, bonded, error);
  free(bonded);
  return status;
}

rattle_status rattle__bonds_check_counts(const rattle_bonds_topology *t, rattle_error *error) {
  if (t->atoms < 1 || t->bonds < 0 || t->atoms > 0x7fffffff / 3 || t->bonds > 0x3fffffff)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "topology",
                        "%lld atoms and %lld bonds: give at least one atom, and at most 715827882 "
                        "atoms and 1073741823 bonds",
                        t->atoms, t->bonds);
  if (!t->masses || (t->bonds && !t->pairs))
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "topology", "pairs or masses is NULL");
  return RATTLE_OK;
}

rattle_status rattle__bonds_check_pair(const rattle_bonds_topology *t, long long k,
                                       rattle_error *error) {
  const int i = t->pairs[2 * k], j = t->pairs[2 * k + 1];
  if (i >= 0 && j >= 0 && i < t->atoms && j < t->atoms && i != j) return RATTLE_OK;
  return rattle__fail(
      error, RATTLE_BAD_ARGUMENT, "pairs",
      "bond %lld is between atoms %d and %d: give two different atoms from 0 to %lld", k, i, j,
      t->atoms - 1);
}

rattle_status rattle__bonds_check(const rattle_bonds_topology *t, rattle_error *error) {
  rattle_status status = rattle__bonds_check_counts(t, error);
  if (status) return status;
  if (t->bonds && !t->lengths)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "topology", "lengths is NULL");
  for (long long a = 0; a < t->atoms; a++)
    if (!(t->masses[a] >= 0))
      return rattle__fail(error, RATTLE_BAD_ARGUMENT, "masses",
                          "the mass of atom %lld is %g: it must be above 0, INFINITY for an atom "
                          "that does not move, or 0 for one that has no bonds",
                          a, t->masses[a]);
  for (long long k = 0; k < t->bonds; k++) {
    const int i = t->pairs[2 * k], j = t->pairs[2 * k + 1];
    if ((status = rattle__bonds_check_pair(t, k, error))) return status;
    if (!(t->lengths[k] > 0) || !isfinite(t->lengths[k]))
      return rattle__fail(error, RATTLE_BAD_ARGUMENT, "lengths",
                          "the length of bond %lld, between atoms %d and %d, is %g: it must be "
                          "above 0; two atoms at one place can be held in a "
                          "model file, by x1 - x2 and so on as constraints",
                          k, i, j, t->lengths[k]);
    if (t->masses[i] == 0 || t->masses[j] == 0)
      return rattle__fail(error, RATTLE_BAD_ARGUMENT, "masses",
                          "bond %lld, between atoms %d and %d, has an atom of mass 0: omit it if "
                          "the place of that atom follows from others, or give INFINITY for an "
                          "atom that does not move",
                          k, i, j);
    if (isinf(t->masses[i]) && isinf(t->masses[j]))
      return rattle__fail(error, RATTLE_BAD_ARGUMENT, "masses",
                          "neither atom of bond %lld, between atoms %d and %d, can move: omit it",
                          k, i, j);
  }
  return check_bodies(t, error);
}

rattle_status rattle__bonds_check_box(const rattle_bonds_box *box, rattle_error *error) {
  for (int e = 0; box && e < 3; e++)
    for (int d = 0; d < 3; d++)
      if (!isfinite(box->edge[e][d]) || (d > e && box->edge[e][d] != 0) ||
          (d == e && !(box->edge[e][d] > 0)))
        return rattle__fail(error, RATTLE_BAD_ARGUMENT, "box",
                            "edge %d of the box has the component %d = %g: edges are (a_x, 0, 0), "
                            "(b_x, b_y, 0) and (c_x, c_y, c_z), "
                            "with a_x, b_y and c_z above 0",
                            e, d, box->edge[e][d]);
  return RATTLE_OK;
}
