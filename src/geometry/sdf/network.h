// A signed distance as a small network with sines for activations (Sitzmann et al., "Implicit
// neural representations with periodic activation functions", 2020).
//
// With u = (p - center) / scale the input is u; for a solid with a thread of the given pitch about
// z, also the radius and the phase of the thread, whose cosine and sine and those of twice the
// phase go in: the thread's distance depends on radius and phase only, so that the network need not
// learn every turn of it. The distance is scale times the output. Outside of the box that it was
// trained in, the distance to the box is added to that at the nearest point of the box.
#pragma once

#include <stiction/sdf.h>

#include <Eigen/Core>
#include <string>
#include <vector>

namespace stiction {

constexpr int kRowBlock = 32;
constexpr int kMaxNetworkWidth = 128;  // a multiple of kRowBlock
constexpr int kMaxNetworkLayers = 8;
constexpr int kPlainInputs = 4;
constexpr int kThreadInputs = 7;

struct NeuralNetwork {
  struct Layer {
    Eigen::MatrixXd W;
    Eigen::VectorXd b;
  };
  Eigen::Vector3d center = Eigen::Vector3d::Zero();
  Eigen::Vector3d half_size = Eigen::Vector3d::Zero();  ///< of the box
  double scale = 1;                                     ///< m
  double pitch = 0;                                     ///< 0: no thread
  double detail = 0;                                    ///< of the solid, see Sdf
  double lipschitz = 1;                                 ///< largest gradient that was seen
  NeuralError error{};
  std::vector<Layer> layers{};  ///< sine(W x + b), the last without the sine
  TriangleMesh surface{};
  /// The hidden layers' W and their transposes, column by column, rows filled up with zeros to
  /// multiples of kRowBlock: what `prepare` makes of `layers` for the evaluation.
  struct Packed {
    std::vector<double> W, transposed;
  };
  std::vector<Packed> packed{};

  int inputs() const { return pitch > 0 ? kThreadInputs : kPlainInputs; }
};

/// What the first layer gets at p, and its derivatives by p / scale, one row each.
struct NetworkInput {
  Eigen::Matrix<double, kThreadInputs, 1> value;
  Eigen::Matrix<double, kThreadInputs, 3> slope;
};
void network_input(const NeuralNetwork& network, const Eigen::Vector3d& p, NetworkInput& input);

/// sin(x) and cos(x) of |x| < 1e5 to rounding, in a loop that the compiler makes vectors of.
void sine_and_cosine(const double* x, double* sine, double* cosine, int count);

/// To be called when the layers are complete.
void prepare(NeuralNetwork& network);

/// Allocates nothing. The order of every sum is fixed, so that the result is the same to the bit
/// wherever the network lies in memory.
double network_distance(const NeuralNetwork& network, const Eigen::Vector3d& p,
                        Eigen::Vector3d& gradient);

}  // namespace stiction
