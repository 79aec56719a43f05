#include "geometry/sdf/network.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <numbers>

#include "math/lanes.h"

namespace stiction {
namespace {

using Eigen::Vector3d;

constexpr int kBlock = DistanceBlock::kSize;

// The radius is rounded off near the axis, where it has a kink and the phase is not defined.
constexpr double kAxisShare = 0.01;  // of the scale

constexpr double kRound = 0.97;  // of the wave of triangles asin(cos(phase)), at its corners

// (-1)^m sin(r) with x = r + (m - shift) pi, |r| <= pi / 2: the sine of x for shift 0, its cosine
// for shift 1/2. Adding and subtracting kRounder leaves the nearest whole number, and its parity in
// the last bit. Of the two parts of pi the first has zeros at its end, so that its product is
// exact.
double wave(double x, double shift) {
  constexpr double kHigh = 3.1415926534682512, kLow = 1.2154201013012384e-10;
  constexpr double kRounder = 0x1.8p52;
  const double rounded = (x * (1 / std::numbers::pi) + shift) + kRounder;
  const double turns = (rounded - kRounder) - shift;
  const double r = (x - turns * kHigh) - turns * kLow;
  const double q = r * r;
  double s = -1.0 / 121645100408832000;
  for (const double c : {1.0 / 355687428096000, -1.0 / 1307674368000, 1.0 / 6227020800,
                         -1.0 / 39916800, 1.0 / 362880, -1.0 / 5040, 1.0 / 120, -1.0 / 6}) {
    s = s * q + c;
  }
  const std::uint64_t odd = std::bit_cast<std::uint64_t>(rounded) << 63;
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(r + r * q * s) ^ odd);
}

void sines(const double* x, double* sine, int count) {
  for (int i = 0; i < count; ++i) sine[i] = wave(x[i], 0);
}

void cosines(const double* x, double* cosine, int count) {
  for (int i = 0; i < count; ++i) cosine[i] = wave(x[i], 0.5);
}

// Radius, cosine and sine of the phase, and a wave of triangles.
void thread_input(const NeuralNetwork& network, const Vector3d& p, double r, NetworkInput& input) {
  const double k = 2 * std::numbers::pi / network.pitch;
  const double c = wave(k * p.z(), 0.5), s = wave(k * p.z(), 0), inverse = 1 / r;
  // cos and sin of the phase k z - azimuth, times the radius.
  const double a = c * p.x() + s * p.y(), b = s * p.x() - c * p.y();
  const Vector3d dr(inverse * p.x(), inverse * p.y(), 0);
  const Vector3d da(c, s, -k * b), db(s, -c, k * a);
  const double cosine = inverse * a, sine = inverse * b;
  const Vector3d d_cosine = inverse * (da - cosine * dr);
  const Vector3d d_sine = inverse * (db - sine * dr);
  const double steepness = kRound / std::sqrt(1 - kRound * kRound * cosine * cosine);
  input.value << r / network.pitch, cosine, sine, std::asin(kRound * cosine);
  input.slope.row(0) = network.scale / network.pitch * dr;
  input.slope.row(1) = network.scale * d_cosine;
  input.slope.row(2) = network.scale * d_sine;
  input.slope.row(3) = network.scale * steepness * d_cosine;
}

int padded(Eigen::Index rows, int tile) {
  return static_cast<int>((rows + tile - 1) / tile * tile);
}

std::vector<double> pack(const Eigen::Ref<const Eigen::MatrixXd>& W) {
  const int rows = padded(W.rows(), kRowBlock);
  std::vector<double> columns(static_cast<size_t>(rows * W.cols()), 0.0);
  for (int j = 0; j < W.cols(); ++j) {
    for (int i = 0; i < W.rows(); ++i) columns[j * rows + i] = W(i, j);
  }
  return columns;
}

// N points go through the layers side by side: a row is one number of each.
template <int N>
using Points = std::array<double, N>;
template <int N>
using Rows = std::array<Points<N>, kMaxNetworkWidth + kNetworkInputs>;

// Rows are filled up to a multiple of this; a vector has several rows of one point, or one row of
// several points.
template <int N>
constexpr int kTile = N == 1 ? kRowBlock : 4;

// Some rows of sums += W x in registers; the loops that the compiler makes of arrays spend half of
// their time on moving numbers about.
template <int N, int kRows>
void multiply_add_rows(const double* W, int stride, Eigen::Index columns, const Points<N>* x,
                       Points<N>* sums) {
  static_assert(N == 1 || N == kBlock);
  constexpr int kVectors = kRows * N / kLanes;
  Lanes sum[kVectors];
  std::memcpy(sum, sums, sizeof sum);
  for (int j = 0; j < columns; ++j, W += stride) {
    for (int i = 0; i < kVectors; ++i) {
      Lanes v;
      std::memcpy(&v, N == 1 ? W + i * kLanes : x[j].data() + i * kLanes % N, sizeof v);
      sum[i] += v * (N == 1 ? x[j][0] : W[i * kLanes / N]);
    }
  }
  std::memcpy(sums, sum, sizeof sum);
}

// sums += W x, columns in their order for one point as for a block, so that the bits are the same.
template <int N>
void multiply_add(const double* W, Eigen::Index rows, Eigen::Index columns, const Points<N>* x,
                  Points<N>* sums) {
  constexpr int kOne = kTile<N>, kTwo = 2 * kOne;
  const int stride = padded(rows, kRowBlock);
  int first = 0;
  for (; first + kOne < rows; first += kTwo) {
    multiply_add_rows<N, kTwo>(W + first, stride, columns, x, sums + first);
  }
  if (first < rows) multiply_add_rows<N, kOne>(W + first, stride, columns, x, sums + first);
}

// What the branches get at N points.
template <int N>
struct Inputs {
  std::array<NetworkInput, N> position, thread;
  const std::array<NetworkInput, N>& of(const NeuralNetwork::Branch& branch) const {
    return branch.thread ? thread : position;
  }
};

template <int N>
Inputs<N> inputs_at(const NeuralNetwork& network, const std::array<Vector3d, N>& p) {
  Inputs<N> inputs;
  for (int k = 0; k < N; ++k) {
    network_input(network, false, p[k], inputs.position[k]);
    if (network.pitch > 0) network_input(network, true, p[k], inputs.thread[k]);
  }
  return inputs;
}

// For the arguments of all sines, of which the way back needs the cosines.
template <int N>
std::vector<Points<N>>& memory_for(const NeuralNetwork& network) {
  static thread_local std::vector<Points<N>> memory;
  if (memory.size() < static_cast<size_t>(network.rows)) memory.resize(network.rows);
  return memory;
}

// Keeps the arguments of the sines in z.
template <int N>
Points<N> go_forwards(const NeuralNetwork::Branch& branch, const std::array<NetworkInput, N>& input,
                      Points<N>* z) {
  Rows<N> value;
  for (int i = 0; i < kNetworkInputs; ++i) {
    for (int k = 0; k < N; ++k) value[i][k] = input[k].value[i];
  }
  const size_t last = branch.layers.size() - 1;
  for (size_t l = 0; l < last; ++l) {
    const auto& [W, b] = branch.layers[l];
    const int rows = padded(b.size(), kTile<N>);
    for (int i = 0; i < rows; ++i) z[i].fill(i < b.size() ? b[i] : 0);
    multiply_add<N>(branch.packed[l].W.data(), b.size(), W.cols(), value.data(), z);
    sines(z[0].data(), value[0].data(), rows * N);
    z += padded(b.size(), kRowBlock);
  }
  const auto& [W, b] = branch.layers[last];
  const Eigen::Index hidden = W.cols() - kNetworkInputs;
  for (int i = 0; i < kNetworkInputs; ++i) {
    for (int k = 0; k < N; ++k) value[hidden + i][k] = input[k].value[i];
  }
  std::array<Points<N>, kTile<N>> result{};
  result[0].fill(b[0]);
  multiply_add<N>(branch.packed[last].W.data(), 1, W.cols(), value.data(), result.data());
  return result[0];
}

// The derivatives of the result by the inputs.
template <int N>
std::array<Points<N>, kNetworkInputs> go_backwards(const NeuralNetwork::Branch& branch,
                                                   const Points<N>* z) {
  Rows<N> slope, cosine;
  const size_t last = branch.layers.size() - 1;
  const Eigen::MatrixXd& output = branch.layers[last].W;
  const Eigen::Index hidden = output.cols() - kNetworkInputs;
  for (int i = 0; i < hidden; ++i) slope[i].fill(output(0, i));
  z += branch.rows;
  for (size_t l = last; l-- > 0;) {
    const Eigen::MatrixXd& W = branch.layers[l].W;
    z -= padded(W.rows(), kRowBlock);
    cosines(z[0].data(), cosine[0].data(), padded(W.rows(), kTile<N>) * N);
    for (int i = 0; i < W.rows(); ++i) {
      for (int k = 0; k < N; ++k) cosine[i][k] *= slope[i][k];
    }
    std::fill_n(slope.data(), padded(W.cols(), kTile<N>), Points<N>{});
    multiply_add<N>(branch.packed[l].transposed.data(), W.cols(), W.rows(), cosine.data(),
                    slope.data());
  }
  std::array<Points<N>, kNetworkInputs> result;
  for (int i = 0; i < kNetworkInputs; ++i) {
    for (int k = 0; k < N; ++k) result[i][k] = slope[i][k] + output(0, hidden + i);
  }
  return result;
}

// The branch that is the distance at a point.
struct Choice {
  const NeuralNetwork::Branch* branch = nullptr;
  double result = 0;
};

// Forwards through all branches. A part is left as soon as it cannot be the least any more.
template <int N>
std::array<Choice, N> choose(const NeuralNetwork& network, const Inputs<N>& inputs, Points<N>* z) {
  std::array<Choice, N> least, largest;
  for (const NeuralNetwork::Part& part : network.parts) {
    const bool first = &part == &network.parts.front();
    for (const NeuralNetwork::Branch& branch : part) {
      const Points<N> result = go_forwards<N>(branch, inputs.of(branch), z + branch.first_row);
      bool idle = !first;
      for (int k = 0; k < N; ++k) {
        if (&branch == &part.front() || result[k] > largest[k].result) {
          largest[k] = {&branch, result[k]};
        }
        idle = idle && largest[k].result >= least[k].result;
      }
      if (idle) break;
    }
    for (int k = 0; k < N; ++k) {
      if (first || largest[k].result < least[k].result) least[k] = largest[k];
    }
  }
  return least;
}

// Within the box: distance and gradient by p / scale. Backwards only through branches that are the
// distance at one of the points.
template <int N>
void evaluate(const NeuralNetwork& network, const std::array<Vector3d, N>& p, Points<N>& result,
              std::array<Vector3d, N>& gradient) {
  std::vector<Points<N>>& memory = memory_for<N>(network);
  const Inputs<N> inputs = inputs_at<N>(network, p);
  const std::array<Choice, N> choice = choose<N>(network, inputs, memory.data());
  for (int k = 0; k < N; ++k) {
    const NeuralNetwork::Branch& branch = *choice[k].branch;
    const auto same = [&](const Choice& c) { return c.branch == &branch; };
    if (std::any_of(choice.begin(), choice.begin() + k, same)) continue;
    const auto slopes = go_backwards<N>(branch, memory.data() + branch.first_row);
    for (int i = k; i < N; ++i) {
      if (!same(choice[i])) continue;
      result[i] = choice[i].result;
      gradient[i].setZero();
      for (int j = 0; j < kNetworkInputs; ++j) {
        gradient[i] += slopes[j][i] * inputs.of(branch)[i].slope.row(j).transpose();
      }
    }
  }
}

// Outside of the box, too.
template <int N>
void distances(const NeuralNetwork& network, const std::array<Vector3d, N>& p, Points<N>& result,
               std::array<Vector3d, N>& gradient) {
  std::array<Vector3d, N> inside;
  for (int k = 0; k < N; ++k) {
    inside[k] = p[k].cwiseMax(network.center - network.half_size)
                    .cwiseMin(network.center + network.half_size);
  }
  evaluate<N>(network, inside, result, gradient);
  for (int k = 0; k < N; ++k) {
    result[k] *= network.scale;
    const Vector3d beyond = p[k] - inside[k];
    const double far = beyond.norm();
    if (far == 0) continue;
    for (int axis = 0; axis < 3; ++axis) {
      if (beyond[axis] != 0) gradient[k][axis] = beyond[axis] / far;
    }
    result[k] += far;
  }
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

void sine_and_cosine(const double* x, double* sine, double* cosine, int count) {
  sines(x, sine, count);
  cosines(x, cosine, count);
}

NetworkBlock<int> largest_branches(const NeuralNetwork& network, const NeuralNetwork::Part& part,
                                   const NetworkBlock<Vector3d>& p) {
  std::vector<Points<kBlock>>& memory = memory_for<kBlock>(network);
  const Inputs<kBlock> inputs = inputs_at<kBlock>(network, p);
  Points<kBlock> largest;
  NetworkBlock<int> found{};
  for (size_t b = 0; b < part.size(); ++b) {
    const auto result = go_forwards<kBlock>(part[b], inputs.of(part[b]), memory.data());
    for (int k = 0; k < kBlock; ++k) {
      if (b > 0 && result[k] <= largest[k]) continue;
      largest[k] = result[k];
      found[k] = static_cast<int>(b);
    }
  }
  return found;
}

void prepare(NeuralNetwork& network) {
  network.rows = 0;
  for (NeuralNetwork::Part& part : network.parts) {
    for (NeuralNetwork::Branch& branch : part) {
      branch.packed.clear();
      branch.first_row = network.rows;
      branch.rows = 0;
      for (const NeuralNetwork::Layer& layer : branch.layers) {
        branch.packed.push_back({pack(layer.W), pack(layer.W.transpose())});
        branch.rows += padded(layer.b.size(), kRowBlock);
      }
      branch.rows -= kRowBlock;  // the last layer has no sines
      network.rows += branch.rows;
    }
  }
}

double network_distance(const NeuralNetwork& network, const Vector3d& p, Vector3d& gradient) {
  Points<1> result;
  std::array<Vector3d, 1> slope;
  distances<1>(network, {p}, result, slope);
  gradient = slope[0];
  return result[0];
}

void network_distances(const NeuralNetwork& network, const NetworkBlock<Vector3d>& p,
                       NetworkBlock<double>& result, NetworkBlock<Vector3d>& gradient) {
  distances<kBlock>(network, p, result, gradient);
}

}  // namespace stiction
