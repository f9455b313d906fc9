// Pinocchio: aba, with loops constraintDynamics. It has no integrator: symeuler (semi-implicit
// Euler), rk4 and dop8 (Dormand and Prince) are written here around its accelerations.
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/constrained-dynamics.hpp>
#include <pinocchio/algorithm/energy.hpp>
#include <pinocchio/algorithm/joint-configuration.hpp>
#include <pinocchio/algorithm/kinematics.hpp>
#include <pinocchio/algorithm/proximal.hpp>
#include <pinocchio/multibody.hpp>

#include <memory>

#include "engine.hpp"
#include "tableau.hpp"

namespace pin = pinocchio;
using Eigen::Matrix3d;
using Eigen::Vector3d;
using Eigen::VectorXd;
template <class T> using List = std::vector<T, Eigen::aligned_allocator<T>>;

static Vector3d vector(const double *x) {
  return Vector3d(x[0], x[1], x[2]);
}

static Matrix3d axes(const Body &b) {
  return Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(b.R);
}

struct Pinocchio : Engine {
  System s;
  pin::Model model;
  std::unique_ptr<pin::Data> data, other;
  std::vector<pin::JointIndex> joint;
  List<pin::RigidConstraintModel> constraints;
  List<pin::RigidConstraintData> constraint_data;
  pin::ProximalSettings proximal{1e-14, 1e-10, 20};
  VectorXd q, v, zero, y, at, rate[12], q_at, v_at, dv;
  double h = 0;
  int order = 1;

  // The frames of bodies stand at their joints, so that joints are where all coordinates are 0.
  explicit Pinocchio(const std::string &stem) : s(load(stem + ".txt")) {
    model.gravity.linear(vector(s.gravity));
    for (size_t i = 0; i < s.bodies.size(); i++) add(s.bodies[i], "j" + std::to_string(i));
    data = std::make_unique<pin::Data>(model);
    other = std::make_unique<pin::Data>(model);
    for (const Loop &l : s.loops)
      for (int k = 0; k < (s.bodies.size() == 5 ? 2 : 1); k++) // as mjcf of systems.py
        close(l, vector(l.J) + k * vector(l.a));
    if (!constraints.empty())
      pin::initConstraintDynamics(model, *data, constraints, constraint_data);
    zero = VectorXd::Zero(model.nv);
    y.resize(model.nq + model.nv);
    q_at.resize(model.nq);
    v_at.resize(model.nv);
    for (VectorXd &x : rate) x.resize(y.size());
  }

  pin::SE3 frame(int i) const {
    if (i < 0) return pin::SE3::Identity();
    return pin::SE3(axes(s.bodies[i]), vector(s.bodies[i].J));
  }

  pin::JointModel kind(const Body &b) const {
    if (b.joint == FREE_BODY) return pin::JointModelFreeFlyer();
    if (b.joint == BALL) return pin::JointModelSpherical();
    const Vector3d a = axes(b).transpose() * vector(b.a);
    if ((a - Vector3d::UnitX()).norm() < 1e-12) return pin::JointModelRX();
    if ((a - Vector3d::UnitY()).norm() < 1e-12) return pin::JointModelRY();
    if ((a - Vector3d::UnitZ()).norm() < 1e-12) return pin::JointModelRZ();
    return pin::JointModelRevoluteUnaligned(a);
  }

  void add(const Body &b, const std::string &name) {
    const pin::JointIndex parent = b.parent < 0 ? 0 : joint[b.parent];
    const pin::SE3 placed = frame(b.parent).actInv(pin::SE3(axes(b), vector(b.J)));
    joint.push_back(model.addJoint(parent, kind(b), placed, name));
    const Matrix3d inertia = vector(b.inertia).asDiagonal();
    model.appendBodyToJoint(
        joint.back(),
        pin::Inertia(b.mass, axes(b).transpose() * (vector(b.c) - vector(b.J)), inertia),
        pin::SE3::Identity());
  }

  void close(const Loop &l, const Vector3d &point) {
    const auto here = [&](int i) { return frame(i).actInv(pin::SE3(Matrix3d::Identity(), point)); };
    const auto at = [&](int i) { return i < 0 ? pin::JointIndex(0) : joint[i]; };
    constraints.emplace_back(pin::CONTACT_3D, model, at(l.one), here(l.one), at(l.two), here(l.two),
                             pin::LOCAL);
    constraint_data.push_back(constraints.back().createData());
  }

  const VectorXd &acceleration(const VectorXd &q_, const VectorXd &v_) {
    if (constraints.empty()) return pin::aba(model, *data, q_, v_, zero);
    return pin::constraintDynamics(model, *data, q_, v_, zero, constraints, constraint_data,
                                   proximal);
  }

  // The rate of y = (q, v); quaternions are normalised before they are used.
  void derive(const VectorXd &from, VectorXd &to) {
    q_at = from.head(model.nq);
    v_at = from.tail(model.nv);
    for (size_t i = 0; i < s.bodies.size(); i++) {
      int a = model.joints[joint[i]].idx_q(), b = model.joints[joint[i]].idx_v();
      if (s.bodies[i].joint == HINGE) {
        to[a] = v_at[b];
        continue;
      }
      const int first = s.bodies[i].joint == FREE_BODY ? a + 3 : a;
      q_at.segment<4>(first).normalize();
      if (first > a) {
        const Eigen::Quaterniond Q(q_at[first + 3], q_at[first], q_at[first + 1], q_at[first + 2]);
        to.segment<3>(a) = Q * v_at.segment<3>(b);
        b += 3;
      }
      const Vector3d r = from.segment<3>(first), w = v_at.segment<3>(b);
      to.segment<3>(first) = 0.5 * (from[first + 3] * w + r.cross(w));
      to[first + 3] = -0.5 * r.dot(w);
    }
    to.tail(model.nv) = acceleration(q_at, v_at);
  }

  bool start(const std::string &method, double step) override {
    h = step;
    order = method == "symeuler" ? 1 : method == "rk4" ? 4 : 8;
    q = pin::neutral(model);
    v = VectorXd::Zero(model.nv);
    for (size_t i = 0; i < s.bodies.size(); i++) {
      const Body &b = s.bodies[i];
      int at_v = model.joints[joint[i]].idx_v();
      if (b.joint == FREE_BODY) {
        q.segment<3>(model.joints[joint[i]].idx_q()) = vector(b.c);
        v.segment<3>(at_v) = axes(b).transpose() * vector(b.v);
        at_v += 3;
      }
      if (b.joint == HINGE)
        v[at_v] = b.rate[0];
      else
        v.segment<3>(at_v) = vector(b.rate);
    }
    y << q, v;
    return true;
  }

  void step() {
    if (order == 1) {
      v += h * acceleration(q, v);
      dv = h * v;
      pin::integrate(model, q, dv, q_at);
      q = q_at;
    } else if (order == 4) {
      derive(y, rate[0]);
      derive(at = y + h / 2 * rate[0], rate[1]);
      derive(at = y + h / 2 * rate[1], rate[2]);
      derive(at = y + h * rate[2], rate[3]);
      y += h / 6 * (rate[0] + 2 * rate[1] + 2 * rate[2] + rate[3]);
    } else {
      for (int i = 0; i < 12; i++) {
        at = y;
        for (int j = 0; j < i; j++)
          if (A[i][j] != 0) at += h * A[i][j] * rate[j];
        derive(at, rate[i]);
      }
      for (int i = 0; i < 12; i++)
        if (B[i] != 0) y += h * B[i] * rate[i];
    }
  }

  bool advance(double, long steps) override {
    for (long k = 0; k < steps; k++) step();
    if (order == 1) return true;
    q = y.head(model.nq);
    v = y.tail(model.nv);
    pin::normalize(model, q);
    return true;
  }

  Sample sample() override {
    Sample out;
    const Body &b = s.bodies[s.last];
    out.energy = pin::computeMechanicalEnergy(model, *other, q, v);
    pin::forwardKinematics(model, *other, q);
    const Vector3d tip = other->oMi[joint[s.last]].act(
        Vector3d(vector(s.tip) + axes(b).transpose() * (vector(b.c) - vector(b.J))));
    memcpy(out.tip, tip.data(), sizeof out.tip);
    for (const pin::RigidConstraintModel &c : constraints) {
      const pin::SE3 one = other->oMi[c.joint1_id] * c.joint1_placement,
                     two = other->oMi[c.joint2_id] * c.joint2_placement;
      out.open = std::fmax(out.open, (one.translation() - two.translation()).norm());
    }
    return out;
  }
};

int main(int, char **words) {
  Pinocchio engine(words[1]);
  return serve(engine);
}
