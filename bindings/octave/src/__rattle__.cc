/* The functions under odeRATTLE.m, odeSHAKE.m, rattle.m and rattle_run.m. */
#include "walk.h"
#include "model.h"

#include <octave/interpreter.h>

#include <limits>
#include <map>

static std::map<int, std::unique_ptr<session>> sessions;

static session &find(const octave_value &id) {
  const auto found = sessions.find(id.int_value());
  if (found == sessions.end()) error("rattle: there is no session %d", id.int_value());
  return *found->second;
}

/* NULL status: no failure */
static octave_value described(const failure *f) {
  octave_scalar_map why;
  why.assign("status", f ? rattle_status_name(f->error.status) : "");
  why.assign("message", f ? f->error.message : "");
  return octave_value(why);
}

static Matrix columns(const std::vector<double> &x, octave_idx_type rows) {
  Matrix all(rows, octave_idx_type(x.size()) / rows);
  std::copy(x.begin(), x.end(), all.fortran_vec());
  return all;
}

/* "open", f, options, method, extra, x */
static octave_value_list open(const octave_value_list &a) {
  static int last = 0;
  std::unique_ptr<session> made(new session(a(1), a(2).scalar_map_value(), a(3).string_value(), a(4), a(5)));
  sessions[++last] = std::move(made);
  return octave_value_list(octave_value(last));
}

static octave_value_list of_points(const points &p, octave_idx_type rows) {
  octave_value_list out;
  out(0) = columns(p.t, 1);
  out(1) = columns(p.x, rows);
  out(2) = described(p.failed ? &p.why : nullptr);
  out(3) = p.next;
  out(4) = double(p.rejected);
  return out;
}

/* a state of the session's size */
static ColumnVector point(const octave_value &given, const session &s) {
  ColumnVector x = state_of(given);
  if (x.numel() != 2 * s.n()) error("rattle: x has %ld numbers, not %d", long(x.numel()), 2 * s.n());
  return x;
}

/* "fixed", id, t0, k, h, x, steps */
static octave_value_list fixed(const octave_value_list &a) {
  session &s = find(a(1));
  const ColumnVector x = point(a(5), s);
  return of_points(walk_fixed(s, a(2).double_value(), a(3).int64_value(), a(4).double_value(), x.data(), a(6).idx_type_value()),
                   x.numel());
}

/* "adaptive", id, t, h, end, x, steps, RelTol, AbsTol, MaxStep, NormControl */
static octave_value_list adaptive(const octave_value_list &a) {
  session &s = find(a(1));
  const ColumnVector x = point(a(5), s);
  const tolerances tol = {a(7).double_value(), a(8).array_value(), a(9).double_value(), a(10).is_true()};
  const double steps = a(6).double_value();
  const octave_idx_type most = std::isinf(steps) ? std::numeric_limits<octave_idx_type>::max() : octave_idx_type(steps);
  return of_points(walk_adaptive(s, a(2).double_value(), a(3).double_value(), a(4).double_value(), x.data(), most, tol),
                   x.numel());
}

/* "stepper", f, options, method, t, x, h, with_error: [x1, err], of a session that ends here */
static octave_value_list stepper(const octave_value_list &a) {
  session s(a(1), a(2).scalar_map_value(), a(3).string_value(), octave_value(), a(5));
  const ColumnVector x = point(a(5), s);
  const double t = a(4).xdouble_value("rattle: T must be a number"), h = a(6).xdouble_value("rattle: DT must be a number");
  ColumnVector x1(x.numel()), fine(x.numel());
  octave_value_list out;
  if (a(7).is_true()) {
    double squares = 0;
    for (double e : doubled(s, t, h, x.data(), x1.fortran_vec(), fine.fortran_vec())) squares += e * e;
    out(1) = std::sqrt(squares);
  } else
    s.step(t, h, x.data(), x1.fortran_vec());
  out(0) = x1;
  return out;
}

DEFMETHOD_DLD(__rattle__, interp, args, ,
              "-*- texinfo -*-\n"
              "@deftypefn {} {} __rattle__ (@dots{})\n"
              "Undocumented internal function.\n"
              "@end deftypefn") {
  const std::string what = args.length() ? args(0).xstring_value("__rattle__: the first argument is a word") : "";
  try {
    if (what == "open") {
      interp.mlock(); /* sessions are lost if `clear all` unloads this file */
      return open(args);
    }
    if (what == "close") {
      sessions.erase(args(1).int_value());
      return octave_value_list();
    }
    if (what == "fixed") return fixed(args);
    if (what == "adaptive") return adaptive(args);
    if (what == "stepper") return stepper(args);
    if (what == "calls") return octave_value_list(octave_value(double(find(args(1)).calls())));
    if (what == "run") return run_model(args);
    if (what == "version") return octave_value_list(octave_value(rattle_version()));
  } catch (const failure &f) {
    error_with_id((std::string("rattle:") + rattle_status_name(f.error.status)).c_str(), "rattle: %s", f.error.message);
  }
  error("__rattle__: no such call: %s", what.c_str());
}
