// A pendulum from C++17: what the library makes is held by std::unique_ptr, and failures are exceptions.
//
//     c++ -std=c++17 pendulum.cpp $(pkg-config --cflags --libs rattle) -Wl,-rpath,$(pkg-config --variable=libdir rattle) -o pendulum
//     ./pendulum
//
// Prints
//
//     t = 100: x = 0.209017086, y = -0.977911989, energy 2.000000000
//     a step of 50 fails, and the point is where it was
#include <rattle/rattle.h>

#include <array>
#include <cstdio>
#include <memory>
#include <stdexcept>

// a failure as an exception
static void check(rattle_status status, const rattle_error &error) {
  if (status != RATTLE_OK) throw std::runtime_error(error.message);
}

// unique_ptr for what has a rattle_..._destroy
template <typename T, void (*destroy)(T **)> struct destroyer {
  void operator()(T *object) const { destroy(&object); }
};
using model = std::unique_ptr<rattle_model, destroyer<rattle_model, rattle_model_destroy>>;
using problem = std::unique_ptr<rattle_problem, destroyer<rattle_problem, rattle_problem_destroy>>;
using integrator = std::unique_ptr<rattle_integrator, destroyer<rattle_integrator, rattle_integrator_destroy>>;

static model read(const char *text) {
  rattle_error error;
  rattle_model *made = nullptr;
  check(rattle_model_parse(&made, text, "pendulum", nullptr, &error), error);
  return model(made);
}

static problem make_problem(const model &from) {
  rattle_error error;
  rattle_problem *made = nullptr;
  rattle_problem_options options = {};
  options.struct_size = sizeof options;
  options.evaluator = RATTLE_EVALUATOR_BLOCK;
  check(rattle_problem_create(&made, from.get(), &options, &error), error);
  return problem(made);
}

static integrator make_integrator(const problem &of, const char *method) {
  rattle_error error;
  rattle_integrator *made = nullptr;
  check(rattle_integrator_create(&made, of.get(), method, &error), error);
  return integrator(made);
}

int main() try {
  const model pendulum = read("local x, px = pair('x') local y, py = pair('y')\n"
                              "hamiltonian((px^2 + py^2)/2 + y)\n"
                              "constrain('rod', x^2 + y^2 - 1)\n"
                              "start { x = 1, py = -2 }\n");
  const problem rod = make_problem(pendulum);
  const integrator steps = make_integrator(rod, "kahan_li8(rattle(verlet))");
  std::array<double, 2> q, p;
  rattle_error error;
  check(rattle_problem_start(rod.get(), 0, q.data(), p.data(), nullptr, &error), error);
  rattle_state state = {};
  state.struct_size = sizeof state;
  state.q = q.data(), state.p = p.data(), state.h = 0.05;
  check(rattle_integrator_step(steps.get(), &state, 2000, &error), error);
  double energy;
  check(rattle_problem_energy(rod.get(), q.data(), p.data(), &energy, &error), error);
  std::printf("t = 100: x = %.9f, y = %.9f, energy %.9f\n", q[0], q[1], energy);

  // a step that is far too long fails, and changes nothing
  const std::array<double, 2> before = q;
  state.h = 50;
  const rattle_status status = rattle_integrator_step(steps.get(), &state, 1, &error);
  const bool unchanged = q == before;
  std::printf("a step of 50 %s, and the point is %s\n", status == RATTLE_OK ? "is made" : "fails",
              unchanged ? "where it was" : "gone");
  return status != RATTLE_OK && unchanged ? 0 : 1;
} catch (const std::exception &error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
