#include "geometry/sdf/network.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace stiction {
namespace {

using Eigen::Vector3d;

// The radius is rounded off near the axis, where it has a kink and the phase is not defined.
constexpr double kAxisShare = 0.01;  // of the scale

constexpr double kRound = 0.97;  // of the wave of triangles asin(cos(phase)), at its corners

// Radius, cosine and sine of the phase, and a wave of triangles.
void thread_input(const NeuralNetwork& network, const Vector3d& p, double r, NetworkInput& input) {
  const double k = 2 * std::numbers::pi / network.pitch;
  const double c = std::cos(k * p.z()), s = std::sin(k * p.z());
  // cos and sin of the phase k z - azimuth, times the radius.
  const double a = c * p.x() + s * p.y(), b = s * p.x() - c * p.y();
  const Vector3d dr(p.x() / r, p.y() / r, 0);
  const Vector3d da(c, s, -k * b), db(s, -c, k * a);
  const double cosine = a / r, sine = b / r;
  const Vector3d d_cosine = (da - cosine * dr) / r, d_sine = (db - sine * dr) / r;
  const double wave = kRound / std::sqrt(1 - kRound * kRound * cosine * cosine);
  input.value << r / network.pitch, cosine, sine, std::asin(kRound * cosine);
  input.slope.row(0) = network.scale / network.pitch * dr;
  input.slope.row(1) = network.scale * d_cosine;
  input.slope.row(2) = network.scale * d_sine;
  input.slope.row(3) = network.scale * wave * d_cosine;
}

int padded(Eigen::Index rows) {
  return static_cast<int>((rows + kRowBlock - 1) / kRowBlock * kRowBlock);
}

std::vector<double> pack(const Eigen::Ref<const Eigen::MatrixXd>& W) {
  const int rows = padded(W.rows());
  std::vector<double> columns(static_cast<size_t>(rows * W.cols()), 0.0);
  for (int j = 0; j < W.cols(); ++j) {
    for (int i = 0; i < W.rows(); ++i) columns[j * rows + i] = W(i, j);
  }
  return columns;
}

// sums += W x, a block of rows at a time in registers.
void multiply_add(const double* W, int rows, int columns, const double* x, double* sums) {
  for (int block = 0; block < rows; block += kRowBlock) {
    std::array<double, kRowBlock> sum;
    for (int i = 0; i < kRowBlock; ++i) sum[i] = sums[block + i];
    for (int j = 0; j < columns; ++j) {
      const double* column = W + j * rows + block;
      for (int i = 0; i < kRowBlock; ++i) sum[i] += column[i] * x[j];
    }
    for (int i = 0; i < kRowBlock; ++i) sums[block + i] = sum[i];
  }
}

using Row = std::array<double, kMaxNetworkWidth>;

// What a branch remembers of its way forwards.
struct Pass {
  const NeuralNetwork::Branch* branch = nullptr;
  NetworkInput input;
  std::array<Row, kMaxNetworkLayers> cosines;
  double result = 0;
};

void go_forwards(const NeuralNetwork& network, const NeuralNetwork::Branch& branch,
                 const Vector3d& p, Pass& pass) {
  pass.branch = &branch;
  network_input(network, branch.thread, p, pass.input);
  Row z, value;
  const int last = static_cast<int>(branch.layers.size()) - 1;
  for (int k = 0; k < kNetworkInputs; ++k) value[k] = pass.input.value[k];
  for (int l = 0; l < last; ++l) {
    const auto& [W, b] = branch.layers[l];
    const int rows = padded(b.size());
    std::copy_n(b.data(), b.size(), z.data());
    std::fill(z.data() + b.size(), z.data() + rows, 0.0);
    multiply_add(branch.packed[l].W.data(), rows, static_cast<int>(W.cols()), value.data(),
                 z.data());
    sine_and_cosine(z.data(), value.data(), pass.cosines[l].data(), rows);
  }
  const NeuralNetwork::Layer& output = branch.layers[last];
  const Eigen::Index hidden = output.W.cols() - kNetworkInputs;
  pass.result = output.b[0];
  for (int k = 0; k < hidden; ++k) pass.result += output.W(0, k) * value[k];
  for (int k = 0; k < kNetworkInputs; ++k) {
    pass.result += output.W(0, hidden + k) * pass.input.value[k];
  }
}

// The gradient by p / scale.
Vector3d go_backwards(const Pass& pass) {
  const std::vector<NeuralNetwork::Layer>& layers = pass.branch->layers;
  Row z, value;
  const int last = static_cast<int>(layers.size()) - 1;
  const Eigen::MatrixXd& output = layers[last].W;
  const Eigen::Index hidden = output.cols() - kNetworkInputs;
  for (int k = 0; k < hidden; ++k) value[k] = output(0, k);
  for (int l = last - 1; l >= 0; --l) {
    const Eigen::MatrixXd& W = layers[l].W;
    for (int k = 0; k < W.rows(); ++k) z[k] = value[k] * pass.cosines[l][k];
    const int rows = padded(W.cols());
    std::fill_n(value.data(), rows, 0.0);
    multiply_add(pass.branch->packed[l].transposed.data(), rows, static_cast<int>(W.rows()),
                 z.data(), value.data());
  }
  Vector3d gradient = Vector3d::Zero();
  for (int k = 0; k < kNetworkInputs; ++k) {
    gradient += (value[k] + output(0, hidden + k)) * pass.input.slope.row(k).transpose();
  }
  return gradient;
}

// Within the box: forwards through all branches, backwards through the one that is the distance.
double evaluate(const NeuralNetwork& network, const Vector3d& p, Vector3d& gradient) {
  std::array<Pass, 3> passes;
  Pass *least = &passes[0], *largest = &passes[1], *other = &passes[2];
  for (const NeuralNetwork::Part& part : network.parts) {
    for (const NeuralNetwork::Branch& branch : part) {
      go_forwards(network, branch, p, *other);
      if (&branch == &part.front() || other->result > largest->result) std::swap(largest, other);
    }
    if (&part == &network.parts.front() || largest->result < least->result) {
      std::swap(least, largest);
    }
  }
  gradient = go_backwards(*least);
  return least->result;
}

}  // namespace

void network_input(const NeuralNetwork& network, bool thread, const Vector3d& p,
                   NetworkInput& input) {
  const double round = kAxisShare * network.scale;
  const double r = std::sqrt(p.x() * p.x() + p.y() * p.y() + round * round);
  if (thread) {
    thread_input(network, p, r, input);
    return;
  }
  input.value << (p - network.center) / network.scale, r / network.scale;
  input.slope.topRows<3>().setIdentity();
  input.slope.row(3) << p.x() / r, p.y() / r, 0;
}

// Quadrant and rest, then the Taylor polynomials on [-pi/4, pi/4]. pi / 2 in two parts, of which
// the first has zeros at its end, so that its product with the quadrant is exact.
void sine_and_cosine(const double* x, double* sine, double* cosine, int count) {
  constexpr double kHigh = 1.5707963267341256, kLow = 6.077100506506192e-11;
  for (int i = 0; i < count; ++i) {
    const double quadrant = std::nearbyint(x[i] * (2 / std::numbers::pi));
    const double r = (x[i] - quadrant * kHigh) - quadrant * kLow;
    const double q = r * r;
    const double s =
        r + r * q *
                (-1.0 / 6 +
                 q * (1.0 / 120 +
                      q * (-1.0 / 5040 +
                           q * (1.0 / 362880 + q * (-1.0 / 39916800 +
                                                    q * (1.0 / 6227020800 - q / 1307674368000))))));
    const double c =
        1 + q * (-0.5 + q * (1.0 / 24 + q * (-1.0 / 720 +
                                             q * (1.0 / 40320 +
                                                  q * (-1.0 / 3628800 +
                                                       q * (1.0 / 479001600 - q / 87178291200))))));
    const double turn = quadrant - 4 * std::floor(quadrant / 4);  // 0 to 3
    const bool swap = turn == 1 || turn == 3;
    const double first = swap ? c : s, second = swap ? s : c;
    sine[i] = turn >= 2 ? -first : first;
    cosine[i] = turn == 1 || turn == 2 ? -second : second;
  }
}

int largest_branch(const NeuralNetwork& network, const NeuralNetwork::Part& part,
                   const Vector3d& p) {
  Pass pass;
  double largest = 0;
  int found = -1;
  for (int k = 0; k < static_cast<int>(part.size()); ++k) {
    go_forwards(network, part[k], p, pass);
    if (found >= 0 && pass.result <= largest) continue;
    largest = pass.result;
    found = k;
  }
  return found;
}

void prepare(NeuralNetwork& network) {
  for (NeuralNetwork::Part& part : network.parts) {
    for (NeuralNetwork::Branch& branch : part) {
      branch.packed.clear();
      for (size_t l = 0; l + 1 < branch.layers.size(); ++l) {
        const Eigen::MatrixXd& W = branch.layers[l].W;
        branch.packed.push_back({pack(W), pack(W.transpose())});
      }
    }
  }
}

double network_distance(const NeuralNetwork& network, const Vector3d& p, Vector3d& gradient) {
  const Vector3d inside =
      p.cwiseMax(network.center - network.half_size).cwiseMin(network.center + network.half_size);
  const double d = network.scale * evaluate(network, inside, gradient);
  const Vector3d beyond = p - inside;
  const double far = beyond.norm();
  if (far == 0) return d;
  for (int axis = 0; axis < 3; ++axis) {
    if (beyond[axis] != 0) gradient[axis] = beyond[axis] / far;
  }
  return d + far;
}

}  // namespace stiction
