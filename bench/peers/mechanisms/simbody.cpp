// Simbody: rkm:ACCURACY (Runge-Kutta-Merson) and cpodes:ACCURACY, both with its step control.
#include <Simbody.h>

#include <memory>

#include "engine.hpp"

static SimTK::Vec3 vector(const double *x) {
  return SimTK::Vec3(x[0], x[1], x[2]);
}

static SimTK::Rotation axes(const double *R) {
  return SimTK::Rotation(SimTK::Mat33(R[0], R[1], R[2], R[3], R[4], R[5], R[6], R[7], R[8]), true);
}

struct Simbody : Engine {
  System s;
  SimTK::MultibodySystem system;
  SimTK::SimbodyMatterSubsystem matter{system};
  SimTK::GeneralForceSubsystem forces{system};
  std::vector<SimTK::MobilizedBody> body;
  SimTK::State begin;
  std::unique_ptr<SimTK::Integrator> integrator;
  std::unique_ptr<SimTK::TimeStepper> stepper;

  explicit Simbody(const std::string &stem) : s(load(stem + ".txt")) {
    if (vector(s.gravity).norm() > 0) SimTK::Force::Gravity(forces, matter, vector(s.gravity));
    for (const Body &b : s.bodies) add(b);
    for (const Loop &l : s.loops) close(l);
    system.realizeTopology();
    begin = system.getDefaultState();
    matter.setUseEulerAngles(begin, false);
    system.realizeModel(begin);
    for (size_t i = 0; i < s.bodies.size(); i++) set_rate(s.bodies[i], body[i]);
  }

  SimTK::MobilizedBody &mobilized(int i) {
    return i < 0 ? static_cast<SimTK::MobilizedBody &>(matter.Ground()) : body[i];
  }
  SimTK::Rotation turned(int i) const { return i < 0 ? SimTK::Rotation() : axes(s.bodies[i].R); }
  SimTK::Vec3 inner(int i, const SimTK::Vec3 &point) const {
    return i < 0 ? point : ~turned(i) * (point - vector(s.bodies[i].c));
  }

  void add(const Body &b) {
    const SimTK::Rotation R = axes(b.R),
                          F = b.joint == HINGE
                                  ? SimTK::Rotation(SimTK::UnitVec3(vector(b.a)), SimTK::ZAxis)
                                  : R;
    const SimTK::Body::Rigid rigid(SimTK::MassProperties(
        b.mass, SimTK::Vec3(0), SimTK::Inertia(b.inertia[0], b.inertia[1], b.inertia[2])));
    const SimTK::Transform outer(~turned(b.parent) * F, inner(b.parent, vector(b.J))),
        own(~R * F, ~R * (vector(b.J) - vector(b.c)));
    SimTK::MobilizedBody &parent = mobilized(b.parent);
    if (b.joint == HINGE)
      body.push_back(SimTK::MobilizedBody::Pin(parent, outer, rigid, own));
    else if (b.joint == BALL)
      body.push_back(SimTK::MobilizedBody::Ball(parent, outer, rigid, own));
    else
      body.push_back(SimTK::MobilizedBody::Free(parent, outer, rigid, own));
  }

  // The loop in the plane by its point alone; Bricard's by the whole hinge.
  void close(const Loop &l) {
    SimTK::MobilizedBody &one = mobilized(l.one), &two = mobilized(l.two);
    const SimTK::Vec3 J = vector(l.J), a = vector(l.a);
    const SimTK::UnitVec3 u = SimTK::UnitVec3(a).perp(), w(a % u);
    SimTK::Constraint::Ball(one, inner(l.one, J), two, inner(l.two, J));
    if (s.bodies.size() != 5) return;
    for (const SimTK::UnitVec3 &across : {u, w})
      SimTK::Constraint::ConstantAngle(one, SimTK::UnitVec3(~turned(l.one) * a), two,
                                       SimTK::UnitVec3(~turned(l.two) * SimTK::Vec3(across)),
                                       SimTK::Pi / 2);
  }

  void set_rate(const Body &b, const SimTK::MobilizedBody &at) {
    if (b.joint == HINGE) {
      at.setOneU(begin, 0, b.rate[0]);
      return;
    }
    at.setUToFitAngularVelocity(begin, ~turned(b.parent) * (axes(b.R) * vector(b.rate)));
    if (b.joint == FREE_BODY) at.setUToFitLinearVelocity(begin, vector(b.v));
  }

  bool start(const std::string &method, double) override {
    if (method.rfind("rkm:", 0) == 0)
      integrator = std::make_unique<SimTK::RungeKuttaMersonIntegrator>(system);
    else
      integrator = std::make_unique<SimTK::CPodesIntegrator>(system);
    integrator->setAccuracy(atof(method.c_str() + method.find(':') + 1));
    stepper = std::make_unique<SimTK::TimeStepper>(system, *integrator);
    stepper->initialize(begin);
    stepper->setReportAllSignificantStates(false);
    return true;
  }

  bool advance(double until, long) override {
    try {
      stepper->stepTo(until);
      return true;
    } catch (const std::exception &error) {
      why = error.what();
      return false;
    }
  }

  Sample sample() override {
    Sample out;
    const SimTK::State &state = stepper->getState();
    system.realize(state, SimTK::Stage::Dynamics);
    out.energy = system.calcEnergy(state);
    const SimTK::Vec3 tip = body[s.last].findStationLocationInGround(state, vector(s.tip));
    for (int i = 0; i < 3; i++) out.tip[i] = tip[i];
    for (const Loop &l : s.loops) {
      const auto place = [&](int i) {
        return mobilized(i).findStationLocationInGround(state, inner(i, vector(l.J)));
      };
      out.open = std::fmax(out.open, (place(l.one) - place(l.two)).norm());
    }
    return out;
  }
};

int main(int, char **words) {
  Simbody engine(words[1]);
  return serve(engine);
}
