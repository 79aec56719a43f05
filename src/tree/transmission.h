// How an actuator's scalar force reaches the dofs: its length, the length's rate, and the moment,
// which is the gradient of the length and so the joint force per unit of actuator force.
#pragma once

#include <stiction/tree.h>

#include <array>
#include <vector>

namespace stiction {

struct Moment {
  double length = 0;
  /// Whether moment . qvel is the rate of the length; that of a free joint, and of a site without
  /// a reference, is 0 whatever moves.
  bool has_length = true;
  /// That of an angle gear . phi, phi = log R, is gear . J^-1 omega. Across phi, J^-1 turns by half
  /// of |phi| and stretches, z = |phi|/2 (cot(|phi|/2) + i). Who takes it as `stretch` times
  /// moment . qvel to bring a stiff spring to its end in one step leaves |1 - z / stretch| of the
  /// error across phi, least with |z|^2 / Re z = |phi| / sin |phi|, which is the stretch there;
  /// with less than half of that the error grows. Along phi it is 1, and so it is for other
  /// lengths.
  double stretch = 1;
  /// On the dofs of one joint...
  int dof_begin = 0;
  int dof_count = 0;
  Vector6d on_dofs = Vector6d::Zero();
  /// ... or on those of a fixed tendon...
  int tendon = -1;
  double tendon_gear = 0;
  /// ... or wrenches on up to two bodies, about the reference points of their trees; dofs up from
  /// `common`, which move both alike, do not count.
  std::array<int, 2> bodies{-1, -1};
  std::array<Vector6d, 2> wrenches{Vector6d::Zero(), Vector6d::Zero()};
  int common = -1;
};

/// After update_kinematics. Transmissions that need contacts have no moment.
Moment actuator_moment(const Model& model, const Actuator& actuator, const ConstVectorRef& qpos,
                       const TreeData& data);
/// moment . qvel
double moment_velocity(const Model& model, const Moment& moment, const ConstVectorRef& qvel,
                       const TreeData& data);

struct ActuatorMotion {
  double length = 0;
  double velocity = 0;
};
/// The length and its rate, without a Moment for joints of one dof.
ActuatorMotion actuator_motion(const Model& model, const Actuator& actuator,
                               const ConstVectorRef& qpos, const ConstVectorRef& qvel,
                               const TreeData& data);
struct DofMoment {
  int dof = 0;
  double moment = 0;
};
/// The dofs on which the moment is not zero.
std::vector<DofMoment> moment_on_dofs(const Model& model, const Moment& moment,
                                      const TreeData& data);
/// qfrc += force * moment
void add_moment(const Model& model, const Moment& moment, double force, const TreeData& data,
                VectorRef qfrc);
/// The same, without a Moment for joints of one dof.
void add_actuator_force(const Model& model, const Actuator& actuator, const ConstVectorRef& qpos,
                        double force, const TreeData& data, VectorRef qfrc);

}  // namespace stiction
