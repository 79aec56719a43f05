// Fits networks to the parts of a solid: descent on the squared errors of distance and gradient at
// random points.
//
// The gradient is carried forwards: beside the values A0 of a layer go their derivatives A1, A2, A3
// by the three coordinates, so that with Z = W A + b
//   A0' = sin Z0,   Ak' = cos Z0 Zk,
// and the derivatives of the loss by all of these go backwards. Points come in pieces of 64, each
// with a random generator of its own, and the pieces' derivatives are added in order: the result
// does not depend on the number of threads. (Nor on where in memory the matrices lie, by which
// Eigen decides what goes into vectors: hence no fused multiply-add in this file, see
// CMakeLists.txt.)
#include <stiction/error.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>
#include <random>

#include "geometry/sdf/contour.h"
#include "geometry/sdf/descent.h"
#include "geometry/sdf/network.h"

namespace stiction {
namespace {

using Eigen::ArrayXd;
using Eigen::MatrixXd;
using Eigen::Vector3d;

constexpr int kPiece = 64;
constexpr int kHiddenLayers = 3;
constexpr int kTestPoints = 20000;  // a quarter of them is a multiple of the block size

// Random points: on the surface, moved off it at random, or anywhere in the box.
class Sampler {
 public:
  Sampler(const Sdf& solid, const NeuralNetwork& network) : solid_(solid), network_(network) {
    double area = 0;
    for (const Eigen::Vector3i& t : solid.surface.triangles) {
      const Vector3d& a = solid.surface.vertices[t[0]];
      const Vector3d& b = solid.surface.vertices[t[1]];
      const Vector3d& c = solid.surface.vertices[t[2]];
      area += (b - a).cross(c - a).norm() / 2;
      areas_.push_back(area);
    }
  }

  Vector3d near(std::mt19937& rng, double spread) const {
    std::uniform_real_distribution<double> share(0, 1);
    std::normal_distribution<double> normal;
    const auto found =
        std::upper_bound(areas_.begin(), areas_.end() - 1, share(rng) * areas_.back());
    const Eigen::Vector3i& t = solid_.surface.triangles[found - areas_.begin()];
    double u = share(rng), v = share(rng);
    if (u + v > 1) {
      u = 1 - u;
      v = 1 - v;
    }
    const Vector3d& a = solid_.surface.vertices[t[0]];
    const Vector3d p =
        a + u * (solid_.surface.vertices[t[1]] - a) + v * (solid_.surface.vertices[t[2]] - a);
    const double x = normal(rng), y = normal(rng), z = normal(rng);
    return p + spread * Vector3d(x, y, z);
  }

  Vector3d anywhere(std::mt19937& rng) const {
    std::uniform_real_distribution<double> share(-1, 1);
    const double x = share(rng), y = share(rng), z = share(rng);
    return network_.center + network_.half_size.cwiseProduct(Vector3d(x, y, z));
  }

 private:
  const Sdf& solid_;
  const NeuralNetwork& network_;
  std::vector<double> areas_;  // summed up
};

// What goes forwards and backwards through one branch.
struct Flow {
  std::array<MatrixXd, kHiddenLayers + 1> A;  // what each layer gets: values, derivatives
  std::array<MatrixXd, kHiddenLayers> Z, sine, cosine;
  MatrixXd Y;                               // output, one row
  std::vector<NeuralNetwork::Layer> slope;  // of the loss by weights and biases
  MatrixXd back, next;
};

// The points of one step that one thread sees through.
struct Piece {
  std::mt19937 rng;
  std::vector<Flow> flows;  // one per branch
  MatrixXd target, weight;  // as Flow::Y: distance / scale, gradient
  double loss = 0;
};

auto part(MatrixXd& m, int k) { return m.middleCols(k * kPiece, kPiece); }

// Of one part of the solid.
class Trainer {
 public:
  Trainer(const Sdf& solid, const DistanceFunction& distance, const Training& training,
          const NeuralNetwork& network, NeuralNetwork::Part& branches)
      : solid_(solid),
        distance_(distance),
        training_(training),
        network_(network),
        branches_(branches),
        sampler_(solid, network) {
    for (const NeuralNetwork::Branch& branch : branches) {
      for (const NeuralNetwork::Layer& layer : branch.layers) {
        descents_.emplace_back(layer.b.size(), layer.W.cols() + 1);
      }
    }
    for (int k = 0; k < training.batch / kPiece; ++k) {
      std::seed_seq seeds{training.seed, static_cast<unsigned>(k), 1u};
      Piece piece;
      piece.rng.seed(seeds);
      for (const NeuralNetwork::Branch& branch : branches) {
        Flow flow;
        flow.A[0].resize(kNetworkInputs, 4 * kPiece);
        for (int l = 0; l < kHiddenLayers; ++l) {
          const Eigen::Index width = branch.layers[l].b.size();
          flow.A[l + 1].resize(width, 4 * kPiece);
          flow.sine[l].resize(width, kPiece);
          flow.cosine[l].resize(width, kPiece);
        }
        flow.slope = branch.layers;
        piece.flows.push_back(std::move(flow));
      }
      piece.target.resize(1, 4 * kPiece);
      piece.weight.resize(1, 4 * kPiece);
      pieces_.push_back(std::move(piece));
    }
  }

  double step(int index) {
    const int count = static_cast<int>(pieces_.size());
    const double share = (index + 1.0) / training_.steps;
    // All branches learn at first, or some would never begin to; later only the one that counts.
    blur_ = share < 0.7 ? 2 * solid_.detail / network_.scale * std::exp(-10 * share) : 0;
#pragma omp parallel for schedule(static)
    for (int k = 0; k < count; ++k) see_through(pieces_[k]);
    double loss = 0;
    for (const Piece& piece : pieces_) loss += piece.loss / training_.batch;
    // Rises within the first 2 % of the steps, then falls along a cosine.
    const double rate =
        0.01 * std::min(1.0, share / 0.02) * (0.5 + 0.5 * std::cos(std::numbers::pi * share));
    auto descent = descents_.begin();
    for (size_t b = 0; b < branches_.size(); ++b) {
      for (size_t l = 0; l < branches_[b].layers.size(); ++l) {
        NeuralNetwork::Layer& sum = pieces_[0].flows[b].slope[l];
        for (int k = 1; k < count; ++k) {
          sum.W += pieces_[k].flows[b].slope[l].W;
          sum.b += pieces_[k].flows[b].slope[l].b;
        }
        NeuralNetwork::Layer& layer = branches_[b].layers[l];
        slope_.resize(layer.W.rows(), layer.W.cols() + 1);
        slope_ << sum.W, sum.b;
        const MatrixXd& step = (descent++)->step(slope_ / training_.batch);
        layer.W -= rate * step.leftCols(layer.W.cols());
        layer.b -= rate * step.rightCols(1);
      }
    }
    return loss;
  }

 private:
  // Of eight points three are close to the surface, three around it, two anywhere. Far away, where
  // nothing touches, errors count less.
  void sample(Piece& piece) const {
    NetworkInput input;
    for (int i = 0; i < kPiece; ++i) {
      const int kind = i % 8;
      const Vector3d p = kind < 3   ? sampler_.near(piece.rng, 0.03 * solid_.detail)
                         : kind < 6 ? sampler_.near(piece.rng, 0.3 * solid_.detail)
                                    : sampler_.anywhere(piece.rng);
      Vector3d gradient;
      const double d = distance_(p, gradient);
      for (size_t b = 0; b < branches_.size(); ++b) {
        network_input(network_, branches_[b].thread, p, input);
        MatrixXd& A = piece.flows[b].A[0];
        A.col(i) = input.value;
        for (int k = 0; k < 3; ++k) A.col((k + 1) * kPiece + i) = input.slope.col(k);
      }
      const double near = 1 / (1 + std::abs(d) / solid_.detail);
      const double fine = network_.scale / solid_.detail;
      piece.target(0, i) = d / network_.scale;
      piece.weight(0, i) = kDistanceWeight * fine * fine * near;
      for (int k = 0; k < 3; ++k) {
        piece.target(0, (k + 1) * kPiece + i) = gradient[k];
        piece.weight(0, (k + 1) * kPiece + i) = near;
      }
    }
  }

  void see_through(Piece& piece) const {
    sample(piece);
    for (size_t b = 0; b < branches_.size(); ++b) forwards(branches_[b], piece.flows[b]);
    compare(piece);
    for (size_t b = 0; b < branches_.size(); ++b) backwards(branches_[b], piece.flows[b]);
  }

  static void forwards(const NeuralNetwork::Branch& branch, Flow& flow) {
    for (int l = 0; l < kHiddenLayers; ++l) {
      const NeuralNetwork::Layer& layer = branch.layers[l];
      flow.Z[l].noalias() = layer.W * flow.A[l];
      part(flow.Z[l], 0).colwise() += layer.b;
      sine_and_cosine(flow.Z[l].data(), flow.sine[l].data(), flow.cosine[l].data(),
                      static_cast<int>(flow.sine[l].size()));
      part(flow.A[l + 1], 0) = flow.sine[l];
      for (int k = 1; k < 4; ++k) {
        part(flow.A[l + 1], k) = flow.cosine[l].cwiseProduct(part(flow.Z[l], k));
      }
    }
    const NeuralNetwork::Layer& output = branch.layers.back();
    flow.Y.noalias() = output.W.leftCols(flow.A[kHiddenLayers].rows()) * flow.A[kHiddenLayers];
    flow.Y.noalias() += output.W.rightCols(kNetworkInputs) * flow.A[0];
    part(flow.Y, 0).array() += output.b[0];
  }

  // The loss, and its derivative by the outputs. Branches within about `blur_` of the largest have
  // their share in it.
  void compare(Piece& piece) const {
    piece.loss = 0;
    for (Flow& flow : piece.flows) flow.back.setZero(1, 4 * kPiece);
    for (int i = 0; i < kPiece; ++i) {
      double largest = piece.flows[0].Y(0, i), sum = 0;
      for (const Flow& flow : piece.flows) largest = std::max(largest, flow.Y(0, i));
      const auto share = [&](const Flow& flow) {
        const double below = flow.Y(0, i) - largest;
        return blur_ > 0 ? std::exp(below / blur_) : below == 0 ? 1.0 : 0.0;
      };
      for (const Flow& flow : piece.flows) sum += share(flow);
      for (Flow& flow : piece.flows) {
        const double of_loss = share(flow) / sum;
        if (of_loss == 0) continue;
        for (int k = 0; k < 4; ++k) {
          const int column = k * kPiece + i;
          const double weight = of_loss * piece.weight(0, column);
          const double error = flow.Y(0, column) - piece.target(0, column);
          piece.loss += weight * error * error;
          flow.back(0, column) = 2 * weight * error;
        }
      }
    }
  }

  static void backwards(const NeuralNetwork::Branch& branch, Flow& flow) {
    flow.slope.back().W.rightCols(kNetworkInputs).noalias() = flow.back * flow.A[0].transpose();
    for (int l = kHiddenLayers;; --l) {
      const Eigen::Index hidden = flow.A[l].rows();
      flow.slope[l].W.leftCols(hidden).noalias() = flow.back * flow.A[l].transpose();
      flow.slope[l].b.setZero();  // not rowwise().sum(), whose order depends on the address
      for (int i = 0; i < kPiece; ++i) flow.slope[l].b += flow.back.col(i);
      if (l == 0) return;
      flow.next.noalias() = branch.layers[l].W.leftCols(hidden).transpose() * flow.back;
      MatrixXd& Z = flow.Z[l - 1];
      const MatrixXd &sine = flow.sine[l - 1], &cosine = flow.cosine[l - 1];
      flow.back.resize(flow.next.rows(), flow.next.cols());
      part(flow.back, 0) = part(flow.next, 1).cwiseProduct(part(Z, 1));
      for (int k = 2; k < 4; ++k) {
        part(flow.back, 0) += part(flow.next, k).cwiseProduct(part(Z, k));
      }
      part(flow.back, 0) =
          cosine.cwiseProduct(part(flow.next, 0)) - sine.cwiseProduct(part(flow.back, 0));
      for (int k = 1; k < 4; ++k) {
        part(flow.back, k) = cosine.cwiseProduct(part(flow.next, k));
      }
    }
  }

  // Of squared errors of the distance, as shares of the detail, against those of the gradient.
  static constexpr double kDistanceWeight = 10;

  const Sdf& solid_;
  const DistanceFunction& distance_;
  const Training& training_;
  const NeuralNetwork& network_;
  NeuralNetwork::Part& branches_;
  Sampler sampler_;
  std::vector<Piece> pieces_;
  std::vector<Descent> descents_;  // per layer, branch by branch
  MatrixXd slope_;                 // of one layer, biases last
  double blur_ = 0;                // of the choice between branches, see `compare`
};

// Long waves in the first layer, shorter ones along the radius and the phase of a thread; arguments
// of unit size in the others; a small output, besides a plane that looks anywhere.
NeuralNetwork::Branch start(bool thread, int width, std::mt19937& rng) {
  NeuralNetwork::Branch branch;
  branch.thread = thread;
  const auto add = [&](int rows, int columns, double size) {
    std::uniform_real_distribution<double> uniform(-1, 1);
    NeuralNetwork::Layer layer{MatrixXd(rows, columns), Eigen::VectorXd(rows)};
    for (double& w : layer.W.reshaped()) w = size * uniform(rng);
    for (double& b : layer.b) b = std::numbers::pi * uniform(rng);
    branch.layers.push_back(std::move(layer));
  };
  add(width, kNetworkInputs, 1);
  MatrixXd& W = branch.layers[0].W;
  const Eigen::RowVector4d waves =
      thread ? Eigen::RowVector4d(4, 2, 2, 2) : Eigen::RowVector4d(3, 3, 3, 10);
  for (int k = 0; k < kNetworkInputs; ++k) W.col(k) *= waves[k];
  for (int l = 1; l < kHiddenLayers; ++l) add(width, width, std::sqrt(6.0 / width));
  add(1, width + kNetworkInputs, 0.02 * std::sqrt(6.0 / width));
  auto straight = branch.layers.back().W.rightCols(kNetworkInputs);
  straight.setZero();
  if (!thread) {
    std::normal_distribution<double> normal;
    Vector3d plane;
    for (double& x : plane) x = normal(rng);
    straight.leftCols(3) = plane.normalized().transpose();
  }
  branch.layers.back().b.setZero();
  return branch;
}

// Points that the training has not seen, in blocks: the first half near the surface, the others
// anywhere.
template <class Visit>
void for_test_points(const Sdf& solid, const NeuralNetwork& network, unsigned seed, int count,
                     const Visit& visit) {
  const Sampler sampler(solid, network);
  std::seed_seq seeds{seed, 2u};
  std::mt19937 rng(seeds);
  for (int k = 0; k < 2 * count; k += DistanceBlock::kSize) {
    const bool near = k < count;
    NetworkBlock<Vector3d> block;
    for (Vector3d& p : block) {
      p = near ? sampler.near(rng, 0.05 * solid.detail) : sampler.anywhere(rng);
    }
    visit(block, near);
  }
}

// Those that are nowhere the largest are of no use. The others are put in the order of how often
// they are, so that parts that are not the least are soon seen not to be.
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

void check(const Sdf& solid, const Training& training) {
  const auto refuse = [&](const std::string& what) {
    throw InputError("sdf '" + solid.name + "': " + what);
  };
  if (!solid.distance || solid.surface.triangles.empty()) refuse("has no surface to train with");
  if (training.steps < 1) refuse(std::to_string(training.steps) + " steps, expected 1 or more");
  for (const int width : {training.width, training.thread_width}) {
    if (width < 8 || width > kMaxNetworkWidth) {
      refuse("network of width " + std::to_string(width) + ", expected 8 to " +
             std::to_string(kMaxNetworkWidth));
    }
  }
  const int parts = std::max(1, static_cast<int>(solid.parts.size()));
  if (training.branches < 1 || (training.branches + 1) * parts > kMaxNetworkBranches) {
    refuse(std::to_string(training.branches) + " branches in each of " + std::to_string(parts) +
           " parts, expected 1 or more, and " + std::to_string(kMaxNetworkBranches) +
           " in all at most");
  }
  if (training.batch < kPiece || training.batch % kPiece != 0 || training.batch > 1 << 20) {
    refuse("batch of " + std::to_string(training.batch) + " points, expected a multiple of 64");
  }
}

void measure(const Sdf& solid, unsigned seed, NeuralNetwork& network) {
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

}  // namespace

NeuralPointer train_network(const Sdf& solid, const Training& training) {
  check(solid, training);
  NeuralNetwork network;
  const Bounds bounds = bounds_of(solid.surface);
  network.center = (bounds.lower + bounds.upper) / 2;
  network.half_size = (bounds.upper - bounds.lower) / 2;
  network.scale = network.half_size.maxCoeff();
  network.half_size.array() += 0.1 * network.scale;
  network.pitch = training.use_pitch ? solid.pitch : 0;
  network.detail = solid.detail;
  const std::vector<DistanceFunction> whole = {solid.distance};
  const std::vector<DistanceFunction>& parts = solid.parts.empty() ? whole : solid.parts;
  std::mt19937 rng(training.seed);
  for (size_t k = 0; k < parts.size(); ++k) {
    NeuralNetwork::Part part;
    for (int i = 0; i < training.branches; ++i) part.push_back(start(false, training.width, rng));
    if (network.pitch > 0) part.push_back(start(true, training.thread_width, rng));
    Trainer trainer(solid, parts[k], training, network, part);
    for (int step = 0; step < training.steps; ++step) {
      const double loss = trainer.step(step);
      if (!std::isfinite(loss)) {
        throw InputError("sdf '" + solid.name + "': its distances are not finite");
      }
      const double done = static_cast<double>(k) + (step + 1.0) / training.steps;
      if (training.progress) training.progress(done / static_cast<double>(parts.size()), loss);
    }
    network.parts.push_back(std::move(part));
  }
  leave_out_idle_branches(solid, training.seed, network);
  measure(solid, training.seed, network);
  network.surface = solid.surface;
  const DistanceFunction distance = [&](const Vector3d& p, Vector3d& gradient) {
    return network_distance(network, p, gradient);
  };
  for (Vector3d& vertex : network.surface.vertices) move_to_zero(distance, vertex);
  return std::make_shared<const NeuralNetwork>(std::move(network));
}

}  // namespace stiction
