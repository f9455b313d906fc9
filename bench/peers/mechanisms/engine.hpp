// Shared by the programs of bench/peers/mechanisms: the file of a system (systems.py), and runs on
// demand. Each line of standard input, "METHOD STEPS SECONDS CHUNKS", is a run from the start with
// so many steps a second; its answer is a line of JSON as that of bench/mechanisms.c.
#pragma once
#include <time.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

enum Joint { HINGE, BALL, FREE_BODY };

// The axes R (rows of the matrix), centre c, joint J, axis a, rate, v and w in the world.
struct Body {
  int parent, joint;
  double mass, inertia[3], R[9], c[3], J[3], a[3], rate[3], v[3], w[3];
};
// A hinge at J of the bodies one and two, -1: the ground.
struct Loop {
  int one, two;
  double J[3], a[3];
};
struct System {
  double gravity[3];
  std::vector<Body> bodies;
  std::vector<Loop> loops;
  int last;
  double tip[3];
};
struct Sample {
  double tip[3] = {}, energy = 0, open = 0;
};

// One engine with one system. start and advance return false where they fail, with `why` set.
struct Engine {
  std::string why;
  virtual bool start(const std::string &method, double h) = 0;
  virtual bool advance(double until, long steps) = 0;
  virtual Sample sample() = 0;
  virtual ~Engine() = default;
};

namespace detail {
inline double number(FILE *file) {
  double x;
  if (fscanf(file, "%lf", &x) != 1) {
    fprintf(stderr, "the file of the system ends early: write it anew by systems.py\n");
    exit(1);
  }
  return x;
}

template <int N> void numbers(FILE *file, double (&x)[N]) {
  for (double &value : x) value = number(file);
}

inline double now() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return 1e9 * double(t.tv_sec) + double(t.tv_nsec);
}

inline void print(const char *name, const std::vector<double> &values) {
  printf("\"%s\": [", name);
  for (size_t i = 0; i < values.size(); i++) printf(i ? ", %.17g" : "%.17g", values[i]);
  printf("], ");
}

inline void run(Engine &engine, const char *method, double rate, double seconds, int chunks) {
  const long steps = lround(rate * seconds);
  std::vector<double> ns, energy;
  double open = 0, at = 0;
  engine.why = "it failed";
  bool good = engine.start(method, 1 / rate);
  Sample now_at;
  if (good) energy.push_back((now_at = engine.sample()).energy);
  for (int k = 1; good && k <= chunks; k++) {
    const long before = long(double(steps) * (k - 1) / chunks),
               after = long(double(steps) * k / chunks);
    const double begin = now();
    at = double(after) / rate;
    good = engine.advance(at, after - before);
    ns.push_back(now() - begin);
    if (!good) break;
    now_at = engine.sample();
    energy.push_back(now_at.energy);
    open = std::fmax(open, now_at.open);
    if (!std::isfinite(now_at.energy)) {
      engine.why = "the energy is not finite";
      good = false;
    }
  }
  if (!good) {
    for (char &c : engine.why)
      if (c == '"' || c == '\\' || c == '\n') c = ' ';
    printf("{\"failed\": \"%s\", \"at\": %.9g}\n", engine.why.c_str(), at);
    return;
  }
  printf("{");
  print("ns", ns);
  print("energy", energy);
  print("tip", {now_at.tip[0], now_at.tip[1], now_at.tip[2]});
  printf("\"open\": %.3g, \"steps\": %ld}\n", open, steps);
}
} // namespace detail

inline System load(const std::string &path) {
  FILE *file = fopen(path.c_str(), "r");
  System s;
  if (!file) {
    perror(path.c_str());
    exit(1);
  }
  detail::numbers(file, s.gravity);
  for (int left = int(detail::number(file)); left; left--) {
    Body b;
    b.parent = int(detail::number(file));
    b.joint = int(detail::number(file));
    b.mass = detail::number(file);
    detail::numbers(file, b.inertia);
    detail::numbers(file, b.R);
    for (double(*x)[3] : {&b.c, &b.J, &b.a, &b.rate, &b.v, &b.w}) detail::numbers(file, *x);
    s.bodies.push_back(b);
  }
  for (int left = int(detail::number(file)); left; left--) {
    Loop l;
    l.one = int(detail::number(file));
    l.two = int(detail::number(file));
    detail::numbers(file, l.J);
    detail::numbers(file, l.a);
    s.loops.push_back(l);
  }
  s.last = int(detail::number(file));
  detail::numbers(file, s.tip);
  fclose(file);
  return s;
}

inline int serve(Engine &engine) {
  char line[512], method[256];
  double rate, seconds;
  int chunks;
  while (fgets(line, sizeof line, stdin)) {
    if (sscanf(line, "%255s %lf %lf %d", method, &rate, &seconds, &chunks) != 4 || !(rate > 0) ||
        chunks < 1)
      return 1;
    detail::run(engine, method, rate, seconds, chunks);
    fflush(stdout);
  }
  return 0;
}
