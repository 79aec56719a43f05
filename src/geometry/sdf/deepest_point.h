// Where two solids that lie deep within each other are deepest: the least sum of their distances,
// by the simplex method of Nelder and Mead, since ridges cross there.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <utility>

namespace stiction {

/// A minimum of `function(x)` near `start`; `size` is that of the first simplex.
template <class Function>
Eigen::Vector3d least_point(const Function& function, const Eigen::Vector3d& start, double size) {
  using Eigen::Vector3d;
  constexpr int kRestarts = 4, kIterations = 120;
  struct Corner {
    Vector3d x;
    double value;
  };
  Vector3d best = start;
  for (int restart = 0; restart < kRestarts; ++restart, size *= 0.2) {
    std::array<Corner, 4> simplex;
    for (int k = 0; k < 4; ++k) {
      simplex[k].x = k == 0 ? best : Vector3d(best + size * Vector3d::Unit(k - 1));
      simplex[k].value = function(simplex[k].x);
    }
    for (int k = 0; k < kIterations; ++k) {
      for (int i = 1; i < 4; ++i) {  // sort
        for (int j = i; j > 0 && simplex[j].value < simplex[j - 1].value; --j) {
          std::swap(simplex[j], simplex[j - 1]);
        }
      }
      const Vector3d middle = (simplex[0].x + simplex[1].x + simplex[2].x) / 3;
      const auto at = [&](double t) {
        const Vector3d x = middle + t * (simplex[3].x - middle);
        return Corner{x, function(x)};
      };
      const Corner reflected = at(-1);
      if (reflected.value < simplex[0].value) {
        const Corner further = at(-2);
        simplex[3] = further.value < reflected.value ? further : reflected;
        continue;
      }
      if (reflected.value < simplex[2].value) {
        simplex[3] = reflected;
        continue;
      }
      const Corner nearer = at(reflected.value < simplex[3].value ? -0.5 : 0.5);
      if (nearer.value < std::min(reflected.value, simplex[3].value)) {
        simplex[3] = nearer;
        continue;
      }
      for (int c = 1; c < 4; ++c) {
        simplex[c].x = (simplex[c].x + simplex[0].x) / 2;
        simplex[c].value = function(simplex[c].x);
      }
    }
    best = std::min_element(simplex.begin(), simplex.end(), [](const Corner& a, const Corner& b) {
             return a.value < b.value;
           })->x;
  }
  return best;
}

}  // namespace stiction
