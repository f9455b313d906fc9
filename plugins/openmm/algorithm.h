/* The constraints of a System, solved by librattle_bonds in place of CCMA and SETTLE. */
#ifndef RATTLE_OPENMM_ALGORITHM_H
#define RATTLE_OPENMM_ALGORITHM_H
#include <string>
#include <vector>

#include "openmm/System.h"
#include "openmm/reference/ReferenceConstraintAlgorithm.h"
#include "rattle/bonds.h"

namespace rattle_openmm {

struct settings {
  double tolerance = 0; /* 0: 1e-10, or that of the integrator if that is smaller */
  std::string solver;   /* empty: auto */
  int threads = 1;
};

class algorithm : public OpenMM::ReferenceConstraintAlgorithm {
public:
  algorithm(const OpenMM::System &system, const settings &how);
  ~algorithm() override;
  algorithm(const algorithm &) = delete;
  algorithm &operator=(const algorithm &) = delete;

  /* Positions are changed by the masses' inverses times the bonds' vectors at `before`; tolerance:
   * the integrator's. Throw OpenMMException. */
  void apply(std::vector<OpenMM::Vec3> &before, std::vector<OpenMM::Vec3> &positions,
             std::vector<double> &inverse, double tolerance) override;
  void applyToVelocities(std::vector<OpenMM::Vec3> &positions,
                         std::vector<OpenMM::Vec3> &velocities, std::vector<double> &inverse,
                         double tolerance) override;

  /* Degrees of freedom that the constraints remove. */
  double removed() const;

  /* The forces of the constraints, at places, velocities and forces of the System's particles [3
   * particles]: those with which the lengths have no second derivative. */
  void forces(const double *x, const double *v, const double *f, double *result);

private:
  const settings how;
  double reached = 0;            /* the tolerance that bonds was made for */
  std::vector<int> pairs, bound; /* bound: the particles of pairs, each once */
  std::vector<double> lengths, masses, inverse_masses;
  rattle_bonds *bonds = nullptr;

  void prepare(const std::vector<double> &inverse, double tolerance);
  void make(double tolerance);
};

} // namespace rattle_openmm

#endif
