/* Which clusters this rank solves, and who sends what to whom. */
#include <algorithm>
#include <cstdlib>

#include "clusters.h"

#include "atom.h"
#include "comm.h"
#include "error.h"
#include "force.h"

using namespace LAMMPS_NS;

namespace rattle_any {

/* Numbers the atoms of clusters that are here as a whole, cluster by cluster; what is left is
 * counted and returned by local numbers. */
std::vector<int> clusters::number_complete() {
  const int nlocal = atom->nlocal;
  std::vector<int> root(nlocal, -1), count(nlocal, 0), apart;
  for (int i = 0; i < nlocal; i++) {
    if (!label[i]) continue;
    root[i] = label[i] == atom->tag[i] ? i : own(label[i]);
    if (root[i] >= 0) count[root[i]]++;
  }
  std::vector<int> at(nlocal, -1);
  int atoms = 0;
  first.clear();
  for (int i = 0; i < nlocal; i++) {
    if (root[i] != i || count[i] != size[i]) continue;
    first.push_back(atoms);
    at[i] = atoms, atoms += count[i];
  }
  home.resize(atoms);
  for (int i = 0; i < nlocal; i++) {
    if (!label[i]) continue;
    if (root[i] >= 0 && at[root[i]] >= 0)
      home[at[root[i]]++] = i;
    else
      apart.push_back(i);
  }
  for (size_t c = 0; c < first.size(); c++) {
    int *from = home.data() + first[c], *to = home.data() + (c + 1 < first.size() ? first[c + 1] : atoms);
    std::sort(from, to, [this](int a, int b) { return atom->tag[a] < atom->tag[b]; });
  }
  tag.resize(atoms), mass.resize(atoms);
  number.assign(nlocal, -1);
  for (int c = 0; c < atoms; c++) {
    tag[c] = atom->tag[home[c]], mass[c] = mass_of(home[c]);
    number[home[c]] = c;
  }
  return apart;
}

/* The ranks that own the lowest tags of these atoms' clusters. */
std::vector<int> clusters::find_owners(const std::vector<int> &apart) {
  std::vector<record> entered;
  std::vector<tagint> wanted;
  for (int i : apart) {
    if (label[i] == atom->tag[i]) entered.push_back({atom->tag[i], comm->me, 0, 0, 0});
    if (own(label[i]) < 0) wanted.push_back(label[i]);
  }
  std::sort(wanted.begin(), wanted.end());
  wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
  const std::unordered_map<tagint, record> found = look_up(world, entered, wanted);
  std::vector<int> owner;
  for (int i : apart) {
    const auto at = found.find(label[i]);
    if (own(label[i]) < 0 && at == found.end()) missing(label[i], atom->tag[i]);
    owner.push_back(own(label[i]) >= 0 ? comm->me : at->second.rank);
  }
  return owner;
}

/* Atoms of clusters that straddle ranks come to their owners, where they are numbered by labels and
 * tags. */
void clusters::number_straddling(const std::vector<int> &apart, const std::vector<int> &owner) {
  struct guest {
    tagint label, tag;
    int rank, local, size;
    double mass;
  };
  std::vector<guest> all;
  std::vector<std::vector<int>> lent(comm->nprocs);
  mail out(comm->nprocs);
  travel.home.clear(), travel.guest.clear();
  for (size_t k = 0; k < apart.size(); k++) {
    const int i = apart[k], r = owner[k];
    if (r == comm->me) {
      all.push_back({label[i], atom->tag[i], r, i, size[i], mass_of(i)});
    } else {
      out[r].insert(out[r].end(), {(double)label[i], (double)atom->tag[i], (double)size[i], mass_of(i)});
      lent[r].push_back(i);
    }
  }
  for (int r = 0; r < comm->nprocs; r++)
    if (!lent[r].empty()) travel.home.push_back({r, lent[r], {}});
  const mail in = trade(world, out);
  for (int r = 0; r < comm->nprocs; r++)
    for (size_t k = 0; k < in[r].size(); k += 4)
      all.push_back({(tagint)in[r][k], (tagint)in[r][k + 1], r, -1, (int)in[r][k + 2], in[r][k + 3]});
  std::sort(all.begin(), all.end(),
            [](const guest &a, const guest &b) { return a.label != b.label ? a.label < b.label : a.tag < b.tag; });
  straddler.clear();
  for (size_t k = 0; k < all.size(); k++) {
    if (k == 0 || all[k].label != all[k - 1].label) {
      size_t end = k;
      while (end < all.size() && all[end].label == all[k].label) end++;
      if ((int)(end - k) != all[k].size)
        error->one(FLERR, "Fix rattle/any: " + std::to_string(all[k].size - (int)(end - k)) + " of the " +
                              std::to_string(all[k].size) + " atoms that bonds connect with atom " +
                              std::to_string(all[k].label) + " are missing");
      first.push_back((int)tag.size());
    }
    straddler[all[k].tag] = (int)tag.size();
    if (all[k].local >= 0) number[all[k].local] = (int)tag.size();
    tag.push_back(all[k].tag), home.push_back(all[k].local), mass.push_back(all[k].mass);
  }
  for (int r = 0; r < comm->nprocs; r++) {
    if (in[r].empty()) continue;
    travel.guest.push_back({r, {}, {}});
    for (size_t k = 0; k < in[r].size(); k += 4) travel.guest.back().index.push_back(straddler[(tagint)in[r][k + 1]]);
  }
}

int clusters::solved(tagint wanted, tagint other) const {
  const int i = own(wanted);
  if (i >= 0 && number[i] >= 0) return number[i];
  const auto at = straddler.find(wanted);
  if (at == straddler.end()) missing(wanted, other);
  return at->second;
}

/* Bonds and angles of the atoms that are solved here: 3 numbers for a bond, 4 for an angle. */
void clusters::collect(const std::vector<int> &owner_of) {
  const int newton = force->newton_bond;
  mail out_bonds(comm->nprocs), out_corners(comm->nprocs);
  bonds.clear(), corners.clear();
  for (int i = 0; i < atom->nlocal; i++) {
    if (!label[i]) continue;
    const int r = owner_of[i];
    for (int m = 0; m < atom->num_bond[i]; m++) {
      const tagint other = atom->bond_atom[i][m];
      const int type = -atom->bond_type[i][m];
      if (type <= 0 || (!newton && other < atom->tag[i])) continue;
      if (r == comm->me)
        bonds.push_back({number[i], solved(other, atom->tag[i]), type});
      else
        out_bonds[r].insert(out_bonds[r].end(), {(double)atom->tag[i], (double)other, (double)type});
    }
    for (int m = 0; atom->num_angle && m < atom->num_angle[i]; m++) {
      const tagint a = atom->angle_atom1[i][m], c = atom->angle_atom3[i][m];
      const int type = -atom->angle_type[i][m];
      if (type <= 0) continue;
      if (r == comm->me)
        corners.push_back({solved(a, atom->tag[i]), number[i], solved(c, atom->tag[i]), type});
      else
        out_corners[r].insert(out_corners[r].end(), {(double)a, (double)atom->tag[i], (double)c, (double)type});
    }
  }
  for (const std::vector<double> &part : trade(world, out_bonds))
    for (size_t k = 0; k < part.size(); k += 3) {
      const tagint i = (tagint)part[k], j = (tagint)part[k + 1];
      bonds.push_back({solved(i, j), solved(j, i), (int)part[k + 2]});
    }
  for (const std::vector<double> &part : trade(world, out_corners))
    for (size_t k = 0; k < part.size(); k += 4) {
      const tagint i = (tagint)part[k], j = (tagint)part[k + 1], l = (tagint)part[k + 2];
      corners.push_back({solved(i, j), solved(j, i), solved(l, j), (int)part[k + 3]});
    }
  std::sort(bonds.begin(), bonds.end(), [](const bond &a, const bond &b) { return a.i != b.i ? a.i < b.i : a.j < b.j; });
}

bool clusters::lay_out() {
  const int alone = comm->nprocs == 1;
  if (alone && order.size() == (size_t)atom->nlocal && std::equal(order.begin(), order.end(), atom->tag)) return false;
  const std::vector<tagint> before = tag;
  const std::vector<int> home_before = home;
  const size_t local_before = number.size();
  const std::vector<int> apart = number_complete(), owner = find_owners(apart);
  number_straddling(apart, owner);
  first.push_back((int)tag.size());
  std::vector<int> owner_of(atom->nlocal, comm->me);
  for (size_t k = 0; k < apart.size(); k++) owner_of[apart[k]] = owner[k];
  collect(owner_of);
  if (alone) order.assign(atom->tag, atom->tag + atom->nlocal);
  return tag != before || (alone && (home != home_before || number.size() != local_before));
}

} // namespace rattle_any
