// Steps of the Runge-Kutta method of order 8 of Dormand and Prince around the accelerations of an
// engine. tableau.hpp, with A and B, is written from scipy's coefficients (engines.py).
#pragma once
#include <vector>

#include "tableau.hpp"

struct Explicit {
  std::vector<double> at, rate[12];

  // y += h times the weighted rates; f(at, rate) has the rate at a point.
  template <class F> void step(std::vector<double> &y, double h, F f) {
    const size_t n = y.size();
    at.resize(n);
    for (int i = 0; i < 12; i++) {
      at = y;
      for (int j = 0; j < i; j++)
        if (A[i][j] != 0)
          for (size_t l = 0; l < n; l++) at[l] += h * A[i][j] * rate[j][l];
      rate[i].resize(n);
      f(at, rate[i]);
    }
    for (int i = 0; i < 12; i++)
      if (B[i] != 0)
        for (size_t l = 0; l < n; l++) y[l] += h * B[i] * rate[i][l];
  }
};
