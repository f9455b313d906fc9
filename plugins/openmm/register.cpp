/* How the force gets into OpenMM: by rattle_openmm_add, and for files of XmlSerializer as a
 * plug-in. */
#include "rattle_openmm.h"

#include <exception>

#include "force.h"
#include "openmm/HarmonicBondForce.h"
#include "openmm/KernelFactory.h"
#include "openmm/OpenMMException.h"
#include "openmm/Platform.h"
#include "openmm/serialization/SerializationNode.h"
#include "openmm/serialization/SerializationProxy.h"

namespace rattle_openmm {

namespace {

class proxy : public OpenMM::SerializationProxy {
public:
  proxy() : OpenMM::SerializationProxy("RattleBonds") {}

  void serialize(const void *object, OpenMM::SerializationNode &node) const override {
    const force &from = *static_cast<const force *>(object);
    node.setIntProperty("version", 1);
    node.setStringProperty("name", from.getName());
    node.setIntProperty("forceGroup", from.getForceGroup());
    node.setDoubleProperty("tolerance", from.how.tolerance);
    node.setStringProperty("solver", from.how.solver);
    node.setIntProperty("threads", from.how.threads);
  }
  void *deserialize(const OpenMM::SerializationNode &node) const override {
    if (node.getIntProperty("version") != 1)
      throw OpenMM::OpenMMException("RattleBonds: the file is of a later version of librattle");
    settings how;
    how.tolerance = node.getDoubleProperty("tolerance");
    how.solver = node.getStringProperty("solver");
    how.threads = node.getIntProperty("threads");
    force *result = new force(how);
    result->setName(node.getStringProperty("name"));
    result->setForceGroup(node.getIntProperty("forceGroup"));
    return result;
  }
};

/* Stands for the platform's ability: nobody asks for the kernel. All platforms have it, so that one
 * on which the force does not work is refused by its name (force.cpp). */
class ability : public OpenMM::KernelFactory {
public:
  OpenMM::KernelImpl *createKernelImpl(std::string, const OpenMM::Platform &, OpenMM::ContextImpl &) const override {
    throw OpenMM::OpenMMException("RattleBonds has no kernel");
  }
};

} // namespace

/* Throws where the OpenMM of the process is another than that of the headers: objects of its classes
 * may be of another size. */
static void check_version() {
  const std::string here = OpenMM::Platform::getOpenMMVersion();
  if (here != RATTLE_OPENMM_VERSION)
    throw OpenMM::OpenMMException("RattleBonds is built for OpenMM " RATTLE_OPENMM_VERSION ", and this is OpenMM " + here +
                                  ": build it for this one");
}

void introduce() {
  static const proxy *const only = [] {
    const proxy *made = new proxy;
    OpenMM::SerializationProxy::registerProxy(typeid(force), made);
    return made;
  }();
  (void)only;
  for (int k = 0; k < OpenMM::Platform::getNumPlatforms(); k++) {
    OpenMM::Platform &platform = OpenMM::Platform::getPlatform(k);
    if (!platform.supportsKernels({"RattleBonds"})) platform.registerKernelFactory("RattleBonds", new ability);
  }
}

/* The sentence of what `work` throws, or NULL. */
template <class Work> static const char *sentence(Work work) {
  static thread_local std::string said;
  try {
    check_version();
    work();
    return nullptr;
  } catch (const std::exception &wrong) {
    said = wrong.what();
    return said.c_str();
  }
}

} // namespace rattle_openmm

using namespace rattle_openmm;

extern "C" __attribute__((visibility("default"))) void registerPlatforms() {}
/* In an OpenMM that loads all of its plug-ins this is no error before the force is asked for. */
extern "C" __attribute__((visibility("default"))) void registerKernelFactories() {
  sentence(introduce);
}

const char *rattle_openmm_add(void *to, double tolerance, const char *solver, int threads) {
  return sentence([&] {
    OpenMM::System &system = *static_cast<OpenMM::System *>(to);
    settings how;
    how.tolerance = tolerance, how.solver = solver ? solver : "", how.threads = threads;
    for (int k = 0; k < system.getNumForces(); k++)
      if (dynamic_cast<const force *>(&system.getForce(k)))
        throw OpenMM::OpenMMException("RattleBonds: the System has it already");
    algorithm(system, how); /* what is wrong is said now */
    introduce();
    system.addForce(new force(how));
  });
}

const char *rattle_openmm_removed(void *of, double *degrees) {
  return sentence([&] { *degrees = algorithm(*static_cast<const OpenMM::System *>(of), settings()).removed(); });
}

const char *rattle_openmm_forces(void *of, const double *x, const double *v, const double *f, double *result) {
  return sentence([&] { algorithm(*static_cast<const OpenMM::System *>(of), settings()).forces(x, v, f, result); });
}

const char *rattle_openmm_repartition(void *of, const char *rule, double value, const char *hydrogen) {
  return sentence([&] {
    OpenMM::System &system = *static_cast<OpenMM::System *>(of);
    std::vector<int> pairs;
    std::vector<double> masses;
    int i, j;
    double length, constant;
    for (int k = 0; k < system.getNumParticles(); k++) masses.push_back(system.getParticleMass(k));
    for (int k = 0; k < system.getNumConstraints(); k++) {
      system.getConstraintParameters(k, i, j, length);
      pairs.push_back(i), pairs.push_back(j);
    }
    for (int n = 0; n < system.getNumForces(); n++)
      if (const auto *springs = dynamic_cast<const OpenMM::HarmonicBondForce *>(&system.getForce(n)))
        for (int k = 0; k < springs->getNumBonds(); k++) {
          springs->getBondParameters(k, i, j, length, constant);
          pairs.push_back(i), pairs.push_back(j);
        }
    rattle_bonds_topology topology = {};
    topology.struct_size = sizeof topology;
    topology.atoms = (long long)masses.size(), topology.bonds = (long long)(pairs.size() / 2);
    topology.pairs = pairs.data(), topology.masses = masses.data();
    rattle_error wrong;
    if (rattle_bonds_repartition(rule, value, &topology, hydrogen, masses.data(), &wrong))
      throw OpenMM::OpenMMException(std::string("RattleBonds: ") + wrong.message);
    for (int k = 0; k < system.getNumParticles(); k++) system.setParticleMass(k, masses[k]);
  });
}
