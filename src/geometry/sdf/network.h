// A signed distance as small networks with sines for activations (Sitzmann et al., "Implicit
// neural representations with periodic activation functions", 2020).
//
// A solid that is the union of parts has a network for each: the least of their distances is the
// solid's. A part's distance is the largest of its branches, so that edges stay sharp where
// branches meet. Branches differ in what they get at p: the position and the radius about z; or,
// for a thread of the given pitch about z, the radius and the phase of the thread, on which alone
// the distance of an endless thread depends. Outside of the box that it was trained in, the
// distance to the box is added to that at the nearest point of the box.
#pragma once

#include <stiction/sdf.h>

#include <Eigen/Core>
#include <array>
#include <string>
#include <vector>

namespace stiction {

constexpr int kRowBlock = 16;
constexpr int kMaxNetworkWidth = 128;  // a multiple of kRowBlock
constexpr int kMaxNetworkLayers = 8;
constexpr int kMaxNetworkBranches = 64;  // of a network
constexpr int kNetworkInputs = 4;

struct NeuralNetwork {
  struct Layer {
    Eigen::MatrixXd W;
    Eigen::VectorXd b;
  };
  /// A layer's W and its transpose, column by column, rows filled up with zeros to multiples
  /// of kRowBlock: what `prepare` makes of `layers` for the evaluation.
  struct Packed {
    std::vector<double> W, transposed;
  };
  struct Branch {
    bool thread = false;  ///< gets the thread's phase instead of the position
    /// sine(W x + b); the last one has one row, no sine, and gets the inputs beside the sines.
    std::vector<Layer> layers{};
    std::vector<Packed> packed{};
    int first_row = 0, rows = 0;  ///< of the memory that the evaluation needs
  };
  using Part = std::vector<Branch>;

  Eigen::Vector3d center = Eigen::Vector3d::Zero();
  Eigen::Vector3d half_size = Eigen::Vector3d::Zero();  ///< of the box
  double scale = 1;                                     ///< m, of positions and distances
  double pitch = 0;                                     ///< 0: no thread
  double detail = 0;                                    ///< of the solid, see Sdf
  double lipschitz = 1;                                 ///< largest gradient that was seen
  NeuralError error{};
  std::vector<Part> parts{};
  int rows = 0;  ///< of the memory that the evaluation needs
  TriangleMesh surface{};
};

/// What the first layer of a branch gets at p, and its derivatives by p / scale, one row each.
struct NetworkInput {
  Eigen::Matrix<double, kNetworkInputs, 1> value;
  Eigen::Matrix<double, kNetworkInputs, 3> slope;
};
void network_input(const NeuralNetwork& network, bool thread, const Eigen::Vector3d& p,
                   NetworkInput& input);

/// sin(x) and cos(x) of |x| < 1e5 to rounding, in a loop that the compiler makes vectors of.
void sine_and_cosine(const double* x, double* sine, double* cosine, int count);

/// As many points as `Sdf::distances` gets, for each of which the results are the same to the bit
/// as those of one point.
template <typename T>
using NetworkBlock = std::array<T, DistanceBlock::kSize>;

/// The number of the part's branch that is its distance, at each point.
NetworkBlock<int> largest_branches(const NeuralNetwork& network, const NeuralNetwork::Part& part,
                                   const NetworkBlock<Eigen::Vector3d>& p);

/// To be called when the layers are complete.
void prepare(NeuralNetwork& network);

/// Allocates nothing after a thread's first call. The order of every sum is fixed, so that the
/// result is the same to the bit wherever the network lies in memory.
double network_distance(const NeuralNetwork& network, const Eigen::Vector3d& p,
                        Eigen::Vector3d& gradient);
void network_distances(const NeuralNetwork& network, const NetworkBlock<Eigen::Vector3d>& p,
                       NetworkBlock<double>& distance, NetworkBlock<Eigen::Vector3d>& gradient);

}  // namespace stiction
