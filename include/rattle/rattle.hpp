#ifndef RATTLE_RATTLE_HPP
#define RATTLE_RATTLE_HPP
/* C++17: what the library makes is owned by objects that move and end by themselves, failures are
 * exceptions, arrays are spans. Each object has get(), its C handle, for the functions of C that
 * are not here; objects hold what they were made of. Link as for C: rattle::rattle, or
 * pkg-config rattle. */
#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "rattle/rattle.h"

namespace rattle {

/* A failure: what() is its sentence; the rest is in `details`, a rattle_error of status.h. */
class failure : public std::runtime_error {
public:
  explicit failure(const rattle_error &e) : std::runtime_error(e.message), details(e) {}
  rattle_status status() const noexcept { return details.status; }
  std::string remedy() const { return rattle_status_remedy(details.status); }
  rattle_error details;
};

/* Calls a function of C, whose last argument is the error; throws `failure`. */
template <typename F, typename... Arguments> void call(F *function, Arguments &&...arguments) {
  rattle_error e{};
  if (function(std::forward<Arguments>(arguments)..., &e) != RATTLE_OK) throw failure(e);
}

/* Numbers somewhere: the part of std::span of C++20 that is needed. */
template <typename T> class span {
public:
  constexpr span() noexcept = default;
  constexpr span(T *first, std::size_t count) noexcept : first_(first), count_(count) {}
  template <std::size_t n> constexpr span(T (&array)[n]) noexcept : first_(array), count_(n) {}
  template <typename C, typename = decltype(static_cast<T *>(std::declval<C &>().data()))>
  constexpr span(C &&container) noexcept : first_(container.data()), count_(container.size()) {}
  constexpr T *data() const noexcept { return first_; }
  constexpr std::size_t size() const noexcept { return count_; }
  constexpr T *begin() const noexcept { return first_; }
  constexpr T *end() const noexcept { return first_ + count_; }
  constexpr T &operator[](std::size_t i) const { return first_[i]; }

private:
  T *first_ = nullptr;
  std::size_t count_ = 0;
};

/* The start of options that carry their size. */
template <typename Options> Options options() {
  Options o{};
  o.struct_size = sizeof o;
  return o;
}

template <typename T, void (*destroy)(T **)> class owner {
public:
  T *get() const noexcept { return handle_.get(); }
  explicit operator bool() const noexcept { return handle_ != nullptr; }

protected:
  owner() = default;
  explicit owner(T *made) noexcept : handle_(made) {}
  /* What create(&object, arguments ..., &error) makes. */
  template <typename F, typename... Arguments> static T *make(F *create, Arguments... arguments) {
    T *made = nullptr;
    call(create, &made, arguments...);
    return made;
  }

private:
  struct ends {
    void operator()(T *object) const noexcept { destroy(&object); }
  };
  std::unique_ptr<T, ends> handle_;
};

/* A model from a file or a text, with values of its parameters. */
class model : public owner<rattle_model, rattle_model_destroy> {
public:
  using parameters = std::vector<std::pair<std::string, double>>;
  static model load(const std::string &path, const parameters &values = {}) {
    const given with(values);
    return model(make(rattle_model_load, path.c_str(), &with.options));
  }
  static model parse(const std::string &text, const parameters &values = {},
                     const std::string &name = "model") {
    const given with(values);
    return model(make(rattle_model_parse, text.c_str(), name.c_str(), &with.options));
  }
  std::string title() const { return rattle_model_title(get()); }

private:
  using owner::owner;
  struct given {
    explicit given(const parameters &values) {
      for (const auto &one : values) list.push_back({one.first.c_str(), one.second});
      options.parameters = list.data();
      options.parameter_count = static_cast<int>(list.size());
    }
    given(const given &) = delete;
    std::vector<rattle_parameter> list;
    rattle_model_options options = rattle::options<rattle_model_options>();
  };
};

/* A point, its time, and the step that leads on. */
class state {
public:
  state(std::vector<double> q, std::vector<double> p, double h, double t0 = 0)
      : q_(std::move(q)), p_(std::move(p)) {
    c_.t0 = t0, c_.h = h;
  }
  span<double> q() noexcept { return q_; }
  span<double> p() noexcept { return p_; }
  span<const double> q() const noexcept { return q_; }
  span<const double> p() const noexcept { return p_; }
  double &h() noexcept { return c_.h; }
  /* For C: its pointers are those of this object as it is now. */
  rattle_state *get() noexcept {
    c_.q = q_.data(), c_.p = p_.data();
    return &c_;
  }

private:
  std::vector<double> q_, p_;
  rattle_state c_ = options<rattle_state>();
};

/* H and g with their derivatives. Threads may share it. */
class problem : public owner<rattle_problem, rattle_problem_destroy> {
public:
  explicit problem(const model &of, rattle_evaluator evaluator = RATTLE_EVALUATOR_AUTO,
                   long long steps = 0)
      : owner(from(of, evaluator, steps)) {}
  explicit problem(const rattle_callbacks &of)
      : owner(make(rattle_problem_create_callbacks, &of)) {}
  int n() const noexcept { return rattle_problem_n(get()); }
  int m() const noexcept { return rattle_problem_m(get()); }
  /* The start of the model, moved onto the constraints where project is true. */
  state start(double h, bool project = false) const {
    std::vector<double> q(static_cast<std::size_t>(n())), p(q);
    call(rattle_problem_start, get(), static_cast<int>(project), q.data(), p.data(), nullptr);
    return state(std::move(q), std::move(p), h);
  }
  double energy(span<const double> q, span<const double> p) const {
    double value = 0;
    fit(q, p);
    call(rattle_problem_energy, get(), q.data(), p.data(), &value);
    return value;
  }
  /* g and psi, of m numbers each. */
  std::pair<std::vector<double>, std::vector<double>> residuals(span<const double> q,
                                                                span<const double> p) const {
    std::vector<double> g(static_cast<std::size_t>(m())), psi(g);
    fit(q, p);
    call(rattle_problem_residuals, get(), q.data(), p.data(), g.data(), psi.data());
    return {std::move(g), std::move(psi)};
  }

private:
  static rattle_problem *from(const model &of, rattle_evaluator evaluator, long long steps) {
    auto how = options<rattle_problem_options>();
    how.evaluator = evaluator, how.steps = steps;
    return make(rattle_problem_create, of.get(), &how);
  }
  void fit(span<const double> q, span<const double> p) const {
    if (q.size() != static_cast<std::size_t>(n()) || p.size() != q.size())
      throw std::invalid_argument("q and p must have " + std::to_string(n()) + " numbers each");
  }
};

/* A method for a problem. One thread at a time. */
class integrator : public owner<rattle_integrator, rattle_integrator_destroy> {
public:
  integrator(const problem &of, const std::string &method)
      : owner(make(rattle_integrator_create, of.get(), method.c_str())),
        n_(static_cast<std::size_t>(of.n())) {}
  /* A step that fails leaves the state as it was. */
  void step(state &at, long long steps = 1) {
    if (at.q().size() != n_ || at.p().size() != n_)
      throw std::invalid_argument("the state must have " + std::to_string(n_) + " pairs");
    call(rattle_integrator_step, get(), at.get(), steps);
  }
  double time(state &at) const { return rattle_integrator_time(get(), at.get()); }

private:
  std::size_t n_;
};

} // namespace rattle
#endif
