// Points for the training of networks, and for what they are measured with.
#pragma once

#include <random>
#include <vector>

#include "geometry/sdf/network.h"

namespace stiction {

/// On the surface, moved off it at random, or anywhere in the network's box.
class RandomPoints {
 public:
  RandomPoints(const Sdf& solid, const NeuralNetwork& network);
  Eigen::Vector3d near(std::mt19937& rng, double spread) const;
  Eigen::Vector3d anywhere(std::mt19937& rng) const;

 private:
  const Sdf& solid_;
  const NeuralNetwork& network_;
  std::vector<double> areas_{};  // summed up
};

}  // namespace stiction
