#ifndef RATTLE_OCTAVE_SESSION_H
#define RATTLE_OCTAVE_SESSION_H
/* A problem whose functions are Octave's, with an integrator for it.
 *
 * f(t, x) = (H_p; -H_q), x = (q; p) [2n]; constraints g(q) [m], G = dg/dq [m,n], optionally g's
 * second derivatives [n,n,m] and H_zz. The library gets 0 for the value of H, which no step needs:
 * its energies have no meaning here.
 *
 * Time      The library's problems do not depend on t. If f does, t becomes a coordinate with a
 *           momentum of its own, H(q,p,t) + e: steps are the scheme with f(t, .) at the begin and
 *           f(t + h, .) at the end. A session begins without, compares f at both times before each
 *           step, and goes over if they differ. An anonymous f whose text does not use its first
 *           argument is spared.
 * Natural   Steps for H = p^T M^-1 p/2 + V(q) need a fraction of the calls. A session guesses M
 *           from one value of f, makes such steps, and examines each: f at the points of the scheme
 *           must be M^-1 p and its value at (q, 0), to round-off, so that the point solves the
 *           equations of f itself. The first step that fails this ends the guess, and is made again
 *           for any H.
 * Hessians  Missing ones are differences, of f by the library, of G forward ones with n + 1 points;
 *           they enter Newton's matrices only.
 * Errors    The callback keeps the exception of a user's function, or Ctrl-C, and ends the step; it
 *           is thrown again above the library: no exception passes through C. */
#include <octave/oct.h>
#include <octave/ov-struct.h>
#include <octave/parse.h>

#include <exception>
#include <memory>
#include <string>
#include <vector>

extern "C" {
#include <rattle/rattle.h>
}

/* Values of a function at its last points: a step asks for values, Jacobians and Hessians of one
 * point one after the other. */
class memory {
public:
  const NDArray *find(const double *x, int size) const;
  const NDArray &keep(const double *x, int size, const NDArray &value);
  void clear() { kept_.clear(); }

private:
  struct entry {
    std::vector<double> x;
    NDArray value;
  };
  std::vector<entry> kept_;
  size_t next_ = 0;
};

/* A failure of the library. */
struct failure {
  rattle_error error;
};

struct drop {
  void operator()(rattle_model *m) const { rattle_model_destroy(&m); }
  void operator()(rattle_problem *p) const { rattle_problem_destroy(&p); }
  void operator()(rattle_integrator *i) const { rattle_integrator_destroy(&i); }
  void operator()(rattle_trajectory *t) const { rattle_trajectory_destroy(&t); }
  void operator()(rattle_warnings *w) const { rattle_warnings_destroy(&w); }
  void operator()(rattle_record *r) const { rattle_record_close(&r); }
};
template <class T> using own = std::unique_ptr<T, drop>;

/* [q; p]: an even number of finite real numbers, in a row or column */
ColumnVector state_of(const octave_value &x);

class session {
public:
  /* options: a struct as of odeset; method: where it has no Method; extra: a cell of more arguments
   * of f; x: a state, as given */
  session(const octave_value &f, const octave_scalar_map &options, const std::string &method,
          const octave_value &extra, const octave_value &x);

  /* One step from (t, x) of length h, into x1 [2n]; x and x1 may be the same. Throws failure, with
   * x1 untouched, or what a function threw. */
  void step(double t, double h, const double *x, double *x1);
  int order() const;
  /* For methods that leave p anywhere on its fibre: takes from a difference of momenta [n] what
   * lies along the fibre at q [n], p + G(q)^T lambda. For others nothing. */
  void leave_fibre(const double *q, double *difference);
  int n() const { return n_; }
  octave_idx_type calls() const { return calls_; }

private:
  int n_, m_, flags_;
  octave_value f_, g_, G_, g_hessian_, H_hessian_;
  octave_value_list extra_;
  std::vector<double> inverse_mass_;
  std::string method_;
  bool timed_, timeless_, fresh_,
      guessed_; /* timeless_: f cannot depend on t; guessed_: steps are made for H = p^T M^-1 p/2
                   + V(q), and examined */
  double t_;
  octave_idx_type calls_;
  memory of_f_, of_g_, of_G_;
  std::exception_ptr thrown_;
  own<rattle_problem> problem_;
  own<rattle_integrator> integrator_;

  void make();
  void take(double t, double h, const double *x, double *x1);
  bool depends_on_time(double t, double t1, const double *x);
  void guess(double t, const double *x);
  bool take_guessed(double t, double h, const double *x, double *x1);
  bool solves(double t, double h, const double *x, const double *x1);
  bool agrees(double t, const double *q, const double *p);
  NDArray call(const octave_value &function, const octave_value_list &arguments,
               octave_idx_type numbers, const char *name);
  NDArray force(const double *tx);
  NDArray kept_force(const double *tx);
  NDArray of_constraints(const octave_value &function, memory &kept, const double *q,
                         octave_idx_type numbers, const char *name);
  std::vector<double> time_and_point(const double *z) const;
  template <class F> int guarded(F work);

  static int hamiltonian(void *self, const double *z, double *H, double *gradient);
  static int hamiltonian_hessian(void *self, const double *z, double *hessian);
  static int constraint(void *self, const double *z, double *g, double *jacobian);
  static int constraint_hessian(void *self, const double *z, const double *w, double *hessian);
};

#endif
