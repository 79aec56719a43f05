// Servos: actuators whose force falls with the speed that the step ends with, taken implicitly and
// with exact force limits,
//
//   f(u+) = clamp(f0 - slope u+),   slope = -(h stretch df/dlength + df/dvelocity) > 0,
//
// u+ the rate of a joint, of a fixed tendon or along any other moment at the end of the step;
// stretch is 1 but for angles of balls and sites (tree/transmission.h).
// Within the limits this is a damper, in A if it acts on one dof, else a soft row; at a limit it is
// a constant force. Which of the two holds is known after the solve: the step is solved again while
// a servo changes its mind. f is monotone, so this ends soon. Actuators whose sum is limited by
// their joint or tendon are one servo; on a joint each may have limits of its own, which make more
// pieces (servo_law.h).
#pragma once

#include <stiction/model.h>
#include <stiction/problem.h>
#include <stiction/tree.h>

#include <Eigen/Core>
#include <vector>

#include "model/drives.h"
#include "sim/servo_law.h"
#include "tree/transmission.h"

namespace stiction {

struct Servo {
  int actuator = 0;                 ///< the first, if several are one
  int dof = -1;                     ///< the only one on which it acts, or -1
  int tendon = -1;                  ///< or -1
  std::vector<DofMoment> moment{};  ///< neither a dof nor a tendon: on two dofs or more
  double gear = 1;                  ///< u+ per rate of the dof or tendon
  ServoLaw law{};
  ServoPiece piece{};  ///< of the law, that holds at present
};

/// All servos at (q, v), each in the piece that the velocity v suggests; their explicit forces are
/// taken out of tree.actuation. After compute_actuator_forces.
void find_servos(const Model& model, const std::vector<Drive>& drives, const Eigen::VectorXd& qpos,
                 const Eigen::VectorXd& qvel, const Eigen::VectorXd& ctrl,
                 const Eigen::VectorXd& act, double h, TreeData& tree, std::vector<Servo>& servos);

/// Rate of the servo's actuator under the joint velocities v.
double servo_rate(const Model& model, const Servo& servo, const Eigen::VectorXd& v);

/// Moves every servo towards the piece that v asks for; true if one changed.
bool switch_servos(const Model& model, const Eigen::VectorXd& v, std::vector<Servo>& servos);

/// Adds the servos on single dofs to D and b.
void add_servos(const std::vector<Servo>& servos, double h, Problem& problem);

/// Adds the forces at the end of the step to tree.actuation and writes tree.actuator_force.
void finish_servos(const Model& model, const std::vector<Servo>& servos, const Eigen::VectorXd& v,
                   TreeData& tree);

}  // namespace stiction
