// MuJoCo: Euler and RK4, its own; with +stiff the model whose loops are stiff springs. dop8: its
// accelerations under the method of Dormand and Prince (hinges alone).
#include <mujoco/mujoco.h>

#include "engine.hpp"
#include "explicit.hpp"

struct Mujoco : Engine {
  System s;
  mjModel *models[2], *model;
  mjData *all[2], *data, *scratch[2], *other;
  bool eight = false;
  double h = 0;
  Explicit dop;

  explicit Mujoco(const std::string &stem) : s(load(stem + ".txt")) {
    char error[1000];
    for (int k = 0; k < 2; k++) {
      models[k] = mj_loadXML((stem + (k ? ".stiff.xml" : ".xml")).c_str(), NULL, error, 1000);
      if (!models[k]) {
        fprintf(stderr, "%s\n", error);
        exit(1);
      }
      all[k] = mj_makeData(models[k]);
      scratch[k] = mj_makeData(models[k]);
    }
    use(0);
  }

  void use(int k) {
    model = models[k];
    data = all[k];
    other = scratch[k];
  }

  bool start(const std::string &method, double step) override {
    const bool stiff = method.find("+stiff") != std::string::npos;
    use(stiff);
    h = step;
    eight = method == "dop8";
    model->opt.timestep = step;
    model->opt.integrator = method.rfind("RK4", 0) == 0 ? mjINT_RK4 : mjINT_EULER;
    if (stiff) {
      model->opt.tolerance = 1e-14;
      model->opt.iterations = 200;
    }
    mj_resetData(model, data);
    for (size_t i = 0; i < s.bodies.size(); i++) {
      const Body &b = s.bodies[i];
      double *v = data->qvel + model->jnt_dofadr[i];
      if (b.joint == FREE_BODY) {
        memcpy(v, b.v, sizeof b.v);
        v += 3;
      }
      memcpy(v, b.rate, (b.joint == HINGE ? 1 : 3) * sizeof *v);
    }
    mj_forward(model, data);
    return true;
  }

  bool advance(double, long steps) override {
    if (!eight) {
      for (long k = 0; k < steps; k++) mj_step(model, data);
      why = "MuJoCo reset a state that had diverged";
      return !data->warning[mjWARN_BADQACC].number && !data->warning[mjWARN_BADQPOS].number &&
             !data->warning[mjWARN_BADQVEL].number;
    }
    const int n = model->nv;
    std::vector<double> y(data->qpos, data->qpos + n);
    y.insert(y.end(), data->qvel, data->qvel + n);
    for (long k = 0; k < steps; k++)
      dop.step(y, h, [&](const std::vector<double> &at, std::vector<double> &rate) {
        memcpy(data->qpos, at.data(), n * sizeof(double));
        memcpy(data->qvel, at.data() + n, n * sizeof(double));
        mj_forward(model, data);
        memcpy(rate.data(), data->qvel, n * sizeof(double));
        memcpy(rate.data() + n, data->qacc, n * sizeof(double));
      });
    memcpy(data->qpos, y.data(), n * sizeof(double));
    memcpy(data->qvel, y.data() + n, n * sizeof(double));
    return true;
  }

  Sample sample() override {
    Sample out;
    mj_copyData(other, model, data);
    mj_forward(model, other);
    mj_energyPos(model, other);
    mj_energyVel(model, other);
    out.energy = other->energy[0] + other->energy[1];
    memcpy(out.tip, other->site_xpos + 3 * mj_name2id(model, mjOBJ_SITE, "tip"), sizeof out.tip);
    for (int i = 0; i < other->ne; i++)
      out.open = std::fmax(out.open, std::fabs(other->efc_pos[i]));
    return out;
  }
};

int main(int, char **words) {
  Mujoco engine(words[1]);
  return serve(engine);
}
