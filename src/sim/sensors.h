// Sensors of the MJCF file, in its order and with MuJoCo's meanings. Positions and velocities are
// those at the end of the step; accelerations and forces are means over the step, qacc = (v+ - v)/h
// and impulses / h, at the poses where it began.
#pragma once

#include <stiction/model.h>
#include <stiction/simulation.h>

#include <vector>

namespace stiction {

enum class SensorKind {
  kTouch,
  kAccelerometer,
  kVelocimeter,
  kGyro,
  kForce,
  kTorque,
  kJointPos,
  kJointVel,
  kJointActuatorForce,
  kJointLimitPos,
  kJointLimitVel,
  kJointLimitForce,
  kBallQuat,
  kBallAngVel,
  kTendonPos,
  kTendonVel,
  kTendonActuatorForce,
  kTendonLimitPos,
  kTendonLimitVel,
  kTendonLimitForce,
  kActuatorPos,
  kActuatorVel,
  kActuatorForce,
  kSubtreeCom,
  kSubtreeLinVel,
  kSubtreeAngMom,
  kClock,
  kPotential,
  kKinetic,
  kFramePos,
  kFrameQuat,
  kFrameXAxis,
  kFrameYAxis,
  kFrameZAxis,
  kFrameLinVel,
  kFrameAngVel,
  kFrameLinAcc,
  kFrameAngAcc,
  kUnsupported
};

struct SensorSlot {
  SensorKind kind = SensorKind::kUnsupported;  ///< reads zero
  int begin = 0;                               ///< in sensordata
};

/// One per sensor of the model.
std::vector<SensorSlot> sensor_slots(const Model& model);
/// Entries of sensordata.
int sensor_size(const Model& model);

/// Accelerations and forces: with the tree at the poses where the step began.
void read_force_sensors(Simulation::Impl& sim);
/// Positions and velocities: with the tree at the present state.
void read_motion_sensors(Simulation::Impl& sim);

}  // namespace stiction
