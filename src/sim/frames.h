// Frames of bodies, geoms, sites and cameras, their motion, and the forces that act on bodies.
#pragma once

#include <stiction/model.h>
#include <stiction/simulation.h>
#include <stiction/tree.h>

#include <vector>

namespace stiction {

struct ObjectFrame {
  Pose X_W{};
  int body = 0;
};

/// Where an object is. A kBody is at its centre of mass with the body's axes, a kXBody at the
/// body's own frame.
ObjectFrame object_frame(const Model& model, const TreeData& tree, ObjectType type, int object);

/// (linear velocity of the body's point now at p_W; angular velocity), world axes.
Vector6d point_velocity(const TreeData& tree, int body, const Eigen::Vector3d& p_W);

/// Accelerations and interaction forces of the last step; the tree must still be where it began.
struct BodyForces {
  explicit BodyForces(Simulation::Impl& sim);

  /// (linear acceleration of the body's point now at p_W, less gravity; angular), world axes.
  Vector6d point_acceleration(const Simulation::Impl& sim, int body,
                              const Eigen::Vector3d& p_W) const;

  /// Per body: the wrench that its parent exerts on it through the joint, about the tree's O.
  std::vector<Vector6d> interaction;
  std::vector<Vector6d> acceleration;  ///< spatial, about O, of the accelerations qacc alone
};

/// Sum of the normal forces on the site's body whose contacts press on the site's volume.
double touch_force(const Simulation::Impl& sim, int site);

}  // namespace stiction
