// Servos: actuators whose force falls with the speed that the step ends with, taken implicitly and
// with exact force limits,
//
//   f(u+) = clamp(f0 - slope u+),   slope = -(h df/dlength + df/dvelocity) > 0,
//
// u+ the rate of a joint or of a fixed tendon at the end of the step. Within the limits this is a
// damper in A; at a limit it is a constant force. Which of the two holds is known after the solve:
// the step is solved again while a servo changes its mind. f is monotone, so this ends soon.
#pragma once

#include <stiction/model.h>
#include <stiction/problem.h>
#include <stiction/tree.h>

#include <Eigen/Core>
#include <vector>

namespace stiction {

struct Servo {
  int actuator = 0;
  int dof = -1;     ///< of the joint, or -1
  int tendon = -1;  ///< or -1
  double gear = 1;
  double f0 = 0;  ///< actuator force at u+ = 0, N or N m
  double slope = 0;
  Range range{};
  enum class Mode { kLower, kLinear, kUpper };
  Mode mode = Mode::kLinear;

  double free_force(double u) const { return f0 - slope * u; }
  double force(double u) const;  ///< in the present mode
};

/// All servos at (q, v), each in the mode that the velocity v suggests; their explicit forces are
/// taken out of tree.actuation. After compute_actuator_forces.
void find_servos(const Model& model, const Eigen::VectorXd& qpos, const Eigen::VectorXd& qvel,
                 const Eigen::VectorXd& ctrl, const Eigen::VectorXd& act, double h, TreeData& tree,
                 std::vector<Servo>& servos);

/// Rate of the servo's actuator under the joint velocities v.
double servo_rate(const Model& model, const Servo& servo, const Eigen::VectorXd& v);

/// Puts every servo in the mode that v asks for; true if one changed.
bool switch_servos(const Model& model, const Eigen::VectorXd& v, std::vector<Servo>& servos);

/// Adds the servos on joints to D and b.
void add_servos(const std::vector<Servo>& servos, double h, Problem& problem);

/// Adds the forces at the end of the step to tree.actuation and writes tree.actuator_force.
void finish_servos(const Model& model, const std::vector<Servo>& servos, const Eigen::VectorXd& v,
                   TreeData& tree);

}  // namespace stiction
