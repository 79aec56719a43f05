// What comes from outside is checked before anything changes. Throws InputError: which number, what
// it is, what was expected.
#pragma once

#include "sim/simulation_impl.h"

namespace stiction {

/// With the model's time step and the default solver where none are given.
SimulationOptions checked(SimulationOptions options, const Model& model);

/// Squares of larger numbers, times a mass or a stiffness, may overflow: energies would be infinite
/// or NaN before the state is.
constexpr double kLargestState = 1e100;

/// "joint 'knee'": whose part of a vector over joints, which starts at `begin`, the number at `at`
/// is.
std::string joint_label_at(const Model& model, int Joint::*begin, int at);

/// With unit quaternions.
State checked(State state, const Model& model);

void check_wrench(const Model& model, int body, const Vector6d& wrench);

/// Controls of the step.
void check_input(const Simulation::Impl& sim);

}  // namespace stiction
