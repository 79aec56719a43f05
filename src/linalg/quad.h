// Four doubles side by side, whatever the machine's width.
#pragma once

#include <cstring>
#include <vector>

namespace stiction {

constexpr int kQuad = 4;
using Quad = double __attribute__((vector_size(8 * kQuad)));

inline Quad load_quad(const double* x) {
  Quad quad;
  std::memcpy(&quad, x, sizeof quad);
  return quad;
}
inline void store_quad(Quad quad, double* x) { std::memcpy(x, &quad, sizeof quad); }
inline double sum_of(Quad a) { return (a[0] + a[2]) + (a[1] + a[3]); }

/// Memory for quads: none lies across two cache lines.
struct alignas(8 * kQuad) StoredQuad {
  double x[kQuad] = {};
};
using QuadVector = std::vector<StoredQuad>;

}  // namespace stiction
