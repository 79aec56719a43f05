// Dynamics of kinematic trees: free functions over (model, data), each filling one stage of Data.
// No allocation after construction. Mathematics: src/tree/README.md.
//
// Twists are (linear; angular) in world axes, taken about one reference point O per tree (where the
// origin of the tree's root body is now), so that a body twist is the sum of its ancestors' joint
// columns, V_b = sum_j S_j qvel_j, and a wrench (force; moment about O) sums the same way back.
// The reference point moves with no body: within one evaluation it is a fixed point of space.
#pragma once

#include <stiction/model.h>

#include <Eigen/Core>
#include <array>
#include <vector>

namespace stiction {

using Vector6d = Eigen::Matrix<double, 6, 1>;
using Matrix6d = Eigen::Matrix<double, 6, 6>;
using Matrix6Xd = Eigen::Matrix<double, 6, Eigen::Dynamic>;
using ConstVectorRef = Eigen::Ref<const Eigen::VectorXd>;
using VectorRef = Eigen::Ref<Eigen::VectorXd>;

/// Inertia of a rigid body about O in world axes, by its ten numbers ([TRO25] Appendix A).
struct SpatialInertia {
  double m = 0;                                  ///< kg
  Eigen::Vector3d mc = Eigen::Vector3d::Zero();  ///< mass times (com - O)
  Vector6d I = Vector6d::Zero();                 ///< about O: xx, yy, zz, xy, xz, yz

  /// [m 1, -[mc]; [mc], I]: momentum (linear; angular about O) = matrix() * twist.
  Matrix6d matrix() const;
};

/// Who moves whom: fixed by the model. A dof's ancestors are found by following dof_parent.
struct TreeLayout {
  std::vector<int> dof_body;
  std::vector<int> dof_parent;  ///< the next dof towards the root, or -1
  std::vector<int> last_dof;    ///< per body: the last dof that moves it, or -1
  /// Pattern of M: row i holds the ancestors of dof i in rising order, then i itself.
  std::vector<int> row_begin;  ///< nv + 1
  std::vector<int> col;
};

/// Properties of joints spread over their dofs, and the joints and bodies that have what most have
/// not: what every step goes through, without going through the whole model.
struct TreeConstants {
  Eigen::VectorXd armature;
  Eigen::VectorXd damping;
  Eigen::VectorXd stiffness;
  std::vector<int> sprung_joints;       ///< with stiffness
  std::vector<int> clamped_joints;      ///< one dof, with a limit on the sum of its actuators
  std::vector<int> compensated_bodies;  ///< with gravcomp
};

/// The box of uniform density that has the body's mass and inertia: what the medium sees of it.
struct DragBox {
  Eigen::Matrix3d R_BI = Eigen::Matrix3d::Identity();  ///< principal axes
  Eigen::Vector3d size = Eigen::Vector3d::Zero();      ///< whole edges, m
};

/// All that is computed from (qpos, qvel, ctrl), grouped by the function that computes it.
struct TreeData {
  explicit TreeData(const Model& model);

  TreeLayout layout;
  TreeConstants constants;
  std::vector<DragBox> drag_boxes;  ///< per body; none if there is no medium

  // update_kinematics
  std::vector<Eigen::Matrix3d> R_WB;
  std::vector<Eigen::Quaterniond> q_WB;
  std::vector<Eigen::Vector3d> p_WB;
  std::vector<Eigen::Vector3d> p_WBcm;
  std::vector<Eigen::Vector3d> p_WO;    ///< reference point of the body's tree, per body
  Matrix6Xd S;                          ///< joint columns, 6 x nv
  std::vector<SpatialInertia> inertia;  ///< per body, about its tree's O

  // update_velocity
  std::vector<Vector6d> V;         ///< body twists
  std::vector<Vector6d> momentum;  ///< of the bodies: (linear; angular about O)
  std::vector<Vector6d> Vdot0;     ///< their rates at qacc = 0, O held fixed: sum_j dS_j/dt qvel_j

  // compute_mass_matrix
  Eigen::VectorXd M;                      ///< values on the pattern of layout, armature included
  std::vector<SpatialInertia> composite;  ///< inertia of the body and all that hangs on it

  // factorize
  Eigen::VectorXd L;  ///< M = L^T D L on the pattern: unit L, D on the diagonal
  Eigen::VectorXd D_inv;

  // compute_bias
  Eigen::VectorXd bias;  ///< Coriolis + centrifugal - gravity: M qacc + bias = tau

  // compute_passive_forces
  Eigen::VectorXd passive;
  Eigen::VectorXd passive_other;  ///< of these, drag and compensation: neither spring nor damper
  Eigen::VectorXd gravity_compensation;

  // compute_actuator_forces
  Eigen::VectorXd actuator_force;  ///< nu scalars, along the actuators
  Eigen::VectorXd actuation;       ///< nv joint-space forces

  // Work space of the recursions, per body or dof.
  std::vector<Vector6d> wrench;
  std::vector<Vector6d> acceleration;
  std::vector<Matrix6d> articulated;
  Matrix6Xd U;
  Eigen::VectorXd U_inv;
  Eigen::VectorXd work;
};

/// Body poses, joint columns and inertias in world axes. Quaternions in qpos need not be unit.
void update_kinematics(const Model& model, const ConstVectorRef& qpos, TreeData& data);
/// Body twists, momenta and the twists' rates at qacc = 0; after update_kinematics.
void update_velocity(const Model& model, const ConstVectorRef& qvel, TreeData& data);

/// Composite rigid bodies; after update_kinematics.
void compute_mass_matrix(const Model& model, TreeData& data);
/// p = M qvel, without M and without tendon armature; after update_velocity.
void generalized_momentum(const Model& model, const ConstVectorRef& qvel, TreeData& data,
                          VectorRef p);
/// M = L^T D L, without fill-in.
void factorize(TreeData& data);
/// x <- M^-1 x, after factorize.
void solve_in_place(const TreeData& data, VectorRef x);
/// M as a full matrix.
Eigen::MatrixXd dense_mass_matrix(const TreeData& data);

/// Recursive Newton-Euler at qacc = 0; after update_velocity. Gravity enters here and in
/// inverse_dynamics and forward_dynamics in the same way: as an upward acceleration of the world.
void compute_bias(const Model& model, TreeData& data);
/// tau = M qacc + bias, without M; after update_velocity.
void inverse_dynamics(const Model& model, const ConstVectorRef& qacc, TreeData& data,
                      VectorRef tau);
/// Articulated bodies: qacc = M^-1 (tau - bias), without M; after update_velocity. Tendon armature,
/// which ties joints together, is in M only.
void forward_dynamics(const Model& model, const ConstVectorRef& tau, TreeData& data,
                      VectorRef qacc);

/// (linear velocity of the body point now at p_W; angular velocity) = jacobian * qvel, 6 x nv.
void point_jacobian(const TreeData& data, int body, const Eigen::Vector3d& p_W,
                    Eigen::Ref<Matrix6Xd> jacobian);
/// qfrc += J^T (force; torque) of a force at p_W and a torque on the body, all in world axes.
void add_force(const TreeData& data, int body, const Eigen::Vector3d& p_W,
               const Eigen::Vector3d& force, const Eigen::Vector3d& torque, VectorRef qfrc);

/// q <- q (+) h v on the joint manifold; quaternions are normalised.
void integrate_positions(const Model& model, const ConstVectorRef& qvel, double h, VectorRef qpos);
/// v with q1 = q0 (+) v.
Eigen::VectorXd position_difference(const Model& model, const ConstVectorRef& q0,
                                    const ConstVectorRef& q1);

struct Energy {
  double potential = 0;  ///< gravity and springs of the model, J
  double kinetic = 0;    ///< J, armature included
};
/// After update_velocity.
Energy energy(const Model& model, const ConstVectorRef& qpos, const ConstVectorRef& qvel,
              const TreeData& data);
Eigen::Vector3d center_of_mass(const Model& model, const TreeData& data);
/// (linear; angular about the centre of mass), of all bodies, after update_velocity.
Vector6d momentum(const Model& model, const TreeData& data);

/// Springs, dampers, gravity compensation and the medium's drag, into data.passive; after
/// update_velocity.
void compute_passive_forces(const Model& model, const ConstVectorRef& qpos,
                            const ConstVectorRef& qvel, TreeData& data);
/// Into data.actuation and data.actuator_force; controls are clamped to their ranges, `act` has na
/// activations, and h is the time step, for actuators with actearly. After compute_passive_forces.
void compute_actuator_forces(const Model& model, const ConstVectorRef& qpos,
                             const ConstVectorRef& qvel, const ConstVectorRef& ctrl,
                             const ConstVectorRef& act, double h, TreeData& data);
/// act <- activations after a step h under ctrl.
void advance_activations(const Model& model, const ConstVectorRef& ctrl, double h, VectorRef act);

}  // namespace stiction
