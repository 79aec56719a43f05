// Four doubles side by side, whatever the machine's width.
#pragma once

#include <vector>

namespace stiction {

constexpr int kQuad = 4;
/// Anywhere among doubles. Never passed or returned by value, which depends on the machine.
using Quad = double __attribute__((vector_size(8 * kQuad), aligned(8), may_alias));

inline const Quad& quad_at(const double* x) { return *reinterpret_cast<const Quad*>(x); }
inline Quad& quad_at(double* x) { return *reinterpret_cast<Quad*>(x); }
inline double sum_of_quad(const Quad& a) { return (a[0] + a[2]) + (a[1] + a[3]); }

/// Memory for quads: none lies across two cache lines.
struct alignas(8 * kQuad) StoredQuad {
  double x[kQuad] = {};
};
using QuadVector = std::vector<StoredQuad>;

}  // namespace stiction
