/* Bonds, angles and labels that are constrained. layout.cpp deals them out to ranks. */
#include "clusters.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "atom.h"
#include "comm.h"
#include "error.h"
#include "force.h"

using namespace LAMMPS_NS;

namespace rattle_any {

clusters::clusters(LAMMPS *lmp, const criteria &given, int group) : Pointers(lmp), which(given), groupbit(group) {}

/* The local number of an atom that this rank owns, or -1. */
int clusters::own(tagint tag) const {
  const int i = atom->map(tag);
  return i < atom->nlocal ? i : -1;
}

double clusters::mass_of(int local) const {
  return atom->rmass ? atom->rmass[local] : atom->mass[atom->type[local]];
}

void clusters::missing(tagint tag, tagint other) const {
  error->one(FLERR, "Fix rattle/any: atom " + std::to_string(tag) + " is missing, which a bond connects with atom " +
                        std::to_string(other) + ": it was deleted, or has left the box");
  std::abort(); /* not reached: error->one is not declared so in every version */
}

bool clusters::light(double mass) const {
  const double nearly = 0.1; /* as in fix shake */
  for (double m : which.mass)
    if (std::fabs(m - mass) <= nearly) return true;
  return false;
}

bool clusters::chosen(int type, int type_i, double mass_i, int type_j, double mass_j) const {
  return which.bond[type] || which.type[type_i] || which.type[type_j] || light(mass_i) || light(mass_j);
}

/* Records of the atoms of other ranks that bonds of this rank name. */
std::unordered_map<tagint, record> clusters::find_partners() {
  std::vector<record> entered;
  std::vector<tagint> wanted;
  if (comm->nprocs == 1) return {};
  for (int i = 0; i < atom->nlocal; i++) {
    entered.push_back({atom->tag[i], comm->me, atom->type[i], atom->mask[i], mass_of(i)});
    for (int m = 0; m < atom->num_bond[i]; m++)
      if (own(atom->bond_atom[i][m]) < 0) wanted.push_back(atom->bond_atom[i][m]);
  }
  return look_up(world, entered, wanted);
}

/* The links of all atoms of this rank, and the types of bonds: negative where they are
 * constrained. */
void clusters::find_bonds() {
  const std::unordered_map<tagint, record> partner = find_partners();
  const int newton = force->newton_bond;
  mail out(comm->nprocs);
  links.clear();
  for (int i = 0; i < atom->nlocal; i++) {
    for (int m = 0; m < atom->num_bond[i]; m++) {
      int &type = atom->bond_type[i][m];
      if (type == 0) continue;
      const tagint tag = atom->bond_atom[i][m];
      const int j = own(tag), kind = std::abs(type);
      record other;
      if (j >= 0) {
        other = {tag, comm->me, atom->type[j], atom->mask[j], mass_of(j)};
      } else {
        const auto at = partner.find(tag);
        if (at == partner.end()) missing(tag, atom->tag[i]);
        other = at->second;
      }
      const bool constrained =
          (atom->mask[i] & other.mask & groupbit) && chosen(kind, atom->type[i], mass_of(i), other.type, other.mass);
      type = constrained ? -kind : kind;
      if (!constrained) continue;
      links.push_back({i, tag, j, other.rank});
      if (newton && j >= 0) links.push_back({j, atom->tag[i], i, comm->me});
      if (newton && j < 0) out[other.rank].insert(out[other.rank].end(), {(double)tag, (double)atom->tag[i]});
    }
  }
  const mail in = trade(world, out);
  for (int r = 0; r < comm->nprocs; r++)
    for (size_t k = 0; k < in[r].size(); k += 2) links.push_back({own((tagint)in[r][k]), (tagint)in[r][k + 1], -1, r});
  std::sort(links.begin(), links.end(), [](const link &a, const link &b) { return a.i != b.i ? a.i < b.i : a.other < b.other; });
}

/* An angle is constrained where both its bonds are. Its atom knows it alone: newton bond is on
 * where there are any. */
void clusters::find_angles() {
  const auto linked = [this](int i, tagint tag) {
    const auto before = [](const link &a, const link &b) { return a.i != b.i ? a.i < b.i : a.other < b.other; };
    return std::binary_search(links.begin(), links.end(), link{i, tag, 0, 0}, before);
  };
  for (int i = 0; atom->num_angle && i < atom->nlocal; i++)
    for (int m = 0; m < atom->num_angle[i]; m++) {
      int &type = atom->angle_type[i][m];
      const int kind = std::abs(type);
      const bool constrained =
          kind && which.angle[kind] && linked(i, atom->angle_atom1[i][m]) && linked(i, atom->angle_atom3[i][m]);
      type = constrained ? -kind : kind;
    }
}

/* The lowest tag of each cluster: in this rank by joining sets, then by telling neighbours until
 * nothing changes. */
void clusters::find_labels() {
  std::vector<int> parent(atom->nlocal);
  const auto root = [&parent](int i) {
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
  };
  label.assign(atom->nmax, 0), size.assign(atom->nmax, 0);
  for (int i = 0; i < atom->nlocal; i++) parent[i] = i;
  for (const link &l : links) {
    label[l.i] = 1;
    if (l.local < 0) continue;
    int a = root(l.i), b = root(l.local);
    if (a == b) continue;
    if (atom->tag[a] > atom->tag[b]) std::swap(a, b);
    parent[b] = a;
  }
  std::vector<tagint> lowest(atom->nlocal), told(atom->nlocal, 0);
  for (int i = 0; i < atom->nlocal; i++) lowest[i] = atom->tag[root(i)];
  for (int changed = comm->nprocs > 1; changed;) {
    mail out(comm->nprocs);
    for (const link &l : links) {
      if (l.local >= 0 || told[l.i] == lowest[root(l.i)]) continue;
      out[l.rank].insert(out[l.rank].end(), {(double)l.other, (double)lowest[root(l.i)]});
    }
    for (const link &l : links)
      if (l.local < 0) told[l.i] = lowest[root(l.i)];
    int lower = 0;
    for (const std::vector<double> &part : trade(world, out))
      for (size_t k = 0; k < part.size(); k += 2) {
        tagint &here = lowest[root(own((tagint)part[k]))];
        if ((tagint)part[k + 1] < here) here = (tagint)part[k + 1], lower = 1;
      }
    MPI_Allreduce(&lower, &changed, 1, MPI_INT, MPI_MAX, world);
  }
  for (int i = 0; i < atom->nlocal; i++)
    if (label[i]) label[i] = lowest[root(i)];
}

/* How many atoms each cluster has: counted by the rank of its lowest tag. */
void clusters::find_sizes() {
  std::unordered_map<tagint, int> count;
  std::vector<record> entered;
  std::vector<tagint> wanted;
  for (int i = 0; i < atom->nlocal; i++)
    if (label[i]) count[label[i]]++;
  for (const auto &c : count) {
    if (own(c.first) < 0)
      wanted.push_back(c.first);
    else
      entered.push_back({c.first, comm->me, 0, 0, 0});
  }
  mail out(comm->nprocs), answer(comm->nprocs);
  for (const auto &w : look_up(world, entered, wanted))
    out[w.second.rank].insert(out[w.second.rank].end(), {(double)w.first, (double)count[w.first]});
  const mail in = trade(world, out);
  for (const std::vector<double> &part : in)
    for (size_t k = 0; k < part.size(); k += 2) count[(tagint)part[k]] += (int)part[k + 1];
  for (int r = 0; r < comm->nprocs; r++)
    for (size_t k = 0; k < in[r].size(); k += 2) answer[r].insert(answer[r].end(), {in[r][k], (double)count[(tagint)in[r][k]]});
  for (const std::vector<double> &part : trade(world, answer))
    for (size_t k = 0; k < part.size(); k += 2) count[(tagint)part[k]] = (int)part[k + 1];
  for (int i = 0; i < atom->nlocal; i++)
    if (label[i]) size[i] = count[label[i]];
}

void clusters::find() {
  order.clear();
  find_bonds();
  find_angles();
  find_labels();
  find_sizes();
  links.clear();
}

void clusters::release() {
  for (int i = 0; i < atom->nlocal; i++) {
    for (int m = 0; m < atom->num_bond[i]; m++) atom->bond_type[i][m] = std::abs(atom->bond_type[i][m]);
    for (int m = 0; atom->num_angle && m < atom->num_angle[i]; m++) atom->angle_type[i][m] = std::abs(atom->angle_type[i][m]);
  }
}

} // namespace rattle_any
