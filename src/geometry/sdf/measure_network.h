// What a trained network is worth, on points that the training has not seen.
#pragma once

#include "geometry/sdf/network.h"

namespace stiction {

/// Those that are nowhere the largest are of no use. The others are put in the order of how often
/// they are, so that parts that are not the least are soon seen not to be.
void leave_out_idle_branches(const Sdf& solid, unsigned seed, NeuralNetwork& network);

/// Sets the network's error and its Lipschitz constant.
void measure_network(const Sdf& solid, unsigned seed, NeuralNetwork& network);

}  // namespace stiction
