#include "session.h"

#include <octave/oct-string.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <utility>

static octave_value field(const octave_scalar_map &options, const char *name) {
  const octave_value value = options.getfield(name);
  return value.is_defined() ? value : octave_value(Matrix());
}

ColumnVector state_of(const octave_value &x) {
  const char *id = "Octave:invalid-input-arg",
             *want = "rattle: the state must be a vector [q; p] of an even number of finite real numbers";
  if (!x.isnumeric() || !x.isreal() || x.ndims() != 2 || (x.rows() != 1 && x.columns() != 1) || x.isempty() || x.numel() % 2)
    error_with_id(id, "%s", want);
  const ColumnVector state(x.vector_value());
  for (octave_idx_type i = 0; i < state.numel(); i++)
    if (!std::isfinite(state(i))) error_with_id(id, "%s", want);
  return state;
}

static bool is_on(const octave_value &word) {
  return word.is_string() && octave::string::strcmpi(word.string_value(), std::string("on"));
}

/* True if the text of an anonymous function, "@(t, x) ...", does not use its first argument. */
static bool ignores_first(const octave_value &f) {
  if (!f.is_function_handle()) return false;
  const octave_value_list answer = octave::feval("func2str", octave_value_list(f), 1);
  const std::string text = answer(0).string_value();
  const auto in_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  if (text.compare(0, 2, "@(") || text.find("eval") != std::string::npos) return false; /* eval sees all names */
  const size_t end = text.find(')'), stop = text.find_first_of(",)");
  const std::string name = text.substr(2, stop - 2);
  if (name == "~") return true;
  for (char c : name)
    if (!in_word(c)) return false;
  if (name.empty() || name == "varargin") return false;
  for (size_t at = text.find(name, end); at != std::string::npos; at = text.find(name, at + 1))
    if (!in_word(text[at - 1]) && (at + name.size() == text.size() || !in_word(text[at + name.size()]))) return false;
  return true;
}

session::session(const octave_value &f, const octave_scalar_map &options, const std::string &method, const octave_value &extra,
                 const octave_value &x)
    : n_(0), m_(0), flags_(RATTLE_HOLONOMIC), f_(f), g_(field(options, "ConstraintFcn")), G_(field(options, "ConstraintGradFcn")),
      g_hessian_(field(options, "ConstraintHessFcn")), H_hessian_(field(options, "HamiltonianHessFcn")), method_(method),
      timed_(false), timeless_(false), fresh_(true), guessed_(false), t_(0), calls_(0) {
  const char *id = "Octave:invalid-input-arg";
  if (!f.is_function_handle() && !f.is_inline_function())
    error_with_id(id, "rattle: F must be a function, f(t, x) = [H_p; -H_q]");
  const ColumnVector state = state_of(x);
  n_ = int(state.numel() / 2);
  timeless_ = ignores_first(f);
  for (const char *name : {"Mass", "NonNegative"}) /* these change the problem */
    if (!field(options, name).isempty())
      error_with_id(id, "rattle: the option \"%s\" has no meaning for a Hamiltonian system", name);
  if (!field(options, "Method").isempty()) method_ = field(options, "Method").xstring_value("rattle: Method must be a text");
  if (extra.iscell()) extra_ = octave_value_list(extra.cell_value());

  const octave_value count = field(options, "ConstraintsNb");
  if (!count.isempty())
    m_ = count.xint_value("rattle: ConstraintsNb must be a number");
  else if (!g_.isempty()) {
    const octave_value_list g = octave::feval(g_, octave_value_list(octave_value(ColumnVector(state.extract_n(0, n_)))), 1);
    m_ = g.length() ? int(g(0).numel()) : 0;
  }
  if (m_ > 0 && (g_.isempty() || G_.isempty()))
    error_with_id(id, "rattle: %d constraints need the options \"ConstraintFcn\", g(q), and \"ConstraintGradFcn\", its Jacobian",
                  m_);

  if (is_on(field(options, "Separable"))) flags_ |= RATTLE_SEPARABLE;
  const NDArray mass = field(options, "InverseMass").xarray_value("rattle: InverseMass must be numbers");
  if (!mass.isempty()) {
    if (mass.numel() != n_ && mass.numel() != 1)
      error_with_id(id, "rattle: InverseMass has %ld numbers, not 1 or %d", long(mass.numel()), n_);
    for (int i = 0; i < n_; i++) inverse_mass_.push_back(mass(mass.numel() == 1 ? 0 : i));
    flags_ |= RATTLE_SEPARABLE | RATTLE_NATURAL;
  }
  make();
}

/* --- functions of Octave as callbacks ------------------------------------------------------------------------------------------- */

template <class F> int session::guarded(F work) {
  try {
    work();
    return 0;
  } catch (...) {
    thrown_ = std::current_exception();
    return -1;
  }
}

static ColumnVector vector(const double *x, int count) {
  ColumnVector v(count);
  std::copy_n(x, count, v.fortran_vec());
  return v;
}

const NDArray *memory::find(const double *x, int size) const {
  for (const entry &e : kept_)
    if (int(e.x.size()) == size && !std::memcmp(e.x.data(), x, size * sizeof *x)) return &e.value;
  return nullptr;
}

const NDArray &memory::keep(const double *x, int size, const NDArray &value) {
  const size_t points = 8 + size_t(size); /* those of differences too */
  if (kept_.size() < points) kept_.resize(points);
  entry &e = kept_[next_++ % points];
  e.x.assign(x, x + size);
  e.value = value;
  return e.value;
}

NDArray session::call(const octave_value &function, const octave_value_list &arguments, octave_idx_type numbers,
                      const char *name) {
  calls_++;
  const octave_value_list answers = octave::feval(function, arguments, 1);
  if (answers.length() < 1 || !answers(0).isnumeric() || answers(0).iscomplex())
    error("rattle: %s did not return real numbers", name);
  const NDArray answer = answers(0).array_value();
  if (answer.numel() != numbers) error("rattle: %s returned %ld numbers, not %ld", name, long(answer.numel()), long(numbers));
  return answer;
}

/* (t; q; p) from the library's z, which has time and its momentum where they are there */
std::vector<double> session::time_and_point(const double *z) const {
  std::vector<double> tx(1 + 2 * n_);
  tx[0] = timed_ ? z[n_] : t_;
  std::copy_n(z, n_, tx.begin() + 1);
  std::copy_n(z + n_ + timed_, n_, tx.begin() + 1 + n_);
  return tx;
}

/* f(t, (q; p)) = (H_p; -H_q) */
NDArray session::force(const double *tx) {
  octave_value_list arguments;
  arguments(0) = tx[0];
  arguments(1) = vector(tx + 1, 2 * n_);
  return call(f_, arguments.append(extra_), 2 * n_, "the function f");
}

NDArray session::kept_force(const double *tx) {
  /* without time in it f is the same at all times: see step() */
  const double *key = timed_ ? tx : tx + 1;
  const int size = 2 * n_ + timed_;
  if (const NDArray *known = of_f_.find(key, size)) return *known;
  return of_f_.keep(key, size, force(tx));
}

NDArray session::of_constraints(const octave_value &function, memory &kept, const double *q, octave_idx_type numbers,
                                const char *name) {
  if (const NDArray *known = kept.find(q, n_)) return *known;
  return kept.keep(q, n_, call(function, octave_value_list(octave_value(vector(q, n_))), numbers, name));
}

static double difference_step(double x) {
  return std::exp2(std::round(std::log2(std::max(std::fabs(x), 1e-3)) - 26));
}

int session::hamiltonian(void *context, const double *z, double *H, double *gradient) {
  session *s = static_cast<session *>(context);
  return s->guarded([&] {
    const NDArray f = s->kept_force(s->time_and_point(z).data());
    const int n = s->n_, pairs = n + s->timed_;
    *H = 0;
    for (int i = 0; i < n; i++) {
      gradient[i] = -f(n + i);
      gradient[pairs + i] = f(i);
    }
    if (s->timed_) {
      gradient[n] = 0; /* e is not needed, so that its derivative may be anything */
      gradient[pairs + n] = 1;
    }
  });
}

int session::hamiltonian_hessian(void *context, const double *z, double *hessian) {
  session *s = static_cast<session *>(context);
  return s->guarded([&] {
    const int n = s->n_, pairs = n + s->timed_, size = 2 * pairs;
    const std::vector<double> tx = s->time_and_point(z);
    octave_value_list arguments;
    arguments(0) = tx[0];
    arguments(1) = vector(tx.data() + 1, 2 * n);
    const NDArray H = s->call(s->H_hessian_, arguments.append(s->extra_), 4 * octave_idx_type(n) * n, "HamiltonianHessFcn");
    std::fill_n(hessian, size * size, 0.0);
    for (int i = 0; i < 2 * n; i++)
      for (int j = 0; j < 2 * n; j++)
        hessian[(i < n ? i : i + pairs - n) * size + (j < n ? j : j + pairs - n)] = H(i + 2 * n * j);
  });
}

int session::constraint(void *context, const double *z, double *g, double *jacobian) {
  session *s = static_cast<session *>(context);
  return s->guarded([&] {
    const int n = s->n_, m = s->m_, size = 2 * (n + s->timed_);
    const NDArray values = s->of_constraints(s->g_, s->of_g_, z, m, "ConstraintFcn");
    const NDArray G = s->of_constraints(s->G_, s->of_G_, z, octave_idx_type(m) * n, "ConstraintGradFcn");
    if (G.rows() != m) error("rattle: ConstraintGradFcn returned a matrix with %ld rows, not %d by %d", long(G.rows()), m, n);
    std::fill_n(jacobian, m * size, 0.0);
    for (int k = 0; k < m; k++) {
      g[k] = values(k);
      for (int i = 0; i < n; i++) jacobian[k * size + i] = G(k + m * i);
    }
  });
}

int session::constraint_hessian(void *context, const double *z, const double *w, double *hessian) {
  session *s = static_cast<session *>(context);
  return s->guarded([&] {
    const int n = s->n_, m = s->m_, size = 2 * (n + s->timed_);
    std::fill_n(hessian, size * size, 0.0);
    if (s->g_hessian_.isempty()) {
      std::vector<double> q(z, z + n);
      const NDArray G = s->of_constraints(s->G_, s->of_G_, z, octave_idx_type(m) * n, "ConstraintGradFcn");
      for (int j = 0; j < n; j++) {
        const double step = difference_step(z[j]);
        q[j] = z[j] + step;
        const NDArray G1 = s->of_constraints(s->G_, s->of_G_, q.data(), octave_idx_type(m) * n, "ConstraintGradFcn");
        q[j] = z[j];
        for (int i = 0; i < n; i++)
          for (int k = 0; k < m; k++) {
            const double half = w[k] * (G1(k + m * i) - G(k + m * i)) / step / 2;
            hessian[i * size + j] += half;
            hessian[j * size + i] += half;
          }
      }
      return;
    }
    const NDArray GG =
        s->call(s->g_hessian_, octave_value_list(octave_value(vector(z, n))), octave_idx_type(n) * n * m, "ConstraintHessFcn");
    for (int k = 0; k < m; k++)
      for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) hessian[i * size + j] += w[k] * GG(i + n * j + octave_idx_type(n) * n * k);
  });
}

/* --- steps ---------------------------------------------------------------------------------------------------------------------- */

void session::make() {
  rattle_callbacks callbacks = {};
  callbacks.struct_size = sizeof callbacks;
  callbacks.n = n_ + timed_;
  callbacks.m = m_;
  callbacks.context = this;
  callbacks.flags = timed_     ? RATTLE_HOLONOMIC
                    : guessed_ ? RATTLE_HOLONOMIC | RATTLE_SEPARABLE | RATTLE_NATURAL
                               : flags_; /* H(q,p,t) + e is neither separable nor natural */
  callbacks.inverse_mass = inverse_mass_.empty() ? nullptr : inverse_mass_.data();
  callbacks.hamiltonian = hamiltonian;
  if (!H_hessian_.isempty()) callbacks.hamiltonian_hessian = hamiltonian_hessian;
  if (m_) callbacks.constraint = constraint;
  if (m_) callbacks.constraint_hessian = constraint_hessian;
  failure failed;
  rattle_problem *problem = nullptr;
  rattle_integrator *integrator = nullptr;
  thrown_ = nullptr;
  rattle_status status = rattle_problem_create_callbacks(&problem, &callbacks, &failed.error);
  own<rattle_problem> made(problem);
  if (!status) status = rattle_integrator_create(&integrator, problem, method_.c_str(), &failed.error);
  own<rattle_integrator> compiled(integrator);
  if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
  if (status) throw failed;
  integrator_ = std::move(compiled); /* before the problem that it uses goes */
  problem_ = std::move(made);
}

int session::order() const {
  return rattle_method_claims(rattle_integrator_method(integrator_.get())).order;
}

void session::leave_fibre(const double *q, double *difference) {
  if (!m_ || rattle_method_claims(rattle_integrator_method(integrator_.get())).keeps_psi) return;
  const NDArray G = of_constraints(G_, of_G_, q, octave_idx_type(m_) * n_, "ConstraintGradFcn");
  std::vector<std::vector<double>> normal; /* rows of G, made orthonormal */
  for (int k = 0; k < m_; k++) {
    std::vector<double> row(n_);
    for (int i = 0; i < n_; i++) row[i] = G(k + m_ * i);
    for (const std::vector<double> &e : normal) {
      const double along = std::inner_product(e.begin(), e.end(), row.begin(), 0.0);
      for (int i = 0; i < n_; i++) row[i] -= along * e[i];
    }
    const double length = std::sqrt(std::inner_product(row.begin(), row.end(), row.begin(), 0.0));
    if (!(length > 0)) continue;
    for (double &entry : row) entry /= length;
    normal.push_back(row);
  }
  for (const std::vector<double> &e : normal) {
    const double along = std::inner_product(e.begin(), e.end(), difference, 0.0);
    for (int i = 0; i < n_; i++) difference[i] -= along * e[i];
  }
}

void session::take(double t, double h, const double *x, double *x1) {
  const int pairs = n_ + timed_;
  std::vector<double> z(2 * pairs);
  std::copy_n(x, n_, z.begin());
  std::copy_n(x + n_, n_, z.begin() + pairs);
  if (timed_) z[n_] = t;
  rattle_state state = {};
  state.struct_size = sizeof state;
  state.q = z.data();
  state.p = z.data() + pairs;
  state.t0 = t_ = t;
  state.h = h;
  failure failed;
  thrown_ = nullptr;
  const rattle_status status = rattle_integrator_step(integrator_.get(), &state, 1, &failed.error);
  if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
  if (status) throw failed;
  std::copy_n(z.begin(), n_, x1);
  std::copy_n(z.begin() + pairs, n_, x1 + n_);
}

bool session::depends_on_time(double t, double t1, const double *x) {
  std::vector<double> tx(1 + 2 * n_);
  std::copy_n(x, 2 * n_, tx.begin() + 1);
  tx[0] = t1;
  const NDArray after = force(tx.data());
  tx[0] = t;
  const NDArray before = kept_force(tx.data());
  return std::memcmp(before.data(), after.data(), 2 * n_ * sizeof(double)) != 0;
}

/* M^-1 from f at p = (1, ..., 1), for methods whose equations solves() knows */
void session::guess(double t, const double *x) {
  fresh_ = false;
  const bool known = method_ == "rattle(verlet)" || method_ == "shake(verlet)";
  if (!known || flags_ & RATTLE_SEPARABLE) return;
  std::vector<double> tx(1 + 2 * n_, 1.0);
  tx[0] = t;
  std::copy_n(x, n_, tx.begin() + 1);
  try {
    const NDArray f = force(tx.data());
    for (int i = 0; i < n_; i++)
      if (!(f(i) > 0) || !std::isfinite(f(i))) return;
    inverse_mass_.assign(f.data(), f.data() + n_);
    guessed_ = true;
    make();
  } catch (const octave::execution_exception &) { /* f may refuse a point that is not on the way */
    guessed_ = false;
  }
}

/* True if f(t, (q, p)) = (M^-1 p; f(., (q, 0))), to round-off. */
bool session::agrees(double t, const double *q, const double *p) {
  std::vector<double> tx(1 + 2 * n_);
  tx[0] = t_; /* the time that the step's callbacks were given */
  std::copy_n(q, n_, tx.begin() + 1);
  const NDArray still = kept_force(tx.data());
  tx[0] = t;
  std::copy_n(p, n_, tx.begin() + 1 + n_);
  const NDArray f = force(tx.data());
  double speed = 0, push = 0, speed_off = 0, push_off = 0;
  for (int i = 0; i < n_; i++) {
    const double v = inverse_mass_[i] * p[i];
    speed = std::max(speed, std::fabs(v));
    push = std::max(push, std::fabs(still(n_ + i)));
    speed_off = std::max(speed_off, std::fabs(f(i) - v));
    push_off = std::max(push_off, std::fabs(f(n_ + i) - still(n_ + i)));
    if (std::isnan(f(i)) || std::isnan(f(n_ + i))) return false;
  }
  const double round_off = 8 * std::numeric_limits<double>::epsilon();
  return speed_off <= round_off * speed && push_off <= round_off * push;
}

/* True if a step made for the guess is a step of f: it is if f agrees at (q0, p'), (q1, p') and
 * (q1, p1), p' = M (q1 - q0)/h */
bool session::solves(double t, double h, const double *x, const double *x1) {
  std::vector<double> half(n_);
  for (int i = 0; i < n_; i++) half[i] = (x1[i] - x[i]) / h / inverse_mass_[i];
  return agrees(t, x, half.data()) && agrees(t + h, x1, half.data()) && agrees(t + h, x1, x1 + n_);
}

bool session::take_guessed(double t, double h, const double *x, double *x1) {
  try {
    std::vector<double> made(2 * n_);
    take(t, h, x, made.data());
    if (!solves(t, h, x, made.data())) return false;
    std::copy(made.begin(), made.end(), x1);
    return true;
  } catch (const failure &) { /* the general step decides, and says why */
  } catch (const octave::execution_exception &) {
  }
  return false;
}

void session::step(double t, double h, const double *x, double *x1) {
  OCTAVE_QUIT;
  if (fresh_) guess(t, x);
  if (guessed_) {
    if (take_guessed(t, h, x, x1)) return;
    guessed_ = false;
    of_f_.clear();
    make();
  }
  if (!timed_ && !timeless_ && depends_on_time(t, t + h, x)) {
    timed_ = true;
    of_f_.clear();
    make();
  }
  take(t, h, x, x1);
}
