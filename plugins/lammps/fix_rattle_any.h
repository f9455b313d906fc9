/* fix ID group rattle/any tol iter N keyword values: bond lengths and angles of any topology held
 * by RATTLE.
 *
 * The position stage is in post_integrate: it corrects the positions that the integrator has made,
 * whatever integrator that is. The velocity stage is in post_force: it makes the velocities that
 * the second half of the step will give keep all lengths, before thermostats and barostats measure
 * them. Its forces are the constraint forces of virial and output. */
#ifndef RATTLE_LAMMPS_FIX_RATTLE_ANY_H
#define RATTLE_LAMMPS_FIX_RATTLE_ANY_H
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "fix.h"

#include "clusters.h"
#include "rattle/bonds.h"

namespace rattle_any {

using LAMMPS_NS::bigint;

typedef decltype(std::declval<LAMMPS_NS::Fix>().dof(0)) degrees; /* int, or bigint since 2023 */

class fix : public LAMMPS_NS::Fix {
public:
  fix(LAMMPS_NS::LAMMPS *lmp, int count, char **word);
  ~fix() override;

  int setmask() override;
  void init() override;
  void setup_pre_neighbor() override;
  void setup(int vflag) override;
  void min_setup(int vflag) override;
  void pre_neighbor() override;
  void min_pre_neighbor() override { pre_neighbor(); }
  void post_integrate() override;
  void post_force(int vflag) override;
  void min_post_force(int vflag) override;
  void end_of_step() override;
  void post_run() override;
  degrees dof(int group) override;
  double compute_scalar() override;
  double compute_vector(int which) override;
  double memory_usage() override;

  void grow_arrays(int room) override;
  void copy_arrays(int from, int to, int gone) override;
  void set_arrays(int local) override;
  int pack_exchange(int local, double *buffer) override;
  int unpack_exchange(int local, double *buffer) override;

private:
  std::unique_ptr<clusters> what;
  rattle_bonds *bonds = nullptr;
  std::vector<bond> sides; /* bonds, then the third sides of angles; type: below 0 for those */
  std::vector<double> length;
  std::vector<std::pair<int, int>> tree; /* atom and the one before it in its cluster, outwards */
  /* One rank has whole clusters: librattle then works on LAMMPS's arrays, and what follows is by
   * local numbers of atoms. Otherwise it is by the numbers of clusters. */
  bool direct = false;
  std::vector<double> x0, x, v, w;   /* x y z; x0: at the start of the step */
  std::vector<double> mass, inverse; /* 1 for atoms in no cluster */
  double x0_box[9] = {};             /* box in which they were: its low corner and h */
  double tolerance = 0, stiffness = 0, restraint = 0, hydrogen_mass = 0;
  std::vector<char> hydrogen; /* by types of atoms */
  bool added = false;         /* atoms that no cluster knows */
  bool stored = true;         /* forces are there in each step, for output */
  double **force_of = nullptr;

  void read_words(int count, char **word, criteria &which);
  int read_types(int count, char **word, int at, int types, const char *what,
                 std::vector<char> &chosen);
  void refuse(const std::string &text) const;
  void resolve();
  void make_lengths();
  void explain(const rattle_error &error) const;
  void check_moved() const;
  void put_right();
  void lay_out(bool anew);
  void gather_positions(std::vector<double> &to);
  void gather_velocities(double of_force);
  void move_reference();
  rattle_bonds_box box() const;
  void check(rattle_status status, const rattle_error &error) const;
  template <class Change> void spread(int vflag, double factor, Change change);
  void correct_velocities(int vflag, double half);
  void correct_in_place(int vflag, double half);
  void weigh();
  int place(int c) const { return direct ? what->home[c] : c; }
  /* work(place, local number) for atoms of this rank. */
  template <class Work> void each_own(Work work) const {
    const int *home = what->home.data(), n = direct ? (int)mass.size() : (int)what->home.size();
    for (int k = 0; k < n; k++)
      if (direct || home[k] >= 0) work(k, direct ? k : home[k]);
  }
  void tally(const std::vector<double> &force);
  void find_tree();
  void apart(const std::vector<double> &at, int i, int j, double *r) const;
  std::vector<double> taken();
  double largest_error();
  double largest_rate();
};

} // namespace rattle_any

#endif
