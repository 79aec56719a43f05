// Fits a network to a solid: Adam's method (Kingma and Ba, 2015) on the squared errors of distance
// and gradient at random points.
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
#include "geometry/sdf/network.h"

namespace stiction {
namespace {

using Eigen::ArrayXd;
using Eigen::MatrixXd;
using Eigen::Vector3d;

constexpr int kPiece = 64;
constexpr int kHiddenLayers = 3;

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

// The points of one step that one thread sees through, and what goes forwards and backwards.
struct Piece {
  std::mt19937 rng;
  std::array<MatrixXd, kHiddenLayers + 1> A;  // what each layer gets: values, derivatives
  std::array<MatrixXd, kHiddenLayers> Z, sine, cosine;
  MatrixXd Y;                               // output, one row
  MatrixXd target, weight;                  // as Y: distance / scale, gradient
  std::vector<NeuralNetwork::Layer> slope;  // of the loss by weights and biases
  MatrixXd back, next;
  double loss = 0;
};

auto part(MatrixXd& m, int k) { return m.middleCols(k * kPiece, kPiece); }

class Trainer {
 public:
  Trainer(const Sdf& solid, const Training& training, NeuralNetwork& network)
      : solid_(solid), training_(training), network_(network), sampler_(solid, network) {
    first_ = second_ = zeros();
    for (int k = 0; k < training.batch / kPiece; ++k) {
      std::seed_seq seeds{training.seed, static_cast<unsigned>(k), 1u};
      Piece piece;
      piece.rng.seed(seeds);
      piece.A[0].resize(network.inputs(), 4 * kPiece);
      for (int l = 0; l < kHiddenLayers; ++l) {
        piece.A[l + 1].resize(training.width, 4 * kPiece);
        piece.sine[l].resize(training.width, kPiece);
        piece.cosine[l].resize(training.width, kPiece);
      }
      piece.target.resize(1, 4 * kPiece);
      piece.weight.resize(1, 4 * kPiece);
      piece.slope = zeros();
      pieces_.push_back(std::move(piece));
    }
  }

  double step(int index) {
    const int count = static_cast<int>(pieces_.size());
#pragma omp parallel for schedule(static)
    for (int k = 0; k < count; ++k) {
      sample(pieces_[k]);
      forwards(pieces_[k]);
      backwards(pieces_[k]);
    }
    double loss = 0;
    for (const Piece& piece : pieces_) loss += piece.loss / training_.batch;
    // Rises within the first 2 % of the steps, then falls along a cosine.
    const double share = (index + 1.0) / training_.steps;
    const double rate =
        0.02 * std::min(1.0, share / 0.02) * (0.5 + 0.5 * std::cos(std::numbers::pi * share));
    const double bias1 = 1 - std::pow(kDecay1, index + 1), bias2 = 1 - std::pow(kDecay2, index + 1);
    for (size_t l = 0; l < network_.layers.size(); ++l) {
      const auto update = [&](auto& x, auto& m, auto& v, auto slope_of) {
        slope_sum_ = slope_of(pieces_[0].slope[l]);
        for (int k = 1; k < count; ++k) slope_sum_ += slope_of(pieces_[k].slope[l]);
        for (Eigen::Index i = 0; i < x.size(); ++i) {  // Eigen's roots are not all the same
          const double slope = slope_sum_(i) / training_.batch;
          m(i) = kDecay1 * m(i) + (1 - kDecay1) * slope;
          v(i) = kDecay2 * v(i) + (1 - kDecay2) * slope * slope;
          x(i) -= rate / bias1 * m(i) / (std::sqrt(v(i) / bias2) + 1e-12);
        }
      };
      auto W = network_.layers[l].W.reshaped(), W1 = first_[l].W.reshaped(),
           W2 = second_[l].W.reshaped();
      update(W, W1, W2, [](const auto& layer) { return layer.W.reshaped(); });
      update(network_.layers[l].b, first_[l].b, second_[l].b,
             [](const auto& layer) { return layer.b.reshaped(); });
    }
    return loss;
  }

 private:
  static constexpr double kDecay1 = 0.9, kDecay2 = 0.99;

  std::vector<NeuralNetwork::Layer> zeros() const {
    std::vector<NeuralNetwork::Layer> result = network_.layers;
    for (auto& layer : result) {
      layer.W.setZero();
      layer.b.setZero();
    }
    return result;
  }

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
      const double d = solid_.distance(p, gradient);
      network_input(network_, p, input);
      const int inputs = network_.inputs();
      piece.A[0].col(i) = input.value.head(inputs);
      for (int k = 0; k < 3; ++k) {
        piece.A[0].col((k + 1) * kPiece + i) = input.slope.col(k).head(inputs);
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

  void forwards(Piece& piece) const {
    for (int l = 0; l < kHiddenLayers; ++l) {
      const NeuralNetwork::Layer& layer = network_.layers[l];
      piece.Z[l].noalias() = layer.W * piece.A[l];
      part(piece.Z[l], 0).colwise() += layer.b;
      sine_and_cosine(piece.Z[l].data(), piece.sine[l].data(), piece.cosine[l].data(),
                      static_cast<int>(piece.sine[l].size()));
      part(piece.A[l + 1], 0) = piece.sine[l];
      for (int k = 1; k < 4; ++k) {
        part(piece.A[l + 1], k) = piece.cosine[l].cwiseProduct(part(piece.Z[l], k));
      }
    }
    const NeuralNetwork::Layer& output = network_.layers.back();
    piece.Y.noalias() = output.W * piece.A[kHiddenLayers];
    part(piece.Y, 0).array() += output.b[0];
  }

  void backwards(Piece& piece) const {
    piece.back = piece.Y - piece.target;
    piece.loss = piece.weight.cwiseProduct(piece.back.cwiseAbs2()).sum();
    piece.back = 2 * piece.weight.cwiseProduct(piece.back);
    for (int l = kHiddenLayers;; --l) {
      piece.slope[l].W.noalias() = piece.back * piece.A[l].transpose();
      piece.slope[l].b.setZero();  // not rowwise().sum(), whose order depends on the address
      for (int i = 0; i < kPiece; ++i) piece.slope[l].b += piece.back.col(i);
      if (l == 0) return;
      piece.next.noalias() = network_.layers[l].W.transpose() * piece.back;
      MatrixXd& Z = piece.Z[l - 1];
      const MatrixXd &sine = piece.sine[l - 1], &cosine = piece.cosine[l - 1];
      piece.back.resize(piece.next.rows(), piece.next.cols());
      part(piece.back, 0) = part(piece.next, 1).cwiseProduct(part(Z, 1));
      for (int k = 2; k < 4; ++k) {
        part(piece.back, 0) += part(piece.next, k).cwiseProduct(part(Z, k));
      }
      part(piece.back, 0) =
          cosine.cwiseProduct(part(piece.next, 0)) - sine.cwiseProduct(part(piece.back, 0));
      for (int k = 1; k < 4; ++k) {
        part(piece.back, k) = cosine.cwiseProduct(part(piece.next, k));
      }
    }
  }

  // Of squared errors of the distance, as shares of the detail, against those of the gradient.
  static constexpr double kDistanceWeight = 10;

  const Sdf& solid_;
  const Training& training_;
  NeuralNetwork& network_;
  Sampler sampler_;
  std::vector<Piece> pieces_;
  std::vector<NeuralNetwork::Layer> first_, second_;  // moments of the slopes
  Eigen::VectorXd slope_sum_;
};

// Long waves in the first layer, shorter ones along the radius and the phase of a thread; arguments
// of unit size in the others; a small output.
void start(const Training& training, NeuralNetwork& network) {
  std::mt19937 rng(training.seed);
  const auto add = [&](int rows, int columns, double size) {
    std::uniform_real_distribution<double> uniform(-1, 1);
    NeuralNetwork::Layer layer{MatrixXd(rows, columns), Eigen::VectorXd(rows)};
    for (double& w : layer.W.reshaped()) w = size * uniform(rng);
    for (double& b : layer.b) b = std::numbers::pi * uniform(rng);
    network.layers.push_back(std::move(layer));
  };
  add(training.width, network.inputs(), 1);
  network.layers[0].W.leftCols(3) *= 3;
  network.layers[0].W.col(3) *= 10;
  network.layers[0].W.rightCols(network.inputs() - kPlainInputs) *= 0.5;
  for (int l = 1; l < kHiddenLayers; ++l) {
    add(training.width, training.width, std::sqrt(6.0 / training.width));
  }
  add(1, training.width, 0.02 * std::sqrt(6.0 / training.width));
  network.layers.back().b.setZero();
}

void check(const Sdf& solid, const Training& training) {
  const auto refuse = [&](const std::string& what) {
    throw InputError("sdf '" + solid.name + "': " + what);
  };
  if (!solid.distance || solid.surface.triangles.empty()) refuse("has no surface to train with");
  if (training.steps < 1) refuse(std::to_string(training.steps) + " steps, expected 1 or more");
  if (training.width < 8 || training.width > kMaxNetworkWidth) {
    refuse("network of width " + std::to_string(training.width) + ", expected 8 to " +
           std::to_string(kMaxNetworkWidth));
  }
  if (training.batch < kPiece || training.batch % kPiece != 0 || training.batch > 1 << 20) {
    refuse("batch of " + std::to_string(training.batch) + " points, expected a multiple of 64");
  }
}

// On points that the training has not seen.
void measure(const Sdf& solid, unsigned seed, NeuralNetwork& network) {
  constexpr int kCount = 20000;
  const Sampler sampler(solid, network);
  std::seed_seq seeds{seed, 2u};
  std::mt19937 rng(seeds);
  NeuralError& e = network.error;
  for (int k = 0; k < 2 * kCount; ++k) {
    const bool near = k < kCount;
    const Vector3d p = near ? sampler.near(rng, 0.05 * solid.detail) : sampler.anywhere(rng);
    Vector3d gradient, expected;
    const double error =
        std::abs(network_distance(network, p, gradient) - solid.distance(p, expected));
    (near ? e.near_rms : e.volume_rms) += error * error / kCount;
    double& most = near ? e.near_max : e.volume_max;
    most = std::max(most, error);
    if (near) e.gradient_rms += (gradient - expected).squaredNorm() / kCount;
    network.lipschitz = std::max(network.lipschitz, 1.02 * gradient.norm());
  }
  for (double* x : {&e.near_rms, &e.volume_rms, &e.gradient_rms}) *x = std::sqrt(*x);
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
  start(training, network);
  Trainer trainer(solid, training, network);
  for (int k = 0; k < training.steps; ++k) {
    const double loss = trainer.step(k);
    if (!std::isfinite(loss)) {
      throw InputError("sdf '" + solid.name + "': its distances are not finite");
    }
    if (training.progress) training.progress((k + 1.0) / training.steps, loss);
  }
  prepare(network);
  measure(solid, training.seed, network);
  network.surface = solid.surface;
  const DistanceFunction distance = [&](const Vector3d& p, Vector3d& gradient) {
    return network_distance(network, p, gradient);
  };
  for (Vector3d& vertex : network.surface.vertices) move_to_zero(distance, vertex);
  return std::make_shared<const NeuralNetwork>(std::move(network));
}

}  // namespace stiction
