// Dynamics of kinematic trees: free functions over (model, data), each filling one stage of Data.
// No allocation after construction.
//
// Twists are (linear; angular) in world axes, taken about one reference point O per tree (the
// tree's root body at the current state), so that a body twist is the sum of its ancestors' joint
// columns, V_b = sum_j S_j qvel_j, and a wrench (force; moment about O) sums the same way back.
// The reference point moves with no body: within one evaluation it is a fixed point of space.
#pragma once

#include <stiction/model.h>

#include <Eigen/Core>
#include <vector>

namespace stiction {

using Vector6d = Eigen::Matrix<double, 6, 1>;
using Matrix6d = Eigen::Matrix<double, 6, 6>;
using Matrix6Xd = Eigen::Matrix<double, 6, Eigen::Dynamic>;

/// Inertia of a rigid body about O in world axes, by its ten numbers ([TRO25] Appendix A).
struct SpatialInertia {
  double m = 0;
  Eigen::Vector3d mc = Eigen::Vector3d::Zero();  ///< mass times (com - O)
  Eigen::Matrix3d I = Eigen::Matrix3d::Zero();   ///< rotational inertia about O
};

/// Pattern of M, fixed by the tree: row i holds the ancestors of dof i in rising order, then i.
struct BranchPattern {
  std::vector<int> row_begin;  ///< nv + 1
  std::vector<int> col;        ///< the last of row i is i itself
};

/// All that is computed from (qpos, qvel), grouped by the function that computes it.
struct TreeData {
  explicit TreeData(const Model& model);

  // update_kinematics(qpos)
  std::vector<Eigen::Matrix3d> R_WB;
  std::vector<Eigen::Quaterniond> q_WB;
  std::vector<Eigen::Vector3d> p_WB;
  std::vector<Eigen::Vector3d> p_WBcm;
  std::vector<Eigen::Vector3d> p_WO;    ///< reference point of the body's tree, per body
  Matrix6Xd S;                          ///< joint columns, 6 x nv
  std::vector<SpatialInertia> inertia;  ///< per body, about its tree's O

  // update_velocity(qvel), after update_kinematics
  std::vector<Vector6d> V;  ///< body twists
  Matrix6Xd Sdot;           ///< time derivative of S, 6 x nv

  // compute_mass_matrix, factorize
  BranchPattern pattern;
  Eigen::VectorXd M;  ///< values on the pattern, armature included
  Eigen::VectorXd L;  ///< M = L^T D L on the pattern; D on the diagonal
  Eigen::VectorXd D_inv;

  // compute_bias
  Eigen::VectorXd bias;  ///< Coriolis + centrifugal - gravity: M a + bias = tau
};

/// Body poses, joint columns and inertias in world axes.
void update_kinematics(const Model& model, const Eigen::Ref<const Eigen::VectorXd>& qpos,
                       TreeData& data);
void update_velocity(const Model& model, const Eigen::Ref<const Eigen::VectorXd>& qvel,
                     TreeData& data);
/// Composite rigid bodies.
void compute_mass_matrix(const Model& model, TreeData& data);
/// M = L^T D L, no fill-in outside the pattern.
void factorize(const Model& model, TreeData& data);
/// x <- M^-1 x.
void solve_in_place(const Model& model, const TreeData& data, Eigen::Ref<Eigen::VectorXd> x);
/// Recursive Newton-Euler at qacc = 0. Gravity enters here, as an acceleration of the world.
void compute_bias(const Model& model, const Eigen::Ref<const Eigen::VectorXd>& qvel,
                  TreeData& data);
/// tau = M qacc + bias.
Eigen::VectorXd inverse_dynamics(const Model& model, const Eigen::Ref<const Eigen::VectorXd>& qvel,
                                 const Eigen::Ref<const Eigen::VectorXd>& qacc, TreeData& data);
/// Articulated bodies: qacc from tau, without M.
Eigen::VectorXd forward_dynamics(const Model& model, const Eigen::Ref<const Eigen::VectorXd>& qvel,
                                 const Eigen::Ref<const Eigen::VectorXd>& tau, TreeData& data);

/// (linear velocity of the body point now at p_W; angular velocity) = jacobian * qvel, 6 x nv.
Matrix6Xd point_jacobian(const Model& model, const TreeData& data, int body,
                         const Eigen::Vector3d& p_W);

/// q <- q (+) h v on the joint manifold; quaternions are normalised.
void integrate_positions(const Model& model, const Eigen::Ref<const Eigen::VectorXd>& qvel,
                         double h, Eigen::Ref<Eigen::VectorXd> qpos);
/// v with q1 = q0 (+) v.
Eigen::VectorXd position_difference(const Model& model, const Eigen::Ref<const Eigen::VectorXd>& q0,
                                    const Eigen::Ref<const Eigen::VectorXd>& q1);

struct Energy {
  double potential = 0;  ///< gravity and springs, J
  double kinetic = 0;    ///< J, armature included
};
Energy energy(const Model& model, const Eigen::Ref<const Eigen::VectorXd>& qpos,
              const Eigen::Ref<const Eigen::VectorXd>& qvel, const TreeData& data);
Eigen::Vector3d center_of_mass(const Model& model, const TreeData& data);
/// (linear; angular about the centre of mass), of all bodies, after update_velocity.
Vector6d momentum(const Model& model, const TreeData& data);

/// Springs, dampers, gravity compensation and the medium's drag, at (qpos, qvel).
Eigen::VectorXd passive_forces(const Model& model, const Eigen::Ref<const Eigen::VectorXd>& qpos,
                               const Eigen::Ref<const Eigen::VectorXd>& qvel, const TreeData& data);
/// Joint-space actuator forces; controls are clamped to their ranges.
Eigen::VectorXd actuator_forces(const Model& model, const Eigen::Ref<const Eigen::VectorXd>& qpos,
                                const Eigen::Ref<const Eigen::VectorXd>& qvel,
                                const Eigen::Ref<const Eigen::VectorXd>& ctrl,
                                const Eigen::Ref<const Eigen::VectorXd>& act, const TreeData& data);

}  // namespace stiction
