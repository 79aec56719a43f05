#include "geometry/sdf/network.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace stiction {
namespace {

using Eigen::Vector3d;

// The radius is rounded off near the axis, where it has a kink and the phase is not defined.
constexpr double kAxisShare = 0.05;  // of the scale

constexpr double kRound = 0.97;  // of the wave of triangles asin(cos(phase)), at its corners

void add_phase(const NeuralNetwork& network, const Vector3d& p, double r, NetworkInput& input) {
  const double k = 2 * std::numbers::pi / network.pitch;
  const double c = std::cos(k * p.z()), s = std::sin(k * p.z());
  // cos and sin of the phase k z - azimuth, times the radius.
  const double a = c * p.x() + s * p.y(), b = s * p.x() - c * p.y();
  const Vector3d dr = input.slope.row(3);
  const Vector3d da(c, s, -k * b), db(s, -c, k * a);
  const double cosine = a / r, sine = b / r;
  const Vector3d d_cosine = (da - cosine * dr) / r, d_sine = (db - sine * dr) / r;
  input.value.tail<3>() << cosine, sine, std::asin(kRound * cosine);
  input.slope.row(4) = network.scale * d_cosine;
  input.slope.row(5) = network.scale * d_sine;
  input.slope.row(6) =
      network.scale * kRound / std::sqrt(1 - kRound * kRound * cosine * cosine) * d_cosine;
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

// Output and gradient by u = p / scale, within the box: forwards, then backwards.
double evaluate(const NeuralNetwork& network, const Vector3d& p, Vector3d& gradient) {
  using Row = std::array<double, kMaxNetworkWidth>;
  NetworkInput input;
  network_input(network, p, input);
  std::array<Row, kMaxNetworkLayers> cosines;
  Row z, value;
  const int last = static_cast<int>(network.layers.size()) - 1;
  for (int k = 0; k < network.inputs(); ++k) value[k] = input.value[k];
  for (int l = 0; l < last; ++l) {
    const auto& [W, b] = network.layers[l];
    const int rows = padded(b.size());
    std::copy_n(b.data(), b.size(), z.data());
    std::fill(z.data() + b.size(), z.data() + rows, 0.0);
    multiply_add(network.packed[l].W.data(), rows, static_cast<int>(W.cols()), value.data(),
                 z.data());
    sine_and_cosine(z.data(), value.data(), cosines[l].data(), rows);
  }
  const NeuralNetwork::Layer& output = network.layers[last];
  double result = output.b[0];
  for (int k = 0; k < output.W.cols(); ++k) {
    result += output.W(0, k) * value[k];
    value[k] = output.W(0, k);
  }
  for (int l = last - 1; l >= 0; --l) {
    const Eigen::MatrixXd& W = network.layers[l].W;
    for (int k = 0; k < W.rows(); ++k) z[k] = value[k] * cosines[l][k];
    const int rows = padded(W.cols());
    std::fill_n(value.data(), rows, 0.0);
    multiply_add(network.packed[l].transposed.data(), rows, static_cast<int>(W.rows()), z.data(),
                 value.data());
  }
  gradient.setZero();
  for (int k = 0; k < network.inputs(); ++k) gradient += value[k] * input.slope.row(k).transpose();
  return result;
}

}  // namespace

void network_input(const NeuralNetwork& network, const Vector3d& p, NetworkInput& input) {
  input.value.head<3>() = (p - network.center) / network.scale;
  input.slope.topRows<3>().setIdentity();
  const double round = kAxisShare * network.scale;
  const double r = std::sqrt(p.x() * p.x() + p.y() * p.y() + round * round);
  input.value[3] = r / network.scale;
  input.slope.row(3) << p.x() / r, p.y() / r, 0;
  if (network.pitch > 0) add_phase(network, p, r, input);
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

void prepare(NeuralNetwork& network) {
  network.packed.clear();
  for (size_t l = 0; l + 1 < network.layers.size(); ++l) {
    const Eigen::MatrixXd& W = network.layers[l].W;
    network.packed.push_back({pack(W), pack(W.transpose())});
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
