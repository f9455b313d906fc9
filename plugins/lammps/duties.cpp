/* Duties of the fix to other parts of LAMMPS: virial, degrees of freedom, minimisation, statistics,
 * output, atoms that move to other ranks. */
#include "fix_rattle_any.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>

#include "atom.h"
#include "comm.h"
#include "domain.h"
#include "force.h"
#include "group.h"
#include "memory.h"
#include "update.h"

using namespace LAMMPS_NS;

namespace rattle_any {

/* --- virial -------------------------------------------------------------------------------------------------------------------- */

/* A tree of bonds that reaches all atoms of each cluster. */
void fix::find_tree() {
  const size_t atoms = what->tag.size();
  std::vector<int> begin(atoms + 2, 0), other(2 * what->bonds.size());
  std::vector<char> seen(atoms, 0);
  for (const bond &b : what->bonds) begin[b.i + 2]++, begin[b.j + 2]++;
  for (size_t a = 2; a < begin.size(); a++) begin[a] += begin[a - 1];
  for (const bond &b : what->bonds) other[begin[b.i + 1]++] = b.j, other[begin[b.j + 1]++] = b.i;
  tree.clear();
  for (size_t c = 0; c + 1 < what->first.size(); c++) {
    size_t next = tree.size();
    seen[what->first[c]] = 1;
    for (int from = what->first[c];; from = tree[next++].first) {
      for (int e = begin[from]; e < begin[from + 1]; e++) {
        if (seen[other[e]]) continue;
        seen[other[e]] = 1;
        tree.push_back({other[e], from});
      }
      if (next == tree.size()) break;
    }
  }
}

/* r by nearest images, as LAMMPS's versions have it: since 2025 with the place of the call. */
template <class Domain> static auto nearest(Domain *domain, double *r, int) -> decltype(domain->minimum_image(FLERR, r[0], r[1], r[2])) {
  domain->minimum_image(FLERR, r[0], r[1], r[2]);
}
template <class Domain> static void nearest(Domain *domain, double *r, long) {
  domain->minimum_image(r[0], r[1], r[2]);
}

/* at_i - at_j by nearest images, by the numbers of clusters. */
void fix::apart(const std::vector<double> &at, int i, int j, double *r) const {
  for (int d = 0; d < 3; d++) r[d] = at[3 * place(i) + d] - at[3 * place(j) + d];
  nearest(domain, r, 0);
}

/* Forces on the atoms of a cluster have the sum 0, so sum x f is the sum over the tree of a bond's
 * vector and of all forces beyond it. Half of it belongs to each of its atoms. */
void fix::tally(const std::vector<double> &force_on) {
  std::vector<double> beyond = force_on, share(vflag_atom ? 6 * what->tag.size() : 0, 0.0);
  for (size_t k = tree.size(); k-- > 0;) {
    const int i = tree[k].first, j = tree[k].second;
    const double *f = beyond.data() + 3 * place(i);
    double r[3];
    apart(x0, i, j, r);
    const double part[6] = {r[0] * f[0],
                            r[1] * f[1],
                            r[2] * f[2],
                            0.5 * (r[0] * f[1] + r[1] * f[0]),
                            0.5 * (r[0] * f[2] + r[2] * f[0]),
                            0.5 * (r[1] * f[2] + r[2] * f[1])};
    for (int e = 0; e < 6 && vflag_global; e++) virial[e] += part[e];
    for (int e = 0; e < 6 && vflag_atom; e++) share[6 * i + e] += 0.5 * part[e], share[6 * j + e] += 0.5 * part[e];
    for (int d = 0; d < 3; d++) beyond[3 * place(j) + d] += f[d];
  }
  if (!vflag_atom) return;
  const auto take = [this](int i, const double *at) {
    for (int e = 0; e < 6; e++) vatom[i][e] += at[e];
  };
  for (size_t c = 0; c < what->home.size(); c++)
    if (what->home[c] >= 0) take(what->home[c], share.data() + 6 * c);
  what->travel.back(
      world, 6, [&share](int c, double *at) { std::copy_n(share.data() + 6 * c, 6, at); }, take);
}

/* --- degrees of freedom -------------------------------------------------------------------------------------------------------- */

/* How many each side takes. */
std::vector<double> fix::taken() {
  std::vector<double> result(sides.size(), 1.0);
  if (bonds) rattle_bonds_taken(bonds, result.data());
  return result;
}

/* A constraint takes its share from its atoms, by their inverse masses where the group has only one
 * of them. */
degrees fix::dof(int of) {
  if (update->whichflag == 0) lay_out(true);
  const int bit = group->bitmask[of];
  std::vector<double> in(what->tag.size());
  for (size_t c = 0; c < in.size(); c++)
    if (what->home[c] >= 0) in[c] = (atom->mask[what->home[c]] & bit) != 0;
  what->travel.forward(
      world, 1, [this, bit](int i, double *at) { *at = (atom->mask[i] & bit) != 0; },
      [&in](int c, const double *at) { in[c] = *at; });
  double mine = 0, all;
  resolve();
  const std::vector<double> share = taken();
  for (size_t k = 0; k < sides.size(); k++) {
    const int i = sides[k].i, j = sides[k].j;
    const double a = 1 / what->mass[i], b = 1 / what->mass[j];
    mine += share[k] * (in[i] * a + in[j] * b) / (a + b);
  }
  MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, world);
  return (degrees)std::llround(all);
}

/* --- minimisation --------------------------------------------------------------------------------------------------------------- */

void fix::min_setup(int vflag) {
  std::fill_n(&force_of[0][0], 3 * (size_t)atom->nmax, 0.0);
  min_post_force(vflag);
}

/* Springs of the energy k (r - d)^2 in place of constraints. */
void fix::min_post_force(int vflag) {
  gather_positions(x0);
  std::fill(w.begin(), w.end(), 0.0);
  restraint = 0;
  for (size_t k = 0; k < sides.size(); k++) {
    const int i = sides[k].i, j = sides[k].j;
    double r[3];
    apart(x0, i, j, r);
    const double now = std::sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2]), off = now - length[k];
    restraint += stiffness * off * off;
    for (int d = 0; d < 3; d++) {
      const double f = -2 * stiffness * off * r[d] / now;
      w[3 * place(i) + d] += f, w[3 * place(j) + d] -= f;
    }
  }
  double **const f = atom->f;
  const auto take = [this, f](int i, const double *at) {
    for (int d = 0; d < 3; d++) f[i][d] += at[d], force_of[i][d] = at[d];
  };
  each_own([this, take](int at, int i) { take(i, w.data() + 3 * at); });
  what->travel.back(
      world, 3, [this](int c, double *at) { std::copy_n(w.data() + 3 * c, 3, at); }, take);
  v_init(vflag);
  if (evflag) tally(w);
}

/* The energy of the springs; 0 in dynamics, where constraints do no work. */
double fix::compute_scalar() {
  double all;
  MPI_Allreduce(&restraint, &all, 1, MPI_DOUBLE, MPI_SUM, world);
  return all;
}

/* --- statistics ----------------------------------------------------------------------------------------------------------------- */

double fix::largest_error() {
  double mine = 0;
  gather_positions(x);
  for (size_t k = 0; k < sides.size(); k++) {
    double r[3];
    apart(x, sides[k].i, sides[k].j, r);
    mine = std::fmax(mine, std::fabs(std::sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2]) / length[k] - 1));
  }
  return mine;
}

double fix::largest_rate() {
  double mine = 0;
  gather_positions(x);
  gather_velocities(0);
  for (size_t k = 0; k < sides.size(); k++) {
    const int i = place(sides[k].i), j = place(sides[k].j);
    double r[3], rate = 0, speed = 0;
    apart(x, sides[k].i, sides[k].j, r);
    for (int d = 0; d < 3; d++) {
      rate += r[d] * (v[3 * i + d] - v[3 * j + d]);
      speed += v[3 * i + d] * v[3 * i + d] + v[3 * j + d] * v[3 * j + d];
    }
    if (speed > 0) mine = std::fmax(mine, std::fabs(rate) / (length[k] * std::sqrt(speed)));
  }
  return mine;
}

/* The largest relative error of a length, and of its rate. */
double fix::compute_vector(int which) {
  double mine = which == 0 ? largest_error() : largest_rate(), all;
  MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_MAX, world);
  return all;
}

void fix::end_of_step() {
  const int types = atom->nbondtypes + atom->nangletypes + 1;
  std::vector<double> count(types, 0), sum(types, 0), low(types, 1e300), high(types, -1e300);
  gather_positions(x);
  for (const bond &b : sides) {
    const int k = b.type > 0 ? b.type : atom->nbondtypes - b.type;
    double r[3];
    apart(x, b.i, b.j, r);
    const double now = std::sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2]);
    count[k]++, sum[k] += now;
    low[k] = std::fmin(low[k], now), high[k] = std::fmax(high[k], now);
  }
  MPI_Allreduce(MPI_IN_PLACE, count.data(), types, MPI_DOUBLE, MPI_SUM, world);
  MPI_Allreduce(MPI_IN_PLACE, sum.data(), types, MPI_DOUBLE, MPI_SUM, world);
  MPI_Allreduce(MPI_IN_PLACE, low.data(), types, MPI_DOUBLE, MPI_MIN, world);
  MPI_Allreduce(MPI_IN_PLACE, high.data(), types, MPI_DOUBLE, MPI_MAX, world);
  if (comm->me != 0) return;
  std::string text = "Rattle/any stats at step " + std::to_string(update->ntimestep) +
                     ": type, number, smallest, mean and largest length (angles: third side)\n";
  for (int k = 1; k < types; k++) {
    if (count[k] == 0) continue;
    char line[160];
    std::snprintf(line, sizeof line, "  %s %d %.0f %.12g %.12g %.12g\n", k <= atom->nbondtypes ? "bond" : "angle",
                  k <= atom->nbondtypes ? k : k - atom->nbondtypes, count[k], low[k], sum[k] / count[k], high[k]);
    text += line;
  }
  utils::logmesg(lmp, text);
}

/* --- atoms that come and go ----------------------------------------------------------------------------------------------------- */

void fix::grow_arrays(int room) {
  what->label.resize(room, 0), what->size.resize(room, 0);
  memory->grow(force_of, room, 3, "rattle/any:force_of");
  array_atom = force_of;
}

void fix::copy_arrays(int from, int to, int) {
  what->label[to] = what->label[from], what->size[to] = what->size[from];
  std::copy_n(force_of[from], 3, force_of[to]);
}

void fix::set_arrays(int local) {
  what->label[local] = 0, what->size[local] = 0;
  std::fill_n(force_of[local], 3, 0.0);
  added = true;
}

int fix::pack_exchange(int local, double *buffer) {
  buffer[0] = ubuf((int64_t)what->label[local]).d, buffer[1] = ubuf(what->size[local]).d;
  std::copy_n(force_of[local], 3, buffer + 2);
  return 5;
}

int fix::unpack_exchange(int local, double *buffer) {
  what->label[local] = (tagint)ubuf(buffer[0]).i, what->size[local] = (int)ubuf(buffer[1]).i;
  std::copy_n(buffer + 2, 3, force_of[local]);
  return 5;
}

double fix::memory_usage() {
  const double atoms = (double)what->tag.size();
  return atoms * (12 * sizeof(double) + 2 * sizeof(int)) + (double)sides.size() * (sizeof(bond) + sizeof(double)) +
         (double)atom->nmax * (3 * sizeof(double) + 2 * sizeof(int)) + what->travel.bytes();
}

} // namespace rattle_any
