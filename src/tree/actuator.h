// What an actuator would do without its force limits, and how that changes with its length and
// speed: integrators that take stiff controllers implicitly need the slopes.
#pragma once

#include <stiction/model.h>

namespace stiction {

struct ActuatorLaw {
  double force = 0;
  double by_length = 0;    ///< d force / d length
  double by_velocity = 0;  ///< d force / d velocity
};

/// `act` is the activation, if the actuator has one; h the time step, for those that act early.
ActuatorLaw actuator_law(const Model& model, const Actuator& actuator, double length,
                         double velocity, double ctrl, double act, double h);

}  // namespace stiction
