#include "geometry/sdf/measure_network.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "geometry/sdf/random_points.h"

namespace stiction {
namespace {

using Eigen::Vector3d;

constexpr int kTestPoints = 20000;  // a quarter of them is a multiple of the block size

// Points that the training has not seen, in blocks: the first half near the surface, the others
// anywhere.
template <class Visit>
void for_test_points(const Sdf& solid, const NeuralNetwork& network, unsigned seed, int count,
                     const Visit& visit) {
  const RandomPoints random(solid, network);
  std::seed_seq seeds{seed, 2u};
  std::mt19937 rng(seeds);
  for (int k = 0; k < 2 * count; k += DistanceBlock::kSize) {
    const bool near = k < count;
    NetworkBlock<Vector3d> block;
    for (Vector3d& p : block) {
      p = near ? random.near(rng, 0.05 * solid.detail) : random.anywhere(rng);
    }
    visit(block, near);
  }
}

}  // namespace

void leave_out_idle_branches(const Sdf& solid, unsigned seed, NeuralNetwork& network) {
  prepare(network);
  std::vector<std::vector<int>> uses;
  for (const NeuralNetwork::Part& part : network.parts) uses.emplace_back(part.size(), 0);
  for_test_points(solid, network, seed, kTestPoints / 4, [&](const auto& points, bool) {
    for (size_t k = 0; k < uses.size(); ++k) {
      for (const int b : largest_branches(network, network.parts[k], points)) ++uses[k][b];
    }
  });
  for (size_t k = 0; k < uses.size(); ++k) {
    std::vector<size_t> order(uses[k].size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t a, size_t b) { return uses[k][a] > uses[k][b]; });
    NeuralNetwork::Part kept;
    for (const size_t b : order) {
      if (uses[k][b] > 0) kept.push_back(std::move(network.parts[k][b]));
    }
    network.parts[k] = std::move(kept);
  }
}

void measure_network(const Sdf& solid, unsigned seed, NeuralNetwork& network) {
  NeuralError& e = network.error;
  e.parts.resize(network.parts.size());
  std::vector<int> counts(network.parts.size(), 0);
  const auto compare = [&](const Vector3d& p, bool near, double d, const Vector3d& gradient) {
    Vector3d expected, ignored;
    const double error = std::abs(d - solid.distance(p, expected));
    network.lipschitz = std::max(network.lipschitz, 1.02 * gradient.norm());
    const double square = error * error;
    if (!near) {
      e.volume_rms += square;
      e.volume_max = std::max(e.volume_max, error);
      return;
    }
    e.near_rms += square;
    e.near_max = std::max(e.near_max, error);
    e.gradient_rms += (gradient - expected).squaredNorm();
    size_t nearest = 0;
    for (size_t k = 1; k < solid.parts.size(); ++k) {
      if (solid.parts[k](p, ignored) < solid.parts[nearest](p, ignored)) nearest = k;
    }
    ++counts[nearest];
    e.parts[nearest].near_rms += square;
    e.parts[nearest].near_max = std::max(e.parts[nearest].near_max, error);
  };
  for_test_points(solid, network, seed, kTestPoints, [&](const auto& points, bool near) {
    NetworkBlock<double> d;
    NetworkBlock<Vector3d> gradients;
    network_distances(network, points, d, gradients);
    for (size_t k = 0; k < points.size(); ++k) compare(points[k], near, d[k], gradients[k]);
  });
  for (double* x : {&e.near_rms, &e.volume_rms, &e.gradient_rms}) *x = std::sqrt(*x / kTestPoints);
  for (size_t k = 0; k < counts.size(); ++k) {
    e.parts[k].near_rms = std::sqrt(e.parts[k].near_rms / std::max(1, counts[k]));
  }
}

}  // namespace stiction
