/* Which bonds and angles are constrained, the clusters of atoms that they connect, and who solves
 * them.
 *
 * Clusters are found from the bonds of all ranks: each atom then has the lowest tag of its cluster
 * as `label`, and how many atoms that has, and takes both along when it moves to another rank. A
 * cluster is solved by the rank that owns its lowest tag; the others send it their atoms in each
 * step. Nothing depends on ghost atoms. */
#ifndef RATTLE_LAMMPS_CLUSTERS_H
#define RATTLE_LAMMPS_CLUSTERS_H
#include <string>
#include <vector>

#include "mail.h"
#include "pointers.h"

namespace rattle_any {

/* Atoms and bonds named by the keywords b, a, t and m. */
struct criteria {
  std::vector<char> bond, angle, type; /* by their types, from 1 on */
  std::vector<double> mass;
};

struct bond {
  int i, j, type;
};
struct corner { /* an angle: its atom is j */
  int i, j, k, type;
};

class clusters : protected LAMMPS_NS::Pointers {
public:
  clusters(LAMMPS_NS::LAMMPS *lmp, const criteria &which, int groupbit);

  /* Finds bonds, angles and clusters anew; marks bonds and angles by negative types, which take
   * their forces away. Collective. */
  void find();
  /* Numbers the atoms that this rank solves and says who sends what to whom. True if these are
   * other atoms than before, or on one rank have other local numbers. Collective. */
  bool lay_out();
  /* masses.cpp: hydrogens, atoms of types with 1, get the mass `to` from the atoms that they are
   * bonded to. Collective. */
  void repartition(double to, const std::vector<char> &hydrogen);
  /* Gives bonds and angles of this rank their forces again. */
  void release();

  /* by local number of atoms */
  std::vector<tagint> label; /* 0: in no cluster */
  std::vector<int> size;

  /* what this rank solves, by numbers from 0 on: a cluster's atoms follow one another by tags */
  std::vector<tagint> tag;
  std::vector<int> home; /* local number; -1: an atom of another rank */
  std::vector<double> mass;
  std::vector<int> first; /* atom of each cluster, and how many atoms there are */
  std::vector<bond> bonds;
  std::vector<corner> corners;
  traffic travel;

  double mass_of(int local) const;

private:
  struct link { /* a constrained bond as its end i sees it */
    int i;
    tagint other;
    int local, rank; /* of the other: its local number, or -1 and where it is */
  };
  criteria which;
  int groupbit;
  std::vector<link> links;
  std::vector<tagint>
      order; /* on one rank: tags by local numbers, when it was laid out last; empty: anew */
  std::vector<int> number;                   /* of a local atom among those that are solved here */
  std::unordered_map<tagint, int> straddler; /* the same of atoms in clusters that straddle ranks */

  int own(tagint tag) const;
  bool chosen(int type, int type_i, double mass_i, int type_j, double mass_j) const;
  bool light(double mass) const;
  std::unordered_map<tagint, record> find_partners();
  std::vector<double> gifts(double to, const std::vector<char> &hydrogen);
  void find_bonds();
  void find_angles();
  void find_labels();
  void find_sizes();
  std::vector<int> number_complete();
  std::vector<int> find_owners(const std::vector<int> &apart);
  void number_straddling(const std::vector<int> &apart, const std::vector<int> &owner);
  void collect(const std::vector<int> &owner_of);
  int solved(tagint wanted, tagint other) const;
  [[noreturn]] void missing(tagint tag, tagint other) const;
};

} // namespace rattle_any

#endif
