/* Masses of hydrogens (keyword hmass), by the rule of OpenMM's hydrogenMass; of water too, if its
 * types are given. */
#include "clusters.h"

#include <algorithm>

#include "atom.h"
#include "comm.h"
#include "error.h"
#include "force.h"

using namespace LAMMPS_NS;

namespace rattle_any {

/* The mass that each atom of this rank gives to hydrogens that it is bonded to. */
std::vector<double> clusters::gifts(double to, const std::vector<char> &hydrogen) {
  const std::unordered_map<tagint, record> partner = find_partners();
  std::vector<double> given(atom->nlocal, 0.0);
  mail out(comm->nprocs);
  for (int i = 0; i < atom->nlocal; i++)
    for (int m = 0; m < atom->num_bond[i]; m++) {
      const tagint tag = atom->bond_atom[i][m];
      const int j = own(tag);
      const auto at = partner.find(tag);
      if (j < 0 && at == partner.end()) missing(tag, atom->tag[i]);
      const int type = j >= 0 ? atom->type[j] : at->second.type;
      const double mass = j >= 0 ? mass_of(j) : at->second.mass;
      if (hydrogen[atom->type[i]] == hydrogen[type]) continue;
      if (hydrogen[type])
        given[i] += to - mass;
      else if (force->newton_bond && j >= 0) /* the other atom does not have this bond */
        given[j] += to - mass_of(i);
      else if (force->newton_bond)
        out[at->second.rank].insert(out[at->second.rank].end(), {(double)tag, to - mass_of(i)});
    }
  for (const std::vector<double> &part : trade(world, out))
    for (size_t k = 0; k < part.size(); k += 2) given[own((tagint)part[k])] += part[k + 1];
  return given;
}

/* Hydrogens, atoms of these types, get the mass `to`, and atoms that they are bonded to lose what that is more. Where masses are of types, atoms of a type
 * must lose the same. Collective. */
void clusters::repartition(double to, const std::vector<char> &hydrogen) {
  const std::vector<double> given = gifts(to, hydrogen);
  const int types = atom->ntypes + 1;
  std::vector<double> low(types, 1e300), high(types, -1e300);
  int mine[2] = {0, 0}, all[2]; /* an atom of which nothing is left; how many hydrogens there are */
  for (int i = 0; i < atom->nlocal; i++) {
    low[atom->type[i]] = std::min(low[atom->type[i]], given[i]), high[atom->type[i]] = std::max(high[atom->type[i]], given[i]);
    if (!(mass_of(i) > given[i])) mine[0] = std::max(mine[0], (int)atom->tag[i]);
    mine[1] += hydrogen[atom->type[i]];
  }
  MPI_Allreduce(mine, all, 1, MPI_INT, MPI_MAX, world);
  MPI_Allreduce(mine + 1, all + 1, 1, MPI_INT, MPI_SUM, world);
  MPI_Allreduce(MPI_IN_PLACE, low.data(), types, MPI_DOUBLE, MPI_MIN, world);
  MPI_Allreduce(MPI_IN_PLACE, high.data(), types, MPI_DOUBLE, MPI_MAX, world);
  if (!all[1]) error->all(FLERR, std::string("Fix rattle/any: there are no atoms of the types of hmass"));
  if (all[0])
    error->all(FLERR,
               "Fix rattle/any: hmass leaves nothing of atom " + std::to_string(all[0]) + ": give hydrogens a smaller mass");
  if (atom->rmass) {
    for (int i = 0; i < atom->nlocal; i++) atom->rmass[i] = hydrogen[atom->type[i]] ? to : atom->rmass[i] - given[i];
    return;
  }
  for (int t = 1; t < types; t++)
    if (high[t] - low[t] > 1e-9 * atom->mass[t])
      error->all(FLERR, "Fix rattle/any: hmass takes " + std::to_string(low[t]) + " from one atom of type " +
                            std::to_string(t) + " and " + std::to_string(high[t]) +
                            " from another: give atoms with other numbers of hydrogens types of their own");
  for (int t = 1; t < types; t++)
    if (hydrogen[t] || high[t] > 0 || high[t] < 0)
      if (high[t] > -1e300) atom->set_mass(FLERR, t, hydrogen[t] ? to : atom->mass[t] - high[t]);
}

} // namespace rattle_any
