// A pendulum from C++17: objects own what the library makes, and failures are exceptions.
//
//     c++ -std=c++17 pendulum.cpp $(pkg-config --cflags --libs rattle) -Wl,-rpath,$(pkg-config --variable=libdir rattle) -o pendulum
//     ./pendulum
//
// Prints
//
//     t = 100: x = 0.209017086, y = -0.977911989, energy 2.000000000
//     a step of 50 fails, and the point is where it was
#include <rattle/rattle.hpp>

#include <cstdio>
#include <vector>

int main() try {
  const auto pendulum = rattle::model::parse("local weight = parameter('weight', 2)\n"
                                             "local x, px = pair('x') local y, py = pair('y')\n"
                                             "hamiltonian((px^2 + py^2)/2 + weight*y)\n"
                                             "constrain('rod', x^2 + y^2 - 1)\n"
                                             "start { x = 1, py = -2 }\n",
                                             {{"weight", 1.0}});
  const rattle::problem rod(pendulum, RATTLE_EVALUATOR_BLOCK);
  rattle::integrator steps(rod, "kahan_li8(rattle(verlet))");
  rattle::state at = rod.start(0.05);
  steps.step(at, 2000);
  std::printf("t = %g: x = %.9f, y = %.9f, energy %.9f\n", steps.time(at), at.q()[0], at.q()[1], rod.energy(at.q(), at.p()));

  // a step that is far too long fails, and changes nothing
  const std::vector<double> before(at.q().begin(), at.q().end());
  at.h() = 50;
  try {
    steps.step(at);
    std::puts("a step of 50 is made");
  } catch (const rattle::failure &failure) {
    const bool unchanged = before == std::vector<double>(at.q().begin(), at.q().end());
    std::printf("a step of 50 fails, and the point is %s\n", unchanged ? "where it was" : "gone");
    return unchanged && failure.status() != RATTLE_OK ? 0 : 1;
  }
  return 1;
} catch (const std::exception &error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
