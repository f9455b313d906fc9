/* The Force that brings the algorithm into a Context. It adds no energy. */
#ifndef RATTLE_OPENMM_FORCE_H
#define RATTLE_OPENMM_FORCE_H
#include "algorithm.h"
#include "openmm/Force.h"

namespace rattle_openmm {

class force : public OpenMM::Force {
public:
  explicit force(const settings &how);
  const settings how;

protected:
  OpenMM::ForceImpl *createImpl() const override;
};

/* Makes OpenMM know the force: for XmlSerializer, and for the platforms that it works on. May be
 * called repeatedly. */
void introduce();

} // namespace rattle_openmm

#endif
