/* A platform that calls itself CUDA and has the kernels of Reference: to see how platforms of
 * other names are refused. */
#include "openmm/reference/ReferencePlatform.h"

namespace {

class pretender : public OpenMM::ReferencePlatform {
public:
  explicit pretender(double speed) : speed(speed) {}
  const std::string &getName() const {
    static const std::string name = "CUDA";
    return name;
  }
  double getSpeed() const { return speed; }

private:
  const double speed;
};

} // namespace

extern "C" __attribute__((visibility("default"))) void register_pretender(double speed) {
  OpenMM::Platform::registerPlatform(new pretender(speed));
}
