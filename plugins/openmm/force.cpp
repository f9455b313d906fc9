#include "force.h"

#include "openmm/OpenMMException.h"
#include "openmm/Platform.h"
#include "openmm/internal/ContextImpl.h"
#include "openmm/internal/ForceImpl.h"
#include "openmm/reference/ReferencePlatform.h"

namespace rattle_openmm {

namespace {

class impl : public OpenMM::ForceImpl {
public:
  explicit impl(const force &owner) : owner(owner) {}

  /* The algorithms belong to the platform's data, which deletes them. */
  void initialize(OpenMM::ContextImpl &context) override {
    const std::string name = context.getPlatform().getName();
    if (name != "Reference" && name != "CPU")
      throw OpenMM::OpenMMException("RattleBonds works on the platforms Reference and CPU, not on " + name +
                                    ": give Platform.getPlatformByName(\"CPU\") to the Context, or set "
                                    "OPENMM_DEFAULT_PLATFORM=CPU");
    OpenMM::ReferenceConstraints *held =
        static_cast<OpenMM::ReferencePlatform::PlatformData *>(context.getPlatformData())->constraints;
    OpenMM::ReferenceConstraintAlgorithm *ours = new algorithm(context.getSystem(), owner.how);
    delete held->ccma;
    delete held->settle;
    held->ccma = ours, held->settle = nullptr;
  }
  const OpenMM::Force &getOwner() const override { return owner; }
  double calcForcesAndEnergy(OpenMM::ContextImpl &, bool, bool, int) override { return 0; }
  std::map<std::string, double> getDefaultParameters() override { return {}; }
  std::vector<std::string> getKernelNames() override { return {"RattleBonds"}; }

private:
  const force &owner;
};

} // namespace

force::force(const settings &given) : how(given) {
  setName("RattleBonds");
}

OpenMM::ForceImpl *force::createImpl() const {
  return new impl(*this);
}

} // namespace rattle_openmm
