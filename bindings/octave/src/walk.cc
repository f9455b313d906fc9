#include "walk.h"

#include <algorithm>
#include <cmath>
#include <limits>

points walk_fixed(session &s, double t0, long long k, double h, const double *x, octave_idx_type steps) {
  points made;
  const size_t size = 2 * size_t(s.n());
  std::vector<double> at(x, x + size);
  for (octave_idx_type i = 0; i < steps; i++) {
    try {
      s.step(t0 + double(k + i) * h, h, at.data(), at.data());
    } catch (const failure &f) {
      made.failed = true;
      made.why = f;
      return made;
    }
    made.t.push_back(t0 + double(k + i + 1) * h);
    made.x.insert(made.x.end(), at.begin(), at.end());
  }
  return made;
}

std::vector<double> doubled(session &s, double t, double h, const double *x, double *coarse, double *fine) {
  const size_t size = 2 * size_t(s.n());
  s.step(t, h, x, coarse);
  s.step(t, h / 2, x, fine);
  s.step(t + h / 2, h / 2, fine, fine);
  std::vector<double> error(size);
  for (size_t i = 0; i < size; i++) error[i] = coarse[i] - fine[i];
  s.leave_fibre(fine, error.data() + s.n());
  for (double &e : error) e = std::fabs(e) / (std::exp2(s.order()) - 1);
  return error;
}

/* the error over what is allowed: at most 1 is accepted */
static double measure(const std::vector<double> &error, const double *x, const double *x1, const tolerances &tol) {
  double largest = 0, squares = 0, size = 0, size1 = 0;
  for (size_t i = 0; i < error.size(); i++) {
    const double absolute = tol.absolute(tol.absolute.numel() == 1 ? 0 : octave_idx_type(i));
    const double part = error[i] / std::max(absolute, tol.relative * std::max(std::fabs(x[i]), std::fabs(x1[i])));
    if (!(part <= largest)) largest = part; /* NaN too */
    squares += error[i] * error[i];
    size += x[i] * x[i];
    size1 += x1[i] * x1[i];
  }
  return tol.norm ? std::sqrt(squares) / std::max(tol.absolute(0), tol.relative * std::sqrt(std::max(size, size1))) : largest;
}

points walk_adaptive(session &s, double t, double h, double end, const double *x, octave_idx_type steps, const tolerances &tol) {
  points made;
  const size_t size = 2 * size_t(s.n());
  const double way = end > t ? 1 : -1, safety = 0.9, least = 0.2, most = 5;
  std::vector<double> at(x, x + size), coarse(size), fine(size);
  h = way * std::min(std::fabs(h), tol.most);
  while (octave_idx_type(made.t.size()) < steps && way * (end - t) > 0) {
    const bool last = way * (end - t) <= std::fabs(h) * (1 + 1e-9);
    const double length = last ? end - t : h;
    double factor = 0.5, size_of_error = std::numeric_limits<double>::infinity();
    try {
      size_of_error = measure(doubled(s, t, length, at.data(), coarse.data(), fine.data()), at.data(), fine.data(), tol);
      factor = safety * std::pow(size_of_error, -1.0 / (s.order() + 1));
      factor = std::isfinite(factor) ? std::min(most, std::max(least, factor)) : size_of_error == 0 ? most : least;
    } catch (const failure &f) {
      made.why = f;
      made.failed = true;
    }
    if (size_of_error <= 1) {
      made.failed = false;
      t = last ? end : t + length;
      at = fine;
      made.t.push_back(t);
      made.x.insert(made.x.end(), at.begin(), at.end());
      /* a step cut by the end says nothing against the length before it */
      h = way * std::min(tol.most, last ? std::max(std::fabs(h), std::fabs(length * factor)) : std::fabs(length * factor));
      continue;
    }
    made.rejected++;
    h = length * factor;
    if (std::fabs(h) > 16 * std::numeric_limits<double>::epsilon() * std::fabs(t) && std::fabs(h) > 1e-300) continue;
    if (!made.failed) {
      made.failed = true;
      made.why.error.status = RATTLE_NOT_CONVERGED;
      snprintf(made.why.error.message, sizeof made.why.error.message,
               "no step, however short, has an error below the tolerances RelTol and AbsTol");
    }
    break;
  }
  if (octave_idx_type(made.t.size()) == steps || t == end) made.failed = false;
  made.next = h;
  return made;
}
