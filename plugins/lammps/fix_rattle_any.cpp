#include "fix_rattle_any.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "angle.h"
#include "atom.h"
#include "bond.h"
#include "comm.h"
#include "domain.h"
#include "error.h"
#include "force.h"
#include "group.h"
#include "memory.h"
#include "modify.h"
#include "update.h"

using namespace LAMMPS_NS;

namespace rattle_any {

/* All ranks find the same wrong. */
void fix::refuse(const std::string &text) const {
  error->all(FLERR, text);
}

/* --- the command --------------------------------------------------------------------------------------------------------------- */

fix::fix(LAMMPS *lmp, int count, char **word) : Fix(lmp, count, word) {
  if (count < 8)
    refuse("Illegal fix rattle/any command: fix ID group rattle/any tol iter N, then b, a, t or m with their values");
  if (atom->molecular != Atom::MOLECULAR || !atom->tag_enable || atom->map_style == 0)
    refuse("Fix rattle/any needs bonds stored with atoms: an atom_style such as bond, angle, molecular or full");
  tolerance = utils::numeric(FLERR, word[3], false, lmp);
  if (!(tolerance >= 1e-15 && tolerance < 0.1)) refuse("Fix rattle/any: tol is a relative error of lengths, from 1e-15 to 0.1");
  if (utils::inumeric(FLERR, word[4], false, lmp) < 1) refuse("Fix rattle/any: iter is at least 1");
  nevery = utils::inumeric(FLERR, word[5], false, lmp);
  if (nevery < 0) refuse("Fix rattle/any: N is 0, or statistics come every N steps");
  stiffness = 1e6 * force->boltz;
  criteria which;
  read_words(count, word, which);

  virial_global_flag = virial_peratom_flag = thermo_virial = 1;
  energy_global_flag = thermo_energy = 1;
  dof_flag = create_attribute = 1;
  scalar_flag = vector_flag = 1;
  size_vector = 2;
  global_freq = peratom_freq = 1;
  extscalar = 1, extvector = 0;
  peratom_flag = stored, size_peratom_cols = stored ? 3 : 0;
  maxexchange = 5;
  /* read by fixes that come before this one, in their setup */
  std::fill_n(virial, 6, 0.0);

  what.reset(new clusters(lmp, which, groupbit));
  if (hydrogen_mass > 0) what->repartition(hydrogen_mass, hydrogen);
  grow_arrays(atom->nmax);
  std::fill_n(&force_of[0][0], 3 * (size_t)atom->nmax, 0.0);
  atom->add_callback(Atom::GROW);
  lay_out(true);
  bigint mine[2] = {(bigint)what->bonds.size(), (bigint)what->corners.size()}, all[2];
  MPI_Allreduce(mine, all, 2, MPI_LMP_BIGINT, MPI_SUM, world);
  if (comm->me == 0)
    utils::logmesg(lmp, "Fix rattle/any: " + std::to_string(all[0]) + " bonds and " + std::to_string(all[1]) +
                            " angles are constrained\n");
}

fix::~fix() {
  atom->delete_callback(id, Atom::GROW);
  if (what) what->release();
  rattle_bonds_destroy(&bonds);
  memory->destroy(force_of);
}

/* The types from word[at] on; returns the first word that is none. */
int fix::read_types(int count, char **word, int at, int types, const char *of, std::vector<char> &chosen) {
  const int from = at;
  for (; at < count && std::strspn(word[at], "0123456789*") == std::strlen(word[at]); at++) {
    int low, high;
    utils::bounds(FLERR, word[at], 1, types, low, high, error);
    for (int k = low; k <= high; k++) chosen[k] = 1;
  }
  if (at == from) refuse(std::string("Fix rattle/any: no ") + of + " types after " + word[from - 1]);
  return at;
}

void fix::read_words(int count, char **word, criteria &which) {
  which.bond.assign(atom->nbondtypes + 1, 0);
  which.angle.assign(atom->nangletypes + 1, 0);
  which.type.assign(atom->ntypes + 1, 0);
  for (int at = 6; at < count;) {
    const std::string key = word[at++];
    if (key == "b") {
      at = read_types(count, word, at, atom->nbondtypes, "bond", which.bond);
    } else if (key == "a") {
      at = read_types(count, word, at, atom->nangletypes, "angle", which.angle);
      if (!force->newton_bond) refuse("Fix rattle/any: constrained angles need newton bond on");
    } else if (key == "t") {
      at = read_types(count, word, at, atom->ntypes, "atom", which.type);
    } else if (key == "m") {
      const int from = at;
      for (; at < count && (std::isdigit(word[at][0]) || word[at][0] == '.'); at++)
        which.mass.push_back(utils::numeric(FLERR, word[at], false, lmp));
      if (at == from) refuse("Fix rattle/any: no masses after m");
    } else if (key == "hmass" && at < count) {
      hydrogen_mass = utils::numeric(FLERR, word[at++], false, lmp);
      if (!(hydrogen_mass > 0)) refuse("Fix rattle/any: hmass is the mass of hydrogens, above 0, and their types");
      hydrogen.assign(atom->ntypes + 1, 0);
      at = read_types(count, word, at, atom->ntypes, "atom", hydrogen);
    } else if (key == "mol" && at < count) {
      at++; /* molecules that other fixes insert are found by their bonds */
    } else if (key == "kbond" && at < count) {
      stiffness = utils::numeric(FLERR, word[at++], false, lmp);
      if (!(stiffness > 0)) refuse("Fix rattle/any: kbond is above 0");
    } else if (key == "store" && at < count) {
      const std::string how = word[at++];
      if (how != "yes" && how != "no") refuse("Fix rattle/any: store is yes or no, not " + how);
      stored = how == "yes";
    } else {
      refuse("Fix rattle/any: the keyword " + key + " is none of b, a, t, m, hmass, mol, kbond and store, or has no value");
    }
  }
}

int fix::setmask() {
  using namespace FixConst;
  return PRE_NEIGHBOR | POST_INTEGRATE | POST_FORCE | MIN_PRE_NEIGHBOR | MIN_POST_FORCE | (nevery ? END_OF_STEP : 0);
}

void fix::init() {
  bool after = false;
  if (std::strstr(update->integrate_style, "respa")) refuse("Fix rattle/any works with run_style verlet, not with respa");
  if (!force->bond) refuse("Fix rattle/any takes lengths from bond_coeff: there is no bond_style");
  if (domain->deform_flag && domain->deform_vremap)
    refuse("Fix rattle/any does not work with fix deform remap v, where velocities depend on the image of an atom");
  for (int k = 0; k < modify->nfix; k++) {
    Fix *other = modify->fix[k];
    const bool alike = utils::strmatch(other->style, "^shake") || utils::strmatch(other->style, "^rattle");
    if (other != this && alike) refuse("Fix rattle/any and a further fix shake or rattle cannot be used together");
    if (after && (modify->fmask[k] & FixConst::POST_FORCE) && comm->me == 0)
      error->warning(FLERR, std::string("Fix rattle/any comes before fix ") + other->id +
                                ": if that adds forces, define it first, or velocities do not keep the lengths");
    after |= other == this;
  }
}

/* --- where atoms are ----------------------------------------------------------------------------------------------------------- */

void fix::lay_out(bool anew) {
  int mine = added || anew, any;
  MPI_Allreduce(&mine, &any, 1, MPI_INT, MPI_MAX, world);
  if (any) what->find();
  added = false;
  if (!what->lay_out() && !any) return;
  sides.clear(), length.clear(), tree.clear();
  rattle_bonds_destroy(&bonds);
  direct = comm->nprocs == 1;
  const size_t room = direct ? atom->nlocal : what->tag.size();
  x0.assign(3 * room, 0.0), x.assign(3 * room, 0.0), v.assign(3 * room, 0.0), w.assign(3 * room, 0.0), mass.assign(room, 1.0);
  for (size_t c = 0; c < what->tag.size(); c++) mass[place((int)c)] = what->mass[c];
  inverse.resize(room);
  for (size_t c = 0; c < room; c++) inverse[c] = 1 / mass[c];
}

/* Bonds and sides of angles, with their lengths by the styles of the input. */
void fix::make_lengths() {
  sides = what->bonds;
  length.clear();
  for (const bond &b : sides) length.push_back(force->bond->equilibrium_distance(b.type));
  if (!what->corners.empty() && !force->angle)
    error->one(FLERR, std::string("Fix rattle/any takes angles from angle_coeff: there is no angle_style"));
  const auto between = [this](int i, int j) {
    const std::vector<bond> &all = what->bonds;
    for (int turn = 0; turn < 2; turn++, std::swap(i, j)) {
      const auto before = [](const bond &a, const bond &b) { return a.i != b.i ? a.i < b.i : a.j < b.j; };
      const auto found = std::lower_bound(all.begin(), all.end(), bond{i, j, 0}, before);
      if (found != all.end() && found->i == i && found->j == j) return force->bond->equilibrium_distance(found->type);
    }
    return 0.0; /* not reached: an angle is constrained where both bonds are */
  };
  for (const corner &c : what->corners) {
    const double a = between(c.i, c.j), b = between(c.j, c.k), angle = force->angle->equilibrium_angle(c.type);
    sides.push_back({c.i, c.k, -c.type});
    length.push_back(std::sqrt(a * a + b * b - 2 * a * b * std::cos(angle)));
  }
}

/* Says by tags what is wrong with a topology or with a step. */
void fix::explain(const rattle_error &wrong) const {
  std::string text = std::string("Fix rattle/any: ") + wrong.message;
  if (wrong.constraint >= 0 && wrong.constraint < (int)sides.size() &&
      (wrong.status == RATTLE_NOT_CONVERGED || wrong.status == RATTLE_SINGULAR)) {
    const bond &b = sides[wrong.constraint];
    text = "Fix rattle/any: at step " + std::to_string(update->ntimestep) + " the constraint of atoms " +
           std::to_string(what->tag[b.i]) + " and " + std::to_string(what->tag[b.j]) +
           (b.type < 0 ? ", the third side of an angle," : "") +
           (wrong.status == RATTLE_NOT_CONVERGED
                ? " could not be met: the step is too long, forces are too large, or constraints contradict or repeat one another"
                : " could not be kept by velocities: constraints repeat one another there");
  }
  if (wrong.status == RATTLE_BAD_ARGUMENT) {
    std::vector<std::pair<int, int>> seen;
    for (const bond &b : sides) seen.push_back(std::minmax(b.i, b.j));
    std::sort(seen.begin(), seen.end());
    for (size_t k = 1; k < seen.size(); k++)
      if (seen[k] == seen[k - 1])
        text = "Fix rattle/any: atoms " + std::to_string(what->tag[seen[k].first]) + " and " +
               std::to_string(what->tag[seen[k].second]) + " are constrained twice, by two bonds or by a bond and an angle";
    for (size_t k = 0; k < sides.size(); k++)
      if (!(length[k] > 0))
        text = "Fix rattle/any: the bond of atoms " + std::to_string(what->tag[sides[k].i]) + " and " +
               std::to_string(what->tag[sides[k].j]) + " has the length " + std::to_string(length[k]) + " by bond_coeff";
  }
  error->one(FLERR, text);
}

void fix::resolve() {
  if (bonds || what->tag.empty()) return;
  make_lengths();
  find_tree();
  std::vector<int> pairs;
  for (const bond &b : sides) pairs.push_back(place(b.i)), pairs.push_back(place(b.j));
  rattle_bonds_topology topology = {};
  topology.struct_size = sizeof topology;
  topology.atoms = (long long)mass.size(), topology.bonds = (long long)sides.size();
  topology.pairs = pairs.data(), topology.lengths = length.data(), topology.masses = mass.data();
  rattle_bonds_options options = {};
  options.struct_size = sizeof options;
  options.tolerance = tolerance;
  rattle_error wrong;
  if (rattle_bonds_create(&bonds, &topology, &options, &wrong)) explain(wrong);
}

/* An atom that no fix integrates would be moved by its constraints. */
void fix::check_moved() const {
  int integrated = 0;
  for (int k = 0; k < modify->nfix; k++)
    if (modify->fix[k]->time_integrate) integrated |= modify->fix[k]->groupbit;
  for (int i = 0; integrated && i < atom->nlocal; i++)
    if (what->label[i] && !(atom->mask[i] & integrated))
      error->one(FLERR, "Fix rattle/any: atom " + std::to_string(atom->tag[i]) + " is constrained, but no fix integrates it");
}

rattle_bonds_box fix::box() const {
  rattle_bonds_box b = {};
  const double *h = domain->h, far = 1e30;
  for (int d = 0; d < 3; d++) b.edge[d][d] = domain->periodicity[d] ? h[d] : far;
  if (!domain->triclinic) return b;
  if (domain->periodicity[1]) b.edge[1][0] = h[5];
  if (domain->periodicity[2]) b.edge[2][0] = h[4], b.edge[2][1] = h[3];
  return b;
}

/* --- stages -------------------------------------------------------------------------------------------------------------------- */

void fix::check(rattle_status status, const rattle_error &wrong) const {
  if (status) explain(wrong);
}

/* LAMMPS's arrays of atoms are one block each. */
void fix::gather_positions(std::vector<double> &to) {
  const double *const from = atom->nlocal ? atom->x[0] : nullptr;
  if (direct) {
    std::copy_n(from, to.size(), to.data());
    return;
  }
  const int *home = what->home.data(), n = (int)what->home.size();
  for (int c = 0; c < n; c++)
    if (home[c] >= 0)
      for (int d = 0; d < 3; d++) to[3 * c + d] = from[3 * home[c] + d];
  what->travel.forward(
      world, 3, [from](int i, double *out) { std::copy_n(from + 3 * i, 3, out); },
      [&to](int c, const double *in) { std::copy_n(in, 3, to.data() + 3 * c); });
}

/* v: velocities after of_force times the forces over masses have been added; w: the same, of atoms of other ranks. */
void fix::gather_velocities(double of_force) {
  const double *const from = atom->nlocal ? atom->v[0] : nullptr, *const f = atom->nlocal ? atom->f[0] : nullptr;
  const auto next = [from, f](int i, double by, double *to) {
    for (int d = 0; d < 3; d++) to[d] = from[3 * i + d] + by * f[3 * i + d];
  };
  weigh();
  double *const to = v.data();
  const double *const by = inverse.data();
  each_own([next, to, by, of_force](int at, int i) { next(i, of_force * by[at], to + 3 * at); });
  what->travel.forward(
      world, 3, [this, next, of_force](int i, double *out) { next(i, of_force / what->mass_of(i), out); },
      [this](int c, const double *in) { std::copy_n(in, 3, v.data() + 3 * c), std::copy_n(in, 3, w.data() + 3 * c); });
}

/* Masses of atoms of this rank may change in a run where each has its own. */
void fix::weigh() {
  if (!atom->rmass) return;
  each_own([this](int at, int i) { inverse[at] = 1 / atom->rmass[i]; });
}

/* A barostat may have changed the box since x0 was noted: its place in it stays. */
void fix::move_reference() {
  double now[9];
  std::copy(domain->boxlo, domain->boxlo + 3, now);
  std::copy(domain->h, domain->h + 6, now + 3);
  if (std::equal(now, now + 9, x0_box)) return;
  const double *o = x0_box + 3, *n = domain->h;
  for (size_t c = 0; c < x0.size(); c += 3) {
    double s[3], *r = x0.data() + c;
    for (int d = 0; d < 3; d++) s[d] = r[d] - x0_box[d];
    s[2] /= o[2];
    s[1] = (s[1] - o[3] * s[2]) / o[1];
    s[0] = (s[0] - o[4] * s[2] - o[5] * s[1]) / o[0];
    r[0] = n[0] * s[0] + n[5] * s[1] + n[4] * s[2] + now[0];
    r[1] = n[1] * s[1] + n[3] * s[2] + now[1];
    r[2] = n[2] * s[2] + now[2];
  }
}

void fix::post_integrate() {
  const double h = update->dt;
  rattle_error wrong;
  double *const at = atom->nlocal ? atom->x[0] : nullptr, *const rate = atom->nlocal ? atom->v[0] : nullptr;
  const rattle_bonds_box b = box();
  move_reference();
  if (direct) {
    if (bonds) check(rattle_bonds_positions(bonds, x0.data(), at, rate, h, &b, &wrong), wrong);
    return;
  }
  gather_positions(x);
  std::fill(w.begin(), w.end(), 0.0);
  if (bonds) check(rattle_bonds_positions(bonds, x0.data(), x.data(), w.data(), h, &b, &wrong), wrong);
  const auto take = [at, rate, h](int i, const double *in) {
    for (int d = 0; d < 3; d++) at[3 * i + d] += h * in[d], rate[3 * i + d] += in[d];
  };
  each_own([this, take](int c, int i) { take(i, w.data() + 3 * c); });
  what->travel.back(
      world, 3, [this](int c, double *out) { std::copy_n(w.data() + 3 * c, 3, out); }, take);
}

/* Changes of velocities, change(place, i, [3]) of an atom of this rank and w of the others: factor times them goes to the atoms, and as forces they go to
 * virial and output. */
template <class Change> void fix::spread(int vflag, double factor, Change change) {
  const double by = 1 / (0.5 * update->dt * force->ftm2v);
  double *const rate = atom->nlocal ? atom->v[0] : nullptr, *const held = force_of ? force_of[0] : nullptr;
  v_init(vflag);
  const double *const m = mass.data();
  each_own([m, change, rate, held, factor, by](int at, int i) {
    double moved[3];
    change(at, i, moved);
    for (int d = 0; d < 3; d++) rate[3 * i + d] += factor * moved[d], held[3 * i + d] = m[at] * by * moved[d];
  });
  what->travel.back(
      world, 3, [this](int c, double *out) { std::copy_n(w.data() + 3 * c, 3, out); },
      [this, rate, held, factor, by](int i, const double *in) {
        const double m = what->mass_of(i) * by;
        for (int d = 0; d < 3; d++) rate[3 * i + d] += factor * in[d], held[3 * i + d] = m * in[d];
      });
  if (!evflag) return;
  each_own([this, held](int at, int i) { std::copy_n(held + 3 * i, 3, w.data() + 3 * at); });
  for (size_t c = 0; c < what->home.size(); c++)
    for (int d = 0; d < 3 && what->home[c] < 0; d++) w[3 * c + d] *= mass[c] * by;
  tally(w);
}

/* The same, where librattle reads and changes LAMMPS's arrays in one pass. */
void fix::correct_in_place(int vflag, double half) {
  const rattle_bonds_box b = box();
  rattle_error wrong;
  rattle_bonds_half_step step = {};
  step.struct_size = sizeof step;
  step.f = atom->f[0], step.by = half, step.scale = 1 / (0.5 * update->dt * force->ftm2v);
  v_init(vflag);
  step.x0 = x0.data(), step.forces = stored || evflag ? force_of[0] : nullptr;
  check(rattle_bonds_velocities_ahead(bonds, atom->x[0], atom->v[0], &step, &b, &wrong), wrong);
  if (!evflag) return;
  std::copy_n(force_of[0], w.size(), w.data());
  tally(w);
}

/* The velocity stage after half a step of `half` times the forces over masses. */
void fix::correct_velocities(int vflag, double half) {
  rattle_error wrong;
  std::copy(domain->boxlo, domain->boxlo + 3, x0_box);
  std::copy(domain->h, domain->h + 6, x0_box + 3);
  if (bonds && direct && !atom->rmass) {
    correct_in_place(vflag, half);
    return;
  }
  gather_positions(x0);
  gather_velocities(half);
  const rattle_bonds_box b = box();
  if (bonds) check(rattle_bonds_velocities(bonds, x0.data(), v.data(), &b, &wrong), wrong);
  for (size_t c = 0; c < what->home.size(); c++)
    for (int d = 0; d < 3 && what->home[c] < 0; d++) w[3 * c + d] = v[3 * c + d] - w[3 * c + d];
  const double *const rate = atom->nlocal ? atom->v[0] : nullptr, *const f = atom->nlocal ? atom->f[0] : nullptr;
  const double *const kept = v.data(), *const by = inverse.data();
  spread(vflag, 1, [kept, by, rate, f, half](int at, int i, double *moved) {
    for (int d = 0; d < 3; d++) moved[d] = kept[3 * at + d] - (rate[3 * i + d] + half * by[at] * f[3 * i + d]);
  });
}

void fix::post_force(int vflag) {
  correct_velocities(vflag, 0.5 * update->dt * force->ftm2v);
}

/* --- before runs --------------------------------------------------------------------------------------------------------------- */

void fix::pre_neighbor() {
  lay_out(false);
  resolve();
}

/* Moves atoms along their bonds until lengths are right. */
void fix::put_right() {
  gather_positions(x0);
  x = x0;
  std::fill(w.begin(), w.end(), 0.0);
  rattle_error wrong;
  const rattle_bonds_box b = box();
  if (bonds) check(rattle_bonds_positions(bonds, x0.data(), x.data(), w.data(), 1, &b, &wrong), wrong);
  double **const to = atom->x;
  const auto take = [to](int i, const double *at) {
    for (int d = 0; d < 3; d++) to[i][d] += at[d];
  };
  each_own([this, take](int at, int i) { take(i, w.data() + 3 * at); });
  what->travel.back(
      world, 3, [this](int c, double *at) { std::copy_n(w.data() + 3 * c, 3, at); }, take);
  comm->forward_comm();
}

/* Positions of the input are right to some digits only. */
void fix::setup_pre_neighbor() {
  lay_out(true);
  rattle_bonds_destroy(&bonds);
  resolve();
  if (update->whichflag == 2) return;
  check_moved();
  put_right();
}

/* Springs have left the lengths of minimisation off. */
void fix::post_run() {
  if (update->whichflag == 2) put_right();
}

/* Velocities are made to keep lengths; the forces are those of a step that is tried. */
void fix::setup(int vflag) {
  const double h = update->dt;
  rattle_error wrong;
  restraint = 0;
  std::fill_n(&force_of[0][0], 3 * (size_t)atom->nmax, 0.0);
  correct_velocities(0, 0);
  gather_velocities(0.5 * h * force->ftm2v);
  for (size_t c = 0; c < x.size(); c++) x[c] = x0[c] + h * v[c];
  std::fill(w.begin(), w.end(), 0.0);
  const rattle_bonds_box b = box();
  if (bonds) check(rattle_bonds_positions(bonds, x0.data(), x.data(), w.data(), h, &b, &wrong), wrong);
  spread(vflag, 0, [this](int at, int, double *moved) { std::copy_n(w.data() + 3 * at, 3, moved); });
}

} // namespace rattle_any
