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
#include <random>

#include "geometry/sdf/contour.h"
#include "geometry/sdf/descent.h"
#include "geometry/sdf/measure_network.h"
#include "geometry/sdf/network.h"
#include "geometry/sdf/random_points.h"

namespace stiction {
namespace {

using Eigen::ArrayXd;
using Eigen::MatrixXd;
using Eigen::Vector3d;

constexpr int kPiece = 64;
constexpr int kHiddenLayers = 3;

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
        random_(solid, network) {
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
      const Vector3d p = kind < 3   ? random_.near(piece.rng, 0.03 * solid_.detail)
                         : kind < 6 ? random_.near(piece.rng, 0.3 * solid_.detail)
                                    : random_.anywhere(piece.rng);
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
  RandomPoints random_;
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
  measure_network(solid, training.seed, network);
  network.surface = solid.surface;
  const DistanceFunction distance = [&](const Vector3d& p, Vector3d& gradient) {
    return network_distance(network, p, gradient);
  };
  for (Vector3d& vertex : network.surface.vertices) move_to_zero(distance, vertex);
  return std::make_shared<const NeuralNetwork>(std::move(network));
}

}  // namespace stiction
