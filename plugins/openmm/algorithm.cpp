#include "algorithm.h"

#include <algorithm>
#include <cmath>

#include "openmm/OpenMMException.h"

namespace rattle_openmm {

static_assert(sizeof(OpenMM::Vec3) == 3 * sizeof(double), "positions are x y z without gaps");

static void check(rattle_status status, const rattle_error &wrong) {
  if (status) throw OpenMM::OpenMMException(std::string("RattleBonds: ") + wrong.message);
}

algorithm::algorithm(const OpenMM::System &system, const settings &given) : how(given), masses(system.getNumParticles(), 1) {
  for (int k = 0; k < system.getNumConstraints(); k++) {
    int i, j;
    double length;
    system.getConstraintParameters(k, i, j, length);
    const double mass_i = system.getParticleMass(i), mass_j = system.getParticleMass(j);
    if (mass_i == 0 && mass_j == 0) continue; /* OpenMM takes them, and refuses one without mass */
    pairs.push_back(i), pairs.push_back(j), lengths.push_back(length);
    masses[i] = mass_i, masses[j] = mass_j;
  }
  bound = pairs;
  std::sort(bound.begin(), bound.end());
  bound.erase(std::unique(bound.begin(), bound.end()), bound.end());
  for (double mass : masses) inverse_masses.push_back(1 / mass);
  make(how.tolerance > 0 ? how.tolerance : 1e-10);
}

algorithm::~algorithm() {
  rattle_bonds_destroy(&bonds);
}

void algorithm::make(double tolerance) {
  rattle_bonds_destroy(&bonds);
  if (lengths.empty()) return;
  rattle_bonds_topology topology = {};
  topology.struct_size = sizeof topology;
  topology.atoms = (long long)masses.size(), topology.bonds = (long long)lengths.size();
  topology.pairs = pairs.data(), topology.lengths = lengths.data(), topology.masses = masses.data();
  rattle_bonds_options options = {};
  options.struct_size = sizeof options;
  options.tolerance = reached = tolerance;
  options.solver = how.solver.empty() ? nullptr : how.solver.c_str();
  options.threads = how.threads;
  rattle_error wrong;
  check(rattle_bonds_create(&bonds, &topology, &options, &wrong), wrong);
}

/* The masses are those of the integrator, the tolerance is not above the integrator's. */
void algorithm::prepare(const std::vector<double> &inverse, double tolerance) {
  const double wanted = how.tolerance > 0 || tolerance <= 0 ? reached : std::min(reached, std::max(tolerance, 1e-15));
  bool same = wanted == reached;
  if (same && inverse == inverse_masses) return;
  for (int i : bound)
    if (inverse_masses[i] != inverse[i]) masses[i] = 1 / inverse[i], same = false;
  inverse_masses = inverse;
  if (!same) make(wanted);
}

/* OpenMM gives one array as both where there was no step: positions are read into clusters before
 * they are changed. */
void algorithm::apply(std::vector<OpenMM::Vec3> &before, std::vector<OpenMM::Vec3> &positions, std::vector<double> &inverse,
                      double tolerance) {
  prepare(inverse, tolerance);
  if (!bonds) return;
  rattle_error wrong;
  check(rattle_bonds_positions(bonds, &before[0][0], &positions[0][0], nullptr, 1, nullptr, &wrong), wrong);
}

void algorithm::applyToVelocities(std::vector<OpenMM::Vec3> &positions, std::vector<OpenMM::Vec3> &velocities,
                                  std::vector<double> &inverse, double tolerance) {
  prepare(inverse, tolerance);
  if (!bonds) return;
  rattle_error wrong;
  check(rattle_bonds_velocities(bonds, &positions[0][0], &velocities[0][0], nullptr, &wrong), wrong);
}

double algorithm::removed() const {
  if (!bonds) return 0;
  const std::vector<int> group(masses.size(), 0);
  double result = 0;
  rattle_error wrong;
  check(rattle_bonds_removed(bonds, group.data(), 1, &result, &wrong), wrong);
  return result;
}

/* With a = f/m and any a0 for which lengths have no second derivative, the part of a - a0 that
 * changes rates of lengths is what constraints take away. a0 is the second derivative of x + s v
 * moved onto the lengths along the bonds at x, by differences of fourth order. */
void algorithm::forces(const double *x, const double *v, const double *f, double *result) {
  const size_t n = 3 * masses.size();
  std::fill(result, result + n, 0.0);
  if (!bonds) return;
  make(1e-13);
  rattle_error wrong;
  std::vector<double> along(v, v + n), a(n), y(n);
  check(rattle_bonds_velocities(bonds, x, along.data(), nullptr, &wrong), wrong);
  double fastest = 0;
  for (size_t k = 0; k < lengths.size(); k++) {
    const double *i = &along[3 * pairs[2 * k]], *j = &along[3 * pairs[2 * k + 1]];
    fastest = std::max(
        fastest,
        std::sqrt((i[0] - j[0]) * (i[0] - j[0]) + (i[1] - j[1]) * (i[1] - j[1]) + (i[2] - j[2]) * (i[2] - j[2])) / lengths[k]);
  }
  for (size_t c = 0; c < n; c++) a[c] = f[c] / masses[c / 3];
  for (int step = -2; step <= 2 && fastest > 0; step++) {
    if (step == 0) continue;
    /* a bond turns by 4e-3 a step: truncation is about 1e-10, and so is what the tolerance leaves */
    const double s = step * 4e-3 / fastest, weight = (step % 2 ? 4.0 : -1.0) / (3 * s * s);
    for (size_t c = 0; c < n; c++) y[c] = x[c] + s * along[c];
    const std::vector<double> straight = y;
    check(rattle_bonds_positions(bonds, x, y.data(), nullptr, 1, nullptr, &wrong), wrong);
    for (size_t c = 0; c < n; c++) a[c] -= weight * (y[c] - straight[c]);
  }
  std::vector<double> kept = a;
  check(rattle_bonds_velocities(bonds, x, kept.data(), nullptr, &wrong), wrong);
  for (size_t c = 0; c < n; c++) result[c] = masses[c / 3] * (kept[c] - a[c]);
}

} // namespace rattle_openmm
