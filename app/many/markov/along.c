/* Free energies along a parameter s of the model.
 *
 * Slope    dF_s/ds = mean of dV/ds + lambda . dg/ds over exp(-V/T) d sigma, with p' = -V_q - lambda
 *          g_q, momenta drawn too: no second derivatives. For g = xi(q) - s it is minus the mean of
 *          lambda
 * Symbols  F_s = -T log of the integral of exp(-V/T) d sigma over g(q; s) = 0; that of delta(g) dq
 *          has exp(log_delta) as a factor; derivatives by s are differences over a ten-thousandth
 *          of the way between values
 * Source   T. Lelievre, M. Rousset, G. Stoltz, Math. Comp. 81 (2012) 2071, section 4; W. K. den
 *          Otter, W. J. Briels, J. Chem. Phys. 109 (1998) 4139 */
#include "many/markov/along.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NEAREST = 4 };

/* dV/ds + lambda . dg/ds at a draw; room [2m]. */
static rattle_status slope_at(const along_ends *ends, const double *q, const double *still,
                              const double *lambda, double *room, double *slope,
                              rattle_error *error) {
  const int m = rattle_problem_m(ends->above);
  double V[2] = {0}, *psi = room + 2 * m;
  rattle_status status = rattle_problem_energy(ends->below, q, still, &V[0], error);
  if (!status) status = rattle_problem_energy(ends->above, q, still, &V[1], error);
  if (!status && m) status = rattle_problem_residuals(ends->below, q, still, room, psi, error);
  if (!status && m) status = rattle_problem_residuals(ends->above, q, still, room + m, psi, error);
  *slope = V[1] - V[0];
  for (int i = 0; i < m; i++) *slope += lambda[i] * (room[m + i] - room[i]);
  *slope /= 2 * ends->half;
  return status;
}

static rattle_status estimate(const double *x, const rattle_sampling_result *r, rattle_estimate *e,
                              rattle_error *error) {
  const rattle_draws draws = {x, r->chains, r->draws, r->draws, 1};
  return rattle_estimate_of(&draws, e, error);
}

/* A quantity that does not vary has no error. */
static double error_of(const rattle_estimate *e) {
  return isnan(e->error) && e->sd == 0 ? 0 : e->error;
}

/* Kinetic energies are the same at both ends: momenta have no part in F then. */
static rattle_status same_masses(const along_ends *ends, const double *q, int n, double *p,
                                 rattle_error *error) {
  double T[2] = {0};
  rattle_status status = RATTLE_OK;
  for (int k = 0; k < 2 && !status; k++) {
    const rattle_problem *problem = k ? ends->above : ends->below;
    double at_rest = 0;
    memset(p, 0, (size_t)n * sizeof *p);
    status = rattle_problem_energy(problem, q, p, &at_rest, error);
    for (int i = 0; i < n; i++) p[i] = 1 + i % 3;
    if (!status) status = rattle_problem_energy(problem, q, p, &T[k], error);
    T[k] -= at_rest;
  }
  memset(p, 0, (size_t)n * sizeof *p);
  if (status || fabs(T[1] - T[0]) <= 1e-9 * (fabs(T[0]) + fabs(T[1]))) return status;
  return text_fail(error, RATTLE_UNSUITABLE,
                   "masses depend on the parameter: --along is for parameters of the potential and "
                   "of constraints");
}

rattle_status along_measure(along_point *point, const rattle_sampling_result *r,
                            const along_ends *ends, rattle_error *error) {
  const int n = rattle_problem_n(ends->above), m = rattle_problem_m(ends->above);
  const long long all = r->chains * r->draws;
  double *slope = calloc(2 * (size_t)all + (size_t)(n + 3 * m) + 1, sizeof *slope);
  if (!slope) return text_no_memory(error);
  double *weight = slope + all, *still = weight + all, *room = still + n, most = -INFINITY;
  rattle_estimate e = {0};
  rattle_status status = same_masses(ends, r->value, n, still, error);
  for (long long k = 0; k < all && !status; k++) {
    const double *row = r->value + k * r->columns, *lambda = row + r->columns - 1 - m;
    status = slope_at(ends, row, still, lambda, room, &slope[k], error);
    weight[k] = row[r->columns - 1];
    most = fmax(most, weight[k]);
  }
  for (long long k = 0; k < all; k++) weight[k] = exp(weight[k] - most);
  if (!status) status = estimate(slope, r, &e, error);
  point->slope = e.mean, point->slope_error = error_of(&e);
  point->effective = e.effective, point->rhat = e.rhat;
  if (!status) status = estimate(weight, r, &e, error);
  point->log_weight = most + log(e.mean), point->weight_error = error_of(&e) / e.mean;
  free(slope);
  return status;
}

/* weight[k] of the values at s[first + k], k < count, in the integral from s[i] to s[i + 1] of the
 * polynomial through them: two points of Gauss are exact for cubics. */
static void weigh(const along_point *point, long long first, long long count, long long i,
                  double weight[NEAREST]) {
  const double middle = (point[i].s + point[i + 1].s) / 2, half = (point[i + 1].s - point[i].s) / 2;
  for (long long k = 0; k < count; k++) {
    weight[k] = 0;
    for (int side = -1; side <= 1; side += 2) {
      double term = half;
      for (long long l = 0; l < count; l++)
        if (l != k)
          term *= (middle + side * half / sqrt(3) - point[first + l].s) /
                  (point[first + k].s - point[first + l].s);
      weight[k] += term;
    }
  }
}

void along_integrate(along_point *point, long long count, double temperature, double *doubt) {
  double *sum = calloc((size_t)count, sizeof *sum), trapezoid = 0;
  *doubt = sum ? 0 : (double)NAN;
  for (long long j = 0; j < count && sum; j++) {
    if (j > 0) {
      double weight[NEAREST];
      long long first = j - 2 > 0 ? j - 2 : 0;
      const long long many = count < NEAREST ? count : NEAREST;
      if (first + many > count) first = count - many;
      weigh(point, first, many, j - 1, weight);
      for (long long k = 0; k < many; k++) sum[first + k] += weight[k];
      trapezoid += (point[j].s - point[j - 1].s) * (point[j].slope + point[j - 1].slope) / 2;
    }
    double F = 0, square = 0;
    for (long long k = 0; k < count; k++)
      F += sum[k] * point[k].slope, square += pow(sum[k] * point[k].slope_error, 2);
    const double T = temperature,
                 of_weights =
                     j ? pow(T * point[j].weight_error, 2) + pow(T * point[0].weight_error, 2) : 0;
    point[j].F = F, point[j].F_error = sqrt(square);
    point[j].delta = F - T * (point[j].log_weight - point[0].log_weight);
    point[j].delta_error = sqrt(square + of_weights);
    *doubt = fmax(*doubt, fabs(F - trapezoid));
  }
  free(sum);
}

/* --- what is shown --- */

void along_print(const along_about *a, const along_point *point, long long count) {
  double worst = 0;
  const rattle_sampling_options *o = a->sampling;
  cli_print_title(stdout, a->title, a->path);
  cli_print(stdout,
            "%s along %s, temperature %g, %d chain%s of %lld sample%s at each value, seed %lld\n\n",
            a->method, a->name, a->temperature, o->chains, o->chains == 1 ? "" : "s", o->draws,
            o->draws == 1 ? "" : "s", (long long)o->chain->seed);
  cli_print(stdout, "  %13s  %12s %8s  %12s %8s  %12s %8s  %9s  %7s\n", a->name, "dF/ds", "error",
            "F surface", "error", "F delta", "error", "effective", "R-hat");
  for (long long j = 0; j < count; j++) {
    const along_point *x = &point[j];
    worst = fmax(worst, x->rhat);
    cli_print(stdout, "  %13.6g  %12.6g %8.2g  %12.6g %8.2g  %12.6g %8.2g", x->s, x->slope,
              x->slope_error, x->F, x->F_error, x->delta, x->delta_error);
    if (isnan(x->rhat))
      cli_print(stdout, "  %9s  %7s\n", "-", "-");
    else
      cli_print(stdout, "  %9.0f  %7.4f\n", x->effective, x->rhat);
  }
  cli_print(stdout,
            "\n  errors are those of sampling; the trapezoidal rule differs from the cubic one by "
            "up to %.2g\n",
            a->doubt);
  if (worst > 1.01)
    cli_print(stdout, "R-hat is above 1.01: the chains do not agree yet; take more samples or a "
                      "longer warm-up\n");
}

void along_print_json(const along_about *a, const along_point *point, long long count) {
  json_writer json = {.out = stdout, .indent = 2};
  json_open(&json, NULL, '{');
  json_text(&json, "method", a->method);
  json_text(&json, "along", a->name);
  json_real(&json, "temperature", a->temperature);
  json_integer(&json, "chains", a->sampling->chains);
  json_integer(&json, "samples", a->sampling->draws);
  json_integer(&json, "seed", (long long)a->sampling->chain->seed);
  json_open(&json, "points", '[');
  for (long long j = 0; j < count; j++) {
    const along_point *x = &point[j];
    json_open(&json, NULL, '{');
    json_real(&json, "value", x->s);
    json_real(&json, "slope", x->slope);
    json_real(&json, "slope_error", x->slope_error);
    json_real(&json, "surface", x->F);
    json_real(&json, "surface_error", x->F_error);
    json_real(&json, "delta", x->delta);
    json_real(&json, "delta_error", x->delta_error);
    json_real(&json, "effective", x->effective);
    json_real(&json, "rhat", x->rhat);
    json_close(&json, '}');
  }
  json_close(&json, ']');
  json_real(&json, "rule_difference", a->doubt);
  cli_json_status(&json, RATTLE_OK, NULL);
  json_close(&json, '}');
}

rattle_status along_write_csv(const char *path, const along_point *point, long long count,
                              rattle_error *error) {
  cli_output output;
  const rattle_status status = cli_begin_output(&output, path, 1, error);
  if (status) return status;
  FILE *file = output.file;
  fprintf(file, "value,slope,slope_error,surface,surface_error,delta,delta_error,effective,rhat\n");
  for (long long j = 0; j < count; j++)
    fprintf(file, "%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g\n", point[j].s,
            point[j].slope, point[j].slope_error, point[j].F, point[j].F_error, point[j].delta,
            point[j].delta_error, point[j].effective, point[j].rhat);
  return cli_end_output(&output, RATTLE_OK, error);
}
